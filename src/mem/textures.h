/* The arrays, textures and surfaces of an app: `host` makes them, `exec/texture` looks up handles.
 * They belong to the image of the app and are freed with it. */
#ifndef CORUN_TEXTURES_H
#define CORUN_TEXTURES_H

#include "mem/image.h"
#include "mem/texture.h"

struct array {
    u64 address; /* of the allocation; serves as the handle */
    u64 size_bytes;
    struct array_shape shape;
};
struct textures { /* of an app */
    struct array *arrays;
    struct texture *objects, *references;
    u32 array_n, array_room, object_n, object_room, reference_n;
};

/* Makes an array; NULL: out of memory, or too large. */
const struct array *array_new(struct image *m, const struct array_shape *shape, const char *name);
const struct array *array_find(const struct image *m, u64 handle); /* NULL: no such array */
bool array_free(struct image *m, u64 handle);
/* Makes a texture object and returns the handle. */
u64 texture_new(struct image *m, const struct texture *t);
/* Frees a texture object; false: no such object. */
bool texture_free(struct image *m, u64 handle);
/* Adds n texture references, bound to nothing. */
void texture_references(struct image *m, u32 n);
/* Binds a reference to a texture; NULL: to nothing. */
void texture_bind(struct image *m, u64 reference, const struct texture *t);
/* Returns the texture of a handle; NULL: an unknown handle, or a reference bound to nothing. */
const struct texture *texture_find(const struct image *m, u64 handle);
void textures_free(struct image *m);

#endif
