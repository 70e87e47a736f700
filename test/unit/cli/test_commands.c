/* Operands and combinations of options refused by the commands before any work, and predictions of
 * `corun model`, which needs no simulation. */
#include "words.h"

static void assert_refused(const char *line, const char *message)
{
    struct ran r = run_line(line);
    if (r.status != EXIT_INPUT || !r.c.fail.error_n) fail_msg("%s: status %d", line, r.status);
    assert_contains(&r.c.fail.text, message);
    assert_string_equal(text_get(&r.c.out), "");
    ran_free(&r);
}

static void test_operands(void **state)
{
    (void)state;
    static const char *const lines[][2] = {
        {"run", "expected at least one app"},
        {"run mm --policy spatia", "did you mean 'spatial'?"},
        {"run mmm", "did you mean 'mm'?"},
        {"compare mm", "compare needs --policies SPEC,SPEC,..."},
        {"compare --policies leftover", "expected at least one app"},
        {"cuda", "expected a program"},
        {"check", "expected one policy"},
        {"check spatial leftover", "expected one policy"},
        {"ptx", "expected one PTX file or workload"},
        {"ptx ./none.ptx", "none.ptx"},
        {"diff a", "expected two machines, two results, two databases or two points"},
        {"diff maxwell16 maxwell17", "maxwell17"},
        {"bundle", "expected a sweep file"},
        {"bundle s.yaml r.db t.db -o x", "at most one database"},
        {"bundle s.yaml", "corun bundle needs -o FOLDER"},
        {"export", "expected one database of results"},
        {"export x.db", "corun export needs --csv FILE"},
        {"report", "expected one database of results"},
        {"report x.db", "corun report needs -o FILE"},
        {"merge -o all.db", "expected databases"},
        {"merge a.db", "corun merge needs -o FILE"},
        {"merge a.db -o -", "a database cannot go to standard output"},
        {"profile", "expected"},
        {"cc", "expected"},
        {"model", "expected one to three apps"},
        {"model 1/1 1/1 1/1 1/1", "4 apps, at most 3"},
    };
    for (u32 i = 0; i < COUNT_OF(lines); i++) assert_refused(lines[i][0], lines[i][1]);
}

/* A policy per column: more do not fit into a table. Commas inside brackets belong to a policy. */
static void test_policies(void **state)
{
    (void)state;
    struct text line = {0};
    text_add(&line, "compare mm --policies leftover");
    for (u32 i = 0; i < 39; i++) text_add(&line, ",spatial");
    assert_refused(line.bytes, "more than 39 policies");
    text_free(&line);
    assert_refused("compare mm --policies leftover,spatial[split=1,nonsense=2]", "nonsense");
    assert_refused("compare mm --policies leftover,", "");
}

static void test_sweep(void **state)
{
    (void)state;
    static const char *const lines[][2] = {
        {"sweep", "expected one sweep file"},
        {"sweep a.yaml b.yaml -o x.db", "expected one sweep file"},
        {"sweep a.yaml", "corun sweep needs -o FILE"},
        {"sweep a.yaml -o -", "a database cannot go to standard output"},
        {"sweep a.yaml -o x.db --isolated-only", "--isolated-only excludes -o"},
        {"sweep a.yaml -o x.db --verify --repair",
         "--verify, --repair and --isolated-only exclude each other"},
        {"sweep a.yaml -o x.db --chunks 3", "--chunks is only for --slurm"},
        {"sweep a.yaml -o x.db --sbatch -x", "--sbatch is only for --slurm"},
        {"sweep a.yaml -o x.db --wait", "--wait is only for --slurm"},
        {"sweep a.yaml -o x.db --slurm --shard 1/2", "--slurm chooses --shard itself"},
        {"sweep a.yaml -o x.db --slurm --known y.db", "--slurm chooses --known itself"},
        {"sweep a.yaml -o x.db --slurm --threads 2", "--threads does not go with --slurm"},
        {"sweep a.yaml -o x.db --slurm --verify", "--verify excludes --slurm"},
        {"sweep a.yaml -o x.db --dry-run --verify", "--verify excludes --dry-run"},
        {"sweep a.yaml -o x.db --slurm --dry-run --wait", "submits no job to wait for"},
        {"sweep a.yaml --dry-run --isolated-only", "--dry-run excludes --isolated-only"},
        {"sweep ./none.yaml -o x.db", "none.yaml"},
        {"sweep ./none.yaml --dry-run", "none.yaml"},
    };
    static const char *const shards[] = {"0/2", "3/2", "2", "1/0", "2-1/4", "2-5/4", "a/2", "1/2x",
                                         "/2", "1/", "-1/2", "1/2/3"};
    for (u32 i = 0; i < COUNT_OF(lines); i++) assert_refused(lines[i][0], lines[i][1]);
    for (u32 i = 0; i < COUNT_OF(shards); i++) {
        char line[64];
        snprintf(line, sizeof line, "sweep none.yaml -o x.db --shard=%s", shards[i]);
        assert_refused(line, "expected K/N with K from 1 to N");
    }
    static const char *const good[] = {"1/1", "2/2", "2-5/8", "1-8/8"};
    for (u32 i = 0; i < COUNT_OF(good); i++) { /* refused for the missing file only */
        char line[64];
        snprintf(line, sizeof line, "sweep none.yaml -o x.db --shard %s", good[i]);
        struct ran r = run_line(line);
        assert_null(strstr(text_get(&r.c.fail.text), "--shard"));
        assert_contains(&r.c.fail.text, "none.yaml");
        ran_free(&r);
    }
}

