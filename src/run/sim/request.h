/* Requests of an app with arrivals (host/arrivals.h): arrival, start and completion of each
 * request, and the quantities derived from these times. A request is an execution, and waits
 * until all earlier requests of the app have been answered, or a range of a CUDA program
 * (range.c). Arrivals are a function of (seed, app, request number), in exact cycles; `loop`
 * asks for them between two cycles of the GPU. */
#ifndef CORUN_REQUEST_H
#define CORUN_REQUEST_H

#include "host/arrivals.h"

/* The 99th percentile needs 500 measured requests: five above the percentile. Without `requests`,
 * that many are measured. */
enum { REQUESTS_P99 = 500 };

#define REQUEST(type, key, unit, sentence) REQUEST_##key,
enum request_quantity {
#include "run/sim/request.def"
    REQUEST_N
};
#undef REQUEST
struct request_row {
    const char *key, *unit, *sentence;
    bool whole; /* an integer */
};
extern const struct request_row request_rows[REQUEST_N];

struct request {
    u64 arrived, began, ended; /* cycles; NEVER: not yet */
    u64 last;                  /* of a range: number of the last item queued before its end; NEVER:
                                * the range has not ended */
};

struct requests {
    const struct arrivals *from; /* valid during the run */
    bool ranges;                 /* requests are ranges of a CUDA program, see range.c */
    u64 seed, place;             /* of the random gaps */
    struct rational mhz;         /* SM clock */
    u64 start;                   /* cycle of time 0 */
    u64 gap;                     /* mean gap between arrivals, in units of 2^-GAP_BITS cycles */
    u64 next;                    /* cycle of the next arrival; NEVER: none, or not known yet */
    u64 fraction;                /* of the next arrival, in units of 2^-GAP_BITS cycles */
    u64 deadline;                /* of a request, in picoseconds from its arrival; 0: none */
    u64 clients;                 /* of a closed loop; 0: arrivals do not depend on answers */
    u64 warmup;
    u64 total;                   /* number of the last measured request; NEVER: no limit */
    u64 last;                    /* number of the last request; NEVER: no limit */
    struct request *at;          /* [arrived_n], the first request is number 1 */
    u32 arrived_n, room, began_n, ended_n;
    bool over;                   /* the program waits at the begin of a range without a request */
    u32 noted_arrived, noted_ended; /* arrived_n and ended_n at the end of the last interval */
};
enum { GAP_BITS = 24 };

struct request_setup {
    const struct arrivals *from;
    u64 seed;                    /* of the run */
    u32 app;                     /* number of the app, for random arrivals */
    u64 start;                   /* cycle in which the app starts */
    struct rational mhz;
    bool endless;                /* without `requests`, all requests are measured */
    bool ranges;                 /* as in struct requests */
    bool stops;                  /* no request after the measured requests */
};
struct requests *requests_new(const struct request_setup *setup);
void requests_free(struct requests *r); /* NULL: no effect */

/* Adds the requests that have arrived up to cycle `now`. */
void requests_arrive(struct requests *r, u64 now);
/* Returns the cycle of the next arrival; NEVER: a request waits, or no arrival is known. */
u64 requests_next(const struct requests *r);
/* Starts the first waiting request. Returns false if no request waits. */
bool requests_begin(struct requests *r, u64 now);
/* Returns the cycle of the deadline of the request that is executed; NEVER: none. */
u64 requests_deadline(const struct requests *r);
/* Ends the request that is executed. */
void requests_end(struct requests *r, u64 now);
/* Returns true while a further request may begin, now or later. */
static inline bool requests_more(const struct requests *r) { return r->began_n < r->last; }
/* Returns true after the last measured request has been answered. */
static inline bool requests_done(const struct requests *r) { return r->ended_n >= r->total; }
/* Returns the number of requests that wait or are executed. */
static inline u32 requests_queue(const struct requests *r) { return r->arrived_n - r->ended_n; }

/* Ends an interval. */
static inline void requests_note(struct requests *r)
{
    r->noted_arrived = r->arrived_n;
    r->noted_ended = r->ended_n;
}

/* Computes the quantities at cycle `now`, the end of the run; NAN: undefined. */
void requests_values(const struct requests *r, u64 now, double values[REQUEST_N]);
/* Returns the latencies of the *n measured requests so far in rising order, in cycles; the caller
 * frees them. */
u64 *requests_latencies(const struct requests *r, u32 *n);
/* Explains why so many measured requests have no p99. */
void request_p99_refused(double measured, struct text *out);
/* Describes the arrivals as the user gives them: "poisson:20000". */
void arrivals_show(const struct arrivals *a, struct text *out);

#endif
