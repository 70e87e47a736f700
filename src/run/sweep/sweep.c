#include "run/sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/version.h"
#include "run/io/hasher.h"
#include "run/sim/key.h"
#include "run/sweep/outcome.h"
#include "run/sweep/integrity.h"
#include "run/result/result.h"
#include "run/jobs/interrupt.h"
#include "run/jobs/seconds.h"
#include "run/jobs/worker.h"

enum { WAIT_MS = 200 };

struct point {
    const struct sweep_apps *apps;
    const char *policy;      /* leftover for an isolated run */
    const struct sweep_machine *machine;
    const struct sweep_rule *rule;
    u64 seed, key[2];
    u32 position;
    u32 rank;                /* in the order of keys; determines the shard */
    u32 needs[APPS_MAX];     /* isolated runs: index in `alone` plus 1; 0: none */
    bool started, done;
};

struct sweep {
    const struct sweep_setup *setup;
    struct sweep_file file;
    struct store store;
    struct sweep_count *count;
    struct fail *fail;
    struct point *points, *alone;  /* alone: `apps` points into `solo` */
    struct sweep_apps *solo;
    u32 point_n, point_room, alone_n;
    u32 first, first_alone;        /* points, isolated runs before these are started */
    struct store_sweep noted;      /* properties shared by all databases of the sweep */
    bool no_cache;                 /* isolated runs cannot be stored in the cache */
    double started;
    /* Total duration and number: of points, of isolated runs. */
    struct mean { double seconds; u32 n; } mean[2];
    struct warnings warnings;      /* already reported */
};

static struct sim_setup sim_setup_of(const struct sweep *s, const struct point *p)
{
    return (struct sim_setup){.gpu = &p->machine->gpu, .policy = p->policy, .apps = p->apps->specs,
                              .app_n = p->apps->n, .until = p->rule->until,
                              .cycles = p->rule->cycles, .instructions = p->rule->instructions,
                              .seed = p->seed, .by = s->file.by, .skip = s->setup->skip,
                              .host_seconds = HOST_SECONDS, .program_ptx = s->setup->ptx,
                              .app_folder = s->setup->folder};
}

/* ---- list of points ---- */

static void add_point(struct sweep *s, const struct point *p)
{
    u32 position = s->point_n;
    struct point *last = base_push(s->points, s->point_n, s->point_room);
    *last = *p;
    last->position = position;
}

/* Adds all points of one set of apps and one seed. The inputs are opened once. */
static bool plan_apps(struct sweep *s, const struct sweep_apps *apps, u64 seed,
                      const struct mechanisms *policies)
{
    struct input_set inputs;
    bool ok = input_set_open(&inputs, apps->specs, apps->n, &(struct input_rules){.seed = seed},
                             s->fail);
    input_set_choose_ptx(&inputs, s->setup->ptx);
    const struct sweep_file *f = &s->file;
    for (u32 m = 0; ok && m < f->machine_n; m++) {
        for (u32 r = 0; r < f->rule_n; r++) {
            for (u32 i = 0; i < f->policy_n; i++) {
                struct point p = {.apps = apps, .policy = f->policies[i].text,
                                  .machine = &f->machines[m], .rule = &f->rules[r], .seed = seed};
                struct sim_setup sim = sim_setup_of(s, &p);
                u64 run[2];
                key_of_run(run, &sim, &inputs, &policies[i]);
                key_of_point(p.key, run, f->from, f->on, f->by);
                add_point(s, &p);
            }
        }
    }
    input_set_free(&inputs);
    return ok;
}

/* Allocates the points. Returns false if out of memory. */
static bool points_fit(struct sweep *s)
{
    u32 n = (u32)sweep_file_points(&s->file); /* at most SWEEP_POINTS_MAX */
    s->points = calloc(n + 1, sizeof *s->points);
    s->point_room = s->points ? n + 1 : 0;
    if (s->points) return true;
    fail_plain(s->fail, "%s has %u points: no memory for them (%zu MiB wanted)", s->setup->path,
               n, n * sizeof *s->points >> 20);
    fail_note(s->fail, "split the sweep into several files");
    return false;
}

