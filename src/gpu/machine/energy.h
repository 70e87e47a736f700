/* Energies per event and powers of a machine, and the energy of counts: rows of energy.def. The
 * values are options energy.FIELD, apart from struct machine: energies change no simulation, and
 * belong to no key of a run. run/study/energy.c sums the energy of a run. */
#ifndef CORUN_ENERGY_H
#define CORUN_ENERGY_H

#include "gpu/machine/machine.h"
#include "gpu/machine/stat.h"

enum energy_component {
#define COMPONENT(id, name, sentence) ENERGY_##id,
#include "gpu/machine/energy.def"
    ENERGY_COMPONENT_N
};
extern const char *const energy_component_names[]; /* [enum energy_component], for tables */

struct energy_conf {
#define EVENT(field, component, count, sentence) struct rational field;
#define POWER(field, sentence) struct rational field;
#include "gpu/machine/energy.def"
};
extern const struct conf_row energy_rows[]; /* of struct energy_conf; section energy */
extern const u32 energy_row_n;

/* Classes of arithmetic instructions with an energy of their own. */
enum energy_class {
    ENERGY_NOTHING, ENERGY_INT_ADD, ENERGY_INT_MUL, ENERGY_INT_DIV, ENERGY_FP_ADD, ENERGY_FP_MUL,
    ENERGY_FP_DIV, ENERGY_FP64_ADD, ENERGY_FP64_MUL, ENERGY_FP64_DIV, ENERGY_SPECIAL,
    ENERGY_TEXTURE, ENERGY_CLASS_N
};
/* Returns the class of instructions of `unit` and `cost` (isa/inst.h); `space`: of a memory
 * instruction. ENERGY_NOTHING: an energy of another kind. */
enum energy_class energy_class(u32 unit, u32 cost, u32 space);
/* Returns the steps of a tensor unit for an instruction; 0: no product of matrices. */
u32 energy_tensor_steps(u32 unit, u32 cost);

struct energy_mix { /* counts by instruction; all u64: see table/stat.h */
    u64 register_reads, register_writes; /* lanes x registers */
    u64 lanes[ENERGY_CLASS_N];           /* active lanes of the instructions of each class */
    u64 tensor_steps;
    u64 l1_read_hits, l1_read_misses, l1_write_hits, l1_write_misses; /* hits with merges */
};

/* Sets of[component] of the dynamic components to the energy of the counts, in pJ; the energy of
 * each event is rounded down to whole pJ. */
void energy_of_counts(const struct energy_conf *e, const struct machine *m,
                      const struct gpu_stat *s, const struct energy_mix *x,
                      u64 of[ENERGY_COMPONENT_N]);
/* Returns milliwatts x SM cycles as pJ, rounded down. */
u64 energy_of_power(struct rational milliwatts, u64 cycles, const struct machine *m);

#endif
