#include "run/study/blame.h"

/* Levels. With T the app's cycles in the shared run, and A alone, each for the same work, the loss
 * is T - A. Runs with cuts (cuts.h) divide the loss without an estimate:
 *     T - T(DRAM)              the level DRAM
 *     T(DRAM) - T(L2 and DRAM) the level of L2 and the crossbars' ports at the slices
 *     T(L2 and DRAM) - T(SMs)  the level of the SMs with their ports of the crossbars
 *     T(SMs) - A               the level of block slots and other room on an SM, and of waiting
 * so that the levels add up to the loss. `reversed` has the same with L2 cut before DRAM.
 * A level's culprits: with two apps the other app; with more, in proportion to the time gained with
 * copies of the level's parts for the culprit only. A level's causes: in proportion to the lines of
 * --blame online; where the level has none, its first cause, or `unexplained`. Where the SMs permit
 * no cut, the last two levels are one. */

#define LEVEL(id, key, name, sentence) {key, name, sentence},
const struct level_row level_rows[LEVEL_N] = {
#include "run/study/level.def"
};
#undef LEVEL

static enum blame_level level_of(enum cause c, bool merged)
{
    if (c == CAUSE_DRAM || c == CAUSE_ROWS) return LEVEL_DRAM;
    if (c == CAUSE_XBAR || c == CAUSE_L2_PORT || c == CAUSE_L2) return LEVEL_L2;
    return merged || c == CAUSE_SLOTS || c == CAUSE_SCHEDULING ? LEVEL_SLOTS : LEVEL_SM;
}

/* Cause of a level without samples; CAUSE_N: none. */
static const enum cause first_cause[LEVEL_N] = {CAUSE_DRAM, CAUSE_L2, CAUSE_N, CAUSE_SLOTS};

struct weights {
    double line[CAUSE_N][APPS_MAX];
    double culprit[APPS_MAX], cause[CAUSE_N], all; /* sums */
};

/* Makes the lines of one level the weights. */
static void weights_of(const struct blame *online, enum blame_level level, bool merged,
                       struct weights *w)
{
    *w = (struct weights){0};
    for (u32 i = 0; i < BLAME_LINES; i++) {
        enum cause cause = (enum cause)(i / APPS_MAX);
        if (level_of(cause, merged) != level || online->cycles[i] <= 0) continue;
        double cycles = (double)online->cycles[i];
        w->line[cause][i % APPS_MAX] = cycles;
        w->culprit[i % APPS_MAX] += cycles;
        w->cause[cause] += cycles;
        w->all += cycles;
    }
}

static double gained(u64 before, u64 after)
{
    return before != NEVER && after != NEVER && before > after ? (double)(before - after) : 0;
}

/* Returns the cycles that the app gains with copies of the level's parts for the culprit only,
 * which has copies of all parts below already. */
static double gained_without(const struct batch_run *run, u32 app_id, enum blame_level level, u32 c)
{
    static const enum cut_parts parts[] = {CUT_DRAM, CUT_MEMORY, CUT_SMS};
    u64 before = run->sim.apps[app_id].cycles;
    if (level == LEVEL_SLOTS) return 0;
    if (level > 0) before = cuts_cycles(&run->cuts, &run->sim, parts[level - 1], c, app_id);
    return gained(before, cuts_cycles(&run->cuts, &run->sim, parts[level], c, app_id));
}

/* Stores each culprit's part of the level, not normalized. Returns the sum of the parts. */
static double culprits_of(const struct batch_run *run, u32 app_id, enum blame_level level,
                          const struct weights *w, double part[APPS_MAX])
{
    const struct sim *sim = &run->sim;
    double all = 0;
    for (u32 c = 0; c < sim->app_n; c++) {
        part[c] = 0;
        if (c == app_id) continue;
        all += part[c] = sim->app_n == 2 ? 1 : gained_without(run, app_id, level, c);
    }
    if (all > 0) return all;
    for (u32 c = 0; c < sim->app_n; c++) all += part[c] = w->culprit[c];
    return all;
}

/* Divides the cycles of a level among the lines of *out. */
static void level_split(const struct batch_run *run, u32 app_id, enum blame_level level,
                        s64 cycles, const struct blame *online, struct blame *out)
{
    struct weights w;
    double part[APPS_MAX], parts[BLAME_LINES] = {0};
    s64 whole[BLAME_LINES];
    weights_of(online, level, out->merged, &w);
    enum cause first = out->merged && level == LEVEL_SLOTS ? CAUSE_N : first_cause[level];
    if (!(w.all > 0) && first < CAUSE_N) w.cause[first] = w.all = 1;
    double all = culprits_of(run, app_id, level, &w, part);
    if (!(w.all > 0 && all > 0)) {
        out->unexplained += cycles;
        return;
    }
    for (u32 i = 0; i < BLAME_LINES; i++) {
        u32 cause = i / APPS_MAX, c = i % APPS_MAX;
        if (c >= run->sim.app_n) continue;
        double of = w.culprit[c] > 0 ? w.line[cause][c] / w.culprit[c] : w.cause[cause] / w.all;
        parts[i] = (double)cycles * part[c] / all * of;
    }
    apportion(cycles, parts, BLAME_LINES, whole);
    for (u32 i = 0; i < BLAME_LINES; i++) out->cycles[i] += whole[i];
}

bool blame_exact(const struct batch_run *run, u32 app_id, struct blame *b)
{
    const struct sim *s = &run->sim;
    u64 at[CUT_N];
    for (u32 parts = 0; parts < CUT_N; parts++) {
        at[parts] = cuts_cycles(&run->cuts, s, (enum cut_parts)parts, CUT_EACH, app_id);
        if (at[parts] == NEVER && parts < CUT_SMS) return false;
    }
    struct blame online = *b;
    s64 shared = (s64)s->apps[app_id].cycles, alone = shared - b->lost;
    s64 dram = (s64)at[CUT_DRAM], l2 = (s64)at[CUT_L2], memory = (s64)at[CUT_MEMORY];
    bool merged = at[CUT_SMS] == NEVER;
    s64 sms = merged ? memory : (s64)at[CUT_SMS];
    *b = (struct blame){.lost = b->lost, .exact = true, .merged = merged,
                        .levels = {shared - dram, dram - memory, memory - sms, sms - alone},
                        .reversed = {l2 - memory, shared - l2, memory - sms, sms - alone}};
    for (u32 level = 0; level < LEVEL_N; level++)
        level_split(run, app_id, (enum blame_level)level, b->levels[level], &online, b);
    return true;
}
