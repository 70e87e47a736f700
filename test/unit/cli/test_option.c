/* Options of the command line: every form of an option, defaults, ranges, operands, and messages
 * that name the right word. */
#include "words.h"

#include "run/sim/sim.h"

static struct options o;
static struct fail fail;
static struct words words;

/* Parses a line without the command's name. */
static bool parse(char command, const char *line)
{
    free(words.line);
    fail_free(&fail);
    words = words_of(line);
    return options_parse(&o, command, words.at, words.n, &fail);
}

static void assert_wrong(char command, const char *line, const char *message)
{
    assert_false(parse(command, line));
    assert_contains(&fail.text, message);
}

static void assert_wrong_once(char command, const char *line, const char *message)
{
    assert_wrong(command, line, message);
    assert_int_equal(fail.error_n, 1);
}

static void test_defaults(void **state)
{
    (void)state;
    assert_true(parse('r', ""));
    assert_int_equal(o.operand_n, 0);
    assert_false(o.help);
    assert_string_equal(o.policy, "leftover");
    assert_int_equal(o.seed, 1);
    assert_int_equal(o.threads, 1);
    assert_int_equal(o.until, UNTIL_ALL_COMPLETE);
    assert_int_equal(o.skip, SWITCH_ON);
    assert_int_equal(o.progress, PROGRESS_AUTO);
    assert_null(o.gpu);
    assert_null(o.json);
    assert_int_equal(o.cycles, 0);
    assert_int_equal(o.set.n, 0);
    assert_false(o.quiet);
}

/* --flag value, --flag=value; the last of several wins; repeatable options collect. */
static void test_forms(void **state)
{
    (void)state;
    assert_true(parse('r', "mm --gpu volta --policy=spatial[split=9/7] --quiet bfs --seed 0 "
                           "--seed=5 --set a=1 --set=b=2 --skip off --cycles 2e6"));
    assert_int_equal(o.operand_n, 2);
    assert_string_equal(o.operands[0], "mm");
    assert_string_equal(o.operands[1], "bfs");
    assert_string_equal(o.gpu, "volta");
    assert_string_equal(o.policy, "spatial[split=9/7]"); /* only the first '=' separates */
    assert_true(o.quiet);
    assert_int_equal(o.seed, 5);
    assert_int_equal(o.set.n, 2);
    assert_string_equal(o.set.at[0], "a=1");
    assert_string_equal(o.set.at[1], "b=2");
    assert_int_equal(o.skip, SWITCH_OFF);
    assert_int_equal(o.cycles, 2000000);
    assert_true(parse('y', "-lm -l dl -I/usr/a -I b -O3 -D X=1 a.cu -c"));
    static const char *const want[][2] = {{"-l", "m"}, {"-l", "dl"}, {"-I", "/usr/a"}, {"-I", "b"},
                                          {"-O", "3"}, {"-D", "X=1"}, {"-c", ""}};
    assert_int_equal(o.nvcc.n, COUNT_OF(want));
    for (u32 i = 0; i < COUNT_OF(want); i++) {
        assert_string_equal(o.nvcc.at[i].row->flag, want[i][0]);
        assert_string_equal(o.nvcc.at[i].value, want[i][1]);
    }
    assert_int_equal(o.operand_n, 1);
}

static void test_operands(void **state)
{
    (void)state;
    assert_true(parse('r', "a -- --quiet -"));
    assert_int_equal(o.operand_n, 3);
    assert_string_equal(o.operands[1], "--quiet");
    assert_string_equal(o.operands[2], "-");
    assert_false(o.quiet);
    assert_true(parse('r', "- a")); /* a lone dash is an operand */
    assert_string_equal(o.operands[0], "-");
    /* arguments behind a CUDA program belong to the program */
    assert_true(parse('u', "--quiet ./a.out --seed 7 --help -x"));
    assert_true(o.quiet);
    assert_int_equal(o.operand_n, 5);
    assert_int_equal(o.seed, 1);
    assert_false(o.help);
    char *many[OPERANDS_MAX + 1];
    for (u32 i = 0; i <= OPERANDS_MAX; i++) many[i] = "x";
    fail_free(&fail);
    assert_true(options_parse(&o, 'r', many, OPERANDS_MAX, &fail));
    assert_false(options_parse(&o, 'r', many, OPERANDS_MAX + 1, &fail));
    assert_contains(&fail.text, "more than 4096 operands");
}

