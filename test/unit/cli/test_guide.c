/* Shell completion and manual pages, from the rows of commands and options. */
#include "words.h"

#include "cli/guide/guide.h"

static struct text out;

/* Completes the last word of a line; a trailing '_' stands for an empty word. */
static const char *complete(const char *line)
{
    struct words w = words_of(line);
    if (!strcmp(w.at[w.n - 1], "_")) w.at[w.n - 1] = "";
    text_free(&out);
    guide_complete((const char *const *)w.at, w.n, &out);
    free(w.line);
    return text_get(&out);
}

/* True if `word` is offered, at the start of a line and before a tab. */
static bool offers(const char *line, const char *word)
{
    char start[128];
    const char *all = complete(line);
    snprintf(start, sizeof start, "%s\t", word);
    for (const char *at = all; (at = strstr(at, start)); at++)
        if (at == all || at[-1] == '\n') return true;
    return false;
}

static bool offers_files(const char *line)
{
    const char *all = complete(line);
    return !strcmp(all, "FILE\n") || strstr(all, "\nFILE\n") || !strncmp(all, "FILE\n", 5);
}

static void test_commands(void **state)
{
    (void)state;
    for (const struct command_row *row = command_rows; row->name; row++)
        assert_true(offers("_", row->name));
    assert_true(offers("_", "--help"));
    assert_string_equal(complete("--v"), "--version\tPrint the version.\n");
    assert_true(offers("co", "compare"));
    assert_false(offers("co", "cuda"));
    assert_string_equal(complete("nonsense x"), "");
}

static void test_operands(void **state)
{
    (void)state;
    assert_true(offers("run b", "bfs"));
    assert_false(offers("run b", "mm"));
    assert_true(offers_files("run _"));
    assert_true(offers("run bfs _", "mm")); /* APP... repeats */
    assert_false(offers("run b", "bfs:nodes=")); /* parameters only behind the name */
    assert_true(offers("run bfs:", "bfs:nodes="));
    assert_true(offers("list _", "policies"));
    assert_false(offers("list policies _", "gpus")); /* a single operand */
    assert_false(offers_files("list _"));
    assert_true(offers("show _", "gpu"));
    assert_true(offers("show gpu _", "maxwell16"));
    assert_false(offers("show gpu _", "bfs"));
    assert_true(offers("show workload _", "bfs"));
    assert_true(offers("help _", "sweep"));
    assert_true(offers_files("sweep _"));
    assert_true(offers_files("cuda _")); /* the optional separator is no operand */
    assert_true(offers_files("cuda -- _"));
    assert_true(offers_files("cuda ./program _"));
}

static void test_options(void **state)
{
    (void)state;
    assert_true(offers("run mm --p", "--policy"));
    assert_true(offers("run --", "--help"));
    assert_false(offers("run --p", "--policies")); /* of compare */
    assert_true(offers("compare --p", "--policies"));
    assert_false(offers("run -- --p", "--policy")); /* only operands from here on */
    assert_true(offers("run --progress _", "json"));
    assert_true(offers("run --progress=j", "--progress=json"));
    assert_false(offers("run --progress=j", "--progress=tty"));
    assert_true(offers("run --gpu r", "rtx2060"));
    assert_true(offers_files("run --gpu _"));
    assert_true(offers_files("run --gpu=_"));
    assert_true(offers("run --quiet m", "mm")); /* a flag takes no value */
    assert_true(offers("run --seed 3 m", "mm"));
    assert_false(offers("run --seed m", "mm")); /* a number is expected */
    assert_true(offers("run --policy=spatial m", "mm"));
    assert_true(offers("run --set l1.w", "l1.ways="));
}

/* Lists joined by commas and plus signs: the last item is completed, the others are kept. */
static void test_lists(void **state)
{
    (void)state;
    assert_true(offers("compare --policies leftover,spa", "leftover,spatial"));
    assert_true(offers("run --policy spatial+dm", "spatial+dmil"));
    assert_true(offers("run --policy spatial[", "spatial[split="));
    assert_false(offers("run --policy spa", "spatial[split="));
    /* a plus sign inside brackets separates nothing */
    assert_false(offers("run --policy spatial[a+dm", "spatial[a+dmil"));
}

static void test_manual(void **state)
{
    (void)state;
    text_free(&out);
    assert_true(guide_manual(NULL, &out));
    assert_contains(&out, ".TH CORUN 1 ");
    for (const struct command_row *row = command_rows; row->name; row++) {
        char part[64];
        snprintf(part, sizeof part, ".BR corun\\-%s (1)", row->name);
        assert_contains(&out, part);
        struct text page = {0};
        assert_true(guide_manual(row->name, &page));
        assert_int_equal(strncmp(page.bytes, ".\\\" Made by corun --manual.\n.TH CORUN", 37), 0);
        const struct option *option;
        for (u32 at = 0; (option = option_of(row->letter, &at));) {
            struct text flag = {0};
            for (const char *c = option->flag; *c; c++)
                text_add(&flag, *c == '-' ? "\\-" : "%c", *c);
            assert_contains(&page, flag.bytes);
            text_free(&flag);
        }
        text_free(&page);
    }
    text_free(&out);
    assert_false(guide_manual("nonsense", &out));
    assert_string_equal(text_get(&out), "");
    assert_true(guide_manual("run", &out));
    assert_contains(&out, "\\fB\\-\\-seed\\fR \\fIN\\fR\n"); /* the argument on the flag's line */
    assert_contains(&out, "\nDefault 1.\n");
    assert_contains(&out, "auto|\\:tty|\\:json"); /* a line may break after a bar */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands), cmocka_unit_test(test_operands),
        cmocka_unit_test(test_options), cmocka_unit_test(test_lists),
        cmocka_unit_test(test_manual)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    text_free(&out);
    return failed;
}
