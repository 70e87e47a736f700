/* Shared by all programs of the folder: errors, JSON text, time and SM number. Every measured row
 * is a JSON object on a line of stdout. */
#ifndef COMMON_H
#define COMMON_H

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <algorithm>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "../../workloads/probe/clock.h"

/* ---- device ---- */

/* Writes pseudo-random floats of magnitude below 2: zeros would take less power. */
__global__ static void fill_words(u64 *at, u64 n)
{
    for (u64 k = blockIdx.x * (u64)blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
        u64 x = (k + 1) * 0x9e3779b97f4a7c15ull;
        x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
        at[k] = (x ^ x >> 32) & 0xbfffffffbfffffffull;
    }
}

/* ---- errors ---- */

struct failure {
    std::string what;
};

static inline std::string format(const char *f, ...)
{
    char text[512];
    va_list args;
    va_start(args, f);
    vsnprintf(text, sizeof text, f, args);
    va_end(args);
    return text;
}

static inline void check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return;
    cudaGetLastError();
    throw failure{std::string(what) + ": " + cudaGetErrorString(e)};
}
#define CHECK(call) check(call, #call)

/* ---- host ---- */

static inline void fill(void *at, u64 bytes)
{
    fill_words<<<1024, 256>>>((u64 *)at, bytes / 8);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

static inline long long host_ns()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* JSON text of an array; `f` formats an element as a double. */
template <class T> static std::string list(const std::vector<T> &v, const char *f)
{
    std::string s = "[";
    for (size_t k = 0; k < v.size(); k++) s += (k ? "," : "") + format(f, (double)v[k]);
    return s + "]";
}

#endif
