#include "run/sweep/integrity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/arena.h"
#include "run/io/hasher.h"

const char store_tables[] =
    "create table meta(key text primary key, value) without rowid;"
    "create table run(id integer primary key, key text not null unique, program text not null,"
    " position integer not null, apps text not null, policy text not null, gpu text not null,"
    " options text not null, until text not null, cycle_limit integer, instruction_goal integer,"
    " seed integer not null, alone text not null, status text not null, reason text,"
    " cycles integer, input_hash text, version text, sweep text not null,"
    " checksum text not null);"
    "create index run_of on run(apps, policy);"
    "create table app(run integer not null references run(id), app integer not null,"
    " name text not null, spec text not null, primary key(run, app)) without rowid;"
    "create table stat(run integer not null references run(id), app integer,"
    " key text not null, value);"
    "create index stat_of on stat(run, app, key);"
    "create table host(run integer primary key references run(id), seconds real, ended_at integer,"
    " warp_instructions_per_second real, cycles_per_second real, peak_rss_bytes integer);"
    "insert into meta values('schema', '" STORE_SCHEMA "');";

/* ---- the file ---- */

/* Appends the SQL text of all tables and indexes. */
static int master_of(sqlite3 *db, struct text *out)
{
    static const char sql[] = "select type, name, tbl_name, ifnull(sql, '') from sqlite_master"
                              " order by name, type";
    sqlite3_stmt *q = NULL;
    int step = sqlite3_prepare_v2(db, sql, -1, &q, NULL);
    if (!step) {
        while ((step = sqlite3_step(q)) == SQLITE_ROW) {
            for (int i = 0; i < 4; i++) {
                const char *text = (const char *)sqlite3_column_text(q, i);
                text_add(out, "%s%c", text ? text : "", i < 3 ? '|' : '\n');
            }
        }
    }
    sqlite3_finalize(q);
    return step;
}

static void expect_master(struct text *out)
{
    sqlite3 *db = NULL;
    check(!sqlite3_open(":memory:", &db) && !sqlite3_exec(db, store_tables, NULL, NULL, NULL) &&
          master_of(db, out) == SQLITE_DONE);
    sqlite3_close(db);
}

/* Returns true if a line of `here` also occurs in `ours`. */
static bool share_a_line(const char *here, const char *ours)
{
    for (size_t n; *here; here += n) {
        n = strcspn(here, "\n") + 1;
        if (memmem(ours, strlen(ours), here, n)) return true;
    }
    return false;
}

