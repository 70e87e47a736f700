#include "gpu/dispatch/cluster_fit.h"

#include <string.h>

#include "exec/block/cluster.h"
#include "gpu/dispatch/capacity.h"
#include "gpu/machine/gpc.h"

struct cluster_shape cluster_shape_of(const struct launch *l)
{
    const u32 *from = l->cluster[0] ? l->cluster : l->program->required_cluster;
    struct cluster_shape c = {{1, 1, 1}, from[0] != 0};
    if (c.given) memcpy(c.shape, from, sizeof c.shape);
    return c;
}

static u64 size_of(const struct cluster_shape *c)
{
    return (u64)c->shape[0] * c->shape[1] * c->shape[2];
}

u32 gpu_cluster_n(const struct launch *l)
{
    struct cluster_shape c = cluster_shape_of(l);
    return (u32)min_u64(size_of(&c), UINT32_MAX);
}

/* Model: the blocks of a cluster run on different SMs of a GPC (guess). */
u32 gpu_active_clusters(const struct machine *m, const struct launch *l)
{
    struct gpu_occupancy o;
    u32 size = gpu_cluster_n(l), n = 0;
    gpu_occupancy(m, l, &o);
    for (u32 sm = 0; sm < m->sm.count;) {
        struct gpc g = gpc_of(&m->sm, sm);
        if (g.n >= size) n += g.n * o.blocks_per_sm / size;
        sm = g.first + g.n;
    }
    return n;
}

bool gpu_has_clusters(const struct machine *m)
{
    return m->host.capability.num >= 9 * m->host.capability.den;
}

u32 gpu_largest_cluster(const struct machine *m, const struct launch *l)
{
    u32 most = l->large_clusters ? CLUSTER_BLOCKS_MAX : CLUSTER_PORTABLE;
    struct launch of = *l;
    if (l->program->max_cluster) most = min_u32(most, l->program->max_cluster);
    if (!gpu_has_clusters(m)) return 0;
    for (u32 n = most; n; n--) {
        memcpy(of.cluster, (u32[3]){n, 1, 1}, sizeof of.cluster);
        if (gpu_active_clusters(m, &of)) return n;
    }
    return 0;
}

static bool is_multiple(const struct launch *l, const struct cluster_shape *c)
{
    for (u32 k = 0; k < 3; k++)
        if (l->grid[k] % c->shape[k]) return false;
    return true;
}

/* Returns true, with the reason, if the size of the clusters is too large. */
static bool size_refused(const struct machine *m, const struct launch *l, u64 size,
                         struct text *why)
{
    const struct program *p = l->program;
    unsigned long long n = size;
    u32 largest = 0;
    for (u32 sm = 0; sm < m->sm.count; sm = gpc_of(&m->sm, sm).first + gpc_of(&m->sm, sm).n)
        largest = max_u32(largest, gpc_of(&m->sm, sm).n);
    if (size > CLUSTER_BLOCKS_MAX)
        text_add(why, "a cluster of %llu blocks is over the limit of %u", n, CLUSTER_BLOCKS_MAX);
    else if (size > CLUSTER_PORTABLE && !l->large_clusters)
        text_add(why, "a cluster of %llu blocks is over the limit of %u for kernels without "
                 "cudaFuncAttributeNonPortableClusterSizeAllowed", n, CLUSTER_PORTABLE);
    else if (p->max_cluster && size > p->max_cluster)
        text_add(why, "a cluster of %llu blocks is over the kernel's .maxclusterrank, %u", n,
                 p->max_cluster);
    else if (size > largest)
        text_add(why, "a cluster of %llu blocks fits no GPC: the largest has %u SMs (sm.gpcs)", n,
                 largest);
    else return false;
    return true;
}

bool gpu_refuses_cluster(const struct machine *m, const struct launch *l, struct text *why)
{
    const struct program *p = l->program;
    struct cluster_shape c = cluster_shape_of(l);
    u64 size = size_of(&c);
    const u32 *own = p->required_cluster;
    if (p->needs_cluster && !c.given) {
        text_add(why, "kernel '%s' has .explicitcluster: the launch must give the shape of its "
                 "clusters", p->shown);
    } else if (own[0] && memcmp(c.shape, own, sizeof c.shape)) {
        text_add(why, "the launch gives clusters of %u x %u x %u blocks, the kernel '%s' %u x %u "
                 "x %u", c.shape[0], c.shape[1], c.shape[2], p->shown, own[0], own[1], own[2]);
    } else if (size == 1) {
        return false;
    } else if (p->blocks_are_clusters) {
        text_add(why, "kernel '%s' has .blocksareclusters, which corun does not support: give the "
                 "grid in blocks", p->shown);
    } else if (!gpu_has_clusters(m)) {
        text_add(why, "clusters need compute capability 9.0 (host.capability)");
    } else if (size_refused(m, l, size, why)) {
    } else if (!is_multiple(l, &c)) {
        text_add(why, "a grid of %u x %u x %u blocks is no multiple of clusters of %u x %u x %u",
                 l->grid[0], l->grid[1], l->grid[2], c.shape[0], c.shape[1], c.shape[2]);
    } else {
        return false;
    }
    return true;
}
