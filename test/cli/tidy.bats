#!/usr/bin/env bats
# tools/tidy notices violations: each case breaks one rule in a small separate tree.
# bats file_tags=long

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p tools docs/reference include/corun src/base src/cli src/policy \
        src/chip/sm src/chip/l2 src/gpu workloads/mm
    cp "$BATS_TEST_DIRNAME"/../../tools/{tidy,comments.py,layers.txt} tools
    echo '/* Base. */' >src/base/base.h
    echo '#include "base/base.h"' >src/chip/l2/l2.h
    echo '#include "base/base.h"' >src/chip/sm/sm.h
    printf 'MECHANISM(one_two)\n' >src/policy/list.def
    echo '#include "corun/policy.h"' >src/policy/one_two.c
    echo '#include <stdint.h>' >include/corun/policy.h
    printf 'COMMAND(run, "")\n' >src/cli/list.def
    echo '#include "base/base.h"' >src/cli/run.c
    printf 'WORKLOAD(mm)\n' >workloads/list.def
    echo 'int main(void);' >workloads/mm/host.c
    tools/tidy --model
}

notices() { # PLACE TEXT
    run tools/tidy
    [ "$status" = 1 ]
    [[ $output == *"$1: "*"$2"* ]] || { echo "$output"; false; }
    [ "$(wc -l <<<"$output")" = "${3:-1}" ] || { echo "$output"; false; }
}

@test "a clean tree" {
    run tools/tidy
    [ "$status" = 0 ]
    [ -z "$output" ]
}

@test "a long line, a tab, blanks at the end" {
    printf 'int x;%095d\n' 0 >>src/base/base.h
    notices src/base/base.h:2 columns
    printf '/* Base. */\n\tint x;\n' >src/base/base.h
    notices src/base/base.h:2 tab
    printf '/* Base. */ \n' >src/base/base.h
    notices src/base/base.h:1 blanks
}

@test "a long function, a long file, a long head" {
    { echo 'int f(int x)'; echo '{'; for i in $(seq 68); do echo "    x += $i;"; done
      echo '}'; } >src/base/f.c
    notices src/base/f.c:1 'f has 71 lines'
    sed -i 3d src/base/f.c
    tools/tidy
    for i in $(seq 640); do echo "int a$i;"; done >>src/base/f.c
    notices src/base/f.c:710 '710 lines'
    { echo '/* one'; for i in $(seq 10); do echo ' * more'; done; echo ' */'; } >src/base/f.c
    notices src/base/f.c:1 'head comment'
}

@test "comments full of pro-forms" {
    local line=" * the scheduler picks the oldest ready warp of a block and the port takes its"
    { echo '/*'; for i in $(seq 7); do echo "$line operands"; done; echo ' */'; } >src/base/f.c
    notices src/base/f.c:1 '6.2 % of the words of comments are pro-forms' 2
    sed -i 's/its operands/operands/' src/base/f.c
    tools/tidy
    sed -i '4,$d' src/base/f.c
    echo ' * it, that */' >>src/base/f.c # too few words to measure
    tools/tidy
}

@test "messages full of pro-forms" {
    local line='"kernel %s needs more registers than its SM" " has, %" PRIu64 " a thread",'
    { echo 'const char *const f[] = {'; for i in $(seq 12); do echo "$line"; done; echo '};'; } \
        >src/base/f.c
    notices src/base/f.c:1 '11.1 % of the words of messages are pro-forms'
    sed -i '5,$s/its SM/the SM/' src/base/f.c
    tools/tidy
    { for i in $(seq 50); do echo 'select that from what where it = this'; done; } |
        sed 's/.*/char s[] = "&";/' >src/base/f.c
    tools/tidy
}

@test "an exception may only shrink" {
    { echo 'int f(int x)'; echo '{'; for i in $(seq 70); do echo "    x += $i;"; done
      echo '}'; } >src/base/f.c
    echo 'src/base/f.c:f 73' >tools/tidy.exceptions
    tools/tidy
    sed -i 3d src/base/f.c
    notices tools/tidy.exceptions:1 'shrank to 72'
    rm src/base/f.c
    notices tools/tidy.exceptions:1 'gone'
}

@test "a circle of calls, straight or through headers" {
    mkdir -p src/isa
    echo '#include "isa/b.h"
void a(void) { b(); }
void a_end(void) { }' >src/isa/a.c
    echo 'static inline void b(void) { c(); }' >src/isa/b.h
    echo 'void c(void) { d(); }' >src/isa/c.c
    echo 'static void a_end(void) { } /* not that of a.c */
void d(void) { a_end(); p->a(); }' >src/isa/d.c
    tools/tidy
    echo 'void d(void) { a(); }' >src/isa/d.c
    notices src/isa:1 '4 modules call each other in a circle: a b c d'
    echo 'src/isa:circle 4' >tools/tidy.exceptions
    tools/tidy
    echo >src/isa/d.c
    notices tools/tidy.exceptions:1 'src/isa:circle is gone'
}

