#include "run/page/request_card.h"

#include <math.h>
#include <stdlib.h>
#include "run/page/page.h"
#include "run/study/seeds.h"

/* Points of a chart: latencies evenly over the ranks and as many of the longest as TAIL, requests
 * over time, spans of the queue. */
enum { RANKS = 1000, TAIL = 100, SHOWN = 600, SPANS = 600 };

bool request_card_has(const struct batch *b, u32 app_id)
{
    bool has = false;
    for (u32 r = 0; r < b->run_n; r++)
        has |= !batch_failed(b, r) && b->runs[r].sim.apps[app_id].requests;
    return has;
}

bool request_card_any(const struct batch *b)
{
    bool any = false;
    for (u32 a = 0; a < b->runs[0].sim.app_n; a++) any |= request_card_has(b, a);
    return any;
}

/* ---- card ---- */

/* Columns of the table, with the decimals of their values. */
static const struct {
    enum request_quantity quantity;
    u32 digits;
    const char *head;
} columns[] = {
    {REQUEST_measured, 0, "requests"}, {REQUEST_throughput, 0, "per second"},
    {REQUEST_latency_p50_us, 1, "p50 us"}, {REQUEST_latency_p95_us, 1, "p95 us"},
    {REQUEST_latency_p99_us, 1, "p99 us"}, {REQUEST_latency_max_us, 1, "max us"},
    {REQUEST_latency_mean_us, 1, "mean us"}, {REQUEST_wait_mean_us, 1, "waiting us"},
    {REQUEST_service_mean_us, 1, "executed us"}, {REQUEST_load, 3, "load"},
    {REQUEST_queue_mean, 2, "queue"}, {REQUEST_deadline_misses, 0, "late"},
};

/* Returns the run with the least p99, or p95 if p99 is unknown in a run; the first of equals. */
static u32 least_tail(const struct batch *b, u32 app_id, enum request_quantity *of)
{
    u32 best = UINT32_MAX;
    *of = REQUEST_latency_p99_us;
    for (u32 r = 0; r < b->run_n; r++)
        if (!isfinite(seeds_app(b, r, app_id, seeds_request(*of)).mean))
            *of = REQUEST_latency_p95_us;
    for (u32 r = 0; r < b->run_n; r++) {
        double value = seeds_app(b, r, app_id, seeds_request(*of)).mean;
        if (!isfinite(value)) continue;
        if (best == UINT32_MAX ||
            value < seeds_app(b, best, app_id, seeds_request(*of)).mean) best = r;
    }
    return b->run_n > 1 ? best : UINT32_MAX;
}

static void show_table(const struct batch *b, struct text *out)
{
    const char *heads[COUNT_OF(columns) + 2] = {"policy", "app"};
    for (u32 k = 0; k < COUNT_OF(columns); k++) heads[k + 2] = columns[k].head;
    page_table(out, "Requests of each app by policy", heads, COUNT_OF(heads), 2);
    for (u32 a = 0; a < b->runs[0].sim.app_n; a++) {
        enum request_quantity tail;
        if (!request_card_has(b, a)) continue;
        u32 best = least_tail(b, a, &tail);
        for (u32 r = 0; r < b->run_n; r++) {
            if (batch_failed(b, r)) continue;
            page_row(out, b->setup->policies[r]);
            page_word(out, b->runs[r].sim.apps[a].name);
            for (u32 k = 0; k < COUNT_OF(columns); k++) {
                struct spread s = seeds_app(b, r, a, seeds_request(columns[k].quantity));
                page_cell_within(out, s.mean, s.half, columns[k].digits,
                                 r == best && columns[k].quantity == tail);
            }
            page_row_end(out);
        }
    }
    page_table_end(out);
    page_words(out, "description of the columns");
    for (u32 k = 0; k < COUNT_OF(columns); k++) {
        const struct request_row *row = &request_rows[columns[k].quantity];
        page_word_means(out, columns[k].head, row->sentence, row->unit);
    }
    page_words_end(out);
}

static void show_chart(u32 app_id, u32 run, const char *kind, const char *caption,
                       struct text *out)
{
    text_add(out, "<figure><figcaption>%s</figcaption><div class=\"chart\" role=\"img\" "
                  "aria-label=\"%s\" data-app=\"%u\" data-run=\"%u\" data-kind=\"%s\"></div>"
                  "</figure>\n", caption, caption, app_id, run, kind);
}

static void show_charts(const struct batch *b, u32 app_id, struct text *out)
{
    text_add(out, "<h3>");
    page_text(out, b->runs[0].sim.apps[app_id].name);
    text_add(out, "</h3>\n<ul class=\"legend\" data-of=\"policies\"></ul>\n");
    show_chart(app_id, 0, "latency", "Requests answered within a latency, a curve per policy",
               out);
    for (u32 r = 0; r < b->run_n; r++) {
        if (batch_failed(b, r)) continue;
        text_add(out, "<h3>");
        page_text(out, b->runs[r].sim.apps[app_id].name);
        text_add(out, " <small>");
        page_text(out, b->setup->policies[r]);
        text_add(out, "</small></h3>\n<div class=\"two\">\n");
        show_chart(app_id, r, "requests", "Latency of each request, over its arrival", out);
        show_chart(app_id, r, "queue", "Requests that wait or are executed, over time", out);
        text_add(out, "</div>\n");
    }
}

