/* Devices, limits and settings of the run-time API, and the API's calls about stream capture.
 * Source: CUDA run-time API, Device Management. */
#include "fake_simulator.h"

#include "cuda/capture/capture.h"
#include "cuda/runtime/stream_id.h"

static const cudaStream_t stream = (cudaStream_t)(uintptr_t)(3 + HANDLE);

static void test_choice(void **state)
{
    (void)state;
    int n = 7, devices[] = {0, 1};
    assert_int_equal(cudaGetDeviceCount(&n), cudaSuccess);
    assert_int_equal(n, 1);
    assert_int_equal(cudaGetDevice(&n), cudaSuccess);
    assert_int_equal(n, 0);
    assert_int_equal(cudaSetDevice(0), cudaSuccess);
    assert_refused(cudaErrorInvalidDevice, cudaSetDevice(1));
    assert_refused(cudaErrorInvalidDevice, cudaSetDevice(-1));
    assert_int_equal(cudaSetValidDevices(devices, 2), cudaSuccess);
    assert_refused(cudaErrorInvalidDevice, cudaSetValidDevices(devices + 1, 1));
    assert_refused(cudaErrorInvalidValue, cudaSetValidDevices(devices, 0));
    assert_refused(cudaErrorInvalidValue, cudaGetDeviceCount(NULL));
    assert_refused(cudaErrorInvalidValue, cudaGetDevice(NULL));
    fake.has_no_device = true;
    assert_refused(cudaErrorNoDevice, cudaGetDeviceCount(&n));
    assert_int_equal(n, 0);
    assert_refused(cudaErrorNoDevice, cudaSetDevice(0));
}

static void test_attributes(void **state)
{
    (void)state;
    int value = 0;
    const enum cudaDeviceAttr shared = cudaDevAttrMaxSharedMemoryPerBlock;
    assert_int_equal(cudaDeviceGetAttribute(&value, shared, 0), cudaSuccess);
    assert_int_equal(value, 49152);
    assert_refused(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, shared, 1));
    assert_refused(cudaErrorInvalidValue, cudaDeviceGetAttribute(NULL, shared, 0));
    assert_refused(cudaErrorInvalidValue,
                   cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)WIRE_ATTRIBUTES, 0));
    assert_refused(cudaErrorInvalidValue,
                   cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)0, 0));
}

static void test_bus_id(void **state)
{
    (void)state;
    char id[32];
    int device = 7;
    assert_int_equal(cudaDeviceGetPCIBusId(id, sizeof id, 0), cudaSuccess);
    assert_int_equal(cudaDeviceGetByPCIBusId(&device, id), cudaSuccess);
    assert_int_equal(device, 0);
    assert_int_equal(cudaDeviceGetPCIBusId(id, 13, 0), cudaSuccess);
    assert_refused(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(id, 12, 0)); /* no room */
    assert_refused(cudaErrorInvalidDevice, cudaDeviceGetPCIBusId(id, sizeof id, 1));
    assert_refused(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&device, "0000:02:00.0"));
    assert_refused(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&device, NULL));
}

/* The limits of heap and printf reach the simulator; a refused value is not stored. */
static void test_limits(void **state)
{
    (void)state;
    size_t value = 0;
    assert_int_equal(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), cudaSuccess);
    assert_int_equal(value, 8 << 20);
    assert_int_equal(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_HEAP);
    assert_int_equal(last_call()->at[0], 1 << 20);
    fake.refuses[CALL_HEAP] = cudaErrorMemoryAllocation;
    assert_refused(cudaErrorMemoryAllocation, cudaDeviceSetLimit(cudaLimitMallocHeapSize, 5));
    assert_int_equal(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), cudaSuccess);
    assert_int_equal(value, 1 << 20);
    assert_int_equal(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4096), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_PRINTF);
    const size_t sent = fake.seen_n;
    assert_int_equal(cudaDeviceSetLimit(cudaLimitStackSize, 2048), cudaSuccess);
    assert_int_equal(cudaDeviceGetLimit(&value, cudaLimitStackSize), cudaSuccess);
    assert_int_equal(value, 2048);
    assert_int_equal(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 128), cudaSuccess);
    assert_refused(cudaErrorInvalidValue,
                   cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 129));
    assert_refused(cudaErrorUnsupportedLimit, cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 2));
    assert_refused(cudaErrorUnsupportedLimit,
                   cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize));
    assert_refused(cudaErrorInvalidValue, cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    assert_int_equal(fake.seen_n, sent);
}

