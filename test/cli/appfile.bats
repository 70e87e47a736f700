#!/usr/bin/env bats
# App files: an error names its place in the file, and nothing is simulated.
load common

change() { sed -i "$@" scale.yaml; }

@test "an app file runs and dumps what the kernel wrote" {
    corun run ./scale.yaml --alone skip --json -
    ended 0
    holds "d['status'] == 'completed' and d['apps'][0]['name'] == 'scale'"
    holds "d['apps'][0]['checked'] is None"
    python3 -c 'import struct
b = open("y.bin", "rb").read()
assert len(b) == 4000
assert all(v == 2.0 * i for i, v in enumerate(struct.unpack("<1000f", b)))'
}

@test "a second copy of an app has its own name and dump" {
    corun run ./scale.yaml ./scale.yaml --alone skip --json -
    ended 0
    holds "[a['name'] for a in d['apps']] == ['scale', 'scale.2']"
    cmp y.bin y.bin.2
}

@test "a file that is not there" {
    corun run ./nowhere.yaml
    refused nowhere.yaml
}

@test "a folder in place of a file" {
    mkdir folder.yaml
    corun run ./folder.yaml
    refused folder.yaml
}

@test "a module that is not there" {
    change 's/scale.ptx/scael.ptx/'
    corun run ./scale.yaml
    refused scael.ptx
    placed ./scale.yaml 2 scael
}

@test "malformed YAML" {
    change '5s/}//'
    corun run ./scale.yaml
    refused ./scale.yaml:
    printf 'app: [unclosed\n' >a.yaml
    corun run ./a.yaml
    refused ./a.yaml:
    printf 'app: x\n\tmodule: y\n' >b.yaml
    corun run ./b.yaml
    refused ./b.yaml:2:
    printf '' >c.yaml
    corun run ./c.yaml
    refused ./c.yaml
    printf -- '- just\n- a list\n' >d.yaml
    corun run ./d.yaml
    refused ./d.yaml:1:1
}

@test "an unknown key names the nearest" {
    change 's/^buffers:/bufers:/'
    corun run ./scale.yaml
    refused bufers "'buffers'"
    placed ./scale.yaml 3 bufers
    cp "$HERE/scale.yaml" .
    change 's/grid:/gird:/'
    corun run ./scale.yaml
    refused gird "'grid'"
    placed ./scale.yaml 7 gird
}

@test "a key twice" {
    echo 'app: again' >>scale.yaml
    corun run ./scale.yaml
    refused app
    placed ./scale.yaml 9 app
}

@test "an unknown kernel names the nearest" {
    change 's/kernel: scale/kernel: scal/'
    corun run ./scale.yaml
    refused scal "'scale'"
    placed ./scale.yaml 7 scal,
}

@test "a wrong number of arguments shows the kernel's signature" {
    change 's/2.0, \$x, \$y/2.0, $x/'
    corun run ./scale.yaml
    refused scale_n scale_a scale_x scale_y
    change 's/2.0, \$x/2.0, $x, $y, $y, 7/'
    corun run ./scale.yaml
    refused scale_n scale_y
}

@test "arguments of a wrong kind" {
    change 's/args: \[1000,/args: [1000.5,/'
    corun run ./scale.yaml
    refused scale_n
    placed ./scale.yaml 7 1000.5
    cp "$HERE/scale.yaml" .
    change 's/args: \[1000,/args: [$x,/'
    corun run ./scale.yaml
    refused
    cp "$HERE/scale.yaml" .
    change 's/args: \[1000,/args: [5000000000,/'
    corun run ./scale.yaml
    refused 5000000000
    cp "$HERE/scale.yaml" .
    change 's/\$y\]/$z]/'
    corun run ./scale.yaml
    refused z
}

