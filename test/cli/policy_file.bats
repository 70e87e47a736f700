#!/usr/bin/env bats
# Policies from files that end the process, crash, hang or cannot be loaded: every command names
# policy and hook, and exits with 1. Good policies change nothing.
load common

# NAME STATEMENT [CODE]: writes NAME.c, a policy executing the statement at each block's end.
policy() {
    cat >"$1.c" <<END
#include "corun/policy.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
$3
static void told(void *state, const struct corun_view *view, const struct corun_event *event)
{
    (void)state, (void)view;
    if (event->kind == CORUN_BLOCK_END) { $2; }
}
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "$1",
    .sentence = "For a test.", .watch = told};
END
}

# Compiles NAME.c to NAME.so.
object() {
    mkdir -p corun
    cp "$HERE/../../include/corun/"*.h corun
    cc -shared -fPIC -I. -o "$1.so" "$1.c"
}

# NAME HOW: run, compare and a sweep end with 1 and report: ./NAME.so did HOW, in `watch`.
named_by_all() {
    local where="policy-failed: in \`watch\` of ./$1.so at cycle "
    object "$1"
    no_sanitizer
    corun run "${FEW[@]}" mm:size=test --policy "./$1.so" --hook-seconds 1 --json result.json
    ended 1
    says "$where" "$2"
    output=$(<result.json)
    holds "d['schema'] == 'corun-result/1' and d['status'] == 'policy-failed' and d['cycles'] > 0"
    holds "d['policy'] == './$1.so' and 'in \`watch\` of' in d['fault']['what']"
    corun compare "${FEW[@]}" mm:size=test --policies "leftover,./$1.so+fair" --hook-seconds 1 \
        --json - --threads 2
    ended 1
    says "$where" "$2"
    holds "d['schema'] == 'corun-compare/1' and d['runs'][1]['policy'] == './$1.so+fair'"
    holds "[r['status'] for r in d['runs']] == ['completed', 'policy-failed']"
    printf 'apps: [[mm:size=test]]\npolicies: [leftover, ./%s.so]\n' "$1" >sweep.yaml
    corun sweep sweep.yaml -o "$1.db" --hook-seconds 1
    ended 1
    says "mm:size=test under ./$1.so on maxwell16: $where" "$2"
    shows "1 failed"
    [[ $(reason_in "$1.db" policy-failed) == "${where#*: }"*"$2"* ]]
}

reason_in() { # reason of a run with the status
    python3 -c 'import sqlite3, sys
(reason,), = sqlite3.connect(sys.argv[1]).execute("SELECT reason FROM run WHERE status = ?",
                                                  (sys.argv[2],))
print(reason)' "$@"
}

@test "a hook that calls exit(0)" {
    policy quits 'exit(0)'
    named_by_all quits "the process ended with exit status 0"
}

@test "a hook that crashes" {
    policy falls '*(volatile int *)(size_t)8 = 1'
    named_by_all falls "killed by signal 11 (Segmentation fault)"
}

@test "a hook that aborts" {
    policy aborts 'abort()'
    named_by_all aborts "killed by signal 6 (Aborted)"
}

# bats test_tags=long
@test "a hook that does not come back" {
    policy loops 'for (volatile int i = 0;; i = 1 - i) continue'
    named_by_all loops "no return within 1 s of processor time"
}

# bats test_tags=long
@test "what crashed in a hook is run again with --retry" {
    keep_compiled
    policy quits 'if (getenv("QUIT")) exit(0)'
    printf 'apps: [[mm:size=test]]\npolicies: [leftover, ./quits.c]\n' >sweep.yaml
    QUIT=1 corun sweep sweep.yaml -o quits.db
    ended 1
    reason_in quits.db policy-failed
    corun sweep sweep.yaml -o quits.db
    ended 1
    shows "0 run now" "1 failed"
    corun merge quits.db -o all.db
    ended 1
    shows "1 failed"
    corun sweep sweep.yaml -o quits.db --retry
    ended 0
    shows "1 run now"
    corun merge quits.db -o all.db
    ended 0
    shows "1 replaced failed points"
}

