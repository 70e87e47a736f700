/* Microbenchmarks of additions in compute capability 9.0: clusters (SMs of a GPC),
 * distributed shared memory, asynchronous and bulk copies, warp group matrix instructions.
 *
 *     hopper [PART...]       default: every part */
#include "row.h"

/* ---- clusters ---- */

__global__ void cluster_place(u32 *sm, u64 ns)
{
    u64 start = now().ns;
    while (now().ns < start + ns) {}
    if (threadIdx.x == 0) sm[blockIdx.x] = this_sm();
}

template <class... A> static void cluster_launch(void (*kernel)(A...), int blocks, int threads,
                                                 u32 shared, int size, A... a)
{
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t c = {};
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = (unsigned)size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    c.gridDim = dim3((unsigned)blocks), c.blockDim = dim3((unsigned)threads);
    c.dynamicSmemBytes = shared;
    c.attrs = &attribute, c.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&c, kernel, a...));
}

/* The blocks of a cluster run on different SMs of the same GPC. */
static void part_clusters()
{
    for (int size : {2, 4, 8, 16}) {
        int blocks = 16 * size * 4;
        device_array<u32> sm((size_t)blocks);
        cluster_launch(cluster_place, blocks, 64, 200u * 1024, size, sm.at, (u64)200000);
        CHECK(cudaDeviceSynchronize());
        row("clusters", format("\"size\": %d, \"sm\": ", size) + list(sm.read(), "%.0f"));
    }
}

/* ---- distributed shared memory ---- */

/* Block 0 follows a ring in the shared memory of block `other` of the cluster. */
__global__ void remote_chase(u32 other, u32 hops, span *time, u32 *sink)
{
    __shared__ u32 next[256];
    u32 own = (u32)__cvta_generic_to_shared(next), base, me;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(me));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(base) : "r"(own), "r"(other));
    u32 mine;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mine) : "r"(own), "r"(me));
    for (u32 k = threadIdx.x; k < 256; k += 32) next[k] = mine + (k * 5 + 77) % 256 * 4;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (me == 0) {
        u32 p = base;
        stamp start = now();
        for (u32 k = 0; k < hops; k += 16) {
#pragma unroll
            for (int j = 0; j < 16; j++)
                asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(p));
        }
        if (p == 1) *sink = p;
        if (threadIdx.x == 0) *time = {start, now()};
    }
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

/* Every block of the cluster reads the shared memory of the next block. */
__global__ void remote_read(u32 size, u32 rounds, span *time, float *sink)
{
    extern __shared__ float4 quads[];
    u32 own = (u32)__cvta_generic_to_shared(quads), base, me;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(me));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(base) : "r"(own), "r"((me + 1) % size));
    for (u32 k = threadIdx.x; k < 2048; k += blockDim.x) quads[k] = make_float4(1, 2, 3, (float)k);
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    float sum = 0;
    stamp start = now();
    for (u32 k = 0; k < rounds; k++) {
#pragma unroll
        for (u32 j = 0; j < 2; j++) {
            float x, y, z, w;
            u32 at = base + (threadIdx.x + j * 1024) * 16;
            asm volatile("ld.shared::cluster.v4.f32 {%0,%1,%2,%3}, [%4];"
                         : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(at));
            sum += x + y + z + w;
        }
    }
    if (sum == 12345.0f) *sink = sum;
    __syncthreads();
    if (threadIdx.x == 0) time[blockIdx.x] = {start, now()};
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

static void part_remote()
{
    device_array<span> time(16 * 64);
    device_array<u32> sink(1);
    for (int size : {2, 4, 8})
        for (u32 other = 0; other < (u32)size; other += other ? 2 : 1) {
            std::vector<double> cycles;
            for (int k = 0; k < 4; k++) {
                cluster_launch(remote_chase, size, 32, 0u, size, other, (u32)4096, time.at,
                               sink.at);
                CHECK(cudaDeviceSynchronize());
                span s = time.read()[0];
                cycles.push_back((double)(s.to.cycles - s.from.cycles) / 4096);
            }
            row("remote_chase", format("\"size\": %d, \"other\": %u, \"cycles\": ", size, other) +
                list(cycles, "%.2f"));
        }
    for (int size : {2, 4, 8, 16})
        for (int clusters : {1, 4}) {
            std::vector<double> cycles;
            for (int k = 0; k < 4; k++) {
                cluster_launch(remote_read, size * clusters, 1024, 200u * 1024, size, (u32)size,
                               (u32)64, time.at, (float *)sink.at);
                CHECK(cudaDeviceSynchronize());
                std::vector<span> s = time.read();
                double sum = 0;
                for (int j = 0; j < size * clusters; j++)
                    sum += (double)(s[(size_t)j].to.cycles - s[(size_t)j].from.cycles);
                cycles.push_back(sum / (size * clusters));
            }
            row("remote_read", format("\"size\": %d, \"clusters\": %d, \"moved\": %d, \"cycles\": ",
                                      size, clusters, 64 * 2 * 1024 * 16) + list(cycles, "%.0f"));
        }
}

