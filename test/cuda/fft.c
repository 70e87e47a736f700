/* cuFFT against sums on the host in double: prints "all right: N results", or the differences. */
#include <math.h>
#include <time.h>

#include "cuda/include/cufftXt.h"
#include "test/cuda/elements.h"

static void ok(cufftResult result, const char *what)
{
    check(!result, "%s: %d", what, (int)result);
}

/* exp(sign 2 pi i k / n) */
static Z root(long long k, long long n, int sign)
{
    double x = (double)(k % n) * 2 * 3.14159265358979323846 / (double)n;
    return cos(x) + sign * sin(x) * I;
}

/* out: the transform of n elements of x at a distance of `step`, from the transforms of every p-th
 * element, p the least factor of n. roots: of order n * turn. */
static void line(const Z *x, long long step, Z *out, long long n, const Z *roots, long long turn)
{
    long long p = 2;
    while (p < n && n % p) p++;
    long long m = n / p;
    Z *part = malloc(sizeof *part * (size_t)n);
    for (long long r = 0; r < p && n > 1; r++)
        if (m == 1) part[r] = x[r * step];
        else line(x + r * step, step * p, part + r * m, m, roots, turn * p);
    for (long long k = 0; k < n && n > 1; k++) {
        out[k] = 0;
        for (long long r = 0; r < p; r++) out[k] += part[r * m + k % m] * roots[r * k % n * turn];
    }
    free(part);
}

/* Transforms along one of three axes. */
static void along(Z *x, const int *size, int axis, int sign)
{
    long long step = 1, n = size[axis];
    for (int a = 2; a > axis; a--) step *= size[a];
    long long all = (long long)size[0] * size[1] * size[2];
    Z *out = malloc(sizeof *out * (size_t)n), *roots = malloc(sizeof *roots * (size_t)n);
    for (long long k = 0; k < n; k++) roots[k] = root(k, n, sign);
    for (long long at = 0; at < all; at++) {
        if (at / step % n) continue;
        line(x + at, step, out, n, roots, 1);
        for (long long k = 0; k < n; k++) x[at + k * step] = out[k];
    }
    free(out), free(roots);
}

static void host(Z *x, const int *size, int sign)
{
    for (int axis = 0; axis < 3; axis++)
        if (size[axis] > 1) along(x, size, axis, sign);
}

struct layout { /* of three axes and a batch, in elements */
    long long step[3], dist, elements;
};

static struct layout packed(const int *size, int row)
{
    long long plane = (long long)size[1] * row;
    struct layout l = {{plane, row, 1}, size[0] * plane, 0};
    return l;
}

static struct layout spread(const int *embed, int stride, int dist)
{
    struct layout l = {{(long long)embed[1] * embed[2] * stride, (long long)embed[2] * stride,
                        stride}, dist, 0};
    return l;
}

enum kind { FORWARD, INVERSE, TO_COMPLEX, TO_REAL };