# bats test_tags=long
@test "compare keeps the runs of the policies that are well" {
    policy quits 'exit(0)'
    policy loops 'for (volatile int i = 0;; i = 1 - i) continue'
    policy fine ''
    policy built '' '__attribute__((constructor)) static void build(void) { _exit(0); }'
    for name in quits loops fine built; do object $name; done
    corun compare "${FEW[@]}" mm:size=test vecadd:size=test --policies spatial,leftover,./fine.so \
        --json well.json
    ended 0
    for threads in 1 3; do
        corun compare "${FEW[@]}" mm:size=test vecadd:size=test --threads $threads \
            --policies ./quits.so,spatial,./loops.so,./built.so,leftover,./fine.so \
            --hook-seconds 1 --json c.json --html c.html
        ended 1
        shows "./quits.so  policy-failed" "./loops.so  policy-failed" "./built.so  policy-failed"
        says 'in `watch` of ./quits.so at cycle' 'in `watch` of ./loops.so at cycle' \
            "within 1 s of processor time" "while ./built.so was loaded"
        [ "$(grep -c policy-failed <<<"$stderr")" = 3 ]
        [ "$(grep -o ">policy-failed<" c.html | wc -l)" = 3 ]
        python3 - <<'END'
import json
def runs(path):
    kept = [r for r in json.load(open(path))['runs'] if r['status'] == 'completed']
    for r in kept:
        del r['host']
    return kept
assert len(runs('c.json')) == 3 and runs('c.json') == runs('well.json')
END
    done
}

# bats test_tags=long
@test "a program that reads the JSON gets one, whenever the policy ends the process" {
    keep_compiled
    policy built '' '__attribute__((constructor)) static void build(void) { _exit(0); }'
    policy gone '' '__attribute__((destructor)) static void leave(void) { _exit(0); }'
    for policy in built:loaded gone:unloaded; do
        where="while ./${policy%:*}.c was ${policy#*:}: the process ended"
        corun run "${FEW[@]}" mm:size=test --policy "./${policy%:*}.c" --json -
        ended 1
        says "policy-failed: $where"
        holds "d['status'] == 'policy-failed' and '$where' in d['fault']['what']"
        corun check "${FEW[@]}" "./${policy%:*}.c" --json -
        ended 1
        says "policy-failed: $where"
        holds "d['schema'] == 'corun-check/1' and not d['right'] and not d['interrupted']"
        holds "[p['name'] for p in d['properties'] if p['verdict'] == 'broken'] == ['answers']"
        holds "'$where' in d['properties'][0]['why']"
    done
    printf 'apps: [[mm:size=test]]\npolicies: [./gone.c]\n' >sweep.yaml
    corun sweep sweep.yaml -o gone.db
    says "while ./gone.c was unloaded"
}

@test "a hook that closes what is not its own" {
    keep_compiled
    policy closes 'for (int i = 0; i < 1000; i++) close(i)'
    corun run "${FEW[@]}" mm:size=test --policy ./closes.c --json result.json
    ended 1
    says "policy-failed: ./closes.c closed descriptors of corun"
    output=$(<result.json)
    holds "d['status'] == 'policy-failed'"
    corun compare "${FEW[@]}" mm:size=test --policies leftover,./closes.c
    ended 1
    shows "./closes.c  policy-failed"
}

@test "a hook that breaks a pipe" {
    policy pipes 'raise(SIGPIPE)'
    corun run "${FEW[@]}" mm:size=test --policy ./pipes.c
    ended 1
    says 'policy-failed: in `watch` of ./pipes.c at cycle' "killed by signal 13 (Broken pipe)"
}

