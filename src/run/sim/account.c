/* Collects the results of a run: per kernel, per app, and in total. */
#include "run/sim/internal.h"

#include <string.h>
#include "host/app.h"
#include "host/name/kernel_name.h"

/* Attributes the counters since the last call to the kernel that has run alone since then. */
static void attribute_stats(struct sim *s, struct sim_app *app)
{
    struct gpu_stat now;
    if (s->app_n > 1 || sim_by_launch(s->setup)) return;
    board_stat(s->machine, 0, &now);
    if (app->launches_on_gpu == 1 && !app->overlapped) {
        struct sim_kernel *k = &app->kernels[app->last_kernel];
        stat_sum(&k->stats, &now, sizeof now);
        stat_subtract(&k->stats, &app->attributed, sizeof now);
        k->stats.max_resident = now.max_resident; /* a maximum, not a sum */
        k->stat_cycles += board_now(s->machine) - app->attributed_at;
    }
    app->attributed = now;
    app->attributed_at = board_now(s->machine);
}

/* Returns the index of the launch's kernel among the app's kernels. */
static u32 kernel_index(struct sim *s, struct sim_app *app, const struct launch *l)
{
    struct sim_kernel k = {.name = l->program->name};
    memcpy(k.block, l->block, sizeof k.block);
    gpu_occupancy(board_machine_of(s->machine, l->app_id), l, &k.fits);
    for (u32 i = 0; i < app->kernel_n; i++) {
        const struct sim_kernel *old = &app->kernels[i];
        if (!strcmp(old->name, k.name) && !memcmp(old->block, k.block, sizeof k.block) &&
            old->fits.shared_bytes == k.fits.shared_bytes)
            return i;
    }
    k.name = sim_keep(s, k.name);
    k.title = program_shown(l->program, &s->arena);
    *arena_push(&s->arena, app->kernels, app->kernel_n, app->kernel_room) = k;
    return app->kernel_n - 1;
}

void account_launch(struct sim *s, const struct launch *l)
{
    struct sim_app *app = &s->apps[l->app_id];
    attribute_stats(s, app);
    app->last_kernel = kernel_index(s, app, l);
    app->kernels[app->last_kernel].launches++;
    /* stays set until no launch is left: counters of overlapping kernels cannot be separated */
    app->overlapped = app->launches_on_gpu++ > 0;
    s->images[l->app_id] = l->image;
    if (s->setup->interval_most && app->launched_n < LAUNCHES_KEPT) {
        *arena_push(&s->arena, app->launched, app->launched_n, app->launched_room) =
            board_now(s->machine);
    }
}

static void part_ends(struct sim *s, const struct gpu_end *e)
{
    struct sim_live *live = s->setup->live_launches ? s->setup->live : NULL;
    struct sim_app *app = &s->apps[e->launch.app_id];
    struct app_part part;
    if (!sim_by_launch(s->setup)) return;
    part_from(s->machine, e, &part);
    part.kernel = app->kernels[kernel_index(s, app, &e->launch)].title;
    if (s->parts.by) parts_add(&s->parts, &part);
    if (!live) return;
    sim_look(s);
    live->launch(live, s, &part);
}

void account_launch_end(struct sim *s, const struct gpu_end *e)
{
    struct sim_app *app = &s->apps[e->launch.app_id];
    part_ends(s, e);
    attribute_stats(s, app);
    app->launches_on_gpu--;
}

/* Copies the app's samples so far. */
static void waits_take(struct sim *s, u32 app_id)
{
    struct waits *h = s->apps[app_id].waits;
    if (!s->sampling.taken) return;
    if (!h) h = s->apps[app_id].waits = arena_array(&s->arena, struct waits, 1);
    *h = s->sampling.taken->of[app_id];
    board_count_victims(s->machine, app_id, h);
}

void account_sample(struct sim *s)
{
    sampling_take(&s->sampling, s->machine);
    for (u32 i = 0; i < s->app_n; i++)
        if (!s->apps[i].begun) s->sampling.taken->of[i] = (struct waits){0};
}

