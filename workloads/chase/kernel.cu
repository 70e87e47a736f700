// Pointer chase: each load gives the address of the next load, and the time of a hop is the latency
// of a load. warm() brings the ring into L2; chase() brings the ring into L1 of its SM.
// Algorithm: the latency chain of lmbench (McVoy and Staelin, 1996); written from the description.
// Every thread reads one line of 128 bytes.
extern "C" __global__ void warm(const unsigned long long *ring, unsigned lines,
                                unsigned long long *out)
{
    unsigned line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    unsigned long long value = __ldcg(&ring[line * 16ull]);
    if (value == 1) out[1] = value; // never: a line holds 0 or an address
}

// The block reads the first `lines` lines, then thread 0 follows the ring.
extern "C" __global__ void chase(const unsigned long long *ring, unsigned long long start,
                                 unsigned lines, unsigned hops, unsigned long long *out)
{
    unsigned long long sum = 0;
    for (unsigned line = threadIdx.x; line < lines; line += blockDim.x) sum |= ring[line * 16ull];
    if (sum == 1) out[1] = sum;
    __syncthreads();
    if (threadIdx.x) return;
    unsigned long long at = start;
#pragma unroll 1
    for (unsigned hop = 0; hop < hops; hop += 16) {
#pragma unroll
        for (int k = 0; k < 16; k++) at = *(const unsigned long long *)at;
    }
    out[0] = at;
}
