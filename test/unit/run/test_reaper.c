/* All descendants of a program end with the program, or with the process that started the program.
 * Descendants write process ids to a pipe; end of file in the pipe: the last descendant has
 * ended. */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "run/jobs/reaper.h"

enum { LONG = 60, PATIENCE_MS = 30000 };

static int ids[2]; /* the pipe: every descendant holds the write end */

static void say(void)
{
    pid_t pid = getpid();
    if (write(ids[1], &pid, sizeof pid) != sizeof pid) _exit(1);
}

static pid_t heard(void)
{
    struct pollfd fd = {ids[0], POLLIN, 0};
    pid_t pid = 0;
    assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
    ssize_t n = read(ids[0], &pid, sizeof pid);
    return n == sizeof pid ? pid : 0;
}

static void nobody_is_left(void)
{
    while (heard()) continue;
    close(ids[0]);
}

static _Noreturn void stay(void)
{
    say();
    sleep(LONG);
    _exit(0);
}

static void begin(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* ---- programs ---- */

static void leaves(const void *how, pid_t reaper)
{
    (void)reaper;
    begin();
    if (!fork()) {
        setsid();
        for (int s = 1; s < SIGRTMAX; s++) signal(s, SIG_IGN);
        if (!fork()) {
            setsid();
            stay();
        }
        stay();
    }
    usleep(100000);
    if (!strcmp(how, "exits")) _exit(5);
    if (!strcmp(how, "dies")) raise(SIGABRT);
    stay();
}

/* A chain of processes, parent and child; only a signal ends the processes. */
static void deep(const void *of, pid_t reaper)
{
    (void)of;
    (void)reaper;
    begin();
    for (int i = 0; i < 40; i++) {
        if (fork()) break;
        setsid();
    }
    stay();
}

/* A process forks a child and exits, again and again. */
static void flees(const void *of, pid_t reaper)
{
    (void)of;
    (void)reaper;
    begin();
    say();
    for (pid_t child = 0; child >= 0;) {
        if (child) _exit(0);
        setsid();
        child = fork();
    }
    _exit(0);
}

static void stops_parent(const void *of, pid_t reaper)
{
    (void)of;
    begin();
    kill(reaper, SIGSTOP);
    stay();
}

static void signals_parent(const void *of, pid_t reaper)
{
    (void)of;
    begin();
    kill(reaper, SIGCONT);
    kill(reaper, SIGTERM);
    usleep(100000);
    _exit(6);
}

static void dies_with_parent(const void *of, pid_t reaper)
{
    (void)of;
    begin();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == reaper) stay();
    _exit(0);
}

/* Leaves orphans; the orphans end before the program. */
static void orphans(const void *of, pid_t reaper)
{
    (void)of;
    begin();
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (!child) {
            if (!fork()) _exit(0);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)reaper, (int)reaper);
    for (int i = 0; i < 300; i++) { /* until the program is the only child */
        FILE *f = fopen(path, "r");
        size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
        text[n] = 0;
        if (f) fclose(f);
        if (n && atoi(text) == getpid() && strchr(text, ' ') == text + n - 1) _exit(0);
        usleep(10000);
    }
    _exit(9);
}

/* ---- tests ---- */

static void start(struct reaper *r, void (*program)(const void *, pid_t), const char *how)
{
    assert_int_equal(pipe(ids), 0);
    assert_true(reaper_start(r, program, how));
    close(ids[1]);
}

static void wait_until_ended(const struct reaper *r)
{
    while (!reaper_program(r)) usleep(1000);
    struct pollfd fd = {(int)syscall(SYS_pidfd_open, reaper_program(r), 0), POLLIN, 0};
    assert_true(fd.fd >= 0);
    assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
    close(fd.fd);
}

static int status_of(void (*program)(const void *, pid_t), const char *how)
{
    struct reaper r;
    start(&r, program, how);
    wait_until_ended(&r);
    int status = reaper_end(&r);
    nobody_is_left();
    return status;
}

static void test_status(void **state)
{
    (void)state;
    int status = status_of(leaves, "exits");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    status = status_of(leaves, "dies");
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    status = status_of(orphans, "");
    assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
    status = status_of(signals_parent, "");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 6);
}

static void test_ends(void **state)
{
    static void (*const programs[])(const void *, pid_t) = {leaves, deep, flees, stops_parent};
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(programs); i++) {
        struct reaper r;
        start(&r, programs[i], "stays");
        assert_int_not_equal(heard(), 0);
        usleep(100000);
        int status = reaper_end(&r);
        if (programs[i] != flees) assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        nobody_is_left();
    }
}

/* The process that started the program is killed. */
static void test_killed(void **state)
{
    static void (*const programs[])(const void *, pid_t) = {leaves, deep, stops_parent};
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(programs); i++) {
        assert_int_equal(pipe(ids), 0);
        pid_t middle = fork();
        if (!middle) {
            struct reaper r;
            if (!reaper_start(&r, programs[i], "stays")) _exit(1);
            pause();
        }
        close(ids[1]);
        assert_int_not_equal(heard(), 0);
        usleep(300000);
        assert_true(middle > 0);
        kill(middle, SIGKILL);
        waitpid(middle, NULL, 0);
        nobody_is_left();
    }
}

static void test_reaper_killed(void **state)
{
    (void)state;
    struct reaper r;
    start(&r, dies_with_parent, "");
    assert_int_not_equal(heard(), 0);
    kill(r.pid, SIGKILL);
    int status = reaper_end(&r);
    assert_true(WIFSIGNALED(status));
    nobody_is_left();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_killed), cmocka_unit_test(test_reaper_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
