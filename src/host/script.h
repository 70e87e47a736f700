/* An app file, read and checked: what its interpreter (script.c) needs and nothing else.
 * Made by appfile*.c from text; run as a host program by `app` like any workload. */
#ifndef CORUN_SCRIPT_H
#define CORUN_SCRIPT_H

#include "base/fail.h"
#include "host/args.h"
#include "host/host.h"

struct script_region { /* what $NAME names: a buffer, or behind them a variable of the module */
    const char *name;
    enum type type;
    u64 count, size_bytes;
    size_t offset; /* of its count in the file */
    u64 address;   /* of a variable */
};
struct script_texture { /* made of a buffer before the first step; $NAME names its handle */
    const char *name, *reference; /* reference: of the module, that it is bound to; or NULL */
    struct texture texture;       /* as far as the file says it; its address comes later */
    struct array_shape shape;
    u32 buffer;
    bool surface;  /* not a texture; what is in it goes back to the buffer after the last step */
    size_t offset; /* of its name in the file */
};
struct script_write { /* contents go to a place */
    u32 region;
    u64 add, size_bytes;
    enum type type;
    struct content content;
};
struct script_launch {
    struct host_kernel *kernel;
    u32 grid[3], block[3];
    u32 shared_bytes, stream;
    s32 priority;           /* lower numbers go first */
    u32 index;              /* among all launches of the file */
    bool cooperative;
    struct content param;   /* program->param_bytes */
    size_t offset;          /* of its block in the file */
};
struct script_copy {
    u32 from, to; /* regions */
    u64 from_add, to_add, size_bytes;
};
struct script_until { /* an element of a region, and what it has to be */
    u32 region;
    u64 add;
    enum type type;
    bool differs;      /* it is anything else */
    u8 value[8];
};

enum step_kind { STEP_LAUNCH, STEP_WRITE, STEP_COPY, STEP_LIST };
struct script_step {
    enum step_kind kind;
    u64 most;                     /* passes; without `until` so many */
    const struct script_until *until; /* NULL: none */
    size_t offset;                /* of `most` in the file */
    union {
        struct script_launch *launch;
        struct script_write *write;
        struct script_copy *copy;
        struct script_step *steps;
    };
    u32 step_n; /* STEP_LIST */
};
struct script_expect {
    struct script_write value;
    double within;
};
struct script_dump {
    u32 region;
    const char *path;
    size_t offset;
};
struct script {
    const struct source *file;
    const char *name;
    struct script_region *regions;
    struct script_texture *textures;
    struct script_write *writes;   /* before the first step */
    struct script_step *steps;
    struct script_launch **launches; /* of all steps */
    struct script_expect *expects;
    struct script_dump *dumps;
    const struct source **files; /* contents of what it names, for the cache key */
    u32 region_n, buffer_n, write_n, write_room, step_n, launch_n, launch_room, expect_n, dump_n;
    u32 file_n, file_room, texture_n;
};

struct app_input;
struct reader;
/* Reads the file into in->script and the module into `in`. false: errors in `fail`. */
bool appfile_read(struct app_input *in, const struct source *file, struct reader *reader,
                  struct fail *fail);

#endif
