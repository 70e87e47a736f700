/* Latency of every level of memory, by pointer chases: over sizes, over the shared memory of a
 * block, over pages, under load, and from each SM to each line of L2. Loads name their cache
 * operator.
 *
 *     chase [PART...]        default: every part, in the order of `parts` */
#include "row.h"

enum { HOPS = 4096, LARGEST_SHARED = 227 * 1024 };

/* ---- pointer chase ---- */

enum way { CA, CG };

template <way W> __device__ static u64 load(u64 address)
{
    u64 v;
    if (W == CA) asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(v) : "l"(address) : "memory");
    else asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(v) : "l"(address) : "memory");
    return v;
}

/* Writes into every element of the ring the address of the next element. */
__global__ void ring_write(char *at, const u32 *order, u32 n, u64 stride, u32 jitter)
{
    for (u32 k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
        u32 here = order[k], next = order[k + 1 == n ? 0 : k + 1];
        u64 from = here * stride, to = next * stride;
        if (jitter) { /* a varying line of the page: pages then use different sets of L2 */
            from += (u64)(here * 2654435761u % jitter) * LINE;
            to += (u64)(next * 2654435761u % jitter) * LINE;
        }
        *(u64 *)(at + from) = (u64)(at + to);
    }
}

/* The same for n, a power of two, without a table: a linear congruence visits every line once. */
__global__ void ring_write_large(char *at, u64 n)
{
    for (u64 k = blockIdx.x * (u64)blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
        *(u64 *)(at + k * LINE) = (u64)(at + ((k * 1664525 * 5 + 1013904223) & (n - 1)) * LINE);
}

/* Thread 0 follows the ring from *from on, after the block has read warm_bytes of the ring. */
template <way W> __global__ void __launch_bounds__(1024)
chase(char *ring, u64 stride, u64 *from, u32 hops, u64 warm_bytes, span *time, u32 *each)
{
    extern __shared__ u64 seen[];
    u32 seen_at = (u32)__cvta_generic_to_shared(seen);
    u64 sum = 0;
    for (u64 k = threadIdx.x * stride; k < warm_bytes; k += blockDim.x * stride)
        sum += load<W>((u64)ring + k);
    __syncthreads();
    if (threadIdx.x) {
        if (sum == 1) each[0] = 1;
        return;
    }
    u64 p = *from ? *from : (u64)ring;
    for (u32 k = 0; k < hops / 4; k++) p = load<W>(p);
    stamp start = now();
    for (u32 k = 0; k < hops; k += 16) {
#pragma unroll
        for (u32 j = 0; j < 16; j++) p = load<W>(p);
    }
    asm volatile("st.shared.u64 [%0], %1;" ::"r"(seen_at), "l"(p) : "memory");
    time->to = now();
    time->from = start;
    if (each) {
        for (u32 k = 0; k < hops; k++) {
            u32 a, b;
            asm volatile("mov.u32 %0, %%clock;" : "=r"(a)::"memory");
            p = load<W>(p);
            asm volatile("st.volatile.shared.u64 [%1], %2; mov.u32 %0, %%clock;"
                         : "=r"(b) : "r"(seen_at), "l"(p) : "memory");
            each[k] = b - a;
        }
    }
    *from = p;
}

static std::vector<u32> shuffled(u32 n)
{
    std::vector<u32> order(n);
    u64 x = 88172645463325252ull;
    for (u32 k = 0; k < n; k++) order[k] = k;
    for (u32 k = n - 1; k > 0; k--) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        std::swap(order[k], order[x % (k + 1)]);
    }
    return order;
}

static void ring_make(char *at, u32 n, u64 stride, u32 jitter)
{
    std::vector<u32> order = shuffled(n);
    device_array<u32> there(n);
    CHECK(cudaMemcpy(there.at, order.data(), n * sizeof(u32), cudaMemcpyHostToDevice));
    ring_write<<<256, 256>>>(at, there.at, n, stride, jitter);
    CHECK(cudaDeviceSynchronize());
}

static const double percents[] = {0, 1, 10, 25, 50, 75, 90, 99, 100};

static std::string spread(std::vector<u32> v)
{
    std::sort(v.begin(), v.end());
    std::vector<double> p;
    for (double at : percents) p.push_back(v[(size_t)(at / 100 * (double)(v.size() - 1))]);
    return list(p, "%.0f");
}

