/* State and functions shared by the parser's files: `parse` (module and functions) calls `variable`
 * (declarations, initializers) and `statement` (bodies), and `statement` calls `operand`; `scope`
 * tracks the meaning of names. A function that returns bool reports its own error; the caller then
 * skips to the next statement. */
#ifndef CORUN_PARSE_H
#define CORUN_PARSE_H

#include "ptx/parse/lex.h"
#include "ptx/module.h"

enum bind_kind {
    BIND_NONE,
    BIND_REGISTER,
    BIND_FAMILY,
    BIND_SYMBOL,
    BIND_FUNCTION,
    BIND_PROTOTYPE,
    BIND_TABLE,
    BIND_LABEL
};
struct binding {
    u8 kind;
    /* Register, family, symbol, function, prototype, first argument of a table, or statement. */
    u32 index;
    u32 n;            /* table: number of entries */
    u32 depth, outer; /* scope depth; meaning of the word outside the scope */
    u32 offset;       /* of the declaration */
    struct word *word;
};

struct label_ref {
    u32 arg;
    struct word *word;
}; /* an argument that names a label */

enum { BODY_DEPTH = 2 };         /* scope depth; module: 0, parameters of a function: 1 */
enum { SCOPE_MAX = 64 };         /* nesting of braces */
enum { REGISTER_MAX = 1 << 20 }; /* virtual registers of one function */

struct parser {
    struct lexer lex;
    struct module *m;
    struct arena *arena;
    struct fail *fail;
    struct binding *bindings;
    u32 binding_n, binding_room;
    u32 depth, marks[SCOPE_MAX + 2]; /* number of bindings when each scope was opened */
    u32 symbol_room, func_room, prototype_room, fixup_room; /* of the lists in `m` */
    /* Function whose header or body is parsed, NO_INDEX outside. */
    u32 func_id;
    u32 stmt_room, arg_room, family_room, loc_room; /* of the lists in the current function */
    u32 file_room; /* of the list in `m` */
    u32 numbered_n;                       /* names in the function that could belong to a family */
    struct label_ref *label_refs;         /* unresolved references */
    u32 label_ref_n, label_ref_room, ref_marks[SCOPE_MAX + 2];
    u8 linkage;    /* of the current item: enum linkage */
    u32 directive; /* position of the current module item in the text */
    u32 braces;    /* open braces at the start of the current statement */
    /* True if the end of an item cannot be determined; the whole module is then rejected. */
    bool open_end;
    bool unknown;  /* the current module item has an unknown directive or type */
    bool version_seen, target_seen, address_size_seen;
};

/* defined in scope.c */
void scope_init(struct parser *p);
bool scope_open(struct parser *p);  /* false: too deep */
void scope_close(struct parser *p); /* resolves labels of the scope */
/* NULL: already declared */
struct binding *scope_bind(struct parser *p, struct word *w, u8 kind, u32 index,
                           u32 offset);
/* Returns false, with an error, if %name0 to %name(n-1) includes a name declared in the current
 * scope. */
bool scope_family_is_new(struct parser *p, const struct word *family, u32 n, u32 offset);
/* NULL: undeclared */
const struct binding *scope_find(const struct parser *p, const struct word *w);
/* Finds a register, including family members such as %r7. Returns the first register and the number
 * of elements (.v2, .v4). */
bool scope_register(struct parser *p, struct word *w, u32 *reg, u8 *type, u32 *elements);
void scope_unknown(struct parser *p, const struct token *t,
                   const char *what); /* adds an error with the nearest name */

/* defined in parser.c */
/* Collects the errors of one item of the module or of one body. At the end the caller assigns the
 * errors to the functions that are rejected because of them. */
struct attempt {
    struct fail fail, *outer;
    u32 lex_error_n;
};
void attempt_start(struct parser *p, struct attempt *a);
void attempt_end(struct parser *p, struct attempt *a); /* restores the outer list of errors */
struct func *parser_func(struct parser *p);
bool parser_expect(struct parser *p, char punct, const char *where);
bool parser_accept(struct parser *p, char punct);
bool parser_is_dot(const struct parser *p, const char *name);
bool parser_accept_dot(struct parser *p, const char *name);
void parser_error(struct parser *p, const struct token *t,
                  const char *expected); /* "expected X, found Y" */
bool parser_semicolon(struct parser *p);
/* True if the current token looks like the start of a statement. */
bool parser_at_start(const struct parser *p);
/* Skips the rest of a statement with an error. Returns false and sets p->open_end if the end of the
 * statement cannot be determined. */
bool parser_skip(struct parser *p);
bool parser_skip_braces(struct parser *p); /* skips a block from '{'; false: unbalanced */
bool parser_int(struct parser *p, u64 *value, const char *what);

/* defined in function.c */
bool parse_function(struct parser *p, bool is_kernel, bool is_extern);
bool parse_signature(struct parser *p, struct signature *s, struct token *name,
                     bool kernel); /* (..) name (..) */

/* defined in variable.c */
bool parse_type(struct parser *p, u8 *type, const char *what); /* parses a type such as .u32 */
bool parse_variable(struct parser *p, u8 space, bool is_extern);
/* Parses a parameter declaration into a new symbol. */
bool parse_formal(struct parser *p, bool kernel);
bool parse_registers(struct parser *p);
bool parse_bind_formal(struct parser *p, u32 symbol);

/* defined in constant.c */
bool parse_constant(struct parser *p, u64 *bits, bool *is_float, bool *is_f32);
bool parse_offset(struct parser *p, u64 *offset); /* optional +constant behind a name */

/* Parses `= ...` of a symbol; inner[d]: elements per index of dimension d. Defined in initial.c. */
bool parse_initial(struct parser *p, u32 symbol, u64 element_bytes, const u64 *inner,
                   u32 dimension_n);

/* Parses `= { name = value, ... }` of a .texref, .samplerref or .surfref. Defined in initial.c. */
bool parse_sampler(struct parser *p, u32 symbol);

/* Recognizes .global ... without consuming a token. */
bool parse_space(const struct parser *p, u8 *space);
/* defined in body.c */
void parse_body(struct parser *p); /* parses a body from '{' */

/* Parses .file and .loc; false: the current token is neither. *ok: well-formed. Defined in
 * origin.c. */
bool parse_origin(struct parser *p, bool *ok);

/* defined in statement.c, operand.c and check.c */
enum { CALL_ARGS_MAX = 256 };
bool parse_instruction(struct parser *p);
bool parse_arg(struct parser *p, struct arg *a);
bool parse_call_list(struct parser *p, struct arg *list); /* parses the rest of a list after '(' */
u32 parse_args_push(struct parser *p, const struct arg *a,
                    u32 n); /* appends arguments to the function, returns the index of the first */
void parse_note_label(struct parser *p, u32 arg, struct word *w); /* resolved when a scope closes */
bool check_statement(struct parser *p, struct stmt *s,
                     u32 end); /* checks operands against the form; end: of the statement's text */
char check_role_of(const char *roles, u32 arg_n, u32 i); /* role of the i-th operand present */
u32 check_coordinate_n(const struct form *f);
bool check_has_layer(const struct form *f);
u8 check_coordinate_type(const struct form *f, u32 i);
/* Returns the size and *type of an operand. */
u32 check_role_bytes(const struct form *f, char role, u8 *type);

#endif
