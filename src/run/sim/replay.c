#include "run/sim/replay.h"

#include <math.h>
#include <stdlib.h>
#include "base/percentile.h"

#define SLOWER_MOST 1e6 /* keeps sums of cycles below 2^64 */

void replay_take(struct replay *p, const struct requests *r)
{
    *p = (struct replay){0};
    if (!r) return;
    p->n = (u32)min_u64(r->ended_n, r->total);
    p->warmup = (u32)min_u64(r->warmup, p->n);
    p->clients = r->clients;
    p->at = base_alloc((p->n + 1) * sizeof *p->at);
    for (u32 i = 0; i < p->n; i++) {
        const struct request *q = &r->at[i];
        p->at[i] = (struct replay_request){q->arrived, q->began - q->arrived, q->ended - q->began};
    }
}

void replay_free(struct replay *p)
{
    free(p->at);
    *p = (struct replay){0};
}

double replay_served(const struct replay *p)
{
    u64 sum = 0;
    for (u32 i = 0; i < p->n; i++) sum += p->at[i].served;
    return (double)sum / p->n;
}

/* Sorts the latencies of the measured requests, and returns the percentile. */
static double p99_of(const struct replay *p, u64 *latency)
{
    u32 n = p->n - p->warmup;
    sort_u64(latency + p->warmup, n);
    return (double)percentile(latency + p->warmup, n, 99);
}

double replay_p99(const struct replay *p)
{
    if (p->n - p->warmup < REQUESTS_P99) return (double)NAN;
    u64 *latency = base_alloc(p->n * sizeof *latency);
    for (u32 i = 0; i < p->n; i++) latency[i] = p->at[i].waited + p->at[i].served;
    double p99 = p99_of(p, latency);
    free(latency);
    return p99;
}

double replay_p99_slower(const struct replay *p, double slower)
{
    if (p->n - p->warmup < REQUESTS_P99 || !(slower <= SLOWER_MOST)) return (double)NAN;
    u64 *latency = base_alloc(2 * p->n * sizeof *latency), *answered = latency + p->n, now = 0;
    for (u32 i = 0; i < p->n; i++) {
        bool again = p->clients && i >= p->clients; /* the client's earlier request is answered */
        u64 arrived = again ? answered[i - p->clients] : p->at[i].arrived;
        now = max_u64(now, arrived) + (u64)((double)p->at[i].served * slower + 0.5);
        answered[i] = now;
        latency[i] = now - arrived;
    }
    double p99 = p99_of(p, latency);
    free(latency);
    return p99;
}
