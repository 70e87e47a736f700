/* Notes what a block reads and writes while it is still idempotent. See idempotence.h. */
#include "exec/idempotence.h"
#include "exec/warp.h"

#include <string.h>

static void range_remove(struct idempotence *x, u32 at)
{
    x->range_n--;
    memmove(&x->range[at], &x->range[at + 1], (x->range_n - at) * sizeof x->range[0]);
}

/* The two neighbours with the least between them become one. */
static void ranges_join(struct idempotence *x)
{
    struct address_range *r = x->range;
    u32 at = 0;
    for (u32 k = 1; k + 1 < x->range_n; k++)
        if (r[k + 1].start - r[k].end < r[at + 1].start - r[at].end) at = k;
    r[at].end = r[at + 1].end;
    range_remove(x, at + 1);
}

static void range_add(struct idempotence *x, u64 start, u64 end)
{
    struct address_range *r = x->range;
    u32 at = 0;
    while (at < x->range_n && r[at].end < start) at++;
    if (at == x->range_n || r[at].start > end) {
        memmove(&r[at + 1], &r[at], (x->range_n++ - at) * sizeof *r);
        r[at] = (struct address_range){start, end};
        if (x->range_n > IDEMPOTENCE_RANGES) ranges_join(x);
        return;
    }
    r[at].start = min_u64(r[at].start, start);
    r[at].end = max_u64(r[at].end, end);
    while (at + 1 < x->range_n && r[at + 1].start <= r[at].end) {
        r[at].end = max_u64(r[at].end, r[at + 1].end);
        range_remove(x, at + 1);
    }
}

static bool was_read(const struct idempotence *x, u64 start, u64 end)
{
    for (u32 k = 0; k < x->range_n; k++)
        if (x->range[k].start < end && start < x->range[k].end) return true;
    return false;
}

static struct address_range touched(const struct effect *e)
{
    u32 first = (u32)__builtin_ctz(e->mask);
    u64 least = e->address[first], most = least;
    if (e->linear) {
        most += (31 - (u32)__builtin_clz(e->mask) - first) * (u64)e->size_bytes;
    } else if (!e->uniform) {
        for (u32 left = e->mask; left; left &= left - 1) {
            u64 address = e->address[__builtin_ctz(left)];
            least = min_u64(least, address);
            most = max_u64(most, address);
        }
    }
    return (struct address_range){least, most + e->size_bytes};
}

static bool ends(struct idempotence *x, const struct effect *e, const struct inst *i)
{
    if (i->form.op == OP_BUILTIN) return true;
    if (e->kind != EFFECT_MEMORY || !e->mask) return false;
    if (i->form.space == SPACE_NONE && e->mask != e->executed) return true; /* several spaces */
    if (e->space != SPACE_GLOBAL) return false;
    if (e->atomic) return true;
    struct address_range r = touched(e);
    if (e->store) return was_read(x, r.start, r.end);
    range_add(x, r.start, r.end);
    return false;
}

static void step(struct warp *w, const struct inst *i)
{
    struct idempotence *x = w->block->idempotence;
    const struct effect *e = w->effect;
    w->program->noted->step(w, i);
    x->thread_instructions += (u32)__builtin_popcount(e->executed);
    if (!x->ended && e->executed && ends(x, e, i)) x->ended = true;
}

void idempotence_program(struct program *copy, const struct program *p)
{
    *copy = *p;
    copy->step = step;
    copy->noted = p;
}
