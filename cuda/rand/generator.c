/* Generators: creation, settings, states of subsequences. */
#include <stdlib.h>

#include "cuda/library/library.h"
#include "cuda/rand/rand.h"

/* Returns the name of a generator that corun lacks; NULL: another value. */
static const char *missing_name(curandRngType_t type)
{
    switch (type) {
    case CURAND_RNG_PSEUDO_MTGP32: return "generator MTGP32";
    case CURAND_RNG_PSEUDO_MT19937: return "generator MT19937";
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32: return "generator Sobol32";
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32: return "generator scrambled Sobol32";
    case CURAND_RNG_QUASI_SOBOL64: return "generator Sobol64";
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64: return "generator scrambled Sobol64";
    default: return NULL;
    }
}

static curandStatus_t kind_of(curandRngType_t type, enum rand_generator *kind)
{
    const char *missing = missing_name(type);
    if (missing) library_missing("cuRAND", missing);
    switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW: *kind = RAND_XORWOW; return CURAND_STATUS_SUCCESS;
    case CURAND_RNG_PSEUDO_MRG32K3A: *kind = RAND_MRG; return CURAND_STATUS_SUCCESS;
    case CURAND_RNG_PSEUDO_PHILOX4_32_10: *kind = RAND_PHILOX; return CURAND_STATUS_SUCCESS;
    default: break;
    }
    return CURAND_STATUS_TYPE_ERROR;
}

/* Begins the sequence at the offset again. */
static curandStatus_t restart(curandGenerator_t g)
{
    g->position = g->offset;
    g->is_seeded = false;
    g->words = 0;
    g->places.unit = g->offset / 4;
    g->places.low = g->places.unit / RAND_PHILOX_SUBSEQUENCES;
    g->places.high = g->places.low + 1;
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool is_on_host)
{
    enum rand_generator kind;
    if (!generator) return CURAND_STATUS_OUT_OF_RANGE;
    curandStatus_t status = kind_of(type, &kind);
    if (status) return status;
    int device;
    const struct library_run_time *r = is_on_host ? NULL : library_run_time();
    if (!is_on_host && (!r || r->cudaGetDevice(&device)))
        return CURAND_STATUS_INITIALIZATION_FAILED;
    struct curandGenerator_st *g = calloc(1, sizeof *g);
    if (!g) return CURAND_STATUS_ALLOCATION_FAILED;
    g->kind = kind;
    g->is_on_host = is_on_host;
    *generator = g;
    return restart(g);
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t g)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (g->on_device) library_run_time()->cudaFree(g->on_device);
    free(g->states);
    free(g);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int *version)
{
    if (!version) return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
    if (!value || type > PATCH_LEVEL) return CURAND_STATUS_OUT_OF_RANGE;
    *value = parts[type];
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    g->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    g->seed = seed;
    return restart(g);
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    g->offset = offset;
    return restart(g);
}

/* corun has one order per generator. Orders that NVIDIA leaves to the library are accepted. */
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    switch (order) {
    case CURAND_ORDERING_PSEUDO_BEST:
    case CURAND_ORDERING_PSEUDO_DEFAULT:
    case CURAND_ORDERING_PSEUDO_LEGACY: return restart(g);
    case CURAND_ORDERING_PSEUDO_DYNAMIC:
        return g->is_on_host ? CURAND_STATUS_OUT_OF_RANGE : restart(g);
    case CURAND_ORDERING_PSEUDO_SEEDED:
        return g->is_on_host || g->kind != RAND_XORWOW ? CURAND_STATUS_OUT_OF_RANGE : restart(g);
    default: return CURAND_STATUS_OUT_OF_RANGE;
    }
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned int dimensions)
{
    (void)dimensions;
    return g ? CURAND_STATUS_TYPE_ERROR : CURAND_STATUS_NOT_INITIALIZED;
}

/* ---- states ---- */

/* Computes the state of each subsequence after the elements before the position. */
static void compute_states(curandGenerator_t g)
{
    const unsigned long long rounds = g->position / RAND_SUBSEQUENCES;
    struct rand_state s;
    unsigned ignored;
    if (g->kind == RAND_MRG) {
        corun_mrg_seed(s.word, s.word + 3, g->seed);
        corun_mrg_skip(s.word, s.word + 3, rounds, 0);
    } else {
        corun_xorwow_seed(s.word, s.word + 1, g->seed);
        corun_xorwow_skip(s.word, s.word + 1, rounds);
    }
    for (unsigned i = 0; i < RAND_SUBSEQUENCES; i++) {
        g->states[i] = s;
        if (i < g->position % RAND_SUBSEQUENCES) rand_draw(g->kind, 1, &g->states[i], &ignored);
        if (g->kind == RAND_MRG) corun_mrg_jump(s.word, s.word + 3, CORUN_MRG_SUBSEQUENCE);
        else corun_xorwow_jump(s.word + 1, CORUN_XORWOW_SUBSEQUENCE);
    }
}

/* Copies bytes to the device at once, through a new stream: a wait for a captured stream is an
 * error. */
static cudaError_t copy_now(void *to, const void *from, size_t bytes)
{
    const struct library_run_time *r = library_run_time();
    cudaStream_t stream;
    cudaError_t error = r->cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (error) return error;
    error = r->cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
    if (!error) error = r->cudaStreamSynchronize(stream);
    r->cudaStreamDestroy(stream);
    return error;
}

/* Copies the states to the device. While the generator's stream is captured, the copy is no part of
 * the graph: calls before the first launch need the states, and a launch must not restart the
 * sequence. */
static curandStatus_t upload(curandGenerator_t g, size_t bytes)
{
    const struct library_run_time *r = library_run_time();
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    enum cudaStreamCaptureStatus capture;
    if (r->cudaStreamIsCapturing(g->stream, &capture)) return CURAND_STATUS_PREEXISTING_FAILURE;
    r->cudaThreadExchangeStreamCaptureMode(&mode);
    cudaError_t error = cudaSuccess;
    if (!g->on_device) error = r->cudaMalloc((void **)&g->on_device, bytes);
    bool has_memory = !error;
    if (has_memory && capture) error = copy_now(g->on_device, g->states, bytes);
    else if (has_memory)
        error = r->cudaMemcpyAsync(g->on_device, g->states, bytes, cudaMemcpyHostToDevice,
                                   g->stream);
    r->cudaThreadExchangeStreamCaptureMode(&mode);
    if (!has_memory) return CURAND_STATUS_ALLOCATION_FAILED;
    return error ? CURAND_STATUS_PREEXISTING_FAILURE : CURAND_STATUS_SUCCESS;
}

curandStatus_t rand_seed(curandGenerator_t g)
{
    const size_t bytes = RAND_SUBSEQUENCES * sizeof *g->states;
    if (g->is_seeded || g->kind == RAND_PHILOX) return CURAND_STATUS_SUCCESS;
    if (!g->states && !(g->states = malloc(bytes))) return CURAND_STATUS_ALLOCATION_FAILED;
    compute_states(g);
    curandStatus_t status = g->is_on_host ? CURAND_STATUS_SUCCESS : upload(g, bytes);
    g->is_seeded = !status;
    return status;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t g)
{
    return g ? rand_seed(g) : CURAND_STATUS_NOT_INITIALIZED;
}
