// A kernel whose assertion fails in some threads: the program gets the error, and goes on.
#include <cassert>
#include <cstdio>

__global__ void check(int most)
{
    assert((int)(blockIdx.x * blockDim.x + threadIdx.x) < most);
}

int main()
{
    check<<<2, 32>>>(60);
    bool told = cudaDeviceSynchronize() == cudaErrorAssert;
    bool stays = cudaGetLastError() == cudaErrorAssert && cudaDeviceReset() == cudaErrorAssert;
    puts(told && stays ? "all right" : "not told");
}
