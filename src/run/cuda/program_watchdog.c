/* The watchdog for programs without calls. Simulated time stands still while a program runs host
 * code, therefore a program that waits for the simulated GPU without a call would wait for ever.
 * The watchdog detects and ends such a program. */
#include "run/cuda/session.h"
#include "run/jobs/seconds.h"

void program_watchdog_starts(struct session *s) { s->watchdog.looked = false; }

static enum program_watchdog_is fail(struct session *s, const char *how, const char *why)
{
    app_add_error(s->app, APP_ERROR_PROGRAM, "%s for %llu s%s (--host-seconds): %s", how,
                  (unsigned long long)s->app->machine->host_seconds,
                  app_pending(s->app) ? " with work queued" : "", why);
    s->failed = s->ended = true;
    process_stop(&s->process);
    return SILENCE_FAILED;
}

/* Returns the number of seconds in which no thread of the program has run. */
static double asleep_for(struct session *s, bool rests, u64 waits)
{
    struct program_watchdog *of = &s->watchdog;
    double now = seconds_now();
    if (!of->looked || !rests || waits != of->waits) of->since = now;
    of->waits = waits;
    return now - of->since;
}

enum program_watchdog_is program_watchdog_look(struct session *s)
{
    struct program_watchdog *of = &s->watchdog;
    struct process_rest rest;
    const struct app_machine *m = s->app->machine;
    if (m->interrupted(m)) return SILENCE_UNWANTED;
    bool rests = process_rests(&s->process, &rest);
    if (!app_pending(s->app) && !(rests && rest.stopped)) {
        program_watchdog_starts(s);
        return SILENCE_GOES_ON;
    }
    u64 used = process_used(&s->process);
    double asleep = asleep_for(s, rests, rest.waits);
    if (!of->looked) of->used = used;
    of->looked = true;
    u64 limit = m->host_seconds ? m->host_seconds : UINT64_MAX / 1000000000;
    if (used - of->used > limit * 1000000000)
        return fail(s, "the program made no call",
                    "simulated time stands still while a program runs "
                    "host code: call cudaStreamQuery in loops that wait for memory to change");
    if (asleep > (double)limit && rest.stopped)
        return fail(s, "the process was stopped by a signal", "no SIGCONT came");
    if (asleep > (double)limit)
        return fail(s, "all threads of the program slept",
                    "simulated time stands still while a program "
                    "makes no call, so no event of the device can wake the threads");
    return of->funcs && asleep * 1000 > LOOK_MS / 2 ? SILENCE_WAITS : SILENCE_GOES_ON;
}
