/* Levels of a triangular matrix, found on the host: rows depend on rows of earlier levels only. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sparse/sparse.h"

enum { NARROW = 1024 }; /* threads that a single block replaces */

void sparse_levels_end(struct sparse_levels *s)
{
    if (s->device) library_run_time()->cudaFree(s->device);
    free(s->levels);
    memset(s, 0, sizeof *s);
}

/* Copies n numbers of the device. Returns NULL without memory or after an error. */
static long long *numbers(cusparseHandle_t h, const void *at, int wide, long long n)
{
    const struct library_run_time *r = library_run_time();
    size_t bytes = (size_t)n * (wide ? sizeof(long long) : sizeof(int));
    long long *to = malloc((size_t)n * sizeof *to + 1);
    if (to && n && (r->cudaMemcpyAsync(to, at, bytes, cudaMemcpyDeviceToHost, h->stream) ||
                    r->cudaStreamSynchronize(h->stream))) {
        free(to);
        return NULL;
    }
    for (long long i = n; to && !wide && i--;) to[i] = ((const int *)(void *)to)[i];
    return to;
}

static bool is_within(long long x, int base, long long n) { return x >= base && x - base < n; }

/* True if the offsets of lines ascend from the base over all elements; with COO if the line of each
 * element exists. */
static bool right_offsets(cusparseConstSpMatDescr_t m, const long long *offsets)
{
    struct sparse_lines a = sparse_lines(m);
    bool right = a.coordinate || (offsets[0] == a.base && offsets[a.n] - a.base == a.elements);
    for (long long i = 0; right && i < (a.coordinate ? a.elements : a.n); i++)
        right = a.coordinate ? is_within(offsets[i], a.base, a.n) : offsets[i] <= offsets[i + 1];
    return right;
}

/* True if the position of each element exists. */
static bool right_indices(cusparseConstSpMatDescr_t m, const long long *indices)
{
    bool right = true;
    for (long long e = 0; right && e < m->nnz; e++)
        right = is_within(indices[e], (int)m->base, m->rows);
    return right;
}

/* True if the positions in each line of CSR or CSC ascend. */
static bool ascending_indices(cusparseConstSpMatDescr_t m, const long long *offsets,
                              const long long *indices)
{
    struct sparse_lines a = sparse_lines(m);
    bool right = !a.coordinate;
    for (long long i = 0; right && i < a.n; i++)
        for (long long e = offsets[i] - a.base + 1; right && e < offsets[i + 1] - a.base; e++)
            right = indices[e - 1] < indices[e];
    return right;
}

struct element { /* of op(A) outside the diagonal */
    int row, column, place;
};

/* The elements of the triangle, and the places of the diagonal. Returns the number of elements. */
static int elements_of(cusparseConstSpMatDescr_t m, bool across, const long long *offsets,
                       const long long *indices, struct element *out, int *diagonal)
{
    struct sparse_lines a = sparse_lines(m);
    int n = 0, line = 0, elements = (int)a.elements;
    for (int i = 0; i < a.n; i++) diagonal[i] = -1;
    for (int e = 0; e < elements; e++) {
        if (a.coordinate) line = (int)offsets[e] - a.base;
        else while (offsets[line + 1] - a.base <= e) line++;
        int index = (int)indices[e] - a.base, row = line, column = index;
        if (m->format == CUSPARSE_FORMAT_CSC) row = index, column = line;
        if (row == column) diagonal[row] = e;
        if (m->fill == CUSPARSE_FILL_MODE_LOWER ? column >= row : column <= row) continue;
        out[n++] = (struct element){across ? column : row, across ? row : column, e};
    }
    return n;
}

/* Arrays of the triangle in `room`, with the numbers of `sparse_triangle`. */
struct arrays {
    int *rows, *levels, *starts, *columns, *places, *diagonal;
};
static struct arrays arrays_in(int *room, int n, int elements)
{
    struct arrays a;
    a.rows = room, a.levels = a.rows + n, a.starts = a.levels + n + 1;
    a.columns = a.starts + n + 1, a.places = a.columns + elements;
    a.diagonal = a.places + elements;
    return a;
}

/* Sorts elements by rows, and rows by levels. ascending: a row depends on rows before the row.
 * level: room for n numbers. Returns the number of levels. */
