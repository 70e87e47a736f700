/* Launches of a plan's steps. */
#include <limits.h>
#include <string.h>

#include "cuda/fft/fft.h"

enum { THREADS_LEAST = 32, THREADS_MOST = 256, ELEMENTS_OF_THREAD = 4, ALIGNMENT = 256 };

static const void *factors(const struct fft_tables *t, enum fft_factors which)
{
    return which == FFT_NONE ? NULL : which == FFT_CHIRP ? t->chirp : t->filter;
}

static cufftResult launch(const struct fft_plan *p, struct fft_pass *pass)
{
    long long items = pass->lines[0] * pass->lines[1] * pass->lines[2] * (pass->n / pass->radix);
    long long blocks = (items + pass->together - 1) / pass->together;
    if (blocks > INT_MAX) return CUFFT_INVALID_SIZE;
    bool wide = fft_is_wide(p->shape.type);
    unsigned elements = (unsigned)(pass->together * pass->radix), threads = THREADS_LEAST;
    while (threads < THREADS_MOST && threads * ELEMENTS_OF_THREAD < elements) threads *= 2;
    size_t shared = (size_t)elements * 2 * (wide ? 16 : 8) +
                    (size_t)pass->together * sizeof(struct fft_item);
    dim3 grid = {(unsigned)blocks, 1, 1};
    cudaError_t error = library_launch(p->stream, "pass", wide ? "d" : "s", grid, threads, shared,
                                       (void *[]){pass});
    return library_status(error, CUFFT_ALLOC_FAILED, CUFFT_EXEC_FAILED);
}

cufftResult fft_launch(const struct fft_plan *p, void *in, void *out, bool inverse)
{
    char *work = p->work;
    size_t first = (p->part_bytes[FFT_WORK_A] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!work && p->part_bytes[FFT_WORK_A]) return CUFFT_NO_WORKSPACE;
    void *const places[] = {work, work ? work + first : NULL, in, out};
    cufftResult result = CUFFT_SUCCESS;
    for (int i = 0; !result && i < p->step_n; i++) {
        const struct fft_step *step = &p->steps[i];
        const struct fft_tables *t = &p->tables[step->axis];
        struct fft_pass pass = step->pass;
        pass.in.at = places[step->from], pass.out.at = places[step->to];
        pass.roots = t->roots;
        pass.in_factors = factors(t, step->in_factors);
        pass.out_factors = factors(t, step->out_factors);
        if (i == 0) pass.conjugate_in = inverse;
        if (i == p->step_n - 1) pass.conjugate_out = inverse;
        if (in == out && p->shape.basic) {
            if (pass.in.kind == FFT_REAL) memcpy(pass.in.outer, p->padded, sizeof p->padded);
            if (pass.out.kind == FFT_REAL) memcpy(pass.out.outer, p->padded, sizeof p->padded);
        }
        result = launch(p, &pass);
    }
    return result;
}

cufftResult fft_missing(const char *what)
{
    library_missing("cuFFT", what);
    return CUFFT_NOT_SUPPORTED;
}
