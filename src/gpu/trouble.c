/* Fills gpu_trouble with cause and location when the simulated machine cannot continue. step.c
 * detects the condition. */
#include <stdio.h>
#include <string.h>

#include "chip/sm/blocks/block.h"
#include "gpu/dispatch/dispatch.h"
#include "gpu/state.h"

static struct gpu_trouble place_of(const struct context *c)
{
    const struct block *b = c->block;
    return (struct gpu_trouble){.app_id = b->work->app_id, .program = b->work->grid.program,
                                .in_block = true, .sm_id = b->state.sm_id,
                                .block_id = b->block_id, .warp_id = c->warp.warp_id};
}

void trouble_fault(struct gpu *g, const struct sm *sm)
{
    const struct context *c = sm->front.fault_of;
    g->trouble = place_of(c);
    g->trouble.fault = sm->effect.fault;
    g->trouble.what = g->trouble.fault.what;
    g->trouble.deadlock = g->trouble.fault.deadlock;
    g->trouble.space_bytes = block_space_bytes(c->warp.block, g->trouble.fault.space);
}

/* ---- deadlock ---- */

/* Returns the block that has been on its SM longest; NULL: no SM has a block. */
static const struct block *oldest_block(const struct gpu *g, const struct sm **on)
{
    const struct block *oldest = NULL;
    for (u32 k = 0; k < g->sm_n; k++) {
        for (u32 i = 0; i < SM_BLOCKS_MAX; i++) {
            const struct block *b = g->sms[k].blocks.block[i];
            if (!b || (oldest && b->start > oldest->start)) continue;
            if (oldest && b->start == oldest->start && b->block_id >= oldest->block_id) continue;
            oldest = b;
            *on = &g->sms[k];
        }
    }
    return oldest;
}

/* Returns the first warp of the block that has not ended, else the first with accesses under
 * way. */
static const struct context *stuck_warp(const struct block *b)
{
    const struct context *undone = NULL;
    for (u32 i = 0; i < b->state.warp_n; i++) {
        const struct context *c = b->context[i];
        if (!context_has_ended(c)) return c;
        if (!undone && (c->memory_n || c->stores)) undone = c;
    }
    return undone ? undone : b->context[0];
}

/* Returns the source line at which the warp is stopped; 0: the warp has ended. An instruction that
 * stops a warp has already issued and precedes the program counter, unless other lanes of the warp
 * execute next. */
static u32 line_of(const struct context *c)
{
    if (context_has_ended(c)) return 0;
    const struct inst *i = warp_next(&c->warp);
    bool before = c->wait != WAIT_NOTHING && c->warp.pc && i[-1].kind & INST_STOPS;
    return before ? i[-1].line : i->line;
}

static bool waits_for_load(const struct sm *sm, const struct context *c)
{
    const struct seat *s = c->seat;
    return s && sm->front.scheduler[s->scheduler].loads >> s->rank & 1;
}

static void wait_words(const struct sm *sm, const struct context *c, char *out, size_t room)
{
    const char *what = "its turn at the scheduler";
    if (c->wait == WAIT_BARRIER) {
        block_barrier_words(c->warp.block, c->warp.warp_id, out, room);
        return;
    }
    if (c->wait == WAIT_FENCE) what = "a fence: earlier accesses are outstanding";
    else if (context_has_ended(c)) what = "outstanding accesses after its end";
    else if (c->wait == WAIT_COPIES) what = "copies to shared memory that do not arrive";
    else if (c->wait == WAIT_ATOMIC) what = "an outstanding atomic";
    else if (waits_for_load(sm, c)) what = "an outstanding load";
    else if (!c->seat) what = "a seat: other warps hold all seats";
    snprintf(out, room, "warp %u waits for %s", c->warp.warp_id, what);
}

void trouble_deadlock(struct gpu *g)
{
    const struct sm *sm = NULL;
    const struct block *b = oldest_block(g, &sm);
    struct gpu_trouble *t = &g->trouble;
    if (b) {
        const struct context *c = stuck_warp(b);
        *t = place_of(c);
        t->fault.line = line_of(c);
        t->fault.pc = c->warp.pc;
        t->fault.lane = c->warp.mask ? (u32)__builtin_ctz(c->warp.mask) : 0;
        wait_words(sm, c, t->fault.detail, sizeof t->fault.detail);
    } else {
        const struct work *work = &g->dispatch->kernels[0]->work;
        *t = (struct gpu_trouble){.app_id = work->app_id, .program = work->grid.program};
        snprintf(t->fault.detail, sizeof t->fault.detail, "no block is on an SM");
    }
    t->what = "no event is pending, but kernels have not ended";
}

/* Returns the cycle after the last write of all SMs; 0: no write. */
static u64 last_write(const struct gpu *g)
{
    u64 quiet_from = 0;
    for (u32 k = 0; k < g->sm_n; k++)
        quiet_from = max_u64(quiet_from, g->sms[k].effect.quiet_from);
    return quiet_from;
}

