#include "run/cuda/fat.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/arena.h"
#include "cuda/fat_binary.h"

enum { UNPACKED_MAX = 1 << 30 }; /* limit of a decompressed entry, bytes */

static bool broken(struct text *why, const char *what)
{
    text_add(why, "the fat binary is damaged: %s", what);
    return false;
}

/* Appends the contents of an entry, decompressed. A compressed entry states its unpacked size. */
static bool unpack(const struct fat_entry *e, const u8 *bytes, struct text *to, struct text *why)
{
    bool packed = e->flags & (FAT_COMPRESSED | FAT_LZ4 | FAT_ZSTD);
    if (!packed) {
        text_put(to, (const char *)bytes, e->bytes);
        return true;
    }
    if (e->packed_bytes > e->bytes || e->unpacked_bytes > UNPACKED_MAX)
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
    if (ok) text_put(to, out, e->unpacked_bytes);
    free(out);
    return ok || broken(why, "a compressed entry");
}

/* Appends the text of a PTX entry, which ends at a zero byte or at the end of the entry. */
static bool unpack_ptx(const struct fat_entry *e, const u8 *bytes, struct text *ptx,
                       struct text *why)
{
    struct text all = {0};
    bool ok = unpack(e, bytes, &all, why);
    if (ok) text_put(ptx, text_get(&all), strlen(text_get(&all)));
    text_free(&all);
    return ok;
}

/* ---- architectures ---- */

static bool arch_read(const char *text, struct ptx_arch *out)
{
    char *end;
    unsigned long number = text[0] >= '1' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
    if (!number || number > 999) return false;
    *out = (struct ptx_arch){(u32)number, *end == 'a' || *end == 'f' ? *end++ : '\0'};
    return !*end || strchr(" \t\r\n,/", *end);
}

bool ptx_arch_parse(const char *text, struct ptx_arch *out)
{
    static const char *const prefixes[] = {"sm_", "compute_"};
    for (u32 i = 0; i < COUNT_OF(prefixes); i++)
        if (!strncmp(text, prefixes[i], strlen(prefixes[i]))) {
            text += strlen(prefixes[i]);
            break;
        }
    return !text[strspn(text, "0123456789af")] && arch_read(text, out);
}

void ptx_arch_show(struct ptx_arch arch, struct text *out)
{
    text_add(out, "sm_%u", arch.number);
    if (arch.suffix) text_put(out, &arch.suffix, 1);
}

/* Returns the architecture of a PTX entry. The entry holds the number only; the suffix comes from
 * the text's .target directive. */
static struct ptx_arch arch_of(const struct fat_entry *e, const struct text *ptx)
{
    static const char target[] = ".target";
    struct ptx_arch arch = {e->arch, 0}, read;
    const char *at = strstr(text_get(ptx), target);
    if (at) at += sizeof target - 1 + strspn(at + sizeof target - 1, " \t");
    if (at && !strncmp(at, "sm_", 3) && arch_read(at + 3, &read)) arch.suffix = read.suffix;
    return arch;
}

/* True if a device can run PTX for `arch`. Source: nvcc's manual, GPU feature list: PTX runs on
 * devices of equal or higher capability; with a family-specific target only within the family; with
 * an architecture-specific target only on devices of equal capability. */
static bool runs_on(struct ptx_arch arch, u32 capability)
{
    if (arch.suffix == 'a') return arch.number == capability;
    if (arch.suffix == 'f' && arch.number / 10 != capability / 10) return false;
    return arch.number <= capability;
}

/* True if a device executes machine code for sm_`arch`. Source: nvcc's manual, GPU compilation:
 * machine code runs on devices of the same major capability and an equal or higher minor one. */
static bool executes(u32 arch, u32 capability)
{
    return arch / 10 == capability / 10 && arch <= capability;
}

static bool fits(struct ptx_arch arch, const struct fat_want *want)
{
    if (!want->asked.number) return runs_on(arch, want->capability);
    return arch.number == want->asked.number && arch.suffix == want->asked.suffix;
}

/* True if the text is NVIDIA's device runtime. nvcc -rdc=true links this runtime into every
 * program, as machine code for each device and PTX for the newest. Kernels in corun do not use the
 * device runtime, hence the architecture of its PTX does not matter. */
static bool is_device_run_time(const struct text *ptx)
{
    return strstr(text_get(ptx), "cnpGetDeviceCount");
}

static bool is_better(struct ptx_arch arch, struct ptx_arch than)
{
    static const char order[] = "fa";
    const char *a = arch.suffix ? strchr(order, arch.suffix) : NULL;
    const char *b = than.suffix ? strchr(order, than.suffix) : NULL;
    if (arch.number != than.number) return arch.number > than.number;
    return a && (!b || a > b);
}

/* ---- entries ---- */

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

/* Reads the entry at byte *at of the fat binary, advances *at, and sets *contents to the entry's
 * bytes. false: no more entries, or the fat binary is damaged and `why` holds a sentence. */
static bool entry_take(const u8 *fat, size_t n, size_t *at, struct fat_entry *e,
                       const u8 **contents, struct text *why)
{
    struct fat_header h;
    if (!header_take(fat, n, &h)) return broken(why, "the header");
    n = h.header_bytes + h.bytes;
    if (!*at) *at = h.header_bytes;
    if (n - *at < sizeof *e) return false;
    memcpy(e, fat + *at, sizeof *e);
    if (e->header_bytes < sizeof *e || e->header_bytes > n - *at ||
        e->bytes > n - *at - e->header_bytes)
        return broken(why, "the size of an entry");
    *contents = fat + *at + e->header_bytes;
    *at += e->header_bytes + e->bytes;
    return true;
}

