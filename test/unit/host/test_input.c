/* Workload parameters as written behind the name on the command line. */
#include "fixture.h"

static double seen_n, seen_ratio;

static void look(struct host *h)
{
    seen_n = (double)host_integer(h, "n");
    seen_ratio = host_number(h, "ratio");
}

static const struct workload_param params[] = {
    {"n", 1000, 10, 5000, 1, 1e6, "elements"},
    {"ratio", 0.5, 0.25, 0.75, 0, 1, "share of them"},
    {0},
};
static const struct workload workload = {
    .name = "demo", .sentence = "a test", .suite = "test", .params = params, .run = look};

struct row {
    const char *spec;
    double n, ratio;
    u32 column;
    const char *says; /* NULL: good */
};
static const struct row rows[] = {
    {"demo", 1000, 0.5, 0, NULL},
    {"demo:", 0, 0, 6, "expected key=value"},
    {"demo:n=5,", 0, 0, 10, "expected key=value"},
    {"demo:size=test", 10, 0.25, 0, NULL},
    {"demo:size=default", 1000, 0.5, 0, NULL},
    {"demo:size=window", 5000, 0.75, 0, NULL},
    {"demo:n=7", 7, 0.5, 0, NULL},
    {"demo:n=7,size=test", 7, 0.25, 0, NULL},
    {"demo:n=0x10,ratio=1", 16, 1, 0, NULL},
    {"demo:n=1e3", 1000, 0.5, 0, NULL},
    {"demo:m=7", 0, 0, 6, "workload demo has no parameter 'm'"},
    {"demo:raito=7", 0, 0, 6, "did you mean 'ratio'?"},
    {"demo:ratio=.5,n=0", 0, 0, 17, "n=0 is out of range"},
    {"demo:n=many", 0, 0, 8, "'many' is not a number"},
    {"demo:n=nan", 0, 0, 8, "n=nan is out of range"},
    {"demo:n=", 0, 0, 8, "a number is missing"},
    {"demo:n", 0, 0, 6, "expected key=value"},
    {"demo:n=1,,ratio=1", 0, 0, 10, "expected key=value"},
    {"demo:=1", 0, 0, 6, "expected key=value"},
    {"demo:size=huge", 0, 0, 11, "size is 'test', 'default' or 'window', not 'huge'"},
    {"demo:n=1,n=2", 0, 0, 10, "'n' is given twice"},
};

static void options_table(void **state)
{
    (void)state;
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const struct row *r = &rows[i];
        const struct source spec = {"command line", r->spec, strlen(r->spec)};
        struct fail fail = {0};
        struct app_input *in = input_workload(&workload, &fixture_module, &spec, NULL,
                                              &(struct input_rules){.seed = 1}, &fail);
        if (!in == !r->says) fail_msg("%s: %s", r->spec, text_get(&fail.text));
        if (r->says) {
            struct text place = {0};
            text_add(&place, "\n    %s\n    %*s^\n", r->spec, (int)r->column - 1, "");
            if (!strstr(text_get(&fail.text), text_get(&place)) ||
                !strstr(text_get(&fail.text), r->says)) {
                fail_msg("%s: %s lacks %s or %s", r->spec, text_get(&fail.text), text_get(&place),
                         r->says);
            }
            text_free(&place);
        } else {
            struct app *a = app_new(in, "demo", 0, &fixture_machine, NULL);
            app_start(a);
            app_poll(a);
            assert_true(app_completed(a));
            if (seen_n != r->n || seen_ratio != r->ratio) fail_msg("%s", r->spec);
            app_free(a);
        }
        input_free(in);
        fail_free(&fail);
    }
}

static void broken_module(void **state)
{
    (void)state;
    const struct source spec = {"command line", "demo", 4}, ptx = {"bad.ptx", "kernel!", 7};
    struct fail fail = {0};
    assert_null(input_workload(&workload, &ptx, &spec, NULL, &(struct input_rules){.seed = 1},
                               &fail));
    assert_non_null(strstr(text_get(&fail.text), "bad.ptx:1:"));
    fail_free(&fail);
}

static void add(void *to, const void *bytes, size_t n) { text_put(to, bytes, n); }

static void feed(const char *options, u64 seed, struct text *out)
{
    const struct source spec = {"command line", options, strlen(options)};
    struct fail fail = {0};
    struct app_input *in = input_workload(&workload, &fixture_module, &spec, NULL,
                                          &(struct input_rules){.seed = seed}, &fail);
    assert_non_null(in);
    input_feed(in, add, out);
    input_free(in);
}

static bool same(const char *a, u64 seed_a, const char *b, u64 seed_b)
{
    struct text x = {0}, y = {0};
    feed(a, seed_a, &x);
    feed(b, seed_b, &y);
    bool equal = x.size == y.size && !memcmp(x.bytes, y.bytes, x.size);
    text_free(&x);
    text_free(&y);
    return equal;
}

static void feed_is_the_meaning(void **state)
{
    (void)state;
    assert_true(same("demo", 1, "demo:n=1000,size=default", 1));
    assert_false(same("demo", 1, "demo:n=999", 1));
    assert_false(same("demo", 1, "demo", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_table),
        cmocka_unit_test(broken_module),
        cmocka_unit_test(feed_is_the_meaning),
    };
    return cmocka_run_group_tests_name("host input", tests, NULL, NULL);
}
