#include "isa/isa.h"
#include "isa/matrix.h"

/* Sets of values as bit masks. */
_Static_assert(TYPE_N <= 64, "types are bits of a u64");
#define T(type) (1ull << T_##type)
#define T_INTEGER (T(U32) | T(S32) | T(U64) | T(S64))
#define T_WORD (T(U32) | T(S32))
#define S_SECOND (S_RANGE(0, SIMD_MAX))
#define T_HALF (T(F16) | T(F16X2) | T(BF16) | T(BF16X2))
#define T_MEMORY \
    (T(B8) | T(B16) | T(B32) | T(B64) | T(U8) | T(U16) | T(U32) | T(U64) | T(S8) | T(S16) | \
     T(S32) | T(S64) | T(F32) | T(F64))
#define R_NONE (1u << ROUND_NONE)
#define R_RN (1u << ROUND_RN)
#define R_RZ (1u << ROUND_RZ)
#define R_ALL (R_RN | R_RZ | 1u << ROUND_RM | 1u << ROUND_RP)
#define R_INTEGER (1u << ROUND_RNI | 1u << ROUND_RZI | 1u << ROUND_RMI | 1u << ROUND_RPI)
#define G(geometry) (1u << GEOMETRY_##geometry)
#define G_SURFACE (G(1D) | G(2D) | G(3D) | G(A1D) | G(A2D))
#define G_TEXTURE (G_SURFACE | G(CUBE) | G(ACUBE))
#define S(sub) ((u128)1 << (sub))
#define S_RANGE(low, high) (((u128)2 << (high)) - ((u128)1 << (low)))
#define P_NONE (1u << SPACE_NONE)
#define P(space) (1u << SPACE_##space)
#define P_NAMED (P(GLOBAL) | P(SHARED) | P(LOCAL) | P(CONST) | P(PARAM))
#define P_WRITABLE (P_NONE | P(GLOBAL) | P(SHARED) | P(LOCAL) | P(PARAM))
#define P_ATOMIC (P_NONE | P(GLOBAL) | P(SHARED))
#define C_EQUAL (1u << CMP_EQ | 1u << CMP_NE)
#define C_SIGNED (C_EQUAL | 1u << CMP_LT | 1u << CMP_LE | 1u << CMP_GT | 1u << CMP_GE)
#define C_UNSIGNED (C_SIGNED | 1u << CMP_LO | 1u << CMP_LS | 1u << CMP_HI | 1u << CMP_HS)
#define C_FLOAT (C_SIGNED | 1u << CMP_EQU | 1u << CMP_NEU | 1u << CMP_LTU | 1u << CMP_LEU | \
                 1u << CMP_GTU | 1u << CMP_GEU | 1u << CMP_NUM | 1u << CMP_NAN)
#define BOOLS (1u | S(BOOL_AND) | S(BOOL_OR) | S(BOOL_XOR))

