/* Capture of streams: the calls of the API. */
#include "cuda/capture/capture.h"
#include "cuda/connection/error.h"
#include "cuda/runtime/stream_id.h"

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return corun_note(corun_capture_begin(corun_stream(stream), NULL, NULL, 0, mode));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *edges, size_t n,
                                          enum cudaStreamCaptureMode mode)
{
    if (!graph || (n && !dependencies)) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_edges_check(edges, n);
    if (error) return error;
    return corun_note(corun_capture_begin(corun_stream(stream), graph, dependencies, n, mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    return corun_note(corun_capture_end(corun_stream(stream), graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    struct corun_capture c;
    if (!status) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_capture_of(corun_stream(stream), &c);
    *status = c.status;
    return corun_note(error);
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges, size_t *n)
{
    struct corun_capture c;
    cudaError_t error = cudaStreamIsCapturing(stream, status);
    corun_capture_of(corun_stream(stream), &c);
    if (c.graph && id) *id = c.id;
    if (c.graph && graph) *graph = c.graph;
    if (c.graph && dependencies) *dependencies = c.last;
    if (edges) *edges = NULL;
    if (c.graph && n) *n = c.last_n;
    return error;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *edges, size_t n,
                                                unsigned int flags)
{
    enum { ADD, SET };
    uint32_t number = corun_stream(stream);
    if (flags > SET || (n && !dependencies)) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_edges_check(edges, n);
    if (error) return error;
    return corun_note(corun_capture_depend(number, dependencies, n, flags == SET));
}
#endif

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return corun_note(cudaErrorInvalidValue);
    *mode = corun_capture_mode(*mode);
    return cudaSuccess;
}
