/* Resolves the addresses of 32 lanes to a shape and host pointers, with bounds and alignment
 * checks. See access.h. Usually all lanes are in one region: an allocation, shared memory,
 * parameters. Other accesses (several allocations or spaces, any fault) are resolved lane by
 * lane. */
#include "exec/access.h"

#include <string.h>

#include "base/vector.h"
#include "exec/block/cluster.h"
#include "exec/lanes.h"

enum { NULL_END = 4096 }; /* accesses below are reported as null-pointer accesses */

/* A contiguous range of bytes, to check the addresses of all executing lanes against. */
struct region {
    u64 start, size_bytes;
    u64 shift;                  /* added to get physical addresses */
    uintptr_t zero;             /* host address that corresponds to address 0 */
    bool read_only;
    u8 space;
};
struct address_span {                  /* addresses of all executing lanes, summarised */
    u64 outside;                /* top bit: some lane is outside the region */
    u64 bits;                   /* bitwise OR of the addresses */
    bool differ;                /* false: all addresses are equal */
};

static u64 lane_select(u32 mask, u32 lane) { return 0 - (u64)(mask >> lane & 1); }

/* Returns 0 if the address of every lane l in the mask is at + l * step. */
#define LINE_MISSES(name, T) \
    static u64 name(const T *row, T at, u32 step, u32 mask) \
    { \
        T misses = 0; \
        for (u32 l = 0; l < LANES; l++) \
            misses |= ((at + l * step) ^ row[l]) & (T)lane_select(mask, l); \
        return misses; \
    }
LINE_MISSES(part_misses_64, u64)
LINE_MISSES(part_misses_32, u32)

static void addresses_make(struct warp *w, const struct ptx_inst *i, u64 *restrict out)
{
    u64 add = (u64)i->imm;
    if (i->address_bytes == 4) {
        const u32 *reg = row_of(w, i->src[0]);
        for (u32 l = 0; l < LANES; l++) out[l] = (u32)(reg[l] + (u32)add);
    } else {
        const u64 *reg = row_of(w, i->src[0]);
        for (u32 l = 0; l < LANES; l++) out[l] = reg[l] + add;
    }
}

static void addresses_fill(u64 *restrict out, u64 address)
{
    for (u32 l = 0; l < LANES; l++) out[l] = address;
}

static bool addresses_differ(const u64 *address, u64 first, u32 mask)
{
    u64 differ = address[31 - __builtin_clz(mask)] ^ first;
    if (differ) return true;
    for (u32 l = 0; l < LANES; l++) differ |= (address[l] ^ first) & lane_select(mask, l);
    return differ;
}

/* Sizes are below 2^63: an address below the start or above the last valid one sets the sign
 * bit. */
static struct address_span addresses_see(const u64 *address, u64 first, const struct region *r,
                                         u32 size_bytes, u32 mask)
{
    struct address_span s = {0, 0, addresses_differ(address, first, mask)};
    u64 start = r->start, last = r->size_bytes - size_bytes;
    if (r->size_bytes < size_bytes) s.outside = UINT64_MAX;
    if (mask == UINT32_MAX) {
        for (u32 l = 0; l < LANES; l++) {
            u64 offset = address[l] - start;
            s.outside |= offset | (last - offset);
            s.bits |= address[l];
        }
    } else {
        for (u32 l = 0; l < LANES; l++) {
            u64 in = lane_select(mask, l), offset = address[l] - start;
            s.outside |= (offset | (last - offset)) & in;
            s.bits |= address[l] & in;
        }
    }
    return s;
}

static bool is_contiguous(u32 mask)
{
    u32 low = mask & (0 - mask);
    return !(mask & (mask + low));
}

/* ---- lane by lane ---- */

u8 *access_local(const struct warp *w, u32 lane, u64 offset, u64 n)
{
    const struct block_state *b = w->block;
    if (offset > b->local_bytes || n > b->local_bytes - offset) return NULL;
    return b->local + (u64)(w->warp_id * LANES + lane) * b->local_bytes + offset;
}