@test "an unknown type, initial value or count of a buffer" {
    change 's/y: {type: f32/y: {type: f33/'
    corun run ./scale.yaml
    refused f33
    placed ./scale.yaml 5 f33
    cp "$HERE/scale.yaml" .
    change 's/init: ramp/init: rampp/'
    corun run ./scale.yaml
    refused rampp "'ramp'"
    cp "$HERE/scale.yaml" .
    change '4s/count: 1000/count: 0/'
    corun run ./scale.yaml
    refused count
    cp "$HERE/scale.yaml" .
    change '4s/count: 1000/count: 999999999999999999/'
    corun run ./scale.yaml
    refused
    cp "$HERE/scale.yaml" .
    change '4s/init: ramp/init: file nowhere.bin/'
    corun run ./scale.yaml
    refused nowhere.bin
}

@test "an initial file of a wrong size" {
    head -c 3999 /dev/zero >x.bin
    change '4s/init: ramp/init: file x.bin/'
    corun run ./scale.yaml
    refused x.bin 4000
}

@test "a grid of zero" {
    change 's/grid: \[4, 1, 1\]/grid: [0, 1, 1]/'
    corun run ./scale.yaml
    refused grid
    placed ./scale.yaml 7 '[0'
}

@test "a grid or block over the limits" {
    change 's/grid: \[4, 1, 1\]/grid: [4, 65536, 1]/'
    corun run ./scale.yaml
    refused 65535
    cp "$HERE/scale.yaml" .
    change 's/block: \[256, 1, 1\]/block: [256, 5, 1]/'
    corun run ./scale.yaml
    refused 1024
}

@test "a block that cannot fit names what is short" {
    echo 'registers: {scale: 255}' >>scale.yaml
    change 's/block: \[256/block: [1024/'
    corun run ./scale.yaml
    refused scale registers
}

@test "shared memory over the limit" {
    change 's/args:/shared_bytes: 1000000, args:/'
    corun run ./scale.yaml
    refused shared
}

@test "100,000 nested braces" {
    { printf 'app: '; printf '{a: %.0s' $(seq 100000); echo; } >deep.yaml
    corun run ./deep.yaml
    refused ./deep.yaml:
    { printf 'app: '; printf '[%.0s' $(seq 100000); echo; } >deep.yaml
    corun run ./deep.yaml
    refused ./deep.yaml:
}

@test "a binary file in place of YAML" {
    head -c 4096 "$CORUN" >bin.yaml
    corun run ./bin.yaml
    refused bin.yaml
}

@test "a YAML alias that grows without end" {
    {
        echo 'a0: &a0 [x, x, x, x, x, x, x, x, x]'
        for i in $(seq 1 12); do
            p=\*a$((i - 1))
            echo "a$i: &a$i [$p, $p, $p, $p, $p, $p, $p, $p, $p]"
        done
    } >bomb.yaml
    corun run ./bomb.yaml
    refused ./bomb.yaml:
}

@test "a dump of a buffer that is not there" {
    change 's/dump: {y:/dump: {why:/'
    corun run ./scale.yaml
    refused why
    placed ./scale.yaml 8 why
}

@test "a dump into a folder that is not there" {
    sed 's#y.bin#nosuch/y.bin#' "$HERE/scale.yaml" >scale.yaml
    corun run ./scale.yaml --alone skip --cycles 1 --json r # a run would end with status 1
    refused nosuch/y.bin "make the folder"
    placed ./scale.yaml 8 nosuch
    [ ! -e r ]
    corun compare ./scale.yaml vecadd:size=test --policies leftover,spatial --threads 2
    refused nosuch/y.bin
    placed ./scale.yaml 8 nosuch
}

