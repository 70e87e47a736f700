/* cuSPARSE: types and functions, with the values and calling conventions of NVIDIA's library.
 * corun's library has the functions declared here; a call of any other function returns
 * CUSPARSE_STATUS_NOT_SUPPORTED. Algorithms have no effect: corun has one per operation. */
#ifndef CORUN_CUSPARSE_H
#define CORUN_CUSPARSE_H

#include <stddef.h>
#include <stdint.h>

#include "cuComplex.h"
#include "driver_types.h"
#include "library_types.h"
#ifdef __cplusplus
extern "C" {
#endif

#define CUSPARSE_VER_MAJOR 11
#define CUSPARSE_VER_MINOR 4
#define CUSPARSE_VER_PATCH 0
#define CUSPARSE_VER_BUILD 0
#define CUSPARSE_VERSION                                                                           \
    (CUSPARSE_VER_MAJOR * 1000 + CUSPARSE_VER_MINOR * 100 + CUSPARSE_VER_PATCH)

typedef enum {
    CUSPARSE_STATUS_SUCCESS = 0, CUSPARSE_STATUS_NOT_INITIALIZED = 1,
    CUSPARSE_STATUS_ALLOC_FAILED = 2, CUSPARSE_STATUS_INVALID_VALUE = 3,
    CUSPARSE_STATUS_ARCH_MISMATCH = 4, CUSPARSE_STATUS_MAPPING_ERROR = 5,
    CUSPARSE_STATUS_EXECUTION_FAILED = 6, CUSPARSE_STATUS_INTERNAL_ERROR = 7,
    CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8, CUSPARSE_STATUS_ZERO_PIVOT = 9,
    CUSPARSE_STATUS_NOT_SUPPORTED = 10, CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;
typedef enum {
    CUSPARSE_POINTER_MODE_HOST = 0, CUSPARSE_POINTER_MODE_DEVICE = 1
} cusparsePointerMode_t;
typedef enum { CUSPARSE_ACTION_SYMBOLIC = 0, CUSPARSE_ACTION_NUMERIC = 1 } cusparseAction_t;
typedef enum {
    CUSPARSE_MATRIX_TYPE_GENERAL = 0, CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
    CUSPARSE_MATRIX_TYPE_HERMITIAN = 2, CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
} cusparseMatrixType_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER = 0, CUSPARSE_FILL_MODE_UPPER = 1 } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT = 0, CUSPARSE_DIAG_TYPE_UNIT = 1 } cusparseDiagType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1 } cusparseIndexBase_t;
typedef enum {
    CUSPARSE_OPERATION_NON_TRANSPOSE = 0, CUSPARSE_OPERATION_TRANSPOSE = 1,
    CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
} cusparseOperation_t;
typedef enum {
    CUSPARSE_DIRECTION_ROW = 0, CUSPARSE_DIRECTION_COLUMN = 1
} cusparseDirection_t;
typedef enum {
    CUSPARSE_SOLVE_POLICY_NO_LEVEL = 0, CUSPARSE_SOLVE_POLICY_USE_LEVEL = 1
} cusparseSolvePolicy_t;
typedef enum {
    CUSPARSE_FORMAT_CSR = 1, CUSPARSE_FORMAT_CSC = 2, CUSPARSE_FORMAT_COO = 3,
    CUSPARSE_FORMAT_BLOCKED_ELL = 5, CUSPARSE_FORMAT_BSR = 6, CUSPARSE_FORMAT_SLICED_ELLPACK = 7
} cusparseFormat_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum {
    CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I = 2, CUSPARSE_INDEX_64I = 3
} cusparseIndexType_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE } cusparseSpMatAttribute_t;
typedef enum {
    CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1, CUSPARSE_CSR2CSC_ALG2 = 2
} cusparseCsr2CscAlg_t;
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 } cusparseSparseToDenseAlg_t;
typedef enum {
    CUSPARSE_SPMV_ALG_DEFAULT = 0, CUSPARSE_SPMV_COO_ALG1 = 1, CUSPARSE_SPMV_CSR_ALG1 = 2,
    CUSPARSE_SPMV_CSR_ALG2 = 3, CUSPARSE_SPMV_COO_ALG2 = 4, CUSPARSE_SPMV_SELL_ALG1 = 5,
    CUSPARSE_SPMV_BSR_ALG1 = 6,
    /* names of CUDA 11 */
    CUSPARSE_MV_ALG_DEFAULT = 0, CUSPARSE_COOMV_ALG = 1, CUSPARSE_CSRMV_ALG1 = 2,
    CUSPARSE_CSRMV_ALG2 = 3
} cusparseSpMVAlg_t;
typedef enum {
    CUSPARSE_SPMM_ALG_DEFAULT = 0, CUSPARSE_SPMM_COO_ALG1 = 1, CUSPARSE_SPMM_COO_ALG2 = 2,
    CUSPARSE_SPMM_COO_ALG3 = 3, CUSPARSE_SPMM_CSR_ALG1 = 4, CUSPARSE_SPMM_COO_ALG4 = 5,
    CUSPARSE_SPMM_CSR_ALG2 = 6, CUSPARSE_SPMM_CSR_ALG3 = 12, CUSPARSE_SPMM_BLOCKED_ELL_ALG1 = 13,
    CUSPARSE_SPMM_BSR_ALG1 = 14
} cusparseSpMMAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT = 0 } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SPSM_ALG_DEFAULT = 0 } cusparseSpSMAlg_t;

typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
typedef struct cusparseSpSMDescr *cusparseSpSMDescr_t;
typedef struct csrilu02Info *csrilu02Info_t;
typedef struct csric02Info *csric02Info_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t;
typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version);
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value);
const char *cusparseGetErrorName(cusparseStatus_t status);
const char *cusparseGetErrorString(cusparseStatus_t status);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode);

/* ---- properties of a matrix, for functions without a descriptor of the matrix itself ---- */

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descr, cusparseMatrixType_t type);
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descr, cusparseFillMode_t fill);
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descr, cusparseDiagType_t diag);
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descr, cusparseIndexBase_t base);
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descr);

/* ---- dense vectors and matrices ---- */

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vector, int64_t size, void *values,
                                     cudaDataType type);
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *vector, int64_t size,
                                          const void *values, cudaDataType type);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector);
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t vector, int64_t *size, void **values,
                                  cudaDataType *type);
cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t vector, int64_t *size,
                                       const void **values, cudaDataType *type);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t vector, void **values);
cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t vector,
                                             const void **values);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void *values);
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *matrix, int64_t rows, int64_t cols,
                                     int64_t ld, void *values, cudaDataType type,
                                     cusparseOrder_t order);
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *matrix, int64_t rows,
                                          int64_t cols, int64_t ld, const void *values,
                                          cudaDataType type, cusparseOrder_t order);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix);
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t matrix, int64_t *rows, int64_t *cols,
                                  int64_t *ld, void **values, cudaDataType *type,
                                  cusparseOrder_t *order);
cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t matrix, int64_t *rows,
                                       int64_t *cols, int64_t *ld, const void **values,
                                       cudaDataType *type, cusparseOrder_t *order);
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t matrix, void **values);
cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t matrix,
                                             const void **values);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t matrix, void *values);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t matrix, int count,
                                              int64_t stride);
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t matrix, int *count,
                                              int64_t *stride);

/* ---- sparse matrices: compressed rows (CSR), compressed columns (CSC), coordinates (COO) ---- */

/* Create, CreateConst, Get and ConstGet of a compressed format. */
#define CUSPARSE_COMPRESSED(Format)                                                                \
    cusparseStatus_t cusparseCreate##Format(                                                       \
        cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz, void *offsets,      \
        void *indices, void *values, cusparseIndexType_t offsetsType,                              \
        cusparseIndexType_t indicesType, cusparseIndexBase_t base, cudaDataType type);             \
    cusparseStatus_t cusparseCreateConst##Format(                                                  \
        cusparseConstSpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz,                \
        const void *offsets, const void *indices, const void *values,                              \
        cusparseIndexType_t offsetsType, cusparseIndexType_t indicesType,                          \
        cusparseIndexBase_t base, cudaDataType type);                                              \
    cusparseStatus_t cusparse##Format##Get(                                                        \
        cusparseSpMatDescr_t matrix, int64_t *rows, int64_t *cols, int64_t *nnz, void **offsets,   \
        void **indices, void **values, cusparseIndexType_t *offsetsType,                           \
        cusparseIndexType_t *indicesType, cusparseIndexBase_t *base, cudaDataType *type);          \
    cusparseStatus_t cusparseConst##Format##Get(                                                   \
        cusparseConstSpMatDescr_t matrix, int64_t *rows, int64_t *cols, int64_t *nnz,              \
        const void **offsets, const void **indices, const void **values,                           \
        cusparseIndexType_t *offsetsType, cusparseIndexType_t *indicesType,                        \
        cusparseIndexBase_t *base, cudaDataType *type);                                            \
    cusparseStatus_t cusparse##Format##SetPointers(cusparseSpMatDescr_t matrix, void *offsets,     \
                                                   void *indices, void *values);
