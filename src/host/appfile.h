/* What the parts of the app file's reader share: appfile.c (the app, its buffers, dumps),
 * appfile_content.c (what lies in them), appfile_step.c, appfile_launch.c, appfile_item.c. */
#ifndef CORUN_APPFILE_H
#define CORUN_APPFILE_H

#include "host/input.h"
#include "host/script.h"
#include "host/tree.h"

struct appfile { /* one reading */
    struct app_input *in;
    struct script *script;
    const struct source *file;
    struct reader *reader;
    struct fail *fail;
    struct arg_names names; /* [region of the script], and behind them its textures */
};

/* A whole number in [low, high], or an error that says so. */
bool read_integer(struct appfile *r, const struct node *node, const char *what, u64 low, u64 high,
                  u64 *out);
/* A file named in the app file, kept for the cache key. NULL with an error. */
const struct source *read_named(struct appfile *r, const char *path, size_t offset);
/* A buffer or variable by its name; a place in one, `$NAME` or `$NAME+BYTES`. */
bool read_region(struct appfile *r, const char *name, size_t offset, u32 *region);
bool read_place(struct appfile *r, const struct node *node, const char *what, u32 *region,
                u64 *add);

bool read_type(struct appfile *r, const struct node *node, enum type *out);
/* `init:` or `values:` of a place, which w->region, add and type say; `room`: bytes there. One of
 * both may be NULL; w->size_bytes: of what is written. */
bool read_content(struct appfile *r, const struct node *init, const struct node *values, u64 room,
                  struct script_write *w);
/* A list of fields, laid out as in C, at bytes[at ...) of `to`; without bytes it is only measured:
 * `size_bytes` of them. */
bool read_fields(struct appfile *r, const struct node *list, enum type type, struct content *to,
                 u64 at, u64 *size_bytes);
bool read_values(struct appfile *r, const struct node *list, enum type type, struct content *out);
bool read_symbols(struct appfile *r, const struct node *map);
bool read_expects(struct appfile *r, const struct node *map);

/* texture/appfile_texture.c; behind the buffers */
bool read_textures(struct appfile *r, const struct node *map);
bool read_steps(struct appfile *r, const struct node *list, struct script_step **steps, u32 *n);
/* *repeat: the node of `repeat`, or NULL. NULL with an error. */
struct script_launch *read_launch(struct appfile *r, const struct node *map,
                                  const struct node **repeat);

#endif
