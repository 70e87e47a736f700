#include "cuda/connection/client.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHARED_VARIABLE "CORUN_CUDA_CLIENT"
enum { PAGE = 4096 };

struct client {
    pthread_mutex_t lock;
    enum { NEW, OPEN, SHUT } state;
    int calls, asks; /* sockets */
    pid_t pid;
    unsigned char *view; /* mapping of device memory; view[0] is address 0 */
    struct wire_device device;
};
static struct client own = {.lock = PTHREAD_MUTEX_INITIALIZER, .calls = -1, .asks = -1}, *it = &own;
static _Thread_local bool in_callback;
static _Thread_local uint32_t thread; /* 0: no call yet */

/* Ends the program after the loss of the simulator: no later call could have a result. */
static _Noreturn void lost(void)
{
    fprintf(stderr, "corun: the simulator has ended\n");
    _exit(1);
}

static void put_all(int socket, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n) {
        ssize_t put = send(socket, at, n, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) lost();
        at += put;
        n -= (size_t)put;
    }
}

static void take_all(int socket, void *bytes, size_t n)
{
    char *at = bytes;
    while (n) {
        ssize_t got = recv(socket, at, n, MSG_WAITALL);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) lost();
        at += got;
        n -= (size_t)got;
    }
}

static void pass(size_t n)
{
    char bytes[4096];
    for (; n; n -= n < sizeof bytes ? n : sizeof bytes)
        take_all(it->calls, bytes, n < sizeof bytes ? n : sizeof bytes);
}

/* ---- requests of the simulator ---- */

static void copy(const struct wire_copy *c)
{
    unsigned char *to = c->to_host ? corun_pointer(c->to) : it->view + c->to;
    const unsigned char *from = c->from_host ? corun_pointer(c->from) : it->view + c->from;
    for (uint64_t z = 0; z < c->depth; z++) {
        for (uint64_t y = 0; y < c->height; y++) {
            memmove(to + z * c->to_slice + y * c->to_pitch,
                    from + z * c->from_slice + y * c->from_pitch, c->width);
        }
    }
}

static void print(uint32_t n, FILE *to)
{
    char bytes[4096];
    while (n) {
        uint32_t part = n < sizeof bytes ? n : (uint32_t)sizeof bytes;
        take_all(it->asks, bytes, part);
        fwrite(bytes, 1, part, to);
        n -= part;
    }
}

static void do_for(const struct wire_reply *r)
{
    struct wire_copy c;
    switch (r->kind) {
    case WIRE_COPY:
        take_all(it->asks, &c, sizeof c);
        copy(&c);
        break;
    case WIRE_FUNC:
        ((cudaHostFn_t)corun_pointer(r->at[0]))(corun_pointer(r->at[1]));
        break;
    case WIRE_CALLBACK:
        ((cudaStreamCallback_t)corun_pointer(r->at[0]))(corun_pointer(r->at[1]),
                                                        (cudaError_t)r->error,
                                                        corun_pointer(r->at[2]));
        break;
    case WIRE_PRINT: print(r->payload_bytes, r->at[0] ? stderr : stdout); break;
    default: lost();
    }
    struct wire_request done = {.call = CALL_DONE};
    put_all(it->asks, &done, sizeof done);
}

static void *serve(void *with)
{
    (void)with;
    in_callback = true;
    pthread_setname_np(pthread_self(), CORUN_THREAD);
    for (struct wire_reply r;;) {
        take_all(it->asks, &r, sizeof r);
        do_for(&r);
    }
    return NULL;
}

/* Starts the thread that serves the simulator. Signals stay with the program's own threads. Returns
 * an error number, 0 on success. */
static int start_serving(void)
{
    pthread_t server;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&server, NULL, serve, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error ? error : pthread_detach(server);
}

/* ---- calls ---- */

static cudaError_t exchange(struct corun_call *c)
{
    struct wire_request q = {.call = c->call,
                             .payload_bytes = (uint32_t)(c->payload_bytes + c->more_bytes)};
    if (!thread) thread = (uint32_t)syscall(SYS_gettid);
    q.thread = thread;
    memcpy(q.at, c->at, sizeof q.at);
    if (c->payload_bytes + c->more_bytes > WIRE_PAYLOAD_MAX) return cudaErrorInvalidValue;
    put_all(it->calls, &q, sizeof q);
    put_all(it->calls, c->payload, c->payload_bytes);
    put_all(it->calls, c->more, c->more_bytes);
    struct wire_reply r;
    take_all(it->calls, &r, sizeof r);
    if (r.kind != WIRE_ANSWER) lost();
    memcpy(c->got, r.at, sizeof c->got);
    c->got_bytes = r.payload_bytes;
    void *out = c->out;
    if (c->out_new && r.payload_bytes) out = *c->out_new = malloc(r.payload_bytes);
    if (out && (c->out_new || c->out_bytes == r.payload_bytes))
        take_all(it->calls, out, r.payload_bytes);
    else pass(r.payload_bytes);
    return (cudaError_t)r.error;
}

