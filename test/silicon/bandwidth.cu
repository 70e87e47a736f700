/* Bandwidth of device memory, L2 and L1: over sizes, over numbers of SMs and of blocks. Loads name
 * their cache operator, and a row therefore shows the caches able to hit.
 *
 *     bandwidth [PART...]        default: every part, in the order of `parts` */
#include "row.h"

/* ---- bandwidth ---- */

enum stream_kind { READ, WRITE, COPY, SCALE, TRIAD, READ_CA, STREAM_KINDS };
static const char *const stream_names[] = {"read", "write", "copy", "scale", "triad", "read_ca"};
static const int stream_arrays[] = {1, 1, 2, 2, 3, 1};

template <bool CACHED> __device__ static float4 load4(const float4 *p)
{
    float4 v;
    if (CACHED)
        asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
    else
        asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
    return v;
}

__device__ static void store4(float4 *p, float4 v)
{
    asm volatile("st.global.v4.f32 [%0], {%1,%2,%3,%4};"
                 ::"l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}

template <stream_kind K> __device__ static void stream_one(float4 *a, const float4 *b,
                                                           const float4 *c, u64 k, float4 *sum)
{
    if (K == READ || K == READ_CA) {
        float4 v = load4<K == READ_CA>(a + k);
        sum->x += v.x, sum->y += v.y, sum->z += v.z, sum->w += v.w;
    } else if (K == WRITE) {
        store4(a + k, make_float4(sum->x, 2, 3, 4));
    } else {
        float4 v = load4<false>(b + k);
        if (K == SCALE) v.x *= 1.5f, v.y *= 1.5f, v.z *= 1.5f, v.w *= 1.5f;
        if (K == TRIAD) {
            float4 w = load4<false>(c + k);
            v.x += 1.5f * w.x, v.y += 1.5f * w.y, v.z += 1.5f * w.z, v.w += 1.5f * w.w;
        }
        store4(a + k, v);
    }
}

/* Each thread handles four independent places at a time, n places of each array in all. */
template <stream_kind K> __global__ void __launch_bounds__(1024)
stream(float4 *a, const float4 *b, const float4 *c, u64 n, u32 passes, float *sink, span *time)
{
    stamp start = now();
    float4 sum = make_float4(1, 0, 0, 0);
    u64 step = (u64)gridDim.x * blockDim.x, first = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    for (u32 pass = 0; pass < passes; pass++) {
        u64 k = first;
        for (; k + 3 * step < n; k += 4 * step) {
#pragma unroll
            for (u32 j = 0; j < 4; j++) stream_one<K>(a, b, c, k + j * step, &sum);
        }
        for (; k < n; k += step) stream_one<K>(a, b, c, k, &sum);
    }
    if (sum.x + sum.y + sum.z + sum.w == 12345.0f) *sink = sum.x;
    if (threadIdx.x == 0 && blockIdx.x == 0) *time = {start, now()};
}

struct stream_buffers {
    device_array<char> data;
    device_array<float> sink;
    device_array<span> time;
    explicit stream_buffers(u64 bytes) : data(bytes), sink(1), time(1) { fill(data.at, bytes); }
};

/* As many blocks as are resident at once. */
template <stream_kind K> static int stream_fill(int threads)
{
    int each;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, stream<K>, threads, 0));
    return each * sm_count();
}

/* `bytes`: size of all arrays together. */
template <stream_kind K> static void stream_row(const char *name, stream_buffers &m, u64 bytes,
                                                int blocks, int threads, int repeats, u64 at_least)
{
    u64 each = bytes / (u64)stream_arrays[K] / 16;
    float4 *a = (float4 *)m.data.at, *b = a + each, *c = b + each;
    u32 passes = (u32)std::max<u64>(1, at_least / bytes);
    std::vector<double> us, clock;
    event_timer timer;
    for (int k = -1; k < repeats; k++) {
        timer.start();
        stream<K><<<blocks, threads>>>(a, b, c, each, passes, m.sink.at, m.time.at);
        double took = timer.us();
        CHECK(cudaGetLastError());
        if (k < 0) continue;
        us.push_back(took);
        clock.push_back(mhz(m.time.read()[0]));
    }
    u64 moved = each * 16 * (u64)stream_arrays[K] * passes;
    row(name, format("\"kind\": \"%s\", \"bytes\": %llu, \"blocks\": %d, \"threads\": %d, "
                     "\"passes\": %u, \"moved\": %llu, ", stream_names[K],
                     (unsigned long long)bytes, blocks, threads, passes,
                     (unsigned long long)moved) +
        "\"us\": " + list(us, "%.2f") + ", \"mhz\": " + list(clock, "%.0f"));
}

