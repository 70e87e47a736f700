#include "run/jobs/processors.h"

#include <sched.h>
#include <stdio.h>

u32 processors_quota(const char *text)
{
    unsigned long long quota, period;
    if (sscanf(text, "%llu %llu", &quota, &period) != 2 || !period) return UINT32_MAX;
    return (u32)min_u64(div_up(quota, period), UINT32_MAX);
}

/* Reads the quota of the control group. Inside a container the group is mounted as the root; a
 * group further up can have a lower quota, which stays unknown. */
static u32 quota(void)
{
    char path[4096] = "", text[64] = "";
    FILE *f = fopen("/proc/self/cgroup", "re");
    if (f) {
        if (fscanf(f, "0::%4000[^\n]", path) != 1) path[0] = 0;
        fclose(f);
    }
    char file[4200];
    snprintf(file, sizeof file, "/sys/fs/cgroup%s/cpu.max", path);
    f = fopen(file, "re");
    if (!f) f = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (!f) return UINT32_MAX;
    if (!fgets(text, sizeof text, f)) text[0] = 0;
    fclose(f);
    return processors_quota(text);
}

u32 processors_allowed(void)
{
    cpu_set_t set;
    u32 n = 1;
    if (!sched_getaffinity(0, sizeof set, &set)) n = (u32)CPU_COUNT(&set);
    return max_u32(1, min_u32(64, min_u32(n, quota())));
}
