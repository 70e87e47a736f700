/* Cooperative groups: every function of every group against the value computed from the thread's
 * number, and the barrier of a grid. Prints a line for each wrong value. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
namespace cg = cooperative_groups;

__device__ int group_sum(cg::thread_group g, int *shared, int value)
{
    int rank = g.thread_rank();
    for (int i = g.size() / 2; i; i /= 2) {
        shared[rank] = value;
        g.sync();
        if (rank < i) value += shared[rank + i];
        g.sync();
    }
    return value;
}

struct item { double key; int value; char more[3]; };

__device__ void expect(int *right, int line, int t, long long got, long long want)
{
    if (got == want) atomicAdd(right, 1);
    else printf("line %d thread %d: %lld, expected %lld\n", line, t, got, want);
}
#define EXPECT(what, want) expect(right, __LINE__, t, what, want)

__device__ void check_block(int *right, int t, int *shared)
{
    cg::thread_block block = cg::this_thread_block();
    EXPECT(block.thread_rank(), t);
    EXPECT(block.size(), 64);
    EXPECT(block.num_threads(), 64);
    EXPECT(block.group_index().x, blockIdx.x);
    EXPECT(block.thread_index().y, threadIdx.y);
    EXPECT(block.group_dim().x, 16);
    int sum = group_sum(block, shared, t);
    if (!t) EXPECT(sum, 63 * 32);
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    EXPECT(warp.thread_rank(), t % 32);
    EXPECT(warp.meta_group_rank(), t / 32);
    EXPECT(warp.meta_group_size(), 2);
    sum = group_sum(warp, shared + t / 32 * 32, t);
    if (t == 32) EXPECT(sum, 32 * 32 + 31 * 16);
    EXPECT(cg::reduce(warp, t, cg::less<int>()), t / 32 * 32);
    cg::thread_group part = cg::tiled_partition(block, 4);
    EXPECT(part.thread_rank(), t % 4);
    EXPECT(cg::group_size(part), 4);
    part = cg::tiled_partition(part, 2);
    EXPECT(part.thread_rank() + 10 * part.size(), t % 2 + 20);
}

__device__ void check_tile(int *right, int t)
{
    auto tile = cg::tiled_partition<8>(cg::tiled_partition<32>(cg::this_thread_block()));
    static_assert(tile.size() == 8, "");
    int first = t / 8 * 8, rank = t % 8, same;
    EXPECT(tile.thread_rank(), rank);
    EXPECT(tile.meta_group_rank(), t % 32 / 8);
    EXPECT(tile.meta_group_size(), 4);
    EXPECT(tile.shfl(t, 3), first + 3);
    EXPECT(tile.shfl_up(t, 2), rank < 2 ? t : t - 2);
    EXPECT(tile.shfl_down(t, 2), rank > 5 ? t : t + 2);
    EXPECT(tile.shfl_xor(t, 5), t ^ 5);
    EXPECT(tile.ballot(rank % 3 == 0), 0x49);
    EXPECT(tile.any(t == 9), t / 8 == 1);
    EXPECT(tile.all(t < 9), t / 8 == 0);
    EXPECT(tile.match_any(rank / 2), 3 << rank / 2 * 2);
    EXPECT(tile.match_all(t / 8, same), 0xff);
    EXPECT(same, 1);
    item moved = tile.shfl(item{t + .5, 3 * t, {1, 2, (char)t}}, 6);
    EXPECT(moved.key * 2, 2 * (first + 6) + 1);
    EXPECT(moved.value + moved.more[2], 4 * (first + 6));
    EXPECT(cg::reduce(tile, t, cg::plus<int>()), 8 * first + 28);
    EXPECT(cg::reduce(tile, t * 1.5, cg::greater<double>()) * 2, 3 * (first + 7));
    EXPECT(cg::reduce(tile, 1 << rank, cg::bit_or<int>()), 0xff);
    EXPECT(cg::reduce(tile, ~(1 << rank), cg::bit_and<int>()), ~0xff);
    EXPECT(cg::reduce(tile, 1 << rank, cg::bit_xor<>()), 0xff);
    EXPECT(cg::inclusive_scan(tile, rank), rank * (rank + 1) / 2);
    EXPECT(cg::exclusive_scan(tile, rank), rank * (rank - 1) / 2);
    EXPECT(cg::inclusive_scan(tile, rank, cg::greater<int>()), rank);
}

__device__ void check_coalesced(int *right, int t) /* 11 of 32 threads: 1, 4, ..., 31 */
{
    auto c = cg::coalesced_threads();
    int own = t % 32 / 3;
    EXPECT(c.size(), 11);
    EXPECT(c.thread_rank(), own);
    EXPECT(c.shfl(t % 32, 2), 7);
    EXPECT(c.shfl_up(own, 1), own ? own - 1 : 0);
    EXPECT(c.shfl_down(own, 4), own < 7 ? own + 4 : own);
    EXPECT(c.ballot(own % 2), 0x2aa);
    EXPECT(c.any(own == 3), 1);
    EXPECT(c.all(own == 3), 0);
    EXPECT(c.match_any(own / 4), own < 4 ? 0xf : own < 8 ? 0xf0 : 0x700);
    EXPECT(cg::reduce(c, own, cg::plus<int>()), 55);
    EXPECT(cg::inclusive_scan(c, 1), own + 1);
    auto four = cg::tiled_partition(c, 4);
    EXPECT(four.size(), own < 8 ? 4 : 3);
    EXPECT(four.thread_rank(), own % 4);
    EXPECT(four.meta_group_rank() + 10 * four.meta_group_size(), own / 4 + 30);
    if (own == 5) EXPECT(cg::coalesced_threads().size(), 1);
    c.sync();
}