@test "a dump stays in the folder of its app file, or where the user says" {
    mkdir in to
    cp scale.ptx in/
    outside() { # the path is refused by default, and accepted with --allow-outside
        sed "s#y.bin#$1#" "$HERE/scale.yaml" >in/scale.yaml
        corun run in/scale.yaml --alone skip --quiet
        refused "the dump of y of scale would be written outside of the folder in" --allow-outside
        placed in/scale.yaml 8 "$1"
        corun run in/scale.yaml --alone skip --quiet --allow-outside
        ended 0
        [ -s "$2" ]
    }
    outside ../up.bin up.bin
    outside "$PWD/abs.bin" abs.bin
    ln -s "$PWD/to" in/link
    outside link/y.bin to/y.bin
    rm to/y.bin
    sed 's#y.bin#./y.bin#' "$HERE/scale.yaml" >in/scale.yaml
    corun run in/scale.yaml --alone skip --quiet --dump-to to
    ended 0
    [ -s to/y.bin ]
    [ ! -e in/y.bin ]
    sed 's#y.bin#../x.bin#' "$HERE/scale.yaml" >in/scale.yaml
    corun run in/scale.yaml --alone skip --quiet --dump-to to
    refused "outside of the folder to"
    corun compare in/scale.yaml --policies leftover --alone skip --quiet
    refused "outside of the folder in"
}

@test "a dump that cannot be written at the end leaves the results whole" {
    [ -c /dev/full ] || skip "no /dev/full"
    change 's#y.bin#/dev/full#'
    corun run ./scale.yaml --alone skip --json - --csv r.csv --allow-outside
    ended 2
    placed ./scale.yaml 8 /dev/full
    holds "d['status'] == 'completed'"
    grep -q 'status.*completed' r.csv
    corun compare ./scale.yaml --policies leftover,spatial --alone skip --json - --allow-outside
    ended 2
    holds "len(d['runs']) == 2"
}

@test "a dump in the place of what is read or of another result" {
    cp scale.ptx kept.ptx
    in_place_of() { # PATH TEXT...
        local path=$1
        shift
        cp "$HERE/scale.yaml" .
        change "s#y.bin#$path#"
        corun run ./scale.yaml --alone skip --json r.json
        refused "the dump of y of scale" "$@"
        placed ./scale.yaml 8 "$path"
        [ ! -e r.json ]
    }
    in_place_of scale.yaml "overwrite ./scale.yaml"
    in_place_of ../own/scale.ptx "overwrite ./scale.ptx"
    cmp kept.ptx scale.ptx
    in_place_of ./r.json "two results would go to" --json
    cp "$HERE/scale.yaml" .
    sed 's/^app: .*/app: other/' scale.yaml >other.yaml
    corun run ./scale.yaml ./other.yaml --alone skip
    refused "the dump of y of scale and the dump of y of other"
    [ ! -e y.bin ]
    cp "$BATS_TEST_DIRNAME/../../gpus/maxwell16.yaml" m.yaml
    change 's#y.bin#m.yaml#'
    corun run ./scale.yaml --alone skip --gpu ./m.yaml
    refused "overwrite ./m.yaml"
}

@test "a buffer for which there is no room stands in the file" {
    change '4{s/1000/273804164120/;h;d};5G' # all of the device memory, but for gaps between buffers
    corun run ./scale.yaml --alone skip
    refused "app scale: out of device memory: 'x' needs 1095216656480 bytes"
    placed ./scale.yaml 5 273804164120
}

@test "a module that is no file" {
    change 's#scale.ptx#/dev/zero#'
    corun run ./scale.yaml
    refused "is a device"
    placed ./scale.yaml 2 /dev/zero
    cp "$HERE/scale.yaml" .
    change 's#scale.ptx#/dev/fd/9#'
    corun run ./scale.yaml --alone skip 9< <(cat scale.ptx)
    refused "cannot read /dev/fd/9: is a pipe: write the contents to a file first"
    placed ./scale.yaml 2 /dev/fd/9
    cp "$HERE/scale.yaml" .
    mkfifo waits.ptx # without a writer
    change 's#scale.ptx#waits.ptx#'
    corun run ./scale.yaml --alone skip
    refused "waits.ptx: is a pipe"
    corun run mm --gpu ./waits.ptx
    refused "is a pipe"
}

