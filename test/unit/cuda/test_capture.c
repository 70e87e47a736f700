/* Stream capture: the calls that become nodes, streams that join a capture, calls that a capture
 * forbids with their errors, and the end of a capture. Source of the rules: CUDA run-time API,
 * cudaStreamBeginCapture, cudaThreadExchangeStreamCaptureMode and cudaStreamEndCapture. */
#include "fake_simulator.h"

#include <pthread.h>

#include "cuda/capture/capture.h"
#include "cuda/capture/memory.h"

#define GLOBAL cudaStreamCaptureModeGlobal
#define THREAD cudaStreamCaptureModeThreadLocal
#define RELAXED cudaStreamCaptureModeRelaxed
enum { LEGACY = 0, S = 1, T = 2, U = 3, EVENT = 40, OTHER_EVENT = 41 };

static cudaError_t begin(uint32_t stream, enum cudaStreamCaptureMode mode)
{
    return corun_capture_begin(stream, NULL, NULL, 0, mode);
}

static struct CUgraph_st *end(uint32_t stream)
{
    cudaGraph_t graph;
    assert_int_equal(corun_capture_end(stream, &graph), cudaSuccess);
    assert_non_null(graph);
    return graph;
}

/* Ends the capture and expects the error; no graph results. */
static void end_with(uint32_t stream, cudaError_t error)
{
    struct CUgraph_st none, *graph = &none;
    assert_int_equal(corun_capture_end(stream, &graph), error);
    assert_null(graph);
}

static enum cudaStreamCaptureStatus status_of(uint32_t stream)
{
    struct corun_capture c;
    corun_capture_of(stream, &c);
    return c.status;
}

static cudaError_t fill(uint32_t stream)
{
    return corun_queue(&(struct corun_call){.call = CALL_FILL, .at = {stream}}, stream);
}

static cudaError_t record(uint64_t event, uint32_t stream, uint64_t flags)
{
    return corun_queue(&(struct corun_call){.call = CALL_EVENT_RECORD,
                                            .at = {event, stream, flags}}, stream);
}

static cudaError_t wait_event(uint32_t stream, uint64_t event, uint64_t flags)
{
    return corun_queue(&(struct corun_call){.call = CALL_STREAM_WAIT,
                                            .at = {stream, event, flags}}, stream);
}

/* ---- begin ---- */

static void test_begin(void **state)
{
    (void)state;
    assert_int_equal(begin(S, (enum cudaStreamCaptureMode)3), cudaErrorInvalidValue);
    assert_int_equal(begin(LEGACY, GLOBAL), cudaErrorStreamCaptureUnsupported);
    fake.refuses[CALL_STREAM_GET] = cudaErrorInvalidResourceHandle; /* no such stream */
    assert_int_equal(begin(S, GLOBAL), cudaErrorInvalidResourceHandle);
    assert_int_equal(status_of(S), cudaStreamCaptureStatusNone);
    fake.refuses[CALL_STREAM_GET] = cudaSuccess;
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_int_equal(begin(S, RELAXED), cudaErrorIllegalState);
    assert_int_equal(begin(T, GLOBAL), cudaSuccess);
    struct corun_capture s, t, none;
    assert_int_equal(corun_capture_of(S, &s), cudaSuccess);
    assert_int_equal(corun_capture_of(T, &t), cudaSuccess);
    assert_int_equal(corun_capture_of(U, &none), cudaSuccess);
    assert_int_equal(s.status, cudaStreamCaptureStatusActive);
    assert_true(s.id != t.id);
    assert_ptr_not_equal(s.graph, t.graph);
    assert_int_equal(none.status, cudaStreamCaptureStatusNone);
    assert_null(none.graph);
    assert_true(corun_is_captured(S));
    assert_false(corun_is_captured(U));
    corun_graph_free(end(S));
    assert_false(corun_is_captured(S));
    corun_graph_free(end(T));
}

/* A capture may add to an existing graph, after nodes of the graph; the graph stays the program's
 * even if the capture fails. */
