#include "run/sweep/integrity.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "run/result/key.h"
#include "run/sim/sim.h"

enum { BUSY_MS = 20000, LOCK_TRIES = 50, LOCK_WAIT_NS = 50000000 };

bool store_error(const struct store *s, struct fail *fail)
{
    int code = s->db ? sqlite3_errcode(s->db) : SQLITE_NOMEM;
    fail_plain(fail, "%s: %s", s->path, s->db ? sqlite3_errmsg(s->db) : "no memory");
    bool is_gone = s->lock_fd >= 0 && access(s->path, F_OK);
    if (is_gone) fail_note(fail, "the file has been removed, or its folder");
    else if (code == SQLITE_FULL) fail_note(fail, "free some space, or name a file on another file "
                                       "system");
    else if (code == SQLITE_CANTOPEN) fail_note(fail, "make the folder first, or name a writable "
                                                      "folder");
    else if (code == SQLITE_READONLY) fail_note(fail, "name a writable file");
    else if (code == SQLITE_BUSY) fail_note(fail, "another program has locked the database");
    return false;
}

static bool execute(struct store *s, const char *sql, struct fail *fail)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || store_error(s, fail);
}

/* Checks a database after opening; only an intact database is used. */
static bool check_whole(struct store *s, struct fail *fail)
{
    struct text why = {0};
    s->condition = store_examine(s, &why);
    s->fresh = s->condition == STORE_EMPTY;
    bool ok = s->fresh || s->condition == STORE_WHOLE;
    if (s->condition == STORE_UNREADABLE) store_error(s, fail);
    else if (!ok) fail_plain(fail, "%s: %s", s->path, text_get(&why));
    if (!ok && !strstr(text_get(&why), "damaged")) {
        fail_note(fail, "expected a database from corun sweep, %s", STORE_SCHEMA);
    }
    if (s->condition == STORE_DAMAGED) {
        fail_note(fail, "corun sweep FILE.yaml -o %s --repair keeps the intact runs and runs the "
                  "others again", s->path);
    }
    text_free(&why);
    return ok;
}

static bool is_file(struct store *s, bool wanted, struct fail *fail)
{
    struct stat st;
    if (stat(s->path, &st)) {
        if (!wanted && errno == ENOENT) return true;
        fail_plain(fail, "cannot open %s: %s", s->path, strerror(errno));
        return false;
    }
    if (S_ISREG(st.st_mode)) return true;
    fail_plain(fail, "cannot keep a database in %s: %s", s->path,
               S_ISDIR(st.st_mode) ? "is a directory" : "not a regular file");
    return false;
}

int store_connect(sqlite3 **db, const char *path, int flags)
{
    struct text name = {0};
    text_add(&name, "%s%s", path[0] == '/' ? "" : "./", path);
    int code = sqlite3_open_v2(name.bytes, db, flags, NULL);
    text_free(&name);
    return code;
}

static bool connect(struct store *s, int flags, struct fail *fail)
{
    if (store_connect(&s->db, s->path, flags) != SQLITE_OK) return store_error(s, fail);
    sqlite3_busy_timeout(s->db, BUSY_MS);
    return true;
}

static bool no_locks(int error)
{
    return error == ENOTSUP || error == EOPNOTSUPP || error == ENOLCK || error == EINVAL ||
           error == ENOSYS;
}

/* Opens the file for locking. The descriptor is never 0, 1 or 2, where other code prints. */
static int open_to_lock(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || fd > 2) return fd;
    int higher = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    return higher;
}

/* Returns true if the path still names the locked file. A repair replaces the file. */
static bool still_there(const struct store *s)
{
    struct stat ours, there;
    return !fstat(s->lock_fd, &ours) && !stat(s->path, &there) && ours.st_ino == there.st_ino &&
           ours.st_dev == there.st_dev;
}

static bool cannot_write(const struct store *s, struct fail *fail)
{
    fail_plain(fail, "cannot write %s: %s", s->path, strerror(errno));
    fail_note(fail, errno == ENOENT ? "make the folder first, or name another folder"
                                    : "name a writable file");
    return false;
}

