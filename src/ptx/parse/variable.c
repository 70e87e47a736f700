/* Parses declarations: variables, registers and formal parameters. Initializers are in
 * parse_initial. Source: PTX ISA manual, section 5 (state spaces, types, variables). */
#include "ptx/parse/parser.h"

#include <string.h>

#define SIZE_LIMIT (1ull << 36) /* elements of one variable */
enum { DIMENSIONS_MAX = 8 };

bool parse_space(const struct parser *p, u8 *space)
{
    static const struct {
        const char *name;
        u8 space;
    } names[] = {{"global", SPACE_GLOBAL},      {"const", SPACE_CONST}, {"shared", SPACE_SHARED},
                 {"shared::cta", SPACE_SHARED}, {"local", SPACE_LOCAL}, {"param", SPACE_PARAM},
                 {"tex", SPACE_TEXTURE}};
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        if (!parser_is_dot(p, names[i].name)) continue;
        *space = names[i].space;
        return true;
    }
    return false;
}

bool parse_type(struct parser *p, u8 *type, const char *what)
{
    const struct token *t = &p->lex.now;
    if (t->kind != TOKEN_DOT) {
        parser_error(p, t, what);
        return false;
    }
    struct nearest near;
    nearest_init(&near, t->word->text);
    for (u32 i = T_NONE + 1; i < TYPE_N; i++) {
        nearest_offer(&near, type_name((enum type)i));
        if (strcmp(t->word->text, type_name((enum type)i))) continue;
        *type = (u8)i;
        lexer_next(&p->lex);
        return true;
    }
    fail_at(p->fail, p->m->source, t->offset, "type '.%s' is not known; expected %s", t->word->text,
            what);
    p->unknown = true;
    fail_nearest(p->fail, &near);
    return false;
}

static bool parse_align(struct parser *p, u32 *align)
{
    struct token t = p->lex.now;
    u64 value;
    if (!parser_int(p, &value, "an alignment")) return false;
    if (!value || value > 1024 || (value & (value - 1))) {
        fail_at(p->fail, p->m->source, t.offset, "an alignment is a power of two up to 1024");
        return false;
    }
    *align = (u32)value;
    return true;
}

/* Attributes between the state space and the name. */
struct decoration {
    u32 align, vector;
    u8 type;
    u8 opaque; /* enum reference_kind + 1 */
};

static bool accept_opaque(struct parser *p, struct decoration *d)
{
    static const char *const names[] = {[REFERENCE_TEXTURE] = "texref",
                                        [REFERENCE_SAMPLER] = "samplerref",
                                        [REFERENCE_SURFACE] = "surfref"};
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        if (!parser_accept_dot(p, names[i])) continue;
        d->opaque = (u8)(i + 1);
        d->type = T_B64;
        return true;
    }
    return false;
}

/* Types such as .bf16 belong to instructions only. Source: PTX ISA manual, section 5.2. */
static bool is_fundamental(u8 type) { return type <= T_F64 || type == T_B128; }

/* Parses the type of variables, parameters or registers. */
static bool parse_declared_type(struct parser *p, u8 *type, const char *what)
{
    struct token t = p->lex.now;
    if (!parse_type(p, type, what)) return false;
    if (is_fundamental(*type)) return true;
    u32 bytes = type_bytes((enum type)*type);
    fail_at(p->fail, p->m->source, t.offset,
            ".%s is a type of instructions, not of variables or registers; use .b%u",
            type_name((enum type)*type), bytes ? 8 * bytes : 32);
    return false;
}

