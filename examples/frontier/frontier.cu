// Breadth-first search, a level per pass. frontier.yaml plays the host program: launches `expand`,
// and between launches reads the flag `more` and copies `next` to `frontier`.
struct graph { // passed by value, with two pointers
    const unsigned *first, *edges;
    unsigned nodes;
};

__device__ unsigned more;         // 1: a node was reached in the current pass
__constant__ unsigned unreached;  // the level of a node not reached yet

// Node i, if in the frontier, reaches its neighbours: the next frontier.
extern "C" __global__ void expand(struct graph g, unsigned *level, unsigned char *frontier,
                                  unsigned char *next)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= g.nodes || !frontier[i]) return;
    for (unsigned e = g.first[i]; e < g.first[i + 1]; e++) {
        unsigned to = g.edges[e];
        if (to >= g.nodes || level[to] != unreached) continue;
        level[to] = level[i] + 1;
        next[to] = 1;
        more = 1;
    }
}
