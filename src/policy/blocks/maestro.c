/* maestro: two kernels share SMs in a mix of blocks. Most SMs (followers) run the current mix. A
 * few trial SMs run one block more, or less, of the kernel that has fewer blocks alone, and a few
 * dedicated SMs run one kernel alone for reference. After each epoch the followers take the best
 * mix; if spatial sharing is best, each kernel gets one of the followers. In a steady partition
 * dedicated SMs follow, too. More kernels form pairs by app on equal numbers of SMs, with separate
 * epochs. A later launch counts as the same kernel, and a pair that meets again continues where it
 * stopped; a new pair begins with a mix from the history of both kernels. Paper 002 sections 4.1
 * and 4.2; our decisions are marked by Model. */
#include "corun/policy.h"

enum { PAIRS = 64, PARTS = CORUN_APPS_MAX / 2 };

enum role { ALONE_0, ALONE_1, MORE, LESS, FOLLOWER, ROLES }; /* of SMs shared by two kernels */

struct sum { /* totals over the SMs of a role while counting */
    uint64_t cycles, instructions[2];
};

struct pair { /* two kernels and the knowledge about them */
    uint32_t kernel_id[2], sm_n;
    uint64_t name[2];              /* hashes */
    struct corun_resources block[2];
    uint32_t trial;                /* index of the kernel whose blocks the trials vary */
    uint32_t even[2];              /* blocks of each kernel in the even mix */
    uint32_t blocks; /* blocks of the trial kernel on followers; 0: no SM holds both */
    uint32_t grown;                /* SMs of each kernel won by spatial sharing */
    bool tries;                    /* has enough SMs for trials */
    bool steady;                   /* dedicated SMs are followers */
    uint32_t still, age;           /* epochs: won by followers in a row; since steady */
    double alone[2], isolated[2];  /* IPC of an SM with one kernel: last; of isolated runs or 0 */
    double apart[2];               /* performance under spatial sharing relative to alone */
    double expected;               /* weighted speedup, by the last epoch */
    uint64_t elapsed;              /* cycles counted of this epoch */
    struct sum sum[ROLES];         /* counts in these cycles */
    uint64_t seen;                 /* number of the last call with the pair; 0: free */
};

/* Phases: nothing is measured; SMs move to their mixes; cycles are counted. */
enum search_phase { IDLE, MOVE, COUNT };

struct sm_part { /* neighbouring SMs with one or two kernels */
    uint32_t first, end;
    uint32_t n, app[2], kernel_id[2];
    uint32_t kernel[2];            /* indexes into view->kernels, now */
    struct pair *pair;             /* NULL: one kernel */
    enum search_phase phase;
    uint64_t since, timer;         /* cycles: start of counting; next check */
};

struct maestro {
    uint64_t epoch;
    bool stp, isolated, measured;  /* isolated: use isolated runs; measured: spatial sharing */
    uint32_t trial, dedicated;     /* SMs: of each of two trials, of each kernel */
    double gain, drift;            /* fractions */
    double steady, rededicate;     /* epochs */
    enum corun_fill fill;
    struct corun_resources sm;
    uint64_t *counters;

    struct sm_part part[PARTS];
    uint32_t part_n;
    struct pair pair[PAIRS];
    uint64_t questions;
    enum role role[CORUN_SMS_MAX];
    uint32_t row[CORUN_SMS_MAX][2]; /* blocks of the role; 0 0: none yet */
    uint64_t before[CORUN_SMS_MAX][2]; /* instructions at the start of counting */
};

enum option { EPOCH, OBJECTIVE, TRIAL, DEDICATED, REFERENCE, APART, GAIN, STEADY, DRIFT, REDEDICATE,
              FILL };
