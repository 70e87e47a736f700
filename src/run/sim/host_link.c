#include "run/sim/host_link.h"

#include "gpu/machine/clock.h"
#include "gpu/machine/stat.h"

static u64 ns_of(u64 bytes, struct rational gbs)
{
    return (u64)((unsigned __int128)bytes * gbs.den / gbs.num);
}

/* Model: a copy over the link takes a latency, and the time of the bytes at the link's bandwidth.
 * A copy from or to pageable memory takes the time of the host, which copies from or to pinned
 * buffers, and the link's time of the first buffer, while the host copies nothing. On an H100 and
 * an H200, copies to the device take 1.5 us more from 16 KB on, not up to 1 KB, and copies to
 * pageable memory always (guess: the engine is not asked for small copies to the device). Copies
 * take no bandwidth from the DRAM (guess: a link has a fiftieth of the DRAM's). Source: times of
 * copies by size, test/silicon. */
static u64 link_cycles(const struct machine *m, const struct host_copy *c)
{
    const struct link_conf *l = &m->link;
    bool to_host = c->kind == COPY_TO_HOST;
    u64 ns = l->latency_ns;
    if (to_host ? c->pageable : c->bytes > l->inline_bytes) ns += l->engine_ns;
    struct rational host = to_host && l->pageable_to_host_gbs.num ? l->pageable_to_host_gbs
                                                                  : l->pageable_gbs;
    if (!c->pageable || !host.num)
        ns += ns_of(c->bytes, l->gbs);
    else
        ns += ns_of(c->bytes, host) + ns_of(min_u64(c->bytes, l->staging_bytes), l->gbs);
    return clock_cycles(m->clock.sm_mhz, ns);
}

/* Model: a copy within the device reads and writes every byte, a fill writes every byte, at a part
 * of the DRAM's peak bandwidth, behind a latency; if all bytes fit in L2, at a bandwidth of L2
 * (guess: whether or not they are in L2). Kernels beside the copy lose no bandwidth (guess).
 * Source: test/silicon. */
static u64 device_cycles(const struct machine *m, const struct host_copy *c)
{
    const struct link_conf *l = &m->link;
    u64 bytes = c->bytes * (c->kind == COPY_WITHIN ? 2 : 1);
    if (l->l2_gbs.num && bytes <= machine_l2_bytes(m))
        return clock_cycles(m->clock.sm_mhz, l->dram_latency_ns + ns_of(bytes, l->l2_gbs));
    struct gpu_capacity peak;
    gpu_capacity(m, 1, &peak);
    double part = (double)l->dram_percent.num / (double)l->dram_percent.den / 100;
    return (u64)((double)bytes / (peak.dram_bytes * part)) +
           clock_cycles(m->clock.sm_mhz, l->dram_latency_ns);
}

/* Model: a copy engine performs copies one after another, in the order in which the copies become
 * due, apps in app order. The device performs copies within the device and fills in the same way
 * (guess). */
u64 host_link_copy(struct host_link *l, const struct machine *m, const struct host_copy *c, u64 now,
                   u64 *start)
{
    bool within = copy_is_within(c->kind);
    u32 engine = m->link.engines > 1 && c->kind == COPY_TO_HOST;
    u64 *free_at = &l->free_at[within ? LINK_ENGINES : engine];
    *start = max_u64(now, *free_at);
    return *free_at = *start + (within ? device_cycles(m, c) : link_cycles(m, c));
}
