/* What the files of a simulation call of one another: sim.c builds it and lets it go, loop.c runs
 * it, account.c keeps its numbers, fault.c says what went wrong in the simulated machine. */
#ifndef CORUN_SIM_INTERNAL_H
#define CORUN_SIM_INTERNAL_H

#include <string.h>
#include "run/sim/sim.h"

/* Between two cycles, before something is written: restores what hooks changed of the process. */
void sim_look(struct sim *s);

static inline const char *sim_keep(struct sim *s, const char *text) /* a copy that lives with s */
{
    return arena_text(&s->arena, text, strlen(text));
}

/* account.c. A launch goes to the GPU, and has ended there. */
void account_launch(struct sim *s, const struct launch *l);
void account_launch_end(struct sim *s, u32 app_id);
/* An app has completed or come to its goal: its numbers are those up to now, if it has none yet. */
void account_completion(struct sim *s, u32 app_id);
void account_interval(struct sim *s); /* one ends now, if a cycle has passed */
void account_end(struct sim *s); /* of the whole run */

/* fault.c: why the GPU stopped. */
void fault_of_gpu(struct sim *s, enum gpu_stop stop);
/* A launch that ran functionally could not go on. */
void fault_of_launch(struct sim *s, const struct gpu_trouble *t);
/* An app's own, outside any kernel. */
void fault_of_app(struct sim *s, const char *app, const char *what);

/* program_output.c. Opens what app i writes to, if it is a CUDA program; false: an error. */
bool program_output_open(struct sim *s, u32 i, struct fail *fail);
void program_output_close(struct sim *s, u32 i);
/* Whether it gets a file; and which name that has, if no other file takes the name until then. */
bool program_output_planned(const struct sim_setup *setup, const struct app_input *in);
void program_output_plan(const struct sim_setup *setup, struct input_set *in, u32 i,
                         struct output *out);

#endif
