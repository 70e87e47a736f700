#include "gpu/dispatch/dispatch.h"
#include "gpu/dispatch/ask.h"
#include "gpu/dispatch/carve.h"
#include "gpu/dispatch/cluster_fit.h"
#include "gpu/dispatch/cluster_place.h"
#include "gpu/dispatch/dependent.h"
#include "gpu/dispatch/holder.h"
#include "gpu/dispatch/tell.h"
#include "gpu/owner.h"

#include <stdlib.h>
#include <string.h>

/* ---- creation and end ---- */

bool dispatch_init(struct dispatch *p, const struct gpu_setup *setup, struct gpu *gpu,
                   struct sm *sms, struct arena *arena, struct fail *fail)
{
    const struct machine *m = setup->machine;
    *p = (struct dispatch){.machine = m,
                           .gpu = gpu,
                           .sms = sms,
                           .sm_n = m->sm.count,
                           .app_n = setup->app_n,
                           .copies = cut_copies(&setup->cut, setup->cut.sms),
                           .last_sm = m->sm.count - 1,
                           .ask_at = NEVER,
                           .ended_at = NEVER,
                           .patience_ends = NEVER,
                           .drain_ends = NEVER,
                           .carves = carveouts_given(&m->sm),
                           .hooks = {.mechanism_n = setup->policy_n,
                                     .mechanisms = setup->policies,
                                     .facts = setup->facts,
                                     .fact_n = setup->fact_n}};
    for (u32 a = 0; a < APPS_MAX && p->copies > 1; a++)
        p->first_sm[a] = setup->cut.of[a] * p->sm_n;
    for (u32 a = 0; a < APPS_MAX; a++) p->apps[a].deadline = CORUN_NEVER;
    p->spare = arena_array(arena, struct kernel, KERNELS_MAX);
    p->last_kernel = arena_array(arena, u32, p->sm_n);
    p->cluster_started = arena_array(arena, u64, p->sm_n);
    for (u32 s = 0; s < p->sm_n; s++) p->last_kernel[s] = UINT32_MAX;
    for (u32 k = 0; k < KERNELS_MAX; k++) {
        p->spare[k].target = arena_array(arena, u32, p->sm_n);
        p->spare[k].resident = arena_array(arena, u32, p->sm_n);
        p->spare[k].leaving = arena_array(arena, u32, p->sm_n);
        p->spare[k].extra = arena_array(arena, u32, p->sm_n);
        p->spare[k].drains_since = arena_array(arena, u64, p->sm_n);
    }
    return ask_init(p, setup, arena, fail);
}

static struct block *out_take(struct kernel *k)
{
    struct block *b = k->out;
    k->out = b->next;
    if (!k->out) k->out_end = &k->out;
    k->out_n--;
    return b;
}

void dispatch_free(struct dispatch *p)
{
    for (u32 k = 0; k < KERNELS_MAX && p->spare; k++)
        while (p->spare[k].out) block_free(out_take(&p->spare[k]));
    clusters_free(&p->clusters);
    for (u32 a = 0; a < APPS_MAX; a++)
        for (u32 k = 0; k < DELAY_N; k++) free(p->delays[a][k].at);
    for (u32 m = 0; m < p->hooks.mechanism_n && p->hooks.logs; m++) {
        text_free(&p->hooks.logs[m].lines);
        text_free(&p->hooks.refused[m].lines);
    }
    for (u32 k = 0; k < p->name_n; k++) free(p->names[k].noted);
    free(p->names);
    for (u32 c = 0; c <= CLAIM_N; c++) text_free(&p->hooks.refused_of[c]);
    text_free(&p->hooks.broke);
}

/* ---- launches ---- */

/* Attributes the app's activity since the last call to the app's first kernel in p->kernels. */
static void app_account(struct dispatch *p, u32 app_id, u64 end)
{
    struct account *c = &p->account[app_id], now = {.since = end};
    EACH_OWNER (p->sms->common, app_id, owner) {
        for (u32 s = 0; s < p->sm_n * p->copies; s++) {
            now.warp_instructions += p->sms[s].stat[owner].inst_warp;
            now.thread_instructions += p->sms[s].stat[owner].inst_thread;
        }
    }
    for (u32 i = 0; i < p->kernel_n; i++) {
        if (p->kernels[i]->work.app_id != app_id) continue;
        struct gpu_kernel *k = &p->names[p->kernels[i]->kernel_id].did;
        k->cycles += end - c->since;
        k->warp_instructions += now.warp_instructions - c->warp_instructions;
        k->thread_instructions += now.thread_instructions - c->thread_instructions;
        break;
    }
    *c = now;
}

