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

static bool is_stray(pid_t pid, const pid_t *own, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if (own[i] == pid) return false;
    return !has_ended(pid) && !is_helper(pid);
}

/* Sends `signal` to the strays among the children listed in the file `children`, or only counts
 * them if `signal` is 0. */
static u32 strays_in(const char *children, int signal, const pid_t *own, u32 own_n)
{
    u32 n = 0;
    int pid;
    FILE *f = fopen(children, "re");
    while (f && fscanf(f, "%d", &pid) == 1) {
        if (!is_stray(pid, own, own_n)) continue;
        n++;
        if (signal && !kill(pid, signal)) waitpid(pid, NULL, WNOHANG);
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
