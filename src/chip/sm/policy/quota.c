/* A policy's answers about issue on an SM, set by ask_sm.c; from the first answer on the SM is
 * governed. Other SMs have no overhead, because the schedulers issue without consulting this file.
 *
 * Model: quotas of paper 000 section 4: an app that has used up the quota issues nothing more on
 * the SM (all schedulers together) until every app with a quota and a block on the SM has used up
 * its own; then all quotas are refilled. Order of kernels of paper 002 section 4.3: the scheduler
 * chooses the app first, then a warp by the scheduler's own rule, with a last warp per app.
 * sm.boundary_priority, same section: if warps of urgent blocks can issue, only these issue,
 * subject to the active set and the order. */
#include "chip/sm/policy/quota.h"
#include "chip/sm/front/scheduler.h"

#include <string.h>

/* ---- quotas ---- */

static bool counts(const struct sm *sm, u32 app)
{
    return sm->policy.quota.of[app] != SM_NO_QUOTA && sm->blocks.seated_n[app];
}

static void shut_set(struct sm *sm, u32 shut, u64 from)
{
    if (shut == sm->policy.quota.shut) return;
    sm->policy.quota.shut = shut;
    scheduler_govern(sm, from);
}

/* Refills all quotas if used up. Apps without a block on the SM have no quota left, so that no
 * other app waits for them. */
static void quotas_renew(struct sm *sm, u64 from)
{
    struct quota *q = &sm->policy.quota;
    bool some = false;
    u32 shut = 0;
    for (u32 a = 0; a < APPS_MAX; a++) {
        if (!sm->blocks.seated_n[a]) q->left[a] = 0;
        some |= counts(sm, a) && q->left[a];
    }
    for (u32 a = 0; a < APPS_MAX; a++) {
        if (!counts(sm, a)) continue;
        if (!some) q->left[a] = q->of[a];
        if (!q->left[a]) shut |= 1u << a;
    }
    shut_set(sm, shut, from);
}

void sm_set_quota(struct sm *sm, const u32 quota[APPS_MAX], u64 now)
{
    struct quota *q = &sm->policy.quota;
    bool on = q->on;
    for (u32 a = 0; a < APPS_MAX; a++) on |= quota[a] != SM_NO_QUOTA;
    if (!on) return;
    for (u32 a = 0; a < APPS_MAX; a++) {
        check(quota[a]);
        bool first = !q->on || q->of[a] == SM_NO_QUOTA;
        q->of[a] = quota[a];
        if (first) q->left[a] = quota[a];
    }
    q->on = true;
    if (!sm->front.governed) scheduler_govern(sm, now + 1);
    quotas_renew(sm, now + 1);
}

static void quota_take(struct sm *sm, u32 app_id, u64 now)
{
    struct quota *q = &sm->policy.quota;
    if (!q->on || q->of[app_id] == SM_NO_QUOTA) return;
    if (!--q->left[app_id]) quotas_renew(sm, now);
}

void quota_moved(struct sm *sm, u64 from)
{
    if (sm->policy.quota.on) quotas_renew(sm, from);
}

/* ---- urgent blocks ---- */

void sm_set_urgent(struct sm *sm, u64 slots, u64 now)
{
    if (slots == sm->policy.urgent) return;
    sm->policy.urgent = slots;
    scheduler_govern(sm, now + 1);
}

u64 urgent_pick(const struct scheduler *q, u64 *among, u64 *earlier)
{
    if (!(*among & q->urgent)) {
        *earlier = q->urgent;
        return ~0ull;
    }
    *among &= q->urgent;
    return q->urgent;
}

/* ---- order ---- */

static struct turns *turns_of(struct sm *sm, const struct scheduler *q)
{
    return &sm->policy.turns[q - sm->front.scheduler];
}

/* Gives each app a last_seat of its own. An app no longer ordered together with others, or newly
 * ordered, continues from the shared position. */
static void last_seats_part(const struct order *o, struct turns *t, u8 last_seat)
{
    u8 was[APPS_MAX];
    memcpy(was, t->last_seat, sizeof was);
    for (u32 a = 0; a < APPS_MAX; a++) t->last_seat[a] = o->on ? was[o->as_one[a]] : last_seat;
}