const struct gpu_kernel *dispatch_kernel(struct dispatch *p, u32 index, u64 now)
{
    if (index >= p->name_n) return NULL;
    app_account(p, p->names[index].app_id, now);
    return &p->names[index].did;
}

static const struct corun_alone *facts_find(const struct dispatch *p, const struct gpu_kernel *k)
{
    for (u32 i = 0; i < p->hooks.fact_n; i++) {
        const struct gpu_fact *f = &p->hooks.facts[i];
        if (f->name && f->app_id == k->app_id && f->shared_bytes == k->shared_bytes &&
            !memcmp(f->block, k->block, sizeof f->block) && !strcmp(f->name, k->name))
            return &f->alone;
    }
    return NULL;
}

static u32 kernel_identity(struct dispatch *p, const struct launch *l, bool *seen)
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
    struct kernel_name *n = base_push(p->names, p->name_n, p->name_room);
    *n = (struct kernel_name){
        .program = l->program, .app_id = l->app_id, .shared_bytes = l->dynamic_shared_bytes};
    memcpy(n->block, l->block, sizeof n->block);
    n->did = (struct gpu_kernel){.name = l->program->name,
                                 .app_id = l->app_id,
                                 .shared_bytes = launch_shared(l)};
    memcpy(n->did.block, l->block, sizeof n->did.block);
    n->alone = facts_find(p, &n->did);
    *seen = false;
    return p->name_n - 1;
}

static struct kernel *spare_take(struct dispatch *p)
{
    for (u32 k = 0; k < KERNELS_MAX; k++)
        if (!p->spare[k].used) return &p->spare[k];
    check(false); /* dispatch_has_room */
    return NULL;
}

/* Model: a launch waits in its stream while 256 launches are at the GPU (guess: more than the 128
 * resident grids of a GPU). */
bool dispatch_has_room(const struct dispatch *p) { return p->kernel_n < KERNELS_MAX; }

static const struct program *program_of(struct dispatch *p, const struct launch *l, u32 kernel_id)
{
    struct kernel_name *n = &p->names[kernel_id];
    if (!p->notes || l->cooperative || gpu_cluster_n(l) > 1) return l->program;
    if (!n->noted) {
        n->noted = base_alloc(sizeof *n->noted);
        exec_note(n->noted, l->program);
    }
    return n->noted;
}

void dispatch_launch(struct dispatch *p, const struct launch *l, u64 now)
{
    app_account(p, l->app_id, now);
    struct kernel *k = spare_take(p);
    u32 *target = k->target, *resident = k->resident, *leaving = k->leaving, *extra = k->extra;
    u64 *drains_since = k->drains_since;
    for (u32 s = 0; s < p->sm_n; s++) drains_since[s] = NEVER;
    memset(extra, 0, sizeof *extra * p->sm_n);
    memset(leaving, 0, sizeof *leaving * p->sm_n);
    memset(resident, 0, sizeof *resident * p->sm_n);
    memset(target, 0, sizeof *target * p->sm_n);
    *k = (struct kernel){.launch = *l,
                         .order = p->order++,
                         .arrival = now,
                         .began = NEVER,
                         .used = true,
                         .waits_since = NEVER,
                         .grid_blocks = (u64)l->grid[0] * l->grid[1] * l->grid[2],
                         .target = target,
                         .resident = resident,
                         .extra = extra,
                         .drains_since = drains_since,
                         .leaving = leaving};
    k->kernel_id = kernel_identity(p, l, &k->restart);
    k->alone = p->names[k->kernel_id].alone;
    k->out_end = &k->out;
    struct work *w = &k->work;
    *w = (struct work){
        .grid = launch_grid(l, p->machine, &p->sms->common->timer[l->app_id], (u32)k->order),
        .app_id = l->app_id,
        .owner = l->app_id,
        .kernel_id = k->kernel_id,
        .counts = l->counts};
    w->grid.program = program_of(p, l, k->kernel_id);
    if (l->dependent) dependent_begin(p, k);
    struct gpu_occupancy fits;
    gpu_occupancy(p->machine, l, &fits);
    w->need = fits.need;
    k->full_blocks = fits.blocks_per_sm;
    k->carveout_bytes = fits.carveout_bytes;
    k->cluster_n = gpu_cluster_n(l);
    check(k->full_blocks && k->grid_blocks);
    if (l->program->tensor) sm_common_tensor(p->sms->common);
    p->prioritized |= l->priority != 0;
    p->kernels[p->kernel_n++] = k;
    p->untold_n++;
    p->hooks.view_is_old = true;
    p->ask_at = min_u64(p->ask_at, now);
    p->changed = true;
}

