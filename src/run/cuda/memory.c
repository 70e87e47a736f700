/* Calls about device memory. Copies and fills are actions in a stream; copies between host and
 * device take the time of the link (link.gbs), copies within the device and fills the time of the
 * DRAM (link.dram_percent) or of L2 (link.l2_gbs).
 * If a copy reads or writes the program's own memory, the simulator sends a request when the copy's
 * turn in the stream comes, and the program copies. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mem/address.h"
#include "run/cuda/session.h"

enum { HOST_PAGE = 4096 };

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

/* True if only the device may access the memory at the address: an allocation of device memory.
 * Variables of a module count as managed. */
static bool is_device_only(const struct image *m, u64 address)
{
    const struct allocation *a = image_find(m, address, 1);
    return a && kind_of(a) == WIRE_DEVICE;
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
    if (s->reply.at[0] && kind != WIRE_DEVICE) image_host_writes(m, s->reply.at[0]);
    return s->reply.at[0] ? cudaSuccess : cudaErrorMemoryAllocation;
}

struct free_of {
    struct session *session;
    u64 address;
    struct free_of *next;
};

static bool is_being_freed(const struct session *s, u64 address)
{
    for (const struct free_of *f = s->frees; f; f = f->next)
        if (f->address == address) return true;
    return false;
}

/* Waits for all streams before freeing. Source: CUDA run-time API, cudaFree: the call behaves as if
 * the device had been synchronized before. */
cudaError_t session_FREE(struct session *s)
{
    struct image *m = &s->app->image;
    u64 address = s->call.at[0];
    const struct allocation *a = image_find(m, address, 1);
    if (!a || a->start != address || is_being_freed(s, address)) return cudaErrorInvalidValue;
    u32 kind = kind_of(a);
    if (kind == COUNT_OF(kind_names) || (kind == WIRE_PINNED) != (s->call.at[1] == WIRE_PINNED))
        return cudaErrorInvalidValue;
    app_block(s->app, WAIT_ALL, 0);
    image_release(m, address);
    return cudaSuccess;
}

static void free_act(void *of, enum fate fate)
{
    struct free_of *f = of;
    if (fate != FATE_END) { /* the session may be over otherwise */
        struct free_of **at = &f->session->frees;
        while (*at != f) at = &(*at)->next;
        *at = f->next;
    }
    if (fate == FATE_TURN) image_release(&f->session->app->image, f->address);
    free(f);
}

cudaError_t session_FREE_ASYNC(struct session *s)
{
    u64 stream = s->call.at[0], address = s->call.at[1];
    const struct allocation *a = image_find(&s->app->image, address, 1);
    if (!session_has_stream(s, stream)) return cudaErrorInvalidResourceHandle;
    if (!a || a->start != address || kind_of(a) != WIRE_DEVICE || is_being_freed(s, address))
        return cudaErrorInvalidValue;
    struct free_of *f = base_alloc(sizeof *f);
    *f = (struct free_of){s, address, s->frees};
    s->frees = f;
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

/* Maps pinned pages at a second address, in other pinned memory: registered ranges of the program
 * may share a page. */
cudaError_t session_ALIAS(struct session *s)
{
    const struct image *m = &s->app->image;
    u64 to = s->call.at[0], from = s->call.at[1], size = s->call.at[2];
    const struct allocation *there = image_at(m, to), *here = image_at(m, from);
    if (to % HOST_PAGE || from % HOST_PAGE || size % HOST_PAGE || !there || !here ||
        kind_of(there) != WIRE_PINNED || kind_of(here) != WIRE_PINNED ||
        !allocation_holds(there, to, size) || !allocation_holds(here, from, size))
        return cudaErrorInvalidValue;
    void *place = m->shared + to;
    return mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
                m->shared_fd, (off_t)from) == place ? cudaSuccess : cudaErrorMemoryAllocation;
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

/* The start of a queued copy or fill. */
struct queued {
    struct session *session;
    struct host_copy copy;
};

struct queued_copy {
    struct queued of;
    struct wire_copy wire;
    bool is_staged;
    u8 staged[]; /* bytes received with the call, if is_staged */
};

static bool kind_takes_time(const struct session *s, enum host_copy_kind kind)
{
    const struct link_conf *l = &s->app->machine->gpu->link;
    return copy_is_within(kind) ? l->dram_percent.num : l->gbs.num;
}

/* Describes a copy. pinned: the program's own memory is registered. false: the copy takes no time,
 * because it stays on the host or because of the machine. */
static bool takes_time(const struct session *s, const struct wire_copy *w, bool pinned,
                       struct host_copy *out)
{
    const struct image *m = &s->app->image;
    bool to_host = w->to_host || is_pinned(m, w->to);
    bool from_host = w->from_host || is_pinned(m, w->from);
    *out = (struct host_copy){.bytes = w->width * w->height * w->depth,
                             .pageable = !pinned && (w->to_host || w->from_host)};
    out->kind = from_host ? COPY_TO_DEVICE : to_host ? COPY_TO_HOST : COPY_WITHIN;
    return !(to_host && from_host) && kind_takes_time(s, out->kind);
}

static u64 copy_end(void *of, u64 now)
{
    (void)now;
    const struct queued *q = of;
    const struct app *a = q->session->app;
    return a->machine->copy(a->machine, a->app_id, &q->copy);
}

static void copy_act(void *of, enum fate fate)
{
    struct queued_copy *c = of;
    const struct wire_copy *w = &c->wire;
    u8 *memory = c->of.session->process.memory;
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
        session_ask(c->of.session, &r, w);
    }
    if (fate == FATE_TURN && !w->to_host) {
        u64 last_row = (w->depth - 1) * w->to_slice + (w->height - 1) * w->to_pitch;
        image_changes(&c->of.session->app->image, w->to, last_row + w->width);
    }
    free(c);
}

