#include "mem/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL /* compiled for the wider vectors of this build */
#include <xxhash.h>

#include "base/arena.h"

struct digest {
    u64 epoch;            /* of the image at the last digest_of */
    struct hash128 whole; /* valid if nothing has changed and not `put` */
    bool put;             /* chunks have been replaced since `whole` was computed */
    bool all;             /* every chunk may have changed */
    u64 changed_bytes;    /* sizes of the chunks marked in `changed` */
    struct hash128 *hash; /* [chunk] */
    u8 *changed;          /* [chunk] 1: may have changed since hashed */
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

void digest_changed(struct allocation *a, u64 offset, u64 size_bytes)
{
    struct digest *d = a->digest;
    if (!d || d->all || !size_bytes) return;
    if (size_bytes == a->size_bytes) {
        d->all = true;
        return;
    }
    for (u64 k = offset / CHUNK_BYTES; k <= (offset + size_bytes - 1) / CHUNK_BYTES; k++) {
        if (!d->changed[k]) d->changed_bytes += digest_chunk_bytes(a, (u32)k);
        d->changed[k] = 1;
    }
}

/* Returns the digest of the allocation, with marks of all known changes. */
static struct digest *digest_get(const struct image *m, struct allocation *a)
{
    struct digest *d = a->digest;
    u32 n = digest_chunks(a);
    if (!d) {
        d = a->digest = base_alloc(sizeof *d);
        d->hash = base_alloc((n + 1ull) * sizeof *d->hash);
        d->changed = base_alloc(n + 1ull);
        d->empty = base_alloc(n + 1ull);
        memset(d->empty, 1, n);
        d->all = true;
    } else if (d->epoch != m->epoch || a->host_writes) {
        d->all = true;
    }
    d->epoch = m->epoch;
    return d;
}

u64 digest_due(const struct image *m, struct allocation *a)
{
    struct digest *d = digest_get(m, a);
    return d->all ? a->size_bytes : d->changed_bytes;
}

struct file_pages { /* part of a shared mapping: pages from `from` to `to`, none before */
    u64 from, to;
};

/* True if no page of the chunk exists. A page of another allocation beside the chunk counts. */
static bool is_empty(const struct image *m, const u8 *bytes, u32 n, struct file_pages *p)
{
    if (!m->shared || bytes < m->shared || bytes >= m->shared + GLOBAL_END) return false;
    u64 at = (u64)(bytes - m->shared);
    if (at >= p->to) {
        off_t from = lseek(m->shared_fd, (off_t)at, SEEK_DATA);
        if (from < 0 && errno != ENXIO) return false;
        off_t to = from < 0 ? -1 : lseek(m->shared_fd, from, SEEK_HOLE);
        p->from = from < 0 ? NEVER : (u64)from;
        p->to = to < 0 ? NEVER : (u64)to;
    }
    return p->from >= at + n;
}

static void chunk_hash(const struct image *m, struct allocation *a, u32 k, struct file_pages *p)
{
    struct digest *d = a->digest;
    const u8 *bytes = a->bytes + (u64)k * CHUNK_BYTES;
    u32 size = digest_chunk_bytes(a, k);
    d->empty[k] = d->empty[k] && is_empty(m, bytes, size, p);
    d->hash[k] = hash128_of(d->empty[k] ? zeroes : bytes, size);
    d->changed[k] = 0;
}

struct hash128 digest_of(const struct image *m, struct allocation *a)
{
    struct digest *d = digest_get(m, a);
    if (!d->all && !d->changed_bytes && !d->put) return d->whole;
    u32 n = digest_chunks(a);
    struct file_pages pages = {0, 0};
    for (u32 k = 0; k < n; k++)
        if (d->all || d->changed[k]) chunk_hash(m, a, k, &pages);
    d->whole = hash128_of(d->hash, n * sizeof *d->hash);
    d->all = d->put = false;
    d->changed_bytes = 0;
    return d->whole;
}

const struct hash128 *digest_hashes(const struct allocation *a) { return a->digest->hash; }

void digest_put(struct allocation *a, u32 chunk, const u8 *bytes, struct hash128 hash)
{
    struct digest *d = a->digest;
    check(!d->all && !d->changed[chunk]);
    memcpy(a->bytes + (u64)chunk * CHUNK_BYTES, bytes, digest_chunk_bytes(a, chunk));
    d->hash[chunk] = hash;
    d->empty[chunk] = 0;
    d->put = true;
}

void digest_free(struct digest *d)
{
    if (!d) return;
    free(d->hash);
    free(d->changed);
    free(d->empty);
    free(d);
}
