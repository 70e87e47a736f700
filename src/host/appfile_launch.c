/* Reads a launch of an app file: shapes, and arguments converted to the types of the kernel's
 * parameters. */
#include <string.h>

#include "host/appfile.h"
#include "host/launch.h"
#include "host/number.h"

enum { KEY_KERNEL, KEY_GRID, KEY_BLOCK, KEY_SHARED, KEY_ARGS, KEY_REPEAT, KEY_STREAM,
       KEY_PRIORITY, KEY_COOPERATIVE, KEY_CARVEOUT, KEY_CLUSTER, KEY_N };
static const struct key_row launch_keys[KEY_N] = {
    [KEY_KERNEL] = {"kernel", NODE_TEXT, true},  [KEY_GRID] = {"grid", NODE_ANY, true},
    [KEY_BLOCK] = {"block", NODE_ANY, true},     [KEY_SHARED] = {"shared_bytes", NODE_TEXT, false},
    [KEY_ARGS] = {"args", NODE_LIST, false},     [KEY_REPEAT] = {"repeat", NODE_ANY, false},
    [KEY_STREAM] = {"stream", NODE_TEXT, false},
    [KEY_PRIORITY] = {"priority", NODE_TEXT, false},
    [KEY_COOPERATIVE] = {"cooperative", NODE_TEXT, false},
    [KEY_CARVEOUT] = {"carveout", NODE_TEXT, false},
    [KEY_CLUSTER] = {"cluster", NODE_ANY, false},
};
enum { STREAM_MAX = 1023, SHARED_BYTES_MAX = 1 << 20 };

/* Reads x, [x], [x, y] or [x, y, z]. launch_error checks all limits, including zero. */
static bool read_shape(struct appfile *r, const struct node *shape, const char *what, u32 out[3])
{
    out[0] = out[1] = out[2] = 1;
    const struct node *side = shape->kind == NODE_TEXT ? shape : shape->first;
    if (shape->kind == NODE_MAP || !side || shape->n > 3) {
        fail_at(r->fail, r->file, shape->offset, "%s needs 1 to 3 numbers, as in [64, 1, 1]", what);
        return false;
    }
    for (u32 i = 0; side && i < 3; i++, side = side->next) {
        u64 n;
        if (!read_integer(r, side, what, 0, UINT32_MAX, &n)) return false;
        out[i] = (u32)n;
        if (side == shape) break;
    }
    return true;
}

static bool check_shape(struct appfile *r, const struct script_launch *l, const struct node *grid,
                        const struct node *block)
{
    struct text why = {0};
    const char *error = launch_error(l->kernel->program, l->grid, l->block, &why);
    bool of_grid = error && !strncmp(error, "grid", 4);
    if (error) fail_at(r->fail, r->file, of_grid ? grid->offset : block->offset, "%s", error);
    text_free(&why);
    return !error;
}

static void note_signature(struct appfile *r, const struct program *p)
{
    struct text signature = {0};
    args_signature(p, &signature);
    fail_note(r->fail, "the kernel is %s", text_get(&signature));
    text_free(&signature);
}

static bool copy_file(struct appfile *r, const char *path, const struct param *p, u8 *out,
                      size_t offset)
{
    const struct source *s = read_named(r, path, offset);
    if (!s) return false;
    if (s->size == p->size_bytes) {
        memcpy(out, s->text, s->size);
        return true;
    }
    fail_at(r->fail, r->file, offset, "%s has %zu bytes, parameter %s has %u", path, s->size,
            p->name, p->size_bytes);
    return false;
}

/* Reads the fields of a struct passed by value. */
static bool read_struct(struct appfile *r, const struct node *list, const struct param *p,
                        struct script_launch *l)
{
    struct content measured = {0};
    u64 size_bytes, there;
    if (p->count == 1 && p->type != T_B8) {
        fail_at(r->fail, r->file, list->offset, "a list is only for a struct passed by value; the "
                "parameter is %s %s", type_name(p->type), p->name);
        return false;
    }
    if (!read_fields(r, list, T_NONE, &measured, 0, &size_bytes)) return false;
    if (size_bytes != p->size_bytes) {
        fail_at(r->fail, r->file, list->offset, "the fields take %llu bytes, laid out as in C, but "
                "parameter %s has %u", (unsigned long long)size_bytes, p->name, p->size_bytes);
        return false;
    }
    if (read_fields(r, list, T_NONE, &l->param, p->offset, &there) && there == size_bytes)
        return true;
    fail_at(r->fail, r->file, list->offset, "the fields need a larger alignment than the %u bytes "
            "of parameter %s", p->align, p->name);
    return false;
}

static bool read_text_arg(struct appfile *r, const struct node *node, const struct param *p,
                          struct script_launch *l)
{
    struct arg_detail arg;
    struct text why = {0};
    enum arg_result result = arg_convert(node->text, p, &r->names, &r->in->arena, &l->param, &arg,
                                         &why);
    if (result == ARG_WRONG) {
        fail_at(r->fail, r->file, node->offset, "%s", text_get(&why));
        if (arg.nearest) fail_note(r->fail, "did you mean '$%s'?", arg.nearest);
    }
    text_free(&why);
    if (result != ARG_FILE) return result == ARG_DONE;
    return copy_file(r, arg.path, p, l->param.bytes + p->offset, node->offset);
}

