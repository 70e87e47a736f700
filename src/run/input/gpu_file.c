#include "run/input/gpu_file.h"

#include <string.h>
#include "host/tree.h"
#include "run/input/machine_tree.h"
#include "run/io/asset.h"
#include "run/io/file.h"

enum { BASE_DEPTH = 8 };

bool names_file(const char *argument)
{
    size_t n = strlen(argument), name = strcspn(argument, "/:");
    /* the options of a workload may name files: NAME:key=PATH */
    if (argument[name] == ':' && strchr(argument + name, '=')) return false;
    return strchr(argument, '/') || (n > 5 && !strcmp(argument + n - 5, ".yaml")) ||
           (n > 4 && !strcmp(argument + n - 4, ".yml"));
}

struct gpu_load {
    struct gpu_file *g;
    const struct source *source;
    const char *shipped;          /* name of a shipped machine; NULL: a user's file */
    u32 line;                     /* user's file: number of the line at line_start; 0: none yet */
    size_t line_start;
    const char *identity;         /* equal for equal machines: shipped name or file_identity */
    const struct gpu_load *above; /* the machine with this base; NULL: the run's own machine */
    struct fail *fail;
};

static const char *keep(struct gpu_file *g, const char *text)
{
    return arena_text(&g->arena, text, strlen(text));
}

static const char *origin_of(struct gpu_load *l, size_t offset)
{
    if (l->shipped) return l->shipped;
    if (!l->line || offset < l->line_start) l->line = 1, l->line_start = 0;
    source_count_lines(l->source, offset, &l->line_start, &l->line);
    struct text t = {0};
    text_add(&t, "%s:%u", l->source->name, l->line);
    const char *origin = keep(l->g, t.bytes);
    text_free(&t);
    return origin;
}

static bool is_energy(const char *key) { return !strncmp(key, "energy.", strlen("energy.")); }

struct option {
    const struct conf_row *row; /* NULL: unknown key */
    void *object;
    struct gpu_value *value;
    struct conf_place *place;
};

/* Finds an option of the machine or of the energies; an unknown key, at (source, offset), is an
 * error. */
static struct option option_find(struct gpu_file *g, const char *key, const struct source *source,
                                 size_t offset, struct fail *fail)
{
    bool energy = is_energy(key);
    const struct conf_row *rows = energy ? energy_rows : machine_rows;
    u32 n = energy ? energy_row_n : machine_row_n;
    const struct conf_row *row = conf_find(rows, n, key);
    if (!row) {
        fail_at(fail, source, offset, "unknown option '%s'", key);
        conf_nearest(rows, n, key, fail);
        fail_note(fail, "corun list options shows all options");
        return (struct option){0};
    }
    size_t i = (size_t)(row - rows);
    if (energy) return (struct option){row, &g->energy, &g->energy_values[i], &g->energy_places[i]};
    return (struct option){row, &g->machine, &g->values[i], &g->places[i]};
}

/* Records the origin of an option's value. Overridden origins stay in the chain. `origin` and `why`
 * live as long as g. */
static void give(struct gpu_file *g, const struct option *o, const struct source *source,
                 size_t offset, const char *origin, const char *why)
{
    const char *chain = origin;
    if (o->place->source) {
        struct text longer = {0};
        text_add(&longer, "%s < %s", origin, o->value->chain);
        chain = keep(g, longer.bytes);
        text_free(&longer);
    }
    *o->value = (struct gpu_value){.origin = origin, .chain = chain, .source = why};
    *o->place = (struct conf_place){source, offset, ++g->given_n};
}

/* Parses KEY: V or KEY: {value: V, source: TEXT}. */
static void take_value(struct gpu_load *l, const char *section, const struct node *key)
{
    static const struct key_row keys[] = {{"value", NODE_TEXT, true}, {"source", NODE_TEXT, false}};
    const struct node *found[2] = {key->value, NULL};
    struct text name = {0};
    text_add(&name, "%s.%s", section, key->text);
    const struct option o = option_find(l->g, name.bytes, l->source, key->offset, l->fail);
    text_free(&name);
    if (!o.row) return;
    if (key->value->kind == NODE_MAP) {
        if (!tree_keys(key->value, key->text, keys, 2, found, l->source, l->fail)) return;
    } else if (key->value->kind == NODE_LIST) {
        fail_at(l->fail, l->source, key->value->offset, "expected a value, not a list");
        return;
    }
    const struct node *value = found[0];
    if (!conf_set(o.object, o.row, value->text, l->fail, l->source, value->offset)) return;
    give(l->g, &o, l->source, value->offset, origin_of(l, key->offset),
         found[1] ? found[1]->text : "");
    o.value->own = !l->shipped;
}

static bool is_section(const char *name)
{
    for (u32 i = 0; i < machine_row_n; i++) {
        if (!strcmp(machine_rows[i].section, name)) return true;
    }
    return !strcmp(energy_rows[0].section, name);
}

static const char *const head_keys[] = {"machine", "about", "base"};

