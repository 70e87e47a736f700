#include "base/limit.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

enum { STACK_KB = 256 };

static const struct {
    int error;
    int limit; /* a resource of getrlimit */
    u32 unit;
    char option; /* option letter of ulimit */
    const char *on;
} rows[] = {
    {ENOMEM, RLIMIT_AS, 1024, 'v', "the address space of a process"},
    {EAGAIN, RLIMIT_NPROC, 1, 'u', "the user's processes and threads"},
    {EMFILE, RLIMIT_NOFILE, 1, 'n', "open files of a process"},
    {EFBIG, RLIMIT_FSIZE, 1024, 'f', "the size of a file"},
    {E2BIG, RLIMIT_STACK, 1024, 's', "the stack (arguments and environment get 1/4)"},
};

void limit_explain(int error, struct text *out)
{
    text_add(out, "%s", strerror(error));
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct rlimit is;
        if (rows[i].error != error || getrlimit((__rlimit_resource_t)rows[i].limit, &is) ||
            is.rlim_cur == RLIM_INFINITY)
            continue;
        text_add(out, ": the limit on %s is %" PRIu64 "%s (ulimit -%c)", rows[i].on,
                 (u64)is.rlim_cur / rows[i].unit, rows[i].unit > 1 ? " kB" : "", rows[i].option);
    }
}

bool limit_stack_suffices(struct text *why)
{
    struct rlimit is;
    bool ok = getrlimit(RLIMIT_STACK, &is) || is.rlim_cur >= STACK_KB << 10;
    if (!ok)
        text_add(why, "the limit on the stack is %" PRIu64 " kB (ulimit -s): corun needs %d kB",
                 (u64)is.rlim_cur >> 10, STACK_KB);
    return ok;
}