/* Executes a plan and compares with the host. */
static void compare(cufftHandle plan, bool wide, enum kind kind, const int *size, int batch,
                    struct layout in, struct layout out, bool in_place, const char *what)
{
    int row = size[2] / 2 + 1, n = size[0] * size[1] * size[2];
    char in_type = wide ? 'z' : 'c', out_type = in_type, real = wide ? 'd' : 's';
    if (kind == TO_COMPLEX) in_type = real;
    if (kind == TO_REAL) out_type = real;
    struct array x = array(in_type, in.elements), y = array(out_type, out.elements);
    struct array both = array(in_type, in_place ? in.elements + 2 * out.elements : 1);
    Z **of = malloc(sizeof *of * (size_t)batch);
    double scale = 0;
    for (int b = 0; b < batch; b++) {
        Z *all = of[b] = malloc(sizeof **of * (size_t)n);
        for (int e = 0; e < n; e++) {
            double re = draw(8), im = kind < TO_COMPLEX ? draw(8) : 0;
            all[e] = re + im * I;
        }
        if (kind == TO_REAL) host(all, size, -1); /* the transform of real numbers */
        for (int e = 0; e < n; e++) {
            int k[3] = {e / size[2] / size[1], e / size[2] % size[1], e % size[2]};
            if (kind == TO_REAL && k[2] >= row) continue;
            put(in_type, x.host, b * in.dist + k[0] * in.step[0] + k[1] * in.step[1] +
                                     k[2] * in.step[2], all[e]);
        }
        host(all, size, kind == INVERSE || kind == TO_REAL ? 1 : -1);
        for (int e = 0; e < n; e++) scale = fmax(scale, cabs(all[e]));
    }
    upload(x);
    void *from = x.device, *to = y.device;
    if (in_place) {
        cudaMemcpy(both.device, x.device, (size_t)x.n * bytes_of(in_type),
                   cudaMemcpyDeviceToDevice);
        from = to = both.device;
    }
    int direction = kind == INVERSE ? CUFFT_INVERSE : CUFFT_FORWARD;
    cufftResult result =
        kind == TO_COMPLEX ? (wide ? cufftExecD2Z(plan, from, to) : cufftExecR2C(plan, from, to))
        : kind == TO_REAL  ? (wide ? cufftExecZ2D(plan, from, to) : cufftExecC2R(plan, from, to))
        : wide             ? cufftExecZ2Z(plan, from, to, direction)
                           : cufftExecC2C(plan, from, to, direction);
    ok(result, what);
    cudaMemcpy(y.host, to, (size_t)y.n * bytes_of(out_type), cudaMemcpyDeviceToHost);
    double worst = 0;
    for (int b = 0; b < batch; b++)
        for (int e = 0; e < n; e++) {
            int k[3] = {e / size[2] / size[1], e / size[2] % size[1], e % size[2]};
            if (kind == TO_COMPLEX && k[2] >= row) continue;
            Z found = get(out_type, y.host, b * out.dist + k[0] * out.step[0] +
                                                k[1] * out.step[1] + k[2] * out.step[2]);
            worst = fmax(worst, cabs(found - of[b][e]));
        }
    check(worst <= scale * (wide ? 2e-14 : 2e-6), "%s, %d x %d x %d, batch %d, kind %d%s: %g of %g",
          what, size[0], size[1], size[2], batch, (int)kind, in_place ? ", in place" : "", worst,
          scale);
    for (int b = 0; b < batch; b++) free(of[b]);
    free(of);
    end(x), end(y), end(both);
}

static cufftType type_of(bool wide, enum kind kind)
{
    if (kind == TO_COMPLEX) return wide ? CUFFT_D2Z : CUFFT_R2C;
    if (kind == TO_REAL) return wide ? CUFFT_Z2D : CUFFT_C2R;
    return wide ? CUFFT_Z2Z : CUFFT_C2C;
}

/* A contiguous transform, out of place and in place. */
static void test_basic(bool wide, enum kind kind, const int *size, int batch)
{
    int rank = size[0] > 1 ? 3 : size[1] > 1 ? 2 : 1, row = size[2] / 2 + 1;
    cufftType type = type_of(wide, kind);
    cufftHandle plan = 0;
    size_t bytes = 0, again = 1;
    if (rank == 1) ok(cufftPlan1d(&plan, size[2], type, batch), "Plan1d");
    if (rank == 2) ok(cufftPlan2d(&plan, size[1], size[2], type), "Plan2d");
    if (rank == 3) ok(cufftPlan3d(&plan, size[0], size[1], size[2], type), "Plan3d");
    if (rank == 1) ok(cufftEstimate1d(size[2], type, batch, &bytes), "Estimate1d");
    if (rank == 2) ok(cufftGetSize2d(plan, size[1], size[2], type, &bytes), "GetSize2d");
    if (rank == 3) ok(cufftEstimate3d(size[0], size[1], size[2], type, &bytes), "Estimate3d");
    ok(cufftGetSize(plan, &again), "GetSize");
    check(bytes == again, "work area of %zu and %zu bytes", bytes, again);
    for (int in_place = 0; in_place < 2; in_place++) {
        int in_row = kind == TO_REAL ? row : size[2], out_row = kind == TO_COMPLEX ? row : size[2];
        if (in_place && kind == TO_COMPLEX) in_row = 2 * row;
        if (in_place && kind == TO_REAL) out_row = 2 * row;
        struct layout in = packed(size, in_row), out = packed(size, out_row);
        in.elements = in.dist * batch, out.elements = out.dist * batch;
        compare(plan, wide, kind, size, batch, in, out, in_place, "contiguous");
    }
    ok(cufftDestroy(plan), "Destroy");
}

