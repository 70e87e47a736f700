#!/bin/sh
# Two programs on one GPU under three policies: what `make demo` shows.
set -eu
build=$1
result=$build/demo.json
echo "hotspot (heat in a chip) and kmeans (clustering) share one GPU under three policies:"
"$build/corun" compare hotspot kmeans --policies leftover,spatial,smk-p+dmil --threads 2 \
    --json "$result"
echo "the result as JSON: $result"
