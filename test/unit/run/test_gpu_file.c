/* Machine files: shipped ones give every value a source; a user's own builds on one; mistakes are
 * placed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "run/asset.h"
#include "run/gpu_file.h"

static char folder[] = "/tmp/corun-gpu-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **state)
{
    (void)state;
    return unlink("m.yaml") || chdir("/") || rmdir(folder);
}

static u32 row_index(const char *key)
{
    const struct conf_row *row = conf_find(machine_rows, machine_row_n, key);
    assert_non_null(row);
    return (u32)(row - machine_rows);
}

static void test_shipped(void **state)
{
    (void)state;
    for (u32 i = 0; asset_gpu(i); i++) {
        struct gpu_file g;
        struct fail fail = {0};
        if (!gpu_file_open(&g, asset_gpu(i), NULL, 0, &fail)) fail_msg("%s", fail.text.bytes);
        for (u32 k = 0; k < machine_row_n; k++) {
            if (!g.values[k].source[0]) fail_msg("%s: %s.%s has no source", asset_gpu(i),
                                                 machine_rows[k].section, machine_rows[k].field);
        }
        assert_true(g.about[0] != 0);
        gpu_file_free(&g);
    }
}

static void test_sets(void **state)
{
    (void)state;
    struct gpu_file g;
    struct fail fail = {0};
    const char *const sets[] = {"l1.ways=2", "l1.ways=4", "clock.dram_mhz=3500.5"};
    assert_true(gpu_file_open(&g, "maxwell16", sets, 3, &fail));
    assert_int_equal(g.machine.l1.ways, 4);
    assert_int_equal(g.machine.clock.dram_mhz.num, 7001);
    assert_string_equal(g.values[row_index("l1.ways")].origin, "--set");
    assert_string_equal(g.values[row_index("l1.sets")].origin, "maxwell16");
    gpu_file_free(&g);
    const char *const wrong[][2] = {{"l1.ways", "section.key=value"}, {"l1.ways=0", ":1:9: error"},
                                    {"l1.wais=8", "did you mean 'l1.ways'"}, {"=", "no option"}};
    for (u32 i = 0; i < COUNT_OF(wrong); i++) {
        assert_false(gpu_file_open(&g, "maxwell16", &wrong[i][0], 1, &fail));
        if (!strstr(fail.text.bytes, wrong[i][1])) fail_msg("%s", fail.text.bytes);
        gpu_file_free(&g);
        fail_free(&fail);
    }
}

static bool open_text(struct gpu_file *g, const char *text, struct fail *fail)
{
    assert_true(file_write("m.yaml", text, strlen(text), fail));
    return gpu_file_open(g, "./m.yaml", NULL, 0, fail);
}

static void test_own(void **state)
{
    (void)state;
    struct gpu_file g;
    struct fail fail = {0};
    assert_true(open_text(&g, "machine: mine\nbase: maxwell16\nl1:\n  ways: 4\n"
                              "  sets: {value: 64, source: a guess}\n", &fail));
    assert_int_equal(g.machine.l1.ways, 4);
    assert_int_equal(g.machine.l1.sets, 64);
    assert_string_equal(g.values[row_index("l1.ways")].origin, "./m.yaml:4");
    assert_string_equal(g.values[row_index("l1.sets")].source, "a guess");
    assert_string_equal(g.values[row_index("l2.ways")].origin, "maxwell16");
    gpu_file_free(&g);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"l1:\n  wais: 4\n", "./m.yaml:2:3: error: there is no option 'l1.wais'"},
        {"l1:\n  ways: 4\n  ways: 5\n", "./m.yaml:3:3: error: 'ways' is given twice"},
        {"l1: 4\n", "./m.yaml:1:5: error"}, {"ll:\n  ways: 4\n", "./m.yaml:1:1: error"},
        {"l1:\n  ways: 100\n", "./m.yaml:2:9: error"},
        {"l1:\n  ways: [4]\n", "./m.yaml:2:9: error"},
        {"l1:\n  ways: {source: x}\n", "'value'"}, {"base: maxwel16\n", "did you mean 'maxwell16'"},
        {"base: ./m.yaml\n", "based on one another"}, {"- 4\n", "./m.yaml:1:1: error"},
        {"base: ./none.yaml\n", "./m.yaml:1:7: error: cannot read ./none.yaml"},
        {"l1:\n  ways: {value: 4, sauce: x}\n", "did you mean 'source'"},
        {"base: maxwell16\nbase: maxwell16\n", "./m.yaml:2:1: error: 'base' is given twice"}};
    for (u32 i = 0; i < COUNT_OF(wrong); i++) {
        struct gpu_file g;
        struct fail fail = {0};
        if (open_text(&g, wrong[i][0], &fail)) fail_msg("took %s", wrong[i][0]);
        if (!strstr(fail.text.bytes, wrong[i][1])) fail_msg("no '%s' in %s", wrong[i][1],
                                                           fail.text.bytes);
        gpu_file_free(&g);
        fail_free(&fail);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shipped), cmocka_unit_test(test_sets),
                                       cmocka_unit_test(test_own), cmocka_unit_test(test_mistakes)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
