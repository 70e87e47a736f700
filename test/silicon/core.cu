/* Rates of an SM: shared memory by width and stride, chains of arithmetic, matrix instructions,
 * atomics.
 *
 *     core [PART...]        default: every part, in the order of `parts` */
#include "row.h"

/* ---- shared memory ---- */

/* Cycles of `iterations` x 4 accesses of each warp; lane k starts at word k x stride. */
template <int BYTES, bool STORE> __global__ void __launch_bounds__(1024)
shared_kernel(u32 stride, u32 iterations, span *time, float *sink)
{
    extern __shared__ float words[];
    u32 base = (u32)__cvta_generic_to_shared(words);
    u32 lane = threadIdx.x % 32, at = base + lane * stride * 4 % 32768 / BYTES * BYTES;
    for (u32 k = threadIdx.x; k < 9216; k += blockDim.x) words[k] = (float)k;
    __syncthreads();
    stamp start = now();
    float sum = 0;
    for (u32 k = 0; k < iterations; k++) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float x = 1, y = 0, z = 0, w = 0;
            if (STORE) {
                if (BYTES == 16)
                    asm volatile("st.shared.v4.f32 [%0], {%1,%1,%1,%1};" ::"r"(at), "f"(x));
                else if (BYTES == 8)
                    asm volatile("st.shared.v2.f32 [%0], {%1,%1};" ::"r"(at), "f"(x));
                else
                    asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(x));
            } else {
                if (BYTES == 16)
                    asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(at));
                else if (BYTES == 8)
                    asm volatile("ld.shared.v2.f32 {%0,%1}, [%2];" : "=f"(x), "=f"(y) : "r"(at));
                else
                    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(at));
                sum += x + y + z + w;
            }
        }
    }
    if (sum == 12345.0f) *sink = sum;
    __syncthreads();
    if (threadIdx.x == 0) *time = {start, now()};
}

template <int BYTES, bool STORE> static void shared_row(u32 stride, u32 warps)
{
    device_array<span> time(1);
    device_array<float> sink(1);
    std::vector<double> cycles;
    for (int k = 0; k < REPEATS; k++) {
        shared_kernel<BYTES, STORE><<<1, warps * 32, 9216 * 4>>>(stride, 256, time.at, sink.at);
        CHECK(cudaDeviceSynchronize());
        span s = time.read()[0];
        cycles.push_back((double)(s.to.cycles - s.from.cycles) / (256 * 4 * warps));
    }
    row("shared", format("\"kind\": \"%s\", \"width\": %d, \"stride_words\": %u, \"warps\": %u, "
                         "\"cycles_per_access\": ", STORE ? "store" : "load", BYTES, stride,
                         warps) +
        list(cycles, "%.3f"));
}

/* Latency: a chain of loads, each from the address loaded before. */
__global__ void shared_chase(u32 hops, span *time, u32 *sink)
{
    __shared__ u32 next[256];
    u32 base = (u32)__cvta_generic_to_shared(next);
    for (u32 k = threadIdx.x; k < 256; k += 32) next[k] = base + (k * 5 + 77) % 256 * 4;
    __syncthreads();
    u32 p = base;
    stamp start = now();
    for (u32 k = 0; k < hops; k += 16) {
#pragma unroll
        for (int j = 0; j < 16; j++) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p));
    }
    if (p == 1) *sink = p;
    if (threadIdx.x == 0) *time = {start, now()};
}

static void part_shared()
{
    device_array<span> time(1);
    device_array<u32> sink(1);
    std::vector<double> cycles;
    for (int k = 0; k < REPEATS; k++) {
        shared_chase<<<1, 32>>>(4096, time.at, sink.at);
        CHECK(cudaDeviceSynchronize());
        span s = time.read()[0];
        cycles.push_back((double)(s.to.cycles - s.from.cycles) / 4096);
    }
    row("shared_chase", "\"cycles\": " + list(cycles, "%.2f"));
    for (u32 stride : {0, 1, 2, 3, 4, 5, 8, 16, 17, 32, 33, 64})
        for (u32 warps : {1, 32}) {
            shared_row<4, false>(stride, warps);
            shared_row<4, true>(stride, warps);
            shared_row<8, false>(stride, warps);
            shared_row<16, false>(stride, warps);
            if (stride == 2) shared_row<8, true>(stride, warps);
            if (stride == 4) shared_row<16, true>(stride, warps);
        }
}

