/* Products of matrices by warps on tensor units (namespace nvcuda::wmma), by clang's builtins for
 * wmma.load, wmma.mma and wmma.store. Half from sm_70 on, bytes from sm_72 on; bfloat16, tf32 and
 * double from sm_80 on. The order of the elements of a fragment is the machine's. */
#ifndef CORUN_MMA_H
#define CORUN_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __CUDA__
namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

/* Elements `x` of a fragment; whether the layout is by columns. */
template<class _T, class _S, int _N> struct corun_elements {
    typedef _T element_type;
    typedef _S storage_element_type;
    enum { num_elements = _N, num_storage_elements = _N };
    _S x[_N];
};
template<class _L> struct corun_layout { enum { column = 0 }; };
template<> struct corun_layout<col_major> { enum { column = 1 }; };

template<class _Use, int _M, int _N, int _K, class _T, class _L = void> class fragment;

template<class _T, class _S, int _N, class _V>
static __device__ __forceinline__ void fill_fragment(corun_elements<_T, _S, _N> &f, const _V &v)
{
    for (int i = 0; i < _N; i++) f.x[i] = v;
}

/* The float with the mantissa of tf32. */
static __device__ __forceinline__ float __float_to_tf32(float v)
{
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
    return __uint_as_float(r);
}

/* ---- one fragment: m, n, k: shape; T: type; S: type of the n elements of `x`; R: type for the
 * builtins ---- */
#define CORUN_OPERAND(use, m, n, k, T, S, number, P, R, load)                                      \
    template<class _L>                                                                             \
    class fragment<use, m, n, k, T, _L> : public corun_elements<T, S, number> {};                  \
    template<class _L> static __device__ __forceinline__ void load_matrix_sync(                    \
        fragment<use, m, n, k, T, _L> &f, const P *p, unsigned stride)                             \
    {                                                                                              \
        load((R *)f.x, (const R *)p, stride, corun_layout<_L>::column);                            \
    }
#define CORUN_SUMS(m, n, k, T, number)                                                             \
    template<> class fragment<accumulator, m, n, k, T> : public corun_elements<T, T, number> {};
#define CORUN_SUMS_MOVE(m, n, k, T, R, load, store)                                                \
    static __device__ __forceinline__ void load_matrix_sync(                                       \
        fragment<accumulator, m, n, k, T> &f, const T *p, unsigned stride, layout_t layout)        \
    {                                                                                              \
        if (layout == mem_row_major) load((R *)f.x, (const R *)p, stride, 0);                      \
        else load((R *)f.x, (const R *)p, stride, 1);                                              \
    }                                                                                              \
    static __device__ __forceinline__ void store_matrix_sync(                                      \
        T *p, const fragment<accumulator, m, n, k, T> &f, unsigned stride, layout_t layout)        \
    {                                                                                              \
        if (layout == mem_row_major) store((R *)p, (R *)f.x, stride, 0);                           \
        else store((R *)p, (R *)f.x, stride, 1);                                                   \
    }

/* ---- products: d = a b + c; the layouts of a and b are in one number ---- */
#define CORUN_PRODUCT(m, n, k, A, D, C, RA, RD, RC, mma)                                           \
    template<class _LA, class _LB> static __device__ __forceinline__ void mma_sync(                \
        fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, A, _LA> &a,        \
        const fragment<matrix_b, m, n, k, A, _LB> &b, const fragment<accumulator, m, n, k, C> &c)  \
    {                                                                                              \
        mma((RD *)d.x, (const RA *)a.x, (const RA *)b.x, (const RC *)c.x,                          \
            2 * corun_layout<_LA>::column + corun_layout<_LB>::column, 0);                         \
    }
/* with a choice to saturate sums */
#define CORUN_PRODUCT_SAT(m, n, k, A, D, C, RA, RD, RC, mma)                                       \
    template<class _LA, class _LB> static __device__ __forceinline__ void mma_sync(                \
        fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, A, _LA> &a,        \
        const fragment<matrix_b, m, n, k, A, _LB> &b, const fragment<accumulator, m, n, k, C> &c,  \
        bool saturates = false)                                                                    \
    {                                                                                              \
        enum { layouts = 2 * corun_layout<_LA>::column + corun_layout<_LB>::column };              \
        if (saturates)                                                                             \
            mma((RD *)d.x, (const RA *)a.x, (const RA *)b.x, (const RC *)c.x, layouts, 1);         \
        else                                                                                       \
            mma((RD *)d.x, (const RA *)a.x, (const RA *)b.x, (const RC *)c.x, layouts, 0);         \
    }

