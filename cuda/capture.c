/* Capture: what is queued in a stream becomes a graph. Other streams join when they wait for an
 * event that was recorded in it. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

struct capture {
    struct CUgraph_st *graph;
    uint32_t origin;
    unsigned long long id;
    bool own; /* the graph was made for it */
    bool invalid;
};
struct captured { /* a stream, or an event, of a capture */
    bool event;
    uint64_t number;
    struct capture *of;
    struct CUgraphNode_st **last; /* what comes next in it must wait for these */
    size_t last_n;
};
static struct captured *list;
static size_t list_n;
static unsigned long long next_id = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct CUgraphNode_st *making;

void capture_for(struct CUgraphNode_st *node) { making = node; }

static struct captured *find(bool event, uint64_t number)
{
    for (size_t i = 0; i < list_n; i++)
        if (list[i].event == event && list[i].number == number) return &list[i];
    return NULL;
}

static void set_last(struct captured *c, struct CUgraphNode_st *const *nodes, size_t n)
{
    struct CUgraphNode_st **copy = calloc(n + 1, sizeof(struct CUgraphNode_st *));
    if (!copy) abort();
    for (size_t i = 0; i < n; i++) copy[i] = nodes[i];
    free(c->last);
    c->last = copy;
    c->last_n = n;
}

static void add_last(struct captured *c, const struct captured *from)
{
    struct CUgraphNode_st **all = calloc(c->last_n + from->last_n + 1,
                                         sizeof(struct CUgraphNode_st *));
    if (!all) abort();
    size_t n = 0;
    for (size_t i = 0; i < c->last_n + from->last_n; i++) {
        struct CUgraphNode_st *one = i < c->last_n ? c->last[i] : from->last[i - c->last_n];
        size_t known = 0;
        while (known < n && all[known] != one) known++;
        if (known == n) all[n++] = one;
    }
    set_last(c, all, n);
    free(all);
}

static struct captured *add(bool event, uint64_t number, struct capture *of)
{
    struct captured *c = find(event, number);
    if (!c) {
        list = realloc(list, (list_n + 1) * sizeof *list);
        if (!list) abort();
        c = &list[list_n++];
        *c = (struct captured){.event = event, .number = number};
    }
    c->of = of;
    set_last(c, NULL, 0);
    return c;
}

static void drop(struct capture *of)
{
    size_t kept = 0;
    for (size_t i = 0; i < list_n; i++) {
        if (list[i].of == of) free(list[i].last);
        else list[kept++] = list[i];
    }
    list_n = kept;
    free(of);
}

/* ---- what is queued ---- */

static enum cudaGraphNodeType type_of(enum wire_call call)
{
    switch ((int)call) {
    case CALL_LAUNCH: return cudaGraphNodeTypeKernel;
    case CALL_COPY: return cudaGraphNodeTypeMemcpy;
    case CALL_FILL: return cudaGraphNodeTypeMemset;
    default: return cudaGraphNodeTypeHost;
    }
}

/* An event in a capture is a place in it; what waits for it joins. */
static cudaError_t mark_event(struct captured *stream, uint64_t event)
{
    struct capture *of = stream->of;
    uint64_t number = stream->number;
    struct captured *e = add(true, event, of);
    stream = find(false, number); /* the list may have moved */
    set_last(e, stream->last, stream->last_n);
    return cudaSuccess;
}

static cudaError_t join(uint64_t stream, uint64_t event)
{
    struct capture *of = find(true, event)->of;
    struct captured *s = find(false, stream);
    if (s && s->of != of) return cudaErrorStreamCaptureMerge;
    if (!s) s = add(false, stream, of);
    add_last(s, find(true, event));
    return cudaSuccess;
}

/* That of the launch, else that of the stream in which it is captured. */
static int32_t priority_of(const struct corun_call *launch, uint64_t stream)
{
    struct wire_launch l;
    struct corun_call ask = {.call = CALL_STREAM_GET, .at = {stream}};
    memcpy(&l, launch->payload, sizeof l);
    if (l.priority != WIRE_PRIORITY_OF_STREAM) return l.priority;
    return corun_do(&ask) ? WIRE_PRIORITY_LEAST : (int32_t)(int64_t)ask.got[1];
}

