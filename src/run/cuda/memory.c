/* Calls about device memory. Copies and fills are actions in a stream; copies between host and
 * device take the time of the link (link.gbs), copies within the device and fills none.
 * If a copy reads or writes the program's own memory, the simulator sends a request when the copy's
 * turn in the stream comes, and the program copies. */
#include <stdlib.h>
#include <string.h>

#include "mem/address.h"
#include "run/cuda/session.h"

/* ---- allocations: the name of an allocation encodes its kind ---- */

static const char *const kind_names[] = {"cudaMalloc", "cudaMallocManaged", "cudaHostAlloc"};

static u32 kind_of(const struct allocation *a)
{
    u32 kind = 0;
    while (kind < COUNT_OF(kind_names) && strcmp(a->name, kind_names[kind])) kind++;
    return kind;
}

/* True if the address lies in pinned memory of the host that the library has allocated. */
static bool is_pinned(const struct image *m, u64 address)
{
    const struct allocation *a = image_find(m, address, 1);
    return a && kind_of(a) == WIRE_PINNED;
}

bool session_has_memory(struct session *s, u64 bytes)
{
    u64 most = s->app->machine->gpu->host.memory_bytes;
    if (bytes <= most - min_u64(most, s->app->image.used_bytes)) return true;
    struct text why = {0};
    text_add(&why, "an allocation has failed: the device has %llu bytes of memory; to change the "
             "size: --set host.memory_bytes=BYTES", (unsigned long long)most);
    warning_add(s->app->warnings, s->app->input->cuda->word, 0, why.bytes);
    text_free(&why);
    return false;
}

