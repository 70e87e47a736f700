/* The texture unit of an SM: a cache that hides latency by keeping accesses in order, and a filter
 * with a limited rate. The load/store unit (chip/sm/lsu) passes one access at a time; misses go to
 * L2 through L1's miss queue. The unit knows no warps: a fragment names a pending access of the
 * load/store unit by number. The unit has no clock of its own.
 * Model: an access looks up the tags on arrival, and the line of a miss counts as present from then
 * on. The accesses then wait for their data in a queue and leave the queue in order, one per cycle;
 * an access behind a miss waits for the miss (Igehy, Eldridge, Proudfoot, "Prefetching in a Texture
 * Cache Architecture"; tex_cache of GPGPU-Sim). */
#ifndef CORUN_TEX_H
#define CORUN_TEX_H

#include "cache/tags.h"
#include "table/conf.h"
#include "table/stat.h"

struct tex_conf {
#define CONF CONF_FIELD
#define CHOICE CHOICE_FIELD
#include "chip/tex/tex_conf.def"
#undef CONF
#undef CHOICE
};
struct tex_stat {
#define STAT STAT_FIELD
#include "chip/tex/tex_stat.def"
#undef STAT
};
enum { TEX_OWN, TEX_L1 }; /* values of tex.path */

struct tex_fragment { /* an access between the tags and the filter */
    u64 ready;  /* first cycle in which the fragment may leave */
    u32 access; /* number of the pending access */
    u32 req;    /* request with the data; REQ_NONE: not arrived, or a hit */
    bool waits; /* the data has not arrived */
};

struct tex {
    struct tex_fragment *fragments; /* a ring of conf->fragments */
    u32 head, n;
    u64 leave_at;     /* first cycle in which the next fragment may leave */
    u64 filter_until; /* first cycle in which the filter is free */
    u64 entered_at;   /* cycle in which the last access entered */
    const struct tex_conf *conf;
    struct tags tags;
    struct tex_stat stat[OWNERS_MAX];
};

void tex_init(struct tex *t, const struct tex_conf *conf, struct arena *arena);
/* Returns true if no fragment is free: accesses are refused. */
static inline bool tex_full(const struct tex *t) { return t->n == t->conf->fragments; }
/* Returns true if the line of an access is present; call only if the access is not refused. at:
 * location of the line, or of the line to replace. */
bool tex_look(const struct tex *t, u64 line, u32 *at);
/* Enters an access with the results of tex_look. Returns the number of the fragment, for
 * tex_reply. */
u32 tex_enter(struct tex *t, u64 line, u32 at, bool hit, u32 access, u32 owner, u64 now);
/* Hands a returned request to the waiting fragment. */
void tex_reply(struct tex *t, u32 number, u32 req_id);
/* Returns the first cycle in which the oldest fragment can leave; NEVER: no data yet, or no
 * fragment. */
static inline u64 tex_next(const struct tex *t)
{
    const struct tex_fragment *f = &t->fragments[t->head];
    return !t->n || f->waits ? NEVER : max_u64(f->ready, t->leave_at);
}
/* Removes and returns the oldest fragment. */
struct tex_fragment tex_leave(struct tex *t);
/* Returns the filter time in cycles of an instruction with `lanes` lanes and `texels` texels in
 * all. */
u32 tex_filter_cycles(const struct tex_conf *c, u32 lanes, u32 texels);
/* Filters the data present in cycle `ready`; returns the cycle in which the filter is done. */
u64 tex_filter(struct tex *t, u32 cycles, u32 owner, u64 ready);
/* Drops the lines of an app; call when a kernel of the app starts. */
void tex_invalidate(struct tex *t, u32 app_id);

#endif
