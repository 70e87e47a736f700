#include "run/jobs/watchdog.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run/jobs/seconds.h"

struct hook_call *hook_calls_alloc(u32 n)
{
    void *at = mmap(NULL, n * sizeof(struct hook_call), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void hook_calls_free(struct hook_call *hook_call, u32 n)
{
    if (hook_call) munmap(hook_call, n * sizeof *hook_call);
}

struct thread_time {
    double processor; /* user and system CPU seconds; < 0: no such thread */
    char state;       /* R: running or runnable; S, D: waiting; T: stopped; Z: ended */
};

/* Reads the state and the CPU time of a thread: fields 3, 14 and 15 in proc(5). */
static struct thread_time time_of(pid_t pid, int thread)
{
    char path[64], text[1024], state;
    unsigned long user, system;
    const struct thread_time none = {.processor = -1};
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, thread ? thread : (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return none;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    /* The thread's name, before the last ')', may contain any character. */
    const char *rest = strrchr(text, ')');
    if (!rest || sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state,
                        &user, &system) != 3)
        return none;
    double ticks = (double)sysconf(_SC_CLK_TCK);
    return (struct thread_time){(double)(user + system) / ticks, state};
}

/* Returns true if the thread's state counts as waiting in a hook. Disk waits (D) are the host's
 * fault, debugger stops (t) are the debugger's, and the compiler has its own limit. */
static bool waits(const struct hook_call *a, char state)
{
    return (state == 'S' || state == 'T') && a->hook && strcmp(a->hook, HOOK_CALL_COMPILE);
}

bool watchdog_expired(const struct hook_call *hook_call, struct watchdog *seen, pid_t pid,
                      double seconds)
{
    /* APART: maximum seconds counted between two checks; a longer gap means that the watchdog
     * itself was delayed. GONE: seconds after which an ended thread counts as hanging; by then, the
     * parent would have noticed the end of the whole process. */
    static const double APART = 2, GONE = 0.5;
    const volatile struct hook_call *a = hook_call;
    if (seconds <= 0) return false;
    bool same = a->hook && seen->count == a->count && seen->since >= 0;
    struct thread_time t = {.processor = -1};
    if (a->hook) t = time_of(pid, a->thread);
    double now = seconds_now();
    if (!same || t.processor < 0) {
        *seen = (struct watchdog){.count = a->count, .since = t.processor, .looked = now};
        return false;
    }
    double passed = now - seen->looked;
    if (passed > APART) passed = APART;
    if (waits(hook_call, t.state)) seen->waited += passed;
    seen->gone = t.state == 'Z' ? seen->gone + passed : 0;
    seen->looked = now;
    return seen->gone > GONE || t.processor - seen->since + seen->waited > seconds;
}

void hook_call_show(const struct hook_call *a, const char *policy, struct text *out)
{
    if (!a->hook && !a->count) text_add(out, "before any hook of %s", policy);
    else if (!a->hook && a->lost[0]) text_add(out, "%s", policy);
    else if (!a->hook) text_add(out, "outside of the hooks of %s, near cycle %" PRIu64, policy,
                                a->cycle);
    else if (hook_call_is_phase(a->hook)) text_add(out, "while %s was %sed", policy, a->hook);
    else text_add(out, "in `%s` of %s at cycle %" PRIu64, a->hook, policy, a->cycle);
}

void watchdog_show(double seconds, const struct watchdog *seen, struct text *out)
{
    bool waited = 2 * seen->waited > seconds;
    if (seen->gone > 0) text_add(out, "the policy's code ended the thread");
    else text_add(out, "no return within %.0f s%s", seconds,
             waited ? ": the policy's code sleeps or waits" : " of processor time");
}

void end_show(int status, struct text *out)
{
    if (WIFSIGNALED(status)) {
        int s = WTERMSIG(status);
        text_add(out, "killed by signal %d (%s)", s, strsignal(s));
    } else {
        text_add(out, "the process ended with exit status %d", WEXITSTATUS(status));
    }
}
