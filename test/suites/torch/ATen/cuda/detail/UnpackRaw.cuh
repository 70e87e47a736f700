/* Stands in for PyTorch's header of the same name. */
#pragma once
#include <ATen/cuda/PhiloxCudaState.h>
#include <tuple>
namespace at::cuda::philox {
__host__ __device__ inline std::tuple<uint64_t, uint64_t> unpack(PhiloxCudaState s)
{
    if (!s.captured) return {s.seed.value, s.offset.value};
    return {(uint64_t)*s.seed.pointer, (uint64_t)*s.offset.pointer + s.offset_in_graph};
}
}
