#include "cli/guarded.h"

#include "cli/setup.h"
#include "run/jobs/guard.h"
#include "run/result/result.h"

/* A command that looked at what it would write over had a hook called. */
static int failed(const struct guarded *g, const struct guard *copy, const struct options *o,
                  struct console *c)
{
    const char *names[GUARD_PARTS_MAX] = {0};
    struct text spelt[GUARD_PARTS_MAX] = {0}, why = {0}, json = {0};
    const struct asked *asked = copy->shared->asked;
    for (u32 i = 0; i < g->policy_n; i++) {
        if (!policy_from_file(g->policies[i])) continue;
        policy_asked(g->policies[i], &asked[i], &spelt[i]);
        names[i] = spelt[i].bytes;
    }
    int status = EXIT_ABNORMAL;
    struct progress_line line; /* of the copy's, which may stand there */
    line.shown = progress_start(&line, o) != NULL;
    progress_end(&line);
    u32 first = guard_show(copy, names, &why);
    text_add(&c->fail.text, "%s: %s\n", sim_status_name(SIM_POLICY_FAILED), why.bytes);
    if (g->schema && o->json && asked[first].count) {
        result_failed_json(g->schema, g->policies[first], asked[first].cycle, why.bytes, &json);
        if (!setup_write(o->json, &json, c)) status = EXIT_INPUT;
        c->keep = true;
    }
    for (u32 i = 0; i < g->policy_n; i++) text_free(&spelt[i]);
    text_free(&why);
    text_free(&json);
    return status;
}

int guarded_run(const struct guarded *g, const struct options *o, struct console *c)
{
    struct guard copy = {.n = g->policy_n, .hook_seconds = (double)o->hook_seconds};
    bool from_file = false;
    int status = EXIT_INPUT;
    for (u32 i = 0; i < g->policy_n; i++) from_file |= policy_from_file(g->policies[i]);
    if (!from_file) return g->work(g, o, c);
    check(g->policy_n <= GUARD_PARTS_MAX);
    switch (guard_start(&copy)) {
    case GUARD_NONE:
        fail_plain(&c->fail, "no process can be made for a policy from a file");
        break;
    case GUARD_COPY:
        c->asked = copy.shared->asked;
        status = g->work(g, o, c);
        guard_done(&copy);
        return status;
    case GUARD_HERE:
        if (!guard_ended(&copy, &status)) status = failed(g, &copy, o, c);
    }
    guard_free(&copy);
    return status;
}
