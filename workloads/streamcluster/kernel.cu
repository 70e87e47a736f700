// The saving by a candidate for a new centre, a thread per point: how the point's cost, the weight
// times the squared distance to the centre, would change if the point went to the candidate. The
// change goes into the point's row of the cost table: into the last column if the point would gain
// and therefore switch, else into the column of the point's centre, as the price of closing the
// centre. Coordinates lie dimension by dimension; the candidate's are in shared memory.
// Algorithm: the gain step of a local search for facility location (Guha, Meyerson, Mishra, Motwani
// and O'Callaghan, Clustering data streams: theory and practice, IEEE Trans. Knowledge and Data
// Engineering 15, 2003); written from the description. Distances sum over the dimensions upward, a
// fused rounding per dimension.
enum { DIMENSIONS = 256 };

extern "C" __global__ void streamcluster(const float *coordinate, const float *candidate,
                                         const float *weight, const float *cost,
                                         const unsigned *centre, const unsigned *column,
                                         float *table, unsigned points, unsigned dimensions,
                                         unsigned columns)
{
    __shared__ float there[DIMENSIONS];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned d = threadIdx.x; d < dimensions; d += blockDim.x) there[d] = candidate[d];
    __syncthreads();
    if (i >= points) return;
    float distance = 0.0f;
    for (unsigned d = 0; d < dimensions; ++d) {
        float away = coordinate[d * points + i] - there[d];
        distance = fmaf(away, away, distance);
    }
    float change = fmaf(weight[i], distance, -cost[i]);
    unsigned to = change < 0.0f ? columns - 1 : column[centre[i]];
    table[i * columns + to] = change;
}
