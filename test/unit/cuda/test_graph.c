/* Graphs: construction of nodes, queries, dependencies changed by the program, and parameters that
 * a query decodes from a node's calls. Source: CUDA run-time API, Graph Management. */
#include "fake_simulator.h"

#include "cuda/capture/capture.h"
#include "cuda/fat_binary.h"

enum { N = 4 };
static cudaGraph_t graph;
static cudaGraphNode_t n[N]; /* n[0] -> n[1] and n[2] -> n[3] */

static int make(void **state)
{
    fake_start(state);
    assert_int_equal(cudaGraphCreate(&graph, 0), cudaSuccess);
    assert_int_equal(cudaGraphAddEmptyNode(&n[0], graph, NULL, 0), cudaSuccess);
    assert_int_equal(cudaGraphAddEmptyNode(&n[1], graph, &n[0], 1), cudaSuccess);
    assert_int_equal(cudaGraphAddEmptyNode(&n[2], graph, &n[0], 1), cudaSuccess);
    assert_int_equal(cudaGraphAddEmptyNode(&n[3], graph, &n[1], 2), cudaSuccess);
    return 0;
}

static int end(void **state)
{
    (void)state;
    return cudaGraphDestroy(graph) != cudaSuccess;
}

/* ---- creation ---- */

static void test_creation(void **state)
{
    (void)state;
    cudaGraph_t other;
    cudaGraphNode_t node;
    assert_refused(cudaErrorInvalidValue, cudaGraphCreate(NULL, 0));
    assert_refused(cudaErrorInvalidValue, cudaGraphCreate(&other, 1));
    assert_refused(cudaErrorInvalidValue, cudaGraphDestroy(NULL));
    assert_refused(cudaErrorInvalidValue, cudaGraphDestroyNode(NULL));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddEmptyNode(NULL, graph, NULL, 0));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, NULL, NULL, 0));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, NULL, 1));
    assert_int_equal(cudaGraphCreate(&other, 0), cudaSuccess); /* a dependency elsewhere */
    assert_refused(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, other, n, 1));
    assert_int_equal(graph->node_n, N);
    assert_int_equal(other->node_n, 0);
    assert_int_equal(cudaGraphDestroy(other), cudaSuccess);
}

/* A node whose parameters are wrong is removed, and later calls go to their streams again. */
static void test_failed_nodes(void **state)
{
    (void)state;
    cudaGraphNode_t node;
    const struct cudaMemcpy3DParms bad_kind = {.srcPtr = {n, 8, 8, 1}, .dstPtr = {n, 8, 8, 1},
                                               .extent = {8, 1, 1},
                                               .kind = cudaMemcpyDeviceToDevice};
    const struct cudaKernelNodeParams extra = {.func = &graph, .extra = (void **)n};
    const struct cudaHostNodeParams no_function = {0};
    assert_refused(cudaErrorInvalidValue, cudaGraphAddMemcpyNode(&node, graph, n, 1, NULL));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddMemcpyNode(&node, graph, n, 1, &bad_kind));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&node, graph, n, 1, NULL));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, n, 1, NULL));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, n, 1, &extra));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddHostNode(&node, graph, n, 1, NULL));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddHostNode(&node, graph, n, 1, &no_function));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddChildGraphNode(&node, graph, n, 1, NULL));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&node, graph, n, 1, NULL));
    fake.refuses[CALL_ALLOC] = cudaErrorMemoryAllocation;
    struct cudaMemAllocNodeParams alloc = {{.allocType = cudaMemAllocationTypePinned},
                                           .bytesize = 64};
    assert_refused(cudaErrorMemoryAllocation, cudaGraphAddMemAllocNode(&node, graph, n, 1, &alloc));
    assert_int_equal(graph->node_n, N);
    assert_false(corun_is_captured(0));
    assert_int_equal(seen_of(CALL_COPY) + seen_of(CALL_FILL) + seen_of(CALL_LAUNCH), 0);
}

/* ---- queries ---- */

/* A query with an array fills the array, clears the rest and returns the number of entries; a query
 * without returns the number of elements. */