# bats test_tags=long
@test "what a hook prints does not get into the result" {
    keep_compiled
    policy prints 'puts("printed by it")'
    corun run "${FEW[@]}" mm:size=test --policy ./prints.c --json - --interval 100 --csv rows.csv
    ended 0
    says "printed by it"
    holds "d['status'] == 'completed'"
    corun run "${FEW[@]}" mm:size=test --policy ./prints.c --interval 100 --csv -
    ended 0
    [ "$output" = "$(<rows.csv)" ]
    corun compare "${FEW[@]}" mm:size=test --policies leftover,./prints.c --json -
    ended 0
    holds "d['schema'] == 'corun-compare/1'"
    corun check --set sm.count=4 ./prints.c --json -
    ended 0
    holds "d['right']"
}

# SIGNAL COMMAND...: sends the signal when the file `there` appears, -SIGNAL to a command that
# ignores the signal; sets $status, $stderr, $output.
interrupt() {
    rm -f there
    python3 - "$1" "$CORUN" "${@:2}" >how.txt <<'END'
import os, signal, subprocess, sys, time
name, *command = sys.argv[1:]
which = getattr(signal, 'SIG' + name.lstrip('-'))
how = signal.SIG_IGN if name[0] == '-' else signal.SIG_DFL
p = subprocess.Popen(command, stderr=open('err.txt', 'w'), stdout=open('out.txt', 'w'),
                     preexec_fn=lambda: signal.signal(which, how))
while not os.path.exists('there'):
    assert p.poll() is None
    time.sleep(0.01)
p.send_signal(which)
try:
    print(p.wait())
finally:
    p.kill()
END
    status=$(<how.txt)
    stderr=$(<err.txt)
    output=$(<out.txt)
}

# bats test_tags=long,every
@test "a hook that sleeps or loops does not keep corun from ending" {
    keep_compiled
    local there='close(open("there", O_CREAT, 0600))'
    policy sleeps "$there; for (;;) pause()"
    policy loops "$there; for (volatile int i = 0;; i = 1 - i) continue"
    policy built '' "__attribute__((constructor)) static void build(void)
    {
        $there;
        for (;;) pause();
    }"
    for policy in sleeps loops; do
        interrupt INT run "${FEW[@]}" mm:size=test --policy ./$policy.c --hook-seconds 0 \
            --json result.json
        ended 130
        says "interrupted: in \`watch\` of ./$policy.c at cycle" "no return within 2 s"
        output=$(<result.json)
        holds "d['status'] == 'interrupted'"
    done
    interrupt TERM compare "${FEW[@]}" mm:size=test --policies leftover,./sleeps.c --json -
    ended 143
    says 'interrupted: in `watch` of ./sleeps.c'
    holds "d['runs'][0]['policy'] == './sleeps.c' and d['runs'][0]['status'] == 'interrupted'"
    interrupt TERM run "${FEW[@]}" mm:size=test --policy ./built.c
    ended 143
    says "interrupted: while ./built.c was loaded"
    policy naps "if (access(\"there\", F_OK)) { $there; sleep(3); }"
    interrupt -INT run "${FEW[@]}" mm:size=test --policy ./naps.c --quiet
    ended 0
}

@test "an interrupted check shows what it has" {
    keep_compiled
    policy sleeps 'close(open("there", O_CREAT, 0600)); for (;;) pause()'
    for args in "" "--json -"; do
        interrupt INT check "${FEW[@]}" ./sleeps.c $args --threads 2
        ended 130
        says "interrupted: " "scenarios are missing"
        [ -n "$args" ] || shows "./sleeps.c on maxwell16" "untested  skip"
    done
    holds "d['interrupted'] and not d['right'] and d['scenarios'] < 5"
}

@test "a hook that ends its process as a user would" {
    policy leaves 'raise(SIGTERM)'
    corun run "${FEW[@]}" mm:size=test --policy ./leaves.c
    ended 1
    says 'in `watch` of ./leaves.c' "killed by signal 15 (Terminated)"
}

