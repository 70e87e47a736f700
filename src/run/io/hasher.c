#include "run/io/hasher.h"

#include <string.h>
#include <xxhash.h>

void hasher_start(struct hasher *h)
{
    h->state = XXH3_createState();
    check(h->state);
    XXH3_128bits_reset(h->state);
}

void hasher_add(void *hasher, const void *bytes, size_t n)
{
    struct hasher *h = hasher;
    XXH3_128bits_update(h->state, bytes, n);
}

void hasher_text(struct hasher *h, const char *text) { hasher_add(h, text, strlen(text) + 1); }

void hasher_number(struct hasher *h, u64 v)
{
    u8 bytes[8];
    for (u32 i = 0; i < 8; i++) bytes[i] = (u8)(v >> (8 * i));
    hasher_add(h, bytes, sizeof bytes);
}

void hasher_end(struct hasher *h, u64 hash[2])
{
    XXH128_hash_t all = XXH3_128bits_digest(h->state);
    hash[0] = all.high64;
    hash[1] = all.low64;
    XXH3_freeState(h->state);
}

void hash_show(const u64 hash[2], struct text *out)
{
    text_add(out, "%016llx%016llx", (unsigned long long)hash[0], (unsigned long long)hash[1]);
}

u64 hash_of(const void *bytes, size_t n) { return XXH3_64bits(bytes, n); }
