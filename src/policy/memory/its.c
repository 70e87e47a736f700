/* its: among requests missing the open row of their bank, DRAM prefers the app with fewer L2 misses
 * per instruction in the last window, because bandwidth yields most instructions for the app. Each
 * memory partition counts the misses in the partition; instructions count on the whole GPU. An app
 * idle in a window keeps its value. Paper 001 section 6. */
#include "ranking.h"

#include <float.h>

struct its {
    struct ranking ranking;
    uint64_t instructions[CORUN_APPS_MAX];                /* at the start of the window */
    uint64_t misses[RANKING_PARTITIONS][CORUN_APPS_MAX];  /* at the start of the window */
    double mpki[RANKING_PARTITIONS][CORUN_APPS_MAX];
};

enum option { WINDOW };
static const struct corun_option options[] = {[WINDOW] = RANKING_OPTION, {0}};
static const struct corun_policy_stat stats[] = {RANKING_STATS, {0}};

static const char *its_init(void *state, const struct corun_setup *setup,
                            const struct corun_value *values, uint64_t *counters)
{
    return ranking_init(&((struct its *)state)->ranking, setup, values[WINDOW].number, counters);
}

/* Returns the instructions that the app issued on the whole GPU in the completed window. */
static uint64_t instructions_take(struct its *s, const struct corun_view *view, uint32_t app)
{
    struct corun_counts c;
    corun_count_gpu(view, app, &c);
    uint64_t before = s->instructions[app];
    s->instructions[app] = c.thread_instructions;
    return c.thread_instructions - before;
}

static uint64_t misses_take(struct its *s, const struct corun_view *view, uint32_t partition,
                            uint32_t app)
{
    struct corun_memory_counts c;
    view->count_memory(view, partition, app, &c);
    uint64_t before = s->misses[partition][app];
    s->misses[partition][app] = c.l2_misses;
    return c.l2_misses - before;
}

static void its_watch(void *state, const struct corun_view *view, const struct corun_event *event)
{
    struct its *s = state;
    uint64_t instructions[CORUN_APPS_MAX];
    (void)event;
    if (!ranking_over(&s->ranking, view)) return;
    for (uint32_t a = 0; a < view->app_n; a++) instructions[a] = instructions_take(s, view, a);
    for (uint32_t p = 0; p < view->partition_n; p++) {
        double *mpki = s->mpki[p];
        for (uint32_t a = 0; a < view->app_n; a++) {
            uint64_t misses = misses_take(s, view, p, a);
            if (instructions[a]) mpki[a] = 1000 * (double)misses / (double)instructions[a];
            else if (misses) mpki[a] = DBL_MAX;
        }
        ranking_sort(&s->ranking, view, p, mpki);
    }
}

static enum corun_rule its_rank(void *state, const struct corun_view *view, uint32_t partition,
                                uint32_t *rank)
{
    return ranking_answer(&((const struct its *)state)->ranking, view, partition, rank);
}

static uint64_t its_timer(const void *state) { return ((const struct its *)state)->ranking.next; }

const struct corun_policy corun_policy_its = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "its",
    .sentence = "DRAM serves first the app with fewer recent misses per instruction.",
    .source = "paper 001 section 6",
    .options = options,
    .stats = stats,
    .state_bytes = sizeof(struct its),
    .init = its_init,
    .dram_rank = its_rank,
    .watch = its_watch,
    .events = 1u << CORUN_TIMER,
    .timer = its_timer,
};
