/* How an instruction gets its run function: every family's file lists rows (what a form must be,
 * and the function), exec_find takes the first row that fits. Looked up once per instruction when a
 * program is bound, never while running. */
#ifndef CORUN_EXEC_H
#define CORUN_EXEC_H

#include "exec/warp.h"

#define EXEC_ANY 0xff        /* a field that does not matter */
#define EXEC_EXACT 0xffff     /* flags_care: every flag as given */
struct exec_row {
    u16 op;
    u8 type, type2, round, compare, sub, space, vector; /* exact value or EXEC_ANY */
    u16 flags, flags_care;   /* form.flags & flags_care must equal flags */
    void (*run)(struct warp *w, const struct inst *i);
};

/* A family adds its line here and defines `const struct exec_row exec_NAME_rows[]` and
 * `const u32 exec_NAME_row_n` in its file. */
#define EXEC_FAMILIES(X) \
    X(int) X(carry) X(move) X(compare) X(float32) X(float64) X(half) X(convert) X(approx) \
    X(memory) X(atomic) X(control) X(shuffle) X(builtin) \
    X(copy) X(mbarrier) X(mma) X(transfer) X(view) X(sample) X(surface)

#define EXEC_DECLARE(name) \
    extern const struct exec_row exec_##name##_rows[]; \
    extern const u32 exec_##name##_row_n;
EXEC_FAMILIES(EXEC_DECLARE)

/* The step of a program whose instructions have run functions. */
void warp_step_inst(struct warp *w, const struct inst *i);

/* A copy of `p` whose step notes too whether its block is idempotent: see struct idempotence. */
void exec_note(struct program *copy, const struct program *p);

/* the row of a form; NULL: none. A missing rounding means .rn */
const struct exec_row *exec_find(const struct form *f);

#endif
