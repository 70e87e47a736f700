/* warped-slicer: chooses the mix of blocks that maximises the least normalized performance, by
 * water filling over scalability curves: a kernel's performance with 1, 2, ... blocks on an SM.
 * static: curves from isolated runs. dynamic: one profile while the kernels run together, each SM
 * with some number of blocks of one kernel. If the loss would be too great, kernels get separate
 * SMs. Papers 000 section 2.5, 004 section 2.3; details left open follow the outline in the
 * original paper. The original's factors against the uneven use of L2 and DRAM by SMs are in none
 * of the papers: `scale` is our interpretation. */
#include "trial.h"

enum { POINTS = 64 };

struct curve {
    uint32_t n;
    double p[POINTS]; /* [t - 1]: performance with t blocks */
};

/* Detects phase changes: counts the instructions of each app in windows after a decision. */
struct phase_detector {
    uint32_t of;   /* index of the set whose decision is watched */
    uint64_t next; /* cycle at which the window ends */
    uint64_t before[CORUN_APPS_MAX]; /* instructions at the window's start */
    uint32_t windows, off_n; /* windows so far; last windows in a row with an app off its mean */
    double mean[CORUN_APPS_MAX];  /* instructions per window, mean over the first windows */
};

struct slicer {
    struct trial trial; /* must be first */
    bool is_static, phase;
    bool to_share;
    double loss, dram_bytes_per_cycle;
    struct phase_detector detector;
    uint64_t *separate, *again, *predicted, *chosen;
};

enum option { MODE, WARM, SAMPLE, SCALE, LOSS_LIMIT, DELAY, PHASE, FILL };
static const struct corun_option options[] = {
    [MODE] =
        {"mode", CORUN_WORD, "dynamic", 0, 0, "static|dynamic", "",
         "Source of the scalability curves: isolated runs (static) or a profile while sharing "
         "(dynamic)."},
    [WARM] =
        {"warm", CORUN_WHOLE, "20000", 0, 1e9, NULL, "cycles",
         "Warm-up of a round, not counted."},
    [SAMPLE] =
        {"sample", CORUN_WHOLE, "5000", 1, 1e9, NULL, "cycles",
         "Counted part of a round, after the warm-up."},
    [SCALE] =
        {"scale", CORUN_WORD, "share", 0, 0, "share|none", "",
         "Correction of a sample for the SM's DRAM bandwidth: at most the value that an even share "
         "of the busiest bus allows (our interpretation: the papers give no formula); or none."},
    [LOSS_LIMIT] =
        {"loss_limit", CORUN_NUMBER, "1.2", 0, 100, NULL, "",
         "Limit, times 1/n, on a kernel's loss against the kernel's best performance; beyond the "
         "limit the kernels get separate SMs."},
    [DELAY] =
        {"delay", CORUN_WHOLE, "0", 0, 1e9, NULL, "cycles",
         "Time from the last sample to the decision."},
    [PHASE] =
        {"phase", CORUN_WORD, "off", 0, 0, "on|off", "",
         "on: a kernel with an IPC changed by half for 4 windows of 5000 cycles starts a new "
         "profile."},
    [FILL] = CORUN_FILL_OPTION,
    {0},
};

enum counter { PROFILES, PAUSES, APART, PHASE_CHANGES, PREDICTED, ROUNDS, DECIDED_AT, UNDECIDED,
               BLOCKS };
#define BLOCKS_OF(app)                                                                             \
    [BLOCKS + app] = {"blocks_" #app, "blocks",                                                    \
                      "Blocks of app " #app " on an SM by the last decision; 0: separate SMs, or " \
                      "no part in the decision."}
static const struct corun_policy_stat stats[] = {
    [PROFILES] = {"profiles", "decisions", "Decisions from a profile."},
    [PAUSES] =
        {"pauses", "times",
         "Profiles paused by a change of kernels and continued later."},
    [APART] = {"apart", "decisions", "Decisions for separate SMs."},
    [PHASE_CHANGES] =
        {"phase_changes", "times", "Profiles restarted because the IPC of a kernel had changed."},
    [PREDICTED] =
        {"predicted", "thousandths",
         "Weighted speedup predicted by the curves of the last decision, relative to each kernel's "
         "best; 0: separate SMs."},
    [ROUNDS] = {"rounds", "rounds", "Completed rounds of profiles."},
    [DECIDED_AT] = {"decided_at", "cycles", "Cycle of the last decision."},
    [UNDECIDED] = {"undecided", "flag", "1: a profile has begun and led to no decision so far."},
    BLOCKS_OF(0), BLOCKS_OF(1), BLOCKS_OF(2), BLOCKS_OF(3),
    BLOCKS_OF(4), BLOCKS_OF(5), BLOCKS_OF(6), BLOCKS_OF(7),
    {0},
};

