/* An app file's text -> struct script: the app's own keys, buffers, registers and dumps; launches
 * are in appfile_launch.c. Every error is found before cycle 0, with line, column and the nearest
 * valid name; as many as possible in one go. Files it names come through the reader. */
#include "host/appfile.h"

#include <stdlib.h>
#include <string.h>

#include "host/kernel_name.h"
#include "table/amount.h"

enum { KEY_APP, KEY_MODULE, KEY_BUFFERS, KEY_LAUNCHES, KEY_REGISTERS, KEY_DUMP,
       KEY_VARIABLES, KEY_START, KEY_N };
static const struct key_row app_keys[KEY_N] = {
    [KEY_APP] = {"app", NODE_TEXT, true},
    [KEY_MODULE] = {"module", NODE_TEXT, true},
    [KEY_BUFFERS] = {"buffers", NODE_MAP, false},
    [KEY_LAUNCHES] = {"launches", NODE_LIST, true},
    [KEY_REGISTERS] = {"registers", NODE_MAP, false},
    [KEY_DUMP] = {"dump", NODE_MAP, false},
    [KEY_VARIABLES] = {"variables", NODE_MAP, false},
    [KEY_START] = {"start", NODE_TEXT, false},
};
enum { BUFFER_TYPE, BUFFER_COUNT, BUFFER_INIT, BUFFER_KEY_N };
static const struct key_row buffer_keys[BUFFER_KEY_N] = {
    [BUFFER_TYPE] = {"type", NODE_TEXT, true},
    [BUFFER_COUNT] = {"count", NODE_TEXT, true},
    [BUFFER_INIT] = {"init", NODE_TEXT, false},
};
enum { VARIABLE_TYPE, VARIABLE_INIT, VARIABLE_KEY_N };
static const struct key_row variable_keys[VARIABLE_KEY_N] = {
    [VARIABLE_TYPE] = {"type", NODE_TEXT, true},
    [VARIABLE_INIT] = {"init", NODE_TEXT, true},
};
static const u8 buffer_types[] = {T_U8,  T_S8,  T_U16, T_S16, T_U32, T_S32,
                                  T_U64, T_S64, T_F16, T_F32, T_F64};

enum { REGISTERS_MAX = 255, NAME_BYTES_MAX = 64 };

bool read_integer(struct appfile *r, const struct node *node, const char *what, u64 low, u64 high,
                  u64 *out)
{
    u64 v;
    bool good = node->kind == NODE_TEXT && whole_parse(node->text, &v) && v >= low && v <= high;
    if (good) *out = v;
    else {
        fail_at(r->fail, r->file, node->offset, "%s must be a whole number from %llu to %llu", what,
                (unsigned long long)low, (unsigned long long)high);
        if (node->kind == NODE_TEXT) amount_note(node->text, r->fail);
    }
    return good;
}

const struct source *read_named(struct appfile *r, const char *path, size_t offset)
{
    const struct source *s = r->reader->load(r->reader, path, r->file, offset, r->fail);
    if (!s) return NULL;
    struct script *script = r->script;
    *arena_push(&r->in->arena, script->files, script->file_n, script->file_room) = s;
    return s;
}

static bool read_app_name(struct appfile *r, const struct node *node)
{
    size_t n = strlen(node->text);
    bool good = n && n <= NAME_BYTES_MAX;
    for (size_t i = 0; i < n && good; i++) {
        char c = node->text[i];
        good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               strchr("_-.", c);
    }
    if (!good) {
        fail_at(r->fail, r->file, node->offset,
                "an app's name has 1 to %d letters, digits, '_', '-' or '.'", NAME_BYTES_MAX);
    }
    r->script->name = r->in->name = node->text;
    return good;
}

static bool read_type(struct appfile *r, const struct node *node, enum type *out)
{
    struct nearest nearest;
    struct text names = {0};
    nearest_init(&nearest, node->text);
    for (u32 i = 0; i < COUNT_OF(buffer_types); i++) {
        const char *name = type_name(buffer_types[i]);
        if (!strcmp(name, node->text)) {
            *out = buffer_types[i];
            text_free(&names);
            return true;
        }
        nearest_offer(&nearest, name);
        text_add(&names, " %s", name);
    }
    fail_at(r->fail, r->file, node->offset, "unknown type '%s'", node->text);
    fail_nearest(r->fail, &nearest);
    fail_note(r->fail, "the types are:%s", text_get(&names));
    text_free(&names);
    return false;
}

