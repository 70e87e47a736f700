#include "run/sweep/sweep_file.h"

#include "run/jobs/worker.h"

#include <stdlib.h>
#include <string.h>
#include "run/input/plugin.h"
#include "run/io/file.h"
#include "run/jobs/interrupt.h"
#include "table/braces.h"

enum { SETS_MAX = 64 };   /* maximum number of options of a machine */

enum {
    KEY_SWEEP, KEY_APPS, KEY_PAIRS, KEY_TRIPLES, KEY_POLICIES, KEY_GPUS, KEY_OPTIONS, KEY_RULES,
    KEY_SEEDS, KEY_BY, KEY_ALONE, KEY_ALONE_ON, KEY_N
};
static const struct key_row keys[KEY_N] = { /* NODE_ANY: also a single value, see `listed` */
    [KEY_SWEEP] = {"sweep", NODE_TEXT, false},     [KEY_APPS] = {"apps", NODE_ANY, false},
    [KEY_PAIRS] = {"pairs", NODE_ANY, false},      [KEY_TRIPLES] = {"triples", NODE_ANY, false},
    [KEY_POLICIES] = {"policies", NODE_ANY, true}, [KEY_GPUS] = {"gpus", NODE_ANY, false},
    [KEY_OPTIONS] = {"options", NODE_ANY, false},  [KEY_RULES] = {"rules", NODE_ANY, false},
    [KEY_SEEDS] = {"seeds", NODE_ANY, false},      [KEY_ALONE] = {"alone", NODE_TEXT, false},
    [KEY_ALONE_ON] = {"alone_on", NODE_TEXT, false}, [KEY_BY] = {"by", NODE_TEXT, false},
};

struct choices {
    const char *at[8];
    u32 n;
};
#define CHOICE(id, word, sentence) word,
static const struct choices until_words = {{
#include "run/sim/until.def"
}, UNTIL_END + 1};
static const struct choices by_words = {{
#include "run/sim/by.def"
}, BY_LAUNCH + 1};
static const struct choices on_words = {{
#include "run/study/alone_on.def"
}, ALONE_SHARE + 1};
#undef CHOICE
static const struct choices from_words = {{[ALONE_CACHED] = "cached", [ALONE_SKIP] = "skip"},
                                        ALONE_SKIP + 1};

struct sweep_load {
    struct sweep_file *f;
    struct fail *fail;
};

static const char *keep(struct sweep_load *l, const char *text)
{
    return arena_text(&l->f->arena, text, strlen(text));
}

/* Sets the location for errors in arguments: `node` in the sweep file, or none if NULL. */
static void stand_at(struct sweep_load *l, const struct node *node)
{
    l->fail->file = node ? l->f->source : NULL;
    l->fail->offset = node ? node->offset : 0;
}

/* Turns a single value into a list with one entry. */
static const struct node *listed(struct sweep_load *l, const struct node *value)
{
    if (!value || value->kind == NODE_LIST) return value;
    struct node *list = arena_new(&l->f->arena, struct node);
    *list = (struct node){.kind = NODE_LIST, .text = "", .offset = value->offset, .n = 1,
                          .first = (struct node *)(uintptr_t)value};
    return list;
}

static bool is_text(struct sweep_load *l, const struct node *node, const char *what)
{
    if (node->kind == NODE_TEXT && node->text[0]) return true;
    fail_at(l->fail, l->f->source, node->offset, "expected %s%s%s", what,
            node->kind == NODE_TEXT ? ", found an empty text" : ", not ",
            node->kind == NODE_TEXT ? "" : node_kind_name(node->kind));
    return false;
}

static bool has_items(struct sweep_load *l, const struct node *list, const char *name, u32 least)
{
    if (list->n >= least && list->n <= SWEEP_LIST_MAX) return true;
    if (list->n > SWEEP_LIST_MAX) {
        fail_at(l->fail, l->f->source, list->offset, "'%s' has %u items, at most %d", name, list->n,
                SWEEP_LIST_MAX);
    } else if (list->n) {
        fail_at(l->fail, l->f->source, list->offset, "'%s' has %u item%s, expected at least %u",
                name, list->n, list->n == 1 ? "" : "s", least);
    } else {
        fail_at(l->fail, l->f->source, list->offset, "'%s' is empty, expected at least %u item%s",
                name, least, least == 1 ? "" : "s");
    }
    return false;
}

