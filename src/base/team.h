/* Threads that work side by side on many short phases, each phase a few microseconds long. A phase
 * has a part per member. The caller of team_run is member 0: it runs its own part, waits for the
 * others, and runs the part of a member that is late to begin. Between phases a member spins for a
 * moment on a cache line of its own, then sleeps. Members block all signals, except member 0. */
#ifndef CORUN_TEAM_H
#define CORUN_TEAM_H

#include "base/base.h"

enum { TEAM_MOST = 64 };

struct team;

/* Starts n - 1 threads; n is at most TEAM_MOST. The team has fewer members if the system refuses a
 * thread. Free with team_stop. */
struct team *team_start(u32 n);
u32 team_members(const struct team *t);
/* Runs a phase: calls part(of, m) once for each member m, at the same time as far as possible, and
 * returns after all calls have returned. Writes before team_run are visible in the calls, and
 * writes in the calls are visible after team_run. */
void team_run(struct team *t, void (*part)(void *of, u32 member), void *of);
/* Returns the number of threads of all teams, members 0 not counted. */
u32 team_threads(void);
/* Ends the threads. Call before fork: a child process has no copies of the threads. */
void team_stop(struct team *t); /* NULL: nothing */

#endif