static bool read_fill(struct appfile *r, const struct node *node, struct script_buffer *b)
{
    struct text why = {0};
    bool good = fill_parse(node->text, b->type, r->in->seed, &b->fill, &why);
    if (!good) fail_at(r->fail, r->file, node->offset, "%s", text_get(&why));
    if (b->fill.nearest) fail_note(r->fail, "did you mean '%s'?", b->fill.nearest);
    text_free(&why);
    if (!good || b->fill.kind != FILL_FILE) return good;
    const struct source *s = read_named(r, b->fill.path, node->offset);
    if (!s) return false;
    b->fill.bytes = (const u8 *)s->text;
    if (s->size == b->size_bytes) return true;
    fail_at(r->fail, r->file, node->offset, "%s has %zu bytes, buffer '%s' needs %llu (%llu x %s)",
            b->fill.path, s->size, b->name, (unsigned long long)b->size_bytes,
            (unsigned long long)b->count, type_name(b->type));
    return false;
}

static bool read_buffer(struct appfile *r, const struct node *key, struct script_buffer *b,
                        u64 *left)
{
    const struct node *value[BUFFER_KEY_N];
    struct text what = {0};
    text_add(&what, "buffer '%s'", key->text);
    bool good =
        tree_keys(key->value, text_get(&what), buffer_keys, BUFFER_KEY_N, value, r->file, r->fail);
    text_free(&what);
    b->name = key->text;
    if (!good || !read_type(r, value[BUFFER_TYPE], &b->type)) return false;
    u32 size = type_bytes(b->type);
    if (!read_integer(r, value[BUFFER_COUNT], "count", 1, (GLOBAL_END - GLOBAL_BASE) / size,
                      &b->count))
        return false;
    b->size_bytes = b->count * size;
    b->offset = value[BUFFER_COUNT]->offset;
    if (b->size_bytes > *left) {
        fail_at(r->fail, r->file, value[BUFFER_COUNT]->offset,
                "the buffers together are beyond the device memory of 2^40 bytes");
        return false;
    }
    *left -= b->size_bytes;
    return !value[BUFFER_INIT] || read_fill(r, value[BUFFER_INIT], b);
}

/* NULL: an error */
static const struct variable *find_variable(struct appfile *r, const struct node *key)
{
    struct nearest nearest;
    nearest_init(&nearest, key->text);
    for (u32 i = 0; i < ptx_variable_n(r->in->module); i++) {
        const struct variable *v = ptx_variable(r->in->module, i);
        const char *shown = variable_shown(v, &r->in->arena);
        if (!strcmp(v->name, key->text) || !strcmp(shown, key->text)) return v;
        nearest_offer(&nearest, shown);
    }
    fail_at(r->fail, r->file, key->offset, "%s has no .global or .const variable '%s'",
            r->in->ptx->name, key->text);
    fail_nearest(r->fail, &nearest);
    return NULL;
}

static bool read_variable(struct appfile *r, const struct node *key, struct script_buffer *b)
{
    const struct node *value[VARIABLE_KEY_N];
    const struct variable *v = find_variable(r, key);
    if (!v || !tree_keys(key->value, "a variable", variable_keys, VARIABLE_KEY_N, value, r->file,
                         r->fail) ||
        !read_type(r, value[VARIABLE_TYPE], &b->type))
        return false;
    u32 size = type_bytes(b->type);
    b->name = v->name;
    b->address = v->address;
    b->size_bytes = v->size_bytes;
    b->count = v->size_bytes / size;
    if (!(v->size_bytes % size)) return read_fill(r, value[VARIABLE_INIT], b);
    fail_at(r->fail, r->file, value[VARIABLE_TYPE]->offset, "'%s' has %llu bytes, which are no "
            "whole number of %s", v->name, (unsigned long long)v->size_bytes, type_name(b->type));
    return false;
}

static bool read_variables(struct appfile *r, const struct node *map)
{
    if (!map) return true;
    struct script *s = r->script;
    bool good = tree_names(map, "variables", NODE_MAP, r->file, r->fail);
    s->variables = arena_array(&r->in->arena, struct script_buffer, map->n);
    for (const struct node *key = good ? map->first : NULL; key; key = key->next)
        good &= read_variable(r, key, &s->variables[s->variable_n++]);
    return good;
}