__attribute__((format(printf, 1, 2))) static bool refuse(const char *format, ...)
{
    va_list args;
    it->state = SHUT;
    va_start(args, format);
    fputs("corun: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return false;
}

/* Reads a resource limit of the process, in multiples of `unit`. Returns false if the resource is
 * unlimited. */
static bool limit_of(__rlimit_resource_t which, unsigned long long unit, unsigned long long *limit)
{
    struct rlimit is;
    if (getrlimit(which, &is) || is.rlim_cur == RLIM_INFINITY) return false;
    *limit = is.rlim_cur / unit;
    return true;
}

extern void __asan_init(void) __attribute__((weak));

static bool refuse_map(int error)
{
    unsigned long long kb;
    if (error == EEXIST)
        return refuse("the address range of the device's memory, 0x%llx to 0x%llx, is in use in "
                      "the process%s", WIRE_MEMORY_START, WIRE_MEMORY_END,
                      __asan_init ? " (by AddressSanitizer)" : "");
    if (error == ENOMEM && limit_of(RLIMIT_AS, 1024, &kb))
        return refuse("the device's memory needs 2 TB of address space (only used pages take "
                      "memory), but the limit is %llu kB: run with ulimit -v unlimited", kb);
    return refuse("the device's memory cannot be mapped: %s", strerror(error));
}

/* Maps device memory. Pages of managed and pinned memory later appear at their device addresses. */
static bool map_memory(int fd)
{
    void *view = mmap(NULL, WIRE_MEMORY_END, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
                      0);
    if (view == MAP_FAILED) return refuse_map(errno);
    it->view = view;
    void *place = corun_pointer(WIRE_MEMORY_START);
    void *got = mmap(place, WIRE_MEMORY_END - WIRE_MEMORY_START, PROT_NONE,
                     MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, WIRE_MEMORY_START);
    return got == place || refuse_map(got == MAP_FAILED ? errno : EEXIST);
}

static bool refuse_thread(int error)
{
    unsigned long long n;
    if (error == EAGAIN && limit_of(RLIMIT_NPROC, 1, &n))
        return refuse("cannot start a thread for requests of the simulator: the limit on the "
                      "user's processes and threads is %llu (ulimit -u), or memory is short", n);
    return refuse("cannot start a thread for requests of the simulator: %s", strerror(error));
}

/* ---- choice of the client ---- */

/* Returns a number that identifies the current execve of the process: the kernel draws random bytes
 * at every execve. */
static unsigned long long executed(void)
{
    unsigned long long number = 0;
    const void *random = corun_pointer(getauxval(AT_RANDOM));
    if (random) memcpy(&number, random, sizeof number);
    return number;
}

struct announced { /* client announced by the current process or an ancestor */
    long pid;
    void *client;
    unsigned long long executed;
};

static bool read_announced(struct announced *a)
{
    const char *text = getenv(SHARED_VARIABLE);
    return text && sscanf(text, "%ld,%p,%llx", &a->pid, &a->client, &a->executed) == 3;
}

static void announce(void)
{
    char text[96];
    snprintf(text, sizeof text, "%ld,%p,%llx", (long)it->pid, (void *)it, executed());
    setenv(SHARED_VARIABLE, text, 1);
}

/* Joins the client of the other library: in one process, run-time and driver library share the
 * sockets, and the first library to connect announces the address of the client. The address is
 * invalid after execve. */
static void join(void)
{
    struct announced a;
    if (own.state == NEW && read_announced(&a) && a.pid == getpid() && a.executed == executed())
        it = a.client;
}

/* Reports an earlier connection. The connection ends when a program that has used CUDA executes
 * another program; children that execute a program never have the connection. */
static bool is_other(void)
{
    struct announced a;
    if (!read_announced(&a)) return false;
    if (a.pid == getpid())
        refuse("the process called CUDA before execve, and execve ends the connection to the "
               "simulator: execute the program before the first call");
    else
        refuse("ancestor process %ld has called CUDA: only a single process of a program can use "
               "the simulated GPU", a.pid);
    return true;
}

static bool is_open(void)
{
    if (it->state == OPEN && it->pid == getpid()) return true;
    if (it->state == OPEN)
        return refuse("parent process %ld called CUDA before fork: only a single process of a "
                      "program can use the simulated GPU", (long)it->pid);
    if (it->state != NEW || is_other()) return false;
    const char *where = getenv(WIRE_VARIABLE);
    int memory = -1;
    if (!where || sscanf(where, "%d,%d,%d", &it->calls, &memory, &it->asks) != 3)
        return refuse("the program is linked for the simulated GPU: start the program with corun "
                      "cuda");
    if (fcntl(it->calls, F_SETFD, FD_CLOEXEC) || fcntl(it->asks, F_SETFD, FD_CLOEXEC))
        return refuse("the simulator cannot be reached: the descriptors passed by corun, %s, are "
                      "closed", where);
    if (!map_memory(memory)) return false;
    close(memory);
    it->pid = getpid();
    struct corun_call hello = {.call = CALL_HELLO, .at = {WIRE_VERSION, CUDART_VERSION / 1000},
                               .out = &it->device, .out_bytes = sizeof it->device};
    if (exchange(&hello))
        return refuse("the program is linked with the library of another corun version: link "
                      "again");
    int error = start_serving();
    if (error) return refuse_thread(error);
    it->state = OPEN;
    announce();
    return true;
}

cudaError_t corun_do(struct corun_call *c)
{
    if (in_callback) return cudaErrorNotPermitted;
    join();
    pthread_mutex_lock(&it->lock);
    cudaError_t error = is_open() ? exchange(c) : cudaErrorNoDevice;
    pthread_mutex_unlock(&it->lock);
    return error;
}

const struct wire_device *corun_device(void)
{
    /* The thread whose call waits for the callback has the lock. */
    if (in_callback) return &it->device;
    join();
    pthread_mutex_lock(&it->lock);
    bool open = is_open();
    pthread_mutex_unlock(&it->lock);
    return open ? &it->device : NULL;
}

/* ---- memory ---- */

void corun_show(uint64_t address, uint64_t size)
{
    uint64_t from = address / PAGE * PAGE, to = (address + size + PAGE - 1) / PAGE * PAGE;
    if (mprotect(corun_pointer(from), to - from, PROT_READ | PROT_WRITE)) {
        fprintf(stderr, "corun: managed memory cannot be mapped: %s\n", strerror(errno));
        _exit(1);
    }
}

unsigned char *corun_view(void) { return it->view; }
