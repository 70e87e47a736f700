/* Calls forbidden during a capture, their errors, and their effect on the capture: prints "all
 * right", or the differences from CUDA. */
#include <pthread.h>

#include "test/cuda/kernels.h"

static cudaStream_t a, b, apart; /* the legacy stream waits for the first two */
static cudaEvent_t event, other;
static unsigned *word, *memory;
static unsigned host[4];
static const enum cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal,
                                        own = cudaStreamCaptureModeThreadLocal,
                                        relaxed = cudaStreamCaptureModeRelaxed;
enum {
    OK = cudaSuccess, IMPLICIT = cudaErrorStreamCaptureImplicit,
    UNSUPPORTED = cudaErrorStreamCaptureUnsupported, SPOILT = cudaErrorStreamCaptureInvalidated,
    CAPTURED = cudaErrorCapturedEvent
};

static cudaError_t launch(cudaStream_t stream)
{
    unsigned plus = 1, times = 1, turns = 0;
    void *arguments[] = {&word, &plus, &times, &turns};
    const dim3 one = {1, 1, 1};
    return cudaLaunchKernel(&change, one, one, arguments, 0, stream);
}

static cudaError_t end(cudaStream_t stream)
{
    cudaGraph_t graph = NULL;
    cudaError_t error = cudaStreamEndCapture(stream, &graph);
    if (graph) cudaGraphDestroy(graph);
    NEED(!graph == (error != cudaSuccess));
    return error;
}

