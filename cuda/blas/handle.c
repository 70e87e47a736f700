/* Handles, modes, texts of errors, and operands of kernels. */
#include <stdlib.h>

#include "cuda/blas/blas.h"

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
    int device;
    const struct library_run_time *r = library_run_time();
    if (!r || r->cudaGetDevice(&device)) return CUBLAS_STATUS_NOT_INITIALIZED;
    struct cublasContext *h = calloc(1, sizeof *h);
    if (!h) return CUBLAS_STATUS_ALLOC_FAILED;
    h->has_tensor = r->__cudaCorunMultipliesHalf();
    *handle = h;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t h)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    while (h->scratch) {
        struct blas_scratch *s = h->scratch;
        h->scratch = s->next;
        library_run_time()->cudaFree(s->at);
        free(s);
    }
    free(h);
    return CUBLAS_STATUS_SUCCESS;
}

/* A getter and a setter of a mode. */
#define MODE(Set, Get, T, member, known)                                                           \
    cublasStatus_t Set(cublasHandle_t h, T value)                                                  \
    {                                                                                              \
        if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;                                              \
        if (!(known)) return CUBLAS_STATUS_INVALID_VALUE;                                          \
        h->member = value;                                                                         \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t Get(cublasHandle_t h, T *value)                                                 \
    {                                                                                              \
        if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;                                              \
        if (!value) return CUBLAS_STATUS_INVALID_VALUE;                                            \
        *value = h->member;                                                                        \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
MODE(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream, true)
MODE(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointer_mode,
     value <= CUBLAS_POINTER_MODE_DEVICE)
MODE(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics,
     value <= CUBLAS_ATOMICS_ALLOWED)
MODE(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math,
     (value & 15) <= CUBLAS_TF32_TENSOR_OP_MATH)

/* The kernels need no workspace of the program. */
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void *workspace, size_t bytes)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    return bytes && !workspace ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

enum { VERSION = LIBRARY_CUDA * 10000 };

cublasStatus_t cublasGetVersion_v2(cublasHandle_t h, int *version)
{
    (void)h;
    if (!version) return CUBLAS_STATUS_INVALID_VALUE;
    *version = VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    if (!value || type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
    *value = type == MAJOR_VERSION ? VERSION / 10000 : 0;
    return CUBLAS_STATUS_SUCCESS;
}

#define STATUSES(F)                                                                                \
    F(SUCCESS, "the operation succeeded")                                                          \
    F(NOT_INITIALIZED, "the library was not initialized")                                          \
    F(ALLOC_FAILED, "out of memory")                                                               \
    F(INVALID_VALUE, "an unsupported value or parameter")                                          \
    F(ARCH_MISMATCH, "the device lacks a required feature")                                        \
    F(MAPPING_ERROR, "an access to device memory failed")                                          \
    F(EXECUTION_FAILED, "a kernel failed")                                                         \
    F(INTERNAL_ERROR, "an internal operation failed")                                              \
    F(NOT_SUPPORTED, "the operation is not supported")                                             \
    F(LICENSE_ERROR, "a license is missing")

const char *cublasGetStatusName(cublasStatus_t status)
{
    switch (status) {
#define CASE(name, sentence) case CUBLAS_STATUS_##name: return "CUBLAS_STATUS_" #name;
        STATUSES(CASE)
#undef CASE
    }
    return "unknown status";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    switch (status) {
#define CASE(name, sentence) case CUBLAS_STATUS_##name: return sentence;
        STATUSES(CASE)
#undef CASE
    }
    return "unknown status";
}

/* ---- operands ---- */

cublasStatus_t blas_launch(cudaStream_t stream, const char *stem, const char *letter, dim3 grid,
                           unsigned threads, void **arguments)
{
    cudaError_t error = library_launch(stream, stem, letter, grid, threads, 0, arguments);
    return library_status(error, CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_EXECUTION_FAILED);
}

cublasStatus_t blas_missing(const char *what)
{
    library_missing("cuBLAS", what);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

size_t blas_bytes(char letter)
{
    switch (letter) {
    case 's': return sizeof(float);
    case 'd': case 'c': return sizeof(double);
    case 'z': return 2 * sizeof(double);
    case 'i': case 'e': case 'f': return 1;
    default: return 2;
    }
}

struct library_scalar blas_scalar(const void *at, char type, cublasPointerMode_t mode)
{
    return library_scalar(at, type, mode == CUBLAS_POINTER_MODE_DEVICE);
}

struct blas_matrix blas_matrix(const void *at, long long ld)
{
    struct blas_matrix a = {.at = at, .down = 1, .right = ld};
    return a;
}

struct blas_matrix blas_op(struct blas_matrix a, cublasOperation_t op)
{
    if (op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG) a.conjugate = !a.conjugate;
    if (blas_is_plain(op)) return a;
    long long down = a.down;
    a.down = a.right;
    a.right = down;
    if (a.shape >= BLAS_LOWER) a.shape += a.shape & 1 ? 1 : -1; /* lower becomes upper */
    return a;
}

int blas_triangle(cublasFillMode_t fill, cublasDiagType_t diag)
{
    int shape = diag == CUBLAS_DIAG_UNIT ? BLAS_UNIT_LOWER : BLAS_LOWER;
    return fill == CUBLAS_FILL_MODE_UPPER ? shape + 1 : shape;
}

struct blas_vector blas_vector(const void *at, long long n, long long step)
{
    struct blas_vector v = {.at = at, .n = n, .step = step};
    return v;
}
