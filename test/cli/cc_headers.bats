#!/usr/bin/env bats
# corun cc: types and functions of the headers, checked on host and device.
load common

# bats test_tags=long
@test "bfloat16 and whole numbers convert with each rounding" {
    clang_here
    corun cc "$HERE/../cc/bfloat.cu" -o bfloat
    ended 0
    corun cuda --quiet --skip-kernels all ./bfloat
    ended 0
    shows '344064 conversions, 0 wrong'
}

# bats test_tags=long,every
@test "headers of CUB and Thrust find the names and the language they test" {
    clang_here
    cat >names.cu <<'END'
#include <cuda_occupancy.h>
#include <cuda_device_runtime_api.h>
#ifndef __HOST_DEFINES_H__
#undef __host__
#undef __device__
#endif
#include <cuda_runtime_api.h>
#if !defined(__NVCC__) || !defined(__CUDACC__)
#error "not CUDA"
#endif
template<class T> struct any { template<class U> static __host__ __device__ int take(...); };
__host__ __device__ int number(...);
__host__ __device__ int first(int a, ...) { return a; }
__host__ __device__ int launch()
{
    return cudaGetParameterBuffer(8, 8) ? 0 : cudaLaunchDevice(0, 0, 1, 1, 0, 0);
}
__global__ void k(int *a) { *a = first(2, 3) + sizeof(number(a)); }
END
    corun cc -c names.cu -Xcompiler -Wall,-Wextra
    ended 0
    [[ $stderr != *warning:*names* ]]
}

# bats test_tags=long
@test "functions for dynamic programming, atomic sums of bfloat16" {
    clang_here
    corun cc "$HERE/../cc/dynamic.cu" -o dynamic -Xcompiler -Wall,-Wextra,-Werror
    ended 0
    corun cuda --quiet --skip-kernels all ./dynamic
    ended 0
    shows '36869 values, 0 wrong'
}

# bats test_tags=long
@test "a default stream per thread, moves of managed memory to a location" {
    clang_here
    cat >streams.cu <<'END'
#include <cstdio>
#include <thread>
__global__ void wait(volatile int *a) { while (!*a) __nanosleep(100); }
__global__ void set(int *a, int to) { *a = to; }
int main()
{
    int *a, *b;
    cudaMallocManaged(&a, 8);
    cudaMallocManaged(&b, 8);
    a[0] = a[1] = 0;
    cudaMemLocation where = {cudaMemLocationTypeHost, 0};
    cudaError_t moved = cudaMemPrefetchAsync(a, 4, where, 0);
    cudaError_t advised = cudaMemAdvise(a, 4, cudaMemAdviseSetPreferredLocation, where);
    wait<<<1, 1>>>(a); // ends if the other thread has a stream of its own
    set<<<dim3(1), 1, 0, cudaStreamPerThread>>>(a + 1, 7);
    std::thread([=] { set<<<1, 1, 0, 0>>>(a, 3); }).join();
    cudaError_t copied = cudaMemcpyAsync(b, a, 8, cudaMemcpyDefault, 0);
    cudaStreamSynchronize(0);
    printf("%d %d %d %d %d\n", moved, advised, copied, b[0], b[1]);
}
END
    corun cc streams.cu -o streams --default-stream per-thread -pthread -Xcompiler -Wall
    ended 0
    [[ $stderr != *streams* ]]
    corun cuda --quiet ./streams
    ended 0
    [ "$output" = '0 0 0 3 7' ]
}

# bats test_tags=long
@test "floats of 8 bits convert as defined" {
    clang_here
    corun cc "$HERE/../cc/fp8.cu" -o fp8 -Xcompiler -Wall,-Wextra,-Werror
    ended 0
    corun cuda --quiet --skip-kernels all ./fp8
    ended 0
    shows '126976 conversions, 0 wrong'
}

# bats test_tags=long
@test "OpenMP in host code, in one thread if clang has no library" {
    clang_here
    cat >omp.cu <<'END'
#include <cstdio>
#include <omp.h>
__global__ void k(int *a) { atomicAdd(a, 1); }
int main()
{
    int *a, sum = 0;
    register int n = 100;
    cudaMallocManaged(&a, 4);
    *a = 0;
    #pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += i;
    k<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    printf("sum %d, %d, %d\n", sum, *a, omp_get_max_threads() >= 1 && omp_get_wtime() > 0);
}
END
    for options in -fopenmp '-Xcompiler -Wall,-fopenmp'; do
        corun cc omp.cu -o omp $options -Wno-register
        ended 0
        corun cuda --quiet ./omp
        ended 0
        [ "$output" = 'sum 4950, 32, 1' ]
    done
}

# bats test_tags=long
@test "wmma: products of every shape, type and layout" {
    clang_here
    corun cc "$HERE/../cc/wmma.cu" -o wmma -Xcompiler -Wall,-Wextra,-Werror
    ended 0
    corun cuda --quiet --skip-kernels all ./wmma
    ended 0
    shows '96 products, 0 wrong'
    corun cc "$HERE/../cc/wmma.cu" -o newer -DNEWER -arch=sm_80
    ended 0
    corun cuda --quiet --skip-kernels all --set host.capability=8.0 \
        --set sm.tensor_bf16_initiation=8 --set sm.tensor_tf32_initiation=8 \
        --set sm.tensor_f64_initiation=8 ./newer
    ended 0
    shows '136 products, 0 wrong'
}

