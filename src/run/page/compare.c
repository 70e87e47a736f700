#include "run/page/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "run/study/seeds.h"
#include "run/study/window.h"

const struct metric_row *compare_sought(const char *spec)
{
    if (strncmp(spec, "oracle", 6) || (spec[6] && !strchr("[+", spec[6]))) return NULL;
    const char *given = strstr(spec, "metric=");
    char name[64] = "weighted_speedup";
    if (given) snprintf(name, sizeof name, "%.*s", (int)strcspn(given + 7, ",]+"), given + 7);
    for (char *p = name; *p; p++) {
        if (*p == '-') *p = '_';
    }
    const struct metric_row *row = metric_find(name);
    return row ? row : metric_find("weighted_speedup");
}

double compare_fraction(const struct metric_row *metric, double own, double best)
{
    double over = metric->best == METRIC_MORE ? own : best;
    double under = metric->best == METRIC_MORE ? best : own;
    return under > 0 ? over / under : (double)NAN;
}

double compare_value(const struct batch *b, u32 run, const struct metric_row *row)
{
    return seeds_metric(b, run, row).mean;
}

bool compare_has(const struct batch *b, u32 run, const struct metric_row *row)
{
    return !batch_failed(b, run) && b->runs[run].sim.status == SIM_COMPLETED &&
           isfinite(compare_value(b, run, row));
}

bool compare_takes_part(const struct batch *b, u32 run, const struct metric_row *row)
{
    return !compare_sought(b->setup->policies[run]) && compare_has(b, run, row);
}

u32 compare_best(const struct batch *b, const struct metric_row *row)
{
    u32 best = UINT32_MAX;
    for (u32 r = 0; r < b->run_n; r++) {
        if (!compare_takes_part(b, r, row)) continue;
        double value = compare_value(b, r, row);
        double most = best == UINT32_MAX ? (double)NAN : compare_value(b, best, row);
        bool better = row->best == METRIC_MORE ? value > most : value < most;
        if (best == UINT32_MAX || better) best = r;
    }
    return best;
}

bool compare_oracle(const struct batch *b, struct compare_oracle *out)
{
    for (u32 r = 0; r < b->run_n; r++) {
        *out = (struct compare_oracle){r, compare_sought(b->setup->policies[r])};
        if (out->metric) return true;
    }
    return false;
}

void compare_found(const struct batch *b, const struct compare_oracle *o, struct text *out)
{
    const struct oracle *found = &b->runs[o->run].prepared.oracle;
    if (found->chosen && isfinite(found->value)) {
        text_add(out, "of %s, the best of %u", found->chosen, found->tried);
    } else if (found->windows) {
        const u64 *n = found->windows->counters;
        text_add(out, "with %" PRIu64 " changes of its mix in %" PRIu64 " windows",
                 n[WINDOW_changes], n[WINDOW_windows]);
    }
}

double compare_of_oracle(const struct batch *b, const struct compare_oracle *o, u32 run)
{
    return compare_fraction(o->metric, compare_value(b, run, o->metric),
                            compare_value(b, o->run, o->metric));
}
