/* Construction of graphs: nodes of each kind. The API's own functions generate the calls of a node;
 * meanwhile corun_queue appends calls to the node instead of sending them. */
#include "cuda/graph/add.h"

#include "cuda/capture/capture.h"
#include "cuda/connection/error.h"
#include "cuda/runtime/memory.h"

cudaError_t corun_node_begin(cudaGraphNode_t *node, cudaGraph_t graph, enum cudaGraphNodeType type,
                        const cudaGraphNode_t *before, size_t n)
{
    if (!node || !graph || (n && !before)) return cudaErrorInvalidValue;
    *node = corun_node_new(graph, type, before, n);
    if (!*node) return cudaErrorInvalidValue;
    corun_capture_for(*node);
    return cudaSuccess;
}

cudaError_t corun_node_made(cudaGraphNode_t *node, cudaError_t error)
{
    corun_capture_for(NULL);
    if (error) corun_node_remove(*node);
    return corun_note(error);
}

/* Start and end the replacement of an existing node's calls. Meanwhile `before` holds the earlier
 * calls, for the case of an error. */
static cudaError_t begin_again(cudaGraphNode_t node, enum cudaGraphNodeType type,
                               struct CUgraphNode_st *before)
{
    if (!node || node->type != type) return cudaErrorInvalidValue;
    corun_node_move_calls(before, node);
    corun_capture_for(node);
    return cudaSuccess;
}

static cudaError_t made_again(cudaGraphNode_t node, struct CUgraphNode_st *before,
                              cudaError_t error)
{
    corun_capture_for(NULL);
    if (error) corun_node_move_calls(node, before);
    corun_node_forget_calls(before);
    return corun_note(error);
}

/* ---- kinds of nodes: functions that queue the work ---- */

static cudaError_t queue_kernel(const struct cudaKernelNodeParams *p)
{
    if (!p || !p->func || p->extra) return cudaErrorInvalidValue;
    return cudaLaunchKernel(p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes,
                            NULL);
}

static cudaError_t queue_copy(const struct cudaMemcpy3DParms *p)
{
    return cudaMemcpy3DAsync(p, NULL);
}

static cudaError_t queue_fill(const struct cudaMemsetParams *p)
{
    if (!p) return cudaErrorInvalidValue;
    return corun_fill(p->dst, p->pitch, p->value, p->elementSize, p->width, p->height, false,
                      NULL);
}

static bool copies_bytes(const struct cudaMemcpy3DParms *p)
{
    return p && p->extent.width && p->extent.height && p->extent.depth;
}

static bool fills_bytes(const struct cudaMemsetParams *p) { return p && p->width && p->height; }

static cudaError_t queue_host(const struct cudaHostNodeParams *p)
{
    return p ? cudaLaunchHostFunc(NULL, p->fn, p->userData) : cudaErrorInvalidValue;
}

/* Returns the node of the executable graph that is the copy of `node`; NULL: none. */
static struct CUgraphNode_st *own_node(cudaGraphExec_t exec, const struct CUgraphNode_st *node)
{
    return exec ? corun_node_in_copy(exec->graph, node) : NULL;
}

/* For each kind of node: add a node, change the work of a node, change the work of a node in an
 * executable graph; such a change requires `fits`, because the operation must have bytes. */
#define NODE_KIND(Kind, params_type, queue, fits)                                                  \
    cudaError_t cudaGraphAdd##Kind##Node(cudaGraphNode_t *node, cudaGraph_t graph,                 \
                                         const cudaGraphNode_t *before, size_t n,                  \
                                         const struct params_type *p)                              \
    {                                                                                              \
        cudaError_t error = corun_node_begin(node, graph, cudaGraphNodeType##Kind, before, n);     \
        return error ? corun_note(error) : corun_node_made(node, queue(p));                        \
    }                                                                                              \
    cudaError_t cudaGraph##Kind##NodeSetParams(cudaGraphNode_t node, const struct params_type *p)  \
    {                                                                                              \
        struct CUgraphNode_st before = {0};                                                        \
        cudaError_t error = begin_again(node, cudaGraphNodeType##Kind, &before);                   \
        return error ? corun_note(error) : made_again(node, &before, queue(p));                    \
    }                                                                                              \
    cudaError_t cudaGraphExec##Kind##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,     \
                                                   const struct params_type *p)                    \
    {                                                                                              \
        if (!(fits)) return corun_note(cudaErrorInvalidValue);                                     \
        return cudaGraph##Kind##NodeSetParams(own_node(exec, node), p);                            \
    }
NODE_KIND(Kernel, cudaKernelNodeParams, queue_kernel, true)
NODE_KIND(Memcpy, cudaMemcpy3DParms, queue_copy, copies_bytes(p))
NODE_KIND(Memset, cudaMemsetParams, queue_fill, fills_bytes(p))
NODE_KIND(Host, cudaHostNodeParams, queue_host, true)
#undef NODE_KIND

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *before, size_t n, void *to,
                                     const void *from, size_t size, enum cudaMemcpyKind kind)
{
    cudaError_t error = corun_node_begin(node, graph, cudaGraphNodeTypeMemcpy, before, n);
    if (error) return corun_note(error);
    return corun_node_made(node, cudaMemcpyAsync(to, from, size, kind, NULL));
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *before, size_t n,
                                           const void *symbol, const void *from, size_t size,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    cudaError_t error = corun_node_begin(node, graph, cudaGraphNodeTypeMemcpy, before, n);
    if (error) return corun_note(error);
    return corun_node_made(node, cudaMemcpyToSymbolAsync(symbol, from, size, offset, kind, NULL));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *before, size_t n, void *to,
                                             const void *symbol, size_t size, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    cudaError_t error = corun_node_begin(node, graph, cudaGraphNodeTypeMemcpy, before, n);
    if (error) return corun_note(error);
    return corun_node_made(node, cudaMemcpyFromSymbolAsync(to, symbol, size, offset, kind, NULL));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t size, enum cudaMemcpyKind kind)
{
    struct CUgraphNode_st before = {0};
    cudaError_t error = begin_again(node, cudaGraphNodeTypeMemcpy, &before);
    if (error) return corun_note(error);
    return made_again(node, &before, cudaMemcpyAsync(to, from, size, kind, NULL));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t size,
                                               enum cudaMemcpyKind kind)
{
    if (!size) return corun_note(cudaErrorInvalidValue);
    return cudaGraphMemcpyNodeSetParams1D(own_node(exec, node), to, from, size, kind);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *before, size_t n)
{
    cudaError_t error = corun_node_begin(node, graph, cudaGraphNodeTypeEmpty, before, n);
    return error ? corun_note(error) : corun_node_made(node, cudaSuccess);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *before, size_t n, cudaEvent_t event)
{
    cudaError_t error = corun_node_begin(node, graph, cudaGraphNodeTypeEventRecord, before, n);
    return error ? corun_note(error) : corun_node_made(node, cudaEventRecord(event, NULL));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *before, size_t n, cudaEvent_t event)
{
    cudaError_t error = corun_node_begin(node, graph, cudaGraphNodeTypeWaitEvent, before, n);
    return error ? corun_note(error) : corun_node_made(node, cudaStreamWaitEvent(NULL, event, 0));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *before, size_t n, cudaGraph_t child)
{
    cudaError_t error = child ? corun_graph_may_copy(child) : cudaErrorInvalidValue;
    if (!error) error = corun_node_begin(node, graph, cudaGraphNodeTypeGraph, before, n);
    if (!error) (*node)->child = corun_graph_copy(child);
    return error ? corun_note(error) : corun_node_made(node, cudaSuccess);
}