static void test_node_lists(void **state)
{
    (void)state;
    cudaGraphNode_t out[6];
    size_t room = 0;
    assert_int_equal(cudaGraphGetNodes(graph, NULL, &room), cudaSuccess);
    assert_int_equal(room, 4);
    for (size_t given = 1; given <= 6; given++) {
        room = given;
        for (size_t i = 0; i < 6; i++) out[i] = (cudaGraphNode_t)&graph;
        assert_int_equal(cudaGraphGetNodes(graph, out, &room), cudaSuccess);
        assert_int_equal(room, given < 4 ? given : 4);
        for (size_t i = 0; i < 6; i++)
            assert_ptr_equal(out[i], i >= given ? (void *)&graph : i < 4 ? (void *)n[i] : NULL);
    }
    room = 6;
    assert_int_equal(cudaGraphGetRootNodes(graph, out, &room), cudaSuccess);
    assert_int_equal(room, 1);
    assert_ptr_equal(out[0], n[0]);
    assert_refused(cudaErrorInvalidValue, cudaGraphGetNodes(NULL, out, &room));
    assert_refused(cudaErrorInvalidValue, cudaGraphGetNodes(graph, out, NULL));
    assert_refused(cudaErrorInvalidValue, cudaGraphGetRootNodes(NULL, out, &room));
}

static void test_edges(void **state)
{
    (void)state;
    const int from[] = {0, 0, 1, 2}, to[] = {1, 2, 3, 3};
    cudaGraphNode_t starts[4], ends[4];
    size_t edges = 0;
    assert_int_equal(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges), cudaSuccess);
    assert_int_equal(edges, 4);
    assert_int_equal(cudaGraphGetEdges(graph, starts, ends, NULL, &edges), cudaSuccess);
    assert_int_equal(edges, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_ptr_equal(starts[i], n[from[i]]);
        assert_ptr_equal(ends[i], n[to[i]]);
    }
    assert_refused(cudaErrorInvalidValue, cudaGraphGetEdges(NULL, starts, ends, NULL, &edges));
    assert_refused(cudaErrorInvalidValue, cudaGraphGetEdges(graph, starts, ends, NULL, NULL));
    edges = 4;
    assert_int_equal(cudaGraphNodeGetDependencies(n[3], ends, NULL, &edges), cudaSuccess);
    assert_int_equal(edges, 2);
    assert_ptr_equal(ends[0], n[1]);
    assert_ptr_equal(ends[1], n[2]);
    edges = 4;
    assert_int_equal(cudaGraphNodeGetDependentNodes(n[0], ends, NULL, &edges), cudaSuccess);
    assert_int_equal(edges, 2);
    assert_ptr_equal(ends[0], n[1]);
    assert_ptr_equal(ends[1], n[2]);
    edges = 4;
    assert_int_equal(cudaGraphNodeGetDependentNodes(n[3], ends, NULL, &edges), cudaSuccess);
    assert_int_equal(edges, 0);
    assert_refused(cudaErrorInvalidValue, cudaGraphNodeGetDependencies(NULL, ends, NULL, &edges));
    assert_refused(cudaErrorInvalidValue, cudaGraphNodeGetDependentNodes(n[0], ends, NULL, NULL));
}

static void test_types(void **state)
{
    (void)state;
    enum cudaGraphNodeType type;
    assert_int_equal(cudaGraphNodeGetType(n[0], &type), cudaSuccess);
    assert_int_equal(type, cudaGraphNodeTypeEmpty);
    assert_refused(cudaErrorInvalidValue, cudaGraphNodeGetType(NULL, &type));
    assert_refused(cudaErrorInvalidValue, cudaGraphNodeGetType(n[0], NULL));
}

/* ---- dependencies ---- */