static const struct corun_option options[] = {
    [EPOCH] = {"epoch", CORUN_WHOLE, "50000", 1, 1e9, NULL, "cycles",
               "Time from all SMs at target blocks to the decision (paper 002 section 4.1)."},
    [OBJECTIVE] = {"objective", CORUN_WORD, "antt", 0, 0, "antt|stp", "",
                   "Metric to optimise (antt: paper 002 section 5)."},
    [TRIAL] = {"trial", CORUN_WHOLE, "1", 1, 64, NULL, "SMs",
               "SMs with a block more; as many have a block less (paper 002 section 4.1)."},
    [DEDICATED] = {"dedicated", CORUN_WHOLE, "1", 1, 64, NULL, "SMs",
                   "SMs that measure each kernel alone (our choice: no number in the paper)."},
    [REFERENCE] = {"reference", CORUN_WORD, "dedicated", 0, 0, "dedicated|isolated", "",
                   "A kernel's IPC alone: of dedicated SMs (the paper), or of isolated runs."},
    [APART] = {"spatial", CORUN_WORD, "half", 0, 0, "half|measured", "",
               "Each of two kernels under spatial sharing: half of alone, or by dedicated SMs."},
    [GAIN] = {"gain", CORUN_NUMBER, "1", 0, 100, NULL, "%",
              "Advantage over the followers' partition required of another (our choice)."},
    [STEADY] = {"steady", CORUN_WHOLE, "3", 1, CORUN_INF, NULL, "epochs",
                "Epochs with the followers best until dedicated SMs also follow (our choice)."},
    [DRIFT] = {"drift", CORUN_NUMBER, "5", 0, 100, NULL, "%",
               "Change of a kernel alone permitted between two steady epochs (our choice)."},
    [REDEDICATE] = {"rededicate", CORUN_WHOLE, "100", 1, CORUN_INF, NULL, "epochs",
                    "Epochs until steady pairs get dedicated SMs again (paper 002 section 4.1)."},
    [FILL] = CORUN_FILL_OPTION,
    {0},
};

enum counter { EPOCHS, UNUSED, PAUSES, SPATIAL, SMK_EVEN, SMK_OTHER, ONE_OFF, MOVES,
               REDEDICATIONS, DECIDED_AT, UNDECIDED, PREDICTED };
static const struct corun_policy_stat stats[] = {
    [EPOCHS] = {"epochs", "epochs", "Completed epochs of all pairs of kernels."},
    [UNUSED] = {"unused", "epochs", "Epochs without decision: a kernel alone made no progress."},
    [PAUSES] = {"pauses", "times", "Epochs interrupted: no pending blocks, or other kernels ran."},
    [SPATIAL] = {"spatial", "decisions", "Decisions for spatial sharing (paper 002 figure 13)."},
    [SMK_EVEN] = {"smk_even", "decisions", "Decisions for the even mix."},
    [SMK_OTHER] = {"smk_other", "decisions", "Decisions for another mix."},
    [ONE_OFF] = {"one_off", "decisions", "Part of smk_other: a block more or less than even."},
    [MOVES] = {"moves", "SMs", "Times the target blocks of an SM changed."},
    [REDEDICATIONS] = {"rededications", "times", "Times a steady pair got dedicated SMs again."},
    [DECIDED_AT] = {"decided_at", "cycles", "Cycle of the last change of a partition."},
    [UNDECIDED] = {"undecided", "flag", "1: a profile has begun and led to no decision so far."},
    [PREDICTED] = {"predicted", "thousandths",
                   "Weighted speedup predicted by each pair's last epoch, at most 1 per kernel."},
    {0},
};

/* ---- mixes ---- */

static uint32_t room_beside(const struct maestro *m, const struct corun_resources *block,
                            const struct corun_resources *other, uint32_t n)
{
    struct corun_resources used = {0};
    corun_take(&used, other, n);
    return corun_room(&m->sm, &used, block);
}

/* Computes a mix: n blocks of the trial kernel, of the other as many as fit. false: no such mix.
 * Model: beside the even number of blocks of one kernel the other has at most its even share, as
 * under smk-even (decision: paper 002 begins with the even mix). */
static bool mix(const struct maestro *m, const struct pair *p, uint32_t n, uint32_t *row)
{
    uint32_t t = p->trial, o = 1 - t, room = room_beside(m, &p->block[o], &p->block[t], n);
    row[t] = n;
    row[o] = n == p->even[t] ? corun_least(p->even[o], room) : room;
    return n && row[o];
}

