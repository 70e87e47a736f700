/* The answered requests of a finished run: their latencies, and an estimate of the latencies with
 * other service times. Kept with isolated runs. */
#ifndef CORUN_REPLAY_H
#define CORUN_REPLAY_H

#include "run/sim/request.h"

struct replay {
    u32 n;                   /* requests up to the last measured one, in order of arrival */
    u32 warmup;              /* the first `warmup` requests are not measured */
    u64 clients;             /* of a closed loop; 0: arrivals do not depend on answers */
    struct replay_request {
        u64 arrived;         /* cycle */
        u64 waited, served;  /* cycles before and during the execution */
    } *at;
};

/* Takes the requests of a run; `r` may be NULL: an app without requests. */
void replay_take(struct replay *p, const struct requests *r);
void replay_free(struct replay *p);

/* Returns the mean service time in cycles; NAN: no request. */
double replay_served(const struct replay *p);
/* Returns the 99th percentile of the latencies in cycles; NAN: too few measured requests. */
double replay_p99(const struct replay *p);
/* Returns the same if every service time were `slower` times as long, and one request is executed
 * at a time: each begins at its arrival or when the request before is answered. */
double replay_p99_slower(const struct replay *p, double slower);

#endif
