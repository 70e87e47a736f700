#include "run/study/blame.h"

#include <stdlib.h>
#include <string.h>
#include "run/study/loss.h"

/* ---- division ---- */

void apportion(s64 total, const double *parts, u32 n, s64 *whole)
{
    double *rest = base_alloc(n * sizeof *rest);
    s64 left = total;
    for (u32 i = 0; i < n; i++) {
        whole[i] = (s64)parts[i] - (parts[i] < 0); /* rounded down, or one less */
        rest[i] = parts[i] - (double)whole[i];
        left -= whole[i];
    }
    for (s64 step = left < 0 ? -1 : 1; left; left -= step) {
        u32 best = 0;
        for (u32 i = 1; i < n; i++)
            if (step > 0 ? rest[i] > rest[best] : rest[i] < rest[best]) best = i;
        whole[best] += step;
        rest[best] -= (double)step;
    }
    free(rest);
}

/* ---- the rule ---- */

/* The rule. Samples (gpu/waits.h) divide the app's cycles in both runs by what its warps did:
 * waits behind other apps, by cause, and the app's own time, by kind. The loss is the difference of
 * the two divisions: all waits behind other apps, plus the growth of the own time.
 *   - Growth by fewer slots: alone, with the SMs and resident blocks of the shared run (means over
 *     the run), the time in parts of an SM would be longer by SMs alone / SMs, latencies by blocks
 *     alone / blocks; time in flight as the former for the part of the cycles in which L1 refuses
 *     an access, as the latter otherwise. n times longer: as long as alone for n times the work.
 *     Culprits by their warps while blocks of the app waited; if none waited, by their warps.
 *   - The causes inside an SM form a group with the own time in an SM and the latencies, the causes
 *     beyond L1 with the own time there. A group's loss is its waits and the remaining growth of
 *     its own time, and is divided in proportion to the waits. Beyond L1, where an app's requests
 *     wait for each other too, the growth counts up to the waits only.
 *   - Waits beyond L1 are first divided further. Lines of L1 lost over lines entered: the part due
 *     to L1 capacity; for L2 the same part of the waits for channels, and of the time in flight
 *     lines lost over L2 accesses. Of the rest of the waits for channels, row conflicts: the part
 *     of the activates per request not needed alone, times the idle part of the data bus.
 *   - A group without a loss has gained: the gain reduces the loss by fewer slots. Growth of an
 *     app's own time without waits behind others, as of requests that queue behind each other since
 *     few SMs had fewer in flight at first, is a loss by fewer slots, up to the time alone for as
 *     much more work as the app has fewer SMs or blocks. What remains is `unexplained`, with its
 *     sign. */

static double over(double a, double b) { return b > 0 ? a / b : 0; }

/* Returns the mean number of resident blocks, or of SMs with a block. */
static double per_cycle(u64 sum, u64 cycles) { return over((double)sum, (double)cycles); }

/* Returns the part that is missing of what the app has alone. */
static double missing(double shared, double alone)
{
    return alone > shared ? 1 - shared / alone : 0;
}

/* Moves the part lost[app] / of from the waits for the memory system, or for the channels, to a
 * cause. */
static void lines_lost(struct waits *h, enum cause cause, const u64 lost[APPS_MAX], u64 of,
                       bool whole_memory)
{
    static const enum cause memory[] = {CAUSE_DRAM, CAUSE_XBAR, CAUSE_L2_PORT, CAUSE_L2};
    static const enum own own[] = {OWN_CHANNEL, OWN_FLIGHT, OWN_QUEUE};
    u32 n = whole_memory ? COUNT_OF(memory) : 1, own_n = whole_memory ? COUNT_OF(own) : 1;
    double sum = 0, moved = 0, left;
    for (u32 i = 0; i < n; i++)
        for (u32 c = 0; c < APPS_MAX; c++) sum += h->behind[memory[i]][c];
    for (u32 i = 0; i < own_n; i++) sum += h->own[own[i]];
    for (u32 c = 0; c < APPS_MAX; c++) moved += over((double)lost[c], (double)of);
    left = moved < 1 ? 1 - moved : 0;
    for (u32 i = 0; i < n; i++)
        for (u32 c = 0; c < APPS_MAX; c++) h->behind[memory[i]][c] *= left;
    for (u32 i = 0; i < own_n; i++) h->own[own[i]] *= left;
    for (u32 c = 0; c < APPS_MAX; c++)
        h->behind[cause][c] += sum * (1 - left) * over(over((double)lost[c], (double)of), moved);
}