/* ---- chains of arithmetic ---- */

#define OP(name, type, text, letter)                                                              \
    struct name {                                                                                 \
        typedef type value;                                                                       \
        static const char *title() { return #name; }                                              \
        __device__ static void step(value &x, value y, value z)                                   \
        {                                                                                         \
            asm volatile(text : "+" letter(x) : letter(y), letter(z));                            \
        }                                                                                         \
    };

namespace op {

OP(fadd, float, "add.rn.f32 %0, %0, %1;", "f")
OP(fmul, float, "mul.rn.f32 %0, %0, %1;", "f")
OP(ffma, float, "fma.rn.f32 %0, %0, %1, %2;", "f")
OP(fmax, float, "max.f32 %0, %0, %1;", "f")
OP(iadd3, u32, "{.reg .u32 t; add.u32 t, %1, %0; add.u32 %0, t, %2;}", "r")
OP(imul, u32, "mul.lo.u32 %0, %0, %1;", "r")
OP(imad, u32, "mad.lo.u32 %0, %0, %1, %2;", "r")
OP(imul_hi, u32, "mul.hi.u32 %0, %0, %1;", "r")
OP(imad64, u64, "mad.lo.u64 %0, %0, %1, %2;", "l")
OP(lop3, u32, "lop3.b32 %0, %0, %1, %2, 0xe6;", "r")
OP(shift, u32, "shf.l.wrap.b32 %0, %0, %1, %2;", "r")
OP(prmt, u32, "prmt.b32 %0, %0, %1, %2;", "r")
OP(imin_imax, int, "min.s32 %0, %0, %1; max.s32 %0, %0, %2;", "r")
OP(popc, u32, "popc.b32 %0, %0;", "r")
OP(clz, u32, "clz.b32 %0, %0;", "r")
OP(bfind, u32, "bfind.u32 %0, %0;", "r")
OP(brev, u32, "brev.b32 %0, %0;", "r")
OP(dp4a, u32, "dp4a.u32.u32 %0, %0, %1, %2;", "r")
OP(select, u32, "{.reg .pred q; setp.lt.u32 q, %0, %1; selp.u32 %0, %2, %0, q;}", "r")
OP(ex2, float, "ex2.approx.ftz.f32 %0, %0;", "f")
OP(lg2, float, "lg2.approx.ftz.f32 %0, %0;", "f")
OP(rcp_fadd, float, "rcp.approx.ftz.f32 %0, %0; add.rn.f32 %0, %0, %1;", "f")
OP(rsqrt, float, "rsqrt.approx.ftz.f32 %0, %0;", "f")
OP(sin, float, "sin.approx.ftz.f32 %0, %0;", "f")
OP(tanh, float, "tanh.approx.f32 %0, %0;", "f")
OP(fdiv_full, float, "div.full.f32 %0, %0, %1;", "f")
OP(fdiv, float, "div.rn.f32 %0, %0, %1;", "f")
OP(fsqrt, float, "sqrt.rn.f32 %0, %0;", "f")
OP(dadd, double, "add.rn.f64 %0, %0, %1;", "d")
OP(dmul, double, "mul.rn.f64 %0, %0, %1;", "d")
OP(dfma, double, "fma.rn.f64 %0, %0, %1, %2;", "d")
OP(ddiv, double, "div.rn.f64 %0, %0, %1;", "d")
OP(hadd2, u32, "add.rn.f16x2 %0, %0, %1;", "r")
OP(hfma2, u32, "fma.rn.f16x2 %0, %0, %1, %2;", "r")
OP(bfma2, u32, "fma.rn.bf16x2 %0, %0, %1, %2;", "r")
OP(idiv, int, "div.s32 %0, %0, %1;", "r")
OP(urem, u32, "rem.u32 %0, %0, %1;", "r")
OP(f2i_i2f, float, "{.reg .s32 t; cvt.rni.s32.f32 t, %0; cvt.rn.f32.s32 %0, t;}", "f")
OP(f2d_d2f, float, "{.reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t;}", "f")
OP(f2h_h2f, float, "{.reg .f16 t; cvt.rn.f16.f32 t, %0; cvt.f32.f16 %0, t;}", "f")
OP(shfl, u32, "shfl.sync.bfly.b32 %0, %0, 1, 0x1f, -1;", "r")
OP(shfl_idx, u32, "shfl.sync.idx.b32 %0, %0, %0, 0x1f, -1;", "r")
OP(ballot, u32, "{.reg .pred q; setp.ne.u32 q, %0, %1; vote.sync.ballot.b32 %0, q, -1;}", "r")
OP(match_any, u32, "match.any.sync.b32 %0, %0, -1;", "r")
OP(redux, u32, "redux.sync.add.u32 %0, %0, -1;", "r")
OP(warp_sync, u32, "bar.warp.sync -1; add.u32 %0, %0, %1;", "r")
OP(block_sync, u32, "bar.sync 0; add.u32 %0, %0, %1;", "r")

}

template <class O, int CHAINS> __global__ void __launch_bounds__(1024)
chain(u32 rounds, typename O::value y, typename O::value z, u64 *from, u64 *to,
      typename O::value *sink)
{
    typename O::value x[CHAINS];
#pragma unroll
    for (int k = 0; k < CHAINS; k++) x[k] = (typename O::value)(threadIdx.x * 3 + 7 + k) * y;
    __syncthreads();
    u64 start = clock64();
    for (u32 k = 0; k < rounds; k++) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
#pragma unroll
            for (int j = 0; j < CHAINS; j++) O::step(x[j], y, z);
        }
    }
    typename O::value sum = x[0];
