/* Functions shared by all files of the parser: words and marks of the text, errors, recovery after
 * an error. */
#include "ptx/parse/parser.h"

#include <string.h>

struct func *parser_func(struct parser *p) { return &p->m->funcs[p->func_id]; }

bool parser_is_dot(const struct parser *p, const char *name)
{
    return p->lex.now.kind == TOKEN_DOT && !strcmp(p->lex.now.word->text, name);
}

bool parser_accept_dot(struct parser *p, const char *name)
{
    if (!parser_is_dot(p, name)) return false;
    lexer_next(&p->lex);
    return true;
}

bool parser_accept(struct parser *p, char punct)
{
    if (!lexer_is(&p->lex, punct)) return false;
    lexer_next(&p->lex);
    return true;
}

void parser_error(struct parser *p, const struct token *t, const char *expected)
{
    if (t->kind == TOKEN_BAD) return;
    const struct source *s = p->m->source;
    if (t->kind == TOKEN_END) {
        if (!p->lex.hopeless)
            fail_at(p->fail, s, p->lex.last_end, "expected %s, found the end of the text",
                    expected);
        return;
    }
    int size = t->size > 40 ? 40 : (int)t->size;
    fail_at(p->fail, s, t->offset, "expected %s, found '%.*s'", expected, size,
            s->text + t->offset);
}

bool parser_expect(struct parser *p, char punct, const char *where)
{
    if (parser_accept(p, punct)) return true;
    char expected[80] = {'\'', punct, '\'', ' '};
    strncpy(expected + 4, where, sizeof expected - 5);
    parser_error(p, &p->lex.now, expected);
    return false;
}

/* Expects the end of a statement. A semicolon that is missing at the end of a line is reported
 * there, and parsing continues with the next line. */
bool parser_semicolon(struct parser *p)
{
    if (parser_accept(p, ';')) return true;
    if (p->lex.now.kind == TOKEN_BAD) return false;
    if (!p->lex.now.first_on_line && !lexer_is(&p->lex, '}'))
        return parser_expect(p, ';', "at the end of the statement");
    if (p->lex.now.kind == TOKEN_END) return parser_expect(p, ';', "at the end of the statement");
    fail_at(p->fail, p->m->source, p->lex.last_end, "expected ';' at the end of the statement");
    p->open_end = true;
    return true;
}

void attempt_start(struct parser *p, struct attempt *a)
{
    *a = (struct attempt){.outer = p->fail, .lex_error_n = p->lex.error_n};
    a->fail.counted = p->fail->counted;
    a->fail.line_start = p->fail->line_start;
    a->fail.line = p->fail->line;
    p->fail = p->lex.fail = &a->fail;
}

void attempt_end(struct parser *p, struct attempt *a)
{
    p->fail = p->lex.fail = a->outer;
    p->open_end |= p->lex.error_n != a->lex_error_n;
    p->fail->counted = a->fail.counted;
    p->fail->line_start = a->fail.line_start;
    p->fail->line = a->fail.line;
}

/* Returns true if a statement seems to begin here. */
bool parser_at_start(const struct parser *p)
{
    const struct lexer *l = &p->lex;
    if (!l->now.first_on_line) return false;
    if (l->now.kind == TOKEN_DOT || lexer_is(l, '@')) return true;
    if (l->now.kind != TOKEN_WORD) return false;
    return l->ahead.kind == TOKEN_DOT || (l->ahead.kind == TOKEN_PUNCT && l->ahead.punct == ':');
}

/* A statement ends with a ';' outside the braces opened by the statement; a directive may also end
 * with its line. */
bool parser_skip(struct parser *p)
{
    struct lexer *l = &p->lex;
    u32 start = l->now.offset;
    /* goes_on: the last token was a comma. */
    bool directive = l->now.kind == TOKEN_DOT, goes_on = true;
    while (l->now.kind != TOKEN_END) {
        bool inside = l->braces > p->braces;
        if (!inside && parser_accept(p, ';')) return true;
        if (lexer_is(l, ';') || (!inside && lexer_is(l, '}'))) break;
        if (!inside && !goes_on && l->now.offset != start && parser_at_start(p)) {
            if (directive) return true;
            break;
        }
        goes_on = lexer_is(l, ',');
        lexer_next(l);
    }
    p->open_end = true;
    return false;
}

bool parser_skip_braces(struct parser *p)
{
    u32 open = 0;
    do {
        if (lexer_is(&p->lex, '{')) open++;
        if (lexer_is(&p->lex, '}')) open--;
        lexer_next(&p->lex);
    } while (open && p->lex.now.kind != TOKEN_END);
    p->open_end |= open;
    return !open;
}

bool parser_int(struct parser *p, u64 *value, const char *what)
{
    if (p->lex.now.kind != TOKEN_INT) {
        parser_error(p, &p->lex.now, what);
        return false;
    }
    *value = p->lex.now.bits;
    lexer_next(&p->lex);
    return true;
}