static bool plan_points(struct sweep *s)
{
    const struct sweep_file *f = &s->file;
    if (!points_fit(s)) return false;
    struct mechanisms *policies = base_alloc(f->policy_n * sizeof *policies);
    bool ok = true;
    for (u32 i = 0; i < f->policy_n; i++) {
        ok &= mechanisms_parse(&policies[i], f->policies[i].text, s->fail);
    }
    for (u32 a = 0; ok && a < f->app_n; a++) {
        for (u32 k = 0; ok && k < f->seed_n; k++) {
            ok = plan_apps(s, &f->apps[a], f->seeds[k], policies);
        }
    }
    for (u32 i = 0; i < f->policy_n; i++) mechanisms_free(&policies[i]);
    free(policies);
    return ok;
}

static struct store_run describe(const struct sweep *s, const struct point *p, struct text *key,
                                 struct text *apps)
{
    hash_show(p->key, key);
    sweep_apps_show(p->apps, apps);
    return (struct store_run){
        .key = key->bytes, .program = text_get(&s->noted.program),
        .sweep = text_get(&s->noted.key), .position = p->position,
        .apps = apps->bytes, .policy = p->policy, .gpu = p->machine->gpu.name,
        .options = p->machine->options, .until = until_name(p->rule->until),
        .alone = s->file.from == ALONE_SKIP ? "skip" : alone_on_name(s->file.on),
        .cycle_limit = p->rule->cycles, .instruction_goal = p->rule->instructions,
        .seed = p->seed};
}

static int by_key(const void *a, const void *b)
{
    const struct point *x = *(const struct point *const *)a, *y = *(const struct point *const *)b;
    int order = memcmp(x->key, y->key, sizeof x->key);
    return order ? order : (x->position > y->position) - (x->position < y->position);
}

/* Returns true if the selected shard contains the item with the given rank. */
static bool in_shard(const struct sweep *s, u32 rank)
{
    const struct sweep_shard *shard = &s->setup->shard;
    u32 part = shard->parts ? rank % shard->parts + 1 : shard->first;
    return part >= shard->first && part <= shard->last;
}

/* Selects the points to run. Of duplicate points, the first is run. Shards get points in turn in
 * the order of keys: slow points spread over all shards, and the assignment depends only on the
 * sweep. */
static void choose_points(struct sweep *s)
{
    struct point **sorted = base_alloc((s->point_n + 1) * sizeof *sorted);
    struct sweep_count *n = s->count;
    for (u32 i = 0; i < s->point_n; i++) sorted[i] = &s->points[i];
    qsort(sorted, s->point_n, sizeof *sorted, by_key);
    for (u32 i = 0; i < s->point_n; i++) {
        bool same = i && !memcmp(sorted[i]->key, sorted[i - 1]->key, sizeof sorted[i]->key);
        bool ours = !same && (s->setup->isolated_only || in_shard(s, n->all));
        sorted[i]->started = sorted[i]->done = !ours;
        sorted[i]->rank = n->all;
        n->points += ours;
        n->all += !same;
        n->duplicates += same;
    }
    free(sorted);
}

/* Computes the key of the sweep, equal for all shards. */
static void name_sweep(struct sweep *s)
{
    struct hasher h;
    u64 key[2];
    hasher_start(&h);
    hasher_text(&h, s->file.title);
    for (u32 i = 0; i < s->point_n; i++) {
        hasher_number(&h, s->points[i].key[0]);
        hasher_number(&h, s->points[i].key[1]);
    }
    hasher_end(&h, key);
    hash_show(key, &s->noted.key);
    text_add(&s->noted.title, "%s", s->file.title);
    text_add(&s->noted.commit, "%s", version_commit);
    text_add(&s->noted.file, "%s", s->setup->path);
    s->noted.points = s->count->all;
}

