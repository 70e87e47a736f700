#include "vectors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/exec.h"

enum { OPERANDS = 6, LINE_MAX_BYTES = 512, SHOWN = 30, ROWS = 48 };
static const u64 SENTINEL = 0xa5a5dead5a5abeefull;

struct operand {
    char role;
    u64 value;     /* bits, a predicate's 0 or 1 */
    bool negated;
};

struct vector {
    struct form form;
    struct operand sources[OPERANDS], results[OPERANDS];
    u32 source_n, result_n;
    bool near;     /* results[0] is an f64 within results[1] of the truth */
    bool carry_in, carry_out, has_carry;
    u32 line;
};

/* a warp in a box: rows and predicates by fixed places */
struct box {
    _Alignas(64) u8 rows[ROWS * ROW_BYTES];
    u32 preds[16];
    struct block_state block;
    struct warp warp;
    struct effect effect;
};

struct batch {
    const char *path;
    struct vector vectors[LANES];
    u32 n;
    struct report *report;
};

void coverage_note(struct coverage *coverage, const struct form *form)
{
    const struct typed *t = isa_find(form);
    if (t) coverage->types[t - isa_typed] |= 1ull << form->type;
}

static enum op op_named(const char *name, size_t n)
{
    if (n == 4 && !memcmp(name, "pack", 4)) return OP_PACK;
    if (n == 6 && !memcmp(name, "unpack", 6)) return OP_UNPACK;
    return op_find(name, n);
}

bool form_parse(const char *text, struct form *form)
{
    bool packs = !strncmp(text, "cvt.pack.", 9);
    size_t n = packs ? 8 : strcspn(text, ".");
    u128 seen = 0;
    u8 types[3];
    u32 type_n = 0;
    *form = (struct form){.op = (u16)op_named(text, n)};
    while (form->op != OP_NONE && text[n] == '.') {
        text += n + 1;
        n = strcspn(text, ".");
        enum type type = type_find(text, n);
        if (type != T_NONE && type_n < COUNT_OF(types)) types[type_n++] = (u8)type;
        else if (n == 2 && text[0] == 'v') form->vector = (u8)(text[1] - '0');
        else if (form_word(form, &seen, text, n) != WORD_TAKEN) return false;
    }
    form_types(form, types, type_n);
    return form->op != OP_NONE && !form_missing(form, seen) && isa_supported(form);
}

static bool is_result(char role) { return strchr("dDvpqxy", role) != NULL; }

/* the k-th role of results or sources */
static char role_at(const struct form *f, bool result, u32 k)
{
    for (const char *r = op_roles(f); *r; r++)
        if (*r != '?' && is_result(*r) == result && k-- == 0) return *r;
    return result ? 'q' : 0;
}

/* operands that may not be left out */
static u32 sources_needed(const struct form *f)
{
    u32 n = 0;
    if (f->op == OP_PACK) return f->vector;
    for (const char *r = op_roles(f); *r; r++) {
        if (*r == '?') r++;
        else n += !is_result(*r);
    }
    return n;
}

static enum type role_type(const struct form *f, char role)
{
    static const enum type twice[TYPE_N] = {[T_U16] = T_U32, [T_S16] = T_U32, [T_U32] = T_U64,
                                            [T_S32] = T_U64};
    static const enum type parts[9] = {[1] = T_B8, [2] = T_B16, [4] = T_B32};
    bool part = f->op == OP_PACK ? role == 'a' : f->op == OP_UNPACK && role == 'd';
    if (part) return parts[type_bytes(f->type) / f->vector];
    switch (role) {
    case 'D': case 'C': return f->sub == HALF_WIDE ? twice[f->type] : f->type;
    case 'v': case 'u': return T_U32;
    case 'p': case 'q': case 'P': return T_PRED;
    case 'A': return f->type2;
    default: return f->type;
    }
}

static bool parse_operand(const char *token, struct operand *operand)
{
    operand->negated = token[0] == '!';
    token += operand->negated;
    if (token[0] == 'p') token++;
    char *end;
    operand->value = strtoull(token, &end, 16);
    return *end == 0;
}

static bool parse_line(char *text, struct vector *v)
{
    char *save, *token = strtok_r(text, " ", &save);
    bool results = false, good = token && form_parse(token, &v->form);
    while (good && (token = strtok_r(NULL, " ", &save))) {
        if (*token == '=' || *token == '~') {
            results = true;
            v->near = *token == '~';
        } else if (token[0] == 'k') {
            v->has_carry = true;
            if (results) v->carry_out = token[1] == '1';
            else v->carry_in = token[1] == '1';
        } else {
            u32 *n = results ? &v->result_n : &v->source_n;
            struct operand *o = results ? &v->results[*n] : &v->sources[*n];
            o->role = role_at(&v->form, results, (*n)++);
            good = *n < OPERANDS && o->role && parse_operand(token, o);
        }
    }
    return good && v->result_n && v->source_n >= sources_needed(&v->form);
}