static void test_help(void **state)
{
    (void)state;
    assert_true(parse('r', "mm --help --quiet"));
    assert_true(o.help && o.quiet);
    assert_true(parse('r', "-h"));
    assert_true(o.help);
    assert_true(parse('r', "-- -h"));
    assert_false(o.help);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_true(parse('r', "--interval 100"));
    assert_int_equal(o.interval, 100);
    assert_true(parse('r', "--interval 1M"));
    assert_int_equal(o.interval, 1000000);
    assert_wrong_once('r', "--interval 99", "--interval is '99', expected a whole number from 100");
    assert_wrong_once('r', "--threads 65", "is '65', expected a whole number from 1 to 64");
    assert_wrong_once('r', "--threads 0", "expected a whole number from 1 to 64");
    assert_wrong_once('r', "--threads 1.5", "expected a whole number from 1 to 64");
    assert_wrong_once('r', "--threads=", "--threads is '', expected");
    assert_wrong_once('r', "--threads -1", "--threads is '-1', expected");
    assert_wrong_once('r', "--threads two", "error: --threads is 'two', expected");
    /* the caret is behind the equals sign */
    assert_wrong_once('r', "--threads=two", "\n    --threads=two\n              ^\n");
    assert_int_equal(o.threads, 1); /* unchanged */
}

static void test_words(void **state)
{
    (void)state;
    assert_true(parse('w', "--progress json"));
    assert_int_equal(o.progress, PROGRESS_JSON);
    assert_true(parse('r', "--until window"));
    assert_int_equal(o.until, UNTIL_WINDOW);
    assert_wrong_once('r', "--progress jsn", "expected one of auto|tty|json|none");
    assert_contains(&fail.text, "did you mean 'json'?");
}

static void test_wrong_options(void **state)
{
    (void)state;
    assert_wrong_once('r', "--polcy spatial", "unknown option '--polcy'");
    assert_contains(&fail.text, "did you mean '--policy'?");
    assert_contains(&fail.text, "--help shows the options");
    assert_wrong_once('w', "--policy spatial", "unknown option '--policy'"); /* of run */
    assert_wrong_once('r', "--polic=x", "unknown option '--polic'");
    assert_wrong_once('r', "-x", "unknown option '-x'");
    assert_wrong_once('r', "-lm", "unknown option '-lm'"); /* of cc */
    assert_wrong('r', "--pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp",
                 "unknown option '--ppppp");
    assert_wrong_once('r', "--gpu", "--gpu needs a value");
    assert_wrong_once('r', "--gpu --quiet", "--gpu needs a value");
    assert_true(o.quiet); /* the next option counts */
    assert_wrong_once('r', "--gpu=", "--gpu is empty");
    assert_wrong_once('r', "--quiet=yes", "--quiet takes no value");
    assert_wrong_once('r', "--json a --json b", "--json is given twice: a would not be written");
    assert_wrong('r', "--gpu --nonsense --seed x", "--gpu needs a value"); /* all errors */
    assert_int_equal(fail.error_n, 3);
    assert_true(parse('w', "--sbatch --time=1")); /* options as a value */
    assert_string_equal(o.sbatch.at[0], "--time=1");
}

static void test_many(void **state)
{
    (void)state;
    static char *arguments[2 * MANY_MAX + 2];
    for (u32 i = 0; i < COUNT_OF(arguments); i++) arguments[i] = i % 2 ? "a=1" : "--set";
    fail_free(&fail);
    assert_true(options_parse(&o, 'r', arguments, 2 * MANY_MAX, &fail));
    assert_int_equal(o.set.n, MANY_MAX);
    assert_false(options_parse(&o, 'r', arguments, 2 * MANY_MAX + 2, &fail));
    assert_contains(&fail.text, "--set is given more than 256 times");
}

