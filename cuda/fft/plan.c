/* Plans: handles, sizes, execution. */
#include <pthread.h>
#include <stdlib.h>

#include "cuda/fft/fft.h"
#include "cuda/include/cufftXt.h"

enum { VERSION = (LIBRARY_CUDA - 1) * 1000, ALIGNMENT = 256, SHARED_WANTED = 40960 };
static const long long elements_most = 1ll << 40;

/* ---- handles ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fft_plan **plans; /* by handle - 1; NULL: destroyed */
static int plan_n;

/* Returns the plan of a handle; NULL: none. With `out` the handle becomes free. */
static struct fft_plan *plan_of(cufftHandle handle, bool out)
{
    struct fft_plan *p = NULL;
    pthread_mutex_lock(&lock);
    if (handle > 0 && handle <= plan_n) {
        p = plans[handle - 1];
        if (out) plans[handle - 1] = NULL;
    }
    pthread_mutex_unlock(&lock);
    return p;
}

/* Returns the handle of a plan; 0: no memory. */
static cufftHandle handle_for(struct fft_plan *p)
{
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < plan_n && plans[i]) i++;
    if (i == plan_n) {
        struct fft_plan **more = realloc(plans, sizeof *more * (size_t)(plan_n + 1));
        if (more) plans = more, plan_n++;
        else i = -1;
    }
    if (i >= 0) plans[i] = p;
    pthread_mutex_unlock(&lock);
    return i + 1;
}

/* Allocates a plan without a shape. */
static cufftResult new(struct fft_plan **out)
{
    int device, shared = 0;
    const struct library_run_time *r = library_run_time();
    if (!r || r->cudaGetDevice(&device) ||
        r->cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device))
        return CUFFT_SETUP_FAILED;
    *out = calloc(1, sizeof **out);
    if (!*out) return CUFFT_ALLOC_FAILED;
    (*out)->tight = shared < SHARED_WANTED;
    return CUFFT_SUCCESS;
}

cufftResult cufftCreate(cufftHandle *handle)
{
    if (!handle) return CUFFT_INVALID_VALUE;
    struct fft_plan *p = NULL;
    cufftResult result = new(&p);
    if (result) return result;
    *handle = handle_for(p);
    if (*handle) return CUFFT_SUCCESS;
    free(p);
    return CUFFT_ALLOC_FAILED;
}

