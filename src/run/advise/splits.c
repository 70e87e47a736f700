#include "run/advise/splits.h"

#include <math.h>
#include <stdlib.h>

void splits_free(struct splits *s)
{
    free(s->at);
    arena_free(&s->arena);
    *s = (struct splits){0};
}

/* ---- prediction ---- */

static double distance(const struct splits *s, const struct split *a, const struct split *b)
{
    double sum = 0;
    for (u32 i = 0; i < s->app_n; i++) sum += fabs(a->share[i] - b->share[i]);
    return sum;
}

/* Returns the slowdown of an app on a split without the other apps: by the app's SMs, and of an
 * instance at least by the DRAM bandwidth. */
static double by_itself(const struct curves *c, const struct split *s, u32 app)
{
    double slowdown = curve_slowdown(&c->of[app], s->share[app]), memory = s->memory[app];
    double busy = memory < 1 ? curves_dram_use(c, app) / memory : 0;
    return busy > slowdown ? busy : slowdown;
}

/* Returns the ratio of isolated to simulated slowdown of an app on simulated splits of the same
 * kind that give the app `share` SMs: of a split with equal SMs for all apps, else the mean
 * weighted by the inverse square of the distance. NAN: none. */
static double ratio_at(const struct splits *s, const struct curves *c, const struct split *at,
                       u32 app, double share)
{
    double sum = 0, weights = 0;
    for (u32 i = 0; i < s->n; i++) {
        const struct split *known = &s->at[i];
        if (!known->simulated || known->kind != at->kind || known->share[app] < share ||
            known->share[app] > share) continue;
        double ratio = by_itself(c, known, app) / known->slowdown[app];
        if (!isfinite(ratio)) continue;
        double far = distance(s, at, known);
        if (!(far > 0)) return ratio;
        double weight = 1 / (far * far);
        sum += ratio * weight;
        weights += weight;
    }
    return sum / weights;
}

/* Returns the factor by which the other apps reduce the speed of an app: linear in the app's SMs
 * between simulated splits of the same kind, up to 1 on all SMs; below the first simulated split as
 * there. */
static double interference(const struct splits *s, const struct curves *c, const struct split *at,
                           u32 app)
{
    double own = at->share[app], low = 0, high = curve_whole(&c->of[app])->sms;
    double below = (double)NAN, above = 1;
    for (u32 i = 0; i < s->n; i++) {
        double share = s->at[i].share[app];
        if (!s->at[i].simulated || (share <= own ? share <= low : share >= high)) continue;
        double ratio = ratio_at(s, c, at, app, share);
        if (isnan(ratio)) continue;
        if (share <= own) {
            low = share;
            below = ratio;
        } else {
            high = share;
            above = ratio;
        }
    }
    if (isnan(below)) return above;
    return low < own ? below + (above - below) * (own - low) / (high - low) : below;
}

/* Estimates the warp instructions of a shared run from the rates of the apps. */
static u64 shared_warp(const struct split *s, const struct curves *c, u32 app_n)
{
    enum until until = c->sim->until;
    double end = 0, sum = 0;
    for (u32 a = 0; a < app_n; a++) {
        double cycles = (double)curve_whole(&c->of[a])->cycles * s->slowdown[a];
        if (cycles > end) end = cycles;
    }
    double limit = (double)c->sim->cycles;
    if (limit > 0 && (until == UNTIL_WINDOW || end > limit)) end = limit;
    for (u32 a = 0; a < app_n; a++) {
        const struct alone *whole = curve_whole(&c->of[a]);
        double warp = (double)whole->stats.sm.inst_warp, own = (double)whole->cycles *
                                                               s->slowdown[a];
        bool once = until == UNTIL_END && own < end;
        if (own > 0) sum += once ? warp : warp * end / own;
    }
    return sum > 0 && sum < 1e18 ? (u64)sum : 0;
}

static void predict(struct split *s, const struct splits *all, const struct curves *c)
{
    for (u32 a = 0; a < all->app_n; a++) {
        const struct curve *curve = &c->of[a];
        s->slowdown[a] = by_itself(c, s, a) / interference(all, c, s, a);
        s->ipc[a] = alone_ipc_thread(curve_whole(curve)) / s->slowdown[a];
    }
    s->warp = shared_warp(s, c, all->app_n);
}

static bool dominates(const struct split *a, const struct split *b, u32 app_n)
{
    bool better = false;
    for (u32 i = 0; i < app_n; i++) {
        if (!(a->slowdown[i] <= b->slowdown[i])) return false;
        better |= a->slowdown[i] < b->slowdown[i];
    }
    return better;
}

static void mark_front(struct splits *s)
{
    for (u32 i = 0; i < s->n; i++) {
        struct split *one = &s->at[i];
        one->front = true;
        for (u32 a = 0; a < s->app_n; a++) one->front &= isfinite(one->slowdown[a]) != 0;
        for (u32 k = 0; k < s->n && one->front; k++)
            one->front = !dominates(&s->at[k], one, s->app_n);
    }
}

void splits_predict(struct splits *s, const struct curves *c, const struct goal *g)
{
    for (u32 i = 0; i < s->n; i++)
        if (!s->at[i].simulated) predict(&s->at[i], s, c);
    for (u32 i = 0; i < s->n; i++) {
        struct split *one = &s->at[i];
        double np[APPS_MAX];
        for (u32 a = 0; a < s->app_n; a++) np[a] = 1 / one->slowdown[a];
        one->value = g->metric->value(np, one->ipc, s->app_n);
        one->excess = goal_excess(g, one->slowdown, s->app_n);
    }
    mark_front(s);
}

void splits_take(struct split *s, const struct sim *sim, const struct curves *c)
{
    bool good = sim->status == SIM_COMPLETED || sim->status == SIM_CYCLE_LIMIT;
    s->simulated = true;
    s->status = sim->status;
    s->warp = sim->stats.sm.inst_warp;
    for (u32 a = 0; a < sim->app_n; a++) {
        double np = normalized_ipc(&sim->apps[a], curve_whole(&c->of[a]));
        s->slowdown[a] = good && np > 0 ? 1 / np : (double)NAN;
        s->ipc[a] = good ? app_ipc_thread(&sim->apps[a]) : (double)NAN;
    }
}

/* ---- order ---- */

bool split_better(const struct goal *g, const struct split *a, const struct split *b)
{
    if (isnan(a->value) || isnan(a->excess)) return false;
    if (isnan(b->value) || isnan(b->excess)) return true;
    bool a_meets = a->excess <= 1, b_meets = b->excess <= 1;
    if (a_meets != b_meets) return a_meets;
    if (!a_meets && (a->excess < b->excess || a->excess > b->excess)) return a->excess < b->excess;
    return g->metric->best == METRIC_MORE ? a->value > b->value : a->value < b->value;
}

bool splits_known(const struct splits *s, enum split_kind kind)
{
    bool known = false;
    for (u32 i = 0; i < s->n; i++) known |= s->at[i].simulated && s->at[i].kind == kind;
    return known;
}

double splits_gap(const struct splits *s, const struct split *of)
{
    double least = of->share[0];
    for (u32 a = 1; a < s->app_n; a++) least = fmin(least, of->share[a]);
    for (u32 i = 0; i < s->n; i++)
        if (s->at[i].simulated && s->at[i].kind == of->kind)
            least = fmin(least, distance(s, of, &s->at[i]) / 2);
    return least;
}

double splits_warp(const struct splits *s)
{
    double sum = 0;
    for (u32 i = 0; i < s->n; i++) sum += (double)s->at[i].warp;
    return sum;
}
