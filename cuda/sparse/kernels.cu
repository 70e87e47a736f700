// Kernels of corun's cuSPARSE. `corun cc -ptx -arch=sm_75 kernels.cu` writes kernels.ptx.
#include "../library/number.h"
#include "kernels.h"

#define KERNEL extern "C" __global__ void

__device__ long long thread_id() { return blockIdx.x * (long long)blockDim.x + threadIdx.x; }
__device__ long long threads() { return gridDim.x * (long long)blockDim.x; }

__device__ long long number(const void *at, int wide, long long i)
{
    return wide ? ((const long long *)at)[i] : ((const int *)at)[i];
}

// The first of n numbers in order that is at least x.
__device__ long long search(const void *at, int wide, long long n, long long x)
{
    long long low = 0, high = n;
    while (low < high) {
        long long middle = (low + high) / 2;
        if (number(at, wide, middle) < x) low = middle + 1;
        else high = middle;
    }
    return low;
}

// A matrix of a batch: the first addresses of its arrays.
struct member {
    const char *offsets, *indices;
    long long values;
};
__device__ member of_batch(const sparse_lines &a, unsigned batch)
{
    return {(const char *)a.offsets + batch * a.offsets_batch * (a.wide_offsets ? 8 : 4),
            (const char *)a.indices + batch * a.values_batch * (a.wide_indices ? 8 : 4),
            batch * a.values_batch};
}

// The first element of a line.
__device__ long long first_of(const sparse_lines &a, const member &m, long long line)
{
    if (a.coordinate) return search(m.offsets, a.wide_offsets, a.elements, line + a.base);
    return number(m.offsets, a.wide_offsets, line) - a.base;
}

template<class T> __device__ T value_of(const sparse_lines &a, const member &m, long long e)
{
    T x = ((const T *)a.values)[m.values + e];
    return a.conjugate ? conjugate(x) : x;
}

template<class T> __device__ T &element(const sparse_dense &d, unsigned batch, long long i,
                                        long long j)
{
    return ((T *)d.at)[batch * d.batch + i * d.down + j * d.right];
}

template<class T> __device__ T read(const sparse_dense &d, unsigned batch, long long i, long long j)
{
    T x = element<T>(d, batch, i, j);
    return d.conjugate ? conjugate(x) : x;
}

template<class T> __device__ void put(const sparse_dense &c, unsigned batch, long long i,
                                      long long j, T product, T beta)
{
    T &to = element<T>(c, batch, i, j);
    to = is_zero(beta) ? product : madd(beta, to, product);
}

template<class T> __device__ T from_lane(T x, int down, int lanes)
{
    return __shfl_down_sync(~0u, x, down, lanes);
}
template<class T> __device__ complex<T> from_lane(complex<T> x, int down, int lanes)
{
    return {from_lane(x.x, down, lanes), from_lane(x.y, down, lanes)};
}

// y = alpha a x + beta y: a team of `lanes` threads, a power of two up to 32, per line.
template<class T>
__device__ void lines_times_vector(const sparse_lines &a, const sparse_dense &x,
                                   const sparse_dense &y, const library_scalar &s,
                                   const library_scalar &t, int lanes)
{
    T alpha = scalar<T>(s), beta = scalar<T>(t), sum = zero<T>();
    long long line = thread_id() / lanes;
    int lane = threadIdx.x % lanes;
    if (line < a.n) {
        member m = of_batch(a, 0);
        long long end = first_of(a, m, line + 1);
        for (long long e = first_of(a, m, line) + lane; e < end; e += lanes) {
            long long k = number(m.indices, a.wide_indices, e) - a.base;
            sum = madd(value_of<T>(a, m, e), read<T>(x, 0, k, 0), sum);
        }
    }
    for (int down = lanes / 2; down; down /= 2) sum = plus(sum, from_lane(sum, down, lanes));
    if (line < a.n && !lane) put(y, 0, line, 0, times(alpha, sum), beta);
}

