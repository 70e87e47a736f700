#!/usr/bin/env bats
# corun cc: options of nvcc, by the command lines printed with -dryrun.
load common

# The stand-in only tells its version: 150 command lines start no clang.
setup_file() {
    export CORUN_CLANG=$BATS_FILE_TMPDIR/clang
    printf '#!/bin/sh\necho 16.0.6\n' >"$CORUN_CLANG"
    chmod +x "$CORUN_CLANG"
}

# Sets the command lines of clang for x.cu, y.cpp and the link: $device, $host, $plain, $link.
command_lines() { # OPTION...
    touch x.cu y.cpp
    corun cc x.cu y.cpp -o x -dryrun "$@"
    ended 0
    mapfile -t lines < <(grep driver-mode <<<"$stderr")
    [ "${#lines[@]}" = 4 ]
    device=${lines[0]} host=${lines[1]} plain=${lines[2]} link=${lines[3]}
    [[ $device == *--cuda-device-only* && $host == *--cuda-host-only* ]]
}

@test "options of nvcc reach the passes of clang" {
    while IFS='|' read -r options passes want; do
        [ "$options" ] || continue
        want=${want/#SM/--cuda-gpu-arch=}
        eval "command_lines $options"
        for pass in device host plain link; do
            if [[ " $passes " == *" $pass "* ]]; then
                [[ "${!pass} " == *" $want "* ]] || { echo "$options: no $want: ${!pass}"; false; }
            else
                [[ "${!pass} " != *" $want "* ]] || { echo "$options: $want: ${!pass}"; false; }
            fi
        done
        ! grep -q ^warning <<<"$stderr" || { echo "$options: $stderr"; false; }
    done <<'END'
-std=c++20|device host plain|-std=c++20
--std c++14|device host plain|-std=c++14
-O1|host plain|-O1
--optimize 2|host plain|-O2
-g|host plain link|-g
-pg|host plain link|-pg
-I inc|device host plain|-Iinc
--include-path=inc|device host plain|-Iinc
-isystem inc|device host plain|-isystem inc
-include y.h|device host plain|-include y.h
--pre-include=y.h|device host plain|-include y.h
-DN=4|device host plain|-DN=4
-U N|device host plain|-UN
-UN|device host plain|-UN
-ftemplate-depth=5|device host plain|-ftemplate-depth=5
-L lib|link|-Llib
-lm|link|-lm
-lcuda|link|-lcuda
-Xcompiler -Wall,-O1|host plain link|-Wall -O1
-Xcompiler=-O1|host plain link|-O1
--compiler-options '-Wall -O1'|host plain link|-Wall -O1
-Xcompiler '-Wl\,-x,-O1'|host plain link|-Wl,-x -O1
-Xlinker -rpath,/x|link|-Xlinker -rpath -Xlinker /x
--linker-options=-x|link|-Xlinker -x
-Wl,-rpath,/x|link|-Wl,-rpath,/x
-shared|link|-shared
-fPIC|host plain link|-fPIC
-fopenmp|host plain link|-fopenmp
-pthread|host plain link|-pthread
--default-stream per-thread|device host plain|-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1
-noeh|host plain|-fno-exceptions
-march=native|host plain|-march=native
-mtune=native|host plain|-mtune=native
-w|device host plain|-w
-Wall|host plain|-Wall
-Wextra|host plain|-Wextra
-Wno-unused-result|host plain|-Wno-unused-result
-Werror|host plain|-Werror
-Werror all-warnings|host plain|-Werror
-Werror=reorder|host plain|-Werror=reorder
--use_fast_math|device|-D__USE_FAST_MATH__=1 -fgpu-flush-denormals-to-zero
-use_fast_math|device|-D__USE_FAST_MATH__=1 -fgpu-flush-denormals-to-zero
-use_fast_math|device|-nvptx-prec-divf32=0
-use_fast_math -prec-div=true -fmad=false|device|-ffp-contract=off -mllvm -nvptx-prec-sqrtf32=0
-lineinfo|device|-gline-tables-only
--generate-line-info|device|-gline-tables-only
-fmad=false|device|-ffp-contract=off
--fmad true|device|-ffp-contract=fast
-ftz=true|device|-fgpu-flush-denormals-to-zero
-prec-div=false|device|-nvptx-prec-divf32=1
--prec-sqrt=false|device|-nvptx-prec-sqrtf32=0
-MT name|device host plain|-MT name
-MQ name|device host plain|-MQ name
-MP|device host plain|-MP
-MD|device host plain|-MD
-forward-unknown-to-host-compiler -fno-such|host plain link|-fno-such
-arch=sm_80|device host|SMsm_80
-arch=compute_60|device host|SMsm_60
-arch=sm_90a|device host|SMsm_90a
-arch=native|device host|SMsm_75
-arch=all-major|device host|SMsm_75
--gpu-architecture=sm_80 -code=sm_80,compute_80|device host|SMsm_80
-gencode arch=compute_60,code=sm_60|device host|SMsm_60
-gencode=arch=compute_80,code=[sm_80] -gencode arch=compute_60,code=sm_60|device host|SMsm_80
--generate-code=arch=compute_61,code='"sm_61,compute_61"'|device host|SMsm_61
END
}

@test "options of nvcc without effect are silent or warn once" {
    command_lines
    want=$(sed 's#/[^ ]*corun-[^ /]*##g' <<<"$stderr")
    for options in --expt-relaxed-constexpr -expt-relaxed-constexpr --extended-lambda \
        -extended-lambda --expt-extended-lambda '--default-stream legacy' -default-stream=null \
        -m64 '--machine 64' -rdc=false '-cudart shared' \
        -cudart=none -allow-unsupported-compiler -Wno-deprecated-gpu-targets -no-err-no -lcudart \
        -lcudart_static -lcudadevrt -code=sm_75; do
        command_lines $options
        [ "$(sed 's#/[^ ]*corun-[^ /]*##g' <<<"$stderr")" = "$want" ] || { echo "$options"; false; }
    done
    for options in -G '-Xptxas -v' '-Xptxas --verbose' \
        --ptxas-options=-O3,-v '-ccbin g++' '--compiler-bindir x' '-cudart static' -res-usage \
        '-maxrregcount 32' --maxrregcount=32 '--threads 4' -t4 '-diag-suppress 20012' \
        --diag-error=177 '-Xnvlink -w' '-Xcudafe --display_error_number' '-Xfatbin -x' -restrict \
        -dlto -extra-device-vectorization '-dopt on' '--split-compile 2' -err-no '-time f' \
        -src-in-ptx '-Werror cross-execution-space-call' -Wext-lambda-captures-this \
        -Werror=default-stream-launch; do
        command_lines $options $options
        [ "$(grep -c warning <<<"$stderr")" = 1 ] || { echo "$options: $stderr"; false; }
        grep -q '^warning: -.* is ignored: [a-zA-Z].*[^.]$' <<<"$stderr"
        [ "$(sed '/^warning/d; s#/[^ ]*corun-[^ /]*##g' <<<"$stderr")" = "$want" ]
    done
}

@test "options of nvcc that cannot work are errors" {
    while IFS='|' read -r options what advice; do
        corun cc x.cu $options
        refused "error: $what" "note: $advice"
    done <<'END'
-cubin|-cubin is not supported|-ptx writes PTX
--fatbin|-fatbin is not supported|-ptx writes PTX
-lib|-lib is not supported|compile with -c, then run ar
-m32|-m 32 is not supported|compile for 64 bits
END
}

@test "the version is that of the headers, where Makefiles look for nvcc's" {
    corun cc --version
    ended 0
    [[ $output =~ release\ ([0-9]+)\.([0-9]+),\ V([0-9]+)\.([0-9]+)\.[0-9]+ ]]
    number=$((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2] * 10))
    [ "${BASH_REMATCH[1]}.${BASH_REMATCH[2]}" = "${BASH_REMATCH[3]}.${BASH_REMATCH[4]}" ]
    grep -q "define CUDA_VERSION $number$" "$HERE/../../cuda/include/cuda.h"
    version=$output
    corun cc -V x.cu
    [ "$output" = "$version" ]
}

