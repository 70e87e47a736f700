#include "run/cuda/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "cuda/wire.h"

enum { FD_FROM = 100 }; /* where the program's descriptors begin, out of the way of its own */

/* ---- its environment ---- */

static bool is_named(const char *variable, const char *name, size_t n)
{
    return !strncmp(variable, name, n) && variable[n] == '=';
}

struct environment {
    const char **at;
    u32 n, room;
};

static void environment_set(struct environment *e, const char *variable)
{
    size_t n = strcspn(variable, "=");
    u32 i = 0;
    while (i < e->n && !is_named(e->at[i], variable, n)) i++;
    if (i == e->n) base_push(e->at, e->n, e->room);
    e->at[i] = variable;
}

static void environment_make(struct environment *e, const struct process_start *how,
                             const struct text *library_path, const struct text *wire)
{
    extern char **environ;
    *e = (struct environment){0};
    for (char **v = environ; *v; v++) *base_push(e->at, e->n, e->room) = *v;
    environment_set(e, text_get(library_path));
    for (u32 i = 0; how->environment && how->environment[i]; i++)
        environment_set(e, how->environment[i]);
    environment_set(e, text_get(wire));
    *base_push(e->at, e->n, e->room) = NULL;
}

/* ---- start ---- */

struct child {
    const struct process_start *how;
    const char *const *environment;
    pid_t parent;
    int socket, memory, error_fd;
};

