#include "cli/cc/options_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "run/io/file.h"

enum { DEPTH_MAX = 16 }; /* option files inside option files */

static bool expand(struct given_words *out, char *const *arguments, u32 n, u32 depth,
                   struct fail *fail);

static void word_add(struct given_words *words, const char *text)
{
    words->at = realloc(words->at, (words->n + 2) * sizeof *words->at);
    check(words->at);
    words->at[words->n] = strdup(text);
    check(words->at[words->n]);
    words->at[++words->n] = NULL;
}

void given_words_free(struct given_words *words)
{
    for (u32 i = 0; i < words->n; i++) free(words->at[i]);
    free(words->at);
    *words = (struct given_words){0};
}

/* Returns the text behind the next word of `at`; appends the word without quotes. NULL: a quote has
 * no end. */
static const char *word_end(const char *at, struct text *word)
{
    char quote = 0;
    for (; *at && (quote || !isspace((unsigned char)*at)); at++) {
        if (*at == '\\' && at[1] && quote != '\'') {
            text_put(word, ++at, 1);
        } else if (quote ? *at == quote : *at == '"' || *at == '\'') {
            quote = quote ? 0 : *at;
        } else {
            text_put(word, at, 1);
        }
    }
    return quote ? NULL : at;
}

/* Returns false after an error. */
static bool words_split(struct given_words *words, const char *path, const char *text, size_t size,
                        struct fail *fail)
{
    const struct source file = {path, text, size};
    if (strlen(text) < size) {
        fail_at(fail, &file, strlen(text), "a byte 0 in an option file");
        return false;
    }
    for (const char *at = text, *end; *(at += strspn(at, " \t\r\n\f\v")); at = end) {
        struct text word = {0};
        end = word_end(at, &word);
        if (end) word_add(words, text_get(&word));
        else fail_at(fail, &file, (size_t)(at - text), "a quote without an end");
        text_free(&word);
        if (!end) return false;
    }
    return true;
}

static bool file_expand(struct given_words *out, const char *path, u32 depth, struct fail *fail)
{
    struct source s = {COMMAND_LINE, path, strlen(path)};
    struct text why = {0};
    struct given_words words = {0};
    char *bytes;
    size_t size;
    bool ok = false;
    if (depth == DEPTH_MAX) {
        fail_at(fail, &s, 0, "option file %s: more than %d files inside each other", path,
                DEPTH_MAX);
    } else if (!file_read(path, &bytes, &size, &why)) {
        fail_at(fail, &s, 0, "cannot read the option file %s: %s", path, text_get(&why));
    } else {
        ok = words_split(&words, path, bytes, size, fail);
        free(bytes);
        ok = ok && expand(out, words.at, words.n, depth + 1, fail);
    }
    given_words_free(&words);
    text_free(&why);
    return ok;
}

static bool files_expand(struct given_words *out, const char *list, u32 depth, struct fail *fail)
{
    bool ok = true;
    for (const char *at = list; *at && ok; at += *at == ',') {
        size_t n = strcspn(at, ",");
        struct text path = {0};
        text_add(&path, "%.*s", (int)n, at);
        ok = file_expand(out, text_get(&path), depth, fail);
        text_free(&path);
        at += n;
    }
    return ok;
}

/* Returns the value if the argument names option files; "" if the value is the next argument. */
static const char *files_of(const char *argument)
{
    static const char *const spellings[] = {"-optf", "--optf", "-options-file", "--options-file"};
    for (u32 i = 0; i < COUNT_OF(spellings); i++) {
        size_t n = strlen(spellings[i]);
        if (strncmp(argument, spellings[i], n)) continue;
        if (!argument[n]) return "";
        if (argument[n] == '=') return argument + n + 1;
    }
    return NULL;
}

static bool expand(struct given_words *out, char *const *arguments, u32 n, u32 depth,
                   struct fail *fail)
{
    for (u32 i = 0; i < n; i++) {
        const char *files = files_of(arguments[i]);
        if (!files) {
            word_add(out, arguments[i]);
            continue;
        }
        if (!files[0] && !strchr(arguments[i], '=') && i + 1 < n) files = arguments[++i];
        if (!files[0]) {
            fail_plain(fail, "%s needs the name of a file", arguments[i]);
            return false;
        }
        if (!files_expand(out, files, depth, fail)) return false;
    }
    return true;
}

bool given_words_expand(struct given_words *out, char *const *arguments, u32 n, struct fail *fail)
{
    return expand(out, arguments, n, 0, fail);
}
