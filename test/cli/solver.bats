#!/usr/bin/env bats
# cuSOLVER: factors against products on the host, refusals, programs of corun cc.
load common.bash
load cuda.bash

@test "cuSOLVER: the product of the factors of every type is the matrix" {
    functional turing solver
    shows 'all right: 15903 results'
}

@test "a call that corun's cuSOLVER lacks says so once" {
    functional turing solver z
    [ "$(grep -c 'corun: cuSOLVER: cusolverDnSsygvd is not supported' <<<"$stderr")" = 1 ]
}

@test "cuSOLVER of CUDA 11 and 12 has the same functions" {
    for version in 11 12; do
        functional turing "solver_$version" z
        shows 'all right: '
    done
}

# bats test_tags=long
@test "a program of corun cc solves a system, timed, with the names of cuSOLVER" {
    clang_here
    cat >solve.cu <<'END'
#include <cusolverDn.h>
#include <cstdio>
int main()
{
    const int n = 40;
    double *a, *b, *work;
    int size, *pivots, *info;
    cudaMallocManaged(&a, n * n * sizeof *a);
    cudaMallocManaged(&b, n * sizeof *b);
    cudaMallocManaged(&pivots, n * sizeof *pivots);
    cudaMallocManaged(&info, sizeof *info);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i + j * n] = i == j ? 2 : j == (i + 1) % n;
    for (int i = 0; i < n; i++) b[i] = 2 * i + (i + 1) % n; // x = 0, 1, 2, ...
    cusolverDnHandle_t handle;
    if (cusolverDnCreate(&handle)) return 1;
    cusolverDnDgetrf_bufferSize(handle, n, n, a, n, &size);
    cudaMalloc(&work, size * sizeof *work);
    cusolverStatus_t status = cusolverDnDgetrf(handle, n, n, a, n, work, pivots, info);
    if (!status) status = cusolverDnDgetrs(handle, CUBLAS_OP_N, n, 1, a, n, pivots, b, n, info);
    cudaDeviceSynchronize();
    int right = 0;
    for (int i = 0; i < n; i++) right += b[i] > i - 1e-9 && b[i] < i + 1e-9;
    printf("status %d: %d right\n", status, right);
    return cusolverDnDestroy(handle) || right != n;
}
END
    corun cc solve.cu -o solve -lcusolver
    ended 0
    corun cuda --gpu turing --by kernel ./solve
    ended 0
    shows 'status 0: 40 right'
    shows 'lu_d'
}
