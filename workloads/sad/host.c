/* sad: sums of absolute differences of all blocks of a video frame over a search range, in three
 * kernels: the first computes on pixels in shared memory, the others stream the sums of small
 * blocks into the sums of larger blocks. Blocks of 128 threads, as the papers' sad2
 * (machine description section 6, row s2). */
#include <stdlib.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 128, SIDE = 16, REACH = 16, ACROSS = 2 * REACH + 1, PLACES = ACROSS * ACROSS + 1 };
enum { STREAM_REFERENCE, STREAM_NOISE };
enum { LEVELS = 3, SUMS = 5 }; /* kernels; sums made by the later kernels from four blocks */
static const char *const level_name[LEVELS] = {"sad_4", "sad_8", "sad_16"};
static const u32 level_rows[LEVELS] = {16, 4 * SUMS, SUMS}; /* of a macroblock, PLACES each */

struct video {
    u32 width, height, macroblocks;
    u16 *frame, *reference; /* pixels of 8 bits */
};

static u16 pixel(const struct video *v, s32 x, s32 y)
{
    s32 right = (s32)v->width - 1, bottom = (s32)v->height - 1;
    x = x < 0 ? 0 : x > right ? right : x;
    y = y < 0 ? 0 : y > bottom ? bottom : y;
    return v->reference[(u32)y * v->width + (u32)x];
}

/* The frame shows the reference a little further on, with noise. */
static struct video make_video(struct host *h)
{
    struct video v = {.width = SIDE * (u32)host_integer(h, "columns"),
                      .height = SIDE * (u32)host_integer(h, "rows")};
    u32 pixels = v.width * v.height;
    v.macroblocks = pixels / (SIDE * SIDE);
    v.frame = host_memory(h, pixels * sizeof *v.frame);
    v.reference = host_memory(h, pixels * sizeof *v.reference);
    for (u32 i = 0; i < pixels; i++)
        v.reference[i] = (u16)random_below(host_seed(h), STREAM_REFERENCE, i, 240);
    for (u32 i = 0; i < pixels; i++)
        v.frame[i] = (u16)(pixel(&v, (s32)(i % v.width) + 5, (s32)(i / v.width) - 3) +
                           random_below(host_seed(h), STREAM_NOISE, i, 16));
    return v;
}

static void sums_of_4x4(const struct video *v, u32 macroblock, u16 *sad)
{
    u32 left = macroblock % (v->width / SIDE) * SIDE, top = macroblock / (v->width / SIDE) * SIDE;
    for (u32 place = 0; place < ACROSS * ACROSS; place++)
        for (u32 y = 0; y < SIDE; y++)
            for (u32 x = 0; x < SIDE; x++) {
                u32 b = (x >> 2 & 1) | (y >> 2 & 1) << 1 | (x >> 3) << 2 | (y >> 3) << 3;
                s32 away = pixel(v, (s32)(left + x + place % ACROSS) - REACH,
                                 (s32)(top + y + place / ACROSS) - REACH);
                sad[b * PLACES + place] +=
                    (u16)abs(v->frame[(top + y) * v->width + left + x] - away);
            }
}

/* Of each four rows, `stride` apart: upper and lower pair, left and right pair, all. */
static void sums_of_four(const u16 *small, u32 stride, u32 groups, u16 *sum)
{
    for (u32 g = 0; g < groups; g++, small += 4 * (u64)stride * PLACES, sum += SUMS * PLACES)
        for (u32 i = 0; i < PLACES; i++) {
            u16 a = small[i], b = small[stride * PLACES + i], c = small[2 * stride * PLACES + i],
                d = small[3 * stride * PLACES + i];
            sum[i] = (u16)(a + b);
            sum[PLACES + i] = (u16)(c + d);
            sum[2 * PLACES + i] = (u16)(a + c);
            sum[3 * PLACES + i] = (u16)(b + d);
            sum[4 * PLACES + i] = (u16)(a + b + c + d);
        }
}

static u64 level_bytes(const struct video *v, u32 level)
{
    return (u64)v->macroblocks * level_rows[level] * PLACES * sizeof(u16);
}

