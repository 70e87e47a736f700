/* Launches that repeat earlier launches, and launches that differ in memory only: repeats NAME, or
 * all parts. Prints numbers of device memory. */
#include "test/cuda/kernels.h"
#include "test/cuda/textures.h"

/* atomicAdd(p, 1) by each thread; p[0] = %clock64; p[1] = *p[0] */
static const char more_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry count(.param .u64 p)\n"
    "{ .reg .b32 %r; .reg .b64 %d;\n"
    "ld.param.u64 %d, [p]; atom.global.add.u32 %r, [%d], 1; ret; }\n"
    ".visible .entry now(.param .u64 p)\n"
    "{ .reg .b64 %d<2>;\n"
    "ld.param.u64 %d0, [p]; mov.u64 %d1, %clock64; st.global.u64 [%d0], %d1; ret; }\n"
    ".visible .entry follow(.param .u64 p)\n"
    "{ .reg .b64 %d<3>;\n"
    "ld.param.u64 %d0, [p]; ld.global.u64 %d1, [%d0]; ld.global.u64 %d2, [%d1];\n"
    "st.global.u64 [%d0+8], %d2; ret; }\n";
static char count, now, follow, look, draw;

__attribute__((constructor)) static void register_more(void)
{
    static struct fat_wrapper wrappers[] = {{FAT_WRAPPER_MAGIC, 1, NULL, NULL},
                                            {FAT_WRAPPER_MAGIC, 1, NULL, NULL}};
    wrappers[0].data = fat_of(more_ptx, sizeof more_ptx, FAT_PTX);
    wrappers[1].data = fat_of(texture_ptx, sizeof texture_ptx, FAT_PTX);
    void **own = __cudaRegisterFatBinary(&wrappers[0]);
    void **textures = __cudaRegisterFatBinary(&wrappers[1]);
    __cudaRegisterFunction(own, &count, &count, "count", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(own, &now, &now, "now", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(own, &follow, &follow, "follow", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(textures, &look, &look, "look", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(textures, &draw, &draw, "draw", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(own);
    __cudaRegisterFatBinaryEnd(textures);
}

enum { N = 40000, ROUNDS = 6, WIDTH = 20, HEIGHT = 6 };
static const dim3 one = {1, 1, 1}, warp = {32, 1, 1}, row = {WIDTH, 1, 1};

static void show(const void *device, unsigned n)
{
    unsigned *got = malloc(n * sizeof *got), sum = 0;
    CALL(cudaMemcpy(got, device, n * sizeof *got, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < n; k++) sum = sum * 31 + got[k];
    printf("%u %u\n", got[n - 1], sum);
    free(got);
}

static unsigned *buffer(unsigned value, unsigned n)
{
    unsigned *p, *values = malloc(n * sizeof *values);
    for (unsigned k = 0; k < n; k++) values[k] = value + k;
    CALL(cudaMalloc((void **)&p, n * sizeof *p));
    CALL(cudaMemcpy(p, values, n * sizeof *p, cudaMemcpyHostToDevice));
    free(values);
    return p;
}

static void launch_add(unsigned *a, unsigned *b, unsigned *c, unsigned n, cudaStream_t stream)
{
    void *arguments[] = {&a, &b, &c, &n};
    CALL(cudaLaunchKernel(&add, (dim3){(n + 255) / 256, 1, 1}, (dim3){256, 1, 1}, arguments, 0,
                          stream));
}

static void launch_on(const void *kernel, void *p, dim3 block)
{
    void *arguments[] = {&p};
    CALL(cudaLaunchKernel(kernel, one, block, arguments, 0, NULL));
}

/* ---- repetitions ---- */

static void same(void) /* separate inputs and outputs */
{
    unsigned *a = buffer(1, N), *b = buffer(100, N), *c = buffer(0, N);
    for (int k = 0; k < ROUNDS; k++) launch_add(a, b, c, N, NULL);
    show(c, N);
}

static void reset(void) /* in place, from the start again and again */
{
    unsigned *p = buffer(7, 1);
    for (int k = 0; k < ROUNDS; k++) {
        CALL(cudaMemset(p, 0, sizeof *p));
        for (int i = 0; i < 3; i++) launch_change(p, 1, 3, 10, NULL);
        show(p, 1);
    }
}

static void counter(void) /* atomics, with a fill or a copy between */
{
    unsigned *p = buffer(0, N), zero = 0;
    for (int k = 0; k < ROUNDS; k++) {
        if (k % 2) CALL(cudaMemset(p, 0, sizeof *p));
        else CALL(cudaMemcpy(p, &zero, sizeof *p, cudaMemcpyHostToDevice));
        launch_on(&count, p, warp);
        launch_on(&count, p, warp);
        show(p, N);
    }
}

static void pong(void) /* two buffers in turn, back to the start */
{
    unsigned *x = buffer(5, N), *y = buffer(0, N), *zero = buffer(0, 1);
    CALL(cudaFree(zero));
    zero = buffer(0, N);
    CALL(cudaMemset(zero, 0, N * sizeof *zero));
    for (int k = 0; k < ROUNDS; k++) {
        launch_add(x, zero, y, N, NULL);
        launch_add(y, zero, x, N, NULL);
    }
    show(x, N);
}

static void graph(void)
{
    unsigned *a = buffer(1, N), *b = buffer(100, N), *c = buffer(0, N);
    cudaStream_t stream;
    cudaGraph_t g;
    cudaGraphExec_t exec;
    CALL(cudaStreamCreate(&stream));
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CALL(cudaMemsetAsync(c, 0, N * sizeof *c, stream));
    launch_add(a, b, c, N, stream);
    launch_add(c, b, c, N, stream);
    CALL(cudaStreamEndCapture(stream, &g));
    CALL(cudaGraphInstantiate(&exec, g, 0));
    for (int k = 0; k < ROUNDS; k++) CALL(cudaGraphLaunch(exec, stream));
    CALL(cudaStreamSynchronize(stream));
    show(c, N);
}

static void turns(void) /* two launches that write the same large output in turn */
{
    enum { LARGE = 4 << 20 };
    unsigned *a = buffer(1, LARGE), *b = buffer(100, LARGE), *c = buffer(0, LARGE);
    for (int k = 0; k < 4 * ROUNDS; k++) launch_add(a, k % 2 ? a : b, c, LARGE, NULL);
    show(c, LARGE);
}

/* ---- changes between the launches ---- */

static void in_place(void)
{
    unsigned *p = buffer(7, 1);
    for (int k = 0; k < ROUNDS; k++) launch_change(p, 1, 3, 10, NULL);
    show(p, 1);
}

static void copies(void) /* a part of the input, far from its start; a copy within the device */
{
    unsigned *a = buffer(1, N), *b = buffer(100, N), *c = buffer(0, N);
    for (unsigned k = 0; k < ROUNDS; k++) {
        CALL(cudaMemcpy(a + N - 1, &k, sizeof k, cudaMemcpyHostToDevice));
        launch_add(a, b, c, N, NULL);
        show(c, N);
        CALL(cudaMemcpy(b + N - 2, c + k, sizeof k, cudaMemcpyDeviceToDevice));
        launch_add(a, b, c, N, NULL);
        show(c, N);
        CALL(cudaMemset2D(a + 10, 1000, (int)k, 4, 3));
        launch_add(a, b, c, N, NULL);
        show(c, N);
    }
}

static void pointers(void) /* a kernel that follows a pointer in memory */
{
    unsigned *a = buffer(1, 2), *b = buffer(5, 2), *p = buffer(0, 4);
    for (unsigned k = 0; k < 3 * ROUNDS; k++) {
        unsigned *to = k % 3 ? b : a, seen = k / 3 % 2;
        CALL(cudaMemcpy(p, &to, sizeof to, cudaMemcpyHostToDevice));
        if (k % 3 == 2) CALL(cudaMemcpy(b, &seen, sizeof seen, cudaMemcpyHostToDevice));
        launch_on(&follow, p, one);
        show(p + 2, 1);
    }
}

static void managed(void) /* the host writes while nothing runs */
{
    unsigned *a, *b = buffer(100, N), *c = buffer(0, N), *pinned;
    CALL(cudaMallocManaged((void **)&a, N * sizeof *a, cudaMemAttachGlobal));
    CALL(cudaMallocHost((void **)&pinned, N * sizeof *pinned));
    for (unsigned k = 0; k < 2 * ROUNDS; k++) {
        a[N - 1] = k % 3;
        pinned[5] = k % 2;
        launch_add(a, pinned, c, N, NULL);
        show(c, N);
        launch_add(a, b, a, N, NULL); /* in place */
        CALL(cudaDeviceSynchronize());
        printf("%u\n", a[N - 2]);
    }
}

static void input(void) /* the host writes inputs, two in turn */
{
    unsigned *a, *b = buffer(100, N), *c = buffer(0, N);
    CALL(cudaMallocManaged((void **)&a, N * sizeof *a, cudaMemAttachGlobal));
    for (unsigned k = 0; k < ROUNDS; k++) {
        a[N - 1] = k % 2;
        launch_add(a, b, c, N, NULL);
        show(c, N);
    }
}

static void host_count(void) /* in place, in memory of the host */
{
    unsigned *a;
    CALL(cudaMallocManaged((void **)&a, sizeof *a, cudaMemAttachGlobal));
    for (unsigned k = 0; k < ROUNDS; k++) {
        *a = 0;
        launch_on(&count, a, warp);
        CALL(cudaDeviceSynchronize());
        printf("%u\n", *a);
    }
}

static void memory(void) /* freed and allocated again */
{
    unsigned *b = buffer(100, N), *c = buffer(0, N);
    for (unsigned k = 0; k < ROUNDS; k++) {
        unsigned *a = buffer(k / 3, N);
        for (int i = 0; i < 3; i++) launch_add(a, b, c, N, NULL);
        show(c, N);
        CALL(cudaFree(a));
    }
}

static void symbols(void)
{
    unsigned *p = buffer(0, 1);
    for (int k = 0; k < 2 * ROUNDS; k++) {
        int f = 10 + k % 2, t = k / 4;
        CALL(cudaMemcpyToSymbol(&factor, &f, sizeof f, 0, cudaMemcpyHostToDevice));
        CALL(cudaMemcpyToSymbol(&table, &t, sizeof t, 12, cudaMemcpyHostToDevice));
        launch_on(&variables, p, one);
        show(p, 1);
    }
    CALL(cudaDeviceSynchronize());
    printf("%d\n", *shared_count);
}

static void textures(void) /* other texels, another texture, a surface */
{
    const struct cudaChannelFormatDesc desc =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    float in[HEIGHT][WIDTH];
    cudaArray_t arrays[2];
    unsigned *got = buffer(0, WIDTH);
    for (int k = 0; k < 2; k++)
        CALL(cudaMallocArray(&arrays[k], &desc, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    for (int k = 0; k < 4 * ROUNDS; k++) {
        for (int i = 0; i < HEIGHT * WIDTH; i++) in[i / WIDTH][i % WIDTH] = (float)(k / 4 % 2 + i);
        cudaArray_t array = arrays[k / 4 % 2];
        CALL(cudaMemcpy2DToArray(array, 0, 0, in, sizeof *in, sizeof *in, HEIGHT,
                                 cudaMemcpyHostToDevice));
        struct cudaResourceDesc r = {.resType = cudaResourceTypeArray, .res.array.array = array};
        struct cudaTextureDesc t = {.addressMode = {cudaAddressModeClamp, cudaAddressModeClamp},
                                    .filterMode = cudaFilterModePoint};
        cudaTextureObject_t texture;
        cudaSurfaceObject_t surface;
        CALL(cudaCreateTextureObject(&texture, &r, &t, NULL));
        CALL(cudaCreateSurfaceObject(&surface, &r));
        void *looks[] = {&texture, &got}, *draws[] = {&surface};
        for (int i = 0; i < 3; i++) {
            CALL(cudaLaunchKernel(&look, one, row, looks, 0, NULL));
            show(got, WIDTH);
            if (i) CALL(cudaLaunchKernel(&draw, one, row, draws, 0, NULL));
        }
        CALL(cudaDestroyTextureObject(texture));
        CALL(cudaDestroySurfaceObject(surface));
    }
}

/* ---- effects outside of memory ---- */

static void outside(void)
{
    unsigned *p = buffer(0, 4), n = 3, bytes[2] = {1 << 21, 0};
    void *says[] = {&n}, *grabs[] = {&p, bytes};
    for (int k = 0; k < ROUNDS; k++) {
        CALL(cudaLaunchKernel(&say, one, one, says, 0, NULL));
        CALL(cudaLaunchKernel(&grab, one, one, grabs, 0, NULL)); /* until the heap is full */
        show(p, 1);
        launch_on(&now, p, one);
        show(p, 2);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"same", same}, {"reset", reset}, {"counter", counter}, {"pong", pong},
               {"graph", graph}, {"in_place", in_place}, {"copies", copies}, {"managed", managed},
               {"input", input}, {"host_count", host_count}, {"turns", turns},
               {"pointers", pointers}, {"memory", memory}, {"symbols", symbols},
               {"textures", textures}, {"outside", outside}};
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++)
        if (argc < 2 || !strcmp(argv[1], all[k].name)) all[k].run();
    return 0;
}