static void __attribute__((format(printf, 2, 3))) say(struct sweep *s, const char *format, ...)
{
    struct text t = {0};
    va_list args;
    va_start(args, format);
    text_addv(&t, format, args);
    va_end(args);
    if (s->setup->watch) s->setup->watch->say(s->setup->watch, t.bytes);
    text_free(&t);
}

static void tell_damaged(struct sweep *s, const struct store_run *r)
{
    s->count->damaged++;
    if (s->setup->verify || !s->setup->watch) return; /* --verify lists all damaged runs */
    s->setup->watch->trouble(s->setup->watch, r, "damaged in the database, run again", "");
}

/* Looks a point up in a database; a point found there is not run. */
static bool look_at(struct sweep *s, struct store *store, struct point *p,
                    struct store_state *state)
{
    struct text key = {0}, apps = {0};
    struct store_run r = describe(s, p, &key, &apps);
    bool ok = store_look(store, &r, state, s->fail);
    if (ok && state->damaged) tell_damaged(s, &r);
    state->made = ok && state->made && !(state->failed && s->setup->retry);
    if (state->made) p->started = p->done = true;
    text_free(&key);
    text_free(&apps);
    return ok;
}

static bool look_at_points(struct sweep *s)
{
    bool ok = true;
    for (u32 i = 0; ok && i < s->point_n; i++) {
        struct store_state state;
        if (s->points[i].done) continue;
        ok = look_at(s, &s->store, &s->points[i], &state);
        s->count->there += state.made;
        s->count->failed += state.made && state.failed;
        s->count->abnormal += state.made && state.abnormal;
    }
    return ok;
}

static bool look_at_all(struct sweep *s)
{
    return store_begin(&s->store, s->fail) && require_no_orphans(&s->store, s->fail) &&
           store_note(&s->store, &s->noted, s->fail) && look_at_points(s) &&
           store_end(&s->store, s->fail);
}

/* Excludes points contained in the database `known`. */
static bool look_at_known(struct sweep *s)
{
    struct store known;
    if (!s->setup->known) return true;
    bool ok = store_open(&known, s->setup->known, s->fail);
    for (u32 i = 0; ok && i < s->point_n; i++) {
        struct store_state state;
        if (s->points[i].done) continue;
        ok = look_at(s, &known, &s->points[i], &state);
        s->count->points -= state.made;
    }
    store_close(&known);
    return ok;
}

/* ---- isolated runs of the points ---- */

static int by_alone(const struct point *x, const struct point *y)
{
    int order = strcmp(x->apps->specs[0], y->apps->specs[0]);
    if (order) return order;
    if (x->machine != y->machine) return x->machine < y->machine ? -1 : 1;
    if (x->rule != y->rule) return x->rule < y->rule ? -1 : 1;
    return (x->seed > y->seed) - (x->seed < y->seed);
}

static int order_alone(const void *a, const void *b) { return by_alone(a, b); }

/* Lists an isolated run per app, machine, rule and seed of the points to be run. */
static void list_alone(struct sweep *s)
{
    size_t room = 1;
    u32 n = 0;
    for (u32 i = 0; i < s->point_n; i++) room += s->points[i].done ? 0 : s->points[i].apps->n;
    s->solo = base_alloc(room * sizeof *s->solo);
    s->alone = base_alloc(room * sizeof *s->alone);
    for (u32 i = 0; i < s->point_n; i++) {
        const struct point *p = &s->points[i];
        for (u32 a = 0; !p->done && a < p->apps->n; a++) {
            s->solo[n] = (struct sweep_apps){{p->apps->specs[a]}, 1};
            s->alone[n] = *p;
            s->alone[n].policy = "leftover";
            s->alone[n].apps = &s->solo[n];
            n++;
        }
    }
    qsort(s->alone, n, sizeof *s->alone, order_alone);
    for (u32 i = 0; i < n; i++) {
        if (s->alone_n && !by_alone(&s->alone[s->alone_n - 1], &s->alone[i])) continue;
        s->alone[s->alone_n++] = s->alone[i];
    }
}

