// Prices of European call and put options, a thread per option, registers only.
// Algorithm: the formula of Black and Scholes (The Pricing of Options and Corporate Liabilities,
// 1973); the normal distribution by polynomial 26.2.17 of Abramowitz and Stegun, Handbook of
// Mathematical Functions. Written from the formulas.
static __device__ float normal_below(float d)
{
    float k = __fdividef(1.0f, fmaf(0.2316419f, fabsf(d), 1.0f));
    float p = fmaf(k, 1.330274429f, -1.821255978f);
    p = fmaf(k, p, 1.781477937f);
    p = fmaf(k, p, -0.356563782f);
    p = fmaf(k, p, 0.319381530f);
    float tail = 0.39894228f * __expf(-0.5f * d * d) * k * p;
    return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void blackscholes(const float *price, const float *strike, const float *years,
                                        float *call, float *put, unsigned n, float rate,
                                        float volatility)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = price[i], x = strike[i], t = years[i];
    float spread = volatility * sqrtf(t);
    float drift = fmaf(0.5f * volatility, volatility, rate) * t;
    float d1 = __fdividef(__logf(__fdividef(s, x)) + drift, spread);
    float below1 = normal_below(d1), below2 = normal_below(d1 - spread);
    float due = x * __expf(-rate * t);
    call[i] = s * below1 - due * below2;
    put[i] = due * (1.0f - below2) - s * (1.0f - below1);
}
