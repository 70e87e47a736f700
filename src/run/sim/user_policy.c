#include "run/sim/user_policy.h"

#include "base/float_control.h"
#include "run/jobs/process_state.h"

static const u8 always = 1;

/* Once a hook, whatever else the hook changes later. */
static bool told(struct user_policy *u, const char *hook)
{
    for (u32 i = 0; i < u->told_n; i++)
        if (u->told[i] == hook) return true;
    if (u->told_n < COUNT_OF(u->told)) u->told[u->told_n++] = hook;
    return false;
}

static void warn(struct warnings *warnings, const char *file, const char *who,
                 const struct process_changes *c)
{
    struct text sentence = {0};
    text_add(&sentence, "%s changed %s of the process: restored", who, text_get(&c->restored));
    warning_add_once(warnings, file, sentence.bytes);
    text_free(&sentence);
}

static void look(struct hook_watch *w, const char *hook, bool first)
{
    struct user_policy *u = (struct user_policy *)w;
    struct process_changes c = {0};
    const struct process_state *state = u->asked ? u->asked->process : NULL;
    if (float_control() != w->floats) {
        float_control_set(w->floats);
        process_changes_add(&c.restored, "floating-point control");
    }
    if (state && (first || !*w->alive)) process_state_look(state, u->asked, &c);
    if (c.lost.size) process_lost(u->asked, &c.lost);
    if (c.restored.size && !told(u, hook)) {
        struct text who = {0};
        text_add(&who, "`%s`", hook);
        warn(u->warnings, u->file, who.bytes, &c);
        text_free(&who);
    }
    process_changes_free(&c);
}

void user_policy_init(struct user_policy *u, const char *file, struct asked *asked,
                      struct warnings *warnings)
{
    const struct process_state *state = asked ? asked->process : NULL;
    *u = (struct user_policy){.watch = {.floats = float_control(), .alive = &always, .look = look},
                              .file = file, .asked = asked, .warnings = warnings};
    if (state) u->watch.alive = process_state_alive(state);
}

void user_policy_copied(struct user_policy *u)
{
    u->asked = NULL;
    u->watch.alive = &always;
}

void user_policy_end(const char *spec, struct asked *asked, struct warnings *warnings)
{
    struct process_changes c = {0};
    if (!asked || !asked->process) return;
    process_state_look(asked->process, asked, &c);
    if (c.lost.size) process_lost(asked, &c.lost);
    if (c.restored.size) warn(warnings, spec, "a later call of a hook", &c);
    process_changes_free(&c);
    if (process_state_shared(asked->process)) process_state_changed(asked->process, &c);
    if (asked->forked) warning_add_once(warnings, spec, "a hook made a process and came back in "
                                        "that process too, which was ended");
    process_changes_free(&c);
}
