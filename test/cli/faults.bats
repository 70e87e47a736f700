#!/usr/bin/env bats
# Errors of the simulated program are results: exit status 1, with the error's place.
load common

@test "an access out of bounds names who, where and the nearest buffer" {
    sed -i 's/args: \[1000,/args: [1001,/' scale.yaml
    corun run ./scale.yaml --alone skip
    ended 1
    says out-of-bounds scale.ptx:33 "lane 8" x
    corun run ./scale.yaml --alone skip --json -
    ended 1
    holds "d['status'] == 'fault'"
    holds "[d['fault'][k] for k in 'app kernel warp lane line'.split()] ==
        ['scale', 'scale', 7, 8, 33]"
    holds "d['fault']['block'] in (3, [3, 0, 0])"
    holds "d['apps'][0]['checked'] is None"
    [ ! -e y.bin ]
}

@test "a misaligned access" {
    sed -i 's/\[%rd6\]/[%rd6+2]/' scale.ptx
    corun run ./scale.yaml --alone skip
    ended 1
    says misaligned scale.ptx:33
}

@test "a null pointer" {
    sed -i 's/\$x, \$y\]/0, $y]/' scale.yaml
    corun run ./scale.yaml --alone skip
    if [ "$status" = 2 ]; then # a pointer is given as $buffer; then the kernel makes the null
        cp "$HERE/scale.yaml" .
        sed -i 's/ld.global.f32 %f2, \[%rd6\]/mov.u64 %rd6, 0; ld.global.f32 %f2, [%rd6]/' scale.ptx
        corun run ./scale.yaml --alone skip
    fi
    ended 1
    says scale.ptx:33
}

@test "a trap" {
    sed -i 's/^\tret;/\ttrap;/' scale.ptx
    corun run ./scale.yaml --alone skip
    ended 1
    says trap scale.ptx:37
}

@test "recursion without an end names the limit" {
    sed -i 's/^.visible .entry/.func deeper() { call deeper; ret; } &/' scale.ptx
    sed -i 's/^\tret;/\tcall deeper; ret;/' scale.ptx
    corun run ./scale.yaml --alone skip --json -
    ended 1
    says scale.ptx:6 'call stack overflow: more than 1024 calls deep'
    holds "d['fault']['detail'] == 'more than 1024 calls deep'"
}

@test "the halves of a block at two barriers are a deadlock" {
    sed -i '/^\tret;/i setp.lt.u32 %p1, %r4, 128; @%p1 bra $low; bar.sync 1; bra $end;' scale.ptx
    sed -i 's/^\tret;/$low:\n\tbar.sync 2;\n$end:\n\tret;/' scale.ptx
    corun run ./scale.yaml --alone skip --json -
    ended 1
    holds "d['status'] == 'deadlock'"
    line=$(grep -n 'bar.sync 2' scale.ptx | cut -d: -f1)
    says "scale.ptx:$line: deadlock:" "app scale, kernel scale, block 0, warp 0, lane 0 (on SM 0)" \
        "warp 0 waits at barrier 2, where 4 of 8 warps have arrived"
    holds "[d['fault'][k] for k in 'app kernel block warp lane line'.split()] ==
        ['scale', 'scale', 0, 0, 0, $line]"
    holds "d['fault']['detail'] == 'warp 0 waits at barrier 2, where 4 of 8 warps have arrived'"
    holds "d['fault']['address'] is None"
}

@test "a deadlock before any block" {
    corun run vecadd:size=test --policy "$HERE/../policy/bad/silent.c" --alone skip --json -
    ended 1
    says "kernels have not ended: no block is on an SM" "app vecadd, kernel vecadd, cycle 1"
    holds "d['status'] == 'deadlock'"
    holds "all(d['fault'][k] is None for k in 'block sm warp lane file line address'.split())"
}

