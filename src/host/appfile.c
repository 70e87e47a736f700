/* Reads the text of an app file into struct script: the app's own keys, buffers, registers and
 * dumps; appfile_*.c read the rest. Every error is found before cycle 0, as many as possible in one
 * pass, and is reported with line, column and the nearest valid name. The loader loads the files
 * that an app file names. */
#include "host/appfile.h"

#include <stdlib.h>
#include <string.h>

#include "host/name/kernel_name.h"

enum { KEY_APP, KEY_MODULE, KEY_BUFFERS, KEY_SYMBOLS, KEY_STEPS, KEY_REGISTERS, KEY_DUMP,
       KEY_EXPECT, KEY_START, KEY_RANK, KEY_TEXTURES, KEY_VARIABLES, KEY_LAUNCHES, KEY_ARRIVALS,
       KEY_PROGRAM = KEY_ARRIVALS + ARRIVALS_KEY_N, KEY_CWD, KEY_ENV, KEY_INPUTS, KEY_PTX,
       KEY_RANGES, KEY_N };
static const struct key_row app_keys[KEY_N] = {
    [KEY_APP] = {"app", NODE_TEXT, true},
    [KEY_MODULE] = {"module", NODE_ANY, false},
    [KEY_BUFFERS] = {"buffers", NODE_MAP, false},
    [KEY_SYMBOLS] = {"symbols", NODE_MAP, false},
    [KEY_STEPS] = {"steps", NODE_LIST, false},
    [KEY_REGISTERS] = {"registers", NODE_MAP, false},
    [KEY_DUMP] = {"dump", NODE_MAP, false},
    [KEY_EXPECT] = {"expect", NODE_MAP, false},
    [KEY_START] = {"start", NODE_TEXT, false},
    [KEY_RANK] = {"priority", NODE_TEXT, false},
    [KEY_TEXTURES] = {"textures", NODE_MAP, false},
    [KEY_VARIABLES] = {"variables", NODE_MAP, false}, /* older name of `symbols` */
    [KEY_LAUNCHES] = {"launches", NODE_LIST, false},  /* older name of `steps` */
    /* In the order of enum arrivals_key. */
    [KEY_ARRIVALS + ARRIVALS_KEY_HOW] = {"arrivals", NODE_ANY, false},
    [KEY_ARRIVALS + ARRIVALS_KEY_SEED] = {"arrivals_seed", NODE_TEXT, false},
    [KEY_ARRIVALS + ARRIVALS_KEY_REQUESTS] = {"requests", NODE_TEXT, false},
    [KEY_ARRIVALS + ARRIVALS_KEY_WARMUP] = {"warmup", NODE_TEXT, false},
    [KEY_ARRIVALS + ARRIVALS_KEY_DEADLINE] = {"deadline_us", NODE_TEXT, false},
    /* This and all following keys: CUDA programs only. */
    [KEY_PROGRAM] = {"program", NODE_LIST, false},
    [KEY_CWD] = {"cwd", NODE_TEXT, false},
    [KEY_ENV] = {"env", NODE_MAP, false},
    [KEY_INPUTS] = {"inputs", NODE_LIST, false},
    [KEY_PTX] = {"ptx", NODE_TEXT, false},
    [KEY_RANGES] = {"ranges", NODE_TEXT, false},
};
enum { BUFFER_TYPE, BUFFER_COUNT, BUFFER_INIT, BUFFER_VALUES, BUFFER_KEY_N };
static const struct key_row buffer_keys[BUFFER_KEY_N] = {
    [BUFFER_TYPE] = {"type", NODE_TEXT, true},
    [BUFFER_COUNT] = {"count", NODE_TEXT, false},
    [BUFFER_INIT] = {"init", NODE_TEXT, false},
    [BUFFER_VALUES] = {"values", NODE_LIST, false},
};

enum { NAME_BYTES_MAX = 64 };

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

/* ---- buffers ---- */

/* Reads a buffer except its `values`, because values may name any buffer. */
static bool read_buffer(struct appfile *r, const struct node *key, struct script_region *b,
                        const struct node **value)
{
    struct text what = {0};
    text_add(&what, "buffer '%s'", key->text);
    bool good =
        tree_keys(key->value, text_get(&what), buffer_keys, BUFFER_KEY_N, value, r->file, r->fail);
    if (good && !value[BUFFER_COUNT] && !value[BUFFER_VALUES]) {
        fail_at(r->fail, r->file, key->value->offset, "%s lacks the key 'count'", text_get(&what));
        good = false;
    }
    text_free(&what);
    b->name = key->text;
    b->offset = key->value->offset;
    if (!good || !read_type(r, value[BUFFER_TYPE], &b->type)) return false;
    if (!value[BUFFER_COUNT]) return true;
    u32 size = type_bytes(b->type);
    b->offset = value[BUFFER_COUNT]->offset;
    if (!read_integer(r, value[BUFFER_COUNT], "count", 1, (GLOBAL_END - GLOBAL_BASE) / size,
                      &b->count))
        return false;
    b->size_bytes = b->count * size;
    return true;
}

