/* Converts the addresses of 32 lanes into the accesses of a memory instruction: one access per
 * distinct segment of global or local memory, or the cycles of an on-chip access. Called by ldst.c
 * at issue. Model: machine description 2.6: segments of 128 bytes for words of 4 to 16 bytes, 64
 * for 2, 32 for 1; with a sectored L1, 32 bytes for all words. Lanes whose atomics share a byte use
 * separate accesses. The highest segment is accessed first (GPGPU-Sim). */
#include "base/vector.h"
#include "chip/sm/lsu/coalesce.h"

#include <string.h>

/* A segment is represented by 32 granules of 4, 2 or 1 bytes. */
enum { GRANULES_SHIFT = 5 };

static u32 segment_shift(u32 word_bytes, u32 segment_bytes)
{
    return segment_bytes == SECTOR_BYTES || word_bytes == 1 ? 5 : word_bytes == 2 ? 6 : 7;
}

static u32 granules(u64 offset, u32 bytes, u32 shift) /* offset in the segment */
{
    u32 each = shift - GRANULES_SHIFT, first = (u32)offset >> each;
    u32 n = max_u32(bytes >> each, 1);
    return (u32)(((UINT64_C(1) << n) - 1) << first);
}

/* Doubles every bit. */
static u32 twofold(u32 bits)
{
    bits = (bits | bits << 8) & 0x00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f;
    bits = (bits | bits << 2) & 0x33333333;
    return ((bits | bits << 1) & 0x55555555) * 3;
}

static u32 pairs(u32 bits) /* a bit for each pair of bits, set if both bits are set */
{
    bits = bits & bits >> 1 & 0x55555555;
    bits = (bits | bits >> 1) & 0x33333333;
    bits = (bits | bits >> 2) & 0x0f0f0f0f;
    bits = (bits | bits >> 4) & 0x00ff00ff;
    return (bits | bits >> 8) & 0xffff;
}

/* Converts the granules touched in a segment to the sectors and bytes of the line. */
static inline void transaction_set(struct transaction *p, u64 segment, u32 shift, u32 touched,
                                   u64 base, bool store)
{
    u64 address = segment << shift;
    u32 first = (u32)(address / SECTOR_BYTES) % (LINE_BYTES / SECTOR_BYTES);
    p->line = (address & ~(u64)(LINE_BYTES - 1)) + base;
    p->written = touched;
    if (shift == 7) {
        u32 any = touched | touched >> 4;
        any |= any >> 2;
        any = (any | any >> 1) & 0x01010101;
        p->sectors = (u8)((any | any >> 7 | any >> 14 | any >> 21) & 15);
        if (store && !(p->sectors & (p->sectors - 1)))
            p->written = written_in(15, touched, (u32)__builtin_ctz(p->sectors));
    } else if (shift == 6) {
        bool low = touched & 0xffff, high = touched >> 16;
        p->sectors = (u8)((u32)(low | high << 1) << first);
        p->written = low && high ? pairs(touched) << first * 8
                                 : twofold(low ? touched : touched >> 16);
    } else {
        p->sectors = (u8)(1u << first);
    }
}

/* For consecutive lanes with consecutive words (or one word for all lanes): the segments are
 * consecutive, too. */
static u32 coalesce_linear(struct transaction *out, const struct effect *e, u64 base, u32 shift)
{
    u32 first = (u32)__builtin_ctz(e->mask), lanes = (u32)__builtin_popcount(e->mask);
    u64 at = e->address[first], end = at + (e->uniform ? 1u : lanes) * e->size_bytes;
    u32 n = (u32)(((end - 1) >> shift) - (at >> shift)) + 1;
    for (u32 k = n; k--;) {
        u64 segment = at >> shift, start = segment << shift;
        u64 stop = min_u64(start + (UINT64_C(1) << shift), end);
        u32 touched = granules(at - start, (u32)(stop - at), shift);
        transaction_set(&out[k], segment, shift, touched, base, e->store);
        at = stop;
    }
    return n;
}