void sm_set_order(struct sm *sm, const u32 rank[APPS_MAX], enum corun_rule rule, u64 now)
{
    struct order *o = &sm->policy.order;
    bool on = rule != CORUN_NO_RULE;
    for (u32 a = 1; a < APPS_MAX; a++) on |= rank[a] != rank[0];
    if (!on && !o->on) return;
    for (u32 k = 0; k < sm->conf->schedulers; k++)
        last_seats_part(o, &sm->policy.turns[k], sm->front.scheduler[k].last_seat);
    *o = (struct order){.on = on, .rule = (u8)rule};
    for (u32 a = 0; a < APPS_MAX; a++) {
        u32 first = rule == CORUN_NO_RULE ? 0 : a;
        while (rank[first] != rank[a]) first++;
        o->as_one[a] = (u8)first;
        o->rank[a] = rank[a];
    }
    scheduler_govern(sm, now + 1);
}

static bool goes_before(const struct order *o, const struct turns *t, u32 a, u32 b)
{
    if (o->rank[a] != o->rank[b]) return o->rank[a] < o->rank[b];
    if (o->rule == CORUN_ROTATE)
        return (a - t->turn) % APPS_MAX < (b - t->turn) % APPS_MAX;
    /* no ready warps: ratio 0 */
    u64 ready_a = max_u64(t->ready[a], 1), ready_b = max_u64(t->ready[b], 1);
    return t->issued[a] * ready_b < t->issued[b] * ready_a;
}

static u32 goes_first(const struct order *o, const struct turns *t, u32 apps)
{
    u32 best = (u32)__builtin_ctz(apps);
    for (u32 left = apps; left; left &= left - 1)
        if (goes_before(o, t, (u32)__builtin_ctz(left), best)) best = (u32)__builtin_ctz(left);
    return best;
}

/* Advances the rules. Called only in cycles with an issue: otherwise no warp is ready, and cycles
 * without issue, skipped or not, must change nothing. */
static void rule_count(const struct order *o, struct turns *t, u64 among, const u64 *of, u32 able,
                       u32 first)
{
    enum { SUM_MAX = 1 << 30 };
    u32 next = first;
    for (u32 left = able; left; left &= left - 1) {
        u32 a = (u32)__builtin_ctz(left);
        t->ready[a] += (u32)__builtin_popcountll(among & of[a]);
        if (t->ready[a] > SUM_MAX) {
            t->ready[a] /= 2;
            t->issued[a] /= 2;
        }
        bool later = o->rank[a] == o->rank[first] && a != t->turn;
        bool nearer = next == t->turn ||
                      (a - t->turn) % APPS_MAX < (next - t->turn) % APPS_MAX;
        if (later && nearer) next = a;
    }
    t->turn = (u8)next;
    t->issued[first]++;
}

u64 order_pick(struct sm *sm, const struct scheduler *q, u64 among, u64 *earlier)
{
    const struct order *o = &sm->policy.order;
    struct turns *turns = turns_of(sm, q);
    u64 of[APPS_MAX] = {0};
    u32 here = 0, able = 0, first;
    for (u32 left = q->apps; left; left &= left - 1) {
        u32 a = (u32)__builtin_ctz(left), one = o->as_one[a];
        of[one] |= q->of_app[a];
        here |= 1u << one;
        able |= (u32)((among & q->of_app[a]) != 0) << one;
    }
    for (u32 left = here;; left &= ~(1u << first)) {
        first = goes_first(o, turns, left);
        if (able >> first & 1) break;
        *earlier |= of[first];
    }
    rule_count(o, turns, among, of, able, first);
    scheduler_resume(sm, q, turns->last_seat[first]);
    return of[first];
}

void governed_issue(struct sm *sm, const struct scheduler *q, u32 rank, u64 now)
{
    u32 app = q->by_rank[rank].app;
    turns_of(sm, q)->last_seat[sm->policy.order.as_one[app]] = (u8)(q->by_rank[rank].seat + 1);
    quota_take(sm, app, now);
}
