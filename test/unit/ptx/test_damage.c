/* Damaged PTX: every error has the exact line and column, the expected syntax and, if similar, the
 * right name; an error does not hide the next. Malicious text terminates quickly. */
#include "fixture.h"

#include <time.h>

struct damage {
    const char *name, *text;
    u32 line, column;
    const char *message, *note; /* parts required in the output; note may be NULL */
    u32 error_n;
};

#define USES_X ".entry k() { .reg .u32 %r<2>; ld.global.u32 %r1, [x]; ret; }\n"
#define HERE(text) KERNEL text "\nret;\n}\n"

static const struct damage damages[] = {
    {"unknown opcode", HERE("addd.s32 %r1, %r2, %r3;"), 6, 1, "instruction 'addd' is not known",
     "did you mean 'add'?", 1},
    {"unknown modifier", HERE("add.s33 %r1, %r2, %r3;"), 6, 4, "no modifier or type '.s33'",
     NULL, 1},
    {"modifier twice", HERE("add.rn.rz.f32 %f1, %f2, %f3;"), 6, 7, "contradicts", NULL, 1},
    {"missing half", HERE("mul.s32 %r1, %r2, %r3;"), 6, 1, "needs .lo, .hi or .wide", NULL, 1},
    {"missing rounding", HERE("fma.f32 %f1, %f2, %f3, %f4;"), 6, 1, "'fma' needs", NULL, 1},
    {"missing type", HERE("add %r1, %r2, %r3;"), 6, 1, "'add' takes one type", NULL, 1},
    {"too few operands", HERE("add.s32 %r1, %r2;"), 6, 17, "takes 3 operands, here are 2", NULL, 1},
    {"too many operands", HERE("add.s32 %r1, %r2, %r3, %r4;"), 6, 24,
     "takes 3 operands, here are 4", NULL, 1},
    {"selector of metadata", HERE("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
                                  "{%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, "
                                  "{%r1, %r2, %r3, %r4}, {%f1, %f2, %f3, %f4}, %r5, 2;"), 6, 147,
     "selector 0 or 1", NULL, 1},
    {"metadata of all lanes", HERE("wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8 "
                                   "{%r1, %r2, %r3, %r4}, %d1, %d2, %r5, 1, 1;"), 6, 89,
     "selector 0", NULL, 1},
    {"no such register", HERE("add.s32 %r1, %r9, %r3;"), 6, 14, "register '%r9' is not declared",
     "%r<9> declares %r0 to %r8", 1},
    {"misspelt name", KERNEL ".reg .b32 total;\nadd.s32 %r1, totl, %r3;\nret;\n}\n", 7, 14,
     "name 'totl' is not declared", "did you mean 'total'?", 1},
    {"misspelt special", HERE("mov.u32 %r1, %tidd.x;"), 6, 14,
     "special register '%tidd.x' is not known", "did you mean '%tid.x'?", 1},
    {"misspelt parameter",
     HEAD ".entry k(.param .u32 count) {\n.reg .b32 %r<2>;\nld.param.u32 %r1, [cuont];\nret; }", 6,
     20, "variable 'cuont' is not declared", "did you mean 'count'?", 1},
    {"undefined label", HERE("bra $Lend;\n$Lend1:"), 6, 5, "label '$Lend' is not defined",
     "did you mean '$Lend1'?", 1},
    {"label twice", HERE("L:\nL:"), 7, 1, "'L' is defined twice", "first defined in line 6", 1},
    {"register too wide", HERE("add.s32 %r1, %d2, %r3;"), 6, 14,
     "register '%d2' is .b64; 'add.s32' expects 32 bits here", NULL, 1},
    {"register too narrow", HERE("add.f64 %d1, %f2, %d3;"), 6, 14, "expects 64 bits here", NULL, 1},
    {"no predicate", HERE("setp.lt.s32 %r1, %r2, %r3;"), 6, 13, "expects a predicate", NULL, 1},
    {"guard no predicate", HERE("@%r1 bra L;\nL:"), 6, 2, "a guard is a .pred register", NULL, 1},
    {"integer for float", HERE("add.f32 %f1, %f2, 1;"), 6, 19, "expects a float constant", NULL, 1},
    {"address narrow", HERE("ld.global.u32 %r1, [%r2];"), 6, 20, "an address of 64 bits", NULL, 1},
    {"wrong space", HERE("st.shared.u32 [p], %r2;"), 6, 15,
     "'p' is in .param, 'st.shared.u32' accesses .shared", NULL, 1},
    {"no address", HERE("ld.global.u32 %r1, %d2;"), 6, 20, "an address such as", NULL, 1},
    {"wrong vector", HERE("ld.global.v2.u32 {%r1}, [%d1];"), 6, 18, "expects a vector of 2", NULL,
     1},
    {"missing semicolon", HERE("add.s32 %r1, %r2, %r3\nadd.s32 %r1, %r2, %r3;"), 6, 22,
     "expected ';'", NULL, 1},
    {"missing semicolon at the brace", KERNEL "ret\n}\n", 6, 4, "expected ';'", NULL, 1},
    {"missing comma", HERE("add.s32 %r1 %r2, %r3;"), 6, 13, "expected ';'", NULL, 1},
    {"missing bracket", HERE("ld.global.u32 %r1, [%d1;"), 6, 24, "expected ']'", NULL, 1},
    {"long number", HERE("mov.u64 %d1, 99999999999999999999;"), 6, 14, "does not fit into 64 bits",
     NULL, 1},
    {"short float", HERE("mov.f32 %f1, 0f3F8;"), 6, 14, "exactly 8 hexadecimal digits", NULL, 1},
    {"no number", HERE("mov.u32 %r1, 12ab;"), 6, 14, "not a number", NULL, 1},
    {"strange byte", HERE("mov.u32 %r1, \x01;"), 6, 14, "byte 0x01 cannot appear", NULL, 1},
    {"unknown directive", HEAD ".globl .u32 x;\n" USES_X, 5, 51, "variable 'x' is not declared",
     "t.ptx:4:1: error: directive '.globl' is not known", 2},
    {"unknown type", HEAD ".global .u31 x;\n" USES_X, 5, 51, "variable 'x' is not declared",
     "t.ptx:4:9: error: type '.u31' is not known", 2},
    {"unknown directive of a kernel", HEAD ".entry k() .fast 4, 5 { ret; }\n", 4, 12,
     "directive '.fast' of 'k' is not known", NULL, 1},
    {"unknown directive before a kernel", HEAD ".fast .entry k() { ret; }\n", 4, 1,
     "directive '.fast' is not known", NULL, 1},
    {"unknown type of a parameter", HEAD ".entry k(.param .u31 a, .param .u32 b) { ret; }\n", 4, 17,
     "type '.u31' is not known", NULL, 1},
    {"unknown parameter of a function",
     HEAD ".func f(.param .u31 a) { ret; }\n.entry k() { call f, (1); ret; }\n", 5, 19,
     "expects a function declared before the call", NULL, 1},
    {"an empty cluster", HEAD ".entry k() .reqnctapercluster 2, 0, 1 { ret; }\n", 4, 31,
     "a cluster has at least one block", NULL, 1},
    {"array too large", HEAD ".global .b8 x[99999999999];\n", 4, 15, "'x' is too large", NULL, 1},
    {"type of instructions", HEAD ".global .b1 x[] = {1};\n", 4, 9,
     ".b1 is a type of instructions, not of variables or registers; use .b32", NULL, 1},
    {"another in a register", HEAD ".entry k() { .reg .bf16 r; ret; }\n", 4, 19,
     ".bf16 is a type of instructions", NULL, 1},
    {"another in a parameter", HEAD ".entry k(.param .e4m3x2 p) { ret; }\n", 4, 17,
     "use .b16", NULL, 1},
    {"array overflow", HEAD ".global .b8 y[4294967296][4294967296];\n", 4, 27, "'y' is too large",
     NULL, 1},
    {"too many values", HEAD ".global .u32 x[2] = {1, 2, 3};\n", 4, 28, "too many initial values",
     NULL, 1},
    {"too many registers", HEAD ".entry k() {\n.reg .b32 %r<4000000000>;\nmov.u32 %r7, 0; ret; }",
     5, 14, "too many registers", NULL, 1},
    {"variable twice", HEAD ".global .u32 x;\n.global .u32 x;\n", 5, 14, "'x' is defined twice",
     "first defined in line 4", 1},
    {"kernel twice", HEAD ".entry k() { ret; }\n.entry k() { ret; }\n", 5, 8,
     "'k' is defined twice", NULL, 1},
    {"call of nothing", HERE("call f, (p);"), 6, 6, "name 'f' is not declared", NULL, 1},
    {"wrong arguments", HEAD ".func f(.param .b32 a) { ret; }\n.entry k() {\ncall f;\nret;\n}\n", 6,
     1, "the call has 0 arguments, the function is declared with 1", NULL, 1},
    {"no prototype", HERE("call %d1;"), 6, 6, "a .callprototype", NULL, 1},
    {"cut in a statement", KERNEL "add.s32 %r1,", 6, 13, "found the end of the text", NULL, 2},
    {"cut in a body", KERNEL "ret;\n", 6, 5, "function 'k' is not closed", NULL, 1},
    {"cut in a comment", HEAD "/* no end", 4, 1, "unterminated comment", NULL, 1},
    {"brace missing", HEAD ".entry a() { ret;\n.entry b() { ret; }\n", 5, 1,
     "function 'a' is not closed", NULL, 1},
    {"no PTX", "int main(void) { return 0; }\n", 1, 1, "expected '.version'", NULL, 1},
    {"empty", "", 1, 1, "expected '.version'", NULL, 1},
    {"float for a predicate", HERE("selp.b32 %r1, 2, 3, 1.0;"), 6, 21,
     "expects a predicate, or an integer constant", NULL, 1},
    {"barrier beyond the last", HERE("bar.sync 16;"), 6, 10, "expects a barrier from 0 to 15", NULL,
     1},
    {"barrier below zero", HERE("barrier.red.popc.u32 %r1, -1, %p1;"), 6, 27,
     "expects a barrier from 0 to 15", NULL, 1},
    {"registers of a warp not in eights", HERE("setmaxnreg.dec.sync.aligned.u32 30;"), 6, 33,
     "expects a multiple of 8 from 24 to 256", NULL, 1},
    {"registers of a warp below the least", HERE("setmaxnreg.dec.sync.aligned.u32 16;"), 6, 33,
     "expects a multiple of 8 from 24 to 256", NULL, 1},
    {"registers of a warp beyond the most", HERE("setmaxnreg.inc.sync.aligned.u32 264;"), 6, 33,
     "expects a multiple of 8 from 24 to 256", NULL, 1},
    {"barrier for half a warp", HERE("bar.arrive 15, 33;"), 6, 16, "a multiple of 32", NULL, 1},
    {"parameter written", HERE("st.param.u64 [p+8], %d1;"), 6, 14,
     "'p' is a parameter of 'k' and cannot be written", NULL, 1},
    {"parameter of a function written",
     HEAD ".func (.param .u32 o) f(.param .u32 i) {\nst.param.u32 [o], 1;\n"
          "st.param.u32 [i], 1; ret; }\n.entry k() { .param .u32 o; .param .u32 i;\n"
          "call (o), f, (i); ret; }\n",
     6, 14, "'i' is a parameter of 'f'", NULL, 1},
    {"too much .const", HEAD ".const .b8 a[65536];\n.const .b8 b;\n", 5, 12,
     "no room for 'b' (1 bytes): .const has 65536 bytes", NULL, 1},
    {"shared without a size", HEAD ".shared .b32 s[];\n", 4, 14, "array 's' needs a size", NULL,
     1},
    {"comma behind the last value", HEAD ".global .b32 g[3] = {1, 2,};\n", 4, 27,
     "expected a constant, found '}'", NULL, 1},
    {"comma behind the last row", HEAD ".global .b32 g[2][2] = {{1, 2}, };\n", 4, 33,
     "expected a constant, found '}'", NULL, 1},
    {"integer for a float variable", HEAD ".global .f32 x = 1;\n", 4, 18,
     "expected a float constant (as 0f3F800000 or 1.0) for '.f32'", NULL, 1},
    {"second version", HEAD ".version 8.0\n", 4, 1, "a second '.version'", NULL, 1},
    {"second target", HEAD ".target sm_75\n", 4, 1, "a second '.target'", NULL, 1},
    {"second address size", HEAD ".address_size 64\n", 4, 1, "a second '.address_size'", NULL, 1},
    {"other type than declared",
     HEAD ".func f(.param .b32 a, .param .b32 b);\n"
          ".func f(.param .b32 a, .param .f32 b) { ret; }\n",
     5, 7, "'f' has other parameters than in its declaration", "declared in line 4", 1},
    {"other space than declared",
     HEAD ".func (.reg .b32 r) f();\n.func (.param .b32 r) f() { ret; }\n", 5, 23,
     "'f' has other parameters", NULL, 1},
    {"other size than declared",
     HEAD ".entry f(.param .b8 a[8]);\n.entry f(.param .b8 a[16]) { ret; }\n", 5, 8,
     "'f' has other parameters", NULL, 1},
    {"other alignment than declared",
     HEAD ".func f(.param .b8 a[8]);\n.func f(.param .align 8 .b8 a[8]) { ret; }\n", 5, 7,
     "'f' has other parameters", NULL, 1},
    {"register in a family", HERE(".reg .b32 %q<3>;\n.reg .f32 %q2;"), 7, 11,
     "'%q2' is defined twice", "first defined in line 6", 1},
    {"family around a register", HERE(".reg .f32 %q1;\n.reg .b32 %q<3>;"), 7, 11,
     "'%q1' is defined twice", "first defined in line 6", 1},
    {"variable in a family", HERE(".reg .b32 %q<3>;\n.local .b32 %q0;"), 7, 13,
     "'%q0' is defined twice", "first defined in line 6", 1},
    {"offset taken away", HERE("ld.global.u32 %r1, [%d1-8];"), 6, 24,
     "expected '+' (a negative offset is written +-8), found '-'", NULL, 1},
    {"offset taken away from a name",
     HEAD ".global .b32 g;\n.global .u64 h = g-4;\n.global .u64 i = generic(g)-4;\n", 5, 19,
     "expected '+' (a negative offset is written +-8), found '-'", "t.ptx:6:28: ", 2},
    {"offset of a name with a fraction", HEAD ".global .b32 g;\n.global .u64 h = g+4.0;\n", 5, 19,
     "an offset cannot be a float", NULL, 1},
    {"fraction with a letter", HERE("mov.f32 %f1, .5f;"), 6, 14, "not a number", NULL, 1},
    {"half a register of 32 bits", HERE("mov.u16 %h1, %laneid;"), 6, 14,
     "expects %tid, %ntid, %ctaid or %nctaid here", NULL, 1},
    {"nothing to join with", HERE("setp.lt.and.s32 %p1, %r1, %r2;"), 6, 1,
     "'setp.lt.and.s32' needs a predicate", NULL, 1},
    {"nothing that joins", HERE("set.lt.u32.s32 %r3, %r1, %r2, %p1;"), 6, 1,
     "'set.lt.u32.s32' with four operands needs .and, .or or .xor", NULL, 1},
    {"constant guard", HERE("@1 mov.u32 %r1, 2;"), 6, 2, "expected a predicate after '@'", NULL,
     1},
    {"origin without a column", HERE(".loc 1 2"), 7, 1, "expected a column's number, found 'ret'",
     NULL, 1},
    {"origin with a word", HERE(".loc x 2 3"), 6, 6, "expected a file's index, found 'x'", NULL, 1},
    {"origin below zero", HERE(".loc 1 -2 3"), 6, 8, "expected a line's number", NULL, 1},
    {"origin with a number too many", HERE(".loc 1 2 3 4"), 6, 12, "expected an instruction", NULL,
     1},
    {"origin without its function", HERE(".loc 1 2 3, mov.u32 %r1, 2;"), 6, 13,
     "expected 'function_name', found 'mov'", NULL, 1},
    {"origin inlined nowhere", HERE(".loc 1 2 3, function_name L"), 7, 1,
     "expected ',' and 'inlined_at'", NULL, 1},
    {"origin inlined at half a place",
     HERE(".loc 1 2 3, function_name L+4, inlined_at 1 2 mov.u32 %r1, 2;"), 6, 47,
     "expected a column's number, found 'mov'", NULL, 1},
    {"file without a name", HEAD ".file 1\n", 4, 8, "expected a file's name", NULL, 1},
    {"file with a bare name", HEAD ".file 1 a.cu\n", 4, 9, "expected a file's name as a string",
     NULL, 1},
    {"file with a bad time", HEAD ".file 1 \"a\", x\n", 4, 14, "expected a file's timestamp",
     NULL, 1},
    {"file with an open string", HEAD ".file 1 \"abc\n.entry k() { ret; }\n", 4, 9,
     "unterminated string", NULL, 1},
    {"32 bits", ".version 6.0\n.target sm_30\n.address_size 32\n", 3, 15, "only PTX with", NULL, 1},
    {"new version", ".version 12.3\n.target sm_75\n", 1, 10, "PTX version 12.3 is not known", NULL,
     1},
};

