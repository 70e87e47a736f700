#include "run/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The metric named in "oracle[metric=antt,...]". */
static const struct metric_row *sought(const char *spec)
{
    const char *given = strstr(spec, "metric=");
    char name[64] = "weighted_speedup";
    if (given) snprintf(name, sizeof name, "%.*s", (int)strcspn(given + 7, ",]+"), given + 7);
    for (char *p = name; *p; p++) {
        if (*p == '-') *p = '_';
    }
    const struct metric_row *row = metric_find(name);
    return row ? row : metric_find("weighted_speedup");
}

bool compare_oracle(const struct batch *b, struct compare_oracle *out)
{
    for (u32 r = 0; r < b->run_n; r++) {
        const char *spec = b->setup->policies[r];
        if (strncmp(spec, "oracle", 6) || (spec[6] && !strchr("[+", spec[6]))) continue;
        *out = (struct compare_oracle){r, sought(spec)};
        return true;
    }
    return false;
}

double compare_of_oracle(const struct batch *b, const struct compare_oracle *o, u32 run)
{
    double own = metric_of(&b->runs[run], o->metric);
    double best = metric_of(&b->runs[o->run], o->metric);
    double over = o->metric->best == METRIC_MORE ? own : best;
    double under = o->metric->best == METRIC_MORE ? best : own;
    return under > 0 ? over / under : (double)NAN;
}
