#!/usr/bin/env bats
# Clocks read by programs (%globaltimer, %clock64, event times) and waits by these clocks, of timed
# and functional launches.
load common
load cuda

kernel() { # writes a module with a kernel k(u64 p), and an app file
    { printf '.version 8.0\n.target sm_90\n.address_size 64\n'
      printf '.visible .entry k(.param .u64 p) {\n.shared .align 8 .b8 s[64];\n'
      printf '.reg .b64 %%d<12>; .reg .b32 %%r<9>; .reg .pred %%p<3>;\n'
      printf 'ld.param.u64 %%d0, [p]; mov.u32 %%r0, %%ctaid.x; mov.u32 %%r1, %%tid.x;\n'
      printf '%s\nret; }\n' "$4"; } >"$1.ptx"
    { printf 'app: %s\nmodule: %s.ptx\nbuffers: {b: {type: u64, count: 4096}}\n' "$1" "$1"
      printf 'steps: [{kernel: k, grid: %s, block: %s, args: [$b], repeat: 1}]\n' "$2" "$3"
      printf 'dump: {b: %s.bin}\n' "$1"
    } >"$1.yaml"
}

# NAME EXPRESSION [ARGUMENT...]: runs app NAME; a Python expression over the buffer's words `b`
# holds.
words() {
    corun run "./$1.yaml" --alone skip --quiet --until end "${@:3}"
    ended 0
    python3 - "$1.bin" "$2" <<'END'
import struct, sys
b = struct.unpack('4096Q', open(sys.argv[1], 'rb').read())
assert eval(' '.join(sys.argv[2].split())), (sys.argv[2], b[:16])
END
}

@test "%globaltimer is the SM's cycle in ns, in one word or two, on every machine" {
    kernel tick 1 1 '
        mov.u64 %d1, %clock64; mov.u64 %d2, %globaltimer; mov.u32 %r2, %globaltimer_lo;
        mov.u32 %r3, %globaltimer_hi; mov.u64 %d3, %clock64; mov.u32 %r4, 0;
        again: add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 10000; @%p0 bra again;
        mov.u64 %d4, %globaltimer; cvt.u64.u32 %d5, %r2; cvt.u64.u32 %d6, %r3;
        st.global.u64 [%d0], %d1; st.global.u64 [%d0+8], %d2; st.global.u64 [%d0+16], %d3;
        st.global.u64 [%d0+24], %d4; st.global.u64 [%d0+32], %d5; st.global.u64 [%d0+40], %d6;'
    for mhz in 1365 700 1481.5 10500/3; do
        for how in --until --skip-kernels; do
            [ $how = --until ] && how="--until end" || how="--skip-kernels all"
            words tick "all(b[0] * 1000 // m <= b[1] <= b[4] <= b[2] * 1000 // m
                            and b[3] - b[1] > 10000 * 1000 // m and b[5] == 0
                            for m in [$mhz])" --set clock.sm_mhz=$mhz $how
        done
    done
}

@test "all SMs and blocks have one time" {
    kernel sms 64 64 '
        mov.u64 %d1, %clock64; mov.u64 %d2, %globaltimer; mov.u64 %d3, %clock64;
        mov.u32 %r2, %ntid.x; mad.lo.u32 %r2, %r0, %r2, %r1; rem.u32 %r3, %r1, 32;
        setp.ne.u32 %p0, %r3, 0; @%p0 ret; mad.wide.u32 %d4, %r2, 4, %d0;
        st.global.u64 [%d4], %d1; st.global.u64 [%d4+8], %d2; st.global.u64 [%d4+16], %d3;'
    for skip in 0 all; do
        words sms 'all(0 < x * 1000 // 1365 <= y <= z * 1000 // 1365
                       for x, y, z in (b[k:k + 3] for k in range(0, 2048, 16)))' \
            --gpu rtx2060 --skip-kernels $skip
    done
}

