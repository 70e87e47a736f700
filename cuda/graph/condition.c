#include "cuda/graph/condition.h"

#include <stdlib.h>

#include "cuda/connection/error.h"
#include "cuda/runtime/memory.h"

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

struct graph_condition *corun_condition_find(cudaGraphConditionalHandle handle)
{
    struct graph_condition *c = all;
    while (c && c->handle != handle) c = c->next;
    return c;
}

cudaError_t corun_condition_read(const struct graph_condition *c, cudaStream_t stream,
                                 unsigned int *value)
{
    cudaError_t error = cudaMemcpyAsync(value, corun_pointer(c->handle), sizeof *value,
                                        cudaMemcpyDeviceToHost, stream);
    return error ? error : cudaStreamSynchronize(stream);
}

cudaError_t corun_condition_reset(const struct CUgraph_st *g, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < g->node_n && !error; i++) {
        const struct CUgraphNode_st *node = g->nodes[i];
        const struct graph_condition *c = node->condition;
        if (c && c->begins)
            error = corun_fill(corun_pointer(c->handle), 0, c->first, sizeof c->first, 1, 1, false,
                               stream);
        if (node->child && !error) error = corun_condition_reset(node->child, stream);
        for (size_t b = 0; b < node->body_n && !error; b++)
            error = corun_condition_reset(node->bodies[b], stream);
    }
    return error;
}
