#include "cache/map.h"

#include <string.h>

/* column bits below and above the lowest bank bit */
enum { AUTO_COLUMN_LOW = 8, AUTO_COLUMN_HIGH = 4 };
enum { ROW_APP_SHIFT = 28 };                       /* position of the app number in the row */
enum { LINE_BITS = 7, COLUMN_BITS_MAX = 16, PIECE_BITS = 13 };
enum { SLICES_MAX = COUNT_OF(((struct map *)NULL)->channel_of) };
_Static_assert(1 << LINE_BITS == LINE_BYTES, "a line's bytes");

struct layout {
    char letter[APP_SHIFT]; /* R, B or C for each bit of a channel address */
};

static u32 log2_of(u32 n) { return (u32)__builtin_ctz(n); }

static void layout_auto(struct layout *y, u32 bank_bits)
{
    u32 at = AUTO_COLUMN_LOW, first_bit = bank_bits > 0;
    memset(y->letter, 'C', at + first_bit + AUTO_COLUMN_HIGH);
    if (first_bit) y->letter[at] = 'B';
    at += first_bit + AUTO_COLUMN_HIGH;
    for (u32 k = first_bit; k < bank_bits; k++) y->letter[at++] = 'B';
    memset(y->letter + at, 'R', APP_SHIFT - at);
}

/* Reads a layout from its lowest bit, the last letter. Bits above the highest R belong to the row,
 * too. Returns false if the layout is not valid. */
static bool layout_read(struct layout *y, const char *text, u32 bank_bits)
{
    if (!strcmp(text, "auto")) {
        layout_auto(y, bank_bits);
        return true;
    }
    u32 n = 0;
    bool above = false; /* only zeros may follow */
    for (size_t k = strlen(text); k--;) {
        char c = text[k];
        if (strchr(".| ", c)) continue;
        above |= c == '0';
        if (above ? c != '0' : !strchr("RBCS", c)) return false;
        if (above) continue;
        if (n == APP_SHIFT) return false;
        y->letter[n++] = c == 'S' ? 'C' : c;
    }
    if (!n || y->letter[n - 1] != 'R') return false;
    memset(y->letter + n, 'R', APP_SHIFT - n);
    return true;
}

static u64 bits_of(const struct layout *y, char letter)
{
    u64 bits = 0;
    for (u32 k = 0; k < APP_SHIFT; k++) bits |= (u64)(y->letter[k] == letter) << k;
    return bits;
}

static u32 count_of(const struct layout *y, char letter)
{
    return (u32)__builtin_popcountll(bits_of(y, letter));
}

bool map_slices_fit(const struct map_conf *conf, u32 banks)
{
    u32 n = conf->slices_per_channel;
    return n && (conf->hash == MAP_ROTATE || (is_power_of_two(n) && n <= banks));
}

bool map_fits(const struct map_conf *conf, u32 banks)
{
    return conf->channels && is_power_of_two(banks) && map_slices_fit(conf, banks)
        && is_power_of_two(conf->interleave_bytes) && conf->interleave_bytes >= LINE_BYTES
        && conf->channels * conf->slices_per_channel <= SLICES_MAX;
}

bool map_halves_fit(const struct map_conf *conf)
{
    return conf->halves == 1 || (conf->hash == MAP_ROTATE && conf->channels % 2 == 0
                                 && conf->interleave_bytes <= 1u << PIECE_BITS);
}

bool map_hash_fits(const struct map_conf *conf)
{
    return conf->hash == MAP_NONE || conf->hash == MAP_ROTATE || is_power_of_two(conf->channels);
}

bool map_layout_fits(const struct map_conf *conf, u32 banks)
{
    struct layout y;
    if (!layout_read(&y, conf->layout.text, log2_of(banks))) return false;
    for (u32 k = 0; k < LINE_BITS; k++)
        if (y.letter[k] != 'C') return false;
    return count_of(&y, 'B') == log2_of(banks) && count_of(&y, 'R') <= ROW_APP_SHIFT
        && count_of(&y, 'C') <= COLUMN_BITS_MAX;
}

