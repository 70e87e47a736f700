/* Initial values of a variable: bytes, and locations into which `link` fills addresses. Source: PTX
 * ISA manual, section 5.4.4 (initializers). */
#include "ptx/parse/parser.h"

#include <string.h>

#define BYTES_LIMIT (1ull << 28) /* for one variable with initial values */

struct filling {
    struct symbol *s; /* a copy, stored back at the end */
    u64 byte_room;
    u64 element_bytes; /* bytes of an element; parts of a vector count individually */
    u64 at;            /* offset of the next value */
};

static bool too_many(struct parser *p, const struct filling *f, u32 offset)
{
    fail_at(p->fail, p->m->source, offset, "too many initial values for '%s'", f->s->name);
    return false;
}

/* Writes the low element_bytes of `bits`; the buffer grows by doubling. */
static bool put(struct parser *p, struct filling *f, u64 bits, u32 offset)
{
    u64 end = f->at + f->element_bytes;
    if (f->s->size_bytes && end > f->s->size_bytes) return too_many(p, f, offset);
    if (end > BYTES_LIMIT) {
        fail_at(p->fail, p->m->source, offset, "'%s' has more than 256 MB of initial values",
                f->s->name);
        return false;
    }
    if (end > f->byte_room) {
        u64 room = max_u64(64, end * 2);
        u8 *bytes = arena_alloc(p->arena, room, 16);
        if (f->s->byte_n) memcpy(bytes, f->s->bytes, f->s->byte_n);
        f->s->bytes = bytes;
        f->byte_room = room;
    }
    for (u64 i = 0; i < f->element_bytes; i++)
        f->s->bytes[f->at + i] = (u8)(i < 8 ? bits >> (8 * i) : 0);
    f->at = end;
    f->s->byte_n = max_u64(f->s->byte_n, end);
    return true;
}

static bool type_is_float(u8 type) { return type == T_F16 || type == T_F32 || type == T_F64; }

static bool put_number(struct parser *p, struct filling *f)
{
    struct token t = p->lex.now;
    u64 bits;
    bool is_float, is_f32;
    if (!parse_constant(p, &bits, &is_float, &is_f32)) return false;
    u8 type = f->s->type;
    if (!is_float && type_is_float(type)) {
        fail_at(p->fail, p->m->source, t.offset,
                "expected a float constant (as 0f3F800000 or 1.0) for '.%s'",
                type_name((enum type)type));
        return false;
    }
    if (is_float && !type_is_float(type) && !(is_f32 && f->element_bytes == 4) &&
        !(!is_f32 && f->element_bytes == 8)) {
        fail_at(p->fail, p->m->source, t.offset, "a float cannot initialise '.%s'",
                type_name((enum type)type));
        return false;
    }
    if (type_is_float(type)) {
        double value;
        float single;
        u32 word = (u32)bits;
        if (is_f32) memcpy(&single, &word, 4), value = single;
        else memcpy(&value, &bits, 8);
        if (type == T_F64) {
            memcpy(&bits, &value, 8);
        } else if (type == T_F32) {
            if (!is_f32) single = (float)value, memcpy(&word, &single, 4);
            bits = word;
        } else {
            fail_at(p->fail, p->m->source, t.offset,
                    "initial values of .f16 are not supported; use .b16");
            return false;
        }
    }
    return put(p, f, bits, t.offset);
}

static bool put_addend(struct parser *p, s64 *addend)
{
    u64 bits = 0;
    if (!parse_offset(p, &bits)) return false;
    *addend += (s64)bits;
    return true;
}

/* Records a fixup for name[+-constant], generic(name)[+-constant] or mask(...): the address is not
 * known yet. */
