#include "run/jobs/guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static bool is_passed_on(int s)
{
    for (u32 i = 0; i < COUNT_OF(passed_on); i++)
        if (passed_on[i] == s) return true;
    return false;
}

static void stop_hanging(struct guard *g, struct hang *seen, pid_t copy)
{
    for (u32 i = 0; i < g->n && g->hangs == g->n; i++) {
        if (!asked_hangs(&g->shared->asked[i], &seen[i], copy, g->hook_seconds)) continue;
        g->hangs = i;
        kill(copy, SIGKILL);
    }
}

/* Until the copy has ended. A terminal sends its signals to both. */
static void look_after(struct guard *g, pid_t copy, const sigset_t *set)
{
    const struct timespec look = {.tv_nsec = 100000000};
    struct hang seen[GUARD_PARTS_MAX];
    for (u32 i = 0; i < g->n; i++) seen[i] = (struct hang){.since = -1};
    while (waitpid(copy, &g->status, WNOHANG) == 0) {
        siginfo_t from;
        int s = sigtimedwait(set, &from, &look);
        g->told_to_end |= is_passed_on(s);
        if (is_passed_on(s) && from.si_code != SI_KERNEL) kill(copy, s);
        stop_hanging(g, seen, copy);
    }
}

enum guard_side guard_start(struct guard *g)
{
    void *shared = mmap(NULL, sizeof *g->shared, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return GUARD_NONE;
    g->shared = shared;
    g->hangs = g->n;
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (u32 i = 0; i < COUNT_OF(passed_on); i++) sigaddset(&set, passed_on[i]);
    sigprocmask(SIG_BLOCK, &set, &before);
    pid_t here = getpid(), copy = fork();
    if (!copy) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != here) raise(SIGKILL);
    } else if (copy > 0) {
        look_after(g, copy, &set);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return copy < 0 ? GUARD_NONE : copy ? GUARD_HERE : GUARD_COPY;
}

static bool in_hook(const struct guard *g)
{
    bool some = false;
    for (u32 i = 0; i < g->n; i++) some |= g->shared->asked[i].hook != NULL;
    return some;
}

bool guard_ended(const struct guard *g, int *exit_status)
{
    enum { MISTAKE = 3 }; /* base/check.c */
    int s = WIFSIGNALED(g->status) ? WTERMSIG(g->status) : 0;
    if (s && (g->shared->done || s == SIGPIPE || (g->told_to_end && is_passed_on(s)))) {
        signal(s, SIG_DFL);
        raise(s);
    }
    *exit_status = WEXITSTATUS(g->status);
    return !s && (g->shared->done || (*exit_status == MISTAKE && !in_hook(g)));
}

/* One thread's end is that of all: it may have been in any of those that were in a hook. */
u32 guard_show(const struct guard *g, const char *const *policies, struct text *out)
{
    const struct asked *a = g->shared->asked;
    bool inside = in_hook(g);
    u32 first = g->n;
    for (u32 i = 0; i < g->n; i++) {
        if (!policies[i] || (inside && !a[i].hook) || (g->hangs < g->n && g->hangs != i)) continue;
        if (first < g->n) text_add(out, ", or ");
        else first = i;
        asked_show(&a[i], policies[i], out);
    }
    text_add(out, ": ");
    if (g->hangs < g->n) hang_show(g->hook_seconds, out);
    else end_show(g->status, out);
    return first;
}

void guard_free(struct guard *g)
{
    if (g->shared) munmap(g->shared, sizeof *g->shared);
    g->shared = NULL;
}
