/* Quotas of warp instructions: an app that has used up its own issues nothing more on this SM until
 * every app with a quota and a block here has; then all are full again. `place` sets them by the
 * policy's answer, issue.c takes from them, scheduler.c keeps the warps of shut apps out of
 * `active`. An SM that never had a quota pays nothing: its schedulers issue by another way. Model:
 * warp-instruction quotas of paper 000 section 4; one scope per SM, shared by its schedulers. */
#include "chip/sm/scheduler.h"
#include "chip/sm/sm.h"
#include "chip/sm/stall.h"

/* What the policy said has changed. */
static void reopen(struct sm *sm)
{
    sm->governed = true;
    sm->issue_way = 0;
    for (u32 k = 0; k < sm->conf->schedulers; k++) {
        scheduler_open(sm, &sm->scheduler[k]);
        sm->scheduler[k].stall = NULL;
    }
    sm->issue_at = 0;
    sm->admitted = true; /* gpu has to look at it */
}

/* ---- quotas ---- */

static bool counts(const struct sm *sm, u32 app)
{
    return sm->quota.of[app] != SM_NO_QUOTA && sm->seated_n[app];
}

static void shut_set(struct sm *sm, u32 shut)
{
    if (shut == sm->quota.shut) return;
    sm->quota.shut = shut;
    reopen(sm);
}

/* Apps without a block here have nothing left: nobody waits for them. */
static void settle(struct sm *sm)
{
    struct quota *q = &sm->quota;
    bool some = false;
    u32 shut = 0;
    for (u32 a = 0; a < APPS_MAX; a++) {
        if (!sm->seated_n[a]) q->left[a] = 0;
        some |= counts(sm, a) && q->left[a];
    }
    for (u32 a = 0; a < APPS_MAX; a++) {
        if (!counts(sm, a)) continue;
        if (!some) q->left[a] = q->of[a];
        if (!q->left[a]) shut |= 1u << a;
    }
    shut_set(sm, shut);
}

void sm_set_quota(struct sm *sm, const u32 quota[APPS_MAX], u64 now)
{
    struct quota *q = &sm->quota;
    bool on = q->on;
    for (u32 a = 0; a < APPS_MAX; a++) on |= quota[a] != SM_NO_QUOTA;
    if (!on) return;
    stalls_catch_up(sm, now + 1);
    for (u32 a = 0; a < APPS_MAX; a++) {
        check(quota[a]);
        bool first = !q->on || q->of[a] == SM_NO_QUOTA;
        q->of[a] = quota[a];
        if (first) q->left[a] = quota[a];
    }
    q->on = true;
    if (!sm->governed) reopen(sm);
    settle(sm);
}

void quota_take(struct sm *sm, u32 app_id)
{
    struct quota *q = &sm->quota;
    if (!q->on || q->of[app_id] == SM_NO_QUOTA) return;
    if (!--q->left[app_id]) settle(sm);
}

void quota_moved(struct sm *sm)
{
    if (sm->quota.on) settle(sm);
}
