/* Parses operands by their form: register, constant, name, {vector}, [address]. `check` decides
 * later if the operands suit the instruction. Source: PTX ISA manual, section 6 (instruction
 * operands). */
#include "ptx/parse/parser.h"

#include <stdio.h>
#include <string.h>
#include "isa/matrix.h"

enum { VECTOR_MAX = WGMMA_SUMS_MAX };

u32 parse_args_push(struct parser *p, const struct arg *a, u32 n)
{
    struct func *f = parser_func(p);
    u32 first = f->arg_n;
    for (u32 i = 0; i < n; i++) *arena_push(p->arena, f->args, f->arg_n, p->arg_room) = a[i];
    return first;
}

void parse_note_label(struct parser *p, u32 arg, struct word *w)
{
    *arena_push(p->arena, p->label_refs, p->label_ref_n, p->label_ref_room) =
        (struct label_ref){arg, w};
}

static bool is_word(const struct token *t, const char *text)
{
    return t->kind == TOKEN_WORD && !strcmp(t->word->text, text);
}

static bool parse_number(struct parser *p, struct arg *a)
{
    bool is_float, is_f32;
    if (!parse_constant(p, &a->value, &is_float, &is_f32)) return false;
    a->kind = is_float ? ARG_FLOAT : ARG_INT;
    a->type = is_float ? (is_f32 ? T_F32 : T_F64) : T_NONE;
    return true;
}

/* Finds %tid.x: a word followed immediately by a part. */
static enum special special_here(const struct parser *p, bool *has_part)
{
    const struct token *t = &p->lex.now, *next = &p->lex.ahead;
    *has_part = next->kind == TOKEN_DOT && next->offset == t->offset + t->size;
    u32 size = t->size + (*has_part ? next->size : 0);
    return special_find(p->m->source->text + t->offset, size);
}

static void unknown_name(struct parser *p)
{
    struct token t = p->lex.now;
    bool has_part;
    special_here(p, &has_part);
    if (t.word->text[0] != '%' || !has_part) {
        scope_unknown(p, &t, t.word->text[0] == '%' ? "register" : "name");
        return;
    }
    int size = (int)(t.size + p->lex.ahead.size);
    char *name = arena_text(p->arena, p->m->source->text + t.offset, (size_t)size);
    fail_at(p->fail, p->m->source, t.offset, "special register '%s' is not known", name);
    if (p->fail->error_n > FAIL_MAX) return;
    struct nearest near;
    nearest_init(&near, name);
    for (u32 i = 0; i < SPECIAL_N; i++) nearest_offer(&near, special_name((enum special)i));
    fail_nearest(p->fail, &near);
}

/* Accepts a register, or an element of a vector register by its suffix. For a whole vector register
 * a->n is the number of elements. Returns false, without consuming a token, if the token is not a
 * register. */
static bool accept_register(struct parser *p, struct arg *a)
{
    static const char names[] = "xyzwrgba";
    const struct token *t = &p->lex.now;
    u32 elements;
    if (t->kind != TOKEN_WORD || !scope_register(p, t->word, &a->index, &a->type, &elements))
        return false;
    a->kind = ARG_REG;
    lexer_next(&p->lex);
    if (elements == 1) return true;
    const char *name = t->kind == TOKEN_DOT && t->word->size == 1
                           ? strchr(names, t->word->text[0]) : NULL;
    u32 element = name ? (u32)(name - names) % 4 : elements;
    a->n = element < elements ? 0 : elements;
    if (a->n) return true;
    a->index += element;
    lexer_next(&p->lex);
    return true;
}

/* Replaces a whole vector register by a vector of its elements. */
static void spread_register(struct parser *p, struct arg *a)
{
    struct arg parts[4];
    for (u32 i = 0; i < a->n; i++) {
        parts[i] = (struct arg){.kind = ARG_REG, .type = a->type, .offset = a->offset,
                                .index = a->index + i, .second = NO_INDEX};
    }
    a->kind = ARG_VECTOR;
    a->index = parse_args_push(p, parts, a->n);
}

