/* corun profile: measures each app alone on the given machines; prints tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/demangle.h"
#include "cli/terminal/columns.h"
#include "cli/terminal/progress.h"
#include "cli/common/setup.h"
#include "cli/terminal/table.h"
#include "cli/common/profile_lines.h"
#include "run/jobs/processors.h"
#include "run/jobs/interrupt.h"
#include "run/profile/bandwidth.h"
#include "run/page/profile_page.h"
#include "run/profile/profile.h"

enum { GPUS_MAX = 32, WINDOW_CYCLES = 100000 };

struct column { /* a column with a ratio */
    const char *head, *ratio;
    u32 digits;
    bool percent;
};

static const struct column memory_columns[] = {
    {"IPC", "inst.ipc_thread", 1, false},
    {"Cinst/Minst", "inst.cinst_per_minst", 1, false},
    {"Req/Minst", "ldst.req_per_minst", 1, false},
    {"L1 miss", "l1.miss_rate", 2, false},
    {"rsfail", "l1.rsfail_rate", 2, false},
    {"LSU stall", "ldst.stall_fraction", 1, true},
    {"MPKI", "l2.mpki", 2, false},
    {"BW/C", "dram.bandwidth_fraction", 1, true},
    {"row locality", "dram.row_locality", 1, false},
    {"load latency", "ldst.load_latency", 0, false},
};

static void share(struct table *t, u32 column, double value, u32 digits)
{
    if (isfinite(value)) table_set(t, column, "%.*f %%", (int)digits, 100 * value);
    else table_set(t, column, "-");
}

/* Starts a row with a name. Prints a full table first and continues in a new table. */
static void row_begin(struct table *t, const char *name, const char *const *heads, u32 n,
                      struct text *out)
{
    if (t->row_n == TABLE_ROWS) {
        table_show(t, out);
        table_head(t, heads, n);
    }
    table_row(t, name);
}

static void show_kernels(const struct profile_row *rows, u32 n, struct text *out)
{
    static const char *const heads[] = {
        "kernel", "threads", "registers", "shared", "blocks/SM", "limited by",
        "RF", "SMEM", "threads", "blocks", "carve-out"};
    u32 column_n = COUNT_OF(heads) - 1;
    for (u32 i = 0; i < n; i++) /* the last column only if a machine has carve-outs */
        if (carveouts_given(&rows[i].gpu->machine.sm)) column_n = COUNT_OF(heads);
    struct table *t = base_alloc(sizeof *t);
    table_head(t, heads, column_n);
    for (u32 i = 0; i < n; i++) {
        for (u32 k = 0; k < rows[i].alone.kernel_n; k++) {
            const struct sim_kernel *one = &rows[i].alone.kernels[k];
            const struct gpu_occupancy *fits = &one->fits;
            struct profile_occupancy o;
            profile_occupancy(&rows[i].gpu->machine, fits, &o);
            struct text name = {0};
            text_add(&name, "%s: ", rows[i].app);
            demangle_show(one->name, &name);
            row_begin(t, name.bytes, heads, column_n, out);
            text_free(&name);
            table_integer(t, 1, fits->block_threads);
            table_integer(t, 2, fits->registers);
            table_integer(t, 3, fits->shared_bytes);
            table_integer(t, 4, fits->blocks_per_sm);
            table_set(t, 5, "%s", fits->limiter);
            share(t, 6, o.registers, 1);
            share(t, 7, o.shared, 1);
            share(t, 8, o.threads, 1);
            share(t, 9, o.blocks, 1);
            if (column_n == COUNT_OF(heads)) table_integer(t, 10, fits->carveout_bytes);
        }
    }
    table_show(t, out);
    free(t);
}

static void memory_row(struct table *t, const struct profile_row *r, u32 kernel)
{
    u32 c = 0;
    for (; c < COUNT_OF(memory_columns); c++) {
        const struct column *one = &memory_columns[c];
        double value = profile_ratio(r, kernel, one->ratio);
        if (one->percent) share(t, c + 1, value, one->digits);
        else table_real(t, c + 1, value, one->digits);
    }
    table_set(t, c + 1, "%s", profile_type(r, kernel));
}

/* Shows memory figures of each app and, if an app has several kernels, of each kernel. */
static void show_memory(const struct profile_row *rows, u32 n, struct text *out)
{
    const char *heads[TABLE_COLUMNS] = {"app"};
    u32 column_n = COUNT_OF(memory_columns) + 2;
    for (u32 c = 0; c + 2 < column_n; c++) heads[c + 1] = memory_columns[c].head;
    heads[column_n - 1] = "type";
    struct table *t = base_alloc(sizeof *t);
    table_head(t, heads, column_n);
    for (u32 i = 0; i < n; i++) {
        const struct alone *a = &rows[i].alone;
        row_begin(t, rows[i].app, heads, column_n, out);
        memory_row(t, &rows[i], PROFILE_APP);
        for (u32 k = 0; a->kernel_n > 1 && k < a->kernel_n; k++) {
            struct text name = {0};
            text_add(&name, "  ");
            demangle_show(a->kernels[k].name, &name);
            row_begin(t, name.bytes, heads, column_n, out);
            memory_row(t, &rows[i], k);
            text_free(&name);
        }
    }
    table_show(t, out);
    free(t);
}

