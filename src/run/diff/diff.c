#include "run/diff/diff.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "run/diff/side.h"
#include "run/result/result_writer.h"

/* ---- flat document: maps the path IN, a separator and KEY to a scalar ---- */

#define SEPARATOR '\x1f'

static void flatten(json_t *flat, json_t *value, const char *in);

static void put_scalar(json_t *flat, const char *in, const char *key, json_t *value)
{
    struct text name = {0};
    text_add(&name, "%s%c%s", in, SEPARATOR, key);
    json_object_set(flat, name.bytes, value);
    text_free(&name);
}

static json_t *get(const json_t *object, enum result_key key)
{
    return json_object_get(object, key_name(key));
}

/* Adds a member of object `in`: a scalar, or recursively an object or a list. An option of a
 * configuration (value and origin) counts as its value: different origins are no difference. */
static void put_member(json_t *flat, const char *in, const char *key, json_t *value)
{
    struct text below = {0};
    json_t *option = get(value, KEY_option_origin) ? get(value, KEY_option_value) : NULL;
    text_add(&below, "%s%s%s", in, *in ? "/" : "", key);
    if (option) put_scalar(flat, in, key, option);
    else if (json_is_object(value) || json_is_array(value)) flatten(flat, value, below.bytes);
    else put_scalar(flat, in, key, value);
    text_free(&below);
}

/* Appends the label of a list item: its name, or the app and machine, or the policy. */
static void put_label(json_t *item, struct text *label)
{
    const char *name = json_string_value(get(item, KEY_app_name));
    const char *app = json_string_value(get(item, KEY_profile_app_app));
    const char *gpu = json_string_value(get(item, KEY_profile_app_gpu));
    const char *policy = json_string_value(get(item, KEY_result_policy));
    if (name) text_add(label, "%s", name);
    else if (app && gpu) text_add(label, "%s on %s", app, gpu);
    else if (policy) text_add(label, "%s", policy);
}

/* Adds item i of a list under its label, or under its index if the item has no label. The second
 * item with an equal label is LABEL#2. */
static void put_item(json_t *flat, json_t *list, size_t i, const char *in)
{
    struct text label = {0};
    u32 same = 1;
    put_label(json_array_get(list, i), &label);
    for (size_t k = 0; k < i && label.size; k++) {
        struct text other = {0};
        put_label(json_array_get(list, k), &other);
        same += !strcmp(text_get(&other), label.bytes);
        text_free(&other);
    }
    if (!label.size) text_add(&label, "%zu", i);
    if (same > 1) text_add(&label, "#%u", same);
    put_member(flat, in, label.bytes, json_array_get(list, i));
    text_free(&label);
}

static void flatten(json_t *flat, json_t *value, const char *in)
{
    static const char *const skipped[] = {"host", "key", "position"}; /* ids, or always different */
    const char *key;
    json_t *member;
    for (size_t i = 0; i < json_array_size(value); i++) put_item(flat, value, i, in);
    json_object_foreach(value, key, member) {
        bool skip = false;
        for (u32 i = 0; i < COUNT_OF(skipped); i++) skip |= !strcmp(key, skipped[i]);
        if (!skip) put_member(flat, in, key, member);
    }
}

/* ---- comparison ---- */

static bool same(json_t *a, json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) return json_number_value(a) == json_number_value(b);
    return json_equal(a, b);
}

static double percent_of(json_t *old, json_t *new)
{
    double from = json_number_value(old);
    if (!json_is_number(old) || !json_is_number(new) || from == 0) return (double)NAN;
    return 100 * (json_number_value(new) - from) / fabs(from);
}

/* Returns the number of an object, in order of the first call. */
static u32 group_of(json_t *groups, const char *in)
{
    json_t *known = json_object_get(groups, in);
    if (!known) {
        known = json_integer((json_int_t)json_object_size(groups));
        json_object_set_new(groups, in, known);
    }
    return (u32)json_integer_value(known);
}

static void add_row(struct diff *d, json_t *groups, const char *name, json_t *old, json_t *new)
{
    const char *end = strchr(name, SEPARATOR);
    struct diff_row *r = base_push(d->rows, d->row_n, d->row_room);
    *r = (struct diff_row){.in = arena_text(&d->arena, name, (size_t)(end - name)),
                           .key = arena_text(&d->arena, end + 1, strlen(end + 1)),
                           .sides = {old, new}, .percent = percent_of(old, new),
                           .order = d->row_n};
    r->group = group_of(groups, r->in);
}

