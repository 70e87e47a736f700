#include "cache/tags.h"

enum { FINGERPRINT_WAYS_MAX = 64, WRITTEN = UINT32_MAX };

bool tags_index_fits(u32 index, u32 sets)
{
    if (index == TAGS_XOR) return is_power_of_two(sets);
    if (index == TAGS_FERMI_L1) return sets == 32 || sets == 64;
    if (index == TAGS_IPOLY) return is_power_of_two(sets) && sets <= 1u << POLY_BITS_MAX;
    return sets > 0;
}

/* Returns the number of bits needed to number the ways of a set, or at least a word of
 * fingerprints. */
static u32 bits_for(u32 ways)
{
    u32 bits = 0;
    while (1u << bits < max_u32(ways, WORD_BYTES)) bits++;
    return bits;
}

bool tags_shape_fits(u32 sets, u32 ways)
{
    return sets && ways && ways <= TAGS_WAYS_MAX &&
           (ways <= FINGERPRINT_WAYS_MAX || (u64)sets << bits_for(ways) < UINT16_MAX);
}

static void ring_init(struct tags *t)
{
    for (u32 s = 0; s < t->sets; s++) {
        struct tags_line *line = t->lines + ((size_t)s << t->way_bits);
        for (u32 w = 0; w < 1u << t->way_bits; w++) line[w].line = TAGS_EMPTY;
        for (u32 w = 0; w < t->ways; w++) {
            line[w].newer = (u16)(w + 1 < t->ways ? w + 1 : 0);
            line[w].older = (u16)(w ? w - 1 : t->ways - 1);
        }
    }
}

void tags_init(struct tags *t, struct arena *arena, u32 sets, u32 ways, u32 index)
{
    check(tags_index_fits(index, sets) && tags_shape_fits(sets, ways));
    u32 fingerprint_words = ways <= FINGERPRINT_WAYS_MAX ? (u32)div_up(ways, WORD_BYTES) : 0;
    u32 head_bits = bits_for((u32)sizeof(struct tags_set) + fingerprint_words * (u32)sizeof(u64));
    *t = (struct tags){.sets = sets, .ways = ways, .index = (u8)index,
        .way_bits = (u8)bits_for(ways), .head_bits = (u8)head_bits,
        .fingerprint_words = (u8)fingerprint_words,
        .set_bits = (u8)(is_power_of_two(sets) ? __builtin_ctz(sets) : 0)};
    t->lines = arena_alloc(arena, ((size_t)sets << t->way_bits) * sizeof *t->lines, 64);
    t->set_heads = arena_alloc(arena, (size_t)sets << head_bits, 64);
    if (!fingerprint_words) hash_init(&t->by_line, arena, sets << t->way_bits);
    if (index == TAGS_IPOLY && t->set_bits) poly_init(&t->poly, arena, t->set_bits);
    ring_init(t);
}

void tags_track_bytes(struct tags *t, struct arena *arena)
{
    t->bytes = arena_array(arena, struct tags_bytes, (size_t)t->sets << t->way_bits);
}

void tags_set_ways(struct tags *t, const u16 ways[APPS_MAX])
{
    t->restricted = t->dirty_floor > 0 || t->candidates > 1;
    for (u32 a = 0; a < APPS_MAX; a++) {
        t->ways_of[a] = ways[a];
        t->restricted |= ways[a] > 0;
    }
}

void tags_keep_dirty(struct tags *t, u32 percent)
{
    t->dirty_percent = (u8)percent;
    t->dirty_floor = (u32)div_up((u64)t->sets * t->ways * percent, 100);
    t->restricted |= t->dirty_floor > 0;
}

void tags_draw_from(struct tags *t, u32 n)
{
    check(n && !t->dirty_floor);
    t->candidates = n;
    t->restricted |= n > 1;
}

/* ---- the set of a line ---- */

/* Model: Fermi's hashed L1 index, machine description 2.7: address bits 7-11 xor (13, 14, 15, 17,
 * 19); with 64 sets bit 12 on top. */
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
    if (t->index == TAGS_IPOLY) return t->set_bits ? poly_hash(&t->poly, number) : 0;
    return t->set_bits ? (u32)number & (t->sets - 1) : (u32)(number % t->sets);
}

static u64 fingerprint_of(u64 line) { return hash_mix(line / LINE_BYTES) >> 56; }

