#include "cli/cc/nvcc.h"

#include <string.h>

#define ROW(effect, form, flag, also, argument, with, sentence) \
    {CC_##effect, FORM_##form, flag, also, argument, with, sentence},
static const struct nvcc_row rows[] = {
#include "cli/cc/nvcc.def"
};
static const struct nvcc_row unknown = {
    .effect = CC_UNKNOWN, .flag = "", .also = "", .with = "%s", .sentence = ""};

struct command_word { /* an option of the command line, split */
    struct source source;
    const char *next;    /* argument behind the option; NULL: none */
    const char *name;    /* behind the dashes */
    size_t dashes, length; /* length of the name: up to '=' */
};

const char *nvcc_reason(const struct nvcc_row *row)
{
    const char *colon = strstr(row->sentence, ": ");
    return colon ? colon + 2 : row->sentence;
}

static void note(struct nvcc *o, const struct nvcc_row *row, const char *value,
                 const struct source *source, struct fail *fail)
{
    bool again = row->form == FORM_FILE && nvcc_has(o, row->effect);
    if (again)
        fail_at(fail, source, 0, "%s is given twice: %s would not be written", row->flag,
                nvcc_last(o, row->effect));
    if (row->effect == CC_REFUSED) {
        bool word = row->form == FORM_WORD;
        const char *reason = nvcc_reason(row);
        fail_at(fail, source, 0, "%s%s%s is not supported: %.*s", row->flag, word ? " " : "",
                word ? value : "", (int)strlen(reason) - 1, reason);
        fail_note(fail, "%s", row->with);
    }
    if (o->n == NVCC_MAX) fail_at(fail, source, 0, "more than %d options", NVCC_MAX);
    else o->at[o->n++] = (struct nvcc_given){row, value};
}

/* Returns the spelling behind `before` of a row, and the length; NULL: no more. */
static const char *spelling(const struct nvcc_row *row, const char *before, size_t *n)
{
    const char *at = before == NULL ? row->flag : before == row->flag ? row->also : before + *n;
    at += strspn(at, " ");
    *n = strcspn(at, " ");
    return *n ? at : NULL;
}

/* True if `name` of n bytes is a spelling of the row, with any number of dashes. */
static bool is_spelled(const struct nvcc_row *row, const char *name, size_t n)
{
    size_t length;
    for (const char *at = NULL; (at = spelling(row, at, &length));) {
        size_t dashes = strspn(at, "-");
        if (length - dashes == n && !memcmp(at + dashes, name, n)) return true;
    }
    return false;
}

/* True if `value` is among the row's words. */
static bool has_word(const struct nvcc_row *row, const char *value)
{
    size_t n = strlen(value);
    for (const char *at = row->argument; *at; at += strspn(at, "|")) {
        size_t length = strcspn(at, "|");
        if (length == n && !memcmp(at, value, n)) return true;
        at += length;
    }
    return false;
}

/* ---- a row for an option ---- */

/* Finds the row of FORM_WORD with this spelling and value. */
static const struct nvcc_row *find_word(const char *name, size_t n, const char *value)
{
    for (u32 i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].form == FORM_WORD && is_spelled(&rows[i], name, n) &&
            has_word(&rows[i], value)) return &rows[i];
    return NULL;
}

static const struct nvcc_row *find_name(const char *name, size_t n, bool words)
{
    for (u32 i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].form != FORM_PREFIX && (rows[i].form == FORM_WORD) == words &&
            is_spelled(&rows[i], name, n)) return &rows[i];
    return NULL;
}

/* Finds the row of an option with its value behind the spelling, without '='. */
static const struct nvcc_row *find_glued(const struct command_word *w, const char **value)
{
    *value = w->name + 1;
    const struct nvcc_row *row = NULL;
    if (w->dashes == 1 && w->name[1]) row = find_word(w->name, 1, *value);
    for (u32 i = 0; i < COUNT_OF(rows) && !row && w->dashes == 1; i++) {
        size_t n = strlen(rows[i].flag);
        if (rows[i].form == FORM_PREFIX && !strncmp(w->source.text, rows[i].flag, n)) {
            *value = w->source.text + n;
            row = &rows[i];
        } else if (rows[i].form == FORM_VALUE && w->name[1] && is_spelled(&rows[i], w->name, 1)) {
            row = &rows[i];
        }
    }
    return row;
}

