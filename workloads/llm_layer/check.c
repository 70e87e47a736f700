/* The steps of llm-layer on the CPU, in double precision, from the inputs that the device had. Of
 * many tokens some are checked, the first and the last among them. Tolerances: sums of a product
 * 1e-5 of the sum of the factors' sizes; results of 16 bits 1/128 of their scale. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/llm_layer/layer.h"
#include "workloads/random.h"
#include "workloads/verify.h"

#define SUM_TOLERANCE 1e-5
#define BF16_TOLERANCE (1.0 / 128)

enum { CHECKED = 24, EMBED_CHECKED = 4, QUARTER = 4 };

/* ---- reading ---- */

static void floats_read(struct layer *l, u64 at, u64 first, u64 n, float *to)
{
    host_read(l->h, to, at + first * sizeof *to, n * sizeof *to);
}

static void halves_read(struct layer *l, u64 at, u64 first, u64 n, float *to)
{
    u16 codes[LLM_TILE];
    for (u64 k = 0; k < n; k += LLM_TILE) {
        u64 piece = min_u64(LLM_TILE, n - k);
        host_read(l->h, codes, at + (first + k) * sizeof *codes, piece * sizeof *codes);
        for (u64 j = 0; j < piece; j++) {
            u32 bits = (u32)codes[j] << 16;
            memcpy(to + k + j, &bits, 4);
        }
    }
}

static u32 *words_read(struct layer *l, u64 at, u64 n)
{
    u32 *words = host_memory(l->h, n * sizeof *words);
    host_read(l->h, words, at, n * sizeof *words);
    return words;
}

/* Scratch memory of a step: rows of got, wanted and scale. */
struct rows {
    float *got, *in;
    double *want, *scale;
};

static struct rows rows_make(struct layer *l, u64 n)
{
    return (struct rows){host_memory(l->h, n * sizeof(float)), host_memory(l->h, n * sizeof(float)),
                         host_memory(l->h, n * sizeof(double)),
                         host_memory(l->h, n * sizeof(double))};
}

/* The tokens that are checked. */
static u32 token_at(const struct layer *l, u32 k)
{
    u32 n = min_u32(l->tokens, CHECKED);
    return n < 2 ? 0 : (u32)((u64)k * (l->tokens - 1) / (n - 1));
}
static u32 token_n(const struct layer *l) { return min_u32(l->tokens, CHECKED); }

/* ---- products ---- */

/* A row of a product: elements of x from `x`, rows of the matrix from `first`, row of `out`. */
struct product_row { u64 x, out; u32 first; };

static const char *check_product(struct layer *l, const char *name, const struct llm_matrix *m,
                                 u64 x, u64 old, u64 out, u32 width, const struct product_row *rows,
                                 u32 n)
{
    u32 k_n = m->columns;
    float *in = host_memory(l->h, (u64)n * k_n * sizeof *in);
    float *add = host_memory(l->h, width * sizeof *add);
    double *want = host_memory(l->h, (u64)n * width * sizeof *want), *weights;
    double *scale = host_memory(l->h, (u64)n * width * sizeof *scale);
    float *got = host_memory(l->h, width * sizeof *got);
    weights = host_memory(l->h, k_n * sizeof *weights);
    for (u32 r = 0; r < n; r++) halves_read(l, x, rows[r].x, k_n, in + (u64)r * k_n);
    for (u32 r = 0, drawn = UINT32_MAX; r < n; r++) {
        if (rows[r].first == drawn) continue;
        drawn = rows[r].first;
        for (u32 j = 0; j < width; j++) {
            llm_row(l, m, drawn + j, weights);
            for (u32 s = 0; s < n; s++) {
                if (rows[s].first != drawn) continue;
                double sum = 0, size = 0;
                for (u32 k = 0; k < k_n; k++) {
                    double part = weights[k] * in[(u64)s * k_n + k];
                    sum += part, size += fabs(part);
                }
                want[(u64)s * width + j] = sum, scale[(u64)s * width + j] = size;
            }
        }
    }
    for (u32 r = 0; r < n; r++) {
        floats_read(l, out, rows[r].out * width, width, got);
        if (old) floats_read(l, old, rows[r].out * width, width, add);
        for (u32 j = 0; j < width && old; j++)
            want[(u64)r * width + j] += add[j], scale[(u64)r * width + j] += fabs(add[j]);
        const char *why = verify_f32_near(l->h, name, rows[r].out * width, got,
                                          want + (u64)r * width, scale + (u64)r * width, width,
                                          SUM_TOLERANCE);
        if (why) return why;
    }
    return NULL;
}

