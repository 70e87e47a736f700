/* Products with a sparse matrix A: mma.sp, and parts of wgmma.mma_async.sp. Half of the elements of
 * a row of A is stored; metadata has the places of the stored elements.
 *
 * Model: the elements of B at the places of the stored elements of A are multiplied and added as by
 * the dense product with half of k; the other elements of B are not read (guess). Any metadata is
 * valid. Source: PTX ISA manual, sparse matrix storage; the order of metadata in lanes is that of
 * CUTLASS's host functions. */
#include "exec/matrix/product.h"

#include "exec/float/soft64.h"

enum { ROWS = 16, COLUMNS = 8, STORED_MAX = 64, K_MAX = 2 * STORED_MAX };

/* Finds the places in a row of the whole matrix of the stored elements. Of 16 and 32 bits, a lane
 * of four has 4 chunks of row r and, in the upper half, of row r + 8; of 4 and 8 bits, an even lane
 * has 8 chunks of row r and the next lane those of row r + 8. */
static void places_of(const struct product *p, const struct matrix_row *r, u32 row,
                      u8 places[STORED_MAX])
{
    u32 chunk = matrix_chunk(r->a), high = row / 8;
    u32 lane = row % 8 * 4 + p->selector * matrix_metadata_lanes(r);
    bool small = matrix_bits(r->a) <= 8;
    for (u32 c = 0; c < r->k / chunk; c++) {
        u32 word = p->metadata[lane + (small ? c / 8 * 2 + high : c / 4)];
        u32 code = word >> (small ? c % 8 * 4 : c % 4 * 4 + 16 * high);
        u8 *to = places + c * chunk / 2;
        for (u32 k = 0; k < chunk / 2; k++) {
            u32 number = code >> (chunk == 8 ? k / 2 * 2 : k * 2) & 3;
            u32 at = chunk == 2 ? number / 2 : chunk == 8 ? number * 2 + k % 2 : number;
            to[k] = (u8)(c * chunk + at);
        }
    }
}

/* Returns the bits of an element: number `at` in a line, a row of A or a column of B. A has 16
 * lines, whose upper eight are in odd registers. */
static u32 element_of(const u32 *const *from, u32 line, u32 at, u32 bits, bool is_a)
{
    u32 word = at * bits / 32, r = is_a ? word / 4 * 2 + line / 8 : word / 4;
    u32 all = from[r][line % 8 * 4 + word % 4] >> at * bits % 32;
    return bits == 32 ? all : all & ((1u << bits) - 1);
}

/* ---- sums ---- */

static float sum_read(const struct product *p, u8 type, u32 row, u32 col)
{
    u32 lane = row % 8 * 4 + col / 2, high = row / 8;
    if (type == T_F16) return f16_widen(p->c[high][lane] >> col % 2 * 16 & 0xffff);
    return float_of(p->c[high * 2 + col % 2][lane]);
}

/* Writes D after all reads: D may be in the registers of any operand. */
static void sums_write(const struct product *p, u8 type, const f32x8 sums[ROWS])
{
    for (u32 row = 0; row < ROWS; row++) {
        u16x8 halves = type == T_F16 ? eight_f16_narrow(sums[row]) : (u16x8){0};
        for (u32 col = 0; col < COLUMNS; col++) {
            u32 lane = row % 8 * 4 + col / 2, high = row / 8;
            u16 half = halves[col];
            if (type == T_F16) memcpy((u16 *)&p->d[high][lane] + col % 2, &half, 2);
            else p->d[high * 2 + col % 2][lane] = bits_of(sums[row][col]);
        }
    }
}

/* ---- products ---- */

static float float_from(u32 bits, u8 type)
{
    if (type == T_F16) return f16_widen(bits);
    return float_of(type == T_BF16 ? bits << 16 : bits & ~0x1fffu);
}

static void run_floats(const struct product *p, const struct matrix_row *r)
{
    f32x8 b[K_MAX], chosen[STORED_MAX], sums[ROWS];
    float a[STORED_MAX];
    u32 bits = matrix_bits(r->a), stored = r->k / 2;
    for (u32 k = 0; k < r->k; k++)
        for (u32 col = 0; col < COLUMNS; col++)
            b[k][col] = float_from(element_of(p->b, col, k, bits, false), r->b);
    for (u32 row = 0; row < ROWS; row++) {
        u8 places[STORED_MAX];
        places_of(p, r, row, places);
        for (u32 k = 0; k < stored; k++) {
            a[k] = float_from(element_of(p->a, row, k, bits, true), r->a);
            chosen[k] = b[places[k]];
        }
        for (u32 col = 0; col < COLUMNS; col++) sums[row][col] = sum_read(p, r->c, row, col);
        product_floats(&sums[row], a, chosen, stored, r->a == T_F16);
    }
    sums_write(p, r->d, sums);
}

static void run_eights(const struct product *p, const struct matrix_row *r)
{
    struct eight b[COLUMNS][K_MAX], a[STORED_MAX], chosen[STORED_MAX];
    f32x8 sums[ROWS];
    u32 stored = r->k / 2;
    for (u32 col = 0; col < COLUMNS; col++)
        for (u32 k = 0; k < r->k; k++)
            b[col][k] = product_eight(element_of(p->b, col, k, 8, false), r->b);
    for (u32 row = 0; row < ROWS; row++) {
        u8 places[STORED_MAX];
        places_of(p, r, row, places);
        for (u32 k = 0; k < stored; k++)
            a[k] = product_eight(element_of(p->a, row, k, 8, true), r->a);
        for (u32 col = 0; col < COLUMNS; col++) {
            for (u32 k = 0; k < stored; k++) chosen[k] = b[col][places[k]];
            float c = sum_read(p, r->c, row, col);
            sums[row][col] = product_eights(a, chosen, stored, c, r->d == T_F16);
        }
    }
    sums_write(p, r->d, sums);
}

static s32 integer_from(u32 value, u8 type)
{
    u32 sign = type == T_S8 ? 0x80 : type == T_S4 ? 8 : 0;
    return (s32)(value ^ sign) - (s32)sign;
}

static void run_integers(const struct product *p, const struct matrix_row *r)
{
    s32 a[STORED_MAX], b[COLUMNS][K_MAX];
    u32 sums[4][LANES];
    u32 bits = matrix_bits(r->a), stored = r->k / 2;
    for (u32 col = 0; col < COLUMNS; col++)
        for (u32 k = 0; k < r->k; k++)
            b[col][k] = integer_from(element_of(p->b, col, k, bits, false), r->b);
    for (u32 row = 0; row < ROWS; row++) {
        u8 places[STORED_MAX];
        places_of(p, r, row, places);
        for (u32 k = 0; k < stored; k++)
            a[k] = integer_from(element_of(p->a, row, k, bits, true), r->a);
        for (u32 col = 0; col < COLUMNS; col++) {
            u32 lane = row % 8 * 4 + col / 2, at = row / 8 * 2 + col % 2;
            s64 sum = (s32)p->c[at][lane];
            for (u32 k = 0; k < stored; k++) sum += a[k] * b[col][places[k]];
            if (p->saturates && sum > INT32_MAX) sum = INT32_MAX;
            if (p->saturates && sum < INT32_MIN) sum = INT32_MIN;
            sums[at][lane] = (u32)sum;
        }
    }
    for (u32 at = 0; at < 4; at++) memcpy(p->d[at], sums[at], sizeof sums[at]);
}

void product_sparse(const struct product *p, const struct matrix_row *r)
{
    if (r->d == T_S32) run_integers(p, r);
    else (matrix_bits(r->a) == 8 ? run_eights : run_floats)(p, r);
}
