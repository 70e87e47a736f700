/* backprop: trains a network with many inputs, 16 hidden units and a single output. The two steps
 * whose work grows with the inputs run on the GPU; the host computes the small top layer once per
 * epoch. Blocks of 16x16 threads with 1088 shared bytes, as the papers' backprop (machine
 * description section 6, row bp). The units' squashing function is s / (1 + |s|), which has the
 * same bits on every host. */
#include <math.h>
#include <string.h>

#include "workloads/random.h"
#include "workloads/verify.h"

enum { UNITS = 16, STRIDE = UNITS + 1 };
enum { FORWARD = 1, ADJUST }; /* values of `only`; 0: both kernels run */
static const float RATE = 0.3f, MOMENTUM = 0.3f, TARGET = 0.1f;

/* The top layer: everything above the hidden units' sums. */
struct top {
    float weight[STRIDE], step[STRIDE]; /* from the hidden units to the output */
    float delta[STRIDE];                /* error of each hidden unit */
};

static float squash(float sum) { return sum / (1.0f + fabsf(sum)); }
static float squash_slope(float out) { return (1.0f - fabsf(out)) * (1.0f - fabsf(out)); }

/* Forward to the output and back, from `block_n` partial sums per hidden unit. */
static void top_train(struct top *t, const float *sums, u64 block_n)
{
    float hidden[STRIDE] = {1.0f}, sum = 0.0f;
    for (u32 j = 1; j < STRIDE; j++) {
        for (u64 block = 0; block < block_n; block++) hidden[j] += sums[block * UNITS + j - 1];
        hidden[j] = squash(hidden[j]);
    }
    for (u32 j = 0; j < STRIDE; j++) sum = fmaf(hidden[j], t->weight[j], sum);
    float out = squash(sum), error = squash_slope(out) * (TARGET - out);
    for (u32 j = 0; j < STRIDE; j++) {
        t->delta[j] = squash_slope(hidden[j]) * error * t->weight[j];
        t->step[j] = fmaf(RATE * error, hidden[j], MOMENTUM * t->step[j]);
        t->weight[j] += t->step[j];
    }
}

/* Sums of a block of inputs, in the order of the kernel's tree; the last block is padded with 0. */
static void forward(const float *input, const float *weights, u64 inputs, float *sums)
{
    for (u64 first = 0; first < inputs; first += UNITS)
        for (u32 j = 1; j < STRIDE; j++) {
            float part[UNITS] = {0};
            for (u64 i = first; i < first + UNITS && i < inputs; i++)
                part[i - first] = weights[i * STRIDE + j] * input[i];
            for (u32 half = UNITS / 2; half > 0; half /= 2)
                for (u32 i = 0; i < half; i++) part[i] += part[i + half];
            sums[first + j - 1] = part[0];
        }
}

static void adjust(const float *input, const float *delta, u64 inputs, float *weights, float *steps)
{
    for (u64 i = 0; i < inputs; i++)
        for (u32 j = 1; j < STRIDE; j++) {
            float *step = &steps[i * STRIDE + j];
            *step = fmaf(RATE * delta[j], input[i], MOMENTUM * *step);
            weights[i * STRIDE + j] += *step;
        }
}

static void backprop_run(struct host *h)
{
    u32 inputs = (u32)host_integer(h, "inputs"), block_n = (u32)div_up(inputs, UNITS);
    s64 epochs = host_integer(h, "epochs"), only = host_integer(h, "only");
    u64 weight_n = (u64)inputs * STRIDE, weight_bytes = weight_n * sizeof(float);
    u64 sum_bytes = (u64)block_n * UNITS * sizeof(float);
    float *input = host_memory(h, inputs * sizeof *input), *weights = host_memory(h, weight_bytes);
    float *sums = host_memory(h, sum_bytes);
    struct top top = {0};
    random_floats(host_seed(h), 0, 0.0f, 1.0f, 0, input, inputs);
    random_floats(host_seed(h), 1, -0.1f, 0.1f, 0, weights, weight_n);
    random_floats(host_seed(h), 2, -0.1f, 0.1f, 0, top.weight, STRIDE);
    input[0] = 1.0f;

    u64 device_input = host_alloc(h, inputs * sizeof *input, "input");
    u64 device_weights = host_alloc(h, weight_bytes, "weights");
    u64 device_steps = host_alloc(h, weight_bytes, "steps");
    u64 device_sums = host_alloc(h, sum_bytes, "sums");
    u64 device_delta = host_alloc(h, sizeof top.delta, "delta");
    host_write(h, device_input, input, inputs * sizeof *input);
    host_write(h, device_weights, weights, weight_bytes);
    host_fill(h, device_steps, 0, weight_bytes);
    const void *forward_args[] = {&device_input, &device_weights, &device_sums, &inputs};
    const void *adjust_args[] = {&device_input, &device_delta, &device_weights, &device_steps,
                                 &inputs,       &RATE,         &MOMENTUM};
    struct host_dim grid = {1, block_n, 1}, block = {UNITS, UNITS, 1};
    struct top device_top = top;
    for (s64 epoch = 0; epoch < epochs; epoch++) {
        if (only != ADJUST) {
            host_launch(h, host_find(h, "layer_forward"), grid, block, 0, 0, forward_args);
            host_read(h, sums, device_sums, sum_bytes);
        }
        if (only == FORWARD) continue;
        top_train(&device_top, sums, block_n);
        host_write(h, device_delta, device_top.delta, sizeof device_top.delta);
        host_launch(h, host_find(h, "adjust_weights"), grid, block, 0, 0, adjust_args);
    }
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *got = host_memory(h, weight_bytes), *steps = host_memory(h, weight_bytes);
    float *want = host_memory(h, sum_bytes);
    host_read(h, got, device_weights, weight_bytes);
    for (s64 epoch = 0; epoch < epochs; epoch++) {
        if (only != ADJUST) forward(input, weights, inputs, want);
        if (only == FORWARD) continue;
        top_train(&top, want, block_n);
        adjust(input, top.delta, inputs, weights, steps);
    }
    const char *why = verify_f32(h, "weights", 0, got, weights, weight_n);
    if (!why) why = verify_f32(h, "sums", 0, sums, want, block_n * UNITS);
    host_checked(h, !why, why);
}

static const struct workload_param backprop_params[] = {
    {"inputs", 32768, 1003, 262144, 1, 1048560, "input units, with the constant one"},
    {"epochs", 1, 2, 1000, 1, 100000, "times forward, back and change of the weights"},
    {"only", 0, 0, 0, 0, ADJUST,
     "0: both kernels; 1: layer_forward; 2: adjust_weights, as if its sums were 0"},
    {0},
};
const struct workload workload_backprop = {
    .name = "backprop",
    .sentence = "training of a two-layer network, trees of sums in shared memory",
    .suite = "Rodinia",
    .algorithm = "back-propagation with momentum (Mitchell, Machine Learning, section 4.5)",
    .input = "inputs drawn from [0, 1), weights from [-0.1, 0.1), one output value to learn",
    .params = backprop_params,
    .run = backprop_run,
};
