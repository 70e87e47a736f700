/* leftover: the behaviour of shipping GPUs. The oldest kernel with pending blocks takes all
 * resources it can use; the next kernel gets the rest. Papers 000 section 1, 004 section 2.3. With
 * shared=off an SM keeps one kernel until drained, as GPGPU-Sim without concurrent kernels on an
 * SM. */
#include "corun/policy.h"

#include <string.h>

struct leftover {
    bool shared;
    uint64_t ask_at; /* cycle of the next call: a drained SM may take another kernel's blocks */
};

enum option { SHARED };
static const struct corun_option options[] = {
    [SHARED] =
        {"shared", CORUN_WORD, "on", 0, 0, "on|off", "",
         "off: an SM runs blocks of a single kernel until empty, and a grid too small to fill the "
         "GPU runs at most ceil(blocks / SMs) blocks per SM, as in GPGPU-Sim's exclusive mode."},
    {0},
};

static const char *leftover_init(void *state, const struct corun_setup *setup,
                                 const struct corun_value *values, uint64_t *stats)
{
    struct leftover *l = state;
    (void)setup, (void)stats;
    l->shared = !strcmp(values[SHARED].word, "on");
    l->ask_at = CORUN_NEVER;
    return NULL;
}

/* Returns the oldest kernel with pending blocks; kernel_n: none. */
static uint32_t oldest(const struct corun_view *view)
{
    uint32_t k = 0;
    while (k < view->kernel_n && !view->kernels[k].pending_blocks) k++;
    return k;
}

/* Returns true if no other kernel has a block on the SM. */
static bool sm_takes(const struct corun_view *view, uint32_t sm, uint32_t kernel)
{
    const uint32_t *resident = &view->resident[sm * view->kernel_n];
    for (uint32_t k = 0; k < view->kernel_n; k++)
        if (k != kernel && resident[k]) return false;
    return true;
}

static bool some_sm_takes(const struct corun_view *view, uint32_t kernel)
{
    for (uint32_t sm = 0; sm < view->sm_n; sm++)
        if (sm_takes(view, sm, kernel)) return true;
    return false;
}

static void leftover_admit(void *state, const struct corun_view *view, bool *admit)
{
    const struct leftover *l = state;
    uint32_t first = oldest(view);
    for (uint32_t k = first; k < view->kernel_n; k++)
        admit[k] = k == first || !view->kernels[k].pending_blocks;
    if (first < view->kernel_n && !l->shared) admit[first] = some_sm_takes(view, first);
}

/* Returns the most blocks per SM, as GPGPU-Sim: shader_core_config::max_cta. */
static uint32_t most_blocks(const struct corun_view *view, const struct corun_kernel *kernel)
{
    uint64_t even = (kernel->grid_blocks + view->sm_n - 1) / view->sm_n;
    return even < kernel->full_blocks ? (uint32_t)even : kernel->full_blocks;
}

static void leftover_share(void *state, const struct corun_view *view, uint32_t *target)
{
    struct leftover *l = state;
    uint32_t k = oldest(view);
    l->ask_at = CORUN_NEVER;
    if (l->shared || k == view->kernel_n) return;
    uint32_t most = most_blocks(view, &view->kernels[k]);
    for (uint32_t sm = 0; sm < view->sm_n; sm++)
        target[sm * view->kernel_n + k] = sm_takes(view, sm, k) ? most : 0;
}

static void leftover_watch(void *state, const struct corun_view *view,
                           const struct corun_event *event)
{
    struct leftover *l = state;
    if (!l->shared && sm_takes(view, event->sm, view->kernel_n)) l->ask_at = view->now;
}

static uint64_t leftover_timer(const void *state)
{
    const struct leftover *l = state;
    return l->ask_at;
}

static uint32_t leftover_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_QUEUE;
}

const struct corun_policy corun_policy_leftover = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "leftover",
    .sentence = "The oldest kernel takes all resources; later kernels get the rest.",
    .source = "papers 000 section 1, 004 section 2.3; shared=off: GPGPU-Sim 4.x",
    .options = options,
    .state_bytes = sizeof(struct leftover),
    .init = leftover_init,
    .admit = leftover_admit,
    .share = leftover_share,
    .watch = leftover_watch,
    .events = 1u << CORUN_BLOCK_END,
    .timer = leftover_timer,
    .traits = leftover_traits,
};
