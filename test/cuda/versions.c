/* A program with PTX for several architectures; prints the architecture run by the device.
 *
 *     versions [fat|linked|module|text] ARCH...
 *
 * ARCH is 75, 90a; a comma separates the architectures of two objects; the kernel calls the
 * second object. "fat": registered as by nvcc; "linked": objects linked for the device; "module":
 * cuModuleLoadFatBinary; "text": cuModuleLoadData of the first. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/api.h"
#include "cuda/fat_binary.h"
#include "cuda/include/cuda_runtime_api.h"

struct bytes {
    char at[1 << 16];
    size_t n;
};
static char which; /* the kernel's symbol on the host */

/* The kernel stores the PTX's number plus 1000 times the number of the second object's PTX. */
static int write_ptx(char *to, size_t room, const char *arch, int object, int objects)
{
    const int number = atoi(arch);
    const char *head = ".version 8.8\n.target sm_%s\n.address_size 64\n";
    int n = snprintf(to, room, head, arch);
    if (object)
        return n + snprintf(to + n, room - (size_t)n,
                            ".visible .func (.param .b32 r) second() {\n"
                            "st.param.b32 [r], %d; ret; }\n", number);
    if (objects > 1)
        n += snprintf(to + n, room - (size_t)n, ".extern .func (.param .b32 r) second();\n");
    n += snprintf(to + n, room - (size_t)n,
                  ".visible .entry which(.param .u64 p) {\n.reg .b64 %%d; .reg .b32 %%r<2>;\n"
                  "ld.param.u64 %%d, [p]; mov.u32 %%r1, 0;\n");
    if (objects > 1)
        n += snprintf(to + n, room - (size_t)n,
                      "{ .param .b32 r; call.uni (r), second, (); ld.param.b32 %%r1, [r]; }\n");
    return n + snprintf(to + n, room - (size_t)n,
                        "mad.lo.u32 %%r1, %%r1, 1000, %d; st.global.u32 [%%d], %%r1; ret; }\n",
                        number);
}

static void add_entry(struct bytes *fat, const char *arch, int object, int objects)
{
    char text[2048];
    size_t n = ((size_t)write_ptx(text, sizeof text, arch, object, objects) + 8) / 8 * 8;
    struct fat_header h = {FAT_MAGIC, 1, sizeof h, 0};
    struct fat_entry e = {.kind = FAT_PTX, .version = 0x101, .header_bytes = sizeof e, .bytes = n,
                          .arch = (uint32_t)atoi(arch)};
    if (!fat->n) fat->n = sizeof h;
    memset(fat->at + fat->n, 0, sizeof e + n);
    memcpy(fat->at + fat->n, &e, sizeof e);
    memcpy(fat->at + fat->n + sizeof e, text, strlen(text));
    fat->n += sizeof e + n;
    h.bytes = fat->n - sizeof h;
    memcpy(fat->at, &h, sizeof h);
}

static struct bytes fats[2];
static int *result;

static void say(const char *what, const char *error)
{
    struct cudaDeviceProp p;
    struct cudaFuncAttributes a = {0};
    int value = 0;
    cudaGetDeviceProperties(&p, 0);
    if (!error) cudaMemcpy(&value, result, sizeof value, cudaMemcpyDeviceToHost);
    if (!error && !strcmp(what, "fat")) cudaFuncGetAttributes(&a, &which);
    printf("device %d.%d: %s: ", p.major, p.minor, what);
    if (error) printf("%s\n", error);
    else if (a.ptxVersion) printf("%d, PTX of %d for %d\n", value, a.ptxVersion, a.binaryVersion);
    else printf("%d\n", value);
}

static const char *run_module(const void *image)
{
    CUmodule module;
    CUfunction function;
    void *arguments[] = {&result};
    CUresult error = cuModuleLoadData(&module, image);
    if (error == CUDA_SUCCESS) error = cuModuleGetFunction(&function, module, "which");
    if (error == CUDA_SUCCESS)
        error = cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
    const char *name = NULL;
    if (error != CUDA_SUCCESS) cuGetErrorName(error, &name);
    return name;
}

int main(int n, char **words)
{
    const char *what = words[1];
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, 1, NULL, NULL};
    static void *objects[3];
    int object_n = 1;
    for (int i = 2; i < n; i++) object_n += !strcmp(words[i], ",");
    for (int i = 2, object = 0; i < n; i++) {
        if (!strcmp(words[i], ",")) object++;
        else add_entry(&fats[object], words[i], object, object_n);
    }
    if (cudaMalloc((void **)&result, 4)) return 9;
    if (!strcmp(what, "module") || !strcmp(what, "text")) {
        char text[2048];
        write_ptx(text, sizeof text, words[2], 0, 1);
        say(what, run_module(what[0] == 't' ? text : fats[0].at));
        return 0;
    }
    wrapper.data = fats[0].at;
    if (!strcmp(what, "linked")) {
        static struct fat_header none = {FAT_MAGIC, 1, sizeof none, 0};
        for (int i = 0; i < object_n; i++) objects[i] = fats[i].at;
        wrapper = (struct fat_wrapper){FAT_WRAPPER_MAGIC, FAT_LINKED, &none, objects};
    }
    void **module = __cudaRegisterFatBinary(&wrapper), *arguments[] = {&result};
    const dim3 one = {1, 1, 1};
    __cudaRegisterFunction(module, &which, &which, "which", -1, 0, 0, 0, 0, 0);
    cudaKernel_t kernel;
    __cudaGetKernel(&kernel, &which); /* like nvcc's stubs, without looking at the result */
    cudaError_t error = __cudaLaunchKernel(kernel, one, one, arguments, 0, NULL);
    say(what, error ? cudaGetErrorName(error) : NULL);
    return 0;
}