# A kernel that stores a constant of the module, and a variable used as a counter; two blocks.
constant() {
    { sed -n '2,/^\.address_size/p' scale.ptx
      printf '.const .align 4 .f32 _ZN2ns1cE[2];\n.global .u32 n;\n.global .u32 zeroes[4];\n'
      printf '.visible .entry k(.param .u64 p) { .reg .b64 %%d<3>; .reg .f32 %%f; .reg .b32 %%r;\n'
      printf 'ld.param.u64 %%d0, [p]; mov.u64 %%d1, _ZN2ns1cE; add.u64 %%d2, %%d1, 4;\n'
      printf 'ld.const.f32 %%f, [%%d2]; st.global.f32 [%%d0], %%f;\n'
      printf 'atom.global.add.u32 %%r, [n], 1;\n'
      printf 'ld.global.u32 %%r, [zeroes+4]; ret; }\n'; } >c.ptx
    printf 'app: c\nmodule: c.ptx\nbuffers: {b: {type: f32, count: 1}}\nlaunches:\n' >c.yaml
    printf '  - {kernel: k, grid: [2], block: [32], args: [$b], repeat: 3}\n' >>c.yaml
    printf 'dump: {b: b.bin}\n' >>c.yaml
}

@test "a variable that nobody has set is told of, in the table and the JSON" {
    constant
    corun run ./c.yaml --alone skip
    ended 0
    shows "warning: ./c.ptx:4: variable 'ns::c' has no initial value and was never set" \
          "kernel 'k' reads zeroes" "warning: ./c.ptx:6: variable 'zeroes'"
    [[ $output != *"'n'"* ]]
    corun run ./c.yaml --alone skip --json - --until end
    ended 0
    holds "[(w['where'], w['line'], w['count']) for w in d['warnings']] ==
           [('./c.ptx', 4, 1), ('./c.ptx', 6, 1)]"
    corun compare ./c.yaml --alone skip --policies leftover,spatial
    ended 0
    shows "warning: ./c.ptx:4: variable 'ns::c'"
    sed -i 's/zeroes\[4\];/zeroes[4] = {0, 0, 0, 0};/' c.ptx
    corun run ./c.yaml --alone skip --json -
    holds "len(d['warnings']) == 1"
}

@test "an app file sets variables of the module" {
    constant
    printf 'variables: {ns::c: {type: f32, init: ramp 5 2}, ' >>c.yaml
    printf 'zeroes: {type: u8, init: zero}}\n' >>c.yaml
    corun run ./c.yaml --alone skip --json -
    ended 0
    holds "d['warnings'] == []"
    python3 -c 'import struct; assert struct.unpack("<f", open("b.bin", "rb").read()) == (7.0,)'
    sed -i 's/ns::c: {type: f32/ns::d: {type: f32/' c.yaml
    corun run ./c.yaml --alone skip
    refused "./c.ptx has no .global or .const variable 'ns::d'" "did you mean 'ns::c'?"
    sed -i 's/ns::d: {type: f32/zeroes: {type: f64/; s/, zeroes.*/}/' c.yaml
    sed -i 's/_ZN2ns1cE\[2\]/_ZN2ns1cE[3]/' c.ptx
    sed -i 's/zeroes: {type: f64/_ZN2ns1cE: {type: f64/' c.yaml
    corun run ./c.yaml --alone skip
    refused "'ns::c' has 12 bytes, not a multiple of the size of f64"
}

# Every thread adds up the values written by all blocks before a barrier of the grid.
grid() { # BLOCKS
    cp "$HERE/grid.ptx" .
    { printf 'app: grid\nmodule: grid.ptx\nbuffers:\n  x: {type: u32, count: 32768}\n'
      printf '  y: {type: u32, count: 32768}\ndump: {y: y.bin}\nlaunches:\n'
      printf '  - {kernel: turn, grid: [%s], block: [64], args: [$x, $y], repeat: 2, ' "$1"
      printf 'cooperative: true}\n'; } >g.yaml
}

@test "the blocks of a cooperative launch wait for each other" {
    grid 60
    corun run ./g.yaml --gpu rtx2060 --alone skip --json - --cycles 1M
    ended 0
    holds "d['status'] == 'completed'"
    python3 -c 'import struct
y = struct.unpack("<3840I", open("y.bin", "rb").read()[:15360])
assert all(v == (i + 64) % 3840 + 1 for i, v in enumerate(y)), y[:70]'
}

