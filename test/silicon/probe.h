/* Helpers to launch, time and report the kernels of workloads/probe/kernel.cu, each with pressure
 * on a single resource. */
#ifndef PROBE_H
#define PROBE_H

#include "common.h"
#include "../../workloads/probe/kernel.cu"

#include <signal.h>
#include <unistd.h>

__global__ void probe_empty(record *r) { finish(r, begin(r)); }

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
        probe_fmul4<<<g, b, 0, t>>>(r, m.sink, m32, reps);
        break;
    case FFMA:
        probe_ffma8<<<g, b, 0, t>>>(r, m.sink, m32, reps);
        break;
    case DFMA:
        if (s.variant == 1)
            probe_dfma1<<<g, b, 0, t>>>(r, m.sink, m64, reps);
        else
            probe_dfma2<<<g, b, 0, t>>>(r, m.sink, m64, reps);
        break;
    case IMAD:
        probe_imad4<<<g, b, 0, t>>>(r, m.sink, 1664525u, reps);
        break;
    case SFU:
        probe_sfu4<<<g, b, 0, t>>>(r, m.sink, reps);
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
