/* SIGINT (Ctrl-C) and SIGTERM: simulations end at the next good place and what there is so far is
 * kept. A second one, half a second later or more, ends the process at once (sooner it is the first
 * again: timeout(1) and others signal a process and its group). So does one that the process sends
 * itself: a hook has. */
#ifndef CORUN_INTERRUPT_H
#define CORUN_INTERRUPT_H

#include "base/base.h"

#define INTERRUPT_SAME_SECONDS 0.5

void interrupts_note(void);   /* from now on; not those that whoever started us ignores */
int interrupt_came(void);     /* the signal; 0: none */
void interrupts_ignore(void); /* in a process that is ended by the one that waits for it */

#endif