@test "of launches that wait for room that of the highest priority goes first" {
    {
        printf '.version 7.0\n.target sm_75\n.address_size 64\n'
        printf '.visible .entry stamp(.param .u64 t)\n{ .reg .pred %%p; .reg .b64 %%d<4>;\n'
        printf 'ld.param.u64 %%d1, [t]; mov.u64 %%d2, %%clock64; st.global.u64 [%%d1], %%d2;\n'
        printf 'again: mov.u64 %%d3, %%clock64; sub.u64 %%d3, %%d3, %%d2;\n'
        printf 'setp.lt.u64 %%p, %%d3, 300; @%%p bra again; ret; }\n'
    } >stamp.ptx
    {
        printf 'app: stamps\nmodule: stamp.ptx\nbuffers:\n'
        for b in a b c d; do printf '  %s: {type: u64, count: 1}\n' $b; done
        printf 'launches:\n'
        launch='kernel: stamp, grid: 1, block: 1024, args:'
        printf '  - {%s [$a]}\n' "$launch"
        printf '  - {%s [$b], stream: 1}\n' "$launch"
        printf '  - {%s [$c], stream: 2, priority: -1}\n' "$launch"
        printf '  - {%s [$d], stream: 3, priority: -5}\n' "$launch"
        printf 'dump: {a: a.bin, b: b.bin, c: c.bin, d: d.bin}\n'
    } >stamps.yaml
    order() {
        corun run ./stamps.yaml --set sm.count=1 --set sm.threads=1024 --alone skip "$@"
        ended 0
        python3 -c "
at = {b: int.from_bytes(open(b + '.bin', 'rb').read(), 'little') for b in 'abcd'}
print(''.join(sorted(at, key=at.get)))"
    }
    [ "$(order)" = dcab ]
    [ "$(order --policy sequential)" = dcab ]
    sed -i 's/, priority: -[15]//' stamps.yaml
    [ "$(order)" = abcd ]
    for wrong in 1 -6 -0.5 high; do
        sed "s/stream: 2/stream: 2, priority: $wrong/" stamps.yaml >wrong.yaml
        corun run ./wrong.yaml
        refused 'priority must be a whole number from -5 (first) to 0'
        placed ./wrong.yaml 11 "$wrong}"
    done
}

@test "a cooperative launch that is not cooperative, and one that does not fit" {
    grid 60
    sed -i 's/true}/false}/' g.yaml
    corun run ./g.yaml --gpu rtx2060 --alone skip
    ended 1
    says trap
    sed -i 's/false}/maybe}/' g.yaml
    corun run ./g.yaml --gpu rtx2060 --alone skip
    refused "cooperative must be true or false"
    grid 481
    corun run ./g.yaml --gpu rtx2060 --alone skip
    refused "kernel 'turn(unsigned int*, unsigned int*)' is launched cooperatively: all 481" \
            "blocks must be resident at once, but the GPU holds 480"
    grid 300
    corun run ./g.yaml mm:size=window --gpu rtx2060 --alone skip --policy spatial \
        --set policy.patience=2000 --json -
    ended 1
    says "the 300 blocks of the cooperative kernel 'turn(unsigned int*, unsigned int*)' must be" \
         "the policy allows 240"
    holds "d['status'] == 'starved'"
}

@test "an app that comes later, by its file and on the command line" {
    scale_yaml() { sed "1i start: $1" "$HERE/scale.yaml" >late.yaml; cp "$HERE/scale.ptx" .; }
    scale_yaml 5000
    corun run ./late.yaml vecadd:size=test,start=2e3 --alone skip --json - --until end
    ended 0
    holds "[a['start'] for a in d['apps']] == [5000, 2000]"
    scale_yaml soon
    corun run ./late.yaml
    refused "late.yaml:1:8: error: start, in cycles, must be a whole number from 0 to" \
        "start: soon"
    corun run vecadd:start=-1
    refused "error: start must be a whole number of cycles"
    pointed vecadd:start=-1 14
    corun run vecadd:strat=10
    refused "workload vecadd has no parameter 'strat'" "'start'"
}

