/* The sharing policy of a run: mechanisms joined by +, each with options in brackets, as in
 * "spatial[split=9/7]"; a mechanism is a row of policy/list.def or a file of the user's. Its option
 * rows decide what is right. The gpu gets the mechanisms, the result their counters. */
#ifndef CORUN_MECHANISM_H
#define CORUN_MECHANISM_H

#include "base/arena.h"
#include "base/asked.h"
#include "base/fail.h"
#include "base/warning.h"
#include "corun/policy.h"
#include "run/input/plugin.h"

enum { MECHANISMS_MAX = 16 };

struct mechanism {
    const struct corun_policy *policy;
    struct plugin plugin;       /* when it comes from a file */
    struct corun_value *values; /* one per option row */
    bool *given;                /* one per option row: written by the user, not the default */
    char **texts;               /* one per option row: the value as written */
    u32 option_n, stat_n;
    size_t at;                  /* in the spec: where its only given option's value stands, else
                                 * its name */
};

struct mechanisms {
    const char *spec;           /* as the user wrote it */
    struct source source;       /* the same */
    u32 n;
    struct mechanism at[MECHANISMS_MAX];
    struct arena arena;
    struct asked *asked;        /* told when files are loaded and unloaded; NULL: nobody wants
                                 * to know */
};

/* false with errors placed in the spec. Free it in either case. `asked` must outlive it. */
bool mechanisms_load(struct mechanisms *m, const char *spec, struct asked *asked,
                     struct fail *fail);
/* What files changed of the process by being loaded. */
void mechanisms_warn(const struct mechanisms *m, struct warnings *to);
bool mechanisms_parse(struct mechanisms *m, const char *spec, struct fail *fail); /* untold */
void mechanisms_free(struct mechanisms *m);

/* Of a policy as the user wrote it, parsed or not: whether a file is among its mechanisms; the name
 * of the one that was in a hook, all of it when none was. */
bool policy_from_file(const char *spec);
void policy_asked(const char *spec, const struct asked *a, struct text *out);

/* Policies of policy/list.def in order; NULL past the end. */
const struct corun_policy *mechanism_shipped(u32 index);
const struct corun_policy *mechanism_find(const char *name); /* NULL: none */

/* What an option's value may be, in words. */
void mechanism_expect(const struct corun_option *option, struct text *out);

#endif
