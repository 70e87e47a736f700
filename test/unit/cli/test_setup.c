/* Options of the commands that simulate, turned into a setup: ranges of launches, combinations that
 * contradict each other, output files. No simulation runs. */
#include <fcntl.h>
#include <unistd.h>

#include "run/jobs/processors.h"
#include "words.h"

#include "cli/common/setup.h"

static struct options o;
static struct fail fail;
static struct words words;
static struct setup setup;

static const char *const policies[] = {"leftover"};

/* Makes the setup of `run` from a line without the command's name. */
static bool make(const char *line)
{
    free(words.line);
    fail_free(&fail);
    setup_free(&setup);
    words = words_of(line);
    assert_true(options_parse(&o, 'r', words.at, words.n, &fail));
    return setup_make(&setup, &o, policies, 1, &fail);
}

static void assert_wrong(const char *line, const char *message)
{
    assert_false(make(line));
    assert_contains(&fail.text, message);
    assert_int_equal(fail.error_n, 1);
}

static void test_usual(void **state)
{
    (void)state;
    assert_true(make("mm bfs"));
    const struct sim_setup *s = &setup.batch.sim;
    assert_int_equal(s->app_n, 2);
    assert_string_equal(s->apps[1], "bfs");
    assert_string_equal(s->gpu->name, "maxwell16"); /* the default machine */
    assert_int_equal(s->until, UNTIL_ALL_COMPLETE);
    assert_int_equal(s->cycles, 0);
    assert_int_equal(s->timed.first, 0);
    assert_int_equal(s->timed.last, 0);
    assert_int_equal(s->seed, 1);
    assert_true(s->skip);
    assert_int_equal(s->program_fd, 0);
    assert_string_equal(s->program_folder, ".");
    assert_int_equal(s->app_folder, FOLDER_NEW);
    assert_int_equal(setup.batch.threads, 1);
    assert_int_equal(setup.batch.policy_n, 1);
}

static void test_options(void **state)
{
    (void)state;
    assert_true(make("mm --until window"));
    assert_int_equal(setup.batch.sim.cycles, WINDOW_DEFAULT_CYCLES);
    assert_true(make("mm --until window --cycles 5000 --seed 7 --skip off --threads 3 "
                     "--in-place --show-output --gpu rtx2060 --set l1.ways=2"));
    const struct sim_setup *s = &setup.batch.sim;
    assert_int_equal(s->cycles, 5000);
    assert_int_equal(s->seed, 7);
    assert_false(s->skip);
    assert_int_equal(setup.batch.threads, 3);
    assert_int_equal(s->app_folder, FOLDER_OWN);
    assert_int_equal(s->program_fd, STDOUT_FILENO);
    assert_string_equal(s->gpu->name, "rtx2060");
    assert_int_equal(s->gpu->machine.l1.ways, 2);
    assert_true(make("mm --dump-to there"));
    assert_string_equal(setup.batch.sim.program_folder, "there");
    assert_string_equal(setup.batch.sim.dump_rule.folder, "there");
    assert_true(make("mm --dump-to there --output-to other"));
    assert_string_equal(setup.batch.sim.program_folder, "other");
    o.in_place = false;
    o.first_in_place = true;
    assert_int_equal(setup_folder(&o), FOLDER_FIRST);
}

static void test_contradictions(void **state)
{
    (void)state;
    assert_wrong("", "expected at least one app");
    assert_wrong("mm --instructions 5 --until end", "goes with --until all-complete only");
    assert_wrong("mm --interval 100", "--interval writes snapshots to --csv or --timeline");
    assert_true(make("mm --interval 100 --csv x.csv"));
    assert_true(make("mm --interval 100 --timeline x.json"));
    assert_wrong("mm --output-to x --show-output", "both choose where the programs' output goes");
    assert_wrong("mm --gpu maxwel16", "did you mean 'maxwell16'?");
    assert_wrong("mm --set l1.way=2", "did you mean 'l1.ways'?");
    assert_wrong("mm --ptx sm_x", "--ptx takes an architecture");
    struct text many = {0};
    for (u32 i = 0; i <= APPS_MAX; i++) text_add(&many, "mm ");
    assert_wrong(many.bytes, "apps, at most");
    text_free(&many);
}

static void assert_range(const char *line, u64 first, u64 last)
{
    assert_true(make(line));
    assert_true(setup.batch.sim.timed.first == first);
    assert_true(setup.batch.sim.timed.last == last);
}

/* Launches that are timed, counted from 1. */
static void test_ranges(void **state)
{
    (void)state;
    assert_range("mm --kernels 10-20", 10, 20);
    assert_range("mm --kernels 10", 10, 10);
    assert_range("mm --kernels 1-1", 1, 1);
    assert_range("mm --skip-kernels 0", 1, NEVER);
    assert_range("mm --skip-kernels 10", 11, NEVER);
    assert_range("mm --skip-kernels all", NEVER, NEVER); /* none is timed */
    const char *const wrong[] = {"0", "5-4", "0-3", "-3", "3-", "3-4-5", "x", "3,4",
                                 "99999999999999999999999999"};
    for (u32 i = 0; i < COUNT_OF(wrong); i++) {
        char line[64];
        snprintf(line, sizeof line, "mm --kernels=%s", wrong[i]);
        assert_wrong(line, "--kernels takes the first and the last launch");
    }
    assert_wrong("mm --kernels 3-x", "    3-x\n      ^\n"); /* at the wrong character */
    assert_wrong("mm --skip-kernels 3-4", "--skip-kernels takes a number of launches, or all");
    assert_wrong("mm --skip-kernels non", "--skip-kernels takes a number of launches, or all");
    assert_wrong("mm --kernels 3 --skip-kernels 2", "both choose the timed launches");
}

