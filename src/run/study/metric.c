#include "run/study/metric.h"

#include <math.h>
#include <string.h>

static double sum(const double *v, u32 n)
{
    double s = 0;
    for (u32 i = 0; i < n; i++) s += v[i];
    return s;
}

static double sum_inverse(const double *v, u32 n)
{
    double s = 0;
    for (u32 i = 0; i < n; i++) s += 1 / v[i];
    return s;
}

static double sum_alone(const double *np, const double *ipc, u32 n)
{
    double s = 0;
    for (u32 i = 0; i < n; i++) s += ipc[i] / np[i];
    return s;
}

static double least(const double *v, u32 n)
{
    double best = v[0];
    for (u32 i = 1; i < n; i++) best = v[i] < best ? v[i] : best;
    return best;
}

static double most(const double *v, u32 n)
{
    double best = v[0];
    for (u32 i = 1; i < n; i++) best = v[i] > best ? v[i] : best;
    return best;
}

static bool all_above_zero(const double *v, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        if (!(v[i] > 0)) return false; /* also for NAN */
    }
    return true;
}

#define NP all_above_zero(np, n)
#define KNOWN !isnan(sum(np, n))
#define IPC !isnan(sum(ipc, n))
#define METRIC(name, value, needs, best, unit, sentence, source) \
    static double metric_##name(const double *np, const double *ipc, u32 n) \
    { \
        (void)np, (void)ipc; \
        return needs ? value : (double)NAN; \
    }
#include "run/study/metric.def"
#undef METRIC

#define METRIC(name, value, needs, best, unit, sentence, source) \
    {#name, unit, sentence, source, METRIC_##best, metric_##name},
const struct metric_row metric_rows[] = {
#include "run/study/metric.def"
#undef METRIC
};
const u32 metric_row_n = COUNT_OF(metric_rows);

static double per_cycle(u64 n, u64 cycles)
{
    return cycles ? (double)n / (double)cycles : (double)NAN;
}

double app_ipc_thread(const struct sim_app *app)
{
    return per_cycle(stat_kept_thread(&app->stats), app->cycles);
}

double app_ipc_warp(const struct sim_app *app)
{
    return per_cycle(stat_kept_warp(&app->stats), app->cycles);
}

double alone_ipc_thread(const struct alone *alone)
{
    return alone->known ? per_cycle(alone->stats.sm.inst_thread, alone->cycles) : (double)NAN;
}

double normalized_ipc(const struct sim_app *app, const struct alone *alone)
{
    double ipc = alone_ipc_thread(alone);
    return ipc > 0 ? app_ipc_thread(app) / ipc : (double)NAN;
}

const struct metric_row *metric_find(const char *name)
{
    for (u32 i = 0; i < metric_row_n; i++) {
        if (!strcmp(metric_rows[i].name, name)) return &metric_rows[i];
    }
    return NULL;
}

double metric_of(const struct metric_row *row, const struct sim *sim, const struct alone *alone)
{
    double np[APPS_MAX], ipc[APPS_MAX];
    for (u32 i = 0; i < sim->app_n; i++) {
        np[i] = normalized_ipc(&sim->apps[i], &alone[i]);
        ipc[i] = app_ipc_thread(&sim->apps[i]);
    }
    return row->value(np, ipc, sim->app_n);
}

u32 metric_best(const struct metric_row *row, const double *values, u32 n, u32 *undefined)
{
    u32 best = 0;
    *undefined = 0;
    for (u32 i = 0; i < n; i++) {
        *undefined += isnan(values[i]) ? 1 : 0;
        bool better = row->best == METRIC_MORE ? values[i] > values[best]
                                               : values[i] < values[best];
        if (isnan(values[best]) ? !isnan(values[i]) : better) best = i;
    }
    return best;
}

double ratio_of(const struct ratio_row *row, const struct gpu_stat *s, const struct gpu_capacity *c)
{
    double under = row->denominator(s, c);
    return under > 0 || under < 0 ? row->numerator(s, c) / under : (double)NAN;
}

const struct ratio_row *ratio_find(const char *name)
{
    u32 i = 0;
    while (i < gpu_ratio_row_n && strcmp(gpu_ratio_rows[i].name, name)) i++;
    check(i < gpu_ratio_row_n);
    return &gpu_ratio_rows[i];
}
