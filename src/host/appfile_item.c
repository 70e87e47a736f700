/* Single items of an app file: numbers, file names, buffers and locations in buffers. */
#include <string.h>

#include "host/appfile.h"
#include "table/amount.h"

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
    const struct source *s = r->loader->load(r->loader, path, r->file, offset, r->fail);
    if (!s) return NULL;
    struct script *script = r->script;
    *arena_push(&r->in->arena, script->files, script->file_n, script->file_room) = s;
    return s;
}

bool read_region(struct appfile *r, const char *name, size_t offset, u32 *region)
{
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (*region = 0; *region < r->script->region_n; ++*region) {
        const struct arg_name *n = &r->names.at[*region];
        if (!strcmp(n->name, name) || (n->shown && !strcmp(n->shown, name))) return true;
        nearest_offer(&nearest, n->name);
        if (n->shown) nearest_offer(&nearest, n->shown);
    }
    fail_at(r->fail, r->file, offset, "no buffer is named '%s'", name);
    fail_nearest(r->fail, &nearest);
    return false;
}

bool read_place(struct appfile *r, const struct node *node, const char *what, u32 *region,
                u64 *add)
{
    struct patch patch;
    struct arg_detail arg = {0};
    struct text why = {0};
    const struct arg_names places = {r->names.at, r->script->region_n};
    bool good = node->text[0] == '$' &&
                arg_address(node->text + 1, &places, &patch, &arg, &why);
    if (good) {
        *region = patch.region;
        *add = patch.add;
    } else {
        fail_at(r->fail, r->file, node->offset, "%s%s", why.size ? "" : what,
                why.size ? text_get(&why) : " must be $NAME or $NAME+BYTES");
        if (arg.nearest) fail_note(r->fail, "did you mean '$%s'?", arg.nearest);
    }
    text_free(&why);
    return good;
}
