/* Properties, memory and clocks of the device. */
#include "cuda/nvml/own.h"

/* A function that stores a fixed value. */
#define GIVES(name, T, value)                                                                      \
    nvmlReturn_t name(nvmlDevice_t device, T *out)                                                 \
    {                                                                                              \
        nvmlReturn_t error;                                                                        \
        if (!nvml_device(device, &error)) return error;                                            \
        if (!out) return NVML_ERROR_INVALID_ARGUMENT;                                              \
        *out = value;                                                                              \
        return NVML_SUCCESS;                                                                       \
    }
GIVES(nvmlDeviceGetIndex, unsigned int, 0)
GIVES(nvmlDeviceGetMinorNumber, unsigned int, 0)
GIVES(nvmlDeviceGetBrand, nvmlBrandType_t, NVML_BRAND_UNKNOWN)
GIVES(nvmlDeviceGetComputeMode, nvmlComputeMode_t, NVML_COMPUTEMODE_DEFAULT)
GIVES(nvmlDeviceGetMultiGpuBoard, unsigned int, 0)
GIVES(nvmlDeviceGetDisplayMode, nvmlEnableState_t, NVML_FEATURE_DISABLED)
GIVES(nvmlDeviceGetDisplayActive, nvmlEnableState_t, NVML_FEATURE_DISABLED)
/* The clocks of the machine never change. */
GIVES(nvmlDeviceGetPerformanceState, nvmlPstates_t, NVML_PSTATE_0)
GIVES(nvmlDeviceGetCurrentClocksEventReasons, unsigned long long, nvmlClocksEventReasonNone)
GIVES(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long, nvmlClocksEventReasonNone)

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
    nvmlReturn_t error;
    const struct wire_device *d = nvml_device(device, &error);
    return d ? nvml_text(name, length, d->name) : error;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
    nvmlReturn_t error;
    return nvml_device(device, &error) ? nvml_text(uuid, length, NVML_UUID) : error;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    nvmlReturn_t error;
    const struct wire_device *d = nvml_device(device, &error);
    if (!d) return error;
    if (!pci) return NVML_ERROR_INVALID_ARGUMENT;
    *pci = (nvmlPciInfo_t){.busIdLegacy = NVML_BUS_ID_LEGACY, .busId = NVML_BUS_ID,
                           .bus = (unsigned)d->attributes[cudaDevAttrPciBusId]};
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
    nvmlReturn_t error;
    const struct wire_device *d = nvml_device(device, &error);
    if (!d) return error;
    if (!major || !minor) return NVML_ERROR_INVALID_ARGUMENT;
    *major = d->attributes[cudaDevAttrComputeCapabilityMajor];
    *minor = d->attributes[cudaDevAttrComputeCapabilityMinor];
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t *architecture)
{
    int major, minor;
    nvmlReturn_t error = nvmlDeviceGetCudaComputeCapability(device, &major, &minor);
    if (error) return error;
    if (!architecture) return NVML_ERROR_INVALID_ARGUMENT;
    switch (major) {
    case 3: *architecture = NVML_DEVICE_ARCH_KEPLER; break;
    case 5: *architecture = NVML_DEVICE_ARCH_MAXWELL; break;
    case 6: *architecture = NVML_DEVICE_ARCH_PASCAL; break;
    case 7: *architecture = minor < 5 ? NVML_DEVICE_ARCH_VOLTA : NVML_DEVICE_ARCH_TURING; break;
    case 8: *architecture = minor < 9 ? NVML_DEVICE_ARCH_AMPERE : NVML_DEVICE_ARCH_ADA; break;
    case 9: *architecture = NVML_DEVICE_ARCH_HOPPER; break;
    case 10: case 12: *architecture = NVML_DEVICE_ARCH_BLACKWELL; break;
    default: *architecture = NVML_DEVICE_ARCH_UNKNOWN;
    }
    return NVML_SUCCESS;
}

/* ---- memory: as cudaMemGetInfo ---- */

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
    nvmlReturn_t error;
    struct corun_call c = {.call = CALL_MEMORY};
    if (!nvml_device(device, &error)) return error;
    if (!memory) return NVML_ERROR_INVALID_ARGUMENT;
    if (corun_do(&c)) return NVML_ERROR_UNKNOWN;
    *memory = (nvmlMemory_t){.free = c.got[0], .total = c.got[1], .used = c.got[1] - c.got[0]};
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
    nvmlMemory_t m;
    nvmlReturn_t error = nvmlDeviceGetMemoryInfo(device, &m);
    if (error) return error;
    if (!memory) return NVML_ERROR_INVALID_ARGUMENT;
    if (memory->version != nvmlMemory_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    memory->total = m.total, memory->free = m.free, memory->used = m.used, memory->reserved = 0;
    return NVML_SUCCESS;
}

