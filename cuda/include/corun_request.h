/* Marks requests in a program, for `ranges: NAME` in an app file of corun (docs/how-to/using.md):
 *
 *     for (;;) {
 *         CORUN_REQUEST_BEGIN("serve");   // waits in simulated time until a request arrives
 *         kernel<<<grid, block>>>(...);
 *         CORUN_REQUEST_END("serve");     // answered when all work queued so far is done
 *     }
 *
 * Both do nothing without corun, and for other names. Header only; needs nothing at link time. */
#ifndef CORUN_REQUEST_MARKS_H
#define CORUN_REQUEST_MARKS_H

#include <dlfcn.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Of corun's run-time library; weak, because NVIDIA's library lacks them. */
int __cudaCorunRangeBegin(const char *name) __attribute__((weak));
void __cudaCorunRangeEnd(const char *name) __attribute__((weak));
#ifdef __cplusplus
}
#endif

/* Returns 1 if a range of this name is a request. */
static inline int corun_range_begin(const char *name)
{
    typedef int begin_function(const char *);
    begin_function *begin = __cudaCorunRangeBegin;
    if (!begin) begin = (begin_function *)dlsym((void *)0, "__cudaCorunRangeBegin");
    return begin ? begin(name) : 0;
}

/* Ends the open request if `name` is a request's; NULL: in any case. */
static inline void corun_range_end(const char *name)
{
    typedef void end_function(const char *);
    end_function *end = __cudaCorunRangeEnd;
    if (!end) end = (end_function *)dlsym((void *)0, "__cudaCorunRangeEnd");
    if (end) end(name);
}

#define CORUN_REQUEST_BEGIN(name) ((void)corun_range_begin(name))
#define CORUN_REQUEST_END(name) corun_range_end(name)

#endif
