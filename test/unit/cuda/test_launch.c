/* Launches in every calling convention of the compilers, their limits, and queries of kernels.
 * Source: CUDA run-time API, Execution Control and Occupancy. */
#include "fake_simulator.h"

#include "cuda/capture/capture.h"
#include "cuda/fat_binary.h"
#include "cuda/runtime/stream_id.h"

static char kernel, lost, plain; /* host functions */
static const cudaStream_t stream = (cudaStream_t)(uintptr_t)(3 + HANDLE);
static const dim3 grid = {2, 3, 4}, block = {32, 2, 1};

/* A kernel with an int at 0 and a 64-bit number at 8, and a kernel without parameters. */
static int make(void **state)
{
    static struct fat_wrapper wrapper;
    static void **module;
    fake_start(state);
    fake.kernel = (struct wire_kernel){.shared_bytes = 1024, .const_bytes = 64, .local_bytes = 32,
                                       .block_threads = 512, .registers = 40, .param_n = 2,
                                       .param_bytes = 16, .ptx_version = 75};
    fake.params[0] = (struct wire_param){0, 4};
    fake.params[1] = (struct wire_param){8, 8};
    if (module) return 0;
    module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &kernel, &kernel, "k", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(module, &plain, &plain, "p", -1, NULL, NULL, NULL, NULL, NULL);
    return 0;
}

static int first = 7;
static uint64_t second = 1ull << 40;
static void *arguments[] = {&first, &second};

static void assert_launched(size_t shared)
{
    const struct wire_launch l = last_launch();
    const unsigned char *more = seen_back(0)->more;
    assert_int_equal(l.grid[0], 2);
    assert_int_equal(l.grid[1], 3);
    assert_int_equal(l.grid[2], 4);
    assert_int_equal(l.block[0], 32);
    assert_int_equal(l.block[1], 2);
    assert_int_equal(l.block[2], 1);
    assert_int_equal(l.shared_bytes, shared);
    assert_int_equal(l.stream, 3);
    assert_int_equal(l.dynamic_most, 49152 - 1024);
    assert_int_equal(last_call()->at[1], 0);
    assert_int_equal(last_call()->payload_bytes, sizeof l);
    assert_int_equal(last_call()->more_bytes, 16);
    assert_memory_equal(more, &first, 4); /* at the offsets of the parameters */
    assert_memory_equal(more + 8, &second, 8);
}

static void test_launch(void **state)
{
    (void)state;
    assert_int_equal(cudaLaunchKernel(&kernel, grid, block, arguments, 100, stream), cudaSuccess);
    assert_launched(100);
    assert_int_equal(last_launch().cooperative, 0);
    assert_int_equal(last_launch().priority, WIRE_PRIORITY_OF_STREAM);
    assert_int_equal(cudaLaunchCooperativeKernel(&kernel, grid, block, arguments, 0, stream),
                     cudaSuccess);
    assert_launched(0);
    assert_int_equal(last_launch().cooperative, 1);
    const size_t sent = fake.seen_n;
    assert_refused(cudaErrorInvalidDeviceFunction,
                   cudaLaunchKernel(&lost, grid, block, arguments, 0, stream));
    assert_refused(cudaErrorInvalidValue, cudaLaunchKernel(&kernel, grid, block, NULL, 0, stream));
    assert_refused(cudaErrorInvalidValue,
                   cudaLaunchKernel(&kernel, grid, block, arguments, 1ull << 32, stream));
    assert_int_equal(fake.seen_n, sent);
    fake.refuses[CALL_LAUNCH] = cudaErrorInvalidConfiguration;
    assert_refused(cudaErrorInvalidConfiguration,
                   cudaLaunchKernel(&kernel, grid, block, arguments, 0, stream));
}

