#!/usr/bin/env bats
# Policies inside static partitions of mps and green contexts (option `inside`): sets of SMs.
load common

# A small h100 with chunks of 8 SMs.
HALF=(--gpu h100 --set sm.count=16 --set map.channels=16 --set launch.latency_ns=100)

# POLICY OPTION...: prints cycles and all statistics, and with STATS=1 the policies' counters.
figures() {
    corun run "${apps[@]}" "${HALF[@]}" --alone skip --quiet --json r.json --policy "$@"
    ended 0
    python3 - "${STATS:-}" <<'END'
import json, sys
d = json.load(open('r.json'))
assert all(a['checked'] in (True, None) for a in d['apps'])
print(d['cycles'], json.dumps(d['stats'], sort_keys=True))
for a in d['apps']:
    print(a['cycles'], a['launches'], json.dumps(a['stats'], sort_keys=True))
if sys.argv[1]: # without the row of the owner
    rows = d['policy_stats']
    print(json.dumps({k: v for k, v in rows.items() if k not in ('green', 'mps')}))
END
}

@test "left-over inside partitions changes nothing" {
    apps=(hotspot:size=test kmeans:size=test)
    [ "$(figures 'mps[static=1/1,inside=leftover]')" = "$(figures 'mps[static=1/1]')" ]
    [ "$(figures 'green[sms=8/8,inside=streams]')" = "$(figures 'green[sms=8/8]')" ]
    apps+=(mm:size=test)
    all=$(figures 'mps[static=1/1,apps=0/1/0]')
    [ "$(figures 'mps[static=1/1,apps=0/1/0,inside=leftover]')" = "$all" ]
    [ "$(figures 'green[sms=8/8,apps=0/1/0,inside=leftover]')" = "$all" ]
    [ "$(figures 'mps[static=1/1,apps=0/0/1]')" != "$all" ]
}

# POLICY...: each gives the same figures and counters in a set of all SMs as without.
as_without() {
    apps=(hotspot:size=test kmeans:size=test)
    STATS=1
    for policy in "$@"; do
        echo "$policy"
        all=$(figures "$policy")
        [ "$(figures "green[sms=16,apps=0/0,inside=$policy]")" = "$all" ]
    done
}

@test "inside a set of all SMs a policy works as without the set" {
    as_without 'spatial[split=1/2]' smk-p+dmil smk-even+rbmi warped-slicer
}

# bats test_tags=long
@test "inside a set of all SMs every kind of policy works as without the set" {
    as_without spatial sequential 'fixed[blocks=2/3]' smk-even+ideal+qbmi smk-even+switch \
        smk-even+chimera 'smil[limits=4/4]' smk-even+kernel-lrr smk-even+l1-ucp \
        smk-even+l1-mshr-split smk-p+virtual-thread maestro mias streams
}

@test "policies inside differ from left-over, on one thread and on two, with and without skipping" {
    apps=(hotspot:size=test kmeans:size=test mm:size=test)
    plain=$(figures 'mps[static=1/1,apps=0/0/1]')
    inside='mps[static=1/1,apps=0/0/1,inside=spatial]'
    all=$(figures "$inside")
    [ "$all" != "$plain" ]
    [ "$(figures "$inside" --skip off)" = "$all" ]
    [ "$(figures "$inside" --sim-threads 2)" = "$all" ]
    # a policy that decides no places leaves blocks in their sets
    [ "$(figures 'mps[static=1/1,apps=0/0/1,inside=dmil]' --timeline t.json)" != "$all" ]
    blocks 'hotspot 0-7' 'kmeans 0-7' 'mm 8-15'
    figures 'green[sms=8/8,apps=1/0/1,inside=spatial]' --timeline t.json >/dev/null
    blocks 'hotspot 8-11' 'kmeans 0-7' 'mm 12-15'
}

# APP FIRST-LAST...: the app has blocks on each of these SMs, and on no other SM.
blocks() {
    python3 - "$@" <<'END'
import json, sys
events, names, at = json.load(open('t.json'))['traceEvents'], {}, {}
for e in events:
    if e.get('name') == 'process_name': names[e['pid']] = e['args']['name']
for e in events:
    if e.get('ph') == 'X' and 'block' in e.get('args', {}):
        at.setdefault(e['args'].get('app', e.get('cat', e['name'])), set()).add(names[e['pid']])
for text in sys.argv[1:]:
    app, sms = text.split()
    first, last = map(int, sms.split('-'))
    assert at[app] == {'SM %d' % s for s in range(first, last + 1)}, (app, at)
END
}

