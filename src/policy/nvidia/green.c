/* green: apps in green contexts, sets of SMs of fixed size. An app without a set is the primary
 * context: its blocks go to any SM. Memory, L2 and crossbar are shared. CUDA C++ programming guide,
 * green contexts; cuDevSmResourceSplitByCount. */
#include "partition.h"

enum option { SMS, APPS, INSIDE };
static const struct corun_option options[] = {
    [SMS] =
        {"sms", CORUN_WHOLES, "none", 0, 256, "none", "SMs",
         "SMs of each context, as in 64/68; 0: the app's blocks go to any SM. A number is rounded "
         "up to the granularity of the compute capability (9.0: 8; 8.x: at least 4, even; earlier: "
         "even). A number that equals the SMs left takes them all."},
    [APPS] =
        {"apps", CORUN_WHOLES, "each", 0, 7, "each", "",
         "Context of each app, from 0, as in 0/0/1; each: a context for each app, in order."},
    [INSIDE] = PARTITION_INSIDE("context"),
    {0},
};

/* Returns the SMs of a request, with `left` SMs left. Model: at least 8, in multiples of 8, from
 * compute capability 9.0 on; 4 and 2 on 8.x; 2 and 2 before (CUDA C++ programming guide, green
 * contexts). The remainder of a split may have any size. */
static uint32_t granted(uint32_t asked, uint32_t left, uint32_t capability)
{
    uint32_t unit = capability >= 90 ? 8 : 2;
    uint32_t least = capability >= 90 ? 8 : capability >= 80 ? 4 : 2;
    if (asked == left) return left;
    return asked < least ? least : (asked + unit - 1) / unit * unit;
}

static const char *contexts_set(struct partition *p, const struct corun_setup *setup,
                                const struct corun_value *sms, const struct corun_value *apps)
{
    uint32_t left = setup->sm_n;
    const char *why = partition_apps(p, setup, apps, sms->list_n, "sms", "context",
                                     "a number");
    for (uint32_t i = 0; i < sms->list_n && !why; i++) {
        uint32_t asked = (uint32_t)sms->list[i];
        uint32_t n = asked ? granted(asked, left, setup->capability) : 0;
        if (n > left) {
            char rounded[100] = "";
            if (n != asked)
                snprintf(rounded, sizeof rounded, ", rounded up to %u for compute capability %u.%u",
                         n, setup->capability / 10, setup->capability % 10);
            snprintf(p->why, sizeof p->why, "%s %u asks for %u SMs%s; %u of %u SMs are left",
                     apps->word ? "app" : "context", i + (apps->word != NULL), asked, rounded, left,
                     setup->sm_n);
            return p->why;
        }
        p->set[i] = (struct corun_sm_set){n ? setup->sm_n - left : 0, n};
        left -= n;
    }
    return why;
}

static const char *green_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    struct partition *p = state;
    const char *why = NULL;
    (void)stats;
    if (!values[SMS].word) why = contexts_set(p, setup, &values[SMS], &values[APPS]);
    else if (!values[APPS].word || values[INSIDE].word)
        why = "apps and inside need contexts: give sms";
    if (!why) partition_give_sets(p, setup);
    return why;
}

static void green_sets(void *state, const struct corun_setup *setup,
                       struct corun_sm_set set[CORUN_APPS_MAX], uint32_t *of_app)
{
    partition_sets(state, setup, set, of_app);
}

static void green_admit(void *state, const struct corun_view *view, bool *admit)
{
    partition_admit(state, view, admit);
}

static void green_share(void *state, const struct corun_view *view, uint32_t *target)
{
    partition_share(state, view, target);
}

static uint32_t green_traits(const struct corun_value *values)
{
    return CORUN_QUEUE | (values[SMS].word ? 0 : CORUN_TABLE);
}

const struct corun_policy corun_policy_green = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "green",
    .sentence = "As green contexts: a set of SMs of fixed size for each app; an app without a set "
                "uses any SM.",
    .source = "CUDA C++ programming guide, green contexts",
    .options = options,
    .state_bytes = sizeof(struct partition),
    .init = green_init,
    .sets = green_sets,
    .admit = green_admit,
    .share = green_share,
    .traits = green_traits,
};
