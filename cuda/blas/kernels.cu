// Kernels of corun's cuBLAS. `corun cc -ptx -arch=sm_75 kernels.cu` writes kernels.ptx.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "../library/reflection.h"
#include "kernels.h"

// ---- types ----

// of<T>: the type in which values of type T are added and multiplied.
template<class T> struct of { typedef T type; };
template<> struct of<__half> { typedef float type; };
template<> struct of<__nv_bfloat16> { typedef float type; };
template<> struct of<signed char> { typedef int type; };
template<> struct of<__nv_fp8_e4m3> { typedef float type; };
template<> struct of<__nv_fp8_e5m2> { typedef float type; };

template<class R, class T> __device__ R wide(T x) { return R(x); }
template<> __device__ float wide(__half x) { return __half2float(x); }
template<> __device__ float wide(__nv_bfloat16 x) { return __bfloat162float(x); }
template<class T, class R> __device__ T narrow(R x) { return T(x); }
template<> __device__ __half narrow(float x) { return __float2half(x); }
template<> __device__ __nv_bfloat16 narrow(float x) { return __float2bfloat16(x); }

template<class R> __device__ R real_part(R a) { return a; }
template<class T> __device__ complex<T> real_part(complex<T> a) { return {a.x, 0}; }

// ---- matrices ----

template<class T> __device__ T *start(const blas_matrix &a, unsigned batch)
{
    return a.pointers ? ((T *const *)a.at)[batch] : (T *)a.at + batch * a.batch;
}

// The element (i, j) of a matrix: stored, or by the shape.
template<class R, class T>
__device__ R element(const T *at, const blas_matrix &a, long long i, long long j)
{
    if (a.shape == BLAS_GENERAL) {
        R x = wide<R>(at[i * a.down + j * a.right]);
        return a.conjugate ? conjugate(x) : x;
    }
    bool lower = a.shape & 1, outside = lower ? i < j : i > j;
    bool hermitian = a.shape == BLAS_HERMITIAN_LOWER || a.shape == BLAS_HERMITIAN_UPPER;
    if (outside && a.shape >= BLAS_LOWER) return zero<R>();
    if (i == j && a.shape >= BLAS_UNIT_LOWER) return one<R>();
    R x = wide<R>(outside ? at[j * a.down + i * a.right] : at[i * a.down + j * a.right]);
    if (hermitian && i == j) return real_part(x);
    return (a.conjugate != 0) != (hermitian && outside) ? conjugate(x) : x;
}

// ---- matrix products ----

__device__ float gelu(float x)
{
    return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}
__device__ float gelu_gradient(float x)
{
    float t = tanhf(0.7978845608f * (x + 0.044715f * x * x * x));
    return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * 0.7978845608f * (1 + 0.134145f * x * x);
}

template<class T, class R>
__device__ R finished(R x, const blas_gemm &g, unsigned batch, int, int) { return x; }
template<class T>
__device__ float finished(float x, const blas_gemm &g, unsigned batch, int i, int j)
{
    if (!g.epilogue) return x;
    if (g.epilogue & BLAS_BIAS) x += wide<float>(((const T *)g.bias)[batch * g.bias_batch + i]);
    T *aux = (T *)g.aux + batch * g.aux_batch + j * g.aux_right + i;
    if (g.epilogue & BLAS_AUX) *aux = narrow<T>(x);
    if (g.epilogue & BLAS_RELU) x = x > 0 ? x : 0;
    if (g.epilogue & BLAS_GELU) x = gelu(x);
    if (g.epilogue & BLAS_GELU_GRADIENT) x *= gelu_gradient(wide<float>(*aux));
    return x;
}

// S: the type of the scalars of a call; O: of c and d.
template<class R, class S, class O>
__device__ void put(R sum, const blas_gemm &g, const O *c, O *d, S alpha, S beta, unsigned batch,
                    int i, int j)
{
    if (i >= g.m || j >= g.n || (g.part == 'L' && i < j) || (g.part == 'U' && i > j)) return;
    S x = times(alpha, wide<S>(sum));
    if (!is_zero(beta)) x = madd(beta, element<S>(c, g.c, i, j), x);
    d[i + j * g.d_right] = narrow<O>(finished<O>(x, g, batch, i, j));
}

