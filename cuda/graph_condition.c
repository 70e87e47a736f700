/* Nodes of any type through one call, and conditional nodes, whose bodies run depending on a
 * condition: a word in device memory, at the address of its handle, set by kernels
 * (src/exec/builtin.c). The launch of a graph waits for all work before a conditional node and then
 * reads the condition. */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

struct graph_condition {
    struct graph_condition *next;
    cudaGraphConditionalHandle handle;
    unsigned int first;
    bool begins; /* every launch starts with the value `first` */
};
static struct graph_condition *all;

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned int first, unsigned int flags)
{
    void *word;
    if (!handle || !graph || flags & ~(unsigned)cudaGraphCondAssignDefault)
        return corun_note(cudaErrorInvalidValue);
    struct graph_condition *c = calloc(1, sizeof *c);
    if (!c) abort();
    cudaError_t error = corun_allocate(&word, sizeof first);
    if (!error)
        error = corun_simple(.call = CALL_FILL,
                             .at = {0, true, corun_address(word), 0, first, sizeof first, 1, 1});
    if (error) {
        free(c);
        return error;
    }
    *c = (struct graph_condition){all, corun_address(word), first,
                                  flags & cudaGraphCondAssignDefault};
    all = c;
    *handle = c->handle;
    return cudaSuccess;
}

static cudaError_t add_condition(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *before, size_t n,
                                 struct cudaConditionalNodeParams *p)
{
    struct graph_condition *c = all;
    while (c && c->handle != p->handle) c = c->next;
    unsigned most = p->type == cudaGraphCondTypeIf       ? 2
                    : p->type == cudaGraphCondTypeSwitch ? UINT32_MAX
                                                         : 1;
    if (!c || p->type > cudaGraphCondTypeSwitch || !p->size || p->size > most)
        return corun_note(cudaErrorInvalidValue);
    cudaError_t error = graph_begin(node, graph, cudaGraphNodeTypeConditional, before, n);
    if (error) return corun_note(error);
    (*node)->condition = c;
    (*node)->choice = p->type;
    graph_node_bodies(*node, p->size);
    p->phGraph_out = (*node)->bodies;
    return graph_made(node, cudaSuccess);
}

cudaError_t graph_run_condition(const struct CUgraphNode_st *node, cudaStream_t stream,
                                unsigned long long flags)
{
    const struct graph_condition *c = node->condition;
    if (corun_is_captured(stream)) return corun_missing("a conditional node in a captured stream");
    for (bool again = true; again;) {
        unsigned int value;
        cudaError_t error = cudaMemcpyAsync(&value, corun_pointer(c->handle), sizeof value,
                                            cudaMemcpyDeviceToHost, stream);
        if (!error) error = cudaStreamSynchronize(stream);
        if (error) return error;
        size_t body = node->choice == cudaGraphCondTypeSwitch ? value : !value;
        again = node->choice == cudaGraphCondTypeWhile && value;
        if (body < node->body_n)
            error = graph_run(node->bodies[body], stream, flags & ~(unsigned)GRAPH_FREE_FIRST);
        if (error) return error;
    }
    return cudaSuccess;
}

cudaError_t graph_reset_conditions(const struct CUgraph_st *g, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < g->node_n && !error; i++) {
        const struct CUgraphNode_st *node = g->nodes[i];
        const struct graph_condition *c = node->condition;
        if (c && c->begins)
            error = corun_fill(corun_pointer(c->handle), 0, c->first, sizeof c->first, 1, 1, false,
                               stream);
        if (node->child && !error) error = graph_reset_conditions(node->child, stream);
        for (size_t b = 0; b < node->body_n && !error; b++)
            error = graph_reset_conditions(node->bodies[b], stream);
    }
    return error;
}

/* ---- nodes of any type ---- */

static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                       size_t n, struct cudaGraphNodeParams *p)
{
    if (!p) return corun_note(cudaErrorInvalidValue);
    switch (p->type) {
    case cudaGraphNodeTypeKernel: return cudaGraphAddKernelNode(node, graph, before, n, &p->kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(node, graph, before, n, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: return cudaGraphAddMemsetNode(node, graph, before, n, &p->memset);
    case cudaGraphNodeTypeHost: return cudaGraphAddHostNode(node, graph, before, n, &p->host);
    case cudaGraphNodeTypeGraph:
        return cudaGraphAddChildGraphNode(node, graph, before, n, p->graph.graph);
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(node, graph, before, n);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphAddEventWaitNode(node, graph, before, n, p->event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphAddEventRecordNode(node, graph, before, n, p->event);
    case cudaGraphNodeTypeMemAlloc:
        return cudaGraphAddMemAllocNode(node, graph, before, n, &p->alloc);
    case cudaGraphNodeTypeMemFree: return cudaGraphAddMemFreeNode(node, graph, before, n, p->free);
    case cudaGraphNodeTypeConditional:
        return add_condition(node, graph, before, n, &p->conditional);
    default: return corun_missing("cudaGraphAddNode of a semaphore");
    }
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
                             size_t n, struct cudaGraphNodeParams *p)
{
    (void)edges;
    return add(node, graph, before, n, p);
}
#else
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *before, size_t n, struct cudaGraphNodeParams *p)
{
    return add(node, graph, before, n, p);
}
#endif