static u32 head_key(const char *name)
{
    u32 i = 0;
    while (i < COUNT_OF(head_keys) && strcmp(head_keys[i], name)) i++;
    return i;
}

static void refuse_section(struct gpu_load *l, const struct node *key)
{
    struct nearest nearest;
    nearest_init(&nearest, key->text);
    struct text all = {0};
    for (u32 i = 0; i < COUNT_OF(head_keys); i++) nearest_offer(&nearest, head_keys[i]);
    for (u32 i = 0; i < machine_row_n; i++) {
        const char *section = machine_rows[i].section;
        if (i && !strcmp(machine_rows[i - 1].section, section)) continue;
        nearest_offer(&nearest, section);
        text_add(&all, "%s%s", all.size ? ", " : "", section);
    }
    nearest_offer(&nearest, energy_rows[0].section);
    text_add(&all, ", %s", energy_rows[0].section);
    fail_at(l->fail, l->source, key->offset, "a machine has no section '%s'", key->text);
    fail_nearest(l->fail, &nearest);
    fail_note(l->fail, "sections: %s; before them machine, about, base", text_get(&all));
    text_free(&all);
}

static bool load_text(struct gpu_load *l);

/* Rejects machines based on themselves, directly or through other machines, and more than
 * BASE_DEPTH levels of bases. */
static bool is_circular(const struct gpu_load *l, const char *name, const struct source *at,
                        size_t offset)
{
    u32 depth = 0;
    bool same = false;
    for (const struct gpu_load *a = l->above; a && !same; a = a->above) {
        same = !strcmp(a->identity, l->identity);
        depth++;
    }
    if (same) {
        fail_at(l->fail, at, offset, "'%s' is based on itself", name);
        fail_note(l->fail, "a chain of bases must end at a shipped machine or a file without base");
    } else if (depth >= BASE_DEPTH) {
        fail_at(l->fail, at, offset, "a chain of more than %d base machines", BASE_DEPTH);
    }
    return same || depth >= BASE_DEPTH;
}

static bool load_file(struct gpu_load *l, const char *name, const struct source *at, size_t offset)
{
    struct file_set *files = &l->g->files;
    l->source = l->above ? files->loader.load(&files->loader, name, at, offset, l->fail)
                         : file_set_open(files, name, l->fail);
    if (!l->source) return false;
    struct text identity = {0};
    file_identity(l->source->name, &identity);
    l->identity = keep(l->g, identity.bytes);
    text_free(&identity);
    return !is_circular(l, name, at, offset) && load_text(l);
}

/* Loads a machine by name or path, named at (at, offset). `above` is the machine with this base;
 * NULL: none. */
static bool load_named(struct gpu_file *g, const char *name, const struct source *at, size_t offset,
                       const struct gpu_load *above, struct fail *fail)
{
    struct gpu_load l = {.g = g, .above = above, .fail = fail};
    if (names_file(name)) return load_file(&l, name, at, offset);
    struct text path = {0};
    struct source *text = arena_new(&g->arena, struct source);
    text_add(&path, "gpus/%s.yaml", name);
    bool shipped = asset_find(path.bytes, text);
    text_free(&path);
    if (shipped) {
        l.source = text;
        l.shipped = l.identity = keep(g, name);
        return !is_circular(&l, name, at, offset) && load_text(&l);
    }
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (u32 i = 0; asset_gpu(i); i++) nearest_offer(&nearest, asset_gpu(i));
    if (*name) fail_at(fail, at, offset, "unknown machine '%s'", name);
    else fail_at(fail, at, offset, "a machine's name is missing");
    fail_nearest(fail, &nearest);
    if (strchr(name, ',')) fail_note(fail, "give one machine; only corun profile takes several");
    fail_note(fail, "give a shipped machine (corun list gpus), or a file, FILE.yaml");
    return false;
}

static const char *based_on(struct gpu_file *g, const char *base)
{
    struct text about = {0};
    text_add(&about, "%s with other values", base);
    const char *kept = keep(g, about.bytes);
    text_free(&about);
    return kept;
}

static void take_head(struct gpu_load *l, const struct node *const *head)
{
    if (head[2]) load_named(l->g, head[2]->text, l->source, head[2]->offset, l, l->fail);
    if (head[1]) l->g->about = keep(l->g, head[1]->text);
    else if (head[2]) l->g->about = based_on(l->g, head[2]->text);
}

static bool given_twice(struct gpu_load *l, const struct node *map, const struct node *key)
{
    for (const struct node *k = map->first; k != key; k = k->next) {
        if (strcmp(k->text, key->text)) continue;
        fail_at(l->fail, l->source, key->offset, "'%s' is given twice", key->text);
        return true;
    }
    return false;
}

