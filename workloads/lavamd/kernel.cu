// Potential and force on particles from all particles of the same box and of the 26 boxes around: a
// block per box, whose threads keep a particle each while one neighbour box after another passes
// through shared memory. A particle is (x, y, z, charge); the potential of a pair falls off as
// exp(-decay r^2), and is cut off beyond the neighbour boxes.
// Algorithm: cell lists (Allen and Tildesley, Computer Simulation of Liquids, section 5.3) with a
// block per cell (Szafaryn and others, Trellis, 2013, of lavaMD); written from the descriptions.
enum { BLOCK = 128, PARTICLES = 100 };

extern "C" __global__ void lavamd(const float4 *particles, float4 *out, int side, float decay)
{
    __shared__ float4 other[PARTICLES];
    int t = threadIdx.x, home = (blockIdx.z * side + blockIdx.y) * side + blockIdx.x;
    float4 me = make_float4(0.0f, 0.0f, 0.0f, 0.0f), sum = me;
    if (t < PARTICLES) me = particles[home * PARTICLES + t];
#pragma unroll 1
    for (int k = 0; k < 27; ++k) {
        int x = (int)blockIdx.x + k % 3 - 1, y = (int)blockIdx.y + k / 3 % 3 - 1;
        int z = (int)blockIdx.z + k / 9 - 1;
        if (x < 0 || x >= side || y < 0 || y >= side || z < 0 || z >= side) continue;
        if (t < PARTICLES) other[t] = particles[((z * side + y) * side + x) * PARTICLES + t];
        __syncthreads();
        if (t < PARTICLES) {
#pragma unroll 4
            for (int i = 0; i < PARTICLES; ++i) {
                float4 o = other[i];
                float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z;
                float r2 = fmaf(dx, dx, fmaf(dy, dy, dz * dz));
                float potential = o.w * __expf(-decay * r2);
                sum.w += potential;
                sum.x = fmaf(potential, dx, sum.x);
                sum.y = fmaf(potential, dy, sum.y);
                sum.z = fmaf(potential, dz, sum.z);
            }
        }
        __syncthreads();
    }
    float twice = 2.0f * decay;
    if (t < PARTICLES)
        out[home * PARTICLES + t] = make_float4(twice * sum.x, twice * sum.y, twice * sum.z, sum.w);
}
