// Breadth-first search, a level at a time: what the host program does with the flag `more`, and
// between the launches, stands in frontier.yaml.
struct graph { // by value, with two pointers
    const unsigned *first, *edges;
    unsigned nodes;
};

__device__ unsigned more;         // some node was reached in this pass
__constant__ unsigned unreached;  // the level of a node that was not reached yet

// Node i goes on to its neighbours if it is in the frontier; they are the next one.
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
