#!/usr/bin/env bats
# corun cc: compiles CUDA C++ to programs; messages where compiling is impossible.
load common

# Writes NAME.cu: a program that fills an array with 3 i by a kernel and prints the sum.
program() { # NAME
    cat >"$1.cu" <<'END'
#include <cstdio>
#include <vector>
__global__ void triple(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] *= FACTOR; }
int main()
{
    std::vector<int> a(1024);
    for (int i = 0; i < 1024; i++) a[i] = i;
    int *d, sum = 0;
    cudaMalloc(&d, sizeof(int) * a.size());
    cudaMemcpy(d, a.data(), sizeof(int) * a.size(), cudaMemcpyHostToDevice);
    triple<<<8, 128>>>(d);
    cudaMemcpy(a.data(), d, sizeof(int) * a.size(), cudaMemcpyDeviceToHost);
    for (int v : a) sum += v;
    printf("sum %d\n", sum);
}
END
}

# bats test_tags=long
@test "a program is compiled and runs" {
    clang_here
    program triple
    corun cc triple.cu -o triple -DFACTOR=3
    ended 0
    [ -z "$output" ]
    [[ -z $stderr || $stderr == 'warning: clang 1'[45]' gives wrong results'* ]]
    corun cuda ./triple
    ended 0
    shows 'sum 1571328'
}

@test "a program stays if linking another in its place fails" {
    clang_here
    echo old >prog
    printf 'void missing();\nint main() { missing(); }\n' >a.cpp
    corun cc a.cpp -o prog
    ended 2
    [ "$(cat prog)" = old ]
    printf 'int main() { return 0; }\n' >a.cpp
    (umask 027 && corun cc a.cpp -o prog && ended 0)
    [ "$(stat -c %a prog)" = 750 ]
    ./prog
}

# bats test_tags=long
@test "permuted bytes, the smaller of two zeros, wrong directions of copies" {
    clang_here
    cat >a.cu <<'END'
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__device__ unsigned out[4];
__global__ void k(unsigned a, unsigned b, unsigned s, __half p, __half n)
{
    out[0] = __byte_perm(a, b, s);
    out[1] = __half_as_ushort(__hmin(p, n)) << 16 | __half_as_ushort(__hmax(n, p));
    out[2] = __half_as_ushort(__hmin(n, p)) << 16 | __half_as_ushort(__hmax(p, n));
    __nv_bfloat16 x = __half2float(p), y = __half2float(n);
    out[3] = __bfloat16_as_ushort(__hmin(x, y)) << 16 | __bfloat16_as_ushort(__hmax(y, x));
}
int main()
{
    k<<<1, 1>>>(0x81020304, 0xa0b0c0d0, 0xfb8c, __half(0.0f), __half(-0.0f));
    unsigned v[4];
    printf("%d", cudaMemcpyFromSymbol(v, out, sizeof v));
    for (int i = 0; i < 4; i++) printf(" %08x", v[i]);
    printf("\n%d %d ", cudaMemcpyToSymbol(out, v, sizeof v, 0, cudaMemcpyDeviceToHost),
           cudaMemcpyFromSymbol(v, out, sizeof v, 0, cudaMemcpyHostToDevice));
    printf("%d\n", cudaMemcpyFromSymbol(v, out, sizeof v, 0, cudaMemcpyHostToHost));
}
END
    corun cc a.cu -o a
    ended 0
    corun cuda ./a
    ended 0
    shows '0 a08104d0 80000000 80000000 80000000' '21 21 21'
}

# bats test_tags=long
@test "device code of every kind does what the host knows" {
    clang_here
    corun cc "$HERE/../cc/language.cu" -o language
    ended 0
    corun cuda ./language
    ended 0
    shows PASSED
    [ "$(grep -c '^ok ' <<<"$output")" -ge 80 ]
}

# bats test_tags=long
@test "cooperative groups" {
    clang_here
    corun cc "$HERE/../cc/groups.cu" -o groups -Xcompiler -Wall,-Wextra,-Werror
    ended 0
    corun cuda --quiet ./groups
    ended 0
    [ "$output" = $'no error, 9192 right\nno error, 0 wrong\nno error, 0 wrong' ]
    corun run 'cuda:./groups' --skip-kernels all --alone skip --show-output --quiet
    ended 0
    shows 'no error, 9192 right' 'no error, 0 wrong'
}

