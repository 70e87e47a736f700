#include "host/launch.h"

#include <string.h>

const char *launch_error(const struct program *p, const u32 grid[3], const u32 block[3],
                         struct text *why)
{
    for (u32 i = 0; i < 3; i++) {
        u32 most = i ? GRID_YZ_MAX : GRID_X_MAX;
        if (!grid[i] || !block[i]) {
            text_add(why, "%s [%u, %u, %u] has a side of zero", grid[i] ? "block" : "grid",
                     grid[i] ? block[0] : grid[0], grid[i] ? block[1] : grid[1],
                     grid[i] ? block[2] : grid[2]);
            return text_get(why);
        }
        if (grid[i] > most) {
            text_add(why, "grid [%u, %u, %u] is over the limit of [%u, %u, %u] blocks", grid[0],
                     grid[1], grid[2], GRID_X_MAX, GRID_YZ_MAX, GRID_YZ_MAX);
            return text_get(why);
        }
    }
    const u32 *required = p->required_block;
    if (required[0] && memcmp(block, required, sizeof p->required_block)) {
        text_add(why, "block [%u, %u, %u] is not [%u, %u, %u] (.reqntid of the kernel)", block[0],
                 block[1], block[2], required[0], required[1], required[2]);
        return text_get(why);
    }
    if (block[2] > BLOCK_Z_MAX) {
        text_add(why, "block [%u, %u, %u] is over the limit of %d threads in z", block[0], block[1],
                 block[2], BLOCK_Z_MAX);
        return text_get(why);
    }
    bool wide = block[0] > BLOCK_THREADS_MAX || block[1] > BLOCK_THREADS_MAX ||
                block[2] > BLOCK_THREADS_MAX;
    u64 threads = wide ? UINT32_MAX : (u64)block[0] * block[1] * block[2];
    u64 most =
        p->max_block_threads ? min_u64(p->max_block_threads, BLOCK_THREADS_MAX) : BLOCK_THREADS_MAX;
    if (threads <= most) return NULL;
    text_add(why, "block [%u, %u, %u] is over the limit of %llu threads%s", block[0], block[1],
             block[2], (unsigned long long)most,
             p->max_block_threads ? " (.maxntid of the kernel)" : "");
    return text_get(why);
}
