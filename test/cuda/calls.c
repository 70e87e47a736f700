/* Effects of calls, one after the other: prints "all right", or the failing check. */
#include <signal.h>
#include <unistd.h>

#include "test/cuda/kernels.h"

static const dim3 one = {1, 1, 1};
static int in_turn; /* kernels run one after the other, under some policies */

static unsigned *device_word(unsigned value)
{
    unsigned *p;
    CALL(cudaMalloc((void **)&p, 4));
    CALL(cudaMemcpy(p, &value, 4, cudaMemcpyHostToDevice));
    return p;
}

static unsigned word(const unsigned *p)
{
    unsigned value;
    CALL(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
    return value;
}

static void conventions(void)
{
    unsigned *p = device_word(1), plus = 1, times = 2, turns = 0;
    void *arguments[] = {&p, &plus, &times, &turns};
    cudaKernel_t kernel = NULL;
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    NEED(!__cudaPushCallConfiguration(one, one, 0, NULL));
    CALL(__cudaGetKernel(&kernel, &change));
    CALL(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    CALL(__cudaLaunchKernel(kernel, grid, block, arguments, shared, stream));
    CALL(cudaConfigureCall(one, one, 0, NULL));
    CALL(cudaSetupArgument(&p, 8, 0));
    CALL(cudaSetupArgument(&plus, 4, 8));
    CALL(cudaSetupArgument(&times, 4, 12));
    CALL(cudaSetupArgument(&turns, 4, 16));
    CALL(cudaLaunch(&change));
    cudaLaunchConfig_t config = {.gridDim = one, .blockDim = one};
    CALL(cudaLaunchKernelExC(&config, &change, arguments));
    NEED(word(p) == 22); /* ((1+1)*2+1)*2... three times */
}

/* Streams are in order each; an event orders two of them. */
static void streams(void)
{
    cudaStream_t a, b;
    cudaEvent_t e;
    unsigned *p = device_word(1);
    CALL(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CALL(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CALL(cudaEventCreate(&e));
    launch_change(p, 1, 1, 5000, a);
    CALL(cudaEventRecord(e, a));
    CALL(cudaStreamWaitEvent(b, e, 0));
    launch_change(p, 0, 10, 0, b);
    NEED(cudaStreamQuery(a) == cudaErrorNotReady);
    CALL(cudaStreamSynchronize(b));
    CALL(cudaStreamQuery(a));
    NEED(word(p) == 20);
    /* without the event the second kernel is first, as only the first loops */
    launch_change(p, 1, 1, 5000, a);
    launch_change(p, 0, 10, 0, b);
    CALL(cudaDeviceSynchronize());
    if (!in_turn) NEED(word(p) == 201);
    CALL(cudaStreamDestroy(a));
    NEED(cudaStreamSynchronize(a) == cudaErrorInvalidResourceHandle);
}

/* No handle destroys a default stream. */
static void streams_that_stay(void)
{
    enum { FIRST_OWN = 257 }; /* handles below are special, or of no stream */
    unsigned *p = device_word(1);
    launch_change(p, 1, 1, 0, cudaStreamPerThread);
    for (uintptr_t handle = 0; handle < FIRST_OWN; handle++)
        NEED(cudaStreamDestroy((cudaStream_t)handle) == cudaErrorInvalidResourceHandle);
    launch_change(p, 1, 1, 0, cudaStreamPerThread);
    launch_change(p, 1, 1, 0, cudaStreamLegacy);
    launch_change(p, 1, 1, 0, NULL);
    CALL(cudaStreamSynchronize(NULL));
    NEED(word(p) == 5);
}

/* The legacy default stream waits for all work in other streams and vice versa, except
 * non-blocking. */
static void legacy(void)
{
    cudaStream_t a, apart;
    unsigned *p = device_word(1), *q = device_word(1);
    CALL(cudaStreamCreate(&a));
    CALL(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    launch_change(p, 1, 1, 5000, a);
    launch_change(p, 0, 10, 0, NULL);
    launch_change(p, 5, 1, 0, a);
    CALL(cudaDeviceSynchronize());
    NEED(word(p) == 25);
    launch_change(q, 1, 1, 5000, apart);
    launch_change(q, 0, 10, 0, NULL);
    CALL(cudaDeviceSynchronize());
    if (!in_turn) NEED(word(q) == 11);
}

/* Only the last record of an event counts, whatever the previous record waits for. */
static void again(cudaEvent_t a, cudaEvent_t b, unsigned *p)
{
    cudaStream_t late, early;
    float longer, shorter;
    CALL(cudaStreamCreateWithFlags(&late, cudaStreamNonBlocking));
    CALL(cudaStreamCreateWithFlags(&early, cudaStreamNonBlocking));
    CALL(cudaEventRecord(a, early));
    launch_change(p, 1, 1, 20000, late);
    CALL(cudaEventRecord(b, late));
    CALL(cudaEventRecord(b, early));
    CALL(cudaEventSynchronize(b));
    CALL(cudaEventElapsedTime(&shorter, a, b));
    CALL(cudaDeviceSynchronize());
    CALL(cudaEventElapsedTime(&longer, a, b));
    NEED(shorter == 0 && longer == 0);
}

/* A new event reusing a destroyed event's number keeps the time of the new record, though the old
 * event's record completes later. */
static void in_place_of(unsigned *p)
{
    cudaStream_t late, early;
    cudaEvent_t a, gone, b;
    float before, after;
    CALL(cudaStreamCreateWithFlags(&late, cudaStreamNonBlocking));
    CALL(cudaStreamCreateWithFlags(&early, cudaStreamNonBlocking));
    CALL(cudaEventCreate(&a));
    CALL(cudaEventRecord(a, early));
    for (unsigned records = 1; records < 4; records++) {
        CALL(cudaEventCreate(&gone));
        launch_change(p, 1, 1, 20000, late);
        for (unsigned k = 0; k < records; k++) CALL(cudaEventRecord(gone, late));
        CALL(cudaEventDestroy(gone));
        CALL(cudaEventCreate(&b));
        NEED(b == gone);
        CALL(cudaEventRecord(b, early));
        CALL(cudaEventSynchronize(b));
        CALL(cudaEventElapsedTime(&before, a, b));
        CALL(cudaDeviceSynchronize());
        CALL(cudaEventElapsedTime(&after, a, b));
        NEED(before == after);
        CALL(cudaEventDestroy(b));
    }
    CALL(cudaEventDestroy(a));
}

static void events(void)
{
    cudaEvent_t a, b, c;
    unsigned *p = device_word(0), polls = 0;
    float longer, shorter;
    CALL(cudaEventCreate(&a));
    CALL(cudaEventCreate(&b));
    CALL(cudaEventCreate(&c));
    NEED(cudaEventElapsedTime(&longer, a, b) == cudaErrorInvalidResourceHandle);
    CALL(cudaEventRecord(a, NULL));
    launch_change(p, 1, 1, 20000, NULL);
    CALL(cudaEventRecord(b, NULL));
    launch_change(p, 1, 1, 2000, NULL);
    CALL(cudaEventRecord(c, NULL));
    NEED(cudaEventElapsedTime(&longer, a, b) == cudaErrorNotReady);
    while (cudaEventQuery(b) == cudaErrorNotReady) polls++;
    NEED(polls > 1);
    CALL(cudaEventSynchronize(c));
    CALL(cudaEventElapsedTime(&longer, a, b));
    CALL(cudaEventElapsedTime(&shorter, b, c));
    NEED(shorter > 0 && (in_turn || longer > 5 * shorter));
    NEED(longer > 20000 * 4 / 2e6 && longer < 100); /* 4 instructions a turn, below 2 GHz */
    printf("elapsed %.9f %.9f ms, %u polls\n", longer, shorter, polls);
    again(a, b, p);
    in_place_of(p);
}

static unsigned seen;
static void look(void *at)
{
    seen = *(const unsigned *)at;
    NEED(cudaDeviceSynchronize() == cudaErrorNotPermitted);
}

static void host_memory(void)
{
    unsigned *pinned, *managed, *p = device_word(0), own = 3;
    cudaStream_t a;
    CALL(cudaStreamCreate(&a));
    CALL(cudaMallocHost((void **)&pinned, 8192));
    CALL(cudaMallocManaged((void **)&managed, 8192, cudaMemAttachGlobal));
    /* in stream order: the host changes the source after the call */
    launch_change(p, 1, 1, 3000, a);
    pinned[0] = 1;
    CALL(cudaMemcpyAsync(p, pinned, 4, cudaMemcpyHostToDevice, a));
    pinned[0] = 7;
    CALL(cudaMemcpyAsync(pinned + 1, p, 4, cudaMemcpyDeviceToHost, a));
    CALL(cudaLaunchHostFunc(a, look, pinned + 1));
    CALL(cudaStreamSynchronize(a));
    NEED(pinned[1] == 7 && seen == 7);
    /* at once: unpinned memory */
    launch_change(p, 1, 1, 3000, a);
    CALL(cudaMemcpyAsync(p, &own, 4, cudaMemcpyHostToDevice, a));
    own = 4;
    CALL(cudaStreamSynchronize(a));
    NEED(word(p) == 3);
    CALL(cudaHostRegister(&own, 4, 0));
    launch_change(p, 1, 1, 3000, a);
    CALL(cudaMemcpyAsync(p, &own, 4, cudaMemcpyHostToDevice, a));
    own = 5;
    CALL(cudaStreamSynchronize(a));
    NEED(word(p) == 5);
    CALL(cudaHostUnregister(&own));
    /* kernels access host memory at the host's addresses */
    managed[1] = 10;
    pinned[2] = 20;
    launch_change(managed + 1, 1, 2, 0, NULL);
    launch_change(pinned + 2, 1, 2, 0, NULL);
    CALL(cudaDeviceSynchronize());
    NEED(managed[1] == 22 && pinned[2] == 42);
    struct cudaPointerAttributes of;
    CALL(cudaPointerGetAttributes(&of, managed));
    NEED(of.type == cudaMemoryTypeManaged);
    CALL(cudaPointerGetAttributes(&of, &own));
    NEED(of.type == cudaMemoryTypeUnregistered);
    /* each kind has a call, and memory is freed from the beginning */
    NEED(cudaFree(pinned) == cudaErrorInvalidValue);
    NEED(cudaFreeHost(managed) == cudaErrorInvalidValue);
    NEED(cudaFreeHost(p) == cudaErrorInvalidValue);
    NEED(cudaFreeHost(pinned + 1) == cudaErrorInvalidValue);
    NEED(cudaFree(managed + 1) == cudaErrorInvalidValue);
    NEED(cudaFreeAsync(pinned, a) == cudaErrorInvalidValue);
    launch_change(pinned, 1, 1, 0, NULL);
    CALL(cudaDeviceSynchronize());
    NEED(pinned[0] == 8);
    CALL(cudaFreeHost(pinned));
    CALL(cudaFree(managed));
    NEED(cudaFree(managed) == cudaErrorInvalidValue);
    /* memory freed in a stream is there for the stream, before the stream has come to the free */
    for (int i = 0; i < 20; i++) {
        void *large;
        CALL(cudaMallocAsync(&large, (size_t)1 << 30, a));
        launch_change(large, 1, 1, 5000, a);
        CALL(cudaFreeAsync(large, a));
    }
    NEED(cudaPeekAtLastError() == cudaErrorInvalidValue);
    /* running kernels still have the freed memory: the call waits for all streams */
    p = device_word(0);
    launch_change(p, 1, 1, 5000, a);
    CALL(cudaFree(p));
    CALL(cudaStreamQuery(a));
}

static void symbols(void)
{
    unsigned *p = device_word(0), six = 6, seven = 7, back = 0;
    void *arguments[] = {&p}, *address;
    size_t size;
    NEED(__cudaInitModule(module) && *shared_count == 40);
    CALL(cudaMemcpyToSymbol(&factor, &six, 4, 0, cudaMemcpyHostToDevice));
    CALL(cudaMemcpyToSymbol(&table, &seven, 4, 12, cudaMemcpyHostToDevice));
    CALL(cudaLaunchKernel(&variables, one, one, arguments, 0, NULL));
    NEED(word(p) == 42 && *shared_count == 42);
    CALL(cudaMemcpyFromSymbol(&back, &factor, 4, 0, cudaMemcpyDeviceToHost));
    NEED(back == 6);
    CALL(cudaGetSymbolAddress(&address, &factor));
    CALL(cudaMemset(address, 0, 4));
    CALL(cudaGetSymbolSize(&size, &table));
    NEED(size == 16);
    CALL(cudaMemcpyFromSymbol(&back, &factor, 4, 0, cudaMemcpyDeviceToHost));
    NEED(back == 0);
    NEED(cudaMemcpyToSymbol(&table, &seven, 4, 13, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidValue);
    NEED(cudaMemcpyToSymbol(&table, &seven, 4, 0, cudaMemcpyDeviceToHost) ==
         cudaErrorInvalidMemcpyDirection);
    NEED(cudaMemcpyFromSymbol(&back, &factor, 4, 0, cudaMemcpyHostToDevice) ==
         cudaErrorInvalidMemcpyDirection);
    struct cudaPointerAttributes of;
    CALL(cudaPointerGetAttributes(&of, shared_count));
    NEED(of.type == cudaMemoryTypeManaged && of.hostPointer == shared_count);
    CALL(cudaPointerGetAttributes(&of, address));
    NEED(of.type == cudaMemoryTypeDevice && !of.hostPointer);
}

static void shapes(void)
{
    char from[6][5], to[6][5] = {{0}}, *p, last;
    size_t pitch;
    for (int i = 0; i < 30; i++) from[i / 5][i % 5] = (char)i;
    CALL(cudaMallocPitch((void **)&p, &pitch, 5, 6));
    CALL(cudaMemset2D(p, pitch, 99, 5, 6));
    CALL(cudaMemcpy(&last, p + 5 * pitch + 4, 1, cudaMemcpyDeviceToHost));
    NEED(last == 99);
    CALL(cudaMemcpy2D(p, pitch, from, 5, 5, 6, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy2D(to, 5, p, pitch, 5, 6, cudaMemcpyDeviceToHost));
    NEED(!memcmp(from, to, sizeof to));
    struct cudaMemcpy3DParms m = {.srcPtr = {p, pitch, 5, 3}, .dstPtr = {to, 5, 5, 3},
                                  .extent = {4, 2, 2}, .kind = cudaMemcpyDeviceToHost};
    m.srcPos.x = 1;
    CALL(cudaMemcpy3D(&m));
    NEED(to[0][0] == 1 && to[1][3] == 9 && to[3][0] == 16 && to[4][3] == 24);
    m.dstPtr.pitch = 3;
    NEED(cudaMemcpy3D(&m) == cudaErrorInvalidPitchValue);
    m.dstPtr.pitch = m.srcPtr.pitch = 5;
    m.srcPos.x = 2;
    NEED(cudaMemcpy3D(&m) == cudaErrorInvalidPitchValue);
    m.srcPtr.pitch = pitch;
    m.dstPtr.ysize = 1; /* slices overlap */
    NEED(cudaMemcpy3D(&m) == cudaErrorInvalidValue);
}

static void errors(void)
{
    unsigned *p = device_word(0), x = 0;
    void *arguments[] = {&p, &x, &x, &x};
    const dim3 wide = {2048, 1, 1};
    NEED(cudaMemcpy(p, &x, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    NEED(cudaPeekAtLastError() == cudaErrorInvalidValue);
    NEED(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
    NEED(cudaMemcpy(&x, &x, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    NEED(cudaLaunchKernel(&change, one, wide, arguments, 0, NULL) ==
         cudaErrorInvalidConfiguration);
    NEED(cudaLaunchKernel(&change, one, one, arguments, 1 << 30, NULL) ==
         cudaErrorLaunchOutOfResources);
    NEED(cudaLaunchKernel(&x, one, one, arguments, 0, NULL) == cudaErrorInvalidDeviceFunction);
    NEED(cudaMalloc((void **)&p, (size_t)1 << 45) == cudaErrorMemoryAllocation);
    NEED(cudaSetDevice(1) == cudaErrorInvalidDevice);
    NEED(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
    size_t left, all, most = (size_t)6 << 30;
    char *first, *second;
    CALL(cudaMalloc((void **)&first, most));
    NEED(cudaMalloc((void **)&second, most) == cudaErrorMemoryAllocation);
    CALL(cudaFree(first));
    CALL(cudaMalloc((void **)&second, most));
    CALL(cudaFree(second));
    CALL(cudaMemGetInfo(&left, &all));
    NEED(left < all && all == (size_t)8 << 30);
}

static void device(void)
{
    struct cudaDeviceProp prop;
    struct cudaFuncAttributes of;
    int n, value;
    CALL(cudaGetDeviceCount(&n));
    NEED(n == 1);
    CALL(cudaGetDeviceProperties(&prop, 0));
    CALL(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    NEED(value == 30 || value == 16); /* rtx2060, maxwell16 */
    NEED(prop.multiProcessorCount == value && prop.warpSize == 32);
    NEED(prop.major == 7 && prop.minor == 5);
    const char *name;
    CALL(cudaFuncGetName(&name, &change));
    NEED(!strcmp(name, "change"));
    CALL(cudaInitDevice(0, 0, 0));
    NEED(cudaInitDevice(1, 0, 0) == cudaErrorInvalidDevice);
    CALL(cudaStreamGetDevice(cudaStreamPerThread, &n));
    NEED(n == 0);
    NEED(cudaDeviceGetP2PAttribute(&n, 2, 0, 0) == cudaErrorInvalidDevice);
    CALL(cudaFuncGetAttributes(&of, &change));
    NEED(of.maxThreadsPerBlock == 1024 && of.numRegs > 0);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &change, 1024, 0));
    NEED(n == prop.maxThreadsPerMultiProcessor / 1024);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &change, 1024, 48 << 10));
    NEED((size_t)n == prop.sharedMemPerMultiprocessor / (48 << 10));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &change, 1024, 1 << 30));
    NEED(n == 0);
}

cudaError_t cudaIpcGetMemHandle(void); /* missing from the library, whatever the arguments */

static unsigned grabbed(unsigned *p, size_t bytes)
{
    void *with[] = {&p, &bytes};
    CALL(cudaLaunchKernel(&grab, one, one, with, 0, NULL));
    return word(p);
}

static void limits(void)
{
    size_t value;
    enum cudaFuncCache config;
    unsigned *p = device_word(7);
    CALL(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    NEED(value == 8 << 20);
    NEED(cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)9 << 30) ==
         cudaErrorMemoryAllocation);
    CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    CALL(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    NEED(value == 32 << 20);
    NEED(grabbed(p, 24 << 20) == 1 && grabbed(p, 16 << 20) == 0);
    NEED(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20) == cudaErrorInvalidValue);
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CALL(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
    CALL(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    NEED(value == 4096);
    NEED(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 129) == cudaErrorInvalidValue);
    NEED(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4) == cudaErrorUnsupportedLimit);
    NEED(cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize) == cudaErrorUnsupportedLimit);
    CALL(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    CALL(cudaDeviceGetCacheConfig(&config));
    NEED(config == cudaFuncCachePreferL1);
    NEED(cudaGetLastError() == cudaErrorUnsupportedLimit);
}

int main(int n, char **arguments)
{
    const char *what = n > 1 ? arguments[1] : "";
    if (!strcmp(what, "exit")) return atoi(arguments[2]);
    if (!strcmp(what, "abort")) abort();
    if (!strcmp(what, "long")) { /* until killed */
        printf("%d\n", (int)getpid());
        fflush(stdout);
        launch_change(device_word(0), 1, 1, 4000000000u, NULL);
        CALL(cudaDeviceSynchronize());
        return 0;
    }
    if (!strcmp(what, "outside")) {
        launch_change((unsigned *)0x100, 1, 1, 0, NULL);
        CALL(cudaDeviceSynchronize());
        return 0;
    }
    if (!strcmp(what, "flood")) {
        const dim3 many = {100, 1, 1}, threads = {1000, 1, 1};
        unsigned n_said = 7;
        void *said[] = {&n_said};
        if (n > 2) CALL(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, (size_t)atol(arguments[2])));
        CALL(cudaLaunchKernel(&say, many, threads, said, 0, NULL));
        CALL(cudaDeviceSynchronize());
        return 0;
    }
    in_turn = !strcmp(what, "in-turn");
    device();
    conventions();
    streams();
    streams_that_stay();
    legacy();
    events();
    host_memory();
    symbols();
    shapes();
    errors();
    limits();
    unsigned n_said = 7;
    void *said[] = {&n_said};
    CALL(cudaLaunchKernel(&say, one, one, said, 0, NULL));
    NEED(cudaIpcGetMemHandle() == cudaErrorNotSupported);
    NEED(cudaIpcGetMemHandle() == cudaErrorNotSupported);
    CALL(cudaDeviceReset());
    puts("all right");
    return 0;
}