@test "a constructor that ends the process" {
    keep_compiled
    policy built '' '__attribute__((constructor)) static void build(void) { _exit(0); }'
    printf 'apps: [[mm:size=test]]\npolicies: [leftover, ./built.c]\n' >sweep.yaml
    for command in "run mm:size=test --policy ./built.c" "check ./built.c" "show policy ./built.c" \
        "compare mm:size=test --policies leftover,./built.c"; do
        corun $command
        ended 1
        says policy-failed ./built.c "the process ended with exit status 0"
    done
    corun sweep sweep.yaml -o built.db
    refused sweep.yaml:2:22: "policy-failed: while ./built.c was loaded" "with exit status 0"
}

# bats test_tags=long
@test "a shared object that was cut short" {
    policy whole ''
    object whole
    corun run "${FEW[@]}" mm:size=test --policy ./whole.so
    ended 0
    printf 'apps: [[mm:size=test]]\npolicies: [./cut.so]\n' >sweep.yaml
    for bytes in 12288 8192 4096 1000 100; do
        head -c "$bytes" whole.so >cut.so
        for command in "run mm:size=test --policy ./cut.so" "check ./cut.so" \
            "compare mm:size=test --policies ./cut.so" "show policy ./cut.so" \
            "sweep sweep.yaml -o cut.db"; do
            corun $command
            [ "$status" = 1 ] || [ "$status" = 2 ]
            says ./cut.so
        done
    done
}

# bats test_tags=long
@test "a policy from a file gives what the shipped one of the same source does" {
    keep_compiled
    cat >same.py <<'END'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
for r in a.get('runs', [a]) + b.get('runs', [b]):
    for key in ('host', 'input_hash', 'policy'):
        r.pop(key)
assert a == b
END
    SOURCE=$HERE/../../src/policy
    corun run mm:size=test hotspot:size=test --policy smk-even+fair --json shipped.json
    ended 0
    corun run mm:size=test hotspot:size=test --policy "$SOURCE/blocks/smk_even.c+fair" \
        --json file.json
    ended 0
    output=${output//$'\n'/ } # a header line is broken where the path of this checkout ends
    shows "policy $SOURCE/blocks/smk_even.c+fair: completed after"
    python3 same.py shipped.json file.json
    for threads in 1 3; do
        corun compare mm:size=test hotspot:size=test --threads $threads --json shipped.json \
            --policies smk-even,warped-slicer,leftover
        ended 0
        corun compare mm:size=test hotspot:size=test --threads $threads --json file.json \
            --policies "$SOURCE/blocks/smk_even.c,$SOURCE/blocks/warped_slicer.c,leftover"
        ended 0
        python3 same.py shipped.json file.json
    done
}

@test "what asks corun to end reaches the run of a policy from a file" {
    policy waits 'if (access("there", F_OK)) { close(open("there", O_CREAT, 0600)); sleep(9); }'
    object waits
    for signal in INT TERM; do
        rm -f there
        python3 - "$CORUN" "$signal" <<'END'
import os, signal, subprocess, sys, time
which = getattr(signal, 'SIG' + sys.argv[2])
p = subprocess.Popen([sys.argv[1], 'run', 'mm:size=test', '--policy', './waits.so', '--quiet'],
                     preexec_fn=lambda: signal.signal(which, signal.SIG_DFL))
while not os.path.exists('there'):
    assert p.poll() is None
    time.sleep(0.01)
with open('/proc/%d/task/%d/children' % (p.pid, p.pid)) as f:
    copy, = f.read().split()
p.send_signal(which)
assert p.wait() in (-which, 128 + which), p.returncode
while os.path.exists('/proc/' + copy):
    time.sleep(0.01)
END
    done
}

# NAME HOOK PARAMETERS STATEMENT: writes NAME.c, a policy with a hook to execute STATEMENT.
hook() {
    cat >"$1.c" <<END
#include "corun/policy.h"
static void it(void *state, const struct corun_view *view, $3)
{
    (void)state, (void)view;
    $4;
}
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "$1",
    .sentence = "For a test.", .state_bytes = 4, .$2 = it};
END
}

