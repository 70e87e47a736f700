/* Loaded before a program's libraries (LD_PRELOAD), for drawn.py. Appends to the file named by
 * MEMORY_HASHES a line for each allocation of device memory when the program frees the allocation,
 * resets the device or ends: the order of allocation, the size, a hash of the words in any order,
 * and a hash of the bytes; and at the end a line for each launched kernel: "kernel", the number of
 * launches, the order of the first among all launches, and the name. The random numbers of
 * std::random_device are constant. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TO_HOST = 2, ROOM = 65536 };
typedef struct {
    unsigned x, y, z;
} dim3;
static struct {
    void *at;
    size_t bytes;
} every[ROOM];
static struct {
    const void *host, *handle; /* function of the host, kernel of __cudaGetKernel */
    const char *name;
    unsigned launch_n, first;
} kernel[ROOM];
static unsigned every_n, kernel_n, launch_n;

#define NEXT(name) ((int (*)())dlsym(RTLD_NEXT, name))

static FILE *output(void)
{
    return getenv("MEMORY_HASHES") ? fopen(getenv("MEMORY_HASHES"), "a") : NULL;
}

static void note(unsigned k)
{
    FILE *f = output();
    unsigned char *copy = malloc(every[k].bytes);
    uint64_t hash = 0xcbf29ce484222325, sum = 0; /* FNV-1a */
    if (f && copy && !NEXT("cudaMemcpy")(copy, every[k].at, every[k].bytes, TO_HOST)) {
        for (size_t n = 0; n < every[k].bytes; n++) hash = (hash ^ copy[n]) * 0x100000001b3;
        for (size_t n = 0; n + 4 <= every[k].bytes; n += 4) {
            uint32_t word;
            memcpy(&word, copy + n, sizeof word);
            sum += (word + 1) * 0x9e3779b97f4a7c15 ^ (uint64_t)word << 17;
        }
        fprintf(f, "%u %zu %016llx %016llx\n", k, every[k].bytes, (unsigned long long)sum,
                (unsigned long long)hash);
    }
    free(copy);
    if (f) fclose(f);
    every[k].at = NULL;
}

static void note_all(void)
{
    for (unsigned k = 0; k < every_n; k++)
        if (every[k].at) note(k);
}

static __attribute__((destructor)) void note_kernels(void)
{
    FILE *f = output();
    for (unsigned k = 0; f && k < kernel_n; k++)
        if (kernel[k].launch_n)
            fprintf(f, "kernel %u %u %s\n", kernel[k].launch_n, kernel[k].first, kernel[k].name);
    if (f) fclose(f);
}

int cudaMalloc(void **at, size_t bytes)
{
    int error = NEXT("cudaMalloc")(at, bytes);
    if (!every_n) atexit(note_all);
    if (!error && bytes && every_n < ROOM) {
        every[every_n].at = *at;
        every[every_n++].bytes = bytes;
    }
    return error;
}

int cudaFree(void *at)
{
    for (unsigned k = 0; at && k < every_n; k++)
        if (every[k].at == at) note(k);
    return NEXT("cudaFree")(at);
}

int cudaDeviceReset(void)
{
    note_all();
    return NEXT("cudaDeviceReset")();
}

unsigned _ZNSt13random_device9_M_getvalEv(void *device);
unsigned _ZNSt13random_device9_M_getvalEv(void *device)
{
    (void)device;
    return 1;
}

/* ---- kernels ---- */

static void launched(const void *which)
{
    launch_n++;
    for (unsigned k = 0; k < kernel_n; k++)
        if (kernel[k].host == which || (which && kernel[k].handle == which)) {
            if (!kernel[k].launch_n++) kernel[k].first = launch_n;
            return;
        }
}

void __cudaRegisterFunction(void **module, const void *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *block, void *grid, int *warp)
{
    if (kernel_n < ROOM) {
        kernel[kernel_n].host = host;
        kernel[kernel_n++].name = name;
    }
    NEXT("__cudaRegisterFunction")(module, host, device, name, limit, tid, bid, block, grid, warp);
}

int __cudaGetKernel(void **handle, const void *host)
{
    int error = NEXT("__cudaGetKernel")(handle, host);
    for (unsigned k = 0; k < kernel_n; k++)
        if (kernel[k].host == host) kernel[k].handle = *handle;
    return error;
}

#define LAUNCH(name) \
    int name(const void *which, dim3 grid, dim3 block, void **args, size_t shared, void *stream) \
    { \
        typedef int call(const void *, dim3, dim3, void **, size_t, void *); \
        launched(which); \
        return ((call *)dlsym(RTLD_NEXT, #name))(which, grid, block, args, shared, stream); \
    }
LAUNCH(__cudaLaunchKernel)
LAUNCH(cudaLaunchKernel)
LAUNCH(cudaLaunchCooperativeKernel)

int cudaLaunchKernelExC(const void *config, const void *which, void **args)
{
    launched(which);
    return NEXT("cudaLaunchKernelExC")(config, which, args);
}
