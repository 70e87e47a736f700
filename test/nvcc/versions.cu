// Prints the architecture of the code selected for the device at run time.
#include <cstdio>

__global__ void number(int *to)
{
#ifdef __CUDA_ARCH__
    *to = __CUDA_ARCH__;
#endif
}

int main()
{
    int *device, code = 0;
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    cudaMalloc(&device, sizeof code);
    number<<<1, 1>>>(device);
    cudaError_t error = cudaGetLastError();
    cudaMemcpy(&code, device, sizeof code, cudaMemcpyDeviceToHost);
    printf("device %d.%d runs code of %d: %s\n", p.major, p.minor, code, cudaGetErrorName(error));
}
