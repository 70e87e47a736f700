/* Graphs: construction, execution, update. A graph runs its nodes one after another in the
 * stream. */
#include "cuda/graph.h"

#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

struct CUgraph_st *graph_new(void)
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

void graph_node_depend(struct CUgraphNode_st *node, struct CUgraphNode_st *before)
{
    for (size_t i = 0; i < node->before_n; i++)
        if (node->before[i] == before) return;
    node->before = grow(node->before, node->before_n, sizeof(struct CUgraphNode_st *));
    node->before[node->before_n++] = before;
}

struct CUgraphNode_st *graph_node_new(struct CUgraph_st *g, enum cudaGraphNodeType type,
                                      const cudaGraphNode_t *before, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!graph_has(g, before[i])) return NULL;
    struct CUgraphNode_st *node = calloc(1, sizeof *node);
    if (!node) abort();
    node->graph = g;
    node->type = type;
    for (size_t i = 0; i < n; i++) graph_node_depend(node, before[i]);
    g->nodes = grow(g->nodes, g->node_n, sizeof(struct CUgraphNode_st *));
    return g->nodes[g->node_n++] = node;
}

void graph_node_keep(struct CUgraphNode_st *node, const struct corun_call *c)
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

static void forget_calls(struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < node->call_n; i++) free((void *)(uintptr_t)node->calls[i].payload);
    free(node->calls);
    free(node->params);
    node->calls = NULL;
    node->params = NULL;
    node->call_n = 0;
}

static void free_graph(struct CUgraph_st *g);

static void free_bodies(struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < node->body_n; i++) free_graph(node->bodies[i]);
    free(node->bodies);
    node->bodies = NULL;
    node->body_n = 0;
}

static void free_node(struct CUgraphNode_st *node)
{
    forget_calls(node);
    free(node->before);
    if (node->child) free_graph(node->child);
    free_bodies(node);
    free(node);
}

static void free_graph(struct CUgraph_st *g)
{
    for (size_t i = 0; i < g->node_n; i++) free_node(g->nodes[i]);
    free(g->nodes);
    free(g);
}

static struct CUgraph_st *copy_graph(const struct CUgraph_st *g);

void graph_node_bodies(struct CUgraphNode_st *node, size_t n)
{
    node->bodies = calloc(n + 1, sizeof(struct CUgraph_st *));
    if (!node->bodies) abort();
    for (size_t i = 0; i < n; i++) node->bodies[i] = graph_new();
    node->body_n = n;
}

static void copy_node(struct CUgraphNode_st *to, const struct CUgraphNode_st *from)
{
    forget_calls(to);
    for (size_t i = 0; i < from->call_n; i++) graph_node_keep(to, &from->calls[i]);
    to->priority = from->priority;
    to->allocation = from->allocation;
    to->of_allocation = from->of_allocation;
    if (to->child) free_graph(to->child);
    to->child = from->child ? copy_graph(from->child) : NULL;
    free_bodies(to);
    to->condition = from->condition;
    to->choice = from->choice;
    graph_node_bodies(to, from->body_n);
    for (size_t i = 0; i < from->body_n; i++) {
        free_graph(to->bodies[i]);
        to->bodies[i] = copy_graph(from->bodies[i]);
    }
}

static struct CUgraphNode_st *copy_of(const struct CUgraph_st *g, const struct CUgraphNode_st *of)
{
    for (size_t i = 0; i < g->node_n; i++)
        if (g->nodes[i]->origin == of) return g->nodes[i];
    return NULL;
}

static struct CUgraph_st *copy_graph(const struct CUgraph_st *g)
{
    struct CUgraph_st *copy = graph_new();
    for (size_t i = 0; i < g->node_n; i++) {
        struct CUgraphNode_st *node = graph_node_new(copy, g->nodes[i]->type, NULL, 0);
        node->origin = g->nodes[i];
        copy_node(node, g->nodes[i]);
    }
    for (size_t i = 0; i < g->node_n; i++)
        for (size_t b = 0; b < g->nodes[i]->before_n; b++)
            graph_node_depend(copy->nodes[i], copy_of(copy, g->nodes[i]->before[b]));
    return copy;
}