void map_init(struct map *m, struct arena *arena, const struct map_conf *conf, u32 banks)
{
    check(map_fits(conf, banks) && map_hash_fits(conf) && map_layout_fits(conf, banks));
    check(map_halves_fit(conf));
    *m = (struct map){.channel_n = conf->channels,
        .slice_n = conf->channels * conf->slices_per_channel,
        .slices_per_channel = conf->slices_per_channel, .halves = conf->halves,
        .low_bits = log2_of(conf->interleave_bytes), .hash = conf->hash,
        .channels_are_power = is_power_of_two(conf->channels) && conf->hash != MAP_ROTATE,
        .row_apps = conf->placement == MAP_ALIGNED ? APPS_MAX - 1 : 0,
        .page_bits = conf->placement == MAP_HASHED ? log2_of(conf->page_bytes) : 0};
    m->half_slices = m->slice_n / m->halves;
    if (m->channels_are_power) m->channel_bits = log2_of(conf->channels);
    if (m->hash != MAP_ROTATE && !m->channel_bits) m->hash = MAP_NONE;
    if (m->hash == MAP_IPOLY) poly_init(&m->poly, arena, m->channel_bits);
    for (u32 k = 0; k < m->slice_n; k++)
        m->channel_of[k] = m->home_channel[k] = (u8)(k / m->slices_per_channel);
    m->plain = m->hash != MAP_ROTATE;
    m->stride = m->slices_per_channel;
    struct layout y;
    layout_read(&y, conf->layout.text, log2_of(banks));
    m->bank_mask = bits_of(&y, 'B');
    m->row_mask = bits_of(&y, 'R');
    m->column_mask = bits_of(&y, 'C');
    if (m->hash == MAP_ROTATE) return;
    u64 others = m->bank_mask; /* without the lowest, the bits of the slice */
    for (u32 k = log2_of(conf->slices_per_channel); k; k--) others &= others - 1;
    m->slice_mask = ((UINT64_C(1) << APP_SHIFT) - 1) & ~(m->bank_mask ^ others);
}

void map_cut(struct map *m, const struct cut *c)
{
    u32 copies = cut_copies(c, c->l2);
    m->cut = *c;
    m->plain &= copies == 1;
    if (copies == 1) return;
    check(m->slice_n * copies <= SLICES_MAX);
    m->channel_step = c->dram ? m->channel_n : 0;
    m->slice_step = c->dram ? m->slice_n : m->slices_per_channel;
    if (!c->dram) m->stride *= copies;
    for (u32 q = 0; q < copies; q++)
        for (u32 k = 0; k < m->slice_n; k++)
            m->channel_of[map_slice(m, k, q)] = (u8)(m->home_channel[k] + q * m->channel_step);
}

void map_place_sms(struct map *m, u32 sms, u32 first)
{
    u32 together = sms % 2 || first % 2 ? 1 : 2;
    for (u32 k = 0; k < sms; k++) {
        u32 before = k / together * together;
        m->half_of_sm[k] = div_up((before + together) * first, sms * together)
                        == div_up(before * first, sms * together);
    }
}

static inline u64 low(u64 value, u32 bits) { return value & ((UINT64_C(1) << bits) - 1); }

/* Returns the bits of the address selected by `mask`, packed together. */
static inline u64 gather_bits(u64 mask, u64 address)
{
#ifdef __BMI2__
    return __builtin_ia32_pext_di(address, mask);
#else
    u64 value = 0;
    for (u32 to = 0; mask;) { /* by runs of neighbouring bits */
        u32 from = (u32)__builtin_ctzll(mask), n = (u32)__builtin_ctzll(~(mask >> from));
        value |= low(address >> from, n) << to;
        mask &= ~(low(UINT64_MAX, n) << from);
        to += n;
    }
    return value;
#endif
}

/* Model: map.placement=hashed: a page may lie anywhere, as after many allocations and releases by a
 * driver; no two pages share a location, because each step of the hash can be undone (guess). */
static u64 scattered(const struct map *m, u64 line)
{
    u32 bits = APP_SHIFT - m->page_bits;
    u64 page = low(line, APP_SHIFT) >> m->page_bits;
    page = low((page ^ page >> (bits / 2)) * UINT64_C(0x9e3779b97f4a7c15), bits);
    page = low((page ^ page >> (bits / 2)) * UINT64_C(0xbf58476d1ce4e5b9), bits);
    page ^= page >> (bits / 2);
    return page << m->page_bits | low(line, m->page_bits);
}

/* Returns the address that the channels see for a line, still with the app number on top. */
static inline u64 placed(const struct map *m, u64 line)
{
    return likely(!m->page_bits) ? line : line >> APP_SHIFT << APP_SHIFT | scattered(m, line);
}

/* Model: map.hash=xor permutes channels by the next higher bits, ipoly by all bits (Rau 1991);
 * either way the quotient distinguishes the lines of a channel. The slice within the channel is not
 * hashed (guess). */
static u64 channel_of(const struct map *m, u64 line)
{
    u64 block = low(line, APP_SHIFT) >> m->low_bits;
    if (!m->channels_are_power) return block % m->channel_n;
    if (m->hash == MAP_XOR) return low(block ^ block >> m->channel_bits, m->channel_bits);
    if (m->hash == MAP_IPOLY) return poly_hash(&m->poly, block);
    return low(block, m->channel_bits);
}

