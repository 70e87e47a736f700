#include "gpu/board/board.h"
#include "gpu/board/inside.h"
#include "gpu/dispatch/ask.h"

#include <string.h>

/* ---- instances ---- */

/* Makes the machine of an instance. Model: an instance with at most half of the partitions lies in
 * one half of L2; SMs of a larger instance are in the halves in proportion (guess). */
static void machine_of(const struct machine *whole, const struct corun_instance *of,
                       struct machine *out)
{
    u32 sms = whole->sm.count, channels = whole->map.channels;
    *out = *whole;
    out->sm.count = of->sms;
    out->map.channels = of->partitions;
    out->sm.first_half = (whole->sm.first_half * of->sms + sms) / (2 * sms) * 2;
    if (2 * of->partitions <= channels) out->map.halves = 1;
    if (of->l2_ways) out->l2.ways = min_u32(of->l2_ways, whole->l2.ways);
    out->host.memory_bytes = whole->host.memory_bytes / channels * of->partitions;
    out->mps.chunks = 0;
    out->mig = (struct mig_conf){0};
}

static u32 divider_of(const struct gpu_setup *setup)
{
    u32 m = 0;
    while (m < setup->policy_n && !setup->policies[m].policy->instances) m++;
    return m;
}

/* Returns what is wrong with the division; NULL: nothing. `facts`: a policy uses isolated runs. */
static const char *division_wrong(const struct corun_setup *s,
                                  const struct corun_instance at[APPS_MAX], const u32 *of_app,
                                  bool facts)
{
    u64 sms = 0, partitions = 0;
    for (u32 k = 0; k < APPS_MAX; k++) {
        sms += at[k].sms;
        partitions += at[k].sms ? at[k].partitions : 0;
        if (at[k].sms && !at[k].partitions) return "an instance has SMs and no memory partition";
    }
    if (facts) return "policies in instances cannot use isolated runs, which have the whole GPU";
    if (sms > s->sm_n) return "the instances have more SMs than the GPU";
    if (partitions > s->partition_n) return "the instances have more memory than the GPU";
    for (u32 a = 0; a < s->app_n; a++)
        if (of_app[a] >= APPS_MAX || !at[of_app[a]].sms) return "an app has no instance";
    return NULL;
}

/* Asks policy m for the instances. Returns false with an error in `fail`. */
static bool division_ask(struct board *b, u32 m, struct corun_instance at[APPS_MAX], u32 *of_app,
                         struct fail *fail)
{
    const struct gpu_mechanism *by = &b->setup.policies[m];
    struct corun_setup s;
    struct guarded_bytes state = guard_alloc(&b->arena, by->policy->state_bytes);
    struct hook_call own = {0}, *call = b->setup.hook_call ? b->setup.hook_call : &own;
    ask_setup(&b->setup, &s);
    hook_call_begin(call, "init", m, 0);
    const char *why = by->policy->init ? by->policy->init(state.at, &s, by->values, by->stats)
                                       : NULL;
    hook_call_end(call);
    for (u32 a = 0; a < APPS_MAX; a++) of_app[a] = a;
    if (!why) {
        hook_call_begin(call, "instances", m, 0);
        by->policy->instances(state.at, &s, at, of_app);
        hook_call_end(call);
        why = guard_holds(state) ? division_wrong(&s, at, of_app, b->setup.fact_n > 0)
                                 : "`instances` wrote beyond the policy's state";
    }
    if (why) ask_refuse(by, fail, why);
    return !why;
}

/* ---- parts ---- */

/* Makes the mechanisms of a part, with counters of their own. Mechanisms inside instances take the
 * place of the other hooks of the policy that divides the GPU. */
static struct gpu_mechanism *mechanisms_of(struct board *b, u32 divider)
{
    const struct gpu_setup *setup = &b->setup;
    struct gpu_mechanism *to = arena_array(&b->arena, struct gpu_mechanism, setup->policy_n + 1);
    bool inside = false;
    for (u32 m = 0; m < setup->policy_n; m++) {
        const struct corun_policy_stat *row = setup->policies[m].policy->stats;
        u32 n = 0;
        while (row && row[n].name) n++;
        to[m] = setup->policies[m];
        inside |= to[m].owner == divider + 1;
        if (to[m].fence.at) {
            to[m].fence = guard_alloc(&b->arena, n * sizeof(u64));
            to[m].stats = (u64 *)(void *)to[m].fence.at;
        } else if (n) {
            to[m].stats = arena_array(&b->arena, u64, n);
        }
    }
    if (!inside) return to;
    struct corun_policy *only = arena_array(&b->arena, struct corun_policy, 1);
    const struct corun_policy *whole = to[divider].policy;
    *only = (struct corun_policy){.abi = whole->abi, .size_bytes = whole->size_bytes,
                                  .name = whole->name, .sentence = whole->sentence,
                                  .options = whole->options, .stats = whole->stats,
                                  .state_bytes = whole->state_bytes, .init = whole->init};
    to[divider].policy = only;
    return to;
}

