/* vecadd: streams two input vectors and an output vector; the plain bandwidth-bound program. */
#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 256 };
enum { PIECE = 1 << 16 }; /* elements in host memory at a time */

static void vecadd_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "n");
    u64 device_a = upload_floats(h, "a", 0, -1.0f, 1.0f, n);
    u64 device_b = upload_floats(h, "b", 1, -1.0f, 1.0f, n);
    u64 device_c = host_alloc(h, n * sizeof(float), "c");
    const void *args[] = {&device_a, &device_b, &device_c, &n};
    struct host_dim grid = {(u32)div_up(n, BLOCK), 1, host_repeat(h)};
    host_launch(h, host_find(h, "vecadd"), grid, (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *a = host_memory(h, PIECE * sizeof *a), *b = host_memory(h, PIECE * sizeof *b);
    float *c = host_memory(h, PIECE * sizeof *c);
    const char *why = NULL;
    for (u32 first = 0; first < n && !why; first += PIECE) {
        u32 piece = min_u32(PIECE, n - first);
        host_read(h, c, device_c + first * sizeof(float), piece * sizeof *c);
        random_floats(host_seed(h), 0, -1.0f, 1.0f, first, a, piece);
        random_floats(host_seed(h), 1, -1.0f, 1.0f, first, b, piece);
        for (u32 i = 0; i < piece; i++) a[i] += b[i];
        why = verify_f32(h, "c", first, c, a, piece);
    }
    host_checked(h, !why, why);
}

static const struct workload_param vecadd_params[] = {
    {"n", 2097152, 65000, 4194304, 1, 1 << 28, "elements of each vector"},
    REPEAT_PARAM(1, 256),
    {0},
};
const struct workload workload_vecadd = {
    .name = "vecadd",
    .sentence = "c = a + b over float vectors",
    .suite = "corun",
    .algorithm = "elementwise sum, from its definition",
    .input = "two vectors of floats drawn from [-1, 1)",
    .params = vecadd_params,
    .run = vecadd_run,
};
