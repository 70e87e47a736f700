#include "run/sim/sim.h"

#include <inttypes.h>
#include <string.h>
#include "host/app.h"
#include "run/sim/key.h"
#include "run/jobs/seconds.h"
#include "run/study/window.h"

enum { WATCH_CYCLES = 1 << 15 }; /* between two looks of the watch */

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

static const char *keep(struct sim *s, const char *text)
{
    return arena_text(&s->arena, text, strlen(text));
}

static const char *ask_gpu(const struct app_machine *m, const struct launch *l, struct text *why)
{
    return gpu_refuses(&((const struct fit *)m)->sim->setup->gpu->machine, l, why);
}

static void put_hushed(struct printer *p, const char *bytes, size_t n)
{
    struct hush *h = (struct hush *)p;
    struct printer *to = h->sim->setup->printer; /* NULL: a trial of the oracle */
    if (to && !app_completions(h->sim->running[h->app_id])) to->put(to, bytes, n);
}

/* The run of an oracle that searches is that of the policy it chose. */
static bool policy_open(struct sim *s, struct fail *fail)
{
    if (!oracle_open(&s->oracle, s->setup, &s->policy, fail)) return false;
    if (!s->oracle.chosen) return true;
    if (!s->borrowed) mechanisms_free(&s->policy);
    s->borrowed = false;
    return mechanisms_parse(&s->policy, s->oracle.chosen, fail);
}

static bool sim_build(struct sim *s, struct fail *fail)
{
    const struct sim_setup *setup = s->setup;
    bool policy_right = true;
    s->borrowed = setup->mechanisms != NULL;
    if (s->borrowed) s->policy = *setup->mechanisms;
    else policy_right = mechanisms_parse(&s->policy, setup->policy, fail);
    if (!policy_right || !policy_open(s, fail)) return false;
    u32 n = s->policy.n;
    struct gpu_mechanism *mechanisms = arena_array(&s->arena, struct gpu_mechanism, n + 1);
    for (u32 i = 0; i < s->policy.n; i++) {
        const struct mechanism *m = &s->policy.at[i];
        s->policy_stats[i] = s->oracle.windows ? s->oracle.windows->counters
                                               : arena_array(&s->arena, u64, m->stat_n);
        mechanisms[i] = (struct gpu_mechanism){
            .policy = m->policy, .values = m->values, .stats = s->policy_stats[i],
            .at = s->borrowed ? NULL : &s->policy.source, .offset = m->at};
    }
    if (setup->witness) mechanisms[n++] = *setup->witness;
    if (!needs_make(&s->needs, setup, &s->policy, fail)) return false;
    struct gpu_setup g = {.machine = &setup->gpu->machine, .app_n = setup->app_n,
                          .seed = setup->seed, .skip = setup->skip,
                          .policy_n = n, .policies = mechanisms, .fact_n = s->needs.n,
                          .facts = s->needs.at, .asked = setup->asked};
    s->machine = gpu_new(&g, fail);
    if (!s->machine) return false;
    if (setup->sink) gpu_set_sink(s->machine, setup->sink);
    s->app_n = setup->app_n;
    s->fit = (struct fit){{ask_gpu}, s};
    bool fits = true;
    for (u32 i = 0; i < s->app_n; i++) fits &= input_fits(s->inputs.inputs[i], &s->fit.asked, fail);
    if (!fits) return false;
    for (u32 i = 0; i < s->app_n; i++) {
        s->hush[i] = (struct hush){{put_hushed}, s, i};
        s->apps[i].name = keep(s, s->inputs.names[i]);
        s->apps[i].checked = -1;
        s->running[i] = app_new(s->inputs.inputs[i], s->apps[i].name, i, &s->fit.asked,
                                setup->printer ? &s->hush[i].printer : NULL);
        if (setup->until == UNTIL_ALL_COMPLETE && setup->instructions) {
            gpu_set_goal(s->machine, i, setup->instructions);
        }
    }
    return true;
}

/* ---- what is kept of a run ---- */

/* Gives what was counted since the last time to the kernel that ran alone since then. */
static void share_out(struct sim *s, struct sim_app *app)
{
    struct gpu_stat now;
    if (s->app_n > 1) return;
    gpu_stat(s->machine, 0, &now);
    if (app->out_n == 1 && !app->mixed) {
        struct sim_kernel *k = &app->kernels[app->on];
        stat_sum(&k->stats, &now, sizeof now);
        stat_subtract(&k->stats, &app->seen, sizeof now);
        k->stats.max_resident = now.max_resident; /* no sum */
        k->stat_cycles += gpu_now(s->machine) - app->seen_at;
    }
    app->seen = now;
    app->seen_at = gpu_now(s->machine);
}