/* True if the warp repeats a loop and no SM has written since the first pass. */
static bool repeats_unchanged(const struct gpu *g, const struct warp *w, u64 quiet_from)
{
    const struct write_mark *m = &w->unchanged;
    return w->repeats && g->sms[m->log].effect.writes == m->writes && quiet_from <= m->at + 1;
}

/* Returns true if only warps that loop without effect can still execute: all blocks are seated, and
 * each warp has ended, waits at a barrier or repeats a loop without any change. */
static bool all_repeat(const struct gpu *g)
{
    u64 seated = 0, running = 0;
    u64 quiet_from = last_write(g);
    for (u32 k = 0; k < g->dispatch->kernel_n; k++) {
        const struct kernel *kernel = g->dispatch->kernels[k];
        if (!kernel->running || kernel->out_n) return false; /* the policy may let a block start */
        running += kernel->running;
    }
    for (u32 k = 0; k < g->sm_n; k++)
        for (u32 i = 0; i < SM_BLOCKS_MAX; i++) {
            const struct block *b = g->sms[k].blocks.block[i];
            if (!b) continue;
            if (!b->state.alive_n || b->life != LIFE_SEATED) return false;
            seated++;
            for (u32 n = 0; n < b->state.warp_n; n++) {
                const struct context *c = b->context[n];
                bool stands = context_has_ended(c) || c->wait == WAIT_BARRIER;
                if (!stands && !repeats_unchanged(g, &c->warp, quiet_from)) return false;
                /* copies to shared memory may still land */
                if (b->state.copies && c->memory_n) return false;
            }
        }
    return seated == running;
}

/* Returns a warp with lanes waiting for lanes of an endless loop. NULL: none; the program then
 * contains an endless loop, possibly on purpose. */
static const struct context *repeating_warp(const struct gpu *g)
{
    for (u32 k = 0; k < g->sm_n; k++)
        for (u32 i = 0; i < SM_BLOCKS_MAX; i++) {
            const struct block *b = g->sms[k].blocks.block[i];
            for (u32 n = 0; b && n < b->state.warp_n; n++) {
                const struct context *c = b->context[n];
                bool runs = !context_has_ended(c) && c->wait != WAIT_BARRIER;
                if (runs && c->warp.alive != c->warp.mask) return c;
            }
        }
    return NULL;
}

bool trouble_repeats(struct gpu *g, u64 now)
{
    g->repeats = false;
    const struct context *c = all_repeat(g) ? repeating_warp(g) : NULL;
    if (!c) return false;
    g->now = now + 1;
    const struct warp *w = &c->warp;
    struct fault *f = &g->trouble.fault;
    struct text t = {0};
    g->trouble = place_of(c);
    g->trouble.deadlock = true;
    g->trouble.what = "all warps wait or loop without effect, but kernels have not ended";
    f->line = w->repeated->line;
    f->pc = w->pc;
    f->lane = (u32)__builtin_ctz(w->mask);
    text_add(&t, "warp %u repeats a loop without effect with ", w->warp_id);
    lanes_show(w->mask, &t);
    text_add(&t, ", while ");
    lanes_show(w->alive & ~w->mask, &t);
    text_add(&t, " can continue only afterwards%s",
             w->block->independent ? "" : " (sm.independent_threads is off)");
    snprintf(f->detail, sizeof f->detail, "%s", text_get(&t));
    text_free(&t);
    return true;
}

/* ---- starvation ---- */

void trouble_starved(struct gpu *g, const struct kernel *k)
{
    u64 allowed = k->launch.cooperative ? dispatch_allowed(g->dispatch, k) : k->grid_blocks;
    if (allowed < k->grid_blocks)
        text_add(&g->trouble_text,
                 "the %llu blocks of the cooperative kernel '%s' must be resident at once; the "
                 "policy allows %llu",
                 (unsigned long long)k->grid_blocks, k->work.grid.program->shown,
                 (unsigned long long)allowed);
    else if (k->cluster_n > 1)
        text_add(&g->trouble_text,
                 "kernel '%s' was admitted, but a cluster of %u blocks got no SMs of a GPC for "
                 "%llu cycles",
                 k->work.grid.program->shown, k->cluster_n,
                 (unsigned long long)g->machine.policy.patience);
    else
        text_add(&g->trouble_text,
                 "kernel '%s' was admitted and fits, but got no block for %llu cycles",
                 k->work.grid.program->shown, (unsigned long long)g->machine.policy.patience);
    g->trouble = (struct gpu_trouble){.app_id = k->work.app_id,
                                      .program = k->work.grid.program,
                                      .what = text_get(&g->trouble_text)};
}

/* ---- policies ---- */

void trouble_policy(struct gpu *g)
{
    g->trouble = (struct gpu_trouble){.app_id = APPS_MAX,
                                      .what = text_get(&g->dispatch->hooks.broke)};
}
