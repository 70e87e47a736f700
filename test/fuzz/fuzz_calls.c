/* Any bytes from a CUDA program's end of the socket, after a good handshake: answers, or the end of
 * the program, never a crash, a hang. Launches end at once; requests stay unfulfilled unless the
 * bytes fulfil them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "run/cuda/session.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { MEMORY_BYTES = 1 << 20, BYTES_MAX = 1 << 16 };

static struct machine gpu;
static u64 cycle;
static int server, ended;

static const char *refuses(const struct app_machine *m, const struct launch *l, struct text *why)
{
    (void)m;
    if (l->dynamic_shared_bytes <= 49152) return NULL;
    text_add(why, "needs too much shared memory");
    return text_get(why);
}
static u64 now(const struct app_machine *m) { (void)m; return cycle; }
static u64 clock_of(const struct app_machine *m, u32 app_id) { (void)app_id; return now(m); }
static bool interrupted(const struct app_machine *m) { (void)m; return false; }
static void called(const struct app_machine *m, u32 app_id, const char *call, u64 start, u64 end)
{
    (void)m, (void)app_id;
    check(call[0] && start <= end);
}
static const struct app_machine machine = {.refuses = refuses, .now = now,
                                           .clock = clock_of, .interrupted = interrupted,
                                           .called = called, .gpu = &gpu};

static int memory_map(u8 **to)
{
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    check(file >= 0 && !ftruncate(file, WIRE_MEMORY_END));
    void *map = mmap(NULL, WIRE_MEMORY_END, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                     file, 0);
    check(map != MAP_FAILED);
    *to = map;
    return close(file);
}

static void serve(struct host *h)
{
    struct session *s = session_new(h->app);
    s->process.calls = server; /* answers to the program's requests go there, too */
    s->process.asks = dup(server);
    s->process.pid_fd = ended;
    memory_map(&s->process.memory);
    h->app->image.shared = s->process.memory;
    session_serve(s);
}
static const struct input_kind kind = {.run = serve, .end = session_end};

/* Whatever is answered. */
static void *read_all(void *with)
{
    char bytes[4096];
    while (read(*(int *)with, bytes, sizeof bytes) > 0) continue;
    return NULL;
}

static void run_to_end(struct app *a)
{
    const struct launch *out[STREAM_ID_MAX + 1];
    u32 n = 0;
    app_start(a);
    for (;;) {
        app_poll(a);
        for (const struct launch *l; n < COUNT_OF(out) && (l = app_next_launch(a));) out[n++] = l;
        if (app_wake(a) != NEVER) cycle = app_wake(a);
        else if (app_state(a) != APP_WAITING) return;
        else {
            check(n); /* only launches can be waited for */
            app_launch_done(a, out[0]);
            memmove(out, out + 1, --n * sizeof *out);
        }
    }
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static const char *const arguments[] = {"fuzz", NULL};
    const struct wire_request hello = {.call = CALL_HELLO, .at = {WIRE_VERSION, 13}};
    int pair[2];
    pthread_t reader;
    if (size > BYTES_MAX) return 0;
    conf_defaults(&gpu, machine_rows, machine_row_n);
    gpu.host.memory_bytes = MEMORY_BYTES;
    cycle = 0;
    check(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair) && (ended = eventfd(1, 0)) >= 0);
    server = pair[0];
    check(write(pair[1], &hello, sizeof hello) == sizeof hello);
    check(write(pair[1], data, size) == (ssize_t)size && !shutdown(pair[1], SHUT_WR));
    check(!pthread_create(&reader, NULL, read_all, &pair[1]));
    struct app_input *in = input_new(&kind, &(struct input_rules){.seed = 1});
    in->name = "fuzz";
    in->cuda = arena_new(&in->arena, struct cuda);
    in->cuda->arguments = arguments;
    struct app *a = app_new(in, "fuzz", 0, &machine, NULL);
    run_to_end(a);
    app_free(a);
    input_free(in);
    pthread_join(reader, NULL);
    close(pair[1]);
    return 0;
}
