/* Parses an instruction: guard, opcode with its modifiers, operands. The tables of isa/ define the
 * words. Source: PTX ISA manual, sections 4.2.2 and 9. */
#include "ptx/parse/parser.h"

#include <stdio.h>
#include <string.h>
#include "isa/matrix.h"

enum { OPERANDS_MAX = 10 };

struct words_seen { /* state while the opcode is read */
    struct matrix_words matrix;
    u128 seen;
    u8 types[3];
    u32 type_n;
    bool hint; /* .L2::cache_hint: the last operand is a cache policy */
};

static bool parse_guard(struct parser *p, struct stmt *s)
{
    u8 type;
    u32 elements;
    s->guard = NO_INDEX;
    if (!parser_accept(p, '@')) return true;
    s->guard_negated = parser_accept(p, '!');
    struct token t = p->lex.now;
    if (t.kind != TOKEN_WORD) {
        parser_error(p, &t, "a predicate after '@'");
        return false;
    }
    if (!scope_register(p, t.word, &s->guard, &type, &elements)) {
        scope_unknown(p, &t, "predicate");
        return false;
    }
    if (type != T_PRED) {
        fail_at(p->fail, p->m->source, t.offset, "a guard is a .pred register; '%s' is .%s",
                t.word->text, type_name((enum type)type));
        return false;
    }
    lexer_next(&p->lex);
    return true;
}

/* Handles opcodes of several words. */
static void parse_long_name(struct parser *p, struct stmt *s)
{
    static const struct {
        u16 op, longer;
        const char *word;
    } names[] = {{OP_CVT, OP_CVT_PACK, "pack"},
                 {OP_BARRIER, OP_BARRIER_CLUSTER, "cluster"},
                 {OP_CP, OP_CP_ASYNC, "async"},
                 {OP_CP_ASYNC, OP_CP_COMMIT, "commit_group"},
                 {OP_CP_ASYNC, OP_CP_WAIT_GROUP, "wait_group"},
                 {OP_CP_ASYNC, OP_CP_WAIT_ALL, "wait_all"},
                 {OP_CP_ASYNC, OP_CP_MBARRIER, "mbarrier"},
                 {OP_CP_ASYNC, OP_CP_BULK, "bulk"},
                 {OP_ST, OP_ST_ASYNC, "async"},
                 {OP_RED, OP_RED_ASYNC, "async"},
                 {OP_CP_BULK, OP_CP_BULK_COMMIT, "commit_group"},
                 {OP_CP_BULK, OP_CP_BULK_WAIT, "wait_group"},
                 {OP_CP_BULK, OP_CP_TENSOR, "tensor"},
                 {OP_CP_BULK, OP_CP_BULK_PREFETCH, "prefetch"},
                 {OP_CP_BULK_PREFETCH, OP_CP_PREFETCH_TENSOR, "tensor"},
                 {OP_CP, OP_CP_REDUCE, "reduce"},
                 {OP_CP_REDUCE, OP_CP_REDUCE, "async"},
                 {OP_CP_REDUCE, OP_CP_REDUCE, "bulk"},
                 {OP_CP_REDUCE, OP_CP_REDUCE_TENSOR, "tensor"},
                 {OP_WGMMA, OP_WGMMA_SP, "sp"}};
    u16 op = s->form.op;
    if (op != OP_BARRIER && op != OP_CP && op != OP_CVT && op != OP_WGMMA && op != OP_ST &&
        op != OP_RED)
        return;
    for (u32 i = 0; i < COUNT_OF(names); i++)
        if (s->form.op == names[i].op && parser_accept_dot(p, names[i].word))
            s->form.op = names[i].longer;
}

/* Finds matrix opcodes such as "wmma.load": the first word alone is not an opcode, or is another
 * opcode. */
