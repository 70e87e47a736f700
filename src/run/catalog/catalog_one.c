/* Details of a machine, a policy or a PTX module. */
#include <stdlib.h>
#include <string.h>
#include "host/name/kernel_name.h"
#include "isa/isa.h"
#include "ptx/ptx.h"
#include "run/catalog/catalog.h"
#include "run/cuda/fat.h"
#include "run/io/file.h"
#include "run/input/gpu_file.h"
#include "run/input/input_set.h"
#include "run/input/mechanism.h"

static void add_value(struct catalog *c, const void *object, const struct conf_row *row,
                      const struct gpu_value *v, const struct conf_place *place)
{
    struct text value = {0};
    conf_show(object, row, &value);
    const char *key = catalog_text(c, "%s.%s", row->section, row->field);
    catalog_add(c, (const char *const[]){key, value.bytes, row->unit, v->chain,
                                         place->source ? v->source : "named by no file"});
    text_free(&value);
}

bool catalog_gpu(struct catalog *c, const char *gpu, struct fail *fail)
{
    struct gpu_file g;
    bool ok = gpu_file_open(&g, gpu, NULL, 0, fail);
    catalog_start(c, "", "", 5, (const char *const[]){"key", "value", "unit", "from", "source"});
    if (ok) catalog_heading(c, catalog_text(c, "%s: %s\n", gpu, g.about));
    for (u32 i = 0; ok && i < machine_row_n; i++)
        add_value(c, &g.machine, &machine_rows[i], &g.values[i], &g.places[i]);
    for (u32 i = 0; ok && i < energy_row_n; i++)
        add_value(c, &g.energy, &energy_rows[i], &g.energy_values[i], &g.energy_places[i]);
    gpu_file_free(&g);
    return ok;
}

bool catalog_unknown(const char *kind, const char *list, const char *name, struct nearest *nearest,
                     struct fail *fail)
{
    struct source s = {COMMAND_LINE, name, strlen(name)};
    fail_at(fail, &s, 0, "there is no %s '%s'", kind, name);
    fail_nearest(fail, nearest);
    fail_note(fail, "corun list %s shows all names", list);
    return false;
}

static void add_storage(struct catalog *c, const struct corun_storage *rows)
{
    u64 sum = 0;
    if (!rows) return;
    catalog_heading(c, "storage of an SM");
    for (; rows->name; rows++) {
        u64 bits = (u64)rows->entry_bits * rows->entries;
        sum += bits;
        catalog_add(c, (const char *const[]){
            rows->name, catalog_text(c, "%llu bits", (unsigned long long)bits), "",
            catalog_text(c, "%u of %u bits", rows->entries, rows->entry_bits)});
    }
    catalog_add(c, (const char *const[]){
        "sum", catalog_text(c, "%llu bits", (unsigned long long)sum), "",
        catalog_text(c, "%llu bytes", (unsigned long long)(sum / 8))});
}

bool catalog_policy(struct catalog *c, const char *name, struct fail *fail)
{
    catalog_start(c, "", "", 4, (const char *const[]){"", "", "", ""});
    const struct corun_policy *p = mechanism_find(name);
    struct plugin plugin = {0};
    if (plugin_named(name)) {
        struct source s = {COMMAND_LINE, name, strlen(name)};
        if (!plugin_open(&plugin, name, NULL, &s, 0, fail)) return false;
        p = plugin.policy;
    }
    if (!p) {
        struct nearest nearest;
        nearest_init(&nearest, name);
        for (u32 i = 0; mechanism_shipped(i); i++) {
            nearest_offer(&nearest, mechanism_shipped(i)->name);
        }
        return catalog_unknown("policy", "policies", name, &nearest, fail);
    }
    catalog_heading(c, catalog_text(c, "%s: %s\n%s", p->name, p->sentence,
                                    p->source ? p->source : name));
    if (p->options) catalog_heading(c, "options");
    for (const struct corun_option *o = p->options; o && o->name; o++) {
        struct text expect = {0};
        mechanism_expect(o, &expect);
        catalog_add(c, (const char *const[]){o->name, o->initial, expect.bytes, o->sentence});
        text_free(&expect);
    }
    if (p->stats) catalog_heading(c, "statistics");
    for (const struct corun_policy_stat *s = p->stats; s && s->name; s++) {
        catalog_add(c, (const char *const[]){s->name, s->unit, "", s->sentence});
    }
    add_storage(c, p->storage);
    plugin_close(&plugin);
    return true;
}

