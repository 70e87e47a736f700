/* The view of a set of SMs: SMs and apps of the set, numbered from 0, and the apps' kernels. */
#include "gpu/board/inside.h"
#include "gpu/dispatch/view.h"

void set_view_init(struct set_view *v, struct arena *arena)
{
    u32 room = KERNELS_MAX * v->sms.sms;
    v->kernels = arena_array(arena, struct corun_kernel, KERNELS_MAX);
    v->resident = arena_array(arena, u32, room);
    v->extra = arena_array(arena, u32, room);
    v->target = arena_array(arena, u32, room);
    v->wanted = arena_array(arena, u32, KERNELS_MAX);
}

/* ---- functions of the view ---- */

static void set_count(const struct corun_view *view, uint32_t sm, uint32_t app_id,
                      struct corun_counts *out)
{
    const struct set_view *v = view->core;
    *out = (struct corun_counts){0};
    if (sm < v->sms.sms && app_id < v->app_n)
        v->whole->count(v->whole, v->sms.first + sm, v->app[app_id], out);
}

static void set_count_memory(const struct corun_view *view, uint32_t partition, uint32_t app_id,
                             struct corun_memory_counts *out)
{
    const struct set_view *v = view->core;
    *out = (struct corun_memory_counts){0};
    if (app_id < v->app_n) v->whole->count_memory(v->whole, partition, v->app[app_id], out);
}

static const uint64_t *set_count_reuse(const struct corun_view *view, uint32_t sm, uint32_t app_id)
{
    const struct set_view *v = view->core;
    if (sm >= v->sms.sms || app_id >= v->app_n) return NULL;
    return v->whole->count_reuse(v->whole, v->sms.first + sm, v->app[app_id]);
}

static void set_count_use(const struct corun_view *view, struct corun_use *out)
{
    const struct set_view *v = view->core;
    double share = (double)v->sms.sms / v->whole->sm_n;
    view_use_of(v->whole->core, v->whole->now, v->apps, out);
    out->most[CORUN_SCHEDULER] *= share;
    out->most[CORUN_L1] *= share;
}

static void set_log(const struct corun_view *view, const char *line)
{
    const struct set_view *v = view->core;
    v->whole->log(v->whole, line);
}

/* ---- the copy ---- */

static void tables_copy(struct set_view *v, const struct corun_view *whole)
{
    u32 n = v->view.kernel_n;
    for (u32 s = 0; s < v->sms.sms; s++) {
        for (u32 i = 0; i < n; i++) {
            u32 from = (v->sms.first + s) * whole->kernel_n + v->kernel[i];
            v->resident[s * n + i] = whole->resident[from];
            v->extra[s * n + i] = whole->extra[from];
            v->target[s * n + i] = whole->target[from];
        }
    }
}

static void copy(const struct sets *sets, struct set_view *v, const struct corun_view *whole)
{
    u32 n = 0, first = v->sms.first;
    bool holds = whole->holder < whole->app_n && v->apps >> whole->holder & 1;
    for (u32 k = 0; k < whole->kernel_n; k++) {
        const struct corun_kernel *from = &whole->kernels[k];
        if (!(v->apps >> from->app_id & 1)) continue;
        v->kernels[n] = *from;
        v->kernels[n].app_id = sets->local[from->app_id];
        v->wanted[n] = whole->carveout_wanted[k];
        v->kernel[n++] = k;
    }
    for (u32 a = 0; a < v->app_n; a++) {
        v->app_ended[a] = whole->app_ended[v->app[a]];
        v->app_of_user[a] = whole->apps[v->app[a]];
    }
    v->view = (struct corun_view){.sm_n = v->sms.sms,
                                  .app_n = v->app_n,
                                  .partition_n = whole->partition_n,
                                  .sm = whole->sm,
                                  .kernel_n = n,
                                  .kernels = v->kernels,
                                  .resident = v->resident,
                                  .extra = v->extra,
                                  .target = v->target,
                                  .settled = whole->settled + first,
                                  .app_ended = v->app_ended,
                                  .apps = v->app_of_user,
                                  .holder = holds ? sets->local[whole->holder] : CORUN_NO_APP,
                                  .held_since = holds ? whole->held_since : CORUN_NEVER,
                                  .count = set_count,
                                  .count_memory = set_count_memory,
                                  .count_reuse = set_count_reuse,
                                  .count_use = set_count_use,
                                  .log = set_log,
                                  .carveout = whole->carveout + first,
                                  .carveout_wanted = v->wanted,
                                  .core = v};
    v->whole = whole;
    tables_copy(v, whole);
}

const struct corun_view *set_view_of(struct sets *sets, u32 set, const struct corun_view *whole)
{
    const struct dispatch *p = whole->core;
    struct set_view *v = &sets->at[set];
    if (v->copied != p->hooks.view_n) copy(sets, v, whole);
    v->copied = p->hooks.view_n;
    v->view.now = whole->now;
    if (p->hooks.strict) v->hash = view_hash(&v->view);
    return &v->view;
}

u32 set_view_kernel(const struct set_view *v, u32 kernel)
{
    u32 i = 0;
    while (v->kernel[i] != kernel) i++;
    return i;
}
