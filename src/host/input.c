#include "host/input.h"

#include <stdlib.h>
#include <string.h>

#include "host/number.h"
#include "host/preset.h"
#include "host/script.h"
#include "ptx/ptx.h"

bool input_module(struct app_input *in, struct fail *fail)
{
    in->module = ptx_parse(in->ptx, &in->arena, fail);
    if (!in->module) return false;
    in->kernels = arena_array(&in->arena, struct host_kernel, ptx_kernel_n(in->module));
    return true;
}

static void unknown_kernel(const struct app_input *in, const char *name, const struct source *at,
                           size_t offset, struct fail *fail)
{
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (u32 i = 0; i < ptx_kernel_n(in->module); i++)
        nearest_offer(&nearest, ptx_kernel_name(in->module, i));
    if (at) fail_at(fail, at, offset, "%s has no kernel '%s'", in->ptx->name, name);
    else fail_plain(fail, "%s has no kernel '%s'", in->ptx->name, name);
    fail_nearest(fail, &nearest);
    if (!ptx_kernel_n(in->module)) fail_note(fail, "it has no kernel (.entry) at all");
}

/* The error is in the PTX; who wanted the kernel is in the app file. */
static void note_user(const char *name, const struct source *at, size_t offset, struct fail *fail)
{
    u32 line, column;
    if (!at) return;
    source_position(at, offset, &line, &column);
    fail_note(fail, "kernel '%s' is used in %s, line %u", name, at->name, line);
}

struct host_kernel *input_kernel(struct app_input *in, const char *name, const struct source *at,
                                 size_t offset, struct fail *fail)
{
    u32 kernel = ptx_kernel_find(in->module, name);
    if (kernel == UINT32_MAX) {
        unknown_kernel(in, name, at, offset, fail);
        return NULL;
    }
    struct host_kernel *k = &in->kernels[kernel];
    if (k->program) return k;
    struct program *p = ptx_lower(in->module, kernel, &in->arena, fail);
    bool bound = p && exec_bind(p);
    if (p && !bound) {
        fail_plain(fail, "%s: kernel %s has an instruction that cannot be executed", in->ptx->name,
                   name);
    }
    if (!bound) {
        note_user(name, at, offset, fail);
        return NULL;
    }
    k->program = p;
    if (!k->registers) k->registers = p->registers;
    return k;
}

static u32 param_n(const struct workload *w)
{
    u32 n = 0;
    while (w->params[n].key) n++;
    return n;
}

/* one key=value of the options */
struct option {
    const char *key, *value;
    size_t key_at, value_at;
};