static void test_begin_to_graph(void **state)
{
    (void)state;
    struct CUgraph_st *g = corun_graph_new();
    struct CUgraphNode_st *first = corun_node_new(g, cudaGraphNodeTypeEmpty, NULL, 0);
    assert_int_equal(corun_capture_begin(S, g, &first, 1, GLOBAL), cudaSuccess);
    assert_int_equal(fill(S), cudaSuccess);
    assert_int_equal(corun_capture_end(S, NULL), cudaSuccess); /* the program has the graph */
    assert_int_equal(g->node_n, 2);
    assert_int_equal(g->nodes[1]->before_n, 1);
    assert_ptr_equal(g->nodes[1]->before[0], first);
    assert_int_equal(corun_capture_begin(S, g, &first, 1, GLOBAL), cudaSuccess);
    corun_may_wait(S);
    end_with(S, cudaErrorStreamCaptureInvalidated);
    assert_int_equal(g->node_n, 2);
    corun_graph_free(g);
}

/* ---- captured calls ---- */

static void test_nodes(void **state)
{
    (void)state;
    const struct {
        enum wire_call call;
        enum cudaGraphNodeType type;
    } kinds[] = {{CALL_COPY, cudaGraphNodeTypeMemcpy}, {CALL_FILL, cudaGraphNodeTypeMemset},
                 {CALL_HOST_FUNC, cudaGraphNodeTypeHost}};
    enum { N = sizeof kinds / sizeof *kinds };
    assert_int_equal(fill(S), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_FILL); /* not captured: sent at once */
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    const size_t sent = fake.seen_n;
    for (size_t i = 0; i < N; i++) {
        struct corun_call c = {.call = kinds[i].call, .at = {S, 77}};
        assert_int_equal(corun_queue(&c, S), cudaSuccess);
    }
    assert_int_equal(fake.seen_n, sent); /* nothing reached the simulator */
    assert_int_equal(fill(T), cudaSuccess);
    assert_int_equal(fake.seen_n, sent + 1); /* other streams are not concerned */
    struct CUgraph_st *g = end(S);
    assert_int_equal(g->node_n, N);
    for (size_t i = 0; i < N; i++) {
        const struct CUgraphNode_st *node = g->nodes[i];
        assert_int_equal(node->type, kinds[i].type);
        assert_int_equal(node->call_n, 1);
        assert_int_equal(node->calls[0].call, kinds[i].call);
        assert_int_equal(node->calls[0].at[1], 77);
        assert_int_equal(node->before_n, i ? 1 : 0); /* in the order of the stream */
        if (i) assert_ptr_equal(node->before[0], g->nodes[i - 1]);
    }
    corun_graph_free(g);
}

/* A kernel node keeps the priority of its launch, otherwise of the captured stream. */
static void test_priority(void **state)
{
    (void)state;
    struct wire_launch l = {.priority = WIRE_PRIORITY_OF_STREAM};
    struct corun_call c = {.call = CALL_LAUNCH, .payload = &l, .payload_bytes = sizeof l};
    fake.priority[S] = (uint64_t)-4;
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_int_equal(corun_queue(&c, S), cudaSuccess);
    l.priority = -2;
    assert_int_equal(corun_queue(&c, S), cudaSuccess);
    fake.refuses[CALL_STREAM_GET] = cudaErrorUnknown;
    l.priority = WIRE_PRIORITY_OF_STREAM;
    assert_int_equal(corun_queue(&c, S), cudaSuccess);
    struct CUgraph_st *g = end(S);
    assert_int_equal(g->nodes[0]->type, cudaGraphNodeTypeKernel);
    assert_int_equal(g->nodes[0]->priority, -4);
    assert_int_equal(g->nodes[1]->priority, -2);
    assert_int_equal(g->nodes[2]->priority, WIRE_PRIORITY_LEAST);
    corun_graph_free(g);
}