static bool choose(struct sweep_load *l, const struct node *node, const struct choices *words,
                   u32 *out)
{
    struct nearest nearest;
    struct text all = {0};
    nearest_init(&nearest, node->text);
    for (u32 i = 0; i < words->n; i++) {
        if (!words->at[i]) continue;
        *out = i;
        if (!strcmp(words->at[i], node->text)) return text_free(&all), true;
        nearest_offer(&nearest, words->at[i]);
        text_add(&all, "%s%s", all.size ? ", " : "", words->at[i]);
    }
    fail_at(l->fail, l->f->source, node->offset, "'%s' is none of: %s", node->text,
            text_get(&all));
    fail_nearest(l->fail, &nearest);
    text_free(&all);
    return false;
}

static bool number(struct sweep_load *l, const struct node *node, u64 least, u64 *out)
{
    u64 most = (u64)1000000000000000000;
    if (node->kind == NODE_TEXT && whole_parse(node->text, out) && *out >= least && *out <= most) {
        return true;
    }
    fail_at(l->fail, l->f->source, node->offset, "expected a whole number from %llu to %llu",
            (unsigned long long)least, (unsigned long long)most);
    if (node->kind == NODE_TEXT) amount_note(node->text, l->fail);
    return false;
}

/* ---- apps ---- */

/* Resolves a path relative to the sweep file. */
static const char *beside(struct sweep_load *l, const char *path)
{
    struct text t = {0};
    file_beside(l->f->source->name, path, &t);
    const char *kept = keep(l, t.bytes);
    text_free(&t);
    return kept;
}

/* Returns the app argument as for `corun run`, or NULL with an error. Checks each app by itself. */
static const char *app_spec(struct sweep_load *l, const struct node *node)
{
    if (!is_text(l, node, "an app")) return NULL;
    const char *spec = names_file(node->text) ? beside(l, node->text) : keep(l, node->text);
    struct input_set inputs;
    u32 before = l->fail->error_n;
    stand_at(l, node);
    input_set_open(&inputs, &spec, 1, &(struct input_rules){.seed = 1}, l->fail);
    l->f->has_program |= inputs.n && inputs.inputs[0]->cuda;
    input_set_free(&inputs);
    stand_at(l, NULL);
    return l->fail->error_n == before ? spec : NULL;
}

static void add_apps(struct sweep_load *l, const struct sweep_apps *set)
{
    struct sweep_file *f = l->f;
    *base_push(f->apps, f->app_n, f->app_room) = *set;
}

/* Reads a set of apps: NAME or [NAME, NAME, ...]. */
static void take_set(struct sweep_load *l, const struct node *item)
{
    struct sweep_apps set = {0};
    if (item->kind == NODE_LIST && item->n > APPS_MAX) {
        fail_at(l->fail, l->f->source, item->offset, "%u apps, at most %d share a GPU", item->n,
                APPS_MAX);
        return;
    }
    if (item->kind == NODE_LIST && !has_items(l, item, "apps", 1)) return;
    const struct node *one = item->kind == NODE_LIST ? item->first : item;
    u32 n = item->kind == NODE_LIST ? item->n : 1;
    for (u32 i = 0; i < n; i++, one = one->next) {
        const char *spec = app_spec(l, one);
        if (!spec) return;
        set.specs[set.n++] = spec;
    }
    add_apps(l, &set);
}

static void take_sets(struct sweep_load *l, const struct node *list)
{
    if (!has_items(l, list, "apps", 1)) return;
    for (const struct node *item = list->first; item; item = item->next) take_set(l, item);
}

