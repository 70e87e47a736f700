#!/usr/bin/env bats
# cuRAND: results against published generators, refusals, kernels of corun cc.
load common.bash
load cuda.bash

@test "cuRAND: generators of device and host give the published numbers and distributions" {
    functional turing rand
    shows 'all right: 1784811 checks'
}

@test "a generator that corun lacks is named once" {
    functional turing rand few
    [ "$(grep -c 'corun: cuRAND: generator MTGP32 is not supported' <<<"$stderr")" = 1 ]
    grep -q 'corun: cuRAND: generator Sobol32 is not supported' <<<"$stderr"
}

@test "cuRAND serves CUDA 11 and 12, and static programs" {
    for version in 11 12 static; do
        functional maxwell16 "rand_$version" few
        shows 'all right: '
    done
}

@test "the kernels of cuRAND are timed" {
    corun cuda --gpu turing --by kernel "$(program rand)" few
    ended 0
    shows 'philox_uniform_double' 'xorwow_bits' 'mrg32k3a_poisson'
}

# bats test_tags=long
@test "a kernel of corun cc draws the numbers of the library" {
    clang_here
    cat >draw.cu <<'END'
#include <cstdio>
#include <curand.h>
#include <curand_kernel.h>
const int STATES = 1024, EACH = 8; // 1024 subsequences, 8 words of each

template<class S> __global__ void draw(unsigned *bits, float *normal, double *other)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    S s, skipped;
    curand_init(99, i, 0, &s);
    for (int k = 0; k < EACH; k++) bits[EACH * i + k] = curand(&s);
    curand_init(99, i, 3, &skipped);
    skipahead(2, &skipped);
    for (int k = 5; k < EACH; k++)
        if (curand(&skipped) != bits[EACH * i + k]) printf("word %d of %d is wrong\n", k, i);
    for (int k = 0; k < EACH; k++) normal[EACH * i + k] = curand_normal(&s);
    other[3 * i] = curand_uniform_double(&s);
    other[3 * i + 1] = curand_poisson(&s, 3.5);
    other[3 * i + 2] = curand_log_normal_double(&s, 0, 0.5);
}

__global__ void fours(unsigned *wrong)
{
    curandStatePhilox4_32_10_t s, t;
    curand_init(7, 1, 2, &s);
    curand_init(7, 0, 2, &t);
    skipahead_sequence(1, &t);
    uint4 four = curand4(&s); // over the end of a counter
    *wrong = four.x != curand(&t) || four.y != curand(&t) || four.z != curand(&t);
    *wrong += four.w != curand(&t);
    float4 uniform = curand_uniform4(&s);
    *wrong += uniform.x != curand_uniform(&t) || uniform.y != curand_uniform(&t);
    *wrong += uniform.z != curand_uniform(&t) || uniform.w != curand_uniform(&t);
}

template<class S> int test(curandRngType_t type, int unit, int subsequences)
{
    unsigned *bits, *library;
    float *normal;
    double *other, sum[5] = {};
    const int n = subsequences * EACH;
    cudaMallocManaged(&bits, STATES * EACH * sizeof *bits);
    cudaMallocManaged(&library, n * sizeof *library);
    cudaMallocManaged(&normal, STATES * EACH * sizeof *normal);
    cudaMallocManaged(&other, STATES * 3 * sizeof *other);
    draw<S><<<STATES / 128, 128>>>(bits, normal, other);
    curandGenerator_t g;
    if (curandCreateGenerator(&g, type) || curandSetPseudoRandomGeneratorSeed(g, 99)) return 1;
    if (curandGenerate(g, library, n) || cudaDeviceSynchronize()) return 1;
    int wrong = 0;
    for (int i = 0; i < STATES; i++) {
        for (int k = 0; k < EACH; k++) {
            int at = (k / unit * subsequences + i) * unit + k % unit;
            wrong += bits[EACH * i + k] != library[at];
            sum[0] += normal[EACH * i + k] / (STATES * EACH);
            sum[1] += normal[EACH * i + k] * normal[EACH * i + k] / (STATES * EACH);
        }
        for (int k = 0; k < 3; k++) sum[2 + k] += other[3 * i + k] / STATES;
    }
    const double right[] = {0, 1, 0.5, 3.5, 1.1331}, most[] = {0.05, 0.07, 0.04, 0.25, 0.08};
    for (int k = 0; k < 5; k++)
        if (sum[k] < right[k] - most[k] || sum[k] > right[k] + most[k])
            printf("mean %d is %g, not %g\n", k, sum[k], right[k]), wrong++;
    return wrong;
}

int main()
{
    unsigned *wrong;
    cudaMallocManaged(&wrong, sizeof *wrong);
    fours<<<1, 1>>>(wrong);
    cudaDeviceSynchronize();
    int n = test<curandState>(CURAND_RNG_PSEUDO_XORWOW, 1, 4096) +
            test<curandStateMRG32k3a>(CURAND_RNG_PSEUDO_MRG32K3A, 1, 4096) +
            test<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_PHILOX4_32_10, 4, 65536) +
            (int)*wrong;
    printf("%d numbers are wrong\n", n);
    return n != 0;
}
END
    corun cc draw.cu -o draw -lcurand
    ended 0
    corun cuda --quiet --gpu turing --skip-kernels all ./draw
    ended 0
    [ "$output" = '0 numbers are wrong' ]
}
