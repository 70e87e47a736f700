/* Hashes of the contents of allocations, to recognise equal contents of device memory. An
 * allocation is hashed in chunks; a digest hashes only the chunks that may have changed since the
 * last one. Whoever writes the bytes of an allocation without marking them in the image
 * (image_changes, allocation_use) marks them here. */
#ifndef CORUN_DIGEST_H
#define CORUN_DIGEST_H

#include "mem/image.h"

enum { CHUNK_BYTES = 1 << 12 };

struct hash128 {
    u64 low, high;
};
static inline bool hash_equal(struct hash128 a, struct hash128 b)
{
    return a.low == b.low && a.high == b.high;
}
struct hash128 hash128_of(const void *bytes, size_t n);

/* Returns the number of chunks of an allocation; the last may be shorter. */
u32 digest_chunks(const struct allocation *a);
/* Returns the bytes of chunk k of an allocation. */
u32 digest_chunk_bytes(const struct allocation *a, u32 k);
/* Marks the bytes from `offset` on as changed. */
void digest_changed(struct allocation *a, u64 offset, u64 size_bytes);
/* Returns the number of bytes to be hashed by the next digest_of. */
u64 digest_due(const struct image *m, struct allocation *a);
/* Returns the hash of the allocation's contents. Untouched pages of a shared mapping stay untouched
 * and count as zeroes. */
struct hash128 digest_of(const struct image *m, struct allocation *a);
/* Returns the hashes of the chunks at the last digest_of. */
const struct hash128 *digest_hashes(const struct allocation *a);
/* Replaces the bytes of a chunk, with a known hash. No change may be marked. */
void digest_put(struct allocation *a, u32 chunk, const u8 *bytes, struct hash128 hash);
void digest_free(struct digest *d);

#endif
