/* Parts of `expand`: merged loads (vector.c), facts of registers, uniform registers (uniform.c)
 * and machine instructions for operands (operands.c). */
#ifndef CORUN_PTX_EXPAND_H
#define CORUN_PTX_EXPAND_H

#include "ptx/body.h"

/* From these capabilities on: parameters take loads (operands.c); 64 bits are one operation. */
enum { LOADS_PARAMETERS = 90, WIDE_INTEGERS = 120 };

struct def { /* of a register */
    u32 step, use_n, absorbed_n;
    bool several; /* more than one step writes the register */
    bool stored;  /* a store reads the register */
};

struct expanding {
    struct body *b;
    u32 capability;
    struct def *defs;  /* [register] */
    bool *uniform;     /* [register] same value in all lanes of a warp */
    u32 *block_of;     /* [step] */
    u32 *absorbs;      /* [step] the absorbed step, NO_INDEX: none */
    u32 step;          /* of a walk */
};

/* Merges loads of neighbouring words of shared memory into loads of vectors. */
void vectors_merge(struct body *b);

/* Marks registers with the same value in all lanes of a warp. */
void uniform_find(const struct body *b, bool *uniform);

/* Adds machine instructions that bring operands to registers (step.loads). */
void operands_load(struct expanding *x);

#endif