/* Adds every pair or triple of a list, in list order. */
static void take_groups(struct sweep_load *l, const struct node *list, const char *name, u32 size)
{
    if (!has_items(l, list, name, size)) return;
    const char **specs = base_alloc(list->n * sizeof *specs);
    bool ok = true;
    u32 n = 0;
    for (const struct node *item = list->first; item; item = item->next) {
        specs[n] = app_spec(l, item);
        ok &= specs[n++] != NULL;
    }
    for (u32 a = 0; ok && a < n; a++) {
        for (u32 b = a + 1; b < n; b++) {
            if (size == 2) add_apps(l, &(struct sweep_apps){{specs[a], specs[b]}, 2});
            for (u32 c = b + 1; size == 3 && c < n; c++) {
                add_apps(l, &(struct sweep_apps){{specs[a], specs[b], specs[c]}, 3});
            }
            ok = l->f->app_n <= SWEEP_POINTS_MAX;
        }
    }
    free(specs);
}

/* ---- policies ---- */

/* Resolves all file names in a policy specification relative to the sweep file. */
static const char *place_files(struct sweep_load *l, const char *spec)
{
    struct policy_names names = {.at = spec};
    struct text t = {0};
    size_t n;
    for (const char *name; (name = policy_name_next(&names, &n)); spec = name + n) {
        const char *mechanism = arena_text(&l->f->arena, name, n);
        text_put(&t, spec, (size_t)(name - spec));
        text_add(&t, "%s", plugin_named(mechanism) ? beside(l, mechanism) : mechanism);
    }
    text_add(&t, "%s", spec);
    const char *kept = keep(l, text_get(&t));
    text_free(&t);
    return kept;
}

/* Loads the policy in a worker process. Errors are ignored here, because the main process meets
 * them again. */
static bool load_copy(void *spec, u32 job, struct hook_call *hook_call, struct text *out,
                      struct text *why)
{
    struct mechanisms policy;
    struct fail fail = {0};
    (void)job, (void)out, (void)why;
    mechanisms_load(&policy, spec, hook_call, &fail);
    mechanisms_free(&policy);
    return true;
}

/* Tries to load the policy in a separate process, because a policy from a file may end its
 * process. */
static bool can_load(struct sweep_load *l, const char *spec, size_t offset)
{
    enum { LOAD_SECONDS = 60, WAIT_MS = 100 };
    struct hook_call *hook_call = hook_calls_alloc(1);
    struct workers w = {.work = load_copy, .of = (char *)(uintptr_t)spec, .hide_fd = -1, .n = 1,
                        .hook_seconds = LOAD_SECONDS, .hook_call = hook_call};
    struct worker_end end = {0};
    bool made = hook_call && workers_start(&w, 0);
    while (made && !interrupt_came() && !workers_wait(&w, WAIT_MS, &end)) continue;
    bool stopped = made && w.busy;
    workers_stop(&w);
    if (stopped) {
        fail_at(l->fail, l->f->source, offset, "%s: interrupted while the policy was loaded", spec);
    } else if (!made) {
        fail_at(l->fail, l->f->source, offset, "no process can be made to load the policy");
    } else if (!end.ok) {
        struct text where = {0};
        hook_call_show(&end.hook_call, spec, &where);
        fail_at(l->fail, l->f->source, offset, "%s: %s: %s", sim_status_name(SIM_POLICY_FAILED),
                where.bytes, text_get(&end.why));
        text_free(&where);
    }
    text_free(&end.out);
    text_free(&end.why);
    hook_calls_free(hook_call, 1);
    return made && end.ok;
}

struct take_policy {
    struct sweep_load *l;
    const struct node *item;
    u32 error_n; /* error count before the item */
};

static void take_policy(void *of, const char *text)
{
    struct sweep_load *l = ((const struct take_policy *)of)->l;
    const struct node *item = ((const struct take_policy *)of)->item;
    struct sweep_file *f = l->f;
    const char *spec = place_files(l, text);
    struct mechanisms policy;
    if (l->fail->error_n > ((const struct take_policy *)of)->error_n || interrupt_came()) return;
    if (policy_from_file(spec) && !can_load(l, spec, item->offset)) return;
    stand_at(l, item);
    mechanisms_parse(&policy, spec, l->fail);
    mechanisms_free(&policy);
    stand_at(l, NULL);
    *arena_push(&f->arena, f->policies, f->policy_n, f->policy_room) =
        (struct sweep_text){spec, item->offset};
}