static int sort(struct arrays a, const struct element *all, int n, int elements, bool ascending,
                int *level)
{
    int level_n = 0;
    memset(a.starts, 0, sizeof(int) * ((size_t)n + 1));
    for (int e = 0; e < elements; e++) a.starts[all[e].row + 1]++;
    for (int i = 0; i < n; i++) a.starts[i + 1] += a.starts[i];
    memcpy(level, a.starts, sizeof(int) * (size_t)n);
    for (int e = 0; e < elements; e++) {
        int at = level[all[e].row]++;
        a.columns[at] = all[e].column, a.places[at] = all[e].place;
    }
    for (int k = 0; k < n; k++) {
        int row = ascending ? k : n - 1 - k;
        level[row] = 0;
        for (int e = a.starts[row]; e < a.starts[row + 1]; e++)
            if (level[a.columns[e]] >= level[row]) level[row] = level[a.columns[e]] + 1;
        if (level[row] >= level_n) level_n = level[row] + 1;
    }
    memset(a.levels, 0, sizeof(int) * ((size_t)n + 1));
    for (int i = 0; i < n; i++) a.levels[level[i]]++;
    for (int l = 0, before = 0; l <= level_n && l <= n; l++) {
        int here = a.levels[l];
        a.levels[l] = before;
        before += here;
    }
    for (int i = 0; i < n; i++) a.rows[a.levels[level[i]]++] = i;
    for (int l = level_n; l > 0; l--) a.levels[l] = a.levels[l - 1];
    a.levels[0] = 0;
    return level_n;
}

static cusparseStatus_t build(cusparseHandle_t h, cusparseConstSpMatDescr_t m,
                              cusparseOperation_t op, struct sparse_levels *s, long long *offsets,
                              long long *indices, struct element *all, int *room)
{
    int n = (int)m->rows;
    bool across = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    bool ascending = (m->fill == CUSPARSE_FILL_MODE_LOWER) != across;
    struct arrays host = arrays_in(room, n, (int)m->nnz);
    int elements = elements_of(m, across, offsets, indices, all, host.diagonal);
    int *level = host.diagonal + n, row = 0;
    while (row < n && host.diagonal[row] >= 0) row++;
    s->no_diagonal = row < n ? row : -1;
    s->ascending = ascending_indices(m, offsets, indices);
    s->n = n, s->nnz = (int)m->nnz;
    s->op = op, s->fill = m->fill, s->diag = m->diag;
    s->level_n = sort(host, all, n, elements, ascending, level);
    size_t bytes = (size_t)(level - room) * sizeof *room;
    const struct library_run_time *r = library_run_time();
    s->levels = malloc(((size_t)n + 1) * sizeof *s->levels);
    if (!s->levels || r->cudaMalloc((void **)&s->device, bytes))
        return CUSPARSE_STATUS_ALLOC_FAILED;
    memcpy(s->levels, host.levels, ((size_t)n + 1) * sizeof *s->levels);
    if (r->cudaMemcpyAsync(s->device, room, bytes, cudaMemcpyHostToDevice, h->stream) ||
        r->cudaStreamSynchronize(h->stream))
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    struct arrays there = arrays_in(s->device, n, (int)m->nnz);
    s->a = (struct sparse_triangle){
        .rows = there.rows, .levels = there.levels, .starts = there.starts,
        .columns = there.columns, .places = there.places, .diagonal = there.diagonal,
        .conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
        .unit = m->diag == CUSPARSE_DIAG_TYPE_UNIT};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t sparse_levels(cusparseHandle_t h, cusparseConstSpMatDescr_t m,
                               cusparseOperation_t op, struct sparse_levels *s)
{
    struct sparse_lines a = sparse_lines(m);
    sparse_levels_end(s);
    long long *offsets = numbers(h, a.offsets, a.wide_offsets, a.coordinate ? m->nnz : a.n + 1);
    if (offsets && !right_offsets(m, offsets)) {
        free(offsets);
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    long long *indices = numbers(h, a.indices, a.wide_indices, m->nnz);
    struct element *all = malloc((size_t)m->nnz * sizeof *all + 1);
    int *room = calloc(5 * (size_t)m->rows + 2 * (size_t)m->nnz + 2, sizeof *room);
    cusparseStatus_t status = CUSPARSE_STATUS_ALLOC_FAILED;
    if (indices && !right_indices(m, indices)) status = CUSPARSE_STATUS_INVALID_VALUE;
    else if (offsets && indices && all && room)
        status = build(h, m, op, s, offsets, indices, all, room);
    if (status) sparse_levels_end(s);
    free(offsets), free(indices), free(all), free(room);
    return status;
}

dim3 sparse_levels_launch(const struct sparse_levels *s, long long each, int from, int *to)
{
    long long threads = (s->levels[from + 1] - s->levels[from]) * each;
    *to = from + 1;
    if (threads > NARROW) return sparse_blocks(threads, 1);
    while (*to < s->level_n && (s->levels[*to + 1] - s->levels[*to]) * each <= NARROW) ++*to;
    return (dim3){1, 1, 1};
}
