/* Online profiling, for policies that measure configurations of blocks and then decide. A set is a
 * group of kernels that run together, with the configurations to try. In each round every SM runs
 * one configuration, counted from the moment when all SMs are in place; a decision follows the last
 * round. A set that runs again continues where it stopped: apps with short kernels are profiled
 * over many launches, and a decision is reused. warped_slicer.c and mias.c define the
 * configurations and their value. */
#ifndef CORUN_TRIAL_H
#define CORUN_TRIAL_H

#include "corun/policy.h"

enum {
    TRIAL_SMS = CORUN_SMS_MAX,
    TRIAL_PARTITIONS = CORUN_PARTITIONS_MAX,
    TRIAL_CONFIGS = 1024
};
enum { TRIAL_SETS = 64 }; /* enough for two apps of 8 kernels each, or three of 4 */

struct trial_sum { /* totals over the SMs with a configuration, while counted */
    uint64_t cycles, instructions, misses, memory_stall, outstanding;
};

struct trial_set {
    uint32_t n, kernel_id[CORUN_APPS_MAX]; /* in order of app */
    bool decided, separate;               /* apart: separate SMs, in equal numbers */
    uint32_t table[CORUN_APPS_MAX];    /* decided, not apart: blocks of each kernel on an SM */
    uint32_t config_n;                 /* configurations to try */
    uint32_t rounds, round;            /* rounds: needed in total, one configuration per SM each;
                                        * round: current */
    uint64_t elapsed; /* cycles of this round spent warming up or counting */
    uint8_t config[TRIAL_CONFIGS][CORUN_APPS_MAX];
    struct trial_sum sum[TRIAL_CONFIGS];
    uint64_t dram_bytes[TRIAL_PARTITIONS][CORUN_APPS_MAX]; /* of each app, while counted */
};

/* Phases: nothing to try; SMs move to their configurations; warm-up, not counted; counting; delay
 * before the decision. */
enum trial_phase { TRIAL_IDLE, TRIAL_MOVE, TRIAL_WARM, TRIAL_COUNT, TRIAL_DELAY };

struct trial {
    uint64_t warm, sample, delay; /* cycles */
    enum corun_fill fill;
    /* Lists the configurations of a new set, or decides at once. */
    void (*list)(struct trial *t, const struct corun_view *view, const uint32_t *running,
                 struct trial_set *set);
    void (*decide)(struct trial *t, const struct corun_view *view, const uint32_t *running,
                   struct trial_set *set);
    uint64_t *profiles, *paused, *rounds, *decided_at, *undecided; /* statistics */

    struct trial_set set[TRIAL_SETS];
    uint32_t set_n, current; /* current: index of the running set; TRIAL_SETS: fewer than two
                              * kernels run */
    bool decides; /* a set has been decided */
    enum trial_phase phase;
    uint64_t since, timer;             /* cycles: start of the phase; next check */
    struct trial_sum before[TRIAL_SMS]; /* counts of each SM at the start of counting */
    uint64_t dram_before[TRIAL_PARTITIONS][CORUN_APPS_MAX];
};

/* Returns the value for decides_cycles: the rounds, each with one cycle for calling the policy, and
 * the delay. */
static inline uint64_t trial_cycles(const struct corun_view *view, uint32_t config_n,
                                    uint64_t cycles_of_round, uint64_t delay)
{
    uint64_t rounds = (config_n + view->sm_n - 1) / view->sm_n;
    return rounds * (cycles_of_round + 1) + delay;
}

static inline void trial_init(struct trial *t)
{
    t->current = TRIAL_SETS;
    t->timer = CORUN_NEVER;
}

static inline void trial_decided(struct trial *t, const struct corun_view *view)
{
    t->decides = true;
    *t->decided_at = view->now;
    *t->undecided = 0;
}

static inline struct trial_set *trial_current(struct trial *t)
{
    return t->current < TRIAL_SETS ? &t->set[t->current] : NULL;
}

/* Returns true if the set consists of the running kernels. */
static inline bool trial_same(const struct trial_set *set, const struct corun_view *view)
{
    uint32_t running[CORUN_APPS_MAX], n = corun_running(view, running);
    if (!set || set->n != n) return false;
    for (uint32_t i = 0; i < n; i++)
        if (set->kernel_id[i] != view->kernels[running[i]].kernel_id) return false;
    return true;
}

/* Returns the configuration of an SM. Round r runs configurations r, r + rounds, ...; spare SMs
 * repeat them from the first. */
static inline uint32_t trial_config(const struct trial_set *set, uint32_t sm)
{
    uint32_t here = (set->config_n - set->round + set->rounds - 1) / set->rounds;
    return set->round + set->rounds * (sm % here);
}

