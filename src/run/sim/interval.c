#include "run/sim/interval.h"

#include <stdlib.h>
#include <string.h>

/* Merges pairs of intervals. The later snapshot of each pair stays, because all snapshots count
 * from cycle 0. */
static void merge(struct intervals *v, const struct machine *m)
{
    u32 owners = v->app_n + 1;
    for (size_t i = 0; i < v->n / 2; i++) {
        v->at[i] = (struct interval){.start = v->at[2 * i].start, .end = v->at[2 * i + 1].end};
        gpu_capacity(m, v->at[i].end - v->at[i].start, &v->at[i].capacity);
        memcpy(&v->stats[i * owners], &v->stats[(2 * i + 1) * owners], owners * sizeof *v->stats);
    }
    v->n /= 2;
    v->every *= 2;
}

bool intervals_take(struct intervals *v, struct board *g, const struct machine *m)
{
    u64 start = v->n ? v->at[intervals_place(v, v->n - 1)].end : 0, end = board_now(g);
    u32 owners = v->app_n + 1, place = (u32)intervals_place(v, v->n);
    if (!v->every || end == start) return false;
    v->stats = base_grow(v->stats, place, &v->stat_room, owners * sizeof *v->stats);
    v->at = base_grow(v->at, place, &v->room, sizeof *v->at);
    v->at[place] = (struct interval){.start = start, .end = end};
    gpu_capacity(m, end - start, &v->at[place].capacity);
    for (u32 a = 0; a < owners; a++)
        board_stat(g, a < v->app_n ? a : APPS_MAX, &v->stats[(size_t)place * owners + a]);
    if (++v->n == v->most) merge(v, m);
    return true;
}

static void add_interval(const struct intervals *v, size_t i, u32 owner, struct gpu_stat *out)
{
    u32 owners = v->app_n + 1;
    const struct gpu_stat zero = {0}, *now = &v->stats[intervals_place(v, i) * owners + owner];
    const struct gpu_stat *before =
        i ? &v->stats[intervals_place(v, i - 1) * owners + owner] : &zero;
    u64 most = out->max_resident + now->max_resident;
    stat_sum(out, now, sizeof *out);
    stat_subtract(out, before, sizeof *out);
    out->max_resident = most;
}

void intervals_stat(const struct intervals *v, size_t i, u32 app_id, struct gpu_stat *out)
{
    *out = (struct gpu_stat){0};
    if (app_id < v->app_n) add_interval(v, i, app_id, out);
    else for (u32 a = 0; a <= v->app_n; a++) add_interval(v, i, a, out);
}

void intervals_free(struct intervals *v)
{
    free(v->at);
    free(v->stats);
    *v = (struct intervals){0};
}
