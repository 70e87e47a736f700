/* Parses headers of kernels, device functions and call prototypes. A declaration and its definition
 * become one function. Source: PTX ISA manual, sections 7 (abstracting the ABI) and 11
 * (directives). */
#include "ptx/parse/parser.h"

#include <string.h>

static bool parse_formals(struct parser *p, u32 *n, bool kernel)
{
    *n = 0;
    if (parser_accept(p, ')')) return true;
    do {
        if (!parse_formal(p, kernel)) return false;
        (*n)++;
    } while (parser_accept(p, ','));
    return parser_expect(p, ')', "after the parameters");
}

bool parse_signature(struct parser *p, struct signature *s, struct token *name, bool kernel)
{
    *s = (struct signature){.symbol = p->m->symbol_n};
    if (!kernel && parser_accept(p, '(') && !parse_formals(p, &s->result_n, false)) return false;
    *name = p->lex.now;
    if (name->kind != TOKEN_WORD) {
        parser_error(p, name, "a function's name");
        return false;
    }
    lexer_next(&p->lex);
    return !parser_accept(p, '(') || parse_formals(p, &s->param_n, kernel);
}

static bool parse_three(struct parser *p, u32 to[3])
{
    u64 product = 1;
    struct token t = p->lex.now;
    for (u32 i = 0; i < 3; i++) to[i] = 1;
    for (u32 i = 0; i < 3; i++) {
        u64 value;
        if (i && !parser_accept(p, ',')) break;
        if (!parser_int(p, &value, "a number of threads")) return false;
        product = value > 1024 ? 1 << 20 : product * value;
        to[i] = (u32)min_u64(value, 1 << 20);
    }
    if (product && product <= 1024) return true;
    fail_at(p->fail, p->m->source, t.offset, "a block has 1 to 1024 threads");
    return false;
}

static bool parse_number(struct parser *p, u32 *to, const char *what)
{
    u64 value;
    if (!parser_int(p, &value, what)) return false;
    *to = (u32)min_u64(value, UINT32_MAX);
    return true;
}

/* A launch checks the shape against the machine. */
static bool parse_cluster(struct parser *p, struct func *f)
{
    struct token t = p->lex.now;
    for (u32 k = 0; k < 3; k++) {
        u64 value = 1;
        if ((k == 0 || parser_accept(p, ',')) && !parser_int(p, &value, "a number of blocks"))
            return false;
        f->required_cluster[k] = (u32)min_u64(value, UINT16_MAX);
    }
    const u32 *c = f->required_cluster;
    if (c[0] && c[1] && c[2]) return true;
    fail_at(p->fail, p->m->source, t.offset, "a cluster has at least one block");
    return false;
}

/* Parses a directive between a header and its body. Returns false with an error; *found: a
 * directive was present. */
static bool parse_tuning(struct parser *p, struct func *f, bool *found)
{
    static const char *const ignored[] = {
        "maxnctapersm", "abi_preserve", "abi_preserve_control", "alignment"};
    *found = true;
    if (parser_accept_dot(p, "maxntid")) return parse_three(p, f->max_threads);
    if (parser_accept_dot(p, "reqntid")) return parse_three(p, f->required_threads);
    if (parser_accept_dot(p, "minnctapersm"))
        return parse_number(p, &f->min_blocks, "a number of blocks");
    if (parser_accept_dot(p, "maxnreg"))
        return parse_number(p, &f->max_registers, "a number of registers");
    if (parser_accept_dot(p, "reqnctapercluster")) return parse_cluster(p, f);
    if (parser_accept_dot(p, "maxclusterrank"))
        return parse_number(p, &f->max_cluster, "a number of blocks");
    if (parser_accept_dot(p, "explicitcluster")) return f->needs_cluster = true;
    if (parser_accept_dot(p, "blocksareclusters")) return f->blocks_are_clusters = true;
    if (parser_accept_dot(p, "noreturn")) {
        f->signature.noreturn = true;
        return true;
    }
    if (parser_accept_dot(p, "pragma")) {
        while (p->lex.now.kind == TOKEN_STRING || lexer_is(&p->lex, ',')) lexer_next(&p->lex);
        return parser_accept(p, ';') || true;
    }
    if (parser_accept_dot(p, "attribute")) {
        while (p->lex.now.kind != TOKEN_END && !lexer_is(&p->lex, '{') && !parser_accept(p, ')'))
            lexer_next(&p->lex);
        parser_accept(p, ')');
        return true;
    }
    for (u32 i = 0; i < COUNT_OF(ignored); i++) {
        if (!parser_accept_dot(p, ignored[i])) continue;
        while (p->lex.now.kind == TOKEN_INT || lexer_is(&p->lex, ',')) lexer_next(&p->lex);
        return true;
    }
    *found = false;
    return true;
}

static void own_symbols(struct module *m, const struct signature *g, u32 func)
{
    for (u32 i = 0; i < g->result_n + g->param_n; i++) m->symbols[g->symbol + i].function = func;
}

/* Binds the name of a new function, or merges the function with an earlier declaration. Returns the
 * id of the function, or NO_INDEX. */
