/* mias: the SMs concurrently try mixes of blocks that leave no room for another block. All SMs then
 * run the mix with the best expected throughput, until kernels change. The memory load of a
 * profiled SM may differ from the other SMs; corrections use the SM's misses (ipm-ipc) or the SM's
 * part of the outstanding misses (factor, linear). Paper 004 chapter 3. */
#include "trial.h"

enum metric { METRIC_IPC, METRIC_IPM_IPC, METRIC_FACTOR, METRIC_LINEAR };

struct mias {
    struct trial trial; /* must be first */
    enum metric metric;
    double coef;
    bool coef_of_sm;
    struct corun_value mixes; /* number of mixes tried per set: the option `configs` */
    uint64_t *left_out, *configs;
};

enum option { METRIC, PROFILE_CYCLES, COEF, COEF_SCALE, CONFIGS, FILL };
static const struct corun_option options[] = {
    [METRIC] =
        {"metric", CORUN_WORD, "ipm-ipc", 0, 0, "ipc|ipm-ipc|factor|linear", "",
         "Value of a mix: IPC (ipc); IPC times instructions per miss (ipm-ipc); IPC with memory "
         "stalls scaled (factor) or shifted (linear) by the mix's part of the outstanding misses."},
    [PROFILE_CYCLES] =
        {"profile_cycles", CORUN_WHOLE, "45000", 1, 1e9, NULL, "cycles",
         "Time for which a mix is measured."},
    [COEF] =
        {"coef", CORUN_NUMBER, "0.0000315", 0, 1e6, NULL, "cycles per miss and cycle",
         "Metric linear: memory stall cycles per outstanding miss; fitted by tools/mias_coef.py."},
    [COEF_SCALE] =
        {"coef_scale", CORUN_WORD, "gpu", 0, 0, "gpu|sm", "",
         "Fit of coef: to the misses of the GPU, or of a single SM."},
    [CONFIGS] =
        {"configs", CORUN_WHOLES, "few", 1, TRIAL_CONFIGS, "few|all", "mixes",
         "Number of mixes tried, spread over the mixes with a block of each kernel. few: for two "
         "kernels all mixes, for more kernels as many mixes as SMs; or a number; all: also mixes "
         "without a block of one of three kernels."},
    [FILL] = CORUN_FILL_OPTION,
    {0},
};

enum counter { PROFILES, PAUSES, CONFIGURATIONS, LEFT_OUT, ROUNDS, DECIDED_AT, UNDECIDED };
static const struct corun_policy_stat stats[] = {
    [PROFILES] = {"profiles", "decisions", "Decisions from a profile."},
    [PAUSES] =
        {"pauses", "times",
         "Profiles paused by a change of kernels and continued later."},
    [CONFIGURATIONS] = {"configurations", "mixes", "Mixes listed, over all sets of kernels."},
    [LEFT_OUT] =
        {"left_out", "mixes",
         "Mixes not tried: excluded by `configs`, or beyond 1024 mixes of a set."},
    [ROUNDS] = {"rounds", "rounds", "Completed rounds of profiles."},
    [DECIDED_AT] = {"decided_at", "cycles", "Cycle of the last decision."},
    [UNDECIDED] = {"undecided", "flag", "1: a profile has begun and led to no decision so far."},
    {0},
};

/* ---- configurations ---- */

/* Limit of the mixes listed (guess): five kernels in 32 blocks have 31,465 mixes, eight have 2.6
 * million. Beyond, kernels get blocks in steps of 2, 4, and so on. */
enum { VISITED_MAX = 1 << 15 };

struct listing {
    const struct corun_view *view;
    const uint32_t *running;
    uint32_t n;            /* number of kernels */
    bool each;             /* only mixes with a block of each kernel */
    struct trial_set *set; /* NULL: only count */
    uint32_t stride;       /* blocks of a kernel except the last go up by so many */
    uint32_t visited;      /* leaves of the tree */
    uint32_t seen, all, wanted; /* mixes: visited, in total, to be tried; the last two are set after
                                 * counting */
};

static const struct corun_resources *block_of(const struct listing *l, uint32_t k)
{
    return &l->view->kernels[l->running[k]].block;
}

/* Returns true if no kernel has room for another block and at least two kernels have blocks. */
static bool is_complete(const struct listing *l, const uint32_t *blocks,
                      const struct corun_resources *used)
{
    uint32_t some = 0;
    for (uint32_t k = 0; k < l->n; k++) {
        some += blocks[k] > 0;
        if (corun_room(&l->view->sm, used, block_of(l, k))) return false;
    }
    return some > 1 && (some == l->n || !l->each);
}

