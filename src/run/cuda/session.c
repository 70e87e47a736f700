#include "run/cuda/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "gpu/machine/clock.h"
#include "mem/address.h"

enum {
    PRINTF_BYTES = 1 << 20, /* initial size of printf's buffer, equal to cuda/runtime/device.c */
    OUTPUT_MB = 1024        /* limit of a program's output into a file */
};

/* ---- messages ---- */

static bool waits_on(const struct session *s)
{
    return !s->app->machine->interrupted(s->app->machine);
}

/* Evaluates the result `n` of a transfer: bytes moved, or < 0 if the program has ended. Returns
 * true if the caller may transfer again. With n = 0 the watchdog checks the program, as for a
 * program without calls. */
static bool moved(struct session *s, s64 n)
{
    if (n > 0) program_watchdog_starts(s);
    if (n) return n > 0;
    enum program_watchdog_is is = program_watchdog_look(s);
    return is != SILENCE_UNWANTED && is != SILENCE_FAILED;
}

/* Sends n bytes. false: the program has ended or failed meanwhile, or the user has interrupted the
 * run. */
static bool give(struct session *s, int to, const void *from, size_t n)
{
    for (const u8 *at = from; n;) {
        s64 put = process_write(&s->process, to, at, n, LOOK_MS);
        if (!moved(s, put)) return false;
        at += put;
        n -= (size_t)put;
    }
    return true;
}