@test "kernels that wait by a clock end, and not before" {
    local until='sub.u64 %d3, %d2, %d1; setp.lt.u64 %p0, %d3, %d4; @%p0 bra again;'
    kernel ns 2 64 "mov.u64 %d1, %globaltimer; mov.u64 %d4, 5000;
        again: mov.u64 %d2, %globaltimer; $until st.global.u64 [%d0], %d3;"
    kernel cycles 1 32 "mov.u64 %d1, %clock64; mov.u64 %d4, 7000;
        again: mov.u64 %d2, %clock64; $until st.global.u64 [%d0], %d3;"
    # registers stay unchanged during the wait
    kernel coarse 1 1 "mov.u64 %d1, 0; mov.u64 %d4, 3;
        again: mov.u64 %d2, %globaltimer; shr.u64 %d2, %d2, 16; $until st.global.u64 [%d0], %d3;"
    kernel sleeps 1 64 "mov.u64 %d1, %globaltimer; mov.u64 %d4, 9000;
        again: nanosleep.u32 1000; mov.u64 %d2, %globaltimer; $until st.global.u64 [%d0], %d3;"
    # a warp with two paths, of which only the first waits
    kernel halves 1 32 "mov.u64 %d1, %globaltimer; mov.u64 %d4, 5000; setp.lt.u32 %p1, %r1, 16;
        @%p1 bra done; again: mov.u64 %d2, %globaltimer; $until st.global.u64 [%d0], %d3; done:"
    for skip in 0 all; do
        words ns '5000 <= b[0] < 5100' --gpu rtx2060 --skip-kernels $skip
        words cycles '7000 <= b[0] < 7100' --gpu rtx2060 --skip-kernels $skip
        words coarse 'b[0] == 3' --gpu rtx2060 --skip-kernels $skip
        words sleeps '9000 <= b[0] < 10300' --gpu rtx2060 --skip-kernels $skip
        words halves '5000 <= b[0] < 5100' --gpu rtx2060 --skip-kernels $skip
    done
}

@test "warps sleep beside each other" {
    kernel beside 1 256 'mov.u64 %d1, %globaltimer; nanosleep.u32 20000;
        mov.u64 %d2, %globaltimer; sub.u64 %d3, %d2, %d1; mad.wide.u32 %d4, %r1, 8, %d0;
        st.global.u64 [%d4], %d3;'
    for skip in 0 all; do
        words beside 'all(20000 <= x < 21000 for x in b[:256])' --gpu rtx2060 --skip-kernels $skip
    done
}

@test "try_wait goes on with its phase, or gives up when its time is over" {
    local init='mov.u32 %r2, s; setp.ne.u32 %p0, %r1, 0; @%p0 bra made;
        mbarrier.init.shared.b64 [%r2], 64; made: bar.sync 0; mov.u64 %d1, %globaltimer;'
    local try='mbarrier.try_wait.parity.shared.b64 %p1, [%r2], 0, %r3;
        mov.u64 %d2, %globaltimer; sub.u64 %d3, %d2, %d1; selp.u32 %r4, 1, 0, %p1;
        cvt.u64.u32 %d5, %r4; mad.wide.u32 %d4, %r1, 16, %d0; st.global.u64 [%d4], %d3;
        st.global.u64 [%d4+8], %d5;'
    kernel gives_up 1 64 "$init mov.u32 %r3, 30000; setp.lt.u32 %p2, %r1, 32;
        @%p2 mbarrier.arrive.shared.b64 %d6, [%r2]; $try"
    # the second warp arrives 4000 ns later
    kernel goes_on 1 64 "$init mov.u32 %r3, 30000; setp.lt.u32 %p2, %r1, 32; @%p2 bra arrives;
        nanosleep.u32 4000; arrives: mbarrier.arrive.shared.b64 %d6, [%r2]; $try"
    for skip in 0 all; do
        words gives_up 'all(30000 <= b[2 * t] < 31000 and b[2 * t + 1] == 0 for t in range(64))' \
            --gpu rtx2060 --skip-kernels $skip
        words goes_on 'all(4000 <= b[2 * t] < 4500 and b[2 * t + 1] == 1 for t in range(64))' \
            --gpu rtx2060 --skip-kernels $skip
    done
}