/* Replaces %tid without a part by .x, .y, .z, and .w, always 0. */
static bool spread_special(struct parser *p, struct arg *a)
{
    const struct word *w = p->lex.now.word;
    char name[32];
    struct arg parts[4];
    if (w->size + 3 > sizeof name) return false;
    for (u32 i = 0; i < 3; i++) {
        int n = snprintf(name, sizeof name, "%s.%c", w->text, "xyz"[i]);
        parts[i] = (struct arg){.kind = ARG_SPECIAL, .offset = a->offset,
                                .index = special_find(name, (size_t)n), .second = NO_INDEX};
        if (parts[i].index == SPECIAL_N) return false;
    }
    parts[3] = (struct arg){.kind = ARG_INT, .offset = a->offset, .second = NO_INDEX};
    *a = (struct arg){.kind = ARG_VECTOR, .n = 4, .offset = a->offset, .second = NO_INDEX,
                      .index = parse_args_push(p, parts, 4)};
    lexer_next(&p->lex);
    return true;
}

/* Parses the q of p|q. */
static bool parse_second(struct parser *p, struct arg *a)
{
    u32 elements;
    u8 type = T_NONE;
    struct token t = p->lex.now;
    if (is_word(&t, "_")) {
        lexer_next(&p->lex);
        return true;
    }
    if (t.kind != TOKEN_WORD || !scope_register(p, t.word, &a->second, &type, &elements)) {
        if (t.kind == TOKEN_WORD) scope_unknown(p, &t, "register");
        else parser_error(p, &t, "a predicate after '|'");
        return false;
    }
    if (type != T_PRED) {
        fail_at(p->fail, p->m->source, t.offset, "expected a predicate after '|'; '%s' is .%s",
                t.word->text, type_name((enum type)type));
        return false;
    }
    lexer_next(&p->lex);
    return true;
}

/* Parses array[3], the address of an element; a->n = 1 marks the result. */
static bool parse_index(struct parser *p, struct arg *a)
{
    const struct symbol *s = &p->m->symbols[a->index];
    u32 bytes = s->count ? (u32)(s->size_bytes / s->count) : type_bytes((enum type)s->type);
    struct token t = p->lex.now;
    bool is_float, is_f32;
    lexer_next(&p->lex);
    if (!parse_constant(p, &a->value, &is_float, &is_f32)) return false;
    if (is_float) fail_at(p->fail, p->m->source, t.offset, "an index cannot be a float");
    a->value *= bytes;
    a->n = 1;
    return !is_float && parser_expect(p, ']', "after the index");
}

static bool parse_symbol(struct parser *p, struct arg *a, const struct binding *b)
{
    a->kind = b->kind == BIND_FUNCTION ? ARG_FUNCTION : ARG_SYMBOL;
    a->index = b->index;
    if (a->kind == ARG_FUNCTION) p->m->funcs[a->index].address_taken = true;
    lexer_next(&p->lex);
    if (a->kind == ARG_FUNCTION) return true;
    return lexer_is(&p->lex, '[') ? parse_index(p, a) : parse_offset(p, &a->value);
}

static bool parse_name(struct parser *p, struct arg *a)
{
    struct token t = p->lex.now;
    bool has_part;
    if (is_word(&t, "_")) {
        a->kind = ARG_SINK;
        lexer_next(&p->lex);
    } else if (accept_register(p, a)) {
        if (a->n) {
            spread_register(p, a);
            return true;
        }
    } else {
        const struct binding *b = scope_find(p, t.word);
        if (b && (b->kind == BIND_SYMBOL || b->kind == BIND_FUNCTION)) return parse_symbol(p, a, b);
        if (is_word(&t, "WARP_SZ")) return parse_number(p, a);
        a->index = special_here(p, &has_part);
        if (a->index == SPECIAL_N && !has_part && spread_special(p, a)) return true;
        if (a->index == SPECIAL_N) {
            unknown_name(p);
            return false;
        }
        a->kind = ARG_SPECIAL;
        lexer_next(&p->lex);
        if (has_part) lexer_next(&p->lex);
        return true;
    }
    return !parser_accept(p, '|') || parse_second(p, a);
}

static bool parse_vector(struct parser *p, struct arg *a)
{
    struct arg parts[VECTOR_MAX];
    u32 n = 0;
    do {
        if (n == VECTOR_MAX) {
            fail_at(p->fail, p->m->source, p->lex.now.offset, "a vector has at most %u elements",
                    VECTOR_MAX);
            return false;
        }
        struct token t = p->lex.now;
        parts[n] = (struct arg){.offset = t.offset, .second = NO_INDEX};
        bool ok = t.kind == TOKEN_WORD ? parse_name(p, &parts[n]) : parse_number(p, &parts[n]);
        if (ok && parts[n].kind == ARG_VECTOR) {
            fail_at(p->fail, p->m->source, t.offset,
                    "'%s' is a vector; an element is written %s.x", t.word->text,
                    t.word->text);
            return false;
        }
        if (!ok) return false;
        n++;
    } while (parser_accept(p, ','));
    if (!parser_expect(p, '}', "after the vector's elements")) return false;
    a->kind = ARG_VECTOR;
    a->n = n;
    a->index = parse_args_push(p, parts, n);
    return true;
}

