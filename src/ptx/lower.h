/* Shared by lower.c (turns a kernel into a program), constants.c and emit.c (turns a step into an
 * instruction). */
#ifndef CORUN_LOWER_H
#define CORUN_LOWER_H

#include "ptx/body.h"

struct constant_slot {
    u64 bits;
    u32 bytes, offset; /* bytes: 4 or 8, 0: free */
};
struct constants {
    struct constant_slot *slots; /* open addressing; slot_n: power of two */
    u32 slot_n, used, byte_n;
    bool full;
};
u32 constants_add(struct constants *c, u64 bits, u32 bytes); /* returns an operand; bytes: 4 or 8 */
u8 *constants_rows(const struct constants *c, struct arena *arena);

struct emission { /* destination of the instructions of all functions */
    struct lowering *l;
    struct constants constants;
    struct call_site *calls;
    u32 call_n, call_room;
    const u32 **tables;
    u32 table_n, table_room;
    u32 *operands;
    u32 operand_n, operand_room;
    u32 folded_n; /* number of ptx_program.folded written */
    struct origin *origins; /* as in struct ptx_program */
};
u32 machine_n(const struct step *s); /* number of instructions that a step becomes */
void emit_body(struct emission *e, const struct body *b); /* writes code[b->pc ..] */

#endif
