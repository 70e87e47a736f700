/* Writes a finished profile as JSON (schema corun-profile/1) and as CSV (gpu,app,key,value). */
#include <inttypes.h>
#include <math.h>
#include "base/demangle.h"
#include "run/profile/profile.h"
#include "run/result/result.h"
#include "run/result/result_writer.h"
#include "run/study/metric.h"

static const char *known(const char *word) { return word[0] == '-' ? NULL : word; }

static void show_kernel(struct result_writer *w, const struct profile_row *r, u32 kernel)
{
    struct profile_occupancy o;
    const struct sim_kernel *k = &r->alone.kernels[kernel];
    const struct resource *leader = profile_leader(r, kernel);
    profile_occupancy(&r->gpu->machine, &k->fits, &o);
    result_open(w, OBJECT_profile_kernel, '{');
    result_show_kernel(w, k);
    result_put_real(w, KEY_profile_kernel_register_occupancy, o.registers);
    result_put_real(w, KEY_profile_kernel_shared_occupancy, o.shared);
    result_put_real(w, KEY_profile_kernel_thread_occupancy, o.threads);
    result_put_real(w, KEY_profile_kernel_block_occupancy, o.blocks);
    result_put_integer(w, KEY_profile_kernel_alone_cycles, k->stat_cycles);
    result_put_text(w, KEY_profile_kernel_type, known(profile_type(r, kernel)));
    result_put_text(w, KEY_profile_kernel_use, known(profile_use(r, kernel)));
    result_put_text(w, KEY_profile_kernel_leading_resource, leader ? leader->name : NULL);
    result_open(w, KEY_profile_kernel_ratios, '{');
    for (u32 i = 0; i < gpu_ratio_row_n; i++) {
        const char *name = gpu_ratio_rows[i].name;
        json_put_real(&w->json, name, profile_ratio(r, kernel, name));
    }
    result_close(w, '}');
    result_close(w, '}');
}

static void show_place(struct result_writer *w, enum result_key file, enum result_key line,
                       const char *name, u32 number)
{
    result_put_text(w, file, name);
    if (name) result_put_integer(w, line, number);
    else result_put_null(w, line);
}

static void show_line(struct result_writer *w, const struct listing *x, u32 pc)
{
    const struct listing_line *l = &x->lines[pc];
    result_open_flat(w, OBJECT_profile_line, '{');
    result_put_text(w, KEY_profile_line_kernel, x->kernel);
    result_put_text(w, KEY_profile_line_function, x->functions[pc]);
    result_put_integer(w, KEY_profile_line_pc, pc);
    result_put_integer(w, KEY_profile_line_ptx_line, l->line);
    show_place(w, KEY_profile_line_file, KEY_profile_line_line, l->origin.file, l->origin.line);
    show_place(w, KEY_profile_line_call_file, KEY_profile_line_call_line, l->origin.call_file,
               l->origin.call_line);
    for (u32 i = 0; i < inst_stat_row_n; i++)
        result_put_integer(w, (enum result_key)(KEY_profile_line_issued + i),
                           stat_get(&x->counts[pc], &inst_stat_rows[i]));
    result_close(w, '}');
}

static void show_lines(struct result_writer *w, const struct lines *l)
{
    if (!l) return;
    result_open(w, KEY_profile_app_lines, '[');
    for (u32 i = 0; i < l->listing_n; i++)
        for (u32 pc = 0; pc < l->listings[i].code_n; pc++) show_line(w, &l->listings[i], pc);
    result_close(w, ']');
}

static void show_row(struct result_writer *w, const struct profile_row *r)
{
    const struct alone *a = &r->alone;
    const struct resource *leader = profile_leader(r, PROFILE_APP);
    result_open(w, OBJECT_profile_app, '{');
    result_put_text(w, KEY_profile_app_gpu, r->gpu->name);
    result_put_text(w, KEY_profile_app_app, r->app);
    result_put_text(w, KEY_profile_app_status, sim_status_name(a->status));
    result_put_integer(w, KEY_profile_app_cycles, a->cycles);
    result_put_integer(w, KEY_profile_app_completions, a->completions);
    result_put_integer(w, KEY_profile_app_launches, a->launches);
    result_put_text(w, KEY_profile_app_type, known(profile_type(r, PROFILE_APP)));
    result_put_text(w, KEY_profile_app_use, known(profile_use(r, PROFILE_APP)));
    result_put_text(w, KEY_profile_app_leading_resource, leader ? leader->name : NULL);
    result_open(w, KEY_profile_app_kernels, '[');
    for (u32 i = 0; i < a->kernel_n; i++) show_kernel(w, r, i);
    result_close(w, ']');
    result_show_stats(w, KEY_profile_app_stats, &a->stats, &r->capacity);
    show_lines(w, r->lines);
    result_close(w, '}');
}

void profile_json(const struct profile *p, struct text *out)
{
    struct result_writer w = {.json.out = out};
    const struct sim_setup *s = &p->setup->sim;
    result_open(&w, OBJECT_profile, '{');
    result_put_schema(&w, KEY_profile_schema);
    result_put_version(&w);
    result_put_text(&w, KEY_profile_until, until_name(s->until));
    if (s->cycles) result_put_integer(&w, KEY_profile_cycle_limit, s->cycles);
    else result_put_null(&w, KEY_profile_cycle_limit);
    result_put_integer(&w, KEY_profile_seed, s->seed);
    result_open(&w, KEY_profile_profiles, '[');
    for (u32 i = 0; i < p->row_n; i++) show_row(&w, &p->rows[i]);
    result_close(&w, ']');
    result_close(&w, '}');
}

