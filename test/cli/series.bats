#!/usr/bin/env bats
# Values over time: decisions of policies and queues in rows of --interval and in the timeline.
load common

pair=(mm gups --alone skip --until window --quiet)

# Succeeds if the Python expression holds for the rows of standard output: the cells of a column of
# an owner are col(NAME, OWNER), empty cells None.
rows_hold() {
    python3 -c 'import csv, sys
rows = list(csv.DictReader(sys.stdin))
def col(name, owner):
    return [float(r[name]) if r[name] else None for r in rows if r["owner"] == owner]
def all_are(name, value, owner):
    return bool(rows) and all(v == value for v in col(name, owner))
assert eval(" ".join(sys.argv[1].split())), sys.argv[1]' "$1" <<<"$output"
}

decides() { # POLICY EXPRESSION
    corun run "${pair[@]}" --cycles 2000 --interval 500 --csv - --policy "$1"
    ended 0
    rows_hold "$2"
}

@test "rows of intervals have the decisions in force, by app; empty: none" {
    decides leftover "all_are('decision.sms', 16, 'mm') and all_are('decision.sms', 0, 'gups')
        and all_are('decision.limit', None, 'gups') and all_are('decision.l2_ways', None, 'mm')
        and all_are('decision.dram_rank', None, 'mm') and all_are('decision.blocks', None, 'gpu')"
    decides 'spatial[split=10/6]+smil[limits=3/5]' "all_are('decision.sms', 6, 'gups')
        and all_are('decision.limit', 5, 'gups') and all_are('decision.limit', 3, 'mm')"
    decides 'fixed[blocks=2/3]+l1-mshr-split+prior-app[order=1/0]+l2-ways[ways=5/11]' "
        all_are('decision.blocks', 3, 'gups') and all_are('decision.sms', 16, 'gups')
        and all_are('decision.l2_ways', 11, 'gups') and all_are('decision.l2_ways', 5, 'mm')
        and all_are('decision.dram_rank', 0, 'gups') and all_are('decision.dram_rank', 1, 'mm')
        and all_are('decision.l1_mshrs', 64, 'gups')"
    decides 'smk-p+fair[epoch=64]+l1-ucp' "max(q or 0 for q in col('decision.quota', 'gups')) > 1
        and min(col('decision.l1_ways', 'gups')) >= 1"
    decides 'virtual-thread' "max(col('decision.extra_blocks', 'gups')) > 0"
}

@test "the row of the GPU has the counters of the policy, for example the quotas of qbmi" {
    corun run "${pair[@]}" --cycles 20000 --interval 5000 --csv - \
        --policy 'smk-p+qbmi[interval=64]' --json r.json --timeline t.json
    ended 0
    rows_hold "col('qbmi.granted_0', 'gpu')[-1] > col('qbmi.granted_1', 'gpu')[-1] > 0
        and all_are('qbmi.granted_0', None, 'mm')"
    python3 -c 'import csv, json, sys
last = list(csv.DictReader(sys.stdin))[-1]
stats = json.load(open("r.json"))["policy_stats"]["qbmi"]
assert {k: str(v) for k, v in stats.items()} == {k: last["qbmi." + k] for k in stats}, stats
events = [e for e in json.load(open("t.json"))["traceEvents"] if e["name"] == "qbmi.reloads"]
assert [e["args"] for e in events][-1:] == [{"policy": stats["reloads"]}]' <<<"$output"
}

@test "dmil moves its limit from interval to interval; the timeline has the same values" {
    corun run "${pair[@]}" --cycles 6000 --interval 500 --csv - --policy 'smk-p+dmil[interval=64]' \
        --timeline t.json
    ended 0
    rows_hold "len({v for v in col('decision.limit', 'gups') if v}) > 2"
    python3 -c 'import csv, json, sys
rows = list(csv.DictReader(sys.stdin))
events = [e for e in json.load(open("t.json"))["traceEvents"] if e["ph"] == "C"]
for name in ("decision.limit", "decision.blocks", "queue.dram"):
    of = {e["ts"]: e["args"] for e in events if e["name"] == name}
    for r in rows:
        got = of.get(int(r["end"]), {}).get(r["owner"])
        assert r["owner"] == "gpu" or got == (float(r[name]) if r[name] else None), (name, r)
    assert len(of) > 3, name' <<<"$output"
}

@test "a policy that profiles for more than half of the window is named, in the JSON, too" {
    late="has made no decision in half of the window (2000 of 4000 cycles)"
    window=(mm:size=test bfs:size=test --until window --cycles 4000 --alone skip)
    corun compare "${window[@]}" --policies 'leftover,mias,warped-slicer,maestro+fair'
    ended 0
    says "warning: mias: mias $late" "warning: warped-slicer: warped-slicer $late" \
        "warning: maestro+fair: maestro $late"
    [[ $stderr != *leftover* ]]
    corun run "${window[@]}" --policy mias --json -
    holds "len(d['warnings']) == 1 and d['warnings'][0]['text'].startswith('mias $late')"
    for policy in 'mias[profile_cycles=100]' 'warped-slicer[warm=10,sample=10,delay=10]' \
        'warped-slicer[mode=static]'; do # has decided, or does not profile
        corun run "${window[@]}" --policy "$policy" --json -
        ended 0
        holds "d['warnings'] == []"
    done
    corun run mm bfs --until window --cycles 8000 --alone skip --json - \
        --policy 'maestro[epoch=1000]'
    holds "d['warnings'] == []"
    corun run mm:size=test --until window --cycles 4000 --alone skip --policy mias --json -
    holds "d['warnings'] == []" # an app by itself: nothing to decide
}

@test "queues: the GPU has the sum of the apps; gups waits for DRAM, and skipping shows nowhere" {
    for skip in on off; do
        corun run "${pair[@]}" --cycles 3000 --interval 250 --csv - --skip $skip --policy smk-even
        ended 0
        rows_hold "max(col('queue.dram', 'gups')) > 50 and max(col('queue.l2', 'gups')) > 0"
        for queue in queue.l2 queue.dram; do
            rows_hold "[a + b for a, b in zip(col('$queue', 'mm'), col('$queue', 'gups'))]
                == col('$queue', 'gpu')"
        done
        printf '%s\n' "$output" >$skip.csv
    done
    cmp on.csv off.csv
}