/* ---- water filling ---- */

static double curve_best(const struct curve *c)
{
    double best = 0;
    for (uint32_t t = 0; t < c->n; t++) best = c->p[t] > best ? c->p[t] : best;
    return best;
}

/* Selects the points of a curve that exceed all points with fewer blocks. value: relative to the
 * best point. */
static uint32_t envelope(const struct curve *c, uint32_t *blocks, double *value)
{
    double best = curve_best(c);
    uint32_t n = 0;
    for (uint32_t t = 0; t < c->n; t++) {
        double v = best > 0 ? c->p[t] / best : 1;
        if (n && v <= value[n - 1]) continue;
        blocks[n] = t + 1;
        value[n++] = v;
    }
    return n;
}

/* Chooses a mix. Returns false if separate SMs are better, or the only possibility. */
static bool water_fill(const struct corun_view *view, const uint32_t *running, uint32_t n,
                       const struct curve *curves, double loss, uint32_t *table)
{
    uint32_t blocks[CORUN_APPS_MAX][POINTS], point_n[CORUN_APPS_MAX], at[CORUN_APPS_MAX] = {0};
    double value[CORUN_APPS_MAX][POINTS];
    bool open[CORUN_APPS_MAX];
    struct corun_resources used = {0};
    for (uint32_t k = 0; k < n; k++) {
        const struct corun_resources *block = &view->kernels[running[k]].block;
        point_n[k] = envelope(&curves[k], blocks[k], value[k]);
        if (!point_n[k] || !corun_room(&view->sm, &used, block)) return false;
        corun_take(&used, block, 1);
        open[k] = true;
    }
    for (;;) {
        uint32_t low = n;
        for (uint32_t k = 0; k < n; k++)
            if (open[k] && (low == n || value[k][at[k]] < value[low][at[low]])) low = k;
        if (low == n) break;
        const struct corun_resources *block = &view->kernels[running[low]].block;
        open[low] = at[low] + 1 < point_n[low];
        if (!open[low]) continue; /* the kernel's curve has peaked */
        uint32_t more = blocks[low][at[low] + 1] - blocks[low][at[low]];
        open[low] = corun_room(&view->sm, &used, block) >= more;
        if (!open[low]) continue;
        corun_take(&used, block, more);
        at[low]++;
    }
    for (uint32_t k = 0; k < n; k++) {
        table[k] = blocks[k][at[k]];
        if (1 - value[k][at[k]] > loss / n) return false;
    }
    return true;
}

/* Returns the predicted weighted speedup in thousandths: the sum of each kernel's part of its best
 * performance, at most 1 per kernel. */
static uint64_t predict(const struct trial_set *set, const struct curve *curves)
{
    double speedup = 0;
    if (set->separate) return 0;
    for (uint32_t k = 0; k < set->n; k++) {
        double best = curve_best(&curves[k]);
        speedup += best > 0 ? curves[k].p[set->table[k] - 1] / best : 0;
    }
    return (uint64_t)(speedup * 1000 + 0.5);
}

static void table_decide(struct slicer *s, const struct corun_view *view, const uint32_t *running,
                         struct trial_set *set, const struct curve *curves)
{
    set->decided = true;
    set->separate = !water_fill(view, running, set->n, curves, s->loss, set->table);
    *s->separate += set->separate;
    *s->predicted = predict(set, curves);
    memset(s->chosen, 0, CORUN_APPS_MAX * sizeof *s->chosen);
    for (uint32_t k = 0; k < set->n && !set->separate; k++)
        s->chosen[view->kernels[running[k]].app_id] = set->table[k];
    s->detector = (struct phase_detector){.of = (uint32_t)(set - s->trial.set), .next = view->now};
}

/* ---- static ---- */

static void static_decide(struct slicer *s, const struct corun_view *view, const uint32_t *running,
                          struct trial_set *set)
{
    struct curve curves[CORUN_APPS_MAX] = {0};
    for (uint32_t k = 0; k < set->n; k++) {
        const struct corun_alone *alone = view->kernels[running[k]].alone;
        curves[k].n = alone ? corun_least(alone->curve_n, POINTS) : 0;
        for (uint32_t t = 0; t < curves[k].n; t++) curves[k].p[t] = alone->curve[t];
    }
    table_decide(s, view, running, set, curves);
}

/* ---- dynamic ---- */

