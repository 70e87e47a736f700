/* Rows, timers and parts of the microbenchmarks. Cycles are cycles of the SM clock (clock64); `mhz`
 * is the SM clock during the row, from globaltimer. A row has an entry per repetition, not a mean.
 * A failed part writes a row `error`; later parts still run. */
#ifndef ROW_H
#define ROW_H

#include "common.h"

/* Bytes of a line; repetitions of a row. */
enum { LINE = 128, REPEATS = 10 };

/* ---- rows ---- */

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
    s.ns = now_ns();
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(s.cycles)::"memory");
    return s;
}

static inline double mhz(const span &s)
{
    return s.to.ns > s.from.ns ? 1e3 * (double)(s.to.cycles - s.from.cycles) /
                                 (double)(s.to.ns - s.from.ns) : 0;
}

static inline double host_us() { return (double)host_ns() * 1e-3; }

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