static const char *check_tokens(struct layer *l, const char *name, const struct llm_matrix *m,
                                u64 x, u64 old, u64 out)
{
    struct product_row rows[CHECKED];
    for (u32 k = 0; k < token_n(l); k++)
        rows[k] = (struct product_row){(u64)token_at(l, k) * m->columns, token_at(l, k), 0};
    return check_product(l, name, m, x, old, out, m->rows, rows, token_n(l));
}

static const char *check_logits(struct layer *l)
{
    struct product_row rows[CHECKED];
    for (u32 b = 0; b < l->batch; b++)
        rows[b] = (struct product_row){((u64)(b + 1) * l->each - 1) * l->hidden, b, 0};
    return check_product(l, "logits", &l->words, l->norm[2], 0, l->logits, l->vocabulary, rows,
                         l->batch);
}

/* ---- embedding, norms, SwiGLU, softmax ---- */

static const char *check_embed(struct layer *l)
{
    struct rows r = rows_make(l, l->hidden);
    const u32 *tokens = words_read(l, l->token, l->tokens);
    const char *why = NULL;
    for (u32 t = 0; t < l->tokens && !why; t++) {
        llm_row(l, &l->words, tokens[t], r.want);
        floats_read(l, l->x[0], (u64)t * l->hidden, l->hidden, r.got);
        why = verify_f32_near(l->h, "x", (u64)t * l->hidden, r.got, r.want, NULL, l->hidden, 0);
    }
    return why;
}

static const char *check_norm(struct layer *l, u32 k)
{
    struct rows r = rows_make(l, l->hidden);
    float *gain = host_memory(l->h, l->hidden * sizeof *gain);
    const char *why = NULL;
    halves_read(l, l->gain[k], 0, l->hidden, gain);
    for (u32 j = 0; j < token_n(l) && !why; j++) {
        u64 first = (u64)token_at(l, j) * l->hidden;
        double mean = 0, squares = 0;
        floats_read(l, l->x[k], first, l->hidden, r.in);
        halves_read(l, l->norm[k], first, l->hidden, r.got);
        for (u32 i = 0; i < l->hidden && l->centred; i++) mean += r.in[i] / (double)l->hidden;
        for (u32 i = 0; i < l->hidden; i++) squares += (r.in[i] - mean) * (r.in[i] - mean);
        double factor = 1 / sqrt(squares / l->hidden + 1e-5);
        for (u32 i = 0; i < l->hidden; i++) {
            r.want[i] = (r.in[i] - mean) * factor * gain[i];
            r.scale[i] = fabs(r.want[i]) + 1e-4;
        }
        why = verify_f32_near(l->h, "norm", first, r.got, r.want, r.scale, l->hidden,
                              BF16_TOLERANCE);
    }
    return why;
}

static const char *check_swiglu(struct layer *l, const u32 *rows, u32 n)
{
    struct rows r = rows_make(l, 2 * (u64)l->inner);
    const char *why = NULL;
    for (u32 j = 0; j < n && !why; j++) {
        u64 row = rows ? rows[j] : token_at(l, j);
        floats_read(l, l->raised, row * 2 * l->inner, 2 * l->inner, r.in);
        halves_read(l, l->mixed, row * l->inner, l->inner, r.got);
        for (u32 i = 0; i < l->inner; i++) {
            r.want[i] = r.in[i] / (1 + exp(-(double)r.in[i])) * r.in[l->inner + i];
            r.scale[i] = fabs(r.want[i]) + 1e-4;
        }
        why = verify_f32_near(l->h, "mixed", row * l->inner, r.got, r.want, r.scale, l->inner,
                              BF16_TOLERANCE);
    }
    return why;
}

static const char *check_softmax(struct layer *l)
{
    struct rows r = rows_make(l, l->scores_n);
    const char *why = NULL;
    for (u32 t = 0; t < l->tokens && !why; t++) {
        double sum = 0;
        floats_read(l, l->scores, (u64)t * l->scores_n, l->scores_n, r.in);
        floats_read(l, l->probabilities, (u64)t * l->scores_n, l->scores_n, r.got);
        for (u32 i = 0; i < l->scores_n; i++) sum += r.want[i] = exp((double)r.in[i]);
        for (u32 i = 0; i < l->scores_n; i++) r.want[i] /= sum;
        why = verify_f32_near(l->h, "probabilities", (u64)t * l->scores_n, r.got, r.want, NULL,
                              l->scores_n, SUM_TOLERANCE);
    }
    return why;
}

