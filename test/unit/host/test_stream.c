/* Streams: order in which launches become ready; waits between streams, the legacy default stream,
 * actions; delays, latencies and gaps of launches. */
#include "fixture.h"
#include "host/stream.h"

static struct streams s;
static char done_log[64];

static void start(bool legacy)
{
    streams_free(&s);
    s = (struct streams){.legacy = legacy};
    done_log[0] = 0;
}

/* Appends a letter to the log, in lower case if the action is dropped. */
static void act(void *of, enum fate fate)
{
    const char letter[] = {(char)(*(const char *)of + (fate != FATE_TURN ? 'a' - 'A' : 0)), 0};
    strcat(done_log, letter);
}

static struct ticket action(u32 stream, const char *letter)
{
    return streams_act(&s, stream, (struct action){act, (void *)(uintptr_t)letter});
}

static struct stream_item *launch(u32 stream)
{
    struct launch l = {.stream = stream};
    struct stream_item *q = stream_item_new(&l, 0);
    streams_push(&s, q);
    return q;
}

static void test_in_order(void **state)
{
    (void)state;
    start(false);
    action(1, "A");
    assert_string_equal(done_log, "A"); /* first in the stream */
    struct stream_item *one = launch(1), *two = launch(1), *other = launch(2);
    struct ticket last = action(1, "B");
    assert_ptr_equal(streams_take_ready(&s), one);
    assert_ptr_equal(streams_take_ready(&s), other);
    assert_null(streams_take_ready(&s));
    assert_int_equal(streams_waiting(&s, 1), 3);
    streams_end(&s, one);
    assert_ptr_equal(streams_take_ready(&s), two);
    assert_false(streams_done(&s, last));
    streams_end(&s, two);
    assert_string_equal(done_log, "AB");
    assert_true(streams_done(&s, last));
    assert_int_equal(s.pending, 1);
    streams_end(&s, other);
    assert_int_equal(s.pending, 0);
}

static void test_waits(void **state)
{
    (void)state;
    start(false);
    struct stream_item *one = launch(1);
    struct ticket after = streams_last(&s, 1);
    launch(1);
    streams_wait(&s, 2, after);
    action(2, "A");
    streams_wait(&s, 3, (struct ticket){2, streams_last(&s, 2).number});
    action(3, "B");
    assert_string_equal(done_log, "");
    streams_take_ready(&s);
    streams_end(&s, one); /* not for the second, and both streams continue */
    assert_string_equal(done_log, "AB");
    assert_true(streams_done(&s, after));
    streams_wait(&s, 2, after); /* completed work delays no stream */
    action(2, "C");
    assert_string_equal(done_log, "ABC");
}

static void test_legacy(void **state)
{
    (void)state;
    start(true);
    streams_set_non_blocking(&s, 3, true);
    struct stream_item *one = launch(1);
    struct stream_item *apart = launch(3);
    action(0, "A"); /* after all work of stream 1 */
    action(2, "B"); /* after A */
    action(3, "C"); /* only after the launch of its own stream */
    assert_ptr_equal(streams_take_ready(&s), one);
    assert_ptr_equal(streams_take_ready(&s), apart);
    streams_end(&s, apart);
    assert_string_equal(done_log, "C");
    streams_end(&s, one);
    assert_string_equal(done_log, "CAB");
    start(false);
    one = launch(1);
    action(0, "A"); /* streams are independent elsewhere */
    assert_string_equal(done_log, "A");
}

static void test_dropped(void **state)
{
    (void)state;
    start(true);
    launch(1);
    action(1, "A");
    action(0, "B");
    streams_free(&s);
    assert_string_equal(done_log, "ba");
    assert_true(s.legacy && !s.pending);
}

static struct stream_item *launch_after(u32 stream, u64 latency, u64 gap)
{
    struct launch l = {.stream = stream};
    struct stream_item *q = stream_item_new(&l, 0);
    q->until = s.now + latency;
    q->gap = gap;
    streams_push(&s, q);
    return q;
}

/* Advances to cycle `now`. Returns the launch that is ready then, or NULL. */
static struct stream_item *ready_at(u64 now)
{
    s.now = now;
    streams_go_on(&s);
    return streams_take_ready(&s);
}

