/* Products of matrices on the registers of a warp, shared by mma and wgmma: mma.c. */
#ifndef CORUN_PRODUCT_H
#define CORUN_PRODUCT_H

#include "exec/float/eight.h"
#include "isa/matrix.h"

/* Rows of the fragments, as of mma; of f64 and of 64-bit rows, 32 u64. */
struct product {
    const u32 *a[4], *b[4], *c[4];
    u32 *d[DST_MAX];
    u8 half;         /* ptx_inst.imm of mma */
    bool saturates;
    const u32 *metadata; /* of a sparse A */
    u8 selector;
};

/* Multiplies as a row of isa_mma or isa_mma_sp says. c and d may be the same rows. */
void product_run(const struct product *p, const struct matrix_row *r);
void product_sparse(const struct product *p, const struct matrix_row *r);

/* ---- sums of one row of A, for product_sparse ---- */

/* Adds products of a row of `k` elements, in f32, to the sums of 8 columns. f16: products of f16
 * floats. */
void product_floats(f32x8 *sums, const float *a, const f32x8 *b, u32 k, bool f16);

struct eight { /* float of 8 bits; exponent as in mma.c */
    float value;
    s32 exponent;
};
struct eight product_eight(u32 code, u8 type);
/* Returns the sum of C and the products of `k` elements. f16: sums are f16. */
float product_eights(const struct eight *a, const struct eight *b, u32 k, float c, bool f16);

#endif
