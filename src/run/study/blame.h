/* Blame: the loss of an app (loss.h), split by cause and by the app that caused the loss, in whole
 * cycles; the lines and `unexplained` add up to the loss exactly. blame.c has the rule,
 * docs/explanation/blame.md the reasons. */
#ifndef CORUN_BLAME_H
#define CORUN_BLAME_H

#include "run/study/batch.h"

enum { BLAME_LINES = CAUSE_N * APPS_MAX };

struct blame {
    s64 lost;                         /* the loss */
    s64 cycles[BLAME_LINES];          /* [cause * APPS_MAX + culprit] */
    s64 unexplained;
};

/* Returns false if the loss is unknown, the run took no samples, or the app ran by itself. */
bool blame_of(const struct batch_run *run, u32 app_id, struct blame *out);
/* Rounds parts, which add up to about `total`, to whole numbers that add up to `total` exactly:
 * largest remainders, the first of equal remainders. */
void apportion(s64 total, const double *parts, u32 n, s64 *whole);

#endif
