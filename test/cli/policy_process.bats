#!/usr/bin/env bats
# Effects of policies from files on the process beside memory: floating-point control, the working
# directory, signals, descriptors, threads. Changes are restored and reported, or the run ends as
# policy-failed. Policies that sleep or are slow.
load common
load cuda

RUN="${FEW[*]} --until window --cycles 3000 --alone skip --quiet"

# NAME STATEMENT [CODE]: NAME.so, a policy that executes the statement every 100 cycles; n counts
# the executions. Hooks: `watch` and `timer`.
policy() {
    [ -d corun ] || { mkdir corun && cp "$HERE/../../include/corun/"*.h corun; }
    cat >"$1.c" <<END
#define _GNU_SOURCE
#include "corun/policy.h"
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static uint64_t n, at = 100;
$3
static void told(void *state, const struct corun_view *view, const struct corun_event *event)
{
    (void)state, (void)event;
    if (view->now < at) return;
    at = view->now + 100;
    n++;
    $2;
}
static uint64_t next(const void *state) { (void)state; return at; }
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "$1",
    .sentence = "For a test.", .watch = told, .events = 1u << CORUN_TIMER, .timer = next};
END
    cc -w -shared -fPIC -nostdlib -I. -o "$1.so" "$1.c" -lm
}

# APP "POLICY: TEXT"...: the app's output y.bin has the same bytes under ./calm.so and under each of
# the policies, and each policy's warning appears once.
same_bytes() {
    local app=$1 each
    shift
    corun run "$app" "${FEW[@]}" --policy ./calm.so --alone skip --quiet
    ended 0
    [ -z "$stderr" ]
    mv y.bin calm.bin
    for each; do
        corun run "$app" "${FEW[@]}" --policy "./${each%%:*}.so" --alone skip --quiet \
            --json result.json
        ended 0
        says "warning: ./${each%%:*}.so${each#"${each%%:*}"} of the process: restored"
        [ "$(grep -c warning <<<"$stderr")" = 1 ]
        cmp y.bin calm.bin
        output=$(<result.json)
        holds "len(d['warnings']) == 1 and d['warnings'][0]['where'] == './${each%%:*}.so' and
            d['warnings'][0]['count'] == 1"
    done
}

# bats test_tags=long
@test "arithmetic is the same whatever rounding a policy sets" {
    sed -e 's/ramp/const 1.1/; s/2.0, /0.3, /' scale.yaml >inexact.yaml
    policy calm ''
    policy built '' '__attribute__((constructor)) static void build(void)
                     { fesetround(FE_TOWARDZERO); }'
    policy down 'fesetround(FE_UPWARD)'
    policy late 'if (n > 3) fesetround(FE_UPWARD)'
    policy traps 'feenableexcept(FE_ALL_EXCEPT)'
    same_bytes inexact.yaml 'built: loading the code changed floating-point control' \
        'down: `watch` changed floating-point control' \
        'late: `watch` changed floating-point control' \
        'traps: `watch` changed floating-point control'
}

# bats test_tags=long
@test "subnormal numbers stay under a policy that takes them as zero" {
    [ "$(uname -m)" = x86_64 ] || skip "the control word is x86's"
    sed -e 's/ramp/const 1e-40/; s/2.0, /0.5, /' scale.yaml >small.yaml
    policy calm ''
    local zero='__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040)'
    # as -Ofast does:
    policy built '' "__attribute__((constructor)) static void build(void) { $zero; }"
    policy hook "$zero"
    policy narrow 'unsigned short word = 0x27f; __asm__ volatile("fldcw %0" : : "m"(word))'
    same_bytes small.yaml 'built: loading the code changed floating-point control' \
        'hook: `watch` changed floating-point control' \
        'narrow: `watch` changed floating-point control'
    python3 -c 'import struct
y = struct.unpack("<1000f", open("calm.bin", "rb").read())
assert all(0 < v < 6e-41 for v in y)'
    cc -w -Ofast -shared -fPIC -I. -o fast.so calm.c # the linker may set the control word
    corun run small.yaml "${FEW[@]}" --policy ./fast.so --alone skip --quiet
    ended 0
    cmp y.bin calm.bin
}

# NAME STATEMENT WHAT: a change by the hook's first call is restored and reported as WHAT.
# `all_restored` tries all changes: they are compiled as a single policy, and $WHICH selects the
# change.
restored() {
    names+=("$1") whats+=("$3")
    statements+="case ${#names[@]}: { $2; } break;
"
}

