/* Kernel arguments of an app file, converted to the types of the kernel's parameters: `1048576`,
 * `0x10`, `2.5`, `$x`, `$x+64`, `hex 0a00... $x+64`, `file PATH`, and values that differ between
 * executions, `request` and `exponential MEAN`; and fields, which name their
 * type: `$x`, `u32 16 17`, `hex 0a00`. Addresses are known only when the app runs and are recorded
 * as patches until then. */
#ifndef CORUN_ARGS_H
#define CORUN_ARGS_H

#include "base/arena.h"
#include "host/fill.h"
#include "isa/inst.h"

struct arg_name { /* possible target of $NAME: a buffer, a variable of the module or a texture */
    const char *name;
    const char *shown; /* name in C++, or NULL */
    u64 size_bytes;    /* 0: unknown, because its definition is invalid */
};
struct arg_names {
    const struct arg_name *at;
    u32 n;
};
struct patch { /* the 8 bytes at `offset` become the address of names[region] plus `add` */
    u64 offset, add;
    u32 region;
};

enum draw_kind {
    DRAW_REQUEST,    /* number of the execution, from 0 */
    DRAW_EXPONENTIAL /* a random value of the exponential distribution */
};
struct draw { /* the value of type `type` at `offset` differs between executions */
    enum draw_kind kind;
    enum type type;
    u64 offset;
    u64 mean; /* of DRAW_EXPONENTIAL, in units of 2^-32 */
};

/* Contents of memory: a fill, or bytes with addresses to be patched in. */
struct content {
    struct fill fill; /* valid if `bytes` is NULL */
    u8 *bytes;        /* or NULL */
    u64 size_bytes;
    struct patch *patches;
    u32 patch_n, patch_room;
    struct draw *draws;
    u32 draw_n, draw_room;
};

enum arg_result {
    ARG_DONE,
    ARG_FILE,  /* contents must be copied from the file `path` */
    ARG_WRONG  /* `why` holds the error; `nearest` may hold a buffer's name */
};
struct arg_detail {
    const char *path; /* part of the argument's text */
    const char *nearest;
};
/* Converts one argument to p->size_bytes bytes at to->bytes[p->offset]. */
enum arg_result arg_convert(const char *text, const struct param *p, const struct arg_names *names,
                            struct arena *arena, struct content *to, struct arg_detail *arg,
                            struct text *why);

/* Parses `$NAME` or `$NAME+BYTES`, given without the $. BYTES must not exceed the size of the
 * target. Returns false with the error in `why`. */
bool arg_address(const char *text, const struct arg_names *names, struct patch *out,
                 struct arg_detail *arg, struct text *why);
/* Converts one field of a struct or one value of an array. The field is laid out as in C, at the
 * next multiple of its alignment from *at; *at becomes the end of the field. `type` is the type of
 * plain numbers; T_NONE: numbers must name their type. If to->bytes is NULL, the field is only
 * measured. Returns false with the error in `why`. */
bool arg_field(const char *text, enum type type, const struct arg_names *names,
               struct arena *arena, struct content *to, u64 *at, struct arg_detail *arg,
               struct text *why);
/* Returns the alignment that arg_field uses for `text`; 1 if `text` is invalid. */
u32 arg_field_align(const char *text, enum type type);

/* Adds a signature as "saxpy(u32 n, f32 a, u64 x, b8 s[16])". */
void args_signature(const struct program *p, struct text *out);

#endif
