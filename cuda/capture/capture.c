#include "cuda/capture/capture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/capture/memory.h"

struct capture {
    struct CUgraph_st *graph;
    uint32_t origin;
    unsigned long long id;
    enum cudaStreamCaptureMode mode;
    const void *thread; /* thread that began the capture */
    bool own;           /* the graph was created for the capture */
    bool invalid;       /* a forbidden call has invalidated the capture */
};
struct captured { /* a stream or an event of a capture */
    bool event;
    bool blocking;      /* the legacy stream waits for the stream */
    uint64_t number;
    struct capture *of; /* NULL: an event of a capture that has ended */
    struct CUgraphNode_st **last; /* dependencies of the next node */
    size_t last_n;
};
#define GONE UINT64_MAX /* number of a stream destroyed during its capture */
static struct captured *list;
static size_t list_n;
static unsigned long long next_id = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct CUgraphNode_st *making;
static _Thread_local enum cudaStreamCaptureMode thread_mode;
static _Thread_local char this_thread; /* the address identifies the thread */

void corun_capture_for(struct CUgraphNode_st *node) { making = node; }

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

static void forget(struct captured *c)
{
    free(c->last);
    *c = list[--list_n];
}

/* Ends a capture: the streams become ordinary streams, the events remain known as captured. */
static void drop(struct capture *of)
{
    for (size_t i = list_n; i-- > 0;) {
        if (list[i].of != of) continue;
        list[i].of = NULL;
        set_last(&list[i], NULL, 0);
        if (!list[i].event) forget(&list[i]);
    }
    free(of);
}

/* ---- forbidden calls: return the error and invalidate the captures concerned ---- */

static cudaError_t spoil(struct capture *of, cudaError_t error)
{
    if (of) of->invalid = true;
    return error;
}

/* Checks for blocking streams under capture: the legacy stream waits for all blocking streams,
 * including captured streams. */
static cudaError_t legacy_error(uint32_t stream, bool spoils)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < list_n && !stream; i++) {
        if (list[i].event || !list[i].blocking) continue;
        error = cudaErrorStreamCaptureImplicit;
        if (spoils) spoil(list[i].of, error);
    }
    return error;
}

