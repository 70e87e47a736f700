/* A parsed module: what `parse*` fills in and `link`, `flow`, `liveness` and `lower*` read. Names
 * have become indices, instructions are forms with arguments, labels are statement numbers; still
 * one list per function, with virtual registers. Everything lies in the arena the text was parsed
 * into. */
#ifndef CORUN_MODULE_H
#define CORUN_MODULE_H

#include "isa/isa.h"
#include "ptx/ptx.h"

#define NO_INDEX UINT32_MAX
enum { SPACE_REG = SPACE_N }; /* of a formal parameter that is a register */
enum { PREDICATE_BYTES = 4 };  /* of a predicate that is passed: 0 or 1 */

enum linkage { LINKAGE_LOCAL, LINKAGE_VISIBLE, LINKAGE_WEAK, LINKAGE_COMMON, LINKAGE_EXTERN };

struct symbol { /* a variable, or a parameter (SPACE_PARAM, SPACE_REG) */
    const char *name;
    u8 space, type;
    bool is_extern;   /* no size of its own here: dynamic .shared, or undefined */
    u8 opaque;        /* .texref, .samplerref, .surfref: enum reference_kind plus one */
    struct sampler sampler; /* initial values of one */
    u32 align, count; /* count: array elements, 1 for a scalar */
    u64 size_bytes;
    u8 linkage;   /* enum linkage, of the module's own */
    u32 function; /* whose, NO_INDEX: the module's */
    u32 alias;    /* the definition, in another text, that it stands for, NO_INDEX */
    const struct source *source; /* where it is written */
    u32 offset;   /* of the name in the text */
    u32 line;
    u64 place;    /* link: address (.global, .const); kernel parameter: offset;
                     .local and parameters of functions: offset in the frame */
    u32 reg;      /* SPACE_REG */
    u32 call;  /* .param inside a body: place in the text of the call it is passed to, else NO_INDEX
                */
    u8 *bytes; /* initial contents given, NULL: zero */
    u64 byte_n;
    u32 fixup, fixup_n; /* addresses among them */
    bool pointed;       /* its address is among another's initial values */
    u32 variable;       /* link: index among the module's, NO_INDEX: it is none */
};

struct fixup {            /* an address in an initialiser */
    u64 at;               /* byte in the variable */
    u8 size_bytes, shift; /* shift: bits the address is moved right before it is cut to size */
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
    ARG_SYMBOL /* its address plus value */,
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
    u8 kind, type; /* type: of a register; FLOAT: T_F32 when written 0f */
    u8 base;       /* ARG_ADDRESS: ARG_REG, ARG_SYMBOL or ARG_NONE */
    bool negated;  /* !p */
    u32 offset;    /* in the text */
    u32 index;  /* register, symbol, function, label's statement, special register, first element */
    /* elements of a vector or list; table entries; of an address with others in its brackets, as
     * those of textures: how many follow */
    u32 n;
    u32 second; /* p|q: register of q; of such an address the first that follows; else NO_INDEX */
    u64 value;  /* integer, bits of a float, byte offset of an address */
};

struct stmt { /* one instruction */
    struct form form;
    u32 offset, line; /* of the opcode in the text */
    u32 guard;        /* register, NO_INDEX: always */
    bool guard_negated;
    u8 arg_n;
    bool refused; /* known but not supported: lowering says so */
    u16 size;     /* of the opcode with modifiers, in the text */
    u32 arg;      /* first of its arguments, in func.args */
};

/* .reg .b32 %r<10>: n names, registers from `first` on; a plain register has n = 1 */
struct family {
    const char *name;
    u32 first, n, offset;
    u8 type, elements; /* elements: registers of a name, more than 1 under .v2 and .v4 */
    bool numbered;
};

struct signature { /* symbols are contiguous: results, then parameters */
    u32 symbol, result_n, param_n;
    bool noreturn;
    u32 bytes; /* link: of results and parameters in the callee's frame */
};

struct func {
    const char *name;
    const struct source *source; /* where it is written */
    u32 offset, line; /* of the name in the text */
    u32 end_line;     /* of the closing brace */
    bool is_kernel, is_extern, has_body, address_taken;
    u8 linkage; /* enum linkage */
    u32 alias; /* the function it stands for, NO_INDEX */
    struct signature signature;
    u32 max_threads[3], required_threads[3]; /* .maxntid, .reqntid; 0: not given */
    struct stmt *stmts;
    u32 stmt_n;
    struct arg *args;
    u32 arg_n;
    struct family *families;
    u32 family_n, register_n;
    u32 local_bytes; /* link: its parameters and .local variables */
    /* Why no kernel may reach it: errors as they are shown, and how many; NULL: one may. */
    const char *refusal;
    u32 refusal_n;
    bool is_unknown; /* its head is not understood */
    bool lacks_name; /* one of them is a name that an item the module lost may have declared */
};

struct module {
    const struct source *source; /* that is being parsed */
    struct arena *arena;
    struct ptx_place place; /* of its variables */
    struct symbol *symbols;
    u32 symbol_n;
    struct func *funcs;
    u32 func_n;
    struct signature *prototypes;
    u32 prototype_n;
    struct fixup *fixups;
    u32 fixup_n;
    u32 *kernels; /* indices of funcs that are kernels with a body */
    u32 kernel_n;
    struct variable *variables;
    u32 variable_n;
    struct reference *references;
    u32 reference_n;
    struct fail lost; /* items that are not known: passed over, told to who lacks a name */
};

/* Registers of a .reg parameter, elements of a scalar or vector: 1, 2 or 4. */
u32 symbol_elements(const struct symbol *s);
/* register number -> its family (they ascend) */
const struct family *func_family(const struct func *f, u32 reg);
void func_register_name(const struct func *f, u32 reg, struct text *out);
/* the text of a statement's opcode: "add.s32" */
#define STMT_NAME(m, s) (int)(s)->size, (m)->source->text + (s)->offset

/* of a module of several texts; then behind aliases */
bool resolve_modules(struct module *m, struct fail *fail);
u32 symbol_resolved(const struct module *m, u32 symbol);
u32 func_resolved(const struct module *m, u32 func);
bool func_same_shape(const struct module *m, const struct func *a, const struct func *b);
bool link_module(struct module *m, struct fail *fail); /* places variables, fills initial bytes */
/* Adds to why no kernel may reach the function. */
void func_refuse(struct module *m, struct func *f, const struct fail *why);
u64 function_address(u32 func); /* a function pointer: index into program.functions */

#endif
