/* Shell completion: lists possible words at the cursor, derived from the operands and options of a
 * command. In "gpu|policy NAME" or "SPEC,SPEC,...", words in lower case are literal, and words in
 * upper case are placeholders, looked up here. An unknown placeholder stands for a file. */
#include "cli/guide/guide.h"

#include <ctype.h>
#include <string.h>

const struct command_row command_rows[] = {
#define COMMAND(name, letter, operands, sentence) {#name, letter, operands, sentence},
#include "cli/list.def"
#undef COMMAND
    {0}};

/* Meaning of a placeholder: a list of `corun list`, or "" for unknown words. `before`: the
 * preceding word that selects the row; NULL: any. */
static const struct placeholder {
    const char *word, *before, *list, *behind;
    bool or_file;
} placeholders[] = {
    {"APP", NULL, "workloads", "", true},     {"APP", NULL, "parameters", "", true},
    {"SPEC", NULL, "policies", "", true},     {"SPEC", NULL, "policy_options", "", true},
    {"POLICY", NULL, "policies", "", true},   {"WORKLOAD", NULL, "workloads", "", false},
    {"OLD", NULL, "gpus", "", true},          {"NEW", NULL, "gpus", "", true},
    {"NAME", "gpu", "gpus", "", false},       {"NAME", "policy", "policies", "", false},
    {"NAME", "workload", "workloads", "", false},
    {"SECTION.KEY=VALUE", NULL, "options", "=", false},
    {"COMMAND", NULL, "", "", false},         {"N", NULL, "", "", false},
    {"K/N", NULL, "", "", false},
};

struct word_part {     /* the word to complete */
    const char *whole; /* the word typed so far */
    size_t kept;       /* bytes of the word to keep: up to the last comma or plus */
    struct text *out;
};

static void offer(const struct word_part *part, const char *name, size_t n, const char *behind,
                  const char *sentence)
{
    const char *begun = part->whole + part->kept;
    size_t length = strlen(begun);
    if (n < length || memcmp(name, begun, length)) return;
    /* Options of a name, as in bfs:nodes= or mias[metric=, are offered only after the name is
     * typed. */
    if (strcspn(name, ":[") < n && !begun[strcspn(begun, ":[")]) return;
    text_put(part->out, part->whole, part->kept);
    text_add(part->out, "%.*s%s\t%s\n", (int)n, name, behind, sentence ? sentence : "");
}

static void offer_list(const struct word_part *part, const char *name, const char *behind)
{
    for (u32 i = 0; i < catalog_list_n; i++) {
        if (strcmp(catalog_lists[i].name, name)) continue;
        struct catalog c;
        catalog_lists[i].make(&c);
        for (const struct catalog_row *row = c.first; row; row = row->next) {
            if (!row->cells[0]) continue;
            const char *sentence = row->columns->n > 1 ? row->cells[row->columns->n - 1] : "";
            offer(part, row->cells[0], strcspn(row->cells[0], "]"), behind, sentence);
        }
        catalog_free(&c);
    }
}

static void offer_commands(const struct word_part *part)
{
    for (const struct command_row *row = command_rows; row->name; row++)
        offer(part, row->name, strlen(row->name), "", row->sentence);
}

static bool is(const char *word, size_t n, const char *other)
{
    return strlen(other) == n && !memcmp(word, other, n);
}

static void offer_placeholder(const struct word_part *part, const char *word, size_t n,
                              const char *before)
{
    bool known = false, or_file = false;
    for (u32 i = 0; i < COUNT_OF(placeholders); i++) {
        const struct placeholder *p = &placeholders[i];
        if (!is(word, n, p->word)) continue;
        known = true;
        or_file |= p->or_file;
        if (!p->before || !strcmp(p->before, before)) offer_list(part, p->list, p->behind);
    }
    if (is(word, n, "COMMAND")) offer_commands(part);
    if (!known || or_file) text_add(part->out, "FILE\n");
}

/* Offers the alternatives in the n bytes at `form`: an operand, or the argument of an option. */
static void offer_form(const char *form, size_t n, const char *before, const char *whole,
                       struct text *out)
{
    struct word_part part = {whole, 0, out};
    const char *separators = memmem(form, n, ",...", 4) ? ",+" : "+";
    u32 depth = 0;
    for (size_t i = 0; whole[i]; i++) {
        depth += whole[i] == '[';
        depth -= whole[i] == ']' && depth;
        if (!depth && strchr(separators, whole[i])) part.kept = i + 1;
    }
    for (size_t at = 0, length; at < n; at += length + 1) {
        for (length = 0; at + length < n && !strchr("|,[]", form[at + length]); length++) continue;
        if (!length || form[at] == '.' || form[at] == '-') continue;
        if (islower((unsigned char)form[at])) offer(&part, form + at, length, "", "");
        else offer_placeholder(&part, form + at, length, before);
        if (at + length < n && form[at + length] == ',') break; /* repetitions of the first item */
    }
}