static enum op two_words(const struct token *first, const struct token *next)
{
    static const char *const starts[] = {"mma", "wmma", "wgmma", "tensormap"};
    char name[40];
    for (u32 k = 0; k < COUNT_OF(starts); k++) {
        if (strcmp(first->word->text, starts[k])) continue;
        bool behind = next->kind == TOKEN_DOT && next->offset == first->offset + first->size;
        if (!behind || first->size + next->word->size + 2 > sizeof name) return OP_NONE;
        int n = snprintf(name, sizeof name, "%s.%s", first->word->text, next->word->text);
        return op_find(name, (size_t)n);
    }
    return OP_NONE;
}

static bool parse_opcode(struct parser *p, struct stmt *s)
{
    struct token t = p->lex.now;
    if (t.kind != TOKEN_WORD) {
        parser_error(p, &t, "an instruction");
        return false;
    }
    s->form.op = (u16)two_words(&t, &p->lex.ahead);
    if (s->form.op) lexer_next(&p->lex);
    else s->form.op = (u16)op_find(t.word->text, t.word->size);
    s->form.vector = 1;
    s->offset = t.offset;
    s->line = t.line;
    lexer_next(&p->lex);
    parse_long_name(p, s);
    if (s->form.op) return true;
    fail_at(p->fail, p->m->source, t.offset, "instruction '%s' is not known", t.word->text);
    if (p->fail->error_n > FAIL_MAX) return false;
    struct nearest near;
    nearest_init(&near, t.word->text);
    op_nearest(&near);
    fail_nearest(p->fail, &near);
    return false;
}

static bool bad_word(struct parser *p, const struct stmt *s, enum word_result why)
{
    const struct token *t = &p->lex.now;
    const char *op = op_name((enum op)s->form.op);
    if (why == WORD_TWICE) {
        fail_at(p->fail, p->m->source, t->offset, "'.%s' contradicts an earlier modifier of '%s'",
                t->word->text, op);
        return false;
    }
    fail_at(p->fail, p->m->source, t->offset, "'%s' has no modifier or type '.%s'", op,
            t->word->text);
    if (p->fail->error_n > FAIL_MAX) return false;
    struct nearest near;
    nearest_init(&near, t->word->text);
    form_nearest(&s->form, &near);
    for (u32 i = T_NONE + 1; i < TYPE_N; i++) nearest_offer(&near, type_name((enum type)i));
    fail_nearest(p->fail, &near);
    return false;
}

/* Returns true for matrix products. Their modifiers follow the rows of matrix.def; a combination
 * without a row is rejected. */
static bool is_product(const struct form *f)
{
    return matrix_product(f->op);
}

static bool parse_word(struct parser *p, struct stmt *s, struct words_seen *w)
{
    const struct token *t = &p->lex.now;
    if (is_product(&s->form)) {
        if (!matrix_word(&w->matrix, t->word->text, t->word->size)) s->refused = true;
        return true;
    }
    u16 op = s->form.op;
    bool cached = op == OP_LD || op == OP_ST || op == OP_ATOM || op == OP_RED ||
                  op == OP_CP_ASYNC || op == OP_CP_BULK || op == OP_CP_TENSOR ||
                  op == OP_CP_REDUCE_TENSOR || op == OP_CP_PREFETCH_TENSOR ||
                  op == OP_CP_REDUCE || op == OP_CP_BULK_PREFETCH;
    if (cached && !w->hint && !strcmp(t->word->text, "L2::cache_hint")) {
        w->hint = true;
        return true;
    }
    enum type type = type_find(t->word->text, t->word->size);
    if (type != T_NONE && w->type_n < COUNT_OF(w->types)) {
        w->types[w->type_n++] = (u8)type;
        return true;
    }
    enum word_result r = form_word(&s->form, &w->seen, t->word->text, t->word->size);
    if (r == WORD_UNSUPPORTED) s->refused = true;
    return r == WORD_TAKEN || r == WORD_UNSUPPORTED || bad_word(p, s, r);
}

