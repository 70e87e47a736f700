/* Streams and events. Their handles contain the simulator's numbers. */
#include "cuda/runtime/stream.h"

#include "cuda/capture/capture.h"
#include "cuda/connection/error.h"
#include "cuda/connection/module.h"
#include "cuda/runtime/stream_id.h"

#define STREAM(number) ((cudaStream_t)corun_pointer((number) + HANDLE))
#define EVENT(number) ((cudaEvent_t)corun_pointer((number) + HANDLE))
#define NUMBER(handle) (corun_address(handle) - HANDLE)

static cudaError_t at_stream(enum wire_call call, cudaStream_t stream)
{
    return corun_note(corun_simple(.call = call, .at = {corun_stream(stream)}));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    if (!stream || flags > cudaStreamNonBlocking) return corun_note(cudaErrorInvalidValue);
    struct corun_call c = {.call = CALL_STREAM_NEW,
                           .at = {flags, (uint64_t)wire_priority(priority)}};
    cudaError_t error = corun_do(&c);
    *stream = STREAM(c.got[0]);
    return corun_note(error);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    if (corun_address(stream) < HANDLE) return corun_note(cudaErrorInvalidResourceHandle);
    corun_forget_stream(corun_stream(stream));
    return at_stream(CALL_STREAM_END, stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = corun_may_wait(corun_stream(stream));
    return error ? corun_note(error) : at_stream(CALL_STREAM_SYNC, stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t error = corun_may_wait(corun_stream(stream));
    return error ? corun_note(error) : at_stream(CALL_STREAM_QUERY, stream);
}

cudaError_t corun_stream_get(cudaStream_t stream, uint64_t *apart, int64_t *priority)
{
    struct corun_call c = {.call = CALL_STREAM_GET, .at = {corun_stream(stream)}};
    cudaError_t error = corun_do(&c);
    *apart = c.got[0];
    *priority = (int64_t)c.got[1];
    return error;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    uint64_t apart;
    int64_t value;
    cudaError_t error = corun_stream_get(stream, &apart, &value);
    if (priority) *priority = (int)value;
    return corun_note(priority ? error : cudaErrorInvalidValue);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    uint64_t apart;
    int64_t value;
    cudaError_t error = corun_stream_get(stream, &apart, &value);
    if (flags) *flags = (unsigned)apart;
    return corun_note(flags ? error : cudaErrorInvalidValue);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    unsigned flags;
    cudaError_t error = cudaStreamGetFlags(stream, &flags);
    return error ? error : cudaGetDevice(device);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    if (flags > cudaEventWaitExternal) return corun_note(cudaErrorInvalidValue);
    struct corun_call c = {.call = CALL_STREAM_WAIT,
                           .at = {corun_stream(stream), NUMBER(event), flags}};
    return corun_note(corun_queue(&c, corun_stream(stream)));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t size,
                                     unsigned int flags)
{
    const bool single = flags == cudaMemAttachSingle;
    struct corun_call c = {.call = CALL_POINTER, .at = {corun_address(pointer)}};
    cudaError_t error = corun_may_wait(corun_stream(stream)); /* graphs have no such node */
    if (error) return corun_note(error);
    /* Source: CUDA run-time API, cudaStreamAttachMemAsync: a whole allocation of managed memory,
     * and not to the default stream alone. */
    if (!(single ? corun_stream(stream) > 0
                 : flags == cudaMemAttachGlobal || flags == cudaMemAttachHost) ||
        !corun_is_device(pointer) || corun_do(&c) || (c.got[2] != WIRE_MANAGED && !c.got[3]) ||
        (size && (c.got[0] != corun_address(pointer) || c.got[1] != size)))
        return corun_note(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    if (!function) return corun_note(cudaErrorInvalidValue);
    struct corun_call c = {.call = CALL_HOST_FUNC,
                           .at = {corun_stream(stream), (uint64_t)(uintptr_t)function,
                                  corun_address(data)}};
    return corun_note(corun_queue(&c, corun_stream(stream)));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned int flags)
{
    if (!callback || flags) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_may_wait(corun_stream(stream)); /* graphs have no such node */
    if (error) return corun_note(error);
    struct corun_call c = {.call = CALL_HOST_FUNC,
                           .at = {corun_stream(stream), (uint64_t)(uintptr_t)callback,
                                  corun_address(data), 1, corun_address(stream)}};
    return corun_note(corun_queue(&c, corun_stream(stream)));
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    const unsigned known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if (!event || flags & ~known) return corun_note(cudaErrorInvalidValue);
    if (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming))
        return corun_note(cudaErrorInvalidValue);
    struct corun_call c = {.call = CALL_EVENT_NEW, .at = {flags}};
    cudaError_t error = corun_do(&c);
    *event = EVENT(c.got[0]);
    return corun_note(error);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

static cudaError_t at_event(enum wire_call call, cudaEvent_t event)
{
    return corun_note(corun_simple(.call = call, .at = {NUMBER(event)}));
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    corun_forget_event(NUMBER(event));
    return at_event(CALL_EVENT_END, event);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t error = corun_may_ask_event(NUMBER(event));
    return error ? corun_note(error) : at_event(CALL_EVENT_QUERY, event);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t error = corun_may_ask_event(NUMBER(event));
    return error ? corun_note(error) : at_event(CALL_EVENT_SYNC, event);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    if (flags > cudaEventRecordExternal) return corun_note(cudaErrorInvalidValue);
    struct corun_call c = {.call = CALL_EVENT_RECORD,
                           .at = {NUMBER(event), corun_stream(stream), flags}};
    return corun_note(corun_queue(&c, corun_stream(stream)));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!ms) return corun_note(cudaErrorInvalidValue);
    struct corun_call c = {.call = CALL_EVENT_ELAPSED, .at = {NUMBER(start), NUMBER(end)}};
    cudaError_t error = corun_may_ask_event(NUMBER(start));
    if (!error) error = corun_may_ask_event(NUMBER(end));
    if (!error) error = corun_do(&c);
    *ms = (float)((double)(int64_t)c.got[0] * 1e-9);
    return corun_note(error);
}

#if CUDART_VERSION < 13000
cudaError_t cudaEventElapsedTime_v2(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return cudaEventElapsedTime(ms, start, end);
}
#endif
