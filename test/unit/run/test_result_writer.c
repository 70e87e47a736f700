/* Keys of results: a value of another type than the key's row in key.def states ends the process as
 * an internal error. Each write runs in a child process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/result/result_writer.h"

enum { CHECK_FAILED = 3 }; /* exit status of an internal error */

static void put_text(struct result_writer *w, enum result_key k) { result_put_text(w, k, "word"); }
static void put_none(struct result_writer *w, enum result_key k) { result_put_text(w, k, NULL); }
static void put_integer(struct result_writer *w, enum result_key k) { result_put_integer(w, k, 7); }
static void put_real(struct result_writer *w, enum result_key k) { result_put_real(w, k, 0.5); }
static void put_bool(struct result_writer *w, enum result_key k) { result_put_bool(w, k, true); }
static void put_object(struct result_writer *w, enum result_key k)
{
    result_open(w, k, '{');
    result_close(w, '}');
}
static void put_list(struct result_writer *w, enum result_key k)
{
    result_open_flat(w, k, '[');
    result_close(w, ']');
}

enum { TEXT = 1, INTEGER = 2, REAL = 4, BOOL = 8, NUL = 16, SCHEMA = 32, OBJECT = 64, LIST = 128 };
static const struct form {
    u32 bit;
    void (*put)(struct result_writer *w, enum result_key key);
    const char *text; /* in JSON */
} forms[] = {{TEXT, put_text, "\"word\""}, {TEXT, put_none, "null"}, {INTEGER, put_integer, "7"},
             {REAL, put_real, "0.5"}, {BOOL, put_bool, "true"}, {NUL, result_put_null, "null"},
             {SCHEMA, result_put_schema, NULL}, {OBJECT, put_object, "{}"}, {LIST, put_list, "[]"}};

/* The forms that a row permits, stated here independently of the writer. */
static u32 permitted(const struct result_key_row *row)
{
    static const u32 of[] = {[KEY_TEXT] = TEXT, [KEY_INTEGER] = INTEGER, [KEY_REAL] = REAL,
                             [KEY_BOOL] = BOOL, [KEY_VALUE] = TEXT | INTEGER | REAL | BOOL | SCHEMA,
                             [KEY_CONST] = SCHEMA, [KEY_WORD] = TEXT, [KEY_ONE] = OBJECT};
    const u32 null = row->type & KEY_OR_NULL ? NUL : 0;
    if (row->type & KEY_LIST) return LIST | null;
    return (row->type & KEY_MAP ? OBJECT : of[row->type & KEY_TYPES]) | null;
}

/* Writes a key in an outermost object within a child process. Returns the exit status; 0: the JSON
 * is right. */
static int write_in_child(enum result_key key, const struct form *form)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        struct text out = {0}, expected = {0};
        struct result_writer w = {.json = {.out = &out}};
        if (!freopen("/dev/null", "w", stderr)) _exit(9);
        json_open_flat(&w.json, NULL, '{');
        form->put(&w, key);
        json_close(&w.json, '}');
        text_add(&expected, "\"%s\": ", key_name(key));
        if (form->text) text_add(&expected, "%s", form->text);
        else text_add(&expected, "\"%s\"", result_key_rows[key].of);
        _exit(strstr(text_get(&out), text_get(&expected)) ? 0 : 8);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* A key of every combination of type and flags, with every form of value. */
static void test_types(void **state)
{
    (void)state;
    u32 seen[64], seen_n = 0, good = 0, bad = 0;
    for (u32 key = 0; key < RESULT_KEY_N; key++) {
        const struct result_key_row *row = &result_key_rows[key];
        const u32 type = row->type & ~(u32)KEY_MAYBE;
        u32 known = 0;
        while (known < seen_n && seen[known] != type) known++;
        if (!row->key || known < seen_n) continue;
        assert_true(seen_n < COUNT_OF(seen));
        seen[seen_n++] = type;
        for (u32 f = 0; f < COUNT_OF(forms); f++) {
            const bool fits = permitted(row) & forms[f].bit;
            const int status = write_in_child((enum result_key)key, &forms[f]);
            if (status != (fits ? 0 : CHECK_FAILED))
                fail_msg("%s.%s, form %u: status %d", row->object, row->key, f, status);
            good += fits;
            bad += !fits;
        }
    }
    assert_true(seen_n >= 8 && good >= seen_n && bad > good);
}

static void test_version(void **state)
{
    (void)state;
    struct text out = {0};
    struct result_writer w = {.json = {.out = &out}};
    json_open_flat(&w.json, NULL, '{');
    result_put_version(&w);
    json_close(&w.json, '}');
    assert_non_null(strstr(out.bytes, "\"version\": \"" CORUN_VERSION "\", \"commit\": "));
    assert_non_null(strstr(out.bytes, ", \"model\": "));
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_types),
                                       cmocka_unit_test(test_version)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