static void ask_text(sqlite3 *db, const char *sql, struct text *out)
{
    sqlite3_stmt *q = NULL;
    if (!sqlite3_prepare_v2(db, sql, -1, &q, NULL) && sqlite3_step(q) == SQLITE_ROW &&
        sqlite3_column_text(q, 0)) text_add(out, "%s", (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
}

/* Appends the last line of SQLite's report; the first line may only name the database. */
static void say_damage(sqlite3 *db, const char *found, struct text *why)
{
    const char *line = strrchr(found, '\n');
    text_add(why, "damaged: %s", line ? line + 1 : *found ? found : sqlite3_errmsg(db));
}

static bool meta_intact(struct store *s)
{
    struct text sum = {0}, noted = {0};
    struct fail fail = {0};
    ask_text(s->db, "select value from meta where key = 'checksum'", &noted);
    bool intact = meta_sum(s, &sum, &fail) && !strcmp(sum.bytes, text_get(&noted));
    fail_free(&fail);
    text_free(&sum);
    text_free(&noted);
    return intact;
}

static enum store_condition compare(struct store *s, const char *here, struct text *why)
{
    struct text ours = {0}, schema = {0}, intact = {0};
    enum store_condition c = STORE_DAMAGED;
    expect_master(&ours);
    ask_text(s->db, "select value from meta where key = 'schema'", &schema);
    bool same = !strcmp(here, ours.bytes), named = schema.size > 0;
    if (named && strcmp(schema.bytes, STORE_SCHEMA)) {
        text_add(why, "the database has schema %s", schema.bytes);
        if (!same) c = STORE_FOREIGN;
    } else if (!same && !named && !share_a_line(here, ours.bytes)) {
        text_add(why, "not a database of corun");
        c = STORE_FOREIGN;
    } else if (!same || !named) {
        text_add(why, "damaged: the schema differs from corun's");
    } else {
        ask_text(s->db, "pragma integrity_check(1)", &intact);
        if (strcmp(text_get(&intact), "ok")) say_damage(s->db, text_get(&intact), why);
        else if (meta_intact(s)) c = STORE_WHOLE;
        else text_add(why, "damaged: the checksum of table meta is wrong");
    }
    text_free(&ours);
    text_free(&schema);
    text_free(&intact);
    return c;
}

static int pages_of(sqlite3 *db)
{
    struct text n = {0};
    ask_text(db, "pragma page_count", &n);
    int pages = atoi(text_get(&n));
    text_free(&n);
    return pages;
}

/* Returns true if the file begins like an SQLite database. */
static bool has_header(const char *path)
{
    static const char wanted[] = "SQLite format 3"; /* with the terminating zero */
    char head[sizeof wanted] = {0};
    FILE *f = fopen(path, "re");
    bool ok = f && fread(head, 1, sizeof head, f) == sizeof head;
    if (f) fclose(f);
    return ok && !memcmp(head, wanted, sizeof head);
}

/* Returns true for a file of one byte. SQLite would accept the file as an empty database and
 * overwrite it (unixFileSize: old file systems needed such a byte). */
static bool is_one_byte(const char *path)
{
    struct stat st;
    return !stat(path, &st) && st.st_size == 1;
}

enum store_condition store_examine(struct store *s, struct text *why)
{
    struct text here = {0};
    int step = master_of(s->db, &here);
    enum store_condition c = STORE_DAMAGED;
    bool none = step == SQLITE_NOTADB && !has_header(s->path);
    if (none || is_one_byte(s->path)) {
        text_add(why, "not a database");
        c = STORE_FOREIGN;
    } else if (step == SQLITE_NOTADB || step == SQLITE_CORRUPT) {
        text_add(why, "damaged: %s", sqlite3_errmsg(s->db));
    } else if (step != SQLITE_DONE) c = STORE_UNREADABLE;
    else if (!here.size && pages_of(s->db) > 1) text_add(why, "damaged: the schema is missing");
    else if (!here.size) c = STORE_EMPTY;
    else c = compare(s, here.bytes, why);
    text_free(&here);
    return c;
}

/* ---- a run ---- */

static void add_value(struct hasher *h, sqlite3_stmt *q, int i)
{
    int type = sqlite3_column_type(q, i);
    double real = sqlite3_column_double(q, i);
    u64 bits;
    memcpy(&bits, &real, sizeof bits);
    hasher_number(h, (u64)type);
    if (type == SQLITE_INTEGER) hasher_number(h, (u64)sqlite3_column_int64(q, i));
    else if (type == SQLITE_FLOAT) hasher_number(h, bits);
    else if (type != SQLITE_NULL) {
        const void *bytes = sqlite3_column_blob(q, i);
        size_t n = (size_t)sqlite3_column_bytes(q, i);
        hasher_number(h, n);
        if (n) hasher_add(h, bytes, n);
    }
}

/* Hashes every value of the rows selected by `sql` for a run. */
static bool add_rows(struct hasher *h, struct store *s, const char *sql, s64 id, struct fail *fail)
{
    sqlite3_stmt *q = NULL;
    if (!store_prepare(s, &q, sql, fail)) return false;
    sqlite3_bind_int64(q, 1, id);
    int step, n = sqlite3_column_count(q);
    u64 rows = 0;
    for (; (step = sqlite3_step(q)) == SQLITE_ROW; rows++) {
        for (int i = 0; i < n; i++) add_value(h, q, i);
    }
    hasher_number(h, rows);
    sqlite3_finalize(q);
    return step == SQLITE_DONE || store_error(s, fail);
}

bool meta_sum(struct store *s, struct text *out, struct fail *fail)
{
    static const char rows[] = "select key, value from meta where key <> 'checksum' order by key";
    struct hasher h;
    u64 sum[2];
    hasher_start(&h);
    bool ok = add_rows(&h, s, rows, 0, fail);
    hasher_end(&h, sum);
    hash_show(sum, out);
    return ok;
}

/* Computes a checksum over all rows of a run. */
static bool checksum_of(struct store *s, s64 id, struct text *out, struct fail *fail)
{
    static const char *const rows[] = {
        "select id, key, program, position, apps, policy, gpu, options, until, cycle_limit,"
        " instruction_goal, seed, alone, status, reason, cycles, input_hash, version, sweep"
        " from run where id = ?",
        "select app, name, spec from app where run = ? order by app",
        "select app, key, value from stat where run = ? order by app, key, value"};
    struct hasher h;
    u64 sum[2];
    bool ok = true;
    hasher_start(&h);
    for (u32 i = 0; i < COUNT_OF(rows); i++) ok = ok && add_rows(&h, s, rows[i], id, fail);
    hasher_end(&h, sum);
    hash_show(sum, out);
    return ok;
}

bool store_sign(struct store *s, s64 id, struct fail *fail)
{
    struct text sum = {0};
    sqlite3_stmt *q = NULL;
    bool ok = checksum_of(s, id, &sum, fail) &&
              store_prepare(s, &q, "update run set checksum = ? where id = ?", fail);
    if (ok) {
        sqlite3_bind_text(q, 1, sum.bytes, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int64(q, 2, id);
        ok = store_finish(s, q, fail);
    }
    text_free(&sum);
    return ok;
}

bool store_verify(struct store *s, s64 id, bool *intact, struct fail *fail)
{
    struct text sum = {0};
    sqlite3_stmt *q = NULL;
    *intact = false;
    bool ok = checksum_of(s, id, &sum, fail) &&
              store_prepare(s, &q, "select 1 from run where id = ? and checksum = ?", fail);
    if (ok) {
        sqlite3_bind_int64(q, 1, id);
        sqlite3_bind_text(q, 2, sum.bytes, -1, SQLITE_TRANSIENT);
        int step = sqlite3_step(q);
        *intact = step == SQLITE_ROW;
        ok = *intact || step == SQLITE_DONE || store_error(s, fail);
        sqlite3_finalize(q);
    }
    text_free(&sum);
    return ok;
}

/* ---- all runs ---- */

static const char *word(sqlite3_stmt *q, int i)
{
    const char *text = (const char *)sqlite3_column_text(q, i);
    return text ? text : "";
}

/* Appends a description of a run, as in "bfs + mm under spatial on maxwell16 with l1.ways=8, seed 1
 * (run 7)". Any part may be damaged. */
static void show_run(sqlite3_stmt *q, struct text *out)
{
    text_add(out, "%s under %s on %s%s%s, seed %s (run %lld)", word(q, 1), word(q, 2), word(q, 3),
             *word(q, 4) ? " with " : "", word(q, 4), word(q, 5),
             (long long)sqlite3_column_int64(q, 0));
    text_mask(out);
}

static bool list_damaged(struct store *s, struct audit *a, struct fail *fail)
{
    static const char sql[] = "select id, apps, policy, gpu, options, seed, program from run"
                              " order by position, id";
    sqlite3_stmt *q = NULL;
    bool ok = store_prepare(s, &q, sql, fail), intact;
    int step = SQLITE_DONE;
    while (ok && (step = sqlite3_step(q)) == SQLITE_ROW) {
        a->run_n++;
        ok = store_verify(s, sqlite3_column_int64(q, 0), &intact, fail);
        if (!ok || intact) continue;
        struct damaged *d = base_push(a->damaged, a->damaged_n, a->damaged_room);
        *d = (struct damaged){.id = sqlite3_column_int64(q, 0)};
        show_run(q, &d->name);
    }
    ok = ok && (step == SQLITE_DONE || store_error(s, fail));
    sqlite3_finalize(q);
    return ok;
}

/* Counts orphaned rows. */
static bool count_strays(struct store *s, struct audit *a, struct fail *fail)
{
    static const char sql[] =
        "select (select count(*) from app where run not in (select id from run))"
        " + (select count(*) from stat where run not in (select id from run))"
        " + (select count(*) from host where run not in (select id from run))";
    sqlite3_stmt *q = NULL;
    if (!store_prepare(s, &q, sql, fail)) return false;
    bool ok = sqlite3_step(q) == SQLITE_ROW || store_error(s, fail);
    a->orphan_n = ok ? (u64)sqlite3_column_int64(q, 0) : 0;
    sqlite3_finalize(q);
    return ok;
}

bool audit_store(struct audit *a, struct store *s, struct fail *fail)
{
    *a = (struct audit){0};
    return list_damaged(s, a, fail) && count_strays(s, a, fail);
}

bool audit_has(const struct audit *a, s64 id)
{
    u32 i = 0;
    while (i < a->damaged_n && a->damaged[i].id != id) i++;
    return i < a->damaged_n;
}

void audit_free(struct audit *a)
{
    for (u32 i = 0; i < a->damaged_n; i++) text_free(&a->damaged[i].name);
    free(a->damaged);
    *a = (struct audit){0};
}

static bool refuse_strays(const struct store *s, const struct audit *a, struct fail *fail)
{
    if (!a->orphan_n) return true;
    fail_plain(fail, "%s is damaged: rows without a run", s->path);
    fail_note(fail, "corun sweep FILE.yaml -o %s --repair removes the rows", s->path);
    return false;
}

bool require_no_orphans(struct store *s, struct fail *fail)
{
    struct audit a = {0};
    return count_strays(s, &a, fail) && refuse_strays(s, &a, fail);
}

bool require_intact(struct store *s, struct fail *fail)
{
    struct audit a;
    bool ok = audit_store(&a, s, fail) && refuse_strays(s, &a, fail) && !a.damaged_n;
    for (u32 i = 0; i < a.damaged_n; i++) {
        fail_plain(fail, "%s is damaged: the checksum of %s is wrong", s->path,
                   a.damaged[i].name.bytes);
    }
    if (a.damaged_n) {
        fail_note(fail, "corun sweep FILE.yaml -o %s --repair runs the points again", s->path);
    }
    audit_free(&a);
    return ok;
}