/* Makes the results of the kernels up to `level`, in host_memory. */
static void make_levels(struct host *h, const struct video *v, u32 level, u16 *sum[LEVELS])
{
    for (u32 i = 0; i <= level; i++) sum[i] = host_memory(h, level_bytes(v, i));
    for (u32 m = 0; m < v->macroblocks; m++) sums_of_4x4(v, m, sum[0] + (u64)m * 16 * PLACES);
    if (level > 0) sums_of_four(sum[0], 1, v->macroblocks * 4, sum[1]);
    if (level > 1) sums_of_four(sum[1] + 4 * PLACES, SUMS, v->macroblocks, sum[2]);
}

static const char *compare(struct host *h, const struct video *v, const u64 *device)
{
    u16 *want[LEVELS];
    const char *why = NULL;
    make_levels(h, v, LEVELS - 1, want);
    for (u32 i = 0; i < LEVELS && !why; i++) { /* two positions in a word */
        u32 *got = host_memory(h, level_bytes(v, i));
        host_read(h, got, device[i], level_bytes(v, i));
        why = verify_u32(h, level_name[i], 0, got, (const u32 *)(const void *)want[i],
                         level_bytes(v, i) / sizeof *got);
    }
    return why;
}

/* Launches the kernels from `first` on; the host makes the results of the earlier kernels. */
static void run_kernels(struct host *h, const struct video *v, u32 first, const u64 *sad)
{
    u64 pixel_bytes = (u64)v->width * v->height * sizeof(u16);
    u64 frame = upload_bytes(h, "frame", v->frame, pixel_bytes);
    u64 reference = upload_bytes(h, "reference", v->reference, pixel_bytes);
    u16 *made[LEVELS];
    if (first > 0) make_levels(h, v, first - 1, made);
    for (u32 i = 0; i < first; i++) host_write(h, sad[i], made[i], level_bytes(v, i));
    struct host_dim block = {BLOCK, 1, 1};
    struct host_dim grids[LEVELS] = {{v->width / SIDE, v->height / SIDE, host_repeat(h)},
                                     {v->macroblocks * 4, 1, host_repeat(h)},
                                     {v->macroblocks, 1, host_repeat(h)}};
    const void *pixels[] = {&frame, &reference, &v->width, &v->height, &sad[0]};
    for (u32 i = first; i < LEVELS; i++) {
        const void *sums[] = {&sad[i ? i - 1 : 0], &sad[i]};
        host_launch(h, host_find(h, level_name[i]), grids[i], block, 0, 0, i ? sums : pixels);
    }
    host_sync(h);
}

static void sad_run(struct host *h)
{
    struct video v = make_video(h);
    u64 sad[LEVELS];
    for (u32 i = 0; i < LEVELS; i++) sad[i] = host_alloc(h, level_bytes(&v, i), level_name[i]);
    host_fill(h, sad[0], 0, level_bytes(&v, 0)); /* no kernel writes the last position */
    run_kernels(h, &v, (u32)host_integer(h, "first"), sad);
    if (!host_wants_check(h)) return;
    const char *why = compare(h, &v, sad);
    host_checked(h, !why, why);
}

static const struct workload_param sad_params[] = {
    {"columns", 8, 2, 22, 1, 128, "macroblocks of 16 x 16 pixels across the frame"},
    {"rows", 6, 1, 18, 1, 128, "macroblocks down the frame"},
    {"first", 0, 0, 0, 0, LEVELS - 1,
     "the first kernel: 0 sad_4, 1 sad_8, 2 sad_16; the host computes the results of the earlier "
     "kernels"},
    REPEAT_PARAM(2, 512),
    {0},
};
const struct workload workload_sad = {
    .name = "sad",
    .sentence = "sums of absolute differences of a video frame's blocks",
    .suite = "Parboil",
    .algorithm = "full search block matching with the block sizes of H.264",
    .input = "a random frame, and the same moved by a few pixels with noise",
    .params = sad_params,
    .run = sad_run,
};
