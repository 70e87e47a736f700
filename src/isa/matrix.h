/* Matrices in the registers of a warp: the mapping of elements to lanes and registers. A matrix
 * consists of one or more tiles, each an operand of mma: tiles of A and C have 16 or 8 rows, tiles
 * of B and C 8 columns. A 32-bit register holds as many consecutive elements as fit.
 * Source: PTX ISA manual, matrix fragments of mma.m16n8k16 and others. */
#ifndef CORUN_MATRIX_H
#define CORUN_MATRIX_H

#include "base/text.h"
#include "isa/ptx_inst.h"

enum matrix_variant { /* mma: layouts of A and B in registers, or bit operation */
    MATRIX_ROW_COL, MATRIX_ROW_ROW, MATRIX_COL_COL, MATRIX_COL_ROW, MATRIX_WMMA, MATRIX_XOR,
    MATRIX_AND, MATRIX_SPARSE
};
struct matrix_row { /* row of matrix.def */
    u8 m, n, d, a, b, c, variant, class, work;
    u16 k;
};
extern const struct matrix_row isa_mma[], isa_wmma[], isa_wgmma[], isa_mma_sp[], isa_wgmma_sp[];
extern const u32 isa_mma_n, isa_wmma_n, isa_wgmma_n, isa_mma_sp_n, isa_wgmma_sp_n;

bool matrix_product(u32 op); /* True for products of matrices. */
bool matrix_group(u32 op);   /* True for products of four warps, wgmma.mma_async. */

/* Sparse A (mma.sp, wgmma.mma_async.sp): the stored half of the elements is A here, of k / 2
 * columns. Each chunk of elements in a row of the whole matrix has 4 bits of metadata, two numbers
 * of stored elements: of 2 of 4 elements of 8 or 16 bits, of 1 of 2 of tf32 (as two halves), of
 * 2 of 4 pairs of 4 bits. */
bool matrix_sparse(u32 op);
u32 matrix_chunk(u8 type); /* Returns the elements of a chunk. */
/* Returns how many lanes of each four have metadata: all of a chunk. The selector, less than 4
 * divided by the number, chooses the lanes. */
u32 matrix_metadata_lanes(const struct matrix_row *r);

/* wgmma.mma_async: form.vector is the number of columns / 8, up to 32, and the row's n is 8, the
 * columns of a part. A part of a warp is a product of isa_mma or isa_mma_sp: matrix_part. */
enum { WGMMA_ROWS = 64, WGMMA_PARTS_MAX = 32, WGMMA_SUMS_MAX = 4 * WGMMA_PARTS_MAX };
/* ptx_inst.imm: A in shared memory, A or B stored along m or n, sign of the products; from
 * WGMMA_SELECTOR on the selector of metadata. imm of mma.sp: the selector. */
enum wgmma_how { WGMMA_SHARED_A = 1, WGMMA_TURNED_A = 2, WGMMA_TURNED_B = 4, WGMMA_NEGATED = 8,
                 WGMMA_SELECTOR = 16 };
enum { WGMMA_AT_METADATA = 5 }; /* source */
const struct matrix_row *matrix_part(const struct form *f);

/* Returns the row whose number is form.sub of a product. */
const struct matrix_row *matrix_row(const struct form *f);

/* The words after the name of a product. */
struct matrix_words {
    u32 m, n, k;
    u8 types[4], layouts[2]; /* layouts: 1 is .col */
    u32 type_n, layout_n;
    bool sync, aligned, popc, satfinite;
    u8 bits; /* MATRIX_XOR, MATRIX_AND or 0 */
};
/* Adds a word. False: unknown word. */
bool matrix_word(struct matrix_words *w, const char *word, size_t n);
/* Fills types, sub, compare and flags of a form with a given op. False: no row matches the
 * words. */
bool matrix_form(const struct matrix_words *w, struct form *f);
/* Appends the words after the name of a product. */
void matrix_show(const struct form *f, struct text *out);

/* form.sub of wmma.load and wmma.store: shape | layout | role. */
enum wmma_shape { WMMA_16_16_16, WMMA_32_8_16, WMMA_8_32_16, WMMA_16_16_8, WMMA_8_8_4, WMMA_8_8_32,
                  WMMA_8_8_128, WMMA_SHAPE = 7 };
enum { WMMA_COL = 8, MATRIX_TRANS = 1 /* ldmatrix, stmatrix, movmatrix */ };
enum wmma_role { WMMA_A = 0, WMMA_B = 16, WMMA_C = 32, WMMA_ROLE = 48 };

/* The registers that hold a matrix operand: count and type per lane. */
struct fragment {
    u32 n;
    u8 type; /* T_B32, T_F32 or T_F64 */
};
struct fragment matrix_fragment(const struct form *f, char role);

/* The division of a matrix into tiles by wmma.load, wmma.store and wmma.mma. With m = 8 and n = 32
 * all matrices are transposed: mma multiplies the transpose of B by the transpose of A, and the
 * matrix A has tiles of kind B. In tiles of kind A (m x k) and C (m x n), x is the row and y the
 * column; in tiles of kind B, x is the column and y the row. Model: the manual does not specify
 * where the elements of wmma are; corun places them as in mma, tile by tile, as from Turing on
 * (guess). PTX gives f16 A and B matrices 8 registers each; the registers without elements are
 * unused. */
struct tiles {
    u8 kind;          /* enum wmma_role */
    bool tall;        /* extent along x is 16, not 8 */
    bool beside;      /* tiles follow each other along y, not x */
    bool y_is_inner;  /* elements along y are adjacent in memory */
    u8 bits;          /* bits of an element */
    u32 n;            /* number of tiles */
    u32 registers;    /* registers per tile; of 64 bits for f64, else of 32 */
    u32 at_once;      /* tiles per memory instruction */
    u32 x_n, y_n;     /* extent of a tile in elements */
};
struct tiles wmma_tiles(const struct form *f); /* for wmma.load, wmma.store */
/* Returns the size in bytes of each of the 32 pieces moved by one memory instruction; a piece lies
 * within one line of the matrix. */
u32 tiles_piece_bytes(const struct tiles *t);

u32 matrix_bits(u8 type); /* Returns the bits of an element. */

#endif
