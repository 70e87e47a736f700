/* Kernels with pressure on a single resource each, and helpers to launch, time and report them.
 *
 * Every kernel writes a `record`: first start and last end of its blocks in nanoseconds
 * (%globaltimer), clocks and nanoseconds of block 0 (so the SM clock), the number of blocks
 * hosted by each SM and, if requested, SM, start and end of every block.
 *
 * Loops have runtime trip counts and inline PTX where a compiler could remove work. Loads of the
 * copies bypass L1 (ld.global.cg); loads of the L1 probe allocate in L1 (ld.global.ca). Stores have
 * the default operator. */
#ifndef PROBE_H
#define PROBE_H

#include "common.h"

#include <signal.h>
#include <unistd.h>

enum { SMS = 192 };

struct span {
    u32 sm, pad;
    u64 start, end;
};

struct record {
    u64 start, end;  /* ns */
    u64 clocks, ns;  /* of block 0 */
    span *spans;     /* device memory, a span per block, or null */
    u32 blocks[SMS]; /* hosted by each SM */
};

/* ---- device: time and place ---- */

struct stamp {
    u64 ns;
    long long clock;
};

__device__ inline stamp begin(record *r)
{
    stamp s = {0, 0};
    if (threadIdx.x != 0) return s;
    s.ns = now_ns();
    s.clock = clock64();
    atomicMin(&r->start, s.ns);
    u32 sm = this_sm();
    if (sm < SMS) atomicAdd(&r->blocks[sm], 1u);
    return s;
}

__device__ inline void finish(record *r, stamp s)
{
    __syncthreads();
    if (threadIdx.x != 0) return;
    u64 end = now_ns();
    long long clock = clock64();
    atomicMax(&r->end, end);
    if (blockIdx.x == 0) {
        r->clocks = (u64)(clock - s.clock);
        r->ns = end - s.ns;
    }
    if (r->spans) {
        span at = {this_sm(), 0, s.ns, end};
        r->spans[blockIdx.x] = at;
    }
}

__device__ inline u32 thread_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

/* ---- device: the probes ---- */

__global__ void probe_empty(record *r) { finish(r, begin(r)); }

/* Occupies slots for `ns`; threads sleep `nap` ns between looks at the clock, 0: they spin. */
__global__ void probe_sleep(record *r, u64 ns, u32 nap)
{
    stamp s = begin(r);
    u64 until = now_ns() + ns;
    while (now_ns() < until)
        if (nap) asm volatile("nanosleep.u32 %0;" ::"r"(nap));
    finish(r, s);
}

/* Copies `n` floats, grid stride, `passes` times; a load in flight per thread. */
__global__ void probe_copy(record *r, const float *in, float *out, u32 n, u32 passes)
{
    stamp s = begin(r);
    u32 stride = gridDim.x * blockDim.x;
#pragma unroll 1
    for (u32 p = 0; p < passes; p++)
#pragma unroll 1
        for (u32 i = thread_id(); i < n; i += stride) {
            float v;
            asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(in + i) : "memory");
            asm volatile("st.global.f32 [%0], %1;" ::"l"(out + i), "f"(v) : "memory");
        }
    finish(r, s);
}

/* The same with 16 bytes an access; `n` counts accesses. */
__global__ void probe_copy4(record *r, const float4 *in, float4 *out, u32 n, u32 passes)
{
    stamp s = begin(r);
    u32 stride = gridDim.x * blockDim.x;
#pragma unroll 1
    for (u32 p = 0; p < passes; p++)
#pragma unroll 1
        for (u32 i = thread_id(); i < n; i += stride) {
            float4 v;
            asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "l"(in + i)
                         : "memory");
            asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out + i), "f"(v.x),
                         "f"(v.y), "f"(v.z), "f"(v.w)
                         : "memory");
        }
    finish(r, s);
}

/* Each block copies a region of `n` floats repeatedly. */
__global__ void probe_region(record *r, const float *in, float *out, u32 n, u32 passes)
{
    stamp s = begin(r);
    const float *from = in + (size_t)blockIdx.x * n;
    float *to = out + (size_t)blockIdx.x * n;
#pragma unroll 1
    for (u32 p = 0; p < passes; p++)
#pragma unroll 1
        for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
            float v;
            asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(from + i) : "memory");
            asm volatile("st.global.f32 [%0], %1;" ::"l"(to + i), "f"(v) : "memory");
        }
    finish(r, s);
}

