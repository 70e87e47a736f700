#include "chip/tex/tex.h"

void tex_init(struct tex *t, const struct tex_conf *conf, struct arena *arena)
{
    *t = (struct tex){.conf = conf};
    if (conf->path != TEX_OWN) return;
    t->fragments = arena_array(arena, struct tex_fragment, conf->fragments);
    tags_init(&t->tags, arena, conf->sets, conf->ways, conf->index);
}

bool tex_look(const struct tex *t, u64 line, u32 *at)
{
    return tags_probe(&t->tags, line, line, TAGS_WHOLE, at) == TAGS_HIT;
}

u32 tex_enter(struct tex *t, u64 line, u32 at, bool hit, u32 access, u32 owner, u64 now)
{
    struct tex_stat *stat = &t->stat[owner];
    t->entered_at = now;
    stat->accesses++;
    stat->hits += hit;
    stat->misses += !hit;
    if (hit) {
        tags_touch(&t->tags, at);
    } else {
        tags_place(&t->tags, at, line);
        tags_fill(&t->tags, at, TAGS_WHOLE);
    }
    u32 number = (t->head + t->n++) % t->conf->fragments;
    t->fragments[number] = (struct tex_fragment){.ready = now + t->conf->latency_cycles,
                                             .access = access, .req = REQ_NONE, .waits = !hit};
    return number;
}

void tex_reply(struct tex *t, u32 number, u32 req_id)
{
    check(t->fragments[number].waits);
    t->fragments[number].req = req_id;
    t->fragments[number].waits = false;
}

struct tex_fragment tex_leave(struct tex *t)
{
    struct tex_fragment f = t->fragments[t->head];
    t->head = (t->head + 1) % t->conf->fragments;
    t->n--;
    return f;
}

/* Model: a lane of the warp occupies a filter lane for one cycle per four texels: a bilinear sample
 * takes one cycle, a trilinear sample two (Fermi whitepaper: four texture units per SM, each with a
 * sample per clock; GPGPU-Sim has no filter limit). */
u32 tex_filter_cycles(const struct tex_conf *c, u32 lanes, u32 texels)
{
    return (u32)div_up(max_u64(lanes, div_up(texels, 4)), c->lanes);
}

/* Model: an instruction is filtered when the last of its texels has arrived (guess). */
u64 tex_filter(struct tex *t, u32 cycles, u32 owner, u64 ready)
{
    t->filter_until = max_u64(t->filter_until, ready) + cycles;
    t->stat[owner].filter_busy += cycles;
    return t->filter_until;
}

void tex_invalidate(struct tex *t, u32 app_id)
{
    if (t->conf->path == TEX_OWN) tags_drop_app(&t->tags, app_id);
}
