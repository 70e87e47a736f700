/* From a physical line address to its channel, L2 slice, bank, row and column. Every request
 * passes here once at its birth (map_req); later parts read the fields. The app number (bits from
 * APP_SHIFT up) enters the row only, so that two apps never share a DRAM row and otherwise fall
 * alike alone and together.
 * Model: docs/machine.md 1.2 address bits: channel = (address / interleave) mod channels, the
 * quotient joined again with the low bits is the channel's own address; bits from its end: 8
 * column, 1 bank, 4 column, the other banks, row. */
#ifndef CORUN_MAP_H
#define CORUN_MAP_H

#include "mem/req.h"
#include "table/conf.h"

struct map_conf {
#define CONF CONF_FIELD
#define CHOICE CHOICE_FIELD
#include "mem/map_conf.def"
#undef CONF
#undef CHOICE
};

struct map {
    u32 channel_n, slice_n;      /* slices of the whole GPU */
    u32 slices_per_channel, banks;
    u32 low_bits;                /* log2 of the interleave */
    u32 channel_bits;            /* log2 of channel_n when it is a power of two */
    u32 bank_bits, slice_bits;   /* log2 */
    bool channels_are_power;
};

/* Are the powers of two where they must be, and are there enough banks for the slices? */
bool map_fits(const struct map_conf *conf, u32 banks);
void map_init(struct map *m, const struct map_conf *conf, u32 banks);
/* Fills channel, slice, place (bank), row, column and local from r->line. */
void map_req(const struct map *m, struct req *r);

#endif
