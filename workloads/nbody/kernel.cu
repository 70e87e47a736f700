// A time step of bodies under mutual gravity, all pairs: a thread per body, the other bodies in
// tiles of 256 through shared memory. A body is (x, y, z, mass).
// Algorithm: direct summation with softened gravity and a kick-drift step (Aarseth, Gravitational
// N-Body Simulations, chapters 1 and 2); written from the equations.
enum { BLOCK = 256 };

extern "C" __global__ void nbody(const float4 *in, const float4 *in_velocity, float4 *out,
                                 float4 *out_velocity, unsigned bodies, float softening2,
                                 float time_step)
{
    __shared__ float4 tile[BLOCK];
    unsigned tx = threadIdx.x, i = blockIdx.x * BLOCK + tx;
    float4 nothing = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float4 body = i < bodies ? in[i] : nothing;
    float pull_x = 0.0f, pull_y = 0.0f, pull_z = 0.0f;
    for (unsigned first = 0; first < bodies; first += BLOCK) {
        tile[tx] = first + tx < bodies ? in[first + tx] : nothing;
        __syncthreads();
#pragma unroll 4
        for (unsigned k = 0; k < BLOCK; ++k) {
            float4 other = tile[k];
            float dx = other.x - body.x, dy = other.y - body.y, dz = other.z - body.z;
            float near = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, softening2))));
            float pull = other.w * near * near * near;
            pull_x = fmaf(dx, pull, pull_x);
            pull_y = fmaf(dy, pull, pull_y);
            pull_z = fmaf(dz, pull, pull_z);
        }
        __syncthreads();
    }
    if (i >= bodies) return;
    float4 velocity = in_velocity[i];
    velocity.x = fmaf(pull_x, time_step, velocity.x);
    velocity.y = fmaf(pull_y, time_step, velocity.y);
    velocity.z = fmaf(pull_z, time_step, velocity.z);
    body.x = fmaf(velocity.x, time_step, body.x);
    body.y = fmaf(velocity.y, time_step, body.y);
    body.z = fmaf(velocity.z, time_step, body.z);
    out[i] = body;
    out_velocity[i] = velocity;
}
