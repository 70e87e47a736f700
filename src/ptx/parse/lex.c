#include "ptx/parse/lex.h"

#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

void words_init(struct words *w, struct arena *arena)
{
    *w = (struct words){.arena = arena, .chain_n = 1024};
    w->chains = arena_array(arena, struct word *, w->chain_n);
}

static u32 hash_bytes(const char *text, size_t size)
{
    u32 h = 2166136261u;
    for (size_t i = 0; i < size; i++) h = (h ^ (u8)text[i]) * 16777619u;
    return h ^ h >> 15;
}

static void words_grow(struct words *w)
{
    u32 n = w->chain_n * 4;
    struct word **chains = arena_array(w->arena, struct word *, n);
    for (u32 i = 0; i < w->chain_n; i++) {
        for (struct word *x = w->chains[i], *next; x; x = next) {
            next = x->next;
            x->next = chains[x->hash & (n - 1)];
            chains[x->hash & (n - 1)] = x;
        }
    }
    w->chains = chains;
    w->chain_n = n;
}

static struct word *find_hashed(const struct words *w, const char *text, size_t size, u32 hash)
{
    struct word *x = w->chains[hash & (w->chain_n - 1)];
    for (; x; x = x->next) {
        if (x->hash == hash && x->size == size && !memcmp(x->text, text, size)) break;
    }
    return x;
}

const struct word *words_find(const struct words *w, const char *text, size_t size)
{
    return find_hashed(w, text, size, hash_bytes(text, size));
}

struct word *words_get(struct words *w, const char *text, size_t size)
{
    u32 hash = hash_bytes(text, size);
    struct word *x = find_hashed(w, text, size, hash);
    if (x) return x;
    if (w->word_n++ > w->chain_n) words_grow(w);
    x = arena_new(w->arena, struct word);
    x->text = arena_text(w->arena, text, size);
    x->size = (u32)size;
    x->hash = hash;
    x->next = w->chains[hash & (w->chain_n - 1)];
    w->chains[hash & (w->chain_n - 1)] = x;
    return x;
}

/* ---- bytes ---- */

enum { BAD_MAX = 10 }; /* bytes that cannot be PTX, until the text is rejected */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }
static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_text(char c) { return is_space(c) || (c >= 32 && c != 127) || (u8)c >= 128; }

static char byte_at(const struct lexer *l, size_t at)
{
    return at < l->size ? l->source->text[at] : 0;
}

static void give_up(struct lexer *l)
{
    l->at = l->size;
    l->hopeless = true;
}

/* Skips spaces and comments. A comment may contain any text byte. */
static void skip_blank(struct lexer *l)
{
    const char *text = l->source->text;
    while (l->at < l->size) {
        char c = text[l->at];
        if (c == '\n') {
            l->line++;
            l->fresh_line = true;
            l->at++;
        } else if (is_space(c)) {
            l->at++;
        } else if (c == '/' && byte_at(l, l->at + 1) == '/') {
            while (l->at < l->size && text[l->at] != '\n') l->at++;
        } else if (c == '/' && byte_at(l, l->at + 1) == '*') {
            size_t start = l->at;
            l->at += 2;
            while (l->at < l->size && !(text[l->at] == '*' && byte_at(l, l->at + 1) == '/')) {
                if (text[l->at++] == '\n') l->line++, l->fresh_line = true;
            }
            if (l->at >= l->size) {
                fail_at(l->fail, l->source, start, "unterminated comment");
                l->error_n++;
            }
            l->at = l->at + 2 < l->size ? l->at + 2 : l->size;
        } else {
            return;
        }
    }
}

/* ---- numbers ---- */

