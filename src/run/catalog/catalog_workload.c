/* The shipped programs: the list of programs, the list of parameters, and the details of a single
 * program, with its kernels and a comparison of measured with published figures (facts.h). */
#include <stdlib.h>
#include <string.h>
#include "host/preset.h"
#include "run/catalog/catalog.h"
#include "run/catalog/facts.h"
#include "run/input/input_set.h"

#define CLASS_GPU "maxwell16" /* the machine of paper 000; the list shows the classes measured on
                               * maxwell16 */

struct tables {
    struct facts papers, stands, registers, measured;
};

static void tables_open(struct tables *t)
{
    facts_open(&t->papers, "workloads/papers.csv");
    facts_open(&t->stands, "workloads/stands.csv");
    facts_open(&t->registers, "workloads/registers.csv");
    facts_open(&t->measured, "workloads/measured.csv");
}

static void tables_free(struct tables *t)
{
    facts_free(&t->papers);
    facts_free(&t->stands);
    facts_free(&t->registers);
    facts_free(&t->measured);
}

/* ---- measured figures ---- */

/* Selects rows of measured.csv. NULL matches any value. */
struct group {
    const char *app, *gpu, *rule;
};

static const char *measured(const struct tables *t, const struct group *g, const char *kernel,
                            const char *metric)
{
    const struct facts *m = &t->measured;
    u32 i = facts_find(m, 0, 5, (const char *const[]){g->app, g->gpu, g->rule, kernel, metric});
    return i < m->row_n ? facts_cell(m, i, "value") : NULL;
}

static u64 cycles_of(const char *rule) /* N of "window N"; 0 for "" */
{
    return rule[0] ? strtoull(rule + strlen("window "), NULL, 10) : 0;
}

/* Sets the rule to the longest window measured for the app on the machine. Leaves the rule
 * unchanged ("") if nothing was measured. */
static void longest(const struct tables *t, struct group *g)
{
    const struct facts *m = &t->measured;
    const char *const keys[] = {g->app, g->gpu};
    for (u32 i = 0; (i = facts_find(m, i, 2, keys)) < m->row_n; i++) {
        const char *rule = facts_cell(m, i, "rule");
        if (cycles_of(rule) > cycles_of(g->rule)) g->rule = rule;
    }
}

/* True if an app is this program: apps "mm" and "mm:n=64" are program "mm". */
static bool is_program(const char *app, const char *program)
{
    size_t n = strlen(program);
    return !strncmp(app, program, n) && (!app[n] || app[n] == ':');
}

/* Returns the next row of measured.csv, from row `from` on, with this program, machine (NULL: any)
 * and metric; row_n if none. */
static u32 next_row(const struct tables *t, u32 from, const char *program, const char *gpu,
                    const char *metric)
{
    const struct facts *m = &t->measured;
    const char *const keys[] = {NULL, gpu, NULL, NULL, metric};
    u32 i = facts_find(m, from, COUNT_OF(keys), keys);
    while (i < m->row_n && !is_program(facts_cell(m, i, "app"), program)) {
        i = facts_find(m, i + 1, COUNT_OF(keys), keys);
    }
    return i;
}

static const char *class_of(const struct tables *t, const char *program)
{
    u32 i = next_row(t, 0, program, CLASS_GPU, "type");
    return i < t->measured.row_n ? facts_cell(&t->measured, i, "value") : "-";
}

static bool holds_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = words; (p = strstr(p, word)); p += n) {
        if ((p == words || p[-1] == ' ') && (!p[n] || p[n] == ' ')) return true;
    }
    return false;
}

/* Returns the distinct values of a metric over a program's kernels, in order of the rows; "-" if
 * none. */
static const char *words_of(struct catalog *c, const struct tables *t, const char *program,
                            const char *metric)
{
    struct text words = {0};
    for (u32 i = next_row(t, 0, program, CLASS_GPU, metric); i < t->measured.row_n;
         i = next_row(t, i + 1, program, CLASS_GPU, metric)) {
        const char *value = facts_cell(&t->measured, i, "value");
        if (!holds_word(text_get(&words), value)) {
            text_add(&words, "%s%s", words.size ? " " : "", value);
        }
    }
    const char *all = catalog_text(c, "%s", words.size ? words.bytes : "-");
    text_free(&words);
    return all;
}

