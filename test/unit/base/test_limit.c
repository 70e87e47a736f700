/* An error message names the limit behind the failure, and no other. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>
#include "base/limit.h"

static void explains(int error, const char *want)
{
    struct text is = {0};
    limit_explain(error, &is);
    assert_string_equal(text_get(&is), want);
    text_free(&is);
}

static void set(__rlimit_resource_t which, rlim_t soft)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(which, &limit), 0);
    limit.rlim_cur = soft;
    assert_int_equal(setrlimit(which, &limit), 0);
}

static void test_named(void **state)
{
    (void)state;
    explains(ENOMEM, "Cannot allocate memory");
    set(RLIMIT_AS, (rlim_t)1 << 50); /* sanitizers reserve 20 TB */
    explains(ENOMEM, "Cannot allocate memory: the limit on the address space of a process is "
             "1099511627776 kB (ulimit -v)");
    set(RLIMIT_NPROC, 50);
    explains(EAGAIN, "Resource temporarily unavailable: the limit on the user's processes and "
             "threads is 50 (ulimit -u)");
    set(RLIMIT_NOFILE, 30);
    explains(EMFILE, "Too many open files: the limit on open files of a process is 30 "
             "(ulimit -n)");
    set(RLIMIT_FSIZE, 1 << 20);
    explains(EFBIG, "File too large: the limit on the size of a file is 1024 kB (ulimit -f)");
    set(RLIMIT_STACK, 1 << 20);
    explains(E2BIG, "Argument list too long: the limit on the stack (arguments and "
             "environment get 1/4) is 1024 kB (ulimit -s)");
    explains(ENOENT, "No such file or directory");
}

static void test_stack(void **state)
{
    (void)state;
    struct text why = {0};
    set(RLIMIT_STACK, 256 << 10);
    assert_true(limit_stack_suffices(&why));
    set(RLIMIT_STACK, (256 << 10) - 1);
    assert_false(limit_stack_suffices(&why));
    assert_string_equal(text_get(&why), "the limit on the stack is 255 kB (ulimit -s): corun needs "
                        "256 kB");
    text_free(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named), cmocka_unit_test(test_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