/* Its number among the app's kernels. */
static u32 note_kernel(struct sim *s, struct sim_app *app, const struct launch *l)
{
    struct sim_kernel k = {.name = l->program->name, .launches = 1};
    memcpy(k.block, l->block, sizeof k.block);
    gpu_occupancy(&s->setup->gpu->machine, l, &k.fits);
    for (u32 i = 0; i < app->kernel_n; i++) {
        struct sim_kernel *old = &app->kernels[i];
        if (!strcmp(old->name, k.name) && !memcmp(old->block, k.block, sizeof k.block) &&
            old->fits.shared_bytes == k.fits.shared_bytes) {
            old->launches++;
            return i;
        }
    }
    if (app->kernel_n == app->kernel_room) {
        u32 room = app->kernel_room ? app->kernel_room * 2 : 4;
        struct sim_kernel *more = arena_array(&s->arena, struct sim_kernel, room);
        if (app->kernel_n) memcpy(more, app->kernels, app->kernel_n * sizeof *more);
        app->kernels = more;
        app->kernel_room = room;
    }
    k.name = keep(s, k.name);
    app->kernels[app->kernel_n] = k;
    return app->kernel_n++;
}

static void take_numbers(struct sim *s, u32 i)
{
    struct sim_app *app = &s->apps[i];
    if (app->taken) return;
    app->taken = true;
    app->cycles = gpu_now(s->machine);
    gpu_stat(s->machine, i, &app->stats);
    gpu_set_goal(s->machine, i, 0);
}

/* What cannot be written is told when all is over: the result is still good. */
static void write_dumps(struct sim *s, u32 i)
{
    for (u32 d = 0; d < app_dump_n(s->running[i]); d++) {
        struct app_dump dump;
        struct output to;
        app_dump(s->running[i], d, &dump);
        input_set_dump(&s->inputs, i, d, &to);
        file_write_for(to.path, dump.bytes, dump.size_bytes, &to.at, to.offset, &s->unwritten);
    }
}

/* NULL: it consists of allocations */
static const char *whose_space(u32 space)
{
    switch (space) {
    case SPACE_SHARED: return "shared memory of the block is";
    case SPACE_LOCAL: return "local memory of the thread is";
    case SPACE_PARAM: return "parameters of the kernel are";
    default: return NULL;
    }
}

/* "a line of the text", and the allocation that was probably meant or how much memory there is. */
static void describe_fault(struct sim *s, const struct gpu_trouble *t, struct text *out)
{
    const struct source *source = t->program->source;
    const char *line = source ? source->text : NULL, *end = line ? line + source->size : NULL;
    for (u32 n = 1; line && n < t->fault.line; n++) {
        line = memchr(line, '\n', (size_t)(end - line));
        if (line) line++;
    }
    if (line && t->fault.line) {
        while (line < end && (*line == ' ' || *line == '\t')) line++;
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        text_put(out, "    ", 4);
        text_put(out, line, (size_t)((stop ? stop : end) - line));
        text_put(out, "\n", 1);
    }
    const char *whose = whose_space(t->fault.space);
    if (!t->fault.size_bytes) return;
    if (whose) {
        text_add(out, "    the %s %" PRIu64 " bytes\n", whose, t->space_bytes);
        return;
    }
    struct image *image = t->app_id < s->app_n ? s->images[t->app_id] : NULL;
    if (!image) return;
    const struct allocation *a = image_nearest(image, t->fault.address);
    if (!a) return;
    text_add(out, "    nearest allocation: %s at 0x%" PRIx64 ", %" PRIu64 " bytes",
             a->name[0] ? a->name : "(no name)", a->start, a->size_bytes);
    u64 address = t->fault.address, past = a->start + a->size_bytes;
    if (address < a->start) {
        text_add(out, "; the address is %" PRIu64 " before it\n", a->start - address);
    } else if (address >= past) {
        text_add(out, "; the address is %" PRIu64 " past its end\n", address - past);
    } else {
        text_add(out, "; the address is %" PRIu64 " into it\n", address - a->start);
    }
}

