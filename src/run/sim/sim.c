#include "run/sim/internal.h"

#include <unistd.h>
#include "functional/memo.h"
#include "host/app.h"
#include "run/sim/key.h"
#include "run/sim/user_policy.h"
#include "run/jobs/seconds.h"

static const char *const until_names[] = {
#define CHOICE(id, word, sentence) word,
#include "run/sim/until.def"
};
static const char *const status_names[] = {
#include "run/sim/status.def"
#undef CHOICE
};

const char *until_name(enum until u) { return until_names[u]; }
const char *sim_status_name(enum sim_status s) { return status_names[s]; }

static const char *check_launch(const struct app_machine *m, const struct launch *l,
                                struct text *why)
{
    return gpu_refuses(m->gpu, l, why);
}

static u64 now(const struct app_machine *m)
{
    return board_now(((const struct launch_check *)m)->sim->machine);
}

static u64 clock_of(const struct app_machine *m, u32 app_id)
{
    const struct board *g = ((const struct launch_check *)m)->sim->machine;
    return board_now(g) + board_timer(g, app_id)->passed;
}

static bool interrupted(const struct app_machine *m)
{
    const struct sim_setup *setup = ((const struct launch_check *)m)->sim->setup;
    return setup->interrupted && setup->interrupted();
}

static void called(const struct app_machine *m, u32 app_id, const char *call, u64 start, u64 end)
{
    struct sim_live *live = ((const struct launch_check *)m)->sim->setup->live;
    if (live && live->call) live->call(live, app_id, call, start, end);
}

/* Begins a copy or fill, and shows the copy or fill in the timeline. */
static u64 copy_of(const struct app_machine *m, u32 app_id, const struct host_copy *copy)
{
    static const char *const names[] = {"copy to device", "copy to host", "copy within device",
                                        "fill"};
    struct sim *s = ((const struct launch_check *)m)->sim;
    struct host_link *link = &s->links[board_part_of(s->machine, app_id)];
    const struct machine *own = board_machine_of(s->machine, app_id);
    u64 start, end = host_link_copy(link, own, copy, board_now(s->machine), &start);
    called(m, app_id, names[copy->kind], start, end);
    return end;
}

static bool range_begin(const struct app_machine *m, u32 app_id, u64 *next)
{
    return range_begins(((const struct launch_check *)m)->sim, app_id, next);
}

static void range_end(const struct app_machine *m, u32 app_id)
{
    range_ends(((const struct launch_check *)m)->sim, app_id);
}

static void put_filtered(struct printer *p, const char *bytes, size_t n)
{
    struct printf_filter *f = (struct printf_filter *)p;
    /* NULL in a quiet copy of the simulation (sim_setup_quiet): printf output is dropped. */

    struct printer *to = f->sim->setup->printer;
    if (to && !app_completions(f->sim->running[f->app_id])) to->put(to, bytes, n);
}

static struct board *gpu_of(struct sim *s, struct fail *fail)
{
    const struct sim_setup *setup = s->setup;
    u32 n = s->policy.n;
    struct gpu_mechanism *mechanisms = arena_array(&s->arena, struct gpu_mechanism, n + 1);
    for (u32 i = 0; i < n; i++) {
        const struct mechanism *m = &s->policy.at[i];
        struct guarded_bytes own = {0};
        if (!setup->counters) own = guard_alloc(&s->arena, m->stat_n * sizeof(u64));
        s->policy_stats[i] = own.at ? (u64 *)(void *)own.at : setup->counters;
        mechanisms[i] = (struct gpu_mechanism){
            .policy = m->policy, .values = m->values, .stats = s->policy_stats[i], .fence = own,
            .owner = m->owner,
            .at = s->borrowed ? NULL : &s->policy.source, .offset = m->at};
        if (!m->plugin.handle) continue;
        if (!s->users) s->users = arena_array(&s->arena, struct user_policy, s->policy.n);
        user_policy_init(&s->users[i], m->plugin.file, setup->hook_call, &s->warnings);
        mechanisms[i].watch = &s->users[i].watch;
    }
    if (setup->witness) mechanisms[n++] = *setup->witness;
    struct gpu_setup g = {.machine = &setup->gpu->machine, .app_n = setup->app_n,
                          .seed = setup->seed, .skip = setup->skip, .cut = setup->cut,
                          .by_launch = sim_by_launch(setup), .counts_insts = setup->lines,
                          .threads = setup->threads,
                          .policy_n = n, .policies = mechanisms, .fact_n = setup->fact_n,
                          .facts = setup->facts, .hook_call = setup->hook_call,
                          .strict = setup->strict, .log = setup->log,
                          .interrupted = setup->interrupted};
    if (!g.threads.n) g.threads.n = 1;
    return percents_read(s, g.mps_percent, fail) ? board_new(&g, fail) : NULL;
}