/* Shows issued cycles, all stall.* ratios and the rest, then the use of each resource. */
static void show_use(const struct profile_row *rows, u32 n, struct text *out)
{
    const char *heads[TABLE_COLUMNS] = {"app", "issued"};
    const char *ratios[TABLE_COLUMNS] = {NULL, "sched.utilization"};
    u32 columns = 2;
    for (u32 i = 0; i < gpu_ratio_row_n && columns < TABLE_COLUMNS - 8; i++) {
        const char *cause = stall_name(&gpu_ratio_rows[i]);
        if (!cause) continue;
        ratios[columns] = gpu_ratio_rows[i].name;
        heads[columns++] = cause;
    }
    heads[columns++] = "no warp";
    u32 causes = columns;
    for (u32 i = 1; i < profile_resource_n; i++) {
        ratios[columns] = profile_resources[i].ratio;
        heads[columns++] = profile_resources[i].name;
    }
    heads[columns] = "leads";
    heads[columns + 1] = "use";
    struct table *t = base_alloc(sizeof *t);
    table_head(t, heads, columns + 2);
    for (u32 i = 0; i < n; i++) {
        const struct resource *leader = profile_leader(&rows[i], PROFILE_APP);
        table_row(t, rows[i].app);
        double rest = 1; /* fraction of scheduler cycles without a warp */
        for (u32 c = 1; c < columns; c++) {
            double value = fmax(rest, 0);
            if (ratios[c]) value = profile_ratio(&rows[i], PROFILE_APP, ratios[c]);
            if (c < causes) rest -= value;
            share(t, c, value, 1);
        }
        table_set(t, columns, "%s", leader ? leader->name : "-");
        table_set(t, columns + 1, "%s", profile_use(&rows[i], PROFILE_APP));
    }
    table_show(t, out);
    free(t);
}

/* Adds a row to the table of show_sharing: the apps' performance with shares `got` of the peak
 * bandwidth. */
static void sharing_row(struct table *t, const struct profile_row *rows, const double *alone,
                        const double *got, u32 n)
{
    double ipc = 0, speedup = 0;
    for (u32 a = 0; a < n; a++) {
        double kept = alone[a] > 0 ? got[a] / alone[a] : 1;
        share(t, a + 1, got[a], 1);
        ipc += kept * profile_ratio(&rows[a], PROFILE_APP, "inst.ipc_thread");
        speedup += kept;
    }
    table_real(t, n + 1, ipc, 1);
    table_real(t, n + 2, speedup, 3);
}

/* If the apps together demand more than the peak bandwidth, shows the prediction of the bandwidth
 * model. */
static void show_sharing(const struct profile_row *rows, u32 n, struct text *out)
{
    const char *heads[TABLE_COLUMNS] = {"first served"};
    double alone[APPS_MAX], got[APPS_MAX], sum = 0;
    for (u32 a = 0; a < n && n <= APPS_MAX; a++) {
        heads[a + 1] = rows[a].app;
        sum += alone[a] = profile_ratio(&rows[a], PROFILE_APP, "dram.bandwidth_fraction");
    }
    if (!(sum > 1)) return;
    heads[n + 1] = "IPC of all";
    heads[n + 2] = "weighted speedup";
    struct table *t = base_alloc(sizeof *t);
    table_head(t, heads, n + 3);
    for (u32 first = 0; first < n; first++) {
        u32 order[APPS_MAX] = {first};
        for (u32 a = 0, k = 1; a < n; a++)
            if (a != first) order[k++] = a;
        bandwidth_in_order(1, alone, order, n, got);
        table_row(t, rows[first].app);
        sharing_row(t, rows, alone, got, n);
    }
    bandwidth_in_turn(1, alone, n, got);
    table_row(t, "in turn");
    sharing_row(t, rows, alone, got, n);
    size_t from = out->size;
    text_add(out, "\nBW/C of the apps together if only memory bandwidth were shared (paper 001 "
                  "section 5)\n\n");
    columns_wrap(out, from, columns_wide());
    table_show(t, out);
    free(t);
}

static void show_tables(const struct profile *p, struct text *out)
{
    const struct sim_setup *s = &p->setup->sim;
    for (u32 g = 0; g < p->setup->gpu_n; g++) {
        const struct profile_row *rows = &p->rows[g * s->app_n];
        size_t from = out->size;
        text_add(out, "%s%s, each app alone until %s", g ? "\n" : "", rows->gpu->name,
                 until_name(s->until));
        if (s->cycles) text_add(out, ", %llu cycles", (unsigned long long)s->cycles);
        text_add(out, "\n\n");
        columns_wrap(out, from, columns_wide());
        show_kernels(rows, s->app_n, out);
        text_put(out, "\n", 1);
        show_memory(rows, s->app_n, out);
        text_put(out, "\n", 1);
        show_use(rows, s->app_n, out);
        show_sharing(rows, s->app_n, out);
        show_hot_lines(rows, s->app_n, out);
    }
}

