/* qbmi: balances the memory requests of kernels on an SM by quotas of memory instructions: the
 * kernel with the larger quota goes first. A memory instruction costs 1 of the quota. When some
 * quota is used up, all kernels receive additional quotas, in inverse proportion to their requests
 * per memory instruction. A kernel without a competitor in a cycle may always issue. Paper 000
 * section 3.2 (QBMI, figure 7).
 *
 * Where the paper is silent: among equal quotas the app served longest ago goes first, then the
 * lower app. An app with a new kernel begins without quota, whereupon all apps receive quotas, and
 * with 1 request per instruction until counted. An app without a kernel does not take part. */
#include "corun/policy.h"

enum { SMS = CORUN_SMS_MAX };

struct quotas { /* of an SM, by app */
    int64_t quota[CORUN_APPS_MAX];
    uint64_t issued[CORUN_APPS_MAX];   /* memory instructions already deducted from the quotas */
    uint32_t each[CORUN_APPS_MAX];     /* requests per memory instruction */
    uint64_t requests[CORUN_APPS_MAX]; /* at the last count, as `instructions` */
    uint64_t instructions[CORUN_APPS_MAX];
    uint32_t odd; /* a bit for each app whose interval began under another kernel */
};
struct qbmi {
    uint64_t interval;
    uint32_t each_max, app_n;
    int64_t quota_max;
    uint32_t active;                  /* a bit for each app that has a kernel */
    uint32_t kernel[CORUN_APPS_MAX];  /* id of the app's last kernel, plus 1; 0: none */
    uint64_t *reloads, *counts, *granted; /* granted: by app */
    struct quotas sm[SMS];
};

enum option { INTERVAL, REQUESTS_MAX, QUOTA_MAX };
static const struct corun_option options[] = {
    [INTERVAL] =
        {"interval", CORUN_WHOLE, "1024", 1, 1e9, NULL, "requests",
         "L1 accesses of an app between two updates of the app's requests per instruction."},
    [REQUESTS_MAX] =
        {"requests_max", CORUN_WHOLE, "32", 1, 1024, NULL, "requests",
         "Upper limit of the rounded requests per memory instruction."},
    [QUOTA_MAX] =
        {"quota_max", CORUN_WHOLE, "65535", 1, 4e9, NULL, "instructions",
         "Upper limit of a quota; further additions are lost."},
    {0},
};

enum counter { RELOADS, COUNTS, GRANTED };
#define GRANTED_TO(app)                                                                            \
    [GRANTED + app] = {"granted_" #app, "instructions",                                            \
                       "Memory instructions that refills have added to the quotas of app " #app    \
                       ", over all SMs."}
static const struct corun_policy_stat stats[] = {
    [RELOADS] = {"reloads", "times", "Refills of quotas, over all SMs."},
    [COUNTS] = {"counts", "times", "Updates of the requests per memory instruction, over all SMs."},
    GRANTED_TO(0), GRANTED_TO(1), GRANTED_TO(2), GRANTED_TO(3),
    GRANTED_TO(4), GRANTED_TO(5), GRANTED_TO(6), GRANTED_TO(7),
    {0},
};

static const char *qbmi_init(void *state, const struct corun_setup *setup,
                             const struct corun_value *values, uint64_t *counters)
{
    struct qbmi *q = state;
    q->interval = (uint64_t)values[INTERVAL].number;
    q->each_max = (uint32_t)values[REQUESTS_MAX].number;
    q->quota_max = (int64_t)values[QUOTA_MAX].number;
    q->app_n = setup->app_n;
    q->reloads = &counters[RELOADS];
    q->counts = &counters[COUNTS];
    q->granted = &counters[GRANTED];
    return setup->sm_n > SMS ? "more SMs than it has quotas for (256)" : NULL;
}

/* ---- quotas ---- */

static uint64_t divisor(uint64_t a, uint64_t b) { return b ? divisor(b, a % b) : a; }

/* Returns the least common multiple of the requests per instruction. A value too large for any
 * quota need not be exact. */
static uint64_t multiple(const struct qbmi *q, const struct quotas *s)
{
    uint64_t all = 1;
    for (uint32_t a = 0; a < q->app_n; a++)
        if (q->active >> a & 1 && all < UINT64_MAX / q->each_max)
            all = all / divisor(all, s->each[a]) * s->each[a];
    return all;
}

static bool used_up(const struct qbmi *q, const struct quotas *s)
{
    for (uint32_t a = 0; a < q->app_n; a++)
        if (q->active >> a & 1 && s->quota[a] <= 0) return true;
    return false;
}

static void reload(struct qbmi *q, struct quotas *s)
{
    uint64_t all = multiple(q, s), most = (uint64_t)q->quota_max;
    ++*q->reloads;
    for (uint32_t a = 0; a < q->app_n; a++) {
        if (!(q->active >> a & 1)) continue;
        uint64_t fresh = all / s->each[a];
        int64_t before = s->quota[a];
        s->quota[a] += (int64_t)(fresh < most ? fresh : most);
        if (s->quota[a] > q->quota_max) s->quota[a] = q->quota_max;
        q->granted[a] += (uint64_t)(s->quota[a] - before);
    }
}

