#include "gpu/dispatch/dependent.h"

void ended_put(struct dispatch *p, const struct kernel *k, bool early, u64 now)
{
    check(p->ended_n < ENDED_MAX);
    p->ended[(p->ended_head + p->ended_n++) % ENDED_MAX] =
        (struct gpu_end){k->launch, k->work.owner, k->arrival, k->began, now, early};
}

/* Returns true if an earlier launch of the kernel's stream is at the GPU. */
static bool has_primary(const struct dispatch *p, const struct kernel *k)
{
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *other = p->kernels[i];
        if (other->order < k->order && other->work.app_id == k->work.app_id &&
            other->launch.stream == k->launch.stream)
            return true;
    }
    return false;
}

void dependent_begin(const struct dispatch *p, struct kernel *k)
{
    k->primary_runs = has_primary(p, k);
    k->work.grid.primary_runs = &k->primary_runs;
}

void block_signals(struct dispatch *p, struct kernel *k, u64 now)
{
    k->signalled++;
    bool ends = !k->running && !k->out_n;
    if (k->triggers && !ends && k->signalled == k->grid_blocks) ended_put(p, k, true, now);
}

static void block_release(struct dispatch *p, struct block *b)
{
    b->next_waiting = p->released;
    p->released = b;
}

void dependents_look(struct dispatch *p)
{
    for (u32 i = 0; i < p->kernel_n; i++) {
        struct kernel *k = p->kernels[i];
        if (likely(!k->primary_runs) || has_primary(p, k)) continue;
        k->primary_runs = false;
        while (k->waiting) {
            struct block *b = k->waiting;
            k->waiting = b->next_waiting;
            block_release(p, b);
        }
    }
}

void dependent_news(struct dispatch *p, struct block *b, u64 now)
{
    struct kernel *k = kernel_of(b->work);
    struct block_state *s = &b->state;
    if (s->triggered && !s->trigger_told) {
        s->trigger_told = k->triggers = true;
        block_signals(p, k, now);
    }
    if (!s->grid_waiting || s->wait_told) return;
    s->wait_told = true;
    if (!k->primary_runs) {
        block_release(p, b);
        return;
    }
    b->next_waiting = k->waiting;
    k->waiting = b;
}

struct block *dependent_released(struct dispatch *p)
{
    struct block *b = p->released;
    if (b) p->released = b->next_waiting;
    return b;
}
