// The two large steps of training a network with one hidden layer of 16 units: the weighted sums of
// the input units, and the change of their weights. Unit 0 of each layer is the constant 1, so a
// row of weights has 17 columns, the first unused.
// layer_forward: a block multiplies 16 inputs by their weights and sums over the inputs as a tree,
// in shared memory; the host adds the blocks' sums. adjust_weights: a thread per weight.
// Algorithm: back-propagation with momentum (Mitchell, Machine Learning, section 4.5); written from
// the description.
enum { UNITS = 16, STRIDE = UNITS + 1 };

extern "C" __global__ void layer_forward(const float *input, const float *weights, float *sums,
                                         unsigned inputs)
{
    __shared__ float node[UNITS], product[UNITS][UNITS];
    unsigned tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * UNITS + ty;
    if (tx == 0) node[ty] = i < inputs ? input[i] : 0.0f;
    __syncthreads();
    product[ty][tx] = i < inputs ? weights[i * STRIDE + tx + 1] * node[ty] : 0.0f;
    __syncthreads();
    for (unsigned half = UNITS / 2; half > 0; half /= 2) {
        if (ty < half) product[ty][tx] += product[ty + half][tx];
        __syncthreads();
    }
    if (ty == 0) sums[blockIdx.y * UNITS + tx] = product[0][tx];
}

extern "C" __global__ void adjust_weights(const float *input, const float *delta, float *weights,
                                          float *steps, unsigned inputs, float rate, float momentum)
{
    unsigned i = blockIdx.y * UNITS + threadIdx.y, j = threadIdx.x + 1;
    if (i >= inputs) return;
    float step = fmaf(rate * delta[j], input[i], momentum * steps[i * STRIDE + j]);
    weights[i * STRIDE + j] += step;
    steps[i * STRIDE + j] = step;
}