template<class S> __device__ S scalar_of(const library_scalar &s, bool half)
{
    return scalar<S>(s);
}
template<> __device__ float scalar_of(const library_scalar &s, bool half)
{
    return half && s.at ? __half2float(*(const __half *)s.at) : scalar<float>(s);
}

enum { LARGE = 64, SMALL = 16, DEPTH = 16, PAD = 4 };

// Fills tile[k][i] with the elements (first + i, k0 + k) of a matrix; across: of the transposed.
template<int TILE, int THREADS, class R, class T>
__device__ void fetch(R (*tile)[TILE + PAD], const T *at, const blas_matrix &a, bool across,
                      int first, int rows, int k0, int depth)
{
    bool along = (across ? a.right : a.down) == 1; // neighbours in memory are neighbours in i
    for (int e = threadIdx.x; e < TILE * DEPTH; e += THREADS) {
        int i = along ? e % TILE : e / DEPTH, k = along ? e / TILE : e % DEPTH;
        bool in = first + i < rows && k0 + k < depth;
        tile[k][i] = !in ? zero<R>() : across ? element<R>(at, a, k0 + k, first + i)
                                              : element<R>(at, a, first + i, k0 + k);
    }
}

// The first row or column of a thread's elements.
template<int TILE, int EACH> __device__ int first(int block, int thread)
{
    return block * TILE + thread * EACH;
}

// Adds up the products for the elements of a thread. A, B: the types of a and b.
template<int TILE, int EACH, class A, class B, class R>
__device__ __forceinline__ void multiply(const blas_gemm &g, R (&sum)[EACH][EACH])
{
    const int SIDE = TILE / EACH, THREADS = SIDE * SIDE;
    __shared__ R a[DEPTH][TILE + PAD], b[DEPTH][TILE + PAD];
    const A *at = start<A>(g.a, blockIdx.z);
    const B *bt = start<B>(g.b, blockIdx.z);
    int i0 = blockIdx.x * TILE, j0 = blockIdx.y * TILE;
    int ti = threadIdx.x % SIDE * EACH, tj = threadIdx.x / SIDE * EACH;
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++) sum[i][j] = zero<R>();
    for (int k0 = 0; k0 < g.k; k0 += DEPTH) {
        fetch<TILE, THREADS, R>(a, at, g.a, false, i0, g.m, k0, g.k);
        fetch<TILE, THREADS, R>(b, bt, g.b, true, j0, g.n, k0, g.k);
        __syncthreads();
        int depth = g.k - k0 < DEPTH ? g.k - k0 : DEPTH;
        for (int k = 0; k < depth; k++) {
            R x[EACH], y[EACH];
            for (int e = 0; e < EACH; e++) x[e] = a[k][ti + e], y[e] = b[k][tj + e];
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++) sum[i][j] = madd(x[i], y[j], sum[i][j]);
        }
        __syncthreads();
    }
}

// A block computes a tile of TILE x TILE, each thread EACH x EACH elements.
template<int TILE, int EACH, class T, class O, class S> __device__ void gemm(const blas_gemm &g)
{
    typename of<T>::type sum[EACH][EACH];
    multiply<TILE, EACH, T, T>(g, sum);
    unsigned batch = blockIdx.z;
    const O *c = start<O>(g.c, batch);
    O *d = g.c.pointers ? (O *)c : (O *)g.d + batch * g.d_batch;
    S alpha = scalar_of<S>(g.alpha, g.half_scalars), beta = scalar_of<S>(g.beta, g.half_scalars);
    int i0 = first<TILE, EACH>(blockIdx.x, threadIdx.x % (TILE / EACH));
    int j0 = first<TILE, EACH>(blockIdx.y, threadIdx.x / (TILE / EACH));
    for (int j = 0; j < EACH; j++)
        for (int i = 0; i < EACH; i++) put(sum[i][j], g, c, d, alpha, beta, batch, i0 + i, j0 + j);
}

