/* Launches of matrix products. */
#include <limits.h>
#include <string.h>

#include "cuda/blas/blas.h"

enum { GRID_MOST = 65535 };
static const struct kind { /* of kernel */
    const char *stem;
    int tile;         /* a block computes tile x tile elements */
    unsigned threads;
} large = {"gemm", 64, 256}, small = {"small", 16, 64}, tensor = {"tensor", 64, 128};

/* Moves an operand to the matrix `first` of a batch. */
static struct blas_matrix from(struct blas_matrix a, long long first, size_t bytes)
{
    long long step = a.pointers ? (long long)sizeof(void *) : a.batch * (long long)bytes;
    a.at = (const char *)a.at + first * step;
    return a;
}

cublasStatus_t blas_product(cublasHandle_t h, struct blas_call *call)
{
    struct blas_gemm g = call->g;
    if (!g.m || !g.n || !call->batch) return CUBLAS_STATUS_SUCCESS;
    if (!g.alpha.at && g.alpha.re == 0 && g.alpha.im == 0) g.k = 0; /* a and b are not read */
    char letters[3] = {call->in, call->out == call->in || call->out == 'i' ? 0 : call->out, 0};
    if (call->in_b) letters[1] = call->in_b;
    bool plain = g.a.shape == BLAS_GENERAL && g.b.shape == BLAS_GENERAL;
    bool on_tensor = call->in == 'h' && h->has_tensor && plain && !call->pedantic &&
                     (h->math & 15) != CUBLAS_PEDANTIC_MATH;
    const struct kind *kind = on_tensor ? &tensor : &large;
    if (g.m <= 2 * small.tile && g.n <= 2 * small.tile) kind = &small;
    for (long long first = 0; first < call->batch; first += GRID_MOST) {
        long long n = call->batch - first < GRID_MOST ? call->batch - first : GRID_MOST;
        struct blas_gemm some = g;
        some.a = from(g.a, first, blas_bytes(call->in));
        some.b = from(g.b, first, blas_bytes(call->in));
        size_t out = call->out == 'i' ? sizeof(int) : blas_bytes(call->out);
        some.c = from(g.c, first, call->in_b ? blas_bytes(call->eight.c) : out);
        some.d = (char *)g.d + first * g.d_batch * (long long)out;
        dim3 grid = {(unsigned)((g.m + kind->tile - 1) / kind->tile),
                     (unsigned)((g.n + kind->tile - 1) / kind->tile), (unsigned)n};
        if (grid.y > GRID_MOST) return blas_missing("a product with more than 4194240 columns");
        void *arguments[] = {&some, &call->eight};
        cublasStatus_t status = blas_launch(h->stream, kind->stem, letters, grid, kind->threads,
                                            arguments);
        if (status) return status;
    }
    return CUBLAS_STATUS_SUCCESS;
}

bool blas_types(cudaDataType a, cudaDataType b, cudaDataType c, cublasComputeType_t compute,
                cudaDataType scalars, struct blas_call *out)
{
    static const struct product {
        cudaDataType in, out;
        char compute; /* letter of the sums */
        char letters[3];
    } products[] = {
        {CUDA_R_32F, CUDA_R_32F, 's', "ss"},   {CUDA_R_64F, CUDA_R_64F, 'd', "dd"},
        {CUDA_C_32F, CUDA_C_32F, 's', "cc"},   {CUDA_C_64F, CUDA_C_64F, 'd', "zz"},
        {CUDA_R_16F, CUDA_R_16F, 's', "hh"},   {CUDA_R_16F, CUDA_R_16F, 'h', "hh"},
        {CUDA_R_16F, CUDA_R_32F, 's', "hs"},   {CUDA_R_16BF, CUDA_R_16BF, 's', "bb"},
        {CUDA_R_16BF, CUDA_R_32F, 's', "bs"},  {CUDA_R_8I, CUDA_R_32I, 'i', "ii"},
        {CUDA_R_8I, CUDA_R_32F, 's', "is"}};
    char sums = 's';
    switch (compute) {
    case CUBLAS_COMPUTE_16F: case CUBLAS_COMPUTE_16F_PEDANTIC: sums = 'h'; break;
    case CUBLAS_COMPUTE_64F: case CUBLAS_COMPUTE_64F_PEDANTIC: sums = 'd'; break;
    case CUBLAS_COMPUTE_32I: case CUBLAS_COMPUTE_32I_PEDANTIC: sums = 'i'; break;
    default: break;
    }
    out->pedantic = compute == CUBLAS_COMPUTE_16F_PEDANTIC ||
                    compute == CUBLAS_COMPUTE_32F_PEDANTIC;
    for (unsigned i = 0; i < sizeof products / sizeof *products; i++) {
        const struct product *p = &products[i];
        if (a != b || p->in != a || p->out != c || p->compute != sums) continue;
        out->in = p->letters[0], out->out = p->letters[1];
        out->scalars = sums;
        if (a == CUDA_C_32F) out->scalars = 'c';
        if (a == CUDA_C_64F) out->scalars = 'z';
        if (scalars == CUDA_R_32F && sums == 'h') out->scalars = 's';
        out->g.half_scalars = out->scalars == 'h';
        return true;
    }
    return false;
}
