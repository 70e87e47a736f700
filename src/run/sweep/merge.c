#include "run/sweep/merge.h"

#include <string.h>
#include <unistd.h>
#include "run/sweep/sound.h"

struct merge {
    struct store out;
    struct store_sweep sweep;  /* of which all databases are */
    const char *first;         /* the one that said so; NULL: none has */
    struct merge_count *count;
    struct fail *fail;
};

static bool refuse(struct merge *m, const char *path, const char *what, const char *note)
{
    fail_plain(m->fail, "%s holds runs of another %s than %s", path, what, m->first);
    fail_note(m->fail, "%s", note);
    return false;
}

/* All databases are of the sweep and the corun that the first one names. */
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
        ok = refuse(m, s->path, "sweep", "the file, or a file that it names, differs");
    } else if (ok && strcmp(text_get(&here.program), text_get(&m->sweep.program))) {
        ok = refuse(m, s->path, "corun", "run the sweep again with one corun for all shards");
    }
    store_sweep_free(&here);
    return ok;
}

/* ---- one run ---- */

/* A status that says more comes in place of one that failed, this corun's run in place of
 * another's. */
enum choice { TAKE, LEAVE, BROKEN };

static enum choice choose(struct merge *m, sqlite3_stmt *run)
{
    static const char sql[] = "select status from run where id = ? and program = ?";
    sqlite3_stmt *q = NULL;
    if (!store_prepare(&m->out, &q, sql, m->fail)) return BROKEN;
    sqlite3_bind_int64(q, 1, sqlite3_column_int64(run, 0));
    sqlite3_bind_text(q, 2, text_get(&m->sweep.program), -1, SQLITE_TRANSIENT);
    int step = sqlite3_step(q);
    enum choice choice = BROKEN;
    if (step == SQLITE_DONE) choice = TAKE;
    else if (step != SQLITE_ROW) store_error(&m->out, m->fail);
    else if (!store_is_failed((const char *)sqlite3_column_text(q, 0))) choice = LEAVE;
    else choice = store_is_failed((const char *)sqlite3_column_text(run, 1)) ? LEAVE : TAKE;
    sqlite3_finalize(q);
    return choice;
}

static bool add_run(struct merge *m, struct store *s, sqlite3_stmt *run)
{
    if (strcmp((const char *)sqlite3_column_text(run, 2), text_get(&m->sweep.program))) {
        m->count->old++;
        return true;
    }
    enum choice choice = choose(m, run);
    if (choice != TAKE) return choice == LEAVE;
    m->count->added++;
    return store_copy(&m->out, s, sqlite3_column_int64(run, 0), m->fail);
}

static bool add_runs(struct merge *m, struct store *s)
{
    sqlite3_stmt *q = NULL;
    bool ok = store_prepare(s, &q, "select id, status, program from run order by id", m->fail);
    int step = SQLITE_DONE;
    while (ok && (step = sqlite3_step(q)) == SQLITE_ROW) ok = add_run(m, s, q);
    if (ok && step != SQLITE_DONE) ok = store_error(s, m->fail);
    sqlite3_finalize(q);
    return ok;
}

static bool add_database(struct merge *m, const char *path)
{
    struct store s;
    bool ok = store_open(&s, path, m->fail) && same_sweep(m, &s) && all_sound(&s, m->fail) &&
              add_runs(m, &s);
    store_close(&s);
    return ok;
}

/* ---- all ---- */

static bool count_runs(struct merge *m)
{
    static const char sql[] =
        "select count(*), total(status in ('failed', 'policy-failed')),"
        " total(status not in ('failed', 'policy-failed', 'completed')) from run";
    sqlite3_stmt *q = NULL;
    if (!store_prepare(&m->out, &q, sql, m->fail)) return false;
    bool ok = sqlite3_step(q) == SQLITE_ROW || store_error(&m->out, m->fail);
    m->count->points = m->sweep.points;
    m->count->runs = (u32)sqlite3_column_int64(q, 0);
    m->count->failed = (u32)sqlite3_column_int64(q, 1);
    m->count->abnormal = (u32)sqlite3_column_int64(q, 2);
    sqlite3_finalize(q);
    return ok;
}

static bool merge_all(struct merge *m, const char *const *paths, u32 n)
{
    bool ok = store_begin(&m->out, m->fail) && (m->out.fresh ||
              (same_sweep(m, &m->out) && all_sound(&m->out, m->fail)));
    for (u32 i = 0; ok && i < n; i++) ok = add_database(m, paths[i]);
    return ok && (!m->out.fresh || store_note(&m->out, &m->sweep, m->fail)) && count_runs(m) &&
           store_end(&m->out, m->fail);
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
