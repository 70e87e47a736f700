/* corun model: predicts from bandwidth and misses per instruction how apps share a GPU's memory. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/common/setup.h"
#include "cli/terminal/columns.h"
#include "cli/terminal/table.h"
#include "run/jobs/processors.h"
#include "run/jobs/interrupt.h"
#include "run/profile/model.h"
#include "run/profile/profile.h"

enum { WINDOW_CYCLES = 100000 };

/* Parses a number above 0 at *at and moves *at behind the number; `what` names the value in
 * messages. */
static bool number_take(const char *text, const char **at, const char *what, double *out,
                        struct fail *fail)
{
    char *end;
    *out = strtod(*at, &end);
    if (end != *at && *out > 0 && isfinite(*out)) {
        *at = end;
        return true;
    }
    struct source source = {COMMAND_LINE, text, strlen(text)};
    fail_at(fail, &source, (size_t)(*at - text), "expected %s, a number above 0", what);
    return false;
}

static bool number_end(const char *text, const char *at, struct fail *fail)
{
    struct source source = {COMMAND_LINE, text, strlen(text)};
    if (*at) fail_at(fail, &source, (size_t)(at - text), "unexpected text after the number");
    return !*at;
}

/* Returns true if the operand is BANDWIDTH/MPKI, not the name of an app. */
static bool is_numbers(const char *operand)
{
    size_t n = strspn(operand, "0123456789.eE+-");
    return isdigit((unsigned char)*operand) && operand[n] == '/';
}

static bool numbers_take(const char *operand, struct model_app *app, struct fail *fail)
{
    const char *at = operand;
    struct source source = {COMMAND_LINE, operand, strlen(operand)};
    if (!number_take(operand, &at, "bytes per cycle", &app->alone, fail)) return false;
    if (*at != '/') {
        fail_at(fail, &source, (size_t)(at - operand), "expected '/' and the MPKI, as in 30/20");
        return false;
    }
    at++;
    return number_take(operand, &at, "L2 misses per thousand instructions", &app->mpki, fail) &&
           number_end(operand, at, fail);
}

static bool option_take(const char *text, const char *what, double *out, struct fail *fail)
{
    const char *at = text;
    return number_take(text, &at, what, out, fail) && number_end(text, at, fail);
}

/* Makes the isolated runs of the apps given by name, and takes their figures into the model. */
static bool measure(struct model *m, const struct options *o, const struct gpu_file *gpu,
                    const char *const *names, const u32 *app, u32 n, struct console *c)
{
    const struct output output = output_option("--json", o->json);
    struct progress_line progress;
    struct profile p = {0};
    struct profile_setup setup = {
        .sim = {.apps = names, .app_n = n, .until = UNTIL_WINDOW, .outputs = &output, .output_n = 1,
                .cycles = o->profile_cycles ? o->profile_cycles : WINDOW_CYCLES, .seed = o->seed,
                .skip = true, .host_seconds = HOST_SECONDS,
                .app_folder = setup_folder(o), .program_ptx = setup_ptx(o, &c->fail),
                .watch = progress_start(&progress, o),
                .interrupted = interrupt_came},
        .gpus = gpu, .gpu_n = 1, .cached = o->profile_from == 0, .threads = processors_allowed()};
    interrupts_note();
    bool ok = !c->fail.error_n && profile_run(&p, &setup, &c->fail);
    progress_end(&progress);
    for (u32 i = 0; ok && i < n; i++) {
        const struct profile_row *r = &p.rows[i];
        struct model_app *a = &m->apps[app[i]];
        a->mpki = profile_ratio(r, PROFILE_APP, "l2.mpki");
        a->alone = profile_ratio(r, PROFILE_APP, "dram.bytes_per_cycle");
        a->measured_ipc = profile_ratio(r, PROFILE_APP, "inst.ipc_thread");
        if (r->alone.known && a->mpki > 0 && a->alone > 0) continue;
        fail_plain(&c->fail, "%s by itself: %s", names[i],
                   r->alone.known ? "no L2 misses; the model needs bandwidth and misses above 0"
                                  : text_get(&r->trouble));
        ok = false;
    }
    profile_free(&p);
    return ok;
}

static bool model_make(struct model *m, const struct options *o, const struct gpu_file *gpu,
                       struct console *c)
{
    const char *names[MODEL_APPS];
    u32 app[MODEL_APPS], name_n = 0;
    struct gpu_capacity peak;
    gpu_capacity(&gpu->machine, 1, &peak);
    *m = (struct model){.n = o->operand_n, .peak = peak.dram_bytes,
                        .miss_bytes = (double)o->miss_bytes};
    if (o->peak) option_take(o->peak, "bytes per cycle", &m->peak, &c->fail);
    option_take(o->shift, "bytes per cycle", &m->shift, &c->fail);
    for (u32 a = 0; a < m->n; a++) {
        m->apps[a] = (struct model_app){.name = o->operands[a], .measured_ipc = (double)NAN};
        if (is_numbers(o->operands[a])) {
            numbers_take(o->operands[a], &m->apps[a], &c->fail);
            continue;
        }
        app[name_n] = a;
        names[name_n++] = o->operands[a];
    }
    if (c->fail.error_n) return false;
    if (!name_n) return true;
    m->gpu = gpu->name;
    return measure(m, o, gpu, names, app, name_n, c);
}

