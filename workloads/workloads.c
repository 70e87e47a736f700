#include "workloads/workloads.h"

#include <string.h>

/* ptx_NAME is made from NAME/kernel.ptx when building (embed.awk). */
#define WORKLOAD(name)                         \
    extern const struct workload workload_##name; \
    extern const struct workload_text ptx_##name;
#include "workloads/list.def"
#undef WORKLOAD

static const struct workload_entry entries[] = {
#define WORKLOAD(name) {&workload_##name, &ptx_##name},
#include "workloads/list.def"
#undef WORKLOAD
};

u32 workload_n(void) { return COUNT_OF(entries); }

const struct workload_entry *workload_at(u32 index)
{
    check(index < COUNT_OF(entries));
    return &entries[index];
}

const struct workload_entry *workload_find(const char *name)
{
    for (u32 i = 0; i < COUNT_OF(entries); i++)
        if (strcmp(entries[i].workload->name, name) == 0) return &entries[i];
    return NULL;
}
