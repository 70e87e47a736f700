/* Compiles a policy's source, FILE.c, to a shared object in a temporary folder ($CC, else cc). The
 * folder's process (temp_dir.h) runs the compiler, and kills the compiler after a time limit or
 * when the result is no longer wanted. */
#ifndef CORUN_COMPILE_H
#define CORUN_COMPILE_H

#include "run/io/temp_dir.h"

struct compiled {
    struct temp_dir temp_dir;
    struct text object, list; /* paths: shared object; make rule with the files read (-MMD) */
};

/* Makes this process and its later child processes share a table of shown compiler messages: the
 * messages about a file are shown only once. */
void compile_share(void);
/* Compiles the source at `path`. false: the reason is in `why`. The compiler writes its messages to
 * standard error, unless the messages about `key`, a hash of the file, have been shown before. The
 * caller calls compile_close in either case. */
bool compile_policy(struct compiled *c, const char *path, u64 key, struct text *why);
void compile_close(struct compiled *c);

#endif
