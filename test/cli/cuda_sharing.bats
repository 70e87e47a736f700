#!/usr/bin/env bats
# CUDA programs sharing the GPU, each in a separate process (test/cuda/).
load common.bash
load cuda.bash


# All policies except an oracle of windows, which does not accept programs.
policies() {
    "$CORUN" list policies | awk '/^[a-z]/ && !/^[a-z0-9.-]*:/ { print $1 }' |
        sed 's/^fixed$/fixed[blocks=2\/1]/'
}

@test "programs share the GPU with others, from processes of their own" {
    corun run "cuda:$(program vecadd) 20000 3" "cuda:$(program calls) in-turn" mm:size=test \
        --policy spatial --gpu maxwell16 --alone skip --json - --until end
    ended 0
    holds '[a["completions"] for a in d["apps"]] == [1, 1, 1]'
}

@test "three programs with priorities: pending blocks go first, running blocks stay" {
    local p=$(program priorities) policy
    for policy in leftover streams spatial 'mps[percent=50]' 'green[sms=0/2/0]' smk-even; do
        corun run "cuda:$p launch" "cuda:$p urgent" "cuda:$p equal" --gpu maxwell16 \
            --set sm.count=4 --set map.channels=1 --alone skip --show-output --until end \
            --policy "$policy" --timeline t.json --quiet
        echo "$policy"
        ended 0
        shows 'launch: first' 'early' 'equal: in turn'
        python3 - <<'END'
import collections, json
n = collections.Counter()
for e in json.load(open('t.json'))['traceEvents']:
    if e['ph'] != 'X' or 'block' not in e['args']: continue
    assert e['name'].endswith('spin'), e # not "preempted"
    n[e['cat']] += 1
full = min(n.values()) // 3 # blocks that fill the GPU
assert full >= 4 and sorted(n.values()) == [3 * full, 3 * full, 4 * full + 4], n
END
    done
}

