#!/usr/bin/env bats
# Ranges of a CUDA program as requests: macros and NVTX. The program is test/cuda/ranges.c.
load common.bash
load cuda.bash

# ranges ARRIVALS HOW N [two|nested]: an app file for the program, with requests from the ranges
# "serve".
ranges() {
    printf '%s\n' 'app: served' "program: [$(program "${built:-ranges}"), $2, \"$3\"${4:+, $4}]" \
        'ranges: serve' "arrivals: $1" >r.yaml
}

# ran OPTION...: runs r.yaml alone into r.json.
ran() {
    rm -f served*.stdout
    corun run ./r.yaml --gpu rtx2060 --alone skip --json r.json --output-to . --quiet "$@"
    ended 0
}

# TEXT: an expression over q, the requests; a, the app; t, the kernels' starts in us
asked() {
    python3 - "$1" <<'END'
import json, os, sys
a = json.load(open('r.json'))['apps'][0]
q = a['requests']
t = [float(l) for l in open('served.stdout')] if os.path.exists('served.stdout') else []
assert eval(sys.argv[1]), (sys.argv[1], a['completions'], a['launches'], q, t)
END
}

@test "a range begins at the arrival, and its request ends with the range's work" {
    printf '3\n20\n22\n50\n51\n52\n200\n400\n' >times
    for how in macro push domain start injected; do
        ranges trace:times $how 8
        ran --until end
        asked "t[:2] == [3.0, 20.0] and t[3] == 50.0 and t[6:] == [200.0, 400.0]"
        asked "q['arrived'] == q['completed'] == q['measured'] == 8"
        asked "10 < q['latency_p50_us'] < 10.4 and 28 < q['latency_max_us'] < 29" # three queue
        python3 -c "import json; print(json.load(open('r.json'))['apps'][0]['requests'])" >$how
        cmp macro $how
    done
    built=ranges_static ranges trace:times push 8
    ran --until end --skip off --sim-threads 2
    python3 -c "import json; print(json.load(open('r.json'))['apps'][0]['requests'])" >static
    cmp macro static
}

@test "a request is answered when all streams have done the range's work" {
    ranges periodic:1k push 3 two
    echo 'requests: 3' >>r.yaml
    ran --until end
    asked "30 < q['latency_p50_us'] < 31 and 30 < q['latency_max_us'] < 31"
    # the third request waits in the stream of the long kernels: 60 us, and its own 30
    printf '0\n0\n0\n' >times
    ranges trace:times push 3 two
    ran --until end
    asked "90 < q['latency_max_us'] < 92 and 60 < q['latency_p50_us'] < 62"
}

@test "closed loop, warm-up, deadline, and the end of the run in the middle of the program" {
    ranges closed:1 macro 50
    printf '%s\n' 'requests: 5' 'warmup: 2' 'deadline_us: 5' 'priority: -1' >>r.yaml
    ran --until end
    asked "q['measured'] == 5 and q['completed'] == 7 and q['deadline_misses'] == 5"
    asked "a['launches'] == 7 and a['completions'] == 0"
    asked "10 < q['latency_max_us'] < 10.4 and q['load'] == 1"
    ranges closed:2 macro 50
    echo 'requests: 6' >>r.yaml
    ran --until end
    asked "20 < q['latency_max_us'] < 20.7 and q['queue_max'] == 2"
}

@test "a program that ends starts again until its requests are answered" {
    ranges periodic:20k push 3
    echo 'requests: 8' >>r.yaml
    ran --until end
    asked "q['completed'] == 8 and a['completions'] == 2 and a['launches'] == 8"
    asked "10 < q['latency_max_us'] < 10.4"
}

@test "a program without such a range is told so" {
    ranges periodic:20k push 3
    sed -i 's/ranges: serve/ranges: server/' r.yaml
    corun run ./r.yaml --gpu rtx2060 --alone skip --until end
    ended 0
    shows "the program has begun no range 'server'"
    ran --until end
    asked "q['completed'] == 0 and a['completions'] == 1"
}

@test "a range within a range of the same name is told once" {
    ranges closed:1 push 4 nested
    echo 'requests: 8' >>r.yaml
    corun run ./r.yaml --gpu rtx2060 --alone skip --until end --json r.json
    ended 0
    shows "range 'serve' begins before the end of the last range 'serve': each is a request"
    [ "$(grep -c "begins before the end" <<<"$output")" = 1 ]
    asked "q['completed'] == 8 and a['launches'] == 4"
    ranges closed:1 push 4
    echo 'requests: 4' >>r.yaml
    corun run ./r.yaml --gpu rtx2060 --alone skip --until end --json r.json
    ended 0
    [ "$(grep -c "begins before the end" <<<"$output")" = 0 ]
    asked "q['completed'] == 4 and a['launches'] == 4"
}

@test "wrong keys, with a caret" {
    ranges periodic:20k push 3
    sed -i '/^arrivals/d' r.yaml
    corun run ./r.yaml
    refused "'ranges' needs 'arrivals'"
    placed ./r.yaml 3 serve
    ranges periodic:20k push 3
    sed -i "s/ranges: serve/ranges: ''/" r.yaml
    corun run ./r.yaml
    refused "'ranges' is the name of ranges"
    ranges periodic:20k push 3
    sed -i '/^ranges/d' r.yaml
    corun run ./r.yaml
    refused "'arrivals' with 'program' needs 'ranges'"
    printf '%s\n' 'app: p' 'module: x.ptx' 'steps: []' 'ranges: serve' >m.yaml
    corun run ./m.yaml
    refused "'ranges' goes with 'program' only"
}

# filled FILE EXPRESSION: an expression over n, the times that an app got SMs of the other
filled() {
    python3 -c 'import json, sys
n = json.load(open(sys.argv[1]))["policy_stats"]["spatial"]["filled_questions"]
assert eval(sys.argv[2]), n' "$1" "$2"
}

@test "under spatial a program keeps its SMs between requests, until the last is answered" {
    printf '0\n50\n100\n150\n' >times
    ranges trace:times push 50
    local run=(./r.yaml mm:size=test --gpu rtx2060 --alone skip --until window --output-to .)
    corun run "${run[@]}" --quiet --policy spatial --cycles 200000 --json before.json
    ended 0
    filled before.json 'n == 0'
    rm served.stdout
    corun run "${run[@]}" --quiet --policy spatial --cycles 250000 --json after.json
    ended 0
    filled after.json 'n > 0'
}
