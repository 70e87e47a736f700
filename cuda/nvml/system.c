/* Initialization, versions, texts of errors, and handles. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cuda/nvml/own.h"

/* Branch of NVIDIA's driver that came with CUDA 13.0, the version of corun's driver API. */
#define DRIVER "580.00"

struct nvmlDevice_st {
    int index;
};
static struct nvmlDevice_st device;
static atomic_int users; /* calls of nvmlInit without a call of nvmlShutdown */

nvmlDevice_t nvml_handle(void) { return &device; }

nvmlReturn_t nvml_ready(void)
{
    return atomic_load(&users) > 0 ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}

const struct wire_device *nvml_device(nvmlDevice_t of, nvmlReturn_t *error)
{
    *error = nvml_ready();
    if (!*error && of != &device) *error = NVML_ERROR_INVALID_ARGUMENT;
    const struct wire_device *d = *error ? NULL : corun_device();
    if (!*error && !d) *error = NVML_ERROR_GPU_IS_LOST;
    return d;
}

nvmlReturn_t nvml_text(char *to, unsigned length, const char *text)
{
    size_t bytes = strlen(text) + 1;
    if (!to) return NVML_ERROR_INVALID_ARGUMENT;
    if (length < bytes) return NVML_ERROR_INSUFFICIENT_SIZE;
    memcpy(to, text, bytes);
    return NVML_SUCCESS;
}

/* ---- initialization ---- */

nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
    if (!corun_device() && !(flags & NVML_INIT_FLAG_NO_GPUS)) return NVML_ERROR_DRIVER_NOT_LOADED;
    atomic_fetch_add(&users, 1);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit(void);
nvmlReturn_t nvmlInit(void) { return nvmlInitWithFlags(0); }
nvmlReturn_t nvmlInit_v2(void) { return nvmlInitWithFlags(0); }

nvmlReturn_t nvmlShutdown(void)
{
    int n = atomic_load(&users);
    while (n > 0 && !atomic_compare_exchange_weak(&users, &n, n - 1)) continue;
    return n > 0 ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}

const char *nvmlErrorString(nvmlReturn_t result)
{
    switch (result) {
#define ERROR(name, sentence) case NVML_##name: return sentence;
#include "cuda/nvml/error.def"
#undef ERROR
    }
    return "unknown error";
}

/* ---- versions ---- */

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
    nvmlReturn_t error = nvml_ready();
    return error ? error : nvml_text(version, length, DRIVER);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
    nvmlReturn_t error = nvml_ready();
    return error ? error : nvml_text(version, length, NVML_API_VERSION_STR "." DRIVER);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version)
{
    if (!version) return NVML_ERROR_INVALID_ARGUMENT;
    return cudaDriverGetVersion(version) ? NVML_ERROR_UNKNOWN : NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    return nvmlSystemGetCudaDriverVersion(version);
}

/* ---- handles ---- */

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count)
{
    nvmlReturn_t error = nvml_ready();
    if (error) return error;
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    *count = corun_device() != NULL;
    return NVML_SUCCESS;
}

/* Gives the handle of the device if the name is the device's. */
static nvmlReturn_t give(nvmlDevice_t *out, bool is_named, nvmlReturn_t otherwise)
{
    nvmlReturn_t error = nvml_ready();
    if (error) return error;
    if (!out || !is_named) return out ? otherwise : NVML_ERROR_INVALID_ARGUMENT;
    if (!corun_device()) return NVML_ERROR_NOT_FOUND;
    *out = &device;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *out)
{
    return give(out, !index, NVML_ERROR_INVALID_ARGUMENT);
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *out)
{
    bool is_named = uuid && !strcasecmp(uuid, NVML_UUID);
    return give(out, is_named, uuid ? NVML_ERROR_NOT_FOUND : NVML_ERROR_INVALID_ARGUMENT);
}

/* Accepts domains of any number of digits, and a name without a domain. */
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *out)
{
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    bool is_id = id && (sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) >= 3 ||
                        (domain = 0, sscanf(id, "%x:%x.%x", &bus, &slot, &function) >= 2));
    bool is_named = is_id && !domain && bus == 1 && !slot && !function;
    return give(out, is_named, is_id ? NVML_ERROR_NOT_FOUND : NVML_ERROR_INVALID_ARGUMENT);
}

nvmlReturn_t nvmlDeviceGetCount(unsigned int *count);
nvmlReturn_t nvmlDeviceGetCount(unsigned int *count) { return nvmlDeviceGetCount_v2(count); }
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *out);
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *out)
{
    return nvmlDeviceGetHandleByIndex_v2(index, out);
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice_t *out);
nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice_t *out)
{
    return nvmlDeviceGetHandleByPciBusId_v2(id, out);
}
