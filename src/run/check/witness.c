#include "run/check/witness.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SAID_MAX = 3 };

/* ---- launches ---- */

/* Returns the launch in the view's instance; the launch orders of instances are independent. */
static struct witness_launch *launch_find(struct witness *w, const struct corun_view *v, u64 order)
{
    for (u32 i = 0; i < w->launch_n; i++)
        if (w->launches[i].order == order && w->launches[i].core == v->core) return &w->launches[i];
    return NULL;
}

static void launch_add(struct witness *w, const struct corun_view *v, const struct corun_kernel *k,
                       u32 app_id)
{
    struct witness_launch *l = base_push(w->launches, w->launch_n, w->room);
    *l = (struct witness_launch){.order = k->launch_order, .grid_blocks = k->grid_blocks,
                                 .app_id = app_id, .core = v->core, .kernel = k->name};
    l->ends = base_alloc(k->grid_blocks);
    for (u32 i = 0; i + 1 < w->launch_n; i++) {
        struct witness_launch *other = &w->launches[i];
        if (other->app_id == l->app_id && !strcmp(other->kernel, l->kernel))
            other->shared_name = l->shared_name = true;
    }
}

static void launch_drop(struct witness *w, struct witness_launch *l)
{
    free(l->ends);
    *l = w->launches[--w->launch_n];
}

/* ---- laws ---- */

