#include "gpu/place.h"

#include <stdlib.h>
#include <string.h>

/* ---- resources: the one ruler ---- */

/* Model: threads in whole warps, registers per thread in units (GPGPU-Sim rounds to 4). */
void place_resources(const struct machine *m, const struct launch *l, struct corun_resources *need)
{
    u64 threads = (u64)l->block[0] * l->block[1] * l->block[2];
    threads = round_up(threads, LANES);
    u64 registers = threads * round_up(max_u32(l->registers, 1), m->sm.register_unit);
    need->threads = (u32)threads;
    need->registers = (u32)min_u64(registers, UINT32_MAX / 2);
    need->shared_bytes = l->program->shared_bytes + l->dynamic_shared_bytes;
    need->blocks = 1;
}

u32 place_full_blocks(const struct machine *m, const struct corun_resources *need,
                      const char **limiter)
{
    struct {
        const char *name;
        u32 room, want;
    } r[] = {
        {"threads", m->sm.threads, need->threads},
        {"registers", m->sm.registers, need->registers},
        {"shared", m->sm.shared_bytes, need->shared_bytes},
        {"blocks", m->sm.blocks, need->blocks},
    };
    u32 n = UINT32_MAX;
    for (u32 k = 0; k < COUNT_OF(r); k++) {
        if (!r[k].want || r[k].room / r[k].want >= n) continue;
        n = r[k].room / r[k].want;
        if (limiter) *limiter = r[k].name;
    }
    return n;
}

void gpu_occupancy(const struct machine *m, const struct launch *l, struct gpu_occupancy *out)
{
    struct corun_resources need;
    place_resources(m, l, &need);
    *out = (struct gpu_occupancy){.need = need,
                                  .registers = l->registers,
                                  .shared_bytes = need.shared_bytes,
                                  .limiter = "threads",
                                  .block_threads = l->block[0] * l->block[1] * l->block[2]};
    out->blocks_per_sm = place_full_blocks(m, &need, &out->limiter);
}

const char *gpu_refuses(const struct machine *m, const struct launch *l, struct text *why)
{
    struct gpu_occupancy o;
    const struct sm_conf *s = &m->sm;
    u64 threads = (u64)l->block[0] * l->block[1] * l->block[2];
    u64 shared = (u64)l->program->shared_bytes + l->dynamic_shared_bytes;
    if (!threads || !l->grid[0] || !l->grid[1] || !l->grid[2]) {
        text_add(why, "grid and block must be at least 1 in every dimension");
    } else if (threads > 1024) { /* CUDA's limit, all compute capabilities */
        text_add(why, "a block of %llu threads is over the limit of 1024",
                 (unsigned long long)threads);
    } else if (shared > s->shared_bytes) {
        text_add(why, "a block needs %llu bytes of shared memory, an SM has %u",
                 (unsigned long long)shared, s->shared_bytes);
    } else {
        gpu_occupancy(m, l, &o);
        if (o.blocks_per_sm) return NULL;
        text_add(why,
                 "a block of %u threads with %u registers each does not fit an SM (%u threads, %u "
                 "registers)",
                 o.block_threads, o.registers, s->threads, s->registers);
    }
    return text_get(why);
}

static struct corun_resources sm_capacity(const struct machine *m)
{
    return (struct corun_resources){.threads = m->sm.threads,
                                    .registers = m->sm.registers,
                                    .shared_bytes = m->sm.shared_bytes,
                                    .blocks = m->sm.blocks};
}

/* ---- the policy ---- */

static const char *claims_twice(const struct corun_policy *a, const struct corun_policy *b)
{
    if (a->admit && b->admit) return "admit";
    if (a->share && b->share) return "share";
    return NULL;
}

static bool mechanisms_init(struct place *p, const struct gpu_setup *setup, struct arena *arena,
                            struct fail *fail)
{
    struct corun_setup s = {
        .sm_n = p->sm_n, .app_n = setup->app_n, .sm = sm_capacity(p->machine), .seed = setup->seed};
    p->states = arena_array(arena, void *, setup->policy_n);
    for (u32 k = 0; k < p->mechanism_n; k++) {
        const struct gpu_mechanism *m = &p->mechanisms[k];
        for (u32 j = 0; j < k; j++) {
            const char *group = claims_twice(m->policy, p->mechanisms[j].policy);
            if (!group) continue;
            fail_plain(fail, "policies '%s' and '%s' both decide '%s'",
                       p->mechanisms[j].policy->name, m->policy->name, group);
            return false;
        }
        p->states[k] = arena_alloc(arena, m->policy->state_bytes, 64);
        const char *why =
            m->policy->init ? m->policy->init(p->states[k], &s, m->values, m->stats) : NULL;
        if (!why) continue;
        fail_plain(fail, "policy '%s': %s", m->policy->name, why);
        return false;
    }
    return true;
}

