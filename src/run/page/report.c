#include "run/page/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/sweep/integrity.h"

static const char *keep(struct report *r, const char *text)
{
    return arena_text(&r->arena, text ? text : "", text ? strlen(text) : 0);
}

static const char *column(struct report *r, sqlite3_stmt *q, int i)
{
    return keep(r, (const char *)sqlite3_column_text(q, i));
}

static void add_limit(struct text *t, sqlite3_int64 limit, const char *of)
{
    char digits[TEXT_NUMBER], room[TEXT_NUMBER];
    if (!limit) return;
    snprintf(digits, sizeof digits, "%lld", (long long)limit);
    text_add(t, ", %s %s", text_grouped(digits, room), of);
}

/* Returns the name of a run's setting: "maxwell16 with l1.ways=8, until window, 20,000 cycles". */
static const char *setting_of(struct report *r, sqlite3_stmt *q)
{
    struct text t = {0};
    const char *options = column(r, q, 3), *alone = column(r, q, 8);
    text_add(&t, "%s%s%s, until %s", column(r, q, 2), options[0] ? " with " : "", options,
             column(r, q, 4));
    add_limit(&t, sqlite3_column_int64(q, 5), "cycles");
    add_limit(&t, sqlite3_column_int64(q, 6), "instructions");
    if (!strcmp(alone, "share")) text_add(&t, ", isolated runs on a share");
    if (!strcmp(alone, "skip")) text_add(&t, ", no isolated runs");
    const char *name = keep(r, t.bytes);
    text_free(&t);
    return name;
}

struct ask {
    struct report *r;
    struct store *s;
    struct audit audit;
    sqlite3_stmt *runs, *metric, *np, *chosen;
};

static void load_numbers(struct ask *a, sqlite3_int64 id, struct report_run *run)
{
    run->metrics = arena_array(&a->r->arena, double, metric_row_n);
    for (u32 i = 0; i < metric_row_n; i++) {
        sqlite3_reset(a->metric);
        sqlite3_bind_int64(a->metric, 1, id);
        sqlite3_bind_text(a->metric, 2, metric_rows[i].name, -1, SQLITE_STATIC);
        bool known = sqlite3_step(a->metric) == SQLITE_ROW &&
                     sqlite3_column_type(a->metric, 0) != SQLITE_NULL;
        run->metrics[i] = known ? sqlite3_column_double(a->metric, 0) : (double)NAN;
    }
    sqlite3_reset(a->chosen);
    sqlite3_bind_int64(a->chosen, 1, id);
    run->chosen = sqlite3_step(a->chosen) == SQLITE_ROW ? column(a->r, a->chosen, 0) : "";
    sqlite3_reset(a->np);
    sqlite3_bind_int64(a->np, 1, id);
    while (run->app_n < APPS_MAX && sqlite3_step(a->np) == SQLITE_ROW) {
        bool known = sqlite3_column_type(a->np, 0) != SQLITE_NULL;
        run->np[run->app_n++] = known ? sqlite3_column_double(a->np, 0) : (double)NAN;
    }
}

static bool load_runs(struct ask *a, struct fail *fail)
{
    struct report *r = a->r;
    int step;
    while ((step = sqlite3_step(a->runs)) == SQLITE_ROW) {
        if (audit_has(&a->audit, sqlite3_column_int64(a->runs, 12))) continue;
        r->done_n += sqlite3_column_int(a->runs, 13) != 0;
        struct report_run *run = base_push(r->runs, r->run_n, r->run_room);
        sqlite3_stmt *q = a->runs;
        *run = (struct report_run){
            .apps = column(r, q, 0), .policy = column(r, q, 1), .setting = setting_of(r, q),
            .seed = (u64)sqlite3_column_int64(q, 7), .status = column(r, q, 9),
            .reason = column(r, q, 10), .cycles = (u64)sqlite3_column_int64(q, 11)};
        load_numbers(a, sqlite3_column_int64(q, 12), run);
    }
    return step == SQLITE_DONE || store_error(a->s, fail);
}

