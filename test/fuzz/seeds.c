/* Writes the initial inputs of the fuzzers of CUDA programs into FOLDER/fat and FOLDER/calls: good
 * fat binaries, minimal executables, and the calls of good programs. */
#include <elf.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "base/text.h"
#include "cuda/fat_binary.h"
#include "cuda/wire.h"
#include "mem/address.h"
#include "run/cuda/binary.h"
#include "run/cuda/fat.h"

static const char *folder;
static void keep(const char *kind, const char *name, struct text *t)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, kind);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", folder, kind, name);
    FILE *f = fopen(path, "wb");
    check(f && fwrite(t->bytes, 1, t->size, f) == t->size && !fclose(f));
    text_free(t);
}

/* ---- fat binaries ---- */

static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .const .align 4 .b8 factor[4];\n"
    ".visible .global .align 4 .u32 count = 40;\n"
    ".visible .entry k(.param .u64 p, .param .u32 n) { .reg .b64 %d; .reg .b32 %r<2>;\n"
    "ld.param.u64 %d, [p]; ld.param.u32 %r1, [n]; st.global.u32 [%d], %r1; ret; }\n";

static void put_entry(struct text *out, u16 kind, u32 arch, u64 flags)
{
    char packed[4096];
    size_t n = sizeof ptx;
    if (flags & FAT_ZSTD) n = ZSTD_compress(packed, sizeof packed, ptx, sizeof ptx, 3);
    else if (flags) n = (size_t)LZ4_compress_default(ptx, packed, sizeof ptx, sizeof packed);
    else memcpy(packed, ptx, n);
    const struct fat_entry e = {.kind = kind, .header_bytes = sizeof e, .bytes = n, .arch = arch,
                                .packed_bytes = flags ? (u32)n : 0, .flags = flags,
                                .unpacked_bytes = flags ? sizeof ptx : 0};
    text_put(out, (const char *)&e, sizeof e);
    text_put(out, packed, n);
}

/* Entries with these flags, and an entry of machine code. */
static void put_fat(struct text *out, u32 n, const u64 *flags)
{
    struct text entries = {0};
    put_entry(&entries, FAT_CUBIN, 90, 0);
    for (u32 i = 0; i < n; i++) put_entry(&entries, FAT_PTX, 70 + i, flags[i]);
    const struct fat_header h = {FAT_MAGIC, 1, sizeof h, entries.size};
    text_put(out, (const char *)&h, sizeof h);
    text_put(out, entries.bytes, entries.size);
    text_free(&entries);
}

/* With kernels and a run time's errors; or an executable in need of corun's library. */
static void executable_seed(const char *name, const char *wants)
{
    enum { NAMES = 3 };
    struct {
        Elf64_Ehdr head;
        Elf64_Shdr sections[4];
        Elf64_Dyn dynamic[2];
        char names[64], error[32];
    } e = {.head = {.e_ident = ELFMAG, .e_shnum = 4, .e_shstrndx = NAMES},
           .dynamic = {{.d_tag = DT_NEEDED, .d_un.d_val = 12}},
           .names = "\0.nv_fatbin", .error = "cudaErrorInsufficientDriver"};
    struct text t = {0};
    e.head.e_ident[EI_CLASS] = ELFCLASS64;
    e.head.e_shoff = (u64)((char *)e.sections - (char *)&e);
    strcpy(e.names + 12, wants);
    e.sections[1].sh_name = 1;
    e.sections[2] = (Elf64_Shdr){.sh_type = SHT_DYNAMIC, .sh_link = NAMES,
                                 .sh_offset = (u64)((char *)e.dynamic - (char *)&e),
                                 .sh_size = sizeof e.dynamic};
    e.sections[NAMES].sh_offset = (u64)(e.names - (char *)&e);
    e.sections[NAMES].sh_size = sizeof e.names;
    text_put(&t, (const char *)&e, sizeof e);
    check(binary_has_foreign_run_time(t.bytes, t.size) == !strcmp(wants, "libc.so.6"));
    keep("fat", name, &t);
}

