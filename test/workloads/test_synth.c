/* The generator: the requested instructions stand in the module, counted after parsing and
 * lowering; contradictory requests are refused at their source; presets likewise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/preset.h"
#include "isa/ptx_inst.h"
#include "run/input/input_set.h"

static struct input_set set;

static const struct program *open_program(const char *spec)
{
    struct fail fail = {0};
    bool right = input_set_open(&set, &spec, 1, &(struct input_rules){.seed = 1}, &fail);
    if (!right) fail_msg("%s: %s", spec, text_get(&fail.text));
    struct host_kernel *k = input_kernel(set.inputs[0], "synth", NULL, 0, &fail);
    if (!k) fail_msg("%s: %s", spec, text_get(&fail.text));
    fail_free(&fail);
    return k->program;
}

/* Instructions of the loop: of an opcode in a space, or all (OP_N). */
static u32 in_loop(const struct program *p, enum op op, enum space space)
{
    const struct ptx_inst *code = p->ptx->code;
    u32 end = p->code_n, begin = 0, n = 0;
    while (end-- && !(code[end].form.op == OP_BRA && code[end].target <= end)) continue;
    begin = code[end].target;
    for (u32 pc = begin; pc <= end; pc++) {
        const struct ptx_inst *i = &code[pc];
        n += op == OP_N || (i->form.op == op && i->form.space == space);
    }
    return n;
}

struct row {
    const char *spec;
    u32 regs, shared, loads, stores, all, special;
};
static const struct row rows[] = {
    {"synth", 24, 0, 16, 0, 112, 0},
    {"synth:regs=12,mlp=4", 12, 0, 16, 0, 112, 0},
    {"synth:regs=13,mlp=4", 13, 0, 16, 0, 112, 0},
    {"synth:regs=255,shared=98304", 255, 98304, 16, 0, 112, 0},
    {"synth:regs=64,shared=4116,threads=64", 64, 4116, 16, 0, 112, 0},
    {"synth:regs=16,shared=1,cinst=2", 16, 1, 16, 0, 48, 0},
    {"synth:cinst=1.5,slots=32,req=11", 24, 0, 32, 0, 80, 0},
    {"synth:cinst=2,req=17,write=0.25,slots=8", 24, 0, 6, 2, 24, 0},
    {"synth:cinst=10,sfu=0.5,slots=10", 24, 0, 10, 0, 110, 50},
    {"synth:cinst=10,sfu=0.25,integer=0.5,branch=0.1,taken=8,slots=10", 24, 0, 10, 0, 110, 25},
    {"synth:cinst=10,shared=1024,shared_load=0.2,shared_store=0.1", 24, 1024, 16, 0, 176, 0},
    {"synth:cinst=9,shuffle=0.3,div=0.1,sfu=0.1,chains=5", 24, 0, 16, 0, 160, 14},
    {"synth:cinst=9,f64=0.5,regs=12,mlp=2", 12, 0, 16, 0, 160, 0},
    {"synth:cinst=9,barriers=4,serial=16", 24, 0, 16, 0, 160, 0},
    {"synth:again=0.5,mlp=8,use=12,burst=4", 24, 0, 16, 0, 112, 0},
    {"synth:warp=0.5,block=0.25,kernel=0.25,warp_lines=64", 24, 0, 16, 0, 112, 0},
    {"synth:kernel=1,random=1,regs=18", 18, 0, 16, 0, 112, 0},
    {"synth:phase=4,run=0,pitch=65536,lane_bytes=1024,req=3", 24, 0, 16, 0, 112, 0},
    {"synth:req=2.5,spread=0.6,kernel=0.5", 24, 0, 16, 0, 112, 0},
    {"synth:req=2.5,spread=0.4,block=0.75,regs=15,run=0", 15, 0, 16, 0, 112, 0},
    {"synth:warp=0.5,warp_kb=64,block=0.5,block_times=3", 24, 0, 16, 0, 112, 0},
    {"synth:barriers=4,exchanges=16,chase=2,kernel=0.5", 24, 0, 24, 0, 119, 0},
};

