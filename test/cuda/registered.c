/* The program's own memory, registered: device and program have the same bytes in any memory of the
 * program, also in pages of several ranges, and other bytes of the pages are kept. */
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test/cuda/kernels.h"

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

enum { PAGE = 4096 };

static unsigned char *device_of(unsigned char *p)
{
    void *device;
    CALL(cudaHostGetDevicePointer(&device, p, 0));
    return device;
}

static bool is_all(const unsigned char *p, int value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != value) return false;
    return true;
}

static unsigned char *memory(size_t n, int how)
{
    void *m = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | how, -1, 0);
    NEED(m != MAP_FAILED);
    return m;
}

/* Registers a range, and writes to it from both sides. */
static void range(unsigned char *p, size_t n, unsigned flags)
{
    unsigned char *copy = malloc(n);
    memset(p, 1, n);
    CALL(cudaHostRegister(p, n, flags));
    unsigned char *const d = device_of(p);
    NEED(is_all(p, 1, n));
    CALL(cudaMemset(d, 2, n));
    CALL(cudaDeviceSynchronize());
    NEED(is_all(p, 2, n));
    memset(p, 3, n);
    CALL(cudaMemcpy(copy, d, n, cudaMemcpyDeviceToHost));
    NEED(is_all(copy, 3, n));
    CALL(cudaHostUnregister(p));
    free(copy);
}

static void stack(size_t n)
{
    unsigned char bytes[n];
    range(bytes, n, cudaHostRegisterMapped);
    range(bytes, n, 0);
}

static void *thread(void *of)
{
    (void)of;
    stack(30);
    stack(20000);
    return NULL;
}

static void places(void)
{
    static unsigned char data[9000] = {1}, bss[9000];
    range(data, sizeof data, 0);
    range(bss, sizeof bss, 0);
    stack(30);
    stack(20000);
    pthread_t t;
    NEED(!pthread_create(&t, NULL, thread, NULL));
    NEED(!pthread_join(t, NULL));
    for (int k = 0; k < 3; k++) { /* the address returns with other pages */
        unsigned char *m = memory(1 << 20, MAP_PRIVATE);
        range(m + 100, 1 << 19, 0);
        range(m, 1 << 20, cudaHostRegisterMapped);
        munmap(m, 1 << 20);
    }
    /* memory shared with other processes: only copies */
    unsigned char *const m = memory(PAGE, MAP_SHARED);
    void *device;
    NEED(cudaHostRegister(m, 8, cudaHostRegisterMapped) == cudaErrorNotSupported);
    CALL(cudaHostRegister(m, 8, 0));
    NEED(cudaHostGetDevicePointer(&device, m, 0) == cudaErrorNotSupported);
    CALL(cudaHostUnregister(m));
    munmap(m, PAGE);
}

/* Ranges that share pages, registered at the same time. */
static void shared_pages(void)
{
    unsigned char *b = aligned_alloc(PAGE, 4 * PAGE);
    memset(b, 9, 4 * PAGE);
    unsigned char *const at[] = {b + PAGE + 100, b + 3 * PAGE - 10, b + 100, b + 3 * PAGE + 3000};
    const size_t n[] = {PAGE, PAGE / 2, PAGE - 50, 1};
    unsigned char *d[4];
    for (int i = 0; i < 4; i++) {
        CALL(cudaHostRegister(at[i], n[i], i % 2 ? cudaHostRegisterMapped : 0));
        d[i] = device_of(at[i]);
        if (!i) continue;
        CALL(cudaMemset(d[0], i, n[0])); /* the first address remains right */
        CALL(cudaDeviceSynchronize());
        NEED(is_all(at[0], i, n[0]));
    }
    for (int i = 0; i < 4; i++) CALL(cudaMemset(d[i], 10 + i, n[i]));
    CALL(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++) NEED(is_all(at[i], 10 + i, n[i]));
    NEED(is_all(b, 9, 100)); /* before the first, and between ranges */
    NEED(is_all(at[2] + n[2], 9, (size_t)(at[0] - at[2]) - n[2]));
    NEED(is_all(at[0] + n[0], 9, (size_t)(at[1] - at[0]) - n[0]));
    NEED(is_all(at[1] + n[1], 9, (size_t)(at[3] - at[1]) - n[1]));
    NEED(is_all(at[3] + 1, 9, (size_t)(b + 4 * PAGE - at[3]) - 1));
    for (int i = 0; i < 4; i++) CALL(cudaHostUnregister(at[i]));
    free(b);
}