#pragma unroll
    for (int k = 1; k < CHAINS; k++) sum += x[k];
    *(volatile typename O::value *)(sink + threadIdx.x) = sum; /* waits for the last results */
    u64 end = clock64();
    if (threadIdx.x % 32 == 0) from[threadIdx.x / 32] = start, to[threadIdx.x / 32] = end;
}

template <class O, int CHAINS> static void chain_row(u32 warps, u32 rounds)
{
    typedef typename O::value value;
    bool real = (value)0.5 != 0; /* a factor of 1 keeps numbers normal */
    device_array<u64> from(32), to(32);
    device_array<value> sink(1024);
    std::vector<double> cycles;
    for (int k = 0; k < 5; k++) {
        chain<O, CHAINS><<<1, warps * 32>>>(rounds, (value)(real ? 1 : 3), (value)5, from.at,
                                            to.at, sink.at);
        CHECK(cudaDeviceSynchronize());
        std::vector<u64> a = from.read(), b = to.read();
        u64 first = *std::min_element(a.begin(), a.begin() + warps);
        u64 last = *std::max_element(b.begin(), b.begin() + warps);
        cycles.push_back((double)(last - first) / (rounds * 16));
    }
    row("chain", format("\"op\": \"%s\", \"warps\": %u, \"chains\": %d, \"cycles_per_round\": ",
                        O::title(), warps, CHAINS) + list(cycles, "%.3f"));
}

template <class O> static void chain_rows(u32 rounds = 128)
{
    chain_row<O, 1>(1, rounds);
    for (u32 warps : {1, 4, 8, 16, 32}) {
        if (warps > 1) chain_row<O, 1>(warps, rounds);
        chain_row<O, 4>(warps, rounds);
    }
}

static void part_chains()
{
    chain_rows<op::fadd>(), chain_rows<op::fmul>(), chain_rows<op::ffma>(),
        chain_rows<op::fmax>(), chain_rows<op::iadd3>(), chain_rows<op::imul>(),
        chain_rows<op::imad>(), chain_rows<op::imul_hi>(), chain_rows<op::imad64>(),
        chain_rows<op::lop3>(), chain_rows<op::shift>(), chain_rows<op::prmt>(),
        chain_rows<op::imin_imax>(), chain_rows<op::popc>(), chain_rows<op::clz>(),
        chain_rows<op::bfind>(), chain_rows<op::brev>(), chain_rows<op::dp4a>(),
        chain_rows<op::select>(), chain_rows<op::ex2>(), chain_rows<op::lg2>(),
        chain_rows<op::rcp_fadd>(), chain_rows<op::rsqrt>(), chain_rows<op::sin>(),
        chain_rows<op::tanh>(), chain_rows<op::fdiv_full>(), chain_rows<op::fdiv>(32),
        chain_rows<op::fsqrt>(32), chain_rows<op::dadd>(), chain_rows<op::dmul>(),
        chain_rows<op::dfma>(), chain_rows<op::ddiv>(32), chain_rows<op::hadd2>(),
        chain_rows<op::hfma2>(), chain_rows<op::bfma2>(), chain_rows<op::idiv>(32),
        chain_rows<op::urem>(32), chain_rows<op::f2i_i2f>(), chain_rows<op::f2d_d2f>(),
        chain_rows<op::f2h_h2f>(), chain_rows<op::shfl>(), chain_rows<op::shfl_idx>(),
        chain_rows<op::ballot>(), chain_rows<op::match_any>(32), chain_rows<op::redux>(),
        chain_rows<op::warp_sync>(), chain_rows<op::block_sync>();
}