/* Equal fingerprints may be an accident; the line address decides. */
INLINED u32 find_by_fingerprint(const struct tags *t, u64 line, u32 set)
{
    u64 want = fingerprint_of(line) * EACH_BYTE;
    const u64 *fingerprints = tags_set_at(t, set)->fingerprints;
    u32 first = set << t->way_bits;
    for (u32 k = 0; k < t->fingerprint_words; k++, first += WORD_BYTES) {
        for (u64 same = fingerprints_same(fingerprints[k], want); same; same &= same - 1) {
            u32 at = first + (u32)__builtin_ctzll(same) / WORD_BYTES;
            if (t->lines[at].line == line) return at;
        }
    }
    return UINT32_MAX;
}

INLINED u32 find(const struct tags *t, u64 line, u32 set)
{
    if (likely(t->fingerprint_words)) return find_by_fingerprint(t, line, set);
    EACH_HASHED(at, &t->by_line, line / LINE_BYTES)
        if (t->lines[at].line == line) return at;
    return UINT32_MAX;
}

/* Gives the line at a location another address; TAGS_EMPTY: none. */
static void set_address(struct tags *t, u32 at, u64 line)
{
    if (likely(t->fingerprint_words)) {
        u32 way = at & ((1u << t->way_bits) - 1), shift = way % WORD_BYTES * 8;
        u64 *word = tags_set_at(t, at >> t->way_bits)->fingerprints + way / WORD_BYTES;
        *word = (*word & ~(UINT64_C(0xff) << shift)) | fingerprint_of(line) << shift;
    } else {
        if (t->lines[at].line != TAGS_EMPTY) hash_remove(&t->by_line, at);
        if (line != TAGS_EMPTY) hash_add(&t->by_line, line / LINE_BYTES, at);
    }
    t->lines[at].line = line;
}

/* ---- replacement ---- */

/* Owners of lines: NOBODY owns invalid lines; EVERYBODY is the mask of all owners. */
enum { NOBODY = APPS_MAX, EVERYBODY = (2u << NOBODY) - 1 };

static u32 owner_of(u64 line) { return min_u32((u32)(line >> APP_SHIFT), NOBODY); }

static bool replaceable(const struct tags_line *l, u32 owners)
{
    return !l->reserved && owners >> owner_of(l->line) & 1;
}

/* Model: of the replaceable lines from `first` on, in order of use, one of the first `candidates`
 * is the victim, drawn by a hash of the new line and of the number of lines placed so far (guess:
 * hardware approximates LRU with few bits per line; the L2 of recent GPUs keeps a part of a sweep
 * larger than the cache, see gpus/rtx5090.yaml). An invalid line goes first. */
static u32 victim_drawn(const struct tags *t, const struct tags_line *lines, u32 first, u32 owners,
                        u64 line)
{
    if (lines[first].line == TAGS_EMPTY) return first;
    u32 n = 0, way = first;
    do {
        n += replaceable(&lines[way], owners);
        way = lines[way].newer;
    } while (way != first && n < t->candidates);
    u64 draw = hash_mix(hash_mix(line / LINE_BYTES) ^ hash_mix(t->placed + 1) >> 17) >> 32;
    u32 skip = (u32)(draw * n >> 32);
    for (way = first; skip || !replaceable(&lines[way], owners); way = lines[way].newer)
        skip -= replaceable(&lines[way], owners);
    return way;
}

/* Model: the victim is the least recently used line with nothing reserved. With a floor for dirty
 * lines, dirty lines stay while below the floor in number (GPGPU-Sim 4.x, L1 write ratio), unless
 * all candidates are dirty (guess: in GPGPU-Sim an access to the set would wait for ever).
 * Candidates are the lines of `owners`, a bit each. */
static u32 victim_of(const struct tags *t, const struct tags_line *lines, u32 oldest, u32 owners,
                     u64 line)
{
    bool dirty_stays = t->dirty_n < t->dirty_floor;
    u32 dirty = UINT32_MAX, way = oldest;
    do {
        const struct tags_line *l = &lines[way];
        if (replaceable(l, owners)) {
            if (t->candidates > 1) return victim_drawn(t, lines, way, owners, line);
            if (!l->dirty || !dirty_stays) return way;
            if (dirty == UINT32_MAX) dirty = way;
        }
        way = l->newer;
    } while (way != oldest);
    return dirty;
}

