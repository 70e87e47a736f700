/* An app file, read and checked: what its interpreter (script.c) needs and nothing else.
 * Made by appfile.c from text; run as a host program by `app` like any workload. */
#ifndef CORUN_SCRIPT_H
#define CORUN_SCRIPT_H

#include "base/fail.h"
#include "host/args.h"
#include "host/fill.h"
#include "host/host.h"

struct script_buffer {
    const char *name;
    enum type type;
    u64 count, size_bytes;
    size_t offset; /* of its count in the file */
    struct fill fill;
    u64 address; /* of a variable of the module */
};
struct script_launch {
    struct host_kernel *kernel;
    u32 grid[3], block[3];
    u32 shared_bytes, stream, repeat;
    bool cooperative;
    u8 *param; /* program->param_bytes, addresses still missing */
    struct patch *patches;
    u32 patch_n;
    size_t offset; /* of its block in the file */
};
struct script_dump {
    u32 buffer;
    const char *path;
    size_t offset;
};
struct script {
    const struct source *file;
    const char *name;
    struct script_buffer *buffers;
    struct script_buffer *variables; /* of the module that get values */
    struct script_launch *launches;
    struct script_dump *dumps;
    const struct source **files; /* contents of what it names, for the cache key */
    u32 buffer_n, variable_n, launch_n, dump_n, file_n, file_room;
};

struct app_input;
struct reader;
/* Reads the file into in->script and the module into `in`. false: errors in `fail`. */
bool appfile_read(struct app_input *in, const struct source *file, struct reader *reader,
                  struct fail *fail);

#endif