/* ---- matrix instructions ---- */

template <int N> struct fragments { u32 a[4], b[4], c[N]; };

#define MMA(name, shape, AN, BN, CN, text, ...)                                                   \
    struct name {                                                                                 \
        enum { C = CN };                                                                          \
        static const char *title() { return shape; }                                              \
        __device__ static void step(u32 *c, const u32 *a, const u32 *b)                           \
        {                                                                                         \
            asm volatile(text __VA_ARGS__);                                                       \
        }                                                                                         \
    };

#define C4 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
#define C2 : "+r"(c[0]), "+r"(c[1])
#define A4B2 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])
#define A2B1 : "r"(a[0]), "r"(a[1]), "r"(b[0])

MMA(mma_f16_f32_16, "m16n8k16.f32.f16.f16.f32", 4, 2, 4,
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
    "{%0,%1,%2,%3};", C4 A4B2)
MMA(mma_f16_f16_16, "m16n8k16.f16.f16.f16.f16", 4, 2, 2,
    "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, "
    "{%0,%1};", C2 A4B2)
MMA(mma_f16_f32_8, "m16n8k8.f32.f16.f16.f32", 2, 1, 4,
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
    "{%0,%1,%2,%3};", C4 A2B1)
MMA(mma_bf16_f32_16, "m16n8k16.f32.bf16.bf16.f32", 4, 2, 4,
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
    "{%0,%1,%2,%3};", C4 A4B2)
MMA(mma_tf32_8, "m16n8k8.f32.tf32.tf32.f32", 4, 2, 4,
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
    "{%0,%1,%2,%3};", C4 A4B2)
MMA(mma_tf32_4, "m16n8k4.f32.tf32.tf32.f32", 2, 1, 4,
    "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
    "{%0,%1,%2,%3};", C4 A2B1)
MMA(mma_s8_32, "m16n8k32.s32.s8.s8.s32", 4, 2, 4,
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
    "{%0,%1,%2,%3};", C4 A4B2)
MMA(mma_s8_16, "m16n8k16.s32.s8.s8.s32", 2, 1, 4,
    "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
    "{%0,%1,%2,%3};", C4 A2B1)
MMA(mma_e4m3_32, "m16n8k32.f32.e4m3.e4m3.f32", 4, 2, 4,
    "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
    "{%0,%1,%2,%3};", C4 A4B2)

struct mma_f64_4 {
    enum { C = 4 };
    static const char *title() { return "m8n8k4.f64.f64.f64.f64"; }
    __device__ static void step(u32 *c, const u32 *a, const u32 *b)
    {
        asm volatile("{.reg .f64 a, b, c, d; mov.b64 a, {%4, %5}; mov.b64 b, {%6, %7};"
                     "mov.b64 c, {%0, %1}; mov.b64 d, {%2, %3};"
                     "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {c,d}, {a}, {b}, {c,d};"
                     "mov.b64 {%0, %1}, c; mov.b64 {%2, %3}, d;}"
                     C4 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
    }
};

template <class O, int CHAINS> __global__ void __launch_bounds__(512)
mma_chain(u32 rounds, const u32 *in, u64 *from, u64 *to, u32 *sink)
{
    u32 a[4], b[4], c[CHAINS][O::C];
#pragma unroll
    for (int k = 0; k < 4; k++) a[k] = in[k * 32 + threadIdx.x % 32], b[k] = a[k] ^ 0x00010001;
#pragma unroll
    for (int k = 0; k < CHAINS; k++)
#pragma unroll
        for (int j = 0; j < O::C; j++) c[k][j] = 0;
    __syncthreads();
    u64 start = clock64();
    for (u32 k = 0; k < rounds; k++) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
#pragma unroll
            for (int j = 0; j < CHAINS; j++) O::step(c[j], a, b);
        }
    }
    u32 sum = 0;
