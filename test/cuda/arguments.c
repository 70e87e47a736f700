/* Arguments that CUDA documents as errors: prints "all right", or the accepted arguments. */
#include "test/cuda/kernels.h"

#define IS(call, wanted)                                                                           \
    do {                                                                                           \
        cudaError_t is_error = (call);                                                             \
        if (is_error != (cudaError_t)(wanted)) {                                                   \
            printf("line %d: %s is %s\n", __LINE__, #call, cudaGetErrorName(is_error));            \
            exit(7);                                                                               \
        }                                                                                          \
    } while (0)
enum { BAD = cudaErrorInvalidValue, HANDLE = cudaErrorInvalidResourceHandle };
static char *device, *managed, *pinned, own[4096];

static void allocations(void)
{
    struct cudaPitchedPtr pitched;
    size_t pitch;
    void *p;
    IS(cudaMalloc(NULL, 4), BAD);
    IS(cudaMalloc(&p, (size_t)1 << 60), cudaErrorMemoryAllocation);
    IS(cudaMallocPitch(&p, &pitch, SIZE_MAX - 4, 1), cudaErrorMemoryAllocation);
    IS(cudaMallocPitch(&p, &pitch, (size_t)1 << 40, (size_t)1 << 24), cudaErrorMemoryAllocation);
    IS(cudaMalloc3D(&pitched, (struct cudaExtent){512, (size_t)1 << 32, (size_t)1 << 32}),
       cudaErrorMemoryAllocation);
    IS(cudaMallocManaged(&p, 4, 0), BAD);
    IS(cudaMallocManaged(&p, 4, cudaMemAttachSingle), BAD);
    IS(cudaMallocManaged(&p, 0, cudaMemAttachGlobal), BAD);
    IS(cudaHostAlloc(&p, 4, 8), BAD);
    IS(cudaFree(device + 4), BAD);
    IS(cudaFree(own), BAD);
    IS(cudaFreeHost(device), BAD);
    IS(cudaMalloc(&p, 4), cudaSuccess);
    IS(cudaFree(p), cudaSuccess);
    IS(cudaFree(p), BAD);
}

static void registered(void)
{
    const cudaError_t twice = cudaErrorHostMemoryAlreadyRegistered;
    IS(cudaHostRegister(NULL, 4, 0), BAD);
    IS(cudaHostRegister(own, 0, 0), BAD);
    IS(cudaHostRegister(own, 4, 16), BAD);
    IS(cudaHostRegister(own + 1024, 1024, 0), cudaSuccess);
    IS(cudaHostRegister(own + 1024, 1024, 0), twice);
    IS(cudaHostRegister(own + 1100, 4, 0), twice);
    IS(cudaHostRegister(own, 1025, 0), twice); /* in part */
    IS(cudaHostRegister(own + 2047, 100, cudaHostRegisterMapped), twice);
    IS(cudaHostRegister(own, 4096, 0), twice);
    IS(cudaHostRegister(own, 1024, 0), cudaSuccess);
    IS(cudaHostRegister(own + 2048, 1024, 0), cudaSuccess);
    IS(cudaHostRegister(pinned, 4, 0), twice);
    IS(cudaHostUnregister(own + 4), BAD); /* within a range */
    IS(cudaHostUnregister(pinned), BAD);
    for (int i = 0; i < 3; i++) IS(cudaHostUnregister(own + 1024 * i), cudaSuccess);
    IS(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
}

static void copies(void)
{
    const enum cudaMemcpyKind none = (enum cudaMemcpyKind)5;
    IS(cudaMemcpy(device, own, 4, none), cudaErrorInvalidMemcpyDirection);
    IS(cudaMemcpyAsync(device, own, 4, none, NULL), cudaErrorInvalidMemcpyDirection);
    IS(cudaMemcpy(device, own, 4, cudaMemcpyDeviceToHost), BAD);
    IS(cudaMemcpy(own, device, 4, cudaMemcpyHostToDevice), BAD);
    IS(cudaMemcpy(NULL, own, 4, cudaMemcpyHostToDevice), BAD);
    IS(cudaMemcpy(device, NULL, 4, cudaMemcpyHostToDevice), BAD);
    IS(cudaMemcpy(device, own, 1025, cudaMemcpyHostToDevice), BAD);
    IS(cudaMemcpy(device + 1020, own, 8, cudaMemcpyHostToDevice), BAD);
    IS(cudaMemcpy2D(device, 4, own, 8, 8, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    IS(cudaMemcpyToSymbol(&table, own, 20, 0, cudaMemcpyHostToDevice), BAD);
    IS(cudaMemcpyToSymbol(&table, own, 8, 12, cudaMemcpyHostToDevice), BAD);
    IS(cudaMemcpyToSymbol(own, own, 4, 0, cudaMemcpyHostToDevice), cudaErrorInvalidSymbol);
    IS(cudaMemset(device, 0, 1025), BAD);
    IS(cudaMemset(own, 0, 4), BAD);
    IS(cudaMemset2D(device, 4, 0, 8, 2), BAD);
    IS(cudaMemset2D(device, 8, 0, 8, 129), BAD);
    IS(cudaMemset2D(device, 8, 0, 8, 128), cudaSuccess);
}

static void hints(void)
{
    const struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0},
                                 there = {cudaMemLocationTypeDevice, 1},
                                 cpu = {cudaMemLocationTypeHost, 0};
    IS(cudaMemPrefetchAsync(managed, 64, here, 0, NULL), cudaSuccess);
    IS(cudaMemPrefetchAsync(managed, 64, cpu, 0, NULL), cudaSuccess);
    IS(cudaMemPrefetchAsync(managed, 64, there, 0, NULL), cudaErrorInvalidDevice);
    IS(cudaMemPrefetchAsync(managed, 65, here, 0, NULL), BAD);
    IS(cudaMemPrefetchAsync(managed, 0, here, 0, NULL), BAD);
    IS(cudaMemPrefetchAsync(managed, 64, here, 1, NULL), BAD);
    IS(cudaMemPrefetchAsync(device, 64, here, 0, NULL), BAD);
    IS(cudaMemPrefetchAsync(own, 64, here, 0, NULL), BAD);
    IS(cudaMemPrefetchAsync(shared_count, 4, here, 0, NULL), cudaSuccess);
    IS(cudaMemAdvise(managed + 32, 32, cudaMemAdviseSetReadMostly, there), cudaSuccess);
    IS(cudaMemAdvise(managed + 32, 33, cudaMemAdviseSetReadMostly, here), BAD);
    IS(cudaMemAdvise(managed, 64, (enum cudaMemoryAdvise)7, here), BAD);
    IS(cudaMemAdvise(managed, 64, cudaMemAdviseSetAccessedBy, there), cudaErrorInvalidDevice);
    cudaStream_t s;
    CALL(cudaStreamCreate(&s));
    IS(cudaStreamAttachMemAsync(s, managed, 0, cudaMemAttachSingle), cudaSuccess);
    IS(cudaStreamAttachMemAsync(s, managed, 64, cudaMemAttachHost), cudaSuccess);
    IS(cudaStreamAttachMemAsync(NULL, managed, 64, cudaMemAttachGlobal), cudaSuccess);
    IS(cudaStreamAttachMemAsync(NULL, managed, 64, cudaMemAttachSingle), BAD);
    IS(cudaStreamAttachMemAsync(s, managed, 32, cudaMemAttachSingle), BAD); /* in part */
    IS(cudaStreamAttachMemAsync(s, managed + 32, 32, cudaMemAttachSingle), BAD);
    IS(cudaStreamAttachMemAsync(s, managed, 0, 3), BAD);
    IS(cudaStreamAttachMemAsync(s, device, 0, cudaMemAttachSingle), BAD);
    IS(cudaStreamAttachMemAsync(s, own, 0, cudaMemAttachSingle), BAD);
    CALL(cudaStreamDestroy(s));
    IS(cudaMemAdvise(pinned, 4, cudaMemAdviseSetReadMostly, here), BAD);
}

static void streams(void)
{
    cudaStream_t s;
    cudaEvent_t e, timed, late;
    float ms;
    IS(cudaStreamCreateWithFlags(&s, 2), BAD);
    IS(cudaStreamCreate(NULL), BAD);
    IS(cudaStreamCreate(&s), cudaSuccess);
    IS(cudaEventCreateWithFlags(&e, 8), BAD);
    IS(cudaEventCreateWithFlags(&e, cudaEventInterprocess), BAD);
    IS(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), cudaSuccess);
    IS(cudaEventCreate(&timed), cudaSuccess);
    IS(cudaEventCreate(&late), cudaSuccess);
    IS(cudaEventElapsedTime(&ms, timed, late), HANDLE); /* not recorded */
    IS(cudaEventRecord(timed, s), cudaSuccess);
    IS(cudaEventRecord(e, s), cudaSuccess);
    IS(cudaStreamSynchronize(s), cudaSuccess);
    IS(cudaEventElapsedTime(&ms, timed, e), HANDLE); /* has no time */
    IS(cudaEventElapsedTime(NULL, timed, timed), BAD);
    IS(cudaStreamWaitEvent(s, e, 2), BAD);
    IS(cudaEventRecordWithFlags(e, s, 2), BAD);
    IS(cudaEventDestroy(e), cudaSuccess);
    IS(cudaStreamWaitEvent(s, e, 0), HANDLE);
    IS(cudaEventRecord(e, s), HANDLE);
    IS(cudaEventQuery(e), HANDLE);
    IS(cudaEventDestroy(e), HANDLE);
    IS(cudaStreamDestroy(s), cudaSuccess);
    IS(cudaStreamDestroy(s), HANDLE);
    IS(cudaStreamDestroy(NULL), HANDLE);
    IS(cudaEventRecord(timed, s), HANDLE);
    IS(cudaMemsetAsync(device, 0, 4, s), HANDLE);
    IS(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), HANDLE);
}

static void devices(void)
{
    unsigned flags;
    int value;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    IS(cudaSetDevice(1), cudaErrorInvalidDevice);
    IS(cudaSetDevice(-1), cudaErrorInvalidDevice);
    IS(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)1000, 0), BAD);
    IS(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1), cudaErrorInvalidDevice);
    IS(cudaSetDeviceFlags(3), BAD); /* two ways to wait */
    IS(cudaSetDeviceFlags(256), BAD);
    IS(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), cudaSuccess);
    IS(cudaGetDeviceFlags(&flags), cudaSuccess);
    NEED(flags == (cudaDeviceScheduleBlockingSync | cudaDeviceMapHost));
    IS(cudaFuncSetAttribute(&add, cudaFuncAttributeMax, 0), BAD);
    IS(cudaFuncSetAttribute(&device, cudaFuncAttributePreferredSharedMemoryCarveout, 0),
       cudaErrorInvalidDeviceFunction);
    IS(cudaFuncSetAttribute(&add, cudaFuncAttributePreferredSharedMemoryCarveout, 101), BAD);
    IS(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&value, &add, 32, 0, 2), BAD);
    IS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, &add, 0, 0), BAD);
    IS(cudaLaunchKernel(&add, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL), BAD);
    IS(cudaGraphCreate(&graph, 1), BAD);
    IS(cudaGraphCreate(&graph, 0), cudaSuccess);
    IS(cudaGraphInstantiateWithFlags(&exec, graph, 16), BAD);
}

int main(void)
{
    CALL(cudaMalloc((void **)&device, 1024));
    CALL(cudaMallocManaged((void **)&managed, 64, cudaMemAttachGlobal));
    CALL(cudaMallocHost((void **)&pinned, 64));
    unsigned char *p = (unsigned char *)device;
    unsigned *word = (unsigned *)(void *)p;
    launch_change(word, 1, 1, 0, NULL); /* loads the module with the managed variable */
    allocations();
    registered();
    copies();
    hints();
    streams();
    devices();
    IS(cudaDeviceSynchronize(), cudaSuccess);
    puts("all right");
    return 0;
}