static cudaError_t keep(struct captured *stream, const struct corun_call *c)
{
    if (stream->of->invalid) return cudaErrorStreamCaptureInvalidated;
    struct CUgraphNode_st *node = graph_node_new(stream->of->graph, type_of(c->call), stream->last,
                                                 stream->last_n);
    if (!node) return cudaErrorInvalidValue;
    graph_node_keep(node, c);
    if (c->call == CALL_LAUNCH) node->priority = priority_of(c, stream->number);
    set_last(stream, &node, 1);
    return cudaSuccess;
}

cudaError_t corun_queue(struct corun_call *c, cudaStream_t stream)
{
    uint32_t number = corun_stream(stream);
    if (making) {
        graph_node_keep(making, c);
        return cudaSuccess;
    }
    cudaError_t error = cudaSuccess;
    pthread_mutex_lock(&lock);
    struct captured *s = list_n ? find(false, number) : NULL;
    bool joins = list_n && c->call == CALL_STREAM_WAIT && find(true, c->at[1]);
    bool captured = s || joins;
    if (joins) error = join(number, c->at[1]);
    else if (s && c->call == CALL_EVENT_RECORD) error = mark_event(s, c->at[0]);
    else if (s && c->call == CALL_STREAM_WAIT) error = cudaErrorStreamCaptureIsolation;
    else if (s) error = keep(s, c);
    pthread_mutex_unlock(&lock);
    return captured ? error : corun_do(c);
}

/* In the stream that it is for now. */
cudaError_t corun_again(const struct corun_call *kept, cudaStream_t stream, int32_t priority)
{
    struct corun_call c = *kept;
    struct wire_launch l;
    uint32_t number = corun_stream(stream);
    if (c.call == CALL_LAUNCH) {
        memcpy(&l, c.payload, sizeof l);
        l.stream = number;
        l.priority = priority;
        c.payload = &l;
    } else {
        c.at[c.call == CALL_EVENT_RECORD] = number;
    }
    return corun_queue(&c, stream);
}

bool corun_is_captured(cudaStream_t stream)
{
    if (making) return true;
    uint32_t number = corun_stream(stream);
    pthread_mutex_lock(&lock);
    bool is = list_n && find(false, number);
    pthread_mutex_unlock(&lock);
    return is;
}

bool corun_capture_memory(cudaStream_t stream, enum cudaGraphNodeType type, void *pointer,
                          size_t bytes)
{
    if (!corun_is_captured(stream)) return false;
    uint32_t number = corun_stream(stream);
    pthread_mutex_lock(&lock);
    struct captured *s = find(false, number);
    struct CUgraphNode_st *node =
        s ? graph_node_new(s->of->graph, type, s->last, s->last_n) : NULL;
    if (node) {
        node->allocation = node->of_allocation.dptr = pointer;
        node->of_allocation.bytesize = bytes;
        if (type == cudaGraphNodeTypeMemAlloc) graph_memory_add(pointer, bytes);
        set_last(s, &node, 1);
    }
    pthread_mutex_unlock(&lock);
    return true;
}

