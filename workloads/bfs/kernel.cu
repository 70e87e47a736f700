// One level of a breadth-first search over a graph in CSR form, a thread per node: a node on the
// current level gives the next level to each neighbour without a level, and raises `changed`.
// Threads race only to write the same value. The host launches level after level until nothing
// changed.
// Algorithm: level-synchronous parallel BFS (Harish and Narayanan, Accelerating large graph
// algorithms on the GPU using CUDA, HiPC 2007); written from the description.
extern "C" __global__ void bfs(const unsigned *row, const unsigned *column, int *level,
                               int *changed, unsigned nodes, int depth)
{
    unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || level[node] != depth) return;
    unsigned end = row[node + 1];
#pragma unroll 1
    for (unsigned edge = row[node]; edge < end; ++edge) {
        unsigned neighbour = column[edge];
        if (level[neighbour] < 0) {
            level[neighbour] = depth + 1;
            *changed = 1;
        }
    }
}