enum { LARGE_PAGES = 4000, WORDS = PAGE / sizeof(unsigned long) };
static volatile unsigned long *beside;
static unsigned long counted;
static int goes_on;

static void *count(void *of)
{
    (void)of;
    while (__atomic_load_n(&goes_on, __ATOMIC_RELAXED)) {
        for (int i = 0; i < LARGE_PAGES; i += LARGE_PAGES / 8) beside[i * WORDS]++;
        __atomic_store_n(&counted, counted + 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* A thread writes to pages of a large range while the range is registered. */
static void writers(void)
{
    const size_t n = LARGE_PAGES * PAGE; /* copied in several time slices */
    for (int k = 0; k < 4; k++) {
        unsigned char *m = memory(n, MAP_PRIVATE);
        beside = (volatile unsigned long *)(void *)m;
        counted = 0;
        __atomic_store_n(&goes_on, 1, __ATOMIC_RELAXED);
        pthread_t t;
        NEED(!pthread_create(&t, NULL, count, NULL));
        while (!__atomic_load_n(&counted, __ATOMIC_RELAXED)) continue;
        CALL(cudaHostRegister(m + PAGE / 2, n - PAGE / 2, cudaHostRegisterMapped));
        __atomic_store_n(&goes_on, 0, __ATOMIC_RELAXED);
        NEED(!pthread_join(t, NULL));
        for (int i = 0; i < LARGE_PAGES; i += LARGE_PAGES / 8) NEED(beside[i * WORDS] == counted);
        CALL(cudaHostUnregister(m + PAGE / 2));
        munmap(m, n);
    }
}

/* True if the system lets other threads wait while pages are replaced. */
static bool may_wait(void)
{
    void *m = memory(PAGE, MAP_PRIVATE);
    return syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY) >= 0 &&
           mremap(m, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL) != MAP_FAILED;
}

enum { TIMES = 50 };
static unsigned char *halves;
static pthread_barrier_t together;

static void *half(void *of)
{
    for (int i = 0; i < TIMES; i++) {
        unsigned char *p = halves + i * PAGE + *(int *)of * PAGE / 2;
        pthread_barrier_wait(&together);
        CALL(cudaHostRegister(p, PAGE / 2, cudaHostRegisterMapped));
        CALL(cudaMemset(device_of(p), 2 * i + *(int *)of, PAGE / 2));
    }
    return NULL;
}

/* Two threads register the halves of a page at the same time. */
static void both(void)
{
    int which[] = {0, 1};
    pthread_t t;
    halves = aligned_alloc(PAGE, TIMES * PAGE);
    NEED(!pthread_barrier_init(&together, NULL, 2));
    NEED(!pthread_create(&t, NULL, half, &which[1]));
    half(&which[0]);
    NEED(!pthread_join(t, NULL));
    CALL(cudaDeviceSynchronize());
    for (int i = 0; i < 2 * TIMES; i++) NEED(is_all(halves + i * PAGE / 2, i, PAGE / 2));
    for (int i = 0; i < 2 * TIMES; i++) CALL(cudaHostUnregister(halves + i * PAGE / 2));
    range(halves, TIMES * PAGE, 0); /* pages that are apart in device memory */
}

int main(void)
{
    places();
    shared_pages();
    both();
    if (may_wait()) writers();
    puts(may_wait() ? "all right" : "right; no writers, as the system has no userfaultfd");
    return 0;
}