static bool good_buffer_name(struct appfile *r, const struct node *key)
{
    if (!key->text[strcspn(key->text, "+$ \t")]) return true;
    fail_at(r->fail, r->file, key->offset, "a buffer's name must not contain '+', '$' or blanks");
    return false;
}

static bool read_buffers(struct appfile *r, const struct node *map)
{
    if (!map) return true;
    struct script *s = r->script;
    s->buffers = arena_array(&r->in->arena, struct script_buffer, map->n);
    u64 left = GLOBAL_END - GLOBAL_BASE;
    bool good = true;
    for (const struct node *key = map->first; key; key = key->next) {
        good &= good_buffer_name(r, key);
        good &= read_buffer(r, key, &s->buffers[s->buffer_n], &left);
        s->buffer_n++;
    }
    return good;
}

static bool read_registers(struct appfile *r, const struct node *map)
{
    if (!map) return true;
    bool good = tree_names(map, "registers", NODE_TEXT, r->file, r->fail);
    for (const struct node *key = good ? map->first : NULL; key; key = key->next) {
        u64 n = 0;
        struct host_kernel *k = input_kernel(r->in, key->text, r->file, key->offset, r->fail);
        good &= k && read_integer(r, key->value, "registers", 1, REGISTERS_MAX, &n);
        if (k && n) k->registers = (u32)n;
    }
    return good;
}

static bool read_dump(struct appfile *r, const struct node *key, struct script_dump *d)
{
    const struct script *s = r->script;
    struct nearest nearest;
    nearest_init(&nearest, key->text);
    d->path = key->value->text;
    d->offset = key->value->offset;
    if (!*d->path) {
        fail_at(r->fail, r->file, d->offset, "dump needs a PATH");
        return false;
    }
    for (u32 i = 0; i < s->buffer_n; i++) {
        nearest_offer(&nearest, s->buffers[i].name);
        d->buffer = i;
        if (!strcmp(s->buffers[i].name, key->text)) return true;
    }
    fail_at(r->fail, r->file, key->offset, "no buffer is named '%s'", key->text);
    fail_nearest(r->fail, &nearest);
    return false;
}

static bool read_dumps(struct appfile *r, const struct node *map)
{
    if (!map) return true;
    struct script *s = r->script;
    bool good = tree_names(map, "dump", NODE_TEXT, r->file, r->fail);
    s->dumps = arena_array(&r->in->arena, struct script_dump, map->n);
    for (const struct node *key = good ? map->first : NULL; key; key = key->next) {
        struct script_dump *d = &s->dumps[s->dump_n++];
        good &= read_dump(r, key, d);
        for (u32 i = 0; good && i + 1 < s->dump_n; i++) {
            if (strcmp(s->dumps[i].path, d->path)) continue;
            fail_at(r->fail, r->file, d->offset, "two dumps go to the same file");
            good = false;
        }
    }
    return good;
}

static bool read_module(struct appfile *r, const struct node *node)
{
    r->in->ptx = r->reader->load(r->reader, node->text, r->file, node->offset, r->fail);
    return r->in->ptx && input_module(r->in, r->fail);
}

bool appfile_read(struct app_input *in, const struct source *file, struct reader *reader,
                  struct fail *fail)
{
    struct appfile r = {.in = in, .file = file, .reader = reader, .fail = fail};
    struct node *root = tree_parse(file, &in->arena, fail);
    const struct node *value[KEY_N];
    if (!root || !tree_keys(root, "an app file", app_keys, KEY_N, value, file, fail)) return false;
    r.script = in->script = arena_new(&in->arena, struct script);
    r.script->file = file;
    const struct node *buffers = value[KEY_BUFFERS];
    if (buffers && !tree_names(buffers, "buffers", NODE_MAP, file, fail)) return false;
    bool good = read_app_name(&r, value[KEY_APP]);
    if (value[KEY_START])
        good &= read_integer(&r, value[KEY_START], "start, in cycles,", 0,
                             (1ull << INPUT_START_BITS) - 1, &in->start);
    good &= read_buffers(&r, value[KEY_BUFFERS]);
    good &= read_dumps(&r, value[KEY_DUMP]);
    if (!read_module(&r, value[KEY_MODULE])) return false;
    good &= read_variables(&r, value[KEY_VARIABLES]);
    good &= read_registers(&r, value[KEY_REGISTERS]);
    return read_launches(&r, value[KEY_LAUNCHES]) && good;
}
