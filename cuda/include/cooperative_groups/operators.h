/* Operators for reductions and scans of cooperative groups. */
#ifndef CORUN_COOPERATIVE_OPERATORS_H
#define CORUN_COOPERATIVE_OPERATORS_H

#if defined(__CUDA__) && defined(__cplusplus)
namespace cooperative_groups {

#define CORUN_OPERATOR(name, value)                                                                \
    template <class _Tp = void> struct name {                                                      \
        __device__ __forceinline__ _Tp operator()(_Tp a, _Tp b) const { return value; }            \
    };                                                                                             \
    template <> struct name<void> {                                                                \
        template <class _Tp> __device__ __forceinline__ _Tp operator()(_Tp a, _Tp b) const         \
        {                                                                                          \
            return value;                                                                          \
        }                                                                                          \
    };
CORUN_OPERATOR(plus, a + b)
CORUN_OPERATOR(less, b < a ? b : a)
CORUN_OPERATOR(greater, a < b ? b : a)
CORUN_OPERATOR(bit_and, a & b)
CORUN_OPERATOR(bit_or, a | b)
CORUN_OPERATOR(bit_xor, a ^ b)
#undef CORUN_OPERATOR

} // namespace cooperative_groups
#endif
#endif
