/* Memory pools and stream-ordered allocations. Source: CUDA run-time API, Stream Ordered Memory
 * Allocator. */
#include "fake_simulator.h"

#include "cuda/capture/capture.h"
#include "cuda/capture/memory.h"
#include "cuda/runtime/stream_id.h"

static const cudaStream_t stream = (cudaStream_t)(uintptr_t)(3 + HANDLE);

static void test_pools(void **state)
{
    (void)state;
    cudaMemPool_t usual, current, made;
    const struct cudaMemPoolProps p = {.allocType = cudaMemAllocationTypePinned}, none = {0};
    const struct cudaMemPoolProps shared = {.allocType = cudaMemAllocationTypePinned,
                                            .handleTypes = 1};
    assert_int_equal(cudaDeviceGetDefaultMemPool(&usual, 0), cudaSuccess);
    assert_int_equal(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
    assert_ptr_equal(current, usual);
    assert_int_equal(cudaMemPoolCreate(&made, &p), cudaSuccess);
    assert_int_equal(cudaDeviceSetMemPool(0, made), cudaSuccess);
    assert_int_equal(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
    assert_ptr_equal(current, made);
    assert_int_equal(cudaDeviceGetDefaultMemPool(&current, 0), cudaSuccess);
    assert_ptr_equal(current, usual);
    assert_int_equal(cudaMemPoolDestroy(made), cudaSuccess); /* the current pool */
    assert_int_equal(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
    assert_ptr_equal(current, usual);
    assert_int_equal(cudaMemPoolTrimTo(usual, 0), cudaSuccess);
    assert_refused(cudaErrorInvalidValue, cudaMemPoolTrimTo(NULL, 0));
    assert_refused(cudaErrorInvalidValue, cudaMemPoolDestroy(usual));
    assert_refused(cudaErrorInvalidValue, cudaMemPoolDestroy(NULL));
    assert_refused(cudaErrorInvalidValue, cudaMemPoolCreate(NULL, &p));
    assert_refused(cudaErrorInvalidValue, cudaMemPoolCreate(&made, NULL));
    assert_refused(cudaErrorInvalidValue, cudaMemPoolCreate(&made, &none));
    assert_refused(cudaErrorNotSupported, cudaMemPoolCreate(&made, &shared));
    assert_refused(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, NULL));
    assert_refused(cudaErrorInvalidDevice, cudaDeviceSetMemPool(1, usual));
    assert_refused(cudaErrorInvalidDevice, cudaDeviceGetMemPool(&current, 1));
    assert_refused(cudaErrorInvalidValue, cudaDeviceGetDefaultMemPool(NULL, 0));
}

static void test_attributes(void **state)
{
    (void)state;
    cudaMemPool_t pool, other;
    const struct cudaMemPoolProps p = {.allocType = cudaMemAllocationTypePinned};
    int reuse = 5;
    unsigned long long threshold = 5;
    assert_int_equal(cudaMemPoolCreate(&pool, &p), cudaSuccess);
    assert_int_equal(cudaMemPoolCreate(&other, &p), cudaSuccess);
    for (int a = cudaMemPoolReuseFollowEventDependencies;
         a <= cudaMemPoolReuseAllowInternalDependencies; a++) {
        const enum cudaMemPoolAttr which = (enum cudaMemPoolAttr)a;
        assert_int_equal(cudaMemPoolGetAttribute(pool, which, &reuse), cudaSuccess);
        assert_int_equal(reuse, 1);
        reuse = 0;
        assert_int_equal(cudaMemPoolSetAttribute(pool, which, &reuse), cudaSuccess);
        reuse = 5;
        assert_int_equal(cudaMemPoolGetAttribute(pool, which, &reuse), cudaSuccess);
        assert_int_equal(reuse, 0);
        assert_int_equal(cudaMemPoolGetAttribute(other, which, &reuse), cudaSuccess);
        assert_int_equal(reuse, 1);
    }
    const enum cudaMemPoolAttr limit = cudaMemPoolAttrReleaseThreshold;
    assert_int_equal(cudaMemPoolGetAttribute(pool, limit, &threshold), cudaSuccess);
    assert_int_equal(threshold, 0);
    threshold = 1ull << 40;
    assert_int_equal(cudaMemPoolSetAttribute(pool, limit, &threshold), cudaSuccess);
    threshold = 5;
    assert_int_equal(cudaMemPoolGetAttribute(pool, limit, &threshold), cudaSuccess);
    assert_true(threshold == 1ull << 40);
    const enum cudaMemPoolAttr used = cudaMemPoolAttrUsedMemCurrent;
    assert_refused(cudaErrorNotSupported, cudaMemPoolGetAttribute(pool, used, &threshold));
    assert_refused(cudaErrorNotSupported, cudaMemPoolSetAttribute(pool, used, &threshold));
    assert_refused(cudaErrorInvalidValue, cudaMemPoolGetAttribute(NULL, limit, &threshold));
    assert_refused(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, limit, NULL));
    assert_int_equal(cudaMemPoolDestroy(pool), cudaSuccess);
    assert_int_equal(cudaMemPoolDestroy(other), cudaSuccess);
}

static void test_access(void **state)
{
    (void)state;
    cudaMemPool_t pool;
    enum cudaMemAccessFlags flags;
    struct cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0},
                                       cudaMemAccessFlagsProtReadWrite};
    assert_int_equal(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    assert_int_equal(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
    assert_int_equal(cudaMemPoolGetAccess(&flags, pool, &access.location), cudaSuccess);
    assert_int_equal(flags, cudaMemAccessFlagsProtReadWrite);
    access.flags = cudaMemAccessFlagsProtRead; /* the device always writes its memory */
    assert_refused(cudaErrorInvalidValue, cudaMemPoolSetAccess(pool, &access, 1));
    access = (struct cudaMemAccessDesc){{cudaMemLocationTypeDevice, 1},
                                        cudaMemAccessFlagsProtReadWrite};
    assert_refused(cudaErrorInvalidValue, cudaMemPoolSetAccess(pool, &access, 1));
    assert_int_equal(cudaMemPoolGetAccess(&flags, pool, &access.location), cudaSuccess);
    assert_int_equal(flags, cudaMemAccessFlagsProtNone);
    assert_refused(cudaErrorInvalidValue, cudaMemPoolSetAccess(NULL, NULL, 0));
    assert_refused(cudaErrorInvalidValue, cudaMemPoolSetAccess(pool, NULL, 1));
    assert_refused(cudaErrorInvalidValue, cudaMemPoolGetAccess(NULL, pool, &access.location));
}

static void test_allocation(void **state)
{
    (void)state;
    cudaMemPool_t pool;
    void *p = NULL;
    assert_int_equal(cudaMallocAsync(&p, 100, stream), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_ALLOC);
    assert_false(corun_is_graph_memory(p));
    assert_int_equal(cudaFreeAsync(p, stream), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_FREE_ASYNC);
    assert_int_equal(last_call()->at[0], 3);
    assert_int_equal(last_call()->at[1], corun_address(p));
    assert_int_equal(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    assert_int_equal(cudaMallocFromPoolAsync(&p, 100, pool, stream), cudaSuccess);
    assert_refused(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&p, 100, NULL, stream));
    assert_refused(cudaErrorInvalidValue, cudaFreeAsync(NULL, stream));
    fake.refuses[CALL_FREE_ASYNC] = cudaErrorInvalidValue;
    assert_refused(cudaErrorInvalidValue, cudaFreeAsync(p, stream));
}

/* In a captured stream, allocation and release are nodes of the graph. */
static void test_captured(void **state)
{
    (void)state;
    cudaGraph_t graph;
    void *p;
    assert_int_equal(corun_capture_begin(3, NULL, NULL, 0, cudaStreamCaptureModeGlobal), 0);
    assert_int_equal(cudaMallocAsync(&p, 100, stream), cudaSuccess);
    assert_int_equal(seen_of(CALL_ALLOC), 1); /* the node has its address at once */
    assert_int_equal(cudaFreeAsync(p, stream), cudaSuccess);
    assert_int_equal(seen_of(CALL_FREE_ASYNC), 0);
    assert_int_equal(corun_capture_end(3, &graph), cudaSuccess);
    assert_int_equal(graph->node_n, 2);
    assert_int_equal(graph->nodes[0]->type, cudaGraphNodeTypeMemAlloc);
    assert_int_equal(graph->nodes[1]->type, cudaGraphNodeTypeMemFree);
    assert_ptr_equal(graph->nodes[1]->allocation, p);
    assert_true(corun_is_graph_memory(p));
    corun_graph_free(graph);
    assert_refused(cudaErrorInvalidValue, cudaFreeAsync(p, stream)); /* no launch has allocated */
    assert_int_equal(corun_capture_begin(3, NULL, NULL, 0, cudaStreamCaptureModeGlobal), 0);
    assert_refused(cudaErrorStreamCaptureImplicit, cudaMallocAsync(&p, 100, NULL));
    assert_refused(cudaErrorStreamCaptureInvalidated, cudaMallocAsync(&p, 100, stream));
    assert_refused(cudaErrorStreamCaptureInvalidated, cudaFreeAsync(p, stream));
    assert_int_equal(corun_capture_end(3, &graph), cudaErrorStreamCaptureInvalidated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_pools), TEST(test_attributes), TEST(test_access),
                                       TEST(test_allocation), TEST(test_captured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
