/* Executable graphs: instantiation, the calls of a launch in their order, conditions, memory, and
 * updates. */
#include "fake_simulator.h"

#include "cuda/capture/node.h"
#include "cuda/runtime/stream_id.h"

enum { N = 6 };
static cudaGraph_t graph;
static cudaGraphNode_t n[N];
static cudaGraphExec_t exec;
static const cudaStream_t stream = (cudaStream_t)(uintptr_t)(5 + HANDLE); /* stream 5 */

static void nothing(void *data) { (void)data; }

/* Adds a host node whose call carries `mark`, the means to recognize the node in a launch. */
static cudaGraphNode_t add_marked(cudaGraph_t to, uint64_t mark, const cudaGraphNode_t *before,
                                  size_t before_n)
{
    const struct cudaHostNodeParams p = {nothing, corun_pointer(mark)};
    cudaGraphNode_t node;
    assert_int_equal(cudaGraphAddHostNode(&node, to, before, before_n, &p), cudaSuccess);
    return node;
}

static int make(void **state)
{
    fake_start(state);
    exec = NULL;
    return cudaGraphCreate(&graph, 0) != cudaSuccess;
}

static int end(void **state)
{
    (void)state;
    if (exec) assert_int_equal(cudaGraphExecDestroy(exec), cudaSuccess);
    return cudaGraphDestroy(graph) != cudaSuccess;
}

/* The marks of the host nodes launched so far, all in stream 5, as decimal digits. */
static uint64_t marks(void)
{
    uint64_t all = 0;
    for (size_t i = 0; i < fake.seen_n; i++) {
        if (fake.seen[i].call.call != CALL_HOST_FUNC) continue;
        assert_int_equal(fake.seen[i].call.at[0], 5);
        all = 10 * all + fake.seen[i].call.at[2];
    }
    return all;
}

static void assert_launch_marks(uint64_t expected)
{
    fake.seen_n = 0;
    assert_int_equal(cudaGraphLaunch(exec, stream), cudaSuccess);
    assert_int_equal(marks(), expected);
}

static void instantiate(unsigned long long flags)
{
    assert_int_equal(cudaGraphInstantiate(&exec, graph, flags), cudaSuccess);
}

/* Dependencies first; independent nodes in the order of creation. The executable graph is a
 * snapshot. */
static void test_order(void **state)
{
    (void)state;
    for (uint64_t i = 1; i < N; i++) n[i] = add_marked(graph, i, NULL, 0);
    const cudaGraphNode_t from[] = {n[5], n[4], n[3]}, to[] = {n[1], n[2], n[4]};
    assert_int_equal(cudaGraphAddDependencies(graph, from, to, NULL, 3), cudaSuccess);
    instantiate(0);
    add_marked(graph, 6, NULL, 0);
    assert_int_equal(seen_of(CALL_HOST_FUNC), 0);
    assert_launch_marks(34512);
    assert_launch_marks(34512); /* launched again */
}

static void test_cycle(void **state)
{
    (void)state;
    n[0] = add_marked(graph, 1, NULL, 0);
    n[1] = add_marked(graph, 2, &n[0], 1);
    n[2] = add_marked(graph, 3, &n[1], 1);
    assert_int_equal(cudaGraphAddDependencies(graph, &n[2], &n[0], NULL, 1), cudaSuccess);
    assert_refused(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 0));
    cudaGraphInstantiateParams p = {0};
    assert_refused(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, &p));
    assert_true(p.result_out != 0);
    assert_int_equal(cudaGraphRemoveDependencies(graph, &n[2], &n[0], NULL, 1), cudaSuccess);
    assert_int_equal(cudaGraphInstantiateWithParams(&exec, graph, &p), cudaSuccess);
    assert_int_equal(p.result_out, 0);
}

static void test_errors(void **state)
{
    (void)state;
    unsigned long long flags;
    cudaGraphExec_t other = NULL;
    assert_refused(cudaErrorInvalidValue, cudaGraphInstantiate(NULL, graph, 0));
    assert_refused(cudaErrorInvalidValue, cudaGraphInstantiate(&other, NULL, 0));
    assert_refused(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(&other, graph, 16));
    assert_refused(cudaErrorNotSupported, cudaGraphInstantiateWithFlags(&other, graph, 4));
    assert_refused(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&other, graph, NULL));
    assert_null(other);
    assert_refused(cudaErrorInvalidValue, cudaGraphLaunch(NULL, stream));
    assert_refused(cudaErrorInvalidValue, cudaGraphUpload(NULL, stream));
    assert_refused(cudaErrorInvalidValue, cudaGraphExecDestroy(NULL));
    assert_refused(cudaErrorInvalidValue, cudaGraphExecGetFlags(NULL, &flags));
    instantiate(9);
    assert_refused(cudaErrorInvalidValue, cudaGraphExecGetFlags(exec, NULL));
    assert_int_equal(cudaGraphExecGetFlags(exec, &flags), cudaSuccess);
    assert_int_equal(flags, 9);
    assert_int_equal(cudaGraphUpload(exec, stream), cudaSuccess);
}

