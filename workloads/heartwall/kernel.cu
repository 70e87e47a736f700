// Tracks points of a moving picture by their surroundings: a block per point compares the point's
// template with every position of a search window by normalised cross-correlation, moves the point
// to the best position and mixes the pixels there into the template. Template, window and scores
// are in shared memory; a thread computes the scores of every 256th position.
// A score is the square of the correlation with the correlation's sign: without the root the order
// is the same.
// Algorithm: template matching by normalised cross-correlation (Lewis, Fast normalized
// cross-correlation, 1995) with an adapted template, as Szafaryn, Skadron and Saucerman track heart
// walls (Experiences accelerating MATLAB systems biology applications, 2009); written from the
// descriptions.
enum { BLOCK = 256, SIDE = 25, REACH = 10, PLACES = 2 * REACH + 1, WINDOW = SIDE + 2 * REACH };

// Score of the template (mean 0, squares sum to `power`) at a position of the window.
static __device__ float score(const float *pattern, float power, const float *window)
{
    float product = 0.0f, sum = 0.0f, squares = 0.0f;
    for (int y = 0; y < SIDE; ++y)
#pragma unroll 5
        for (int x = 0; x < SIDE; ++x) {
            float pixel = window[y * WINDOW + x];
            product = fmaf(pattern[y * SIDE + x], pixel, product);
            sum += pixel;
            squares = fmaf(pixel, pixel, squares);
        }
    float variance = fmaf(sum * (-1.0f / (SIDE * SIDE)), sum, squares);
    return product * fabsf(product) / (variance * power);
}

// Subtracts the mean from the template; returns the new sum of squares, in all threads.
static __device__ float centre(float *pattern, float *partial)
{
    float sum = 0.0f, squares = 0.0f;
    if (threadIdx.x == 0) {
        for (int i = 0; i < SIDE * SIDE; ++i) sum += pattern[i];
        partial[0] = sum / (SIDE * SIDE);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < SIDE * SIDE; i += BLOCK) pattern[i] -= partial[0];
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < SIDE * SIDE; ++i) squares = fmaf(pattern[i], pattern[i], squares);
        partial[0] = squares;
    }
    __syncthreads();
    return partial[0];
}

// Puts the position of the best score, the first of several, into best[0].
static __device__ void find_best(const float *scores, float *best_score, int *best)
{
    int t = threadIdx.x;
    best[t] = t;
    for (int i = t + BLOCK; i < PLACES * PLACES; i += BLOCK)
        if (scores[i] > scores[best[t]]) best[t] = i;
    best_score[t] = scores[best[t]];
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t >= half) continue;
        float other = best_score[t + half];
        if (other > best_score[t] || (other == best_score[t] && best[t + half] < best[t])) {
            best_score[t] = other;
            best[t] = best[t + half];
        }
    }
    __syncthreads();
}

extern "C" __global__ void heartwall(const float *picture, int columns, int2 *points,
                                     float *templates, float keep)
{
    __shared__ float pattern[SIDE * SIDE], window[WINDOW * WINDOW], scores[PLACES * PLACES];
    __shared__ float partial[BLOCK];
    __shared__ int best[BLOCK];
    int t = threadIdx.x;
    int2 point = points[blockIdx.x]; // the window's centre
    float *mine = templates + blockIdx.x * (SIDE * SIDE);
    const float *corner = picture + (point.y - WINDOW / 2) * columns + point.x - WINDOW / 2;
    for (int i = t; i < SIDE * SIDE; i += BLOCK) pattern[i] = mine[i];
    for (int i = t; i < WINDOW * WINDOW; i += BLOCK)
        window[i] = corner[i / WINDOW * columns + i % WINDOW];
    __syncthreads();
    float power = centre(pattern, partial);
    for (int i = t; i < PLACES * PLACES; i += BLOCK)
        scores[i] = score(pattern, power, window + i / PLACES * WINDOW + i % PLACES);
    __syncthreads();
    find_best(scores, partial, best);
    int dx = best[0] % PLACES, dy = best[0] / PLACES;
    for (int i = t; i < SIDE * SIDE; i += BLOCK) {
        float pixel = window[(i / SIDE + dy) * WINDOW + i % SIDE + dx];
        mine[i] = fmaf(keep, mine[i] - pixel, pixel);
    }
    if (t == 0) points[blockIdx.x] = make_int2(point.x + dx - REACH, point.y + dy - REACH);
}
