// Scattered loads, out[i] = data[index[i]]: each lane of a warp reads a line of its own, so the
// memory system is all that is measured.
extern "C" __global__ void gather(const float *data, const unsigned *index, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = data[index[i]];
}
