#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void check_failed(const char *cond, const char *file, int line)
{
    fprintf(stderr, "corun: internal check failed: %s at %s:%d\n"
                    "corun: please report this line with the command and its input\n",
            cond, file, line);
    exit(3);
}
