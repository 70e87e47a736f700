/* Running apps: host programs that block and continue, streams in order, restarts, stops in the
 * middle, and failures of host programs. */
#include "fixture.h"

static const struct host_dim one = {1, 1, 1};

static void launch(struct host *h, const char *kernel, u32 stream)
{
    static const u8 zero[16];
    const void *args[] = {zero, zero, zero, zero};
    host_launch(h, host_find(h, kernel), one, (struct host_dim){32, 1, 1}, 0, stream, args);
}

static const struct workload_param params[] = {{"n", 5, 2, 9, 1, 100, "a number"}, {0}};

/* An app around one host function. */
struct bench {
    struct workload workload;
    struct source spec;
    struct app_input *in;
    struct app *app;
    struct fake_gpu gpu;
};

static void bench_start(struct bench *b, const char *spec, void (*run)(struct host *h))
{
    struct fail fail = {0};
    *b = (struct bench){.workload = {.name = "bench", .params = params, .run = run},
                        .spec = {"command line", spec, strlen(spec)}};
    b->in = input_workload(&b->workload, &fixture_module, &b->spec, NULL,
                           &(struct input_rules){.seed = 77}, &fail);
    assert_non_null(b->in);
    b->app = app_new(b->in, "bench", 0, &fixture_machine, NULL);
    app_start(b->app);
    app_poll(b->app);
    fake_take(&b->gpu, b->app);
}

static void bench_free(struct bench *b)
{
    app_free(b->app);
    input_free(b->in);
}

/* ---- blocking and order ---- */

static void ping(struct host *h)
{
    u64 device = host_alloc(h, 8, "ping");
    u64 *local = host_memory(h, 1000 * sizeof *local);
    for (u32 i = 0; i < 3; i++) {
        launch(h, "none", 0);
        host_read(h, local, device, 8);
        local[999] += local[0];
        host_write(h, device, &(u64){local[0] + 10}, 8);
    }
    host_checked(h, local[999] == 0 + 10 + 20, "ping counted wrong");
}

static void two_apps_interleave(void **state)
{
    (void)state;
    struct bench a, b;
    bench_start(&a, "bench", ping);
    bench_start(&b, "bench", ping);
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(app_state(a.app), APP_WAITING);
        assert_int_equal(a.gpu.n, 1);
        fake_end(&a.gpu, 0, a.app);
        if (i < 2) fake_end(&b.gpu, 0, b.app);
    }
    assert_true(app_completed(a.app));
    assert_int_equal(app_checked(a.app), 1);
    assert_int_equal(app_launches(a.app), 3);
    assert_false(app_completed(b.app));
    assert_int_equal(app_checked(b.app), -1);
    fake_end(&b.gpu, 0, b.app);
    assert_true(app_completed(b.app));
    bench_free(&a);
    bench_free(&b);
}

static void fan(struct host *h)
{
    launch(h, "none", 0);
    launch(h, "saxpy", 0);
    launch(h, "narrow", 7);
    launch(h, "none", 7);
    host_stream_sync(h, 7);
    launch(h, "mix", 3);
}

static const char *at(const struct fake_gpu *g, u32 i) { return g->at[i].program->name; }

static void streams_in_order(void **state)
{
    (void)state;
    struct bench b;
    bench_start(&b, "bench", fan);
    assert_int_equal(b.gpu.n, 2); /* the first of each stream */
    assert_string_equal(at(&b.gpu, 0), "none");
    assert_string_equal(at(&b.gpu, 1), "narrow");
    assert_int_equal(b.gpu.at[1].stream, 7);
    fake_end(&b.gpu, 0, b.app);
    assert_int_equal(b.gpu.n, 2);
    assert_string_equal(at(&b.gpu, 1), "saxpy");
    fake_end(&b.gpu, 0, b.app); /* narrow; the second of stream 7 follows, the host still waits */
    assert_string_equal(at(&b.gpu, 1), "none");
    assert_int_equal(app_state(b.app), APP_WAITING);
    fake_end(&b.gpu, 1, b.app);
    assert_string_equal(at(&b.gpu, 1), "mix");
    assert_int_equal(app_pending(b.app), 2);
    fake_end(&b.gpu, 0, b.app);
    assert_false(app_completed(b.app)); /* returned, but stream 3 is not empty */
    fake_end(&b.gpu, 0, b.app);
    assert_true(app_completed(b.app));
    bench_free(&b);
}

