/* Arrays, textures and surfaces: prints "all right", or the failing check. */
#include "test/cuda/kernels.h"
#include "test/cuda/textures.h"

static char look, draw;

__attribute__((constructor)) static void register_textures(void)
{
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, 1, NULL, NULL};
    wrapper.data = fat_of(texture_ptx, sizeof texture_ptx, FAT_PTX);
    void **own = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(own, &look, &look, "look", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(own, &draw, &draw, "draw", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(own);
}

enum { WIDTH = 20, HEIGHT = 6 };
static const dim3 one = {1, 1, 1}, row = {WIDTH, 1, 1};

static void textures(void)
{
    const struct cudaChannelFormatDesc desc =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    float in[HEIGHT][WIDTH], out[HEIGHT][WIDTH], *got, line[WIDTH];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) in[y][x] = (float)(100 * y + x);
    cudaArray_t array;
    CALL(cudaMallocArray(&array, &desc, WIDTH, HEIGHT, 0));
    CALL(cudaMemcpy2DToArray(array, 0, 0, in, sizeof *in, sizeof *in, HEIGHT,
                             cudaMemcpyHostToDevice));
    /* part of a row, whole rows, part of a row */
    CALL(cudaMemcpyFromArray(out, array, 12, 1, sizeof *in * 2, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2 * WIDTH; i++)
        NEED(out[i / WIDTH][i % WIDTH] == in[1 + (3 + i) / WIDTH][(3 + i) % WIDTH]);
    CALL(cudaMemcpyToArray(array, 0, 0, in, sizeof in, cudaMemcpyHostToDevice));
    struct cudaMemcpy3DParms p = {.srcArray = array, .srcPos = {2, 1, 0},
                                  .dstPtr = {out, sizeof *out, WIDTH, HEIGHT}, .dstPos = {8, 2, 0},
                                  .extent = {4, 3, 1}, .kind = cudaMemcpyDeviceToHost};
    memset(out, 0, sizeof out);
    CALL(cudaMemcpy3D(&p));
    NEED(out[2][2] == 102 && out[4][5] == 305 && out[4][6] == 0 && out[1][2] == 0);
    struct cudaResourceDesc r = {.resType = cudaResourceTypeArray, .res.array.array = array};
    struct cudaTextureDesc t = {.addressMode = {cudaAddressModeClamp, cudaAddressModeClamp},
                                .filterMode = cudaFilterModePoint}, back;
    cudaTextureObject_t texture;
    CALL(cudaCreateTextureObject(&texture, &r, &t, NULL));
    CALL(cudaGetTextureObjectTextureDesc(&back, texture));
    NEED(back.addressMode[0] == cudaAddressModeClamp);
    CALL(cudaMalloc((void **)&got, sizeof line));
    void *arguments[] = {&texture, &got};
    CALL(cudaLaunchKernel(&look, one, row, arguments, 0, NULL));
    CALL(cudaMemcpy(line, got, sizeof line, cudaMemcpyDeviceToHost));
    for (int x = 0; x < WIDTH; x++) NEED(line[x] == in[1][x]);
    CALL(cudaDestroyTextureObject(texture));
    NEED(cudaDestroyTextureObject(texture) == cudaErrorInvalidValue);
    NEED(cudaMemcpy2DToArray(array, 4, 0, in, sizeof *in, sizeof *in, HEIGHT,
                             cudaMemcpyHostToDevice) == cudaErrorInvalidValue); /* too wide */
    /* pitched memory, the same texels */
    void *pitched;
    size_t pitch;
    CALL(cudaMallocPitch(&pitched, &pitch, sizeof *in, HEIGHT));
    CALL(cudaMemcpy2D(pitched, pitch, in, sizeof *in, sizeof *in, HEIGHT, cudaMemcpyHostToDevice));
    r = (struct cudaResourceDesc){.resType = cudaResourceTypePitch2D,
                                  .res.pitch2D = {pitched, desc, WIDTH, HEIGHT, pitch}};
    t.filterMode = cudaFilterModeLinear;
    CALL(cudaCreateTextureObject(&texture, &r, &t, NULL));
    CALL(cudaMemset(got, 0, sizeof line));
    CALL(cudaLaunchKernel(&look, one, row, arguments, 0, NULL));
    CALL(cudaMemcpy(line, got, sizeof line, cudaMemcpyDeviceToHost));
    for (int x = 0; x < WIDTH; x++) NEED(line[x] == in[1][x]);
    CALL(cudaFreeArray(array));
}

static void surfaces(void)
{
    const struct cudaChannelFormatDesc desc =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
    unsigned out[WIDTH];
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    CALL(cudaMallocArray(&array, &desc, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    const struct cudaResourceDesc r = {.resType = cudaResourceTypeArray, .res.array.array = array};
    CALL(cudaCreateSurfaceObject(&surface, &r));
    void *arguments[] = {&surface};
    CALL(cudaLaunchKernel(&draw, one, row, arguments, 0, NULL));
    CALL(cudaMemcpy2DFromArray(out, sizeof out, array, 0, 1, sizeof out, 1,
                               cudaMemcpyDeviceToHost));
    for (unsigned x = 0; x < WIDTH; x++) NEED(out[x] == 10 * x);
    CALL(cudaDestroySurfaceObject(surface));
}

static void levels(void)
{
    const struct cudaChannelFormatDesc desc =
        cudaCreateChannelDesc(8, 8, 0, 0, cudaChannelFormatKindUnsigned);
    cudaMipmappedArray_t m;
    cudaArray_t level;
    struct cudaExtent e;
    CALL(cudaMallocMipmappedArray(&m, &desc, (struct cudaExtent){32, 8, 0}, 3, 0));
    CALL(cudaGetMipmappedArrayLevel(&level, m, 2));
    CALL(cudaArrayGetInfo(NULL, &e, NULL, level));
    NEED(e.width == 8 && e.height == 2);
    NEED(cudaGetMipmappedArrayLevel(&level, m, 3) == cudaErrorInvalidValue);
    CALL(cudaFreeMipmappedArray(m));
    const struct cudaChannelFormatDesc three =
        cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
    NEED(cudaMallocArray(&level, &three, 8, 8, 0) == cudaErrorInvalidChannelDescriptor);
    cudaGetLastError();
}

/* Textures start at the alignment of textures, and surfaces are of arrays made for them. */
static void refused_objects(void)
{
    const struct cudaChannelFormatDesc desc =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    struct cudaResourceDesc r = {.resType = cudaResourceTypeLinear};
    struct cudaTextureDesc t = {.readMode = cudaReadModeElementType};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    char *p;
    CALL(cudaMalloc((void **)&p, 4096));
    r.res.linear.desc = desc;
    r.res.linear.sizeInBytes = 256;
    r.res.linear.devPtr = p + 4;
    NEED(cudaCreateTextureObject(&texture, &r, &t, NULL) == cudaErrorInvalidValue);
    r.res.linear.devPtr = p + 512;
    CALL(cudaCreateTextureObject(&texture, &r, &t, NULL));
    r = (struct cudaResourceDesc){.resType = cudaResourceTypePitch2D};
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.desc = desc;
    r.res.pitch2D.width = r.res.pitch2D.height = 2;
    r.res.pitch2D.pitchInBytes = 8;
    NEED(cudaCreateTextureObject(&texture, &r, &t, NULL) == cudaErrorInvalidValue);
    r.res.pitch2D.pitchInBytes = 32;
    CALL(cudaCreateTextureObject(&texture, &r, &t, NULL));
    r = (struct cudaResourceDesc){.resType = cudaResourceTypeArray};
    CALL(cudaMallocArray(&r.res.array.array, &desc, 4, 4, 0));
    NEED(cudaCreateSurfaceObject(&surface, &r) == cudaErrorInvalidValue);
    cudaGetLastError();
}

int main(void)
{
    textures();
    surfaces();
    refused_objects();
    levels();
    puts("all right");
    return 0;
}