/* CHAINS independent chains of FP32 multiplies, 16 of each a repetition. `m` just below 1. */
template <int CHAINS> __global__ void probe_fmul(record *r, float *sink, float m, u32 reps)
{
    stamp s = begin(r);
    float x[CHAINS], sum = 0;
    for (int k = 0; k < CHAINS; k++) x[k] = 1.5f + k + 0.001f * threadIdx.x;
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 16; step++)
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                asm volatile("mul.f32 %0, %0, %1;" : "+f"(x[k]) : "f"(m));
    for (int k = 0; k < CHAINS; k++) sum += x[k];
    sink[thread_id()] = sum;
    finish(r, s);
}

/* The same with fused multiply-add. */
template <int CHAINS> __global__ void probe_ffma(record *r, float *sink, float m, u32 reps)
{
    stamp s = begin(r);
    float x[CHAINS], sum = 0, c = 1.0f - m;
    for (int k = 0; k < CHAINS; k++) x[k] = 1.5f + k + 0.001f * threadIdx.x;
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 16; step++)
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[k]) : "f"(m), "f"(c));
    for (int k = 0; k < CHAINS; k++) sum += x[k];
    sink[thread_id()] = sum;
    finish(r, s);
}

/* The same with FP64 fused multiply-add. */
template <int CHAINS> __global__ void probe_dfma(record *r, float *sink, double m, u32 reps)
{
    stamp s = begin(r);
    double x[CHAINS], sum = 0, c = 1.0 - m;
    for (int k = 0; k < CHAINS; k++) x[k] = 1.5 + k + 0.001 * threadIdx.x;
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 16; step++)
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x[k]) : "d"(m), "d"(c));
    for (int k = 0; k < CHAINS; k++) sum += x[k];
    sink[thread_id()] = (float)sum;
    finish(r, s);
}

/* The same with 32-bit integer multiply-add. */
template <int CHAINS> __global__ void probe_imad(record *r, float *sink, u32 m, u32 reps)
{
    stamp s = begin(r);
    u32 x[CHAINS], sum = 0, c = m >> 3;
    for (int k = 0; k < CHAINS; k++) x[k] = 977u * k + threadIdx.x + 1;
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 16; step++)
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x[k]) : "r"(m), "r"(c));
    for (int k = 0; k < CHAINS; k++) sum ^= x[k];
    sink[thread_id()] = (float)sum;
    finish(r, s);
}

/* Chains of special functions: 2^x and log2 alternately, to keep x in range; 8 pairs each. */
template <int CHAINS> __global__ void probe_sfu(record *r, float *sink, u32 reps)
{
    stamp s = begin(r);
    float x[CHAINS], sum = 0;
    for (int k = 0; k < CHAINS; k++) x[k] = 1.5f + k + 0.001f * threadIdx.x;
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 8; step++) {
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[k]));
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                asm volatile("lg2.approx.ftz.f32 %0, %0;" : "+f"(x[k]));
        }
    for (int k = 0; k < CHAINS; k++) sum += x[k];
    sink[thread_id()] = sum;
    finish(r, s);
}

/* Two halves of magnitude 0.06 to 0.13, sign and size by `seed`. */
__device__ inline u32 two_halves(u32 seed)
{
    u32 h = (seed + 1) * 2654435761u;
    return (h & 0x83ff83ffu) | 0x2c002c00u;
}

/* Four independent accumulators a warp of mma m16n8k16, f16 with f32 sums; 4 rounds a repetition.
 */
__global__ void probe_tensor(record *r, float *sink, u32 reps)
{
    stamp s = begin(r);
    u32 a[4], b[2];
    float d[4][4], sum = 0;
    for (int k = 0; k < 4; k++) a[k] = two_halves(threadIdx.x * 4 + k);
    for (int k = 0; k < 2; k++) b[k] = two_halves(threadIdx.x * 2 + k + 7777);
    for (int k = 0; k < 16; k++) d[k / 4][k % 4] = 0.01f * (k + 1);
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 4; step++)
#pragma unroll
            for (int k = 0; k < 4; k++)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                             "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                             : "+f"(d[k][0]), "+f"(d[k][1]), "+f"(d[k][2]), "+f"(d[k][3])
                             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int k = 0; k < 16; k++) sum += d[k / 4][k % 4];
    sink[thread_id()] = sum;
    finish(r, s);
}

