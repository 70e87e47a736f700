/* Graphs, captured and built, memory in the order of streams and registered memory: prints "all
 * right", or the failing check. */
#include "test/cuda/kernels.h"

static unsigned host_value;
static void take_host(void *data) { host_value = *(unsigned *)data; }

static unsigned *device_word(unsigned value)
{
    unsigned *p;
    CALL(cudaMalloc((void **)&p, 4));
    CALL(cudaMemcpy(p, &value, 4, cudaMemcpyHostToDevice));
    return p;
}

/* Copy, kernel, kernel in another stream, copy; repeated with the host's values of the moment. */
static void captured(void)
{
    cudaStream_t a, b;
    cudaEvent_t there, back;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    enum cudaStreamCaptureStatus status;
    unsigned in = 1, out = 0, *p = device_word(0);
    size_t n = 0;
    CALL(cudaStreamCreate(&a));
    CALL(cudaStreamCreate(&b));
    CALL(cudaEventCreate(&there));
    CALL(cudaEventCreate(&back));
    NEED(cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal) ==
         cudaErrorStreamCaptureUnsupported);
    CALL(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    CALL(cudaMemcpyAsync(p, &in, 4, cudaMemcpyHostToDevice, a));
    launch_change(p, 1, 2, 0, a);
    CALL(cudaEventRecord(there, a));
    CALL(cudaStreamWaitEvent(b, there, 0));
    CALL(cudaStreamIsCapturing(b, &status));
    NEED(status == cudaStreamCaptureStatusActive);
    launch_change(p, 1, 3, 0, b);
    CALL(cudaEventRecord(back, b));
    CALL(cudaStreamWaitEvent(a, back, 0));
    CALL(cudaMemcpyAsync(&out, p, 4, cudaMemcpyDeviceToHost, a));
    CALL(cudaStreamEndCapture(a, &graph));
    NEED(out == 0); /* nothing has run */
    CALL(cudaGraphGetNodes(graph, NULL, &n));
    NEED(n == 4);
    CALL(cudaGraphGetRootNodes(graph, NULL, &n));
    NEED(n == 1);
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    CALL(cudaGraphDestroy(graph));
    for (in = 1; in < 4; in++) {
        CALL(cudaGraphLaunch(exec, a));
        CALL(cudaStreamSynchronize(a));
        NEED(out == ((in + 1) * 2 + 1) * 3);
    }
    CALL(cudaGraphExecDestroy(exec));
}

static void called(cudaStream_t s, cudaError_t status, void *data)
{
    (void)s, (void)status, (void)data;
}

