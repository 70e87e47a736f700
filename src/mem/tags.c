#include "mem/tags.h"

static bool is_power(u32 n) { return n && !(n & (n - 1)); }

bool tags_index_fits(u32 index, u32 sets)
{
    if (index == TAGS_XOR) return is_power(sets);
    if (index == TAGS_FERMI_L1) return sets == 32 || sets == 64;
    return sets > 0;
}

void tags_init(struct tags *t, struct arena *arena, u32 sets, u32 ways, u32 index)
{
    check(tags_index_fits(index, sets) && ways > 0 && ways < 1u << TAGS_USE_SHIFT);
    u32 n = sets * ways;
    *t = (struct tags){.sets = sets, .ways = ways, .index = index};
    t->keys = arena_array(arena, u64, n);
    t->meta = arena_array(arena, u64, n);
    t->set_bits = is_power(sets) ? (u32)__builtin_ctz(sets) : 0;
    for (u32 i = 0; i < n; i++) t->keys[i] = TAGS_EMPTY;
}

/* Model: Fermi's hashed L1 index, docs/machine.md 2.7: address bits 7-11 xor (13, 14, 15, 17, 19);
 * bit 12 on top when there are 64 sets. */
static u32 fermi_set(u64 address, u32 sets)
{
    u32 low = (u32)(address >> 7) & 0x1f;
    u32 hash = ((u32)(address >> 13) & 0x7) | ((u32)(address >> 17) & 1) << 3
             | ((u32)(address >> 19) & 1) << 4;
    u32 top = sets == 64 ? ((u32)(address >> 12) & 1) << 5 : 0;
    return (low ^ hash) | top;
}

u32 tags_set(const struct tags *t, u64 address)
{
    address &= (UINT64_C(1) << APP_SHIFT) - 1;
    u64 number = address / LINE_BYTES;
    if (t->index == TAGS_FERMI_L1) return fermi_set(address, t->sets);
    if (t->index == TAGS_XOR) return (u32)(number ^ number >> t->set_bits) & (t->sets - 1);
    return t->set_bits ? (u32)number & (t->sets - 1) : (u32)(number % t->sets);
}

enum tags_result tags_probe(const struct tags *t, u64 line, u64 address, u32 *at)
{
    u32 first = tags_set(t, address) * t->ways;
    const u64 *keys = t->keys + first, *meta = t->meta + first;
    u64 found = 0; /* the way plus one; no early way out, so that this becomes vector code */
    for (u64 w = 0; w < t->ways; w++) found |= keys[w] == line ? w + 1 : 0;
    if (found) {
        *at = first + (u32)found - 1;
        return tags_is_reserved(t, *at) ? TAGS_HIT_RESERVED : TAGS_HIT;
    }
    /* the smallest meta: an invalid way has 0, a reserved one its top bit; ties to the lowest */
    u64 least = TAGS_RESERVED;
    for (u64 w = 0; w < t->ways; w++) {
        u64 use = (meta[w] & (TAGS_RESERVED | TAGS_USE_MASK)) | w;
        least = use < least ? use : least;
    }
    if (least == TAGS_RESERVED) return TAGS_NO_LINE;
    *at = first + (u32)(least & ~TAGS_USE_MASK);
    return TAGS_MISS;
}

u64 tags_drop_app(struct tags *t, u32 app)
{
    u64 dropped = 0;
    for (u32 at = 0; at < t->sets * t->ways; at++) {
        if (!tags_is_valid(t, at) || t->keys[at] >> APP_SHIFT != app) continue;
        tags_drop(t, at);
        dropped++;
    }
    return dropped;
}
