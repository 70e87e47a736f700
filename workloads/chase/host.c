/* chase: latency of a load by a pointer chase over a buffer of any size; the size chooses the level
 * of memory. Shared memory of the block makes L1 smaller where both are one memory. The ring's
 * lines lie in the first sixteenth of the buffer: after a read of the whole buffer these lines are
 * the oldest, as in a ring through all lines that is followed again and again. With part=1 they
 * lie anywhere: as in a ring through all lines that is followed for a while. The last launch has
 * `hops` dependent loads, the launch before the last none: the difference of their cycles over the
 * hops is the latency. */
#include <string.h>

#include "workloads/random.h"
#include "workloads/verify.h"

enum { LINE = 128, BLOCK = 256 };

/* Chooses n distinct lines out of `lines`, in random order. */
static void choose_lines(struct host *h, u32 *order, u32 n, u32 lines)
{
    u8 *taken = host_memory(h, lines / 8 + 1);
    u64 draw = 0;
    for (u32 k = 0; k < n;) {
        u32 line = random_below(host_seed(h), 0, draw++, lines);
        if (taken[line / 8] >> line % 8 & 1) continue;
        taken[line / 8] |= (u8)(1u << line % 8);
        order[k++] = line;
    }
}

static void chase_run(struct host *h)
{
    u64 bytes = (u64)host_integer(h, "bytes"), warm = min_u64((u64)host_integer(h, "warm"), bytes);
    u32 own = (u32)(min_u64((u64)host_integer(h, "own"), bytes) / LINE);
    u32 lines = (u32)(bytes / LINE), hops = (u32)round_up((u64)host_integer(h, "hops"), 16);
    u32 n = min_u32(lines, hops), none = 0, warm_lines = (u32)(warm / LINE);
    u64 ring = host_alloc(h, bytes, "ring"), out = host_alloc(h, 2 * sizeof(u64), "out");
    u32 *order = host_memory(h, n * sizeof *order);
    choose_lines(h, order, n, max_u32(n, lines / (u32)host_integer(h, "part")));
    for (u32 k = 0; k < n; k++) {
        u64 next = ring + (u64)order[(k + 1) % n] * LINE;
        host_write(h, ring + (u64)order[k] * LINE, &next, sizeof next);
    }
    u64 start = ring + (u64)order[0] * LINE;
    struct host_kernel *kernel = host_find(h, "chase");
    const struct host_dim one = {1, 1, 1}, block = {BLOCK, 1, 1};
    if (warm_lines) {
        const void *args[] = {&ring, &warm_lines, &out};
        struct host_dim grid = {(u32)div_up(warm_lines, BLOCK), 1, 1};
        host_launch(h, host_find(h, "warm"), grid, block, 0, 0, args);
    }
    u32 shared = (u32)host_integer(h, "shared");
    s64 carveout = host_integer(h, "carveout");
    if (carveout >= 0) host_prefer_carveout(kernel, (u32)carveout);
    const void *empty[] = {&ring, &start, &own, &none, &out};
    const void *args[] = {&ring, &start, &own, &hops, &out};
    host_launch(h, kernel, one, block, shared, 0, empty);
    host_launch(h, kernel, one, block, shared, 0, args);
    host_sync(h);
    u64 got, want = ring + (u64)order[hops % n] * LINE;
    host_read(h, &got, out, sizeof got);
    if (!host_wants_check(h)) return;
    const char *why = verify_u64(h, "out", 0, &got, &want, 1);
    host_checked(h, !why, why);
}

static const struct workload_param chase_params[] = {
    {"bytes", 16777216, 1048576, 16777216, LINE, 1ull << 33, "bytes of the buffer"},
    {"hops", 4096, 256, 1048576, 16, 1 << 24, "dependent loads, rounded up to a multiple of 16"},
    {"warm", 1ull << 27, 1048576, 1 << 27, 0, 1ull << 33,
     "bytes read by all SMs before: the buffer's first"},
    {"own", 0, 0, 0, 0, 1ull << 33, "bytes read by the block itself before, through L1"},
    {"part", 16, 16, 16, 1, 4096, "the ring's lines lie in the first 1/part of the buffer"},
    {"shared", 0, 0, 0, 0, 1 << 18, "bytes of shared memory of the block"},
    {"carveout", -1, -1, -1, -1, 100,
     "preferred shared memory of an SM, percent of the largest carve-out; -1: no preference"},
    {0},
};
const struct workload workload_chase = {
    .name = "chase",
    .sentence = "dependent loads around a ring of random lines",
    .suite = "corun",
    .algorithm = "pointer chase (McVoy and Staelin, lmbench, 1996)",
    .input = "a ring through random lines of a part of the buffer",
    .params = chase_params,
    .run = chase_run,
};
