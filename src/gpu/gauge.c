#include "gpu/gauge.h"
#include "gpu/dispatch/dispatch_state.h"
#include "gpu/state.h"

/* ---- answers at an SM or a partition ---- */

#define NO_ANSWER UINT32_MAX
#define UNDEFINED __builtin_nan("")
_Static_assert(CORUN_NO_QUOTA == NO_ANSWER && CORUN_NO_LIMIT == NO_ANSWER, "no answer");

static u32 some(u32 answer) { return answer ? answer : NO_ANSWER; }

/* Returns the app's first kernel with pending blocks; NULL: none. */
static const struct kernel *first_pending(const struct gpu *g, u32 app_id)
{
    const struct dispatch *p = g->dispatch;
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *k = p->kernels[i];
        if (k->work.app_id == app_id && kernel_pending(k)) return k;
    }
    return NULL;
}

static u32 target_at(const struct gpu *g, u32 sm, u32 app_id)
{
    const struct kernel *k = first_pending(g, app_id);
    return k && k->admitted ? some(min_u32(k->target[sm], k->full_blocks)) : NO_ANSWER;
}

static u32 extra_at(const struct gpu *g, u32 sm, u32 app_id)
{
    const struct kernel *k = first_pending(g, app_id);
    (void)sm;
    return k ? some(k->work.residency.extra_blocks) : NO_ANSWER;
}

static u32 issue_rank_at(const struct gpu *g, u32 sm, u32 app_id)
{
    const struct dispatch *p = g->dispatch;
    const struct order *order = &g->sms[sm].policy.order;
    bool here = false;
    for (u32 i = 0; i < p->kernel_n; i++)
        here |= p->kernels[i]->work.app_id == app_id && p->kernels[i]->resident[sm];
    return order->on && here ? order->rank[app_id] : NO_ANSWER;
}

static u32 quota_at(const struct gpu *g, u32 sm, u32 app_id)
{
    const struct quota *quota = &g->sms[sm].policy.quota;
    return quota->on ? quota->of[app_id] : NO_ANSWER;
}

static u32 limit_at(const struct gpu *g, u32 sm, u32 app_id)
{
    const struct gate *gate = &g->sms[sm].policy.gate;
    return gate->limited >> app_id & 1 ? gate->limit[app_id] : NO_ANSWER;
}

static u32 l1_ways_at(const struct gpu *g, u32 sm, u32 app_id)
{
    return some(g->dispatch->hooks.latched[sm].ways[app_id]);
}

static u32 l1_mshrs_at(const struct gpu *g, u32 sm, u32 app_id)
{
    return some(g->dispatch->hooks.latched[sm].mshrs[app_id]);
}

static u32 l1_missq_at(const struct gpu *g, u32 sm, u32 app_id)
{
    return some(g->dispatch->hooks.latched[sm].missq[app_id]);
}

static u32 l2_ways_at(const struct gpu *g, u32 partition, u32 app_id)
{
    return some(g->dispatch->hooks.latched[g->sm_n + partition].ways[app_id]);
}

static u32 dram_rank_at(const struct gpu *g, u32 partition, u32 app_id)
{
    const u8 *rank = g->dispatch->hooks.latched[g->sm_n + partition].rank.of;
    bool differ = false;
    for (u32 a = 1; a < g->app_n; a++) differ |= rank[a] != rank[0];
    return differ ? rank[app_id] : NO_ANSWER;
}

/* ---- folds over places ---- */

struct answers {
    u64 sum;
    u32 n;
};

static struct answers answers_of(const struct gpu *g, u32 place_n, u32 app_id,
                                 u32 (*at)(const struct gpu *g, u32 place, u32 app_id))
{
    struct answers all = {0};
    for (u32 place = 0; app_id < g->app_n && place < place_n; place++) {
        u32 answer = at(g, place, app_id);
        if (answer == NO_ANSWER) continue;
        all.sum += answer;
        all.n++;
    }
    return all;
}

static double mean_of(struct answers all)
{
    return all.n ? (double)all.sum / all.n : UNDEFINED;
}

/* Undefined, not 0, while no kernel of the app waits for SMs. */
static double sms_of(const struct gpu *g, struct answers all, u32 app_id)
{
    return first_pending(g, app_id) ? all.n : UNDEFINED;
}

/* ---- queues ---- */

static void waiting_for_l2(struct gpu *g, u32 n[OWNERS_MAX])
{
    for (u32 k = 0; k < g->slice_n; k++) l2_waiting(&g->slices[k], g->next[DOMAIN_L2], n);
}

/* A channel may take a request from a slice before the due cycle (feed.c); the sum over both does
 * not depend on the hand-over. */
static void waiting_for_dram(struct gpu *g, u32 n[OWNERS_MAX])
{
    for (u32 k = 0; k < g->slice_n; k++) l2_sending(&g->slices[k], n);
    for (u32 k = 0; k < g->channel_n; k++) {
        dram_catch_up(&g->channels[k], gpu_dram_cycle(g));
        dram_waiting(&g->channels[k], n);
    }
}

static double waiting(struct gpu *g, void (*count)(struct gpu *g, u32 n[OWNERS_MAX]), u32 app_id)
{
    u32 n[OWNERS_MAX] = {0}, sum = 0;
    count(g, n);
    for (u32 a = 0; a < g->app_n; a++) {
        if (app_id < g->app_n && a != app_id) continue;
        EACH_OWNER (g->common, a, owner)
            sum += n[owner];
    }
    return sum;
}

/* ---- the rows ---- */

#define MEAN_SMS(at) mean_of(answers_of(g, g->sm_n, app_id, at))
#define MEAN_PARTITIONS(at) mean_of(answers_of(g, g->channel_n, app_id, at))
#define SMS(at) sms_of(g, answers_of(g, g->sm_n, app_id, at), app_id)

void gpu_gauges(struct gpu *g, u32 app_id, double value[GAUGE_N])
{
#define DECISION(fold, answer, ...) *value++ = fold(answer);
#define QUEUE(count, ...) *value++ = waiting(g, count, app_id);
#include "gpu/gauge.def"
#undef DECISION
#undef QUEUE
}

#define DECISION(fold, answer, name, unit, sentence) {name, unit, sentence},
#define QUEUE(count, name, unit, sentence) {name, unit, sentence},
const struct gauge_row gauge_rows[] = {
#include "gpu/gauge.def"
};
