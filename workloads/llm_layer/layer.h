/* llm-layer: what the steps of a layer read and write on the device. host.c launches the steps,
 * check.c compares each step's output with the CPU. Every step has an output of its own, so all
 * steps are checked at the end. */
#ifndef CORUN_WORKLOADS_LLM_LAYER_H
#define CORUN_WORKLOADS_LLM_LAYER_H

#include "host/host.h"

enum { LLM_DIM = 128, LLM_PAGE = 64, LLM_TOP = 8, LLM_TILE = 128 };
#define LLM_WEIGHT_UNIT (1.0 / 4096) /* weights are whole numbers, -127 to 127, of this unit */

enum llm_weights { LLM_BF16, LLM_INT8, LLM_E4M3 };
/* e4m3 has whole numbers of eight units, -15 to 15 */
static inline double llm_unit(enum llm_weights w)
{
    return w == LLM_E4M3 ? 8 * LLM_WEIGHT_UNIT : LLM_WEIGHT_UNIT;
}

struct llm_matrix {
    u64 at;
    u32 rows, columns;
    enum llm_weights type;
    u32 stream; /* of random numbers */
};

struct layer {
    struct host *h;
    bool decode, centred;     /* centred: layernorm in place of RMSnorm */
    u32 batch, length, heads; /* length: tokens of a prompt, or in the cache before the step */
    u32 hidden, inner, vocabulary, experts, ranks;
    u32 tokens, rows;        /* of the phase; rows: padded to whole tiles */
    u32 each, first;         /* tokens of a sequence, position of the first */
    u32 pages_each;          /* of a sequence */
    u32 tiles;               /* of the experts' rows */
    struct llm_matrix qkv_w, out_w, up_w, down_w, words; /* up_w: gate and other factor */
    u64 token, gain[3], turn, page, router, draw;
    u64 x[3], norm[3];       /* the sum, and its norms */
    u64 qkv, q, keys, values, attended, raised, mixed;
    u64 expert, weight, row, tile_expert, gathered, lowered; /* of experts */
    u64 logits, top, chosen, scores, probabilities, buffers;
    u32 scores_n, buffers_n; /* of a row; of a rank */
    s16 *numbers;            /* a row of a matrix, of numbers_n */
    u32 numbers_n;
};

/* Steps by name. A step alone reads random numbers. */
enum llm_step {
    LLM_EMBED, LLM_NORM, LLM_QKV, LLM_ROPE, LLM_ATTENTION, LLM_OUT, LLM_UP, LLM_SWIGLU, LLM_DOWN,
    LLM_EXPERTS, LLM_LOGITS, LLM_SAMPLE, LLM_SOFTMAX, LLM_ALL_REDUCE, LLM_STEPS
};

/* Returns why a step's output is wrong; NULL: right. */
const char *llm_check(struct layer *l, enum llm_step step);
/* Row `row` of a matrix as drawn by the host. */
void llm_row(struct layer *l, const struct llm_matrix *m, u32 row, double *to);

#endif