static void module_is_what_was_asked_for(void **state)
{
    (void)state;
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const struct row *r = &rows[i];
        const struct program *p = open_program(r->spec);
        u32 all = in_loop(p, OP_N, SPACE_GLOBAL);
        if (strstr(r->spec, "serial")) all -= 4 * 14; /* 4 barriers x 16 count as x 2 of 8 warps */
        if (strstr(r->spec, "exchanges")) all -= 4 * 14 + 2 * 7; /* and 8 loads and uses as 1 */
        if (p->registers != r->regs || p->shared_bytes != r->shared ||
            in_loop(p, OP_LD, SPACE_GLOBAL) != r->loads ||
            in_loop(p, OP_ST, SPACE_GLOBAL) != r->stores || all != r->all ||
            in_loop(p, OP_RSQRT, SPACE_NONE) != r->special) {
            fail_msg("%s: %u registers, %u bytes, %u loads, %u stores, %u instructions, %u special",
                     r->spec, p->registers, p->shared_bytes, in_loop(p, OP_LD, SPACE_GLOBAL),
                     in_loop(p, OP_ST, SPACE_GLOBAL), all, in_loop(p, OP_RSQRT, SPACE_NONE));
        }
        input_set_free(&set);
    }
}

static void some_instructions_are_double_divisions(void **state)
{
    (void)state;
    const struct program *p = open_program("synth:cinst=9,f64=0.5");
    assert_int_equal(in_loop(p, OP_DIV, SPACE_NONE), 72);
    input_set_free(&set);
}

struct wrong {
    const char *spec;
    u32 column;
    const char *says;
};
static const struct wrong wrongs[] = {
    {"synth:regs=11", 12, "regs=11 is out of range"},
    {"synth:mlp=8,regs=12", 13, "the kernel needs 14 registers at least"},
    {"synth:cinst=1", 7, "cinst of at least 1.25"},
    {"synth:cinst=2,sfu=1", 7, "the shares of compute instructions exceed"},
    {"synth:warp=0.6,kernel=0.6", 1, "are 20 of 16 memory instructions"},
    {"synth:again=0.5,kernel=0.5", 7, "again needs streaming loads"},
    {"synth:shared_load=0.1", 1, "128 bytes is needed at least"},
    {"synth:serial=4", 7, "barriers is 0"},
    {"synth:chase=4", 7, "barriers is 0"},
    {"synth:exchanges=4", 7, "barriers is 0"},
    {"synth:barriers=4,chase=4,random=1,kernel=1,regs=30", 18, "unlike with random=1"},
    {"synth:warp=1,warp_kb=100", 14, "must be a power of two"},
    {"synth:threads=1.5", 7, "must be a whole number"},
    {"synth:kernel=0.5,kernel_kb=100", 18, "must be a power of two"},
    {"synth:pitch=100", 7, "must be a multiple of 128"},
    {"synth:run=0,pitch=16777216,threads=1024,stream_mb=1", 41, "a block passes over"},
    {"synth:rgs=12", 7, "did you mean 'regs'?"},
};

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    for (u32 i = 0; i < COUNT_OF(wrongs); i++) {
        const struct wrong *w = &wrongs[i];
        struct fail fail = {0};
        struct text place = {0};
        text_add(&place, "\n    %s\n    %*s^\n", w->spec, (int)w->column - 1, "");
        assert_false(input_set_open(&set, &w->spec, 1, &(struct input_rules){.seed = 1}, &fail));
        if (!strstr(text_get(&fail.text), place.bytes) ||
            !strstr(text_get(&fail.text), w->says)) {
            fail_msg("%s: %s lacks %s or %s", w->spec, text_get(&fail.text), place.bytes, w->says);
        }
        text_free(&place);
        fail_free(&fail);
        input_set_free(&set);
    }
}

/* One run reports every constraint that the parameters violate. */
static void all_contradictions_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *says[8];
    } cases[] = {
        {"synth:threads=1.5,regs=12.5",
         {"threads must be a whole number", "regs must be a whole number"}},
        {"synth:pitch=100,step=100,lane_bytes=200,ways=3,kernel_kb=100,phase=3,chase=2",
         {"pitch must be a multiple", "step must be a multiple", "lane_bytes must be a multiple",
          "ways must be a power of two", "kernel_kb must be a power of two",
          "phase must be a power of two", "chase: the value is for the first warp at barriers"}},
        {"synth:again=0.8,warp=0.8,cinst=1,regs=12,mlp=9,shared_load=0.9",
         {"are 26 of 16 memory instructions", "give cinst of at least", "shared memory of 128",
          "registers at least"}},
        {"synth:kernel=1,again=1,block=1,warp=1,mlp=9,regs=12",
         {"are 64 of 16 memory instructions", "registers at least"}},
        {"synth:run=0,pitch=16777216,threads=1024,stream_mb=1,mlp=8,regs=12",
         {"a block passes over", "registers at least"}},
    };
    for (u32 i = 0; i < COUNT_OF(cases); i++) {
        struct fail fail = {0};
        u32 n = 0;
        bool open = input_set_open(&set, &cases[i].spec, 1, &(struct input_rules){.seed = 1},
                                   &fail);
        assert_false(open);
        for (; n < COUNT_OF(cases[i].says) && cases[i].says[n]; n++)
            if (!strstr(text_get(&fail.text), cases[i].says[n]))
                fail_msg("%s: %s lacks %s", cases[i].spec, text_get(&fail.text), cases[i].says[n]);
        if (fail.error_n != n) fail_msg("%s: %s", cases[i].spec, text_get(&fail.text));
        fail_free(&fail);
        input_set_free(&set);
    }
}

