/* A function on a stack of its own that can be left in the middle and gone on with: host programs
 * run on one. `app` resumes it; the host interface, called from inside, yields. Knows nothing of
 * GPUs. */
#ifndef CORUN_COROUTINE_H
#define CORUN_COROUTINE_H

#include <ucontext.h>

#include "base/base.h"

struct coroutine {
    void (*run)(void *with);
    void *with;
    ucontext_t inside, outside; /* where to go on, on either side */
    u8 *stack;                  /* of the mapping, whose first page is a guard; NULL: not started */
    bool ended;                 /* run has returned, or coroutine_end was called */
    bool stopping;              /* coroutine_stop wants the function to end */
    void *fake_inside, *fake_outside; /* what AddressSanitizer keeps per stack */
    const void *outside_bottom;
    size_t outside_size;
};

void coroutine_start(struct coroutine *c, void (*run)(void *with),
                     void *with);           /* runs nothing yet */
void coroutine_resume(struct coroutine *c); /* until it yields or ends */
void coroutine_stop(
    struct coroutine *c); /* in any state: ends the function where it stands, frees the stack */

/* from inside */
void coroutine_yield(struct coroutine *c); /* does not return when the coroutine is stopped */
_Noreturn void coroutine_end(struct coroutine *c); /* leaves for ever, from any depth */

#endif
