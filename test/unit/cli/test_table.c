/* Text tables, times and names as terminals show them. */
#include <math.h>

#include "words.h"

#include "cli/terminal/columns.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/summary.h"
#include "cli/terminal/table.h"

static struct table t;

static void assert_table(const char *expected)
{
    struct text out = {0};
    table_show(&t, &out);
    assert_string_equal(text_get(&out), expected);
    text_free(&out);
}

/* The first column is left-aligned, the others right-aligned; a column is as wide as its widest
 * cell, the head included. */
static void test_layout(void **state)
{
    (void)state;
    table_head(&t, (const char *const[]){"app", "cycles", "IPC"}, 3);
    assert_table("app  cycles  IPC\n");
    table_row(&t, "hotspot");
    table_integer(&t, 1, 1234567);
    table_real(&t, 2, 1.256, 2);
    table_row(&t, "mm");
    table_set(&t, 2, "%d of %d", 1, 2);
    assert_table("app         cycles     IPC\n"
                 "hotspot  1,234,567    1.26\n"
                 "mm                  1 of 2\n");
    table_head(&t, (const char *const[]){"other"}, 1); /* a new table */
    table_row(&t, "x");
    assert_table("other\nx    \n");
}

static void test_numbers(void **state)
{
    (void)state;
    const struct {
        u64 value;
        const char *text;
    } integers[] = {{0, "0"}, {999, "999"}, {1000, "1,000"}, {100000, "100,000"},
                    {UINT64_MAX, "18,446,744,073,709,551,615"}};
    const struct {
        double value;
        u32 digits;
        const char *text;
    } reals[] = {{0, 1, "0.0"}, {2.5, 0, "2"}, {-1.05, 3, "-1.050"}, {(double)NAN, 2, "-"},
                 {(double)INFINITY, 2, "-"}};
    table_head(&t, (const char *const[]){"", "n"}, 2);
    for (u32 i = 0; i < COUNT_OF(integers); i++) {
        table_row(&t, "");
        table_integer(&t, 1, integers[i].value);
        assert_string_equal(t.cells[t.row_n - 1][1], integers[i].text);
    }
    for (u32 i = 0; i < COUNT_OF(reals); i++) {
        table_row(&t, "");
        table_real(&t, 1, reals[i].value, reals[i].digits);
        assert_string_equal(t.cells[t.row_n - 1][1], reals[i].text);
    }
}

/* Cells of an earlier table do not appear in a new row; a long text is cut. */
static void test_cells(void **state)
{
    (void)state;
    char wide[TABLE_CELL + 40];
    memset(wide, 'w', sizeof wide - 1);
    wide[sizeof wide - 1] = 0;
    table_head(&t, (const char *const[]){"a", "b"}, 2);
    table_row(&t, "x");
    table_set(&t, 1, "old");
    table_head(&t, (const char *const[]){"a", "b"}, 2);
    table_row(&t, "x");
    assert_table("a  b\nx   \n");
    table_set(&t, 1, "%s", wide);
    table_row(&t, wide);
    assert_int_equal(strlen(t.cells[1][1]), TABLE_CELL - 1);
    assert_int_equal(strlen(t.cells[2][0]), TABLE_CELL - 1);
    assert_string_equal(t.cells[2][1], "");
}

static void assert_fit(u32 columns, const char *expected)
{
    struct text out = {0};
    table_fit(&t, columns, &out);
    assert_string_equal(text_get(&out), expected);
    text_free(&out);
}

/* Names lose their middle, then columns move below; nothing is wider than the given width. */
static void test_narrow(void **state)
{
    (void)state;
    table_head(&t, (const char *const[]){"policy", "cycles", "fairness"}, 3);
    table_row(&t, "a-policy-with-a-very-long-name");
    table_integer(&t, 1, 12345678);
    table_real(&t, 2, 0.5, 3);
    assert_fit(52, "policy                              cycles  fairness\n"
                   "a-policy-with-a-very-long-name  12,345,678     0.500\n");
    assert_fit(51, "policy                             cycles  fairness\n"
                   "a-policy-with...ery-long-name  12,345,678     0.500\n");
    assert_fit(40, "policy                  cycles  fairness\n"
                   "a-policy...ng-name  12,345,678     0.500\n");
    table_head(&t, (const char *const[]){"policy", "cycles", "weighted speedup", "fairness"}, 4);
    table_row(&t, "a-policy-with-a-very-long-name");
    table_real(&t, 3, 0.5, 3);
    assert_fit(40, "policy         cycles  weighted speedup\n"
                   "a-pol...-name                          \n"
                   "\n"
                   "policy         fairness\n"
                   "a-pol...-name     0.500\n");
}

/* Neither a cut name nor a broken line divides a character. */
static void test_columns(void **state)
{
    (void)state;
    char room[64];
    assert_string_equal(columns_shorten("spatial", 7, room), "spatial");
    assert_string_equal(columns_shorten("spatial[split=14/2]", 10, room), "spat.../2]");
    assert_string_equal(columns_shorten("\303\244\303\244\303\244\303\244\303\244", 8, room),
                        "\303\244...\303\244");
    struct text out = {0};
    text_add(&out, "kept as it is, however long\none two three four\nlonglonglong x\n");
    columns_wrap(&out, strlen("kept as it is, however long\n"), 9);
    assert_string_equal(out.bytes, "kept as it is, however long\none two\nthree\nfour\n"
                        "longlonglong\nx\n");
    text_free(&out);
}

static void test_time(void **state)
{
    (void)state;
    const struct {
        double seconds;
        const char *text;
    } times[] = {{0, "0 s"}, {0.4, "0 s"}, {0.5, "1 s"}, {59.4, "59 s"}, {59.5, "1 min 00 s"},
                 {125, "2 min 05 s"}, {3599, "59 min 59 s"}, {3600, "1 h 00 min"},
                 {7500, "2 h 05 min"}, {360000, "100 h 00 min"}};
    struct text out = {0};
    for (u32 i = 0; i < COUNT_OF(times); i++) {
        progress_time(times[i].seconds, &out);
        assert_string_equal(text_get(&out), times[i].text);
        text_free(&out);
    }
    progress_left(12.2, &out);
    assert_string_equal(text_get(&out), ", about 12 s left");
    text_free(&out);
    progress_left((double)NAN, &out); /* unknown */
    assert_string_equal(text_get(&out), "");
}

static void test_names(void **state)
{
    (void)state;
    char room[20];
    assert_string_equal(summary_name("weighted_speedup", room, sizeof room), "weighted speedup");
    assert_string_equal(summary_name("antt", room, sizeof room), "antt");
    assert_string_equal(summary_name("max_slowdown_of_all", room, 13), "max slowdown");
}

/* --progress and --quiet choose how progress is shown. */
static void test_progress(void **state)
{
    (void)state;
    static struct options o;
    struct progress_line p;
    o.progress = PROGRESS_NONE;
    assert_null(progress_start(&p, &o));
    o.progress = PROGRESS_TTY;
    assert_ptr_equal(progress_start(&p, &o), &p.watch);
    assert_false(p.json);
    o.progress = PROGRESS_JSON;
    assert_ptr_equal(progress_start(&p, &o), &p.watch);
    assert_true(p.json);
    assert_non_null(p.watch.tell);
    o.quiet = true;
    assert_null(progress_start(&p, &o));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_cells), cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_columns), cmocka_unit_test(test_time), cmocka_unit_test(test_names),
        cmocka_unit_test(test_progress)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