/* Parses the module and lowers every kernel; false: errors. */
static bool read_all(struct fixture *f, const char *text, size_t size)
{
    fixture_parse(f, text, size);
    for (u32 k = 0; f->m && k < ptx_kernel_n(f->m); k++)
        ptx_lower(f->m, k, &f->arena, &f->fail);
    return !f->fail.error_n;
}

static void test_places(void **state)
{
    (void)state;
    for (u32 i = 0; i < COUNT_OF(damages); i++) {
        const struct damage *d = &damages[i];
        struct fixture f;
        char place[40];
        bool good = read_all(&f, d->text, strlen(d->text));
        snprintf(place, sizeof place, "t.ptx:%u:%u: error: ", d->line, d->column);
        const char *said = text_get(&f.fail.text);
        bool ok = !good && f.fail.error_n == d->error_n && !strncmp(said, place, strlen(place)) &&
                  strstr(said, d->message) && (!d->note || strstr(said, d->note));
        if (!ok) {
            print_error("%s: wanted %u error(s), %s%s\n%s", d->name, d->error_n, place, d->message,
                        said);
            fail();
        }
        fixture_free(&f);
    }
}

static void test_several(void **state)
{
    (void)state;
    const char *text = KERNEL "addd.s32 %r1, %r2, %r3;\n"
                              "add.s32 %r1, %r2, %r3\n"
                              "mov.u32 %r1, %q7;\n"
                              "{ sub.s32 %r1 %r2; }\n"
                              "bra L;\n"
                              "ret;\n}\n"
                              ".globl .u32 y;\n"
                              ".visible .entry k2() { rett; }\n";
    static const char *const places[] = {"t.ptx:6:1: ", "t.ptx:7:22: ", "t.ptx:8:14: ",
                                         "t.ptx:9:15: ", "t.ptx:10:5: "};
    struct fixture f;
    fixture_parse(&f, text, strlen(text));
    assert_null(f.m);
    assert_int_equal(f.fail.error_n, COUNT_OF(places));
    for (u32 i = 0; i < COUNT_OF(places); i++) {
        if (!strstr(text_get(&f.fail.text), places[i])) fail_msg("no error at %s", places[i]);
    }
    fixture_free(&f);
}

