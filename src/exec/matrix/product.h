/* Products of matrices on the registers of a warp, shared by mma and wgmma: mma.c. */
#ifndef CORUN_PRODUCT_H
#define CORUN_PRODUCT_H

#include "isa/matrix.h"

/* Rows of the fragments, as of mma; of f64 and of 64-bit rows, 32 u64. */
struct product {
    const u32 *a[4], *b[2], *c[4];
    u32 *d[DST_MAX];
    u8 half;         /* ptx_inst.imm of mma */
    bool saturates;
};

/* Multiplies as a row of isa_mma says. c and d may be the same rows. */
void product_run(const struct product *p, const struct matrix_row *r);

#endif
