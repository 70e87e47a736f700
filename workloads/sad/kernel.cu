// Sums of absolute differences (SAD) between each 16 x 16 macroblock of a frame and a reference
// frame at all 33 x 33 displacements up to 16 pixels, for the seven block shapes of H.264. sad_4
// makes the sums of the 4 x 4 blocks from pixels; sad_8 adds them in fours to the sums of the 8 x
// 4, 4 x 8 and 8 x 8 blocks, sad_16 adds the last in fours to the 16 x 8, 8 x 16 and 16 x 16
// blocks.
// Algorithm: full search block matching with variable block sizes (Wiegand, Sullivan, Bjontegaard
// and Luthra, Overview of the H.264/AVC video coding standard, IEEE Trans. CSVT 13, 2003); written
// from the definition. Blocks are numbered in Z order: four in a row make a larger block.
enum { SIDE = 16, REACH = 16, ACROSS = 2 * REACH + 1, PLACES = ACROSS * ACROSS + 1 };
enum { WINDOW = SIDE + 2 * REACH }; // PLACES: even, for whole pairs in each block

extern "C" __global__ void sad_4(const unsigned short *frame, const unsigned short *reference,
                                 int width, int height, unsigned short *sad)
{
    __shared__ unsigned short block[SIDE * SIDE], window[WINDOW * WINDOW];
    int left = blockIdx.x * SIDE, top = blockIdx.y * SIDE;
    for (int i = threadIdx.x; i < SIDE * SIDE; i += blockDim.x)
        block[i] = frame[(top + i / SIDE) * width + left + i % SIDE];
    for (int i = threadIdx.x; i < WINDOW * WINDOW; i += blockDim.x) {
        int x = min(max(left + i % WINDOW - REACH, 0), width - 1);
        int y = min(max(top + i / WINDOW - REACH, 0), height - 1);
        window[i] = reference[y * width + x];
    }
    __syncthreads();
    sad += (blockIdx.y * gridDim.x + blockIdx.x) * 16 * PLACES;
    for (int place = threadIdx.x; place < ACROSS * ACROSS; place += blockDim.x) {
        const unsigned short *shifted = window + place / ACROSS * WINDOW + place % ACROSS;
#pragma unroll 1
        for (int b = 0; b < 16; ++b) {
            int x = (b & 1) * 4 + (b >> 2 & 1) * 8, y = (b >> 1 & 1) * 4 + (b >> 3) * 8, sum = 0;
#pragma unroll
            for (int i = 0; i < 16; ++i)
                sum += abs(block[(y + i / 4) * SIDE + x + i % 4] -
                           shifted[(y + i / 4) * WINDOW + x + i % 4]);
            sad[b * PLACES + place] = sum;
        }
    }
}

// Of four small blocks in a larger block: the sums of the upper and the lower two, of the left and
// the right two, and of all. Two positions at a time: a sum of 16 x 16 differences of 8 bits always
// fits a half of a word.
enum { PAIRS = PLACES / 2 };
__device__ __forceinline__ void add_four(const unsigned *small, unsigned stride, unsigned *sum)
{
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < PAIRS; i += blockDim.x) {
        const unsigned *s = small + i;
        unsigned a = s[0], b = s[stride], c = s[2 * stride], d = s[3 * stride], *to = sum + i;
        to[0] = a + b;
        to[PAIRS] = c + d;
        to[2 * PAIRS] = a + c;
        to[3 * PAIRS] = b + d;
        to[4 * PAIRS] = a + b + c + d;
    }
}

extern "C" __global__ void sad_8(const unsigned *sad_4, unsigned *sad_8)
{
    add_four(sad_4 + blockIdx.x * 4 * PAIRS, PAIRS, sad_8 + blockIdx.x * 5 * PAIRS);
}

extern "C" __global__ void sad_16(const unsigned *sad_8, unsigned *sad_16)
{
    const unsigned *sad_8x8 = sad_8 + blockIdx.x * 4 * 5 * PAIRS + 4 * PAIRS;
    add_four(sad_8x8, 5 * PAIRS, sad_16 + blockIdx.x * 5 * PAIRS);
}
