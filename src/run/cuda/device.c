/* Device properties of the simulated machine, as reported to programs. */
#include <string.h>

#include "host/launch.h"
#include "run/cuda/session.h"

static s32 most(u64 v) { return v < INT32_MAX ? (s32)v : INT32_MAX; }

u32 device_capability(const struct machine *m)
{
    return (u32)(m->host.capability.num * 10 / m->host.capability.den);
}

/* Returns the highest limit of a block's shared memory a kernel can opt in to, bytes. Source: CUDA
 * C++ Programming Guide, technical specifications: fixed for capabilities below 7.0. */
static u32 shared_most(const struct machine *m)
{
    u32 most = m->sm.shared_bytes - m->sm.shared_reserved_bytes;
    return device_capability(m) < 70 ? min_u32(most, SHARED_BYTES) : most;
}

void device_describe(const struct machine *m, struct wire_device *out)
{
    *out = (struct wire_device){.memory_bytes = m->host.memory_bytes};
    strcpy(out->name, "corun simulated GPU");
    s32 *a = out->attributes;
    const u32 version = device_capability(m);
#define SET(name, value) a[cudaDevAttr##name] = most(value)
    SET(MaxThreadsPerBlock, BLOCK_THREADS_MAX);
    SET(MaxBlockDimX, BLOCK_THREADS_MAX);
    SET(MaxBlockDimY, BLOCK_THREADS_MAX);
    SET(MaxBlockDimZ, BLOCK_Z_MAX);
    SET(MaxGridDimX, GRID_X_MAX);
    SET(MaxGridDimY, GRID_YZ_MAX);
    SET(MaxGridDimZ, GRID_YZ_MAX);
    SET(MaxSharedMemoryPerBlock, min_u32(shared_most(m), SHARED_BYTES));
    SET(MaxSharedMemoryPerBlockOptin, shared_most(m));
    SET(MaxSharedMemoryPerMultiprocessor, m->sm.shared_bytes);
    SET(ReservedSharedMemoryPerBlock, m->sm.shared_reserved_bytes);
    SET(TotalConstantMemory, 65536);
    SET(WarpSize, 32);
    SET(MaxPitch, INT32_MAX);
    SET(MaxRegistersPerBlock, m->sm.registers);
    SET(MaxRegistersPerMultiprocessor, m->sm.registers);
    SET(ClockRate, m->clock.sm_mhz.num * 1000 / m->clock.sm_mhz.den);
    SET(MemoryClockRate, m->clock.dram_mhz.num * 1000 / m->clock.dram_mhz.den);
    SET(TextureAlignment, 512);
    SET(TexturePitchAlignment, 32);
    SET(SurfaceAlignment, 512);
    SET(GpuOverlap, 1);
    SET(AsyncEngineCount, 1);
    SET(MultiProcessorCount, m->sm.count);
    SET(CanMapHostMemory, 1);
    SET(HostRegisterSupported, 1);
    SET(ConcurrentKernels, 1);
    SET(PciBusId, 1);
    SET(L2CacheSize, machine_l2_bytes(m));
    SET(MaxThreadsPerMultiProcessor, m->sm.threads);
    SET(MaxBlocksPerMultiprocessor, m->sm.blocks);
    SET(UnifiedAddressing, 1);
    SET(ComputeCapabilityMajor, version / 10);
    SET(ComputeCapabilityMinor, version % 10);
    SET(StreamPrioritiesSupported, 1);
    SET(ManagedMemory, 1);
    SET(MemoryPoolsSupported, 1);
    SET(CooperativeLaunch, 1);
    SET(ClusterLaunch, version >= 90);
    SET(SingleToDoublePrecisionPerfRatio, 32);
#undef SET
    out->multiplies_half = m->sm.tensor_units && m->cost.tensor_f32_initiation;
}

cudaError_t session_HELLO(struct session *s)
{
    struct wire_device d;
    if (s->call.at[0] != WIRE_VERSION) {
        warning_add(s->app->warnings, s->app->input->cuda->arguments[0], 0,
                    "the program is linked with the library of another corun version: link again");
        return cudaErrorInsufficientDriver;
    }
    s->handshake_done = true;
    device_describe(s->app->machine->gpu, &d);
    text_put(&s->out, (const char *)&d, sizeof d);
    return cudaSuccess;
}
