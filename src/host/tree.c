#include "host/tree.h"

#include <string.h>
#include <yaml.h>

struct build {
    yaml_parser_t parser;
    const struct source *source;
    struct arena *arena;
    struct fail *fail;
    size_t bom; /* bytes of a byte order mark, omitted in libyaml's positions */
    size_t character,
        /* libyaml counts characters; `byte` is the same position in bytes, advanced with each
         * event */
        byte;
    struct {
        struct node *node, *last, *key; /* key: a key without its value */
    } open[TREE_DEPTH];
    u32 depth;
};

static size_t byte_of(struct build *b, size_t character)
{
    if (character < b->character) b->character = 0, b->byte = b->bom;
    while (b->character < character && b->byte < b->source->size) {
        b->byte++;
        while (b->byte < b->source->size && ((u8)b->source->text[b->byte] & 0xc0) == 0x80)
            b->byte++;
        b->character++;
    }
    return b->byte;
}

static bool refuse(struct build *b, size_t character, const char *what)
{
    fail_at(b->fail, b->source, byte_of(b, character), "%s", what);
    return false;
}

/* Rejects control characters: with another encoding, guessed by libyaml, positions in the text
 * would be wrong. */
static bool is_text(const struct source *s, struct fail *fail)
{
    for (size_t i = 0; i < s->size; i++) {
        u8 c = (u8)s->text[i];
        if (c >= 32 || c == '\n' || c == '\r' || c == '\t') continue;
        fail_at(fail, s, i, "not a text file: byte 0x%02x", c);
        fail_note(fail, "expected YAML in UTF-8, beginning like \"app: NAME\"");
        return false;
    }
    return true;
}

static bool place(struct build *b, struct node *node, struct node **root)
{
    if (!b->depth) {
        *root = node;
        return true;
    }
    struct node *in = b->open[b->depth - 1].node, **last = &b->open[b->depth - 1].last;
    struct node **key = &b->open[b->depth - 1].key;
    if (*key) {
        (*key)->value = node;
        *key = NULL;
        return true;
    }
    if (in->kind == NODE_MAP) {
        if (node->kind != NODE_TEXT) {
            fail_at(b->fail, b->source, node->offset, "a key must be a plain word, not %s",
                    node_kind_name(node->kind));
            return false;
        }
        if (in->n == TREE_MAP_MAX) {
            fail_at(b->fail, b->source, node->offset, "more than %d keys", TREE_MAP_MAX);
            return false;
        }
        *key = node;
    }
    if (*last) (*last)->next = node;
    else in->first = node;
    *last = node;
    in->n++;
    return true;
}

static bool open_node(struct build *b, struct node *node)
{
    if (b->depth == TREE_DEPTH) {
        fail_at(b->fail, b->source, node->offset, "nested deeper than %d", TREE_DEPTH);
        return false;
    }
    b->open[b->depth].node = node;
    b->open[b->depth].last = b->open[b->depth].key = NULL;
    b->depth++;
    return true;
}

static bool take_node(struct build *b, const yaml_event_t *e, struct node **root)
{
    size_t at = e->start_mark.index;
    bool scalar = e->type == YAML_SCALAR_EVENT, map = e->type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *anchor = scalar ? e->data.scalar.anchor
                                : map  ? e->data.mapping_start.anchor
                                       : e->data.sequence_start.anchor;
    const yaml_char_t *tag = scalar ? e->data.scalar.tag
                             : map  ? e->data.mapping_start.tag
                                    : e->data.sequence_start.tag;
    if (anchor)
        return refuse(b, at,
                      "anchors are not supported here: write the value out at each use");
    if (tag) return refuse(b, at, "tags are not supported here: write the plain value");
    struct node *node = arena_new(b->arena, struct node);
    node->offset = byte_of(b, at);
    node->text = "";
    node->kind = scalar ? NODE_TEXT : map ? NODE_MAP : NODE_LIST;
    if (!scalar) return place(b, node, root) && open_node(b, node);
    const char *text = (const char *)e->data.scalar.value;
    size_t n = e->data.scalar.length;
    if (memchr(text, 0, n)) return refuse(b, at, "a text must not contain a NUL byte");
    node->text = arena_text(b->arena, text, n);
    return place(b, node, root);
}

static bool take_event(struct build *b, const yaml_event_t *e, struct node **root)
{
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        return !*root || refuse(b, e->start_mark.index, "a second document: expected one per file");
    case YAML_ALIAS_EVENT:
        return refuse(b, e->start_mark.index,
                      "aliases are not supported here: write the value out");
    case YAML_SCALAR_EVENT:
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT: return take_node(b, e, root);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: b->depth--; return true;
    default: return true;
    }
}

static void report_syntax(struct build *b)
{
    const yaml_parser_t *p = &b->parser;
    if (p->error == YAML_MEMORY_ERROR) {
        fail_plain(b->fail, "%s: out of memory while reading YAML", b->source->name);
    } else if (p->error == YAML_READER_ERROR) {
        fail_at(b->fail, b->source, p->problem_offset + b->bom, "malformed YAML: %s", p->problem);
    } else {
        fail_at(b->fail, b->source, byte_of(b, p->problem_mark.index), "malformed YAML: %s",
                p->problem);
        size_t at = byte_of(b, p->problem_mark.index);
        if (at < b->source->size && b->source->text[at] == '[')
            fail_note(b->fail, "a text with brackets needs quotes: \"NAME[KEY=VALUE]\"");
        if (p->context)
            fail_note(b->fail, "%s beginning in line %zu", p->context, p->context_mark.line + 1);
    }
}