/* Computes the blocks of an SM in the role; false: no SM can have the role. */
static bool row_of(const struct maestro *m, const struct pair *p, uint32_t role, uint32_t *row)
{
    if (role > ALONE_1) return mix(m, p, p->blocks + (role == MORE) - (role == LESS), row);
    row[role] = CORUN_TARGET_FULL;
    row[1 - role] = 0;
    return true;
}

static uint64_t hash_of(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (; *name; name++) hash = (hash ^ (uint8_t)*name) * 0x100000001b3;
    return hash;
}

/* Returns the last blocks on followers of a kernel of this name, if fewer than even; else 0. */
static uint32_t fewer_before(const struct maestro *m, const struct pair *p, uint32_t k)
{
    uint32_t blocks = 0, row[2];
    uint64_t seen = 0;
    for (const struct pair *q = m->pair; q < m->pair + PAIRS; q++)
        for (uint32_t i = 0; i < 2; i++) {
            if (q->seen <= seen || q->name[i] != p->name[k]) continue;
            seen = q->seen;
            mix(m, q, q->blocks, row);
            blocks = row[i];
        }
    return blocks < p->even[k] ? blocks : 0;
}

/* ---- pairs ---- */

/* Model: an even share is at least one block. If no SM holds both kernels each gets half of the
 * SMs; with too few SMs for trials the first mix stays (decision). */
static void pair_begin(struct maestro *m, const struct corun_view *view, const struct sm_part *part,
                       struct pair *p)
{
    *p = (struct pair){.sm_n = part->end - part->first, .expected = 1};
    const struct corun_resources *sm = &m->sm, half = {sm->threads / 2, sm->registers / 2,
                                                       sm->shared_bytes / 2, sm->blocks / 2};
    for (uint32_t k = 0; k < 2; k++) {
        const struct corun_kernel *kernel = &view->kernels[part->kernel[k]];
        p->kernel_id[k] = kernel->kernel_id;
        p->name[k] = hash_of(kernel->name);
        p->block[k] = kernel->block;
        p->even[k] = corun_room(&half, &(struct corun_resources){0}, &kernel->block);
        if (!p->even[k]) p->even[k] = 1;
        if (m->isolated && kernel->alone) p->isolated[k] = kernel->alone->ipc / view->sm_n;
    }
    p->trial =
        view->kernels[part->kernel[1]].full_blocks < view->kernels[part->kernel[0]].full_blocks;
    uint32_t t = p->trial, o = 1 - t, row[2];
    uint32_t of_trial = fewer_before(m, p, t), of_other = fewer_before(m, p, o);
    p->blocks = of_trial   ? of_trial
                : of_other ? room_beside(m, &p->block[t], &p->block[o], of_other)
                           : p->even[t];
    while (p->blocks && !mix(m, p, p->blocks, row)) p->blocks--;
    p->tries = p->blocks && p->sm_n > 2 * (m->dedicated + m->trial);
}

/* Returns the pair of the part's kernels; a new pair replaces the pair absent longest. */
static struct pair *pair_find(struct maestro *m, const struct corun_view *view,
                              const struct sm_part *part)
{
    struct pair *oldest = m->pair;
    for (struct pair *p = m->pair; p < m->pair + PAIRS; p++) {
        if (p->seen && p->sm_n == part->end - part->first &&
            !memcmp(p->kernel_id, part->kernel_id, sizeof p->kernel_id))
            return p;
        if (p->seen < oldest->seen) oldest = p;
    }
    pair_begin(m, view, part, oldest);
    if (m->counters[EPOCHS] == m->counters[UNUSED]) m->counters[UNDECIDED] = 1;
    return oldest;
}

/* Returns true if spatial sharing can get one more SM of each kernel. Model: spatial sharing leaves
 * the trial SMs and a follower (decision: measurements continue). */
static bool can_grow(const struct maestro *m, const struct pair *p)
{
    return p->sm_n > 2 * (m->dedicated + m->trial + p->grown + 1);
}

