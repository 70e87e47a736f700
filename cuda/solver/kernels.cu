// Kernels of corun's cuSOLVER. `corun cc -ptx -arch=sm_75 kernels.cu` writes kernels.ptx.
#include "../library/reflection.h"
#include "kernels.h"

#define KERNEL extern "C" __global__ void

__device__ long long thread_id() { return blockIdx.x * (long long)blockDim.x + threadIdx.x; }
__device__ long long threads() { return gridDim.x * (long long)blockDim.x; }

template<class T> __device__ T &element(const solver_matrix &a, long long i, long long j)
{
    return ((T *)a.at)[i * a.down + j * a.right];
}
template<class T> __device__ T read(const solver_matrix &a, long long i, long long j)
{
    T x = element<T>(a, i, j);
    return a.conjugate ? conjugate(x) : x;
}

__device__ float real_of(float x) { return x; }
__device__ double real_of(double x) { return x; }
template<class T> __device__ T real_of(complex<T> x) { return x.x; }

// ---- LU and Cholesky factors: a panel by one block, then the rest of the matrix ----

// LU factors with partial pivoting of m x n elements. pivots: rows counted from 1 - `first`; NULL:
// none. info: the first column with a zero pivot, counted in the same way, if 0 before.
template<class T>
__device__ void lu_panel(const solver_matrix &a, int m, int n, int first, int *pivots, int *info)
{
    int ranks = m < n ? m : n;
    for (int c = 0; c < ranks; c++) {
        found best = {0, c};
        if (pivots) {
            best.at = -1;
            for (int i = c + threadIdx.x; i < m; i += blockDim.x)
                best = better(best, {size(element<T>(a, i, c)), i}, false);
            best = block_best(best, false);
        }
        int row = of_first((int)best.at);
        __syncthreads();
        if (pivots && !threadIdx.x) pivots[c] = first + row + 1;
        for (int j = threadIdx.x; row != c && j < n; j += blockDim.x) {
            T t = element<T>(a, c, j);
            element<T>(a, c, j) = element<T>(a, row, j), element<T>(a, row, j) = t;
        }
        __syncthreads();
        T pivot = element<T>(a, c, c);
        if (is_zero(pivot)) {
            if (!threadIdx.x && !*info) *info = first + c + 1;
            continue;
        }
        for (int i = c + 1 + threadIdx.x; i < m; i += blockDim.x)
            element<T>(a, i, c) = over(element<T>(a, i, c), pivot);
        __syncthreads();
        int down = m - c - 1, right = n - c - 1;
        for (long long e = threadIdx.x; e < (long long)down * right; e += blockDim.x) {
            int i = c + 1 + int(e % down), j = c + 1 + int(e / down);
            T &to = element<T>(a, i, j);
            to = madd(minus(element<T>(a, i, c)), element<T>(a, c, j), to);
        }
        __syncthreads();
    }
}

// Exchanges rows from..to-1 with their pivots, in this order or backwards, in n columns.
template<class T>
__device__ void exchange_rows(const solver_matrix &a, int n, int from, int to, const int *pivots,
                              int backwards)
{
    for (long long j = thread_id(); j < n; j += threads())
        for (int step = from; step < to; step++) {
            int i = backwards ? to - 1 - (step - from) : step, row = pivots[i] - 1;
            T t = element<T>(a, i, j);
            element<T>(a, i, j) = element<T>(a, row, j), element<T>(a, row, j) = t;
        }
}

// The factor L of a Hermitian matrix of n rows, in the lower triangle. info: as of lu_panel, the
// first pivot that is not positive.
template<class T>
__device__ void cholesky_panel(const solver_matrix &a, int n, int first, int *info)
{
    for (int c = 0; c < n; c++) {
        double square = real_of(element<T>(a, c, c));
        if (!(square > 0) && !threadIdx.x && !*info) *info = first + c + 1;
        T pivot = made<T>(sqrt(square), 0);
        __syncthreads();
        for (int i = c + threadIdx.x; i < n; i += blockDim.x)
            element<T>(a, i, c) = i == c ? pivot : over(element<T>(a, i, c), pivot);
        __syncthreads();
        int left = n - c - 1;
        for (int e = threadIdx.x; e < left * left; e += blockDim.x) {
            int i = c + 1 + e % left, j = c + 1 + e / left;
            if (i < j) continue;
            T &to = element<T>(a, i, j);
            to = madd(minus(element<T>(a, i, c)), conjugate(element<T>(a, j, c)), to);
        }
        __syncthreads();
    }
}

