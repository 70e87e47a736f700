/* Fetch: which warps get instructions into their buffer; issue.c takes them out. What a warp wants
 * is a bit, set when its buffer becomes empty.
 *
 * Model: round robin over the warp slots from the one after the last; a warp is fetched for
 * when its buffer is empty, also while it waits at a barrier; the instruction cache always
 * hits. Fetched in t is decoded in t + 1 and can issue in t + 2, since a cycle runs issue,
 * decode, fetch. With several fetches a cycle, decode and fetch take turns in it: all but the
 * last are decoded in t (GPGPU-Sim, machine description 2.2). */
#include "chip/sm/state.h"

static u32 fetch_next(const struct sm *sm)
{
    u32 half = sm->fetched / 64, bit = sm->fetched % 64;
    u64 above = sm->want[half] & (bit == 63 ? 0 : ~0ull << (bit + 1));
    if (above) return half * 64 + (u32)__builtin_ctzll(above);
    u32 other = half ^ 1;
    if (sm->want[other]) return other * 64 + (u32)__builtin_ctzll(sm->want[other]);
    return half * 64 + (u32)__builtin_ctzll(sm->want[half]);
}

void fetch_tick(struct sm *sm, u64 now)
{
    u32 room = min_u32(sm->conf->fetch_instructions, sm->conf->ibuffer);
    for (u32 n = sm->conf->fetch_warps; n && fetch_wanted(sm); n--) {
        u32 id = fetch_next(sm);
        struct seat *s = &sm->seats[id];
        sm->want[id / 64] &= ~(1ull << (id % 64));
        sm->fetched = id;
        s->buffered = (u8)room;
        s->not_before = max_u64(s->not_before, n > 1 ? now + 1 : now + 2);
        wheel_set(sm, s, s->not_before, now);
    }
}
