/* One function on its way from statements to instructions: `select` makes steps out of statements,
 * `flow` finds their blocks and where branches meet again, `liveness` how long each register holds
 * a value and `allocate` its row; `lower` then writes the instructions. Temporary: freed when its
 * kernel is lowered. */
#ifndef CORUN_BODY_H
#define CORUN_BODY_H

#include "ptx/module.h"

enum value_kind { VALUE_NONE, VALUE_REG, VALUE_CONST };
struct value {
    u8 kind, bytes; /* CONST: bytes of the row's element, 4 or 8 */
    u32 reg;
    u64 bits;
};

struct step { /* one instruction, with virtual registers */
    struct form form;
    u32 line, offset;
    u32 guard; /* register, NO_INDEX: always */
    bool guard_negated;
    bool ends; /* a call that does not come back */
    struct value dst[DST_MAX], src[TEXTURE_SRC_MAX]; /* beyond SRC_MAX: of mma and textures */
    u32 dst_pred, dst_pred2, src_pred; /* registers, NO_INDEX: none */
    s64 imm;
    u32 tile;           /* wmma.load, wmma.store: the first it moves */
    u32 target;         /* bra: step; call: function, NO_INDEX: indirect */
    u32 reconverge;     /* flow: step, NO_INDEX: at the exit */
    u32 table, table_n; /* brx: first of its targets in body.targets */
};

struct block { /* steps [first, end) */
    u32 first, end;
    u32 edge, edge_n; /* successors, in body.edges; block_n is the virtual exit */
};

struct body {
    const struct module *m;
    u32 func;
    bool failed; /* errors were reported */
    struct step *steps;
    u32 step_n, step_room;
    u8 *types; /* of each virtual register, temporaries included */
    u32 register_n, type_room;
    u32 *targets; /* brx targets: steps */
    u32 target_n, target_room;
    u32 out_bytes;                      /* largest argument area of its calls */
    bool calls_indirect, calls_foreign; /* through a register; a built-in or through one */

    struct block *blocks; /* flow */
    u32 block_n;
    u32 *edges;
    u32 edge_n;

    u32 *rows; /* allocate: row of a register, predicate index for .pred; NO_INDEX: never used */
    u32 row_n, pred_n;
    u32 peak;      /* liveness: most 32-bit registers live at once, as the assembler would count */
    u32 call_peak; /* most of them live over a call */
    u32 waiting_peak; /* most of them live where a warp may wait for memory or at a barrier */
    u32 pc;        /* lower: of its first instruction */
};

struct lowering { /* one kernel being lowered */
    const struct module *m;
    struct arena *arena; /* of the program */
    struct fail *fail;
    u32 kernel; /* function */
    u32 *order; /* reachable functions, the kernel first */
    u32 order_n;
    u32 *body_of;      /* function -> index in order, NO_INDEX: not reachable */
    u64 *shared_place; /* symbol -> offset in the block's shared memory, UINT64_MAX: not used */
    u32 shared_bytes;
    bool has_stack;    /* something takes from the stack of alloca */
    bool reserves;     /* it reads where the system's part of shared memory is */
    u32 reserved_offset;
    struct use *uses; /* [variable of the module], then those that are used */
    u32 use_n;
    struct body *bodies;
    struct program *program;
};

/* Calls `visit` for each register that a step reads (guard included), then for each it writes. */
void step_registers(const struct step *s, void (*visit)(void *context, u32 reg, bool is_write),
                    void *context);
bool step_falls_through(const struct step *s); /* may go on with the next one */

bool lower_reach(
    struct lowering *l); /* reach.c: reachable functions, what is refused, shared memory */
void select_body(struct lowering *l, struct body *b);
void flow_find(struct body *b); /* blocks, edges, reconvergence */
void liveness_allocate(struct lowering *l, struct body *b);
u32 registers_of_peak(u32 peak, bool foreign_calls); /* live registers -> registers per thread */
void body_free(struct body *b);

#endif