/* ---- attention ---- */

/* First element in the cache of a position and head. */
static u64 cached(const struct layer *l, const u32 *pages, u32 sequence, u32 position, u32 head)
{
    u32 page = pages[sequence * l->pages_each + position / LLM_PAGE];
    return (((u64)page * l->heads + head) * LLM_PAGE + position % LLM_PAGE) * LLM_DIM;
}

/* Compares 128 elements of q or of the cache with a turned part of qkv. */
static const char *check_turned(struct layer *l, const char *name, u64 array, u64 at,
                                const float *from, u32 position, bool turns)
{
    float got[LLM_DIM];
    double want[LLM_DIM], scale[LLM_DIM];
    halves_read(l, array, at, LLM_DIM, got);
    for (u32 i = 0; i < LLM_DIM; i++) {
        u32 low = i % (LLM_DIM / 2);
        double angle = turns ? position * pow(10000.0, -2.0 * low / LLM_DIM) : 0;
        double other = i < LLM_DIM / 2 ? -from[low + LLM_DIM / 2] : from[low];
        want[i] = from[i] * cos(angle) + other * sin(angle);
        scale[i] = fabs(from[i]) + fabs(other);
    }
    return verify_f32_near(l->h, name, at, got, want, scale, LLM_DIM, BF16_TOLERANCE);
}

static const char *check_rope(struct layer *l)
{
    struct rows r = rows_make(l, 3 * (u64)l->hidden);
    const u32 *pages = words_read(l, l->page, (u64)l->batch * l->pages_each);
    const char *why = NULL;
    for (u32 k = 0; k < token_n(l) && !why; k++) {
        u32 t = token_at(l, k), position = l->first + t % l->each;
        floats_read(l, l->qkv, (u64)t * 3 * l->hidden, 3 * l->hidden, r.in);
        for (u32 head = 0; head < l->heads && !why; head++) {
            const float *q = r.in + head * LLM_DIM;
            u64 to = cached(l, pages, t / l->each, position, head);
            u64 own = (u64)t * l->hidden + head * LLM_DIM;
            why = check_turned(l, "q", l->q, own, q, position, true);
            if (!why) why = check_turned(l, "keys", l->keys, to, q + l->hidden, position, true);
            if (!why)
                why = check_turned(l, "values", l->values, to, q + 2 * l->hidden, position, false);
        }
    }
    return why;
}

static const char *check_head(struct layer *l, const u32 *pages, u32 t, u32 head)
{
    u32 n = l->first + t % l->each + 1;
    u64 row = (u64)t * l->hidden + head * LLM_DIM;
    float q[LLM_DIM], x[LLM_DIM], got[LLM_DIM];
    double want[LLM_DIM] = {0}, scale[LLM_DIM] = {0}, sum = 0;
    halves_read(l, l->q, row, LLM_DIM, q);
    for (u32 p = 0; p < n; p++) {
        u64 at = cached(l, pages, t / l->each, p, head);
        double score = 0;
        halves_read(l, l->keys, at, LLM_DIM, x);
        for (u32 i = 0; i < LLM_DIM; i++) score += (double)q[i] * x[i];
        double weight = exp(score / sqrt(LLM_DIM));
        halves_read(l, l->values, at, LLM_DIM, x);
        sum += weight;
        for (u32 i = 0; i < LLM_DIM; i++) want[i] += weight * x[i], scale[i] += weight * fabs(x[i]);
    }
    for (u32 i = 0; i < LLM_DIM; i++) want[i] /= sum, scale[i] /= sum;
    halves_read(l, l->attended, row, LLM_DIM, got);
    return verify_f32_near(l->h, "attended", row, got, want, scale, LLM_DIM, BF16_TOLERANCE);
}

static const char *check_attention(struct layer *l)
{
    const u32 *pages = words_read(l, l->page, (u64)l->batch * l->pages_each);
    const char *why = NULL;
    for (u32 k = 0; k < token_n(l) && !why; k++)
        for (u32 head = k % QUARTER; head < l->heads && !why; head += QUARTER)
            why = check_head(l, pages, token_at(l, k), head);
    return why;
}

/* ---- experts ---- */

static const char *wrong(struct layer *l, const char *what, u32 at)
{
    struct text t = {0};
    text_add(&t, "%s of token %u is wrong", what, at);
    char *why = host_memory(l->h, strlen(text_get(&t)) + 1);
    strcpy(why, text_get(&t));
    text_free(&t);
    return why;
}

