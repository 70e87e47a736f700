/* gups: random read-modify-writes over a table far larger than the caches; the latency- and
 * row-bound program with atomics. Exclusive or commutes, so the result is exact in any order of the
 * updates. */
#include "workloads/verify.h"

enum { BLOCK = 256 };
enum { PIECE = 1 << 16 }; /* words of the output in host memory at a time */

static u64 first_value(u64 seed, u32 thread)
{
    u64 r = seed + ((u64)thread + 1) * 0x9e3779b97f4a7c15u;
    r = (r ^ (r >> 30)) * 0xbf58476d1ce4e5b9u;
    r = (r ^ (r >> 27)) * 0x94d049bb133111ebu;
    return r ^ (r >> 31);
}

static void apply_updates(u64 *table, u64 mask, u64 seed, u32 threads, u32 updates)
{
    for (u32 thread = 0; thread < threads; thread++) {
        u64 r = first_value(seed, thread);
        for (u32 i = 0; i < updates; i++) {
            r = (r << 1) ^ (r >> 63 ? 7u : 0u);
            table[r & mask] ^= r;
        }
    }
}

static void gups_run(struct host *h)
{
    u64 words = (u64)1 << host_integer(h, "table_log2"), mask = words - 1, seed = host_seed(h);
    u32 threads = (u32)host_integer(h, "threads"), updates = (u32)host_integer(h, "updates");
    u64 device = host_alloc(h, words * sizeof(u64), "table");
    u64 *table = host_memory(h, words * sizeof *table);
    for (u64 i = 0; i < words; i++) table[i] = i;
    host_write(h, device, table, words * sizeof *table);
    const void *args[] = {&device, &mask, &seed, &threads, &updates};
    host_launch(h, host_find(h, "gups"), (struct host_dim){(u32)div_up(threads, BLOCK), 1, 1},
                (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    apply_updates(table, mask, seed, threads, updates);
    u64 *got = host_memory(h, PIECE * sizeof *got);
    const char *why = NULL;
    for (u64 first = 0; first < words && !why; first += PIECE) {
        u64 piece = min_u64(PIECE, words - first);
        host_read(h, got, device + first * sizeof *got, piece * sizeof *got);
        why = verify_u64(h, "table", first, got, table + first, piece);
    }
    host_checked(h, !why, why);
}

static const struct workload_param gups_params[] = {
    {"table_log2", 22, 16, 22, 1, 27, "log2 of the table's 8-byte words"},
    {"threads", 131072, 12000, 131072, 1, 1 << 26, "threads, each with a sequence of its own"},
    {"updates", 8, 5, 1048576, 1, 1 << 20, "updates per thread"},
    {0},
};
const struct workload workload_gups = {
    .name = "gups",
    .sentence = "random 64-bit xor updates of a large table",
    .suite = "HPC Challenge",
    .algorithm = "random xor updates of a table",
    .input = "a shift-register sequence per thread over a table of its own indices",
    .params = gups_params,
    .run = gups_run,
};