@test "without the OpenMP library of clang, host code runs in one thread" {
    CORUN_CLANG=$PWD/none
    printf '#!/bin/sh\n[ $1 = -dumpversion ] && echo 16.0.6 || echo libomp.so\n' >none
    chmod +x none
    for options in -fopenmp '-Xcompiler -Wall,-fopenmp,-O1' '-Xcompiler -fopenmp'; do
        command_lines $options
        [ "$(grep -c 'warning: -fopenmp is ignored.*apt install libomp-16-dev' <<<"$stderr")" = 1 ]
        [[ "$host $plain $link " != *" -fopenmp "* && $host == *' -Wno-source-uses-openmp '* ]]
    done
    command_lines -Xcompiler -fopenmp-simd
    [[ $stderr != *'warning: -fopenmp'* && $host == *' -fopenmp-simd '* ]]
}

@test "options and sources from files" {
    printf -- '-DA=1 "-DB=x y"\n\t-I inc\\ 2 -optf other x.cu' >first
    printf -- "-O1 '-DC=\\q'" >other
    touch x.cu
    for options in '-optf first' '--options-file=first' '-options-file first'; do
        corun cc -c $options -dryrun
        ended 0
        for pass in only host; do
            grep -e "--cuda-.*$pass" <<<"$stderr" >line
            grep -q -e " -DA=1 '-DB=x y' '-Iinc 2' " line
            grep -q -F -e "'-DC=\\q'" line
        done
    done
    corun cc -c -optf other,first -dryrun
    ended 0
    echo '-optf self' >self
    corun cc x.cu -optf self
    refused 'more than 16 files inside each other'
    corun cc x.cu -optf gone
    refused 'cannot read the option file gone'
    corun cc x.cu -optf
    refused '-optf needs the name of a file'
    corun cc --options-file= x.cu
    refused '--options-file= needs the name of a file'
    printf -- '-O1\n-DA="x' >open
    corun cc x.cu -optf open
    refused 'open:2:1: error: a quote without an end'
    printf -- '-O1 \0 -DA' >zero
    corun cc x.cu -optf zero
    refused 'a byte 0 in an option file'
}
