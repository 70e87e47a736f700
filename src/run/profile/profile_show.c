/* A finished profile as JSON (schema corun-profile/1) and as CSV: gpu,app,key,value. */
#include <inttypes.h>
#include <math.h>
#include "run/io/jot.h"
#include "run/study/metric.h"
#include "run/profile/profile.h"
#include "run/result/result.h"

static const char *known(const char *word) { return word[0] == '-' ? NULL : word; }

static void show_kernel(struct jot *j, const struct profile_row *r, u32 kernel)
{
    struct profile_occupancy o;
    const struct sim_kernel *k = &r->alone.kernels[kernel];
    const struct resource *leader = profile_leader(r, kernel);
    profile_occupancy(&r->gpu->machine, &k->fits, &o);
    jot_open(j, NULL, '{');
    result_show_kernel(j, k);
    jot_real(j, "register_occupancy", o.registers);
    jot_real(j, "shared_occupancy", o.shared);
    jot_real(j, "thread_occupancy", o.threads);
    jot_real(j, "block_occupancy", o.blocks);
    jot_whole(j, "alone_cycles", k->stat_cycles);
    jot_text(j, "type", known(profile_type(r, kernel)));
    jot_text(j, "use", known(profile_use(r, kernel)));
    jot_text(j, "leading_resource", leader ? leader->name : NULL);
    jot_open(j, "ratios", '{');
    for (u32 i = 0; i < gpu_ratio_row_n; i++) {
        const char *name = gpu_ratio_rows[i].name;
        jot_real(j, name, profile_ratio(r, kernel, name));
    }
    jot_close(j, '}');
    jot_close(j, '}');
}

static void show_row(struct jot *j, const struct profile_row *r)
{
    const struct alone *a = &r->alone;
    const struct resource *leader = profile_leader(r, PROFILE_APP);
    jot_open(j, NULL, '{');
    jot_text(j, "gpu", r->gpu->name);
    jot_text(j, "app", r->app);
    jot_text(j, "status", sim_status_name(a->status));
    jot_whole(j, "cycles", a->cycles);
    jot_whole(j, "completions", a->completions);
    jot_whole(j, "launches", a->launches);
    jot_text(j, "type", known(profile_type(r, PROFILE_APP)));
    jot_text(j, "use", known(profile_use(r, PROFILE_APP)));
    jot_text(j, "leading_resource", leader ? leader->name : NULL);
    jot_open(j, "kernels", '[');
    for (u32 i = 0; i < a->kernel_n; i++) show_kernel(j, r, i);
    jot_close(j, ']');
    result_show_stats(j, "stats", &a->stats, &r->capacity);
    jot_close(j, '}');
}

void profile_json(const struct profile *p, struct text *out)
{
    struct jot j = {.out = out};
    const struct sim_setup *s = &p->setup->sim;
    jot_open(&j, NULL, '{');
    jot_text(&j, "schema", "corun-profile/1");
    jot_text(&j, "version", CORUN_VERSION);
    jot_text(&j, "until", until_name(s->until));
    if (s->cycles) jot_whole(&j, "cycle_limit", s->cycles);
    else jot_null(&j, "cycle_limit");
    jot_whole(&j, "seed", s->seed);
    jot_open(&j, "profiles", '[');
    for (u32 i = 0; i < p->row_n; i++) show_row(&j, &p->rows[i]);
    jot_close(&j, ']');
    jot_close(&j, '}');
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

/* What is undefined is an empty field. */
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
        const char *key;
        double value;
    } numbers[] = {{"launches", (double)k->launches},
                   {"alone_cycles", (double)k->stat_cycles},
                   {"registers_per_thread", k->fits.registers},
                   {"shared_bytes", k->fits.shared_bytes},
                   {"block_threads", k->fits.block_threads},
                   {"blocks_per_sm", k->fits.blocks_per_sm},
                   {"register_occupancy", o.registers},
                   {"shared_occupancy", o.shared},
                   {"thread_occupancy", o.threads},
                   {"block_occupancy", o.blocks}};
    const struct resource *leader = profile_leader(r, kernel);
    const char *const words[][2] = {{"limiter", k->fits.limiter},
                                    {"type", known(profile_type(r, kernel))},
                                    {"use", known(profile_use(r, kernel))},
                                    {"leading_resource", leader ? leader->name : NULL}};
    struct text key = {0};
    text_add(&key, "kernel.%s.", k->name);
    size_t head = key.size;
    for (u32 i = 0; i < COUNT_OF(numbers); i++, key.size = head) {
        text_add(&key, "%s", numbers[i].key);
        csv_real(out, r, key.bytes, numbers[i].value);
    }
    for (u32 i = 0; i < COUNT_OF(words); i++, key.size = head) {
        text_add(&key, "%s", words[i][0]);
        csv_word(out, r, key.bytes, words[i][1]);
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
        csv_word(out, r, "status", sim_status_name(r->alone.status));
        csv_real(out, r, "cycles", (double)r->alone.cycles);
        csv_word(out, r, "type", known(profile_type(r, PROFILE_APP)));
        csv_word(out, r, "use", known(profile_use(r, PROFILE_APP)));
        csv_word(out, r, "leading_resource", leader ? leader->name : NULL);
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