/* An error of the simulator ends the launch. */
static void test_failed_launch(void **state)
{
    (void)state;
    n[0] = add_marked(graph, 1, NULL, 0);
    add_marked(graph, 2, &n[0], 1);
    instantiate(0);
    fake.refuses[CALL_HOST_FUNC] = cudaErrorLaunchFailure;
    assert_refused(cudaErrorLaunchFailure, cudaGraphLaunch(exec, stream));
    assert_int_equal(marks(), 1);
}

/* Each call gets the number of the launch's stream in place of the stored stream. */
static void test_streams_of_calls(void **state)
{
    (void)state;
    const cudaEvent_t event = corun_pointer(7 + HANDLE);
    const struct cudaMemsetParams fill = {corun_pointer(WIRE_MEMORY_START), 0, 1, 1, 8, 1};
    assert_int_equal(cudaGraphAddEventRecordNode(&n[0], graph, NULL, 0, event), cudaSuccess);
    assert_int_equal(cudaGraphAddEventWaitNode(&n[1], graph, &n[0], 1, event), cudaSuccess);
    assert_int_equal(cudaGraphAddMemsetNode(&n[2], graph, &n[1], 1, &fill), cudaSuccess);
    assert_int_equal(cudaGraphAddMemcpyNode1D(&n[3], graph, &n[2], 1, fill.dst, n, 4,
                                              cudaMemcpyHostToDevice), cudaSuccess);
    instantiate(0);
    assert_int_equal(fake.seen_n, 0);
    assert_int_equal(cudaGraphLaunch(exec, stream), cudaSuccess);
    assert_int_equal(fake.seen_n, 4);
    assert_int_equal(seen_back(3)->call.call, CALL_EVENT_RECORD);
    assert_int_equal(seen_back(3)->call.at[0], 7);
    assert_int_equal(seen_back(3)->call.at[1], 5);
    assert_int_equal(seen_back(2)->call.call, CALL_STREAM_WAIT);
    assert_int_equal(seen_back(2)->call.at[0], 5);
    assert_int_equal(seen_back(2)->call.at[1], 7);
    assert_int_equal(seen_back(1)->call.call, CALL_FILL);
    assert_int_equal(seen_back(1)->call.at[0], 5);
    assert_int_equal(last_copy().width, 4);
    assert_int_equal(last_call()->at[0], 5);
    assert_int_equal(last_call()->at[1], 0); /* at its turn in the stream */
}

/* Kernels have the stream's priority, or with the flag their nodes' priorities. */
static void test_priorities(void **state)
{
    (void)state;
    struct wire_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .stream = 9};
    const struct corun_call c = {.call = CALL_LAUNCH, .payload = &l, .payload_bytes = sizeof l,
                                 .more = "arguments", .more_bytes = 9};
    n[0] = corun_node_new(graph, cudaGraphNodeTypeKernel, NULL, 0);
    corun_node_keep(n[0], &c);
    n[0]->priority = -3;
    for (unsigned node_priority = 0; node_priority < 2; node_priority++) {
        instantiate(node_priority ? 8 : 0);
        assert_int_equal(cudaGraphLaunch(exec, stream), cudaSuccess);
        assert_int_equal(last_launch().stream, 5);
        assert_int_equal(last_launch().priority, node_priority ? -3 : WIRE_PRIORITY_OF_STREAM);
        assert_int_equal(last_call()->more_bytes, 9);
        assert_memory_equal(seen_back(0)->more, "arguments", 9);
        assert_int_equal(cudaGraphExecDestroy(exec), cudaSuccess);
        exec = NULL;
    }
}

/* ---- nodes switched off, child graphs, conditions, memory ---- */

static void test_enabled(void **state)
{
    (void)state;
    unsigned enabled;
    n[0] = add_marked(graph, 1, NULL, 0);
    n[1] = add_marked(graph, 2, &n[0], 1);
    n[2] = add_marked(graph, 3, &n[1], 1);
    instantiate(0);
    assert_int_equal(cudaGraphNodeSetEnabled(exec, n[1], 0), cudaSuccess);
    assert_launch_marks(13);
    assert_int_equal(cudaGraphNodeGetEnabled(exec, n[1], &enabled), cudaSuccess);
    assert_int_equal(enabled, 0);
    assert_int_equal(cudaGraphNodeGetEnabled(exec, n[0], &enabled), cudaSuccess);
    assert_int_equal(enabled, 1);
    assert_int_equal(cudaGraphNodeSetEnabled(exec, n[1], 1), cudaSuccess);
    assert_launch_marks(123);
    assert_refused(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(NULL, n[0], 1));
    assert_refused(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, exec->graph->nodes[0], 1));
    assert_refused(cudaErrorInvalidValue, cudaGraphNodeGetEnabled(exec, n[0], NULL));
}