# A policy with all hooks that a set may have, which counts everything from outside the set.
watcher() {
    cat >watcher.c <<'END'
#include "corun/policy.h"
struct state { uint64_t *stats; uint32_t sms, apps, in_run[8]; uint64_t at; };
enum { WRONG, CALLS, EVENTS, TIMERS, REQUESTS, STARTS };
static const struct corun_policy_stat stats[] = {
    {"wrong", "", "A."}, {"calls", "", "A."}, {"events", "", "A."}, {"timers", "", "A."},
    {"requests", "", "A."}, {"starts", "", "A."}, {0}};
static const char *init(void *state, const struct corun_setup *s, const struct corun_value *values,
                        uint64_t *counters)
{
    struct state *x = state;
    (void)values;
    *x = (struct state){.stats = counters, .sms = s->sm_n, .apps = s->app_n, .at = 500};
    memcpy(x->in_run, s->app_in_run, sizeof x->in_run);
    return s->sm_n == 8 && s->app_n <= 2 ? NULL : "not a set";
}
static void wrong(struct state *x, bool is) { x->stats[WRONG] += is; }
static void see(struct state *x, const struct corun_view *v)
{
    struct corun_counts c;
    struct corun_memory_counts m;
    struct corun_use use;
    x->stats[CALLS]++;
    wrong(x, v->sm_n != x->sms || v->app_n != x->apps || v->holder != CORUN_NO_APP);
    for (uint32_t k = 0; k < v->kernel_n; k++) {
        const struct corun_kernel *one = &v->kernels[k];
        uint64_t here = 0, launched = 0;
        wrong(x, one->app_id >= v->app_n);
        for (uint32_t s = 0; s < v->sm_n; s++) here += v->resident[s * v->kernel_n + k];
        wrong(x, here != one->running_blocks);
        for (uint32_t s = 0; s < v->sm_n; s++) {
            v->count(v, s, one->app_id, &c);
            launched += c.blocks_started;
        }
        wrong(x, launched < one->running_blocks);
        wrong(x, one->app_id < v->app_n && v->app_ended[one->app_id] && one->pending_blocks);
    }
    v->count(v, v->sm_n, 0, &c);
    wrong(x, c.warp_instructions);
    v->count(v, 0, v->app_n, &c);
    wrong(x, c.warp_instructions);
    v->count_memory(v, 0, v->app_n, &m);
    wrong(x, m.l2_accesses);
    v->count_use(v, &use);
    wrong(x, use.done[CORUN_SCHEDULER] > use.most[CORUN_SCHEDULER]);
    wrong(x, use.most[CORUN_SCHEDULER] != (v->now + 1) * 4. * v->sm_n);
}
static void admit(void *state, const struct corun_view *v, bool *yes)
{
    see(state, v);
    for (uint32_t k = 0; k < v->kernel_n; k++) wrong(state, !yes[k]);
}
static void share(void *state, const struct corun_view *v, uint32_t *target)
{
    see(state, v);
    for (uint32_t i = 0; i < v->sm_n * v->kernel_n; i++) {
        wrong(state, target[i] != CORUN_TARGET_FULL);
        target[i] = 1 + (v->now / 500 % 2);
    }
}
static enum corun_preempt preempt(void *state, const struct corun_view *v,
                                  const struct corun_block *b)
{
    see(state, v);
    wrong(state, b->kernel >= v->kernel_n || b->sm >= v->sm_n ||
                     b->block_id >= v->kernels[b->kernel].grid_blocks);
    return CORUN_DRAIN;
}
static void quota(void *state, const struct corun_view *v, uint32_t sm, uint32_t *quota)
{
    see(state, v);
    wrong(state, sm >= v->sm_n);
    for (uint32_t k = 0; k < v->kernel_n; k++) wrong(state, quota[k] != CORUN_NO_QUOTA);
}
static void limit(void *state, const struct corun_view *v, uint32_t sm, uint32_t *limit)
{
    see(state, v);
    wrong(state, sm >= v->sm_n);
    for (uint32_t k = 0; k < v->kernel_n; k++) limit[k] = 20 + k;
}
static enum corun_rule order(void *state, const struct corun_view *v, uint32_t sm, uint32_t *rank)
{
    see(state, v);
    wrong(state, sm >= v->sm_n);
    for (uint32_t k = 0; k < v->kernel_n; k++) rank[k] = k;
    return CORUN_NO_RULE;
}
static uint32_t arbiter(void *state, const struct corun_view *v, const struct corun_contest *c)
{
    see(state, v);
    wrong(state, c->sm >= v->sm_n || !c->apps || c->apps >> v->app_n);
    return (uint32_t)__builtin_ctz(c->apps);
}
static void l1_lines(void *state, const struct corun_view *v, uint32_t sm, uint32_t *ways)
{
    see(state, v);
    wrong(state, sm >= v->sm_n);
    for (uint32_t a = 0; a < v->app_n; a++) ways[a] = 2;
}
static void l1_entries(void *state, const struct corun_view *v, uint32_t sm,
                       struct corun_entries *most)
{
    see(state, v);
    wrong(state, sm >= v->sm_n);
    for (uint32_t a = 0; a < v->app_n; a++) most[a] = (struct corun_entries){64, 8};
}
static void watch(void *state, const struct corun_view *v, const struct corun_event *e)
{
    struct state *x = state;
    see(x, v);
    x->stats[EVENTS]++;
    x->stats[TIMERS] += e->kind == CORUN_TIMER;
    x->stats[REQUESTS] += e->kind == CORUN_REQUESTS;
    x->stats[STARTS] += e->kind == CORUN_BLOCK_START;
    wrong(x, e->kind == CORUN_REQUESTS && e->app_id >= v->app_n);
    wrong(x, e->kind < CORUN_SETTLED && e->kernel >= v->kernel_n);
    wrong(x, e->kind != CORUN_TIMER && e->sm >= v->sm_n);
    if (e->kind == CORUN_BLOCK_START)
        wrong(x, !v->resident[e->sm * v->kernel_n + e->kernel]);
    if (e->kind != CORUN_TIMER) return;
    wrong(x, v->now != x->at);
    x->at += 500 + 100 * x->in_run[0];
}
static uint64_t timer(const void *state) { return ((const struct state *)state)->at; }
static uint64_t requests(const void *state) { (void)state; return 100; }
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "watcher",
    .sentence = "For a test.", .stats = stats, .state_bytes = sizeof(struct state), .init = init,
    .admit = admit, .share = share, .preempt = preempt, .quota = quota, .order = order,
    .limit = limit, .arbiter = arbiter, .l1_lines = l1_lines, .l1_entries = l1_entries,
    .watch = watch, .timer = timer, .requests = requests};
