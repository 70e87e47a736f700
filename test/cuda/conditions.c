/* Graphs whose kernels choose the bodies to run, and memory allocated by graphs: prints "all
 * right", or the failing check. */
#include "test/cuda/kernels.h"

static const char condition_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);\n"
    /* *p -= 1; the condition is *p */
    ".visible .entry down(.param .u64 p, .param .u64 handle)\n"
    "{ .reg .b32 %r; .reg .b64 %d<3>;\n"
    "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [handle]; ld.global.u32 %r, [%d1];\n"
    "sub.u32 %r, %r, 1; st.global.u32 [%d1], %r;\n"
    "{ .param .b64 a; st.param.b64 [a], %d2; .param .b32 b; st.param.b32 [b], %r;\n"
    "call.uni cudaGraphSetConditional, (a, b); } ret; }\n";
static char down;

__attribute__((constructor)) static void register_down(void)
{
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, 1, NULL, NULL};
    wrapper.data = fat_of(condition_ptx, sizeof condition_ptx, FAT_PTX);
    void **own = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(own, &down, &down, "down", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(own);
}

static unsigned word(const unsigned *p)
{
    unsigned value;
    CALL(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
    return value;
}

static unsigned *device_word(unsigned value)
{
    unsigned *p;
    CALL(cudaMalloc((void **)&p, 4));
    CALL(cudaMemcpy(p, &value, 4, cudaMemcpyHostToDevice));
    return p;
}

static cudaGraphNode_t add_down(cudaGraph_t graph, unsigned *p, cudaGraphConditionalHandle handle)
{
    cudaGraphNode_t node;
    void *arguments[] = {&p, &handle};
    struct cudaGraphNodeParams k = {.type = cudaGraphNodeTypeKernel};
    k.kernel = (struct cudaKernelNodeParams){&down, {1, 1, 1}, {1, 1, 1}, 0, arguments, NULL};
    CALL(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &k));
    return node;
}

/* `change` of *p in a body: *p = (*p + plus) * times */
static void add_change(cudaGraph_t graph, unsigned *p, unsigned plus, unsigned times)
{
    cudaGraphNode_t node;
    unsigned turns = 0;
    void *arguments[] = {&p, &plus, &times, &turns};
    const struct cudaKernelNodeParams k = {&change, {1, 1, 1}, {1, 1, 1}, 0, arguments, NULL};
    CALL(cudaGraphAddKernelNode(&node, graph, NULL, 0, &k));
}

static struct cudaGraphNodeParams condition(cudaGraphConditionalHandle handle,
                                            enum cudaGraphConditionalNodeType type, unsigned n)
{
    struct cudaGraphNodeParams c = {.type = cudaGraphNodeTypeConditional};
    c.conditional = (struct cudaConditionalNodeParams){handle, type, n, NULL};
    return c;
}

/* Runs the body whose number is the value, from 0; without such a body, none. */
static void choices(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, before;
    cudaGraphConditionalHandle handle;
    unsigned *p = device_word(0), *sum = device_word(0);
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    before = add_down(graph, p, handle);
    struct cudaGraphNodeParams c = condition(handle, cudaGraphCondTypeSwitch, 2);
    CALL(cudaGraphAddNode(&node, graph, &before, NULL, 1, &c));
    add_change(c.conditional.phGraph_out[0], sum, 10, 1);
    add_change(c.conditional.phGraph_out[1], sum, 100, 1);
    struct cudaGraphNodeParams either = condition(handle, cudaGraphCondTypeIf, 2);
    CALL(cudaGraphAddNode(&node, graph, &before, NULL, 1, &either));
    add_change(either.conditional.phGraph_out[0], sum, 1000, 1);
    add_change(either.conditional.phGraph_out[1], sum, 5000, 1);
    struct cudaGraphNodeParams wrong = condition(handle, cudaGraphCondTypeIf, 3);
    NEED(cudaGraphAddNode(&node, graph, &before, NULL, 1, &wrong) == cudaErrorInvalidValue);
    wrong = condition(handle + 8, cudaGraphCondTypeIf, 1);
    NEED(cudaGraphAddNode(&node, graph, &before, NULL, 1, &wrong) == cudaErrorInvalidValue);
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    CALL(cudaGraphDestroy(graph));
    static const unsigned expected[] = {5010, 6110, 7110}; /* body 0, body 1, none */
    for (unsigned i = 0; i < 3; i++) {
        unsigned start = i + 1;
        CALL(cudaMemcpy(p, &start, 4, cudaMemcpyHostToDevice));
        CALL(cudaGraphLaunch(exec, NULL));
        CALL(cudaDeviceSynchronize());
        NEED(word(sum) == expected[i]);
    }
    CALL(cudaGraphExecDestroy(exec));
}

