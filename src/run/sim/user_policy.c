#include "run/sim/user_policy.h"

#include "base/float_control.h"
#include "run/jobs/process_state.h"

static const u8 always = 1;

/* Returns true if the hook has a warning already: each hook gets one warning, whatever the hook
 * changes later. */
static bool was_reported(struct user_policy *u, const char *hook)
{
    for (u32 i = 0; i < u->reported_n; i++)
        if (u->reported[i] == hook) return true;
    if (u->reported_n < COUNT_OF(u->reported)) u->reported[u->reported_n++] = hook;
    return false;
}

/* Adds a warning about a change; `hook` NULL: the hook is unknown. */
static void warn(struct warnings *warnings, const char *file, const char *hook, u64 changed)
{
    struct text sentence = {0};
    if (hook) text_add(&sentence, "`%s` changed ", hook);
    else text_add(&sentence, "a later call of a hook changed ");
    process_changes_show(changed, &sentence);
    text_add(&sentence, " of the process: restored");
    warning_add_once(warnings, file, sentence.bytes);
    text_free(&sentence);
}

static void look(struct hook_watch *w, const char *hook, bool first)
{
    struct user_policy *u = (struct user_policy *)w;
    struct process_changes c = {0};
    if (float_control() != w->floats) {
        float_control_set(w->floats);
        c.restored |= PROCESS_FLOATS;
    }
    if (u->process && (first || !*w->alive)) process_state_look(u->process, u->hook_call, &c);
    if (c.lost.size) process_lost(u->hook_call, &c.lost);
    if (c.restored && !was_reported(u, hook)) warn(u->warnings, u->file, hook, c.restored);
    u->changed |= c.restored;
}

void user_policy_init(struct user_policy *u, const char *file, struct hook_call *hook_call,
                      struct warnings *warnings)
{
    const struct process_state *state = hook_call ? hook_call->process : NULL;
    *u = (struct user_policy){.watch = {.floats = float_control(), .alive = &always, .look = look},
                              .file = file, .hook_call = hook_call, .process = state,
                              .warnings = warnings};
    if (state) u->watch.alive = process_state_alive(state);
}

void user_policy_copied(struct user_policy *u)
{
    u->hook_call = NULL;
    u->process = NULL;
    u->watch.alive = &always;
}

void user_policies_look(struct user_policy *users, u32 n, const char *spec,
                        struct hook_call *hook_call, struct warnings *warnings)
{
    struct process_changes c = {0};
    u64 known = 0;
    if (!hook_call || !hook_call->process) return;
    process_state_look(hook_call->process, hook_call, &c);
    if (c.lost.size) process_lost(hook_call, &c.lost);
    for (u32 i = 0; i < n; i++) known |= users[i].changed;
    if (c.restored & ~known) warn(warnings, spec, NULL, c.restored & ~known);
    users[0].changed |= c.restored;
    process_state_await_forks(hook_call);
    if (hook_call->forked)
        warning_add_once(warnings, spec, "a hook forked and returned in the child process, too; "
                         "the child was ended");
    if (!process_state_shared(hook_call->process)) return;
    process_state_changed(hook_call->process, &c);
    text_free(&c.lost);
}
