/* The steps of an app file: launches, writes, copies, and lists of steps that repeat for a number
 * of passes or until an element of a buffer has the expected value. */
#include <string.h>

#include "host/appfile.h"

enum { WRITE_TO, WRITE_BYTES, WRITE_INIT, WRITE_VALUES, WRITE_KEY_N };
static const struct key_row write_keys[WRITE_KEY_N] = {
    [WRITE_TO] = {"fill", NODE_TEXT, true},
    [WRITE_BYTES] = {"bytes", NODE_TEXT, false},
    [WRITE_INIT] = {"init", NODE_TEXT, false},
    [WRITE_VALUES] = {"values", NODE_LIST, false},
};
enum { COPY_FROM, COPY_TO, COPY_BYTES, COPY_KEY_N };
static const struct key_row copy_keys[COPY_KEY_N] = {
    [COPY_FROM] = {"copy", NODE_TEXT, true},
    [COPY_TO] = {"to", NODE_TEXT, true},
    [COPY_BYTES] = {"bytes", NODE_TEXT, false},
};
enum { LIST_STEPS, LIST_REPEAT, LIST_KEY_N };
static const struct key_row list_keys[LIST_KEY_N] = {
    [LIST_STEPS] = {"steps", NODE_LIST, true},
    [LIST_REPEAT] = {"repeat", NODE_ANY, true},
};
enum { REPEAT_UNTIL, REPEAT_MOST, REPEAT_KEY_N };
static const struct key_row repeat_keys[REPEAT_KEY_N] = {
    [REPEAT_UNTIL] = {"until", NODE_MAP, true},
    [REPEAT_MOST] = {"most", NODE_TEXT, true},
};
enum { UNTIL_BUFFER, UNTIL_INDEX, UNTIL_EQUALS, UNTIL_DIFFERS, UNTIL_KEY_N };
static const struct key_row until_keys[UNTIL_KEY_N] = {
    [UNTIL_BUFFER] = {"buffer", NODE_TEXT, true},
    [UNTIL_INDEX] = {"index", NODE_TEXT, false},
    [UNTIL_EQUALS] = {"equals", NODE_TEXT, false},
    [UNTIL_DIFFERS] = {"differs", NODE_TEXT, false},
};
enum { REPEAT_MAX = 1000000000 };

static u64 room_at(const struct appfile *r, u32 region, u64 add)
{
    return r->script->regions[region].size_bytes - add;
}

/* Reads a number of bytes; without a node *bytes is the whole room. */
static bool read_bytes(struct appfile *r, const struct node *node, u64 room, u64 *bytes)
{
    *bytes = room;
    return !node || read_integer(r, node, "bytes", 1, room, bytes);
}

static bool is_at_end(struct appfile *r, const struct node *node, u64 room)
{
    if (room) return false;
    fail_at(r->fail, r->file, node->offset, "the offset is at the end of the buffer");
    return true;
}

static struct script_write *read_write(struct appfile *r, const struct node *map)
{
    const struct node *value[WRITE_KEY_N];
    struct script_write *w = arena_new(&r->in->arena, struct script_write);
    if (!tree_keys(map, "a fill", write_keys, WRITE_KEY_N, value, r->file, r->fail) ||
        !read_place(r, value[WRITE_TO], "fill", &w->region, &w->add))
        return NULL;
    u64 room = room_at(r, w->region, w->add);
    w->type = r->script->regions[w->region].type;
    if (is_at_end(r, value[WRITE_TO], room) || !read_bytes(r, value[WRITE_BYTES], room, &room) ||
        !read_content(r, value[WRITE_INIT], value[WRITE_VALUES], room, w))
        return NULL;
    return w;
}

static struct script_copy *read_copy(struct appfile *r, const struct node *map)
{
    const struct node *value[COPY_KEY_N];
    struct script_copy *c = arena_new(&r->in->arena, struct script_copy);
    if (!tree_keys(map, "a copy", copy_keys, COPY_KEY_N, value, r->file, r->fail)) return NULL;
    bool good = read_place(r, value[COPY_FROM], "copy", &c->from, &c->from_add);
    good &= read_place(r, value[COPY_TO], "to", &c->to, &c->to_add);
    if (!good) return NULL;
    u64 from = room_at(r, c->from, c->from_add), to = room_at(r, c->to, c->to_add);
    if (is_at_end(r, value[COPY_FROM], from) || is_at_end(r, value[COPY_TO], to) ||
        !read_bytes(r, value[COPY_BYTES], from, &c->size_bytes))
        return NULL;
    if (c->size_bytes <= to) return c;
    fail_at(r->fail, r->file, value[COPY_TO]->offset, "%llu bytes are copied, but '%s' has %llu "
            "from the offset on", (unsigned long long)c->size_bytes, r->script->regions[c->to].name,
            (unsigned long long)to);
    return NULL;
}