struct location { /* location of one lane's access; bytes NULL: invalid */
    u8 *bytes;
    u64 address, shift;
    u8 space;
    bool read_only;
    bool lost; /* `bytes` are in `nowhere` */
    bool remote; /* in the shared memory of another block */
};

static struct location location_in_image(const struct warp *w, u8 space, u64 address, u64 n)
{
    const struct allocation *a = image_find(w->block->image, address, n);
    bool constant = address_space(address) == SPACE_CONST;
    if (!a || (space == SPACE_CONST) != constant)
        return (struct location){.address = address, .space = space};
    return (struct location){a->bytes + (address - a->start), address, a->shift, space,
                             a->read_only, false, false};
}

/* Model: an access to another block of the cluster reaches the block's shared memory at issue (the
 * order of the issuing SMs decides within a cycle), and takes the time of the network between SMs
 * (chip/sm/lsu/remote.c). */
static struct location location_in_shared(const struct warp *w, u64 address, u64 n)
{
    struct location p = {.address = address, .space = SPACE_SHARED};
    u64 offset = address;
    const struct block_state *b = cluster_owner(w->block, &offset);
    p.remote = b != w->block;
    if (b && offset <= b->shared_bytes && n <= b->shared_bytes - offset)
        p.bytes = b->shared + offset;
    return p;
}

static struct location location_find(const struct warp *w, u8 space, u32 lane, u64 address, u64 n)
{
    const struct block_state *b = w->block;
    struct location p = {.address = address, .space = space};
    u32 param_bytes = b->program->param_bytes;
    switch (space) {
    case SPACE_SHARED: return location_in_shared(w, address, n);
    case SPACE_LOCAL: p.bytes = access_local(w, lane, address, n); return p;
    case SPACE_PARAM:
        p.read_only = true; /* kernels cannot write the parameters of the launch */
        if (address <= param_bytes && n <= param_bytes - address)
            p.bytes = (u8 *)(uintptr_t)(b->param + address);
        return p;
    case SPACE_NONE: break;
    default: return location_in_image(w, space, address, n);
    }
    enum space own = address_space(address);
    return location_find(w, (u8)own, lane, address - address_windows[own].base, n);
}

const u8 *access_bytes(const struct warp *w, u32 lane, u64 generic, u64 n)
{
    return location_find(w, SPACE_NONE, lane, generic, n).bytes;
}

enum mistake { MISTAKE_NONE, MISTAKE_NULL, MISTAKE_ALIGN, MISTAKE_BOUNDS, MISTAKE_CONST };

static const char *mistake_text(enum mistake m, u8 space, enum access_kind kind)
{
#define KINDS(what, in) {what in "load", what in "store", what in "atomic", what in "atomic"}
#define SPACES(what) \
    {KINDS(what, "generic "), KINDS(what, "global "), KINDS(what, "shared "), \
     KINDS(what, "local "), KINDS(what, "constant "), KINDS(what, "parameter ")}
    static const char *const texts[][SPACE_N][4] = {
        [MISTAKE_NULL] = SPACES("null-pointer "),
        [MISTAKE_ALIGN] = SPACES("misaligned "),
        [MISTAKE_BOUNDS] = SPACES("out-of-bounds "),
        [MISTAKE_CONST] = SPACES("read-only "),
    };
    return texts[m][space][kind];
}

static void access_fault(struct warp *w, const struct ptx_inst *i, u32 lane, struct location p,
                         u32 size_bytes, enum mistake m, enum access_kind kind)
{
    struct effect *e = w->effect;
    e->kind = EFFECT_NONE;
    bool ended = p.remote && m == MISTAKE_BOUNDS && cluster_has(w->block, p.address) &&
                 !cluster_owner(w->block, &(u64){p.address});
    warp_fault(w, i, lane, ended ? "access to shared memory of a block that has ended"
                                 : mistake_text(m, p.space, kind));
    e->fault.address = p.address;
    e->fault.size_bytes = size_bytes;
    e->fault.space = p.space;
    e->fault.writes = kind != ACCESS_LOAD;
}

