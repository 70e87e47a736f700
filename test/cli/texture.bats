#!/usr/bin/env bats
# Textures and surfaces (texture.cu; texture.ptx is stored): equal to exact fractions on machines
# with and without a separate texture cache; messages where a texture is wrong.
load common

# NAME...: the app runs on the machine with and without skipping, to the same, right end
right() {
    local gpu=$1 skip name
    shift
    for name; do
        for skip in on off; do
            corun run "./$name.yaml" --gpu "$gpu" --alone skip --skip $skip --cycles 3000000 \
                --json "$name.$skip.json"
            ended 0
            python3 "$HERE/texture.py" check "$name"
        done
        python3 "$HERE/same.py" "$name.on.json" "$name.off.json"
    done
}

# tex.NAME of the last run
counted() {
    python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))["stats"]
print(d["tex." + sys.argv[2]])' "$1" "$2"
}

files() {
    cp "$HERE/texture.ptx" .
    names=$(python3 "$HERE/texture.py" write)
}

# bats test_tags=long
@test "every kind of texture and surface, texels through L1" {
    files
    right rtx2060 $names
    [ "$(counted turn.on.json instructions)" = 40 ]
    [ "$(counted turn.on.json accesses)" = 0 ]
}

# bats test_tags=long,every
@test "texels through a cache of their own, and one that is always full" {
    files
    right fermi30 $names
    python3 - <<'END'
import json
d = json.load(open('turn.on.json'))['stats']
assert d['tex.accesses'] == d['tex.hits'] + d['tex.misses'] > 0
assert d['tex.misses'] >= 24 * 20 * 4 / 128 / 30
assert d['tex.texels'] >= 4 * 990 * 0.8
END
    cat >own.yaml <<'END'
machine: own
base: rtx2060
tex:
  path: {value: own, source: "test"}
  ways: {value: 2, source: "test"}
  fragments: {value: 4, source: "test"}
END
    right ./own.yaml turn rows volume levels
    cat >small.yaml <<'END'
machine: small
base: fermi30
tex:
  ways: {value: 1, source: "test"}
  fragments: {value: 3, source: "test"}
l1:
  missq: {value: 2, source: "test"}
END
    right ./small.yaml turn rows volume levels
    [ "$(counted turn.on.json stall_cycles)" -gt 0 ]
}

@test "a filter of a lane a cycle takes longer than one of a warp" {
    files
    for lanes in 1 32; do
        corun run ./turn.yaml --gpu rtx2060 --set tex.lanes=$lanes --alone skip --json $lanes.json
        ended 0
    done
    corun run ./volume.yaml --gpu rtx2060 --set tex.lanes=32 --alone skip --json volume.json
    ended 0
    [ "$(counted volume.json filter_busy)" -gt 24 ] # 16 warps, most with eight texels a lane
    python3 - <<'END'
import json
one, all_ = (json.load(open(n + '.json')) for n in ('1', '32'))
busy = lambda d: d['stats']['tex.filter_busy']
assert busy(all_) == 40 and busy(one) >= 990, (busy(all_), busy(one))
assert one['cycles'] > all_['cycles']
END
}

@test "a store beyond a surface that traps ends the run" {
    files
    sed 's/kernel: swap/kernel: outside/; s/^app.*/app: outside/; s/block: 20/block: 21/' \
        swap.yaml >outside.yaml
    corun run ./outside.yaml --alone skip
    ended 1
    says "out-of-bounds surface store" "x is 80, in bytes" "sust.b.2d.b32.trap"
}

@test "texture references of a module, bound and not" {
    cat >refs.ptx <<'END'
.version 5.0
.target sm_52
.address_size 64
.global .texref image;
.global .samplerref nearest = { filter_mode = nearest, addr_mode_0 = wrap, normalized_coords = 1 };
.tex .u64 old;
.visible .entry k(.param .u64 out)
{
    .reg .f32 %f<9>; .reg .b32 %r<4>; .reg .b64 %d<5>; .reg .pred %p;
    ld.param.u64 %d1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d1, %d1, %d2;
    cvt.rn.f32.u32 %f1, %r1;
    add.f32 %f1, %f1, 0f3F000000;
    mov.u64 %d3, image;
    setp.gt.u32 %p, %r1, 15;
    @%p tex.1d.v4.f32.f32 {%f2, _, _, _}, [image, {%f1}];
    @!%p tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%d3, %f1];
    st.global.f32 [%d1], %f2;
    ret;
}
END
    cat >refs.yaml <<'END'
