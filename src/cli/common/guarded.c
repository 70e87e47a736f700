#include "cli/common/guarded.h"

#include "cli/terminal/progress.h"
#include "run/jobs/guard.h"
#include "run/result/result.h"

enum { AGAIN = -1 };

struct tries {                 /* attempts so far */
    const struct guarded *g;
    const struct options *o;
    struct batch_failed failed[GUARD_PARTS_MAX];
    struct text why[GUARD_PARTS_MAX];
    bool in_turn;              /* the next attempt runs the policies in sequence */
};

/* Ends the command after a failed copy. */
static int give_up(struct tries *t, const struct guard *copy, u32 first, const char *why,
                   struct console *c)
{
    const struct hook_call *a = &copy->shared->hook_call[first];
    const struct guarded *g = t->g;
    enum sim_status how = copy->late ? SIM_INTERRUPTED : SIM_POLICY_FAILED;
    int status = copy->late ? EXIT_SIGNAL + copy->end_signal : EXIT_ABNORMAL;
    text_add(&c->fail.text, "%s: %s\n", sim_status_name(how), why);
    bool begun = a->hook || a->count || copy->shared->closed;
    if (g->failed && begun) {
        c->keep = true;
        if (g->failed(t->o, g->policies[first], a->cycle, why, copy->late, c) == EXIT_INPUT)
            status = EXIT_INPUT;
    }
    return status;
}

/* Handles a failed copy: identifies the policy at fault, and decides whether to try again. */
static int failed(struct tries *t, const struct guard *copy, struct console *c)
{
    const struct guarded *g = t->g;
    const char *names[GUARD_PARTS_MAX] = {0};
    struct text spelt[GUARD_PARTS_MAX] = {0}, why = {0};
    int status = AGAIN;
    bool sure;
    for (u32 i = 0; i < g->policy_n; i++) {
        if (!policy_from_file(g->policies[i]) || t->failed[i].why) continue;
        policy_hook_call(g->policies[i], &copy->shared->hook_call[i], &spelt[i]);
        names[i] = spelt[i].bytes;
    }
    struct progress_line line; /* erases a progress line left by the copy */
    line.shown = progress_start(&line, t->o) != NULL;
    progress_end(&line);
    u32 first = guard_show(copy, names, &sure, &why);
    if (g->others && !copy->end_signal && sure) {
        t->why[first] = why;
        t->failed[first] = (struct batch_failed){why.bytes, copy->shared->hook_call[first].cycle};
        why = (struct text){0};
    } else if (g->others && !copy->end_signal && !t->in_turn) {
        t->in_turn = true;
    } else {
        status = give_up(t, copy, first, why.bytes, c);
    }
    for (u32 i = 0; i < g->policy_n; i++) text_free(&spelt[i]);
    text_free(&why);
    return status;
}

static int try_once(struct tries *t, struct console *c)
{
    struct guard copy = {.n = t->g->policy_n, .hook_seconds = (double)t->o->hook_seconds,
                         .in_turn = t->in_turn};
    int status = EXIT_INPUT;
    switch (guard_start(&copy)) {
    case GUARD_NONE:
        fail_plain(&c->fail, "no process can be made for a policy from a file");
        break;
    case GUARD_COPY:
        c->hook_call = copy.shared->hook_call;
        c->failed = t->failed;
        c->in_turn = t->in_turn;
        c->out_fd = copy.out;
        c->ended = &copy.shared->ended;
        status = t->g->work(t->g, t->o, c);
        guard_done(&copy);
        return status;
    case GUARD_HERE:
        if (!guard_ended(&copy, &status)) status = failed(t, &copy, c);
    }
    guard_free(&copy);
    return status;
}

int guarded_run(const struct guarded *g, const struct options *o, struct console *c)
{
    struct tries t = {.g = g, .o = o};
    int status = AGAIN;
    bool from_file = false;
    for (u32 i = 0; i < g->policy_n; i++) from_file |= policy_from_file(g->policies[i]);
    if (!from_file) return g->work(g, o, c);
    check(g->policy_n <= GUARD_PARTS_MAX);
    while (status == AGAIN) status = try_once(&t, c);
    for (u32 i = 0; i < g->policy_n; i++) text_free(&t.why[i]);
    return status;
}
