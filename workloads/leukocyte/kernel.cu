// Finds round cells in a picture: gicov gives each pixel the largest score over RADII circles
// around the pixel. The score of a circle is the squared mean over the variance of the picture's
// gradient along the circle's normals. dilate then gives each pixel the largest score in a disc
// around the pixel. The circles' points and normals are in constant memory.
// Algorithm: the gradient inverse coefficient of variation (Dong, Ray and Acton, Intravital
// leukocyte detection using the gradient inverse coefficient of variation, IEEE Trans. Medical
// Imaging 24, 2005); written from the formula.
enum { TILE = 16, RADII = 7, POINTS = 150, REACH = 12 };
struct circle_point {
    int x, y;
    float normal_x, normal_y;
};
__constant__ struct circle_point circles[RADII * POINTS];

// Pictures have a margin wide enough for circles and discs of the inner pixels.
extern "C" __global__ void gicov(const float *gradient_x, const float *gradient_y, float *scores,
                                 int columns, int rows, int margin)
{
    int x = blockIdx.x * TILE + threadIdx.x + margin;
    int y = blockIdx.y * TILE + threadIdx.y + margin;
    if (x >= columns - margin || y >= rows - margin) return;
    int at = y * columns + x;
    float best = 0.0f;
#pragma unroll 1
    for (int radius = 0; radius < RADII; ++radius) {
        float sum = 0.0f, squares = 0.0f;
#pragma unroll 3
        for (int k = 0; k < POINTS; ++k) {
            struct circle_point p = circles[radius * POINTS + k];
            int there = at + p.y * columns + p.x;
            float along = fmaf(gradient_x[there], p.normal_x, gradient_y[there] * p.normal_y);
            sum += along;
            squares = fmaf(along, along, squares);
        }
        float mean = sum * (1.0f / POINTS);
        float variance = fmaf(-mean, mean, squares * (1.0f / POINTS));
        best = fmaxf(best, mean * mean / variance);
    }
    scores[at] = best;
}

extern "C" __global__ void dilate(const float *scores, float *out, int columns, int rows,
                                  int margin)
{
    int x = blockIdx.x * TILE + threadIdx.x + margin;
    int y = blockIdx.y * TILE + threadIdx.y + margin;
    if (x >= columns - margin || y >= rows - margin) return;
    float best = 0.0f;
#pragma unroll 1
    for (int dy = -REACH; dy <= REACH; ++dy)
#pragma unroll 5
        for (int dx = -REACH; dx <= REACH; ++dx)
            if (dx * dx + dy * dy <= REACH * REACH)
                best = fmaxf(best, scores[(y + dy) * columns + x + dx]);
    out[y * columns + x] = best;
}