/* A fork without a join, and waiting for the capture itself, are errors. */
static void capture_errors(void)
{
    cudaStream_t a, b;
    cudaEvent_t e;
    cudaGraph_t graph = NULL;
    unsigned *p = device_word(0);
    CALL(cudaStreamCreate(&a));
    CALL(cudaStreamCreate(&b));
    CALL(cudaEventCreate(&e));
    CALL(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    CALL(cudaEventRecord(e, a));
    CALL(cudaStreamWaitEvent(b, e, 0));
    launch_change(p, 1, 1, 0, b);
    NEED(cudaStreamEndCapture(b, &graph) == cudaErrorStreamCaptureUnmatched);
    NEED(cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureUnjoined && !graph);
    CALL(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    NEED(cudaStreamAddCallback(a, called, NULL, 0) == cudaErrorStreamCaptureUnsupported);
    NEED(cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureInvalidated);
    CALL(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    NEED(cudaStreamSynchronize(a) == cudaErrorStreamCaptureUnsupported);
    NEED(cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureInvalidated);
    CALL(cudaStreamSynchronize(a));
    cudaGetLastError();
}

/* Dependencies determine the order, not the order of the nodes' creation. */
static void built(void)
{
    cudaGraph_t graph, clone;
    cudaGraphNode_t fill, set, twice, tell, copied;
    cudaGraphExec_t exec;
    enum cudaGraphNodeType type;
    unsigned *p = device_word(0), out = 0, plus = 5, times = 2, turns = 0;
    void *arguments[] = {&p, &plus, &times, &turns};
    struct cudaKernelNodeParams k = {.func = &change, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1},
                                     .kernelParams = arguments}, back;
    struct cudaMemsetParams f = {.dst = p, .value = 0x00010002, .elementSize = 4, .width = 1,
                                 .height = 1};
    struct cudaHostNodeParams h = {take_host, &out};
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphAddHostNode(&tell, graph, NULL, 0, &h));
    CALL(cudaGraphAddMemcpyNode1D(&set, graph, NULL, 0, &out, p, 4, cudaMemcpyDeviceToHost));
    CALL(cudaGraphAddKernelNode(&twice, graph, NULL, 0, &k));
    CALL(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &f));
    const cudaGraphNode_t from[] = {fill, twice, set}, to[] = {twice, set, tell};
    CALL(cudaGraphAddDependencies(graph, from, to, NULL, 3));
    CALL(cudaGraphNodeGetType(fill, &type));
    NEED(type == cudaGraphNodeTypeMemset);
    CALL(cudaGraphKernelNodeGetParams(twice, &back));
    NEED(back.func == &change && *(unsigned *)back.kernelParams[1] == 5);
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    CALL(cudaGraphLaunch(exec, NULL));
    CALL(cudaDeviceSynchronize());
    NEED(out == 2 * (0x00010002 + 5) && host_value == out);
    plus = 6;
    CALL(cudaGraphExecKernelNodeSetParams(exec, twice, &k));
    CALL(cudaGraphLaunch(exec, NULL));
    CALL(cudaDeviceSynchronize());
    NEED(host_value == 2 * (0x00010002 + 6));
    CALL(cudaGraphNodeSetEnabled(exec, twice, 0));
    CALL(cudaGraphLaunch(exec, NULL));
    CALL(cudaDeviceSynchronize());
    NEED(host_value == 0x00010002);
    CALL(cudaGraphClone(&clone, graph));
    CALL(cudaGraphNodeFindInClone(&copied, twice, clone));
    plus = 7;
    CALL(cudaGraphKernelNodeSetParams(copied, &k));
    cudaGraphExecUpdateResultInfo info;
    CALL(cudaGraphExecUpdate(exec, clone, &info));
    CALL(cudaGraphNodeSetEnabled(exec, twice, 1));
    CALL(cudaGraphLaunch(exec, NULL));
    CALL(cudaDeviceSynchronize());
    NEED(host_value == 2 * (0x00010002 + 7));
    CALL(cudaGraphDestroyNode(copied));
    NEED(cudaGraphExecUpdate(exec, clone, &info) == cudaErrorGraphExecUpdateFailure);
    NEED(info.result == cudaGraphExecUpdateErrorTopologyChanged);
    CALL(cudaGraphAddDependencies(graph, &tell, &fill, NULL, 1)); /* a circle */
    NEED(cudaGraphInstantiate(&exec, graph, 0) == cudaErrorInvalidValue);
    cudaGetLastError();
}

/* A graph with memory nodes keeps its structure, has one instance at a time and no copies. */
static void memory_nodes(void)
{
    cudaGraph_t graph, other;
    cudaGraphNode_t get, give, more;
    cudaGraphExec_t exec, second;
    int host;
    struct cudaMemAllocNodeParams p = {.poolProps = {.allocType = cudaMemAllocationTypePinned,
                                                     .location = {cudaMemLocationTypeDevice, 0}}};
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphCreate(&other, 0));
    NEED(cudaGraphAddMemAllocNode(&get, graph, NULL, 0, &p) == cudaErrorInvalidValue);
    p.bytesize = 4096;
    CALL(cudaGraphAddMemAllocNode(&get, graph, NULL, 0, &p));
    NEED(cudaGraphAddMemFreeNode(&give, graph, &get, 1, &host) == cudaErrorInvalidValue);
    CALL(cudaGraphAddMemFreeNode(&give, graph, &get, 1, p.dptr));
    NEED(cudaGraphAddMemFreeNode(&more, graph, &get, 1, p.dptr) == cudaErrorInvalidValue);
    NEED(cudaGraphClone(&other, graph) == cudaErrorNotSupported);
    NEED(cudaGraphAddChildGraphNode(&more, other, NULL, 0, graph) == cudaErrorNotSupported);
    NEED(cudaGraphDestroyNode(give) == cudaErrorNotSupported);
    NEED(cudaGraphRemoveDependencies(graph, &get, &give, NULL, 1) == cudaErrorNotSupported);
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    NEED(cudaGraphInstantiate(&second, graph, 0) == cudaErrorNotSupported);
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphInstantiate(&second, graph, 0));
    CALL(cudaGraphDestroy(graph)); /* before its instance */
    CALL(cudaGraphLaunch(second, NULL));
    CALL(cudaGraphExecDestroy(second));
    cudaGetLastError();
}

