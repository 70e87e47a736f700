/* State of instruction selection for a function, shared by select.c and select_call.c. */
#ifndef CORUN_SELECT_H
#define CORUN_SELECT_H

#include "ptx/body.h"

struct select {
    struct lowering *l;
    struct body *b;
    const struct func *f;
    u32 stack;            /* register with the top of alloca's stack, NO_INDEX: none */
    /* Statement being selected; its guard and line go to its steps. NULL: the steps have no
     * statement. */
    const struct stmt *s;
};

/* Appends a step; the pointer is valid until the next call. */
struct step *select_step(struct select *x, u16 op);
u32 select_register(struct select *x, u8 type);     /* new virtual register */
void select_fail(struct select *x, u32 offset, const char *what,
                 const char *name); /* what: a format with a single %s */
struct value value_reg(u32 reg);
struct value value_const(u64 bits, u32 bytes);
struct value select_value(struct select *x, const struct arg *a, u8 type,
                          u32 bytes); /* may append steps */

void select_call(struct select *x, const struct stmt *st);
void select_matrix(struct select *x, const struct stmt *st); /* products and tensor maps */
/* Selects an address operand; roles are defined in check.c. */
void select_address(struct select *x, struct step *s, const struct arg *a);
void select_parameters(struct select *x); /* loads .reg parameters at the function's entry */
void select_results(struct select *x);    /* stores .reg results before a return */

/* defined in check.c */
char check_role_of(const char *roles, u32 arg_n, u32 i);
u32 check_coordinate_n(const struct form *f); /* number of meaningful coordinates */
bool check_has_layer(const struct form *f);   /* true if the first coordinate is a layer */
u8 check_coordinate_type(const struct form *f, u32 i);
u32 check_role_bytes(const struct form *f, char role, u8 *type);

/* Delays a write of a register read by a later step of the same statement, whose steps start at
 * `first`: the result goes to a temporary and is moved at the end. */
void select_results_last(struct select *x, u32 first);

#endif
