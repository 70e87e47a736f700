// A colour image to wavelet coefficients, two kernels. dwt_split takes pixels of three bytes apart
// into three planes of integers around zero. dwt_forward makes one level of the reversible 5/3
// transform of all planes: a block goes down a strip of STRIP columns, BAND rows at a time, and
// transforms the rows of a band in shared memory; then each thread takes a column, with the values
// left by the rows above in registers. Low values of both directions go to `low`, the other three
// quarters to their positions in `out`.
// Algorithm: lifting of the 5/3 wavelet with symmetric extension (Le Gall and Tabatabai, 1988;
// Calderbank, Daubechies, Sweldens and Yeo, Wavelet transforms that map integers to integers,
// 1998), down sliding windows; written from the definitions. Rows are transformed before columns.
enum { PLANES = 3, PIXELS = 256 };
enum { STRIP = 128, HALF = STRIP / 2, BAND = 8, LEFT = 2, TILE = STRIP + LEFT + 1 };

extern "C" __global__ void dwt_split(const unsigned char *pixels, int *planes, unsigned n)
{
    __shared__ unsigned char part[PLANES * PIXELS];
    unsigned first = blockIdx.x * PIXELS, at = first + threadIdx.x;
#pragma unroll
    for (unsigned i = threadIdx.x; i < PLANES * PIXELS; i += PIXELS)
        if (first * PLANES + i < n * PLANES) part[i] = pixels[first * PLANES + i];
    __syncthreads();
    if (at >= n) return;
#pragma unroll
    for (unsigned plane = 0; plane < PLANES; ++plane)
        planes[plane * n + at] = part[PLANES * threadIdx.x + plane] - 128;
}

// An index before the beginning or behind the end, mirrored.
static __device__ int inside(int at, int n)
{
    at = abs(at);
    return max(at < n ? at : 2 * (n - 1) - at, 0);
}

// Transforms a band's rows: half of the block takes the even rows, the other half the odd rows.
static __device__ void transform_rows(int tile[BAND][TILE], int thread)
{
    int half = thread / HALF, at = thread % HALF * 2 + LEFT;
#pragma unroll
    for (int i = 0; i < BAND; i += 2) {
        int *odd = &tile[i + half][at + 1];
        *odd -= (odd[-1] + odd[1]) >> 1;
    }
    if (thread < BAND) tile[thread][1] -= (tile[thread][0] + tile[thread][2]) >> 1;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BAND; i += 2) {
        int *even = &tile[i + half][at];
        *even += (even[-1] + even[1] + 2) >> 2;
    }
    __syncthreads();
}

// Planes are `pitch` wide and `plane` values long. A block takes `bands` bands.
extern "C" __global__ void dwt_forward(const int *in, int *low, int *out, int columns, int rows,
                                       int pitch, int plane, int bands)
{
    __shared__ int tile[BAND][TILE];
    int thread = threadIdx.x, left = blockIdx.x * STRIP, column = left + thread;
    int row = blockIdx.y * bands * BAND, last = min(row + bands * BAND, rows);
    in += blockIdx.z % PLANES * plane;
    int x = column / 2, low_columns = (columns + 1) / 2;
    int *smooth_to = (column & 1 ? out + low_columns : low) + blockIdx.z % PLANES * plane + x;
    int *detail_to = out + blockIdx.z % PLANES * plane + (rows + 1) / 2 * pitch + x +
                     (column & 1 ? low_columns : 0);
    // The first threads load a value beside the strip, too.
    int side_row = thread / (LEFT + 1), side = thread % (LEFT + 1);
    side = side < LEFT ? side : TILE - 1;
    int even = 0, above = 0; // an even row, and the transformed odd row above
    // The first band supplies only the last three rows: the values left by the rows above.
#pragma unroll 1
    for (int top = row - BAND + 1; top <= last; top += BAND) {
        int pixel[BAND];
#pragma unroll
        for (int i = 0; i < BAND; ++i)
            pixel[i] = in[inside(top + i, rows) * pitch + inside(column, columns)];
        if (side_row < BAND)
            tile[side_row][side] = in[inside(top + side_row, rows) * pitch +
                                      inside(left - LEFT + side, columns)];
#pragma unroll
        for (int i = 0; i < BAND; ++i) tile[i][LEFT + thread] = pixel[i];
        __syncthreads();
        transform_rows(tile, thread);
#pragma unroll
        for (int i = 0; i < BAND; ++i) pixel[i] = tile[i][LEFT + thread];
        __syncthreads();
        // `even` is the row before pixel[0].
#pragma unroll
        for (int i = 0; i < BAND; i += 2) {
            int detail = pixel[i] - ((even + pixel[i + 1]) >> 1);
            int smooth = even + ((above + detail + 2) >> 2), y = top + i;
            if (top >= row && column < columns) {
                if (y <= last) smooth_to[y / 2 * pitch] = smooth;
                if (y < last) detail_to[y / 2 * pitch] = detail;
            }
            above = detail;
            even = pixel[i + 1];
        }
    }
}
