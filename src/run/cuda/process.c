#include "run/cuda/process.h"

#include <dirent.h>
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
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/limit.h"
#include "cuda/wire.h"

enum { FD_FROM = 100 }; /* lowest inherited file descriptor, above those the program opens */

/* ---- environment ---- */

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

/* Sets PWD to `path`, unless the current PWD names the same folder, perhaps through a link. */
static void tell_folder(struct environment *e, const char *path, struct text *variable)
{
    const char *told = getenv("PWD");
    char *real = told ? realpath(told, NULL) : NULL;
    bool same = real && !strcmp(real, path);
    free(real);
    text_add(variable, "PWD=%s", path);
    if (!same) environment_set(e, variable->bytes);
}

static void environment_make(struct environment *e, const struct process_start *how,
                             const struct text *libraries, const struct text *wire,
                             struct text *pwd)
{
    extern char **environ;
    *e = (struct environment){0};
    for (char **v = environ; *v; v++) *base_push(e->at, e->n, e->room) = *v;
    tell_folder(e, how->folder->path.bytes, pwd);
    for (u32 i = 0; how->environment[i]; i++) environment_set(e, how->environment[i]);
    environment_set(e, text_get(libraries));
    environment_set(e, text_get(wire));
    *base_push(e->at, e->n, e->room) = NULL;
}

/* ---- start ---- */

struct child {
    const struct process_start *how;
    const char *const *environment;
    int calls, asks, memory, error_fd;
};

/* Runs in the new process. May only call functions safe in a signal handler. */
static _Noreturn void child_main(const void *of, pid_t parent)
{
    const struct child *c = of;
    static const int reset[] = {SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGHUP, SIGCHLD,
                                SIGXFSZ};
    sigset_t none;
    sigemptyset(&none);
    int early = folder_enter(c->how->folder) ? 0 : errno;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* after folder_enter: a new user namespace resets this */
    if (getppid() != parent) _exit(127);
    setpgid(0, 0);
    for (u32 i = 0; i < COUNT_OF(reset); i++) signal(reset[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int out = c->how->output_fd < 0 ? null : c->how->output_fd;
    bool ok = !early && null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0;
    if (c->how->output_fd < 0 || c->how->output_all) ok &= dup2(out, STDERR_FILENO) >= 0;
    ok = ok && !fcntl(c->calls, F_SETFD, 0) && !fcntl(c->asks, F_SETFD, 0) &&
         !fcntl(c->memory, F_SETFD, 0);
    if (ok)
        execve(c->how->path, (char *const *)(uintptr_t)c->how->arguments,
               (char *const *)(uintptr_t)c->environment);
    int error = early ? early : errno;
    ssize_t put = write(c->error_fd, &error, sizeof error);
    _exit(put == sizeof error ? 127 : 126);
}

static void close_one(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static bool cannot(struct text *why, const char *what, int error)
{
    text_add(why, "cannot start a process: %s", what);
    limit_explain(error, why);
    return false;
}

/* Creates the file of device memory. The size is sealed: truncation by the program would crash the
 * simulator. */
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

/* Duplicates `fd` as a descriptor for the program, FD_FROM or above. < 0: errno. */
static int move_up(int fd)
{
    int up = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FD_FROM);
    if (up < 0 && errno == EINVAL) errno = EMFILE; /* the limit is below FD_FROM */
    return up;
}

static bool make_pair(int *here, int *there, struct text *why)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return cannot(why, "no sockets: ", errno);
    *here = pair[0];
    *there = move_up(pair[1]);
    int error = errno;
    close(pair[1]);
    return *there >= 0 || cannot(why, "no sockets: ", error);
}

/* Creates the sockets and the device memory, with a descriptor of each for the program. */
static bool make_ends(struct process *p, struct child *c, struct text *why)
{
    if (!make_pair(&p->calls, &c->calls, why) || !make_pair(&p->asks, &c->asks, why)) return false;
    int file = make_memory();
    c->memory = move_up(file);
    int error = errno;
    void *map = c->memory < 0 ? MAP_FAILED
                : mmap(NULL, WIRE_MEMORY_END, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                       file, 0);
    if (c->memory >= 0) error = errno;
    p->memory_fd = file;
    p->memory = map == MAP_FAILED ? NULL : map;
    return p->memory || cannot(why, c->memory < 0 ? "no file of 1 TB for device memory: "
                               : "no 1 TB of addresses for device memory: ", error);
}

static ssize_t read_on(int fd, void *to, size_t n)
{
    ssize_t got;
    while ((got = read(fd, to, n)) < 0 && errno == EINTR) continue;
    return got;
}

/* Reads the pipe to its end; the reaper knows the process id by then. The pipe transfers an errno
 * if the program could not be executed, otherwise nothing. */
static bool child_started(struct process *p, int error_fd, const char *path, struct text *why)
{
    int error;
    char more;
    ssize_t got = read_on(error_fd, &error, sizeof error);
    if (got > 0) read_on(error_fd, &more, 1);
    pid_t pid = reaper_program(&p->reaper);
    if (!pid) text_add(why, "cannot start a process: its parent was killed");
    if (pid <= 0) return pid && cannot(why, "", errno);
    p->pid = pid;
    p->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (got != sizeof error) return true;
    text_add(why, "cannot run %s: ", path);
    limit_explain(error, why);
    return false;
}

bool process_start(struct process *p, const struct process_start *how, struct text *why)
{
    *p = (struct process){.pid_fd = -1, .calls = -1, .asks = -1, .memory_fd = -1};
    struct child c = {.how = how, .calls = -1, .asks = -1, .memory = -1};
    int errors[2];
    bool piped = !pipe2(errors, O_CLOEXEC);
    if (!piped) errors[0] = errors[1] = -1;
    bool ok = (piped || cannot(why, "no pipe: ", errno)) && make_ends(p, &c, why);
    struct text libraries = {0}, wire = {0}, pwd = {0};
    text_add(&libraries, LIBRARY_PATH "=%s", how->library_path);
    text_add(&wire, WIRE_VARIABLE "=%d,%d,%d", c.calls, c.memory, c.asks);
    struct environment environment;
    environment_make(&environment, how, &libraries, &wire, &pwd);
    c.environment = environment.at;
    c.error_fd = errors[1];
    ok = ok && (reaper_start(&p->reaper, child_main, &c) || cannot(why, "", errno));
    close_one(&errors[1]);
    close_one(&c.calls);
    close_one(&c.asks);
    close_one(&c.memory);
    ok = ok && child_started(p, errors[0], how->arguments[0], why);
    close_one(&errors[0]);
    free(environment.at);
    text_free(&libraries);
    text_free(&wire);
    text_free(&pwd);
    if (!ok) process_kill(p);
    return ok;
}

/* ---- while it runs ---- */

enum process_news process_wait(const struct process *p, int socket, int ms)
{
    struct pollfd fds[2] = {{socket, POLLIN, 0}, {p->pid_fd, POLLIN, 0}};
    if (poll(fds, 2, ms) <= 0) return PROCESS_SILENT;
    char one;
    if (fds[0].revents && recv(socket, &one, 1, MSG_PEEK | MSG_DONTWAIT) == 1)
        return PROCESS_SAYS;
    if (fds[1].revents) return PROCESS_ENDED;
    if (ms > 0) usleep(1000); /* the program has closed the socket and is about to end */
    return PROCESS_SILENT;
}

/* Evaluates errno after a failed transfer: true if a later transfer may succeed. Waits until the
 * socket is ready. The pid_fd is polled, too: if a descendant of the program still holds the other
 * end, the socket does not report the end of the program. */
static bool may_transfer(const struct process *p, int socket, short event, int ms)
{
    struct pollfd fds[2] = {{socket, event, 0}, {p->pid_fd, POLLIN, 0}};
    if (errno == EINTR) return true;
    if (errno != EAGAIN) return false;
    return poll(fds, 2, ms) <= 0 || fds[0].revents || !fds[1].revents;
}

s64 process_read(const struct process *p, int socket, void *to, size_t n, int ms)
{
    ssize_t got = recv(socket, to, n, MSG_DONTWAIT);
    if (got > 0) return got;
    return got < 0 && may_transfer(p, socket, POLLIN, ms) ? 0 : -1;
}

s64 process_write(const struct process *p, int socket, const void *from, size_t n, int ms)
{
    ssize_t put = send(socket, from, n, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put > 0) return put;
    return put < 0 && may_transfer(p, socket, POLLOUT, ms) ? 0 : -1;
}

u64 process_used(const struct process *p)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(p->pid, &clock) || clock_gettime(clock, &t)) return 0;
    return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/* Adds the context switches of a thread. false: the thread runs (R) or a debugger has stopped it
 * (t). */