/* Conflict-free loads and stores of shared memory: 4 loads, 4 stores, twice a repetition. The block
 * needs 16 bytes of shared memory per thread at least. */
__global__ void probe_shared(record *r, float *sink, u32 reps)
{
    extern __shared__ float shared_floats[];
    stamp s = begin(r);
    volatile float *mine = shared_floats + threadIdx.x;
    u32 n = blockDim.x;
    for (u32 k = 0; k < 4; k++) mine[k * n] = 1.5f + k + 0.001f * threadIdx.x;
#pragma unroll 1
    for (u32 p = 0; p < reps; p++)
#pragma unroll
        for (int step = 0; step < 2; step++) {
            float a = mine[0], b = mine[n], c = mine[2 * n], d = mine[3 * n];
            mine[0] = b;
            mine[n] = c;
            mine[2 * n] = d;
            mine[3 * n] = a;
        }
    sink[thread_id()] = mine[0];
    finish(r, s);
}

/* A warp to hold back waiting streams until all launches are queued. */
__global__ void gate(u64 ns, u64 *opened)
{
    u64 until = now_ns() + ns;
    while (now_ns() < until) {}
    if (opened && threadIdx.x == 0) *opened = now_ns();
}

/* ---- host: rows ---- */

static inline std::string quoted(const std::string &s)
{
    std::string q = "\"";
    for (char c : s) q += c == '"' || c == '\\' ? '\'' : (unsigned char)c < ' ' ? ' ' : c;
    return q + "\"";
}

/* A JSON object on a line of stdout. */
struct row {
    std::string text;
    explicit row(const char *name) : text("{\"row\":" + quoted(name)) {}
    row &raw(const char *key, const std::string &v)
    {
        text += "," + quoted(key) + ":" + v;
        return *this;
    }
    row &word(const char *key, const std::string &v) { return raw(key, quoted(v)); }
    row &num(const char *key, double v) { return raw(key, format("%.10g", v)); }
    row &us(const char *key, const std::vector<double> &v) { return raw(key, list(v, "%.3f")); }
    row &ints(const char *key, const std::vector<long long> &v)
    {
        return raw(key, list(v, "%.0f"));
    }
    void print()
    {
        text += "}\n";
        fputs(text.c_str(), stdout);
        fflush(stdout);
    }
};

static char the_part[64] = "start";
static int errors; /* rows of kind error */

static inline void error_row(const std::string &what)
{
    errors++;
    row("error").word("part", the_part).word("what", what).print();
}

/* ---- host: time ---- */

static inline void sleep_until(long long ns)
{
    for (long long left; (left = ns - host_ns()) > 0;)
        if (left > 200000) usleep((useconds_t)((left - 100000) / 1000));
}

static long long deadline; /* of the part, host_ns */

/* Ends the part when the budget is spent; the watchdog ends the program 5 s later. */
static inline void in_budget()
{
    if (deadline && host_ns() > deadline) throw failure{"budget spent; remaining rows left out"};
}

static void (*when_stuck)(); /* async-signal-safe, called before the watchdog exits */

static void on_alarm(int)
{
    char text[200];
    int n = snprintf(text, sizeof text,
                     "{\"row\":\"error\",\"part\":\"%s\",\"what\":\"watchdog: part stuck\"}\n",
                     the_part);
    if (write(1, text, n) < 0) _exit(4);
    if (when_stuck) when_stuck();
    _exit(3);
}

static inline void set_budget(double seconds)
{
    deadline = host_ns() + (long long)(seconds * 1e9);
    signal(SIGALRM, on_alarm);
    alarm((unsigned)seconds + 5);
}

/* ---- host: probes by name ---- */

enum kind { EMPTY, SLEEP, COPY, REGION, FMUL, FFMA, DFMA, IMAD, SFU, TENSOR, SHARED, KINDS };
static const char *const kind_names[KINDS] = {"empty", "sleep", "copy", "region", "fmul",  "ffma",
                                              "dfma",  "imad",  "sfu",  "tensor", "shared"};

