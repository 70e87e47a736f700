/* An app file's kernel arguments, converted to the kernel's parameter types: `1048576`, `0x10`,
 * `2.5`, `$x`, `$x+64`, `hex 0a00...`, `file PATH`. Buffer addresses are known only when the app
 * runs: they are left as patches. */
#ifndef CORUN_ARGS_H
#define CORUN_ARGS_H

#include "host/number.h"

struct arg_name { /* a buffer that $NAME may name */
    const char *name;
    u64 size_bytes; /* 0: unknown, its own line is wrong */
};
struct patch { /* the 8 bytes at `offset` become the address of `buffer` plus `add` */
    u32 offset, buffer;
    u64 add;
};

enum arg_result {
    ARG_DONE,
    ARG_PATCH, /* `patch` is filled, save its offset */
    ARG_FILE,  /* `path`: contents to be copied */
    ARG_WRONG  /* `why` says so; `nearest` may hold a buffer's name */
};
struct arg {
    struct patch patch;
    const char *path; /* part of the argument's text */
    const char *nearest;
};
/* Converts one argument into out[0 .. p->size_bytes). */
enum arg_result arg_convert(const char *text, const struct param *p, const struct arg_name *names,
                            u32 name_n, u8 *out, struct arg *arg, struct text *why);

/* "saxpy(u32 n, f32 a, u64 x, b8 s[16])" */
void args_signature(const struct program *p, struct text *out);

#endif
