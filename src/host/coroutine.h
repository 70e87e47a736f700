/* A function on its own stack that can be suspended at any point and resumed; every host program
 * runs in a coroutine. `app` resumes the coroutine; the host interface, called from inside, yields.
 * Independent of GPUs. */
#ifndef CORUN_COROUTINE_H
#define CORUN_COROUTINE_H

#include <ucontext.h>

#include "base/base.h"

struct coroutine {
    void (*run)(void *with);
    void *with;
    ucontext_t inside, outside; /* contexts of the coroutine and of its caller */
    u8 *stack;                  /* mapping that holds guard and stack; NULL: not started */
    bool ended;                 /* `run` has returned, or coroutine_end was called */
    bool stopping;              /* coroutine_stop has asked the function to end */
    void *fake_inside, *fake_outside; /* AddressSanitizer's state of each stack */
    const void *outside_bottom;
    size_t outside_size;
};

/* Prepares the stack; `run` begins at the first resume. */
void coroutine_start(struct coroutine *c, void (*run)(void *with), void *with);
void coroutine_resume(struct coroutine *c); /* returns when the coroutine yields or ends */
/* Ends the function at any point and frees the stack; valid in any state. */
void coroutine_stop(
    struct coroutine *c);

/* called from inside: */
void coroutine_yield(struct coroutine *c); /* does not return once the coroutine is stopped */
_Noreturn void coroutine_end(struct coroutine *c); /* leaves for good, from any call depth */

#endif
