/* The texture unit of an SM: a cache that hides latency by order, and a filter with a rate. The
 * load/store unit hands it one access at a time (chip/sm/ldst); what misses goes to L2 through L1's
 * miss queue. It knows no warps: a fragment names ldst's pending access by number. It has no clock
 * of its own.
 *
 * Model: a tag is looked up when the access comes, and the line of a miss counts as there from then
 * on; the accesses then wait in a queue for their data and leave it in order, one a cycle, so that
 * what comes after a miss waits behind it (Igehy, Eldridge, Proudfoot, "Prefetching in a Texture
 * Cache Architecture"; tex_cache of GPGPU-Sim). */
#ifndef CORUN_TEX_H
#define CORUN_TEX_H

#include "mem/tags.h"
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
enum { TEX_OWN, TEX_L1 }; /* words of tex.path */

struct tex_fragment { /* an access on its way from the tags to the filter */
    u64 ready;  /* it leaves not before */
    u32 access; /* the pending access it is for */
    u32 req;    /* its request, once the data is here; REQ_NONE: it hit */
    bool waits; /* for its request */
};

struct tex {
    struct tex_fragment *fragments; /* a ring of conf->fragments */
    u32 head, n;
    u64 leave_at;     /* the next fragment leaves not before */
    u64 filter_until; /* the filter is busy before */
    u64 entered_at;   /* when the last access entered */
    const struct tex_conf *conf;
    struct tags tags;
    struct tex_stat stat[APPS_MAX + 1]; /* the last: of no app */
};

void tex_init(struct tex *t, const struct tex_conf *conf, struct arena *arena);
static inline bool tex_full(const struct tex *t) { return t->n == t->conf->fragments; }
/* An access that is not refused: is its line there? at: where it is, or will be. */
bool tex_look(const struct tex *t, u64 line, u32 *at);
/* It goes on. Returns the fragment's number, by which a reply finds it. */
u32 tex_enter(struct tex *t, u64 line, u32 at, bool hit, u32 access, u32 app_id, u64 now);
void tex_reply(struct tex *t, u32 number, u32 req_id);
/* From when on the oldest fragment can leave; NEVER: it waits, or there is none. */
static inline u64 tex_next(const struct tex *t)
{
    const struct tex_fragment *f = &t->fragments[t->head];
    return !t->n || f->waits ? NEVER : max_u64(f->ready, t->leave_at);
}
struct tex_fragment tex_leave(struct tex *t);
/* Cycles for so many lanes and texels. */
u32 tex_filter_cycles(const struct tex_conf *c, u32 lanes, u32 texels);
/* What is there in cycle `ready` is filtered; when that is done. */
u64 tex_filter(struct tex *t, u32 cycles, u32 app_id, u64 ready);
/* A kernel of the app starts: its lines are dropped. */
void tex_invalidate(struct tex *t, u32 app_id);

#endif