# bats test_tags=long
@test "a hook that writes beyond what it fills, or beyond its state" {
    keep_compiled
    local n='view->sm_n * view->kernel_n' sm='uint32_t sm, uint32_t *answer'
    hook target share 'uint32_t *answer' "answer[$n] = 1"
    hook before share 'uint32_t *answer' 'answer[-1] = 1'
    hook admits admit 'bool *answer' 'answer[view->kernel_n] = false'
    hook quotas quota "$sm" '(void)sm; answer[view->kernel_n + 1] = 5'
    hook ranks dram_rank "$sm" '(void)sm; answer[view->app_n] = 5'
    sed -i 's/void it/enum corun_rule it/; s/ = 5;/ = 5; return CORUN_NO_RULE;/' ranks.c
    hook entries l1_entries 'uint32_t sm, struct corun_entries *answer' \
        '(void)sm; answer[view->app_n].mshrs = 5'
    hook stored watch 'const struct corun_event *event' '(void)event; ((uint32_t *)state)[1] = 5'
    for policy in target:share before:share admits:admit quotas:quota ranks:dram_rank \
        entries:l1_entries stored:watch; do
        corun run "${FEW[@]}" mm:size=test --policy "./${policy%:*}.c" --alone skip \
            --json result.json
        ended 1
        what='the answer buffer'
        [ "$policy" != stored:watch ] || what="the policy's state"
        says "policy-failed: \`${policy#*:}\` of ${policy%:*} wrote beyond $what at cycle 0"
        output=$(<result.json)
        holds "d['status'] == 'policy-failed' and 'wrote beyond' in d['fault']['what']"
    done
    corun compare "${FEW[@]}" mm:size=test --policies leftover,./target.c --alone skip
    ended 1
    says 'policy-failed: `share` of target wrote beyond the answer buffer'
    printf 'apps: [[mm:size=test]]\npolicies: [./target.c]\nalone: skip\n' >sweep.yaml
    corun sweep sweep.yaml -o target.db
    ended 1
    says "under ./target.c on maxwell16: policy-failed"
    [[ $(reason_in target.db policy-failed) == *'`share` of target wrote beyond the answer'* ]]
    corun check "${FEW[@]}" ./target.c
    ended 1
    shows "broken    writes" '`share` of target wrote beyond the answer buffer at cycle 0' \
        ", 1 broken,"
}

@test "a hook that writes into the view" {
    hook kernels share 'uint32_t *answer' \
        '(void)answer; ((struct corun_kernel *)view->kernels)[0].grid_blocks++'
    hook resident admit 'bool *answer' '(void)answer; ((uint32_t *)view->resident)[0] ^= 1'
    hook itself watch 'const struct corun_event *event' \
        '(void)event; ((struct corun_view *)view)->app_n = 9'
    for policy in kernels:share resident:admit itself:watch; do
        corun check "${FEW[@]}" "./${policy%:*}.c"
        ended 1
        shows "broken    writes" "\`${policy#*:}\` of ${policy%:*} wrote into the view at cycle" \
            ", 1 broken,"
    done
}

# Puts temporary folders into tmp; the compiler writes its process id into `cc` and never ends.
slow_compiler() {
    mkdir tmp
    export TMPDIR=$PWD/tmp
    policy fine ''
    cat >slow <<'END'
#!/bin/sh
echo "$TMPDIR" >folder
: >"$TMPDIR/left.s"
sleep 600 &
echo $! >sleeps
mv sleeps cc
wait
END
    chmod +x slow
}

gone() { # the folder is gone and a started compiler has ended; at once or after a moment
    for ((i = 0; i < 200; i++)); do
        [ -n "$(ls tmp)" ] || { [ -f cc ] && kill -0 "$(<cc)" 2>/dev/null; } || return 0
        sleep 0.05
    done
    ls -l tmp
    return 1
}

