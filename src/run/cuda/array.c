/* Calls about arrays, textures and surfaces. Copies from and to arrays are synchronous. Bytes from
 * the program's own memory arrive with the call; bytes for the program's own memory leave with the
 * reply. */
#include "host/host.h"
#include "mem/textures.h"
#include "run/cuda/session.h"

#include <stdlib.h>
#include <string.h>

/* Copies the first n bytes of the payload. false: the payload is shorter. */
static bool take(const struct session *s, void *to, size_t n)
{
    if (s->call.payload_bytes < n) return false;
    memcpy(to, s->payload, n);
    return true;
}

static struct texel texel_of(const struct wire_texel *w)
{
    return (struct texel){.type = (u8)w->type, .channels = (u8)w->channels};
}

cudaError_t session_ARRAY_NEW(struct session *s)
{
    struct wire_array w;
    if (!take(s, &w, sizeof w)) return cudaErrorInvalidValue;
    struct array_shape shape = {.texel = texel_of(&w.texel), .flags = (u8)w.flags,
                                .levels = (u8)min_u32(w.levels, UINT8_MAX), .width = w.width,
                                .height = w.height, .depth = w.depth};
    if (host_shape_wrong(&shape)) return cudaErrorInvalidValue;
    if (!session_has_memory(s, array_bytes(&shape))) return cudaErrorMemoryAllocation;
    s->reply.at[0] = host_array(&s->app->host, &shape, "cudaMallocArray");
    return cudaSuccess;
}

cudaError_t session_ARRAY_FREE(struct session *s)
{
    if (!array_find(&s->app->image, s->call.at[0])) return cudaErrorInvalidValue;
    host_array_free(&s->app->host, s->call.at[0]);
    return cudaSuccess;
}

/* ---- copies ---- */

static struct host_place place_of(const struct wire_place *w, u8 *staged)
{
    if (w->host) return (struct host_place){.host = staged}; /* rows without padding */
    struct host_place p = {.level = w->level, .x_bytes = w->x_bytes, .y = w->y, .z = w->z,
                           .pitch = w->pitch, .rows = w->rows};
    if (w->array) p.array = w->array;
    else p.device = w->address;
    return p;
}

cudaError_t session_ARRAY_COPY(struct session *s)
{
    struct wire_array_copy w;
    u64 stream = s->call.at[0];
    const u64 limit = 1 << 20;
    if (!take(s, &w, sizeof w)) return cudaErrorInvalidValue;
    if (!session_has_stream(s, stream)) return cudaErrorInvalidResourceHandle;
    if (!w.width || !w.height || !w.depth || w.width > WIRE_PAYLOAD_MAX || w.height > limit ||
        w.depth > limit || (w.to.host && w.from.host))
        return cudaErrorInvalidValue;
    if (w.width * w.height > WIRE_PAYLOAD_MAX) return cudaErrorInvalidValue;
    u64 bytes = w.width * w.height * w.depth;
    if (bytes > WIRE_PAYLOAD_MAX) return cudaErrorInvalidValue;
    if (w.from.host && s->call.payload_bytes != sizeof w + bytes) return cudaErrorInvalidValue;
    session_wait(s, (u32)stream, (struct action){session_nothing, NULL});
    u8 *staged = s->payload + sizeof w;
    u8 *gets = w.to.host ? base_alloc(bytes) : NULL;
    if (gets) staged = gets;
    struct host_place to = place_of(&w.to, staged), from = place_of(&w.from, staged);
    bool wrong = host_copy_wrong(&s->app->host, &to, &from, w.width, w.height, w.depth);
    if (!wrong) host_copy(&s->app->host, &to, &from, w.width, w.height, w.depth);
    if (gets && !wrong) text_put(&s->out, (const char *)gets, bytes);
    free(gets);
    return wrong ? cudaErrorInvalidValue : cudaSuccess;
}

/* ---- textures and surfaces ---- */

/* Reads a texture or surface from the payload. false: invalid. */
static bool take_texture(struct session *s, struct texture *t)
{
    struct wire_texture w;
    if (!take(s, &w, sizeof w)) return false;
    static const u8 kinds[] = {[WIRE_LINEAR] = TEXTURE_LINEAR, [WIRE_PITCH] = TEXTURE_PITCH,
                               [WIRE_ARRAY] = TEXTURE_ARRAY, [WIRE_SURFACE] = TEXTURE_SURFACE};
    if (w.kind >= COUNT_OF(kinds)) return false;
    *t = (struct texture){.kind = kinds[w.kind], .texel = texel_of(&w.texel), .width = w.width,
                          .height = w.height, .address = w.address, .pitch = w.pitch};
    t->sampler = (struct sampler){
        .address = {(u8)w.address_mode[0], (u8)w.address_mode[1], (u8)w.address_mode[2]},
        .filter = (u8)w.filter, .level_filter = (u8)w.level_filter,
        .normalized_coordinates = w.normalized_coordinates,
        .normalized_float = w.normalized_float,
        .border = {w.border[0], w.border[1], w.border[2], w.border[3]},
        .level_bias = w.level_bias, .level_least = w.level_least, .level_most = w.level_most};
    return !host_texture_wrong(&s->app->host, t);
}

cudaError_t session_TEXTURE_NEW(struct session *s)
{
    struct texture t;
    if (!take_texture(s, &t)) return cudaErrorInvalidValue;
    s->reply.at[0] = host_texture(&s->app->host, &t);
    return cudaSuccess;
}

cudaError_t session_BIND(struct session *s)
{
    struct texture t;
    if (s->call.at[0] - TEXTURE_REFERENCE >= s->reference_n) return cudaErrorInvalidValue;
    if (s->call.payload_bytes && !take_texture(s, &t)) return cudaErrorInvalidValue;
    host_bind(&s->app->host, s->call.at[0], s->call.payload_bytes ? &t : NULL);
    return cudaSuccess;
}

cudaError_t session_TEXTURE_FREE(struct session *s)
{
    if (!host_texture_find(&s->app->host, s->call.at[0])) return cudaErrorInvalidValue;
    host_texture_free(&s->app->host, s->call.at[0]);
    return cudaSuccess;
}