/* A probe and its size. `bytes`: of an array (copy), of a block's region (region), of dynamic
 * shared memory per block (shared). `passes`: repetitions, or nanoseconds (sleep). `variant`:
 * floats an access (copy), chains (dfma: 1 or 2, fmul 4, ffma 8), nap in ns (sleep), carve-out
 * percentage plus 1 or 0 for the driver's choice (region). */
struct spec {
    int kind, blocks, threads;
    u64 bytes, passes;
    int variant;
    char name[16];
};

static inline spec make_spec(const char *name, int kind, int blocks, int threads, u64 bytes,
                             u64 passes, int variant)
{
    spec s;
    memset(&s, 0, sizeof s);
    s.kind = kind, s.blocks = blocks, s.threads = threads;
    s.bytes = bytes, s.passes = passes, s.variant = variant;
    snprintf(s.name, sizeof s.name, "%s", name);
    return s;
}

static inline std::string spec_json(const spec &s)
{
    return format("{\"name\":\"%s\",\"probe\":\"%s\",\"blocks\":%d,\"threads\":%d,\"bytes\":%llu,"
                  "\"passes\":%llu,\"variant\":%d}",
                  s.name, kind_names[s.kind], s.blocks, s.threads, s.bytes, s.passes, s.variant);
}

/* Reads "copy:66x1024:8388608:20:4" (probe, blocks x threads, bytes, passes, variant). */
static inline spec read_spec(const char *text)
{
    char name[16];
    int blocks, threads, variant = 0;
    u64 bytes, passes;
    int n = sscanf(text, "%15[a-z]:%dx%d:%llu:%llu:%d", name, &blocks, &threads, &bytes, &passes,
                   &variant);
    for (int k = 0; n >= 5 && k < KINDS; k++)
        if (!strcmp(name, kind_names[k]))
            return make_spec(name, k, blocks, threads, bytes, passes, variant);
    throw failure{std::string("not a probe: ") + text};
}

/* The standard probes: about 1 ms alone on an H100, at most half of an SM's threads, blocks, shared
 * memory and registers when the grid is spread over 132 SMs. The first six are the reduced set. */
static inline std::vector<spec> standard_probes()
{
    return {
        make_spec("dram", COPY, 264, 256, 256ull << 20, 5, 4),
        make_spec("l2", COPY, 264, 256, 4ull << 20, 400, 4),
        make_spec("l1", REGION, 528, 64, 8 << 10, 1200, 0),
        make_spec("issue", FMUL, 528, 64, 0, 14000, 4),
        make_spec("fp64", DFMA, 528, 64, 0, 12000, 2),
        make_spec("tensor", TENSOR, 528, 64, 0, 9000, 0),
        make_spec("int", IMAD, 528, 64, 0, 7000, 4),
        make_spec("sfu", SFU, 528, 64, 0, 1800, 4),
        make_spec("shared", SHARED, 528, 64, 16 << 10, 12000, 0),
        make_spec("sleep", SLEEP, 132, 1024, 0, 1000000, 1000),
    };
}

/* ---- host: memory and launches ---- */

/* Device memory of a kernel of the pair. Grows as needed, never shrinks. */
struct side {
    float *in, *out, *sink;
    size_t bytes, sinks;
};

static inline void grow(float **p, size_t bytes)
{
    if (*p) CHECK(cudaFree(*p));
    *p = nullptr;
    CHECK(cudaMalloc((void **)p, bytes));
    fill(*p, bytes);
}

static inline void prepare_side(side &m, const spec &s)
{
    size_t bytes = s.kind == COPY ? s.bytes : s.kind == REGION ? s.bytes * s.blocks : 0;
    size_t sinks = (size_t)s.blocks * s.threads * sizeof(float);
    if (bytes > m.bytes) {
        grow(&m.in, bytes);
        grow(&m.out, bytes);
        m.bytes = bytes;
    }
    if (sinks > m.sinks) {
        grow(&m.sink, sinks);
        m.sinks = sinks;
    }
    if (s.kind == SHARED)
        CHECK(cudaFuncSetAttribute(probe_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   (int)std::max<u64>(s.bytes, 48 << 10)));
    if (s.kind == REGION)
        CHECK(cudaFuncSetAttribute(probe_region, cudaFuncAttributePreferredSharedMemoryCarveout,
                                   s.variant - 1));
}