/* Makes the machine that app i sees: the GPU, or an instance with physical memory of its own. */
static void app_machine_make(struct sim *s, u32 i)
{
    const struct machine *m = board_machine_of(s->machine, i);
    const struct memory_conf *memory = &m->memory;
    struct pool *pool = &s->pool[board_part_of(s->machine, i)];
    pool->page_bytes = m->map.page_bytes;
    s->launch_check[i] = (struct launch_check){
        {.refuses = check_launch, .pool = m->map.placement == MAP_ALIGNED ? NULL : pool,
         .granule_bytes = memory->bounds == MEMORY_PAGE ? memory->granule_bytes : 0, .now = now,
         .clock = clock_of, .interrupted = interrupted, .called = called,
         .copy = copy_of, .range_begin = range_begin, .range_end = range_end,
         .host_seconds = s->setup->host_seconds, .gpu = m}, s};
}

/* Makes the app of input i, with its requests. */
static void app_build(struct sim *s, u32 i)
{
    const struct sim_setup *setup = s->setup;
    struct app_input *in = s->inputs.inputs[i];
    struct sim_app *app = &s->apps[i];
    s->filters[i] = (struct printf_filter){{.put = put_filtered}, s, i};
    app->name = sim_keep(s, s->inputs.names[i]);
    app->checked = -1;
    app->start = setup->at_once ? 0 : input_start(in);
    s->running[i] = app_new(in, app->name, i, &s->launch_check[i].machine,
                            setup->printer ? &s->filters[i].printer : NULL);
    s->running[i]->warnings = &s->warnings;
    s->running[i]->draw_id = setup->first_app + i;
    s->running[i]->folder = setup->app_folder;
    s->running[i]->in_order = setup->timed.last != 0; /* functional launches keep order */
    if (setup->timed.last && setup->memoize) app->memo = memo_new();
    app->own_process = in->cuda != NULL;
    if (!input_arrivals(in)) return;
    struct text arrivals = {0};
    arrivals_show(input_arrivals(in), &arrivals);
    app->arrivals = sim_keep(s, text_get(&arrivals));
    text_free(&arrivals);
    app->requests = requests_new(&(struct request_setup){
        .from = input_arrivals(in), .ranges = input_range(in) != NULL, .seed = setup->seed,
        .app = setup->first_app + i, .start = app->start, .mhz = setup->gpu->machine.clock.sm_mhz,
        .endless = setup->until == UNTIL_WINDOW, .stops = setup->until == UNTIL_END});
}

static bool sim_build(struct sim *s, struct fail *fail)
{
    const struct sim_setup *setup = s->setup;
    s->machine = gpu_of(s, fail);
    if (!s->machine) return false;
    if (setup->sink) board_set_sink(s->machine, setup->sink);
    if (setup->lines) s->lines = lines_new(board_machine(s->machine)->sm.count);
    s->app_n = setup->app_n;
    bool fits = true;
    for (u32 i = 0; i < s->app_n; i++) {
        app_machine_make(s, i);
        fits &= input_fits(s->inputs.inputs[i], &s->launch_check[i].machine, fail);
    }
    if (!fits) return false;
    for (u32 i = 0; i < s->app_n; i++) {
        app_build(s, i);
        fits &= program_output_open(s, i, fail);
        if (setup->until == UNTIL_ALL_COMPLETE && setup->instructions) {
            board_set_goal(s->machine, i, setup->instructions);
        }
    }
    return fits;
}

void sim_look(struct sim *s)
{
    if (!s->users) return;
    user_policies_look(s->users, s->policy.n, s->policy.spec, s->setup->hook_call, &s->warnings);
}

bool sim_policy_warned(const struct sim *s, const struct warning *w)
{
    bool policy = s->policy.spec && !strcmp(w->where, s->policy.spec);
    for (u32 m = 0; m < s->policy.n && !policy; m++) {
        const struct plugin *p = &s->policy.at[m].plugin;
        policy = p->handle && !strcmp(w->where, p->file);
    }
    return policy;
}

static bool sim_loop(struct sim *s, struct fail *fail)
{
    s->status = SIM_COMPLETED;
    s->parts.by = s->setup->by;
    s->sampling.at = NEVER;
    if (s->setup->samples)
        sampling_begin(&s->sampling, s->machine, s->setup->seed, &s->arena);
    for (u32 i = 0; i < s->app_n && (s->app_n == 1 || s->setup->curves); i++) {
        s->apps[i].curve = arena_array(&s->arena, struct work_curve, 1);
        s->apps[i].curve->every = WORK_EVERY;
    }
    s->intervals = (struct intervals){.every = s->setup->interval, .app_n = s->app_n,
                                       .most = s->setup->interval_most,
                                       .passing = s->setup->live != NULL};
    if (s->setup->live) s->setup->live->begin(s->setup->live, s);
    return sim_continue(s, fail);
}

/* Frees everything that only a running simulation needs. The GPU is freed first, because the GPU
 * holds launches of the apps. */
static void release(struct sim *s)
{
    if (s->machine) board_free(s->machine);
    s->machine = NULL;
    for (u32 i = 0; i < s->app_n; i++) {
        if (!s->running[i]) continue;
        app_free(s->running[i]);
        s->running[i] = NULL;
        program_output_close(s, i);
    }
    input_set_free(&s->inputs);
}