#pragma unroll
    for (int k = 0; k < CHAINS; k++)
#pragma unroll
        for (int j = 0; j < O::C; j++) sum ^= c[k][j];
    *(volatile u32 *)(sink + threadIdx.x) = sum;
    u64 end = clock64();
    if (threadIdx.x % 32 == 0) from[threadIdx.x / 32] = start, to[threadIdx.x / 32] = end;
}

template <class O, int CHAINS> static void mma_row(u32 warps, const u32 *in)
{
    device_array<u64> from(32), to(32);
    device_array<u32> sink(1024);
    std::vector<double> cycles;
    for (int k = 0; k < 5; k++) {
        mma_chain<O, CHAINS><<<1, warps * 32>>>(128, in, from.at, to.at, sink.at);
        CHECK(cudaDeviceSynchronize());
        std::vector<u64> a = from.read(), b = to.read();
        u64 first = *std::min_element(a.begin(), a.begin() + warps);
        u64 last = *std::max_element(b.begin(), b.begin() + warps);
        cycles.push_back((double)(last - first) / (128 * 8));
    }
    row("mma", format("\"op\": \"%s\", \"warps\": %u, \"chains\": %d, \"cycles_per_round\": ",
                      O::title(), warps, CHAINS) + list(cycles, "%.3f"));
}

template <class O> static void mma_rows(const u32 *in)
{
    for (u32 warps : {1, 4, 8, 16}) {
        mma_row<O, 1>(warps, in);
        mma_row<O, 2>(warps, in);
        mma_row<O, 4>(warps, in);
    }
}

static void part_mma()
{
    std::vector<u32> words(128);
    for (u32 k = 0; k < 128; k++) words[k] = 0x38003400 + k * 0x00010003; /* small f16 numbers */
    device_array<u32> in(128);
    CHECK(cudaMemcpy(in.at, words.data(), 512, cudaMemcpyHostToDevice));
    mma_rows<mma_f16_f32_16>(in.at), mma_rows<mma_f16_f16_16>(in.at);
    mma_rows<mma_f16_f32_8>(in.at), mma_rows<mma_bf16_f32_16>(in.at);
    mma_rows<mma_tf32_8>(in.at), mma_rows<mma_tf32_4>(in.at);
    mma_rows<mma_s8_32>(in.at), mma_rows<mma_s8_16>(in.at);
    mma_rows<mma_e4m3_32>(in.at), mma_rows<mma_f64_4>(in.at);
}

/* ---- atomics ---- */

enum atomic_kind { ADD_U32, ADD_U64, ADD_F32, EXCH_U32, CAS_U32, MAX_U32, RED_U32, RED_F32,
                   ATOMIC_KINDS };
static const char *const atomic_names[] = {"add.u32", "add.u64", "add.f32", "exch.b32", "cas.b32",
                                           "max.u32", "red.add.u32", "red.add.f32"};