all_restored() {
    policy all "static int which; if (!which) which = atoi(getenv(\"WHICH\"));
    switch (which) { $statements }"
    for i in "${!names[@]}"; do
        cp all.so "${names[i]}.so"
        WHICH=$((i + 1)) corun run vecadd:size=test --policy "./${names[i]}.so" $RUN \
            --json "$i.json"
        ended 0
        says "warning: ./${names[i]}.so: \`watch\` changed ${whats[i]} of the process: restored"
        [ "$(stat -c %a "$i.json")" = 644 ]
    done
    python3 - "${whats[@]}" <<'END'
import json, sys
for i, what in enumerate(sys.argv[1:]):
    with open('%d.json' % i) as f:
        d = json.load(f)
    assert d['status'] == 'completed' and d['cycles'] == 3000 and len(d['warnings']) == 1, what
    assert '`watch` changed %s of the process' % what in d['warnings'][0]['text'], what
END
}

@test "a hook that changes folders, signals, limits, the locale or the environment" {
    no_sanitizer # newlocale's memory is the policy's to free
    umask 022
    restored folder 'chdir("/"); umask(0777)' "the working directory, the umask"
    restored masks 'sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, NULL)' "the signal mask"
    restored ignores 'signal(SIGTERM, SIG_IGN); signal(SIGINT, SIG_IGN)' "signal handlers"
    restored speaks 'setlocale(LC_ALL, "C.UTF-8")' "the locale"
    restored thread_speaks 'uselocale(newlocale(LC_ALL_MASK, "C.UTF-8", 0))' "the locale"
    restored limits 'struct rlimit r; getrlimit(RLIMIT_FSIZE, &r); r.rlim_cur = 10;
                     setrlimit(RLIMIT_FSIZE, &r)' "resource limits"
    restored few 'struct rlimit r; getrlimit(RLIMIT_NOFILE, &r); r.rlim_cur = 3;
                  setrlimit(RLIMIT_NOFILE, &r)' "resource limits"
    restored surroundings 'setenv("LANG", "de_DE", 1); unsetenv("PATH")' "the environment"
    restored empties 'clearenv()' "the environment"
    all_restored
    [ ! -e /0.json ]
}

# bats test_tags=long
@test "a hook that changes descriptors, timers, the group or the personality" {
    umask 022
    local standard="standard input, output or error"
    restored closes 'close(1)' "$standard"
    restored silent 'close(2)' "$standard"
    restored swaps 'dup2(open("/dev/null", O_WRONLY), 1); dup2(1, 2)' "$standard"
    restored reopens 'freopen("own.txt", "w", stdout)' "$standard"
    restored rings 'alarm(1)' "timers"
    restored ticks 'struct itimerval v = {{0, 1000}, {1, 0}}; setitimer(ITIMER_PROF, &v, 0)' \
        "timers"
    restored moves 'setpgid(0, 0)' "the process group or session"
    restored person 'personality(ADDR_NO_RANDOMIZE)' "the personality"
    restored orphan 'prctl(PR_SET_PDEATHSIG, 0)' "settings of prctl"
    restored batch 'sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0})' \
        "scheduling or processors"
    all_restored
}

# bats test_tags=long
@test "a file that changes the process when it is loaded, or at a later call of a hook" {
    umask 022
    policy built '' '__attribute__((constructor)) static void build(void)
                     { chdir("/"); umask(0777); signal(SIGTERM, SIG_IGN); }'
    corun run vecadd:size=test --policy ./built.so $RUN --json x.json
    ended 0
    says "./built.so: loading the code changed the working directory, the umask, signal"
    [ "$(stat -c %a x.json)" = 644 ]
    policy later 'if (n == 9) { chdir("/"); umask(0777); }'
    rm x.json
    corun run vecadd:size=test --policy ./later.so $RUN --json x.json
    ended 0
    says "./later.so: a later call of a hook changed the working" \
        "a later call of a hook changed the working directory, the umask of the process"
    [ "$(stat -c %a x.json)" = 644 ]
    corun run scale.yaml vecadd:size=test "${FEW[@]}" --policy ./later.so --alone skip --quiet
    ended 0
    [ -s y.bin ]
    corun run vecadd:size=test --policy ./later.so $RUN --interval 500 --csv rows.csv
    ended 0
    [ "$(wc -l <rows.csv)" -gt 6 ]
    policy gone '' \
        '__attribute__((destructor)) static void leave(void) { chdir("/"); umask(0777); }'
    rm x.json
    corun run vecadd:size=test --policy ./gone.so $RUN --json x.json
    ended 0
    [ "$(stat -c %a x.json)" = 644 ]
    printf 'apps: [[vecadd:size=test]]\npolicies: [./built.so, ./later.so]\n' >sweep.yaml
    corun sweep sweep.yaml -o here.db
    ended 0
    [ "$(stat -c %a here.db)" = 644 ]
}

