/* A parsed module: filled in by `parse*`, read by `link`, `flow`, `liveness` and `lower*`. Names
 * are replaced by indices, instructions by forms with arguments, labels by statement numbers; each
 * function is still a list of statements on virtual registers. All data live in the arena of the
 * parser. */
#ifndef CORUN_MODULE_H
#define CORUN_MODULE_H

#include "isa/isa.h"
#include "ptx/ptx.h"

#define NO_INDEX UINT32_MAX
enum { SPACE_REG = SPACE_N }; /* space of a formal parameter in a register */
enum { PREDICATE_BYTES = 4 };  /* size of a predicate as a parameter: 0 or 1 */

enum linkage { LINKAGE_LOCAL, LINKAGE_VISIBLE, LINKAGE_WEAK, LINKAGE_COMMON, LINKAGE_EXTERN };

struct symbol { /* a variable, or a parameter (SPACE_PARAM, SPACE_REG) */
    const char *name;
    u8 space, type;
    bool is_extern;   /* declared without a size: dynamic .shared, or undefined */
    u8 opaque;        /* .texref, .samplerref, .surfref: enum reference_kind + 1 */
    struct sampler sampler; /* initial values of a .texref or .samplerref */
    u32 align, count; /* count: array elements, 1 for a scalar */
    u64 size_bytes;
    u8 linkage;   /* enum linkage, of a variable of the module */
    u32 function; /* owner; NO_INDEX: the module */
    u32 alias;    /* definition in another text, or NO_INDEX */
    const struct source *source; /* text that contains the symbol */
    u32 offset;   /* of the name in the text */
    u32 line;
    /* Set by link. .global, .const: address; parameter of a kernel: offset; .local and parameters
     * of functions: offset in the frame. */
    u64 place;
    u32 reg;      /* SPACE_REG */
    /* .param inside a body: position in the text of the call that passes the symbol, else
     * NO_INDEX. */
    u32 call;
    u8 *bytes; /* given initial contents, NULL: zero */
    u64 byte_n;
    u32 fixup, fixup_n; /* range of the addresses in `bytes` */
    bool pointed;       /* true if the initial values of another symbol contain its address */
    u32 variable;       /* set by link: index of the variable in the module, or NO_INDEX */
};

struct fixup {            /* an address in an initializer */
    u64 at;               /* byte offset in the variable */
    u8 size_bytes, shift; /* shift: bits by which the address is shifted right before truncation to
                           * size_bytes */
    bool is_function, generic;
    u32 target; /* symbol or function */
    s64 addend;
    u32 offset; /* in the text */
};

enum arg_kind {
    ARG_NONE,
    ARG_REG,
    ARG_INT,
    ARG_FLOAT,
    ARG_SYMBOL /* address of the symbol plus `value` */,
    ARG_FUNCTION,
    ARG_SPECIAL,
    ARG_LABEL,
    ARG_TABLE,
    ARG_PROTOTYPE,
    ARG_SINK,
    ARG_VECTOR,
    ARG_LIST,
    ARG_ADDRESS
};

struct arg {
    u8 kind, type; /* type: of a register; FLOAT: T_F32 for the form 0f... */
    u8 base;       /* ARG_ADDRESS: ARG_REG, ARG_SYMBOL or ARG_NONE */
    bool negated;  /* !p */
    u32 offset;    /* in the text */
    /* Register, symbol, function, statement of a label, special register, or first element. */
    u32 index;
    /* Elements of a vector or list; table entries; for an address with further operands in its
     * brackets, as of textures: number of those operands. */
    u32 n;
    /* p|q: register of q; address with further operands: the first of them; else NO_INDEX. */
    u32 second;
    u64 value;  /* integer, bits of a float, byte offset of an address */
};

struct stmt { /* one instruction */
    struct form form;
    u32 offset, line; /* of the opcode in the text */
    u32 guard;        /* register, NO_INDEX: unconditional */
    bool guard_negated;
    u8 arg_n;
    bool refused; /* known but unsupported: an error when lowered */
    u16 size;     /* of the opcode with modifiers, in the text */
    u32 arg;      /* index of the first argument in func.args */
};

/* .reg .b32 %r<10>: n names for the registers from `first` on; a plain register has n = 1. */
struct family {
    const char *name;
    u32 first, n, offset;
    u8 type, elements; /* elements: registers per name, more than 1 for .v2 and .v4 */
    bool numbered;
};

