/* Runs vector files (written by make_vectors.py) through exec: finds each line's form by name,
 * binds the form and executes it for 32 lanes, with all and with some lanes, beside and on top of
 * the operands. Notes the rows of isa_typed met. */
#ifndef TEST_OP_VECTORS_H
#define TEST_OP_VECTORS_H

#include "isa/isa.h"

enum { TYPED_MAX = 2048 };
struct coverage {
    u64 types[TYPED_MAX]; /* per row of isa_typed: set of executed enum type */
};

struct report {
    u32 vectors, failures;
    u32 shown; /* number of failures to print; 0: the first 30 */
    bool may_refuse; /* lines with an unsupported form are counted in `refused`, not failures */
    u32 refused;
};

void vectors_run(const char *path, struct coverage *coverage, struct report *report);
void coverage_note(struct coverage *coverage, const struct form *form);

/* "add.rn.f32"; false: not a form (a message is printed) */
bool form_parse(const char *text, struct form *form);

#endif
