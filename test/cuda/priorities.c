/* Stream priorities: a kernel fills the GPU; behind the kernel, a kernel of low and a kernel of
 * high priority wait in separate streams. For each way to set a priority, prints whether the
 * high-priority kernel began first. Without arguments: all ways; the name of a way: only that way;
 * "urgent": a small kernel of high priority behind a large kernel of low priority. */
#include "cuda/driver/api.h"
#include "test/cuda/fat.h"
#include "test/cuda/need.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* t[block] = clock; then n cycles go by */
__attribute__((section(".nv_fatbin"))) static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry spin(.param .u64 t, .param .u32 n)\n"
    "{ .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %d<7>;\n"
    "ld.param.u64 %d1, [t]; ld.param.u32 %r1, [n]; mov.u64 %d2, %clock64;\n"
    "mov.u32 %r2, %ctaid.x; mul.wide.u32 %d3, %r2, 8; add.u64 %d1, %d1, %d3;\n"
    "st.global.u64 [%d1], %d2; cvt.u64.u32 %d4, %r1; add.u64 %d5, %d2, %d4;\n"
    "again: mov.u64 %d6, %clock64; setp.lt.u64 %p, %d6, %d5; @%p bra again; ret; }\n";
static char spin;

__attribute__((constructor)) static void register_all(void)
{
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, 1, NULL, NULL};
    wrapper.data = fat_of(ptx, sizeof ptx, FAT_PTX);
    void **module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &spin, &spin, "spin", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(module);
}

#define CALL(call) NEED((call) == cudaSuccess)

enum { THREADS = 1024, TURNS = 4000, HIGH = -5 };
static unsigned full; /* number of blocks on a full GPU */

static uint64_t *times(unsigned n)
{
    void *t;
    CALL(cudaMallocManaged(&t, n * sizeof(uint64_t), cudaMemAttachGlobal));
    return t;
}

static uint64_t first_of(const uint64_t *t, unsigned n)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < n; i++) least = t[i] < least ? t[i] : least;
    return least;
}

static cudaStream_t stream_of(int priority)
{
    cudaStream_t stream;
    int told;
    CALL(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority));
    CALL(cudaStreamGetPriority(stream, &told));
    NEED(told == (priority > 0 ? 0 : priority < HIGH ? HIGH : priority));
    return stream;
}

static void launch(uint64_t *t, unsigned blocks, unsigned turns, cudaStream_t stream)
{
    void *arguments[] = {&t, &turns};
    const dim3 grid = {blocks, 1, 1}, block = {THREADS, 1, 1};
    CALL(cudaLaunchKernel(&spin, grid, block, arguments, 0, stream));
}

static void launch_with(uint64_t *t, unsigned blocks, cudaStream_t stream, int priority)
{
    unsigned turns = TURNS;
    void *arguments[] = {&t, &turns};
    cudaLaunchAttribute of = {.id = cudaLaunchAttributePriority, .val.priority = priority};
    const cudaLaunchConfig_t config = {.gridDim = {blocks, 1, 1}, .blockDim = {THREADS, 1, 1},
                                       .stream = stream, .attrs = &of, .numAttrs = 1};
    CALL(cudaLaunchKernelExC(&config, &spin, arguments));
}

/* ---- ways to a launch of high priority ---- */

static void by_stream(uint64_t *t) { launch(t, full, TURNS, stream_of(HIGH)); }
static void by_far_too_high(uint64_t *t) { launch(t, full, TURNS, stream_of(-100)); }
static void by_launch(uint64_t *t) { launch_with(t, full, stream_of(0), HIGH); }
static void by_equal(uint64_t *t) { launch(t, full, TURNS, stream_of(0)); }
static void by_far_too_low(uint64_t *t) { launch(t, full, TURNS, stream_of(100)); }
static void by_lower_launch(uint64_t *t) { launch_with(t, full, stream_of(HIGH), 0); }

static void by_driver(uint64_t *t)
{
    CUstream stream;
    int told;
    CALL(cuStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100));
    CALL(cuStreamGetPriority(stream, &told));
    NEED(told == HIGH);
    launch(t, full, TURNS, stream);
}

static void by_attribute(uint64_t *t)
{
    cudaStreamAttrValue value = {.priority = -3};
    cudaStream_t stream = stream_of(0), other = stream_of(0);
    CALL(cudaStreamSetAttribute(stream, cudaStreamAttributePriority, &value));
    CALL(cuStreamCopyAttributes(other, stream));
    value.priority = 0;
    CALL(cuStreamGetAttribute(other, cudaStreamAttributePriority, &value));
    NEED(value.priority == -3);
    launch(t, full, TURNS, other);
}

