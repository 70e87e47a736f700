/* Tensor maps of the driver API: the errors of cuTensorMapEncodeTiled, and a transposed copy by
 * boxes with maps as parameters. Prints "all right", or the failing check. */
#include "cuda/driver/api.h"
#include "test/cuda/kernels.h"

/* Each block copies a box of 16 x 16 words of `in` through shared memory, with 64-byte swizzle, to
 * `out`, of which the row and column are exchanged, and adds the box once more. */
static const char text[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry turn(.param .align 64 .b8 in[128], .param .align 64 .b8 out[128]) {\n"
    ".shared .align 1024 .b8 a[1024]; .shared .align 1024 .b8 b[1024]; .shared .align 8 .b64 m;\n"
    ".reg .pred %p<3>; .reg .b32 %r<20>; .reg .b64 %d<8>;\n"
    "mov.b64 %d0, in; cvta.param.u64 %d1, %d0; mov.b64 %d2, out; cvta.param.u64 %d3, %d2;\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y;\n"
    "shl.b32 %r1, %r1, 4; shl.b32 %r2, %r2, 4; setp.eq.u32 %p0, %r0, 0;\n"
    "mov.u32 %r3, a; mov.u32 %r4, b; mov.u32 %r5, m;\n"
    "@%p0 mbarrier.init.shared.b64 [%r5], 1; fence.proxy.async; bar.sync 0;\n"
    "@!%p0 bra wait; prefetch.tensormap [%d1];\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 1024;\n"
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3],"
    " [%d1, {%r1, %r2}], [%r5];\n"
    "wait: mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0; @!%p1 bra wait;\n"
    /* thread t: word t % 16 of row t / 16 of a is word t / 16 of row t % 16 of b */
    "and.b32 %r6, %r0, 15; shr.u32 %r7, %r0, 4;\n"
    "shl.b32 %r8, %r7, 6; mad.lo.u32 %r8, %r6, 4, %r8;\n"
    "shr.u32 %r9, %r8, 3; and.b32 %r9, %r9, 0x30; xor.b32 %r8, %r8, %r9;\n"
    "shl.b32 %r10, %r6, 6; mad.lo.u32 %r10, %r7, 4, %r10;\n"
    "add.u32 %r8, %r8, %r3; add.u32 %r10, %r10, %r4;\n"
    "ld.shared.u32 %r11, [%r8]; st.shared.u32 [%r10], %r11;\n"
    "fence.proxy.async; bar.sync 0; @!%p0 bra done;\n"
    "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d3, {%r2, %r1}], [%r4];\n"
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d3, {%r2, %r1}],"
    " [%r4];\n"
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\ndone: ret; }\n";

enum { COLUMNS = 72, ROWS = 40, BOX = 16 };

struct tensor { /* arguments of cuTensorMapEncodeTiled that a check changes */
    void *map, *address;
    CUtensorMapDataType type;
    cuuint32_t rank, box[5], step[5];
    cuuint64_t size[5], stride[4];
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
};

static CUresult made(const struct tensor *t)
{
    return cuTensorMapEncodeTiled(t->map, t->type, t->rank, t->address, t->size, t->stride, t->box,
                                  t->step, t->interleave, t->swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_128B, t->fill);
}

static struct tensor tensor_of(CUtensorMap *map, CUdeviceptr address, cuuint64_t columns,
                               cuuint64_t rows)
{
    return (struct tensor){.map = map,
                           .address = (void *)(uintptr_t)address,
                           .type = CU_TENSOR_MAP_DATA_TYPE_UINT32,
                           .rank = 2,
                           .box = {BOX, BOX, 1, 1, 1},
                           .step = {1, 1, 1, 1, 1},
                           .size = {columns, rows, 1, 1, 1},
                           .stride = {4 * columns, 4 * columns * rows, 4 * columns * rows,
                                      4 * columns * rows}};
}

static void refuse(struct tensor good)
{
    struct tensor t;
#define REFUSED(change) \
    t = good; \
    change; \
    NEED(made(&t) == cudaErrorInvalidValue)
    REFUSED(t.map = NULL);
    REFUSED(t.map = (char *)good.map + 32);
    REFUSED(t.rank = 0);
    REFUSED(t.rank = 6);
    REFUSED(t.address = (char *)good.address + 8);
    REFUSED(t.size[1] = 0);
    REFUSED(t.size[0] = (1ull << 32) + 1);
    REFUSED(t.stride[0] = 40);
    REFUSED(t.stride[0] = 1ull << 40);
    REFUSED(t.box[1] = 0);
    REFUSED(t.box[1] = 257);
    REFUSED(t.box[0] = 6);
    REFUSED(t.step[1] = 0);
    REFUSED(t.step[1] = 9);
    REFUSED(t.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
    REFUSED(t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B);
    t = good;
    t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
    NEED(made(&t) == cudaErrorNotSupported);
    t = good;
    t.type = (CUtensorMapDataType)13;
    NEED(made(&t) == cudaErrorNotSupported);
    t = good;
    t.rank = 3;
    t.stride[1] = 0;
    NEED(made(&t) == CUDA_SUCCESS);
    t = good;
    t.box[0] = 256;
    t.rank = 5;
    NEED(made(&t) == CUDA_SUCCESS);
}

static void turn(CUdeviceptr in, CUdeviceptr out)
{
    static unsigned words[ROWS][COLUMNS], got[COLUMNS][ROWS];
    CUtensorMap maps[2];
    CUmodule mine;
    CUfunction kernel;
    struct tensor from = tensor_of(&maps[0], in, COLUMNS, ROWS), to = tensor_of(&maps[1], out, ROWS,
                                                                                COLUMNS);
    from.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
    CALL(made(&from));
    CALL(made(&to));
    for (unsigned y = 0; y < ROWS; y++)
        for (unsigned x = 0; x < COLUMNS; x++) words[y][x] = 1000 * y + x;
    CALL(cuMemcpyHtoD_v2(in, words, sizeof words));
    CALL(cuModuleLoadData(&mine, text));
    CALL(cuModuleGetFunction(&kernel, mine, "turn"));
    void *args[] = {&maps[0], &maps[1]};
    CALL(cuLaunchKernel(kernel, (COLUMNS + BOX - 1) / BOX, (ROWS + BOX - 1) / BOX, 1, BOX * BOX, 1,
                        1, 0, NULL, args, NULL));
    CALL(cuMemcpyDtoH_v2(got, out, sizeof got));
    for (unsigned y = 0; y < ROWS; y++)
        for (unsigned x = 0; x < COLUMNS; x++) NEED(got[x][y] == 2 * words[y][x]);
}

int main(void)
{
    CUcontext context;
    CUdeviceptr in, out;
    CUtensorMap map;
    int major;
    CALL(cuInit(0));
    CALL(cuCtxCreate_v2(&context, 0, 0));
    CALL(cuDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CALL(cuMemAlloc_v2(&in, 4 * ROWS * COLUMNS));
    CALL(cuMemAlloc_v2(&out, 4 * ROWS * COLUMNS));
    struct tensor good = tensor_of(&map, in, COLUMNS, ROWS);
    if (major < 9) {
        NEED(made(&good) == cudaErrorNotSupported);
        puts("not here");
        return 0;
    }
    refuse(good);
    turn(in, out);
    puts("all right");
    return 0;
}