static bool encode(struct appfile *r, const struct node *node, enum type type, u8 *out)
{
    struct number v;
    struct text why = {0};
    bool good = number_parse(node->text, strlen(node->text), &v, &why) &&
                number_encode(&v, type, out, &why);
    if (!good) fail_at(r->fail, r->file, node->offset, "%s", text_get(&why));
    text_free(&why);
    return good;
}

static const struct script_until *read_until(struct appfile *r, const struct node *map)
{
    const struct node *value[UNTIL_KEY_N];
    struct script_until *u = arena_new(&r->in->arena, struct script_until);
    if (!tree_keys(map, "until", until_keys, UNTIL_KEY_N, value, r->file, r->fail) ||
        !read_region(r, value[UNTIL_BUFFER]->text, value[UNTIL_BUFFER]->offset, &u->region))
        return NULL;
    const struct script_region *in = &r->script->regions[u->region];
    const struct node *wanted = value[UNTIL_EQUALS] ? value[UNTIL_EQUALS] : value[UNTIL_DIFFERS];
    u64 index = 0;
    u->type = in->type;
    if (is_at_end(r, value[UNTIL_BUFFER], in->size_bytes)) return NULL;
    u->differs = value[UNTIL_DIFFERS] != NULL;
    if (!wanted || (value[UNTIL_EQUALS] && value[UNTIL_DIFFERS])) {
        fail_at(r->fail, r->file, map->offset, "until needs either 'equals' or 'differs'");
        return NULL;
    }
    if ((value[UNTIL_INDEX] &&
         !read_integer(r, value[UNTIL_INDEX], "index", 0, in->count - 1, &index)) ||
        !encode(r, wanted, u->type, u->value))
        return NULL;
    u->add = index * type_bytes(u->type);
    return u;
}

static bool read_repeat(struct appfile *r, const struct node *node, struct script_step *step)
{
    step->most = 1;
    if (!node) return true;
    step->offset = node->offset;
    if (node->kind == NODE_TEXT)
        return read_integer(r, node, "repeat", 1, REPEAT_MAX, &step->most);
    if (node->kind == NODE_LIST) {
        fail_at(r->fail, r->file, node->offset, "repeat is a number of passes, or {until: {buffer: "
                "NAME, index: N, equals: VALUE}, most: N}");
        return false;
    }
    const struct node *value[REPEAT_KEY_N];
    if (!tree_keys(node, "repeat", repeat_keys, REPEAT_KEY_N, value, r->file, r->fail))
        return false;
    step->until = read_until(r, value[REPEAT_UNTIL]);
    step->offset = value[REPEAT_MOST]->offset;
    return read_integer(r, value[REPEAT_MOST], "most", 1, REPEAT_MAX, &step->most) && step->until;
}

/* Reads a list of steps. A list without a launch is an error because its repetition would take no
 * simulated time. */
static bool read_list(struct appfile *r, const struct node *map, struct script_step *step,
                      const struct node **repeat)
{
    const struct node *value[LIST_KEY_N];
    if (!tree_keys(map, "a list of steps", list_keys, LIST_KEY_N, value, r->file, r->fail))
        return false;
    *repeat = value[LIST_REPEAT];
    u32 before = r->script->launch_n;
    if (!read_steps(r, value[LIST_STEPS], &step->steps, &step->step_n)) return false;
    if (r->script->launch_n > before) return true;
    fail_at(r->fail, r->file, value[LIST_STEPS]->offset, "a repeated list needs a launch");
    return false;
}

static bool has_key(const struct node *map, const char *key)
{
    for (const struct node *k = map->kind == NODE_MAP ? map->first : NULL; k; k = k->next)
        if (!strcmp(k->text, key)) return true;
    return false;
}

static bool read_step(struct appfile *r, const struct node *map, struct script_step *step)
{
    const struct node *repeat = NULL;
    bool good;
    if (has_key(map, "copy")) {
        step->kind = STEP_COPY;
        good = (step->copy = read_copy(r, map)) != NULL;
    } else if (has_key(map, "fill")) {
        step->kind = STEP_WRITE;
        good = (step->write = read_write(r, map)) != NULL;
    } else if (has_key(map, "steps")) {
        step->kind = STEP_LIST;
        good = read_list(r, map, step, &repeat);
    } else {
        step->kind = STEP_LAUNCH;
        good = (step->launch = read_launch(r, map, &repeat)) != NULL;
        if (!good && map->kind == NODE_MAP && !has_key(map, "kernel"))
            fail_note(r->fail, "a step needs one key of 'kernel' (a launch), 'fill', 'copy' and "
                      "'steps'");
    }
    return read_repeat(r, repeat, step) && good;
}

bool read_steps(struct appfile *r, const struct node *list, struct script_step **steps, u32 *n)
{
    *steps = arena_array(&r->in->arena, struct script_step, list->n);
    if (!list->n) {
        fail_at(r->fail, r->file, list->offset, "a list of steps is empty");
        return false;
    }
    bool good = true;
    for (const struct node *map = list->first; map; map = map->next)
        good &= read_step(r, map, &(*steps)[(*n)++]);
    return good;
}