static void l2_lost(struct waits *h, const struct gpu_stat *s)
{
    lines_lost(h, CAUSE_L2, h->l2_lost, h->l2_fills, false);
    double flight = h->own[OWN_FLIGHT];
    for (u32 c = 0; c < APPS_MAX; c++) {
        double cycles = flight * over((double)h->l2_lost[c], (double)s->l2.accesses);
        h->behind[CAUSE_L2][c] += cycles;
        h->own[OWN_FLIGHT] -= cycles;
    }
}

static double activates(const struct gpu_stat *s)
{
    return over((double)s->dram.activates, (double)s->dram.requests);
}

static void row_conflicts(struct waits *h, const struct sim *sim, const struct gpu_stat *shared,
                          const struct gpu_stat *alone)
{
    double bus = over((double)sim->stats.dram.bytes, sim->capacity.dram_bytes);
    double part = missing(activates(alone), activates(shared)) * (bus < 1 ? 1 - bus : 0);
    for (u32 c = 0; c < APPS_MAX; c++) {
        h->behind[CAUSE_ROWS][c] += part * h->behind[CAUSE_DRAM][c];
        h->behind[CAUSE_DRAM][c] *= 1 - part;
    }
}

/* Makes the sum of all cells the app's cycles: the last sample lies before the app's end. */
static void scale(struct waits *h, u64 cycles)
{
    double sum = 0;
    for (u32 i = 0; i < OWN_N; i++) sum += h->own[i];
    for (u32 i = 0; i < CAUSE_N; i++)
        for (u32 c = 0; c < APPS_MAX; c++) sum += h->behind[i][c];
    double by = over((double)cycles, sum);
    for (u32 i = 0; i < OWN_N; i++) h->own[i] *= by;
    for (u32 i = 0; i < CAUSE_N; i++)
        for (u32 c = 0; c < APPS_MAX; c++) h->behind[i][c] *= by;
}

/* ---- the difference of the cycle stacks ---- */

/* A group of causes, and the kinds of an app's own time that change with the causes. */
static const struct cause_group {
    enum cause causes[6];
    u32 cause_n;
    enum own own[3];
    u32 own_n;
    bool bounded; /* the growth of the own time counts up to the waits only */
} groups[] = {
    {{CAUSE_ISSUE, CAUSE_PIPES, CAUSE_LSU, CAUSE_MSHR}, 4, {OWN_SM, OWN_LATENCY}, 2, false},
    {{CAUSE_L1, CAUSE_XBAR, CAUSE_L2_PORT, CAUSE_L2, CAUSE_DRAM, CAUSE_ROWS}, 6,
     {OWN_FLIGHT, OWN_QUEUE, OWN_CHANNEL}, 3, true},
};

struct stacks {
    struct waits shared;  /* cycles in the shared run */
    double alone[OWN_N];    /* cycles alone, for the same work */
    double fewer[OWN_N];    /* cycles alone on the resources of the shared run, minus `alone` */
    double most_fewer;      /* bound on the sum of `fewer`: all times grow with SMs or blocks */
};

/* Stores the time alone, and what fewer SMs and fewer resident blocks add. */
static void alone_set(struct stacks *k, const struct sim *sim, u32 app_id,
                      const struct alone *alone)
{
    const struct sim_app *app = &sim->apps[app_id];
    const struct sm_stat *s = &app->stats.sm, *a = &alone->stats.sm;
    double cycles = (double)loss_alone_cycles(sim, app_id, alone);
    double sms = over(per_cycle(a->active_cycles, alone->cycles),
                      per_cycle(s->active_cycles, app->cycles));
    double blocks = over(per_cycle(a->resident_cycles, alone->cycles),
                         per_cycle(s->resident_cycles, app->cycles));
    double sum = 0;
    double refused = over((double)a->ldst_stall, (double)a->active_cycles);
    double by_kind[OWN_N] = {
        [OWN_SM] = sms, [OWN_LATENCY] = blocks,
        [OWN_FLIGHT] = sms > blocks ? refused * sms + (1 - refused) * blocks : blocks};
    double most = sms > blocks ? sms : blocks;
    k->most_fewer = most > 1 ? (double)loss_alone_times(sim, app_id, alone, most) - cycles : 0;
    for (u32 i = 0; i < OWN_N; i++) sum += alone->own[i];
    for (u32 i = 0; i < OWN_N; i++) {
        double part = over(alone->own[i], sum), by = by_kind[i];
        k->alone[i] = cycles * part;
        k->fewer[i] =
            by > 1 ? part * ((double)loss_alone_times(sim, app_id, alone, by) - cycles) : 0;
    }
}

