/* 128-bit division, signed and unsigned. The PTX made by nvcc (int128.ptx: nvcc -ptx -arch=sm_75
 * -O3) takes carries from sub.cc through subc.cc to addc. */
typedef __int128 s128;
typedef unsigned __int128 u128;

template <typename T> __device__ void divide(const T *x, const T *y, T *quotient, T *rest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    quotient[i] = x[i] / y[i];
    rest[i] = x[i] % y[i];
}

extern "C" __global__ void divide_signed(const s128 *x, const s128 *y, s128 *quotient, s128 *rest,
                                         int n)
{
    divide(x, y, quotient, rest, n);
}

extern "C" __global__ void divide_unsigned(const u128 *x, const u128 *y, u128 *quotient, u128 *rest,
                                           int n)
{
    divide(x, y, quotient, rest, n);
}

extern "C" __global__ void divide_by_7(const u128 *x, u128 *quotient, u128 *rest, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    quotient[i] = x[i] / 7;
    rest[i] = x[i] % 7;
}
