#include "run/jobs/hang.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct asked *asked_share(u32 n)
{
    void *at = mmap(NULL, n * sizeof(struct asked), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void asked_free(struct asked *asked, u32 n)
{
    if (asked) munmap(asked, n * sizeof *asked);
}

/* Of one of its threads, by user and system; < 0: there is none. proc(5): fields 14 and 15. */
static double processor_seconds(pid_t pid, int thread)
{
    char path[64], text[1024];
    unsigned long user, system;
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, thread ? thread : (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *rest = strrchr(text, ')'); /* of its name, which may hold anything */
    if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                        &system) != 2)
        return -1;
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

bool asked_hangs(const struct asked *asked, struct hang *seen, pid_t pid, double seconds)
{
    const volatile struct asked *a = asked;
    if (seconds <= 0) return false;
    bool same = a->hook && seen->count == a->count && seen->since >= 0;
    double now = a->hook ? processor_seconds(pid, a->thread) : -1;
    if (same && now >= 0) return now - seen->since > seconds;
    *seen = (struct hang){a->count, now};
    return false;
}

void asked_show(const struct asked *a, const char *policy, struct text *out)
{
    if (!a->hook && !a->count) text_add(out, "before any hook of %s", policy);
    else if (!a->hook) text_add(out, "outside of the hooks of %s, near cycle %" PRIu64, policy,
                                a->cycle);
    else if (asked_file(a->hook)) text_add(out, "while %s was %sed", policy, a->hook);
    else text_add(out, "in `%s` of %s at cycle %" PRIu64, a->hook, policy, a->cycle);
}

void hang_show(double seconds, struct text *out)
{
    text_add(out, "it did not come back within %.0f s of processor time", seconds);
}

void end_show(int status, struct text *out)
{
    if (WIFSIGNALED(status)) {
        int s = WTERMSIG(status);
        text_add(out, "killed by signal %d (%s)", s, strsignal(s));
    } else {
        text_add(out, "it ended the process with exit status %d", WEXITSTATUS(status));
    }
}
