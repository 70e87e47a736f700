/* Main loop of a simulation: alternates between host programs and the GPU, restarts apps, decides
 * when the run is over. */
#include "run/sim/internal.h"

#include <math.h>
#include <stdatomic.h>

#include "functional/memo.h"
#include "host/app.h"
#include "run/io/file.h"
#include "run/jobs/seconds.h"

/* Cycles between two polls of interrupts and calls of the watch: maximum, and initial value. Fewer
 * cycles are run at a time if they take more than LOOK_SECONDS of host time. */
enum { LOOK_CYCLES_MAX = 1 << 13, LOOK_CYCLES_FIRST = 16 };
#define LOOK_SECONDS 0.05

/* Writes the dumps of app i. Write errors are reported at the end; the simulation's result stays
 * valid. */
static void write_dumps(struct sim *s, u32 i)
{
    sim_look(s);
    for (u32 d = 0; d < input_dump_n(s->inputs.inputs[i]); d++) {
        struct output to;
        u64 size_bytes;
        const void *bytes = app_dump(s->running[i], d, &size_bytes);
        input_set_dump(&s->inputs, i, d, &s->setup->dump_rule, &to);
        file_write_for(to.path, bytes, size_bytes, &to.at, to.offset, &s->unwritten);
    }
}

static enum sim_step app_trouble(struct sim *s, struct app *a, struct fail *fail)
{
    if (app_error_kind(a) != APP_ERROR_INPUT) {
        fault_of_app(s, app_name(a), app_error(a));
        if (app_error_kind(a) == APP_ERROR_PROGRAM) s->status = SIM_PROGRAM_FAILED;
        return STEP_OVER;
    }
    fail->error_n++;
    text_add(&fail->text, "%s", app_error(a));
    return STEP_ERROR;
}

static u64 timed_launches(const struct sim *s, u32 i)
{
    return app_launches(s->running[i]) - s->apps[i].functional;
}

/* Returns true if each request of the app is an execution. */
static bool by_execution(const struct sim *s, u32 i)
{
    return s->apps[i].requests && !s->apps[i].requests->ranges;
}

/* Returns true if the app restarts after completion, with requests: if a further request may begin.
 * An execution without timed launches is not restarted, unless requests arrive over time: the app
 * would complete endlessly within one cycle. */
static bool app_starts_again(const struct sim *s, u32 i)
{
    const struct requests *r = s->apps[i].requests;
    if (r && r->ranges && !r->began_n && s->running[i]->executions) return false;
    bool waits = by_execution(s, i) && (r->from->kind != ARRIVALS_CLOSED || !r->began_n);
    if (r && (waits || !requests_more(r))) return requests_more(r);
    return (r || s->setup->until != UNTIL_END) && timed_launches(s, i) > s->timed_before[i];
}

/* Returns true if the app executes nothing: between two requests, or before the first. */
static bool is_between(const struct sim *s, u32 i)
{
    const struct app *a = s->running[i];
    return app_state(a) == APP_COMPLETED || (by_execution(s, i) && !a->executions);
}

/* Returns true if the app may launch further kernels. */
static bool app_goes_on(const struct sim *s, u32 i)
{
    const struct app *a = s->running[i];
    const struct requests *r = s->apps[i].requests;
    bool queued = app_pending(a) > s->apps[i].launches_on_gpu;
    if (r && r->over) return queued;
    return !a->returned || queued || app_starts_again(s, i);
}

/* Model: a functional launch takes host.functional_ns on the app's clocks, because programs divide
 * by event times. The launch takes 0 ns while a launch of the app is timed, to keep measured times
 * right. A kernel with clock reads or sleeps takes at least the time seen by the threads
 * (guess). */
static void functional_time(struct sim *s, u32 i, u64 seen_ns)
{
    u64 nominal = board_machine_of(s->machine, i)->host.functional_ns;
    board_pass(s->machine, i, s->apps[i].launches_on_gpu ? seen_ns : max_u64(nominal, seen_ns));
    s->apps[i].functional_ns = board_timer(s->machine, i)->passed_ns;
}

/* True if launch `n` of an execution is timed. */
static bool is_timed(const struct sim *s, u64 n)
{
    const struct launch_range *timed = &s->setup->timed;
    return likely(!timed->last) || (n >= timed->first && n <= timed->last);
}

