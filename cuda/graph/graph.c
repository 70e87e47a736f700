/* Graphs: creation, copies, destruction. */
#include "cuda/capture/node.h"
#include "cuda/connection/error.h"

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    if (!graph || flags) return corun_note(cudaErrorInvalidValue);
    *graph = corun_graph_new();
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    if (!graph) return corun_note(cudaErrorInvalidValue);
    corun_graph_free(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    if (!clone || !graph) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_graph_may_copy(graph);
    if (!error) *clone = corun_graph_copy(graph);
    return corun_note(error);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t node,
                                     cudaGraph_t clone)
{
    if (!found || !clone) return corun_note(cudaErrorInvalidValue);
    *found = corun_node_in_copy(clone, node);
    return corun_note(*found ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    if (!node) return corun_note(cudaErrorInvalidValue);
    if (corun_graph_has_memory(node->graph)) return corun_note(cudaErrorNotSupported);
    corun_node_remove(node);
    return cudaSuccess;
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    if (!node || !graph || !node->child) return corun_note(cudaErrorInvalidValue);
    *graph = node->child;
    return cudaSuccess;
}