cufftResult cufftDestroy(cufftHandle handle)
{
    struct fft_plan *p = plan_of(handle, true);
    if (!p) return CUFFT_INVALID_PLAN;
    fft_tables_free(p);
    if (p->own_work) library_run_time()->cudaFree(p->own_work);
    free(p);
    return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
    struct fft_plan *p = plan_of(handle, false);
    if (!p) return CUFFT_INVALID_PLAN;
    p->stream = stream;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int allocates)
{
    struct fft_plan *p = plan_of(handle, false);
    if (!p) return CUFFT_INVALID_PLAN;
    p->keeps_work_out = !allocates;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void *work)
{
    struct fft_plan *p = plan_of(handle, false);
    if (!p) return CUFFT_INVALID_PLAN;
    if (p->own_work) library_run_time()->cudaFree(p->own_work);
    p->own_work = NULL;
    p->work = work;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetVersion(int *version)
{
    if (!version) return CUFFT_INVALID_VALUE;
    *version = VERSION;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
    if (!value || type > PATCH_LEVEL) return CUFFT_INVALID_VALUE;
    *value = type == MAJOR_VERSION ? VERSION / 1000 : 0;
    return CUFFT_SUCCESS;
}

/* ---- shapes ---- */

struct many { /* the arguments of the functions named Many */
    int rank;
    const long long *n, *in_embed, *out_embed;
    long long in_stride, in_dist, out_stride, out_dist, batch;
    cufftType type;
};

static struct fft_layout advanced(const struct many *m, const long long *embed, long long stride,
                                  long long dist)
{
    struct fft_layout l = {{dist}};
    long long step = stride;
    for (int axis = FFT_LAST, i = m->rank - 1; axis > 0; axis--, i--) {
        l.step[axis] = step;
        if (i > 0) step *= embed[i];
    }
    return l;
}

static bool is_type(cufftType type)
{
    switch (type) {
    case CUFFT_C2C: case CUFFT_R2C: case CUFFT_C2R: return true;
    case CUFFT_Z2Z: case CUFFT_D2Z: case CUFFT_Z2D: return true;
    default: return false;
    }
}

static cufftResult shape_of(const struct many *m, struct fft_shape *s)
{
    if (!is_type(m->type)) return CUFFT_INVALID_TYPE;
    if (m->rank < 1 || m->rank > 3 || !m->n) return CUFFT_INVALID_VALUE;
    long long all = m->batch;
    if (all < 1 || all > elements_most) return CUFFT_INVALID_SIZE;
    s->size[0] = m->batch;
    for (int axis = FFT_LAST, i = m->rank - 1; axis > 0; axis--, i--) {
        s->size[axis] = i < 0 ? 1 : m->n[i];
        if (s->size[axis] < 1 || s->size[axis] > elements_most / all) return CUFFT_INVALID_SIZE;
        all *= s->size[axis];
    }
    s->type = m->type;
    s->basic = !m->in_embed || !m->out_embed;
    if (s->basic) {
        long long row = fft_row(s), n = s->size[FFT_LAST];
        s->in = fft_packed(s, fft_is_to_complex(m->type) ? n : row);
        s->out = fft_packed(s, fft_is_to_real(m->type) ? n : row);
        return CUFFT_SUCCESS;
    }
    if (m->in_stride < 1 || m->out_stride < 1) return CUFFT_INVALID_VALUE;
    s->in = advanced(m, m->in_embed, m->in_stride, m->in_dist);
    s->out = advanced(m, m->out_embed, m->out_stride, m->out_dist);
    return CUFFT_SUCCESS;
}

static size_t work_bytes(const struct fft_plan *p)
{
    size_t first = p->part_bytes[FFT_WORK_A], second = p->part_bytes[FFT_WORK_B];
    return (first + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + second;
}

static cufftResult size_of(const struct many *m, size_t *bytes)
{
    struct fft_plan *p = NULL;
    cufftResult result = bytes ? new(&p) : CUFFT_INVALID_VALUE;
    if (!result) result = shape_of(m, &p->shape);
    if (!result) {
        fft_steps(p);
        *bytes = work_bytes(p);
    }
    free(p);
    return result;
}

static cufftResult make(cufftHandle handle, const struct many *m, size_t *bytes)
{
    struct fft_plan *p = plan_of(handle, false);
    if (!p || p->step_n) return CUFFT_INVALID_PLAN;
    cufftResult result = shape_of(m, &p->shape);
    if (result) return result;
    fft_steps(p);
    size_t work = work_bytes(p);
    if (bytes) *bytes = work;
    const struct library_run_time *r = library_run_time();
    /* The tables take long to compute: all memory of the device is allocated before. */
    bool made = fft_tables_allocate(p);
    if (made && work && !p->keeps_work_out && !p->work) {
        made = !r->cudaMalloc(&p->own_work, work);
        p->work = p->own_work;
    }
    if (made && fft_tables_fill(p)) return CUFFT_SUCCESS;
    if (p->own_work) {
        r->cudaFree(p->own_work);
        p->work = p->own_work = NULL;
    }
    fft_tables_free(p);
    for (int i = 0; i < FFT_AXES; i++) p->tables[i] = (struct fft_tables){0};
    p->step_n = 0;
    return CUFFT_ALLOC_FAILED;
}

static cufftResult create(cufftHandle *handle, const struct many *m)
{
    cufftResult result = cufftCreate(handle);
    if (!result && (result = make(*handle, m, NULL))) cufftDestroy(*handle);
    return result;
}

static struct many contiguous(int rank, const long long *n, cufftType type, long long batch)
{
    struct many m = {.rank = rank, .n = n, .batch = batch, .type = type};
    return m;
}

/* Arguments of 32 bits. room: of nine numbers. */
static struct many widened(int rank, const int *n, const int *in_embed, int in_stride, int in_dist,
                           const int *out_embed, int out_stride, int out_dist, cufftType type,
                           int batch, long long *room)
{
    struct many m = {rank, n ? room : NULL, in_embed ? room + 3 : NULL,
                     out_embed ? room + 6 : NULL, in_stride, in_dist, out_stride, out_dist, batch,
                     type};
    for (int i = 0; n && i < rank && i < 3; i++) {
        room[i] = n[i];
        if (in_embed) room[3 + i] = in_embed[i];
        if (out_embed) room[6 + i] = out_embed[i];
    }
    return m;
}

/* The functions of a shape: their arguments, and the shape. */
#define SHAPE(suffix, arguments, shape)                                                            \
    cufftResult cufftPlan##suffix(cufftHandle *plan, arguments)                                    \
    {                                                                                              \
        struct many m = shape;                                                                     \
        return create(plan, &m);                                                                   \
    }                                                                                              \
    cufftResult cufftEstimate##suffix(arguments, size_t *bytes)                                    \
    {                                                                                              \
        struct many m = shape;                                                                     \
        return size_of(&m, bytes);                                                                 \
    }
#define SHAPE_OF_PLAN(suffix, arguments, shape)                                                    \
    cufftResult cufftMakePlan##suffix(cufftHandle plan, arguments, size_t *bytes)                  \
    {                                                                                              \
        struct many m = shape;                                                                     \
        return make(plan, &m, bytes);                                                              \
    }                                                                                              \
    cufftResult cufftGetSize##suffix(cufftHandle plan, arguments, size_t *bytes)                   \
    {                                                                                              \
        struct many m = shape;                                                                     \
        return plan_of(plan, false) ? size_of(&m, bytes) : CUFFT_INVALID_PLAN;                     \
    }
#define ARGUMENTS_1 int nx, cufftType type, int batch
#define SHAPE_1 contiguous(1, (const long long[]){nx}, type, batch)
#define ARGUMENTS_2 int nx, int ny, cufftType type
#define SHAPE_2 contiguous(2, (const long long[]){nx, ny}, type, 1)
#define ARGUMENTS_3 int nx, int ny, int nz, cufftType type
#define SHAPE_3 contiguous(3, (const long long[]){nx, ny, nz}, type, 1)
#define ARGUMENTS_MANY                                                                             \
    int rank, int *n, int *in_embed, int in_stride, int in_dist, int *out_embed, int out_stride,   \
        int out_dist, cufftType type, int batch
#define SHAPE_MANY                                                                                 \
    widened(rank, n, in_embed, in_stride, in_dist, out_embed, out_stride, out_dist, type, batch,   \
            (long long[9]){0})
#define ARGUMENTS_MANY64                                                                           \
    int rank, long long *n, long long *in_embed, long long in_stride, long long in_dist,           \
        long long *out_embed, long long out_stride, long long out_dist, cufftType type,            \
        long long batch
#define SHAPE_MANY64                                                                               \
    {rank, n, in_embed, out_embed, in_stride, in_dist, out_stride, out_dist, batch, type}
SHAPE(1d, ARGUMENTS_1, SHAPE_1)
SHAPE(2d, ARGUMENTS_2, SHAPE_2)
SHAPE(3d, ARGUMENTS_3, SHAPE_3)
SHAPE(Many, ARGUMENTS_MANY, SHAPE_MANY)
SHAPE_OF_PLAN(1d, ARGUMENTS_1, SHAPE_1)
SHAPE_OF_PLAN(2d, ARGUMENTS_2, SHAPE_2)
SHAPE_OF_PLAN(3d, ARGUMENTS_3, SHAPE_3)
SHAPE_OF_PLAN(Many, ARGUMENTS_MANY, SHAPE_MANY)
SHAPE_OF_PLAN(Many64, ARGUMENTS_MANY64, SHAPE_MANY64)

cufftResult cufftGetSize(cufftHandle handle, size_t *bytes)
{
    struct fft_plan *p = plan_of(handle, false);
    if (!p) return CUFFT_INVALID_PLAN;
    if (!bytes) return CUFFT_INVALID_VALUE;
    *bytes = work_bytes(p);
    return CUFFT_SUCCESS;
}

/* ---- execution ---- */

static cufftResult execute(cufftHandle handle, cufftType type, void *in, void *out, int direction)
{
    struct fft_plan *p = plan_of(handle, false);
    if (!p || !p->step_n) return CUFFT_INVALID_PLAN;
    if (p->shape.type != type) return CUFFT_INVALID_TYPE;
    if (!in || !out || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
        return CUFFT_INVALID_VALUE;
    return fft_launch(p, in, out, direction == CUFFT_INVERSE);
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction)
{
    return execute(plan, CUFFT_C2C, in, out, direction);
}

cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out)
{
    return execute(plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}

cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out)
{
    return execute(plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}

cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out,
                         int direction)
{
    return execute(plan, CUFFT_Z2Z, in, out, direction);
}

cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out)
{
    return execute(plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}

cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out)
{
    return execute(plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}

/* ---- types of data ---- */

/* Returns the transform of the types; 0: none. */
static cufftType type_of(cudaDataType in, cudaDataType out, cudaDataType execution)
{
    static const struct {
        cudaDataType in, out, execution;
        cufftType type;
    } all[] = {{CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C},
               {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
               {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R},
               {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
               {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z},
               {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].in == in && all[i].out == out && all[i].execution == execution)
            return all[i].type;
    return (cufftType)0;
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *in_embed,
                                long long in_stride, long long in_dist, cudaDataType in,
                                long long *out_embed, long long out_stride, long long out_dist,
                                cudaDataType out, long long batch, size_t *bytes,
                                cudaDataType execution)
{
    cufftType type = type_of(in, out, execution);
    if (!type) return fft_missing("cufftXtMakePlanMany with these types");
    return cufftMakePlanMany64(plan, rank, n, in_embed, in_stride, in_dist, out_embed, out_stride,
                               out_dist, type, batch, bytes);
}

cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long *n, long long *in_embed,
                               long long in_stride, long long in_dist, cudaDataType in,
                               long long *out_embed, long long out_stride, long long out_dist,
                               cudaDataType out, long long batch, size_t *bytes,
                               cudaDataType execution)
{
    cufftType type = type_of(in, out, execution);
    if (!type) return fft_missing("cufftXtGetSizeMany with these types");
    return cufftGetSizeMany64(plan, rank, n, in_embed, in_stride, in_dist, out_embed, out_stride,
                              out_dist, type, batch, bytes);
}

cufftResult cufftXtExec(cufftHandle handle, void *in, void *out, int direction)
{
    const struct fft_plan *p = plan_of(handle, false);
    if (!p) return CUFFT_INVALID_PLAN;
    cufftType type = p->shape.type;
    if (fft_is_to_complex(type)) direction = CUFFT_FORWARD;
    if (fft_is_to_real(type)) direction = CUFFT_INVERSE;
    return execute(handle, type, in, out, direction);
}