static bool cannot_lock(const struct store *s, int error, struct fail *fail)
{
    if (no_locks(error)) {
        fail_plain(fail, "the file system of %s has no locks: %s", s->path, strerror(error));
        fail_note(fail, "name a file on a local disk; corun merge merges databases");
    } else {
        fail_plain(fail, "another sweep writes to %s", s->path);
        fail_note(fail, "wait for the other sweep, or name another database");
    }
    return false;
}

/* Locks the database against other sweeps. Retries, because workers of a killed sweep hold the lock
 * until they die an instant later. */
static bool lock(struct store *s, struct fail *fail)
{
    for (u32 i = 0;; i++) {
        s->lock_fd = open_to_lock(s->path);
        if (s->lock_fd < 0) return cannot_write(s, fail);
        int error = flock(s->lock_fd, LOCK_EX | LOCK_NB) ? errno : 0;
        if (!error && still_there(s)) return true;
        if (no_locks(error) || i == LOCK_TRIES) return cannot_lock(s, error, fail);
        close(s->lock_fd);
        s->lock_fd = -1;
        nanosleep(&(struct timespec){0, LOCK_WAIT_NS}, NULL);
    }
}

bool store_create(struct store *s, const char *path, struct fail *fail)
{
    *s = (struct store){.path = path, .lock_fd = -1};
    return is_file(s, false, fail) && lock(s, fail) &&
           connect(s, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, fail) && check_whole(s, fail);
}

bool store_open_any(struct store *s, const char *path, struct fail *fail)
{
    *s = (struct store){.path = path, .lock_fd = -1};
    /* Opened for writing if possible: SQLite then rolls back a transaction of a killed sweep. */
    if (!is_file(s, true, fail)) return false;
    int flags = access(path, W_OK) ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    return connect(s, flags, fail) && check_whole(s, fail);
}

bool store_open(struct store *s, const char *path, struct fail *fail)
{
    if (!store_open_any(s, path, fail)) return false;
    if (s->fresh) {
        fail_plain(fail, "%s: the database is empty", s->path);
        fail_note(fail, "expected a database from corun sweep, %s", STORE_SCHEMA);
    }
    return !s->fresh;
}

void store_close(struct store *s)
{
    sqlite3_close(s->db);
    /* Last, because closing any descriptor of the file releases SQLite's locks. */
    if (s->lock_fd >= 0) close(s->lock_fd);
    *s = (struct store){.lock_fd = -1};
}

bool store_prepare(struct store *s, sqlite3_stmt **q, const char *sql, struct fail *fail)
{
    return sqlite3_prepare_v2(s->db, sql, -1, q, NULL) == SQLITE_OK || store_error(s, fail);
}

static void bind(sqlite3_stmt *q, int at, const char *value)
{
    if (value) sqlite3_bind_text(q, at, value, -1, SQLITE_TRANSIENT);
    else sqlite3_bind_null(q, at);
}

static void bind_limit(sqlite3_stmt *q, int at, u64 value)
{
    if (value) sqlite3_bind_int64(q, at, (sqlite3_int64)value);
    else sqlite3_bind_null(q, at);
}

/* Binds the description of a point: 4 columns from `at`. */
static void bind_point(sqlite3_stmt *q, int at, const struct store_run *r)
{
    bind(q, at, r->apps);
    bind(q, at + 1, r->policy);
    bind(q, at + 2, r->gpu);
    bind(q, at + 3, r->options);
}

/* Binds the description of a point and the end, seed and isolated runs: 9 columns from `at`. */
static void bind_inputs(sqlite3_stmt *q, int at, const struct store_run *r)
{
    bind_point(q, at, r);
    bind(q, at + 4, r->until);
    bind_limit(q, at + 5, r->cycle_limit);
    bind_limit(q, at + 6, r->instruction_goal);
    sqlite3_bind_int64(q, at + 7, (sqlite3_int64)r->seed);
    bind(q, at + 8, r->alone);
}

bool store_finish(struct store *s, sqlite3_stmt *q, struct fail *fail)
{
    bool ok = sqlite3_step(q) == SQLITE_DONE || store_error(s, fail);
    sqlite3_finalize(q);
    return ok;
}