/* ---- sets: a set is a list of apps with a seed ---- */

static struct report_setting *setting_for(struct report *r, const struct report_run *run)
{
    for (u32 i = 0; i < r->setting_n; i++) {
        if (!strcmp(r->settings[i].name, run->setting)) return &r->settings[i];
    }
    struct report_setting *s = base_push(r->settings, r->setting_n, r->setting_room);
    *s = (struct report_setting){.name = run->setting};
    return s;
}

static u32 policy_for(struct report *r, struct report_setting *s, const char *policy)
{
    u32 i = 0;
    while (i < s->policy_n && strcmp(s->policies[i], policy)) i++;
    if (i < s->policy_n) return i;
    *arena_push(&r->arena, s->policies, s->policy_n, s->policy_room) = policy;
    return i;
}

static int by_set(const void *a, const void *b)
{
    const struct report_run *x = *(const struct report_run *const *)a;
    const struct report_run *y = *(const struct report_run *const *)b;
    int order = strcmp(x->setting, y->setting);
    if (!order) order = strcmp(x->apps, y->apps);
    if (!order) order = (x->seed > y->seed) - (x->seed < y->seed);
    return order ? order : (x > y) - (x < y);
}

/* Numbers the sets of each setting, and its policies, in the order of the sweep file. */
static void number_sets(struct report *r)
{
    struct report_run **sorted = base_alloc((r->run_n + 1) * sizeof *sorted);
    u32 *first = base_alloc((r->run_n + 1) * sizeof *first); /* [run] first run of the same set */
    for (u32 i = 0; i < r->run_n; i++) sorted[i] = &r->runs[i];
    qsort(sorted, r->run_n, sizeof *sorted, by_set);
    for (u32 i = 0; i < r->run_n; i++) {
        u32 own = (u32)(sorted[i] - r->runs), before = i ? (u32)(sorted[i - 1] - r->runs) : 0;
        bool same = i && !strcmp(r->runs[own].setting, r->runs[before].setting) &&
                    !strcmp(r->runs[own].apps, r->runs[before].apps) &&
                    r->runs[own].seed == r->runs[before].seed;
        first[own] = same ? first[before] : own;
    }
    for (u32 i = 0; i < r->run_n; i++) {
        struct report_setting *s = setting_for(r, &r->runs[i]);
        r->runs[i].set = first[i] == i ? s->set_n++ : r->runs[first[i]].set;
        policy_for(r, s, r->runs[i].policy);
    }
    free(sorted);
    free(first);
}

static void place_runs(struct report *r)
{
    number_sets(r);
    for (u32 i = 0; i < r->setting_n; i++) {
        struct report_setting *s = &r->settings[i];
        s->runs = arena_array(&r->arena, const struct report_run *, s->set_n * s->policy_n);
    }
    for (u32 i = 0; i < r->run_n; i++) {
        const struct report_run *run = &r->runs[i];
        struct report_setting *s = setting_for(r, run);
        s->runs[run->set * s->policy_n + policy_for(r, s, run->policy)] = run;
    }
}

static bool has(const struct report_setting *s, u32 set, u32 policy, u32 metric)
{
    const struct report_run *run = s->runs[set * s->policy_n + policy];
    return run && run->metrics[metric] > 0;
}

u64 report_seed(const struct report_setting *s, u32 set)
{
    u32 p = 0;
    while (!s->runs[set * s->policy_n + p]) p++; /* a set has a run */
    return s->runs[set * s->policy_n + p]->seed;
}

/* `seed` NULL: sets of all seeds. */
static double mean_of(const struct report_setting *s, u32 policy, u32 metric, const u64 *seed,
                      u32 *n)
{
    bool *counts = base_alloc(s->policy_n * sizeof *counts); /* [policy] has the metric in a set */
    double sum = 0;
    *n = 0;
    for (u32 p = 0; p < s->set_n; p++) {
        for (u32 i = 0; i < s->policy_n; i++) counts[i] |= has(s, p, i, metric);
    }
    for (u32 p = 0; p < s->set_n; p++) {
        const struct report_run *const *row = &s->runs[p * s->policy_n];
        bool all = counts[policy] && (!seed || report_seed(s, p) == *seed);
        for (u32 i = 0; i < s->policy_n; i++) all &= !counts[i] || has(s, p, i, metric);
        if (!all) continue;
        sum += log(row[policy]->metrics[metric]);
        *n += 1;
    }
    free(counts);
    return *n ? exp(sum / *n) : (double)NAN;
}