/* Reports new launches to the policy. A launch arrives between two cycles and is reported in the
 * later cycle. */
static void launches_tell(struct dispatch *p, u64 now)
{
    for (; p->untold_n; p->untold_n--)
        tell_event(p, CORUN_LAUNCH, p->kernels[p->kernel_n - p->untold_n], 0, now);
}

static void kernel_end(struct dispatch *p, struct kernel *k, u64 now)
{
    app_account(p, k->work.app_id, now + 1);
    tell_event(p, CORUN_KERNEL_END, k, 0, now);
    ended_put(p, k, false, now);
    p->ended_at = now;
    owner_give(p->gpu, k->work.owner);
    u32 at = 0;
    while (p->kernels[at] != k) at++;
    p->kernel_n--;
    p->hooks.view_is_old = true;
    for (; at < p->kernel_n; at++) p->kernels[at] = p->kernels[at + 1];
    k->used = false;
    dependents_look(p);
    p->ask_at = min_u64(p->ask_at, now + 1);
}

const struct gpu_end *dispatch_ended(struct dispatch *p)
{
    if (!p->ended_n) return NULL;
    const struct gpu_end *e = &p->ended[p->ended_head];
    p->ended_head = (p->ended_head + 1) % ENDED_MAX;
    p->ended_n--;
    return e;
}

static void note_resident(const struct dispatch *p, const struct kernel *k, bool more, u64 now)
{
    struct gpu_sink *s = p->sink;
    if (s && s->resident) s->resident(s, k->work.app_id, more, now);
}

void dispatch_retire(struct dispatch *p, u32 sm, const struct retired *r, u64 now)
{
    struct kernel *k = kernel_of(r->work);
    if (p->sink)
        p->sink->block(p->sink, k->work.app_id, k->work.grid.program->name, sm, r->block_slot,
                       r->block_id, r->start, r->end);
    note_resident(p, k, false, r->end);
    launches_tell(p, now);
    struct kernel_name *n = &p->names[k->kernel_id];
    n->ended_n++;
    n->ended_instructions += r->warp_instructions;
    sm -= p->first_sm[k->work.app_id];
    if (kernel_excess(k, sm)) {
        check(k->drains_since[sm] != NEVER);
        p->sms[sm].preempt_stat[k->work.owner].drained++;
        delay_add(&p->delays[k->work.app_id][DELAY_drain], now - k->drains_since[sm]);
    }
    cluster_drop(&p->clusters, r->cluster);
    k->running--;
    if (!r->triggered) block_signals(p, k, now);
    k->resident[sm]--;
    k->extra[sm] = sm_extra_n(&p->sms[sm], &k->work);
    ask_drain(p, k, sm, now);
    p->changed = p->hooks.moved[sm] = p->hooks.view_is_old = true;
    tell_event(p, CORUN_BLOCK_END, k, sm, now);
    if (!k->running && !kernel_pending(k)) kernel_end(p, k, now);
}

void dispatch_requests(struct dispatch *p, u32 sm, u64 now)
{
    launches_tell(p, now);
    if (tell_requests(p, sm, now)) p->changed = p->hooks.moved[sm] = true;
}

/* ---- dispatch ---- */

