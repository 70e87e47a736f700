// Random updates of a table in device memory: each thread draws a pseudo-random sequence and
// applies table[r mod size] ^= r atomically, which makes the result exact in any order.
// Algorithm: RandomAccess of the HPC Challenge benchmark (Luszczek et al., 2005): the sequence is a
// shift register with feedback x^2 + x + 1; each thread starts at the SplitMix64 finaliser (Steele,
// Lea and Flood, OOPSLA 2014) of the thread's number and the seed. Written from the descriptions.
extern "C" __global__ void gups(unsigned long long *table, unsigned long long mask,
                                unsigned long long seed, unsigned threads, unsigned updates)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= threads) return;
    unsigned long long r = seed + (thread + 1) * 0x9e3779b97f4a7c15ull;
    r = (r ^ (r >> 30)) * 0xbf58476d1ce4e5b9ull;
    r = (r ^ (r >> 27)) * 0x94d049bb133111ebull;
    r ^= r >> 31;
    for (unsigned i = 0; i < updates; ++i) {
        r = (r << 1) ^ ((long long)r < 0 ? 7ull : 0ull);
        atomicXor(&table[r & mask], r);
    }
}
