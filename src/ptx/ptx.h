/* Translates PTX text into instructions. `run` reads the file, `host` calls this interface, `gpu`
 * runs the programs. Stages: lex -> parse (checks every line, recovers from errors) -> link
 * (addresses of variables) -> per kernel, on demand: flow (blocks, immediate post-dominators) ->
 * contract (products and sums to fma, if asked for) -> liveness (live registers, allocation) ->
 * lower (struct program). Later stages never see text. Source: PTX ISA manual. */
#ifndef CORUN_PTX_H
#define CORUN_PTX_H

#include "base/arena.h"
#include "base/fail.h"
#include "isa/ptx_inst.h"
#include "mem/texture.h"

struct module; /* parsed and linked; owned by the arena of the parser */

/* Parses a whole text. Returns NULL if the text has errors; all of them are in `fail`. `source`
 * must outlive the module. */
struct module *ptx_parse(const struct source *source, struct arena *arena, struct fail *fail);
/* Parses several texts into one module, as after separate compilation. */
struct module *ptx_link(const struct source *const *sources, u32 n, struct arena *arena,
                        struct fail *fail);
/* Start of a module's variables and references, for a module placed behind others. */
struct ptx_place {
    u64 global, constant, reference;
};
struct module *ptx_link_at(const struct source *const *sources, u32 n,
                           const struct ptx_place *place, struct arena *arena, struct fail *fail);

u32 ptx_kernel_n(const struct module *m);
const char *ptx_kernel_name(const struct module *m, u32 kernel);
u32 ptx_kernel_find(const struct module *m, const char *name); /* UINT32_MAX: not found */

/* A variable of the module, with its initial bytes. Variables are placed from GLOBAL_BASE (.global)
 * and CONST_BASE (.const) upward. */
struct variable {
    const char *name;
    const struct source *source; /* text that contains the variable */
    u32 line; /* of the name in the text */
    u8 space; /* SPACE_GLOBAL or SPACE_CONST */
    u8 type;  /* enum type: of an element */
    u64 address, size_bytes;
    const u8 *bytes; /* initial contents, NULL: zero */
};
u32 ptx_variable_n(const struct module *m);
const struct variable *ptx_variable(const struct module *m, u32 index);

/* Reference variables for textures, samplers and surfaces: .texref, .samplerref, .surfref. Kernels
 * see the i-th reference as handle ptx_reference_handle. */
enum reference_kind { REFERENCE_TEXTURE, REFERENCE_SAMPLER, REFERENCE_SURFACE };
struct reference {
    const char *name;
    u32 line;
    u8 kind;                /* enum reference_kind */
    struct sampler sampler; /* initial values of the reference */
};
u32 ptx_reference_n(const struct module *m);
const struct reference *ptx_reference(const struct module *m, u32 index);
u64 ptx_reference_handle(const struct module *m, u32 index);

/* Lets ptx_lower fuse a product and a sum into fma where the assembler does (contract.c). */
void ptx_contract(struct module *m);
/* Lets ptx_lower make as many instructions, for timing, as the assembler makes for devices of a
 * capability, times 10 (expand.c); 0: one for each of PTX. */
void ptx_expand(struct module *m, u32 capability);
/* Lets ptx_lower estimate the registers per thread that the assembler gives a kernel for devices of
 * a capability, times 10 (registers.c). full: as many let the SM be full of threads; 0: registers
 * live at once in PTX. */
void ptx_estimate(struct module *m, u32 full, u32 capability);
/* Lowers a kernel and all functions it can reach. Returns NULL with errors in `fail` (file, line,
 * name) if the kernel can reach an unsupported instruction. The caller binds the `run` pointers
 * (exec_bind). */
struct program *ptx_lower(const struct module *m, u32 kernel, struct arena *arena,
                          struct fail *fail);

/* Appends an instruction as one line of PTX-like text, for dumps and faults. */
void ptx_show(const struct program *p, u32 pc, struct text *out);

#endif