bool place_init(struct place *p, const struct gpu_setup *setup, struct sm *sms, struct arena *arena,
                struct fail *fail)
{
    const struct machine *m = setup->machine;
    *p = (struct place){.machine = m,
                        .sms = sms,
                        .sm_n = m->sm.count,
                        .app_n = setup->app_n,
                        .mechanism_n = setup->policy_n,
                        .mechanisms = setup->policies,
                        .last_sm = m->sm.count - 1,
                        .patience_ends = NEVER};
    p->spare = arena_array(arena, struct kernel, KERNELS_MAX);
    p->last_kernel = arena_array(arena, u32, p->sm_n);
    for (u32 s = 0; s < p->sm_n; s++) p->last_kernel[s] = UINT32_MAX;
    for (u32 k = 0; k < KERNELS_MAX; k++) {
        p->spare[k].target = arena_array(arena, u32, p->sm_n);
        p->spare[k].resident = arena_array(arena, u32, p->sm_n);
    }
    p->view_kernels = arena_array(arena, struct corun_kernel, KERNELS_MAX);
    p->view_resident = arena_array(arena, u32, KERNELS_MAX * p->sm_n);
    p->targets = arena_array(arena, u32, KERNELS_MAX * p->sm_n);
    return mechanisms_init(p, setup, arena, fail);
}

void place_free(struct place *p) { free(p->names); }

static const struct corun_view *view_make(struct place *p, u64 now)
{
    p->view = (struct corun_view){.now = now,
                                  .sm_n = p->sm_n,
                                  .app_n = p->app_n,
                                  .sm = sm_capacity(p->machine),
                                  .kernel_n = p->kernel_n,
                                  .kernels = p->view_kernels,
                                  .resident = p->view_resident};
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        p->view_kernels[i] = (struct corun_kernel){.kernel_id = k->kernel_id,
                                                   .app_id = k->work.app_id,
                                                   .name = k->work.program->name,
                                                   .block = k->work.need,
                                                   .full_blocks = k->full_blocks,
                                                   .launch_order = k->order,
                                                   .arrival_cycle = k->arrival,
                                                   .grid_blocks = k->grid_blocks,
                                                   .pending_blocks = k->grid_blocks - k->next_block,
                                                   .running_blocks = k->running,
                                                   .admitted = k->admitted};
        for (u32 s = 0; s < p->sm_n; s++) p->view_resident[s * p->kernel_n + i] = k->resident[s];
    }
    return &p->view;
}

static void policy_tell(struct place *p, enum corun_event_kind kind, const struct kernel *k, u32 sm,
                        u64 now)
{
    for (u32 m = 0; m < p->mechanism_n; m++) {
        if (!p->mechanisms[m].policy->watch) continue;
        const struct corun_view *v = view_make(p, now);
        u32 at = 0;
        while (p->kernels[at] != k) at++;
        struct corun_event e = {
            .kind = kind, .kernel = at, .sm = sm, .restart = kind == CORUN_LAUNCH && k->restart};
        p->mechanisms[m].policy->watch(p->states[m], v, &e);
    }
}

/* A table that can never be held at once (the SM's ledger has no room for it) is used as far as it
 * fits and counted. */
static void refusals_count(struct place *p)
{
    struct corun_resources room = sm_capacity(p->machine);
    for (u32 s = 0; s < p->sm_n; s++) {
        u64 threads = 0, registers = 0, shared = 0, blocks = 0;
        for (u32 i = 0; i < p->kernel_n; i++) {
            const struct kernel *k = p->kernels[i];
            if (k->target[s] == CORUN_TARGET_FULL) continue;
            threads += (u64)k->target[s] * k->work.need.threads;
            registers += (u64)k->target[s] * k->work.need.registers;
            shared += (u64)k->target[s] * k->work.need.shared_bytes;
            blocks += k->target[s];
        }
        if (threads > room.threads || registers > room.registers || shared > room.shared_bytes ||
            blocks > room.blocks)
            p->refusals++;
    }
}