static void test_ptx(void **state)
{
    (void)state;
    assert_true(make("mm --ptx sm_90a"));
    assert_int_equal(setup.batch.sim.program_ptx.number, 90);
    assert_int_equal(setup.batch.sim.program_ptx.suffix, 'a');
    assert_true(make("mm --ptx 75"));
    assert_int_equal(setup.batch.sim.program_ptx.number, 75);
    assert_int_equal(setup.batch.sim.program_ptx.suffix, 0);
    assert_true(make("mm"));
    assert_int_equal(setup.batch.sim.program_ptx.number, 0);
}

/* The table is left out if a result goes to standard output, or with --quiet. */
static void test_table(void **state)
{
    (void)state;
    struct output outputs[] = {output_option("--json", NULL), output_option("--csv", "x.csv")};
    assert_true(make("mm"));
    assert_true(setup_table(outputs, 2, &o));
    outputs[0] = output_option("--json", "-");
    assert_false(setup_table(outputs, 2, &o));
    assert_true(setup_table(outputs + 1, 1, &o));
    assert_true(make("mm --quiet"));
    assert_false(setup_table(outputs + 1, 1, &o));
}

/* A result may overwrite neither another result nor an input. */
static void test_outputs(void **state)
{
    (void)state;
    char folder[] = "/tmp/corun-test-XXXXXX", input[64], result[64], line[96];
    assert_non_null(mkdtemp(folder));
    snprintf(input, sizeof input, "%s/app.yaml", folder);
    snprintf(result, sizeof result, "%s/result", folder);
    close(open(input, O_CREAT | O_WRONLY, 0600));
    snprintf(line, sizeof line, "%s", input);
    assert_true(make(line));
    const struct output same[] = {output_option("--json", result), output_option("--csv", result)};
    assert_true(setup_outputs(same, 1, &o, &fail));
    assert_false(setup_outputs(same, 2, &o, &fail));
    fail_free(&fail);
    const struct output over = output_option("--json", input);
    assert_false(setup_outputs(&over, 1, &o, &fail));
    assert_contains(&fail.text, "app.yaml");
    struct console c = {0};
    struct text text = {0};
    text_add(&text, "content");
    assert_true(setup_write("-", &text, &c)); /* standard output */
    assert_string_equal(text_get(&c.out), "content");
    assert_true(setup_write(result, &text, &c));
    int fd = open(result, O_RDONLY);
    char bytes[16] = {0};
    assert_int_equal(pread(fd, bytes, sizeof bytes, 0), 7);
    assert_string_equal(bytes, "content");
    close(fd);
    snprintf(line, sizeof line, "%s/none/result", folder);
    assert_false(setup_write(line, &text, &c));
    assert_int_equal(c.fail.error_n, 1);
    text_free(&text);
    text_free(&c.out);
    fail_free(&c.fail);
    assert_int_equal(unlink(input) | unlink(result) | rmdir(folder), 0);
}

/* The JSON of a command that a policy has ended. */
static void test_failed(void **state)
{
    (void)state;
    struct console c = {0};
    assert_true(make("mm"));
    assert_int_equal(setup_failed(false, &o, "./p.c", 7, "why", false, &c), EXIT_ABNORMAL);
    assert_null(c.out.bytes); /* no --json: no output */
    assert_true(make("mm --json -"));
    assert_int_equal(setup_failed(false, &o, "./p.c", 7, "it crashed", false, &c), EXIT_ABNORMAL);
    assert_contains(&c.out, "\"status\": \"policy-failed\"");
    assert_contains(&c.out, "it crashed");
    c.out.size = 0;
    assert_int_equal(setup_failed(true, &o, "./p.c", 7, "why", true, &c), EXIT_ABNORMAL);
    assert_contains(&c.out, "\"status\": \"interrupted\"");
    text_free(&c.out);
}

static void test_sim_threads(void **state)
{
    (void)state;
    const u32 n = processors_allowed();
    assert_true(make("mm"));
    assert_int_equal(setup.batch.sim.threads.n, n);
    assert_true(setup.batch.sim.threads.alone > 0 && !setup.batch.sim.threads.all);
    assert_true(make("mm --threads 64 --sim-threads 2"));
    assert_int_equal(setup.batch.sim.threads.n, min_u32(2, max_u32(n / 64, 1)));
    assert_true(make("mm --sim-threads 64"));
    assert_int_equal(setup.batch.sim.threads.n, 64);
    assert_true(!setup.batch.sim.threads.alone && setup.batch.sim.threads.all);
    const char *const bad[] = {"0", "65", "two", "2x", "-1", "+1"};
    for (u32 k = 0; k < COUNT_OF(bad); k++) {
        struct text line = {0};
        text_add(&line, "mm --sim-threads=%s", bad[k]);
        assert_wrong(text_get(&line), "a number of threads from 1 to 64, or auto");
        text_free(&line);
    }
}

static void test_small(void **state)
{
    (void)state;
    assert_true(make("mm --gpu gtx980"));
    assert_string_equal(setup_gpu(&o), "gtx980");
    assert_true(make("mm"));
    assert_string_equal(setup_gpu(&o), "maxwell16");
    struct text out = {0};
    setup_tell_gpu(&o, &setup.gpu, 1, &out); /* no CUDA program: nothing to tell */
    assert_string_equal(text_get(&out), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usual), cmocka_unit_test(test_options),
        cmocka_unit_test(test_contradictions), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_ptx), cmocka_unit_test(test_table), cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_failed), cmocka_unit_test(test_sim_threads),
        cmocka_unit_test(test_small)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(words.line);
    fail_free(&fail);
    setup_free(&setup);
    return failed;
}