struct node *tree_parse(const struct source *source, struct arena *arena, struct fail *fail)
{
    if (!is_text(source, fail)) return NULL;
    struct build b = {.source = source, .arena = arena, .fail = fail};
    struct node *root = NULL;
    check(yaml_parser_initialize(&b.parser));
    b.byte = b.bom = source->size >= 3 && !memcmp(source->text, "\xef\xbb\xbf", 3) ? 3 : 0;
    yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&b.parser, (const u8 *)source->text + b.bom, source->size - b.bom);
    bool good = true, ended = false;
    while (good && !ended) {
        yaml_event_t e;
        if (!yaml_parser_parse(&b.parser, &e)) {
            report_syntax(&b);
            good = false;
            break;
        }
        good = take_event(&b, &e, &root);
        ended = e.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&e);
    }
    yaml_parser_delete(&b.parser);
    if (good && !root) {
        fail_at(fail, source, 0, "the file is empty: expected lines such as \"KEY: VALUE\"");
        return NULL;
    }
    return good ? root : NULL;
}

/* ---- written trees ---- */

/* Before a text with its NUL, or n items; an item of a map is a key and its value. */
struct node_head {
    u32 kind, offset, n;
};

void tree_write(const struct node *root, struct text *out)
{
    struct node_head head = {root->kind, (u32)root->offset, root->n};
    text_put(out, (const char *)&head, sizeof head);
    if (root->kind == NODE_TEXT) text_put(out, root->text, strlen(root->text) + 1);
    for (const struct node *item = root->first; item; item = item->next) {
        tree_write(item, out);
        if (root->kind == NODE_MAP) tree_write(item->value, out);
    }
}

static struct node *read_node(const char **at, struct arena *arena)
{
    struct node_head head;
    memcpy(&head, *at, sizeof head);
    *at += sizeof head;
    struct node *node = arena_new(arena, struct node);
    *node = (struct node){
        .kind = (enum node_kind)head.kind, .text = "", .offset = head.offset, .n = head.n};
    if (head.kind == NODE_TEXT) {
        node->text = *at;
        *at += strlen(*at) + 1;
    }
    struct node **item = &node->first;
    for (u32 i = 0; i < head.n; i++, item = &(*item)->next) {
        *item = read_node(at, arena);
        if (head.kind == NODE_MAP) (*item)->value = read_node(at, arena);
    }
    return node;
}

struct node *tree_read(const char *bytes, struct arena *arena) { return read_node(&bytes, arena); }

const char *node_kind_name(enum node_kind kind)
{
    return kind == NODE_TEXT ? "a single value" : kind == NODE_LIST ? "a list" : "a map";
}

static bool check_kind(const struct node *key, enum node_kind kind, const struct source *source,
                       struct fail *fail)
{
    if (kind == NODE_ANY || key->value->kind == kind) return true;
    fail_at(fail, source, key->value->offset, "'%s' must be %s, not %s", key->text,
            node_kind_name(kind), node_kind_name(key->value->kind));
    return false;
}

static bool given_before(const struct node *map, const struct node *key,
                         const struct source *source, struct fail *fail)
{
    for (const struct node *k = map->first; k != key; k = k->next) {
        if (strcmp(k->text, key->text)) continue;
        u32 line, column;
        source_position(source, k->offset, &line, &column);
        fail_at(fail, source, key->offset, "'%s' is given twice", key->text);
        fail_note(fail, "the first time in line %u", line);
        return true;
    }
    return false;
}

static void unknown_key(const struct node *key, const char *what, const struct key_row *rows,
                        u32 row_n, const struct source *source, struct fail *fail)
{
    struct nearest nearest;
    nearest_init(&nearest, key->text);
    struct text keys = {0};
    for (u32 i = 0; i < row_n; i++) {
        nearest_offer(&nearest, rows[i].key);
        text_add(&keys, "%s%s", i ? ", " : "", rows[i].key);
    }
    fail_at(fail, source, key->offset, "unknown key '%s' in %s", key->text, what);
    fail_nearest(fail, &nearest);
    fail_note(fail, "valid keys: %s", text_get(&keys));
    text_free(&keys);
}

bool tree_keys(const struct node *map, const char *what, const struct key_row *rows, u32 row_n,
               const struct node **values, const struct source *source, struct fail *fail)
{
    u32 before = fail->error_n;
    for (u32 i = 0; i < row_n; i++) values[i] = NULL;
    if (map->kind != NODE_MAP) {
        fail_at(fail, source, map->offset, "%s must be a map, not %s", what,
                node_kind_name(map->kind));
        return false;
    }
    for (const struct node *key = map->first; key; key = key->next) {
        u32 row = 0;
        while (row < row_n && strcmp(rows[row].key, key->text)) row++;
        if (row == row_n) unknown_key(key, what, rows, row_n, source, fail);
        else if (!given_before(map, key, source, fail) &&
                 check_kind(key, rows[row].kind, source, fail))
            values[row] = key->value;
    }
    if (fail->error_n > before) return false;
    for (u32 i = 0; i < row_n; i++) {
        if (rows[i].needed && !values[i])
            fail_at(fail, source, map->offset, "%s lacks the key '%s'", what, rows[i].key);
    }
    return fail->error_n == before;
}

bool tree_names(const struct node *map, const char *what, enum node_kind kind,
                const struct source *source, struct fail *fail)
{
    u32 before = fail->error_n;
    for (const struct node *key = map->first; key; key = key->next) {
        if (!*key->text) fail_at(fail, source, key->offset, "a name in %s is empty", what);
        else if (!given_before(map, key, source, fail)) check_kind(key, kind, source, fail);
    }
    return fail->error_n == before;
}