static int by_change(const void *a, const void *b)
{
    const struct diff_row *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (!isnan(x->percent) != !isnan(y->percent)) return isnan(x->percent) ? -1 : 1;
    double by = isnan(x->percent) ? 0 : fabs(y->percent) - fabs(x->percent);
    if (by != 0) return by < 0 ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static void compare(struct diff *d)
{
    const char *name;
    json_t *value, *groups = json_object();
    json_object_foreach(d->sides[0], name, value) {
        json_t *other = json_object_get(d->sides[1], name);
        struct text in = {0};
        text_put(&in, name, strcspn(name, "\x1f"));
        group_of(groups, text_get(&in)); /* numbers all objects in the order of the old side */
        text_free(&in);
        if (!other || !same(value, other)) add_row(d, groups, name, value, other);
    }
    json_object_foreach(d->sides[1], name, value) {
        if (!json_object_get(d->sides[0], name)) add_row(d, groups, name, NULL, value);
    }
    json_decref(groups);
    if (d->row_n) qsort(d->rows, d->row_n, sizeof *d->rows, by_change);
}

bool diff_make(struct diff *d, const char *const *names, struct fail *fail)
{
    struct side sides[2] = {0};
    *d = (struct diff){0};
    arena_init(&d->arena);
    bool first = side_open(&sides[0], names[0], fail), ok = side_open(&sides[1], names[1], fail);
    ok = ok && first;
    if (ok && strcmp(sides[0].kind, sides[1].kind)) {
        fail_plain(fail, "%s and %s cannot be compared: %s and %s", names[0], names[1],
                   sides[0].kind, sides[1].kind);
        fail_note(fail, "expected two machines, two results of one command, or two points");
        ok = false;
    }
    if (ok) {
        d->kind = arena_text(&d->arena, sides[0].kind, strlen(sides[0].kind));
        for (u32 i = 0; i < 2; i++) flatten(d->sides[i] = json_object(), sides[i].document, "");
        compare(d);
    }
    for (u32 i = 0; i < 2; i++) json_decref(sides[i].document);
    return ok;
}

void diff_free(struct diff *d)
{
    for (u32 i = 0; i < 2; i++) json_decref(d->sides[i]);
    free(d->rows);
    arena_free(&d->arena);
    *d = (struct diff){0};
}

/* ---- output ---- */

void diff_value(const struct diff_row *r, u32 side, bool all_digits, struct text *out)
{
    const json_t *value = r->sides[side];
    if (!value) text_add(out, "-");
    else if (json_is_string(value)) text_add(out, "%s", json_string_value(value));
    else if (json_is_integer(value)) text_add(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value) && all_digits) real_show(json_real_value(value), out);
    else if (json_is_real(value)) text_add(out, "%.6g", json_real_value(value));
    else text_add(out, "%s", json_is_null(value) ? "null" : json_is_true(value) ? "true" : "false");
}

static void show_side(struct result_writer *w, enum result_key key, const json_t *value)
{
    if (!value) return;
    if (json_is_integer(value)) result_put_integer(w, key, (u64)json_integer_value(value));
    else if (json_is_real(value)) result_put_real(w, key, json_real_value(value));
    else if (json_is_boolean(value)) result_put_bool(w, key, json_is_true(value));
    else result_put_text(w, key, json_string_value(value));
}

void diff_json(const struct diff *d, const char *const *names, struct text *out)
{
    struct result_writer w = {.json.out = out};
    result_open(&w, OBJECT_diff, '{');
    result_put_schema(&w, KEY_diff_schema);
    result_put_text(&w, KEY_diff_version, CORUN_VERSION);
    result_put_text(&w, KEY_diff_kind, d->kind);
    result_put_text(&w, KEY_diff_old, names[0]);
    result_put_text(&w, KEY_diff_new, names[1]);
    result_put_bool(&w, KEY_diff_equal, !d->row_n);
    result_open(&w, KEY_diff_differences, '[');
    for (u32 i = 0; i < d->row_n; i++) {
        const struct diff_row *r = &d->rows[i];
        result_open_flat(&w, OBJECT_difference, '{');
        result_put_text(&w, KEY_difference_in, r->in);
        result_put_text(&w, KEY_difference_key, r->key);
        show_side(&w, KEY_difference_old, r->sides[0]);
        show_side(&w, KEY_difference_new, r->sides[1]);
        result_put_real(&w, KEY_difference_percent, r->percent);
        result_close(&w, '}');
    }
    result_close(&w, ']');
    result_close(&w, '}');
}