/* The device's two experts have the best scores, up to rounding. */
static const char *check_route(struct layer *l, const u32 *expert, u32 t)
{
    float x[LLM_DIM], router[LLM_DIM], weight[2];
    double score[16] = {0};
    for (u32 e = 0; e < l->experts; e++)
        for (u32 i = 0; i < l->hidden; i += LLM_DIM) {
            halves_read(l, l->norm[1], (u64)t * l->hidden + i, LLM_DIM, x);
            halves_read(l, l->router, (u64)e * l->hidden + i, LLM_DIM, router);
            for (u32 k = 0; k < LLM_DIM; k++) score[e] += (double)x[k] * router[k];
        }
    u32 a = expert[2 * t], b = expert[2 * t + 1];
    if (a >= l->experts || b >= l->experts || a == b) return wrong(l, "expert", t);
    for (u32 e = 0; e < l->experts; e++)
        if (e != a && score[e] > score[e == b ? a : b] + 1e-3) return wrong(l, "expert", t);
    floats_read(l, l->weight, 2 * (u64)t, 2, weight);
    double second = 1 / (1 + exp(score[a] - score[b]));
    if (fabs(weight[1] - second) > 1e-3 || fabs(weight[0] - (1 - second)) > 1e-3)
        return wrong(l, "weight", t);
    return NULL;
}

/* Rows of an expert follow each other in the order of tokens, from a whole tile on. */
static const char *check_place(struct layer *l, const u32 *expert, const u32 *row)
{
    const u32 *tiles = words_read(l, l->tile_expert, l->tiles);
    u32 next[16] = {0}, start = 0;
    for (u32 e = 0; e < l->experts; e++) {
        u32 n = 0;
        for (u32 k = 0; k < 2 * l->tokens; k++) n += expert[k] == e;
        next[e] = start;
        for (u32 k = 0; k * LLM_TILE < n; k++, start += LLM_TILE)
            if (tiles[start / LLM_TILE] != e) return wrong(l, "tile", start / LLM_TILE);
    }
    for (u32 k = 0; k < 2 * l->tokens; k++)
        if (row[k] != next[expert[k]]++) return wrong(l, "row", k / 2);
    return NULL;
}

/* The sum of a token's rows. */
static const char *check_combine(struct layer *l, const u32 *row, u32 t)
{
    struct rows r = rows_make(l, l->hidden);
    float weight[2];
    u64 first = (u64)t * l->hidden;
    floats_read(l, l->weight, 2 * (u64)t, 2, weight);
    floats_read(l, l->x[1], first, l->hidden, r.in);
    for (u32 i = 0; i < l->hidden; i++) r.want[i] = r.in[i], r.scale[i] = fabs(r.in[i]);
    for (u32 k = 0; k < 2; k++) {
        floats_read(l, l->lowered, (u64)row[2 * t + k] * l->hidden, l->hidden, r.in);
        for (u32 i = 0; i < l->hidden; i++) {
            r.want[i] += (double)weight[k] * r.in[i];
            r.scale[i] += fabs((double)weight[k] * r.in[i]);
        }
    }
    floats_read(l, l->x[2], first, l->hidden, r.got);
    return verify_f32_near(l->h, "x", first, r.got, r.want, r.scale, l->hidden, SUM_TOLERANCE);
}

static const char *check_experts(struct layer *l)
{
    const u32 *expert = words_read(l, l->expert, 2 * (u64)l->tokens);
    const u32 *row = words_read(l, l->row, 2 * (u64)l->tokens);
    struct product_row up[2 * CHECKED], down[2 * CHECKED];
    u32 rows[2 * CHECKED], n = 2 * token_n(l);
    const char *why = NULL;
    for (u32 k = 0; k < token_n(l) && !why; k++) why = check_route(l, expert, token_at(l, k));
    if (!why) why = check_place(l, expert, row);
    if (why) return why;
    for (u32 k = 0; k < n; k++) {
        u32 t = token_at(l, k / 2), e = expert[2 * t + k % 2];
        rows[k] = row[2 * t + k % 2];
        up[k] = (struct product_row){(u64)t * l->hidden, rows[k], e * 2 * l->inner};
        down[k] = (struct product_row){(u64)rows[k] * l->inner, rows[k], e * l->hidden};
    }
    why = check_product(l, "raised", &l->up_w, l->norm[1], 0, l->raised, 2 * l->inner, up, n);
    if (!why) why = check_swiglu(l, rows, n);
    if (!why)
        why = check_product(l, "lowered", &l->down_w, l->mixed, 0, l->lowered, l->hidden, down, n);
    for (u32 k = 0; k < token_n(l) && !why; k++) why = check_combine(l, row, token_at(l, k));
    return why;
}