static void flood(struct host *h)
{
    for (u32 i = 0; i < STREAM_ROOM + 10; i++) launch(h, "none", 0);
}

static void full_stream_blocks(void **state)
{
    (void)state;
    struct bench b;
    bench_start(&b, "bench", flood);
    assert_int_equal(app_pending(b.app), STREAM_ROOM);
    for (u32 i = 0; i < 10; i++) {
        fake_end(&b.gpu, 0, b.app);
        assert_int_equal(app_pending(b.app), STREAM_ROOM);
    }
    for (u32 i = 0; i < STREAM_ROOM; i++) fake_end(&b.gpu, 0, b.app);
    assert_true(app_completed(b.app));
    assert_int_equal(app_launches(b.app), STREAM_ROOM + 10);
    bench_free(&b);
}

/* ---- memory, arguments, restart ---- */

static void arguments(struct host *h)
{
    u32 n = (u32)host_integer(h, "n"), got[3];
    float a = 1.5f;
    u64 x = host_alloc(h, 16, "x"), y = host_alloc(h, 16, "y"), size = 0;
    const void *args[] = {&n, &a, &x, &y};
    host_launch(h, host_find(h, "saxpy"), (struct host_dim){4, 3, 2}, (struct host_dim){8, 4, 2},
                256, 0, args);
    host_read(h, got, host_symbol(h, "table", &size), sizeof got);
    host_fill(h, x, 0xab, 16);
    host_free(h, y);
    host_checked(h, size == 12 && got[0] == 7 && got[2] == 9 && host_seed(h) == 77, "variables");
}

static void launch_is_whole(void **state)
{
    (void)state;
    struct bench b;
    bench_start(&b, "bench:n=9", arguments);
    const struct launch *l = &b.gpu.at[0];
    u32 n;
    float a;
    u64 x, y;
    memcpy(&n, l->param, 4);
    memcpy(&a, l->param + 4, 4);
    memcpy(&x, l->param + 8, 8);
    memcpy(&y, l->param + 16, 8);
    assert_int_equal(n, 9);
    assert_true(a == 1.5f && x >= GLOBAL_BASE && y > x);
    assert_non_null(image_find(l->image, x, 16));
    assert_null(image_find(l->image, x, 17));
    assert_int_equal(l->grid[1], 3);
    assert_int_equal(l->block[2], 2);
    assert_int_equal(l->dynamic_shared_bytes, 256);
    assert_int_equal(l->registers, l->program->registers);
    fake_end(&b.gpu, 0, b.app);
    assert_true(app_completed(b.app));
    assert_int_equal(app_checked(b.app), 1);
    bench_free(&b);
}

static void remember(struct host *h)
{
    u64 device = host_alloc(h, 8, "cell"), was;
    host_read(h, &was, device, 8);
    host_write(h, device, &device, 8);
    launch(h, "none", 0);
    host_sync(h);
    if (host_wants_check(h)) host_checked(h, !was, "memory is not fresh");
    else if (was) host_symbol(h, "memory is not fresh", NULL);
}

static void restart_is_fresh(void **state)
{
    (void)state;
    struct bench b;
    bench_start(&b, "bench", remember);
    const struct image *image = b.gpu.at[0].image;
    u64 first = image->allocations[image->allocation_n - 1].start;
    for (u64 turn = 1; turn < 4; turn++) {
        fake_end(&b.gpu, 0, b.app);
        assert_true(app_completed(b.app));
        assert_int_equal(app_completions(b.app), turn);
        assert_int_equal(app_checked(b.app), 1);
        app_restart(b.app);
        assert_int_equal(app_state(b.app), APP_READY);
        app_poll(b.app);
        fake_take(&b.gpu, b.app);
        assert_int_equal(image->allocations[image->allocation_n - 1].start, first);
    }
    assert_int_equal(app_launches(b.app), 4);
    bench_free(&b); /* in the middle */
}

static void deep(struct host *h, u32 depth)
{
    volatile char frame[2000];
    frame[depth] = (char)depth;
    if (depth) deep(h, depth - 1);
    else host_sync(h);
    frame[0] = frame[depth];
}

static void wait_deep(struct host *h)
{
    memset(host_memory(h, 1 << 20), 1, 1 << 20);
    launch(h, "none", 0);
    launch(h, "none", 0);
    launch(h, "none", 1);
    deep(h, 100);
}