static u32 declare(struct parser *p, struct word *name, u32 id)
{
    struct module *m = p->m;
    const struct binding *b = scope_find(p, name);
    if (!b) return scope_bind(p, name, BIND_FUNCTION, id, m->funcs[id].offset) ? id : NO_INDEX;
    struct func *made = &m->funcs[id], *old = b->kind == BIND_FUNCTION ? &m->funcs[b->index] : NULL;
    u32 line, column;
    if (!old || (old->has_body && made->has_body)) {
        scope_bind(p, name, BIND_FUNCTION, id, made->offset); /* reports the duplicate definition */
        return NO_INDEX;
    }
    if (!made->is_unknown && !old->is_unknown && !func_same_shape(m, old, made)) {
        fail_at(p->fail, m->source, made->offset,
                "'%s' has other parameters than in its declaration", made->name);
        source_position(m->source, old->offset, &line, &column);
        fail_note(p->fail, "declared in line %u", line);
        return NO_INDEX;
    }
    if (old->is_unknown && made->has_body) { /* the rejection is final */
        made->refusal = old->refusal;
        made->refusal_n = old->refusal_n;
    }
    u8 linkage = made->linkage != LINKAGE_LOCAL && made->has_body ? made->linkage : old->linkage;
    bool taken = old->address_taken, noreturn = old->signature.noreturn || made->signature.noreturn;
    if (made->has_body) {
        own_symbols(m, &old->signature, NO_INDEX);
        *old = *made;
        own_symbols(m, &old->signature, b->index);
    } else {
        own_symbols(m, &made->signature, NO_INDEX);
    }
    old->address_taken = taken;
    old->linkage = linkage;
    old->signature.noreturn = noreturn;
    m->func_n--;
    return b->index;
}

static void parse_inside(struct parser *p, u32 id)
{
    p->func_id = id;
    p->stmt_room = p->arg_room = p->family_room = p->loc_room = 0;
    p->label_ref_n = p->numbered_n = 0;
    struct signature s = parser_func(p)->signature;
    /* Keeps the list of arguments non-empty. */
    parse_args_push(p, &(struct arg){.kind = ARG_NONE}, 1);
    bool ok = scope_open(p);
    for (u32 i = 0; ok && i < s.result_n + s.param_n; i++) parse_bind_formal(p, s.symbol + i);
    parse_body(p);
    scope_close(p);
    p->func_id = NO_INDEX;
}

/* Parses a body. Errors reject only the function, unless the end of a statement cannot be
 * determined. */
static void parse_definition(struct parser *p, u32 id)
{
    struct attempt a;
    attempt_start(p, &a);
    parse_inside(p, id);
    attempt_end(p, &a);
    if (p->open_end) fail_append(p->fail, &a.fail);
    else if (a.fail.error_n) func_refuse(p->m, &p->m->funcs[id], &a.fail);
    fail_free(&a.fail);
    p->unknown = false;
}

static bool parse_tunings(struct parser *p, struct func *f)
{
    for (bool found = true; found;)
        if (!parse_tuning(p, f, &found)) return false;
    return true;
}

/* Parses a header. Returns false with an error; p->unknown is set if only a directive or a type is
 * unknown. */
static bool parse_head(struct parser *p, struct func *f, struct token *name)
{
    if (p->unknown || !parse_tunings(p, f)) return false;
    bool noreturn = f->signature.noreturn;
    p->func_id = p->m->func_n;
    bool ok = parse_signature(p, &f->signature, name, f->is_kernel);
    p->func_id = NO_INDEX;
    f->signature.noreturn |= noreturn;
    if (!ok || !parse_tunings(p, f)) return false;
    const struct token *t = &p->lex.now;
    if (lexer_is(&p->lex, '{') || lexer_is(&p->lex, ';')) return true;
    p->unknown = t->kind == TOKEN_DOT;
    if (p->unknown)
        fail_at(p->fail, p->m->source, t->offset, "directive '.%s' of '%s' is not known",
                t->word->text, name->word->text);
    else parser_error(p, t, "'{' and the body, or ';'");
    return false;
}

/* Skips the rest of an unknown header, up to the body or the semicolon. Returns false if the header
 * has no name. */
static bool skip_head(struct parser *p, struct func *f, struct token *name)
{
    const struct token *now = &p->lex.now, *next = &p->lex.ahead;
    for (; now->kind != TOKEN_END && !lexer_is(&p->lex, '{') && !lexer_is(&p->lex, ';');
         lexer_next(&p->lex)) {
        bool last = next->kind == TOKEN_PUNCT && strchr("({;", next->punct);
        if (name->kind != TOKEN_WORD && now->kind == TOKEN_WORD && last) *name = *now;
    }
    f->signature = (struct signature){.symbol = p->m->symbol_n};
    f->is_unknown = true;
    return name->kind == TOKEN_WORD && now->kind != TOKEN_END;
}

bool parse_function(struct parser *p, bool is_kernel, bool is_extern)
{
    u32 id = p->m->func_n, symbol = p->m->symbol_n;
    struct func f = {.is_kernel = is_kernel, .is_extern = is_extern, .alias = NO_INDEX,
                     .linkage = p->linkage, .source = p->m->source};
    struct token name = {.kind = TOKEN_END};
    if (!parse_head(p, &f, &name)) {
        while (symbol < p->m->symbol_n) p->m->symbols[symbol++].function = NO_INDEX;
        if (!p->unknown || !skip_head(p, &f, &name)) return false;
    }
    f.name = name.word->text;
    f.offset = name.offset;
    f.line = name.line;
    f.has_body = lexer_is(&p->lex, '{');
    *arena_push(p->arena, p->m->funcs, p->m->func_n, p->func_room) = f;
    id = declare(p, name.word, id);
    if (f.is_unknown && id != NO_INDEX) {
        func_refuse(p->m, &p->m->funcs[id], p->fail);
        fail_free(p->fail);
        p->unknown = false;
    }
    if (!f.has_body) return parser_accept(p, ';');
    if (id == NO_INDEX || f.is_unknown) parser_skip_braces(p);
    else parse_definition(p, id);
    return true;
}
