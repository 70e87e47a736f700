// Complete patterns of sharing between threads, built on barriers, fences and atomics: a queue of
// work, a sum added up by the last block, a constant stored by one thread, a pipeline over named
// barriers, a lock, flags in volatile memory. Prints the patterns with a wrong result.
#include <cstdio>

enum { BLOCKS = 6, THREADS = 64, N = 1000 };

__device__ int next, taken[N];
__global__ void queue(int *out)
{
    __shared__ int item;
    __shared__ struct { int n, last; } block;
    if (threadIdx.x == 0) block.n = 0, block.last = -1;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) item = atomicAdd(&next, 1);
        __syncthreads();
        if (item >= N) break;
        if (threadIdx.x == 7) taken[item]++;
        if (threadIdx.x == 40) block.n++, block.last = item;
    }
    if (threadIdx.x == 0) atomicAdd(out, block.n), atomicMax(out + 1, block.last);
}
static bool queue_right(const int *out) { return out[0] == N && out[1] == N - 1; }

__device__ unsigned done;
__device__ int part[BLOCKS];
__global__ void last_block(int *out)
{
    __shared__ bool last;
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, blockIdx.x * 1000 + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        part[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&done, BLOCKS) == BLOCKS - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (int i = threadIdx.x; i < BLOCKS; i += THREADS) atomicAdd(out, part[i]);
}
static bool last_block_right(const int *out) { return out[0] == 15 * 64000 + BLOCKS * 2016; }

__global__ void constant(int *out)
{
    __shared__ int only, *where;
    if (threadIdx.x == 33) only = 5, where = out + 1;
    __syncthreads();
    atomicAdd(out, only);
    if (threadIdx.x < 3 && blockIdx.x == 0) where[threadIdx.x] = only + 1;
}
static bool constant_right(const int *out)
{
    return out[0] == 5 * BLOCKS * THREADS && out[1] == 6 && out[2] == 6 && out[3] == 6;
}

static __device__ __forceinline__ void meet(int barrier)
{
    asm volatile("bar.sync %0, 64;" :: "r"(barrier) : "memory");
}
static __device__ __forceinline__ void arrive(int barrier)
{
    asm volatile("bar.arrive %0, 64;" :: "r"(barrier) : "memory");
}
__global__ void pipeline(int *out) // warp 0 makes, warp 1 takes; full: 1 and 2, empty: 3 and 4
{
    __shared__ int place[2];
    int lane = threadIdx.x % 32, sum = 0;
    if (threadIdx.x < 32) {
        for (int i = 0; i < 20; i++) {
            if (i > 1) meet(3 + i % 2);
            if (lane == i) place[i % 2] = 10 * i;
            __syncwarp();
            arrive(1 + i % 2);
        }
    } else {
        for (int i = 0; i < 20; i++) {
            meet(1 + i % 2);
            sum += place[i % 2];
            if (i < 18) arrive(3 + i % 2);
        }
        atomicAdd(out, sum);
    }
}
static bool pipeline_right(const int *out) { return out[0] == BLOCKS * 32 * 1900; }

__device__ int lock, counters[2];
__global__ void locked(int *out)
{
    __shared__ int turns;
    if (threadIdx.x == 0) {
        for (turns = 0; turns < 5; turns++) {
            while (atomicCAS(&lock, 0, 1)) __nanosleep(20);
            __threadfence();
            counters[0]++;
            counters[1] += counters[0];
            __threadfence();
            atomicExch(&lock, 0);
        }
        atomicAdd(out, turns);
    }
    __syncthreads();
    if (threadIdx.x == 1) atomicAdd(out + 1, turns);
    if (threadIdx.x == 2) atomicMax(out + 2, __ldcg(&counters[0]));
}
static bool locked_right(const int *out)
{
    return out[0] == BLOCKS * 5 && out[1] == BLOCKS * 5 && out[2] == BLOCKS * 5;
}

__device__ volatile int flag[BLOCKS];
__device__ int data[BLOCKS];
__global__ void chain(int *out) // each block waits for the block before
{
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x) {
            while (!flag[blockIdx.x - 1]) __nanosleep(20);
            __threadfence();
            before = data[blockIdx.x - 1];
        }
        data[blockIdx.x] = before * 3 + 1;
        __threadfence();
        flag[blockIdx.x] = 1;
        atomicMax(out, data[blockIdx.x]);
    }
}
static bool chain_right(const int *out) { return out[0] == 364; }

__global__ void scan(int *out) // warps by shuffles, then the sums of the warps
{
    __shared__ int sums[2];
    __shared__ int all;
    int v = threadIdx.x, lane = v % 32;
    for (int by = 1; by < 32; by *= 2) {
        int other = __shfl_up_sync(~0u, v, by);
        if (lane >= by) v += other;
    }
    if (lane == 31) sums[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) all = sums[0] + sums[1];
    if (__syncthreads_or(threadIdx.x >= 32 && all < 0)) return;
    v += threadIdx.x >= 32 ? sums[0] : 0;
    if (threadIdx.x == THREADS - 1 && v == all) atomicAdd(out, v);
}
static bool scan_right(const int *out) { return out[0] == BLOCKS * 2016; }

static bool right(void (*kernel)(int *), bool (*good)(const int *))
{
    int got[8], *out;
    cudaMalloc(&out, sizeof got);
    cudaMemset(out, 0, sizeof got);
    kernel<<<BLOCKS, THREADS>>>(out);
    bool ok = !cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost) && good(got);
    if (!ok) printf("got %d %d %d %d: ", got[0], got[1], got[2], got[3]);
    cudaFree(out);
    return ok;
}

int main()
{
    int bad = 0, n = 0;
#define TRY(name)                                                                                  \
    n++;                                                                                           \
    if (!right(name, name##_right)) bad++, printf("wrong: %s\n", #name);
    TRY(queue)
    TRY(last_block)
    TRY(constant)
    TRY(pipeline)
    TRY(locked)
    TRY(chain)
    TRY(scan)
    printf("%d of %d wrong\n", bad, n);
}