/* Offers words for operand number `position` of the command. Options among the operands and the
 * separator [--] are not counted. */
static void offer_operand(const struct command_row *command, u32 position, const char *before,
                          const char *whole, struct text *out)
{
    const char *at = command->operands, *form = NULL;
    size_t n = 0;
    for (u32 i = 0; *at;) {
        size_t length = strcspn(at, " ");
        if (at[0] == '-') {
            at += length + (at[length] != 0);
            length = strcspn(at, " ");
        } else if (memcmp(at, "[-", 2) && i++ <= position) {
            bool repeats = length > 3 && !memcmp(at + length - 3, "...", 3);
            form = i > position || repeats ? at : NULL;
            n = repeats ? length - 3 : length;
        }
        at += length + (at[length] != 0);
    }
    if (form) offer_form(form, n, before, whole, out);
}

static void offer_options(char command, const char *whole, struct text *out)
{
    const struct word_part part = {whole, 0, out};
    const struct option *row;
    const char *before = ""; /* an option of cc may have several rows, one behind the other */
    for (u32 at = 0; (row = option_of(command, &at)); before = row->flag)
        if (strcmp(row->flag, before))
            offer(&part, row->flag, strlen(row->flag), "", row->sentence);
    offer(&part, "--help", strlen("--help"), "", "Print the options.");
}

static void offer_value(const struct option *row, const char *whole, struct text *out)
{
    const struct word_part part = {whole, 0, out};
    for (const struct option_word *w = row->words; w && w->word; w++)
        offer(&part, w->word, strlen(w->word), "", w->sentence);
    const char *before = row->flag + strspn(row->flag, "-");
    if (row->argument) offer_form(row->argument, strlen(row->argument), before, whole, out);
}

/* Returns the option in `word`, which may contain '=' and a value. */
static const struct option *find_option(char command, const char *word)
{
    const struct option *row;
    for (u32 at = 0; (row = option_of(command, &at));)
        if (is(word, strcspn(word, "="), row->flag)) return row;
    return NULL;
}

/* Offers the values for --flag=value, each preceded by the flag. */
static void offer_behind(const struct option *row, const char *word, struct text *out)
{
    size_t flag = strcspn(word, "=") + 1;
    struct text values = {0};
    offer_value(row, word + flag, &values);
    for (const char *line = text_get(&values); *line;) {
        size_t n = strcspn(line, "\n") + 1;
        if (!is(line, n, "FILE\n")) text_put(out, word, flag);
        text_put(out, line, n);
        line += n;
    }
    text_free(&values);
}

static void complete_argument(const struct command_row *command, const char *const *words, u32 n,
                              struct text *out)
{
    u32 operands = 0;
    bool only_operands = false;
    const char *before = "", *last = words[n - 1];
    const struct option *open = NULL; /* option without its value so far */
    for (u32 i = 0; i + 1 < n; i++) {
        if (open) {
            open = NULL;
        } else if (!only_operands && words[i][0] == '-' && words[i][1]) {
            only_operands = !strcmp(words[i], "--");
            const struct option *row = find_option(command->letter, words[i]);
            if (row && row->kind != KIND_FLAG && !strchr(words[i], '=')) open = row;
        } else {
            operands++;
            before = words[i];
        }
    }
    const struct option *own = find_option(command->letter, last);
    if (open) offer_value(open, last, out);
    else if (only_operands || last[0] != '-') offer_operand(command, operands, before, last, out);
    else if (own && own->kind != KIND_FLAG && strchr(last, '=')) offer_behind(own, last, out);
    else offer_options(command->letter, last, out);
}

void guide_complete(const char *const *words, u32 n, struct text *out)
{
    if (n == 1) {
        const struct word_part part = {words[0], 0, out};
        offer_commands(&part);
        offer(&part, "--help", strlen("--help"), "", "The commands.");
        offer(&part, "--version", strlen("--version"), "", "Print the version.");
    }
    for (const struct command_row *row = command_rows; n > 1 && row->name; row++)
        if (!strcmp(row->name, words[0])) complete_argument(row, words + 1, n - 1, out);
}
