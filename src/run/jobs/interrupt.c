#include "run/jobs/interrupt.h"

#include <signal.h>
#include <unistd.h>
#include "run/jobs/seconds.h"

static const int interrupts[] = {SIGINT, SIGTERM};

static volatile sig_atomic_t came; /* a signal handler can reach only static variables */
static double came_at;

static void note(int s, siginfo_t *from, void *where)
{
    (void)where;
    bool own = from->si_code <= 0 && from->si_pid == getpid();
    if (!came && !own) {
        came_at = seconds_now();
        came = s;
    } else if (own || seconds_now() - came_at >= INTERRUPT_SAME_SECONDS) {
        signal(s, SIG_DFL);
        raise(s); /* delivered when the handler returns */
    }
}

void interrupts_note(void)
{
    struct sigaction noted = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    sigemptyset(&noted.sa_mask);
    for (u32 i = 0; i < COUNT_OF(interrupts); i++) sigaddset(&noted.sa_mask, interrupts[i]);
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