bool sim_outputs_check(const struct sim_setup *setup, struct input_set *in, struct fail *fail)
{
    u32 n = setup->output_n, dumping_n = setup->dump ? in->n : 0;
    for (u32 i = 0; i < dumping_n; i++) n += input_dump_n(in->inputs[i]);
    struct output *outputs = arena_array(&in->arena, struct output, n + in->n + 1);
    for (n = 0; n < setup->output_n; n++) outputs[n] = setup->outputs[n];
    for (u32 i = 0; i < in->n; i++)
        if (program_output_planned(setup, in->inputs[i]))
            program_output_plan(setup, in, i, &outputs[n++]);
    bool ok = true;
    for (u32 i = 0; i < dumping_n; i++) {
        for (u32 d = 0; d < input_dump_n(in->inputs[i]); d++) {
            input_set_dump(in, i, d, &setup->dump_rule, &outputs[n]);
            ok &= dump_check(&outputs[n++], &setup->dump_rule, fail);
        }
    }
    return ok && outputs_check(outputs, n, fail);
}

void sim_setup_quiet(struct sim_setup *setup)
{
    setup->dump = false;
    setup->program_fd = 0;
    setup->program_folder = NULL;
    setup->program_keep = false;
    if (setup->app_folder != FOLDER_OWN) setup->app_folder = FOLDER_NEW;
    setup->output_n = 0;
    setup->interval = 0;
    setup->samples = setup->curves = false;
    setup->lines = false;
    setup->watch = NULL;
    setup->printer = NULL;
    setup->sink = NULL;
    setup->log = NULL;
    setup->live = NULL;
    setup->by = BY_APP;
    setup->mechanisms = NULL;
    setup->witness = NULL;
    setup->hook_call = NULL;
    setup->strict = false;
    setup->fact_n = 0;
    setup->counters = NULL;
    setup->pause = NULL;
}

bool sim_open(struct sim *s, const struct sim_setup *setup, struct fail *fail)
{
    *s = (struct sim){.own_setup = *setup};
    s->setup = &s->own_setup;
    arena_init(&s->arena);
    struct input_rules rules = input_rules_of(&setup->gpu->machine, setup->seed);
    if (!input_set_open(&s->inputs, setup->apps, setup->app_n, &rules, fail) ||
        !sim_outputs_check(setup, &s->inputs, fail))
        return false;
    input_set_choose_ptx(&s->inputs, setup->program_ptx);
    s->borrowed = setup->mechanisms != NULL;
    if (!s->borrowed) return mechanisms_load(&s->policy, setup->policy, setup->hook_call, fail);
    s->policy = *setup->mechanisms;
    return true;
}

bool sim_set_policy(struct sim *s, const char *spec, struct fail *fail)
{
    if (!s->borrowed) mechanisms_free(&s->policy);
    s->borrowed = false;
    return mechanisms_parse(&s->policy, spec, fail);
}

bool sim_go(struct sim *s, struct fail *fail)
{
    if (s->setup->hook_call) s->setup->hook_call->thread = gettid();
    bool ok = sim_build(s, fail);
    if (ok) {
        mechanisms_warn(&s->policy, &s->warnings);
        key_of_run(s->input_hash, s->setup, &s->inputs, &s->policy);
        double start = seconds_now();
        ok = sim_loop(s, fail);
        sim_look(s);
        s->loop_seconds = seconds_now() - start - s->functional_seconds;
        struct sim_watch *w = s->setup->watch;
        if (w && w->of == s) w->of = NULL;
    }
    for (u32 i = 0; ok && i < s->app_n; i++) ranges_warn(s, i);
    if (ok) account_end(s);
    release(s);
    return ok;
}

bool sim_run(struct sim *s, const struct sim_setup *setup, struct fail *fail)
{
    return sim_open(s, setup, fail) && sim_go(s, fail);
}

void sim_give_up(struct sim *s, const char *why, u64 cycle)
{
    s->status = SIM_POLICY_FAILED;
    s->cycles = cycle;
    s->app_n = s->setup->app_n;
    for (u32 i = 0; i < s->app_n; i++) {
        s->apps[i].name = sim_keep(s, s->inputs.names[i]);
        s->apps[i].checked = -1;
    }
    s->fault = (struct sim_fault){.what = sim_keep(s, why), .app = "", .kernel = "", .file = "",
                                  .detail = "", .dump = ""};
    release(s);
}

void sim_free(struct sim *s)
{
    release(s);
    fail_free(&s->unwritten);
    if (!s->borrowed) mechanisms_free(&s->policy);
    for (u32 i = 0; i < APPS_MAX; i++) {
        text_free(&s->apps[i].written);
        memo_free(s->apps[i].memo);
        requests_free(s->apps[i].requests);
    }
    lines_free(s->lines);
    intervals_free(&s->intervals);
    parts_free(&s->parts);
    warnings_free(&s->warnings);
    arena_free(&s->arena);
    *s = (struct sim){0};
}
