/* The SM as a whole: its parts made, one cycle of it, its L1's lines dropped at a kernel's start.
 */
#include "chip/sm/sm.h"

#include <stdlib.h>

static void costs_init(struct sm *sm)
{
#define COST(id, name, l, i)                                                                       \
    sm->latency[COST_##id] = sm->cost->name##_latency;                                             \
    sm->initiation[COST_##id] = sm->cost->name##_initiation;
#include "chip/sm/cost_conf.def"
#undef COST
}

void sm_init(struct sm *sm, u32 id, const struct sm_conf *conf, const struct cost_conf *cost,
             const struct l1_conf *l1, const struct map *map, struct req_pool *pool, bool skip,
             double mhz, struct arena *arena)
{
    *sm = (struct sm){.conf = conf,
                      .cost = cost,
                      .map = map,
                      .pool = pool,
                      .id = id,
                      .skip = skip,
                      .ticked = NEVER,
                      .ns_per_cycle = 1000.0 / mhz};
    u32 warps = conf->threads / LANES;
    check(warps && warps <= SM_WARPS_MAX && conf->blocks <= SM_BLOCKS_MAX);
    check(div_up(warps, conf->schedulers) <= 64);
    costs_init(sm);
    sm->unit_n[UNIT_SP] = conf->sp_units;
    sm->unit_n[UNIT_SFU] = conf->sfu_units;
    sm->unit_n[UNIT_MEM] = 1;
    sm->slots = arena_array(arena, struct slot, warps);
    for (u32 k = 0; k < warps; k++) {
        sm->slots[k].wait = WAIT_EMPTY;
        sm->free_slots[k / 64] |= 1ull << (k % 64);
    }
    sm->free_blocks = conf->blocks == 64 ? ~0ull : (1ull << conf->blocks) - 1;
    for (u32 k = 0; k < SCHEDULERS_MAX; k++) sm->scheduler[k].last = UINT32_MAX;
    sm->retired = arena_array(arena, struct retired, SM_BLOCKS_MAX);
    l1_init(&sm->l1, l1, pool, arena);
    ldst_init(sm, arena);
}

void sm_free(struct sm *sm)
{
    for (u32 k = 0; k < SM_BLOCKS_MAX; k++) free(sm->resident[k].memory);
}

void sm_tick(struct sm *sm, u64 now)
{
    sm_settle(sm, now);
    ldst_tick(sm, now);
    issue_tick(sm, now);
    sm->ticked = now;
}
