/* Operations on vectors. */
#include <stdlib.h>

#include "cuda/blas/blas.h"
#include "cuda/blas/names.h"

enum { THREADS = 256, BLOCKS = 1024, SUM_BLOCKS = 256, PART_BYTES = 16 };

/* Returns room for parts and a result, on the device, for sums in the handle's stream; NULL: no
 * memory. Sums in a stream follow each other. */
static char *scratch_of(cublasHandle_t h)
{
    for (struct blas_scratch *s = h->scratch; s; s = s->next)
        if (s->stream == h->stream) return s->at;
    struct blas_scratch *s = malloc(sizeof *s);
    if (!s || library_run_time()->cudaMalloc(&s->at, (SUM_BLOCKS + 1) * PART_BYTES)) {
        free(s);
        return NULL;
    }
    s->stream = h->stream;
    s->next = h->scratch;
    h->scratch = s;
    return s->at;
}

/* Copies a result of a sum to the host if the pointer mode says so; then the call waits. */
static cublasStatus_t deliver(cublasHandle_t h, cublasStatus_t status, void *result,
                              const void *found, size_t bytes)
{
    if (status || h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) return status;
    const struct library_run_time *r = library_run_time();
    if (r->cudaMemcpyAsync(result, found, bytes, cudaMemcpyDeviceToHost, h->stream) ||
        r->cudaStreamSynchronize(h->stream))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t each(cublasHandle_t h, const char *stem, const char *letter, long long n,
                           void **arguments)
{
    if (n <= 0) return CUBLAS_STATUS_SUCCESS;
    return blas_launch(h->stream, stem, letter, library_blocks(n, THREADS, BLOCKS), THREADS,
                       arguments);
}

static cublasStatus_t axpy(cublasHandle_t h, const char *letter, char scalar, long long n,
                           const void *alpha, const void *x, long long x_step, void *y,
                           long long y_step)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;
    struct library_scalar s = blas_scalar(alpha, scalar, h->pointer_mode);
    struct blas_vector from = blas_vector(x, n, x_step), to = blas_vector(y, n, y_step);
    return each(h, "axpy", letter, n, (void *[]){&s, &from, &to});
}

static cublasStatus_t scal(cublasHandle_t h, const char *letter, char scalar, long long n,
                           const void *alpha, void *x, long long step)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;
    if (scalar != letter[0] && (letter[0] == 'c' || letter[0] == 'z') &&
        h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
        return blas_missing("scaling of complex by a real number on the device");
    if (step <= 0) return CUBLAS_STATUS_SUCCESS;
    struct library_scalar s = blas_scalar(alpha, scalar, h->pointer_mode);
    struct blas_vector v = blas_vector(x, n, step);
    return each(h, "scal", letter, n, (void *[]){&s, &v});
}

static cublasStatus_t both(cublasHandle_t h, const char *stem, const char *letter, long long n,
                           const void *x, long long x_step, const void *y, long long y_step)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    struct blas_vector a = blas_vector(x, n, x_step), b = blas_vector(y, n, y_step);
    return each(h, stem, letter, n, (void *[]){&a, &b});
}

