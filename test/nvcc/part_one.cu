// A kernel whose function and variables are in part_two.cu: prints "all right", or the wrong value.
#include <cstdio>

extern __device__ int scale(int x);
extern __device__ int calls;
extern __constant__ int offset;
static __device__ int own = 100;

__global__ void use(int *out)
{
    out[threadIdx.x] = scale(threadIdx.x) + offset + own;
    atomicAdd(&calls, 1);
}

void show(int *calls_seen);

int main()
{
    int *device, out[32], seen = 0, wrong = 0;
    cudaMalloc(&device, sizeof out);
    use<<<1, 32>>>(device);
    cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
    show(&seen);
    for (int i = 0; i < 32; i++) wrong += out[i] != i * 3 + 40 + 100;
    if (!wrong && seen == 32) puts("all right");
    else printf("%d are wrong, %d calls\n", wrong, seen);
}
