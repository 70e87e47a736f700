/* Nodes of any type through one call, and conditional nodes, whose bodies run depending on a
 * condition. */
#include "cuda/connection/error.h"
#include "cuda/graph/add.h"
#include "cuda/graph/condition.h"

static cudaError_t add_condition(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *before, size_t n,
                                 struct cudaConditionalNodeParams *p)
{
    struct graph_condition *c = corun_condition_find(p->handle);
    unsigned most = p->type == cudaGraphCondTypeIf       ? 2
                    : p->type == cudaGraphCondTypeSwitch ? UINT32_MAX
                                                         : 1;
    if (!c || p->type > cudaGraphCondTypeSwitch || !p->size || p->size > most)
        return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_node_begin(node, graph, cudaGraphNodeTypeConditional, before, n);
    if (error) return corun_note(error);
    (*node)->condition = c;
    (*node)->choice = p->type;
    corun_node_bodies(*node, p->size);
    p->phGraph_out = (*node)->bodies;
    return corun_node_made(node, cudaSuccess);
}

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
    cudaError_t error = corun_edges_check(edges, n);
    return error ? error : add(node, graph, before, n, p);
}
#else
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *before, size_t n, struct cudaGraphNodeParams *p)
{
    return add(node, graph, before, n, p);
}
#endif
