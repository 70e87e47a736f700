/* gemm PTX KERNEL M N K: products of matrices with wgmma and tensor maps, by the kernels of
 * gemm.cu. Prints "all right", or the failing check. */
#include "cuda/driver/api.h"
#include "test/cuda/kernels.h"

enum { TILE = 128, LINE = 128, STAGES = 4, MAX_DYNAMIC_SHARED = 8 };

/* Returns a whole number from -8 to 7 as bf16 or e4m3. */
static unsigned encoded(int x, int bytes)
{
    unsigned size = (unsigned)(x < 0 ? -x : x), exponent = 0, sign = x < 0;
    if (!size) return 0;
    while (size >> (exponent + 1)) exponent++;
    unsigned fraction = (size << 7 >> exponent) & 127; /* 7 bits behind the point */
    if (bytes == 1) return sign << 7 | (exponent + 7) << 3 | fraction >> 4;
    return sign << 15 | (exponent + 127) << 7 | fraction;
}

struct matrix {
    int rows, columns;
    signed char *numbers;
    CUdeviceptr at;
    CUtensorMap map;
};

static void matrix_make(struct matrix *m, int rows, int columns, int bytes, unsigned seed)
{
    size_t n = (size_t)rows * (size_t)columns;
    unsigned char *data = malloc(n * (size_t)bytes);
    *m = (struct matrix){.rows = rows, .columns = columns, .numbers = malloc(n)};
    for (size_t k = 0; k < n; k++) {
        seed = seed * 1664525 + 1013904223;
        m->numbers[k] = (signed char)((int)(seed >> 28) - 8);
        unsigned code = encoded(m->numbers[k], bytes);
        memcpy(data + k * (size_t)bytes, &code, (size_t)bytes);
    }
    CALL(cuMemAlloc_v2(&m->at, n * (size_t)bytes));
    CALL(cuMemcpyHtoD_v2(m->at, data, n * (size_t)bytes));
    free(data);
    const cuuint64_t size[] = {(cuuint64_t)columns, (cuuint64_t)rows};
    const cuuint64_t stride[] = {(cuuint64_t)(columns * bytes)};
    const cuuint32_t box[] = {(cuuint32_t)(LINE / bytes), TILE}, step[] = {1, 1};
    CUtensorMapDataType type = bytes == 1 ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                          : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    CALL(cuTensorMapEncodeTiled(&m->map, type, 2, (void *)(uintptr_t)m->at, size, stride, box, step,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
}

/* All sums are whole numbers that f32 represents. */
static void check_product(const struct matrix *a, const struct matrix *b, const float *c)
{
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < b->rows; j++) {
            int sum = 0;
            for (int k = 0; k < a->columns; k++)
                sum += a->numbers[i * a->columns + k] * b->numbers[j * b->columns + k];
            NEED(c[i * b->rows + j] == (float)sum);
        }
}

int main(int argc, char **argv)
{
    CUcontext context;
    CUmodule mine;
    CUfunction kernel;
    CUdeviceptr out;
    struct matrix a, b;
    NEED(argc == 6);
    int m = atoi(argv[3]), n = atoi(argv[4]), k = atoi(argv[5]);
    int bytes = !strcmp(argv[2], "gemm_e4m3") ? 1 : 2;
    int threads = !strcmp(argv[2], "gemm_pipelined") ? 256 : 384;
    size_t size = sizeof(float) * (size_t)m * (size_t)n;
    CALL(cuInit(0));
    CALL(cuCtxCreate_v2(&context, 0, 0));
    CALL(cuModuleLoad(&mine, argv[1]));
    CALL(cuModuleGetFunction(&kernel, mine, argv[2]));
    matrix_make(&a, m, k, bytes, 1);
    matrix_make(&b, n, k, bytes, 2);
    CALL(cuMemAlloc_v2(&out, size));
    unsigned shared = 2 * STAGES * TILE * LINE;
    CALL(cuFuncSetAttribute(kernel, MAX_DYNAMIC_SHARED, (int)shared));
    void *args[] = {&a.map, &b.map, &out, &n, &k};
    CALL(cuLaunchKernel(kernel, (unsigned)(n / TILE), (unsigned)(m / TILE), 1, (unsigned)threads, 1,
                        1, shared, NULL, args, NULL));
    float *c = malloc(size);
    CALL(cuMemcpyDtoH_v2(c, out, size));
    check_product(&a, &b, c);
    puts("all right");
    return 0;
}
