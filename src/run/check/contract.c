#include "run/check/contract.h"

#include <stdlib.h>
#include <string.h>
#include "run/check/scenario.h"
#include "run/jobs/worker.h"

const struct property_row property_rows[] = {
#define PROPERTY(id, name, sentence) {name, sentence},
#include "run/check/contract.def"
#undef PROPERTY
};

const char *verdict_name(enum verdict v)
{
    static const char *const names[] = {"untested", "holds", "broken"};
    return names[v];
}

struct check_run {
    const struct contract_setup *setup;
    struct contract *contract;
    struct worker_end ends[WORKERS_MAX]; /* [scenario] */
    bool ended[WORKERS_MAX];
};

static bool in_worker(void *of, u32 scenario, struct hook_call *hook_call, struct text *out,
                      struct text *why)
{
    struct check_run *run = of;
    struct check_job j = {.setup = run->setup, .hook_call = hook_call, .out = out};
    (void)why;
    scenario_run(&j, scenario);
    return true;
}

/* ---- findings ---- */

static void find(struct contract *c, enum property p, enum verdict v, const char *scenario,
                 const char *why, size_t why_n)
{
    if (v < c->property[p].verdict) return;
    struct text *to = &c->property[p].why;
    if (v > c->property[p].verdict) to->size = 0;
    c->property[p].verdict = v;
    if (!why_n || (v == VERDICT_UNTESTED && to->size)) return; /* the first reason is enough */
    if (to->size) text_put(to, "\n", 1);
    text_add(to, "%s: ", scenario);
    text_put(to, why, why_n);
}

/* Reads the findings of a scenario (format: scenario.h). false: the final line is missing. */
static bool findings_take(struct contract *c, const char *scenario, const struct text *out)
{
    const char *at = text_get(out);
    for (const char *end; (end = strchr(at, '\n')); at = end + 1) {
        if (*at == FINDING_ENDED) return true;
        u32 p = (u32)(at[1] - 'a');
        if (*at == FINDING_NOT_RUN) {
            c->run_n--;
            if (end > at + 2) c->refused_n++;
            if (!c->refused.size) text_put(&c->refused, at + 2, (size_t)(end - at - 2));
        } else if (p < PROPERTY_N) {
            enum verdict v = *at == FINDING_BROKEN  ? VERDICT_BROKEN
                             : *at == FINDING_HOLDS ? VERDICT_HOLDS
                                                  : VERDICT_UNTESTED;
            find(c, (enum property)p, v, scenario, at + 2, (size_t)(end - at - 2));
        }
    }
    return false;
}

/* Records the end of a process before the end of its scenario. */
static void note_crash(struct check_run *run, u32 scenario, const struct worker_end *end)
{
    const struct mechanisms *m = run->setup->policy;
    const struct hook_call *a = &end->hook_call;
    struct text why = {0};
    hook_call_show(a, a->mechanism < m->n ? m->at[a->mechanism].policy->name : m->spec, &why);
    char *said = end->why.size ? end->why.bytes : NULL;
    enum { SAID_MAX = 300 }; /* number of bytes kept, from the end of the process's messages */
    if (end->why.size > SAID_MAX) said += end->why.size - SAID_MAX;
    for (char *at = said; at && *at; at++)
        if (*at == '\n') *at = ' ';
    text_add(&why, ": %s", said ? said : "the process ended with exit status 0");
    find(run->contract, PROPERTY_ANSWERS, VERDICT_BROKEN, scenario_title(scenario), text_get(&why),
         why.size);
    text_free(&why);
}

/* ---- the whole suite ---- */

/* Collects the findings in scenario order, independent of the order in which processes ended. */
static void findings_gather(struct check_run *run)
{
    struct contract *c = run->contract;
    for (u32 s = 0; s < c->scenario_n; s++) {
        struct worker_end *end = &run->ends[s];
        if (!run->ended[s]) {
            c->missed_n++;
            c->run_n--;
        } else if (findings_take(c, scenario_title(s), &end->out) && end->ok)
            find(c, PROPERTY_ANSWERS, VERDICT_HOLDS, scenario_title(s), "", 0);
        else
            note_crash(run, s, end);
    }
}

static bool run_all(struct check_run *run, struct hook_call *hook_call, struct fail *fail)
{
    struct contract *c = run->contract;
    u32 next = 0, wanted = min_u32(max_u32(run->setup->processes, 1), c->scenario_n);
    struct workers w = {.work = in_worker, .of = run, .hide_fd = -1, .n = wanted,
                        .hook_call = hook_call, .hook_seconds = run->setup->hook_seconds};
    while (next < c->scenario_n || w.busy) {
        while (next < c->scenario_n && w.busy < w.n && workers_start(&w, next)) next++;
        if (!w.busy) {
            fail_plain(fail, "no process can be made");
            return false;
        }
        struct worker_end end;
        if (workers_wait(&w, 100, &end)) {
            run->ends[end.job] = end;
            run->ended[end.job] = true;
        }
        if (run->setup->interrupted()) break;
    }
    workers_stop(&w);
    return true;
}

bool contract_run(struct contract *c, const struct contract_setup *setup, struct fail *fail)
{
    *c = (struct contract){.scenario_n = scenario_n(), .run_n = scenario_n()};
    check(c->scenario_n <= WORKERS_MAX);
    struct hook_call *hook_call = hook_calls_alloc(WORKERS_MAX);
    if (!hook_call) {
        fail_plain(fail, "no memory to share with another process");
        return false;
    }
    struct check_run run = {.setup = setup, .contract = c};
    bool ok = run_all(&run, hook_call, fail);
    if (ok) findings_gather(&run);
    for (u32 s = 0; s < c->scenario_n; s++) {
        text_free(&run.ends[s].out);
        text_free(&run.ends[s].why);
    }
    hook_calls_free(hook_call, WORKERS_MAX);
    return ok;
}

void contract_lost(struct contract *c, const char *why)
{
    c->property[PROPERTY_ANSWERS].verdict = VERDICT_BROKEN;
    text_add(&c->property[PROPERTY_ANSWERS].why, "%s", why);
}

bool contract_broken(const struct contract *c)
{
    for (u32 p = 0; p < PROPERTY_N; p++)
        if (c->property[p].verdict == VERDICT_BROKEN) return true;
    return false;
}

void contract_free(struct contract *c)
{
    for (u32 p = 0; p < PROPERTY_N; p++) text_free(&c->property[p].why);
    text_free(&c->refused);
}
