#!/usr/bin/env bats
# NVML: agreement with the run-time library, refusals, programs of corun cc.
load common.bash
load cuda.bash

@test "NVML describes the device of the run-time library" {
    small cuda "$(program nvml)"
    ended 0
    shows 'NVML is right'
    shows 'corun simulated GPU, capability 7.5, architecture 6'
    shows 'bus 00000000:01:00.0, 0000:01:00.0'
}

@test "NVML works in a program without the run-time library, on every machine" {
    corun cuda --quiet --gpu maxwell16 "$(program nvml_alone)"
    ended 0
    shows 'NVML is right'
    shows '1400 MHz, memory 924 MHz'
}

@test "NVML names what corun lacks, once" {
    corun cuda --quiet "$(program nvml)"
    ended 0
    [ "$(grep -c 'corun: nvmlDeviceGetPowerUsage is not supported' <<<"$stderr")" = 1 ]
    [ "$(grep -c 'corun: nvmlDeviceGetUtilizationRates is not supported' <<<"$stderr")" = 1 ]
}

@test "without the simulator nvmlInit fails" {
    run --separate-stderr "$(program nvml_alone)"
    [ "$status" = 1 ]
    grep -q 'the program is linked for the simulated GPU' <<<"$stderr"
    grep -q 'nvmlInit() returns 9 (the driver is not loaded)' <<<"$output"
}

# bats test_tags=long
@test "a program of corun cc asks NVML" {
    clang_here
    cat >ask.cu <<'END'
#include <cstdio>
#include <nvml.h>
int main()
{
    nvmlDevice_t device;
    char name[NVML_DEVICE_NAME_BUFFER_SIZE];
    nvmlMemory_t memory;
    if (nvmlInit() || nvmlDeviceGetHandleByIndex(0, &device)) return 1;
    if (nvmlDeviceGetName(device, name, sizeof name)) return 1;
    if (nvmlDeviceGetMemoryInfo(device, &memory)) return 1;
    printf("%s: %llu bytes used\n", name, memory.used);
    return nvmlShutdown();
}
END
    corun cc ask.cu -o ask -lnvidia-ml
    ended 0
    corun cuda --quiet ./ask
    ended 0
    shows 'corun simulated GPU: 0 bytes used'
}
