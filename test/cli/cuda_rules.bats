#!/usr/bin/env bats
# Calls refused by a GPU are refused with CUDA's errors. The programs are test/cuda/.
load common.bash
load cuda.bash

# Prints the output of `versions` under these options and arguments.
device_runs() {
    corun cuda --quiet "${@:1:$#-1}" -- "$(program versions)" ${!#}
    ended 0
    echo "$output"
}

@test "launches over the device's limits are refused" {
    corun cuda --quiet --gpu rtx2060 "$(program limits)"
    echo "$output"
    ended 0
    [ "$output" = '65536 bytes, all right' ]
    corun cuda --quiet --gpu maxwell16 "$(program limits)"
    [ "$output" = '98304 bytes, all right' ]
    corun cuda --quiet --set host.capability=6.1 "$(program limits)"
    [ "$output" = '49152 bytes, all right' ] # the limit cannot be raised
}

@test "why a launch with too much shared memory is refused stands in the result" {
    corun cuda "$(program limits)"
    ended 0
    shows '49156 bytes of dynamic shared memory are over the kernel'"'"'s limit of 49152' \
        'block [1, 1, 65] is over the limit of 64 threads in z' \
        "kernel 'large' has 49156 bytes of static shared memory, at most 49152 are possible"
}

@test "calls that a capture forbids are refused, and spoil the capture" {
    corun cuda --quiet "$(program captures)"
    echo "$output"
    ended 0
    [ "$output" = 'all right' ]
}

@test "arguments that CUDA documents as errors are refused" {
    corun cuda --quiet "$(program arguments)"
    echo "$output"
    ended 0
    [ "$output" = 'all right' ]
}

@test "registered memory has the same bytes on both sides, whatever shares its pages" {
    corun cuda --quiet "$(program registered)"
    echo "$output"
    ended 0
    [[ $output == *right* ]]
}

# bats test_tags=long
@test "of several PTX the highest is taken that the device can run" {
    [ "$(device_runs 'fat 75 90')" = 'device 7.5: fat: 75, PTX of 75 for 75' ]
    [ "$(device_runs 'fat 120 52 80')" = 'device 7.5: fat: 52, PTX of 52 for 75' ]
    [ "$(device_runs --set host.capability=8.9 'fat 90 75 80')" = \
        'device 8.9: fat: 80, PTX of 80 for 89' ]
    [ "$(device_runs --set host.capability=10.3 'fat 75 90a 100f')" = \
        'device 10.3: fat: 100, PTX of 100 for 103' ]
    [ "$(device_runs --set host.capability=12 'fat 75 90a 100f')" = \
        'device 12.0: fat: 75, PTX of 75 for 120' ]
    [ "$(device_runs 'linked 75 90 , 52 70 80')" = 'device 7.5: linked: 70075' ]
    [ "$(device_runs 'module 75 90')" = 'device 7.5: module: 75' ]
}

@test "without PTX for the device a program gets CUDA's error, and the user the reason" {
    for what in 'fat 80 90' 'linked 75 , 90' 'module 90a'; do
        device_runs "$what"
        local error=cudaErrorNoKernelImageForDevice
        [ "${what%% *}" != module ] || error=CUDA_ERROR_NO_BINARY_FOR_GPU
        [ "$output" = "device 7.5: ${what%% *}: $error" ]
        says 'no kernel image for the device: the program has PTX for sm_' \
        'compute capability 7.5' '--ptx'
    done
    device_runs 'text 80' # the driver compiles a text itself
    [ "$output" = 'device 7.5: text: CUDA_ERROR_INVALID_PTX' ]
    corun cuda --json r.json "$(program versions)" fat 80
    output=$(cat r.json)
    holds '"the program has PTX for sm_80, but the device" in d["warnings"][0]["text"]'
}

# bats test_tags=long
@test "--ptx chooses the PTX, and names what there is" {
    [ "$(device_runs --ptx 90 'fat 75 90')" = 'device 7.5: fat: 90, PTX of 90 for 75' ]
    [ "$(device_runs --ptx sm_52 'fat 52 75')" = 'device 7.5: fat: 52, PTX of 52 for 75' ]
    [ "$(device_runs --ptx compute_90a 'module 75 90a')" = 'device 7.5: module: 90' ]
    [ "$(device_runs --ptx 80 'linked 75 80 , 52 80')" = 'device 7.5: linked: 80080' ]
    [ "$(device_runs --ptx 80 'text 80')" = 'device 7.5: text: 80' ]
    corun cuda --ptx 80 "$(program versions)" fat 75 90
    refused 'no PTX for sm_80 (--ptx): the program has PTX for sm_75, sm_90'
    corun cuda --ptx 90 "$(program versions)" linked 75 90 , 75 80
    refused 'no PTX for sm_90 (--ptx): the program has PTX for sm_75, sm_80'
    for wrong in seventy 90b sm90; do
        corun cuda --ptx "$wrong" "$(program versions)" fat 75
        refused '--ptx takes an architecture, as in 90, sm_90 or compute_90a'
    done
}

@test "registers per thread are those of the program's machine code for the device" {
    registers() { # what a kernel reports to the program, and its source in the result
        corun cuda --quiet --json r.json "$@" -- "$(program registers)"
        ended 0
        echo "$output"
        python3 -c 'import json
for k in json.load(open("r.json"))["apps"][0]["kernels"]:
    print(k["name"], k["registers_per_thread"], k["registers_source"])'
    }
    [ "$(registers --gpu rtx2060)" = "$(printf '%s\n' 'beside 40' 'linked 50' 'alone 8' \
        'beside 40 code' 'linked 50 code' 'alone 8 live')" ]
    # an A100 executes no machine code for sm_75, nor does a device that takes the PTX of --ptx
    [ "$(registers --gpu a100 | grep -c ' 4 estimate$\| 4$')" = 6 ]
    [ "$(registers --gpu rtx2060 --ptx 75 | grep -c 'live\| 8$')" = 6 ]
}

@test "an app file chooses its own PTX" {
    cat >a.yaml <<END
app: versions
program: ["$(program versions)", fat, "75", "90"]
inputs: []
ptx: sm_90
END
    corun run ./a.yaml "cuda:$(program versions) fat 75 80 90" --ptx 80 --show-output --quiet
    ended 0
    shows 'device 7.5: fat: 90, PTX of 90 for 75' 'device 7.5: fat: 80, PTX of 80 for 75'
    sed -i 's/sm_90/ninety/' a.yaml
    corun run ./a.yaml
    refused "'ninety' is not an architecture of PTX"
}

# bats test_tags=long
@test "the PTX belongs to what an isolated run is known by" {
    export CORUN_CACHE=$PWD/cache
    cat >a.yaml <<END
app: versions
program: ["$(program versions)", fat, "75", "90"]
inputs: []
END
    for options in '' '--ptx 90' '--ptx 75'; do
        corun compare ./a.yaml vecadd:size=test --policies leftover --quiet $options
        ended 0
    done
    [ "$(ls cache | wc -l)" = 4 ] # vecadd's, and three of the program
}
