#include "run/sweep/merge.h"

#include <string.h>
#include <unistd.h>
#include "run/sweep/integrity.h"

struct merge {
    struct store out;
    struct store_sweep sweep;  /* the sweep of all databases */
    const char *first;         /* database with the definition of `sweep`; NULL: none yet */
    struct merge_count *count;
    struct fail *fail;
};

static bool refuse(struct merge *m, const char *path, const char *what, const char *note)
{
    fail_plain(m->fail, "%s holds runs of another %s than %s", path, what, m->first);
    fail_note(m->fail, "%s", note);
    return false;
}

/* Checks that a database belongs to the same sweep and corun as the first database. */
static bool same_sweep(struct merge *m, struct store *s)
{
    struct store_sweep here = {0};
    bool ok = store_noted(s, &here, m->fail);
    if (ok && !m->first) {
        m->first = s->path;
        m->sweep = here;
        return true;
    }
    if (ok && strcmp(text_get(&here.key), text_get(&m->sweep.key))) {
        ok = refuse(m, s->path, "sweep", "the sweep file, or a file named in the sweep file, "
                    "differs");
    } else if (ok && strcmp(text_get(&here.program), text_get(&m->sweep.program))) {
        ok = refuse(m, s->path, "corun", "run all shards again with one version of corun");
    }
    store_sweep_free(&here);
    return ok;
}

/* ---- one run ---- */

static bool is(sqlite3_stmt *q, int column, const char *text)
{
    return !strcmp((const char *)sqlite3_column_text(q, column), text);
}

static bool failed(sqlite3_stmt *q, int status)
{
    return store_is_failed((const char *)sqlite3_column_text(q, status));
}

static void bind_sweep(const struct merge *m, sqlite3_stmt *q, int at)
{
    sqlite3_bind_text(q, at, text_get(&m->sweep.program), -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(q, at + 1, text_get(&m->sweep.key), -1, SQLITE_TRANSIENT);
}

/* ADD: the output has no run of the point by the same corun and sweep; BETTER: the run replaces a
 * failed run; LEAVE: the output's run is kept; BROKEN: SQLite error. */
enum choice { ADD, BETTER, LEAVE, BROKEN };

static enum choice choose(struct merge *m, sqlite3_stmt *run)
{
    static const char sql[] = "select status from run where id = ? and program = ? and sweep = ?";
    sqlite3_stmt *q = NULL;
    if (!store_prepare(&m->out, &q, sql, m->fail)) return BROKEN;
    sqlite3_bind_int64(q, 1, sqlite3_column_int64(run, 0));
    bind_sweep(m, q, 2);
    int step = sqlite3_step(q);
    enum choice choice = LEAVE;
    if (step == SQLITE_DONE) choice = ADD;
    else if (step != SQLITE_ROW) choice = store_error(&m->out, m->fail) ? LEAVE : BROKEN;
    else if (failed(q, 0) && !failed(run, 1)) choice = BETTER;
    sqlite3_finalize(q);
    return choice;
}

static bool add_run(struct merge *m, struct store *s, sqlite3_stmt *run)
{
    bool old = !is(run, 2, text_get(&m->sweep.program));
    bool foreign = !old && !is(run, 3, text_get(&m->sweep.key));
    m->count->old += old;
    m->count->foreign += foreign;
    if (old || foreign) return true;
    enum choice choice = choose(m, run);
    m->count->added += choice == ADD;
    m->count->better += choice == BETTER;
    if (choice >= LEAVE) return choice == LEAVE;
    return store_copy(&m->out, s, sqlite3_column_int64(run, 0), m->fail);
}

static bool add_runs(struct merge *m, struct store *s)
{
    static const char sql[] = "select id, status, program, sweep from run order by id";
    sqlite3_stmt *q = NULL;
    bool ok = store_prepare(s, &q, sql, m->fail);
    int step = SQLITE_DONE;
    while (ok && (step = sqlite3_step(q)) == SQLITE_ROW) ok = add_run(m, s, q);
    if (ok && step != SQLITE_DONE) ok = store_error(s, m->fail);
    sqlite3_finalize(q);
    return ok;
}

static bool add_database(struct merge *m, const char *path)
{
    struct store s;
    bool ok = store_open_any(&s, path, m->fail);
    m->count->empty += ok && s.fresh;
    ok = ok && (s.fresh || (same_sweep(m, &s) && require_intact(&s, m->fail) && add_runs(m, &s)));
    store_close(&s);
    return ok;
}

/* ---- all ---- */

static bool count_runs(struct merge *m)
{
    static const char sql[] =
        "select count(*), total(status in ('failed', 'policy-failed')),"
        " total(status not in ('failed', 'policy-failed', 'completed')) from run"
        " where program = ? and sweep = ?";
    sqlite3_stmt *q = NULL;
    if (!store_prepare(&m->out, &q, sql, m->fail)) return false;
    bind_sweep(m, q, 1);
    bool ok = sqlite3_step(q) == SQLITE_ROW || store_error(&m->out, m->fail);
    m->count->points = m->sweep.points;
    m->count->runs = (u32)sqlite3_column_int64(q, 0);
    m->count->failed = (u32)sqlite3_column_int64(q, 1);
    m->count->abnormal = (u32)sqlite3_column_int64(q, 2);
    sqlite3_finalize(q);
    return ok;
}

static bool all_empty(const struct merge *m)
{
    if (m->first) return false;
    fail_plain(m->fail, "nothing to merge: all databases are empty");
    fail_note(m->fail, "expected databases from corun sweep, %s", STORE_SCHEMA);
    return true;
}

static bool merge_all(struct merge *m, const char *const *paths, u32 n)
{
    bool ok = store_begin(&m->out, m->fail) && (m->out.fresh ||
              (same_sweep(m, &m->out) && require_intact(&m->out, m->fail)));
    for (u32 i = 0; ok && i < n; i++) ok = add_database(m, paths[i]);
    return ok && !all_empty(m) && (!m->out.fresh || store_note(&m->out, &m->sweep, m->fail)) &&
           count_runs(m) && store_end(&m->out, m->fail);
}

bool merge_run(const char *const *paths, u32 n, const char *output, struct merge_count *count,
               struct fail *fail)
{
    struct merge m = {.count = count, .fail = fail};
    *count = (struct merge_count){0};
    bool ok = store_create(&m.out, output, fail) && merge_all(&m, paths, n);
    if (!ok && m.out.fresh) unlink(output);
    store_close(&m.out);
    store_sweep_free(&m.sweep);
    return ok;
}