static void test_settings(void **state)
{
    (void)state;
    unsigned flags = 0;
    enum cudaFuncCache cache;
    int least, greatest;
    assert_int_equal(cudaSetDeviceFlags(cudaDeviceScheduleYield), cudaSuccess);
    assert_int_equal(cudaGetDeviceFlags(&flags), cudaSuccess);
    assert_int_equal(flags, cudaDeviceScheduleYield | cudaDeviceMapHost);
    assert_refused(cudaErrorInvalidValue, cudaSetDeviceFlags(3)); /* two ways of waiting */
    assert_refused(cudaErrorInvalidValue, cudaSetDeviceFlags(0x100));
    assert_refused(cudaErrorInvalidValue, cudaGetDeviceFlags(NULL));
    assert_int_equal(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1), cudaSuccess);
    assert_int_equal(cudaDeviceGetCacheConfig(&cache), cudaSuccess);
    assert_int_equal(cache, cudaFuncCachePreferL1);
    assert_int_equal(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
    assert_int_equal(least, 0);
    assert_int_equal(greatest, -5);
    assert_int_equal(cudaDeviceGetStreamPriorityRange(NULL, NULL), cudaSuccess);
}

/* No other device exists. */
static void test_peers(void **state)
{
    (void)state;
    int can = 7;
    assert_int_equal(cudaDeviceCanAccessPeer(&can, 0, 0), cudaSuccess);
    assert_int_equal(can, 0);
    assert_refused(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 1));
    assert_refused(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 1, 0));
    assert_refused(cudaErrorInvalidValue, cudaDeviceCanAccessPeer(NULL, 0, 0));
    assert_refused(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
    assert_refused(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
    assert_refused(cudaErrorInvalidDevice, cudaDeviceGetP2PAttribute(&can, 1, 0, 1));
    assert_refused(cudaErrorInvalidValue, cudaDeviceGetP2PAttribute(&can, 6, 0, 1));
}

/* Waiting for the device waits for captured streams, too, and is forbidden. */
static void test_synchronization(void **state)
{
    (void)state;
    cudaGraph_t graph;
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_SYNC);
    fake.refuses[CALL_SYNC] = cudaErrorLaunchFailure;
    assert_refused(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    const size_t sent = fake.seen_n;
    assert_refused(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
    assert_int_equal(fake.seen_n, sent);
    assert_refused(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
}

/* The calls of the API about captures. */
static void test_capture(void **state)
{
    (void)state;
    enum cudaStreamCaptureStatus status;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    const cudaGraphNode_t *last = NULL;
    unsigned long long id = 0;
    cudaGraph_t graph = NULL, same = NULL;
    cudaGraphNode_t node;
    size_t n = 7;
    assert_refused(cudaErrorStreamCaptureUnsupported,
                   cudaStreamBeginCapture(cudaStreamLegacy, mode));
    assert_refused(cudaErrorInvalidValue, cudaStreamBeginCaptureToGraph(stream, NULL, NULL, NULL, 0,
                                                                        mode));
    assert_int_equal(cudaGraphCreate(&graph, 0), cudaSuccess);
    assert_refused(cudaErrorInvalidValue, cudaStreamBeginCaptureToGraph(stream, graph, NULL, NULL,
                                                                        1, mode));
    assert_int_equal(cudaGraphAddEmptyNode(&node, graph, NULL, 0), cudaSuccess);
    assert_int_equal(cudaStreamBeginCaptureToGraph(stream, graph, &node, NULL, 1, mode),
                     cudaSuccess);
    assert_int_equal(cudaStreamIsCapturing(stream, &status), cudaSuccess);
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    assert_int_equal(cudaStreamGetCaptureInfo(stream, &status, &id, &same, &last, NULL, &n),
                     cudaSuccess);
    assert_true(id > 0);
    assert_ptr_equal(same, graph);
    assert_int_equal(n, 1);
    assert_ptr_equal(last[0], node);
    assert_int_equal(cudaStreamUpdateCaptureDependencies(stream, NULL, NULL, 0, 1), cudaSuccess);
    assert_int_equal(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, NULL, NULL, &n),
                     cudaSuccess);
    assert_int_equal(n, 0);
    assert_int_equal(cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1, 0), cudaSuccess);
    assert_refused(cudaErrorInvalidValue,
                   cudaStreamUpdateCaptureDependencies(stream, NULL, NULL, 1, 0));
    assert_refused(cudaErrorInvalidValue,
                   cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1, 2));
    assert_refused(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(NULL, &status));
    assert_refused(cudaErrorInvalidValue, cudaStreamIsCapturing(stream, NULL));
    assert_int_equal(cudaStreamEndCapture(stream, &same), cudaSuccess);
    assert_int_equal(cudaStreamIsCapturing(stream, &status), cudaSuccess);
    assert_int_equal(status, cudaStreamCaptureStatusNone);
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
    assert_int_equal(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    assert_int_equal(mode, cudaStreamCaptureModeGlobal); /* the mode before */
    assert_int_equal(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    assert_int_equal(mode, cudaStreamCaptureModeRelaxed);
    mode = (enum cudaStreamCaptureMode)3;
    assert_refused(cudaErrorInvalidValue, cudaThreadExchangeStreamCaptureMode(&mode));
    assert_refused(cudaErrorInvalidValue, cudaThreadExchangeStreamCaptureMode(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_choice), TEST(test_attributes), TEST(test_bus_id), TEST(test_limits),
        TEST(test_settings), TEST(test_peers), TEST(test_synchronization), TEST(test_capture)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