// Solves a x = b in place for the column blockIdx.x of b; a is a triangle of m rows.
template<class T>
__device__ void triangle(const solver_matrix &a, const solver_matrix &b, int m, int lower, int unit)
{
    long long j = blockIdx.x;
    for (int step = 0; step < m; step++) {
        int i = lower ? step : m - 1 - step;
        T value = element<T>(b, i, j);
        if (!unit) value = over(value, read<T>(a, i, i));
        __syncthreads();
        if (!threadIdx.x) element<T>(b, i, j) = value;
        for (int r = threadIdx.x; r < m - 1 - step; r += blockDim.x) {
            int k = lower ? i + 1 + r : r;
            element<T>(b, k, j) = madd(minus(read<T>(a, k, i)), value, element<T>(b, k, j));
        }
        __syncthreads();
    }
}

// c -= a b for m x n elements of c, and at most SOLVER_PANEL products of each; lower: of the lower
// triangle only. A block has a tile, a thread an element.
template<class T>
__device__ void update(const solver_matrix &a, const solver_matrix &b, const solver_matrix &c,
                       int m, int n, int depth, int lower)
{
    __shared__ T left[SOLVER_TILE][SOLVER_PANEL + 1], right[SOLVER_PANEL][SOLVER_TILE + 1];
    int i0 = blockIdx.x * SOLVER_TILE, j0 = blockIdx.y * SOLVER_TILE;
    if (lower && i0 + SOLVER_TILE <= j0) return;
    for (int e = threadIdx.x; e < SOLVER_TILE * SOLVER_PANEL; e += blockDim.x) {
        int i = e % SOLVER_TILE, k = e / SOLVER_TILE;
        left[i][k] = i0 + i < m && k < depth ? read<T>(a, i0 + i, k) : zero<T>();
        right[k][i] = j0 + i < n && k < depth ? read<T>(b, k, j0 + i) : zero<T>();
    }
    __syncthreads();
    int ti = threadIdx.x % SOLVER_TILE, tj = threadIdx.x / SOLVER_TILE, i = i0 + ti, j = j0 + tj;
    T sum = zero<T>();
    for (int k = 0; k < depth; k++) sum = madd(left[ti][k], right[k][tj], sum);
    if (i < m && j < n && !(lower && i < j))
        element<T>(c, i, j) = plus(element<T>(c, i, j), minus(sum));
}

// ---- QR factors ----

// The reflection for column k of a, of m rows, as LAPACK's geqrf.
template<class T> __device__ void reflector(T *a, long long right, int m, int k, T *tau)
{
    T of = reflection(a + k + k * right, m - k);
    if (!threadIdx.x) tau[k] = conjugate(of);
}

// c -= tau v (v' c), a warp per column of c with m rows; conjugate: with conj(v) for v. v[0] is 1
// and not stored. inverse: with conj(tau) for tau.
template<class T>
__device__ void apply(const T *v, const T *tau, int inverse, int m, const solver_matrix &c,
                      int columns, int conjugated)
{
    int lane = threadIdx.x % 32;
    T by = inverse ? conjugate(*tau) : *tau;
    for (long long j = thread_id() / 32; j < columns; j += threads() / 32) {
        T sum = lane ? zero<T>() : element<T>(c, 0, j);
        for (int i = 1 + lane; i < m; i += 32)
            sum = madd(conjugated ? v[i] : conjugate(v[i]), element<T>(c, i, j), sum);
        sum = minus(times(by, warp_sum(sum)));
        for (int i = lane; i < m; i += 32) {
            T u = !i ? one<T>() : conjugated ? conjugate(v[i]) : v[i];
            element<T>(c, i, j) = madd(sum, u, element<T>(c, i, j));
        }
    }
}

// Column k of Q, of m rows, in place of the reflection; k >= reflections: of the identity.
template<class T>
__device__ void column_of_q(T *a, long long right, int m, int k, int reflections, const T *tau)
{
    T *column = a + k * right;
    for (long long i = thread_id(); i < m; i += threads()) {
        T x = i == k ? one<T>() : zero<T>();
        if (k < reflections && i == k) x = plus(x, minus(tau[k]));
        if (k < reflections && i > k) x = minus(times(tau[k], column[i]));
        column[i] = x;
    }
}

