/* shuffle, for a run in which another mechanism says how blocks leave. */
#define ONLY_TARGETS
#include "shuffle.c"