static void lost(struct witness *w, const struct corun_view *v, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void lost(struct witness *w, const struct corun_view *v, const char *format, ...)
{
    if (w->lost_n++ >= SAID_MAX) return;
    text_add(&w->lost, "cycle %" PRIu64 ": ", v->now);
    va_list a;
    va_start(a, format);
    text_addv(&w->lost, format, a);
    va_end(a);
    text_add(&w->lost, "; ");
}

static void sm_fits_all(struct witness *w, const struct corun_view *v, u32 sm)
{
    u64 used[4] = {0};
    for (u32 k = 0; k < v->kernel_n; k++) {
        u64 n = corun_seated(v, sm, k);
        const struct corun_resources *b = &v->kernels[k].block;
        used[0] += n * b->threads;
        used[1] += n * b->registers;
        used[2] += n * b->shared_bytes;
        used[3] += n * b->blocks;
    }
    const u64 has[] = {v->sm.threads, v->sm.registers, v->carveout[sm], v->sm.blocks};
    static const char *const names[] = {"threads", "registers", "shared bytes", "block slots"};
    for (u32 r = 0; r < COUNT_OF(has); r++) {
        if (used[r] <= has[r] || w->over_n++ >= SAID_MAX) continue;
        text_add(&w->over, "cycle %" PRIu64 ", SM %u: %" PRIu64 " %s are taken, it has %" PRIu64
                 "; ", v->now, sm, used[r], names[r], has[r]);
    }
}

static void note_answers(struct witness *w, const struct corun_view *v)
{
    for (u32 k = 0; k < v->kernel_n; k++) {
        const struct corun_kernel *kernel = &v->kernels[k];
        w->let_in[kernel->app_id] |= kernel->admitted;
        for (u32 s = 0; s < v->sm_n && kernel->admitted; s++)
            w->given[kernel->app_id] |= v->target[s * v->kernel_n + k] > 0;
    }
}

/* Checks that launched = pending + resident + ended blocks, unless pending reads 0, and that the
 * view's running blocks are the resident blocks. */
static void kernel_adds_up(struct witness *w, const struct corun_view *v, u32 k)
{
    const struct corun_kernel *kernel = &v->kernels[k];
    const struct witness_launch *l = launch_find(w, v, kernel->launch_order);
    if (!l) return; /* launched in the current cycle: the event comes in the next cycle */
    u64 resident = 0, sum = kernel->pending_blocks + kernel->running_blocks + l->ended;
    for (u32 s = 0; s < v->sm_n; s++) resident += v->resident[s * v->kernel_n + k];
    if (resident != kernel->running_blocks)
        lost(w, v, "kernel %s: %" PRIu64 " blocks on the SMs, %" PRIu64 " said to be running",
             kernel->name, resident, kernel->running_blocks);
    if (sum != kernel->grid_blocks && !kernel->held_off)
        lost(w, v, "kernel %s: %" PRIu64 " blocks of a grid of %" PRIu64, kernel->name, sum,
             kernel->grid_blocks);
}

static void launch_ends(struct witness *w, const struct corun_view *v, struct witness_launch *l)
{
    if (l->ended != l->grid_blocks)
        lost(w, v, "kernel %s ended with %" PRIu64 " of %" PRIu64 " blocks", l->kernel, l->ended,
             l->grid_blocks);
    for (u64 b = 0; b < l->grid_blocks && !l->shared_name; b++)
        if (l->ends[b] != 1)
            lost(w, v, "block %" PRIu64 " of kernel %s completed %u times", b, l->kernel,
                 l->ends[b]);
    launch_drop(w, l);
}

/* ---- hooks and sink ---- */

static void note_block(struct gpu_sink *sink, u32 app_id, const char *kernel, u32 sm_id, u32 slot,
                       u64 block_id, u64 start, u64 end)
{
    struct witness *w =
        (struct witness *)(void *)((char *)sink - offsetof(struct witness, sink));
    (void)sm_id, (void)slot, (void)start, (void)end;
    for (u32 i = 0; i < w->launch_n; i++) {
        struct witness_launch *l = &w->launches[i];
        if (l->app_id == app_id && !strcmp(l->kernel, kernel) && block_id < l->grid_blocks &&
            l->ends[block_id] < UINT8_MAX)
            l->ends[block_id]++;
    }
}

struct witness_state {     /* of the mechanism, in each instance */
    struct witness *witness;
    u32 app[APPS_MAX];     /* [app of the view] app of the run */
};

static const char *witness_begin(void *state, const struct corun_setup *setup,
                                 const struct corun_value *values, uint64_t *stats)
{
    struct witness *w = (struct witness *)(void *)stats;
    (void)values;
    struct witness_state *own = state;
    own->witness = w;
    memcpy(own->app, setup->app_in_run, sizeof own->app);
    if (setup->instance) { /* shares and decisions of several instances would mix */
        w->looks = false;
        w->states_cycles = NULL;
    }
    if (w->looks) shares_init(&w->shares, setup, w->shares.any_number);
    return NULL;
}

/* ---- check of final targets ---- */

enum { LOOK_CYCLES = 100 }; /* interval between two checks */

/* Returns the maximum of decides_cycles over all mechanisms; NEVER if a mechanism with a timer does
 * not state a number. */
static u64 cycles_stated(struct witness *w, const struct corun_view *v)
{
    u64 most = 0;
    struct hook_call before = *w->hook_call;
    for (u32 m = 0; m < w->states_cycles->n; m++) {
        const struct mechanism *one = &w->states_cycles->at[m];
        if (!one->policy->timer) continue; /* no measurements: decides at the start */
        hook_call_begin(w->hook_call, "decides_cycles", m, v->now);
        u64 cycles = one->policy->decides_cycles ? one->policy->decides_cycles(one->values, v)
                                                 : NEVER;
        most = max_u64(most, cycles);
    }
    w->hook_call->hook = before.hook;
    w->hook_call->mechanism = before.mechanism;
    return most;
}

static u64 targets_of(const struct corun_view *v)
{
    u64 hash = 0; /* FNV-1a over words */
    for (u32 i = 0; i < v->sm_n * v->kernel_n; i++) hash = (hash ^ v->target[i]) * 0x100000001b3;
    return hash;
}

/* True if the set of running kernels has changed since the last check. */
static bool set_is_new(struct witness *w, const struct corun_view *v)
{
    u32 running[APPS_MAX], n = corun_running(v, running);
    bool is_new = n != w->set_n;
    w->set_n = n;
    for (u32 i = 0; i < n; i++) {
        u32 id = v->kernels[running[i]].kernel_id;
        is_new |= id != w->set[i];
        w->set[i] = id;
    }
    return is_new;
}

/* Checks whether targets change after the stated number of settled cycles. Allows 10 % and two
 * intervals more, because checks happen every LOOK_CYCLES only. */
static void look(struct witness *w, const struct corun_view *v)
{
    u64 targets = targets_of(v);
    bool settled = true, changed = targets != w->targets;
    w->targets = targets;
    if (set_is_new(w, v)) {
        w->settled = 0;
        w->stated = cycles_stated(w, v);
    }
    for (u32 s = 0; s < v->sm_n; s++) settled &= v->settled[s];
    for (u32 k = 0; k < v->kernel_n; k++)
        if (!v->kernels[k].pending_blocks) return; /* the kernel's share may go to others */
    u64 most = w->stated == NEVER ? NEVER : w->stated + w->stated / 10 + 2 * LOOK_CYCLES;
    if (w->settled > most && changed)
        text_add(&w->late, "cycle %" PRIu64 ": targets change %" PRIu64 " cycles after the kernels "
                 "began, %" PRIu64 " were stated; ", v->now, w->settled, w->stated);
    w->final |= w->settled > most;
    if (settled) w->settled += LOOK_CYCLES;
}

static uint64_t witness_timer(const void *state)
{
    const struct witness *w = ((const struct witness_state *)state)->witness;
    return w->states_cycles || w->looks ? w->next : CORUN_NEVER;
}

static void witness_watch(void *state, const struct corun_view *v, const struct corun_event *e)
{
    const struct witness_state *own = state;
    struct witness *w = own->witness;
    if (e->kind == CORUN_TIMER) {
        w->next = v->now + LOOK_CYCLES;
        if (w->states_cycles) look(w, v);
        if (w->looks) shares_look(&w->shares, v);
        return;
    }
    struct witness_launch *l = launch_find(w, v, v->kernels[e->kernel].launch_order);
    const struct corun_kernel *k = &v->kernels[e->kernel];
    w->started += e->kind == CORUN_BLOCK_START;
    note_answers(w, v);
    if (e->kind == CORUN_LAUNCH) launch_add(w, v, k, own->app[k->app_id]);
    if (e->kind == CORUN_BLOCK_END && l) l->ended++;
    if (e->kind == CORUN_KERNEL_END && l) {
        launch_ends(w, v, l);
        return;
    }
    if (e->kind != CORUN_LAUNCH) sm_fits_all(w, v, e->sm);
    for (u32 i = 0; i < v->kernel_n; i++) kernel_adds_up(w, v, i);
}

static const struct corun_policy witness_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "witness",
    .sentence = "Makes no decision; checks the properties of the suite.",
    .state_bytes = sizeof(struct witness_state),
    .init = witness_begin,
    .watch = witness_watch,
    .events = 1u << CORUN_LAUNCH | 1u << CORUN_BLOCK_START | 1u << CORUN_BLOCK_END |
              1u << CORUN_KERNEL_END | 1u << CORUN_TIMER,
    .timer = witness_timer,
};

void witness_init(struct witness *w)
{
    *w = (struct witness){.sink = {.block = note_block}};
    w->mechanism = (struct gpu_mechanism){.policy = &witness_policy, .stats = w->link};
}

void witness_free(struct witness *w)
{
    while (w->launch_n) launch_drop(w, w->launches);
    free(w->launches);
    shares_free(&w->shares);
    text_free(&w->late);
    text_free(&w->over);
    text_free(&w->lost);
}
