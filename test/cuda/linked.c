/* Two objects linked for the device: a kernel of the first calls a function and reads variables of
 * the second, and both have a private variable of the same name. Prints "all right", or the failing
 * check. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/include/cuda_runtime_api.h"
#include "test/cuda/fat.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
static const char caller[] =
    HEAD ".extern .func (.param .b32 out) twice(.param .b32 in);\n"
    ".extern .global .align 4 .u32 count;\n"
    ".global .align 4 .u32 own = 100;\n"
    /* *p = twice(x) + own; count++ */
    ".visible .entry first(.param .u64 p, .param .u32 x)\n"
    "{ .reg .b32 %r<6>; .reg .b64 %d;\n"
    "ld.param.u64 %d, [p]; ld.param.u32 %r1, [x];\n"
    "{ .param .b32 in; .param .b32 out; st.param.b32 [in], %r1;\n"
    "call.uni (out), twice, (in); ld.param.b32 %r2, [out]; }\n"
    "ld.global.u32 %r3, [own]; add.u32 %r2, %r2, %r3; st.global.u32 [%d], %r2;\n"
    "ld.global.u32 %r4, [count]; add.u32 %r4, %r4, 1; st.global.u32 [count], %r4; ret; }\n";
static const char called[] =
    HEAD ".visible .global .align 4 .u32 count = 7;\n"
    ".global .align 4 .u32 own = 1;\n"
    ".visible .func (.param .b32 out) twice(.param .b32 in)\n"
    "{ .reg .b32 %r<4>; ld.param.b32 %r1, [in]; shl.b32 %r1, %r1, 1; ld.global.u32 %r2, [own];\n"
    "add.u32 %r1, %r1, %r2; st.param.b32 [out], %r1; ret; }\n"
    /* *p = count */
    ".visible .entry second(.param .u64 p)\n"
    "{ .reg .b32 %r1; .reg .b64 %d; ld.param.u64 %d, [p]; ld.global.u32 %r1, [count];\n"
    "st.global.u32 [%d], %r1; ret; }\n";

static char first, second, count;

__attribute__((constructor)) static void register_all(void)
{
    static struct fat_header none = {FAT_MAGIC, 1, sizeof none, 0}; /* of machine code */
    static void *objects[3];
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, FAT_LINKED, &none, objects};
    objects[0] = fat_of(caller, sizeof caller, FAT_PTX);
    objects[1] = fat_of(called, sizeof called, FAT_PTX);
    void **module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &first, &first, "first", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(module, &second, &second, "second", -1, 0, 0, 0, 0, 0);
    __cudaRegisterVar(module, &count, &count, "count", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(module);
}

int main(void)
{
    const dim3 one = {1, 1, 1};
    unsigned *p, x = 21, of_first = 0, of_second = 0, counted = 0;
    void *arguments[] = {&p, &x};
    cudaMalloc((void **)&p, 4);
    cudaLaunchKernel(&first, one, one, arguments, 0, NULL);
    cudaMemcpy(&of_first, p, 4, cudaMemcpyDeviceToHost);
    cudaLaunchKernel(&second, one, one, arguments, 0, NULL);
    cudaMemcpy(&of_second, p, 4, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&counted, &count, 4, 0, cudaMemcpyDeviceToHost);
    cudaError_t error = cudaGetLastError();
    bool right = of_first == 2 * 21 + 1 + 100 && of_second == 8 && counted == 8 && !error;
    if (right) puts("all right");
    else printf("%u, %u, %u: %s\n", of_first, of_second, counted, cudaGetErrorString(error));
    return !right;
}
