/* Blame: the loss of an app (loss.h), split by cause and by the app that caused the loss, in whole
 * cycles; the lines and `unexplained` add up to the loss exactly. blame.c has the rule,
 * docs/explanation/blame.md the reasons. */
#ifndef CORUN_BLAME_H
#define CORUN_BLAME_H

#include "run/study/batch.h"

enum { BLAME_LINES = CAUSE_N * APPS_MAX };

#define LEVEL(id, key, name, sentence) id,
enum blame_level {
#include "run/study/level.def"
    LEVEL_N
};
#undef LEVEL
struct level_row {
    const char *key, *name, *sentence;
};
extern const struct level_row level_rows[LEVEL_N];

struct blame {
    s64 lost;                         /* the loss */
    s64 cycles[BLAME_LINES];          /* [cause * APPS_MAX + culprit] */
    s64 unexplained;
    bool exact;                       /* the fields below are valid */
    bool merged;                      /* LEVEL_SLOTS contains LEVEL_SM */
    s64 levels[LEVEL_N];              /* add up to the loss */
    s64 reversed[LEVEL_N];            /* the same with L2 cut before DRAM */
};

/* Returns false if the loss is unknown, the run took no samples, or the app ran by itself. */
bool blame_of(const struct batch_run *run, u32 app_id, struct blame *out);
/* Returns the cycles lost to an app, by all causes; stores the cause of the largest part, CAUSE_N:
 * none. */
s64 blame_to(const struct blame *b, u32 culprit, enum cause *most);
/* Divides the loss by levels instead, and each level in proportion to the lines of *b. exact.c has
 * the rule. Returns false, and leaves *b unchanged, if the run has no runs with cuts. */
bool blame_exact(const struct batch_run *run, u32 app_id, struct blame *b);
/* Rounds parts, which add up to about `total`, to whole numbers that add up to `total` exactly:
 * largest remainders, the first of equal remainders. */
void apportion(s64 total, const double *parts, u32 n, s64 *whole);

#endif
