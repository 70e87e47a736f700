/* bfs: breadth-first search over a random power-law graph; irregular loads, divergence and one
 * launch per level, each followed by a flag for the host to read. The graph is an R-MAT graph
 * (Chakrabarti, Zhan and Faloutsos, R-MAT: a recursive model for graph mining, SDM 2004): each edge
 * falls through log2(nodes) levels of quadrants with probabilities a, b, b and 1 - a - 2b. */
#include <string.h>

#include "workloads/random.h"
#include "workloads/verify.h"

enum { STREAM_EDGE, STREAM_LABEL, STREAM_SOURCE };

struct graph {
    u32 nodes, edges; /* each edge is stored in both directions: 2 edges entries in `column` */
    u32 *row, *column;
};

/* Draws an edge, again if an end lies beyond the last node. */
static void draw_edge(u64 seed, u64 edge, u32 nodes, double a, double b, u32 ends[2])
{
    u64 below_a = (u64)(a * 0x1p32), below_b = (u64)((a + b) * 0x1p32),
        below_c = (u64)((a + 2 * b) * 0x1p32);
    u32 levels = nodes > 1 ? 32 - (u32)__builtin_clz(nodes - 1) : 0, words[4] = {0}, round = 0;
    do {
        ends[0] = ends[1] = 0;
        for (u32 level = 0; level < levels; level++) {
            if (level % 4 == 0) random_words(seed, STREAM_EDGE, round++, edge, words);
            u32 w = words[level % 4];
            u32 lower = w >= below_b, right = (w >= below_c) | ((w >= below_a) & !lower);
            ends[0] = ends[0] << 1 | lower;
            ends[1] = ends[1] << 1 | right;
        }
    } while (ends[0] >= nodes || ends[1] >= nodes);
}

/* Shuffles the nodes' names, so a node's number tells nothing about the degree. */
static struct graph make_graph(struct host *h)
{
    struct graph g = {.nodes = (u32)host_integer(h, "nodes")};
    g.edges = g.nodes * (u32)host_integer(h, "degree");
    double a = host_number(h, "a"), b = host_number(h, "b");
    u32 *label = host_memory(h, g.nodes * sizeof *label);
    u32 *next = host_memory(h, g.nodes * sizeof *next);
    u32(*ends)[2] = host_memory(h, g.edges * sizeof *ends);
    g.row = host_memory(h, ((u64)g.nodes + 1) * sizeof *g.row);
    g.column = host_memory(h, 2 * (u64)g.edges * sizeof *g.column);
    random_labels(host_seed(h), STREAM_LABEL, g.nodes, label, g.nodes);
    for (u32 e = 0; e < g.edges; e++) {
        draw_edge(host_seed(h), e, g.nodes, a, b, ends[e]);
        for (u32 side = 0; side < 2; side++) {
            ends[e][side] = label[ends[e][side]];
            g.row[ends[e][side] + 1]++;
        }
    }
    for (u32 v = 0; v < g.nodes; v++) {
        next[v] = g.row[v];
        g.row[v + 1] += g.row[v];
    }
    for (u32 e = 0; e < g.edges; e++)
        for (u32 side = 0; side < 2; side++) g.column[next[ends[e][side]]++] = ends[e][!side];
    return g;
}

/* Returns where search number `search` starts: the first at the first node of the highest degree,
 * to reach most of the graph, the others anywhere. */
static u32 source_of(u64 seed, const struct graph *g, u32 search)
{
    u32 best = 0;
    if (search) return random_below(seed, STREAM_SOURCE, search, g->nodes);
    for (u32 v = 1; v < g->nodes; v++)
        if (g->row[v + 1] - g->row[v] > g->row[best + 1] - g->row[best]) best = v;
    return best;
}

