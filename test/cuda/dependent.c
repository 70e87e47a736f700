/* Programmatic dependent launch: chains of launches in a stream, with and without the attribute.
 * Prints for each chain the cycles from the first begin to the last end and the result of every
 * launch, or the first wrong line. Argument "late": dependent launches must not overlap; "any":
 * either is right, as beside other apps; "edges": programmatic edges of graphs, too. */
#include "cuda/driver/api.h"
#include "test/cuda/fat.h"
#include "test/cuda/need.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Of each block: t[0] = begin; `before` cycles, in the second block twice as many, and so on;
 * launch_dependents by flag 1; `after` cycles; wait by flag 2; *out = *in + 1; t[1] = end. With
 * flag 4 blocks other than the first end at once. */
__attribute__((section(".nv_fatbin"))) static const char ptx[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".visible .entry stage(.param .u64 t, .param .u64 in, .param .u64 out, .param .u32 before,\n"
    ".param .u32 after, .param .u32 flags)\n"
    "{ .reg .pred %p<5>; .reg .b32 %r<9>; .reg .b64 %d<12>;\n"
    "mov.u64 %d1, %clock64; ld.param.u64 %d2, [t]; ld.param.u64 %d3, [in];\n"
    "ld.param.u64 %d4, [out]; ld.param.u32 %r1, [before]; ld.param.u32 %r2, [after];\n"
    "ld.param.u32 %r3, [flags]; mov.u32 %r4, %ctaid.x;\n"
    "mul.wide.u32 %d5, %r4, 16; add.u64 %d2, %d2, %d5; mul.wide.u32 %d5, %r4, 4;\n"
    "add.u64 %d3, %d3, %d5; add.u64 %d4, %d4, %d5; st.global.u64 [%d2], %d1;\n"
    "mad.lo.u32 %r1, %r4, %r1, %r1; cvt.u64.u32 %d6, %r1; add.u64 %d6, %d6, %d1;\n"
    "cvt.u64.u32 %d7, %r2; add.u64 %d7, %d7, %d6;\n"
    "and.b32 %r5, %r3, 1; setp.ne.u32 %p1, %r5, 0; and.b32 %r6, %r3, 2; setp.ne.u32 %p2, %r6, 0;\n"
    "and.b32 %r7, %r3, 4; setp.ne.u32 %p3, %r7, 0; setp.ne.and.u32 %p3, %r4, 0, %p3;\n"
    "@%p3 bra last;\n"
    "one: mov.u64 %d8, %clock64; setp.lt.u64 %p4, %d8, %d6; @%p4 bra one;\n"
    "@%p1 griddepcontrol.launch_dependents;\n"
    "two: mov.u64 %d8, %clock64; setp.lt.u64 %p4, %d8, %d7; @%p4 bra two;\n"
    "@%p2 griddepcontrol.wait;\n"
    "last: ld.global.u32 %r8, [%d3]; add.u32 %r8, %r8, 1; st.global.u32 [%d4], %r8;\n"
    "mov.u64 %d9, %clock64; st.global.u64 [%d2+8], %d9; ret; }\n";
static char stage;

__attribute__((constructor)) static void register_all(void)
{
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, 1, NULL, NULL};
    wrapper.data = fat_of(ptx, sizeof ptx, FAT_PTX);
    void **module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &stage, &stage, "stage", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(module);
}

#define CALL(call) NEED((call) == cudaSuccess)

enum { BLOCKS = 5, STAGES = 4, TRIGGERS = 1, WAITS = 2, FEW = 4, DEPENDENT = 8 };
struct result {
    uint64_t begin, end; /* of all blocks */
};
static struct memory {
    uint64_t t[STAGES][BLOCKS][2];
    uint32_t value[STAGES + 1][BLOCKS];
} *m;
static cudaStream_t stream;
static CUfunction by_driver; /* NULL: the run-time API */

