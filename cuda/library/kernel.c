/* The kernels in the process: a fat binary around the PTX, registered with the run-time library. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/fat_binary.h"
#include "cuda/library/library.h"

/* The text of kernels.ptx with a zero at the end. */
__asm__(".section .rodata\n"
        ".global library_ptx, library_ptx_end\n"
        ".hidden library_ptx, library_ptx_end\n"
        ".balign 8\n"
        "library_ptx: .incbin \"" LIBRARY_PTX "\"\n"
        ".byte 0\n"
        "library_ptx_end:\n"
        ".previous\n");
extern const char library_ptx[], library_ptx_end[];

#if LIBRARY_CUDA == 11
#define RUN_TIME "libcudart.so.11.0"
#elif LIBRARY_CUDA == 12
#define RUN_TIME "libcudart.so.12"
#else
#define RUN_TIME "libcudart.so.13"
#endif
enum { KERNELS = 256, NAME_BYTES = 32, ARCH = 75 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char names[KERNELS][NAME_BYTES]; /* the address of a name is the kernel's host function */
static unsigned name_n;
static void **module;

/* Opens the run-time library of the program: the loaded version, because libcurand has one name in
 * all versions of CUDA; for a program with a static run-time library, the version of this
 * library. */
static void *open_run_time(void)
{
    static const char *const versions[] = {RUN_TIME, "libcudart.so.13", "libcudart.so.12",
                                           "libcudart.so.11.0"};
    void *library = NULL;
    for (int i = 0; i < 4 && !library; i++) library = dlopen(versions[i], RTLD_NOW | RTLD_NOLOAD);
    return library ? library : dlopen(RUN_TIME, RTLD_NOW);
}

const struct library_run_time *library_run_time(void)
{
    static struct library_run_time found;
    static const struct library_run_time *known;
    pthread_mutex_lock(&lock);
    void *library = known ? NULL : open_run_time();
    bool all = library;
#define FIND(name)                                                                                 \
    found.name = library ? (__typeof__(&name))dlsym(library, #name) : found.name;                  \
    all = all && found.name;
    LIBRARY_RUN_TIME(FIND)
#undef FIND
    if (all) known = &found;
    pthread_mutex_unlock(&lock);
    return known;
}

static void **load(const struct library_run_time *run_time)
{
    static struct fat_wrapper wrapper = {.magic = FAT_WRAPPER_MAGIC, .version = 1};
    size_t bytes = (size_t)(library_ptx_end - library_ptx), padded = (bytes + 7) & ~(size_t)7;
    struct fat_header header = {FAT_MAGIC, 1, sizeof header, sizeof(struct fat_entry) + padded};
    struct fat_entry entry = {.kind = FAT_PTX, .version = 0x101, .header_bytes = sizeof entry,
                              .bytes = padded, .minor = 4, .major = 6, .arch = ARCH,
                              .flags = 0x11};
    char *fat = calloc(1, sizeof header + sizeof entry + padded);
    if (!fat) return NULL;
    memcpy(fat, &header, sizeof header);
    memcpy(fat + sizeof header, &entry, sizeof entry);
    memcpy(fat + sizeof header + sizeof entry, library_ptx, bytes);
    wrapper.data = fat;
    return run_time->__cudaRegisterFatBinary(&wrapper);
}

/* Returns the host function of a kernel; NULL: no memory. */
static const void *kernel(const char *stem, const char *letter)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s_%s", stem, letter);
    const struct library_run_time *run_time = library_run_time();
    if (!run_time) return NULL;
    pthread_mutex_lock(&lock);
    if (!module) module = load(run_time);
    unsigned i = 0;
    while (i < name_n && strcmp(names[i], name) != 0) i++;
    if (module && i == name_n && name_n < KERNELS) {
        memcpy(names[name_n++], name, sizeof name);
        run_time->__cudaRegisterFunction(module, names[i], names[i], names[i], -1, NULL, NULL, NULL,
                                         NULL, NULL);
    }
    pthread_mutex_unlock(&lock);
    return module && i < name_n ? names[i] : NULL;
}

cudaError_t library_launch(cudaStream_t stream, const char *stem, const char *letter, dim3 grid,
                           unsigned threads, size_t shared, void **arguments)
{
    const void *function = kernel(stem, letter);
    if (!function) return cudaErrorMemoryAllocation;
    dim3 block = {threads, 1, 1};
    return library_run_time()->cudaLaunchKernel(function, grid, block, arguments, shared, stream);
}

void library_missing(const char *library, const char *what)
{
    static char said[64][48];
    static unsigned n;
    pthread_mutex_lock(&lock);
    unsigned i = 0;
    while (i < n && strncmp(said[i], what, sizeof *said - 1) != 0) i++;
    if (i == n && n < 64) {
        snprintf(said[n++], sizeof *said, "%s", what);
        fprintf(stderr, "corun: %s: %s is not supported\n", library, what);
    }
    pthread_mutex_unlock(&lock);
}

dim3 library_blocks(long long n, unsigned threads, unsigned most)
{
    long long blocks = (n + threads - 1) / threads;
    dim3 grid = {blocks < 1 ? 1 : blocks < most ? (unsigned)blocks : most, 1, 1};
    return grid;
}