#define KERNEL extern "C" __global__ void
#define GEMM(name, T, O, S)                                                                        \
    KERNEL __launch_bounds__(256) gemm_##name(blas_gemm g) { gemm<LARGE, 4, T, O, S>(g); }         \
    KERNEL __launch_bounds__(64) small_##name(blas_gemm g) { gemm<SMALL, 2, T, O, S>(g); }
GEMM(s, float, float, float)
GEMM(d, double, double, double)
GEMM(c, cfloat, cfloat, cfloat)
GEMM(z, cdouble, cdouble, cdouble)
GEMM(h, __half, __half, float)
GEMM(hs, __half, float, float)
GEMM(b, __nv_bfloat16, __nv_bfloat16, float)
GEMM(bs, __nv_bfloat16, float, float)
GEMM(i, signed char, int, int)
GEMM(is, signed char, float, float)

#include "eight.h"

// ---- matrix products on tensor units ----

// mma.m16n8k8 with half: a lane has two pairs of neighbours along k of a, one of b.
__device__ void mma(float *d, const unsigned *a, unsigned b)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(b));
}

enum { LONG = 32 }; // depth of a tile

template<bool across>
__device__ void fetch_half(__half (*tile)[LONG + 8], const __half *at, const blas_matrix &a,
                           int first, int rows, int k0, int depth)
{
    bool along = (across ? a.right : a.down) == 1;
    for (int e = threadIdx.x; e < LARGE * LONG; e += 128) {
        int i = along ? e % LARGE : e / LONG, k = along ? e / LARGE : e % LONG;
        bool in = first + i < rows && k0 + k < depth;
        long long row = across ? k0 + k : first + i, column = across ? first + i : k0 + k;
        tile[i][k] = in ? at[row * a.down + column * a.right] : __float2half(0);
    }
}

// A block of four warps computes a tile of LARGE x LARGE, each warp a quarter of 32 x 32.
template<class O> __device__ void gemm_tensor(const blas_gemm &g)
{
    __shared__ __half a[LARGE][LONG + 8], b[LARGE][LONG + 8];
    unsigned batch = blockIdx.z, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const __half *at = start<__half>(g.a, batch), *bt = start<__half>(g.b, batch);
    int i0 = blockIdx.x * LARGE, j0 = blockIdx.y * LARGE;
    int wi = warp % 2 * 32, wj = warp / 2 * 32, row = lane / 4, pair = lane % 4 * 2;
    float sum[2][4][4] = {};
    for (int k0 = 0; k0 < g.k; k0 += LONG) {
        fetch_half<false>(a, at, g.a, i0, g.m, k0, g.k);
        fetch_half<true>(b, bt, g.b, j0, g.n, k0, g.k);
        __syncthreads();
        for (int k = 0; k < LONG; k += 8) {
            unsigned x[2][2], y[4];
            for (int i = 0; i < 2; i++)
                for (int h = 0; h < 2; h++)
                    x[i][h] = *(const unsigned *)&a[wi + 16 * i + 8 * h + row][k + pair];
            for (int j = 0; j < 4; j++) y[j] = *(const unsigned *)&b[wj + 8 * j + row][k + pair];
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++) mma(sum[i][j], x[i], y[j]);
        }
        __syncthreads();
    }
    const O *c = start<O>(g.c, batch);
    O *d = g.c.pointers ? (O *)c : (O *)g.d + batch * g.d_batch;
    float alpha = scalar_of<float>(g.alpha, g.half_scalars);
    float beta = scalar_of<float>(g.beta, g.half_scalars);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e++)
                put(sum[i][j][e], g, c, d, alpha, beta, batch, i0 + wi + 16 * i + row + e / 2 * 8,
                    j0 + wj + 8 * j + pair + e % 2);
}
KERNEL __launch_bounds__(128) tensor_h(blas_gemm g) { gemm_tensor<__half>(g); }
KERNEL __launch_bounds__(128) tensor_hs(blas_gemm g) { gemm_tensor<float>(g); }

