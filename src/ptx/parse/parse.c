/* Parses PTX text into struct module: the directives at module level. */
#include "ptx/parse/parser.h"
#include "mem/address.h"

#include <string.h>

/* ---- module directives ---- */

/* Returns true at the first use of a directive that may occur only once per module. */
static bool is_first(struct parser *p, bool *seen, const char *name)
{
    if (*seen) fail_at(p->fail, p->m->source, p->directive, "a second '.%s' in the module", name);
    bool first = !*seen;
    *seen = true;
    return first;
}

static bool parse_version(struct parser *p)
{
    const struct token *t = &p->lex.now;
    if (!is_first(p, &p->version_seen, "version")) return false;
    if (t->kind != TOKEN_FLOAT && t->kind != TOKEN_INT) {
        parser_error(p, t, "a version such as 8.0");
        return false;
    }
    u32 major = 0;
    for (u32 i = 0; i < t->size && i < 4; i++) {
        char c = p->m->source->text[t->offset + i];
        if (c < '0' || c > '9') break;
        major = major * 10 + (u32)(c - '0');
    }
    if (major < 3 || major > 9) {
        fail_at(p->fail, p->m->source, t->offset, "PTX version %.*s is not known; 3.0 to 9.x are",
                (int)min_u32(t->size, 20), p->m->source->text + t->offset);
        fail_note(p->fail, major < 3 ? "compile the program again, with CUDA 9 or later and for 64 "
                                       "bits: nvcc -m64 -arch=sm_60 -ptx FILE.cu"
                                     : "compile the program again with an older CUDA");
    }
    lexer_next(&p->lex);
    return true;
}

static bool parse_target(struct parser *p)
{
    if (!is_first(p, &p->target_seen, "target")) return false;
    do {
        if (p->lex.now.kind != TOKEN_WORD) {
            parser_error(p, &p->lex.now, "a target such as sm_75");
            return false;
        }
        lexer_next(&p->lex);
    } while (parser_accept(p, ','));
    return true;
}

static void recompile_for_64(struct parser *p, u32 offset)
{
    fail_at(p->fail, p->m->source, offset, "only PTX with .address_size 64 is supported");
    fail_note(p->fail, "compile the program again for 64 bits: nvcc -m64 -ptx FILE.cu");
}

static bool parse_address_size(struct parser *p)
{
    struct token t = p->lex.now;
    u64 bits;
    if (!is_first(p, &p->address_size_seen, "address_size")) return false;
    if (!parser_int(p, &bits, "64")) return false;
    if (bits != 64)
        recompile_for_64(p, t.offset);
    return true;
}

static bool parse_section(struct parser *p)
{
    while (!lexer_is(&p->lex, '{')) {
        if (p->lex.now.kind != TOKEN_DOT && p->lex.now.kind != TOKEN_WORD &&
            p->lex.now.kind != TOKEN_STRING) {
            parser_error(p, &p->lex.now, "a section's name and '{'");
            return false;
        }
        lexer_next(&p->lex);
    }
    parser_skip_braces(p);
    return true;
}

static bool parse_alias(struct parser *p)
{
    struct token name = p->lex.now;
    if (name.kind != TOKEN_WORD) {
        parser_error(p, &name, "a function's name");
        return false;
    }
    lexer_next(&p->lex);
    if (!parser_expect(p, ',', "and the aliased function")) return false;
    struct token other = p->lex.now;
    const struct binding *to = other.kind == TOKEN_WORD ? scope_find(p, other.word) : NULL;
    const struct binding *from = scope_find(p, name.word);
    if (!from || from->kind != BIND_FUNCTION || !to || to->kind != BIND_FUNCTION) {
        const struct token *culprit = from && from->kind == BIND_FUNCTION ? &other : &name;
        if (culprit->kind == TOKEN_WORD) scope_unknown(p, culprit, "function");
        else parser_error(p, culprit, "a function's name");
        return false;
    }
    p->m->funcs[from->index].alias = to->index;
    lexer_next(&p->lex);
    return parser_semicolon(p);
}

static bool parse_pragma(struct parser *p)
{
    do {
        if (p->lex.now.kind != TOKEN_STRING) {
            parser_error(p, &p->lex.now, "a string");
            return false;
        }
        lexer_next(&p->lex);
    } while (parser_accept(p, ','));
    return parser_semicolon(p);
}

