// One lane stores a __shared__ variable before a barrier, a fence or another function of the warp,
// all lanes load the variable after: prints the forms whose lanes got another value.
#include <cstdio>

// FORM(name, threads of a block, statement): r is in use, n is 0
#define FORMS                                                                                      \
    FORM(syncthreads, 64, __syncthreads())                                                         \
    FORM(syncthreads_fence, 64, __syncthreads(); __threadfence_block())                            \
    FORM(syncthreads_or, 64, __syncthreads_or(0))                                                  \
    FORM(syncthreads_and, 64, r += __syncthreads_and(n))                                           \
    FORM(syncthreads_count, 64, r += __syncthreads_count(n))                                       \
    FORM(barrier, 64, __barrier_sync(1))                                                           \
    FORM(barrier_count, 64, __barrier_sync_count(2, 64))                                           \
    FORM(barrier_asm, 64, asm volatile("bar.sync 0;" ::: "memory"))                                \
    FORM(barrier_named, 64, asm volatile("bar.sync 1, 64;"))                                       \
    FORM(barrier_split, 64, asm volatile("bar.arrive 3, 128; bar.sync 3, 128;" ::: "memory"))      \
    FORM(syncwarp, 32, __syncwarp())                                                               \
    FORM(syncwarp_mask, 32, __syncwarp(~n))                                                        \
    FORM(shfl, 32, r += __shfl_sync(-1, n, 1))                                                     \
    FORM(shfl_up, 32, r += __shfl_up_sync(-1, (double)n, 1))                                       \
    FORM(shfl_down, 32, r += __shfl_down_sync(-1, (long long)n, 1))                                \
    FORM(shfl_xor, 32, r += __shfl_xor_sync(-1, (float)n, 1))                                      \
    FORM(all, 32, r += __all_sync(-1, n))                                                          \
    FORM(any, 32, r += __any_sync(-1, n))                                                          \
    FORM(uni, 32, r += __uni_sync(-1, n) - 1)                                                      \
    FORM(ballot, 32, r += __ballot_sync(-1, n))                                                    \
    FORM(match_any, 32, r += ~__match_any_sync(-1, n))                                             \
    FORM(match_all, 32, int same; r += ~__match_all_sync(-1, n, &same))                            \
    FORM(activemask, 32, r += ~__activemask())                                                     \
    FORM(fence, 32, __syncwarp(); __threadfence())                                                 \
    FORM(fence_block, 32, __threadfence_block(); __syncwarp())                                     \
    FORM(fence_system, 32, __syncwarp(); __threadfence_system())                                   \
    FORM(atomic, 32, __syncwarp(); r += atomicAnd(&cell, 0u))                                      \
    FORM(atomic_block, 32, __syncwarp(); r += atomicExch_block(&cell, 0u))                         \
    FORM(atomic_system, 32, __syncwarp(); r += atomicMin_system(&cell, 0u))                        \
    FORM(atomic_inc, 32, __syncwarp(); r += atomicInc(&cell, 0u))                                  \
    FORM(sleep, 32, __syncwarp(); __nanosleep(10))                                                 \
    FORM(load_hint, 32, __syncwarp(); r += __ldg(in) - __ldcg(in))

enum { BLOCKS = 2, THREADS_MAX = 64 };
__device__ unsigned cell;

#define FORM(name, threads, ...)                                                                   \
    __global__ void name(const int *in, int *out, int n)                                           \
    {                                                                                              \
        __shared__ int value;                                                                      \
        int r = 0;                                                                                 \
        if (threadIdx.x == 0) value = in[blockIdx.x];                                              \
        __VA_ARGS__;                                                                               \
        out[blockIdx.x * blockDim.x + threadIdx.x] += value + r;                                   \
    }
FORMS
#undef FORM

static bool right(void (*kernel)(const int *, int *, int), int threads)
{
    int start[BLOCKS] = {41, 42}, got[BLOCKS * THREADS_MAX], *in, *out, bad = 0;
    cudaMalloc(&in, sizeof start);
    cudaMalloc(&out, sizeof got);
    cudaMemset(out, 0, sizeof got);
    cudaMemcpy(in, start, sizeof start, cudaMemcpyHostToDevice);
    kernel<<<BLOCKS, threads>>>(in, out, 0);
    if (cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost)) bad++;
    for (int i = 0; i < BLOCKS * threads; i++) bad += got[i] != start[i / threads];
    cudaFree(in);
    cudaFree(out);
    return !bad;
}

int main()
{
    int bad = 0, n = 0;
#define FORM(name, threads, ...)                                                                   \
    n++;                                                                                           \
    if (!right(name, threads)) bad++, printf("wrong: %s\n", #name);
    FORMS
    printf("%d of %d wrong\n", bad, n);
}