// ---- vectors ----

__device__ long long thread_id() { return blockIdx.x * (long long)blockDim.x + threadIdx.x; }
__device__ long long threads() { return gridDim.x * (long long)blockDim.x; }

// Neighbours of a vector are `step` elements apart; from the end if step is negative.
template<class T> __device__ T &item(const blas_vector &v, long long i)
{
    return ((T *)v.at)[(v.step < 0 ? i - v.n + 1 : i) * v.step];
}

template<class T> __device__ void axpy(const library_scalar &s, const blas_vector &x,
                                       const blas_vector &y)
{
    typedef typename of<T>::type R;
    R alpha = scalar<R>(s);
    for (long long i = thread_id(); i < x.n; i += threads())
        item<T>(y, i) = narrow<T>(madd(alpha, wide<R>(item<T>(x, i)), wide<R>(item<T>(y, i))));
}

template<class T> __device__ void scal(const library_scalar &s, const blas_vector &x)
{
    typedef typename of<T>::type R;
    R alpha = scalar<R>(s);
    for (long long i = thread_id(); i < x.n; i += threads())
        item<T>(x, i) = narrow<T>(times(alpha, wide<R>(item<T>(x, i))));
}

template<class T> __device__ void copy(const blas_vector &x, const blas_vector &y)
{
    for (long long i = thread_id(); i < x.n; i += threads()) item<T>(y, i) = item<T>(x, i);
}

template<class T> __device__ void swap(const blas_vector &x, const blas_vector &y)
{
    for (long long i = thread_id(); i < x.n; i += threads()) {
        T t = item<T>(x, i);
        item<T>(x, i) = item<T>(y, i), item<T>(y, i) = t;
    }
}

// x, y = c x + s y, c y - conj(s) x
template<class T> __device__ void rot(const library_scalar &c, const library_scalar &s,
                                      const blas_vector &x, const blas_vector &y)
{
    T cosine = scalar<T>(c), sine = scalar<T>(s);
    for (long long i = thread_id(); i < x.n; i += threads()) {
        T u = item<T>(x, i), v = item<T>(y, i);
        item<T>(x, i) = plus(times(cosine, u), times(sine, v));
        item<T>(y, i) = plus(times(cosine, v), minus(times(conjugate(sine), u)));
    }
}

// ---- sums over vectors: each block writes a part, and the last kernel adds the parts ----

template<class T>
__device__ void dot(const blas_vector &x, const blas_vector &y, int conjugated, void *parts)
{
    typedef typename of<T>::type R;
    R sum = zero<R>();
    for (long long i = thread_id(); i < x.n; i += threads()) {
        R u = wide<R>(item<T>(x, i));
        sum = madd(conjugated ? conjugate(u) : u, wide<R>(item<T>(y, i)), sum);
    }
    sum = block_sum(sum);
    if (!threadIdx.x) ((R *)parts)[blockIdx.x] = sum;
}

template<class T> __device__ void add_parts(const void *parts, int n, void *out)
{
    typedef typename of<T>::type R;
    R sum = zero<R>();
    for (int i = threadIdx.x; i < n; i += SUM_THREADS) sum = plus(sum, ((const R *)parts)[i]);
    sum = block_sum(sum);
    if (!threadIdx.x) *(T *)out = narrow<T>(sum);
}

template<> __device__ double square(__half x) { return square(__half2float(x)); }
template<> __device__ double square(__nv_bfloat16 x) { return square(__bfloat162float(x)); }

// Sums of squares and of absolute values are in double for every type.
template<class T> __device__ void norm_parts(const blas_vector &x, void *parts)
{
    double sum = 0;
    for (long long i = thread_id(); i < x.n; i += threads()) sum += square(item<T>(x, i));
    sum = block_sum(sum);
    if (!threadIdx.x) ((double *)parts)[blockIdx.x] = sum;
}