enum { FEW = 64, MANY = 256 }; /* hash table entries, for up to 32 and 128 segments */
struct seen {
    u32 n, last, shift, mask;
    u64 segment[SEGMENTS_MAX];
    u32 touched[SEGMENTS_MAX];
    u8 chain[SEGMENTS_MAX]; /* atomics: index of another entry for the same segment, plus one */
    u8 index[MANY];      /* hash table with open addressing: index of a segment, plus one */
};

static void seen_init(struct seen *t, u32 shift, u32 slots)
{
    t->n = t->last = 0;
    t->shift = shift;
    t->mask = slots - 1;
    t->segment[0] = UINT64_MAX;
    memset(t->index, 0, slots);
}

static u32 seen_new(struct seen *t, u64 segment)
{
    t->segment[t->n] = segment;
    t->touched[t->n] = 0;
    t->chain[t->n] = 0;
    return t->n++;
}

static u32 seen_find(struct seen *t, u64 segment)
{
    u32 h = (u32)((segment * 0x9e3779b97f4a7c15ull) >> 56) & t->mask;
    for (; t->index[h]; h = (h + 1) & t->mask)
        if (t->segment[t->index[h] - 1] == segment) return t->index[h] - 1u;
    t->index[h] = (u8)(t->n + 1);
    return seen_new(t, segment);
}

static inline void seen_add(struct seen *t, u64 address, u32 bytes)
{
    u64 segment = address >> t->shift;
    if (t->segment[t->last] != segment) t->last = seen_find(t, segment);
    u64 offset = address & ((UINT64_C(1) << t->shift) - 1);
    t->touched[t->last] |= granules(offset, bytes, t->shift);
}

static void seen_add_alone(struct seen *t, u64 address, u32 bytes)
{
    u32 at = seen_find(t, address >> t->shift);
    u32 mine = granules(address & ((UINT64_C(1) << t->shift) - 1), bytes, t->shift);
    while (t->touched[at] & mine) {
        if (!t->chain[at]) t->chain[at] = (u8)(seen_new(t, t->segment[at]) + 1);
        at = t->chain[at] - 1u;
    }
    t->touched[at] |= mine;
}

enum { KEYS_AT_ONCE = 16, KEY_NUMBER_BITS = 7 };

/* Sets greater[i] to the number of keys greater than key[i]. Both arrays have room for a multiple
 * of KEYS_AT_ONCE. */
static void count_greater(const s64x4 *key, u32 n, s64x4 *greater)
{
    const s64 *one = (const s64 *)key;
    for (u32 i = 0; i < n; i += KEYS_AT_ONCE, key += 4, greater += 4) {
        s64x4 a = {0}, b = {0}, c = {0}, d = {0};
        for (u32 k = 0; k < n; k++) { /* a true comparison is -1 */
            a -= key[0] < one[k];
            b -= key[1] < one[k];
            c -= key[2] < one[k];
            d -= key[3] < one[k];
        }
        greater[0] = a;
        greater[1] = b;
        greater[2] = c;
        greater[3] = d;
    }
}

/* Sets position[i] to the position of segment i in descending order; among equal segments the last
 * comes first. */
static void seen_positions(const struct seen *t, s64x4 *position)
{
    _Static_assert(SEGMENTS_MAX == 1 << KEY_NUMBER_BITS, "a number fits");
    s64x4 keys[SEGMENTS_MAX / 4];
    s64 *key = (s64 *)keys, *at = (s64 *)position;
    bool ascending = true;
    for (u32 i = 0; i < t->n; i++) {
        key[i] = (s64)(t->segment[i] << KEY_NUMBER_BITS | i);
        ascending &= !i || key[i - 1] < key[i];
    }
    for (u32 i = t->n; i % KEYS_AT_ONCE; i++) key[i] = 0;
    if (!ascending) return count_greater(keys, t->n, position);
    for (u32 i = 0; i < t->n; i++) at[i] = t->n - 1 - i;
}

static u32 seen_transactions(const struct seen *t, struct transaction *out, u64 base, bool store)
{
    s64x4 positions[SEGMENTS_MAX / 4];
    const s64 *position = (const s64 *)positions;
    seen_positions(t, positions);
    for (u32 i = 0; i < t->n; i++)
        transaction_set(&out[position[i]], t->segment[i], t->shift, t->touched[i], base, store);
    return t->n;
}

