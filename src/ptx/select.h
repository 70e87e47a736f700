/* The state of instruction selection for one function, shared by select.c and select_call.c. */
#ifndef CORUN_SELECT_H
#define CORUN_SELECT_H

#include "ptx/body.h"

struct select {
    struct lowering *l;
    struct body *b;
    const struct func *f;
    u32 stack;            /* register that keeps the top of alloca's stack, NO_INDEX: none */
    const struct stmt *s; /* being selected: gives guard and line to its steps; NULL: made by us */
};

struct step *select_step(struct select *x, u16 op); /* appended; valid until the next one */
u32 select_register(struct select *x, u8 type);     /* a new virtual register */
void select_fail(struct select *x, u32 offset, const char *what,
                 const char *name); /* what: a format with %s */
struct value value_reg(u32 reg);
struct value value_const(u64 bits, u32 bytes);
struct value select_value(struct select *x, const struct arg *a, u8 type,
                          u32 bytes); /* may append steps */

void select_call(struct select *x, const struct stmt *st);
void select_matrix(struct select *x, const struct stmt *st); /* wmma and mma: one or more steps */
/* an address operand; roles: check.c */
void select_address(struct select *x, struct step *s, const struct arg *a);
void select_parameters(struct select *x); /* .reg parameters, at the function's entry */
void select_results(struct select *x);    /* .reg results, before a return */

/* check.c */
char check_role_of(const char *roles, u32 arg_n, u32 i);
u32 check_coordinate_n(const struct form *f); /* that say something */
bool check_has_layer(const struct form *f);   /* the first of them is one */
u8 check_coordinate_type(const struct form *f, u32 i);
u32 check_role_bytes(const struct form *f, char role, u8 *type);

#endif