static void test_caret(void **state)
{
    (void)state;
    struct fixture f;
    const char *text = KERNEL "\tadd.s32 %r1, %r9, 1;\nret;\n}\n";
    read_all(&f, text, strlen(text));
    assert_string_equal(text_get(&f.fail.text),
                        "t.ptx:6:15: error: register '%r9' is not declared\n"
                        "     add.s32 %r1, %r9, 1;\n"
                        "                  ^\n"
                        "    note: %r<9> declares %r0 to %r8\n");
    fixture_free(&f);
}

/* An unreadably long word or line is shown by its ends. */
static void test_long(void **state)
{
    (void)state;
    struct fixture f;
    struct text name = {0}, body = {0}, wanted = {0};
    for (u32 i = 0; i < 100000; i++) text_put(&name, "abcdefghij", 10);
    const char *n = text_get(&name);
    text_add(&body, "%sadd.s32 %%r1, /* %s */ %s, 1;\nret;\n}\n", KERNEL, n, n);
    read_all(&f, text_get(&body), body.size);
    text_add(&wanted,
             "t.ptx:6:1000021: error: name '%.199s...%s' is not declared\n"
             "    ...%s */ %.80s...\n"
             "    %83s^\n",
             n, n + name.size - 39, n + name.size - 76, n, "");
    assert_string_equal(text_get(&f.fail.text), text_get(&wanted));
    fixture_free(&f);
    text_free(&name);
    text_free(&body);
    text_free(&wanted);
}