# bats test_tags=long
@test "a dependent launch by the functions of the device run time" {
    clang_here
    cat >dependent.cu <<'END'
#include <cstdio>
__global__ void one(int *a) { cudaTriggerProgrammaticLaunchCompletion(); *a = 1; }
__global__ void two(int *a) { cudaGridDependencySynchronize(); *a += 2; }
int main()
{
    int *a, x = 0;
    cudaMalloc(&a, sizeof *a);
    cudaLaunchAttribute how[1] = {};
    how[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    how[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = c.blockDim = dim3(1);
    c.attrs = how;
    c.numAttrs = 1;
    one<<<1, 1>>>(a);
    cudaLaunchKernelEx(&c, two, a);
    cudaMemcpy(&x, a, sizeof x, cudaMemcpyDeviceToHost);
    printf("%d\n", x);
}
END
    corun cc dependent.cu -o dependent -arch=sm_90
    ended 0
    corun cuda --quiet --gpu h100 ./dependent
    ended 0
    [ "$output" = 3 ]
    corun cc dependent.cu -o dependent -arch=sm_80
    ended 2
    says 'cudaTriggerProgrammaticLaunchCompletion'
}

# bats test_tags=long
@test "cooperative groups: blocks of a cluster read each other's shared memory" {
    clang_here
    cat >cluster.cu <<'END'
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
enum { X = 2, Y = 2, THREADS = 64, BLOCKS = 8 };
/* Each thread adds values of its rank in the next block, and notes the shape of the cluster. */
__global__ void turn(unsigned *sums, unsigned *shape)
{
    __shared__ unsigned own[THREADS];
    cg::cluster_group c = cg::this_cluster();
    unsigned next = (c.block_rank() + 1) % c.num_blocks();
    own[threadIdx.x] = c.thread_rank();
    c.sync();
    unsigned *there = c.map_shared_rank(own, (int)next);
    unsigned sum = there[threadIdx.x] + 1000 * c.query_shared_rank(there);
    there[threadIdx.x] += 1;
    cg::cluster_group::arrival_token arrived = c.barrier_arrive();
    unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
    if (!threadIdx.x && !block) {
        shape[0] = c.num_blocks(), shape[1] = c.num_threads(), shape[2] = c.size();
        shape[3] = c.dim_blocks().x, shape[4] = c.dim_blocks().y, shape[5] = c.dim_threads().x;
    }
    if (block == 3 && threadIdx.x == 5) { /* block (1, 0) of the second cluster */
        shape[6] = c.block_index().x, shape[7] = c.thread_index().x;
    }
    c.barrier_wait(static_cast<cg::cluster_group::arrival_token &&>(arrived));
    sums[block * THREADS + threadIdx.x] = sum + own[threadIdx.x] * 100000;
}
int main()
{
    unsigned *device, sums[BLOCKS][THREADS], shape[8], wrong = 0;
    cudaMalloc(&device, sizeof sums + sizeof shape);
    cudaLaunchAttribute cluster[1] = {};
    cluster[0].id = cudaLaunchAttributeClusterDimension;
    cluster[0].val.clusterDim.x = X, cluster[0].val.clusterDim.y = Y;
    cluster[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(4, 2), c.blockDim = dim3(THREADS);
    c.attrs = cluster, c.numAttrs = 1;
    cudaLaunchKernelEx(&c, turn, device, device + BLOCKS * THREADS);
    cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost);
    cudaMemcpy(shape, device + BLOCKS * THREADS, sizeof shape, cudaMemcpyDeviceToHost);
    for (unsigned b = 0; b < BLOCKS; b++)
        for (unsigned t = 0; t < THREADS; t++) {
            unsigned rank = b / 4 * X + b % 2, next = (rank + 1) % 4;
            wrong += sums[b][t] != next * THREADS + t + 1000 * next +
                                       100000 * (rank * THREADS + t + 1);
        }
    printf("%u wrong;", wrong);
    for (unsigned s : shape) printf(" %u", s);
    puts("");
}
END
    corun cc cluster.cu -o cluster -arch=sm_90
    ended 0
    corun cuda --quiet --gpu h100 ./cluster
    ended 0
    [ "$output" = '0 wrong; 4 256 256 2 2 128 1 69' ]
    corun cuda --quiet --gpu h100 --skip-kernels all ./cluster
    ended 0
    [ "$output" = '0 wrong; 4 256 256 2 2 128 1 69' ]
    corun cc cluster.cu -o cluster -arch=sm_80
    ended 2
    says cluster_group
}

# bats test_tags=long
@test "surfaces: values of each size at each place, in each geometry" {
    clang_here
    corun cc "$HERE/../cc/surfaces.cu" -o surfaces -Xcompiler -Wall,-Wextra,-Werror
    ended 0
    corun cuda --quiet --skip-kernels all ./surfaces
    ended 0
    shows '640 values, 0 wrong'
}

# bats test_tags=long,every
@test "a malloc of the device fails, too, where nothing uses the memory" {
    clang_here
    cat >full.cu <<'END'
#include <cstdio>
__global__ void ask(int *out, size_t n)
{
    out[0] = malloc(n) != nullptr;
    out[1] = malloc(16) != nullptr;
}
int main()
{
    int *out, got[2];
    cudaMalloc(&out, sizeof got);
    ask<<<1, 1>>>(out, 1ul << 30);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    printf("%d %d\n", got[0], got[1]);
}
END
    corun cc full.cu -o full
    ended 0
    corun cuda --quiet ./full
    [ "$output" = '0 1' ]
}