/* ---- assignment of roles ---- */

static void roles_count(const struct maestro *m, const struct pair *p, uint32_t *n)
{
    uint32_t row[2];
    memset(n, 0, ROLES * sizeof *n);
    for (uint32_t k = 0; k < 2; k++)
        n[ALONE_0 + k] = !p->blocks ? corun_part(p->sm_n, 2, k)
                         : p->tries ? p->grown + (p->steady ? 0 : m->dedicated)
                                    : 0;
    if (p->tries) {
        n[MORE] = row_of(m, p, MORE, row) ? m->trial : 0;
        n[LESS] = row_of(m, p, LESS, row) ? m->trial : 0;
    }
    n[FOLLOWER] = p->sm_n - n[ALONE_0] - n[ALONE_1] - n[MORE] - n[LESS];
}

static uint32_t to_preempt(const struct corun_view *view, const struct sm_part *part, uint32_t sm,
                           const uint32_t *row)
{
    uint32_t blocks = 0;
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t has = corun_seated(view, sm, part->kernel[k]);
        blocks += has > row[k] ? has - row[k] : 0;
    }
    return blocks;
}

/* Numbers of SMs that have and that need each role. */
struct cast {
    uint32_t has[ROLES], needs[ROLES];
};

/* Returns the SM with the fewest blocks to preempt for the row, the first among equals. Candidates
 * have no role, or a role with more SMs than needed. */
static uint32_t cheapest(const struct maestro *m, const struct corun_view *view,
                         const struct sm_part *part, const struct cast *cast, const uint32_t *row)
{
    uint32_t best = part->end, least = UINT32_MAX;
    for (uint32_t s = part->first; s < part->end; s++) {
        enum role r = m->role[s];
        uint32_t blocks = to_preempt(view, part, s, row);
        if (blocks >= least || (r < ROLES && cast->has[r] <= cast->needs[r])) continue;
        least = blocks;
        best = s;
    }
    return best;
}

/* Assigns roles with the fewest moves: an SM whose blocks match a role, old or new, gets the role.
 * Other SMs, and surplus SMs of a role, move. */
static void roles_give(struct maestro *m, const struct corun_view *view, const struct sm_part *part)
{
    struct cast cast = {0};
    uint32_t row[ROLES][2];
    roles_count(m, part->pair, cast.needs);
    for (uint32_t r = 0; r < ROLES; r++) row_of(m, part->pair, r, row[r]);
    for (uint32_t s = part->first; s < part->end; s++) {
        uint32_t r = 0;
        while (r < ROLES && (!cast.needs[r] || memcmp(m->row[s], row[r], sizeof row[r]))) r++;
        m->role[s] = (enum role)r;
        if (r < ROLES) cast.has[r]++;
    }
    for (uint32_t r = 0; r < ROLES; r++)
        for (; cast.has[r] < cast.needs[r]; cast.has[r]++) {
            uint32_t s = cheapest(m, view, part, &cast, row[r]);
            if (m->role[s] < ROLES) cast.has[m->role[s]]--;
            m->counters[MOVES] += m->row[s][0] || m->row[s][1];
            m->role[s] = (enum role)r;
            memcpy(m->row[s], row[r], sizeof row[r]);
        }
}

/* ---- an epoch ---- */

static uint64_t instructions(const struct corun_view *view, uint32_t sm, uint32_t app)
{
    struct corun_counts c;
    view->count(view, sm, app, &c);
    return c.thread_instructions;
}

/* Model: while a kernel has no pending blocks the epoch is suspended and no SM moves, until the
 * next launch (decision: an SM with less than its share says nothing about the mix). */
static void count_begin(struct maestro *m, const struct corun_view *view, struct sm_part *part)
{
    part->phase = COUNT;
    part->since = view->now;
    part->timer = view->now + m->epoch - part->pair->elapsed;
    for (uint32_t s = part->first; s < part->end; s++)
        for (uint32_t k = 0; k < 2; k++) m->before[s][k] = instructions(view, s, part->app[k]);
}