static void take_pattern(struct sweep_load *l, const struct node *item)
{
    struct take_policy of = {l, item, l->fail->error_n};
    struct text why = {0};
    if (braces_right(item->text, &why) &&
        braces_expand(item->text, SWEEP_LIST_MAX, take_policy, &of) > SWEEP_LIST_MAX)
        text_add(&why, "more than %d policies", SWEEP_LIST_MAX);
    if (why.size) {
        fail_at(l->fail, l->f->source, item->offset, "%s", why.bytes);
        fail_note(l->fail, "{a,b,c} is each of them in turn, {1..4} each number");
    }
    text_free(&why);
}

static void take_policies(struct sweep_load *l, const struct node *list)
{
    if (!has_items(l, list, "policies", 1)) return;
    for (const struct node *item = list->first; item; item = item->next)
        if (is_text(l, item, "a policy")) take_pattern(l, item);
}

/* ---- machines and their options ---- */

struct choice {               /* a combination of options for a machine */
    const char *sets[SETS_MAX];
    const struct node *nodes[SETS_MAX];
    u32 n;
};

static void add_machine(struct sweep_load *l, const struct node *gpu, const struct choice *c)
{
    struct sweep_file *f = l->f;
    if (f->machine_n == SWEEP_LIST_MAX) {
        fail_at(l->fail, f->source, gpu ? gpu->offset : 0, "more than %d machines with options",
                SWEEP_LIST_MAX);
        return;
    }
    const char *name = !gpu                     ? f->has_program ? GPU_DEFAULT_CUDA : GPU_DEFAULT
                       : names_file(gpu->text) ? beside(l, gpu->text)
                                               : keep(l, gpu->text);
    struct sweep_machine *m = base_push(f->machines, f->machine_n, f->machine_room);
    struct text options = {0};
    stand_at(l, c->n ? c->nodes[c->n - 1] : gpu);
    gpu_file_open(&m->gpu, name, c->sets, c->n, l->fail);
    stand_at(l, NULL);
    for (u32 i = 0; i < c->n; i++) text_add(&options, "%s%s", i ? " " : "", c->sets[i]);
    m->options = keep(l, text_get(&options));
    text_free(&options);
}

static const char *set_text(struct sweep_load *l, const struct node *key, const struct node *value)
{
    struct text t = {0};
    text_add(&t, "%s=%s", key->text, value->text);
    const char *kept = keep(l, t.bytes);
    text_free(&t);
    return kept;
}

/* Checks a single option at its location; gpu_file_open checks the combination. */
static bool option_right(struct sweep_load *l, const struct node *key, const struct node *value)
{
    const struct conf_row *row = conf_find(machine_rows, machine_row_n, key->text);
    struct machine scratch = {0};
    if (row) {
        return is_text(l, value, "a value") &&
               conf_set(&scratch, row, value->text, l->fail, l->f->source, value->offset);
    }
    fail_at(l->fail, l->f->source, key->offset, "unknown option '%s'", key->text);
    conf_nearest(machine_rows, machine_row_n, key->text, l->fail);
    fail_note(l->fail, "corun list options shows all options");
    return false;
}

/* Adds a machine for every combination of the options from `key` on. An option has one value or a
 * list of values. */
static void choose_options(struct sweep_load *l, const struct node *gpu, const struct node *key,
                           struct choice *c)
{
    if (!key || l->fail->error_n) {
        if (!l->fail->error_n) add_machine(l, gpu, c);
        return;
    }
    if (c->n == SETS_MAX) {
        fail_at(l->fail, l->f->source, key->offset, "more than %d options", SETS_MAX);
        return;
    }
    const struct node *value = key->value;
    bool many = value->kind == NODE_LIST;
    if (many && !has_items(l, value, key->text, 1)) return;
    for (value = many ? value->first : value; value; value = many ? value->next : NULL) {
        if (!option_right(l, key, value)) return;
        c->nodes[c->n] = key;
        c->sets[c->n++] = set_text(l, key, value);
        choose_options(l, gpu, key->next, c);
        c->n--;
    }
}