/* ---- values ---- */

/* Adds the error of a value beside the words of an option. */
static void wrong_word(const struct command_word *w, const char *value, const struct source *at,
                       size_t offset, struct fail *fail)
{
    struct text words = {0};
    for (u32 i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].form == FORM_WORD && is_spelled(&rows[i], w->name, w->length))
            text_add(&words, "%s%s", words.size ? "|" : "", rows[i].argument);
    fail_at(fail, at, offset, "%.*s is '%s', expected one of %s", (int)(w->dashes + w->length),
            w->source.text, value, text_get(&words));
    text_free(&words);
}

/* Notes an option whose row takes a value. Returns the number of arguments used. */
static u32 take_value(struct nvcc *o, const struct nvcc_row *row, const struct command_word *w,
                      struct fail *fail)
{
    size_t length = w->dashes + w->length;
    bool inside = w->source.text[length] == '=';
    struct source source = w->source;
    const char *value = source.text + length + 1;
    if (!inside) {
        if (!w->next || (row->form != FORM_LIST && !strncmp(w->next, "--", 2))) {
            fail_at(fail, &source, length, "%.*s needs a value", (int)length, source.text);
            fail_note(fail, "%s", row->sentence);
            return 1;
        }
        value = w->next;
        source = (struct source){COMMAND_LINE, value, strlen(value)};
    }
    const struct nvcc_row *word = row;
    if (row->form == FORM_WORD) word = find_word(w->name, w->length, value);
    if (!word) wrong_word(w, value, &source, inside ? length + 1 : 0, fail);
    else if (!value[0])
        fail_at(fail, &source, inside ? length + 1 : 0, "%s is empty", row->flag);
    else note(o, word, value, &w->source, fail);
    return inside ? 1 : 2;
}

u32 nvcc_take(struct nvcc *o, char *const *arguments, u32 n, struct fail *fail)
{
    struct command_word w = {{COMMAND_LINE, arguments[0], strlen(arguments[0])},
                             n > 1 ? arguments[1] : NULL, arguments[0], 1, 0};
    const char *value;
    if (w.name[1] == '-') w.dashes = 2;
    w.name += w.dashes;
    w.length = strcspn(w.name, "=");
    bool inside = w.name[w.length] == '=';
    const struct nvcc_row *glued = find_glued(&w, &value);
    const struct nvcc_row *row = find_name(w.name, w.length, false);
    const struct nvcc_row *word = find_name(w.name, w.length, true);
    const char *given = inside ? w.name + w.length + 1 : w.next;
    if (word && ((given && find_word(w.name, w.length, given)) || !(row || glued))) row = word;
    if (row && row->form != FORM_NONE) return take_value(o, row, &w, fail);
    if (row && inside)
        fail_at(fail, &w.source, w.dashes + w.length, "%s takes no value", row->flag);
    else if (row) note(o, row, "", &w.source, fail);
    else if (glued) note(o, glued, value, &w.source, fail);
    else note(o, &unknown, arguments[0], &w.source, fail);
    return 1;
}

const char *nvcc_unknown(const struct nvcc *o, u32 *at)
{
    if (nvcc_has(o, CC_FORWARD)) return NULL;
    while (*at < o->n)
        if (o->at[(*at)++].row == &unknown) return o->at[*at - 1].value;
    return NULL;
}

void nvcc_offer(struct nearest *nearest)
{
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        nearest_offer(nearest, rows[i].flag);
        if (!strchr(rows[i].also, ' ')) nearest_offer(nearest, rows[i].also);
    }
}

/* ---- options given ---- */

const char *nvcc_last(const struct nvcc *o, enum nvcc_effect effect)
{
    for (u32 i = o->n; i--;)
        if (o->at[i].row->effect == effect) return o->at[i].value;
    return NULL;
}

bool nvcc_has(const struct nvcc *o, enum nvcc_effect effect) { return nvcc_last(o, effect); }

bool nvcc_true(const struct nvcc *o, enum nvcc_effect effect, bool otherwise)
{
    const char *value = nvcc_last(o, effect);
    return value ? !strcmp(value, "true") : otherwise;
}