/* Gives the room that steps of more than a block leave to the kernels, in their order. */
static void fill(const struct listing *l, uint32_t *blocks, struct corun_resources *used)
{
    for (uint32_t k = 0; k < l->n && l->stride > 1; k++) {
        uint32_t n = corun_room(&l->view->sm, used, block_of(l, k));
        corun_take(used, block_of(l, k), n);
        blocks[k] += n;
    }
}

/* Adds a complete mix to the set if selected. `wanted` of `all` mixes are selected, evenly spread,
 * including the last. */
static void list_leaf(struct listing *l, const uint32_t *blocks, struct corun_resources used)
{
    struct trial_set *set = l->set;
    uint32_t mix[CORUN_APPS_MAX];
    memcpy(mix, blocks, l->n * sizeof *mix);
    l->visited++;
    fill(l, mix, &used);
    if (!is_complete(l, mix, &used)) return;
    uint64_t i = l->seen++;
    if (!set || (i + 1) * l->wanted / l->all == i * l->wanted / l->all) return;
    for (uint32_t k = 0; k < set->n; k++) set->config[set->config_n][k] = (uint8_t)mix[k];
    set->config_n++;
}

/* Visits the tree of mixes: kernel k gets 0 (with `each` 1), ... blocks of the room left, the last
 * kernel all that fit. Stops after VISITED_MAX leaves. */
static void list_from(struct listing *l, uint32_t k, struct corun_resources used, uint32_t *blocks)
{
    uint32_t room = corun_room(&l->view->sm, &used, block_of(l, k));
    bool last = k + 1 == l->n;
    for (uint32_t n = last ? room : l->each; n <= room && l->visited <= VISITED_MAX;
         n += l->stride) {
        struct corun_resources more = used;
        corun_take(&more, block_of(l, k), n);
        blocks[k] = n;
        if (last) list_leaf(l, blocks, more);
        else list_from(l, k + 1, more, blocks);
    }
}

static void table_take(struct trial_set *set, uint32_t config)
{
    for (uint32_t k = 0; k < set->n; k++) set->table[k] = set->config[config][k];
    set->decided = true;
}

/* Counts the mixes, with the smallest steps that leave at most VISITED_MAX. */
static void list_count(struct listing *l)
{
    uint32_t blocks[CORUN_APPS_MAX];
    struct trial_set *set = l->set;
    l->set = NULL;
    l->stride = 1;
    for (;; l->stride *= 2) {
        l->seen = l->visited = 0;
        list_from(l, 0, (struct corun_resources){0}, blocks);
        if (l->visited <= VISITED_MAX) break;
    }
    l->all = l->seen;
    l->seen = l->visited = 0;
    l->set = set;
}

/* Counts the mixes, then lists those to be tried. A kernel without a block in the chosen mix would
 * wait for ever if the other apps restart. Mixes without a block of some kernel are therefore tried
 * only if no others exist, or with configs=all, as in the thesis. */
static void list_all(struct listing *l, const struct corun_value *configs)
{
    uint32_t blocks[CORUN_APPS_MAX], most = TRIAL_CONFIGS;
    bool all = configs->word && !strcmp(configs->word, "all");
    if (!configs->word) most = (uint32_t)configs->list[0];
    else if (!all && l->n > 2) most = l->view->sm_n;
    l->each = !all;
    list_count(l);
    if (!l->all) {
        l->each = false;
        list_count(l);
    }
    l->wanted = corun_least(l->all, most);
    if (l->set) list_from(l, 0, (struct corun_resources){0}, blocks);
}

static uint64_t mias_decides(const struct corun_value *values, const struct corun_view *view)
{
    uint32_t running[CORUN_APPS_MAX], n = corun_running(view, running);
    struct listing l = {.view = view, .running = running, .n = n};
    if (n < 2) return 0;
    list_all(&l, &values[CONFIGS]);
    return trial_cycles(view, l.wanted, (uint64_t)values[PROFILE_CYCLES].number, 0);
}

/* Lists the mixes of a new set. Kernels that cannot share an SM get separate SMs; a single mix
 * needs no profile. */
static void mias_list(struct trial *t, const struct corun_view *view, const uint32_t *running,
                      struct trial_set *set)
{
    struct mias *m = (struct mias *)t;
    struct listing l = {.view = view, .running = running, .n = set->n, .set = set};
    list_all(&l, &m->mixes);
    *m->configs += set->config_n;
    *m->left_out += l.all - l.wanted;
    set->decided = set->separate = !set->config_n;
    if (set->config_n == 1) table_take(set, 0);
}

/* ---- value of a mix ---- */

struct worth { /* of a mix: means over the SMs that ran the mix */
    double instructions, cycles, misses, stall, outstanding;
    double surplus; /* outstanding misses scaled to all SMs, minus `all` */
    double all;     /* outstanding misses of all SMs */
};

