/* Execution of graphs: a graph runs its nodes one after another in the stream. */
#include <stdlib.h>
#include <string.h>

#include "cuda/capture/capture.h"
#include "cuda/capture/memory.h"
#include "cuda/connection/error.h"
#include "cuda/graph/condition.h"
#include "cuda/runtime/stream_id.h"

/* Flags of an executable graph: memory still allocated by an earlier run is reused; kernels have
 * the priorities of their nodes instead of the stream's priority. */
enum { GRAPH_FREE_FIRST = 1, GRAPH_NODE_PRIORITY = 8 };

/* Sorts the nodes topologically; independent nodes keep the order of creation. Returns false if the
 * graph has a cycle. */
static bool sort(struct CUgraph_st *g)
{
    struct CUgraphNode_st **sorted = calloc(g->node_n + 1, sizeof(struct CUgraphNode_st *));
    if (!sorted) abort();
    size_t n = 0;
    for (size_t i = 0; i < g->node_n; i++) g->nodes[i]->mark = 0;
    for (bool again = true; again && n < g->node_n;) {
        again = false;
        for (size_t i = 0; i < g->node_n; i++) {
            struct CUgraphNode_st *node = g->nodes[i];
            bool ready = !node->mark;
            for (size_t b = 0; b < node->before_n && ready; b++) ready = node->before[b]->mark;
            if (!ready) continue;
            node->mark = 1;
            sorted[n++] = node;
            again = true;
        }
    }
    bool whole = n == g->node_n;
    if (whole && n) memcpy(g->nodes, sorted, n * sizeof(struct CUgraphNode_st *));
    free(sorted);
    return whole;
}

static cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    enum { DEVICE_LAUNCH = 4, KNOWN = 15 };
    if (!exec || !graph || flags > KNOWN) return corun_note(cudaErrorInvalidValue);
    if (flags & DEVICE_LAUNCH) return corun_missing("a graph launched from the device");
    const bool single = corun_graph_has_memory(graph);
    if (single && graph->exec) return corun_note(cudaErrorNotSupported);
    struct CUgraph_st *copy = corun_graph_copy(graph);
    if (!sort(copy)) {
        corun_graph_free(copy);
        return corun_note(cudaErrorInvalidValue);
    }
    *exec = malloc(sizeof **exec);
    if (!*exec) abort();
    **exec = (struct CUgraphExec_st){copy, flags, single ? graph : NULL};
    if (single) graph->exec = *exec;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return instantiate(exec, graph, flags);
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    return instantiate(exec, graph, flags);
}
#else
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *at,
                                 char *log, size_t size)
{
    if (at) *at = NULL;
    if (log && size) *log = 0;
    return instantiate(exec, graph, 0);
}
#endif

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *p)
{
    if (!p) return corun_note(cudaErrorInvalidValue);
    p->errNode_out = NULL;
    cudaError_t error = instantiate(exec, graph, p->flags);
    p->result_out = error != cudaSuccess;
    return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    if (!exec || !flags) return corun_note(cudaErrorInvalidValue);
    *flags = exec->flags;
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    (void)stream;
    return corun_note(exec ? cudaSuccess : cudaErrorInvalidValue);
}

/* Repeats a stored call in `stream`, which replaces the stored stream. */
static cudaError_t repeat(const struct corun_call *kept, cudaStream_t stream, int32_t priority)
{
    struct corun_call c = *kept;
    struct wire_launch l;
    uint32_t number = corun_stream(stream);
    if (c.call == CALL_LAUNCH) {
        memcpy(&l, c.payload, sizeof l);
        l.stream = number;
        l.priority = priority;
        c.at[2] = 1;
        c.payload = &l;
    } else {
        c.at[c.call == CALL_EVENT_RECORD] = number;
    }
    return corun_queue(&c, number);
}

static cudaError_t run(struct CUgraph_st *g, cudaStream_t stream, unsigned long long flags);

/* Runs the bodies of a conditional node: waits for all work before the node, then reads the
 * condition. */
static cudaError_t run_condition(const struct CUgraphNode_st *node, cudaStream_t stream,
                                 unsigned long long flags)
{
    if (corun_is_captured(corun_stream(stream)))
        return corun_missing("a conditional node in a captured stream");
    for (bool again = true; again;) {
        unsigned int value;
        cudaError_t error = corun_condition_read(node->condition, stream, &value);
        if (error) return error;
        size_t body = node->choice == cudaGraphCondTypeSwitch ? value : !value;
        again = node->choice == cudaGraphCondTypeWhile && value;
        if (body < node->body_n)
            error = run(node->bodies[body], stream, flags & ~(unsigned)GRAPH_FREE_FIRST);
        if (error) return error;
    }
    return cudaSuccess;
}