cudaError_t session_ALLOC(struct session *s)
{
    struct image *m = &s->app->image;
    u64 size = s->call.at[0], kind = s->call.at[1];
    if (!size || kind >= COUNT_OF(kind_names)) return cudaErrorInvalidValue;
    if (!session_has_memory(s, size)) return cudaErrorMemoryAllocation;
    s->reply.at[0] = image_alloc(m, size, kind_names[kind]);
    return s->reply.at[0] ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Waits for all streams before freeing. Source: CUDA run-time API, cudaFree: the call behaves as if
 * the device had been synchronized before. */
cudaError_t session_FREE(struct session *s)
{
    struct image *m = &s->app->image;
    u64 address = s->call.at[0];
    const struct allocation *a = image_find(m, address, 1);
    if (!a || a->start != address) return cudaErrorInvalidValue;
    u32 kind = kind_of(a);
    if (kind == COUNT_OF(kind_names) || (kind == WIRE_PINNED) != (s->call.at[1] == WIRE_PINNED))
        return cudaErrorInvalidValue;
    app_block(s->app, WAIT_ALL, 0);
    image_release(m, address);
    return cudaSuccess;
}

struct free_of {
    struct session *session;
    u64 address;
};

static void free_act(void *of, enum fate fate)
{
    struct free_of *f = of;
    if (fate == FATE_TURN) image_release(&f->session->app->image, f->address);
    free(f);
}

cudaError_t session_FREE_ASYNC(struct session *s)
{
    u64 stream = s->call.at[0], address = s->call.at[1];
    const struct allocation *a = image_find(&s->app->image, address, 1);
    if (!session_has_stream(s, stream)) return cudaErrorInvalidResourceHandle;
    if (!a || a->start != address || kind_of(a) != WIRE_DEVICE) return cudaErrorInvalidValue;
    struct free_of *f = base_alloc(sizeof *f);
    *f = (struct free_of){s, address};
    streams_act(&s->app->streams, (u32)stream, (struct action){free_act, f});
    return cudaSuccess;
}

cudaError_t session_POINTER(struct session *s)
{
    const struct allocation *a = image_find(&s->app->image, s->call.at[0], 1);
    if (!a) return cudaErrorInvalidValue;
    u32 kind = kind_of(a);
    s->reply.at[0] = a->start;
    s->reply.at[1] = a->size_bytes;
    s->reply.at[2] = kind < COUNT_OF(kind_names) ? kind : WIRE_DEVICE;
    s->reply.at[3] = kind == COUNT_OF(kind_names);
    return cudaSuccess;
}

cudaError_t session_MEMORY(struct session *s)
{
    u64 most = s->app->machine->gpu->host.memory_bytes;
    s->reply.at[0] = most - min_u64(most, s->app->image.used_bytes);
    s->reply.at[1] = most;
    return cudaSuccess;
}

/* Fails once the heap exists. Source: CUDA run-time API, cudaDeviceSetLimit: not permitted after
 * the launch of a kernel using malloc. */
cudaError_t session_HEAP(struct session *s)
{
    struct image *m = &s->app->image;
    u64 bytes = s->call.at[0];
    if (m->heap || !bytes) return cudaErrorInvalidValue;
    if (!session_has_memory(s, bytes)) return cudaErrorMemoryAllocation;
    m->heap_bytes = round_up(bytes, HEAP_UNIT);
    return cudaSuccess;
}

/* ---- copies ---- */

/* True if the device memory read or written by a copy lies in one allocation. The simulator cannot
 * check the program's own memory. */
static bool place_holds(const struct session *s, u64 address, u64 pitch, u64 slice,
                        const struct wire_copy *w)
{
    const u64 limit = GLOBAL_END;
    if (w->width > limit || w->height > limit || w->depth > limit || pitch > limit || slice > limit)
        return false;
    unsigned __int128 size = (unsigned __int128)(w->depth - 1) * slice +
                             (unsigned __int128)(w->height - 1) * pitch + w->width;
    return size <= limit && image_find(&s->app->image, address, (u64)size);
}

struct queued_copy {
    struct session *session;
    struct wire_copy of;
    struct host_copy over_link;
    bool is_staged;
    u8 staged[]; /* bytes received with the call, if is_staged */
};

/* Describes a copy over the link. pinned: the program's own memory is registered. false: the copy
 * stays within the device or on the host, or the link takes no time. */
static bool crosses_link(const struct session *s, const struct wire_copy *w, bool pinned,
                         struct host_copy *out)
{
    const struct image *m = &s->app->image;
    bool to_host = w->to_host || is_pinned(m, w->to);
    bool from_host = w->from_host || is_pinned(m, w->from);
    *out = (struct host_copy){.bytes = w->width * w->height * w->depth, .to_host = to_host,
                              .pageable = !pinned && (w->to_host || w->from_host)};
    return to_host != from_host && s->app->machine->gpu->link.gbs.num;
}

static u64 copy_end(void *of, u64 now)
{
    (void)now;
    const struct queued_copy *c = of;
    const struct app *a = c->session->app;
    return a->machine->copy(a->machine, a->app_id, &c->over_link);
}

static void copy_act(void *of, enum fate fate)
{
    struct queued_copy *c = of;
    const struct wire_copy *w = &c->of;
    u8 *memory = c->session->process.memory;
    if (fate != FATE_TURN) {
        /* nothing is copied */
    } else if (c->is_staged) {
        memcpy(memory + w->to, c->staged, w->width);
    } else if (!w->from_host && !w->to_host) {
        for (u64 z = 0; z < w->depth; z++) {
            for (u64 y = 0; y < w->height; y++) {
                memmove(memory + w->to + z * w->to_slice + y * w->to_pitch,
                        memory + w->from + z * w->from_slice + y * w->from_pitch, w->width);
            }
        }
    } else {
        struct wire_reply r = {.kind = WIRE_COPY, .payload_bytes = sizeof *w};
        session_ask(c->session, &r, w);
    }
    free(c);
}

/* Queues an action in a stream; with `waits`, blocks until the action is done. */
static void queue(struct session *s, u64 stream, bool waits, struct action action)
{
    if (waits) session_wait(s, (u32)stream, action);
    else streams_act(&s->app->streams, (u32)stream, action);
}

cudaError_t session_COPY(struct session *s)
{
    struct wire_copy w;
    u64 stream = s->call.at[0], bits = s->call.at[1];
    bool staged = bits & COPY_STAGED;
    if (s->call.payload_bytes < sizeof w) return cudaErrorInvalidValue;
    memcpy(&w, s->payload, sizeof w);
    if (!session_has_stream(s, stream)) return cudaErrorInvalidResourceHandle;
    if (!w.width || !w.height || !w.depth || w.to_host > 1 || w.from_host > 1)
        return cudaErrorInvalidValue;
    if (staged && (s->call.payload_bytes != sizeof w + w.width || w.height != 1 || w.depth != 1))
        return cudaErrorInvalidValue;
    if ((!w.to_host && !place_holds(s, w.to, w.to_pitch, w.to_slice, &w)) ||
        (!w.from_host && !place_holds(s, w.from, w.from_pitch, w.from_slice, &w)))
        return cudaErrorInvalidValue;
    struct queued_copy *c = base_alloc(sizeof *c + (staged ? w.width : 0));
    c->session = s;
    c->of = w;
    c->is_staged = staged;
    if (staged) memcpy(c->staged, s->payload + sizeof w, w.width);
    if (crosses_link(s, &w, bits & COPY_PINNED, &c->over_link))
        streams_delay(&s->app->streams, (u32)stream, (struct delay){copy_end, c});
    queue(s, stream, bits & COPY_WAITS, (struct action){copy_act, c});
    return cudaSuccess;
}

/* ---- fills ---- */

struct fill_of {
    struct session *session;
    u64 at, pitch, value, value_bytes, width, height;
};

static void fill_act(void *of, enum fate fate)
{
    struct fill_of *f = of;
    for (u64 y = 0; y < f->height && fate == FATE_TURN; y++) {
        u8 *row = f->session->process.memory + f->at + y * f->pitch;
        for (u64 x = 0; x < f->width && f->value_bytes > 1; x++)
            memcpy(row + x * f->value_bytes, &f->value, f->value_bytes);
        if (f->value_bytes == 1) memset(row, (int)f->value, f->width);
    }
    free(f);
}

cudaError_t session_FILL(struct session *s)
{
    const u64 *at = s->call.at;
    struct fill_of f = {s, at[2], at[3], at[4], at[5], at[6], at[7]};
    if (!session_has_stream(s, at[0])) return cudaErrorInvalidResourceHandle;
    if (!f.width || !f.height || f.width > GLOBAL_END ||
        (f.value_bytes != 1 && f.value_bytes != 2 && f.value_bytes != 4))
        return cudaErrorInvalidValue;
    struct wire_copy w = {.width = f.width * f.value_bytes, .height = f.height, .depth = 1};
    if (!place_holds(s, f.at, f.pitch, 0, &w)) return cudaErrorInvalidValue;
    struct fill_of *kept = base_alloc(sizeof *kept);
    *kept = f;
    queue(s, at[0], at[1], (struct action){fill_act, kept});
    return cudaSuccess;
}