/* Parses the operands after the first in [texture, coordinates] or [texture, sampler,
 * coordinates]. */
static bool parse_coordinates(struct parser *p, struct arg *a)
{
    struct arg more[2];
    u32 n = 0;
    while (parser_accept(p, ',')) {
        struct token t = p->lex.now;
        bool bracket = lexer_is(&p->lex, '[');
        if (n == COUNT_OF(more) || bracket) {
            fail_at(p->fail, p->m->source, t.offset,
                    "expected [texture, coordinates] or [texture, sampler, coordinates]");
            return false;
        }
        if (!parse_arg(p, &more[n])) return false;
        n++;
    }
    if (!n) return true;
    a->n = n;
    a->second = parse_args_push(p, more, n);
    return true;
}

static bool parse_address(struct parser *p, struct arg *a)
{
    struct token t = p->lex.now;
    bool is_float = false, is_f32;
    a->kind = ARG_ADDRESS;
    a->base = ARG_NONE;
    if (t.kind == TOKEN_WORD) {
        const struct binding *b = scope_find(p, t.word);
        if (accept_register(p, a)) {
            a->base = ARG_REG;
            a->kind = ARG_ADDRESS;
            if (a->n) {
                fail_at(p->fail, p->m->source, t.offset, "an address is one register, as %s.x",
                        t.word->text);
                return false;
            }
        } else if (b && b->kind == BIND_SYMBOL) {
            a->base = ARG_SYMBOL;
            a->index = b->index;
            lexer_next(&p->lex);
        } else {
            scope_unknown(p, &t, t.word->text[0] == '%' ? "register" : "variable");
            return false;
        }
    }
    if (a->base ? !parse_offset(p, &a->value)
                : !parse_constant(p, &a->value, &is_float, &is_f32))
        return false;
    if (is_float) {
        fail_at(p->fail, p->m->source, t.offset, "an address cannot be a float");
        return false;
    }
    return parse_coordinates(p, a) && parser_expect(p, ']', "after the address");
}

bool parse_arg(struct parser *p, struct arg *a)
{
    struct token t = p->lex.now;
    *a = (struct arg){.offset = t.offset, .second = NO_INDEX};
    if (parser_accept(p, '[')) return parse_address(p, a);
    if (parser_accept(p, '{')) return parse_vector(p, a);
    if (lexer_is(&p->lex, '!') && p->lex.ahead.kind == TOKEN_WORD) {
        lexer_next(&p->lex);
        struct token name = p->lex.now;
        a->negated = true;
        if (accept_register(p, a)) return true;
        scope_unknown(p, &name, "predicate");
        return false;
    }
    if (t.kind == TOKEN_WORD) return parse_name(p, a);
    if (t.kind == TOKEN_INT || t.kind == TOKEN_FLOAT ||
        (t.kind == TOKEN_PUNCT && strchr("-+~!(", t.punct)))
        return parse_number(p, a);
    parser_error(p, &t, "an operand");
    return false;
}

/* Parses the (a, b, c) of a call. */
bool parse_call_list(struct parser *p, struct arg *list)
{
    struct arg parts[CALL_ARGS_MAX];
    u32 n = 0;
    *list = (struct arg){.kind = ARG_LIST, .offset = p->lex.now.offset, .second = NO_INDEX};
    if (parser_accept(p, ')')) return true;
    do {
        if (n == CALL_ARGS_MAX) {
            fail_at(p->fail, p->m->source, p->lex.now.offset, "a call with more than %d arguments",
                    CALL_ARGS_MAX);
            return false;
        }
        if (!parse_arg(p, &parts[n])) return false;
        if (parts[n].kind == ARG_ADDRESS || parts[n].kind == ARG_SPECIAL) {
            fail_at(p->fail, p->m->source, parts[n].offset,
                    "an argument of a call is a .param variable, a register "
                    "or a constant");
            return false;
        }
        n++;
    } while (parser_accept(p, ','));
    if (!parser_expect(p, ')', "after the arguments")) return false;
    list->n = n;
    list->index = parse_args_push(p, parts, n);
    return true;
}