template<class T> __device__ void size_parts(const blas_vector &x, void *parts)
{
    double sum = 0;
    for (long long i = thread_id(); i < x.n; i += threads()) sum += size(item<T>(x, i));
    sum = block_sum(sum);
    if (!threadIdx.x) ((double *)parts)[blockIdx.x] = sum;
}

template<class O> __device__ void add_doubles(const void *parts, int n, int root, void *out)
{
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += SUM_THREADS) sum += ((const double *)parts)[i];
    sum = block_sum(sum);
    if (!threadIdx.x) *(O *)out = O(root ? sqrt(sum) : sum);
}

template<class T> __device__ void extreme_parts(const blas_vector &x, int least, void *parts)
{
    found best = {0, -1};
    for (long long i = thread_id(); i < x.n; i += threads())
        best = better(best, {size(item<T>(x, i)), i}, least);
    best = block_best(best, least);
    if (!threadIdx.x) ((found *)parts)[blockIdx.x] = best;
}

KERNEL best_part(const void *parts, int n, int least, int wide_index, void *out)
{
    found best = {0, -1};
    for (int i = threadIdx.x; i < n; i += SUM_THREADS)
        best = better(best, ((const found *)parts)[i], least);
    best = block_best(best, least);
    if (threadIdx.x) return;
    if (wide_index) *(long long *)out = best.at + 1; // indices begin with 1
    else *(int *)out = int(best.at + 1);
}

#define SUMS(t, T)                                                                                 \
    KERNEL dot_##t(blas_vector x, blas_vector y, int conjugated, void *parts)                      \
    {                                                                                              \
        dot<T>(x, y, conjugated, parts);                                                           \
    }                                                                                              \
    KERNEL add_##t(const void *parts, int n, void *out) { add_parts<T>(parts, n, out); }           \
    KERNEL norm_##t(blas_vector x, void *parts) { norm_parts<T>(x, parts); }                       \
    KERNEL axpy_##t(library_scalar s, blas_vector x, blas_vector y) { axpy<T>(s, x, y); }          \
    KERNEL scal_##t(library_scalar s, blas_vector x) { scal<T>(s, x); }
SUMS(s, float)
SUMS(d, double)
SUMS(c, cfloat)
SUMS(z, cdouble)
SUMS(h, __half)
SUMS(b, __nv_bfloat16)

#define VECTORS(t, T)                                                                              \
    KERNEL copy_##t(blas_vector x, blas_vector y) { copy<T>(x, y); }                               \
    KERNEL swap_##t(blas_vector x, blas_vector y) { swap<T>(x, y); }                               \
    KERNEL rot_##t(library_scalar c, library_scalar s, blas_vector x, blas_vector y)               \
    {                                                                                              \
        rot<T>(c, s, x, y);                                                                        \
    }                                                                                              \
    KERNEL size_##t(blas_vector x, void *parts) { size_parts<T>(x, parts); }                       \
    KERNEL extreme_##t(blas_vector x, int least, void *parts) { extreme_parts<T>(x, least, parts); }
VECTORS(s, float)
VECTORS(d, double)
VECTORS(c, cfloat)
VECTORS(z, cdouble)

KERNEL total_s(const void *parts, int n, int root, void *out)
{
    add_doubles<float>(parts, n, root, out);
}
KERNEL total_d(const void *parts, int n, int root, void *out)
{
    add_doubles<double>(parts, n, root, out);
}

// ---- a matrix and a vector ----

// y = alpha a x + beta y. A warp per row if the neighbours of a row are neighbours in memory, else
// a thread per row.
template<class T>
__device__ void gemv(const library_scalar &s, const blas_matrix &a, const blas_vector &x,
                     const library_scalar &t, const blas_vector &y)
{
    T alpha = scalar<T>(s), beta = scalar<T>(t);
    bool team = a.right == 1 && a.down != 1;
    int lanes = team ? 32 : 1, lane = thread_id() % lanes;
    long long i = thread_id() / lanes;
    const T *at = (const T *)a.at;
    __shared__ T part[SUM_THREADS];
    T sum = zero<T>();
    if (i < y.n)
        for (long long j = lane; j < x.n; j += lanes)
            sum = madd(element<T>(at, a, i, j), item<T>(x, j), sum);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int n = lanes / 2; n; n /= 2) {
        if (lane < n) part[threadIdx.x] = plus(part[threadIdx.x], part[threadIdx.x + n]);
        __syncthreads();
    }
    if (i >= y.n || lane) return;
    T value = times(alpha, part[threadIdx.x]);
    item<T>(y, i) = is_zero(beta) ? value : madd(beta, item<T>(y, i), value);
}