/* Checks a wait for a stream: a captured stream never executes its work. */
cudaError_t corun_may_wait(uint32_t stream)
{
    pthread_mutex_lock(&lock);
    const struct captured *s = find(false, stream);
    cudaError_t error = !s               ? legacy_error(stream, true)
                        : s->of->invalid ? cudaErrorStreamCaptureInvalidated
                                         : spoil(s->of, cudaErrorStreamCaptureUnsupported);
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t corun_may_queue(uint32_t stream)
{
    pthread_mutex_lock(&lock);
    const struct captured *s = find(false, stream);
    cudaError_t error = legacy_error(stream, true);
    if (s && s->of->invalid) error = cudaErrorStreamCaptureInvalidated;
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t corun_may_wait_for_all(void)
{
    cudaError_t error = cudaSuccess;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < list_n; i++)
        if (list[i].of) error = spoil(list[i].of, cudaErrorStreamCaptureUnsupported);
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t corun_may_ask_event(uint64_t event)
{
    cudaError_t error = cudaSuccess;
    pthread_mutex_lock(&lock);
    const struct captured *e = find(true, event);
    if (e) error = spoil(e->of, cudaErrorCapturedEvent);
    pthread_mutex_unlock(&lock);
    return error;
}

/* Returns true if the capture forbids calls of the current thread outside the capture, such as
 * allocations. */
static bool prohibits(const struct capture *c)
{
    if (thread_mode == cudaStreamCaptureModeRelaxed) return false;
    if (c->thread == &this_thread) return c->mode != cudaStreamCaptureModeRelaxed;
    return c->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal;
}

cudaError_t corun_may_be_unsafe(void)
{
    cudaError_t error = cudaSuccess;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < list_n; i++)
        if (list[i].of && prohibits(list[i].of))
            error = spoil(list[i].of, cudaErrorStreamCaptureUnsupported);
    pthread_mutex_unlock(&lock);
    return error;
}

void corun_forget_event(uint64_t event)
{
    pthread_mutex_lock(&lock);
    struct captured *e = find(true, event);
    if (e) forget(e);
    pthread_mutex_unlock(&lock);
}

/* Handles the destruction of a stream. A capture that began in the stream ends. A capture that the
 * stream has joined keeps a record of the stream's work that has not rejoined. */
void corun_forget_stream(uint32_t stream)
{
    struct CUgraph_st *lost = NULL;
    pthread_mutex_lock(&lock);
    struct captured *s = find(false, stream);
    struct capture *of = s ? s->of : NULL;
    if (of && of->origin == stream) {
        if (of->own) lost = of->graph;
        drop(of);
    } else if (s) {
        s->number = GONE;
        s->blocking = false;
    }
    pthread_mutex_unlock(&lock);
    if (lost) corun_graph_free(lost);
}

/* ---- queued calls ---- */

static enum cudaGraphNodeType type_of(enum wire_call call)
{
    switch ((int)call) {
    case CALL_LAUNCH: return cudaGraphNodeTypeKernel;
    case CALL_COPY: return cudaGraphNodeTypeMemcpy;
    case CALL_FILL: return cudaGraphNodeTypeMemset;
    case CALL_EVENT_RECORD: return cudaGraphNodeTypeEventRecord;
    case CALL_STREAM_WAIT: return cudaGraphNodeTypeWaitEvent;
    default: return cudaGraphNodeTypeHost;
    }
}

/* Adds a stream to the capture. Returns NULL if the stream does not exist. */
static struct captured *add_stream(uint32_t stream, struct capture *of)
{
    struct corun_call c = {.call = CALL_STREAM_GET, .at = {stream}};
    if (corun_do(&c)) return NULL;
    struct captured *s = add(false, stream, of);
    s->blocking = !c.got[0];
    return s;
}

/* Records an event in a captured stream: the event stands for the current dependencies of the
 * stream, and a later wait for the event joins the waiting stream to the capture. */
static cudaError_t mark_event(struct captured *stream, uint64_t event)
{
    struct capture *of = stream->of;
    uint64_t number = stream->number;
    struct captured *e = add(true, event, of);
    stream = find(false, number); /* the list may have been reallocated */
    set_last(e, stream->last, stream->last_n);
    return cudaSuccess;
}

/* Handles a wait of stream `s` for event `e`, at least one in a capture; NULL: not in a capture. */
static cudaError_t join(struct captured *s, uint32_t stream, const struct captured *e)
{
    if (!e || !e->of)
        return s ? spoil(s->of, cudaErrorStreamCaptureIsolation) : cudaErrorCapturedEvent;
    struct capture *of = e->of;
    uint64_t event = e->number;
    if (s && s->of != of) {
        spoil(of, cudaErrorStreamCaptureMerge);
        return spoil(s->of, cudaErrorStreamCaptureMerge);
    }
    if (of->invalid) return cudaErrorStreamCaptureInvalidated;
    if (!s) s = add_stream(stream, of);
    if (!s) return cudaErrorInvalidResourceHandle;
    add_last(s, find(true, event));
    return cudaSuccess;
}

/* Returns the priority of the launch, or of the capturing stream if the launch has none. */
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
    struct CUgraphNode_st *node = corun_node_new(stream->of->graph, type_of(c->call), stream->last,
                                                 stream->last_n);
    if (!node) return cudaErrorInvalidValue;
    struct corun_call kept = *c;
    if (c->call == CALL_EVENT_RECORD || c->call == CALL_STREAM_WAIT) kept.at[2] = 0;
    corun_node_keep(node, &kept);
    if (c->call == CALL_LAUNCH) node->priority = priority_of(c, stream->number);
    set_last(stream, &node, 1);
    return cudaSuccess;
}

/* Captures a call if necessary. *sent: the call must be sent to the simulator. */
static cudaError_t take(uint32_t stream, const struct corun_call *c, bool *sent)
{
    const bool records = c->call == CALL_EVENT_RECORD, waits = c->call == CALL_STREAM_WAIT;
    const bool external = (records || waits) && c->at[2];
    struct captured *s = find(false, stream), *e = waits ? find(true, c->at[1]) : NULL;
    *sent = false;
    cudaError_t error = legacy_error(stream, true);
    if (error) return error;
    if (s && s->of->invalid) return cudaErrorStreamCaptureInvalidated;
    if (external && !s) return cudaErrorInvalidValue;
    if (waits && !external && (s || e)) return join(s, stream, e);
    if (s && records && !external) return mark_event(s, c->at[0]);
    if (s) return keep(s, c);
    e = records ? find(true, c->at[0]) : NULL;
    if (e) forget(e);
    *sent = true;
    return cudaSuccess;
}

cudaError_t corun_queue(struct corun_call *c, uint32_t stream)
{
    bool sent;
    if (making) {
        corun_node_keep(making, c);
        return cudaSuccess;
    }
    pthread_mutex_lock(&lock);
    cudaError_t error = take(stream, c, &sent);
    pthread_mutex_unlock(&lock);
    return sent ? corun_do(c) : error;
}

bool corun_is_captured(uint32_t stream)
{
    if (making) return true;
    pthread_mutex_lock(&lock);
    bool is = list_n && find(false, stream);
    pthread_mutex_unlock(&lock);
    return is;
}