/* Buffer for accesses to mapped memory outside of allocations: stores are lost, loads read
 * zeroes. */
static _Thread_local _Alignas(64) u8 nowhere[LANES][16];

static void warn_outside(const struct warp *w, const struct ptx_inst *i,
                         const struct allocation *by, const struct location *p,
                         enum access_kind kind)
{
    struct text t = {0};
    text_add(&t, "%s %s '%s' of %llu bytes, in a mapped granule: %s (memory.bounds is page)",
             mistake_text(MISTAKE_BOUNDS, p->space, kind),
             p->address < by->start ? "before" : "behind", by->name,
             (unsigned long long)by->size_bytes,
             kind == ACCESS_LOAD ? "the load returns zeroes" : "the store has no effect");
    warp_warn(w, i, text_get(&t));
    text_free(&t);
}

/* Makes an access outside every allocation valid where memory is mapped (image_mapped), with a
 * warning; constants are valid for loads only. */
static void location_mapped(const struct warp *w, const struct ptx_inst *i, u32 lane,
                            u32 size_bytes, enum access_kind kind, struct location *p)
{
    bool constant = p->space == SPACE_CONST;
    if (p->space != SPACE_GLOBAL && !(constant && kind == ACCESS_LOAD)) return;
    if (p->address & (size_bytes - 1) || (address_space(p->address) == SPACE_CONST) != constant)
        return;
    const struct allocation *by = image_mapped(w->block->image, p->address, size_bytes);
    if (!by) return;
    u64 offset = p->address - by->start;
    bool behind = p->address >= by->start;
    bool kept = behind && !constant && offset + size_bytes <= by->size_bytes + sizeof nowhere[lane];
    memset(nowhere[lane], 0, sizeof nowhere[lane]);
    p->bytes = kept ? by->bytes + offset : nowhere[lane];
    p->lost = !kept;
    p->shift = behind ? by->shift : by->start + by->shift - p->address;
    warn_outside(w, i, by, p, kind);
}

/* Reports an access of which lanes reach other blocks of the cluster. Model: such an instruction
 * takes the time of these lanes alone (guess). */
static void remote_report(struct effect *e, u32 lanes)
{
    e->kind = EFFECT_REMOTE;
    e->space = SPACE_CLUSTER;
    e->mask = lanes;
    e->lands = false;
}

/* Resolves an access lane by lane. On entry effect->address holds the addresses as the program gave
 * them. */
static enum shape find_each(struct warp *w, const struct ptx_inst *i, u32 lanes, u32 size_bytes,
                            enum access_kind kind, struct access *a)
{
    struct effect *e = w->effect;
    u64 given[LANES];
    memcpy(given, e->address, sizeof given);
    bool narrow = i->form.space != SPACE_NONE && i->form.space != SPACE_GLOBAL;
    u32 mask = 0, remote = 0;
    a->global = 0;
    for (u32 left = lanes; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        /* PTX ISA manual, section 6.4.1: wider addresses are truncated */
        u64 address = narrow ? (u32)given[l] : given[l];
        struct location p = location_find(w, i->form.space, l, address, size_bytes);
        bool in_memory = p.space == SPACE_GLOBAL || p.space == SPACE_CONST;
        if (!p.bytes) location_mapped(w, i, l, size_bytes, kind, &p);
        enum mistake m = in_memory && given[l] < NULL_END  ? MISTAKE_NULL
                         : p.address & (size_bytes - 1)    ? MISTAKE_ALIGN
                         : !p.bytes                        ? MISTAKE_BOUNDS
                         : p.read_only && kind != ACCESS_LOAD ? MISTAKE_CONST
                                                           : MISTAKE_NONE;
        if (m != MISTAKE_NONE) {
            if (narrow) p.address = given[l]; /* reports the address as the program gave it */
            access_fault(w, i, l, p, size_bytes, m, kind);
            return SHAPE_FAULT;
        }
        a->each[l] = p.bytes;
        a->global |= (u32)(p.space == SPACE_GLOBAL && !p.lost) << l;
        e->address[l] = p.address + p.shift;
        if (!mask) e->space = p.space;
        if (p.space == e->space) mask |= 1u << l;
        remote |= (u32)p.remote << l;
    }
    e->mask = mask;
    if (unlikely(remote)) remote_report(e, remote);
    e->shift = 0; /* the addresses are physical */
    e->linear = e->uniform = false;
    return SHAPE_EACH;
}

