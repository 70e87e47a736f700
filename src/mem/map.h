/* From a physical line address to its channel, L2 slice, bank, row and column. Every request
 * passes here once, when it is made (map_req); later its fields are read. Which pages an app has is
 * the image's to say (image.h). The app number (bits from APP_SHIFT up) counts with
 * map.placement=aligned only, where all apps have the same addresses: it enters the row, so that
 * two apps never share a DRAM row and otherwise fall alike alone and together.
 * Model: docs/machine.md 1.2 address bits: channel = (address / interleave) mod channels, the
 * quotient joined again with the low bits is the channel address, split into row, bank and column
 * by a layout of letters; the slice is the lowest bits of the bank; the slice address, which
 * chooses the set, leaves them out (GPGPU-Sim). */
#ifndef CORUN_MAP_H
#define CORUN_MAP_H

#include "mem/poly.h"
#include "mem/req.h"
#include "table/conf.h"

enum map_placement { MAP_CONSECUTIVE, MAP_ALIGNED, MAP_HASHED };

struct map_conf {
#define CONF CONF_FIELD
#define CHOICE CHOICE_FIELD
#include "mem/map_conf.def"
#undef CONF
#undef CHOICE
};

struct map {
    u32 channel_n, slice_n;      /* slices of the whole GPU */
    u32 slices_per_channel;
    u32 low_bits;                /* log2 of the interleave */
    u32 channel_bits;            /* log2 of channel_n when it is a power of two */
    bool channels_are_power;     /* of two */
    u32 hash;                    /* word of map.hash */
    struct poly poly;
    u64 bank_mask, row_mask, column_mask; /* which bits of a channel address make each; and */
    u64 slice_mask;              /* the slice address: all but those that choose the slice */
    u64 row_apps;                /* aligned: the bits of an app's number; else 0 */
    u32 page_bits;               /* hashed: log2 of the page; else 0 */
};

/* Are the powers of two where they must be, and are there enough banks for the slices? */
bool map_fits(const struct map_conf *conf, u32 banks);
bool map_hash_fits(const struct map_conf *conf); /* hashing wants a power of two of channels */
/* Does the layout read: known letters, at most 40; row at the top; log2(banks) letters B; a line in
 * one bank and row, so C or S in the seven lowest places and in no more than 16; at most 28
 * places of the 40 for the row? */
bool map_layout_fits(const struct map_conf *conf, u32 banks);
void map_init(struct map *m, struct arena *arena, const struct map_conf *conf, u32 banks);
/* Fills channel, slice, bank, row and slice_address from r->line. */
void map_req(const struct map *m, struct req *r);
/* Fills channel, bank and row of a request that its slice makes: r->slice is known. */
void map_in_slice(const struct map *m, struct req *r);
u32 map_column(const struct map *m, u64 line); /* byte offset inside the row, of no use here */

#endif