static u32 coalesce_scattered(struct transaction *out, const struct effect *e, u64 base, u32 shift)
{
    struct seen t;
    seen_init(&t, shift, FEW);
    for (u32 left = e->mask; left; left &= left - 1) {
        u64 address = e->address[__builtin_ctz(left)];
        if (e->atomic)
            seen_add_alone(&t, address, e->size_bytes);
        else
            seen_add(&t, address, e->size_bytes);
    }
    return seen_transactions(&t, out, base, e->store && !e->atomic);
}

/* Local memory: word k of a warp's 32 lanes lies in one line, hence lanes with equal offsets
 * coalesce. Model: interleaving as in GPGPU-Sim and hardware. */
static u32 coalesce_local(struct transaction *out, const struct effect *e, u64 base, u32 shift,
                          u64 warp_base)
{
    struct seen t;
    u32 words = max_u32(e->size_bytes / 4u, 1), bytes = min_u32(e->size_bytes, 4);
    seen_init(&t, shift, words > 1 ? MANY : FEW);
    for (u32 k = 0; k < words; k++) {
        for (u32 left = e->mask; left; left &= left - 1) {
            u32 lane = (u32)__builtin_ctz(left);
            u64 at = e->address[lane] + 4ull * k;
            seen_add(&t, warp_base + at / 4 * LINE_BYTES + lane * 4 + at % 4, bytes);
        }
    }
    return seen_transactions(&t, out, base, e->store && !e->atomic);
}

u32 coalesce(struct transaction *out, const struct effect *e, u32 app_id, u64 warp_base,
             u32 segment_bytes)
{
    u64 base = (u64)app_id << APP_SHIFT; /* offset from addresses to physical addresses */
    u32 shift = segment_shift(e->size_bytes, segment_bytes);
    if (e->space == SPACE_LOCAL) return coalesce_local(out, e, base, shift, warp_base);
    base += e->shift;
    if (e->linear || (e->uniform && !e->atomic)) return coalesce_linear(out, e, base, shift);
    return coalesce_scattered(out, e, base, shift);
}

/* True if words of 4 bytes span no more than one row of banks; then no bank serves two words. */
static bool words_are_near(const struct effect *e, u32 banks)
{
    return e->reach - 1 <= (banks - 1) * 4; /* reach 0 (unknown) wraps to the maximum */
}

/* True if no bank serves two distinct words of 4 bytes. Takes a single pass over the lanes. */
static __attribute__((noinline)) bool banks_agree(const struct effect *e, u32 banks)
{
    u32 first[LANES], used = 0;
    bool power = !(banks & (banks - 1));
    for (u32 lanes = e->mask; lanes; lanes &= lanes - 1) {
        u32 word = (u32)(e->address[__builtin_ctz(lanes)] / 4);
        u32 bank = power ? word & (banks - 1) : word % banks;
        if (!(used >> bank & 1)) {
            used |= 1u << bank;
            first[bank] = word;
        } else if (first[bank] != word) {
            return false;
        }
    }
    return true;
}

static __attribute__((noinline)) struct passes passes_count(const struct effect *e, u32 words,
                                                            u32 banks)
{
    struct passes p = {0};
    u32 group = LANES / words, least = 0;
    for (u32 start = 0; start < LANES; start += group) {
        u32 lanes = e->mask & (u32)((((1ull << group) - 1)) << start);
        u32 load[LANES] = {0}, most = 0, all = 0;
        u64 seen[LANES][LANES];
        for (; lanes; lanes &= lanes - 1) {
            u64 word = e->address[__builtin_ctz(lanes)] / 4;
            for (u32 k = 0; k < words; k++) {
                u32 bank = (u32)((word + k) % banks), j = 0;
                if (!e->atomic)
                    while (j < load[bank] && seen[bank][j] != word + k) j++;
                else
                    j = load[bank];
                if (j < load[bank] || load[bank] == LANES) continue;
                seen[bank][load[bank]++] = word + k;
                most = max_u32(most, load[bank]);
                all++;
            }
        }
        p.n += most;
        least += (u32)div_up(all, banks);
    }
    p.conflicts = p.n - least;
    p.n = max_u32(p.n, 1);
    return p;
}