/* {op, cost, types, types2, rounds, compares, subs, spaces, flags, flags_need} */
#define FN(op, sub, type, type2, flags, cost) \
    {OP_##op, COST_##cost, T(type), T(type2), R_NONE, 1, S(sub), P_NONE, flags, flags, 0},
#define FN1(op, sub, type, type2, flags, cost, ...) FN(op, sub, type, type2, flags, cost)
#define FN2(op, sub, type, type2, flags, cost, ...) FN(op, sub, type, type2, flags, cost)
#define FN3(op, sub, type, type2, flags, cost, ...) FN(op, sub, type, type2, flags, cost)
#define FN4(op, sub, type, type2, flags, cost, ...) FN(op, sub, type, type2, flags, cost)
#define CARRY(op, sub, type, flags, cost, ...) FN(op, sub, type, NONE, flags, cost)
#define SELECT(op, type, ...) \
    {OP_##op, COST_OTHER, T(type), T(NONE), R_NONE, 1, 1, P_NONE, 0, 0, 0},
#define FLOAT(op, type, rounds, flags, cost) \
    {OP_##op, COST_##cost, T(type), T(NONE), rounds, 1, 1, P_NONE, flags, 0, 0},
#define FLOAT1(...) FLOAT(__VA_ARGS__)
#define FLOAT2(...) FLOAT(__VA_ARGS__)
#define FLOAT3(...) FLOAT(__VA_ARGS__)
#define APPROX(op, type, flags, need, cost) \
    {OP_##op, COST_##cost, T(type), T(NONE), R_NONE, 1, 1, P_NONE, flags, need, 0},
#define APPROX1(...) APPROX(__VA_ARGS__)
#define APPROX2(...) APPROX(__VA_ARGS__)
#define FLAGGED(op, type, rounds, flags, need, cost) \
    {OP_##op, COST_##cost, T(type), T(NONE), rounds, 1, 1, P_NONE, flags, need, 0},
#define MIXED(op, type2, rounds, flags, cost) \
    {OP_##op, COST_##cost, T(F32), T(type2), rounds, 1, 1, P_NONE, flags, 0, 0},
#define COMPARE(op, dtype, type, compares, flags) COMPARE_##op(dtype, type, compares, flags)
#define COMPARE_SETP(dtype, type, compares, flags) \
    {OP_SETP, COST_OTHER, T(type), T(NONE), R_NONE, compares, BOOLS, P_NONE, flags, 0, 0},
#define COMPARE_SET(dtype, type, compares, flags) \
    {OP_SET, COST_OTHER, T(dtype), T(type), R_NONE, compares, BOOLS, P_NONE, flags, 0, 0},
#define CVT(dtype, stype, rounds, flags) \
    {OP_CVT, COST_OTHER, T(dtype), T(stype), rounds, 1, 1, P_NONE, flags, 0, 0},
#define SMALL(dtype, stype, rounds, flags, need) \
    {OP_CVT, COST_OTHER, T(dtype), T(stype), rounds, 1, 1, P_NONE, flags, need, 0},
#define ROW(op, types, types2, subs, compares, flags, spaces, cost) \
    {OP_##op, COST_##cost, types, (types2) ? (types2) : T(NONE), R_NONE, \
     (compares) ? (compares) : 1, (subs) ? (subs) : 1, (spaces) ? (spaces) : P_NONE, flags, 0, 0},

#define NEED(op, types, types2, subs, flags, need, cost) \
    {OP_##op, COST_##cost, types, types2, R_NONE, 1, subs, P_NONE, flags, need, 0},

#define SAMPLED(op, types, types2, subs, flags, geometries) \
    {OP_##op, COST_OTHER, types, types2, R_NONE, 1, subs, P_NONE, flags, 0, geometries},

/* Model: moves, logic, comparisons, conversions, branches and barriers form a class with latency 1,
 * shuffles another class; all other classes are from GPGPU-Sim's configuration files
 * (machine description; GPGPU-Sim gives latency 1 to instructions its files do not name). */
enum { /* numbers of the rows of matrix.def */
#define MMA(m, n, k, d, a, b, c, variant, ...) \
    MMA_##m##_##n##_##k##_##d##_##a##_##b##_##c##_##variant,
#include "isa/matrix.def"
};
enum {
#define WMMA(m, n, k, d, a, b, c) WMMA_##m##_##n##_##k##_##d##_##a##_##b##_##c,
#include "isa/matrix.def"
};
enum {
#define WGMMA(k, d, a, b, class) WGMMA_##k##_##d##_##a##_##b,
#include "isa/matrix.def"
};
enum {
#define MMA_SP(k, d, a, b, ...) MMA_SP_##k##_##d##_##a##_##b,
#include "isa/matrix.def"
};
enum {
#define WGMMA_SP(k, d, a, b, class) WGMMA_SP_##k##_##d##_##a##_##b,
#include "isa/matrix.def"
};
#define SATURATES(d, a) (T_##d == T_S32 && T_##a != T_B1 ? FLAG_SATFINITE : 0)
#define OF_BITS(a, is, else) (T_##a == T_B1 ? (is) : (else))

const struct typed isa_typed[] = {
#include "isa/typed.def"
#include "isa/texture.def"
#define MMA(m, n, k, d, a, b, c, variant, class, work) \
    {OP_MMA, COST_TENSOR + TENSOR_##class + (work) * TENSOR_N, T(d), T(a), R_NONE, 1, \
     S(MMA_##m##_##n##_##k##_##d##_##a##_##b##_##c##_##variant), P_NONE, SATURATES(d, a), 0, 0},
#define WMMA(m, n, k, d, a, b, c) \
    {OP_WMMA_MMA, COST_OTHER, T(d), T(a), R_NONE, \
     OF_BITS(a, 1u << MATRIX_XOR | 1u << MATRIX_AND, 1), \
     S(WMMA_##m##_##n##_##k##_##d##_##a##_##b##_##c), P_NONE, SATURATES(d, a), 0, 0},
#define WGMMA(k, d, a, b, class) \
    {OP_WGMMA, COST_TENSOR + TENSOR_##class, T(d), T(a), R_NONE, 1, \
     S(WGMMA_##k##_##d##_##a##_##b), P_NONE, SATURATES(d, a), 0, 0},
#define SPARSE(op, k, d, a, b, class, work) \
    {OP_##op, COST_TENSOR + TENSOR_##class + (work) * TENSOR_N, T(d), T(a), R_NONE, 1, \
     S(MMA_SP_##k##_##d##_##a##_##b), P_NONE, SATURATES(d, a), 0, 0},
#define MMA_SP(k, d, a, b, class, work) \
    SPARSE(MMA_SP, k, d, a, b, class, work) SPARSE(MMA_SP_ORDERED, k, d, a, b, class, work)
#define WGMMA_SP(k, d, a, b, class) \
    {OP_WGMMA_SP, COST_TENSOR + TENSOR_##class, T(d), T(a), R_NONE, 1, \
     S(WGMMA_SP_##k##_##d##_##a##_##b), P_NONE, SATURATES(d, a), 0, 0},
#include "isa/matrix.def"
};
const u32 isa_typed_n = COUNT_OF(isa_typed);

/* Flags accepted in every form: no effect (.noftz), or a property of the operand (negation). */
enum { FLAGS_ANYWHERE = FLAG_NOFTZ | FLAG_NEGATE_A | FLAG_NEGATE_C };

static bool geometry_fits(const struct typed *t, u32 geometry)
{
    return t->geometries ? t->geometries >> geometry & 1 : !geometry;
}

const struct typed *isa_find(const struct form *f)
{
    u32 flags = f->flags & ~(u32)FLAGS_ANYWHERE;
    bool too_wide = op_unit(f->op) == UNIT_MEM && f->vector * type_bytes(f->type) > 16;
    if (op_refused(f->op) || too_wide) return NULL;
    for (u32 i = 0; i < isa_typed_n; i++) {
        const struct typed *t = &isa_typed[i];
        if (t->op == f->op && t->types >> f->type & 1 && t->types2 >> f->type2 & 1 &&
            t->rounds >> f->round & 1 && t->compares >> f->compare & 1 && t->subs >> f->sub & 1 &&
            t->spaces >> f->space & 1 && geometry_fits(t, f->geometry) && !(flags & ~t->flags) &&
            !(t->flags_need & ~flags))
            return t;
    }
    return NULL;
}

bool isa_supported(const struct form *f) { return isa_find(f) != NULL; }

enum cost isa_cost(const struct form *f)
{
    const struct typed *t = isa_find(f);
    return t ? (enum cost)t->cost : COST_OTHER;
}

/* Model: division and transcendental functions use the SFU, as in GPGPU-Sim 3.x. */
enum unit isa_unit(const struct form *f)
{
    enum unit unit = op_unit(f->op);
    if (unit == UNIT_MEM || unit == UNIT_TENSOR) return unit;
    switch (isa_cost(f)) {
    case COST_INT_DIV: case COST_FP_DIV: case COST_DP_DIV: case COST_SFU: return UNIT_SFU;
    default: return UNIT_SP;
    }
}

u32 isa_kind(const struct form *f)
{
    switch (f->op) {
    case OP_CP_ASYNC: return INST_COPY;
    case OP_CP_TENSOR:
    case OP_CP_BULK:
        return (f->sub & BULK_WAY) == BULK_LOAD && f->space != SPACE_SHARED
                   ? INST_COPY | INST_BULK
                   : 0;
    case OP_BAR:
    case OP_BARRIER:
    case OP_BARRIER_CLUSTER:
    case OP_MEMBAR:
    case OP_FENCE:
    case OP_CP_WAIT_GROUP:
    case OP_CP_WAIT_ALL:
    case OP_WGMMA_WAIT:
    case OP_ATOM:
    case OP_RED:
    case OP_SURED: return INST_STOPS;
    case OP_BUILTIN:
    case OP_SUST: return INST_FINAL; /* wherever the store goes */
    default: return 0;
    }
}