static bool put_address(struct parser *p, struct filling *f, u32 shift, u32 size_bytes)
{
    struct token t = p->lex.now;
    struct fixup x = {
        .at = f->at, .shift = (u8)shift, .size_bytes = (u8)size_bytes, .offset = t.offset};
    if (t.kind == TOKEN_WORD && !strcmp(t.word->text, "generic") &&
        p->lex.ahead.kind == TOKEN_PUNCT && p->lex.ahead.punct == '(') {
        x.generic = true;
        lexer_next(&p->lex);
        lexer_next(&p->lex);
        t = p->lex.now;
    }
    const struct binding *b = t.kind == TOKEN_WORD ? scope_find(p, t.word) : NULL;
    if (!b || (b->kind != BIND_SYMBOL && b->kind != BIND_FUNCTION)) {
        if (t.kind == TOKEN_WORD) scope_unknown(p, &t, "variable or function");
        else parser_error(p, &t, "a constant or an address");
        return false;
    }
    x.is_function = b->kind == BIND_FUNCTION;
    x.target = b->index;
    if (x.is_function) p->m->funcs[b->index].address_taken = true;
    lexer_next(&p->lex);
    if (!put_addend(p, &x.addend)) return false;
    if (x.generic && (!parser_expect(p, ')', "after generic(") || !put_addend(p, &x.addend)))
        return false;
    if (!put(p, f, 0, t.offset)) return false;
    *arena_push(p->arena, p->m->fixups, p->m->fixup_n, p->fixup_room) = x;
    return true;
}

static bool put_value(struct parser *p, struct filling *f)
{
    struct token t = p->lex.now;
    if (t.kind == TOKEN_WORD && strcmp(t.word->text, "WARP_SZ")) {
        if (f->element_bytes >= 4) return put_address(p, f, 0, (u32)f->element_bytes);
        fail_at(p->fail, p->m->source, t.offset, "an address needs 4 or 8 bytes, '.%s' has %u",
                type_name((enum type)f->s->type), (u32)f->element_bytes);
        return false;
    }
    bool is_mask = t.kind == TOKEN_INT && p->lex.ahead.kind == TOKEN_PUNCT &&
                   p->lex.ahead.punct == '(';
    if (!is_mask) return put_number(p, f);
    u32 shift = t.bits ? (u32)__builtin_ctzll(t.bits) : 0;
    if (f->element_bytes != 1 || t.bits >> shift != 0xff || shift % 8) {
        fail_at(p->fail, p->m->source, t.offset,
                "a mask of an address selects a single byte, for a .b8 or .u8");
        return false;
    }
    lexer_next(&p->lex);
    lexer_next(&p->lex);
    return put_address(p, f, shift, 1) && parser_expect(p, ')', "after the address");
}

/* Parses nested braces without recursion: `level` braces are open, level d advances by inner[d]
 * elements. */
static bool put_braces(struct parser *p, struct filling *f, const u64 *inner, u32 dimension_n)
{
    u64 starts[16];
    u32 level = 0;
    enum { OPENED, COMMA, VALUE } behind = COMMA;
    do {
        struct token t = p->lex.now;
        if (behind != VALUE && parser_accept(p, '{')) {
            if (level >= max_u32(dimension_n, 1) + 1 || level >= COUNT_OF(starts)) {
                fail_at(p->fail, p->m->source, t.offset, "more braces than '%s' has dimensions",
                        f->s->name);
                return false;
            }
            starts[level++] = f->at;
            behind = OPENED;
        } else if (behind != COMMA && parser_accept(p, '}')) {
            level--;
            u64 step = level && level <= dimension_n ? inner[level - 1] * f->element_bytes : 0;
            if (step && f->at > starts[level] + step) return too_many(p, f, t.offset);
            if (step) f->at = starts[level] + step;
            behind = VALUE;
        } else if (behind == VALUE && parser_accept(p, ',')) {
            behind = COMMA;
        } else if (behind != VALUE) {
            if (!put_value(p, f)) return false;
            behind = VALUE;
        } else {
            parser_error(p, &t, "',' or '}'");
            return false;
        }
    } while (level);
    return true;
}