/* ---- copies into shared memory ---- */

__device__ static void barrier_init(u32 barrier)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;"
                 ::"r"(barrier) : "memory");
}

__device__ static void bulk_start(u32 to, u64 from, u32 bytes, u32 barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2,"
                 " [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}

__device__ static void barrier_wait(u32 barrier, u32 phase)
{
    asm volatile("{.reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra "
                 "again;}" ::"r"(barrier), "r"(phase) : "memory");
}

enum { STAGES = 8 };

/* A thread of every block copies pieces of `bytes`, with up to `ahead` pieces in flight. */
__global__ void bulk_copy(const char *from, u64 size, u32 bytes, u32 ahead, u32 pieces, span *time)
{
    extern __shared__ __align__(128) char room[];
    __shared__ __align__(8) u64 barriers[STAGES];
    if (threadIdx.x) return;
    u32 to = (u32)__cvta_generic_to_shared(room), barrier = (u32)__cvta_generic_to_shared(barriers);
    for (u32 k = 0; k < ahead; k++) barrier_init(barrier + 8 * k);
    u64 step = (u64)gridDim.x * bytes, at = blockIdx.x * (u64)bytes;
    stamp start = now();
    for (u32 k = 0; k < pieces + ahead; k++) {
        u32 slot = k % ahead;
        if (k >= ahead) barrier_wait(barrier + 8 * slot, (k / ahead - 1) & 1);
        if (k >= pieces) continue;
        bulk_start(to + slot * bytes, (u64)from + at, bytes, barrier + 8 * slot);
        at += step;
        if (at + bytes > size) at = blockIdx.x * (u64)bytes;
    }
    time[blockIdx.x] = {start, now()};
}

static void bulk_row(const char *data, u64 size, int blocks, u32 bytes, u32 ahead)
{
    device_array<span> time((size_t)blocks);
    u32 pieces = (u32)std::max<u64>(64, (4ull << 20) / bytes);
    if (blocks == 1 && ahead == 1) pieces = 256;
    std::vector<double> cycles, us;
    event_timer timer;
    CHECK(cudaFuncSetAttribute(bulk_copy, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               200 * 1024));
    for (int k = 0; k < 6; k++) {
        timer.start();
        bulk_copy<<<blocks, 32, 200 * 1024>>>(data, size, bytes, ahead, pieces, time.at);
        double took = timer.us();
        CHECK(cudaGetLastError());
        if (!k) continue;
        double sum = 0;
        for (const span &s : time.read()) sum += (double)(s.to.cycles - s.from.cycles);
        cycles.push_back(sum / blocks / pieces);
        us.push_back(took);
    }
    row("bulk", format("\"bytes\": %llu, \"blocks\": %d, \"piece\": %u, \"ahead\": %u, "
                       "\"moved\": %llu, \"cycles_per_piece\": ", (unsigned long long)size, blocks,
                       bytes, ahead, (unsigned long long)pieces * bytes * (u64)blocks) +
        list(cycles, "%.1f") + ", \"us\": " + list(us, "%.2f"));
}

/* The same by cp.async of 16 bytes from every thread of 256, four groups under way. */
__global__ void async_copy(const char *from, u64 size, u32 rounds, span *time)
{
    extern __shared__ __align__(128) char room[];
    u32 to = (u32)__cvta_generic_to_shared(room) + threadIdx.x * 16;
    u64 step = (u64)gridDim.x * blockDim.x * 16;
    u64 first = (blockIdx.x * (u64)blockDim.x + threadIdx.x) * 16, at = first;
    stamp start = now();
    for (u32 k = 0; k < rounds; k++) {
#pragma unroll
        for (u32 j = 0; j < 4; j++) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                         ::"r"(to + (k % 4 * 4 + j) * blockDim.x * 16), "l"((u64)from + at));
            at += step;
            if (at + 16 > size) at = first;
        }
        asm volatile("cp.async.commit_group; cp.async.wait_group 3;" ::: "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) time[blockIdx.x] = {start, now()};
}

static void part_copies()
{
    device_array<char> data(1ull << 30);
    fill(data.at, data.n);
    int sms = sm_count();
    for (u64 size : {16ull << 20, 1ull << 30}) {
        for (u32 bytes : {16, 128, 512, 1024, 2048, 4096, 8192, 16384})
            bulk_row(data.at, size, 1, bytes, 1);
        for (u32 bytes : {512, 2048, 4096, 8192, 16384})
            for (int blocks : {1, 8, 32, 64, sms})
                if (bytes >= 4096 || blocks == 1 || blocks == sms)
                    bulk_row(data.at, size, blocks, bytes, 8);
        for (int blocks : {1, 32, sms}) {
            device_array<span> time((size_t)blocks);
            std::vector<double> us;
            u32 rounds = 512;
            event_timer timer;
            CHECK(cudaFuncSetAttribute(async_copy, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       65536));
            for (int k = 0; k < 6; k++) {
                timer.start();
                async_copy<<<blocks, 256, 65536>>>(data.at, size, rounds, time.at);
                double took = timer.us();
                CHECK(cudaGetLastError());
                if (k) us.push_back(took);
            }
            row("async", format("\"bytes\": %llu, \"blocks\": %d, \"threads\": 256, "
                                "\"moved\": %llu, \"us\": ", (unsigned long long)size, blocks,
                                (unsigned long long)rounds * 4 * 256 * 16 * (u64)blocks) +
                list(us, "%.2f"));
        }
    }
}

/* ---- warp group matrix instructions ---- */

/* A descriptor of a matrix in shared memory, core matrices of 8 rows x 16 bytes side by side. */
__device__ static u64 described(u32 address)
{
    return (u64)(address >> 4 & 0x3fff) | (u64)(128 >> 4) << 16 | (u64)(256 >> 4) << 32;
}

/* m64n64k16, f32 sums: 32 registers of sums a thread. */
__device__ static void wgmma_64(float *c, u64 a, u64 b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
        "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]),
          "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]),
          "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]),
          "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]),
          "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31])
        : "l"(a), "l"(b));
}