# NAME STATEMENT WHAT [CODE]: a change beyond repair ends the run.
lost() {
    policy "$1" "$2" "$4"
    corun run vecadd:size=test --policy "./$1.so" $RUN --json x.json
    ended 1
    says "policy-failed: in \`watch\` of ./$1.so at cycle" "it $3"
    output=$(<x.json)
    holds "d['status'] == 'policy-failed' and '$3' in d['fault']['what']"
}

# bats test_tags=long
@test "a hook that changes the process for good" {
    local rest='static void *rest(void *x) { for (;;) pause(); return x; }'
    lost drops 'for (int i = 3; i < 1000; i++) close(i)' "closed descriptors of corun"
    lost starts 'pthread_t t; if (n == 1) pthread_create(&t, 0, rest, 0)' \
        "left threads running" "$rest"
    lost leaves 'setsid()' "changed the process group or session, which cannot be restored"
    lost gives_up 'prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)' \
        "changed settings of prctl, which cannot be restored"
    policy later 'pthread_t t; if (n == 5) pthread_create(&t, 0, rest, 0)' "$rest"
    corun run vecadd:size=test --policy ./later.so $RUN
    ended 1
    says "policy-failed: ./later.so left threads running"
    printf 'apps: [[vecadd:size=test]]\npolicies: [./later.so, ./drops.so]\n' >sweep.yaml
    corun sweep sweep.yaml -o here.db
    ended 1
    says "policy-failed: ./later.so: it left threads running" \
        "policy-failed: in \`watch\` of ./drops.so at cycle" "it closed descriptors"
}

@test "a sweep tells each warning once" {
    policy up 'fesetround(FE_UPWARD)'
    policy calm ''
    printf 'apps: [[vecadd:size=test], [mm:size=test]]\npolicies: [./up.so, ./calm.so]\n' \
        >sweep.yaml
    corun sweep sweep.yaml -o here.db
    ended 0
    says 'warning: ./up.so: `watch` changed floating-point control of the process: restored'
    [ "$(grep -c warning <<<"$stderr")" = 1 ]
}

@test "a policy may write a log, start a program, and start a thread that ends" {
    policy writes 'static FILE *f; if (!f) f = fopen("own.log", "w"); fprintf(f, "%d\n", (int)n)'
    policy joins 'pthread_t t; pthread_create(&t, 0, ends, 0); pthread_join(t, 0)' \
        'static void *ends(void *x) { return x; }'
    policy asks 'if (n < 4) { FILE *f = popen("true", "r"); pclose(f); }'
    for name in writes joins asks; do
        corun run vecadd:size=test --policy ./$name.so $RUN
        ended 0
        [ -z "$stderr" ]
    done
    [ -s own.log ]
}

@test "a hook that makes a process and comes back twice" {
    policy early 'if (n == 1) fork()'
    policy later 'if (n == 7) fork()'
    policy slow 'if (n == 1 && !fork()) usleep(300000)' # corun has ended the run by then
    policy built '' '__attribute__((constructor)) static void build(void) { fork(); }'
    for name in early later slow built; do
        corun run vecadd:size=test --policy ./$name.so $RUN --interval 500 --csv rows.csv
        ended 0
        [ "$(sort rows.csv | uniq -d | wc -l)" = 0 ]
        says "./$name.so: a hook forked and returned in the child process, too"
    done
}

@test "a process that comes back late from a hook of one of several policies" {
    policy slow 'if (n == 1 && !fork()) usleep(300000)' # the run ends before
    policy calm ''
    corun compare vecadd:size=test --policies ./slow.so,./calm.so --threads 2 $RUN
    ended 0
    says "./slow.so: a hook forked and returned in the child process, too"
}

# PATTERN: no process has the pattern in its command line.
none_runs() { ! cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -a "$1"; }

