#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void check_failed(const char *cond, const char *file, int line)
{
    fprintf(stderr, "corun: internal check failed: %s at %s:%d\n"
                    "corun: please report both lines, the command and the input files\n",
            cond, file, line);
    exit(3);
}

_Noreturn void out_of_memory(u64 bytes, const char *what)
{
    bool small = bytes < 10 << 20;
    u64 n = (bytes >> (small ? 10 : 20)) + 1;
    fprintf(stderr, "corun: out of memory: %llu %s wanted for %s\n", (unsigned long long)n,
            small ? "KiB" : "MiB", what);
    exit(2);
}
