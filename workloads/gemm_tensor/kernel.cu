// nvcc: -arch=sm_89
// C = A B^T with mma: A is m x k, B n x k, of f16, bf16 or e4m3, row by row; C is m x n of f32. A
// block of eight warps computes a tile of 128 x 256, a warp 64 x 64. Pieces of 64 or 128 bytes
// along k go through a ring of four or three stages (cp.async); fragments are read with ldmatrix
// one step ahead.
// Algorithm: the tiled matrix product with a ring of stages of CUTLASS's "Efficient GEMM in CUDA"
// page, written from the description; fragments as in the PTX manual's chapter on mma.
#include "gemm.h"

#define KERNEL(name, type, ring) \
    extern "C" __global__ void __launch_bounds__(THREADS, 1) \
    name(const unsigned char *a, const unsigned char *b, float *out, u32 n, u32 pitch) \
    { \
        gemm<type, ring>(a, b, nullptr, out, n, pitch); \
    }
KERNEL(gemm_tensor_f16, F16, narrow)
KERNEL(gemm_tensor_bf16, BF16, narrow)
KERNEL(gemm_tensor_e4m3, E4M3, narrow)
KERNEL(gemm_tensor_wide_f16, F16, wide)
KERNEL(gemm_tensor_wide_bf16, BF16, wide)
KERNEL(gemm_tensor_wide_e4m3, E4M3, wide)