/* Deducts newly issued instructions from the quotas. Returns false if none were issued. */
static bool deduct(struct qbmi *q, struct quotas *s, const uint64_t *issued)
{
    bool some = false;
    for (uint32_t a = 0; a < q->app_n; a++) {
        some |= issued[a] != s->issued[a];
        s->quota[a] -= (int64_t)(issued[a] - s->issued[a]);
        s->issued[a] = issued[a];
    }
    return some;
}

/* Adds quotas until all are above 0, whatever the order of issue was. */
static void renew(struct qbmi *q, struct quotas *s)
{
    while (used_up(q, s)) reload(q, s);
}

/* Brings quotas up to date under the previous kernels and requests per instruction. If nothing was
 * issued quotas are not renewed: a new app waits for other apps arriving at the same time. */
static void settle(struct qbmi *q, const struct corun_view *view, uint32_t sm)
{
    uint64_t issued[CORUN_APPS_MAX];
    for (uint32_t a = 0; a < q->app_n; a++) {
        struct corun_counts c;
        view->count(view, sm, a, &c);
        issued[a] = c.memory_instructions;
    }
    if (deduct(q, &q->sm[sm], issued)) renew(q, &q->sm[sm]);
}

/* ---- events ---- */

static void interval_starts(struct quotas *s, uint32_t app, const struct corun_counts *c)
{
    s->requests[app] = c->l1_accesses;
    s->instructions[app] = c->memory_instructions;
}

static void launched(struct qbmi *q, const struct corun_view *view, const struct corun_kernel *k)
{
    uint32_t app = k->app_id;
    q->active |= 1u << app;
    if (q->kernel[app] == k->kernel_id + 1) return; /* a restart */
    q->kernel[app] = k->kernel_id + 1;
    for (uint32_t i = 0; i < view->sm_n; i++) {
        struct quotas *s = &q->sm[i];
        struct corun_counts c;
        view->count(view, i, app, &c);
        s->quota[app] = 0;
        s->each[app] = 1;
        interval_starts(s, app, &c);
        s->odd &= ~(1u << app);
        if (c.l1_accesses % q->interval) s->odd |= 1u << app;
    }
}

static void ended(struct qbmi *q, const struct corun_view *view, uint32_t kernel)
{
    uint32_t app = view->kernels[kernel].app_id;
    q->active &= ~(1u << app);
    for (uint32_t k = 0; k < view->kernel_n; k++)
        if (k != kernel && view->kernels[k].app_id == app) q->active |= 1u << app;
}

static void counted(struct qbmi *q, const struct corun_view *view, uint32_t sm, uint32_t app)
{
    struct quotas *s = &q->sm[sm];
    struct corun_counts c;
    view->count(view, sm, app, &c);
    uint64_t requests = c.l1_accesses - s->requests[app];
    uint64_t n = c.memory_instructions - s->instructions[app];
    bool odd = s->odd >> app & 1;
    interval_starts(s, app, &c);
    s->odd &= ~(1u << app);
    if (odd) return;
    uint64_t each = n ? (2 * requests + n) / (2 * n) : q->each_max; /* rounds half up */
    s->each[app] = each < 1 ? 1 : each > q->each_max ? q->each_max : (uint32_t)each;
    ++*q->counts;
}

static void qbmi_watch(void *state, const struct corun_view *view, const struct corun_event *e)
{
    struct qbmi *q = state;
    if (e->kind == CORUN_REQUESTS) {
        settle(q, view, e->sm);
        counted(q, view, e->sm, e->app_id);
        return;
    }
    for (uint32_t s = 0; s < view->sm_n; s++) settle(q, view, s);
    if (e->kind == CORUN_LAUNCH) launched(q, view, &view->kernels[e->kernel]);
    else ended(q, view, e->kernel);
}

/* ---- answers ---- */

static bool goes_before(const struct quotas *s, const struct corun_contest *c, uint32_t a,
                        uint32_t b)
{
    if (s->quota[a] != s->quota[b]) return s->quota[a] > s->quota[b];
    return c->last[a] < c->last[b];
}

static uint32_t qbmi_arbiter(void *state, const struct corun_view *view,
                             const struct corun_contest *contest)
{
    struct qbmi *q = state;
    struct quotas *s = &q->sm[contest->sm];
    uint32_t best = view->app_n;
    deduct(q, s, contest->issued);
    renew(q, s);
    for (uint32_t a = 0; a < view->app_n; a++)
        if (contest->apps >> a & 1 && (best == view->app_n || goes_before(s, contest, a, best)))
            best = a;
    return best;
}

static uint64_t qbmi_requests(const void *state) { return ((const struct qbmi *)state)->interval; }

static uint32_t qbmi_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_SYMMETRIC;
}

const struct corun_policy corun_policy_qbmi = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "qbmi",
    .sentence = "Kernels issue memory instructions by quotas of even requests.",
    .source = "paper 000 section 3.2",
    .options = options,
    .stats = stats,
    .state_bytes = sizeof(struct qbmi),
    .init = qbmi_init,
    .arbiter = qbmi_arbiter,
    .watch = qbmi_watch,
    .events = 1u << CORUN_LAUNCH | 1u << CORUN_KERNEL_END | 1u << CORUN_REQUESTS,
    .requests = qbmi_requests,
    .traits = qbmi_traits,
};