/* ---- all lanes in one region ---- */

static struct region region_of_image(struct warp *w, u8 space, u64 address, enum access_kind kind)
{
    const struct image *m = w->block->image;
    struct allocation *in = access_hinted(w, w->pc);
    if (!in || !allocation_holds(in, address, 1)) {
        in = image_at(m, address);
        if (!in) return (struct region){0};
        u64 at = (u64)(in - m->allocations);
        *access_hint(w, w->pc) = (u8)min_u64(at, UINT8_MAX);
    }
    allocation_use(in, access_use(kind));
    bool constant = address_space(address) == SPACE_CONST;
    if (constant != (space == SPACE_CONST)) return (struct region){0};
    return (struct region){in->start, in->size_bytes, in->shift,
                           (uintptr_t)in->bytes - in->start, in->read_only, space};
}

/* Returns the region with the first lane's address; empty for local memory, with a region per
 * lane. */
static struct region region_find(struct warp *w, u8 space, u64 address, enum access_kind kind)
{
    const struct block_state *b = w->block;
    switch (space) {
    case SPACE_SHARED:
        return (struct region){0, b->shared_bytes, 0, (uintptr_t)b->shared, false, space};
    case SPACE_PARAM:
        return (struct region){0, b->program->param_bytes, 0, (uintptr_t)b->param, true, space};
    case SPACE_LOCAL: return (struct region){0};
    case SPACE_NONE: break;
    default: return region_of_image(w, space, address, kind);
    }
    switch (address_space(address)) {
    case SPACE_GLOBAL: return region_of_image(w, SPACE_GLOBAL, address, kind);
    case SPACE_SHARED:
        return (struct region){SHARED_WINDOW, b->shared_bytes, 0,
                               (uintptr_t)b->shared - SHARED_WINDOW, false, SPACE_SHARED};
    default: return (struct region){0}; /* resolved lane by lane */
    }
}

static bool region_holds(const struct region *r, u64 address, u64 size_bytes)
{
    u64 offset = address - r->start;
    return offset < r->size_bytes && size_bytes <= r->size_bytes - offset;
}

/* Resolves an access to local memory, where every lane has a region of its own, all of equal
 * size. */
static bool find_in_local(struct warp *w, u32 size_bytes, struct access *a)
{
    const struct block_state *b = w->block;
    struct effect *e = w->effect;
    struct region r = {.size_bytes = b->local_bytes};
    u64 first = e->address[__builtin_ctz(w->executing)];
    struct address_span s = addresses_see(e->address, first, &r, size_bytes, w->executing);
    if (s.outside >> 63 || s.bits & (size_bytes - 1)) return false;
    a->global = 0;
    u8 *zero = b->local + (u64)w->warp_id * LANES * b->local_bytes;
    /* Integer arithmetic: the address of an inactive lane can be anything. */
    for (u32 l = 0; l < LANES; l++)
        a->each[l] = (u8 *)((uintptr_t)zero + l * (u64)b->local_bytes + e->address[l]);
    e->uniform = !s.differ;
    return true;
}

/* Converts generic addresses of shared memory to offsets in shared memory. */
static void addresses_rebase(struct effect *e, const struct region *r, u8 space, struct access *a,
                             enum shape shape)
{
    if (space != SPACE_NONE || r->space != SPACE_SHARED) return;
    for (u32 l = 0; l < LANES; l++) e->address[l] -= SHARED_WINDOW;
    if (shape == SHAPE_BASED) a->base += SHARED_WINDOW;
}

