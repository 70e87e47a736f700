#!/bin/sh
# How fast the simulator is: bench.sh CORUN [REPETITIONS]. Programs alone on maxwell16, the median
# of five runs each, then the 2,000,000-cycle window of mm and gups. `make bench` calls this.
# Rates are over the time inside the cycle loop, as the result's `host` object has them.
set -eu
corun=${1:?usage: bench.sh CORUN [REPETITIONS]}
repetitions=${2:-5}
here=$(dirname "$0")
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# number KEY FILE: the first number that FILE has under KEY
number() {
    tr ',{}' '\n\n\n' <"$2" | sed -n "s/^ *\"$1\": *\([0-9.eE+-]*\).*/\1/p" | head -n 1
}

median() {
    sort -g | awk '{ row[NR] = $1 } END { print row[int((NR + 1) / 2)] }'
}

# simulate OUTPUT ARGUMENT...
simulate() {
    output=$1
    shift
    "$corun" run "$@" --gpu maxwell16 --alone skip --progress none --quiet \
        --json "$output" >/dev/null
}

# measure NAME SIMULATED_BYTES APP: one row; the bytes are those of the app's own buffers
measure() {
    i=0
    while [ $i -lt "$repetitions" ]; do
        simulate "$results/$1.$i" "$3"
        i=$((i + 1))
    done
    instructions=$(for r in "$results/$1".*; do
        number warp_instructions_per_second "$r"
    done | median)
    cycles=$(for r in "$results/$1".*; do number cycles_per_second "$r"; done | median)
    peak=$(for r in "$results/$1".*; do number peak_rss_bytes "$r"; done | median)
    first=$results/$1.0
    awk -v name="$1" -v instructions="$instructions" -v rate="$cycles" -v peak="$peak" \
        -v simulated="$2" -v n="$(number warp_instructions "$first")" \
        -v cycles="$(number cycles "$first")" -v misses="$(number l1\\.misses "$first")" '
        BEGIN {
            printf "%-8s %12d %10d %12.2f %12.2f %14.2f %10.1f %12.1f\n", name, n, cycles,
                instructions / 1e6, rate / 1e6, misses * rate / cycles / 1e6, peak / 1048576,
                (peak - simulated) / 1048576
        }'
}

echo "maxwell16, one program alone, median of $repetitions runs"
printf '%-8s %12s %10s %12s %12s %14s %10s %12s\n' program 'warp instr' cycles 'M instr/s' \
    'M cycles/s' 'M L1 misses/s' 'peak MB' 'besides MB'
measure mm $((3 * 320 * 320 * 4)) mm
measure vecadd $((3 * 2097152 * 4)) vecadd
measure stencil $((2 * 512 * 64 * 16 * 4)) stencil
measure gups $((4194304 * 8)) gups
measure gather $((8388608 * 4 + 2 * 1048576 * 4)) "$here/gather.yaml"
echo "besides MB: peak memory of the process without the simulated programs' own buffers"

started=$(date +%s.%N)
simulate "$results/window" mm gups --policy spatial --until window --cycles 2000000
ended=$(date +%s.%N)
awk -v a="$started" -v b="$ended" 'BEGIN {
    printf "mm + gups, --policy spatial, window of 2,000,000 cycles: %.2f s\n", b - a }'