/* While a node is made, every call of the thread goes into the node. */
static void test_making(void **state)
{
    (void)state;
    struct CUgraph_st *g = corun_graph_new();
    struct CUgraphNode_st *node = corun_node_new(g, cudaGraphNodeTypeEmpty, NULL, 0);
    corun_capture_for(node);
    assert_true(corun_is_captured(U));
    assert_int_equal(fill(U), cudaSuccess);
    assert_int_equal(record(EVENT, U, 0), cudaSuccess);
    corun_capture_for(NULL);
    assert_int_equal(node->call_n, 2);
    assert_int_equal(fake.seen_n, 0);
    assert_false(corun_is_captured(U));
    assert_int_equal(fill(U), cudaSuccess);
    assert_int_equal(fake.seen_n, 1);
    assert_int_equal(node->call_n, 2);
    corun_graph_free(g);
}

/* Allocations in a captured stream become nodes; the stream's next node depends on the node. */
static void test_memory(void **state)
{
    (void)state;
    char bytes[64], freed[8];
    assert_false(corun_capture_memory(S, cudaGraphNodeTypeMemAlloc, bytes, sizeof bytes));
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_true(corun_capture_memory(S, cudaGraphNodeTypeMemAlloc, bytes, sizeof bytes));
    assert_true(corun_capture_memory(S, cudaGraphNodeTypeMemFree, bytes, 0));
    assert_int_equal(fake.seen_n, 1); /* STREAM_GET of the begin */
    assert_false(corun_capture_memory(T, cudaGraphNodeTypeMemFree, freed, 0));
    assert_true(corun_capture_memory(S, cudaGraphNodeTypeMemFree, freed, 0));
    assert_true(corun_is_graph_memory(bytes));
    assert_false(corun_is_graph_memory(freed)); /* only what a graph allocates */
    struct CUgraph_st *g = end(S);
    assert_int_equal(g->node_n, 3);
    assert_int_equal(g->nodes[0]->type, cudaGraphNodeTypeMemAlloc);
    assert_ptr_equal(g->nodes[0]->allocation, bytes);
    assert_int_equal(g->nodes[0]->of_allocation.bytesize, sizeof bytes);
    assert_int_equal(g->nodes[1]->type, cudaGraphNodeTypeMemFree);
    assert_ptr_equal(g->nodes[1]->before[0], g->nodes[0]);
    corun_graph_free(g);
}

/* ---- fork and join ---- */

/* A stream that waits for an event of a captured stream joins; the origin waits for the stream's
 * last work before the end. */
static void test_join(void **state)
{
    (void)state;
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_int_equal(fill(S), cudaSuccess);
    const size_t sent = fake.seen_n;
    assert_int_equal(record(EVENT, S, 0), cudaSuccess);
    assert_int_equal(fill(S), cudaSuccess); /* after the event: not before the work of T */
    assert_int_equal(wait_event(T, EVENT, 0), cudaSuccess);
    assert_int_equal(seen_of(CALL_EVENT_RECORD) + seen_of(CALL_STREAM_WAIT), 0);
    assert_int_equal(fake.seen_n, sent + 1); /* STREAM_GET of T */
    assert_true(corun_is_captured(T));
    assert_int_equal(fill(T), cudaSuccess);
    struct corun_capture s, t;
    corun_capture_of(S, &s);
    corun_capture_of(T, &t);
    assert_true(s.id == t.id);
    assert_ptr_equal(s.graph, t.graph);
    assert_int_equal(record(OTHER_EVENT, T, 0), cudaSuccess);
    assert_int_equal(wait_event(S, OTHER_EVENT, 0), cudaSuccess);
    assert_int_equal(wait_event(S, OTHER_EVENT, 0), cudaSuccess); /* counts once */
    corun_capture_of(S, &s);
    assert_int_equal(s.last_n, 2);
    assert_int_equal(fill(S), cudaSuccess);
    struct CUgraph_st *g = end(S);
    assert_false(corun_is_captured(T)); /* every stream leaves with the capture */
    assert_int_equal(g->node_n, 4); /* events within a capture are no nodes */
    assert_int_equal(g->nodes[2]->before_n, 1);
    assert_ptr_equal(g->nodes[2]->before[0], g->nodes[0]); /* T's work, after the event */
    assert_int_equal(g->nodes[3]->before_n, 2);
    assert_ptr_equal(g->nodes[3]->before[0], g->nodes[1]);
    assert_ptr_equal(g->nodes[3]->before[1], g->nodes[2]);
    corun_graph_free(g);
    corun_forget_event(EVENT);
    corun_forget_event(OTHER_EVENT);
}