CUSPARSE_COMPRESSED(Csr)
CUSPARSE_COMPRESSED(Csc)
#undef CUSPARSE_COMPRESSED
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols,
                                   int64_t nnz, void *rowIndices, void *colIndices, void *values,
                                   cusparseIndexType_t indexType, cusparseIndexBase_t base,
                                   cudaDataType type);
cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *matrix, int64_t rows,
                                        int64_t cols, int64_t nnz, const void *rowIndices,
                                        const void *colIndices, const void *values,
                                        cusparseIndexType_t indexType, cusparseIndexBase_t base,
                                        cudaDataType type);
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t matrix, int64_t *rows, int64_t *cols,
                                int64_t *nnz, void **rowIndices, void **colIndices, void **values,
                                cusparseIndexType_t *indexType, cusparseIndexBase_t *base,
                                cudaDataType *type);
cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t matrix, int64_t *rows,
                                     int64_t *cols, int64_t *nnz, const void **rowIndices,
                                     const void **colIndices, const void **values,
                                     cusparseIndexType_t *indexType, cusparseIndexBase_t *base,
                                     cudaDataType *type);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void *rowIndices,
                                        void *colIndices, void *values);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix,
                                        cusparseFormat_t *format);
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix,
                                           cusparseIndexBase_t *base);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t matrix, void **values);
cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t matrix,
                                             const void **values);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void *values);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t *rows,
                                      int64_t *cols, int64_t *nnz);
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t matrix, int *count);
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t matrix, int count,
                                            int64_t offsetsStride, int64_t valuesStride);
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t matrix, int count,
                                            int64_t stride);
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t matrix,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t size);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix,
                                           cusparseSpMatAttribute_t attribute, void *data,
                                           size_t size);

/* ---- products ---- */

/* y = alpha op(A) x + beta y */
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         const void *alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnVecDescr_t vecX, const void *beta,
                                         cusparseDnVecDescr_t vecY, cudaDataType computeType,
                                         cusparseSpMVAlg_t alg, size_t *bufferSize);
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                         const void *alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnVecDescr_t vecX, const void *beta,
                                         cusparseDnVecDescr_t vecY, cudaDataType computeType,
                                         cusparseSpMVAlg_t alg, void *buffer);
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                              cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
                              const void *beta, cusparseDnVecDescr_t vecY,
                              cudaDataType computeType, cusparseSpMVAlg_t alg, void *buffer);
/* C = alpha op(A) op(B) + beta C */
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, const void *alpha,
                                         cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, const void *beta,
                                         cusparseDnMatDescr_t matC, cudaDataType computeType,
                                         cusparseSpMMAlg_t alg, size_t *bufferSize);
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, const void *alpha,
                                         cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, const void *beta,
                                         cusparseDnMatDescr_t matC, cudaDataType computeType,
                                         cusparseSpMMAlg_t alg, void *buffer);
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA,
                              cusparseOperation_t opB, const void *alpha,
                              cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
                              const void *beta, cusparseDnMatDescr_t matC,
                              cudaDataType computeType, cusparseSpMMAlg_t alg, void *buffer);

/* ---- triangular systems: op(A) y = alpha x, op(A) C = alpha op(B) ---- */

/* The attributes of A give the triangle and the diagonal; other elements are not used. The analysis
 * waits for the stream. Later changes of A's values have effect, changes of indices have not. */
cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr);
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr);
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         const void *alpha, cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                                         cudaDataType computeType, cusparseSpSVAlg_t alg,
                                         cusparseSpSVDescr_t descr, size_t *bufferSize);
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t opA,
                                       const void *alpha, cusparseConstSpMatDescr_t matA,
                                       cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                                       cudaDataType computeType, cusparseSpSVAlg_t alg,
                                       cusparseSpSVDescr_t descr, void *buffer);
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t opA,
                                    const void *alpha, cusparseConstSpMatDescr_t matA,
                                    cusparseConstDnVecDescr_t vecX, cusparseDnVecDescr_t vecY,
                                    cudaDataType computeType, cusparseSpSVAlg_t alg,
                                    cusparseSpSVDescr_t descr);
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr);
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr);
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA,
                                         cusparseOperation_t opB, const void *alpha,
                                         cusparseConstSpMatDescr_t matA,
                                         cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
                                         cudaDataType computeType, cusparseSpSMAlg_t alg,
                                         cusparseSpSMDescr_t descr, size_t *bufferSize);
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t opA,
                                       cusparseOperation_t opB, const void *alpha,
                                       cusparseConstSpMatDescr_t matA,
                                       cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
                                       cudaDataType computeType, cusparseSpSMAlg_t alg,
                                       cusparseSpSMDescr_t descr, void *buffer);
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t opA,
                                    cusparseOperation_t opB, const void *alpha,
                                    cusparseConstSpMatDescr_t matA,
                                    cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
                                    cudaDataType computeType, cusparseSpSMAlg_t alg,
                                    cusparseSpSMDescr_t descr);

