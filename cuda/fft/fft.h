/* The part of corun's cuFFT behind the functions: a plan is a list of steps, each a launch of the
 * kernel. Axes are numbered: 0 the batch, 1 x, 2 y, 3 z; missing axes have size 1. */
#ifndef CORUN_FFT_H
#define CORUN_FFT_H

#include <stdbool.h>

#include "cuda/fft/kernels.h"
#include "cuda/include/cufft.h"
#include "cuda/library/library.h"

enum { FFT_AXES = 4, FFT_LAST = 3, FFT_STEPS = 32 };

struct fft_layout {
    long long step[FFT_AXES]; /* between neighbours along an axis, in elements */
};

struct fft_shape {
    long long size[FFT_AXES];
    cufftType type;
    struct fft_layout in, out;
    bool basic; /* contiguous; real rows have room for the complex ones in place */
};
static inline bool fft_is_wide(cufftType type) { return type >= CUFFT_Z2Z; }
static inline bool fft_is_to_complex(cufftType type)
{
    return type == CUFFT_R2C || type == CUFFT_D2Z;
}
static inline bool fft_is_to_real(cufftType type)
{
    return type == CUFFT_C2R || type == CUFFT_Z2D;
}
/* Elements of a row of complex values. */
static inline long long fft_row(const struct fft_shape *s)
{
    bool real = fft_is_to_complex(s->type) || fft_is_to_real(s->type);
    return real ? s->size[FFT_LAST] / 2 + 1 : s->size[FFT_LAST];
}
/* The layout of contiguous rows with this number of elements. */
struct fft_layout fft_packed(const struct fft_shape *shape, long long row);

enum fft_place { FFT_WORK_A, FFT_WORK_B, FFT_IN, FFT_OUT };
enum fft_factors { FFT_NONE, FFT_CHIRP, FFT_FILTER };
struct fft_step {
    struct fft_pass pass; /* addresses are set at the launch */
    enum fft_place from, to;
    int axis;
    enum fft_factors in_factors, out_factors;
};

/* Factors of an axis, on the device. For a length with a prime factor above 7, Bluestein's method
 * is a convolution of the length `n`, a power of two: `chirp` has exp(-pi i k^2 / length), and
 * `filter` the conjugate transform of the conjugate chirp, divided by n. */
struct fft_tables {
    long long n;
    void *roots, *chirp, *filter;
};

struct fft_plan {
    struct fft_shape shape;
    bool tight; /* an SM has little shared memory */
    struct fft_step steps[FFT_STEPS];
    int step_n; /* 0: the plan is not made */
    struct fft_tables tables[FFT_AXES];
    long long padded[3];                   /* between real rows in place, as fft_side.outer */
    size_t part_bytes[2];                  /* of FFT_WORK_A and B */
    void *work, *own_work;                 /* own_work: allocated by the plan */
    bool keeps_work_out;                   /* no automatic allocation */
    cudaStream_t stream;
};

/* Makes the steps and sizes of a plan from the shape and `tight`. */
void fft_steps(struct fft_plan *plan);
/* The length of the convolution for a length with a prime factor above 7; 0: none. */
long long fft_bluestein(long long length);
/* Allocates the tables of the axes on the device; false: no memory. */
bool fft_tables_allocate(struct fft_plan *plan);
/* Computes the tables; false: no memory of the host, or no copy. */
bool fft_tables_fill(const struct fft_plan *plan);
void fft_tables_free(struct fft_plan *plan);
/* Launches the steps. */
cufftResult fft_launch(const struct fft_plan *plan, void *in, void *out, bool inverse);
/* Prints once per process and name that corun lacks something; returns NOT_SUPPORTED. */
cufftResult fft_missing(const char *what);

#endif