static bool find_line(struct warp *w, const struct ptx_inst *i, u32 size_bytes, u64 *address)
{
    u32 mask = w->executing, lane = (u32)__builtin_ctz(mask), n = (u32)__builtin_popcount(mask);
    if (n == 1 || !is_contiguous(mask)) return false;
    u32 back = lane * size_bytes;
    if (i->address_bytes != 4) {
        const u64 *row = row_of(w, i->src[0]);
        *address = row[lane] + (u64)i->imm;
        return !part_misses_64(row, row[lane] - back, size_bytes, mask);
    }
    const u32 *row = row_of(w, i->src[0]);
    *address = (u32)(row[lane] + (u32)i->imm);
    return !part_misses_32(row, row[lane] - back, size_bytes, mask);
}

/* Resolves an access at a constant address. SHAPE_FAULT: the caller must resolve lane by lane. */
static enum shape find_at_constant(struct warp *w, const struct ptx_inst *i, u32 size_bytes,
                                   enum access_kind kind, struct access *a)
{
    struct effect *e = w->effect;
    u8 space = i->form.space;
    u64 address = (u64)i->imm + (space == SPACE_LOCAL ? w->local_base : 0);
    e->uniform = true;
    if (space == SPACE_PARAM || space == SPACE_CONST)
        e->address[__builtin_ctz(w->executing)] = address;
    else
        addresses_fill(e->address, address);
    if (space == SPACE_LOCAL)
        return find_in_local(w, size_bytes, a) ? SHAPE_EACH : SHAPE_FAULT;
    struct region r = region_find(w, space, address, kind);
    if (!region_holds(&r, address, size_bytes) || (r.read_only && kind != ACCESS_LOAD) ||
        address & (size_bytes - 1)) {
        addresses_fill(e->address, address);
        return SHAPE_FAULT;
    }
    a->base = r.zero + address;
    e->space = r.space;
    e->shift = r.shift;
    addresses_rebase(e, &r, space, a, SHAPE_UNIFORM);
    return SHAPE_UNIFORM;
}

static enum shape find_spread(struct warp *w, const struct ptx_inst *i, u32 size_bytes,
                              enum access_kind kind, struct access *a)
{
    struct effect *e = w->effect;
    u8 space = i->form.space;
    u32 mask = w->executing;
    addresses_make(w, i, e->address);
    if (space == SPACE_LOCAL)
        return find_in_local(w, size_bytes, a) ? SHAPE_EACH : SHAPE_FAULT;
    u64 first = e->address[__builtin_ctz(mask)];
    struct region r = region_find(w, space, first, kind);
    struct address_span s = addresses_see(e->address, first, &r, size_bytes, mask);
    if (unlikely(s.outside >> 63 || s.bits & (size_bytes - 1) ||
                 (r.read_only && kind != ACCESS_LOAD)))
        return SHAPE_FAULT;
    enum shape shape = s.differ ? SHAPE_BASED : SHAPE_UNIFORM;
    a->base = s.differ ? r.zero : r.zero + first;
    e->uniform = !s.differ;
    e->space = r.space;
    e->shift = r.shift;
    addresses_rebase(e, &r, space, a, shape);
    return shape;
}

/* True if each eight lanes have the row's values first, first + step, first + 2 * step and so on;
 * step: 0 or 4. */
static inline bool in_eights(const u32 *row, u32 step)
{
    const u32x8 ahead = (u32x8){0, 4, 8, 12, 16, 20, 24, 28} & (0 - (step > 0));
    const u32x8 *eight = (const u32x8 *)(const void *)row;
    u32x8 misses = {0};
    UNROLLED(4) for (u32 k = 0; k < LANES / 8; k++) misses |= (row[8 * k] + ahead) ^ eight[k];
    return is_zero(misses);
}

/* find_in_shared for words of 4 bytes in eights (struct access), as in a tile of 8 or 16 columns
 * read by a block of that width. False: other addresses. */
