#include "ptx/ptx.h"
#include "isa/isa.h"
#include "isa/matrix.h"

#include <string.h>

static void show_operand(const struct program *p, u32 o, struct text *out)
{
    u32 offset = o & ~OPERAND_CONST, word;
    if (o == OPERAND_ABSENT) text_add(out, "_");
    else if (!(o & OPERAND_CONST)) text_add(out, "r%u", offset / ROW_BYTES);
    else if (offset + 4 <= p->ptx->constant_bytes)
        memcpy(&word, p->ptx->constants + offset, 4), text_add(out, "0x%x", word);
    else text_add(out, "%u", offset);
}

static void show_separator(u32 *n, struct text *out) { text_add(out, (*n)++ ? ", " : " "); }

static void show_predicate(u8 pred, const char *sign, u32 *n, struct text *out)
{
    if (pred == PRED_NONE) return;
    show_separator(n, out);
    text_add(out, "%sp%u", sign, pred);
}

void ptx_show(const struct program *p, u32 pc, struct text *out)
{
    const struct ptx_inst *i = &p->ptx->code[pc];
    u32 n = 0;
    if (i->guard != PRED_NONE) text_add(out, "@%sp%u ", i->guard_negated ? "!" : "", i->guard);
    form_show(&i->form, out);
    for (u32 k = 0; k < DST_MAX; k++) {
        if (i->dst[k] == OPERAND_ABSENT) continue;
        show_separator(&n, out);
        show_operand(p, i->dst[k], out);
    }
    show_predicate(i->dst_pred, "", &n, out);
    show_predicate(i->dst_pred2, "", &n, out);
    bool memory = i->form.op == OP_LD || i->form.op == OP_ST || i->form.op == OP_ATOM ||
                  i->form.op == OP_RED || i->form.op == OP_MBARRIER || i->form.op == OP_CP_ASYNC ||
                  i->form.op == OP_WMMA_LOAD || i->form.op == OP_WMMA_STORE ||
                  i->form.op == OP_LDMATRIX || i->form.op == OP_STMATRIX;
    for (u32 k = 0; k < SRC_MAX; k++) {
        if (i->src[k] == OPERAND_ABSENT && !(memory && !k)) continue;
        show_separator(&n, out);
        bool negated = i->form.op == OP_FMA &&
                       ((k == 0 && i->form.flags & FLAG_NEGATE_A) ||
                        (k == 2 && i->form.flags & FLAG_NEGATE_C));
        if (negated) text_add(out, "-");
        if (memory && !k) text_add(out, "[");
        if (i->src[k] != OPERAND_ABSENT) show_operand(p, i->src[k], out);
        if (memory && !k) text_add(out, "%+lld]", (long long)i->imm);
    }
    bool mma = matrix_product(i->form.op) && !matrix_group(i->form.op);
    for (u32 k = 0; k < MATRIX_SRC_MAX && mma; k++) {
        u32 operand = p->ptx->operands[i->aux + k];
        if (operand == OPERAND_ABSENT) continue;
        show_separator(&n, out);
        show_operand(p, operand, out);
    }
    show_predicate(i->src_pred, i->form.flags & FLAG_NEGATE_C ? "!" : "", &n, out);
    if (i->target != PC_NONE) text_add(out, " -> %u", i->target);
    if (i->reconverge != PC_NONE) text_add(out, " (meet at %u)", i->reconverge);
    text_add(out, "  // line %u", p->code[pc].line);
}
