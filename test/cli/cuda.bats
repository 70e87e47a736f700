#!/usr/bin/env bats
# CUDA programs as apps, in processes of their own. The programs are test/cuda/.
load common.bash

program() { echo "$(dirname "$CORUN")/test/cuda/$1"; }

# Whether the process with this id has ended, within some seconds.
gone() {
    for i in $(seq 100); do
        [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" || return 0
        sleep 0.1
    done
    return 1
}

@test "a program's answer is right, and the table follows" {
    corun cuda "$(program vecadd)" 3000
    ended 0
    shows '3000 sums are right' 'vecadd on maxwell16' 'completed after'
    corun cuda --quiet -- "$(program vecadd)"
    ended 0
    [ "$output" = '1000 sums are right' ]
}

@test "static and of each version" {
    for name in vecadd_static vecadd_12 vecadd_11 vecadd_linked; do
        corun cuda --quiet "$(program $name)" 77
        ended 0
        [ "$output" = '77 sums are right' ]
    done
}

@test "calls do what they should" {
    corun cuda --quiet "$(program calls)"
    echo "$output"
    ended 0
    shows 'all right'
}

@test "graphs, arrays and the driver API" {
    for name in graphs conditions arrays driver driver_static; do
        corun cuda --quiet "$(program $name)"
        echo "$name: $output"
        ended 0
        [ "$output" = 'all right' ]
    done
    corun cuda --quiet "$(program driver_objects)"
    ended 0
    shows 'all right'
    says 'cuMemMap of what is mapped already is not supported' 'cuParamSetSize is not supported'
}

@test "simulated time is that of the machine, whatever the host does" {
    corun cuda --quiet "$(program calls)"
    first=$output
    corun cuda --quiet --set clock.sm_mhz=700 "$(program calls)"
    python3 - "$first" "$output" <<'END'
import re, sys
one, two = ([float(x) for x in re.search(r'elapsed (\S+) (\S+) ms', t).groups()]
            for t in sys.argv[1:])
assert 1.5 < two[0] / one[0] < 2.1, (one, two)
END
    corun cuda --quiet --set host.query_ns=100000 "$(program calls)"
    shows 'ms, 2 polls' # not hundreds
}

@test "every call may take time" {
    corun cuda --quiet --json a.json --legend off "$(program vecadd)"
    corun cuda --quiet --json b.json --set host.call_ns=1000000 "$(program vecadd)"
    python3 - <<'END'
import json
a, b = (json.load(open(f))['cycles'] for f in ('a.json', 'b.json'))
assert b - a > 10 * 1400000, (a, b) # a millisecond each
END
}

@test "programs share the GPU with others, from processes of their own" {
    for policy in leftover spatial sequential; do
        corun run "cuda:$(program vecadd) 20000 3" "cuda:$(program calls) in-turn" \
            mm:size=test --policy $policy --alone skip --json - --until end
        ended 0
        holds '[a["completions"] for a in d["apps"]] == [1, 1, 1]'
        grep -q '^20000 sums are right' vecadd.stdout
        grep -q '^all right' calls.stdout
    done
}

@test "the same bits, however busy the host is" {
    for i in 1 2 3 4 5 6; do
        timeout 100 sh -c 'while :; do :; done' 3>&- &
        busy[i]=$!
    done
    for i in $(seq 20); do
        corun run "cuda:$(program vecadd) 5000 3" "cuda:$(program calls)" --policy spatial \
            --until end --alone skip --json r$i.json --quiet
        [ "$status" = 0 ] || break
    done
    kill "${busy[@]}"
    ended 0
    python3 - <<'END'
import json
def read(i):
    d = json.load(open('r%d.json' % i))
    return {k: v for k, v in d.items() if k not in ('speed', 'host')}
def strip(x):
    if isinstance(x, dict): return {k: strip(v) for k, v in x.items() if 'seconds' not in k}
    return x
first = strip(read(1))
for i in range(2, 21): assert strip(read(i)) == first, i
END
}

@test "words of the command line reach the program as a shell would cut them" {
    corun run "cuda:/bin/echo 'a  b' \"c'd\" e\\ f ''" --show-output --quiet --until end
    ended 0
    [ "$output" = "a  b c'd e f " ]
    corun cuda --quiet --until end /bin/echo 'a  b' "c'd" '' -x
    [ "$output" = "a  b c'd  -x" ]
}

@test "an exit status and a signal are results" {
    corun cuda "$(program calls)" exit 3
    ended 1
    says 'exit status 3'
    corun cuda --json - "$(program calls)" abort
    ended 1
    holds 'd["status"] == "program-failed"'
    says 'signal 6'
}

@test "an address outside is the machine's fault, and ends the run" {
    corun cuda --json - "$(program calls)" outside
    ended 1
    holds 'd["status"] == "fault" and d["fault"]["kernel"] == "change"'
}

@test "killed in the middle: the result says so, and nothing is left" {
    "$CORUN" run "cuda:$(program calls) long" "cuda:$(program vecadd)" --show-output --until end \
        --alone skip --json r.json >out.txt 2>err.txt &
    corun=$!
    until [ -s out.txt ] && grep -q '^[0-9][0-9]*$' out.txt; do sleep 0.1; done
    pid=$(grep -m1 '^[0-9][0-9]*$' out.txt)
    kill -9 "$pid"
    status=0
    wait $corun || status=$?
    [ $status = 1 ]
    grep -q 'signal 9' err.txt
    output=$(cat r.json)
    holds 'd["status"] == "program-failed"'
    gone "$pid"
}

@test "with corun killed its programs end" {
    "$CORUN" cuda "$(program calls)" long >out.txt 2>err.txt &
    corun=$!
    until [ -s out.txt ] && grep -q '^[0-9][0-9]*$' out.txt; do sleep 0.1; done
    pid=$(grep -m1 '^[0-9][0-9]*$' out.txt)
    kill -9 $corun
    wait $corun || true
    gone "$pid"
}

@test "at the end of a window a program is ended" {
    corun run "cuda:$(program calls) long" --until window --cycles 20000 --alone skip --json -
    ended 0
    holds 'd["cycles"] == 20000 and d["status"] == "completed"'
    gone "$(head -1 calls.stdout)"
}

@test "machine code alone is refused, with what to do" {
    corun cuda "$(program machine_code)"
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
    refused 'a quote that does not end'
    corun cuda
    refused 'expected a program'
}

@test "without the simulator a program has no device, and says so" {
    run --separate-stderr "$(program vecadd)"
    [ "$status" = 8 ]
    shows 'no CUDA-capable device is detected'
    says 'start it with corun cuda'
}

@test "the folder to link with is told" {
    for major in 11 12 13; do
        corun cuda --libdir $major
        ended 0
        [ -e "$output/libcudart.so" ] && [ -e "$output/libcudart_static.a" ]
    done
}

@test "a program that holds another run-time library is refused, and it says how to link it" {
    corun cuda "$(program foreign)"
    ended 2
    says "NVIDIA's static run time" '-cudart shared' '--libdir 13'
    cp "$(program vecadd_static)" .
    corun cuda --quiet ./vecadd_static
    ended 0
}

@test "a program that makes no call is run, with a warning" {
    corun cuda /bin/true
    ended 0
    shows 'warning: /bin/true: the program has made no call of the CUDA run time'
}

@test "an oracle of windows does not take programs" {
    corun run "cuda:$(program vecadd)" mm:size=test --policy 'oracle[mode=window]'
    ended 2
    says "cannot try windows of a CUDA program ('vecadd')"
}

@test "a program with the library of another corun in it is told" {
    corun cuda "$(program vecadd_other)"
    ended 1
    shows 'is linked with the library of another corun: link it again'
}

@test "why a launch is refused stands in the result" {
    corun cuda "$(program calls)"
    ended 0
    shows 'a launch is refused: block [2048, 1, 1] is over the limit of 1024 threads'
}
