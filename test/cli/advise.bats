#!/usr/bin/env bats
# corun advise: the best split for a goal, compared with a sweep over all splits.
load common

sweep() { # APP APP OPTION...: sweep.json, all splits of maxwell16, in steps of $step SMs
    local all="" k
    for ((k = ${step:-1}; k < 16; k += ${step:-1})); do all+=",spatial[split=$k/$((16 - k))]"; done
    all=${all#,}
    corun compare "$@" --policies "$all" --json sweep.json --quiet
    ended 0
}

# GOAL BUDGET APP APP: the advice within the budget is within 1 % of the sweep's best split; the
# advice that simulates all splits is the best split
advise() {
    local budget
    sweep "${@:3}"
    for budget in "$2:0.01" 100:0; do
        corun advise "${@:3}" --goal "$1" --budget "${budget%:*}" --json advice.json --quiet
        ended 0
        python3 "$HERE/advise.py" sweep advice.json sweep.json "${budget#*:}"
    done
}

@test "the advice is the best split of the sweep, within a part of its warp instructions" {
    advise 'max ws' 20 vecadd:size=test mm:size=test
    advise 'min antt' 60 hotspot:size=test kmeans:size=test
    advise 'max fairness' 30 nbody:size=test gups:size=test
}

listed() { # ADVICE: policies of the candidates
    python3 -c 'import json, sys
print(",".join(s["policy"] for s in json.load(open(sys.argv[1]))["splits"]))' "$1"
}

# WAYS STEP APP APP OPTION...: with a budget of 100, the advice is the best of a sweep over the
# policies of the list
advise_under() {
    corun advise "${@:3}" --under "$1" --step "$2" --budget 100 --json advice.json --quiet
    ended 0
    corun compare "${@:3}" --policies "$(listed advice.json)" --json sweep.json --quiet
    ended 0
    python3 "$HERE/advise.py" sweep advice.json sweep.json 0
}

@test "under several policies the advice is the best of a sweep over the listed splits" {
    advise_under all 4 bfs:size=test mm:size=test
    list=$(listed advice.json)
    [[ $list == 'spatial[split=4/12],'*',fixed[blocks=1/9],'* ]]
    advise_under spatial,fixed 8 vecadd:size=test hotspot:size=test
    advise_under mig,mps 64 gups:size=test mm:size=test --gpu h100 --set launch.latency_ns=0 \
        --until window --cycles 1500
    list=$(listed advice.json)
    [ "$list" = "$(printf '%s,' 'mps[percent=49/52]' 'mps[percent=97/4]' 'mps[static=8/8]')$(
        )mig[profiles=3g/4g],mig[profiles=4g/3g]" ]
}

@test "under several policies: threads change nothing, values are recomputed, refusals are told" {
    for threads in 1 3; do
        corun advise vecadd:size=test mm:size=test --under all --threads $threads \
            --json $threads.json
        ended 0
    done
    cmp 1.json 3.json
    python3 "$HERE/advise.py" self 1.json
    shows "candidates: all 15 splits of 16 SMs under spatial, 7 under mps[percent], 7 under green, "
    shows "blocks under fixed; "
    shows "left out: mps[static]: static partitions need compute capability 8.0"
    shows "left out: mig: the machine has no MIG: a100, h100 and h200 have"
}

@test "a machine with every way: lists, predictions of each kind, no split with equal SMs twice" {
    corun advise stencil:size=test vecadd:size=test --under all --budget 40 --json all.json \
        --set host.capability=8.0 --set map.channels=8 --set mig.sms_1g=2 --set mig.sms_2g=4 \
        --set mig.sms_3g=6 --set mig.sms_4g=8
    ended 0
    shows "under green, 2 under mig"
    python3 "$HERE/advise.py" self all.json
    python3 "$HERE/advise.py" once all.json
    list=$(listed all.json)
    [[ $list == *',mps[static=1/3],mps[static=2/2],mps[static=3/1],green[sms=4/12],'* ]]
    [[ $list == *',mig[profiles=3g/4g],mig[profiles=4g/3g],fixed[blocks=1/10],'* ]]
    corun advise vecadd:size=test mm:size=test bfs:size=test --under green,mig --gpu h100 \
        --set launch.latency_ns=0 --until window --cycles 1500 --step 32 --quiet --json 3.json
    ended 0
    python3 "$HERE/advise.py" self 3.json
    list=$(listed 3.json)
    [[ $list == 'green[sms=32/32/68],'*',mig[profiles=2g/2g/3g],'* ]]
    [[ $list == *'mig[profiles=1g.quarter/2g/4g],'* ]]
    # no list leaves a larger profile possible
    [[ $list != *'1g/'* ]]
}

@test "the JSON is recomputed from its runs; threads and the cache change nothing" {
    for threads in 1 3; do
        corun advise bfs:size=test mm:size=test --threads $threads --json $threads.json --quiet
        ended 0
    done
    cmp 1.json 3.json
    corun advise bfs:size=test mm:size=test --alone fresh --json fresh.json --quiet
    ended 0
    cmp 1.json fresh.json
    python3 "$HERE/advise.py" self 1.json
    corun run bfs:size=test --json 16.alone --quiet
    cycles=$(python3 -c 'import json; print(json.load(open("16.alone"))["cycles"])')
    corun run bfs:size=test --policy 'spatial[split=1]' --cycles "$cycles" --json 1.alone --quiet
    python3 "$HERE/advise.py" alone 1.json 1.alone 16.alone
}

@test "bounds: met by the best split, and told with the nearest split if no split meets them" {
    corun advise vecadd:size=test mm:size=test --goal 'mm <= 1.6, max ws' --json met.json
    ended 0
    shows "is best with mm<=1.6 (weighted speedup"
    python3 "$HERE/advise.py" self met.json
    corun advise vecadd:size=test mm:size=test --goal 'all<=1.01, mm<=1.02' --json not.json
    ended 0
    shows "split meets vecadd<=1.01, mm<=1.02" " is nearest"
    shows "instead of at most 1.0"
    corun advise vecadd:size=test mm:size=test --goal 'mm<=1.3'
    ended 0
    shows "no simulated split meets mm<=1.3, by prediction spatial[split=1/15] does; spatial[split="
    python3 "$HERE/advise.py" self not.json
}

# Requests of vecadd, with the p99 of enough requests on most splits
served() { # OPTION...
    corun advise vecadd:n=4096,arrivals=poisson:2M,warmup=20 mm:size=test --until window \
        --cycles 400000 --step 2 "$@"
}

# bats test_tags=long
@test "p99 of requests: a bound as a multiple of alone, in us, and the least p99, as in a sweep" {
    local step=2
    sweep vecadd:n=4096,arrivals=poisson:2M,warmup=20 mm:size=test --until window --cycles 400000
    for goal in 'vecadd.p99<=6, max ws' 'mm<=1.7, vecadd.p99<=9us' 'min vecadd.p99, mm<=1.8'; do
        served --goal "$goal" --budget 100 --json all.json --quiet
        ended 0
        python3 "$HERE/advise.py" sweep all.json sweep.json 0
        served --goal "$goal" --budget 60 --json some.json --html p.html
        ended 0
        printf '%s\n' "$output" >table.txt
        python3 "$HERE/advise.py" self some.json
        python3 "$HERE/advise.py" page some.json p.html table.txt
        shows "p99 of vecadd "
    done
    grep -q '"metric": "vecadd.p99"' some.json
    served --goal 'vecadd.p99<=1' --budget 60
    ended 0
    shows "split meets vecadd.p99<=1" ", instead of at most "
    served --goal 'vecadd.p99<=1.5' --budget 60 --json - --quiet
    ended 0
    holds "d['apps'][0]['p99_bound_us'] == 1.5 * d['apps'][0]['p99_alone_us']"
}

@test "p99 of requests: too few requests, no requests" {
    served --goal 'vecadd.p99<=2' --cycles 100000
    refused "app 'vecadd': p99 needs 500 measured requests, not " \
        "give a longer window than --cycles 100000"
    corun advise vecadd:size=test,arrivals=closed:1,requests=20 mm:size=test \
        --goal 'min vecadd.p99'
    refused "app 'vecadd': p99 needs 500 measured requests, not 20" \
        "give the app requests=500 or more"
    wrong_goal 'max ws, mm.p99<=2' 9 "'mm' has no requests, and so no p99" "mm:arrivals=poisson:"
    wrong_goal 'all.p99<=2' 1 "no app has requests"
    wrong_goal 'min mm.p99' 5 "'mm' has no requests, and so no p99"
}

@test "table and sentences: candidates, cost, curves, front" {
    corun advise vecadd:size=test mm:size=test
    ended 0
    shows "vecadd + mm on maxwell16, until all-complete, goal: max ws"
    shows "candidates: all 15 splits of 16 SMs under spatial; "
    shows "cost: 4 isolated and "
    shows "slowdown alone   1 SM  16 SMs"
    shows "simulated split"
}

@test "a budget below the runs that are always made, and an app without instructions, are told" {
    corun advise vecadd:size=test mm:size=test --budget 1
    ended 0
    shows "cost: 4 isolated and 1 shared runs"
    shows "the isolated runs and the first shared run, which are always made, exceed 1 %"
    corun advise gemm-wgmma:m=2,n=2,k=1 mm:size=test --gpu h100 --set sm.count=16 \
        --set sm.gpcs=16 --until window --cycles 3000
    refused "app 'gemm-wgmma' issues no instruction in the window" \
        "give a longer window than --cycles 3000"
}

@test "three apps, steps of SMs, a window, an app file" {
    corun advise vecadd:size=test mm:size=test bfs:size=test --step 4 --json - --quiet
    ended 0
    holds "[s['sms'] for s in d['splits']] == [[4, 4, 8], [4, 8, 4], [8, 4, 4]]"
    printf '%s\n' "$output" >a.json
    python3 "$HERE/advise.py" self a.json
    corun advise mm:size=test gups:size=test --until window --cycles 4000 --step 5 --json - --quiet
    ended 0
    holds "d['until'] == 'window' and d['cycle_limit'] == 4000 and
        [s['sms'] for s in d['splits']] == [[5, 11], [10, 6], [15, 1]]"
    corun advise "$HERE/scale.yaml" mm:size=test --step 4 --json - --quiet
    ended 0
    holds "d['apps'][0]['name'] == 'scale' and d['policy'].startswith('spatial[split=')"
}

@test "the page has the answer, every candidate, the curves and the cost of the JSON" {
    corun advise bfs:size=test mm:size=test --goal 'bfs<=1.6, max ws' --under spatial,fixed \
        --html p.html --json r.json
    ended 0
    printf '%s\n' "$output" >table.txt
    python3 "$HERE/advise.py" page r.json p.html table.txt
    corun advise bfs:size=test mm:size=test --html - --quiet
    ended 0
    [[ $output == '<!doctype html>'* ]]
    corun advise bfs:size=test mm:size=test --html same --json same
    refused "--json and --html"
}

# GOAL COLUMN TEXT...: the goal is refused with a caret below the column, and the texts.
wrong_goal() {
    corun advise vecadd:size=test mm:size=test --goal "$1"
    refused "${@:3}"
    pointed "$1" "$2"
}

@test "errors of the goal have a caret and the right form" {
    wrong_goal 'max ws, vecad<=2' 9 "no app is called 'vecad'" "did you mean 'vecadd'?" \
        "apps: vecadd, mm, all"
    wrong_goal 'mm<=2, max antt' 8 "antt is better when lower: 'min antt' would be right"
    wrong_goal 'mm<=2, min ws' 8 "ws is better when higher: 'max ws' would be right"
    wrong_goal 'mm<=2, max fairnes' 12 "did you mean 'fairness'?" "metrics: max ws, "
    wrong_goal 'mm<=0.5' 5 "a bound is a slowdown of at least 1, as in mm<=1.2"
    wrong_goal 'mm<=2,mm<=3' 7 "'mm' has two bounds"
    wrong_goal 'max ws, min antt' 9 "a goal has one metric, and 'antt' is a second"
    wrong_goal 'max ws, mm<2' 9 "expected APP<=NUMBER, APP.p99<=NUMBER, all<=NUMBER, max METRIC"
    served --goal 'vecadd.p99<=0.5'
    refused "a bound on p99 is a multiple of the p99 alone, at least 1, or has the unit us, as in"
    pointed 'vecadd.p99<=0.5' 13
    served --goal 'vecadd.p99<=2, all.p99<=3, vecadd.p99<=4us'
    refused "'vecadd.p99' has two bounds"
    served --goal 'max vecadd.p99'
    refused "p99 is better when lower: 'min vecadd.p99' would be right"
    served --goal 'vecad.p99<=2'
    refused "no app is called 'vecad'" "did you mean 'vecadd'?"
    served --goal 'max ws, min vecadd.p99'
    refused "a goal has one metric, and 'vecadd.p99' is a second"
    corun advise mm:size=test
    refused "expected at least two apps"
    corun advise vecadd:size=test mm:size=test --under mps,spatail
    refused "no way of sharing is called 'spatail'" "did you mean 'spatial'?" \
        "ways: spatial, mps, green, mig, fixed, all"
    pointed "mps,spatail" 5
    corun advise vecadd:size=test mm:size=test --under mig
    refused "mig: the machine has no MIG: a100, h100 and h200 have"
    corun advise vecadd:size=test mm:size=test --step 16
    refused "16 SMs in steps of 16 are too few for 2 apps" "give a smaller --step"
}