@test "an access out of bounds of another space says how large that is" {
    wrong() { # INSTRUCTIONS TEXT
        cp "$HERE/scale.ptx" .
        sed -i "s/^\tret;/\t.shared .b8 s[64]; .local .b8 l[64]; $1 ret;/" scale.ptx
        corun run ./scale.yaml --alone skip
        ended 1
        says "$2"
    }
    wrong 'st.shared.u32 [s+64], %r1;' 'the shared memory of the block is 64 bytes'
    wrong 'st.local.u32 [l+64], %r1;' 'the local memory of the thread is 64 bytes'
    wrong 'ld.param.u32 %r1, [scale_x+2000];' 'the parameters of the kernel are '
    cp "$HERE/scale.ptx" .
    sed -i 's/^\.visible/.const .align 8 .b8 c[8];\n&/' scale.ptx
    sed -i 's/^\tret;/\tld.const.u32 %r1, [c+8];\n&/' scale.ptx
    corun run ./scale.yaml --alone skip
    ended 1
    says 'nearest allocation: c at 0x30000000, 8 bytes; the address is 0 past the end'
}

@test "an endless loop meets the cycle limit" {
    sed -i 's/^\tret;/\tbra $done;/' scale.ptx
    corun run ./scale.yaml --alone skip --cycles 100000 --json -
    ended 1
    holds "d['status'] == 'cycle-limit' and d['cycles'] == 100000"
}

@test "a fault in one app ends the run, and the other's numbers are still there" {
    sed -i 's/args: \[1000,/args: [1001,/' scale.yaml
    corun run ./scale.yaml vecadd:size=test --alone skip --json -
    ended 1
    holds "d['status'] == 'fault' and d['fault']['app'] == 'scale' and len(d['apps']) == 2"
}

# bats test_tags=long
@test "abnormal ends are the same with skipping on and off" {
    sed 's/^\tret;/\ttrap;/' scale.ptx > trap.ptx
    sed 's/scale.ptx/trap.ptx/; s/^dump.*//' scale.yaml > trap.yaml
    sed -i '/^\tret;/i setp.lt.u32 %p1, %r4, 128; @%p1 bra $low; bar.sync 1; bra $end;' scale.ptx
    sed -i 's/^\tret;/$low:\n\tbar.sync 2;\n$end:\n\tret;/' scale.ptx
    for apps in './trap.yaml mm:size=test' ./scale.yaml './scale.yaml mm:size=test'; do
        for skip in on off; do
            corun run $apps --alone skip --skip $skip --cycles 100000 --quiet \
                --set clock.dram_mhz=3500.5 --json $skip.json
            ended 1
        done
        python3 "$HERE/same.py" on.json off.json
    done
    python3 - <<'END'
import json
d = json.load(open('on.json'))
s = d['stats']
parts = [s['stall.' + c] for c in ('raw', 'idle', 'memory', 'compute')]
assert abs(s['sched.utilization'] + sum(parts) - 1) < 1e-9
END
}

# bats test_tags=long
@test "out of memory says how much was wanted for what" {
    small() { (ulimit -v "$1"; shift; exec "$CORUN" "$@" 2>err.txt); }
    small 90000 --version >out.txt || skip "this build needs more memory than that"
    for kib in 30000 40000 60000 90000 140000 200000; do
        status=0
        small $kib run mm:n=2048 vecadd:n=100000000 --alone skip --cycles 2 --quiet || status=$?
        grep -q 'internal check' err.txt && { cat err.txt; false; }
        [ "$status" -le 2 ] || { echo "$kib KiB: exit status $status"; cat err.txt; false; }
        if [ "$status" = 2 ]; then
            grep -Eq 'wanted for|more than' err.txt || { cat err.txt; false; }
            some=1
        fi
    done
    [ "$some" = 1 ]
}

@test "a sweep of more points than there is memory for says how many" {
    {
        echo 'sweep: many'
        echo 'apps: [[vecadd:size=test]]'
        echo 'policies: [leftover]'
        echo 'alone: skip'
        echo "rules: [$(seq -s, -f '{until: window, cycles: %.0f}' 1 900)]"
        echo "seeds: [$(seq -s, 1 1000)]"
    } >many.yaml
    status=0
    (ulimit -v 90000; "$CORUN" --version) >out.txt 2>&1 ||
        skip "this build needs more memory than that"
    (ulimit -v 90000; "$CORUN" sweep many.yaml -o s.db 2>err.txt) || status=$?
    [ "$status" = 2 ]
    grep -q 'many.yaml has 900000 points: no memory for them' err.txt || { cat err.txt; false; }
}

@test "control characters of a name do not reach the terminal" {
    name=$(printf 'a\033[31m\007b.yaml')
    corun run "./$name"
    refused 'a?[31m?b.yaml'
    [[ $stderr != *$'\033'* && $stderr != *$'\a'* ]]
    name=$(printf 'b\302\233c\233d\tü.yaml')
    corun run "./$name"
    refused "$(printf 'b??c?d\tü.yaml')"
}