/* Queues a copy or fill in a stream; with `waits`, blocks until the action is done. device_only:
 * the host has no access to the memory. Source: CUDA run-time API, API synchronization behavior:
 * the host does not wait for copies within device memory and fills of device memory, but for those
 * of managed memory. */
static void queue(struct session *s, u64 stream, bool waits, bool timed, bool device_only,
                  struct action action)
{
    struct queued *q = action.of;
    if (timed) streams_delay(&s->app->streams, (u32)stream, (struct delay){copy_end, q});
    if (timed && device_only) waits = false;
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
    c->of.session = s;
    c->wire = w;
    c->is_staged = staged;
    if (staged) memcpy(c->staged, s->payload + sizeof w, w.width);
    bool timed = takes_time(s, &w, bits & COPY_PINNED, &c->of.copy);
    const struct image *m = &s->app->image;
    bool device_only = !w.to_host && !w.from_host && is_device_only(m, w.to) &&
                       is_device_only(m, w.from);
    queue(s, stream, bits & COPY_WAITS, timed, device_only, (struct action){copy_act, c});
    return cudaSuccess;
}

/* ---- fills ---- */

struct queued_fill {
    struct queued of;
    u64 at, pitch, value, value_bytes, width, height;
};

static void fill_act(void *of, enum fate fate)
{
    struct queued_fill *f = of;
    for (u64 y = 0; y < f->height && fate == FATE_TURN; y++) {
        u8 *row = f->of.session->process.memory + f->at + y * f->pitch;
        for (u64 x = 0; x < f->width && f->value_bytes > 1; x++)
            memcpy(row + x * f->value_bytes, &f->value, f->value_bytes);
        if (f->value_bytes == 1) memset(row, (int)f->value, f->width);
    }
    image_changes(&f->of.session->app->image, f->at,
                  (f->height - 1) * f->pitch + f->width * f->value_bytes);
    free(f);
}

cudaError_t session_FILL(struct session *s)
{
    const u64 *at = s->call.at;
    struct queued_fill f = {{.session = s}, at[2], at[3], at[4], at[5], at[6], at[7]};
    if (!session_has_stream(s, at[0])) return cudaErrorInvalidResourceHandle;
    if (!f.width || !f.height || f.width > GLOBAL_END ||
        (f.value_bytes != 1 && f.value_bytes != 2 && f.value_bytes != 4))
        return cudaErrorInvalidValue;
    struct wire_copy w = {.width = f.width * f.value_bytes, .height = f.height, .depth = 1};
    if (!place_holds(s, f.at, f.pitch, 0, &w)) return cudaErrorInvalidValue;
    f.of.copy = (struct host_copy){.bytes = w.width * w.height, .kind = COPY_FILL};
    const struct image *m = &s->app->image;
    bool timed = !is_pinned(m, f.at) && kind_takes_time(s, COPY_FILL);
    struct queued_fill *kept = base_alloc(sizeof *kept);
    *kept = f;
    queue(s, at[0], at[1], timed, is_device_only(m, f.at), (struct action){fill_act, kept});
    return cudaSuccess;
}
