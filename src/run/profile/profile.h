/* Profiles of programs running alone: several apps on several machines, each in an isolated run,
 * taken from the cache of isolated runs if present. Computes the classes into which the papers sort
 * programs. `cli` prints tables, profile_show.c writes JSON and CSV. */
#ifndef CORUN_PROFILE_H
#define CORUN_PROFILE_H

#include "run/study/alone.h"

struct profile_setup {
    struct sim_setup sim;        /* each app runs alone; `gpu` and `policy` are ignored */
    const struct gpu_file *gpus;
    u32 gpu_n;
    bool cached;                 /* read the cache, unless sim.lines is set; results are written
                                  * to the cache in any case */
    u32 threads;
};

struct profile_row {
    const struct gpu_file *gpu;
    const char *app;             /* as given by the user */
    struct alone alone;
    struct lines *lines;         /* counters by instruction; NULL: not counted */
    struct gpu_capacity capacity; /* over the app's cycles */
    struct text trouble;         /* fault of the simulated machine, or interrupt; else empty */
};

struct profile {
    const struct profile_setup *setup;
    struct profile_row *rows;    /* in the order of machines, then apps */
    u32 row_n;
};

/* Runs or loads all profiles. false: invalid input, errors in `fail`. The caller calls profile_free
 * in either case. The setup must outlive the profile. */
bool profile_run(struct profile *p, const struct profile_setup *setup, struct fail *fail);
void profile_free(struct profile *p);
void profile_json(const struct profile *p, struct text *out);
void profile_csv(const struct profile *p, struct text *out);

/* Returns a ratio of the whole app (kernel PROFILE_APP), or of a kernel over the cycles in which no
 * other kernel of the app ran. NAN: undefined. */
enum { PROFILE_APP = UINT32_MAX };
double profile_ratio(const struct profile_row *r, u32 kernel, const char *name);
/* Returns "M" (memory-intensive) if the load/store unit is stalled in more than 20 % of the cycles,
 * else "C" (compute-intensive); "-": unknown. */
const char *profile_type(const struct profile_row *r, u32 kernel);

struct resource {
    const char *name, *ratio;
    enum corun_resource id;
};
extern const struct resource profile_resources[];
extern const u32 profile_resource_n;
/* Returns the most used resource: highest utilization divided by the resource's limit for
 * `underutilized`. NULL: unknown. */
const struct resource *profile_leader(const struct profile_row *r, u32 kernel);
/* Returns "underutilized", "moderate" or "saturated"; "-": unknown. */
const char *profile_use(const struct profile_row *r, u32 kernel);

/* Occupancy: fractions of an SM's resources taken by as many blocks of a kernel as fit. */
struct profile_occupancy {
    double threads, registers, shared, blocks;
};
void profile_occupancy(const struct machine *m, const struct gpu_occupancy *fits,
                       struct profile_occupancy *out);

#endif