# bats test_tags=long,every
@test "math functions have C++'s overloads in device code" {
    clang_here
    corun cc "$HERE/../cc/overloads.cu" -o overloads
    ended 0
    corun cuda --quiet ./overloads
    ended 0
    [[ $output =~ ^0\ of\ ([0-9]+)\ values ]]
    [ "${BASH_REMATCH[1]}" -ge 2000 ]
}

# bats test_tags=long
@test "several sources of several kinds, objects and libraries" {
    clang_here
    mkdir head
    echo 'extern "C" int half(int); int twice(int); void launch(int *);' >head/parts.h
    echo 'int half(int a) { return a / 2; }' >half.c
    printf '#include <parts.h>\n#include <cuda_runtime.h>\n' >twice.cpp
    echo 'int twice(int a) { return a * 2; }' >>twice.cpp
    cat >kernel.cu <<'END'
#include "parts.h"
static __global__ void k(int *a) { *a += 5; }
void launch(int *a) { k<<<1, 1>>>(a); }
END
    cat >main.cu <<'END'
#include "parts.h"
#include <cmath>
#include <cstdio>
static __global__ void k(int *a) { *a *= 10; }
int main()
{
    int *a;
    cudaMallocManaged(&a, 4);
    *a = twice(half(7));
    launch(a);
    k<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    printf("%d %g\n", *a, cbrt((double)*a));
}
END
    corun cc -c kernel.cu -Ihead -O2 -g
    ended 0
    [ -f kernel.o ]
    corun cc -I head main.cu kernel.o twice.cpp half.c -lm -L. -o all
    ended 0
    corun cuda ./all
    ended 0
    shows '110 4.79142'
}

# bats test_tags=long,every
@test "PTX only, or beside the program" {
    clang_here
    program triple
    corun cc -ptx triple.cu -DFACTOR=3
    ended 0
    corun ptx triple.ptx
    ended 0
    shows 'triple(int*)'
    corun cc -ptx triple.cu -DFACTOR=3 -o other.ptx -arch=sm_80
    ended 0
    grep -q '.target sm_80' other.ptx
    rm triple.ptx
    echo '__global__ void k(int *a) { *a = __reduce_add_sync(0xffffffffu, *a); }' >redux.cu
    corun cc -ptx redux.cu -arch=sm_80
    ended 0
    corun ptx redux.ptx
    ended 0
    shows 'redux 1'
    corun cc -ptx redux.cu
    refused '__reduce_add_sync'
    corun cc --keep triple.cu -DFACTOR=3
    ended 0
    [ -f a.out ]
    [ -f triple.ptx ]
}

# bats test_tags=long,every
@test "fast math takes the fast functions" {
    clang_here
    echo '__global__ void k(float *a) { *a = sinf(*a) / a[1] + powf(a[2], a[3]); }' >k.cu
    corun cc -ptx k.cu -o slow.ptx
    corun cc -ptx k.cu -o fast.ptx --use_fast_math
    ended 0
    run ! grep -q sin.approx slow.ptx
    grep -q sin.approx.f32 fast.ptx
    grep -q lg2.approx.f32 fast.ptx
    grep -q div.rn.f32 slow.ptx
    run ! grep -q div.rn.f32 fast.ptx
}

# bats test_tags=long,every
@test "clang's messages pass through, and nothing is left" {
    clang_here
    export TMPDIR=$PWD/tmp
    mkdir tmp
    program triple
    corun cc triple.cu -o triple
    refused "triple.cu:3:" "use of undeclared identifier 'FACTOR'" "clang ended with status 1"
    [ ! -e triple ]
    [ -z "$(ls tmp)" ]
    corun cc triple.cu -o triple -DFACTOR=3
    ended 0
    [ -z "$(ls tmp)" ]
    printf 'int unused(void) { int a; return 0; }\nint main(void) {}\n' >warned.c
    corun cc warned.c -o warned -Xcompiler -Wall,-Wextra
    ended 0
    says 'unused variable'
}

# bats test_tags=long
@test "-E prints the source after preprocessing, or writes a file" {
    clang_here
    program triple
    corun cc -E triple.cu -DFACTOR=3
    ended 0
    shows '*= 3;' 'triple<<<8, 128>>>(d);'
    corun cc -E triple.cu -DFACTOR=4 -o triple.ii
    ended 0
    [ -z "$output" ]
    grep -q '\*= 4;' triple.ii
    [ ! -e a.out ]
    corun cc -run triple.cu
    refused '-run is not supported' 'with corun cuda'
}

