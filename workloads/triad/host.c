/* triad: the host streams two long vectors through a small buffer on the device, a launch per
 * chunk, and takes the sums back. The buffer stays in L2, and little traffic reaches DRAM; a chunk
 * as long as the vectors gives the plain STREAM triad in device memory. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/verify.h"

enum { BLOCK = 128 };

/* Elements [first, first + n) of the two inputs. */
static void make_inputs(u64 seed, u64 first, float *b, float *c, u32 n)
{
    random_floats(seed, 0, -1.0f, 1.0f, first, b, n);
    random_floats(seed, 1, -1.0f, 1.0f, first, c, n);
}

static void triad_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "n"), chunk = min_u32((u32)host_integer(h, "chunk"), n);
    u64 seed = host_seed(h), bytes = chunk * sizeof(float);
    float s = (float)host_number(h, "s");
    float *a = host_memory(h, bytes), *b = host_memory(h, bytes), *c = host_memory(h, bytes);
    u64 device_a = host_alloc(h, bytes, "a"), device_b = host_alloc(h, bytes, "b");
    u64 device_c = host_alloc(h, bytes, "c");
    struct host_kernel *kernel = host_find(h, "triad");
    const char *why = NULL;
    for (u32 first = 0; first < n && !why; first += chunk) {
        u32 count = min_u32(chunk, n - first);
        make_inputs(seed, first, b, c, count);
        host_write(h, device_b, b, count * sizeof *b);
        host_write(h, device_c, c, count * sizeof *c);
        const void *args[] = {&device_a, &device_b, &device_c, &s, &count};
        struct host_dim grid = {(u32)div_up(count, BLOCK), 1, host_repeat(h)};
        host_launch(h, kernel, grid, (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
        host_read(h, a, device_a, count * sizeof *a);
        if (!host_wants_check(h)) continue;
        for (u32 i = 0; i < count; i++) b[i] = fmaf(s, c[i], b[i]);
        why = verify_f32(h, "a", first, a, b, count);
    }
    if (host_wants_check(h)) host_checked(h, !why, why);
}

static const struct workload_param triad_params[] = {
    {"n", 2097152, 20000, 1 << 30, 1, 1 << 30, "elements of each vector"},
    {"chunk", 16384, 6000, 16384, 1, 1 << 26, "elements on the device at a time"},
    {"s", 1.75, 1.75, 1.75, -1000, 1000, "the factor of c"},
    REPEAT_PARAM(1, 1),
    {0},
};
const struct workload workload_triad = {
    .name = "triad",
    .sentence = "a = b + s c over float vectors, chunk by chunk through one buffer",
    .suite = "SHOC",
    .algorithm = "STREAM triad (McCalpin, 1995)",
    .input = "two vectors of floats drawn from [-1, 1)",
    .params = triad_params,
    .run = triad_run,
};