/* The sanitizer build detects a leak or a poisoned stack here. */
static void stopped_in_the_middle(void **state)
{
    (void)state;
    for (u32 i = 0; i < 20; i++) {
        struct bench b;
        bench_start(&b, "bench", wait_deep);
        assert_int_equal(app_state(b.app), APP_WAITING);
        if (i % 2) fake_end(&b.gpu, 1, b.app);
        if (i % 3 == 0) app_restart(b.app);
        bench_free(&b);
    }
}

static void nothing(struct host *h) { (void)h; }

static void no_launch_completes(void **state)
{
    (void)state;
    struct bench b;
    bench_start(&b, "bench", nothing);
    assert_true(app_completed(b.app));
    assert_int_equal(app_checked(b.app), -1);
    bench_free(&b);
}

static void wrong_output(struct host *h) { host_checked(h, false, "y[3] is 1, not 2"); }

static void wrong_is_said(void **state)
{
    (void)state;
    struct bench b;
    bench_start(&b, "bench", wrong_output);
    assert_int_equal(app_checked(b.app), 0);
    assert_string_equal(app_checked_why(b.app), "y[3] is 1, not 2");
    bench_free(&b);
}

/* ---- failures ---- */

static void too_much_memory(struct host *h) { host_alloc(h, GLOBAL_END, "huge"); }
static void no_memory(struct host *h) { host_alloc(h, 0, "empty"); }
static void no_host_memory(struct host *h) { host_memory(h, SIZE_MAX); }
static void no_kernel(struct host *h) { host_find(h, "sapxy"); }
static void no_variable(struct host *h) { host_symbol(h, "tabel", NULL); }
static void free_twice(struct host *h)
{
    u64 x = host_alloc(h, 4, "x");
    host_free(h, x);
    host_free(h, x);
}
static void read_beyond(struct host *h)
{
    char bytes[8];
    host_read(h, bytes, host_alloc(h, 7, "seven"), 8);
}
static void write_nowhere(struct host *h) { host_write(h, 0, "x", 1); }
static void fill_beyond(struct host *h) { host_fill(h, host_alloc(h, 7, "seven") + 7, 0, 1); }
static void grid_zero(struct host *h)
{
    host_launch(h, host_find(h, "none"), (struct host_dim){1, 0, 1}, one, 0, 0, NULL);
}
static void block_large(struct host *h)
{
    host_launch(h, host_find(h, "none"), one, (struct host_dim){1025, 1, 1}, 0, 0, NULL);
}
static void block_wraps(struct host *h)
{
    host_launch(h, host_find(h, "none"), one, (struct host_dim){1 << 16, 1 << 16, 1}, 0, 0, NULL);
}
static void block_narrow(struct host *h)
{
    host_launch(h, host_find(h, "narrow"), one, (struct host_dim){65, 1, 1}, 0, 0, NULL);
}
static void block_other(struct host *h)
{
    host_launch(h, host_find(h, "exact"), one, (struct host_dim){4, 8, 1}, 0, 0, NULL);
}
static void grid_large(struct host *h)
{
    host_launch(h, host_find(h, "none"), (struct host_dim){1, 1, 65536}, one, 0, 0, NULL);
}
static void shared_large(struct host *h)
{
    host_launch(h, host_find(h, "none"), one, one, 50000, 0, NULL);
}
static void stream_large(struct host *h) { launch(h, "none", 1024); }
static void fraction(struct host *h) { host_integer(h, "n"); }

