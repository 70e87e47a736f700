/* Takes blocks off their SMs at odd cycles and lets them go on elsewhere: every so many cycles each
 * SM should hold another number of blocks of each kernel, and those that are too many leave at
 * once. For tests: what a block waits for must find it wherever it is. Turns become rarer, so that
 * every block comes to its end. */
#include "corun/policy.h"

#include <stddef.h>

enum { OPTION_CYCLES, OPTION_BY };
enum { RAREST = 24000 }; /* cycles: within four turns a kernel gets in, too soon to be starved */
struct shuffle {
    uint64_t number, next; /* number: of the last draw */
    double cycles;
    char by; /* the first letter of the word */
    uint64_t *turns;
};

static const struct corun_option options[] = {
    [OPTION_CYCLES] = {"cycles", CORUN_NUMBER, "300", 1, 1e6, NULL, "cycles",
                       "From one turn to the next at most."},
    [OPTION_BY] = {"by", CORUN_WORD, "ideal", 0, 0, "ideal|switch|flush|any", "",
                   "How blocks leave; any: each in a way of its own."},
    {0}};
static const struct corun_policy_stat stats[] = {{"turns", "turns", "Turns so far."}, {0}};

static const char *shuffle_init(void *state, const struct corun_setup *setup,
                                const struct corun_value *values, uint64_t *count)
{
    struct shuffle *s = state;
    s->number = setup->seed;
    s->cycles = values[OPTION_CYCLES].number;
    s->by = *values[OPTION_BY].word;
    s->turns = count;
    return NULL;
}

/* Knuth's 64-bit linear congruential generator, its high bits. */
static uint32_t draw(struct shuffle *s, uint32_t below)
{
    s->number = s->number * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((s->number >> 33) % below);
}

static void shuffle_share(void *state, const struct corun_view *view, uint32_t *target)
{
    struct shuffle *s = state;
    if (view->now < s->next) {
        for (uint32_t i = 0; i < view->sm_n * view->kernel_n; i++) target[i] = view->target[i];
        return;
    }
    s->next = view->now + 1 + draw(s, (uint32_t)s->cycles);
    if (s->cycles < RAREST) s->cycles += s->cycles / 64;
    if (++*s->turns % 4 == 0) return; /* as many as fit: all of it gets somewhere */
    for (uint32_t m = 0; m < view->sm_n; m++) {
        struct corun_resources used = {0};
        for (uint32_t k = 0; k < view->kernel_n; k++) {
            const struct corun_kernel *kernel = &view->kernels[k];
            uint32_t n = draw(s, corun_room(&view->sm, &used, &kernel->block) + 1);
            target[m * view->kernel_n + k] = n;
            corun_take(&used, &kernel->block, n);
        }
    }
}

static uint32_t shuffle_needs(const struct corun_value *values)
{
    (void)values;
    return CORUN_NEEDS_IDEMPOTENCE;
}

/* What cannot be flushed is saved. */
static enum corun_preempt shuffle_preempt(void *state, const struct corun_view *view,
                                          const struct corun_block *block)
{
    struct shuffle *s = state;
    const char ways[] = "isfd";
    char by = s->by == 'a' ? ways[draw(s, 4)] : s->by;
    (void)view;
    if (by == 'd') return CORUN_DRAIN;
    if (by == 'i') return CORUN_IDEAL;
    return by == 'f' && block->idempotent ? CORUN_FLUSH : CORUN_SWITCH;
}

static uint64_t shuffle_timer(const void *state) { return ((const struct shuffle *)state)->next; }

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "shuffle",
    .sentence = "Blocks leave SMs at odd cycles and go on elsewhere.",
    .source = "a test's own",
    .options = options,
    .stats = stats,
    .state_bytes = sizeof(struct shuffle),
    .init = shuffle_init,
    .share = shuffle_share,
    .needs = shuffle_needs,
    .preempt = shuffle_preempt,
    .timer = shuffle_timer,
};
