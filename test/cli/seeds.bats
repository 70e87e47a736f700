#!/usr/bin/env bats
# --seeds: results over several seeds are those of single runs; means and intervals are recomputed.
load common

pair=(mm:size=test bfs:size=test --until window --cycles 20000)

@test "run: the values of each seed, their mean and interval" {
    corun run "${pair[@]}" --policy smk-even --seed 3 --seeds 4 --json all.json --csv all.csv
    ended 0
    shows "seeds 3 to 6"
    shows "all other tables are of seed 3"
    for seed in 3 4 5 6; do
        corun run "${pair[@]}" --policy smk-even --seed $seed --json $seed.json
    done
    python3 "$HERE/seeds.py"
}

@test "one seed changes nothing; any number of threads gives the same" {
    corun run "${pair[@]}" --seeds 1 --json 1.json
    ended 0
    [[ $output != *seeds* ]]
    ! grep seeds 1.json
    for threads in 1 2; do
        corun compare "${pair[@]}" --policies leftover,smk-even --seeds 3 --threads $threads \
            --json - --quiet
        ended 0
        grep -v '"threads"\|_seconds"\|_per_second"\|"peak_rss_bytes"' <<<"$output" >$threads
    done
    cmp 1 2
}

@test "compare: means with intervals in table, verdict and page" {
    corun compare "${pair[@]}" --policies leftover,smk-even,smk-p --seeds 3 --json r.json \
        --html p.html
    ended 0
    shows "means over the seeds 1 to 3 with 95 % confidence intervals; cycles are those of seed 1"
    shows "+-0.0"
    printf '%s\n' "$output" >t
    verdict=$(python3 "$HERE/verdict.py" r.json t p.html)
    echo "$verdict"
    [[ $verdict == *" over 3 seeds): "* ]]
    [[ $verdict == *" not told apart from the best" ]]
    grep -q 'class="interval" style="left:' p.html
    grep -q 'Values are means over 3 seeds with 95 % confidence intervals' p.html
}

@test "what goes wrong with a later seed is told once, or with the seed" {
    corun compare mm:size=test --policies leftover --until all-complete --cycles 3000 --seeds 3
    ended 1
    says "cycle-limit: not all apps completed within 3000 cycles"
    [[ $stderr != *"with seed"* ]]
    corun run bfs:size=test --until all-complete --cycles 40000 --seeds 3
    ended 1
    says "with seed"
    shows "completed with "
}

@test "after an interruption the seeds that ended count" {
    local pid seconds n=
    for seconds in 1 4 16 64; do # until a seed has ended before the signal
        "$CORUN" compare mm:size=test bfs:size=test --policies leftover,smk-even --until window \
            --cycles 20000 --seeds 1000 --json r.json >t 2>messages &
        pid=$!
        sleep $seconds
        kill -TERM $pid
        status=0
        wait $pid || status=$?
        ended 143
        n=$(grep -o 'over [0-9]* seeds' t | grep -o '[0-9]*') && break
    done
    [ "$n" -ge 1 ]
    [ "$n" -lt 1000 ]
    grep -q "means over the seeds 1 to $n with 95 % confidence intervals" t
    python3 -c 'import json, sys
for r in json.load(open("r.json"))["runs"]:
    assert r["seeds"]["seeds"] == list(range(1, int(sys.argv[1]) + 1))
    assert None not in r["seeds"]["metrics"]["weighted_speedup"]["values"]' "$n"
}

@test "a number of seeds" {
    corun run mm --seeds 0
    refused "--seeds"
    corun compare mm --policies leftover --seeds many
    refused "--seeds"
}
