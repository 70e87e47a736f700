/* Stands in for PyTorch's header of the same name: macros that FlashAttention's host code uses. No
 * kernel depends on the macros. */
#pragma once
#define C10_CUDA_CHECK(call) (void)(call)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() (void)cudaGetLastError()
