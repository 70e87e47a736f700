#include "exec/lanes.h"

void lanes_blend32(u32 *to, const u32 *from, u32 mask)
{
    LANE_LOOP to[l] = mask & 1u << l ? from[l] : to[l];
}

void lanes_blend64(u64 *to, const u64 *from, u32 mask)
{
    LANE_LOOP to[l] = mask & 1u << l ? from[l] : to[l];
}
