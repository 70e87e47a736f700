#include "run/jobs/interrupt.h"

#include <signal.h>

static const int interrupts[] = {SIGINT, SIGTERM};

static volatile sig_atomic_t came; /* all that a handler can reach */

static void note(int signal) { came = signal; }

void interrupts_note(void)
{
    struct sigaction noted = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    for (u32 i = 0; i < COUNT_OF(interrupts); i++) {
        struct sigaction before;
        if (sigaction(interrupts[i], NULL, &before) || before.sa_handler == SIG_IGN) continue;
        sigaction(interrupts[i], &noted, NULL);
    }
}

int interrupt_came(void) { return came; }

void interrupts_ignore(void)
{
    for (u32 i = 0; i < COUNT_OF(interrupts); i++) signal(interrupts[i], SIG_IGN);
}