struct ptx_search {
    const struct fat_want *want;
    struct text *ptx;
    struct ptx_arch best;
    struct text there; /* architectures of all PTX entries, for a message */
    u32 code_arch;     /* highest architecture of machine code */
    u32 code_runs;     /* highest architecture of machine code the device could run */
};

/* Examines one entry; keeps the text of the best PTX so far. false: damaged, `why` says how. */
static bool look_at(struct ptx_search *s, const struct fat_entry *e, const u8 *bytes,
                    struct text *why)
{
    struct text ptx = {0};
    const u32 capability = s->want->capability;
    if (e->kind == FAT_CUBIN) s->code_arch = max_u32(s->code_arch, e->arch);
    if (e->kind == FAT_CUBIN && executes(e->arch, capability))
        s->code_runs = max_u32(s->code_runs, e->arch);
    if (e->kind != FAT_PTX) return true;
    bool ok = unpack_ptx(e, bytes, &ptx, why);
    struct ptx_arch arch = arch_of(e, &ptx);
    if (ok) {
        text_add(&s->there, "%s", s->there.size ? ", " : "");
        ptx_arch_show(arch, &s->there);
    }
    if (ok && (fits(arch, s->want) || is_device_run_time(&ptx)) &&
        (!s->best.number || is_better(arch, s->best))) {
        s->best = arch;
        s->ptx->size = 0;
        text_put(s->ptx, text_get(&ptx), ptx.size);
    }
    text_free(&ptx);
    return ok;
}

static enum fat_result none_taken(const struct ptx_search *s, struct text *why)
{
    const u32 capability = s->want->capability;
    if (s->there.size && s->want->asked.number) {
        text_add(why, "no PTX for ");
        ptx_arch_show(s->want->asked, why);
        text_add(why, " (--ptx): the program has PTX for %s", s->there.bytes);
    } else if (s->there.size && s->code_runs) {
        text_add(why, "the program has machine code for sm_%u, which corun cannot run, and PTX for "
                 "%s: compile with -gencode arch=compute_%u,code=compute_%u, or choose a PTX "
                 "(--ptx ARCH)", s->code_runs, s->there.bytes, s->code_runs, s->code_runs);
    } else if (s->there.size) {
        text_add(why, "the program has PTX for %s, but the device has compute capability %u.%u: "
                 "compile for the device, set another host.capability, or choose a PTX (--ptx "
                 "ARCH)",
                 s->there.bytes, capability / 10, capability % 10);
        return FAT_NOT_FOR_DEVICE;
    } else if (s->code_arch) {
        text_add(why, "the program has machine code for sm_%u only, and no PTX: compile with "
                 "-gencode arch=compute_%u,code=compute_%u", s->code_arch, s->code_arch,
                 s->code_arch);
    } else {
        text_add(why, "the program has no PTX: compile with -gencode "
                 "arch=compute_75,code=compute_75");
    }
    return FAT_REFUSED;
}

enum fat_result fat_ptx(const u8 *bytes, size_t n, const struct fat_want *want, struct text *ptx,
                        struct ptx_arch *arch, struct text *why)
{
    struct fat_entry e;
    struct ptx_search s = {.want = want, .ptx = ptx};
    const u8 *contents;
    size_t before = why->size;
    for (size_t at = 0; entry_take(bytes, n, &at, &e, &contents, why);)
        if (!look_at(&s, &e, contents, why)) break;
    bool ok = why->size == before;
    enum fat_result result = !ok             ? FAT_DAMAGED
                             : s.best.number ? FAT_TAKEN
                                             : none_taken(&s, why);
    *arch = s.best;
    text_free(&s.there);
    return result;
}

/* Searches at every byte: compilers align fat binaries to 8 bytes, but an archive aligns its
 * members to 2 bytes only. */
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
    struct fat_entry e;
    const u8 *contents;
    while (entry_take(bytes, n, at, &e, &contents, why)) {
        if (e.kind != FAT_PTX) continue;
        *arch = e.arch;
        return unpack_ptx(&e, contents, ptx, why);
    }
    return false;
}

bool fat_code(const u8 *bytes, size_t n, u32 capability, struct text *code)
{
    struct fat_entry e, best = {0};
    const u8 *contents, *from = NULL;
    struct text why = {0};
    for (size_t at = 0; entry_take(bytes, n, &at, &e, &contents, &why);) {
        if (e.kind != FAT_CUBIN || !executes(e.arch, capability) || e.arch <= best.arch) continue;
        best = e;
        from = contents;
    }
    bool ok = !why.size && from && unpack(&best, from, code, &why);
    text_free(&why);
    return ok;
}

void fat_write(u32 arch, bool relocatable, const char *ptx, size_t n, struct text *out)
{
    static const char zeros[8];
    size_t padded = (n + sizeof zeros) & ~(sizeof zeros - 1); /* includes a final zero byte */
    const struct fat_entry e = {.kind = FAT_PTX, .version = 0x101, .header_bytes = sizeof e,
                                .bytes = padded, .major = 7, .arch = arch,
                                .flags = 0x11 | (relocatable ? FAT_RELOCATABLE : 0)};
    const struct fat_header h = {FAT_MAGIC, 1, sizeof h, sizeof e + padded};
    text_put(out, (const char *)&h, sizeof h);
    text_put(out, (const char *)&e, sizeof e);
    text_put(out, ptx, n);
    text_put(out, zeros, padded - n);
}
