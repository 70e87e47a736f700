/* A policy's source, FILE.c, made a shared object in a temporary folder ($CC, else cc). Its
 * keeper runs the compiler, and ends it when it takes too long or is not wanted any more. */
#ifndef CORUN_COMPILE_H
#define CORUN_COMPILE_H

#include "run/io/keeper.h"

struct compiled {
    struct keeper keeper;
    struct text object, list; /* list: of the files read, a rule as compilers write it for make */
};

/* What the compiler says of a file is shown once, by this process and those that are made later. */
void compile_share(void);
/* false: why. The compiler's own messages go to standard error; `key`: of the file, what it has
 * said of that key is not shown again. Close it in either case. */
bool compile_policy(struct compiled *c, const char *path, u64 key, struct text *why);
void compile_close(struct compiled *c);

#endif
