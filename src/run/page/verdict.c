/* The verdict of a comparison: a sentence that names the best policy, with the reason. */
#include "run/page/compare.h"

#include <math.h>
#include <string.h>
#include "run/study/seeds.h"

enum { NAMED_MOST = 3 };             /* close policies named in the sentence */
static const double CLOSE = 0.99;    /* least fraction of the best value of a close policy */

struct verdict {
    const struct batch *b;
    const struct metric_row *metric; /* weighted speedup */
    struct text *out;
    u32 best;                        /* run with the best value of the metric */
    u32 taking_part, missing;        /* policies with and without a result, without oracles */
};

static double value_of(const struct verdict *v, u32 run)
{
    return compare_value(v->b, run, v->metric);
}

static double app_value(const struct verdict *v, u32 run, u32 app)
{
    return seeds_app(v->b, run, app, SEEDS_NORMALIZED_IPC).mean;
}

static bool takes_part(const struct verdict *v, u32 run)
{
    return compare_takes_part(v->b, run, v->metric);
}

static void count(struct verdict *v)
{
    for (u32 r = 0; r < v->b->run_n; r++) {
        bool part = takes_part(v, r);
        v->taking_part += part;
        v->missing += !part && !compare_sought(v->b->setup->policies[r]);
    }
}

/* Returns the run that is best for an app; the best run of all if no other is better by 1 %. */
static u32 best_for(const struct verdict *v, u32 app)
{
    u32 best = v->best;
    for (u32 r = 0; r < v->b->run_n; r++) {
        if (takes_part(v, r) && app_value(v, r, app) > app_value(v, best, app)) best = r;
    }
    return app_value(v, v->best, app) < CLOSE * app_value(v, best, app) ? best : v->best;
}

static void show_winner(const struct verdict *v)
{
    const struct sim *s = &v->b->runs[v->best].sim;
    u32 won = 0;
    for (u32 a = 0; a < s->app_n; a++) won += best_for(v, a) == v->best;
    text_add(v->out, "%s ", v->b->setup->policies[v->best]);
    if (v->taking_part == 1) text_add(v->out, "is the only policy with a result");
    else if (won < s->app_n || s->app_n == 1) text_add(v->out, "is best");
    else if (s->app_n == 2) text_add(v->out, "is best for both");
    else text_add(v->out, "is best for all %u apps", s->app_n);
    struct spread won_by = seeds_metric(v->b, v->best, v->metric);
    text_add(v->out, " (weighted speedup %.3f", won_by.mean);
    if (v->b->seeds.n)
        text_add(v->out, " +- %.3f over %u seeds", won_by.half, won_by.n);
    text_add(v->out, "): ");
    for (u32 a = 0; a < s->app_n; a++) {
        text_add(v->out, "%s%s %.3f", a ? ", " : "", s->apps[a].name,
                 app_value(v, v->best, a));
    }
}

/* Names the policies that are better than the winner for a single app. */
static void show_better(const struct verdict *v)
{
    const struct sim *s = &v->b->runs[v->best].sim;
    for (u32 a = 0, n = 0; a < s->app_n; a++) {
        u32 best = best_for(v, a);
        if (best == v->best) continue;
        text_add(v->out, "%s%s is better for %s (%.3f)", n++ ? ", " : "; ",
                 v->b->setup->policies[best], s->apps[a].name,
                 app_value(v, best, a));
    }
}

static bool close_to_best(const struct verdict *v, u32 run)
{
    return value_of(v, run) >= CLOSE * value_of(v, v->best);
}

static bool not_told_apart(const struct verdict *v, u32 run)
{
    return v->b->seeds.n && seeds_alike(v->b, run, v->best, v->metric);
}

/* Names the policies beside the best to which the words apply. */
static void show_others(const struct verdict *v,
                        bool (*apply)(const struct verdict *v, u32 run), const char *words)
{
    u32 n = 0;
    for (u32 r = 0; r < v->b->run_n; r++) {
        if (r == v->best || !takes_part(v, r) || !apply(v, r)) continue;
        if (n < NAMED_MOST) text_add(v->out, "%s%s", n ? ", " : "; ", v->b->setup->policies[r]);
        n++;
    }
    if (n > NAMED_MOST) text_add(v->out, " and %u more", n - NAMED_MOST);
    if (n) text_add(v->out, " %s", words);
}

static void show_oracle(const struct verdict *v)
{
    struct compare_oracle oracle;
    if (!compare_oracle(v->b, &oracle) || !compare_has(v->b, oracle.run, v->metric)) return;
    const char *chosen = v->b->runs[oracle.run].prepared.oracle.chosen;
    text_add(v->out, "; oracle%s%s: %.3f", chosen ? " " : "", chosen ? chosen : "",
             value_of(v, oracle.run));
}

void compare_verdict(const struct batch *b, struct text *out)
{
    struct verdict v = {.b = b, .metric = metric_find("weighted_speedup"), .out = out};
    v.best = compare_best(b, v.metric);
    count(&v);
    if (!v.taking_part) {
        text_add(out, "no verdict: %s", !v.missing ? "the oracle is the only policy"
                 : b->setup->from == ALONE_SKIP ? "isolated runs were skipped"
                 : "no policy completed with a weighted speedup");
        return;
    }
    show_winner(&v);
    show_better(&v);
    show_others(&v, close_to_best, "within 1 %");
    show_others(&v, not_told_apart, "not told apart from the best");
    show_oracle(&v);
    if (v.missing) {
        text_add(out, "; %u polic%s not complete", v.missing,
                 v.missing == 1 ? "y did" : "ies did");
    }
}
