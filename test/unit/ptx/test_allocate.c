/* No two simultaneously live values share a row. Liveness is computed here by plain iteration over
 * steps, independent of ptx/liveness, for every function of all available PTX. */
#include "fixture.h"
#include "ptx/body.h"

struct life {
    const struct body *b;
    u8 *in; /* [step][register]: live before the step */
    u32 step;
    u8 *now;
};

static void read_back(void *context, u32 reg, bool is_write)
{
    struct life *l = context;
    bool guarded = l->b->steps[l->step].guard != NO_INDEX;
    if (!is_write || guarded) l->now[reg] = 1;
}

static void write_back(void *context, u32 reg, bool is_write)
{
    struct life *l = context;
    if (is_write && l->b->steps[l->step].guard == NO_INDEX) l->now[reg] = 0;
}

static void take(struct life *l, u32 step)
{
    const u8 *next = l->in + (size_t)step * l->b->register_n;
    for (u32 r = 0; r < l->b->register_n; r++) l->now[r] |= next[r];
}

/* Computes the registers live behind a step. */
static void find_out(struct life *l)
{
    const struct step *s = &l->b->steps[l->step];
    memset(l->now, 0, l->b->register_n);
    if (s->form.op == OP_BRA) take(l, s->target);
    for (u32 k = 0; k < s->table_n; k++) take(l, l->b->targets[s->table + k]);
    if (step_falls_through(s)) take(l, l->step + 1);
}

static bool walk(struct life *l)
{
    bool changed = false;
    for (u32 i = l->b->step_n; i--;) {
        l->step = i;
        find_out(l);
        step_registers(&l->b->steps[i], write_back, l);
        step_registers(&l->b->steps[i], read_back, l);
        u8 *in = l->in + (size_t)i * l->b->register_n;
        changed |= memcmp(in, l->now, l->b->register_n) != 0;
        memcpy(in, l->now, l->b->register_n);
    }
    return changed;
}

static u32 rows_of(const struct body *b, u32 reg)
{
    return type_bytes((enum type)b->types[reg]) > 4 ? 2 : 1;
}

static bool overlap(const struct body *b, u32 a, u32 c)
{
    if ((b->types[a] == T_PRED) != (b->types[c] == T_PRED)) return false;
    return b->rows[a] < b->rows[c] + rows_of(b, c) && b->rows[c] < b->rows[a] + rows_of(b, a);
}

/* Checks a register written by a step against all registers live behind the step. */
static void written(void *context, u32 reg, bool is_write)
{
    struct life *l = context;
    const struct body *b = l->b;
    if (!is_write) return;
    assert_int_not_equal(b->rows[reg], NO_INDEX);
    for (u32 r = 0; r < b->register_n; r++) {
        if (r == reg || !l->now[r] || !overlap(b, r, reg)) continue;
        struct text names = {0};
        func_register_name(&b->m->funcs[b->func], reg, &names);
        text_add(&names, " and ");
        func_register_name(&b->m->funcs[b->func], r, &names);
        fail_msg("%s line %u: %s share row %u", b->m->source->name, b->steps[l->step].line,
                 text_get(&names), b->rows[reg]);
    }
}

static void sink_all(void *context, u32 reg, bool is_write)
{
    struct life *l = context;
    if (is_write) l->now[reg] = 1; /* all results of a step are live at once */
}

static void check_body(const struct body *b)
{
    struct life l = {.b = b,
                     .in = calloc((size_t)b->step_n + 1, b->register_n + 1ull),
                     .now = calloc(b->register_n + 1ull, 1)};
    while (walk(&l)) {
    }
    for (u32 i = 0; i < b->step_n; i++) {
        l.step = i;
        find_out(&l);
        step_registers(&b->steps[i], sink_all, &l);
        step_registers(&b->steps[i], written, &l);
    }
    for (u32 r = 0; r < b->register_n; r++) {
        if (b->rows[r] == NO_INDEX) continue;
        u32 end = b->types[r] == T_PRED ? b->pred_n : b->row_n;
        assert_true(b->rows[r] + rows_of(b, r) <= end);
        if (rows_of(b, r) == 2) assert_int_equal(b->rows[r] % 2, 0);
        /* rows of 32- and 64-bit registers are never shared, because their lanes have different
         * layouts */
        for (u32 q = 0; q < r; q++) {
            if (b->rows[q] != NO_INDEX && rows_of(b, q) != rows_of(b, r))
                assert_false(overlap(b, q, r));
        }
    }
    assert_int_equal(b->row_n % 2, 0);
    free(l.in);
    free(l.now);
}