static bool is_cached(const struct point *p)
{
    struct alone entry = {0};
    bool there = alone_load(&entry, p->key, false);
    alone_free(&entry);
    return there;
}

static bool plan_alone(struct sweep *s)
{
    bool ok = true;
    if (s->file.from == ALONE_SKIP || s->file.on == ALONE_SHARE) return true;
    list_alone(s);
    for (u32 i = 0; ok && i < s->alone_n; i++) {
        struct point *one = &s->alone[i];
        struct sim_setup sim = sim_setup_of(s, one);
        ok = alone_key(&sim, one->key, s->fail);
        bool kept = ok && alone_is_kept(one->key); /* else each point makes the run itself */
        one->started = one->done = !kept || is_cached(one);
        if (s->setup->isolated_only && !in_shard(s, i)) {
            one->started = one->done = true;
            continue;
        }
        s->count->alone += !one->done;
        s->count->alone_there += kept && one->done;
    }
    for (u32 i = 0; ok && i < s->point_n; i++) {
        struct point *p = &s->points[i];
        for (u32 a = 0; !p->done && a < p->apps->n; a++) {
            struct sweep_apps solo = {{p->apps->specs[a]}, 1};
            struct point wanted = *p;
            wanted.apps = &solo;
            const struct point *found = bsearch(&wanted, s->alone, s->alone_n, sizeof *s->alone,
                                                order_alone);
            check(found);
            p->needs[a] = (u32)(found - s->alone) + 1;
        }
    }
    return ok;
}

/* ---- in the worker ---- */

static struct point *job_point(struct sweep *s, u32 job)
{
    return job < s->point_n ? &s->points[job] : &s->alone[job - s->point_n];
}

static bool work(void *of, u32 job, struct hook_call *hook_call, struct text *out, struct text *why)
{
    struct sweep *s = of;
    const struct point *p = job_point(s, job);
    struct batch_setup setup = {.sim = sim_setup_of(s, p), .policies = &p->policy, .policy_n = 1,
                                .from = s->file.from, .on = s->file.on, .threads = 1,
                                .hook_call = hook_call};
    struct batch b = {0};
    struct fail fail = {0};
    bool ok = batch_run(&b, &setup, &fail);
    if (ok) result_json(&b, 0, out);
    else text_add(why, "%s", text_get(&fail.text));
    return ok;
}

/* ---- the pool ---- */

/* Returns an isolated run that `p` needs and that has not been started; UINT32_MAX: none. */
static u32 wanted_alone(const struct sweep *s, const struct point *p, bool *waits)
{
    *waits = false;
    for (u32 a = 0; a < APPS_MAX && !s->no_cache; a++) {
        if (!p->needs[a]) continue;
        const struct point *alone = &s->alone[p->needs[a] - 1];
        if (!alone->started) return p->needs[a] - 1;
        *waits |= !alone->done;
    }
    return UINT32_MAX;
}

static u32 next_alone(struct sweep *s)
{
    while (s->first_alone < s->alone_n && s->alone[s->first_alone].started) s->first_alone++;
    return s->first_alone < s->alone_n ? s->point_n + s->first_alone : UINT32_MAX;
}

/* Returns the first point that can be started, or an isolated run needed by a point; UINT32_MAX:
 * nothing can be started now. */
static u32 next_job(struct sweep *s)
{
    if (s->setup->isolated_only) return next_alone(s);
    while (s->first < s->point_n && s->points[s->first].started) s->first++;
    for (u32 i = s->first, seen = 0; i < s->point_n && seen < 4 * WORKERS_MAX; i++) {
        struct point *p = &s->points[i];
        bool waits;
        if (p->started) continue;
        seen++;
        u32 alone = wanted_alone(s, p, &waits);
        if (alone != UINT32_MAX) return s->point_n + alone;
        if (!waits) return i;
    }
    return UINT32_MAX;
}