/* A stand-in is synth with the values of a file, and takes other values on the command line. */
static void stand_ins_are_synth_with_other_values(void **state)
{
    (void)state;
    u32 n = 0;
    for (u32 i = 0; workload_shipped(i); i++) {
        const struct workload *w = workload_shipped(i);
        if (!w->preset) continue;
        n++;
        const struct program *p = open_program(w->name);
        const struct app_input *in = set.inputs[0];
        for (u32 k = 0; in->params[k].key; k++) {
            if (!strcmp(in->params[k].key, "regs")) assert_int_equal(p->registers, in->values[k]);
            if (!strcmp(in->params[k].key, "shared"))
                assert_int_equal(p->shared_bytes, in->values[k]);
        }
        input_set_free(&set);
    }
    assert_true(n > 0);
    assert_int_equal(open_program("clone000-bp")->registers, 12);
    input_set_free(&set);
    assert_int_equal(open_program("clone000-bp:regs=40,size=test")->registers, 40);
    input_set_free(&set);
}

struct preset_row {
    const char *text, *says;
};
static const struct preset_row presets[] = {
    {"regs: 24\nregs: 25\n", "p.yaml:2:1: error: 'regs' is given twice"},
    {"regs: 24\nrgs: 25\n", "p.yaml:2:1: error: workload synth has no parameter 'rgs'"},
    {"threads: 64\nregs: many\n", "p.yaml:2:7: error: 'many' is not a number"},
    {"regs: 2\n", "p.yaml:1:7: error: regs: 2 is out of range"},
    {"blocks: [10, 2]\n", "p.yaml:1:9: error: blocks: expected a number, or three in brackets"},
    {"blocks: [10, 2, 0]\n", "p.yaml:1:17: error: blocks: 0 is out of range"},
    {"blocks: [10, [2], 0]\n", "p.yaml:1:14: error: blocks: expected a number, not a list"},
    {"blocks: {default: 4}\n", "p.yaml:1:9: error: blocks: expected a number, or three"},
    {"- regs\n", "p.yaml:1:1: error: expected parameters of synth"},
    {"regs: [1\n", "malformed YAML"},
    {"", "the file is empty"},
};

static void presets_are_checked(void **state)
{
    (void)state;
    const struct workload *synth = workload_find("synth");
    for (u32 i = 0; i < COUNT_OF(presets); i++) {
        const struct source source = {"p.yaml", presets[i].text, strlen(presets[i].text)};
        struct fail fail = {0};
        struct arena arena;
        arena_init(&arena);
        assert_null(preset_params(synth, &source, &arena, &fail));
        if (!strstr(text_get(&fail.text), presets[i].says))
            fail_msg("%s: %s", presets[i].text, text_get(&fail.text));
        fail_free(&fail);
        arena_free(&arena);
    }
}

static void a_preset_has_a_value_for_each_size(void **state)
{
    (void)state;
    const struct workload *synth = workload_find("synth");
    static const char text[] = "regs: 40 # why\nblocks: [10, 2, 1e3]\n";
    const struct source source = {"p.yaml", text, sizeof text - 1};
    struct fail fail = {0};
    struct arena arena;
    arena_init(&arena);
    const struct workload_param *p = preset_params(synth, &source, &arena, &fail);
    assert_non_null(p);
    for (u32 i = 0; p[i].key; i++) {
        bool regs = !strcmp(p[i].key, "regs"), blocks = !strcmp(p[i].key, "blocks");
        double normal = regs ? 40 : blocks ? 10 : synth->params[i].normal;
        double test = regs ? 40 : blocks ? 2 : synth->params[i].test;
        double window = regs ? 40 : blocks ? 1000 : synth->params[i].window;
        assert_true(p[i].normal == normal && p[i].test == test && p[i].window == window);
    }
    fail_free(&fail);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(module_is_what_was_asked_for),
        cmocka_unit_test(some_instructions_are_double_divisions),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(all_contradictions_are_reported),
        cmocka_unit_test(stand_ins_are_synth_with_other_values),
        cmocka_unit_test(presets_are_checked),
        cmocka_unit_test(a_preset_has_a_value_for_each_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