void account_curves(struct sim *s)
{
    for (u32 i = 0; i < s->app_n; i++)
        work_curve_take(s->apps[i].curve, board_kept_by(s->machine, i));
}

void account_completion(struct sim *s, u32 app_id)
{
    struct sim_app *app = &s->apps[app_id];
    if (app->taken) return;
    app->taken = true;
    app->cycles = board_now(s->machine) - app->start;
    board_stat(s->machine, app_id, &app->stats);
    waits_take(s, app_id);
    board_set_goal(s->machine, app_id, 0);
}

static void collect_kernels(struct sim *s)
{
    const struct gpu_kernel *did;
    for (u32 n = 0; (did = board_kernel(s->machine, n)); n++) {
        struct sim_app *app = &s->apps[did->app_id];
        for (u32 i = 0; i < app->kernel_n; i++) {
            struct sim_kernel *k = &app->kernels[i];
            if (strcmp(k->name, did->name) || memcmp(k->block, did->block, sizeof k->block) ||
                k->fits.shared_bytes != did->shared_bytes)
                continue;
            k->cycles = did->cycles;
            k->warp_instructions = did->warp_instructions;
            k->thread_instructions = did->thread_instructions;
        }
    }
}

static void take_arrivals(struct sim *s)
{
    for (u32 i = 0; i < s->app_n; i++)
        if (s->apps[i].requests) requests_arrive(s->apps[i].requests, board_now(s->machine));
}

void account_interval(struct sim *s)
{
    take_arrivals(s);
    struct sim_live *live = s->setup->live;
    bool one = intervals_take(&s->intervals, s->machine, &s->setup->gpu->machine);
    if (one && live) live->interval(live, s);
    for (u32 i = 0; one && i < s->app_n; i++)
        if (s->apps[i].requests) requests_note(s->apps[i].requests);
}

void account_end(struct sim *s)
{
    s->cycles = board_now(s->machine);
    take_arrivals(s);
    for (u32 c = 0; c < CLAIM_N; c++)
        s->refused_of[c] = sim_keep(s, board_refused_of(s->machine, (enum claim)c));
    for (u32 m = 0; m < s->policy.n; m++) {
        s->logs[m].lines = sim_keep(s, board_log(s->machine, m, &s->logs[m].n));
        s->refused[m].lines = sim_keep(s, board_refused(s->machine, m, &s->refused[m].n));
    }
    collect_kernels(s);
    struct gpu_end at_work;
    for (u32 k = 0; board_at_work(s->machine, k, &at_work); k++) part_ends(s, &at_work);
    if (s->lines) {
        board_insts_end(s->machine);
        lines_sum(s->lines);
    }
    attribute_stats(s, &s->apps[0]);
    account_interval(s);
    board_stat(s->machine, APPS_MAX, &s->unowned);
    stat_sum(&s->stats, &s->unowned, sizeof s->stats);
    gpu_capacity(&s->setup->gpu->machine, s->cycles, &s->capacity);
    s->busy_cycles = board_busy_cycles(s->machine);
    for (u32 i = 0; i < s->app_n; i++) {
        struct sim_app *app = &s->apps[i];
        const struct app *a = s->running[i];
        board_stat(s->machine, i, &app->totals);
        stat_sum(&s->stats, &app->totals, sizeof s->stats);
        if (!app->taken) waits_take(s, i);
        if (!app->taken) app->cycles = s->cycles - min_u64(app->start, s->cycles);
        if (!app->taken || s->setup->until != UNTIL_ALL_COMPLETE) app->stats = app->totals;
        app->completions = app_completions(a);
        app->launches = app_launches(a);
        app->checked = app_checked(a);
        app->varies = a->varies || (app->own_process && !app->checked);
        app->checked_why = sim_keep(s, app_checked_why(a));
        if (app->requests) requests_values(app->requests, s->cycles, app->request_values);
        app->blocks_per_sm = board_blocks_per_sm(s->machine, i);
        for (u32 k = 0; k < DELAY_N; k++)
            board_delays(s->machine, i, (enum delay_kind)k, &app->delays[k]);
        gpu_capacity(&s->setup->gpu->machine, app->cycles, &app->capacity);
    }
}