static bool part_build(struct board *b, u32 part, u32 divider, struct fail *fail)
{
    struct board_part *p = &b->part[part];
    struct gpu_setup own = b->setup;
    p->mechanisms = mechanisms_of(b, divider);
    own.policies = p->mechanisms;
    own.machine = &p->machine;
    own.app_n = p->app_n;
    own.instance = true;
    own.threads = (struct gpu_threads){.n = 1};
    for (u32 a = 0; a < p->app_n; a++) own.app_in_run[a] = p->app[a];
    for (u32 a = 0; a < p->app_n; a++) own.mps_percent[a] = b->setup.mps_percent[p->app[a]];
    p->gpu = inside_make(&b->arena, &own, fail) ? gpu_new(&own, fail) : NULL;
    if (p->gpu) p->machine = *gpu_machine(p->gpu);
    return p->gpu != NULL;
}

/* Makes a part for each instance with apps. */
static bool divide(struct board *b, u32 divider, struct fail *fail)
{
    struct corun_instance at[APPS_MAX] = {0};
    u32 of_app[APPS_MAX], first_sm = 0;
    if (!division_ask(b, divider, at, of_app, fail)) return false;
    b->divided = true;
    for (u32 i = 0; i < APPS_MAX; first_sm += at[i].sms, i++) {
        struct board_part *p = &b->part[b->part_n];
        for (u32 a = 0; a < b->app_n; a++) {
            if (of_app[a] != i) continue;
            b->part_of[a] = (u8)b->part_n;
            b->local[a] = (u8)p->app_n;
            p->app[p->app_n++] = (u8)a;
        }
        if (!p->app_n) continue;
        p->first_sm = first_sm;
        machine_of(b->setup.machine, &at[i], &p->machine);
        b->part_n++;
    }
    for (u32 k = 0; k < b->part_n; k++)
        if (!part_build(b, k, divider, fail)) return false;
    b->machine = *b->setup.machine;
    b->machine.sm.allocator_parts = b->part[0].machine.sm.allocator_parts;
    return true;
}

static bool keep_whole(struct board *b, struct fail *fail)
{
    struct board_part *p = &b->part[0];
    struct gpu_setup own = b->setup;
    p->app_n = b->app_n;
    for (u32 a = 0; a < b->app_n; a++) p->app[a] = b->local[a] = (u8)a;
    b->part_n = 1;
    p->gpu = inside_make(&b->arena, &own, fail) ? gpu_new(&own, fail) : NULL;
    if (!p->gpu) return false;
    b->machine = p->machine = *gpu_machine(p->gpu);
    return true;
}

struct board *board_new(const struct gpu_setup *setup, struct fail *fail)
{
    struct arena arena;
    arena_init(&arena);
    struct board *b = arena_array(&arena, struct board, 1);
    b->arena = arena;
    b->setup = *setup;
    b->app_n = setup->app_n;
    u32 divider = divider_of(setup);
    bool good = divider < setup->policy_n
                    ? machine_check(setup->machine, NULL, fail) && divide(b, divider, fail)
                    : keep_whole(b, fail);
    if (good) return b;
    board_free(b);
    return NULL;
}

void board_free(struct board *b)
{
    for (u32 k = 0; k < b->part_n; k++)
        if (b->part[k].gpu) gpu_free(b->part[k].gpu);
    text_free(&b->text);
    struct arena arena = b->arena; /* b itself is allocated in the arena */
    arena_free(&arena);
}

const struct machine *board_machine(const struct board *b) { return &b->machine; }

static struct board_part *part_of(struct board *b, u32 app_id)
{
    return &b->part[b->part_of[app_id]];
}

const struct machine *board_machine_of(const struct board *b, u32 app_id)
{
    return &b->part[b->part_of[app_id]].machine;
}

u32 board_part_of(const struct board *b, u32 app_id) { return b->part_of[app_id]; }

/* ---- launches ---- */

bool board_has_room(const struct board *b, u32 app_id)
{
    return gpu_has_room(b->part[b->part_of[app_id]].gpu);
}

void board_launch(struct board *b, const struct launch *l)
{
    struct board_part *p = part_of(b, l->app_id);
    struct launch own = *l;
    if (b->divided) {
        own.app_id = b->local[l->app_id];
        p->idle = false;
    }
    gpu_launch(p->gpu, &own);
}

const struct gpu_end *board_ended(struct board *b)
{
    for (u32 k = 0; k < b->part_n; k++) {
        const struct gpu_end *e = gpu_ended(b->part[k].gpu);
        if (!e) continue;
        b->end = *e;
        b->end.launch.app_id = b->part[k].app[e->launch.app_id];
        return &b->end;
    }
    return NULL;
}

const struct timer *board_timer(const struct board *b, u32 app_id)
{
    return gpu_timer(b->part[b->part_of[app_id]].gpu, b->local[app_id]);
}

void board_pass(struct board *b, u32 app_id, u64 ns)
{
    gpu_pass(part_of(b, app_id)->gpu, b->local[app_id], ns);
}

