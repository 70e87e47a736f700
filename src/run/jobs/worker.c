#include "run/jobs/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run/jobs/forks.h"
#include "run/jobs/interrupt.h"
#include "run/jobs/process_state.h"
#include "run/jobs/seconds.h"

/* WHY_MAX: maximum bytes of messages kept; WORK_FAILED: exit status of failed work. */
enum { WHY_MAX = 4000, WORK_FAILED = 4 };

static bool write_all(int fd, const struct text *t)
{
    for (size_t at = 0; at < t->size;) {
        ssize_t put = write(fd, t->bytes + at, t->size - at);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        at += (size_t)put;
    }
    return true;
}

/* Main function of a worker process; does not return. */
static _Noreturn void worker_main(struct workers *w, u32 i, u32 job, pid_t parent, int out_fd,
                                  int why_fd)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    forks_adopt();
    interrupts_ignore();
    if (getppid() != parent) _exit(WORK_FAILED);
    if (w->hide_fd >= 0) close(w->hide_fd);
    dup2(why_fd, STDERR_FILENO);
    struct text out = {0}, why = {0};
    if (w->hook_call) w->hook_call[i].process = process_state_take();
    bool ok = w->work(w->of, job, w->hook_call ? &w->hook_call[i] : NULL, &out, &why);
    bool written = write_all(STDERR_FILENO, &why) && write_all(out_fd, &out);
    _exit(ok && written ? 0 : WORK_FAILED);
}

static void close_two(const int fds[2])
{
    close(fds[0]);
    close(fds[1]);
}

bool workers_start(struct workers *w, u32 job)
{
    u32 i = 0;
    int out[2], why[2];
    while (i < w->n && w->at[i].pid) i++;
    if (i == w->n || pipe2(out, O_CLOEXEC)) return false;
    if (pipe2(why, O_CLOEXEC)) {
        close_two(out);
        return false;
    }
    if (w->hook_call) w->hook_call[i] = (struct hook_call){0};
    forks_adopt();
    pid_t parent = getpid(), pid = forks_own(NULL);
    if (pid < 0) {
        close_two(out);
        close_two(why);
        return false;
    }
    if (!pid) worker_main(w, i, job, parent, out[1], why[1]);
    close(out[1]);
    close(why[1]);
    w->at[i] = (struct worker){.pid = pid, .job = job, .out_fd = out[0], .why_fd = why[0],
                               .started = seconds_now(), .seen = {.since = -1}};
    w->busy++;
    return true;
}

/* Appends the available bytes, up to a total of `most`, to `to`. At end of file, closes *fd and
 * stores -1 there. */
static void take(int *fd, struct text *to, size_t most)
{
    char bytes[65536];
    ssize_t got = read(*fd, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
        close(*fd);
        *fd = -1;
    } else {
        size_t room = to->size < most ? most - to->size : 0;
        text_put(to, bytes, (size_t)got < room ? (size_t)got : room);
    }
}

/* Kills the processes that ended workers have left behind. */
static void kill_strays(const struct workers *w)
{
    pid_t own[WORKERS_MAX];
    u32 n = 0;
    for (u32 i = 0; i < w->n; i++)
        if (w->at[i].pid) own[n++] = w->at[i].pid;
    strays_kill(own, n);
}