@test "a folder of many files, files that are long on the whole" {
    mkdir -p src/isa
    for i in $(seq 20); do echo "int a$i;" >src/isa/a$i.c; echo "int a$i;" >src/isa/a$i.h; done
    tools/tidy
    echo 'int b;' >src/isa/b.h
    notices src/isa:1 '21 modules'
    rm src/isa/b.h
    for i in $(seq 200); do echo "int b$i;"; done >src/isa/a1.c
    for i in $(seq 2 13); do cp src/isa/a1.c src/isa/a$i.c; done
    notices src:1 'half of the files have 200 lines'
}

# bats test_tags=long
@test "a name in prose that nothing has" {
    echo 'all demo:' >Makefile
    echo 'struct part { int x; };' >>src/base/base.h
    echo 'void part_push(void);' >>src/base/base.h
    cat >ARCHITECTURE.md <<'END'
`src/base/`, `base.h`, `chip/l2/l2.h`, `*.def`, `mm/host.c`, `part_push`, `struct part`, `push [x]`
`make demo`, `corun run NAME`, `--skip off`, `part`, [layers](tools/layers.txt#top)
END
    tools/tidy
    for gone in src/bare/ base.c chip/l2/sm.h '*.yaml' part_pop 'struct port' 'make test' \
        'corun show' port; do
        echo "\`$gone\`" >ARCHITECTURE.md
        notices ARCHITECTURE.md:1 "there is no \`$gone\`"
    done
    echo '[layers](layers.txt)' >ARCHITECTURE.md
    notices ARCHITECTURE.md:1 'there is no layers.txt'
    rm ARCHITECTURE.md
    printf 'text\n```c new.c\n`old.c`\n```\n`new.c` `sudo` `old.c`\n' >docs/page.md
    notices docs/page.md:5 'there is no `old.c`'
    mv docs/page.md docs/reference/gpus.md # a program writes it
    tools/tidy
    printf 'all: # old/sh\n\t@tools/tidy && tools/layers.sh $(X)\n' >Makefile
    notices Makefile:2 'there is no tools/layers.sh'
}

@test "an include of a hidden header, through another" {
    mkdir -p src/isa src/exec
    echo '#include "base/base.h"' | tee src/isa/ptx_inst.h >src/exec/warp.h
    echo '#include "exec/warp.h"' >>src/chip/sm/sm.h
    tools/tidy
    echo '#include "isa/ptx_inst.h"' >>src/exec/warp.h
    notices src/chip/sm/sm.h:2 'src/isa/ptx_inst.h is hidden from src/chip'
}

@test "an include against the layers" {
    echo '#include "chip/l2/l2.h"' >>src/chip/sm/sm.h
    notices src/chip/sm/sm.h:2 src/chip/l2/l2.h
    echo '#include "base/base.h"' >src/chip/sm/sm.h
    echo '#include "chip/sm/sm.h"' >>src/base/base.h
    notices src/base/base.h:2 src/chip/sm/sm.h
    echo '/* Base. */' >src/base/base.h
    echo '#include "base/base.h"' >>src/policy/one_two.c
    notices src/policy/one_two.c:2 src/base/base.h
    echo '#include "corun/policy.h"' >src/policy/one_two.c
    echo '#include "base/base.h"' >>include/corun/policy.h
    notices include/corun/policy.h:2 src/base/base.h
    echo '#include <stdint.h>' >include/corun/policy.h
    echo '#include <math.h>' >>src/chip/l2/l2.h
    notices src/chip/l2/l2.h:2 '<math.h>'
}

@test "a row without a file and a file without a row" {
    echo 'MECHANISM(three)' >>src/policy/list.def
    notices src/policy/list.def:1 three
    echo 'MECHANISM(one_two)' >src/policy/list.def
    echo >src/policy/four.c
    notices src/policy/four.c:1 'no row'
    mkdir src/policy/kind
    mv src/policy/four.c src/policy/kind
    notices src/policy/four.c:1 'no row'
}

@test "words, typedefs, prints and files below run" {
    echo '/* TO''DO */' >>src/base/base.h
    notices src/base/base.h:2 'TO''DO'
    echo 'typedef struct x y;' >src/base/base.h
    notices src/base/base.h:1 typedef
    echo '/* Base. */' >src/base/base.h
    echo 'void f(void) { printf(""); }' >>src/chip/l2/l2.h
    notices src/chip/l2/l2.h:2 printf
}

@test "an assumption that the page does not have" {
    echo '/* Model: a guess. */' >>src/chip/l2/l2.h
    notices docs/reference/model.md:1 'make docs'
    tools/tidy --model
    grep -q 'l2.h.*a guess' docs/reference/model.md
    tools/tidy
}
