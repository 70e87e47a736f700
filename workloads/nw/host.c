/* nw: global alignment of two sequences, a wavefront of 16x16 tiles with a launch per antidiagonal;
 * few and small blocks, hence bound by latency. Blocks of 16 threads, as the papers' nw. */
#include "workloads/random.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { TILE = 16, SYMBOLS = 20 };
enum { STREAM_DOWN, STREAM_ACROSS, STREAM_TABLE };

/* Likeness of two symbols: 4 to 9 for equal symbols, -4 to 3 for different symbols, symmetric. */
static int alike(u64 seed, u32 a, u32 b)
{
    u32 pair = min_u32(a, b) * SYMBOLS + max_u32(a, b);
    return a == b ? 4 + (int)random_below(seed, STREAM_TABLE, pair, 6)
                  : (int)random_below(seed, STREAM_TABLE, pair, 8) - 4;
}

/* Both sequences, compared symbol by symbol; row and column 0 stand for a gap at the start. */
static void make_similarity(u64 seed, int *similarity, u32 columns)
{
    int table[SYMBOLS][SYMBOLS];
    for (u32 a = 0; a < SYMBOLS; a++)
        for (u32 b = 0; b < SYMBOLS; b++) table[a][b] = alike(seed, a, b);
    for (u32 x = 1; x < columns; x++) /* row 0 holds the symbols across for now */
        similarity[x] = (int)random_below(seed, STREAM_ACROSS, x, SYMBOLS);
    for (u64 y = 1; y < columns; y++) {
        const int *like = table[random_below(seed, STREAM_DOWN, y, SYMBOLS)];
        for (u64 x = 1; x < columns; x++) similarity[y * columns + x] = like[similarity[x]];
    }
    for (u32 x = 1; x < columns; x++) similarity[x] = 0;
}

static void make_edges(int *score, u64 columns, int penalty)
{
    for (u64 i = 0; i < columns; i++) score[i] = score[i * columns] = -(int)i * penalty;
}

/* Fills the first `diagonals` antidiagonals of tiles. */
static void fill_on_cpu(int *score, const int *similarity, u64 columns, int penalty, u64 diagonals)
{
    for (u64 y = 1; y < columns && (y - 1) / TILE < diagonals; y++) {
        u64 end = min_u64(columns, (diagonals - (y - 1) / TILE) * TILE + 1);
        for (u64 x = 1; x < end; x++) {
            int *at = score + y * columns + x, left = at[-1] - penalty;
            int up = *(at - columns) - penalty;
            int best = *(at - columns - 1) + similarity[y * columns + x];
            if (best < left) best = left;
            *at = best < up ? up : best;
        }
    }
}

static void nw_run(struct host *h)
{
    u32 tiles = (u32)div_up((u64)host_integer(h, "n"), TILE), columns = tiles * TILE + 1;
    u32 passes = (u32)host_integer(h, "passes"), diagonals = 2 * tiles - 1;
    u32 first = min_u32((u32)host_integer(h, "first"), diagonals);
    int penalty = (int)host_integer(h, "penalty");
    u64 cells = (u64)columns * columns, bytes = cells * sizeof(int);
    int *similarity = host_memory(h, bytes), *score = host_memory(h, bytes);
    make_similarity(host_seed(h), similarity, columns);
    make_edges(score, columns, penalty);
    fill_on_cpu(score, similarity, columns, penalty, first - 1);
    u64 device_similarity = upload_bytes(h, "similarity", similarity, bytes);
    u64 device_score = upload_bytes(h, "score", score, bytes);

    struct host_kernel *upper = host_find(h, "nw_upper"), *lower = host_find(h, "nw_lower");
    const void *args[] = {&device_score, &device_similarity, &columns, &penalty};
    struct host_dim block = {TILE, 1, 1};
    for (u32 pass = 0; pass < passes; pass++)
        for (u32 i = first; i <= diagonals; i++) {
            u32 length = min_u32(i, 2 * tiles - i);
            host_launch(h, i <= tiles ? upper : lower, (struct host_dim){length, 1, 1}, block, 0, 0,
                        args);
        }
    host_sync(h);

    if (!host_wants_check(h)) return;
    fill_on_cpu(score, similarity, columns, penalty, diagonals);
    const char *why = verify_device_u32(h, "score", device_score, (const u32 *)score, cells);
    host_checked(h, !why, why);
}

static const struct workload_param nw_params[] = {
    {"n", 768, 90, 2048, 1, 8192, "symbols of each sequence, rounded up to tiles of 16"},
    {"penalty", 10, 10, 10, 0, 100, "for a gap of one symbol"},
    {"passes", 1, 1, 10000, 1, 10000, "times the whole matrix is filled"},
    {"first", 1, 1, 1, 1, 1023, "antidiagonal of tiles at which the GPU begins; the CPU fills the "
                                "antidiagonals before"},
    {0},
};
const struct workload workload_nw = {
    .name = "nw",
    .sentence = "global alignment of two sequences, a wavefront of tiles",
    .suite = "Rodinia",
    .algorithm = "Needleman and Wunsch (1970), by antidiagonals of tiles",
    .input = "two random sequences over 20 symbols and a random table of their similarity",
    .params = nw_params,
    .run = nw_run,
};
