/* Errors of the run-time API: the stored error of a thread, names, and calls that are missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pthread.h>

#include "cuda/connection/error.h"

static void *last_elsewhere(void *with)
{
    (void)with;
    return (void *)(size_t)cudaGetLastError();
}

/* The last error stays until cudaGetLastError; cudaErrorNotReady is no error; each thread has its
 * own. */
static void test_last_error(void **state)
{
    (void)state;
    pthread_t t;
    void *elsewhere;
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    assert_int_equal(corun_note(cudaErrorInvalidValue), cudaErrorInvalidValue);
    assert_int_equal(corun_note(cudaSuccess), cudaSuccess);
    assert_int_equal(corun_note(cudaErrorNotReady), cudaErrorNotReady);
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidValue);
    assert_int_equal(corun_note(cudaErrorInvalidDevice), cudaErrorInvalidDevice);
    assert_int_equal(pthread_create(&t, NULL, last_elsewhere, NULL), 0);
    assert_int_equal(pthread_join(t, &elsewhere), 0);
    assert_int_equal((size_t)elsewhere, cudaSuccess);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(cudaGetErrorName(cudaSuccess), "cudaSuccess");
    assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
    assert_string_equal(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue");
    assert_string_equal(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument");
    assert_string_equal(cudaGetErrorName((cudaError_t)-1), "unrecognized error code");
    assert_string_equal(cudaGetErrorString((cudaError_t)-1), "unrecognized error code");
}

/* A missing call says so once. */
static void test_missing(void **state)
{
    (void)state;
    char said[256];
    int ends[2], before = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    cudaError_t all = cudaErrorNotSupported;
    for (unsigned i = 0; i < 3; i++) {
        if (corun_missing("cudaOne") != cudaErrorNotSupported) all = cudaSuccess;
        if (corun_missing("cudaTwo") != cudaErrorNotSupported) all = cudaSuccess;
    }
    dup2(before, STDERR_FILENO);
    close(ends[1]);
    const ssize_t n = read(ends[0], said, sizeof said - 1);
    assert_true(n > 0);
    said[n] = 0;
    assert_string_equal(said, "corun: cudaOne is not supported\ncorun: cudaTwo is not supported\n");
    assert_int_equal(all, cudaErrorNotSupported);
    assert_int_equal(cudaGetLastError(), cudaErrorNotSupported);
}

/* After a failed assertion of a kernel every call reports the assertion, in every thread. */
static void test_assertion(void **state)
{
    (void)state;
    pthread_t t;
    void *elsewhere;
    corun_note(cudaErrorAssert);
    assert_int_equal(cudaGetLastError(), cudaErrorAssert);
    assert_int_equal(cudaGetLastError(), cudaErrorAssert);
    assert_int_equal(pthread_create(&t, NULL, last_elsewhere, NULL), 0);
    assert_int_equal(pthread_join(t, &elsewhere), 0);
    assert_int_equal((size_t)elsewhere, cudaErrorAssert);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_last_error),
                                       cmocka_unit_test(test_names), cmocka_unit_test(test_missing),
                                       cmocka_unit_test(test_assertion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