static bool put_meta(struct store *s, const char *key, const char *value, struct fail *fail)
{
    sqlite3_stmt *q = NULL;
    if (!store_prepare(s, &q, "insert or replace into meta values(?, ?)", fail)) return false;
    bind(q, 1, key);
    bind(q, 2, value);
    return store_finish(s, q, fail);
}

bool store_note(struct store *s, const struct store_sweep *sweep, struct fail *fail)
{
    struct text points = {0}, sum = {0};
    text_add(&points, "%llu", (unsigned long long)sweep->points);
    bool ok = put_meta(s, "title", text_get(&sweep->title), fail) &&
              put_meta(s, "sweep", text_get(&sweep->key), fail) &&
              put_meta(s, "program", text_get(&sweep->program), fail) &&
              put_meta(s, "commit", text_get(&sweep->commit), fail) &&
              put_meta(s, "file", text_get(&sweep->file), fail) &&
              put_meta(s, "points", points.bytes, fail) && meta_sum(s, &sum, fail) &&
              put_meta(s, "checksum", sum.bytes, fail);
    text_free(&points);
    text_free(&sum);
    return ok;
}

static bool get_meta(struct store *s, const char *key, struct text *value, struct fail *fail)
{
    sqlite3_stmt *q = NULL;
    if (!store_prepare(s, &q, "select value from meta where key = ?", fail)) return false;
    bind(q, 1, key);
    int step = sqlite3_step(q);
    const char *text = step == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
    if (text) text_add(value, "%s", text);
    bool ok = step == SQLITE_ROW || step == SQLITE_DONE || store_error(s, fail);
    sqlite3_finalize(q);
    return ok;
}

bool store_noted(struct store *s, struct store_sweep *sweep, struct fail *fail)
{
    struct text points = {0};
    bool ok = get_meta(s, "title", &sweep->title, fail) &&
              get_meta(s, "sweep", &sweep->key, fail) &&
              get_meta(s, "program", &sweep->program, fail) &&
              get_meta(s, "commit", &sweep->commit, fail) &&
              get_meta(s, "file", &sweep->file, fail) &&
              get_meta(s, "points", &points, fail);
    sweep->points = strtoull(text_get(&points), NULL, 10);
    text_free(&points);
    return ok;
}

void store_sweep_free(struct store_sweep *sweep)
{
    text_free(&sweep->title);
    text_free(&sweep->key);
    text_free(&sweep->program);
    text_free(&sweep->commit);
    text_free(&sweep->file);
}

static sqlite3_int64 id_of(const struct store_run *r)
{
    u64 id = 0;
    for (const char *p = r->key; *p && p < r->key + 16; p++) {
        id = id << 4 | (u64)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
    }
    return store_id(id);
}

bool store_begin(struct store *s, struct fail *fail)
{
    return execute(s, "begin immediate", fail) && (!s->fresh || execute(s, store_tables, fail));
}

bool store_end(struct store *s, struct fail *fail)
{
    bool ok = execute(s, "commit", fail);
    s->fresh &= !ok;
    return ok;
}

/* Updates how the sweep file describes a point, and the sweep: different spellings may mean the
 * same point. */
static bool take_words(struct store *s, const struct store_run *r, struct fail *fail)
{
    static const char sql[] = "update run set position = ?, apps = ?, policy = ?, gpu = ?,"
                              " options = ?, sweep = ? where id = ?";
    sqlite3_stmt *q = NULL;
    if (!store_prepare(s, &q, sql, fail)) return false;
    sqlite3_bind_int64(q, 1, r->position);
    bind_point(q, 2, r);
    bind(q, 6, r->sweep);
    sqlite3_bind_int64(q, 7, id_of(r));
    return store_finish(s, q, fail);
}

static bool is(sqlite3_stmt *q, int column, const char *text)
{
    const char *here = (const char *)sqlite3_column_text(q, column);
    return here && !strcmp(here, text);
}

bool store_is_failed(const char *status)
{
    return status && (!strcmp(status, "failed") ||
                      !strcmp(status, sim_status_name(SIM_POLICY_FAILED)));
}