// a += alpha x y'
template<class T>
__device__ void ger(const library_scalar &s, const blas_vector &x, const blas_vector &y,
                    int conjugated, const blas_matrix &a, int part)
{
    T alpha = scalar<T>(s);
    for (long long e = thread_id(); e < x.n * y.n; e += threads()) {
        long long i = e % x.n, j = e / x.n;
        if ((part == 'L' && i < j) || (part == 'U' && i > j)) continue;
        T v = conjugated ? conjugate(item<T>(y, j)) : item<T>(y, j);
        T &at = ((T *)a.at)[i * a.down + j * a.right];
        at = madd(times(alpha, item<T>(x, i)), v, at);
    }
}

// c = alpha a + beta b
template<class T>
__device__ void geam(const library_scalar &s, const blas_matrix &a, const library_scalar &t,
                     const blas_matrix &b, const blas_matrix &c, int m, int n)
{
    T alpha = scalar<T>(s), beta = scalar<T>(t);
    for (long long e = thread_id(); e < (long long)m * n; e += threads()) {
        long long i = e % m, j = e / m;
        T x = zero<T>();
        if (!is_zero(alpha)) x = times(alpha, element<T>((const T *)a.at, a, i, j));
        if (!is_zero(beta)) x = madd(beta, element<T>((const T *)b.at, b, i, j), x);
        ((T *)c.at)[i * c.down + j * c.right] = x;
    }
}

// c = diag(x) a, or a diag(x)
template<class T>
__device__ void dgmm(const blas_matrix &a, const blas_vector &x, int right, const blas_matrix &c,
                     int m, int n)
{
    for (long long e = thread_id(); e < (long long)m * n; e += threads()) {
        long long i = e % m, j = e / m;
        ((T *)c.at)[i * c.down + j * c.right] =
            times(element<T>((const T *)a.at, a, i, j), item<T>(x, right ? j : i));
    }
}

// Solves a x = alpha b in place for the column blockIdx.x of b and the matrix blockIdx.y; a is
// lower or upper triangular.
template<class T>
__device__ void trsm(const blas_matrix &a, const blas_matrix &b, const library_scalar &s, int m)
{
    bool lower = a.shape & 1;
    T *x = start<T>(b, blockIdx.y) + blockIdx.x * b.right;
    const T *at = start<T>(a, blockIdx.y);
    T alpha = scalar<T>(s);
    for (int i = threadIdx.x; i < m; i += blockDim.x) x[i * b.down] = times(alpha, x[i * b.down]);
    __syncthreads();
    for (int step = 0; step < m; step++) {
        int i = lower ? step : m - 1 - step;
        T value = x[i * b.down];
        if (a.shape < BLAS_UNIT_LOWER) value = over(value, element<T>(at, a, i, i));
        __syncthreads();
        if (!threadIdx.x) x[i * b.down] = value;
        for (int r = threadIdx.x; r < m - 1 - step; r += blockDim.x) {
            int k = lower ? i + 1 + r : r;
            x[k * b.down] = madd(minus(element<T>(at, a, k, i)), value, x[k * b.down]);
        }
        __syncthreads();
    }
}