static bool good_buffer_name(struct appfile *r, const struct node *key)
{
    if (!key->text[strcspn(key->text, "+$ \t")]) return true;
    fail_at(r->fail, r->file, key->offset, "a buffer's name must not contain '+', '$' or blanks");
    return false;
}

/* Sets the size of a buffer with values but without count. */
static bool measure_buffer(struct appfile *r, const struct node *values, struct script_region *b,
                           struct arg_name *name)
{
    struct content measured = {0};
    if (!read_fields(r, values, b->type, &measured, 0, &b->size_bytes)) return false;
    b->size_bytes = round_up(b->size_bytes, type_bytes(b->type));
    b->count = b->size_bytes / type_bytes(b->type);
    name->size_bytes = b->size_bytes;
    return true;
}

static bool read_contents(struct appfile *r, struct arg_name *names, const struct node **values)
{
    struct script *s = r->script;
    bool good = true;
    u64 left = GLOBAL_END - GLOBAL_BASE;
    for (u32 i = 0; i < s->buffer_n && good; i++)
        if (!s->regions[i].size_bytes)
            good = measure_buffer(r, values[i * BUFFER_KEY_N + BUFFER_VALUES], &s->regions[i],
                                  &names[i]);
    for (u32 i = 0; i < s->buffer_n && good; i++) {
        const struct node **value = &values[i * BUFFER_KEY_N];
        const struct script_region *b = &s->regions[i];
        if (b->size_bytes > left) {
            fail_at(r->fail, r->file, b->offset,
                    "the buffers together are beyond the device memory of 2^40 bytes");
            return false;
        }
        left -= b->size_bytes;
        struct script_write w = {.region = i, .type = b->type};
        good &= read_content(r, value[BUFFER_INIT], value[BUFFER_VALUES], b->size_bytes, &w);
        if (w.content.bytes || w.content.fill.kind != FILL_ZERO) /* fresh memory is zero */
            *arena_push(&r->in->arena, s->writes, s->write_n, s->write_room) = w;
    }
    return good;
}

/* Makes regions with names of the buffers, then of the module's variables; adds the names of the
 * textures. */