__device__ void check_parts(int *right, int t)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto five = cg::binary_partition(warp, t % 32 < 5);
    EXPECT(five.size(), t % 32 < 5 ? 5 : 27);
    EXPECT(five.shfl(t % 32, 1), t % 32 < 5 ? 1 : 6);
    auto label = cg::labeled_partition(warp, t % 5);
    int equal = 0;
    for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++) equal += i % 5 == t % 5;
    EXPECT(label.size(), equal);
    EXPECT(label.shfl(t % 5, 0), t % 5);
    EXPECT(label.meta_group_size(), 5);
}

__global__ void groups(int *right, const int *in)
{
    __shared__ int shared[64], copied[64];
    int t = threadIdx.y * blockDim.x + threadIdx.x; /* 64 threads */
    auto block = cg::this_thread_block();
    check_block(right, t, shared);
    check_tile(right, t);
    if (t % 32 % 3 == 1) check_coalesced(right, t);
    check_parts(right, t);
    cg::memcpy_async(block, copied, in + 64 * blockIdx.x, sizeof copied);
    cg::wait(block);
    EXPECT(copied[63 - t], 64 * blockIdx.x + 63 - t);
    cg::sync(block);
    cg::memcpy_async(block, (char *)copied + 1, (const char *)in, 7);
    cg::wait_prior<0>(block);
    EXPECT(((char *)copied)[5], in[1]);
}

__global__ void phases(int *data, int *wrong, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank(), size = grid.size();
    for (int phase = 0; phase < n; phase++) {
        data[i] = phase * size + i;
        grid.sync();
        int other = (i * 37 + 11) % size;
        if (((volatile int *)data)[other] != phase * size + other) atomicAdd(wrong, 1);
        grid.sync();
    }
    if (!grid.is_valid() || grid.num_blocks() != gridDim.x) atomicAdd(wrong, 1);
}

int main()
{
    int *right, *data, *in;
    cudaMallocManaged(&right, 8);
    cudaMallocManaged(&in, 4 * 192);
    for (int i = 0; i < 192; i++) in[i] = i;
    right[0] = right[1] = 0;
    groups<<<3, dim3(16, 4)>>>(right, in);
    printf("%s, %d right\n", cudaGetErrorString(cudaDeviceSynchronize()), right[0]);
    cudaMalloc(&data, 4 * 20 * 96);
    int *wrong = right + 1, n = 4;
    void *arguments[] = {&data, &wrong, &n};
    for (int i = 0; i < 2; i++) {
        cudaLaunchCooperativeKernel((void *)phases, 20, 96, arguments, 0, 0);
        printf("%s, %d wrong\n", cudaGetErrorString(cudaDeviceSynchronize()), *wrong);
    }
}
