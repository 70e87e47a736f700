/* vecadd: streams two vectors in and one out; the plain bandwidth-bound program. */
#include "workloads/random.h"
#include "workloads/verify.h"

enum { BLOCK = 256 };

static void vecadd_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "n");
    u64 bytes = (u64)n * sizeof(float);
    float *a = host_memory(h, bytes), *b = host_memory(h, bytes);
    random_floats(host_seed(h), 0, -1.0f, 1.0f, a, n);
    random_floats(host_seed(h), 1, -1.0f, 1.0f, b, n);

    u64 device_a = host_alloc(h, bytes, "a"), device_b = host_alloc(h, bytes, "b");
    u64 device_c = host_alloc(h, bytes, "c");
    host_write(h, device_a, a, bytes);
    host_write(h, device_b, b, bytes);
    const void *args[] = {&device_a, &device_b, &device_c, &n};
    host_launch(h, host_find(h, "vecadd"), (struct host_dim){(u32)div_up(n, BLOCK), 1, 1},
                (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *c = host_memory(h, bytes);
    host_read(h, c, device_c, bytes);
    for (u32 i = 0; i < n; i++) a[i] += b[i];
    const char *why = verify_f32(h, "c", c, a, n);
    host_checked(h, !why, why);
}

static const struct workload_param vecadd_params[] = {
    {"n", 2097152, 65000, 1, 1 << 28, "elements of each vector"},
    {0},
};
const struct workload workload_vecadd = {"vecadd", "c = a + b over float vectors", "corun",
                                         vecadd_params, vecadd_run};
