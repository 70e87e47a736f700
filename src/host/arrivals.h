/* Arrivals of requests: how an app becomes a stream of requests, each request an execution of the
 * app. Read here from the options of a workload and from the keys of an app file; `run` computes
 * cycles from rates and times. */
#ifndef CORUN_ARRIVALS_H
#define CORUN_ARRIVALS_H

#include "base/arena.h"
#include "base/fail.h"
#include "table/amount.h"

enum arrivals_kind {
    ARRIVALS_NONE,     /* the app is no stream of requests */
    ARRIVALS_POISSON,  /* independent exponential gaps */
    ARRIVALS_PERIODIC, /* equal gaps, the first request at the start of the app */
    ARRIVALS_TRACE,    /* times from a file */
    ARRIVALS_CLOSED    /* each client sends its next request when the last has been answered */
};
/* Least and greatest rate in requests per second, and number of requests of a run. */
enum { ARRIVALS_RATE_LEAST = 1, ARRIVALS_RATE_MOST = 1000000000, ARRIVALS_MOST = 10000000 };

struct arrivals {
    enum arrivals_kind kind;
    struct rational rate;   /* ARRIVALS_POISSON, ARRIVALS_PERIODIC: requests per second */
    u64 clients;            /* ARRIVALS_CLOSED */
    const u64 *times;       /* ARRIVALS_TRACE: [time_n] picoseconds from the start of the app */
    u32 time_n;
    u64 seed;               /* valid if `seeded`; otherwise the run's seed counts */
    bool seeded;
    u64 requests;           /* measured requests; 0: not given */
    u64 warmup;             /* requests before the measured requests */
    u64 deadline;           /* of a request, in picoseconds from its arrival; 0: none */
};

/* Keys, in a workload's options and in an app file. */
enum arrivals_key {
    ARRIVALS_KEY_HOW, ARRIVALS_KEY_SEED, ARRIVALS_KEY_REQUESTS, ARRIVALS_KEY_WARMUP,
    ARRIVALS_KEY_DEADLINE, ARRIVALS_KEY_N
};
extern const char *const arrivals_keys[ARRIVALS_KEY_N];
/* Returns ARRIVALS_KEY_N for any other word. */
enum arrivals_key arrivals_key(const char *word);

struct arrivals_reader {
    struct arrivals *to;
    struct arena *arena;
    const struct source *at; /* text with the keys */
    struct fail *fail;
    bool given[ARRIVALS_KEY_N];
    size_t offset[ARRIVALS_KEY_N]; /* of the value of a given key */
};
/* Returns the path in `trace:PATH`; NULL: the value names no trace. */
const char *arrivals_path(const char *value);
/* Reads the value of a key, at `offset` of r->at. `trace` is the text of the file that a trace
 * names. Returns false after adding an error. */
bool arrivals_read(struct arrivals_reader *r, enum arrivals_key key, const char *value,
                   size_t offset, const struct source *trace);
/* Checks the keys against each other, after the last key. Returns false after adding errors. */
bool arrivals_check(const struct arrivals_reader *r);

#endif
