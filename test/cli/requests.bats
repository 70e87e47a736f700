#!/usr/bin/env bats
# Apps as streams of requests: arrivals, queue, latencies, deadlines; requests.py recomputes them.
load common

requests() { python3 "$HERE/requests.py" "$@"; }

# server FILE ARRIVALS ARGUMENT: an app file whose kernel sleeps for ARGUMENT nanoseconds.
server() {
    cat >"$1" <<END
app: server
module: $HERE/requests.ptx
arrivals: $2
steps:
  - {kernel: serve, grid: 1, block: 32, args: [$3]}
${4:-}
END
}

# Prints the lines of a result that describe the simulation.
bits() { grep -v '"threads"\|"skip"\|_seconds"\|_per_second"\|"peak_rss_bytes"' "$@"; }

# Compares mean waiting times at loads 0.5 and 0.8 with queueing theory: SEEDS REQUESTS.
theory() {
    for argument in 25000 "exponential 25000"; do
        for load in 20000 32000; do
            server q.yaml "poisson:$load" "$argument" "requests: $2"
            corun run ./q.yaml --alone skip --seeds "$1" --json q.json --quiet
            ended 0
            requests theory "${argument% *}" "$load"
        done
    done
}

@test "waiting times of M/D/1 and M/M/1, some requests" { theory 6 600; }

# bats test_tags=long
@test "waiting times of M/D/1 and M/M/1: 20 seeds with 2000 requests" { theory 20 2000; }

@test "every number of a run, recomputed from the arrivals" {
    server p.yaml "{poisson: 30k, seed: 9}" 25000 $'requests: 520\nwarmup: 30\ndeadline_us: 60.5'
    corun run ./p.yaml --alone skip --json p.json --csv p.csv
    ended 0
    requests poisson p.json 9 0
    requests csv p.json p.csv
    corun run ./p.yaml ./p.yaml --alone skip --until end --json two.json --seed 4
    ended 0
    requests poisson two.json 9 0 1
    server s.yaml poisson:30k 25000 $'requests: 520\nwarmup: 30\ndeadline_us: 60.5'
    corun run ./s.yaml --alone skip --json s.json --seed 4
    ended 0
    requests poisson s.json 4 0
}

@test "periodic arrivals and a trace" {
    server p.yaml periodic:50k 10000 'requests: 40'
    corun run ./p.yaml --alone skip --json p.json
    ended 0
    requests periodic p.json 20
    printf '# us\n0\n3.5 # comment\n\n3.5\r\n100\n110.25' >times
    server t.yaml trace:times 10000 'deadline_us: 15'
    corun run ./t.yaml --alone skip --json t.json
    ended 0
    requests trace t.json 0 3.5 3.5 100 110.25
    corun run vecadd:size=test,arrivals=trace:./times,warmup=1,requests=3 --json v.json
    ended 0
    [[ $(<v.json) == *'"measured": 3,'* ]]
}

@test "a changed trace is another run" {
    local last=5.5
    for file in a b; do
        printf '1\n%s\n' "$last" >times
        corun run vecadd:size=test,arrivals=trace:times --json "$file" --quiet
        ended 0
        last=90
    done
    [ "$(grep input_hash a)" != "$(grep input_hash b)" ]
    [ "$(grep alone_ipc_thread a)" != "$(grep alone_ipc_thread b)" ]
    corun compare vecadd:size=test,arrivals=trace:times --policies leftover --json - --quiet
    [[ $output == *"$(grep alone_ipc_thread b)"* ]]
}

@test "a sweep keeps the quantities of requests" {
    server p.yaml periodic:40k 5000 'requests: 8'
    printf '%s\n' 'apps: [[./p.yaml]]' 'policies: [leftover]' 'rules: [{until: end}]' >s.yaml
    corun sweep s.yaml -o r.db --quiet
    ended 0
    python3 -c 'import sqlite3
rows = dict(sqlite3.connect("r.db").execute("select key, value from stat where app = 0"))
assert rows["requests.measured"] == 8 and rows["requests.latency_p50_us"] > 5, rows
assert rows["requests.latency_p99_us"] is None'
}

@test "a closed loop is the app that starts again at once, bit for bit" {
    for arrivals in ,arrivals=closed:1 ""; do
        corun run "vecadd:size=test$arrivals" mm:size=test --policy spatial --until window \
            --cycles 100000 --alone skip --json r.json
        ended 0
        requests plain r.json >"plain$arrivals"
    done
    cmp plain plain,arrivals=closed:1
    server c.yaml closed:3 25000
    corun run ./c.yaml --alone skip --json c.json
    ended 0
    requests closed c.json 3
}

@test "the same bits for any number of threads, skipping on or off" {
    server p.yaml poisson:300k "exponential 500"
    for option in threads=1 threads=2 skip=off; do
        corun run ./p.yaml vecadd:size=test,arrivals=poisson:100k --until window --cycles 60000 \
            --policy spatial "${FEW[@]}" "--${option%=*}" "${option#*=}" --json r --alone skip
        ended 0
        bits r >"$option"
    done
    grep -q '"measured": [1-9]' skip=off
    cmp threads=1 threads=2
    cmp threads=1 skip=off
}

