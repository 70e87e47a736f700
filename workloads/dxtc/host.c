/* dxtc: DXT1 compression of an image by exhaustive search of the end colours; compute in integers
 * with hardly any memory traffic. Blocks of 64 threads, as the papers' dxtc (machine description
 * section 6, row dc). */
#include <math.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/verify.h"

enum { PIXELS = 16, BLOCK = 64, RGB = 3, POWER_STEPS = 8, CUTS = 965 };
enum { LEVELS_R = 31, LEVELS_G = 63, LEVELS_B = 31 };

/* Lists the ways to cut 16 ordered pixels into four groups, without cuts that leave all in a group.
 * */
static u32 make_cuts(u32 to[CUTS])
{
    u32 n = 0;
    for (u32 k = 0; k <= PIXELS; k++)
        for (u32 j = 0; j <= k; j++)
            for (u32 i = 0; i <= j; i++)
                if (i < PIXELS && j - i < PIXELS && k - j < PIXELS && k > 0)
                    to[n++] = i | j << 8 | k << 16;
    return n;
}

/* 4x4 pixels, one after another: near a line between two colours, each a bit off the line. */
static void make_block(u64 seed, u64 block, u32 pixels[PIXELS])
{
    u32 end[4];
    random_words(seed, 0, 0, block, end);
    for (u32 i = 0; i < PIXELS; i++) {
        u32 words[4], rgb = 0;
        random_words(seed, 1, i, block, words);
        for (u32 c = 0; c < RGB; c++) {
            u32 a = end[0] >> 8 * c & 255, b = end[1] >> 8 * c & 255, along = words[3] & 255;
            u32 colour = (a * along + b * (255 - along)) / 255 + words[c] % 17;
            rgb |= min_u32(colour, 255) << 8 * c;
        }
        pixels[i] = rgb;
    }
}

static s32 channel(u32 rgb, u32 c) { return (s32)(rgb >> 8 * c & 255); }

static float dot(const float a[RGB], const float b[RGB])
{
    return fmaf(a[0], b[0], fmaf(a[1], b[1], a[2] * b[2]));
}

/* Sorts the pixels along the axis of largest variance. */
static void sort_pixels(const u32 pixels[PIXELS], u32 sorted[PIXELS])
{
    float matrix[RGB][RGB], axis[RGB] = {1.0f, 1.0f, 1.0f}, along[PIXELS];
    s32 sum[RGB] = {0};
    for (u32 i = 0; i < PIXELS; i++)
        for (u32 c = 0; c < RGB; c++) sum[c] += channel(pixels[i], c);
    for (u32 c = 0; c < RGB; c++)
        for (u32 d = 0; d < RGB; d++) {
            s32 moment = 0;
            for (u32 i = 0; i < PIXELS; i++)
                moment += (PIXELS * channel(pixels[i], c) - sum[c])
                          * (PIXELS * channel(pixels[i], d) - sum[d]);
            matrix[c][d] = (float)moment;
        }
    for (u32 step = 0; step < POWER_STEPS; step++) {
        float next[RGB], size = 0.0f;
        for (u32 c = 0; c < RGB; c++) size = fmaxf(size, fabsf(next[c] = dot(matrix[c], axis)));
        if (size == 0.0f) break;
        for (u32 c = 0; c < RGB; c++) axis[c] = next[c] / size;
    }
    for (u32 i = 0; i < PIXELS; i++) {
        float rgb[RGB] = {(float)channel(pixels[i], 0), (float)channel(pixels[i], 1),
                          (float)channel(pixels[i], 2)};
        float here = dot(rgb, axis);
        u32 place = i; /* insertion: equal pixels stay in order */
        for (; place > 0 && along[place - 1] > here; place--) {
            along[place] = along[place - 1];
            sorted[place] = sorted[place - 1];
        }
        along[place] = here;
        sorted[place] = pixels[i];
    }
}

/* Returns the level of an end colour for least squares, and the 8 bits of the level. */
static u32 round_to(s32 numerator, float scale, u32 levels)
{
    return (u32)fmaf(fminf(fmaxf((float)numerator * scale, 0.0f), 1.0f), (float)levels, 0.5f);
}

static s32 widen(u32 level, u32 levels)
{
    return (s32)(levels == LEVELS_G ? level << 2 | level >> 4 : level << 3 | level >> 2);
}

