/* fair: kernels on an SM issue in the same proportion as in isolated runs, enforced by quotas of
 * warp instructions. Blocks are not decided here: smk-p+fair is SMK-(P+W). A kernel waiting for
 * memory with quota left stalls the other kernels, a known weakness of the mechanism, not repaired
 * here. Papers 000 section 4 (SMK-W), 002 section 4.3 (Fair, equation 4). */
#include "corun/policy.h"

struct fair {
    double epoch;
};

enum option { EPOCH };
static const struct corun_option options[] = {
    [EPOCH] =
        {"epoch", CORUN_WHOLE, "4096", 2, 1e6, NULL, "instructions",
         "Warp instructions issued by the kernels of an SM between two refills of the quotas."},
    {0},
};

static const char *fair_init(void *state, const struct corun_setup *setup,
                             const struct corun_value *values, uint64_t *counters)
{
    (void)setup, (void)counters;
    ((struct fair *)state)->epoch = values[EPOCH].number;
    return NULL;
}

static uint32_t fair_needs(const struct corun_value *values)
{
    (void)values;
    return CORUN_NEEDS_PROFILE;
}

/* Returns C of the paper: the rate of issue expected with the kernel's blocks on this SM. T, the
 * blocks of the isolated run, is the mean number actually resident: a small grid does not fill the
 * SMs. */
static double claim(const struct corun_kernel *k, uint32_t resident, uint32_t n)
{
    if (!k->alone || k->alone->resident_blocks <= 0) return 1.0 / n;
    return k->alone->issue_fraction * resident / k->alone->resident_blocks;
}

static void fair_quota(void *state, const struct corun_view *view, uint32_t sm, uint32_t *quota)
{
    const struct fair *f = state;
    const uint32_t *resident = &view->resident[sm * view->kernel_n];
    uint32_t n = 0;
    double sum = 0;
    for (uint32_t k = 0; k < view->kernel_n; k++) n += resident[k] > 0;
    if (n < 2) return;
    for (uint32_t k = 0; k < view->kernel_n; k++)
        if (resident[k]) sum += claim(&view->kernels[k], resident[k], n);
    for (uint32_t k = 0; k < view->kernel_n; k++) {
        if (!resident[k]) continue;
        double share = sum > 0 ? claim(&view->kernels[k], resident[k], n) / sum : 1.0 / n;
        quota[k] = (uint32_t)(share * f->epoch + 0.5);
        if (!quota[k]) quota[k] = 1;
    }
}

static uint32_t fair_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_SYMMETRIC;
}

const struct corun_policy corun_policy_fair = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "fair",
    .sentence = "Kernels issue in the same proportion as in isolated runs, by quotas.",
    .source = "papers 000 section 4, 002 section 4.3",
    .options = options,
    .state_bytes = sizeof(struct fair),
    .init = fair_init,
    .needs = fair_needs,
    .quota = fair_quota,
    .traits = fair_traits,
};