/* Runs the nodes one after another. */
static cudaError_t run(struct CUgraph_st *g, cudaStream_t stream, unsigned long long flags)
{
    cudaError_t error = sort(g) ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; i < g->node_n && !error; i++) {
        const struct CUgraphNode_st *node = g->nodes[i];
        if (node->disabled) continue;
        if (node->child) error = run(node->child, stream, flags);
        if (node->body_n) error = run_condition(node, stream, flags);
        if (node->type == cudaGraphNodeTypeMemAlloc)
            error = corun_graph_memory_take(node->allocation, flags & GRAPH_FREE_FIRST);
        if (node->type == cudaGraphNodeTypeMemFree)
            error = corun_graph_memory_give(node->allocation);
        for (size_t c = 0; c < node->call_n && !error; c++)
            error = repeat(&node->calls[c], stream,
                                flags & GRAPH_NODE_PRIORITY ? node->priority
                                                            : WIRE_PRIORITY_OF_STREAM);
    }
    return error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    if (!exec) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_may_queue(corun_stream(stream));
    if (!error && corun_is_captured(corun_stream(stream))) {
        error = corun_graph_may_copy(exec->graph);
        if (error || corun_capture_child(corun_stream(stream), exec->graph))
            return corun_note(error);
    }
    if (!error) error = corun_condition_reset(exec->graph, stream);
    if (!error) error = run(exec->graph, stream, exec->flags);
    return corun_note(error);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    if (!exec) return corun_note(cudaErrorInvalidValue);
    if (exec->of) exec->of->exec = NULL;
    corun_graph_free(exec->graph);
    free(exec);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled)
{
    struct CUgraphNode_st *own = exec ? corun_node_in_copy(exec->graph, node) : NULL;
    if (!own) return corun_note(cudaErrorInvalidValue);
    own->disabled = !enabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int *enabled)
{
    const struct CUgraphNode_st *own = exec ? corun_node_in_copy(exec->graph, node) : NULL;
    if (!own || !enabled) return corun_note(cudaErrorInvalidValue);
    *enabled = !own->disabled;
    return cudaSuccess;
}

/* Updates `to` from `from`. Both must have the same nodes in the same order, with the same number
 * of dependencies. */
static enum cudaGraphExecUpdateResult update(struct CUgraph_st *to, struct CUgraph_st *from,
                                             cudaGraphNode_t *at)
{
    if (to->node_n != from->node_n) return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < to->node_n; i++) {
        *at = from->nodes[i];
        if (to->nodes[i]->type != from->nodes[i]->type)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (to->nodes[i]->before_n != from->nodes[i]->before_n)
            return cudaGraphExecUpdateErrorTopologyChanged;
    }
    for (size_t i = 0; i < to->node_n; i++) corun_node_copy(to->nodes[i], from->nodes[i]);
    *at = NULL;
    return cudaGraphExecUpdateSuccess;
}

static enum cudaGraphExecUpdateResult update_exec(cudaGraphExec_t exec, cudaGraph_t graph,
                                                  cudaGraphNode_t *at)
{
    struct CUgraph_st *sorted = corun_graph_copy(graph);
    enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
    if (sort(sorted)) result = update(exec->graph, sorted, at);
    if (*at) *at = (*at)->origin;
    corun_graph_free(sorted);
    return result;
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info)
{
    cudaGraphNode_t at = NULL;
    if (!exec || !graph) return corun_note(cudaErrorInvalidValue);
    enum cudaGraphExecUpdateResult result = update_exec(exec, graph, &at);
    if (info) *info = (cudaGraphExecUpdateResultInfo){result, at, NULL};
    return corun_note(result ? cudaErrorGraphExecUpdateFailure : cudaSuccess);
}
#else
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *at,
                                enum cudaGraphExecUpdateResult *result)
{
    cudaGraphNode_t none = NULL;
    if (!exec || !graph || !result) return corun_note(cudaErrorInvalidValue);
    *result = update_exec(exec, graph, &none);
    if (at) *at = none;
    return corun_note(*result ? cudaErrorGraphExecUpdateFailure : cudaSuccess);
}
#endif
