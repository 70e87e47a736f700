/* The sharing policy of a run: mechanisms joined by '+', each with options in brackets, as in
 * "spatial[split=9/7]+fair". A mechanism is a shipped policy (policy/list.def) or a policy from a
 * user's file; its option rows define the valid options. The GPU runs the mechanisms, and the
 * result contains their counters. */
#ifndef CORUN_MECHANISM_H
#define CORUN_MECHANISM_H

#include "base/arena.h"
#include "gpu/dispatch/hook_call.h"
#include "base/fail.h"
#include "base/warning.h"
#include "corun/policy.h"
#include "run/input/plugin.h"

enum { MECHANISMS_MAX = 16 };

struct mechanism {
    const struct corun_policy *policy;
    struct plugin plugin;       /* of a policy from a file */
    struct corun_value *values; /* [option row] */
    bool *given;                /* [option row] set by the user, not the default */
    char **texts;               /* [option row] the value as text; numbers in normal form */
    u32 option_n, stat_n;
    u32 owner;                  /* number, from 1, of the policy whose option `inside` names this
                                 * policy: see setup.h; 0: none */
    size_t at;                  /* offset in the specification, for messages: the value of the only
                                 * option given, else the mechanism's name */
};

struct mechanisms {
    const char *spec;           /* the specification as the user wrote the policy */
    struct source source;       /* the specification as source of messages */
    u32 n;
    struct mechanism at[MECHANISMS_MAX];
    struct arena arena;
    struct hook_call *hook_call;        /* receives the load and unload of files; may be NULL */
};

/* Parses a specification and loads its files. false: errors with locations in the specification.
 * The caller calls mechanisms_free in either case. `hook_call` must outlive `m`. */
bool mechanisms_load(struct mechanisms *m, const char *spec, struct hook_call *hook_call,
                     struct fail *fail);
/* Adds a warning for each file whose loading changed the state of the process. */
void mechanisms_warn(const struct mechanisms *m, struct warnings *to);
/* Calls mechanisms_load without `hook_call`. */
bool mechanisms_parse(struct mechanisms *m, const char *spec, struct fail *fail);
void mechanisms_free(struct mechanisms *m);

/* For a specification that need not be parsed or valid: */
/* Returns the names of mechanisms in the order of parsing, also of those in options `inside`; NULL:
 * no more. *n is the name's length. The caller sets `at` to the specification. */
struct policy_names {
    const char *at;
    u64 lists;                  /* bit d: at bracket depth d stand mechanisms joined by '+' */
    u32 depth;
    bool begun;                 /* `at` is not the start of a name */
};
const char *policy_name_next(struct policy_names *s, size_t *n);
bool policy_from_file(const char *spec); /* true if a mechanism comes from a file */
/* Appends the name of the mechanism whose hook was running, or the whole specification if no hook
 * was running. */
void policy_hook_call(const char *spec, const struct hook_call *a, struct text *out);

/* Returns a policy of policy/list.def by index, the last is oracle; NULL past the end. */
const struct corun_policy *mechanism_shipped(u32 index);
const struct corun_policy *mechanism_find(const char *name); /* NULL: not found */

/* Appends a description of the valid values of an option. */
void mechanism_expect(const struct corun_option *option, struct text *out);

#endif
