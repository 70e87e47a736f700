#include "run/advise/splits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- list ---- */

bool splits_list(struct splits *s, u32 app_n, u32 sm_n, u32 step, struct fail *fail)
{
    struct mixes mixes = {.app_n = app_n};
    u32 units = (sm_n + step - 1) / step;
    *s = (struct splits){.app_n = app_n};
    mixes_add_splits(&mixes, units);
    if (!mixes.n) fail_plain(fail, "%u SMs in steps of %u are too few for %u apps", sm_n, step,
                             app_n);
    if (mixes.n > MIXES_MOST)
        fail_plain(fail, "more than %d splits of %u SMs among %u apps", MIXES_MOST, sm_n, app_n);
    if (!mixes.n) fail_note(fail, "give a smaller --step, or fewer apps");
    if (mixes.n > MIXES_MOST) fail_note(fail, "give a greater --step, as in --step %u", 2 * step);
    bool ok = mixes.n && mixes.n <= MIXES_MOST;
    if (ok) s->at = base_alloc(mixes.n * sizeof *s->at);
    for (u32 i = 0; ok && i < mixes.n; i++) {
        struct split *one = &s->at[s->n++];
        u32 left = sm_n;
        *one = (struct split){0};
        for (u32 a = 0; a + 1 < app_n; a++) {
            one->sms[a] = mixes.at[i].number[a] * step;
            left -= one->sms[a];
        }
        one->sms[app_n - 1] = left;
    }
    mixes_free(&mixes);
    return ok;
}

void splits_free(struct splits *s)
{
    free(s->at);
    *s = (struct splits){0};
}

/* ---- prediction ---- */

static u32 distance(const struct splits *s, const struct split *a, const struct split *b)
{
    u32 sum = 0;
    for (u32 i = 0; i < s->app_n; i++)
        sum += a->sms[i] > b->sms[i] ? a->sms[i] - b->sms[i] : b->sms[i] - a->sms[i];
    return sum;
}

/* Returns the mean ratio of isolated to simulated slowdown of an app, over the simulated splits
 * that give the app `sms` SMs, weighted by the inverse square of the distance; NAN: none. */
static double ratio_at(const struct splits *s, const struct curves *c, const struct split *at,
                       u32 app, u32 sms)
{
    double sum = 0, weights = 0;
    for (u32 i = 0; i < s->n; i++) {
        const struct split *known = &s->at[i];
        if (!known->simulated || known->sms[app] != sms) continue;
        double ratio = curve_slowdown(&c->of[app], sms) / known->slowdown[app];
        if (!isfinite(ratio)) continue;
        double far = (double)distance(s, at, known), weight = 1 / (far * far);
        sum += ratio * weight;
        weights += weight;
    }
    return sum / weights;
}

/* Returns the factor by which the other apps reduce the speed of an app: linear in the app's SMs
 * between simulated splits, up to 1 on all SMs; below the first simulated split as there. */
static double interference(const struct splits *s, const struct curves *c, const struct split *at,
                           u32 app)
{
    u32 own = at->sms[app], low = 0, high = curve_whole(&c->of[app])->sms;
    double below = (double)NAN, above = 1;
    for (u32 i = 0; i < s->n; i++) {
        u32 sms = s->at[i].sms[app];
        if (!s->at[i].simulated || (sms <= own ? sms <= low : sms >= high)) continue;
        double ratio = ratio_at(s, c, at, app, sms);
        if (isnan(ratio)) continue;
        if (sms <= own) {
            low = sms;
            below = ratio;
        } else {
            high = sms;
            above = ratio;
        }
    }
    return isnan(below) ? above : below + (above - below) * (own - low) / (high - low);
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
        s->slowdown[a] = curve_slowdown(curve, s->sms[a]) / interference(all, c, s, a);
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

u32 splits_gap(const struct splits *s, const struct split *of)
{
    u32 least = UINT32_MAX;
    for (u32 a = 0; a < s->app_n; a++) least = min_u32(least, of->sms[a]);
    for (u32 i = 0; i < s->n; i++)
        if (s->at[i].simulated) least = min_u32(least, distance(s, of, &s->at[i]) / 2);
    return least;
}

double splits_warp(const struct splits *s)
{
    double sum = 0;
    for (u32 i = 0; i < s->n; i++) sum += (double)s->at[i].warp;
    return sum;
}