END
}

@test "a policy inside sees SMs, apps and kernels of its set only, numbered from 0" {
    watcher
    apps=(hotspot:size=test kmeans:size=test mm:size=test)
    for policy in 'mps[static=1/1,apps=1/0/1,inside=./watcher.c]' \
        'green[sms=8/8,apps=1/0/1,inside=./watcher.c]'; do
        figures "$policy" --timeline t.json >/dev/null
        blocks 'hotspot 8-15' 'kmeans 0-7' 'mm 8-15'
        python3 - <<'END'
import json
s = json.load(open('r.json'))['policy_stats']['watcher']
assert s['wrong'] == 0 and s['calls'] > 1000 and s['events'] > 300, s
assert s['timers'] > 20 and s['requests'] > 50 and s['refusals'] == 0, s
END
    done
    # SMs in no set have no blocks
    corun run "${apps[@]}" "${HALF[@]}" --set sm.count=20 --alone skip --quiet --timeline t.json \
        --policy 'green[sms=8/8,apps=1/0/1,inside=./watcher.c]'
    ended 0
    blocks 'hotspot 8-15' 'kmeans 0-7' 'mm 8-15'
}

@test "a policy inside sees the end of a deadline when the request ends" {
    cat >ends.c <<'END'
#include "corun/policy.h"
struct state { uint64_t at, deadline; };
static const char *init(void *state, const struct corun_setup *s, const struct corun_value *v,
                        uint64_t *counters)
{
    (void)s, (void)v, (void)counters;
    *(struct state *)state = (struct state){500, CORUN_NEVER};
    return 0;
}
static void watch(void *state, const struct corun_view *v, const struct corun_event *e)
{
    struct state *x = state;
    (void)e;
    x->at += 500;
    if (v->apps[0].deadline == x->deadline) return;
    x->deadline = v->apps[0].deadline;
    v->log(v, x->deadline == CORUN_NEVER ? "none" : "a deadline");
}
static uint64_t timer(const void *state) { return ((const struct state *)state)->at; }
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "ends",
    .sentence = "For a test.", .state_bytes = sizeof(struct state), .init = init, .watch = watch,
    .events = 1 << CORUN_TIMER, .timer = timer};