#define IS(call, wanted)                                                                           \
    do {                                                                                           \
        cudaError_t is_error = (call);                                                             \
        if (is_error != (cudaError_t)(wanted)) {                                                   \
            printf("line %d: %s is %s\n", __LINE__, #call, cudaGetErrorName(is_error));            \
            exit(7);                                                                               \
        }                                                                                          \
    } while (0)
/* Executes the call in a capture of stream `of`; checks the error of the call and of the end. */
#define DURING(of, mode, call, wanted, ends)                                                       \
    do {                                                                                           \
        CALL(cudaStreamBeginCapture(of, mode));                                                    \
        CALL(launch(of));                                                                          \
        IS(call, wanted);                                                                          \
        IS(end(of), ends);                                                                         \
    } while (0)

static void legacy(enum cudaStreamCaptureMode mode)
{
    DURING(a, mode, launch(NULL), IMPLICIT, SPOILT);
    DURING(a, mode, launch(cudaStreamLegacy), IMPLICIT, SPOILT);
    DURING(a, mode, cudaMemcpy(host, word, 4, cudaMemcpyDeviceToHost), IMPLICIT, SPOILT);
    DURING(a, mode, cudaMemcpyAsync(word, host, 4, cudaMemcpyHostToDevice, NULL), IMPLICIT, SPOILT);
    DURING(a, mode, cudaMemcpyToSymbol(&table, host, 4, 0, cudaMemcpyHostToDevice), IMPLICIT,
           SPOILT);
    DURING(a, mode, cudaMemset(word, 0, 4), IMPLICIT, SPOILT);
    DURING(a, mode, cudaMemset2DAsync(word, 4, 0, 4, 1, NULL), IMPLICIT, SPOILT);
    DURING(a, mode, cudaEventRecord(event, NULL), IMPLICIT, SPOILT);
    DURING(a, mode, cudaStreamWaitEvent(NULL, other, 0), IMPLICIT, SPOILT);
    DURING(a, mode, cudaLaunchHostFunc(NULL, (cudaHostFn_t)free, NULL), IMPLICIT, SPOILT);
    DURING(a, mode, cudaStreamSynchronize(NULL), IMPLICIT, SPOILT);
    DURING(a, mode, cudaStreamQuery(NULL), IMPLICIT, SPOILT);
    DURING(a, mode, cudaMallocAsync((void **)&memory, 4, NULL), IMPLICIT, SPOILT);
    DURING(a, mode, cudaFreeAsync(word, NULL), IMPLICIT, SPOILT);
    DURING(a, mode, launch(b), OK, OK);
    DURING(apart, mode, launch(NULL), OK, OK); /* the legacy stream does not wait for `apart` */
    DURING(apart, mode, cudaMemcpy(host, word, 4, cudaMemcpyDeviceToHost), OK, OK);
    DURING(apart, mode, cudaStreamSynchronize(NULL), OK, OK);
    enum cudaStreamCaptureStatus status;
    DURING(a, mode, cudaStreamIsCapturing(NULL, &status), IMPLICIT, OK); /* only asked */
    DURING(apart, mode, cudaStreamIsCapturing(NULL, &status), OK, OK);
}

static void waits(enum cudaStreamCaptureMode mode)
{
    DURING(a, mode, cudaDeviceSynchronize(), UNSUPPORTED, SPOILT);
    DURING(apart, mode, cudaDeviceSynchronize(), UNSUPPORTED, SPOILT);
    DURING(a, mode, cudaStreamSynchronize(a), UNSUPPORTED, SPOILT);
    DURING(a, mode, cudaStreamQuery(a), UNSUPPORTED, SPOILT);
    DURING(a, mode, cudaStreamSynchronize(b), OK, OK);
    DURING(a, mode, cudaStreamAttachMemAsync(a, word, 0, 0), UNSUPPORTED, SPOILT);
}

/* Calls invisible to a capture. */
static cudaError_t unsafe(int which)
{
    static struct cudaChannelFormatDesc desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    cudaArray_t array;
    size_t pitch;
    void *p;
    switch (which) {
    case 0: return cudaMalloc(&p, 4);
    case 1: return cudaMallocManaged(&p, 4, cudaMemAttachGlobal);
    case 2: return cudaHostAlloc(&p, 4, 0);
    case 3: return cudaMallocPitch(&p, &pitch, 4, 4);
    case 4: return cudaMallocArray(&array, &desc, 4, 4, 0);
    case 5: return cudaHostRegister(host, sizeof host, 0);
    case 6: return cudaHostUnregister(host);
    default: return cudaFree(memory);
    }
}
enum { UNSAFE_N = 8 };

static void allocations(void)
{
    cudaStream_t made;
    enum cudaStreamCaptureMode mode;
    for (int i = 0; i < UNSAFE_N; i++) {
        CALL(cudaMalloc((void **)&memory, 4));
        DURING(a, global, unsafe(i), UNSUPPORTED, SPOILT);
        DURING(a, own, unsafe(i), UNSUPPORTED, SPOILT);
        DURING(a, relaxed, unsafe(i), OK, OK);
        mode = relaxed;
        CALL(cudaMalloc((void **)&memory, 4));
        CALL(cudaThreadExchangeStreamCaptureMode(&mode));
        NEED(mode == global);
        if (i == 5) CALL(cudaHostUnregister(host));
        if (i == 6) CALL(cudaHostRegister(host, sizeof host, 0));
        DURING(a, global, unsafe(i), OK, OK);
        DURING(a, global, cudaDeviceSynchronize(), UNSUPPORTED, SPOILT);
        if (i == 6) CALL(cudaHostRegister(host, sizeof host, 0));
        if (i == 5 || i == 6) CALL(cudaHostUnregister(host));
        if (i == 5) CALL(cudaHostRegister(host, sizeof host, 0));
        CALL(cudaThreadExchangeStreamCaptureMode(&mode));
        NEED(mode == relaxed);
    }
    DURING(a, global, cudaMallocAsync((void **)&memory, 4, a), OK, OK);
    DURING(a, global, cudaStreamCreate(&made), OK, OK);
    DURING(a, global, cudaFree(NULL), OK, OK);
    mode = (enum cudaStreamCaptureMode)3;
    IS(cudaThreadExchangeStreamCaptureMode(&mode), cudaErrorInvalidValue);
    IS(cudaStreamBeginCapture(a, mode), cudaErrorInvalidValue);
}

static void events(void)
{
    float ms;
    CALL(cudaEventRecord(other, b));
    CALL(cudaEventSynchronize(other));
    DURING(a, global, (cudaEventRecord(event, a), cudaEventQuery(event)), CAPTURED, SPOILT);
    DURING(a, relaxed, (cudaEventRecord(event, a), cudaEventSynchronize(event)), CAPTURED, SPOILT);
    IS(cudaEventQuery(event), CAPTURED); /* until recorded again */
    IS(cudaEventElapsedTime(&ms, other, event), CAPTURED);
    IS(cudaStreamWaitEvent(b, event, 0), CAPTURED);
    DURING(a, global, cudaStreamWaitEvent(a, event, 0), cudaErrorStreamCaptureIsolation, SPOILT);
    DURING(a, global, cudaStreamWaitEvent(a, other, 0), cudaErrorStreamCaptureIsolation, SPOILT);
    DURING(a, global, cudaEventQuery(other), OK, OK);
    CALL(cudaEventRecord(event, b));
    CALL(cudaEventSynchronize(event));
    CALL(cudaEventElapsedTime(&ms, other, event));
    DURING(a, global, cudaEventRecord(event, a), OK, OK);
    CALL(cudaEventDestroy(event));
    CALL(cudaEventCreate(&event)); /* the same number, maybe */
    CALL(cudaEventQuery(event));
    IS(cudaEventRecordWithFlags(event, a, cudaEventRecordExternal), cudaErrorInvalidValue);
    IS(cudaStreamWaitEvent(a, event, cudaEventWaitExternal), cudaErrorInvalidValue);
}

/* Records and waits as nodes. */
static void external(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[3];
    enum cudaGraphNodeType type;
    size_t n = 3;
    unsigned launched;
    CALL(cudaEventRecord(event, b));
    CALL(cudaStreamSynchronize(b));
    CALL(cudaStreamBeginCapture(a, global));
    CALL(cudaStreamWaitEvent(a, other, cudaEventWaitExternal));
    CALL(launch(a));
    CALL(cudaEventRecordWithFlags(event, a, cudaEventRecordExternal));
    CALL(cudaEventQuery(event)); /* not of the capture */
    CALL(cudaStreamEndCapture(a, &graph));
    CALL(cudaGraphGetNodes(graph, nodes, &n));
    NEED(n == 3);
    CALL(cudaGraphNodeGetType(nodes[0], &type));
    NEED(type == cudaGraphNodeTypeWaitEvent);
    CALL(cudaGraphNodeGetType(nodes[2], &type));
    NEED(type == cudaGraphNodeTypeEventRecord);
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    launched = *word;
    CALL(cudaGraphLaunch(exec, a));
    IS(cudaEventQuery(event), cudaErrorNotReady);
    CALL(cudaEventSynchronize(event));
    NEED(*word == launched + 1);
}

/* A launched graph is one child node of the captured graph; a graph with memory is no child. */
static void graph_in_graph(void)
{
    cudaGraph_t inner, outer;
    cudaGraphNode_t node;
    cudaGraphExec_t exec, both;
    enum cudaGraphNodeType type;
    void *p;
    size_t n = 1;
    CALL(cudaStreamBeginCapture(a, global));
    CALL(launch(a));
    CALL(launch(a));
    CALL(cudaStreamEndCapture(a, &inner));
    CALL(cudaGraphInstantiate(&exec, inner, 0));
    CALL(cudaStreamBeginCapture(a, global));
    CALL(cudaGraphLaunch(exec, a));
    CALL(cudaStreamEndCapture(a, &outer));
    CALL(cudaGraphGetNodes(outer, NULL, &n));
    NEED(n == 1);
    CALL(cudaGraphGetNodes(outer, &node, &n));
    CALL(cudaGraphNodeGetType(node, &type));
    NEED(type == cudaGraphNodeTypeGraph);
    CALL(cudaGraphInstantiate(&both, outer, 0));
    unsigned before = *word;
    CALL(cudaGraphLaunch(both, a));
    CALL(cudaStreamSynchronize(a));
    NEED(*word == before + 2);
    CALL(cudaStreamBeginCapture(a, global));
    CALL(cudaMallocAsync(&p, 64, a));
    CALL(cudaFreeAsync(p, a));
    CALL(cudaStreamEndCapture(a, &inner));
    CALL(cudaGraphInstantiate(&exec, inner, 0));
    CALL(cudaStreamBeginCapture(a, global));
    IS(cudaGraphLaunch(exec, a), cudaErrorNotSupported);
    CALL(cudaStreamEndCapture(a, &outer));
}

/* An invalidated capture. */
static void spoilt(void)
{
    enum cudaStreamCaptureStatus status;
    CALL(cudaStreamBeginCapture(a, global));
    CALL(launch(a));
    CALL(cudaEventRecord(event, a));
    CALL(cudaStreamWaitEvent(b, event, 0));
    IS(cudaStreamSynchronize(b), UNSUPPORTED);
    CALL(cudaStreamIsCapturing(a, &status));
    NEED(status == cudaStreamCaptureStatusInvalidated);
    CALL(cudaStreamIsCapturing(b, &status));
    NEED(status == cudaStreamCaptureStatusInvalidated);
    IS(launch(a), SPOILT);
    IS(launch(b), SPOILT);
    IS(cudaEventRecord(event, a), SPOILT);
    IS(cudaStreamWaitEvent(apart, event, 0), SPOILT);
    IS(cudaMallocAsync((void **)&memory, 4, a), SPOILT);
    IS(cudaStreamBeginCapture(a, global), cudaErrorIllegalState);
    IS(end(b), cudaErrorStreamCaptureUnmatched);
    IS(end(a), SPOILT);
    CALL(cudaStreamIsCapturing(a, &status));
    NEED(status == cudaStreamCaptureStatusNone);
    CALL(cudaStreamSynchronize(b));
    IS(end(a), cudaErrorIllegalState);
}

/* Joining two captures invalidates both; a fork must join. */
static void merges(void)
{
    CALL(cudaStreamBeginCapture(a, global));
    CALL(cudaStreamBeginCapture(b, global));
    CALL(cudaEventRecord(event, a));
    IS(cudaStreamWaitEvent(b, event, 0), cudaErrorStreamCaptureMerge);
    IS(end(a), SPOILT);
    IS(end(b), SPOILT);
    CALL(cudaStreamBeginCapture(a, global));
    CALL(launch(a));
    CALL(cudaEventRecord(event, a));
    CALL(cudaStreamWaitEvent(b, event, 0));
    CALL(launch(b));
    IS(end(a), cudaErrorStreamCaptureUnjoined);
    CALL(launch(b));
    CALL(cudaStreamSynchronize(b));
    IS(cudaStreamBeginCapture(NULL, global), UNSUPPORTED);
}

/* Destroying a stream ends the stream's capture, or leaves a fork without a join. */
static void destroyed(void)
{
    cudaStream_t gone, next;
    enum cudaStreamCaptureStatus status;
    CALL(cudaStreamCreate(&gone));
    CALL(cudaStreamBeginCapture(gone, global));
    CALL(cudaStreamDestroy(gone));
    CALL(cudaStreamCreate(&next));
    CALL(cudaStreamIsCapturing(next, &status));
    NEED(status == cudaStreamCaptureStatusNone);
    CALL(cudaDeviceSynchronize());
    CALL(cudaStreamBeginCapture(a, global));
    CALL(cudaEventRecord(event, a));
    CALL(cudaStreamWaitEvent(next, event, 0));
    CALL(launch(next));
    CALL(cudaStreamDestroy(next));
    IS(end(a), cudaErrorStreamCaptureUnjoined);
    IS(cudaStreamBeginCapture(next, global), cudaErrorInvalidResourceHandle);
}

/* ---- other threads ---- */

struct there {
    enum cudaStreamCaptureMode mode;
    cudaError_t allocated, ended;
};

static void *go_there(void *of)
{
    struct there *t = of;
    void *p;
    CALL(cudaThreadExchangeStreamCaptureMode(&t->mode));
    t->allocated = cudaMalloc(&p, 4);
    t->ended = end(a);
    return NULL;
}

static struct there elsewhere(enum cudaStreamCaptureMode capture, enum cudaStreamCaptureMode thread)
{
    struct there t = {.mode = thread};
    pthread_t other_thread;
    CALL(cudaStreamBeginCapture(a, capture));
    CALL(launch(a));
    NEED(!pthread_create(&other_thread, NULL, go_there, &t));
    NEED(!pthread_join(other_thread, NULL));
    return t;
}

static void threads(void)
{
    struct there t = elsewhere(global, global);
    NEED(t.allocated == (cudaError_t)UNSUPPORTED && t.ended == cudaErrorStreamCaptureWrongThread);
    IS(end(a), SPOILT);
    t = elsewhere(global, own);
    NEED(!t.allocated && t.ended == cudaErrorStreamCaptureWrongThread);
    IS(end(a), OK);
    t = elsewhere(own, global);
    NEED(!t.allocated && t.ended == cudaErrorStreamCaptureWrongThread);
    IS(end(a), OK);
    t = elsewhere(relaxed, global);
    NEED(!t.allocated && !t.ended);
    IS(end(a), cudaErrorIllegalState);
}

int main(void)
{
    CALL(cudaStreamCreate(&a));
    CALL(cudaStreamCreate(&b));
    CALL(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    CALL(cudaEventCreate(&event));
    CALL(cudaEventCreate(&other));
    CALL(cudaMallocManaged((void **)&word, 4, cudaMemAttachGlobal));
    CALL(launch(b));
    CALL(cudaDeviceSynchronize());
    NEED(*word == 1);
    waits(global);
    waits(relaxed);
    allocations();
    events();
    graph_in_graph();
    spoilt();
    legacy(global);
    legacy(relaxed);
    merges();
    destroyed();
    threads();
    external();
    CALL(cudaDeviceSynchronize());
    puts("all right");
    return 0;
}
