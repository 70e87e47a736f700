/* Constant expressions in initializers, array sizes and immediate operands. Integers are 64 bits
 * wide and wrap; a float is a single literal with an optional sign. Source: PTX ISA manual, section
 * 4.5. */
#include "ptx/parse/parser.h"

#include <string.h>

enum { DEPTH_MAX = 32 }; /* nested parentheses */

struct constant {
    u64 bits;
    bool is_float, is_f32;
};

static bool binary(struct parser *p, struct constant *c, u32 level, u32 depth);

static bool negate_float(struct constant *c)
{
    c->bits ^= c->is_f32 ? 1ull << 31 : 1ull << 63;
    return true;
}

/* Skips (.s64) and (.u64): every integer already has 64 bits. */
static void skip_cast(struct parser *p)
{
    while (lexer_is(&p->lex, '(') && p->lex.ahead.kind == TOKEN_DOT) {
        lexer_next(&p->lex);
        lexer_next(&p->lex);
        if (!parser_accept(p, ')')) return;
    }
}

static bool unary(struct parser *p, struct constant *c, u32 depth)
{
    struct token t = p->lex.now;
    skip_cast(p);
    if (depth > DEPTH_MAX) {
        fail_at(p->fail, p->m->source, t.offset, "the expression is nested too deeply");
        return false;
    }
    static const char signs[] = "-+~!";
    for (u32 i = 0; i < 4; i++) {
        if (!parser_accept(p, signs[i])) continue;
        if (!unary(p, c, depth + 1)) return false;
        if (c->is_float) return signs[i] == '-' ? negate_float(c) : true;
        c->bits = signs[i] == '-'   ? 0 - c->bits
                  : signs[i] == '~' ? ~c->bits
                  : signs[i] == '!' ? !c->bits
                                    : c->bits;
        return true;
    }
    if (parser_accept(p, '(')) return binary(p, c, 0, depth + 1) && parser_expect(p, ')', "");
    t = p->lex.now;
    bool lanes = t.kind == TOKEN_WORD && !strcmp(t.word->text, "WARP_SZ");
    if (lanes) t = (struct token){.kind = TOKEN_INT, .bits = LANES};
    if (t.kind != TOKEN_INT && t.kind != TOKEN_FLOAT) {
        parser_error(p, &t, "a constant");
        return false;
    }
    *c = (struct constant){.bits = t.bits, .is_float = t.kind == TOKEN_FLOAT, .is_f32 = t.is_f32};
    lexer_next(&p->lex);
    return true;
}

/* Binary operators by rising precedence; `second` is 0 for operators of one character. */
static const struct {
    char first, second;
    u8 level;
} operators[] = {{'|', '|', 1}, {'&', '&', 2}, {'|', 0, 3},   {'^', 0, 4},   {'&', 0, 5},
                 {'=', '=', 6}, {'!', '=', 6}, {'<', '<', 8}, {'>', '>', 8}, {'<', '=', 7},
                 {'>', '=', 7}, {'<', 0, 7},   {'>', 0, 7},   {'+', 0, 9},   {'-', 0, 9},
                 {'*', 0, 10},  {'/', 0, 10},  {'%', 0, 10}};

static int operator_here(const struct parser *p)
{
    if (p->lex.now.kind != TOKEN_PUNCT) return -1;
    bool two = p->lex.ahead.kind == TOKEN_PUNCT && p->lex.ahead.offset == p->lex.now.offset + 1;
    for (u32 i = 0; i < COUNT_OF(operators); i++) {
        if (operators[i].first != p->lex.now.punct) continue;
        if (!operators[i].second || (two && operators[i].second == p->lex.ahead.punct))
            return (int)i;
    }
    return -1;
}

static u64 divide(u64 a, u64 b, bool rest)
{
    s64 x = (s64)a, y = (s64)b;
    if (y == -1) return rest ? 0 : 0 - a;
    return (u64)(rest ? x % y : x / y);
}

static u64 apply(int op, u64 a, u64 b)
{
    char first = operators[op].first, second = operators[op].second;
    switch (first) {
    case '|': return second ? (a || b) : (a | b);
    case '&': return second ? (a && b) : (a & b);
    case '^': return a ^ b;
    case '=': return a == b;
    case '!': return a != b;
    case '<':
        return second == '<' ? (b < 64 ? a << b : 0) : second ? (s64)a <= (s64)b : (s64)a < (s64)b;
    case '>':
        return second == '>' ? (b < 64 ? a >> b : 0) : second ? (s64)a >= (s64)b : (s64)a > (s64)b;
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    default: return divide(a, b, first == '%');
    }
}

/* Applies an operator to decimal literals. Returns false for other operands or operators. */
static bool apply_floats(int op, struct constant *c, const struct constant *right)
{
    double a, b;
    if (c->is_f32 || right->is_f32 || operators[op].second) return false;
    memcpy(&a, &c->bits, sizeof a);
    memcpy(&b, &right->bits, sizeof b);
    switch (operators[op].first) {
    case '+': a += b; break;
    case '-': a -= b; break;
    case '*': a *= b; break;
    case '/': a /= b; break;
    default: return false;
    }
    memcpy(&c->bits, &a, sizeof a);
    return true;
}

static bool binary(struct parser *p, struct constant *c, u32 level, u32 depth)
{
    if (!unary(p, c, depth)) return false;
    for (int op; (op = operator_here(p)) >= 0 && operators[op].level > level;) {
        struct token t = p->lex.now;
        struct constant right = {0};
        lexer_next(&p->lex);
        if (operators[op].second) lexer_next(&p->lex);
        if (depth > DEPTH_MAX) return unary(p, c, depth);
        if (!binary(p, &right, operators[op].level, depth + 1)) return false;
        if (c->is_float && right.is_float && apply_floats(op, c, &right)) continue;
        if (c->is_float || right.is_float) {
            fail_at(p->fail, p->m->source, t.offset,
                    "arithmetic on float constants is not supported here");
            return false;
        }
        if (!right.bits && (t.punct == '/' || t.punct == '%')) {
            fail_at(p->fail, p->m->source, t.offset, "division by zero");
            return false;
        }
        c->bits = apply(op, c->bits, right.bits);
    }
    if (level == 0 && parser_accept(p, '?')) {
        struct constant yes = {0}, no = {0};
        if (!binary(p, &yes, 0, depth + 1) || !parser_expect(p, ':', "of '? :'")) return false;
        if (!binary(p, &no, 0, depth + 1)) return false;
        *c = c->bits ? yes : no;
    }
    return true;
}

bool parse_constant(struct parser *p, u64 *bits, bool *is_float, bool *is_f32)
{
    struct constant c = {0};
    if (!binary(p, &c, 0, 0)) return false;
    *bits = c.bits;
    *is_float = c.is_float;
    *is_f32 = c.is_f32;
    return true;
}

bool parse_offset(struct parser *p, u64 *offset)
{
    struct token t = p->lex.now;
    bool is_float, is_f32;
    if (lexer_is(&p->lex, '-')) {
        parser_error(p, &t, "'+' (a negative offset is written +-8)");
        return false;
    }
    if (!lexer_is(&p->lex, '+')) return true;
    if (!parse_constant(p, offset, &is_float, &is_f32)) return false;
    if (is_float) fail_at(p->fail, p->m->source, t.offset, "an offset cannot be a float");
    return !is_float;
}