END
    printf '5\n45\n' >trace
    # The run ends with the second request.
    for policy in ./ends.c 'mps[static=2,inside=./ends.c]'; do
        corun run vecadd:size=test,arrivals=trace:trace,deadline_us=30 "${HALF[@]}" --until end \
            --policy "$policy" --policy-log log --alone skip
        ended 0
        cat log
        [ "$(sed 's/.*: //' log | xargs)" = "a deadline none a deadline" ]
    done
}

@test "counters of a policy inside are sums over the sets" {
    watcher
    apps=(mm:size=test mm:size=test)
    figures 'mps[static=1/1,inside=./watcher.c]' --until end >/dev/null
    python3 - <<'END'
import json
d = json.load(open('r.json'))
launched = [a['stats']['blocks.launched'] for a in d['apps']]
assert min(launched) > 10, launched
assert d['policy_stats']['watcher']['starts'] == sum(launched), launched
END
}

@test "writes of a policy inside beyond its memory end the run" {
    watcher
    apps=(hotspot:size=test kmeans:size=test)
    two=("${HALF[@]}" --alone skip --quiet --policy 'mps[static=1/1,inside=./wrong.c]')
    sed 's/limit\[k\] = 20 + k/limit[v->kernel_n] = 1/' watcher.c >wrong.c
    corun run "${apps[@]}" "${two[@]}"
    ended 1
    says '`limit` of watcher wrote beyond the answer buffer'
    sed 's/x->stats\[EVENTS\]++/x->stats[6]++/' watcher.c >wrong.c
    corun run "${apps[@]}" "${two[@]}"
    ended 1
    says "\`watch\` of watcher wrote beyond the policy's counters"
    sed 's/x->stats\[EVENTS\]++/x[1].stats++/' watcher.c >wrong.c
    corun run "${apps[@]}" "${two[@]}"
    ended 1
    says "\`watch\` of watcher wrote beyond the policy's state"
    sed 's/x->stats\[EVENTS\]++/((uint32_t *)v->resident)[0] = 9/' watcher.c >wrong.c
    corun check 'mps[static=1/1,inside=./wrong.c]' "${HALF[@]}"
    ended 1
    shows 'wrote into the view'
}

@test "sets inside an instance of MIG: policies inside sets inside the instance" {
    apps=(hotspot:size=test kmeans:size=test mm:size=test)
    mig=(--gpu h100 --set sm.count=24 --set map.channels=16 --set mig.sms_3g=16 --set mig.sms_4g=8
        --set launch.latency_ns=100)
    HALF=("${mig[@]}")
    all=$(figures 'mig[profiles=3g/4g,apps=0/0/1,inside=spatial]')
    [ "$(figures 'mig[profiles=3g/4g,apps=0/0/1,inside=green[sms=16,apps=0/0,inside=spatial]]' \
        2>&1)" != "$all" ] # the other instance has another number of apps: refused
    HALF+=(--set mig.sms_4g=16 --set sm.count=32)
    apps+=(vecadd:size=test)
    all=$(figures 'mig[profiles=3g/4g,apps=0/0/1/1,inside=spatial]')
    [ "$(figures 'mig[profiles=3g/4g,apps=0/0/1/1,inside=green[sms=16,apps=0/0,inside=spatial]]')" \
        = "$all" ]
    figures 'mig[profiles=3g/4g,apps=0/0/1/1,inside=mps[static=1/1,inside=leftover]]' \
        --timeline t.json >/dev/null
    blocks 'hotspot 0-7' 'kmeans 8-15' 'mm 16-23' 'vecadd 24-31'
}

