/* The lists of `corun list`, each generated from the rows of its subject. */
#include <string.h>
#include "gpu/dispatch/group.h"
#include "gpu/gauge.h"
#include "gpu/waits.h"
#include "run/study/blame.h"
#include "gpu/machine/stat.h"
#include "isa/isa.h"
#include "isa/matrix.h"
#include "run/io/asset.h"
#include "run/catalog/catalog.h"
#include "run/input/gpu_file.h"
#include "run/input/mechanism.h"
#include "run/study/metric.h"

static void make_gpus(struct catalog *c)
{
    catalog_start(c, "Machines", "The shipped machines. `corun show gpu NAME` prints every value "
                  "with source; a machine file may build on a shipped machine with `base:`.",
                  2, (const char *const[]){"machine", "description"});
    for (u32 i = 0; asset_gpu(i); i++) {
        struct gpu_file g;
        struct fail fail = {0};
        bool shipped_is_right = gpu_file_open(&g, asset_gpu(i), NULL, 0, &fail);
        catalog_add(c, (const char *const[]){asset_gpu(i),
                                             shipped_is_right ? g.about : text_get(&fail.text)});
        fail_free(&fail);
        gpu_file_free(&g);
    }
}

static void add_values(struct catalog *c, const struct gpu_file *g, u32 n, bool energy, u32 i)
{
    const struct conf_row *row = energy ? &energy_rows[i] : &machine_rows[i];
    const char *cells[CATALOG_COLUMNS] = {catalog_text(c, "%s.%s", row->section, row->field)};
    for (u32 k = 0; k < n; k++) {
        struct text value = {0};
        conf_show(energy ? (const void *)&g[k].energy : &g[k].machine, row, &value);
        cells[k + 1] = catalog_text(c, "%s", value.bytes);
        text_free(&value);
    }
    cells[n + 1] = row->unit;
    catalog_add(c, cells);
}

/* Every machine is a column: the number of shipped machines must not exceed CATALOG_COLUMNS - 2. */
static void make_values(struct catalog *c)
{
    struct gpu_file g[CATALOG_COLUMNS];
    const char *cells[CATALOG_COLUMNS] = {"key"};
    struct fail fail = {0};
    u32 n = 0;
    for (; asset_gpu(n); n++) {
        check(n + 2 < CATALOG_COLUMNS);
        gpu_file_open(&g[n], asset_gpu(n), NULL, 0, &fail);
        cells[n + 1] = asset_gpu(n);
    }
    cells[n + 1] = "unit";
    catalog_start(c, "Values of the machines", "Every option of every shipped machine. `corun show "
                  "gpu NAME` gives the source of each value.", n + 2, cells);
    for (u32 i = 0; i < machine_row_n; i++) add_values(c, g, n, false, i);
    for (u32 i = 0; i < energy_row_n; i++) add_values(c, g, n, true, i);
    while (n) gpu_file_free(&g[--n]);
    fail_free(&fail);
}

/* Returns the paper numbers of a source: "000 001" for "papers 000 section 1, 001 section 2.1". */
static const char *papers_of(struct catalog *c, const char *source)
{
    struct text t = {0};
    for (const char *at = source; at && *at; at += strcspn(at, " ,"), at += strspn(at, " ,"))
        if (strspn(at, "0123456789") == 3 && strcspn(at, " ,") == 3)
            text_add(&t, "%s%.3s", t.size ? " " : "", at);
    const char *papers = catalog_text(c, "%s", text_get(&t));
    text_free(&t);
    return papers;
}

/* Lists the policies with the same claim under a common heading. */
static void make_policies(struct catalog *c)
{
    catalog_start(c, "Policies", "Mechanisms for `--policy`, joined by `+`, each with options in "
                  "brackets: `spatial[split=9/7]`. Default `leftover`. Choose at most one policy "
                  "per heading.",
                  3, (const char *const[]){"policy", "papers", "description"});
    for (u32 claim = 0; claim <= CLAIM_N; claim++) {
        bool some = false;
        for (u32 i = 0; mechanism_shipped(i); i++) {
            const struct corun_policy *p = mechanism_shipped(i);
            if (group_claim_of(p) != claim) continue;
            if (!some && claim < CLAIM_N)
                catalog_heading(c, catalog_text(c, "%s: %s", claim_rows[claim].name,
                                                claim_rows[claim].words));
            some = true;
            catalog_add(c, (const char *const[]){p->name, papers_of(c, p->source), p->sentence});
        }
    }
}

/* Returns the first shipped policy that has an option of this name and sentence, at most policy
 * `last`. */