struct signature { /* symbols are contiguous: results, then parameters */
    u32 symbol, result_n, param_n;
    bool noreturn;
    u32 bytes; /* set by link: size of results and parameters in the callee's frame */
};

struct file { /* .file: a source file of the compiler that wrote the text */
    const struct source *source; /* PTX text of the directive */
    u32 number;
    const char *name;
};

struct loc { /* .loc: source position of the statements up to the next .loc */
    u32 offset;      /* in the PTX text */
    u32 file, line;  /* number of the file */
    u32 call_file, call_line; /* call of an inlined function (inlined_at); line 0: not inlined */
};

struct func {
    const char *name;
    const struct source *source; /* text that contains the function */
    u32 offset, line; /* of the name in the text */
    u32 end_line;     /* of the closing brace */
    bool is_kernel, is_extern, has_body, address_taken;
    u8 linkage; /* enum linkage */
    u32 alias; /* function that replaces this function, or NO_INDEX */
    struct signature signature;
    u32 max_threads[3], required_threads[3]; /* .maxntid, .reqntid; 0: not given */
    u32 min_blocks, max_registers; /* .minnctapersm, .maxnreg; 0: not given */
    u32 required_cluster[3], max_cluster; /* .reqnctapercluster, .maxclusterrank; 0: not given */
    bool needs_cluster, blocks_are_clusters; /* .explicitcluster, .blocksareclusters */
    struct stmt *stmts;
    u32 stmt_n;
    struct arg *args;
    u32 arg_n;
    struct family *families;
    u32 family_n, register_n;
    struct loc *locs; /* in the order of the text */
    u32 loc_n;
    u32 local_bytes; /* set by link: size of its parameters and .local variables */
    /* Errors, as shown to the user, that forbid kernels to reach the function, and their number;
     * NULL: no errors. */
    const char *refusal;
    u32 refusal_n;
    bool is_unknown; /* the header could not be parsed */
    bool lacks_name; /* an error is an unknown name, possibly declared by an item in module.lost */
};

struct module {
    const struct source *source; /* text being parsed */
    struct arena *arena;
    struct ptx_place place; /* start of the module's variables */
    struct symbol *symbols;
    u32 symbol_n;
    struct func *funcs;
    u32 func_n;
    struct signature *prototypes;
    u32 prototype_n;
    struct fixup *fixups;
    u32 fixup_n;
    struct file *files;
    u32 file_n;
    u32 *kernels; /* functions that are kernels with a body */
    u32 kernel_n;
    struct variable *variables;
    u32 variable_n;
    struct reference *references;
    u32 reference_n;
    bool contract;    /* kernels are lowered with fused products and sums */
    u32 expand;       /* capability of ptx_expand; 0: one instruction for each of PTX */
    u32 full_registers, capability; /* of ptx_estimate; 0: registers live at once */
    struct fail lost; /* errors of skipped unknown items; added to functions with lacks_name */
};

/* Returns the number of registers of a .reg parameter, or of elements of a scalar or vector: 1, 2
 * or 4. */
u32 symbol_elements(const struct symbol *s);
/* Returns the family of a register by binary search; families are in ascending order. */
const struct family *func_family(const struct func *f, u32 reg);
/* Returns the source position of the statement at an offset in the function's text. */
struct origin func_origin(const struct module *m, const struct func *f, u32 offset);
void func_register_name(const struct func *f, u32 reg, struct text *out);
/* Arguments for a %.*s conversion: the opcode of a statement as written, "add.s32". */
#define STMT_NAME(m, s) (int)(s)->size, (m)->source->text + (s)->offset

/* resolve_modules links the symbols and functions of a module made of several texts by their
 * aliases; symbol_resolved and func_resolved then follow the aliases. */
bool resolve_modules(struct module *m, struct fail *fail);
u32 symbol_resolved(const struct module *m, u32 symbol);
u32 func_resolved(const struct module *m, u32 func);
bool func_same_shape(const struct module *m, const struct func *a, const struct func *b);
bool link_module(struct module *m, struct fail *fail); /* places variables, fills initial bytes */
/* Adds errors that forbid kernels to reach the function. */
void func_refuse(struct module *m, struct func *f, const struct fail *why);
u64 function_address(u32 func); /* function pointer: index into ptx_program.functions */

#endif
