#!/usr/bin/env bats
# A sweep as jobs of Slurm, with stand-ins for Slurm's commands: sbatch notes its arguments and runs
# the script at once. A real Slurm: make test-slurm.
load common

fakes() {
    export FAKE=$BATS_TEST_TMPDIR/fake
    mkdir -p "$FAKE/bin"
    export PATH=$FAKE/bin:$PATH
    cat >"$FAKE/bin/sbatch" <<'END2'
#!/bin/bash
# Tasks named in $FAKE/lost do not run; $FAKE/refuse: sbatch ends with that message.
if [ -e "$FAKE/refuse" ]; then cat "$FAKE/refuse" >&2; exit 1; fi
printf '%s\n' "$@" -- >>"$FAKE/words"
echo $$ >>"$FAKE/jobs"
name=0 list=0
for word; do
    case $word in
    --array=*) list=${word#*=} ;;
    --job-name=*) name=${word#*=} ;;
    esac
done
for part in ${list//,/ }; do
    for ((task = ${part%-*}; task <= ${part#*-}; task++)); do
        grep -qsx "$name $task" "$FAKE/lost" && continue
        SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_PER_TASK=2 bash "${!#}" >>"$FAKE/log" 2>&1
    done
done
echo "$$;cluster"
END2
    printf '#!/bin/bash\ncat "$FAKE/queue" 2>/dev/null || true\n' >"$FAKE/bin/squeue"
    printf '#!/bin/bash\necho 1/1/0/2\n' >"$FAKE/bin/sinfo"
    chmod +x "$FAKE"/bin/*
}

sweep_file() { # 24 points, 12 isolated runs, on few SMs; plus the arguments, a line each
    printf '%s\n' 'pairs: [vecadd:size=test, mm:size=test, bfs:size=test]' \
        'policies: [leftover, spatial]' 'rules: [{until: window, cycles: 500}]' \
        'seeds: [1, 2, 3, 4]' 'options: {sm.count: 2, map.channels: 1}' "$@" >s.yaml
}

rows() { # prints the tables, without the host's figures
    python3 - "$1" <<'END2'
import sqlite3, sys
for table in 'run', 'app', 'stat':
    rows = sqlite3.connect(sys.argv[1]).execute('select * from %s' % table)
    print('\n'.join(sorted(map(repr, rows))))
END2
}

# Hides Slurm: no folder of PATH has its commands.
no_slurm() {
    mkdir -p "$BATS_TEST_TMPDIR/empty"
    run --separate-stderr env PATH="$BATS_TEST_TMPDIR/empty" "$CORUN" "$@"
}

# bats test_tags=long
@test "--dry-run says what is to be done, and changes nothing" {
    sweep_file
    export CORUN_CACHE=$PWD/cache
    corun sweep s.yaml -o r.db --dry-run
    ended 0
    shows "24 points: 0 in r.db, 24 to run" "12 isolated runs: 0 in the cache, 12 to run" \
        "no estimate: r.db holds no run"
    corun sweep s.yaml --dry-run
    ended 0
    shows "24 points: 24 to run" "no estimate: a new database holds no run"
    [ ! -e r.db ]
    [ ! -e cache ]
    corun sweep s.yaml -o r.db --shard 1/4
    corun sweep s.yaml -o r.db --dry-run --threads 3
    ended 0
    shows "24 points: 6 in r.db, 18 to run" "with --threads 3, by the 6 runs in r.db"
    cp r.db before.db
    sed -i 's/leftover/"leftover"/; s/bfs:size=test/"bfs:size=test"/' s.yaml # other words
    corun sweep s.yaml -o r.db --dry-run --shard 1/4
    shows "6 points: 6 in r.db, 0 to run"
    cmp r.db before.db
}

@test "--dry-run says who makes isolated runs of a share of the GPU" {
    sweep_file
    sed -i 's/leftover, //' s.yaml
    echo 'alone_on: share' >>s.yaml
    corun sweep s.yaml -o r.db --dry-run
    ended 0
    shows "12 points: 0 in r.db, 12 to run" "isolated runs are part of the points" share
}

# bats test_tags=long,every
@test "--dry-run counts no point that --known has" {
    sweep_file 'alone: skip'
    corun sweep s.yaml -o known.db --shard 1/4
    corun sweep s.yaml -o r.db --known known.db --dry-run
    ended 0
    shows "18 points: 0 in r.db, 18 to run"
    corun sweep s.yaml -o r.db --known known.db
    shows "18 points in r.db: 18 run now"
}

@test "--dry-run tells of a file that is wrong, and of one that is no database" {
    echo 'policies: leftover' >s.yaml
    corun sweep s.yaml -o r.db --dry-run
    refused "s.yaml"
    sweep_file
    echo nonsense >r.db
    corun sweep s.yaml -o r.db --dry-run
    refused "r.db"
}

# bats test_tags=long
@test "--known: what another database has is not made" {
    sweep_file 'alone: skip'
    corun sweep s.yaml -o a.db --shard 1/4
    cp a.db before.db
    corun sweep s.yaml -o r.db --known a.db
    ended 0
    shows "18 points in r.db: 18 run now"
    cmp a.db before.db
    corun sweep s.yaml -o r.db --known none.db
    refused "none.db"
}

@test "--slurm --dry-run shows the jobs, submits and changes nothing" {
    fakes
    sweep_file
    corun sweep s.yaml -o r.db --slurm --dry-run --chunks 5
    ended 0
    [ ! -e "$FAKE/words" ]
    [ ! -e r.db ]
    [ ! -e r.db.chunks ]
    shows "--array=1-5" "--dependency=afterany:JOB" \
        'parts=(1-3/11 4-6/11 7-9/11 10-10/11 11-11/11)' \
        '--shard "${parts[SLURM_ARRAY_TASK_ID - 1]}"'
    bash -n <<<"$output"
    no_slurm sweep s.yaml -o r.db --slurm --dry-run
    ended 0
    shows "--array=1-6"
}

# bats test_tags=long
@test "chunks, then one database: that of a sweep of this machine, whatever the folder is called" {
    fakes
    mkdir "it's \"a\" \$folder; 100%j [x]*"
    cd "it's \"a\" \$folder; 100%j [x]*"
    sweep_file
    sed -i 's/, 4//' s.yaml
    export CORUN_CACHE=cache
    corun sweep s.yaml -o "r 1.db" --slurm --wait --chunks 3 --progress json \
        --sbatch "--time=5 --comment='two words'" --sbatch "-p 'long'"
    ended 0
    shows "18 points in r 1.db: 18 run now, 0 already in the database"
    says "18 of 18 points are missing" ": chunk, 3 tasks" ": isolated, 2 tasks"
    corun sweep s.yaml -o local.db
    diff <(rows "r 1.db") <(rows local.db)
    [ ! -e "r 1.db.chunks/1.db" ]
    # the words as they came: no shell has read them
    for word in --time=5 "--comment=two words" -p long --array=1-3 "--chdir=$PWD/r 1.db.chunks" \
        "$PWD/r 1.db.chunks/merge.sh"; do
        grep -Fqx -e "$word" "$FAKE/words"
    done
    { read -r first; read -r second; read -r _; } <"$FAKE/jobs"
    grep -Fqx -e "--dependency=afterany:$first" "$FAKE/words"
    grep -Fqx -e "--dependency=afterany:$second" "$FAKE/words"
}

# bats test_tags=long
@test "a chunk that has not ended is named; the same command submits it alone" {
    fakes
    sweep_file 'alone: skip'
    echo "corun-chunk 2" >"$FAKE/lost"
    corun sweep s.yaml -o r.db --slurm --wait --chunks 4
    ended 1
    shows "unfinished chunks: 2" "15 run now" "r.db.chunks/*.log" \
        "repeat the command to continue"
    rm "$FAKE/lost" "$FAKE/words"
    corun sweep s.yaml -o r.db --slurm --wait --chunks 4
    ended 0
    says "9 of 24 points are missing"
    shows "9 run now, 15 already in the database"
    grep -Fqx -e --array=2 "$FAKE/words"
    corun sweep s.yaml -o local.db
    diff <(rows r.db) <(rows local.db)
    rm "$FAKE/words"
    corun sweep s.yaml -o r.db --slurm --wait
    ended 0
    [ ! -e "$FAKE/words" ]
    shows "24 already in the database"
}

# bats test_tags=long,every
@test "what was written is kept when the last job has not come to merge it" {
    fakes
    sweep_file 'alone: skip'
    printf '%s\n' "corun-merge 0" "corun-chunk 3" >"$FAKE/lost"
    corun sweep s.yaml -o r.db --slurm --wait --chunks 4
    ended 1
    shows "the last job ended without merging"
    : >r.db.chunks/3.db # killed before the first write
    rm "$FAKE/lost"
    corun sweep s.yaml -o r.db --slurm --wait --chunks 5
    ended 0
    says "3 of 24 points are missing"
    shows "3 run now, 21 already in the database"
}

# bats test_tags=long,every
@test "while jobs are in the queue nothing is submitted again" {
    fakes
    sweep_file 'alone: skip'
    printf '%s\n' "corun-merge 0" "corun-chunk 1" >"$FAKE/lost"
    corun sweep s.yaml -o r.db --slurm --chunks 2
    ended 0
    shows "24 of 24 points are missing"
    rm "$FAKE/words"
    job=$(tail -n 1 r.db.chunks/jobs)
    printf ' %s R \n' 9999999 "$job" >"$FAKE/queue"
    corun sweep s.yaml -o r.db --slurm --chunks 2
    ended 0
    shows "nothing submitted: jobs of an earlier command are in the queue"
    [ ! -e "$FAKE/words" ]
    printf ' %s R \n' 9999999 "${job}9" >"$FAKE/queue"
    corun sweep s.yaml -o r.db --slurm --chunks 2
    shows "12 of 24 points are missing"
    # the last job has merged, though Slurm has not cleared up behind it
    : >r.db.chunks/merged
    printf ' %s CG \n' "$(tail -n 1 r.db.chunks/jobs)" >"$FAKE/queue"
    corun sweep s.yaml -o r.db --slurm --chunks 2
    shows "12 of 24 points are missing"
}

@test "points that do not complete: exit status 1, and they are not submitted again" {
    fakes
    printf '%s\n' 'apps: ./scale.yaml' 'policies: leftover' 'seeds: [1, 2]' 'alone: skip' \
        'options: {sm.count: 2}' 'rules: {until: end, cycles: 1}' >s.yaml
    corun sweep s.yaml -o r.db --slurm --wait
    ended 1
    shows "2 points in r.db: 2 run now" "2 ended abnormally"
    ! grep -qx -e --job-name=corun-isolated "$FAKE/words"
    rm "$FAKE/words"
    corun sweep s.yaml -o r.db --slurm --wait
    ended 1
    [ ! -e "$FAKE/words" ]
}

# bats test_tags=long,every
@test "what another corun made and what has changed is replaced; damage is for --repair" {
    fakes
    cp scale.yaml mine.yaml
    printf '%s\n' 'apps: [./scale.yaml, ./mine.yaml]' 'policies: leftover' 'seeds: [1, 2, 3, 4]' \
        'alone: skip' 'rules: [{until: window, cycles: 50}]' 'options: {sm.count: 2}' >s.yaml
    corun sweep s.yaml -o r.db
    ended 0
    python3 -c 'import sqlite3
with sqlite3.connect("r.db") as d:
    d.execute("update run set program = 9 where seed = 1 and apps like ?", ["%scale%"])
    d.execute("update run set cycles = 9 where seed = 2 and apps like ?", ["%scale%"])'
    sed -i 's/const 1/const 2/' mine.yaml
    corun sweep s.yaml -o r.db --slurm --wait --chunks 2
    refused "r.db is damaged" "repeat the command with --repair"
    [ ! -e "$FAKE/words" ]
    corun sweep s.yaml -o r.db --slurm --wait --chunks 2 --repair
    ended 0
    corun sweep s.yaml -o local.db
    diff <(rows r.db) <(rows local.db)
}

@test "wrong options, and a Slurm that does not do it" {
    fakes
    sweep_file
    for option in "--chunks 2" "--wait" "--sbatch -p"; do
        corun sweep s.yaml -o r.db $option
        refused "${option%% *} is only for --slurm"
    done
    for option in "--shard 1/2" "--known s.db"; do
        corun sweep s.yaml -o r.db --slurm $option
        refused "--slurm chooses ${option%% *} itself"
    done
    corun sweep s.yaml -o r.db --slurm --threads 4
    refused "--sbatch --cpus-per-task=4"
    corun sweep s.yaml -o r.db --slurm --dry-run --wait
    refused "--wait"
    corun sweep s.yaml -o r.db --dry-run --verify
    refused "--verify excludes --dry-run"
    corun sweep s.yaml -o r.db --slurm --sbatch "--comment='open"
    refused "--sbatch has no second '"
    corun sweep s.yaml -o r.db --slurm --chunks 2000
    refused "from 1 to 1000"
    echo "sbatch: error: invalid partition" >"$FAKE/refuse"
    corun sweep s.yaml -o r.db --slurm
    refused "sbatch failed: sbatch: error: invalid partition"
    no_slurm sweep s.yaml -o r.db --slurm
    refused "cannot run sbatch" "run the command on a host that can submit jobs"
}