static void reference(const struct graph *g, u32 source, u32 *level, u32 *queue)
{
    u32 head = 0, tail = 0;
    memset(level, 0xff, g->nodes * sizeof *level);
    level[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        u32 v = queue[head++];
        for (u32 k = g->row[v]; k < g->row[v + 1]; k++) {
            u32 w = g->column[k];
            if (level[w] != UINT32_MAX) continue;
            level[w] = level[v] + 1;
            queue[tail++] = w;
        }
    }
}

struct device {
    struct host_kernel *kernel;
    u64 row, column, level, changed;
};

static struct device device_of(struct host *h, const struct graph *g)
{
    u64 row_bytes = ((u64)g->nodes + 1) * sizeof(u32);
    u64 column_bytes = 2 * (u64)g->edges * sizeof(u32);
    struct device d = {.kernel = host_find(h, "bfs"),
                       .row = host_alloc(h, row_bytes, "row"),
                       .column = host_alloc(h, column_bytes, "column"),
                       .level = host_alloc(h, (u64)g->nodes * sizeof(u32), "level"),
                       .changed = host_alloc(h, sizeof(u32), "changed")};
    host_write(h, d.row, g->row, row_bytes);
    host_write(h, d.column, g->column, column_bytes);
    return d;
}

static void search_on_device(struct host *h, const struct device *d, u32 nodes, u32 source)
{
    u32 zero = 0, again = 1, threads = (u32)host_integer(h, "threads");
    host_fill(h, d->level, 0xff, (u64)nodes * sizeof(u32));
    host_write(h, d->level + (u64)source * sizeof(u32), &zero, sizeof zero);
    for (u32 depth = 0; again && depth < nodes; depth++) {
        host_write(h, d->changed, &zero, sizeof zero);
        const void *args[] = {&d->row, &d->column, &d->level, &d->changed, &nodes, &depth};
        host_launch(h, d->kernel, (struct host_dim){(u32)div_up(nodes, threads), 1, 1},
                    (struct host_dim){threads, 1, 1}, 0, 0, args);
        host_read(h, &again, d->changed, sizeof again);
    }
}

static void bfs_run(struct host *h)
{
    struct graph g = make_graph(h);
    struct device d = device_of(h, &g);
    u32 searches = (u32)host_integer(h, "searches");
    u64 level_bytes = (u64)g.nodes * sizeof(u32);
    u32 *got = host_memory(h, level_bytes), *want = host_memory(h, level_bytes);
    u32 *queue = host_memory(h, level_bytes);
    const char *why = NULL;
    for (u32 i = 0; i < searches && !why; i++) {
        u32 source = source_of(host_seed(h), &g, i);
        search_on_device(h, &d, g.nodes, source);
        if (!host_wants_check(h)) continue;
        host_read(h, got, d.level, level_bytes);
        reference(&g, source, want, queue);
        why = verify_u32(h, "level", 0, got, want, g.nodes);
    }
    if (host_wants_check(h)) host_checked(h, !why, why);
}

static const struct workload_param bfs_params[] = {
    {"nodes", 65536, 2048, 1048576, 1, 1 << 22, "nodes"},
    {"degree", 8, 4, 2, 1, 32, "edges drawn per node"},
    {"a", 0.45, 0.45, 0.35, 0.25, 0.7, "R-MAT: probability of the upper left quadrant"},
    {"b", 0.15, 0.15, 0.15, 0.05, 0.15,
     "R-MAT: probability of the upper right and of the lower left quadrant"},
    {"threads", 512, 512, 512, 32, 1024, "threads of a block"},
    {"searches", 1, 1, 256, 1, 65536, "searches one after the other, each from another node"},
    {0},
};
const struct workload workload_bfs = {
    .name = "bfs",
    .sentence = "level-synchronous breadth-first search over an R-MAT graph",
    .suite = "Rodinia",
    .algorithm = "level-synchronous breadth-first search, a thread per node",
    .input = "an R-MAT graph (Chakrabarti, Zhan and Faloutsos, 2004)",
    .params = bfs_params,
    .run = bfs_run,
};
