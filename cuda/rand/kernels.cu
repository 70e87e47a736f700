// Kernels of corun's cuRAND. `corun cc -ptx -arch=sm_75 kernels.cu` writes kernels.ptx.
#include "element.h"

template<rand_output output> __device__ __forceinline__ void philox(const rand_call &c)
{
    const unsigned step = gridDim.x * blockDim.x;
    unsigned long long unit = c.first / 4 + blockIdx.x * blockDim.x + threadIdx.x;
    for (; 4 * unit < c.first + c.n; unit += step) rand_philox_unit(output, &c, unit);
}

template<rand_generator generator, rand_output output>
__device__ __forceinline__ void sequence(const rand_call &c)
{
    rand_subsequences(generator, output, &c, blockIdx.x * blockDim.x + threadIdx.x);
}

#define KERNELS(name, output)                                                                      \
    extern "C" __global__ void philox_##name(rand_call c) { philox<output>(c); }                   \
    extern "C" __global__ void xorwow_##name(rand_call c) { sequence<RAND_XORWOW, output>(c); }    \
    extern "C" __global__ void mrg32k3a_##name(rand_call c) { sequence<RAND_MRG, output>(c); }
KERNELS(bits, RAND_BITS)
KERNELS(uniform, RAND_UNIFORM)
KERNELS(normal, RAND_NORMAL)
KERNELS(log_normal, RAND_LOG_NORMAL)
KERNELS(uniform_double, RAND_UNIFORM_DOUBLE)
KERNELS(normal_double, RAND_NORMAL_DOUBLE)
KERNELS(log_normal_double, RAND_LOG_NORMAL_DOUBLE)
KERNELS(poisson, RAND_POISSON)
KERNELS(poisson_large, RAND_POISSON_LARGE)