app: refs
module: refs.ptx
buffers:
  in: {type: f32, count: 32, init: ramp 5 2}
  out: {type: f32, count: 32, init: zero}
textures:
  image: {buffer: in, size: 32, kind: linear, reference: image}
launches: [{kernel: k, grid: 1, block: 32, args: [$out]}]
dump: {in: in.bin, out: out.bin}
END
    corun run ./refs.yaml --alone skip
    ended 0
    cmp in.bin out.bin
    sed -i 's/reference: image/reference: old/' refs.yaml
    corun run ./refs.yaml --alone skip
    ended 1
    says "texture reference without a texture"
    sed -i 's/reference: old/reference: imgae/' refs.yaml
    corun run ./refs.yaml --alone skip
    refused "refs.ptx has no .texref 'imgae'" "did you mean 'image'?"
    placed ./refs.yaml 7 image:
}

# LINE TEXT SAYS...: the app file with LINE in place of the texture's line is refused
wrong_texture() {
    sed "s/^  image:.*/$1/" turn.yaml >wrong.yaml
    corun run ./wrong.yaml --alone skip
    refused "${@:3}"
    placed ./wrong.yaml 7 "$2"
}

@test "an app file's textures are checked" {
    files
    wrong_texture '  image: {buffer: inn, size: [24, 20]}' inn "no buffer is named 'inn'" "'in'"
    wrong_texture '  image: {buffer: in, size: [24, 21]}' '[24' \
        "image has 2016 bytes of texels, buffer 'in' has 1920"
    wrong_texture '  image: {buffer: in, size: [24, 20], filter: lineal}' lineal \
        "filter must be point or linear" "'linear'"
    wrong_texture '  image: {buffer: in, size: [24, 20], address: wrapped}' wrapped \
        "address must be wrap, clamp, mirror or border"
    wrong_texture '  image: {buffer: in, size: [24, 20], kind: linear, surface: true}' true \
        "a surface must be of kind array"
    wrong_texture '  image: {buffer: in, size: [24, 20], bias: 1}' bias "unknown key"
    wrong_texture '  image: {buffer: in, size: [8, 20], channels: 3}' image \
        "must have 1, 2 or 4 channels"
    sed 's/^  image:/  out:/; s/\$image/$out/' turn.yaml >wrong.yaml
    corun run ./wrong.yaml --alone skip
    refused "a buffer or variable is named 'out' too"
    sed 's/type: f32, count: 480/type: s32, count: 480/' turn.yaml >wrong.yaml
    corun run ./wrong.yaml --alone skip
    refused "filters integers"
    placed ./wrong.yaml 7 image
}

# TEXT SAYS...: the instruction is refused
wrong_ptx() {
    cat >wrong.ptx <<END
.version 6.0
.target sm_75
.address_size 64
.global .surfref out;
.visible .entry k() {
.reg .f32 %f<9>; .reg .b32 %r<9>; .reg .b64 %d<5>;
$1
ret; }
END
    corun ptx wrong.ptx
    ended 2
    says "${@:2}"
}

@test "texture instructions are checked" {
    wrong_ptx 'tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5}];' \
        "expects 2 coordinates, here is 1" "wrong.ptx:7:"
    wrong_ptx 'tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%r1, {%f5, %f6}];' \
        "a texture: a .texref variable or a 64-bit register"
    wrong_ptx 'tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [out, {%f5, %f6}];' \
        "a texture: a .texref variable or a 64-bit register"
    wrong_ptx 'tex.2d.f32.f32 %f1, [%d1, {%f5, %f6}];' "needs .v4"
    wrong_ptx 'tex.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6}];' "needs a geometry"
    wrong_ptx 'tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %d1}];' "expects 32 bits"
    wrong_ptx 'tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6}], %f7;' "takes 2 operands"
    wrong_ptx 'tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r5, %r6, %r7, %r7}];' \
        "not supported"
    wrong_ptx 'tld4.r.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6, %f7, %f7}];' \
        "is not supported"
    wrong_ptx 'suld.2d.b32.trap {%r1}, [%d1, {%r2, %r3}];' "needs .b or .p"
    wrong_ptx 'sust.b.2d.b32.trap [%d1], {%r1};' "[surface, coordinates]"
    wrong_ptx 'ld.global.u32 %r1, [%d1, {%r2}];' "an address such as"
    wrong_ptx 'txq.widht.b32 %r1, [%d1];' "'txq' has no modifier or type '.widht'" "width"
}
