// Warp functions and barriers in branches and loops: clang must neither join two of them nor move a
// call to other lanes. Prints the kernels whose lanes got other values than the host.
#include <cstdio>

typedef unsigned u32;
enum { THREADS = 64 };

// KERNEL(name, device code that sets r of lane i, the host's value of thread t); c is 1
#define KERNELS                                                                                    \
    KERNEL(activemask_first,                                                                       \
           if (i & c) { r = __activemask(); out[64] = 1; }                                         \
           else { r = __activemask(); out[65] = 2; },                                              \
           t & 1 ? 0xaaaaaaaa : 0x55555555)                                                        \
    KERNEL(activemask_only,                                                                        \
           if (i & c) { r = __activemask(); } else { r = __activemask(); },                        \
           t & 1 ? 0xaaaaaaaa : 0x55555555)                                                        \
    KERNEL(activemask_last,                                                                        \
           if (i & c) { out[64] = 1; r = __activemask(); }                                         \
           else { out[65] = 2; r = __activemask(); },                                              \
           t & 1 ? 0xaaaaaaaa : 0x55555555)                                                        \
    KERNEL(activemask_one, r = ~0u; if (i < 5 * c) r = __activemask();, t % 32 < 5 ? 31 : ~0u)     \
    KERNEL(activemask_switch,                                                                      \
           switch (i % (3 * c)) {                                                                  \
           case 0: r = __activemask(); break;                                                      \
           case 1: r = __activemask(); break;                                                      \
           default: r = __activemask();                                                            \
           }, t % 32 % 3 == 0 ? 0x49249249 : t % 32 % 3 == 1 ? 0x92492492 : 0x24924924)            \
    KERNEL(shfl_halves,                                                                            \
           if (i < 16 * c) r = __shfl_sync(0xffff, i, 3);                                          \
           else r = __shfl_sync(0xffff0000, i, 20);, t % 32 < 16 ? 3 : 20)                         \
    KERNEL(shfl_same_lane,                                                                         \
           u32 mask = i < 16 * c ? 0xffff : 0xffff0000; int from = i < 16 * c ? 5 : 17;            \
           if (i < 16) r = __shfl_sync(mask, i, from); else r = __shfl_sync(mask, i, from) + 1;,   \
           t % 32 < 16 ? 5 : 18)                                                                   \
    KERNEL(ballot_halves,                                                                          \
           u32 mask = i & c ? 0xaaaaaaaa : 0x55555555;                                             \
           if (i & 1) r = __ballot_sync(mask, i > 9); else r = __ballot_sync(mask, i > 9);,        \
           (t & 1 ? 0xaaaaaaaau : 0x55555555u) & ~0x3ffu)                                          \
    KERNEL(match_halves,                                                                           \
           if (i < 16 * c) r = __match_any_sync(0xffff, i / 4);                                    \
           else r = __match_any_sync(0xffff0000, i / 4);, 15u << t % 32 / 4 * 4)                   \
    KERNEL(any_loop,                                                                               \
           r = 0; for (int left = i; __any_sync(~0u, left > 0); left -= c) r++;, 31)               \
    KERNEL(syncwarp_halves,                                                                        \
           shared[t] = i; if (i < 16 * c) __syncwarp(0xffff); else __syncwarp(0xffff0000);         \
           r = shared[t ^ 15];, t % 32 ^ 15)                                                       \
    KERNEL(barrier_arms,                                                                           \
           shared[t] = t; if (c) { r = 1; __syncthreads(); } else { r = 2; __syncthreads(); }      \
           r += shared[63 - t];, 64 - t)                                                           \
    KERNEL(barrier_unswitched,                                                                     \
           r = 0;                                                                                  \
           for (int turn = 0; turn < 4 * c; turn++) {                                              \
               shared[t] = t + turn;                                                               \
               if (c == 1) { __syncthreads(); r += shared[63 - t]; __syncthreads(); }              \
               else { __syncthreads(); r -= shared[t ^ 1]; __syncthreads(); }                      \
           }, 4 * (63 - t) + 6)                                                                    \
    KERNEL(barrier_continue,                                                                       \
           r = 0;                                                                                  \
           for (int turn = 0; turn < 4 * c; turn++) {                                              \
               if (t == turn) shared[0] = 10 + turn;                                               \
               __syncthreads();                                                                    \
               int seen = shared[0];                                                               \
               __syncthreads();                                                                    \
               if (t & 1) continue;                                                                \
               r += seen;                                                                          \
           }, t & 1 ? 0 : 46)                                                                      \
    KERNEL(count_arms,                                                                             \
           if (t < 32 * c) r = __syncthreads_count(i < 7); else r = __syncthreads_count(i < 9);,   \
           16)                                                                                     \
    KERNEL(shfl_in_loop,                                                                           \
           r = 0; for (int k = 0; k < 8 * c; k++) { int v = __shfl_sync(~0u, i, k);                \
           if (i & k) r += v; }, sum(t % 32))

static int sum(int i)
{
    int r = 0;
    for (int k = 0; k < 8; k++) r += i & k ? k : 0;
    return r;
}

#define KERNEL(name, device, host)                                                                 \
    __global__ void name(u32 *out, int c)                                                          \
    {                                                                                              \
        __shared__ int shared[THREADS];                                                            \
        int t = threadIdx.x, i = t % 32;                                                           \
        u32 r = shared[t] = 0;                                                                     \
        device;                                                                                    \
        out[t] = r;                                                                                \
    }                                                                                              \
    static u32 host_##name(int t) { return host; }
KERNELS
#undef KERNEL

static bool right(void (*kernel)(u32 *, int), u32 (*host)(int))
{
    u32 got[THREADS + 2], *out, bad = 0;
    cudaMalloc(&out, sizeof got);
    cudaMemset(out, 255, sizeof got);
    kernel<<<1, THREADS>>>(out, 1);
    if (cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost)) bad++;
    for (int t = 0; t < THREADS; t++) bad += got[t] != host(t);
    if (bad) printf("thread 1 got %x, expected %x: ", got[1], host(1));
    cudaFree(out);
    return !bad;
}

int main()
{
    int bad = 0, n = 0;
#define KERNEL(name, device, host)                                                                 \
    n++;                                                                                           \
    if (!right(name, host_##name)) bad++, printf("wrong: %s\n", #name);
    KERNELS
    printf("%d of %d wrong\n", bad, n);
}