/* A call with any wrong pair changes nothing. */
static void test_changed_dependencies(void **state)
{
    (void)state;
    cudaGraph_t other;
    cudaGraphNode_t foreign;
    assert_int_equal(cudaGraphCreate(&other, 0), cudaSuccess);
    assert_int_equal(cudaGraphAddEmptyNode(&foreign, other, NULL, 0), cudaSuccess);
    const cudaGraphNode_t from[] = {n[1], n[0]}, to[] = {n[2], n[3]};
    const cudaGraphNode_t elsewhere[] = {n[2], foreign}, itself[] = {n[2], n[0]};
    assert_refused(cudaErrorInvalidValue,
                   cudaGraphAddDependencies(graph, from, elsewhere, NULL, 2));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, from, itself, NULL, 2));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, NULL, to, NULL, 1));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, from, NULL, NULL, 1));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddDependencies(other, from, to, NULL, 2));
    assert_int_equal(n[2]->before_n, 1);
    assert_int_equal(cudaGraphAddDependencies(graph, from, to, NULL, 2), cudaSuccess);
    assert_int_equal(n[2]->before_n, 2);
    assert_ptr_equal(n[2]->before[1], n[1]);
    assert_int_equal(n[3]->before_n, 3);
    assert_refused(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, from, to, NULL, 2));
    assert_int_equal(n[3]->before_n, 3); /* an edge exists once */
    assert_int_equal(cudaGraphRemoveDependencies(graph, from, to, NULL, 2), cudaSuccess);
    assert_int_equal(n[2]->before_n, 1);
    assert_int_equal(n[3]->before_n, 2);
    assert_ptr_equal(n[3]->before[0], n[1]);
    assert_ptr_equal(n[3]->before[1], n[2]);
    assert_refused(cudaErrorInvalidValue, cudaGraphRemoveDependencies(graph, from, to, NULL, 1));
    assert_refused(cudaErrorInvalidValue, cudaGraphRemoveDependencies(other, from, to, NULL, 1));
    assert_refused(cudaErrorInvalidValue, cudaGraphRemoveDependencies(graph, NULL, to, NULL, 1));
    assert_int_equal(cudaGraphDestroyNode(n[1]), cudaSuccess);
    assert_int_equal(n[3]->before_n, 1);
    assert_ptr_equal(n[3]->before[0], n[2]);
    assert_int_equal(cudaGraphDestroy(other), cudaSuccess);
}

/* ---- parameters ---- */

static char function; /* host function of a kernel */

static void register_kernel(void)
{
    static struct fat_wrapper wrapper;
    fake.kernel = (struct wire_kernel){.param_n = 2, .param_bytes = 16};
    fake.params[0] = (struct wire_param){0, 4};
    fake.params[1] = (struct wire_param){8, 8};
    void **module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &function, &function, "k", -1, NULL, NULL, NULL, NULL, NULL);
}

static void test_kernel_parameters(void **state)
{
    (void)state;
    int first = 7;
    uint64_t second = 1ull << 40;
    void *arguments[] = {&first, &second};
    struct cudaKernelNodeParams p = {.func = &function, .gridDim = {2, 3, 4},
                                     .blockDim = {32, 2, 1}, .sharedMemBytes = 100,
                                     .kernelParams = arguments}, got;
    cudaGraphNode_t node;
    register_kernel();
    assert_int_equal(cudaGraphAddKernelNode(&node, graph, &n[3], 1, &p), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_LAUNCH);
    assert_int_equal(last_call()->at[1], 1); /* only checked, not launched */
    assert_ptr_equal(node->before[0], n[3]);
    for (unsigned i = 0; i < 2; i++) {
        first = 8; /* the node has the values of the call */
        assert_int_equal(cudaGraphKernelNodeGetParams(node, &got), cudaSuccess);
        assert_ptr_equal(got.func, &function);
        assert_int_equal(got.gridDim.x, 2 + 10 * i);
        assert_int_equal(got.gridDim.y, 3);
        assert_int_equal(got.gridDim.z, 4);
        assert_int_equal(got.blockDim.x, 32);
        assert_int_equal(got.blockDim.y, 2);
        assert_int_equal(got.sharedMemBytes, 100);
        assert_int_equal(*(int *)got.kernelParams[0], i ? 9 : 7);
        assert_memory_equal(got.kernelParams[1], &second, sizeof second); /* not aligned */
        first = 9;
        p.gridDim.x = 12;
        assert_int_equal(cudaGraphKernelNodeSetParams(node, &p), cudaSuccess);
        assert_int_equal(node->call_n, 1);
    }
    assert_refused(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(n[0], &got));
    assert_refused(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(node, NULL));
    assert_refused(cudaErrorInvalidValue, cudaGraphKernelNodeSetParams(n[0], &p));
    fake.refuses[CALL_LAUNCH] = cudaErrorInvalidConfiguration; /* too large a block */
    assert_refused(cudaErrorInvalidConfiguration, cudaGraphAddKernelNode(&node, graph, NULL, 0,
                                                                         &p));
    assert_int_equal(graph->node_n, N + 1);
}

