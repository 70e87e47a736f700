/* Gives each instruction the function that executes it. See exec.h. */
#include "exec/exec.h"

#include "isa/isa.h"

struct family {
    const struct exec_row *rows;
    const u32 *n;
};

static bool fits(u8 want, u8 is) { return want == EXEC_ANY || want == is; }

static bool row_fits(const struct exec_row *r, const struct form *f)
{
    return r->op == f->op && fits(r->type, f->type) && fits(r->type2, f->type2) &&
           fits(r->round, f->round == ROUND_NONE ? ROUND_RN : f->round) &&
           fits(r->compare, f->compare) && fits(r->sub, f->sub) && fits(r->space, f->space) &&
           fits(r->vector, f->vector) && (f->flags & r->flags_care) == r->flags;
}

const struct exec_row *exec_find(const struct form *f)
{
    static const struct family families[] = {
#define EXEC_FAMILY(name) {exec_##name##_rows, &exec_##name##_row_n},
        EXEC_FAMILIES(EXEC_FAMILY)
        {NULL, NULL},
    };
    if (!isa_supported(f)) return NULL;
    for (const struct family *family = families; family->rows; family++)
        for (u32 i = 0; i < *family->n; i++)
            if (row_fits(&family->rows[i], f)) return &family->rows[i];
    return NULL;
}

bool exec_bind(struct program *p)
{
    for (u32 pc = 0; pc < p->code_n; pc++) {
        const struct exec_row *row = exec_find(&p->code[pc].form);
        if (!row) return false;
        p->code[pc].run = row->run;
    }
    p->step = warp_step_inst;
    return true;
}
