/* Bytes of PTX text -> tokens, one at a time with one token of look-ahead. `parse*` pulls them.
 * A token keeps its place in the text (for messages) and its value; identifiers become words: two
 * equal identifiers are the same word, so that no name is compared as a string afterwards.
 * Refuses bytes that cannot be PTX. Source: PTX ISA manual, section 4 (syntax). */
#ifndef CORUN_LEX_H
#define CORUN_LEX_H

#include "base/arena.h"
#include "base/fail.h"

struct word {
    struct word *next; /* in its hash chain */
    const char *text;  /* NUL-terminated */
    u32 size, hash;
    u32 binding; /* what the name means here and now: index into parser.bindings, 0: nothing */
};

struct words { /* all identifiers of one text */
    struct word **chains;
    u32 chain_n, word_n; /* chain_n: power of two */
    struct arena *arena;
};

void words_init(struct words *w, struct arena *arena);
const struct word *words_find(const struct words *w, const char *text, size_t size); /* or NULL */
struct word *words_get(struct words *w, const char *text, size_t size); /* made if it is new */

enum token_kind {
    TOKEN_END,
    TOKEN_WORD, /* name, %name, $name */
    TOKEN_DOT,  /* .name[::name]: directive, modifier or part; text is without the dot */
    TOKEN_INT,
    TOKEN_FLOAT, /* FLOAT: decimal, or 0f/0d with exact bits */
    TOKEN_STRING,
    TOKEN_PUNCT, /* PUNCT: the byte is in `punct`; "<<" is '<' twice in PUNCT2 */
    TOKEN_BAD    /* already reported */
};

struct token {
    u8 kind;
    char punct;
    bool first_on_line;
    bool is_f32;       /* FLOAT written 0fXXXXXXXX: bits is a binary32 */
    u32 offset, size;  /* in the text */
    u32 line;          /* from 1 */
    u64 bits;          /* INT: value; FLOAT: binary64 bits, or binary32 when is_f32 */
    struct word *word; /* WORD, DOT */
};

struct lexer {
    const struct source *source;
    struct fail *fail;
    struct words words;
    size_t size; /* of the text, trailing NULs cut */
    size_t at;
    u32 line;
    bool fresh_line; /* no token yet on this line */
    bool hopeless;   /* not text: everything reads as the end */
    u32 bad_n;   /* bytes that cannot be PTX */
    u32 error_n; /* reported by the lexer */
    u32 braces;  /* open before `now` */
    struct token now, ahead;
    u32 last_end; /* offset behind the token before `now` */
};

/* false: not PTX text at all (reported) */
bool lexer_init(struct lexer *l, const struct source *source, struct arena *arena,
                struct fail *fail);
void lexer_next(struct lexer *l);      /* now = ahead, ahead = the one behind it */
void lexer_skip_line(struct lexer *l); /* now = first token of a later line */

static inline bool lexer_is(const struct lexer *l, char punct)
{
    return l->now.kind == TOKEN_PUNCT && l->now.punct == punct;
}

#endif