static void note_part(const struct dispatch *p, const struct block *b, u32 sm, u64 start, u64 end,
                      const char *what)
{
    struct gpu_sink *s = p->sink;
    const struct work *w = b->work;
    if (s && s->part)
        s->part(s, w->app_id, w->grid.program->name, sm, b->slot, b->block_id, start, end, what);
}

/* Appends a block to the queue of blocks on no SM, behind others of its cluster. */
static void out_put(struct kernel *k, struct block *b)
{
    struct block **at = k->out_end;
    for (struct block *o = k->out; o && b->state.cluster; o = o->next)
        if (o->state.cluster == b->state.cluster) at = &o->next;
    b->next = *at;
    *at = b;
    if (at == k->out_end) k->out_end = &b->next;
    k->out_n++;
}

static void block_gone(struct dispatch *p, struct kernel *k, u32 sm, struct block *b, u64 now)
{
    out_put(k, b);
    block_moves(b, now);
    note_resident(p, k, false, now);
    k->running--;
    k->resident[sm]--;
    k->extra[sm] = sm_extra_n(&p->sms[sm], &k->work);
    for (u32 s = 0; s < p->sm_n; s++) ask_drain(p, k, s, now);
    p->changed = p->hooks.moved[sm] = p->hooks.view_is_old = true;
}

void dispatch_leave(struct dispatch *p, struct kernel *k, u32 sm, struct block *b,
                    enum corun_preempt how, u64 now)
{
    note_part(p, b, sm, b->start, now, "preempted");
    p->must_tick = true;
    if (how == CORUN_SWITCH) {
        sm_save(&p->sms[sm], b, now);
        k->leaving[sm]++;
        ask_drain(p, k, sm, now);
        return;
    }
    sm_unseat(&p->sms[sm], b, now);
    sm_leave(&p->sms[sm], b, how == CORUN_FLUSH ? LIFE_FLUSHED : LIFE_OUT, now);
    block_gone(p, k, sm, b, now);
}

void dispatch_moved(struct dispatch *p, u32 sm, const struct moved *m)
{
    struct gpu_sink *s = p->sink;
    const struct work *w = m->work;
    if (s && s->part)
        s->part(s, w->app_id, w->grid.program->name, sm, m->block_slot, m->block_id, m->start,
                m->end, "absent");
}

void dispatch_transferred(struct dispatch *p, u32 sm, struct block *b, u64 now)
{
    struct kernel *k = kernel_of(b->work);
    bool loaded = b->life == LIFE_LOADING;
    note_part(p, b, sm, b->moves_since, now, loaded ? "loaded" : "saved");
    if (loaded) {
        sm_loaded(&p->sms[sm], b, now);
        p->holder.loading_n--;
        p->changed |= p->holder.phase != HOLDER_STAYS;
        return;
    }
    delay_add(&p->delays[k->work.app_id][DELAY_switch], now - b->moves_since);
    sm_leave(&p->sms[sm], b, LIFE_OUT, now);
    k->leaving[sm]--;
    block_gone(p, k, sm, b, now);
}

/* Brings back a block that was on an SM before. */
static void block_resume(struct dispatch *p, struct kernel *k, u32 sm_id, u64 now)
{
    struct sm *sm = &p->sms[sm_id];
    struct block *b = out_take(k);
    delay_add(&p->delays[k->work.app_id][DELAY_away], now - b->moves_since);
    if (b->life == LIFE_FLUSHED) {
        sm_admit(sm, &k->work, b->block_id, now);
        sm_drop(sm, b);
    } else if (b->saved) {
        sm_load(sm, b, now);
        p->holder.loading_n++;
    } else {
        sm_enter(sm, b, now);
        sm_seat(sm, b, now);
    }
}

/* Starts a block that was on no SM before. */
static struct block *block_begins(struct dispatch *p, struct kernel *k, u32 sm, u64 now)
{
    u64 block_id = grid_block(&k->work.grid, k->next_block++);
    return sm_admit(sm_of(p, k->work.app_id, sm), &k->work, block_id, now);
}