static void test_child(void **state)
{
    (void)state;
    cudaGraph_t child;
    assert_int_equal(cudaGraphCreate(&child, 0), cudaSuccess);
    add_marked(child, 5, NULL, 0);
    n[0] = add_marked(graph, 1, NULL, 0);
    assert_int_equal(cudaGraphAddChildGraphNode(&n[1], graph, &n[0], 1, child), cudaSuccess);
    add_marked(graph, 2, &n[1], 1);
    assert_int_equal(cudaGraphDestroy(child), cudaSuccess);
    instantiate(0);
    assert_launch_marks(152);
}

static cudaGraphConditionalHandle handle;
static const unsigned *values; /* successive values of the condition's word */

static void give_value(struct corun_call *c)
{
    struct wire_copy w;
    if (c->call != CALL_COPY) return;
    memcpy(&w, c->payload, sizeof w);
    assert_true(w.from == handle && w.to_host && w.width == sizeof *values);
    memcpy(corun_pointer(w.to), values++, sizeof *values);
}

/* Adds a conditional node with `bodies` bodies, which have the marks 5, 6 ... */
static void add_condition(enum cudaGraphConditionalNodeType type, unsigned bodies, unsigned flags)
{
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeConditional};
    assert_int_equal(cudaGraphConditionalHandleCreate(&handle, graph, 4, flags), cudaSuccess);
    p.conditional = (struct cudaConditionalNodeParams){handle, type, bodies, NULL};
    n[0] = add_marked(graph, 1, NULL, 0);
    assert_int_equal(cudaGraphAddNode(&n[1], graph, &n[0], NULL, 1, &p), cudaSuccess);
    for (unsigned i = 0; i < bodies; i++) add_marked(p.conditional.phGraph_out[i], 5 + i, NULL, 0);
    add_marked(graph, 2, &n[1], 1);
    instantiate(0);
    fake.on_call = give_value;
}

static void assert_runs(const unsigned *with, uint64_t expected)
{
    values = with;
    assert_launch_marks(expected);
}

static void test_if(void **state)
{
    (void)state;
    add_condition(cudaGraphCondTypeIf, 2, 0);
    assert_runs((const unsigned[]){1}, 152);
    assert_runs((const unsigned[]){7}, 152);
    assert_runs((const unsigned[]){0}, 162); /* the second body: else */
    assert_int_equal(seen_of(CALL_FILL), 0); /* the word keeps its value from launch to launch */
}

static void test_while(void **state)
{
    (void)state;
    add_condition(cudaGraphCondTypeWhile, 1, cudaGraphCondAssignDefault);
    assert_runs((const unsigned[]){0}, 12);
    assert_runs((const unsigned[]){1, 3, 1, 0}, 15552);
    assert_int_equal(seen_of(CALL_STREAM_SYNC), 4);
    assert_int_equal(fake.seen[0].call.call, CALL_FILL); /* the launch begins with value 4 */
    assert_int_equal(fake.seen[0].call.at[0], 5);
    assert_int_equal(fake.seen[0].call.at[2], handle);
    assert_int_equal(fake.seen[0].call.at[4], 4);
    fake.on_call = NULL;
    fake.refuses[CALL_COPY] = cudaErrorLaunchFailure; /* the word cannot be read */
    assert_refused(cudaErrorLaunchFailure, cudaGraphLaunch(exec, stream));
}

static void test_switch(void **state)
{
    (void)state;
    add_condition(cudaGraphCondTypeSwitch, 3, 0);
    assert_runs((const unsigned[]){0}, 152);
    assert_runs((const unsigned[]){2}, 172);
    assert_runs((const unsigned[]){3}, 12); /* no such body */
}

/* A graph whose memory is still allocated cannot be launched again, unless the executable graph
 * frees the memory first. */