# bats test_tags=long
@test "what corun cc lacks is named" {
    clang_here
    for header in thrust/sort.h:Thrust cub/cub.cuh:CUB cublasXt.h:cuBLASXt \
        curand_mtgp32_kernel.h:cuRAND; do
        echo "#include <${header%%:*}>" >lacks.cu
        corun cc -ptx lacks.cu
        refused "lacks.cu:1:10" "corun cc does not provide ${header#*:}"
    done
    echo '__device__ __managed__ int a;' >managed.cu
    corun cc -ptx managed.cu
    refused 'managed.cu:1:' 'no __managed__ variables'
}

@test "what clang cannot compile for GPUs is explained" {
    printf '__global__ void a() {}\n__global__ void b() { a<<<1, 1>>>(); }\n' >launch.cu
    corun cc -c launch.cu
    refused "launch.cu:2:" "corun has no launches from kernels"
    echo '__global__ void a(int **o, int n) { *o = (int *)__builtin_alloca(n); }' >dynamic.cu
    corun cc -c dynamic.cu
    [ "$status" = 0 ] || refused "this clang cannot compile alloca"
}

# bats test_tags=long
@test "a program's macros may have short and common names" {
    clang_here
    cat >macros.cu <<'END'
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <device_functions.h>
#include <math_constants.h>
#include <surface_functions.h>
#include <texture_fetch_functions.h>
texture<float, 2> picture;
__global__ void k(int *o, cudaTextureObject_t t, cudaSurfaceObject_t s)
{
    __half2 h = __half2(__half(1.0f), __half(2.0f));
    o[0] = A + Z + (int)hypotf(N, 24) + (int)pow(2., N) + (int)__low2float(h) + __popc(T);
    o[1] = (int)tex2D(picture, 1, 2) + (int)tex1D<float>(t, 2) + surf2Dread<int>(s, 4, 1);
}
int main() { return ERROR + ATTRIBUTE + SIZE + H + H2; }
END
    names="$(echo {A..Z}) ADD API ATTRIBUTE BLOCK CHECK COLS COUNT DATA DEBUG DEPTH DIM ERROR GRID
        H2 HEIGHT INF LEN LOAD MAX MIN NUM PI ROWS SIZE STEP STORE SUB SUM THREADS TILE TYPE
        VALUE WARP WARP_SIZE WIDTH"
    corun cc macros.cu -o macros -Xcompiler -Werror $(printf -- '-D%s=7 ' $names)
    ended 0
    status=0
    ./macros || status=$?
    [ "$status" = 35 ]
}

@test "without clang the message says how to get it" {
    program triple
    CORUN_CLANG=no-such-clang corun cc triple.cu -o triple
    refused 'corun cc needs clang, but cannot run clang' 'apt install clang-16'
}

@test "an older clang gives way to clang-16 and later ones, or is warned of" {
    program triple
    mkdir bin
    export PATH=$PWD/bin:$PATH
    fake() { # NAME VERSION
        printf '#!/bin/sh\n[ "$1" != -dumpversion ] || { echo %s.0.6; exit; }\n' "$2" >"bin/$1"
        printf 'echo "compiled by %s" >&2\nexit 1\n' "$1" >>"bin/$1"
        chmod +x "bin/$1"
    }
    unset CORUN_CLANG
    fake clang 14
    fake clang-16 16
    corun cc triple.cu
    refused 'compiled by clang-16'
    [[ $stderr != *warning* ]]
    fake clang 18
    corun cc triple.cu
    refused 'compiled by clang'
    [[ $stderr != *'by clang-16'* && $stderr != *warning* ]]
    fake mine 15
    CORUN_CLANG=mine corun cc triple.cu
    refused 'compiled by mine' 'warning: clang 15 gives wrong results where a function returns'
}

# bats test_tags=long,every
@test "a struct with padding is returned as it is" {
    clang_here
    cat >padded.cu <<'END'
#include <cstdio>
struct item {
    short rank;
    bool odd;
    __device__ item(int v) : rank((short)v), odd(v & 1) {}
};
__device__ bool below(item a, item b) { return a.rank < b.rank; }
__device__ item load(const int *v, int i) { return item(v[i]); }
__device__ item larger(item a, const int *v, int i)
{
    item b = load(v, i);
    return below(a, b) ? b : a;
}
__global__ void k(const int *v, int *out)
{
    int i = threadIdx.x;
    item a(v[i]);
    a = larger(a, v, i ^ 1);
    out[i] = a.rank * 2 + a.odd;
}
int main()
{
    int v[32], out[32], *in, *to, wrong = 0;
    for (int i = 0; i < 32; i++) v[i] = i * 13 % 32;
    cudaMalloc(&in, sizeof v);
    cudaMalloc(&to, sizeof v);
    cudaMemcpy(in, v, sizeof v, cudaMemcpyHostToDevice);
    k<<<1, 32>>>(in, to);
    cudaMemcpy(out, to, sizeof v, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) {
        int most = v[i] > v[i ^ 1] ? v[i] : v[i ^ 1];
        wrong += out[i] != most * 2 + (most & 1);
    }
    printf("%d of 32 wrong\n", wrong);
}
END
    corun cc padded.cu -o padded
    ended 0
    [[ $stderr != warning:* ]] || skip "clang is older than 16"
    corun cuda --quiet ./padded
    ended 0
    [ "$output" = '0 of 32 wrong' ]
}