static void count_end(struct maestro *m, const struct corun_view *view, struct sm_part *part)
{
    struct pair *p = part->pair;
    uint64_t cycles = view->now - part->since;
    for (uint32_t s = part->first; s < part->end; s++) {
        struct sum *sum = &p->sum[m->role[s]];
        sum->cycles += cycles;
        for (uint32_t k = 0; k < 2; k++)
            sum->instructions[k] += instructions(view, s, part->app[k]) - m->before[s][k];
    }
    p->elapsed += cycles;
}

static void pause(struct maestro *m, const struct corun_view *view, struct sm_part *part)
{
    if (part->phase == COUNT) {
        count_end(m, view, part);
        m->counters[PAUSES]++;
    }
    part->phase = IDLE;
    part->timer = CORUN_NEVER;
}

/* ---- a decision ---- */

struct choice {
    uint32_t mix; /* FOLLOWER, MORE or LESS */
    bool spatial; /* spatial sharing is better than the mix */
};

static double ipc(const struct sum *sum, uint32_t k)
{
    return sum->cycles ? (double)sum->instructions[k] / (double)sum->cycles : 0;
}

/* Returns the objective, larger is better: STP, or 1 / ANTT. */
static double worth(const struct maestro *m, const double *performance)
{
    if (m->stp) return performance[0] + performance[1];
    if (performance[0] <= 0 || performance[1] <= 0) return 0;
    return 2 / (1 / performance[0] + 1 / performance[1]);
}

/* Updates each kernel's IPC alone, if measured. Returns true if near the last values. Model: the
 * mean over all SMs with only this kernel; under spatial sharing each of two kernels has half of
 * its performance alone, or of what these SMs show beside the others (decisions). */
static bool alone_take(const struct maestro *m, struct pair *p)
{
    bool near = true;
    for (uint32_t k = 0; k < 2; k++) {
        const struct sum *sum = &p->sum[ALONE_0 + k];
        if (!sum->cycles) continue;
        double beside = ipc(sum, k), now = p->isolated[k] > 0 ? p->isolated[k] : beside;
        double by = now > p->alone[k] ? now - p->alone[k] : p->alone[k] - now;
        near &= by <= m->drift * p->alone[k];
        p->alone[k] = now;
        p->apart[k] = m->measured ? 0.5 * beside / now : 0.5;
    }
    return near;
}

/* Computes each kernel's performance in the role relative to alone. ROLES: spatial sharing. */
static void performance_of(const struct pair *p, uint32_t role, double *performance)
{
    for (uint32_t k = 0; k < 2; k++)
        performance[k] = role == ROLES ? p->apart[k] : ipc(&p->sum[role], k) / p->alone[k];
}

static double value_of(const struct maestro *m, const struct pair *p, uint32_t role)
{
    double performance[2];
    performance_of(p, role, performance);
    return worth(m, performance);
}

/* Model: a partition must be better than the followers' by `gain` (decision). */
static struct choice choose(const struct maestro *m, const struct pair *p)
{
    struct choice c = {.mix = FOLLOWER};
    double most = value_of(m, p, FOLLOWER) * (1 + m->gain);
    for (uint32_t role = MORE; role <= LESS; role++) {
        double value = p->sum[role].cycles ? value_of(m, p, role) : 0;
        if (value <= most) continue;
        most = value;
        c.mix = role;
    }
    c.spatial = value_of(m, p, ROLES) > most;
    return c;
}

/* Returns true if the partition changes. Followers take the best mix even if spatial sharing is
 * better: the trials of the next epochs may find a still better mix (paper 002 section 4.1). Model:
 * when spatial sharing is no longer best, each kernel gives back an SM (decision). */
static bool partition_move(const struct maestro *m, struct pair *p, struct choice c)
{
    bool grows = c.spatial && can_grow(m, p), shrinks = !c.spatial && p->grown;
    p->grown += grows;
    p->grown -= shrinks;
    p->blocks += c.mix == MORE;
    p->blocks -= c.mix == LESS;
    return grows || shrinks || c.mix != FOLLOWER;
}

