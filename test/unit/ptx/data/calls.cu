#include <cstdio>
#include <cassert>
/* calls of every kind: recursion, structs by value, function pointers, printf, assert */
struct S {
    int a;
    double b;
    float c[3];
};
__noinline__ __device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__noinline__ __device__ float take(S s, int k) { return s.a + s.b + s.c[k]; }
__noinline__ __device__ S give(int k)
{
    S s;
    s.a = k;
    s.b = k * 2.0;
    s.c[0] = 1;
    s.c[1] = 2;
    s.c[2] = k;
    return s;
}
__noinline__ __device__ int f1(int x) { return x + 1; }
__noinline__ __device__ int f2(int x) { return x * 3; }
typedef int (*fn)(int);
__device__ fn table[2] = {f1, f2};
extern "C" __global__ void recursion(int *o) { o[threadIdx.x] = fib(threadIdx.x); }
extern "C" __global__ void structs(S s, float *o, int k)
{
    o[0] = take(s, k);
    S t = give(k);
    o[1] = t.b + t.c[k & 1];
}
extern "C" __global__ void pointers(int *o, int k)
{
    fn f = k ? f1 : f2;
    fn g = table[threadIdx.x & 1];
    o[threadIdx.x] = f(k) + g(k);
}
extern "C" __global__ void prints(int n)
{
    printf("hello %d %f %s\n", n + threadIdx.x, n * 1.5, "str");
    assert(n > 3);
}
