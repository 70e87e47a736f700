/* Matrices that a warp holds in its registers: which element lies in which lane's register. A
 * matrix is one or more tiles, each an operand of mma: A and C have 16 or 8 rows, B and C 8
 * columns. In a 32-bit register lie as many consecutive elements as fit.
 * Source: PTX ISA manual, matrix fragments of mma.m16n8k16 and others. */
#ifndef CORUN_MATRIX_H
#define CORUN_MATRIX_H

#include "base/text.h"
#include "isa/inst.h"

enum matrix_variant { /* of mma: layouts of A and B in the lanes' registers, or what bits do */
    MATRIX_ROW_COL, MATRIX_ROW_ROW, MATRIX_COL_COL, MATRIX_COL_ROW, MATRIX_WMMA, MATRIX_XOR,
    MATRIX_AND
};
struct matrix_row { /* of matrix.def */
    u8 m, n, d, a, b, c, variant, class, work;
    u16 k;
};
extern const struct matrix_row isa_mma[], isa_wmma[];
extern const u32 isa_mma_n, isa_wmma_n;

/* form.sub of mma and wmma.mma is a row's number; this is the row */
const struct matrix_row *matrix_row(const struct form *f);

/* The words behind mma's or wmma.mma's name. */
struct matrix_words {
    u32 m, n, k;
    u8 types[4], layouts[2]; /* layouts: 1 is .col */
    u32 type_n, layout_n;
    bool sync, aligned, popc, satfinite;
    u8 bits; /* MATRIX_XOR, MATRIX_AND or 0 */
};
bool matrix_word(struct matrix_words *w, const char *word, size_t n); /* false: not known */
/* Types, sub and flags of a form whose op is given; false: no row is like that. */
bool matrix_form(const struct matrix_words *w, struct form *f);
void matrix_show(const struct form *f, struct text *out); /* mma: what follows the name */

/* form.sub of wmma.load and wmma.store: shape | layout | role */
enum wmma_shape { WMMA_16_16_16, WMMA_32_8_16, WMMA_8_32_16, WMMA_16_16_8, WMMA_8_8_4, WMMA_8_8_32,
                  WMMA_8_8_128, WMMA_SHAPE = 7 };
enum { WMMA_COL = 8, MATRIX_TRANS = 1 /* of ldmatrix, stmatrix, movmatrix */ };
enum wmma_role { WMMA_A = 0, WMMA_B = 16, WMMA_C = 32, WMMA_ROLE = 48 };

/* An operand of an instruction by its role letter, as isa.h has them: how many registers of each
 * lane, of what type. */
struct fragment {
    u32 n;
    u8 type; /* T_B32, T_F32 or T_F64 */
};
struct fragment matrix_fragment(const struct form *f, char role);

/* What wmma.load, wmma.store and wmma.mma make of their matrices. Where m is 8 and n 32 all are
 * turned: the tiles are those of B's transpose times A's, so that A's matrix has tiles of kind B.
 * In tiles of kind A (m x k) and C (m x n) x counts rows, y columns; in those of kind B x is the
 * column, y the row. Model: the manual leaves open where wmma's elements lie; here as in mma,
 * tile by tile, as from Turing on (guess). Of A's and B's 8 registers of f16 those that are not
 * needed are left alone. */
struct tiles {
    u8 kind;          /* enum wmma_role */
    bool tall;        /* 16 lines along x */
    bool beside;      /* they follow each other along y */
    bool y_is_inner;  /* in memory the elements along y are neighbours */
    u8 bits;          /* of an element */
    u32 n;            /* tiles */
    u32 registers;    /* of a tile, 64 bits each with f64 */
    u32 at_once;      /* tiles of one memory instruction */
    u32 x_n, y_n;     /* extent of a tile */
};
struct tiles wmma_tiles(const struct form *f); /* of a wmma.load or wmma.store */
/* One memory instruction moves 32 pieces of so many bytes, each from one line of the matrix. */
u32 tiles_piece_bytes(const struct tiles *t);

u32 matrix_bits(u8 type); /* of an element */

#endif
