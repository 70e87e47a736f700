#include "run/jobs/reaper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "run/jobs/forks.h"

/* Limits on the wait for killed processes: number of tries, and nanoseconds between two tries. */
enum { END_TRIES = 1000, END_WAIT_NS = 10000000 };

struct reaped { /* in memory shared by corun and the reaper */
    volatile bool kill_all;      /* corun asks the reaper to kill everything */
    volatile pid_t program;
    volatile int status, error;  /* status of the program; errno if fork failed */
};

/* ---- in the reaper ---- */

/* Kills all children, including adopted orphans. Returns the number of children that could be
 * signalled. */
static u32 kill_children(void)
{
    char path[64], text[4096];
    u32 n = 0;
    long pid = 0;
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    for (ssize_t got; fd >= 0 && (got = read(fd, text, sizeof text)) > 0;) {
        for (ssize_t i = 0; i < got; i++) {
            if (text[i] >= '0' && text[i] <= '9') pid = pid * 10 + text[i] - '0';
            else if (pid) n += !kill((pid_t)pid, SIGKILL), pid = 0;
        }
    }
    if (fd >= 0) close(fd);
    return n;
}

/* Kills the program and all its descendants. Orphans of a killed process become children of the
 * reaper, and the next try kills them. */
static void end_all(struct reaped *r)
{
    const struct timespec wait = {.tv_nsec = END_WAIT_NS};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    if (r->program > 0) kill(-r->program, SIGKILL);
    for (u32 tries = 0; tries < END_TRIES;) {
        u32 n = kill_children();
        pid_t pid;
        for (int status; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
            if (pid == r->program) r->status = status;
        if (pid < 0 || !n) break; /* no child is left, or only processes of other users */
        tries += sigtimedwait(&set, NULL, &wait) < 0;
    }
}

/* Reaps ended children, except for the program, whose pid must stay valid. */
static void reap_orphans(const struct reaped *r)
{
    siginfo_t ended = {0};
    while (!waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) && ended.si_pid) {
        if (ended.si_pid == r->program) return;
        waitpid(ended.si_pid, NULL, WNOHANG);
        ended.si_pid = 0;
    }
}

static void close_all(void)
{
    if (!syscall(SYS_close_range, 0, ~0u, 0)) return;
    for (int fd = 0, n = (int)sysconf(_SC_OPEN_MAX); fd < n; fd++) close(fd);
}

/* Main function of the reaper. The parent sends SIGCONT when there is work for the reaper: SIGCONT
 * arrives even if the program has stopped the reaper. */
static _Noreturn void reap(struct reaped *r, pid_t parent,
                           void (*program)(const void *of, pid_t reaper), const void *of)
{
    sigset_t all, set;
    siginfo_t from = {0};
    pid_t here = getpid();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    signal(SIGCHLD, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGCONT);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (getppid() != parent) _exit(0);
    pid_t pid = forks_own(NULL);
    if (!pid) program(of, here);
    r->error = errno;
    r->program = pid;
    close_all();
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGCONT);
    while (pid > 0 && !r->kill_all && getppid() == parent) {
        int s = sigwaitinfo(&set, &from);
        if (s == SIGCONT && from.si_pid == parent) break;
        if (s == SIGCHLD) reap_orphans(r);
    }
    end_all(r);
    _exit(0);
}

/* ---- in corun's process ---- */

bool reaper_start(struct reaper *r, void (*program)(const void *of, pid_t reaper), const void *of)
{
    *r = (struct reaper){0};
    void *at = mmap(NULL, sizeof *r->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                    -1, 0);
    if (at == MAP_FAILED) return false;
    r->shared = at;
    r->shared->status = SIGKILL; /* reported as the program's status if the reaper is killed */
    pid_t here = getpid(), pid = forks_own("reaper");
    if (!pid) reap(r->shared, here, program, of);
    if (pid > 0) r->pid = pid;
    if (pid > 0) return true;
    int error = errno;
    munmap(at, sizeof *r->shared);
    r->shared = NULL;
    errno = error;
    return false;
}

pid_t reaper_program(const struct reaper *r)
{
    pid_t pid = r->shared->program;
    if (pid < 0) errno = r->shared->error;
    return pid;
}

int reaper_end(struct reaper *r)
{
    int status = 0;
    if (!r->pid) return status;
    r->shared->kill_all = true;
    kill(r->pid, SIGCONT);
    while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR) continue;
    status = r->shared->status;
    munmap(r->shared, sizeof *r->shared);
    *r = (struct reaper){0};
    return status;
}
