/* MSHRs: room for entries and merges up to exactly the last, answers in order, one at a time, and
 * the table of lines against a list searched from end to end. */
#include "test/unit/cache/hold.h"

#define LINE(n) ((u64)(n) * LINE_BYTES)

static void room(void **state)
{
    (void)state;
    struct hold h;
    struct mshr m;
    hold_init(&h, 16);
    mshr_init(&m, &h.arena, &h.pool, 2, 3);
    u32 e = mshr_add(&m, LINE(1), hold_req(&h, REQ_LOAD, LINE(1), 0), 7);
    assert_false(mshr_full(&m));
    mshr_add(&m, LINE(2), hold_req(&h, REQ_LOAD, LINE(2), 0), 8);
    assert_true(mshr_full(&m));
    assert_int_equal(mshr_find(&m, LINE(1)), e);
    assert_int_equal(m.entries[e].line_at, 7);
    assert_int_equal(mshr_find(&m, LINE(3)), MSHR_NONE);
    mshr_merge(&m, e, hold_req(&h, REQ_LOAD, LINE(1), 0));
    assert_true(mshr_can_merge(&m, e));
    mshr_merge(&m, e, hold_req(&h, REQ_LOAD, LINE(1), 0));
    assert_false(mshr_can_merge(&m, e));
    hold_free(&h);
}

static void answers(void **state)
{
    (void)state;
    struct hold h;
    struct mshr m;
    u32 id[4];
    hold_init(&h, 16);
    mshr_init(&m, &h.arena, &h.pool, 2, 4);
    for (u32 i = 0; i < 4; i++) id[i] = hold_req(&h, REQ_LOAD, LINE(1), 0);
    u32 e = mshr_add(&m, LINE(1), id[0], 0);
    mshr_merge(&m, e, id[1]);
    mshr_merge(&m, e, id[2]);
    mshr_add(&m, LINE(2), id[3], 0);
    assert_int_equal(req_at(&h.pool, id[0])->next, REQ_NONE); /* own link */
    assert_false(mshr_has_answer(&m));
    assert_int_equal(mshr_answer(&m), REQ_NONE);
    mshr_fill(&m, mshr_find(&m, LINE(2)));
    mshr_fill(&m, e);
    assert_int_equal(mshr_find(&m, LINE(1)), MSHR_NONE);
    assert_true(mshr_full(&m));
    assert_int_equal(mshr_answer(&m), id[3]);
    assert_false(mshr_full(&m)); /* free with the last answer */
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(m.used, 1);
        assert_int_equal(mshr_answer(&m), id[i]);
    }
    assert_int_equal(m.used, 0);
    hold_free(&h);
}

static void table_against_a_list(void **state)
{
    (void)state;
    enum { ENTRIES = 24, LINES = 60 };
    struct hold h;
    struct mshr m;
    u32 entry_of[LINES];
    hold_init(&h, ENTRIES);
    mshr_init(&m, &h.arena, &h.pool, ENTRIES, 1);
    for (u32 n = 0; n < LINES; n++) entry_of[n] = MSHR_NONE;
    for (u32 step = 0; step < 20000; step++) {
        u32 n = rand_below(1, 0, step, LINES);
        u64 line = (u64)n * n * 4096 + LINE(n); /* unevenly spread */
        assert_int_equal(mshr_find(&m, line), entry_of[n]);
        if (entry_of[n] != MSHR_NONE) {
            mshr_fill(&m, entry_of[n]);
            entry_of[n] = MSHR_NONE;
            req_free(&h.requests, mshr_answer(&m));
        } else if (!mshr_full(&m)) {
            entry_of[n] = mshr_add(&m, line, hold_req(&h, REQ_LOAD, line, 0), 0);
        }
    }
    assert_int_equal(m.used, req_used(&h.requests));
    hold_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(room),
        cmocka_unit_test(answers),
        cmocka_unit_test(table_against_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