/* m64n8k16: 4 registers of sums. */
__device__ static void wgmma_8(float *c, u64 a, u64 b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1,"
                 " 1, 0, 0;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(a), "l"(b));
}

/* m64n128k16, f16 sums: 32 registers of two sums. */
__device__ static void wgmma_128h(u32 *c, u64 a, u64 b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n128k16.f16.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
        "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]), "+r"(c[4]), "+r"(c[5]), "+r"(c[6]),
          "+r"(c[7]), "+r"(c[8]), "+r"(c[9]), "+r"(c[10]), "+r"(c[11]), "+r"(c[12]), "+r"(c[13]),
          "+r"(c[14]), "+r"(c[15]), "+r"(c[16]), "+r"(c[17]), "+r"(c[18]), "+r"(c[19]),
          "+r"(c[20]), "+r"(c[21]), "+r"(c[22]), "+r"(c[23]), "+r"(c[24]), "+r"(c[25]),
          "+r"(c[26]), "+r"(c[27]), "+r"(c[28]), "+r"(c[29]), "+r"(c[30]), "+r"(c[31])
        : "l"(a), "l"(b));
}

template <int N> __global__ void __launch_bounds__(256, 1)
wgmma_chain(u32 rounds, u64 *from, u64 *to, float *sink)
{
    extern __shared__ __align__(1024) u32 words[];
    for (u32 k = threadIdx.x; k < 16384; k += blockDim.x) words[k] = 0x38003400 + k % 61 * 0x10003;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    u32 base = (u32)__cvta_generic_to_shared(words);
    u64 a = described(base), b = described(base + 16384);
    float c[N == 8 ? 4 : 32];
#pragma unroll
    for (float &x : c) x = 0;
    u64 start = clock64();
    for (u32 k = 0; k < rounds; k++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int j = 0; j < 8; j++) {
            if (N == 64) wgmma_64(c, a, b);
            if (N == 8) wgmma_8(c, a, b);
            if (N == 128) wgmma_128h((u32 *)c, a, b);
        }
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;"
                     ::: "memory");
    }
    float sum = 0;
#pragma unroll
    for (float x : c) sum += x;
    *(volatile float *)(sink + threadIdx.x) = sum;
    u64 end = clock64();
    if (threadIdx.x % 32 == 0) from[threadIdx.x / 32] = start, to[threadIdx.x / 32] = end;
}

template <int N> static void wgmma_row(const char *title, int groups)
{
    device_array<u64> from(32), to(32);
    device_array<float> sink(1024);
    std::vector<double> cycles;
    CHECK(cudaFuncSetAttribute(wgmma_chain<N>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    for (int k = 0; k < 5; k++) {
        wgmma_chain<N><<<1, groups * 128, 65536>>>(64, from.at, to.at, sink.at);
        CHECK(cudaDeviceSynchronize());
        std::vector<u64> a = from.read(), b = to.read();
        u64 first = *std::min_element(a.begin(), a.begin() + groups * 4);
        u64 last = *std::max_element(b.begin(), b.begin() + groups * 4);
        cycles.push_back((double)(last - first) / (64 * 8));
    }
    row("wgmma", format("\"op\": \"%s\", \"groups\": %d, \"cycles_per_instruction\": ", title,
                        groups) + list(cycles, "%.2f"));
}

static void part_wgmma()
{
    for (int groups : {1, 2}) {
        wgmma_row<8>("m64n8k16.f32.f16.f16", groups);
        wgmma_row<64>("m64n64k16.f32.f16.f16", groups);
        wgmma_row<128>("m64n128k16.f16.f16.f16", groups);
    }
}

static const part parts[] = {{"clusters", part_clusters}, {"remote", part_remote},
                             {"copies", part_copies}, {"wgmma", part_wgmma}};

int main(int argc, char **argv)
{
    return run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
}