# bats test_tags=long,every
@test "a compiler that does not end" {
    slow_compiler
    printf 'apps: [[mm:size=test]]\npolicies: [./fine.c]\n' >sweep.yaml
    for command in "run mm:size=test --policy ./fine.c" "show policy ./fine.c" \
        "sweep sweep.yaml -o x.db"; do
        CORUN_CC_SECONDS=1 CC=$PWD/slow corun $command
        refused "fine.c: the C compiler '$PWD/slow' took longer than 1 s (CORUN_CC_SECONDS)"
        [[ $(<folder) == "$PWD"/tmp/corun-* ]]
        gone
    done
}

@test "a limit of the compiler that is no number of seconds" {
    policy fine ''
    for limit in abc 0 -1 1.5; do
        CORUN_CC_SECONDS=$limit corun run mm:size=test --policy ./fine.c
        refused "CORUN_CC_SECONDS is '$limit': expected a whole number of seconds"
    done
}

@test "a policy that refuses the run without a reason, or in several lines" {
    local refuse='static const char *no(void *state, const struct corun_setup *setup,
        const struct corun_value *values, uint64_t *counters) { return REASON; }'
    policy silent '' "${refuse/REASON/\"\"}"
    policy long '' "${refuse/REASON/\"one\" \"\\n\" \"two\"}"
    sed -i 's/\.sentence/.init = no, &/' silent.c long.c
    corun run mm:size=test --policy ./silent.c
    refused "policy 'silent': refused, without a reason"
    corun run mm:size=test --policy ./long.c
    refused "policy 'long': one two"
}

# bats test_tags=long,every
@test "what ends corun ends the compiler, and its folder goes" {
    slow_compiler
    printf 'apps: [[mm:size=test]]\npolicies: [./fine.c, ./more.c]\n' >sweep.yaml
    cp fine.c more.c
    local run='run mm:size=test --policy ./fine.c --quiet'
    for command in "$run" 'sweep sweep.yaml -o x.db' 'sweep sweep.yaml --dry-run'; do
        for signal in INT TERM KILL; do
            ends_compiling "$signal" "$command"
        done
    done
}

# SIGNAL COMMAND: the signal ends the command while the compiler runs.
ends_compiling() {
    rm -f cc
    python3 - "$CORUN" "$@" <<'END'
import os, signal, subprocess, sys, time
which = getattr(signal, 'SIG' + sys.argv[2])
p = subprocess.Popen([sys.argv[1], *sys.argv[3].split()],
                     env={**os.environ, 'CC': os.getcwd() + '/slow'},
                     preexec_fn=lambda: which == signal.SIGKILL or
                     signal.signal(which, signal.SIG_DFL))
while not os.path.exists('cc'):
    assert p.poll() is None
    time.sleep(0.01)
p.send_signal(which)
assert p.wait(timeout=10) in (-which, 128 + which), p.returncode
END
    gone
}

@test "no folder is left by a policy that ends the process when it is loaded" {
    slow_compiler
    policy built '' '__attribute__((constructor)) static void build(void) { _exit(0); }'
    corun run "${FEW[@]}" mm:size=test --policy ./built.c
    ended 1
    gone
    corun run "${FEW[@]}" mm:size=test --policy ./fine.c --quiet
    ended 0
    [ -z "$(ls tmp)" ]
}

