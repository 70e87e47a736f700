#include "run/sweep/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "run/io/json_writer.h"
#include "run/sweep/integrity.h"

#define POINT_COLUMNS                                                                    \
    "r.key, r.position, r.apps, r.policy, r.gpu, r.options, r.until, r.cycle_limit,"     \
    " r.instruction_goal, r.seed, r.alone, r.status, r.reason, r.input_hash, r.version"
/* Numbers of parts of apps (`by` in the sweep file) are not exported: their keys have a '/'. */
#define NUMBERS                                                                          \
    "select key, value from stat where run = ? and app is ? and instr(key, '/') = 0"     \
    " group by key order by key"

enum { POSITION_DIGITS = 7 };

/* Selects the numbers of an owner: column `app` of row `q`, NULL for the whole GPU. */
static void ask_numbers(sqlite3_stmt *numbers, sqlite3_int64 run, sqlite3_stmt *q, int app)
{
    sqlite3_reset(numbers);
    sqlite3_bind_int64(numbers, 1, run);
    sqlite3_bind_value(numbers, 2, sqlite3_column_value(q, app));
}

static const char *words_of(sqlite3_stmt *q, int column)
{
    const unsigned char *words = sqlite3_column_text(q, column);
    return words ? (const char *)words : "";
}

/* ---- CSV ---- */

static void put_cell(struct text *out, sqlite3_stmt *q, int i)
{
    const char *words;
    switch (sqlite3_column_type(q, i)) {
    case SQLITE_INTEGER: text_add(out, "%" PRId64, (s64)sqlite3_column_int64(q, i)); return;
    case SQLITE_FLOAT: real_show(sqlite3_column_double(q, i), out); return;
    case SQLITE_NULL: return;
    }
    text_put(out, "\"", 1);
    for (words = words_of(q, i); *words; words++)
        text_add(out, *words == '"' ? "\"\"" : "%c", *words);
    text_put(out, "\"", 1);
}

struct keys {
    char **at;
    u32 n, room;
};

static bool find_keys(struct store *s, struct keys *keys, struct fail *fail)
{
    sqlite3_stmt *q = NULL;
    int step = SQLITE_DONE;
    static const char sql[] =
        "select distinct key from stat where instr(key, '/') = 0 order by key";
    if (!store_prepare(s, &q, sql, fail)) return false;
    while ((step = sqlite3_step(q)) == SQLITE_ROW)
        *base_push(keys->at, keys->n, keys->room) = strdup(words_of(q, 0));
    bool ok = step == SQLITE_DONE || store_error(s, fail);
    sqlite3_finalize(q);
    return ok;
}

/* Writes numbers below their keys; keys and numbers are sorted in the same order. */
static bool put_numbers(struct store *s, sqlite3_stmt *numbers, const struct keys *keys,
                        struct text *out, struct fail *fail)
{
    u32 k = 0;
    int step;
    while ((step = sqlite3_step(numbers)) == SQLITE_ROW) {
        const char *key = words_of(numbers, 0);
        for (; k < keys->n && strcmp(keys->at[k], key); k++) text_put(out, ",", 1);
        check(k < keys->n);
        text_put(out, ",", 1);
        put_cell(out, numbers, 1);
        k++;
    }
    for (; k < keys->n; k++) text_put(out, ",", 1);
    return step == SQLITE_DONE || store_error(s, fail);
}

static bool put_rows(struct store *s, sqlite3_stmt *q, sqlite3_stmt *numbers,
                     const struct keys *keys, struct text *out, struct fail *fail)
{
    int step, n = sqlite3_column_count(q);
    for (int i = 1; i < n; i++) text_add(out, "%s%s", i > 1 ? "," : "", sqlite3_column_name(q, i));
    for (u32 k = 0; k < keys->n; k++) text_add(out, ",%s", keys->at[k]);
    text_put(out, "\n", 1);
    while ((step = sqlite3_step(q)) == SQLITE_ROW) {
        for (int i = 1; i < n; i++) {
            if (i > 1) text_put(out, ",", 1);
            put_cell(out, q, i);
        }
        ask_numbers(numbers, sqlite3_column_int64(q, 0), q, n - 1);
        if (!put_numbers(s, numbers, keys, out, fail)) return false;
        text_put(out, "\n", 1);
    }
    return step == SQLITE_DONE || store_error(s, fail);
}

bool export_csv(struct store *s, struct text *out, struct fail *fail)
{
    static const char sql[] =
        "select r.id, " POINT_COLUMNS ", o.owner, o.spec, o.app from run r join"
        " (select id as run, 'gpu' as owner, null as spec, null as app from run union all"
        " select run, name, spec, app from app) o on o.run = r.id"
        " order by r.position, r.id, o.app";
    sqlite3_stmt *q = NULL, *numbers = NULL;
    struct keys keys = {0};
    bool ok = require_intact(s, fail) && find_keys(s, &keys, fail) &&
              store_prepare(s, &q, sql, fail) && store_prepare(s, &numbers, NUMBERS, fail) &&
              put_rows(s, q, numbers, &keys, out, fail);
    sqlite3_finalize(q);
    sqlite3_finalize(numbers);
    for (u32 k = 0; k < keys.n; k++) free(keys.at[k]);
    free(keys.at);
    return ok;
}