static const struct corun_policy *first_with(const struct corun_option *option, u32 last)
{
    for (u32 i = 0; i < last; i++) {
        const struct corun_policy *p = mechanism_shipped(i);
        for (const struct corun_option *o = p->options; o && o->name; o++) {
            if (!strcmp(o->name, option->name) && !strcmp(o->sentence, option->sentence)) return p;
        }
    }
    return mechanism_shipped(last);
}

static void make_policy_options(struct catalog *c)
{
    catalog_start(c, "Options of the policies", "Options follow the name of the policy in "
                  "brackets, joined by commas: `mias[metric=ipc,profile_cycles=9000]`. `corun show "
                  "policy NAME` lists the options of a policy. Options shared by several policies "
                  "are described at the first policy; later rows refer to the first row.",
                  4, (const char *const[]){"option", "default", "values", "description"});
    for (u32 i = 0; mechanism_shipped(i); i++) {
        const struct corun_policy *p = mechanism_shipped(i);
        for (const struct corun_option *o = p->options; o && o->name; o++) {
            struct text expect = {0};
            mechanism_expect(o, &expect);
            const char *name = catalog_text(c, "%s[%s=]", p->name, o->name);
            const struct corun_policy *first = first_with(o, i);
            const char *what = first == p ? o->sentence
                                          : catalog_text(c, "As `%s[%s=]`.", first->name, o->name);
            catalog_add(c, (const char *const[]){name, o->initial, expect.bytes, what});
            text_free(&expect);
        }
    }
}

static void make_hooks(struct catalog *c)
{
    catalog_start(c, "Groups of hooks", "Decisions of a policy: the members of `struct "
                  "corun_policy` in `corun/policy.h`. Two policies of a run must not make the same "
                  "decision. Latched: the answer holds until the next call of the group.",
                  5, (const char *const[]){"hook", "decides", "called when", "answer",
                                           "answer says"});
    for (u32 g = 0; g < GROUP_N; g++) {
        const struct group_row *r = &group_rows[g];
        const char *what = catalog_text(c, "%s Default: %s.", r->sentence, r->absent);
        catalog_add(c, (const char *const[]){r->hook, claim_rows[r->claim].name, r->moment,
                                             r->answer, what});
    }
}

static void make_workloads(struct catalog *c) { catalog_workloads(c); }
static void make_parameters(struct catalog *c) { catalog_parameters(c); }
static void make_result(struct catalog *c) { catalog_result(c); }

static void make_stats(struct catalog *c)
{
    catalog_start(c, "Statistics", "Keys of `stats` and `totals`, per app and for the whole GPU. "
                  "Ratios are quotients of sums; an undefined ratio is null. A share of a capacity "
                  "has the whole GPU's capacity over the app's cycles as denominator. Source: "
                  "origin of the definition; corun: defined by corun.",
                  4, (const char *const[]){"statistic", "unit", "meaning", "source"});
    catalog_heading(c, "Counters");
    for (u32 i = 0; i < gpu_stat_row_n; i++) {
        const struct stat_row *r = &gpu_stat_rows[i];
        catalog_add(c, (const char *const[]){r->name, r->unit, r->sentence, r->source});
    }
    catalog_heading(c, "Ratios");
    for (u32 i = 0; i < gpu_ratio_row_n; i++) {
        const struct ratio_row *r = &gpu_ratio_rows[i];
        catalog_add(c, (const char *const[]){r->name, r->unit, r->sentence, r->source});
    }
    catalog_heading(c, "Gauges, at the end of an interval (--interval only)");
    for (u32 i = 0; i < GAUGE_N; i++) {
        const struct gauge_row *r = &gauge_rows[i];
        catalog_add(c, (const char *const[]){r->name, r->unit, r->sentence, "corun"});
    }
    catalog_heading(c, "Metrics of a run");
    for (u32 i = 0; i < metric_row_n; i++) {
        const struct metric_row *r = &metric_rows[i];
        catalog_add(c, (const char *const[]){r->name, r->unit, r->sentence, r->source});
    }
    catalog_heading(c, "Causes of a loss");
    for (u32 i = 0; i < CAUSE_N; i++) {
        const struct cause_row *r = &cause_rows[i];
        catalog_add(c, (const char *const[]){r->key, "SM cycles", r->sentence, "corun"});
    }
    catalog_heading(c, "Levels of a loss");
    for (u32 i = 0; i < LEVEL_N; i++) {
        const struct level_row *r = &level_rows[i];
        catalog_add(c, (const char *const[]){r->key, "SM cycles", r->sentence, "corun"});
    }
    catalog_heading(c, "Counters of policies");
    for (u32 i = 0; mechanism_shipped(i); i++) {
        const struct corun_policy *p = mechanism_shipped(i);
        for (const struct corun_policy_stat *s = p->stats; s && s->name; s++) {
            catalog_add(c, (const char *const[]){catalog_text(c, "%s.%s", p->name, s->name),
                                                 s->unit, s->sentence, p->source});
        }
    }
}

