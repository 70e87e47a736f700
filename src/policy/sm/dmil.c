/* dmil: limits the memory instructions of a kernel in flight on an SM, according to the fate of its
 * last 1024 requests to L1: with d failed attempts per request, the limit is the peak of
 * instructions in flight divided by d. Paper 000 section 3.3.2, figure 10 (DMIL, local).
 *
 * Where the paper is silent: less than one failure per request keeps the limit (growth=hold), since
 * the paper only says that more than one failure reduces a limit. While the kernel runs, the limit
 * then rises only if the peak exceeds the limit: instructions issued before the limit fell.
 * Counters are wide; with the widths of section 4.4 (bits=hardware) d is at most 3. A run of a
 * single app has no limits. */
#include "corun/policy.h"

enum { SMS = CORUN_SMS_MAX };
/* 7, 12 and 10 bits */
enum { FLIGHT_MAX = 127, FAILURES_MAX = 4095, REQUESTS_MAX = 1024 };

struct milg { /* memory instruction limiting number generator of an SM, by app */
    uint32_t limit[CORUN_APPS_MAX]; /* CORUN_NO_LIMIT: none */
    uint64_t failures[CORUN_APPS_MAX]; /* at the start of the interval */
    uint32_t odd; /* a bit for each app whose interval began under another kernel */
};
struct dmil {
    uint64_t interval, timer;
    bool company; /* the run has other apps */
    bool hardware, global;
    char growth;
    uint32_t kernel[CORUN_APPS_MAX]; /* id of the app's last kernel, plus 1; 0: none */
    uint64_t *limited, *lifted, *least;
    struct milg sm[SMS];
};

enum option { INTERVAL, BITS, SCOPE, GROWTH };
static const struct corun_option options[] = {
    [INTERVAL] =
        {"interval", CORUN_WHOLE, "1024", 1, 1e9, NULL, "requests",
         "L1 accesses of an app between two updates of the app's limit."},
    [BITS] =
        {"bits", CORUN_WORD, "wide", 0, 0, "wide|hardware", "",
         "Width of the counters: unlimited, or saturating at 7 bits (in flight), 12 (failures) and "
         "10 (requests)."},
    [SCOPE] =
        {"scope", CORUN_WORD, "local", 0, 0, "local|global", "",
         "Limits are computed by each SM, or for all SMs by the first SM with the app."},
    [GROWTH] =
        {"growth", CORUN_WORD, "hold", 0, 0, "hold|open|double|plus1", "",
         "Effect of less than 1 failure per request on a limit: none (hold), removed (open), "
         "doubled, or raised by 1."},
    {0},
};

enum counter { LIMITED, LIFTED, LEAST };
static const struct corun_policy_stat stats[] = {
    [LIMITED] = {"limited", "times", "Intervals that ended with a limit, over all SMs and apps."},
    [LIFTED] = {"lifted", "times", "Intervals that removed a limit, over all SMs and apps."},
    [LEAST] = {"least", "instructions", "Least limit of the run; 0: no limit."},
    {0},
};

static const char *dmil_init(void *state, const struct corun_setup *setup,
                             const struct corun_value *values, uint64_t *counters)
{
    struct dmil *d = state;
    d->interval = (uint64_t)values[INTERVAL].number;
    d->hardware = values[BITS].word[0] == 'h';
    d->global = values[SCOPE].word[0] == 'g';
    d->growth = values[GROWTH].word[0];
    d->timer = CORUN_NEVER;
    d->company = setup->app_n > 1;
    d->limited = &counters[LIMITED];
    d->lifted = &counters[LIFTED];
    d->least = &counters[LEAST];
    if (setup->sm_n > SMS) return "more SMs than it has limits for (256)";
    for (uint32_t s = 0; s < setup->sm_n; s++)
        for (uint32_t a = 0; a < CORUN_APPS_MAX; a++) d->sm[s].limit[a] = CORUN_NO_LIMIT;
    if (d->hardware && d->interval > REQUESTS_MAX)
        return "interval is more than the 1024 that 10 bits count (bits=hardware)";
    return NULL;
}

/* Returns true for the first SM with blocks of the app; the limits found there apply to all SMs. */
static bool measures(const struct corun_view *view, uint32_t sm, uint32_t app)
{
    for (uint32_t s = 0; s < sm; s++)
        if (corun_apps_on(view, s) >> app & 1) return false;
    return true;
}

