/* fwt: dyadic convolution by fast Walsh transforms: both inputs are transformed, multiplied and
 * transformed back. Streaming passes over device memory and a pass with barriers in shared memory.
 * */
#include "workloads/random.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 256, SHARED_LOG2 = 11, MODULATE_BLOCKS = 128 };

static void launch(struct host *h, const char *kernel, u32 blocks, u32 threads, u32 shared_bytes,
                   const void *const *args)
{
    host_launch(h, host_find(h, kernel), (struct host_dim){blocks, 1, 1},
                (struct host_dim){threads, 1, 1}, shared_bytes, 0, args);
}

static void transform_on_device(struct host *h, u64 data, u32 log2)
{
    u32 left = log2;
    for (; left > SHARED_LOG2; left -= 2) {
        u32 stride = 1u << (left - 2);
        const void *args[] = {&data, &stride};
        launch(h, "fwt_global", (1u << (log2 - 2)) / BLOCK, BLOCK, 0, args);
    }
    u32 elements = 1u << left;
    const void *args[] = {&data, &elements};
    launch(h, "fwt_shared", 1u << (log2 - left), elements / 4, elements * (u32)sizeof(float), args);
}

static void transform(float *data, u64 n)
{
    for (u64 stride = n / 2; stride > 0; stride /= 2)
        for (u64 i = 0; i < n; i++) {
            if (i & stride) continue;
            float a = data[i], b = data[i + stride];
            data[i] = a + b;
            data[i + stride] = a - b;
        }
}

static void convolve(float *data, float *filter, u64 n, float scale, u32 rounds)
{
    transform(filter, n);
    for (u32 round = 0; round < rounds; round++) {
        transform(data, n);
        for (u64 i = 0; i < n; i++) data[i] *= filter[i] * scale;
        transform(data, n);
    }
}

static void fwt_run(struct host *h)
{
    u32 log2 = (u32)host_integer(h, "log2"), n = 1u << log2;
    u32 filter_n = min_u32(1u << host_integer(h, "filter_log2"), n);
    u32 rounds = (u32)host_integer(h, "rounds");
    u64 bytes = (u64)n * sizeof(float);
    float *filter = host_memory(h, bytes), reach = 1.0f / (float)filter_n, scale = 1.0f / (float)n;
    random_floats(host_seed(h), 1, -reach, reach, 0, filter, filter_n);
    u64 device_data = upload_floats(h, "data", 0, -1.0f, 1.0f, n);
    u64 device_filter = upload_bytes(h, "filter", filter, bytes);
    transform_on_device(h, device_filter, log2);
    for (u32 round = 0; round < rounds; round++) {
        transform_on_device(h, device_data, log2);
        const void *args[] = {&device_data, &device_filter, &scale, &n};
        launch(h, "fwt_modulate", MODULATE_BLOCKS, BLOCK, 0, args);
        transform_on_device(h, device_data, log2);
    }
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *data = host_memory(h, bytes);
    random_floats(host_seed(h), 0, -1.0f, 1.0f, 0, data, n);
    convolve(data, filter, n, scale, rounds);
    const char *why = verify_device_f32(h, "data", device_data, data, n);
    host_checked(h, !why, why);
}

static const struct workload_param fwt_params[] = {
    {"log2", 18, 14, 20, 3, 26, "log2 of the elements"},
    {"filter_log2", 7, 5, 7, 0, 26, "log2 of the filter's elements; the rest of it is zero"},
    {"rounds", 1, 2, 10000, 1, 10000, "convolutions, each of the last one's result"},
    {0},
};
const struct workload workload_fwt = {
    .name = "fwt",
    .sentence = "dyadic convolution by fast Walsh transforms",
    .suite = "CUDA SDK",
    .algorithm = "fast Walsh transform (Fino and Algazi, 1976), two levels at a time",
    .input = "data drawn from [-1, 1), a short filter whose weights sum to less than 1",
    .params = fwt_params,
    .run = fwt_run,
};
