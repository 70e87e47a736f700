#include "mem/map.h"

enum { COLUMN_LOW_BITS = 8, COLUMN_HIGH_BITS = 4 }; /* around the lowest bank bit */
enum { ROW_APP_SHIFT = 28 };                        /* an app's number in the row */

static bool is_power(u32 n) { return n && !(n & (n - 1)); }
static u32 log2_of(u32 n) { return (u32)__builtin_ctz(n); }

bool map_fits(const struct map_conf *conf, u32 banks)
{
    return conf->channels && is_power(banks) && is_power(conf->slices_per_channel)
        && is_power(conf->interleave_bytes) && conf->interleave_bytes >= LINE_BYTES
        && conf->slices_per_channel <= banks;
}

void map_init(struct map *m, const struct map_conf *conf, u32 banks)
{
    check(map_fits(conf, banks));
    *m = (struct map){.channel_n = conf->channels, .banks = banks,
        .slice_n = conf->channels * conf->slices_per_channel,
        .slices_per_channel = conf->slices_per_channel,
        .low_bits = log2_of(conf->interleave_bytes), .bank_bits = log2_of(banks),
        .slice_bits = log2_of(conf->slices_per_channel),
        .channels_are_power = is_power(conf->channels)};
    if (m->channels_are_power) m->channel_bits = log2_of(conf->channels);
}

static u64 low(u64 value, u32 bits) { return value & ((UINT64_C(1) << bits) - 1); }

void map_req(const struct map *m, struct req *r)
{
    u64 address = low(r->line, APP_SHIFT), app = r->line >> APP_SHIFT;
    u64 block = address >> m->low_bits, quotient;
    if (m->channels_are_power) {
        r->channel = (u16)low(block, m->channel_bits);
        quotient = block >> m->channel_bits;
    } else {
        quotient = block / m->channel_n;
        r->channel = (u16)(block - quotient * m->channel_n);
    }
    u64 own = quotient << m->low_bits | low(address, m->low_bits);

    /* own = row | high bank bits | high column | lowest bank bit | low column */
    u32 first_bit = m->bank_bits > 0;
    u64 low_column = low(own, COLUMN_LOW_BITS);
    u64 bank = low(own >> COLUMN_LOW_BITS, first_bit);
    u64 rest = own >> (COLUMN_LOW_BITS + first_bit);
    u64 high_column = low(rest, COLUMN_HIGH_BITS);
    u64 above = rest >> COLUMN_HIGH_BITS; /* row and the high bank bits */
    bank |= low(above, m->bank_bits - first_bit) << first_bit;
    u64 row = above >> (m->bank_bits - first_bit);
    r->place = (u16)bank;
    r->row = (u32)(row | app << ROW_APP_SHIFT);
    r->column = (u32)(high_column << COLUMN_LOW_BITS | low_column);

    /* the slice is the low bank bits; without them the address is the slice's own */
    r->slice = (u16)(r->channel * m->slices_per_channel + low(bank, m->slice_bits));
    u32 out_high = m->slice_bits > first_bit ? m->slice_bits - first_bit : 0;
    u64 kept = above >> out_high << COLUMN_HIGH_BITS | high_column;
    if (m->slice_bits == 0 && first_bit) kept = kept << 1 | (bank & 1);
    r->local = kept << COLUMN_LOW_BITS | low_column;
}