/* Returns the folder name of a program, as used in registers.csv: with '_' in place of '-'. */
static const char *folder_of(struct catalog *c, const char *program)
{
    char *name = arena_text(&c->arena, program, strlen(program));
    for (char *p = name; (p = strchr(p, '-')); p++) *p = '_';
    return name;
}

/* ---- lists ---- */

static u32 kernel_n(const struct tables *t, const char *folder)
{
    const struct facts *r = &t->registers;
    u32 n = 0;
    for (u32 i = 0; (i = facts_find(r, i, 1, &folder)) < r->row_n; i++) n++;
    return n;
}

static const char *papers_of(struct catalog *c, const struct tables *t, const char *program)
{
    const struct facts *s = &t->stands;
    struct text words = {0};
    for (u32 i = 0; (i = facts_find(s, i, 1, &program)) < s->row_n; i++) {
        text_add(&words, "%s%s %s", words.size ? ", " : "", facts_cell(s, i, "paper"),
                 facts_cell(s, i, "name"));
    }
    const char *all = catalog_text(c, "%s", words.size ? words.bytes : "-");
    text_free(&words);
    return all;
}

void catalog_workloads(struct catalog *c)
{
    struct tables t;
    tables_open(&t);
    catalog_start(c, "Workloads", "The shipped programs: `NAME` or `NAME:key=value,...`. Class and "
                  "limiter (the limit of the blocks of an SM) are measured on " CLASS_GPU ", by "
                  "paper 000's rule: M with the load/store unit stalled in more than 20 % of the "
                  "cycles, else C. Papers: corresponding programs, under the papers' names. `corun "
                  "show workload NAME` shows everything about a workload; "
                  "[programs.md](programs.md) compares measurements with the papers' figures.",
                  7, (const char *const[]){"workload", "suite", "class", "kernels", "limiter",
                                           "papers", "description"});
    for (u32 i = 0; workload_shipped(i); i++) {
        const struct workload *w = workload_shipped(i);
        u32 n = kernel_n(&t, folder_of(c, w->name));
        catalog_add(c, (const char *const[]){
            w->name, w->suite, class_of(&t, w->name), n ? catalog_text(c, "%u", n) : "1",
            words_of(c, &t, w->name, "limiter"), papers_of(c, &t, w->name), w->sentence});
    }
    tables_free(&t);
}

/* A value of a parameter as the user writes the value. */
static const char *value_text(struct catalog *c, const char *words, double value)
{
    if (!words) return catalog_text(c, "%.15g", value);
    for (u32 k = 0; k < (u32)value; k++) words = strchr(words, '|') + 1;
    return catalog_text(c, "%.*s", (int)strcspn(words, "|"), words);
}

/* The words with spaces: a bar ends a cell of a table. */
static const char *words_text(struct catalog *c, const char *words)
{
    char *text = arena_text(&c->arena, words, strlen(words));
    for (char *at = text; (at = strchr(at, '|')); at++) *at = ' ';
    return text;
}

static void add_params(struct catalog *c, const struct workload *w,
                       const struct workload_param *params, bool whose)
{
    for (const struct workload_param *p = params; p && p->key; p++) {
        const char *key = whose ? catalog_text(c, "%s:%s=", w->name, p->key) : p->key;
        const char *words = workload_words(w, p->key);
        catalog_add(c, (const char *const[]){
            key, value_text(c, words, p->normal), value_text(c, words, p->test),
            value_text(c, words, p->window),
            words ? words_text(c, words) : catalog_text(c, "%.15g to %.15g", p->low, p->high),
            p->sentence});
    }
}

static const char *const param_heads[] = {"parameter", "default",  "size=test",
                                          "size=window", "range", "meaning"};

void catalog_parameters(struct catalog *c)
{
    catalog_start(c, "Parameters of the workloads", "`NAME:key=value,...`; `size=test` and "
                  "`size=window` take the values of the columns of the same name. At `window` "
                  "nothing ends within 5,000,000 cycles of rtx2060, where the algorithm allows it. "
                  "`start=CYCLE`: the program begins in cycle CYCLE. `priority=N`: for "
                  "policies that order apps; lower numbers go first. `registers=N`: the "
                  "kernels have N registers per thread instead of the number of live registers, "
                  "for example as many as ptxas gives (docs/reference/programs.md). `arrivals=HOW` "
                  "with `requests`, `warmup`, `deadline_us` and `arrivals_seed`: the program is a "
                  "stream of requests (docs/how-to/using.md).",
                  COUNT_OF(param_heads), param_heads);
    for (u32 i = 0; workload_shipped(i); i++) {
        const struct workload *w = workload_shipped(i);
        if (!w->preset) add_params(c, w, w->params, true); /* stand-ins have the keys of synth */
    }
}