@test "processes that a hook leaves running end the run, and are ended" {
    local left='left processes running' nap="$PWD/nap 100 >/dev/null 2>&1 3>&-"
    cp "$(command -v sleep)" nap
    local naps='for (int i = 1; i < 4; i++) close(i); sleep(100); _exit(0);'
    lost stays$$ "if (n == 1 && !fork()) { $naps }" "$left"
    none_runs "stays$$[.]so"
    lost slower 'if (n == 1 && !fork()) usleep(1500000)' "$left" # longer than corun waits
    lost daemon "if (n == 1) system(\"setsid $nap &\")" "$left"
    policy later "if (n == 5) system(\"$nap &\")"
    corun run vecadd:size=test --policy ./later.so $RUN
    ended 1
    says "policy-failed: ./later.so $left"
    policy built '' "__attribute__((constructor)) static void build(void) { system(\"$nap &\"); }"
    corun run vecadd:size=test --policy ./built.so $RUN
    ended 1
    says "policy-failed: while ./built.so was loaded: it $left"
    none_runs "$PWD/na[p]"
}

@test "processes that a hook has left running end with the run that failed" {
    local quiet=">/dev/null 2>&1 3>&-"
    local naps="$PWD/nap 100 $quiet & setsid $PWD/nap 100 $quiet &"
    cp "$(command -v sleep)" nap
    policy ends "if (n == 1) { system(\"$naps\"); abort(); }"
    corun run vecadd:size=test --policy ./ends.so $RUN
    ended 1
    says 'policy-failed: in `watch` of ./ends.so at cycle'
    none_runs "$PWD/na[p]"
    policy loops "if (n == 1) { system(\"$naps\"); for (;;); }"
    printf 'apps: [[vecadd:size=test]]\npolicies: [./ends.so, ./loops.so]\n' >sweep.yaml
    corun sweep sweep.yaml -o here.db --hook-seconds 1
    ended 1
    says 'policy-failed: in `watch` of ./ends.so at cycle' \
        'policy-failed: in `watch` of ./loops.so at cycle'
    none_runs "$PWD/na[p]"
}

@test "processes of corun are none of the policy's: no wait at each interval" {
    policy calm ''
    SECONDS=0
    corun run vecadd:size=test "cuda:$(program vecadd)" --policy ./calm.so $RUN --gpu turing \
        --interval 100 --csv rows.csv
    ended 0
    [ "$(wc -l <rows.csv)" -gt 60 ]
    [ "$SECONDS" -lt 15 ]
}

# bats test_tags=long
@test "compare says which policy changed the process, for any number of threads" {
    policy calm ''
    policy moves 'if (n == 5) chdir("/")'
    policy starts 'pthread_t t; if (n == 5) pthread_create(&t, 0, rest, 0)' \
        'static void *rest(void *x) { for (;;) pause(); return x; }'
    policy ends 'if (n == 5) pthread_exit(0)'
    for threads in 1 3; do
        corun compare vecadd:size=test --policies leftover,./calm.so,./moves.so $RUN \
            --threads $threads --json x.json
        ended 0
        output=$(<x.json)
        holds "[len(r['warnings']) for r in d['runs']] == [0, 0, 1]"
        holds "'the working directory' in d['runs'][2]['warnings'][0]['text']"
        corun compare vecadd:size=test --policies ./calm.so,./starts.so,./ends.so $RUN \
            --threads $threads --json x.json
        ended 1
        says "policy-failed: ./starts.so left threads running" \
            "policy-failed: in \`watch\` of ./ends.so"
        output=$(<x.json)
        holds "[r['status'] for r in d['runs']] == ['completed', 'policy-failed', 'policy-failed']"
    done
}

# bats test_tags=long
@test "check and show look, too" {
    policy folder 'chdir("/")'
    corun check ./folder.so "${FEW[@]}"
    ended 1
    shows "broken    writes" '`watch` changed the working directory of the process'
    policy built '' '__attribute__((constructor)) static void build(void)
                     { for (int i = 3; i < 1000; i++) close(i); }'
    corun show policy ./built.so
    [ "$status" != 0 ]
    says ./built.so "closed descriptors of corun"
}

