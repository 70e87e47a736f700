#!/usr/bin/env bats
# cuSPARSE: results against sums on the host, refusals, programs of corun cc.
load common.bash
load cuda.bash

@test "cuSPARSE: products, systems and conversions of every type equal sums on the host" {
    functional turing sparse
    shows 'all right: 10263 results'
    functional maxwell16 sparse few
    shows 'all right: '
}

@test "cuSPARSE: a transposed matrix has the rows of a column in order, whatever the time" {
    corun cuda --quiet --gpu turing "$(program sparse)" few
    ended 0
    shows 'all right: '
}

@test "cuSPARSE: incomplete factors of every type equal dense factors within the pattern" {
    functional turing factors
    shows 'all right: 793 results'
    corun cuda --quiet --gpu turing "$(program factors)"
    ended 0
    shows 'all right: 793 results'
}

@test "a call that corun's cuSPARSE lacks says so once" {
    functional turing sparse few
    [ "$(grep -c 'corun: cuSPARSE: cusparseScsrgeam2 is not supported' <<<"$stderr")" = 1 ]
    [ "$(grep -c 'a product of these types is not supported' <<<"$stderr")" = 1 ]
}

@test "cuSPARSE of CUDA 11 and 12 has the same functions" {
    for version in 11 12; do
        functional turing "sparse_$version" few
        shows 'all right: '
    done
}

# bats test_tags=long
@test "a program of corun cc multiplies a sparse matrix, timed, with the names of cuSPARSE" {
    clang_here
    cat >laplace.cu <<'END'
#include <cusparse.h>
#include <cstdio>
int main()
{
    const int n = 500;
    int *offsets, *columns, at = 0;
    float *values, *x, *y, one = 1, zero = 0;
    cudaMallocManaged(&offsets, (n + 1) * sizeof *offsets);
    cudaMallocManaged(&columns, 3 * n * sizeof *columns);
    cudaMallocManaged(&values, 3 * n * sizeof *values);
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    for (int i = 0; i < n; i++) {
        offsets[i] = at;
        x[i] = float(i * i);
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < n) columns[at] = j, values[at++] = j == i ? -2 : 1;
    }
    offsets[n] = at;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t in, out;
    if (cusparseCreate(&handle)) return 1;
    cusparseCreateCsr(&a, n, n, at, offsets, columns, values, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnVec(&in, n, x, CUDA_R_32F);
    cusparseCreateDnVec(&out, n, y, CUDA_R_32F);
    cusparseStatus_t status = cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, in,
                                           &zero, out, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                                           nullptr);
    cudaDeviceSynchronize();
    int right = 0;
    for (int i = 1; i < n - 1; i++) right += y[i] == 2;
    printf("%s: %d right\n", cusparseGetErrorName(status), right);
    return cusparseDestroy(handle) || right != n - 2;
}
END
    corun cc laplace.cu -o laplace -lcusparse
    ended 0
    corun cuda --gpu turing --by kernel ./laplace
    ended 0
    shows 'CUSPARSE_STATUS_SUCCESS: 498 right'
    shows 'vector_s'
}