/* Returns nine times the squared error of a cut with rounded ends, pixel by pixel. */
static s64 try_cut(const u32 sorted[PIXELS], u32 cut, u32 ends[2])
{
    static const u32 levels[RGB] = {LEVELS_R, LEVELS_G, LEVELS_B}, shift[RGB] = {11, 5, 0};
    s32 weight[PIXELS], aa = 0, ab = 0, bb = 0; /* weight of the first end in thirds */
    for (u32 i = 0; i < PIXELS; i++) {
        weight[i] = (i < (cut & 255)) + (i < (cut >> 8 & 255)) + (i < cut >> 16);
        aa += weight[i] * weight[i];
        ab += weight[i] * (3 - weight[i]);
        bb += (3 - weight[i]) * (3 - weight[i]);
    }
    float scale = 3.0f / (255.0f * (float)(aa * bb - ab * ab));
    s64 error = 0;
    ends[0] = ends[1] = 0;
    for (u32 c = 0; c < RGB; c++) {
        s32 pa = 0, pb = 0;
        for (u32 i = 0; i < PIXELS; i++) {
            pa += weight[i] * channel(sorted[i], c);
            pb += (3 - weight[i]) * channel(sorted[i], c);
        }
        u32 first = round_to(pa * bb - pb * ab, scale, levels[c]);
        u32 last = round_to(pb * aa - pa * ab, scale, levels[c]);
        ends[0] |= first << shift[c];
        ends[1] |= last << shift[c];
        for (u32 i = 0; i < PIXELS; i++) {
            s64 off = weight[i] * widen(first, levels[c]) + (3 - weight[i]) * widen(last, levels[c])
                      - 3 * channel(sorted[i], c);
            error += off * off;
        }
    }
    return error;
}

/* Codes of the pixels for two ends, the larger end first. */
static void encode(const u32 pixels[PIXELS], const u32 ends[2], u32 to[2])
{
    u32 high = ends[0] > ends[1] ? ends[0] : ends[1], low = min_u32(ends[0], ends[1]);
    to[0] = high | low << 16;
    to[1] = 0;
    for (u32 i = 0; i < PIXELS && high != low; i++) {
        u32 best = 0;
        s32 least = INT32_MAX;
        for (u32 code = 0; code < 4; code++) {
            static const s32 weight[4] = {3, 0, 2, 1};
            s32 far = 0;
            for (u32 c = 0; c < RGB; c++) {
                u32 level_n = c == 1 ? LEVELS_G : LEVELS_R, at = c == 0 ? 11 : c == 1 ? 5 : 0;
                s32 mix = weight[code] * widen(high >> at & level_n, level_n)
                          + (3 - weight[code]) * widen(low >> at & level_n, level_n);
                s32 off = channel(pixels[i], c) - mix / 3;
                far += off * off;
            }
            if (far < least) {
                least = far;
                best = code;
            }
        }
        to[1] |= best << 2 * i;
    }
}

static void compress(const u32 pixels[PIXELS], const u32 *cuts, u32 to[2])
{
    u32 sorted[PIXELS], best[2] = {0}, ends[2];
    s64 least = INT64_MAX;
    sort_pixels(pixels, sorted);
    for (u32 n = 0; n < CUTS; n++) {
        s64 error = try_cut(sorted, cuts[n], ends);
        if (error >= least) continue;
        least = error;
        best[0] = ends[0];
        best[1] = ends[1];
    }
    encode(pixels, best, to);
}

static void dxtc_run(struct host *h)
{
    u32 blocks = (u32)host_integer(h, "blocks"), cuts[CUTS], cut_n = make_cuts(cuts);
    u64 image_bytes = (u64)blocks * PIXELS * sizeof(u32), out_bytes = (u64)blocks * 2 * sizeof(u32);
    u32 *image = host_memory(h, image_bytes);
    for (u64 i = 0; i < blocks; i++) make_block(host_seed(h), i, image + i * PIXELS);
    u64 device_image = host_alloc(h, image_bytes, "image");
    u64 device_cuts = host_alloc(h, sizeof cuts, "cuts");
    u64 device_out = host_alloc(h, out_bytes, "out");
    host_write(h, device_image, image, image_bytes);
    host_write(h, device_cuts, cuts, sizeof cuts);
    const void *args[] = {&device_image, &device_cuts, &cut_n, &device_out};
    host_launch(h, host_find(h, "dxtc"), (struct host_dim){blocks, host_repeat(h), 1},
                (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    u32 *got = host_memory(h, out_bytes), *want = host_memory(h, out_bytes);
    host_read(h, got, device_out, out_bytes);
    for (u64 i = 0; i < blocks; i++) compress(image + i * PIXELS, cuts, want + 2 * i);
    const char *why = verify_u32(h, "out", 0, got, want, (u64)blocks * 2);
    host_checked(h, !why, why);
}

static const struct workload_param dxtc_params[] = {
    {"blocks", 512, 21, 16384, 1, 1 << 20, "blocks of 4x4 pixels"},
    REPEAT_PARAM(2, 64),
    {0},
};
const struct workload workload_dxtc = {
    .name = "dxtc",
    .sentence = "DXT1 texture compression, exhaustive search of end colours",
    .suite = "CUDA SDK",
    .algorithm = "cluster fit over pixels sorted along their principal axis",
    .input = "an image of 4x4 blocks, the pixels of each near a line between two random colours",
    .params = dxtc_params,
    .run = dxtc_run,
};
