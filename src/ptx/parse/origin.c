/* Parses .file and .loc, the origin of the PTX, for `parse` (the module) and `parse_body`. Both
 * follow their grammar exactly, because no semicolon ends them and an instruction may follow on the
 * same line; the contents are discarded. Source: PTX ISA manual, section 11.5 (debugging). */
#include "ptx/parse/parser.h"

#include <stdio.h>
#include <string.h>

/* index "name"[, timestamp, size] */
static bool parse_file(struct parser *p)
{
    u64 value;
    if (!parser_int(p, &value, "a file's index")) return false;
    if (p->lex.now.kind != TOKEN_STRING) {
        parser_error(p, &p->lex.now, "a file's name as a string");
        return false;
    }
    lexer_next(&p->lex);
    if (!parser_accept(p, ',')) return true;
    if (!parser_int(p, &value, "a file's timestamp")) return false;
    return !parser_accept(p, ',') || parser_int(p, &value, "a file's size");
}

static bool parse_position(struct parser *p)
{
    u64 value;
    return parser_int(p, &value, "a file's index") && parser_int(p, &value, "a line's number") &&
           parser_int(p, &value, "a column's number");
}

static bool parse_key(struct parser *p, const char *name)
{
    const struct token *t = &p->lex.now;
    if (t->kind == TOKEN_WORD && !strcmp(t->word->text, name)) {
        lexer_next(&p->lex);
        return true;
    }
    char quoted[24];
    snprintf(quoted, sizeof quoted, "'%s'", name);
    parser_error(p, t, quoted);
    return false;
}

/* file line column[, function_name label[+offset], inlined_at file line column]; the label may be
 * in a later section */
static bool parse_loc(struct parser *p)
{
    u64 value;
    if (!parse_position(p)) return false;
    if (!parser_accept(p, ',')) return true;
    if (!parse_key(p, "function_name")) return false;
    if (p->lex.now.kind != TOKEN_WORD) {
        parser_error(p, &p->lex.now, "the label of a function's name");
        return false;
    }
    lexer_next(&p->lex);
    if (parser_accept(p, '+') && !parser_int(p, &value, "an offset")) return false;
    return parser_expect(p, ',', "and 'inlined_at'") && parse_key(p, "inlined_at") &&
           parse_position(p);
}

bool parse_origin(struct parser *p, bool *ok)
{
    if (parser_accept_dot(p, "file")) *ok = parse_file(p);
    else if (parser_accept_dot(p, "loc")) *ok = parse_loc(p);
    else return false;
    return true;
}
