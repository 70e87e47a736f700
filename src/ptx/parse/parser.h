/* The parser's own state and the verbs its files share: `parse` (module and functions) calls
 * `variable` (declarations, initialisers), `statement` (bodies) and that `operand`; `scope` keeps
 * what names mean. Each verb that returns bool reports its error itself; the caller then skips to
 * the next statement. */
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
    u32 index;        /* register, family, symbol, function, prototype, first argument of the table,
                         statement */
    u32 n;            /* table: entries */
    u32 depth, outer; /* scope depth; what the word meant outside */
    u32 offset;       /* of the declaration */
    struct word *word;
};

struct label_ref {
    u32 arg;
    struct word *word;
}; /* an argument that names a label */

enum { BODY_DEPTH = 2 };         /* the module has 0, the parameters of a function 1 */
enum { SCOPE_MAX = 64 };         /* nesting of braces */
enum { REGISTER_MAX = 1 << 20 }; /* virtual registers of one function */

struct parser {
    struct lexer lex;
    struct module *m;
    struct arena *arena;
    struct fail *fail;
    struct binding *bindings;
    u32 binding_n, binding_room;
    u32 depth, marks[SCOPE_MAX + 2]; /* bindings when each scope was opened */
    u32 symbol_room, func_room, prototype_room, fixup_room; /* of the lists in m */
    u32 func_id;                          /* in whose body or header we are, NO_INDEX outside */
    u32 stmt_room, arg_room, family_room; /* of the lists in the current function */
    u32 numbered_n;                       /* names in it that could be of a family */
    struct label_ref *label_refs;         /* not resolved yet */
    u32 label_ref_n, label_ref_room, ref_marks[SCOPE_MAX + 2];
    u8 linkage;    /* of the present item: enum linkage */
    u32 directive; /* where the module's present item begins in the text */
    u32 braces;    /* of the lexer, where the present statement begins */
    bool open_end; /* something has no clear end in the text: the whole module is refused */
    bool unknown;  /* the present item of the module has a directive or a type that is not known */
    bool version_seen, target_seen, address_size_seen;
};

/* scope.c */
void scope_init(struct parser *p);
bool scope_open(struct parser *p);  /* false: too deep */
void scope_close(struct parser *p); /* resolves labels of this scope */
struct binding *scope_bind(struct parser *p, struct word *w, u8 kind, u32 index,
                           u32 offset);                                         /* NULL: twice */
/* false: one of %name0 to %name(n-1) is declared in this scope (reported) */
bool scope_family_is_new(struct parser *p, const struct word *family, u32 n, u32 offset);
const struct binding *scope_find(const struct parser *p, const struct word *w); /* NULL: nothing */
/* %r7 through its family too; its first register and how many it has (.v2, .v4) */
bool scope_register(struct parser *p, struct word *w, u32 *reg, u8 *type, u32 *elements);
void scope_unknown(struct parser *p, const struct token *t,
                   const char *what); /* error with the nearest name */

/* parser.c */
/* Errors from here on belong to one item of the module, or one body; at its end they go to whoever
 * is refused for them. */
struct attempt {
    struct fail fail, *outer;
    u32 lex_error_n;
};
void attempt_start(struct parser *p, struct attempt *a);
void attempt_end(struct parser *p, struct attempt *a); /* the outer one's turn again */
struct func *parser_func(struct parser *p);
bool parser_expect(struct parser *p, char punct, const char *where);
bool parser_accept(struct parser *p, char punct);
bool parser_is_dot(const struct parser *p, const char *name);
bool parser_accept_dot(struct parser *p, const char *name);
void parser_error(struct parser *p, const struct token *t,
                  const char *expected); /* "expected X, found Y" */
bool parser_semicolon(struct parser *p);
bool parser_at_start(const struct parser *p); /* a statement begins here, by its look */
/* behind the statement with the error; false: nothing says where that is, p->open_end is set */
bool parser_skip(struct parser *p);
bool parser_skip_braces(struct parser *p); /* now is '{': behind its partner; false: none */
bool parser_int(struct parser *p, u64 *value, const char *what);

/* function.c */
bool parse_function(struct parser *p, bool is_kernel, bool is_extern);
bool parse_signature(struct parser *p, struct signature *s, struct token *name,
                     bool kernel); /* (..) name (..) */

/* variable.c */
bool parse_type(struct parser *p, u8 *type, const char *what); /* .u32; moves on */
bool parse_variable(struct parser *p, u8 space, bool is_extern);
bool parse_formal(struct parser *p, bool kernel); /* one parameter declaration: a new symbol */
bool parse_registers(struct parser *p);
bool parse_bind_formal(struct parser *p, u32 symbol);

/* constant.c */
bool parse_constant(struct parser *p, u64 *bits, bool *is_float, bool *is_f32);
bool parse_offset(struct parser *p, u64 *offset); /* +constant behind a name, or nothing */

/* initial.c: `= ...` of a symbol; inner[d]: elements below one index of dimension d */
bool parse_initial(struct parser *p, u32 symbol, u64 element_bytes, const u64 *inner,
                   u32 dimension_n);

/* initial.c: `= { name = value, ... }` of a .texref, .samplerref or .surfref */
bool parse_sampler(struct parser *p, u32 symbol);

bool parse_space(const struct parser *p, u8 *space); /* now is .global ...; does not move */
/* body.c */
void parse_body(struct parser *p); /* now is '{' */

/* origin.c: .file and .loc; false: there is none here. *ok: it is well formed */
bool parse_origin(struct parser *p, bool *ok);

/* statement.c, operand.c, check.c */
enum { CALL_ARGS_MAX = 256 };
bool parse_instruction(struct parser *p);
bool parse_arg(struct parser *p, struct arg *a);
bool parse_call_list(struct parser *p, struct arg *list); /* behind its '(' */
u32 parse_args_push(struct parser *p, const struct arg *a,
                    u32 n); /* appended to the function's: the first */
void parse_note_label(struct parser *p, u32 arg, struct word *w); /* resolved when a scope closes */
bool check_statement(struct parser *p, struct stmt *s,
                     u32 end); /* operands fit the form; end: of its text */
char check_role_of(const char *roles, u32 arg_n, u32 i); /* of the i-th operand that is there */
u32 check_coordinate_n(const struct form *f);
bool check_has_layer(const struct form *f);
u8 check_coordinate_type(const struct form *f, u32 i);
u32 check_role_bytes(const struct form *f, char role, u8 *type); /* what it holds, and its size */

#endif