/* Collects a worker with both pipes closed: the process has ended, or is about to. */
static void reap(struct workers *w, struct worker *one, struct worker_end *end)
{
    int status = 0;
    while (waitpid(one->pid, &status, 0) < 0 && errno == EINTR) continue;
    *end = (struct worker_end){.job = one->job, .out = one->out, .why = one->why,
                               .late = one->late,
                               .hook_call = w->hook_call ? w->hook_call[one - w->at]
                                                          : (struct hook_call){0},
                               .seconds = seconds_now() - one->started};
    end->died = end->hook_call.hook || !WIFEXITED(status) ||
                (WEXITSTATUS(status) && WEXITSTATUS(status) != WORK_FAILED);
    end->ok = WIFEXITED(status) && !WEXITSTATUS(status) && !end->hook_call.hook;
    if (one->late) {
        text_add(&end->why, "took longer than %llu seconds", (unsigned long long)w->limit_seconds);
    } else if (one->hangs) {
        watchdog_show(w->hook_seconds, &one->seen, &end->why);
    } else if (end->hook_call.lost[0]) {
        text_add(&end->why, "it %s", end->hook_call.lost);
    } else if (WIFSIGNALED(status) || (!end->ok && (end->hook_call.hook || !end->why.size))) {
        end_show(status, &end->why);
    }
    *one = (struct worker){0};
    w->busy--;
    if (end->died) kill_strays(w);
}

/* Closes the pipes of a worker whose process has ended, as soon as they are empty. Waiting for end
 * of file would not do: a process forked by a hook may hold the pipes open. */
static void close_ended(struct worker *one)
{
    siginfo_t end = {0};
    if (waitid(P_PID, (id_t)one->pid, &end, WEXITED | WNOHANG | WNOWAIT) || !end.si_pid) return;
    struct pollfd fds[] = {{one->out_fd, POLLIN, 0}, {one->why_fd, POLLIN, 0}};
    if (poll(fds, COUNT_OF(fds), 0) > 0) return;
    if (one->out_fd >= 0) close(one->out_fd);
    if (one->why_fd >= 0) close(one->why_fd);
    one->out_fd = one->why_fd = -1;
}

static void kill_late(struct workers *w, double now)
{
    for (u32 i = 0; w->limit_seconds && i < w->n; i++) {
        struct worker *one = &w->at[i];
        if (!one->pid || one->late || now - one->started < (double)w->limit_seconds) continue;
        one->late = true;
        kill(one->pid, SIGKILL);
    }
}

static void kill_hanging(struct workers *w)
{
    for (u32 i = 0; w->hook_call && i < w->n; i++) {
        struct worker *one = &w->at[i];
        if (!one->pid || one->hangs ||
            !watchdog_expired(&w->hook_call[i], &one->seen, one->pid, w->hook_seconds)) continue;
        one->hangs = true;
        kill(one->pid, SIGKILL);
    }
}

bool workers_wait(struct workers *w, int wait_ms, struct worker_end *end)
{
    double until = seconds_now() + wait_ms / 1e3;
    while (w->busy) {
        struct pollfd fds[2 * WORKERS_MAX];
        for (u32 i = 0; i < w->n; i++) {
            struct worker *one = &w->at[i];
            if (one->pid) close_ended(one);
            if (one->pid && one->out_fd < 0 && one->why_fd < 0) {
                reap(w, one, end);
                return true;
            }
            fds[2 * i] = (struct pollfd){one->pid ? one->out_fd : -1, POLLIN, 0};
            fds[2 * i + 1] = (struct pollfd){one->pid ? one->why_fd : -1, POLLIN, 0};
        }
        double left = until - seconds_now();
        kill_late(w, until - left);
        kill_hanging(w);
        if (left < 0) return false;
        if (poll(fds, 2 * w->n, (int)(left * 1e3) + 1) <= 0) continue;
        for (u32 i = 0; i < w->n; i++) {
            if (fds[2 * i].revents) take(&w->at[i].out_fd, &w->at[i].out, SIZE_MAX);
            if (fds[2 * i + 1].revents) take(&w->at[i].why_fd, &w->at[i].why, WHY_MAX);
        }
    }
    return false;
}

void workers_stop(struct workers *w)
{
    struct worker_end end;
    for (u32 i = 0; i < w->n; i++) {
        if (w->at[i].pid) kill(w->at[i].pid, SIGKILL);
    }
    while (w->busy) {
        if (!workers_wait(w, 1000, &end)) continue;
        text_free(&end.out);
        text_free(&end.why);
    }
}