static bool set_size(struct app_input *in, const struct option *o, const struct source *spec,
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

static bool unknown_option(const struct workload *w, const struct option *o,
                           const struct source *spec, struct fail *fail)
{
    struct nearest nearest;
    struct text keys = {0};
    nearest_init(&nearest, o->key);
    nearest_offer(&nearest, "size");
    for (u32 i = 0; w->params[i].key; i++) {
        nearest_offer(&nearest, w->params[i].key);
        text_add(&keys, ", %s", w->params[i].key);
    }
    fail_at(fail, spec, o->key_at, "workload %s has no parameter '%s'", w->name, o->key);
    fail_nearest(fail, &nearest);
    fail_note(fail, "its parameters are: size%s", text_get(&keys));
    text_free(&keys);
    return false;
}

static bool set_option(struct app_input *in, const struct option *o, const struct source *spec,
                       struct fail *fail)
{
    u32 row = 0;
    while (in->params[row].key && strcmp(in->params[row].key, o->key)) row++;
    const struct workload_param *p = &in->params[row];
    if (!p->key) return unknown_option(in->workload, o, spec, fail);
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

/* Cuts "key=value,key=value" into options. Their texts live in the arena. */
static struct option *cut_options(struct app_input *in, const struct source *spec, size_t at,
                                  u32 *n, struct fail *fail)
{
    u32 room = 1;
    for (size_t i = at; i < spec->size; i++) room += spec->text[i] == ',';
    struct option *options = arena_array(&in->arena, struct option, room);
    *n = 0;
    for (bool more = true; more;) {
        const char *start = spec->text + at, *comma = memchr(start, ',', spec->size - at);
        size_t size = comma ? (size_t)(comma - start) : spec->size - at;
        const char *equals = memchr(start, '=', size);
        if (!equals || equals == start) {
            fail_at(fail, spec, at, "expected key=value");
            return NULL;
        }
        size_t key_size = (size_t)(equals - start);
        options[(*n)++] = (struct option){arena_text(&in->arena, start, key_size),
                                          arena_text(&in->arena, equals + 1, size - key_size - 1),
                                          at, at + key_size + 1};
        at += size + 1;
        more = comma != NULL;
    }
    return options;
}

static bool set_options(struct app_input *in, const struct source *spec, struct fail *fail)
{
    const char *colon = memchr(spec->text, ':', spec->size);
    if (!colon) return true;
    u32 n, before = fail->error_n;
    struct option *options = cut_options(in, spec, (size_t)(colon - spec->text) + 1, &n, fail);
    if (!options) return false;
    for (u32 i = 0; i < n; i++) { /* the size first: it is the ground for the others */
        if (!strcmp(options[i].key, "size")) set_size(in, &options[i], spec, fail);
        for (u32 j = 0; j < i; j++) {
            if (strcmp(options[i].key, options[j].key)) continue;
            fail_at(fail, spec, options[i].key_at, "'%s' is given twice", options[i].key);
            break;
        }
    }
    for (u32 i = 0; i < n; i++) {
        if (strcmp(options[i].key, "size")) set_option(in, &options[i], spec, fail);
    }
    return fail->error_n == before;
}

static struct app_input *input_new(u64 seed)
{
    struct app_input *in = base_alloc(sizeof *in);
    arena_init(&in->arena);
    in->seed = seed;
    return in;
}

/* The module that a workload writes itself. What does not go together is shown where the user wrote
 * the parameter, else at the workload's name. */
static bool write_module(struct app_input *in, const struct source *spec, struct fail *fail)
{
    struct text ptx = {0}, why = {0};
    const char *bad_key = in->workload->write(in->values, &ptx, &why);
    if (bad_key) {
        size_t at = 0, n = strlen(bad_key);
        for (size_t i = 0; i + n + 1 < spec->size && !at; i++) {
            bool starts = spec->text[i] == ':' || spec->text[i] == ',';
            const char *key = spec->text + i + 1;
            if (starts && !memcmp(key, bad_key, n) && key[n] == '=') at = i + 1;
        }
        fail_at(fail, spec, at, "%s: %s", bad_key, text_get(&why));
    } else {
        struct source *s = arena_new(&in->arena, struct source);
        *s = (struct source){arena_text(&in->arena, in->name, strlen(in->name)),
                             arena_text(&in->arena, ptx.bytes, ptx.size), ptx.size};
        in->ptx = s;
    }
    text_free(&ptx);
    text_free(&why);
    return !bad_key;
}

struct app_input *input_workload(const struct workload *w, const struct source *text,
                                 const struct source *spec, u64 seed, struct fail *fail)
{
    struct app_input *in = input_new(seed);
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
        good = set_options(in, spec, fail) && (!w->write || write_module(in, spec, fail)) &&
               input_module(in, fail);
    }
    if (good) return in;
    input_free(in);
    return NULL;
}

struct app_input *input_file(const struct source *file, struct reader *reader, u64 seed,
                             struct fail *fail)
{
    struct app_input *in = input_new(seed);
    if (appfile_read(in, file, reader, fail)) return in;
    input_free(in);
    return NULL;
}

void input_free(struct app_input *in)
{
    if (!in) return;
    arena_free(&in->arena);
    free(in);
}

const char *input_name(const struct app_input *in) { return in->name; }

bool input_fits(const struct app_input *in, const struct app_machine *machine, struct fail *fail)
{
    const struct script *s = in->script;
    u32 before = fail->error_n;
    for (u32 i = 0; s && i < s->launch_n; i++) {
        const struct script_launch *from = &s->launches[i];
        struct launch l = {.program = from->kernel->program,
                           .dynamic_shared_bytes = from->shared_bytes,
                           .registers = from->kernel->registers};
        memcpy(l.grid, from->grid, sizeof l.grid);
        memcpy(l.block, from->block, sizeof l.block);
        struct text why = {0};
        const char *sentence = machine->refuses(machine, &l, &why);
        if (sentence) fail_at(fail, s->file, from->offset, "%s", sentence);
        text_free(&why);
    }
    return fail->error_n == before;
}

/* Every part goes in with its length, so that two inputs never run together to the same bytes. */
static void feed(void (*add)(void *to, const void *bytes, size_t n), void *to, const void *bytes,
                 size_t n)
{
    u64 size = n;
    add(to, &size, sizeof size);
    if (n) add(to, bytes, n);
}

void input_feed(const struct app_input *in, void (*add)(void *to, const void *bytes, size_t n),
                void *to)
{
    feed(add, to, in->name, strlen(in->name));
    feed(add, to, &in->seed, sizeof in->seed);
    feed(add, to, in->ptx->text, in->ptx->size);
    if (in->workload) {
        for (u32 i = 0; in->params[i].key; i++) {
            feed(add, to, in->params[i].key, strlen(in->params[i].key));
            feed(add, to, &in->values[i], sizeof in->values[i]);
        }
        return;
    }
    feed(add, to, in->script->file->text, in->script->file->size);
    for (u32 i = 0; i < in->script->file_n; i++)
        feed(add, to, in->script->files[i]->text, in->script->files[i]->size);
}
