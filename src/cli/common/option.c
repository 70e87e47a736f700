#include "cli/common/option.h"

#include <string.h>
#include "cli/terminal/columns.h"
#include "run/study/batch.h"
#include "table/conf.h"

#define CHOICE(id, word, sentence) {word, sentence},
static const struct option_word until_words[] = {
#include "run/sim/until.def"
    {0}};
static const struct option_word by_words[] = {
#include "run/sim/by.def"
    {0}};
static const struct option_word alone_words[] = {
#include "run/study/alone_from.def"
    {0}};
static const struct option_word alone_on_words[] = {
#include "run/study/alone_on.def"
    {0}};
static const struct option_word blame_words[] = {
#include "run/study/blame_how.def"
    {0}};
#undef CHOICE
static const struct option_word profile_from_words[] = {
    {"cached", "from the cache of isolated runs; missing runs are simulated and stored"},
    {"fresh", "simulated again, and stored"},
    {0}};
static const struct option_word switch_words[] = {{"on", ""}, {"off", ""}, {0}};
static const struct option_word progress_words[] = {
    {"auto", "tty on a terminal; otherwise lines for a sweep, none for other commands"},
    {"tty", "a single line, overwritten"},
    {"json", "a line per second"},
    {"none", ""},
    {0}};

#define AT(field) offsetof(struct options, field)
#define TEXT(commands, field, flag, argument, initial, sentence) \
    {commands, flag, argument, initial, sentence, KIND_TEXT, AT(field), NULL, 0, 0, NULL},
#define OUTPUT(commands, field, flag, argument, sentence) \
    {commands, flag, argument, NULL, sentence, KIND_OUTPUT, AT(field), NULL, 0, 0, NULL},
#define MANY(commands, field, flag, argument, sentence) \
    {commands, flag, argument, NULL, sentence, KIND_MANY, AT(field), NULL, 0, 0, NULL},
#define WORD(commands, field, flag, words, initial, sentence) \
    {commands, flag, NULL, initial, sentence, KIND_WORD, AT(field), words, 0, 0, NULL},
#define NUMBER(commands, field, flag, initial, low, high, sentence) \
    {commands, flag, "N", initial, sentence, KIND_NUMBER, AT(field), NULL, low, high, NULL},
#define FLAG(commands, field, flag, sentence) \
    {commands, flag, NULL, NULL, sentence, KIND_FLAG, AT(field), NULL, 0, 0, NULL},