static bool load_text(struct gpu_load *l)
{
    struct fail *fail = l->fail;
    const struct source *source = l->source;
    u32 before = fail->error_n;
    const char *tree = l->shipped ? machine_tree(l->shipped) : NULL;
    struct node *root = tree ? tree_read(tree, &l->g->arena)
                             : tree_parse(source, &l->g->arena, fail);
    if (!root) return false;
    if (root->kind != NODE_MAP) {
        fail_at(fail, source, root->offset, "expected sections such as 'sm:', not %s",
                node_kind_name(root->kind));
        return false;
    }
    const struct node *head[COUNT_OF(head_keys)] = {0};
    for (const struct node *key = root->first; key; key = key->next) {
        u32 h = head_key(key->text);
        bool section = is_section(key->text);
        if (given_twice(l, root, key)) continue;
        if (!section && h == COUNT_OF(head_keys)) {
            refuse_section(l, key);
        } else if (key->value->kind != (section ? NODE_MAP : NODE_TEXT)) {
            fail_at(fail, source, key->value->offset, "'%s' must be %s", key->text,
                    node_kind_name(section ? NODE_MAP : NODE_TEXT));
        } else if (!section) {
            head[h] = key->value;
        }
    }
    take_head(l, head);
    for (const struct node *key = root->first; key; key = key->next) {
        if (key->value->kind != NODE_MAP || !is_section(key->text)) continue;
        for (const struct node *k = key->value->first; k; k = k->next) {
            if (!given_twice(l, key->value, k)) take_value(l, key->text, k);
        }
    }
    return fail->error_n == before;
}

/* Applies "section.key=value". */
static bool apply_set(struct gpu_file *g, const char *set, struct fail *fail)
{
    struct source *source = arena_new(&g->arena, struct source);
    *source = (struct source){COMMAND_LINE, keep(g, set), strlen(set)};
    const char *equals = strchr(set, '=');
    if (!equals) {
        fail_at(fail, source, source->size, "expected --set section.key=value");
        return false;
    }
    const char *key = arena_text(&g->arena, set, (size_t)(equals - set));
    const struct option o = option_find(g, key, source, 0, fail);
    if (!o.row) return false;
    size_t offset = (size_t)(equals - set) + 1;
    if (!conf_set(o.object, o.row, equals + 1, fail, source, offset)) return false;
    give(g, &o, source, offset, "--set", "");
    return true;
}

static bool is_lock_step(const struct machine *m)
{
    const struct rational capability = m->host.capability;
    return !m->sm.independent_threads && capability.num >= 7 * capability.den;
}

const char *gpu_file_lock_step(const struct gpu_file *g)
{
    return is_lock_step(&g->machine)
               ? "the machine tells programs compute capability 7.0 or more (host.capability) and "
                 "runs the threads of a warp in lock step (sm.independent_threads is off): a "
                 "program whose threads of a warp wait for one another may end as deadlock; use "
                 GPU_DEFAULT_CUDA " instead"
               : NULL;
}

/* Rejects capability 7.0 or more without sm.independent_threads in a user's machine file. Shipped
 * machines are accepted as the papers describe them. */
static bool capability_right(const struct gpu_file *g, struct fail *fail)
{
    const struct conf_row *row = conf_find(machine_rows, machine_row_n, "host.capability");
    const struct conf_place *at = &g->places[row - machine_rows];
    if (!g->values[row - machine_rows].own || !is_lock_step(&g->machine)) return true;
    fail_at(fail, at->source, at->offset, "a capability of 7.0 or more needs "
            "sm.independent_threads: true, as on real devices");
    fail_note(fail, "set independent_threads under sm:, or give a capability below 7.0, or no "
              "capability");
    return false;
}

static struct gpu_value *values_new(struct gpu_file *g, u32 n)
{
    struct gpu_value *values = arena_array(&g->arena, struct gpu_value, n);
    for (u32 i = 0; i < n; i++)
        values[i] = (struct gpu_value){.origin = "default", .chain = "default", .source = ""};
    return values;
}

bool gpu_file_open(struct gpu_file *g, const char *gpu, const char *const *sets, u32 set_n,
                   struct fail *fail)
{
    u32 before = fail->error_n;
    *g = (struct gpu_file){.about = ""};
    arena_init(&g->arena);
    file_set_init(&g->files);
    g->name = keep(g, gpu);
    conf_defaults(&g->machine, machine_rows, machine_row_n);
    conf_defaults(&g->energy, energy_rows, energy_row_n);
    g->values = values_new(g, machine_row_n);
    g->places = arena_array(&g->arena, struct conf_place, machine_row_n);
    g->energy_values = values_new(g, energy_row_n);
    g->energy_places = arena_array(&g->arena, struct conf_place, energy_row_n);
    struct source argument = {COMMAND_LINE, g->name, strlen(g->name)};
    load_named(g, gpu, &argument, 0, NULL, fail);
    for (u32 i = 0; i < set_n; i++) apply_set(g, sets[i], fail);
    if (fail->error_n != before) return false;
    bool right = machine_check(&g->machine, g->places, fail);
    return capability_right(g, fail) && right; /* all errors in one run */
}

void gpu_file_free(struct gpu_file *g)
{
    file_set_free(&g->files);
    arena_free(&g->arena);
    *g = (struct gpu_file){0};
}
