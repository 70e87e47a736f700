/* Commands of the command line as texts: parsed into options and run within the test, without a
 * process. */
#ifndef CORUN_TEST_WORDS_H
#define CORUN_TEST_WORDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/common/command.h"

enum { WORDS_MAX = 64 };
struct words { /* the words of a line, separated by spaces */
    char *at[WORDS_MAX];
    u32 n;
    char *line;
};

static inline struct words words_of(const char *line)
{
    struct words w = {.line = strdup(line)};
    assert_non_null(w.line);
    for (char *word = strtok(w.line, " "); word; word = strtok(NULL, " ")) {
        assert_true(w.n < WORDS_MAX);
        w.at[w.n++] = word;
    }
    return w;
}

/* The result of a command. The words live as long as the options. */
struct ran {
    struct console c;
    struct options *o;
    struct words words;
    int status;
};

/* Parses and runs a line: COMMAND ARGUMENT... */
static inline struct ran run_line(const char *line)
{
    struct ran r = {.words = words_of(line), .c = {.out_fd = 1}};
    r.o = calloc(1, sizeof *r.o);
    assert_non_null(r.o);
    const struct command *command = command_find(r.words.at[0], &r.c.fail);
    r.status = EXIT_INPUT;
    if (command && options_parse(r.o, command->letter, r.words.at + 1, r.words.n - 1, &r.c.fail))
        r.status = command->run(r.o, &r.c);
    return r;
}

static inline void ran_free(struct ran *r)
{
    text_free(&r->c.out);
    fail_free(&r->c.fail);
    free(r->words.line);
    free(r->o);
}

static inline void assert_contains(const struct text *text, const char *part)
{
    if (!strstr(text_get(text), part)) fail_msg("'%s' is not in: %s", part, text_get(text));
}

#endif