// c = alpha a b + beta c: a thread per element of c. blockIdx.z: matrix of the batch
template<class T>
__device__ void lines_times_matrix(const sparse_lines &a, const sparse_dense &b,
                                   const sparse_dense &c, const library_scalar &s,
                                   const library_scalar &t)
{
    T alpha = scalar<T>(s), beta = scalar<T>(t);
    member m = of_batch(a, blockIdx.z);
    bool by_rows = c.right == 1; // neighbours of a row are neighbours in memory
    for (long long at = thread_id(); at < a.n * c.columns; at += threads()) {
        long long i = by_rows ? at / c.columns : at % a.n;
        long long j = by_rows ? at % c.columns : at / a.n;
        long long end = first_of(a, m, i + 1);
        T sum = zero<T>();
        for (long long e = first_of(a, m, i); e < end; e++) {
            long long k = number(m.indices, a.wide_indices, e) - a.base;
            sum = madd(value_of<T>(a, m, e), read<T>(b, blockIdx.z, k, j), sum);
        }
        put(c, blockIdx.z, i, j, times(alpha, sum), beta);
    }
}

// c = beta c
template<class T> __device__ void scale(const sparse_dense &c, const library_scalar &t)
{
    T beta = scalar<T>(t);
    bool by_rows = c.right == 1;
    for (long long at = thread_id(); at < c.rows * c.columns; at += threads()) {
        long long i = by_rows ? at / c.columns : at % c.rows;
        long long j = by_rows ? at % c.columns : at / c.rows;
        T &to = element<T>(c, blockIdx.z, i, j);
        to = is_zero(beta) ? zero<T>() : times(beta, to);
    }
}

template<class T> __device__ void add(T &to, T x) { atomicAdd(&to, x); }
template<class T> __device__ void add(complex<T> &to, complex<T> x)
{
    atomicAdd(&to.x, x.x);
    atomicAdd(&to.y, x.y);
}

// c += alpha a' b with atomic additions: a thread per line of a and column of c.
template<class T>
__device__ void scatter(const sparse_lines &a, const sparse_dense &b, const sparse_dense &c,
                        const library_scalar &s)
{
    T alpha = scalar<T>(s);
    member m = of_batch(a, blockIdx.z);
    for (long long at = thread_id(); at < a.n * c.columns; at += threads()) {
        long long line = at / c.columns, j = at % c.columns, end = first_of(a, m, line + 1);
        T x = times(alpha, read<T>(b, blockIdx.z, line, j));
        for (long long e = first_of(a, m, line); e < end; e++) {
            long long k = number(m.indices, a.wide_indices, e) - a.base;
            add(element<T>(c, blockIdx.z, k, j), times(value_of<T>(a, m, e), x));
        }
    }
}

// d = a, where d is zero; or with `across` the transposed
template<class T>
__device__ void expand(const sparse_lines &a, const sparse_dense &d, int across)
{
    member m = of_batch(a, 0);
    for (long long line = thread_id(); line < a.n; line += threads()) {
        long long end = first_of(a, m, line + 1);
        for (long long e = first_of(a, m, line); e < end; e++) {
            long long k = number(m.indices, a.wide_indices, e) - a.base;
            element<T>(d, 0, across ? k : line, across ? line : k) = value_of<T>(a, m, e);
        }
    }
}

// Solves a x = alpha b for the levels from..to-1: a thread per row and column of x. Several levels
// have one block.
template<class T>
__device__ void solve(const sparse_triangle &a, const sparse_dense &b, const sparse_dense &x,
                      const library_scalar &s, int from, int to)
{
    T alpha = scalar<T>(s);
    const T *values = (const T *)a.values;
    for (int level = from; level < to; level++) {
        long long end = a.levels[level + 1] * x.columns;
        for (long long at = a.levels[level] * x.columns + thread_id(); at < end; at += threads()) {
            int row = a.rows[at / x.columns];
            long long j = at % x.columns;
            T sum = times(alpha, read<T>(b, 0, row, j));
            for (int e = a.starts[row]; e < a.starts[row + 1]; e++) {
                T value = values[a.places[e]];
                if (a.conjugate) value = conjugate(value);
                sum = madd(minus(value), element<T>(x, 0, a.columns[e], j), sum);
            }
            if (!a.unit) {
                T value = a.diagonal[row] < 0 ? zero<T>() : values[a.diagonal[row]];
                sum = over(sum, a.conjugate ? conjugate(value) : value);
            }
            element<T>(x, 0, row, j) = sum;
        }
        __syncthreads();
    }
}

// ---- incomplete factors ----

// The place of a column in the places from..to-1 of a row; -1: none.
__device__ int place_of(const sparse_factor &f, int from, int to, int column)
{
    int e = from + int(search(f.columns + from, 0, to - from, column));
    return e < to && f.columns[e] == column ? e : -1;
}