struct failure {
    void (*run)(struct host *h);
    enum app_error_kind kind;
    const char *says;
};
static const struct failure failures[] = {
    {too_much_memory, APP_ERROR_INPUT, "out of device memory: 'huge'"},
    {no_memory, APP_ERROR_INPUT, "'empty' has no bytes"},
    {no_host_memory, APP_ERROR_INPUT, "more than the computer has"},
    {no_kernel, APP_ERROR_INPUT, "m.ptx has no kernel 'sapxy'\n    note: did you mean 'saxpy'?"},
    {no_variable, APP_ERROR_INPUT, "no variable 'tabel'\n    note: did you mean 'table'?"},
    {free_twice, APP_ERROR_FAULT, "no allocation begins at 0x1"},
    {read_beyond, APP_ERROR_FAULT, "host_read of 8 bytes"},
    {write_nowhere, APP_ERROR_FAULT, "host_write of 1 bytes at 0x0 is outside every allocation"},
    {fill_beyond, APP_ERROR_FAULT, "host_fill of 1 bytes"},
    {grid_zero, APP_ERROR_INPUT,
     "error: app bench: launch of none: grid [1, 0, 1] has a side of zero\n"
     "    bench:n=1.5\n    ^\n"},
    {block_large, APP_ERROR_INPUT, "block [1025, 1, 1] is over the limit of 1024 threads"},
    {block_wraps, APP_ERROR_INPUT, "block [65536, 65536, 1] is over the limit of 1024 threads"},
    {block_narrow, APP_ERROR_INPUT, "over the limit of 64 threads (.maxntid of the kernel)"},
    {block_other, APP_ERROR_INPUT, "block [4, 8, 1] is not [8, 4, 1] (.reqntid of the kernel)"},
    {grid_large, APP_ERROR_INPUT, "grid [1, 1, 65536] is over the limit"},
    {shared_large, APP_ERROR_INPUT, "launch of none: needs too much shared memory"},
    {stream_large, APP_ERROR_INPUT, "error: app bench: launch of none: stream 1024 is over"},
    {fraction, APP_ERROR_INPUT, "n=1.5 must be a whole number"},
};

static void failures_are_said(void **state)
{
    (void)state;
    for (u32 i = 0; i < COUNT_OF(failures); i++) {
        struct bench b;
        bench_start(&b, "bench:n=1.5", failures[i].run);
        if (app_state(b.app) != APP_FAILED || app_error_kind(b.app) != failures[i].kind ||
            !strstr(app_error(b.app), failures[i].says)) {
            fail_msg("failure %u: \"%s\" lacks \"%s\"", i, app_error(b.app), failures[i].says);
        }
        app_poll(b.app); /* does nothing */
        assert_null(app_next_launch(b.app));
        bench_free(&b);
    }
}

/* ---- an input that is neither a workload nor an app file ---- */

static void pair_run(struct host *h)
{
    u64 device = host_alloc(h, 64, "pair");
    launch(h, "none", 0);
    host_fill(h, device + 16, 7, 8);
    h->app->dumps[0] = device + 16;
}

static void pair_feed(const struct app_input *in, struct input_feed *f)
{
    input_feed_part(f, &in->rules.seed, 1);
}

static u32 pair_dump_n(const struct app_input *in)
{
    (void)in;
    return 1;
}

static void pair_dump(const struct app_input *in, u32 index, struct input_dump *out)
{
    (void)in, (void)index;
    *out = (struct input_dump){.name = "pair", .path = "pair.bin", .size_bytes = 8};
}

static void count_bytes(void *to, const void *bytes, size_t n)
{
    (void)bytes;
    *(size_t *)to += n;
}

static void any_kind(void **state)
{
    static const struct input_kind kind = {
        .run = pair_run, .feed = pair_feed, .dump_n = pair_dump_n, .dump = pair_dump};
    struct fail fail = {0};
    struct bench b = {.in = input_new(&kind, &(struct input_rules){.seed = 3})};
    size_t fed = 0;
    u64 n;
    (void)state;
    b.in->name = "pair";
    b.in->ptx = &fixture_module;
    assert_true(input_module(b.in, &fail));
    b.app = app_new(b.in, "pair", 0, &fixture_machine, NULL);
    app_start(b.app);
    app_poll(b.app);
    fake_take(&b.gpu, b.app);
    fake_end(&b.gpu, 0, b.app);
    assert_true(app_completed(b.app));
    assert_memory_equal(app_dump(b.app, 0, &n), "\7\7\7\7\7\7\7\7", 8);
    assert_true(n == 8 && input_dump_n(b.in) == 1);
    assert_true(input_fits(b.in, &fixture_machine, &fail)); /* no kernel is known */
    input_feed(b.in, count_bytes, &fed);
    assert_int_equal(fed, 4 * 8 + 4 + 8 + sizeof fixture_ptx - 1 + 1);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_apps_interleave), cmocka_unit_test(streams_in_order),
        cmocka_unit_test(full_stream_blocks),  cmocka_unit_test(launch_is_whole),
        cmocka_unit_test(restart_is_fresh),    cmocka_unit_test(stopped_in_the_middle),
        cmocka_unit_test(no_launch_completes), cmocka_unit_test(wrong_is_said),
        cmocka_unit_test(failures_are_said),   cmocka_unit_test(any_kind),
    };
    return cmocka_run_group_tests_name("host app", tests, NULL, NULL);
}
