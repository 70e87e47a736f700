/* Streams and events: handles and numbers, flags, priorities, the calling thread's own stream, and
 * calls in stream order. Source: CUDA run-time API, Stream Management and Event Management. */
#include "fake_simulator.h"

#include <pthread.h>

#include "cuda/capture/capture.h"
#include "cuda/runtime/stream_id.h"

enum { FIRST = 32 }; /* number of the first stream that the fake simulator creates */

static void test_creation(void **state)
{
    (void)state;
    cudaStream_t s;
    unsigned flags;
    int priority, device;
    assert_int_equal(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -3), cudaSuccess);
    assert_int_equal(corun_stream(s), FIRST);
    assert_true(s != cudaStreamLegacy && s != cudaStreamPerThread && s);
    assert_int_equal(cudaStreamGetFlags(s, &flags), cudaSuccess);
    assert_int_equal(flags, cudaStreamNonBlocking);
    assert_int_equal(cudaStreamGetPriority(s, &priority), cudaSuccess);
    assert_int_equal(priority, -3);
    assert_int_equal(cudaStreamGetDevice(s, &device), cudaSuccess);
    assert_int_equal(device, 0);
    const int asked[] = {1, 0, -5, -6}, given[] = {0, 0, -5, -5}; /* the nearest valid priority */
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(cudaStreamCreateWithPriority(&s, 0, asked[i]), cudaSuccess);
        assert_int_equal(corun_stream(s), FIRST + 1 + i);
        assert_int_equal(cudaStreamGetPriority(s, &priority), cudaSuccess);
        assert_int_equal(priority, given[i]);
    }
    assert_int_equal(cudaStreamCreate(&s), cudaSuccess);
    assert_int_equal(cudaStreamGetFlags(s, &flags), cudaSuccess);
    assert_int_equal(flags, cudaStreamDefault);
    assert_refused(cudaErrorInvalidValue, cudaStreamCreate(NULL));
    assert_refused(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&s, 2));
    assert_refused(cudaErrorInvalidValue, cudaStreamGetFlags(s, NULL));
    assert_refused(cudaErrorInvalidValue, cudaStreamGetPriority(s, NULL));
    fake.refuses[CALL_STREAM_NEW] = cudaErrorMemoryAllocation;
    assert_refused(cudaErrorMemoryAllocation, cudaStreamCreate(&s));
}

static void test_attributes(void **state)
{
    (void)state;
    cudaStream_t s, other;
    cudaStreamAttrValue value = {.priority = -7};
    assert_int_equal(cudaStreamCreateWithPriority(&s, 0, -2), cudaSuccess);
    assert_int_equal(cudaStreamCreate(&other), cudaSuccess);
    assert_int_equal(cudaStreamSetAttribute(other, cudaStreamAttributePriority, &value),
                     cudaSuccess);
    assert_int_equal(last_call()->call, CALL_STREAM_SET);
    assert_int_equal(last_call()->at[0], corun_stream(other));
    assert_int_equal((int64_t)last_call()->at[1], -5);
    assert_int_equal(cudaStreamCopyAttributes(other, s), cudaSuccess);
    assert_int_equal((int64_t)last_call()->at[1], -2);
    assert_int_equal(cudaStreamGetAttribute(s, cudaStreamAttributePriority, &value), cudaSuccess);
    assert_int_equal(value.priority, -2);
    assert_refused(cudaErrorNotSupported,
                   cudaStreamGetAttribute(s, cudaLaunchAttributeCooperative, &value));
    assert_refused(cudaErrorNotSupported,
                   cudaStreamSetAttribute(s, cudaLaunchAttributeCooperative, &value));
    assert_refused(cudaErrorInvalidValue,
                   cudaStreamGetAttribute(s, cudaStreamAttributePriority, NULL));
    assert_refused(cudaErrorInvalidValue,
                   cudaStreamSetAttribute(s, cudaStreamAttributePriority, NULL));
    fake.refuses[CALL_STREAM_GET] = cudaErrorInvalidResourceHandle;
    const size_t set = seen_of(CALL_STREAM_SET);
    assert_refused(cudaErrorInvalidResourceHandle, cudaStreamCopyAttributes(other, s));
    assert_int_equal(seen_of(CALL_STREAM_SET), set);
}