static void test_binary(void **state)
{
    (void)state;
    char bytes[300] = "\x7f"
                      "ELF";
    struct fixture f;
    fixture_parse(&f, bytes, sizeof bytes - 1);
    bytes[100] = 1;
    fixture_free(&f);
    fixture_parse(&f, bytes, sizeof bytes);
    assert_null(f.m);
    assert_non_null(strstr(text_get(&f.fail.text), "t.ptx:1:1: error: not PTX text"));
    assert_int_equal(f.fail.error_n, 1);
    fixture_free(&f);
}

/* Returns `head`, n times `part`, `tail`. */
static struct text repeat(const char *head, const char *part, u32 n, const char *tail)
{
    struct text t = {0};
    text_add(&t, "%s", head);
    for (u32 i = 0; i < n; i++) text_put(&t, part, strlen(part));
    text_add(&t, "%s", tail);
    return t;
}

static void test_hostile(void **state)
{
    (void)state;
    static const struct {
        const char *head, *part, *tail;
        bool good;
    } texts[] = {
        {KERNEL, "{", "", false},
        {KERNEL, "{\n", "\n}\n", false},
        {HEAD, "{", "", false},
        {HEAD, "}", "", false},
        {HEAD ".global .u32 x = ", "(", "", false},
        {HEAD ".global .u32 x = ", "-", "1;", false},
        {HEAD ".global .u32 x[1] = ", "{", "", false},
        {HEAD ".global .u32 x", "[1]", ";", false},
        {KERNEL, "foo.bar %r1;\n", "}\n", false},
        {KERNEL, "add.s32 %q1, %r1, 1;\n", "}\n", false},
        {KERNEL, "{ .reg .b32 a1; .reg .b32 b<9>; }\n", "ret; }\n", true},
        {KERNEL, "{ L: @%p1 bra L; }\n", "ret; }\n", true},
        {KERNEL, "@%p1 bra L;\n", "L: ret; }\n", true},
        {KERNEL, "add.s32 %r1, %r2, %r3;", "ret; }\n", true},
        {HEAD ".global .u32 x[] = {0", ",1", "};\n", true},
    };
    for (u32 i = 0; i < COUNT_OF(texts); i++) {
        struct text t = repeat(texts[i].head, texts[i].part, 100000, texts[i].tail);
        struct fixture f;
        clock_t before = clock();
        read_all(&f, text_get(&t), t.size);
        if (!f.fail.error_n != texts[i].good)
            fail_msg("hostile text %u: %s", i, text_get(&f.fail.text));
        if (clock() - before > 20 * CLOCKS_PER_SEC) fail_msg("hostile text %u takes too long", i);
        fixture_free(&f);
        text_free(&t);
    }
}