/* Lists the configurations: each kernel with 1, 2, ... blocks, kernel after kernel. */
static void slicer_list(struct trial *t, const struct corun_view *view, const uint32_t *running,
                        struct trial_set *set)
{
    struct slicer *s = (struct slicer *)t;
    if (s->is_static) {
        static_decide(s, view, running, set);
        return;
    }
    for (uint32_t k = 0; k < set->n; k++) {
        uint32_t most = corun_least(view->kernels[running[k]].full_blocks, POINTS);
        for (uint32_t b = 1; b <= most; b++) set->config[set->config_n++][k] = (uint8_t)b;
    }
}

static uint32_t kernel_of(const struct trial_set *set, uint32_t config)
{
    uint32_t k = 0;
    while (!set->config[config][k]) k++;
    return k;
}

/* Returns the DRAM bytes on the busiest data bus per L1 miss of the kernel's SMs, while counted. */
static double bytes_of_a_miss(const struct corun_view *view, const struct trial_set *set,
                              uint32_t kernel, uint32_t app)
{
    uint64_t most = 0, misses = 0;
    for (uint32_t p = 0; p < view->partition_n; p++)
        if (set->dram_bytes[p][app] > most) most = set->dram_bytes[p][app];
    for (uint32_t i = 0; i < set->config_n; i++)
        if (kernel_of(set, i) == kernel) misses += set->sum[i].misses;
    return misses ? (double)most / (double)misses : 0;
}

/* Returns the correction factor of a sample. Model: guess. During profiling an SM with many blocks
 * takes more bandwidth than is left when all SMs have as many. Traffic beyond an even share of the
 * busiest bus is discounted, and the IPC in proportion. A latency-bound sample uses less than a
 * share and is unchanged. */
static double within_share(double bytes_per_cycle, double share)
{
    return bytes_per_cycle > share ? share / bytes_per_cycle : 1;
}

/* Interpolates the points of SMs that had no work between the neighbouring points. */
static void curve_mend(struct curve *c)
{
    for (uint32_t t = 0; t < c->n; t++) {
        if (c->p[t] > 0) continue;
        uint32_t a = t, b = t;
        while (a && c->p[a] <= 0) a--;
        while (b + 1 < c->n && c->p[b] <= 0) b++;
        double left = c->p[a], right = c->p[b];
        if (left > 0 && right > 0) c->p[t] = left + (right - left) * (t - a) / (b - a);
        else c->p[t] = left > 0 ? left : right;
    }
}

static double sample_ipc(const struct trial_sum *sum, double bytes_of_miss, double share)
{
    double cycles = sum->cycles ? (double)sum->cycles : 1;
    double bytes_per_cycle = (double)sum->misses * bytes_of_miss / cycles;
    return (double)sum->instructions / cycles * within_share(bytes_per_cycle, share);
}

static void slicer_decide(struct trial *t, const struct corun_view *view, const uint32_t *running,
                          struct trial_set *set)
{
    struct slicer *s = (struct slicer *)t;
    struct curve curves[CORUN_APPS_MAX] = {0};
    double bytes[CORUN_APPS_MAX] = {0};
    for (uint32_t k = 0; s->to_share && k < set->n; k++)
        bytes[k] = bytes_of_a_miss(view, set, k, view->kernels[running[k]].app_id);
    for (uint32_t i = 0; i < set->config_n; i++) {
        uint32_t k = kernel_of(set, i);
        struct curve *c = &curves[k];
        c->p[c->n++] = sample_ipc(&set->sum[i], bytes[k], s->dram_bytes_per_cycle / view->sm_n);
    }
    for (uint32_t k = 0; k < set->n; k++) curve_mend(&curves[k]);
    table_decide(s, view, running, set, curves);
}

/* ---- phase changes ---- */

enum { PHASE_CYCLES = 5000, PHASE_MEAN = 10, PHASE_OFF = 4 };

/* Evaluates a window. Returns true if the last windows were far from the first windows. */
static bool phase_changed(struct phase_detector *d, const struct corun_view *view)
{
    bool off = false;
    for (uint32_t a = 0; a < view->app_n && a < CORUN_APPS_MAX; a++) {
        struct corun_counts counts;
        corun_count_gpu(view, a, &counts);
        uint64_t now = counts.thread_instructions;
        double did = (double)(now - d->before[a]);
        d->before[a] = now;
        if (!d->windows) continue; /* the first look */
        if (d->windows <= PHASE_MEAN) {
            d->mean[a] += did / PHASE_MEAN;
        } else {
            double by = did > d->mean[a] ? did - d->mean[a] : d->mean[a] - did;
            off |= by > d->mean[a] / 2;
        }
    }
    d->windows++;
    d->off_n = off ? d->off_n + 1 : 0;
    return d->off_n == PHASE_OFF;
}

