#!/usr/bin/env bats
# The workload rate, and the rules of the execution units that the workload measures.
load common

# Whole cycles of a round of the workload rate: round APP GPU KEY=VALUE... With one half of L2 the
# first loads of all launches take the same time; in fewer than 16 rounds the first loads of some
# warps overlap with rounds of others.
round() {
    app=$1 gpu=$2
    shift 2
    "$CORUN" run "rate:blocks=1,rounds=16,$app" --gpu "$gpu" --until end --alone skip --quiet \
        --launches launches.csv --set map.halves=1 "${@/#/--set=}" >/dev/null || return 1
    awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) column[$k] = k }
             { last = now; now = $column["end_cycle"] - $column["start_cycle"] }
             END { print int((now - last) / 16) }' launches.csv
}

@test "rate: every instruction gives the results of the reference, with one chain and four" {
    corun run rate:op=
    refused "values of op: "
    ops=$(sed -n "s/.*values of op: //p" <<<"$stderr" | tr "|" " ")
    [ "$(wc -w <<<"$ops")" = 28 ]
    for chains in 1 4; do
        set -- $ops
        while [ $# -gt 0 ]; do
            apps=()
            for op in "${@:1:7}"; do
                apps+=("rate:op=$op,chains=$chains,warps=2,blocks=1,rounds=1,stride=3,where=lane")
            done
            shift "${#apps[@]}"
            corun run "${apps[@]}" --gpu h100 --until end --alone skip
            ended 0
            [ "$(grep -c '^rate.* yes ' <<<"$output")" = "${#apps[@]}" ]
        done
    done
}

@test "rate: words as values of a parameter; an unknown word is refused with the nearest word" {
    corun run rate:op=fmb
    refused "op has no value 'fmb'" "did you mean 'fma'?"
    corun run rate:where=lan,op=atomic_shared
    refused "where has no value 'lan'" "did you mean 'lane'?" "one|warp|lane|line"
    corun run rate:chains=2
    refused "values of chains: 1|4"
}

@test "sm.latencies=chain: a dependent instruction issues after the latency" {
    [ "$(round op=fma,warps=1 h100 sm.fp_mad_latency=20)" = 800 ]
    [ "$(round op=fma,warps=1 h100 sm.fp_mad_latency=20 sm.register_ports=1)" = 800 ]
    [ "$(round op=fma,warps=1 h100 sm.fp_mad_latency=20 sm.register_ports=4)" = 800 ]
    [ "$(round op=fma,warps=1 h100 sm.fp_mad_latency=20 sm.latencies=unit)" = 1000 ]
    corun run rate --gpu h100 --set sm.collector_order=class
    refused "sm.latencies" "collector_order=sub-core"
}

@test "tensor products: the setup counts once, further steps by sm.tensor_step_latency" {
    # 16 products, of one step and of two
    [ "$(round op=mma_f16_k8,warps=1 h100)" = $((16 * 17)) ]
    [ "$(round op=mma_f16_k16,warps=1 h100)" = $((16 * (17 + 2 * 350 / 100))) ]
    [ "$(round op=mma_f16_k16,warps=1 h100 sm.tensor_step_latency=100)" = $((16 * 19)) ]
    cycles=$(round op=mma_f16_k8,chains=4,warps=16 h100)
    [ "$cycles" -ge $((64 * 4)) ]
    [ "$cycles" -le $((64 * 4 + 8)) ]
    [ "$(round op=mma_f16_k16,chains=4,warps=16 h100)" = $((64 * 6)) ]
    [ "$(round op=mma_f16_k16,chains=4,warps=16 h100 sm.tensor_setup_cycles=6)" = $((64 * 10)) ]
}

@test "classes of 16-bit floats and of popc: own latency, or that of the rest of their class" {
    [ "$(round op=hfma2,warps=1 h100 sm.half_latency=20)" = 800 ]
    [ "$(round op=hfma2,warps=1 h100 sm.half_latency=0 sm.fp_mad_latency=30)" = 1200 ]
    [ "$(round op=popc,warps=1 h100 sm.count_latency=20)" = 800 ]
    [ "$(round op=popc,warps=1 h100 sm.count_latency=0 sm.other_latency=30)" -ge 1200 ]
    # popc then takes a special function unit for 8 cycles
    [ "$(round op=popc,chains=4,warps=32 h100)" = $((320 * 8)) ]
}

@test "sm.dp_on: without own units FP64 takes the units of SP or SFU" {
    shared="sm.dp_units=0 sm.dp_mad_initiation=16 sm.dp_mad_latency=16"
    [ "$(round op=dfma,chains=4,warps=4 h100 $shared sm.dp_on=sp)" = $((40 * 16)) ]
    [ "$(round op=dfma,chains=4,warps=4 h100 $shared sm.dp_on=sp sm.sp_units=8)" = $((40 * 8)) ]
    [ "$(round op=dfma,chains=4,warps=4 h100 $shared sm.dp_on=sfu sm.sp_units=8)" = $((40 * 16)) ]
    [ "$(round op=dfma,chains=4,warps=4 h100 $shared sm.dp_on=sfu sm.sfu_units=8)" = $((40 * 8)) ]
}
