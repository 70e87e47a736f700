/* The vector types of CUDA C++ for host and device, with the size and alignment of the ABI. */
#ifndef CORUN_VECTOR_TYPES_H
#define CORUN_VECTOR_TYPES_H

#ifdef __cplusplus
#define CORUN_ALIGNED(n) alignas(n)
#else
#define CORUN_ALIGNED(n) _Alignas(n)
#endif

#define CORUN_VECTORS(type, name, two, four)                                                       \
    struct name##1 { type x; };                                                                    \
    struct name##2 { CORUN_ALIGNED(two) type x; type y; };                                         \
    struct name##3 { type x, y, z; };                                                              \
    struct name##4 { CORUN_ALIGNED(four) type x; type y, z, w; };                                  \
    typedef struct name##1 name##1;                                                                \
    typedef struct name##2 name##2;                                                                \
    typedef struct name##3 name##3;                                                                \
    typedef struct name##4 name##4;
CORUN_VECTORS(signed char, char, 2, 4)
CORUN_VECTORS(unsigned char, uchar, 2, 4)
CORUN_VECTORS(short, short, 4, 8)
CORUN_VECTORS(unsigned short, ushort, 4, 8)
CORUN_VECTORS(int, int, 8, 16)
CORUN_VECTORS(unsigned int, uint, 8, 16)
CORUN_VECTORS(long, long, 16, 16)
CORUN_VECTORS(unsigned long, ulong, 16, 16)
CORUN_VECTORS(long long, longlong, 16, 16)
CORUN_VECTORS(unsigned long long, ulonglong, 16, 16)
CORUN_VECTORS(float, float, 8, 16)
CORUN_VECTORS(double, double, 16, 16)
#undef CORUN_VECTORS

#ifdef __cplusplus
#if defined(__CUDACC__) || defined(__CUDA__)
#define CORUN_BOTH __attribute__((host)) __attribute__((device))
#else
#define CORUN_BOTH
#endif
struct dim3 {
    unsigned int x, y, z;
    CORUN_BOTH constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
        : x(x_), y(y_), z(z_) {}
    CORUN_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    CORUN_BOTH constexpr operator uint3() const { return uint3{x, y, z}; }
};
#else
struct dim3 { unsigned int x, y, z; };
#endif
typedef struct dim3 dim3;

#endif
