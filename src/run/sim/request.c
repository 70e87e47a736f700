#include "run/sim/request.h"

#include <math.h>
#include <stdlib.h>

#include "base/percentile.h"
#include "base/rand.h"

#define INTEGER true
#define REAL false
#define REQUEST(type, key, unit, sentence) {#key, unit, sentence, type},
const struct request_row request_rows[REQUEST_N] = {
#include "run/sim/request.def"
};
#undef REQUEST
#undef INTEGER
#undef REAL

/* ---- arrivals ----
 * Model: an app executes its requests one after the other, in order of arrival; sending a request
 * and answering it take no time. */

/* Returns the number of whole cycles in a time. */
static u64 cycles_of(const struct rational *mhz, u64 picoseconds)
{
    return (u64)((u128)picoseconds * mhz->num / ((u128)mhz->den * 1000000));
}

static u64 gap_of(const struct rational *mhz, const struct rational *rate)
{
    u128 hertz = (u128)mhz->num * 1000000 << GAP_BITS;
    return (u64)(hertz * rate->den / rate->num / mhz->den);
}

/* Computes the arrival after arrived_n requests from the arrival before. */
static void next_arrival(struct requests *r)
{
    const struct arrivals *a = r->from;
    u64 gap = r->gap, number = r->arrived_n;
    if (number >= r->last || (a->kind == ARRIVALS_TRACE && number >= a->time_n)) {
        r->next = NEVER;
        return;
    }
    if (a->kind == ARRIVALS_TRACE) {
        r->next = r->start + cycles_of(&r->mhz, a->times[number]);
        return;
    }
    if (a->kind == ARRIVALS_POISSON)
        gap = (u64)((u128)rand_exponential(r->seed, r->place, number) * r->gap >> 32);
    else if (!number) return; /* periodic: at the start */
    u128 later = (u128)r->fraction + gap;
    r->next += (u64)(later >> GAP_BITS);
    r->fraction = (u64)later & (((u64)1 << GAP_BITS) - 1);
}

static void arrive(struct requests *r, u64 cycle)
{
    struct request one = {cycle, NEVER, NEVER, NEVER};
    r->at = base_grow(r->at, r->arrived_n, &r->room, sizeof *r->at);
    r->at[r->arrived_n++] = one;
}

struct requests *requests_new(const struct request_setup *setup)
{
    const struct arrivals *a = setup->from;
    struct requests *r = base_alloc(sizeof *r);
    bool limited = a->requests || (!setup->endless && a->kind != ARRIVALS_TRACE);
    *r = (struct requests){.from = a, .ranges = setup->ranges,
                           .mhz = setup->mhz, .start = setup->start,
                           .seed = a->seeded ? a->seed : setup->seed,
                           .place = RAND_ARRIVAL | (u64)setup->app << 48,
                           .next = setup->start, .warmup = a->warmup,
                           .deadline = a->deadline, .total = NEVER};
    if (limited) r->total = a->warmup + (a->requests ? a->requests : REQUESTS_P99);
    else if (a->kind == ARRIVALS_TRACE) r->total = a->time_n;
    r->last = a->kind == ARRIVALS_TRACE ? a->time_n : NEVER;
    if (setup->stops) r->last = min_u64(r->last, r->total);
    if (a->kind == ARRIVALS_CLOSED) {
        r->clients = min_u64(a->clients, r->last);
        for (u64 client = 0; client < r->clients; client++) arrive(r, setup->start);
        r->next = NEVER;
    } else {
        if (a->kind != ARRIVALS_TRACE) r->gap = gap_of(&r->mhz, &a->rate);
        next_arrival(r);
    }
    return r;
}

void requests_free(struct requests *r)
{
    if (r) free(r->at);
    free(r);
}

void requests_arrive(struct requests *r, u64 now)
{
    while (r->next <= now) {
        arrive(r, r->next);
        next_arrival(r);
    }
}

u64 requests_next(const struct requests *r)
{
    return r->began_n < r->arrived_n ? NEVER : r->next;
}

bool requests_begin(struct requests *r, u64 now)
{
    if (r->began_n == r->arrived_n) return false;
    r->at[r->began_n++].began = now;
    return true;
}

u64 requests_deadline(const struct requests *r)
{
    if (!r->deadline || r->began_n == r->ended_n) return NEVER;
    return r->at[r->ended_n].arrived + cycles_of(&r->mhz, r->deadline);
}

void requests_end(struct requests *r, u64 now)
{
    check(r->ended_n < r->began_n);
    r->at[r->ended_n++].ended = now;
    if (r->from->kind == ARRIVALS_CLOSED && r->arrived_n < r->last) arrive(r, now);
}

/* ---- quantities ---- */

struct span { u64 from, to; }; /* the measured time, in cycles */

