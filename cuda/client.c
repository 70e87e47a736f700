#include "cuda/client.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
    unsigned char *view; /* device memory, address 0 first */
    struct wire_device device;
};
static struct client own = {.lock = PTHREAD_MUTEX_INITIALIZER, .calls = -1, .asks = -1}, *it = &own;
static _Thread_local bool in_callback;
static _Thread_local uint32_t thread; /* 0: it has not called yet */

bool corun_in_callback(void) { return in_callback; }

/* The simulator has gone: nothing that the program would do now has a meaning. */
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

/* ---- what the simulator asks for ---- */

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
        ((cudaStreamCallback_t)corun_pointer(r->at[0]))(corun_pointer(r->at[1]), cudaSuccess,
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
    for (struct wire_reply r;;) {
        take_all(it->asks, &r, sizeof r);
        do_for(&r);
    }
    return NULL;
}

/* Signals are for the program's own threads. */
static bool start_serving(void)
{
    pthread_t server;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = !pthread_create(&server, NULL, serve, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok && !pthread_detach(server);
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

static bool refuse(const char *why)
{
    it->state = SHUT;
    fprintf(stderr, "corun: %s\n", why);
    return false;
}

/* Pages of managed and pinned memory will be where the device has them. */
static bool map_memory(int fd)
{
    void *view = mmap(NULL, WIRE_MEMORY_END, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
                      0);
    if (view == MAP_FAILED) return refuse("no room for the device's memory in this process");
    it->view = view;
    void *place = corun_pointer(WIRE_MEMORY_START);
    void *got = mmap(place, WIRE_MEMORY_END - WIRE_MEMORY_START, PROT_NONE,
                     MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, WIRE_MEMORY_START);
    if (got != place)
        return refuse("the addresses of the device's memory are taken in this process "
                      "(AddressSanitizer takes them)");
    return true;
}

static bool is_open(void)
{
    if (it->state == OPEN && it->pid == getpid()) return true;
    if (it->state != NEW) return false;
    const char *where = getenv(WIRE_VARIABLE);
    int memory = -1;
    if (!where || sscanf(where, "%d,%d,%d", &it->calls, &memory, &it->asks) != 3)
        return refuse("this is a program for the simulated GPU: start it with corun cuda");
    if (fcntl(it->calls, F_SETFD, FD_CLOEXEC) || fcntl(it->asks, F_SETFD, FD_CLOEXEC))
        return refuse("the simulator cannot be reached");
    if (!map_memory(memory)) return false;
    close(memory);
    it->pid = getpid();
    struct corun_call hello = {.call = CALL_HELLO, .at = {WIRE_VERSION, CUDART_VERSION / 1000},
                               .out = &it->device, .out_bytes = sizeof it->device};
    if (exchange(&hello))
        return refuse("the library in this program is of another corun: link it again");
    if (!start_serving()) return refuse("no thread for what the simulator asks for");
    it->state = OPEN;
    char shared[64];
    snprintf(shared, sizeof shared, "%ld,%p", (long)it->pid, (void *)it);
    setenv(SHARED_VARIABLE, shared, 1);
    return true;
}

/* Run-time and driver library in one process have one socket: the first to open it tells where it
 * keeps it. */
static void join(void)
{
    long pid;
    void *first;
    const char *shared = own.state == NEW ? getenv(SHARED_VARIABLE) : NULL;
    if (shared && sscanf(shared, "%ld,%p", &pid, &first) == 2 && pid == getpid()) it = first;
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
    join();
    pthread_mutex_lock(&it->lock);
    bool open = is_open();
    pthread_mutex_unlock(&it->lock);
    return open ? &it->device : NULL;
}

/* ---- memory ---- */

bool corun_is_device(const void *p)
{
    uint64_t a = corun_address(p);
    return (a >= WIRE_MEMORY_START && a < WIRE_MEMORY_END) || corun_is_variable(a);
}

void corun_show(uint64_t address, uint64_t size)
{
    uint64_t from = address / PAGE * PAGE, to = (address + size + PAGE - 1) / PAGE * PAGE;
    if (mprotect(corun_pointer(from), to - from, PROT_READ | PROT_WRITE)) {
        fprintf(stderr, "corun: managed memory cannot be mapped: %s\n", strerror(errno));
        _exit(1);
    }
}

bool corun_alias(uint64_t address, uint64_t device, uint64_t size)
{
    void *place = corun_pointer(address);
    return mremap(it->view + device, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place;
}