/* Makes T join the capture of S and queues work in T. */
static void fork_to_t(void)
{
    assert_int_equal(record(EVENT, S, 0), cudaSuccess);
    assert_int_equal(wait_event(T, EVENT, 0), cudaSuccess);
    assert_int_equal(fill(T), cudaSuccess);
}

static void test_unjoined(void **state)
{
    (void)state;
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    fork_to_t();
    end_with(T, cudaErrorStreamCaptureUnmatched); /* not the origin; the capture goes on */
    assert_int_equal(status_of(S), cudaStreamCaptureStatusActive);
    end_with(S, cudaErrorStreamCaptureUnjoined);
    assert_int_equal(status_of(S), cudaStreamCaptureStatusNone);
    assert_int_equal(status_of(T), cudaStreamCaptureStatusNone);
    /* T joined without work: nothing needs to rejoin */
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_int_equal(fill(S), cudaSuccess);
    assert_int_equal(record(EVENT, S, 0), cudaSuccess);
    assert_int_equal(wait_event(T, EVENT, 0), cudaSuccess);
    corun_graph_free(end(S));
    corun_forget_event(EVENT);
}

/* Work of one capture does not need to rejoin another capture. */
static void test_two_captures(void **state)
{
    (void)state;
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_int_equal(begin(U, GLOBAL), cudaSuccess);
    assert_int_equal(fill(U), cudaSuccess);
    assert_int_equal(fill(S), cudaSuccess);
    assert_int_equal(record(OTHER_EVENT, U, 0), cudaSuccess);
    struct CUgraph_st *g = end(S);
    assert_int_equal(g->node_n, 1);
    corun_graph_free(g);
    g = end(U);
    assert_int_equal(g->node_n, 1);
    corun_graph_free(g);
    corun_forget_event(OTHER_EVENT);
}

/* A stream that does not exist cannot join. */
static void test_join_of_no_stream(void **state)
{
    (void)state;
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_int_equal(record(EVENT, S, 0), cudaSuccess);
    fake.refuses[CALL_STREAM_GET] = cudaErrorInvalidResourceHandle;
    assert_int_equal(wait_event(T, EVENT, 0), cudaErrorInvalidResourceHandle);
    assert_false(corun_is_captured(T));
    corun_graph_free(end(S));
    corun_forget_event(EVENT);
}

/* A captured stream depends only on work of its capture. */
static void test_isolation(void **state)
{
    (void)state;
    assert_int_equal(record(EVENT, U, 0), cudaSuccess); /* an ordinary event */
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_int_equal(wait_event(S, EVENT, 0), cudaErrorStreamCaptureIsolation);
    assert_int_equal(status_of(S), cudaStreamCaptureStatusInvalidated);
    assert_int_equal(fill(S), cudaErrorStreamCaptureInvalidated);
    assert_int_equal(corun_may_queue(S), cudaErrorStreamCaptureInvalidated);
    assert_int_equal(corun_capture_depend(S, NULL, 0, true), cudaErrorStreamCaptureInvalidated);
    end_with(S, cudaErrorStreamCaptureInvalidated);
    assert_int_equal(fill(S), cudaSuccess); /* an ordinary stream again */
}

/* Two captures cannot become one; both are invalid. */
static void test_merge(void **state)
{
    (void)state;
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_int_equal(begin(T, GLOBAL), cudaSuccess);
    assert_int_equal(record(EVENT, S, 0), cudaSuccess);
    assert_int_equal(wait_event(T, EVENT, 0), cudaErrorStreamCaptureMerge);
    assert_int_equal(wait_event(U, EVENT, 0), cudaErrorStreamCaptureInvalidated);
    end_with(S, cudaErrorStreamCaptureInvalidated);
    end_with(T, cudaErrorStreamCaptureInvalidated);
    corun_forget_event(EVENT);
}