@test "--policy-log has all lines in order, with cycle and policy, whatever is skipped" {
    keep_compiled
    policy notes 'corun_log(view, "app %u, SM %u\nhidden", event->kernel, event->sm)'
    run=("${FEW[@]}" vecadd:size=test --policy ./notes.c+fair --alone skip --quiet)
    corun run "${run[@]}" --policy-log log.txt --json r.json --skip on
    ended 0
    corun run "${run[@]}" --policy-log - --skip off
    ended 0
    [ "$output" = "$(<log.txt)" ]
    python3 -c 'import json, re
lines = open("log.txt").read().splitlines()
result = json.load(open("r.json"))
assert len(lines) == result["stats"]["blocks.retired"] > 100
parts = [re.fullmatch(r"(\d+) notes: (app 0, SM [01])", line).groups() for line in lines]
cycles = [int(cycle) for cycle, line in parts]
assert cycles == sorted(cycles) and {line[-1] for cycle, line in parts} == {"0", "1"}
first = result["policy_stats"]["notes"]["log"]
assert ["cycle %s: %s" % part for part in parts[:100]] == first'
    corun run "${run[@]}" --policy-log no/such/folder/log.txt
    refused no/such/folder
    corun run "${run[@]}" --policy-log r.json --json r.json
    refused r.json
    [ ! -c /dev/full ] || corun run "${run[@]}" --policy-log /dev/full
    [ ! -c /dev/full ] || { ended 2; says "cannot write /dev/full: No space left"; }
}

@test "a reader that closes the pipe of --policy-log, or is slow, is no fault of the policy" {
    policy much 'for (int i = 0; i < 20000; i++) view->log(view, "as long as a line may be")'
    corun_pipe() { # READER OPTIONS: writes the log into a pipe
        "$CORUN" run "${FEW[@]}" mm:size=test --policy ./much.c --policy-log - --alone skip \
            --quiet ${2-} 2>err.txt | bash -c "$1" >read.txt
        echo "${PIPESTATUS[0]}" >ended.txt
    }
    corun_pipe 'head -1'
    [ "$(<ended.txt)" = 141 ]
    [ ! -s err.txt ]
    [[ $(<read.txt) == *" much: as long as"* ]]
    corun_pipe 'sleep 3; cat' '--hook-seconds 1'
    [ "$(<ended.txt)" = 0 ]
    [ ! -s err.txt ]
}

@test "refused answers are listed under the policy that gave them" {
    cat >half.c <<'END'
#include "corun/policy.h"
static void quota(void *state, const struct corun_view *view, uint32_t sm, uint32_t *of)
{
    (void)state, (void)sm;
    for (uint32_t i = 0; i < view->kernel_n; i++) of[i] = 0;
}
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "half",
    .sentence = "For a test.", .quota = quota};
END
    local policy
    for policy in ./half.c ./half.c+leftover leftover+./half.c; do
        corun run "${FEW[@]}" mm:size=test --policy $policy --alone skip --json -
        ended 0
        holds "d['policy_stats']['half']['refusals'] > 4"
        holds "len(d['policy_stats']['half']['refused']) == 4"
        holds "d['policy_stats']['half']['refused'][0].startswith('cycle 0, SM 0: a quota of 0')"
        holds "all(v['refusals'] == 0 and v['refused'] == [] for k, v in d['policy_stats'].items()
                   if k != 'half')"
        says "warning: policy ./half.c: " "answers refused or corrected" "SM 0: a quota of 0"
    done
}

@test "a line of a policy stands in the result, the first hundred of them" {
    keep_compiled
    policy notes 'view->log(view, "a block ended\nnot shown")'
    corun run "${FEW[@]}" vecadd:size=test --policy ./notes.c --alone skip
    ended 0
    shows "notes wrote " "cycle " ": a block ended"
    [[ $output != *"not shown"* ]]
    corun run "${FEW[@]}" vecadd:size=test --policy ./notes.c+fair --alone skip --json -
    ended 0
    holds "d['policy_stats']['notes']['log_lines'] == d['stats']['blocks.retired'] > 100"
    holds "len(d['policy_stats']['notes']['log']) == 100 and 'log' not in d['policy_stats']['fair']"
    holds "all(l.startswith('cycle ') and l.endswith(': a block ended')
               for l in d['policy_stats']['notes']['log'])"
}