/* Decides whether dedicated SMs are needed. Model: a partition is steady after `steady` epochs won
 * by followers without moves, if the kernels' IPC alone stayed within `drift` of the previous epoch
 * (decision: paper 002 gives no numbers). */
static void steady_look(struct maestro *m, struct pair *p, bool spatial, bool moved, bool near)
{
    if (p->steady) {
        p->age++;
        p->steady = !moved && p->age < m->rededicate;
        m->counters[REDEDICATIONS] += !p->steady;
        p->still = 0;
        return;
    }
    p->still = spatial || moved ? 0 : near ? p->still + 1 : 1;
    p->steady = p->still >= m->steady;
    p->age = 0;
}

static void decision_count(struct maestro *m, const struct pair *p, bool spatial)
{
    uint32_t even = p->even[p->trial], smk = !spatial;
    m->counters[SPATIAL] += spatial;
    m->counters[SMK_EVEN] += smk && p->blocks == even;
    m->counters[SMK_OTHER] += smk && p->blocks != even;
    m->counters[ONE_OFF] += smk && (p->blocks == even + 1 || p->blocks + 1 == even);
}

/* Computes `predicted` over all SMs: a part with one kernel counts 1. */
static void predict(struct maestro *m)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->part_n; i++)
        sum += m->part[i].pair ? m->part[i].pair->expected : 1;
    m->counters[PREDICTED] = (uint64_t)(sum / m->part_n * 1000 + 0.5);
}

static double expected(const struct pair *p, struct choice c)
{
    double got[2];
    performance_of(p, c.spatial ? ROLES : c.mix, got);
    return (got[0] < 1 ? got[0] : 1) + (got[1] < 1 ? got[1] : 1);
}

/* Logs the measurements and the decision. */
static void decision_log(const struct maestro *m, const struct corun_view *view,
                         const struct sm_part *part)
{
    const struct pair *p = part->pair;
    double did[ROLES][2];
    uint32_t row[2];
    for (uint32_t r = 0; r < ROLES; r++) performance_of(p, r, did[r]);
    mix(m, p, p->blocks, row);
    corun_log(view, "apps %u and %u: of alone, followers %.3f and %.3f, more %.3f and %.3f, less "
              "%.3f and %.3f; from now on %u and %u blocks, %u SMs of each alone",
              part->app[0], part->app[1], did[FOLLOWER][0], did[FOLLOWER][1], did[MORE][0],
              did[MORE][1], did[LESS][0], did[LESS][1], row[0], row[1], p->grown);
}

static void decide(struct maestro *m, const struct corun_view *view, struct sm_part *part)
{
    struct pair *p = part->pair;
    count_end(m, view, part);
    bool near = alone_take(m, p), known = p->alone[0] > 0 && p->alone[1] > 0;
    m->counters[EPOCHS]++;
    m->counters[UNUSED] += !known;
    if (known) {
        struct choice c = choose(m, p);
        m->counters[UNDECIDED] = 0;
        p->expected = expected(p, c);
        bool moved = partition_move(m, p, c);
        steady_look(m, p, c.spatial, moved, near);
        decision_count(m, p, c.spatial);
        predict(m);
        if (moved) {
            decision_log(m, view, part);
            m->counters[DECIDED_AT] = view->now;
        }
    }
    p->elapsed = 0;
    memset(p->sum, 0, sizeof p->sum);
    part->phase = IDLE;
    part->timer = CORUN_NEVER;
}

/* ---- assignment of SMs ---- */

/* Selects the kernels launched first if pairs outnumber SMs. */
static uint32_t first_launched(const struct corun_view *view, uint32_t most, uint32_t *some)
{
    uint32_t player[CORUN_APPS_MAX], n = corun_players(view, player), some_n = 0;
    for (uint32_t k = 0; k < view->kernel_n && some_n < most; k++)
        for (uint32_t i = 0; i < n; i++)
            if (player[i] == k) some[some_n++] = k;
    return some_n;
}

