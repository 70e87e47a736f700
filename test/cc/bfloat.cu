// Conversions between bfloat16 and whole numbers, on host and device, against long double: prints
// "N conversions, 0 wrong". The four roundings are numbered 0 (nearest), 1 (to zero), 2 (down), 3.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>

struct wholes {
    int i[4];
    unsigned u[4];
    short s[4];
    unsigned short us[4];
    long long l[4];
    unsigned long long ul[4];
    signed char c;
    unsigned char uc;
};
#define FOUR(f, x) {f##_rn(x), f##_rz(x), f##_rd(x), f##_ru(x)}

__host__ __device__ void read(unsigned short bits, wholes *w)
{
    __nv_bfloat16 a = __ushort_as_bfloat16(bits);
    *w = {FOUR(__bfloat162int, a), FOUR(__bfloat162uint, a), FOUR(__bfloat162short, a),
          FOUR(__bfloat162ushort, a), FOUR(__bfloat162ll, a), FOUR(__bfloat162ull, a),
          __bfloat162char_rz(a), __bfloat162uchar_rz(a)};
}

enum { VALUES = 4096, KINDS = 6, MADE = 4 * KINDS + 2 };
struct made { unsigned short bits[MADE]; };

__host__ __device__ void write(long long v, made *m)
{
    __nv_bfloat16 of[MADE] = {
#define KIND(name, T)                                                                              \
    __##name##2bfloat16_rn((T)v), __##name##2bfloat16_rz((T)v), __##name##2bfloat16_rd((T)v),      \
        __##name##2bfloat16_ru((T)v)
        KIND(short, short), KIND(ushort, unsigned short), KIND(int, int), KIND(uint, unsigned),
        KIND(ll, long long), KIND(ull, unsigned long long), __nv_bfloat16((int)v),
        __nv_bfloat16(v)};
    for (int i = 0; i < MADE; i++) m->bits[i] = __bfloat16_as_ushort(of[i]);
}

__global__ void read_all(wholes *w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    read((unsigned short)i, w + i);
}

__global__ void write_all(const long long *v, made *m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    write(v[i], m + i);
}

static float widened(unsigned short bits)
{
    unsigned word = (unsigned)bits << 16;
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

template<class T> static T whole(float f, int rounding, long double low, long double high)
{
    long double w = rounding == 0 ? rintl(f) : rounding == 1 ? truncl(f)
        : rounding == 2 ? floorl(f) : ceill(f);
    return std::isnan(f) ? 0 : (T)(w < low ? low : w > high ? high : w);
}

// The bfloat16 that a rounding chooses, by trying the neighbours.
static unsigned short rounded(long double v, int rounding)
{
    float f = (float)v;
    unsigned word;
    memcpy(&word, &f, sizeof word);
    int best = -1;
    for (int step = -2; step <= 2 && v != 0; step++) {
        unsigned short bits = (unsigned short)((word >> 16) + (unsigned)step);
        long double at = widened(bits), far = fabsl(at - v);
        if ((rounding == 1 && fabsl(at) > fabsl(v)) || (rounding == 2 && at > v) ||
            (rounding == 3 && at < v))
            continue;
        long double before = best < 0 ? INFINITY : fabsl(widened((unsigned short)best) - v);
        if (far < before || (far == before && !(bits & 1))) best = bits;
    }
    return v == 0 ? 0 : (unsigned short)best;
}

static bool right(unsigned short bits, const wholes &w)
{
    float f = widened(bits);
    bool all = w.c == whole<signed char>(f, 1, -128, 127) &&
        w.uc == whole<unsigned char>(f, 1, 0, 255);
    for (int r = 0; r < 4; r++)
        all = all && w.i[r] == whole<int>(f, r, -0x1p31L, 0x1p31L - 1) &&
            w.u[r] == whole<unsigned>(f, r, 0, 0x1p32L - 1) &&
            w.s[r] == whole<short>(f, r, -0x1p15L, 0x1p15L - 1) &&
            w.us[r] == whole<unsigned short>(f, r, 0, 0x1p16L - 1) &&
            w.l[r] == whole<long long>(f, r, -0x1p63L, 0x1p63L - 1) &&
            w.ul[r] == whole<unsigned long long>(f, r, 0, 0x1p64L - 1);
    return all;
}

int main()
{
    wholes *w;
    made *m;
    long long *v;
    int wrong = 0;
    cudaMallocManaged(&w, 65536 * sizeof *w);
    cudaMallocManaged(&m, VALUES * sizeof *m);
    cudaMallocManaged(&v, VALUES * sizeof *v);
    unsigned long long state = 1;
    for (int i = 0; i < VALUES; i++) { // of every size, and close to halves and limits
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        v[i] = i < 200 ? i - 100 : (long long)state >> (i % 63);
        if (i >= 200 && i < 260) v[i] = (1ll << (i - 199)) + i % 3 - 1;
        if (i >= 260 && i < 310) v[i] = (1ll << (i - 249)) + (1ll << (i - 257)) + i % 3 - 1;
        if (i >= 310 && i < 320) v[i] = (long long)((1ull << 63) + (unsigned long long)(i - 315));
    }
    read_all<<<65536 / 256, 256>>>(w);
    write_all<<<VALUES / 256, 256>>>(v, m);
    if (cudaDeviceSynchronize()) return 2;
    for (int i = 0; i < 65536; i++) {
        wholes host;
        read((unsigned short)i, &host);
        wrong += !right((unsigned short)i, w[i]) + !right((unsigned short)i, host);
    }
    for (int i = 0; i < VALUES; i++) {
        made host;
        write(v[i], &host);
        long double of[] = {(long double)(short)v[i], (long double)(unsigned short)v[i],
                            (long double)(int)v[i], (long double)(unsigned)v[i],
                            (long double)v[i], (long double)(unsigned long long)v[i]};
        for (int k = 0; k < MADE; k++) {
            long double value = k < 4 * KINDS ? of[k / 4] : k == MADE - 2 ? of[2] : of[4];
            unsigned short is = rounded(value, k < 4 * KINDS ? k % 4 : 0);
            wrong += (m[i].bits[k] != is) + (host.bits[k] != is);
        }
    }
    printf("%d conversions, %d wrong\n", 2 * (65536 + VALUES * MADE), wrong);
    return wrong != 0;
}
