/* An app file's kernel arguments, converted to the kernel's parameter types: `1048576`, `0x10`,
 * `2.5`, `$x`, `$x+64`, `hex 0a00... $x+64`, `file PATH`; and fields, which say their type
 * themselves: `$x`, `u32 16 17`, `hex 0a00`. Addresses are known only when the app runs: they are
 * left as patches. */
#ifndef CORUN_ARGS_H
#define CORUN_ARGS_H

#include "base/arena.h"
#include "host/fill.h"

struct arg_name { /* what $NAME may name: a buffer or a variable of the module */
    const char *name;
    const char *shown; /* as in C++, or NULL */
    u64 size_bytes;    /* 0: unknown, its own line is wrong */
};
struct arg_names {
    const struct arg_name *at;
    u32 n;
};
struct patch { /* the 8 bytes at `offset` become the address of names[region] plus `add` */
    u64 offset, add;
    u32 region;
};

/* What is to lie in memory: a fill, or bytes in which addresses are still missing. */
struct content {
    struct fill fill; /* unless there are bytes */
    u8 *bytes;        /* or NULL */
    u64 size_bytes;
    struct patch *patches;
    u32 patch_n, patch_room;
};

enum arg_result {
    ARG_DONE,
    ARG_FILE,  /* `path`: contents to be copied */
    ARG_WRONG  /* `why` says so; `nearest` may hold a buffer's name */
};
struct arg {
    const char *path; /* part of the argument's text */
    const char *nearest;
};
/* Converts one argument into to->bytes[p->offset ...), p->size_bytes of them. */
enum arg_result arg_convert(const char *text, const struct param *p, const struct arg_names *names,
                            struct arena *arena, struct content *to, struct arg *arg,
                            struct text *why);

/* `$NAME` or `$NAME+BYTES` behind the $; `most`: bytes it may be off the start. false: `why`. */
bool arg_address(const char *text, const struct arg_names *names, struct patch *out,
                 struct arg *arg, struct text *why);
/* One field of a struct or one value of an array. It lies where C lays it, at the next multiple of
 * its alignment from *at on; *at becomes its end. `type` is that of plain numbers, T_NONE: they
 * must say it. to->bytes NULL: it is only measured. false: `why`. */
bool arg_field(const char *text, enum type type, const struct arg_names *names,
               struct arena *arena, struct content *to, u64 *at, struct arg *arg,
               struct text *why);
/* What arg_field aligns this text to; 1 where it is wrong. */
u32 arg_field_align(const char *text, enum type type);

/* "saxpy(u32 n, f32 a, u64 x, b8 s[16])" */
void args_signature(const struct program *p, struct text *out);

#endif
