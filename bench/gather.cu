// Scattered loads, out[i] = data[index[i]]: each lane of a warp reads a different line, therefore
// the benchmark measures only the memory system.
extern "C" __global__ void gather(const float *data, const unsigned *index, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = data[index[i]];
}
