/* Calls about streams, events and launches. */
#include <stdlib.h>
#include <string.h>

#include "gpu/dispatch/cluster_fit.h"
#include "gpu/gpu.h"
#include "host/launch.h"
#include "run/cuda/session.h"

/* ---- streams ---- */

_Static_assert((int)WIRE_PRIORITY_LEAST == PRIORITY_LEAST &&
                   (int)WIRE_PRIORITY_GREATEST == PRIORITY_GREATEST, "one range");

bool session_has_stream(const struct session *s, u64 stream)
{
    return stream <= STREAM_ID_MAX && s->streams[stream].used;
}

void session_wait(struct session *s, u32 stream, struct action last)
{
    app_block_ticket(s->app, streams_act(&s->app->streams, stream, last));
}

void session_nothing(void *of, enum fate fate) { (void)of, (void)fate; }

cudaError_t session_STREAM_NEW(struct session *s)
{
    u32 id = 1;
    while (id <= STREAM_ID_MAX && s->streams[id].used) id++;
    if (id > STREAM_ID_MAX) return cudaErrorMemoryAllocation;
    bool non_blocking = s->call.at[0] != 0;
    u64 workspace = s->streams[id].workspace;
    s->streams[id] = (struct session_stream){true, non_blocking, (int)s->call.at[1], workspace};
    streams_set_non_blocking(&s->app->streams, id, non_blocking);
    s->reply.at[0] = id;
    return cudaSuccess;
}

/* Ends a stream. Work queued in the stream still runs. */
cudaError_t session_STREAM_END(struct session *s)
{
    u64 id = s->call.at[0];
    if (!id || !session_has_stream(s, id)) return cudaErrorInvalidResourceHandle;
    s->streams[id].used = false;
    return cudaSuccess;
}

cudaError_t session_STREAM_GET(struct session *s)
{
    if (!session_has_stream(s, s->call.at[0])) return cudaErrorInvalidResourceHandle;
    const struct session_stream *t = &s->streams[s->call.at[0]];
    s->reply.at[0] = t->non_blocking;
    s->reply.at[1] = (u64)(s64)t->priority;
    return cudaSuccess;
}

cudaError_t session_STREAM_SET(struct session *s)
{
    if (!session_has_stream(s, s->call.at[0])) return cudaErrorInvalidResourceHandle;
    s->streams[s->call.at[0]].priority = (int)s->call.at[1];
    return cudaSuccess;
}

cudaError_t session_STREAM_SYNC(struct session *s)
{
    if (!session_has_stream(s, s->call.at[0])) return cudaErrorInvalidResourceHandle;
    session_wait(s, (u32)s->call.at[0], (struct action){session_nothing, NULL});
    return cudaSuccess;
}

