/* Generation of results: a kernel for generators of the device, a loop for those of the host. */
#include <float.h>
#include <limits.h>

#include "cuda/library/library.h"
#include "cuda/rand/rand.h"

enum { PAIR_THREADS = 64, UNIT_THREADS = 256, BLOCKS_MOST = 1024 };
/* The sequence ends before 2^64 by more than the step of any loop over its elements. */
static const unsigned long long elements_most = ULLONG_MAX - 2 * RAND_SUBSEQUENCES;

static curandStatus_t on_device(curandGenerator_t g, enum rand_output output, struct rand_call *c)
{
    static const char *const generators[] = {"philox", "xorwow", "mrg32k3a"};
    static const char *const outputs[RAND_OUTPUTS] = {
        "bits", "uniform", "normal", "log_normal", "uniform_double", "normal_double",
        "log_normal_double", "poisson", "poisson_large"};
    bool is_philox = g->kind == RAND_PHILOX;
    unsigned threads = is_philox ? UNIT_THREADS : PAIR_THREADS;
    unsigned long long units = (c->first + c->n + 3) / 4 - c->first / 4;
    unsigned long long blocks = is_philox ? (units + threads - 1) / threads
                                          : RAND_SUBSEQUENCES / 2 / PAIR_THREADS;
    dim3 grid = {(unsigned)(blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST), 1, 1};
    void *arguments[] = {c};
    c->states = g->on_device;
    cudaError_t error = library_launch(g->stream, generators[g->kind], outputs[output], grid,
                                       threads, 0, arguments);
    return error ? CURAND_STATUS_LAUNCH_FAILURE : CURAND_STATUS_SUCCESS;
}

static curandStatus_t on_host(curandGenerator_t g, enum rand_output output, struct rand_call *c)
{
    c->states = g->states;
    if (g->kind == RAND_PHILOX)
        for (unsigned long long unit = c->first / 4; 4 * unit < c->first + c->n; unit++)
            rand_philox_unit(output, c, unit);
    else
        for (unsigned t = 0; t < RAND_SUBSEQUENCES / 2; t++)
            rand_subsequences(g->kind, output, c, t);
    return CURAND_STATUS_SUCCESS;
}

/* Prepares for results of another number of words: the next results begin a unit, and Philox takes
 * no word twice. Where subsequences have different places, all take the farthest. */
static void change_words(curandGenerator_t g, int words)
{
    const unsigned long long was = (unsigned)g->words;
    struct rand_places *p = &g->places;
    g->words = words;
    if (!was || g->kind != RAND_PHILOX) return;
    g->position = (g->position + 3) / 4 * 4;
    const unsigned long long unit = g->position / 4,
        rounds = unit / RAND_PHILOX_SUBSEQUENCES - p->unit / RAND_PHILOX_SUBSEQUENCES,
        above = p->low + was * rounds, below = p->high + was * rounds;
    p->low = rounds && below - was > above ? below - was : above;
    p->high = below > above + was ? below : above + was;
    p->unit = unit;
}

/* Stores n results. Normal numbers begin and end with a pair of elements. */
static curandStatus_t generate(curandGenerator_t g, enum rand_output output, void *out, size_t n,
                               double mean, double stddev)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (!n) return CURAND_STATUS_SUCCESS;
    if (!out || g->position > elements_most || n > elements_most - g->position)
        return CURAND_STATUS_OUT_OF_RANGE;
    bool is_paired = output != RAND_BITS && output != RAND_UNIFORM &&
                     output != RAND_UNIFORM_DOUBLE && output != RAND_POISSON;
    curandStatus_t status = rand_seed(g);
    if (status) return status;
    if (g->words != rand_words(output)) change_words(g, rand_words(output));
    if (is_paired) g->position += g->position & 1;
    struct rand_call c = {.out = out, .first = g->position, .n = n, .seed = g->seed, .mean = mean,
                          .stddev = stddev, .places = g->places};
    c.last = c.first + n + (is_paired && n & 1);
    status = g->is_on_host ? on_host(g, output, &c) : on_device(g, output, &c);
    if (!status) g->position = c.last;
    return status;
}

curandStatus_t curandGenerate(curandGenerator_t g, unsigned int *out, size_t n)
{
    return generate(g, RAND_BITS, out, n, 0, 0);
}

curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *out, size_t n)
{
    (void)out, (void)n;
    return g ? CURAND_STATUS_TYPE_ERROR : CURAND_STATUS_NOT_INITIALIZED;
}

curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out, size_t n)
{
    return generate(g, RAND_UNIFORM, out, n, 0, 0);
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *out, size_t n)
{
    return generate(g, RAND_UNIFORM_DOUBLE, out, n, 0, 0);
}

curandStatus_t curandGenerateNormal(curandGenerator_t g, float *out, size_t n, float mean,
                                    float stddev)
{
    return generate(g, RAND_NORMAL, out, n, (double)mean, (double)stddev);
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *out, size_t n, double mean,
                                          double stddev)
{
    return generate(g, RAND_NORMAL_DOUBLE, out, n, mean, stddev);
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *out, size_t n, float mean,
                                       float stddev)
{
    return generate(g, RAND_LOG_NORMAL, out, n, (double)mean, (double)stddev);
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *out, size_t n,
                                             double mean, double stddev)
{
    return generate(g, RAND_LOG_NORMAL_DOUBLE, out, n, mean, stddev);
}

curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned int *out, size_t n,
                                     double lambda)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (!(lambda > 0 && lambda <= DBL_MAX)) return CURAND_STATUS_OUT_OF_RANGE;
    return generate(g, lambda > CORUN_POISSON_EXACT ? RAND_POISSON_LARGE : RAND_POISSON, out, n,
                    lambda, 0);
}
