/* What clang's CUDA header asks for by this name: the overloads of match. */
#ifndef CORUN_SM_70_RT_HPP
#define CORUN_SM_70_RT_HPP

template <class T>
static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, T value)
{
    static_assert(sizeof value == 4 || sizeof value == 8, "");
    if (sizeof value == 4) {
        unsigned int bits;
        __builtin_memcpy(&bits, &value, 4);
        return __match32_any_sync(mask, bits);
    }
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, sizeof value);
    return (unsigned int)__match64_any_sync(mask, bits);
}
template <class T>
static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, T value,
                                                                int *same)
{
    static_assert(sizeof value == 4 || sizeof value == 8, "");
    if (sizeof value == 4) {
        unsigned int bits;
        __builtin_memcpy(&bits, &value, 4);
        return __match32_all_sync(mask, bits, same);
    }
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, sizeof value);
    return (unsigned int)__match64_all_sync(mask, bits, same);
}

#endif
