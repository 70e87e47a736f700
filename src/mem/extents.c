#include "mem/extents.h"

#include <string.h>

static void extent_remove(struct extents *x, u32 k)
{
    x->n--;
    memmove(&x->at[k], &x->at[k + 1], (x->n - k) * sizeof x->at[0]);
}

static void closest_join(struct extents *x)
{
    struct extent *r = x->at;
    u32 at = 0;
    for (u32 k = 1; k + 1 < x->n; k++)
        if (r[k + 1].start - r[k].end < r[at + 1].start - r[at].end) at = k;
    r[at].end = r[at + 1].end;
    extent_remove(x, at + 1);
}

void extents_add(struct extents *x, u64 start, u64 end)
{
    struct extent *r = x->at;
    u32 k = 0;
    while (k < x->n && r[k].end < start) k++;
    if (k == x->n || r[k].start > end) {
        memmove(&r[k + 1], &r[k], (x->n++ - k) * sizeof *r);
        r[k] = (struct extent){start, end};
        if (x->n > EXTENTS_MAX) closest_join(x);
        return;
    }
    r[k].start = min_u64(r[k].start, start);
    r[k].end = max_u64(r[k].end, end);
    while (k + 1 < x->n && r[k + 1].start <= r[k].end) {
        r[k].end = max_u64(r[k].end, r[k + 1].end);
        extent_remove(x, k + 1);
    }
}

bool extents_meet(const struct extents *x, u64 start, u64 end)
{
    for (u32 k = 0; k < x->n; k++)
        if (x->at[k].start < end && start < x->at[k].end) return true;
    return false;
}