bool store_look(struct store *s, const struct store_run *r, struct store_state *state,
                struct fail *fail)
{
    sqlite3_stmt *q = NULL;
    static const char sql[] = "select program, status, position, apps, policy, gpu, options,"
                              " sweep from run where id = ? and key = ?";
    *state = (struct store_state){0};
    if (!store_prepare(s, &q, sql, fail)) return false;
    sqlite3_bind_int64(q, 1, id_of(r));
    bind(q, 2, r->key);
    int step = sqlite3_step(q);
    bool same = true;
    if (step == SQLITE_ROW) {
        if (is(q, 0, r->program) && !store_verify(s, id_of(r), &state->made, fail)) {
            sqlite3_finalize(q);
            return false;
        }
        state->damaged = is(q, 0, r->program) && !state->made;
        state->failed = store_is_failed((const char *)sqlite3_column_text(q, 1));
        state->abnormal = !state->failed && !is(q, 1, "completed");
        same = sqlite3_column_int64(q, 2) == r->position && is(q, 3, r->apps) &&
               is(q, 4, r->policy) && is(q, 5, r->gpu) && is(q, 6, r->options) &&
               is(q, 7, r->sweep);
    }
    bool ok = step == SQLITE_ROW || step == SQLITE_DONE || store_error(s, fail);
    sqlite3_finalize(q);
    if (same || !state->made || s->lock_fd < 0) return ok;
    return ok && take_words(s, r, fail) && store_sign(s, id_of(r), fail);
}

bool store_speed(struct store *s, u32 *runs, double *seconds, struct fail *fail)
{
    sqlite3_stmt *q = NULL;
    if (!store_prepare(s, &q, "select count(*), avg(seconds) from host", fail)) return false;
    bool ok = sqlite3_step(q) == SQLITE_ROW || store_error(s, fail);
    *runs = (u32)sqlite3_column_int64(q, 0);
    *seconds = sqlite3_column_double(q, 1);
    sqlite3_finalize(q);
    return ok;
}

bool store_peek(const char *path, u32 *runs)
{
    struct store s = {.path = path, .lock_fd = -1};
    struct fail fail = {0};
    double seconds;
    bool ok = connect(&s, SQLITE_OPEN_READONLY, &fail) && store_speed(&s, runs, &seconds, &fail);
    store_close(&s);
    fail_free(&fail);
    return ok;
}

/* ---- one run ---- */

static json_t *get(const json_t *object, enum result_key key)
{
    return json_object_get(object, key_name(key));
}

struct put {
    struct store *s;
    struct fail *fail;
    sqlite3_int64 id;
    sqlite3_stmt *stat;      /* prepared statement for inserting a number */
};

static bool put_number(struct put *p, int app, const char *key, const json_t *value)
{
    sqlite3_stmt *q = p->stat;
    sqlite3_reset(q);
    sqlite3_bind_int64(q, 1, p->id);
    if (app < 0) sqlite3_bind_null(q, 2);
    else sqlite3_bind_int(q, 2, app);
    bind(q, 3, key);
    if (json_is_integer(value)) sqlite3_bind_int64(q, 4, json_integer_value(value));
    else if (json_is_real(value)) sqlite3_bind_double(q, 4, json_real_value(value));
    else if (json_is_boolean(value)) sqlite3_bind_int(q, 4, json_is_true(value));
    else if (json_is_null(value)) sqlite3_bind_null(q, 4);
    else return true; /* not a number */
    return sqlite3_step(q) == SQLITE_DONE || store_error(p->s, p->fail);
}

/* Stores a text of the whole GPU; nothing if `text` is not a text. */
static bool put_text(struct put *p, const char *key, const json_t *text)
{
    sqlite3_stmt *q = p->stat;
    if (!json_is_string(text)) return true;
    sqlite3_reset(q);
    sqlite3_bind_int64(q, 1, p->id);
    sqlite3_bind_null(q, 2);
    bind(q, 3, key);
    bind(q, 4, json_string_value(text));
    return sqlite3_step(q) == SQLITE_DONE || store_error(p->s, p->fail);
}

