#!/bin/sh
# How fast the simulator is: bench.sh CORUN [ROUNDS]. `make bench` calls this.
# Programs alone on maxwell16, then what some of its rules cost, what mechanisms of sharing and more
# blocks than seats cost, and the 2,000,000-cycle window of mm and gups. A round runs all of a
# table once, so that a slow minute of the host falls on all alike. Rates are over the time inside
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

# ---- programs ----

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

# ---- rules ----

# machine NUMBER: options that leave out the first so many of four rules; rule: the last of them
rule() {
    case $1 in
        0) echo 'all rules of maxwell16' ;;
        1) echo '- a line is one DRAM command, not four' ;;
        2) echo '- DRAM has no clock of its own' ;;
        3) echo '- no operand collector' ;;
        4) echo '- a crossbar input sends one packet, not two' ;;
    esac
}
machine() {
    [ "$1" -lt 1 ] || echo --set dram.atom_bytes=128
    [ "$1" -lt 2 ] || echo --set clock.dram_mhz=1400
    [ "$1" -lt 3 ] || echo --set sm.collector=none
    [ "$1" -lt 4 ] || echo --set xbar.input_speedup=1
}

# unit PROGRAM: what its host time is counted for
unit() {
    if [ "$1" = mm ]; then echo 'inst\.warp'; else echo 'l1\.misses'; fi
}

# time_of PROGRAM MACHINE: nanoseconds of host time a unit, a line each round
time_of() {
    for r in "$results/$1-$2".*; do
        awk -v n="$(number "$(unit "$1")" "$r")" -v seconds="$(number wall_seconds "$r")" \
            'BEGIN { printf "%.1f\n", seconds / n * 1e9 }'
    done
}

# share PROGRAM MACHINE: of the time with all rules in the same round
share() {
    time_of "$1" 0 >"$results/all-rules"
    time_of "$1" "$2" | paste - "$results/all-rules" | awk '{ print $1 / $2 }' | median
}

for round in $(seq "$rounds"); do
    for m in 0 1 2 3 4; do
        for p in mm gups gather; do
            cycles=$([ $p = mm ] && echo 100000 || echo 500000)
            # shellcheck disable=SC2046 # several options or none
            simulate "$results/$p-$m.$round" "$(app_of $p)" --until window --cycles "$cycles" \
                $(machine $m)
        done
    done
done
echo
echo 'one rule after the other left out: ns of host time a warp instruction (mm) or L1 miss, share'
printf '%-44s %14s %14s %14s\n' '' mm gups gather
for m in 0 1 2 3 4; do
    printf '%-44s' "$(rule $m)"
    for p in mm gups gather; do
        printf ' %8.0f %5.2f' "$(time_of $p $m | median)" "$(share $p $m)"
    done
    echo
done

# ---- mechanisms ----

# One that costs host time makes other instructions issue too, so time is for a warp instruction.
mechanisms='kernel-lrr rbmi qbmi smil[limits=8/8] dmil l1-ucp l1-mshr-split l2-ways rr-frfcfs its
kernel-lrr+qbmi+dmil kernel-lrr+qbmi+dmil+l1-ucp+l2-ways+its'

# shared NAME ROUND POLICY
shared() {
    simulate "$results/with-$1.$2" clone000-bp clone000-sv --policy "$3" --until window \
        --cycles 100000
}
# cost NAME: ns of host time a warp instruction, a line each round
cost() {
    for r in "$results/with-$1".*; do
        awk -v n="$(number 'inst\.warp' "$r")" -v seconds="$(number wall_seconds "$r")" \
            'BEGIN { printf "%.1f\n", seconds / n * 1e9 }'
    done
}
# compared NAME LABEL
compared() {
    cost "$1" | paste - "$results/cost-none" | awk '{ print $1 / $2 }' >"$results/compared"
    printf '%-48s %8.0f %6.2f\n' "$2" "$(cost "$1" | median)" "$(median <"$results/compared")"
}

for round in $(seq "$rounds"); do
    shared none "$round" smk-p
    n=0
    for m in $mechanisms; do
        n=$((n + 1))
        shared $n "$round" "smk-p+$m"
    done
done
cost none >"$results/cost-none"
echo
echo 'stand-ins of bp and sv under smk-p: ns of host time a warp instruction, share of that without'
compared none smk-p
n=0
for m in $mechanisms; do
    n=$((n + 1))
    compared $n "+ $m"
done

# ---- more blocks than seats ----

# Where they have others run, fewer cycles are idle; time is for a warp instruction.
extended='mm backprop fdtd spmv-jds'
residency='leftover virtual-thread gpuduet gpuduet[me=8] gpuduet[me=8,levels=tb]'
for round in $(seq "$rounds"); do
    for p in $extended; do
        for m in $residency; do
            "$corun" run "$p" --gpu maxwell16-duet --policy "$m" --until window --cycles 50000 \
                --alone skip --progress none --quiet --json "$results/with-$p-$m.$round" >/dev/null
        done
    done
done
echo
echo 'alone on maxwell16-duet: ns of host time a warp instruction, share of that under leftover'
printf '%-26s' ''
for p in $extended; do printf ' %14s' "$p"; done
echo
for m in $residency; do
    printf '%-26s' "$m"
    for p in $extended; do
        cost "$p-leftover" >"$results/cost-leftover"
        cost "$p-$m" | paste - "$results/cost-leftover" | awk '{ print $1 / $2 }' \
            >"$results/compared"
        printf ' %8.0f %5.2f' "$(cost "$p-$m" | median)" "$(median <"$results/compared")"
    done
    echo
done

# ---- two programs ----

started=$(date +%s.%N)
simulate "$results/window" mm gups --policy spatial --until window --cycles 2000000
ended=$(date +%s.%N)
echo
awk -v a="$started" -v b="$ended" 'BEGIN {
    printf "mm + gups, --policy spatial, window of 2,000,000 cycles: %.2f s\n", b - a }'