/* ---- clocks ---- */

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz)
{
    nvmlReturn_t error;
    const struct wire_device *d = nvml_device(device, &error);
    if (!d) return error;
    if (!mhz || type >= NVML_CLOCK_COUNT) return NVML_ERROR_INVALID_ARGUMENT;
    if (type == NVML_CLOCK_VIDEO) return NVML_ERROR_NOT_SUPPORTED;
    bool is_memory = type == NVML_CLOCK_MEM;
    int khz = d->attributes[is_memory ? cudaDevAttrMemoryClockRate : cudaDevAttrClockRate];
    *mhz = (unsigned)khz / 1000;
    return NVML_SUCCESS;
}

#define SAME_CLOCK(name)                                                                           \
    nvmlReturn_t name(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz)                \
    {                                                                                              \
        return nvmlDeviceGetClockInfo(device, type, mhz);                                          \
    }
SAME_CLOCK(nvmlDeviceGetMaxClockInfo)
SAME_CLOCK(nvmlDeviceGetApplicationsClock)
SAME_CLOCK(nvmlDeviceGetDefaultApplicationsClock)

nvmlReturn_t nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t type, nvmlClockId_t id,
                                unsigned int *mhz)
{
    nvmlReturn_t error = nvmlDeviceGetClockInfo(device, type, mhz);
    return !error && id >= NVML_CLOCK_ID_COUNT ? NVML_ERROR_INVALID_ARGUMENT : error;
}

/* Stores the only clock of a kind in an array with room for *count clocks. */
static nvmlReturn_t only_clock(nvmlDevice_t device, nvmlClockType_t type, unsigned *count,
                               unsigned *mhz)
{
    unsigned clock, room = count ? *count : 0;
    nvmlReturn_t error = nvmlDeviceGetClockInfo(device, type, &clock);
    if (error) return error;
    if (!count || (room && !mhz)) return NVML_ERROR_INVALID_ARGUMENT;
    *count = 1;
    if (!room) return NVML_ERROR_INSUFFICIENT_SIZE;
    *mhz = clock;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t device, unsigned int *count,
                                                unsigned int *mhz)
{
    return only_clock(device, NVML_CLOCK_MEM, count, mhz);
}

nvmlReturn_t nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t device, unsigned int memory_mhz,
                                                  unsigned int *count, unsigned int *mhz)
{
    unsigned memory;
    nvmlReturn_t error = nvmlDeviceGetClockInfo(device, NVML_CLOCK_MEM, &memory);
    if (error) return error;
    if (memory_mhz != memory) return NVML_ERROR_NOT_FOUND;
    return only_clock(device, NVML_CLOCK_GRAPHICS, count, mhz);
}

/* ---- processes: none is listed ---- */

#define NO_PROCESSES(name, T)                                                                      \
    nvmlReturn_t name(nvmlDevice_t device, unsigned int *count, T *infos);                         \
    nvmlReturn_t name(nvmlDevice_t device, unsigned int *count, T *infos)                          \
    {                                                                                              \
        nvmlReturn_t error;                                                                        \
        (void)infos;                                                                               \
        if (!nvml_device(device, &error)) return error;                                            \
        if (!count) return NVML_ERROR_INVALID_ARGUMENT;                                            \
        *count = 0;                                                                                \
        return NVML_SUCCESS;                                                                       \
    }
#define NO_PROCESSES_OF(kind)                                                                      \
    NO_PROCESSES(nvmlDeviceGet##kind##RunningProcesses, nvmlProcessInfo_v1_t)                      \
    NO_PROCESSES(nvmlDeviceGet##kind##RunningProcesses_v2, nvmlProcessInfo_v2_t)                   \
    NO_PROCESSES(nvmlDeviceGet##kind##RunningProcesses_v3, nvmlProcessInfo_t)
NO_PROCESSES_OF(Compute)
NO_PROCESSES_OF(Graphics)
NO_PROCESSES_OF(MPSCompute)