static void note_trouble(struct sim *s, enum gpu_stop stop)
{
    s->status = stop == GPU_FAULT ? SIM_FAULT : stop == GPU_DEADLOCK ? SIM_DEADLOCK : SIM_STARVED;
    const struct gpu_trouble *t = gpu_trouble(s->machine);
    struct sim_fault *f = &s->fault;
    *f = (struct sim_fault){.what = keep(s, t->what), .app = "", .kernel = "", .file = "",
                            .detail = "", .dump = ""};
    if (t->app_id < s->app_n) f->app = s->apps[t->app_id].name;
    if (!t->program) return;
    f->kernel = keep(s, t->program->name);
    if (t->program->source) f->file = keep(s, t->program->source->name);
    f->detail = keep(s, t->fault.detail);
    if (!t->in_block) return;
    f->in_kernel = true;
    f->block = t->block_id;
    f->sm = t->sm_id;
    f->warp = t->warp_id;
    f->lane = t->fault.lane;
    f->line = t->fault.line;
    f->address = t->fault.address;
    f->size_bytes = t->fault.size_bytes;
    f->at_address = t->fault.size_bytes > 0;
    struct text details = {0};
    describe_fault(s, t, &details);
    f->dump = keep(s, text_get(&details));
    text_free(&details);
}

/* ---- the loop ---- */

enum step { STEP_ON, STEP_OVER, STEP_WRONG };

static enum step app_trouble(struct sim *s, struct app *a, struct fail *fail)
{
    if (app_error_kind(a) == APP_ERROR_FAULT) {
        s->status = SIM_FAULT;
        s->fault = (struct sim_fault){.what = keep(s, app_error(a)), .app = keep(s, app_name(a)),
                                      .kernel = "", .file = "", .detail = "", .dump = ""};
        return STEP_OVER;
    }
    fail->error_n++;
    text_add(&fail->text, "%s", app_error(a));
    return STEP_WRONG;
}

/* Lets app i's host program go on as far as it can in this cycle. */
static enum step drive_app(struct sim *s, u32 i, struct fail *fail)
{
    struct app *a = s->running[i];
    app_poll(a);
    if (app_state(a) == APP_FAILED) return app_trouble(s, a, fail);
    for (const struct launch *l; (l = app_next_launch(a));) {
        struct sim_app *app = &s->apps[i];
        share_out(s, app);
        app->on = note_kernel(s, app, l);
        app->mixed = app->out_n++ > 0; /* until none is left: what is left then is not known */
        s->images[i] = l->image;
        gpu_launch(s->machine, l);
    }
    if (app_state(a) == APP_COMPLETED && s->setup->dump && !s->dumped[i]) {
        s->dumped[i] = true;
        write_dumps(s, i);
    }
    if (app_state(a) == APP_COMPLETED && s->setup->until != UNTIL_WINDOW) take_numbers(s, i);
    return STEP_ON;
}

static bool all_taken(const struct sim *s)
{
    if (s->setup->until == UNTIL_WINDOW) return false;
    for (u32 i = 0; i < s->app_n; i++) {
        if (!s->apps[i].taken) return false;
    }
    return true;
}

/* Starts completed apps again. One that launched nothing is not: it would complete for ever within
 * the cycle. false: none was started. */
static bool restart_apps(struct sim *s)
{
    bool some = false;
    if (s->setup->until == UNTIL_END) return false;
    for (u32 i = 0; i < s->app_n; i++) {
        struct app *a = s->running[i];
        if (app_state(a) != APP_COMPLETED || app_launches(a) == s->launches_before[i]) continue;
        s->launches_before[i] = app_launches(a);
        app_restart(a);
        some = true;
    }
    return some;
}

/* All that happens on the host side between two cycles. */
static enum step settle(struct sim *s, bool last, struct fail *fail)
{
    do {
        for (u32 i = 0; i < s->app_n; i++) {
            enum step step = drive_app(s, i, fail);
            if (step != STEP_ON) return step;
        }
        if (all_taken(s)) return STEP_OVER;
    } while (!last && restart_apps(s));
    return STEP_ON;
}

static void take_goals(struct sim *s)
{
    for (u32 i = 0; i < s->app_n; i++) {
        struct gpu_stat now;
        gpu_stat(s->machine, i, &now);
        if (now.sm.inst_thread >= s->setup->instructions) take_numbers(s, i);
    }
}

