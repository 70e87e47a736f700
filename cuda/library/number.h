// Real and complex numbers under common names, for kernels of corun's libraries.
#ifndef CORUN_LIBRARY_NUMBER_H
#define CORUN_LIBRARY_NUMBER_H

#include "scalar.h"

template<class T> struct complex {
    T x, y;
};
typedef complex<float> cfloat;
typedef complex<double> cdouble;

template<class R> __device__ R zero() { return R(0); }
template<> __device__ cfloat zero() { return {0, 0}; }
template<> __device__ cdouble zero() { return {0, 0}; }
template<class R> __device__ R one() { return R(1); }
template<> __device__ cfloat one() { return {1, 0}; }
template<> __device__ cdouble one() { return {1, 0}; }

template<class R> __device__ R madd(R a, R b, R c) { return a * b + c; }
template<> __device__ float madd(float a, float b, float c) { return fmaf(a, b, c); }
template<> __device__ double madd(double a, double b, double c) { return fma(a, b, c); }
template<class T> __device__ complex<T> madd(complex<T> a, complex<T> b, complex<T> c)
{
    return {madd(a.x, b.x, madd(-a.y, b.y, c.x)), madd(a.x, b.y, madd(a.y, b.x, c.y))};
}
template<class R> __device__ R times(R a, R b) { return a * b; }
template<class T> __device__ complex<T> times(complex<T> a, complex<T> b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template<class R> __device__ R plus(R a, R b) { return a + b; }
template<class T> __device__ complex<T> plus(complex<T> a, complex<T> b)
{
    return {a.x + b.x, a.y + b.y};
}
template<class R> __device__ R minus(R a) { return -a; }
template<class T> __device__ complex<T> minus(complex<T> a) { return {-a.x, -a.y}; }
template<class R> __device__ R conjugate(R a) { return a; }
template<class T> __device__ complex<T> conjugate(complex<T> a) { return {a.x, -a.y}; }
template<class R> __device__ R over(R a, R b) { return a / b; }
// Smith's method: no intermediate result overflows where the quotient does not.
template<class T> __device__ complex<T> over(complex<T> a, complex<T> b)
{
    if (fabs(b.x) >= fabs(b.y)) {
        T r = b.y / b.x, d = b.x + b.y * r;
        return {(a.x + a.y * r) / d, (a.y - a.x * r) / d};
    }
    T r = b.x / b.y, d = b.x * r + b.y;
    return {(a.x * r + a.y) / d, (a.y * r - a.x) / d};
}
template<class R> __device__ bool is_zero(R a) { return a == 0; }
template<class T> __device__ bool is_zero(complex<T> a) { return a.x == 0 && a.y == 0; }

template<class R> __device__ R made(double re, double) { return R(re); }
template<> __device__ cfloat made(double re, double im) { return {float(re), float(im)}; }
template<> __device__ cdouble made(double re, double im) { return {re, im}; }
template<class R> __device__ R scalar(const library_scalar &s)
{
    return s.at ? *(const R *)s.at : made<R>(s.re, s.im);
}

#endif
