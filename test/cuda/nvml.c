/* NVML against the run-time library: prints the device as NVML describes the device, and a line for
 * every wrong result. With TEST_ALONE the process has NVML only. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cuda/include/cuda_runtime_api.h"
#include "cuda/include/nvml.h"

static int wrong;

static void is(nvmlReturn_t got, nvmlReturn_t right, const char *what)
{
    if (got == right) return;
    wrong++;
    printf("wrong: %s returns %d (%s), not %d\n", what, got, nvmlErrorString(got), right);
}
#define OK(call) is(call, NVML_SUCCESS, #call)

static void check(bool ok, const char *what)
{
    if (!ok) wrong++, printf("wrong: %s\n", what);
}
#define CHECK(what) check(what, #what)

static void handles(nvmlDevice_t device)
{
    nvmlDevice_t other = NULL;
    char uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE];
    unsigned count = 0;
    OK(nvmlDeviceGetCount(&count));
    CHECK(count == 1);
    OK(nvmlDeviceGetUUID(device, uuid, sizeof uuid));
    printf("uuid %s\n", uuid);
    OK(nvmlDeviceGetHandleByUUID(uuid, &other));
    CHECK(other == device);
    uuid[5] ^= 1;
    is(nvmlDeviceGetHandleByUUID(uuid, &other), NVML_ERROR_NOT_FOUND, "another UUID");
    is(nvmlDeviceGetUUID(device, uuid, 40), NVML_ERROR_INSUFFICIENT_SIZE, "a short buffer");
    is(nvmlDeviceGetHandleByIndex(1, &other), NVML_ERROR_INVALID_ARGUMENT, "device 1");
    is(nvmlDeviceGetUUID(NULL, uuid, sizeof uuid), NVML_ERROR_INVALID_ARGUMENT, "no handle");
    nvmlPciInfo_t pci;
    OK(nvmlDeviceGetPciInfo(device, &pci));
    printf("bus %s, %s\n", pci.busId, pci.busIdLegacy);
    const char *const names[] = {pci.busId, pci.busIdLegacy, "01:00.0", "0:1:0.0"};
    for (int i = 0; i < 4; i++) {
        other = NULL;
        OK(nvmlDeviceGetHandleByPciBusId(names[i], &other));
        check(other == device, names[i]);
    }
    is(nvmlDeviceGetHandleByPciBusId("0:2:0.0", &other), NVML_ERROR_NOT_FOUND, "another bus");
    is(nvmlDeviceGetHandleByPciBusId("1:1:0.0", &other), NVML_ERROR_NOT_FOUND, "another domain");
    is(nvmlDeviceGetHandleByPciBusId("bus", &other), NVML_ERROR_INVALID_ARGUMENT, "no bus");
}

static void properties(nvmlDevice_t device)
{
    char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE], driver[80], library[80];
    int major, minor, cuda = 0;
    unsigned architecture, index = 7, sm = 0, graphics = 0, memory = 0, most = 0, video;
    OK(nvmlDeviceGetName(device, name, sizeof name));
    OK(nvmlDeviceGetCudaComputeCapability(device, &major, &minor));
    OK(nvmlDeviceGetArchitecture(device, &architecture));
    OK(nvmlDeviceGetIndex(device, &index));
    OK(nvmlSystemGetDriverVersion(driver, sizeof driver));
    OK(nvmlSystemGetNVMLVersion(library, sizeof library));
    OK(nvmlSystemGetCudaDriverVersion(&cuda));
    CHECK(index == 0);
    CHECK(cuda == 13000);
    printf("%s, capability %d.%d, architecture %u, driver %s, NVML %s\n", name, major, minor,
           architecture, driver, library);
    OK(nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &sm));
    OK(nvmlDeviceGetClockInfo(device, NVML_CLOCK_GRAPHICS, &graphics));
    OK(nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_SM, &most));
    OK(nvmlDeviceGetClock(device, NVML_CLOCK_MEM, NVML_CLOCK_ID_CURRENT, &memory));
    is(nvmlDeviceGetClockInfo(device, NVML_CLOCK_VIDEO, &video), NVML_ERROR_NOT_SUPPORTED, "video");
    printf("%u MHz, memory %u MHz\n", sm, memory);
    CHECK(sm == graphics && sm == most);
    unsigned n = 0, clock = 0;
    is(nvmlDeviceGetSupportedMemoryClocks(device, &n, NULL), NVML_ERROR_INSUFFICIENT_SIZE, "room");
    CHECK(n == 1);
    OK(nvmlDeviceGetSupportedMemoryClocks(device, &n, &clock));
    CHECK(clock == memory);
    OK(nvmlDeviceGetSupportedGraphicsClocks(device, memory, &n, &clock));
    CHECK(clock == sm);
    is(nvmlDeviceGetSupportedGraphicsClocks(device, 1, &n, &clock), NVML_ERROR_NOT_FOUND, "1 MHz");
    unsigned long long reasons = 1;
    OK(nvmlDeviceGetCurrentClocksThrottleReasons(device, &reasons));
    CHECK(reasons == nvmlClocksThrottleReasonNone);
    n = 1;
    OK(nvmlDeviceGetComputeRunningProcesses(device, &n, &(nvmlProcessInfo_t){0}));
    CHECK(n == 0);
}

static void unknown(nvmlDevice_t device)
{
    unsigned n;
    nvmlUtilization_t rates;
    for (int i = 0; i < 2; i++)
        is(nvmlDeviceGetPowerUsage(device, &n), NVML_ERROR_NOT_SUPPORTED, "power");
    is(nvmlDeviceGetPowerManagementLimit(device, &n), NVML_ERROR_NOT_SUPPORTED, "limit");
    is(nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &n), NVML_ERROR_NOT_SUPPORTED,
       "temperature");
    is(nvmlDeviceGetUtilizationRates(device, &rates), NVML_ERROR_NOT_SUPPORTED, "utilization");
}

#ifndef TEST_ALONE
/* Memory, clocks and identity are those of the run-time library. */
static void agree(nvmlDevice_t device)
{
    struct cudaDeviceProp p;
    nvmlMemory_t before, after;
    nvmlMemory_v2_t second = {.version = nvmlMemory_v2};
    size_t left, total;
    void *some;
    char uuid[NVML_DEVICE_UUID_BUFFER_SIZE], bus[32];
    int khz, memory_khz;
    unsigned mhz, memory_mhz;
    nvmlDevice_t by_bus = NULL;
    CHECK(!cudaGetDeviceProperties(&p, 0));
    CHECK(!cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    CHECK(!cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
    OK(nvmlDeviceGetMemoryInfo(device, &before));
    CHECK(!cudaMalloc(&some, 1 << 20));
    CHECK(!cudaMemGetInfo(&left, &total));
    OK(nvmlDeviceGetMemoryInfo(device, &after));
    CHECK(after.total == p.totalGlobalMem && after.total == total && after.free == left);
    CHECK(after.used == before.used + (1 << 20) && after.used + after.free == after.total);
    OK(nvmlDeviceGetMemoryInfo_v2(device, &second));
    CHECK(second.total == total && second.free == left && second.used == after.used);
    second.version = 2;
    is(nvmlDeviceGetMemoryInfo_v2(device, &second), NVML_ERROR_ARGUMENT_VERSION_MISMATCH, "v2");
    OK(nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &mhz));
    OK(nvmlDeviceGetClockInfo(device, NVML_CLOCK_MEM, &memory_mhz));
    CHECK((int)mhz == khz / 1000 && (int)memory_mhz == memory_khz / 1000);
    OK(nvmlDeviceGetUUID(device, uuid, sizeof uuid));
    unsigned char byte[16], *b = (unsigned char *)p.uuid.bytes;
    sscanf(uuid, "GPU-%2hhx%2hhx%2hhx%2hhx-%2hhx", byte, byte + 1, byte + 2, byte + 3, byte + 4);
    CHECK(!memcmp(byte, b, 5));
    CHECK(!cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    OK(nvmlDeviceGetHandleByPciBusId(bus, &by_bus));
    CHECK(by_bus == device);
}
#endif

int main(void)
{
    nvmlDevice_t device;
    is(nvmlDeviceGetHandleByIndex(0, &device), NVML_ERROR_UNINITIALIZED, "before nvmlInit");
    is(nvmlShutdown(), NVML_ERROR_UNINITIALIZED, "nvmlShutdown before nvmlInit");
    OK(nvmlInit());
    OK(nvmlInitWithFlags(0));
    OK(nvmlDeviceGetHandleByIndex(0, &device));
    handles(device);
    properties(device);
    unknown(device);
#ifndef TEST_ALONE
    agree(device);
#endif
    OK(nvmlShutdown());
    OK(nvmlDeviceGetHandleByIndex(0, &device));
    OK(nvmlShutdown());
    unsigned n;
    is(nvmlDeviceGetIndex(device, &n), NVML_ERROR_UNINITIALIZED, "after nvmlShutdown");
    puts(wrong ? "NVML is wrong" : "NVML is right");
    return wrong != 0;
}