static void unknown_directive(struct parser *p)
{
    static const char *const names[] = {"version", "target", "address_size", "entry",   "func",
                                        "visible", "extern", "weak",         "common",  "global",
                                        "const",   "shared", "pragma",       "section", "file",
                                        "loc",     "alias",  "tex"};
    struct token t = p->lex.now;
    if (t.kind != TOKEN_DOT) {
        parser_error(p, &t, "a directive (.entry, .func, .global, ...)");
        return;
    }
    fail_at(p->fail, p->m->source, t.offset, "directive '.%s' is not known", t.word->text);
    p->unknown = true;
    if (p->fail->error_n > FAIL_MAX) return;
    struct nearest near;
    nearest_init(&near, t.word->text);
    for (u32 i = 0; i < COUNT_OF(names); i++) nearest_offer(&near, names[i]);
    fail_nearest(p->fail, &near);
}

static bool parse_linkage(struct parser *p, bool *is_extern)
{
    if (!parser_is_dot(p, "visible") && !parser_is_dot(p, "extern") && !parser_is_dot(p, "weak") &&
        !parser_is_dot(p, "common"))
        return false;
    *is_extern |= parser_is_dot(p, "extern");
    p->linkage = parser_is_dot(p, "visible") ? LINKAGE_VISIBLE
                 : parser_is_dot(p, "weak")  ? LINKAGE_WEAK
                 : *is_extern                ? LINKAGE_EXTERN
                                             : LINKAGE_COMMON;
    lexer_next(&p->lex);
    return true;
}

static bool is_head(const struct parser *p)
{
    return parser_is_dot(p, "entry") || parser_is_dot(p, "func");
}

/* Skips an unknown directive that may precede a function's header: to the header, or to the end of
 * the item. */
static void skip_to_head(struct parser *p)
{
    lexer_next(&p->lex);
    while (p->lex.now.kind != TOKEN_END && !is_head(p)) {
        if (lexer_is(&p->lex, ';') || lexer_is(&p->lex, '{')) return;
        if (p->lex.now.kind == TOKEN_DOT && p->lex.now.first_on_line) return;
        lexer_next(&p->lex);
    }
}

static bool parse_module_item(struct parser *p)
{
    bool is_extern = false, ok;
    u8 space;
    p->directive = p->lex.now.offset;
    p->linkage = LINKAGE_LOCAL;
    if (parser_accept(p, ';')) return true;
    if (parse_origin(p, &ok)) return ok;
    if (parser_accept_dot(p, "version")) return parse_version(p);
    if (parser_accept_dot(p, "target")) return parse_target(p);
    if (parser_accept_dot(p, "address_size")) return parse_address_size(p);
    if (parser_accept_dot(p, "section")) return parse_section(p);
    if (parser_accept_dot(p, "alias")) return parse_alias(p);
    if (parser_accept_dot(p, "pragma")) return parse_pragma(p);
    if (lexer_is(&p->lex, '@') && p->lex.ahead.kind == TOKEN_PUNCT && p->lex.ahead.punct == '@') {
        lexer_skip_line(&p->lex); /* @@DWARF of old compilers */
        return true;
    }
    while (parse_linkage(p, &is_extern)) {
    }
    if (!is_head(p) && !parse_space(p, &space)) {
        unknown_directive(p);
        if (p->unknown) skip_to_head(p);
    }
    if (parser_accept_dot(p, "entry")) return parse_function(p, true, is_extern);
    if (parser_accept_dot(p, "func")) return parse_function(p, false, is_extern);
    if (p->unknown || !parse_space(p, &space)) return false;
    lexer_next(&p->lex);
    return parse_variable(p, space, is_extern) && parser_semicolon(p);
}

/* Skips to the possible start of a new module item: a directive at the start of a line, outside
 * braces. */
static void skip_module_item(struct parser *p)
{
    bool first = !p->unknown; /* otherwise the unknown directive is already consumed */
    while (p->lex.now.kind != TOKEN_END) {
        if (lexer_is(&p->lex, '{')) parser_skip_braces(p);
        else if (!first && p->lex.now.first_on_line && p->lex.now.kind == TOKEN_DOT) return;
        else if (parser_accept(p, ';')) return;
        else lexer_next(&p->lex);
        first = false;
    }
}

