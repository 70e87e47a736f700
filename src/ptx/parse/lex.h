/* Splits PTX text into tokens, on demand, with one token of look-ahead, for `parse*`. A token keeps
 * its position in the text (for messages) and its value. Identifiers become words: equal
 * identifiers share one word, and names are never compared as strings afterwards. Rejects bytes
 * that cannot be PTX. Source: PTX ISA manual, section 4 (syntax). */
#ifndef CORUN_LEX_H
#define CORUN_LEX_H

#include "base/arena.h"
#include "base/fail.h"

struct word {
    struct word *next; /* in the hash chain */
    const char *text;  /* NUL-terminated */
    u32 size, hash;
    u32 binding; /* current meaning of the name: index into parser.bindings, 0: none */
};

struct words { /* all identifiers of a text */
    struct word **chains;
    u32 chain_n, word_n; /* chain_n: power of two */
    struct arena *arena;
};

void words_init(struct words *w, struct arena *arena);
/* NULL: not found */
const struct word *words_find(const struct words *w, const char *text, size_t size);
struct word *words_get(struct words *w, const char *text, size_t size); /* adds the word if new */

enum token_kind {
    TOKEN_END,
    TOKEN_WORD, /* name, %name, $name */
    TOKEN_DOT,  /* .name[::name]: directive, modifier or part; the text excludes the dot */
    TOKEN_INT,
    TOKEN_FLOAT, /* decimal, or 0f/0d with exact bits */
    TOKEN_STRING,
    TOKEN_PUNCT, /* the byte is in `punct`; "<<" is two tokens '<' */
    TOKEN_BAD    /* error already reported */
};

struct token {
    u8 kind;
    char punct;
    bool first_on_line;
    bool is_f32;       /* FLOAT written 0fXXXXXXXX: `bits` is a binary32 */
    u32 offset, size;  /* in the text */
    u32 line;          /* from 1 */
    u64 bits;          /* INT: value; FLOAT: binary64 bits, or binary32 if is_f32 */
    struct word *word; /* WORD, DOT */
};

struct lexer {
    const struct source *source;
    struct fail *fail;
    struct words words;
    size_t size; /* of the text without trailing NULs */
    size_t at;
    u32 line;
    bool fresh_line; /* no token yet on the current line */
    bool hopeless;   /* not text: all further tokens are TOKEN_END */
    u32 bad_n;   /* bytes that cannot be PTX */
    u32 error_n; /* errors reported by the lexer */
    u32 braces;  /* braces open before `now` */
    struct token now, ahead;
    u32 last_end; /* offset of the end of the token before `now` */
};

/* Returns false if the source is not PTX text; the error has been reported. */
bool lexer_init(struct lexer *l, const struct source *source, struct arena *arena,
                struct fail *fail);
void lexer_next(struct lexer *l);      /* now = ahead, ahead = the next token */
void lexer_skip_line(struct lexer *l); /* now = first token of a later line */

static inline bool lexer_is(const struct lexer *l, char punct)
{
    return l->now.kind == TOKEN_PUNCT && l->now.punct == punct;
}

#endif
