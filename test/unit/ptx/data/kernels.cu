// Fidelity kernels: small, each for a single resource. Our own code. Every entry is extern "C", so
// app files can name the entry. Built once with nvcc -arch=sm_75 -O3 -ptx kernels.cu -o kernels.ptx
// Both simulators run the PTX.
#define K extern "C" __global__ void
typedef unsigned u32;

K vecadd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

K matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[16][16], t[16][16];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float acc = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + col];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; ++j) acc += s[y][j] * t[j][x];
        __syncthreads();
    }
    c[row * n + col] = acc;
}
K stencil5(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int l = x > 0 ? x - 1 : 0, r = x < w - 1 ? x + 1 : x, u = y > 0 ? y - 1 : 0,
        d = y < h - 1 ? y + 1 : y;
    out[y * w + x] = 0.5f * in[y * w + x] +
                     0.125f * (in[y * w + l] + in[y * w + r] + in[u * w + x] + in[d * w + x]);
}
K gather(const float *data, const int *index, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = data[index[i]];
}
K strided(const float *in, float *out, int stride, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * stride];
}

// every lane of a warp follows the same chain, so each step is a single request; warps start at
// different elements of a common cycle
K chase(const u32 *next, u32 *out, int steps, int apart)
{
    u32 w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, p = next[w * (u32)apart];
#pragma unroll 1
    for (int k = 1; k < steps; ++k) p = next[p];
    out[blockIdx.x * blockDim.x + threadIdx.x] = p;
}
K chase_cg(const u32 *next, u32 *out, int steps)
{ // ld.global.cg: past L1
    u32 p = 0;
#pragma unroll 1
    for (int k = 0; k < steps; ++k)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(p) : "l"(next + p) : "memory");
    out[threadIdx.x] = p;
}
K fma_ilp1(float *out, float a, float b, int iters)
{
    float v = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < iters; ++k) {
#pragma unroll
        for (int j = 0; j < 32; ++j) v = v * a + b;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
K sfu(float *out, int iters)
{
    float v = 1.0f + 0.01f * threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < iters; ++k) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            asm volatile("rsqrt.approx.f32 %0, %0;" : "+f"(v));
            asm volatile("ex2.approx.f32 %0, %0;" : "+f"(v));
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
// lanes of a warp hit 32/degree banks, degree different words each
K bank(u32 *out, int degree, int iters)
{
    __shared__ u32 s[2048];
    u32 t = threadIdx.x, lane = t & 31, acc = 0;
    for (u32 i = t; i < 2048; i += blockDim.x) s[i] = i;
    __syncthreads();
    u32 at = lane * degree;
#pragma unroll 1
    for (int k = 0; k < iters; ++k) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            u32 v = s[at];
            acc += v;
            at = (v + 32u) & 1023u;
        } // next address depends on the value: +32 words keeps the bank pattern
    }
    out[blockIdx.x * blockDim.x + t] = acc;
}
K reduce(const float *in, float *out, int rounds)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float total = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        s[t] = in[(blockIdx.x * rounds + r) * 256 + t];
        __syncthreads();
#pragma unroll 1
        for (int d = 128; d; d >>= 1) {
            if (t < d) s[t] += s[t + d];
            __syncthreads();
        }
        total += s[0];
        __syncthreads();
    }
    if (!t) out[blockIdx.x] = total;
}
K spmv(const int *row, const int *col, const float *val, const float *x, float *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float acc = 0;
    int e = row[r + 1];
#pragma unroll 1
    for (int k = row[r]; k < e; ++k) acc += val[k] * x[col[k]];
    y[r] = acc;
}
K copy4(const float4 *in, float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
// every block reads `words` words (a private region when apart > 0, the common region when 0)
// `passes` times; a single load per step and thread
K reuse(const float *in, float *out, int words, int apart, int passes)
{
    const float *p = in + (size_t)blockIdx.x * apart;
    float acc = 0;
#pragma unroll 1
    for (int r = 0; r < passes; ++r) {
#pragma unroll 4
        for (int i = threadIdx.x; i < words; i += 256) acc += p[i];
    }
    out[blockIdx.x * 256 + threadIdx.x] = acc;
}
