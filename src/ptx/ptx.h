/* PTX text -> instructions. `run` reads the file, `host` calls this, `gpu` runs the programs.
 * lex -> parse (checks every line, recovers from errors) -> link (addresses of variables) -> per
 * kernel, on demand: flow (blocks, immediate post-dominators) -> liveness (live registers,
 * allocation) -> lower (struct program). After this nothing sees text. Source: PTX ISA manual. */
#ifndef CORUN_PTX_H
#define CORUN_PTX_H

#include "base/arena.h"
#include "base/fail.h"
#include "isa/inst.h"
#include "mem/texture.h"

struct module; /* parsed and linked; owned by the arena it was parsed into */

/* The whole text. NULL when there were errors, all of which are in `fail`. `source` must outlive
 * the module. */
struct module *ptx_parse(const struct source *source, struct arena *arena, struct fail *fail);
/* Several texts that make one module, as after separate compilation. */
struct module *ptx_link(const struct source *const *sources, u32 n, struct arena *arena,
                        struct fail *fail);
/* The same of a module beside others: its variables and references lie from here upward. */
struct ptx_place {
    u64 global, constant, reference;
};
struct module *ptx_link_at(const struct source *const *sources, u32 n,
                           const struct ptx_place *place, struct arena *arena, struct fail *fail);

u32 ptx_kernel_n(const struct module *m);
const char *ptx_kernel_name(const struct module *m, u32 kernel);
u32 ptx_kernel_find(const struct module *m, const char *name); /* UINT32_MAX: none */

/* Module variables, placed from GLOBAL_BASE (.global) and CONST_BASE (.const) upward, with their
 * initial bytes. */
struct variable {
    const char *name;
    const struct source *source; /* where it is written */
    u32 line; /* of its name in the text */
    u8 space; /* SPACE_GLOBAL or SPACE_CONST */
    u8 type;  /* enum type: of an element */
    u64 address, size_bytes;
    const u8 *bytes; /* initial contents, NULL: zero */
};
u32 ptx_variable_n(const struct module *m);
const struct variable *ptx_variable(const struct module *m, u32 index);

/* Variables that stand for textures, samplers and surfaces: .texref, .samplerref, .surfref. In a
 * kernel the i-th is handle ptx_reference_handle. */
enum reference_kind { REFERENCE_TEXTURE, REFERENCE_SAMPLER, REFERENCE_SURFACE };
struct reference {
    const char *name;
    u32 line;
    u8 kind;                /* enum reference_kind */
    struct sampler sampler; /* as its initial values say */
};
u32 ptx_reference_n(const struct module *m);
const struct reference *ptx_reference(const struct module *m, u32 index);
u64 ptx_reference_handle(const struct module *m, u32 index);

/* Lowers one kernel with all functions it can reach. NULL with errors in `fail` when it reaches an
 * instruction that is not supported (file, line, name). `run` pointers are still to be bound
 * (exec_bind). */
struct program *ptx_lower(const struct module *m, u32 kernel, struct arena *arena,
                          struct fail *fail);

/* One line of PTX-like text for an instruction, for dumps and faults. */
void ptx_show(const struct program *p, u32 pc, struct text *out);

#endif
