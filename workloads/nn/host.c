/* nn: the records nearest to a target, distances on the device and the choice of the nearest on the
 * host; streams, with a square root per record. Blocks of 256 threads, as the papers' nn. */
#include <math.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 256 };

/* Finds the k smallest distances, nearest first; among equals the earlier record first. */
static void choose_nearest(const float *distance, u32 n, u32 *nearest, u32 k)
{
    u32 found = 0;
    for (u32 i = 0; i < n; i++) {
        if (found == k && !(distance[i] < distance[nearest[k - 1]])) continue;
        u32 at = found < k ? found++ : k - 1;
        for (; at > 0 && distance[i] < distance[nearest[at - 1]]; at--)
            nearest[at] = nearest[at - 1];
        nearest[at] = i;
    }
}

static void nn_run(struct host *h)
{
    u32 n = (u32)host_integer(h, "records"), k = min_u32((u32)host_integer(h, "nearest"), n);
    float latitude = (float)host_number(h, "latitude");
    float longitude = (float)host_number(h, "longitude");
    u64 place_bytes = (u64)n * 2 * sizeof(float), distance_bytes = (u64)n * sizeof(float);
    float *place = host_memory(h, place_bytes), *distance = host_memory(h, distance_bytes);
    u32 *nearest = host_memory(h, k * sizeof *nearest);
    random_floats(host_seed(h), 0, 0.0f, 90.0f, 0, place, (u64)n * 2);
    u64 device_place = upload_bytes(h, "place", place, place_bytes);
    u64 device_distance = host_alloc(h, distance_bytes, "distance");
    const void *args[] = {&device_place, &device_distance, &n, &latitude, &longitude};
    host_launch(h, host_find(h, "nn"),
                (struct host_dim){(u32)div_up(n, BLOCK), 1, host_repeat(h)},
                (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_read(h, distance, device_distance, distance_bytes);
    choose_nearest(distance, n, nearest, k);

    if (!host_wants_check(h)) return;
    float *want = host_memory(h, distance_bytes);
    u32 *want_nearest = host_memory(h, k * sizeof *want_nearest);
    for (u32 i = 0; i < n; i++) {
        float north = place[2 * i] - latitude, east = place[2 * i + 1] - longitude;
        want[i] = sqrtf(fmaf(north, north, east * east));
    }
    choose_nearest(want, n, want_nearest, k);
    const char *why = verify_f32(h, "distance", 0, distance, want, n);
    if (!why) why = verify_u32(h, "nearest", 0, nearest, want_nearest, k);
    host_checked(h, !why, why);
}

static const struct workload_param nn_params[] = {
    {"records", 1048576, 30001, 4194304, 1, 1 << 25, "records"},
    {"nearest", 10, 5, 10, 1, 1000, "how many are chosen"},
    {"latitude", 30, 30, 30, 0, 90, "where the target is"},
    {"longitude", 60, 60, 60, 0, 90, "where the target is"},
    REPEAT_PARAM(1, 256),
    {0},
};
const struct workload workload_nn = {
    .name = "nn",
    .sentence = "the nearest of many places: distances on the device, choice on the host",
    .suite = "Rodinia",
    .algorithm = "k nearest neighbours by full scan (Cover and Hart, 1967)",
    .input = "pairs of floats drawn from [0, 90)",
    .params = nn_params,
    .run = nn_run,
};
