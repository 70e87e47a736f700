// Reads, writes, copies, scales and adds long vectors: every thread handles four independent groups
// of 16 bytes at a time, in several passes. Loads bypass L1, and the size of the vectors decides
// between L2 and device memory.
// Algorithm: the STREAM benchmark (McCalpin, Memory bandwidth and machine balance in current high
// performance computers, 1995), and reads and writes alone; written from the definition.
static __device__ float4 load(const float4 *from) { return __ldcg(from); }
static __device__ float4 scaled(float s, float4 v)
{
    return make_float4(s * v.x, s * v.y, s * v.z, s * v.w);
}
static __device__ float4 added(float4 v, float s, float4 w)
{
    return make_float4(fmaf(s, w.x, v.x), fmaf(s, w.y, v.y), fmaf(s, w.z, v.z), fmaf(s, w.w, v.w));
}

// The groups of a thread: `four` handles group k and three more, each `step` later; `one` the rest.
#define PASSES(n, four, one)                                                              \
    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;                 \
    unsigned long long first = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; \
    _Pragma("unroll 1") for (unsigned pass = 0; pass < passes; pass++) {                  \
        unsigned long long k = first;                                                     \
        _Pragma("unroll 1") for (; k + 3 * step < n; k += 4 * step) { four }              \
        _Pragma("unroll 1") for (; k < n; k += step) { one }                              \
    }
#define LOAD4(v, from)                                                     \
    float4 v##0 = load(from + k), v##1 = load(from + k + step);            \
    float4 v##2 = load(from + k + 2 * step), v##3 = load(from + k + 3 * step);
#define STORE4(v0, v1, v2, v3)                                             \
    a[k] = v0, a[k + step] = v1, a[k + 2 * step] = v2, a[k + 3 * step] = v3;
#define ADD(v) s.x += (v).x, s.y += (v).y, s.z += (v).z, s.w += (v).w;

// The sum of all groups of a thread makes the reads visible.
extern "C" __global__ void bandwidth_read(const float4 *b, float4 *sum, unsigned long long n,
                                          unsigned passes)
{
    float4 s = make_float4(0, 0, 0, 0);
    PASSES(n, LOAD4(v, b) ADD(v0) ADD(v1) ADD(v2) ADD(v3), ADD(load(b + k)))
    sum[first] = s;
}

extern "C" __global__ void bandwidth_write(float4 *a, float s, unsigned long long n,
                                           unsigned passes)
{
    float4 v = make_float4(s, s, s, s);
    PASSES(n, STORE4(v, v, v, v), a[k] = v;)
}

extern "C" __global__ void bandwidth_copy(float4 *a, const float4 *b, unsigned long long n,
                                          unsigned passes)
{
    PASSES(n, LOAD4(v, b) STORE4(v0, v1, v2, v3), a[k] = load(b + k);)
}

extern "C" __global__ void bandwidth_scale(float4 *a, const float4 *b, float s,
                                           unsigned long long n, unsigned passes)
{
    PASSES(n, LOAD4(v, b) STORE4(scaled(s, v0), scaled(s, v1), scaled(s, v2), scaled(s, v3)),
           a[k] = scaled(s, load(b + k));)
}

extern "C" __global__ void bandwidth_triad(float4 *a, const float4 *b, const float4 *c, float s,
                                           unsigned long long n, unsigned passes)
{
    PASSES(n, LOAD4(v, b) LOAD4(w, c)
           STORE4(added(v0, s, w0), added(v1, s, w1), added(v2, s, w2), added(v3, s, w3)),
           a[k] = added(load(b + k), s, load(c + k));)
}

// The order of loads and uses in the machine code that nvcc makes of test/silicon/bandwidth.cu: a
// thread uses a pair of groups before the next pair is loaded, or stores a group before the next
// group is loaded.
static __device__ float4 load_in_order(const float4 *from)
{
    float4 v;
    asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(from));
    return v;
}
#define PAIR(from)                                                             \
    {                                                                          \
        float4 v = load_in_order(from), w = load_in_order(from + step);        \
        ADD(v) ADD(w) asm volatile("" : "+f"(s.x), "+f"(s.y), "+f"(s.z), "+f"(s.w)); \
    }
#define FOUR(one) one(k) one(k + step) one(k + 2 * step) one(k + 3 * step)

extern "C" __global__ void bandwidth_read_pairs(const float4 *b, float4 *sum, unsigned long long n,
                                                unsigned passes)
{
    float4 s = make_float4(0, 0, 0, 0);
    PASSES(n, PAIR(b + k) PAIR(b + k + 2 * step), float4 v = load_in_order(b + k); ADD(v))
    sum[first] = s;
}

#define COPY_ONE(at) a[at] = load_in_order(b + (at));
extern "C" __global__ void bandwidth_copy_each(float4 *a, const float4 *b, unsigned long long n,
                                               unsigned passes)
{
    PASSES(n, FOUR(COPY_ONE), COPY_ONE(k))
}

#define SCALE_ONE(at) a[at] = scaled(s, load_in_order(b + (at)));
extern "C" __global__ void bandwidth_scale_each(float4 *a, const float4 *b, float s,
                                                unsigned long long n, unsigned passes)
{
    PASSES(n, FOUR(SCALE_ONE), SCALE_ONE(k))
}

#define TRIAD_ONE(at)                                                      \
    {                                                                      \
        float4 v = load_in_order(b + (at)), w = load_in_order(c + (at));   \
        a[at] = added(v, s, w);                                            \
    }
extern "C" __global__ void bandwidth_triad_each(float4 *a, const float4 *b, const float4 *c,
                                                float s, unsigned long long n, unsigned passes)
{
    PASSES(n, FOUR(TRIAD_ONE), TRIAD_ONE(k))
}
