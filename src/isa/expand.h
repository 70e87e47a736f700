/* Machine instructions of PTX: the number of each class that the assembler ptxas makes of a form
 * (expand.def). ptx/expand.c reads the table for machines with exec.expand: ptxas. */
#ifndef CORUN_EXPAND_H
#define CORUN_EXPAND_H

#include "isa/ptx_inst.h"

/* Class of a machine instruction; a sequence issues in the order of the classes. */
enum machine_class {
    MACHINE_CTL, /* branches, calls, barriers, special registers */
    MACHINE_INT, /* integer sums, logic, shifts, comparisons, selection, moves */
    MACHINE_MAD, /* integer products */
    MACHINE_FP,  /* float and half */
    MACHINE_DP,  /* double */
    MACHINE_SFU, /* transcendental functions, conversions, counts of bits */
    MACHINE_N
};
enum unit machine_unit(enum machine_class class);
enum cost machine_cost(enum machine_class class);

struct expansion { u8 n[MACHINE_N]; }; /* number of machine instructions of each class */
u32 expansion_total(const struct expansion *e);

/* Returns the expansion of a form by itself. constant: the last source is a constant, else a
 * register. NULL: one machine instruction, of the form's own unit. */
const struct expansion *isa_expansion(const struct form *f, bool constant);

/* Returns the expansion of `to` after absorbing `from`, the instruction of a source of `to`; `from`
 * then needs no machine instruction. No instruction in the result: `to` stays unchanged. NULL: the
 * two do not fuse. constant: as above, for `from`. capability: times ten. */
const struct expansion *isa_fusion(const struct form *from, bool constant, const struct form *to,
                                   u32 capability);

#endif
