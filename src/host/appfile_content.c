/* Contents of memory in an app file: fills, lists of values and fields, for buffers, variables of
 * the module and expected outputs. */
#include <math.h>
#include <string.h>

#include "host/appfile.h"
#include "host/name/kernel_name.h"

enum { VALUE_TYPE, VALUE_INIT, VALUE_VALUES, VALUE_WITHIN, VALUE_KEY_N };
static const struct key_row value_keys[VALUE_KEY_N] = {
    [VALUE_TYPE] = {"type", NODE_TEXT, false},
    [VALUE_INIT] = {"init", NODE_TEXT, false},
    [VALUE_VALUES] = {"values", NODE_LIST, false},
    [VALUE_WITHIN] = {"within", NODE_TEXT, false}, /* must be last: only for `expect` */
};
static const u8 value_types[] = {T_U8,  T_S8,  T_U16, T_S16, T_U32, T_S32,
                                 T_U64, T_S64, T_F16, T_F32, T_F64};

bool read_type(struct appfile *r, const struct node *node, enum type *out)
{
    struct nearest nearest;
    struct text names = {0};
    nearest_init(&nearest, node->text);
    for (u32 i = 0; i < COUNT_OF(value_types); i++) {
        const char *name = type_name(value_types[i]);
        if (!strcmp(name, node->text)) {
            *out = value_types[i];
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

/* ---- lists ---- */

static u32 fields_align(const struct node *list, enum type type)
{
    u32 align = 1;
    for (const struct node *item = list->first; item; item = item->next) {
        u32 own = item->kind == NODE_LIST ? fields_align(item, type)
                  : item->kind == NODE_TEXT ? arg_field_align(item->text, type)
                                            : 1;
        align = max_u32(align, own);
    }
    return align;
}

static bool read_field(struct appfile *r, const struct node *item, enum type type,
                       struct content *to, u64 *at)
{
    if (item->kind == NODE_LIST) {
        u64 size_bytes;
        *at = round_up(*at, fields_align(item, type));
        bool good = read_fields(r, item, type, to, *at, &size_bytes);
        *at += size_bytes;
        return good;
    }
    if (item->kind == NODE_MAP) {
        fail_at(r->fail, r->file, item->offset, "expected a value or a list of fields, not a map");
        return false;
    }
    struct arg_detail arg;
    struct text why = {0};
    bool good = arg_field(item->text, type, &r->names, &r->in->arena, to, at, &arg, &why);
    if (!good) {
        fail_at(r->fail, r->file, item->offset, "%s", text_get(&why));
        if (arg.nearest) fail_note(r->fail, "did you mean '$%s'?", arg.nearest);
    }
    text_free(&why);
    return good;
}

bool read_fields(struct appfile *r, const struct node *list, enum type type, struct content *to,
                 u64 at, u64 *size_bytes)
{
    u64 end = at;
    bool good = true;
    if (!list->n) {
        fail_at(r->fail, r->file, list->offset, "the list is empty: give at least one value");
        good = false;
    }
    for (const struct node *item = list->first; item; item = item->next)
        good &= read_field(r, item, type, to, &end);
    *size_bytes = round_up(end, fields_align(list, type)) - at;
    return good;
}

bool read_values(struct appfile *r, const struct node *list, enum type type, struct content *out)
{
    *out = (struct content){0};
    u64 size_bytes;
    if (!read_fields(r, list, type, out, 0, &size_bytes)) return false;
    out->bytes = arena_alloc(&r->in->arena, size_bytes, 16);
    out->size_bytes = size_bytes;
    return read_fields(r, list, type, out, 0, &size_bytes);
}

/* ---- contents of a region ---- */

static const char *region_name(const struct appfile *r, const struct script_write *w)
{
    const struct arg_name *name = &r->names.at[w->region];
    return name->shown ? name->shown : name->name;
}

static bool read_fill(struct appfile *r, const struct node *node, u64 room, struct script_write *w)
{
    struct fill *fill = &w->content.fill;
    struct text why = {0};
    bool good = fill_parse(node->text, w->type, r->in->rules.seed, fill, &why);
    if (!good) fail_at(r->fail, r->file, node->offset, "%s", text_get(&why));
    if (fill->nearest) fail_note(r->fail, "did you mean '%s'?", fill->nearest);
    text_free(&why);
    w->size_bytes = room;
    if (!good || fill->kind != FILL_FILE) return good;
    const struct source *s = read_named(r, fill->path, node->offset);
    if (!s) return false;
    fill->bytes = (const u8 *)s->text;
    if (s->size == room) return true;
    u32 size = type_bytes(w->type);
    fail_at(r->fail, r->file, node->offset, "%s has %zu bytes, buffer '%s' needs %llu (%llu x %s)",
            fill->path, s->size, region_name(r, w), (unsigned long long)room,
            (unsigned long long)(room / size), type_name(w->type));
    return false;
}

static bool check_whole(struct appfile *r, const struct node *at, u64 room,
                        const struct script_write *w)
{
    u32 size = type_bytes(w->type);
    if (!size) return false; /* the error in its type has been reported */
    if (!(room % size)) return true;
    fail_at(r->fail, r->file, at->offset, "'%s' has %llu bytes, not a multiple of the size of %s",
            region_name(r, w), (unsigned long long)room, type_name(w->type));
    return false;
}

bool read_content(struct appfile *r, const struct node *init, const struct node *values, u64 room,
                  struct script_write *w)
{
    w->content = (struct content){0};
    if (init && values) {
        fail_at(r->fail, r->file, values->offset, "'init' and 'values' both set the contents: give "
                "only one");
        return false;
    }
    if (!values) {
        w->size_bytes = room;
        return !init || (check_whole(r, init, room, w) && read_fill(r, init, room, w));
    }
    if (!read_values(r, values, w->type, &w->content)) return false;
    w->size_bytes = w->content.size_bytes;
    if (w->size_bytes <= room) return true;
    fail_at(r->fail, r->file, values->offset, "the values take %llu bytes, but '%s' has %llu%s",
            (unsigned long long)w->size_bytes, region_name(r, w), (unsigned long long)room,
            w->add ? " from the offset on" : "");
    return false;
}

/* ---- NAME: VALUE, a list, or {type, init or values} ---- */

/* Reads a scalar value. A plain number or an address sets a variable of a single element; any other
 * text is a fill. */
static bool read_text_value(struct appfile *r, const struct node *node, u64 room,
                            struct script_write *w)
{
    char first = node->text[strspn(node->text, " \t\r\n+-")];
    bool number = (first >= '0' && first <= '9') || first == '.' || first == '$';
    if (!number) return read_content(r, node, NULL, room, w);
    if (room != type_bytes(w->type)) {
        fail_at(r->fail, r->file, node->offset, "'%s' has %llu bytes, more than one %s: give a "
                "list of values, or 'const %s' for all elements", region_name(r, w),
                (unsigned long long)room, type_name(w->type), node->text);
        return false;
    }
    struct node item = *node;
    item.next = NULL;
    const struct node list = {.kind = NODE_LIST, .offset = node->offset, .n = 1, .first = &item};
    return read_content(r, NULL, &list, room, w);
}

static bool read_within(struct appfile *r, const struct node *node, double *out)
{
    struct number v;
    struct text why = {0};
    bool good = number_parse(node->text, strlen(node->text), &v, &why);
    *out = good ? number_real(&v) : 0;
    if (good && !(*out >= 0 && isfinite(*out))) {
        text_add(&why, "within must be a number from 0 on");
        good = false;
    }
    if (!good) fail_at(r->fail, r->file, node->offset, "%s", text_get(&why));
    text_free(&why);
    return good;
}

/* within NULL: the key `within` is unknown */
static bool read_value(struct appfile *r, const struct node *node, const char *what,
                       struct script_write *w, double *within)
{
    u64 room = r->script->regions[w->region].size_bytes;
    w->type = r->script->regions[w->region].type;
    if (node->kind == NODE_TEXT) return read_text_value(r, node, room, w);
    if (node->kind == NODE_LIST) return read_content(r, NULL, node, room, w);
    const struct node *value[VALUE_KEY_N] = {NULL};
    if (!tree_keys(node, what, value_keys, within ? VALUE_KEY_N : VALUE_WITHIN, value, r->file,
                   r->fail) ||
        (value[VALUE_TYPE] && !read_type(r, value[VALUE_TYPE], &w->type)) ||
        (within && value[VALUE_WITHIN] && !read_within(r, value[VALUE_WITHIN], within)))
        return false;
    if (!value[VALUE_INIT] && !value[VALUE_VALUES]) {
        fail_at(r->fail, r->file, node->offset, "%s needs 'init' or 'values'", what);
        return false;
    }
    const struct node *at = value[VALUE_TYPE] ? value[VALUE_TYPE] : node;
    return check_whole(r, at, room, w) &&
           read_content(r, value[VALUE_INIT], value[VALUE_VALUES], room, w);
}

/* Returns NULL with an error. */
static const struct variable *find_variable(struct appfile *r, const struct node *key, u32 *index)
{
    struct nearest nearest;
    nearest_init(&nearest, key->text);
    for (*index = 0; *index < ptx_variable_n(r->in->module); ++*index) {
        const struct variable *v = ptx_variable(r->in->module, *index);
        const char *shown = variable_shown(v, &r->in->arena);
        if (!strcmp(v->name, key->text) || !strcmp(shown, key->text)) return v;
        nearest_offer(&nearest, shown);
    }
    fail_at(r->fail, r->file, key->offset, "%s has no .global or .const variable '%s'",
            r->in->ptx->name, key->text);
    fail_nearest(r->fail, &nearest);
    return NULL;
}

bool read_symbols(struct appfile *r, const struct node *map)
{
    if (!map) return true;
    struct script *s = r->script;
    bool good = tree_names(map, "symbols", NODE_ANY, r->file, r->fail);
    for (const struct node *key = good ? map->first : NULL; key; key = key->next) {
        u32 index;
        struct script_write w = {0};
        bool found = find_variable(r, key, &index) != NULL;
        w.region = s->buffer_n + index;
        good &= found && read_value(r, key->value, "a symbol", &w, NULL);
        *arena_push(&r->in->arena, s->writes, s->write_n, s->write_room) = w;
    }
    return good;
}

bool read_expects(struct appfile *r, const struct node *map)
{
    if (!map) return true;
    struct script *s = r->script;
    bool good = tree_names(map, "expect", NODE_ANY, r->file, r->fail);
    s->expects = arena_array(&r->in->arena, struct script_expect, map->n);
    for (const struct node *key = good ? map->first : NULL; key; key = key->next) {
        struct script_expect *e = &s->expects[s->expect_n++];
        good &= read_region(r, key->text, key->offset, &e->value.region) &&
                read_value(r, key->value, "an expected value", &e->value, &e->within);
    }
    return good;
}
