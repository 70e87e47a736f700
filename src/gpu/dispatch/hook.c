#include "gpu/dispatch/hook.h"
#include "base/float_control.h"
#include "gpu/state.h"

#include <stdarg.h>
#include <stdio.h>

enum { REFUSALS_SHOWN = 4 };

/* Returns the refusals of the mechanism whose hook ran last. */
static struct policy_lines *refused(const struct dispatch *p)
{
    return &p->hooks.refused[p->hooks.call->mechanism];
}

static bool refusal_is_reported(const struct dispatch *p)
{
    const struct text *told = &p->hooks.refused_of[p->hooks.refusal_of];
    return refused(p)->n <= REFUSALS_SHOWN || !strchr(text_get(told), '\n');
}

static void refusal_add(struct dispatch *p, const char *words)
{
    struct text *of = &p->hooks.refused_of[p->hooks.refusal_of];
    if (refused(p)->n <= REFUSALS_SHOWN) text_add(&refused(p)->lines, "%s", words);
    if (!strchr(text_get(of), '\n')) text_add(of, "%s", words);
}

void refusal_start(struct dispatch *p, enum claim of, u32 number, u64 now)
{
    const char *part = of == CLAIM_N                                  ? "mechanism"
                       : of == CLAIM_L2_WAYS || of == CLAIM_DRAM_RANK ? "partition"
                                                                      : "SM";
    char words[80];
    refused(p)->n++;
    p->hooks.refusal_of = of;
    if (!refusal_is_reported(p)) return;
    snprintf(words, sizeof words, "cycle %llu, %s %u: ", (unsigned long long)now,
             part, number);
    refusal_add(p, words);
}

void refusal_say(struct dispatch *p, const char *format, ...)
{
    if (!refusal_is_reported(p)) return;
    char words[200];
    va_list a;
    va_start(a, format);
    vsnprintf(words, sizeof words, format, a);
    va_end(a);
    refusal_add(p, words);
}

enum corun_rule hook_rule(struct dispatch *p, enum claim of, u32 number, const char *hook,
                          enum corun_rule rule, enum corun_rule last, u64 now)
{
    if ((u32)rule <= (u32)last) return rule;
    refusal_start(p, of, number, now);
    if (rule == CORUN_LEAST_RATIO) refusal_say(p, "%s does not accept CORUN_LEAST_RATIO", hook);
    else refusal_say(p, "%s answered %u, not a value of enum corun_rule", hook, (u32)rule);
    refusal_say(p, "; no rule is used\n");
    return CORUN_NO_RULE;
}

/* Returns true if the hook has returned before, or the list of hooks is full; else adds the
 * hook. */
static bool hook_seen(struct hook_watch *w, const char *hook)
{
    bool seen = w->last == hook;
    for (u32 i = 0; i < w->seen_n && !seen; i++) seen = w->seen[i] == hook;
    w->last = hook;
    if (seen || w->seen_n == COUNT_OF(w->seen)) return true;
    w->seen[w->seen_n++] = hook;
    return false;
}

bool hook_look(struct dispatch *p)
{
    struct hook_watch *w = p->hooks.mechanisms[p->hooks.call->mechanism].watch;
    if (w) {
        bool seen = hook_seen(w, p->hooks.call->hook);
        if (unlikely(!seen || !*w->alive || float_control() != w->floats))
            w->look(w, p->hooks.call->hook, !seen);
    }
    return !p->hooks.viewed || hook_view_kept(p);
}

/* The first violation becomes the message with which the run ends. */
void hook_broke_at(struct dispatch *p, const char *what)
{
    p->hooks.view_is_old = p->gpu->goals = true;
    if (p->hooks.broke.size) return;
    text_add(&p->hooks.broke, "`%s` of %s wrote %s at cycle %llu", p->hooks.call->hook,
             p->hooks.mechanisms[p->hooks.call->mechanism].policy->name, what,
             (unsigned long long)p->hooks.call->cycle);
}

/* Restores overwritten guard words so that a violation is reported once. */
void hook_broke(struct dispatch *p)
{
    struct guarded_bytes state = p->hooks.states[p->hooks.call->mechanism];
    struct guarded_bytes counters = p->hooks.counters[p->hooks.call->mechanism];
    bool in_answer = !p->hooks.filling.at || guard_holds(p->hooks.filling);
    const char *what = !in_answer               ? "beyond the answer buffer"
                       : !guard_holds(state)    ? "beyond the policy's state"
                       : !guard_holds(counters) ? "beyond the policy's counters (`stats`)"
                                                : "into the view";
    guard_set(state);
    guard_set(counters);
    if (p->hooks.filling.at) guard_set(p->hooks.filling);
    hook_broke_at(p, what);
}
