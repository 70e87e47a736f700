/* Queries of graphs and their nodes. */
#include <stdlib.h>
#include <string.h>

#include "cuda/capture/node.h"
#include "cuda/connection/error.h"
#include "cuda/connection/module.h"

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    if (!node || !type) return corun_note(cudaErrorInvalidValue);
    *type = node->type;
    return cudaSuccess;
}

/* A list for a caller that passes the capacity of its array. Without an array, the caller receives
 * only the number of elements. */
struct answer {
    cudaGraphNode_t *nodes;
    size_t room, n;
};

static void answer_put(struct answer *a, cudaGraphNode_t node)
{
    if (a->nodes && a->n < a->room) a->nodes[a->n] = node;
    a->n++;
}

static void answer_end(struct answer *a, size_t *n)
{
    for (size_t i = a->n; a->nodes && i < a->room; i++) a->nodes[i] = NULL;
    *n = a->nodes && a->room < a->n ? a->room : a->n;
}

static cudaError_t nodes(cudaGraph_t graph, cudaGraphNode_t *out, size_t *n, bool roots)
{
    if (!graph || !n) return corun_note(cudaErrorInvalidValue);
    struct answer a = {out, *n, 0};
    for (size_t i = 0; i < graph->node_n; i++)
        if (!roots || !graph->nodes[i]->before_n) answer_put(&a, graph->nodes[i]);
    answer_end(&a, n);
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *out, size_t *n)
{
    return nodes(graph, out, n, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *out, size_t *n)
{
    return nodes(graph, out, n, true);
}

#if CUDART_VERSION >= 13000
#define EDGES , cudaGraphEdgeData *edges
#define CONST_EDGES , const cudaGraphEdgeData *edges
#define NO_EDGES (void)edges
#define GIVEN(n) corun_edges_check(edges, n)
#else
#define EDGES
#define CONST_EDGES
#define NO_EDGES (void)0
#define GIVEN(n) corun_edges_check(NULL, n)
#endif

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to EDGES,
                              size_t *n)
{
    NO_EDGES;
    if (!graph || !n) return corun_note(cudaErrorInvalidValue);
    struct answer starts = {from, *n, 0}, ends = {to, *n, 0};
    for (size_t i = 0; i < graph->node_n; i++) {
        for (size_t b = 0; b < graph->nodes[i]->before_n; b++) {
            answer_put(&starts, graph->nodes[i]->before[b]);
            answer_put(&ends, graph->nodes[i]);
        }
    }
    answer_end(&starts, n);
    answer_end(&ends, n);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *out EDGES,
                                         size_t *n)
{
    NO_EDGES;
    if (!node || !n) return corun_note(cudaErrorInvalidValue);
    struct answer a = {out, *n, 0};
    for (size_t b = 0; b < node->before_n; b++) answer_put(&a, node->before[b]);
    answer_end(&a, n);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *out EDGES,
                                           size_t *n)
{
    NO_EDGES;
    if (!node || !n) return corun_note(cudaErrorInvalidValue);
    struct answer a = {out, *n, 0};
    for (size_t i = 0; i < node->graph->node_n; i++)
        for (size_t b = 0; b < node->graph->nodes[i]->before_n; b++)
            if (node->graph->nodes[i]->before[b] == node) answer_put(&a, node->graph->nodes[i]);
    answer_end(&a, n);
    return cudaSuccess;
}

/* True if all pairs are nodes of the graph, and each pair is an edge, or no edge if not `there`. */
static bool pairs_fit(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                      size_t n, bool there)
{
    if (n && (!from || !to)) return false;
    for (size_t i = 0; i < n; i++) {
        bool is = false;
        if (from[i]->graph != graph || to[i]->graph != graph || from[i] == to[i]) return false;
        for (size_t b = 0; b < to[i]->before_n; b++) is |= to[i]->before[b] == from[i];
        if (is != there) return false;
    }
    return true;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to CONST_EDGES, size_t n)
{
    cudaError_t error = GIVEN(n);
    if (error) return error;
    if (!pairs_fit(graph, from, to, n, false)) return corun_note(cudaErrorInvalidValue);
    for (size_t i = 0; i < n; i++) corun_node_depend(to[i], from[i]);
    return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to CONST_EDGES, size_t n)
{
    NO_EDGES;
    if (n && graph && corun_graph_has_memory(graph)) return corun_note(cudaErrorNotSupported);
    if (!pairs_fit(graph, from, to, n, true)) return corun_note(cudaErrorInvalidValue);
    for (size_t i = 0; i < n; i++) {
        size_t kept = 0;
        for (size_t b = 0; b < to[i]->before_n; b++)
            if (to[i]->before[b] != from[i]) to[i]->before[kept++] = to[i]->before[b];
        to[i]->before_n = kept;
    }
    return cudaSuccess;
}

/* ---- parameters, decoded from the stored calls ---- */

static const struct corun_call *the_call(cudaGraphNode_t node, enum cudaGraphNodeType type,
                                         const void *out)
{
    return node && out && node->type == type && node->call_n == 1 ? node->calls : NULL;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p)
{
    struct wire_launch l;
    const struct corun_call *c = the_call(node, cudaGraphNodeTypeKernel, p);
    const struct corun_function *f = c ? corun_function_of((uint32_t)c->at[0]) : NULL;
    if (!f) return corun_note(cudaErrorInvalidValue);
    memcpy(&l, c->payload, sizeof l);
    if (!node->params) node->params = calloc(f->of.param_n + 1u, sizeof(void *));
    if (!node->params) abort();
    for (uint32_t i = 0; i < f->of.param_n; i++)
        node->params[i] = corun_pointer(corun_address(c->payload) + sizeof l +
                                        f->params[i].offset);
    *p = (struct cudaKernelNodeParams){corun_pointer(corun_address(f->host)),
                                       {l.grid[0], l.grid[1], l.grid[2]},
                                       {l.block[0], l.block[1], l.block[2]},
                                       l.shared_bytes, node->params, NULL};
    return cudaSuccess;
}

static struct cudaPitchedPtr place(uint64_t address, uint64_t pitch, uint64_t slice,
                                   const struct wire_copy *w)
{
    if (!pitch) pitch = w->width;
    return (struct cudaPitchedPtr){corun_pointer(address), pitch, w->width,
                                   slice ? slice / pitch : w->height};
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p)
{
    struct wire_copy w;
    const struct corun_call *c = the_call(node, cudaGraphNodeTypeMemcpy, p);
    if (!c) return corun_note(cudaErrorInvalidValue);
    memcpy(&w, c->payload, sizeof w);
    *p = (struct cudaMemcpy3DParms){.srcPtr = place(w.from, w.from_pitch, w.from_slice, &w),
                                    .dstPtr = place(w.to, w.to_pitch, w.to_slice, &w),
                                    .extent = {w.width, w.height, w.depth},
                                    .kind = cudaMemcpyDefault};
    return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p)
{
    const struct corun_call *c = the_call(node, cudaGraphNodeTypeMemset, p);
    if (!c) return corun_note(cudaErrorInvalidValue);
    *p = (struct cudaMemsetParams){corun_pointer(c->at[2]), c->at[3], (unsigned)c->at[4],
                                   (unsigned)c->at[5], c->at[6], c->at[7]};
    return cudaSuccess;
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p)
{
    const struct corun_call *c = the_call(node, cudaGraphNodeTypeHost, p);
    if (!c) return corun_note(cudaErrorInvalidValue);
    *p = (struct cudaHostNodeParams){(cudaHostFn_t)(uintptr_t)c->at[1], corun_pointer(c->at[2])};
    return cudaSuccess;
}
