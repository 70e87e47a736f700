/* The arrays, textures and surfaces of one app: `host` makes them, `exec/texture` looks up
 * handles. They belong to the app's image and go with it. */
#ifndef CORUN_TEXTURES_H
#define CORUN_TEXTURES_H

#include "mem/image.h"
#include "mem/texture.h"

struct array {
    u64 address; /* of its allocation: its handle */
    u64 size_bytes;
    struct array_shape shape;
};
struct textures { /* of an app */
    struct array *arrays;
    struct texture *objects, *references;
    u32 array_n, array_room, object_n, object_room, reference_n;
};

/* NULL: out of memory, or too large */
const struct array *array_new(struct image *m, const struct array_shape *shape, const char *name);
const struct array *array_find(const struct image *m, u64 handle); /* NULL: there is none */
bool array_free(struct image *m, u64 handle);
u64 texture_new(struct image *m, const struct texture *t); /* its handle */
bool texture_free(struct image *m, u64 handle); /* of an object; false: there is none */
void texture_references(struct image *m, u32 n); /* so many more, nothing bound to them */
void texture_bind(struct image *m, u64 reference, const struct texture *t);
/* NULL: it stands for nothing, or for a reference to which nothing is bound. */
const struct texture *texture_find(const struct image *m, u64 handle);
void textures_free(struct image *m);

#endif
