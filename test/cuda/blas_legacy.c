/* cuBLAS without handles: each function gives the bits of the function with a handle. Prints "all
 * right: N checks", or the differences. */
#include "cuda/include/cublas.h"
#include "elements.h"

enum { N = 12, LD = 14 };
static cublasHandle_t handle;

/* Runs two calls on copies of x, y and C, and compares all three. */
struct copies {
    struct array A, x, y, C;
};

static struct copies copies(char t, unsigned from)
{
    seed = from;
    struct copies c = {array(t, LD * N), array(t, LD), array(t, LD), array(t, LD * N)};
    for (long i = 0; i < N; i++) put(t, c.A.host, i * LD + i, 4);
    upload(c.A);
    return c;
}

static void compare(struct array a, struct array b, const char *what)
{
    size_t bytes = (size_t)a.n * bytes_of(a.t);
    void *p = malloc(bytes), *q = malloc(bytes);
    cudaMemcpy(p, a.device, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(q, b.device, bytes, cudaMemcpyDeviceToHost);
    check(!memcmp(p, q, bytes), "%s, type %c: the arrays differ", what, a.t);
    free(p), free(q);
}

static void finish(struct copies a, struct copies b, const char *what)
{
    compare(a.x, b.x, what), compare(a.y, b.y, what), compare(a.C, b.C, what);
    check(!cublasGetError(), "%s: an error", what);
    end(a.A), end(a.x), end(a.y), end(a.C), end(b.A), end(b.x), end(b.y), end(b.C);
}

/* Arrays under the names of the parameters: a.A.device is A. */
#define USE(T, c) T *A = c.A.device, *x = c.x.device, *y = c.y.device, *C = c.C.device
#define PAIR(t, T, what, old_call, new_call)                                                       \
    do {                                                                                           \
        struct copies a = copies(t, 7), b = copies(t, 7);                                          \
        {                                                                                          \
            USE(T, a);                                                                             \
            (void)A, (void)x, (void)y, (void)C;                                                    \
            old_call;                                                                              \
        }                                                                                          \
        {                                                                                          \
            USE(T, b);                                                                             \
            (void)A, (void)x, (void)y, (void)C;                                                    \
            check(!(new_call), "%s: the function with a handle fails", what);                      \
        }                                                                                          \
        finish(a, b, what);                                                                        \
    } while (0)

#define L CUBLAS_SIDE_LEFT
#define UP CUBLAS_FILL_MODE_UPPER
#define LOW CUBLAS_FILL_MODE_LOWER
#define OP_C CUBLAS_OP_C
#define OP_N CUBLAS_OP_N
#define OP_T CUBLAS_OP_T
#define UNIT CUBLAS_DIAG_UNIT
#define ANY CUBLAS_DIAG_NON_UNIT
#define H handle
#define TYPE(X, x_, t, R, T, Nrm2, Asum)                                                           \
    static void type_##X(T two, T three)                                                           \
    {                                                                                              \
        PAIR(t, T, "axpy", cublas##X##axpy(N, two, x, 1, y, 1),                                    \
             cublas##X##axpy_v2(H, N, &two, x, 1, y, 1));                                          \
        PAIR(t, T, "scal", cublas##X##scal(N, two, x, 1), cublas##X##scal_v2(H, N, &two, x, 1));   \
        PAIR(t, T, "copy", cublas##X##copy(N, x, 1, y, 1), cublas##X##copy_v2(H, N, x, 1, y, 1));  \
        PAIR(t, T, "swap", cublas##X##swap(N, x, 1, y, 1), cublas##X##swap_v2(H, N, x, 1, y, 1));  \
        PAIR(t, T, "gemv", cublas##X##gemv('t', N, N, two, A, LD, x, 1, three, y, 1),              \
             cublas##X##gemv_v2(H, OP_T, N, N, &two, A, LD, x, 1, &three, y, 1));                  \
        PAIR(t, T, "trsv", cublas##X##trsv('U', 'N', 'n', N, A, LD, x, 1),                         \
             cublas##X##trsv_v2(H, UP, OP_N, ANY, N, A, LD, x, 1));                                \
        PAIR(t, T, "gemm", cublas##X##gemm('C', 'N', N, 5, N, two, A, LD, A, LD, three, C, LD),    \
             cublas##X##gemm_v2(H, OP_C, OP_N, N, 5, N, &two, A, LD, A, LD, &three, C, LD));       \
        PAIR(t, T, "symm", cublas##X##symm('R', 'l', 5, N, two, A, LD, A, LD, three, C, LD),       \
             cublas##X##symm_v2(H, CUBLAS_SIDE_RIGHT, LOW, 5, N, &two, A, LD, A, LD, &three, C,    \
                                LD));                                                              \
        PAIR(t, T, "syrk", cublas##X##syrk('u', 'T', N, N, two, A, LD, three, C, LD),              \
             cublas##X##syrk_v2(H, UP, OP_T, N, N, &two, A, LD, &three, C, LD));                   \
        PAIR(t, T, "trmm", cublas##X##trmm('l', 'L', 'c', 'U', N, 5, two, A, LD, C, LD),           \
             cublas##X##trmm_v2(H, L, LOW, OP_C, UNIT, N, 5, &two, A, LD, C, LD, C, LD));          \
        PAIR(t, T, "trsm", cublas##X##trsm('L', 'L', 'N', 'U', N, 5, two, A, LD, C, LD),           \
             cublas##X##trsm_v2(H, L, LOW, OP_N, UNIT, N, 5, &two, A, LD, C, LD));                 \
        struct array v = array(t, LD);                                                             \
        T *x = v.device;                                                                           \
        R norm, sum;                                                                               \
        int most, least;                                                                           \
        cublas##Nrm2##_v2(H, N, x, 1, &norm), cublas##Asum##_v2(H, N, x, 1, &sum);                 \
        cublasI##x_##amax_v2(H, N, x, 1, &most), cublasI##x_##amin_v2(H, N, x, 1, &least);         \
        check(cublas##Nrm2(N, x, 1) == norm && norm > 0, #Nrm2);                                   \
        check(cublas##Asum(N, x, 1) == sum && sum > 0, #Asum);                                     \
        check(cublasI##x_##amax(N, x, 1) == most && most > 0, "amax, type " #x_);                  \
        check(cublasI##x_##amin(N, x, 1) == least && least > 0, "amin, type " #x_);                \
        end(v);                                                                                    \
    }
TYPE(S, s, 's', float, float, Snrm2, Sasum)
TYPE(D, d, 'd', double, double, Dnrm2, Dasum)
TYPE(C, c, 'c', float, cuComplex, Scnrm2, Scasum)
TYPE(Z, z, 'z', double, cuDoubleComplex, Dznrm2, Dzasum)

#define PRODUCT(dot, ger, t, T)                                                                    \
    do {                                                                                           \
        T result, two, again;                                                                      \
        memset(&two, 0, sizeof two);                                                               \
        put(t, &two, 0, 2);                                                                        \
        struct array v = array(t, LD), w = array(t, LD);                                           \
        check(!cublas##dot##_v2(H, N, v.device, 1, w.device, 1, &result), #dot);                   \
        again = cublas##dot(N, v.device, 1, w.device, 1);                                          \
        check(!memcmp(&result, &again, sizeof result), #dot " differs");                           \
        PAIR(t, T, #ger, cublas##ger(N, 5, two, x, 1, y, 1, C, LD),                                \
             cublas##ger##_v2(H, N, 5, &two, x, 1, y, 1, C, LD));                                  \
        end(v), end(w);                                                                            \
    } while (0)

int main(void)
{
    void *at = NULL;
    cudaStream_t stream;
    check(!cublasCreate_v2(&handle), "cublasCreate");
    check(!cublasInit(), "cublasInit");
    type_S(2, 3), type_D(2, 3);
    type_C((cuComplex){2, 1}, (cuComplex){3, -1});
    type_Z((cuDoubleComplex){2, 1}, (cuDoubleComplex){3, -1});
    PRODUCT(Sdot, Sger, 's', float);
    PRODUCT(Ddot, Dger, 'd', double);
    PRODUCT(Cdotu, Cgeru, 'c', cuComplex);
    PRODUCT(Cdotc, Cgerc, 'c', cuComplex);
    PRODUCT(Zdotu, Zgeru, 'z', cuDoubleComplex);
    PRODUCT(Zdotc, Zgerc, 'z', cuDoubleComplex);
    check(!cublasAlloc(10, 4, &at) && at, "cublasAlloc");
    cublasSgemm('X', 'N', 2, 2, 2, 1, at, 2, at, 2, 0, at, 2);
    check(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE, "letter X is taken");
    check(!cublasGetError(), "the error stays");
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    check(!cublasSetKernelStream(stream), "cublasSetKernelStream");
    check(!cublasFree(at), "cublasFree");
    check(!cublasShutdown(), "cublasShutdown");
    check(cublasShutdown() == CUBLAS_STATUS_NOT_INITIALIZED, "cublasShutdown twice");
    if (wrong) printf("%d of %d checks failed\n", wrong, checks);
    else printf("all right: %d checks\n", checks);
    return wrong != 0;
}