# bats test_tags=long
@test "two programs share the GPU under every policy" {
    [ "$(policies | wc -l)" -gt 30 ]
    for policy in $(policies | some); do # an oracle tries more, the more blocks an SM holds
        rm -f ./*.stdout
        corun run "cuda:$(program vecadd) 5000 2" "cuda:$(program calls) in-turn" \
            --policy $policy --gpu maxwell16 --set sm.blocks=4 --alone skip --json - --until end
        echo "$policy"
        ended 0
        holds '[a["completions"] for a in d["apps"]] == [1, 1]'
        grep -q '^5000 sums are right' vecadd.stdout
        grep -q '^all right' calls.stdout
    done
}

# N STATE: two programs under each way of sharing on a small h100, N times each, on one thread and
# on two in turn; time slices move STATE.
each_way() {
    local way ways=(streams 'mps[percent=50]' 'mps[static=1/1]' 'green[sms=8/8]'
        'mig[profiles=3g/4g]' "timeslice[us=2,state=$2]")
    local few=(--set sm.count=16 --set map.channels=16 --set mig.sms_3g=8 --set mig.sms_4g=8
        --set launch.latency_ns=100)
    for way in "${ways[@]}"; do
        for i in $(seq "$1"); do
            rm -f ./*.stdout
            corun run "cuda:$(program vecadd) 20000 3" "cuda:$(program captures)" \
                --policy "$way" --gpu h100 "${few[@]}" --until end --alone skip \
                --sim-threads $((1 + i % 2)) --json r$i.json --quiet
            echo "$way, run $i"
            ended 0
            [ "$(<vecadd.stdout)" = '20000 sums are right' ]
            [ "$(<captures.stdout)" = 'all right' ]
        done
        python3 - "$1" <<'END'
import json, sys
def strip(x): # figures of the host
    if not isinstance(x, dict): return [strip(v) for v in x] if isinstance(x, list) else x
    return {k: strip(v) for k, v in x.items() if k not in ('speed', 'host') and 'seconds' not in k}
runs = [strip(json.load(open('r%d.json' % i))) for i in range(1, int(sys.argv[1]) + 1)]
assert all(r == runs[0] for r in runs)
assert runs[0]['status'] == 'completed' and runs[0]['cycles'] > 40000, runs[0]['cycles']
slices = runs[0]['policy_stats'].get('timeslice')
assert not slices or slices['switches'] > 2, slices
assert [a['completions'] for a in runs[0]['apps']] == [1, 1]
END
    done
}

@test "two programs under each way of sharing: right outputs and the same bits" {
    each_way 2 resident
}

# bats test_tags=long
@test "two programs under each way of sharing, ten times each" {
    each_way 10 full
}

# bats test_tags=long
@test "the same bits, however busy the host is" {
    processors=$(taskset -cp $$)
    one=$(grep -oE '[0-9]+' <<<"${processors##*:}" | head -1)
    for i in $(seq 6); do # after the first run, all share one processor with a busy loop
        if [ $i = 2 ]; then
            taskset -cp "$one" $BASHPID
            timeout 600 sh -c 'while :; do :; done' 3>&- &
            busy=$!
        fi
        corun run "cuda:$(program vecadd) 5000 3" "cuda:$(program calls)" --policy spatial \
            --gpu maxwell16 --until end --alone skip --json r$i.json --quiet
        [ "$status" = 0 ] || break
    done
    kill $busy
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
for i in range(2, 7): assert strip(read(i)) == first, i
END
}

@test "killed in the middle: the result says so, and nothing is left" {
    mkdir tmp
    TMPDIR=$PWD/tmp "$CORUN" run "cuda:$(program calls) long" "cuda:$(program vecadd) 1031" \
        "${FEW[@]}" --show-output --until end --alone skip --json r.json >out.txt 2>err.txt &
    corun=$!
    until [ -s out.txt ] && grep -q '^[0-9][0-9]*$' out.txt; do sleep 0.05; done
    pid=$(grep -m1 '^[0-9][0-9]*$' out.txt)
    kill -9 "$pid"
    status=0
    wait $corun || status=$?
    [ $status = 1 ]
    grep -q 'signal 9' err.txt
    output=$(cat r.json)
    holds 'd["status"] == "program-failed"'
    gone "$pid"
    [ -z "$(pgrep -f "$(program vecadd) 1031")" ] # nor the other
    [ -z "$(ls -A tmp)" ]
}

@test "at the end of a window a program is ended" {
    corun run "cuda:$(program calls) long" --until window --cycles 20000 "${FEW[@]}" \
        --alone skip --json -
    ended 0
    holds 'd["cycles"] == 20000 and d["status"] == "completed"'
    gone "$(head -1 calls.stdout)"
}

@test "an oracle of windows does not take programs" {
    corun run "cuda:$(program vecadd)" mm:size=test --policy 'oracle[mode=window]'
    ended 2
    says "cannot try windows of a CUDA program ('vecadd')"
}

@test "apps have their turns in their order, whoever is slow on the host" {
    wait_first() { echo "cuda:/bin/sh -c 'sleep $1; exec $(program vecadd) 3000'"; }
    for slow in '0.3 0' '0 0.3' '0 0'; do
        read -r first second <<<"$slow"
        corun run "$(wait_first $first)" "$(wait_first $second)" --policy sequential --until end \
            "${FEW[@]}" --alone skip --json "$first-$second.json" --quiet
        ended 0
    done
    python3 - <<'EOF'
import glob, json
runs = [json.load(open(f)) for f in glob.glob('*-*.json')]
cycles = [[a['cycles'] for a in d['apps']] for d in runs]
assert len(runs) == 3 and cycles.count(cycles[0]) == 3, cycles
assert cycles[0][0] < cycles[0][1], cycles
assert all(d['stats'] == runs[0]['stats'] for d in runs)
EOF
}