@test "time goes on from launch to launch, and is not in the cycles of the result" {
    kernel turns 1 1 'ld.global.u64 %d1, [%d0]; add.u64 %d2, %d1, 1; st.global.u64 [%d0], %d2;
        mad.lo.u64 %d3, %d1, 16, %d0; mov.u64 %d4, %globaltimer; mov.u64 %d5, %clock64;
        st.global.u64 [%d3+8], %d4; st.global.u64 [%d3+16], %d5;'
    sed -i 's/repeat: 1/repeat: 6/' turns.yaml
    local up='b[0] == 6 and all(b[k] < b[k + 2] for k in range(1, 11))'
    words turns "$up and b[11] > b[1] + 500" --gpu rtx2060
    words turns "$up and all(b[k + 2] - b[k] == 1000 for k in (1, 3, 5, 7, 9))
                 and all(b[k + 2] - b[k] == 1365 for k in (2, 4, 6, 8, 10))" \
        --gpu rtx2060 --skip-kernels all
    words turns "$up and b[3] - b[1] in (50, 51)" --gpu rtx2060 --kernels 3-4 \
        --set host.functional_ns=50
    corun run ./turns.yaml --gpu rtx2060 --alone skip --json - --until end --kernels 3-4
    holds "d['apps'][0]['functional_ns'] == 4000 and d['apps'][0]['functional_launches'] == 4"
    cycles=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["cycles"])' <<<"$output")
    corun run ./turns.yaml --gpu rtx2060 --alone skip --json - --until end --kernels 3-4 \
        --set host.functional_ns=1000000
    holds "d['cycles'] == $cycles and d['apps'][0]['functional_ns'] == 4000000"
}

# bats test_tags=long
@test "event times of launches that run functionally are nominal" {
    local clocks="cuda --quiet --gpu rtx2060"
    corun $clocks --skip-kernels all "$(program clocks)" launches 3
    ended 0
    [ "$output" = $'3000\nall right' ]
    corun $clocks --skip-kernels all --set host.functional_ns=250 "$(program clocks)" launches 8
    [ "$output" = $'2000\nall right' ]
    corun $clocks --skip-kernels all --set host.functional_ns=333 "$(program clocks)" launches 100
    [ "$output" = $'33300\nall right' ]
    corun $clocks --skip-kernels all "$(program clocks)" double
    [ "$output" = $'32\nall right' ]
    corun $clocks --skip-kernels all "$(program clocks)" wait 50000
    ended 0
    shows 'all right'
    corun cuda --gpu rtx2060 --skip-kernels all "$(program clocks)" launches 3
    shows '3 of 3 launches ran functionally, in no simulated time' \
        'clocks counted 3000 ns'
    for how in "" "--skip-kernels all" "--kernels 3-5" "--skip-kernels 4"; do
        corun $clocks $how "$(program clocks)" order
        ended 0
        [ "$output" = 'all right' ]
    done
}

@test "a timed launch has its own time, whatever runs functionally beside it" {
    corun cuda --quiet --gpu rtx2060 --kernels 1-1 "$(program clocks)" overlap
    one=$output
    corun cuda --quiet --gpu rtx2060 --kernels 1-1 --set host.functional_ns=100000000 \
        "$(program clocks)" overlap
    ended 0
    [ "$output" = "$one" ]
    # another program's launches do not enter a program's clock, and have times by the other's clock
    corun run "cuda:$(program clocks) launches 5" "cuda:$(program clocks) launches 2" \
        --gpu rtx2060 --alone skip --quiet --until end --skip-kernels all --json -
    holds "[a['functional_ns'] for a in d['apps']] == [5000, 2000] and d['cycles'] == 0"
}