static enum sim_step run_functionally(struct sim *s, u32 i, const struct launch *l)
{
    const struct functional_setup setup = {
        .launch = l, .machine = board_machine_of(s->machine, i), .cycle = board_now(s->machine),
        .timer = board_timer(s->machine, i), .grid_id = (u32)s->apps[i].started,
        .interrupted = s->setup->interrupted};
    struct functional f;
    bool repeated = false;
    s->apps[i].functional++;
    s->images[i] = l->image;
    double start = seconds_now();
    enum functional_end end = s->apps[i].memo && !s->apps[i].launches_on_gpu
                            ? memo_run(s->apps[i].memo, &setup, &f, &repeated)
                            : functional_run(&setup, &f);
    s->apps[i].repeated += repeated;
    s->functional_seconds += seconds_now() - start;
    s->functional_warp += f.warp_instructions;
    functional_time(s, i, f.ns);
    switch (end) {
    case FUNCTIONAL_DONE:
        app_next_functional(s->running[i], !is_timed(s, s->apps[i].started + 1));
        app_launch_done(s->running[i], l);
        return STEP_ON;
    case FUNCTIONAL_INTERRUPTED: s->status = SIM_INTERRUPTED; return STEP_OVER;
    default: fault_of_launch(s, &f.trouble); return STEP_OVER;
    }
}

static enum sim_step start_launches(struct sim *s, u32 i)
{
    for (const struct launch *l;
         board_has_room(s->machine, i) && (l = app_next_launch(s->running[i]));) {
        if (is_timed(s, ++s->apps[i].started)) {
            struct launch counted = *l;
            image_changes_all(l->image);
            account_launch(s, l);
            if (unlikely(s->lines != NULL)) counted.counts = lines_launch(s->lines, l);
            board_launch(s->machine, &counted);
            continue;
        }
        enum sim_step step = run_functionally(s, i, l);
        if (step != STEP_ON) return step;
    }
    return STEP_ON;
}

static bool is_interrupted(struct sim *s)
{
    bool is = s->setup->interrupted && s->setup->interrupted();
    if (is) s->status = SIM_INTERRUPTED;
    return is;
}

/* Ends the request that app i has executed, and fixes the app's results after the last. */
static void completed(struct sim *s, u32 i)
{
    struct requests *r = s->apps[i].requests;
    if (by_execution(s, i) && app_completions(s->running[i]) > r->ended_n) {
        requests_end(r, board_now(s->machine));
        urgency_set(s, i);
    }
    if (s->setup->until != UNTIL_WINDOW && (!r || requests_done(r))) account_completion(s, i);
}

/* Answers requests that are ranges. Returns false if none is answered. */
static bool answered(struct sim *s, u32 i)
{
    if (!ranges_answer(s, i)) return false;
    if (s->setup->until != UNTIL_WINDOW && requests_done(s->apps[i].requests))
        account_completion(s, i);
    return true;
}

