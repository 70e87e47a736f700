/* What programs are like when each runs alone: several apps on several machines, each for a window,
 * from the cache of isolated runs where it has them; the classes the papers sort programs into.
 * `cli` asks and prints tables, profile_show writes JSON and CSV. */
#ifndef CORUN_PROFILE_H
#define CORUN_PROFILE_H

#include "run/study/alone.h"

struct profile_setup {
    struct sim_setup sim;        /* apps: each alone; gpu and policy are not used */
    const struct gpu_file *gpus;
    u32 gpu_n;
    bool cached;                 /* the cache is looked at; it is written in either case */
    u32 threads;
};

struct profile_row {
    const struct gpu_file *gpu;
    const char *app;             /* as given */
    struct alone alone;
    struct gpu_capacity capacity; /* over the app's cycles */
    struct text trouble;         /* what went wrong in the simulated machine */
};

struct profile {
    const struct profile_setup *setup;
    struct profile_row *rows;    /* by machine, then app */
    u32 row_n;
};

/* false: the input is wrong, errors in `fail`. Free it in either case. The setup must outlive
 * it. */
bool profile_run(struct profile *p, const struct profile_setup *setup, struct fail *fail);
void profile_free(struct profile *p);
void profile_json(const struct profile *p, struct text *out);
void profile_csv(const struct profile *p, struct text *out);

/* Of an app as a whole, or of its kernel `kernel` over the cycles in which nothing else of it ran.
 * A ratio that is undefined is NAN. */
enum { PROFILE_APP = UINT32_MAX };
double profile_ratio(const struct profile_row *r, u32 kernel, const char *name);
/* "M" with the load/store unit stalled in more than 20 % of the cycles, else "C"; "-": unknown. */
const char *profile_type(const struct profile_row *r, u32 kernel);

struct resource {
    const char *name, *ratio;
    enum corun_resource id;
};
extern const struct resource profile_resources[];
extern const u32 profile_resource_n;
/* The resource used most, measured by the limit under which it is not; NULL: unknown. */
const struct resource *profile_leader(const struct profile_row *r, u32 kernel);
/* underutilized, moderate, saturated; "-": unknown */
const char *profile_use(const struct profile_row *r, u32 kernel);

/* Parts of an SM that as many blocks as fit take. */
struct profile_occupancy {
    double threads, registers, shared, blocks;
};
void profile_occupancy(const struct machine *m, const struct gpu_occupancy *fits,
                       struct profile_occupancy *out);

#endif