/* Makes two kernels take turns on a single SM that cannot hold both. */
static void part_take_turns(const struct maestro *m, const struct corun_view *view,
                            struct sm_part *part)
{
    const struct corun_kernel *a = &view->kernels[part->kernel[0]];
    const struct corun_kernel *b = &view->kernels[part->kernel[1]];
    if (part->end - part->first > 1 || room_beside(m, &a->block, &b->block, 1)) return;
    uint32_t k = !a->pending_blocks || (b->pending_blocks && b->launch_order < a->launch_order);
    part->n = 1;
    part->kernel[0] = part->kernel[k];
}

static uint32_t parts_make(const struct maestro *m, const struct corun_view *view,
                           struct sm_part *parts)
{
    uint32_t kernel[CORUN_APPS_MAX], n = corun_sharers(view, m->fill, kernel), first = 0;
    if (n > 2 * view->sm_n) n = first_launched(view, 2 * view->sm_n, kernel);
    uint32_t part_n = (n + 1) / 2;
    for (uint32_t i = 0; i < PARTS; i++) {
        struct sm_part *part = &parts[i];
        *part = (struct sm_part){.timer = CORUN_NEVER};
        if (i >= part_n) continue;
        part->first = first;
        part->end = first += corun_part(view->sm_n, part_n, i);
        part->n = corun_least(n - 2 * i, 2);
        memcpy(part->kernel, &kernel[2 * i], part->n * sizeof *kernel);
        if (part->n > 1) part_take_turns(m, view, part);
        for (uint32_t k = 0; k < part->n; k++) {
            part->app[k] = view->kernels[part->kernel[k]].app_id;
            part->kernel_id[k] = view->kernels[part->kernel[k]].kernel_id;
        }
    }
    return part_n;
}

static bool same_apps(const struct sm_part *a, const struct sm_part *b)
{
    return a->first == b->first && a->end == b->end && a->n == b->n &&
           !memcmp(a->app, b->app, a->n * sizeof *a->app);
}

static bool same_kernels(const struct sm_part *a, const struct sm_part *b)
{
    return same_apps(a, b) && !memcmp(a->kernel_id, b->kernel_id, a->n * sizeof *a->kernel_id);
}

/* Assigns the SMs of each part. Block numbers left by other apps are discarded. */
static void parts_take(struct maestro *m, const struct corun_view *view,
                       const struct sm_part *parts, uint32_t part_n)
{
    for (uint32_t i = 0; i < PARTS; i++) {
        struct sm_part *was = &m->part[i];
        const struct sm_part *is = &parts[i];
        if (same_kernels(was, is)) {
            memcpy(was->kernel, is->kernel, sizeof is->kernel);
            continue;
        }
        if (!same_apps(was, is))
            memset(m->row[is->first], 0, (is->end - is->first) * sizeof *m->row);
        *was = *is;
        if (is->n < 2) continue;
        was->pair = pair_find(m, view, was);
        was->pair->seen = m->questions;
        roles_give(m, view, was);
    }
    m->part_n = part_n;
}

/* Updates parts, pairs and phases at the beginning of each call of the policy. */
static void step(struct maestro *m, const struct corun_view *view)
{
    struct sm_part parts[PARTS];
    uint32_t part_n = parts_make(m, view, parts);
    m->questions++;
    for (uint32_t i = 0; i < PARTS; i++) {
        struct sm_part *was = &m->part[i];
        if (!was->pair) continue;
        was->pair->seen = m->questions;
        if (!same_kernels(was, &parts[i])) pause(m, view, was);
    }
    parts_take(m, view, parts, part_n);
    for (uint32_t i = 0; i < part_n; i++) {
        struct sm_part *part = &m->part[i];
        if (!part->pair || !part->pair->tries) continue;
        bool both = view->kernels[part->kernel[0]].pending_blocks &&
                    view->kernels[part->kernel[1]].pending_blocks;
        if (!both) pause(m, view, part);
        if (!both || part->phase != IDLE) continue;
        roles_give(m, view, part);
        part->phase = MOVE;
        part->timer = view->now + 1;
    }
}

