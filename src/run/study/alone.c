#include "run/study/alone.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "run/io/file.h"
#include "run/io/hasher.h"
#include "run/io/json_writer.h"
#include "run/sim/key.h"

#define SCHEMA "corun-alone/6"

/* Bit in a key of a run that is never cached, because the app may behave differently in the next
 * run. */
static const u64 UNKEPT = 1;

struct sim_setup alone_setup(const struct sim_setup *setup, u32 app, const char *policy)
{
    struct sim_setup one = *setup;
    sim_setup_quiet(&one);
    one.samples = setup->samples;
    one.policy = one.title = policy;
    one.apps = &setup->apps[app];
    one.app_n = 1;
    one.first_app = setup->first_app + app;
    one.at_once = true;
    return one;
}

bool alone_key(const struct sim_setup *setup, u64 key[2], struct fail *fail)
{
    struct input_set inputs;
    struct mechanisms policy;
    u32 before = fail->error_n;
    if (input_set_open(&inputs, setup->apps, 1, &(struct input_rules){.seed = setup->seed}, fail))
        sim_outputs_check(setup, &inputs, fail);
    mechanisms_parse(&policy, setup->policy, fail);
    bool ok = fail->error_n == before;
    if (ok) {
        u64 run[2];
        input_set_choose_ptx(&inputs, setup->program_ptx);
        key_of_run(run, setup, &inputs, &policy);
        ok = key_of_program(key, run, fail);
        key[1] = (key[1] & ~UNKEPT) | (inputs.inputs[0]->changes ? UNKEPT : 0);
    }
    input_set_free(&inputs);
    mechanisms_free(&policy);
    return ok;
}

bool alone_is_kept(const u64 key[2]) { return !(key[1] & UNKEPT); }

/* Copies kernels with their texts. */
static void keep_kernels(struct alone *a, const struct sim_kernel *from, u32 n)
{
    size_t bytes = n * sizeof *from;
    for (u32 i = 0; i < n; i++) bytes += strlen(from[i].name) + strlen(from[i].fits.limiter) + 2;
    a->kernels = NULL;
    a->kernel_n = n;
    if (!n) return;
    a->kernels = base_alloc(bytes);
    char *text = (char *)(a->kernels + n);
    for (u32 i = 0; i < n; i++) {
        struct sim_kernel *k = &a->kernels[i];
        *k = from[i];
        k->name = strcpy(text, from[i].name);
        text += strlen(text) + 1;
        k->fits.limiter = strcpy(text, from[i].fits.limiter);
        text += strlen(text) + 1;
    }
}

void alone_take(struct alone *a, const struct sim *isolated)
{
    const struct sim_app *app = &isolated->apps[0];
    alone_free(a);
    a->status = isolated->status;
    a->known = a->status == SIM_COMPLETED || a->status == SIM_CYCLE_LIMIT;
    a->cycles = app->cycles;
    a->completions = app->completions;
    a->launches = app->launches;
    a->varies = app->varies;
    a->stats = app->stats;
    a->curve = *app->curve;
    a->sampled = app->waits != NULL;
    if (a->sampled) memcpy(a->own, app->waits->own, sizeof a->own);
    replay_take(&a->requests, app->requests);
    keep_kernels(a, app->kernels, app->kernel_n);
}

void alone_free(struct alone *a)
{
    free(a->kernels);
    a->kernels = NULL;
    a->kernel_n = 0;
    replay_free(&a->requests);
}

static bool is_set(const char *value) { return value && value[0]; }

