/* DRAM ranks of apps by recent behaviour, for policies that count in windows of a fixed number of
 * cycles, separately for each memory partition. The first window has no ranks. its.c and weis.c
 * define the counted quantity. */
#ifndef CORUN_RANKING_H
#define CORUN_RANKING_H

#include "corun/policy.h"

enum { RANKING_PARTITIONS = CORUN_PARTITIONS_MAX };

struct ranking {
    uint64_t window, next;  /* cycles: length; last cycle of this window */
    bool known;             /* the first window is complete */
    uint32_t order[RANKING_PARTITIONS][CORUN_APPS_MAX]; /* apps in order of rank, the first to be
                                                         * served at 0 */
    uint64_t *stats;
};

#define RANKING_OPTION                                                                             \
    {"window", CORUN_WHOLE, "1024", 1, 1e9, NULL, "cycles",                                        \
     "Time between two updates of the ranks."}

enum ranking_stat { RANKING_WINDOWS, RANKING_CHANGES };
#define RANKING_STATS                                                                              \
    [RANKING_WINDOWS] = {"windows", "windows", "Completed windows."},                              \
    [RANKING_CHANGES] = {"changes", "changes",                                                     \
                         "Changes of the first app in a memory partition."}

static inline const char *ranking_init(struct ranking *r, const struct corun_setup *setup,
                                       double window, uint64_t *stats)
{
    if (setup->partition_n > RANKING_PARTITIONS) return "more memory partitions than it knows";
    r->window = (uint64_t)window;
    r->next = r->window - 1;
    r->stats = stats;
    for (uint32_t p = 0; p < setup->partition_n; p++)
        for (uint32_t a = 0; a < setup->app_n; a++) r->order[p][a] = a;
    return NULL;
}

/* Returns true at the end of the window and begins the next window. (No call precedes the first
 * launch.) */
static inline bool ranking_over(struct ranking *r, const struct corun_view *view)
{
    if (view->now < r->next) return false;
    r->next += ((view->now - r->next) / r->window + 1) * r->window;
    r->known = true;
    r->stats[RANKING_WINDOWS]++;
    return true;
}

/* Sorts by value, the least first; ties keep the previous order. */
static inline void ranking_sort(struct ranking *r, const struct corun_view *view,
                                uint32_t partition, const double *value)
{
    uint32_t *order = r->order[partition], first = order[0];
    corun_sort(value, view->app_n, order);
    r->stats[RANKING_CHANGES] += order[0] != first;
}

/* Answers the hook `dram_rank`. */
static inline enum corun_rule ranking_answer(const struct ranking *r, const struct corun_view *view,
                                             uint32_t partition, uint32_t *rank)
{
    for (uint32_t i = 0; r->known && i < view->app_n; i++) rank[r->order[partition][i]] = i;
    return CORUN_NO_RULE;
}

#endif