static bool parse_decoration(struct parser *p, struct decoration *d)
{
    *d = (struct decoration){.vector = 1};
    for (;;) {
        u8 space;
        if (parser_accept_dot(p, "align")) {
            if (!parse_align(p, &d->align)) return false;
        } else if (parser_accept_dot(p, "v2")) {
            d->vector = 2;
        } else if (parser_accept_dot(p, "v4")) {
            d->vector = 4;
        } else if (accept_opaque(p, d)) {
            return true;
        } else if (parser_accept_dot(p, "attribute")) {
            if (!parser_expect(p, '(', "after .attribute")) return false;
            for (u32 open = 1; open && p->lex.now.kind != TOKEN_END; lexer_next(&p->lex)) {
                open += lexer_is(&p->lex, '(');
                open -= lexer_is(&p->lex, ')');
            }
        } else if (d->type && parser_accept_dot(p, "ptr")) {
            u32 pointed;
            if (parse_space(p, &space)) lexer_next(&p->lex);
            if (parser_accept_dot(p, "align") && !parse_align(p, &pointed)) return false;
        } else if (d->type) {
            return true;
        } else if (!parse_declared_type(p, &d->type, "a type such as .u32")) {
            return false;
        }
        if (d->type && p->lex.now.kind != TOKEN_DOT) return true;
    }
}

/* Parses the size of the n-th dimension after '['; the dimensions before have `count` elements.
 * *size 0: the first dimension, without a size. */
static bool parse_dimension(struct parser *p, const struct symbol *s, u32 n, u64 count, u64 *size)
{
    struct token t = p->lex.now;
    bool is_float, is_f32;
    *size = 0;
    if (parser_accept(p, ']')) {
        if (!n) return true;
        fail_at(p->fail, p->m->source, t.offset, "only the first dimension may be left open");
        return false;
    }
    if (!parse_constant(p, size, &is_float, &is_f32)) return false;
    if (is_float || n >= DIMENSIONS_MAX || *size >= SIZE_LIMIT ||
        (*size && count >= SIZE_LIMIT / *size)) {
        fail_at(p->fail, p->m->source, t.offset, "array '%s' is too large", s->name);
        return false;
    }
    return parser_expect(p, ']', "after the array's size");
}

/* inner[d]: elements per index of dimension d */
static bool parse_dimensions(struct parser *p, struct symbol *s, u64 inner[DIMENSIONS_MAX],
                             u32 *dimension_n)
{
    u64 sizes[DIMENSIONS_MAX + 1], count = 1, below = 1;
    u32 n = 0;
    for (; parser_accept(p, '['); n++) {
        if (!parse_dimension(p, s, n, below, &sizes[n])) return false;
        count *= sizes[n];
        below *= sizes[n] ? sizes[n] : 1;
    }
    below = 1;
    for (u32 d = n; d--;) {
        inner[d] = below;
        below *= sizes[d] ? sizes[d] : 1;
    }
    if (below > UINT32_MAX) {
        fail_at(p->fail, p->m->source, s->offset, "array '%s' is too large", s->name);
        return false;
    }
    *dimension_n = n;
    s->count = (u32)count;
    return true;
}

static u32 symbol_add(struct parser *p, const struct symbol *s)
{
    u32 id = p->m->symbol_n;
    *arena_push(p->arena, p->m->symbols, p->m->symbol_n, p->symbol_room) = *s;
    return id;
}

static void symbol_from(struct parser *p, struct symbol *s, const struct decoration *d, u8 space)
{
    const struct token *t = &p->lex.now;
    *s = (struct symbol){.name = t->word->text,
                         .space = space,
                         .type = d->type,
                         .opaque = d->opaque,
                         .sampler.normalized_coordinates = d->opaque == REFERENCE_SAMPLER + 1,
                         .count = 1,
                         .function = p->func_id,
                         .alias = NO_INDEX,
                         .linkage = p->linkage,
                         .source = p->m->source,
                         .offset = t->offset,
                         .line = t->line,
                         .call = NO_INDEX,
                         .reg = NO_INDEX};
    s->align = max_u32(d->align, type_bytes((enum type)d->type) * d->vector);
    if (!s->align) s->align = 1;
}