/* ---- events ---- */

/* An event of a capture can be neither queried nor waited for, until the event is recorded outside
 * a capture or destroyed. */
static void test_events(void **state)
{
    (void)state;
    assert_int_equal(corun_may_ask_event(EVENT), cudaSuccess);
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_int_equal(record(EVENT, S, 0), cudaSuccess);
    assert_int_equal(record(OTHER_EVENT, S, 0), cudaSuccess);
    corun_graph_free(end(S));
    assert_int_equal(corun_may_ask_event(EVENT), cudaErrorCapturedEvent);
    assert_int_equal(wait_event(T, EVENT, 0), cudaErrorCapturedEvent);
    assert_int_equal(seen_of(CALL_STREAM_WAIT), 0);
    assert_int_equal(record(EVENT, T, 0), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_EVENT_RECORD);
    assert_int_equal(corun_may_ask_event(EVENT), cudaSuccess);
    assert_int_equal(wait_event(T, EVENT, 0), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_STREAM_WAIT);
    assert_int_equal(corun_may_ask_event(OTHER_EVENT), cudaErrorCapturedEvent);
    corun_forget_event(OTHER_EVENT);
    assert_int_equal(corun_may_ask_event(OTHER_EVENT), cudaSuccess);
    /* a query during the capture invalidates the capture */
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_int_equal(record(EVENT, S, 0), cudaSuccess);
    assert_int_equal(corun_may_ask_event(EVENT), cudaErrorCapturedEvent);
    end_with(S, cudaErrorStreamCaptureInvalidated);
    corun_forget_event(EVENT);
}

/* Events with the flag "external" become nodes: record and wait happen when the graph runs. */
static void test_external_events(void **state)
{
    (void)state;
    assert_int_equal(record(EVENT, S, cudaEventRecordExternal), cudaErrorInvalidValue);
    assert_int_equal(wait_event(S, EVENT, cudaEventWaitExternal), cudaErrorInvalidValue);
    assert_int_equal(fake.seen_n, 0);
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_int_equal(record(EVENT, S, cudaEventRecordExternal), cudaSuccess);
    assert_int_equal(wait_event(S, OTHER_EVENT, cudaEventWaitExternal), cudaSuccess);
    struct CUgraph_st *g = end(S);
    assert_int_equal(g->node_n, 2);
    assert_int_equal(g->nodes[0]->type, cudaGraphNodeTypeEventRecord);
    assert_int_equal(g->nodes[0]->calls[0].at[0], EVENT);
    assert_int_equal(g->nodes[0]->calls[0].at[2], 0); /* an ordinary record when the graph runs */
    assert_int_equal(g->nodes[1]->type, cudaGraphNodeTypeWaitEvent);
    assert_int_equal(g->nodes[1]->calls[0].at[1], OTHER_EVENT);
    assert_int_equal(g->nodes[1]->calls[0].at[2], 0);
    assert_int_equal(corun_may_ask_event(EVENT), cudaSuccess); /* not a captured event */
    corun_graph_free(g);
}

/* ---- forbidden calls ---- */

/* The legacy stream waits for all blocking streams: any use during their capture is an error, which
 * invalidates the capture. The capture of a non-blocking stream is no concern of the legacy
 * stream. */
static void test_legacy_stream(void **state)
{
    (void)state;
    struct corun_capture c;
    assert_int_equal(begin(S, RELAXED), cudaSuccess);
    assert_int_equal(corun_capture_of(LEGACY, &c), cudaErrorStreamCaptureImplicit);
    assert_int_equal(status_of(S), cudaStreamCaptureStatusActive); /* a query does no harm */
    assert_int_equal(fill(T), cudaSuccess);
    assert_int_equal(fill(LEGACY), cudaErrorStreamCaptureImplicit);
    assert_int_equal(seen_of(CALL_FILL), 1); /* only the call in T reached the simulator */
    assert_int_equal(status_of(S), cudaStreamCaptureStatusInvalidated);
    end_with(S, cudaErrorStreamCaptureInvalidated);
    cudaError_t (*const forbidden[])(uint32_t) = {corun_may_wait, corun_may_queue};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(begin(S, RELAXED), cudaSuccess);
        assert_int_equal(forbidden[i](T), cudaSuccess);
        assert_int_equal(forbidden[i](LEGACY), cudaErrorStreamCaptureImplicit);
        end_with(S, cudaErrorStreamCaptureInvalidated);
    }
    fake.apart[S] = cudaStreamNonBlocking;
    assert_int_equal(begin(S, RELAXED), cudaSuccess);
    assert_int_equal(fill(LEGACY), cudaSuccess);
    assert_int_equal(corun_may_wait(LEGACY), cudaSuccess);
    assert_int_equal(corun_may_queue(LEGACY), cudaSuccess);
    corun_graph_free(end(S));
}