static void launch(unsigned n, unsigned before, unsigned after, unsigned flags)
{
    uint64_t *t = m->t[n][0];
    uint32_t *in = m->value[n], *out = m->value[n + 1];
    void *arguments[] = {&t, &in, &out, &before, &after, &flags};
    cudaLaunchAttribute a = {.id = cudaLaunchAttributeProgrammaticStreamSerialization};
    a.val.programmaticStreamSerializationAllowed = (flags & DEPENDENT) != 0;
    if (by_driver) {
        const CUlaunchConfig d = {.gridDimX = BLOCKS, .gridDimY = 1, .gridDimZ = 1,
                                  .blockDimX = 64, .blockDimY = 1, .blockDimZ = 1,
                                  .hStream = stream, .attrs = &a, .numAttrs = 1};
        NEED(cuLaunchKernelEx(&d, by_driver, arguments, NULL) == CUDA_SUCCESS);
        return;
    }
    cudaLaunchConfig_t c = {{BLOCKS, 1, 1}, {64, 1, 1}, 0, stream, &a, 1};
    CALL(cudaLaunchKernelExC(&c, &stage, arguments));
}

/* Waits for the stream; prints and returns the times of `n` launches. */
static const struct result *results(const char *name, unsigned n)
{
    static struct result r[STAGES];
    CALL(cudaStreamSynchronize(stream));
    uint64_t last = 0;
    for (unsigned k = 0; k < n; k++) {
        r[k] = (struct result){UINT64_MAX, 0};
        for (unsigned b = 0; b < BLOCKS; b++) {
            const uint64_t *t = m->t[k][b];
            NEED(t[0] && t[1] > t[0]);
            r[k].begin = t[0] < r[k].begin ? t[0] : r[k].begin;
            r[k].end = t[1] > r[k].end ? t[1] : r[k].end;
        }
        last = r[k].end > last ? r[k].end : last;
    }
    printf("%s: %" PRIu64 " cycles, results", name, last - r[0].begin);
    for (unsigned k = 1; k <= n; k++) printf(" %u", m->value[k][0]);
    puts("");
    return r;
}

/* Checks whether a launch has begun early. */
#define EARLY(is) NEED(any || (is) == early)
static bool early = true, any;

static void start(void) { memset(m, 0, sizeof *m); }

/* All launches but the first have wait, and the blocks see the results of the launch before. */
static void right(unsigned n)
{
    for (unsigned k = 1; k <= n; k++)
        for (unsigned b = 0; b < BLOCKS; b++) NEED(m->value[k][b] == k);
}

static void pairs(void)
{
    const struct result *r;
    start();
    launch(0, 200, 5000, TRIGGERS);
    launch(1, 0, 4000, WAITS);
    r = results("without attribute", 2);
    right(2);
    NEED(r[1].begin >= r[0].end);
    start();
    launch(0, 200, 5000, TRIGGERS);
    launch(1, 0, 4000, WAITS | DEPENDENT);
    r = results("dependent", 2);
    right(2);
    EARLY(r[1].begin < r[0].end);
    NEED(r[1].begin >= r[0].begin + 200 * BLOCKS); /* all blocks have triggered */
    NEED(r[1].end >= r[0].end);
    EARLY(r[1].end < r[0].end + 1000); /* the prologue is hidden */
    start();
    launch(0, 200, 5000, 0);
    launch(1, 0, 4000, WAITS | DEPENDENT);
    r = results("without trigger", 2);
    right(2);
    NEED(r[1].begin >= r[0].end);
    start();
    launch(0, 200, 5000, TRIGGERS | FEW);
    launch(1, 0, 4000, WAITS | DEPENDENT);
    r = results("other blocks ended", 2);
    right(2);
    EARLY(r[1].begin < r[0].end);
    start();
    launch(0, 0, 0, WAITS | DEPENDENT);
    results("alone", 1);
    right(1);
}

/* The secondary ends first; both have ended for the host. */
static void without_wait(void)
{
    start();
    launch(0, 200, 5000, TRIGGERS);
    launch(1, 0, 1000, DEPENDENT);
    launch(2, 0, 0, 0);
    const struct result *r = results("without wait", 3);
    EARLY(r[1].end < r[0].end);
    NEED(r[2].begin >= r[0].end);
    for (unsigned b = 0; b < BLOCKS; b++) {
        NEED(m->value[1][b] == 1);
        NEED(any || m->value[2][b] == (early ? 1 : 2));
        NEED(m->value[3][b] == m->value[2][b] + 1);
    }
}

