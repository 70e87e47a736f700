/* Occupancy on today's machines: blocks per SM of drawn kernels, equal to CUDA's occupancy
 * calculator (cuda_occupancy.h of CUDA 13.0, executed on the same kernels). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/dispatch/capacity.h"
#include "run/input/gpu_file.h"

static const struct drawn {
    const char *gpu;
    u32 registers, threads, shared, blocks; /* per thread; of a block; bytes; per SM */
} drawn[] = {
    {"a100", 16, 32, 17626, 8}, /* not drawn: 9 if shared memory were not rounded up */
    {"a100", 190, 224, 109644, 1}, {"h100", 63, 17, 0, 32}, {"rtx4090", 46, 897, 380, 1},
    {"rtx5090", 117, 160, 11017, 3}, {"a100", 38, 665, 0, 2}, {"h100", 104, 55, 1849, 8},
    {"rtx4090", 90, 32, 0, 20}, {"rtx5090", 35, 105, 10374, 8}, {"a100", 71, 501, 11942, 1},
    {"h100", 47, 448, 0, 2}, {"rtx4090", 94, 50, 0, 10}, {"rtx5090", 109, 5, 10409, 8},
    {"a100", 107, 608, 0, 0}, {"h100", 41, 362, 0, 3}, {"rtx4090", 24, 86, 5054, 16},
    {"rtx5090", 75, 352, 9061, 2}, {"a100", 52, 164, 0, 6}, {"h100", 109, 130, 10578, 3},
    {"rtx4090", 125, 192, 0, 2}, {"rtx5090", 27, 933, 10923, 1}, {"a100", 111, 331, 7819, 1},
    {"h100", 47, 192, 107645, 2}, {"rtx4090", 84, 274, 0, 2}, {"rtx5090", 70, 656, 9577, 1},
    {"a100", 96, 608, 0, 1}, {"h100", 33, 310, 0, 4}, {"rtx4090", 38, 125, 9243, 9},
    {"rtx5090", 96, 32, 8758, 10}, {"a100", 78, 317, 121577, 1}, {"h100", 59, 497, 7940, 2},
    {"rtx4090", 127, 480, 0, 1}, {"rtx5090", 35, 192, 6195, 8}, {"a100", 33, 804, 10896, 1},
    {"h100", 101, 64, 0, 8}, {"rtx4090", 118, 293, 0, 1}, {"rtx5090", 157, 279, 10716, 1},
    {"a100", 30, 64, 0, 32}, {"h100", 75, 1, 0, 24}, {"rtx4090", 78, 156, 8667, 4},
    {"rtx5090", 101, 544, 10007, 0}, {"a100", 110, 566, 0, 0}, {"h100", 55, 125, 3075, 9},
    {"rtx4090", 53, 608, 26410, 1}, {"rtx5090", 104, 272, 8046, 1}, {"a100", 40, 582, 5570, 2},
    {"h100", 255, 224, 0, 1}, {"rtx4090", 112, 95, 0, 5}, {"rtx5090", 110, 514, 4345, 0},
    {"a100", 57, 704, 0, 1}, {"h100", 119, 262, 124156, 1}, {"rtx4090", 92, 399, 3283, 1},
    {"rtx5090", 26, 160, 5324, 9}, {"a100", 24, 895, 0, 2}, {"h100", 66, 711, 9033, 1},
    {"rtx4090", 42, 800, 0, 1}, {"rtx5090", 167, 52, 8858, 6}, {"a100", 105, 37, 377, 8},
    {"h100", 103, 64, 0, 8}, {"rtx4090", 56, 362, 0, 3}, {"rtx5090", 19, 386, 10154, 3},
    {"a100", 202, 32, 0, 8}, {"h100", 71, 46, 0, 14}, {"rtx4090", 106, 498, 5016, 1},
    {"rtx5090", 69, 224, 8864, 4}, {"a100", 52, 17, 0, 32}, {"h100", 150, 94, 8730, 4},
    {"rtx4090", 44, 96, 0, 13}, {"rtx5090", 22, 334, 8607, 4}, {"a100", 74, 840, 5415, 0},
    {"h100", 116, 128, 0, 4}, {"rtx4090", 240, 200, 11520, 1}, {"rtx5090", 58, 176, 9601, 5},
    {"a100", 41, 736, 0, 1}, {"h100", 60, 667, 0, 1}, {"rtx4090", 100, 626, 9272, 0},
    {"rtx5090", 229, 192, 11432, 1}, {"a100", 123, 164, 0, 2}, {"h100", 23, 87, 2608, 21},
    {"rtx4090", 126, 448, 0, 1}, {"rtx5090", 80, 425, 1867, 1}, {"a100", 199, 238, 5482, 1},
    {"h100", 55, 64, 0, 18}, {"rtx4090", 81, 263, 0, 2}, {"rtx5090", 65, 68, 2895, 9},
    {"a100", 29, 480, 48138, 3}, {"h100", 130, 17, 0, 12}, {"rtx4090", 82, 119, 10091, 5},
    {"rtx5090", 50, 896, 6606, 1}, {"a100", 58, 976, 0, 1}, {"h100", 126, 505, 5523, 1},
    {"rtx4090", 158, 32, 0, 12}, {"rtx5090", 126, 158, 1224, 3}, {"a100", 92, 675, 7634, 0},
    {"h100", 30, 608, 0, 3}, {"rtx4090", 68, 914, 0, 0}, {"rtx5090", 200, 18, 144, 8},
    {"a100", 98, 128, 0, 4}, {"h100", 52, 43, 0, 18}, {"rtx4090", 70, 624, 3197, 1},
    {"rtx5090", 95, 576, 5351, 1},
};

static u32 blocks_per_sm(const struct drawn *d)
{
    struct gpu_file g;
    struct fail fail = {0};
    struct program p = {.name = "drawn", .registers = d->registers};
    const struct launch l = {.program = &p, .grid = {1, 1, 1}, .block = {d->threads, 1, 1},
                             .registers = d->registers, .dynamic_shared_bytes = d->shared};
    struct gpu_occupancy o;
    assert_true(gpu_file_open(&g, d->gpu, NULL, 0, &fail));
    gpu_occupancy(&g.machine, &l, &o);
    gpu_file_free(&g);
    return o.blocks_per_sm;
}

static void test_drawn(void **state)
{
    (void)state;
    for (u32 i = 0; i < COUNT_OF(drawn); i++) {
        u32 blocks = blocks_per_sm(&drawn[i]);
        if (blocks != drawn[i].blocks)
            fail_msg("%s: %u threads with %u registers, %u bytes: %u blocks, CUDA has %u",
                     drawn[i].gpu, drawn[i].threads, drawn[i].registers, drawn[i].shared, blocks,
                     drawn[i].blocks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
