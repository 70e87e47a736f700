// nvcc: -arch=sm_80
// Rates of an SM: each kernel repeats an instruction, in 1 or 4 chains per thread. An instruction
// of a chain takes the result of the instruction before: a single chain measures the latency, many
// warps with four chains each measure the rate.
// Algorithm: microbenchmarks of dependent instructions (Wong et al., Demystifying GPU
// microarchitecture through microbenchmarking, 2010); written from the description.
enum { STEPS = 40, MMA_STEPS = 16 }; // instructions of a round, all chains together

#define BOTH(name, parameters, arguments)                                              \
    extern "C" __global__ void rate_##name##_1 parameters { name##_run<1> arguments; } \
    extern "C" __global__ void rate_##name##_4 parameters { name##_run<4> arguments; }

// A chain per element of x. other: value of `y` in a thread.
#define OP(name, type, letter, text, other)                                                     \
    template <int CHAINS>                                                                       \
    static __device__ void name##_run(type *x, type y, type z, unsigned rounds)                 \
    {                                                                                           \
        x += (blockIdx.x * blockDim.x + threadIdx.x) * CHAINS;                                  \
        type v[CHAINS];                                                                         \
        y = other;                                                                              \
        _Pragma("unroll") for (int j = 0; j < CHAINS; j++) v[j] = x[j];                         \
        _Pragma("unroll 1") for (unsigned k = 0; k < rounds; k++)                               \
            _Pragma("unroll") for (int i = 0; i < STEPS / CHAINS; i++)                          \
                _Pragma("unroll") for (int j = 0; j < CHAINS; j++)                              \
                    asm volatile(text : "+" letter(v[j]) : letter(y), letter(z));               \
        _Pragma("unroll") for (int j = 0; j < CHAINS; j++) x[j] = v[j];                         \
    }                                                                                           \
    BOTH(name, (type *x, type y, type z, unsigned rounds), (x, y, z, rounds))

OP(fma, float, "f", "fma.rn.f32 %0, %0, %1, %2;", y)
OP(fadd, float, "f", "add.rn.f32 %0, %0, %1;", y)
OP(fmax, float, "f", "max.f32 %0, %0, %1;", y)
OP(rcp, float, "f", "rcp.approx.ftz.f32 %0, %0;", y)
OP(iadd, unsigned, "r", "add.u32 %0, %0, %1;", y)
OP(imul, unsigned, "r", "mul.lo.u32 %0, %0, %1;", y)
OP(imad, unsigned, "r", "mad.lo.u32 %0, %0, %1, %2;", y)
OP(lop3, unsigned, "r", "lop3.b32 %0, %0, %1, %2, 0x96;", y)
OP(shift, unsigned, "r", "shf.l.wrap.b32 %0, %0, %1, %2;", y)
OP(popc, unsigned, "r", "popc.b32 %0, %0;", y)
OP(shuffle, unsigned, "r", "shfl.sync.idx.b32 %0, %0, %1, 0x1f, -1;", (threadIdx.x + y) % 32)
OP(hfma2, unsigned, "r", "fma.rn.f16x2 %0, %0, %1, %2;", y)
OP(dadd, double, "d", "add.rn.f64 %0, %0, %1;", y)
OP(dfma, double, "d", "fma.rn.f64 %0, %0, %1, %2;", y)