static void test_waiting(void **state)
{
    (void)state;
    assert_int_equal(corun_may_wait_for_all(), cudaSuccess);
    assert_int_equal(begin(S, RELAXED), cudaSuccess);
    assert_int_equal(corun_may_queue(S), cudaSuccess);
    assert_int_equal(corun_may_wait(S), cudaErrorStreamCaptureUnsupported);
    assert_int_equal(corun_may_wait(S), cudaErrorStreamCaptureInvalidated);
    end_with(S, cudaErrorStreamCaptureInvalidated);
    assert_int_equal(begin(S, RELAXED), cudaSuccess);
    assert_int_equal(corun_may_wait_for_all(), cudaErrorStreamCaptureUnsupported);
    end_with(S, cudaErrorStreamCaptureInvalidated);
    assert_int_equal(corun_may_wait_for_all(), cudaSuccess);
}

static void *on_thread(void *with)
{
    enum cudaStreamCaptureMode *mode = with;
    corun_capture_mode(*mode);
    return (void *)(uintptr_t)corun_may_be_unsafe();
}

/* Calls that are never captured, such as cudaMalloc: a capture in global mode forbids them in all
 * threads, unless the calling thread has left that mode; a thread-local capture in its own thread
 * only; a relaxed capture nowhere. */
static void test_unsafe_calls(void **state)
{
    (void)state;
    static const bool forbidden_here[3][3] = { /* [mode of the capture][mode of the thread] */
        [GLOBAL] = {true, true, false}, [THREAD] = {true, true, false}};
    static const bool forbidden_there[3][3] = {[GLOBAL] = {true, false, false}};
    for (unsigned capture = GLOBAL; capture <= RELAXED; capture++) {
        for (unsigned thread = GLOBAL; thread <= RELAXED; thread++) {
            enum cudaStreamCaptureMode mode = (enum cudaStreamCaptureMode)thread;
            for (unsigned other = 0; other < 2; other++) {
                const bool forbidden = other ? forbidden_there[capture][thread]
                                             : forbidden_here[capture][thread];
                void *got = (void *)(uintptr_t)cudaSuccess;
                assert_int_equal(begin(S, (enum cudaStreamCaptureMode)capture), cudaSuccess);
                if (other) {
                    pthread_t t;
                    assert_int_equal(pthread_create(&t, NULL, on_thread, &mode), 0);
                    assert_int_equal(pthread_join(t, &got), 0);
                } else {
                    assert_int_equal(corun_capture_mode(mode), GLOBAL);
                    got = (void *)(uintptr_t)corun_may_be_unsafe();
                    assert_int_equal(corun_capture_mode(GLOBAL), mode);
                }
                if (forbidden) {
                    assert_int_equal((uintptr_t)got, cudaErrorStreamCaptureUnsupported);
                    end_with(S, cudaErrorStreamCaptureInvalidated);
                } else {
                    assert_int_equal((uintptr_t)got, cudaSuccess);
                    corun_graph_free(end(S));
                }
            }
        }
    }
    assert_int_equal(corun_may_be_unsafe(), cudaSuccess); /* no capture */
}

/* ---- end ---- */

static void *end_elsewhere(void *with)
{
    cudaGraph_t *graph = with;
    return (void *)(uintptr_t)corun_capture_end(S, graph);
}

