/* Threads that work side by side on many short phases, each phase a few microseconds long. A phase
 * has a part per member. The caller is member 0: it starts the others, does work of its own, runs
 * its part, waits for the others, and runs the part of a member that is late to begin. Between
 * phases a member spins for a moment on a cache line of its own, then sleeps. Members block all
 * signals, except member 0. */
#ifndef CORUN_TEAM_H
#define CORUN_TEAM_H

#include "base/base.h"

enum { TEAM_MOST = 64, TEAM_WORDS = 5 };

struct team;

/* Starts n - 1 threads; n is at most TEAM_MOST. The team has fewer members if the system refuses a
 * thread. Free with team_stop. */
struct team *team_start(u32 n);
u32 team_members(const struct team *t);
/* Starts a phase of the first n members: part(of, m, words) is called once for each of them. Writes
 * before team_begin are visible in the calls. Members receive the words together with the start, in
 * one cache line. */
void team_begin(struct team *t, u32 n,
                void (*part)(void *of, u32 member, const u64 words[TEAM_WORDS]), void *of,
                const u64 words[TEAM_WORDS]);
/* Runs the part of member 0, and returns after all calls have returned; their writes are visible
 * then. Returns how often member 0 looked in vain for the end of a part. */
u32 team_end(struct team *t);
/* Returns for how many parts since the last call member 0 waited long or ran the part itself: the
 * member's processor ran another process. */
u32 team_delays(struct team *t);
/* Returns the number of threads of all teams, members 0 not counted. */
u32 team_threads(void);
/* Ends the threads. Call before fork: a child process has no copies of the threads. */
void team_stop(struct team *t); /* NULL: nothing */

#endif
