/* Graphs: work for a stream, stored as nodes. A node stores the calls that the simulator receives
 * when the node runs. */
#ifndef CORUN_NODE_H
#define CORUN_NODE_H

#include "cuda/connection/client.h"

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
    struct CUgraphExec_st *exec; /* the only instance of a graph with memory nodes; NULL: none */
};
struct CUgraphExec_st {
    struct CUgraph_st *graph; /* a clone with its nodes in topological order */
    unsigned long long flags;
    struct CUgraph_st *of; /* the graph with this `exec`; NULL: none */
};

struct CUgraph_st *corun_graph_new(void);
/* Returns a deep copy; each node of the copy names the original node. */
struct CUgraph_st *corun_graph_copy(const struct CUgraph_st *g);
void corun_graph_free(struct CUgraph_st *g);
/* True if a node of the graph allocates or frees memory. The program cannot copy such a graph or
 * remove nodes and edges; one instance exists at a time. */
bool corun_graph_has_memory(const struct CUgraph_st *g);
/* Returns cudaErrorNotSupported if the program cannot copy the graph: memory nodes or conditional
 * nodes. Source: CUDA run-time API, cudaGraphClone; the error code: guess. */
cudaError_t corun_graph_may_copy(const struct CUgraph_st *g);

/* Adds a node. Returns NULL if a dependency is not a node of the graph. */
struct CUgraphNode_st *corun_node_new(struct CUgraph_st *g, enum cudaGraphNodeType type,
                                      const cudaGraphNode_t *before, size_t n);
void corun_node_depend(struct CUgraphNode_st *node, struct CUgraphNode_st *before);
/* Refuses programmatic dependencies among `n` edges by name; NULL: plain edges. */
cudaError_t corun_edges_check(const cudaGraphEdgeData *edges, size_t n);
/* Appends a copy of the call, payload included. */
void corun_node_keep(struct CUgraphNode_st *node, const struct corun_call *c);
void corun_node_forget_calls(struct CUgraphNode_st *node);
/* Moves all calls: `to` loses earlier calls, `from` has no calls afterwards. */
void corun_node_move_calls(struct CUgraphNode_st *to, struct CUgraphNode_st *from);
/* Adds `n` empty bodies. */
void corun_node_bodies(struct CUgraphNode_st *node, size_t n);
/* Replaces the work of a node; type and dependencies remain. */
void corun_node_copy(struct CUgraphNode_st *to, const struct CUgraphNode_st *from);
/* Finds the copy of node `of` in a copied graph; NULL: none. */
struct CUgraphNode_st *corun_node_in_copy(const struct CUgraph_st *g,
                                          const struct CUgraphNode_st *of);
/* Removes the node and all dependencies on the node. */
void corun_node_remove(struct CUgraphNode_st *node);

#endif
