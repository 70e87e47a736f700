/* Shared by the parts of the app file's reader: appfile.c (the app, its buffers, dumps),
 * appfile_content.c (contents of memory), appfile_step.c, appfile_launch.c, appfile_item.c. */
#ifndef CORUN_APPFILE_H
#define CORUN_APPFILE_H

#include "host/input.h"
#include "host/script.h"
#include "host/tree.h"

struct appfile { /* state while reading a file */
    struct app_input *in;
    struct script *script;
    const struct source *file;
    struct file_loader *loader;
    struct fail *fail;
    struct arg_names names; /* [region of the script], followed by the textures */
};

/* Reads an integer in [low, high]; any other value is an error. */
bool read_integer(struct appfile *r, const struct node *node, const char *what, u64 low, u64 high,
                  u64 *out);
/* Loads a file named in the app file and keeps the file for the cache key. Returns NULL with an
 * error. */
const struct source *read_named(struct appfile *r, const char *path, size_t offset);
/* read_region finds a buffer or variable by name. read_place parses a location in a region, `$NAME`
 * or `$NAME+BYTES`. */
bool read_region(struct appfile *r, const char *name, size_t offset, u32 *region);
bool read_place(struct appfile *r, const struct node *node, const char *what, u32 *region,
                u64 *add);

bool read_type(struct appfile *r, const struct node *node, enum type *out);
/* Reads `init:` or `values:`, one of which may be NULL, for the location given by w->region, w->add
 * and w->type; `room` is the number of bytes available there. Sets w->size_bytes to the number of
 * bytes written. */
bool read_content(struct appfile *r, const struct node *init, const struct node *values, u64 room,
                  struct script_write *w);
/* Reads a list of fields, laid out as in C, to bytes[at ...) of `to`. Without bytes the list is
 * only measured. Sets *size_bytes to the size of the list. */
bool read_fields(struct appfile *r, const struct node *list, enum type type, struct content *to,
                 u64 at, u64 *size_bytes);
bool read_values(struct appfile *r, const struct node *list, enum type type, struct content *out);
bool read_symbols(struct appfile *r, const struct node *map);
bool read_expects(struct appfile *r, const struct node *map);

/* defined in texture/appfile_texture.c; called after the buffers are read */
bool read_textures(struct appfile *r, const struct node *map);
bool read_steps(struct appfile *r, const struct node *list, struct script_step **steps, u32 *n);
/* Reads a launch. *repeat: the node of `repeat`, or NULL. Returns NULL with an error. */
struct script_launch *read_launch(struct appfile *r, const struct node *map,
                                  const struct node **repeat);

#endif
