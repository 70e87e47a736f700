#!/usr/bin/env bats
# cuBLAS and cuBLASLt: results against sums on the host, refusals, programs of corun cc.
load common.bash
load cuda.bash

@test "cuBLAS: every function of every type equals sums on the host" {
    functional turing blas # half on tensor units
    shows 'all right: 3650 results'
    functional maxwell16 blas few
    shows 'all right: 307 results'
}

@test "cuBLASLt: layouts, epilogues, batches and floats of 8 bits equal sums on the host" {
    functional turing blas_lt
    shows 'all right: 228467 results'
    grep -q 'corun: cuBLAS: cublasLtMatmul with this epilogue is not supported' <<<"$stderr"
}

@test "cuBLAS: a function without a handle does what the function with a handle does" {
    functional turing blas_legacy
    shows 'all right: 287 checks'
}

@test "a call that corun lacks says so once" {
    functional turing blas few
    [ "$(grep -c 'corun: cuBLAS: cublasSgetriBatched is not supported' <<<"$stderr")" = 1 ]
    [ "$(grep -c 'a matrix product of these types is not supported' <<<"$stderr")" = 1 ]
}

@test "the libraries of CUDA 11 and 12 have the same functions, for static programs too" {
    for version in 11 12 static; do
        functional turing "blas_$version" few
        shows 'all right: '
    done
}

# bats test_tags=long
@test "a program of corun cc multiplies matrices, timed, with the names of cuBLAS" {
    clang_here
    cat >multiply.cu <<'END'
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cstdio>
#include <vector>
__global__ void fill(__half *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = __float2half(float(i % 5));
}
int main()
{
    const int n = 96;
    __half *a;
    float *c;
    cudaMalloc(&a, n * n * sizeof *a);
    cudaMallocManaged(&c, n * n * sizeof *c);
    fill<<<n * n / 256, 256>>>(a, n * n);
    cublasHandle_t handle;
    if (cublasCreate(&handle)) return 1;
    const float one = 1, zero = 0;
    cublasStatus_t status = cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a,
                                         CUDA_R_16F, n, a, CUDA_R_16F, n, &zero, c, CUDA_R_32F, n,
                                         CUDA_R_32F, CUBLAS_GEMM_DEFAULT); // as before CUDA 11
    cudaDeviceSynchronize();
    float sum = 0, right = 0;
    for (int j = 0; j < n; j++) {
        sum += c[5 + j * n];
        for (int k = 0; k < n; k++) right += float((5 + k * n) % 5) * float((j + k * n) % 5);
    }
    printf("%s, %g, right %g\n", cublasGetStatusName(status), sum, right);
    return cublasDestroy(handle) || sum != right;
}
END
    corun cc multiply.cu -o multiply -lcublas -lcublasLt
    ended 0
    corun cuda --gpu turing --by kernel ./multiply
    ended 0
    shows 'CUBLAS_STATUS_SUCCESS'
    shows 'tensor_hs'
    corun cuda --quiet --gpu maxwell16 ./multiply
    ended 0
}