static void test_memory(void **state)
{
    (void)state;
    struct cudaMemAllocNodeParams p = {{.allocType = cudaMemAllocationTypePinned},
                                       .bytesize = 512};
    assert_int_equal(cudaGraphAddMemAllocNode(&n[0], graph, NULL, 0, &p), cudaSuccess);
    instantiate(0);
    assert_launch_marks(0);
    assert_refused(cudaErrorInvalidValue, cudaGraphLaunch(exec, stream));
    assert_int_equal(cudaFreeAsync(p.dptr, stream), cudaSuccess);
    assert_launch_marks(0);
    assert_int_equal(cudaFree(p.dptr), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_SYNC); /* cudaFree waits; the pages remain */
    assert_int_equal(seen_of(CALL_FREE) + seen_of(CALL_FREE_ASYNC), 0);
    assert_refused(cudaErrorInvalidValue, cudaFree(p.dptr)); /* twice */
    assert_int_equal(cudaGraphExecDestroy(exec), cudaSuccess);
    instantiate(1);
    assert_launch_marks(0);
    assert_launch_marks(0);
    assert_int_equal(cudaGraphExecDestroy(exec), cudaSuccess);
    assert_int_equal(cudaGraphAddMemFreeNode(&n[1], graph, &n[0], 1, p.dptr), cudaSuccess);
    assert_int_equal(cudaFree(p.dptr), cudaSuccess);
    instantiate(0); /* the graph frees its memory: every launch succeeds */
    assert_launch_marks(0);
    assert_launch_marks(0);
}

/* ---- updates ---- */

static void assert_update(enum cudaGraphExecUpdateResult result, cudaGraph_t from,
                          cudaGraphNode_t at)
{
    cudaGraphExecUpdateResultInfo info;
    const cudaError_t error = result ? cudaErrorGraphExecUpdateFailure : cudaSuccess;
    assert_int_equal(cudaGraphExecUpdate(exec, from, &info), error);
    assert_int_equal(cudaGetLastError(), error);
    assert_int_equal(info.result, result);
    assert_ptr_equal(info.errorNode, at);
}

static void test_update(void **state)
{
    (void)state;
    cudaGraph_t other;
    cudaGraphNode_t a, b;
    n[0] = add_marked(graph, 1, NULL, 0);
    n[1] = add_marked(graph, 2, &n[0], 1);
    instantiate(0);
    assert_int_equal(cudaGraphCreate(&other, 0), cudaSuccess);
    a = add_marked(other, 3, NULL, 0);
    assert_update(cudaGraphExecUpdateErrorTopologyChanged, other, NULL); /* a node too few */
    b = add_marked(other, 4, NULL, 0);
    assert_update(cudaGraphExecUpdateErrorTopologyChanged, other, b); /* no dependency */
    assert_launch_marks(12);
    assert_int_equal(cudaGraphAddDependencies(other, &a, &b, NULL, 1), cudaSuccess);
    assert_update(cudaGraphExecUpdateSuccess, other, NULL);
    assert_launch_marks(34);
    assert_int_equal(cudaGraphDestroyNode(b), cudaSuccess);
    assert_int_equal(cudaGraphAddEmptyNode(&b, other, &a, 1), cudaSuccess);
    assert_update(cudaGraphExecUpdateErrorNodeTypeChanged, other, b);
    assert_int_equal(cudaGraphAddDependencies(other, &b, &a, NULL, 1), cudaSuccess);
    assert_update(cudaGraphExecUpdateError, other, NULL); /* a cycle */
    assert_launch_marks(34);
    assert_refused(cudaErrorInvalidValue, cudaGraphExecUpdate(NULL, other, NULL));
    assert_refused(cudaErrorInvalidValue, cudaGraphExecUpdate(exec, NULL, NULL));
    assert_int_equal(cudaGraphDestroy(other), cudaSuccess);
}

/* The work of a single node may be replaced in the executable graph, not in the graph. */
static void test_changed_node(void **state)
{
    (void)state;
    const struct cudaHostNodeParams p = {nothing, corun_pointer(8)};
    n[0] = add_marked(graph, 1, NULL, 0);
    instantiate(0);
    assert_int_equal(cudaGraphExecHostNodeSetParams(exec, n[0], &p), cudaSuccess);
    assert_launch_marks(8);
    assert_int_equal(n[0]->calls[0].at[2], 1);
    assert_refused(cudaErrorInvalidValue, cudaGraphExecHostNodeSetParams(NULL, n[0], &p));
    assert_refused(cudaErrorInvalidValue, cudaGraphExecMemsetNodeSetParams(exec, n[0], NULL));
    assert_launch_marks(8);
}

#define ON_GRAPH(name) cmocka_unit_test_setup_teardown(name, make, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_GRAPH(test_order), ON_GRAPH(test_cycle), ON_GRAPH(test_errors),
        ON_GRAPH(test_failed_launch), ON_GRAPH(test_streams_of_calls), ON_GRAPH(test_priorities),
        ON_GRAPH(test_enabled), ON_GRAPH(test_child), ON_GRAPH(test_if), ON_GRAPH(test_while),
        ON_GRAPH(test_switch), ON_GRAPH(test_memory), ON_GRAPH(test_update),
        ON_GRAPH(test_changed_node)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
