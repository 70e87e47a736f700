/* SMs hold more blocks than seats (threads, warp slots, block slots); blocks or warps exchange
 * seats at odd cycles. Every so often the policy draws new values: cycles per turn, bytes moved,
 * extra blocks. For tests: a reply or event must find its block or warp while others occupy the
 * seats. The unit, blocks or warps, is drawn for each launch. */
#include "corun/policy.h"

enum { OPTION_CYCLES, OPTION_BY };
struct turns {
    uint64_t number, next; /* last random number; cycle of the next draw */
    double cycles;
    char by; /* first letter of the option's word */
    struct corun_residency drawn;
};

static const struct corun_option options[] = {
    [OPTION_CYCLES] = {"cycles", CORUN_NUMBER, "300", 1, 1e6, NULL, "cycles",
                       "From one draw to the next at most."},
    [OPTION_BY] = {"by", CORUN_WORD, "any", 0, 0, "blocks|warps|any", "",
                   "What takes turns; any: for each launch what is drawn."},
    {0}};

static const char *turns_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    struct turns *t = state;
    (void)stats;
    t->number = setup->seed;
    t->cycles = values[OPTION_CYCLES].number;
    t->by = *values[OPTION_BY].word;
    return NULL;
}

/* High bits of Knuth's 64-bit linear congruential generator. */
static uint32_t draw(struct turns *t, uint32_t below)
{
    t->number = t->number * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((t->number >> 33) % below);
}

static void turns_residency(void *state, const struct corun_view *view,
                            struct corun_residency *answer)
{
    struct turns *t = state;
    if (view->now >= t->next) {
        t->next = view->now + 1 + draw(t, (uint32_t)t->cycles);
        t->drawn = (struct corun_residency){.extra_blocks = draw(t, 6),
                                            .state_bytes = draw(t, 2000),
                                            .bytes_per_cycle = 1 + draw(t, 256),
                                            .quantum = 1 + draw(t, 200),
                                            .pool_bytes = draw(t, 500),
                                            .own_registers = draw(t, 2) * draw(t, 5000),
                                            .own_pool_bytes = draw(t, 500),
                                            .own_state_bytes = draw(t, 500),
                                            .barriers = draw(t, 2),
                                            .returned_first = draw(t, 2)};
    }
    for (uint32_t k = 0; k < view->kernel_n; k++) {
        answer[k] = t->drawn;
        bool warps = t->by == 'w' || (t->by == 'a' && view->kernels[k].launch_order % 2);
        answer[k].unit = warps ? CORUN_WARPS : CORUN_BLOCKS;
    }
}

static uint64_t turns_timer(const void *state) { return ((const struct turns *)state)->next; }

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "turns",
    .sentence = "Blocks and warps without seats take turns with others at odd cycles.",
    .source = "a test's own",
    .options = options,
    .state_bytes = sizeof(struct turns),
    .init = turns_init,
    .residency = turns_residency,
    .timer = turns_timer,
};
