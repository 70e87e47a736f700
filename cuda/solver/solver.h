/* The part of corun's cuSOLVER behind the functions: handles, launches of kernels, steps that
 * several functions share. Types of elements are letters: s d c z. */
#ifndef CORUN_SOLVER_H
#define CORUN_SOLVER_H

#include "cuda/include/cusolverDn.h"
#include "cuda/library/library.h"
#include "cuda/solver/kernels.h"

struct cusolverDnContext {
    cudaStream_t stream;
};

/* Calls F once per type: F(letter of the names, letter of kernels, type, type of real numbers). */
#define EACH_TYPE(F)                                                                               \
    F(S, "s", float, float)                                                                        \
    F(D, "d", double, double)                                                                      \
    F(C, "c", cuComplex, float)                                                                    \
    F(Z, "z", cuDoubleComplex, double)

/* A call: the stream, the letter of the type, and the first status of a launch that failed. The
 * steps of a call do nothing after a failure. */
struct solver_call {
    cudaStream_t stream;
    const char *letter;
    size_t bytes; /* of an element */
    cusolverStatus_t status;
};

/* Launches a kernel of kernels.cu with 256 threads per block. */
void solver_launch(struct solver_call *call, const char *stem, dim3 blocks, void **arguments);
/* Blocks for a loop over n elements. */
dim3 solver_blocks(long long n);
void solver_clear(struct solver_call *call, void *at, size_t bytes);
/* Reads bytes of the device after all earlier work. */
void solver_read(struct solver_call *call, void *to, const void *from, size_t bytes);

struct solver_matrix solver_matrix(const void *at, long long ld);
/* The matrix from element (i, j). */
struct solver_matrix solver_from(const struct solver_call *call, struct solver_matrix a,
                                 long long i, long long j);
struct solver_matrix solver_transposed(struct solver_matrix a);

/* Solves a x = b in place for n columns of b; a is a triangle of m rows. */
void solver_triangle(struct solver_call *call, struct solver_matrix a, struct solver_matrix b,
                     int m, int n, bool lower, bool unit);
/* QR factors of m x n elements in place, as LAPACK's geqrf. */
void solver_qr(struct solver_call *call, void *a, long long lda, int m, int n, void *tau);
/* c = Q c, or Q' c, for k reflections with m rows and n columns of c. conjugated: of conj(Q). */
void solver_apply_q(struct solver_call *call, const void *a, long long lda, const void *tau, int k,
                    struct solver_matrix c, int m, int n, bool inverse, bool conjugated);

#endif