static void run_graph(cudaGraph_t graph, unsigned long long flags, cudaStream_t stream)
{
    cudaGraphExec_t exec;
    CALL(cudaGraphInstantiateWithFlags(&exec, graph, flags));
    CALL(cudaGraphLaunch(exec, stream));
}

static cudaGraph_t graph_of(uint64_t *t, int priority)
{
    unsigned turns = TURNS;
    void *arguments[] = {&t, &turns};
    const struct cudaKernelNodeParams p = {&spin, {full, 1, 1}, {THREADS, 1, 1}, 0, arguments,
                                           NULL};
    cudaKernelNodeAttrValue value = {.priority = 1};
    cudaGraphNode_t node, other;
    cudaGraph_t graph;
    CALL(cudaGraphCreate(&graph, 0));
    CALL(cudaGraphAddKernelNode(&node, graph, NULL, 0, &p));
    CALL(cudaGraphKernelNodeGetAttribute(node, cudaKernelNodeAttributePriority, &value));
    NEED(value.priority == 0);
    value.priority = priority;
    CALL(cudaGraphKernelNodeSetAttribute(node, cudaKernelNodeAttributePriority, &value));
    CALL(cudaGraphAddKernelNode(&other, graph, NULL, 0, &p));
    CALL(cudaGraphKernelNodeCopyAttributes(other, node));
    CALL(cudaGraphDestroyNode(node));
    CALL(cudaGraphKernelNodeSetParams(other, &p)); /* keeps the node's attributes */
    CALL(cudaGraphKernelNodeGetAttribute(other, cudaKernelNodeAttributePriority, &value));
    NEED(value.priority == priority);
    return graph;
}

enum { USE_NODE_PRIORITY = 8 };
static void by_node(uint64_t *t) { run_graph(graph_of(t, HIGH), USE_NODE_PRIORITY, stream_of(0)); }
static void by_graph(uint64_t *t) { run_graph(graph_of(t, 0), 0, stream_of(HIGH)); }
static void by_node_in_vain(uint64_t *t) { run_graph(graph_of(t, HIGH), 0, stream_of(0)); }

static void by_capture(uint64_t *t)
{
    cudaStream_t stream = stream_of(HIGH);
    cudaGraph_t graph;
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    launch(t, full, TURNS, stream);
    CALL(cudaStreamEndCapture(stream, &graph));
    run_graph(graph, USE_NODE_PRIORITY, stream_of(0));
}

static const struct {
    const char *name;
    void (*launch)(uint64_t *t);
} ways[] = {{"stream", by_stream}, {"clamped", by_far_too_high}, {"launch", by_launch},
            {"driver", by_driver}, {"attribute", by_attribute}, {"node", by_node},
            {"graph", by_graph}, {"capture", by_capture},
            {"equal", by_equal}, {"clamped-low", by_far_too_low},
            {"lower-launch", by_lower_launch}, {"node-in-vain", by_node_in_vain}};

static void pending(unsigned way)
{
    uint64_t *t = times(3 * full);
    launch(t, full, TURNS, stream_of(0));
    launch(t + full, full, TURNS, stream_of(0));
    ways[way].launch(t + 2 * full);
    CALL(cudaDeviceSynchronize());
    bool first = first_of(t + 2 * full, full) < first_of(t + full, full);
    printf("%s: %s\n", ways[way].name, first ? "first" : "in turn");
}

/* Counts the waves of low blocks, of four, begun before the first wave of high blocks. */
static void urgent(void)
{
    uint64_t *t = times(4 * full + 4), high;
    unsigned before = 0;
    launch(t, 4 * full, TURNS, stream_of(0));
    launch(t + 4 * full, 4, 100, stream_of(HIGH));
    CALL(cudaDeviceSynchronize());
    high = first_of(t + 4 * full, 4);
    for (unsigned i = 0; i < 4 * full; i++) before += t[i] < high;
    printf("%s\n", before <= 2 * full ? "early" : "late");
}

int main(int argc, char **argv)
{
    int sms, blocks;
    CALL(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &spin, THREADS, 0));
    full = (unsigned)(sms * blocks);
    if (argc > 1 && !strcmp(argv[1], "urgent")) {
        urgent();
        return 0;
    }
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc < 2 || !strcmp(argv[1], ways[i].name)) pending(i);
    return 0;
}
