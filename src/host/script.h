/* An app file after reading and checking: exactly the data that its interpreter (script.c) needs.
 * Made from text by appfile*.c; `app` runs the script as a host program, like a workload. */
#ifndef CORUN_SCRIPT_H
#define CORUN_SCRIPT_H

#include "base/fail.h"
#include "gpu/dispatch/kernel.h"
#include "host/args.h"
#include "host/host.h"

struct script_region { /* target of $NAME: a buffer; variables of the module follow the buffers */
    const char *name;
    enum type type;
    u64 count, size_bytes;
    size_t offset; /* position of the count in the file */
    u64 address;   /* of a variable */
};
struct script_texture { /* texture or surface made of a buffer before the first step; target of
                         * $NAME */
    /* reference: the module's reference bound to the texture; or NULL */
    const char *name, *reference;
    struct texture texture;       /* as given by the file; the address is set at run time */
    struct array_shape shape;
    u32 buffer;
    bool surface;  /* a surface: its contents are copied back to the buffer after the last step */
    size_t offset; /* position of the name in the file */
};
struct script_write { /* a write of contents to a region */
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
    u32 cluster[3];         /* blocks of a cluster; 0: as the kernel says */
    struct carveout_preference carveout;
    struct content param;   /* program->param_bytes bytes */
    size_t offset;          /* position of `block` in the file */
};
struct script_copy {
    u32 from, to; /* regions */
    u64 from_add, to_add, size_bytes;
};
struct script_until { /* an element of a region and its expected value */
    u32 region;
    u64 add;
    enum type type;
    bool differs;      /* true: the element must differ from `value` */
    u8 value[8];
};

enum step_kind { STEP_LAUNCH, STEP_WRITE, STEP_COPY, STEP_LIST };
struct script_step {
    enum step_kind kind;
    u64 most;                     /* maximum number of passes; exact without `until` */
    const struct script_until *until; /* NULL: no condition */
    size_t offset;                /* position of `most` in the file */
    union {
        struct script_launch *launch;
        struct script_write *write;
        struct script_copy *copy;
        struct script_step *steps;
    };
    u32 step_n; /* for STEP_LIST */
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
    /* Contents of the files named by the app file, for the cache key. */
    const struct source **files;
    u32 region_n, buffer_n, write_n, write_room, step_n, launch_n, launch_room, expect_n, dump_n;
    u32 file_n, file_room, texture_n;
};

struct app_input;
struct file_loader;
/* Reads the app file into in->script and its module into `in`. Returns false with errors in
 * `fail`. */
bool appfile_read(struct app_input *in, const struct source *file, struct file_loader *loader,
                  struct fail *fail);

#endif
