/* Kernels of three modules, with machine code beside the PTX, with machine code from the device
 * linker, and without machine code. Prints the registers per thread of each kernel. */
#include <stddef.h>
#include <stdio.h>

#include "cuda/include/cuda_runtime_api.h"
#include "test/cuda/code.h"
#include "test/cuda/fat.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
static const char of_beside[] = HEAD ".visible .entry beside(.param .u64 p) { ret; }\n";
static const char of_linked[] = HEAD ".visible .entry linked(.param .u64 p) { ret; }\n";
static const char of_alone[] = HEAD ".visible .entry alone(.param .u64 p) { ret; }\n";

static char beside, linked, alone;

static void *code_of(const char *kernel, unsigned registers)
{
    struct code c;
    code_make(&c, kernel, registers);
    return fat_of((const char *)&c, sizeof c, FAT_CUBIN);
}

static void register_one(struct fat_wrapper *w, char *function, const char *name)
{
    void **module = __cudaRegisterFatBinary(w);
    __cudaRegisterFunction(module, function, function, name, -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(module);
}

__attribute__((constructor)) static void register_all(void)
{
    static struct fat_wrapper one = {FAT_WRAPPER_MAGIC, 1, NULL, NULL}, two, three;
    static void *objects[2];
    one.data = fat_join(code_of("beside", 40), fat_of(of_beside, sizeof of_beside, FAT_PTX));
    objects[0] = fat_of(of_linked, sizeof of_linked, FAT_PTX);
    two = (struct fat_wrapper){FAT_WRAPPER_MAGIC, FAT_LINKED, code_of("linked", 50), objects};
    three = (struct fat_wrapper){FAT_WRAPPER_MAGIC, 1, fat_of(of_alone, sizeof of_alone, FAT_PTX),
                                 NULL};
    register_one(&one, &beside, "beside");
    register_one(&two, &linked, "linked");
    register_one(&three, &alone, "alone");
}

static void show(const char *name, const void *function)
{
    const dim3 grid = {1, 1, 1}, block = {32, 1, 1};
    struct cudaFuncAttributes a;
    void *p = NULL, *arguments[] = {&p};
    if (cudaFuncGetAttributes(&a, function)) exit(7);
    if (cudaLaunchKernel(function, grid, block, arguments, 0, NULL)) exit(7);
    printf("%s %d\n", name, a.numRegs);
}

int main(void)
{
    show("beside", &beside);
    show("linked", &linked);
    show("alone", &alone);
    return (int)cudaDeviceSynchronize();
}