/* ---- incomplete factors with the pattern of the matrix, in place ---- */

/* A = L U with ones on the diagonal of L (csrilu02), A = L L' in the lower triangle (csric02). The
 * columns of a row ascend. The analysis waits for the stream. zeroPivot returns ZERO_PIVOT and the
 * first row without an element on the diagonal, after the factorization also with a zero pivot; -1
 * without. numericBoost: pivots up to the tolerance are replaced. */
#define CORUN_FACTOR(Name, Of)                                                                     \
    cusparseStatus_t cusparseCreate##Of##Info(Name##Info_t *info);                                 \
    cusparseStatus_t cusparseDestroy##Of##Info(Name##Info_t info);                                 \
    cusparseStatus_t cusparseX##Name##_zeroPivot(cusparseHandle_t handle, Name##Info_t info,       \
                                                 int *position);                                   \
    CORUN_FACTOR_OF(S, float, Name)                                                                \
    CORUN_FACTOR_OF(D, double, Name)                                                               \
    CORUN_FACTOR_OF(C, cuComplex, Name)                                                            \
    CORUN_FACTOR_OF(Z, cuDoubleComplex, Name)
#define CORUN_FACTOR_OF(X, T, Name)                                                                \
    cusparseStatus_t cusparse##X##Name##_bufferSize(                                               \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *csrVal,       \
        const int *csrRowPtr, const int *csrColInd, Name##Info_t info, int *bufferSize);           \
    cusparseStatus_t cusparse##X##Name##_bufferSizeExt(                                            \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *csrVal,       \
        const int *csrRowPtr, const int *csrColInd, Name##Info_t info, size_t *bufferSize);        \
    cusparseStatus_t cusparse##X##Name##_analysis(                                                 \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,                  \
        const T *csrVal, const int *csrRowPtr, const int *csrColInd, Name##Info_t info,            \
        cusparseSolvePolicy_t policy, void *buffer);                                               \
    cusparseStatus_t cusparse##X##Name(                                                            \
        cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *csrVal,       \
        const int *csrRowPtr, const int *csrColInd, Name##Info_t info,                             \
        cusparseSolvePolicy_t policy, void *buffer);
#define CORUN_BOOST(X, T)                                                                          \
    cusparseStatus_t cusparse##X##csrilu02_numericBoost(cusparseHandle_t handle,                   \
                                                        csrilu02Info_t info, int enable,           \
                                                        double *tolerance, T *boost);
CORUN_FACTOR(csrilu02, Csrilu02)
CORUN_FACTOR(csric02, Csric02)
CORUN_BOOST(S, float)
CORUN_BOOST(D, double)
CORUN_BOOST(C, cuComplex)
CORUN_BOOST(Z, cuDoubleComplex)
#undef CORUN_FACTOR
#undef CORUN_FACTOR_OF
#undef CORUN_BOOST

/* ---- conversions ---- */

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *cooRowInd, int nnz, int m,
                                  int *csrRowPtr, cusparseIndexBase_t base);
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *csrRowPtr, int nnz, int m,
                                  int *cooRowInd, cusparseIndexBase_t base);
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p);
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstSpMatDescr_t matA,
                                                  cusparseDnMatDescr_t matB,
                                                  cusparseSparseToDenseAlg_t alg,
                                                  size_t *bufferSize);
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                       cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
                                       void *buffer);
/* The transposed matrix: CSC of a matrix in CSR. */
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz,
                                               const void *csrVal, const int *csrRowPtr,
                                               const int *csrColInd, void *cscVal, int *cscColPtr,
                                               int *cscRowInd, cudaDataType type,
                                               cusparseAction_t copyValues,
                                               cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg,
                                               size_t *bufferSize);
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz,
                                    const void *csrVal, const int *csrRowPtr, const int *csrColInd,
                                    void *cscVal, int *cscColPtr, int *cscRowInd,
                                    cudaDataType type, cusparseAction_t copyValues,
                                    cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg,
                                    void *buffer);
#ifdef __cplusplus
}
#endif

#endif