static bool settle_types(struct parser *p, struct stmt *s, const struct words_seen *w)
{
    u32 wanted = op_type_n(&s->form);
    if (is_product(&s->form) && !matrix_form(&w->matrix, &s->form)) s->refused = true;
    if (s->refused || is_product(&s->form)) return true;
    const char *op = op_name((enum op)s->form.op), *missing = form_missing(&s->form, w->seen);
    if (missing) {
        fail_at(p->fail, p->m->source, s->offset, "'%s' needs %s", op, missing);
        return false;
    }
    if (!form_types(&s->form, w->types, w->type_n)) {
        static const char *const counts[] = {"no type", "one type", "two types", "three types"};
        fail_at(p->fail, p->m->source, s->offset, "'%s' takes %s, for example .s32; found %u", op,
                counts[wanted & 3], w->type_n);
        return false;
    }
    return true;
}

/* Skips the operands of a rejected instruction, of any form, to the end of the statement. */
static bool skip_operands(struct parser *p)
{
    if (parser_skip(p)) return true;
    fail_at(p->fail, p->m->source, p->lex.last_end, "expected ';' at the end of the statement");
    return false;
}

static bool parse_label_operand(struct parser *p, struct stmt *s)
{
    struct token t = p->lex.now;
    struct arg a = {.kind = ARG_LABEL, .offset = t.offset, .index = 0, .second = NO_INDEX};
    if (t.kind != TOKEN_WORD) {
        parser_error(p, &t, "a label");
        return false;
    }
    s->arg_n = 1;
    s->arg = parse_args_push(p, &a, 1);
    parse_note_label(p, s->arg, t.word);
    lexer_next(&p->lex);
    return true;
}

static bool parse_brx(struct parser *p, struct stmt *s)
{
    struct arg a[2];
    if (!parse_arg(p, &a[0]) || !parser_expect(p, ',', "and the list of targets")) return false;
    struct token t = p->lex.now;
    const struct binding *b = t.kind == TOKEN_WORD ? scope_find(p, t.word) : NULL;
    if (!b || b->kind != BIND_TABLE) {
        if (t.kind == TOKEN_WORD) scope_unknown(p, &t, ".branchtargets list");
        else parser_error(p, &t, "the name of a .branchtargets list");
        return false;
    }
    a[1] = (struct arg){
        .kind = ARG_TABLE, .offset = t.offset, .index = b->index, .n = b->n, .second = NO_INDEX};
    lexer_next(&p->lex);
    s->arg_n = 2;
    s->arg = parse_args_push(p, a, 2);
    return true;
}

static bool parse_prototype_name(struct parser *p, struct arg *a)
{
    struct token t = p->lex.now;
    const struct binding *b = t.kind == TOKEN_WORD ? scope_find(p, t.word) : NULL;
    if (!b || b->kind != BIND_PROTOTYPE) {
        if (t.kind == TOKEN_WORD) scope_unknown(p, &t, "call prototype");
        else parser_error(p, &t, "the name of a .callprototype");
        return false;
    }
    *a = (struct arg){
        .kind = ARG_PROTOTYPE, .offset = t.offset, .index = b->index, .second = NO_INDEX};
    lexer_next(&p->lex);
    return true;
}

/* Parses call (results), function, (arguments), prototype: always four arguments of the
 * statement. */
static bool parse_call(struct parser *p, struct stmt *s)
{
    struct arg a[4] = {{.kind = ARG_LIST}, {0}, {.kind = ARG_LIST}, {.kind = ARG_NONE}};
    bool taken = false;
    if (parser_accept(p, '(')) {
        if (!parse_call_list(p, &a[0]) || !parser_expect(p, ',', "and the function")) return false;
    }
    struct token t = p->lex.now;
    const struct binding *b = t.kind == TOKEN_WORD ? scope_find(p, t.word) : NULL;
    if (b && b->kind == BIND_FUNCTION) taken = p->m->funcs[b->index].address_taken;
    if (!parse_arg(p, &a[1])) return false;
    if (a[1].kind == ARG_FUNCTION) {
        p->m->funcs[a[1].index]
            .address_taken = taken; /* a call by name does not take the address */
    } else if (a[1].kind != ARG_REG) {
        parser_error(p, &t, "a function or a register with the address of a function");
        return false;
    }
    if (parser_accept(p, ',')) {
        bool list = parser_accept(p, '(');
        if (list && !parse_call_list(p, &a[2])) return false;
        if ((!list || parser_accept(p, ',')) && !parse_prototype_name(p, &a[3])) return false;
    }
    s->arg_n = 4;
    s->arg = parse_args_push(p, a, 4);
    return true;
}