/* Opens the machines of all --gpu options, each a list NAME,NAME,... */
static u32 open_gpus(const struct options *o, struct text *names, struct gpu_file *gpus,
                     struct fail *fail)
{
    u32 n = 0, before = fail->error_n;
    for (u32 i = 0; i < o->gpus.n; i++) text_add(names, "%s%s", i ? "," : "", o->gpus.at[i]);
    if (!o->gpus.n) text_add(names, "%s", setup_gpu(o));
    for (char *at = names->bytes, *end; at; at = end) {
        end = strchr(at, ',');
        if (end) *end++ = 0;
        if (n == GPUS_MAX) {
            fail_plain(fail, "more than %d machines", GPUS_MAX);
            break;
        }
        gpu_file_open(&gpus[n++], at, o->set.at, o->set.n, fail);
        if (fail->error_n != before) break;
    }
    return n;
}

static bool write_page(const char *path, void (*show)(const struct profile *, struct text *),
                       const struct profile *p, struct console *c)
{
    if (!path) return true;
    struct text text = {0};
    show(p, &text);
    bool ok = setup_write(path, &text, c);
    text_free(&text);
    return ok;
}

static int show_all(const struct options *o, const struct output *outputs, u32 n,
                    const struct profile *p, struct console *c)
{
    c->keep = true;
    int status = EXIT_DONE;
    for (u32 i = 0; i < p->row_n; i++) {
        const struct profile_row *r = &p->rows[i];
        if (r->alone.known) continue;
        status = EXIT_ABNORMAL;
        text_add(&c->fail.text, "%s on %s: %s", r->app, r->gpu->name, text_get(&r->trouble));
    }
    if (!write_page(o->json, profile_json, p, c)) status = EXIT_INPUT;
    if (!write_page(o->profile_csv, profile_csv, p, c)) status = EXIT_INPUT;
    if (!write_page(o->profile_html, profile_page, p, c)) status = EXIT_INPUT;
    if (!setup_table(outputs, n, o)) return status;
    show_tables(p, &c->out);
    size_t from = c->out.size;
    if (o->legend == SWITCH_ON) text_add(&c->out, LEGEND_CYCLES);
    if (o->legend == SWITCH_ON && o->lines)
        text_add(&c->out, "lines: cycles, share of scheduler cycles (issues and stalls); sectors, "
                          "of 32 bytes per instruction; conflicts, cycles of shared memory; "
                          "lanes, mean active\n");
    columns_wrap(&c->out, from, columns_wide());
    return status;
}

int command_profile(const struct options *o, struct console *c)
{
    struct gpu_file gpus[GPUS_MAX] = {0};
    struct text names = {0}, command = {0};
    struct progress_line progress;
    const struct output outputs[] = {output_option("--json", o->json),
                                     output_option("--csv", o->profile_csv),
                                     output_option("--html", o->profile_html)};
    int status = EXIT_INPUT;
    if (!o->operand_n) {
        fail_plain(&c->fail, "expected at least one app");
        fail_note(&c->fail, "a shipped workload (corun list workloads) or an app file");
    }
    setup_count(o, TABLE_ROWS - 1, "apps", &c->fail);
    u32 n = open_gpus(o, &names, gpus, &c->fail);
    setup_outputs(outputs, COUNT_OF(outputs), o, &c->fail);
    const struct ptx_arch ptx = setup_ptx(o, &c->fail);
    options_command(o, "profile", &command);
    if (!c->fail.error_n) {
        struct profile_setup setup = {
            .sim = {.apps = o->operands, .app_n = o->operand_n,
                    .outputs = outputs, .output_n = COUNT_OF(outputs),
                    .until = (enum until)o->profile_until, .cycles = o->profile_cycles,
                    .seed = o->seed, .skip = o->skip == SWITCH_ON, .lines = o->lines,
                    .host_seconds = HOST_SECONDS, .app_folder = setup_folder(o),
                    .program_ptx = ptx, .watch = progress_start(&progress, o),
                    .interrupted = interrupt_came, .command = command.bytes},
            .gpus = gpus, .gpu_n = n, .cached = o->profile_from == 0,
            .threads = o->profile_threads ? (u32)o->profile_threads : processors_allowed()};
        if (!o->profile_cycles && o->profile_until == UNTIL_WINDOW) {
            setup.sim.cycles = WINDOW_CYCLES;
        }
        struct profile p;
        interrupts_note();
        bool ok = profile_run(&p, &setup, &c->fail);
        progress_end(&progress);
        if (ok) setup_tell_gpu(o, gpus, n, &c->fail.text);
        if (ok) status = show_all(o, outputs, COUNT_OF(outputs), &p, c);
        profile_free(&p);
    }
    for (u32 i = 0; i < n; i++) gpu_file_free(&gpus[i]);
    text_free(&names);
    text_free(&command);
    return status;
}