/* Many names that could be members of many families; only the last is a member. */
static void test_families(void **state)
{
    (void)state;
    struct text t = {0};
    struct fixture f;
    clock_t before = clock();
    text_add(&t, "%s", KERNEL);
    for (u32 i = 0; i < 50000; i++) text_add(&t, ".reg .b32 a%u; .reg .b32 b%ux<1>;\n", i, i);
    text_add(&t, ".reg .b32 c9, d9;\n.reg .b32 c<10>;\n.reg .b32 d<20000>;\nret;\n}\n");
    read_all(&f, text_get(&t), t.size);
    assert_int_equal(f.fail.error_n, 2);
    assert_non_null(strstr(text_get(&f.fail.text), ":50007:11: error: 'c9' is defined twice"));
    assert_non_null(strstr(text_get(&f.fail.text), ":50008:11: error: 'd9' is defined twice"));
    if (clock() - before > 5 * CLOCKS_PER_SEC) fail_msg("families take too long");
    fixture_free(&f);
    text_free(&t);
}

/* A good text cut at every byte, and with every byte replaced: errors, never worse. */
static void test_cut(void **state)
{
    (void)state;
    const char *text = HEAD
        ".global .align 8 .u64 g[2][2] = {{1, generic(f)}, {0d3FF0000000000000}};\n"
        ".func (.param .b32 o) f(.param .b32 a);\n"
        ".entry k(.param .u64 p) .maxntid 32 {\n"
        ".reg .b32 %r<3>; .reg .pred %p<2>; .shared .f32 s[4];\n"
        "L: @!%p1 bra L; { .param .b32 a; .param .b32 b; call (b), f, (a); }\n"
        "atom.shared.add.u32 %r1, [s+4], -1; bar.sync 0; ret; }\n";
    size_t n = strlen(text);
    char *copy = malloc(n + 1);
    for (size_t i = 0; i < n; i++) {
        struct fixture f;
        fixture_parse(&f, text, i);
        assert_int_equal(f.m == NULL, f.fail.error_n > 0);
        fixture_free(&f);
        for (u32 c = 0; c < 8; c++) {
            memcpy(copy, text, n);
            copy[i] = ";{}(.@\x80%"[c];
            fixture_parse(&f, copy, n);
            assert_int_equal(f.m == NULL, f.fail.error_n > 0);
            fixture_free(&f);
        }
    }
    free(copy);
}

