/* What is written of a run while it runs: a row of CSV per interval and owner, and the timeline.
 * Nothing of it is kept in memory, however long the run. */
#ifndef CORUN_RECORD_H
#define CORUN_RECORD_H

#include "run/result/timeline.h"

struct record {
    struct sim_live live;
    const char *rows_path, *timeline_path; /* NULL: not wanted */
    int out_fd;                            /* where rows for "-" go */
    struct writer rows;
    struct timeline timeline;
};

/* Puts itself into `setup`, if anything is wanted. */
void record_start(struct record *r, const char *rows, const char *timeline, int out_fd,
                  struct sim_setup *setup);
/* The run is over and good: into their places. false: errors in `fail`. */
bool record_close(struct record *r, struct fail *fail);
void record_free(struct record *r); /* what is in no place goes */

#endif