/* ---- tables ---- */

static void show_apps(const struct model *m, struct text *out)
{
    static const char *const heads[] = {"app", "MPKI", "bytes/cycle", "BW/C", "IPC", "measured"};
    struct table *t = base_alloc(sizeof *t);
    table_head(t, heads, COUNT_OF(heads));
    for (u32 a = 0; a < m->n; a++) {
        table_row(t, m->apps[a].name);
        table_real(t, 1, m->apps[a].mpki, 2);
        table_real(t, 2, m->apps[a].alone, 2);
        table_set(t, 3, "%.1f %%", 100 * m->apps[a].alone / m->peak);
        table_real(t, 4, model_ipc(m, a, m->apps[a].alone), 3);
        table_real(t, 5, m->apps[a].measured_ipc, 3);
    }
    table_show(t, out);
    free(t);
}

static void share_name(const struct model *m, const struct model_share *s, struct text *out)
{
    for (u32 a = 0; a < m->n && !s->in_turn; a++)
        text_add(out, "%s%s", a ? ", " : "", m->apps[s->order[a]].name);
    if (s->in_turn) text_add(out, "in turn");
}

static void show_shares(const struct model *m, struct text *out)
{
    struct model_share shares[MODEL_SHARES];
    const char *heads[MODEL_APPS + 3] = {"first served"};
    u32 n = model_shares(m, shares);
    for (u32 a = 0; a < m->n; a++) heads[a + 1] = m->apps[a].name;
    heads[m->n + 1] = "IPC of all";
    heads[m->n + 2] = "weighted speedup";
    struct table *t = base_alloc(sizeof *t);
    table_head(t, heads, m->n + 3);
    for (u32 i = 0; i < n; i++) {
        struct text name = {0};
        share_name(m, &shares[i], &name);
        table_row(t, text_get(&name));
        for (u32 a = 0; a < m->n; a++) table_real(t, a + 1, shares[i].got[a], 2);
        table_real(t, m->n + 1, shares[i].throughput, 3);
        table_real(t, m->n + 2, shares[i].speedup, 3);
        text_free(&name);
    }
    table_show(t, out);
    free(t);
}

static void show_shifts(const struct model *m, struct text *out)
{
    static const char *const heads[] = {"to", "from", "IPC of all", "weighted speedup"};
    struct table *t = base_alloc(sizeof *t);
    table_head(t, heads, COUNT_OF(heads));
    for (u32 to = 0; to < m->n; to++)
        for (u32 from = 0; from < m->n; from++) {
            double throughput, speedup;
            if (to == from) continue;
            model_shift(m, to, from, &throughput, &speedup);
            table_row(t, m->apps[to].name);
            table_set(t, 1, "%s", m->apps[from].name);
            table_set(t, 2, "%+.3f", throughput);
            table_set(t, 3, "%+.4f", speedup);
        }
    table_show(t, out);
    free(t);
}

static void show(const struct model *m, struct text *out)
{
    size_t from = out->size;
    text_add(out, "apps sharing %.2f bytes per cycle of memory bandwidth and nothing else (paper "
                  "001 sections 3 and 5)\n\n", m->peak);
    columns_wrap(out, from, columns_wide());
    show_apps(m, out);
    if (m->n == 1) return;
    text_add(out, "\nbytes per cycle of each app\n\n");
    show_shares(m, out);
    from = out->size;
    text_add(out, "\neffect of %g more bytes per cycle for one app, while both apps lack "
             "bandwidth\n\n",
             m->shift);
    columns_wrap(out, from, columns_wide());
    show_shifts(m, out);
}

int command_model(const struct options *o, struct console *c)
{
    const struct output output = output_option("--json", o->json);
    struct gpu_file gpu = {0};
    struct model m;
    if (!o->operand_n) {
        fail_plain(&c->fail, "expected one to three apps");
        fail_note(&c->fail, "an app is a name (corun list workloads), or bytes per cycle alone and "
                  "MPKI, as in 30/20");
    }
    setup_count(o, MODEL_APPS, "apps", &c->fail);
    gpu_file_open(&gpu, setup_gpu(o), o->set.at, o->set.n, &c->fail);
    setup_outputs(&output, 1, o, &c->fail);
    bool ok = !c->fail.error_n && model_make(&m, o, &gpu, c);
    if (ok && o->json) {
        struct text json = {0};
        model_json(&m, &json);
        ok = setup_write(o->json, &json, c);
        text_free(&json);
    }
    if (ok) setup_tell_gpu(o, &gpu, 1, &c->fail.text);
    if (ok && setup_table(&output, 1, o)) show(&m, &c->out);
    gpu_file_free(&gpu);
    return ok ? EXIT_DONE : EXIT_INPUT;
}