/* ---- graphs ---- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    if (!graph || flags) return corun_note(cudaErrorInvalidValue);
    *graph = graph_new();
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    if (!graph) return corun_note(cudaErrorInvalidValue);
    free_graph(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    if (!clone || !graph) return corun_note(cudaErrorInvalidValue);
    *clone = copy_graph(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t node,
                                     cudaGraph_t clone)
{
    if (!found || !clone) return corun_note(cudaErrorInvalidValue);
    *found = copy_of(clone, node);
    return corun_note(*found ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t graph_begin(cudaGraphNode_t *node, cudaGraph_t graph, enum cudaGraphNodeType type,
                        const cudaGraphNode_t *before, size_t n)
{
    if (!node || !graph || (n && !before)) return cudaErrorInvalidValue;
    *node = graph_node_new(graph, type, before, n);
    if (!*node) return cudaErrorInvalidValue;
    capture_for(*node);
    return cudaSuccess;
}

cudaError_t graph_made(cudaGraphNode_t *node, cudaError_t error)
{
    capture_for(NULL);
    if (error) cudaGraphDestroyNode(*node);
    return corun_note(error);
}

/* Start and end the replacement of an existing node's calls. */
static cudaError_t begin_again(cudaGraphNode_t node, enum cudaGraphNodeType type)
{
    if (!node || node->type != type) return cudaErrorInvalidValue;
    forget_calls(node);
    capture_for(node);
    return cudaSuccess;
}

static cudaError_t made_again(cudaError_t error)
{
    capture_for(NULL);
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

static cudaError_t queue_host(const struct cudaHostNodeParams *p)
{
    return p ? cudaLaunchHostFunc(NULL, p->fn, p->userData) : cudaErrorInvalidValue;
}

/* For each kind of node: add a node, change the work of a node, change the work of a node in an
 * executable graph. */
#define NODE_KIND(Kind, params_type, queue)                                                        \
    cudaError_t cudaGraphAdd##Kind##Node(cudaGraphNode_t *node, cudaGraph_t graph,                 \
                                         const cudaGraphNode_t *before, size_t n,                  \
                                         const struct params_type *p)                              \
    {                                                                                              \
        cudaError_t error = graph_begin(node, graph, cudaGraphNodeType##Kind, before, n);          \
        return error ? corun_note(error) : graph_made(node, queue(p));                             \
    }                                                                                              \
    cudaError_t cudaGraph##Kind##NodeSetParams(cudaGraphNode_t node, const struct params_type *p)  \
    {                                                                                              \
        cudaError_t error = begin_again(node, cudaGraphNodeType##Kind);                            \
        return error ? corun_note(error) : made_again(queue(p));                                   \
    }                                                                                              \
    cudaError_t cudaGraphExec##Kind##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,     \
                                                   const struct params_type *p)                    \
    {                                                                                              \
        return cudaGraph##Kind##NodeSetParams(exec ? copy_of(exec->graph, node) : NULL, p);        \
    }
NODE_KIND(Kernel, cudaKernelNodeParams, queue_kernel)
NODE_KIND(Memcpy, cudaMemcpy3DParms, queue_copy)
NODE_KIND(Memset, cudaMemsetParams, queue_fill)
NODE_KIND(Host, cudaHostNodeParams, queue_host)
#undef NODE_KIND

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *before, size_t n, void *to,
                                     const void *from, size_t size, enum cudaMemcpyKind kind)
{
    cudaError_t error = graph_begin(node, graph, cudaGraphNodeTypeMemcpy, before, n);
    if (error) return corun_note(error);
    return graph_made(node, cudaMemcpyAsync(to, from, size, kind, NULL));
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *before, size_t n,
                                           const void *symbol, const void *from, size_t size,
                                           size_t offset, enum cudaMemcpyKind kind)
{
    cudaError_t error = graph_begin(node, graph, cudaGraphNodeTypeMemcpy, before, n);
    if (error) return corun_note(error);
    return graph_made(node, cudaMemcpyToSymbolAsync(symbol, from, size, offset, kind, NULL));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *before, size_t n, void *to,
                                             const void *symbol, size_t size, size_t offset,
                                             enum cudaMemcpyKind kind)
{
    cudaError_t error = graph_begin(node, graph, cudaGraphNodeTypeMemcpy, before, n);
    if (error) return corun_note(error);
    return graph_made(node, cudaMemcpyFromSymbolAsync(to, symbol, size, offset, kind, NULL));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t size, enum cudaMemcpyKind kind)
{
    cudaError_t error = begin_again(node, cudaGraphNodeTypeMemcpy);
    return error ? corun_note(error) : made_again(cudaMemcpyAsync(to, from, size, kind, NULL));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t size,
                                               enum cudaMemcpyKind kind)
{
    return cudaGraphMemcpyNodeSetParams1D(exec ? copy_of(exec->graph, node) : NULL, to, from, size,
                                          kind);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *before, size_t n)
{
    cudaError_t error = graph_begin(node, graph, cudaGraphNodeTypeEmpty, before, n);
    return error ? corun_note(error) : graph_made(node, cudaSuccess);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *before, size_t n, cudaEvent_t event)
{
    cudaError_t error = graph_begin(node, graph, cudaGraphNodeTypeEventRecord, before, n);
    return error ? corun_note(error) : graph_made(node, cudaEventRecord(event, NULL));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *before, size_t n, cudaEvent_t event)
{
    cudaError_t error = graph_begin(node, graph, cudaGraphNodeTypeWaitEvent, before, n);
    return error ? corun_note(error) : graph_made(node, cudaStreamWaitEvent(NULL, event, 0));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *before, size_t n, cudaGraph_t child)
{
    cudaError_t error = child ? graph_begin(node, graph, cudaGraphNodeTypeGraph, before, n)
                              : cudaErrorInvalidValue;
    if (!error) (*node)->child = copy_graph(child);
    return error ? corun_note(error) : graph_made(node, cudaSuccess);
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    if (!node || !graph || !node->child) return corun_note(cudaErrorInvalidValue);
    *graph = node->child;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    if (!node) return corun_note(cudaErrorInvalidValue);
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
    return cudaSuccess;
}