/* Returns the channel address of a line: the address without the bits of the channel. */
static u64 channel_address(const struct map *m, u64 line)
{
    u64 address = low(line, APP_SHIFT), block = address >> m->low_bits;
    u64 quotient = m->channels_are_power ? block >> m->channel_bits : block / m->channel_n;
    return quotient << m->low_bits | low(address, m->low_bits);
}

/* Model: home halves alternate in pieces of 8 KB (A100, GTC21 S33322); a
 * hash of each pair of pieces chooses the half of the first (guess: no public source has the
 * function). The hash multiplies by the golden ratio. */
static u32 half_of_piece(u64 piece)
{
    return (u32)(piece ^ (piece >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 63) & 1;
}

u32 map_home_half(const struct map *m, u64 line)
{
    return half_of_piece(low(placed(m, line), APP_SHIFT) >> PIECE_BITS);
}

/* Location of a line with map.hash=rotate. */
struct rotated {
    u64 slice_address;   /* address without the slice: the slice's own */
    u64 channel_address; /* address without the channel: the channel's own */
    u32 slice, place;        /* home slice, and its place in its half */
};

/* Model: map.hash=rotate: with N slices (of a half, if there are two), slice = (block mod N +
 * h(block / N)) mod N; h multiplies by the golden ratio. For every quotient block / N the N blocks
 * lie on N slices, each at the quotient: no two lines share a location, for any N. A channel
 * alternates between its slices (guess: GPUs hash addresses over slices, and no public source has
 * the function). */
static struct rotated map_rotate(const struct map *m, u64 line)
{
    u64 address = low(line, APP_SHIFT), n = m->half_slices;
    u32 half = 0;
    if (m->halves > 1) {
        u64 piece = address >> PIECE_BITS;
        half = half_of_piece(piece);
        address = piece >> 1 << PIECE_BITS | low(address, PIECE_BITS);
    }
    u64 block = address >> m->low_bits;
    u64 quotient = block / n, turns = (quotient * UINT64_C(0x9e3779b97f4a7c15) >> 32) * n >> 32;
    u64 slice = (block % n + turns) % n, in = low(address, m->low_bits);
    u64 block_of_channel = quotient * m->slices_per_channel + slice % m->slices_per_channel;
    return (struct rotated){.slice = (u32)(half * n + slice), .place = (u32)slice,
                            .slice_address = quotient << m->low_bits | in,
                            .channel_address = block_of_channel << m->low_bits | in};
}

static u64 address_in_channel(const struct map *m, u64 line)
{
    return m->hash == MAP_ROTATE ? map_rotate(m, line).channel_address : channel_address(m, line);
}

u32 map_column(const struct map *m, u64 line)
{
    return (u32)gather_bits(m->column_mask, address_in_channel(m, placed(m, line)));
}

static inline void map_dram(const struct map *m, struct req *r, u64 address)
{
    u64 app = r->line >> APP_SHIFT & m->row_apps;
    r->bank = (u8)gather_bits(m->bank_mask, address);
    r->row = (u32)(gather_bits(m->row_mask, address) | app << ROW_APP_SHIFT);
}

void map_in_slice(const struct map *m, struct req *r)
{
    r->channel = m->channel_of[r->slice];
    map_dram(m, r, address_in_channel(m, placed(m, r->line)));
}

static void map_req_rotated(const struct map *m, struct req *r, u64 line)
{
    struct rotated at = map_rotate(m, line);
    r->channel = m->home_channel[at.slice];
    r->slice = (u8)(m->half_of_sm[r->sm] * m->half_slices + at.place);
    r->slice_address = at.slice_address;
    map_dram(m, r, at.channel_address);
}

static void map_req_direct(const struct map *m, struct req *r, u64 line)
{
    u64 address = channel_address(m, line);
    r->channel = (u8)channel_of(m, line);
    map_dram(m, r, address);
    r->slice_address = gather_bits(m->slice_mask, address);
    r->slice = (u8)(r->channel * m->slices_per_channel
                     + (r->bank & (m->slices_per_channel - 1)));
}

static void map_req_slowly(const struct map *m, struct req *r, u64 line)
{
    u32 copy = m->cut.of[r->app];
    if (m->hash == MAP_ROTATE) map_req_rotated(m, r, line);
    else map_req_direct(m, r, line);
    if (likely(!m->slice_step)) return;
    r->slice = (u8)map_slice(m, r->slice, copy);
    r->channel = (u8)(r->channel + copy * m->channel_step);
}

void map_req(const struct map *m, struct req *r)
{
    u64 line = placed(m, r->line);
    if (likely(m->plain)) map_req_direct(m, r, line);
    else map_req_slowly(m, r, line);
}
