/* The JSON Schema of all results (draft 2020-12), generated from key.def and from the rows of
 * statistics, metrics, options and policies. The schema rejects keys without a row. */
#include <string.h>
#include "gpu/machine/stat.h"
#include "run/catalog/catalog.h"
#include "run/input/gpu_file.h"
#include "run/input/mechanism.h"
#include "run/io/json_writer.h"
#include "run/result/key.h"
#include "run/study/metric.h"

static void put_type(struct json_writer *j, const char *type, bool or_null)
{
    if (!or_null) {
        json_put_text(j, "type", type);
        return;
    }
    json_open(j, "type", '[');
    json_put_text(j, NULL, type);
    json_put_text(j, NULL, "null");
    json_close(j, ']');
}

/* Writes an enum of the words in "|a|b" or "a|b". */
static void put_words(struct json_writer *j, const char *words, bool or_null)
{
    json_open(j, "enum", '[');
    while (*words) {
        struct text word = {0};
        words += *words == '|';
        size_t n = strcspn(words, "|");
        text_put(&word, words, n);
        json_put_text(j, NULL, word.bytes);
        text_free(&word);
        words += n;
    }
    if (or_null) json_put_null(j, NULL);
    json_close(j, ']');
}

static void put_reference(struct json_writer *j, const char *object)
{
    struct text t = {0};
    text_add(&t, "#/$defs/%s", object);
    json_put_text(j, "$ref", t.bytes);
    text_free(&t);
}

