#include "run/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

bool compare_oracle(const struct batch *b, struct compare_oracle *out)
{
    for (u32 r = 0; r < b->run_n; r++) {
        *out = (struct compare_oracle){r, compare_sought(b->setup->policies[r])};
        if (out->metric) return true;
    }
    return false;
}

double compare_of_oracle(const struct batch *b, const struct compare_oracle *o, u32 run)
{
    return compare_fraction(o->metric, metric_of(&b->runs[run], o->metric),
                            metric_of(&b->runs[o->run], o->metric));
}