static int digit_of(char c)
{
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

static void bad_number(struct lexer *l, struct token *t, const char *what)
{
    fail_at(l->fail, l->source, t->offset, "%s", what);
    l->error_n++;
    t->kind = TOKEN_BAD;
}

/* Reads 0f or 0d with exactly 8 or 16 hexadecimal digits. */
static void read_bits(struct lexer *l, struct token *t, u32 digits)
{
    u32 n = 0;
    l->at += 2;
    for (int d; (d = digit_of(byte_at(l, l->at))) < 16; l->at++, n++)
        t->bits = t->bits << 4 | (u64)d;
    t->kind = TOKEN_FLOAT;
    t->is_f32 = digits == 8;
    if (n != digits || is_name(byte_at(l, l->at))) {
        while (is_name(byte_at(l, l->at))) l->at++;
        bad_number(l, t,
                   digits == 8 ? "a 0f constant has exactly 8 hexadecimal digits"
                               : "a 0d constant has exactly 16 hexadecimal digits");
    }
}

static void read_decimal_float(struct lexer *l, struct token *t)
{
    char buffer[64];
    u32 n = 0;
    for (;; l->at++) {
        char c = byte_at(l, l->at);
        char before = n ? buffer[(n < 64 ? n : 64) - 1] : 0;
        bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E');
        if (!is_name(c) && c != '.' && !sign) break;
        if (n < sizeof buffer) buffer[n] = c;
        n++;
    }
    t->kind = TOKEN_FLOAT;
    if (n >= sizeof buffer) {
        bad_number(l, t, "the number is too long");
        return;
    }
    buffer[n] = 0;
    char *end;
    double value = strtod(buffer, &end);
    memcpy(&t->bits, &value, sizeof value);
    if (*end) bad_number(l, t, "not a number");
}

static void read_number(struct lexer *l, struct token *t)
{
    char kind = byte_at(l, l->at + 1);
    bool zero = byte_at(l, l->at) == '0';
    if (zero && (kind == 'f' || kind == 'F')) {
        read_bits(l, t, 8);
        return;
    }
    if (zero && (kind == 'd' || kind == 'D')) {
        read_bits(l, t, 16);
        return;
    }
    u32 base = 10;
    size_t start = l->at;
    if (zero && (kind == 'x' || kind == 'X')) base = 16, l->at += 2;
    else if (zero && (kind == 'b' || kind == 'B')) base = 2, l->at += 2;
    else if (zero && is_digit(kind)) base = 8, l->at += 1;
    bool overflow = false;
    size_t digits = l->at;
    for (u32 d; (d = (u32)digit_of(byte_at(l, l->at))) < base; l->at++) {
        if (t->bits > (UINT64_MAX - d) / base) overflow = true;
        t->bits = t->bits * base + d;
    }
    t->kind = TOKEN_INT;
    char c = byte_at(l, l->at);
    if (base == 10 && (c == '.' || c == 'e' || c == 'E')) {
        l->at = start;
        t->bits = 0;
        read_decimal_float(l, t);
        return;
    }
    if (c == 'U' || c == 'u') c = byte_at(l, ++l->at);
    if (is_name(c) || l->at == digits) {
        while (is_name(byte_at(l, l->at))) l->at++;
        bad_number(l, t, "not a number");
    } else if (overflow) {
        bad_number(l, t, "the number does not fit into 64 bits");
    }
}

/* ---- tokens ---- */

static void read_string(struct lexer *l, struct token *t)
{
    const char *text = l->source->text;
    for (l->at++; l->at < l->size && text[l->at] != '"' && text[l->at] != '\n'; l->at++) {
        if (text[l->at] == '\\' && l->at + 1 < l->size && text[l->at + 1] != '\n') l->at++;
    }
    t->kind = TOKEN_STRING;
    if (l->at < l->size && text[l->at] == '"') l->at++;
    else bad_number(l, t, "unterminated string: expected '\"'");
}

static void read_dot(struct lexer *l, struct token *t)
{
    size_t start = ++l->at;
    while (is_name(byte_at(l, l->at)) ||
           (byte_at(l, l->at) == ':' && byte_at(l, l->at + 1) == ':' &&
            is_name(byte_at(l, l->at + 2)))) {
        l->at += byte_at(l, l->at) == ':' ? 2 : 1;
    }
    t->kind = TOKEN_DOT;
    t->word = words_get(&l->words, l->source->text + start, l->at - start);
}

static void read_bad(struct lexer *l, struct token *t)
{
    u8 c = (u8)l->source->text[l->at];
    t->kind = TOKEN_BAD;
    l->error_n++;
    if (++l->bad_n > BAD_MAX) {
        fail_at(l->fail, l->source, l->at, "not PTX text; giving up");
        give_up(l);
        t->kind = TOKEN_END;
        return;
    }
    if (c >= 32 && c < 127) fail_at(l->fail, l->source, l->at, "'%c' has no meaning in PTX", c);
    else fail_at(l->fail, l->source, l->at, "byte 0x%02x cannot appear in PTX text", c);
    while (l->at < l->size && (u8)l->source->text[l->at] == c) l->at++;
}

/* Distinguishes .5 from the .2d of tex.2d, which follows its opcode immediately. */
static bool behind_name(const struct lexer *l) { return l->at && is_name(byte_at(l, l->at - 1)); }

static void lexer_read(struct lexer *l, struct token *t)
{
    skip_blank(l);
    *t = (struct token){
        .kind = TOKEN_END, .line = l->line, .first_on_line = l->fresh_line, .offset = (u32)l->at};
    l->fresh_line = false;
    if (l->at >= l->size) return;
    char c = l->source->text[l->at], next = byte_at(l, l->at + 1);
    if (is_letter(c) || ((c == '_' || c == '$' || c == '%') && is_name(next)) || c == '_' ||
        c == '$') {
        size_t start = l->at++;
        while (is_name(byte_at(l, l->at))) l->at++;
        t->kind = TOKEN_WORD;
        t->word = words_get(&l->words, l->source->text + start, l->at - start);
    } else if (is_digit(c)) {
        read_number(l, t);
    } else if (c == '.' && is_digit(next) && !behind_name(l)) {
        read_decimal_float(l, t);
    } else if (c == '.' && is_name(next)) {
        read_dot(l, t);
    } else if (c == '"') {
        read_string(l, t);
    } else if (memchr("{}()[]<>,;:+-*/%!~|&^=@?.", c, 25)) {
        t->kind = TOKEN_PUNCT;
        t->punct = c;
        l->at++;
    } else {
        read_bad(l, t);
    }
    t->size = (u32)(l->at - t->offset);
}

void lexer_next(struct lexer *l)
{
    l->last_end = l->now.offset + l->now.size;
    l->braces += lexer_is(l, '{');
    l->braces -= lexer_is(l, '}') && l->braces;
    l->now = l->ahead;
    lexer_read(l, &l->ahead);
}

void lexer_skip_line(struct lexer *l)
{
    u32 line = l->now.line;
    if (l->ahead.line > line || l->ahead.kind == TOKEN_END) {
        lexer_next(l);
        return;
    }
    while (l->at < l->size && l->source->text[l->at] != '\n') l->at++;
    lexer_read(l, &l->now);
    lexer_read(l, &l->ahead);
}

/* Returns true for binary files (a cubin, a fatbin, an image): the source contains a NUL, or a
 * tenth of its beginning is not text. */
static bool looks_binary(const struct source *s, size_t size)
{
    size_t n = size < 4096 ? size : 4096, strange = 0;
    for (size_t i = 0; i < n; i++) {
        if (!s->text[i]) return true;
        strange += !is_text(s->text[i]) || (u8)s->text[i] >= 128;
    }
    return strange * 10 > n;
}

bool lexer_init(struct lexer *l, const struct source *source, struct arena *arena,
                struct fail *fail)
{
    *l = (struct lexer){
        .source = source, .fail = fail, .size = source->size, .line = 1, .fresh_line = true};
    words_init(&l->words, arena);
    while (l->size && !source->text[l->size - 1]) l->size--;
    if (l->size >= UINT32_MAX / 2) {
        fail_at(fail, source, 0, "a PTX text of %zu bytes is too large; the limit is 2 GB",
                l->size);
        return false;
    }
    if (looks_binary(source, l->size)) {
        fail_at(fail, source, 0, "not PTX text, but probably a binary file");
        fail_note(
            fail,
            "'nvcc -ptx' writes PTX; 'cuobjdump -ptx' extracts PTX from a cubin or an executable");
        return false;
    }
    lexer_read(l, &l->now);
    lexer_read(l, &l->ahead);
    return true;
}