__device__ double size(float x) { return fabs(double(x)); }
__device__ double size(double x) { return fabs(x); }
template<class T> __device__ double size(complex<T> x) { return hypot(double(x.x), double(x.y)); }

// Calls eliminate(row, lane) for the rows of the levels from..to-1, by a warp per row. Several
// levels have one block.
template<class E> __device__ void each_row(const sparse_factor &f, int from, int to, E eliminate)
{
    int lane = threadIdx.x % 32;
    for (int level = from; level < to; level++) {
        for (long long at = f.levels[level] + thread_id() / 32; at < f.levels[level + 1];
             at += threads() / 32)
            eliminate(f.rows[at], lane);
        __syncthreads();
    }
}

// Row of L U with ones on the diagonal of L: the multiples of earlier rows are subtracted.
template<class T> __device__ void ilu_row(const sparse_factor &f, int row, int lane)
{
    T *values = (T *)f.values;
    int from = f.offsets[row] - f.base, to = f.offsets[row + 1] - f.base;
    for (int e = from; e < to && f.columns[e] - f.base < row; e++) {
        int k = f.columns[e] - f.base, end = f.offsets[k + 1] - f.base;
        T factor = over(values[e], f.diagonal[k] < 0 ? zero<T>() : values[f.diagonal[k]]);
        __syncwarp();
        if (!lane) values[e] = factor;
        int start = f.offsets[k] - f.base; // of the row k; then behind its diagonal
        start += int(search(f.columns + start, 0, end - start, k + 1 + f.base));
        for (int u = start + lane; u < end; u += 32) {
            int at = place_of(f, e + 1, to, f.columns[u]);
            if (at >= 0) values[at] = madd(minus(factor), values[u], values[at]);
        }
        __syncwarp();
    }
    if (lane) return;
    int pivot = f.diagonal[row];
    if (pivot >= 0 && f.boosted && scalar<double>(f.tolerance) >= size(values[pivot]))
        values[pivot] = scalar<T>(f.boost);
    if (pivot < 0 || is_zero(values[pivot])) atomicMin(f.zero, row);
}

__device__ float real_of(float x) { return x; }
__device__ double real_of(double x) { return x; }
template<class T> __device__ T real_of(complex<T> x) { return x.x; }

// Row of the factor L of L L': the elements left of the diagonal and on the diagonal.
template<class T> __device__ void ic_row(const sparse_factor &f, int row, int lane)
{
    T *values = (T *)f.values;
    int from = f.offsets[row] - f.base, to = f.offsets[row + 1] - f.base;
    for (int e = from; e < to && f.columns[e] - f.base <= row; e++) {
        int j = f.columns[e] - f.base, start = f.offsets[j] - f.base, pivot = f.diagonal[j];
        T sum = zero<T>();
        for (int u = start + lane; u < f.offsets[j + 1] - f.base && f.columns[u] - f.base < j;
             u += 32) {
            int at = place_of(f, from, e, f.columns[u]);
            if (at >= 0) sum = madd(values[at], conjugate(values[u]), sum);
        }
        for (int down = 16; down; down /= 2) sum = plus(sum, from_lane(sum, down, 32));
        sum = plus(values[e], minus(sum));
        if (!lane && j < row) values[e] = over(sum, pivot < 0 ? zero<T>() : values[pivot]);
        if (!lane && j == row) {
            if (!(real_of(sum) > 0)) atomicMin(f.zero, row);
            values[e] = made<T>(sqrt(double(real_of(sum))), 0);
        }
        __syncwarp();
    }
    if (!lane && f.diagonal[row] < 0) atomicMin(f.zero, row);
}

