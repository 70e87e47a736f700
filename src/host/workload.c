/* A shipped workload as an app's input: options, and a module stored as PTX or generated from the
 * options. */
#include <stdlib.h>
#include <string.h>

#include "host/app.h"
#include "host/number.h"
#include "host/preset.h"
#include "table/amount.h"

static u32 param_n(const struct workload *w)
{
    u32 n = 0;
    while (w->params[n].key) n++;
    return n;
}

/* a key=value of the options */
struct key_value {
    const char *key, *value;
    size_t key_at, value_at;
};

static bool set_size(struct app_input *in, const struct key_value *o, const struct source *spec,
                     struct fail *fail)
{
    bool test = !strcmp(o->value, "test"), window = !strcmp(o->value, "window");
    if (!test && !window && strcmp(o->value, "default")) {
        fail_at(fail, spec, o->value_at, "size is 'test', 'default' or 'window', not '%s'",
                o->value);
        return false;
    }
    for (u32 i = 0; in->params[i].key; i++) {
        const struct workload_param *p = &in->params[i];
        in->values[i] = test ? p->test : window ? p->window : p->normal;
    }
    return true;
}

static bool set_start(struct app_input *in, const struct key_value *o, const struct source *spec,
                      struct fail *fail)
{
    bool good = whole_parse(o->value, &in->start) && !(in->start >> INPUT_START_BITS);
    if (good) return true;
    fail_at(fail, spec, o->value_at, "start must be a whole number of cycles from 0 to %llu",
            (1ull << INPUT_START_BITS) - 1);
    amount_note(o->value, fail);
    return false;
}

static bool set_registers(struct app_input *in, const struct key_value *o,
                          const struct source *spec, struct fail *fail)
{
    u64 n;
    bool good = whole_parse(o->value, &n) && n > 0 && n <= REGISTERS_MAX;
    if (good) in->registers = (u32)n;
    else fail_at(fail, spec, o->value_at, "registers must be a whole number from 1 to %d",
                 REGISTERS_MAX);
    return good;
}

static bool unknown_option(const struct workload *w, const struct key_value *o,
                           const struct source *spec, struct fail *fail)
{
    struct nearest nearest;
    struct text keys = {0};
    nearest_init(&nearest, o->key);
    nearest_offer(&nearest, "size");
    nearest_offer(&nearest, "start");
    nearest_offer(&nearest, "priority");
    nearest_offer(&nearest, "registers");
    for (u32 i = 0; i < ARRIVALS_KEY_N; i++) nearest_offer(&nearest, arrivals_keys[i]);
    for (u32 i = 0; w->params[i].key; i++) {
        nearest_offer(&nearest, w->params[i].key);
        text_add(&keys, ", %s", w->params[i].key);
    }
    fail_at(fail, spec, o->key_at, "workload %s has no parameter '%s'", w->name, o->key);
    fail_nearest(fail, &nearest);
    fail_note(fail, "parameters of the workload: size, start, priority, registers, arrivals%s",
              text_get(&keys));
    text_free(&keys);
    return false;
}

const char *workload_words(const struct workload *w, const char *key)
{
    const struct workload_words *row = w->words;
    while (row && row->key && strcmp(row->key, key)) row++;
    return row ? row->words : NULL;
}

/* The value of a word is the position among the words. */
static bool set_word(struct app_input *in, u32 row, const char *words, const struct key_value *o,
                     const struct source *spec, struct fail *fail)
{
    struct nearest nearest;
    nearest_init(&nearest, o->value);
    u32 value = 0;
    for (const char *from = words, *end; from; from = end ? end + 1 : NULL, value++) {
        end = strchr(from, '|');
        size_t size = end ? (size_t)(end - from) : strlen(from);
        const char *word = arena_text(&in->arena, from, size);
        nearest_offer(&nearest, word);
        if (strcmp(word, o->value)) continue;
        in->values[row] = value;
        return true;
    }
    fail_at(fail, spec, o->value_at, "%s has no value '%s'", o->key, o->value);
    fail_nearest(fail, &nearest);
    fail_note(fail, "values of %s: %s", o->key, words);
    return false;
}

