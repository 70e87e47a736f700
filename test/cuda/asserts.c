/* A kernel with failing assertions: the effect on the kernel, on work queued behind, on every call
 * from then on. Prints "all right", or the failing check. */
#include <stdbool.h>

#include "test/cuda/kernels.h"

#define TEXT(name, length) ".global .align 1 .b8 " name "[" length "] = "
static const char assert_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n,\n"
    ".param .b64 c);\n"
    TEXT("says", "9") "{105, 32, 60, 32, 109, 111, 115, 116, 0};\n" /* i < most */
    TEXT("file", "5") "{97, 46, 99, 117, 0};\n"                     /* a.cu */
    /* void k(int) */
    TEXT("name", "12") "{118, 111, 105, 100, 32, 107, 40, 105, 110, 116, 41, 0};\n"
    /* assert(i < most), i: the thread in the grid; and with a flag, waits until the flag is not 0
     * */
    ".visible .entry check(.param .u32 most, .param .u64 flag)\n"
    "{ .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; ld.param.u32 %r5, [most]; ld.param.u64 %d1, [flag];\n"
    "setp.ge.u32 %p, %r4, %r5; @%p bra bad;\n"
    "setp.eq.u64 %p, %d1, 0; @%p ret;\n"
    "again: ld.volatile.global.u32 %r6, [%d1]; setp.eq.u32 %p, %r6, 0; @%p bra again; ret;\n"
    "bad: mov.u64 %d2, says; cvta.global.u64 %d2, %d2; mov.u64 %d3, file;\n"
    "cvta.global.u64 %d3, %d3; mov.u64 %d4, name; cvta.global.u64 %d4, %d4; mov.u32 %r7, 42;\n"
    "mov.u64 %d5, 1;\n"
    "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 c;\n"
    "st.param.b64 [m], %d2; st.param.b64 [f], %d3; st.param.b32 [l], %r7;\n"
    "st.param.b64 [n], %d4; st.param.b64 [c], %d5;\n"
    "call.uni __assertfail, (m, f, l, n, c); }\n"
    "ret; }\n";

static char check;

__attribute__((constructor)) static void register_check(void)
{
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, 1, NULL, NULL};
    wrapper.data = fat_of(assert_ptx, sizeof assert_ptx, FAT_PTX);
    void **own = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(own, &check, &check, "check", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(own);
}

static void launch_check(unsigned blocks, unsigned threads, unsigned most, unsigned *flag,
                         cudaStream_t stream)
{
    void *arguments[] = {&most, &flag};
    const dim3 grid = {blocks, 1, 1}, block = {threads, 1, 1};
    CALL(cudaLaunchKernel(&check, grid, block, arguments, 0, stream));
}

static void never(void *of) { *(int *)of = 1; }

/* Appends the error, as three digits, to the digits so far. */
static void hears(cudaStream_t stream, cudaError_t error, void *of)
{
    (void)stream;
    *(int *)of = *(int *)of * 1000 + (int)error;
}

int main(int n, char **arguments)
{
    const dim3 one = {1, 1, 1};
    unsigned *flag, told = 7;
    void *said[] = {&told}, *none;
    static int called, heard = 1;
    cudaStream_t stream;
    cudaEvent_t event;
    bool waits = n > 1 && !strcmp(arguments[1], "waits");
    CALL(cudaMallocManaged((void **)&flag, 4, cudaMemAttachGlobal));
    CALL(cudaStreamCreate(&stream));
    CALL(cudaEventCreate(&event));
    launch_check(2, 32, 64, NULL, stream); /* none fails */
    CALL(cudaStreamAddCallback(stream, hears, &heard, 0));
    CALL(cudaDeviceSynchronize());
    NEED(heard == 1000);
    if (waits) launch_check(4, 96, 4 * 96 - 32, flag, stream); /* all but a warp wait for ever */
    else launch_check(2, 32, 60, NULL, stream);
    CALL(cudaLaunchKernel(&say, one, one, said, 0, stream));
    CALL(cudaMemsetAsync(flag, 1, 4, stream));
    CALL(cudaLaunchHostFunc(stream, never, &called));
    CALL(cudaStreamAddCallback(stream, hears, &heard, 0));
    CALL(cudaEventRecord(event, stream));
    NEED(cudaGetLastError() == cudaSuccess);
    NEED(cudaEventSynchronize(event) == cudaErrorAssert);
    NEED(!strcmp(cudaGetErrorString(cudaErrorAssert), "device-side assert triggered"));
    NEED(cudaGetLastError() == cudaErrorAssert && cudaGetLastError() == cudaErrorAssert);
    NEED(cudaPeekAtLastError() == cudaErrorAssert);
    NEED(cudaDeviceSynchronize() == cudaErrorAssert);
    NEED(cudaStreamQuery(stream) == cudaErrorAssert);
    NEED(cudaMalloc(&none, 4) == cudaErrorAssert);
    NEED(cudaLaunchKernel(&say, one, one, said, 0, NULL) == cudaErrorAssert);
    NEED(cudaDeviceReset() == cudaErrorAssert);
    NEED(!*flag && !called && heard == 1000000 + cudaErrorAssert);
    puts("all right");
    return 0;
}