static struct block *block_start(struct dispatch *p, struct kernel *k, u32 sm, bool extra, u64 now)
{
    struct block *b = NULL;
    if (k->began == NEVER) {
        k->began = now;
        delay_add(&p->delays[k->work.app_id][DELAY_launch], now - min_u64(k->arrival, now));
        k->work.owner = owner_take(p->gpu, k->work.app_id);
    }
    if (extra) sm_admit_extra(&p->sms[sm], &k->work, k->next_block++, now);
    else if (k->out_n) block_resume(p, k, sm, now);
    else b = block_begins(p, k, sm, now);
    p->hooks.moved[sm] = p->hooks.view_is_old = true;
    note_resident(p, k, true, now);
    k->running++;
    k->resident[sm]++;
    k->extra[sm] += extra;
    p->last_sm = sm;
    p->last_kernel[sm] = k->kernel_id;
    tell_event(p, CORUN_BLOCK_START, k, sm, now);
    if (kernel_pending(k)) return b;
    for (u32 s = 0; s < p->sm_n; s++) ask_drain(p, k, s, now);
    tell_event(p, CORUN_OUT_OF_BLOCKS, k, sm, now);
    p->ask_at = now;
    return b;
}

/* Starts the next cluster with its first block on the SM, if enough SMs have room. */
static enum cluster_find cluster_start(struct dispatch *p, struct kernel *k, u32 sm, u64 now)
{
    u32 sms[CLUSTER_BLOCKS_MAX];
    enum cluster_find found = cluster_find(p, k, sm, sms, now);
    if (found != CLUSTER_FITS) return found;
    u32 n = cluster_next_n(k);
    struct cluster *c = k->out_n ? NULL : cluster_take(&p->clusters, k->cluster_n);
    for (u32 j = 0; j < n; j++) {
        struct block *b = block_start(p, k, sms[j], false, now);
        if (b) cluster_join(c, &b->state);
        p->cluster_started[sms[j]] = now + 1;
    }
    return found;
}

/* ---- blocks beyond the seats ---- */

/* Returns true if a kernel with a finite target waits for room on the SM. */
static bool share_waits(const struct dispatch *p, u32 sm)
{
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        if (k->admitted && kernel_pending(k) && k->target[sm] != CORUN_TARGET_FULL &&
            kernel_seated(k, sm) < k->target[sm])
            return true;
    }
    return false;
}

/* Starts an extra block on the SM if possible. Model: an extra block starts only when no block with
 * seats can start; at most one block starts per SM and cycle, and kernels take turns in the same
 * order. The launch must have a block with seats on the SM and be within its target. */
static bool extra_serve(struct dispatch *p, u32 sm, u32 start, u64 now)
{
    u32 n = p->kernel_n;
    if (share_waits(p, sm)) return false;
    for (u32 i = 0; i < n; i++) {
        struct kernel *k = p->kernels[(start + i) % n];
        u32 seated = kernel_seated(k, sm);
        bool fresh = k->admitted && !k->out_n && k->next_block < k->grid_blocks;
        if (!fresh || !seated || seated - k->leaving[sm] > k->target[sm] ||
            k->launch.cooperative || k->cluster_n > 1 ||
            k->extra[sm] >= k->work.residency.extra_blocks ||
            !sm_fits_extra(&p->sms[sm], &k->work) || priority_waits(p, k, sm))
            continue;
        block_start(p, k, sm, true, now);
        return true;
    }
    return false;
}

/* Gives seats to extra blocks of all kernels; with `without_seats` only to a first block of kernels
 * without any seated block on the SM. Returns false if some block found no room. */
static bool extra_promote(struct dispatch *p, u32 sm, bool without_seats, u64 now)
{
    bool all = true;
    for (u32 i = 0; i < p->kernel_n; i++) {
        struct kernel *k = p->kernels[i];
        while (k->extra[sm] && !(without_seats && kernel_seated(k, sm))) {
            bool has_room = sm_promote(&p->sms[sm], &k->work, now);
            k->extra[sm] -= has_room;
            p->must_tick |= has_room;
            p->hooks.view_is_old |= has_room;
            all &= has_room;
            if (!has_room) break;
            ask_drain(p, k, sm, now);
        }
    }
    return all;
}