/* Parses a module item. An unknown item is skipped and recorded in m->lost; any other error rejects
 * the module. */
static void parse_whole_item(struct parser *p)
{
    struct attempt a;
    p->open_end = p->unknown = false;
    attempt_start(p, &a);
    if (!parse_module_item(p)) skip_module_item(p);
    attempt_end(p, &a);
    fail_append(p->unknown && !p->open_end ? &p->m->lost : p->fail, &a.fail);
    fail_free(&a.fail);
}

static void parse_module(struct parser *p)
{
    if (!parser_is_dot(p, "version") && p->lex.now.kind != TOKEN_BAD) {
        parser_error(p, &p->lex.now, "'.version' as the first directive of PTX text");
        if (p->lex.now.kind != TOKEN_DOT) return;
    }
    while (p->lex.now.kind != TOKEN_END) parse_whole_item(p);
    if (p->version_seen && !p->target_seen && !p->fail->error_n) {
        fail_at(p->fail, p->m->source, 0, "the module has no .target directive");
    }
}

static void list_kernels(struct module *m)
{
    m->kernels = arena_array(m->arena, u32, m->func_n);
    for (u32 i = 0; i < m->func_n; i++) {
        bool joined = m->funcs[i].alias != NO_INDEX; /* another text defines the function, too */
        if (m->funcs[i].is_kernel && m->funcs[i].has_body && !joined) m->kernels[m->kernel_n++] = i;
    }
}

/* Adds the errors of skipped items to functions with an undeclared name. The messages are copied
 * into the arena. */
static void lose_names(struct module *m, u32 first)
{
    for (u32 i = first; m->lost.error_n && i < m->func_n; i++)
        if (m->funcs[i].lacks_name) func_refuse(m, &m->funcs[i], &m->lost);
    fail_free(&m->lost);
}

/* Parses a text into lists that may contain items of earlier texts. The names of a text are
 * private. */
static bool parse_text(struct parser *p, const struct source *source)
{
    struct module *m = p->m;
    u32 first = m->func_n;
    m->source = source;
    p->version_seen = p->target_seen = p->address_size_seen = false;
    p->binding_n = p->depth = p->braces = 0;
    if (!lexer_init(&p->lex, source, p->arena, p->fail)) return false;
    scope_init(p);
    parse_module(p);
    lose_names(m, first);
    return true;
}

struct module *ptx_link_at(const struct source *const *sources, u32 n,
                           const struct ptx_place *place, struct arena *arena, struct fail *fail)
{
    u32 before = fail->error_n;
    struct module *m = arena_new(arena, struct module);
    struct parser *p = arena_new(arena, struct parser);
    *m = (struct module){.arena = arena, .place = *place};
    *p = (struct parser){.m = m, .arena = arena, .fail = fail, .func_id = NO_INDEX};
    for (u32 i = 0; i < n; i++)
        if (!parse_text(p, sources[i])) return NULL;
    if (fail->error_n != before || (n > 1 && !resolve_modules(m, fail)) || !link_module(m, fail))
        return NULL;
    list_kernels(m);
    return m;
}

struct module *ptx_link(const struct source *const *sources, u32 n, struct arena *arena,
                        struct fail *fail)
{
    return ptx_link_at(sources, n, &(struct ptx_place){GLOBAL_BASE, CONST_BASE, 0}, arena, fail);
}

struct module *ptx_parse(const struct source *source, struct arena *arena, struct fail *fail)
{
    return ptx_link(&source, 1, arena, fail);
}

u32 ptx_kernel_n(const struct module *m) { return m->kernel_n; }
const char *ptx_kernel_name(const struct module *m, u32 kernel)
{
    return m->funcs[m->kernels[kernel]].name;
}
u32 ptx_reference_n(const struct module *m) { return m ? m->reference_n : 0; }

const struct reference *ptx_reference(const struct module *m, u32 index)
{
    return &m->references[index];
}

u32 ptx_variable_n(const struct module *m) { return m->variable_n; }
const struct variable *ptx_variable(const struct module *m, u32 index)
{
    return &m->variables[index];
}

u32 ptx_kernel_find(const struct module *m, const char *name)
{
    for (u32 i = 0; i < m->kernel_n; i++) {
        if (!strcmp(ptx_kernel_name(m, i), name)) return i;
    }
    return UINT32_MAX;
}