static inline struct trial_sum trial_count(const struct corun_view *view, uint32_t sm)
{
    struct trial_sum all = {0};
    for (uint32_t a = 0; a < view->app_n; a++) {
        struct corun_counts c;
        view->count(view, sm, a, &c);
        all.instructions += c.thread_instructions;
        all.misses += c.l1_misses;
        all.memory_stall += c.memory_stall_cycles;
        all.outstanding += c.outstanding;
    }
    all.cycles = view->now;
    return all;
}

static inline uint64_t trial_dram_bytes(const struct corun_view *view, uint32_t partition,
                                        uint32_t app)
{
    struct corun_memory_counts c;
    view->count_memory(view, partition, app, &c);
    return c.dram_bytes;
}

static inline void trial_collect(struct trial *t, const struct corun_view *view)
{
    struct trial_set *set = trial_current(t);
    for (uint32_t p = 0; p < view->partition_n; p++)
        for (uint32_t a = 0; a < view->app_n; a++)
            set->dram_bytes[p][a] += trial_dram_bytes(view, p, a) - t->dram_before[p][a];
    for (uint32_t s = 0; s < view->sm_n; s++) {
        struct trial_sum now = trial_count(view, s), *sum = &set->sum[trial_config(set, s)];
        const struct trial_sum *before = &t->before[s];
        sum->cycles += now.cycles - before->cycles;
        sum->instructions += now.instructions - before->instructions;
        sum->misses += now.misses - before->misses;
        sum->memory_stall += now.memory_stall - before->memory_stall;
        sum->outstanding += now.outstanding - before->outstanding;
    }
}

static inline void trial_start_count(struct trial *t, const struct corun_view *view)
{
    t->phase = TRIAL_COUNT;
    t->since = view->now;
    t->timer = view->now + t->warm + t->sample - trial_current(t)->elapsed;
    for (uint32_t s = 0; s < view->sm_n; s++) t->before[s] = trial_count(view, s);
    for (uint32_t p = 0; p < view->partition_n; p++)
        for (uint32_t a = 0; a < view->app_n; a++)
            t->dram_before[p][a] = trial_dram_bytes(view, p, a);
}

/* Begins moving the SMs to the round's configurations; the next call of the policy sets the
 * targets. */
static inline void trial_start_move(struct trial *t, const struct corun_view *view)
{
    t->phase = TRIAL_MOVE;
    t->timer = view->now + 1;
}

static inline void trial_pause(struct trial *t, const struct corun_view *view)
{
    struct trial_set *set = trial_current(t);
    if (t->phase == TRIAL_WARM || t->phase == TRIAL_COUNT) {
        set->elapsed += view->now - t->since;
        ++*t->paused;
    }
    if (t->phase == TRIAL_COUNT) trial_collect(t, view);
    t->phase = TRIAL_IDLE;
    t->timer = CORUN_NEVER;
}

static inline void trial_decide(struct trial *t, const struct corun_view *view)
{
    uint32_t running[CORUN_APPS_MAX];
    corun_running(view, running);
    struct trial_set *set = trial_current(t);
    t->decide(t, view, running, set);
    set->decided = true;
    t->phase = TRIAL_IDLE;
    t->timer = CORUN_NEVER;
    ++*t->profiles;
    trial_decided(t, view);
}

/* Continues with the next round, or with the decision, after all cycles of a round are counted. */
static inline void trial_round_over(struct trial *t, const struct corun_view *view)
{
    struct trial_set *set = trial_current(t);
    ++*t->rounds;
    if (set->round + 1 < set->rounds) {
        set->elapsed = 0;
        set->round++;
        trial_start_move(t, view);
        return;
    }
    set->elapsed = t->warm + t->sample;
    t->phase = TRIAL_DELAY;
    t->timer = view->now + t->delay;
    if (!t->delay) trial_decide(t, view);
}

static inline void trial_watch(struct trial *t, const struct corun_view *view,
                               const struct corun_event *e)
{
    struct trial_set *set = trial_current(t);
    bool due = e->kind == CORUN_TIMER && view->now >= t->timer;
    if (!trial_same(set, view)) return; /* kernels have changed: a call will follow */
    if (t->phase == TRIAL_MOVE) {
        if (!corun_in_place(view, e, &t->timer)) return;
        t->since = view->now;
        if (set->elapsed >= t->warm) {
            trial_start_count(t, view);
        } else {
            t->phase = TRIAL_WARM;
            t->timer = view->now + t->warm - set->elapsed;
        }
    } else if (t->phase == TRIAL_WARM && due) {
        set->elapsed = t->warm;
        trial_start_count(t, view);
    } else if (t->phase == TRIAL_COUNT && due) {
        trial_collect(t, view);
        trial_round_over(t, view);
    } else if (t->phase == TRIAL_DELAY && due) {
        trial_decide(t, view);
    }
}