/* In the new process, where only what is safe in a signal handler may be called. */
static _Noreturn void child_main(const struct child *c)
{
    static const int reset[] = {SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGHUP, SIGCHLD};
    sigset_t none;
    sigemptyset(&none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != c->parent) _exit(127);
    setpgid(0, 0);
    for (u32 i = 0; i < COUNT_OF(reset); i++) signal(reset[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int out = c->how->output_fd < 0 ? null : c->how->output_fd;
    bool ok = null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0;
    if (c->how->output_fd < 0) ok &= dup2(null, STDERR_FILENO) >= 0;
    ok = ok && !fcntl(c->socket, F_SETFD, 0) && !fcntl(c->memory, F_SETFD, 0) &&
         (!c->how->folder || !chdir(c->how->folder));
    if (ok)
        execve(c->how->arguments[0], (char *const *)(uintptr_t)c->how->arguments,
               (char *const *)(uintptr_t)c->environment);
    int error = errno;
    ssize_t put = write(c->error_fd, &error, sizeof error);
    _exit(put == sizeof error ? 127 : 126);
}

static void close_one(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* Device memory. Its size is sealed: a program that cut it off would take the simulator along. */
static int make_memory(void)
{
    int file = memfd_create("corun", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    if (!ftruncate(file, WIRE_MEMORY_END) &&
        !fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        return file;
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

/* The socket's and the memory's end for the program. */
static bool make_ends(struct process *p, int *socket, int *memory)
{
    int pair[2], file = make_memory();
    void *map = MAP_FAILED;
    *socket = *memory = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) pair[0] = pair[1] = -1;
    p->socket = pair[0];
    if (pair[1] >= 0) *socket = fcntl(pair[1], F_DUPFD_CLOEXEC, FD_FROM);
    if (file >= 0) {
        *memory = fcntl(file, F_DUPFD_CLOEXEC, FD_FROM);
        map = mmap(NULL, WIRE_MEMORY_END, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file,
                   0);
    }
    p->memory = map == MAP_FAILED ? NULL : map;
    int error = errno;
    close_one(&pair[1]);
    close_one(&file);
    errno = error;
    return *socket >= 0 && *memory >= 0 && p->memory;
}

static bool child_started(int error_fd, const char *path, struct text *why)
{
    int error;
    ssize_t got;
    while ((got = read(error_fd, &error, sizeof error)) < 0 && errno == EINTR) continue;
    if (got != sizeof error) return true;
    text_add(why, "cannot run %s: %s", path, strerror(error));
    return false;
}

bool process_start(struct process *p, const struct process_start *how, struct text *why)
{
    *p = (struct process){.pid_fd = -1, .socket = -1};
    struct child c = {.how = how, .parent = getpid(), .socket = -1, .memory = -1};
    int errors[2];
    if (pipe2(errors, O_CLOEXEC)) errors[0] = errors[1] = -1;
    bool ok = errors[0] >= 0 && make_ends(p, &c.socket, &c.memory);
    struct text path = {0}, wire = {0};
    const char *old = getenv("LD_LIBRARY_PATH");
    text_add(&path, "LD_LIBRARY_PATH=%s%s%s", how->library_path, old && *old ? ":" : "",
             old ? old : "");
    text_add(&wire, WIRE_VARIABLE "=%d,%d", c.socket, c.memory);
    struct environment environment;
    environment_make(&environment, how, &path, &wire);
    c.environment = environment.at;
    c.error_fd = errors[1];
    pid_t pid = ok ? fork() : -1;
    if (!pid) child_main(&c);
    if (pid < 0) text_add(why, "cannot start a process: %s", strerror(errno));
    close_one(&errors[1]);
    close_one(&c.socket);
    close_one(&c.memory);
    if (pid > 0) {
        setpgid(pid, pid);
        p->pid = pid;
        p->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
        ok = child_started(errors[0], how->arguments[0], why);
    }
    close_one(&errors[0]);
    free(environment.at);
    text_free(&path);
    text_free(&wire);
    if (pid > 0 && ok) return true;
    process_kill(p);
    return false;
}

/* ---- while it runs ---- */

enum process_news process_wait(const struct process *p, int ms)
{
    struct pollfd fds[2] = {{p->socket, POLLIN, 0}, {p->pid_fd, POLLIN, 0}};
    if (poll(fds, 2, ms) <= 0) return PROCESS_SILENT;
    char one;
    if (fds[0].revents && recv(p->socket, &one, 1, MSG_PEEK | MSG_DONTWAIT) == 1)
        return PROCESS_CALLS;
    if (fds[1].revents) return PROCESS_ENDED;
    if (ms > 0) usleep(1000); /* it has closed the socket, and is about to end */
    return PROCESS_SILENT;
}

/* After a transfer that moved nothing: whether another may, once the socket lets it. It does not
 * say that the program has ended while another process has that end of it. */
static bool may_transfer(const struct process *p, short event, int ms)
{
    struct pollfd fds[2] = {{p->socket, event, 0}, {p->pid_fd, POLLIN, 0}};
    if (errno == EINTR) return true;
    if (errno != EAGAIN) return false;
    return poll(fds, 2, ms) <= 0 || fds[0].revents || !fds[1].revents;
}

s64 process_read(const struct process *p, void *to, size_t n, int ms)
{
    ssize_t got = recv(p->socket, to, n, MSG_DONTWAIT);
    if (got > 0) return got;
    return got < 0 && may_transfer(p, POLLIN, ms) ? 0 : -1;
}

s64 process_write(const struct process *p, const void *from, size_t n, int ms)
{
    ssize_t put = send(p->socket, from, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put > 0) return put;
    return put < 0 && may_transfer(p, POLLOUT, ms) ? 0 : -1;
}

static int reap(struct process *p)
{
    int status = 0;
    kill(-p->pid, SIGKILL); /* whatever it has left behind */
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR) continue;
    p->pid = 0;
    return status;
}

int process_end(struct process *p)
{
    int status = reap(p);
    close_one(&p->socket);
    return status;
}

void process_stop(const struct process *p)
{
    if (p->pid) kill(p->pid, SIGKILL);
}

void process_kill(struct process *p)
{
    process_stop(p);
    if (p->pid) reap(p);
    close_one(&p->pid_fd);
    close_one(&p->socket);
    if (p->memory) munmap(p->memory, WIRE_MEMORY_END);
    p->memory = NULL;
}
