/* What the programs of this folder share: rows as JSON, errors, time on the device and on the host.
 * A measured row is one JSON object on one line of stdout. Cycles are of the SM's clock (clock64);
 * `mhz` is that clock during the row, from globaltimer. A row has one entry per repetition; nothing
 * is averaged here. A part that fails writes a row `error`, and the parts after it run. */
#ifndef ROW_H
#define ROW_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <algorithm>
#include <string>
#include <vector>

#include <cuda_runtime.h>

/* Bytes of a line; repetitions of a row. */
enum { LINE = 128, REPEATS = 10 };

typedef uint32_t u32;
typedef uint64_t u64;

struct failure { std::string what; };

static inline void check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return;
    cudaGetLastError();
    throw failure{std::string(what) + ": " + cudaGetErrorString(e)};
}
#define CHECK(call) check(call, #call)

/* ---- rows ---- */

static inline std::string format(const char *f, ...)
{
    char text[512];
    va_list args;
    va_start(args, f);
    vsnprintf(text, sizeof text, f, args);
    va_end(args);
    return text;
}

template <class T> static std::string list(const std::vector<T> &v, const char *f)
{
    std::string s = "[";
    for (size_t k = 0; k < v.size(); k++) s += (k ? "," : "") + format(f, (double)v[k]);
    return s + "]";
}

static inline void row(const char *name, const std::string &members)
{
    printf("{\"row\": \"%s\", %s}\n", name, members.c_str());
    fflush(stdout);
}

/* ---- time ---- */

struct stamp { u64 cycles, ns; };
struct span { stamp from, to; };

__device__ static inline stamp now()
{
    stamp s;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(s.ns)::"memory");
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(s.cycles)::"memory");
    return s;
}

static inline double mhz(const span &s)
{
    return s.to.ns > s.from.ns ? 1e3 * (double)(s.to.cycles - s.from.cycles) /
                                 (double)(s.to.ns - s.from.ns) : 0;
}

static inline double host_us()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

struct event_timer {
    cudaEvent_t from, to;
    event_timer() { CHECK(cudaEventCreate(&from)); CHECK(cudaEventCreate(&to)); }
    ~event_timer() { cudaEventDestroy(from); cudaEventDestroy(to); }
    void start() { CHECK(cudaEventRecord(from)); }
    double us()
    {
        float ms;
        CHECK(cudaEventRecord(to));
        CHECK(cudaEventSynchronize(to));
        CHECK(cudaEventElapsedTime(&ms, from, to));
        return ms * 1e3;
    }
};

template <class T> struct device_array {
    T *at = nullptr;
    size_t n;
    explicit device_array(size_t count) : n(count)
    {
        CHECK(cudaMalloc(&at, n * sizeof(T)));
        CHECK(cudaMemset(at, 0, n * sizeof(T)));
    }
    ~device_array() { cudaFree(at); }
    device_array(const device_array &) = delete;
    std::vector<T> read() const
    {
        std::vector<T> v(n);
        CHECK(cudaMemcpy(v.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

static inline int sm_count()
{
    int n;
    CHECK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0));
    return n;
}

__device__ static inline u32 my_sm()
{
    u32 sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* Writes what looks random: a memory of zeros takes less power. */
__global__ static void fill_words(u64 *at, u64 n)
{
    for (u64 k = blockIdx.x * (u64)blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
        u64 x = (k + 1) * 0x9e3779b97f4a7c15ull;
        x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
        at[k] = (x ^ x >> 32) & 0xbfffffffbfffffffull; /* floats of less than 2 */
    }
}

static inline void fill(void *at, u64 bytes)
{
    fill_words<<<1024, 256>>>((u64 *)at, bytes / 8);
    CHECK(cudaDeviceSynchronize());
}

/* ---- parts ---- */

struct part {
    const char *name;
    void (*run)();
};

static inline int run_parts(const part *parts, size_t n, int argc, char **argv)
{
    int bad = 0;
    for (size_t p = 0; p < n; p++) {
        bool wanted = argc < 2;
        for (int k = 1; k < argc; k++) wanted |= !strcmp(argv[k], parts[p].name);
        if (!wanted) continue;
        double start = host_us();
        try {
            parts[p].run();
        } catch (const failure &f) {
            bad = 1;
            row("error", format("\"part\": \"%s\", \"what\": \"%s\"", parts[p].name,
                                f.what.c_str()));
        }
        row("seconds", format("\"part\": \"%s\", \"s\": %.3f", parts[p].name,
                              (host_us() - start) / 1e6));
    }
    return bad;
}

#endif