#define CORUN_SHAPE_HALF(m, n, shape)                                                              \
    CORUN_OPERAND(matrix_a, m, n, 16, __half, __half, 16, __half, int, __hmma_##shape##_ld_a)      \
    CORUN_OPERAND(matrix_b, m, n, 16, __half, __half, 16, __half, int, __hmma_##shape##_ld_b)      \
    CORUN_SUMS(m, n, 16, float, 8)                                                                 \
    CORUN_SUMS_MOVE(m, n, 16, float, float, __hmma_##shape##_ld_c_f32, __hmma_##shape##_st_c_f32)  \
    CORUN_SUMS(m, n, 16, __half, 8)                                                                \
    CORUN_SUMS_MOVE(m, n, 16, __half, int, __hmma_##shape##_ld_c_f16, __hmma_##shape##_st_c_f16)   \
    CORUN_PRODUCT_SAT(m, n, 16, __half, float, float, int, float, float,                           \
                      __hmma_##shape##_mma_f32f32)                                                 \
    CORUN_PRODUCT_SAT(m, n, 16, __half, __half, __half, int, int, int,                             \
                      __hmma_##shape##_mma_f16f16)                                                 \
    CORUN_PRODUCT_SAT(m, n, 16, __half, float, __half, int, float, int,                            \
                      __hmma_##shape##_mma_f32f16)                                                 \
    CORUN_PRODUCT_SAT(m, n, 16, __half, __half, float, int, int, float,                            \
                      __hmma_##shape##_mma_f16f32)
CORUN_SHAPE_HALF(16, 16, m16n16k16)
CORUN_SHAPE_HALF(32, 8, m32n8k16)
CORUN_SHAPE_HALF(8, 32, m8n32k16)

/* in_a, in_b: elements of a fragment */
#define CORUN_SHAPE_BYTES(m, n, shape, in_a, in_b)                                                 \
    CORUN_SUMS(m, n, 16, int, 8)                                                                   \
    CORUN_SUMS_MOVE(m, n, 16, int, int, __imma_##shape##_ld_c, __imma_##shape##_st_c_i32)          \
    CORUN_SHAPE_BYTE(m, n, shape, in_a, in_b, signed char, s8)                                     \
    CORUN_SHAPE_BYTE(m, n, shape, in_a, in_b, unsigned char, u8)
#define CORUN_SHAPE_BYTE(m, n, shape, in_a, in_b, T, type)                                         \
    CORUN_OPERAND(matrix_a, m, n, 16, T, T, in_a, T, int, __imma_##shape##_ld_a_##type)            \
    CORUN_OPERAND(matrix_b, m, n, 16, T, T, in_b, T, int, __imma_##shape##_ld_b_##type)            \
    CORUN_PRODUCT_SAT(m, n, 16, T, int, int, int, int, int, __imma_##shape##_mma_##type)
CORUN_SHAPE_BYTES(16, 16, m16n16k16, 8, 8)
CORUN_SHAPE_BYTES(32, 8, m32n8k16, 16, 4)
CORUN_SHAPE_BYTES(8, 32, m8n32k16, 4, 16)

#define CORUN_SHAPE_BF16(m, n, shape, in_a, in_b)                                                  \
    CORUN_OPERAND(matrix_a, m, n, 16, __nv_bfloat16, __nv_bfloat16, in_a, __nv_bfloat16, int,      \
                  __mma_bf16_##shape##_ld_a)                                                       \
    CORUN_OPERAND(matrix_b, m, n, 16, __nv_bfloat16, __nv_bfloat16, in_b, __nv_bfloat16, int,      \
                  __mma_bf16_##shape##_ld_b)                                                       \
    CORUN_PRODUCT(m, n, 16, __nv_bfloat16, float, float, int, float, float,                        \
                  __mma_bf16_##shape##_mma_f32)
CORUN_SHAPE_BF16(16, 16, m16n16k16, 8, 8)
CORUN_SHAPE_BF16(32, 8, m32n8k16, 16, 4)
CORUN_SHAPE_BF16(8, 32, m8n32k16, 4, 16)

CORUN_OPERAND(matrix_a, 16, 16, 8, precision::tf32, float, 4, float, int,
              __mma_tf32_m16n16k8_ld_a)
CORUN_OPERAND(matrix_b, 16, 16, 8, precision::tf32, float, 4, float, int,
              __mma_tf32_m16n16k8_ld_b)
CORUN_SUMS(16, 16, 8, float, 8)
CORUN_SUMS_MOVE(16, 16, 8, float, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
CORUN_PRODUCT(16, 16, 8, precision::tf32, float, float, int, float, float,
              __mma_tf32_m16n16k8_mma_f32)

CORUN_OPERAND(matrix_a, 8, 8, 4, double, double, 1, double, double, __dmma_m8n8k4_ld_a)
CORUN_OPERAND(matrix_b, 8, 8, 4, double, double, 1, double, double, __dmma_m8n8k4_ld_b)
CORUN_SUMS(8, 8, 4, double, 2)
CORUN_SUMS_MOVE(8, 8, 4, double, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
CORUN_PRODUCT(8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64)

#undef CORUN_OPERAND
#undef CORUN_SUMS
#undef CORUN_SUMS_MOVE
#undef CORUN_PRODUCT
#undef CORUN_PRODUCT_SAT
#undef CORUN_SHAPE_HALF
#undef CORUN_SHAPE_BYTES
#undef CORUN_SHAPE_BYTE
#undef CORUN_SHAPE_BF16
}
}
#endif

#endif
