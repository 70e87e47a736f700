// Least squares: a part of kernels.cu.

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