@test "sets of SMs: impossible requests are refused with the reason" {
    three=(hotspot:size=test kmeans:size=test mm:size=test "${HALF[@]}" --policy)
    corun run "${three[@]}" 'mps[static=1/1,apps=0/0/1,inside=timeslice]'
    refused "'timeslice' decides holder (which app has the whole GPU) for the whole GPU, and"
    corun run "${three[@]}" 'mps[static=1/1,apps=0/0/1,inside=smk-p+l2-ways]'
    refused "'l2-ways' decides l2.ways (division of L2's lines) for the whole GPU, and cannot work"
    corun run "${three[@]}" 'green[sms=8/8,apps=0/0/1,inside=its]'
    refused "'its' decides dram.rank" "inside 'green', whose sets of SMs share all other parts"
    corun run "${three[@]}" 'green[sms=8/8,apps=0/0/1,inside=mig]'
    refused "'mig' decides instances"
    corun run "${three[@]}" 'mps[static=1/1,apps=0/0/1,inside=green[sms=4/4]]'
    refused "'mps' and 'green' both decide sets"
    corun run "${three[@]}" 'mps[static=1/1,apps=0/0/1,inside=smk-p+spatial]'
    refused "'smk-p' and 'spatial' both decide partition"
    corun run "${three[@]}" 'mps[static=1/1,apps=0/0/1,inside=smk-p]+spatial'
    refused "'smk-p' and 'spatial' both decide partition"
    corun run "${three[@]}" 'mps[static=1/1,apps=0/0/1,inside=oracle]'
    refused 'oracle works on the whole GPU'
    corun run "${three[@]}" 'mps[static=1/1,apps=0/0/1,inside=smk-even+fair]'
    refused "policy 'fair': a policy in a set of SMs cannot use isolated runs"
    corun run "${three[@]}" 'mps[percent=50,inside=smk-p]'
    refused 'apps and inside need static partitions: give static'
    corun run "${three[@]}" 'green[apps=0/0/0]'
    refused 'apps and inside need contexts: give sms'
    corun run "${three[@]}" 'green[sms=8/0,apps=0/0/1,inside=smk-p]'
    refused 'an app has no set of SMs, in which policies inside could work'
    corun run "${three[@]}" 'mps[static=1/1]'
    refused 'static names 2 apps, the run has 3: a number of chunks for each, or apps='
    corun run "${three[@]}" 'green[sms=8/8,apps=0/0]'
    refused 'apps names 2 apps, the run has 3: a context for each'
    corun run "${three[@]}" 'mps[static=1/1,apps=0/0/2]'
    refused 'apps gives app 3 partition 2, static has 2, numbered from 0'
    corun run "${three[@]}" 'mps[static=1/2,apps=0/0/1]'
    refused "partition 1 asks for 2 chunks of 8 SMs, 1 of the machine's 2 chunks are left"
    # joined with policies of parts that all sets share, outside
    corun run "${three[@]}" 'mps[static=1/1,apps=0/0/1,inside=smk-p]+its+l2-ways' --alone skip
    ended 0
}

@test "a policy from a file names its sets of SMs" {
    cat >sets.c <<'END'
#include "corun/policy.h"
enum { INSIDE, FIRST, APP };
static const struct corun_option options[] = {
    {"inside", CORUN_INSIDE, "none", 0, 0, NULL, "", "A."},
    {"first", CORUN_WHOLE, "8", 0, 300, NULL, "", "A."},
    {"app", CORUN_WHOLE, "1", 0, 300, NULL, "", "A."}, {0}};
struct state { uint32_t first, app; };
static const char *init(void *state, const struct corun_setup *s, const struct corun_value *values,
                        uint64_t *stats)
{
    (void)s, (void)stats;
    *(struct state *)state = (struct state){(uint32_t)values[FIRST].number,
                                            (uint32_t)values[APP].number};
    return NULL;
}
static void sets(void *state, const struct corun_setup *s, struct corun_sm_set *set, uint32_t *of)
{
    const struct state *x = state;
    (void)s;
    set[0] = (struct corun_sm_set){0, 8};
    set[1] = (struct corun_sm_set){x->first, 8};
    of[1] = x->app;
}
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "sets",
    .sentence = "For a test.", .options = options, .state_bytes = sizeof(struct state),
    .init = init, .sets = sets};
END
    apps=(hotspot:size=test kmeans:size=test)
    [ "$(figures './sets.c[inside=smk-p]')" = "$(figures 'mps[static=1/1,inside=smk-p]')" ]
    two=("${apps[@]}" "${HALF[@]}" --alone skip --policy)
    corun run "${two[@]}" './sets.c[inside=smk-p,first=7]'
    refused 'two sets have an SM in common'
    corun run "${two[@]}" './sets.c[inside=smk-p,first=9]'
    refused 'a set has more SMs than the GPU'
    corun run "${two[@]}" './sets.c[inside=smk-p,app=2]'
    refused 'an app has no set of SMs'
    corun run "${two[@]}" './sets.c[inside=smk-p,app=20]'
    refused 'an app has no set of SMs'
}