static struct worth mean_of(const struct trial_set *set, const struct trial *t, uint32_t sm_n,
                            uint32_t config)
{
    const struct trial_sum *s = &set->sum[config];
    double sms = (double)s->cycles / (double)t->sample;
    struct worth w = {0};
    if (sms <= 0) return w;
    w = (struct worth){.instructions = (double)s->instructions / sms,
                       .cycles = (double)t->sample,
                       .misses = (double)s->misses / sms,
                       .stall = (double)s->memory_stall / sms,
                       .outstanding = (double)s->outstanding / sms};
    for (uint32_t i = config % set->rounds; i < set->config_n; i += set->rounds)
        w.all += (double)set->sum[i].outstanding;
    w.surplus = w.outstanding * sm_n - w.all;
    return w;
}

static double expected(double instructions, double cycles, double more)
{
    double least = cycles / 100, all = cycles + more;
    return instructions / (all > least ? all : least);
}

static double worth_of(const struct mias *m, const struct worth *w, uint32_t sm_n)
{
    if (w->cycles <= 0) return 0;
    double ipc = w->instructions / w->cycles, misses = w->misses > 1 ? w->misses : 1;
    double coef = m->coef_of_sm ? m->coef / sm_n : m->coef;
    switch (m->metric) {
    case METRIC_IPC: return ipc;
    case METRIC_IPM_IPC: return w->instructions / misses * ipc;
    case METRIC_FACTOR:
        return expected(w->instructions, w->cycles,
                        w->all > 0 ? w->stall * w->surplus / w->all : 0);
    case METRIC_LINEAR: return expected(w->instructions, w->cycles, coef * w->surplus);
    }
    return 0;
}

static void mias_decide(struct trial *t, const struct corun_view *view, const uint32_t *running,
                        struct trial_set *set)
{
    const struct mias *m = (const struct mias *)t;
    uint32_t best = 0;
    double most = -1;
    (void)running;
    for (uint32_t i = 0; i < set->config_n; i++) {
        struct worth w = mean_of(set, t, view->sm_n, i);
        double v = worth_of(m, &w, view->sm_n);
        if (v <= most) continue; /* ties: the first listed */
        most = v;
        best = i;
    }
    table_take(set, best);
}

/* ---- hooks ---- */

static const char *mias_init(void *state, const struct corun_setup *setup,
                             const struct corun_value *values, uint64_t *counters)
{
    static const char *const names[] = {"ipc", "ipm-ipc", "factor", "linear"};
    struct mias *m = state;
    const struct corun_value *most = &values[CONFIGS];
    if (!most->word && most->list_n != 1) return "configs is one number";
    m->mixes = *most;
    for (uint32_t i = 0; i < 4; i++)
        if (!strcmp(values[METRIC].word, names[i])) m->metric = (enum metric)i;
    m->coef = values[COEF].number;
    m->coef_of_sm = !strcmp(values[COEF_SCALE].word, "sm");
    m->configs = &counters[CONFIGURATIONS];
    m->left_out = &counters[LEFT_OUT];
    m->trial.sample = (uint64_t)values[PROFILE_CYCLES].number;
    m->trial.fill = corun_fill_of(&values[FILL]);
    m->trial.list = mias_list;
    m->trial.decide = mias_decide;
    m->trial.profiles = &counters[PROFILES];
    m->trial.paused = &counters[PAUSES];
    m->trial.rounds = &counters[ROUNDS];
    m->trial.decided_at = &counters[DECIDED_AT];
    m->trial.undecided = &counters[UNDECIDED];
    trial_init(&m->trial);
    return setup->sm_n > TRIAL_SMS ? "more SMs than it can profile (256)" : NULL;
}

/* Returns the traits. With configs=all the best mix of three kernels may leave a kernel without
 * blocks. */
static uint32_t mias_traits(const struct corun_value *values)
{
    const char *word = values[CONFIGS].word;
    return word && !strcmp(word, "all") ? CORUN_QUEUE : 0;
}

static void mias_admit(void *state, const struct corun_view *view, bool *admit)
{
    trial_admit(state, view, admit);
}

static void mias_share(void *state, const struct corun_view *view, uint32_t *target)
{
    trial_share(state, view, target);
}

static void mias_watch(void *state, const struct corun_view *view, const struct corun_event *e)
{
    trial_watch(state, view, e);
}

static uint64_t mias_timer(const void *state) { return ((const struct trial *)state)->timer; }

const struct corun_policy corun_policy_mias = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "mias",
    .sentence = "Tries mixes of blocks and runs the mix of best expected throughput.",
    .source = "paper 004 chapter 3",
    .options = options,
    .stats = stats,
    .state_bytes = sizeof(struct mias),
    .init = mias_init,
    .admit = mias_admit,
    .share = mias_share,
    .watch = mias_watch,
    .events = 1u << CORUN_SETTLED | 1u << CORUN_TIMER,
    .timer = mias_timer,
    .traits = mias_traits,
    .decides_cycles = mias_decides,
};