@test "mistakes on the command line" {
    program triple
    corun cc
    refused 'expected a .cu file'
    corun cc triple.txt
    refused 'expected a file name ending in .cu'
    pointed triple.txt 7
    corun cc none.cu
    refused 'cannot read none.cu'
    corun cc -c -ptx triple.cu
    refused 'exclude each other'
    corun cc -c triple.cu none.cu -o a.o
    refused '-o names one file, but 2 would be written'
    corun cc triple.cu -arch=compute
    refused "error: -arch is 'compute', expected sm_NN or compute_NN"
    corun cc triple.cu -gencode compute_75
    refused "-gencode is 'compute_75', expected arch=compute_NN,code=sm_NN"
    corun cc triple.cu -o /nowhere/triple
    refused '/nowhere/triple'
    corun cc triple.cu -I
    refused '-I needs a value'
    corun cc triple.cu -O
    refused '-O needs a value'
    corun cc --no-such triple.cu
    refused "error: unknown option '--no-such'"
    corun cc -expt-relaxed-constexp triple.cu
    refused "did you mean '--expt-relaxed-constexpr'?"
    corun cc triple.cu -fmad=fast
    refused "error: -fmad is 'fast', expected one of true|false"
    corun cc triple.cu -lineinfo=yes
    refused '-lineinfo takes no value'
    corun cc -c triple.cu other.cu -MD -MF a.d
    refused '-MF names one file, but 2 would be written'
    corun cc triple.cu -o a -MD -MF triple.cu
    refused 'triple.cu'
}

# bats test_tags=long
@test "make rules" {
    clang_here
    program triple
    mkdir out
    echo '#define FACTOR 3' >factor.h
    echo '#include <time.h>' >>factor.h
    corun cc triple.cu -include factor.h -MM
    ended 0
    [ "$output" = 'triple.o: triple.cu factor.h' ]
    corun cc triple.cu -include factor.h -M -MT a
    ended 0
    [[ $output == 'a: triple.cu'*factor.h*/time.h* ]]
    [ ! -e triple.o ]
    corun cc triple.cu -include factor.h -M -o out/rule
    ended 0
    [[ -z $output && $(<out/rule) == 'triple.o: triple.cu'* ]]
    corun cc -c triple.cu -include factor.h -MMD -MP -o out/t.o
    ended 0
    [ "$(grep . out/t.d)" = $'out/t.o: triple.cu factor.h\nfactor.h:' ] # clang 14: an empty line
    corun cc -c triple.cu -include factor.h -MD -MF out/rule -MT 'b'
    ended 0
    [[ $(<out/rule) == 'b: triple.cu'*factor.h*/time.h* ]]
    [[ -e triple.o && ! -e triple.d ]]
}

# bats test_tags=long
@test "sources of any suffix, macros, and headers of an installed toolkit" {
    clang_here
    program triple
    mv triple.cu triple.inc
    mkdir -p toolkit/include toolkit/lib64
    echo '#error "a header of NVIDIA"' | tee toolkit/include/{cuda_runtime,cuda_runtime_api}.h \
        >toolkit/include/cuda.h
    echo damaged | tee toolkit/lib64/libcuda.so >toolkit/lib64/libcudart.so
    echo '#define FACTOR 3' >factor.h
    corun cc -x cu triple.inc -DFACTOR=4 -UFACTOR -include factor.h -o triple --keep \
        --keep-dir toolkit -Itoolkit/include -isystem toolkit/include -Ltoolkit/lib64 -lcudart \
        -lcuda
    ended 0
    [ "$(grep -c warning <<<"$stderr")" -ge 2 ]
    says "warning: -I toolkit/include is ignored: the folder holds NVIDIA's headers"
    [ -e toolkit/triple.ptx ]
    corun cuda --quiet ./triple
    [ "$output" = 'sum 1571328' ]
    corun cc triple.inc
    refused '-x cu compiles a file of any name'
}