template <atomic_kind K> __device__ static u32 atomic_one(char *p, u32 v)
{
    u32 r = v;
    u64 wide = v;
    float f = 1.5f;
    if (K == ADD_U32) asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(v));
    if (K == ADD_U64) asm volatile("atom.add.u64 %0, [%1], %2;" : "=l"(wide) : "l"(p), "l"(wide));
    if (K == ADD_F32) asm volatile("atom.add.f32 %0, [%1], %2;" : "=f"(f) : "l"(p), "f"(f));
    if (K == EXCH_U32) asm volatile("atom.exch.b32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(v));
    if (K == CAS_U32) asm volatile("atom.cas.b32 %0, [%1], %2, %3;"
                                   : "=r"(r) : "l"(p), "r"(v), "r"(v + 1));
    if (K == MAX_U32) asm volatile("atom.max.u32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(v));
    if (K == RED_U32) asm volatile("red.add.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (K == RED_F32) asm volatile("red.add.f32 [%0], %1;" ::"l"(p), "f"(f) : "memory");
    return K == ADD_U64 ? (u32)wide : K == ADD_F32 ? __float_as_uint(f) : r;
}

/* where: 0 a word shared by all; 1 a word per warp; 2 a word per lane, in lines of the warp; 3 a
 * line per lane. dependent: an operation waits for the result of the previous operation. */
template <atomic_kind K> __global__ void __launch_bounds__(1024)
atomics(char *at, int shared, int where, u32 rounds, int dependent, span *time, u32 *sink)
{
    __shared__ __align__(128) char own[32 * 1024];
    u32 id = blockIdx.x * blockDim.x + threadIdx.x, lane = id % 32, warp = id / 32;
    u32 inner = shared ? threadIdx.x / 32 : warp;
    for (u32 k = threadIdx.x; k < 8192; k += blockDim.x) ((u32 *)own)[k] = k;
    u64 offset = where == 0 ? 0 : where == 1 ? (u64)inner * LINE
               : where == 2 ? (u64)inner * LINE * 2 + lane * 8 : (u64)id * LINE;
    char *p = shared ? own + offset % sizeof own : at + offset;
    __syncthreads();
    u32 v = id & 3;
    stamp start = now();
    for (u32 k = 0; k < rounds; k++) {
        u32 r = atomic_one<K>(p, v);
        if (dependent) v = r & 3;
        else v ^= r & 1;
    }
    if (v == 12345) *sink = v;
    __syncthreads();
    if (threadIdx.x == 0) time[blockIdx.x] = {start, now()};
}

template <atomic_kind K> static void atomic_row(char *at, int shared, int where, int blocks,
                                                int threads, int dependent)
{
    device_array<span> time((size_t)blocks);
    device_array<u32> sink(1);
    std::vector<double> cycles, us;
    u32 rounds = blocks == 1 && threads == 32 ? 256 : 64;
    event_timer timer;
    for (int k = 0; k < 4; k++) {
        timer.start();
        atomics<K><<<blocks, threads>>>(at, shared, where, rounds, dependent, time.at, sink.at);
        double took = timer.us();
        CHECK(cudaGetLastError());
        if (!k) continue;
        double sum = 0;
        for (const span &s : time.read()) sum += (double)(s.to.cycles - s.from.cycles);
        cycles.push_back(sum / blocks / rounds);
        us.push_back(took);
    }
    static const char *const places[] = {"one word", "word per warp", "word per lane",
                                         "line per lane"};
    row("atomic", format("\"op\": \"%s\", \"space\": \"%s\", \"where\": \"%s\", \"blocks\": %d, "
                         "\"threads\": %d, \"rounds\": %u, \"dependent\": %d, "
                         "\"cycles_per_round\": ",
                         atomic_names[K], shared ? "shared" : "global", places[where], blocks,
                         threads, rounds, dependent) + list(cycles, "%.1f") +
        ", \"us\": " + list(us, "%.2f"));
}

template <atomic_kind K> static void atomic_rows(char *at)
{
    int sms = sm_count();
    for (int where = 0; where < 4; where++) {
        atomic_row<K>(at, 0, where, 1, 32, 1);
        atomic_row<K>(at, 0, where, sms, 256, 0);
        atomic_row<K>(at, 0, where, 2 * sms, 1024, 0);
        if (where == 3) continue;
        atomic_row<K>(at, 1, where, 1, 32, 1);
        atomic_row<K>(at, 1, where, 1, 1024, 0);
    }
}

static void part_atomics()
{
    device_array<char> data(512ull * 1024 * LINE);
    atomic_rows<ADD_U32>(data.at), atomic_rows<ADD_U64>(data.at), atomic_rows<ADD_F32>(data.at);
    atomic_rows<EXCH_U32>(data.at), atomic_rows<CAS_U32>(data.at), atomic_rows<MAX_U32>(data.at);
    atomic_rows<RED_U32>(data.at), atomic_rows<RED_F32>(data.at);
}

static const part parts[] = {
    {"shared", part_shared}, {"chains", part_chains}, {"mma", part_mma}, {"atomics",
    part_atomics},
};

int main(int argc, char **argv)
{
    return run_parts(parts, sizeof parts / sizeof *parts, argc, argv);
}