bool parse_initial(struct parser *p, u32 symbol, u64 element_bytes, const u64 *inner,
                   u32 dimension_n)
{
    struct symbol s = p->m->symbols[symbol];
    u32 part_bytes = max_u32(type_bytes((enum type)s.type), 1);
    struct filling f = {.s = &s, .element_bytes = part_bytes};
    if (s.space != SPACE_GLOBAL && s.space != SPACE_CONST) {
        fail_at(p->fail, p->m->source, s.offset,
                "only .global and .const variables can have initial values");
        return false;
    }
    s.fixup = p->m->fixup_n;
    bool ok = lexer_is(&p->lex, '{') ? put_braces(p, &f, inner, dimension_n) : put_value(p, &f);
    s.fixup_n = p->m->fixup_n - s.fixup;
    if (!s.size_bytes) {
        s.count = (u32)div_up(s.byte_n, element_bytes);
        s.size_bytes = s.count * element_bytes;
    }
    s.is_extern = false;
    p->m->symbols[symbol] = s;
    if (ok && s.size_bytes > BYTES_LIMIT) {
        fail_at(p->fail, p->m->source, s.offset, "'%s' has initial values and more than 256 MB",
                s.name);
        return false;
    }
    return ok;
}

/* ---- samplers ---- */

/* Returns the value of a word of a sampler; UINT32_MAX: unknown word. */
static u32 sampler_word(const char *text)
{
    static const struct {
        const char *word;
        u32 value;
    } words[] = {{"nearest", FILTER_POINT},          {"linear", FILTER_LINEAR},
                 {"wrap", ADDRESS_WRAP},             {"mirror", ADDRESS_MIRROR},
                 {"clamp_ogl", ADDRESS_CLAMP},       {"clamp_to_edge", ADDRESS_CLAMP},
                 {"clamp_to_border", ADDRESS_BORDER}};
    for (u32 i = 0; i < COUNT_OF(words); i++)
        if (!strcmp(words[i].word, text)) return words[i].value;
    return UINT32_MAX;
}

/* Returns the field for a name; NULL: the name has no effect here (width and other properties come
 * from the bound texture). */
static u8 *sampler_field(struct sampler *s, const char *name)
{
    if (!strcmp(name, "filter_mode")) return &s->filter;
    if (!strncmp(name, "addr_mode_", 10) && name[10] >= '0' && name[10] <= '2' && !name[11])
        return &s->address[name[10] - '0'];
    return NULL;
}

static bool sampler_pair(struct parser *p, struct sampler *s)
{
    struct token name = p->lex.now;
    if (name.kind != TOKEN_WORD) {
        parser_error(p, &name, "a name such as filter_mode");
        return false;
    }
    lexer_next(&p->lex);
    if (!parser_expect(p, '=', "after the name")) return false;
    struct token t = p->lex.now;
    u8 *field = sampler_field(s, name.word->text);
    u64 number = 0;
    u32 word = t.kind == TOKEN_WORD ? sampler_word(t.word->text) : UINT32_MAX;
    if (field && word == UINT32_MAX) {
        parser_error(p, &t, "a mode such as nearest or clamp_to_edge");
        return false;
    }
    if (field) *field = (u8)word;
    if (t.kind == TOKEN_WORD) lexer_next(&p->lex);
    else if (!parser_int(p, &number, "a number")) return false;
    if (!strcmp(name.word->text, "normalized_coords")) s->normalized_coordinates = number != 0;
    if (!strcmp(name.word->text, "force_unnormalized_coords") && number)
        s->normalized_coordinates = false;
    return true;
}

/* Source: PTX ISA manual, section 5.3 (texture, sampler and surface types): coordinates are
 * normalized by default in independent mode. */
bool parse_sampler(struct parser *p, u32 symbol)
{
    struct sampler s = {.normalized_coordinates = true};
    if (!parser_expect(p, '=', "after the name") ||
        !parser_expect(p, '{', "before the initial values"))
        return false;
    while (!lexer_is(&p->lex, '}')) {
        if (!sampler_pair(p, &s)) return false;
        if (!parser_accept(p, ',')) break;
    }
    p->m->symbols[symbol].sampler = s;
    return parser_expect(p, '}', "after the initial values");
}