@test "a register that nothing has written is 0, whatever ran in its place before" {
    cat >unset.ptx <<'END'
.version 7.0
.target sm_75
.address_size 64
.visible .entry leaves(.param .u64 out)
{
    .reg .b32 %r<9>;
    .reg .b64 %d<3>;
    ld.param.u64 %d1, [out];
    mov.u32 %r1, 11; mov.u32 %r2, 22; mov.u32 %r3, 33; mov.u32 %r4, 44;
    add.u32 %r5, %r1, %r2; add.u32 %r6, %r3, %r4; add.u32 %r7, %r1, %r4; add.u32 %r8, %r2, %r3;
    add.u32 %r5, %r5, %r6; add.u32 %r7, %r7, %r8; add.u32 %r5, %r5, %r7;
    st.global.u32 [%d1], %r5;
    ret;
}
.visible .entry finds(.param .u64 out)
{
    .reg .b32 %r<5>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d2, %d1, %d2;
    add.u32 %r3, %r2, %r4;
    add.u32 %r3, %r3, 1;
    st.global.u32 [%d2], %r3;
    ret;
}
.visible .entry asks(.param .u64 out)
{
    .reg .b32 %r<5>;
    .reg .b64 %d<4>;
    .reg .pred %p;
    ld.param.u64 %d1, [out];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d2, %d1, %d2;
    setp.lt.u32 %p, %r1, 16;
    @!%p bra OUT;
    mov.u32 %r2, 7;
    shfl.sync.bfly.b32 %r3, %r2, 16, 31, 0xffff;
    add.u32 %r3, %r3, %r1;
    st.global.u32 [%d2], %r3;
OUT:
    ret;
}
END
    for kernel in finds asks; do
        cat >$kernel.yaml <<END
app: $kernel
module: unset.ptx
buffers: {junk: {type: u32, count: 1, init: zero}, out: {type: u32, count: 32, init: zero}}
launches:
  - {kernel: leaves, grid: 64, block: 96, args: [\$junk]}
  - {kernel: $kernel, grid: 1, block: 32, args: [\$out]}
dump: {out: $kernel.out}
END
        corun run ./$kernel.yaml --gpu maxwell16 --alone skip
        ended 0
    done
    python3 - <<'END'
import struct
assert open('finds.out', 'rb').read() == b'\1\0\0\0' * 32
assert open('asks.out', 'rb').read() == struct.pack('<16I', *range(16)) + bytes(64)
END
}

@test "an app that starts again has not ended: its SMs are not given away" {
    corun run ./scale.yaml mm:size=test --policy spatial --alone skip --json -
    ended 0
    holds "d['apps'][0]['completions'] > 5"
    holds "d['policy_stats']['spatial']['filled_questions'] == 0"
}

@test "an app with launches in its stream has not ended: its SMs are not given away" {
    change 's/block: .256, 1, 1./&, repeat: 5/'
    corun run ./scale.yaml gups:size=test --policy spatial --until end --alone skip --json -
    ended 0
    holds "d['apps'][0]['launches'] == 5 and d['apps'][0]['cycles'] < 8000"
}

