/* corun list, help and show: every list has rows, on a terminal and as Markdown; wrong names are
 * answered with the nearest right name. */
#include "words.h"

#include "cli/guide/guide.h"

static void assert_line(const char *line, int status, const char *out, const char *fail)
{
    struct ran r = run_line(line);
    if (r.status != status) fail_msg("%s: status %d: %s", line, r.status, text_get(&r.c.fail.text));
    if (out) assert_contains(&r.c.out, out);
    if (fail) assert_contains(&r.c.fail.text, fail);
    else assert_int_equal(r.c.fail.error_n, 0);
    ran_free(&r);
}

static u32 lines_of(const struct text *text)
{
    u32 n = 0;
    for (size_t i = 0; i < text->size; i++) n += text->bytes[i] == '\n';
    return n;
}

static void test_every_list(void **state)
{
    (void)state;
    assert_true(catalog_list_n >= 10);
    for (u32 i = 0; i < catalog_list_n; i++) {
        char line[64];
        snprintf(line, sizeof line, "list %s", catalog_lists[i].name);
        struct ran plain = run_line(line);
        snprintf(line, sizeof line, "list %s --markdown", catalog_lists[i].name);
        struct ran markdown = run_line(line);
        assert_int_equal(plain.status, EXIT_DONE);
        assert_int_equal(markdown.status, EXIT_DONE);
        struct catalog c;
        u32 rows = 0;
        catalog_lists[i].make(&c);
        for (const struct catalog_row *row = c.first; row; row = row->next) {
            if (!row->cells[0]) continue;
            rows++;
            if (row->cells[0][0]) assert_contains(&plain.c.out, row->cells[0]);
        }
        assert_true(rows > 1);
        assert_true(lines_of(&plain.c.out) > rows); /* the heads, too */
        assert_int_equal(memcmp(markdown.c.out.bytes, "# ", 2), 0);
        assert_contains(&markdown.c.out, "\n|---|---");
        assert_null(strstr(plain.c.out.bytes, "|---"));
        catalog_free(&c);
        ran_free(&plain);
        ran_free(&markdown);
    }
}

static void test_list_contents(void **state)
{
    (void)state;
    assert_line("list gpus", EXIT_DONE, "maxwell16", NULL);
    assert_line("list policies", EXIT_DONE, "warped-slicer", NULL);
    assert_line("list options", EXIT_DONE, "--hook-seconds", NULL); /* of the commands, too */
    assert_line("list options", EXIT_DONE, "l1.ways", NULL);
    assert_line("list result --schema", EXIT_DONE, "\"$schema\"", NULL);
}

/* The usage line of a command contains the word among the operands, between bars. */
static void assert_usage_names(const char *command, const char *word)
{
    struct fail fail = {0};
    const struct command *c = command_find(command, &fail);
    assert_non_null(c);
    struct text operands = {0}, wanted = {0};
    text_add(&operands, "|%s|", c->operands);
    text_add(&wanted, "|%s|", word);
    assert_contains(&operands, wanted.bytes);
    text_free(&operands);
    text_free(&wanted);
}

static void test_wrong_lists(void **state)
{
    (void)state;
    assert_line("list", EXIT_INPUT, NULL, "expected the name of a list");
    assert_line("list gpus stats", EXIT_INPUT, NULL, "expected one list");
    assert_line("list polcies", EXIT_INPUT, NULL, "did you mean 'policies'?");
    for (u32 i = 0; i < catalog_list_n; i++) { /* every list is named */
        char text[64];
        snprintf(text, sizeof text, "note: %s: ", catalog_lists[i].name);
        assert_line("list", EXIT_INPUT, NULL, text);
        assert_line("list foo", EXIT_INPUT, NULL, text);
        assert_line("list gpus stats", EXIT_INPUT, NULL, text);
        snprintf(text, sizeof text, "  %s ", catalog_lists[i].name);
        assert_line("help list", EXIT_DONE, text, NULL);
        assert_usage_names("list", catalog_lists[i].name);
    }
    assert_line("list gpus --schema", EXIT_INPUT, NULL, "--schema is only for corun list result");
}

static void test_help(void **state)
{
    (void)state;
    for (const struct command_row *row = command_rows; row->name; row++) {
        char line[64];
        snprintf(line, sizeof line, "help %s", row->name);
        struct ran one = run_line(line), all = run_line("help");
        assert_int_equal(one.status, EXIT_DONE);
        assert_contains(&one.c.out, row->operands);
        assert_contains(&one.c.out, row->sentence);
        assert_contains(&all.c.out, row->sentence);
        const struct option *option;
        for (u32 at = 0; (option = option_of(row->letter, &at));)
            assert_contains(&one.c.out, option->flag);
        ran_free(&one);
        ran_free(&all);
    }
    assert_line("help list", EXIT_DONE, "  policies ", NULL);
    assert_line("help lst", EXIT_INPUT, NULL, "did you mean 'list'?");
    assert_line("help list run", EXIT_INPUT, NULL, "expected one command");
    assert_line("rn", EXIT_INPUT, NULL, "unknown command 'rn'");
}

static void test_show(void **state)
{
    (void)state;
    assert_line("show gpu maxwell16", EXIT_DONE, "sm.threads", NULL);
    assert_line("show policy spatial", EXIT_DONE, "split", NULL);
    assert_line("show workload bfs", EXIT_DONE, "nodes", NULL);
    assert_line("show gpu maxwel16", EXIT_INPUT, NULL, "did you mean 'maxwell16'?");
    assert_line("show policy spatia", EXIT_INPUT, NULL, "did you mean 'spatial'?");
    assert_line("show workload bf", EXIT_INPUT, NULL, "did you mean 'bfs'?");
    assert_line("show polcy spatial", EXIT_INPUT, NULL, "did you mean 'policy'?");
    assert_line("show policy", EXIT_INPUT, NULL, "expected gpu NAME, policy NAME or workload NAME");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_list), cmocka_unit_test(test_list_contents),
        cmocka_unit_test(test_wrong_lists), cmocka_unit_test(test_help),
        cmocka_unit_test(test_show)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
