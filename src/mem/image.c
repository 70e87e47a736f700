/* Device memory of one app. See image.h. Large allocations are mapped, so that pages cost nothing
 * before they are touched. */
#include "mem/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"

enum { IMAGE_ALIGN = 256, IMAGE_GAP = 256, IMAGE_SLACK = 32, MAPPED_FROM = 1 << 16 };

void image_init(struct image *m)
{
    memset(m, 0, sizeof *m);
    m->next = GLOBAL_BASE;
}

/* zeroed and 64-byte aligned, so that a warp's row touches no more host lines than it must; NULL:
 * none left */
static u8 *bytes_new(u64 size_bytes)
{
    if (size_bytes > SIZE_MAX / 2) return NULL;
    size_t n = round_up(size_bytes + IMAGE_SLACK, 64);
    if (n < MAPPED_FROM) {
        u8 *p = aligned_alloc(64, n);
        return p ? memset(p, 0, n) : NULL;
    }
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void allocation_free(struct allocation *a)
{
    size_t n = round_up(a->size_bytes + IMAGE_SLACK, 64);
    if (n < MAPPED_FROM)
        free(a->bytes);
    else
        munmap(a->bytes, n);
    free(a->name);
}

void image_free(struct image *m)
{
    for (u32 k = 0; k < m->allocation_n; k++) allocation_free(&m->allocations[k]);
    free(m->allocations);
    image_init(m);
}

/* how many allocations start at or below the address */
static u32 image_rank(const struct image *m, u64 address)
{
    u32 low = 0, high = m->allocation_n;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (m->allocations[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool image_insert(struct image *m, u64 start, u64 size_bytes, const char *name,
                         bool read_only)
{
    u8 *bytes = bytes_new(size_bytes);
    if (!bytes) return false;
    u32 at = image_rank(m, start);
    base_push(m->allocations, m->allocation_n, m->allocation_room);
    struct allocation *a = &m->allocations[at];
    memmove(a + 1, a, (m->allocation_n - 1 - at) * sizeof *a);
    size_t name_bytes = strlen(name) + 1;
    char *copy = base_alloc(name_bytes);
    memcpy(copy, name, name_bytes);
    u64 physical = m->physical + (start - m->physical) % IMAGE_ALIGN;
    bool global = start >= GLOBAL_BASE; /* constants are not in it */
    if (global) m->physical = physical + size_bytes;
    u64 shift = global ? physical - start : 0;
    *a = (struct allocation){start, size_bytes, shift, bytes, copy, read_only};
    m->used_bytes += size_bytes;
    return true;
}

static u64 next_after(u64 end) { return round_up(end, IMAGE_ALIGN) + IMAGE_GAP; }

u64 image_alloc(struct image *m, u64 size_bytes, const char *name)
{
    u64 start = m->next;
    if (start >= GLOBAL_END || size_bytes > GLOBAL_END - start) return 0;
    if (!image_insert(m, start, size_bytes, name, false)) return 0;
    m->next = next_after(start + size_bytes);
    return start;
}

void image_place(struct image *m, u64 start, u64 size_bytes, const char *name, bool read_only)
{
    u32 at = image_rank(m, start);
    const struct allocation *before = at ? &m->allocations[at - 1] : NULL;
    check(start < ADDRESS_END && size_bytes <= ADDRESS_END - start);
    check(!before || (before->start < start && before->start + before->size_bytes <= start));
    check(at == m->allocation_n || m->allocations[at].start >= start + size_bytes);
    if (!image_insert(m, start, size_bytes, name, read_only)) out_of_memory(size_bytes, name);
    if (start >= GLOBAL_BASE && start < GLOBAL_END)
        m->next = max_u64(m->next, next_after(start + size_bytes));
}

bool image_release(struct image *m, u64 start)
{
    u32 at = image_rank(m, start);
    if (!at || m->allocations[at - 1].start != start) return false;
    struct allocation *a = &m->allocations[at - 1];
    m->used_bytes -= a->size_bytes;
    allocation_free(a);
    m->allocation_n--;
    memmove(a, a + 1, (m->allocation_n - (at - 1)) * sizeof *a);
    return true;
}

const struct allocation *image_find(const struct image *m, u64 address, u64 size_bytes)
{
    u32 at = image_rank(m, address);
    if (!at || !allocation_holds(&m->allocations[at - 1], address, size_bytes)) return NULL;
    return &m->allocations[at - 1];
}

const struct allocation *image_nearest(const struct image *m, u64 address)
{
    if (!m->allocation_n) return NULL;
    u32 at = image_rank(m, address);
    const struct allocation *after = at < m->allocation_n ? &m->allocations[at] : NULL;
    if (!at) return after;
    const struct allocation *before = &m->allocations[at - 1];
    u64 end = before->start + before->size_bytes;
    u64 distance = address < end ? 0 : address - end;
    return after && after->start - address < distance ? after : before;
}

bool image_write(struct image *m, u64 address, const void *from, u64 size_bytes)
{
    const struct allocation *a = image_find(m, address, size_bytes);
    if (!a) return false;
    memcpy(a->bytes + (address - a->start), from, size_bytes);
    return true;
}

bool image_read(const struct image *m, u64 address, void *to, u64 size_bytes)
{
    const struct allocation *a = image_find(m, address, size_bytes);
    if (!a) return false;
    memcpy(to, a->bytes + (address - a->start), size_bytes);
    return true;
}
