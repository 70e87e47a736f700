/* corun compare: the same apps under several policies, one row each. */
#include <string.h>
#include "cli/setup.h"
#include "cli/summary.h"
#include "cli/table.h"
#include "run/metric.h"
#include "run/result.h"

enum { POLICIES_MAX = 32 };

/* SPEC,SPEC: commas inside brackets belong to a spec. */
static u32 split_policies(const char *list, struct text *copies, const char **policies,
                          struct fail *fail)
{
    u32 n = 0, depth = 0;
    if (!list) {
        fail_plain(fail, "compare needs --policies SPEC,SPEC,...");
        return 0;
    }
    text_add(copies, "%s", list);
    char *start = copies->bytes;
    for (char *p = start;; p++) {
        if (*p == '[') depth++;
        if (*p == ']' && depth) depth--;
        if (*p && (*p != ',' || depth)) continue;
        bool last = !*p;
        *p = 0;
        if (n == POLICIES_MAX) {
            fail_plain(fail, "more than %d policies", POLICIES_MAX);
            return 0;
        }
        policies[n++] = start;
        start = p + 1;
        if (last) return n;
    }
}

static void show_table(const struct batch *b, struct text *out)
{
    const char *heads[TABLE_COLUMNS] = {"policy", "cycles"};
    char names[TABLE_COLUMNS][TABLE_CELL];
    u32 n = 2;
    for (u32 i = 0; i < metric_row_n; i++, n++) {
        heads[n] = summary_name(metric_rows[i].name, names[n], TABLE_CELL);
    }
    struct table t = {0};
    table_head(&t, heads, n);
    for (u32 r = 0; r < b->run_n; r++) {
        const struct batch_run *run = &b->runs[r];
        table_row(&t, run->sim.policy.spec);
        table_whole(&t, 1, run->sim.cycles);
        for (u32 i = 0; i < metric_row_n; i++) {
            table_real(&t, i + 2, metric_of(run, &metric_rows[i]), 3);
        }
    }
    table_show(&t, out);
}

static void show_apps(const struct batch *b, struct text *out)
{
    const char *columns[TABLE_COLUMNS] = {"normalized IPC"};
    u32 n = 1;
    for (u32 r = 0; r < b->run_n && n < TABLE_COLUMNS; r++) {
        columns[n++] = b->runs[r].sim.policy.spec;
    }
    struct table t = {0};
    table_head(&t, columns, n);
    for (u32 a = 0; a < b->runs[0].sim.app_n; a++) {
        table_row(&t, b->runs[0].sim.apps[a].name);
        for (u32 r = 0; r + 1 < n; r++) {
            table_real(&t, r + 1, app_normalized_ipc(&b->runs[r], a), 3);
        }
    }
    table_show(&t, out);
}

static bool write_json(const struct options *o, const struct batch *b, struct console *c)
{
    if (!o->json) return true;
    struct text text = {0};
    result_compare_json(b, &text);
    bool right = true;
    if (!strcmp(o->json, "-")) text_put(&c->out, text.bytes, text.size);
    else right = file_write(o->json, text.bytes, text.size, &c->fail);
    text_free(&text);
    return right;
}

int command_compare(const struct options *o, struct console *c)
{
    struct setup setup = {0};
    struct batch b = {0};
    struct text copies = {0};
    const char *policies[POLICIES_MAX];
    u32 n = split_policies(o->policies, &copies, policies, &c->fail);
    int status = EXIT_INPUT;
    if (n && setup_make(&setup, o, policies, n, &c->fail) &&
        setup_outputs(&o->json, 1, &c->fail) && batch_run(&b, &setup.batch, &c->fail)) {
        progress_end(&setup.progress);
        status = setup_verdict(&b, &c->fail);
        if (!write_json(o, &b, c)) status = EXIT_INPUT;
        if (!o->quiet && !(o->json && !strcmp(o->json, "-"))) {
            summary_title(&b, &c->out);
            text_add(&c->out, "\n\n");
            show_table(&b, &c->out);
            text_put(&c->out, "\n", 1);
            show_apps(&b, &c->out);
        }
    }
    if (b.setup) batch_free(&b);
    setup_free(&setup);
    text_free(&copies);
    return status;
}