static cudaError_t end_on_thread(cudaGraph_t *graph)
{
    pthread_t t;
    void *got;
    assert_int_equal(pthread_create(&t, NULL, end_elsewhere, graph), 0);
    assert_int_equal(pthread_join(t, &got), 0);
    return (cudaError_t)(uintptr_t)got;
}

static void test_end(void **state)
{
    (void)state;
    cudaGraph_t graph;
    end_with(S, cudaErrorIllegalState); /* no capture */
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_int_equal(end_on_thread(&graph), cudaErrorStreamCaptureWrongThread);
    assert_null(graph);
    assert_int_equal(status_of(S), cudaStreamCaptureStatusActive); /* the capture goes on */
    corun_graph_free(end(S));
    assert_int_equal(begin(S, RELAXED), cudaSuccess); /* any thread may end */
    assert_int_equal(end_on_thread(&graph), cudaSuccess);
    corun_graph_free(graph);
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    assert_int_equal(corun_capture_end(S, NULL), cudaErrorInvalidValue); /* nowhere to put it */
    assert_int_equal(status_of(S), cudaStreamCaptureStatusNone);
}

/* ---- destroyed streams ---- */

static void test_destroyed_streams(void **state)
{
    (void)state;
    corun_forget_stream(S); /* not captured: no effect */
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    fork_to_t();
    corun_forget_stream(S); /* the origin: the capture ends */
    assert_int_equal(status_of(S), cudaStreamCaptureStatusNone);
    assert_int_equal(status_of(T), cudaStreamCaptureStatusNone);
    assert_int_equal(corun_may_wait_for_all(), cudaSuccess);
    /* a joined stream: its work has still not rejoined */
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    fork_to_t();
    corun_forget_stream(T);
    assert_int_equal(status_of(T), cudaStreamCaptureStatusNone);
    assert_int_equal(fill(T), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_FILL); /* a new stream of the same number */
    end_with(S, cudaErrorStreamCaptureUnjoined);
    assert_int_equal(fill(LEGACY), cudaSuccess);
    corun_forget_event(EVENT);
}

/* ---- dependencies set by the program ---- */

static void test_set_dependencies(void **state)
{
    (void)state;
    assert_int_equal(corun_capture_depend(S, NULL, 0, true), cudaErrorIllegalState);
    assert_int_equal(begin(S, GLOBAL), cudaSuccess);
    for (unsigned i = 0; i < 3; i++) assert_int_equal(fill(S), cudaSuccess);
    struct corun_capture c;
    corun_capture_of(S, &c);
    assert_int_equal(c.last_n, 1);
    struct CUgraphNode_st *n[3], *all[2];
    for (unsigned i = 0; i < 3; i++) n[i] = c.graph->nodes[i];
    assert_ptr_equal(c.last[0], n[2]);
    all[0] = n[0];
    all[1] = n[2];
    assert_int_equal(corun_capture_depend(S, all, 2, false), cudaSuccess); /* one is new */
    corun_capture_of(S, &c);
    assert_int_equal(c.last_n, 2);
    assert_ptr_equal(c.last[0], n[2]);
    assert_ptr_equal(c.last[1], n[0]);
    assert_int_equal(corun_capture_depend(S, &n[1], 1, true), cudaSuccess);
    assert_int_equal(fill(S), cudaSuccess);
    assert_int_equal(c.graph->nodes[3]->before_n, 1);
    assert_ptr_equal(c.graph->nodes[3]->before[0], n[1]);
    corun_graph_free(end(S));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_begin), TEST(test_begin_to_graph), TEST(test_nodes), TEST(test_priority),
        TEST(test_making), TEST(test_memory), TEST(test_join), TEST(test_unjoined),
        TEST(test_two_captures), TEST(test_join_of_no_stream), TEST(test_isolation),
        TEST(test_merge), TEST(test_events),
        TEST(test_external_events), TEST(test_legacy_stream), TEST(test_waiting),
        TEST(test_unsafe_calls), TEST(test_end), TEST(test_destroyed_streams),
        TEST(test_set_dependencies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
