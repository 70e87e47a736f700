#include "workloads/workloads.h"

#include <string.h>

#define WORKLOAD(name) extern const struct workload workload_##name;
#include "workloads/list.def"
#undef WORKLOAD

static const struct workload *const workloads[] = {
#define WORKLOAD(name) &workload_##name,
#include "workloads/list.def"
#undef WORKLOAD
};

u32 workload_n(void) { return COUNT_OF(workloads); }

const struct workload *workload_at(u32 index)
{
    check(index < COUNT_OF(workloads));
    return workloads[index];
}

const struct workload *workload_find(const char *name)
{
    for (u32 i = 0; i < COUNT_OF(workloads); i++)
        if (strcmp(workloads[i]->name, name) == 0) return workloads[i];
    return NULL;
}