/* Gives free seats to extra blocks. Returns false if no block may start on the SM in this cycle.
 * Model: the seats of a departed block go to the oldest extra block of the same launch before other
 * blocks start, even above the launch's target. A launch that has blocks on the SM but no seats
 * comes first, and others wait for it (guess: resident blocks run to their end). */
static bool extra_settle(struct dispatch *p, u32 sm, u64 now)
{
    bool served = extra_promote(p, sm, true, now);
    if (served) extra_promote(p, sm, false, now);
    for (u32 i = 0; i < p->kernel_n; i++)
        if (p->kernels[i]->extra[sm]) sm_seats_hold(&p->sms[sm], &p->kernels[i]->work, now);
    return served;
}

/* Starts at most one block on the SM. Kernels take turns: the search starts after the kernel that
 * last got a block on the SM. */
static bool sm_serve(struct dispatch *p, u32 sm, u64 now)
{
    u32 n = p->kernel_n, start = 0;
    if (unlikely(p->cluster_started[sm] == now + 1)) return true;
    if (unlikely(p->carves) && !carve_serve(p, sm, now)) return false;
    for (u32 i = 0; i < n; i++)
        if (p->kernels[i]->kernel_id == p->last_kernel[sm]) start = i + 1;
    for (u32 i = 0; i < n; i++) {
        struct kernel *k = p->kernels[(start + i) % n];
        if (!block_can_start(p, k, sm)) continue;
        if (likely(k->cluster_n == 1)) {
            block_start(p, k, sm, false, now);
            return true;
        }
        enum cluster_find found = cluster_start(p, k, sm, now);
        if (found != CLUSTER_NEVER) return found == CLUSTER_FITS;
    }
    return unlikely(p->resides) && extra_serve(p, sm, start, now);
}

u64 dispatch_allowed(const struct dispatch *p, const struct kernel *k)
{
    u64 n = 0;
    for (u32 s = 0; s < p->sm_n; s++) n += min_u32(k->target[s], k->full_blocks);
    return n;
}

static bool drains(const struct dispatch *p, u32 sm)
{
    for (u32 i = 0; i < p->kernel_n; i++)
        if (kernel_seated(p->kernels[i], sm) > p->kernels[i]->target[sm]) return true;
    return false;
}

/* Returns true if the kernel's resources are free on the SM but fragmented: a block must wait for
 * others to end. */
static bool is_fragmented(const struct dispatch *p, const struct kernel *k, u32 sm)
{
    return sm_has(&p->sms[sm], &k->work.need) && !block_fits(p, k, sm);
}

/* Returns true if the kernel is admitted, has pending but no running blocks, and would fit on some
 * SM where no launch of higher priority waits. Returns false while an SM with a target for the
 * kernel is draining or fragmented. */
static bool gets_no_block(const struct dispatch *p, const struct kernel *k)
{
    bool room = false;
    if (!k->admitted || k->running || !kernel_pending(k)) return false;
    for (u32 s = 0; s < p->sm_n && !room; s++)
        room = cluster_has_room(p, k, s);
    for (u32 s = 0; s < p->sm_n && room; s++)
        if (k->target[s] && (drains(p, s) || is_fragmented(p, k, s))) return false;
    return room;
}

/* Returns true if blocks of a cooperative kernel wait for other blocks that the policy does not
 * allow. */
static bool is_held_back(const struct dispatch *p, const struct kernel *k)
{
    return k->launch.cooperative && kernel_pending(k) && dispatch_allowed(p, k) < k->grid_blocks;
}

static void waiting_note(struct dispatch *p, u64 now)
{
    p->patience_ends = NEVER;
    for (u32 i = 0; i < p->kernel_n; i++) {
        struct kernel *k = p->kernels[i];
        bool waits = gets_no_block(p, k) || (k->admitted && is_held_back(p, k));
        if (!waits)
            k->waits_since = NEVER;
        else if (k->waits_since == NEVER)
            k->waits_since = now;
        if (waits)
            p->patience_ends =
                min_u64(p->patience_ends, k->waits_since + p->machine->policy.patience);
    }
}

/* ---- consequences of block positions ---- */

/* Records per app the resources on the SM that are free but fragmented: the needs of blocks that
 * would start if the free resources were contiguous. */