static inline bool eights_in_shared(struct warp *w, const u32 *row, u32 add, struct access *a)
{
    struct effect *e = w->effect;
    u32 step = row[1] - row[0];
    if ((step && step != 4) || !in_eights(row, step)) return false;
    u32 at[] = {row[0] + add, row[8] + add, row[16] + add, row[24] + add};
    u32 least = min_u32(min_u32(at[0], at[1]), min_u32(at[2], at[3]));
    u64 most = max_u32(max_u32(at[0], at[1]), max_u32(at[2], at[3])) + UINT64_C(7) * step;
    if (most + 4 > w->block->shared_bytes || (at[0] | at[1] | at[2] | at[3]) % 4) return false;
    for (u32 l = 0; l < LANES; l++) e->address[l] = row[l] + add;
    e->reach = (u32)most - least + 1;
    a->eights = true;
    return true;
}

static __attribute__((noinline)) bool any_in_shared(struct warp *w, const u32 *row, u32 add,
                                                    u32 size_bytes)
{
    u64 *restrict address = w->effect->address;
    u32 least = UINT32_MAX, most = 0, bits = 0, bytes = w->block->shared_bytes;
    for (u32 l = 0; l < LANES; l++) {
        u32 at = row[l] + add;
        address[l] = at;
        least = min_u32(least, at);
        most = max_u32(most, at);
        bits |= at;
    }
    w->effect->reach = most - least + 1;
    return bytes >= size_bytes && most <= bytes - size_bytes && !(bits & (size_bytes - 1));
}

/* find_spread for a full warp and 32-bit addresses in shared memory. False: the caller must try
 * find_spread. */
static bool find_in_shared(struct warp *w, const struct ptx_inst *i, u32 size_bytes,
                           struct access *a, enum shape *shape)
{
    struct effect *e = w->effect;
    const u32 *row = __builtin_assume_aligned(row_of(w, i->src[0]), 64);
    u32 add = (u32)i->imm;
    if (!(size_bytes == 4 && eights_in_shared(w, row, add, a)) &&
        !any_in_shared(w, row, add, size_bytes)) {
        e->reach = 0;
        return false;
    }
    e->uniform = e->reach == 1;
    e->shift = 0;
    a->base = (uintptr_t)w->block->shared + (e->uniform ? e->address[0] : 0);
    *shape = e->uniform ? SHAPE_UNIFORM : SHAPE_BASED;
    return true;
}

static enum shape find_on_line(struct warp *w, const struct ptx_inst *i, u32 size_bytes,
                               enum access_kind kind, struct access *a)
{
    struct effect *e = w->effect;
    u8 space = i->form.space;
    u32 lane = (u32)__builtin_ctz(w->executing);
    u64 first, extent = (u64)(u32)__builtin_popcount(w->executing) * size_bytes;
    if (space == SPACE_LOCAL || e->atomic || !find_line(w, i, size_bytes, &first))
        return SHAPE_FAULT;
    struct region r = region_find(w, space, first, kind);
    if (!region_holds(&r, first, extent) || (r.read_only && kind != ACCESS_LOAD) ||
        first & (size_bytes - 1))
        return SHAPE_FAULT;
    a->base = r.zero + first;
    e->linear = true;
    e->space = r.space;
    e->shift = r.shift;
    e->address[lane] = r.space == SPACE_SHARED && !space ? first - SHARED_WINDOW : first;
    return SHAPE_LINEAR;
}

/* Resolves an access of lanes anywhere. */
static __attribute__((noinline)) enum shape find_any(struct warp *w, const struct ptx_inst *i,
                                                     u32 size_bytes, enum access_kind kind,
                                                     struct access *a)
{
    enum shape shape = find_spread(w, i, size_bytes, kind, a);
    return likely(shape != SHAPE_FAULT) ? shape
                                        : find_each(w, i, w->executing, size_bytes, kind, a);
}

