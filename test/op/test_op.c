/* Every (op, type) row: computes the results of the PTX manual, has vectors, and binds every
 * admitted form to a function. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "base/rand.h"
#include "cases.h"
#include "exec/exec.h"

static struct coverage coverage;

static void test_vectors(void **state)
{
    (void)state;
    static const char *const files[] = {"int", "float", "compare", "convert", "approx", "forms"};
    struct report report = {0};
    for (u32 k = 0; k < COUNT_OF(files); k++) {
        char path[512];
        snprintf(path, sizeof path, VECTORS "%s.txt", files[k]);
        vectors_run(path, &coverage, &report);
    }
    assert_true(report.vectors > 300);
    assert_int_equal(report.failures, 0);
}

/* The answers of an H100 to the forms of sm_90, in the format of the vector files. */
static void test_answers_of_silicon(void **state)
{
    (void)state;
    struct report report = {.may_refuse = true};
    vectors_run(VECTORS "../silicon/h100-forms.txt", &coverage, &report);
    assert_int_equal(report.failures, 0);
    assert_int_equal(report.vectors, 19809);
    /* fma.oob, whose special NaN is not documented, and products of matrices */
    assert_int_equal(report.refused, 5 * 412 + 10 * 192);
}

static void test_cases(void **state)
{
    (void)state;
    static const char *const files[] = {"memory", "control", "async", "matrix", "group", "sparse",
                                        "tensor", "texture", "forms"};
    struct report report = {0};
    for (u32 k = 0; k < COUNT_OF(files); k++) {
        char path[512];
        snprintf(path, sizeof path, VECTORS "%s.case", files[k]);
        cases_run(path, &coverage, &report);
    }
    assert_true(report.vectors > 0);
    assert_int_equal(report.failures, 0);
}

static void test_every_row_has_vectors(void **state)
{
    (void)state;
    u32 missing = 0;
    assert_true(isa_typed_n <= TYPED_MAX);
    for (u32 k = 0; k < isa_typed_n; k++) {
        /* lowering replaces wmma.mma, tensormap.replace and m16n8k16 of doubles */
        u16 op = isa_typed[k].op, halved = COST_TENSOR + TENSOR_F64_WIDE + 2 * TENSOR_N;
        if (op == OP_WMMA_MMA || op == OP_TENSORMAP_REPLACE || isa_typed[k].cost == halved)
            continue;
        for (u32 t = 0; t < TYPE_N; t++) {
            if (!(isa_typed[k].types >> t & 1) || coverage.types[k] >> t & 1) continue;
            fprintf(stderr, "# no vectors: %s %s, row %u\n", op_name(isa_typed[k].op),
                    type_name(t), k);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

/* calls f for every value of a set */
#define EACH(i, n, set) for (u32 i = 0; i < (n); i++) if ((set) >> i & 1)

static u32 unbound_forms(const struct typed *row, struct form form)
{
    u32 n = 0;
    u32 free = row->flags & ~(u32)row->flags_need;
    for (u32 flags = free;; flags = (flags - 1) & free) {
        form.flags = flags | row->flags_need;
        u32 geometries = row->geometries | !row->geometries;
        EACH(space, SPACE_N, row->spaces) EACH(geometry, GEOMETRY_N, geometries) {
            form.space = (u8)space;
            form.geometry = (u8)geometry;
            n += isa_supported(&form) && !exec_find(&form);
        }
        if (!flags) break;
    }
    return n;
}

static void test_every_form_is_bound(void **state)
{
    (void)state;
    u32 unbound = 0;
    for (u32 k = 0; k < isa_typed_n; k++) {
        const struct typed *row = &isa_typed[k];
        struct form form = {.op = row->op};
        u32 before = unbound;
        EACH(type, TYPE_N, row->types) EACH(type2, TYPE_N, row->types2)
        EACH(round, 32, row->rounds) EACH(compare, 32, row->compares) EACH(sub, 128, row->subs) {
            form.type = (u8)type;
            form.type2 = (u8)type2;
            form.round = (u8)round;
            form.compare = (u8)compare;
            form.sub = (u8)sub;
            unbound += unbound_forms(row, form);
        }
        if (unbound != before) fprintf(stderr, "# unbound: %s, row %u\n", op_name(row->op), k);
    }
    assert_int_equal(unbound, 0);
}

/* Results left open by the manual are the same on every host: compared with stored hashes over
 * random operands. */
struct stored {
    const char *form;
    u64 hash;
};
static const struct stored stored_bits[] = {
#include "bits.def"
};

static u64 hash_results(const char *text)
{
    static _Alignas(64) u8 rows[64 * ROW_BYTES];
    static u32 preds[4];
    struct effect effect = {0};
    struct warp w = {.base = {rows, NULL}, .pred = preds, .executing = UINT32_MAX,
                     .effect = &effect};
    struct ptx_inst i = {.src = {2048, 2560, 3072}, .dst_pred = PRED_NONE, .dst_pred2 = PRED_NONE,
                     .src_pred = PRED_NONE};
    u64 hash = 0xcbf29ce484222325, counter = 0;
    assert_true(form_parse(text, &i.form));
    const struct exec_row *row = exec_find(&i.form);
    assert_non_null(row);
    for (u32 round = 0; round < 1000; round++) {
        for (u32 at = 2048; at < sizeof rows; at += 4) {
            u32 word = rand_word(1, counter++);
            memcpy(rows + at, &word, 4);
        }
        row->run(&w, &i);
        u32 bytes = type_bytes((enum type)i.form.type) == 8 ? 2 * ROW_BYTES : ROW_BYTES;
        for (u32 k = 0; k < bytes; k++) hash = (hash ^ rows[k]) * 0x100000001b3;
    }
    return hash;
}

static void test_stored_bits(void **state)
{
    (void)state;
    u32 changed = 0;
    for (u32 k = 0; k < COUNT_OF(stored_bits); k++) {
        u64 hash = hash_results(stored_bits[k].form);
        if (hash == stored_bits[k].hash) continue;
        fprintf(stderr, "# bits changed: {\"%s\", 0x%llx},\n", stored_bits[k].form,
                (unsigned long long)hash);
        changed++;
    }
    assert_int_equal(changed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_answers_of_silicon),
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_every_row_has_vectors),
        cmocka_unit_test(test_every_form_is_bound),
        cmocka_unit_test(test_stored_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
