/* CUDA_MPS_ACTIVE_THREAD_PERCENTAGE of CUDA programs: passed to the policies by gpu_setup. Only the
 * policy mps uses the value. */
#include "run/sim/internal.h"

#include <stdlib.h>
#include <string.h>

static bool is_mps(const struct sim *s)
{
    for (u32 m = 0; m < s->policy.n; m++)
        if (!strcmp(s->policy.at[m].policy->name, "mps")) return true;
    return false;
}

static void unused_warn(struct sim *s, u32 app)
{
    struct text sentence = {0};
    text_add(&sentence, "%s has no effect under this policy; --policy mps honours the variable",
             INPUT_PERCENT);
    warning_add(&s->warnings, s->inputs.names[app], 0, sentence.bytes);
    text_free(&sentence);
}

bool percents_read(struct sim *s, double *percent, struct fail *fail)
{
    bool good = true, mps = is_mps(s);
    for (u32 app = 0; app < s->setup->app_n; app++) {
        const struct app_input *in = s->inputs.inputs[app];
        const char *text = input_variable(in, INPUT_PERCENT);
        char *end = NULL;
        percent[app] = 0;
        if (!text || !*text) continue;
        if (!mps) {
            unused_warn(s, app);
            continue;
        }
        double value = strtod(text, &end);
        if (*end || !(value > 0 && value <= 100)) {
            fail_plain(fail, "%s: %s is '%s': give a number above 0 and at most 100",
                       s->inputs.names[app], INPUT_PERCENT, text);
            good = false;
            continue;
        }
        percent[app] = value;
    }
    return good;
}
