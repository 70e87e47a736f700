#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "run/sweep/integrity.h"

static void say(const struct repair *r, struct text *text)
{
    r->say(r->to, text_get(text));
    text_free(text);
}

static bool drop_orphans(struct store *s, struct fail *fail)
{
    static const char *const sql[] = {"delete from app where run not in (select id from run)",
                                      "delete from stat where run not in (select id from run)",
                                      "delete from host where run not in (select id from run)"};
    bool ok = true;
    for (u32 i = 0; i < COUNT_OF(sql); i++) {
        sqlite3_stmt *q = NULL;
        ok = ok && store_prepare(s, &q, sql[i], fail) && store_finish(s, q, fail);
    }
    return ok;
}

/* Deletes damaged runs and orphaned rows. *kept: number of intact runs. */
static bool drop_damaged(const struct repair *r, struct store *s, u32 *kept)
{
    struct audit a;
    bool ok = audit_store(&a, s, r->fail) && store_begin(s, r->fail);
    for (u32 i = 0; ok && i < a.damaged_n; i++) {
        struct text t = {0};
        ok = store_forget(s, a.damaged[i].id, r->fail);
        text_add(&t, "damaged: %s", a.damaged[i].name.bytes);
        say(r, &t);
        r->taken(r->of, a.damaged[i].id);
    }
    ok = ok && (!a.orphan_n || drop_orphans(s, r->fail)) && store_end(s, r->fail);
    *kept = a.run_n - a.damaged_n;
    audit_free(&a);
    return ok;
}

/* ---- a damaged file ---- */

static const struct recovered {
    const char *table, *columns, *into, *key;
} rescues[] = {{"run", "*", "", "id"},
               {"app", "*", "", "run"},
               {"stat", "rowid, *", "(rowid, run, app, key, value)", "rowid"},
               {"host", "*", "", "run"}};

/* Copies rows of a table, forwards or (`last`) backwards, up to the first unreadable row. */
static bool recover_from(struct store *to, sqlite3 *from, const struct recovered *t, bool last,
                         struct fail *fail)
{
    struct text select = {0}, insert = {0};
    sqlite3_stmt *get = NULL, *like = NULL; /* like: same query on an intact table */
    text_add(&select, "select %s from %s not indexed order by %s%s", t->columns, t->table, t->key,
             last ? " desc" : "");
    text_add(&insert, "insert or ignore into %s%s", t->table, t->into);
    int step = sqlite3_prepare_v2(from, select.bytes, -1, &get, NULL);
    bool ok = store_prepare(to, &like, select.bytes, fail);
    bool readable = ok && !step && sqlite3_column_count(get) == sqlite3_column_count(like);
    if (readable) ok = store_copy_rows(to, get, insert.bytes, &step, fail);
    sqlite3_finalize(get);
    sqlite3_finalize(like);
    text_free(&select);
    text_free(&insert);
    return ok;
}

/* Copies all readable rows of a damaged file; checksums are verified afterwards. */
static bool recover(const char *path, struct store *to, struct fail *fail)
{
    sqlite3 *from = NULL;
    bool ok = store_begin(to, fail);
    store_connect(&from, path, SQLITE_OPEN_READONLY);
    /* Continue despite a damaged schema. */
    sqlite3_exec(from, "pragma writable_schema = on", NULL, NULL, NULL);
    for (u32 i = 0; ok && i < COUNT_OF(rescues); i++) {
        ok = recover_from(to, from, &rescues[i], false, fail) &&
             recover_from(to, from, &rescues[i], true, fail);
    }
    sqlite3_close(from);
    return ok && store_end(to, fail);
}

bool audit_corrupt(struct audit *a, const char *path, struct fail *fail)
{
    struct store s = {.path = path, .lock_fd = -1};
    *a = (struct audit){0};
    bool ok = !sqlite3_open(":memory:", &s.db) &&
              !sqlite3_exec(s.db, store_tables, NULL, NULL, NULL) && recover(path, &s, fail) &&
              audit_store(a, &s, fail);
    store_close(&s);
    return ok;
}

/* Finds an unused name: PATH.damaged, PATH.damaged2, ... */
static void free_name(const char *path, struct text *name)
{
    for (u32 i = 1;; i++) {
        name->size = 0;
        text_add(name, "%s.damaged", path);
        if (i > 1) text_add(name, "%u", i);
        if (access(name->bytes, F_OK)) return;
    }
}

/* Replaces the damaged file by the new file. The damaged file first gets a second name, so that a
 * database exists at all times. The journal of the damaged file is renamed, too; otherwise SQLite
 * would apply the journal to the new file. */
static bool put_in_place(const struct repair *r, const char *fresh, const char *kept)
{
    struct text journal = {0}, aside = {0};
    text_add(&journal, "%s-journal", r->path);
    text_add(&aside, "%s-journal", kept);
    bool ok = (!link(r->path, kept) || !rename(r->path, kept)) &&
              (!rename(journal.bytes, aside.bytes) || errno == ENOENT) && !rename(fresh, r->path);
    if (!ok) fail_plain(r->fail, "cannot put %s in place of %s: %s", fresh, r->path,
                        strerror(errno));
    text_free(&journal);
    text_free(&aside);
    return ok;
}

static bool renew(const struct repair *r)
{
    struct text fresh = {0}, kept = {0}, t = {0};
    struct store s;
    u32 runs = 0;
    text_add(&fresh, "%s.repaired", r->path);
    free_name(r->path, &kept);
    unlink(fresh.bytes); /* left by an interrupted repair */
    bool ok = store_create(&s, fresh.bytes, r->fail) && recover(r->path, &s, r->fail) &&
              store_note(&s, r->sweep, r->fail) && drop_damaged(r, &s, &runs);
    store_close(&s);
    ok = ok && put_in_place(r, fresh.bytes, kept.bytes);
    if (ok) {
        text_add(&t, "%s was damaged: %u intact run%s kept; the damaged file is now %s",
                 r->path, runs,
                 runs == 1 ? "" : "s", kept.bytes);
        say(r, &t);
    } else {
        unlink(fresh.bytes);
    }
    text_free(&fresh);
    text_free(&kept);
    return ok;
}

/* Returns the target of a symbolic link: the database and its journal are there. NULL: not a
 * link. */
static char *link_target(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && S_ISLNK(st.st_mode) ? realpath(path, NULL) : NULL;
}

bool repair_store(const struct repair *setup)
{
    struct repair r = *setup;
    struct store s;
    u32 kept;
    if (access(r.path, F_OK)) return true;
    char *target = link_target(r.path);
    if (target) r.path = target;
    struct fail damage = {0}; /* damage is repaired here and not reported as an error */
    bool ok = store_create(&s, r.path, &damage);
    if (ok && !s.fresh) ok = drop_damaged(&r, &s, &kept);
    else if (s.condition == STORE_DAMAGED) ok = renew(&r);
    else ok = true;           /* not repairable here: the next open reports the problem */
    store_close(&s);
    fail_free(&damage);
    free(target);
    return ok;
}