/* Reports each warning once per sweep. */
static void tell_warnings(struct sweep *s, const char *result)
{
    struct warnings found = {0};
    outcome_warnings(result, &found);
    for (u32 i = 0; i < found.n; i++) {
        u32 known = s->warnings.n;
        struct text line = {0};
        struct warnings one = {.at = &found.at[i], .n = 1};
        warnings_merge(&s->warnings, &one);
        warnings_show(&one, &line);
        if (s->warnings.n > known) say(s, "%.*s", (int)line.size - 1, line.bytes);
        text_free(&line);
    }
    warnings_free(&found);
}

static bool keep_point(struct sweep *s, struct point *p, struct worker_end *end)
{
    struct text key = {0}, apps = {0};
    struct store_run r = describe(s, p, &key, &apps);
    const char *status = outcome_reason(p->policy, end);
    bool ok = store_put(&s->store, &r, end->ok ? &end->out : NULL, text_get(&end->why),
                        end->seconds, &status, s->fail);
    bool failed = store_is_failed(status);
    s->count->made++;
    s->count->failed += failed;
    s->count->abnormal += !failed && strcmp(status, sim_status_name(SIM_COMPLETED));
    if (ok && strcmp(status, sim_status_name(SIM_COMPLETED)) && s->setup->watch) {
        s->setup->watch->trouble(s->setup->watch, &r, status, text_get(&end->why));
    }
    if (end->ok) tell_warnings(s, text_get(&end->out));
    text_free(&key);
    text_free(&apps);
    return ok;
}

/* Returns true if the app is a CUDA program that may behave differently in the next run. */
static bool varies(const char *result)
{
    return strstr(result, "\"not deterministic: ") || strstr(result, "\"checked\": false");
}

/* Handles the end of an isolated run, which the worker has stored in the cache. Failures are
 * reported here only with --isolated-only; otherwise the points that need the run report them. */
static void keep_alone(struct sweep *s, struct point *p, struct worker_end *end)
{
    const char *status = "\"status\": \"completed\"";
    bool completed = end->ok && strstr(text_get(&end->out), status), kept = is_cached(p);
    s->count->alone_made++;
    s->no_cache |= completed && !kept && !varies(text_get(&end->out));
    if (!s->setup->isolated_only || completed || kept) return;
    struct text key = {0}, apps = {0};
    struct store_run r = describe(s, p, &key, &apps);
    outcome_tidy(&end->why);
    s->count->failed++;
    if (s->setup->watch) {
        s->setup->watch->trouble(s->setup->watch, &r, "the isolated run failed",
                                 text_get(&end->why));
    }
    text_free(&key);
    text_free(&apps);
}

static bool end_job(struct sweep *s, struct worker_end *end)
{
    struct point *p = job_point(s, end->job);
    bool alone = end->job >= s->point_n, ok = true;
    p->done = true;
    s->mean[alone].seconds += end->seconds;
    s->mean[alone].n++;
    if (alone) keep_alone(s, p, end);
    else ok = keep_point(s, p, end);
    text_free(&end->out);
    text_free(&end->why);
    return ok;
}

static void tell(struct sweep *s, const struct workers *w)
{
    struct sweep_count *n = s->count;
    double mean[2], all = s->mean[0].seconds + s->mean[1].seconds;
    u32 ended = s->mean[0].n + s->mean[1].n;
    for (u32 i = 0; i < 2; i++) {
        mean[i] = s->mean[i].n ? s->mean[i].seconds / s->mean[i].n : all / ended;
    }
    double left = mean[0] * (n->points - n->there - n->made);
    if (!s->no_cache) left += mean[1] * (n->alone - n->alone_made);
    n->running = w->busy;
    n->seconds = seconds_now() - s->started;
    n->left_seconds = ended ? left / w->n : (double)NAN;
    if (s->setup->watch) s->setup->watch->tell(s->setup->watch, n);
}

