#!/bin/sh
# Two real programs on one GPU under two policies: what `make demo` shows.
set -eu
build=$1
result=$build/demo.json
echo "mm (tiled matrix product) and bfs (breadth-first search) share one GPU, twice:"
"$build/corun" compare mm bfs --policies leftover,spatial --threads 2 \
    --json "$result"
echo "the result as JSON: $result"
