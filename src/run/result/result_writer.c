#include "run/result/result_writer.h"

#include "base/version.h"

/* Checks the type of a single value against the key's row. */
static const char *typed(enum result_key key, enum key_type type)
{
    u32 row = result_key_rows[key].type & (KEY_TYPES | KEY_LIST | KEY_MAP);
    check(row == type || row == KEY_VALUE || (row == KEY_WORD && type == KEY_TEXT));
    return key_name(key);
}

/* Checks that the key is a list for '[', and otherwise an object. */
static const char *opened(enum result_key key, char bracket)
{
    u32 type = result_key_rows[key].type;
    bool list = type & KEY_LIST, object = type & KEY_MAP || (type & KEY_TYPES) == KEY_ONE;
    check(bracket == '[' ? list : object && !list);
    return key_name(key);
}

void result_open(struct result_writer *w, enum result_key key, char bracket)
{
    json_open(&w->json, opened(key, bracket), bracket);
}

void result_open_flat(struct result_writer *w, enum result_key key, char bracket)
{
    json_open_flat(&w->json, opened(key, bracket), bracket);
}

void result_close(struct result_writer *w, char bracket) { json_close(&w->json, bracket); }

void result_put_text(struct result_writer *w, enum result_key key, const char *value)
{
    json_put_text(&w->json, typed(key, KEY_TEXT), value);
}

void result_put_integer(struct result_writer *w, enum result_key key, u64 value)
{
    json_put_integer(&w->json, typed(key, KEY_INTEGER), value);
}

void result_put_signed(struct result_writer *w, enum result_key key, s64 value)
{
    json_put_signed(&w->json, typed(key, KEY_INTEGER), value);
}

void result_put_real(struct result_writer *w, enum result_key key, double value)
{
    json_put_real(&w->json, typed(key, KEY_REAL), value);
}

void result_put_bool(struct result_writer *w, enum result_key key, bool value)
{
    json_put_bool(&w->json, typed(key, KEY_BOOL), value);
}

void result_put_null(struct result_writer *w, enum result_key key)
{
    check(result_key_rows[key].type & KEY_OR_NULL);
    json_put_null(&w->json, key_name(key));
}

void result_put_schema(struct result_writer *w, enum result_key key)
{
    json_put_text(&w->json, typed(key, KEY_CONST), result_key_rows[key].of);
}

void result_put_version(struct result_writer *w)
{
    result_put_text(w, KEY_result_version, CORUN_VERSION);
    result_put_text(w, KEY_result_commit, version_commit[0] ? version_commit : NULL);
    result_put_integer(w, KEY_result_model, CORUN_MODEL);
}