void board_set_goal(struct board *b, u32 app_id, u64 thread_instructions)
{
    gpu_set_goal(part_of(b, app_id)->gpu, b->local[app_id], thread_instructions);
}

void board_app_goes_on(struct board *b, u32 app_id, bool goes_on)
{
    gpu_app_goes_on(part_of(b, app_id)->gpu, b->local[app_id], goes_on);
}

void board_app_urgency(struct board *b, u32 app_id, s32 priority, u64 deadline)
{
    gpu_app_urgency(part_of(b, app_id)->gpu, b->local[app_id], priority, deadline);
}

/* ---- time ---- */

/* Moves the part to `cycle`; nothing is due before. */
static void part_reach(struct board_part *p, u64 cycle)
{
    if (p->lost || gpu_now(p->gpu) >= cycle) return;
    if (p->idle) gpu_idle(p->gpu, cycle);
    else gpu_advance(p->gpu, cycle);
}

/* Returns the next cycle in which something is due in a part; NEVER: all parts are idle. */
static u64 due_next(const struct board *b)
{
    u64 due = NEVER;
    for (u32 k = 0; k < b->part_n; k++) {
        const struct board_part *p = &b->part[k];
        if (!p->idle && !p->lost) due = min_u64(due, gpu_due(p->gpu));
    }
    return due;
}

static bool is_trouble(enum gpu_stop stop)
{
    return stop == GPU_FAULT || stop == GPU_DEADLOCK || stop == GPU_STARVED || stop == GPU_POLICY;
}

/* Handles cycle `now` in all parts. Returns the first reason to stop, trouble before others;
 * GPU_LIMIT: none. */
static enum gpu_stop parts_step(struct board *b, u64 now)
{
    enum gpu_stop stop = GPU_LIMIT;
    for (u32 k = 0; k < b->part_n; k++) {
        struct board_part *p = &b->part[k];
        if (p->lost) continue;
        enum gpu_stop one = p->idle ? GPU_IDLE : gpu_advance(p->gpu, now + 1);
        if (one == GPU_IDLE) {
            p->idle = true;
            gpu_idle(p->gpu, max_u64(gpu_now(p->gpu), now + 1));
            continue;
        }
        if (is_trouble(one)) p->lost = true;
        if (is_trouble(one) && !is_trouble(stop)) {
            b->trouble_of = k;
            stop = one;
        } else if (stop == GPU_LIMIT) {
            stop = one;
        }
    }
    b->now = now + 1;
    return stop;
}

static enum gpu_stop parts_advance(struct board *b, u64 limit)
{
    for (;;) {
        u64 due = due_next(b);
        if (due == NEVER) return GPU_IDLE;
        if (due >= limit) {
            for (u32 k = 0; k < b->part_n; k++) part_reach(&b->part[k], limit);
            b->now = limit;
            return GPU_LIMIT;
        }
        enum gpu_stop stop = parts_step(b, due);
        if (stop != GPU_LIMIT) return stop;
        if (b->window && board_issued(b) >= b->window) return GPU_WINDOW;
    }
}

enum gpu_stop board_advance(struct board *b, u64 limit)
{
    struct board_part *p = &b->part[0];
    if (b->part_n > 1) {
        enum gpu_stop stop = parts_advance(b, limit);
        board_count_policies(b);
        return stop;
    }
    enum gpu_stop stop = gpu_advance(p->gpu, limit);
    p->lost |= is_trouble(stop);
    b->now = gpu_now(p->gpu);
    if (b->divided) board_count_policies(b);
    return stop;
}

void board_idle(struct board *b, u64 cycle)
{
    for (u32 k = 0; k < b->part_n; k++)
        if (!b->part[k].lost) gpu_idle(b->part[k].gpu, cycle);
    b->now = cycle;
}

/* ---- settings ---- */

void board_set_window(struct board *b, u64 warp_instructions)
{
    b->window = warp_instructions;
    if (b->part_n == 1) gpu_set_window(b->part[0].gpu, warp_instructions);
}

void board_ask(struct board *b)
{
    for (u32 k = 0; k < b->part_n; k++) gpu_ask(b->part[k].gpu);
}

void board_threads_end(struct board *b)
{
    for (u32 k = 0; k < b->part_n; k++) gpu_threads_end(b->part[k].gpu);
}

void board_use_one_thread(struct board *b)
{
    for (u32 k = 0; k < b->part_n; k++) gpu_use_one_thread(b->part[k].gpu);
}

void board_set_log(struct board *b, struct log_sink *log)
{
    for (u32 k = 0; k < b->part_n; k++) gpu_set_log(b->part[k].gpu, log);
}

/* ---- trouble ---- */

const struct gpu_trouble *board_trouble(struct board *b)
{
    const struct board_part *p = &b->part[b->trouble_of];
    b->trouble = *gpu_trouble(p->gpu);
    if (b->trouble.app_id < p->app_n) b->trouble.app_id = p->app[b->trouble.app_id];
    b->trouble.sm_id += p->first_sm;
    return &b->trouble;
}

bool board_lost(const struct board *b, u32 app_id) { return b->part[b->part_of[app_id]].lost; }
