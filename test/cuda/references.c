/* Texture and surface references of two modules, as in CUDA 11's programs: prints "all right", or
 * the failing check. */
#include <stdint.h>

#include "test/cuda/kernels.h"
#include "test/cuda/references.h"

static char of_line, of_plane, draw;
static struct textureReference line, plane;
static struct surfaceReference board;

__attribute__((constructor)) static void register_references(void)
{
    static struct fat_wrapper wrappers[] = {{FAT_WRAPPER_MAGIC, 1, NULL, NULL},
                                            {FAT_WRAPPER_MAGIC, 1, NULL, NULL}};
    wrappers[0].data = fat_of(one_ptx, sizeof one_ptx, FAT_PTX);
    wrappers[1].data = fat_of(two_ptx, sizeof two_ptx, FAT_PTX);
    void **one = __cudaRegisterFatBinary(&wrappers[0]);
    void **two = __cudaRegisterFatBinary(&wrappers[1]);
    __cudaRegisterFunction(one, &of_line, &of_line, "of_line", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(one, &of_plane, &of_plane, "of_plane", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(two, &draw, &draw, "draw", -1, 0, 0, 0, 0, 0);
    __cudaRegisterTexture(one, &line, NULL, "line", 1, 0, 0);
    __cudaRegisterTexture(one, &plane, NULL, "plane", 2, 1, 0); /* fractions */
    __cudaRegisterSurface(two, &board, NULL, "board", 2, 0);
    __cudaRegisterFatBinaryEnd(one);
    __cudaRegisterFatBinaryEnd(two);
}

enum { WIDTH = 64, HEIGHT = 4, ELEMENTS = 1000 };
static float *out, got[WIDTH];

static void look(const void *kernel, unsigned from)
{
    const dim3 one = {1, 1, 1}, row = {WIDTH, 1, 1};
    void *arguments[] = {&out, &from};
    CALL(cudaLaunchKernel(kernel, one, row, arguments, 0, NULL));
    CALL(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
}

static void linear(const struct cudaChannelFormatDesc *desc)
{
    float *memory, numbers[ELEMENTS];
    size_t offset = 1;
    const struct textureReference *found;
    for (int i = 0; i < ELEMENTS; i++) numbers[i] = (float)i;
    CALL(cudaMalloc((void **)&memory, sizeof numbers));
    CALL(cudaMemcpy(memory, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    NEED(cudaGetTextureAlignmentOffset(&offset, &line) == cudaErrorInvalidTextureBinding);
    CALL(cudaBindTexture(NULL, &line, memory, desc, UINT32_MAX)); /* the whole allocation */
    look(&of_line, 7);
    for (int i = 0; i < WIDTH; i++) NEED(got[i] == (float)(7 + i));
    look(&of_line, ELEMENTS - 2); /* and nothing behind */
    NEED(got[1] == ELEMENTS - 1 && got[2] == 0);
    CALL(cudaBindTexture(&offset, &line, memory + 100, desc, 40));
    NEED(offset == 400);
    look(&of_line, 100);
    NEED(got[0] == 100 && got[9] == 109 && got[10] == 0);
    CALL(cudaGetTextureAlignmentOffset(&offset, &line));
    NEED(offset == 400);
    NEED(cudaBindTexture(NULL, &line, memory + 100, desc, 40) == cudaErrorInvalidValue);
    CALL(cudaGetTextureReference(&found, &line));
    NEED(found == &line);
    NEED(cudaGetTextureReference(&found, &board + 1) == cudaErrorInvalidTexture);
    CALL(cudaUnbindTexture(&line));
}

/* Bytes read as fractions, from pitched memory, then from an array. */
static void flat(void)
{
    const struct cudaChannelFormatDesc byte =
        cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    unsigned char rows[HEIGHT][WIDTH];
    void *pitched;
    size_t pitch;
    cudaArray_t array;
    for (int i = 0; i < HEIGHT * WIDTH; i++) rows[i / WIDTH][i % WIDTH] = (unsigned char)i;
    CALL(cudaMallocPitch(&pitched, &pitch, WIDTH, HEIGHT));
    CALL(cudaMemcpy2D(pitched, pitch, rows, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    plane.addressMode[0] = plane.addressMode[1] = cudaAddressModeClamp;
    CALL(cudaBindTexture2D(NULL, &plane, pitched, &byte, 5, HEIGHT, pitch));
    look(&of_plane, 0);
    for (int x = 0; x < WIDTH; x++) NEED(got[x] == (float)(WIDTH + (x < 5 ? x : 4)) / 255);
    CALL(cudaMallocArray(&array, &byte, WIDTH, HEIGHT, 0));
    CALL(cudaMemcpy2DToArray(array, 0, 0, rows, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    plane.addressMode[0] = cudaAddressModeBorder;
    CALL(cudaBindTextureToArray(&plane, array, &byte));
    look(&of_plane, 0);
    for (int x = 0; x < WIDTH; x++) NEED(got[x] == (float)(WIDTH + x) / 255);
    /* rows of two lengths: the rest of a row, a whole row, part of a third */
    cudaArray_t narrow;
    CALL(cudaMallocArray(&narrow, &byte, WIDTH / 2, 2 * HEIGHT, 0));
    CALL(cudaMemcpyArrayToArray(narrow, 8, 1, array, WIDTH - 4, 0, 70, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpyFromArray(rows, narrow, 0, 0, sizeof rows, cudaMemcpyDeviceToHost));
    const unsigned char *copied = *rows + WIDTH / 2 + 8;
    for (int i = 0; i < 70; i++) NEED(copied[i] == WIDTH - 4 + i);
    NEED(!copied[-1] && !copied[70]);
}

static void surface(void)
{
    const struct cudaChannelFormatDesc word =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
    const struct surfaceReference *found;
    const dim3 one = {1, 1, 1}, row = {WIDTH, 1, 1};
    int rows[HEIGHT][WIDTH];
    cudaArray_t array;
    CALL(cudaMallocArray(&array, &word, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CALL(cudaBindSurfaceToArray(&board, array, &word));
    CALL(cudaGetSurfaceReference(&found, &board));
    NEED(found == &board);
    CALL(cudaLaunchKernel(&draw, one, row, NULL, 0, NULL));
    CALL(cudaMemcpy2DFromArray(rows, sizeof *rows, array, 0, 0, sizeof *rows, HEIGHT,
                               cudaMemcpyDeviceToHost));
    for (int x = 0; x < WIDTH; x++) NEED(rows[1][x] == 10 * x && !rows[0][x]);
    NEED(cudaBindSurfaceToArray(&board + 1, array, &word) == cudaErrorInvalidSurface);
}

int main(int n, char **arguments)
{
    const struct cudaChannelFormatDesc number =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    (void)arguments;
    CALL(cudaMalloc((void **)&out, sizeof got));
    linear(&number);
    if (n > 1) look(&of_line, 0); /* nothing is bound */
    flat();
    surface();
    look(&of_plane, 0); /* still bound, though another module has come */
    NEED(got[3] == (float)(WIDTH + 3) / 255);
    puts("all right");
    return 0;
}