/* A refused change leaves the node unchanged. */
static void refused_changes(void)
{
    cudaGraph_t graph;
    cudaGraphNode_t fill, copy, more;
    cudaGraphExec_t exec;
    unsigned *p = device_word(1), out = 0;
    struct cudaMemsetParams f = {.dst = p, .value = 7, .elementSize = 4, .width = 1, .height = 1};
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &f));
    CALL(cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, &out, p, 4, cudaMemcpyDeviceToHost));
    f.elementSize = 3;
    NEED(cudaGraphAddMemsetNode(&more, graph, NULL, 0, &f) == cudaErrorInvalidValue);
    NEED(cudaGraphMemsetNodeSetParams(fill, &f) == cudaErrorInvalidValue);
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    NEED(cudaGraphExecMemsetNodeSetParams(exec, fill, &f) == cudaErrorInvalidValue);
    f.elementSize = 4, f.width = 0;
    NEED(cudaGraphExecMemsetNodeSetParams(exec, fill, &f) == cudaErrorInvalidValue);
    NEED(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, &out, p, 0, cudaMemcpyDeviceToHost) ==
         cudaErrorInvalidValue);
    CALL(cudaGraphLaunch(exec, NULL));
    CALL(cudaDeviceSynchronize());
    NEED(out == 7);
    cudaGetLastError();
}

/* Memory counts against the limit of the pool until freed. */
static void limited_pool(void)
{
    struct cudaMemPoolProps of = {.allocType = cudaMemAllocationTypeInvalid, .maxSize = 8192,
                                  .location = {cudaMemLocationTypeDevice, 0}};
    cudaMemPool_t pool;
    void *a, *b;
    NEED(cudaMemPoolCreate(&pool, &of) == cudaErrorInvalidValue);
    of.allocType = cudaMemAllocationTypePinned;
    CALL(cudaMemPoolCreate(&pool, &of));
    CALL(cudaMallocFromPoolAsync(&a, 5000, pool, NULL));
    NEED(cudaMallocFromPoolAsync(&b, 5000, pool, NULL) == cudaErrorMemoryAllocation);
    CALL(cudaFreeAsync(a, NULL));
    CALL(cudaMallocFromPoolAsync(&b, 5000, pool, NULL));
    CALL(cudaFree(b));
    CALL(cudaMallocFromPoolAsync(&b, 8192, pool, NULL));
    CALL(cudaMemPoolDestroy(pool));
    CALL(cudaFree(b));
    cudaGetLastError();
}

/* Freed in stream order: earlier work still has the memory. */
static void pools(void)
{
    cudaMemPool_t pool;
    cudaStream_t s;
    unsigned long long keep = 1000;
    unsigned *p, out;
    size_t before, after, total;
    CALL(cudaDeviceGetDefaultMemPool(&pool, 0));
    CALL(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CALL(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CALL(cudaMemGetInfo(&before, &total));
    CALL(cudaMallocFromPoolAsync((void **)&p, 4096, pool, s));
    CALL(cudaMemsetAsync(p, 0, 4096, s));
    launch_change(p, 9, 1, 5000, s);
    CALL(cudaMemcpyAsync(&out, p, 4, cudaMemcpyDeviceToHost, s));
    CALL(cudaFreeAsync(p, s));
    CALL(cudaStreamSynchronize(s));
    CALL(cudaMemGetInfo(&after, &total));
    NEED(out == 9 && before == after);
    NEED(cudaFreeAsync(p, s) == cudaErrorInvalidValue);
    CALL(cudaMallocAsync((void **)&p, 4096, s));
    launch_change(p, 9, 1, 5000, s);
    CALL(cudaFreeAsync(p, s));
    NEED(cudaFreeAsync(p, s) == cudaErrorInvalidValue); /* while the first waits */
    NEED(cudaFree(p) == cudaErrorInvalidValue);
    CALL(cudaStreamSynchronize(s));
    cudaGetLastError();
}

/* The program's memory, changed in place by a kernel. */
static void registered(void)
{
    unsigned *own = malloc(100000), *seen, i;
    for (i = 0; i < 25000; i++) own[i] = i;
    CALL(cudaHostRegister(own + 10, 80000, cudaHostRegisterMapped));
    NEED(cudaHostRegister(own + 20, 8, cudaHostRegisterMapped) ==
         cudaErrorHostMemoryAlreadyRegistered);
    CALL(cudaHostGetDevicePointer((void **)&seen, own + 1000, 0));
    launch_change(seen, 5, 2, 0, NULL);
    CALL(cudaDeviceSynchronize());
    NEED(own[1000] == 2010);
    for (i = 0; i < 25000; i++) NEED(i == 1000 || own[i] == i);
    CALL(cudaHostUnregister(own + 10));
    NEED(cudaHostGetDevicePointer((void **)&seen, own + 1000, 0) == cudaErrorInvalidValue);
    own[1000] = 7;
    free(own);
}

int main(void)
{
    registered();
    captured();
    capture_errors();
    built();
    memory_nodes();
    refused_changes();
    pools();
    limited_pool();
    puts("all right");
    return 0;
}
