// An ordinary CUDA program: relaxes a rod's temperature step by step on the GPU until the
// temperature hardly changes. After every ten steps the host reads a result of the device.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void relax(int n, const float *from, float *to, float *change)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1) return;
    to[i] = 0.5f * (from[i - 1] + from[i + 1]);
    float moved = fabsf(to[i] - from[i]);
    if (moved > *change) atomicMax(reinterpret_cast<int *>(change), __float_as_int(moved));
}

int main()
{
    const int n = 1 << 15;
    std::vector<float> rod(n, 0.0f);
    rod[0] = 100.0f;
    float *a, *b, *change, most = 1.0f;
    cudaMalloc(&a, n * sizeof *a);
    cudaMalloc(&b, n * sizeof *b);
    cudaMalloc(&change, sizeof *change);
    cudaMemcpy(a, rod.data(), n * sizeof *a, cudaMemcpyHostToDevice);
    cudaMemcpy(b, rod.data(), n * sizeof *b, cudaMemcpyHostToDevice);
    int steps = 0;
    while (most > 0.5f) {
        cudaMemset(change, 0, sizeof *change);
        for (int k = 0; k < 10; k++, steps++) {
            relax<<<(n + 255) / 256, 256>>>(n, a, b, change);
            std::swap(a, b);
        }
        cudaMemcpy(&most, change, sizeof most, cudaMemcpyDeviceToHost);
        if (cudaError_t e = cudaGetLastError()) {
            std::printf("%s\n", cudaGetErrorString(e));
            return 1;
        }
    }
    cudaMemcpy(rod.data(), a, n * sizeof *a, cudaMemcpyDeviceToHost);
    std::printf("%d steps, second place at %.3f degrees\n", steps, rod[1]);
    return 0;
}