/* Layouts with strides and gaps. stride 0: the transforms of the batch are interleaved. */
static void test_many(bool wide, enum kind kind, const int *size, int batch, int stride,
                      bool in_place)
{
    int rank = size[0] > 1 ? 3 : size[1] > 1 ? 2 : 1, row = size[2] / 2 + 1;
    int in_row = kind == TO_REAL ? row : size[2], out_row = kind == TO_COMPLEX ? row : size[2];
    int in_embed[3] = {size[0], size[1] + 1, in_place ? size[2] + 2 : in_row + 2};
    int step = stride ? stride : batch;
    int out_embed[3] = {size[0] + 1, size[1] + 1, out_row + 2};
    int in_dist = stride ? in_embed[0] * in_embed[1] * in_embed[2] * step + 3 : 1;
    int out_dist = stride ? out_embed[0] * out_embed[1] * out_embed[2] * step + 1 : 1;
    if (in_place) memcpy(out_embed, in_embed, sizeof in_embed), out_dist = in_dist;
    int n[3] = {size[0], size[1], size[2]}, skip = 3 - rank;
    cufftHandle plan = 0;
    size_t bytes = 0;
    void *work = NULL;
    ok(cufftCreate(&plan), "Create");
    ok(cufftSetAutoAllocation(plan, 0), "SetAutoAllocation");
    ok(cufftMakePlanMany(plan, rank, n + skip, in_embed + skip, step, in_dist, out_embed + skip,
                         step, out_dist, type_of(wide, kind), batch, &bytes), "MakePlanMany");
    cudaMalloc(&work, bytes + 1);
    ok(cufftSetWorkArea(plan, work), "SetWorkArea");
    struct layout in = spread(in_embed, step, in_dist);
    struct layout out = spread(out_embed, step, out_dist);
    in.elements = (in_embed[0] + 1) * in.step[0] * batch + 9 * batch;
    out.elements = (out_embed[0] + 1) * out.step[0] * batch + 9 * batch;
    compare(plan, wide, kind, size, batch, in, out, in_place, "Many");
    ok(cufftDestroy(plan), "Destroy");
    cudaFree(work);
}

/* Real rows with room for the complex ones, in place: as programs lay them out themselves. */
static void test_padded(bool wide, enum kind kind, const int *size, int batch)
{
    int rank = size[0] > 1 ? 3 : size[1] > 1 ? 2 : 1, row = size[2] / 2 + 1, skip = 3 - rank;
    int n[3] = {size[0], size[1], size[2]}, real[3] = {size[0], size[1], 2 * row};
    int complex_[3] = {size[0], size[1], row}, plane = size[0] * size[1] * row;
    struct layout of_real = packed(size, 2 * row), of_complex = packed(size, row);
    of_real.elements = of_real.dist * batch, of_complex.elements = of_complex.dist * batch;
    bool back = kind == TO_REAL;
    cufftHandle plan = 0;
    ok(cufftPlanMany(&plan, rank, n + skip, (back ? complex_ : real) + skip, 1,
                     back ? plane : 2 * plane, (back ? real : complex_) + skip, 1,
                     back ? 2 * plane : plane, type_of(wide, kind), batch), "PlanMany");
    compare(plan, wide, kind, size, batch, back ? of_complex : of_real,
            back ? of_real : of_complex, true, "padded");
    ok(cufftDestroy(plan), "Destroy");
}

