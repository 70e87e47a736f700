// Least squares: a part of kernels.cu.

template<class T> __device__ complex<double> doubles(T x) { return {double(x), 0}; }
template<class T> __device__ complex<double> doubles(complex<T> x) { return {x.x, x.y}; }

template<class T> __device__ T exchanged(T x, int lanes)
{
    return __shfl_xor_sync(~0u, x, lanes);
}
template<class T> __device__ complex<T> exchanged(complex<T> x, int lanes)
{
    return {exchanged(x.x, lanes), exchanged(x.y, lanes)};
}

// The sum over a warp, in every lane.
template<class R> __device__ R warp_sum(R x)
{
    for (int n = 16; n; n /= 2) x = plus(x, exchanged(x, n));
    return x;
}

// Finds the reflection 1 - tau v v' of m elements into the first element, as LAPACK's larfg. The
// new element replaces x[0], v replaces the others; v[0] is 1. Returns tau conjugated.
template<class T> __device__ T reflection(T *x, int m)
{
    double rest = 0;
    for (int i = 1 + threadIdx.x; i < m; i += blockDim.x) rest += square(x[i]);
    rest = of_first(block_sum(rest));
    T first = x[0];
    complex<double> wide_first = doubles(first);
    __syncthreads();
    if (rest == 0 && wide_first.y == 0) return zero<T>();
    T left = made<T>(-copysign(sqrt(square(first) + rest), wide_first.x), 0);
    T distance = plus(first, minus(left));
    for (int i = 1 + threadIdx.x; i < m; i += blockDim.x) x[i] = over(x[i], distance);
    if (!threadIdx.x) x[0] = left;
    __syncthreads();
    return conjugate(over(minus(distance), left));
}

// x -= tau v (v' x) for each column x, a warp per column; v[0] is 1 and not stored.
template<class T>
__device__ void reflect(const T *v, T tau, int m, T *at, long long right, int columns)
{
    int lane = threadIdx.x % 32;
    for (int j = threadIdx.x / 32; j < columns; j += blockDim.x / 32) {
        T *x = at + j * right;
        T sum = lane ? zero<T>() : x[0];
        for (int i = 1 + lane; i < m; i += 32) sum = madd(conjugate(v[i]), x[i], sum);
        sum = minus(times(tau, warp_sum(sum)));
        if (!lane) x[0] = plus(x[0], sum);
        for (int i = 1 + lane; i < m; i += 32) x[i] = madd(sum, v[i], x[i]);
    }
}

// The least squares solutions of a x = c for the matrix blockIdx.x, m x n with m >= n, by a QR
// factorization in place; x replaces the first n rows of c. info: the first zero on the diagonal
// of R, or 0. A matrix with a zero is not solved.
template<class T>
__device__ void gels(const blas_matrix &a, const blas_matrix &c, int m, int n, int sides, int *info)
{
    T *at = start<T>(a, blockIdx.x), *x = start<T>(c, blockIdx.x);
    int zero_at = 0, lane = threadIdx.x % 32;
    for (int k = 0; k < n; k++) {
        T *v = at + k + k * a.right;
        T tau = reflection(v, m - k);
        reflect(v, tau, m - k, v + a.right, a.right, n - k - 1);
        reflect(v, tau, m - k, x + k, c.right, sides);
        if (!zero_at && is_zero(*v)) zero_at = k + 1;
        __syncthreads();
    }
    if (info && !threadIdx.x) info[blockIdx.x] = zero_at;
    for (int j = threadIdx.x / 32; !zero_at && j < sides; j += blockDim.x / 32)
        for (int i = n; i--;) {
            T *row = x + i + j * c.right, sum = zero<T>();
            for (int k = 1 + lane; k < n - i; k += 32)
                sum = madd(at[i + (i + k) * a.right], row[k], sum);
            sum = warp_sum(sum);
            if (!lane) *row = over(plus(*row, minus(sum)), at[i + i * a.right]);
            __syncwarp();
        }
}
