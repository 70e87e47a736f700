/* The driver API's texture and surface references: prints "all right", or the failing check. */
#include "cuda/driver/api.h"
#include "test/cuda/kernels.h"
#include "test/cuda/references.h"

enum { WIDTH = 64, HEIGHT = 4, ELEMENTS = 1000 };
static CUdeviceptr out;
static float got[WIDTH];
static CUfunction of_line, of_plane, of_level;

static CUresult launch(CUfunction f, unsigned from)
{
    void *arguments[] = {&out, &from};
    return cuLaunchKernel(f, 1, 1, 1, WIDTH, 1, 1, 0, NULL, arguments, NULL);
}

static void look(CUfunction f, unsigned from)
{
    CALL(launch(f, from));
    CALL(cuMemcpyDtoH_v2(got, out, sizeof got));
}

/* Numbers in linear memory, also from the middle, also as bytes. */
static void linear(CUtexref line)
{
    CUdeviceptr memory, at;
    CUarray_format format;
    float numbers[ELEMENTS];
    size_t offset = 1;
    unsigned word;
    int channels;
    for (int i = 0; i < ELEMENTS; i++) numbers[i] = (float)i;
    CALL(cuMemAlloc_v2(&memory, sizeof numbers));
    CALL(cuMemcpyHtoD_v2(memory, numbers, sizeof numbers));
    NEED(cuTexRefGetAddress_v2(&at, line) == cudaErrorInvalidValue);
    CALL(cuTexRefSetAddress_v2(NULL, line, memory, sizeof numbers));
    NEED(launch(of_line, 0) == cudaErrorInvalidValue); /* no format set */
    NEED(cuTexRefSetFormat(line, CU_AD_FORMAT_FLOAT, 3) == cudaErrorInvalidValue);
    CALL(cuTexRefSetFormat(line, CU_AD_FORMAT_FLOAT, 1));
    CALL(cuTexRefGetFormat(&format, &channels, line));
    NEED(format == CU_AD_FORMAT_FLOAT && channels == 1);
    look(of_line, 7);
    for (int i = 0; i < WIDTH; i++) NEED(got[i] == (float)(7 + i));
    look(of_line, ELEMENTS - 2);
    NEED(got[1] == ELEMENTS - 1 && got[2] == 0);
    NEED(cuTexRefSetAddress_v2(NULL, line, memory + 400, 40) == cudaErrorInvalidValue);
    CALL(cuTexRefSetAddress_v2(&offset, line, memory + 400, 40));
    NEED(offset == 400);
    look(of_line, 100);
    NEED(got[0] == 100 && got[9] == 109 && got[10] == 0);
    CALL(cuTexRefSetFormat(line, CU_AD_FORMAT_UNSIGNED_INT8, 1)); /* fractions of 1 */
    look(of_line, 7);
    NEED(got[0] == 0x3f / 255.0f); /* the last byte of 1.0 */
    CALL(cuTexRefSetFlags(line, CU_TRSF_READ_AS_INTEGER));
    look(of_line, 7);
    memcpy(&word, got, sizeof word);
    NEED(word == 0x3f);
    NEED(cuTexRefSetFlags(line, 64) == cudaErrorInvalidValue);
}

static CUarray array_of(unsigned char (*rows)[WIDTH], CUarray array)
{
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = rows,
                                .srcPitch = WIDTH, .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                .dstArray = array, .WidthInBytes = WIDTH, .Height = HEIGHT};
    CALL(cuMemcpy2D_v2(&copy));
    return array;
}

static void fill(unsigned char (*rows)[WIDTH])
{
    for (int i = 0; i < HEIGHT * WIDTH; i++) rows[i / WIDTH][i % WIDTH] = (unsigned char)i;
}

/* An array, with the array's own format, and modes of reading; later settings take effect from the
 * next launch on. */