static void phase_watch(struct slicer *s, const struct corun_view *view)
{
    struct trial_set *set = trial_current(&s->trial);
    if (!s->phase || s->is_static || !set || !set->decided || view->now < s->detector.next) return;
    if (s->detector.of != s->trial.current)
        s->detector = (struct phase_detector){.of = s->trial.current};
    s->detector.next = view->now + PHASE_CYCLES;
    if (!phase_changed(&s->detector, view)) return;
    ++*s->again;
    set->decided = false;
    set->round = 0;
    set->elapsed = 0;
    memset(set->sum, 0, sizeof set->sum);
    memset(set->dram_bytes, 0, sizeof set->dram_bytes);
    trial_start_move(&s->trial, view);
}

/* ---- hooks ---- */

static const char *slicer_init(void *state, const struct corun_setup *setup,
                               const struct corun_value *values, uint64_t *counters)
{
    struct slicer *s = state;
    s->is_static = !strcmp(values[MODE].word, "static");
    s->to_share = !strcmp(values[SCALE].word, "share");
    s->dram_bytes_per_cycle = setup->dram_bytes_per_cycle;
    s->loss = values[LOSS_LIMIT].number;
    s->phase = !strcmp(values[PHASE].word, "on");
    s->separate = &counters[APART];
    s->again = &counters[PHASE_CHANGES];
    s->predicted = &counters[PREDICTED];
    s->chosen = &counters[BLOCKS];
    struct trial *t = &s->trial;
    t->warm = (uint64_t)values[WARM].number;
    t->sample = (uint64_t)values[SAMPLE].number;
    t->delay = (uint64_t)values[DELAY].number;
    t->fill = corun_fill_of(&values[FILL]);
    t->list = slicer_list;
    t->decide = slicer_decide;
    t->profiles = &counters[PROFILES];
    t->paused = &counters[PAUSES];
    t->rounds = &counters[ROUNDS];
    t->decided_at = &counters[DECIDED_AT];
    t->undecided = &counters[UNDECIDED];
    trial_init(t);
    return setup->sm_n > TRIAL_SMS ? "more SMs than it can profile (256)" : NULL;
}

static uint32_t slicer_needs(const struct corun_value *values)
{
    return strcmp(values[MODE].word, "static") ? 0 : CORUN_NEEDS_CURVE;
}

static uint64_t slicer_decides(const struct corun_value *values, const struct corun_view *view)
{
    uint32_t running[CORUN_APPS_MAX], n = corun_running(view, running), config_n = 0;
    if (!strcmp(values[MODE].word, "static") || n < 2) return 0;
    if (!strcmp(values[PHASE].word, "on")) return CORUN_NEVER;
    for (uint32_t k = 0; k < n; k++)
        config_n += corun_least(view->kernels[running[k]].full_blocks, POINTS);
    return trial_cycles(view, config_n, (uint64_t)(values[WARM].number + values[SAMPLE].number),
                        (uint64_t)values[DELAY].number);
}

static void slicer_admit(void *state, const struct corun_view *view, bool *admit)
{
    trial_admit(state, view, admit);
}

static void slicer_share(void *state, const struct corun_view *view, uint32_t *target)
{
    trial_share(state, view, target);
}

static void slicer_watch(void *state, const struct corun_view *view, const struct corun_event *e)
{
    trial_watch(state, view, e);
    if (e->kind == CORUN_TIMER) phase_watch(state, view);
}

static uint64_t slicer_timer(const void *state)
{
    const struct slicer *s = state;
    const struct trial *t = &s->trial;
    bool detects = s->phase && !s->is_static && t->current < TRIAL_SETS &&
                   t->set[t->current].decided;
    return detects && s->detector.next < t->timer ? s->detector.next : t->timer;
}

const struct corun_policy corun_policy_warped_slicer = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "warped-slicer",
    .sentence = "Chooses blocks per SM to maximise the least normalized performance.",
    .source = "papers 000 section 2.5, 004 section 2.3",
    .options = options,
    .stats = stats,
    .state_bytes = sizeof(struct slicer),
    .init = slicer_init,
    .needs = slicer_needs,
    .admit = slicer_admit,
    .share = slicer_share,
    .watch = slicer_watch,
    .events = 1u << CORUN_SETTLED | 1u << CORUN_TIMER,
    .timer = slicer_timer,
    .decides_cycles = slicer_decides,
};
