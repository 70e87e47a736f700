/* Handling of SIGINT (Ctrl-C) and SIGTERM. The first signal ends simulations at the next safe
 * point, and results obtained until then are kept. A second signal, at least INTERRUPT_SAME_SECONDS
 * later, ends the process at once. An earlier repetition counts as the first signal, because
 * timeout(1) and similar tools signal both a process and its group. A signal from the process to
 * itself (a policy's hook can send one) also ends the process at once. */
#ifndef CORUN_INTERRUPT_H
#define CORUN_INTERRUPT_H

#include "base/base.h"

#define INTERRUPT_SAME_SECONDS 0.5

void interrupts_note(void);   /* installs the handlers; signals ignored since the start of the
                               * process stay ignored */
int interrupt_came(void);     /* the first signal received; 0: none */
void interrupts_ignore(void); /* ignores the signals, in a child process that its parent will end */

#endif