/* The default streams can neither be destroyed nor have handles that collide with others. */
static void test_numbers(void **state)
{
    (void)state;
    assert_int_equal(corun_stream(NULL), 0);
    assert_int_equal(corun_stream(cudaStreamLegacy), 0);
    assert_int_equal(fake.seen_n, 0);
    cudaStream_t const defaults[] = {NULL, cudaStreamLegacy, cudaStreamPerThread};
    for (unsigned i = 0; i < 3; i++)
        assert_refused(cudaErrorInvalidResourceHandle, cudaStreamDestroy(defaults[i]));
    assert_int_equal(seen_of(CALL_STREAM_END), 0);
    cudaStream_t s;
    assert_int_equal(cudaStreamCreate(&s), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(s), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_STREAM_END);
    assert_int_equal(last_call()->at[0], FIRST);
}

static void *use_own_stream(void *with)
{
    uint32_t *number = with;
    number[0] = corun_stream(cudaStreamPerThread);
    number[1] = corun_stream(cudaStreamPerThread);
    corun_default_stream(true);
    number[2] = corun_stream(NULL);
    number[3] = corun_stream(cudaStreamLegacy);
    corun_default_stream(false);
    number[4] = corun_stream(NULL);
    return NULL;
}

/* Each thread has its own stream, created at the first use and destroyed with the thread; with
 * per-thread default streams the stream is the default stream. */
static void test_own_stream(void **state)
{
    (void)state;
    uint32_t number[2][5];
    for (unsigned i = 0; i < 2; i++) {
        pthread_t t;
        assert_int_equal(pthread_create(&t, NULL, use_own_stream, number[i]), 0);
        assert_int_equal(pthread_join(t, NULL), 0);
        assert_int_equal(number[i][0], FIRST + i);
        assert_int_equal(number[i][1], FIRST + i);
        assert_int_equal(number[i][2], FIRST + i);
        assert_int_equal(number[i][3], 0);
        assert_int_equal(number[i][4], 0);
        assert_int_equal(seen_of(CALL_STREAM_NEW), i + 1);
        assert_int_equal(last_call()->call, CALL_STREAM_END);
        assert_int_equal(last_call()->at[0], FIRST + i);
    }
}

/* Waiting for a captured stream is forbidden; the stream's destruction ends the capture. */
static void test_captured_stream(void **state)
{
    (void)state;
    cudaStream_t s;
    cudaGraph_t graph;
    assert_int_equal(cudaStreamCreate(&s), cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(s), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_STREAM_SYNC);
    assert_int_equal(cudaStreamQuery(s), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_STREAM_QUERY);
    assert_int_equal(last_call()->at[0], FIRST);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(corun_capture_begin(FIRST, NULL, NULL, 0, cudaStreamCaptureModeGlobal), 0);
        const size_t sent = fake.seen_n;
        const cudaError_t unsupported = cudaErrorStreamCaptureUnsupported;
        if (i == 0) assert_refused(unsupported, cudaStreamSynchronize(s));
        if (i == 1) assert_refused(unsupported, cudaStreamQuery(s));
        if (i == 2) assert_refused(unsupported, cudaStreamAttachMemAsync(s, NULL, 0, 0));
        assert_int_equal(fake.seen_n, sent);
        assert_int_equal(corun_capture_end(FIRST, &graph), cudaErrorStreamCaptureInvalidated);
    }
    assert_int_equal(corun_capture_begin(FIRST, NULL, NULL, 0, cudaStreamCaptureModeGlobal), 0);
    assert_int_equal(cudaStreamDestroy(s), cudaSuccess);
    assert_false(corun_is_captured(FIRST));
}

static void host_function(void *data) { (void)data; }
static void callback(cudaStream_t stream, cudaError_t error, void *data)
{
    (void)stream, (void)error, (void)data;
}

static void test_host_functions(void **state)
{
    (void)state;
    cudaStream_t s;
    int data;
    assert_int_equal(cudaStreamCreate(&s), cudaSuccess);
    assert_int_equal(cudaLaunchHostFunc(s, host_function, &data), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_HOST_FUNC);
    assert_int_equal(last_call()->at[0], FIRST);
    assert_true(last_call()->at[1] == (uint64_t)(uintptr_t)host_function);
    assert_int_equal(last_call()->at[2], corun_address(&data));
    assert_int_equal(last_call()->at[3], 0);
    assert_int_equal(cudaStreamAddCallback(s, callback, &data, 0), cudaSuccess);
    assert_int_equal(last_call()->at[3], 1);
    assert_int_equal(last_call()->at[4], corun_address(s)); /* the callback gets the handle */
    assert_refused(cudaErrorInvalidValue, cudaLaunchHostFunc(s, NULL, &data));
    assert_refused(cudaErrorInvalidValue, cudaStreamAddCallback(s, NULL, &data, 0));
    assert_refused(cudaErrorInvalidValue, cudaStreamAddCallback(s, callback, &data, 1));
}