static void part_bandwidth()
{
    const u64 KB = 1024, MB = KB * KB;
    int sms = sm_count();
    stream_buffers m(4096 * MB);
    for (u64 mb : {1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 25, 26, 28, 30, 32, 36, 40, 44,
                   48, 50, 52, 56, 64, 80, 96, 128, 192, 256, 512, 1024, 4096}) {
        u64 much = mb < 128 ? 4096 * MB : mb * MB;
        int repeats = mb <= 1024 ? REPEATS : 5;
        stream_row<READ>("stream", m, mb * MB, stream_fill<READ>(512), 512, repeats, much);
        stream_row<COPY>("stream", m, mb * MB, stream_fill<COPY>(512), 512, repeats, much);
        if (mb == 4 || mb == 16 || mb == 24 || mb == 32 || mb == 48 || mb == 64 || mb >= 1024) {
            stream_row<WRITE>("stream", m, mb * MB, stream_fill<WRITE>(512), 512, repeats, much);
            stream_row<SCALE>("stream", m, mb * MB, stream_fill<SCALE>(512), 512, repeats, much);
            stream_row<TRIAD>("stream", m, mb * MB, stream_fill<TRIAD>(512), 512, repeats, much);
        }
    }
    for (u64 mb : {8, 16, 40, 1024})
        for (int blocks : {1, 2, 4, 8, 16, 24, 32, 48, 64, 80, 96, 112, 132, 264, 528}) {
            u64 much = (u64)std::min(blocks, 64) * 16 * MB;
            if (blocks <= sms) {
                stream_row<READ>("stream_sms", m, mb * MB, blocks, 1024, 5, much);
                stream_row<COPY>("stream_sms", m, mb * MB, blocks, 1024, 5, much);
            }
            if (mb == 16 || mb == 1024) {
                stream_row<READ>("stream_blocks", m, mb * MB, blocks, 256, 5, much);
                stream_row<COPY>("stream_blocks", m, mb * MB, blocks, 256, 5, much);
            }
        }
}

/* L1: every block reads a piece of its own repeatedly by ld.ca; a block of 1024 threads per SM. */
template <int BYTES> __global__ void __launch_bounds__(1024)
l1_read(const char *at, u32 piece, u32 passes, float *sink, span *time)
{
    const char *mine = at + (u64)blockIdx.x * piece;
    float sum = 0;
    for (u32 pass = 0; pass <= passes; pass++) {
        stamp start = now();
        for (u32 k = threadIdx.x * BYTES; k < piece; k += blockDim.x * BYTES) {
            float x, y = 0, z = 0, w = 0;
            if (BYTES == 16)
                asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3}, [%4];"
                             : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(mine + k));
            else if (BYTES == 8)
                asm volatile("ld.global.ca.v2.f32 {%0,%1}, [%2];" : "=f"(x), "=f"(y)
                             : "l"(mine + k));
            else
                asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(x) : "l"(mine + k));
            sum += x + y + z + w;
        }
        if (pass == 0) __syncthreads();
        if (pass == 1 && threadIdx.x == 0) time[blockIdx.x].from = start;
    }
    if (sum == 12345.0f) *sink = sum;
    __syncthreads();
    if (threadIdx.x == 0) time[blockIdx.x].to = now();
}

template <int BYTES> static void l1_row(const char *data, u32 kb, float *sink)
{
    int sms = sm_count();
    device_array<span> time((size_t)sms);
    u32 passes = 4096 / kb * 4;
    std::vector<double> cycles;
    CHECK(cudaFuncSetAttribute(l1_read<BYTES>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    for (int k = 0; k < REPEATS; k++) {
        l1_read<BYTES><<<sms, 1024>>>(data, kb * 1024, passes, sink, time.at);
        CHECK(cudaDeviceSynchronize());
        double sum = 0;
        for (const span &s : time.read()) sum += (double)(s.to.cycles - s.from.cycles);
        cycles.push_back(sum / sms);
    }
    row("l1_bandwidth", format("\"bytes\": %u, \"width\": %d, \"moved\": %llu, \"cycles\": ",
                               kb * 1024, BYTES, (unsigned long long)passes * kb * 1024) +
        list(cycles, "%.0f"));
}

static void part_l1()
{
    device_array<char> data(256ull * 1024 * 256);
    device_array<float> sink(1);
    fill(data.at, data.n);
    for (u32 kb : {16, 32, 64, 96, 128, 160, 192, 208, 224, 240, 256}) {
        l1_row<4>(data.at, kb, sink.at);
        l1_row<8>(data.at, kb, sink.at);
        l1_row<16>(data.at, kb, sink.at);
    }
}

static const part parts[] = {
    {"bandwidth", part_bandwidth}, {"l1", part_l1},
};

int main(int argc, char **argv)
{
    return run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
}
