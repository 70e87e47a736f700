/* Internal interface of the simulation's files. sim.c builds and frees a simulation, loop.c runs
 * the simulation, account.c collects results, fault.c describes errors of the simulated machine. */
#ifndef CORUN_SIM_INTERNAL_H
#define CORUN_SIM_INTERNAL_H

#include <string.h>
#include "run/sim/sim.h"

/* Restores process state that hooks have changed. Called between two cycles, before files are
 * written. */
void sim_look(struct sim *s);

/* Copies `text`; the copy lives as long as `s`. */
static inline const char *sim_keep(struct sim *s, const char *text)
{
    return arena_text(&s->arena, text, strlen(text));
}

/* True if launches need counters of their own. */
static inline bool sim_by_launch(const struct sim_setup *setup)
{
    return setup->by || (setup->live && setup->live_launches);
}

/* account.c. Record that a launch enters the GPU, and that a launch has ended. */
void account_launch(struct sim *s, const struct launch *l);
void account_launch_end(struct sim *s, const struct gpu_end *e);
/* Fixes the app's results at the current cycle, because the app completed or reached its
 * instruction goal. Later calls for the app have no effect. */
void account_completion(struct sim *s, u32 app_id);
void account_sample(struct sim *s); /* takes the sample that is due */
void account_curves(struct sim *s); /* adds the point that is due to each app's curve */
void account_interval(struct sim *s); /* ends the current interval, if a cycle has passed */
void account_end(struct sim *s); /* collects the results of the whole run */

/* fault.c. Records in sim.status and sim.fault why the GPU stopped. */
void fault_of_gpu(struct sim *s, enum gpu_stop stop);
/* Records why a functional launch failed. */
void fault_of_launch(struct sim *s, const struct gpu_trouble *t);
/* Records an error of an app outside of kernels. */
void fault_of_app(struct sim *s, const char *app, const char *what);

/* range.c. urgency_set tells the GPU the app's priority, and the deadline of the request that is
 * executed. The other functions are for requests that are ranges of a CUDA program. range_begins
 * returns as range_begin of struct app_machine. range_ends ends the app's open range, if any.
 * ranges_answer ends the requests whose work is done; returns true if there is one. ranges_warn
 * warns about a program without ranges. */
void urgency_set(struct sim *s, u32 i);
bool range_begins(struct sim *s, u32 app_id, u64 *next);
void range_ends(struct sim *s, u32 app_id);
bool ranges_answer(struct sim *s, u32 app_id);
void ranges_warn(struct sim *s, u32 app_id);

/* undecided.c. undecided_at returns the cycle in which undecided_warn is called, half of the
 * window; NEVER: the run has no window, or judges the policy (corun check). undecided_warn adds a
 * warning for each policy whose counter `undecided` (corun/policy.h) is not 0. */
u64 undecided_at(const struct sim *s);
void undecided_warn(struct sim *s);

/* percent.c. Stores in percent[app] the active thread percentage in the environment of each CUDA
 * program; 0: none. Warns if no policy uses the percentage. false: not a percentage. */
bool percents_read(struct sim *s, double *percent, struct fail *fail);

/* program_output.c. Opens the output of app i if the app is a CUDA program. Returns false on an
 * error. */
bool program_output_open(struct sim *s, u32 i, struct fail *fail);
void program_output_close(struct sim *s, u32 i);
/* program_output_planned returns true if the app's output goes to a file. program_output_plan
 * returns the file's expected name; the name may differ if another file takes the name before the
 * run. */
bool program_output_planned(const struct sim_setup *setup, const struct app_input *in);
void program_output_plan(const struct sim_setup *setup, struct input_set *in, u32 i,
                         struct output *out);

#endif
