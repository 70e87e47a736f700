#include "run/io/asset.h"

#include <string.h>

static const char *const gpus[] = {
#define GPU(name) name,
#define BASE(name)
#include "gpus/list.def"
#undef GPU
#undef BASE
};

const char *asset_gpu(u32 index) { return index < COUNT_OF(gpus) ? gpus[index] : NULL; }

bool asset_find(const char *path, struct source *out)
{
    struct source s;
    u32 n = asset_at(UINT32_MAX, &s);
    for (u32 i = 0; i < n; i++) {
        asset_at(i, &s);
        if (strcmp(s.name, path)) continue;
        *out = s;
        return true;
    }
    return false;
}
