/* Errors of the run-time API. */
#include "cuda/connection/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>


static _Thread_local cudaError_t last;
static _Atomic bool over; /* an assertion of a kernel has failed; the error is permanent */

cudaError_t corun_note(cudaError_t error)
{
    if (error == cudaErrorAssert) over = true;
    if (error && error != cudaErrorNotReady) last = error;
    return error;
}

cudaError_t cudaPeekAtLastError(void) { return over ? cudaErrorAssert : last; }

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = cudaPeekAtLastError();
    last = cudaSuccess;
    return error;
}

static const struct {
    cudaError_t error;
    const char *name, *sentence;
} rows[] = {
#define ERROR(name, value, sentence) {name, #name, sentence},
#include "cuda/include/cuda_error.def"
#undef ERROR
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].error == error) return rows[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].error == error) return rows[i].sentence;
    return "unrecognized error code";
}

cudaError_t corun_missing(const char *call)
{
    static const char *reported[64];
    static size_t reported_n;
    size_t i = 0;
    while (i < reported_n && strcmp(reported[i], call)) i++;
    if (i == reported_n) {
        if (reported_n < sizeof reported / sizeof *reported) reported[reported_n++] = call;
        fprintf(stderr, "corun: %s is not supported\n", call);
    }
    return corun_note(cudaErrorNotSupported);
}