/* ---- video: operands with parts ---- */

/* Parses "b3" or "h1" of a scalar: enum part. */
static bool scalar_part(const char *word, u32 *part)
{
    u32 most = word[0] == 'b' ? 3 : 1, k = (u32)(u8)word[1] - '0';
    *part = (word[0] == 'b' ? (u32)PART_BYTE : (u32)PART_HALF) + k;
    return (word[0] == 'b' || word[0] == 'h') && k <= most && !word[2];
}

/* Parses "h10" or "b7610", the highest lane first: all lanes of a source, the written lanes of a
 * result. */
static bool vector_part(const char *word, u32 lanes, bool is_result, u32 *part)
{
    size_t n = strlen(word + 1);
    bool good = word[0] == (lanes == 2 ? 'h' : 'b') && (is_result ? n && n <= lanes : n == lanes);
    *part = 0;
    for (size_t i = 0; good && i < n; i++) {
        u32 k = (u32)(u8)word[1 + i] - '0';
        good = k < (is_result ? lanes : 2 * lanes);
        *part |= is_result ? 1u << (k & 7) : k << 3 * (n - 1 - i);
    }
    return good;
}

/* Parses a part that immediately follows the name of operand i. */
static bool parse_part(struct parser *p, const struct stmt *s, u32 i, u32 *code)
{
    static const u8 places[] = {VIDEO_RESULT, VIDEO_A, VIDEO_B};
    struct token t = p->lex.now;
    u32 lanes = op_video((enum op)s->form.op), part;
    if (t.kind != TOKEN_DOT || t.offset != p->lex.last_end) return true;
    bool good = i < COUNT_OF(places) && (lanes == 1 ? scalar_part(t.word->text, &part)
                                                    : vector_part(t.word->text, lanes, !i, &part));
    if (!good) {
        fail_at(p->fail, p->m->source, t.offset, "'.%s' is not part of the operand",
                t.word->text);
        return false;
    }
    u32 all = i ? 0xfffu : 0xfu;
    *code = (*code & ~(all << places[i])) | part << places[i];
    lexer_next(&p->lex);
    return true;
}

static u32 whole_operands(u32 lanes)
{
    if (lanes == 1) return 0;
    return lanes == 2 ? 010u << VIDEO_A | 032u << VIDEO_B | 3u << VIDEO_RESULT
                      : 03210u << VIDEO_A | 07654u << VIDEO_B | 15u << VIDEO_RESULT;
}

static bool parse_video(struct parser *p, struct stmt *s, const struct words_seen *w)
{
    struct arg a[5];
    u32 n = 0, lanes = op_video((enum op)s->form.op), code = whole_operands(lanes);
    bool two = w->type_n == 2; /* vset has no type of its own */
    u8 b_type = w->types[two ? 1 : 2];
    s->form.type = two ? (u8)T_U32 : w->types[0];
    s->form.type2 = w->types[two ? 0 : 1];
    if (b_type == T_S32) code |= VIDEO_B_SIGNED;
    do {
        if (n == 4) {
            fail_at(p->fail, p->m->source, p->lex.now.offset, "'%s' has too many operands",
                    op_name((enum op)s->form.op));
            return false;
        }
        if (!parse_arg(p, &a[n]) || !parse_part(p, s, n, &code)) return false;
        n++;
    } while (parser_accept(p, ','));
    bool merges = lanes == 1 && s->form.op != OP_VMAD && (s->form.sub || code >> VIDEO_RESULT & 15);
    if (lanes == 1 && s->form.op != OP_VMAD && n >= 3 && merges != (n == 4)) {
        fail_at(p->fail, p->m->source, s->offset, "'%.*s' takes %s operands", STMT_NAME(p->m, s),
                merges ? "4" : "3");
        return false;
    }
    a[n] = (struct arg){.kind = ARG_INT, .value = code, .second = NO_INDEX, .offset = s->offset};
    s->arg_n = (u8)(n + 1);
    s->arg = parse_args_push(p, a, n + 1);
    return true;
}

