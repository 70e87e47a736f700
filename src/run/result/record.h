/* Output written during a run: a CSV row per interval and owner (app or GPU), a CSV row per launch,
 * and the timeline. The
 * memory for the output does not grow with the length of the run. */
#ifndef CORUN_RECORD_H
#define CORUN_RECORD_H

#include "run/result/timeline.h"

struct record {
    struct sim_live live;
    const char *rows_path, *launches_path, *timeline_path; /* NULL: not requested */
    int out_fd;                            /* target of the rows of path "-" */
    struct writer rows, launches;
    struct timeline timeline;
};

/* Attaches the requested outputs to `setup`. Call before the run. */
void record_start(struct record *r, const char *rows, const char *launches, const char *timeline,
                  int out_fd, struct sim_setup *setup);
/* Completes the files and moves the files to their final paths. Call after a successful run. false:
 * errors in `fail`. */
bool record_close(struct record *r, struct fail *fail);
void record_free(struct record *r); /* discards files not completed by record_close */

#endif