static void check_kernel(struct fixture *f, u32 kernel)
{
    struct fail fail = {0};
    struct lowering l = {
        .m = f->m, .arena = &f->arena, .fail = &fail, .kernel = f->m->kernels[kernel]};
    bool ok = lower_reach(&l);
    for (u32 i = 0; ok && i < l.order_n; i++) {
        struct body b = {.m = f->m, .func = l.order[i]};
        select_body(&l, &b);
        if (!b.failed) {
            flow_find(&b);
            liveness_allocate(&l, &b);
            assert_false(b.failed);
            check_body(&b);
        }
        body_free(&b);
    }
    fail_free(&fail);
}

static void check_file(const char *path)
{
    struct fixture f;
    size_t size;
    char *text = fixture_read(path, &size);
    fixture_parse(&f, text, size);
    if (!f.m) fail_msg("%s", text_get(&f.fail.text));
    f.source.name = path;
    for (u32 k = 0; k < ptx_kernel_n(f.m); k++) check_kernel(&f, k);
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

static u32 draw(u32 *state, u32 n)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 16) % n;
}

/* random code: few registers of every size, heavily used, branches anywhere, guards, results in
 * pairs */
static void test_random(void **state)
{
    (void)state;
    u32 seed = 7;
    for (u32 round = 0; round < 200; round++) {
        struct text t = {0};
        u32 n = 5 + draw(&seed, 60);
        text_add(&t, "%s", KERNEL);
        for (u32 i = 0; i < n; i++) {
            u32 a = draw(&seed, 9), b = draw(&seed, 9), c = draw(&seed, 9), p = draw(&seed, 4);
            text_add(&t, "L%u: ", i);
            if (draw(&seed, 4) == 0) text_add(&t, "@%%p%u ", draw(&seed, 4));
            switch (draw(&seed, 8)) {
            case 0: text_add(&t, "bra L%u;\n", draw(&seed, n)); break;
            case 1: text_add(&t, "add.s64 %%d%u, %%d%u, %%d%u;\n", a, b, c); break;
            case 2:
                text_add(&t, "setp.lt.s32 %%p%u|%%p%u, %%r%u, %%r%u;\n", p, (p + 1) % 4, a, b);
                break;
            case 3: text_add(&t, "mov.b64 {%%r%u, %%r%u}, %%d%u;\n", a, (a + 1) % 9, c); break;
            case 4: text_add(&t, "cvt.u32.u64 %%r%u, %%d%u;\n", a, b); break;
            case 5: text_add(&t, "mul.wide.s32 %%d%u, %%r%u, %%r%u;\n", a, b, c); break;
            case 6: text_add(&t, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;\n", a, b, c, p); break;
            default: text_add(&t, "add.s32 %%r%u, %%r%u, %%r%u;\n", a, b, c); break;
            }
        }
        text_add(&t, "ret;\n}\n");
        struct fixture f;
        fixture_good(&f, text_get(&t));
        check_kernel(&f, 0);
        fixture_free(&f);
        text_free(&t);
    }
}

/* the checker itself detects a wrong allocation */
static void test_checker(void **state)
{
    (void)state;
    struct fixture f;
    struct fail fail = {0};
    fixture_good(&f, KERNEL "mov.u32 %r1, 1; mov.u32 %r2, 2; add.s32 %r3, %r1, %r2; ret; }");
    struct lowering l = {.m = f.m, .arena = &f.arena, .fail = &fail, .kernel = f.m->kernels[0]};
    struct body b = {.m = f.m, .func = l.kernel};
    assert_true(lower_reach(&l));
    select_body(&l, &b);
    flow_find(&b);
    liveness_allocate(&l, &b);
    struct life life = {
        .b = &b, .in = calloc(b.step_n + 1ull, b.register_n), .now = calloc(b.register_n, 1)};
    while (walk(&life)) {
    }
    life.step = 1; /* both are live behind `mov %r2` */
    find_out(&life);
    u32 wanted = 0, first = NO_INDEX, second = NO_INDEX;
    for (u32 r = 0; r < b.register_n; r++) {
        if (!life.now[r]) continue;
        wanted++;
        if (first == NO_INDEX) first = r;
        else second = r;
    }
    assert_int_equal(wanted, 2);
    assert_int_not_equal(b.rows[first], b.rows[second]);
    b.rows[first] = b.rows[second];
    assert_true(overlap(&b, first, second));
    free(life.in);
    free(life.now);
    body_free(&b);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_checker)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