/* ---- hooks ---- */

static const char *maestro_init(void *state, const struct corun_setup *setup,
                                const struct corun_value *values, uint64_t *counters)
{
    struct maestro *m = state;
    m->epoch = (uint64_t)values[EPOCH].number;
    m->stp = !strcmp(values[OBJECTIVE].word, "stp");
    m->isolated = !strcmp(values[REFERENCE].word, "isolated");
    m->measured = !strcmp(values[APART].word, "measured");
    m->trial = (uint32_t)values[TRIAL].number;
    m->dedicated = (uint32_t)values[DEDICATED].number;
    m->gain = values[GAIN].number / 100;
    m->steady = values[STEADY].number;
    m->drift = values[DRIFT].number / 100;
    m->rededicate = values[REDEDICATE].number;
    m->fill = corun_fill_of(&values[FILL]);
    m->sm = setup->sm;
    m->counters = counters;
    for (uint32_t i = 0; i < PARTS; i++) m->part[i].timer = CORUN_NEVER;
    return NULL;
}

static uint32_t maestro_needs(const struct corun_value *values)
{
    return strcmp(values[REFERENCE].word, "isolated") ? 0 : CORUN_NEEDS_PROFILE;
}

static void maestro_admit(void *state, const struct corun_view *view, bool *admit)
{
    struct maestro *m = state;
    uint32_t some[CORUN_APPS_MAX], n = 0;
    step(m, view);
    for (uint32_t i = 0; i < m->part_n; i++)
        for (uint32_t k = 0; k < m->part[i].n; k++) some[n++] = m->part[i].kernel[k];
    corun_admit_only(view, some, n, admit);
}

static void maestro_share(void *state, const struct corun_view *view, uint32_t *target)
{
    const struct maestro *m = state;
    if (m->part_n == 1 && m->part[0].n == 1) return; /* as many as fit */
    for (uint32_t i = 0; i < m->part_n; i++) {
        const struct sm_part *part = &m->part[i];
        for (uint32_t k = 0; k < part->n; k++) {
            if (!view->kernels[part->kernel[k]].pending_blocks) continue;
            for (uint32_t s = 0; s < view->sm_n; s++) {
                uint32_t *blocks = &target[s * view->kernel_n + part->kernel[k]];
                if (s < part->first || s >= part->end) *blocks = 0;
                else if (part->n > 1) *blocks = m->row[s][k];
            }
        }
    }
}

static void maestro_watch(void *state, const struct corun_view *view, const struct corun_event *e)
{
    struct maestro *m = state;
    for (uint32_t i = 0; i < m->part_n; i++) {
        struct sm_part *part = &m->part[i];
        bool due = e->kind == CORUN_TIMER && view->now >= part->timer, settled = true;
        if (part->phase == COUNT && due) decide(m, view, part);
        else if (part->phase == MOVE && (due || e->kind == CORUN_SETTLED)) {
            part->timer = CORUN_NEVER; /* later SMs send CORUN_SETTLED */
            for (uint32_t s = part->first; s < part->end; s++) settled &= view->settled[s];
            if (settled) count_begin(m, view, part);
        }
    }
}

static uint64_t maestro_timer(const void *state)
{
    const struct maestro *m = state;
    uint64_t timer = CORUN_NEVER;
    for (uint32_t i = 0; i < PARTS; i++)
        if (m->part[i].timer < timer) timer = m->part[i].timer;
    return timer;
}

const struct corun_policy corun_policy_maestro = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "maestro",
    .sentence = "A few SMs try mixes of blocks; the others follow the best one.",
    .source = "paper 002 section 4.1",
    .options = options,
    .stats = stats,
    .state_bytes = sizeof(struct maestro),
    .init = maestro_init,
    .needs = maestro_needs,
    .admit = maestro_admit,
    .share = maestro_share,
    .watch = maestro_watch,
    .events = 1u << CORUN_SETTLED | 1u << CORUN_TIMER,
    .timer = maestro_timer,
};
