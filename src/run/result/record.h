/* Output written during a run: a CSV row per interval and owner (app or GPU), a CSV row per launch,
 * the timeline, and the log lines of policies. The memory for the output does not grow with the
 * length of the run. */
#ifndef CORUN_RECORD_H
#define CORUN_RECORD_H

#include "run/result/timeline.h"

/* Paths of the requested outputs; "-": out_fd, NULL: not requested. */
struct record_paths {
    const char *rows, *launches, *timeline, *log;
    int out_fd;
};

struct record {
    struct sim_live live;
    struct log_sink sink;
    struct record_paths paths;
    const struct sim *sim; /* from the first event on */
    struct writer rows, launches, log;
    struct timeline timeline;
};

/* Attaches the requested outputs to `setup`. Call before the run. */
void record_start(struct record *r, const struct record_paths *paths, struct sim_setup *setup);
/* Completes the files and moves the files to their final paths. Call after a successful run. false:
 * errors in `fail`. */
bool record_close(struct record *r, struct fail *fail);
void record_free(struct record *r); /* discards files not completed by record_close */

#endif