#define TYPE(t, T)                                                                                 \
    KERNEL vector_##t(sparse_lines a, sparse_dense x, sparse_dense y, library_scalar s,            \
                      library_scalar u, int lanes)                                                 \
    {                                                                                              \
        lines_times_vector<T>(a, x, y, s, u, lanes);                                               \
    }                                                                                              \
    KERNEL matrix_##t(sparse_lines a, sparse_dense b, sparse_dense c, library_scalar s,            \
                      library_scalar u)                                                            \
    {                                                                                              \
        lines_times_matrix<T>(a, b, c, s, u);                                                      \
    }                                                                                              \
    KERNEL scale_##t(sparse_dense c, library_scalar u) { scale<T>(c, u); }                         \
    KERNEL scatter_##t(sparse_lines a, sparse_dense b, sparse_dense c, library_scalar s)           \
    {                                                                                              \
        scatter<T>(a, b, c, s);                                                                    \
    }                                                                                              \
    KERNEL expand_##t(sparse_lines a, sparse_dense d, int across) { expand<T>(a, d, across); }     \
    KERNEL solve_##t(sparse_triangle a, sparse_dense b, sparse_dense x, library_scalar s, int from,\
                     int to)                                                                       \
    {                                                                                              \
        solve<T>(a, b, x, s, from, to);                                                            \
    }                                                                                              \
    KERNEL ilu_##t(sparse_factor f, int from, int to)                                              \
    {                                                                                              \
        each_row(f, from, to, [&](int row, int lane) { ilu_row<T>(f, row, lane); });               \
    }                                                                                              \
    KERNEL ic_##t(sparse_factor f, int from, int to)                                               \
    {                                                                                              \
        each_row(f, from, to, [&](int row, int lane) { ic_row<T>(f, row, lane); });                \
    }                                                                                              \
    KERNEL pick_##t(const int *order, const T *from, T *to, int n)                                 \
    {                                                                                              \
        for (long long i = thread_id(); i < n; i += threads()) to[i] = from[order[i]];             \
    }
TYPE(s, float)
TYPE(d, double)
TYPE(c, cfloat)
TYPE(z, cdouble)

// ---- conversions, with indices of 32 bits ----

KERNEL offsets_i(const int *lines, int n, int m, int *offsets, int base)
{
    for (long long i = thread_id(); i <= m; i += threads())
        offsets[i] = int(search(lines, 0, n, i + base)) + base;
}

// The line of element e: the last line with an offset of at most e.
__device__ int line_of(const int *offsets, int m, int base, long long e)
{
    return int(search(offsets, 0, m + 1, e + base + 1)) - 1;
}

KERNEL lines_i(const int *offsets, int n, int m, int *lines, int base)
{
    for (long long e = thread_id(); e < n; e += threads())
        lines[e] = line_of(offsets, m, base, e) + base;
}

KERNEL count_up_i(int n, int *p)
{
    for (long long i = thread_id(); i < n; i += threads()) p[i] = int(i);
}

// Elements of each column.
KERNEL count_i(const int *columns, int n, int base, int *count)
{
    for (long long e = thread_id(); e < n; e += threads()) atomicAdd(&count[columns[e] - base], 1);
}

enum { SUM_THREADS = 256 };

// offsets[i], and next[i] without the base: the sum of the counts before i. One block; n + 1
// offsets. count may be next.
KERNEL sums_i(const int *count, int n, int base, int *offsets, int *next)
{
    __shared__ int part[SUM_THREADS];
    int each = (n + SUM_THREADS - 1) / SUM_THREADS, from = threadIdx.x * each, before = 0;
    int to = from + each < n ? from + each : n, sum = 0;
    for (int i = from; i < to; i++) sum += count[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int i = 0; i < threadIdx.x; i++) before += part[i];
    for (int i = from; i < to; i++) {
        int here = count[i];
        next[i] = before;
        offsets[i] = before + base;
        before += here;
    }
    if (threadIdx.x == SUM_THREADS - 1) offsets[n] = before + base;
}

// The elements of each column, in any order.
KERNEL place_i(const int *columns, int n, int base, int *next, int *order)
{
    for (long long e = thread_id(); e < n; e += threads())
        order[atomicAdd(&next[columns[e] - base], 1)] = int(e);
}

__device__ void sift(int *at, int root, int n)
{
    int x = at[root];
    for (int child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && at[child + 1] > at[child]) child++;
        if (at[child] <= x) break;
        at[root] = at[child];
    }
    at[root] = x;
}

// Sorts the elements of each column: heap sort by a thread per column.
KERNEL sort_i(const int *offsets, int columns, int base, int *order)
{
    for (long long j = thread_id(); j < columns; j += threads()) {
        int *at = order + offsets[j] - base, n = offsets[j + 1] - offsets[j];
        for (int i = n / 2 - 1; i >= 0; i--) sift(at, i, n);
        for (int i = n - 1; i > 0; i--) {
            int most = at[0];
            at[0] = at[i], at[i] = most;
            sift(at, 0, i);
        }
    }
}

// The rows of elements, in place of the elements.
KERNEL rows_i(const int *offsets, int m, int base, int *order, int n)
{
    for (long long i = thread_id(); i < n; i += threads())
        order[i] = line_of(offsets, m, base, order[i]) + base;
}