static void with_options(struct sweep_load *l, const struct node *gpu, const struct node *options)
{
    struct choice c = {.n = 0};
    if (!options) {
        add_machine(l, gpu, &c);
    } else if (options->kind == NODE_MAP) {
        if (tree_names(options, "options", NODE_ANY, l->f->source, l->fail)) {
            choose_options(l, gpu, options->first, &c);
        }
    } else {
        fail_at(l->fail, l->f->source, options->offset,
                "expected a map of options, {l1.ways: [4, 8]}, or a list of such maps");
    }
}

static void take_machine(struct sweep_load *l, const struct node *gpu, const struct node *options)
{
    if (gpu && !is_text(l, gpu, "a machine")) return;
    if (!options || options->kind != NODE_LIST) {
        with_options(l, gpu, options);
        return;
    }
    if (!has_items(l, options, "options", 1)) return;
    for (const struct node *one = options->first; one && !l->fail->error_n; one = one->next) {
        with_options(l, gpu, one);
    }
}

static void take_machines(struct sweep_load *l, const struct node *list, const struct node *options)
{
    l->f->names_gpus = list != NULL;
    if (!list) {
        take_machine(l, NULL, options);
        return;
    }
    if (!has_items(l, list, "gpus", 1)) return;
    for (const struct node *gpu = list->first; gpu; gpu = gpu->next) take_machine(l, gpu, options);
}

/* ---- rules ---- */

static void take_rule(struct sweep_load *l, const struct node *item)
{
    static const struct key_row rows[] = {{"until", NODE_TEXT, true},
                                          {"cycles", NODE_TEXT, false},
                                          {"instructions", NODE_TEXT, false}};
    const struct node *found[3] = {0};
    struct sweep_rule *rule = &l->f->rules[l->f->rule_n];
    u32 until;
    if (item->kind == NODE_LIST) {
        fail_at(l->fail, l->f->source, item->offset, "expected a rule, window or {until: window, "
                "cycles: 200000}");
        return;
    }
    if (item->kind == NODE_TEXT) found[0] = item;
    else if (!tree_keys(item, "a rule", rows, 3, found, l->f->source, l->fail)) return;
    if (!choose(l, found[0], &until_words, &until)) return;
    *rule = (struct sweep_rule){.until = (enum until)until};
    if (until == UNTIL_WINDOW) rule->cycles = WINDOW_DEFAULT_CYCLES;
    if (found[1] && !number(l, found[1], 1, &rule->cycles)) return;
    if (found[2] && !number(l, found[2], 1, &rule->instructions)) return;
    if (found[2] && until != UNTIL_ALL_COMPLETE) {
        fail_at(l->fail, l->f->source, found[2]->offset,
                "instructions go with until: all-complete only");
        return;
    }
    l->f->rule_n++;
}

static void take_rules(struct sweep_load *l, const struct node *list)
{
    struct sweep_file *f = l->f;
    if (list && !has_items(l, list, "rules", 1)) return;
    f->rules = arena_array(&f->arena, struct sweep_rule, list ? list->n : 1);
    if (!list) f->rules[f->rule_n++] = (struct sweep_rule){.until = UNTIL_ALL_COMPLETE};
    else for (const struct node *i = list->first; i; i = i->next) take_rule(l, i);
}

static void take_seeds(struct sweep_load *l, const struct node *list)
{
    struct sweep_file *f = l->f;
    if (list && !has_items(l, list, "seeds", 1)) return;
    f->seeds = arena_array(&f->arena, u64, list ? list->n : 1);
    if (!list) f->seeds[f->seed_n++] = 1;
    else for (const struct node *i = list->first; i; i = i->next) {
        if (number(l, i, 0, &f->seeds[f->seed_n])) f->seed_n++;
    }
}

