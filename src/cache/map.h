/* Maps physical line addresses to channel, L2 slice, bank, row and column. Each request is mapped
 * once, when made (map_req); later its fields are read. The image chooses the pages of an app
 * (image.h). The app number (bits from APP_SHIFT up) matters only with map.placement=aligned, where
 * all apps have the same addresses: the number enters the row, so that apps never share a DRAM row
 * and otherwise map alike in isolated and shared runs.
 * Model: machine description 1.2 address bits: channel = (address / interleave) mod channels; the
 * quotient joined with the low bits is the channel address, split into row, bank and column by a
 * layout of letters; the slice is the lowest bits of the bank; the slice address, which selects the
 * set, leaves out these bits (GPGPU-Sim). map.hash=rotate: see map_rotate. With two halves the
 * slices and channels of half 1 follow the slices and channels of half 0. */
#ifndef CORUN_MAP_H
#define CORUN_MAP_H

#include "cache/cut.h"
#include "cache/poly.h"
#include "cache/req.h"
#include "table/conf.h"

enum map_hash { MAP_NONE, MAP_XOR, MAP_IPOLY, MAP_ROTATE }; /* values of map.hash */
enum map_placement { MAP_CONSECUTIVE, MAP_ALIGNED, MAP_HASHED };

struct map_conf {
#define CONF CONF_FIELD
#define CHOICE CHOICE_FIELD
#include "cache/map_conf.def"
#undef CONF
#undef CHOICE
};

struct map {
    u32 channel_n, slice_n;      /* slices of the whole GPU */
    u32 slices_per_channel;
    u32 low_bits;                /* log2 of the interleave */
    u32 channel_bits;            /* log2 of channel_n when it is a power of two */
    bool channels_are_power;     /* channel_n is a power of two */
    u32 hash;                    /* value of map.hash */
    struct poly poly;
    u64 bank_mask, row_mask, column_mask; /* bits of a channel address that form each */
    u64 slice_mask;              /* slice address: all bits but those that select the slice */
    u64 row_apps;                /* aligned: the bits of an app's number; else 0 */
    u32 page_bits;               /* hashed: log2 of the page; else 0 */
    u8 channel_of[256];          /* [slice], its channel */
    u8 home_channel[256];        /* the same by the slice's number without copies */
    u32 halves;                  /* 2: see map_home_half */
    u32 half_slices;             /* slices of a half; with one half all slices */
    u8 half_of_sm[256];          /* [SM], the half with the SM's ports */
    bool plain;                  /* no rotation and no copies */
    struct cut cut;
    u32 stride;                  /* between the first slices of two channels of a copy */
    u32 slice_step, channel_step; /* between two copies of a slice, of a channel */
};

/* True if the number of slices per channel is valid: a power of two and at most the number of
 * banks, whose low bits choose the slice; any number with map.hash=rotate. */
bool map_slices_fit(const struct map_conf *conf, u32 banks);
/* True if banks and interleave are powers of two, the interleave is at least a line, the slices of
 * a channel fit, and the GPU has at most 256 slices. */
bool map_fits(const struct map_conf *conf, u32 banks);
/* True if the channels divide into halves: one half, or map.hash=rotate, an even number of channels
 * and an interleave of at most a piece of a half, 8 KB. */
bool map_halves_fit(const struct map_conf *conf);
/* True if map.hash takes the number of channels: none and rotate any, others powers of two. */
bool map_hash_fits(const struct map_conf *conf);
/* True if the layout is valid: known letters, at most 40; R at the top; log2(banks) letters B; each
 * line in a single bank and row, hence C or S in the seven lowest positions; C or S in at most 16
 * positions; R in at most 28 of the 40 positions. */
bool map_layout_fits(const struct map_conf *conf, u32 banks);
void map_init(struct map *m, struct arena *arena, const struct map_conf *conf, u32 banks);
/* Places the ports of `first` of the SMs in half 0, spread evenly over the numbers of the SMs, and
 * the ports of the others in half 1; the two SMs of a pair together if both numbers are even. Call
 * after map_init if the GPU has two halves.
 * Model: the two SMs of a TPC are in one half, and TPCs are numbered in turn over the halves
 * (guess: no public source tells which SM is in which half). */
void map_place_sms(struct map *m, u32 sms, u32 first);
/* Numbers the copies of slices and channels. Call after map_init if there are copies. The channels
 * of a copy follow those of the copy before, and each channel's slices follow each other: with
 * copies of channels the slices of a copy follow those of the copy before, without such copies the
 * slices of all copies at a channel follow each other. */
void map_cut(struct map *m, const struct cut *c);
/* Returns the number of copy `copy` of a slice numbered without copies. */
static inline u32 map_slice(const struct map *m, u32 slice, u32 copy)
{
    u32 n = m->slices_per_channel;
    return slice / n * m->stride + slice % n + copy * m->slice_step;
}
/* Returns the number of a slice without copies. */
static inline u32 map_uncut(const struct map *m, u32 slice)
{
    u32 n = m->slices_per_channel;
    return slice / m->stride % m->channel_n * n + slice % n;
}
/* Returns the half with the home of a line: 0 or 1. Requires two halves. */
u32 map_home_half(const struct map *m, u64 line);
/* Fills channel, slice, bank, row and slice_address from r->line. With two halves the slice is the
 * near slice, in the half of r->sm at the place of the home slice, and the channel is that of the
 * home slice. With copies, the slice and the channel are those of r->app's copy; for a channel only
 * if the slices have copies, too. */
void map_req(const struct map *m, struct req *r);
/* Fills channel, bank and row of a request made by a slice; r->slice must be set. */
void map_in_slice(const struct map *m, struct req *r);
/* Returns the byte offset inside the row; the simulator itself does not need the offset. */
u32 map_column(const struct map *m, u64 line);

#endif