static void test_kernel_attributes(void **state)
{
    (void)state;
    int first = 0;
    uint64_t second = 0;
    void *arguments[] = {&first, &second};
    const struct cudaKernelNodeParams p = {.func = &function, .gridDim = {1, 1, 1},
                                           .blockDim = {1, 1, 1}, .kernelParams = arguments};
    cudaKernelNodeAttrValue value = {.priority = -9};
    cudaGraphNode_t node, other;
    assert_int_equal(cudaGraphAddKernelNode(&node, graph, NULL, 0, &p), cudaSuccess);
    assert_int_equal(cudaGraphAddKernelNode(&other, graph, NULL, 0, &p), cudaSuccess);
    assert_int_equal(cudaGraphKernelNodeSetAttribute(node, cudaKernelNodeAttributePriority, &value),
                     cudaSuccess);
    value.cooperative = 1;
    assert_int_equal(cudaGraphKernelNodeSetAttribute(node, cudaKernelNodeAttributeCooperative,
                                                     &value), cudaSuccess);
    assert_int_equal(cudaGraphKernelNodeCopyAttributes(other, node), cudaSuccess);
    for (unsigned i = 0; i < 2; i++) {
        const cudaGraphNode_t one = i ? other : node;
        assert_int_equal(cudaGraphKernelNodeGetAttribute(one, cudaKernelNodeAttributePriority,
                                                         &value), cudaSuccess);
        assert_int_equal(value.priority, WIRE_PRIORITY_GREATEST); /* the nearest valid one */
        assert_int_equal(cudaGraphKernelNodeGetAttribute(one, cudaKernelNodeAttributeCooperative,
                                                         &value), cudaSuccess);
        assert_int_equal(value.cooperative, 1);
    }
    assert_refused(cudaErrorNotSupported,
                   cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension,
                                                   &value));
    assert_refused(cudaErrorNotSupported,
                   cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension,
                                                   &value));
    assert_refused(cudaErrorInvalidValue,
                   cudaGraphKernelNodeGetAttribute(n[0], cudaKernelNodeAttributePriority, &value));
    assert_refused(cudaErrorInvalidValue, cudaGraphKernelNodeCopyAttributes(n[0], node));
    assert_refused(cudaErrorInvalidValue, cudaGraphKernelNodeCopyAttributes(node, n[0]));
}