static void test_latency(void **state)
{
    (void)state;
    start(false);
    s.now = 100;
    struct stream_item *one = launch_after(1, 20, 7), *two = launch_after(1, 20, 7);
    assert_null(ready_at(119));
    assert_int_equal(s.wake, 120);
    assert_ptr_equal(ready_at(120), one);
    assert_int_equal(s.wake, NEVER); /* the second waits for an event of the GPU */
    s.now = 150;
    streams_end(&s, one);
    assert_int_equal(s.wake, 157);
    assert_null(ready_at(156));
    assert_ptr_equal(ready_at(157), two);
    s.now = 160;
    streams_end(&s, two);
    s.now = 161;
    struct stream_item *late = launch_after(1, 20, 7); /* behind the gap: the latency counts */
    struct stream_item *other = launch_after(2, 30, 0);
    assert_int_equal(s.wake, 181);
    assert_ptr_equal(ready_at(181), late);
    assert_int_equal(s.wake, 191);
    assert_ptr_equal(ready_at(191), other);
    streams_end(&s, late);
    streams_end(&s, other);
    assert_int_equal(s.pending, 0);
}

static u64 ten_more(void *of, u64 now)
{
    ++*(u32 *)of;
    return now + 10;
}

static void test_delay(void **state)
{
    (void)state;
    u32 asked = 0;
    start(false);
    s.now = 100;
    struct stream_item *one = launch(1);
    streams_delay(&s, 1, (struct delay){ten_more, &asked});
    struct ticket last = action(1, "A");
    assert_int_equal(asked, 0); /* not the delay's turn */
    assert_ptr_equal(streams_take_ready(&s), one);
    s.now = 130;
    streams_end(&s, one);
    assert_int_equal(s.wake, 140);
    assert_null(ready_at(139));
    assert_false(streams_done(&s, last));
    assert_null(ready_at(140));
    assert_true(streams_done(&s, last));
    assert_string_equal(done_log, "A");
    assert_int_equal(asked, 1);
    streams_delay(&s, 1, (struct delay){ten_more, &asked});
    action(1, "B");
    s.over = true; /* a kernel has failed: nothing waits any more */
    streams_go_on(&s);
    assert_string_equal(done_log, "Ab");
    assert_int_equal(s.pending, 0);
}

static struct stream_item *launch_dependent(u32 stream)
{
    struct launch l = {.stream = stream, .dependent = true};
    struct stream_item *q = stream_item_new(&l, 0);
    streams_push(&s, q);
    return q;
}

static void test_dependent(void **state)
{
    (void)state;
    start(false);
    struct stream_item *one = launch(1), *two = launch_dependent(1), *three = launch_dependent(1);
    struct ticket last = streams_last(&s, 1);
    assert_ptr_equal(streams_take_ready(&s), one);
    assert_null(streams_take_ready(&s));
    streams_early(&s, one);
    assert_ptr_equal(streams_take_ready(&s), two);
    streams_early(&s, two); /* the third waits for the end of the first */
    assert_null(streams_take_ready(&s));
    streams_end(&s, two); /* before the first: the stream still holds both */
    assert_null(streams_take_ready(&s));
    assert_int_equal(streams_waiting(&s, 1), 3);
    streams_end(&s, one);
    assert_int_equal(streams_waiting(&s, 1), 1);
    assert_ptr_equal(streams_take_ready(&s), three);
    struct stream_item *four = launch(1), *other = launch_dependent(2);
    assert_ptr_equal(streams_take_ready(&s), other); /* nothing is before this launch */
    streams_early(&s, three);
    assert_null(streams_take_ready(&s)); /* the fourth is not dependent */
    streams_end(&s, three);
    assert_true(streams_done(&s, last));
    assert_ptr_equal(streams_take_ready(&s), four);
    action(1, "A");
    streams_early(&s, four);
    assert_string_equal(done_log, ""); /* actions wait for the end */
    streams_end(&s, four);
    assert_string_equal(done_log, "A");
    streams_end(&s, other);
    assert_int_equal(s.pending, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_order), cmocka_unit_test(test_waits),
        cmocka_unit_test(test_legacy), cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_latency), cmocka_unit_test(test_delay),
        cmocka_unit_test(test_dependent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