/* Appends the path of the cache folder; returns false if none is defined. */
static bool cache_folder(struct text *out)
{
    const char *own = getenv("CORUN_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    if (is_set(own)) text_add(out, "%s", own);
    else if (is_set(xdg)) text_add(out, "%s/corun", xdg);
    else if (is_set(home)) text_add(out, "%s/.cache/corun", home);
    else return false;
    return true;
}

static bool entry_path(const u64 key[2], struct text *out)
{
    if (!cache_folder(out)) return false;
    text_add(out, "/");
    hash_show(key, out);
    text_add(out, ".json");
    return true;
}

/* Cached fields of a kernel, in the order of the entry: SHOWN(key, field). */
#define KERNEL_NUMBERS                                                                             \
    SHOWN("block_x", block[0])                                                                     \
    SHOWN("block_y", block[1])                                                                     \
    SHOWN("block_z", block[2])                                                                     \
    SHOWN("launches", launches)                                                                    \
    SHOWN("cycles", cycles)                                                                        \
    SHOWN("warp_instructions", warp_instructions)                                                  \
    SHOWN("thread_instructions", thread_instructions)                                              \
    SHOWN("stat_cycles", stat_cycles)                                                              \
    SHOWN("registers", fits.registers)                                                             \
    SHOWN("registers_source", fits.registers_source)                                               \
    SHOWN("shared_bytes", fits.shared_bytes)                                                       \
    SHOWN("block_threads", fits.block_threads)                                                     \
    SHOWN("carveout_bytes", fits.carveout_bytes)                                                   \
    SHOWN("blocks_per_sm", fits.blocks_per_sm)                                                     \
    SHOWN("need_threads", fits.need.threads)                                                       \
    SHOWN("need_registers", fits.need.registers)                                                   \
    SHOWN("need_shared_bytes", fits.need.shared_bytes)                                             \
    SHOWN("need_blocks", fits.need.blocks)

static void show_stats(struct json_writer *j, const struct gpu_stat *stats)
{
    json_open(j, "stats", '{');
    for (u32 i = 0; i < gpu_stat_row_n; i++) {
        u64 value = stat_get(stats, &gpu_stat_rows[i]);
        if (value) json_put_integer(j, gpu_stat_rows[i].name, value);
    }
    json_close(j, '}');
}

static void show_curve(struct json_writer *j, const struct work_curve *c)
{
    json_put_integer(j, "points_every", c->every);
    json_open(j, "points", '[');
    for (u32 i = 0; i < c->n; i++) json_put_integer(j, NULL, c->at[i].warp_instructions);
    json_close(j, ']');
}

static void show_own(struct json_writer *j, const double own[OWN_N])
{
    json_open(j, "own", '[');
    for (u32 i = 0; i < OWN_N; i++) json_put_real(j, NULL, own[i]);
    json_close(j, ']');
}

/* Writes the requests, of each the arrival, the time before and during the execution. */
static void show_requests(struct json_writer *j, const struct replay *p)
{
    json_put_integer(j, "warmup", p->warmup);
    json_put_integer(j, "clients", p->clients);
    json_open(j, "requests", '[');
    for (u32 i = 0; i < p->n; i++) {
        json_put_integer(j, NULL, p->at[i].arrived);
        json_put_integer(j, NULL, p->at[i].waited);
        json_put_integer(j, NULL, p->at[i].served);
    }
    json_close(j, ']');
}

/* Writes the entry without checksum and closing brace. Counters with value 0 are omitted. */
static void show_entry(const struct alone *a, const u64 key[2], struct text *out)
{
    struct json_writer j = {.out = out};
    struct text name = {0};
    hash_show(key, &name);
    json_open_flat(&j, NULL, '{');
    json_put_text(&j, "schema", SCHEMA);
    json_put_text(&j, "key", name.bytes);
    json_put_text(&j, "status", sim_status_name(a->status));
    json_put_integer(&j, "cycles", a->cycles);
    json_put_integer(&j, "completions", a->completions);
    json_put_integer(&j, "launches", a->launches);
    show_stats(&j, &a->stats);
    show_curve(&j, &a->curve);
    if (a->sampled) show_own(&j, a->own);
    if (a->requests.n) show_requests(&j, &a->requests);
    json_open(&j, "kernels", '[');
    for (u32 i = 0; i < a->kernel_n; i++) {
        const struct sim_kernel *k = &a->kernels[i];
        json_open(&j, NULL, '{');
        json_put_text(&j, "name", k->name);
        json_put_text(&j, "limiter", k->fits.limiter);
#define SHOWN(word, field) json_put_integer(&j, word, k->field);
        KERNEL_NUMBERS
#undef SHOWN
        show_stats(&j, &k->stats);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    text_free(&name);
}

static void show_checksum(struct text *entry)
{
    u64 sum = hash_of(entry->bytes, entry->size);
    text_add(entry, ", \"sum\": \"%016llx\"}\n", (unsigned long long)sum);
}

static bool read_number(const json_t *entry, const char *key, u64 *out)
{
    const json_t *v = json_object_get(entry, key);
    *out = (u64)json_integer_value(v);
    return json_is_integer(v) && json_integer_value(v) >= 0;
}

static void read_stats(const json_t *stats, struct gpu_stat *out)
{
    for (u32 i = 0; i < gpu_stat_row_n; i++) {
        u64 *to = (u64 *)(void *)((char *)out + gpu_stat_rows[i].offset);
        if (!read_number(stats, gpu_stat_rows[i].name, to)) *to = 0;
    }
}

static bool read_kernel(const json_t *entry, struct sim_kernel *k)
{
    u64 value;
    bool ok = true;
    *k = (struct sim_kernel){.name = json_string_value(json_object_get(entry, "name"))};
    k->fits.limiter = json_string_value(json_object_get(entry, "limiter"));
#define SHOWN(word, field)                                                                         \
    ok &= read_number(entry, word, &value);                                                        \
    k->field = (__typeof__(k->field))value;
    KERNEL_NUMBERS
#undef SHOWN
    read_stats(json_object_get(entry, "stats"), &k->stats);
    return ok && k->name && k->fits.limiter;
}

static bool read_kernels(const json_t *list, struct alone *a)
{
    size_t n = json_array_size(list);
    struct sim_kernel *kernels = base_alloc((n + 1) * sizeof *kernels);
    bool ok = n <= UINT32_MAX;
    for (size_t i = 0; i < n; i++) ok &= read_kernel(json_array_get(list, i), &kernels[i]);
    if (ok) keep_kernels(a, kernels, (u32)n);
    free(kernels);
    return ok;
}

/* Reads the curve. Point i is of cycle (i + 1) * points_every. */
static bool read_curve(const json_t *entry, struct work_curve *c)
{
    const json_t *points = json_object_get(entry, "points");
    size_t n = json_array_size(points);
    if (!read_number(entry, "points_every", &c->every) || n >= WORK_POINTS) return false;
    for (c->n = 0; c->n < n; c->n++) {
        const json_t *point = json_array_get(points, c->n);
        c->at[c->n] = (struct work_point){(c->n + 1) * c->every, (u64)json_integer_value(point)};
    }
    return true;
}

static bool read_own(const json_t *entry, struct alone *a)
{
    const json_t *own = json_object_get(entry, "own");
    a->sampled = own != NULL;
    for (u32 i = 0; i < OWN_N; i++) a->own[i] = json_number_value(json_array_get(own, i));
    return !own || json_array_size(own) == OWN_N;
}

static u64 number_at(const json_t *list, size_t i)
{
    return (u64)json_integer_value(json_array_get(list, i));
}

static bool read_requests(const json_t *entry, struct replay *p)
{
    const json_t *list = json_object_get(entry, "requests");
    u64 warmup;
    if (!list) return true;
    p->n = (u32)(json_array_size(list) / 3);
    p->at = base_alloc((p->n + 1) * sizeof *p->at);
    for (size_t i = 0; i < p->n; i++)
        p->at[i] = (struct replay_request){number_at(list, 3 * i), number_at(list, 3 * i + 1),
                                           number_at(list, 3 * i + 2)};
    bool ok = read_number(entry, "warmup", &warmup) && read_number(entry, "clients", &p->clients);
    p->warmup = (u32)min_u64(warmup, p->n);
    return ok;
}

static bool read_entry(const json_t *entry, struct alone *a)
{
    const char *status = json_string_value(json_object_get(entry, "status"));
    if (!status) return false;
    if (!strcmp(status, sim_status_name(SIM_COMPLETED))) a->status = SIM_COMPLETED;
    else if (!strcmp(status, sim_status_name(SIM_CYCLE_LIMIT))) a->status = SIM_CYCLE_LIMIT;
    else return false;
    a->known = true;
    read_stats(json_object_get(entry, "stats"), &a->stats);
    return read_number(entry, "cycles", &a->cycles) &&
           read_number(entry, "completions", &a->completions) &&
           read_number(entry, "launches", &a->launches) && read_curve(entry, &a->curve) &&
           read_own(entry, a) && read_requests(entry, &a->requests) &&
           read_kernels(json_object_get(entry, "kernels"), a);
}

bool alone_load(struct alone *a, const u64 key[2], bool samples)
{
    struct text path = {0}, why = {0}, again = {0};
    struct alone got = {.sms = a->sms};
    char *bytes = NULL;
    size_t size;
    bool ok = alone_is_kept(key) && entry_path(key, &path) &&
              file_read(path.bytes, &bytes, &size, &why);
    if (ok) {
        json_t *entry = json_loadb(bytes, size, 0, NULL);
        ok = read_entry(entry, &got);
        json_decref(entry);
    }
    if (ok) { /* an entry is intact if rewriting its contents gives identical bytes */
        show_entry(&got, key, &again);
        show_checksum(&again);
        ok = again.size == size && !memcmp(again.bytes, bytes, size) && (got.sampled || !samples);
    }
    if (ok) {
        alone_free(a);
        *a = got;
    } else {
        alone_free(&got);
    }
    free(bytes);
    text_free(&path);
    text_free(&why);
    text_free(&again);
    return ok;
}

static void make_folders(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        mkdir(path, 0777);
        *p = '/';
    }
}

void alone_save(const struct alone *a, const u64 key[2])
{
    struct text path = {0}, entry = {0};
    if (a->known && !a->varies && alone_is_kept(key) && entry_path(key, &path)) {
        make_folders(path.bytes);
        show_entry(a, key, &entry);
        show_checksum(&entry);
        struct fail ignored = {0};
        file_write(path.bytes, entry.bytes, entry.size, &ignored);
        fail_free(&ignored);
    }
    text_free(&path);
    text_free(&entry);
}
