#include "mem/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL /* compiled for the wider vectors of this build */
#include <xxhash.h>

#include "base/arena.h"

enum chunk_state {
    CHUNK_CLEAN,  /* the hash is that of the bytes */
    CHUNK_CHANGED,
    CHUNK_UNSEEN  /* changed, and perhaps without pages: never hashed, or zeroes without pages when
                   * last hashed */
};

struct digest {
    u64 epoch;            /* of the image at the last digest_of */
    struct hash128 whole; /* valid unless `due` */
    bool due;             /* a chunk has changed since `whole` was computed */
    struct hash128 *hash; /* [chunk] */
    u8 *state;            /* [chunk], enum chunk_state */
    u8 *empty;            /* [chunk] 1: no pages when last hashed */
};

static const u8 zeroes[CHUNK_BYTES];

struct hash128 hash128_of(const void *bytes, size_t n)
{
    XXH128_hash_t h = XXH3_128bits(bytes, n);
    return (struct hash128){h.low64, h.high64};
}

u32 digest_chunks(const struct allocation *a) { return (u32)div_up(a->size_bytes, CHUNK_BYTES); }

u32 digest_chunk_bytes(const struct allocation *a, u32 k)
{
    return (u32)min_u64(a->size_bytes - (u64)k * CHUNK_BYTES, CHUNK_BYTES);
}

static void change(struct digest *d, u32 k)
{
    d->state[k] = d->empty[k] ? CHUNK_UNSEEN : CHUNK_CHANGED;
}

static void change_all(const struct allocation *a)
{
    for (u32 k = 0; k < digest_chunks(a); k++) change(a->digest, k);
    a->digest->due = true;
}

void digest_changed(struct allocation *a, u64 offset, u64 size_bytes)
{
    struct digest *d = a->digest;
    if (!d || !size_bytes) return;
    for (u64 k = offset / CHUNK_BYTES; k <= (offset + size_bytes - 1) / CHUNK_BYTES; k++)
        change(d, (u32)k);
    d->due = true;
}

/* Returns the digest of the allocation, with marks of all known changes. */
static struct digest *digest_get(const struct image *m, struct allocation *a)
{
    struct digest *d = a->digest;
    u32 n = digest_chunks(a);
    if (!d) {
        d = a->digest = base_alloc(sizeof *d);
        d->hash = base_alloc((n + 1ull) * sizeof *d->hash);
        d->state = base_alloc(n + 1ull);
        d->empty = base_alloc(n + 1ull);
        memset(d->empty, 1, n);
        change_all(a);
    } else if (d->epoch != m->epoch || a->host_writes) {
        change_all(a);
    }
    d->epoch = m->epoch;
    return d;
}

u64 digest_due(const struct image *m, struct allocation *a)
{
    struct digest *d = digest_get(m, a);
    u64 due = 0;
    for (u32 k = 0; d->due && k < digest_chunks(a); k++)
        if (d->state[k]) due += digest_chunk_bytes(a, k);
    return due;
}

/* True if no page of the chunk exists. A page of another allocation beside the chunk counts. */
static bool is_empty(const struct image *m, const u8 *bytes, u32 n)
{
    if (!m->shared || bytes < m->shared || bytes >= m->shared + GLOBAL_END) return false;
    off_t at = bytes - m->shared, data = lseek(m->shared_fd, at, SEEK_DATA);
    return data < 0 ? errno == ENXIO : data >= at + (off_t)n;
}

struct hash128 digest_of(const struct image *m, struct allocation *a)
{
    struct digest *d = digest_get(m, a);
    if (!d->due) return d->whole;
    u32 n = digest_chunks(a);
    for (u32 k = 0; k < n; k++) {
        if (d->state[k] == CHUNK_CLEAN) continue;
        const u8 *bytes = a->bytes + (u64)k * CHUNK_BYTES;
        u32 size = digest_chunk_bytes(a, k);
        d->empty[k] = d->state[k] == CHUNK_UNSEEN && is_empty(m, bytes, size);
        d->hash[k] = hash128_of(d->empty[k] ? zeroes : bytes, size);
        d->state[k] = CHUNK_CLEAN;
    }
    d->whole = hash128_of(d->hash, n * sizeof *d->hash);
    d->due = false;
    return d->whole;
}

const struct hash128 *digest_hashes(const struct allocation *a) { return a->digest->hash; }

void digest_put(struct allocation *a, u32 chunk, const u8 *bytes, struct hash128 hash)
{
    struct digest *d = a->digest;
    memcpy(a->bytes + (u64)chunk * CHUNK_BYTES, bytes, digest_chunk_bytes(a, chunk));
    d->hash[chunk] = hash;
    d->empty[chunk] = 0;
    d->state[chunk] = CHUNK_CLEAN;
    d->due = true;
}

void digest_free(struct digest *d)
{
    if (!d) return;
    free(d->hash);
    free(d->state);
    free(d->empty);
    free(d);
}