static uint32_t grown(const struct dmil *d, uint32_t limit)
{
    uint32_t most = d->hardware ? FLIGHT_MAX : CORUN_NO_LIMIT - 1;
    if (limit == CORUN_NO_LIMIT || d->growth == 'o') return CORUN_NO_LIMIT;
    if (d->growth == 'h') return limit;
    uint32_t more = d->growth == 'd' ? limit : 1;
    return limit > most - more ? CORUN_NO_LIMIT : limit + more;
}

static uint32_t limit_of(const struct dmil *d, uint32_t limit, uint64_t failures, uint32_t peak)
{
    if (d->hardware && failures > FAILURES_MAX) failures = FAILURES_MAX;
    if (d->hardware && peak > FLIGHT_MAX) peak = FLIGHT_MAX;
    uint64_t each = failures / d->interval;
    if (!each) return grown(d, limit);
    return each < peak ? (uint32_t)(peak / each) : 1;
}

static void limit_set(struct dmil *d, const struct corun_view *view, uint32_t sm, uint32_t app,
                      uint32_t limit)
{
    bool had = d->sm[sm].limit[app] != CORUN_NO_LIMIT;
    d->sm[sm].limit[app] = limit;
    if (d->global) {
        for (uint32_t s = 0; s < view->sm_n; s++) d->sm[s].limit[app] = limit;
        d->timer = view->now; /* all SMs are updated in the next cycle */
    }
    *d->lifted += had && limit == CORUN_NO_LIMIT;
    if (limit == CORUN_NO_LIMIT) return;
    ++*d->limited;
    if (!*d->least || limit < *d->least) *d->least = limit;
}

static void interval_ends(struct dmil *d, const struct corun_view *view,
                          const struct corun_event *e)
{
    struct milg *g = &d->sm[e->sm];
    uint32_t app = e->app_id;
    struct corun_counts c;
    view->count(view, e->sm, app, &c);
    uint64_t failures = c.l1_refused - g->failures[app];
    bool odd = g->odd >> app & 1;
    g->failures[app] = c.l1_refused;
    g->odd &= ~(1u << app);
    if (odd || (d->global && !measures(view, e->sm, app))) return;
    limit_set(d, view, e->sm, app, limit_of(d, g->limit[app], failures, e->in_flight_peak));
}

/* Removes the limit if the app's kernel is not the previous kernel. */
static void launched(struct dmil *d, const struct corun_view *view, const struct corun_kernel *k)
{
    uint32_t app = k->app_id;
    if (d->kernel[app] == k->kernel_id + 1) return; /* a restart */
    d->kernel[app] = k->kernel_id + 1;
    for (uint32_t s = 0; s < view->sm_n; s++) {
        struct milg *g = &d->sm[s];
        struct corun_counts c;
        view->count(view, s, app, &c);
        g->limit[app] = CORUN_NO_LIMIT;
        g->failures[app] = c.l1_refused;
        g->odd &= ~(1u << app);
        if (c.l1_accesses % d->interval) g->odd |= 1u << app;
    }
}

static void dmil_watch(void *state, const struct corun_view *view, const struct corun_event *e)
{
    struct dmil *d = state;
    if (e->kind == CORUN_LAUNCH) launched(d, view, &view->kernels[e->kernel]);
    else if (e->kind == CORUN_REQUESTS) interval_ends(d, view, e);
    else d->timer = CORUN_NEVER;
}

static void dmil_limit(void *state, const struct corun_view *view, uint32_t sm, uint32_t *limit)
{
    const struct milg *g = &((const struct dmil *)state)->sm[sm];
    for (uint32_t a = 0; a < view->app_n; a++)
        if (g->limit[a] != CORUN_NO_LIMIT) corun_limit_app(view, sm, a, g->limit[a], limit);
}

static uint64_t dmil_requests(const void *state)
{
    const struct dmil *d = state;
    return d->company ? d->interval : 0;
}

static uint64_t dmil_timer(const void *state) { return ((const struct dmil *)state)->timer; }

static uint64_t dmil_decides(const struct corun_value *values, const struct corun_view *view)
{
    (void)values, (void)view;
    return 0; /* has no targets */
}

const struct corun_policy corun_policy_dmil = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "dmil",
    .sentence = "Limits on memory instructions in flight, from reservation failures in L1.",
    .source = "paper 000 section 3.3.2",
    .options = options,
    .stats = stats,
    .state_bytes = sizeof(struct dmil),
    .init = dmil_init,
    .limit = dmil_limit,
    .watch = dmil_watch,
    .events = 1u << CORUN_LAUNCH | 1u << CORUN_REQUESTS | 1u << CORUN_TIMER,
    .requests = dmil_requests,
    .timer = dmil_timer,
    .decides_cycles = dmil_decides,
};