/* Stores every number of a JSON object; `before` is a prefix of the keys. */
static bool put_numbers(struct put *p, int app, const char *before, json_t *object)
{
    const char *key;
    json_t *value;
    bool ok = true;
    json_object_foreach(object, key, value) {
        struct text name = {0};
        text_add(&name, "%s%s", before, key);
        if (ok) ok = put_number(p, app, name.bytes, value);
        text_free(&name);
    }
    return ok;
}

/* Stores the numbers of a part of an app (`by`): the keys begin with the name of the part, as in
 * "launch 3/inst.warp". */
static bool put_part(struct put *p, int i, json_t *part)
{
    struct text before = {0};
    text_add(&before, "%s/", json_string_value(get(part, KEY_part_name)));
    bool ok = put_numbers(p, i, before.bytes, part) &&
              put_numbers(p, i, before.bytes, get(part, KEY_part_stats));
    text_free(&before);
    return ok;
}

static bool put_app(struct put *p, int i, json_t *app)
{
    json_t *part;
    size_t k;
    bool ok = true;
    json_array_foreach(get(app, KEY_app_parts), k, part) ok = ok && put_part(p, i, part);
    if (!ok) return false;
    sqlite3_stmt *q = NULL;
    if (!store_prepare(p->s, &q, "insert into app values(?, ?, ?, ?)", p->fail)) return false;
    sqlite3_bind_int64(q, 1, p->id);
    sqlite3_bind_int(q, 2, i);
    bind(q, 3, json_string_value(get(app, KEY_app_name)));
    bind(q, 4, json_string_value(get(app, KEY_app_spec)));
    /* An object, or null if isolated runs are skipped; neither is a number. */
    json_object_del(app, key_name(KEY_app_alone));
    return store_finish(p->s, q, p->fail) && put_numbers(p, i, "", app) &&
           put_numbers(p, i, "", get(app, KEY_app_stats)) &&
           put_numbers(p, i, "requests.", get(app, KEY_app_requests));
}

static bool put_policies(struct put *p, json_t *policies)
{
    const char *name;
    json_t *stats;
    bool ok = true;
    json_object_foreach(policies, name, stats) {
        struct text before = {0};
        text_add(&before, "policy.%s.", name);
        if (ok) ok = put_numbers(p, -1, before.bytes, stats);
        text_add(&before, "%s", key_name(KEY_oracle_chosen));
        if (ok) ok = put_text(p, before.bytes, get(stats, KEY_oracle_chosen));
        json_t *blocks = get(stats, KEY_mechanism_blocks_per_sm);
        for (size_t i = 0; ok && i < json_array_size(blocks); i++) {
            ok = put_number(p, (int)i, key_name(KEY_mechanism_blocks_per_sm),
                            json_array_get(blocks, i));
        }
        text_free(&before);
    }
    return ok;
}

static bool put_result(struct put *p, json_t *result)
{
    json_t *apps = get(result, KEY_result_apps);
    const char *sql = "insert into stat values(?, ?, ?, ?)";
    if (!store_prepare(p->s, &p->stat, sql, p->fail)) return false;
    bool ok = put_number(p, -1, key_name(KEY_result_cycles), get(result, KEY_result_cycles)) &&
              put_numbers(p, -1, "", get(result, KEY_result_metrics)) &&
              put_numbers(p, -1, "", get(result, KEY_result_stats)) &&
              put_policies(p, get(result, KEY_result_policy_stats));
    for (size_t i = 0; ok && i < json_array_size(apps); i++) {
        ok = put_app(p, (int)i, json_array_get(apps, i));
    }
    sqlite3_finalize(p->stat);
    return ok;
}

static bool put_run(struct put *p, const struct store_run *r, json_t *result, const char *status,
                    const char *reason)
{
    static const char sql[] = "insert into run values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'')";
    sqlite3_stmt *q = NULL;
    if (!store_prepare(p->s, &q, sql, p->fail)) return false;
    const json_t *cycles = get(result, KEY_result_cycles);
    sqlite3_bind_int64(q, 1, p->id);
    bind(q, 2, r->key);
    bind(q, 3, r->program);
    sqlite3_bind_int64(q, 4, r->position);
    bind_inputs(q, 5, r);
    bind(q, 14, status);
    bind(q, 15, reason);
    if (cycles) sqlite3_bind_int64(q, 16, json_integer_value(cycles));
    bind(q, 17, json_string_value(get(result, KEY_result_input_hash)));
    bind(q, 18, CORUN_VERSION);
    bind(q, 19, r->sweep);
    return store_finish(p->s, q, p->fail);
}