static bool take(struct session *s, int from, void *to, size_t n)
{
    for (u8 *at = to; n;) {
        s64 got = process_read(&s->process, from, at, n, LOOK_MS);
        if (!moved(s, got)) return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

static void say(struct session *s, const struct wire_reply *r, const void *payload)
{
    if (s->ended) return;
    int to = r->kind == WIRE_ANSWER ? s->process.calls : s->process.asks;
    if (!give(s, to, r, sizeof *r) || !give(s, to, payload, r->payload_bytes)) s->ended = true;
    program_watchdog_starts(s);
}

void session_ask(struct session *s, const struct wire_reply *r, const void *payload)
{
    struct wire_request done;
    enum process_news news = PROCESS_SILENT;
    int from = s->process.asks;
    say(s, r, payload);
    while (!s->ended && news == PROCESS_SILENT) {
        news = process_wait(&s->process, from, LOOK_MS);
        if (news == PROCESS_SILENT)
            s->ended |= program_watchdog_look(s) == SILENCE_UNWANTED;
        else if (news == PROCESS_ENDED || !take(s, from, &done, sizeof done))
            s->ended = true;
        else if (done.call != CALL_DONE || done.payload_bytes)
            s->ended = s->wrong = true;
    }
    program_watchdog_starts(s);
}

static void put_printed(struct printer *p, const char *bytes, size_t n)
{
    struct session *s = (struct session *)((char *)p - offsetof(struct session, printer));
    ring_put(&s->printed, bytes, n);
}

/* Records a failed assertion of a kernel. From now on no kernel of the program runs. */
static void note_failed(struct printer *p, const char *bytes, size_t n)
{
    struct session *s = (struct session *)((char *)p - offsetof(struct session, printer));
    if (!s->app->streams.over) {
        struct text sentence = {0};
        text_add(&sentence, "an assertion of a kernel has failed: %.*s", (int)(n - 1), bytes);
        warning_add(s->app->warnings, s->app->input->cuda->arguments[0], 0, text_get(&sentence));
        text_free(&sentence);
    }
    s->app->streams.over = true;
    if (s->asserted.size < PRINTF_BYTES) text_put(&s->asserted, bytes, n);
}

static void pass_text(struct session *s, struct text *t, bool to_stderr)
{
    if (!t->size) return;
    struct wire_reply r = {.kind = WIRE_PRINT, .payload_bytes = (u32)t->size, .at = {to_stderr}};
    session_ask(s, &r, t->bytes);
    t->size = 0;
}

/* Source: CUDA C++ Programming Guide, formatted output: the buffer is circular, and what kernels
 * print beyond its size overwrites the oldest output. */
static void pass_printed(struct session *s)
{
    struct text all = {0};
    if (ring_take(&s->printed, &all)) {
        struct text sentence = {0};
        text_add(&sentence, "the oldest output of kernels is lost: between two calls kernels "
                 "printed more than the %zu bytes of printf's buffer (cudaLimitPrintfFifoSize)",
                 s->printed.bytes);
        warning_add(s->app->warnings, s->app->input->cuda->arguments[0], 0, text_get(&sentence));
        text_free(&sentence);
    }
    pass_text(s, &all, false);
    text_free(&all);
}

/* ---- a call ---- */

static cudaError_t (*const calls[CALL_N])(struct session *s) = {
#define CALL(name, sentence) session_##name,
#include "cuda/wire_call.def"
#undef CALL
};

/* Rejects DONE as a call: DONE only acknowledges a request of session_ask. */
cudaError_t session_DONE(struct session *s)
{
    (void)s;
    return cudaErrorInvalidValue;
}

/* The program begins a range that is a request: waits until a request has arrived. */
cudaError_t session_RANGE_BEGIN(struct session *s)
{
    const struct app_machine *m = s->app->machine;
    if (!s->app->input->range) return cudaErrorInvalidValue;
    for (u64 next; !m->range_begin(m, app_id(s->app), &next);) {
        if (next == NEVER) app_block_signal(s->app);
        else app_block_until(s->app, next);
    }
    return cudaSuccess;
}

cudaError_t session_RANGE_END(struct session *s)
{
    if (!s->app->input->range) return cudaErrorInvalidValue;
    s->app->machine->range_end(s->app->machine, app_id(s->app));
    return cudaSuccess;
}

cudaError_t session_PRINTF(struct session *s)
{
    if (s->call.at[0] > WIRE_PAYLOAD_MAX) return cudaErrorMemoryAllocation;
    s->printed.bytes = s->call.at[0];
    return cudaSuccess;
}

/* Receives a call with its payload. false: the process has ended meanwhile or has violated the
 * protocol (`wrong`). */
static bool take_call(struct session *s)
{
    int from = s->process.calls;
    if (!take(s, from, &s->call, sizeof s->call)) return false;
    s->wrong = s->call.call >= CALL_N || s->call.payload_bytes > WIRE_PAYLOAD_MAX ||
               s->call.call == CALL_DONE || (!s->handshake_done && s->call.call != CALL_HELLO);
    if (s->wrong) return false;
    if (s->call.payload_bytes >= s->payload_room) {
        s->payload_room = s->call.payload_bytes + 1;
        s->payload = base_realloc(s->payload, s->payload_room);
    }
    s->payload[s->call.payload_bytes] = 0;
    return take(s, from, s->payload, s->call.payload_bytes);
}

static void warn_varies(struct session *s, const char *why)
{
    struct text sentence = {0};
    s->app->varies = true;
    text_add(&sentence, "not deterministic: %s", why);
    warning_add(s->app->warnings, s->app->input->cuda->arguments[0], 0, text_get(&sentence));
    text_free(&sentence);
}

/* Warns when a second thread makes calls: the host's scheduler decides the order of calls from
 * several threads. */
static void note_thread(struct session *s)
{
    if (!s->called) s->thread = s->call.thread;
    if (s->call.thread == s->thread || s->threads) return;
    s->threads = true;
    warn_varies(s, "several threads of the program make calls, handled in the order of arrival");
}

/* Lets `ns` of simulated time pass, for work of the host. */
static void pass_time(struct session *s, u64 ns)
{
    const struct app_machine *m = s->app->machine;
    u64 cycles = clock_cycles(m->gpu->clock.sm_mhz, ns);
    if (cycles) app_block_until(s->app, m->now(m) + cycles);
}

/* Returns the CPU time of the program since the last reply in ns, scaled by host.scale. The time
 * includes host functions called since the reply. */
static u64 own_ns(struct session *s)
{
    const struct rational scale = s->app->machine->gpu->host.scale;
    if (!scale.num) return 0;
    u64 ns = process_used(&s->process) - s->used;
    return (u64)((unsigned __int128)ns * scale.num / scale.den);
}

static const char *const call_names[CALL_N] = {
#define CALL(name, sentence) #name,
#include "cuda/wire_call.def"
#undef CALL
};

static void do_call(struct session *s)
{
    const struct app_machine *m = s->app->machine;
    const struct host_conf *conf = &m->gpu->host;
    u64 start = m->now(m);
    s->out.size = 0;
    note_thread(s);
    s->called = s->in_call = true;
    s->reply = (struct wire_reply){.kind = WIRE_ANSWER};
    pass_time(s, conf->call_ns + own_ns(s));
    cudaError_t error = s->printer.over ? cudaErrorAssert : calls[s->call.call](s);
    if (error == cudaErrorNotReady) pass_time(s, conf->query_ns);
    if (s->printer.over) error = cudaErrorAssert;
    pass_printed(s);
    pass_text(s, &s->asserted, true);
    s->reply.error = (s32)error;
    s->reply.payload_bytes = (u32)s->out.size;
    s->in_call = false;
    m->called(m, app_id(s->app), call_names[s->call.call], start, m->now(m));
    if (conf->scale.num) s->used = process_used(&s->process);
    say(s, &s->reply, s->out.bytes);
}

/* ---- start and end of a session ---- */

static void add_end(struct app *a, int status)
{
    if (WIFSIGNALED(status)) {
        app_add_error(a, APP_ERROR_PROGRAM, "the process was killed by signal %d (%s)",
                      WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        app_add_error(a, APP_ERROR_PROGRAM, "the process ended during a call, with exit status %d",
                      WEXITSTATUS(status));
    }
}

bool session_lost(struct host *h)
{
    struct session *s = h->app->process;
    if (!s || s->failed) return s != NULL;
    if (s->ended || process_wait(&s->process, s->process.calls, 0) != PROCESS_ENDED) return false;
    if (!s->in_call) { /* the program was not waiting for a reply: session_serve handles its end */
        app_signal(h->app);
        return false;
    }
    s->ended = true;
    add_end(h->app, process_end(&s->process));
    return true;
}

/* Evaluates the end of the process. Death by a signal and a protocol violation are errors of the
 * run; any other exit status than 0 is recorded as a failed check of the output. */
static void report_exit(struct session *s, int status)
{
    struct text why = {0};
    if (s->wrong)
        app_fail(s->app, APP_ERROR_PROGRAM,
                 "the process violated the protocol of corun's CUDA libraries");
    if (WIFSIGNALED(status)) {
        add_end(s->app, status);
        app_leave(s->app, APP_ERROR_PROGRAM);
    }
    if (!WEXITSTATUS(status)) return;
    text_add(&why, "exit status %d", WEXITSTATUS(status));
    host_checked(&s->app->host, false, text_get(&why));
    text_free(&why);
}

static u64 output_bytes(const struct app *a)
{
    struct stat file;
    return a->output_fd >= 0 && !fstat(a->output_fd, &file) && S_ISREG(file.st_mode)
           ? (u64)file.st_size : 0;
}

/* Variables by which the program's libraries know the ranges that are requests. The NVTX headers
 * load the library named by the second; the user may have chosen another. */
#define RANGES_LIBRARY "NVTX_INJECTION64_PATH"

/* Returns the variables of the app file and, with ranges, those for the ranges; the caller frees
 * the list. */
static const char **environment_of(struct app_input *in)
{
    const char *const *own = in->cuda->environment;
    u32 n = 0;
    while (own[n]) n++;
    const char **all = base_alloc((n + 3) * sizeof *all);
    memcpy(all, own, n * sizeof *all);
    if (!in->range) return all;
    struct text name = {0};
    text_add(&name, WIRE_RANGE "=%s", in->range);
    all[n++] = arena_text(&in->arena, name.bytes, name.size);
    if (!input_variable(in, RANGES_LIBRARY))
        all[n++] = RANGES_LIBRARY "=libcorun_nvtx.so";
    text_free(&name);
    return all;
}

static void start(struct session *s)
{
    struct app *a = s->app;
    const struct cuda *c = a->input->cuda;
    struct text why = {0}, libraries = {0};
    bool first = !a->completions;
    program_library_path(c, &libraries);
    const char **environment = environment_of(a->input);
    struct process_start how = {.path = c->path, .arguments = c->arguments, .folder = &s->folder,
                                .environment = environment, .library_path = libraries.bytes,
                                 .output_fd = first ? a->output_fd : -1,
                                 .output_all = a->output_all};
    if (first) s->output_begins = output_bytes(a) + 1;
    bool in_place = a->folder == FOLDER_OWN || (first && a->folder == FOLDER_FIRST);
    bool ok = folder_open(&s->folder, c->folder, in_place, &why) &&
              process_start(&s->process, &how, &why);
    bool interrupted = !ok && !waits_on(s);
    if (!ok && !interrupted) app_add_error(a, APP_ERROR_INPUT, "%s", text_get(&why));
    text_free(&why);
    text_free(&libraries);
    free(environment);
    if (interrupted) app_yield(a); /* the run ends here */
    if (!ok) app_leave(a, APP_ERROR_INPUT);
    a->image.shared = s->process.memory;
    a->image.shared_fd = s->process.memory_fd;
}

/* Handles a program without calls. false: the program has ended or failed. */
static bool look(struct session *s)
{
    switch (program_watchdog_look(s)) {
    case SILENCE_GOES_ON: return !s->ended;
    case SILENCE_UNWANTED: app_yield(s->app); return true;
    case SILENCE_FAILED: return false;
    case SILENCE_WAITS: app_block_signal(s->app); break;
    }
    program_watchdog_starts(s);
    return true;
}

struct session *session_new(struct app *a)
{
    struct session *s = base_alloc(sizeof *s);
    a->process = s;
    s->app = a;
    s->process = (struct process){.pid_fd = -1, .calls = -1, .asks = -1, .memory_fd = -1};
    s->printer = (struct printer){.put = put_printed, .failed = note_failed};
    s->printed.bytes = PRINTF_BYTES;
    s->next_const = CONST_BASE;
    s->streams[0].used = true;
    a->printer = &s->printer;
    a->image.heap_bytes = 0; /* discards the choice of an earlier execution */
    a->streams.legacy = true;
    return s;
}

/* Kills a program whose output exceeds OUTPUT_MB and would fill the disk. */
static void look_at_output(struct session *s)
{
    if (!s->output_begins || output_bytes(s->app) - s->output_begins + 1 <= (u64)OUTPUT_MB << 20)
        return;
    app_add_error(s->app, APP_ERROR_PROGRAM, "the program has written more than %d MB of output "
                  "into a file: the output is cut and the program stopped", OUTPUT_MB);
    s->failed = s->ended = true;
    process_stop(&s->process);
}

void session_serve(struct session *s)
{
    for (look_at_output(s); !s->ended; look_at_output(s)) {
        switch (process_wait(&s->process, s->process.calls, LOOK_MS)) {
        case PROCESS_SILENT: s->ended |= !look(s); break;
        case PROCESS_SAYS:
            if (take_call(s)) do_call(s);
            else s->ended = true;
            break;
        case PROCESS_ENDED: s->ended = true; break;
        }
    }
    if (s->failed) app_leave(s->app, APP_ERROR_PROGRAM);
    if (!waits_on(s)) app_yield(s->app);
    process_stop(&s->process);
}

void session_run(struct host *h)
{
    struct app *a = h->app;
    struct session *s = session_new(a);
    if (a->machine->gpu->host.scale.num)
        warn_varies(s, "host.scale counts the processor time of a program");
    start(s);
    session_serve(s);
    if (!s->called)
        warning_add(a->warnings, a->input->cuda->arguments[0], 0,
                    "the program has made no call of the CUDA run time");
    report_exit(s, process_end(&s->process));
}

void session_end(struct host *h)
{
    struct session *s = h->app->process;
    if (!s) return;
    process_kill(&s->process);
    folder_close(&s->folder);
    free(s->payload);
    text_free(&s->out);
    ring_free(&s->printed);
    text_free(&s->asserted);
    free(s->modules);
    free(s->kernels);
    free(s->events);
    free(s);
    h->app->process = NULL;
    h->app->printer = &h->app->silent;
}