static void test_attributes(void **state)
{
    (void)state;
    cudaLaunchAttribute attributes[] = {
        {.id = cudaLaunchAttributeCooperative, .val.cooperative = 1},
        {.id = cudaLaunchAttributePriority, .val.priority = -9},
        {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {1, 1, 1}}};
    cudaLaunchConfig_t c = {grid, block, 64, stream, attributes, 3};
    assert_int_equal(cudaLaunchKernelExC(&c, &kernel, arguments), cudaSuccess);
    assert_launched(64);
    assert_int_equal(last_launch().cooperative, 1);
    assert_int_equal(last_launch().priority, WIRE_PRIORITY_GREATEST); /* the nearest valid one */
    attributes[2].val.clusterDim.y = 2;
    assert_int_equal(cudaLaunchKernelExC(&c, &kernel, arguments), cudaSuccess);
    assert_memory_equal(last_launch().cluster, ((const uint32_t[]){1, 2, 1}), 12);
    assert_int_equal(last_launch().large_clusters, 0);
    assert_int_equal(
        cudaFuncSetAttribute(&kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
        cudaSuccess);
    assert_int_equal(cudaLaunchKernelExC(&c, &kernel, arguments), cudaSuccess);
    assert_int_equal(last_launch().large_clusters, 1);
    attributes[2].val.clusterDim.z = 0;
    assert_refused(cudaErrorInvalidValue, cudaLaunchKernelExC(&c, &kernel, arguments));
    assert_refused(cudaErrorInvalidValue, cudaLaunchKernelExC(NULL, &kernel, arguments));
    attributes[2] = (cudaLaunchAttribute){
        .id = cudaLaunchAttributeProgrammaticStreamSerialization,
        .val.programmaticStreamSerializationAllowed = 1};
    assert_int_equal(cudaLaunchKernelExC(&c, &kernel, arguments), cudaSuccess);
    assert_int_equal(last_launch().dependent, 1);
    attributes[2].val.programmaticStreamSerializationAllowed = 0;
    assert_int_equal(cudaLaunchKernelExC(&c, &kernel, arguments), cudaSuccess);
    assert_int_equal(last_launch().dependent, 0);
    c.numAttrs = 0;
    assert_int_equal(cudaLaunchKernelExC(&c, &kernel, arguments), cudaSuccess);
    assert_int_equal(last_launch().cooperative, 0);
    assert_int_equal(last_launch().priority, WIRE_PRIORITY_OF_STREAM);
}

/* <<<...>>> of new compilers: the configuration is pushed, the stub pops the configuration. */
static void test_configurations(void **state)
{
    (void)state;
    dim3 g, b;
    size_t shared;
    cudaStream_t s;
    cudaKernel_t k;
    assert_refused(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&g, &b, &shared, &s));
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(__cudaPushCallConfiguration((dim3){i, 1, 1}, block, i, stream), 0);
    assert_int_equal(__cudaPushCallConfiguration(grid, block, 0, stream), 1); /* nested too deep */
    assert_refused(cudaErrorInvalidConfiguration, cudaConfigureCall(grid, block, 0, stream));
    for (unsigned i = 8; i-- > 0;) { /* the last first */
        assert_int_equal(__cudaPopCallConfiguration(&g, &b, &shared, &s), cudaSuccess);
        assert_int_equal(g.x, i);
        assert_int_equal(b.x, 32);
        assert_int_equal(shared, i);
        assert_ptr_equal(s, stream);
    }
    assert_int_equal(__cudaGetKernel(&k, &kernel), cudaSuccess);
    assert_int_equal(__cudaLaunchKernel(k, grid, block, arguments, 8, stream), cudaSuccess);
    assert_launched(8);
    assert_refused(cudaErrorInvalidDeviceFunction, __cudaGetKernel(&k, &lost));
}

/* <<<...>>> of old compilers: arguments are set one by one. */
static void test_arguments_one_by_one(void **state)
{
    (void)state;
    assert_refused(cudaErrorMissingConfiguration, cudaSetupArgument(&first, 4, 0));
    assert_refused(cudaErrorMissingConfiguration, cudaLaunch(&kernel));
    assert_int_equal(cudaConfigureCall(grid, block, 5, stream), cudaSuccess);
    assert_int_equal(cudaSetupArgument(&second, 8, 8), cudaSuccess);
    assert_int_equal(cudaSetupArgument(&first, 4, 0), cudaSuccess);
    assert_int_equal(cudaLaunch(&kernel), cudaSuccess);
    assert_launched(5);
    assert_refused(cudaErrorMissingConfiguration, cudaLaunch(&kernel)); /* used up */
    assert_int_equal(cudaConfigureCall(grid, block, 5, stream), cudaSuccess);
    assert_int_equal(cudaSetupArgument(&first, 4, 0), cudaSuccess);
    assert_refused(cudaErrorInvalidValue, cudaLaunch(&kernel)); /* an argument is missing */
    assert_int_equal(cudaConfigureCall(grid, block, 5, stream), cudaSuccess);
    assert_refused(cudaErrorInvalidValue, cudaSetupArgument(&first, 4, 32765));
    assert_refused(cudaErrorInvalidValue, cudaSetupArgument(&first, SIZE_MAX, 8));
    assert_int_equal(cudaSetupArgument(&first, 4, 32764), cudaSuccess); /* the last bytes */
    assert_refused(cudaErrorInvalidDeviceFunction, cudaLaunch(&lost));
    fake.kernel.param_n = fake.kernel.param_bytes = 0;
    assert_int_equal(cudaConfigureCall(grid, block, 0, stream), cudaSuccess);
    assert_int_equal(cudaLaunch(&plain), cudaSuccess); /* no parameters */
    assert_int_equal(last_call()->more_bytes, 0);
}

