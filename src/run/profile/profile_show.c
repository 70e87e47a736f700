/* Writes a finished profile as JSON (schema corun-profile/1) and as CSV (gpu,app,key,value). */
#include <inttypes.h>
#include <math.h>
#include "run/io/json_writer.h"
#include "run/study/metric.h"
#include "run/profile/profile.h"
#include "run/result/result.h"

static const char *known(const char *word) { return word[0] == '-' ? NULL : word; }

static void show_kernel(struct json_writer *j, const struct profile_row *r, u32 kernel)
{
    struct profile_occupancy o;
    const struct sim_kernel *k = &r->alone.kernels[kernel];
    const struct resource *leader = profile_leader(r, kernel);
    profile_occupancy(&r->gpu->machine, &k->fits, &o);
    json_open(j, NULL, '{');
    result_show_kernel(j, k);
    json_put_real(j, "register_occupancy", o.registers);
    json_put_real(j, "shared_occupancy", o.shared);
    json_put_real(j, "thread_occupancy", o.threads);
    json_put_real(j, "block_occupancy", o.blocks);
    json_put_integer(j, "alone_cycles", k->stat_cycles);
    json_put_text(j, "type", known(profile_type(r, kernel)));
    json_put_text(j, "use", known(profile_use(r, kernel)));
    json_put_text(j, "leading_resource", leader ? leader->name : NULL);
    json_open(j, "ratios", '{');
    for (u32 i = 0; i < gpu_ratio_row_n; i++) {
        const char *name = gpu_ratio_rows[i].name;
        json_put_real(j, name, profile_ratio(r, kernel, name));
    }
    json_close(j, '}');
    json_close(j, '}');
}

static void show_row(struct json_writer *j, const struct profile_row *r)
{
    const struct alone *a = &r->alone;
    const struct resource *leader = profile_leader(r, PROFILE_APP);
    json_open(j, NULL, '{');
    json_put_text(j, "gpu", r->gpu->name);
    json_put_text(j, "app", r->app);
    json_put_text(j, "status", sim_status_name(a->status));
    json_put_integer(j, "cycles", a->cycles);
    json_put_integer(j, "completions", a->completions);
    json_put_integer(j, "launches", a->launches);
    json_put_text(j, "type", known(profile_type(r, PROFILE_APP)));
    json_put_text(j, "use", known(profile_use(r, PROFILE_APP)));
    json_put_text(j, "leading_resource", leader ? leader->name : NULL);
    json_open(j, "kernels", '[');
    for (u32 i = 0; i < a->kernel_n; i++) show_kernel(j, r, i);
    json_close(j, ']');
    result_show_stats(j, "stats", &a->stats, &r->capacity);
    json_close(j, '}');
}

void profile_json(const struct profile *p, struct text *out)
{
    struct json_writer j = {.out = out};
    const struct sim_setup *s = &p->setup->sim;
    json_open(&j, NULL, '{');
    json_put_text(&j, "schema", "corun-profile/1");
    json_put_version(&j);
    json_put_text(&j, "until", until_name(s->until));
    if (s->cycles) json_put_integer(&j, "cycle_limit", s->cycles);
    else json_put_null(&j, "cycle_limit");
    json_put_integer(&j, "seed", s->seed);
    json_open(&j, "profiles", '[');
    for (u32 i = 0; i < p->row_n; i++) show_row(&j, &p->rows[i]);
    json_close(&j, ']');
    json_close(&j, '}');
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
