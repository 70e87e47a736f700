#include "run/study/seeds.h"

#include <math.h>
#include <stdlib.h>

/* Returns the 97.5 % quantile of Student's t, within 0.001. Source: tables of t up to 30 degrees of
 * freedom; beyond, the first terms of the Cornish-Fisher expansion. */
static double student(u32 freedom)
{
    static const double table[] = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
        2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    double f = (double)freedom;
    return freedom <= COUNT_OF(table) ? table[freedom - 1] : 1.960 + 2.372 / f + 2.823 / (f * f);
}

struct spread spread_of(const double *values, u32 n)
{
    struct spread s = {0, 0, (double)NAN, (double)NAN, (double)NAN};
    double squares = 0;
    for (u32 i = 0; i < n; i++) {
        if (!isfinite(values[i])) continue;
        s.n++;
        s.mean += values[i];
        s.least = fmin(s.least, values[i]);
        s.most = fmax(s.most, values[i]);
    }
    s.mean = s.n ? s.mean / s.n : (double)NAN;
    for (u32 i = 0; i < n; i++) {
        double off = values[i] - s.mean;
        if (isfinite(values[i])) squares += off * off;
    }
    if (s.n > 1) s.half = student(s.n - 1) * sqrt(squares / (s.n - 1) / s.n);
    return s;
}

/* ---- values of a batch: [quantity][run][seed] ---- */

static double *values_at(const struct batch *b, u32 quantity, u32 run)
{
    return b->seeds.values + ((size_t)quantity * b->run_n + run) * b->seeds.room;
}

static u32 metric_quantity(const struct metric_row *row) { return (u32)(row - metric_rows); }

static u32 app_quantity(u32 app_id, enum seeds_app of)
{
    return metric_row_n + (u32)of * APPS_MAX + app_id;
}

/* Keeps the values of seed k. */
static void take(struct batch *b, const struct batch *from, u32 k)
{
    for (u32 r = 0; r < from->run_n; r++) {
        const struct batch_run *run = &from->runs[r];
        if (batch_failed(from, r) || run->sim.status != SIM_COMPLETED) continue;
        for (u32 i = 0; i < metric_row_n; i++)
            values_at(b, i, r)[k] = run_metric(run, &metric_rows[i]);
        for (u32 a = 0; a < run->sim.app_n; a++) {
            values_at(b, app_quantity(a, SEEDS_NORMALIZED_IPC), r)[k] = run_normalized_ipc(run, a);
            values_at(b, app_quantity(a, SEEDS_IPC), r)[k] = app_ipc_thread(&run->sim.apps[a]);
            for (u32 q = 0; q < REQUEST_N && run->sim.apps[a].requests; q++)
                values_at(b, app_quantity(a, seeds_request(q)), r)[k] =
                    run->sim.apps[a].request_values[q];
        }
    }
}

/* Returns the setup of a repetition: another seed, no output. */
static struct batch_setup repeated(const struct batch_setup *first, u32 k)
{
    struct batch_setup setup = *first;
    struct sim_setup *s = &setup.sim;
    sim_setup_quiet(s);
    s->watch = first->sim.watch;
    s->interval_most = 0;
    setup.blame = BLAME_OFF;
    s->live_launches = false;
    s->seed += k;
    return setup;
}

static bool interrupted(const struct batch *b)
{
    return b->setup->sim.interrupted && b->setup->sim.interrupted();
}

bool seeds_run(struct batch *b, u32 n, struct seeds_watch *watch, struct fail *fail)
{
    bool ok = true;
    if (n < 2) return true;
    size_t room = (size_t)(metric_row_n + SEEDS_APP_N * APPS_MAX) * b->run_n * n;
    b->seeds.n = 1;
    b->seeds.room = n;
    b->seeds.values = base_alloc(room * sizeof *b->seeds.values);
    for (size_t i = 0; i < room; i++) b->seeds.values[i] = (double)NAN;
    take(b, b, 0);
    for (u32 k = 1; ok && k < n && !interrupted(b); k++) {
        struct batch_setup setup = repeated(b->setup, k);
        struct batch repeat = {0};
        ok = batch_run(&repeat, &setup, fail);
        if (ok) watch->ended(watch, &repeat);
        if (ok && !interrupted(b)) {
            take(b, &repeat, k);
            b->seeds.n++;
        }
        b->wall_seconds += repeat.wall_seconds;
        batch_free(&repeat);
    }
    return ok;
}

/* ---- results ---- */

static struct spread single(double value)
{
    return (struct spread){isfinite(value) ? 1 : 0, value, (double)NAN, value, value};
}

const double *seeds_metric_values(const struct batch *b, u32 run, const struct metric_row *row)
{
    return values_at(b, metric_quantity(row), run);
}

const double *seeds_app_values(const struct batch *b, u32 run, u32 app_id, enum seeds_app of)
{
    return values_at(b, app_quantity(app_id, of), run);
}

struct spread seeds_metric(const struct batch *b, u32 run, const struct metric_row *row)
{
    if (!b->seeds.n) return single(run_metric(&b->runs[run], row));
    return spread_of(seeds_metric_values(b, run, row), b->seeds.n);
}

struct spread seeds_app(const struct batch *b, u32 run, u32 app_id, enum seeds_app of)
{
    if (b->seeds.n) return spread_of(seeds_app_values(b, run, app_id, of), b->seeds.n);
    const struct sim_app *app = &b->runs[run].sim.apps[app_id];
    if (of >= SEEDS_REQUEST)
        return single(app->requests ? app->request_values[of - SEEDS_REQUEST] : (double)NAN);
    return single(of == SEEDS_IPC ? app_ipc_thread(&b->runs[run].sim.apps[app_id])
                                  : run_normalized_ipc(&b->runs[run], app_id));
}

bool seeds_alike(const struct batch *b, u32 run, u32 other, const struct metric_row *row)
{
    const double *x = seeds_metric_values(b, run, row), *y = seeds_metric_values(b, other, row);
    double *off = base_alloc(b->seeds.n * sizeof *off);
    for (u32 k = 0; k < b->seeds.n; k++) off[k] = x[k] - y[k];
    struct spread s = spread_of(off, b->seeds.n);
    free(off);
    return !(fabs(s.mean) > s.half);
}