double report_mean(const struct report_setting *s, u32 policy, u32 metric, u32 *n)
{
    return mean_of(s, policy, metric, NULL, n);
}

double report_seed_mean(const struct report_setting *s, u32 policy, u32 metric, u64 seed)
{
    u32 n;
    return mean_of(s, policy, metric, &seed, &n);
}

/* Returns the result of a query for a single value; "": error, no row or NULL. */
static const char *ask_word(struct ask *a, const char *sql)
{
    sqlite3_stmt *q = NULL;
    bool found = !sqlite3_prepare_v2(a->s->db, sql, -1, &q, NULL) && sqlite3_step(q) == SQLITE_ROW;
    const char *word = found ? column(a->r, q, 0) : "";
    sqlite3_finalize(q);
    return word;
}

/* Loads the description of the sweep and of its execution. */
static void load_head(struct ask *a)
{
    struct report *r = a->r;
    r->database = keep(r, a->s->path);
    r->title = ask_word(a, "select value from meta where key = 'title'");
    r->file = ask_word(a, "select value from meta where key = 'file'");
    r->commit = ask_word(a, "select value from meta where key = 'commit'");
    r->first_day = ask_word(a, "select date(min(ended_at), 'unixepoch') from host");
    r->last_day = ask_word(a, "select date(max(ended_at), 'unixepoch') from host");
    r->point_n = (u32)atoi(ask_word(a, "select value from meta where key = 'points'"));
    r->program_n = (u32)atoi(ask_word(a, "select count(distinct program) from run"));
}

bool report_load(struct report *r, struct store *s, struct text *damaged, struct fail *fail)
{
    static const char runs[] =
        "select apps, policy, gpu, options, until, cycle_limit, instruction_goal, seed, alone,"
        " status, reason, cycles, id, sweep is (select value from meta where key = 'sweep')"
        " from run order by position, id";
    static const char metric[] =
        "select value from stat where run = ? and app is null and key = ?";
    static const char np[] =
        "select value from stat where run = ? and app is not null and key = 'normalized_ipc'"
        " order by app";
    static const char chosen[] =
        "select value from stat where run = ? and app is null and key = 'policy.oracle.chosen'";
    *r = (struct report){0};
    arena_init(&r->arena);
    r->arena.what = "the points of the database";
    struct ask a = {.r = r, .s = s};
    load_head(&a);
    bool ok = (!sqlite3_prepare_v2(s->db, runs, -1, &a.runs, NULL) &&
               !sqlite3_prepare_v2(s->db, metric, -1, &a.metric, NULL) &&
               !sqlite3_prepare_v2(s->db, chosen, -1, &a.chosen, NULL) &&
               !sqlite3_prepare_v2(s->db, np, -1, &a.np, NULL)) || store_error(s, fail);
    ok = ok && audit_store(&a.audit, s, fail) && load_runs(&a, fail);
    r->damaged_n = a.audit.damaged_n;
    for (u32 i = 0; i < a.audit.damaged_n; i++) {
        text_add(damaged, "%s\n", a.audit.damaged[i].name.bytes);
    }
    audit_free(&a.audit);
    sqlite3_finalize(a.runs);
    sqlite3_finalize(a.metric);
    sqlite3_finalize(a.np);
    sqlite3_finalize(a.chosen);
    if (ok) place_runs(r);
    return ok;
}

u32 report_missing(const struct report *r)
{
    return r->point_n > r->done_n ? r->point_n - r->done_n : 0;
}

void report_free(struct report *r)
{
    free(r->runs);
    free(r->settings);
    arena_free(&r->arena);
    *r = (struct report){0};
}