static bool all_started(const struct sweep *s)
{
    return s->setup->isolated_only ? s->first_alone == s->alone_n : s->first == s->point_n;
}

static bool run_all(struct sweep *s)
{
    struct workers w = {.work = work, .of = s, .hide_fd = s->store.lock_fd,
                        .limit_seconds = s->setup->run_seconds,
                        .hook_seconds = (double)s->setup->hook_seconds,
                        .hook_call = hook_calls_alloc(WORKERS_MAX),
                        .n = min_u32(s->setup->processes, WORKERS_MAX)};
    bool ok = true;
    for (;;) {
        u32 job;
        while (w.busy < w.n && (job = next_job(s)) != UINT32_MAX && workers_start(&w, job)) {
            job_point(s, job)->started = true;
        }
        tell(s, &w);
        if (interrupt_came() || (!w.busy && all_started(s))) break;
        if (!w.busy) {
            fail_plain(s->fail, "no process can be started");
            ok = false;
            break;
        }
        struct worker_end end;
        if (workers_wait(&w, WAIT_MS, &end)) ok = end_job(s, &end);
        if (!ok) break;
    }
    workers_stop(&w);
    hook_calls_free(w.hook_call, WORKERS_MAX);
    return ok;
}

/* Makes the isolated runs of all points, whether or not a database contains the points. */
static bool run_isolated(struct sweep *s)
{
    s->count->points = 0;
    bool ok = plan_alone(s) && run_all(s);
    if (!ok || !s->no_cache) return ok;
    fail_plain(s->fail, "cannot keep the isolated runs: no writable cache");
    fail_note(s->fail, "set CORUN_CACHE to a writable folder");
    return false;
}

static void tell_audit(struct sweep *s, const struct audit *a, bool corrupt)
{
    for (u32 i = 0; i < a->damaged_n; i++) say(s, "damaged: %s", a->damaged[i].name.bytes);
    if (corrupt) say(s, "intact readable runs: %u", a->run_n - a->damaged_n);
    else if (a->orphan_n) say(s, "damaged: rows without a run");
}

/* Checks everything in the database, and looks up the points of the sweep. */
static bool verify(struct sweep *s)
{
    struct audit a = {0};
    bool ok = store_open(&s->store, s->setup->database, s->fail);
    bool corrupt = s->store.condition == STORE_DAMAGED;
    if (corrupt) audit_corrupt(&a, s->setup->database, s->fail);
    else ok = ok && audit_store(&a, &s->store, s->fail) && look_at_points(s);
    tell_audit(s, &a, corrupt);
    s->count->runs = a.run_n;
    s->count->damaged = a.damaged_n;
    s->count->unsound = corrupt || s->store.condition == STORE_EMPTY || a.damaged_n || a.orphan_n;
    audit_free(&a);
    return ok;
}

/* Marks a damaged point for another run, even if another shard owns the point: no other process
 * knows about the damage. */
static void make_again(void *of, s64 id)
{
    struct sweep *s = of;
    u32 i = 0;
    while (i < s->point_n && store_id(s->points[i].key[0]) != id) i++;
    if (i == s->point_n || !s->points[i].done) return; /* the first of duplicates is run */
    s->points[i].started = s->points[i].done = false;
    s->count->points++;
}

/* Opens or creates the database, repairs it if requested, records the sweep and excludes the points
 * already stored. */
static bool take_database(struct sweep *s)
{
    const struct sweep_setup *setup = s->setup;
    const struct repair repair = {.path = setup->database, .sweep = &s->noted, .taken = make_again,
                                  .say = setup->watch->say, .to = setup->watch, .of = s,
                                  .fail = s->fail};
    if (setup->repair && !repair_store(&repair)) return false;
    return store_create(&s->store, setup->database, s->fail) && look_at_all(s);
}

/* Checks that the database can be written and is not an input file of the sweep. */
static bool database_is_distinct(const struct sweep_setup *setup, struct fail *fail)
{
    const struct output database = output_option("-o", setup->verify ? NULL : setup->database);
    if (setup->known) reads_note(setup->known);
    return outputs_check(&database, 1, fail);
}

