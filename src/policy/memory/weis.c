/* weis: among requests missing the open row of their bank, a channel prefers the app that moved
 * fewer bytes on the channel's bus in the last window, reads and writes. For an app with little
 * bandwidth alone, a byte is a greater part of its possible progress. Paper 001 section 6. */
#include "ranking.h"

struct weis {
    struct ranking ranking;
    uint64_t bytes[RANKING_PARTITIONS][CORUN_APPS_MAX]; /* at the start of the window */
};

enum option { WINDOW };
static const struct corun_option options[] = {[WINDOW] = RANKING_OPTION, {0}};
static const struct corun_policy_stat stats[] = {RANKING_STATS, {0}};

static const char *weis_init(void *state, const struct corun_setup *setup,
                             const struct corun_value *values, uint64_t *counters)
{
    return ranking_init(&((struct weis *)state)->ranking, setup, values[WINDOW].number, counters);
}

static void weis_watch(void *state, const struct corun_view *view, const struct corun_event *event)
{
    struct weis *s = state;
    (void)event;
    if (!ranking_over(&s->ranking, view)) return;
    for (uint32_t p = 0; p < view->partition_n; p++) {
        double moved[CORUN_APPS_MAX];
        for (uint32_t a = 0; a < view->app_n; a++) {
            struct corun_memory_counts c;
            view->count_memory(view, p, a, &c);
            moved[a] = (double)(c.dram_bytes - s->bytes[p][a]);
            s->bytes[p][a] = c.dram_bytes;
        }
        ranking_sort(&s->ranking, view, p, moved);
    }
}

static enum corun_rule weis_rank(void *state, const struct corun_view *view, uint32_t partition,
                                 uint32_t *rank)
{
    return ranking_answer(&((const struct weis *)state)->ranking, view, partition, rank);
}

static uint64_t weis_timer(const void *state) { return ((const struct weis *)state)->ranking.next; }

static uint32_t weis_traits(const struct corun_value *values)
{
    (void)values;
    return CORUN_SYMMETRIC;
}

const struct corun_policy corun_policy_weis = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "weis",
    .sentence = "DRAM serves first the app with fewer recently moved bytes.",
    .source = "paper 001 section 6",
    .options = options,
    .stats = stats,
    .state_bytes = sizeof(struct weis),
    .init = weis_init,
    .dram_rank = weis_rank,
    .watch = weis_watch,
    .events = 1u << CORUN_TIMER,
    .timer = weis_timer,
    .traits = weis_traits,
};