/* Model: CUDA programming guide, shared memory banks of 4 bytes. An access takes as many passes as
 * the busiest bank has distinct words to serve. Lanes reading the same word share a pass; atomics
 * to the same word are serialised. 8-byte accesses are split into two halves, 16-byte accesses into
 * four quarters. Conflicts are the passes beyond the minimum with all words spread evenly over the
 * banks. */
struct passes shared_passes(const struct effect *e, u32 banks)
{
    u32 words = max_u32(1, (u32)e->size_bytes / 4);
    if (!e->atomic && (e->uniform || (e->linear && banks == LANES)))
        return (struct passes){.n = words};
    if (!e->atomic && words == 1 && words_are_near(e, banks)) return (struct passes){.n = 1};
    if (!e->atomic && words == 1 && banks_agree(e, banks)) return (struct passes){.n = 1};
    return passes_count(e, words, banks);
}

/* Model: fitted to chains of atomics on an H100, of a word per lane and of a single word; where the
 * time goes is a guess. */
u32 shared_atomic_delay(const struct sm_conf *conf, u32 passes)
{
    return conf->shared_atomic_cycles + (passes - 1) * (conf->shared_atomic_pass_cycles - 1);
}

/* Model: fitted to chains of atomics on an H100, of a single word and of a line per lane; that the
 * load/store unit takes the cycles, and not L2, is a guess. */
void atomic_pauses(struct sm *sm, const struct queued *q, u64 now)
{
    const struct transaction *next = &q->transaction[q->transaction_next];
    bool same = next->line == next[-1].line;
    u32 cycles = same ? sm->conf->atomic_word_cycles : sm->conf->atomic_line_cycles;
    if (cycles > 1) sm->lsu.unit_at = now + cycles;
}

u32 constant_addresses(const struct effect *e)
{
    if (e->uniform) return 1;
    if (e->linear) return (u32)__builtin_popcount(e->mask);
    u32 n = 0;
    for (u32 left = e->mask; left; n++) {
        u64 first = e->address[__builtin_ctz(left)];
        for (u32 lanes = left; lanes; lanes &= lanes - 1)
            if (e->address[__builtin_ctz(lanes)] == first) left &= ~(lanes & (0 - lanes));
    }
    return n;
}

/* ---- textures ---- */

static void segments_sort(u64 *key, u32 n) /* descending; most arrays are already sorted */
{
    for (u32 i = 1; i < n; i++) {
        u64 mine = key[i];
        u32 at = i;
        for (; at && key[at - 1] < mine; at--) key[at] = key[at - 1];
        key[at] = mine;
    }
}

/* Model: texels of an instruction in the same segment form one access, for any lanes, in descending
 * order of segments (GPGPU-Sim: by the lines of the texture cache). With a separate texture cache,
 * segments are lines. */
static u32 coalesce_texels(struct transaction *out, const struct effect *e, u32 app_id,
                           u32 segment_bytes)
{
    u64 segment[TEXELS_MAX], base = (u64)app_id << APP_SHIFT;
    u32 n = 0, shift = segment_bytes == SECTOR_BYTES ? 5 : 7, last = 0;
    for (u32 i = 0; i < e->texel_n; i++) {
        u64 mine = e->texel[i] >> shift;
        if (n && segment[last] == mine) continue;
        for (last = 0; last < n && segment[last] != mine; last++) {}
        if (last == n) segment[n++] = mine;
    }
    segments_sort(segment, n);
    for (u32 i = 0; i < n; i++) {
        u64 address = segment[i] << shift;
        u32 sector = (u32)(address / SECTOR_BYTES) % (LINE_BYTES / SECTOR_BYTES);
        out[i] = (struct transaction){.line = (address & ~(u64)(LINE_BYTES - 1)) + base,
                                      .sectors = shift == 7 ? TAGS_WHOLE : (u8)(1u << sector)};
    }
    return n;
}

