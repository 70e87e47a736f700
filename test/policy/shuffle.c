/* Redraws the number of blocks per kernel and SM at odd cycles, so surplus blocks leave, in the way
 * chosen by another policy. For tests: a reply or event must find its block on whatever SM the
 * block runs by then. At most half of a kernel's blocks are admitted, because blocks of a kernel
 * without pending blocks stay. Turns become rarer with time, so every block ends. */
#include "corun/policy.h"
#include "draw.h"

enum { OPTION_CYCLES };
enum {
    RAREST = 24000,    /* maximum number of cycles between turns */
    ALL_IN = 48000,    /* cycles between turns without limits (as many blocks start as fit), for
                        * kernels with all blocks resident at the same time */
    KERNELS_MAX = 256  /* launched and not ended */
};
struct shuffle {
    uint64_t number, next, all_in; /* last random number; cycle of the next turn and of the next
                                    * turn without limits */
    double cycles;
    uint64_t *turns;
};

static const struct corun_option options[] = {
    [OPTION_CYCLES] = {"cycles", CORUN_NUMBER, "300", 1, RAREST, NULL, "cycles",
                       "From one turn to the next at most."},
    {0}};
static const struct corun_policy_stat stats[] = {{"turns", "turns", "Turns so far."}, {0}};

static const char *shuffle_init(void *state, const struct corun_setup *setup,
                                const struct corun_value *values, uint64_t *count)
{
    struct shuffle *s = state;
    s->number = setup->seed;
    s->cycles = values[OPTION_CYCLES].number;
    s->all_in = ALL_IN;
    s->turns = count;
    return NULL;
}

/* Draws a number of blocks, possibly 0, for each kernel on every SM. The first SM and the first
 * kernel differ from turn to turn. */
static void places_draw(struct shuffle *s, const struct corun_view *view, uint32_t *target)
{
    uint64_t left[KERNELS_MAX]; /* blocks of each kernel not yet assigned to an SM */
    uint32_t sm_from = draw(&s->number, view->sm_n), from = draw(&s->number, view->kernel_n);
    for (uint32_t k = 0; k < view->kernel_n; k++)
        left[k] = (view->kernels[k].pending_blocks + view->kernels[k].running_blocks + 1) / 2;
    for (uint32_t i = 0; i < view->sm_n; i++) {
        uint32_t sm = (sm_from + i) % view->sm_n;
        struct corun_resources used = {0};
        for (uint32_t j = 0; j < view->kernel_n; j++) {
            uint32_t k = (from + j) % view->kernel_n;
            const struct corun_resources *block = &view->kernels[k].block;
            uint32_t room = corun_room(&view->sm, &used, block);
            uint32_t n = draw(&s->number, (left[k] < room ? (uint32_t)left[k] : room) + 1);
            target[sm * view->kernel_n + k] = n;
            corun_take(&used, block, n);
            left[k] -= n;
        }
    }
}

static void shuffle_share(void *state, const struct corun_view *view, uint32_t *target)
{
    struct shuffle *s = state;
    if (view->now < s->next) {
        memcpy(target, view->target, sizeof *target * view->sm_n * view->kernel_n);
        return;
    }
    s->next = view->now + 1 + draw(&s->number, (uint32_t)s->cycles);
    if (s->cycles < RAREST) s->cycles += s->cycles / 64;
    ++*s->turns;
    if (view->now < s->all_in) places_draw(s, view, target);
    else s->all_in = view->now + ALL_IN;
}

static uint64_t shuffle_timer(const void *state) { return ((const struct shuffle *)state)->next; }

const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "shuffle",
    .sentence = "Where blocks should be changes at odd cycles.",
    .source = "a test's own",
    .options = options,
    .stats = stats,
    .state_bytes = sizeof(struct shuffle),
    .init = shuffle_init,
    .share = shuffle_share,
    .timer = shuffle_timer,
};