static bool parse_declarator(struct parser *p, const struct decoration *d, u8 space, bool is_extern)
{
    struct token name = p->lex.now;
    struct symbol s;
    u64 inner[DIMENSIONS_MAX];
    u32 dimension_n;
    if (name.kind != TOKEN_WORD) {
        parser_error(p, &name, "a variable's name");
        return false;
    }
    symbol_from(p, &s, d, space);
    s.is_extern = is_extern;
    lexer_next(&p->lex);
    if (d->type == T_PRED) {
        fail_at(p->fail, p->m->source, name.offset,
                "a variable cannot be .pred; only registers can");
        return false;
    }
    if (!parse_dimensions(p, &s, inner, &dimension_n)) return false;
    u64 element_bytes = (u64)type_bytes((enum type)d->type) * d->vector;
    s.size_bytes = s.count * element_bytes;
    if (s.opaque && dimension_n) {
        fail_at(p->fail, p->m->source, name.offset,
                "arrays of textures, samplers or surfaces are not supported");
        return false;
    }
    bool open = dimension_n && !s.count;
    const struct binding *old = scope_find(p, name.word);
    u32 id = p->m->symbol_n;
    if (old && old->kind == BIND_SYMBOL && old->depth == p->depth &&
        p->m->symbols[old->index].is_extern) {
        id = old->index; /* an earlier declaration, now defined or declared again */
        if (!is_extern) p->m->symbols[id] = s;
    } else {
        if (!scope_bind(p, name.word, BIND_SYMBOL, id, name.offset)) return false;
        symbol_add(p, &s);
    }
    if (s.opaque && lexer_is(&p->lex, '=')) return parse_sampler(p, id);
    if (parser_accept(p, '=')) return parse_initial(p, id, element_bytes, inner, dimension_n);
    if (open && !is_extern) {
        fail_at(p->fail, p->m->source, name.offset, "array '%s' needs a size%s", s.name,
                space == SPACE_SHARED ? ", or .extern if each launch gives the size"
                                      : " or initial values");
        return false;
    }
    if (open) p->m->symbols[id].is_extern = true;
    return true;
}

bool parse_variable(struct parser *p, u8 space, bool is_extern)
{
    struct decoration d;
    bool old_texture = space == SPACE_TEXTURE; /* .tex .u32: a .texref of PTX before 3.0 */
    if (old_texture) space = SPACE_GLOBAL;
    if (parser_accept(p, '[')) { /* .const[2]: banks of old PTX */
        u64 bank;
        if (!parser_int(p, &bank, "a bank number") || !parser_expect(p, ']', "after the bank"))
            return false;
    }
    if (!parse_decoration(p, &d)) return false;
    if (old_texture) d.opaque = REFERENCE_TEXTURE + 1;
    do {
        if (!parse_declarator(p, &d, space, is_extern)) return false;
    } while (parser_accept(p, ','));
    return true;
}

static bool vector_fits(struct parser *p, const struct decoration *d, u32 offset)
{
    bool fits = d->vector == 1 ||
                (d->type != T_PRED && d->vector * type_bytes((enum type)d->type) <= 16);
    if (!fits)
        fail_at(p->fail, p->m->source, offset, "a vector register has at most 128 bits, and no "
                "predicates");
    return fits;
}

bool parse_formal(struct parser *p, bool kernel)
{
    struct decoration d;
    struct symbol s;
    u64 inner[DIMENSIONS_MAX];
    u32 dimension_n;
    bool is_reg = parser_is_dot(p, "reg") && !kernel;
    if (!is_reg && !parser_is_dot(p, "param")) {
        parser_error(p, &p->lex.now, kernel ? "'.param'" : "'.param' or '.reg'");
        return false;
    }
    lexer_next(&p->lex);
    if (!parse_decoration(p, &d)) return false;
    struct token name = p->lex.now;
    if (name.kind != TOKEN_WORD) {
        parser_error(p, &name, "a parameter's name");
        return false;
    }
    symbol_from(p, &s, &d, is_reg ? (u8)SPACE_REG : SPACE_PARAM);
    lexer_next(&p->lex);
    if (!parse_dimensions(p, &s, inner, &dimension_n)) return false;
    s.size_bytes = (u64)s.count * type_bytes((enum type)d.type) * d.vector;
    if (is_reg && !vector_fits(p, &d, name.offset)) return false;
    if (is_reg && d.type == T_PRED) s.align = PREDICATE_BYTES, s.size_bytes = PREDICATE_BYTES;
    if (s.size_bytes > 32764 || (is_reg && dimension_n) || (!is_reg && d.type == T_PRED)) {
        fail_at(p->fail, p->m->source, name.offset, "parameter '%s' is %s", s.name,
                d.type == T_PRED ? "a predicate, passed as .reg" : "too large");
        return false;
    }
    symbol_add(p, &s);
    return true;
}

