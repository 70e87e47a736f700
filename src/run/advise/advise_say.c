/* The sentences of an advice, for the table and the page. */
#include "run/advise/advise.h"

#include <stdio.h>
#include <string.h>

enum { METRIC_ROOM = 64 };

/* Returns "weighted speedup" for "weighted_speedup". */
static const char *spaced(const char *metric, char room[METRIC_ROOM])
{
    snprintf(room, METRIC_ROOM, "%s", metric);
    for (char *p = room; *p; p++)
        if (*p == '_') *p = ' ';
    return room;
}

static void add_integer(struct text *out, double value)
{
    char digits[TEXT_NUMBER], room[TEXT_NUMBER];
    snprintf(digits, sizeof digits, "%.0f", value);
    text_add(out, "%s", text_grouped(digits, room));
}

/* Appends the slowdown of every app. */
static void say_slowdowns(const struct advise *a, const struct split *s, struct text *out)
{
    for (u32 i = 0; i < a->splits.app_n; i++) {
        double bound = a->goal.apps[i].slowdown;
        text_add(out, "%s%s %.3f", i ? ", " : "", a->names[i], s->slowdown[i]);
        if (s->slowdown[i] > bound) text_add(out, " instead of at most %g", bound);
    }
}

/* Appends the p99 of every app that has one in the goal. */
static void say_p99(const struct advise *a, const struct split *s, struct text *out)
{
    for (u32 i = 0; i < a->splits.app_n; i++) {
        double alone = curves_p99(&a->curves, i), bound = a->goal.apps[i].p99_us;
        if (!goal_has_p99(&a->goal, i)) continue;
        text_add(out, "; p99 of %s %.1f us, alone %.1f", a->names[i], s->p99[i], alone);
        if (s->p99[i] > bound) text_add(out, ", instead of at most %.1f", bound);
    }
}

/* Returns the best split that is predicted to meet the goal; NULL: none. */
static const struct split *predicted(const struct advise *a)
{
    const struct split *best = NULL;
    for (u32 i = 0; i < a->splits.n; i++) {
        const struct split *s = &a->splits.at[i];
        if (s->simulated || !(s->excess <= 1)) continue;
        if (!best || split_better(&a->goal, s, best)) best = s;
    }
    return best;
}

static void say_not_met(const struct advise *a, const char *bounds, struct text *out)
{
    const struct split *other = predicted(a);
    text_add(out, "no %ssplit meets %s", other || a->exhausted ? "simulated " : "", bounds);
    if (other) text_add(out, ", by prediction %s does", other->policy);
    text_add(out, "; %s is nearest", a->best->policy);
}

void advise_verdict(const struct advise *a, struct text *out)
{
    const struct split *best = a->best;
    char name[METRIC_ROOM];
    struct text bounds = {0};
    if (!best) {
        text_add(out, "no simulated split has a value of the metric");
        return;
    }
    goal_bounds(&a->goal, &bounds);
    if (best->excess > 1)
        say_not_met(a, bounds.bytes, out);
    else if (a->goal.bounded)
        text_add(out, "%s is best with %s", best->policy, bounds.bytes);
    else
        text_add(out, "%s is best", best->policy);
    if (a->goal.metric)
        text_add(out, " (%s %.3f)", spaced(a->goal.metric->name, name), best->value);
    text_add(out, "; slowdowns: ");
    say_slowdowns(a, best, out);
    say_p99(a, best, out);
    text_free(&bounds);
}

/* Says which splits were candidates, and which ways of sharing the machine does not have. */
static void say_candidates(const struct advise *a, struct text *out)
{
    u32 front = 0, listed = 0, sm_n = a->setup->sim->gpu->machine.sm.count;
    for (u32 i = 0; i < a->splits.n; i++) front += a->splits.at[i].front;
    for (u32 w = 0; w < WAY_N; w++) {
        u32 n = a->splits.of[w].n;
        if (!n) continue;
        text_add(out, listed ? ", %u" : "candidates: all %u", n);
        if (w == WAY_FIXED) text_add(out, " tables of blocks");
        else if (!listed) text_add(out, " splits of %u SMs", sm_n);
        text_add(out, " under %s", way_label(w));
        listed += n;
    }
    if (a->setup->step > 1) text_add(out, ", in steps of %u SMs", a->setup->step);
    text_add(out, "; %u simulated, %u predicted; %u on the front\n", a->shared_n,
             a->splits.n - a->shared_n, front);
    for (u32 w = 0; w < WAY_N; w++)
        if (a->splits.of[w].left_out)
            text_add(out, "left out: %s: %s\n", way_label(w), a->splits.of[w].left_out);
}

void advise_cost(const struct advise *a, struct text *out)
{
    double warp = (double)(a->isolated_warp + a->shared_warp);
    say_candidates(a, out);
    text_add(out, "cost: %u isolated and %u shared runs, ", a->isolated_n, a->shared_n);
    add_integer(out, warp);
    text_add(out, " warp instructions, %.1f %% of about ", 100 * warp / a->sweep_warp);
    add_integer(out, a->sweep_warp);
    text_add(out, " for a sweep over all splits\n");
    if (!a->exhausted) return;
    if (a->shared_n == 1 && 100 * warp > a->setup->budget * a->sweep_warp)
        text_add(out, "the isolated runs and the first shared run, which are always made, exceed "
                 "%u %% of the sweep (--budget): a split that was not simulated may be better\n",
                 a->setup->budget);
    else
        text_add(out, "one more shared run would exceed %u %% of the sweep (--budget): a split "
                 "that was not simulated may be better\n", a->setup->budget);
}