# bats test_tags=long
@test "device code of several files is linked with -rdc=true, otherwise refused" {
    clang_here
    cat >uses.cu <<'END'
#include <cstdio>
extern __device__ int twice(int);
extern "C" __device__ int count;
extern __constant__ float scale[4];
__global__ void k(int *a) { *a = twice(count) + (int)scale[1]; printf("%d", *a); }
END
    corun cc -c uses.cu
    refused "uses.cu: device code uses the function 'twice', which the file does not define" \
        "variable 'count'" "variable 'scale'" '-rdc=true for every file'
    [ ! -e uses.o ]
    corun cc -ptx uses.cu
    ended 0
    cat >parts.cu <<'END'
#include <cstdio>
__constant__ float scale[4] = {1, 2, 3, 4};
extern "C" __device__ int count;
__device__ int count = 20;
__device__ int twice(int a) { return 2 * a; }
void launch();
int main() { launch(); return cudaDeviceSynchronize(); }
END
    cp uses.cu launch.cu
    cat >>launch.cu <<'END'
void launch()
{
    int *a;
    cudaMalloc(&a, sizeof *a);
    k<<<1, 1>>>(a);
}
END
    corun cc -rdc=true parts.cu launch.cu -o all
    ended 0
    corun cuda --quiet ./all
    [ "$output" = 42 ]
    corun cc -dc parts.cu
    ended 0
    corun cc --device-c launch.cu
    ended 0
    corun cc -dlink parts.o launch.o -o linked.o -lcudadevrt
    ended 0
    corun cc parts.o launch.o linked.o -o all
    ended 0
    corun cuda --quiet ./all
    [ "$output" = 42 ]
    corun cc -dc parts.cu -dlink
    refused '-dlink takes objects and libraries, not parts.cu'
}

# bats test_tags=long
@test "a shared library with kernels" {
    clang_here
    cat >launch.cu <<'END'
__global__ void k(int *a) { *a *= 3; }
int launch(int value)
{
    int *a;
    cudaMallocManaged(&a, sizeof *a);
    *a = value;
    k<<<1, 1>>>(a);
    cudaDeviceSynchronize();
    return *a;
}
END
    printf '#include <stdio.h>\nint launch(int);\n' >main.cpp
    echo 'int main() { printf("%d\n", launch(14)); }' >>main.cpp
    corun cc -shared -Xcompiler -fPIC launch.cu -o liblaunch.so
    ended 0
    corun cc main.cpp -L. -llaunch -Xlinker -rpath,"$PWD" -o main
    ended 0
    corun cuda --quiet ./main
    [ "$output" = 42 ]
}

@test "two libraries with kernels of one name, loaded by a Python host" {
    clang_here
    for k in 2 3; do
        cat >"by$k.cu" <<END
static __global__ void scale(float *x) { x[threadIdx.x] *= $k; }
extern "C" int scale_by(float *host) {
    float *x;
    cudaMalloc(&x, 128);
    cudaMemcpy(x, host, 128, cudaMemcpyHostToDevice);
    scale<<<1, 32>>>(x);
    return cudaMemcpy(host, x, 128, cudaMemcpyDeviceToHost);
}
END
        "$CORUN" cc -shared -fPIC "by$k.cu" -o "by$k.so"
    done
    cat >host.py <<'END'
import ctypes
x = (ctypes.c_float * 32)(*range(32))
for name in ('./by2.so', './by3.so', './by2.so'):
    assert not ctypes.CDLL(name).scale_by(x)
print(list(x) == [12 * i for i in range(32)])
END
    corun cuda --quiet python3 host.py
    ended 0
    [ "$output" = True ]
}

@test "-v prints the command lines" {
    program triple
    CORUN_CLANG=false corun cc -c triple.cu --verbose
    refused 'clang ended with status 1'
    says 'false --driver-mode=g++ -x cuda'
}