/* Writes a row: the ring of `bytes` at `ring`, followed on an SM with `shared` bytes in use. */
template <way W> static void chase_row(const char *name, char *ring, u64 bytes, u64 stride,
                                       u32 shared, u64 warm_bytes)
{
    device_array<u64> from(1);
    device_array<span> time(1);
    device_array<u32> each(HOPS);
    std::vector<double> cycles, clock;
    CHECK(cudaFuncSetAttribute(chase<W>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               LARGEST_SHARED));
    /* the least carve-out that holds the block's shared memory */
    CHECK(cudaFuncSetAttribute(chase<W>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    for (int k = 0; k < REPEATS; k++) {
        chase<W><<<1, 1024, shared>>>(ring, stride, from.at, HOPS, warm_bytes, time.at,
                                      k + 1 == REPEATS ? each.at : nullptr);
        CHECK(cudaDeviceSynchronize());
        span s = time.read()[0];
        cycles.push_back((double)(s.to.cycles - s.from.cycles) / HOPS);
        clock.push_back(mhz(s));
    }
    row(name, format("\"how\": \"%s\", \"bytes\": %llu, \"stride\": %llu, \"shared\": %u, ",
                     W == CA ? "ca" : "cg", (unsigned long long)bytes, (unsigned long long)stride,
                     shared) +
        "\"cycles\": " + list(cycles, "%.2f") + ", \"mhz\": " + list(clock, "%.0f") +
        ", \"percentiles\": [0,1,10,25,50,75,90,99,100], \"hop\": " + spread(each.read()));
}

static void part_chase()
{
    const u64 KB = 1024, MB = KB * KB;
    device_array<char> ring(4096 * MB);
    for (u64 kb : {4, 8, 16, 32, 64, 96, 128, 160, 192, 208, 224, 232, 240, 248, 256, 272, 320, 512,
                   1024}) {
        ring_make(ring.at, (u32)(kb * KB / LINE), LINE, 0);
        chase_row<CA>("chase", ring.at, kb * KB, LINE, 16, kb * KB);
    }
    for (u64 kb : {64, 512, 1024, 2048, 4096, 6144, 8192, 10240, 12288, 14336, 16384, 18432, 20480,
                   22528, 24576, 25600, 26624, 28672, 30720, 32768, 36864, 40960, 45056, 49152,
                   51200, 53248, 57344, 65536, 81920, 98304, 131072, 196608, 262144}) {
        ring_make(ring.at, (u32)(kb * KB / LINE), LINE, 0);
        chase_row<CG>("chase", ring.at, kb * KB, LINE, 16, kb * KB);
    }
    for (u64 mb : {512, 1024, 4096}) {
        ring_write_large<<<512, 256>>>(ring.at, mb * MB / LINE);
        CHECK(cudaDeviceSynchronize());
        chase_row<CG>("chase", ring.at, mb * MB, LINE, 16, 0);
    }
}

/* The size of L1 for each amount of shared memory requested by the block. */
static void part_carveout()
{
    const u64 KB = 1024;
    device_array<char> ring(512 * KB);
    for (u32 shared : {0, 8, 16, 32, 64, 100, 132, 164, 196, 227})
        for (u64 kb : {8, 16, 24, 40, 56, 72, 88, 104, 120, 136, 152, 168, 184, 200, 216, 224, 232,
                       240, 248, 256}) {
            ring_make(ring.at, (u32)(kb * KB / LINE), LINE, 0);
            chase_row<CA>("carveout", ring.at, kb * KB, LINE, std::max(shared * 1024, 16u),
                          kb * KB);
        }
}

/* Address translation: a line in each page of 2 MB. */
static void part_tlb()
{
    const u64 MB = 1024 * 1024;
    device_array<char> ring(32768 * MB);
    for (u32 pages : {1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
                      2048, 3072, 4096, 6144, 8192, 12288, 16384}) {
        ring_make(ring.at, pages, 2 * MB, 16000);
        chase_row<CG>("tlb", ring.at, pages * 2 * MB, 2 * MB, 16, 0);
    }
}

/* Latency under load: all lanes of all SMs follow the ring from different elements. */
__global__ void __launch_bounds__(1024)
chase_crowd(char *ring, u64 lines, u32 lanes, u32 hops, span *time, u64 *sink)
{
    if (threadIdx.x % 32 >= lanes) return;
    u64 id = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    u64 p = (u64)ring + (id * 2654435761u + 12345) % lines * LINE;
    stamp start = now();
    for (u32 k = 0; k < hops; k++) p = load<CG>(p);
    if (p == 1) *sink = p;
    stamp end = now();
    if (threadIdx.x == 0) time[blockIdx.x] = {start, end};
}

static void part_crowd()
{
    const u64 MB = 1024 * 1024;
    device_array<char> ring(4096 * MB);
    device_array<u64> sink(1);
    int sms = sm_count();
    device_array<span> time((size_t)sms);
    for (u64 mb : {8, 4096}) {
        ring_write_large<<<512, 256>>>(ring.at, mb * MB / LINE);
        for (u32 warps : {1, 4, 16, 32})
            for (u32 lanes : {1, 2, 4, 8, 16, 32}) {
                if (warps > 1 && warps < 32 && lanes > 1 && lanes < 32) continue;
                std::vector<double> cycles, clock;
                u32 hops = warps * lanes > 256 ? 128 : 512;
                for (int k = 0; k < 3; k++) {
                    chase_crowd<<<sms, warps * 32>>>(ring.at, mb * MB / LINE, lanes, hops, time.at,
                                                     sink.at);
                    CHECK(cudaDeviceSynchronize());
                    double sum = 0;
                    std::vector<span> s = time.read();
                    for (const span &one : s) sum += (double)(one.to.cycles - one.from.cycles);
                    cycles.push_back(sum / (double)s.size() / hops);
                    clock.push_back(mhz(s[0]));
                }
                row("crowd", format("\"bytes\": %llu, \"chains\": %u, \"warps\": %u, ",
                                    (unsigned long long)(mb * MB), warps * lanes * (u32)sms,
                                    warps) +
                    "\"cycles\": " + list(cycles, "%.1f") + ", \"mhz\": " + list(clock, "%.0f"));
            }
    }
}

/* Measures the distance from an SM to lines of L2, `stride` bytes apart. */
__global__ void distance(const char *at, u32 lines, u64 stride, u32 sm, u32 *cycles)
{
    extern __shared__ u64 seen[];
    u32 seen_at = (u32)__cvta_generic_to_shared(seen);
    if (this_sm() != sm || threadIdx.x) return;
    u64 sum = 0;
    for (u32 round = 0; round < 3; round++)
        for (u32 k = 0; k < lines; k++) {
            u32 a, b;
            u64 p = (u64)at + k * stride, v;
            asm volatile("mov.u32 %0, %%clock;" : "=r"(a)::"memory");
            v = load<CG>(p);
            asm volatile("st.volatile.shared.u64 [%1], %2; mov.u32 %0, %%clock;"
                         : "=r"(b) : "r"(seen_at), "l"(v) : "memory");
            sum += v;
            /* the least of the last two rounds: the first brings the line in */
            if (round == 1 || (round == 2 && b - a < cycles[k])) cycles[k] = b - a;
        }
    if (sum == 1) cycles[0] = 0;
}

static std::vector<u32> distances(const char *at, u32 lines, u64 stride, u32 sm)
{
    device_array<u32> cycles(lines);
    CHECK(cudaFuncSetAttribute(distance, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               LARGEST_SHARED));
    distance<<<sm_count(), 64, LARGEST_SHARED>>>(at, lines, stride, sm, cycles.at);
    CHECK(cudaDeviceSynchronize());
    return cycles.read();
}

static void part_halves()
{
    device_array<char> data(64 << 20);
    for (u32 sm = 0; sm < (u32)sm_count(); sm++)
        row("distance", format("\"sm\": %u, \"stride\": 4096, \"cycles\": ", sm) +
            list(distances(data.at, 96, 4096, sm), "%.0f"));
    for (u32 sm : {0u, 1u, 2u, 3u}) {
        row("distance", format("\"sm\": %u, \"stride\": 128, \"cycles\": ", sm) +
            list(distances(data.at, 1024, 128, sm), "%.0f"));
        row("distance", format("\"sm\": %u, \"stride\": 4096, \"cycles\": ", sm) +
            list(distances(data.at, 2048, 4096, sm), "%.0f"));
    }
}

static const part parts[] = {
    {"chase", part_chase}, {"halves", part_halves}, {"carveout", part_carveout}, {"tlb",
    part_tlb}, {"crowd", part_crowd},
};

int main(int argc, char **argv)
{
    return run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
}
