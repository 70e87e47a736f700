/* binomial-options: European calls priced by backward induction on a binomial tree, a block per
 * option; bound by computation and barriers, with shared memory between neighbours. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 256 };
enum { STREAM_PRICE, STREAM_STRIKE, STREAM_YEARS };
static const float RATE = 0.02f, VOLATILITY = 0.3f;

/* Computes the value from the same tree in double precision, one time step back after the other. */
static double value_of(double price, double strike, double years, u32 steps, double *value)
{
    double spread = (double)VOLATILITY * sqrt(years / steps);
    double drift = ((double)RATE - 0.5 * (double)VOLATILITY * (double)VOLATILITY) * years;
    for (u32 up = 0; up <= steps; up++)
        value[up] = fmax(price * exp(drift + spread * (2.0 * up - steps)) - strike, 0.0);
    for (u32 level = steps; level > 0; level--)
        for (u32 up = 0; up < level; up++) value[up] = 0.5 * (value[up] + value[up + 1]);
    return exp(-(double)RATE * years) * value[0];
}

static void binomial_options_run(struct host *h)
{
    u32 options = (u32)host_integer(h, "options"), steps = (u32)host_integer(h, "steps");
    u64 price = upload_floats(h, "price", STREAM_PRICE, 20.0f, 60.0f, options);
    u64 strike = upload_floats(h, "strike", STREAM_STRIKE, 20.0f, 60.0f, options);
    u64 years = upload_floats(h, "years", STREAM_YEARS, 0.25f, 5.0f, options);
    u64 tree = host_alloc(h, (u64)options * (steps + 1) * sizeof(float), "tree");
    u64 call = host_alloc(h, options * sizeof(float), "call");
    const void *args[] = {&price, &strike, &years, &RATE, &VOLATILITY, &steps, &tree, &call};
    host_launch(h, host_find(h, "binomial_options"), (struct host_dim){options, 1, 1},
                (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *got = host_memory(h, options * sizeof *got), draw[3];
    double *want = host_memory(h, options * sizeof *want);
    double *scale = host_memory(h, options * sizeof *scale);
    double *value = host_memory(h, (steps + 1) * sizeof *value);
    host_read(h, got, call, options * sizeof *got);
    for (u32 i = 0; i < options; i++) {
        random_floats(host_seed(h), STREAM_PRICE, 20.0f, 60.0f, i, draw, 1);
        random_floats(host_seed(h), STREAM_STRIKE, 20.0f, 60.0f, i, draw + 1, 1);
        random_floats(host_seed(h), STREAM_YEARS, 0.25f, 5.0f, i, draw + 2, 1);
        want[i] = value_of((double)draw[0], (double)draw[1], (double)draw[2], steps, value);
        scale[i] = (double)draw[0];
    }
    const char *why = verify_f32_near(h, "call", 0, got, want, scale, options, 2e-6);
    host_checked(h, !why, why);
}

static const struct workload_param binomial_options_params[] = {
    {"options", 128, 11, 8192, 1, 65536, "options, a block each"},
    {"steps", 256, 75, 2048, 1, 4096, "time steps of the tree"},
    {0},
};
const struct workload workload_binomial_options = {
    .name = "binomial-options",
    .sentence = "European options on a binomial tree, one block each",
    .suite = "CUDA SDK",
    .algorithm = "backward induction (Cox, Ross and Rubinstein, 1979), tiled in time",
    .input = "prices, strikes and times drawn at random",
    .params = binomial_options_params,
    .run = binomial_options_run,
};