/* Errors that reject a kernel, and kernels that stay valid. */
static void test_refused(void **state)
{
    (void)state;
    static const char text[] = HEAD
        ".func wrong() { fooo.u32 {a, b}, [c]; ret; }\n" /* line 4 */
        ".func through() { call wrong; ret; }\n"
        ".func taken() { .reg .u32 r; mov.u32 r, %nosuch.x; ret; }\n"
        ".global .u64 table = taken;\n"
        ".entry good() { ret; }\n"
        ".entry own() { .foo 1, 2;\n.bar 3\nret; }\n"
        ".entry calls() { call through; ret; }\n" /* line 11 */
        ".entry points() { .reg .u64 f; T: .callprototype _ (); call f, T; ret; }\n"
        ".entry modifier() { .reg .u32 r; add.u32.later r, r, r; ret; }\n";
    static const struct {
        const char *kernel, *place, *note;
    } rows[] = {
        {"good", NULL, NULL},
        {"own", "t.ptx:9:16: error: directive '.foo' is not known", "t.ptx:10:1: "},
        {"calls", "t.ptx:4:17: error: instruction 'fooo' is not known",
         "function 'wrong', reachable from kernel 'calls'"},
        {"points", "t.ptx:6:41: error: special register '%nosuch.x' is not known", "'taken'"},
        {"modifier", "t.ptx:14:41: error: 'add' has no modifier or type '.later'", NULL},
    };
    struct fixture f;
    fixture_good(&f, text);
    assert_int_equal(ptx_kernel_n(f.m), COUNT_OF(rows));
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct fail why = {0};
        u32 k = ptx_kernel_find(f.m, rows[i].kernel);
        bool good = ptx_lower(f.m, k, &f.arena, &why) != NULL;
        const char *said = text_get(&why.text);
        if (good != !rows[i].place ||
            (!good && (strncmp(said, rows[i].place, strlen(rows[i].place)) ||
                       (rows[i].note && !strstr(said, rows[i].note)))))
            fail_msg("%s: %s", rows[i].kernel, said);
        fail_free(&why);
    }
    fixture_free(&f);
}

/* Text without recognisable statement ends invalidates the module. */
static void test_open_ends(void **state)
{
    (void)state;
    static const char *const texts[] = {
        KERNEL "fooo %r1\nadd.s32 %r1, %r2, %r3;\nret; }\n.entry good() { ret; }\n",
        KERNEL "fooo.u32 %r1, %r2 }\n.entry good() { ret; }\n",
        KERNEL "tex.2d %r1\nadd.s32 %r1, %r2, %r3;\nret; }\n.entry good() { ret; }\n",
        KERNEL "ret;\n.entry good() { ret; }\n",
        KERNEL "ret; ? }\n.entry good() { ret; }\n",
    };
    for (u32 i = 0; i < COUNT_OF(texts); i++) {
        struct fixture f;
        fixture_parse(&f, texts[i], strlen(texts[i]));
        if (f.m) fail_msg("text %u is a module", i);
        fixture_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places), cmocka_unit_test(test_several), cmocka_unit_test(test_caret),
        cmocka_unit_test(test_long), cmocka_unit_test(test_binary), cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_families), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_open_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