static bool read_regions(struct appfile *r, const struct node *map, const struct node *textures)
{
    struct script *s = r->script;
    struct arena *arena = &r->in->arena;
    s->buffer_n = map ? map->n : 0;
    s->region_n = s->buffer_n + ptx_variable_n(r->in->module);
    s->regions = arena_array(arena, struct script_region, s->region_n);
    s->texture_n = textures ? textures->n : 0;
    struct arg_name *names = arena_array(arena, struct arg_name, s->region_n + s->texture_n);
    const struct node **values = arena_array(arena, const struct node *,
                                             s->buffer_n * BUFFER_KEY_N);
    bool good = true, known = true;
    u32 n = 0;
    for (const struct node *key = map ? map->first : NULL; key; key = key->next, n++) {
        struct script_region *b = &s->regions[n];
        good &= good_buffer_name(r, key);
        known &= read_buffer(r, key, b, &values[n * BUFFER_KEY_N]);
        names[n] = (struct arg_name){b->name, NULL, b->size_bytes};
    }
    for (u32 i = 0; n < s->region_n; i++, n++) {
        const struct variable *v = ptx_variable(r->in->module, i);
        u32 size = type_bytes(v->type);
        enum type type = size > 8 ? T_B64 : v->type;
        s->regions[n] = (struct script_region){v->name, type, v->size_bytes / type_bytes(type),
                                               v->size_bytes, 0, v->address};
        names[n] = (struct arg_name){v->name, variable_shown(v, arena), v->size_bytes};
    }
    for (const struct node *key = s->texture_n ? textures->first : NULL; key; key = key->next)
        names[n++] = (struct arg_name){key->text, NULL, 0};
    r->names = (struct arg_names){names, n};
    return known && read_contents(r, names, values) && good;
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
    d->path = key->value->text;
    d->offset = key->value->offset;
    if (*d->path) return read_region(r, key->text, key->offset, &d->region);
    fail_at(r->fail, r->file, d->offset, "dump needs a PATH");
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

static const struct source *load_module(struct appfile *r, const struct node *node)
{
    return r->loader->load(r->loader, node->text, r->file, node->offset, r->fail);
}

/* Reads one PTX file, or a list of the files of separate compilation. */
static bool read_module(struct appfile *r, const struct node *node)
{
    bool good = true;
    if (node->kind == NODE_TEXT) {
        r->in->ptx = load_module(r, node);
        return r->in->ptx && input_module(r->in, r->fail);
    }
    if (node->kind != NODE_LIST || !node->n) {
        fail_at(r->fail, r->file, node->offset, "module is a PTX file or a list of them");
        return false;
    }
    const struct source **all = arena_array(&r->in->arena, const struct source *, node->n);
    for (const struct node *item = node->first; item; item = item->next) {
        if (item->kind == NODE_TEXT) all[r->in->ptx_n] = load_module(r, item);
        else fail_at(r->fail, r->file, item->offset, "a module is the name of a PTX file");
        good &= item->kind == NODE_TEXT && all[r->in->ptx_n++] != NULL;
    }
    r->in->more_ptx = all;
    r->in->ptx = all[0];
    return good && input_module(r->in, r->fail);
}

/* Returns the value of a key that has an older name; NULL if neither name is present or if both
 * are, with an error. */
static const struct node *either(struct appfile *r, const struct node **value, u32 key, u32 older)
{
    if (!value[key] || !value[older]) return value[key] ? value[key] : value[older];
    fail_at(r->fail, r->file, value[older]->offset, "'%s' is the older name of '%s': give only one",
            app_keys[older].key, app_keys[key].key);
    return NULL;
}

static bool read_rest(struct appfile *r, const struct node **value, const struct node *symbols,
                      const struct node *steps)
{
    if (!read_module(r, value[KEY_MODULE])) return false;
    struct script *s = r->script;
    bool good = read_regions(r, value[KEY_BUFFERS], value[KEY_TEXTURES]);
    good &= read_textures(r, value[KEY_TEXTURES]);
    good &= read_symbols(r, symbols);
    good &= read_dumps(r, value[KEY_DUMP]);
    good &= read_expects(r, value[KEY_EXPECT]);
    good &= read_registers(r, value[KEY_REGISTERS]);
    good &= !steps->n || read_steps(r, steps, &s->steps, &s->step_n);
    if (good && !s->launch_n) {
        fail_at(r->fail, r->file, steps->offset, "an app needs at least one launch");
        good = false;
    }
    return good;
}

/* ---- PTX or a CUDA program ---- */

/* Adds an error for each key of the other kind: an app is either PTX or a CUDA program. */
static bool check_keys(struct appfile *r, const struct node *root, const struct node **value)
{
    bool program = value[KEY_PROGRAM] != NULL;
    u32 before = r->fail->error_n;
    for (const struct node *key = root->first; key; key = key->next) {
        u32 row = 0;
        while (strcmp(app_keys[row].key, key->text)) row++;
        if (row == KEY_APP || row == KEY_START || row == KEY_RANK) continue;
        if ((row >= KEY_PROGRAM) == program) continue;
        bool arrivals = row >= KEY_ARRIVALS && row < KEY_PROGRAM;
        if (program && arrivals && value[KEY_RANGES]) continue;
        if (program && arrivals)
            fail_at(r->fail, r->file, key->offset, "'%s' with 'program' needs 'ranges': the name "
                    "of the program's ranges that are requests", key->text);
        else if (program)
            fail_at(r->fail, r->file, key->offset, "'%s' does not go with 'program': a CUDA "
                    "program brings its own kernels and calls", key->text);
        else
            fail_at(r->fail, r->file, key->offset, "'%s' goes with 'program' only", key->text);
    }
    if (!program && !value[KEY_MODULE] && r->fail->error_n == before) {
        fail_at(r->fail, r->file, root->offset, "an app file lacks the key 'module'");
        fail_note(r->fail, "or 'program', for a CUDA program: program: [./a.out, \"1024\"]");
    }
    return r->fail->error_n == before;
}

static bool read_program(struct appfile *r, const struct node **value)
{
    if (value[KEY_RANGES]) {
        if (!value[KEY_ARRIVALS] || !*value[KEY_RANGES]->text)
            return fail_at(r->fail, r->file, value[KEY_RANGES]->offset, value[KEY_ARRIVALS]
                           ? "'ranges' is the name of ranges" : "'ranges' needs 'arrivals'"), false;
        r->in->range = value[KEY_RANGES]->text;
    }
    const struct program_keys keys = {value[KEY_PROGRAM], value[KEY_CWD], value[KEY_ENV],
                                      value[KEY_INPUTS], value[KEY_PTX]};
    if (r->loader->program) return r->loader->program(r->in, &keys, r->file, r->fail);
    fail_at(r->fail, r->file, keys.program->offset, "CUDA programs are not supported by the "
            "caller");
    return false;
}

static bool read_start(struct appfile *r, const struct node *node)
{
    return !node || read_integer(r, node, "start, in cycles,", 0, (1ull << INPUT_START_BITS) - 1,
                                 &r->in->start);
}

static bool read_rank(struct appfile *r, const struct node *node)
{
    return !node || input_priority_read(r->in, node->text, r->file, node->offset, r->fail);
}

/* ---- arrivals: KIND:VALUE, or {KIND: VALUE, seed: N} ---- */

static bool read_arrival(struct appfile *r, struct arrivals_reader *to, enum arrivals_key key,
                         const char *value, size_t offset)
{
    const struct source *trace = NULL;
    const char *path = key == ARRIVALS_KEY_HOW ? arrivals_path(value) : NULL;
    if (path) trace = r->loader->load(r->loader, path, r->file, offset, r->fail);
    return arrivals_read(to, key, value, offset, trace);
}

static bool read_arrivals_map(struct appfile *r, struct arrivals_reader *to,
                              const struct node *map)
{
    bool good = true;
    for (const struct node *key = map->first; key; key = key->next) {
        bool seed = !strcmp(key->text, "seed");
        struct text how = {0};
        if (key->value->kind != NODE_TEXT) {
            fail_at(r->fail, r->file, key->value->offset, "expected a value, not %s",
                    node_kind_name(key->value->kind));
            return false;
        }
        if (to->given[seed ? ARRIVALS_KEY_SEED : ARRIVALS_KEY_HOW]) {
            fail_at(r->fail, r->file, key->offset, seed ? "the seed of arrivals is given twice"
                                                        : "arrivals have a single kind");
            return false;
        }
        text_add(&how, "%s:%s", key->text, key->value->text);
        good &= seed ? read_arrival(r, to, ARRIVALS_KEY_SEED, key->value->text, key->value->offset)
                     : read_arrival(r, to, ARRIVALS_KEY_HOW,
                                    arena_text(&r->in->arena, how.bytes, how.size), key->offset);
        text_free(&how);
    }
    return good;
}

static bool read_arrivals(struct appfile *r, const struct node **value)
{
    struct arrivals_reader to = {&r->in->arrivals, &r->in->arena, r->file, r->fail, {0}, {0}};
    bool good = true;
    for (u32 key = 0; key < ARRIVALS_KEY_N; key++) {
        const struct node *node = value[KEY_ARRIVALS + key];
        if (!node) continue;
        if (node->kind == NODE_MAP) good &= read_arrivals_map(r, &to, node);
        else good &= read_arrival(r, &to, (enum arrivals_key)key, node->text, node->offset);
    }
    return good && arrivals_check(&to);
}

bool appfile_read(struct app_input *in, const struct source *file, struct file_loader *loader,
                  struct fail *fail)
{
    struct appfile r = {.in = in, .file = file, .loader = loader, .fail = fail};
    struct node *root = tree_parse(file, &in->arena, fail);
    const struct node *value[KEY_N];
    if (!root || !tree_keys(root, "an app file", app_keys, KEY_N, value, file, fail) ||
        !check_keys(&r, root, value))
        return false;
    r.script = in->script = arena_new(&in->arena, struct script);
    r.script->file = file;
    if (value[KEY_PROGRAM]) {
        bool named = read_app_name(&r, value[KEY_APP]);
        named &= read_start(&r, value[KEY_START]);
        named &= read_rank(&r, value[KEY_RANK]);
        named &= read_arrivals(&r, value);
        return read_program(&r, value) && named;
    }
    const struct node *buffers = value[KEY_BUFFERS];
    if (buffers && !tree_names(buffers, "buffers", NODE_MAP, file, fail)) return false;
    const struct node *textures = value[KEY_TEXTURES];
    if (textures && !tree_names(textures, "textures", NODE_MAP, file, fail)) return false;
    const struct node *symbols = either(&r, value, KEY_SYMBOLS, KEY_VARIABLES);
    const struct node *steps = either(&r, value, KEY_STEPS, KEY_LAUNCHES);
    if (!steps && !fail->error_n)
        fail_at(fail, file, root->offset, "an app file lacks the key 'steps'");
    if (fail->error_n) return false;
    bool good = read_app_name(&r, value[KEY_APP]);
    good &= read_start(&r, value[KEY_START]);
    good &= read_rank(&r, value[KEY_RANK]);
    good &= read_arrivals(&r, value);
    return read_rest(&r, value, symbols, steps) && good;
}
