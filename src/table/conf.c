#include "table/conf.h"

#include <inttypes.h>
#include <string.h>

/* Returns the position of `value` among the words separated by |; UINT32_MAX: not found. */
static u32 word_find(const char *words, const char *value)
{
    size_t n = strlen(value);
    u32 position = 0;
    for (const char *w = words;; position++) {
        const char *end = strchr(w, '|');
        size_t length = end ? (size_t)(end - w) : strlen(w);
        if (length == n && !memcmp(w, value, n)) return position;
        if (!end) return UINT32_MAX;
        w = end + 1;
    }
}

static bool bool_parse(const char *value, bool *out)
{
    u32 at = word_find("off|on|false|true|no|yes", value);
    *out = at & 1;
    return at != UINT32_MAX;
}

/* Parses the value into the object. Returns false if the value does not have the row's type or is
 * outside its range. */
static bool conf_store(void *object, const struct conf_row *row, const char *value)
{
    char *at = (char *)object + row->offset;
    u64 whole;
    struct rational r;
    bool flag;
    switch (row->type) {
    case CONF_TYPE_U32:
    case CONF_TYPE_U64:
        if (!whole_parse(value, &whole)) return false;
        if ((double)whole < row->low || (double)whole > row->high) return false;
        if (row->type == CONF_TYPE_U64) *(u64 *)(void *)at = whole;
        else if (whole <= UINT32_MAX) *(u32 *)(void *)at = (u32)whole;
        else return false;
        return true;
    case CONF_TYPE_RATIONAL:
        if (!rational_parse(value, &r)) return false;
        if ((double)r.num < row->low * (double)r.den) return false;
        if ((double)r.num > row->high * (double)r.den) return false;
        *(struct rational *)(void *)at = r;
        return true;
    case CONF_TYPE_BOOL:
        if (!bool_parse(value, &flag)) return false;
        *(bool *)(void *)at = flag;
        return true;
    case CONF_TYPE_CHOICE:
        whole = word_find(row->words, value);
        if (whole == UINT32_MAX) return false;
        *(u32 *)(void *)at = (u32)whole;
        return true;
    case CONF_TYPE_WORD: {
        struct conf_word word = {{0}};
        size_t n = strlen(value);
        if ((double)n < row->low || (double)n > row->high || n >= sizeof word.text) return false;
        memcpy(word.text, value, n);
        *(struct conf_word *)(void *)at = word;
        return true;
    }
    }
    return false;
}

void conf_defaults(void *object, const struct conf_row *rows, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        bool row_is_right = conf_store(object, &rows[i], rows[i].initial);
        check(row_is_right);
    }
}

void conf_expect(const struct conf_row *row, struct text *out)
{
    if (row->type == CONF_TYPE_CHOICE) {
        text_add(out, "one of %s", row->words);
        return;
    }
    if (row->type == CONF_TYPE_BOOL) {
        text_add(out, "on or off");
        return;
    }
    if (row->type == CONF_TYPE_WORD) {
        text_add(out, "a word of %g to %g letters", row->low, row->high);
        return;
    }
    text_add(out, "a %s from %.15g to %.15g",
             row->type == CONF_TYPE_RATIONAL ? "number" : "whole number", row->low, row->high);
    if (row->unit[0]) text_add(out, " (%s)", row->unit);
}

static void offer_words(const char *words, const char *value, struct fail *fail)
{
    struct nearest nearest;
    nearest_init(&nearest, value);
    struct text copy = {0};
    text_add(&copy, "%s", words);
    for (char *w = copy.bytes; w;) {
        char *end = strchr(w, '|');
        if (end) *end = 0;
        nearest_offer(&nearest, w);
        w = end ? end + 1 : NULL;
    }
    fail_nearest(fail, &nearest);
    text_free(&copy);
}

bool conf_set(void *object, const struct conf_row *row, const char *value, struct fail *fail,
              const struct source *source, size_t offset)
{
    if (conf_store(object, row, value)) return true;
    struct text expect = {0};
    conf_expect(row, &expect);
    if (source) fail_at(fail, source, offset, "%s.%s is '%s', expected %s", row->section,
                        row->field, value, text_get(&expect));
    else fail_plain(fail, "%s.%s is '%s', expected %s", row->section, row->field, value,
                    text_get(&expect));
    text_free(&expect);
    if (row->type == CONF_TYPE_CHOICE) offer_words(row->words, value, fail);
    if (row->type <= CONF_TYPE_RATIONAL) amount_note(value, fail);
    return false;
}

const struct conf_row *conf_find(const struct conf_row *rows, u32 n, const char *key)
{
    const char *dot = strchr(key, '.');
    if (!dot) return NULL;
    size_t section = (size_t)(dot - key);
    for (u32 i = 0; i < n; i++) {
        if (*rows[i].field == dot[1] && !strcmp(rows[i].field, dot + 1) &&
            !strncmp(rows[i].section, key, section) && !rows[i].section[section])
            return &rows[i];
    }
    return NULL;
}

void conf_show(const void *object, const struct conf_row *row, struct text *out)
{
    const char *at = (const char *)object + row->offset;
    switch (row->type) {
    case CONF_TYPE_U32:
        text_add(out, "%u", *(const u32 *)(const void *)at);
        break;
    case CONF_TYPE_U64:
        text_add(out, "%" PRIu64, *(const u64 *)(const void *)at);
        break;
    case CONF_TYPE_RATIONAL:
        rational_show(*(const struct rational *)(const void *)at, out);
        break;
    case CONF_TYPE_BOOL:
        text_add(out, "%s", *(const bool *)(const void *)at ? "on" : "off");
        break;
    case CONF_TYPE_CHOICE: {
        const char *w = row->words;
        for (u32 i = *(const u32 *)(const void *)at; i; i--) w = strchr(w, '|') + 1;
        text_put(out, w, strcspn(w, "|"));
        break;
    }
    case CONF_TYPE_WORD:
        text_add(out, "%s", ((const struct conf_word *)(const void *)at)->text);
        break;
    }
}

void conf_nearest(const struct conf_row *rows, u32 n, const char *key, struct fail *fail)
{
    struct nearest nearest;
    nearest_init(&nearest, key);
    char *names = NULL;
    struct text all = {0};
    for (u32 i = 0; i < n; i++) {
        text_add(&all, "%s.%s", rows[i].section, rows[i].field);
        text_put(&all, "", 1);
    }
    names = all.bytes;
    for (u32 i = 0; i < n; i++) {
        nearest_offer(&nearest, names);
        names += strlen(names) + 1;
    }
    fail_nearest(fail, &nearest);
    text_free(&all);
}