bool corun_capture_memory(uint32_t stream, enum cudaGraphNodeType type, void *pointer,
                          size_t bytes)
{
    pthread_mutex_lock(&lock);
    struct captured *s = find(false, stream);
    struct CUgraphNode_st *node =
        s ? corun_node_new(s->of->graph, type, s->last, s->last_n) : NULL;
    if (node) {
        node->allocation = node->of_allocation.dptr = pointer;
        node->of_allocation.bytesize = bytes;
        if (type == cudaGraphNodeTypeMemAlloc) corun_graph_memory_add(pointer, bytes);
        set_last(s, &node, 1);
    }
    pthread_mutex_unlock(&lock);
    return node != NULL;
}

bool corun_capture_child(uint32_t stream, const struct CUgraph_st *g)
{
    pthread_mutex_lock(&lock);
    struct captured *s = find(false, stream);
    struct CUgraphNode_st *node =
        s ? corun_node_new(s->of->graph, cudaGraphNodeTypeGraph, s->last, s->last_n) : NULL;
    if (node) {
        node->child = corun_graph_copy(g);
        for (size_t i = 0; i < g->node_n; i++)
            node->child->nodes[i]->disabled = g->nodes[i]->disabled;
        set_last(s, &node, 1);
    }
    pthread_mutex_unlock(&lock);
    return node != NULL;
}

/* ---- begin and end ---- */

cudaError_t corun_capture_begin(uint32_t stream, struct CUgraph_st *graph,
                                const cudaGraphNode_t *last, size_t n,
                                enum cudaStreamCaptureMode mode)
{
    if ((unsigned)mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    if (!stream) return cudaErrorStreamCaptureUnsupported; /* the legacy stream */
    cudaError_t error = cudaErrorIllegalState;
    pthread_mutex_lock(&lock);
    if (!find(false, stream)) {
        struct capture *c = calloc(1, sizeof *c);
        if (!c) abort();
        struct captured *s = add_stream(stream, c);
        error = s ? cudaSuccess : cudaErrorInvalidResourceHandle;
        if (s) {
            *c = (struct capture){graph ? graph : corun_graph_new(), stream, next_id++, mode,
                                  &this_thread, !graph, false};
            set_last(s, last, n);
        } else {
            free(c);
        }
    }
    pthread_mutex_unlock(&lock);
    return error;
}

/* Returns true if the work of all joined streams has rejoined the origin stream. */
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

cudaError_t corun_capture_end(uint32_t stream, cudaGraph_t *graph)
{
    if (graph) *graph = NULL; /* with its own graph the caller already has the result */
    cudaError_t error = cudaSuccess;
    pthread_mutex_lock(&lock);
    struct captured *s = find(false, stream);
    if (!s) error = cudaErrorIllegalState;
    else if (s->of->origin != stream) error = cudaErrorStreamCaptureUnmatched;
    else if (s->of->thread != &this_thread && s->of->mode != cudaStreamCaptureModeRelaxed)
        error = cudaErrorStreamCaptureWrongThread;
    else if (s->of->invalid) error = cudaErrorStreamCaptureInvalidated;
    else if (!is_joined(s->of)) error = cudaErrorStreamCaptureUnjoined;
    else if (graph) *graph = s->of->graph;
    else if (s->of->own) error = cudaErrorInvalidValue;
    const bool ends = s && s->of->origin == stream && error != cudaErrorStreamCaptureWrongThread;
    struct CUgraph_st *lost = ends && error && s->of->own ? s->of->graph : NULL;
    if (ends) drop(s->of);
    pthread_mutex_unlock(&lock);
    if (lost) corun_graph_free(lost);
    return error;
}

/* ---- captures, seen from outside ---- */

cudaError_t corun_capture_of(uint32_t stream, struct corun_capture *out)
{
    pthread_mutex_lock(&lock);
    const struct captured *s = find(false, stream);
    cudaError_t error = legacy_error(stream, false);
    *out = (struct corun_capture){.status = cudaStreamCaptureStatusNone};
    if (s)
        *out = (struct corun_capture){s->of->invalid ? cudaStreamCaptureStatusInvalidated
                                                     : cudaStreamCaptureStatusActive,
                                      s->of->id, s->of->graph, s->last, s->last_n};
    pthread_mutex_unlock(&lock);
    return error;
}

cudaError_t corun_capture_depend(uint32_t stream, const cudaGraphNode_t *nodes, size_t n,
                                 bool replaces)
{
    pthread_mutex_lock(&lock);
    struct captured *s = find(false, stream);
    const struct captured with = {.last = (cudaGraphNode_t *)corun_pointer(nodes), .last_n = n};
    const bool invalid = s && s->of->invalid;
    if (invalid) s = NULL;
    if (s && replaces) set_last(s, nodes, n);
    else if (s) add_last(s, &with);
    pthread_mutex_unlock(&lock);
    return s         ? cudaSuccess
           : invalid ? cudaErrorStreamCaptureInvalidated
                     : cudaErrorIllegalState;
}

enum cudaStreamCaptureMode corun_capture_mode(enum cudaStreamCaptureMode mode)
{
    enum cudaStreamCaptureMode before = thread_mode;
    thread_mode = mode;
    return before;
}
