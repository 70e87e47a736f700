/* cutcp: electrostatic potential of charges in a box on the points of a lattice, within a cutoff;
 * compute with rsqrt over bins that pass through shared memory. Blocks of 8x2x8 threads with 4116
 * shared bytes, as the papers' cutcp (machine description section 6, row cp). The device's sums are
 * compared with sums in double precision. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/verify.h"

enum { POINTS = 8, PER_THREAD = 4, SLOTS = 8, BIN_FLOATS = 4 * SLOTS, MAX_NEIGHBOURS = 343 };
static const float SPACING = 0.5f, BIN_SIZE = POINTS * 0.5f; /* angstroms */
/* relative to the sizes of all terms: the error of rsqrt, and a rounding per term; most errors
 * cancel */
static const double TOLERANCE = 1e-6;

/* The lattice in regions. Bins lie in the same places, and `reach` more on every side: the lattice
 * is a piece out of a larger volume. */
struct box { u32 x, y, z, reach; };

/* Puts up to SLOTS charges of either sign anywhere in each bin; the rest of a bin is 0. */
static void fill_bins(u64 seed, const struct box *b, float *bins)
{
    u64 across = b->x + 2 * b->reach, down = b->y + 2 * b->reach, deep = b->z + 2 * b->reach;
    for (u64 bin = 0; bin < across * down * deep; bin++) {
        u64 at[3] = {bin % across, bin / across % down, bin / across / down};
        float *to = bins + bin * BIN_FLOATS;
        u32 n = 4 + random_below(seed, 0, bin, SLOTS - 3);
        random_floats(seed, 1, 0.0f, BIN_SIZE, bin * BIN_FLOATS, to, 4 * n);
        for (u32 i = 0; i < n; i++) {
            float *charge = to + 4 * i;
            for (u32 k = 0; k < 3; k++) charge[k] += ((float)at[k] - (float)b->reach) * BIN_SIZE;
            if (charge[3] < BIN_SIZE / 2) charge[3] -= BIN_SIZE; /* none is 0 */
        }
    }
}

/* Least distance in bins between a bin `away` along an axis and the region at 0. */
static s32 gap(s32 away) { return away == 0 ? 0 : (away < 0 ? -away : away) - 1; }

static u32 find_neighbours(const struct box *b, float cutoff, s32 to[MAX_NEIGHBOURS])
{
    s32 reach = (s32)b->reach, n = 0;
    s32 across = (s32)b->x + 2 * reach, down = (s32)b->y + 2 * reach;
    for (s32 z = -reach; z <= reach; z++)
        for (s32 y = -reach; y <= reach; y++)
            for (s32 x = -reach; x <= reach; x++) {
                float far = (float)(gap(x) * gap(x) + gap(y) * gap(y) + gap(z) * gap(z));
                if (far * BIN_SIZE * BIN_SIZE < cutoff * cutoff)
                    to[n++] = (z * down + y) * across + x;
            }
    return (u32)n;
}

/* Adds a charge to the points around, in double precision. A rounding of s, near 1 at most, weighs
 * twice s in the term: hence q / r s for the size of the term's error. */
static void add_charge(const struct box *b, const float *charge, double cutoff, double *want,
                       double *scale)
{
    u64 size[3] = {b->x * POINTS, b->y * POINTS, b->z * POINTS}, low[3], high[3];
    for (u32 k = 0; k < 3; k++) {
        double from = ceil((charge[k] - cutoff) / SPACING);
        double end = floor((charge[k] + cutoff) / SPACING) + 1.0;
        low[k] = from > 0.0 ? (u64)from : 0;
        high[k] = end > 0.0 ? min_u64((u64)end, size[k]) : 0;
    }
    for (u64 z = low[2]; z < high[2]; z++)
        for (u64 y = low[1]; y < high[1]; y++)
            for (u64 x = low[0]; x < high[0]; x++) {
                double dx = charge[0] - (double)x * SPACING, dy = charge[1] - (double)y * SPACING;
                double dz = charge[2] - (double)z * SPACING, r2 = dx * dx + dy * dy + dz * dz;
                double s = 1.0 - r2 / (cutoff * cutoff);
                if (s <= 0.0) continue;
                double linear = charge[3] / sqrt(r2) * s;
                u64 i = (z * size[1] + y) * size[0] + x;
                want[i] += linear * s;
                scale[i] += fabs(linear);
            }
}

static void cutcp_run(struct host *h)
{
    struct box b = {(u32)host_integer(h, "x"), (u32)host_integer(h, "y"),
                    (u32)host_integer(h, "z"), 0};
    float cutoff = (float)host_number(h, "cutoff"), narrowing = 1.0f / (cutoff * cutoff);
    b.reach = (u32)ceilf(cutoff / BIN_SIZE);
    u64 bin_n = (u64)(b.x + 2 * b.reach) * (b.y + 2 * b.reach) * (b.z + 2 * b.reach);
    u64 point_n = (u64)b.x * b.y * b.z * POINTS * POINTS * POINTS;
    u64 bin_bytes = bin_n * BIN_FLOATS * sizeof(float), point_bytes = point_n * sizeof(float);
    float *bins = host_memory(h, bin_bytes);
    fill_bins(host_seed(h), &b, bins);
    s32 neighbours[MAX_NEIGHBOURS] = {0};
    u32 neighbour_n = find_neighbours(&b, cutoff, neighbours);

    u64 device_bins = host_alloc(h, bin_bytes, "bins");
    u64 device_lattice = host_alloc(h, point_bytes, "lattice");
    host_write(h, device_bins, bins, bin_bytes);
    host_write(h, host_symbol(h, "neighbours", NULL), neighbours, sizeof neighbours);
    const void *args[] = {&device_bins, &device_lattice, &neighbour_n, &b.reach, &SPACING,
                          &narrowing};
    host_launch(h, host_find(h, "cutcp"), (struct host_dim){b.x, b.y, b.z},
                (struct host_dim){POINTS, POINTS / PER_THREAD, POINTS}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    float *got = host_memory(h, point_bytes);
    double *want = host_memory(h, point_n * sizeof *want);
    double *scale = host_memory(h, point_n * sizeof *scale);
    host_read(h, got, device_lattice, point_bytes);
    for (u64 i = 0; i < bin_n * SLOTS; i++)
        if (bins[4 * i + 3] != 0.0f) add_charge(&b, bins + 4 * i, cutoff, want, scale);
    const char *why =
        verify_f32_near(h, "potential", 0, got, want, scale, point_n, TOLERANCE);
    host_checked(h, !why, why);
}

static const struct workload_param cutcp_params[] = {
    {"x", 4, 2, 16, 1, 32, "regions of 8 lattice points along x"},
    {"y", 4, 1, 16, 1, 32, "regions along y"},
    {"z", 2, 3, 32, 1, 32, "regions along z"},
    {"cutoff", 6, 5.25, 12, 1, 12, "how far a charge reaches, angstroms"},
    {0},
};
const struct workload workload_cutcp = {
    .name = "cutcp",
    .sentence = "potential of charges on a lattice within a cutoff, bins in shared memory",
    .suite = "Parboil",
    .algorithm = "direct summation over spatial bins with a smooth cutoff (Hardy, Stone and "
                 "Schulten, 2009)",
    .input = "4 to 8 charges of either sign at random places of each 4 angstrom cube",
    .params = cutcp_params,
    .run = cutcp_run,
};
