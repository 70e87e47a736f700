#!/usr/bin/env bats
# --energy: sums are exact, energies follow from counts and time, and nothing else changes.
load common

pair=(mm:size=test bfs:size=test --until window --cycles 20000 --alone skip)

# Options that set every energy and power to 0, and those named to 1: pJ are then counts.
ones() {
    local key
    set=()
    for key in $(corun_keys); do set+=(--set "$key=0"); done
    for key in "$@"; do set+=(--set "energy.$key=1"); done
}

corun_keys() { "$CORUN" list options | grep -o '^energy\.[a-z0-9_]*'; }
events() { corun_keys | sed 's/^energy\.//' | grep -v '^sm_\|^constant$'; }

@test "energies of a small kernel are those counted by hand" {
    # shellcheck disable=SC2046
    ones $(events)
    corun run ./scale.yaml --alone skip --energy "${set[@]}" --json 1.json
    ended 0
    python3 "$HERE/energy.py" scale 1.json
    ones register_write int_mul l1_write_miss
    corun run ./scale.yaml --alone skip --energy "${set[@]}" --json 2.json
    ended 0
    python3 "$HERE/energy.py" some 2.json
    corun run ./scale.yaml --alone skip --energy --json 3.json
    ended 0
    python3 "$HERE/energy.py" values 3.json
}

@test "an asynchronous copy reads L1" {
    cat >copy.ptx <<'END'
.version 7.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 in)
{
    .reg .b32 %r<4>;
    .reg .b64 %d<4>;
    .shared .align 16 .b8 tile[512];
    ld.param.u64 %d1, [in];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d1, %d2;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, tile;
    add.s32 %r2, %r2, %r3;
    cp.async.ca.shared.global [%r2], [%d3], 4;
    cp.async.wait_all;
    ret;
}
END
    printf '%s\n' 'app: copy' 'module: copy.ptx' 'buffers: {in: {type: f32, count: 128}}' \
        'launches: [{kernel: copy, grid: 1, block: 128, args: [$in]}]' >copy.yaml
    for event in l1_read_miss l1_write_miss; do
        ones $event
        corun run ./copy.yaml --alone skip --energy "${set[@]}" --json -
        ended 0
        holds "d['apps'][0]['energy']['l1_pj'] == 16 * ('$event' == 'l1_read_miss')"
    done
}

@test "each class of arithmetic has its energy" {
    cat >classes.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry classes()
{
    .reg .b32 %r<9>;
    .reg .f32 %f<9>;
    .reg .f64 %d<9>;
    max.s32 %r1, %r2, %r3;
    and.b32 %r1, %r2, %r3;
    mul.lo.s32 %r1, %r2, %r3;
    mad.lo.s32 %r1, %r2, %r3, %r4;
    mad.lo.s32 %r1, %r2, %r3, %r4;
    div.s32 %r1, %r2, 7;
    add.f32 %f1, %f2, %f3;
    fma.rn.f32 %f1, %f2, %f3, %f4;
    mul.f32 %f1, %f2, %f3;
    div.rn.f32 %f1, %f2, %f3;
    add.f64 %d1, %d2, %d3;
    add.f64 %d1, %d2, %d3;
    fma.rn.f64 %d1, %d2, %d3, %d4;
    div.rn.f64 %d1, %d2, %d3;
    sqrt.approx.f32 %f1, %f2;
    sin.approx.f32 %f1, %f2;
    ret;
}
END
    printf '%s\n' 'app: classes' 'module: classes.ptx' 'launches:' \
        '  - {kernel: classes, grid: [1, 1, 1], block: [32, 1, 1], args: []}' >classes.yaml
    ones
    for kind in int fp fp64; do
        set+=(--set "energy.${kind}_add=1" --set "energy.${kind}_mul=1000"
            --set "energy.${kind}_div=1000000")
    done
    corun run ./classes.yaml --alone skip --energy "${set[@]}" --set energy.special=1 --json c.json
    ended 0
    python3 "$HERE/energy.py" classes c.json
}

