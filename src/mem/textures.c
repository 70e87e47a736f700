#include "mem/textures.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Returns the tables, to be changed. */
static struct textures *table(struct image *m)
{
    if (!m->textures) m->textures = base_alloc(sizeof *m->textures);
    m->texture_changes++;
    return m->textures;
}

const struct array *array_new(struct image *m, const struct array_shape *shape, const char *name)
{
    u64 size_bytes = array_bytes(shape), address = image_alloc(m, size_bytes, name);
    if (!address) return NULL;
    struct textures *t = table(m);
    struct array *a = base_push(t->arrays, t->array_n, t->array_room);
    *a = (struct array){address, size_bytes, *shape};
    return a;
}

const struct array *array_find(const struct image *m, u64 handle)
{
    const struct textures *t = m->textures;
    for (u32 i = 0; t && i < t->array_n; i++)
        if (t->arrays[i].address == handle) return &t->arrays[i];
    return NULL;
}

bool array_free(struct image *m, u64 handle)
{
    struct textures *t = m->textures;
    const struct array *a = array_find(m, handle);
    if (!a) return false;
    t->arrays[a - t->arrays] = t->arrays[--t->array_n];
    m->texture_changes++;
    return image_release(m, handle);
}

u64 texture_new(struct image *m, const struct texture *of)
{
    struct textures *t = table(m);
    *base_push(t->objects, t->object_n, t->object_room) = *of;
    return t->object_n;
}

bool texture_free(struct image *m, u64 handle)
{
    if (handle >= TEXTURE_REFERENCE || !texture_find(m, handle)) return false;
    table(m)->objects[handle - 1].kind = TEXTURE_NONE;
    return true;
}

void texture_references(struct image *m, u32 n)
{
    if (!n) return;
    struct textures *t = table(m);
    t->references = base_realloc(t->references, (t->reference_n + n) * sizeof *t->references);
    memset(t->references + t->reference_n, 0, n * sizeof *t->references);
    t->reference_n += n;
}

void texture_bind(struct image *m, u64 reference, const struct texture *of)
{
    check(m->textures && reference - TEXTURE_REFERENCE < m->textures->reference_n);
    table(m)->references[reference - TEXTURE_REFERENCE] = of ? *of : (struct texture){0};
}

const struct texture *texture_find(const struct image *m, u64 handle)
{
    const struct textures *t = m->textures;
    const struct texture *found = NULL;
    if (!t || !handle) return NULL;
    if (handle <= t->object_n) found = &t->objects[handle - 1];
    else if (handle - TEXTURE_REFERENCE < t->reference_n)
        found = &t->references[handle - TEXTURE_REFERENCE];
    return found && found->kind ? found : NULL;
}

void textures_free(struct image *m)
{
    if (!m->textures) return;
    free(m->textures->arrays);
    free(m->textures->objects);
    free(m->textures->references);
    free(m->textures);
    m->textures = NULL;
}
