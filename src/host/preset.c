#include "host/preset.h"

#include <string.h>

#include "host/number.h"
#include "host/tree.h"

static void unknown_key(const struct workload *w, const struct node *key,
                        const struct source *preset, struct fail *fail)
{
    struct nearest nearest;
    nearest_init(&nearest, key->text);
    for (u32 i = 0; w->params[i].key; i++) nearest_offer(&nearest, w->params[i].key);
    fail_at(fail, preset, key->offset, "workload %s has no parameter '%s'", w->name, key->text);
    fail_nearest(fail, &nearest);
}

static bool read_value(const struct workload_param *p, const struct node *node, double *value,
                       const struct source *preset, struct fail *fail)
{
    struct number v;
    struct text why = {0};
    bool good = number_parse(node->text, strlen(node->text), &v, &why);
    if (!good) fail_at(fail, preset, node->offset, "%s", text_get(&why));
    text_free(&why);
    if (!good) return false;
    *value = number_real(&v);
    if (*value >= p->low && *value <= p->high) return true;
    fail_at(fail, preset, node->offset, "%s: %s is out of range", p->key, node->text);
    fail_note(fail, "%s (%s) goes from %.15g to %.15g", p->key, p->sentence, p->low, p->high);
    return false;
}

static bool read_param(struct workload_param *p, const struct node *node,
                       const struct source *preset, struct fail *fail)
{
    double values[3] = {0};
    u32 n = 0;
    bool list = node->kind == NODE_LIST;
    if (node->kind == NODE_MAP || (list && node->n != COUNT_OF(values))) {
        fail_at(fail, preset, node->offset, "%s: expected a number, or three in brackets: at the "
                "default size, at size=test and at size=window", p->key);
        return false;
    }
    for (const struct node *v = list ? node->first : node; v; v = list ? v->next : NULL) {
        if (v->kind != NODE_TEXT) {
            fail_at(fail, preset, v->offset, "%s: expected a number, not %s", p->key,
                    node_kind_name(v->kind));
            return false;
        }
        if (!read_value(p, v, &values[n++], preset, fail)) return false;
    }
    p->normal = values[0];
    p->test = list ? values[1] : values[0];
    p->window = list ? values[2] : values[0];
    return true;
}

const struct workload_param *preset_params(const struct workload *w, const struct source *preset,
                                           struct arena *arena, struct fail *fail)
{
    u32 n = 0, before = fail->error_n;
    while (w->params[n].key) n++;
    struct workload_param *params = arena_array(arena, struct workload_param, n + 1);
    memcpy(params, w->params, (n + 1) * sizeof *params);
    const struct node *map = tree_parse(preset, arena, fail);
    if (!map) return NULL;
    if (map->kind != NODE_MAP) {
        fail_at(fail, preset, map->offset, "expected parameters of %s, one per line: KEY: VALUE",
                w->name);
        return NULL;
    }
    if (!tree_names(map, "a preset", NODE_ANY, preset, fail)) return NULL;
    for (const struct node *key = map->first; key; key = key->next) {
        u32 row = 0;
        while (row < n && strcmp(params[row].key, key->text)) row++;
        if (row == n) unknown_key(w, key, preset, fail);
        else read_param(&params[row], key->value, preset, fail);
    }
    return fail->error_n == before ? params : NULL;
}