/* A body that runs until the kernel has counted down, and starts afresh with each launch. */
static void loops(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    cudaGraphConditionalHandle handle;
    cudaStream_t s;
    unsigned *p = device_word(0), *sum = device_word(0);
    CALL(cudaStreamCreate(&s));
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    struct cudaGraphNodeParams c = condition(handle, cudaGraphCondTypeWhile, 1);
    CALL(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &c));
    cudaGraph_t body = c.conditional.phGraph_out[0];
    CALL(cudaStreamBeginCaptureToGraph(s, body, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    launch_change(sum, 1, 2, 0, s);
    CALL(cudaStreamEndCapture(s, NULL));
    add_down(body, p, handle);
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    for (unsigned launch = 0, expected = 0; launch < 2; launch++) {
        unsigned start = 3;
        CALL(cudaMemcpy(p, &start, 4, cudaMemcpyHostToDevice));
        CALL(cudaGraphLaunch(exec, s));
        CALL(cudaStreamSynchronize(s));
        for (unsigned i = 0; i < start; i++) expected = (expected + 1) * 2;
        NEED(word(p) == 0 && word(sum) == expected);
    }
    CALL(cudaGraphExecDestroy(exec));
    CALL(cudaGraphDestroy(graph));
}

static unsigned long long in_use(enum cudaGraphMemAttributeType which)
{
    unsigned long long value;
    CALL(cudaDeviceGetGraphMemAttribute(0, which, &value));
    return value;
}

/* Memory allocated by a graph stays after a launch, until freed. */
static void memory(void)
{
    enum { BYTES = 4096, FREE_FIRST = 1 };
    cudaGraph_t graph, freeing;
    cudaGraphExec_t exec, again, frees;
    cudaGraphNode_t node;
    unsigned long long none = 0;
    struct cudaGraphNodeParams a = {.type = cudaGraphNodeTypeMemAlloc};
    struct cudaGraphNodeParams f = {.type = cudaGraphNodeTypeMemFree};
    a.alloc.bytesize = BYTES;
    a.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphCreate(&freeing, 0));
    CALL(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &a));
    unsigned *p = f.free = a.alloc.dptr;
    CALL(cudaGraphAddNode(&node, freeing, NULL, NULL, 0, &f));
    CALL(cudaGraphInstantiate(&exec, graph, 0));
    CALL(cudaGraphInstantiate(&frees, freeing, 0));
    NEED(!in_use(cudaGraphMemAttrUsedMemCurrent) && cudaFree(p) == cudaErrorInvalidValue);
    CALL(cudaGraphLaunch(exec, NULL));
    launch_change(p, 1, 1, 0, NULL);
    NEED(in_use(cudaGraphMemAttrUsedMemCurrent) == BYTES);
    NEED(cudaGraphLaunch(exec, NULL) == cudaErrorInvalidValue); /* still allocated */
    CALL(cudaGraphExecDestroy(exec)); /* one instance at a time */
    CALL(cudaGraphInstantiate(&again, graph, FREE_FIRST));
    CALL(cudaGraphLaunch(again, NULL));
    CALL(cudaGraphLaunch(frees, NULL));
    NEED(!in_use(cudaGraphMemAttrUsedMemCurrent));
    NEED(in_use(cudaGraphMemAttrReservedMemCurrent) == BYTES);
    CALL(cudaDeviceGraphMemTrim(0));
    NEED(!in_use(cudaGraphMemAttrReservedMemCurrent));
    CALL(cudaGraphLaunch(again, NULL));
    CALL(cudaFreeAsync(p, NULL));
    CALL(cudaGraphLaunch(again, NULL));
    CALL(cudaFree(p));
    NEED(cudaFree(p) == cudaErrorInvalidValue);
    NEED(in_use(cudaGraphMemAttrUsedMemHigh) == BYTES);
    CALL(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &none));
    NEED(!in_use(cudaGraphMemAttrUsedMemHigh));
    NEED(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &none) ==
         cudaErrorInvalidValue);
    cudaGetLastError();
}

int main(void)
{
    choices();
    loops();
    memory();
    puts("all right");
    return 0;
}