@test "a product of matrices has the energy of its steps" {
    cat >steps.ptx <<'END'
.version 7.0
.target sm_75
.address_size 64
.visible .entry steps()
{
    .reg .b32 %r<9>;
    .reg .f32 %f<9>;
    mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
        {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4};
    wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32
        {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8},
        {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};
    ret;
}
END
    printf '%s\n' 'app: steps' 'module: steps.ptx' 'launches:' \
        '  - {kernel: steps, grid: [2, 1, 1], block: [64, 1, 1], args: []}' >steps.yaml
    corun run ./steps.yaml --gpu turing --alone skip --energy --set energy.tensor_step=1000 \
        --json s.json
    ended 0
    grep -q '"tensor_pj": 20000,' s.json # four warps; 1, 2 and 2 steps of 1024 products
}

@test "sums are exact, and follow from the counters, on all machines" {
    for gpu in maxwell16 rtx2060 gtx980; do
        for policy in leftover spatial smk-p; do
            # shellcheck disable=SC2046
            ones $(events)
            corun run "${pair[@]}" --gpu $gpu --policy $policy --energy "${set[@]}" --json n.json
            ended 0
            python3 "$HERE/energy.py" counts n.json
        done
        corun run "${pair[@]}" --gpu $gpu --policy smk-even --energy --json e.json --csv e.csv
        ended 0
        python3 "$HERE/energy.py" whole e.json e.csv
    done
}

@test "an app by itself has all SM cycles with blocks" {
    corun run mm:size=test --alone skip --energy --json m.json
    ended 0
    python3 "$HERE/energy.py" single m.json
}

@test "--energy changes nothing else; off, nothing shows of it" {
    corun run "${pair[@]}" --json off.json --csv off.csv
    ended 0
    [[ $output != *energy* && $output != *mJ* ]]
    printf '%s\n' "$output" >off
    corun run "${pair[@]}" --energy --json on.json --csv on.csv
    ended 0
    printf '%s\n' "$output" >on
    python3 "$HERE/energy.py" off on.json off.json
    cmp off.csv <(grep -v ',energy\.' on.csv)
    diff <(grep -v '^simulated' off) <(grep -v '^simulated' on) >gone || true
    ! grep '^<' gone
}

@test "the same bits with any number of threads, and without skipping" {
    for way in "--threads 1" "--threads 2" "--skip off"; do
        # shellcheck disable=SC2086
        corun run "${pair[@]}" --policy smk-p --energy $way --csv - --quiet
        ended 0
        printf '%s\n' "$output" >"now"
        [ -e first ] || cp now first
        cmp first now
    done
}

@test "tables of run and compare" {
    corun run "${pair[@]}" --energy --json r.json
    ended 0
    shows "energy in mJ"
    shows "unattributed"
    shows "for comparisons on one machine"
    printf '%s\n' "$output" >t
    python3 "$HERE/energy.py" table r.json t
    corun compare mm:size=test bfs:size=test --policies leftover,spatial --until window \
        --cycles 20000 --energy --json c.json
    ended 0
    shows "energy (mJ)"
    printf '%s\n' "$output" >t
    python3 "$HERE/energy.py" compared c.json t
}

@test "wrong input" {
    corun run mm --energy --set energy.dram_reed=3
    refused "unknown option 'energy.dram_reed'"
    says "energy.dram_read"
    corun run mm --energy --set energy.dram_read=-3
    refused "energy.dram_read"
    corun profile mm --energy
    refused "--energy"
    printf '%s\n' 'machine: bare' 'sm:' '  count: 2' >bare.yaml
    corun run mm:size=test --gpu ./bare.yaml --energy
    refused "--energy: the machine ./bare.yaml gives no energies"
    printf '%s\n' 'machine: own' 'base: maxwell16' 'energy:' '  sfu: 3' >own.yaml
    corun run mm:size=test --gpu ./own.yaml --energy
    refused "unknown option 'energy.sfu'"
}

@test "values of a machine file and --set are used, with their origin" {
    printf '%s\n' 'machine: own' 'base: maxwell16' 'energy:' \
        '  dram_read: {value: 5.5, source: "a guess"}' >own.yaml
    corun run mm:size=test --gpu ./own.yaml --energy --set energy.constant=0 --alone skip \
        --json o.json
    ended 0
    python3 "$HERE/energy.py" origin o.json
    corun show gpu ./own.yaml
    shows "a guess"
    corun diff maxwell16 ./own.yaml
    shows "dram_read"
}