static void fat_seeds(void)
{
    executable_seed("foreign", "libc.so.6");
    executable_seed("shared", "libcudart.so.13");
    static const char *const names[] = {"plain", "lz4", "zstd"};
    static const u64 flags[] = {0, FAT_LZ4, FAT_ZSTD};
    struct text t = {0};
    for (u32 i = 0; i < 3; i++) {
        put_fat(&t, 1, &flags[i]);
        keep("fat", names[i], &t);
    }
    put_fat(&t, 3, flags);
    put_fat(&t, 3, flags);
    keep("fat", "several", &t);
    put_fat(&t, 0, flags);
    keep("fat", "code", &t);
    fat_write(75, false, ptx, sizeof ptx - 1, &t);
    keep("fat", "written", &t);
}

/* ---- calls ---- */

#define SAY(out, name, ...) put_call(out, CALL_##name, (const u64[8]){__VA_ARGS__}, NULL, 0)
#define SEND(out, name, bytes, n, ...) \
    put_call(out, CALL_##name, (const u64[8]){__VA_ARGS__}, bytes, n)

static void put_call(struct text *out, u32 call, const u64 at[8], const void *payload, size_t n)
{
    struct wire_request q = {.call = call, .payload_bytes = (u32)n};
    memcpy(q.at, at, sizeof q.at);
    text_put(out, (const char *)&q, sizeof q);
    if (n) text_put(out, payload, n);
}

/* Addresses of the first allocations: each begins 256 bytes behind the end of the previous. */
static const u64 first = GLOBAL_BASE, second = GLOBAL_BASE + 4096 + 256;

static void put_copy(struct text *out, u64 bits, struct wire_copy w, const char *staged)
{
    char payload[sizeof w + 64];
    memcpy(payload, &w, sizeof w);
    if (staged) memcpy(payload + sizeof w, staged, w.width);
    SEND(out, COPY, payload, sizeof w + (staged ? w.width : 0), 0, bits);
}

static void memory_seeds(void)
{
    struct text t = {0};
    SAY(&t, ALLOC, 4096, WIRE_DEVICE);
    SAY(&t, ALLOC, 4096, WIRE_MANAGED);
    SAY(&t, ALLOC, 100, WIRE_PINNED);
    SAY(&t, POINTER, second + 8);
    SAY(&t, MEMORY, 0);
    SAY(&t, FILL, 0, 1, first, 64, 7, 1, 16, 8);
    SAY(&t, FILL, 0, 0, first, 64, 7, 4, 16, 8);
    SAY(&t, FREE_ASYNC, 0, first);
    SAY(&t, FREE, second, WIRE_MANAGED);
    SAY(&t, FREE, second + 4096 + 256, WIRE_PINNED);
    keep("calls", "memory", &t);

    SAY(&t, ALLOC, 4096, WIRE_DEVICE);
    SAY(&t, ALLOC, 4096, WIRE_DEVICE);
    const struct wire_copy plain = {first, second, 64, 64, 512, 512, 16, 4, 2, 0, 0};
    put_copy(&t, COPY_WAITS, plain, NULL);
    put_copy(&t, 0, plain, NULL);
    const struct wire_copy in = {.to = first, .width = 5, .height = 1, .depth = 1, .from_host = 1};
    put_copy(&t, COPY_STAGED, in, "bytes");
    put_copy(&t, COPY_WAITS, in, NULL); /* requests the data */
    SAY(&t, DONE, 0);
    SAY(&t, SYNC, 0);
    keep("calls", "copies", &t);
}

static void stream_seeds(void)
{
    struct text t = {0};
    SAY(&t, STREAM_NEW, 1, 0);
    SAY(&t, STREAM_NEW, 0, (u64)-1);
    SAY(&t, STREAM_GET, 2);
    SAY(&t, EVENT_NEW, 0);
    SAY(&t, EVENT_NEW, 0);
    SAY(&t, EVENT_RECORD, 0, 1);
    SAY(&t, HOST_FUNC, 1, 0x1000, 0x2000, 0);
    SAY(&t, DONE, 0);
    SAY(&t, HOST_FUNC, 1, 0x1000, 0x2000, 1, 1);
    SAY(&t, DONE, 0);
    SAY(&t, EVENT_RECORD, 1, 1);
    SAY(&t, STREAM_WAIT, 2, 1);
    SAY(&t, STREAM_QUERY, 2);
    SAY(&t, EVENT_QUERY, 1);
    SAY(&t, EVENT_SYNC, 1);
    SAY(&t, EVENT_ELAPSED, 0, 1);
    SAY(&t, STREAM_SYNC, 1);
    SAY(&t, EVENT_END, 0);
    SAY(&t, STREAM_END, 1);
    keep("calls", "streams", &t);
}

static void kernel_seeds(void)
{
    struct text t = {0}, fat = {0};
    struct {
        struct wire_launch launch;
        u32 p[2], n;
    } with = {.launch = {.grid = {2, 1, 1}, .block = {32, 1, 1},
                         .priority = WIRE_PRIORITY_OF_STREAM},
              .p = {(u32)second, (u32)(second >> 32)}, .n = 3};
    _Static_assert(sizeof with == sizeof with.launch + 12, "arguments follow the launch");
    size_t n = sizeof with;
    fat_write(75, false, ptx, sizeof ptx - 1, &fat);
    SEND(&t, MODULE, fat.bytes, fat.size, 0);
    SEND(&t, KERNEL, "k", 1, 0);
    SEND(&t, VARIABLE, "count", 5, 0);
    SEND(&t, VARIABLE, "factor", 6, 0);
    SAY(&t, STREAM_NEW, 1, 0);
    SAY(&t, ALLOC, 4096, WIRE_DEVICE);
    SEND(&t, LAUNCH, &with, n, 0);
    with.launch.stream = 1;
    SEND(&t, LAUNCH, &with, n, 0);
    SAY(&t, STREAM_QUERY, 1);
    with.launch.cooperative = 1;
    SEND(&t, LAUNCH, &with, n, 0);
    SAY(&t, OCCUPANCY, 0, 128, 1024);
    SAY(&t, SYNC, 0);
    SEND(&t, MODULE, fat.bytes, fat.size, 0);
    keep("calls", "kernels", &t);
    text_free(&fat);
}

static void array_seeds(void)
{
    struct text t = {0};
    const struct wire_array shape = {{7, 1}, 0, 1, 8, 4, 0, 0};
    const struct wire_texture texture = {.kind = WIRE_ARRAY, .address = first};
    const struct wire_texture linear = {.kind = WIRE_LINEAR, .texel = {7, 1}, .width = 8,
                                        .address = first};
    struct {
        struct wire_array_copy copy;
        u8 staged[64];
    } with = {.copy = {.to = {.array = first}, .from = {.host = 1}, .width = 16, .height = 4,
                       .depth = 1}};
    SEND(&t, ARRAY_NEW, &shape, sizeof shape, 0);
    SAY(&t, ALLOC, 4096, WIRE_DEVICE);
    SEND(&t, ARRAY_COPY, &with, sizeof with, 0);
    with.copy.from = (struct wire_place){.address = first + 512 + 256, .pitch = 64, .rows = 4};
    SEND(&t, ARRAY_COPY, &with, sizeof with.copy, 0);
    with.copy.from = with.copy.to;
    with.copy.to = (struct wire_place){.host = 1};
    SEND(&t, ARRAY_COPY, &with, sizeof with.copy, 0);
    SEND(&t, TEXTURE_NEW, &texture, sizeof texture, 0);
    SEND(&t, TEXTURE_NEW, &linear, sizeof linear, 0);
    SAY(&t, TEXTURE_FREE, 1);
    SAY(&t, ARRAY_FREE, first);
    keep("calls", "arrays", &t);
}

int main(int n, char **arguments)
{
    check(n == 2);
    folder = arguments[1];
    fat_seeds();
    memory_seeds();
    stream_seeds();
    kernel_seeds();
    array_seeds();
    return 0;
}