static void take_alone(struct sweep_load *l, const struct node *from, const struct node *on)
{
    u32 word;
    l->f->from = ALONE_CACHED;
    l->f->on = ALONE_WHOLE;
    if (from && choose(l, from, &from_words, &word)) l->f->from = (enum alone_from)word;
    if (on && choose(l, on, &on_words, &word)) l->f->on = (enum alone_on)word;
}

static void load_tree(struct sweep_load *l, const struct node *root)
{
    const struct node *v[KEY_N] = {0};
    struct sweep_file *f = l->f;
    if (root->kind != NODE_MAP) {
        fail_at(l->fail, f->source, root->offset, "expected a sweep: a map with policies and "
                "apps, pairs or triples");
        return;
    }
    if (!tree_keys(root, "a sweep", keys, KEY_N, v, f->source, l->fail)) return;
    if (!v[KEY_APPS] && !v[KEY_PAIRS] && !v[KEY_TRIPLES]) {
        fail_at(l->fail, f->source, root->offset, "no apps are named");
        fail_note(l->fail, "give apps: [[bfs, mm]], pairs: [bfs, mm, vecadd] or triples: [...]");
    }
    for (u32 i = 0; i < KEY_N; i++) {
        if (keys[i].kind == NODE_ANY && i != KEY_OPTIONS) v[i] = listed(l, v[i]);
    }
    f->title = v[KEY_SWEEP] ? keep(l, v[KEY_SWEEP]->text) : "";
    if (v[KEY_APPS]) take_sets(l, v[KEY_APPS]);
    if (v[KEY_PAIRS]) take_groups(l, v[KEY_PAIRS], "pairs", 2);
    if (v[KEY_TRIPLES]) take_groups(l, v[KEY_TRIPLES], "triples", 3);
    take_policies(l, v[KEY_POLICIES]);
    take_machines(l, v[KEY_GPUS], v[KEY_OPTIONS]);
    take_rules(l, v[KEY_RULES]);
    take_seeds(l, v[KEY_SEEDS]);
    take_alone(l, v[KEY_ALONE], v[KEY_ALONE_ON]);
    u32 by = BY_APP;
    if (v[KEY_BY] && choose(l, v[KEY_BY], &by_words, &by)) f->by = (enum by)by;
    if (!l->fail->error_n && sweep_file_points(f) > SWEEP_POINTS_MAX) {
        fail_at(l->fail, f->source, root->offset, "%llu points, at most %d",
                (unsigned long long)sweep_file_points(f), SWEEP_POINTS_MAX);
    }
}

u64 sweep_file_points(const struct sweep_file *f)
{
    u64 n = (u64)f->app_n * f->policy_n;
    return n * f->machine_n > SWEEP_POINTS_MAX ? n * f->machine_n
                                               : n * f->machine_n * f->rule_n * f->seed_n;
}

bool sweep_file_open(struct sweep_file *f, const char *path, struct fail *fail)
{
    u32 before = fail->error_n;
    *f = (struct sweep_file){0};
    arena_init(&f->arena);
    f->arena.what = "the sweep file";
    file_set_init(&f->files);
    f->source = file_set_open(&f->files, path, fail);
    if (!f->source) return false;
    struct sweep_load l = {f, fail};
    const struct node *root = tree_parse(f->source, &f->arena, fail);
    if (root) load_tree(&l, root);
    return fail->error_n == before;
}

void sweep_file_free(struct sweep_file *f)
{
    for (u32 i = 0; i < f->machine_n; i++) gpu_file_free(&f->machines[i].gpu);
    free(f->machines);
    free(f->apps);
    arena_free(&f->arena);
    file_set_free(&f->files);
    *f = (struct sweep_file){0};
}

void sweep_apps_show(const struct sweep_apps *apps, struct text *out)
{
    for (u32 i = 0; i < apps->n; i++) text_add(out, "%s%s", i ? " + " : "", apps->specs[i]);
}
