// Two kernels of k-means, a thread per point. The points arrive one after the other, all features
// of a point together; kmeans_transpose stores them dimension by dimension, so a warp of the
// assignment step reads neighbours. kmeans_assign gives each point the nearest centroid by squared
// distance, the first on a tie; centroids are in constant memory.
// Algorithm: Lloyd's iteration (Lloyd, Least squares quantization in PCM, IEEE Trans. Inf. Theory
// 28, 1982); written from the definition. Distances sum over the dimensions upward, a fused
// rounding per dimension.
__constant__ float centroid[4096];

extern "C" __global__ void kmeans_transpose(const float *from, float *to, unsigned points,
                                            unsigned dimensions)
{
    unsigned point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= points) return;
#pragma unroll 1
    for (unsigned d = 0; d < dimensions; ++d)
        to[d * points + point] = from[point * dimensions + d];
}

extern "C" __global__ void kmeans_assign(const float *__restrict__ feature,
                                         unsigned *__restrict__ cluster, unsigned points,
                                         unsigned dimensions, unsigned clusters)
{
    unsigned point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= points) return;
    float best = 3.402823466e38f;
    unsigned nearest = 0;
    for (unsigned c = 0; c < clusters; ++c) {
        float distance = 0.0f;
        for (unsigned d = 0; d < dimensions; ++d) {
            float away = feature[d * points + point] - centroid[c * dimensions + d];
            distance = fmaf(away, away, distance);
        }
        if (distance < best) {
            best = distance;
            nearest = c;
        }
    }
    cluster[point] = nearest;
}