/* the most common share over the SMs that hold any */
static u32 share_of(const struct place *p, const struct kernel *k)
{
    u32 count[SM_BLOCKS_MAX + 1] = {0}, best = 0;
    for (u32 s = 0; s < p->sm_n; s++) {
        u32 t = min_u32(k->target[s], min_u32(k->full_blocks, SM_BLOCKS_MAX));
        count[t]++;
    }
    for (u32 t = 1; t <= SM_BLOCKS_MAX; t++)
        if (count[t] && (!best || count[t] > count[best])) best = t;
    return best;
}

static void policy_ask(struct place *p, u64 now)
{
    bool admit[KERNELS_MAX];
    const struct corun_view *v = view_make(p, now);
    for (u32 i = 0; i < p->kernel_n; i++) admit[i] = true;
    for (u32 m = 0; m < p->mechanism_n; m++)
        if (p->mechanisms[m].policy->admit) p->mechanisms[m].policy->admit(p->states[m], v, admit);
    for (u32 i = 0; i < p->kernel_n; i++)
        p->view_kernels[i].admitted = p->kernels[i]->admitted = admit[i];
    for (u32 i = 0; i < p->kernel_n * p->sm_n; i++) p->targets[i] = CORUN_TARGET_FULL;
    for (u32 m = 0; m < p->mechanism_n; m++)
        if (p->mechanisms[m].policy->share)
            p->mechanisms[m].policy->share(p->states[m], v, p->targets);
    for (u32 i = 0; i < p->kernel_n; i++) {
        struct kernel *k = p->kernels[i];
        for (u32 s = 0; s < p->sm_n; s++) k->target[s] = p->targets[s * p->kernel_n + i];
        if (admit[i] && k->next_block < k->grid_blocks)
            p->blocks_per_sm[k->work.app_id] = share_of(p, k);
    }
    refusals_count(p);
    p->ask = false;
}

/* ---- launches ---- */

static u32 kernel_identity(struct place *p, const struct launch *l, bool *seen)
{
    for (u32 i = 0; i < p->name_n; i++) {
        const struct kernel_name *n = &p->names[i];
        if (n->program == l->program && n->app_id == l->app_id &&
            !memcmp(n->block, l->block, sizeof n->block) &&
            n->shared_bytes == l->dynamic_shared_bytes) {
            *seen = true;
            return i;
        }
    }
    if (p->name_n == p->name_room) {
        p->name_room = p->name_room ? p->name_room * 2 : 16;
        p->names = base_realloc(p->names, p->name_room * sizeof *p->names);
    }
    struct kernel_name *n = &p->names[p->name_n];
    *n = (struct kernel_name){
        .program = l->program, .app_id = l->app_id, .shared_bytes = l->dynamic_shared_bytes};
    memcpy(n->block, l->block, sizeof n->block);
    *seen = false;
    return p->name_n++;
}

static struct kernel *spare_take(struct place *p)
{
    for (u32 k = 0; k < KERNELS_MAX; k++)
        if (!p->spare[k].used) return &p->spare[k];
    check(false); /* host keeps one launch per stream at the GPU and limits its streams */
    return NULL;
}

void place_launch(struct place *p, const struct launch *l, u64 now)
{
    struct kernel *k = spare_take(p);
    u32 *target = k->target, *resident = k->resident;
    memset(resident, 0, sizeof *resident * p->sm_n);
    u32 threads = l->block[0] * l->block[1] * l->block[2];
    *k = (struct kernel){.launch = *l,
                         .order = p->order++,
                         .arrival = now,
                         .used = true,
                         .waits_since = NEVER,
                         .grid_blocks = (u64)l->grid[0] * l->grid[1] * l->grid[2],
                         .target = target,
                         .resident = resident};
    k->kernel_id = kernel_identity(p, l, &k->restart);
    struct work *w = &k->work;
    *w = (struct work){.program = l->program,
                       .image = l->image,
                       .printer = l->printer,
                       .param = l->param,
                       .threads = threads,
                       .warps = (u32)div_up(threads, LANES),
                       .app_id = l->app_id,
                       .kernel_id = k->kernel_id,
                       .grid_id = (u32)k->order,
                       .sm_n = p->sm_n,
                       .shared_bytes = l->program->shared_bytes + l->dynamic_shared_bytes};
    memcpy(w->grid, l->grid, sizeof w->grid);
    memcpy(w->block, l->block, sizeof w->block);
    place_resources(p->machine, l, &w->need);
    k->full_blocks = place_full_blocks(p->machine, &w->need, NULL);
    check(k->full_blocks && k->grid_blocks);
    p->kernels[p->kernel_n++] = k;
    p->ask = p->changed = true;
    policy_tell(p, CORUN_LAUNCH, k, 0, now);
}

