/* scalarprod: dot products of many pairs of vectors, a block each; bandwidth-bound with a tree in
 * shared memory at the end of each block. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 256, PARTS = 1024 };

static float dot(const float *x, const float *y, u32 n)
{
    float part[PARTS] = {0};
    for (u32 i = 0; i < n; i++) part[i % PARTS] = fmaf(x[i], y[i], part[i % PARTS]);
    for (u32 half = PARTS / 2; half > 0; half /= 2)
        for (u32 i = 0; i < half; i++) part[i] += part[i + half];
    return part[0];
}

static void scalarprod_run(struct host *h)
{
    u32 pairs = (u32)host_integer(h, "pairs"), elements = (u32)host_integer(h, "elements");
    u64 device_a = upload_floats(h, "a", 0, -1.0f, 1.0f, (u64)pairs * elements);
    u64 device_b = upload_floats(h, "b", 1, -1.0f, 1.0f, (u64)pairs * elements);
    u64 device_product = host_alloc(h, pairs * sizeof(float), "product");
    const void *args[] = {&device_a, &device_b, &device_product, &elements};
    host_launch(h, host_find(h, "scalarprod"), (struct host_dim){pairs, 1, host_repeat(h)},
                (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *x = host_memory(h, elements * sizeof *x), *y = host_memory(h, elements * sizeof *y);
    float *want = host_memory(h, pairs * sizeof *want);
    for (u32 i = 0; i < pairs; i++) {
        u64 first = (u64)i * elements;
        random_floats(host_seed(h), 0, -1.0f, 1.0f, first, x, elements);
        random_floats(host_seed(h), 1, -1.0f, 1.0f, first, y, elements);
        want[i] = dot(x, y, elements);
    }
    const char *why = verify_device_f32(h, "product", device_product, want, pairs);
    host_checked(h, !why, why);
}

static const struct workload_param scalarprod_params[] = {
    {"pairs", 512, 37, 2048, 1, 65536, "pairs of vectors, a block each"},
    {"elements", 4096, 2500, 4096, 1, 65536, "elements of each vector"},
    REPEAT_PARAM(1, 64),
    {0},
};
const struct workload workload_scalarprod = {
    .name = "scalarprod",
    .sentence = "scalar products of many pairs of vectors, one block each",
    .suite = "CUDA SDK",
    .algorithm = "dot product with strided partial sums and a tree",
    .input = "vectors of floats drawn from [-1, 1)",
    .params = scalarprod_params,
    .run = scalarprod_run,
};
