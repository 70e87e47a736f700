/* Structure of graphs: nodes with their dependencies and stored calls. Nothing here reaches the
 * simulator. */
#include "cuda/capture/node.h"
#include "cuda/connection/error.h"

#include <stdlib.h>
#include <string.h>

struct CUgraph_st *corun_graph_new(void)
{
    struct CUgraph_st *g = calloc(1, sizeof *g);
    if (!g) abort();
    return g;
}

static bool graph_has(const struct CUgraph_st *g, const struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < g->node_n; i++)
        if (g->nodes[i] == node) return true;
    return false;
}

static void *grow(void *list, size_t n, size_t bytes)
{
    if (n & (n - 1)) return list; /* room for the next power of two */
    void *grown = realloc(list, (n ? 2 * n : 1) * bytes);
    if (!grown) abort();
    return grown;
}

cudaError_t corun_edges_check(const cudaGraphEdgeData *edges, size_t n)
{
    for (size_t i = 0; edges && i < n; i++)
        if (edges[i].type != cudaGraphDependencyTypeDefault ||
            edges[i].from_port != cudaGraphKernelNodePortDefault)
            return corun_missing("a programmatic edge of a graph");
    return cudaSuccess;
}

void corun_node_depend(struct CUgraphNode_st *node, struct CUgraphNode_st *before)
{
    for (size_t i = 0; i < node->before_n; i++)
        if (node->before[i] == before) return;
    node->before = grow(node->before, node->before_n, sizeof(struct CUgraphNode_st *));
    node->before[node->before_n++] = before;
}

struct CUgraphNode_st *corun_node_new(struct CUgraph_st *g, enum cudaGraphNodeType type,
                                      const cudaGraphNode_t *before, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!graph_has(g, before[i])) return NULL;
    struct CUgraphNode_st *node = calloc(1, sizeof *node);
    if (!node) abort();
    node->graph = g;
    node->type = type;
    for (size_t i = 0; i < n; i++) corun_node_depend(node, before[i]);
    g->nodes = grow(g->nodes, g->node_n, sizeof(struct CUgraphNode_st *));
    return g->nodes[g->node_n++] = node;
}

void corun_node_keep(struct CUgraphNode_st *node, const struct corun_call *c)
{
    node->calls = grow(node->calls, node->call_n, sizeof *node->calls);
    struct corun_call *kept = &node->calls[node->call_n++];
    unsigned char *bytes = malloc(c->payload_bytes + c->more_bytes + 1);
    if (!bytes) abort();
    if (c->payload_bytes) memcpy(bytes, c->payload, c->payload_bytes);
    if (c->more_bytes) memcpy(bytes + c->payload_bytes, c->more, c->more_bytes);
    *kept = *c;
    kept->payload = bytes;
    kept->more = bytes + c->payload_bytes;
}

void corun_node_forget_calls(struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < node->call_n; i++) free((void *)(uintptr_t)node->calls[i].payload);
    free(node->calls);
    free(node->params);
    node->calls = NULL;
    node->params = NULL;
    node->call_n = 0;
}

void corun_node_move_calls(struct CUgraphNode_st *to, struct CUgraphNode_st *from)
{
    corun_node_forget_calls(to);
    to->calls = from->calls;
    to->call_n = from->call_n;
    to->params = from->params;
    from->calls = NULL;
    from->call_n = 0;
    from->params = NULL;
}

static void free_bodies(struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < node->body_n; i++) corun_graph_free(node->bodies[i]);
    free(node->bodies);
    node->bodies = NULL;
    node->body_n = 0;
}

static void free_node(struct CUgraphNode_st *node)
{
    corun_node_forget_calls(node);
    free(node->before);
    if (node->child) corun_graph_free(node->child);
    free_bodies(node);
    free(node);
}

void corun_graph_free(struct CUgraph_st *g)
{
    if (g->exec) g->exec->of = NULL;
    for (size_t i = 0; i < g->node_n; i++) free_node(g->nodes[i]);
    free(g->nodes);
    free(g);
}

bool corun_graph_has_memory(const struct CUgraph_st *g)
{
    for (size_t i = 0; i < g->node_n; i++)
        if (g->nodes[i]->type == cudaGraphNodeTypeMemAlloc ||
            g->nodes[i]->type == cudaGraphNodeTypeMemFree) return true;
    return false;
}

cudaError_t corun_graph_may_copy(const struct CUgraph_st *g)
{
    if (corun_graph_has_memory(g)) return cudaErrorNotSupported;
    for (size_t i = 0; i < g->node_n; i++)
        if (g->nodes[i]->condition) return cudaErrorNotSupported;
    return cudaSuccess;
}

void corun_node_bodies(struct CUgraphNode_st *node, size_t n)
{
    node->bodies = calloc(n + 1, sizeof(struct CUgraph_st *));
    if (!node->bodies) abort();
    for (size_t i = 0; i < n; i++) node->bodies[i] = corun_graph_new();
    node->body_n = n;
}

void corun_node_copy(struct CUgraphNode_st *to, const struct CUgraphNode_st *from)
{
    corun_node_forget_calls(to);
    for (size_t i = 0; i < from->call_n; i++) corun_node_keep(to, &from->calls[i]);
    to->priority = from->priority;
    to->allocation = from->allocation;
    to->of_allocation = from->of_allocation;
    if (to->child) corun_graph_free(to->child);
    to->child = from->child ? corun_graph_copy(from->child) : NULL;
    free_bodies(to);
    to->condition = from->condition;
    to->choice = from->choice;
    corun_node_bodies(to, from->body_n);
    for (size_t i = 0; i < from->body_n; i++) {
        corun_graph_free(to->bodies[i]);
        to->bodies[i] = corun_graph_copy(from->bodies[i]);
    }
}

struct CUgraphNode_st *corun_node_in_copy(const struct CUgraph_st *g,
                                          const struct CUgraphNode_st *of)
{
    for (size_t i = 0; i < g->node_n; i++)
        if (g->nodes[i]->origin == of) return g->nodes[i];
    return NULL;
}

struct CUgraph_st *corun_graph_copy(const struct CUgraph_st *g)
{
    struct CUgraph_st *copy = corun_graph_new();
    for (size_t i = 0; i < g->node_n; i++) {
        struct CUgraphNode_st *node = corun_node_new(copy, g->nodes[i]->type, NULL, 0);
        node->origin = g->nodes[i];
        corun_node_copy(node, g->nodes[i]);
    }
    for (size_t i = 0; i < g->node_n; i++)
        for (size_t b = 0; b < g->nodes[i]->before_n; b++)
            corun_node_depend(copy->nodes[i], corun_node_in_copy(copy, g->nodes[i]->before[b]));
    return copy;
}

void corun_node_remove(struct CUgraphNode_st *node)
{
    struct CUgraph_st *g = node->graph;
    size_t kept = 0;
    for (size_t i = 0; i < g->node_n; i++) {
        struct CUgraphNode_st *other = g->nodes[i];
        size_t n = 0;
        for (size_t b = 0; b < other->before_n; b++)
            if (other->before[b] != node) other->before[n++] = other->before[b];
        other->before_n = n;
        if (other != node) g->nodes[kept++] = other;
    }
    g->node_n = kept;
    free_node(node);
}
