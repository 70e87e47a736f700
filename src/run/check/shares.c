#include "run/check/shares.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    SAID_MAX = 3,
    DRAINED = 20000 /* cycles after an answer until all requests older than the answer are done */
};

void shares_init(struct shares *s, const struct corun_setup *has, bool any_number)
{
    *s = (struct shares){.has = *has, .any_number = any_number, .parts = gpu_parts,
                         .far_parts = gpu_far_parts};
    s->before = base_alloc(has->sm_n * has->app_n * sizeof *s->before);
}

void shares_free(struct shares *s)
{
    free(s->before);
    for (u32 l = 0; l < SHARE_N; l++) text_free(&s->wrong[l]);
}

static void wrong(struct shares *s, enum share_law l, const struct corun_view *v,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
static void wrong(struct shares *s, enum share_law l, const struct corun_view *v,
                  const char *format, ...)
{
    if (s->wrong_n[l]++ >= SAID_MAX) return;
    text_add(&s->wrong[l], "cycle %" PRIu64 ", ", v->now);
    va_list a;
    va_start(a, format);
    text_addv(&s->wrong[l], format, a);
    va_end(a);
    text_add(&s->wrong[l], "; ");
}

/* ---- SMs ---- */

/* True if an app has more of a resource than the limit permits. Applies to a limit already in force
 * at the previous check (answer of cycle `hook_call`). An app may exceed a new limit for a while,
 * but its number must not grow and must be within the limit after DRAINED cycles. */
static bool exceeds(const struct shares *s, const struct corun_view *v, u64 asked,
                    const struct gpu_part *part, const struct gpu_part *before)
{
    if (!part->most || part->has <= part->most || asked >= s->looked) return false;
    return part->has > before->has || v->now - asked >= DRAINED;
}

static void app_look(struct shares *s, const struct corun_view *v, u32 sm, u32 app)
{
    struct gpu_parts now, *before = &s->before[sm * s->has.app_n + app];
    s->parts(v, sm, app, &now);
    const struct {
        enum share_law law;
        const struct gpu_part *now, *before;
        u32 all;
        const char *of;
    } parts[] = {
        {SHARE_LIMITS, &now.in_flight, &before->in_flight, UINT32_MAX, "memory instructions"},
        {SHARE_ENTRIES, &now.mshrs, &before->mshrs, s->has.l1_mshrs, "MSHRs"},
        {SHARE_ENTRIES, &now.missq, &before->missq, s->has.l1_missq, "places in the miss queue"},
    };
    for (u32 k = 0; k < COUNT_OF(parts); k++) {
        if (exceeds(s, v, now.asked, parts[k].now, parts[k].before))
            wrong(s, parts[k].law, v, "SM %u: app %u may have %u %s and has %u", sm, app,
                  parts[k].now->most, parts[k].of, parts[k].now->has);
        if (parts[k].now->most > parts[k].all && !s->any_number)
            wrong(s, parts[k].law, v, "SM %u: app %u is given %u %s, L1 has %u", sm, app,
                  parts[k].now->most, parts[k].of, parts[k].all);
    }
    *before = now;
}

static void sm_look(struct shares *s, const struct corun_view *v, u32 sm)
{
    u64 lines = 0;
    for (u32 a = 0; a < v->app_n; a++) {
        app_look(s, v, sm, a);
        lines += s->before[sm * s->has.app_n + a].lines;
    }
    if (lines > s->has.l1_ways && !s->any_number)
        wrong(s, SHARE_WAYS, v, "SM %u: %" PRIu64 " lines of a set are given, L1 has %u", sm, lines,
              s->has.l1_ways);
}

/* ---- memory partitions ---- */

/* True if the ranks are an order of the apps: the rank of each app is the number of apps with lower
 * ranks. */
static bool is_order(const struct gpu_far_parts *apps, u32 app_n)
{
    for (u32 a = 0; a < app_n; a++) {
        u32 before = 0;
        for (u32 b = 0; b < app_n; b++) before += apps[b].rank < apps[a].rank;
        if (apps[a].rank != before) return false;
    }
    return true;
}

static void partition_look(struct shares *s, const struct corun_view *v, u32 partition)
{
    struct gpu_far_parts apps[APPS_MAX];
    u64 lines = 0;
    for (u32 a = 0; a < v->app_n; a++) {
        s->far_parts(v, partition, a, &apps[a]);
        lines += apps[a].lines;
    }
    if (lines > s->has.l2_ways && !s->any_number)
        wrong(s, SHARE_WAYS, v, "partition %u: %" PRIu64 " lines of a set are given, L2 has %u",
              partition, lines, s->has.l2_ways);
    if (!is_order(apps, v->app_n))
        wrong(s, SHARE_RANKS, v, "partition %u: the channel's ranks are no order", partition);
}

void shares_look(struct shares *s, const struct corun_view *v)
{
    for (u32 sm = 0; sm < v->sm_n; sm++) sm_look(s, v, sm);
    for (u32 p = 0; p < v->partition_n; p++) partition_look(s, v, p);
    s->looked = v->now;
}