/* Unwraps {element} where a vector move allows one element, and turns an array element into an
 * address without brackets. */
static void unwrap(struct parser *p, const struct stmt *s, struct arg *a)
{
    u16 op = s->form.op;
    bool surface = op == OP_SULD || op == OP_SUST || op == OP_SURED;
    bool memory = op == OP_LD || op == OP_LDU || op == OP_ST || op == OP_ST_ASYNC;
    bool single = surface || ((memory || op == OP_MOV) && s->form.vector == 1);
    if (single && a->kind == ARG_VECTOR && a->n == 1)
        *a = parser_func(p)->args[a->index];
    if (a->kind != ARG_SYMBOL) return;
    if (memory && a->n) *a = (struct arg){.kind = ARG_ADDRESS, .base = ARG_SYMBOL,
                                          .index = a->index, .value = a->value,
                                          .offset = a->offset, .second = NO_INDEX};
    a->n = 0;
}

/* Model: a cache policy has no effect (guess). A cache policy has 64 bits. */
static bool is_policy(struct parser *p, const struct stmt *s, const struct arg *a, u32 n)
{
    bool reg = n && a[n - 1].kind == ARG_REG && a[n - 1].type != T_PRED &&
               type_bytes((enum type)a[n - 1].type) == 8;
    if (reg || (n && a[n - 1].kind == ARG_INT)) return true;
    fail_at(p->fail, p->m->source, n ? a[n - 1].offset : s->offset,
            "'%.*s' expects a cache policy of 64 bits as last operand", STMT_NAME(p->m, s));
    return false;
}

static bool parse_operands(struct parser *p, struct stmt *s, bool hint)
{
    struct arg a[OPERANDS_MAX];
    u32 n = 0;
    if (!lexer_is(&p->lex, ';') && !lexer_is(&p->lex, '}') && !parser_at_start(p)) {
        do {
            if (n == OPERANDS_MAX) {
                fail_at(p->fail, p->m->source, p->lex.now.offset, "'%s' has too many operands",
                        op_name((enum op)s->form.op));
                return false;
            }
            if (!parse_arg(p, &a[n])) return false;
            unwrap(p, s, &a[n]);
            n++;
        } while (parser_accept(p, ','));
    }
    if (hint && !is_policy(p, s, a, n)) return false;
    s->arg_n = (u8)(n - hint);
    s->arg = parse_args_push(p, a, n - hint);
    return true;
}

bool parse_instruction(struct parser *p)
{
    struct stmt s = {0};
    struct words_seen w = {0};
    if (!parse_guard(p, &s) || !parse_opcode(p, &s)) return false;
    s.refused = op_refused((enum op)s.form.op);
    bool ok = true;
    for (; p->lex.now.kind == TOKEN_DOT && p->lex.now.offset == p->lex.last_end;
         lexer_next(&p->lex)) {
        if (!s.refused && !parse_word(p, &s, &w)) ok = false;
    }
    s.size = (u16)min_u32(p->lex.last_end - s.offset, UINT16_MAX);
    if (!ok || !settle_types(p, &s, &w)) return false;
    if (s.refused) {
        if (!skip_operands(p)) return false;
    } else {
        switch (s.form.op) {
        case OP_BRA: ok = parse_label_operand(p, &s); break;
        case OP_BRX: ok = parse_brx(p, &s); break;
        case OP_CALL: ok = parse_call(p, &s); break;
        default:
            ok = op_video((enum op)s.form.op) ? parse_video(p, &s, &w)
                                              : parse_operands(p, &s, w.hint);
            break;
        }
        u32 end = p->lex.last_end;
        if (!ok || !parser_semicolon(p)) return false;
        ok = check_statement(p, &s, end);
    }
    if (ok) *arena_push(p->arena, parser_func(p)->stmts, parser_func(p)->stmt_n, p->stmt_room) = s;
    return true;
}
