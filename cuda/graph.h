/* Graphs: what would be queued in a stream, kept as nodes. A node holds the calls that the
 * simulator gets when its turn comes; what makes them is the API's own function, which runs with
 * corun_queue taking its calls for the node instead of sending them. */
#ifndef CORUN_GRAPH_H
#define CORUN_GRAPH_H

#include "cuda/client.h"

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    enum cudaGraphNodeType type;
    struct corun_call *calls; /* payload and `more` are the node's own, in one piece */
    size_t call_n;
    struct CUgraphNode_st **before; /* which come first */
    size_t before_n;
    struct CUgraphNode_st *origin; /* of a clone's: the node that it was made of */
    struct CUgraph_st *child;
    struct graph_condition *condition; /* which of the bodies runs, and how often */
    enum cudaGraphConditionalNodeType choice;
    struct CUgraph_st **bodies;
    size_t body_n;
    int32_t priority; /* of a kernel's */
    void **params;    /* what cudaGraphKernelNodeGetParams has told */
    void *allocation; /* memory that it gives or takes back */
    struct cudaMemAllocNodeParams of_allocation;
    bool disabled;
    size_t mark; /* of a walk */
};
struct CUgraph_st {
    struct CUgraphNode_st **nodes;
    size_t node_n;
};
struct CUgraphExec_st {
    struct CUgraph_st *graph; /* a clone, its nodes in an order in which they can run */
    unsigned long long flags;
};

/* NULL: a dependency is none of this graph's */
struct CUgraphNode_st *graph_node_new(struct CUgraph_st *g, enum cudaGraphNodeType type,
                                      const cudaGraphNode_t *before, size_t n);
void graph_node_depend(struct CUgraphNode_st *node, struct CUgraphNode_st *before);
void graph_node_keep(struct CUgraphNode_st *node, const struct corun_call *c);
struct CUgraph_st *graph_new(void);

/* `n` empty ones */
void graph_node_bodies(struct CUgraphNode_st *node, size_t n);
/* A new node, whose calls are those that the thread makes until graph_made. */
cudaError_t graph_begin(cudaGraphNode_t *node, cudaGraph_t graph, enum cudaGraphNodeType type,
                        const cudaGraphNode_t *before, size_t n);
cudaError_t graph_made(cudaGraphNode_t *node, cudaError_t error);
/* Flags of an executable graph: memory that an earlier run left is used again; kernels have the
 * priorities of their nodes in place of the stream's. */
enum { GRAPH_FREE_FIRST = 1, GRAPH_NODE_PRIORITY = 8 };
/* Its nodes, one after another. */
cudaError_t graph_run(struct CUgraph_st *g, cudaStream_t stream, unsigned long long flags);

/* ---- graph_condition.c ---- */
cudaError_t graph_run_condition(const struct CUgraphNode_st *node, cudaStream_t stream,
                                unsigned long long flags);
/* Conditions that begin each launch with a value of theirs get it. */
cudaError_t graph_reset_conditions(const struct CUgraph_st *g, cudaStream_t stream);

/* ---- graph_memory.c ---- */
/* Memory of an allocation node: there from now on, in use from a launch on. */
void graph_memory_add(void *pointer, size_t bytes);
cudaError_t graph_memory_take(void *pointer, bool again);
cudaError_t graph_memory_give(void *pointer);

/* ---- capture.c ---- */
/* The calls of this thread are the node's from now on; NULL: no longer. */
void capture_for(struct CUgraphNode_st *node);

#endif
