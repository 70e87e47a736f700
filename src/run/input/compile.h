/* A policy's source, FILE.c, made a shared object in a temporary folder ($CC, else cc). A process
 * of its own, the keeper, makes the folder and runs the compiler, and takes both away: when it is
 * told to, when the compiler takes too long, and when the thread that asked ends, however. */
#ifndef CORUN_COMPILE_H
#define CORUN_COMPILE_H

#include <sys/types.h>
#include "base/text.h"

struct compiled {
    pid_t keeper;                     /* 0: there is none */
    struct text folder, object, list; /* list: of the files read, a rule as compilers write it for
                                       * make */
};

/* What the compiler says of a file is shown once, by this process and those that are made later. */
void compile_share(void);
/* false: why. The compiler's own messages go to standard error; `key`: of the file, what it has
 * said of that key is not shown again. Close it in either case. */
bool compile_policy(struct compiled *c, const char *path, u64 key, struct text *why);
void compile_close(struct compiled *c);

#endif
