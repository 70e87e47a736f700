/* Integer, logic, shift, move and selection: the FN and SELECT rows of typed.def, a function for
 * each row. Bound by exec_bind; see lanes.h for the loop. */
#include "exec/int_ops.h"
#include "isa/isa.h"

#define NAME(op, sub, type, type2, flags) op##_##sub##_##type##_##type2##_##flags
#define RUN(op, sub, type, type2, flags) \
    static void NAME(op, sub, type, type2, flags)(struct warp *w, const struct inst *i)
#define LANE(T, name) T name __attribute__((unused)) = (T)name##_row[l]

#define FN1(op, sub, type, type2, flags, cost, D, A, ...) \
    RUN(op, sub, type, type2, flags) \
    { \
        ROW_IN(A, a, 0); \
        LANES_WRITE(D, LANE(A, a); D r = (D)(__VA_ARGS__)); \
    }
#define FN2(op, sub, type, type2, flags, cost, D, A, B, ...) \
    RUN(op, sub, type, type2, flags) \
    { \
        ROW_IN(A, a, 0); \
        ROW_IN(B, b, 1); \
        LANES_WRITE(D, LANE(A, a); LANE(B, b); D r = (D)(__VA_ARGS__)); \
    }
#define FN3(op, sub, type, type2, flags, cost, D, A, B, C, ...) \
    RUN(op, sub, type, type2, flags) \
    { \
        ROW_IN(A, a, 0); \
        ROW_IN(B, b, 1); \
        ROW_IN(C, c, 2); \
        u32 imm __attribute__((unused)) = (u32)i->imm; \
        LANES_WRITE(D, LANE(A, a); LANE(B, b); LANE(C, c); D r = (D)(__VA_ARGS__)); \
    }
#define FN4(op, sub, type, type2, flags, cost, D, A, B, C, E, ...) \
    RUN(op, sub, type, type2, flags) \
    { \
        ROW_IN(A, a, 0); \
        ROW_IN(B, b, 1); \
        ROW_IN(C, c, 2); \
        ROW_IN(E, e, 3); \
        LANES_WRITE(D, LANE(A, a); LANE(B, b); LANE(C, c); LANE(E, e); D r = (D)(__VA_ARGS__)); \
    }
#define SELECT(op, type, D) \
    RUN(op, 0, type, NONE, 0) \
    { \
        ROW_IN(D, a, 0); \
        ROW_IN(D, b, 1); \
        u32 p = lanes_pred(w, i); \
        LANES_WRITE(D, D r = (D)(p & 1u << l ? a_row[l] : b_row[l])); \
    }
#include "isa/typed.def"

#define FN1(op, sub, type, type2, flags, ...) \
    {OP_##op, T_##type, T_##type2, EXEC_ANY, EXEC_ANY, sub, EXEC_ANY, EXEC_ANY, flags, EXEC_EXACT, \
     NAME(op, sub, type, type2, flags)},
#define FN2(...) FN1(__VA_ARGS__)
#define FN3(...) FN1(__VA_ARGS__)
#define FN4(...) FN1(__VA_ARGS__)
#define SELECT(op, type, D) \
    {OP_##op, T_##type, T_NONE, EXEC_ANY, EXEC_ANY, 0, EXEC_ANY, EXEC_ANY, 0, 0, \
     NAME(op, 0, type, NONE, 0)},
const struct exec_row exec_int_rows[] = {
#include "isa/typed.def"
};
const u32 exec_int_row_n = COUNT_OF(exec_int_rows);
