/* histo: a histogram with saturating bins in three kernels: atomic additions in shared memory, and
 * in global memory for the sums. The host reads which bins occur before the second launch. */
#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 512, PIECE = 16384, RANGE = 8192, PRESCAN_BLOCKS = 64, MOST = 255 };

enum { MIDDLE = 2 * 65535, SPAN = 1 << 18 };

/* Distance of the sum of four uniform numbers from the middle, squared with the sign kept: few bins
 * in the middle are hit very often and saturate, bins at both ends seldom. */
static u32 *make_input(struct host *h, u32 n, u32 bins)
{
    u32 *input = host_memory(h, n * sizeof *input), words[4] = {0};
    for (u32 i = 0; i < n; i++) {
        if (i % 2 == 0) random_words(host_seed(h), 0, 0, i / 2, words);
        u32 a = words[i % 2 * 2], b = words[i % 2 * 2 + 1];
        s64 away = (s64)((a & 0xffff) + (a >> 16) + (b & 0xffff) + (b >> 16)) - MIDDLE;
        s64 place = MIDDLE + away * (away < 0 ? -away : away) / MIDDLE;
        input[i] = (u32)((u64)place * bins / SPAN);
    }
    return input;
}

static void run_kernels(struct host *h, u64 input, u32 n, u64 count, u64 bins, u32 words)
{
    u32 extent[2] = {UINT32_MAX, 0};
    u64 device_extent = upload_bytes(h, "extent", extent, sizeof extent);
    struct host_dim block = {BLOCK, 1, 1};
    const void *prescan[] = {&input, &n, &device_extent};
    host_launch(h, host_find(h, "histo_prescan"), (struct host_dim){PRESCAN_BLOCKS, 1, 1}, block, 0,
                0, prescan);
    host_read(h, extent, device_extent, sizeof extent);
    u32 ranges = (extent[1] - extent[0]) / RANGE + 1;
    const void *main_args[] = {&input, &n, &device_extent, &count};
    struct host_dim grid = {ranges, (u32)div_up(n, PIECE), host_repeat(h)};
    host_launch(h, host_find(h, "histo_main"), grid, block, 0, 0, main_args);
    const void *final[] = {&count, &bins, &words};
    host_launch(h, host_find(h, "histo_final"), (struct host_dim){(u32)div_up(words, BLOCK), 1, 1},
                block, 0, 0, final);
    host_sync(h);
}

static void histo_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "inputs"), words = (u32)host_integer(h, "bins") / 4;
    u32 *made = make_input(h, n, words * 4);
    u64 input = upload_bytes(h, "input", made, n * sizeof *made);
    u64 count = host_alloc(h, words * 4 * sizeof(u32), "count");
    u64 bins = host_alloc(h, words * sizeof(u32), "bins");
    host_fill(h, count, 0, words * 4 * sizeof(u32));
    run_kernels(h, input, n, count, bins, words);

    if (!host_wants_check(h)) return;
    u64 *counted = host_memory(h, words * 4 * sizeof *counted);
    u32 *want = host_memory(h, words * sizeof *want), *got = host_memory(h, words * sizeof *got);
    host_read(h, got, bins, words * sizeof *got);
    for (u32 i = 0; i < n; i++) counted[made[i]] += host_repeat(h);
    for (u32 i = 0; i < words * 4; i++) want[i / 4] |= (u32)min_u64(counted[i], MOST) << i % 4 * 8;
    const char *why = verify_u32(h, "bins", 0, got, want, words);
    host_checked(h, !why, why);
}

static const struct workload_param histo_params[] = {
    {"inputs", 524288, 50001, 2097152, 1, 1 << 26, "numbers to count"},
    {"bins", 32768, 12344, 32768, 4, 1 << 22, "bins, four to a word of the result"},
    REPEAT_PARAM(2, 1024), /* each layer counts the input again */
    {0},
};
const struct workload workload_histo = {
    .name = "histo",
    .sentence = "a histogram with bins that saturate at 255",
    .suite = "Parboil",
    .algorithm = "private histograms in shared memory, by ranges of bins",
    .input = "random numbers, most near the middle, where bins saturate",
    .params = histo_params,
    .run = histo_run,
};