static u32 source_row(u32 k) { return 16 + 4 * k; }
static u32 result_row(u32 k) { return 4 * k; }
static u32 source_pred(u32 k) { return 8 + k; }

static void put(struct box *box, u32 row, enum type type, u32 lane, u64 value)
{
    u8 *at = box->rows + row * ROW_BYTES;
    if (type_bytes(type) == 8) memcpy(at + 8 * lane, &value, 8);
    else memcpy(at + 4 * lane, &value, 4);
}

static u64 get(const struct box *box, u32 row, enum type type, u32 lane)
{
    const u8 *at = box->rows + row * ROW_BYTES;
    u64 value = 0;
    if (type_bytes(type) == 8) memcpy(&value, at + 8 * lane, 8);
    else memcpy(&value, at + 4 * lane, 4);
    return value;
}

/* narrow values: bits above the type must not matter to a reader */
static u64 dirty(enum type type, u64 value)
{
    u32 bytes = type_bytes(type);
    return bytes && bytes < 4 ? value | SENTINEL << 8 * bytes : value;
}

static void fill(struct box *box, const struct vector *v, u32 lane, struct ptx_inst *i)
{
    for (u32 k = 0; k < v->source_n; k++) {
        const struct operand *o = &v->sources[k];
        enum type type = role_type(&v->form, o->role);
        if (o->role == 'i') i->imm = (s64)o->value;
        if (type == T_PRED) {
            u32 *pred = &box->preds[source_pred(k)];
            *pred = (*pred & ~(1u << lane)) | (u32)o->value << lane;
            i->src[k] = source_pred(k);
            if (o->role == 'P') i->src_pred = (u8)source_pred(k);
            if (o->negated) i->form.flags |= FLAG_NEGATE_C;
        } else {
            put(box, source_row(k), type, lane, dirty(type, o->value));
            i->src[k] = source_row(k) * ROW_BYTES;
        }
    }
    if (v->carry_in) box->warp.carry |= 1u << lane;
}

static void prepare(struct box *box, const struct batch *b, struct ptx_inst *i, u32 mask)
{
    const struct vector *first = &b->vectors[0];
    memset(box, 0, sizeof *box);
    for (u32 k = 0; k < sizeof box->rows / 8; k++) memcpy(box->rows + 8 * k, &SENTINEL, 8);
    for (u32 k = 0; k < COUNT_OF(box->preds); k++) box->preds[k] = (u32)SENTINEL;
    *i = (struct ptx_inst){.form = first->form, .guard = PRED_NONE, .dst_pred = PRED_NONE,
                       .dst_pred2 = PRED_NONE, .src_pred = PRED_NONE, .address_bytes = 8};
    for (u32 k = 0; k < SRC_MAX; k++) i->src[k] = OPERAND_ABSENT;
    for (u32 k = 0; k < DST_MAX; k++) i->dst[k] = OPERAND_ABSENT;
    for (u32 k = 0; k < first->result_n; k++) {
        if (role_type(&first->form, first->results[k].role) != T_PRED || first->near)
            i->dst[k < DST_MAX ? k : 0] = result_row(k) * ROW_BYTES;
        else if (k == 0) i->dst_pred = 0;
        else i->dst_pred2 = 1;
    }
    box->warp.base[0] = box->rows;
    box->warp.pred = box->preds;
    memcpy(box->block.cluster_shape, (u32[3]){1, 1, 1}, sizeof box->block.cluster_shape);
    box->warp.block = &box->block;
    box->warp.effect = &box->effect;
    box->warp.executing = mask;
    for (u32 lane = 0; lane < LANES; lane++) fill(box, &b->vectors[lane % b->n], lane, i);
}

static double half_value(u32 h, u32 fraction_bits, s32 bias)
{
    s32 exponent = (s32)((h & 0x7fff) >> fraction_bits);
    double fraction = h & ((1u << fraction_bits) - 1);
    if (exponent) fraction += 1u << fraction_bits;
    double x = ldexp(fraction, (exponent ? exponent : 1) - bias - (s32)fraction_bits);
    return h & 0x8000 ? -x : x;
}

static double float_value(enum type type, u64 bits)
{
    float f;
    double d;
    u32 low = (u32)bits;
    memcpy(&f, &low, 4);
    memcpy(&d, &bits, 8);
    switch (type) {
    case T_F64: return d;
    case T_F16: return half_value(low, 10, 15);
    case T_BF16: return half_value(low, 7, 127);
    default: return (double)f;
    }
}

static bool result_ok(const struct vector *v, u32 k, enum type type, u64 is)
{
    if (!v->near) return is == v->results[k].value;
    double error = fabs(float_value(type, is) - float_value(T_F64, v->results[0].value));
    return error <= float_value(T_F64, v->results[1].value); /* NaN: not ok */
}

