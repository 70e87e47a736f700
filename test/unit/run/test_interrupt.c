/* Two signals in quick succession count as one; a second signal later, or the process's own signal,
 * ends the process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "run/jobs/interrupt.h"

/* Runs `what` in a child process, with the process to be signalled; returns the wait status. */
static int child(void (*what)(pid_t to))
{
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        interrupts_note();
        pid_t to = getpid(), from = fork();
        if (from == 0) {
            what(to);
            _exit(0);
        }
        int ended;
        while (waitpid(from, &ended, 0) < 0) continue; /* interrupted */
        _exit(interrupt_came() == SIGINT ? 0 : 1);
    }
    int status = -1;
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    return status;
}

static void sent(pid_t to, int s, double after_seconds)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(after_seconds * 1e9)}, NULL);
    kill(to, s);
}

static void thrice(pid_t to)
{
    sent(to, SIGINT, 0);
    sent(to, SIGINT, 0.01);
    sent(to, SIGTERM, 0.01);
}

static void later(pid_t to)
{
    sent(to, SIGINT, 0);
    sent(to, SIGTERM, INTERRUPT_SAME_SECONDS + 0.1);
}

static void test_twice(void **state)
{
    (void)state;
    assert_int_equal(child(thrice), 0);
    int status = child(later);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

static void test_own(void **state) /* as from a hook */
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        interrupts_note();
        raise(SIGTERM);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_twice), cmocka_unit_test(test_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
