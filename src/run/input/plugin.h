/* A policy from the user's own file: FILE.so, or FILE.c, compiled on the spot ($CC, else cc) with
 * the header that is part of the binary. It exports one symbol: `corun_policy`, or
 * `corun_policy_FILE` as the shipped ones do, so that the same source is both. */
#ifndef CORUN_PLUGIN_H
#define CORUN_PLUGIN_H

#include "base/fail.h"
#include "corun/policy.h"

struct asked;

struct plugin {
    void *handle;
    const char *file; /* as it was named; the caller's */
    const struct corun_policy *policy;
    u64 changed; /* of the process, by loading it, as in struct process_changes: restored */
    struct asked *asked; /* told what runs: the compiler, constructors, destructors; may be NULL */
    u64 hash; /* of the source or object that was named, and of what a source includes */
};

bool plugin_named(const char *name); /* holds '/' or ends in .c or .so */
/* false: an error at (at, offset). The compiler's own messages go to standard error. `path` must
 * outlive it, as must `asked`. */
bool plugin_open(struct plugin *p, const char *path, struct asked *asked, const struct source *at,
                 size_t offset, struct fail *fail);
void plugin_close(struct plugin *p);

#endif