static bool add_waits(const char *path, struct process_rest *rest)
{
    static const char begin[] = "State:\t", own[] = "\nvoluntary_ctxt_switches:",
                      forced[] = "\nnonvoluntary_ctxt_switches:";
    char text[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    close_one(&fd);
    text[n > 0 ? n : 0] = 0;
    const char *state = strstr(text, begin), *n_own = strstr(text, own);
    const char *n_forced = strstr(text, forced);
    if (!state || !n_own || !n_forced || strchr("Rt", state[sizeof begin - 1])) return false;
    rest->stopped |= state[sizeof begin - 1] == 'T';
    rest->waits += strtoull(n_own + sizeof own - 1, NULL, 10) +
                   strtoull(n_forced + sizeof forced - 1, NULL, 10);
    return true;
}

bool process_rests(const struct process *p, struct process_rest *rest)
{
    struct text path = {0};
    text_add(&path, "/proc/%d/task", (int)p->pid);
    size_t folder = path.size;
    DIR *threads = opendir(text_get(&path));
    bool rests = threads != NULL;
    *rest = (struct process_rest){0};
    for (struct dirent *d; rests && (d = readdir(threads));) {
        if (d->d_name[0] == '.') continue;
        path.bytes[path.size = folder] = 0;
        text_add(&path, "/%s/status", d->d_name);
        rests = add_waits(text_get(&path), rest);
    }
    if (threads) closedir(threads);
    text_free(&path);
    return rests;
}

int process_end(struct process *p)
{
    int status = reaper_end(&p->reaper);
    p->pid = 0;
    close_one(&p->calls);
    close_one(&p->asks);
    return status;
}

void process_stop(const struct process *p)
{
    if (p->pid) kill(p->pid, SIGKILL);
}

void process_kill(struct process *p)
{
    reaper_end(&p->reaper);
    p->pid = 0;
    close_one(&p->pid_fd);
    close_one(&p->calls);
    close_one(&p->asks);
    close_one(&p->memory_fd);
    if (p->memory) munmap(p->memory, WIRE_MEMORY_END);
    p->memory = NULL;
}
