/* The list of all keys of a result, and of all tables of a sweep's database. */
#include <string.h>
#include "run/catalog/catalog.h"
#include "run/result/key.h"

/* Returns the type of a key in words: "integer or null; may be absent", "list of object app". */
static const char *type_words(struct catalog *c, const struct result_key_row *k)
{
    static const char *const names[] = {
        [KEY_TEXT] = "text", [KEY_INTEGER] = "integer", [KEY_REAL] = "number",
        [KEY_BOOL] = "true or false", [KEY_VALUE] = "any", [KEY_CONST] = "text", [KEY_ONE] = ""};
    u32 type = k->type & KEY_TYPES;
    struct text t = {0};
    if (k->type & KEY_LIST) text_add(&t, "list of ");
    if (k->type & KEY_MAP) text_add(&t, "by name: ");
    if (type == KEY_CONST) text_add(&t, "%s", k->of);
    else if (type == KEY_ONE && *k->of != '|') text_add(&t, "object %s", k->of);
    else if (type == KEY_ONE) text_add(&t, "objects ");
    else if (type != KEY_WORD) text_add(&t, "%s", names[type]);
    const char *between = "";
    for (const char *p = *k->of == '|' ? k->of : ""; *p; between = ", ") {
        size_t n = strcspn(++p, "|");
        text_add(&t, "%s%.*s", between, (int)n, p);
        p += n;
    }
    text_add(&t, "%s%s", k->type & KEY_OR_NULL ? " or null" : "",
             k->type & KEY_MAYBE ? "; may be absent" : "");
    const char *words = catalog_text(c, "%s", t.bytes);
    text_free(&t);
    return words;
}

static void add_keys(struct catalog *c)
{
    for (u32 i = 0; i < RESULT_KEY_N; i++) {
        const struct result_key_row *k = &result_key_rows[i];
        if (!k->key) {
            catalog_section(c, catalog_text(c, "%s: `%s`", k->of, k->object), k->sentence);
        } else {
            catalog_add(c, (const char *const[]){k->key, type_words(c, k), k->unit, k->sentence});
        }
    }
}

static void add_tables(struct catalog *c)
{
    static const struct {
        const char *table, *column, *sentence;
    } rows[] = {
#define TABLE(table, sentence) {table, NULL, sentence},
#define COLUMN(table, column, sentence) {table, column, sentence},
#include "run/sweep/column.def"
#undef TABLE
#undef COLUMN
    };
    catalog_columns(c, 2, (const char *const[]){"column", "meaning"});
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].column)
            catalog_add(c, (const char *const[]){rows[i].column, rows[i].sentence});
        else
            catalog_section(c, catalog_text(c, "A table of the database: `%s`", rows[i].table),
                            rows[i].sentence);
    }
}

void catalog_result(struct catalog *c)
{
    catalog_start(c, "Results", "Every key of corun's JSON files, and every column of a sweep's "
                  "database. Key `schema` gives the kind of a file: `result`, `compare`, "
                  "`profile`, `model`, `check` or `diff`. `corun list result --schema`, also "
                  "[result.schema.json](result.schema.json), prints the same as a JSON Schema "
                  "(draft 2020-12) without additional keys.",
                  4, (const char *const[]){"key", "type", "unit", "meaning"});
    add_keys(c);
    add_tables(c);
}