static void fragments_note(struct dispatch *p, u32 sm, u64 now)
{
    struct corun_resources sum[APPS_MAX] = {0};
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        u32 has = kernel_seated(k, sm), target = k->target[sm];
        if (!k->admitted || !kernel_pending(k) || has >= target) continue;
        sm_fragments(&p->sms[sm], &k->work, target - has, &sum[k->work.app_id]);
    }
    for (u32 a = 0; a < p->app_n; a++) sm_note_fragments(&p->sms[sm], a, &sum[a], now);
}

/* Selects the urgent blocks of the SM. Model: warps of blocks above the target issue first; so do
 * warps of the boundary block, the block that reaches farthest, of a kernel without pending blocks
 * (paper 002 section 4.3). */
static void urgent_note(struct dispatch *p, u32 sm, u64 now)
{
    u64 slots = 0;
    bool ends = p->machine->sm.allocator > ALLOCATOR_FIRST_FIT;
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        u32 has = kernel_seated(k, sm), n = has > k->target[sm] ? has - k->target[sm] : 0;
        if (ends && !kernel_pending(k)) n = max_u32(n, 1);
        for (u32 j = 0; j < n; j++) {
            const struct block *b = sm_younger(&p->sms[sm], &k->work, j);
            slots |= b ? 1ull << b->slot : 0;
        }
    }
    sm_set_urgent(&p->sms[sm], slots, now);
}

static bool places_matter(const struct dispatch *p)
{
    return p->machine->sm.allocator != ALLOCATOR_COUNTERS || p->machine->sm.boundary_priority ||
           p->carves;
}

static void places_note(struct dispatch *p, u64 now)
{
    for (u32 s = 0; s < p->sm_n; s++) {
        if (!p->hooks.called_now && !p->hooks.moved[s]) continue;
        if (p->machine->sm.allocator != ALLOCATOR_COUNTERS) fragments_note(p, s, now);
        if (p->machine->sm.boundary_priority) urgent_note(p, s, now);
        if (p->carves) carve_note(p, s, now);
    }
}

/* ---- a cycle ---- */

/* Calls the policy if due; after the end of a kernel a cycle later, as the next may come then. */
static void ask_if_due(struct dispatch *p, u64 now)
{
    if (p->ask_at <= now && p->ended_at != now) ask_policy(p, now);
}

/* Model: the GPU starts at most launch.blocks_per_cycle blocks in a cycle, on SMs in turn (guess:
 * the limit counts blocks of any size, and a cluster once). */
static u32 starts_most(const struct machine *m)
{
    if (m->policy.dispatch == 1) return 1;
    return m->launch.blocks_per_cycle ? m->launch.blocks_per_cycle : UINT32_MAX;
}

bool dispatch_tick(struct dispatch *p, u64 now)
{
    launches_tell(p, now);
    if (p->hooks.timer_next <= now) tell_timers(p, now);
    if (unlikely(p->holder.claimed)) holder_tick(p, now);
    ask_if_due(p, now);
    if (unlikely(p->drain_ends <= now)) ask_drains_end(p, now);
    u32 from = p->last_sm + 1, started = 0, most = starts_most(p->machine);
    p->carving = false;
    for (u32 j = 0; j < p->sm_n && started < most; j++) {
        ask_if_due(p, now);
        u32 sm = (from + j) % p->sm_n;
        if (likely(!p->resides) || extra_settle(p, sm, now)) started += sm_serve(p, sm, now);
    }
    p->changed = started || p->carving || holder_waits(&p->holder);
    waiting_note(p, now);
    bool places = places_matter(p);
    if (places) places_note(p, now);
    ask_after(p, now);
    bool must_tick = p->must_tick;
    p->must_tick = false;
    return started || must_tick || p->hooks.asks_sms || places;
}

const struct kernel *dispatch_starved(const struct dispatch *p, u64 now)
{
    for (u32 i = 0; i < p->kernel_n; i++)
        if (p->kernels[i]->waits_since != NEVER &&
            p->kernels[i]->waits_since + p->machine->policy.patience <= now)
            return p->kernels[i];
    return NULL;
}
