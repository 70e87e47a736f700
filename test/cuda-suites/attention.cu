/* A host program of FlashAttention 3's forward kernel for Hopper: random values, and softmax and
 * sums in double on the CPU. Arguments: queries, keys, batch. Two heads of queries share a head of
 * keys; macros give the size of a head (HEAD), the mask (CAUSAL) and the blocks of a cluster (CM).
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "flash_fwd_launch_template.h"

#ifndef HEAD
#define HEAD 64
#endif
#ifndef CAUSAL
#define CAUSAL false
#endif
#ifndef CM
#define CM 1
#endif
typedef cutlass::half_t half_word;
enum { HEADS = 2, KEY_HEADS = 1 };

void prepare_varlen_num_blocks(Flash_fwd_params &, cudaStream_t, bool, int, int, bool) { abort(); }

struct matrix { /* batch x rows x heads x HEAD */
    int rows, heads;
    std::vector<half_word> words;
    half_word *device;

    matrix(int batch, int rows, int heads)
        : rows(rows), heads(heads), words((size_t)batch * rows * heads * HEAD)
    {
        cudaMalloc(&device, words.size() * sizeof(half_word));
    }
    double at(int n, int row, int head, int k) const
    {
        return (float)words[(((size_t)n * rows + row) * heads + head) * HEAD + k];
    }
    void fill(unsigned &seed)
    {
        for (half_word &w : words) {
            seed = seed * 1664525u + 1013904223u;
            w = half_word((float)((int)(seed >> 16) % 2001 - 1000) / 500.0f);
        }
        cudaMemcpy(device, words.data(), words.size() * sizeof(half_word), cudaMemcpyHostToDevice);
    }
};

static Flash_fwd_params params(int batch, matrix &q, matrix &k, matrix &v, matrix &o, float *sums)
{
    Flash_fwd_params p = {};
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    p.q_ptr = q.device, p.k_ptr = k.device, p.v_ptr = v.device, p.o_ptr = o.device;
    p.softmax_lse_ptr = sums;
    p.h = HEADS, p.h_k = KEY_HEADS, p.b = p.b_k = batch;
    p.seqlen_q = q.rows, p.seqlen_k = k.rows;
    p.d = p.d_rounded = p.dv = p.dv_rounded = HEAD;
    p.q_row_stride = p.o_row_stride = HEADS * HEAD;
    p.k_row_stride = p.v_row_stride = KEY_HEADS * HEAD;
    p.q_head_stride = p.k_head_stride = p.v_head_stride = p.o_head_stride = HEAD;
    p.q_batch_stride = p.o_batch_stride = (long)q.rows * HEADS * HEAD;
    p.k_batch_stride = p.v_batch_stride = (long)k.rows * KEY_HEADS * HEAD;
    p.v_dim_stride = 1;
    p.scale_softmax = 1.0f / sqrtf((float)HEAD);
    p.is_causal = CAUSAL, p.window_size_left = -1, p.window_size_right = CAUSAL ? 0 : -1;
    p.num_splits = 1, p.arch = 90, p.num_sm = device.multiProcessorCount;
    int *tiles;
    cudaMalloc(&tiles, 64);
    cudaMemset(tiles, 0, 64);
    p.tile_count_semaphore = tiles;
    return p;
}

/* Largest differences of results and of the logarithms of the sums. */
static void compare(int batch, const matrix &q, const matrix &k, const matrix &v, const matrix &o,
                    const std::vector<float> &sums, double *worst, double *worst_sum)
{
    std::vector<double> w(k.rows);
    for (int n = 0; n < batch; n++)
        for (int head = 0; head < HEADS; head++)
            for (int row = 0; row < q.rows; row++) {
                int keys = CAUSAL ? row + 1 + k.rows - q.rows : k.rows;
                double top = -INFINITY, sum = 0;
                for (int t = 0; t < keys; t++) {
                    w[t] = 0;
                    for (int c = 0; c < HEAD; c++) w[t] += q.at(n, row, head, c) * k.at(n, t, 0, c);
                    w[t] *= 1.0f / sqrtf((float)HEAD);
                    top = fmax(top, w[t]);
                }
                for (int t = 0; t < keys; t++) sum += w[t] = exp(w[t] - top);
                double got = sums[((size_t)n * HEADS + head) * q.rows + row];
                double off = fabs(got - log(sum) - top);
                if (!(off <= *worst_sum)) *worst_sum = off;
                for (int c = 0; c < HEAD; c++) {
                    double x = 0;
                    for (int t = 0; t < keys; t++) x += w[t] * v.at(n, t, 0, c);
                    off = fabs(x / sum - o.at(n, row, head, c));
                    if (!(off <= *worst)) *worst = off;
                }
            }
}

int main(int argc, char **argv)
{
    int queries = argc > 1 ? atoi(argv[1]) : 128, keys = argc > 2 ? atoi(argv[2]) : queries;
    int batch = argc > 3 ? atoi(argv[3]) : 1;
    unsigned seed = 1;
    matrix q(batch, queries, HEADS), k(batch, keys, KEY_HEADS), v(batch, keys, KEY_HEADS);
    matrix o(batch, queries, HEADS);
    std::vector<float> sums((size_t)batch * HEADS * queries);
    float *device_sums;
    cudaMalloc(&device_sums, sums.size() * sizeof(float));
    q.fill(seed), k.fill(seed), v.fill(seed);
    Flash_fwd_params p = params(batch, q, k, v, o, device_sums);
    run_flash_fwd<90, HEAD, HEAD, CM, half_word, half_word, CAUSAL, false, false, false, false,
                  false, false, false, false, false>(p, 0);
    cudaError_t error = cudaDeviceSynchronize();
    if (error) {
        printf("error %s\n", cudaGetErrorString(error));
        return 1;
    }
    cudaMemcpy(o.words.data(), o.device, o.words.size() * sizeof(half_word),
               cudaMemcpyDeviceToHost);
    cudaMemcpy(sums.data(), device_sums, sums.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double worst = 0, worst_sum = 0;
    compare(batch, q, k, v, o, sums, &worst, &worst_sum);
    bool right = worst < 4e-3 && worst_sum < 1e-3;
    printf("worst difference %.3g, of a logarithm of sums %.3g: %s\n", worst, worst_sum,
           right ? "right" : "WRONG");
    return !right;
}