static bool put_host(struct put *p, json_t *result, double seconds)
{
    json_t *host = get(result, KEY_result_host);
    sqlite3_stmt *q = NULL;
    const char *sql = "insert into host values(?, ?, ?, ?, ?, ?)";
    if (!store_prepare(p->s, &q, sql, p->fail)) return false;
    static const enum result_key keys[] = {KEY_host_warp_instructions_per_second,
                                           KEY_host_cycles_per_second, KEY_host_peak_rss_bytes};
    sqlite3_bind_int64(q, 1, p->id);
    sqlite3_bind_double(q, 2, seconds);
    sqlite3_bind_int64(q, 3, (sqlite3_int64)time(NULL));
    for (int i = 0; i < 3; i++) {
        const json_t *v = get(host, keys[i]);
        if (json_is_integer(v)) sqlite3_bind_int64(q, 4 + i, json_integer_value(v));
        else if (json_is_number(v)) sqlite3_bind_double(q, 4 + i, json_number_value(v));
    }
    return store_finish(p->s, q, p->fail);
}

/* Tables with rows of a run; table `run` is last, after all tables with references to it. */
static const struct part {
    const char *table, *column, *order;
} parts[] = {
    {"stat", "run", "rowid"}, {"app", "run", "app"}, {"host", "run", "run"}, {"run", "id", "id"}};

bool store_forget(struct store *s, s64 id, struct fail *fail)
{
    for (u32 i = 0; i < COUNT_OF(parts); i++) {
        struct text sql = {0};
        sqlite3_stmt *q = NULL;
        text_add(&sql, "delete from %s where %s = ?", parts[i].table, parts[i].column);
        bool ok = store_prepare(s, &q, sql.bytes, fail);
        text_free(&sql);
        if (!ok) return false;
        sqlite3_bind_int64(q, 1, id);
        if (!store_finish(s, q, fail)) return false;
    }
    return true;
}

/* Deletes earlier runs of the point: a run with the same key, or with the same description from
 * another corun or from files that have changed. */
static bool forget_point(struct put *p, const struct store_run *r)
{
    static const char sql[] =
        "select id from run where id = ?1 or (apps = ?2 and policy = ?3 and gpu = ?4 and"
        " options = ?5 and until = ?6 and cycle_limit is ?7 and instruction_goal is ?8 and"
        " seed = ?9 and alone = ?10)";
    for (;;) {
        sqlite3_stmt *q = NULL;
        if (!store_prepare(p->s, &q, sql, p->fail)) return false;
        sqlite3_bind_int64(q, 1, p->id);
        bind_inputs(q, 2, r);
        int step = sqlite3_step(q);
        sqlite3_int64 id = sqlite3_column_int64(q, 0);
        bool ok = step == SQLITE_ROW || step == SQLITE_DONE || store_error(p->s, p->fail);
        sqlite3_finalize(q);
        if (!ok || step == SQLITE_DONE) return ok;
        if (!store_forget(p->s, id, p->fail)) return false;
        if (!sqlite3_changes(p->s->db)) {
            fail_plain(p->fail, "%s is damaged: a run cannot be deleted", p->s->path);
            return false;
        }
    }
}

/* Returns the error of the simulated machine in the result, or NULL. */
static const char *trouble(json_t *result)
{
    return json_string_value(get(get(result, KEY_result_fault), KEY_fault_what));
}

