/* The SM as a whole: its parts made, one cycle of it, its L1's lines dropped at a kernel's start.
 */
#include "chip/sm/sm.h"

#include <stdlib.h>

void sm_common_init(struct sm_common *c, const struct sm_conf *conf, const struct cost_conf *cost,
                    const struct l1_conf *l1, const struct map *map, struct req_pool *pool,
                    bool skip, double mhz)
{
    *c = (struct sm_common){.conf = conf,
                            .l1 = l1,
                            .map = map,
                            .pool = pool,
                            .skip = skip,
                            .round_shift = (u32)__builtin_ctz(conf->register_ports),
                            .ns_per_cycle = 1000.0 / mhz};
#define COST(id, name, l, i, p)                                                                    \
    c->cost[COST_##id] = (struct timing){cost->name##_latency, cost->name##_initiation};           \
    c->pipe_of[UNIT_SP][COST_##id] = PIPE_##p;
#include "chip/sm/cost_conf.def"
#undef COST
    for (u32 k = 0; k < COST_N; k++) {
        u8 *p = &c->pipe_of[UNIT_SP][k];
        if (*p == PIPE_INT && !conf->int_units) *p = PIPE_SP;
        if (*p == PIPE_DP && !conf->dp_units) *p = PIPE_SFU;
        c->pipe_of[UNIT_SFU][k] = *p;
        c->pipe_of[UNIT_MEM][k] = PIPE_MEM;
    }
    c->pipe_n = conf->dp_units ? PIPE_N : conf->int_units ? PIPE_DP : PIPE_INT;
}

static void schedulers_init(struct sm *sm, struct arena *arena)
{
    struct front *fronts = front_new(sm->conf, arena);
    for (u32 k = 0; k < sm->conf->schedulers; k++) {
        sm->scheduler[k].last = UINT32_MAX;
        sm->scheduler[k].front = &fronts[sm->conf->sub_cores ? k : 0];
    }
}

void sm_init(struct sm *sm, u32 id, struct sm_common *common, struct arena *arena)
{
    const struct sm_conf *conf = common->conf;
    *sm = (struct sm){.common = common, .conf = conf, .id = id};
    u32 warps = conf->threads / LANES;
    check(warps && warps <= SM_WARPS_MAX && conf->blocks <= SM_BLOCKS_MAX);
    check(div_up(warps, conf->schedulers) <= 64);
    schedulers_init(sm, arena);
    sm->fetched = warps - 1;
    sm->issue_way = conf->schedulers;
    sm->slots = arena_array(arena, struct slot, warps + APPS_MAX);
    for (u32 k = 0; k < warps + APPS_MAX; k++) sm->slots[k].wait = WAIT_EMPTY;
    for (u32 k = 0; k < warps; k++) sm->free_slots[k / 64] |= 1ull << (k % 64);
    for (u32 a = 0; a < APPS_MAX; a++) { /* of nobody: see park.c */
        struct slot *s = &sm->slots[warps + a];
        s->app_id = (u8)a;
        s->scheduler = SCHEDULERS_MAX;
        s->transfers = 1u << 31;
    }
    sm->free_blocks = conf->blocks == 64 ? ~0ull : (1ull << conf->blocks) - 1;
    sm->retired = arena_array(arena, struct retired, SM_BLOCKS_MAX);
    l1_init(&sm->l1, common->l1, &(struct l1_wiring){common->map, id}, common->pool, arena);
    ldst_init(sm, arena);
}

void sm_free(struct sm *sm)
{
    for (u32 k = 0; k < SM_BLOCKS_MAX; k++) free(sm->resident[k].memory);
}

void sm_tick(struct sm *sm, u64 now)
{
    ldst_tick(sm, now);
    if (issue_due(sm, now)) issue_tick(sm, now);
    if (fetch_wanted(sm)) fetch_tick(sm, now);
}
