#!/usr/bin/env bats
# Interrupted runs, and closed standard descriptors.
load common.bash

# SIGNAL COMMAND...: starts the command, sends the signal once the simulation runs (progress
# mentions $WHAT), waits; sets $status, $stderr, $output.
interrupt() {
    python3 - "$1" "$CORUN" "${@:2}" >how.txt <<'END'
import os, signal, subprocess, sys
name, *command = sys.argv[1:]
def defaults():
    for s in (signal.SIGINT, signal.SIGTERM): signal.signal(s, signal.SIG_DFL)
p = subprocess.Popen(command + ['--progress', 'json'], stderr=subprocess.PIPE,
                     stdout=open('out.txt', 'w'), text=True, preexec_fn=defaults)
first = p.stderr.readline() # progress: the simulation runs
while first and os.environ.get('WHAT', '') not in first: first = p.stderr.readline()
p.send_signal(getattr(signal, 'SIG' + name))
open('err.txt', 'w').write(first + p.stderr.read())
print(p.wait())
END
    status=$(cat how.txt)
    stderr=$(cat err.txt)
    output=$(cat out.txt)
}

@test "Ctrl-C ends a run with the result so far" {
    interrupt INT run mm:n=1024 vecadd:n=1000000 --alone skip --json r.json --csv r.csv \
        --timeline t.json
    ended 130
    says "interrupted in cycle" "up to the interruption"
    python3 - <<'END'
import json
d = json.load(open('r.json'))
assert d['status'] == 'interrupted', d['status']
assert d['cycles'] > 0 and d['apps'][0]['warp_instructions'] > 0
json.load(open('t.json'))
assert 'gpu,status,interrupted' in open('r.csv').read().replace('"', '')
END
    shows "interrupted after" mm vecadd
    left=$(ls -A | tr '\n' ' ')
    [ "$left" = "err.txt how.txt out.txt r.csv r.json scale.ptx scale.yaml t.json " ]
}

# bats test_tags=long
@test "Ctrl-C leaves rows and timeline whole" {
    interrupt INT run mm:n=1024 vecadd:n=1000000 --alone skip --interval 100 --json r.json \
        --csv r.csv --timeline t.json
    ended 130
    python3 - <<'END'
import csv, json
cycles = json.load(open('r.json'))['cycles']
rows = list(csv.DictReader(open('r.csv')))
assert [r['owner'] for r in rows] == ['mm', 'vecadd', 'gpu'] * (len(rows) // 3), rows[-1]
assert [int(r['end']) for r in rows[:-3:3]] == list(range(100, cycles, 100))
assert int(rows[-1]['end']) == cycles and None not in rows[-1].values()
events = json.load(open('t.json'))['traceEvents']
assert max(e['ts'] for e in events if e['ph'] == 'C') >= cycles - 100
END
    left=$(ls -A | tr '\n' ' ')
    [ "$left" = "err.txt how.txt out.txt r.csv r.json scale.ptx scale.yaml t.json " ]
}

# bats test_tags=long
@test "SIGTERM ends compare and profile, too" {
    interrupt TERM compare mm:n=1024 vecadd:n=1000000 --policies leftover,spatial --alone skip \
        --json c.json
    ended 143
    grep -q '"interrupted"' c.json
    interrupt TERM profile mm:n=1024 --until end --json p.json
    ended 143
    says "interrupted in cycle"
    python3 -m json.tool p.json >/dev/null
}

# bats test_tags=long
@test "an interrupted comparison names its policies as they were given" {
    interrupt TERM compare mm:n=1024 vecadd:n=1000000 --policies spatial,oracle --threads 2
    ended 143
    says "under spatial: interrupted in cycle" \
        "under oracle: interrupted before the first cycle; no numbers"
    [ "$(grep -c "^under" <<<"$stderr")" = 2 ]
}

# bats test_tags=long,every
@test "a window that has come to its end is not interrupted" {
    export CORUN_CACHE=$PWD/cache
    WHAT='{"run": "mm:n=1024 alone"' interrupt INT compare mm:n=1024 vecadd:n=2000000 \
        --policies leftover --until window --cycles 600k --threads 1 --json c.json
    ended 130
    says "interrupted in the isolated runs: no normalized IPC of mm"
    output=$(<c.json)
    holds "d['runs'][0]['status'] == 'completed' and d['runs'][0]['cycles'] == 600000"
    holds "d['runs'][0]['apps'][0]['normalized_ipc'] is None"
}

# bats test_tags=long
@test "an isolated run that is interrupted is not kept" {
    export CORUN_CACHE=$PWD/cache
    interrupt TERM profile mm:n=1024 --until end
    ended 143
    [ -z "$(find cache -type f 2>/dev/null)" ]
}

sweep_file() {
    cat >s.yaml <<'END'
sweep: one
apps:
  - [mm:size=test]
  - [vecadd:size=test]
  - [mm:n=1024]
  - [mm:n=1025]
rules: end
alone: skip
policies: [leftover]
END
}

@test "an interrupted sweep says how to go on" {
    sweep_file
    interrupt INT sweep s.yaml -o s.db --threads 1
    ended 130
    says "of 4 points done; repeat the command to continue"
    python3 - <<'END'
import sqlite3
db = sqlite3.connect('s.db')
assert db.execute('pragma integrity_check').fetchone()[0] == 'ok'
assert db.execute("select count(*) from run where status != 'completed'").fetchone()[0] == 0
END
}

@test "closed standard descriptors take nothing's place" {
    printf 'sweep: one\napps:\n  - [vecadd:size=test]\npolicies: [leftover]\nalone: skip\n' >s.yaml
    for closed in 0 1 2 "0 1 2"; do
        rm -f s.db
        (
            for fd in $closed; do eval "exec $fd>&-"; done
            exec "$CORUN" sweep s.yaml -o s.db --progress json --quiet
        ) || [ "$closed" != 2 ]
        python3 -c 'import sqlite3
db = sqlite3.connect("s.db")
assert db.execute("select count(*) from run where status = \"completed\"").fetchone()[0] == 1'
    done
    status=0
    "$CORUN" list gpus >&- 2>err.txt || status=$?
    [ "$status" = 2 ]
    grep -q "cannot write standard output" err.txt
}

@test "a file that cannot be read to its end" {
    ln -s /proc/self/mem x.c
    ln -s /proc/self/mem x.yaml
    printf 'sweep: one\napps:\n  - [vecadd:size=test]\npolicies: [./x.c]\nalone: skip\n' >s.yaml
    for args in "run vecadd:size=test --policy ./x.c" "compare vecadd:size=test --policies ./x.c" \
        "check ./x.c" "profile ./x.yaml" "run ./x.yaml" "run mm --gpu ./x.yaml" "ptx ./x.c"; do
        # shellcheck disable=SC2086
        corun $args
        refused "Input/output error"
    done
    corun sweep s.yaml -o s.db --quiet
    [ "$status" = 1 ] || [ "$status" = 2 ]
    says "Input/output error"
}
