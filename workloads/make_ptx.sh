#!/bin/sh
# Makes every kernel.ptx of workloads/ and every .ptx of bench/ again from the .cu file, and
# workloads/registers.csv: the registers that ptxas allocates per kernel, for comparison with our
# own allocation. The results are pinned in the repository; `make ptx` calls this script.
set -eu
cd "$(dirname "$0")/.."
arch=sm_75
nvcc=${NVCC:-nvcc}
ptxas=${PTXAS:-ptxas}
for tool in "$nvcc" "$ptxas"; do
    command -v "$tool" >/dev/null || {
        echo "make ptx: $tool not found; it comes with the CUDA toolkit, version 13" >&2
        exit 2
    }
done
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

# arch_of FILE.cu: the architecture, sm_75 unless the first line says "// nvcc: -arch=NAME"
arch_of() {
    named=$(sed -n '1s/^\/\/ nvcc: -arch=//p' "$1")
    echo "${named:-$arch}"
}

# compile FILE.cu FILE.ptx: replaces the old file only by a complete result
compile() {
    "$nvcc" -arch="$(arch_of "$1")" -O3 -ptx "$1" -o "$new/ptx"
    cp "$new/ptx" "$2"
}

echo name,kernel,registers,shared_bytes >"$new/registers.csv"
for name in $(sed -n 's/^WORKLOAD(\(.*\))$/\1/p' workloads/list.def); do
    compile workloads/$name/kernel.cu workloads/$name/kernel.ptx
    "$ptxas" -arch="$(arch_of workloads/$name/kernel.cu)" -v workloads/$name/kernel.ptx \
        -o "$new/cubin" 2>"$new/log"
    awk -v name=$name -F "'" '/Compiling entry function/ { kernel = $2 }
        /Used [0-9]+ registers/ {
            match($0, /Used [0-9]+/)
            registers = substr($0, RSTART + 5, RLENGTH - 5)
            shared = match($0, /[0-9]+ bytes smem/) ? substr($0, RSTART, RLENGTH - 11) : 0
            print name "," kernel "," registers "," shared
        }' "$new/log" >>"$new/registers.csv"
done
cp "$new/registers.csv" workloads/registers.csv
for source in bench/*.cu; do
    compile "$source" "${source%.cu}.ptx"
done