static bool set_option(struct app_input *in, const struct key_value *o, const struct source *spec,
                       struct fail *fail)
{
    u32 row = 0;
    while (in->params[row].key && strcmp(in->params[row].key, o->key)) row++;
    const struct workload_param *p = &in->params[row];
    if (!p->key) return unknown_option(in->workload, o, spec, fail);
    const char *words = workload_words(in->workload, p->key);
    if (words) return set_word(in, row, words, o, spec, fail);
    struct number v;
    struct text why = {0};
    bool good = number_parse(o->value, strlen(o->value), &v, &why);
    double value = good ? number_real(&v) : 0;
    if (!good) fail_at(fail, spec, o->value_at, "%s", text_get(&why));
    text_free(&why);
    if (good && !(value >= p->low && value <= p->high)) {
        fail_at(fail, spec, o->value_at, "%s=%s is out of range", p->key, o->value);
        fail_note(fail, "%s (%s) goes from %.15g to %.15g", p->key, p->sentence, p->low, p->high);
        good = false;
    }
    in->values[row] = value;
    return good;
}

/* Splits "key=value,key=value" into options. The texts live in the arena. */
static struct key_value *cut_options(struct app_input *in, const struct source *spec, size_t at,
                                     u32 *n, struct fail *fail)
{
    u32 room = 1;
    for (size_t i = at; i < spec->size; i++) room += spec->text[i] == ',';
    struct key_value *options = arena_array(&in->arena, struct key_value, room);
    *n = 0;
    for (bool more = true; more;) {
        const char *start = spec->text + at, *comma = memchr(start, ',', spec->size - at);
        size_t size = comma ? (size_t)(comma - start) : spec->size - at;
        const char *equals = memchr(start, '=', size);
        if (!equals || equals == start) {
            fail_at(fail, spec, at, "expected key=value");
            fail_note(fail, "corun list parameters shows the keys");
            return NULL;
        }
        size_t key_size = (size_t)(equals - start);
        options[(*n)++] = (struct key_value){arena_text(&in->arena, start, key_size),
                                          arena_text(&in->arena, equals + 1, size - key_size - 1),
                                          at, at + key_size + 1};
        at += size + 1;
        more = comma != NULL;
    }
    return options;
}

static void set_arrivals(struct arrivals_reader *r, enum arrivals_key key,
                         const struct key_value *o, struct file_loader *loader)
{
    const struct source *trace = NULL;
    const char *path = key == ARRIVALS_KEY_HOW ? arrivals_path(o->value) : NULL;
    if (path)
        trace = loader->load(loader, path, r->at, o->value_at + (size_t)(path - o->value),
                             r->fail);
    arrivals_read(r, key, o->value, o->value_at, trace);
}

static bool set_options(struct app_input *in, const struct source *spec,
                        struct file_loader *loader, struct fail *fail)
{
    struct arrivals_reader arrivals = {&in->arrivals, &in->arena, spec, fail, {0}, {0}};
    const char *colon = memchr(spec->text, ':', spec->size);
    if (!colon) return true;
    u32 n, before = fail->error_n;
    struct key_value *options = cut_options(in, spec, (size_t)(colon - spec->text) + 1, &n, fail);
    if (!options) return false;
    for (u32 i = 0; i < n; i++) { /* the size first: other options override */
        if (!strcmp(options[i].key, "size")) set_size(in, &options[i], spec, fail);
        for (u32 j = 0; j < i; j++) {
            if (strcmp(options[i].key, options[j].key)) continue;
            fail_at(fail, spec, options[i].key_at, "'%s' is given twice", options[i].key);
            break;
        }
    }
    for (u32 i = 0; i < n; i++) {
        const struct key_value *o = &options[i];
        enum arrivals_key key = arrivals_key(o->key);
        if (key < ARRIVALS_KEY_N) set_arrivals(&arrivals, key, o, loader);
        else if (!strcmp(o->key, "start")) set_start(in, o, spec, fail);
        else if (!strcmp(o->key, "priority"))
            input_priority_read(in, o->value, spec, o->value_at, fail);
        else if (!strcmp(o->key, "registers")) set_registers(in, o, spec, fail);
        else if (strcmp(o->key, "size")) set_option(in, o, spec, fail);
    }
    return fail->error_n == before && arrivals_check(&arrivals);
}