/* Divides the group's lost cycles in proportion to the waits behind other apps. Returns the cycles
 * that have no culprit: gains, and a loss without such waits. */
static double group_split(const struct cause_group *g, const struct stacks *k, double *parts)
{
    double waits = 0, grown = 0;
    for (u32 i = 0; i < g->cause_n; i++)
        for (u32 c = 0; c < APPS_MAX; c++) waits += k->shared.behind[g->causes[i]][c];
    for (u32 i = 0; i < g->own_n; i++)
        grown += k->shared.own[g->own[i]] - k->alone[g->own[i]] - k->fewer[g->own[i]];
    double most = g->bounded && grown > waits ? waits : grown, lost = waits + most;
    if (!(lost > 0 && waits > 0)) return waits + grown;
    for (u32 i = 0; i < g->cause_n; i++)
        for (u32 c = 0; c < APPS_MAX; c++)
            parts[g->causes[i] * APPS_MAX + c] = lost * k->shared.behind[g->causes[i]][c] / waits;
    return grown - most;
}

/* Divides the loss by fewer slots: less the gains of the other groups, or with growth that has no
 * culprit in the groups, up to the time that the isolated run takes for as much more work as the
 * shared run has fewer SMs or blocks. */
static void slots_split(const struct stacks *k, double rest, double *parts)
{
    double fewer = 0, all = 0;
    for (u32 i = 0; i < OWN_N; i++) fewer += k->fewer[i];
    const double *residents = k->shared.residents;
    for (u32 c = 0; c < APPS_MAX; c++) all += residents[c];
    if (!(all > 0)) residents = k->shared.beside;
    for (u32 c = 0; c < APPS_MAX && residents == k->shared.beside; c++) all += residents[c];
    if (rest < 0) fewer = fewer > -rest ? fewer + rest : 0;
    double room = k->most_fewer - fewer;
    if (rest > 0 && room > 0) fewer += rest < room ? rest : room;
    if (!(all > 0)) return;
    for (u32 c = 0; c < APPS_MAX; c++)
        parts[CAUSE_SLOTS * APPS_MAX + c] = fewer * residents[c] / all;
}

s64 blame_to(const struct blame *b, u32 culprit, enum cause *most)
{
    s64 sum = 0, best = 0;
    *most = CAUSE_N;
    for (u32 i = 0; i < CAUSE_N; i++) {
        s64 cycles = b->cycles[i * APPS_MAX + culprit], size = cycles < 0 ? -cycles : cycles;
        sum += cycles;
        if (size > best) *most = (enum cause)i;
        if (size > best) best = size;
    }
    return sum;
}

bool blame_of(const struct batch_run *run, u32 app_id, struct blame *out)
{
    const struct sim_app *app = &run->sim.apps[app_id];
    const struct alone *alone = &run->alone[app_id];
    *out = (struct blame){0};
    if (run->sim.app_n < 2 || !app->waits || !alone->sampled ||
        !loss_of(&run->sim, app_id, alone, &out->lost))
        return false;
    struct stacks k = {.shared = *app->waits};
    scale(&k.shared, app->cycles);
    l2_lost(&k.shared, &app->stats);
    lines_lost(&k.shared, CAUSE_L1, k.shared.l1_lost, k.shared.l1_fills, true);
    row_conflicts(&k.shared, &run->sim, &app->stats, &alone->stats);
    alone_set(&k, &run->sim, app_id, alone);
    double parts[BLAME_LINES + 1] = {0}, rest;
    for (u32 c = 0; c < APPS_MAX; c++)
        parts[CAUSE_SCHEDULING * APPS_MAX + c] = k.shared.behind[CAUSE_SCHEDULING][c];
    rest = k.shared.own[OWN_LAUNCH] - k.alone[OWN_LAUNCH];
    for (u32 i = 0; i < COUNT_OF(groups); i++) rest += group_split(&groups[i], &k, parts);
    slots_split(&k, rest, parts);
    parts[BLAME_LINES] = (double)out->lost;
    for (u32 i = 0; i < BLAME_LINES; i++) parts[BLAME_LINES] -= parts[i];
    s64 whole[BLAME_LINES + 1];
    apportion(out->lost, parts, COUNT_OF(parts), whole);
    memcpy(out->cycles, whole, sizeof out->cycles);
    out->unexplained = whole[BLAME_LINES];
    if (run->cuts.known) blame_exact(run, app_id, out);
    return true;
}