# Adds 1 to `count` and follows a list of pointers: *out += *list[count % 3].
chase() {
    { sed -n '2,/^\.address_size/p' scale.ptx
      printf '.global .align 4 .u32 count;\n.const .align 8 .u64 list;\n'
      printf '.visible .entry next(.param .align 8 .b8 s[16]) {\n'
      printf '.reg .b64 %%d<9>; .reg .b32 %%r<9>;\n'
      printf 'ld.param.u64 %%d0, [s]; ld.param.u32 %%r5, [s+8];\n'
      printf 'ld.global.u32 %%r0, [count]; add.u32 %%r1, %%r0, 1; st.global.u32 [count], %%r1;\n'
      printf 'rem.u32 %%r2, %%r0, 3; mul.wide.u32 %%d1, %%r2, 8; ld.const.u64 %%d2, [list];\n'
      printf 'add.u64 %%d3, %%d2, %%d1; ld.global.u64 %%d4, [%%d3]; ld.global.u32 %%r3, [%%d4];\n'
      printf 'mad.lo.u32 %%r3, %%r3, %%r5, 0;\n'
      printf 'ld.global.u32 %%r4, [%%d0]; add.u32 %%r4, %%r4, %%r3; st.global.u32 [%%d0], %%r4;\n'
      printf 'ret; }\n'; } >chase.ptx
    cat >chase.yaml <<'YAML'
app: chase
module: chase.ptx
buffers:
  pointers: {type: u64, values: [$a, $b+4, $out+8]}
  a: {type: u32, values: [5]}
  b: {type: u32, count: 4, init: ramp 10 10}
  out: {type: u32, count: 3, init: file seven.bin}
symbols: {list: $pointers, count: 100}
steps:
  - {fill: $count, bytes: 4}
  - {kernel: next, grid: 1, block: 1, args: [[$out, u32 2]],
     repeat: {until: {buffer: count, equals: 4}, most: 9}}
  - {copy: $out, to: $out+4, bytes: 4}
expect: {out: [77, 77, 7], count: 4}
dump: {out: out.bin, count: count.bin}
YAML
    python3 -c 'import struct; open("seven.bin", "wb").write(struct.pack("<3I", 23, 9, 7))'
}

@test "symbols, arrays of pointers, a struct by value, copies, fills and a loop until a count" {
    chase # 23 + 2 * (5 + 20 + 7 + 5) = 97
    sed -i 's/77, 77/97, 97/' chase.yaml
    corun run ./chase.yaml --alone skip --json - --until end
    ended 0
    holds "d['apps'][0]['checked'] is True and d['apps'][0]['launches'] == 4 and not d['warnings']"
    python3 -c 'import struct
assert struct.unpack("<3I", open("out.bin", "rb").read()) == (97, 97, 7)
assert struct.unpack("<I", open("count.bin", "rb").read()) == (4,)'
}

@test "fills and copies wait for the launches before them" {
    chase
    sed -i 's/repeat: {until: .*}}$/repeat: 4}/; s/77, 77/97, 97/' chase.yaml
    sed -i '/copy:/a\  - {fill: $count, init: const 9}' chase.yaml
    sed -i 's/count: 4}/count: 9}/' chase.yaml
    corun run ./chase.yaml --alone skip --json - --until end
    ended 0
    holds "d['apps'][0]['checked'] is True and d['apps'][0]['launches'] == 4"
}

@test "an expected value that did not come" {
    chase
    corun run ./chase.yaml --alone skip --json - --until end
    ended 0
    says "out[0] is 97, expected 77"
    holds "d['apps'][0]['checked'] is False"
    holds "d['apps'][0]['checked_why'] == 'out[0] is 97, expected 77'"
    sed -i 's/out: \[77, 77, 7\]/out: {values: [77, 77, 7], within: 0.3}/' chase.yaml
    corun run ./chase.yaml --alone skip --json - --until end
    holds "d['apps'][0]['checked'] is True"
    sed -i 's/out: {values: \[77, 77, 7\], within: 0.3}/out: file seven.bin/' chase.yaml
    corun run ./chase.yaml --alone skip --json - --until end
    holds "d['apps'][0]['checked_why'] == 'out[0] is 97, expected 23'"
}

@test "a loop whose flag never comes ends at its most passes, and a warning says so" {
    chase
    sed -i 's/equals: 4/equals: 0/' chase.yaml
    corun run ./chase.yaml --alone skip --json - --until end
    ended 0
    holds "d['apps'][0]['launches'] == 9"
    holds "[(w['where'], w['line'], w['text']) for w in d['warnings']] == [('./chase.yaml', 12,
           \"repeat ended after the most, 9 passes, before 'count' met the condition\")]"
    sed -i 's/equals: 0/differs: 0/' chase.yaml
    corun run ./chase.yaml --alone skip --json - --until end
    holds "d['apps'][0]['launches'] == 1 and d['warnings'] == []"
}