/* ---- one point ---- */

static void put_member(struct json_writer *j, const char *key, sqlite3_stmt *q, int i)
{
    switch (sqlite3_column_type(q, i)) {
    case SQLITE_INTEGER: json_put_integer(j, key, (u64)sqlite3_column_int64(q, i)); return;
    case SQLITE_FLOAT: json_put_real(j, key, sqlite3_column_double(q, i)); return;
    case SQLITE_NULL: json_put_null(j, key); return;
    }
    json_put_text(j, key, words_of(q, i));
}

static bool point_intact(struct store *s, sqlite3_stmt *point, struct fail *fail)
{
    bool intact, ok = store_verify(s, sqlite3_column_int64(point, 0), &intact, fail);
    if (ok && !intact) {
        fail_plain(fail, "%s is damaged: the checksum of point %s is wrong", s->path,
                   words_of(point, 2));
        fail_note(fail, "corun sweep FILE.yaml -o %s --repair runs the point again", s->path);
    }
    return ok && intact;
}

/* Writes the numbers of the GPU, then a list with the numbers of each app. */
static bool put_owners(struct store *s, sqlite3_stmt *q, sqlite3_stmt *numbers,
                       struct json_writer *j, struct fail *fail)
{
    int step, found;
    while ((step = sqlite3_step(q)) == SQLITE_ROW) {
        bool gpu = sqlite3_column_type(q, 1) == SQLITE_NULL;
        json_open(j, gpu ? "stats" : NULL, '{');
        for (int i = 2; !gpu && i < 4; i++) put_member(j, sqlite3_column_name(q, i), q, i);
        ask_numbers(numbers, sqlite3_column_int64(q, 0), q, 1);
        while ((found = sqlite3_step(numbers)) == SQLITE_ROW)
            put_member(j, words_of(numbers, 0), numbers, 1);
        json_close(j, '}');
        if (found != SQLITE_DONE) return store_error(s, fail);
        if (gpu) json_open(j, "app", '[');
    }
    json_close(j, ']');
    return step == SQLITE_DONE || store_error(s, fail);
}

static bool put_point(struct store *s, sqlite3_stmt *point, struct text *json, struct fail *fail)
{
    static const char sql[] =
        "select ?1 as run, null as app, null as name, null as spec union all"
        " select run, app, name, spec from app where run = ?1 order by app";
    struct json_writer j = {.out = json};
    sqlite3_stmt *q = NULL, *numbers = NULL;
    json_open(&j, NULL, '{');
    for (int i = 1; i < sqlite3_column_count(point); i++)
        put_member(&j, sqlite3_column_name(point, i), point, i);
    bool ok = store_prepare(s, &q, sql, fail) && store_prepare(s, &numbers, NUMBERS, fail);
    if (ok) {
        sqlite3_bind_int64(q, 1, sqlite3_column_int64(point, 0));
        ok = put_owners(s, q, numbers, &j, fail);
    }
    json_close(&j, '}');
    sqlite3_finalize(q);
    sqlite3_finalize(numbers);
    return ok;
}

static bool not_one(const struct store *s, const char *which, u32 n, struct fail *fail)
{
    fail_plain(fail, "%s: there is %s point %s", s->path, n ? "more than one" : "no", which);
    fail_note(fail, "expected the position in the sweep file, from 0, or at least %d digits of the "
              "key: columns position and key of corun export", POSITION_DIGITS + 1);
    return false;
}

bool export_point(struct store *s, const char *which, struct text *json, struct fail *fail)
{
    bool position = strlen(which) <= POSITION_DIGITS;
    const char *sql = position
        ? "select r.id, " POINT_COLUMNS " from run r where cast(r.position as text) = ?1"
        : "select r.id, " POINT_COLUMNS " from run r where substr(r.key, 1, length(?1)) = ?1";
    sqlite3_stmt *q = NULL;
    u32 n = 0;
    int step = SQLITE_DONE;
    bool ok = store_prepare(s, &q, sql, fail);
    if (ok) sqlite3_bind_text(q, 1, which, -1, SQLITE_STATIC);
    while (ok && (step = sqlite3_step(q)) == SQLITE_ROW)
        if (!n++) ok = point_intact(s, q, fail) && put_point(s, q, json, fail);
    if (ok && step != SQLITE_DONE) ok = store_error(s, fail);
    sqlite3_finalize(q);
    return ok && (n == 1 || not_one(s, which, n, fail));
}
