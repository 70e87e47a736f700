/* Graphs: work for a stream, stored as nodes. A node stores the calls that the simulator receives
 * when the node runs. The API's own functions generate the calls; meanwhile corun_queue appends
 * calls to the node instead of sending them. */
#ifndef CORUN_GRAPH_H
#define CORUN_GRAPH_H

#include "cuda/client.h"

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    enum cudaGraphNodeType type;
    struct corun_call *calls; /* the node owns payload and `more` as one block */
    size_t call_n;
    struct CUgraphNode_st **before; /* nodes that must run before */
    size_t before_n;
    struct CUgraphNode_st *origin; /* in a clone: the original node */
    struct CUgraph_st *child;
    struct graph_condition *condition; /* selects the body to run and the number of runs */
    enum cudaGraphConditionalNodeType choice;
    struct CUgraph_st **bodies;
    size_t body_n;
    int32_t priority; /* of a kernel node */
    void **params;    /* returned by cudaGraphKernelNodeGetParams */
    void *allocation; /* memory that the node allocates or frees */
    struct cudaMemAllocNodeParams of_allocation;
    bool disabled;
    size_t mark; /* scratch value for graph traversals */
};
struct CUgraph_st {
    struct CUgraphNode_st **nodes;
    size_t node_n;
};
struct CUgraphExec_st {
    struct CUgraph_st *graph; /* a clone with its nodes in topological order */
    unsigned long long flags;
};

/* Adds a node. Returns NULL if a dependency is not a node of the graph. */
struct CUgraphNode_st *graph_node_new(struct CUgraph_st *g, enum cudaGraphNodeType type,
                                      const cudaGraphNode_t *before, size_t n);
void graph_node_depend(struct CUgraphNode_st *node, struct CUgraphNode_st *before);
void graph_node_keep(struct CUgraphNode_st *node, const struct corun_call *c);
struct CUgraph_st *graph_new(void);

/* Adds `n` empty bodies. */
void graph_node_bodies(struct CUgraphNode_st *node, size_t n);
/* Add a node: the node gets all calls of the current thread between graph_begin and graph_made. */
cudaError_t graph_begin(cudaGraphNode_t *node, cudaGraph_t graph, enum cudaGraphNodeType type,
                        const cudaGraphNode_t *before, size_t n);
cudaError_t graph_made(cudaGraphNode_t *node, cudaError_t error);
/* Flags of an executable graph: memory still allocated by an earlier run is reused; kernels have
 * the priorities of their nodes instead of the stream's priority. */
enum { GRAPH_FREE_FIRST = 1, GRAPH_NODE_PRIORITY = 8 };
/* Runs the nodes one after another. */
cudaError_t graph_run(struct CUgraph_st *g, cudaStream_t stream, unsigned long long flags);

/* ---- graph_condition.c ---- */
cudaError_t graph_run_condition(const struct CUgraphNode_st *node, cudaStream_t stream,
                                unsigned long long flags);
/* Resets each condition that has an initial value for every launch. */
cudaError_t graph_reset_conditions(const struct CUgraph_st *g, cudaStream_t stream);

/* ---- graph_memory.c ---- */
/* Memory of allocation nodes: graph_memory_add registers the memory, graph_memory_take marks it as
 * used at a launch, graph_memory_give as unused. With `again` memory in use may be taken again. */
void graph_memory_add(void *pointer, size_t bytes);
cudaError_t graph_memory_take(void *pointer, bool again);
cudaError_t graph_memory_give(void *pointer);

/* ---- capture.c ---- */
/* Directs the calls of the current thread to the node; NULL: no longer. */
void capture_for(struct CUgraphNode_st *node);

#endif
