#include "cli/terminal/energy_table.h"

#include <math.h>
#include <stdio.h>
#include "cli/terminal/columns.h"
#include "cli/terminal/table.h"
#include "run/study/energy.h"

#define LEGEND_ENERGY                                                                              \
    "energy: an estimate with values of a Volta, for comparisons on one machine; unattributed: "   \
    "SMs without blocks, their part of the constant power, counts of no app\n"
#define LEGEND_FIGURES                                                                             \
    "energy: an estimate with values of a Volta, for comparisons on one machine; lower is "        \
    "better. EDP: energy-delay product; compare runs of the same work (--until end) by EDP, "      \
    "others by EDP per work\n"

static void set_energy(struct table *t, u32 column, u64 pj)
{
    table_real(t, column, (double)pj / 1e9, 4);
}

static void legend_show(bool legend, const char *text, struct text *out)
{
    size_t from = out->size;
    if (legend) text_add(out, "%s", text);
    columns_wrap(out, from, columns_wide());
}

void energy_table_run(const struct batch_run *r, bool legend, struct text *out)
{
    const char *heads[APPS_MAX + 3] = {"energy in mJ"};
    struct run_energy e;
    struct table t;
    u32 n = r->sim.app_n;
    run_energy(r, &e);
    for (u32 i = 0; i < n; i++) heads[i + 1] = r->sim.apps[i].name;
    heads[n + 1] = "unattributed";
    heads[n + 2] = "GPU";
    table_head(&t, heads, n + 3);
    for (u32 c = 0; c <= ENERGY_COMPONENT_N; c++) {
        bool sum = c == ENERGY_COMPONENT_N;
        if (!sum && !e.gpu.of[c]) continue;
        table_row(&t, sum ? "total" : energy_component_names[c]);
        for (u32 i = 0; i < n; i++) set_energy(&t, i + 1, sum ? e.apps[i].total : e.apps[i].of[c]);
        set_energy(&t, n + 1, sum ? e.unattributed.total : e.unattributed.of[c]);
        set_energy(&t, n + 2, sum ? e.gpu.total : e.gpu.of[c]);
    }
    table_show(&t, out);
    size_t from = out->size;
    for (u32 i = 0; i < energy_metric_n; i++) {
        const struct energy_metric *m = &energy_metrics[i];
        double value = m->value(&e);
        text_add(out, "%s%s ", i ? ", " : "", m->label);
        if (isfinite(value)) text_add(out, "%.*f %s", (int)m->digits, value, m->unit);
        else text_add(out, "-");
    }
    text_put(out, "\n", 1);
    columns_wrap(out, from, columns_wide());
    legend_show(legend, LEGEND_ENERGY, out);
}

void energy_table_runs(const struct batch *b, bool legend, struct text *out)
{
    char names[16][TABLE_CELL];
    const char *heads[17] = {"energy"};
    struct table t;
    check(energy_metric_n < COUNT_OF(names));
    for (u32 i = 0; i < energy_metric_n; i++) {
        const struct energy_metric *m = &energy_metrics[i];
        snprintf(names[i], TABLE_CELL, "%s (%s)", m->label, m->unit);
        heads[i + 1] = names[i];
    }
    table_head(&t, heads, energy_metric_n + 1);
    for (u32 r = 0; r < b->run_n; r++) {
        struct run_energy e;
        table_row(&t, b->setup->policies[r]);
        if (batch_failed(b, r)) continue;
        run_energy(&b->runs[r], &e);
        for (u32 i = 0; i < energy_metric_n; i++)
            table_real(&t, i + 1, energy_metrics[i].value(&e), energy_metrics[i].digits);
    }
    table_show(&t, out);
    legend_show(legend, LEGEND_FIGURES, out);
}