#define ROW(effect, form, flag, also, argument, with, sentence) \
    {"y", flag, argument, NULL, "cc: " sentence, \
     FORM_##form == FORM_NONE ? KIND_FLAG : KIND_TEXT, 0, NULL, 0, 0, also},
static const struct option rows[] = {
#include "cli/option.def"
#include "cli/cc/nvcc.def"
};

const struct option *option_of(char command, u32 *at)
{
    while (*at < COUNT_OF(rows)) {
        const struct option *row = &rows[(*at)++];
        if (strchr(row->commands, command)) return row;
    }
    return NULL;
}

static void show_words(const struct option_word *words, struct text *out)
{
    for (const struct option_word *w = words; w->word; w++) {
        text_add(out, "%s%s", w == words ? "" : "|", w->word);
    }
}

static void invalid_value(const struct option *row, const char *value, const struct source *source,
                        size_t offset, struct fail *fail)
{
    struct text expect = {0};
    if (row->kind == KIND_WORD) {
        text_add(&expect, "one of ");
        show_words(row->words, &expect);
    } else {
        text_add(&expect, "a whole number from %.0f to %.0f", row->low, row->high);
    }
    fail_at(fail, source, offset, "%s is '%s', expected %s", row->flag, value, text_get(&expect));
    text_free(&expect);
    if (row->kind == KIND_NUMBER) amount_note(value, fail);
    if (row->kind != KIND_WORD) return;
    struct nearest nearest;
    nearest_init(&nearest, value);
    for (const struct option_word *w = row->words; w->word; w++) nearest_offer(&nearest, w->word);
    fail_nearest(fail, &nearest);
}

static void set_value(struct options *o, const struct option *row, const char *value,
                      const struct source *source, size_t offset, struct fail *fail)
{
    char *at = (char *)o + row->offset;
    struct many *many = (struct many *)(void *)at;
    u64 number;
    u32 position = 0;
    const char **text = (const char **)(void *)at;
    switch (row->kind) {
    case KIND_TEXT:
    case KIND_OUTPUT:
        if (row->kind == KIND_OUTPUT && *text) {
            fail_at(fail, source, offset, "%s is given twice: %s would not be written", row->flag,
                    *text);
        }
        if (!value[0]) fail_at(fail, source, offset, "%s is empty", row->flag);
        *text = value;
        return;
    case KIND_MANY:
        if (many->n < MANY_MAX) many->at[many->n++] = value;
        else fail_at(fail, source, offset, "%s is given more than %d times", row->flag, MANY_MAX);
        return;
    case KIND_WORD:
        while (row->words[position].word && strcmp(row->words[position].word, value)) position++;
        if (row->words[position].word) *(u32 *)(void *)at = position;
        else invalid_value(row, value, source, offset, fail);
        return;
    case KIND_NUMBER:
        if (whole_parse(value, &number) && (double)number >= row->low &&
            (double)number <= row->high) *(u64 *)(void *)at = number;
        else invalid_value(row, value, source, offset, fail);
        return;
    case KIND_FLAG:
        *(bool *)(void *)at = true;
        return;
    }
}

static void unknown_option(char command, const struct source *source, struct fail *fail)
{
    char flag[64];
    size_t length = strcspn(source->text, "=");
    size_t shown = length < sizeof flag - 1 ? length : sizeof flag - 1;
    memcpy(flag, source->text, shown);
    flag[shown] = 0;
    struct nearest nearest;
    nearest_init(&nearest, flag);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        if (strchr(rows[i].commands, command)) nearest_offer(&nearest, rows[i].flag);
    }
    if (command == 'y') nvcc_offer(&nearest);
    fail_at(fail, source, 0, "unknown option '%s'", flag);
    fail_nearest(fail, &nearest);
    fail_note(fail, "--help shows the options");
}

/* Parses --flag, --flag=value or --flag value; returns the number of arguments used. */
static u32 take_option(struct options *o, char command, char *const *arguments, u32 n,
                       struct fail *fail)
{
    const char *argument = arguments[0];
    if (command == 'y') return nvcc_take(&o->nvcc, arguments, n, fail);
    struct source source = {COMMAND_LINE, argument, strlen(argument)};
    size_t length = strcspn(argument, "=");
    u32 i = 0;
    while (i < COUNT_OF(rows) &&
           (strlen(rows[i].flag) != length || memcmp(rows[i].flag, argument, length) ||
            !strchr(rows[i].commands, command))) i++;
    if (i == COUNT_OF(rows)) {
        unknown_option(command, &source, fail);
        return 1;
    }
    const struct option *row = &rows[i];
    if (row->kind == KIND_FLAG) {
        if (argument[length]) fail_at(fail, &source, length, "%s takes no value", row->flag);
        set_value(o, row, "", &source, 0, fail);
        return 1;
    }
    if (argument[length]) {
        set_value(o, row, argument + length + 1, &source, length + 1, fail);
        return 1;
    }
    bool dashes = row->argument && !strcmp(row->argument, "OPTIONS");
    if (n < 2 || (!dashes && !strncmp(arguments[1], "--", 2))) {
        fail_at(fail, &source, length, "%s needs a value", row->flag);
        fail_note(fail, "%s", row->sentence);
        return 1;
    }
    source.text = arguments[1];
    source.size = strlen(arguments[1]);
    set_value(o, row, arguments[1], &source, 0, fail);
    return 2;
}