/* ---- PTX modules ---- */

static int more_often(const void *a, const void *b)
{
    const u32 *x = a, *y = b; /* {count, opcode} */
    if (x[0] != y[0]) return x[0] < y[0] ? 1 : -1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

/* Returns the static instruction mix, most frequent opcode first: "ld 12, add 8, ...". */
static const char *mix_of(struct catalog *c, const struct program *p)
{
    u32 counts[OP_N][2];
    for (u32 op = 0; op < OP_N; op++) counts[op][0] = 0, counts[op][1] = op;
    for (u32 pc = 0; pc < p->code_n; pc++) counts[p->ptx->code[pc].form.op][0]++;
    qsort(counts, OP_N, sizeof counts[0], more_often);
    struct text t = {0};
    for (u32 i = 0; i < OP_N && counts[i][0]; i++) {
        text_add(&t, "%s%s %u", i ? ", " : "", op_name((enum op)counts[i][1]), counts[i][0]);
    }
    const char *mix = catalog_text(c, "%s", text_get(&t));
    text_free(&t);
    return mix;
}

static void add_kernel(struct catalog *c, const char *name, const struct program *p)
{
    catalog_add(c, (const char *const[]){
        name, catalog_text(c, "%u", p->registers), catalog_text(c, "%u", p->shared_bytes),
        catalog_text(c, "%u", p->local_bytes), catalog_text(c, "%u", p->code_n), mix_of(c, p)});
}

/* Adds a row for an unsupported kernel, with its first error: "not supported, line 37: ...". */
static void add_refused(struct catalog *c, const char *name, const struct source *source,
                        const struct fail *why)
{
    static const char mark[] = ": error: ";
    const char *text = text_get(&why->text), *what = strstr(text, mark);
    size_t place = strlen(source->name) + 1;
    bool placed = what && what - text > (ptrdiff_t)place;
    const char *line = placed ? catalog_text(c, ", line %lu", strtoul(text + place, NULL, 10)) : "";
    what = what ? what + strlen(mark) : text;
    catalog_add(c, (const char *const[]){
        name, "-", "-", "-", "-",
        catalog_text(c, "not supported%s: %.*s", line, (int)strcspn(what, "\n"), what)});
}

/* Adds a row for each kernel. An unsupported kernel gets a row with its first error only if the
 * module has several kernels; for a single kernel the error message suffices. */
static void add_kernels(struct catalog *c, const struct module *m, const struct source *source,
                        struct fail *fail)
{
    bool worth = ptx_kernel_n(m) > 1;
    for (u32 k = 0; k < ptx_kernel_n(m); k++) {
        struct fail own = {0};
        const char *name = kernel_shown(m, k, &c->arena);
        const struct program *p = ptx_lower(m, k, &c->arena, &own);
        if (p) add_kernel(c, name, p);
        else if (worth) add_refused(c, name, source, &own);
        fail_append(fail, &own);
        fail_free(&own);
    }
}

/* Returns the PTX of a workload, and stores in *is_workload whether the argument names a workload.
 * NULL: no workload, or errors in `fail`. */
static const struct source *workload_ptx(struct input_set *set, const char *argument,
                                         bool *is_workload, struct fail *fail)
{
    struct text name = {0};
    text_put(&name, argument, strcspn(argument, ":"));
    *is_workload = workload_find(text_get(&name)) != NULL;
    text_free(&name);
    struct input_rules rules = {.seed = 1};
    bool ok = *is_workload && input_set_open(set, &argument, 1, &rules, fail);
    return ok ? set->inputs[0]->ptx : NULL;
}

static void add_module(struct catalog *c, const struct source *source,
                       const struct input_rules *rules, struct fail *fail)
{
    struct module *m = ptx_parse(source, &c->arena, fail);
    if (m && rules) input_rules_apply(rules, m);
    if (m) add_kernels(c, m, source, fail);
    if (m && !ptx_kernel_n(m)) catalog_heading(c, "no kernels: the module has no .entry");
}

/* True for a binary file: executable, object, archive or fat binary. */
static bool is_binary(const struct source *file)
{
    return file->size && memchr(file->text, 0, file->size);
}

/* Adds the kernels of a PTX embedded in a binary; `number` counts from 1. */
static void add_embedded(struct catalog *c, const char *file, u32 number, u32 arch,
                         const struct text *ptx, const struct input_rules *rules,
                         struct text *source_text, struct fail *fail)
{
    const char *what = catalog_text(c, "PTX %u, for sm_%u", number, arch);
    const struct source source = {catalog_text(c, "%s, PTX %u", file, number),
                                  arena_text(&c->arena, text_get(ptx), ptx->size), ptx->size};
    catalog_heading(c, catalog_text(c, "%s%s\n", number > 1 ? "\n" : "", what));
    if (source_text) text_add(source_text, "// %s\n%s\n", what, text_get(ptx));
    add_module(c, &source, rules, fail);
}

/* Adds the kernels of every PTX in all fat binaries of a file. */
static void add_binary(struct catalog *c, const struct source *file,
                       const struct input_rules *rules, struct text *source_text,
                       struct fail *fail)
{
    const u8 *bytes = (const u8 *)file->text;
    size_t n = file->size, last = n;
    struct text why = {0};
    u32 number = 0, arch;
    for (size_t fat = fat_find(bytes, n, 0); fat < n && !why.size;
         fat = fat_find(bytes, n, fat + fat_size(bytes + fat, n - fat))) {
        struct text ptx = {0};
        last = fat;
        for (size_t at = 0; fat_next(bytes + fat, n - fat, &at, &ptx, &arch, &why); ptx.size = 0)
            add_embedded(c, file->name, ++number, arch, &ptx, rules, source_text, fail);
        text_free(&ptx);
    }
    if (!number && !why.size && last < n) {
        const struct fat_want any = {.capability = UINT32_MAX};
        struct ptx_arch taken;
        struct text none = {0};
        fat_ptx(bytes + last, n - last, &any, &none, &taken, &why);
        text_free(&none);
    }
    if (why.size) {
        fail_plain(fail, "%s: %s", file->name, why.bytes);
    } else if (!number) {
        fail_plain(fail, "%s holds no GPU code", file->name);
        fail_note(fail, "expected PTX, or a program or object with CUDA kernels");
    }
    text_free(&why);
}

bool catalog_ptx(struct catalog *c, const char *argument, const struct gpu_file *gpu,
                 struct text *source_text, struct fail *fail)
{
    struct input_rules of_gpu;
    const struct input_rules *rules = gpu ? &of_gpu : NULL;
    if (gpu) of_gpu = input_rules_of(&gpu->machine, 1);
    u32 before = fail->error_n;
    catalog_start(c, "", "", 6, (const char *const[]){"kernel", "registers", "shared bytes",
                                                      "local bytes", "instructions", "mix"});
    struct file_set files;
    struct input_set set = {0};
    bool is_workload;
    file_set_init(&files);
    const struct source *source = workload_ptx(&set, argument, &is_workload, fail);
    if (!is_workload) source = file_set_open(&files, argument, fail);
    if (source && is_binary(source)) {
        add_binary(c, source, rules, source_text, fail);
    } else if (source) {
        if (source_text) text_put(source_text, source->text, source->size);
        add_module(c, source, rules, fail);
    }
    file_set_free(&files);
    if (is_workload) input_set_free(&set);
    return fail->error_n == before;
}
