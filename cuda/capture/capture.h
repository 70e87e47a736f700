/* Stream capture: the door of every call that goes into a stream. A call of a captured stream
 * becomes a node of the graph; all other calls are sent to the simulator. Streams and events are
 * named by the simulator's numbers. Another stream joins a capture when the stream waits for an
 * event recorded in a captured stream. Source of the calls that a capture forbids, and of the
 * errors: CUDA run-time API, cudaStreamBeginCapture, cudaThreadExchangeStreamCaptureMode and
 * cudaError; CUDA C++ Programming Guide, Prohibited and Unhandled Operations. */
#ifndef CORUN_CAPTURE_H
#define CORUN_CAPTURE_H

#include "cuda/capture/node.h"

/* Queues a call in the stream. While the stream is captured, the call becomes a node of the
 * graph. */
cudaError_t corun_queue(struct corun_call *c, uint32_t stream);
bool corun_is_captured(uint32_t stream);
/* Returns true if the stream is captured; allocation or release of memory is then a node of the
 * given type. */
bool corun_capture_memory(uint32_t stream, enum cudaGraphNodeType type, void *pointer,
                          size_t bytes);
/* Returns true if the stream is captured; the launch of graph `g` is then a child node. */
bool corun_capture_child(uint32_t stream, const struct CUgraph_st *g);
/* Check calls that a capture forbids. Return an error and make the capture invalid, or return
 * cudaSuccess. corun_may_wait: waiting for a stream or querying a stream; corun_may_queue: queueing
 * by other means than corun_queue; corun_may_wait_for_all: waiting for the device;
 * corun_may_ask_event: querying an event; corun_may_be_unsafe: calls that are never captured, such
 * as allocations. */
cudaError_t corun_may_wait(uint32_t stream);
cudaError_t corun_may_queue(uint32_t stream);
cudaError_t corun_may_wait_for_all(void);
cudaError_t corun_may_ask_event(uint64_t event);
cudaError_t corun_may_be_unsafe(void);
/* Remove the capture state of a stream or an event that is about to be destroyed. */
void corun_forget_stream(uint32_t stream);
void corun_forget_event(uint64_t event);

/* Directs the calls of the current thread to the node; NULL: no longer. */
void corun_capture_for(struct CUgraphNode_st *node);

/* Begins a capture into `graph`, after its nodes `last`; graph NULL: into a new graph. */
cudaError_t corun_capture_begin(uint32_t stream, struct CUgraph_st *graph,
                                const cudaGraphNode_t *last, size_t n,
                                enum cudaStreamCaptureMode mode);
/* Ends the capture that began in the stream. A capture with an error loses its own graph. *graph:
 * the graph, or NULL; graph may be NULL if the program has supplied the graph. */
cudaError_t corun_capture_end(uint32_t stream, cudaGraph_t *graph);

struct corun_capture { /* capture of a stream */
    enum cudaStreamCaptureStatus status;
    unsigned long long id;
    struct CUgraph_st *graph; /* NULL: the stream is not captured */
    const cudaGraphNode_t *last; /* dependencies of the next node, until the next captured call */
    size_t last_n;
};
/* Returns an error if the legacy stream waits for a captured stream. */
cudaError_t corun_capture_of(uint32_t stream, struct corun_capture *out);
/* Adds dependencies of the next node, or replaces the dependencies. */
cudaError_t corun_capture_depend(uint32_t stream, const cudaGraphNode_t *nodes, size_t n,
                                 bool replaces);
/* Replaces the capture mode of the current thread and returns the previous mode. */
enum cudaStreamCaptureMode corun_capture_mode(enum cudaStreamCaptureMode mode);

#endif
