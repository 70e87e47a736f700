/* A policy from a user's file: FILE.so, or FILE.c, which is compiled at load time ($CC, else cc)
 * with the policy.h embedded in the binary. The file exports the symbol `corun_policy`, or
 * `corun_policy_FILE` like the shipped policies: a source in src/policy/ also works as a file. */
#ifndef CORUN_PLUGIN_H
#define CORUN_PLUGIN_H

#include "base/fail.h"
#include "corun/policy.h"

struct hook_call;

struct plugin {
    void *handle;
    const char *file; /* path as written by the user; owned by the caller */
    const struct corun_policy *policy;
    u64 changed; /* process state changed by loading, then restored: process_changes.restored */
    /* receives the running phase (compiler, load, unload); may be NULL */
    struct hook_call *hook_call;
    u64 hash; /* of the named source or object, and of the files included by a source */
};

bool plugin_named(const char *name); /* true if the name contains '/' or ends in .c or .so */
/* Compiles and loads a policy. false: an error was added at (at, offset). The compiler writes its
 * messages to standard error. `path` and `hook_call` must outlive the plugin. */
bool plugin_open(struct plugin *p, const char *path, struct hook_call *hook_call,
                 const struct source *at, size_t offset, struct fail *fail);
void plugin_close(struct plugin *p);

#endif
