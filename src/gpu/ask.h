/* What place.c has a policy told and asked, and what the askers share: view.c makes what a hook
 * sees, tell.c tells of events and timers, ask.c asks where blocks go and how they leave, ask_sm.c
 * asks the groups of an SM. Answers are checked with the SMs' ledger and counted when refused. */
#ifndef CORUN_ASK_H
#define CORUN_ASK_H

#include "gpu/place.h"

bool ask_init(struct place *p, const struct gpu_setup *setup, struct arena *arena,
              struct fail *fail);
void ask_policy(struct place *p, u64 now); /* what is due: timers, admit, share, preempt */
void ask_after(struct place *p, u64 now);  /* blocks have started: groups of SMs, timers */
void ask_tell(struct place *p, enum corun_event_kind kind, const struct kernel *k, u32 sm, u64 now);

/* ---- between the askers ---- */

/* A hook of a mechanism, about to be called: whoever watches sees which. ask_done ends it. */
#define ASK(p, mechanism, hook, now)                                                               \
    (ask_begin(p, mechanism, #hook, now), (p)->mechanisms[mechanism].policy->hook)
static inline void ask_begin(struct place *p, u32 mechanism, const char *hook, u64 now)
{
    *p->asked = (struct gpu_asked){hook, mechanism, now, p->asked->count + 1};
}
static inline void ask_done(struct place *p) { p->asked->hook = NULL; }

struct corun_resources view_capacity(const struct machine *m);
void view_init(struct place *p, struct arena *arena);
struct corun_block view_block(const struct block *b, u32 kernel, u32 sm, u64 now);
const struct corun_view *view_make(struct place *p, u64 now); /* good until something changes */

void tell_init(struct place *p, struct arena *arena);
void tell_timers(struct place *p, u64 now);
void tell_settled(struct place *p, u64 now);
void timers_read(struct place *p, u64 now);

void sm_groups_init(struct place *p, struct arena *arena);
void sm_groups_ask(struct place *p, u64 now);

/* An answer that cannot be held: the first ones are kept in words. */
void refusal_start(struct place *p, u32 sm, u64 now);
void refusal_say(struct place *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