static void kernel_end(struct place *p, struct kernel *k, u64 now)
{
    policy_tell(p, CORUN_KERNEL_END, k, 0, now);
    check(p->ended_n < KERNELS_MAX);
    p->ended[(p->ended_head + p->ended_n++) % KERNELS_MAX] = k->launch;
    u32 at = 0;
    while (p->kernels[at] != k) at++;
    p->kernel_n--;
    for (; at < p->kernel_n; at++) p->kernels[at] = p->kernels[at + 1];
    k->used = false;
    p->ask = true;
}

struct launch *place_ended(struct place *p)
{
    if (!p->ended_n) return NULL;
    struct launch *l = &p->ended[p->ended_head];
    p->ended_head = (p->ended_head + 1) % KERNELS_MAX;
    p->ended_n--;
    return l;
}

void place_retire(struct place *p, u32 sm, const struct retired *r, u64 now)
{
    struct kernel *k = (struct kernel *)((u8 *)(uintptr_t)r->work - offsetof(struct kernel, work));
    k->running--;
    k->resident[sm]--;
    p->changed = true;
    policy_tell(p, CORUN_BLOCK_END, k, sm, now);
    if (!k->running && k->next_block == k->grid_blocks) kernel_end(p, k, now);
}

/* ---- dispatch ---- */

static bool block_can_start(const struct place *p, const struct kernel *k, u32 sm)
{
    return k->admitted && k->next_block < k->grid_blocks && k->resident[sm] < k->target[sm] &&
           sm_fits(&p->sms[sm], &k->work.need);
}

static void block_start(struct place *p, struct kernel *k, u32 sm, u64 now)
{
    sm_admit(&p->sms[sm], &k->work, k->next_block++, now);
    k->running++;
    k->resident[sm]++;
    p->last_sm = sm;
    p->last_kernel[sm] = k->kernel_id;
    policy_tell(p, CORUN_BLOCK_START, k, sm, now);
    if (k->next_block < k->grid_blocks) return;
    policy_tell(p, CORUN_OUT_OF_BLOCKS, k, sm, now);
    p->ask = true;
}

/* kernels take turns on an SM: the search starts after the one that last got a block there */
static bool sm_serve(struct place *p, u32 sm, u64 now)
{
    u32 n = p->kernel_n, start = 0;
    for (u32 i = 0; i < n; i++)
        if (p->kernels[i]->kernel_id == p->last_kernel[sm]) start = i + 1;
    for (u32 i = 0; i < n; i++) {
        struct kernel *k = p->kernels[(start + i) % n];
        if (!block_can_start(p, k, sm)) continue;
        block_start(p, k, sm, now);
        return true;
    }
    return false;
}

static void waiting_note(struct place *p, u64 now)
{
    p->patience_ends = NEVER;
    for (u32 i = 0; i < p->kernel_n; i++) {
        struct kernel *k = p->kernels[i];
        bool waits = false;
        if (k->admitted && !k->running && k->next_block < k->grid_blocks)
            for (u32 s = 0; s < p->sm_n && !waits; s++) waits = sm_fits(&p->sms[s], &k->work.need);
        if (!waits)
            k->waits_since = NEVER;
        else if (k->waits_since == NEVER)
            k->waits_since = now;
        if (waits)
            p->patience_ends =
                min_u64(p->patience_ends, k->waits_since + p->machine->policy.patience);
    }
}

bool place_tick(struct place *p, u64 now)
{
    if (!p->changed && !p->ask) return false;
    if (p->ask) policy_ask(p, now);
    bool started = false, one = p->machine->policy.dispatch == 1;
    u32 from = p->last_sm + 1;
    for (u32 j = 0; j < p->sm_n && !(started && one); j++) {
        if (p->ask) policy_ask(p, now);
        started |= sm_serve(p, (from + j) % p->sm_n, now);
    }
    p->changed = started;
    waiting_note(p, now);
    return started;
}

u64 place_wake(const struct place *p, u64 now) { return p->changed || p->ask ? now + 1 : NEVER; }

const struct kernel *place_starved(const struct place *p, u64 now)
{
    if (p->patience_ends > now) return NULL;
    for (u32 i = 0; i < p->kernel_n; i++)
        if (p->kernels[i]->waits_since != NEVER &&
            p->kernels[i]->waits_since + p->machine->policy.patience <= now)
            return p->kernels[i];
    return NULL;
}