/* ---- execution ---- */

/* Sorts the nodes topologically; independent nodes keep the order of creation. Returns false if the
 * graph has a cycle. */
static bool sort(struct CUgraph_st *g)
{
    struct CUgraphNode_st **sorted = calloc(g->node_n + 1, sizeof(struct CUgraphNode_st *));
    if (!sorted) abort();
    size_t n = 0;
    for (size_t i = 0; i < g->node_n; i++) g->nodes[i]->mark = 0;
    for (bool again = true; again && n < g->node_n;) {
        again = false;
        for (size_t i = 0; i < g->node_n; i++) {
            struct CUgraphNode_st *node = g->nodes[i];
            bool ready = !node->mark;
            for (size_t b = 0; b < node->before_n && ready; b++) ready = node->before[b]->mark;
            if (!ready) continue;
            node->mark = 1;
            sorted[n++] = node;
            again = true;
        }
    }
    bool whole = n == g->node_n;
    if (whole && n) memcpy(g->nodes, sorted, n * sizeof(struct CUgraphNode_st *));
    free(sorted);
    return whole;
}

static cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    enum { DEVICE_LAUNCH = 4, KNOWN = 15 };
    if (!exec || !graph || flags > KNOWN) return corun_note(cudaErrorInvalidValue);
    if (flags & DEVICE_LAUNCH) return corun_missing("a graph that is launched from the device");
    struct CUgraph_st *copy = copy_graph(graph);
    if (!sort(copy)) {
        free_graph(copy);
        return corun_note(cudaErrorInvalidValue);
    }
    *exec = malloc(sizeof **exec);
    if (!*exec) abort();
    **exec = (struct CUgraphExec_st){copy, flags};
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return instantiate(exec, graph, flags);
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    return instantiate(exec, graph, flags);
}
#else
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *at,
                                 char *log, size_t size)
{
    if (at) *at = NULL;
    if (log && size) *log = 0;
    return instantiate(exec, graph, 0);
}
#endif

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *p)
{
    if (!p) return corun_note(cudaErrorInvalidValue);
    p->errNode_out = NULL;
    cudaError_t error = instantiate(exec, graph, p->flags);
    p->result_out = error != cudaSuccess;
    return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    if (!exec || !flags) return corun_note(cudaErrorInvalidValue);
    *flags = exec->flags;
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    (void)stream;
    return corun_note(exec ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t graph_run(struct CUgraph_st *g, cudaStream_t stream, unsigned long long flags)
{
    cudaError_t error = sort(g) ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; i < g->node_n && !error; i++) {
        const struct CUgraphNode_st *node = g->nodes[i];
        if (node->disabled) continue;
        if (node->child) error = graph_run(node->child, stream, flags);
        if (node->body_n) error = graph_run_condition(node, stream, flags);
        if (node->type == cudaGraphNodeTypeMemAlloc)
            error = graph_memory_take(node->allocation, flags & GRAPH_FREE_FIRST);
        if (node->type == cudaGraphNodeTypeMemFree) error = graph_memory_give(node->allocation);
        for (size_t c = 0; c < node->call_n && !error; c++)
            error = corun_again(&node->calls[c], stream,
                                flags & GRAPH_NODE_PRIORITY ? node->priority
                                                            : WIRE_PRIORITY_OF_STREAM);
    }
    return error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    if (!exec) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = graph_reset_conditions(exec->graph, stream);
    if (!error) error = graph_run(exec->graph, stream, exec->flags);
    return corun_note(error);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    if (!exec) return corun_note(cudaErrorInvalidValue);
    free_graph(exec->graph);
    free(exec);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled)
{
    struct CUgraphNode_st *own = exec ? copy_of(exec->graph, node) : NULL;
    if (!own) return corun_note(cudaErrorInvalidValue);
    own->disabled = !enabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int *enabled)
{
    const struct CUgraphNode_st *own = exec ? copy_of(exec->graph, node) : NULL;
    if (!own || !enabled) return corun_note(cudaErrorInvalidValue);
    *enabled = !own->disabled;
    return cudaSuccess;
}

/* Updates `to` from `from`. Both must have the same nodes in the same order, with the same number
 * of dependencies. */
static enum cudaGraphExecUpdateResult update(struct CUgraph_st *to, struct CUgraph_st *from,
                                             cudaGraphNode_t *at)
{
    if (to->node_n != from->node_n) return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < to->node_n; i++) {
        *at = from->nodes[i];
        if (to->nodes[i]->type != from->nodes[i]->type)
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (to->nodes[i]->before_n != from->nodes[i]->before_n)
            return cudaGraphExecUpdateErrorTopologyChanged;
    }
    for (size_t i = 0; i < to->node_n; i++) copy_node(to->nodes[i], from->nodes[i]);
    *at = NULL;
    return cudaGraphExecUpdateSuccess;
}

static enum cudaGraphExecUpdateResult update_exec(cudaGraphExec_t exec, cudaGraph_t graph,
                                                  cudaGraphNode_t *at)
{
    struct CUgraph_st *sorted = copy_graph(graph);
    enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
    if (sort(sorted)) result = update(exec->graph, sorted, at);
    if (*at) *at = (*at)->origin;
    free_graph(sorted);
    return result;
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info)
{
    cudaGraphNode_t at = NULL;
    if (!exec || !graph) return corun_note(cudaErrorInvalidValue);
    enum cudaGraphExecUpdateResult result = update_exec(exec, graph, &at);
    if (info) *info = (cudaGraphExecUpdateResultInfo){result, at, NULL};
    return corun_note(result ? cudaErrorGraphExecUpdateFailure : cudaSuccess);
}
#else
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *at,
                                enum cudaGraphExecUpdateResult *result)
{
    cudaGraphNode_t none = NULL;
    if (!exec || !graph || !result) return corun_note(cudaErrorInvalidValue);
    *result = update_exec(exec, graph, &none);
    if (at) *at = none;
    return corun_note(*result ? cudaErrorGraphExecUpdateFailure : cudaSuccess);
}
#endif
