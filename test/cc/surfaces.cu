/* Surfaces: writes and reads values of 1 to 16 bytes at places computed at run time. */
#include <cstdio>
#include <cuda_runtime.h>

enum { W = 8, H = 4 };

template <class T> __device__ T value(int k)
{
    T v;
    unsigned char *bytes = (unsigned char *)&v;
    for (unsigned i = 0; i < sizeof v; i++) bytes[i] = (unsigned char)(37 * k + 11 * i + 1);
    return v;
}

template <class T> __global__ void put1(cudaSurfaceObject_t s, int by)
{
    int k = threadIdx.x;
    surf1Dwrite(value<T>(k * by), s, k * (int)sizeof(T));
}

template <class T> __global__ void put2(cudaSurfaceObject_t s, int by)
{
    int x = threadIdx.x % W, y = threadIdx.x / W;
    T v = value<T>((int)threadIdx.x * by);
    surf2Dwrite(v, s, x * (int)sizeof(T), y, cudaBoundaryModeZero);
}

template <class T> __device__ int differs(T a, T b)
{
    const unsigned char *p = (const unsigned char *)&a, *q = (const unsigned char *)&b;
    int n = 0;
    for (unsigned i = 0; i < sizeof a; i++) n |= p[i] != q[i];
    return n;
}

template <class T> __global__ void get1(cudaSurfaceObject_t s, int by, int *wrong)
{
    int k = threadIdx.x;
    atomicAdd(wrong, differs(surf1Dread<T>(s, k * (int)sizeof(T)), value<T>(k * by)));
    atomicAdd(wrong + 1, 1);
}

template <class T> __global__ void get2(cudaSurfaceObject_t s, int by, int *wrong)
{
    int x = threadIdx.x % W, y = threadIdx.x / W;
    T a, b;
    surf2Dread(&a, s, x * (int)sizeof(T), y, cudaBoundaryModeClamp);
    surf2Dread(&b, s, x * (int)sizeof(T), y + H, cudaBoundaryModeZero);
    int k = (int)threadIdx.x;
    atomicAdd(wrong, differs(a, value<T>(k * by)) | differs(b, T{}));
    atomicAdd(wrong + 1, 1);
}

static cudaSurfaceObject_t surface(cudaChannelFormatDesc of, int height)
{
    cudaArray_t array;
    cudaSurfaceObject_t s;
    cudaResourceDesc d = {};
    d.resType = cudaResourceTypeArray;
    if (cudaMallocArray(&array, &of, W * (height ? 1 : H), height, cudaArraySurfaceLoadStore))
        return 0;
    d.res.array.array = array;
    return cudaCreateSurfaceObject(&s, &d) ? 0 : s;
}

template <class T> static void check(cudaChannelFormatDesc of, int *wrong)
{
    cudaSurfaceObject_t line = surface(of, 0), plane = surface(of, H);
    put1<T><<<1, W * H>>>(line, 1);
    get1<T><<<1, W * H>>>(line, 1, wrong);
    put2<T><<<1, W * H>>>(plane, 5);
    get2<T><<<1, W * H>>>(plane, 5, wrong);
}

int main()
{
    int *wrong, n[2];
    cudaMalloc(&wrong, sizeof n);
    cudaMemset(wrong, 0, sizeof n);
    for (int k = 0; k < 2; k++) {
        check<unsigned char>(cudaCreateChannelDesc<unsigned char>(), wrong);
        check<short>(cudaCreateChannelDesc<short>(), wrong);
        check<float>(cudaCreateChannelDesc<float>(), wrong);
        check<float2>(cudaCreateChannelDesc<float2>(), wrong);
        check<float4>(cudaCreateChannelDesc<float4>(), wrong);
    }
    cudaError_t e = cudaMemcpy(n, wrong, sizeof n, cudaMemcpyDeviceToHost);
    printf("%d values, %d wrong, %s\n", n[1], n[0], cudaGetErrorString(e));
    return n[0] || e;
}
