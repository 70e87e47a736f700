/* The JSON of an advice. */
#include <math.h>
#include "run/advise/advise.h"
#include "run/result/result_writer.h"

static void show_reals(struct result_writer *w, enum result_key key, const double *values, u32 n)
{
    result_open_flat(w, key, '[');
    for (u32 i = 0; i < n; i++) json_put_real(&w->json, NULL, values[i]);
    result_close(w, ']');
}

static void show_sms(struct result_writer *w, enum result_key key, const struct split *s, u32 n)
{
    result_open_flat(w, key, '[');
    for (u32 i = 0; i < n; i++) {
        if (s->sms[i]) json_put_integer(&w->json, NULL, s->sms[i]);
        else json_put_null(&w->json, NULL);
    }
    result_close(w, ']');
}

static void show_ways(struct result_writer *w, const struct advise *a)
{
    result_open(w, KEY_advice_ways, '[');
    for (u32 i = 0; i < WAY_N; i++) {
        const struct way_splits *of = &a->splits.of[i];
        if (!(a->ways & 1U << i)) continue;
        result_open_flat(w, OBJECT_advice_way, '{');
        result_put_text(w, KEY_advice_way_name, way_label(i));
        result_put_integer(w, KEY_advice_way_splits, of->n);
        result_put_text(w, KEY_advice_way_left_out, of->left_out);
        result_close(w, '}');
    }
    result_close(w, ']');
}

static void show_app(struct result_writer *w, const struct advise *a, u32 app)
{
    const struct curve *c = &a->curves.of[app];
    result_open(w, OBJECT_advice_app, '{');
    result_put_text(w, KEY_advice_app_name, a->names[app]);
    result_put_text(w, KEY_advice_app_spec, a->setup->sim->apps[app]);
    result_put_real(w, KEY_advice_app_bound, a->goal.apps[app].slowdown);
    result_put_real(w, KEY_advice_app_p99_bound_us, a->goal.apps[app].p99_us);
    result_put_real(w, KEY_advice_app_p99_alone_us, curves_p99(&a->curves, app));
    result_put_real(w, KEY_advice_app_dram_use, curves_dram_use(&a->curves, app, PACE_IPC));
    result_open(w, KEY_advice_app_points, '[');
    for (u32 i = 0; i < c->n; i++) {
        result_open_flat(w, OBJECT_advice_point, '{');
        result_put_integer(w, KEY_advice_point_sms, c->points[i].sms);
        result_put_text(w, KEY_advice_point_status, sim_status_name(c->points[i].status));
        result_put_integer(w, KEY_advice_point_cycles, c->points[i].cycles);
        result_put_integer(w, KEY_advice_point_warp_instructions,
                           c->points[i].stats.sm.inst_warp);
        result_put_real(w, KEY_advice_point_ipc_thread, alone_ipc_thread(&c->points[i]));
        result_put_real(w, KEY_advice_point_slowdown, curve_point(c, i));
        result_put_real(w, KEY_advice_point_service_mean_us,
                        curves_us(&a->curves, replay_served(&c->points[i].requests)));
        result_close(w, '}');
    }
    result_close(w, ']');
    result_open_flat(w, KEY_advice_app_curve, '[');
    for (u32 n = 1; n <= curve_whole(c)->sms; n++)
        json_put_real(&w->json, NULL, curve_slowdown(c, PACE_IPC, n));
    result_close(w, ']');
    result_close(w, '}');
}

static void show_split(struct result_writer *w, const struct advise *a, const struct split *s)
{
    u32 n = a->splits.app_n;
    result_open_flat(w, OBJECT_advice_split, '{');
    result_put_text(w, KEY_advice_split_policy, s->policy);
    show_sms(w, KEY_advice_split_sms, s, n);
    show_reals(w, KEY_advice_split_curve_sms, s->share, n);
    show_reals(w, KEY_advice_split_memory, s->memory, n);
    result_put_bool(w, KEY_advice_split_simulated, s->simulated);
    if (s->simulated)
        result_put_text(w, KEY_advice_split_status, sim_status_name(s->status));
    show_reals(w, KEY_advice_split_slowdowns, s->slowdown, n);
    show_reals(w, KEY_advice_split_ipc_thread, s->ipc, n);
    show_reals(w, KEY_advice_split_services, s->service, n);
    show_reals(w, KEY_advice_split_p99_us, s->p99, n);
    result_put_real(w, KEY_advice_split_value, s->value);
    result_put_bool(w, KEY_advice_split_meets, s->excess <= 1);
    result_put_bool(w, KEY_advice_split_front, s->front);
    result_put_integer(w, KEY_advice_split_warp_instructions, s->warp);
    result_close(w, '}');
}

static void show_head(struct result_writer *w, const struct advise *a)
{
    const struct sim_setup *sim = a->setup->sim;
    struct text metric = {0};
    goal_name(&a->goal, &metric);
    result_put_schema(w, KEY_advice_schema);
    result_put_version(w);
    result_put_text(w, KEY_advice_gpu, sim->gpu->name);
    result_put_text(w, KEY_advice_until, until_name(sim->until));
    if (sim->cycles) result_put_integer(w, KEY_advice_cycle_limit, sim->cycles);
    else result_put_null(w, KEY_advice_cycle_limit);
    if (sim->instructions) result_put_integer(w, KEY_advice_instruction_goal, sim->instructions);
    else result_put_null(w, KEY_advice_instruction_goal);
    result_put_integer(w, KEY_advice_seed, sim->seed);
    result_put_text(w, KEY_advice_goal, a->setup->goal);
    result_put_text(w, KEY_advice_metric, metric.bytes);
    result_put_integer(w, KEY_advice_step, a->setup->step);
    result_put_integer(w, KEY_advice_budget, a->setup->budget);
    text_free(&metric);
}

void advise_json(const struct advise *a, struct text *out)
{
    struct result_writer w = {.json.out = out};
    result_open(&w, OBJECT_advice, '{');
    show_head(&w, a);
    result_put_text(&w, KEY_advice_policy, a->best ? a->best->policy : NULL);
    result_put_bool(&w, KEY_advice_meets, a->best && a->best->excess <= 1);
    result_put_bool(&w, KEY_advice_limit_reached, a->exhausted);
    result_put_integer(&w, KEY_advice_isolated_runs, a->isolated_n);
    result_put_integer(&w, KEY_advice_shared_runs, a->shared_n);
    result_put_integer(&w, KEY_advice_isolated_warp_instructions, a->isolated_warp);
    result_put_integer(&w, KEY_advice_shared_warp_instructions, a->shared_warp);
    result_put_real(&w, KEY_advice_sweep_warp_instructions, a->sweep_warp);
    show_ways(&w, a);
    result_open(&w, KEY_advice_apps, '[');
    for (u32 i = 0; i < a->splits.app_n; i++) show_app(&w, a, i);
    result_close(&w, ']');
    result_open(&w, KEY_advice_splits, '[');
    for (u32 i = 0; i < a->splits.n; i++) show_split(&w, a, &a->splits.at[i]);
    result_close(&w, ']');
    result_close(&w, '}');
}