// ---- singular values and eigenvalues by rotations of columns (one-sided Jacobi) ----

// Copies m x n elements: part 'L', 'U': of the triangle, and zero elsewhere; 'l', 'u': of the
// Hermitian matrix with this triangle; 'I': the identity; else all. order: columns of a; NULL: all.
template<class T>
__device__ void copy(const solver_matrix &a, const solver_matrix &to, int m, int n, int part,
                     const int *order)
{
    for (long long e = thread_id(); e < (long long)m * n; e += threads()) {
        long long i = e % m, j = e / m, k = order ? order[j] : j;
        bool outside = part == 'L' || part == 'l' ? i < k : i > k;
        T x = i == k ? one<T>() : zero<T>();
        if (part == 'l' || part == 'u') {
            x = outside ? conjugate(read<T>(a, k, i)) : read<T>(a, i, k);
            if (i == k) x = made<T>(real_of(x), 0);
        } else if (part != 'I') {
            x = (part == 'L' || part == 'U') && outside ? zero<T>() : read<T>(a, i, k);
        }
        element<T>(to, i, j) = to.conjugate ? conjugate(x) : x;
    }
}

// *out = the Frobenius norm of n columns with m rows.
template<class T> __device__ void norm(const T *w, int m, int n, double *out)
{
    double sum = 0;
    for (long long e = threadIdx.x; e < (long long)m * n; e += blockDim.x) sum += square(w[e]);
    sum = block_sum(sum);
    if (!threadIdx.x) *out = sqrt(sum);
}

template<class T> __device__ void shift(T *w, int n, const double *by)
{
    for (long long i = thread_id(); i < n; i += threads())
        w[i + i * n] = plus(w[i + i * n], made<T>(*by, 0));
}

// Makes two of the n columns of w orthogonal; v has the same rotation. Block and step choose the
// columns: in players - 1 steps each pair meets once. bound: of a product of unit vectors that
// counts as zero; a column below `bound` of *whole counts as zero.
template<class T>
__device__ void rotate(T *w, T *v, int n, int step, double bound, const double *whole, int *rotated)
{
    int players = n + n % 2, b = blockIdx.x, p = players - 1;
    if (b) p = (step + b) % (players - 1);
    int q = (step + players - 1 - b) % (players - 1);
    if (p >= n || q >= n) return;
    T *x = w + (long long)p * n, *y = w + (long long)q * n;
    double xx = 0, yy = 0;
    complex<double> xy = {0, 0};
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        xx += square(x[i]);
        yy += square(y[i]);
        xy = madd(conjugate(doubles(x[i])), doubles(y[i]), xy);
    }
    xx = of_first(block_sum(xx));
    __syncthreads();
    yy = of_first(block_sum(yy));
    __syncthreads();
    xy = of_first(block_sum(xy));
    double least = bound * *whole, size = sqrt(square(xy));
    if (size <= bound * sqrt(xx) * sqrt(yy) || fmin(xx, yy) <= least * least) return;
    if (!threadIdx.x) *rotated = 1;
    double zeta = (yy - xx) / (2 * size);
    double t = copysign(1 / (fabs(zeta) + sqrt(1 + zeta * zeta)), zeta), c = 1 / sqrt(1 + t * t);
    T cosine = made<T>(c, 0), sine = made<T>(c * t * xy.x / size, c * t * xy.y / size);
    for (int both = 0; both < 2; both++, x = v + (long long)p * n, y = v + (long long)q * n)
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            T left = x[i], right = y[i];
            x[i] = plus(times(cosine, left), minus(times(conjugate(sine), right)));
            y[i] = plus(times(sine, left), times(cosine, right));
        }
}

// norms[j]: the norm of column j, a warp per column.
template<class T> __device__ void norms(const T *w, int n, double *out)
{
    for (long long j = thread_id() / 32; j < n; j += threads() / 32) {
        double sum = 0;
        for (int i = threadIdx.x % 32; i < n; i += 32) sum += square(w[i + j * n]);
        sum = warp_sum(sum);
        if (!(threadIdx.x % 32)) out[j] = sqrt(sum);
    }
}

