// Matrix products of floats of 8 bits, by types of c, d and the bias: a part of kernels.cu.

__device__ float number(const void *at, long long i, char type)
{
    switch (type) {
    case 's': return ((const float *)at)[i];
    case 'h': return __half2float(((const __half *)at)[i]);
    default: return __bfloat162float(((const __nv_bfloat16 *)at)[i]);
    }
}

__device__ void store(float x, void *at, long long i, char type)
{
    switch (type) {
    case 's': ((float *)at)[i] = x; break;
    case 'h': ((__half *)at)[i] = __float2half(x); break;
    case 'b': ((__nv_bfloat16 *)at)[i] = __float2bfloat16(x); break;
    case 'e': ((__nv_fp8_e4m3 *)at)[i] = __nv_fp8_e4m3(x); break; // saturates
    default: ((__nv_fp8_e5m2 *)at)[i] = __nv_fp8_e5m2(x);
    }
}

template<int TILE, int EACH, class A, class B>
__device__ void gemm_eight(const blas_gemm &g, const blas_eight &e)
{
    float sum[EACH][EACH], alpha = scalar<float>(g.alpha), beta = scalar<float>(g.beta);
    float greatest = 0;
    multiply<TILE, EACH, A, B>(g, sum);
    unsigned batch = blockIdx.z;
    long long c_at = batch * g.c.batch;
    if (e.scale_a) alpha *= *e.scale_a;
    if (e.scale_b) alpha *= *e.scale_b;
    bool eight = e.d == 'e' || e.d == 'f';
    int i0 = first<TILE, EACH>(blockIdx.x, threadIdx.x % (TILE / EACH));
    int j0 = first<TILE, EACH>(blockIdx.y, threadIdx.x / (TILE / EACH));
    for (int p = 0; p < EACH * EACH; p++) {
        int i = i0 + p % EACH, j = j0 + p / EACH;
        if (i >= g.m || j >= g.n) continue;
        float x = alpha * sum[p % EACH][p / EACH];
        if (beta != 0)
            x = fmaf(beta, number(g.c.at, c_at + i * g.c.down + j * g.c.right, e.c), x);
        if (g.epilogue & BLAS_BIAS) x += number(g.bias, batch * g.bias_batch + i, e.bias);
        if (g.epilogue & BLAS_RELU) x = x > 0 ? x : 0;
        if (g.epilogue & BLAS_GELU) x = gelu(x);
        if (!(fabsf(x) <= greatest) && greatest == greatest) greatest = fabsf(x);
        if (eight && e.scale_d) x *= *e.scale_d;
        store(x, g.d, batch * g.d_batch + i + j * g.d_right, e.d);
    }
    if (e.greatest) atomicMax(e.greatest, __float_as_int(greatest)); // NaN is above all numbers
}
#define EIGHT(name, A, B)                                                                          \
    KERNEL __launch_bounds__(256) gemm_##name(blas_gemm g, blas_eight e)                           \
    {                                                                                              \
        gemm_eight<LARGE, 4, A, B>(g, e);                                                          \
    }                                                                                              \
    KERNEL __launch_bounds__(64) small_##name(blas_gemm g, blas_eight e)                           \
    {                                                                                              \
        gemm_eight<SMALL, 2, A, B>(g, e);                                                          \
    }
EIGHT(ee, __nv_fp8_e4m3, __nv_fp8_e4m3)
EIGHT(ef, __nv_fp8_e4m3, __nv_fp8_e5m2)
EIGHT(fe, __nv_fp8_e5m2, __nv_fp8_e4m3)
