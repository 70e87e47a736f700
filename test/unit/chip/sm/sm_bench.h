/* Test bench: an SM with one scheduler, blocks of a kernel in PTX, a memory that answers after a
 * delay, and a log of the issuing warp slot of each cycle. */
#ifndef TEST_SM_BENCH_H
#define TEST_SM_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chip/sm/sm.h"
#include "gpu/machine/machine.h"
#include "ptx/ptx.h"
#include "test/unit/machine_set.h"

enum { LOG_MAX = 4000, NOBODY_ISSUED = 255, MEMORY_CYCLES = 300 };
struct sm_bench {
    struct arena arena;
    struct fail fail;
    struct source source;
    struct module *module;
    struct machine machine;
    struct req_pool pool;
    struct sm_common common;
    struct map map;
    struct image image;
    struct sm sm;
    struct work work;
    u64 param[4], now, buffer;
    u8 log[LOG_MAX];  /* warp slot with an issue */
    u32 pc[LOG_MAX];  /* program counter of the instruction */
    u32 away[256];    /* requests under way, and their reply cycles */
    u64 back[256];
    u32 away_head, away_n;
};

/* Sets up the bench; `sets`: options as "key=value key=value". */
static inline void sm_bench_init(struct sm_bench *b, const char *ptx, const char *sets)
{
    memset(b, 0, sizeof *b);
    arena_init(&b->arena);
    image_init(&b->image, NULL);
    b->source = (struct source){"test.ptx", ptx, strlen(ptx)};
    b->module = ptx_parse(&b->source, &b->arena, &b->fail);
    assert_non_null(b->module);
    conf_defaults(&b->machine, machine_rows, machine_row_n);
    machine_set_all(&b->machine, "sm.schedulers=1 sm.threads=2048");
    machine_set_all(&b->machine, sets);
    enum { REQS = 8 * REQ_BATCH };
    const struct machine *m = &b->machine;
    map_init(&b->map, &b->arena, &m->map, m->dram.banks);
    req_pool_init(&b->pool, arena_array(&b->arena, struct req, REQS), REQS);
    sm_common_init(&b->common, &m->sm, &m->cost, &m->l1, &m->tex, &b->map, &b->pool, true,
                   1000);
    sm_init(&b->sm, 0, &b->common, &b->arena);
    b->buffer = image_alloc(&b->image, 65536, "buffer");
}

static inline void sm_bench_admit(struct sm_bench *b, const char *kernel, u32 threads)
{
    u32 index = ptx_kernel_find(b->module, kernel);
    assert_true(index != UINT32_MAX);
    struct program *p = ptx_lower(b->module, index, &b->arena, &b->fail);
    assert_non_null(p);
    assert_true(exec_bind(p));
    b->param[0] = b->buffer;
    b->work = (struct work){.grid = {.program = p, .image = &b->image, .param = (u8 *)b->param,
                                     .timer = b->common.timer, .size = {1, 1, 1},
                                     .block = {threads, 1, 1}, .threads = threads,
                                     .warps = (u32)div_up(threads, LANES), .sm_n = 1,
                                     .shared_bytes = p->shared_bytes,
                                     .independent = b->common.conf->independent_threads},
                            .need = {.threads = threads, .registers = 1, .blocks = 1}};
    sm_admit(&b->sm, &b->work, 0, b->now++);
}

static inline void sm_bench_memory(struct sm_bench *b)
{
    if (sm_peek(&b->sm) != REQ_NONE) {
        u32 at = (b->away_head + b->away_n++) % 256;
        b->away[at] = sm_peek(&b->sm);
        b->back[at] = b->now + MEMORY_CYCLES;
        sm_pop(&b->sm, b->now);
    }
    if (b->away_n && b->back[b->away_head] <= b->now && sm_push(&b->sm, b->away[b->away_head], 0)) {
        b->away_head = (b->away_head + 1) % 256;
        b->away_n--;
    }
}

static inline void sm_bench_tick(struct sm_bench *b)
{
    const struct scheduler *q = &b->sm.front.scheduler[0];
    u64 issued = b->sm.stat[0].inst_warp;
    u32 pc[SM_WARPS_MAX];
    u8 slot[64];
    for (u32 r = 0; r < q->n; r++) {
        slot[r] = q->by_rank[r].seat;
        pc[slot[r]] = b->sm.front.seats[slot[r]].context->warp.pc;
    }
    sm_tick(&b->sm, b->now);
    req_settle(b->sm.lsu.l1.requests);
    sm_drain(&b->sm);
    assert_true(b->now < LOG_MAX);
    b->log[b->now] = NOBODY_ISSUED;
    if (b->sm.stat[0].inst_warp > issued && q->last < 64) {
        b->log[b->now] = slot[q->last];
        b->pc[b->now] = pc[slot[q->last]];
    }
    sm_bench_memory(b);
    b->now++;
}

static inline void sm_bench_run(struct sm_bench *b, u64 cycles)
{
    while (cycles--) sm_bench_tick(b);
}

/* Returns the cycle of a warp slot's n-th issue (from 1); NEVER: none. */
static inline u64 sm_bench_issue(const struct sm_bench *b, u32 slot, u32 n)
{
    for (u64 t = 1; t < b->now; t++)
        if (b->log[t] == slot && !--n) return t;
    return NEVER;
}

static inline void sm_bench_free(struct sm_bench *b)
{
    sm_free(&b->sm);
    sm_common_free(&b->common);
    image_free(&b->image);
    fail_free(&b->fail);
    arena_free(&b->arena);
}

#endif
