#include "run/jobs/forks.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The kernel keeps the first 15 bytes of a name. */
#define HELPER "corun:"
enum { NAME_BYTES = 16 };

pid_t forks_own(const char *helper)
{
    char name[NAME_BYTES];
    pid_t pid = fork();
    if (!pid && helper) {
        snprintf(name, sizeof name, HELPER "%s", helper);
        prctl(PR_SET_NAME, name);
    }
    return pid;
}

void forks_adopt(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

static bool is_helper(pid_t pid)
{
    char path[64], name[NAME_BYTES] = {0};
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, name, sizeof name) : -1;
    if (fd >= 0) close(fd);
    return n > 0 && !strncmp(name, HELPER, strlen(HELPER));
}

static bool has_ended(pid_t pid)
{
    siginfo_t end = {0};
    return waitid(P_PID, (id_t)pid, &end, WEXITED | WNOHANG | WNOWAIT) || end.si_pid;
}

static bool is_in(pid_t pid, const pid_t *list, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if (list[i] == pid) return true;
    return false;
}

/* Counts the running strays among the children listed in the file `children`. A `signal` other than
 * 0 is sent to the strays; ended strays are then reaped. */
static u32 strays_in(const char *children, int signal, const pid_t *own, u32 own_n)
{
    u32 n = 0;
    int pid;
    FILE *f = fopen(children, "re");
    while (f && fscanf(f, "%d", &pid) == 1) {
        if (is_in(pid, own, own_n) || is_helper(pid)) continue;
        bool runs = !has_ended(pid);
        n += runs;
        if (signal && runs) kill(pid, signal);
        else if (signal) waitpid(pid, NULL, WNOHANG);
    }
    if (f) fclose(f);
    return n;
}

/* Each thread has its own children. */
static u32 strays(int signal, const pid_t *own, u32 own_n)
{
    u32 n = 0;
    char path[300];
    DIR *all = opendir("/proc/self/task");
    for (struct dirent *e; all && (e = readdir(all));) {
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/children", e->d_name);
        n += strays_in(path, signal, own, own_n);
    }
    if (all) closedir(all);
    return n;
}

u32 strays_running(void) { return strays(0, NULL, 0); }

void strays_kill(const pid_t *own, u32 n)
{
    enum { TRIES = 200, PAUSE_NS = 10000000 };
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    for (u32 i = 0; i < TRIES && strays(SIGKILL, own, n); i++) nanosleep(&pause, NULL);
}