/* Writes a choice between the objects in "|a|b" or "a", and null if `or_null`. */
static void put_choice(struct json_writer *j, const char *objects, bool or_null)
{
    json_open(j, "anyOf", '[');
    while (*objects) {
        struct text name = {0};
        objects += *objects == '|';
        text_put(&name, objects, strcspn(objects, "|"));
        json_open(j, NULL, '{');
        put_reference(j, name.bytes);
        json_close(j, '}');
        objects += name.size;
        text_free(&name);
    }
    if (or_null) {
        json_open(j, NULL, '{');
        json_put_text(j, "type", "null");
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_scalars(struct json_writer *j, bool or_null)
{
    static const char *const types[] = {"string", "number", "boolean", "null"};
    json_open(j, "type", '[');
    for (u32 i = 0; i < COUNT_OF(types) - !or_null; i++) json_put_text(j, NULL, types[i]);
    json_close(j, ']');
}

/* Writes the type of a key, without LIST and MAP. */
static void put_value(struct json_writer *j, const struct result_key_row *k)
{
    static const char *const names[] = {[KEY_TEXT] = "string", [KEY_INTEGER] = "integer",
                                        [KEY_REAL] = "number", [KEY_BOOL] = "boolean"};
    bool or_null = k->type & KEY_OR_NULL;
    switch ((enum key_type)(k->type & KEY_TYPES)) {
    case KEY_CONST: json_put_text(j, "const", k->of); return;
    case KEY_WORD: put_words(j, k->of, or_null); return;
    case KEY_VALUE: put_scalars(j, or_null); return;
    case KEY_ONE: break;
    default: put_type(j, names[k->type & KEY_TYPES], or_null); return;
    }
    if (or_null || *k->of == '|') put_choice(j, k->of, or_null);
    else put_reference(j, k->of);
}

static void put_key(struct json_writer *j, const struct result_key_row *k)
{
    const char *inside = k->type & KEY_LIST ? "items" : "additionalProperties";
    bool many = k->type & (KEY_LIST | KEY_MAP);
    json_open_flat(j, k->key, '{');
    json_put_text(j, "description", k->sentence);
    if (many) {
        json_put_text(j, "type", k->type & KEY_LIST ? "array" : "object");
        json_open(j, inside, '{');
    }
    put_value(j, k);
    if (many) json_close(j, '}');
    json_close(j, '}');
}

/* Writes a key from a row outside key.def: a statistic, ratio, metric or counter. */
static void put_row(struct json_writer *j, const char *name, const char *type, bool or_null,
                    const char *sentence)
{
    json_open_flat(j, name, '{');
    json_put_text(j, "description", sentence);
    put_type(j, type, or_null);
    json_close(j, '}');
}

/* ---- objects ---- */

static void open_object(struct json_writer *j, const char *name)
{
    json_open(j, name, '{');
    json_put_text(j, "type", "object");
    json_open(j, "properties", '{');
}

/* Ends an object after its properties, and rejects any other property. */
static void close_object(struct json_writer *j)
{
    json_put_bool(j, "additionalProperties", false);
    json_close(j, '}');
}

static void put_keys(struct json_writer *j, const char *object)
{
    for (u32 i = 0; i < RESULT_KEY_N; i++) {
        const struct result_key_row *k = &result_key_rows[i];
        if (k->key && !strcmp(k->object, object)) put_key(j, k);
    }
}

static void put_object(struct json_writer *j, const char *object)
{
    open_object(j, object);
    put_keys(j, object);
    json_close(j, '}');
    json_open_flat(j, "required", '[');
    for (u32 i = 0; i < RESULT_KEY_N; i++) {
        const struct result_key_row *k = &result_key_rows[i];
        bool there = k->key && !strcmp(k->object, object) && !(k->type & KEY_MAYBE);
        if (there) json_put_text(j, NULL, k->key);
    }
    json_close(j, ']');
    close_object(j);
}

static void put_numbers(struct json_writer *j, const char *name, bool counters, bool ratios)
{
    open_object(j, name);
    for (u32 i = 0; counters && i < gpu_stat_row_n; i++)
        put_row(j, gpu_stat_rows[i].name, "integer", false, gpu_stat_rows[i].sentence);
    for (u32 i = 0; ratios && i < gpu_ratio_row_n; i++)
        put_row(j, gpu_ratio_rows[i].name, "number", true, gpu_ratio_rows[i].sentence);
    json_close(j, '}');
    json_open_flat(j, "required", '[');
    for (u32 i = 0; counters && i < gpu_stat_row_n; i++)
        json_put_text(j, NULL, gpu_stat_rows[i].name);
    for (u32 i = 0; ratios && i < gpu_ratio_row_n; i++)
        json_put_text(j, NULL, gpu_ratio_rows[i].name);
    json_close(j, ']');
    close_object(j);
}

static void put_metrics(struct json_writer *j)
{
    open_object(j, "metrics");
    for (u32 i = 0; i < metric_row_n; i++)
        put_row(j, metric_rows[i].name, "number", true, metric_rows[i].sentence);
    json_close(j, '}');
    json_open_flat(j, "required", '[');
    for (u32 i = 0; i < metric_row_n; i++) json_put_text(j, NULL, metric_rows[i].name);
    json_close(j, ']');
    close_object(j);
}

/* ---- policies: shipped policies by name; a policy from a file may have any counters ---- */

static void put_mechanism(struct json_writer *j, const struct corun_policy *p)
{
    open_object(j, p->name);
    put_keys(j, "mechanism");
    for (const struct corun_policy_stat *s = p->stats; s && s->name; s++)
        put_row(j, s->name, "integer", false, s->sentence);
    if (!strcmp(p->name, "oracle")) put_keys(j, "oracle");
    json_close(j, '}');
    close_object(j);
}

static void put_policies(struct json_writer *j)
{
    open_object(j, "policies");
    for (u32 i = 0; mechanism_shipped(i); i++) put_mechanism(j, mechanism_shipped(i));
    json_close(j, '}');
    json_open(j, "additionalProperties", '{');
    json_put_text(j, "type", "object");
    json_open(j, "properties", '{');
    put_keys(j, "mechanism");
    json_close(j, '}');
    json_open_flat(j, "additionalProperties", '{');
    json_put_text(j, "type", "integer");
    json_close(j, '}');
    json_close(j, '}');
    json_close(j, '}');
}

/* ---- the configuration ---- */

static void put_option_value(struct json_writer *j, const struct conf_row *row)
{
    static const char *const types[] = {"string", "number"}; /* a rational: 3500.5 or "10500/3" */
    switch (row->type) {
    case CONF_TYPE_U32:
    case CONF_TYPE_U64: put_type(j, "integer", false); return;
    case CONF_TYPE_BOOL: put_type(j, "boolean", false); return;
    case CONF_TYPE_CHOICE: put_words(j, row->words, false); return;
    case CONF_TYPE_WORD: put_type(j, "string", false); return;
    case CONF_TYPE_RATIONAL: break;
    }
    json_open(j, "type", '[');
    for (u32 i = 0; i < COUNT_OF(types); i++) json_put_text(j, NULL, types[i]);
    json_close(j, ']');
}

static void put_option(struct json_writer *j, const char *key, const struct conf_row *row)
{
    json_open_flat(j, key, '{');
    json_put_text(j, "description", row->sentence);
    json_put_text(j, "$ref", "#/$defs/option");
    json_open(j, "properties", '{');
    json_open(j, "value", '{');
    put_option_value(j, row);
    json_close(j, '}');
    json_close(j, '}');
    json_close(j, '}');
}

/* Accepts options of policies, MECHANISM.OPTION: any key whose part before the dot is no section of
 * the machine, or a section with the name of a policy (mps). */
static void put_policy_options(struct json_writer *j)
{
    struct text pattern = {0};
    text_add(&pattern, "^(?!(");
    for (u32 i = 0; i < machine_row_n; i++) {
        const char *section = machine_rows[i].section;
        if (i && !strcmp(section, machine_rows[i - 1].section)) continue;
        if (mechanism_find(section)) continue;
        text_add(&pattern, "%s%s", i ? "|" : "", section);
    }
    text_add(&pattern, ")\\.)[^.]+\\..+$");
    json_open(j, "patternProperties", '{');
    json_open_flat(j, pattern.bytes, '{');
    json_put_text(j, "$ref", "#/$defs/option");
    json_close(j, '}');
    json_close(j, '}');
    text_free(&pattern);
}

static void put_config(struct json_writer *j)
{
    struct text key = {0};
    open_object(j, "config");
    for (u32 i = 0; i < machine_row_n; i++, key.size = 0) {
        text_add(&key, "%s.%s", machine_rows[i].section, machine_rows[i].field);
        put_option(j, key.bytes, &machine_rows[i]);
    }
    json_close(j, '}');
    put_policy_options(j);
    json_open_flat(j, "required", '[');
    for (u32 i = 0; i < machine_row_n; i++, key.size = 0) {
        text_add(&key, "%s.%s", machine_rows[i].section, machine_rows[i].field);
        json_put_text(j, NULL, key.bytes);
    }
    json_close(j, ']');
    close_object(j);
    text_free(&key);
}

static void put_definition(struct json_writer *j, const char *object)
{
    if (!strcmp(object, "mechanism") || !strcmp(object, "oracle")) return; /* in policies */
    if (!strcmp(object, "metrics")) put_metrics(j);
    else if (!strcmp(object, "stats")) put_numbers(j, object, true, true);
    else if (!strcmp(object, "counters")) put_numbers(j, object, true, false);
    else if (!strcmp(object, "ratios")) put_numbers(j, object, false, true);
    else if (!strcmp(object, "policies")) put_policies(j);
    else if (!strcmp(object, "config")) put_config(j);
    else put_object(j, object);
}

/* Writes the choice of the top-level objects: all objects with key "schema". */
static void put_kinds(struct json_writer *j)
{
    json_open(j, "oneOf", '[');
    for (u32 i = 0; i < RESULT_KEY_N; i++) {
        const char *key = result_key_rows[i].key;
        if (!key || strcmp(key, "schema")) continue;
        json_open_flat(j, NULL, '{');
        put_reference(j, result_key_rows[i].object);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void catalog_schema(struct text *out)
{
    struct json_writer j = {.out = out};
    json_open(&j, NULL, '{');
    json_put_text(&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_put_text(&j, "title", "Results of corun");
    put_kinds(&j);
    json_open(&j, "$defs", '{');
    for (u32 i = 0; i < RESULT_KEY_N; i++) {
        if (!result_key_rows[i].key) put_definition(&j, result_key_rows[i].object);
    }
    json_close(&j, '}');
    json_close(&j, '}');
}
