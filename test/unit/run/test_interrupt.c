/* A signal that comes twice at once is one; a second one later ends the process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "run/jobs/interrupt.h"

/* In a child process; its wait status. */
static int child(void (*what)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        interrupts_note();
        what();
        _exit(interrupt_came() == SIGINT ? 0 : 1);
    }
    int status = -1;
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    return status;
}

static void thrice(void)
{
    raise(SIGINT);
    raise(SIGINT);
    raise(SIGTERM);
}

static void later(void)
{
    raise(SIGINT);
    nanosleep(&(struct timespec){.tv_nsec = (long)(INTERRUPT_SAME_SECONDS * 1e9) + 10000000},
              NULL);
    raise(SIGTERM);
}

static void test_twice(void **state)
{
    (void)state;
    assert_int_equal(child(thrice), 0);
    int status = child(later);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_twice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
