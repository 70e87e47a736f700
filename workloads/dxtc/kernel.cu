// DXT1 texture compression, a block of 64 threads per 4x4 pixels: the pixels are sorted along their
// principal axis, and every way to cut the sorted pixels into four groups (965, from a table) is
// tried. Least squares give each cut two end colours, rounded to 5:6:5 bits; the cut with the
// smallest error wins, the first among equals. Each pixel then takes the nearest of the four
// colours between the ends. Only the axis and one division per cut are not in integers.
// Algorithm: cluster fit, S. Brown's exhaustive search over ordered pixels for DXT compression, and
// the block format of the S3TC extension; written from the descriptions.
enum { PIXELS = 16, BLOCK = 64, POWER_STEPS = 8, MOMENTS = 6 };

static __device__ int3 operator+(int3 a, int3 b)
{
    return make_int3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static __device__ int3 times(int f, int3 a) { return make_int3(f * a.x, f * a.y, f * a.z); }

static __device__ float dot(float3 a, float3 b)
{
    return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}

// Direction of largest variance of the pixels, from their covariance xx xy xz yy yz zz.
static __device__ float3 principal_axis(const int *covariance)
{
    float3 x = make_float3(covariance[0], covariance[1], covariance[2]);
    float3 y = make_float3(covariance[1], covariance[3], covariance[4]);
    float3 z = make_float3(covariance[2], covariance[4], covariance[5]);
    float3 axis = make_float3(1.0f, 1.0f, 1.0f);
#pragma unroll 1
    for (int step = 0; step < POWER_STEPS; ++step) {
        float3 next = make_float3(dot(x, axis), dot(y, axis), dot(z, axis));
        float size = fmaxf(fabsf(next.x), fmaxf(fabsf(next.y), fabsf(next.z)));
        if (size == 0.0f) break;
        axis = make_float3(next.x / size, next.y / size, next.z / size);
    }
    return axis;
}

static __device__ unsigned round_to(int numerator, float scale, float levels)
{
    return (unsigned)fmaf(fminf(fmaxf(numerator * scale, 0.0f), 1.0f), levels, 0.5f);
}

static __device__ unsigned pack565(int3 numerator, float scale)
{
    return round_to(numerator.x, scale, 31.0f) << 11 | round_to(numerator.y, scale, 63.0f) << 5
           | round_to(numerator.z, scale, 31.0f);
}

static __device__ int3 unpack565(unsigned c)
{
    int r = c >> 11 & 31, g = c >> 5 & 63, b = c & 31;
    return make_int3(r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2);
}

// Nine times the squared error of a cut whose ends have the squared weights aa, ab, bb (ninths) and
// the weighted sums of pixels pa, pb (thirds), without the terms independent of the ends.
static __device__ int error9(int a, int b, int aa, int ab, int bb, int pa, int pb)
{
    return aa * a * a + bb * b * b + 2 * (ab * a * b - 3 * (a * pa + b * pb));
}

// Ends of a cut as two colours of 16 bits; before[n] is the sum of the first n ordered pixels.
static __device__ int try_cut(const int3 *before, unsigned cut, unsigned *ends)
{
    int i = cut & 255, j = cut >> 8 & 255, k = cut >> 16;
    int n1 = j - i, n2 = k - j;
    int aa = 9 * i + 4 * n1 + n2, bb = n1 + 4 * n2 + 9 * (PIXELS - k), ab = 2 * (n1 + n2);
    int3 pa = before[i] + before[j] + before[k], pb = times(3, before[PIXELS]) + times(-1, pa);
    float scale = 3.0f / (255.0f * (aa * bb - ab * ab));
    unsigned first = pack565(times(bb, pa) + times(-ab, pb), scale);
    unsigned last = pack565(times(aa, pb) + times(-ab, pa), scale);
    int3 a = unpack565(first), b = unpack565(last);
    *ends = first | last << 16;
    return error9(a.x, b.x, aa, ab, bb, pa.x, pb.x) + error9(a.y, b.y, aa, ab, bb, pa.y, pb.y)
           + error9(a.z, b.z, aa, ab, bb, pa.z, pb.z);
}

static __device__ int distance2(int3 a, int3 b)
{
    int3 d = a + times(-1, b);
    return d.x * d.x + d.y * d.y + d.z * d.z;
}

// Returns which of the colours a, b, (2a + b) / 3, (a + 2b) / 3 is nearest.
static __device__ unsigned nearest(int3 pixel, int3 a, int3 b)
{
    int3 c = times(2, a) + b, d = a + times(2, b);
    int3 colour[4] = {a, b, make_int3(c.x / 3, c.y / 3, c.z / 3),
                      make_int3(d.x / 3, d.y / 3, d.z / 3)};
    unsigned best = 0;
    int least = distance2(pixel, colour[0]);
#pragma unroll
    for (unsigned code = 1; code < 4; ++code) {
        int far = distance2(pixel, colour[code]);
        if (far < least) {
            least = far;
            best = code;
        }
    }
    return best;
}

// before[n] becomes the sum of the first n pixels along the principal axis.
static __device__ void sum_along_axis(unsigned t, const int3 *pixel, int3 *before)
{
    __shared__ int3 ordered[PIXELS];
    __shared__ int moment[MOMENTS][PIXELS], covariance[MOMENTS];
    __shared__ float along[PIXELS];
    int3 sum = make_int3(0, 0, 0);
    if (t < PIXELS) {
        for (int k = 0; k < PIXELS; ++k) sum = sum + pixel[k];
        int3 d = times(PIXELS, pixel[t]) + times(-1, sum);
        moment[0][t] = d.x * d.x;
        moment[1][t] = d.x * d.y;
        moment[2][t] = d.x * d.z;
        moment[3][t] = d.y * d.y;
        moment[4][t] = d.y * d.z;
        moment[5][t] = d.z * d.z;
    }
    __syncthreads();
    if (t < MOMENTS) {
        covariance[t] = 0;
        for (int k = 0; k < PIXELS; ++k) covariance[t] += moment[t][k];
    }
    __syncthreads();
    if (t < PIXELS) {
        float3 colour = make_float3(pixel[t].x, pixel[t].y, pixel[t].z);
        along[t] = dot(colour, principal_axis(covariance));
    }
    __syncthreads();
    if (t < PIXELS) {
        unsigned place = 0;
        for (unsigned k = 0; k < PIXELS; ++k)
            place += along[k] < along[t] || (along[k] == along[t] && k < t);
        ordered[place] = pixel[t];
    }
    __syncthreads();
    if (t <= PIXELS) {
        sum = make_int3(0, 0, 0);
        for (unsigned k = 0; k < t; ++k) sum = sum + ordered[k];
        before[t] = sum;
    }
    __syncthreads();
}

extern "C" __global__ void dxtc(const unsigned *image, const unsigned *cuts, unsigned cut_n,
                                uint2 *out)
{
    __shared__ int3 pixel[PIXELS], before[PIXELS + 1];
    __shared__ int error[BLOCK];
    __shared__ unsigned number[BLOCK], ends[BLOCK], code[PIXELS];
    unsigned t = threadIdx.x;
    if (t < PIXELS) {
        unsigned rgb = image[blockIdx.x * PIXELS + t];
        pixel[t] = make_int3(rgb & 255, rgb >> 8 & 255, rgb >> 16 & 255);
    }
    __syncthreads();
    sum_along_axis(t, pixel, before);

    error[t] = 0x7fffffff;
#pragma unroll 1
    for (unsigned n = t; n < cut_n; n += BLOCK) {
        unsigned now_ends;
        int now = try_cut(before, cuts[n], &now_ends);
        if (now < error[t]) {
            error[t] = now;
            number[t] = n;
            ends[t] = now_ends;
        }
    }
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        unsigned o = t + half;
        if (t < half && (error[o] < error[t] || (error[o] == error[t] && number[o] < number[t]))) {
            error[t] = error[o];
            number[t] = number[o];
            ends[t] = ends[o];
        }
        __syncthreads();
    }

    unsigned a = ends[0] & 0xffff, b = ends[0] >> 16, high = max(a, b), low = min(a, b);
    if (t < PIXELS) // the larger end comes first: four colours, none transparent
        code[t] = high == low ? 0 : nearest(pixel[t], unpack565(high), unpack565(low)) << 2 * t;
    __syncthreads();
    if (t > 0) return;
    unsigned codes = 0;
    for (int k = 0; k < PIXELS; ++k) codes |= code[k];
    out[blockIdx.x] = make_uint2(high | low << 16, codes);
}
