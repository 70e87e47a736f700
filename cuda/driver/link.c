/* Linking at run time: the result is the input PTX as a fat binary. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/fat_binary.h"

struct CUlinkState_st {
    unsigned char *fat;
    size_t bytes;
};

/* Answers options: all logs are empty, the time is zero. */
static void answer(unsigned int n, const int *options, void **values)
{
    enum { WALL_TIME = 2, INFO_LOG, INFO_LOG_BYTES, ERROR_LOG };
    for (unsigned int i = 0; options && values && i < n; i++) {
        if (options[i] == WALL_TIME) values[i] = NULL;
        if ((options[i] == INFO_LOG || options[i] == ERROR_LOG) && values[i])
            *(char *)values[i] = 0;
    }
}

CUresult cuLinkCreate_v2(unsigned int n, int *options, void **values, CUlinkState *state)
{
    if (!state) return cudaErrorInvalidValue;
    answer(n, options, values);
    *state = calloc(1, sizeof **state);
    return *state ? CUDA_SUCCESS : cudaErrorMemoryAllocation;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                          const char *name, unsigned int n, int *options, void **values)
{
    (void)name, (void)n, (void)options, (void)values;
    if (!state || !data || !bytes) return cudaErrorInvalidValue;
    if (state->fat) return corun_missing("cuLinkAddData of a second module");
    if (type == CU_JIT_INPUT_PTX) {
        char *text = calloc(1, bytes + 1);
        if (!text) return cudaErrorMemoryAllocation;
        memcpy(text, data, bytes);
        state->fat = driver_fat_of_text(text, &state->bytes);
        free(text);
        return CUDA_SUCCESS;
    }
    if (type != CU_JIT_INPUT_FATBINARY || bytes < sizeof(struct fat_header) ||
        !fat_bytes(data) || fat_bytes(data) > bytes)
        return corun_missing("cuLinkAddData of anything except PTX or a fat binary");
    state->bytes = fat_bytes(data);
    state->fat = malloc(state->bytes);
    if (!state->fat) return cudaErrorMemoryAllocation;
    memcpy(state->fat, data, state->bytes);
    return CUDA_SUCCESS;
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int n,
                          int *options, void **values)
{
    size_t bytes;
    char *data = path ? driver_read(path, &bytes) : NULL;
    if (!data) return cudaErrorFileNotFound;
    CUresult error = cuLinkAddData_v2(state, type, data, bytes, path, n, options, values);
    free(data);
    return error;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
    if (!state || !image || !state->fat) return cudaErrorInvalidValue;
    *image = state->fat;
    if (bytes) *bytes = state->bytes;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    if (!state) return cudaErrorInvalidValue;
    free(state->fat);
    free(state);
    return CUDA_SUCCESS;
}
