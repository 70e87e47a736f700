#!/usr/bin/env bats
# PTX with a single damage each: every message has its place, and nothing crashes.
load common

# SED-EXPRESSION LINE TEXT: after the damage, the error's place is the start of TEXT in LINE,
# whether the module is only read or named by an app.
damaged() {
    sed -i "$1" scale.ptx
    if cmp -s scale.ptx "$HERE/scale.ptx"; then echo "'$1' damages nothing"; return 1; fi
    corun ptx scale.ptx
    refused scale.ptx:
    [ $# = 1 ] || placed scale.ptx "$2" "$3"
    corun run ./scale.yaml --alone skip
    refused scale.ptx:
    [ ! -e y.bin ]
}

@test "the undamaged module is described" {
    corun ptx scale.ptx
    ended 0
    shows scale registers
}

# bats test_tags=long
@test "every shipped module is described" {
    for module in "$HERE"/../../workloads/*/kernel.ptx; do
        corun ptx "$module"
        ended 0
    done
}

@test "a workload's module, also one that it writes from its parameters" {
    corun ptx synth:regs=40,shared=1088
    ended 0
    shows 'synth   40         1088 '
    corun ptx --source synth:regs=40,shared=1088
    ended 0
    printf '%s\n' "$output" >synth.ptx
    corun ptx synth.ptx
    ended 0
    shows 'synth   40         1088 '
    corun ptx synth:regs=40,mlp=64,slots=64
    refused
    pointed synth:regs=40,mlp=64,slots=64 7
    says 'needs 70 registers'
}

@test "registers and instructions as on a machine" {
    local registers
    for registers in "none 21" "a100 32" "rtx5090 40"; do
        read -r gpu n <<<"$registers"
        if [ "$gpu" = none ]; then corun ptx mm; else corun ptx mm --gpu "$gpu"; fi
        ended 0
        grep -qE "^mm +$n +2048 +0 +100 " <<<"$output"
    done
    corun ptx mm --gpu a100 --set exec.registers=live --set exec.expand=ptxas
    ended 0
    grep -qE '^mm +[0-9]+ +2048 +0 +[0-9]+ ' <<<"$output"
    [[ $output != *" 100 "* ]]
    corun ptx mm --gpu a10
    ended 2
    says "did you mean 'a100'?"
}

@test "an unknown instruction names the nearest" {
    damaged 's/mul.f32/mull.f32/' 34 mull
    says "'mul'"
}

@test "an unknown type" {
    damaged 's/mul.f32/mul.f33/' 34 .f33
}

@test "a type the instruction does not have" {
    damaged 's/mul.f32/mul.wide.f32/'
    says scale.ptx:34: mul.wide.f32
}

@test "an undeclared register" {
    damaged 's/%f3, %f1, %f2/%f3, %f1, %f9/' 34 %f9
}

@test "a register of a wrong type" {
    damaged 's/%f3, %f1, %f2/%f3, %f1, %rd2/' 34 %rd2
}

@test "a label that is nowhere" {
    damaged 's/bra \$done/bra $gone/' 27 '$gone'
    says '$gone'
}

@test "a missing operand" {
    damaged 's/add.s64 %rd6, %rd3, %rd5/add.s64 %rd6, %rd3/'
    says scale.ptx:31:
}

@test "an operand too many" {
    damaged 's/add.s64 %rd6, %rd3, %rd5/add.s64 %rd6, %rd3, %rd5, %rd5/'
    says scale.ptx:31:
}

@test "a missing semicolon" {
    damaged 's/mov.u32 %r3, %ntid.x;/mov.u32 %r3, %ntid.x/'
    says "';'"
}

@test "a missing closing brace" {
    damaged '$d'
    says "'}'"
}

@test "a text cut in the middle of an instruction" {
    head -c 600 "$HERE/scale.ptx" >scale.ptx
    corun ptx scale.ptx
    refused scale.ptx:
    says error
}

# bats test_tags=long
@test "every prefix of a module is refused or read, never a crash" {
    bytes=$(stat -c %s "$HERE/scale.ptx")
    for n in $(seq 0 23 "$bytes"); do
        head -c "$n" "$HERE/scale.ptx" >cut.ptx
        corun ptx cut.ptx
        [ "$status" = 0 ] || [ "$status" = 2 ] || { echo "$n bytes: exit status $status"; false; }
    done
}

@test "an unknown directive" {
    damaged 's/\.reg \.f32/.regg .f32/' 14 .regg
}

@test "a parameter that is not there" {
    damaged 's/\[scale_x\]/[scale_z]/' 20 scale_z
}

@test "a name declared twice" {
    damaged 's/\.reg \.f32 %f<4>;/.reg .f32 %f<4>; .reg .f32 %f<4>;/'
    says scale.ptx:14:
}

@test "a character that is none of PTX" {
    damaged 's/ret;/ret; ?/' 37 '?'
}

@test "a number too large" {
    damaged 's/%r5, 4;/%r5, 99999999999999999999999;/' 30 999
}

@test "a comment without an end" {
    damaged '1s,//,/*,'
    says scale.ptx:1:
}

@test "a module without a version" {
    damaged '/^\.version/d'
    says .version
}

@test "several errors in one go" {
    sed -i 's/mad.lo/madd.lo/;s/%f3, %f1, %f2/%f3, %f1, %f9/;s/bra \$done/bra $gone/' scale.ptx
    corun ptx scale.ptx
    refused
    placed scale.ptx 25 madd
    placed scale.ptx 27 '$gone'
    placed scale.ptx 34 %f9
}

@test "a binary file, an empty file, a folder" {
    head -c 20000 "$CORUN" >scale.ptx
    corun ptx scale.ptx
    refused scale.ptx
    corun run ./scale.yaml --alone skip
    refused scale.ptx
    : >scale.ptx
    corun ptx scale.ptx
    refused scale.ptx
    mkdir folder.ptx
    corun ptx folder.ptx
    refused folder.ptx
    corun ptx nowhere.ptx
    refused nowhere.ptx
}

@test "100,000 nested braces" {
    { head -12 "$HERE/scale.ptx"; printf '{%.0s' $(seq 100000); } >scale.ptx
    corun ptx scale.ptx
    refused scale.ptx:
    { head -12 "$HERE/scale.ptx"; printf '{%.0s' $(seq 100000)
      printf '}%.0s' $(seq 100001); } >scale.ptx
    corun ptx scale.ptx
    [ "$status" = 0 ] || refused scale.ptx:
}

@test "an instruction that is known but not supported is refused with its name and place" {
    sed -i 's/^\tret;/\tmultimem.ld_reduce.v4.f32 {%f1, %f2, %f3, %f3}, [%rd1];\n\tret;/' scale.ptx
    corun run ./scale.yaml --alone skip
    refused multimem scale
    placed ./scale.ptx 37 multimem
    [ ! -e y.bin ]
}

@test "vectors wider than 128 bits, and atomics on vectors, are refused outside their forms" {
    while IFS='|' read -r line sentence; do
        { sed -n '1,/^\.address_size/p' scale.ptx
          printf '.visible .entry k(.param .u64 p) {\n.reg .b64 %%d<9>; .reg .f32 %%f<9>;\n'
          printf '.reg .b16 %%h<9>; .reg .b32 %%r; .reg .b128 %%q<3>; .reg .pred %%p;\n'
          printf '%s\nret; }\n' "$line"
        } >wide.ptx
        corun ptx wide.ptx
        refused "wide.ptx:$(grep -n -F "$line" wide.ptx | cut -d: -f1):" "$sentence"
    done <<'END'
ld.shared.v8.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%d1];|has at most 128 bits
ld.global.v8.b16 {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8}, [%d1];|in global memory 256
atom.global.min.noftz.f16 %h1, [%d1], %h2;|needs .v2, .v4 or .v8
atom.shared.v2.f32.add {%f1, %f2}, [%d1], {%f3, %f4};|has no such vector form
red.global.v2.f32.min [%d1], {%f3, %f4};|has no such vector form
add.b128 %q0, %q1, %q2;|has no form of 128 bits
atom.global.add.b128 %q0, [%d1], %q2;|has no form of 128 bits
END
}

@test "kernels that are supported are described beside one that is not" {
    sed -n '1,/^\.address_size/p' scale.ptx >mixed.ptx
    cat >>mixed.ptx <<'END'
.visible .entry bad(.param .u64 t) {
    .reg .f32 %f<5>; .reg .b64 %d; .reg .b32 %r<4>;
    multimem.ld_reduce.v4.f32 {%f1, %f2, %f3, %f4}, [%d];
    ret;
}
.visible .entry good() { ret; }
END
    corun ptx mixed.ptx
    ended 2
    shows "good    " registers "not supported, line 7: instruction"
    says "'multimem.ld_reduce.v4.f32' is not supported: an address does not lead to several GPUs" \
        "(reachable from kernel 'bad')"
    [[ $stderr != *good* ]]
    sed -i '/good/d' mixed.ptx
    corun ptx mixed.ptx
    refused mixed.ptx: multimem
}

# Writes a module of two kernels, the second with LINE inside, and an app file for each.
two_kernels() {
    { sed -n '1,/^\.address_size/p' scale.ptx
      printf '.visible .entry _Z4goodPj(.param .u64 p) { .reg .b64 %%d; .reg .b32 %%r;\n'
      printf 'ld.param.u64 %%d, [p]; mov.u32 %%r, 7; st.global.u32 [%%d], %%r; ret; }\n'
      printf '.visible .entry bad(.param .u64 p) { .reg .b32 %%r;\n%s\nret; }\n' "$1"
    } >two.ptx
    for kernel in good bad; do
        printf 'app: a\nmodule: two.ptx\nbuffers:\n  b: {type: u32, count: 4}\n' >$kernel.yaml
        printf 'launches:\n  - {kernel: %s, grid: [1], block: [32], ' $kernel >>$kernel.yaml
        printf 'args: [$b]}\n' >>$kernel.yaml
    done
}

# bats test_tags=long
@test "what is not known refuses its kernel, and no other" {
    for line in 'fooo.b32 {%r, %r}, [%r];' 'add.u32.later %r, %r, %r;' 'mov.u32 %r, %nosuch.x;' \
                '.foo 1, 2;' 'mma.sync %r;'; do
        two_kernels "$line"
        number=$(grep -n -F "$line" two.ptx | cut -d: -f1)
        corun ptx two.ptx
        ended 2
        shows 'good(unsigned int*)' "not supported, line $number: "
        says "two.ptx:$number:"
        corun run ./good.yaml --alone skip
        ended 0
        corun run ./bad.yaml --alone skip
        refused "./two.ptx:$number:" "kernel 'bad' is used in ./bad.yaml, line 6"
    done
}

@test "kernels by their names in C++" {
    two_kernels ''
    for name in good 'good(unsigned*)' '"void good(unsigned int *)"' _Z4goodPj; do
        sed -i "s/kernel: .*, grid/kernel: $name, grid/" good.yaml
        corun run ./good.yaml --alone skip
        ended 0
    done
    sed -i 's/kernel: .*, grid/kernel: god, grid/' good.yaml
    corun run ./good.yaml --alone skip
    refused "has no kernel 'god'" "did you mean 'good(unsigned int*)'"
    sed -i 's/kernel: .*, grid/kernel: good<float>, grid/' good.yaml
    corun run ./good.yaml --alone skip
    refused "has no kernel 'good<float>'" "did you mean 'good(unsigned int*)'"
}

# bats test_tags=long
@test "of two instances of a template one has to be named" {
    { sed -n '1,/^\.address_size/p' scale.ptx
      echo '.visible .entry _ZN2ns2okIfEEvPT_i(.param .u64 p, .param .u32 n) { ret; }'
      echo '.visible .entry _ZN2ns2okIdEEvPT_i(.param .u64 p, .param .u32 n) { ret; }'
      echo '.visible .entry _ZN2ns5otherEv() { ret; }'
      echo '.visible .entry _Z5otherv() { ret; }'; } >two.ptx
    printf 'app: a\nmodule: two.ptx\nbuffers:\n  b: {type: u32, count: 4}\nlaunches:\n' >a.yaml
    printf '  - {kernel: "ok<float>", grid: [1], block: [32], args: [$b, 4]}\n' >>a.yaml
    corun run ./a.yaml --alone skip --json -
    ended 0
    holds 'd["apps"][0]["kernels"][0]["name"] == "ns::ok<float>(float*, int)"'
    sed -i 's/"ok<float>"/"ns::ok<double>(double*, int)"/' a.yaml
    corun run ./a.yaml --alone skip --json -
    holds 'd["apps"][0]["kernels"][0]["name"] == "ns::ok<double>(double*, int)"'
    sed -i 's/kernel: ".*", grid/kernel: ok, grid/' a.yaml
    corun run ./a.yaml --alone skip
    refused "more than one kernel 'ok'" "ns::ok<float>(float*, int)" "ns::ok<double>(double*, int)"
    sed -i 's/kernel: ok, grid/kernel: "ok<int>", grid/' a.yaml
    corun run ./a.yaml --alone skip
    refused "no kernel 'ok<int>'" "ns::ok<float>(float*, int)" "ns::ok<double>(double*, int)"
    sed -i 's/kernel: "ok<int>"/kernel: other/; s/args: .*]/args: []/' a.yaml
    corun run ./a.yaml --alone skip --json -
    holds 'd["apps"][0]["kernels"][0]["name"] == "other()"'
    corun ptx two.ptx
    ended 0
    shows "ns::ok<float>(float*, int)"
}

# FILE [ARCH MODULE]...: writes a fat binary of the modules, as compilers embed in objects.
embed() {
    python3 - "$@" <<'END'
import struct, sys
entries = b''
for arch, path in zip(sys.argv[2::2], sys.argv[3::2]):
    text = open(path, 'rb').read() + b'\0'
    text += bytes(-len(text) % 8)
    kind = 2 if arch == 'cubin' else 1
    arch = 75 if kind == 2 else int(arch)
    entries += struct.pack('<HHIQIIHHIIIQQQ', kind, 0x101, 64, len(text), 0, 0, 0, 7, arch, 0, 0,
                           0x11, 0, 0) + text
fat = struct.pack('<IHHQ', 0xba55ed50, 1, 16, len(entries)) + entries
with open(sys.argv[1], 'wb') as f:
    f.write(b'\x7fELF' + bytes(60) + fat + bytes(24))
END
}

@test "each PTX of an executable or object" {
    sed 's/entry scale/entry other/' scale.ptx >other.ptx
    embed prog 75 scale.ptx cubin scale.ptx 90 other.ptx
    corun ptx prog
    ended 0
    shows "PTX 1, for sm_75" "PTX 2, for sm_90"
    grep -q '^scale ' <<<"$output" && grep -q '^other ' <<<"$output"
    corun ptx --source prog
    shows "// PTX 1, for sm_75" "$(cat scale.ptx)" "// PTX 2, for sm_90" "$(cat other.ptx)"
    cat prog prog >two.a
    corun ptx two.a
    ended 0
    shows "PTX 4, for sm_90"
    sed -i 's/mul.wide/mul.wade/' other.ptx
    embed prog 75 scale.ptx 90 other.ptx
    corun ptx prog
    ended 2
    says "prog, PTX 2:" mul.wade
    grep -q '^scale ' <<<"$output"
}

@test "a binary without PTX" {
    embed prog cubin scale.ptx
    corun ptx prog
    refused "prog: the program has machine code for sm_75 only, and no PTX: compile with"
    corun ptx /bin/sh
    refused "/bin/sh holds no GPU code"
    embed prog 75 scale.ptx
    head -c 200 prog >cut
    corun ptx cut
    refused "cut holds no GPU code"
    printf '\xff\xff\xff\xff' | dd of=prog bs=1 seek=84 conv=notrunc 2>/dev/null
    corun ptx prog
    refused "prog: the fat binary is damaged"
}

# bats test_tags=long
@test "the program that corun cc makes" {
    clang_here
    printf '__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n' >a.cu
    corun cc a.cu -o a
    corun cc a.cu -c
    for file in a a.o; do
        corun ptx $file
        ended 0
        grep -q '^k() ' <<<"$output"
    done
}
