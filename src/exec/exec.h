/* Binding of instructions to run functions. The file of every family lists rows, each a pattern of
 * form fields and a function; exec_find returns the first row that matches. The lookup happens once
 * per instruction when a program is bound, never at run time. */
#ifndef CORUN_EXEC_H
#define CORUN_EXEC_H

#include "exec/code.h"

#define EXEC_ANY 0xff        /* any value of the field */
#define EXEC_EXACT 0xffffffffu /* flags_care: all flags must match */
struct exec_row {
    u16 op;
    u8 type, type2, round, compare, sub, space, vector; /* exact value or EXEC_ANY */
    u32 flags, flags_care;   /* a match requires form.flags & flags_care == flags */
    void (*run)(struct warp *w, const struct ptx_inst *i);
};

/* All families. A new family adds its name here and defines `const struct exec_row
 * exec_NAME_rows[]` and `const u32 exec_NAME_row_n` in its file. */
#define EXEC_FAMILIES(X) \
    X(int) X(carry) X(move) X(compare) X(float32) X(float64) X(half) X(small) X(convert) X(approx) \
    X(memory) X(atomic) X(control) X(shuffle) X(builtin) \
    X(copy) X(bulk) X(tensor) X(cluster_inst) X(remote) X(mbarrier) \
    X(mma) X(wgmma) X(transfer) X(view) X(sample) X(surface)

#define EXEC_DECLARE(name) \
    extern const struct exec_row exec_##name##_rows[]; \
    extern const u32 exec_##name##_row_n;
EXEC_FAMILIES(EXEC_DECLARE)

/* Step function of a program whose instructions have run functions. */
void warp_step_ptx(struct warp *w);

/* Returns the row of a form; NULL: none. A form without rounding mode matches .rn. */
const struct exec_row *exec_find(const struct form *f);

#endif