on_terminal() { # prints the command's output on a terminal
    python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$CORUN" "$@" </dev/null
}

@test "nor in a table" {
    name=$(printf 'g\033[31m.yaml')
    printf 'base: maxwell16\nsm: {count: 8}\n' >"$name"
    printf '%s\n' 'apps: vecadd:size=test' 'policies: leftover' \
        'rules: {until: window, cycles: 500}' >s.yaml
    for command in "run vecadd:size=test --cycles 500 --gpu ./$name" "sweep s.yaml -o $name.db" \
        "sweep s.yaml -o $name.db --verify" "diff maxwell16 ./$name"; do
        said=$(on_terminal $command)
        [[ $said == *'g?[31m.yaml'* && $said != *'g'$'\033'* ]]
    done
    [[ $("$CORUN" sweep s.yaml -o "$name.db") == *"$name.db"* ]] # a file gets the output
}

@test "an access that a GPU lets pass: the message names memory.bounds=page, no other does" {
    page='--set memory.bounds=page reports a warning instead of an error'
    sed -i 's/^  y: .*/  y: {type: f32, count: 999}/' scale.yaml
    corun run ./scale.yaml --alone skip
    ended 1
    says 'y at 0x' '3996 bytes; the address is 0 past the end' "$page"
    corun run ./scale.yaml --alone skip --set memory.bounds=page --json -
    ended 0
    holds "d['status'] == 'completed' and len(d['warnings']) == 1"
    corun run ./scale.yaml --alone skip --set memory.granule_bytes=4096
    says "$page"
    cp "$HERE/scale.yaml" .
    sed -i 's/\$y/4503599627370496/' scale.yaml # far from every buffer
    corun run ./scale.yaml --alone skip
    ended 1
    says out-of-bounds 'past the end'
    [[ $stderr != *memory.bounds* ]]
    cp "$HERE/scale.yaml" .
    sed -i 's/\$y/$y+2/' scale.yaml
    corun run ./scale.yaml --alone skip
    ended 1
    says misaligned
    [[ $stderr != *memory.bounds* ]]
}

@test "beside constants: memory.bounds=page lets a load pass within their bank, a store never" {
    local page='--set memory.bounds=page reports a warning instead of an error'
    table() { # an access of 8 bytes at OFFSET behind the start of a table
        printf '%s\n' '.version 7.0' '.target sm_70' '.address_size 64' \
            '.const .align 8 .b64 table[4] = {11, 12, 13, 14};' \
            '.visible .entry k(.param .u64 o) { .reg .b64 %d<4>;' \
            'ld.param.u64 %d0, [o]; mov.u64 %d1, table; cvta.const.u64 %d2, %d1;' \
            "$1" 'st.global.u64 [%d0], %d3; ret; }' >table.ptx
        printf '%s\n' 'app: table' 'module: table.ptx' 'buffers: {o: {type: u64, count: 1}}' \
            'launches: [{kernel: k, grid: 1, block: 1, args: [$o]}]' 'dump: {o: o.bin}' >table.yaml
        corun run ./table.yaml --alone skip --json - "${@:2}"
    }
    value() { python3 -c 'import struct; print(*struct.unpack("<Q", open("o.bin", "rb").read()))'; }
    table 'ld.const.u64 %d3, [%d1+24];'
    ended 0
    [ "$(value)" = 14 ]
    for load in 'ld.const.u64 %d3, [%d1+32];' 'ld.u64 %d3, [%d2+65528];'; do
        rm o.bin
        table "$load"
        ended 1
        says 'out-of-bounds' 'load' "$page"
        table "$load" --set memory.bounds=page
        ended 0
        holds "'load behind' in str(d['warnings'])
           and 'the load returns zeroes' in str(d['warnings'])"
        [ "$(value)" = 0 ]
    done
    table 'ld.const.u64 %d3, [%d1+65536];' --set memory.bounds=page # another bank
    ended 1
    says 'out-of-bounds constant load'
    table 'st.u64 [%d2+32], %d1;' --set memory.bounds=page
    ended 1
    says 'out-of-bounds constant store'
    table 'st.u64 [%d2+32], %d1;'
    ended 1
    [[ $stderr != *memory.bounds* ]]
}
