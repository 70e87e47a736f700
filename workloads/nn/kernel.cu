// Distance of every record's position to a common target, a thread per record; a position is a pair
// of floats, read in one access.
// Algorithm: the distance step of a k-nearest-neighbours search by full scan (Cover and Hart,
// Nearest neighbor pattern classification, 1967); written from the definition.
extern "C" __global__ void nn(const float2 *place, float *distance, unsigned n, float latitude,
                              float longitude)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 at = place[i];
    float north = at.x - latitude, east = at.y - longitude;
    distance[i] = sqrtf(fmaf(north, north, east * east));
}
