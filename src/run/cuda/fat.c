#include "run/cuda/fat.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/arena.h"
#include "cuda/fat_binary.h"

enum { PTX_MAX = 1 << 30 }; /* bytes of a text */

static bool broken(struct text *why, const char *what)
{
    text_add(why, "the fat binary is damaged: %s", what);
    return false;
}

/* What the entry holds. Compressed ones say how long they are. */
static bool unpack(const struct fat_entry *e, const u8 *bytes, struct text *ptx, struct text *why)
{
    bool packed = e->flags & (FAT_COMPRESSED | FAT_LZ4 | FAT_ZSTD);
    if (!packed) {
        const u8 *end = memchr(bytes, 0, e->bytes);
        text_put(ptx, (const char *)bytes, end ? (size_t)(end - bytes) : e->bytes);
        return true;
    }
    if (e->packed_bytes > e->bytes || e->unpacked_bytes > PTX_MAX)
        return broken(why, "the sizes of a compressed entry");
    char *out = base_alloc(e->unpacked_bytes + 1);
    bool ok;
    if (e->flags & FAT_ZSTD) {
        size_t got = ZSTD_decompress(out, e->unpacked_bytes, bytes, e->packed_bytes);
        ok = !ZSTD_isError(got) && got == e->unpacked_bytes;
    } else {
        int got = LZ4_decompress_safe((const char *)bytes, out, (int)e->packed_bytes,
                                      (int)e->unpacked_bytes);
        ok = got >= 0 && (u64)got == e->unpacked_bytes;
    }
    if (ok) text_put(ptx, out, strlen(out));
    free(out);
    return ok || broken(why, "a compressed entry");
}

static bool header_take(const u8 *bytes, size_t n, struct fat_header *h)
{
    if (n < sizeof *h) return false;
    memcpy(h, bytes, sizeof *h);
    return h->magic == FAT_MAGIC && h->header_bytes >= sizeof *h && h->header_bytes <= n &&
           h->bytes <= n - h->header_bytes;
}

size_t fat_size(const u8 *bytes, size_t n)
{
    struct fat_header h;
    return header_take(bytes, n, &h) ? h.header_bytes + h.bytes : 0;
}

bool fat_ptx(const u8 *bytes, size_t n, struct text *ptx, u32 *arch, struct text *why)
{
    struct fat_header h;
    struct fat_entry e, best = {0};
    const u8 *best_at = NULL;
    u32 code_arch = 0;
    if (!header_take(bytes, n, &h)) return broken(why, "its header");
    n = h.header_bytes + h.bytes;
    for (size_t at = h.header_bytes; n - at >= sizeof e; at += e.header_bytes + e.bytes) {
        memcpy(&e, bytes + at, sizeof e);
        if (e.header_bytes < sizeof e || e.header_bytes > n - at ||
            e.bytes > n - at - e.header_bytes)
            return broken(why, "the size of an entry");
        if (e.kind == FAT_CUBIN && e.arch > code_arch) code_arch = e.arch;
        if (e.kind != FAT_PTX || (best_at && e.arch <= best.arch)) continue;
        best = e;
        best_at = bytes + at + e.header_bytes;
    }
    if (best_at) {
        *arch = best.arch;
        return unpack(&best, best_at, ptx, why);
    }
    if (code_arch)
        text_add(why, "it has machine code for sm_%u only, and no PTX: compile it with "
                 "-gencode arch=compute_%u,code=compute_%u", code_arch, code_arch, code_arch);
    else text_add(why, "it has no PTX: compile it with -gencode arch=compute_75,code=compute_75");
    return false;
}

/* Compilers align fat binaries to 8 bytes; an archive keeps its members at even places. */
size_t fat_find(const u8 *bytes, size_t n, size_t from)
{
    static const u32 magic = FAT_MAGIC;
    struct fat_header h;
    for (const u8 *at; from < n; from = (size_t)(at - bytes) + 1) {
        at = memmem(bytes + from, n - from, &magic, sizeof magic);
        if (!at) break;
        if (header_take(at, n - (size_t)(at - bytes), &h) && h.version == 1)
            return (size_t)(at - bytes);
    }
    return n;
}

bool fat_next(const u8 *bytes, size_t n, size_t *at, struct text *ptx, u32 *arch, struct text *why)
{
    struct fat_header h;
    struct fat_entry e;
    if (!header_take(bytes, n, &h)) return broken(why, "its header");
    n = h.header_bytes + h.bytes;
    if (!*at) *at = h.header_bytes;
    while (n - *at >= sizeof e) {
        const u8 *entry = bytes + *at;
        memcpy(&e, entry, sizeof e);
        if (e.header_bytes < sizeof e || e.header_bytes > n - *at ||
            e.bytes > n - *at - e.header_bytes)
            return broken(why, "the size of an entry");
        *at += e.header_bytes + e.bytes;
        if (e.kind != FAT_PTX) continue;
        *arch = e.arch;
        return unpack(&e, entry + e.header_bytes, ptx, why);
    }
    return false;
}

void fat_write(u32 arch, const char *ptx, size_t n, struct text *out)
{
    static const char zeros[8];
    size_t padded = (n + sizeof zeros) & ~(sizeof zeros - 1); /* with a zero at its end */
    const struct fat_entry e = {.kind = FAT_PTX, .version = 0x101, .header_bytes = sizeof e,
                                .bytes = padded, .major = 7, .arch = arch, .flags = 0x11};
    const struct fat_header h = {FAT_MAGIC, 1, sizeof h, sizeof e + padded};
    text_put(out, (const char *)&h, sizeof h);
    text_put(out, (const char *)&e, sizeof e);
    text_put(out, ptx, n);
    text_put(out, zeros, padded - n);
}
