/* Programs with clusters of blocks and distributed shared memory; clusters.py has the same in
 * Python. Every kernel reads n numbers from `in` and writes `out`; a block has 128 threads.
 * clusters.ptx: nvcc -ptx -arch=sm_90 -O3 -std=c++17 */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
typedef unsigned int u32;
typedef unsigned long long u64;
enum { BINS = 512, THREADS = 128, HALO_STEPS = 6 };

#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)

__device__ u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }

__device__ u32 mapa(u32 address, u32 rank)
{
    u32 there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

/* ---- mbarriers ---- */

__device__ void mbarrier_init(u64 *b, u32 count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count));
    asm volatile("fence.mbarrier_init.release.cluster;");
}

__device__ void mbarrier_expect(u64 *b, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
                 "r"(bytes));
}

__device__ void mbarrier_arrive_at(u64 *b, u32 rank)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
        mapa(shared_address(b), rank)));
}

__device__ void mbarrier_wait(u64 *b, u32 parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n"
                 "@p bra done;\n"
                 "bra again;\n"
                 "done: }" ::"r"(shared_address(b)), "r"(parity) : "memory");
}

/* ---- programs with plain accesses ---- */

/* Bins are spread over the blocks of the cluster, which count with atomics in each other's shared
 * memory. */
KERNEL histogram(const u32 *in, u32 *out, u32 n)
{
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ u32 bins[BINS];
    u32 blocks = cluster.num_blocks(), own = BINS / blocks;
    for (u32 k = threadIdx.x; k < own; k += THREADS) bins[k] = 0;
    cluster.sync();
    u32 threads = gridDim.x * THREADS;
    for (u32 k = blockIdx.x * THREADS + threadIdx.x; k < n; k += threads) {
        u32 bin = in[k] % BINS;
        u32 *there = cluster.map_shared_rank(bins, bin / own);
        atomicAdd(there + bin % own, 1u);
    }
    cluster.sync();
    for (u32 k = threadIdx.x; k < own; k += THREADS)
        atomicAdd(out + cluster.block_rank() * own + k, bins[k]);
}

/* Rank 0 adds the sums of all blocks. */
KERNEL reduction(const u32 *in, u32 *out, u32 n)
{
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ u32 sum;
    u32 cluster_id = blockIdx.x / cluster.num_blocks(), mine = 0;
    if (!threadIdx.x) sum = 0;
    __syncthreads();
    for (u32 k = blockIdx.x * THREADS + threadIdx.x; k < n; k += gridDim.x * THREADS) mine += in[k];
    atomicAdd(&sum, mine);
    cluster.sync();
    if (!cluster.block_rank() && !threadIdx.x) {
        u32 all = 0;
        for (u32 r = 0; r < cluster.num_blocks(); r++) all += *cluster.map_shared_rank(&sum, r);
        out[cluster_id] = all;
    }
    cluster.sync();
}

/* Every block passes its numbers around the ring, and weighs them by the number of hops. */
KERNEL ring(const u32 *in, u32 *out, u32 n)
{
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ u32 held[2][THREADS];
    u32 t = threadIdx.x, size = cluster.num_blocks(), at = blockIdx.x * THREADS + t, sum = 0;
    u32 next = (cluster.block_rank() + 1) % size;
    held[0][t] = at < n ? in[at] : 0;
    for (u32 hop = 0; hop < size; hop++) {
        sum += held[hop % 2][t] * (hop + 1);
        cluster.map_shared_rank(held[(hop + 1) % 2], next)[t] = held[hop % 2][t];
        cluster.sync();
    }
    out[at] = sum;
}

/* A stencil of three points over the numbers of a cluster, with halos from the neighbours. */
KERNEL halo(const u32 *in, u32 *out, u32 n)
{
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ u32 cell[2][THREADS + 2];
    u32 t = threadIdx.x, rank = cluster.block_rank(), size = cluster.num_blocks();
    u32 at = blockIdx.x * THREADS + t;
    cell[0][t + 1] = at < n ? in[at] : 0;
    if (!t) cell[0][0] = cell[1][0] = cell[0][THREADS + 1] = cell[1][THREADS + 1] = 0;
    cluster.sync();
    for (u32 step = 0; step < HALO_STEPS; step++) {
        u32 *now = cell[step % 2], *then = cell[(step + 1) % 2];
        if (!t && rank) cluster.map_shared_rank(now, rank - 1)[THREADS + 1] = now[1];
        if (t == THREADS - 1 && rank + 1 < size)
            cluster.map_shared_rank(now, rank + 1)[0] = now[THREADS];
        cluster.sync();
        then[t + 1] = now[t] + 2 * now[t + 1] + now[t + 2];
        cluster.barrier_arrive();
        cluster.barrier_wait();
    }
    out[at] = cell[HALO_STEPS % 2][t + 1];
}