static enum step advance(struct sim *s, u64 limit)
{
    u64 until = min_u64(limit, intervals_next(&s->intervals));
    if (s->setup->watch) until = min_u64(until, gpu_now(s->machine) + WATCH_CYCLES);
    enum gpu_stop stop = gpu_advance(s->machine, until);
    if (gpu_now(s->machine) == intervals_next(&s->intervals)) {
        intervals_take(&s->intervals, s->machine, &s->setup->gpu->machine);
    }
    if (s->setup->watch) {
        s->cycles = gpu_now(s->machine);
        for (u32 i = 0; i < s->app_n; i++) {
            s->apps[i].completions = app_completions(s->running[i]);
        }
        s->setup->watch->tell(s->setup->watch, s);
    }
    switch (stop) {
    case GPU_FAULT:
    case GPU_DEADLOCK:
    case GPU_STARVED:
        note_trouble(s, stop);
        return STEP_OVER;
    case GPU_GOAL:
        take_goals(s);
        return STEP_ON;
    case GPU_WINDOW:
        return STEP_ON;
    case GPU_ENDED:
    case GPU_LIMIT:
        for (struct launch *l; (l = gpu_ended(s->machine));) {
            share_out(s, &s->apps[l->app_id]);
            s->apps[l->app_id].out_n--;
            app_launch_done(s->running[l->app_id], l);
        }
        return STEP_ON;
    case GPU_IDLE:
        break;
    }
    return STEP_OVER; /* no app will ever launch again */
}

static bool window_begin(struct sim *s, struct fail *fail);

/* On to the end of the run; in a trial of the oracle, to that of the window. */
static bool go_on(struct sim *s, struct fail *fail)
{
    u64 limit = s->setup->cycles ? s->setup->cycles : NEVER;
    const struct windows *w = s->oracle.windows;
    for (;;) {
        bool last = gpu_now(s->machine) >= limit;
        enum step step = settle(s, last, fail);
        if (step == STEP_WRONG) return false;
        if (step == STEP_OVER) return true;
        if (last) {
            if (s->setup->until != UNTIL_WINDOW) s->status = SIM_CYCLE_LIMIT;
            return true;
        }
        if (w && gpu_issued(s->machine) >= w->end) {
            if (w->trial) return true;
            if (!window_begin(s, fail)) return false;
        }
        if (advance(s, limit) == STEP_OVER) return true;
    }
}

static void mix_take(struct sim *s, u32 mix)
{
    struct windows *w = s->oracle.windows;
    if (mix != w->on) gpu_ask(s->machine);
    windows_take(w, mix, gpu_issued(s->machine));
    gpu_set_window(s->machine, w->end);
}

/* In a process of its own, a copy of this one at the window's beginning. The user's errors that it
 * meets will be met again, by the run. */
static bool mix_try(void *sim, u32 mix, struct text *out, struct text *why)
{
    struct sim *s = sim;
    struct fail fail = {0};
    struct gpu_stat stat;
    struct window_gain gain = {0};
    u64 start = gpu_now(s->machine), before[APPS_MAX];
    (void)why;
    need_quiet(&s->own_setup);
    gpu_set_sink(s->machine, NULL);
    for (u32 a = 0; a < s->app_n; a++) {
        gpu_stat(s->machine, a, &stat);
        before[a] = stat.sm.inst_thread;
    }
    s->oracle.windows->trial = true;
    mix_take(s, mix);
    if (go_on(s, &fail) && (s->status == SIM_COMPLETED || s->status == SIM_CYCLE_LIMIT)) {
        gain.cycles = gpu_now(s->machine) - start;
        for (u32 a = 0; a < s->app_n; a++) {
            gpu_stat(s->machine, a, &stat);
            gain.thread_instructions[a] = stat.sm.inst_thread - before[a];
        }
    }
    text_put(out, (const char *)&gain, sizeof gain);
    return true;
}

static bool window_begin(struct sim *s, struct fail *fail)
{
    u32 best;
    if (!windows_best(s->oracle.windows, gpu_now(s->machine), mix_try, s,
                      max_u32(s->setup->threads, 1), &best, fail))
        return false;
    mix_take(s, best);
    return true;
}

static bool sim_loop(struct sim *s, struct fail *fail)
{
    s->status = SIM_COMPLETED;
    s->intervals = (struct intervals){.every = s->setup->interval, .app_n = s->app_n,
                                       .most = s->setup->interval_most};
    for (u32 i = 0; i < s->app_n; i++) app_start(s->running[i]);
    return go_on(s, fail);
}

