/* Textures and surfaces as a CUDA program uses them; run and checked by texture.bats.
 * nvcc -arch=sm_75 -fmad=false -ptx texture.cu -o texture.ptx */
#include <cuda_runtime.h>

/* an image turned about the middle, as image filters do */
extern "C" __global__ void turn(cudaTextureObject_t image, float *out, int width, int height,
                                float c, float s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = (x + 0.5f) / width - 0.5f, v = (y + 0.5f) / height - 0.5f;
    out[y * width + x] = tex2D<float>(image, u * c - v * s + 0.5f, u * s + v * c + 0.5f);
}

/* a sum over neighbours in linear memory, past both ends */
extern "C" __global__ void neighbours(cudaTextureObject_t line, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<int>(line, i - 1) + tex1Dfetch<int>(line, i + 1);
}

/* all four channels of 8 bits, between whole numbers of rows in unswizzled memory */
extern "C" __global__ void rows(cudaTextureObject_t image, float4 *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float4>(image, x + 0.3125f, y + 0.75f);
}

extern "C" __global__ void volume(cudaTextureObject_t box, float *out, int n)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    out[(z * n + y) * n + x] = tex3D<float>(box, x + 0.25f, y * 0.875f, z * 1.125f + 0.5f);
}

extern "C" __global__ void layers(cudaTextureObject_t stack, float *out, int n)
{
    int x = threadIdx.x, layer = blockIdx.x;
    out[layer * n + x] = tex2DLayered<float>(stack, x * 0.5f, x * 0.25f + 0.125f, layer);
}

extern "C" __global__ void sky(cudaTextureObject_t cube, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (float)(i % 7 - 3), y = (float)(i / 7 % 5 - 2), z = (float)(i / 35 % 9 - 4);
    if (i < n) out[i] = texCubemap<float>(cube, x + 0.25f, y - 0.125f, z + 0.0625f);
}

extern "C" __global__ void levels(cudaTextureObject_t pyramid, float *out, int n)
{
    int i = threadIdx.x;
    float u = (i + 0.5f) / n;
    out[i] = tex2DLod<float>(pyramid, u, 1 - u, i * 0.09375f);
    out[n + i] = tex2DGrad<float>(pyramid, u, u, make_float2(0.001f * i, 0), make_float2(0, 0.01f));
}

extern "C" __global__ void gather(cudaTextureObject_t image, int4 *out, int width)
{
    int x = threadIdx.x, y = blockIdx.x;
    out[y * width + x] = tex2Dgather<int4>(image, x + 0.5f, y + 1.0f, 1);
}

/* a blur from one surface into another; everything outside is 0 */
extern "C" __global__ void blur(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width,
                                int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += surf2Dread<float>(from, (x + dx) * 4, y + dy, cudaBoundaryModeZero);
    surf2Dwrite(sum, to, x * 4, y, cudaBoundaryModeZero);
}

/* colours with both channels the other way round, in place */
extern "C" __global__ void swap(cudaSurfaceObject_t image)
{
    int x = threadIdx.x, y = blockIdx.x;
    ushort2 two = surf2Dread<ushort2>(image, x * 4, y, cudaBoundaryModeClamp);
    surf2Dwrite(make_ushort2(two.y, two.x), image, x * 4, y, cudaBoundaryModeTrap);
}

extern "C" __global__ void outside(cudaSurfaceObject_t image)
{
    surf2Dwrite(1.0f, image, threadIdx.x * 4, 0, cudaBoundaryModeTrap);
}