static bool read_arg(struct appfile *r, const struct node *node, const struct param *p,
                     struct script_launch *l)
{
    if (node->kind == NODE_MAP) {
        fail_at(r->fail, r->file, node->offset, "an argument must be a single value, or the list "
                "of a struct's fields, not a map");
        return false;
    }
    bool good = node->kind == NODE_LIST ? read_struct(r, node, p, l) : read_text_arg(r, node, p, l);
    if (!good) note_signature(r, l->kernel->program);
    return good;
}

static bool read_args(struct appfile *r, const struct node *list, struct script_launch *l,
                      size_t offset)
{
    const struct program *p = l->kernel->program;
    u32 n = list ? list->n : 0;
    if (n != p->param_n) {
        fail_at(r->fail, r->file, list ? list->offset : offset,
                "%u argument%s for a kernel with %u parameter%s", n, n == 1 ? "" : "s", p->param_n,
                p->param_n == 1 ? "" : "s");
        note_signature(r, p);
        return false;
    }
    l->param.size_bytes = p->param_bytes;
    l->param.bytes = arena_alloc(&r->in->arena, p->param_bytes, 16);
    bool good = true;
    const struct node *arg = list ? list->first : NULL;
    for (u32 i = 0; i < n; i++, arg = arg->next) good &= read_arg(r, arg, &p->params[i], l);
    for (u32 i = 0; i < l->param.draw_n; i++)
        r->in->draws |= l->param.draws[i].kind == DRAW_EXPONENTIAL;
    return good;
}

static bool read_count(struct appfile *r, const struct node *node, const char *what, u64 low,
                       u64 high, u32 *out)
{
    u64 n = *out;
    if (node && !read_integer(r, node, what, low, high, &n)) return false;
    *out = (u32)n;
    return true;
}

static bool read_priority(struct appfile *r, const struct node *node, s32 *out)
{
    struct number n = {0};
    struct text why = {0};
    bool good = !node || number_parse(node->text, strlen(node->text), &n, &why);
    good = good && !n.fraction && n.magnitude <= -PRIORITY_GREATEST &&
           (n.negative || !n.magnitude);
    text_free(&why);
    *out = good ? -(s32)n.magnitude : 0;
    if (!good)
        fail_at(r->fail, r->file, node->offset, "priority must be a whole number from %d (first) "
                "to %d", PRIORITY_GREATEST, PRIORITY_LEAST);
    return good;
}

static bool read_cooperative(struct appfile *r, const struct node *node, bool *out)
{
    bool yes = node && !strcmp(node->text, "true");
    *out = yes;
    if (!node || yes || !strcmp(node->text, "false")) return true;
    fail_at(r->fail, r->file, node->offset, "cooperative must be true or false");
    return false;
}

/* The machine checks the limits. */
static bool read_cluster(struct appfile *r, const struct node *node, u32 out[3])
{
    if (!read_shape(r, node, "cluster", out)) return false;
    if (out[0] && out[1] && out[2]) return true;
    fail_at(r->fail, r->file, node->offset, "a cluster has at least one block");
    return false;
}

static bool read_carveout(struct appfile *r, const struct node *node,
                          struct carveout_preference *out)
{
    u32 percent = 0;
    bool good = read_count(r, node, "carveout", 0, 100, &percent);
    *out = (struct carveout_preference){node != NULL, (u8)percent};
    return good;
}

struct script_launch *read_launch(struct appfile *r, const struct node *map,
                                  const struct node **repeat)
{
    const struct node *value[KEY_N];
    if (!tree_keys(map, "a launch", launch_keys, KEY_N, value, r->file, r->fail)) return NULL;
    struct script *s = r->script;
    struct script_launch *l = arena_new(&r->in->arena, struct script_launch);
    *repeat = value[KEY_REPEAT];
    l->offset = value[KEY_BLOCK]->offset;
    bool good =
        read_count(r, value[KEY_SHARED], "shared_bytes", 0, SHARED_BYTES_MAX, &l->shared_bytes);
    good &= read_count(r, value[KEY_STREAM], "stream", 0, STREAM_MAX, &l->stream);
    good &= read_priority(r, value[KEY_PRIORITY], &l->priority);
    good &= read_carveout(r, value[KEY_CARVEOUT], &l->carveout);
    good &= read_cooperative(r, value[KEY_COOPERATIVE], &l->cooperative);
    good &= read_shape(r, value[KEY_GRID], "grid", l->grid);
    good &= read_shape(r, value[KEY_BLOCK], "block", l->block);
    if (value[KEY_CLUSTER]) good &= read_cluster(r, value[KEY_CLUSTER], l->cluster);
    l->kernel =
        input_kernel(r->in, value[KEY_KERNEL]->text, r->file, value[KEY_KERNEL]->offset, r->fail);
    if (!l->kernel) return NULL;
    if (good) good = check_shape(r, l, value[KEY_GRID], value[KEY_BLOCK]);
    if (!read_args(r, value[KEY_ARGS], l, map->offset) || !good) return NULL;
    l->index = s->launch_n;
    *arena_push(&r->in->arena, s->launches, s->launch_n, s->launch_room) = l;
    return l;
}
