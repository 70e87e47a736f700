/* Names and sizes of the functions in a file that is compiled twice: for sizes of 32 bits, and with
 * BLAS_64 of 64 bits. */
#ifdef BLAS_64
#define INT int64_t
#define NAME(name) name##_64
#define V2(name) name##_v2_64
#else
#define INT int
#define NAME(name) name
#define V2(name) name##_v2
#endif

/* Calls F once per type: F(letter of the names, letter of kernels, type). */
#define EACH_TYPE(F)                                                                               \
    F(S, s, float) F(D, d, double) F(C, c, cuComplex) F(Z, z, cuDoubleComplex)
