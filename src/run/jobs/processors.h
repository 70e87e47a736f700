/* Processors that corun may use. */
#ifndef CORUN_PROCESSORS_H
#define CORUN_PROCESSORS_H

#include "base/base.h"

/* Returns the number of processors allowed by the affinity of the process and by the quota of the
 * control group, 1 to 64. */
u32 processors_allowed(void);
/* Returns the processors' time that the quota in `text`, the contents of cpu.max, allows, rounded
 * up; UINT32_MAX: no quota. */
u32 processors_quota(const char *text);

#endif
