// Convolution of a matrix with a 3x3 window, a thread per inner element; the border is not written.
// The weights are constants of the code; shared memory is not used.
// Algorithm: discrete convolution in two dimensions (Gonzalez and Woods, Digital Image Processing,
// chapter 3); written from the definition. The sum runs row by row, rounded once per step.
extern "C" __global__ void conv2d(const float *in, float *out, int columns, int rows)
{
    const float weight[3][3] = {
        {0.125f, 0.5f, -0.75f}, {-0.25f, 0.625f, -0.875f}, {0.375f, 0.0625f, 0.1875f}};
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= columns - 1 || y < 1 || y >= rows - 1) return;
    const float *at = in + y * columns + x;
    float sum = 0.0f;
#pragma unroll
    for (int row = -1; row <= 1; ++row)
#pragma unroll
        for (int column = -1; column <= 1; ++column)
            sum = fmaf(weight[row + 1][column + 1], at[row * columns + column], sum);
    out[y * columns + x] = sum;
}
