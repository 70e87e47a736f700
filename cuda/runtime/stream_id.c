#include "cuda/runtime/stream_id.h"

#include <pthread.h>
#include <stdlib.h>

#include "cuda/capture/capture.h"

/* cudaStreamPerThread: created at the first use by a thread, destroyed with the thread. */
static pthread_key_t own_stream;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local bool own_is_default;

void corun_default_stream(bool per_thread) { own_is_default = per_thread; }

static void end_own(void *number)
{
    corun_forget_stream((uint32_t)corun_address(number));
    corun_simple(.call = CALL_STREAM_END, .at = {corun_address(number)});
}

static void make_key(void)
{
    if (pthread_key_create(&own_stream, end_own)) abort();
}

static uint32_t own(void)
{
    pthread_once(&once, make_key);
    uint64_t number = corun_address(pthread_getspecific(own_stream));
    struct corun_call c = {.call = CALL_STREAM_NEW};
    if (!number && !corun_do(&c)) {
        number = c.got[0];
        pthread_setspecific(own_stream, corun_pointer(number));
    }
    return (uint32_t)number;
}

uint32_t corun_stream(cudaStream_t stream)
{
    if (stream == cudaStreamPerThread || (!stream && own_is_default)) return own();
    return !stream || stream == cudaStreamLegacy ? 0 : (uint32_t)(corun_address(stream) - HANDLE);
}
