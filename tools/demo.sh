#!/bin/sh
# Runs two programs on one GPU under three policies, for `make demo`.
set -eu
build=$1
result=$build/demo.json
echo "hotspot (heat in a chip) and kmeans (clustering) share one GPU under three policies:"
"$build/corun" compare hotspot kmeans --policies leftover,spatial,smk-p+dmil --threads 2 \
    --json "$result"
echo "the result as JSON: $result"