@test "isolated runs have the arrivals of the shared run" {
    server p.yaml poisson:20k "exponential 25000" 'requests: 20'
    corun run ./p.yaml ./p.yaml --policy spatial --until end --json -
    ended 0
    holds 'all(a["alone"]["cycles"] == a["cycles"] for a in d["apps"])'
    holds 'd["apps"][0]["cycles"] != d["apps"][1]["cycles"]'
}

without_fill() { # FILE: the lines of a result that do not name the option `fill`
    bits "$1" | grep -v '"input_hash"\|"spatial.fill"' | sed 's/spatial\[fill=off\]/spatial/'
}

@test "between two requests an app keeps its SMs under spatial" {
    local run=(vecadd:n=4096,arrivals=periodic:200k mm:size=test --until window --cycles 60000)
    corun run "${run[@]}" --alone skip --policy spatial --json end.json --quiet
    ended 0
    corun run "${run[@]}" --alone skip --policy 'spatial[fill=off]' --json off.json --quiet
    ended 0
    diff <(without_fill end.json) <(without_fill off.json)
}

@test "a stop rule counts requests" {
    server p.yaml periodic:40k 5000 $'requests: 8\nwarmup: 2'
    server q.yaml periodic:10k 5000 'requests: 5'
    corun run ./p.yaml ./q.yaml --until end --alone skip --json -
    ended 0
    holds '[a["requests"]["completed"] for a in d["apps"]] == [10, 5]'
    holds '[a["requests"]["arrived"] for a in d["apps"]] == [10, 5]'
    corun run ./p.yaml ./q.yaml --alone skip --json -
    ended 0
    holds '[a["requests"]["measured"] for a in d["apps"]] == [8, 5]'
    holds 'd["apps"][0]["requests"]["completed"] > 15'
    corun run ./q.yaml --until window --cycles 1000000 --alone skip --json -
    holds 'd["apps"][0]["requests"]["measured"] == 5'
    sed -i /requests:/d q.yaml
    corun run ./q.yaml --until window --cycles 1000000 --alone skip --json -
    holds 'd["apps"][0]["requests"]["measured"] == 8'
    corun run ./q.yaml --alone skip --json -
    holds 'd["apps"][0]["requests"]["measured"] == 500'
    holds 'd["apps"][0]["requests"]["latency_p99_us"] > 5'
}

@test "a few requests have no p99: null, and the reason" {
    server p.yaml periodic:40k 5000 'requests: 499'
    corun run ./p.yaml --alone skip --json p.json --csv -
    ended 0
    shows '"server",requests.latency_p99_us,'$'\n' '"server",requests.measured,499'
    grep -q '"latency_p99_us": null' p.json
    grep -q '"p99_refused": "p99 needs 500 measured requests, not 499"' p.json
    corun run ./p.yaml --alone skip
    shows "server: p99 needs 500 measured requests, not 499"
}

@test "queues over time add up, in rows and in the timeline" {
    server p.yaml poisson:30k "exponential 25000"
    corun run ./p.yaml vecadd:size=test --until window --cycles 4000000 --interval 500000 \
        --csv rows.csv --timeline t.json --json r.json --alone skip --policy spatial "${FEW[@]}"
    ended 0
    requests rows rows.csv r.json t.json
}

@test "means over seeds, and a table by policy" {
    server p.yaml poisson:20k "exponential 25000"
    corun run ./p.yaml --alone skip --seeds 2 --json all.json --csv all.csv
    ended 0
    shows "server p99 us"
    corun run ./p.yaml --alone skip --seed 2 --json 2.json
    requests seeds all.json all.csv 2.json
    corun compare ./p.yaml ./p.yaml --policies leftover,spatial --alone skip --until end
    ended 0
    shows "server.2: p99 us"
}

@test "a page with the distribution, each request and the queue" {
    server p.yaml poisson:30k 25000 $'requests: 520\nwarmup: 30\ndeadline_us: 60.5'
    corun compare ./p.yaml vecadd:size=test --policies leftover,spatial --alone skip \
        --json r.json --html p.html --until end
    ended 0
    requests page r.json p.html
    server p.yaml closed:40 10 'requests: 1500'
    corun compare ./p.yaml --policies leftover --alone skip --json r.json --html p.html
    ended 0
    requests page r.json p.html
    corun compare vecadd:size=test --policies leftover --alone skip --html p.html
    ended 0
    run ! grep -q '<h2>Requests\|"requests"' p.html
}

@test "a request that arrives at the end of an interval, with nothing under way, is executed" {
    of=(mm:size=test,arrivals=periodic:50k,requests=3) # 28000 cycles apart
    corun run "${of[@]}" --policy leftover --alone skip --until end --json r.json
    ended 0
    corun run "${of[@]}" --policy leftover --alone skip --until end --json i.json \
        --interval 2000 --timeline t.json
    ended 0
    corun compare "${of[@]}" --policies leftover --alone skip --until end --json p.json \
        --html p.html
    ended 0
    python3 - <<'END'
import json
of = [json.load(open(f)) for f in ('r.json', 'i.json', 'p.json')]
of[2] = of[2]['runs'][0] if 'runs' in of[2] else of[2]
assert of[0]['apps'][0]['requests']['completed'] == 3
assert [d['cycles'] for d in of] == 3 * [of[0]['cycles']], [d['cycles'] for d in of]
END
}

