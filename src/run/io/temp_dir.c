#include "run/io/temp_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limit.h"
#include "run/io/removal.h"
#include "run/jobs/forks.h"

enum { SAID_MAX = 4096, REMOVE_TRIES = 200, REMOVE_PAUSE_US = 10000 };

/* The helper's only message: the path of the folder, or the reason for a failure. */
struct fill_result {
    bool ok;
    char text[SAID_MAX];
};

/* ---- in the helper ---- */

static int folder_new(struct text *path, struct text *why)
{
    const char *temporary = getenv("TMPDIR");
    text_add(path, "%s/corun-XXXXXX", temporary && temporary[0] ? temporary : "/tmp");
    int folder = mkdtemp(path->bytes) ? open(path->bytes, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder >= 0) return folder;
    text_add(why, "no temporary folder %s: ", path->bytes);
    limit_explain(errno, why);
    return folder;
}

/* Reports a folder that cannot be removed, directly on standard error: the parent may have been
 * killed. */
static void say_left(const char *path, const char *left, int why)
{
    const char *is = why == EBUSY ? "a file system is mounted in the folder: unmount the file "
 "system, then remove the folder"
                     : why == ENOSYS ? "the kernel does not report whether a file system is "
 "mounted in the folder"
                     : strerror(why);
    struct text line = {0};
    text_add(&line, "corun: the temporary folder %s stays: %s%s: %s\n", path, path, left, is);
    text_mask(&line);
    ssize_t put = write(STDERR_FILENO, line.bytes, line.size);
    (void)put;
    text_free(&line);
}

/* Removes the folder, with retries: processes using the folder are killed together with the parent,
 * perhaps a little later, and may write until then. */
static void remove_all(int folder, const char *path)
{
    struct text left = {0};
    int why = 0;
    for (u32 i = 0; i < REMOVE_TRIES; i++) {
        text_free(&left);
        why = removal_empty(folder, &left);
        if (!why && rmdir(path) && errno != ENOENT) why = errno;
        if (!why || why == EBUSY || why == ENOSYS) break;
        usleep(REMOVE_PAUSE_US);
    }
    if (why) say_left(path, text_get(&left), why);
    text_free(&left);
}

bool temp_dir_unwanted(void)
{
    sigset_t pending;
    return !sigpending(&pending) && sigismember(&pending, SIGTERM);
}

static bool write_result(int fd, const struct fill_result *result)
{
    const char *at = (const char *)result, *end = at + sizeof *result;
    for (ssize_t n; at < end && (n = write(fd, at, (size_t)(end - at))) > 0;) at += n;
    return at == end;
}

/* Closes inherited descriptors other than standard ones and *to. Otherwise a reader of an inherited
 * pipe would not see the end of the pipe while the helper lives. */
static void close_others(int *to)
{
    enum { HERE = STDERR_FILENO + 1 };
    if (*to != HERE && dup3(*to, HERE, O_CLOEXEC) < 0) return;
    *to = HERE;
    syscall(SYS_close_range, HERE + 1, ~0u, 0);
}

static _Noreturn void keep(const struct temp_dir_task *task, pid_t asks, int to)
{
    sigset_t all, set;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != asks) _exit(0);
    close_others(&to);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    struct text path = {0}, why = {0};
    int folder = folder_new(&path, &why);
    if (folder >= 0) task->fill(path.bytes, task->of, &why);
    struct fill_result result = {.ok = !why.size};
    const struct text *text = result.ok ? &path : &why;
    memcpy(result.text, text_get(text), min_u64(text->size, SAID_MAX - 1));
    int s;
    if (write_result(to, &result) && result.ok) sigwait(&set, &s);
    if (folder >= 0) remove_all(folder, path.bytes);
    _exit(0);
}

/* ---- in the parent ---- */

static bool read_result(const struct temp_dir *d, int fd, struct fill_result *result)
{
    char *at = (char *)result, *end = at + sizeof *result;
    bool wanted = true;
    while (at < end) {
        ssize_t n = read(fd, at, (size_t)(end - at));
        if (n < 0 && errno == EINTR) wanted = false, kill(d->pid, SIGTERM);
        else if (n <= 0) return false;
        else at += n;
    }
    if (result->ok && !wanted) *result = (struct fill_result){.text = "interrupted"};
    return true;
}

bool temp_dir_start(struct temp_dir *d, const struct temp_dir_task *task, struct text *why)
{
    int fds[2];
    *d = (struct temp_dir){0};
    pid_t here = getpid();
    if (pipe2(fds, O_CLOEXEC)) {
        text_add(why, "no pipe to another process: ");
        limit_explain(errno, why);
        return false;
    }
    d->pid = forks_own("folder");
    int error = errno;
    if (!d->pid) keep(task, here, fds[1]);
    close(fds[1]);
    struct fill_result result = {0};
    if (d->pid < 0) {
        d->pid = 0;
        text_add(why, "no process for a temporary folder: ");
        limit_explain(error, why);
    } else if (!read_result(d, fds[0], &result)) {
        text_add(why, "the process of a temporary folder has ended");
    } else if (!result.ok) {
        text_add(why, "%s", result.text);
    }
    close(fds[0]);
    if (why->size) return false;
    text_add(&d->folder, "%s", result.text);
    return true;
}

void temp_dir_end(struct temp_dir *d)
{
    if (d->pid) {
        kill(d->pid, SIGTERM);
        while (waitpid(d->pid, NULL, 0) < 0 && errno == EINTR) continue;
    }
    text_free(&d->folder);
    *d = (struct temp_dir){0};
}
