#include "run/diff/side.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "run/input/gpu_file.h"
#include "run/io/asset.h"
#include "run/io/file.h"
#include "run/result/key.h"
#include "run/sweep/export.h"

/* Returns the "#POINT" of a name; NULL if none, or if the whole name is an existing file. */
static const char *point_of(const char *name)
{
    const char *mark = strrchr(name, '#');
    return mark && access(name, F_OK) ? mark : NULL;
}

void side_file(const char *name, struct text *out)
{
    const char *mark = point_of(name);
    text_put(out, name, mark ? (size_t)(mark - name) : strlen(name));
}

/* ---- machine: an object per section ---- */

static json_t *value_of(const struct conf_row *row, const char *text)
{
    bool word = row->type == CONF_TYPE_CHOICE || row->type == CONF_TYPE_WORD;
    char *end;
    u64 whole;
    if (row->type == CONF_TYPE_BOOL) return json_boolean(!strcmp(text, "on"));
    if (!word && whole_parse(text, &whole)) return json_integer((json_int_t)whole);
    double real = strtod(text, &end);
    return word || *end ? json_string(text) : json_real(real);
}

static void put_value(struct side *s, const void *object, const struct conf_row *row)
{
    struct text value = {0};
    conf_show(object, row, &value);
    json_t *section = json_object_get(s->document, row->section);
    if (!section) json_object_set_new(s->document, row->section, section = json_object());
    json_object_set_new(section, row->field, value_of(row, value.bytes));
    text_free(&value);
}

static bool open_machine(struct side *s, const char *name, struct fail *fail)
{
    struct gpu_file g;
    bool ok = gpu_file_open(&g, name, NULL, 0, fail);
    s->kind = "machine";
    s->document = json_object();
    for (u32 i = 0; ok && i < machine_row_n; i++) put_value(s, &g.machine, &machine_rows[i]);
    for (u32 i = 0; ok && i < energy_row_n; i++) put_value(s, &g.energy, &energy_rows[i]);
    gpu_file_free(&g);
    return ok;
}

static bool is_shipped(const char *name)
{
    for (u32 i = 0; asset_gpu(i); i++)
        if (!strcmp(asset_gpu(i), name)) return true;
    return false;
}

/* ---- point of a database ---- */

static bool open_point(struct side *s, const char *name, struct fail *fail)
{
    struct text path = {0}, json = {0};
    struct store store;
    side_file(name, &path);
    bool ok = store_open(&store, text_get(&path), fail) &&
              export_point(&store, point_of(name) + 1, &json, fail);
    store_close(&store);
    if (ok) s->document = json_loadb(json.bytes, json.size, JSON_REJECT_DUPLICATES, NULL);
    if (ok && !s->document) {
        fail_plain(fail, "%s is damaged: duplicate entries", path.bytes);
        ok = false;
    }
    s->kind = "point";
    text_free(&path);
    text_free(&json);
    return ok;
}

/* ---- whole database: an object per point, by position ---- */

/* Adds a point without names of files, which depend on the folder of the sweep's command, and
 * without the hash over such names. Points of several sweeps may have the same position: the second
 * is "0 (2)". */
static void add_point(json_t *points, s64 position, const struct text *json)
{
    static const char *const named[] = {"apps", "policy", "gpu", "input_hash"};
    json_t *point = json_loadb(json->bytes, json->size, 0, NULL), *app;
    struct text name = {0};
    size_t i;
    for (i = 0; i < COUNT_OF(named); i++) json_object_del(point, named[i]);
    json_array_foreach(json_object_get(point, "app"), i, app) json_object_del(app, "spec");
    text_add(&name, "%lld", (long long)position);
    for (u32 n = 2; json_object_get(points, name.bytes); n++) {
        name.size = 0;
        text_add(&name, "%lld (%u)", (long long)position, n);
    }
    json_object_set_new(points, name.bytes, point);
    text_free(&name);
}

static bool open_database(struct side *s, const char *path, struct fail *fail)
{
    struct store store;
    sqlite3_stmt *q = NULL;
    int step = SQLITE_DONE;
    s->kind = "database";
    s->document = json_object();
    bool ok = store_open(&store, path, fail) &&
              store_prepare(&store, &q, "select position, key from run order by position", fail);
    while (ok && (step = sqlite3_step(q)) == SQLITE_ROW) {
        struct text json = {0};
        ok = export_point(&store, (const char *)sqlite3_column_text(q, 1), &json, fail);
        if (ok) add_point(s->document, sqlite3_column_int64(q, 0), &json);
        text_free(&json);
    }
    if (ok && step != SQLITE_DONE) ok = store_error(&store, fail);
    sqlite3_finalize(q);
    store_close(&store);
    return ok;
}

/* ---- result in JSON ---- */

static bool is_database(const char *bytes, size_t size)
{
    static const char head[] = "SQLite format 3";
    return size >= sizeof head && !memcmp(bytes, head, sizeof head);
}

static bool parse_result(struct side *s, const struct source *file, struct fail *fail)
{
    json_error_t why;
    s->document = json_loadb(file->text, file->size, JSON_REJECT_DUPLICATES, &why);
    if (!s->document) {
        size_t at = why.position > 0 ? (size_t)why.position - 1 : 0;
        fail_at(fail, file, at < file->size ? at : file->size, "not a result in JSON: %s",
                why.text);
        fail_note(fail, "expected a JSON result of corun run, compare, profile or check, a machine "
                  "file (.yaml), a database, or a point of a database, FILE.db#POSITION");
        return false;
    }
    s->kind = json_string_value(json_object_get(s->document, key_name(KEY_result_schema)));
    if (s->kind && !strncmp(s->kind, "corun-", 6)) return true;
    fail_plain(fail, "%s is JSON, but not a result of corun: key \"schema\" is %s", file->name,
               s->kind ? s->kind : "missing");
    return false;
}

static void no_such_thing(const char *name, const char *why, struct fail *fail)
{
    struct source source = {COMMAND_LINE, name, strlen(name)};
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (u32 i = 0; asset_gpu(i); i++) nearest_offer(&nearest, asset_gpu(i));
    fail_at(fail, &source, 0, "'%s' is neither a shipped machine nor a readable file: %s",
            name, why);
    fail_nearest(fail, &nearest);
    fail_note(fail, "expected a machine, a result in JSON, a database, or a point of a database, "
              "FILE.db#POSITION");
}

static bool open_result(struct side *s, const char *name, struct fail *fail)
{
    char *bytes = NULL;
    size_t size = 0;
    struct text why = {0};
    bool ok = false, read = file_read(name, &bytes, &size, &why);
    if (!read) {
        no_such_thing(name, text_get(&why), fail);
    } else if (is_database(bytes, size)) {
        ok = open_database(s, name, fail);
    } else {
        ok = parse_result(s, &(struct source){name, bytes, size}, fail);
    }
    text_free(&why);
    if (read) free(bytes);
    return ok;
}

bool side_open(struct side *s, const char *name, struct fail *fail)
{
    *s = (struct side){0};
    const char *end = strrchr(name, '.');
    if (point_of(name)) return open_point(s, name, fail);
    if (is_shipped(name) || (end && (!strcmp(end, ".yaml") || !strcmp(end, ".yml"))))
        return open_machine(s, name, fail);
    return open_result(s, name, fail);
}
