#!/usr/bin/env bats
# CUDA programs as apps, in processes of their own. The programs are test/cuda/.
load common.bash
load cuda.bash

@test "a program's answer is right, and the table follows" {
    corun cuda "$(program vecadd)" 3000
    ended 0
    shows '3000 sums are right' 'vecadd on turing' 'completed after'
    small cuda --quiet -- "$(program vecadd)"
    ended 0
    [ "$output" = '1000 sums are right' ]
}

@test "static and of each version" {
    for name in vecadd_static vecadd_12 vecadd_11 vecadd_linked; do
        small cuda --quiet "$(program $name)" 77
        ended 0
        [ "$output" = '77 sums are right' ]
    done
}

@test "calls do what they should" {
    corun cuda --quiet "$(program calls)"
    echo "$output"
    ended 0
    shows $'kernel 7\nall right' # each call passes on what kernels have printed
    [ "$stderr" = 'corun: cudaIpcGetMemHandle is not supported' ] # said once
}

# bats test_tags=long
@test "the default stream of a thread, and the legacy one" {
    small cuda --quiet "$(program per_thread)"
    echo "$output"
    ended 0
    shows 'all right'
}

@test "texture and surface references, of CUDA 11 and of the driver API" {
    small cuda --quiet "$(program references)"
    echo "$output"
    ended 0
    shows 'all right'
    small cuda --quiet "$(program driver_references)"
    echo "$output"
    ended 0
    [ "$output" = 'all right' ]
    small cuda --json - "$(program references)" unbound
    ended 1
    holds 'd["status"] == "fault" and "without a texture" in d["fault"]["what"]'
}

@test "graphs, arrays, the driver API and objects linked for the device" {
    for name in graphs conditions arrays driver driver_static linked; do
        small cuda --quiet "$(program $name)"
        echo "$name: $output"
        ended 0
        [ "$output" = 'all right' ]
    done
    small cuda --quiet "$(program driver_objects)"
    ended 0
    shows 'all right'
    says 'cuMemMap of mapped memory is not supported' 'cuParamSetSize is not supported'
}

@test "tensor maps, and boxes copied with them" {
    small cuda --quiet "$(program tensor)"
    [ "$output" = 'not here' ]
    for time in '' '--skip-kernels all'; do
        corun cuda --gpu h100 $time --quiet "$(program tensor)"
        echo "$output"
        ended 0
        [ "$output" = 'all right' ]
    done
}

@test "products with wgmma of boxes that a warp of its own copies" {
    local ptx=$HERE/../cuda/gemm.ptx
    for kernel in gemm_bf16 gemm_e4m3 gemm_pipelined; do
        for time in '' '--skip-kernels all'; do
            corun cuda --gpu h100 $time --quiet "$(program gemm)" "$ptx" $kernel 256 128 640
            echo "$kernel $time: $output"
            ended 0
            [ "$output" = 'all right' ]
        done
    done
    # a tile by itself: nearly the bytes that an SM can load, 64 a cycle for the full rate
    corun cuda --gpu h100 --set launch.latency_ns=0 --set link.gbs=0 --json - "$(program gemm)" \
        "$ptx" gemm_bf16 128 128 8192
    ended 0
    holds 'd["apps"][0]["stats"]["tensor.held_cycles"] == 4 * 128 * 128 * 8192 // 2048'
    holds 'd["cycles"] < 128 * 128 * 8192 // 2048 / 0.72'
}

# bats test_tags=long
@test "pending blocks of a stream of higher priority go first, under every policy" {
    first='stream clamped launch driver attribute node graph capture'
    small cuda --quiet "$(program priorities)"
    ended 0
    for way in $first; do shows "$way: first"; done
    for way in equal clamped-low lower-launch node-in-vain; do shows "$way: in turn"; done
    for policy in spatial sequential smk-even virtual-thread warped-slicer+switch; do
        small run "cuda:$(program priorities) launch" --policy $policy --alone skip --show-output
        ended 0
        shows 'launch: first'
        small run "cuda:$(program priorities) urgent" --policy $policy --alone skip --show-output
        ended 0
        shows 'early'
    done
}

@test "of two programs each has its priorities for itself" {
    for policy in leftover spatial sequential smk-even; do
        small run "cuda:$(program priorities) launch" "cuda:$(program priorities) equal" \
            --policy $policy --alone skip --show-output --until end
        ended 0
        shows 'launch: first' 'equal: in turn'
    done
}