#define ELEMENTS(X, x, T)                                                                          \
    cublasStatus_t V2(cublas##X##axpy)(cublasHandle_t h, INT n, const T *alpha, const T *from,     \
                                       INT from_step, T *to, INT to_step)                          \
    {                                                                                              \
        return axpy(h, #x, #x[0], n, alpha, from, from_step, to, to_step);                         \
    }                                                                                              \
    cublasStatus_t V2(cublas##X##scal)(cublasHandle_t h, INT n, const T *alpha, T *at, INT step)   \
    {                                                                                              \
        return scal(h, #x, #x[0], n, alpha, at, step);                                             \
    }                                                                                              \
    cublasStatus_t V2(cublas##X##copy)(cublasHandle_t h, INT n, const T *from, INT from_step,      \
                                       T *to, INT to_step)                                         \
    {                                                                                              \
        return both(h, "copy", #x, n, from, from_step, to, to_step);                               \
    }                                                                                              \
    cublasStatus_t V2(cublas##X##swap)(cublasHandle_t h, INT n, T *a, INT a_step, T *b,            \
                                       INT b_step)                                                 \
    {                                                                                              \
        return both(h, "swap", #x, n, a, a_step, b, b_step);                                       \
    }
EACH_TYPE(ELEMENTS)

cublasStatus_t V2(cublasCsscal)(cublasHandle_t h, INT n, const float *alpha, cuComplex *x,
                                INT step)
{
    return scal(h, "c", 's', n, alpha, x, step);
}

cublasStatus_t V2(cublasZdscal)(cublasHandle_t h, INT n, const double *alpha, cuDoubleComplex *x,
                                INT step)
{
    return scal(h, "z", 'd', n, alpha, x, step);
}

#define ROT(X, x, T)                                                                               \
    cublasStatus_t V2(cublas##X##rot)(cublasHandle_t h, INT n, T *a, INT a_step, T *b, INT b_step, \
                                      const T *c, const T *s)                                      \
    {                                                                                              \
        if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;                                              \
        if (!c || !s) return CUBLAS_STATUS_INVALID_VALUE;                                          \
        struct library_scalar cosine = blas_scalar(c, #x[0], h->pointer_mode);                     \
        struct library_scalar sine = blas_scalar(s, #x[0], h->pointer_mode);                       \
        struct blas_vector u = blas_vector(a, n, a_step), v = blas_vector(b, n, b_step);           \
        return each(h, "rot", #x, n, (void *[]){&cosine, &sine, &u, &v});                          \
    }
ROT(S, s, float)
ROT(D, d, double)

/* ---- sums ---- */

struct sum { /* a kernel writes parts, a second kernel the result */
    dim3 grid;      /* of the first kernel */
    int part_n;
    void *parts, *out;
    char *scratch;
};
static const dim3 one = {1, 1, 1};

static cublasStatus_t sum_start(cublasHandle_t h, long long n, void *result, struct sum *s)
{
    if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!result) return CUBLAS_STATUS_INVALID_VALUE;
    if (!(s->scratch = scratch_of(h))) return CUBLAS_STATUS_ALLOC_FAILED;
    s->grid = library_blocks(n, THREADS, SUM_BLOCKS);
    s->part_n = (int)s->grid.x;
    s->parts = s->scratch + PART_BYTES;
    s->out = h->pointer_mode == CUBLAS_POINTER_MODE_DEVICE ? result : s->scratch;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t dot(cublasHandle_t h, const char *letter, long long n, const void *x,
                          long long x_step, const void *y, long long y_step, int conjugated,
                          void *result)
{
    struct sum s;
    cublasStatus_t status = sum_start(h, n, result, &s);
    if (status) return status;
    struct blas_vector a = blas_vector(x, n, x_step), b = blas_vector(y, n, y_step);
    status = blas_launch(h->stream, "dot", letter, s.grid, THREADS,
                         (void *[]){&a, &b, &conjugated, &s.parts});
    if (!status)
        status = blas_launch(h->stream, "add", letter, one, THREADS,
                             (void *[]){&s.parts, &s.part_n, &s.out});
    return deliver(h, status, result, s.scratch, blas_bytes(letter[0]));
}

/* Sums of sizes: nrm2 (root) and asum. real: letter of the result. */
static cublasStatus_t total(cublasHandle_t h, const char *stem, const char *letter,
                            const char *real, long long n, const void *x, long long step, int root,
                            void *result)
{
    struct sum s;
    cublasStatus_t status = sum_start(h, n, result, &s);
    if (status) return status;
    struct blas_vector a = blas_vector(x, step > 0 ? n : 0, step);
    status = blas_launch(h->stream, stem, letter, s.grid, THREADS, (void *[]){&a, &s.parts});
    if (!status)
        status = blas_launch(h->stream, "total", real, one, THREADS,
                             (void *[]){&s.parts, &s.part_n, &root, &s.out});
    return deliver(h, status, result, s.scratch, blas_bytes(real[0]));
}

static cublasStatus_t extreme(cublasHandle_t h, const char *letter, long long n, const void *x,
                              long long step, int least, void *result)
{
    struct sum s;
    cublasStatus_t status = sum_start(h, n, result, &s);
    if (status) return status;
    struct blas_vector a = blas_vector(x, step > 0 ? n : 0, step);
    int wide = sizeof(INT) == 8;
    status = blas_launch(h->stream, "extreme", letter, s.grid, THREADS,
                         (void *[]){&a, &least, &s.parts});
    if (!status)
        status = blas_launch(h->stream, "best", "part", one, THREADS,
                             (void *[]){&s.parts, &s.part_n, &least, &wide, &s.out});
    return deliver(h, status, result, s.scratch, sizeof(INT));
}

#define SUMS(x, r, R, T, nrm2, asum)                                                               \
    cublasStatus_t V2(cublas##nrm2)(cublasHandle_t h, INT n, const T *at, INT step, R *result)     \
    {                                                                                              \
        return total(h, "norm", #x, #r, n, at, step, 1, result);                                   \
    }                                                                                              \
    cublasStatus_t V2(cublas##asum)(cublasHandle_t h, INT n, const T *at, INT step, R *result)     \
    {                                                                                              \
        return total(h, "size", #x, #r, n, at, step, 0, result);                                   \
    }                                                                                              \
    cublasStatus_t V2(cublasI##x##amax)(cublasHandle_t h, INT n, const T *at, INT step,            \
                                        INT *result)                                               \
    {                                                                                              \
        return extreme(h, #x, n, at, step, 0, result);                                             \
    }                                                                                              \
    cublasStatus_t V2(cublasI##x##amin)(cublasHandle_t h, INT n, const T *at, INT step,            \
                                        INT *result)                                               \
    {                                                                                              \
        return extreme(h, #x, n, at, step, 1, result);                                             \
    }
SUMS(s, s, float, float, Snrm2, Sasum)
SUMS(d, d, double, double, Dnrm2, Dasum)
SUMS(c, s, float, cuComplex, Scnrm2, Scasum)
SUMS(z, d, double, cuDoubleComplex, Dznrm2, Dzasum)

#define DOT(name, x, T, conjugated)                                                                \
    cublasStatus_t V2(cublas##name)(cublasHandle_t h, INT n, const T *a, INT a_step, const T *b,   \
                                    INT b_step, T *result)                                         \
    {                                                                                              \
        return dot(h, #x, n, a, a_step, b, b_step, conjugated, result);                            \
    }
DOT(Sdot, s, float, 0)
DOT(Ddot, d, double, 0)
DOT(Cdotu, c, cuComplex, 0)
DOT(Cdotc, c, cuComplex, 1)
DOT(Zdotu, z, cuDoubleComplex, 0)
DOT(Zdotc, z, cuDoubleComplex, 1)

/* ---- mixed types ---- */

/* Returns the letter of a type of elements as a text; NULL: no vectors of the type. */
static const char *letter_of(cudaDataType type)
{
    switch (type) {
    case CUDA_R_32F: return "s";
    case CUDA_R_64F: return "d";
    case CUDA_C_32F: return "c";
    case CUDA_C_64F: return "z";
    case CUDA_R_16F: return "h";
    case CUDA_R_16BF: return "b";
    default: return NULL;
    }
}

/* The type of scalars that kernels of a type of elements read. */
static char scalar_of(char letter) { return letter == 'h' || letter == 'b' ? 's' : letter; }

cublasStatus_t NAME(cublasNrm2Ex)(cublasHandle_t h, INT n, const void *x, cudaDataType x_type,
                                  INT step, void *result, cudaDataType result_type,
                                  cudaDataType execution)
{
    (void)execution;
    const char *letter = letter_of(x_type);
    bool wide = letter && (*letter == 'd' || *letter == 'z');
    if (!letter || result_type != (wide ? CUDA_R_64F : CUDA_R_32F))
        return blas_missing("cublasNrm2Ex with these types");
    return total(h, "norm", letter, wide ? "d" : "s", n, x, step, 1, result);
}

static cublasStatus_t mixed_dot(cublasHandle_t h, INT n, const void *x, cudaDataType x_type,
                                INT x_step, const void *y, cudaDataType y_type, INT y_step,
                                int conjugated, void *result, cudaDataType result_type)
{
    const char *letter = letter_of(x_type);
    if (!letter || y_type != x_type || result_type != x_type)
        return blas_missing("cublasDotEx with these types");
    return dot(h, letter, n, x, x_step, y, y_step, conjugated, result);
}

cublasStatus_t NAME(cublasDotEx)(cublasHandle_t h, INT n, const void *x, cudaDataType x_type,
                                 INT x_step, const void *y, cudaDataType y_type, INT y_step,
                                 void *result, cudaDataType result_type, cudaDataType execution)
{
    (void)execution;
    return mixed_dot(h, n, x, x_type, x_step, y, y_type, y_step, 0, result, result_type);
}

cublasStatus_t NAME(cublasDotcEx)(cublasHandle_t h, INT n, const void *x, cudaDataType x_type,
                                  INT x_step, const void *y, cudaDataType y_type, INT y_step,
                                  void *result, cudaDataType result_type, cudaDataType execution)
{
    (void)execution;
    return mixed_dot(h, n, x, x_type, x_step, y, y_type, y_step, 1, result, result_type);
}

cublasStatus_t NAME(cublasAxpyEx)(cublasHandle_t h, INT n, const void *alpha,
                                  cudaDataType alpha_type, const void *x, cudaDataType x_type,
                                  INT x_step, void *y, cudaDataType y_type, INT y_step,
                                  cudaDataType execution)
{
    (void)execution;
    const char *letter = letter_of(x_type), *scalar = letter_of(alpha_type);
    if (!letter || !scalar || y_type != x_type || *scalar != scalar_of(*letter))
        return blas_missing("cublasAxpyEx with these types");
    return axpy(h, letter, *scalar, n, alpha, x, x_step, y, y_step);
}

cublasStatus_t NAME(cublasScalEx)(cublasHandle_t h, INT n, const void *alpha,
                                  cudaDataType alpha_type, void *x, cudaDataType x_type, INT step,
                                  cudaDataType execution)
{
    (void)execution;
    const char *letter = letter_of(x_type), *scalar = letter_of(alpha_type);
    if (!letter || !scalar || *scalar != scalar_of(*letter))
        return blas_missing("cublasScalEx with these types");
    return scal(h, letter, *scalar, n, alpha, x, step);
}

/* ---- copies between host and device ---- */

/* Copies `columns` runs of `bytes` bytes. */
static cublasStatus_t move(long long columns, size_t bytes, const void *from, size_t from_pitch,
                           void *to, size_t to_pitch, enum cudaMemcpyKind kind, bool waits,
                           cudaStream_t stream)
{
    if (columns < 0 || from_pitch < bytes || to_pitch < bytes) return CUBLAS_STATUS_INVALID_VALUE;
    if (!columns || !bytes) return CUBLAS_STATUS_SUCCESS;
    size_t n = (size_t)columns;
    if (from_pitch == bytes && to_pitch == bytes) { /* contiguous */
        bytes = from_pitch = to_pitch = bytes * n;
        n = 1;
    }
    const struct library_run_time *r = library_run_time();
    if (!r) return CUBLAS_STATUS_NOT_INITIALIZED;
    cudaError_t error =
        waits ? r->cudaMemcpy2D(to, to_pitch, from, from_pitch, bytes, n, kind)
              : r->cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, n, kind, stream);
    return error ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t move_vector(long long n, long long size, const void *x, long long incx,
                                  void *y, long long incy, enum cudaMemcpyKind kind, bool waits,
                                  cudaStream_t stream)
{
    if (size <= 0 || incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;
    return move(n, (size_t)size, x, (size_t)(incx * size), y, (size_t)(incy * size), kind, waits,
                stream);
}

static cublasStatus_t move_matrix(long long rows, long long columns, long long size, const void *a,
                                  long long lda, void *b, long long ldb, enum cudaMemcpyKind kind,
                                  bool waits, cudaStream_t stream)
{
    if (size <= 0 || rows < 0 || lda < rows || ldb < rows) return CUBLAS_STATUS_INVALID_VALUE;
    return move(columns, (size_t)(rows * size), a, (size_t)(lda * size), b, (size_t)(ldb * size),
                kind, waits, stream);
}

#define COPIES(Direction, kind)                                                                    \
    cublasStatus_t NAME(cublas##Direction##Vector)(INT n, INT size, const void *x, INT incx,       \
                                                   void *y, INT incy)                              \
    {                                                                                              \
        return move_vector(n, size, x, incx, y, incy, kind, true, NULL);                           \
    }                                                                                              \
    cublasStatus_t NAME(cublas##Direction##VectorAsync)(INT n, INT size, const void *x, INT incx,  \
                                                        void *y, INT incy, cudaStream_t stream)    \
    {                                                                                              \
        return move_vector(n, size, x, incx, y, incy, kind, false, stream);                        \
    }                                                                                              \
    cublasStatus_t NAME(cublas##Direction##Matrix)(INT rows, INT columns, INT size, const void *a, \
                                                   INT lda, void *b, INT ldb)                      \
    {                                                                                              \
        return move_matrix(rows, columns, size, a, lda, b, ldb, kind, true, NULL);                 \
    }                                                                                              \
    cublasStatus_t NAME(cublas##Direction##MatrixAsync)(INT rows, INT columns, INT size,           \
                                                        const void *a, INT lda, void *b, INT ldb,  \
                                                        cudaStream_t stream)                       \
    {                                                                                              \
        return move_matrix(rows, columns, size, a, lda, b, ldb, kind, false, stream);              \
    }
COPIES(Set, cudaMemcpyHostToDevice)
COPIES(Get, cudaMemcpyDeviceToHost)
