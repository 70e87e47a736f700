/* scan: exclusive prefix sum, tiles in shared memory and the tiles' totals scanned in their turn;
 * two bandwidth-bound kernels: the first with many barriers, the second streams. */
#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/verify.h"

enum { BLOCK = 256, TILE = 4 * BLOCK };

static void make_vector(u64 seed, u32 *vector, u64 n)
{
    u32 words[4];
    for (u64 i = 0; i < n; i++) {
        if (i % 4 == 0) random_words(seed, 0, 0, i / 4, words);
        vector[i] = words[i % 4];
    }
}

/* A device array for n words and up to the end of their last tile. */
static u64 alloc_tiles(struct host *h, u32 n, const char *name)
{
    return host_alloc(h, round_up(n, TILE) * sizeof(u32), name);
}

/* out = the sums before each word of `in`; the totals of the tiles are a separate vector. Words
 * beyond n enter only sums without a reader. */
static void scan_on_device(struct host *h, u64 in, u64 out, u32 n, u32 layers)
{
    u32 tiles = (u32)div_up(n, TILE);
    u64 total = alloc_tiles(h, tiles, "total"), offset = alloc_tiles(h, tiles, "offset");
    struct host_dim block = {BLOCK, 1, 1};
    const void *args[] = {&in, &out, &total}, *offset_args[] = {&offset, &out};
    host_launch(h, host_find(h, "scan_tiles"), (struct host_dim){tiles, 1, layers}, block, 0, 0,
                args);
    if (tiles == 1) return;
    scan_on_device(h, total, offset, tiles, 1);
    host_launch(h, host_find(h, "scan_offsets"), (struct host_dim){tiles, 1, 1}, block, 0, 0,
                offset_args);
}

static void scan_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "n");
    u64 bytes = n * sizeof(u32), in = alloc_tiles(h, n, "in"), out = alloc_tiles(h, n, "out");
    u32 *vector = host_memory(h, bytes);
    make_vector(host_seed(h), vector, n);
    host_write(h, in, vector, bytes);
    scan_on_device(h, in, out, n, host_repeat(h));
    host_sync(h);

    if (!host_wants_check(h)) return;
    for (u32 i = 0, sum = 0; i < n; i++) {
        u32 here = vector[i];
        vector[i] = sum;
        sum += here;
    }
    const char *why = verify_device_u32(h, "out", out, vector, n);
    host_checked(h, !why, why);
}

static const struct workload_param scan_params[] = {
    {"n", 2097152, 20001, 16777216, 1, 1 << 27, "words of the vector"},
    REPEAT_PARAM(1, 64),
    {0},
};
const struct workload workload_scan = {
    .name = "scan",
    .sentence = "exclusive prefix sum, tiles in shared memory",
    .suite = "SHOC",
    .algorithm = "work-efficient scan (Blelloch, Prefix sums and their applications, 1990)",
    .input = "a vector of random words; sums are modulo 2^32",
    .params = scan_params,
    .run = scan_run,
};
