/* Nodes that allocate or free memory. */
#include <string.h>

#include "cuda/capture/memory.h"
#include "cuda/connection/error.h"
#include "cuda/graph/add.h"
#include "cuda/runtime/memory.h"

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *before, size_t n,
                                     struct cudaMemAllocNodeParams *p)
{
    bool known = p && p->bytesize && p->poolProps.allocType == cudaMemAllocationTypePinned;
    cudaError_t error = known ? corun_node_begin(node, graph, cudaGraphNodeTypeMemAlloc, before, n)
                              : cudaErrorInvalidValue;
    if (error) return corun_note(error);
    error = corun_allocate(&p->dptr, p->bytesize);
    if (!error) corun_graph_memory_add(p->dptr, p->bytesize);
    (*node)->allocation = p->dptr;
    (*node)->of_allocation = *p;
    return corun_node_made(node, error);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *p)
{
    if (!node || !p || node->type != cudaGraphNodeTypeMemAlloc)
        return corun_note(cudaErrorInvalidValue);
    *p = node->of_allocation;
    return cudaSuccess;
}

/* True if a node of the graph frees the allocation. */
static bool is_freed(const struct CUgraph_st *g, const void *pointer)
{
    for (size_t i = 0; i < g->node_n; i++)
        if (g->nodes[i]->type == cudaGraphNodeTypeMemFree && g->nodes[i]->allocation == pointer)
            return true;
    return false;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *before, size_t n, void *pointer)
{
    if (!graph || !corun_is_graph_memory(pointer) || is_freed(graph, pointer))
        return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_node_begin(node, graph, cudaGraphNodeTypeMemFree, before, n);
    if (!error) (*node)->allocation = pointer;
    return error ? corun_note(error) : corun_node_made(node, cudaSuccess);
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer)
{
    if (!node || !pointer || node->type != cudaGraphNodeTypeMemFree)
        return corun_note(cudaErrorInvalidValue);
    memcpy(pointer, &node->allocation, sizeof node->allocation);
    return cudaSuccess;
}
