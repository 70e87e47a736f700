/* spmv: sparse matrix times vector with rows of very unequal length: warps diverge and loads
 * scatter. Blocks of 192 threads, as the papers' spmv (machine description section 6, row sv). */
#include <math.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/verify.h"

enum { BLOCK = 192 };
enum { STREAM_LENGTH, STREAM_COLUMN, STREAM_VALUE, STREAM_X };

/* Row lengths are 3 mean u^2, u uniform in [0, 1): their mean is `mean`, half of the rows are
 * shorter than 3/4 of the mean and some are empty. Returns the number of entries. */
static u32 row_starts(u64 seed, u32 rows, u32 mean, u32 *start)
{
    u32 words[4] = {0};
    for (u32 r = 0; r < rows; r++) {
        if (r % 4 == 0) random_words(seed, STREAM_LENGTH, 0, r / 4, words);
        u64 u = words[r % 4] >> 16;
        start[r + 1] = start[r] + (u32)((3 * mean * u * u) >> 32);
    }
    return start[rows];
}

/* Draws the columns of a row, ascending: a column from each of `length` equal parts of the row. */
static void row_columns(u64 seed, u32 rows, const u32 *start, u32 *column)
{
    u32 words[4] = {0};
    for (u32 r = 0; r < rows; r++) {
        u64 length = start[r + 1] - start[r];
        for (u32 k = start[r]; k < start[r + 1]; k++) {
            if (k % 4 == 0) random_words(seed, STREAM_COLUMN, 0, k / 4, words);
            u64 place = (((u64)(k - start[r]) << 32) + words[k % 4]) / length; /* below 2^32 */
            column[k] = (u32)((place * rows) >> 32);
        }
    }
}

static void spmv_run(struct host *h)
{
    u32 rows = (u32)host_integer(h, "rows");
    u64 seed = host_seed(h), x_bytes = (u64)rows * sizeof(float),
        start_bytes = ((u64)rows + 1) * sizeof(u32);
    u32 *start = host_memory(h, start_bytes);
    u32 entries = row_starts(seed, rows, (u32)host_integer(h, "mean"), start);
    u64 entry_bytes = ((u64)entries + 1) * 4; /* plus 1: an allocation is never empty */
    u32 *column = host_memory(h, entry_bytes);
    float *value = host_memory(h, entry_bytes), *x = host_memory(h, x_bytes);
    row_columns(seed, rows, start, column);
    random_floats(seed, STREAM_VALUE, -1.0f, 1.0f, 0, value, entries);
    random_floats(seed, STREAM_X, -1.0f, 1.0f, 0, x, rows);

    u64 device_start = host_alloc(h, start_bytes, "row"),
        device_column = host_alloc(h, entry_bytes, "column");
    u64 device_value = host_alloc(h, entry_bytes, "value"), device_x = host_alloc(h, x_bytes, "x");
    u64 device_y = host_alloc(h, x_bytes, "y");
    host_write(h, device_start, start, start_bytes);
    host_write(h, device_column, column, entry_bytes);
    host_write(h, device_value, value, entry_bytes);
    host_write(h, device_x, x, x_bytes);
    const void *args[] = {&device_start, &device_column, &device_value,
                          &device_x,     &device_y,      &rows};
    struct host_dim grid = {(u32)div_up(rows, BLOCK), 1, host_repeat(h)};
    host_launch(h, host_find(h, "spmv"), grid, (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *y = host_memory(h, x_bytes), *want = host_memory(h, x_bytes);
    host_read(h, y, device_y, x_bytes);
    for (u32 r = 0; r < rows; r++)
        for (u32 k = start[r]; k < start[r + 1]; k++)
            want[r] = fmaf(value[k], x[column[k]], want[r]);
    const char *why = verify_f32(h, "y", 0, y, want, rows);
    host_checked(h, !why, why);
}

static const struct workload_param spmv_params[] = {
    {"rows", 49152, 5000, 262144, 1, 1 << 22, "rows and columns of the matrix"},
    {"mean", 24, 12, 24, 1, 128, "mean entries per row; the longest rows have three times as many"},
    REPEAT_PARAM(1, 1024),
    {0},
};
const struct workload workload_spmv = {
    .name = "spmv",
    .sentence = "y = A x, A in CSR form, one thread per row",
    .suite = "corun",
    .algorithm = "row by row (Saad, Iterative Methods for Sparse Linear Systems, section 3.4)",
    .input = "rows of random length at random columns",
    .params = spmv_params,
    .run = spmv_run,
};
