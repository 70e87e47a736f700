#include "run/compare.h"

#include <math.h>
#include <string.h>

bool compare_oracle(const struct batch *b, struct compare_oracle *out)
{
    for (u32 r = 0; r < b->run_n; r++) {
        const struct mechanism *m = &b->runs[r].sim.policy.at[0];
        if (strcmp(m->policy->name, "oracle")) continue;
        *out = (struct compare_oracle){r, metric_find("weighted_speedup")};
        for (u32 i = 0; i < m->option_n; i++) {
            const struct metric_row *named = metric_find(m->texts[i]);
            if (!strcmp(m->policy->options[i].name, "metric") && named) out->metric = named;
        }
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
