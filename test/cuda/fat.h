/* Fat binaries with one or two entries, for sm_75. */
#ifndef TEST_FAT_H
#define TEST_FAT_H

#include <stdlib.h>
#include <string.h>

#include "cuda/fat_binary.h"

static inline void *fat_of(const char *text, size_t bytes, unsigned kind)
{
    struct fat_header h = {FAT_MAGIC, 1, sizeof h, sizeof(struct fat_entry) + bytes};
    struct fat_entry e = {.kind = (uint16_t)kind, .version = 0x101, .header_bytes = sizeof e,
                          .bytes = bytes, .arch = 75};
    char *fat = malloc(sizeof h + sizeof e + bytes);
    memcpy(fat, &h, sizeof h);
    memcpy(fat + sizeof h, &e, sizeof e);
    memcpy(fat + sizeof h + sizeof e, text, bytes);
    return fat;
}

/* Returns a fat binary with the entries of both. */
static inline void *fat_join(const void *a, const void *b)
{
    size_t head = sizeof(struct fat_header), n = fat_bytes(a), more = fat_bytes(b) - head;
    char *fat = malloc(n + more);
    memcpy(fat, a, n);
    memcpy(fat + n, (const char *)b + head, more);
    ((struct fat_header *)(void *)fat)->bytes += more;
    return fat;
}

#endif
