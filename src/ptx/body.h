/* A function between statements and instructions. `select` turns statements into steps, `flow`
 * finds basic blocks and reconvergence points, `contract` fuses products and sums on some machines,
 * `expand` finds machine instructions on some, `registers` estimates registers on some,
 * `liveness` finds live ranges of registers and `allocate` assigns their rows; `lower` then writes
 * the instructions. Bodies are temporary: freed when their kernel is lowered. */
#ifndef CORUN_BODY_H
#define CORUN_BODY_H

#include "ptx/module.h"

enum value_kind { VALUE_NONE, VALUE_REG, VALUE_CONST };
struct value {
    u8 kind, bytes; /* CONST: size of an element of the row, 4 or 8 */
    bool shared;    /* CONST: address of a variable in shared memory */
    u32 reg;
    u64 bits;
};

struct expansion;
struct step { /* one instruction, with virtual registers */
    struct form form;
    u32 line, offset;
    u32 guard; /* register, NO_INDEX: unconditional */
    bool guard_negated;
    bool ends; /* a call that does not return */
    /* Set by expand. machine: machine instructions, for timing; NULL: one, of the form's own unit.
     * folded: the step has no instruction and executes with the next step. */
    const struct expansion *machine;
    bool folded;
    bool merged; /* part of an earlier step, without effect */
    u8 loads; /* further machine instructions before the step, which load operands */
    /* Sources from SRC_MAX on: only mma and textures. */
    struct value dst[DST_MAX], src[STEP_SRC_MAX];
    /* wgmma.mma_async: registers that the step reads and writes, arguments of the function. */
    const struct arg *sums;
    u32 sum_n;
    u32 dst_pred, dst_pred2, src_pred; /* registers, NO_INDEX: none */
    s64 imm;
    u32 tile;           /* wmma.load, wmma.store: the first tile moved */
    u32 target;         /* bra: step; call: function, NO_INDEX: indirect */
    u32 reconverge;     /* set by flow: step, NO_INDEX: at the exit */
    u32 table, table_n; /* brx: range of its targets in body.targets */
};

struct basic_block { /* steps [first, end) */
    u32 first, end;
    u32 edge, edge_n; /* successors, a range of body.edges; block_n is the virtual exit */
};

struct body {
    const struct module *m;
    u32 func;
    bool failed; /* errors were reported */
    struct step *steps;
    u32 step_n, step_room;
    u8 *types; /* of each virtual register, including temporaries */
    u32 register_n, type_room;
    u32 *targets; /* brx targets: steps */
    u32 target_n, target_room;
    u32 out_bytes;                      /* largest argument area of its calls */
    /* Has calls through a register; has calls of built-ins or through a register. */
    bool calls_indirect, calls_foreign;

    struct basic_block *blocks; /* set by flow */
    u32 block_n;
    u32 *edges;
    u32 edge_n;

    /* Set by allocate: row of a register, predicate index of a .pred register; NO_INDEX: unused. */
    u32 *rows;
    u32 row_n, pred_n;
    /* Set by liveness: maximum number of 32-bit registers live at once, as the assembler counts. */
    u32 peak;
    u32 call_peak; /* maximum live across a call */
    u32 waiting_peak; /* maximum live where a warp may wait for memory or at a barrier */
    u32 estimate;     /* registers per thread by ptxas (registers.c); 0: not asked for */
    /* Set by lower: pc of its first instruction; [step] the instruction that executes the step,
     * or its first, from pc; number of instructions, of folded steps. */
    u32 pc, *places, code_n, folded_n;
};

struct lowering { /* a kernel being lowered */
    const struct module *m;
    struct arena *arena; /* of the program */
    struct fail *fail;
    u32 kernel; /* function */
    u32 *order; /* reachable functions, the kernel first */
    u32 order_n;
    u32 *body_of;      /* function -> index in `order`, NO_INDEX: not reachable */
    u64 *shared_place; /* symbol -> offset in the block's shared memory, UINT64_MAX: unused */
    u32 shared_bytes;
    bool has_stack;    /* true if a function uses the stack of alloca */
    /* True if the kernel reads the location of the system's reserved shared memory. */
    bool reserves;
    u32 reserved_offset;
    /* [variable of the module] at first, later compacted to the variables in use */
    struct use *uses;
    u32 use_n;
    struct body *bodies;
    struct program *program;
};

/* Calls `visit` for each register that a step reads (including the guard), then for each that the
 * step writes; step_operands leaves out the sums of wgmma. */
void step_operands(const struct step *s, void (*visit)(void *context, u32 reg, bool is_write),
                   void *context);
void step_registers(const struct step *s, void (*visit)(void *context, u32 reg, bool is_write),
                    void *context);
bool step_falls_through(const struct step *s); /* true if the next step may follow */

/* Defined in reach.c: finds reachable functions, rejects unsupported items, lays out shared
 * memory. */
bool lower_reach(
    struct lowering *l);
void select_body(struct lowering *l, struct body *b);
void flow_find(struct body *b); /* blocks, edges, reconvergence points */
void contract(struct body *b);  /* fuses products and sums into fma */
void expand(struct body *b, u32 capability); /* machine instructions of each step, for timing */
void liveness_allocate(struct lowering *l, struct body *b);
enum { FOREIGN_REGISTERS = 24 }; /* least of a kernel that calls code outside the module */
u32 registers_of_peak(u32 peak, bool foreign_calls); /* live registers -> registers per thread */
/* Returns the registers per thread that ptxas gives a body with machine instructions (expand).
 * full: as many cost no occupancy. capability: of the device, times 10. */
u32 registers_estimate(const struct body *b, u32 full, u32 capability);
void body_free(struct body *b);

#endif