/* ---- events ---- */

static void test_events(void **state)
{
    (void)state;
    cudaEvent_t e, f;
    float ms = -1;
    assert_int_equal(cudaEventCreate(&e), cudaSuccess);
    assert_int_equal(cudaEventCreateWithFlags(&f, cudaEventDisableTiming | cudaEventInterprocess),
                     cudaSuccess);
    assert_int_equal(last_call()->at[0], cudaEventDisableTiming | cudaEventInterprocess);
    assert_refused(cudaErrorInvalidValue, cudaEventCreateWithFlags(&f, cudaEventInterprocess));
    assert_refused(cudaErrorInvalidValue, cudaEventCreateWithFlags(&f, 8));
    assert_refused(cudaErrorInvalidValue, cudaEventCreate(NULL));
    assert_int_equal(cudaEventRecord(e, cudaStreamLegacy), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_EVENT_RECORD);
    assert_int_equal(last_call()->at[0], 1);
    assert_int_equal(last_call()->at[1], 0);
    assert_refused(cudaErrorInvalidValue, cudaEventRecordWithFlags(e, NULL, 2));
    assert_refused(cudaErrorInvalidValue, cudaStreamWaitEvent(NULL, e, 2));
    assert_int_equal(cudaStreamWaitEvent(corun_pointer(4 + HANDLE), f, 0), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_STREAM_WAIT);
    assert_int_equal(last_call()->at[0], 4);
    assert_int_equal(last_call()->at[1], 2);
    fake.elapsed_ps = 2500000000ull; /* 2.5 ms */
    assert_int_equal(cudaEventElapsedTime(&ms, e, f), cudaSuccess);
    assert_true(ms == 2.5f);
    assert_int_equal(last_call()->at[0], 1);
    assert_int_equal(last_call()->at[1], 2);
    fake.elapsed_ps = (uint64_t)-1000000000ll; /* the end before the start */
    assert_int_equal(cudaEventElapsedTime(&ms, f, e), cudaSuccess);
    assert_true(ms == -1.0f);
    assert_refused(cudaErrorInvalidValue, cudaEventElapsedTime(NULL, e, f));
    fake.refuses[CALL_EVENT_QUERY] = cudaErrorNotReady;
    assert_int_equal(cudaEventQuery(e), cudaErrorNotReady);
    assert_int_equal(cudaGetLastError(), cudaSuccess); /* no error, only an answer */
    assert_int_equal(cudaEventSynchronize(e), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_EVENT_SYNC);
    assert_int_equal(cudaEventDestroy(e), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_EVENT_END);
}

/* An event of a capture has no time and no completion. */
static void test_captured_events(void **state)
{
    (void)state;
    cudaEvent_t e, f;
    cudaGraph_t graph;
    float ms;
    assert_int_equal(cudaEventCreate(&e), cudaSuccess);
    assert_int_equal(cudaEventCreate(&f), cudaSuccess);
    assert_int_equal(corun_capture_begin(4, NULL, NULL, 0, cudaStreamCaptureModeGlobal), 0);
    assert_int_equal(cudaEventRecord(e, corun_pointer(4 + HANDLE)), cudaSuccess);
    assert_int_equal(corun_capture_end(4, &graph), cudaSuccess);
    corun_graph_free(graph);
    const size_t sent = fake.seen_n;
    assert_refused(cudaErrorCapturedEvent, cudaEventQuery(e));
    assert_refused(cudaErrorCapturedEvent, cudaEventSynchronize(e));
    assert_refused(cudaErrorCapturedEvent, cudaEventElapsedTime(&ms, e, f));
    assert_refused(cudaErrorCapturedEvent, cudaEventElapsedTime(&ms, f, e));
    assert_int_equal(fake.seen_n, sent);
    assert_int_equal(cudaEventDestroy(e), cudaSuccess);
    assert_int_equal(cudaEventQuery(e), cudaSuccess); /* a new event of the same number */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_creation), TEST(test_attributes), TEST(test_numbers), TEST(test_own_stream),
        TEST(test_captured_stream), TEST(test_host_functions), TEST(test_events),
        TEST(test_captured_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