static void test_rules(void)
{
    cufftHandle plan = CUFFT_PLAN_NULL;
    cufftComplex *x;
    cudaMalloc((void **)&x, 1 << 16);
    check(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE, "a size of 0");
    check(cufftPlan1d(&plan, 8, (cufftType)7, 1) == CUFFT_INVALID_TYPE, "no type");
    check(cufftExecC2C(77, x, x, CUFFT_FORWARD) == CUFFT_INVALID_PLAN, "no plan");
    ok(cufftCreate(&plan), "Create");
    check(cufftExecC2C(plan, x, x, CUFFT_FORWARD) == CUFFT_INVALID_PLAN, "a plan not yet made");
    ok(cufftSetAutoAllocation(plan, 0), "SetAutoAllocation");
    size_t bytes = 0;
    ok(cufftMakePlan2d(plan, 8, 8, CUFFT_C2C, &bytes), "MakePlan2d");
    check(bytes > 0, "the work area of a plan of two axes");
    check(cufftMakePlan2d(plan, 8, 8, CUFFT_C2C, &bytes) == CUFFT_INVALID_PLAN, "made twice");
    check(cufftExecC2C(plan, x, x, CUFFT_FORWARD) == CUFFT_NO_WORKSPACE, "no work area");
    check(cufftExecC2C(plan, x, x, 5) == CUFFT_INVALID_VALUE, "no direction");
    check(cufftExecR2C(plan, (float *)x, x) == CUFFT_INVALID_TYPE, "another type");
    ok(cufftDestroy(plan), "Destroy");
    check(cufftDestroy(plan) == CUFFT_INVALID_PLAN, "destroyed twice");
    cufftResult cufftXtSetCallback(void);
    check(cufftXtSetCallback() == CUFFT_NOT_SUPPORTED &&
              cufftXtSetCallback() == CUFFT_NOT_SUPPORTED, "a missing function");
    int version = 0, major = 1;
    ok(cufftGetVersion(&version), "GetVersion");
    ok(cufftGetProperty(MAJOR_VERSION, &major), "GetProperty");
    check(version / 1000 == major, "version %d, major version %d", version, major);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    ok(cufftPlan1d(&plan, 16, CUFFT_C2C, 1), "Plan1d");
    ok(cufftSetStream(plan, stream), "SetStream");
    cufftComplex ones[16];
    for (int i = 0; i < 16; i++) ones[i].x = 1, ones[i].y = 0;
    cudaMemcpyAsync(x, ones, sizeof ones, cudaMemcpyHostToDevice, stream);
    ok(cufftExecC2C(plan, x, x, CUFFT_FORWARD), "ExecC2C");
    cudaMemcpyAsync(ones, x, sizeof ones, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    check(ones[0].x == 16 && ones[1].x == 0 && ones[15].y == 0, "ones: %g", ones[0].x);
    ok(cufftDestroy(plan), "Destroy");
    cudaFree(x);
}

/* A plan that exceeds the memory of the device is refused before the host computes its tables. */
static void test_too_large(void)
{
    cufftHandle plan = CUFFT_PLAN_NULL;
    clock_t start = clock();
    check(cufftPlan1d(&plan, 1 << 28, CUFFT_Z2Z, 1) == CUFFT_ALLOC_FAILED, "a plan of 12 GB");
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    check(seconds < 3, "%.1f s for a refusal", seconds);
}

/* Plans by types of data. */
static void test_types(bool wide, enum kind kind)
{
    static const cudaDataType types[2][4][2] = {
        {{CUDA_C_32F, CUDA_C_32F}, {CUDA_C_32F, CUDA_C_32F}, {CUDA_R_32F, CUDA_C_32F},
         {CUDA_C_32F, CUDA_R_32F}},
        {{CUDA_C_64F, CUDA_C_64F}, {CUDA_C_64F, CUDA_C_64F}, {CUDA_R_64F, CUDA_C_64F},
         {CUDA_C_64F, CUDA_R_64F}}};
    const cudaDataType *type = types[wide][kind];
    int size[3] = {1, 1, 20}, batch = 2;
    long long n = 20;
    size_t bytes = 1, again = 2;
    cufftHandle plan = 0;
    struct layout in = packed(size, kind == TO_REAL ? 11 : 20);
    struct layout out = packed(size, kind == TO_COMPLEX ? 11 : 20);
    in.elements = in.dist * batch, out.elements = out.dist * batch;
    ok(cufftCreate(&plan), "Create");
    check(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 1, CUDA_C_16F, NULL, 1, 1, CUDA_C_16F, batch,
                              &bytes, CUDA_C_16F) == CUFFT_NOT_SUPPORTED, "half");
    ok(cufftXtGetSizeMany(plan, 1, &n, NULL, 1, 1, type[0], NULL, 1, 1, type[1], batch, &again,
                          wide ? CUDA_C_64F : CUDA_C_32F), "XtGetSizeMany");
    ok(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 1, type[0], NULL, 1, 1, type[1], batch, &bytes,
                           wide ? CUDA_C_64F : CUDA_C_32F), "XtMakePlanMany");
    check(bytes == again, "work area of %zu and %zu bytes", bytes, again);
    compare(plan, wide, kind, size, batch, in, out, false, "types");
    cufftComplex *x;
    cudaMalloc((void **)&x, 4096);
    ok(cufftXtExec(plan, x, x, CUFFT_INVERSE), "XtExec");
    ok(cufftDestroy(plan), "Destroy");
    cudaFree(x);
}