/* Runs app i's host program as far as possible within the current cycle. */
static enum sim_step drive_app(struct sim *s, u32 i, struct fail *fail)
{
    struct app *a = s->running[i];
    do {
        app_next_functional(a, !is_timed(s, s->apps[i].started + 1));
        app_poll(a);
        if (app_state(a) == APP_FAILED) return app_trouble(s, a, fail);
        enum sim_step step = start_launches(s, i);
        if (step != STEP_ON) return step;
        if (app_state(a) == APP_READY && is_interrupted(s)) return STEP_OVER;
    } while (answered(s, i) || app_state(a) == APP_READY); /* functional launches have ended */
    board_app_goes_on(s->machine, i, app_goes_on(s, i));
    if (app_state(a) == APP_COMPLETED && s->setup->dump && !s->dumped[i]) {
        s->dumped[i] = true;
        write_dumps(s, i);
    }
    if (app_state(a) == APP_COMPLETED) completed(s, i);
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

/* Begins the next request of the app. Returns false if none has arrived. */
static bool next_request(struct sim *s, u32 i)
{
    struct requests *r = s->apps[i].requests;
    requests_arrive(r, board_now(s->machine));
    bool begins = requests_begin(r, board_now(s->machine));
    if (begins) urgency_set(s, i);
    return begins;
}

/* Restarts completed apps. Returns false if no app was restarted. */
static bool restart_apps(struct sim *s)
{
    bool some = false;
    for (u32 i = 0; i < s->app_n; i++) {
        struct app *a = s->running[i];
        if (!s->apps[i].begun || s->apps[i].lost) continue;
        if (!is_between(s, i) || !app_starts_again(s, i)) continue;
        if (by_execution(s, i) && !next_request(s, i)) continue;
        s->timed_before[i] = timed_launches(s, i);
        s->apps[i].started = 0;
        app_restart(a);
        some = true;
    }
    return some;
}

/* Returns the cycle at which app i starts, or continues without an event from the GPU; NEVER:
 * none. */
static u64 app_next_wake(const struct sim *s, u32 i)
{
    const struct sim_app *app = &s->apps[i];
    if (app->lost) return NEVER;
    if (!app->begun) return app->start;
    if (by_execution(s, i) && is_between(s, i)) return requests_next(app->requests);
    return app_wake(s->running[i]);
}

static u64 next_wake(const struct sim *s)
{
    u64 next = NEVER;
    for (u32 i = 0; i < s->app_n; i++) next = min_u64(next, app_next_wake(s, i));
    return next;
}

static void start_apps(struct sim *s)
{
    for (u32 i = 0; i < s->app_n; i++) {
        struct sim_app *app = &s->apps[i];
        if (app->begun || app->lost || app->start > board_now(s->machine)) continue;
        app->begun = true;
        urgency_set(s, i);
        if (!by_execution(s, i) || next_request(s, i)) app_start(s->running[i]);
    }
}

/* Performs all host-side work between two cycles. */
static enum sim_step drive_apps(struct sim *s, bool last, struct fail *fail)
{
    if (!last) start_apps(s);
    do {
        for (u32 i = 0; i < s->app_n; i++) {
            bool runs = s->apps[i].begun && !s->apps[i].lost;
            enum sim_step step = runs ? drive_app(s, i, fail) : STEP_ON;
            if (step != STEP_ON) return step;
        }
        if (all_taken(s)) return STEP_OVER;
    } while (!last && restart_apps(s));
    return STEP_ON;
}

u64 sim_newcomer_waits(const struct sim *s, u32 app_id)
{
    return s->machine ? board_newcomer_waits(s->machine, app_id) : 0;
}

static void take_goals(struct sim *s)
{
    for (u32 i = 0; i < s->app_n; i++) {
        struct gpu_stat now;
        board_stat(s->machine, i, &now);
        if (stat_kept_thread(&now) >= s->setup->instructions) account_completion(s, i);
    }
}

/* The app with the smallest fraction done determines the result. */
double sim_done(const struct sim *s)
{
    const struct sim_setup *setup = s->setup;
    double limit = setup->cycles ? (double)s->cycles / (double)setup->cycles : 0, least = 1;
    if (setup->until == UNTIL_WINDOW) return limit;
    for (u32 i = 0; i < s->app_n; i++) {
        const struct requests *r = s->apps[i].requests;
        if (r) {
            least = fmin(least, (double)r->ended_n / (double)r->total);
            continue;
        }
        if (s->apps[i].completions) continue;
        double issued = (double)board_issued_by(s->machine, i);
        least = fmin(least, setup->work[i] ? issued / (double)setup->work[i] : 0);
    }
    return fmax(limit, least);
}

/* Gives up the apps of the instance in trouble. Returns false if the run has no other apps, and is
 * over. Model: a fault in an instance ends no other instance (NVIDIA, MIG user guide: fault
 * isolation). */
static bool instance_give_up(struct sim *s, enum gpu_stop stop)
{
    bool others = false;
    if (s->status == SIM_COMPLETED) fault_of_gpu(s, stop);
    for (u32 i = 0; i < s->app_n; i++) others |= !board_lost(s->machine, i);
    if (!others || stop == GPU_POLICY) return false;
    for (u32 i = 0; i < s->app_n; i++) {
        if (!board_lost(s->machine, i) || s->apps[i].lost) continue;
        account_completion(s, i);
        s->apps[i].lost = true;
    }
    return true;
}

static void ends_take(struct sim *s)
{
    for (const struct gpu_end *e; (e = board_ended(s->machine));) {
        if (unlikely(e->early)) {
            app_launch_early(s->running[e->launch.app_id], &e->launch);
            continue;
        }
        account_launch_end(s, e);
        app_launch_done(s->running[e->launch.app_id], &e->launch);
    }
}

static void tell(struct sim_watch *w, const struct sim *s)
{
    const struct sim *none = NULL;
    if (w->of == s || atomic_compare_exchange_strong(&w->of, &none, s)) w->tell(w, s);
}

/* Chooses the number of cycles until the next poll: doubles the number, or reduces the number to
 * fit in LOOK_SECONDS. No result depends on the number. */
static void pace(struct sim *s, u64 cycles, double seconds)
{
    if (seconds > LOOK_SECONDS)
        s->look_cycles = max_u64((u64)((double)cycles * LOOK_SECONDS / seconds), 1);
    else if (cycles >= s->look_cycles)
        s->look_cycles = min_u64(2 * s->look_cycles, LOOK_CYCLES_MAX);
}

/* The curves of all apps have their points at the same cycles. */
static u64 curves_next(const struct sim *s)
{
    return s->apps[0].curve ? work_curve_next(s->apps[0].curve) : NEVER;
}

static enum sim_step advance(struct sim *s, u64 limit)
{
    u64 before = board_now(s->machine), event = min_u64(limit, intervals_next(&s->intervals));
    event = min_u64(event, min_u64(next_wake(s), curves_next(s)));
    event = min_u64(event, s->sampling.at);
    u64 half = undecided_at(s);
    if (before < half) event = min_u64(event, half);
    double start = seconds_now();
    enum gpu_stop stop = board_advance(s->machine, min_u64(event, before + s->look_cycles));
    pace(s, board_now(s->machine) - before, seconds_now() - start);
    bool wakes = next_wake(s) != NEVER; /* account_interval takes arrivals, which wake an app */
    if (stop == GPU_IDLE && wakes) board_idle(s->machine, event);
    if (board_now(s->machine) == s->sampling.at) account_sample(s);
    if (board_now(s->machine) == curves_next(s)) account_curves(s);
    if (board_now(s->machine) == intervals_next(&s->intervals)) {
        if (s->setup->live) sim_look(s);
        account_interval(s);
    }
    if (before < half && board_now(s->machine) >= half) undecided_warn(s);
    if (s->setup->watch) {
        s->cycles = board_now(s->machine);
        for (u32 i = 0; i < s->app_n; i++) {
            s->apps[i].completions = app_completions(s->running[i]);
        }
        tell(s->setup->watch, s);
    }
    switch (stop) {
    case GPU_FAULT:
    case GPU_DEADLOCK:
    case GPU_STARVED:
    case GPU_POLICY:
        if (!instance_give_up(s, stop)) return STEP_OVER;
        ends_take(s);
        return STEP_ON;
    case GPU_GOAL:
        take_goals(s);
        return STEP_ON;
    case GPU_WINDOW:
    case GPU_INTERRUPTED:
        return STEP_ON;
    case GPU_ENDED:
    case GPU_LIMIT:
        ends_take(s);
        return STEP_ON;
    case GPU_IDLE:
        if (wakes) return STEP_ON;
        break;
    }
    return STEP_OVER; /* no app will launch again */
}

bool sim_continue(struct sim *s, struct fail *fail)
{
    u64 limit = s->setup->cycles ? s->setup->cycles : NEVER;
    const struct sim_pause *pause = s->setup->pause;
    s->look_cycles = LOOK_CYCLES_FIRST;
    for (;;) {
        bool last = board_now(s->machine) >= limit;
        if (!last && is_interrupted(s)) return true;
        enum sim_step step = drive_apps(s, last, fail);
        if (step == STEP_ON && last) {
            if (s->setup->until != UNTIL_WINDOW && s->status == SIM_COMPLETED)
                s->status = SIM_CYCLE_LIMIT;
            return true;
        }
        if (step == STEP_ON && pause && board_issued(s->machine) >= pause->at)
            step = pause->reached(pause->of, s, fail);
        if (step == STEP_ON) step = advance(s, limit);
        if (step != STEP_ON) return step == STEP_OVER;
    }
}
