/* From the addresses of 32 lanes to the accesses of a memory instruction: one per distinct segment
 * of global or local memory, or the cycles a shared memory access takes. Called by ldst when an
 * instruction is issued. Model: machine description 2.6: segments of 128 bytes for words of 4 to 16
 * bytes, 64 for 2, 32 for 1. */
#include "chip/sm/sm.h"

#include <string.h>

static u32 sectors_of(u64 offset, u32 bytes) /* offset in the line */
{
    u32 first = (u32)(offset / SECTOR_BYTES), last = (u32)((offset + bytes - 1) / SECTOR_BYTES);
    return (2u << last) - (1u << first);
}

static void line_put(struct queued *q, u32 at, u64 address, u32 bytes)
{
    u64 offset = address % LINE_BYTES;
    q->sectors[at] |= (u8)sectors_of(offset, bytes);
    q->bytes[at] = (u8)min_u32(q->bytes[at] + bytes, LINE_BYTES);
}

static u32 segment_shift(u32 word_bytes) { return word_bytes >= 4 ? 7 : word_bytes == 2 ? 6 : 5; }

static void line_open(struct queued *q, u32 at, u64 line)
{
    q->line[at] = line;
    q->sectors[at] = 0;
    q->bytes[at] = 0;
}

/* consecutive lanes, consecutive words (or one word for all): the segments are consecutive too */
static u32 coalesce_linear(struct queued *q, const struct effect *e, u64 base)
{
    u32 first = (u32)__builtin_ctz(e->mask), lanes = (u32)__builtin_popcount(e->mask), n = 0;
    u32 shift = segment_shift(e->size_bytes);
    u64 at = e->address[first], end = at + (e->uniform ? 1u : lanes) * e->size_bytes;
    while (at < end) {
        u64 stop = min_u64(((at >> shift) + 1) << shift, end);
        line_open(q, n, (at & ~(u64)(LINE_BYTES - 1)) + base);
        line_put(q, n++, at, (u32)(stop - at));
        at = stop;
    }
    return n;
}

enum { TABLE = 64 };
struct seen {
    u8 index[TABLE];
    u64 segment[ACCESS_LINES_MAX];
};

static u32 segment_index(struct seen *t, struct queued *q, u64 segment, u32 *n)
{
    u32 h = (u32)((segment * 0x9e3779b97f4a7c15ull) >> 58);
    while (t->index[h] != 0xff) {
        if (t->segment[t->index[h]] == segment) return t->index[h];
        h = (h + 1) % TABLE;
    }
    t->index[h] = (u8)*n;
    t->segment[*n] = segment;
    q->sectors[*n] = q->bytes[*n] = 0;
    return (*n)++;
}

static u32 coalesce_scattered(struct queued *q, const struct effect *e, u64 base)
{
    struct seen t;
    memset(t.index, 0xff, sizeof t.index);
    u32 n = 0, shift = segment_shift(e->size_bytes);
    for (u32 left = e->mask; left; left &= left - 1) {
        u64 address = e->address[__builtin_ctz(left)];
        u32 at = segment_index(&t, q, address >> shift, &n);
        q->line[at] = (address & ~(u64)(LINE_BYTES - 1)) + base;
        line_put(q, at, address, e->size_bytes);
    }
    return n;
}

/* Local memory: word k of a warp's 32 lanes lies in one line, so that lanes at the same offset
 * coalesce. Model: interleaving as GPGPU-Sim and the hardware do it. */
static u32 coalesce_local(struct queued *q, const struct effect *e, u64 app_bits, u64 warp_base)
{
    u32 n = 0;
    for (u32 left = e->mask; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left);
        u64 word = e->address[lane] / 4, last = (e->address[lane] + e->size_bytes - 1) / 4;
        for (; word <= last; word++) {
            u64 line = (warp_base + word * LINE_BYTES) | app_bits;
            u32 at = 0;
            while (at < n && q->line[at] != line) at++;
            if (at == n) line_open(q, n++, line);
            line_put(q, at, line + lane * 4, min_u32(e->size_bytes, 4));
        }
    }
    return n;
}

u32 coalesce(struct queued *q, const struct effect *e, u32 app_id, u64 warp_base)
{
    u64 app_bits = (u64)app_id << APP_SHIFT;
    if (e->space == SPACE_LOCAL) return coalesce_local(q, e, app_bits, warp_base);
    u64 base = app_bits + e->shift;
    if (e->linear || (e->uniform && !e->atomic)) return coalesce_linear(q, e, base);
    return coalesce_scattered(q, e, base);
}

/* Words of 4 bytes, no bank asked for two of them: the usual case, decided in one pass. */
static bool banks_agree(const struct effect *e, u32 banks)
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

/* Cycles a shared memory access holds the unit: the most distinct words any bank must serve. Lanes
 * that read one word share it; atomics to one word follow each other. 8-byte accesses go in two
 * halves, 16-byte ones in four quarters. Model: CUDA programming guide, shared memory banks of 4
 * bytes. */
u32 shared_conflicts(const struct effect *e, u32 banks)
{
    u32 words = max_u32(1, (u32)e->size_bytes / 4), cycles = 0, group = LANES / words;
    if (!e->atomic && (e->uniform || (e->linear && banks == LANES))) return words;
    if (!e->atomic && words == 1 && banks_agree(e, banks)) return 1;
    for (u32 start = 0; start < LANES; start += group) {
        u32 lanes = e->mask & (u32)((((1ull << group) - 1)) << start);
        u32 load[LANES] = {0}, most = 0;
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
            }
        }
        cycles += most;
    }
    return max_u32(cycles, 1);
}
