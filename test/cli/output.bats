#!/usr/bin/env bats
# Where results go, that results repeat, and what happens when results cannot be written.
load common

pair=(mm:size=test bfs:size=test)

@test "a table on standard output, messages elsewhere" {
    corun run "${pair[@]}" --policy spatial
    ended 0
    shows mm bfs "weighted speedup"
    [[ $stderr != *"weighted speedup"* ]]
}

@test "quiet says nothing on standard error" {
    corun run "${pair[@]}" --alone skip --quiet
    ended 0
    [ -z "$stderr" ]
}

# bats test_tags=long
@test "--json - replaces the table and has every key of the contract" {
    corun run "${pair[@]}" --policy spatial --json -
    ended 0
    holds "set('schema version input_hash gpu policy until seed status cycles skip host apps metrics
        stats policy_stats config'.split()) <= set(d)"
    holds "d['schema'] == 'corun-result/1' and d['status'] == 'completed'"
    holds "d['gpu'] == 'maxwell16' and d['policy'] == 'spatial' and d['until'] == 'all-complete'"
    holds "[a['name'] for a in d['apps']] == ['mm', 'bfs']"
    holds "all(a['checked'] is True for a in d['apps'])"
    holds "all(set('''name cycles completions launches warp_instructions thread_instructions
        ipc_thread ipc_warp alone_ipc_thread normalized_ipc checked kernels stats
        totals'''.split()) <= set(a) for a in d['apps'])"
    holds "all(set('''name registers_per_thread shared_bytes block_threads blocks_per_sm
        limiter'''.split()) <= set(k) for a in d['apps'] for k in a['kernels'])"
    holds "all(d['metrics'][k] > 0 for k in '''weighted_speedup antt harmonic_speedup fairness
        max_slowdown instruction_throughput'''.split())"
    holds "set('''wall_seconds warp_instructions_per_second cycles_per_second peak_rss_bytes
        threads'''.split()) <= set(d['host'])"
    holds "all(set(v) == {'value', 'origin'} for v in d['config'].values())"
    keys="inst.warp inst.thread inst.cinst_per_minst ldst.minst ldst.req_per_minst
        ldst.stall_fraction l1.accesses l1.hits l1.merged l1.misses l1.miss_rate
        l1.reservation_fails l1.rsfail_rate l1.fail_line l1.fail_missq l1.fail_xbar l1.fail_mshr
        l1.fail_merge l2.accesses l2.misses l2.mpki dram.bytes dram.bandwidth_fraction dram.row_hits
        dram.activates sched.utilization alu.utilization stall.raw stall.idle stall.memory
        stall.compute blocks.launched blocks.retired blocks.preempted blocks.max_resident"
    for key in $keys; do
        holds "all('$key' in x['stats'] for x in [d, *d['apps']])"
    done
    holds "all(k in d['stats'] for k in ['xbar.to_l2_utilization', 'xbar.to_sm_utilization'])"
}

@test "a metric without isolated runs is null, never 0" {
    corun run "${pair[@]}" --alone skip --json -
    ended 0
    holds "d['metrics']['weighted_speedup'] is None and d['metrics']['antt'] is None"
    holds "d['apps'][0]['alone_ipc_thread'] is None and d['apps'][0]['normalized_ipc'] is None"
    holds "d['metrics']['instruction_throughput'] > 0"
}

@test "an app without a completion has checked null; the cycle limit is a status" {
    corun run mm:size=test --alone skip --cycles 50 --json -
    ended 1
    holds "d['status'] == 'cycle-limit' and d['apps'][0]['checked'] is None"
    holds "d['cycles'] == 50 and d['apps'][0]['completions'] == 0"
}

@test "a window is exactly as long as asked, and a run under it is done" {
    corun run "${pair[@]}" --alone skip --until window --cycles 20000 --json -
    ended 0
    holds "d['status'] == 'completed' and d['cycles'] == 20000"
}

@test "the same command gives the same bytes, save host and skip" {
    "$CORUN" run "${pair[@]}" --policy spatial --alone fresh --quiet --json a.json
    "$CORUN" run "${pair[@]}" --policy spatial --alone fresh --quiet --json b.json
    "$HERE/same.py" a.json b.json
    "$CORUN" run "${pair[@]}" --policy spatial --alone cached --quiet --json c.json
    "$HERE/same.py" a.json c.json
    "$CORUN" run "${pair[@]}" --policy spatial --alone cached --quiet --json - >d.json
    "$HERE/same.py" a.json d.json
}

@test "skipping on and off give the same bytes" {
    "$CORUN" run "${pair[@]}" --policy spatial --alone skip --quiet --skip on --json on.json
    "$CORUN" run "${pair[@]}" --policy spatial --alone skip --quiet --skip off --json off.json
    "$HERE/same.py" on.json off.json
    grep -q '"skip": *\(true\|"on"\)' on.json
    grep -q '"skip": *\(false\|"off"\)' off.json
}

@test "another seed is another run, and says so" {
    "$CORUN" run "${pair[@]}" --alone skip --quiet --seed 1 --json a.json
    "$CORUN" run "${pair[@]}" --alone skip --quiet --seed 2 --json b.json
    run "$HERE/same.py" a.json b.json
    [ "$status" = 1 ]
}

@test "a damaged cache entry is made again" {
    export CORUN_CACHE=$PWD/cache
    "$CORUN" run vecadd:size=test --quiet --json a.json
    [ -n "$(ls -A cache)" ]
    for f in $(find cache -type f); do head -c 10 /dev/urandom >"$f"; done
    "$CORUN" run vecadd:size=test --quiet --json b.json
    "$HERE/same.py" a.json b.json
    for f in $(find cache -type f); do : >"$f"; done
    "$CORUN" run vecadd:size=test --quiet --json b.json
    "$HERE/same.py" a.json b.json
}

@test "a cache that cannot be written is no reason to fail" {
    : >file
    CORUN_CACHE=$PWD/file/in corun run vecadd:size=test --quiet --json -
    ended 0
    holds "d['metrics']['weighted_speedup'] is not None"
}

@test "a result file is replaced whole" {
    echo old >r.json
    corun run vecadd:size=test --alone skip --json r.json
    ended 0
    python3 -m json.tool r.json >/dev/null
    [ "$(ls -A | sort | tr '\n' ' ')" = "r.json scale.ptx scale.yaml " ]
}

@test "a run that is refused leaves an old result alone" {
    echo old >r.json
    corun run vecadd:size=test --policy nothing --json r.json
    refused
    [ "$(cat r.json)" = old ]
}

@test "a device or a pipe is written, not renamed over" {
    corun run vecadd:size=test --alone skip --json /dev/null
    ended 0
    [ -c /dev/null ]
    mkfifo pipe
    cat pipe >got.json &
    corun run vecadd:size=test --alone skip --json pipe
    ended 0
    wait
    [ -p pipe ]
    python3 -m json.tool got.json >/dev/null
}

@test "a path that names an open descriptor is written at its position" {
    local here=(run vecadd:size=test --alone skip --quiet)
    for path in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
        { echo first; "$CORUN" "${here[@]}" --csv $path; echo last; } >all
        [ "$(head -1 all)$(tail -1 all)" = firstlast ]
        grep -q '^"vecadd",inst.warp,' all
    done
    echo kept >log
    "$CORUN" "${here[@]}" --csv /dev/stderr 2>>log
    [ "$(head -1 log)" = kept ]
    exec 9>>log
    "$CORUN" "${here[@]}" --json /proc/self/fd/9
    exec 9>&-
    [ "$(head -1 log)$(tail -1 log)" = "kept}" ]
    ln -s /dev/fd/1 link
    [ "$("$CORUN" "${here[@]}" --json link | head -1)" = "{" ]
    [ -L link ]
    corun run vecadd:size=test --alone skip --json - --csv /dev/stdout
    refused "two results would go to /dev/stdout: --json and --csv"
}

@test "a result is not put in the place of standard output's file" {
    "$CORUN" run vecadd:size=test --alone skip --json f >f 2>err || status=$?
    [ $status = 2 ]
    grep -q -- '--json would replace the file of standard output' err
    [ ! -s f ]
}

@test "a link to no file is followed" {
    ln -s there.json link.json
    corun run vecadd:size=test --alone skip --json there.json --csv link.json
    refused "two results would go to link.json: --json and --csv"
    corun run vecadd:size=test --alone skip --json link.json
    ended 0
    [ -L link.json ]
    python3 -m json.tool there.json >/dev/null
}

@test "/dev/full for the result" {
    [ -c /dev/full ] || skip "no /dev/full"
    corun run vecadd:size=test --alone skip --json /dev/full
    ended 2
    says /dev/full "No space left"
    [ -c /dev/full ]
}

@test "/dev/full as standard output" {
    [ -c /dev/full ] || skip "no /dev/full"
    for args in "run vecadd:size=test --alone skip" "list stats" "--help" \
        "run vecadd:size=test --alone skip --json -"; do
        status=0
        # shellcheck disable=SC2086
        "$CORUN" $args >/dev/full 2>err || status=$?
        [ "$status" = 2 ] || { echo "$args: exit status $status"; false; }
        grep -q 'No space left' err
    done
}

@test "a full disk leaves nothing half-written" {
    mkdir disk
    mount -t tmpfs -o size=8k tmpfs disk 2>/dev/null || skip "mounting needs root"
    dd if=/dev/zero of=disk/fill bs=1k 2>/dev/null || true
    corun run vecadd:size=test --alone skip --json disk/r.json
    left=$(ls -A disk)
    umount disk
    ended 2
    says disk/r.json "No space left"
    [ "$left" = fill ]
}

@test "a limit on file sizes is like a full disk" {
    small() { (ulimit -f 1 && exec "$CORUN" "$@"); }
    status=0
    small run vecadd:size=test --alone skip --json r.json 2>err.txt || status=$?
    [ "$status" = 2 ]
    grep -q 'cannot write r.json: File too large' err.txt
    ! ls | grep -q '^r\.json'
}

rows=(run vecadd:size=test --alone skip --quiet --interval 100 --json r.json)

# bats test_tags=long
@test "a disk that gets full while rows come: told, nothing half-written, the rest is there" {
    small() { (ulimit -f "$1" && shift && exec "$CORUN" "${rows[@]}" "$@"); }
    for output in "--csv r.csv" "--timeline t.json"; do
        rm -f r.json
        status=0
        # shellcheck disable=SC2086
        small 40 $output 2>err.txt || status=$?
        [ "$status" = 2 ]
        grep -q "cannot write ${output#* }: File too large" err.txt
        [ "$(ls -A | tr '\n' ' ')" = "err.txt r.json scale.ptx scale.yaml " ]
        python3 -m json.tool r.json >/dev/null
    done
    [ -c /dev/full ] || skip "no /dev/full"
    corun "${rows[@]}" --csv /dev/full --timeline t.json
    ended 2
    says "cannot write /dev/full: No space left"
    python3 -m json.tool t.json >/dev/null
    corun "${rows[@]}" --csv r.csv --timeline /dev/full
    ended 2
    says "cannot write /dev/full: No space left"
    [ "$(wc -l <r.csv)" -gt 10 ]
    status=0
    "$CORUN" "${rows[@]}" --csv - >/dev/full 2>err.txt || status=$?
    [ "$status" = 2 ]
    grep -q 'cannot write standard output: No space left' err.txt
}

@test "a full disk while rows come leaves nothing half-written" {
    mkdir disk
    mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null || skip "mounting needs root"
    corun "${rows[@]}" --csv disk/r.csv --timeline disk/t.json
    left=$(ls -A disk)
    umount disk
    ended 2
    says disk/r.csv disk/t.json "No space left"
    [ -z "$left" ]
    python3 -m json.tool r.json >/dev/null
}

@test "rows and the timeline are the same in a file, on standard output, in a pipe" {
    corun "${rows[@]}" --csv r.csv --timeline t.json
    ended 0
    "$CORUN" "${rows[@]}" --csv - >dash.csv
    "$CORUN" "${rows[@]}" --csv /dev/stdout | cat >device.csv
    cmp r.csv dash.csv
    cmp r.csv device.csv
    mkfifo pipe
    cat pipe >piped.json &
    corun "${rows[@]}" --timeline pipe
    ended 0
    wait
    [ -p pipe ]
    cmp t.json piped.json
}

@test "rows come while it runs" {
    python3 - "$CORUN" <<'END'
import subprocess, sys
p = subprocess.Popen([sys.argv[1], 'run', 'mm:n=2048', '--alone', 'skip', '--interval', '1000',
                      '--csv', '-'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
head, first = p.stdout.readline(), p.stdout.readline()
assert head.startswith('start,end,owner,') and first.startswith('0,1000,"mm",'), (head, first)
assert p.poll() is None
p.kill()
p.wait()
END
}

@test "rows of a run that cannot be are not written" {
    echo old >r.csv
    sed -i 's/args: \[1000,/args: [1000, 3,/' scale.yaml
    corun run ./scale.yaml --alone skip --interval 100 --csv r.csv --timeline t.json
    refused
    [ "$(cat r.csv)" = old ]
    [ ! -e t.json ]
    "$CORUN" "${rows[@]}" --csv r.csv
    head -1 r.csv | grep -q ^start,end,owner,
}

@test "a result into a folder that is not there or not ours" {
    corun run vecadd:size=test --alone skip --json nowhere/r.json
    ended 2
    says nowhere/r.json
    says "make the folder"
    [ ! -e nowhere ]
    corun run vecadd:size=test --alone skip --json r --timeline r
    refused "two results would go to r"
    [ ! -e r ]
    corun run vecadd:size=test --alone skip --json ../own/r --csv r
    refused "error: two results would go to r: --json and --csv"
    corun run vecadd:size=test --alone skip --json a --json b
    refused "error: --json is given twice: a would not be written"
    [ ! -e a ]
    [ ! -e b ]
    corun run vecadd:size=test --alone skip --json - --text -
    refused "only one result can go to standard output (-), not --json and --text"
    corun run ./scale.yaml --alone skip --json scale.yaml
    refused "--json would overwrite ./scale.yaml"
    corun profile ./scale.yaml --csv scale.yaml
    refused "--csv would overwrite ./scale.yaml"
    corun profile ./scale.yaml --json scale.ptx
    refused "--json would overwrite ./scale.ptx"
    corun compare ./scale.yaml --policies leftover,spatial --json scale.ptx
    refused "--json would overwrite ./scale.ptx"
    cmp scale.ptx "$HERE/scale.ptx"
    cmp scale.yaml "$HERE/scale.yaml"
    corun run vecadd:size=test --alone skip --quiet --json /dev/null --csv /dev/null
    ended 0
    corun run vecadd:size=test --alone skip --json .
    ended 2
}

@test "a result in the place of another is for no more people than that" {
    (umask 077 && : >r.json)
    "$CORUN" run vecadd:size=test --until window --cycles 100 --alone skip --quiet \
        --json r.json --csv r.csv
    [ "$(stat -c %a r.json)" = 600 ]
    [ "$(stat -c %a r.csv)" = "$(: >new && stat -c %a new)" ]
    grep -q corun-result r.json
}

@test "a reader that goes away is no crash" {
    set +o pipefail
    "$CORUN" list stats | head -1 >/dev/null
    [ "${PIPESTATUS[0]}" -lt 128 ] || [ "${PIPESTATUS[0]}" = 141 ]
}

@test "compare prints one table and writes its runs" {
    corun compare "${pair[@]}" --policies leftover,spatial --json r.json
    ended 0
    shows leftover spatial "weighted speedup"
    python3 -c 'import json
d = json.load(open("r.json"))
assert d["schema"] == "corun-compare/1"
assert [r["policy"] for r in d["runs"]] == ["leftover", "spatial"]
assert all(a["checked"] for r in d["runs"] for a in r["apps"])'
}

@test "csv and text results" {
    corun run vecadd:size=test --alone skip --csv -
    ended 0
    shows inst.warp ,
    corun run vecadd:size=test --alone skip --text -
    ended 0
    shows gpu_
}

@test "threads do not change the result" {
    "$CORUN" run "${pair[@]}" --alone skip --quiet --threads 1 --json a.json
    "$CORUN" run "${pair[@]}" --alone skip --quiet --threads 2 --json b.json
    "$HERE/same.py" a.json b.json
}

@test "names of apps are unique, and none is that of the whole GPU" {
    sed -i '/^ *dump:/d' scale.yaml
    sed 's/^app: .*/app: scale.2/' scale.yaml >two.yaml
    sed 's/^app: .*/app: gpu/' scale.yaml >gpu.yaml
    grep -q scale.2 two.yaml
    corun run ./scale.yaml ./scale.yaml ./two.yaml ./gpu.yaml ./two.yaml ./gpu.yaml --alone skip \
        --json r.json --csv r.csv
    ended 0
    output=$(<r.json)
    holds "[a['name'] for a in d['apps']] ==
           ['scale', 'scale.3', 'scale.2', 'gpu.2', 'scale.2.2', 'gpu.3']"
    [ "$(tail -n +2 r.csv | cut -d, -f1 | uniq | tr -d '"\n ')" = \
        gpuscalescale.3scale.2gpu.2scale.2.2gpu.3 ]
}
