/* llm-layer: a layer of a language model, for a prompt (prefill) or the next token of each sequence
 * (decode), with embedding, logits and sampling; or one of its steps alone. */
#include <math.h>
#include <string.h>

#include "workloads/llm_layer/layer.h"
#include "workloads/random.h"
#include "workloads/upload.h"

enum { WIDE = 256, WARPS = WIDE / 32, ATTENTION_THREADS = 128, PIECE = 1 << 16 };
enum { GEMM_COLUMNS = 256, GEMM_SHARED = 4 * (LLM_TILE + GEMM_COLUMNS) * 64 };
enum { ATTENTION_SHARED = 2 * 2 * LLM_PAGE * LLM_DIM * 2, PREFILL = 0, DECODE };

/* ---- inputs ---- */

/* Elements [first, first + n) of a matrix, as whole numbers. */
static void draw(struct layer *l, const struct llm_matrix *m, u64 first, u64 n, s16 *to)
{
    u32 words[4];
    u64 at = UINT64_MAX;
    for (u64 k = first; k < first + n; k++) {
        if (k / 16 != at) random_words(host_seed(l->h), m->stream, 0, at = k / 16, words);
        u32 byte = words[k % 16 / 4] >> k % 4 * 8 & 255;
        int most = m->type == LLM_E4M3 ? 15 : 127;
        to[k - first] = (s16)((int)byte % (2 * most + 1) - most);
    }
}

void llm_row(struct layer *l, const struct llm_matrix *m, u32 row, double *to)
{
    if (l->numbers_n < m->columns) l->numbers = host_memory(l->h, m->columns * sizeof(s16));
    l->numbers_n = max_u32(l->numbers_n, m->columns);
    s16 *numbers = l->numbers;
    draw(l, m, (u64)row * m->columns, m->columns, numbers);
    for (u32 k = 0; k < m->columns; k++) to[k] = numbers[k] * llm_unit(m->type);
}