/* Prefix sums over a cluster: the shape is part of the kernel. */
extern "C" __global__ void __cluster_dims__(2, 2, 1) __launch_bounds__(THREADS)
    scan(const u32 *in, u32 *out, u32 n)
{
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ u32 total, part[THREADS];
    dim3 grid = cluster.dim_blocks();
    u32 t = threadIdx.x, rank = cluster.block_rank(), before = 0;
    u32 number = blockIdx.y / grid.y * (gridDim.x / grid.x) + blockIdx.x / grid.x;
    u32 at = (number * cluster.num_blocks() + rank) * THREADS + t;
    part[t] = at < n ? in[at] : 0;
    __syncthreads();
    for (u32 step = 1; step < THREADS; step *= 2) {
        u32 add = t >= step ? part[t - step] : 0;
        __syncthreads();
        part[t] += add;
        __syncthreads();
    }
    if (t == THREADS - 1) total = part[t];
    cluster.sync();
    for (u32 r = 0; r < rank; r++) before += *cluster.map_shared_rank(&total, r);
    cluster.sync();
    out[at] = before + part[t];
}

/* ---- asynchronous stores and reductions ---- */

/* Every block sends its numbers to the next block by st.async, which completes at an mbarrier. */
KERNEL send(const u32 *in, u32 *out, u32 n)
{
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ __align__(16) u32 held[THREADS * 4];
    __shared__ u64 full;
    u32 t = threadIdx.x, next = (cluster.block_rank() + 1) % cluster.num_blocks();
    u32 at = (blockIdx.x * THREADS + t) * 4;
    if (!t) {
        mbarrier_init(&full, 1);
        mbarrier_expect(&full, sizeof held);
    }
    cluster.sync();
    uint4 v = {in[at % n], in[(at + 1) % n], in[(at + 2) % n], in[(at + 3) % n]};
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], "
                 "{%1, %2, %3, %4}, [%5];" ::"r"(mapa(shared_address(held + 4 * t), next)),
                 "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "r"(mapa(shared_address(&full), next))
                 : "memory");
    mbarrier_wait(&full, 0);
    for (u32 k = 0; k < 4; k++) out[at + k] = held[4 * t + k] + k;
    cluster.sync();
}

/* All threads of the cluster add to counters of rank 0. */
KERNEL gather(const u32 *in, u32 *out, u32 n)
{
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ u32 count[16], most;
    __shared__ u64 full;
    u32 t = threadIdx.x, at = blockIdx.x * THREADS + t, size = cluster.num_blocks();
    if (t < 16) count[t] = 0;
    if (!t) {
        most = 0;
        mbarrier_init(&full, 1);
        if (!cluster.block_rank()) mbarrier_expect(&full, 8 * THREADS * size);
    }
    cluster.sync();
    u32 v = at < n ? in[at] : 0, there = mapa(shared_address(&full), 0);
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                 "[%0], %1, [%2];" ::"r"(mapa(shared_address(count + v % 16), 0)), "r"(v),
                 "r"(there) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 "
                 "[%0], %1, [%2];" ::"r"(mapa(shared_address(&most), 0)), "r"(v), "r"(there)
                 : "memory");
    if (!cluster.block_rank()) {
        mbarrier_wait(&full, 0);
        if (t < 16) out[blockIdx.x / size * 17 + t] = count[t];
        if (!t) out[blockIdx.x / size * 17 + 16] = most;
    }
    cluster.sync();
}

/* ---- mbarriers of other blocks ---- */

/* Rank 0 writes into a buffer of rank 1, which empties the buffer: both signal each other. */
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(THREADS)
    pipeline(const u32 *in, u32 *out, u32 n)
{
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ u32 buffer[2][THREADS];
    __shared__ u64 full[2], empty[2];
    u32 t = threadIdx.x, rank = cluster.block_rank(), base = blockIdx.x / 2 * n;
    if (!t)
        for (u32 k = 0; k < 2; k++) {
            mbarrier_init(&full[k], THREADS);
            mbarrier_init(&empty[k], THREADS);
        }
    cluster.sync();
    u32 sum = 0;
    for (u32 k = 0, at = t; at < n; k++, at += THREADS) {
        u32 slot = k % 2, parity = k / 2 % 2;
        if (!rank) {
            if (k >= 2) mbarrier_wait(&empty[slot], parity ^ 1);
            cluster.map_shared_rank(buffer[slot], 1)[t] = in[base + at] * 3;
            mbarrier_arrive_at(&full[slot], 1);
        } else {
            mbarrier_wait(&full[slot], parity);
            sum = sum * 5 + buffer[slot][t];
            mbarrier_arrive_at(&empty[slot], 0);
        }
    }
    cluster.sync();
    if (rank) out[blockIdx.x / 2 * THREADS + t] = sum;
}

/* ---- bulk copies ---- */