/* Bandwidth and misses of apps as numbers. */
static void test_model(void **state)
{
    (void)state;
    struct ran r = run_line("model 30/20 10/5 --peak 20");
    assert_int_equal(r.status, EXIT_DONE);
    assert_contains(&r.c.out, "20.00 bytes per cycle of memory bandwidth");
    assert_contains(&r.c.out, "30/20  20.00        30.00  150.0 %");
    assert_contains(&r.c.out, "10/5    5.00        10.00   50.0 %");
    assert_contains(&r.c.out, "effect of 1 more bytes per cycle");
    ran_free(&r);
    r = run_line("model 30/20 --peak 20 --json -");
    assert_int_equal(r.status, EXIT_DONE);
    assert_int_equal(r.c.out.bytes[0], '{'); /* no table on standard output */
    assert_contains(&r.c.out, "\"mpki\": 20");
    ran_free(&r);
    r = run_line("model 30/20"); /* one app: shares with nobody */
    assert_int_equal(r.status, EXIT_DONE);
    assert_null(strstr(r.c.out.bytes, "bytes per cycle that each has"));
    ran_free(&r);
    static const char *const wrong[][2] = {
        {"model 30/", "expected L2 misses per thousand instructions, a number above 0"},
        {"model 30/20x", "unexpected text after the number"},
        {"model 30/0", "a number above 0"},
        {"model 0/5", "expected bytes per cycle, a number above 0"},
        {"model 30/20 --peak -1", "a number above 0"},
        {"model 30/20 --peak 1x", "unexpected text after the number"},
        {"model 30/20 --shift inf", "a number above 0"},
    };
    for (u32 i = 0; i < COUNT_OF(wrong); i++) assert_refused(wrong[i][0], wrong[i][1]);
}

/* Two shipped machines. */
static void test_diff(void **state)
{
    (void)state;
    struct ran r = run_line("diff maxwell16 maxwell16");
    assert_int_equal(r.status, EXIT_DONE);
    assert_string_equal(text_get(&r.c.out), "maxwell16 and maxwell16 are equal\n");
    ran_free(&r);
    r = run_line("diff maxwell16 gtx980 --exit-code");
    assert_int_equal(r.status, EXIT_ABNORMAL);
    assert_contains(&r.c.out, "maxwell16 and gtx980: ");
    ran_free(&r);
    r = run_line("diff maxwell16 gtx980");
    assert_int_equal(r.status, EXIT_DONE);
    ran_free(&r);
    r = run_line("diff maxwell16 maxwell16 --exit-code --json -");
    assert_int_equal(r.status, EXIT_DONE);
    assert_int_equal(r.c.out.bytes[0], '{');
    ran_free(&r);
}

static void test_ptx(void **state)
{
    (void)state;
    struct ran r = run_line("ptx mm");
    assert_int_equal(r.status, EXIT_DONE);
    assert_true(r.c.keep);
    assert_contains(&r.c.out, "registers");
    ran_free(&r);
    r = run_line("ptx mm --source");
    assert_int_equal(r.status, EXIT_DONE);
    assert_contains(&r.c.out, ".visible .entry");
    ran_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operands), cmocka_unit_test(test_policies),
        cmocka_unit_test(test_sweep), cmocka_unit_test(test_model), cmocka_unit_test(test_diff),
        cmocka_unit_test(test_ptx)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