static u16 bf16_of(float x)
{
    u32 bits;
    memcpy(&bits, &x, 4);
    return (u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* The code of a weight; the unit of int8 and e4m3 is a factor of the product. */
static u16 code_of(int number, enum llm_weights type)
{
    u32 size = (u32)(number < 0 ? -number : number), exponent = 0;
    if (type == LLM_BF16) return bf16_of((float)(number * LLM_WEIGHT_UNIT));
    if (type == LLM_INT8) return (u8)number;
    if (!size) return 0;
    while (size >> (exponent + 1)) exponent++;
    return (u16)((u32)(number < 0) << 7 | (exponent + 7) << 3 | ((size << 3 >> exponent) & 7));
}

/* Allocates and draws a matrix; room for whole tiles of rows, also from an expert's first row. */
static void matrix_make(struct layer *l, struct llm_matrix *m, const char *name)
{
    u32 bytes = m->type == LLM_BF16 ? 2 : 1;
    u64 n = (u64)m->rows * m->columns;
    u64 room = l->experts ? m->rows + GEMM_COLUMNS : div_up(m->rows, GEMM_COLUMNS) * GEMM_COLUMNS;
    s16 *numbers = host_memory(l->h, PIECE * sizeof *numbers);
    u8 *codes = host_memory(l->h, PIECE * bytes);
    m->at = host_alloc(l->h, room * m->columns * bytes, name);
    for (u64 at = 0; at < n; at += PIECE) {
        u64 piece = min_u64(PIECE, n - at);
        draw(l, m, at, piece, numbers);
        for (u64 k = 0; k < piece; k++) {
            u16 code = code_of(numbers[k], m->type);
            memcpy(codes + k * bytes, &code, bytes);
        }
        host_write(l->h, m->at + at * bytes, codes, piece * bytes);
    }
}

/* Allocates n floats, or bf16, drawn from [-1, 1) or zero. */
static u64 made(struct layer *l, const char *name, u64 n, bool is_bf16, bool random)
{
    static const u32 STREAM = 100; /* behind those of the matrices; an array each, by address */
    u32 bytes = is_bf16 ? 2 : 4;
    u64 device = host_alloc(l->h, n * bytes, name);
    float *x = host_memory(l->h, PIECE * sizeof *x);
    u16 *codes = host_memory(l->h, PIECE * sizeof *codes);
    for (u64 at = 0; at < n && random; at += PIECE) {
        u64 piece = min_u64(PIECE, n - at);
        random_floats(host_seed(l->h), STREAM + (u32)(device >> 8), -1, 1, at, x, piece);
        for (u64 k = 0; k < piece && is_bf16; k++) codes[k] = bf16_of(x[k]);
        host_write(l->h, device + at * bytes, is_bf16 ? (void *)codes : x, piece * bytes);
    }
    return device;
}

static void turns_make(struct layer *l)
{
    u64 n = (u64)(l->first + l->each) * (LLM_DIM / 2);
    float *turns = host_memory(l->h, n * 2 * sizeof *turns);
    for (u64 k = 0; k < n; k++) {
        double angle = (double)(k / (LLM_DIM / 2)) *
                       pow(10000.0, -(double)(k % (LLM_DIM / 2)) / (LLM_DIM / 2));
        turns[2 * k] = (float)cos(angle);
        turns[2 * k + 1] = (float)sin(angle);
    }
    l->turn = upload_bytes(l->h, "turns", turns, n * 2 * sizeof *turns);
}

static void inputs_make(struct layer *l)
{
    u32 pages = l->batch * l->pages_each;
    u32 *ids = host_memory(l->h, (pages + l->tokens) * sizeof *ids);
    for (u32 t = 0; t < l->tokens; t++)
        ids[t] = random_below(host_seed(l->h), 20, t, l->vocabulary);
    l->token = upload_bytes(l->h, "tokens", ids, l->tokens * sizeof *ids);
    random_labels(host_seed(l->h), 21, pages, ids, pages);
    l->page = upload_bytes(l->h, "pages", ids, pages * sizeof *ids);
    float *draws = host_memory(l->h, l->batch * sizeof *draws);
    random_floats(host_seed(l->h), 22, 0, 1, 0, draws, l->batch);
    l->draw = upload_bytes(l->h, "draws", draws, l->batch * sizeof *draws);
    turns_make(l);
    matrix_make(l, &l->words, "words");
    matrix_make(l, &l->qkv_w, "qkv weights");
    matrix_make(l, &l->out_w, "out weights");
    matrix_make(l, &l->up_w, "up weights");
    matrix_make(l, &l->down_w, "down weights");
    for (u32 k = 0; k < 3; k++) l->gain[k] = made(l, "gain", l->hidden, true, true);
    l->router = made(l, "router", (u64)max_u32(l->experts, 1) * l->hidden, true, true);
}

/* alone: a single step reads random numbers. */
static void buffers_make(struct layer *l, bool alone)
{
    u64 hidden = (u64)l->rows * l->hidden, wide = (u64)max_u32(l->rows, l->tiles * LLM_TILE);
    u64 cache = (u64)l->batch * l->pages_each * LLM_PAGE * l->hidden;
    for (u32 k = 0; k < 3; k++) {
        l->x[k] = made(l, "x", hidden, false, alone);
        l->norm[k] = made(l, "norm", hidden, true, alone);
    }
    l->qkv = made(l, "qkv", hidden * 3, false, alone);
    l->q = made(l, "q", hidden, true, alone);
    l->keys = made(l, "keys", cache, true, alone || l->decode);
    l->values = made(l, "values", cache, true, alone || l->decode);
    l->attended = made(l, "attended", hidden, true, alone);
    l->raised = made(l, "raised", wide * 2 * l->inner, false, alone);
    l->mixed = made(l, "mixed", wide * l->inner, true, alone);
    l->logits = made(l, "logits", (u64)l->batch * l->vocabulary, false, alone);
    l->top = made(l, "top", l->batch * LLM_TOP, false, false);
    l->chosen = made(l, "chosen", l->batch, false, false);
    if (l->experts) {
        l->expert = made(l, "expert", 2 * l->tokens, false, false);
        l->weight = made(l, "weight", 2 * l->tokens, false, false);
        l->row = made(l, "row", 2 * l->tokens, false, false);
        l->tile_expert = made(l, "tile", l->tiles, false, false);
        l->gathered = made(l, "gathered", wide * l->hidden, true, false);
        l->lowered = made(l, "lowered", wide * l->hidden, false, false);
    }
    if (!alone) return;
    l->scores_n = l->first + l->each;
    l->scores = made(l, "scores", (u64)l->rows * l->scores_n, false, true);
    l->probabilities = made(l, "probabilities", (u64)l->rows * l->scores_n, false, false);
    l->buffers_n = l->rows * l->hidden;
    l->buffers = made(l, "buffers", (u64)l->ranks * l->buffers_n, false, true);
}

/* ---- steps ---- */

static void launch(struct layer *l, const char *kernel, u32 x, u32 y, u32 z, u32 threads,
                   u32 shared, const void *const *args)
{
    host_launch(l->h, host_find(l->h, kernel), (struct host_dim){x, y, z},
                (struct host_dim){threads, 1, 1}, shared, 0, args);
}

/* out = x m^T + old, for the tokens of the phase, or `batch` vectors `pitch` elements apart. */
static void product(struct layer *l, const struct llm_matrix *m, u64 x, u64 old, u64 out, u32 batch,
                    u32 pitch)
{
    static const char *const kernels[] = {"gemv_bf16", "gemv_int8", "gemv_e4m3"};
    float scale = m->type == LLM_BF16 ? 1 : (float)llm_unit(m->type);
    u32 row_bytes = m->columns * 2;
    if (batch) {
        const void *args[] = {&m->at, &x, &old, &out, &m->rows, &m->columns, &batch, &pitch,
                              &scale};
        launch(l, kernels[m->type], (u32)div_up(m->rows, WARPS), 1, 1, WIDE, 0, args);
    } else {
        const void *args[] = {&x, &m->at, &old, &out, &m->rows, &row_bytes};
        launch(l, "gemm_bf16", l->rows / LLM_TILE, (u32)div_up(m->rows, GEMM_COLUMNS), 1, WIDE,
               GEMM_SHARED, args);
    }
}

static void step_product(struct layer *l, const struct llm_matrix *m, u64 x, u64 old, u64 out)
{
    product(l, m, x, old, out, l->decode ? l->batch : 0, m->columns);
}

static void step_norm(struct layer *l, u32 k)
{
    const void *args[] = {&l->x[k], &l->gain[k], &l->norm[k], &l->hidden};
    launch(l, l->centred ? "layernorm" : "rmsnorm", l->tokens, 1, 1, WIDE, 0, args);
}

static void step_rope(struct layer *l)
{
    const void *args[] = {&l->qkv, &l->turn, &l->q, &l->keys, &l->values, &l->page, &l->pages_each,
                          &l->heads, &l->each, &l->first};
    launch(l, "rope", l->tokens, 1, 1, WIDE, 0, args);
}

static void step_attention(struct layer *l)
{
    u32 n = l->decode ? l->first + 1 : l->each;
    const void *args[] = {&l->q, &l->keys, &l->values, &l->attended, &l->page, &l->pages_each,
                          &l->heads, &n};
    if (l->decode) launch(l, "attention_decode", l->heads, l->batch, 1, ATTENTION_THREADS, 0, args);
    else launch(l, "attention_prefill", (u32)div_up(n, LLM_PAGE), l->heads, l->batch,
                ATTENTION_THREADS, ATTENTION_SHARED, args);
}

static void step_swiglu(struct layer *l, u32 rows)
{
    const void *args[] = {&l->raised, &l->mixed, &l->inner};
    launch(l, "swiglu", rows, 1, 1, WIDE, 0, args);
}

static void step_grouped(struct layer *l, const struct llm_matrix *m, u64 x, u64 out)
{
    u32 n = m->rows / l->experts, row_bytes = m->columns * 2;
    const void *args[] = {&x, &m->at, &out, &n, &row_bytes, &l->tile_expert};
    launch(l, "gemm_grouped", l->tiles, (u32)div_up(n, GEMM_COLUMNS), 1, WIDE, GEMM_SHARED, args);
}

static void step_experts(struct layer *l)
{
    const void *route[] = {&l->norm[1], &l->router, &l->expert, &l->weight, &l->tokens, &l->hidden,
                           &l->experts};
    const void *place[] = {&l->expert, &l->row, &l->tile_expert, &l->tokens, &l->experts,
                           &l->tiles};
    const void *gather[] = {&l->norm[1], &l->row, &l->gathered, &l->hidden};
    const void *combine[] = {&l->lowered, &l->row, &l->weight, &l->x[1], &l->x[2], &l->hidden};
    launch(l, "experts_route", (u32)div_up(l->tokens, WARPS), 1, 1, WIDE, 0, route);
    launch(l, "experts_place", 1, 1, 1, 32 * l->experts, 0, place);
    launch(l, "experts_gather", 2 * l->tokens, 1, 1, WIDE, 0, gather);
    step_grouped(l, &l->up_w, l->gathered, l->raised);
    step_swiglu(l, l->tiles * LLM_TILE);
    step_grouped(l, &l->down_w, l->mixed, l->lowered);
    launch(l, "experts_combine", l->tokens, 1, 1, WIDE, 0, combine);
}

/* Of the last token of each sequence. */
static void step_logits(struct layer *l)
{
    u64 last = l->norm[2] + (u64)(l->each - 1) * l->hidden * sizeof(u16);
    product(l, &l->words, last, 0, l->logits, l->batch, l->each * l->hidden);
}

static void step_alone(struct layer *l, enum llm_step step)
{
    const void *softmax[] = {&l->scores, &l->probabilities, &l->scores_n};
    u32 quads = l->buffers_n / 4;
    const void *reduce[] = {&l->buffers, &l->ranks, &quads};
    if (step == LLM_SOFTMAX) launch(l, "softmax", l->tokens, 1, 1, WIDE, 0, softmax);
    else launch(l, "all_reduce", (u32)host_integer(l->h, "blocks"), 1, 1, 2 * WIDE, 0, reduce);
}

static void step_run(struct layer *l, enum llm_step step)
{
    const void *embed[] = {&l->token, &l->words.at, &l->x[0], &l->hidden};
    const void *sample[] = {&l->logits, &l->draw, &l->top, &l->chosen, &l->vocabulary};
    switch (step) {
    case LLM_EMBED: launch(l, "embed", l->tokens, 1, 1, WIDE, 0, embed); break;
    case LLM_NORM: step_norm(l, 0); break;
    case LLM_QKV: step_product(l, &l->qkv_w, l->norm[0], 0, l->qkv); break;
    case LLM_ROPE: step_rope(l); break;
    case LLM_ATTENTION: step_attention(l); break;
    case LLM_OUT: step_product(l, &l->out_w, l->attended, l->x[0], l->x[1]); break;
    case LLM_UP: step_product(l, &l->up_w, l->norm[1], 0, l->raised); break;
    case LLM_SWIGLU: step_swiglu(l, l->tokens); break;
    case LLM_DOWN: step_product(l, &l->down_w, l->mixed, l->x[1], l->x[2]); break;
    case LLM_EXPERTS: step_experts(l); break;
    case LLM_LOGITS: step_logits(l); break;
    case LLM_SAMPLE: launch(l, "sample", l->batch, 1, 1, WIDE, 0, sample); break;
    default: step_alone(l, step); break;
    }
}

/* ---- the program ---- */

static const enum llm_step dense[] = {
    LLM_EMBED, LLM_NORM, LLM_QKV, LLM_ROPE, LLM_ATTENTION, LLM_OUT, LLM_UP, LLM_SWIGLU, LLM_DOWN,
    LLM_LOGITS, LLM_SAMPLE};
static const enum llm_step sparse[] = {
    LLM_EMBED, LLM_NORM, LLM_QKV, LLM_ROPE, LLM_ATTENTION, LLM_OUT, LLM_EXPERTS, LLM_LOGITS,
    LLM_SAMPLE};

static void sizes_take(struct layer *l)
{
    struct host *h = l->h;
    l->decode = host_integer(h, "phase") == DECODE;
    l->centred = host_integer(h, "norm");
    l->batch = (u32)host_integer(h, "batch");
    l->length = (u32)host_integer(h, "length");
    l->heads = (u32)host_integer(h, "heads");
    l->experts = (u32)host_integer(h, "experts");
    if (host_integer(h, "part") == LLM_EXPERTS + 1) l->experts = max_u32(l->experts, 2);
    l->ranks = (u32)host_integer(h, "ranks");
    l->vocabulary = (u32)host_integer(h, "words");
    l->hidden = l->heads * LLM_DIM;
    l->inner = l->experts ? l->hidden / 2 : 2 * l->hidden;
    l->each = l->decode ? 1 : l->length;
    l->first = l->decode ? l->length : 0;
    l->tokens = l->batch * l->each;
    l->rows = (u32)div_up(l->tokens, LLM_TILE) * LLM_TILE;
    l->pages_each = (u32)div_up(l->first + l->each, LLM_PAGE);
    l->tiles = l->experts ? (u32)div_up(2 * l->tokens, LLM_TILE) + l->experts : 0;
    enum llm_weights type = l->decode ? (enum llm_weights)host_integer(h, "weights") : LLM_BF16;
    enum llm_weights wide = l->experts ? LLM_BF16 : type;
    u32 many = max_u32(l->experts, 1);
    l->words = (struct llm_matrix){0, l->vocabulary, l->hidden, LLM_BF16, 1};
    l->qkv_w = (struct llm_matrix){0, 3 * l->hidden, l->hidden, type, 2};
    l->out_w = (struct llm_matrix){0, l->hidden, l->hidden, type, 3};
    l->up_w = (struct llm_matrix){0, 2 * l->inner * many, l->hidden, wide, 4};
    l->down_w = (struct llm_matrix){0, l->hidden * many, l->inner, wide, 5};
}

static void llm_layer_run(struct host *h)
{
    struct layer *l = host_memory(h, sizeof *l);
    l->h = h;
    sizes_take(l);
    u32 part = (u32)host_integer(h, "part"), n = 1;
    enum llm_step one = (enum llm_step)(part - 1);
    const enum llm_step *steps = &one;
    if (!part) {
        steps = l->experts ? sparse : dense;
        n = l->experts ? COUNT_OF(sparse) : COUNT_OF(dense);
    }
    inputs_make(l);
    buffers_make(l, part);
    for (u32 k = 0; k < n; k++) {
        if (!part && (steps[k] == LLM_UP || steps[k] == LLM_EXPERTS)) step_norm(l, 1);
        if (!part && steps[k] == LLM_LOGITS) step_norm(l, 2);
        step_run(l, steps[k]);
    }
    host_sync(h);
    if (!host_wants_check(h)) return;
    const char *why = NULL;
    for (u32 k = 0; k < n && !why; k++) why = llm_check(l, steps[k]);
    host_checked(h, !why, why);
}

static const struct workload_param llm_layer_params[] = {
    {"phase", 0, 0, 0, 0, 1, "prefill, of a prompt; or decode, of the next token of each sequence"},
    {"batch", 1, 1, 4, 1, 8, "sequences"},
    {"length", 512, 96, 2048, 1, 16384, "tokens of a prompt, or in the cache before the step"},
    {"heads", 16, 2, 16, 1, 64, "heads of 128; the hidden size is 128 times as large"},
    {"words", 4096, 512, 32000, 8, 262144, "words of the vocabulary"},
    {"norm", 0, 0, 0, 0, 1, "RMSnorm (rms) or layernorm (layer)"},
    {"weights", 0, 0, 0, 0, 2, "type of the weights in decode, not of experts: bf16, int8 or e4m3"},
    {"experts", 0, 0, 0, 0, 16, "experts, 2 to 16, each token takes two; 0: one dense network"},
    {"part", 0, 0, 0, 0, LLM_STEPS, "the layer, or a step alone on random numbers"},
    {"ranks", 4, 2, 4, 2, 16, "buffers of part=all-reduce"},
    {"blocks", 8, 2, 8, 1, 1024, "blocks of part=all-reduce"},
    {0},
};
static const struct workload_words llm_layer_words[] = {
    {"phase", "prefill|decode"},
    {"norm", "rms|layer"},
    {"weights", "bf16|int8|e4m3"},
    {"part", "all|embed|norm|qkv|rope|attention|out|up|swiglu|down|experts|logits|sample|softmax|"
             "all-reduce"},
    {0},
};

static u32 value_of(const double *values, const char *key)
{
    u32 k = 0;
    while (strcmp(llm_layer_params[k].key, key)) k++;
    return (u32)values[k];
}

static void llm_layer_refuse(const double *values, struct param_errors *errors)
{
    if (value_of(values, "experts") == 1)
        param_error(errors, "experts", "each token takes two experts: give 2 to 16, or 0");
    if (value_of(values, "weights") != LLM_BF16 && value_of(values, "phase") == PREFILL)
        param_error(errors, "weights", "all weights of prefill are bf16: give phase=decode, too");
}

const struct workload workload_llm_layer = {
    .name = "llm-layer",
    .sentence = "a layer of a language model, prefill or decode, or a step of it",
    .suite = "corun",
    .algorithm = "the layer of Llama, attention with a running softmax over a cache in pages, "
                 "experts by tiles of a grouped product; written from the papers",
    .input = "random weights, tokens and, in decode, keys and values",
    .params = llm_layer_params,
    .words = llm_layer_words,
    .run = llm_layer_run,
    .refuse = llm_layer_refuse,
};