static u64 within(const struct span *s, u64 from, u64 to)
{
    u64 low = max_u64(from, s->from), high = min_u64(to, s->to);
    return high > low ? high - low : 0;
}

/* Measures from the end of the warm-up to the end of the last measured request or of the run. */
static struct span span_of(const struct requests *r, u64 now)
{
    struct span s = {min_u64(r->start, now), now};
    if (r->warmup) s.from = r->ended_n >= r->warmup ? r->at[r->warmup - 1].ended : now;
    if (requests_done(r)) s.to = r->at[r->total - 1].ended;
    return s;
}

static void queue_values(const struct requests *r, const struct span *s, double *values)
{
    u64 present = 0, busy = 0;
    u32 most = 0, gone = 0;
    for (u32 i = 0; i < r->arrived_n && r->at[i].arrived < s->to; i++) {
        const struct request *q = &r->at[i];
        present += within(s, q->arrived, q->ended);
        busy += within(s, q->began, q->ended);
        u64 seen = max_u64(q->arrived, s->from);
        while (gone < r->ended_n && r->at[gone].ended <= seen) gone++;
        if (i + 1 > gone) most = max_u32(most, i + 1 - gone);
    }
    double cycles = (double)(s->to - s->from);
    values[REQUEST_load] = (double)busy / cycles;
    values[REQUEST_queue_mean] = (double)present / cycles;
    values[REQUEST_queue_max] = most;
}

/* Returns the number of measured requests that have been answered; *first: index of the first. */
static u32 measured(const struct requests *r, u32 *first)
{
    *first = (u32)min_u64(r->warmup, r->ended_n);
    return (u32)min_u64(r->ended_n, r->total) - *first;
}

u64 *requests_latencies(const struct requests *r, u32 *n)
{
    u32 first;
    *n = measured(r, &first);
    u64 *latency = base_alloc((*n + 1) * sizeof *latency);
    for (u32 i = 0; i < *n; i++) latency[i] = r->at[first + i].ended - r->at[first + i].arrived;
    sort_u64(latency, *n);
    return latency;
}

static void latency_values(const struct requests *r, double *values)
{
    u32 first, n = measured(r, &first);
    u64 *latency = requests_latencies(r, &n), deadline = UINT64_MAX;
    u64 sum = 0, wait = 0, late = 0, late_most = 0, misses = 0;
    double mhz = (double)r->mhz.num / (double)r->mhz.den;
    if (r->deadline) deadline = cycles_of(&r->mhz, r->deadline);
    for (u32 i = 0; i < n; i++) {
        const struct request *q = &r->at[first + i];
        u64 over = q->ended - q->arrived;
        sum += over;
        wait += q->began - q->arrived;
        over = over > deadline ? over - deadline : 0;
        misses += over > 0;
        late += over;
        late_most = max_u64(late_most, over);
    }
    values[REQUEST_latency_p50_us] = (double)percentile(latency, n, 50) / mhz;
    values[REQUEST_latency_p95_us] = (double)percentile(latency, n, 95) / mhz;
    if (n >= REQUESTS_P99)
        values[REQUEST_latency_p99_us] = (double)percentile(latency, n, 99) / mhz;
    values[REQUEST_latency_max_us] = (double)latency[n - 1] / mhz;
    values[REQUEST_latency_mean_us] = (double)sum / n / mhz;
    values[REQUEST_wait_mean_us] = (double)wait / n / mhz;
    values[REQUEST_service_mean_us] = (double)(sum - wait) / n / mhz;
    free(latency);
    if (!r->deadline) return;
    values[REQUEST_deadline_misses] = (double)misses;
    values[REQUEST_tardiness_mean_us] = (double)late / n / mhz;
    values[REQUEST_tardiness_max_us] = (double)late_most / mhz;
}

void requests_values(const struct requests *r, u64 now, double values[REQUEST_N])
{
    struct span s = span_of(r, now);
    u32 first, n = measured(r, &first);
    for (u32 k = 0; k < REQUEST_N; k++) values[k] = (double)NAN;
    values[REQUEST_measured] = n;
    if (s.to > s.from) {
        double seconds = (double)(s.to - s.from) * (double)r->mhz.den / (double)r->mhz.num * 1e-6;
        values[REQUEST_throughput] = n / seconds;
        queue_values(r, &s, values);
    }
    if (n) latency_values(r, values);
}

void request_p99_refused(double measured, struct text *out)
{
    text_add(out, "p99 needs %d measured requests, not %.0f", REQUESTS_P99, measured);
}

void arrivals_show(const struct arrivals *a, struct text *out)
{
    static const char *const words[] = {"", "poisson:", "periodic:", "trace", "closed:"};
    text_add(out, "%s", words[a->kind]);
    if (a->kind == ARRIVALS_CLOSED) text_add(out, "%llu", (unsigned long long)a->clients);
    else if (a->kind != ARRIVALS_TRACE) rational_show(a->rate, out);
}