cudaError_t session_STREAM_QUERY(struct session *s)
{
    if (!session_has_stream(s, s->call.at[0])) return cudaErrorInvalidResourceHandle;
    struct ticket t = streams_act(&s->app->streams, (u32)s->call.at[0],
                                  (struct action){session_nothing, NULL});
    return streams_done(&s->app->streams, t) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t session_SYNC(struct session *s)
{
    app_block(s->app, WAIT_ALL, 0);
    return cudaSuccess;
}

struct host_func {
    struct session *session;
    struct wire_reply ask;
};

/* After an error, a stream callback is called with the error code and a host function is not
 * called. Source: CUDA run-time API, cudaStreamAddCallback and cudaLaunchHostFunc. */
static void host_func_act(void *of, enum fate fate)
{
    struct host_func *f = of;
    struct session *s = f->session;
    s->watchdog.funcs--;
    if (fate == FATE_GIVEN_UP) f->ask.error = cudaErrorAssert;
    if (fate == FATE_TURN || (fate == FATE_GIVEN_UP && f->ask.kind == WIRE_CALLBACK))
        session_ask(s, &f->ask, NULL);
    app_signal(s->app);
    free(f);
}

cudaError_t session_HOST_FUNC(struct session *s)
{
    const u64 *at = s->call.at;
    if (!session_has_stream(s, at[0])) return cudaErrorInvalidResourceHandle;
    struct host_func *f = base_alloc(sizeof *f);
    f->session = s;
    f->ask = (struct wire_reply){.kind = at[3] ? WIRE_CALLBACK : WIRE_FUNC, .at = {at[1], at[2]}};
    if (at[3]) {
        f->ask.at[1] = at[4];
        f->ask.at[2] = at[2];
    }
    s->watchdog.funcs++;
    streams_act(&s->app->streams, (u32)at[0], (struct action){host_func_act, f});
    return cudaSuccess;
}

/* ---- events ---- */

static struct session_event *event_at(struct session *s, u64 number)
{
    return number < s->event_n && s->events[number].used ? &s->events[number] : NULL;
}

enum { DISABLE_TIMING = 2 };

cudaError_t session_EVENT_NEW(struct session *s)
{
    u32 id = 0;
    while (id < s->event_n && s->events[id].used) id++;
    if (id == s->event_n) base_push(s->events, s->event_n, s->event_room);
    s->events[id] = (struct session_event){.used = true,
                                           .no_timing = s->call.at[0] & DISABLE_TIMING,
                                           .record_n = s->events[id].record_n + 1};
    s->reply.at[0] = id;
    return cudaSuccess;
}

cudaError_t session_EVENT_END(struct session *s)
{
    struct session_event *e = event_at(s, s->call.at[0]);
    if (!e) return cudaErrorInvalidResourceHandle;
    e->used = false;
    return cudaSuccess;
}

struct event_record {
    struct session *session;
    u32 event;
    u64 record_n;
};

/* Sets the time of an event. A newer EVENT_RECORD invalidates earlier records of the event. */
static void record_act(void *of, enum fate fate)
{
    struct event_record *r = of;
    struct session *s = r->session;
    if (fate == FATE_TURN && s->events[r->event].record_n == r->record_n)
        s->events[r->event].cycle = s->app->machine->clock(s->app->machine, s->app->app_id);
    free(r);
}

cudaError_t session_EVENT_RECORD(struct session *s)
{
    struct session_event *e = event_at(s, s->call.at[0]);
    u64 stream = s->call.at[1];
    if (!e || !session_has_stream(s, stream)) return cudaErrorInvalidResourceHandle;
    struct event_record *r = base_alloc(sizeof *r);
    *r = (struct event_record){s, (u32)s->call.at[0], ++e->record_n};
    e->recorded = true;
    e->ticket = streams_act(&s->app->streams, (u32)stream, (struct action){record_act, r});
    return cudaSuccess;
}

static bool event_done(const struct session *s, const struct session_event *e)
{
    return !e->recorded || streams_done(&s->app->streams, e->ticket);
}

cudaError_t session_EVENT_QUERY(struct session *s)
{
    const struct session_event *e = event_at(s, s->call.at[0]);
    if (!e) return cudaErrorInvalidResourceHandle;
    return event_done(s, e) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t session_EVENT_SYNC(struct session *s)
{
    const struct session_event *e = event_at(s, s->call.at[0]);
    if (!e) return cudaErrorInvalidResourceHandle;
    if (e->recorded) app_block_ticket(s->app, e->ticket);
    return cudaSuccess;
}

cudaError_t session_STREAM_WAIT(struct session *s)
{
    const struct session_event *e = event_at(s, s->call.at[1]);
    if (!e || !session_has_stream(s, s->call.at[0])) return cudaErrorInvalidResourceHandle;
    if (!event_done(s, e)) streams_wait(&s->app->streams, (u32)s->call.at[0], e->ticket);
    return cudaSuccess;
}

cudaError_t session_EVENT_ELAPSED(struct session *s)
{
    const struct session_event *a = event_at(s, s->call.at[0]), *b = event_at(s, s->call.at[1]);
    if (!a || !b || !a->recorded || !b->recorded || a->no_timing || b->no_timing)
        return cudaErrorInvalidResourceHandle;
    if (!event_done(s, a) || !event_done(s, b)) return cudaErrorNotReady;
    const struct rational mhz = s->app->machine->gpu->clock.sm_mhz;
    __int128 cycles = (__int128)b->cycle - (__int128)a->cycle;
    s->reply.at[0] = (u64)(s64)(cycles * 1000000 * (__int128)mhz.den / (__int128)mhz.num);
    return cudaSuccess;
}

/* ---- launches ---- */

static struct carveout_preference carveout_of(const struct wire_launch *w)
{
    if (w->carveout < 0) return (struct carveout_preference){0};
    return (struct carveout_preference){true, (u8)(w->carveout < 100 ? w->carveout : 100)};
}

static struct launch launch_of(struct session *s, const struct host_kernel *k,
                               const struct wire_launch *w)
{
    struct launch l = {.program = k->program, .dynamic_shared_bytes = w->shared_bytes,
                       .cooperative = w->cooperative != 0, .app_id = s->app->app_id,
                       .stream = w->stream, .registers = k->registers,
                       .carveout = carveout_of(w),
                       .large_clusters = w->large_clusters != 0};
    memcpy(l.cluster, w->cluster, sizeof l.cluster);
    memcpy(l.grid, w->grid, sizeof l.grid);
    memcpy(l.block, w->block, sizeof l.block);
    return l;
}

/* Checks a launch. Returns an error code with a sentence in `why`, or cudaSuccess. A cooperative
 * launch that fits as an ordinary launch gives cudaErrorCooperativeLaunchTooLarge. */
static cudaError_t check_launch(struct session *s, const struct host_kernel *k,
                                const struct wire_launch *w, struct text *why)
{
    struct launch l = launch_of(s, k, w);
    if (launch_error(k->program, w->grid, w->block, why)) return cudaErrorInvalidConfiguration;
    if (!s->app->machine->refuses(s->app->machine, &l, why)) {
        if (w->shared_bytes <= w->dynamic_most) return cudaSuccess;
        text_add(why, "%u bytes of dynamic shared memory are over the kernel's limit of %u "
                 "(cudaFuncSetAttribute raises the limit)", w->shared_bytes, w->dynamic_most);
        return cudaErrorInvalidValue;
    }
    struct text non_blocking = {0};
    const struct machine *m = s->app->machine->gpu;
    bool clusters = gpu_refuses_cluster(m, &l, &non_blocking);
    text_free(&non_blocking);
    if (clusters) return gpu_has_clusters(m) ? cudaErrorInvalidClusterSize : cudaErrorNotSupported;
    l.cooperative = false;
    bool fits = !s->app->machine->refuses(s->app->machine, &l, &non_blocking);
    text_free(&non_blocking);
    return fits ? cudaErrorCooperativeLaunchTooLarge : cudaErrorLaunchOutOfResources;
}

/* Adds a warning with the reason. The program receives an error code only, and may ignore it. */
static void warn_refused(struct session *s, const struct text *why)
{
    struct text sentence = {0};
    text_add(&sentence, "a launch is refused: %s", text_get(why));
    warning_add(s->app->warnings, s->app->input->cuda->arguments[0], 0, text_get(&sentence));
    text_free(&sentence);
}

cudaError_t session_LAUNCH(struct session *s)
{
    struct wire_launch w;
    if (s->call.at[0] >= s->kernel_n) return cudaErrorInvalidDeviceFunction;
    const struct host_kernel *k = s->kernels[s->call.at[0]].kernel;
    u32 param_bytes = k->program->param_bytes;
    if (s->call.payload_bytes != sizeof w + param_bytes) return cudaErrorInvalidValue;
    memcpy(&w, s->payload, sizeof w);
    if (!session_has_stream(s, w.stream)) return cudaErrorInvalidResourceHandle;
    struct text why = {0};
    cudaError_t error = check_launch(s, k, &w, &why);
    if (error) warn_refused(s, &why);
    text_free(&why);
    if (error || s->call.at[1]) return error;
    u64 *workspace = &s->streams[w.stream].workspace;
    if (w.cooperative && !*workspace)
        *workspace = image_alloc(&s->app->image, WORKSPACE_BYTES, "(cooperative launch)");
    if (w.cooperative && !*workspace) return cudaErrorMemoryAllocation;
    int priority = w.priority == WIRE_PRIORITY_OF_STREAM ? s->streams[w.stream].priority
                                                         : w.priority;
    struct launch_options options = {priority, w.cooperative ? *workspace : 0, carveout_of(&w),
                                     {w.cluster[0], w.cluster[1], w.cluster[2]},
                                     w.large_clusters != 0, s->call.at[2] != 0,
                                     w.dependent && !s->call.at[2]};
    u8 *param = app_launch(s->app, k, w.grid, w.block, w.shared_bytes, w.stream, &options);
    memcpy(param, s->payload + sizeof w, param_bytes);
    return cudaSuccess;
}

cudaError_t session_OCCUPANCY(struct session *s)
{
    if (s->call.at[0] >= s->kernel_n) return cudaErrorInvalidDeviceFunction;
    const struct host_kernel *k = s->kernels[s->call.at[0]].kernel;
    u64 threads = s->call.at[1];
    if (!threads || threads > UINT32_MAX || s->call.at[2] > UINT32_MAX)
        return cudaErrorInvalidValue;
    struct wire_launch w = {.grid = {1, 1, 1}, .block = {(u32)threads, 1, 1},
                            .shared_bytes = (u32)s->call.at[2],
                            .dynamic_most = (u32)s->call.at[3],
                            .carveout = (s32)(s64)s->call.at[4]};
    struct text why = {0};
    cudaError_t error = check_launch(s, k, &w, &why);
    text_free(&why);
    if (error) return cudaSuccess; /* no block fits: the reply is 0 */
    struct launch l = launch_of(s, k, &w);
    struct gpu_occupancy fits;
    gpu_occupancy(s->app->machine->gpu, &l, &fits);
    s->reply.at[0] = fits.blocks_per_sm;
    return cudaSuccess;
}

/* Model: the largest cluster is a row of blocks along x; other shapes have the same limit. */
cudaError_t session_OCCUPANCY_CLUSTERS(struct session *s)
{
    struct wire_launch w;
    struct text why = {0};
    if (s->call.at[0] >= s->kernel_n) return cudaErrorInvalidDeviceFunction;
    if (s->call.payload_bytes != sizeof w) return cudaErrorInvalidValue;
    const struct host_kernel *k = s->kernels[s->call.at[0]].kernel;
    memcpy(&w, s->payload, sizeof w);
    struct launch l = launch_of(s, k, &w);
    const struct machine *m = s->app->machine->gpu;
    cudaError_t error = check_launch(s, k, &w, &why);
    text_free(&why);
    if (!error) s->reply.at[0] = gpu_active_clusters(m, &l);
    s->reply.at[1] = gpu_largest_cluster(m, &l);
    return s->call.at[1] ? cudaSuccess : error;
}
