// European call options by the binomial tree, a block per option. The values of a tree's last step
// lie in global memory. A tile of 256 neighbours moves to shared memory and goes TILE steps back in
// time there, losing the last value at each step; the remaining values replace the tile's first
// values.
// Algorithm: backward induction on a recombining tree (Cox, Ross and Rubinstein, Option pricing: a
// simplified approach, J. Financial Economics 7, 1979) with the equal probabilities of Jarrow and
// Rudd (Option Pricing, 1983); tiled in time as described in Podlozhnyuk, Binomial option pricing
// model, NVIDIA 2007. Discounted once, at the end.
enum { BLOCK = 256, TILE = 32 };

extern "C" __global__ void __launch_bounds__(BLOCK)
    binomial_options(const float *price, const float *strike, const float *years, float rate,
                     float volatility, unsigned steps, float *tree, float *call)
{
    __shared__ float shared[2][BLOCK + 1];
    unsigned option = blockIdx.x, lane = threadIdx.x;
    float time = years[option];
    float spread = volatility * sqrtf(time / steps);
    float drift = fmaf(-0.5f * volatility, volatility, rate) * time;
    float *value = tree + option * (steps + 1);
    for (unsigned up = lane; up <= steps; up += BLOCK) {
        float move = fmaf(spread, 2.0f * up - steps, drift);
        value[up] = fmaxf(fmaf(price[option], expf(move), -strike[option]), 0.0f);
    }
    __syncthreads();
    const float half = 0.5f;
    for (unsigned level = steps; level > 0;) {
        unsigned back = min(level, TILE);
        for (unsigned base = 0; base <= level - back; base += BLOCK - TILE) {
            float own = base + lane <= level ? value[base + lane] : 0.0f;
            for (unsigned step = 0; step < back; ++step) {
                float *row = shared[step % 2];
                row[lane] = own;
                __syncthreads();
                own = fmaf(half, row[lane + 1], half * own);
            }
            if (lane < BLOCK - TILE && base + lane <= level - back) value[base + lane] = own;
            __syncthreads();
        }
        level -= back;
    }
    if (lane == 0) call[option] = expf(-rate * time) * value[0];
}