/* Model: an app with its full number of lines in the set replaces its own lines; an app with fewer
 * takes an invalid line or a line of an app above its limit, else any line of another app
 * (utility-based cache partitioning). Only the number of lines per owner counts; no way belongs to
 * an app. An app without a limit, or with all ways, replaces any line, and has no lines
 * guaranteed. */
static u32 victim_restricted(const struct tags *t, const struct tags_line *lines, u32 oldest,
                             u64 line)
{
    u32 n[APPS_MAX + 1] = {0}, spare = 1u << NOBODY, app = owner_of(line);
    if (!t->ways_of[app] || t->ways_of[app] >= t->ways)
        return victim_of(t, lines, oldest, EVERYBODY, line);
    for (u32 way = oldest, k = 0; k < t->ways; k++, way = lines[way].newer)
        n[owner_of(lines[way].line)]++;
    if (n[app] >= t->ways_of[app]) return victim_of(t, lines, oldest, 1u << app, line);
    for (u32 a = 0; a < APPS_MAX; a++)
        if (n[a] > t->ways_of[a]) spare |= 1u << a;
    u32 way = victim_of(t, lines, oldest, spare, line);
    if (way != UINT32_MAX) return way;
    return victim_of(t, lines, oldest, EVERYBODY & ~(1u << app), line);
}

static enum tags_result victim_find(const struct tags *t, u64 line, u32 set, u32 *at)
{
    const struct tags_set *s = tags_set_at(t, set);
    if (s->reserved_n == t->ways) return TAGS_NO_LINE;
    const struct tags_line *lines = t->lines + ((size_t)set << t->way_bits);
    u32 oldest = s->oldest, way = oldest;
    if (likely(!t->restricted)) {
        while (lines[way].reserved) way = lines[way].newer;
    } else {
        way = victim_restricted(t, lines, oldest, line);
        if (way == UINT32_MAX) return TAGS_NO_LINE;
    }
    *at = set << t->way_bits | way;
    return TAGS_MISS;
}

u32 tags_prefetch(const struct tags *t, u64 address)
{
    u32 set = tags_set(t, address);
    prefetch(tags_set_at(t, set));
    const struct tags_line *lines = t->lines + ((size_t)set << t->way_bits);
    for (u32 way = 0; way < 16; way += 4) prefetch(&lines[way]); /* maybe of other sets, too */
    return set;
}

bool tags_find(const struct tags *t, u64 line, u64 address, u32 *at)
{
    *at = find(t, line, tags_set(t, address));
    return *at != UINT32_MAX;
}

bool tags_find_in(const struct tags *t, u64 line, u32 set)
{
    return find(t, line, set) != UINT32_MAX;
}

enum tags_result tags_probe(const struct tags *t, u64 line, u64 address, u32 sectors, u32 *at)
{
    return tags_probe_set(t, line, tags_set(t, address), sectors, at);
}

enum tags_result tags_probe_set(const struct tags *t, u64 line, u32 set, u32 sectors, u32 *at)
{
    u32 found = find(t, line, set);
    if (found == UINT32_MAX) return victim_find(t, line, set, at);
    *at = found;
    const struct tags_line *l = &t->lines[found];
    if (l->reserved & sectors) return TAGS_HIT_RESERVED;
    return sectors & ~(u32)l->readable ? TAGS_SECTOR_MISS : TAGS_HIT;
}

enum tags_result tags_as_write(const struct tags *t, enum tags_result found, u32 sectors, u32 at)
{
    if (found != TAGS_SECTOR_MISS) return found;
    const struct tags_line *l = &t->lines[at];
    return sectors & ~(u32)(l->readable | l->dirty) ? TAGS_SECTOR_MISS : TAGS_HIT;
}

enum tags_result tags_probe_write(const struct tags *t, u64 line, u64 address, u32 sectors,
                                  u32 *at)
{
    enum tags_result found = tags_probe(t, line, address, sectors, at);
    return tags_as_write(t, found, sectors, *at);
}

/* ---- decisions of the owner ---- */

/* Checks a set: the ring visits every way once and closes; reserved_n is right; an invalid line has
 * no sectors. A reserved sector may be readable, because of a write. */