/* Returns the set of the running kernels; a new set replaces the set made first. */
static inline uint32_t trial_find(struct trial *t, const struct corun_view *view,
                                  const uint32_t *running, uint32_t n)
{
    uint32_t id[CORUN_APPS_MAX];
    for (uint32_t i = 0; i < n; i++) id[i] = view->kernels[running[i]].kernel_id;
    for (uint32_t k = 0; k < TRIAL_SETS && k < t->set_n; k++)
        if (t->set[k].n == n && !memcmp(t->set[k].kernel_id, id, n * sizeof *id)) return k;
    uint32_t k = t->set_n++ % TRIAL_SETS;
    struct trial_set *set = &t->set[k];
    memset(set, 0, sizeof *set);
    set->n = n;
    memcpy(set->kernel_id, id, n * sizeof *id);
    t->list(t, view, running, set);
    set->rounds = (set->config_n + view->sm_n - 1) / view->sm_n;
    if (set->decided) trial_decided(t, view);
    else if (!t->decides) *t->undecided = 1;
    return k;
}

/* Updates set and phase at the beginning of each call of the policy. */
static inline void trial_step(struct trial *t, const struct corun_view *view)
{
    uint32_t running[CORUN_APPS_MAX], n = corun_running(view, running);
    if (trial_same(trial_current(t), view) || (n < 2 && t->current == TRIAL_SETS)) return;
    trial_pause(t, view);
    t->current = n < 2 ? TRIAL_SETS : trial_find(t, view, running, n);
    struct trial_set *set = trial_current(t);
    if (!set || set->decided) return;
    /* kernels may change in the cycle that ends the counting */
    if (set->elapsed >= t->warm + t->sample) trial_round_over(t, view);
    else trial_start_move(t, view);
}

/* Computes the targets of a decided table. Resources of kernels that hold no share go to the other
 * kernels in order. */
static inline void trial_table_row(const struct trial *t, const struct trial_set *set,
                                   const struct corun_view *view, const uint32_t *running,
                                   uint32_t *row)
{
    struct corun_resources used = {0};
    uint32_t out = 0;
    for (uint32_t i = 0; i < set->n; i++) {
        bool holds = corun_holds(view, t->fill, running[i]);
        row[i] = holds ? set->table[i] : 0;
        out += !holds;
        corun_take(&used, &view->kernels[running[i]].block, row[i]);
    }
    for (uint32_t i = 0; out && i < set->n; i++) {
        const struct corun_kernel *k = &view->kernels[running[i]];
        if (!k->pending_blocks) continue;
        uint32_t more = corun_room(&view->sm, &used, &k->block);
        row[i] += more;
        corun_take(&used, &k->block, more);
    }
}

/* Computes the targets for separate SMs. SMs of a kernel that holds no share are distributed
 * round-robin to the kernels that hold one. */
static inline void trial_separate_row(const struct trial *t, const struct trial_set *set,
                                      const struct corun_view *view, const uint32_t *running,
                                      uint32_t sm, uint32_t *row)
{
    uint32_t holder[CORUN_APPS_MAX], n = 0, owner = corun_even_owner(sm, view->sm_n, set->n);
    for (uint32_t i = 0; i < set->n; i++)
        if (corun_holds(view, t->fill, running[i])) holder[n++] = i;
    if (n && owner < set->n && !corun_holds(view, t->fill, running[owner])) owner = holder[sm % n];
    for (uint32_t i = 0; i < set->n; i++) row[i] = i == owner ? CORUN_TARGET_FULL : 0;
}

static inline void trial_row(const struct trial *t, const struct corun_view *view,
                             const uint32_t *running, uint32_t sm, uint32_t *row)
{
    const struct trial_set *set = &t->set[t->current];
    if (set->decided && set->separate) trial_separate_row(t, set, view, running, sm, row);
    else if (set->decided) trial_table_row(t, set, view, running, row);
    else for (uint32_t i = 0; i < set->n; i++) row[i] = set->config[trial_config(set, sm)][i];
}

static inline void trial_admit(struct trial *t, const struct corun_view *view, bool *admit)
{
    uint32_t running[CORUN_APPS_MAX], some[CORUN_APPS_MAX], m = 0;
    uint32_t n = corun_running(view, running);
    trial_step(t, view);
    for (uint32_t i = 0; i < n; i++) {
        bool wanted = n < 2;
        for (uint32_t s = 0; !wanted && s < view->sm_n; s++) {
            uint32_t row[CORUN_APPS_MAX];
            trial_row(t, view, running, s, row);
            wanted = row[i] > 0;
        }
        if (wanted) some[m++] = running[i];
    }
    corun_admit_only(view, some, m, admit);
}

static inline void trial_share(const struct trial *t, const struct corun_view *view,
                               uint32_t *target)
{
    uint32_t running[CORUN_APPS_MAX], row[CORUN_APPS_MAX], n = corun_running(view, running);
    for (uint32_t s = 0; n > 1 && s < view->sm_n; s++) {
        trial_row(t, view, running, s, row);
        for (uint32_t i = 0; i < n; i++)
            if (view->kernels[running[i]].pending_blocks)
                target[s * view->kernel_n + running[i]] = row[i];
    }
}

#endif