/* Model: with a unified L1 and texture cache, texels access L1 like other loads; otherwise a
 * separate texture cache, in the order of the load/store unit (GPGPU-Sim). */
static void texels_find(struct sm *sm, struct queued *q, const struct seat *s)
{
    const struct effect *e = &sm->effect;
    struct tex_stat *stat = &sm->lsu.tex.stat[s->owner];
    bool own = sm->lsu.tex.conf->path == TEX_OWN;
    u32 lanes = (u32)__builtin_popcount(e->mask);
    q->passes_l1 = !own && (sm->lsu.l1.conf->bypass || sm->residency.l1_n);
    q->looks_up = !own && !q->passes_l1;
    u32 segment_bytes = own ? (u32)LINE_BYTES : sm->lsu.l1.conf->sector_bytes;
    q->transaction_n = (u16)coalesce_texels(q->transaction, e, s->app_id, segment_bytes);
    q->filter = (u16)tex_filter_cycles(sm->lsu.tex.conf, lanes, e->texel_n);
    stat->instructions++;
    stat->texels += e->texel_n;
}

/* ---- per instruction ---- */

static u64 seat_number(const struct sm *sm, const struct seat *s)
{
    return (u64)sm->smid * (sm->conf->threads / LANES) + s->id;
}

/* Model: the address of local memory depends on the warp slot. When a block returns to other warp
 * slots, local memory moves to the new addresses at no cost (guess). */
static u64 local_base(const struct sm *sm, const struct seat *s)
{
    u64 lines = div_up(s->context->warp.block->program->near_local_bytes, 4);
    return LOCAL_PHYSICAL + seat_number(sm, s) * lines * LINE_BYTES;
}

/* Model: the frames of deep recursion lie in a separate region, so that the frames in use by all
 * warps stay close together (guess). */
static __attribute__((noinline)) void transactions_far(const struct sm *sm, struct queued *q,
                                                const struct seat *s, u64 base)
{
    const struct program *p = s->context->warp.block->program;
    u64 near = div_up(p->near_local_bytes, 4) * LINE_BYTES, all = div_up(p->local_bytes, 4);
    /* odd number of lines: spreads warps over the sets */
    u64 stride = (all * LINE_BYTES - near) | LINE_BYTES;
    u64 to = LOCAL_FAR_PHYSICAL + seat_number(sm, s) * stride;
    for (u32 k = 0; k < q->transaction_n; k++) {
        u64 at = (q->transaction[k].line & ((UINT64_C(1) << APP_SHIFT) - 1)) - base;
        if (at >= near) q->transaction[k].line += to + (at - near) - (base + at);
    }
}

/* Model: while L1 holds swapped-out state, all accesses bypass L1 (paper 003 section 6.4). */
static bool passes_l1(const struct sm *sm, const struct effect *e)
{
    bool never = sm->lsu.l1.conf->bypass || sm->residency.l1_n;
    if (e->atomic || never) return never || sm->lsu.l1.conf->atomics == ATOMICS_BYPASS;
    return !e->store && (e->cache == CACHE_CG || e->cache == CACHE_CV);
}

void transactions_find(struct sm *sm, struct queued *q, const struct seat *s)
{
    const struct effect *e = &sm->effect;
    const struct l1_conf *c = sm->lsu.l1.conf;
    q->filter = 0;
    if (unlikely(e->space == SPACE_TEXTURE)) {
        texels_find(sm, q, s);
        return;
    }
    q->passes_l1 = passes_l1(sm, e);
    q->looks_up = !q->passes_l1;
    u32 segment_bytes = c->sector_bytes;
    if (q->passes_l1) segment_bytes = min_u32(segment_bytes, c->bypass_bytes);
    u64 base = e->space == SPACE_LOCAL ? local_base(sm, s) : 0;
    q->transaction_n = (u16)coalesce(q->transaction, e, s->app_id, base, segment_bytes);
    const struct program *p = s->context->warp.block->program;
    if (unlikely(base && p->local_bytes > p->near_local_bytes)) transactions_far(sm, q, s, base);
}
