#!/bin/sh
# How fast the simulator is: bench.sh CORUN [ROUNDS]. `make bench` calls this.
# Programs alone on maxwell16, then the 2,000,000-cycle window of mm and gups. A round runs every
# program once, so that a slow minute of the host falls on all alike. Rates are over the time inside
# the cycle loop, as the result's `host` object has them.
set -eu
corun=${1:?usage: bench.sh CORUN [ROUNDS]}
rounds=${2:-5}
here=$(dirname "$0")
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# number KEY FILE: the first number that FILE has under KEY
number() {
    tr ',{}' '\n\n\n' <"$2" | sed -n "s/^ *\"$1\": *\([0-9.eE+-]*\).*/\1/p" | head -n 1
}

# of the numbers that standard input has, one a line
median() {
    sort -g | awk '{ row[NR] = $1 } END { print row[int((NR + 1) / 2)] }'
}
best() {
    sort -g | tail -n 1
}

# simulate OUTPUT ARGUMENT...
simulate() {
    output=$1
    shift
    "$corun" run "$@" --gpu maxwell16 --alone skip --progress none --quiet \
        --json "$output" >/dev/null
}

# of_all KEY NAME: KEY of all rounds' results of NAME
of_all() {
    for r in "$results/$2".*; do number "$1" "$r"; done
}

app_of() {
    if [ "$1" = gather ]; then echo "$here/gather.yaml"; else echo "$1"; fi
}

# row NAME SIMULATED_BYTES: the bytes are those of the app's own buffers
row() {
    first=$results/$1.1
    awk -v name="$1" -v simulated="$2" -v n="$(number warp_instructions "$first")" \
        -v cycles="$(number cycles "$first")" -v misses="$(number l1\\.misses "$first")" \
        -v instructions="$(of_all warp_instructions_per_second "$1" | median)" \
        -v rate="$(of_all cycles_per_second "$1" | median)" \
        -v fastest="$(of_all cycles_per_second "$1" | best)" \
        -v peak="$(of_all peak_rss_bytes "$1" | median)" '
        BEGIN {
            million = cycles * 1e6
            printf "%-8s %12d %10d %9.2f %6.2f %9.2f %13.2f %6.2f %8.1f %11.1f\n", name, n, cycles,
                instructions / 1e6, n * fastest / million, rate / 1e6, misses * rate / million,
                misses * fastest / million, peak / 1048576, (peak - simulated) / 1048576
        }'
}

programs='mm vecadd stencil gups gather'
for round in $(seq "$rounds"); do
    for p in $programs; do simulate "$results/$p.$round" "$(app_of "$p")"; done
done
echo "maxwell16, one program alone, median and best of $rounds runs"
printf '%-8s %12s %10s %9s %6s %9s %13s %6s %8s %11s\n' program 'warp instr' cycles 'M instr/s' \
    best 'M cycl/s' 'M L1 misses/s' best 'peak MB' 'besides MB'
row mm $((3 * 320 * 320 * 4))
row vecadd $((3 * 2097152 * 4))
row stencil $((2 * 512 * 64 * 16 * 4))
row gups $((4194304 * 8))
row gather $((8388608 * 4 + 2 * 1048576 * 4))
echo "besides MB: peak memory of the process without the simulated programs' own buffers"

started=$(date +%s.%N)
simulate "$results/window" mm gups --policy spatial --until window --cycles 2000000
ended=$(date +%s.%N)
echo
awk -v a="$started" -v b="$ended" 'BEGIN {
    printf "mm + gups, --policy spatial, window of 2,000,000 cycles: %.2f s\n", b - a }'
