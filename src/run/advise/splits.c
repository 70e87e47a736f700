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

static double slowdown_of(const struct split *s, u32 app, enum pace pace)
{
    return pace == PACE_SERVICE ? s->service[app] : s->slowdown[app];
}

/* Returns the slowdown of an app on a split without the other apps: by the app's SMs, and of an
 * instance at least by the DRAM bandwidth. */
static double by_itself(const struct curves *c, const struct split *s, u32 app, enum pace pace)
{
    double slowdown = curve_slowdown(&c->of[app], pace, s->share[app]), memory = s->memory[app];
    double busy = memory < 1 ? curves_dram_use(c, app, pace) / memory : 0;
    return busy > slowdown ? busy : slowdown;
}

struct predictor {           /* predicts a slowdown of an app on the split `at` */
    const struct splits *s;
    const struct curves *c;
    const struct split *at;
    u32 app;
    enum pace pace;
};

/* Returns the ratio of isolated to simulated slowdown of the app on simulated splits of the same
 * kind that give the app `share` SMs: of a split with equal SMs for all apps, else the mean
 * weighted by the inverse square of the distance. NAN: none. */
static double ratio_at(const struct predictor *p, double share)
{
    double sum = 0, weights = 0;
    for (u32 i = 0; i < p->s->n; i++) {
        const struct split *known = &p->s->at[i];
        if (!known->simulated || known->kind != p->at->kind || known->share[p->app] < share ||
            known->share[p->app] > share) continue;
        double ratio = by_itself(p->c, known, p->app, p->pace) /
                       slowdown_of(known, p->app, p->pace);
        if (!isfinite(ratio)) continue;
        double far = distance(p->s, p->at, known);
        if (!(far > 0)) return ratio;
        double weight = 1 / (far * far);
        sum += ratio * weight;
        weights += weight;
    }
    return sum / weights;
}

/* Returns the factor by which the other apps reduce the speed of the app: linear in the app's SMs
 * between simulated splits of the same kind, up to 1 on all SMs; below the first simulated split as
 * there. */
static double interference(const struct predictor *p)
{
    double own = p->at->share[p->app], low = 0, high = curve_whole(&p->c->of[p->app])->sms;
    double below = (double)NAN, above = 1;
    for (u32 i = 0; i < p->s->n; i++) {
        double share = p->s->at[i].share[p->app];
        if (!p->s->at[i].simulated || (share <= own ? share <= low : share >= high)) continue;
        double ratio = ratio_at(p, share);
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

static double predicted(const struct predictor *p)
{
    return by_itself(p->c, p->at, p->app, p->pace) / interference(p);
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
        const struct alone *whole = curve_whole(&c->of[a]);
        s->slowdown[a] = predicted(&(struct predictor){all, c, s, a, PACE_IPC});
        s->ipc[a] = alone_ipc_thread(whole) / s->slowdown[a];
        s->service[a] = s->p99[a] = (double)NAN;
        if (!whole->requests.n) continue;
        s->service[a] = predicted(&(struct predictor){all, c, s, a, PACE_SERVICE});
        s->p99[a] = curves_us(c, replay_p99_slower(&whole->requests, s->service[a]));
    }
    s->warp = shared_warp(s, c, all->app_n);
}

/* Returns what the front compares of an app; lower is better. */
static double cost_of(const struct split *s, const struct goal *g, u32 app)
{
    return goal_has_p99(g, app) ? s->p99[app] : s->slowdown[app];
}

static bool dominates(const struct split *a, const struct split *b, const struct goal *g, u32 app_n)
{
    bool better = false;
    for (u32 i = 0; i < app_n; i++) {
        double own = cost_of(a, g, i), other = cost_of(b, g, i);
        if (!(own <= other)) return false;
        better |= own < other;
    }
    return better;
}

static void mark_front(struct splits *s, const struct goal *g)
{
    for (u32 i = 0; i < s->n; i++) {
        struct split *one = &s->at[i];
        one->front = true;
        for (u32 a = 0; a < s->app_n; a++) one->front &= isfinite(cost_of(one, g, a)) != 0;
        for (u32 k = 0; k < s->n && one->front; k++)
            one->front = !dominates(&s->at[k], one, g, s->app_n);
    }
}

void splits_predict(struct splits *s, const struct curves *c, const struct goal *g)
{
    for (u32 i = 0; i < s->n; i++)
        if (!s->at[i].simulated) predict(&s->at[i], s, c);
    for (u32 i = 0; i < s->n; i++) {
        struct split *one = &s->at[i];
        struct judged of = {one->slowdown, one->ipc, one->p99, s->app_n};
        one->value = goal_value(g, &of);
        one->excess = goal_excess(g, &of);
    }
    mark_front(s, g);
}

/* Takes the service time and the p99 of an app; `r` is NULL for an app without requests. */
static void take_requests(struct split *s, u32 app, const struct requests *r,
                          const struct curves *c)
{
    struct replay p;
    replay_take(&p, r);
    s->service[app] = replay_served(&p) / replay_served(&curve_whole(&c->of[app])->requests);
    s->p99[app] = curves_us(c, replay_p99(&p));
    replay_free(&p);
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
        take_requests(s, a, sim->apps[a].requests, c);
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
    return goal_more(g) ? a->value > b->value : a->value < b->value;
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