static void test_copy_parameters(void **state)
{
    (void)state;
    char host[4 * 16 * 3];
    void *const device = corun_pointer(WIRE_MEMORY_START);
    const struct cudaMemcpy3DParms p = {
        .srcPtr = {host, 16, 12, 4}, .srcPos = {2, 1, 1}, .dstPtr = {device, 64, 12, 8},
        .dstPos = {0, 2, 0}, .extent = {10, 2, 2}, .kind = cudaMemcpyHostToDevice};
    struct cudaMemcpy3DParms got;
    cudaGraphNode_t node;
    assert_int_equal(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &p), cudaSuccess);
    assert_int_equal(seen_of(CALL_COPY), 0);
    assert_int_equal(cudaGraphMemcpyNodeGetParams(node, &got), cudaSuccess);
    assert_ptr_equal(got.srcPtr.ptr, host + 2 + 16 * (1 + 4 * 1));
    assert_int_equal(got.srcPtr.pitch, 16);
    assert_int_equal(got.srcPtr.ysize, 4);
    assert_ptr_equal(got.dstPtr.ptr, (char *)device + 64 * 2);
    assert_int_equal(got.dstPtr.pitch, 64);
    assert_int_equal(got.dstPtr.ysize, 8);
    assert_int_equal(got.extent.width, 10);
    assert_int_equal(got.extent.height, 2);
    assert_int_equal(got.extent.depth, 2);
    assert_int_equal(cudaGraphMemcpyNodeSetParams1D(node, device, host, 9, cudaMemcpyDefault),
                     cudaSuccess);
    assert_int_equal(cudaGraphMemcpyNodeGetParams(node, &got), cudaSuccess);
    assert_int_equal(got.srcPtr.pitch, 9); /* a single row */
    assert_int_equal(got.srcPtr.ysize, 1);
    assert_int_equal(got.extent.width, 9);
    assert_ptr_equal(got.dstPtr.ptr, device);
    assert_refused(cudaErrorInvalidValue, cudaGraphMemcpyNodeGetParams(n[0], &got));
    assert_refused(cudaErrorInvalidValue,
                   cudaGraphMemcpyNodeSetParams1D(n[0], device, host, 9, cudaMemcpyDefault));
    assert_int_equal(cudaGraphAddMemcpyNode1D(&node, graph, n, 1, host, device, 5,
                                              cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(cudaGraphMemcpyNodeGetParams(node, &got), cudaSuccess);
    assert_ptr_equal(got.dstPtr.ptr, host);
}

static void host_function(void *data) { (void)data; }

static void test_other_parameters(void **state)
{
    (void)state;
    void *const device = corun_pointer(WIRE_MEMORY_START), *freed = NULL;
    const struct cudaMemsetParams fill = {device, 256, 0x12345678, 4, 3, 2};
    const struct cudaHostNodeParams host = {host_function, &function};
    struct cudaMemsetParams got_fill;
    struct cudaHostNodeParams got_host;
    struct cudaMemAllocNodeParams alloc = {{.allocType = cudaMemAllocationTypePinned},
                                           .bytesize = 1000}, got_alloc;
    cudaGraphNode_t node;
    assert_int_equal(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill), cudaSuccess);
    assert_int_equal(cudaGraphMemsetNodeGetParams(node, &got_fill), cudaSuccess);
    assert_memory_equal(&got_fill, &fill, sizeof fill);
    assert_refused(cudaErrorInvalidValue, cudaGraphMemsetNodeGetParams(n[0], &got_fill));
    assert_refused(cudaErrorInvalidValue, cudaGraphHostNodeGetParams(node, &got_host));
    assert_int_equal(cudaGraphAddHostNode(&node, graph, NULL, 0, &host), cudaSuccess);
    assert_int_equal(cudaGraphHostNodeGetParams(node, &got_host), cudaSuccess);
    assert_ptr_equal(got_host.fn, host_function);
    assert_ptr_equal(got_host.userData, &function);
    assert_int_equal(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &alloc), cudaSuccess);
    assert_non_null(alloc.dptr);
    assert_int_equal(cudaGraphMemAllocNodeGetParams(node, &got_alloc), cudaSuccess);
    assert_ptr_equal(got_alloc.dptr, alloc.dptr);
    assert_int_equal(got_alloc.bytesize, 1000);
    assert_refused(cudaErrorInvalidValue, cudaGraphMemFreeNodeGetParams(node, &freed));
    assert_int_equal(cudaGraphAddMemFreeNode(&node, graph, NULL, 0, alloc.dptr), cudaSuccess);
    assert_int_equal(cudaGraphMemFreeNodeGetParams(node, &freed), cudaSuccess);
    assert_ptr_equal(freed, alloc.dptr);
    assert_refused(cudaErrorInvalidValue, cudaGraphMemAllocNodeGetParams(node, &got_alloc));
}

/* ---- nodes of any type ---- */