static void complain(const struct batch *b, const struct vector *v, u32 lane, const char *what,
                     u64 is)
{
    if (b->report->failures++ >= (b->report->shown ? b->report->shown : SHOWN)) return;
    struct text text = {0};
    form_show(&v->form, &text);
    fprintf(stderr, "# %s:%u: %s, lane %u: %s, is %llx\n", b->path, v->line, text_get(&text), lane,
            what, (unsigned long long)is);
    text_free(&text);
}

static void compare(const struct batch *b, const struct box *box, const struct ptx_inst *i,
                    u32 lane)
{
    const struct vector *v = &b->vectors[lane % b->n];
    bool runs = box->warp.executing >> lane & 1;
    for (u32 k = 0; k < (v->near ? 1 : v->result_n); k++) {
        enum type type = role_type(&v->form, v->results[k].role);
        bool pred = type == T_PRED;
        u64 is = pred ? box->preds[k] >> lane & 1 : get(box, i->dst[k] / ROW_BYTES, type, lane);
        u64 was = pred ? SENTINEL >> lane & 1 : SENTINEL;
        if (!pred && type_bytes(type) < 8) was = lane & 1 ? SENTINEL >> 32 : (u32)SENTINEL;
        if (runs ? !result_ok(v, k, type, is) : is != was)
            complain(b, v, lane, runs ? "wrong result" : "written but not executing", is);
    }
    if (v->has_carry && (box->warp.carry >> lane & 1) != (runs ? v->carry_out : v->carry_in))
        complain(b, v, lane, "wrong carry", box->warp.carry >> lane & 1);
}

/* the result on top of an operand of the same size, as allocation may place it */
static void run_in_place(struct batch *b, const struct exec_row *row, u32 source)
{
    struct box box;
    struct ptx_inst i;
    prepare(&box, b, &i, UINT32_MAX);
    if (i.dst[0] == OPERAND_ABSENT || i.src[source] == OPERAND_ABSENT) return;
    enum type type = role_type(&i.form, b->vectors[0].sources[source].role);
    enum type result = role_type(&i.form, b->vectors[0].results[0].role);
    if (type == T_PRED || (type_bytes(type) == 8) != (type_bytes(result) == 8)) return;
    i.dst[0] = i.src[source];
    row->run(&box.warp, &i);
    for (u32 lane = 0; lane < LANES; lane++) compare(b, &box, &i, lane);
}

static void run_batch(struct batch *b, struct coverage *coverage)
{
    static const u32 masks[] = {UINT32_MAX, 0x55555555, 0xffff0000, 0x80000001, 0x7fffffff, 0};
    if (!b->n) return;
    const struct vector *first = &b->vectors[0];
    const struct exec_row *row = exec_find(&first->form);
    coverage_note(coverage, &first->form);
    b->report->vectors += b->n;
    if (!row) {
        complain(b, first, 0, "no function is bound", 0);
    } else {
        for (u32 m = 0; m < COUNT_OF(masks); m++) {
            struct box box;
            struct ptx_inst i;
            prepare(&box, b, &i, masks[m]);
            row->run(&box.warp, &i);
            for (u32 lane = 0; lane < LANES; lane++) compare(b, &box, &i, lane);
        }
        for (u32 k = 0; k < first->source_n && k < SRC_MAX; k++) run_in_place(b, row, k);
    }
    b->n = 0;
}

static bool same_batch(const struct vector *a, const struct vector *b)
{
    if (memcmp(&a->form, &b->form, sizeof a->form) || a->near != b->near) return false;
    if (a->source_n != b->source_n || a->result_n != b->result_n) return false;
    for (u32 k = 0; k < a->source_n; k++) {
        const struct operand *x = &a->sources[k], *y = &b->sources[k];
        if (x->negated != y->negated || (x->role == 'i' && x->value != y->value)) return false;
    }
    return true;
}

void vectors_run(const char *path, struct coverage *coverage, struct report *report)
{
    static struct batch batch;
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "# cannot open %s\n", path);
        report->failures++;
        return;
    }
    char text[LINE_MAX_BYTES];
    batch = (struct batch){.path = path, .report = report};
    for (u32 line = 1; fgets(text, sizeof text, file); line++) {
        struct vector v = {.line = line};
        text[strcspn(text, "\n")] = 0;
        if (text[0] == 0 || text[0] == '#') continue;
        char copy[LINE_MAX_BYTES];
        memcpy(copy, text, sizeof copy);
        if (report->may_refuse && !form_parse(strtok(text, " "), &v.form)) {
            report->refused++;
            continue;
        }
        memcpy(text, copy, sizeof copy);
        if (!parse_line(text, &v)) {
            fprintf(stderr, "# %s:%u: not a vector: %s\n", path, line, copy);
            report->failures++;
            continue;
        }
        if (batch.n == LANES || (batch.n && !same_batch(&batch.vectors[0], &v)))
            run_batch(&batch, coverage);
        batch.vectors[batch.n++] = v;
    }
    run_batch(&batch, coverage);
    fclose(file);
}
