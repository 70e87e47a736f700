/* Memory allocated by graphs: use by launches and releases, and the attributes of the device's
 * graph memory. */
#include "fake_simulator.h"

#include "cuda/capture/memory.h"

static char first[4], second[4], foreign[4];

static unsigned long long attribute(enum cudaGraphMemAttributeType which)
{
    unsigned long long value = 999;
    assert_int_equal(cudaDeviceGetGraphMemAttribute(0, which, &value), cudaSuccess);
    return value;
}

static void assert_attributes(unsigned long long used, unsigned long long used_high,
                              unsigned long long reserved, unsigned long long reserved_high)
{
    assert_int_equal(attribute(cudaGraphMemAttrUsedMemCurrent), used);
    assert_int_equal(attribute(cudaGraphMemAttrUsedMemHigh), used_high);
    assert_int_equal(attribute(cudaGraphMemAttrReservedMemCurrent), reserved);
    assert_int_equal(attribute(cudaGraphMemAttrReservedMemHigh), reserved_high);
}

/* Memory is taken by the launch and given back by a free node or the program. */
static void test_use(void **state)
{
    (void)state;
    assert_false(corun_is_graph_memory(first));
    assert_int_equal(corun_graph_memory_take(first, false), cudaErrorInvalidValue);
    corun_graph_memory_add(first, 100);
    corun_graph_memory_add(second, 30);
    assert_true(corun_is_graph_memory(first));
    assert_false(corun_is_graph_memory(first + 1)); /* the start only */
    assert_attributes(0, 0, 0, 0);
    assert_int_equal(corun_free_graph_memory(first), cudaErrorInvalidValue); /* not in use */
    assert_int_equal(corun_graph_memory_take(first, false), cudaSuccess);
    assert_int_equal(corun_graph_memory_take(second, false), cudaSuccess);
    assert_attributes(130, 130, 130, 130);
    assert_int_equal(corun_graph_memory_take(first, false), cudaErrorInvalidValue); /* in use */
    assert_int_equal(corun_graph_memory_take(first, true), cudaSuccess); /* used again */
    assert_attributes(130, 130, 130, 130); /* counts once */
    assert_int_equal(corun_graph_memory_give(first), cudaSuccess);
    assert_int_equal(corun_graph_memory_give(first), cudaErrorInvalidValue);
    assert_int_equal(corun_graph_memory_give(foreign), cudaSuccess); /* left alone */
    assert_int_equal(corun_free_graph_memory(foreign), cudaErrorInvalidValue);
    assert_attributes(30, 130, 130, 130); /* reserved until a trim */
    assert_int_equal(cudaDeviceGraphMemTrim(0), cudaSuccess);
    assert_attributes(30, 130, 30, 130);
}

static void test_high_water_marks(void **state)
{
    (void)state;
    unsigned long long zero = 0, other = 5;
    assert_int_equal(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero),
                     cudaSuccess);
    assert_attributes(30, 30, 30, 130);
    assert_int_equal(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &zero),
                     cudaSuccess);
    assert_attributes(30, 30, 30, 30);
    assert_refused(cudaErrorInvalidValue,
                   cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &other));
    assert_refused(cudaErrorInvalidValue,
                   cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero));
    assert_refused(cudaErrorInvalidValue,
                   cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, NULL));
    assert_attributes(30, 30, 30, 30);
}

static void test_errors(void **state)
{
    (void)state;
    unsigned long long value = 0;
    const enum cudaGraphMemAttributeType used = cudaGraphMemAttrUsedMemHigh;
    const enum cudaGraphMemAttributeType unknown =
        (enum cudaGraphMemAttributeType)(cudaGraphMemAttrReservedMemHigh + 1);
    assert_refused(cudaErrorInvalidDevice, cudaDeviceGetGraphMemAttribute(1, used, &value));
    assert_refused(cudaErrorInvalidDevice, cudaDeviceSetGraphMemAttribute(1, used, &value));
    assert_refused(cudaErrorInvalidDevice, cudaDeviceGraphMemTrim(1));
    assert_refused(cudaErrorInvalidValue, cudaDeviceGetGraphMemAttribute(0, used, NULL));
    assert_refused(cudaErrorInvalidValue, cudaDeviceGetGraphMemAttribute(0, unknown, &value));
}

int main(void)
{
    /* each test continues with the memory of the one before */
    const struct CMUnitTest tests[] = {TEST(test_use), TEST(test_high_water_marks),
                                       TEST(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