/* With an argument: a few results of each kind. */
int main(int argc, char **argv)
{
    (void)argv;
    static const int lengths[] = {1,   2,   3,   4,   5,    6,    7,    8,    9,   11,  13,  16,
                                  17,  27,  30,  31,  49,   64,   97,   100,  105, 127, 210, 243,
                                  256, 257, 343, 625, 1000, 1024, 1031, 2048, 2401};
    static const int large[] = {4096, 3000, 2100, 6000, 5000, 2311, 16384, 131072};
    static const int shapes[][3] = {{1, 8, 8}, {1, 5, 12}, {1, 17, 6},  {1, 64, 48},
                                    {4, 6, 8}, {3, 5, 7},  {11, 2, 13}, {16, 16, 16},
                                    {1, 3000, 4}};
    static const int strided[][3] = {{1, 1, 8}, {1, 1, 30}, {1, 1, 11}, {1, 6, 10}, {3, 4, 5}};
    bool few = argc > 1;
    test_rules();
    test_too_large();
    for (int wide = 0; wide < 2; wide++)
        for (int kind = FORWARD; kind <= TO_REAL; kind++) {
            test_types(wide, (enum kind)kind);
            for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); i += few ? 4 : 1) {
                test_basic(wide, (enum kind)kind, (int[]){1, 1, lengths[i]}, 1);
                test_basic(wide, (enum kind)kind, (int[]){1, 1, lengths[i]}, 5);
            }
            for (int i = 0; i < (few ? 1 : 8); i++)
                test_basic(wide, (enum kind)kind, (int[]){1, 1, large[i]}, i % 2 + 1);
            for (int i = 0; i < 9; i += few ? 3 : 1)
                test_basic(wide, (enum kind)kind, shapes[i], 1);
            test_many(wide, (enum kind)kind, strided[0], 40, 0, true); /* several blocks */
            for (int i = 0; i < 5 && kind >= TO_COMPLEX; i++)
                test_padded(wide, (enum kind)kind, strided[i], 3);
            for (int i = 0; i < 5; i++)
                for (int stride = 0; stride < (few ? 1 : 3); stride++) {
                    test_many(wide, (enum kind)kind, strided[i], 3, stride, false);
                    test_many(wide, (enum kind)kind, strided[i], 3, stride, true);
                }
        }
    if (wrong) printf("%d of %d results are wrong\n", wrong, checks);
    else printf("all right: %d results\n", checks);
    return wrong != 0;
}
