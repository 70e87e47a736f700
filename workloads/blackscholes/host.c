/* blackscholes: prices of European options; streams three vectors in and two out with about a
 * hundred instructions between, exponentials and logarithms among them. Blocks of 128 threads, as
 * the papers' program. The device's prices are compared with prices in double precision. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/verify.h"

enum { BLOCK = 128 };
enum { PIECE = 1 << 16 }; /* options in host memory at a time */
static const float RATE = 0.02f, VOLATILITY = 0.3f;
/* of price + strike: approximate division, exponential and logarithm, polynomial of 7.5e-8 */
static const double TOLERANCE = 1e-6;

struct options { float *price, *strike, *years; };

static void make_options(u64 seed, u64 first, const struct options *o, u32 n)
{
    random_floats(seed, 0, 5.0f, 30.0f, first, o->price, n);
    random_floats(seed, 1, 1.0f, 100.0f, first, o->strike, n);
    random_floats(seed, 2, 0.25f, 10.0f, first, o->years, n);
}

static double normal_below(double d) { return 0.5 * erfc(-d * sqrt(0.5)); }

static void reference(const struct options *o, u32 n, double *call, double *put, double *scale)
{
    double rate = RATE, volatility = VOLATILITY;
    for (u32 i = 0; i < n; i++) {
        double s = o->price[i], x = o->strike[i], t = o->years[i];
        double spread = volatility * sqrt(t);
        double d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / spread;
        double d2 = d1 - spread, due = x * exp(-rate * t);
        call[i] = s * normal_below(d1) - due * normal_below(d2);
        put[i] = due * normal_below(-d2) - s * normal_below(-d1);
        scale[i] = s + x;
    }
}

static void blackscholes_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "n");
    u64 bytes = (u64)n * sizeof(float), seed = host_seed(h);
    const u64 piece_bytes = PIECE * sizeof(float);
    struct options o = {host_memory(h, piece_bytes), host_memory(h, piece_bytes),
                        host_memory(h, piece_bytes)};
    u64 price = host_alloc(h, bytes, "price"), strike = host_alloc(h, bytes, "strike");
    u64 years = host_alloc(h, bytes, "years");
    u64 call = host_alloc(h, bytes, "call"), put = host_alloc(h, bytes, "put");
    for (u32 first = 0; first < n; first += PIECE) {
        u32 piece = min_u32(PIECE, n - first);
        make_options(seed, first, &o, piece);
        host_write(h, price + first * sizeof(float), o.price, piece * sizeof(float));
        host_write(h, strike + first * sizeof(float), o.strike, piece * sizeof(float));
        host_write(h, years + first * sizeof(float), o.years, piece * sizeof(float));
    }
    const void *args[] = {&price, &strike, &years, &call, &put, &n, &RATE, &VOLATILITY};
    struct host_dim grid = {(u32)div_up(n, BLOCK), host_repeat(h), 1};
    host_launch(h, host_find(h, "blackscholes"), grid, (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *got = host_memory(h, piece_bytes);
    double *want_call = host_memory(h, PIECE * sizeof(double));
    double *want_put = host_memory(h, PIECE * sizeof(double));
    double *scale = host_memory(h, PIECE * sizeof(double));
    const char *why = NULL;
    for (u32 first = 0; first < n && !why; first += PIECE) {
        u32 piece = min_u32(PIECE, n - first);
        make_options(seed, first, &o, piece);
        reference(&o, piece, want_call, want_put, scale);
        host_read(h, got, call + first * sizeof(float), piece * sizeof(float));
        why = verify_f32_near(h, "call", first, got, want_call, scale, piece, TOLERANCE);
        if (why) break;
        host_read(h, got, put + first * sizeof(float), piece * sizeof(float));
        why = verify_f32_near(h, "put", first, got, want_put, scale, piece, TOLERANCE);
    }
    host_checked(h, !why, why);
}

static const struct workload_param blackscholes_params[] = {
    {"n", 524288, 20011, 4194304, 1, 1 << 26, "options"},
    REPEAT_PARAM(2, 64),
    {0},
};
const struct workload workload_blackscholes = {
    .name = "blackscholes",
    .sentence = "prices of European options, registers only",
    .suite = "CUDA SDK",
    .algorithm = "the Black-Scholes formula, normal distribution by Abramowitz and Stegun 26.2.17",
    .input = "price, strike and years to expiry drawn at random for each option",
    .params = blackscholes_params,
    .run = blackscholes_run,
};