// LU factors with partial pivoting of the matrix blockIdx.x, in place. pivots: NULL for none.
template<class T>
__device__ void getrf(const blas_matrix &a, int n, int *pivots, int *info)
{
    T *at = start<T>(a, blockIdx.x);
    int singular = 0;
    for (int c = 0; c < n; c++) {
        found best = {0, -1};
        if (pivots)
            for (int i = c + threadIdx.x; i < n; i += blockDim.x)
                best = better(best, {size(at[i + c * a.right]), i}, false);
        else best = {0, c};
        int row = of_first((int)block_best(best, false).at);
        __syncthreads();
        if (pivots && !threadIdx.x) pivots[blockIdx.x * (long long)n + c] = row + 1;
        for (int j = threadIdx.x; row != c && j < n; j += blockDim.x) {
            T t = at[c + j * a.right];
            at[c + j * a.right] = at[row + j * a.right], at[row + j * a.right] = t;
        }
        __syncthreads();
        T pivot = at[c + c * a.right];
        if (is_zero(pivot)) {
            if (!singular) singular = c + 1;
            continue;
        }
        for (int i = c + 1 + threadIdx.x; i < n; i += blockDim.x)
            at[i + c * a.right] = over(at[i + c * a.right], pivot);
        __syncthreads();
        int left = n - c - 1;
        for (long long e = threadIdx.x; e < (long long)left * left; e += blockDim.x) {
            int i = c + 1 + int(e % left), j = c + 1 + int(e / left);
            at[i + j * a.right] = madd(minus(at[i + c * a.right]), at[c + j * a.right],
                                       at[i + j * a.right]);
        }
        __syncthreads();
    }
    if (!threadIdx.x) info[blockIdx.x] = singular;
}

#include "least_squares.h"

#define MATRICES(t, T)                                                                             \
    KERNEL gemv_##t(library_scalar s, blas_matrix a, blas_vector x, library_scalar u,              \
                    blas_vector y)                                                                 \
    {                                                                                              \
        gemv<T>(s, a, x, u, y);                                                                    \
    }                                                                                              \
    KERNEL ger_##t(library_scalar s, blas_vector x, blas_vector y, int conjugated, blas_matrix a,  \
                   int part)                                                                       \
    {                                                                                              \
        ger<T>(s, x, y, conjugated, a, part);                                                      \
    }                                                                                              \
    KERNEL geam_##t(library_scalar s, blas_matrix a, library_scalar u, blas_matrix b,              \
                    blas_matrix c, int m, int n)                                                   \
    {                                                                                              \
        geam<T>(s, a, u, b, c, m, n);                                                              \
    }                                                                                              \
    KERNEL dgmm_##t(blas_matrix a, blas_vector x, int right, blas_matrix c, int m, int n)          \
    {                                                                                              \
        dgmm<T>(a, x, right, c, m, n);                                                             \
    }                                                                                              \
    KERNEL trsm_##t(blas_matrix a, blas_matrix b, library_scalar s, int m) { trsm<T>(a, b, s, m); }\
    KERNEL getrf_##t(blas_matrix a, int n, int *pivots, int *info)                                 \
    {                                                                                              \
        getrf<T>(a, n, pivots, info);                                                              \
    }                                                                                              \
    KERNEL gels_##t(blas_matrix a, blas_matrix c, int m, int n, int sides, int *info)              \
    {                                                                                              \
        gels<T>(a, c, m, n, sides, info);                                                          \
    }
MATRICES(s, float)
MATRICES(d, double)
MATRICES(c, cfloat)
MATRICES(z, cdouble)

// out[i] = sum of row i, in float; a block per row
template<class T, class O> __device__ void row_sum(const blas_matrix &a, int columns, O *out)
{
    float sum = 0;
    for (int j = threadIdx.x; j < columns; j += SUM_THREADS)
        sum += element<float>((const T *)a.at, a, blockIdx.x, j);
    sum = block_sum(sum);
    if (!threadIdx.x) out[blockIdx.x] = narrow<O>(sum);
}
#define ROWS(name, T, O)                                                                           \
    KERNEL rows_##name(blas_matrix a, int columns, O *out) { row_sum<T, O>(a, columns, out); }
ROWS(ss, float, float)
ROWS(hh, __half, __half)
ROWS(hs, __half, float)
ROWS(bb, __nv_bfloat16, __nv_bfloat16)
ROWS(bs, __nv_bfloat16, float)
