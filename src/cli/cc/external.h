/* Device functions and variables used by a source, and defined in another source: an error without
 * -rdc=true. */
#ifndef CORUN_CC_EXTERNAL_H
#define CORUN_CC_EXTERNAL_H

#include "base/fail.h"

/* Returns true if clang's PTX of `source` needs no other device code; otherwise false with an error
 * for each missing name. */
bool external_check(const char *source, const char *ptx, struct fail *fail);

#endif
