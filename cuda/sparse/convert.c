/* Conversions between formats. */
#include "cuda/sparse/sparse.h"

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t h, const int *rows, int nnz, int m,
                                  int *offsets, cusparseIndexBase_t base)
{
    if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (nnz < 0 || m < 0 || !offsets || (nnz && !rows)) return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_launch(h, "offsets", "i", sparse_blocks((int64_t)m + 1, 1),
                         (void *[]){&rows, &nnz, &m, &offsets, &base});
}

cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t h, const int *offsets, int nnz, int m,
                                  int *rows, cusparseIndexBase_t base)
{
    if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (nnz < 0 || m < 0 || !offsets || (nnz && !rows)) return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_launch(h, "lines", "i", sparse_blocks(nnz, 1),
                         (void *[]){&offsets, &nnz, &m, &rows, &base});
}

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t h, int n, int *p)
{
    if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (n < 0 || (n && !p)) return CUSPARSE_STATUS_INVALID_VALUE;
    return sparse_launch(h, "count_up", "i", sparse_blocks(n, 1), (void *[]){&n, &p});
}

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t h, cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t b,
                                                  cusparseSparseToDenseAlg_t alg, size_t *bytes)
{
    (void)alg;
    if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!a || !b || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    *bytes = 0;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSparseToDense(cusparseHandle_t h, cusparseConstSpMatDescr_t a,
                                       cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t alg,
                                       void *buffer)
{
    (void)alg, (void)buffer;
    if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (!a || !b || a->rows != b->rows || a->cols != b->cols || a->type != b->type)
        return CUSPARSE_STATUS_INVALID_VALUE;
    const char *letter = sparse_letter(a->type);
    if (!letter) return sparse_missing("cusparseSparseToDense with this type");
    if (a->count > 1 || b->count > 1) return sparse_missing("cusparseSparseToDense of a batch");
    struct sparse_lines from = sparse_lines(a);
    struct sparse_dense to = sparse_dense(b);
    struct library_scalar none = {0};
    int across = a->format == CUSPARSE_FORMAT_CSC;
    cusparseStatus_t status = sparse_launch(h, "scale", letter, sparse_blocks(b->rows * b->cols, 1),
                                            (void *[]){&to, &none});
    return status ? status : sparse_launch(h, "expand", letter, sparse_blocks(from.n, 1),
                                           (void *[]){&from, &to, &across});
}

/* ---- transposition ---- */

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t h, int m, int n, int nnz,
                                               const void *values, const int *offsets,
                                               const int *indices, void *csc_values,
                                               int *csc_offsets, int *csc_indices,
                                               cudaDataType type, cusparseAction_t action,
                                               cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg,
                                               size_t *bytes)
{
    (void)values, (void)offsets, (void)indices, (void)csc_values, (void)csc_offsets;
    (void)csc_indices, (void)type, (void)action, (void)base, (void)alg;
    if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || nnz < 0 || !bytes) return CUSPARSE_STATUS_INVALID_VALUE;
    *bytes = ((size_t)n + 1) * sizeof(int);
    return CUSPARSE_STATUS_SUCCESS;
}

/* The elements of a column are placed by atomic additions and then sorted, and so are always in the
 * order of rows. The buffer has a counter per column. */
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t h, int m, int n, int nnz, const void *values,
                                    const int *offsets, const int *indices, void *csc_values,
                                    int *csc_offsets, int *csc_indices, cudaDataType type,
                                    cusparseAction_t action, cusparseIndexBase_t base,
                                    cusparseCsr2CscAlg_t alg, void *buffer)
{
    (void)alg;
    if (!h) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || nnz < 0 || !offsets || !csc_offsets || !buffer)
        return CUSPARSE_STATUS_INVALID_VALUE;
    const char *letter = sparse_letter(type);
    if (!letter) return sparse_missing("cusparseCsr2cscEx2 with this type");
    dim3 each = sparse_blocks(nnz, 1);
    const struct step {
        const char *stem, *letter;
        dim3 blocks;
        void **arguments;
        bool skipped;
    } steps[] = {
        {"count", "i", each, (void *[]){&indices, &nnz, &base, &buffer}, false},
        {"sums", "i", {1, 1, 1}, (void *[]){&buffer, &n, &base, &csc_offsets, &buffer}, false},
        {"place", "i", each, (void *[]){&indices, &nnz, &base, &buffer, &csc_indices}, false},
        {"sort", "i", sparse_blocks(n, 1), (void *[]){&csc_offsets, &n, &base, &csc_indices},
         false},
        {"pick", letter, each, (void *[]){&csc_indices, &values, &csc_values, &nnz},
         action == CUSPARSE_ACTION_SYMBOLIC},
        {"rows", "i", each, (void *[]){&offsets, &m, &base, &csc_indices, &nnz}, false}};
    cusparseStatus_t status = sparse_clear(h, buffer, ((size_t)n + 1) * sizeof(int));
    for (unsigned i = 0; !status && i < sizeof steps / sizeof *steps; i++)
        if (!steps[i].skipped)
            status = sparse_launch(h, steps[i].stem, steps[i].letter, steps[i].blocks,
                                   steps[i].arguments);
    return status;
}