/* ---- details of a program ---- */

/* Rounds a number to `digits` decimals, after conversion to percent if `percent`. Integers (unless
 * `percent`) and words stay unchanged. */
static const char *rounded(struct catalog *c, const char *value, bool percent, int digits)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || (!percent && !strchr(value, '.'))) return value;
    return catalog_text(c, "%.*f", digits, percent ? 100 * number : number);
}

static int digits_of(const char *value)
{
    const char *point = strchr(value, '.');
    return point ? (int)strlen(point + 1) : 0;
}

static const char *or_dash(const char *value) { return value ? value : "-"; }

/* True if no row of the current table begins with `name`. */
static bool is_new(const struct catalog *c, const char *name)
{
    for (const struct catalog_row *r = c->first; r; r = r->next) {
        if (r->columns == c->columns && r->cells[0] && !strcmp(r->cells[0], name)) return false;
    }
    return true;
}

static void show_kernels(struct catalog *c, const struct tables *t, const char *program)
{
    static const char *const metrics[] = {"registers_per_thread", "shared_bytes", "block_threads",
                                          "blocks_per_sm", "limiter"};
    const struct facts *m = &t->measured, *p = &t->registers;
    const char *folder = folder_of(c, program);
    catalog_table(c, "kernels on " CLASS_GPU ": registers by liveness, and by ptxas", 7,
                  (const char *const[]){"kernel", "registers", "ptxas", "shared bytes", "threads",
                                        "blocks/SM", "limited by"});
    for (u32 i = 0; (i = next_row(t, i, program, CLASS_GPU, metrics[0])) < m->row_n; i++) {
        const char *cells[COUNT_OF(metrics) + 2] = {facts_cell(m, i, "kernel")};
        struct group g = {facts_cell(m, i, "app"), CLASS_GPU, facts_cell(m, i, "rule")};
        u32 k = facts_find(p, 0, 2, (const char *const[]){folder, cells[0]});
        cells[2] = k < p->row_n ? facts_cell(p, k, "registers") : "-";
        for (u32 n = 0; n < COUNT_OF(metrics); n++) {
            cells[n ? n + 2 : 1] = or_dash(measured(t, &g, cells[0], metrics[n]));
        }
        if (is_new(c, cells[0])) catalog_add(c, cells);
    }
    for (u32 i = 0; (i = facts_find(p, i, 1, &folder)) < p->row_n; i++) { /* not measured */
        const char *kernel = facts_cell(p, i, "kernel");
        if (!is_new(c, kernel)) continue;
        catalog_add(c, (const char *const[]){kernel, "-", facts_cell(p, i, "registers"),
                                             facts_cell(p, i, "shared_bytes"), "-", "-", "-"});
    }
}

/* Returns a property of a paper as a whole, such as its machine: the rows of papers.csv with name
 * "*". The row must exist. */
static const char *of_paper(const struct tables *t, const char *paper, const char *metric)
{
    u32 i = facts_find(&t->papers, 0, 3, (const char *const[]){paper, "*", metric});
    check(i < t->papers.row_n);
    return facts_cell(&t->papers, i, "value");
}

/* Adds a table comparing the paper's figures for the program of row `stand` in stands.csv with
 * measured figures. false: a figure was not measured. */
static bool show_paper(struct catalog *c, const struct tables *t, u32 stand)
{
    const struct facts *p = &t->papers, *s = &t->stands;
    const char *paper = facts_cell(s, stand, "paper"), *name = facts_cell(s, stand, "name");
    const char *kernel = facts_cell(s, stand, "kernel");
    struct group g = {facts_cell(s, stand, "app"), of_paper(t, paper, "machine"), ""};
    longest(t, &g);
    bool all = true;
    catalog_table(c, catalog_text(c, "paper %s, %s, beside %s on %s%s%s%s%s", paper, name, g.app,
                                  g.gpu, g.rule[0] ? ", " : "", g.rule, kernel[0] ? ", " : "",
                                  kernel),
                  5, (const char *const[]){"metric", "paper", "measured", "unit", "where"});
    for (u32 i = 0; (i = facts_find(p, i, 2, (const char *const[]){paper, name})) < p->row_n;
         i++) {
        const char *metric = facts_cell(p, i, "metric"), *value = facts_cell(p, i, "value");
        const char *unit = facts_cell(p, i, "unit"), *ours = measured(t, &g, kernel, metric);
        if (!ours) ours = measured(t, &g, kernel[0] ? "" : NULL, metric);
        all &= ours != NULL;
        ours = rounded(c, or_dash(ours), !strcmp(unit, "%"), digits_of(value) + 1);
        catalog_add(c, (const char *const[]){metric, value, ours, unit,
                                             facts_cell(p, i, "where")});
    }
    if (facts_cell(s, stand, "note")[0]) catalog_heading(c, facts_cell(s, stand, "note"));
    return all;
}

