#include "run/sim/host_link.h"

#include "gpu/machine/clock.h"

/* Model: a copy takes a latency and its bytes at the link's bandwidth; a copy engine performs its
 * copies one after another, in the order in which the copies become due, apps in app order. The
 * copies take no bandwidth from the DRAM (guess: a link has a fiftieth of it). Source: times of
 * copies by size, test/silicon. */
u64 host_link_copy(struct host_link *l, const struct machine *m, const struct host_copy *copy,
                   u64 now, u64 *start)
{
    const struct link_conf *conf = &m->link;
    struct rational gbs = copy->pageable && conf->pageable_gbs.num ? conf->pageable_gbs : conf->gbs;
    u64 *free_at = &l->free_at[conf->engines > 1 && copy->to_host];
    unsigned __int128 ns = (unsigned __int128)copy->bytes * gbs.den / gbs.num + conf->latency_ns;
    *start = max_u64(now, *free_at);
    return *free_at = *start + clock_cycles(m->clock.sm_mhz, (u64)ns);
}