static void add_option(struct catalog *c, const struct conf_row *r)
{
    struct text expect = {0};
    conf_expect(r, &expect);
    const char *key = catalog_text(c, "%s.%s", r->section, r->field);
    catalog_add(c, (const char *const[]){key, r->initial, expect.bytes, r->sentence});
    text_free(&expect);
}

static void make_options(struct catalog *c)
{
    catalog_start(c, "Options of the machine", "Keys for `--set section.key=value` and for machine "
                  "files. A machine file overrides defaults.",
                  4, (const char *const[]){"key", "default", "values", "meaning"});
    for (u32 i = 0; i < machine_row_n; i++) add_option(c, &machine_rows[i]);
    for (u32 i = 0; i < energy_row_n; i++) add_option(c, &energy_rows[i]);
}

static const char *type_words(struct catalog *c, u64 types)
{
    struct text t = {0};
    for (u32 k = 1; k < TYPE_N; k++) {
        if (types >> k & 1) text_add(&t, "%s%s", t.size ? " " : "", type_name((enum type)k));
    }
    const char *words = catalog_text(c, "%s", text_get(&t));
    text_free(&t);
    return words;
}

static void make_opcodes(struct catalog *c)
{
    static const char *const units[] = {"SP", "SFU", "MEM", "tensor"};
    catalog_start(c, "Opcodes", "Supported PTX instructions and types; second types are those of "
                  "an operand with a type of its own. A module with other instructions is rejected "
                  "at loading, with the source location.",
                  4, (const char *const[]){"opcode", "unit", "types", "second types"});
    for (u32 op = 1; op < OP_N; op++) {
        u64 types = 0, types2 = 0;
        for (u32 i = 0; i < isa_typed_n; i++) {
            if (isa_typed[i].op != op) continue;
            types |= isa_typed[i].types;
            types2 |= isa_typed[i].types2;
        }
        bool refused = op_refused((enum op)op);
        catalog_add(c, (const char *const[]){
            op_name((enum op)op), refused ? "-" : units[op_unit((enum op)op)],
            refused ? "not supported" : type_words(c, types), type_words(c, types2)});
    }
}

/* Adds a row for a matrix product, with shape ("m16n8k16") and types ("f32 f16 f16 f32"). */
static void add_product(struct catalog *c, const char *op, const struct matrix_row *r,
                        const char *steps, const char *kind)
{
    const u8 types[] = {r->d, r->a, r->b, r->c};
    struct text t = {0};
    for (u32 k = 0; k < COUNT_OF(types); k++)
        text_add(&t, "%s%s", k ? " " : "", type_name((enum type)types[k]));
    const char *shape = catalog_text(c, "m%un%uk%u", r->m, r->n, r->k);
    const char *words = catalog_text(c, "%s", text_get(&t));
    catalog_add(c, (const char *const[]){op, shape, words, steps, kind});
    text_free(&t);
}

static void make_products(struct catalog *c)
{
    catalog_start(c, "Products of matrices", "D = A x B + C by a warp: types of D, A, B and C. A "
                  "product of n steps holds a tensor unit for n times the cycles of a step; "
                  "wmma.mma is lowered to one or two mma.",
                  5,
                  (const char *const[]){"opcode", "shape", "types", "steps", "cycles of a step"});
    for (u32 k = 0; k < isa_mma_n; k++) {
        const struct matrix_row *r = &isa_mma[k], *before = k ? r - 1 : r;
        bool same = k && before->m == r->m && before->k == r->k && before->a == r->a &&
                    before->b == r->b && before->d == r->d && before->c == r->c;
        if (same || r->variant == MATRIX_WMMA) continue; /* only layout or bit operation differ */
        bool halves = r->m == 8 && r->a == T_F16 && r->class == TENSOR_F32; /* see select_whole */
        u32 steps = halves ? 2 : 1u << r->work;
        add_product(c, "mma", r, catalog_text(c, "%u", steps), machine_tensor_key(r->class));
    }
    for (u32 k = 0; k < isa_mma_sp_n; k++) {
        const struct matrix_row *r = &isa_mma_sp[k];
        add_product(c, "mma.sp", r, catalog_text(c, "%u", 1u << r->work),
                    machine_tensor_key(r->class));
    }
    for (u32 k = 0; k < isa_wmma_n; k++) add_product(c, "wmma.mma", &isa_wmma[k], "", "");
}

#define LIST(name, sentence) {#name, sentence, make_##name},
const struct catalog_list catalog_lists[] = {
#include "run/catalog/catalog.def"
#undef LIST
};
const u32 catalog_list_n = COUNT_OF(catalog_lists);