static void chain(void)
{
    start();
    launch(0, 200, 5000, TRIGGERS);
    launch(1, 0, 6000, TRIGGERS | WAITS | DEPENDENT);
    launch(2, 0, 4000, TRIGGERS | WAITS | DEPENDENT);
    launch(3, 0, 0, 0);
    const struct result *r = results("chain", 4);
    right(4);
    EARLY(r[1].begin < r[0].end);
    EARLY(r[2].begin < r[1].end);
    NEED(r[2].end >= r[1].end && r[1].end >= r[0].end);
    NEED(r[3].begin >= r[2].end);
}

static void graph(void)
{
    cudaGraph_t g;
    cudaGraphExec_t of;
    start();
    CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch(0, 200, 5000, TRIGGERS);
    launch(1, 0, 4000, WAITS | DEPENDENT);
    CALL(cudaStreamEndCapture(stream, &g));
    CALL(cudaGraphInstantiate(&of, g, 0));
    CALL(cudaGraphLaunch(of, stream));
    const struct result *r = results("graph", 2);
    right(2);
    NEED(r[1].begin >= r[0].end);
}

/* More streams than the GPU takes launches at once. */
static void many(void)
{
    cudaStream_t usual = stream;
    start();
    for (int i = 0; i < 300; i++) {
        CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        launch(0, 200, 5000, TRIGGERS);
        launch(0, 0, 0, DEPENDENT);
    }
    CALL(cudaDeviceSynchronize());
    for (unsigned b = 0; b < BLOCKS; b++) NEED(m->value[1][b] == 1);
    stream = usual;
}

/* Programmatic edges are refused, plain edges are not. */
static void edges(void)
{
    cudaGraph_t g;
    cudaGraphNode_t a, b;
    struct cudaGraphNodeParams empty = {.type = cudaGraphNodeTypeEmpty};
    cudaGraphEdgeData edge = {.type = cudaGraphDependencyTypeProgrammatic};
    CALL(cudaGraphCreate(&g, 0));
    CALL(cudaGraphAddNode(&a, g, NULL, NULL, 0, &empty));
    NEED(cudaGraphAddNode(&b, g, &a, &edge, 1, &empty) == cudaErrorNotSupported);
    edge = (cudaGraphEdgeData){.from_port = cudaGraphKernelNodePortProgrammatic};
    NEED(cudaGraphAddNode(&b, g, &a, &edge, 1, &empty) == cudaErrorNotSupported);
    CALL(cudaGraphAddNode(&b, g, NULL, NULL, 0, &empty));
    NEED(cudaGraphAddDependencies(g, &a, &b, &edge, 1) == cudaErrorNotSupported);
    NEED(cudaStreamBeginCaptureToGraph(stream, g, &a, &edge, 1, cudaStreamCaptureModeGlobal) ==
         cudaErrorNotSupported);
    edge.from_port = cudaGraphKernelNodePortDefault;
    CALL(cudaGraphAddDependencies(g, &a, &b, &edge, 1));
    CALL(cudaGraphDestroy(g));
    cudaGetLastError();
}

int main(int argc, char **argv)
{
    CUmodule module;
    early = argc < 2 || strcmp(argv[1], "late");
    any = argc > 1 && !strcmp(argv[1], "any");
    CALL(cudaMallocManaged((void **)&m, sizeof *m, cudaMemAttachGlobal));
    CALL(cudaStreamCreate(&stream));
    pairs();
    without_wait();
    chain();
    graph();
    if (argc > 1 && !strcmp(argv[1], "edges")) edges();
    NEED(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
    NEED(cuModuleGetFunction(&by_driver, module, "stage") == CUDA_SUCCESS);
    chain();
    if (argc < 2) many();
    puts("all right");
    return 0;
}
