#include "isa/matrix.h"

#include <string.h>
#include "isa/isa.h"

const struct matrix_row isa_mma[] = {
#define MMA(m, n, k, d, a, b, c, variant, class, work) \
    {m, n, T_##d, T_##a, T_##b, T_##c, MATRIX_##variant, TENSOR_##class, work, k},
#include "isa/matrix.def"
};
const u32 isa_mma_n = COUNT_OF(isa_mma);
_Static_assert(COUNT_OF(isa_mma) <= 128, "rows are bits of a u128 (struct typed)");
const struct matrix_row isa_wmma[] = {
#define WMMA(m, n, k, d, a, b, c) {m, n, T_##d, T_##a, T_##b, T_##c, MATRIX_ROW_COL, 0, 0, k},
#include "isa/matrix.def"
};
const u32 isa_wmma_n = COUNT_OF(isa_wmma);
_Static_assert(COUNT_OF(isa_wmma) <= 128, "rows are bits of a u128 (struct typed)");

const struct matrix_row isa_wgmma[] = {
#define WGMMA(k, d, a, b, class) \
    {WGMMA_ROWS, 8, T_##d, T_##a, T_##b, T_##d, \
     T_##a == T_B1 ? MATRIX_AND : MATRIX_ROW_COL, TENSOR_##class, 0, k},
#include "isa/matrix.def"
};
const u32 isa_wgmma_n = COUNT_OF(isa_wgmma);
const struct matrix_row isa_mma_sp[] = {
#define MMA_SP(k, d, a, b, class, work) \
    {16, 8, T_##d, T_##a, T_##b, T_##d, MATRIX_SPARSE, TENSOR_##class, work, k},
#include "isa/matrix.def"
};
const u32 isa_mma_sp_n = COUNT_OF(isa_mma_sp);
const struct matrix_row isa_wgmma_sp[] = {
#define WGMMA_SP(k, d, a, b, class) \
    {WGMMA_ROWS, 8, T_##d, T_##a, T_##b, T_##d, MATRIX_SPARSE, TENSOR_##class, 0, k},
#include "isa/matrix.def"
};
const u32 isa_wgmma_sp_n = COUNT_OF(isa_wgmma_sp);

bool matrix_sparse(u32 op)
{
    return op == OP_MMA_SP || op == OP_MMA_SP_ORDERED || op == OP_WGMMA_SP;
}

bool matrix_group(u32 op) { return op == OP_WGMMA || op == OP_WGMMA_SP; }

bool matrix_product(u32 op)
{
    return op == OP_MMA || op == OP_WMMA_MMA || op == OP_WGMMA || matrix_sparse(op);
}

u32 matrix_chunk(u8 type)
{
    u32 bits = matrix_bits(type);
    return bits == 32 ? 2 : bits == 4 ? 8 : 4;
}

u32 matrix_metadata_lanes(const struct matrix_row *r)
{
    u32 chunks = r->k / matrix_chunk(r->a);
    return chunks / 4; /* eight chunks a lane, for 16 rows of a warp and eight times four lanes */
}

const struct matrix_row *matrix_row(const struct form *f)
{
    switch (f->op) {
    case OP_MMA: return &isa_mma[f->sub];
    case OP_WGMMA: return &isa_wgmma[f->sub];
    case OP_WGMMA_SP: return &isa_wgmma_sp[f->sub];
    case OP_WMMA_MMA: return &isa_wmma[f->sub];
    default: return &isa_mma_sp[f->sub];
    }
}

const struct matrix_row *matrix_part(const struct form *f)
{
    const struct matrix_row *g = matrix_row(f), *r = matrix_sparse(f->op) ? isa_mma_sp : isa_mma;
    while (r->m != 16 || r->k != g->k || r->d != g->d || r->a != g->a || r->b != g->b ||
           r->c != g->c || r->variant != g->variant)
        r++;
    return r;
}

u32 matrix_bits(u8 type)
{
    u32 bytes = type_bytes((enum type)type);
    return bytes ? 8 * bytes : type == T_B1 ? 1 : 4;
}

/* ---- words ---- */

/* Parses a shape such as "m16n8k16". */
static bool shape_word(struct matrix_words *w, const char *word, size_t n)
{
    u32 *parts[] = {&w->m, &w->n, &w->k};
    size_t at = 0;
    if (w->m) return false;
    for (u32 p = 0; p < 3; p++) {
        if (at == n || word[at++] != "mnk"[p]) return false;
        for (*parts[p] = 0; at < n && word[at] >= '0' && word[at] <= '9'; at++)
            *parts[p] = min_u32(*parts[p] * 10 + (u32)(word[at] - '0'), 1000);
    }
    return at == n && w->m;
}

bool matrix_word(struct matrix_words *w, const char *word, size_t n)
{
    static const char *const words[] = {"sync", "aligned", "popc", "satfinite"};
    bool *given[] = {&w->sync, &w->aligned, &w->popc, &w->satfinite};
    enum type type = type_find(word, n);
    if (type != T_NONE && w->type_n < COUNT_OF(w->types)) {
        w->types[w->type_n++] = (u8)type;
        return true;
    }
    for (u32 k = 0; k < COUNT_OF(words); k++) {
        if (strlen(words[k]) != n || memcmp(words[k], word, n) || *given[k]) continue;
        *given[k] = true;
        return true;
    }
    if (n == 3 && w->layout_n < 2 && (!memcmp(word, "row", 3) || !memcmp(word, "col", 3))) {
        w->layouts[w->layout_n++] = word[0] == 'c';
        return true;
    }
    if (n == 3 && !w->bits && (!memcmp(word, "xor", 3) || !memcmp(word, "and", 3))) {
        w->bits = word[0] == 'x' ? MATRIX_XOR : MATRIX_AND;
        return true;
    }
    return (n == 2 && !memcmp(word, "rn", 2)) || shape_word(w, word, n);
}

/* wmma.mma on f16 names the types of D and C only; all other products name D, A, B and C. */
static bool types_fit(const struct matrix_words *w, const struct matrix_row *r, bool two)
{
    if (two && w->type_n == 2)
        return r->d == w->types[0] && r->c == w->types[1] && r->a == T_F16;
    return w->type_n == 4 && r->d == w->types[0] && r->a == w->types[1] && r->b == w->types[2] &&
           r->c == w->types[3] && !(two && r->a == T_F16);
}

static u8 variant_of(const struct matrix_words *w)
{
    static const u8 layouts[2][2] = {{MATRIX_ROW_ROW, MATRIX_ROW_COL},
                                     {MATRIX_COL_ROW, MATRIX_COL_COL}};
    return w->bits ? w->bits : layouts[w->layouts[0]][w->layouts[1]];
}

/* .satfinite is accepted for integer products only. Early PTX also had .satfinite for f16 wmma.mma,
 * without effect on the result; corun refuses the form. */
static bool may_saturate(const struct matrix_row *r)
{
    return r->d == T_S32 && r->a != T_B1;
}

/* wgmma.mma_async names the types of D, A and B. Integer products have fewer shapes. */
static bool group_form(const struct matrix_words *w, struct form *f)
{
    bool words = w->sync && w->aligned && !w->layout_n && w->type_n == 3;
    bool sparse = matrix_sparse(f->op);
    if (!words || w->m != WGMMA_ROWS) return false;
    for (u32 k = 0; k < (sparse ? isa_wgmma_sp_n : isa_wgmma_n); k++) {
        const struct matrix_row *r = sparse ? &isa_wgmma_sp[k] : &isa_wgmma[k];
        u32 unit = r->d == T_S32 && w->n > 32 ? 16 : 8;
        bool bits = r->a == T_B1;
        if (r->k != w->k || r->d != w->types[0] || r->a != w->types[1] || r->b != w->types[2])
            continue;
        if (!w->n || w->n % unit || w->n > 8 * WGMMA_PARTS_MAX) continue;
        if (w->popc != bits || w->bits != (bits ? MATRIX_AND : 0)) continue;
        if (w->satfinite && !may_saturate(r)) continue;
        f->sub = (u8)k;
        f->type = r->d;
        f->type2 = r->a;
        f->vector = (u8)(w->n / 8);
        if (w->satfinite) f->flags |= FLAG_SATFINITE;
        return true;
    }
    return false;
}

bool matrix_form(const struct matrix_words *w, struct form *f)
{
    if (matrix_group(f->op)) return group_form(w, f);
    bool wmma = f->op == OP_WMMA_MMA, sparse = matrix_sparse(f->op);
    const struct matrix_row *rows = wmma ? isa_wmma : sparse ? isa_mma_sp : isa_mma;
    u32 row_n = wmma ? isa_wmma_n : sparse ? isa_mma_sp_n : isa_mma_n;
    bool row_col = !w->layouts[0] && w->layouts[1];
    if (!w->sync || !w->aligned || w->layout_n != 2 || w->popc != (w->bits != 0)) return false;
    if ((w->bits || sparse) && !row_col) return false;
    for (u32 k = 0; k < row_n; k++) {
        const struct matrix_row *r = &rows[k];
        bool sub_byte = matrix_bits(r->a) < 8;
        if (r->m != w->m || r->n != w->n || r->k != w->k || !types_fit(w, r, wmma)) continue;
        if (wmma ? (w->bits != 0) != (r->a == T_B1) || (sub_byte && !row_col)
                 : sparse ? w->bits : r->variant != variant_of(w))
            continue;
        if (w->satfinite && !may_saturate(r)) continue;
        f->sub = (u8)k;
        f->type = r->d;
        f->type2 = r->a;
        f->compare = wmma ? w->bits : 0;
        if (w->satfinite) f->flags |= FLAG_SATFINITE;
        return true;
    }
    return false;
}

static void group_show(const struct form *f, struct text *out)
{
    const struct matrix_row *r = matrix_row(f);
    text_add(out, ".sync.aligned.m%un%uk%u", r->m, 8 * max_u32(f->vector, 1), r->k);
    if (f->flags & FLAG_SATFINITE) text_add(out, ".satfinite");
    text_add(out, ".%s.%s.%s", type_name((enum type)r->d), type_name((enum type)r->a),
             type_name((enum type)r->b));
    if (r->a == T_B1) text_add(out, ".and.popc");
}

void matrix_show(const struct form *f, struct text *out)
{
    if (matrix_group(f->op)) {
        group_show(f, out);
        return;
    }
    static const char *const layouts[] = {"row.col", "row.row", "col.col", "col.row"};
    const struct matrix_row *r = matrix_row(f);
    bool wmma = f->op == OP_WMMA_MMA;
    const char *layout = r->variant <= MATRIX_COL_ROW ? layouts[r->variant] : layouts[0];
    u8 bits = wmma ? f->compare : r->variant;
    const char *popc = bits == MATRIX_XOR ? ".xor.popc" : bits == MATRIX_AND ? ".and.popc" : "";
    if (wmma) text_add(out, "%s.sync.aligned.%s.m%un%uk%u", popc, layout, r->m, r->n, r->k);
    else text_add(out, ".sync.aligned.m%un%uk%u.%s", r->m, r->n, r->k, layout);
    /* matrix_form never sets the flag for f16 with m 8, where .satfinite would follow the types */
    bool before = f->flags & FLAG_SATFINITE && !wmma;
    if (before) text_add(out, ".satfinite");
    text_add(out, ".%s", type_name((enum type)r->d));
    if (!wmma || r->a != T_F16)
        text_add(out, ".%s.%s", type_name((enum type)r->a), type_name((enum type)r->b));
    text_add(out, ".%s", type_name((enum type)r->c));
    if (f->flags & FLAG_SATFINITE && !before) text_add(out, ".satfinite");
    if (!wmma) text_add(out, "%s", popc);
}

/* ---- fragments ---- */

static struct fragment fragment_of(u8 type, u32 elements)
{
    u8 held = type == T_F64 || type == T_F32 ? type : (u8)T_B32;
    return (struct fragment){elements * matrix_bits(type) / (LANES * matrix_bits(held)), held};
}

static struct fragment fragment_of_row(const struct matrix_row *r, char role, bool wmma)
{
    u32 quads = r->m == 8 && r->k == 4 && r->a == T_F16 ? 4 : 1;
    struct fragment f;
    u32 stored = r->variant == MATRIX_SPARSE ? r->k / 2 : r->k;
    switch (role) {
    case 'X': f = fragment_of(r->a, quads * r->m * stored); break;
    case 'Y': f = fragment_of(r->b, quads * r->n * r->k); break;
    default: return fragment_of(role == 'W' ? r->d : r->c, quads * r->m * r->n);
    }
    if (wmma && r->a == T_F16) f.n = 8;
    return f;
}

struct extent_of { u8 m, n, k; };
static struct extent_of wmma_extent(const struct form *f)
{
    static const struct extent_of extents[] = {
        {16, 16, 16}, {32, 8, 16}, {8, 32, 16}, {16, 16, 8}, {8, 8, 4}, {8, 8, 32}, {8, 8, 128}};
    return extents[f->sub & WMMA_SHAPE];
}

struct fragment matrix_fragment(const struct form *f, char role)
{
    if (matrix_group(f->op)) {
        const struct matrix_row *r = matrix_row(f);
        u32 stored = matrix_sparse(f->op) ? r->k / 2 : r->k;
        return role == 'X' ? fragment_of(r->a, r->m / 4 * stored)
                           : fragment_of(r->d, r->m / 4u * 8 * f->vector);
    }
    if (matrix_product(f->op))
        return fragment_of_row(matrix_row(f), role, f->op == OP_WMMA_MMA);
    if (f->op != OP_WMMA_LOAD && f->op != OP_WMMA_STORE)
        return (struct fragment){f->vector, T_B32}; /* ldmatrix, stmatrix */
    struct extent_of e = wmma_extent(f);
    u32 x = (f->sub & WMMA_ROLE) == WMMA_B ? e.k : e.m;
    u32 y = (f->sub & WMMA_ROLE) == WMMA_A ? e.k : e.n;
    struct fragment of = fragment_of(f->type, x * y);
    if (f->type == T_F16 && (f->sub & WMMA_ROLE) != WMMA_C) of.n = 8;
    return of;
}

/* ---- tiles ---- */

struct tiles wmma_tiles(const struct form *f)
{
    struct extent_of e = wmma_extent(f);
    bool col = f->sub & WMMA_COL, turned = e.n == 32;
    u8 role = f->sub & WMMA_ROLE;
    struct tiles t = {.kind = role, .bits = (u8)matrix_bits(f->type), .n = 1};
    if (turned && role != WMMA_C) t.kind = role == WMMA_A ? WMMA_B : WMMA_A;
    t.tall = t.kind != WMMA_B && e.m * e.n > 64;
    t.x_n = t.tall ? 16 : 8;
    t.y_n = t.kind == WMMA_C ? 8 : e.k;
    t.beside = role == WMMA_C && e.m == 16;
    t.y_is_inner = role == WMMA_C ? col == turned : col == (role == WMMA_B);
    if (e.m == 32 || turned ? t.kind != WMMA_B : e.m == 16 && role != WMMA_A) t.n = 2;
    t.registers = t.x_n * t.y_n * t.bits / (LANES * max_u32(t.bits, 32));

    t.at_once = min_u32(t.n, DST_MAX / t.registers);
    return t;
}

u32 tiles_piece_bytes(const struct tiles *t)
{
    return t->at_once * t->x_n * t->y_n * t->bits / 8 / LANES;
}