@test "policies see priority and deadline of apps" {
    local edf=$HERE/../policy/edf.c
    printf '10\n' >early; printf '2\n9\n12\n' >late
    corun run vecadd:n=200000,arrivals=trace:early,deadline_us=20 \
        vecadd:n=200000,arrivals=trace:late,deadline_us=24,priority=-3 \
        --policy "$edf" --policy-log log --alone skip --until end --json r.json
    ended 0
    # 1400 MHz: 2 us and 24 us are 2800 and 33600 cycles; 10 us and 20 us 14000 and 28000
    [ "$(sed 's/[^:]*: //' log | head -2)" = "app 1 priority -3 deadline $((2800 + 33600))
app 0 priority 0 deadline $((14000 + 28000))" ]
    # the next request of app 1 arrived at 9 us, before that of app 0, and has the later deadline
    grep -q "app 1 priority -3 deadline $((12600 + 33600))$" log
    grep -q "app 1 priority -3 deadline $((16800 + 33600))$" log
    # without deadlines the priority decides, also against the order of the apps
    corun run mm:size=test vecadd:size=test,priority=-1 --policy "$edf" --policy-log log \
        --alone skip
    ended 0
    [[ $(head -1 log) == *"app 1 priority -1 deadline -1" ]]
    server p.yaml periodic:40k 5000 $'requests: 2\npriority: 7'
    corun run ./p.yaml --policy "$edf" --policy-log log --alone skip --until end
    ended 0
    [[ $(<log) == *"app 0 priority 7 deadline -1" ]]
}

@test "the number of a request is an argument" {
    cat >n.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 out, .param .u32 n)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    st.global.u32 [%rd1], %r1;
    ret;
}
END
    cat >n.yaml <<'END'
app: n
module: n.ptx
arrivals: closed:1
requests: 7
buffers: {out: {type: u32, count: 1}}
steps: [{kernel: add, grid: 1, block: 1, args: [$out, request]}]
expect: {out: 0}
END
    corun run ./n.yaml --alone skip --json -
    ended 0
    holds 'd["apps"][0]["checked"] is True'
    sed -i 's/request]/exponential 0]/' n.yaml
    corun run ./n.yaml
    refused "exponential needs a positive MEAN below 33554432"
    sed -i 's/\[$out, exponential 0/[request, 0/' n.yaml
    corun run ./n.yaml --alone skip
    ended 1
}

@test "wrong options of a workload, with a caret" {
    local row text before
    while IFS='|' read -r row text; do
        corun run "vecadd:${row%%^*}${row#*^}"
        refused "$text"
        before=vecadd:${row%%^*}
        pointed "$before${row#*^}" $((${#before} + 1))
    done <<'END'
arrivals=^poison:5|unknown arrivals 'poison:5'
arrivals=poisson:^0|a rate is a number of requests per second from 1 to 1000000000
arrivals=periodic:^2G|a rate is a number of requests per second
arrivals=closed:^x|the number of clients is a whole number from 1 to 4096
requests=^5|'requests' needs 'arrivals'
arrivals=trace:^nope|cannot read nope
^arrival=poisson:5|did you mean 'arrivals'?
arrivals=periodic:5k,requests=^0|requests must be a whole number from 1 to 10000000
arrivals=periodic:5k,deadline_us=^0|deadline_us must be a positive number of microseconds
arrivals=periodic:5k,arrivals_seed=^-1|arrivals_seed must be a whole number
priority=^1001|priority must be a whole number from -1000 (first) to 1000
priority=^-0.5|priority must be a whole number from -1000
END
}

@test "wrong keys of an app file and times of a trace, with a caret" {
    server p.yaml "{poisson: 20k, sed: 9}" 25000
    corun run ./p.yaml
    refused "arrivals have a single kind"
    placed ./p.yaml 3 sed
    server p.yaml "{uniform: 20k}" 25000
    corun run ./p.yaml
    refused "unknown arrivals 'uniform:20k'"
    placed ./p.yaml 3 uniform
    server p.yaml trace:times 25000 'requests: 3'
    for row in '5/4|the times of a trace must not fall' '1/x|a time in microseconds per line' \
        '1/1.0000001|at most six decimals' '|has no times' \
        '1/2|3 are needed: requests and warmup'; do
        printf '%s\n' "${row%%|*}" | tr / '\n' >times
        corun run ./p.yaml
        refused "${row#*|}"
    done
    printf '1\n  0.5 # less\n' >times
    corun run ./p.yaml
    placed ./times 2 0.5
    printf 'app: p\nprogram: [./a.out]\nrequests: 5\n' >c.yaml
    corun run ./c.yaml
    refused "'requests' with 'program' needs 'ranges'"
}
