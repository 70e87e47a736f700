/* green: apps in green contexts, sets of SMs of fixed size. An app without a set is the primary
 * context: its blocks go to any SM. Memory, L2 and crossbar are shared. CUDA C++ programming guide,
 * green contexts; cuDevSmResourceSplitByCount. */
#include "partition.h"

#include <stdio.h>

struct green {
    struct partition sms;
    char why[240];
};

enum option { SMS };
static const struct corun_option options[] = {
    [SMS] =
        {"sms", CORUN_WHOLES, "none", 0, 256, "none", "SMs",
         "SMs of each app, as in 64/68; 0: the app's blocks go to any SM. A number is rounded up "
         "to the granularity of the compute capability (9.0: 8; 8.x: at least 4, even; earlier: "
         "even). A number that equals the SMs left takes them all."},
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

static const char *green_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    struct green *g = state;
    const struct corun_value *sms = &values[SMS];
    uint32_t left = setup->sm_n;
    (void)stats;
    if (!sms->word && sms->list_n != setup->app_n) {
        snprintf(g->why, sizeof g->why, "sms names %u apps, the run has %u: a number for each",
                 sms->list_n, setup->app_n);
        return g->why;
    }
    for (uint32_t app = 0; app < setup->app_n; app++) {
        uint32_t asked = sms->word ? 0 : (uint32_t)sms->list[app];
        uint32_t n = asked ? granted(asked, left, setup->capability) : 0;
        if (n > left) {
            char rounded[100] = "";
            if (n != asked)
                snprintf(rounded, sizeof rounded, ", rounded up to %u for compute capability %u.%u",
                         n, setup->capability / 10, setup->capability % 10);
            snprintf(g->why, sizeof g->why, "app %u asks for %u SMs%s; %u of %u SMs are left",
                     app + 1, asked, rounded, left, setup->sm_n);
            return g->why;
        }
        if (n) partition_give(&g->sms, app, setup->sm_n - left, n);
        else partition_give(&g->sms, app, 0, setup->sm_n);
        left -= n;
    }
    return NULL;
}

static void green_admit(void *state, const struct corun_view *view, bool *admit)
{
    const struct green *g = state;
    partition_admit(&g->sms, view, admit);
}

static void green_share(void *state, const struct corun_view *view, uint32_t *target)
{
    const struct green *g = state;
    partition_share(&g->sms, view, target);
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
    .state_bytes = sizeof(struct green),
    .init = green_init,
    .admit = green_admit,
    .share = green_share,
    .traits = green_traits,
};