/* Waiting for a stream whose work does not run ends its capture. */
cudaError_t corun_may_wait(cudaStream_t stream)
{
    uint32_t number = corun_stream(stream);
    pthread_mutex_lock(&lock);
    struct captured *s = list_n ? find(false, number) : NULL;
    if (s) s->of->invalid = true;
    pthread_mutex_unlock(&lock);
    return s ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

/* ---- begin and end ---- */

static cudaError_t begin(cudaStream_t stream, struct CUgraph_st *graph, const cudaGraphNode_t *last,
                         size_t n)
{
    uint32_t number = corun_stream(stream);
    if (!number) return cudaErrorStreamCaptureUnsupported; /* the legacy stream */
    cudaError_t error = cudaErrorIllegalState;
    pthread_mutex_lock(&lock);
    if (!find(false, number)) {
        struct capture *c = calloc(1, sizeof *c);
        if (!c) abort();
        *c = (struct capture){graph ? graph : graph_new(), number, next_id++, !graph, false};
        set_last(add(false, number, c), last, n);
        error = cudaSuccess;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    (void)mode;
    return corun_note(begin(stream, NULL, NULL, 0));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *edges, size_t n,
                                          enum cudaStreamCaptureMode mode)
{
    (void)edges, (void)mode;
    if (!graph || (n && !dependencies)) return corun_note(cudaErrorInvalidValue);
    return corun_note(begin(stream, graph, dependencies, n));
}

/* Whether all that joined has come back to the stream in which it began. */
static bool is_joined(const struct capture *c)
{
    const struct captured *origin = find(false, c->origin);
    size_t ends = 0, known = 0;
    for (size_t i = 0; i < c->graph->node_n; i++) c->graph->nodes[i]->mark = 0;
    for (size_t i = 0; i < c->graph->node_n; i++)
        for (size_t b = 0; b < c->graph->nodes[i]->before_n; b++)
            c->graph->nodes[i]->before[b]->mark = 1;
    for (size_t i = 0; i < list_n; i++) {
        if (list[i].of != c || list[i].event || list[i].number == c->origin) continue;
        for (size_t n = 0; n < list[i].last_n; n++) {
            if (list[i].last[n]->mark) continue;
            ends++;
            for (size_t o = 0; o < origin->last_n; o++) known += origin->last[o] == list[i].last[n];
        }
    }
    return ends == known;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    uint32_t number = corun_stream(stream);
    if (graph) *graph = NULL; /* whoever captured into a graph has it already */
    cudaError_t error = cudaSuccess;
    pthread_mutex_lock(&lock);
    struct captured *s = find(false, number);
    if (!s) error = cudaErrorIllegalState;
    else if (s->of->origin != number) error = cudaErrorStreamCaptureUnmatched;
    else if (s->of->invalid) error = cudaErrorStreamCaptureInvalidated;
    else if (!is_joined(s->of)) error = cudaErrorStreamCaptureUnjoined;
    else if (graph) *graph = s->of->graph;
    else if (s->of->own) error = cudaErrorInvalidValue;
    struct CUgraph_st *lost = s && error && s->of->own && s->of->origin == number ? s->of->graph
                                                                                 : NULL;
    if (s && s->of->origin == number) drop(s->of);
    pthread_mutex_unlock(&lock);
    if (lost) cudaGraphDestroy(lost);
    return corun_note(error);
}

/* ---- what is asked of a capture ---- */

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    if (!status) return corun_note(cudaErrorInvalidValue);
    uint32_t number = corun_stream(stream);
    pthread_mutex_lock(&lock);
    const struct captured *s = find(false, number);
    *status = !s              ? cudaStreamCaptureStatusNone
              : s->of->invalid ? cudaStreamCaptureStatusInvalidated
                               : cudaStreamCaptureStatusActive;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges, size_t *n)
{
    cudaError_t error = cudaStreamIsCapturing(stream, status);
    uint32_t number = corun_stream(stream);
    pthread_mutex_lock(&lock);
    const struct captured *s = find(false, number);
    if (s && id) *id = s->of->id;
    if (s && graph) *graph = s->of->graph;
    if (s && dependencies) *dependencies = s->last;
    if (edges) *edges = NULL;
    if (s && n) *n = s->last_n;
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *edges, size_t n,
                                                unsigned int flags)
{
    (void)edges;
    enum { ADD, SET };
    uint32_t number = corun_stream(stream);
    if (flags > SET || (n && !dependencies)) return corun_note(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    struct captured *s = find(false, number);
    const struct captured with = {.last = dependencies, .last_n = n};
    if (s && flags == SET) set_last(s, dependencies, n);
    else if (s) add_last(s, &with);
    pthread_mutex_unlock(&lock);
    return corun_note(s ? cudaSuccess : cudaErrorIllegalState);
}
#endif

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    static _Thread_local enum cudaStreamCaptureMode kept;
    if (!mode) return corun_note(cudaErrorInvalidValue);
    enum cudaStreamCaptureMode before = kept;
    kept = *mode;
    *mode = before;
    return cudaSuccess;
}
