/* The default stream of a thread, as in programs compiled with nvcc's --default-stream per-thread,
 * beside the legacy default stream. Prints "all right", or the failing check. */
#include <pthread.h>

#include "test/cuda/kernels.h"

cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaLaunchKernel_ptsz(const void *function, dim3 grid, dim3 block, void **arguments,
                                  size_t shared, cudaStream_t stream);
cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);
cudaError_t cudaMemset_ptds(void *to, int value, size_t size);
cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream);
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream);

enum { LONG = 5000, THREADS = 1100 }; /* THREADS: more than the possible streams */
static unsigned *word;

static void set(unsigned value)
{
    CALL(cudaMemcpy(word, &value, 4, cudaMemcpyHostToDevice));
}

static unsigned get(void)
{
    unsigned value;
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(&value, word, 4, cudaMemcpyDeviceToHost));
    return value;
}

static void launch_own(unsigned plus, unsigned times, unsigned turns, cudaStream_t stream)
{
    void *arguments[] = {&word, &plus, &times, &turns};
    const dim3 one = {1, 1, 1};
    CALL(cudaLaunchKernel_ptsz(&change, one, one, arguments, 0, stream));
}

/* In order the word becomes (1 + 1) * 10, out of order 1 * 10 + 1: the first takes longer. */
static void order(void)
{
    cudaStream_t blocking, apart;
    CALL(cudaStreamCreate(&blocking));
    CALL(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    const cudaStream_t legacy[] = {NULL, cudaStreamLegacy};
    for (int i = 0; i < 2; i++) { /* the legacy stream and others */
        set(1);
        launch_change(word, 1, 1, LONG, legacy[i]);
        launch_change(word, 0, 10, 0, blocking);
        NEED(get() == 20);
        set(1);
        launch_change(word, 1, 1, LONG, legacy[i]);
        launch_change(word, 0, 10, 0, apart);
        NEED(get() == 11);
    }
    set(1); /* a thread's default stream and others */
    launch_own(1, 1, LONG, NULL);
    launch_change(word, 0, 10, 0, blocking);
    NEED(get() == 11);
    set(1);
    launch_own(1, 1, LONG, NULL);
    launch_own(0, 10, 0, cudaStreamPerThread);
    NEED(get() == 20);
    set(1); /* a thread's default stream and the legacy stream */
    launch_own(1, 1, LONG, NULL);
    launch_own(0, 10, 0, cudaStreamLegacy);
    NEED(get() == 20);
    set(1);
    launch_change(word, 1, 1, LONG, NULL);
    launch_own(0, 10, 0, NULL);
    NEED(get() == 20);
}

static void copies(void)
{
    unsigned value;
    cudaStream_t blocking;
    CALL(cudaStreamCreate(&blocking));
    set(1);
    launch_change(word, 1, 1, LONG, blocking);
    CALL(cudaMemcpy_ptds(&value, word, 4, cudaMemcpyDeviceToHost));
    NEED(value == 1);
    CALL(cudaMemcpy(&value, word, 4, cudaMemcpyDeviceToHost));
    NEED(value == 2);
    launch_own(1, 1, LONG, NULL);
    CALL(cudaMemset_ptds(word, 0, 4));
    NEED(get() == 0);
}

static void captured(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    set(1);
    CALL(cudaStreamBeginCapture_ptsz(NULL, cudaStreamCaptureModeGlobal));
    launch_own(1, 1, 0, NULL);
    CALL(cudaStreamEndCapture_ptsz(NULL, &graph));
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    CALL(cudaGraphLaunch(exec, NULL));
    NEED(get() == 2);
}

static void *another(void *event)
{
    CALL(cudaMemset_ptds(word, 0, 4));
    CALL(cudaEventRecord_ptsz(event, NULL));
    CALL(cudaStreamSynchronize_ptsz(NULL)); /* does not wait for other threads' work */
    CALL(cudaEventQuery(event));
    return NULL;
}

static void threads(void)
{
    cudaEvent_t event;
    CALL(cudaEventCreate(&event));
    launch_own(1, 1, LONG, NULL);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        NEED(!pthread_create(&thread, NULL, another, event) && !pthread_join(thread, NULL));
    }
    NEED(cudaStreamQuery_ptsz(NULL) == cudaErrorNotReady);
    NEED(cudaStreamDestroy(cudaStreamPerThread) == cudaErrorInvalidResourceHandle);
}

int main(void)
{
    CALL(cudaMalloc((void **)&word, 4));
    order();
    copies();
    captured();
    threads();
    puts("all right");
    return 0;
}
