#include "cli/terminal/request_table.h"

#include <math.h>
#include <stdio.h>
#include "cli/terminal/columns.h"

/* Columns of `run`; the digits of integers are 0. */
static const struct {
    enum request_quantity quantity;
    u32 digits;
    const char *head;
} columns[] = {
    {REQUEST_measured, 0, "requests"},
    {REQUEST_throughput, 0, "per second"},
    {REQUEST_latency_p50_us, 1, "p50 us"},
    {REQUEST_latency_p95_us, 1, "p95 us"},
    {REQUEST_latency_p99_us, 1, "p99 us"},
    {REQUEST_latency_max_us, 1, "max us"},
    {REQUEST_latency_mean_us, 1, "mean us"},
    {REQUEST_load, 3, "load"},
    {REQUEST_queue_mean, 2, "queue"},
    {REQUEST_deadline_misses, 0, "late"},
};
/* Rows of an app in `compare`, and rows over seeds in `run`. */
static const struct {
    enum request_quantity quantity;
    u32 digits;
    const char *name;
} rows[] = {
    {REQUEST_throughput, 0, "per second"},
    {REQUEST_latency_p50_us, 1, "p50 us"},
    {REQUEST_latency_p99_us, 1, "p99 us"},
    {REQUEST_latency_mean_us, 1, "mean us"},
};

static void show_app(struct table *t, const struct sim_app *app)
{
    table_row(t, app->name);
    for (u32 k = 0; k < COUNT_OF(columns); k++) {
        double value = app->request_values[columns[k].quantity];
        bool whole = !columns[k].digits && isfinite(value);
        if (whole) table_integer(t, k + 1, (u64)(value + 0.5));
        else table_real(t, k + 1, value, columns[k].digits);
    }
}

/* Says why an app has no p99. */
static void show_refused(const struct sim *s, struct text *out)
{
    size_t from = out->size;
    for (u32 a = 0; a < s->app_n; a++) {
        const struct sim_app *app = &s->apps[a];
        if (!app->requests || isfinite(app->request_values[REQUEST_latency_p99_us])) continue;
        text_add(out, "%s: ", app->name);
        request_p99_refused(app->request_values[REQUEST_measured], out);
        text_put(out, "\n", 1);
    }
    columns_wrap(out, from, columns_wide());
}

void request_table_show(const struct sim *s, struct text *out)
{
    const char *heads[COUNT_OF(columns) + 1] = {"requests of"};
    struct table t;
    bool any = false;
    for (u32 k = 0; k < COUNT_OF(columns); k++) heads[k + 1] = columns[k].head;
    table_head(&t, heads, COUNT_OF(heads));
    for (u32 a = 0; a < s->app_n; a++) {
        if (!s->apps[a].requests) continue;
        show_app(&t, &s->apps[a]);
        any = true;
    }
    if (!any) return;
    table_show(&t, out);
    show_refused(s, out);
    text_put(out, "\n", 1);
}

/* Returns true if the app has requests in a run of the batch. */
static bool has_requests(const struct batch *b, u32 app_id)
{
    bool has = false;
    for (u32 r = 0; r < b->run_n; r++) has |= b->runs[r].sim.apps[app_id].requests != NULL;
    return has;
}

void request_table_compare(const struct batch *b, struct text *out)
{
    const char *heads[TABLE_COLUMNS] = {"requests of"};
    struct table t;
    bool any = false;
    for (u32 r = 0; r < b->run_n; r++) heads[r + 1] = b->setup->policies[r];
    table_head(&t, heads, b->run_n + 1);
    for (u32 a = 0; a < b->runs[0].sim.app_n; a++) {
        for (u32 k = 0; has_requests(b, a) && k < COUNT_OF(rows); k++) {
            char name[TABLE_CELL];
            snprintf(name, sizeof name, "%s: %s", b->runs[0].sim.apps[a].name, rows[k].name);
            table_row(&t, name);
            for (u32 r = 0; r < b->run_n; r++) {
                struct spread s = seeds_app(b, r, a, seeds_request(rows[k].quantity));
                u32 digits = rows[k].digits;
                if (s.n > 1)
                    table_set(&t, r + 1, "%.*f +-%.*f", (int)digits, s.mean, (int)digits, s.half);
                else table_real(&t, r + 1, s.mean, digits);
            }
            any = true;
        }
    }
    if (!any) return;
    text_put(out, "\n", 1);
    table_show(&t, out);
}

void request_table_seeds(const struct batch *b, u32 app_id, struct table *t,
                         void (*add)(struct table *t, const char *app, const char *quantity,
                                     struct spread s))
{
    for (u32 k = 0; has_requests(b, app_id) && k < COUNT_OF(rows); k++)
        add(t, b->runs[0].sim.apps[app_id].name, rows[k].name,
            seeds_app(b, 0, app_id, seeds_request(rows[k].quantity)));
}