static inline void launch_copy(const spec &s, const side &m, record *r, cudaStream_t t)
{
    u32 n = (u32)(s.bytes / sizeof(float)), passes = (u32)s.passes;
    if (s.variant == 4)
        probe_copy4<<<s.blocks, s.threads, 0, t>>>(r, (const float4 *)m.in, (float4 *)m.out, n / 4,
                                                   passes);
    else
        probe_copy<<<s.blocks, s.threads, 0, t>>>(r, m.in, m.out, n, passes);
}

static inline void launch(const spec &s, const side &m, record *r, cudaStream_t t)
{
    int g = s.blocks, b = s.threads;
    u32 reps = (u32)s.passes;
    float m32 = 1.0f - 1.0f / (1 << 23);
    double m64 = 1.0 - 1e-9;
    switch (s.kind) {
    case EMPTY:
        probe_empty<<<g, b, 0, t>>>(r);
        break;
    case SLEEP:
        probe_sleep<<<g, b, 0, t>>>(r, s.passes, (u32)s.variant);
        break;
    case COPY:
        launch_copy(s, m, r, t);
        break;
    case REGION:
        probe_region<<<g, b, 0, t>>>(r, m.in, m.out, (u32)(s.bytes / sizeof(float)), reps);
        break;
    case FMUL:
        probe_fmul<4><<<g, b, 0, t>>>(r, m.sink, m32, reps);
        break;
    case FFMA:
        probe_ffma<8><<<g, b, 0, t>>>(r, m.sink, m32, reps);
        break;
    case DFMA:
        if (s.variant == 1)
            probe_dfma<1><<<g, b, 0, t>>>(r, m.sink, m64, reps);
        else
            probe_dfma<2><<<g, b, 0, t>>>(r, m.sink, m64, reps);
        break;
    case IMAD:
        probe_imad<4><<<g, b, 0, t>>>(r, m.sink, 1664525u, reps);
        break;
    case SFU:
        probe_sfu<4><<<g, b, 0, t>>>(r, m.sink, reps);
        break;
    case TENSOR:
        probe_tensor<<<g, b, 0, t>>>(r, m.sink, reps);
        break;
    case SHARED:
        probe_shared<<<g, b, s.bytes, t>>>(r, m.sink, reps);
        break;
    }
    CHECK(cudaGetLastError());
}

/* ---- host: records ---- */

static inline record blank_record(span *spans)
{
    record r;
    memset(&r, 0, sizeof r);
    r.start = ~0ull;
    r.spans = spans;
    return r;
}

static inline void blank_records(record *device, size_t n)
{
    std::vector<record> v(n, blank_record(nullptr));
    CHECK(cudaMemcpy(device, v.data(), n * sizeof(record), cudaMemcpyHostToDevice));
}

static inline std::vector<record> read_records(const record *device, size_t n)
{
    std::vector<record> v(n);
    if (n) CHECK(cudaMemcpy(v.data(), device, n * sizeof(record), cudaMemcpyDeviceToHost));
    return v;
}

static inline double median(std::vector<double> v)
{
    if (v.empty()) return 0;
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

static inline double record_mhz(const record &r)
{
    return r.ns ? 1e3 * (double)r.clocks / (double)r.ns : 0;
}

/* Occupies the GPU until the clock has risen from idle. */
static inline void warm_up(double ms)
{
    if (ms <= 0) return;
    spec s = make_spec("warm", FFMA, 528, 128, 0, 5000, 8);
    side m = {};
    record *r;
    CHECK(cudaMalloc((void **)&r, sizeof *r));
    blank_records(r, 1);
    prepare_side(m, s);
    for (long long end = host_ns() + (long long)(ms * 1e6); host_ns() < end;) {
        launch(s, m, r, 0);
        CHECK(cudaDeviceSynchronize());
    }
    cudaFree(m.sink);
    cudaFree(r);
}

/* Describes the device; the first CUDA call of a program: reports a missing device. */
static inline int device_row(const char *program)
{
    cudaDeviceProp p;
    CHECK(cudaSetDevice(0));
    CHECK(cudaFree(nullptr));
    CHECK(cudaGetDeviceProperties(&p, 0));
    row("device")
        .word("program", program)
        .word("part", the_part)
        .word("name", p.name)
        .num("sms", p.multiProcessorCount)
        .num("l2_bytes", p.l2CacheSize)
        .num("capability", p.major * 10 + p.minor)
        .print();
    return p.multiProcessorCount;
}

#endif