@test "simulated time is that of the machine, whatever the host does" {
    corun cuda --quiet --gpu maxwell16 "$(program calls)"
    first=$output
    corun cuda --quiet --gpu maxwell16 --set clock.sm_mhz=700 "$(program calls)"
    python3 - "$first" "$output" <<'END'
import re, sys
one, two = ([float(x) for x in re.search(r'elapsed (\S+) (\S+) ms', t).groups()]
            for t in sys.argv[1:])
assert 1.5 < two[0] / one[0] < 2.1, (one, two)
END
    corun cuda --quiet --gpu maxwell16 --set host.query_ns=100000 "$(program calls)"
    shows 'ms, 2 polls' # not hundreds
}

@test "every call may take time; the timeline has the calls" {
    small cuda --quiet --json a.json --legend off "$(program vecadd)"
    small cuda --quiet --json b.json --set host.call_ns=100000 --timeline t.json "$(program vecadd)"
    python3 - <<'END'
import json
a, b = (json.load(open(f))['cycles'] for f in ('a.json', 'b.json'))
assert b - a > 10 * 140000, (a, b) # a tenth of a millisecond each
events = json.load(open('t.json'))['traceEvents']
host, = (e['pid'] for e in events if e['ph'] == 'M' and e['args']['name'] == 'calls of vecadd')
calls = [e for e in events if e['ph'] == 'X' and e['pid'] == host]
assert {'HELLO', 'ALLOC', 'LAUNCH', 'COPY'} <= {c['name'] for c in calls}, calls
for c, after in zip(calls, calls[1:]):
    assert c['dur'] >= 130000 and c['ts'] + c['dur'] == after['ts'], (c, after)
END
}

@test "words of the command line reach the program as a shell would cut them" {
    small run "cuda:/bin/echo 'a  b' \"c'd\" e\\ f ''" --show-output --quiet --until end
    ended 0
    [ "$output" = "a  b c'd e f " ]
    small cuda --quiet --until end /bin/echo 'a  b' "c'd" '' -x
    [ "$output" = "a  b c'd  -x" ]
}

@test "an exit status and a signal are results" {
    small cuda "$(program calls)" exit 3
    ended 1
    says 'exit status 3'
    small cuda --json - "$(program calls)" abort
    ended 1
    holds 'd["status"] == "program-failed"'
    says 'signal 6'
}

@test "an address outside is the machine's fault, and ends the run" {
    small cuda --json - "$(program calls)" outside
    ended 1
    holds 'd["status"] == "fault" and d["fault"]["kernel"] == "change"'
}