@test "mistakes in steps, values and symbols have their place" {
    wrong() { # SED LINE TEXT...
        chase
        sed -i "$1" chase.yaml
        local line=$2
        shift 2
        corun run ./chase.yaml
        refused "chase.yaml:$line:" "$@"
    }
    wrong 's/\$out, u32 2/$out, u32 2 3 4/' 11 "the fields take 24 bytes" "next(b8 s[16])"
    wrong 's/\$out, u32 2/$uot, u32 2/' 11 "no buffer is named 'uot'" "did you mean '\$out'?"
    wrong 's/until: {buffer: count/until: {buffer: coun/' 12 "did you mean 'count'?"
    wrong 's/index/idnex/; s/equals: 4/idnex: 4/' 12 "unknown key 'idnex' in until" "'index'"
    wrong 's/copy: \$out,/copy: $out+8,/; s/bytes: 4}$/bytes: 5}/' 13 "bytes must be a whole number"
    wrong 's/list: \$pointers/list: $pointesr/' 8 "did you mean '\$pointers'?"
    wrong 's/\$b+4/$b+17/' 4 "17 bytes is beyond the end of buffer 'b' of 16 bytes"
    wrong 's/seven.bin/eight.bin/' 7 "eight.bin"
}

@test "a restart runs the steps anew, and a window cuts a loop" {
    chase
    sed -i 's/77, 77/97, 97/' chase.yaml
    corun run ./chase.yaml mm:size=test --alone skip --json - --policy spatial
    ended 0
    holds "d['apps'][0]['completions'] > 1 and d['apps'][0]['checked'] is True"
    holds "d['apps'][0]['launches'] >= 4 * d['apps'][0]['completions']"
    corun run ./chase.yaml --alone skip --json - --until window --cycles 1500
    ended 0
    holds "d['apps'][0]['checked'] is None"
}

@test "what an app file reads is in the key of its isolated run" {
    chase
    export CORUN_CACHE=$PWD/cache
    entries() { corun run ./chase.yaml mm:size=test --json - && find cache -type f | wc -l; }
    two=$(entries | tail -1)
    [ "$two" -ge 2 ]
    [ "$(entries | tail -1)" -eq "$two" ]
    python3 -c 'import struct; open("seven.bin", "wb").write(struct.pack("<3I", 24, 9, 7))'
    three=$(entries | tail -1)
    [ "$three" -gt "$two" ]
    sed -i 's/u32 2/u32 3/' chase.yaml
    [ "$(entries | tail -1)" -gt "$three" ]
}

@test "an access outside an allocation: a fault, or with memory.bounds=page zeroes and a warning" {
    change '4s/count: 1000/count: 999/; 5s/count: 1000/count: 900/'
    corun run ./scale.yaml --alone skip --json -
    ended 1
    says "out-of-bounds global"
    holds "d['status'] == 'fault'"
    corun run ./scale.yaml --alone skip --json - --set memory.bounds=page --until end
    ended 0
    holds "d['status'] == 'completed' and len(d['warnings']) == 2"
    holds "'behind \'x\' of 3996 bytes' in d['warnings'][0]['text'] and
           d['warnings'][0]['count'] == 1 and d['warnings'][1]['count'] == 100"
    python3 -c 'import struct
assert all(v == 2.0 * i for i, v in enumerate(struct.unpack("<900f", open("y.bin", "rb").read())))'
    corun run ./scale.yaml --alone skip --set memory.bounds=page --set memory.granule_bytes=4096
    ended 1
    says "address 0x100002000" # where the next granule begins
    corun run ./scale.yaml --alone skip --set memory.bounds=pgae
    refused "memory.bounds" page
}