static bool sweep_open(struct sweep *s, const struct sweep_setup *setup, struct sweep_count *count,
                       struct fail *fail)
{
    u64 program[2];
    *s = (struct sweep){.setup = setup, .count = count, .fail = fail, .started = seconds_now()};
    *count = (struct sweep_count){0};
    s->store.lock_fd = -1;
    bool ok = key_of_program(program, (const u64[2]){0, 0}, fail);
    hash_show(program, &s->noted.program);
    ok = ok && sweep_file_open(&s->file, setup->path, fail) && database_is_distinct(setup, fail) &&
         plan_points(s);
    if (!ok) return false;
    choose_points(s);
    name_sweep(s);
    return true;
}

static void sweep_close(struct sweep *s)
{
    s->count->seconds = seconds_now() - s->started;
    store_close(&s->store);
    sweep_file_free(&s->file);
    store_sweep_free(&s->noted);
    warnings_free(&s->warnings);
    free(s->points);
    free(s->alone);
    free(s->solo);
}

/* Reports the reason for the default machine of CUDA programs, and features that CUDA programs lack
 * on the given machines. */
static void tell_machines(struct sweep *s)
{
    const struct sweep_file *f = &s->file;
    if (s->setup->quiet || !f->has_program) return;
    if (!f->names_gpus) say(s, "note: %s", GPU_DEFAULT_CUDA_WHY);
    for (u32 m = 0; m < f->machine_n; m++) {
        const struct gpu_file *gpu = &f->machines[m].gpu;
        const char *lacks = gpu_file_lock_step(gpu);
        if (m && !strcmp(f->machines[m - 1].gpu.name, gpu->name)) continue;
        if (!lacks) continue;
        say(s, "warning: %s: %s", gpu->name, lacks);
        warning_add(&s->warnings, gpu->name, 0, lacks);
    }
}

bool sweep_run(const struct sweep_setup *setup, struct sweep_count *count, struct fail *fail)
{
    struct sweep s;
    bool ok = sweep_open(&s, setup, count, fail);
    if (ok) tell_machines(&s);
    if (setup->isolated_only) ok = ok && run_isolated(&s);
    else if (setup->verify) ok = ok && verify(&s);
    else ok = ok && look_at_known(&s) && take_database(&s) && plan_alone(&s) && run_all(&s);
    sweep_close(&s);
    return ok;
}

/* ---- preview ---- */

static bool look_unchanged(struct sweep *s)
{
    const char *path = s->setup->database;
    if (!path || (access(path, F_OK) && errno == ENOENT)) return true;
    return store_open(&s->store, path, s->fail) && require_no_orphans(&s->store, s->fail) &&
           look_at_points(s);
}

static void list_missing(const struct sweep *s, struct sweep_look *look)
{
    look->missing = base_alloc((s->point_n + 1) * sizeof *look->missing);
    for (u32 i = 0; i < s->point_n; i++) {
        if (!s->points[i].done) look->missing[look->missing_n++] = s->points[i].rank;
    }
}

bool sweep_look(const struct sweep_setup *setup, bool note, struct sweep_look *look,
                struct fail *fail)
{
    struct sweep s;
    *look = (struct sweep_look){0};
    bool ok = sweep_open(&s, setup, &look->count, fail) && look_at_known(&s) &&
              (note ? take_database(&s) : look_unchanged(&s)) && plan_alone(&s) &&
              (!s.store.db || store_speed(&s.store, &look->stored, &look->seconds, fail));
    if (ok) list_missing(&s, look);
    look->alone_by_points = ok && s.file.from != ALONE_SKIP && s.file.on == ALONE_SHARE;
    sweep_close(&s);
    return ok;
}

void sweep_look_free(struct sweep_look *look)
{
    free(look->missing);
    *look = (struct sweep_look){0};
}