bool options_parse(struct options *o, char command, char *const *arguments, u32 n,
                   struct fail *fail)
{
    u32 before = fail->error_n;
    *o = (struct options){.arguments = arguments, .argument_n = n};
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        if (!rows[i].initial) continue;
        struct source none = {"option.def", rows[i].initial, strlen(rows[i].initial)};
        set_value(o, &rows[i], rows[i].initial, &none, 0, fail);
    }
    bool only_operands = false;
    for (u32 i = 0; i < n;) {
        const char *argument = arguments[i];
        if (!only_operands && !strcmp(argument, "--")) {
            only_operands = true;
            i++;
        } else if (!only_operands && (!strcmp(argument, "--help") || !strcmp(argument, "-h"))) {
            o->help = true;
            i++;
        } else if (!only_operands && argument[0] == '-' && argument[1]) {
            i += take_option(o, command, arguments + i, n - i, fail);
        } else if (o->operand_n < OPERANDS_MAX) {
            o->operands[o->operand_n++] = argument;
            only_operands |= command == 'u'; /* further arguments belong to the CUDA program */
            i++;
        } else {
            fail_plain(fail, "more than %d operands", OPERANDS_MAX);
            break;
        }
    }
    const char *unknown;
    for (u32 at = 0; command == 'y' && (unknown = nvcc_unknown(&o->nvcc, &at));)
        unknown_option(command, &(struct source){COMMAND_LINE, unknown, strlen(unknown)}, fail);
    return fail->error_n == before;
}

void options_command(const struct options *o, const char *command, struct text *out)
{
    text_add(out, "corun %s", command);
    for (u32 i = 0; i < o->argument_n; i++) {
        text_add(out, " ");
        text_quote(out, o->arguments[i]);
    }
}

void option_spellings(const struct option *row, struct text *out)
{
    text_add(out, "%s", row->flag);
    for (const char *at = row->also; at && *at;) {
        size_t n = strcspn(at, " ");
        text_add(out, ", %.*s", (int)n, at);
        at += n + (at[n] == ' ');
    }
}

void option_argument(const struct option *row, struct text *out)
{
    if (row->argument) text_add(out, "%s", row->argument);
    else if (row->words) show_words(row->words, out);
}

void options_help(char command, struct text *out)
{
    struct catalog c;
    catalog_start(&c, "", "", 2, (const char *const[]){"", ""});
    catalog_heading(&c, "options");
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const struct option *row = &rows[i];
        if (!strchr(row->commands, command)) continue;
        struct text flag = {0}, meaning = {0};
        text_add(&flag, "  %s ", row->flag);
        option_argument(row, &flag);
        text_add(&meaning, "%s", row->sentence);
        if (row->initial) text_add(&meaning, " Default %s.", row->initial);
        if (row->also && row->also[0]) text_add(&meaning, " Also %s.", row->also);
        catalog_add(&c, (const char *const[]){flag.bytes, meaning.bytes});
        for (const struct option_word *w = row->words; w && w->word; w++) {
            if (!w->sentence[0]) continue;
            catalog_add(&c, (const char *const[]){"", catalog_text(&c, "%s: %s", w->word,
                                                                   w->sentence)});
        }
        text_free(&flag);
        text_free(&meaning);
    }
    if (c.first != c.last) catalog_show(&c, false, columns_wide(), out);
    catalog_free(&c);
}

void options_list(struct catalog *c)
{
    catalog_heading(c, "Options of the commands");
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct text argument = {0}, flags = {0};
        option_argument(&rows[i], &argument);
        option_spellings(&rows[i], &flags);
        catalog_add(c, (const char *const[]){text_get(&flags), rows[i].initial,
                                             text_get(&argument), rows[i].sentence});
        text_free(&argument);
        text_free(&flags);
    }
}
