/* reduction: the sum of a long vector, a launch per level of the tree until a single value is left;
 * bandwidth-bound with a barrier per level in shared memory. */
#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 256, PER_THREAD = 8, TILE = BLOCK * PER_THREAD };

/* The sum of up to TILE values in the kernel's order. */
static float tile_sum(const float *in, u64 n)
{
    float part[BLOCK] = {0};
    for (u64 i = 0; i < n; i++) part[i % BLOCK] += in[i];
    for (u32 half = BLOCK / 2; half > 0; half /= 2)
        for (u32 i = 0; i < half; i++) part[i] += part[i + half];
    return part[0];
}

/* The same levels on the CPU; the first level makes the input tile by tile. */
static float reference(struct host *h, u64 n)
{
    u64 tiles = div_up(n, TILE);
    float *sum = host_memory(h, tiles * sizeof *sum), tile[TILE];
    for (u64 i = 0; i < tiles; i++) {
        u64 count = min_u64(TILE, n - i * TILE);
        random_floats(host_seed(h), 0, -1.0f, 1.0f, i * TILE, tile, count);
        sum[i] = tile_sum(tile, count);
    }
    for (n = tiles; n > 1; n = tiles) {
        tiles = div_up(n, TILE);
        for (u64 i = 0; i < tiles; i++)
            sum[i] = tile_sum(sum + i * TILE, min_u64(TILE, n - i * TILE));
    }
    return sum[0];
}

static void reduction_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "n"), layers = host_repeat(h);
    u64 in = upload_floats(h, "vector", 0, -1.0f, 1.0f, n);
    u64 out = host_alloc(h, div_up(n, TILE) * sizeof(float), "even");
    u64 spare = host_alloc(h, div_up(n, TILE) * sizeof(float), "odd");
    struct host_kernel *kernel = host_find(h, "reduce");
    for (u32 left = n, blocks = 0; blocks != 1; left = blocks, layers = 1) {
        blocks = (u32)div_up(left, TILE);
        const void *args[] = {&in, &out, &left};
        host_launch(h, kernel, (struct host_dim){blocks, 1, layers},
                    (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
        in = out;
        out = spare;
        spare = in;
    }
    host_sync(h);

    if (!host_wants_check(h)) return;
    float want = reference(h, n);
    const char *why = verify_device_f32(h, "sum", in, &want, 1);
    host_checked(h, !why, why);
}

static const struct workload_param reduction_params[] = {
    {"n", 4194304, 70001, 16777216, 1, 1 << 28, "elements of the vector"},
    REPEAT_PARAM(1, 64),
    {0},
};
const struct workload workload_reduction = {
    .name = "reduction",
    .sentence = "sum of a float vector, a tree in shared memory per block",
    .suite = "SHOC",
    .algorithm = "tree reduction, level by level (Blelloch, Prefix sums and their applications)",
    .input = "a vector of floats drawn from [-1, 1)",
    .params = reduction_params,
    .run = reduction_run,
};
