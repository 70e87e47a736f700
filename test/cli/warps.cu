/* Lanes of a warp that exchange values or wait for each other in different branches: right where
 * threads are scheduled independently (sm_70 and later). 64 threads a block; each kernel adds a
 * thread's result to out[thread]; 0 is always wrong.
 * warps.ptx: nvcc -ptx -arch=sm_75 -O3. */
#define ALL 0xffffffffu
#define LANE (threadIdx.x & 31)
#define APART(n) asm volatile("pmevent " #n ";") /* keeps the branches two */

/* partner's lane number + 1 */
extern "C" __global__ void both_branches(unsigned *out)
{
    unsigned x;
    if (LANE < 16) {
        APART(1);
        x = __shfl_xor_sync(ALL, LANE + 1, 16);
    } else {
        APART(2);
        unsigned y = 3 * LANE;
        x = __shfl_xor_sync(ALL, y / 3 + 1, 16);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] += x;
}

/* even lanes of all, then all */
extern "C" __global__ void ballots(unsigned *out)
{
    unsigned x;
    if (LANE % 3 == 0) {
        APART(1);
        x = __ballot_sync(ALL, LANE % 2 == 0);
    } else {
        APART(2);
        x = __ballot_sync(ALL, LANE % 2 == 0);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] += x + (__ballot_sync(ALL, 1) != ALL);
}

/* the other half's numbers, twice over: 100 + lane of the partner, and 1000 for the second round */
extern "C" __global__ void halves(unsigned *out)
{
    __shared__ volatile unsigned s[64];
    unsigned x, at = threadIdx.x, other = at ^ 16;
    if (LANE < 16) {
        s[at] = 100 + LANE;
        __syncwarp();
        APART(1);
        x = s[other];
        __syncwarp();
        s[at] = 1000;
        __syncwarp();
        x += s[other];
    } else {
        s[at] = 100 + LANE;
        __syncwarp();
        APART(2);
        x = s[other];
        __syncwarp();
        APART(3);
        s[at] = 1000;
        __syncwarp();
        x += s[other];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] += x;
}

/* four paths: the lane number with the two lowest bits swapped, + 1 */
extern "C" __global__ void nested(unsigned *out)
{
    unsigned x, to = (LANE & ~3u) | (LANE >> 1 & 1) | (LANE & 1) << 1;
    if (LANE & 1) {
        APART(1);
        if (LANE & 2) {
            APART(2);
            x = __shfl_sync(ALL, LANE + 1, to);
        } else {
            APART(3);
            x = __shfl_sync(ALL, LANE + 1, to);
        }
        x += 100;
    } else {
        APART(4);
        if (LANE & 2) {
            APART(5);
            x = __shfl_sync(ALL, LANE + 1, to);
        } else {
            APART(6);
            x = __shfl_sync(ALL, LANE + 1, to);
        }
        x += 200;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] += x;
}

/* lanes from 20 on have exited: no lane waits for them. The lowest lane of the other branch, + 1 */
extern "C" __global__ void exited(unsigned *out)
{
    unsigned *to = &out[blockIdx.x * blockDim.x + threadIdx.x], x;
    *to += 7;
    if (LANE >= 20) return;
    if (LANE < 10) {
        APART(1);
        x = __shfl_sync(ALL, LANE + 1, 10);
    } else {
        APART(2);
        x = __shfl_sync(ALL, LANE + 1, 0);
    }
    *to += x;
}

/* lanes that exit while others wait for them */
extern "C" __global__ void leaving(unsigned *out)
{
    unsigned *to = &out[blockIdx.x * blockDim.x + threadIdx.x];
    *to += 7;
    if (LANE < 10) {
        *to += __ballot_sync(ALL, 1);
    } else {
        APART(1);
        for (unsigned k = 0; k < LANE; k++) *(volatile unsigned *)to += 1;
    }
    if (LANE != 12) return;
    *to += 1000;
}

/* each branch with a separate mask: the sum of a quarter or of three quarters */
extern "C" __global__ void own_masks(unsigned *out)
{
    unsigned x = LANE, sum = 0;
    if (LANE < 8) {
        APART(1);
        for (unsigned k = 0; k < 8; k++) sum += __shfl_sync(0x000000ffu, x, k);
    } else {
        APART(2);
        for (unsigned k = 8; k < 32; k++) sum += __shfl_sync(0xffffff00u, x, k);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] += sum;
}

/* in each branch lanes of two masks: 0 to 7 of the first with 16 to 23 of the second, the rest */
extern "C" __global__ void crossed_masks(unsigned *out)
{
    unsigned mask = LANE & 8 ? 0xff00ff00u : 0x00ff00ffu, x;
    if (LANE < 16) {
        APART(1);
        x = __shfl_xor_sync(mask, LANE + 1, 16);
    } else {
        APART(2);
        x = __shfl_xor_sync(mask, LANE + 1, 16);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] += x;
}

/* a lock taken by every thread; then all threads of a block meet and read the same */
extern "C" __global__ void spin_lock(unsigned *out, unsigned *lock)
{
    volatile unsigned *count = lock + 1 + blockIdx.x;
    while (atomicCAS(lock, 0, 1) != 0) continue;
    *count = *count + 1;
    __threadfence();
    atomicExch(lock, 0);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] += *count;
}

/* the same with a count of tries: a register changes in each pass */
extern "C" __global__ void try_lock(unsigned *out, unsigned *lock)
{
    volatile unsigned *count = lock + 1 + blockIdx.x;
    unsigned tries = 0;
    while (atomicCAS(lock, 0, 1) != 0) tries++;
    *count = *count + 1;
    __threadfence();
    atomicExch(lock, 0);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] += *count + (tries == ~0u);
}

/* lane k waits for lane k + 1; the last sets off */
extern "C" __global__ void chain(unsigned *out)
{
    __shared__ volatile unsigned s[65];
    s[threadIdx.x] = 0;
    __syncthreads();
    if (LANE < 31)
        while (!s[threadIdx.x + 1]) continue;
    unsigned x = LANE < 31 ? s[threadIdx.x + 1] : 0;
    s[threadIdx.x] = x + 1;
    out[blockIdx.x * blockDim.x + threadIdx.x] += x + 1;
}

/* lane 0 of the first warp waits for a value of the second warp, stored after long work without
 * stores; at no time do lanes of a warp wait for each other */
extern "C" __global__ void patience(unsigned *out)
{
    __shared__ volatile unsigned s[2];
    if (threadIdx.x < 2) s[threadIdx.x] = 0;
    __syncthreads();
    unsigned x = LANE + 7;
    if (threadIdx.x == 0) {
        while (!s[0]) continue;
    } else if (threadIdx.x >= 32) {
        for (unsigned k = 0; k < 20000; k++) x = (x ^ x >> 3) * 1664525u;
        if (LANE == 0) s[0] = 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] += 1 + (x == 0);
}

/* cuda-samples' way to sum: lanes read beyond the mask; the undefined values are not used */
extern "C" __global__ void beyond(unsigned *out)
{
    unsigned x = LANE + 1;
    if (LANE < 16)
        for (unsigned k = 8; k; k >>= 1) x += __shfl_down_sync(0xffffu, x, k);
    out[blockIdx.x * blockDim.x + threadIdx.x] += LANE ? 1 : x;
}