static void collect_kernels(struct sim *s)
{
    const struct gpu_kernel *did;
    for (u32 n = 0; (did = gpu_kernel(s->machine, n)); n++) {
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

static void collect(struct sim *s)
{
    s->cycles = gpu_now(s->machine);
    s->refusals = gpu_refusals(s->machine);
    s->refused = keep(s, gpu_refused(s->machine));
    collect_kernels(s);
    share_out(s, &s->apps[0]);
    intervals_take(&s->intervals, s->machine, &s->setup->gpu->machine);
    gpu_stat(s->machine, APPS_MAX, &s->unowned);
    stat_sum(&s->stats, &s->unowned, sizeof s->stats);
    gpu_capacity(&s->setup->gpu->machine, s->cycles, &s->capacity);
    for (u32 i = 0; i < s->app_n; i++) {
        struct sim_app *app = &s->apps[i];
        const struct app *a = s->running[i];
        gpu_stat(s->machine, i, &app->totals);
        stat_sum(&s->stats, &app->totals, sizeof s->stats);
        if (!app->taken) app->cycles = s->cycles;
        if (!app->taken || s->setup->until != UNTIL_ALL_COMPLETE) app->stats = app->totals;
        app->completions = app_completions(a);
        app->launches = app_launches(a);
        app->checked = app_checked(a);
        app->checked_why = keep(s, app_checked_why(a));
        app->blocks_per_sm = gpu_blocks_per_sm(s->machine, i);
        gpu_capacity(&s->setup->gpu->machine, app->cycles, &app->capacity);
    }
}

/* Gives back all that only a running simulation needs. The gpu holds launches of the apps. */
static void release(struct sim *s)
{
    if (s->machine) gpu_free(s->machine);
    s->machine = NULL;
    for (u32 i = 0; i < s->app_n; i++) {
        if (s->running[i]) app_free(s->running[i]);
        s->running[i] = NULL;
    }
    input_set_free(&s->inputs);
}

bool sim_outputs_right(const struct sim_setup *setup, struct input_set *in, struct fail *fail)
{
    const struct shelf *machine = &setup->gpu->shelf;
    u32 n = setup->output_n, read_n = shelf_names(&in->shelf, NULL);
    u32 dumping_n = setup->dump ? in->n : 0;
    for (u32 i = 0; i < dumping_n; i++) n += input_set_dump_n(in, i);
    struct output *outputs = arena_array(&in->arena, struct output, n + 1);
    const char **reads =
        arena_array(&in->arena, const char *, read_n + shelf_names(machine, NULL) + 1);
    shelf_names(&in->shelf, reads);
    read_n += shelf_names(machine, reads + read_n);
    for (n = 0; n < setup->output_n; n++) outputs[n] = setup->outputs[n];
    for (u32 i = 0; i < dumping_n; i++)
        for (u32 d = 0; d < input_set_dump_n(in, i); d++) input_set_dump(in, i, d, &outputs[n++]);
    return outputs_check(outputs, n, reads, read_n, fail);
}

bool sim_open(struct sim *s, const struct sim_setup *setup, struct fail *fail)
{
    *s = (struct sim){.own_setup = *setup};
    s->setup = &s->own_setup;
    arena_init(&s->arena);
    return input_set_open(&s->inputs, setup->apps, setup->app_n, setup->seed, fail) &&
           sim_outputs_right(setup, &s->inputs, fail);
}

bool sim_go(struct sim *s, struct fail *fail)
{
    bool right = sim_build(s, fail);
    if (right) {
        key_of_run(s->input_hash, s->setup, &s->inputs, &s->policy);
        double start = seconds_now();
        right = sim_loop(s, fail);
        s->loop_seconds = seconds_now() - start;
    }
    if (right) collect(s);
    release(s);
    return right;
}

bool sim_run(struct sim *s, const struct sim_setup *setup, struct fail *fail)
{
    return sim_open(s, setup, fail) && sim_go(s, fail);
}

void sim_free(struct sim *s)
{
    release(s);
    fail_free(&s->unwritten);
    if (!s->borrowed) mechanisms_free(&s->policy);
    needs_free(&s->needs);
    oracle_free(&s->oracle);
    intervals_free(&s->intervals);
    arena_free(&s->arena);
    *s = (struct sim){0};
}