// Sorts n norms, descending, or ascending: order[place] = column. out: the sorted norms, less
// *shifted; NULL: 0.
template<class R>
__device__ void rank(const double *norms, int n, int ascending, const double *shifted, int *order,
                     R *out)
{
    for (long long j = thread_id(); j < n; j += threads()) {
        int before = 0;
        long long mine = __double_as_longlong(norms[j]);
        for (int k = 0; k < n; k++) { // the bits order NaN behind all numbers
            long long other = __double_as_longlong(norms[k]);
            before += other == mine ? k < j : (other < mine) == (ascending != 0);
        }
        order[before] = int(j);
        out[before] = R(norms[j] - (shifted ? *shifted : 0));
    }
}

// Column j changes its sign with the diagonal element j of r.
template<class T> __device__ void signs(const T *r, int n, T *u, long long right, int m)
{
    for (long long e = thread_id(); e < (long long)m * n; e += threads()) {
        long long i = e % m, j = e / m;
        if (real_of(r[j + j * n]) < 0) u[i + j * right] = minus(u[i + j * right]);
    }
}

#define TYPE(t, T, R)                                                                              \
    KERNEL lu_##t(solver_matrix a, int m, int n, int first, int *pivots, int *info)                \
    {                                                                                              \
        lu_panel<T>(a, m, n, first, pivots, info);                                                 \
    }                                                                                              \
    KERNEL rows_##t(solver_matrix a, int n, int from, int to, const int *pivots, int backwards)    \
    {                                                                                              \
        exchange_rows<T>(a, n, from, to, pivots, backwards);                                       \
    }                                                                                              \
    KERNEL cholesky_##t(solver_matrix a, int n, int first, int *info)                              \
    {                                                                                              \
        cholesky_panel<T>(a, n, first, info);                                                      \
    }                                                                                              \
    KERNEL triangle_##t(solver_matrix a, solver_matrix b, int m, int lower, int unit)              \
    {                                                                                              \
        triangle<T>(a, b, m, lower, unit);                                                         \
    }                                                                                              \
    KERNEL update_##t(solver_matrix a, solver_matrix b, solver_matrix c, int m, int n, int depth,  \
                      int lower)                                                                   \
    {                                                                                              \
        update<T>(a, b, c, m, n, depth, lower);                                                    \
    }                                                                                              \
    KERNEL reflector_##t(T *a, long long right, int m, int k, T *tau)                              \
    {                                                                                              \
        reflector(a, right, m, k, tau);                                                            \
    }                                                                                              \
    KERNEL apply_##t(const T *v, const T *tau, int inverse, int m, solver_matrix c, int columns,   \
                     int conjugated)                                                               \
    {                                                                                              \
        apply(v, tau, inverse, m, c, columns, conjugated);                                         \
    }                                                                                              \
    KERNEL q_##t(T *a, long long right, int m, int k, int reflections, const T *tau)               \
    {                                                                                              \
        column_of_q(a, right, m, k, reflections, tau);                                             \
    }                                                                                              \
    KERNEL copy_##t(solver_matrix a, solver_matrix to, int m, int n, int part, const int *order)   \
    {                                                                                              \
        copy<T>(a, to, m, n, part, order);                                                         \
    }                                                                                              \
    KERNEL norm_##t(const T *w, int m, int n, double *out) { norm(w, m, n, out); }                 \
    KERNEL shift_##t(T *w, int n, const double *by) { shift(w, n, by); }                           \
    KERNEL rotate_##t(T *w, T *v, int n, int step, double bound, const double *whole, int *rotated)\
    {                                                                                              \
        rotate(w, v, n, step, bound, whole, rotated);                                              \
    }                                                                                              \
    KERNEL norms_##t(const T *w, int n, double *out) { norms(w, n, out); }                         \
    KERNEL rank_##t(const double *norms, int n, int ascending, const double *shifted, int *order,  \
                    R *out)                                                                        \
    {                                                                                              \
        rank(norms, n, ascending, shifted, order, out);                                            \
    }                                                                                              \
    KERNEL signs_##t(const T *r, int n, T *u, long long right, int m) { signs(r, n, u, right, m); }
TYPE(s, float, float)
TYPE(d, double, double)
TYPE(c, cfloat, float)
TYPE(z, cdouble, double)