// D = A x B + C with the registers of a fragment in 32 words each; odd steps multiply by minus B,
// and the last product by B remains.
#define MMA(name, type, A, B, C)                                                                 \
    template <int CHAINS>                                                                        \
    static __device__ void name##_run(const type *a, const type *b, const type *minus, type *c,  \
                                      unsigned rounds)                                           \
    {                                                                                            \
        unsigned lane = threadIdx.x % 32;                                                        \
        c += (blockIdx.x * blockDim.x + threadIdx.x) / 32 * (C * CHAINS * 32) + lane;            \
        type av[A], bv[B], mv[B], cv[CHAINS][C];                                                 \
        _Pragma("unroll") for (int j = 0; j < A; j++) av[j] = a[j * 32 + lane];                  \
        _Pragma("unroll") for (int j = 0; j < B; j++) bv[j] = b[j * 32 + lane];                  \
        _Pragma("unroll") for (int j = 0; j < B; j++) mv[j] = minus[j * 32 + lane];              \
        _Pragma("unroll") for (int j = 0; j < C * CHAINS; j++) cv[j / C][j % C] = c[j * 32];     \
        _Pragma("unroll 1") for (unsigned k = 0; k < rounds; k++)                                \
            _Pragma("unroll") for (int i = 0; i < MMA_STEPS / CHAINS; i++)                       \
                _Pragma("unroll") for (int j = 0; j < CHAINS; j++)                               \
                    name##_step(cv[j], av, i % 2 ? mv : bv);                                     \
        _Pragma("unroll") for (int j = 0; j < CHAINS; j++) name##_step(cv[j], av, bv);           \
        _Pragma("unroll") for (int j = 0; j < C * CHAINS; j++) c[j * 32] = cv[j / C][j % C];     \
    }                                                                                            \
    BOTH(name, (const type *a, const type *b, const type *minus, type *c, unsigned rounds),      \
         (a, b, minus, c, rounds))
#define STEP(name, type, text, ...)                                                       \
    static __device__ __forceinline__ void name##_step(type *c, const type *a,            \
                                                       const type *b)                     \
    {                                                                                     \
        asm volatile("mma.sync.aligned." text __VA_ARGS__);                               \
    }
#define C4 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
#define C2 : "+r"(c[0]), "+r"(c[1])
#define A4B2 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])
#define A2B1 : "r"(a[0]), "r"(a[1]), "r"(b[0])
// A product of four registers of A and two of B, and of half as many.
#define WHOLE(name, shape)                                                                    \
    STEP(name, unsigned, shape " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};",      \
         C4 A4B2)                                                                             \
    MMA(name, unsigned, 4, 2, 4)
#define HALF(name, shape)                                                                     \
    STEP(name, unsigned, shape " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};", C4 A2B1)      \
    MMA(name, unsigned, 2, 1, 4)

WHOLE(mma_f16_k16, "m16n8k16.row.col.f32.f16.f16.f32")
HALF(mma_f16_k8, "m16n8k8.row.col.f32.f16.f16.f32")
STEP(mma_f16_f16_k16, unsigned,
     "m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};", C2 A4B2)
MMA(mma_f16_f16_k16, unsigned, 4, 2, 2)
WHOLE(mma_bf16_k16, "m16n8k16.row.col.f32.bf16.bf16.f32")
WHOLE(mma_tf32_k8, "m16n8k8.row.col.f32.tf32.tf32.f32")
HALF(mma_tf32_k4, "m16n8k4.row.col.f32.tf32.tf32.f32")
WHOLE(mma_s8_k32, "m16n8k32.row.col.s32.s8.s8.s32")
HALF(mma_s8_k16, "m16n8k16.row.col.s32.s8.s8.s32")
STEP(mma_f64_k4, double, "m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};",
     : "+d"(c[0]), "+d"(c[1]) : "d"(a[0]), "d"(b[0]))
MMA(mma_f64_k4, double, 1, 1, 2)

