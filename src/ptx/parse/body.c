/* Parses the body of a function: scopes, declarations, labels; `parse_instruction` handles the
 * rest. Nesting is a counter, without recursion. Source: PTX ISA manual, sections 4.2 (statements),
 * 5.2 (scopes). */
#include "ptx/parse/parser.h"

#include <string.h>

static bool parse_label_ref(struct parser *p)
{
    struct token t = p->lex.now;
    if (t.kind != TOKEN_WORD) {
        parser_error(p, &t, "a label");
        return false;
    }
    struct arg a = {.kind = ARG_LABEL, .offset = t.offset, .second = NO_INDEX};
    parse_args_push(p, &a, 1);
    parse_note_label(p, parser_func(p)->arg_n - 1, t.word);
    lexer_next(&p->lex);
    return true;
}

static bool parse_branch_targets(struct parser *p, const struct token *name)
{
    u32 first = parser_func(p)->arg_n, n = 0;
    do {
        if (!parse_label_ref(p)) return false;
        n++;
    } while (parser_accept(p, ','));
    struct binding *b = scope_bind(p, name->word, BIND_TABLE, first, name->offset);
    if (b) b->n = n;
    return parser_semicolon(p);
}

static u32 prototype_add(struct parser *p, const struct signature *s)
{
    *arena_push(p->arena, p->m->prototypes, p->m->prototype_n, p->prototype_room) = *s;
    return p->m->prototype_n - 1;
}

static bool parse_call_prototype(struct parser *p, const struct token *name)
{
    struct signature s;
    struct token sink;
    u32 func_id = p->func_id;
    p->func_id = NO_INDEX; /* its parameters belong to no frame */
    bool ok = parse_signature(p, &s, &sink, false);
    p->func_id = func_id;
    if (!ok) return false;
    if (parser_accept_dot(p, "noreturn")) s.noreturn = true;
    while (p->lex.now.kind == TOKEN_DOT || p->lex.now.kind == TOKEN_INT) lexer_next(&p->lex);
    scope_bind(p, name->word, BIND_PROTOTYPE, prototype_add(p, &s), name->offset);
    return parser_semicolon(p);
}

/* Parses a list of possible callees of one call; all have the signature of the first. */
static bool parse_call_targets(struct parser *p, const struct token *name)
{
    struct signature s = {0};
    u32 n = 0;
    do {
        struct token t = p->lex.now;
        const struct binding *b = t.kind == TOKEN_WORD ? scope_find(p, t.word) : NULL;
        if (!b || b->kind != BIND_FUNCTION) {
            if (t.kind == TOKEN_WORD) scope_unknown(p, &t, "function");
            else parser_error(p, &t, "a function's name");
            return false;
        }
        struct func *f = &p->m->funcs[b->index];
        if (!n++) s = f->signature;
        f->address_taken = true;
        lexer_next(&p->lex);
    } while (parser_accept(p, ','));
    scope_bind(p, name->word, BIND_PROTOTYPE, prototype_add(p, &s), name->offset);
    return parser_semicolon(p);
}

static bool parse_label(struct parser *p)
{
    struct token name = p->lex.now;
    lexer_next(&p->lex);
    lexer_next(&p->lex);
    if (parser_accept_dot(p, "branchtargets")) return parse_branch_targets(p, &name);
    if (parser_accept_dot(p, "callprototype")) return parse_call_prototype(p, &name);
    if (parser_accept_dot(p, "calltargets")) return parse_call_targets(p, &name);
    scope_bind(p, name.word, BIND_LABEL, parser_func(p)->stmt_n, name.offset);
    return true;
}

static bool parse_directive(struct parser *p)
{
    static const char *const names[] = {"reg",    "param",         "local",         "shared",
                                        "global", "const",         "loc",           "file",
                                        "pragma", "branchtargets", "callprototype", "section"};
    struct token t = p->lex.now;
    u8 space;
    bool ok;
    if (parse_origin(p, &ok)) return ok;
    if (parser_accept_dot(p, "reg")) return parse_registers(p);
    if (parse_space(p, &space)) {
        lexer_next(&p->lex);
        return parse_variable(p, space, false) && parser_semicolon(p);
    }
    if (parser_accept_dot(p, "pragma")) {
        while (p->lex.now.kind == TOKEN_STRING || lexer_is(&p->lex, ',')) lexer_next(&p->lex);
        return parser_semicolon(p);
    }
    fail_at(p->fail, p->m->source, t.offset, "directive '.%s' is not known inside a function",
            t.word->text);
    if (p->fail->error_n > FAIL_MAX) return false;
    struct nearest near;
    nearest_init(&near, t.word->text);
    for (u32 i = 0; i < COUNT_OF(names); i++) nearest_offer(&near, names[i]);
    fail_nearest(p->fail, &near);
    return false;
}

static bool parse_item(struct parser *p)
{
    const struct token *t = &p->lex.now, *next = &p->lex.ahead;
    p->braces = p->lex.braces;
    if (parser_accept(p, ';')) return true;
    if (t->kind == TOKEN_DOT) return parse_directive(p);
    if (t->kind == TOKEN_WORD && next->kind == TOKEN_PUNCT && next->punct == ':')
        return parse_label(p);
    if (t->kind == TOKEN_WORD || lexer_is(&p->lex, '@')) return parse_instruction(p);
    parser_error(p, t, "an instruction, a label or a declaration");
    if (t->kind == TOKEN_BAD) lexer_next(&p->lex);
    return false;
}

/* Detects a missing brace: the start of a new function inside the body. */
static bool body_is_cut(struct parser *p)
{
    static const char *const heads[] = {"entry", "func", "visible", "weak", "extern"};
    const struct token *t = &p->lex.now;
    bool cut = t->kind == TOKEN_END;
    for (u32 i = 0; i < COUNT_OF(heads); i++) cut |= t->first_on_line && parser_is_dot(p, heads[i]);
    if (cut && !p->lex.hopeless) {
        fail_at(p->fail, p->m->source, t->kind == TOKEN_END ? p->lex.last_end : t->offset,
                "expected '}': function '%s' is not closed", parser_func(p)->name);
    }
    p->open_end |= cut;
    return cut;
}

static void open_brace(struct parser *p)
{
    if (scope_open(p)) {
        lexer_next(&p->lex);
        return;
    }
    fail_at(p->fail, p->m->source, p->lex.now.offset, "braces are nested more than %d deep",
            SCOPE_MAX);
    parser_skip_braces(p);
}

void parse_body(struct parser *p)
{
    u32 base = p->depth;
    open_brace(p);
    while (p->depth > base) {
        if (body_is_cut(p)) {
            while (p->depth > base) scope_close(p);
        } else if (lexer_is(&p->lex, '{')) {
            open_brace(p);
        } else if (lexer_is(&p->lex, '}')) {
            scope_close(p);
            parser_func(p)->end_line = p->lex.now.line;
            lexer_next(&p->lex);
        } else if (!parse_item(p)) {
            parser_skip(p);
        }
    }
}