enum shape access_spread(struct warp *w, const struct ptx_inst *i, u32 size_bytes,
                         enum access_kind kind, struct access *a)
{
    enum shape shape;
    w->effect->linear = a->eights = false;
    if (i->form.space == SPACE_SHARED && i->address_bytes == 4 && w->executing == UINT32_MAX &&
        find_in_shared(w, i, size_bytes, a, &shape))
        return shape;
    return find_any(w, i, size_bytes, kind, a);
}

enum shape access_other(struct warp *w, const struct ptx_inst *i, u32 size_bytes,
                        enum access_kind kind, struct access *a)
{
    w->effect->linear = false;
    if (i->src[0] == OPERAND_ABSENT) {
        enum shape shape = find_at_constant(w, i, size_bytes, kind, a);
        return likely(shape != SHAPE_FAULT) ? shape
                                            : find_each(w, i, w->executing, size_bytes, kind, a);
    }
    enum shape shape = find_on_line(w, i, size_bytes, kind, a);
    return shape != SHAPE_FAULT ? shape : access_spread(w, i, size_bytes, kind, a);
}

void access_prefetch(const struct warp *w, const struct ptx_inst *i)
{
    const struct block_state *b = w->block;
    if (i->src[0] == OPERAND_ABSENT) return;
    const void *row = row_of(w, i->src[0]);
    bool narrow = i->address_bytes == 4;
    u64 first = narrow ? *(const u32 *)row : *(const u64 *)row;
    u64 last = narrow ? ((const u32 *)row)[LANES - 1] : ((const u64 *)row)[LANES - 1];
    uintptr_t zero = (uintptr_t)b->shared;
    if (i->form.space != SPACE_SHARED) {
        const struct allocation *in = access_hinted(w, w->pc + 1);
        if (!in) return;
        zero = (uintptr_t)in->bytes - in->start;
    }
    zero += (u64)i->imm;
    __builtin_prefetch((const void *)(zero + first));
    __builtin_prefetch((const void *)(zero + last));
}

void access_each(const struct warp *w, enum shape shape, u32 size_bytes, struct access *a)
{
    if (shape == SHAPE_EACH) return;
    u64 first = (u32)__builtin_ctz(w->executing);
    for (u64 l = 0; l < LANES; l++) {
        u64 offset = shape == SHAPE_UNIFORM  ? 0
                     : shape == SHAPE_LINEAR ? (l - first) * size_bytes
                                             : w->effect->address[l];
        a->each[l] = (u8 *)(a->base + offset);
        prefetch(a->each[l]);
    }
}

enum shape access_given(struct warp *w, const struct ptx_inst *i, u32 lanes, u32 size_bytes,
                        enum access_kind kind, struct access *a)
{
    struct effect *e = w->effect;
    u32 first = (u32)__builtin_ctz(lanes);
    e->kind = EFFECT_MEMORY;
    e->load = kind == ACCESS_LOAD;
    e->store = kind != ACCESS_LOAD;
    e->atomic = e->linear = e->uniform = false;
    e->size_bytes = (u8)size_bytes;
    e->cache = i->form.cache;
    e->mask = lanes;
    e->reach = 0;
    effect_wrote(e, kind == ACCESS_STORE);
    struct region r = region_find(w, i->form.space, e->address[first], kind);
    struct address_span s = addresses_see(e->address, e->address[first], &r, size_bytes, lanes);
    if (s.outside >> 63 || s.bits & (size_bytes - 1) || (r.read_only && kind != ACCESS_LOAD))
        return find_each(w, i, lanes, size_bytes, kind, a);
    /* Integer arithmetic: the address of another lane can be anything. */
    for (u32 l = 0; l < LANES; l++) a->each[l] = (u8 *)(r.zero + e->address[l]);
    e->space = r.space;
    e->shift = r.shift;
    a->base = 0;
    a->global = r.space == SPACE_GLOBAL ? lanes : 0;
    addresses_rebase(e, &r, i->form.space, a, SHAPE_EACH);
    return SHAPE_EACH;
}