static void arrays(CUtexref plane, CUtexref line)
{
    const CUDA_ARRAY_DESCRIPTOR d = {WIDTH, HEIGHT, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    enum cudaTextureAddressMode mode;
    enum cudaTextureFilterMode filter;
    float color[4] = {0.5f, 0, 0, 0}, same[4];
    unsigned char rows[HEIGHT][WIDTH];
    unsigned flags;
    CUarray array, again;
    fill(rows);
    CALL(cuArrayCreate_v2(&array, &d));
    array_of(rows, array);
    NEED(cuTexRefGetArray(&again, plane) == cudaErrorInvalidValue);
    NEED(cuTexRefSetArray(plane, array, 0) == cudaErrorInvalidValue);
    CALL(cuTexRefSetArray(plane, array, CU_TRSA_OVERRIDE_FORMAT));
    CALL(cuTexRefGetArray(&again, plane));
    CALL(cuTexRefGetAddressMode(&mode, plane, 1));
    NEED(again == array && mode == cudaAddressModeClamp);
    CALL(cuParamSetTexRef(of_plane, CU_PARAM_TR_DEFAULT, plane));
    NEED(cuParamSetTexRef(of_plane, 0, plane) == cudaErrorInvalidValue);
    look(of_plane, 0);
    for (int x = 0; x < WIDTH; x++) NEED(got[x] == (float)(WIDTH + x) / 255);
    /* x + 0.5 and 1.5, normalized and wrapped: the middle of the last rows, between two texels */
    for (int i = 0; i < 2; i++) CALL(cuTexRefSetAddressMode(plane, i, cudaAddressModeWrap));
    CALL(cuTexRefSetFlags(plane, CU_TRSF_NORMALIZED_COORDINATES));
    CALL(cuTexRefSetFilterMode(plane, cudaFilterModeLinear));
    look(of_plane, 0);
    const float middle = (float)(rows[1][31] + rows[1][32] + rows[2][31] + rows[2][32]) / 1020;
    for (int x = 0; x < WIDTH; x++) NEED(got[x] > middle - 1e-3f && got[x] < middle + 1e-3f);
    CALL(cuTexRefSetFilterMode(plane, cudaFilterModePoint));
    CALL(cuTexRefGetFilterMode(&filter, plane));
    CALL(cuTexRefGetFlags(&flags, plane));
    NEED(filter == cudaFilterModePoint && flags == CU_TRSF_NORMALIZED_COORDINATES);
    look(of_plane, 0);
    for (int x = 0; x < WIDTH; x++) NEED(got[x] == (float)rows[2][32] / 255);
    CALL(cuTexRefSetAddressMode(plane, 0, cudaAddressModeBorder));
    CALL(cuTexRefSetBorderColor(plane, color));
    CALL(cuTexRefGetBorderColor(same, plane));
    look(of_plane, 0);
    /* a border of bytes is one of their values */
    NEED(same[0] == 0.5f && got[0] == (float)rows[2][32] / 255 && got[1] == 127.0f / 255);
    NEED(cuTexRefSetAddressMode(plane, 3, cudaAddressModeWrap) == cudaErrorInvalidValue);
    /* kernels reading another reference do not need the destroyed array */
    CALL(cuArrayDestroy(array));
    CALL(cuTexRefSetFlags(plane, 0));
    NEED(cuTexRefGetArray(&again, plane) == cudaErrorInvalidValue);
    CALL(cuTexRefSetFlags(line, 0));
    look(of_line, 7);
    NEED(got[0] == 0x3f / 255.0f);
}

static void pitched(CUtexref plane)
{
    const CUDA_ARRAY_DESCRIPTOR d = {5, HEIGHT, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    unsigned char rows[HEIGHT][WIDTH];
    CUdeviceptr memory, at;
    fill(rows);
    CALL(cuMemAlloc_v2(&memory, sizeof rows));
    CALL(cuMemcpyHtoD_v2(memory, rows, sizeof rows));
    NEED(cuTexRefSetAddress2D_v3(plane, &d, memory + 64, WIDTH) == cudaErrorInvalidValue);
    NEED(cuTexRefSetAddress2D_v3(plane, &d, memory, WIDTH + 1) == cudaErrorInvalidValue);
    CALL(cuTexRefSetAddress2D_v3(plane, &d, memory, WIDTH));
    CALL(cuTexRefGetAddress_v2(&at, plane));
    NEED(at == memory);
    NEED(cuTexRefSetFormat(plane, CU_AD_FORMAT_FLOAT, 1) == cudaErrorInvalidValue);
    for (int i = 0; i < 2; i++) CALL(cuTexRefSetAddressMode(plane, i, cudaAddressModeClamp));
    look(of_plane, 0);
    for (int x = 0; x < WIDTH; x++) NEED(got[x] == (float)(WIDTH + (x < 5 ? x : 4)) / 255);
}

/* The second of two levels, filled with 9. */
static void levels(CUtexref plane)
{
    const CUDA_ARRAY3D_DESCRIPTOR d = {2 * WIDTH, 2 * HEIGHT, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
    unsigned char rows[HEIGHT][WIDTH];
    CUmipmappedArray array, again;
    CUarray second;
    float least, most, bias;
    memset(rows, 9, sizeof rows);
    CALL(cuMipmappedArrayCreate(&array, &d, 2));
    CALL(cuMipmappedArrayGetLevel(&second, array, 1));
    array_of(rows, second);
    CALL(cuTexRefSetMipmappedArray(plane, array, CU_TRSA_OVERRIDE_FORMAT));
    CALL(cuTexRefGetMipmappedArray(&again, plane));
    CALL(cuTexRefSetFlags(plane, CU_TRSF_NORMALIZED_COORDINATES));
    look(of_level, 0);
    NEED(got[0] == 0);
    CALL(cuTexRefSetMipmapFilterMode(plane, cudaFilterModePoint));
    CALL(cuTexRefSetMipmapLevelClamp(plane, 0, 1));
    CALL(cuTexRefSetMipmapLevelBias(plane, 1));
    CALL(cuTexRefGetMipmapLevelClamp(&least, &most, plane));
    CALL(cuTexRefGetMipmapLevelBias(&bias, plane));
    NEED(again == array && least == 0 && most == 1 && bias == 1);
    look(of_level, 0);
    NEED(got[0] == 9 / 255.0f);
    CALL(cuMipmappedArrayDestroy(array));
}

static void surfaces(CUsurfref board, CUfunction draw)
{
    const CUDA_ARRAY3D_DESCRIPTOR d = {WIDTH, HEIGHT, 0, CU_AD_FORMAT_SIGNED_INT32, 1,
                                       cudaArraySurfaceLoadStore};
    int rows[HEIGHT][WIDTH];
    CUarray array, again;
    CALL(cuArray3DCreate_v2(&array, &d));
    NEED(cuSurfRefGetArray(&again, board) == cudaErrorInvalidValue);
    NEED(cuSurfRefSetArray(board, array, 1) == cudaErrorInvalidValue);
    CALL(cuSurfRefSetArray(board, array, 0));
    CALL(cuSurfRefGetArray(&again, board));
    NEED(again == array);
    CALL(cuLaunchCooperativeKernel(draw, 1, 1, 1, WIDTH, 1, 1, 0, NULL, NULL));
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = array,
                                .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = rows,
                                .dstPitch = sizeof *rows, .WidthInBytes = sizeof *rows,
                                .Height = HEIGHT};
    CALL(cuMemcpy2D_v2(&copy));
    for (int x = 0; x < WIDTH; x++) NEED(rows[1][x] == 10 * x && !rows[0][x]);
}

int main(void)
{
    CUcontext context;
    CUmodule one, two;
    CUfunction draw;
    CUtexref line, plane, again;
    CUsurfref board;
    CALL(cuInit(0));
    CALL(cuCtxCreate_v2(&context, 0, 0));
    CALL(cuModuleLoadData(&one, one_ptx));
    CALL(cuModuleLoadData(&two, two_ptx));
    CALL(cuModuleGetFunction(&of_line, one, "of_line"));
    CALL(cuModuleGetFunction(&of_plane, one, "of_plane"));
    CALL(cuModuleGetFunction(&of_level, one, "of_level"));
    CALL(cuModuleGetFunction(&draw, two, "draw"));
    CALL(cuModuleGetTexRef(&line, one, "line"));
    CALL(cuModuleGetTexRef(&plane, one, "plane"));
    CALL(cuModuleGetTexRef(&again, one, "line"));
    NEED(again == line && plane != line);
    CALL(cuModuleGetSurfRef(&board, two, "board"));
    NEED(cuModuleGetTexRef(&again, two, "board") == CUDA_ERROR_NOT_FOUND);
    NEED(cuModuleGetSurfRef(&board, one, "line") == CUDA_ERROR_NOT_FOUND);
    NEED(cuModuleGetTexRef(&again, one, "none") == CUDA_ERROR_NOT_FOUND);
    CALL(cuMemAlloc_v2(&out, sizeof got));
    linear(line);
    arrays(plane, line);
    pitched(plane);
    surfaces(board, draw); /* one's references are as they were */
    look(of_plane, 0);
    NEED(got[3] == (float)(WIDTH + 3) / 255);
    levels(plane);
    puts("all right");
    return 0;
}