bool store_copy_rows(struct store *to, sqlite3_stmt *get, const char *insert, int *step,
                     struct fail *fail)
{
    struct text sql = {0};
    sqlite3_stmt *put = NULL;
    int n = sqlite3_column_count(get);
    text_add(&sql, "%s values(?", insert);
    for (int i = 1; i < n; i++) text_add(&sql, ", ?");
    text_add(&sql, ")");
    bool ok = store_prepare(to, &put, sql.bytes, fail);
    while (ok && (*step = sqlite3_step(get)) == SQLITE_ROW) {
        sqlite3_reset(put);
        for (int i = 0; i < n; i++) sqlite3_bind_value(put, i + 1, sqlite3_column_value(get, i));
        ok = sqlite3_step(put) == SQLITE_DONE || store_error(to, fail);
    }
    sqlite3_finalize(put);
    text_free(&sql);
    return ok;
}

static bool copy_rows(struct store *to, struct store *from, const struct part *part, s64 id,
                      struct fail *fail)
{
    struct text select = {0}, insert = {0};
    sqlite3_stmt *get = NULL;
    int step = SQLITE_DONE;
    text_add(&select, "select * from %s where %s = ? order by %s", part->table, part->column,
             part->order);
    text_add(&insert, "insert into %s", part->table);
    bool ok = store_prepare(from, &get, select.bytes, fail);
    if (ok) sqlite3_bind_int64(get, 1, id);
    ok = ok && store_copy_rows(to, get, insert.bytes, &step, fail) &&
         (step == SQLITE_DONE || store_error(from, fail));
    sqlite3_finalize(get);
    text_free(&select);
    text_free(&insert);
    return ok;
}

/* Deletes the runs in `to` that describe the same point as the run in `from`. */
static bool forget_same(struct store *to, struct store *from, s64 id, struct fail *fail)
{
    static const char sql[] = "select key, apps, policy, gpu, options, until, alone, cycle_limit,"
                              " instruction_goal, seed from run where id = ?";
    struct put p = {to, fail, id, NULL};
    sqlite3_stmt *q = NULL;
    if (!store_prepare(from, &q, sql, fail)) return false;
    sqlite3_bind_int64(q, 1, id);
    const char *words[7] = {NULL};
    bool ok = sqlite3_step(q) == SQLITE_ROW || store_error(from, fail);
    for (int i = 0; ok && i < 7; i++) words[i] = (const char *)sqlite3_column_text(q, i);
    const struct store_run r = {
        .key = words[0], .apps = words[1], .policy = words[2], .gpu = words[3],
        .options = words[4], .until = words[5], .alone = words[6],
        .cycle_limit = (u64)sqlite3_column_int64(q, 7),
        .instruction_goal = (u64)sqlite3_column_int64(q, 8),
        .seed = (u64)sqlite3_column_int64(q, 9)};
    ok = ok && forget_point(&p, &r);
    sqlite3_finalize(q);
    return ok;
}

bool store_copy(struct store *to, struct store *from, s64 id, struct fail *fail)
{
    if (!forget_same(to, from, id, fail)) return false;
    for (u32 i = COUNT_OF(parts); i--;) {
        if (!copy_rows(to, from, &parts[i], id, fail)) return false;
    }
    return true;
}

bool store_put(struct store *s, const struct store_run *r, const struct text *text,
               const char *reason, double seconds, const char **status, struct fail *fail)
{
    static const char *const known[] = {
#define CHOICE(id, word, sentence) word,
#include "run/sim/status.def"
#undef CHOICE
    };
    struct put p = {s, fail, id_of(r), NULL};
    json_t *result = text ? json_loadb(text->bytes, text->size, 0, NULL) : NULL;
    const char *is = json_string_value(get(result, KEY_result_status));
    for (u32 i = 0; is && i < COUNT_OF(known); i++) {
        if (!strcmp(known[i], is)) *status = known[i];
    }
    if (!result && !reason) reason = "the result could not be read";
    bool ok = execute(s, "begin immediate", fail) && forget_point(&p, r) &&
              put_run(&p, r, result, *status, result ? trouble(result) : reason) &&
              (!result || put_result(&p, result)) && put_host(&p, result, seconds) &&
              store_sign(s, p.id, fail) && execute(s, "commit", fail);
    if (!ok) sqlite3_exec(s->db, "rollback", NULL, NULL, NULL);
    json_decref(result);
    return ok;
}