void param_error(struct param_errors *e, const char *key, const char *format, ...)
{
    if (e->n == PARAM_ERRORS_MAX) return;
    struct param_error *error = &e->at[e->n++];
    error->key = key;
    va_list args;
    va_start(args, format);
    text_addv(&error->why, format, args);
    va_end(args);
}

void param_errors_free(struct param_errors *e)
{
    for (u32 i = 0; i < e->n; i++) text_free(&e->at[i].why);
    e->n = 0;
}

/* Returns the offset of a parameter in the user's argument; 0, the workload's name, if the user has
 * not given the parameter. */
static size_t offset_of_key(const struct source *spec, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i + n + 1 < spec->size; i++) {
        bool starts = spec->text[i] == ':' || spec->text[i] == ',';
        const char *key = spec->text + i + 1;
        if (starts && !memcmp(key, name, n) && key[n] == '=') return i + 1;
    }
    return 0;
}

static void param_errors_report(struct param_errors *e, const struct source *spec,
                                struct fail *fail)
{
    for (u32 i = 0; i < e->n; i++)
        fail_at(fail, spec, offset_of_key(spec, e->at[i].key), "%s: %s", e->at[i].key,
                text_get(&e->at[i].why));
    param_errors_free(e);
}

/* Reports values that the workload refuses. */
static bool values_fit(const struct app_input *in, const struct source *spec, struct fail *fail)
{
    struct param_errors errors = {0};
    if (in->workload->refuse) in->workload->refuse(in->values, &errors);
    bool ok = !errors.n;
    param_errors_report(&errors, spec, fail);
    return ok;
}

/* Generates the module of a workload with `write`. Reports all inconsistent parameters. */
static bool write_module(struct app_input *in, const struct source *spec, struct fail *fail)
{
    struct text ptx = {0};
    struct param_errors errors = {0};
    bool ok = in->workload->write(in->values, &ptx, &errors);
    param_errors_report(&errors, spec, fail);
    if (ok) {
        struct source *s = arena_new(&in->arena, struct source);
        *s = (struct source){arena_text(&in->arena, in->name, strlen(in->name)),
                             arena_text(&in->arena, ptx.bytes, ptx.size), ptx.size};
        in->ptx = s;
    }
    text_free(&ptx);
    return ok;
}

static void run(struct host *h) { h->app->input->workload->run(h); }

static void feed(const struct app_input *in, struct input_feed *f)
{
    for (u32 i = 0; in->params[i].key; i++) {
        input_feed_part(f, in->params[i].key, strlen(in->params[i].key));
        input_feed_part(f, &in->values[i], sizeof in->values[i]);
    }
    if (in->registers) input_feed_part(f, &in->registers, sizeof in->registers);
}

/* No `fits`: the launches are known only when the host program makes them. */
static const struct input_kind kind = {.run = run, .feed = feed};

struct app_input *input_workload(const struct workload *w, const struct source *text,
                                 const struct source *spec, struct file_loader *loader,
                                 const struct input_rules *rules, struct fail *fail)
{
    struct app_input *in = input_new(&kind, rules);
    in->name = w->name;
    in->workload = w;
    in->spec = spec;
    in->ptx = text;
    in->params = w->write && text ? preset_params(w, text, &in->arena, fail) : w->params;
    bool good = in->params != NULL;
    if (good) {
        u32 n = param_n(w);
        in->values = arena_array(&in->arena, double, n);
        for (u32 i = 0; i < n; i++) in->values[i] = in->params[i].normal;
        good = set_options(in, spec, loader, fail) &&
               values_fit(in, spec, fail) && (!w->write || write_module(in, spec, fail)) &&
               input_module(in, fail);
    }
    if (good) return in;
    input_free(in);
    return NULL;
}