// Dependent loads from shared memory. Each lane goes around a ring of three words of the same bank;
// lanes are `stride` words apart, rounded down to the width of the load.
enum { REGION = 4224, RING = 3 };
extern __shared__ unsigned words[];
#define LOAD(name, bytes, text)                                                                 \
    template <int CHAINS>                                                                       \
    static __device__ void name##_run(unsigned *x, unsigned stride, unsigned rounds)            \
    {                                                                                           \
        unsigned base = (unsigned)__cvta_generic_to_shared(words);                              \
        unsigned own = threadIdx.x % 32 * stride * 4 / bytes * bytes, v[CHAINS];                \
        _Pragma("unroll 1") for (unsigned k = 0; k < RING; k++)                                 \
            words[(own + k * REGION) / 4] = base + own + (k + 1) % RING * REGION;               \
        _Pragma("unroll") for (int j = 0; j < CHAINS; j++) v[j] = base + own;                   \
        __syncthreads();                                                                        \
        _Pragma("unroll 1") for (unsigned k = 0; k < rounds; k++)                               \
            _Pragma("unroll") for (int i = 0; i < STEPS / CHAINS; i++)                          \
                _Pragma("unroll") for (int j = 0; j < CHAINS; j++)                              \
                    asm volatile(text : "+r"(v[j])::"memory");                                  \
        x += (blockIdx.x * blockDim.x + threadIdx.x) * CHAINS;                                  \
        _Pragma("unroll") for (int j = 0; j < CHAINS; j++) x[j] = v[j] - base;                  \
    }                                                                                           \
    BOTH(name, (unsigned *x, unsigned stride, unsigned rounds), (x, stride, rounds))

LOAD(shared_4, 4, "ld.shared.u32 %0, [%0];")
LOAD(shared_8, 8, "{.reg .u32 t; ld.shared.v2.u32 {%0, t}, [%0];}")
LOAD(shared_16, 16, "{.reg .u32 t, u, v; ld.shared.v4.u32 {%0, t, u, v}, [%0];}")

// Atomic additions of 1; zero: 0, so that an operand depends on the result before. where: 0 a word
// for all, 1 a word per warp, 2 a word per lane, 8 bytes apart, 3 a line per lane.
static __device__ unsigned long long place(unsigned where, unsigned thread)
{
    unsigned long long warp = thread / 32, lane = thread % 32;
    return where == 0 ? 0 : where == 1 ? warp * 128 : where == 2 ? warp * 256 + lane * 8
                                                                 : thread * 128ull;
}
#define ADD(name, address, letter, from)                                                        \
    template <int CHAINS>                                                                       \
    static __device__ void name##_run(char *x, unsigned where, unsigned zero, unsigned rounds)  \
    {                                                                                           \
        unsigned v[CHAINS];                                                                     \
        _Pragma("unroll") for (int j = 0; j < CHAINS; j++) v[j] = 1;                            \
        from;                                                                                   \
        _Pragma("unroll 1") for (unsigned k = 0; k < rounds; k++)                               \
            _Pragma("unroll") for (int i = 0; i < STEPS / CHAINS; i++)                          \
                _Pragma("unroll") for (int j = 0; j < CHAINS; j++)                              \
                    asm volatile("{.reg .u32 t; atom." #address ".add.u32 t, [%1], %0;"         \
                                 " mad.lo.u32 %0, t, %2, 1;}"                                   \
                                 : "+r"(v[j]) : letter(p), "r"(zero) : "memory");

ADD(atomic_global, global, "l", char *p = x + place(where, blockIdx.x * blockDim.x + threadIdx.x))
}
BOTH(atomic_global, (char *x, unsigned where, unsigned zero, unsigned rounds),
     (x, where, zero, rounds))
enum { SHARED_WORDS = 2048 }; // 32 warps of 256 bytes
ADD(atomic_shared, shared, "r",
    for (unsigned k = threadIdx.x; k < SHARED_WORDS; k += blockDim.x) words[k] = 0;
    __syncthreads();
    unsigned p = (unsigned)__cvta_generic_to_shared(words) +
                 (unsigned)place(where, threadIdx.x) % (SHARED_WORDS * 4))
    __syncthreads();
    unsigned *out = (unsigned *)x + blockIdx.x * SHARED_WORDS;
    for (unsigned k = threadIdx.x; k < SHARED_WORDS; k += blockDim.x) out[k] += words[k];
}
BOTH(atomic_shared, (char *x, unsigned where, unsigned zero, unsigned rounds),
     (x, where, zero, rounds))
