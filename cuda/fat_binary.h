/* Containers of GPU code in a host program. Layout: as written by nvcc and clang. */
#ifndef CORUN_FAT_BINARY_H
#define CORUN_FAT_BINARY_H

#include <stdbool.h>
#include <stdint.h>

enum { FAT_WRAPPER_MAGIC = 0x466243b1, FAT_PTX = 1, FAT_CUBIN = 2 };
#define FAT_MAGIC 0xba55ed50u
enum { FAT_LINKED = 2 }; /* fat_wrapper.version: objects linked by the device linker */
struct fat_wrapper {
    uint32_t magic, version;
    const void *data;
    void *more; /* FAT_LINKED: fat binaries of the objects, NULL-terminated */
};
struct fat_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* of the entries behind the header */
};
enum { FAT_COMPRESSED = 0x1000, FAT_LZ4 = 0x2000, FAT_ZSTD = 0x8000 }; /* fat_entry.flags */
/* fat_entry.flags of corun cc: the run-time library links all entries with this flag. */
enum { FAT_RELOCATABLE = 0x40000000 };
struct fat_entry {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t bytes; /* behind the header, including padding */
    uint32_t packed_bytes, options_offset;
    uint16_t minor, major;
    uint32_t arch; /* 75: sm_75 */
    uint32_t name_offset, name_bytes;
    uint64_t flags, zero, unpacked_bytes;
};

static inline uint64_t fat_bytes(const void *fat)
{
    const struct fat_header *h = (const struct fat_header *)fat;
    return h && h->magic == FAT_MAGIC ? h->header_bytes + h->bytes : 0;
}

/* True if the first entry has FAT_RELOCATABLE. */
static inline bool fat_is_relocatable(const void *fat)
{
    const struct fat_header *h = (const struct fat_header *)fat;
    if (fat_bytes(fat) < sizeof *h + sizeof(struct fat_entry)) return false;
    const struct fat_entry *e =
        (const struct fat_entry *)(const void *)((const char *)fat + h->header_bytes);
    return e->flags & FAT_RELOCATABLE;
}

#endif