/* A launch in a captured stream is checked at once, since no launch of the graph could succeed. */
static void test_captured(void **state)
{
    (void)state;
    cudaGraph_t graph;
    assert_int_equal(corun_capture_begin(3, NULL, NULL, 0, cudaStreamCaptureModeGlobal), 0);
    assert_int_equal(cudaLaunchKernel(&kernel, grid, block, arguments, 0, stream), cudaSuccess);
    assert_int_equal(seen_of(CALL_LAUNCH), 1);
    fake.refuses[CALL_LAUNCH] = cudaErrorInvalidConfiguration;
    assert_refused(cudaErrorInvalidConfiguration,
                   cudaLaunchKernel(&kernel, grid, block, arguments, 0, stream));
    for (size_t i = 0; i < fake.seen_n; i++) /* only checked */
        if (fake.seen[i].call.call == CALL_LAUNCH) assert_int_equal(fake.seen[i].call.at[1], 1);
    assert_int_equal(corun_capture_end(3, &graph), cudaSuccess);
    assert_int_equal(graph->node_n, 1);
    assert_int_equal(graph->nodes[0]->calls[0].at[1], 0);
    corun_graph_free(graph);
}

static void test_function_attributes(void **state)
{
    (void)state;
    struct cudaFuncAttributes a;
    const char *name;
    const enum cudaFuncAttribute shared = cudaFuncAttributeMaxDynamicSharedMemorySize;
    const enum cudaFuncAttribute carveout = cudaFuncAttributePreferredSharedMemoryCarveout;
    assert_int_equal(cudaFuncGetAttributes(&a, &kernel), cudaSuccess);
    assert_int_equal(a.sharedSizeBytes, 1024);
    assert_int_equal(a.constSizeBytes, 64);
    assert_int_equal(a.localSizeBytes, 32);
    assert_int_equal(a.maxThreadsPerBlock, 512);
    assert_int_equal(a.numRegs, 40);
    assert_int_equal(a.ptxVersion, 75);
    assert_int_equal(a.binaryVersion, 75);
    assert_int_equal(a.maxDynamicSharedSizeBytes, 49152 - 1024);
    assert_int_equal(a.preferredShmemCarveout, -1);
    assert_refused(cudaErrorInvalidValue, cudaFuncGetAttributes(NULL, &kernel));
    assert_refused(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, &lost));
    assert_int_equal(cudaFuncGetName(&name, &kernel), cudaSuccess);
    assert_string_equal(name, "k");
    assert_refused(cudaErrorInvalidValue, cudaFuncGetName(NULL, &kernel));
    /* up to the limit with opt-in, minus the static shared memory */
    assert_refused(cudaErrorInvalidValue, cudaFuncSetAttribute(&kernel, shared, 65536 - 1023));
    assert_refused(cudaErrorInvalidValue, cudaFuncSetAttribute(&kernel, shared, -1));
    assert_refused(cudaErrorInvalidValue, cudaFuncSetAttribute(&kernel, carveout, 101));
    assert_refused(cudaErrorInvalidValue, cudaFuncSetAttribute(&kernel, carveout, -2));
    assert_refused(cudaErrorInvalidValue,
                   cudaFuncSetAttribute(&kernel, cudaFuncAttributeRequiredClusterWidth, 1));
    assert_refused(cudaErrorInvalidDeviceFunction, cudaFuncSetAttribute(&lost, shared, 0));
    assert_int_equal(cudaFuncSetAttribute(&kernel, shared, 65536 - 1024), cudaSuccess);
    assert_int_equal(cudaFuncSetAttribute(&kernel, carveout, 100), cudaSuccess);
    assert_int_equal(cudaFuncGetAttributes(&a, &kernel), cudaSuccess);
    assert_int_equal(a.maxDynamicSharedSizeBytes, 65536 - 1024);
    assert_int_equal(a.preferredShmemCarveout, 100);
    assert_int_equal(cudaLaunchKernel(&kernel, grid, block, arguments, 0, stream), cudaSuccess);
    assert_int_equal(last_launch().dynamic_most, 65536 - 1024);
}

/* Launches the kernel and returns the preferred carve-out that the simulator receives. */
static int launched_carveout(void)
{
    assert_int_equal(cudaLaunchKernel(&kernel, grid, block, arguments, 0, stream), cudaSuccess);
    return last_launch().carveout;
}

