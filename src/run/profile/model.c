#include "run/profile/model.h"

#include <math.h>
#include <string.h>
#include "run/io/json_writer.h"
#include "run/profile/bandwidth.h"

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

static void show_app(struct json_writer *j, const struct model *m, u32 app)
{
    const struct model_app *a = &m->apps[app];
    json_open_flat(j, NULL, '{');
    json_put_text(j, "app", a->name);
    json_put_real(j, "mpki", a->mpki);
    json_put_real(j, "bytes_per_cycle", a->alone);
    json_put_real(j, "bandwidth_fraction", a->alone / m->peak);
    json_put_real(j, "ipc", model_ipc(m, app, a->alone));
    json_put_real(j, "measured_ipc", a->measured_ipc);
    json_close(j, '}');
}

static void show_list(struct json_writer *j, const char *key, const double *values, u32 n)
{
    json_open(j, key, '[');
    for (u32 a = 0; a < n; a++) json_put_real(j, NULL, values[a]);
    json_close(j, ']');
}

static void show_share(struct json_writer *j, const struct model *m, const struct model_share *s)
{
    json_open_flat(j, NULL, '{');
    json_put_text(j, "rule", s->in_turn ? "turn" : "order");
    json_open(j, "order", '[');
    for (u32 a = 0; a < m->n && !s->in_turn; a++) json_put_integer(j, NULL, s->order[a]);
    json_close(j, ']');
    show_list(j, "bytes_per_cycle", s->got, m->n);
    show_list(j, "ipc", s->ipc, m->n);
    json_put_real(j, "instruction_throughput", s->throughput);
    json_put_real(j, "weighted_speedup", s->speedup);
    json_close(j, '}');
}

static void show_shift(struct json_writer *j, const struct model *m, u32 to, u32 from)
{
    double throughput, speedup;
    model_shift(m, to, from, &throughput, &speedup);
    json_open_flat(j, NULL, '{');
    json_put_integer(j, "to", to);
    json_put_integer(j, "from", from);
    json_put_real(j, "instruction_throughput", throughput);
    json_put_real(j, "weighted_speedup", speedup);
    json_close(j, '}');
}

void model_json(const struct model *m, struct text *out)
{
    struct json_writer j = {.out = out};
    struct model_share shares[MODEL_SHARES];
    u32 n = model_shares(m, shares);
    json_open(&j, NULL, '{');
    json_put_text(&j, "schema", "corun-model/1");
    json_put_version(&j);
    json_put_text(&j, "gpu", m->gpu);
    json_put_real(&j, "peak", m->peak);
    json_put_real(&j, "miss_bytes", m->miss_bytes);
    json_put_real(&j, "shift", m->shift);
    json_open(&j, "apps", '[');
    for (u32 a = 0; a < m->n; a++) show_app(&j, m, a);
    json_close(&j, ']');
    json_open(&j, "shares", '[');
    for (u32 i = 0; i < n; i++) show_share(&j, m, &shares[i]);
    json_close(&j, ']');
    json_open(&j, "shifts", '[');
    for (u32 to = 0; to < m->n; to++)
        for (u32 from = 0; from < m->n; from++)
            if (to != from) show_shift(&j, m, to, from);
    json_close(&j, ']');
    json_close(&j, '}');
    text_put(out, "\n", 1);
}