@test "what a policy leaves for the end of the process changes no exit status" {
    ! has_sanitizer || skip "a sanitizer has its say at the end of the process"
    policy after 'if (n == 1) on_exit(last, 0)' \
        'static void last(int s, void *x) { (void)s, (void)x; _exit(42); }'
    corun run vecadd:size=test --policy ./after.so $RUN
    ended 0
    policy early 'if (n == 1) { fclose(stdout); fclose(stderr); }'
    corun run vecadd:size=test --policy ./early.so ${RUN% --quiet}
    ended 0
    shows "policy ./early.so: completed"
    says "warning: ./early.so"
}

# bats test_tags=long
@test "a hook that sleeps, or waits for what does not come" {
    policy sleeps 'sleep(60)'
    policy reads 'char c; int p[2]; pipe(p); read(p[0], &c, 1)'
    policy locks 'pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
                  pthread_mutex_lock(&m); pthread_mutex_lock(&m)'
    policy naps 'for (struct timespec t = {0, 1000000};;) nanosleep(&t, 0)'
    policy stops 'raise(SIGSTOP)'
    policy asks 'system("sleep 30")'
    for name in sleeps reads locks naps stops asks; do
        corun run vecadd:size=test --policy ./$name.so $RUN --hook-seconds 1 --json x.json
        ended 1
        says "policy-failed: in \`watch\` of ./$name.so at cycle 100" \
            "no return within 1 s: the policy's code sleeps or waits"
        output=$(<x.json)
        holds "d['status'] == 'policy-failed'"
    done
    policy built '' '__attribute__((constructor)) static void build(void) { pause(); }'
    corun run vecadd:size=test --policy ./built.so $RUN --hook-seconds 1
    ended 1
    says "policy-failed: while ./built.so was loaded: no return within 1 s"
    corun compare vecadd:size=test --policies leftover,./sleeps.so $RUN --hook-seconds 1
    ended 1
    says "in \`watch\` of ./sleeps.so at cycle 100: no return within 1 s: the policy's code sleeps"
    printf 'apps: [[vecadd:size=test]]\npolicies: [./sleeps.so]\n' >sweep.yaml
    corun sweep sweep.yaml -o here.db --hook-seconds 1
    ended 1
    says "in \`watch\` of ./sleeps.so at cycle 100: no return within 1 s: the policy's code sleeps"
    policy rests 'if (n < 6) usleep(300000)' # each call by itself is short
    corun run vecadd:size=test --policy ./rests.so $RUN --hook-seconds 1
    ended 0
}

# POLICY MOST: a policy whose hook takes 5 ms of processor time in every cycle from some cycle on.
# Told to end then, corun ends before MOST further calls.
ends_soon() {
    python3 - "$CORUN" "$1" "$2" <<'END'
import os, signal, subprocess, sys, time
for name in ('there', 'calls'):
    if os.path.exists(name):
        os.remove(name)
p = subprocess.Popen([sys.argv[1], 'run', 'mm:size=test', '--policy', sys.argv[2], '--quiet',
                      '--alone', 'skip', '--until', 'window', '--cycles', '1000000'],
                     preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))
while not os.path.exists('there'):
    assert p.poll() is None
    time.sleep(0.01)
time.sleep(0.2)
p.send_signal(signal.SIGTERM)
before = os.path.getsize('calls')
assert p.wait() in (-signal.SIGTERM, 143), p.returncode
more = os.path.getsize('calls') - before
assert more < int(sys.argv[3]), '%d calls after the signal' % more
END
}

@test "a slow policy does not keep corun from ending" {
    local slow='static int f = -1;
    if (f < 0) { f = open("calls", O_CREAT | O_WRONLY, 0600); close(open("there", O_CREAT, 0600)); }
    write(f, ".", 1);
    for (clock_t end = clock() + CLOCKS_PER_SEC / 200; clock() < end;) continue'
    for from in 0 20000; do
        policy slow "at = view->now + 1; if (view->now >= $from) { $slow; }"
        ends_soon ./slow.so 20
    done
}

@test "l1-ucp with periods of a cycle costs a few times what left-over does" {
    python3 - "$CORUN" <<'END'
import resource, subprocess, sys
def seconds(policy):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([sys.argv[1], 'run', 'backprop:size=test', 'clone001-red:size=test', '--gpu',
                    'rtx2060', '--policy', policy, '--alone', 'skip', '--until', 'window',
                    '--cycles', '5000', '--quiet'], check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
plain = seconds('leftover')
for policy in ('l1-ucp[period=1]', 'l1-ucp[period=7,sample=3]', 'l1-ucp[period=2]+smk-even'):
    assert seconds(policy) <= 10 * plain + 0.5, policy
END
}