static void test_any_node(void **state)
{
    (void)state;
    const cudaEvent_t event = corun_pointer(300);
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeEventRecord, .event = event};
    cudaGraphNode_t node, child_node;
    cudaGraph_t child;
    assert_int_equal(cudaGraphAddNode(&node, graph, n, NULL, 2, &p), cudaSuccess);
    assert_int_equal(node->type, cudaGraphNodeTypeEventRecord);
    assert_int_equal(node->before_n, 2);
    assert_int_equal(node->calls[0].call, CALL_EVENT_RECORD);
    p.type = cudaGraphNodeTypeWaitEvent;
    assert_int_equal(cudaGraphAddNode(&node, graph, n, NULL, 1, &p), cudaSuccess);
    assert_int_equal(node->calls[0].call, CALL_STREAM_WAIT);
    assert_int_equal(cudaGraphCreate(&child, 0), cudaSuccess);
    assert_int_equal(cudaGraphAddEmptyNode(&child_node, child, NULL, 0), cudaSuccess);
    p.type = cudaGraphNodeTypeGraph;
    p.graph.graph = child;
    assert_int_equal(cudaGraphAddNode(&node, graph, n, NULL, 1, &p), cudaSuccess);
    assert_int_equal(cudaGraphDestroy(child), cudaSuccess); /* the node has a copy */
    assert_int_equal(cudaGraphChildGraphNodeGetGraph(node, &child), cudaSuccess);
    assert_int_equal(child->node_n, 1);
    assert_refused(cudaErrorInvalidValue, cudaGraphChildGraphNodeGetGraph(n[0], &child));
    p.type = cudaGraphNodeTypeExtSemaphoreWait;
    assert_refused(cudaErrorNotSupported, cudaGraphAddNode(&node, graph, n, NULL, 1, &p));
    assert_refused(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, n, NULL, 1, NULL));
}

static void test_conditional_node(void **state)
{
    (void)state;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    assert_refused(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(NULL, graph, 1, 0));
    assert_refused(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, NULL, 1, 0));
    assert_refused(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, graph, 1, 2));
    assert_int_equal(cudaGraphConditionalHandleCreate(&handle, graph, 3, 0), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_FILL); /* the word has its first value */
    assert_int_equal(last_call()->at[2], handle);
    assert_int_equal(last_call()->at[4], 3);
    const struct {
        enum cudaGraphConditionalNodeType type;
        unsigned most;
    } kinds[] = {{cudaGraphCondTypeIf, 2}, {cudaGraphCondTypeWhile, 1},
                 {cudaGraphCondTypeSwitch, 9}};
    for (unsigned i = 0; i < 3; i++) {
        struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeConditional,
                                        .conditional = {handle, kinds[i].type, 0, NULL}};
        assert_refused(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, n, NULL, 1, &p));
        for (p.conditional.size = 1; p.conditional.size <= kinds[i].most; p.conditional.size++) {
            assert_int_equal(cudaGraphAddNode(&node, graph, n, NULL, 1, &p), cudaSuccess);
            assert_int_equal(node->body_n, p.conditional.size);
            assert_ptr_equal(p.conditional.phGraph_out, node->bodies);
        }
        if (i < 2)
            assert_refused(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, n, NULL, 1, &p));
        p.conditional.size = 1;
        p.conditional.handle++; /* no condition */
        assert_refused(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, n, NULL, 1, &p));
    }
}

/* ---- clones ---- */

static void test_clone(void **state)
{
    (void)state;
    cudaGraph_t clone;
    cudaGraphNode_t found;
    assert_refused(cudaErrorInvalidValue, cudaGraphClone(NULL, graph));
    assert_refused(cudaErrorInvalidValue, cudaGraphClone(&clone, NULL));
    assert_int_equal(cudaGraphClone(&clone, graph), cudaSuccess);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(cudaGraphNodeFindInClone(&found, n[i], clone), cudaSuccess);
        assert_ptr_equal(found, clone->nodes[i]);
    }
    assert_refused(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&found, found, clone));
    assert_refused(cudaErrorInvalidValue, cudaGraphNodeFindInClone(NULL, n[0], clone));
    assert_int_equal(cudaGraphDestroy(clone), cudaSuccess);
}

#define ON_GRAPH(name) cmocka_unit_test_setup_teardown(name, make, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_GRAPH(test_creation), ON_GRAPH(test_failed_nodes), ON_GRAPH(test_node_lists),
        ON_GRAPH(test_edges), ON_GRAPH(test_types), ON_GRAPH(test_changed_dependencies),
        ON_GRAPH(test_kernel_parameters), ON_GRAPH(test_kernel_attributes),
        ON_GRAPH(test_copy_parameters), ON_GRAPH(test_other_parameters), ON_GRAPH(test_any_node),
        ON_GRAPH(test_conditional_node), ON_GRAPH(test_clone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