void request_card(const struct batch *b, struct text *out)
{
    if (!request_card_any(b)) return;
    page_card(out, "Requests", "Latency lasts from the arrival of a request to its completion. "
              "Dots on a curve mark p50, p95 and p99; the scale of the curves widens towards the "
              "slowest requests. A line of a request has its wait below, in grey, and its "
              "execution above. A dashed line is the deadline. If requests are many, a line is "
              "the slowest of several requests.");
    page_curves(out);
    for (u32 a = 0; a < b->runs[0].sim.app_n; a++)
        if (request_card_has(b, a)) show_charts(b, a, out);
    show_table(b, out);
    page_card_end(out);
}

/* ---- data ---- */

static double mhz_of(const struct requests *r)
{
    return (double)r->mhz.num / (double)r->mhz.den;
}

static void put_us(struct json_writer *j, const struct requests *r, u64 cycles)
{
    json_put_real(j, NULL, round(1000 * (double)cycles / mhz_of(r)) / 1000);
}

/* Writes latencies of measured requests in rising order, each with its rank from 1. */
static void put_latencies(struct json_writer *j, const struct requests *r)
{
    u32 n, *ranks, m = 0;
    u64 *sorted = requests_latencies(r, &n);
    ranks = base_alloc((RANKS + TAIL + 1) * sizeof *ranks);
    u32 even = n < RANKS ? n : RANKS;
    for (u32 i = 1; i <= even; i++) {
        u32 rank = (u32)((u64)n * i / even);
        if (rank + TAIL <= n || n <= RANKS) ranks[m++] = rank;
    }
    if (n > RANKS) for (u32 i = TAIL; i > 0; i--) ranks[m++] = n - i + 1;
    json_open_flat(j, "rank", '[');
    for (u32 i = 0; i < m; i++) json_put_integer(j, NULL, ranks[i]);
    json_close(j, ']');
    json_open_flat(j, "latency", '[');
    for (u32 i = 0; i < m; i++) put_us(j, r, sorted[ranks[i] - 1]);
    json_close(j, ']');
    free(ranks);
    free(sorted);
}

static u64 latency_of(const struct request *q) { return q->ended - q->arrived; }

/* Returns the slowest of the answered requests `from` up to but not including `to`. */
static const struct request *slowest(const struct requests *r, u32 from, u32 to)
{
    const struct request *most = &r->at[from];
    for (u32 i = from + 1; i < to; i++)
        if (latency_of(&r->at[i]) > latency_of(most)) most = &r->at[i];
    return most;
}

enum part { ARRIVED, WAITED, LATENCY, PART_N };

static void put_requests(struct json_writer *j, const struct requests *r)
{
    static const char *const keys[PART_N] = {"arrived", "waited", "took"};
    u32 n = r->ended_n, groups = n < SHOWN ? n : SHOWN;
    for (enum part part = 0; part < PART_N; part++) {
        json_open_flat(j, keys[part], '[');
        for (u32 k = 0; k < groups; k++) {
            const struct request *q = slowest(r, (u32)((u64)n * k / groups),
                                              (u32)((u64)n * (k + 1) / groups));
            put_us(j, r, part == ARRIVED ? q->arrived
                         : part == WAITED ? q->began - q->arrived : latency_of(q));
        }
        json_close(j, ']');
    }
}

/* Writes the greatest queue in each of equal spans of the run. */
static void put_queue(struct json_writer *j, const struct requests *r, u64 cycles)
{
    u64 spans = cycles < SPANS ? cycles : SPANS;
    u32 come = 0, gone = 0;
    json_open_flat(j, "queue", '[');
    for (u64 k = 0; k < spans; k++) {
        u64 from = (u64)((u128)cycles * k / spans), to = (u64)((u128)cycles * (k + 1) / spans);
        while (gone < r->ended_n && r->at[gone].ended <= from) gone++;
        u32 most = come - gone;
        for (; come < r->arrived_n && r->at[come].arrived < to; come++) {
            while (gone < r->ended_n && r->at[gone].ended <= r->at[come].arrived) gone++;
            most = max_u32(most, come + 1 - gone);
        }
        json_put_integer(j, NULL, most);
    }
    json_close(j, ']');
}

static void put_run(struct json_writer *j, const struct sim *s, const struct sim_app *app)
{
    const struct requests *r = app->requests;
    json_open(j, NULL, '{');
    json_put_integer(j, "measured", (u64)app->request_values[REQUEST_measured]);
    json_put_real(j, "end", (double)s->cycles / mhz_of(r));
    put_latencies(j, r);
    put_requests(j, r);
    put_queue(j, r, s->cycles);
    json_close(j, '}');
}

void request_card_data(const struct batch *b, struct json_writer *j)
{
    json_open(j, "requests", '[');
    for (u32 a = 0; a < b->runs[0].sim.app_n; a++) {
        if (!request_card_has(b, a)) {
            json_put_null(j, NULL);
            continue;
        }
        const struct requests *any = NULL;
        json_open(j, NULL, '{');
        json_open(j, "runs", '[');
        for (u32 r = 0; r < b->run_n; r++) {
            const struct sim_app *app = &b->runs[r].sim.apps[a];
            if (batch_failed(b, r) || !app->requests) json_put_null(j, NULL);
            else put_run(j, &b->runs[r].sim, app);
            if (!batch_failed(b, r) && app->requests) any = app->requests;
        }
        json_close(j, ']');
        if (any->deadline) json_put_real(j, "deadline", (double)any->deadline * 1e-6);
        else json_put_null(j, "deadline");
        json_close(j, '}');
    }
    json_close(j, ']');
}
