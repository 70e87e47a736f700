#!/usr/bin/env bats
# --memoize: launches that repeat earlier ones are not executed, and every output is as with off.
load common
load cuda

# Runs the arguments, a command of corun, with --memoize on and off, and compares what the command
# prints, and its JSON without host figures.
alike() {
    local how
    for how in on off; do
        corun "$@" --memoize "$how" --json="$how.json"
        printf '%s\n' "$status" "$output" >"$how.txt"
    done
    same_results
}

same_results() {
    python3 - <<'PYTHON'
import json
on, off = (json.load(open(how + '.json')) for how in ('on', 'off'))
for result in on, off:
    del result['host']
    for app in result['apps']:
        app.pop('repeated_launches')
assert on == off, (on, off)
PYTHON
}

# Runs a part of the program `repeats` in both ways; $2 launches of $3 are repeated.
part() {
    local how
    for how in on off; do
        corun cuda --quiet --gpu rtx2060 --skip-kernels all --memoize "$how" --json="$how.json" \
              "$(program repeats)" "$1"
        ended 0
        printf '%s\n' "$output" >"$how.txt"
    done
    cmp on.txt off.txt
    [ -s on.txt ]
    same_results
    python3 -c 'import json, sys
on, off = (json.load(open(how + ".json"))["apps"][0] for how in ("on", "off"))
got = on["repeated_launches"], on["launches"], off["repeated_launches"]
assert got == (int(sys.argv[1]), int(sys.argv[2]), 0), got' "$2" "$3"
}

@test "launches with equal memory are repeated" {
    part same 5 6
    part reset 14 18
    part counter 9 12
    part pong 8 12
    part graph 8 12
    part memory 14 18
    part pointers 9 18
    part input 3 6
    part turns 16 24
}

@test "changed memory: every launch is executed" {
    part in_place 0 6
    part copies 0 18
    part managed 0 24
    part host_count 0 6
    part symbols 0 12
    part textures 0 120
}

@test "output, heap and clocks: every launch is executed" { part outside 0 18; }

@test "a timed launch between functional ones" {
    local how
    for how in on off; do
        corun cuda --quiet --gpu rtx2060 --kernels 8 --memoize "$how" --json="$how.json" \
              "$(program repeats)" reset
        ended 0
        printf '%s\n' "$output" >"$how.txt"
    done
    cmp on.txt off.txt
    same_results
    python3 -c 'import json
a = json.load(open("on.json"))["apps"][0]
assert a["functional_launches"] == 17 and a["repeated_launches"] >= 10, a'
}

@test "app files and shipped programs" {
    cp "$HERE"/../../examples/frontier/frontier.* .
    alike run ./frontier.yaml --alone skip --quiet --skip-kernels all
    cp level.bin on.bin
    corun run ./frontier.yaml --alone skip --quiet --skip-kernels all --memoize off
    cmp level.bin on.bin
    for program in bfs kmeans srad; do
        alike run "$program" --alone skip --quiet --skip-kernels all
        alike run "$program" --alone skip --quiet --kernels 3-4
    done
}

@test "programs of the CUDA tests" {
    for name in calls graphs arrays references conditions driver driver_references per_thread \
                tensor captures; do
        for how in on off; do
            corun cuda --quiet --gpu rtx2060 --skip-kernels all --memoize "$how" \
                  --json="$how.json" "$(program "$name")"
            printf '%s\n' "$status" "$output" >"$how.txt"
        done
        cmp on.txt off.txt
        same_results
    done
}

@test "what the run says" {
    corun cuda --gpu rtx2060 --skip-kernels all --alone skip "$(program repeats)" same
    ended 0
    shows "5 of these launches repeated an earlier one"
    corun cuda --gpu rtx2060 --skip-kernels all --alone skip --memoize off "$(program repeats)" same
    ended 0
    [[ $output != *repeated* ]]
}
