/* PTX written by nvcc 13 (in data/ and workloads/): everything lowers, every instruction has an
 * executing function, and register counts come near the counts of ptxas. */
#include "fixture.h"
#include "exec/warp.h"

static void check_program(struct program *p)
{
    u32 last_line;
    u32 column;
    source_position(p->source, p->source->size, &last_line, &column);
    assert_true(exec_bind(p));
    for (u32 pc = 0; pc < p->code_n; pc++) {
        const struct ptx_inst *i = &p->ptx->code[pc];
        const struct inst *t = &p->code[pc];
        assert_true(t->line > 0 && t->line <= last_line);
        assert_true(i->target == PC_NONE || i->target < p->code_n);
        assert_true(i->reconverge == PC_NONE || i->reconverge < p->code_n);
        assert_true(t->score_dst <= t->score_n && t->unit < UNIT_N && t->cost < COST_N);
        for (u32 k = 0; k < DST_MAX; k++)
            assert_true(i->dst[k] == OPERAND_ABSENT || i->dst[k] / ROW_BYTES < p->row_n);
        for (u32 k = 0; k < SRC_MAX && i->form.type != T_PRED; k++) {
            u32 rows = p->row_n * ROW_BYTES, s = i->src[k];
            u32 end = s & OPERAND_CONST ? p->ptx->constant_bytes : rows;
            assert_true(s == OPERAND_ABSENT || (s & ~OPERAND_CONST) + ROW_BYTES <= end);
        }
        struct text shown = {0};
        ptx_show(p, pc, &shown);
        assert_non_null(strstr(text_get(&shown), op_name((enum op)i->form.op)));
        text_free(&shown);
    }
    u16 end = p->ptx->code[p->code_n - 1].form.op;
    assert_true(end == OP_RET || end == OP_EXIT || end == OP_TRAP || end == OP_BRA);
}

static void check_file(const char *path)
{
    struct fixture f;
    size_t size;
    char *text = fixture_read(path, &size);
    fixture_parse(&f, text, size);
    if (!f.m) fail_msg("%s", text_get(&f.fail.text));
    assert_true(ptx_kernel_n(f.m) > 0);
    for (u32 k = 0; k < ptx_kernel_n(f.m); k++) {
        struct program *p = ptx_lower(f.m, k, &f.arena, &f.fail);
        if (!p) fail_msg("%s", text_get(&f.fail.text));
        check_program(p);
    }
    fixture_free(&f);
    free(text);
}

static void test_files(void **state)
{
    (void)state;
    static const char *const files[] = {DATA "calls.ptx",
                                        DATA "mixed.ptx",
                                        DATA "kernels.ptx",
                                        WORKLOADS "vecadd/kernel.ptx",
                                        WORKLOADS "mm/kernel.ptx",
                                        WORKLOADS "stencil/kernel.ptx",
                                        WORKLOADS "bfs/kernel.ptx",
                                        WORKLOADS "spmv/kernel.ptx",
                                        WORKLOADS "hotspot/kernel.ptx",
                                        WORKLOADS "kmeans/kernel.ptx",
                                        WORKLOADS "gups/kernel.ptx"};
    for (u32 i = 0; i < COUNT_OF(files); i++) check_file(files[i]);
}

/* data/kernels.ptx; counts of ptxas 13 for sm_75. Without matmul_tiled: ptxas uses 60 registers by
 * hoisting all loads of the unrolled loop. */
static void test_registers(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        s32 ptxas;
    } kernels[] = {{"vecadd", 12}, {"stencil5", 18}, {"gather", 10},  {"strided", 8},
                   {"chase", 9},   {"chase_cg", 8},  {"fma_ilp1", 8}, {"sfu", 11},
                   {"bank", 15},   {"reduce", 11},   {"spmv", 20},    {"copy4", 10},
                   {"reuse", 24}};
    struct fixture f;
    size_t size;
    s32 off = 0;
    char *text = fixture_read(DATA "kernels.ptx", &size);
    fixture_parse(&f, text, size);
    for (u32 i = 0; i < COUNT_OF(kernels); i++) {
        s32 d = (s32)fixture_lower(&f, kernels[i].kernel)->registers - kernels[i].ptxas;
        assert_in_range(d + 4, 0, 8);
        off += d < 0 ? -d : d;
    }
    assert_in_range(off, 0, 2 * COUNT_OF(kernels));
    fixture_free(&f);
    free(text);
}

static void timing_equal(struct inst a, struct inst b)
{
    assert_int_equal(a.score_n, b.score_n);
    assert_memory_equal(a.numbers, b.numbers, sizeof *a.numbers * a.score_n);
    a.numbers = b.numbers = NULL; /* places in two arenas */
    assert_memory_equal(&a, &b, sizeof a);
}

/* equal text gives equal bytes, independent of earlier lowering */
static void test_repeat(void **state)
{
    (void)state;
    struct fixture a, b;
    size_t size;
    char *text = fixture_read(DATA "mixed.ptx", &size);
    fixture_parse(&a, text, size);
    fixture_parse(&b, text, size);
    for (u32 k = ptx_kernel_n(a.m); k--;) ptx_lower(a.m, k, &a.arena, &a.fail);
    for (u32 k = 0; k < ptx_kernel_n(a.m); k++) {
        const struct program *p = ptx_lower(a.m, k, &a.arena, &a.fail);
        const struct program *q = ptx_lower(b.m, k, &b.arena, &b.fail);
        assert_int_equal(p->code_n, q->code_n);
        assert_memory_equal(p->ptx->code, q->ptx->code, sizeof *p->ptx->code * p->code_n);
        for (u32 pc = 0; pc < p->code_n; pc++) timing_equal(p->code[pc], q->code[pc]);
        assert_int_equal(p->ptx->constant_bytes, q->ptx->constant_bytes);
        assert_memory_equal(p->ptx->constants, q->ptx->constants, p->ptx->constant_bytes);
    }
    fixture_free(&a);
    fixture_free(&b);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files),
                                       cmocka_unit_test(test_registers),
                                       cmocka_unit_test(test_repeat)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