/* Every option row of every command parses in both forms. */
static void test_every_row(void **state)
{
    (void)state;
    u32 n = 0;
    const struct option *row;
    for (const char *command = "rucfaklwmopxd"; *command; command++) {
        for (u32 at = 0; (row = option_of(*command, &at)); n++) {
            assert_non_null(strchr(row->commands, *command));
            char number[32], joined[128], flag[64];
            const char *value = row->words ? row->words[0].word : "x";
            snprintf(number, sizeof number, "%.0f", row->low);
            if (row->kind == KIND_NUMBER) value = number;
            snprintf(flag, sizeof flag, "%s", row->flag);
            snprintf(joined, sizeof joined, "%s=%s", row->flag, value);
            char separate[32];
            snprintf(separate, sizeof separate, "%s", value);
            char *arguments[] = {flag, separate};
            fail_free(&fail);
            if (row->kind == KIND_FLAG) {
                assert_true(options_parse(&o, *command, arguments, 1, &fail));
                assert_true(*((bool *)&o + row->offset));
                continue;
            }
            assert_true(options_parse(&o, *command, arguments, 2, &fail));
            assert_int_equal(o.operand_n, 0);
            arguments[0] = joined;
            assert_true(options_parse(&o, *command, arguments, 1, &fail));
            assert_int_equal(o.operand_n, 0);
        }
    }
    assert_true(n > 100);
}

/* Every row of corun cc parses with each spelling, with one dash and with two. */
static void test_every_compiler_row(void **state)
{
    (void)state;
    const struct option *row;
    u32 n = 0;
    for (u32 at = 0; (row = option_of('y', &at)); n++) {
        struct text spellings = {0}, value = {0};
        const char *argument = row->argument ? row->argument : "";
        text_add(&value, "%.*s", (int)strcspn(argument, "|"), argument);
        text_add(&spellings, "%s %s", row->flag, row->also);
        bool supported = !strstr(row->sentence, "not supported: ");
        for (char *save, *flag = strtok_r(spellings.bytes, " ", &save); flag;
             flag = strtok_r(NULL, " ", &save)) {
            struct text joined = {0};
            bool prefix = strchr("=,W", flag[strlen(flag) - 1]) && row->argument;
            text_add(&joined, "%s%s%s", flag, row->argument && !prefix ? "=" : "",
                     text_get(&value));
            fail_free(&fail);
            assert_int_equal(options_parse(&o, 'y', &joined.bytes, 1, &fail), supported);
            assert_int_equal(o.nvcc.n, 1);
            assert_string_equal(o.nvcc.at[0].row->flag, row->flag);
            char *both[] = {flag, value.bytes};
            fail_free(&fail);
            if (row->argument && !prefix) options_parse(&o, 'y', both, 2, &fail);
            assert_int_equal(o.operand_n, 0);
            text_free(&joined);
        }
        text_free(&spellings);
        text_free(&value);
    }
    assert_true(n > 80);
}

static void test_help_text(void **state)
{
    (void)state;
    struct text out = {0};
    options_help('l', &out);
    assert_contains(&out, "  --markdown");
    assert_contains(&out, "Prints Markdown, as for docs/.");
    assert_null(strstr(out.bytes, "--gpu")); /* of other commands */
    text_free(&out);
    options_help('r', &out);
    assert_contains(&out, "  --seed N");
    assert_contains(&out, "Default 1.");
    assert_contains(&out, "  --progress auto|tty|json|none");
    assert_contains(&out, "json: a line per second");
    text_free(&out);
    options_help('s', &out); /* a command without options */
    assert_string_equal(text_get(&out), "");
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_forms),
        cmocka_unit_test(test_operands), cmocka_unit_test(test_help),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_words),
        cmocka_unit_test(test_wrong_options), cmocka_unit_test(test_many),
        cmocka_unit_test(test_every_row), cmocka_unit_test(test_every_compiler_row),
        cmocka_unit_test(test_help_text)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(words.line);
    fail_free(&fail);
    return failed;
}