/* ---- CSV ---- */

static void csv_head(struct text *out, const struct profile_row *r)
{
    const char *words[] = {r->gpu->name, r->app};
    for (u32 i = 0; i < COUNT_OF(words); i++) {
        text_put(out, "\"", 1);
        for (const char *c = words[i]; *c; c++) text_add(out, *c == '"' ? "\"\"" : "%c", *c);
        text_put(out, "\",", 2);
    }
}

static void csv_word(struct text *out, const struct profile_row *r, const char *key,
                     const char *value)
{
    csv_head(out, r);
    text_add(out, "%s,%s\n", key, value ? value : "");
}

/* An undefined value is an empty field. */
static void csv_real(struct text *out, const struct profile_row *r, const char *key, double value)
{
    csv_head(out, r);
    text_add(out, "%s,", key);
    if (isfinite(value)) real_show(value, out);
    text_put(out, "\n", 1);
}

static void csv_kernel(struct text *out, const struct profile_row *r, u32 kernel)
{
    const struct sim_kernel *k = &r->alone.kernels[kernel];
    struct profile_occupancy o;
    profile_occupancy(&r->gpu->machine, &k->fits, &o);
    const struct {
        enum result_key key;
        double value;
    } numbers[] = {{KEY_profile_kernel_launches, (double)k->launches},
                   {KEY_profile_kernel_alone_cycles, (double)k->stat_cycles},
                   {KEY_profile_kernel_registers_per_thread, k->fits.registers},
                   {KEY_profile_kernel_shared_bytes, k->fits.shared_bytes},
                   {KEY_profile_kernel_block_threads, k->fits.block_threads},
                   {KEY_profile_kernel_carveout_bytes, k->fits.carveout_bytes},
                   {KEY_profile_kernel_blocks_per_sm, k->fits.blocks_per_sm},
                   {KEY_profile_kernel_register_occupancy, o.registers},
                   {KEY_profile_kernel_shared_occupancy, o.shared},
                   {KEY_profile_kernel_thread_occupancy, o.threads},
                   {KEY_profile_kernel_block_occupancy, o.blocks}};
    const struct resource *leader = profile_leader(r, kernel);
    const struct {
        enum result_key key;
        const char *word;
    } words[] = {{KEY_profile_kernel_limiter, k->fits.limiter},
                 {KEY_profile_kernel_type, known(profile_type(r, kernel))},
                 {KEY_profile_kernel_use, known(profile_use(r, kernel))},
                 {KEY_profile_kernel_leading_resource, leader ? leader->name : NULL}};
    struct text key = {0};
    text_add(&key, "kernel.");
    demangle_show(k->name, &key);
    text_add(&key, ".");
    size_t head = key.size;
    for (u32 i = 0; i < COUNT_OF(numbers); i++, key.size = head) {
        text_add(&key, "%s", key_name(numbers[i].key));
        csv_real(out, r, key.bytes, numbers[i].value);
    }
    for (u32 i = 0; i < COUNT_OF(words); i++, key.size = head) {
        text_add(&key, "%s", key_name(words[i].key));
        csv_word(out, r, key.bytes, words[i].word);
    }
    for (u32 i = 0; i < gpu_ratio_row_n; i++, key.size = head) {
        text_add(&key, "%s", gpu_ratio_rows[i].name);
        csv_real(out, r, key.bytes, profile_ratio(r, kernel, gpu_ratio_rows[i].name));
    }
    text_free(&key);
}

void profile_csv(const struct profile *p, struct text *out)
{
    text_add(out, "gpu,app,key,value\n");
    for (u32 i = 0; i < p->row_n; i++) {
        const struct profile_row *r = &p->rows[i];
        const struct resource *leader = profile_leader(r, PROFILE_APP);
        csv_word(out, r, key_name(KEY_profile_app_status), sim_status_name(r->alone.status));
        csv_real(out, r, key_name(KEY_profile_app_cycles), (double)r->alone.cycles);
        csv_word(out, r, key_name(KEY_profile_app_type), known(profile_type(r, PROFILE_APP)));
        csv_word(out, r, key_name(KEY_profile_app_use), known(profile_use(r, PROFILE_APP)));
        csv_word(out, r, key_name(KEY_profile_app_leading_resource), leader ? leader->name : NULL);
        for (u32 k = 0; k < r->alone.kernel_n; k++) csv_kernel(out, r, k);
        for (u32 k = 0; k < gpu_stat_row_n; k++) {
            csv_head(out, r);
            text_add(out, "%s,%" PRIu64 "\n", gpu_stat_rows[k].name,
                     stat_get(&r->alone.stats, &gpu_stat_rows[k]));
        }
        for (u32 k = 0; k < gpu_ratio_row_n; k++) {
            const char *name = gpu_ratio_rows[k].name;
            csv_real(out, r, name, profile_ratio(r, PROFILE_APP, name));
        }
    }
}