/* ---- sampling, all-reduce ---- */

/* The first of the largest logits that are not yet taken. */
static u32 largest(const float *logits, u32 n, const bool *taken)
{
    u32 best = UINT32_MAX;
    for (u32 i = 0; i < n; i++)
        if (!taken[i] && (best == UINT32_MAX || logits[i] > logits[best])) best = i;
    return best;
}

static const char *check_sample(struct layer *l)
{
    float *logits = host_memory(l->h, l->vocabulary * sizeof *logits), drawn;
    const u32 *top = words_read(l, l->top, (u64)l->batch * LLM_TOP);
    const u32 *chosen = words_read(l, l->chosen, l->batch);
    for (u32 b = 0; b < l->batch; b++) {
        bool *taken = host_memory(l->h, l->vocabulary);
        double p[LLM_TOP], sum = 0, passed = 0;
        bool right = false;
        floats_read(l, l->logits, (u64)b * l->vocabulary, l->vocabulary, logits);
        floats_read(l, l->draw, b, 1, &drawn);
        for (u32 k = 0; k < LLM_TOP; k++) {
            u32 best = largest(logits, l->vocabulary, taken);
            if (top[b * LLM_TOP + k] != best) return wrong(l, "top", b);
            taken[best] = true;
            sum += p[k] = exp((double)logits[best] - logits[top[b * LLM_TOP]]);
        }
        for (u32 k = 0; k < LLM_TOP; passed += p[k++] / sum) /* rounding may shift a bound */
            right |= chosen[b] == top[b * LLM_TOP + k] && drawn >= passed - 1e-5 &&
                     drawn <= passed + p[k] / sum + 1e-5;
        if (!right) return wrong(l, "choice", b);
    }
    return NULL;
}

static const char *check_all_reduce(struct layer *l)
{
    enum { PIECE = 4096 };
    u32 stream = 100 + (u32)(l->buffers >> 8);
    float *sum = host_memory(l->h, PIECE * sizeof *sum), *x = host_memory(l->h, PIECE * sizeof *x);
    const char *why = NULL;
    for (u64 at = 0; at < l->buffers_n && !why; at += PIECE) {
        u64 n = min_u64(PIECE, l->buffers_n - at);
        random_floats(host_seed(l->h), stream, -1, 1, at, sum, n);
        for (u32 r = 1; r < l->ranks; r++) {
            random_floats(host_seed(l->h), stream, -1, 1, (u64)r * l->buffers_n + at, x, n);
            for (u64 k = 0; k < n; k++) sum[k] += x[k];
        }
        for (u32 r = 0; r < l->ranks && !why; r++) {
            u64 first = (u64)r * l->buffers_n + at;
            floats_read(l, l->buffers, first, n, x);
            why = verify_f32(l->h, "buffers", first, x, sum, n);
        }
    }
    return why;
}

const char *llm_check(struct layer *l, enum llm_step step)
{
    bool alone = host_integer(l->h, "part");
    const char *why = NULL;
    switch (step) {
    case LLM_EMBED: return check_embed(l);
    case LLM_NORM:
        for (u32 k = 0; k < (alone ? 1u : 3u) && !why; k++) why = check_norm(l, k);
        return why;
    case LLM_QKV: return check_tokens(l, "qkv", &l->qkv_w, l->norm[0], 0, l->qkv);
    case LLM_ROPE: return check_rope(l);
    case LLM_ATTENTION: return check_attention(l);
    case LLM_OUT: return check_tokens(l, "x", &l->out_w, l->attended, l->x[0], l->x[1]);
    case LLM_UP: return check_tokens(l, "raised", &l->up_w, l->norm[1], 0, l->raised);
    case LLM_SWIGLU: return check_swiglu(l, NULL, token_n(l));
    case LLM_DOWN: return check_tokens(l, "x", &l->down_w, l->mixed, l->x[1], l->x[2]);
    case LLM_EXPERTS: return check_experts(l);
    case LLM_LOGITS: return check_logits(l);
    case LLM_SAMPLE: return check_sample(l);
    case LLM_SOFTMAX: return check_softmax(l);
    default: return check_all_reduce(l);
    }
}