@test "textures and surfaces become their instructions" {
    clang_here
    cat >k.cu <<'END'
texture<float, 1> line;
texture<uchar4, 2, cudaReadModeNormalizedFloat> picture;
__global__ void k(float *o, cudaTextureObject_t t, cudaSurfaceObject_t s)
{
    o[0] = tex1Dfetch(line, 3) + tex2D(picture, 1, 2).x + tex3D<float4>(t, 1, 2, 3).w;
    surf2Dwrite(surf2Dread<float2>(s, 8, 1).y, s, 4, 2, cudaBoundaryModeZero);
}
END
    corun cc -ptx k.cu
    ended 0
    for text in '.texref line' 'tex.1d.v4.f32.s32' 'tex.2d.v4.f32.f32' 'tex.3d.v4.f32.f32' \
        'suld.b.2d.b64.trap' 'sust.b.2d.b32.zero'; do
        grep -qF -- "$text" k.ptx
    done
}

# bats test_tags=long
@test "texture references are bound and read" {
    clang_here
    cat >bound.cu <<'END'
#include <cstdio>
texture<float> line;
texture<float, cudaTextureType2D> plane;
__global__ void add(float *out)
{
    int i = threadIdx.x;
    out[i] = tex1Dfetch(line, i) + tex2D(plane, i + 0.5f, 1.5f);
}
int main()
{
    float row[32], rows[4][32], *in, *out;
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    for (int i = 0; i < 128; i++) row[i % 32] = rows[i / 32][i % 32] = 1000 * (i / 32) + i % 32;
    cudaMalloc(&in, sizeof row);
    cudaMalloc(&out, sizeof row);
    cudaMemcpy(in, row, sizeof row, cudaMemcpyHostToDevice);
    cudaBindTexture(0, line, in, sizeof row);
    cudaMallocArray(&array, &desc, 32, 4);
    cudaMemcpy2DToArray(array, 0, 0, rows, sizeof *rows, sizeof *rows, 4, cudaMemcpyHostToDevice);
    cudaBindTextureToArray(plane, array);
    add<<<1, 32>>>(out);
    cudaMemcpy(row, out, sizeof row, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) printf("%g%c", row[i], i < 31 ? ' ' : 10);
}
END
    corun cc bound.cu -o bound
    ended 0
    corun cuda --quiet ./bound
    ended 0
    [ "$output" = "$(seq -s ' ' 4000 2 4062)" ]
}

# bats test_tags=long,every
@test "README's program ends alone and beside another" {
    clang_here
    cp "$HERE"/../../examples/program/relax.* .
    corun cc relax.cu -o relax
    ended 0
    corun run ./relax.yaml --skip-kernels all --alone skip --show-output --quiet
    ended 0
    shows '110 steps'
    corun run 'cuda:./relax' kmeans --policy spatial --show-output
    ended 0
    shows '110 steps, second place at 92.410 degrees'
}

# bats test_tags=long
@test "nothing temporary stays, however corun cc ends" {
    mkdir t
    printf '#!/bin/sh\necho >started\nexec sleep 4\n' >slow
    chmod +x slow
    program triple
    export TMPDIR=$PWD/t CORUN_CLANG=$PWD/slow
    for signal in HUP KILL TERM INT QUIT; do
        rm -f started
        # a shell's background job ignores SIGINT
        env python3 -c 'import os, signal, sys # env: no shell between, which would get the signal
for s in (signal.SIGINT, signal.SIGQUIT): signal.signal(s, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$CORUN" cc triple.cu -o triple 2>err.txt 3>&- &
        until [ -e started ]; do sleep 0.05; done
        [ "$(ls t)" ] # a temporary folder exists while corun cc runs
        kill -"$signal" $!
        wait $! || true
        for i in $(seq 60); do
            [ -z "$(ls t)" ] && break
            sleep 0.05
        done
        [ -z "$(ls t)" ] || { echo "after SIG$signal: $(ls t)"; false; }
    done
    unset CORUN_CLANG
    printf '#!/bin/sh\nexit 1\n' >slow
    CORUN_CLANG=$PWD/slow corun cc triple.cu -o triple
    refused "ended with status 1"
    [ -z "$(ls t)" ]
}

# bats test_tags=long
@test "a program that writes one element past the end of a buffer" {
    clang_here
    cat >past.cu <<'END'
#include <cstdio>
__global__ void k(unsigned *p) { if (threadIdx.x <= 256) p[threadIdx.x] = threadIdx.x; }
int main()
{
    unsigned *p;
    cudaMalloc(&p, 1024);
    k<<<1, 288>>>(p);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
END
    corun cc past.cu -o past
    corun cuda ./past
    ended 1
    says 'out-of-bounds global store' '1024 bytes; the address is 0 past the end' \
        'a GPU maps whole pages' '--set memory.bounds=page'
    corun cuda --set memory.bounds=page ./past
    ended 0
    shows 'no error'
}