static bool set_is_consistent(const struct tags *t, u32 set)
{
    const struct tags_line *lines = t->lines + ((size_t)set << t->way_bits);
    const struct tags_set *s = tags_set_at(t, set);
    u32 reserved_n = 0, way = s->oldest;
    for (u32 k = 0; k < t->ways; k++) {
        const struct tags_line *l = &lines[way];
        if (lines[l->newer].older != way) return false;
        if (l->line == TAGS_EMPTY && (l->reserved | l->readable | l->dirty)) return false;
        reserved_n += l->reserved != 0;
        way = l->newer;
        if (way == s->oldest && k + 1 < t->ways) return false;
    }
    return way == s->oldest && reserved_n == s->reserved_n;
}

/* Moves a way within the ring to the position between the newest and the oldest. */
static void ring_move(struct tags_line *lines, u32 way, u32 oldest)
{
    struct tags_line *l = &lines[way];
    lines[l->older].newer = l->newer;
    lines[l->newer].older = l->older;
    u32 newest = lines[oldest].older;
    l->older = (u16)newest;
    l->newer = (u16)oldest;
    lines[newest].newer = lines[oldest].older = (u16)way;
}

void tags_touch(struct tags *t, u32 at)
{
    struct tags_set *s = tags_set_at(t, at >> t->way_bits);
    u32 way = at & ((1u << t->way_bits) - 1);
    struct tags_line *lines = t->lines + (at - way);
    if (way == s->oldest) s->oldest = lines[way].newer;
    else if (lines[way].newer != s->oldest) ring_move(lines, way, s->oldest);
}

static void make_oldest(struct tags *t, u32 at)
{
    struct tags_set *s = tags_set_at(t, at >> t->way_bits);
    u32 way = at & ((1u << t->way_bits) - 1);
    if (way == s->oldest) return;
    ring_move(t->lines + (at - way), way, s->oldest);
    s->oldest = (u16)way;
}

void tags_watch_victims(struct tags *t, struct arena *arena)
{
    t->victims = arena_array(arena, struct victims, 1);
    victims_init(t->victims, arena, t->sets * t->ways);
}

/* Notes that `line` replaces the line at `at`. */
static __attribute__((noinline)) void victims_note(struct tags *t, u32 at, u64 line)
{
    u64 old = t->lines[at].line, others = 0;
    const struct tags_line *set = &t->lines[at >> t->way_bits << t->way_bits];
    victims_fill(t->victims, line); /* before the line's entry is lost to `old` */
    if (old == TAGS_EMPTY) return;
    for (u32 w = 0; w < t->ways; w++) others += owner_of(set[w].line) != owner_of(old);
    victims_replace(t->victims, old, owner_of(line), others * t->sets);
}

void tags_place(struct tags *t, u32 at, u64 line)
{
    struct tags_line *l = &t->lines[at];
    check(!l->reserved);
    if (unlikely(t->victims != NULL)) victims_note(t, at, line);
    t->dirty_n -= l->dirty != 0;
    set_address(t, at, line);
    l->reserved = l->readable = l->dirty = 0;
    t->placed++;
    if (t->bytes) t->bytes[at] = (struct tags_bytes){0};
    tags_touch(t, at);
}

void tags_reserve(struct tags *t, u32 at, u64 line, u32 sectors)
{
    tags_place(t, at, line);
    t->lines[at].reserved = (u8)(sectors & TAGS_WHOLE);
    tags_set_at(t, at >> t->way_bits)->reserved_n++;
    hard_check(set_is_consistent(t, at >> t->way_bits));
}

void tags_reserve_more(struct tags *t, u32 at, u32 sectors)
{
    struct tags_line *l = &t->lines[at];
    if (!l->reserved) tags_set_at(t, at >> t->way_bits)->reserved_n++;
    l->reserved |= (u8)(sectors & TAGS_WHOLE);
    tags_touch(t, at);
}

void tags_fill(struct tags *t, u32 at, u32 sectors)
{
    struct tags_line *l = &t->lines[at];
    u32 before = l->reserved;
    l->reserved &= (u8)~sectors;
    l->readable |= (u8)(sectors & TAGS_WHOLE);
    if (before && !l->reserved) tags_set_at(t, at >> t->way_bits)->reserved_n--;
    hard_check(set_is_consistent(t, at >> t->way_bits));
}

