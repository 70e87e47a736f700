#include "run/jobs/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "run/jobs/forks.h"
#include "run/jobs/seconds.h"

enum { GRACE_SECONDS = 2 };

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static bool is_passed_on(int s)
{
    for (u32 i = 0; i < COUNT_OF(passed_on); i++)
        if (passed_on[i] == s) return true;
    return false;
}

static bool is_ignored(int s)
{
    struct sigaction now;
    return !sigaction(s, NULL, &now) && now.sa_handler == SIG_IGN;
}

/* Kills the copy if, after a signal to end, a call of a hook takes longer than GRACE_SECONDS. */
static void stop_late(struct guard *g, struct watchdog *seen, pid_t copy)
{
    for (u32 i = 0; i < g->n && g->hangs == g->n; i++) {
        const volatile struct hook_call *a = &g->shared->hook_call[i];
        bool same = a->hook && seen[i].since >= 0 && seen[i].count == a->count;
        if (!same)
            seen[i] = (struct watchdog){.count = a->count, .since = a->hook ? seconds_now() : -1};
        if (!same || seconds_now() - seen[i].since < GRACE_SECONDS) continue;
        g->hangs = i;
        g->late = true;
        kill(copy, SIGKILL);
    }
}

static void stop_hanging(struct guard *g, struct watchdog *seen, pid_t copy)
{
    for (u32 i = 0; i < g->n && g->hangs == g->n; i++) {
        if (!watchdog_expired(&g->shared->hook_call[i], &seen[i], copy, g->hook_seconds)) continue;
        g->hangs = i;
        g->hook_state = seen[i];
        kill(copy, SIGKILL);
    }
}

/* Supervises the copy until the copy ends. Signals from the terminal (SI_KERNEL) are not passed on,
 * because a terminal sends them to both processes. */
static void look_after(struct guard *g, pid_t copy, const sigset_t *set)
{
    const struct timespec look = {.tv_nsec = 100000000};
    struct watchdog seen[GUARD_PARTS_MAX], late[GUARD_PARTS_MAX];
    for (u32 i = 0; i < g->n; i++) seen[i] = late[i] = (struct watchdog){.since = -1};
    while (waitpid(copy, &g->status, WNOHANG) == 0) {
        siginfo_t from;
        int s = sigtimedwait(set, &from, &look);
        if (is_passed_on(s) && !is_ignored(s)) {
            if (!g->end_signal) g->end_signal = s;
            if (from.si_code != SI_KERNEL) kill(copy, s);
        }
        if (g->end_signal) stop_late(g, late, copy);
        stop_hanging(g, seen, copy);
    }
}

static bool files_of(const struct guard *g, u64 files[2][2])
{
    const int fds[2] = {g->out, STDERR_FILENO};
    for (u32 i = 0; i < 2; i++) {
        struct stat st;
        if (fstat(fds[i], &st)) return false;
        files[i][0] = st.st_dev;
        files[i][1] = st.st_ino;
    }
    return true;
}

static void put_out_aside(struct guard *g)
{
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    bool aside = out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    g->out = aside ? out : STDOUT_FILENO;
    files_of(g, g->files);
}

enum guard_side guard_start(struct guard *g)
{
    void *shared = mmap(NULL, sizeof *g->shared, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return GUARD_NONE;
    g->shared = shared;
    g->shared->ended = -1;
    g->hangs = g->n;
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (u32 i = 0; i < COUNT_OF(passed_on); i++) sigaddset(&set, passed_on[i]);
    sigprocmask(SIG_BLOCK, &set, &before);
    forks_adopt();
    pid_t here = getpid(), copy = forks_own(NULL);
    if (!copy) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != here) raise(SIGKILL);
        forks_adopt();
        put_out_aside(g);
    } else if (copy > 0) {
        look_after(g, copy, &set);
        strays_kill(NULL, 0);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return copy < 0 ? GUARD_NONE : copy ? GUARD_HERE : GUARD_COPY;
}

void guard_done(struct guard *g)
{
    u64 files[2][2];
    fflush(stdout); /* output of policies */
    g->shared->closed = !files_of(g, files) || memcmp(files, g->files, sizeof files) ||
                        dup2(g->out, STDOUT_FILENO) < 0;
    if (g->shared->closed) _exit(0);
    if (g->out != STDOUT_FILENO) close(g->out);
    g->shared->done = true;
}

static bool in_hook(const struct guard *g)
{
    bool some = false;
    for (u32 i = 0; i < g->n; i++) some |= g->shared->hook_call[i].hook != NULL;
    return some;
}

bool guard_ended(const struct guard *g, int *exit_status)
{
    enum { NO_MEMORY = 2, MISTAKE = 3 }; /* exit statuses set in base/check.c */
    int s = WIFSIGNALED(g->status) ? WTERMSIG(g->status) : 0;
    bool inside = in_hook(g);
    *exit_status = g->shared->ended;
    /* A sanitizer build reports its findings at exit, hence the process's own exit status
     * counts. */
    if (!HARD && *exit_status >= 0) return true;
    if (s && (g->shared->done || (s == SIGPIPE && !inside) || (g->end_signal && is_passed_on(s)))) {
        signal(s, SIG_DFL);
        raise(s);
    }
    *exit_status = WEXITSTATUS(g->status);
    bool own = *exit_status == MISTAKE || *exit_status == NO_MEMORY;
    return !s && (g->shared->done || (own && !inside && !g->shared->closed));
}

/* Returns the description of an action by which a policy ended the process, and sets *part; NULL:
 * none. */
static const char *lost_in(const struct guard *g, u32 *part)
{
    for (*part = 0; *part < g->n; ++*part)
        if (g->shared->hook_call[*part].lost[0]) return g->shared->hook_call[*part].lost;
    return NULL;
}

/* If any thread ends, the whole process ends. Hence every part inside a hook may be the cause. */
u32 guard_show(const struct guard *g, const char *const *policies, bool *sure, struct text *out)
{
    const struct hook_call *a = g->shared->hook_call;
    bool inside = in_hook(g), closed = g->shared->closed;
    u32 first = g->n, n = 0, from_file_n = 0, loser;
    const char *lost = lost_in(g, &loser);
    bool known = lost && (g->in_turn || a[loser].hook);
    for (u32 i = 0; i < g->n; i++) {
        from_file_n += policies[i] != NULL;
        if (!policies[i] || (inside && !a[i].hook) || (g->hangs < g->n && g->hangs != i)) continue;
        if (known && i != loser) continue;
        if (n++) text_add(out, ", or ");
        else first = i;
        if (closed || (lost && !inside)) text_add(out, "%s", policies[i]);
        else hook_call_show(&a[i], policies[i], out);
    }
    /* False if parallel threads run several policies: the cause is then uncertain. */
    bool one = g->in_turn || from_file_n == 1 || g->hangs < g->n || known;
    *sure = n == 1 && (one || hook_call_is_phase(a[first].hook));
    text_add(out, closed || (lost && !inside) ? " " : ": ");
    if (lost) text_add(out, "%s%s", inside ? "it " : "", lost);
    else if (closed) text_add(out, "closed descriptors of corun");
    else if (g->late) text_add(out, "no return within %d s", GRACE_SECONDS);
    else if (g->hangs < g->n) watchdog_show(g->hook_seconds, &g->hook_state, out);
    else end_show(g->status, out);
    return first;
}

void guard_free(struct guard *g)
{
    if (g->shared) munmap(g->shared, sizeof *g->shared);
    g->shared = NULL;
}
