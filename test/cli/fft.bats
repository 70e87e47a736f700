#!/usr/bin/env bats
# cuFFT: transforms against sums on the host, refusals, programs of corun cc.
load common.bash
load cuda.bash

@test "cuFFT: transforms of every type, length and layout equal sums on the host" {
    functional turing fft few
    shows 'all right: 2377 results'
    functional fermi30 fft few
    shows 'all right: 2377 results'
}

# bats test_tags=long
@test "cuFFT: many more lengths and layouts" {
    functional turing fft
    shows 'all right: 7889 results'
}

@test "a call that corun's cuFFT lacks says so once" {
    functional turing fft few
    [ "$(grep -c 'corun: cuFFT: cufftXtSetCallback is not supported' <<<"$stderr")" = 1 ]
}

@test "cuFFT of CUDA 11 and 12 has the same functions" {
    for version in 11 12; do
        functional turing "fft_$version" few
        shows 'all right: 2377 results'
    done
}

# bats test_tags=long
@test "a program of corun cc transforms there and back, timed, with the same bits on each machine" {
    clang_here
    cat >waves.cu <<'END'
#include <cufft.h>
#include <cstdio>
int main()
{
    const int n = 4096, odd = 1009;
    cufftComplex *x, *y;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    for (int i = 0; i < n; i++) x[i].x = float(i % 17), x[i].y = float(i % 5);
    cufftHandle plan, prime;
    if (cufftPlan1d(&plan, n, CUFFT_C2C, 1) || cufftPlan1d(&prime, odd, CUFFT_C2C, 4)) return 1;
    if (cufftExecC2C(plan, x, y, CUFFT_FORWARD)) return 1;
    if (cufftExecC2C(plan, y, y, CUFFT_INVERSE)) return 1;
    if (cufftExecC2C(prime, x, x, CUFFT_FORWARD)) return 1;
    cudaDeviceSynchronize();
    int right = 0;
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        float re = y[i].x / n - float(i % 17), im = y[i].y / n - float(i % 5);
        right += re * re + im * im < 1e-10f;
        sum = sum * 31 + *(unsigned *)&x[i].x + *(unsigned *)&y[i].y;
    }
    printf("%d right, sum %08x\n", right, sum);
    return cufftDestroy(plan) || cufftDestroy(prime) || right != n;
}
END
    corun cc waves.cu -o waves -lcufft
    ended 0
    corun cuda --gpu turing --by kernel ./waves
    ended 0
    shows '4096 right'
    shows 'pass_s'
    sum=$(grep -o 'sum [0-9a-f]*' <<<"$output")
    corun cuda --quiet --gpu turing --skip-kernels all ./waves
    shows "4096 right, $sum"
}