void tags_write(struct tags *t, u32 at, u32 sectors, u32 app)
{
    struct tags_line *l = &t->lines[at];
    t->dirty_n += !l->dirty;
    l->dirty |= (u8)(sectors & TAGS_WHOLE);
    l->writer = (u8)app;
}

void tags_write_bytes(struct tags *t, u32 at, u32 sector, u32 bytes, u32 app)
{
    struct tags_line *l = &t->lines[at];
    tags_write(t, at, 1u << sector, app);
    u32 *written = &t->bytes[at].sector[sector];
    *written |= bytes;
    if (*written == WRITTEN) l->readable |= (u8)(1u << sector);
}

void tags_drop_sectors(struct tags *t, u32 at, u32 sectors)
{
    struct tags_line *l = &t->lines[at];
    u32 was_dirty = l->dirty;
    check(!(l->reserved & sectors));
    l->readable &= (u8)~sectors;
    l->dirty &= (u8)~sectors;
    t->dirty_n -= was_dirty && !l->dirty;
    if (t->bytes)
        for (u32 s = 0; s < COUNT_OF(t->bytes->sector); s++)
            if (sectors >> s & 1) t->bytes[at].sector[s] = 0;
    if (l->readable | l->dirty | l->reserved) return;
    set_address(t, at, TAGS_EMPTY);
    make_oldest(t, at);
    hard_check(set_is_consistent(t, at >> t->way_bits));
}

u64 tags_drop_app(struct tags *t, u32 app)
{
    u64 dropped = 0;
    for (u32 at = 0; at < t->sets << t->way_bits; at++) {
        if (!tags_is_valid(t, at) || t->lines[at].line >> APP_SHIFT != app) continue;
        tags_drop(t, at);
        dropped++;
    }
    return dropped;
}

/* ---- another size ---- */

/* Collects the ways that a set keeps, newest first: all with a reserved sector, and of the others
 * the `more` used last. Drops the other lines. Returns the number of ways kept. */
static u32 ways_keep(struct tags *t, u32 set, u32 more, u16 *kept)
{
    u32 first = set << t->way_bits, newest = t->lines[first + tags_set_at(t, set)->oldest].older;
    u32 n = 0, used[TAGS_WAYS_MAX], used_n = 0;
    for (u32 way = newest; used_n < t->ways; way = t->lines[first + way].older)
        used[used_n++] = way;
    for (u32 k = 0; k < used_n; k++) {
        struct tags_line *l = &t->lines[first + used[k]];
        if (l->line == TAGS_EMPTY) continue;
        if (!l->reserved && !more) {
            tags_drop(t, first + used[k]);
            continue;
        }
        more -= !l->reserved;
        kept[n++] = (u16)used[k];
    }
    return n;
}

/* Makes the ring of a set from the n ways in `order`, newest first, and the empty ways up to
 * `ways`. */
static void ring_make(struct tags *t, u32 set, u16 *order, u32 n, u32 ways)
{
    struct tags_line *lines = t->lines + ((size_t)set << t->way_bits);
    for (u32 way = 0; n < ways; way++)
        if (lines[way].line == TAGS_EMPTY) order[n++] = (u16)way;
    for (u32 k = 0; k < ways; k++) {
        lines[order[k]].newer = order[k ? k - 1 : ways - 1];
        lines[order[k]].older = order[k + 1 < ways ? k + 1 : 0];
    }
    tags_set_at(t, set)->oldest = order[ways - 1];
}

/* Model: the location of a line is set x ways + way: with other ways the line lies in another set,
 * where no lookup finds it, except in set 0 (GPGPU-Sim, cache_config::set_assoc). Here the lines of
 * other sets are dropped; lines with reserved sectors stay where they are (guess). */
bool tags_resize(struct tags *t, u32 ways)
{
    for (u32 set = 0; set < t->sets; set++) ways = max_u32(ways, tags_set_at(t, set)->reserved_n);
    if (ways == t->ways) return false;
    for (u32 set = 0; set < t->sets; set++) {
        u16 order[TAGS_WAYS_MAX];
        u32 more = set ? 0 : ways - tags_set_at(t, set)->reserved_n;
        ring_make(t, set, order, ways_keep(t, set, more, order), ways);
    }
    t->ways = ways;
    t->dirty_floor = (u32)div_up((u64)t->sets * ways * t->dirty_percent, 100);
    return true;
}
