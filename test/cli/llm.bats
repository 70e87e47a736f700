# Programs of language models, on h100: products on tensor units, and a layer.

load common

# cycles_of APP [OPTION]...: cycles of a run on h100 whose answer is right.
cycles_of() {
    corun run "$@" --gpu h100 --until end --alone skip --set launch.latency_ns=0 --quiet \
        --json -
    [ "$status" -eq 0 ]
    shows '"checked": true'
    cycles=$(sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' <<<"$output")
    [ "$cycles" -gt 0 ]
}

@test "gemm-wgmma: 128 x 256 x 64 products take 1024 cycles, at most 3 % more" {
    cycles_of gemm-wgmma:m=1,n=1,k=2
    short=$cycles
    cycles_of gemm-wgmma:m=1,n=1,k=6
    [ $((cycles - short)) -ge $((8 * 1000)) ]
    [ $((cycles - short)) -le $((8 * 1055)) ]
}

@test "gemm-wgmma: products of e4m3 take half of the time of bf16" {
    cycles_of gemm-wgmma:type=e4m3,m=1,n=1,k=6 # the first products wait for DRAM
    short=$cycles
    cycles_of gemm-wgmma:type=e4m3,m=1,n=1,k=10
    [ $((cycles - short)) -ge $((4 * 1000)) ]
    [ $((cycles - short)) -le $((4 * 1055)) ]
}

@test "h100: reads of a line by many blocks merge in L2" {
    cycles_of gemm-wgmma:m=1,n=16,k=4
    local merged=$cycles
    cycles_of gemm-wgmma:m=1,n=16,k=4 --set l2.merges=4
    [ $((merged * 100)) -lt $((cycles * 95)) ]
}

@test "gemm-tensor: products of f16, bf16 and e4m3, with narrow and wide stages" {
    local type stages
    for type in f16 bf16 e4m3; do
        for stages in narrow wide; do
            cycles_of gemm-tensor:size=test,m=1,type=$type,stages=$stages
        done
    done
}

@test "gemm-tensor: nine tenths of the rate of mma with wide stages" {
    cycles_of gemm-tensor:m=1,n=1,k=2,stages=wide
    local short=$cycles
    cycles_of gemm-tensor:m=1,n=1,k=6,stages=wide
    # 16 steps of 32 columns: in a sub-core 2 warps with 64 products of 6 cycles each
    [ $((cycles - short)) -ge $((16 * 768)) ]
    [ $((cycles - short)) -le $((16 * 768 * 10 / 9)) ]
}

@test "gemm-wgmma is refused by a machine without wgmma" {
    corun run gemm-wgmma:size=test --gpu a100
    [ "$status" -eq 2 ]
    says "sm.wgmma_latency is 0"
}

@test "llm-layer: prefill and decode, with all types of weights, norms and experts" {
    local app
    for app in phase=prefill,batch=2 phase=decode,batch=3 phase=decode,weights=int8 \
        phase=decode,weights=e4m3,norm=layer phase=prefill,experts=4,length=70 \
        phase=decode,experts=3,batch=8 phase=prefill,heads=1,length=1; do
        cycles_of "llm-layer:size=test,$app"
    done
}

@test "llm-layer: experts of rows that fill no whole tile of the product" {
    local app
    for app in heads=3,experts=2 heads=1,experts=2 heads=3,experts=4,length=5 \
        phase=decode,experts=4,heads=1,length=2,weights=int8; do
        corun run "llm-layer:size=test,$app" --gpu h100 --skip-kernels all --alone skip --quiet \
            --json -
        ended 0
        shows '"checked": true'
    done
}

@test "llm-layer: a single expert is refused, as each token takes two" {
    corun run llm-layer:size=test,experts=1 --gpu h100
    refused "experts: each token takes two experts: give 2 to 16, or 0"
    pointed llm-layer:size=test,experts=1 21
}

@test "llm-layer: weights of 8 bits are refused in prefill" {
    corun run llm-layer:size=test,weights=int8 --gpu h100
    refused "weights: all weights of prefill are bf16: give phase=decode, too"
    pointed llm-layer:size=test,weights=int8 21
}

@test "llm-layer: each step alone" {
    local part
    for part in embed norm qkv rope attention out up swiglu down experts logits sample softmax \
        all-reduce; do
        cycles_of "llm-layer:size=test,part=$part"
        cycles_of "llm-layer:size=test,phase=decode,part=$part"
    done
}

@test "llm-layer: weights of 8 bits take less time than bf16 where DRAM limits" {
    cycles_of llm-layer:phase=decode,part=up,heads=8
    local wide=$cycles
    for type in int8 e4m3; do
        cycles_of llm-layer:phase=decode,part=up,heads=8,weights=$type
        [ $((cycles * 100)) -lt $((wide * 80)) ]
    done
}

@test "llm-layer: steps without tensor units run on maxwell16" {
    corun run llm-layer:size=test,phase=decode --gpu maxwell16 --until end --alone skip --quiet \
        --json -
    [ "$status" -eq 0 ]
    shows '"checked": true'
    corun run llm-layer:size=test --gpu maxwell16 --until end --alone skip
    [ "$status" -eq 2 ]
    says "sm.tensor_units is 0"
}