static void test_carveout(void **state)
{
    (void)state;
    const enum cudaFuncAttribute carveout = cudaFuncAttributePreferredSharedMemoryCarveout;
    cudaLaunchAttribute of_launch = {.id = cudaLaunchAttributePreferredSharedMemoryCarveout,
                                     .val = {.sharedMemCarveout = 30}};
    cudaLaunchConfig_t config = {.gridDim = grid, .blockDim = block, .attrs = &of_launch,
                                 .numAttrs = 1};
    int blocks;
    assert_int_equal(cudaFuncSetAttribute(&kernel, carveout, -1), cudaSuccess);
    assert_int_equal(launched_carveout(), -1);
    assert_int_equal(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1), cudaSuccess);
    assert_int_equal(launched_carveout(), 0);
    assert_int_equal(cudaFuncSetCacheConfig(&kernel, cudaFuncCachePreferShared), cudaSuccess);
    assert_int_equal(launched_carveout(), 100);
    assert_int_equal(cudaFuncSetCacheConfig(&kernel, cudaFuncCachePreferEqual), cudaSuccess);
    assert_int_equal(launched_carveout(), 50);
    assert_int_equal(cudaFuncSetAttribute(&kernel, carveout, 20), cudaSuccess);
    assert_int_equal(launched_carveout(), 20);
    assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &kernel, 128, 0),
                     cudaSuccess);
    assert_int_equal(last_call()->at[4], 20);
    assert_int_equal(cudaLaunchKernelExC(&config, &kernel, arguments), cudaSuccess);
    assert_int_equal(last_launch().carveout, 30);
    of_launch.val.sharedMemCarveout = UINT32_MAX; /* the default: as the kernel */
    assert_int_equal(cudaLaunchKernelExC(&config, &kernel, arguments), cudaSuccess);
    assert_int_equal(last_launch().carveout, 20);
    assert_int_equal(cudaFuncSetAttribute(&kernel, carveout, -1), cudaSuccess);
    assert_int_equal(cudaFuncSetCacheConfig(&kernel, cudaFuncCachePreferNone), cudaSuccess);
    assert_int_equal(launched_carveout(), 0);
    assert_int_equal(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone), cudaSuccess);
    assert_refused(cudaErrorInvalidDeviceFunction,
                   cudaFuncSetCacheConfig(&lost, cudaFuncCachePreferShared));
    assert_refused(cudaErrorInvalidValue,
                   cudaFuncSetCacheConfig(&kernel, (enum cudaFuncCache)4));
    assert_refused(cudaErrorInvalidValue, cudaDeviceSetCacheConfig((enum cudaFuncCache)4));
}

static void test_occupancy(void **state)
{
    (void)state;
    int blocks = 0;
    size_t shared = 0;
    assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &kernel, 128, 16384),
                     cudaSuccess);
    assert_int_equal(blocks, 4);
    assert_int_equal(last_call()->at[1], 128);
    assert_int_equal(last_call()->at[2], 16384);
    assert_refused(cudaErrorInvalidValue,
                   cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, &kernel, 128, 0));
    assert_refused(cudaErrorInvalidValue,
                   cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &kernel, 0, 0));
    assert_refused(cudaErrorInvalidValue,
                   cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &kernel, 128,
                                                                 1ull << 32));
    assert_refused(cudaErrorInvalidDeviceFunction,
                   cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &lost, 128, 0));
    assert_refused(cudaErrorInvalidValue,
                   cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, &kernel, 128, 0,
                                                                          2));
    for (int n = 1; n <= 7; n++) { /* the most with which n blocks fit */
        assert_int_equal(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, &kernel, n, 128),
                         cudaSuccess);
        assert_int_equal(shared, 65536 / n);
    }
    assert_int_equal(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, &kernel, 100000, 128),
                     cudaSuccess);
    assert_int_equal(shared, 0);
    assert_refused(cudaErrorInvalidValue,
                   cudaOccupancyAvailableDynamicSMemPerBlock(NULL, &kernel, 1, 128));
    assert_refused(cudaErrorInvalidValue,
                   cudaOccupancyAvailableDynamicSMemPerBlock(&shared, &kernel, 1, 0));
}

#define WITH_KERNEL(name) cmocka_unit_test_setup(name, make)
int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_KERNEL(test_launch), WITH_KERNEL(test_attributes), WITH_KERNEL(test_configurations),
        WITH_KERNEL(test_arguments_one_by_one), WITH_KERNEL(test_captured),
        WITH_KERNEL(test_occupancy), WITH_KERNEL(test_function_attributes),
        WITH_KERNEL(test_carveout)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