/* ---- registers ---- */

static void too_many_registers(struct parser *p, u32 offset)
{
    fail_at(p->fail, p->m->source, offset, "too many registers; a function may declare up to %d",
            REGISTER_MAX);
}

static struct family *family_add(struct parser *p, struct word *name, u32 offset,
                                 const struct decoration *d, u32 n, bool numbered)
{
    struct func *f = parser_func(p);
    u32 register_n = n * d->vector;
    /* declared nevertheless, to find later errors */
    bool fits = f->register_n + register_n <= REGISTER_MAX;
    if (!fits) too_many_registers(p, offset);
    u32 id = f->family_n;
    if (numbered && fits && !scope_family_is_new(p, name, n, offset)) return NULL;
    if (!scope_bind(p, name, numbered ? BIND_FAMILY : BIND_REGISTER, id, offset)) return NULL;
    struct family *family = arena_push(p->arena, f->families, f->family_n, p->family_room);
    *family = (struct family){.name = name->text,
                              .first = f->register_n,
                              .n = n,
                              .offset = offset,
                              .type = d->type,
                              .elements = (u8)d->vector,
                              .numbered = numbered};
    f->register_n += fits ? register_n : 0;
    return family;
}

/* Binds a formal parameter in the scope of the function's body. */
bool parse_bind_formal(struct parser *p, u32 symbol)
{
    struct symbol *s = &p->m->symbols[symbol];
    struct word *w = words_get(&p->lex.words, s->name, strlen(s->name));
    if (!strcmp(s->name, "_")) return true;
    if (s->space != SPACE_REG) return scope_bind(p, w, BIND_SYMBOL, symbol, s->offset) != NULL;
    struct decoration d = {.vector = symbol_elements(s), .type = s->type};
    const struct family *family = family_add(p, w, s->offset, &d, 1, false);
    if (family) s->reg = family->first;
    return family != NULL;
}

static bool parse_register(struct parser *p, const struct decoration *d)
{
    struct token name = p->lex.now, number;
    if (name.kind != TOKEN_WORD) {
        parser_error(p, &name, "a register's name");
        return false;
    }
    lexer_next(&p->lex);
    if (!parser_accept(p, '<'))
        return family_add(p, name.word, name.offset, d, 1, false) != NULL;
    u64 n;
    number = p->lex.now;
    if (!parser_int(p, &n, "how many registers")) return false;
    if (!parser_expect(p, '>', "after the number of registers")) return false;
    u32 offset = n > REGISTER_MAX ? number.offset : name.offset;
    return family_add(p, name.word, offset, d, (u32)min_u64(n, REGISTER_MAX + 1), true) != NULL;
}

bool parse_registers(struct parser *p)
{
    struct decoration d = {.vector = 1};
    struct token t = p->lex.now;
    if (parser_accept_dot(p, "v2")) d.vector = 2;
    else if (parser_accept_dot(p, "v4")) d.vector = 4;
    if (!parse_declared_type(p, &d.type, "a type such as .b32")) return false;
    if (!vector_fits(p, &d, t.offset)) return false;
    if (d.type == T_B128) d.type = T_B64, d.vector = 2; /* held as two registers: make_pair */
    do {
        if (!parse_register(p, &d)) return false;
    } while (parser_accept(p, ','));
    return parser_semicolon(p);
}
