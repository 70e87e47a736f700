#include "run/profile/model.h"

#include <math.h>
#include <string.h>
#include "run/profile/bandwidth.h"
#include "run/result/result_writer.h"

double model_ipc(const struct model *m, u32 app, double bytes_per_cycle)
{
    double bytes = m->miss_bytes * m->apps[app].mpki / 1000; /* per instruction */
    return bytes > 0 ? bytes_per_cycle / bytes : (double)NAN;
}

static void share_fill(const struct model *m, struct model_share *s)
{
    double alone[MODEL_APPS];
    for (u32 a = 0; a < m->n; a++) alone[a] = m->apps[a].alone;
    if (s->in_turn) bandwidth_in_turn(m->peak, alone, m->n, s->got);
    else bandwidth_in_order(m->peak, alone, s->order, m->n, s->got);
    s->throughput = s->speedup = 0;
    for (u32 a = 0; a < m->n; a++) {
        s->ipc[a] = model_ipc(m, a, s->got[a]);
        s->throughput += s->ipc[a];
        s->speedup += s->got[a] / alone[a];
    }
}

/* Advances to the next permutation in lexicographic order. false: `order` was the last. */
static bool order_next(u32 *order, u32 n)
{
    u32 i = n - 1, j = n - 1;
    while (i && order[i - 1] > order[i]) i--;
    if (!i) return false;
    while (order[j] < order[i - 1]) j--;
    u32 swap = order[i - 1];
    order[i - 1] = order[j];
    order[j] = swap;
    for (j = n - 1; i < j; i++, j--) {
        swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    return true;
}

u32 model_shares(const struct model *m, struct model_share out[MODEL_SHARES])
{
    struct model_share one = {.order = {0, 1, 2}};
    u32 n = 0;
    do {
        share_fill(m, &one);
        out[n++] = one;
    } while (order_next(one.order, m->n));
    if (m->n == 1) return n;
    one.in_turn = true;
    share_fill(m, &one);
    out[n++] = one;
    return n;
}

void model_shift(const struct model *m, u32 to, u32 from, double *throughput, double *speedup)
{
    *throughput = model_ipc(m, to, m->shift) - model_ipc(m, from, m->shift);
    *speedup = m->shift / m->apps[to].alone - m->shift / m->apps[from].alone;
}

/* ---- JSON ---- */

static void show_app(struct result_writer *w, const struct model *m, u32 app)
{
    const struct model_app *a = &m->apps[app];
    result_open_flat(w, OBJECT_model_app, '{');
    result_put_text(w, KEY_model_app_app, a->name);
    result_put_real(w, KEY_model_app_mpki, a->mpki);
    result_put_real(w, KEY_model_app_bytes_per_cycle, a->alone);
    result_put_real(w, KEY_model_app_bandwidth_fraction, a->alone / m->peak);
    result_put_real(w, KEY_model_app_ipc, model_ipc(m, app, a->alone));
    result_put_real(w, KEY_model_app_measured_ipc, a->measured_ipc);
    result_close(w, '}');
}

static void show_list(struct result_writer *w, enum result_key key, const double *values, u32 n)
{
    result_open(w, key, '[');
    for (u32 a = 0; a < n; a++) json_put_real(&w->json, NULL, values[a]);
    result_close(w, ']');
}

static void show_share(struct result_writer *w, const struct model *m, const struct model_share *s)
{
    result_open_flat(w, OBJECT_model_share, '{');
    result_put_text(w, KEY_model_share_rule, s->in_turn ? "turn" : "order");
    result_open(w, KEY_model_share_order, '[');
    for (u32 a = 0; a < m->n && !s->in_turn; a++) json_put_integer(&w->json, NULL, s->order[a]);
    result_close(w, ']');
    show_list(w, KEY_model_share_bytes_per_cycle, s->got, m->n);
    show_list(w, KEY_model_share_ipc, s->ipc, m->n);
    result_put_real(w, KEY_model_share_instruction_throughput, s->throughput);
    result_put_real(w, KEY_model_share_weighted_speedup, s->speedup);
    result_close(w, '}');
}

static void show_shift(struct result_writer *w, const struct model *m, u32 to, u32 from)
{
    double throughput, speedup;
    model_shift(m, to, from, &throughput, &speedup);
    result_open_flat(w, OBJECT_model_shift, '{');
    result_put_integer(w, KEY_model_shift_to, to);
    result_put_integer(w, KEY_model_shift_from, from);
    result_put_real(w, KEY_model_shift_instruction_throughput, throughput);
    result_put_real(w, KEY_model_shift_weighted_speedup, speedup);
    result_close(w, '}');
}

void model_json(const struct model *m, struct text *out)
{
    struct result_writer w = {.json.out = out};
    struct model_share shares[MODEL_SHARES];
    u32 n = model_shares(m, shares);
    result_open(&w, OBJECT_model, '{');
    result_put_schema(&w, KEY_model_schema);
    result_put_version(&w);
    result_put_text(&w, KEY_model_gpu, m->gpu);
    result_put_real(&w, KEY_model_peak, m->peak);
    result_put_real(&w, KEY_model_miss_bytes, m->miss_bytes);
    result_put_real(&w, KEY_model_shift, m->shift);
    result_open(&w, KEY_model_apps, '[');
    for (u32 a = 0; a < m->n; a++) show_app(&w, m, a);
    result_close(&w, ']');
    result_open(&w, KEY_model_shares, '[');
    for (u32 i = 0; i < n; i++) show_share(&w, m, &shares[i]);
    result_close(&w, ']');
    result_open(&w, KEY_model_shifts, '[');
    for (u32 to = 0; to < m->n; to++)
        for (u32 from = 0; from < m->n; from++)
            if (to != from) show_shift(&w, m, to, from);
    result_close(&w, ']');
    result_close(&w, '}');
    text_put(out, "\n", 1);
}