@test "a failed assertion is the program's, which goes on" {
    small cuda --json r.json "$(program asserts)"
    ended 0
    shows 'all right'
    [[ $output != *'kernel 7'* ]] # it was queued behind
    [ "$(grep -c '^a.cu:42: void k(int): block:' <<<"$stderr")" = 4 ]
    says 'a.cu:42: void k(int): block: [1,0,0], thread: [31,0,0] Assertion `i < most` failed.'
    output=$(cat r.json)
    holds 'd["status"] == "completed" and len(d["warnings"]) == 1'
    holds 'd["warnings"][0]["text"].endswith("thread: [28,0,0] Assertion `i < most` failed.")'
    for options in '--skip on' '--skip off' '--skip-kernels all' '--policy chimera'; do
        small run "cuda:$(program asserts) waits" "cuda:$(program vecadd) 5000 2" --until end \
            --quiet --alone skip --json "r$options.json" $options
        ended 0
        grep -q '^all right' asserts.stdout
        grep -q '^5000 sums are right' vecadd.stdout
        rm ./*.stdout
    done
    python3 - <<'END'
import json
a, b = (json.load(open('r--skip %s.json' % skip)) for skip in ('on', 'off'))
assert a['cycles'] == b['cycles'] and a['stats'] == b['stats'], (a['cycles'], b['cycles'])
END
}

@test "with corun killed its programs end" {
    "$CORUN" cuda "${FEW[@]}" "$(program calls)" long >out.txt 2>err.txt &
    ends_with_corun $!
}

@test "machine code alone is refused, with what to do" {
    small cuda "$(program machine_code)"
    refused 'machine code for sm_75 only' '-gencode arch=compute_75,code=compute_75'
}

@test "what is no program is refused" {
    corun cuda ./none
    refused 'cannot run ./none'
    corun cuda scale.yaml
    refused "no program 'scale.yaml' on PATH" './scale.yaml'
    corun run 'cuda:'
    refused 'expected a program'
    corun run "cuda:./a 'b"
    refused 'unterminated quote'
    corun cuda
    refused 'expected a program'
}

@test "without the simulator a program has no device, and says so" {
    run --separate-stderr "$(program vecadd)"
    [ "$status" = 8 ]
    shows 'no CUDA-capable device is detected'
    says 'start the program with corun cuda'
}

@test "the folder to link with is told" {
    for major in 11 12 13; do
        corun cuda --libdir $major
        ended 0
        [ -e "$output/libcudart.so" ] && [ -e "$output/libcudart_static.a" ]
    done
}

@test "a program that holds another run-time library is refused, and it says how to link it" {
    small cuda "$(program foreign)"
    ended 2
    says "NVIDIA's static runtime" '-cudart shared' '--libdir 13'
    cp "$(program vecadd_static)" .
    small cuda --quiet ./vecadd_static
    ended 0
}

@test "a program that makes no call is run, with a warning" {
    small cuda /bin/true
    ended 0
    shows 'warning: /bin/true: the program has made no call of the CUDA run time'
}

@test "a program with the library of another corun in it is told" {
    small cuda "$(program vecadd_other)"
    ended 1
    shows 'is linked with the library of another corun version: link again'
}

@test "why a launch is refused stands in the result" {
    corun cuda --gpu maxwell16 "$(program calls)"
    ended 0
    shows 'a launch is refused: block [2048, 1, 1] is over the limit of 1024 threads'
}

@test "a thread may wait for a host function, in no call" {
    for i in 1 2 3; do
        small cuda --quiet --json r$i.json "$(program threads)" callbacks
        ended 0
        shows '13 came, after 0.105801 ms'
    done
    python3 - <<'END'
import json
a, b, c = (json.load(open('r%d.json' % i)) for i in (1, 2, 3))
assert a['cycles'] == b['cycles'] == c['cycles'] > 100000, a['cycles']
assert not a['warnings'], a['warnings']
END
}

@test "calls of several threads are told" {
    small cuda "$(program threads)" calls
    ended 0
    shows 'threads: not deterministic: several threads of the program make calls'
}

# bats test_tags=long
@test "a program that waits for what cannot come has failed" {
    small cuda --host-seconds 1 --json - "$(program threads)" spins
    ended 1
    holds 'd["status"] == "program-failed"'
    says 'the program made no call for 1 s' \
        'simulated time stands still while a program runs host code'
    gone "$(grep -m1 '^[0-9]*$' <<<"$stderr")"
    for what in sleeps stuck; do
        small cuda --host-seconds 1 --json - "$(program threads)" $what
        ended 1
        holds 'd["status"] == "program-failed"'
        says 'all threads of the program slept for 1 s'
    done
    small cuda --host-seconds 1 --quiet "$(program threads)" idle # nothing is queued
    ended 0
}

# bats test_tags=long
@test "a program that no thread of goes on has failed, however that came" {
    for what in left half both stopped terminal; do
        small cuda --host-seconds 1 --json - "$(program threads)" $what queued
        ended 1
        holds 'd["status"] == "program-failed"'
        case $what in
        left | half) says 'all threads of the program slept for 1 s with work queued' ;;
        *) says 'the process was stopped by a signal for 1 s with work queued' ;;
        esac
        gone "$(grep -m1 '^[0-9]*$' <<<"$stderr")"
    done
    small cuda --host-seconds 1 --quiet "$(program threads)" stopped
    ended 1
    says 'stopped by a signal for 1 s (--host-seconds): no SIGCONT came'
}

# bats test_tags=long
@test "kernels that print without end keep the newest output, as on a GPU" {
    for bytes in 1048576 4096 '' 2000000; do # a line takes 9 bytes and 4 of the buffer
        small cuda --quiet --json r.json "$(program calls)" flood $bytes
        ended 0
        lines=$((${bytes:-1048576} / 13))
        [ $lines -lt 100000 ] || lines=100000
        [ "$(grep -c '^kernel 7$' <<<"$output")" = $lines ]
        output=$(cat r.json)
        [ $lines = 100000 ] || holds 'd["warnings"][0]["text"].startswith("the oldest output of k")'
        [ $lines != 100000 ] || holds 'not d["warnings"]'
    done
    small cuda "$(program calls)" flood 2000000000
    ended 1
    shows 'out of memory'
}

# bats test_tags=long
@test "a program whose output would fill the disk is ended" {
    flood='echo $$ >&2; truncate -s 1100M /dev/stdout; exec sleep 60'
    "$CORUN" cuda "${FEW[@]}" --quiet -- /bin/sh -c "$flood" >out.txt 2>err.txt || status=$?
    [ $status = 1 ]
    grep -q 'has written more than 1024 MB of output into a file: the output is cut' err.txt
    gone "$(head -1 err.txt)"
    "$CORUN" cuda --quiet -- /bin/sh -c 'truncate -s 1000M /dev/stdout; exec sleep 1' >more.txt
}

# bats test_tags=long
@test "short sleeps do not add up" {
    small cuda --host-seconds 1 --quiet "$(program threads)" naps queued
    ended 0
}

# bats test_tags=long
@test "after execve, and in a child, a program has no connection and is told" {
    none='no CUDA-capable device is detected'
    processes() { small cuda --quiet -- "$(program processes)" "$@"; ended 0; }
    processes first
    [ "$output" = 'second: no error' ]
    [ -z "$stderr" ]
    for how in exec twice; do
        processes $how
        [ "$(head -1 <<<"$output")" = "$how: no error" ]
        [ "$(sed '1d; s/.*: //' <<<"$output" | sort -u)" = "$none" ]
        says 'the process called CUDA before execve' \
            'execute the program before the first call'
    done
    processes clean # an environment of nothing
    [ "$output" = $'clean: no error\nexecuted: '"$none" ]
    processes other "$(program processes_12)"
    [ "$output" = $'other: no error\nexeced: '"$none" ]
    processes other /bin/echo
    [ "$output" = $'other: no error\nexeced' ]
    for how in fork spawn; do
        processes $how
        [ "$(head -1 <<<"$output")" = "$how: no error" ]
        [ "$(tail -1 <<<"$output")" = 'parent: no error' ]
        [ "$(sed '1d; $d; s/.*: //' <<<"$output" | sort -u)" = "$none" ]
        says 'called CUDA' 'only a single process of a program can use the simulated GPU'
        [ "$(grep -c 'single process' <<<"$stderr")" = 1 ] # said once
    done
}

# Runs corun under a limit of ulimit, on few SMs.
limited() {
    run --separate-stderr bash -c 'ulimit "$1" "$2" && exec "${@:3}"' sh "$1" "$2" "$CORUN" "$3" \
        "${FEW[@]}" "${@:4}"
}

@test "a limit of the process is named where it is the cause" {
    ! has_sanitizer || skip "a sanitizer reserves more addresses than these limits"
    own=$(program vecadd)
    limited -v 1200000000 cuda --quiet "$own" # enough for corun, not for the program
    [ "$status" = 1 ]
    says 'needs 2 TB' 'the limit is 1200000000 kB' 'run with ulimit -v unlimited'
    [[ "$stderr" != *Sanitizer* ]]
    limited -v 2200000000 cuda --quiet "$own"
    [ "$status" = 0 ]
    limited -v 500000 cuda --quiet "$own"
    refused 'cannot start a process: no 1 TB of addresses' '500000 kB (ulimit -v)'
    limited -n 40 cuda --quiet "$own"
    refused 'Too many open files: the limit on open files of a process is 40 (ulimit -n)'
    limited -f 100 cuda --quiet "$own"
    refused 'no file of 1 TB' 'the limit on the size of a file is 100 kB (ulimit -f)'
    limited -s 64 cuda --quiet "$own"
    refused 'the limit on the stack is 64 kB (ulimit -s): corun needs 256 kB'
    small cuda --quiet /bin/sh -c "ulimit -v 5000000; exec $own"
    ended 1
    says 'the limit is 5000000 kB'
    printf 'app: many\nprogram: [%s%s]\n' "$own" "$(printf ', "%s"' $(seq 20000))" >many.yaml
    limited -s 400 run ./many.yaml --quiet
    refused 'Argument list too long: the limit on the stack' '400 kB (ulimit -s)'
}

@test "an interrupt ends a program in the middle of host code" {
    "$CORUN" cuda "${FEW[@]}" --quiet "$(program threads)" sleeps >out.txt 2>err.txt &
    corun=$!
    until grep -q '^[0-9][0-9]*$' out.txt; do sleep 0.1; done
    kill -TERM $corun
    status=0
    wait $corun || status=$?
    [ $status = 143 ]
    grep -q 'interrupted' err.txt
    gone "$(head -1 out.txt)"
}

# bats test_tags=long
@test "host code may take simulated time, which is told" {
    small cuda --json - --set host.scale=0.25 "$(program threads)" busy
    ended 0
    holds 'd["cycles"] > 1000000'
    holds '"not deterministic: host.scale" in d["warnings"][0]["text"]'
    small cuda --json - "$(program threads)" busy
    holds 'd["cycles"] == 0 and not d["warnings"]'
    small cuda --set host.scale=-1 "$(program threads)"
    ended 2
}

@test "device memory that runs out: a warning names host.memory_bytes" {
    big=("$(program vecadd)" 300000 1)
    small cuda --set host.memory_bytes=1048576 --json r.json "${big[@]}"
    output=$(cat r.json)
    holds "len(d['warnings']) == 1 and d['warnings'][0]['text'] == 'an allocation has failed: the '
        'device has 1048576 bytes of memory; to change the size: --set host.memory_bytes=BYTES'"
    small cuda --set host.memory_bytes=16777216 --json r.json "${big[@]}"
    ended 0
    shows '300000 sums are right'
    output=$(cat r.json)
    holds "d['warnings'] == []"
}
