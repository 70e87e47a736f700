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

@test "a number of seeds" {
    corun run mm --seeds 0
    refused "--seeds"
    corun compare mm --policies leftover --seeds many
    refused "--seeds"
}