static const struct {
    const char *head, *metric;
    bool percent;
    int digits;
} alone_columns[] = {
    {"IPC", "inst.ipc_thread", false, 1},     {"Cinst/Minst", "inst.cinst_per_minst", false, 1},
    {"Req/Minst", "ldst.req_per_minst", false, 1}, {"L1 miss", "l1.miss_rate", false, 2},
    {"rsfail", "l1.rsfail_rate", false, 2},   {"LSU stall %", "ldst.stall_fraction", true, 1},
    {"MPKI", "l2.mpki", false, 2},            {"BW/C %", "dram.bandwidth_fraction", true, 1},
    {"type", "type", false, 0},
};

static void show_alone(struct catalog *c, const struct tables *t, const char *program)
{
    const struct facts *m = &t->measured;
    const char *cells[COUNT_OF(alone_columns) + 3] = {"app", "machine", "rule"};
    u32 n = COUNT_OF(alone_columns);
    if (next_row(t, 0, program, NULL, alone_columns[0].metric) == m->row_n) return;
    for (u32 k = 0; k < n; k++) cells[k + 3] = alone_columns[k].head;
    catalog_table(c, "measured alone", n + 3, cells);
    for (u32 i = 0; (i = next_row(t, i, program, NULL, alone_columns[0].metric)) < m->row_n;
         i++) {
        struct group g = {facts_cell(m, i, "app"), facts_cell(m, i, "gpu"),
                          facts_cell(m, i, "rule")};
        const char *kernel = facts_cell(m, i, "kernel");
        cells[0] = kernel[0] ? catalog_text(c, "  %s", kernel) : g.app;
        cells[1] = g.gpu;
        cells[2] = g.rule;
        for (u32 k = 0; k < n; k++) {
            cells[k + 3] = rounded(c, or_dash(measured(t, &g, kernel, alone_columns[k].metric)),
                                   alone_columns[k].percent, alone_columns[k].digits);
        }
        catalog_add(c, cells);
    }
}

bool catalog_workload(struct catalog *c, const char *name, struct fail *fail)
{
    catalog_start(c, "", "", COUNT_OF(param_heads), param_heads);
    const struct workload *w = workload_find(name);
    if (!w) {
        struct nearest nearest;
        nearest_init(&nearest, name);
        for (u32 i = 0; workload_shipped(i); i++) {
            nearest_offer(&nearest, workload_shipped(i)->name);
        }
        return catalog_unknown("workload", "workloads", name, &nearest, fail);
    }
    struct tables t;
    tables_open(&t);
    bool all = true;
    catalog_heading(c, catalog_text(c, "%s: %s\nsuite: %s\nalgorithm: %s\ninput: %s\n"
                                    "stands for, in the papers: %s", w->name, w->sentence,
                                    w->suite, w->algorithm, w->input, papers_of(c, &t, name)));
    catalog_table(c, "parameters", COUNT_OF(param_heads), param_heads);
    const struct workload_param *params = w->params;
    if (w->preset) params = preset_params(w, workload_text(w, &c->arena), &c->arena, fail);
    add_params(c, w, params, false);
    show_kernels(c, &t, w->name);
    for (u32 i = 0; (i = facts_find(&t.stands, i, 1, &name)) < t.stands.row_n; i++) {
        all &= show_paper(c, &t, i);
    }
    show_alone(c, &t, w->name);
    if (!all) {
        catalog_heading(c, catalog_text(c, "-: not measured by corun; make programs ONLY=%s "
                                        "measures", w->name));
    }
    tables_free(&t);
    return true;
}
