#include "run/cuda/session.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "mem/address.h"

enum { LOOK_MS = 50 }; /* between two looks whether the user wants an end */

/* ---- what is said ---- */

/* A program that neither reads nor writes on may be waited for as long as the user lets it. */
static bool waits_on(const struct session *s)
{
    return !s->app->machine->interrupted(s->app->machine);
}

/* false: it has gone in the middle, or the user wants an end */
static bool give(struct session *s, const void *from, size_t n)
{
    for (const u8 *at = from; n;) {
        s64 put = process_write(&s->process, at, n, LOOK_MS);
        if (put < 0 || (!put && !waits_on(s))) return false;
        at += put;
        n -= (size_t)put;
    }
    return true;
}

static bool take(struct session *s, void *to, size_t n)
{
    for (u8 *at = to; n;) {
        s64 got = process_read(&s->process, at, n, LOOK_MS);
        if (got < 0 || (!got && !waits_on(s))) return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

static void say(struct session *s, const struct wire_reply *r, const void *payload)
{
    if (s->ended) return;
    if (!give(s, r, sizeof *r) || !give(s, payload, r->payload_bytes)) s->ended = true;
}

void session_ask(struct session *s, const struct wire_reply *r, const void *payload)
{
    struct wire_request done;
    say(s, r, payload);
    if (s->ended) return;
    if (!take(s, &done, sizeof done)) s->ended = true;
    else if (done.call != CALL_DONE || done.payload_bytes) s->ended = s->wrong = true;
}

static void put_printed(struct printer *p, const char *bytes, size_t n)
{
    struct session *s = (struct session *)((char *)p - offsetof(struct session, printer));
    text_put(&s->printed, bytes, n);
}

static void pass_printed(struct session *s)
{
    if (!s->printed.size) return;
    struct wire_reply r = {.kind = WIRE_PRINT, .payload_bytes = (u32)s->printed.size};
    session_ask(s, &r, s->printed.bytes);
    s->printed.size = 0;
}

/* ---- a call ---- */

static cudaError_t (*const calls[CALL_N])(struct session *s) = {
#define CALL(name, sentence) session_##name,
#include "cuda/wire_call.def"
#undef CALL
};

/* No call: what is asked for is done. */
cudaError_t session_DONE(struct session *s)
{
    (void)s;
    return cudaErrorInvalidValue;
}

/* false: the process has ended in the middle, or is no client of ours */
static bool take_call(struct session *s)
{
    if (!take(s, &s->call, sizeof s->call)) return false;
    s->wrong = s->call.call >= CALL_N || s->call.payload_bytes > WIRE_PAYLOAD_MAX ||
               s->call.call == CALL_DONE || (!s->greeted && s->call.call != CALL_HELLO);
    if (s->wrong) return false;
    if (s->call.payload_bytes >= s->payload_room) {
        s->payload_room = s->call.payload_bytes + 1;
        s->payload = base_realloc(s->payload, s->payload_room);
    }
    s->payload[s->call.payload_bytes] = 0;
    return take(s, s->payload, s->call.payload_bytes);
}

/* Simulated time of the host's part. */
static void pass_time(struct session *s, u64 ns)
{
    const struct app_machine *m = s->app->machine;
    const struct rational mhz = m->gpu->clock.sm_mhz;
    u64 cycles = (u64)((unsigned __int128)ns * mhz.num / ((unsigned __int128)mhz.den * 1000));
    if (cycles) app_block_until(s->app, m->now(m) + cycles);
}

static void do_call(struct session *s)
{
    const struct host_conf *conf = &s->app->machine->gpu->host;
    s->out.size = 0;
    s->called = true;
    s->reply = (struct wire_reply){.kind = WIRE_ANSWER};
    pass_time(s, conf->call_ns);
    cudaError_t error = calls[s->call.call](s);
    if (error == cudaErrorNotReady) pass_time(s, conf->query_ns);
    pass_printed(s);
    s->reply.error = (s32)error;
    s->reply.payload_bytes = (u32)s->out.size;
    say(s, &s->reply, s->out.bytes);
}

/* ---- the whole ---- */

static void add_end(struct app *a, int status)
{
    if (WIFSIGNALED(status)) {
        app_add_error(a, APP_ERROR_PROGRAM, "its process was ended by signal %d (%s)",
                      WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        app_add_error(a, APP_ERROR_PROGRAM, "its process ended in the middle of a call, with exit "
                      "status %d", WEXITSTATUS(status));
    }
}

bool session_lost(struct host *h)
{
    struct session *s = h->app->process;
    if (!s || s->ended || process_wait(&s->process, 0) != PROCESS_ENDED) return false;
    s->ended = true;
    add_end(h->app, process_end(&s->process));
    return true;
}

/* It may end as it likes; only a signal says that something is wrong with it. */
static void judge(struct session *s, int status)
{
    struct text why = {0};
    if (s->wrong)
        app_fail(s->app, APP_ERROR_PROGRAM,
                 "its process has sent what no library of corun's sends");
    if (WIFSIGNALED(status)) {
        add_end(s->app, status);
        app_leave(s->app, APP_ERROR_PROGRAM);
    }
    if (!WEXITSTATUS(status)) return;
    text_add(&why, "exit status %d", WEXITSTATUS(status));
    host_checked(&s->app->host, false, text_get(&why));
    text_free(&why);
}

static void start(struct session *s)
{
    struct app *a = s->app;
    const struct cuda *c = a->input->cuda;
    struct text why = {0};
    struct process_start how = {.arguments = c->arguments, .folder = c->folder,
                                .environment = c->environment, .library_path = c->library_path,
                                .output_fd = a->completions ? -1 : a->output_fd};
    bool ok = process_start(&s->process, &how, &why);
    if (!ok) app_add_error(a, APP_ERROR_INPUT, "%s", text_get(&why));
    text_free(&why);
    if (!ok) app_leave(a, APP_ERROR_INPUT);
    a->image.shared = s->process.memory;
}

struct session *session_new(struct app *a)
{
    struct session *s = base_alloc(sizeof *s);
    a->process = s;
    s->app = a;
    s->process = (struct process){.pid_fd = -1, .socket = -1};
    s->printer.put = put_printed;
    s->next_const = CONST_BASE;
    s->streams[0].used = true;
    a->printer = &s->printer;
    a->streams.legacy = true;
    return s;
}

void session_serve(struct session *s)
{
    while (!s->ended) {
        switch (process_wait(&s->process, LOOK_MS)) {
        case PROCESS_SILENT:
            if (!waits_on(s)) app_yield(s->app);
            break;
        case PROCESS_CALLS:
            if (take_call(s)) do_call(s);
            else s->ended = true;
            break;
        case PROCESS_ENDED: s->ended = true; break;
        }
    }
    if (!waits_on(s)) app_yield(s->app);
    process_stop(&s->process);
}

void session_run(struct host *h)
{
    struct app *a = h->app;
    struct session *s = session_new(a);
    start(s);
    session_serve(s);
    if (!s->called)
        warning_add(a->warnings, a->input->cuda->arguments[0], 0,
                    "the program has made no call of the CUDA run time");
    judge(s, process_end(&s->process));
}

void session_end(struct host *h)
{
    struct session *s = h->app->process;
    if (!s) return;
    process_kill(&s->process);
    free(s->payload);
    text_free(&s->out);
    text_free(&s->printed);
    free(s->modules);
    free(s->kernels);
    free(s->events);
    free(s);
    h->app->process = NULL;
    h->app->printer = &h->app->silent;
}