/* Rank r loads part r of the numbers into the shared memory of all blocks. */
KERNEL multicast(const u32 *in, u32 *out, u32 n)
{
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ __align__(16) u32 all[8 * THREADS];
    __shared__ u64 full;
    u32 t = threadIdx.x, rank = cluster.block_rank(), size = cluster.num_blocks(), sum = 0;
    if (!t) {
        mbarrier_init(&full, 1);
        mbarrier_expect(&full, size * THREADS * 4);
    }
    cluster.sync();
    if (!t)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
            "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(all + rank * THREADS)),
            "l"(in + (blockIdx.x / size * size + rank) * THREADS % n), "r"(THREADS * 4),
            "r"(shared_address(&full)), "h"((unsigned short)((1u << size) - 1)) : "memory");
    mbarrier_wait(&full, 0);
    for (u32 r = 0; r < size; r++) sum += all[r * THREADS + t] * (rank + r + 1);
    out[blockIdx.x * THREADS + t] = sum;
    cluster.sync();
}

/* Every block copies its numbers into the next block. */
KERNEL copies(const u32 *in, u32 *out, u32 n)
{
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ __align__(16) u32 own[8 * THREADS], got[8 * THREADS];
    __shared__ u64 full;
    u32 t = threadIdx.x, next = (cluster.block_rank() + 1) % cluster.num_blocks();
    for (u32 k = t; k < 8 * THREADS; k += THREADS) own[k] = in[(blockIdx.x * 8 * THREADS + k) % n];
    if (!t) {
        mbarrier_init(&full, 1);
        mbarrier_expect(&full, sizeof got);
    }
    asm volatile("fence.proxy.async.shared::cta;");
    cluster.sync();
    if (!t)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"(mapa(shared_address(got), next)),
                     "r"(shared_address(own)), "r"((u32)sizeof own),
                     "r"(mapa(shared_address(&full), next)) : "memory");
    mbarrier_wait(&full, 0);
    for (u32 k = t; k < 8 * THREADS; k += THREADS) out[blockIdx.x * 8 * THREADS + k] = got[k] ^ k;
    cluster.sync();
}

/* ---- special registers and addresses ---- */

#define SPECIAL(name) \
    ({ u32 r_; asm volatile("mov.u32 %0, %" name ";" : "=r"(r_)); r_; })

KERNEL specials(const u32 *in, u32 *out, u32 n)
{
    __shared__ u32 here;
    u32 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), rank, cta, inside;
    u32 last = SPECIAL("%cluster_nctarank") - 1, there = mapa(shared_address(&here), last);
    u32 own = mapa(shared_address(&here), SPECIAL("%cluster_ctarank"));
    if (threadIdx.x) return;
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(there));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(cta) : "r"(own));
    asm volatile("{ .reg .pred p, q; .reg .u64 a; cvt.u64.u32 a, %1; "
                 "cvta.shared.u64 a, a; isspacep.shared::cluster p, a; mov.pred q, "
                 "%%is_explicit_cluster; and.pred p, p, q; selp.u32 %0, 1, 0, p; }"
                 : "=r"(inside) : "r"(there));
    u32 *to = out + block * 16;
    to[0] = SPECIAL("%clusterid.x"), to[1] = SPECIAL("%clusterid.y");
    to[2] = SPECIAL("%clusterid.z"), to[3] = SPECIAL("%nclusterid.x");
    to[4] = SPECIAL("%nclusterid.y"), to[5] = SPECIAL("%nclusterid.z");
    to[6] = SPECIAL("%cluster_ctaid.x"), to[7] = SPECIAL("%cluster_ctaid.y");
    to[8] = SPECIAL("%cluster_ctaid.z"), to[9] = SPECIAL("%cluster_nctaid.x");
    to[10] = SPECIAL("%cluster_nctaid.y"), to[11] = SPECIAL("%cluster_nctaid.z");
    to[12] = SPECIAL("%cluster_ctarank"), to[13] = rank, to[14] = cta, to[15] = inside;
}

/* ---- programs that fail ---- */

/* Asks for a block beyond the cluster. */
KERNEL beyond(const u32 *in, u32 *out, u32 n)
{
    __shared__ u32 here;
    out[threadIdx.x] = mapa(shared_address(&here), SPECIAL("%cluster_nctarank") + n);
}

/* Reads shared memory of a block that ends at once. */
KERNEL ended(const u32 *in, u32 *out, u32 n)
{
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ u32 here;
    if (cluster.block_rank()) return;
    __nanosleep(20000);
    for (u32 k = 0; k < n; k++) out[k] = *cluster.map_shared_rank(&here, 1);
}

/* A warp of rank 1 never arrives. */
KERNEL stuck(const u32 *in, u32 *out, u32 n)
{
    cg::cluster_group cluster = cg::this_cluster();
    if (cluster.block_rank() == 1 && threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
    cluster.sync();
    out[threadIdx.x] = n;
}
