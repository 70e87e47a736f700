/* Cycle-exact front end of an SM: fetch, branches, pipeline registers, collectors, banks, units,
 * orders of the schedulers. Each trial lists the cycles with an issue; one cycle earlier or later
 * is an error. The block starts in cycle 0, so its first fetch is in cycle 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "chip/sm/port/class_order.h"
#include "chip/sm/lsu/pending.h"
#include "chip/sm/front/scheduler.h"
#include "chip/sm/sm.h"
#include "gpu/machine/machine.h"
#include "ptx/ptx.h"
#include "test/unit/machine_set.h"

#define KERNEL(name)                                                                               \
    ".visible .entry " name "(.param .u64 a)\n{\n .local .align 4 .b8 keep[4];\n"                  \
    " .reg .b32 %r<40>; .reg .f32 %f<20>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
#define MOVES                                                                                      \
    " mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3; mov.u32 %r4, 4; mov.u32 %r5, 5;"             \
    " mov.u32 %r6, 6; mov.u32 %r7, 7; mov.u32 %r8, 8;\n"
/* behind the instructions under test; keeps all registers alive, so that each has a row of its
 * own */
#define USE                                                                                        \
    " add.s32 %r1, %r1, %r2; add.s32 %r1, %r1, %r3; add.s32 %r1, %r1, %r4;"                        \
    " add.s32 %r1, %r1, %r5; add.s32 %r1, %r1, %r6; add.s32 %r1, %r1, %r7;"                        \
    " add.s32 %r1, %r1, %r8; st.local.u32 [keep], %r1; ret;\n}\n"

static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
    KERNEL("empty") " ret;\n}\n"
    KERNEL("moves") MOVES USE
    KERNEL("first") " bra L; mov.u32 %r2, 1;\n L: " MOVES USE
    KERNEL("second") " mov.u32 %r9, 1; bra L; mov.u32 %r2, 1;\n L: " MOVES
        " add.s32 %r1, %r1, %r9;" USE
    KERNEL("mad") MOVES " mad.lo.s32 %r1, %r2, %r3, %r4; add.s32 %r1, %r1, %r5;" USE
    KERNEL("adds") MOVES
        " add.s32 %r9, %r1, %r2; add.s32 %r10, %r2, %r3; add.s32 %r11, %r3, %r4;"
        " add.s32 %r12, %r4, %r5; add.s32 %r13, %r5, %r6;"
        " add.s32 %r1, %r9, %r10; add.s32 %r2, %r11, %r12; add.s32 %r3, %r13, %r3;" USE
    KERNEL("roots") " rsqrt.approx.f32 %f1, 0f3F800000; rsqrt.approx.f32 %f2, 0f40000000;"
        " rsqrt.approx.f32 %f3, 0f40400000; rsqrt.approx.f32 %f4, 0f40800000;"
        " rsqrt.approx.f32 %f5, 0f40A00000; add.f32 %f1, %f1, %f2; add.f32 %f3, %f3, %f4;"
        " add.f32 %f1, %f1, %f3; add.f32 %f1, %f1, %f5; mov.b32 %r8, %f1;" MOVES USE
    KERNEL("loads") " ld.param.u64 %rd1, [a]; mov.u32 %r9, 1; ld.param.u64 %rd2, [a];"
        " add.s64 %rd1, %rd1, %rd2; cvt.u32.u64 %r10, %rd1; add.s32 %r9, %r9, %r10;" MOVES
        " add.s32 %r1, %r1, %r9;" USE
    KERNEL("atomic") " .shared .align 4 .b8 word[4]; mov.u32 %r9, word;"
        " red.shared.add.u32 [%r9], 1;" MOVES USE
    /* warp 0: atomics of 32 cycles each, then moves; warp 1: moves */
    KERNEL("apart") " .shared .align 4 .b8 word[4]; mov.u32 %r9, %tid.x; setp.gt.u32 %p1, %r9, 31;"
        " @%p1 bra L; mov.u32 %r9, word; red.shared.add.u32 [%r9], 1;"
        " red.shared.add.u32 [%r9], 1; red.shared.add.u32 [%r9], 1; L: " MOVES USE
    /* warp 0: atomics; warp 1: moves, then as many atomics */
    KERNEL("later") " .shared .align 4 .b8 word[4]; mov.u32 %r9, %tid.x; setp.lt.u32 %p1, %r9, 32;"
        " mov.u32 %r9, word; @%p1 bra L; mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3;"
        " mov.u32 %r4, 4; L: red.shared.add.u32 [%r9], 1; red.shared.add.u32 [%r9], 1;"
        " red.shared.add.u32 [%r9], 1; " MOVES USE
    /* a product, three moves after it, and a reader of the last move */
    KERNEL("mixed") " mov.u32 %r1, 1; mad.lo.s32 %r9, %r1, %r1, %r1; mov.u32 %r10, 1;"
        " mov.u32 %r11, 2; mov.u32 %r12, 3; add.s32 %r1, %r12, %r1; add.s32 %r1, %r1, %r11;"
        " add.s32 %r1, %r1, %r10; add.s32 %r1, %r1, %r9;" MOVES USE
    /* %r5 and %r9 have odd numbers, but are neighbours after allocation */
    KERNEL("names") " mov.u32 %r5, 1; mov.u32 %r9, 2; add.s32 %r1, %r5, %r9; mov.u32 %r2, 1;"
        " add.s32 %r1, %r1, %r2; st.local.u32 [keep], %r1; ret;\n}\n"
    KERNEL("barrier") " mov.u32 %r9, 1; bar.sync 0;" MOVES " add.s32 %r1, %r1, %r9;" USE;

struct bench {
    struct arena arena;
    struct fail fail;
    struct machine machine;
    struct req_pool pool;
    struct sm_common common;
    struct map map;
    struct image image;
    struct work work;
    struct sm sm;
};

static struct program *program_of(struct bench *u, const char *kernel)
{
    struct source *source = arena_new(&u->arena, struct source);
    *source = (struct source){"test.ptx", text, sizeof text - 1};
    struct module *m = ptx_parse(source, &u->arena, &u->fail);
    if (!m) fail_msg("%s", text_get(&u->fail.text));
    struct program *p = ptx_lower(m, ptx_kernel_find(m, kernel), &u->arena, &u->fail);
    if (!p) fail_msg("%s", text_get(&u->fail.text));
    assert_true(exec_bind(p));
    return p;
}

static void bench_start(struct bench *u, const char *kernel, const char *sets, u32 threads)
{
    enum { REQS = 4 * REQ_BATCH };
    static const u8 param[8];
    memset(u, 0, sizeof *u);
    arena_init(&u->arena);
    image_init(&u->image, NULL);
    conf_defaults(&u->machine, machine_rows, machine_row_n);
    machine_set_all(&u->machine, sets);
    const struct machine *m = &u->machine;
    map_init(&u->map, &u->arena, &m->map, m->dram.banks);
    req_pool_init(&u->pool, arena_array(&u->arena, struct req, REQS), REQS);
    sm_common_init(&u->common, &m->sm, &m->cost, &m->l1, &m->tex, &u->map, &u->pool, true,
                   1000);
    sm_init(&u->sm, 0, &u->common, &u->arena);
    u->work = (struct work){
        .grid = {.program = program_of(u, kernel),
                 .image = &u->image,
                 .param = param,
                 .timer = u->common.timer,
                 .size = {1, 1, 1},
                 .block = {threads, 1, 1},
                 .threads = threads,
                 .warps = threads / LANES,
                 .sm_n = 1,
                 .independent = m->sm.independent_threads},
        .need = {.threads = threads, .blocks = 1},
    };
    u->work.grid.shared_bytes = u->work.grid.program->shared_bytes;
    sm_admit(&u->sm, &u->work, 0, 0);
}

static void bench_free(struct bench *u)
{
    sm_free(&u->sm);
    sm_common_free(&u->common);
    image_free(&u->image);
    fail_free(&u->fail);
    arena_free(&u->arena);
}

struct trial {
    const char *kernel, *sets;
    u32 threads;
    const char *issues; /* first issues: CYCLE, or CYCLExN for N issues; with slots CYCLE.SLOT */
};

/* Adds the issues of cycle `now` to `out`. */
static void issues_add(struct text *out, struct bench *u, const struct inst **heads, u64 now,
                       bool slots)
{
    u32 n = 0;
    for (u32 k = 0; k < u->work.grid.warps; k++) {
        struct seat *s = &u->sm.front.seats[k];
        bool issued = s->head != heads[k];
        heads[k] = s->head;
        n += issued;
        if (issued && slots) text_add(out, "%lu.%u ", now, k);
    }
    if (slots || !n) return;
    text_add(out, n > 1 ? "%lux%u " : "%lu ", now, n);
}

static void trial_run(const struct trial *t, bool slots)
{
    struct bench u;
    struct text got = {0};
    const struct inst *heads[SM_WARPS_MAX];
    bench_start(&u, t->kernel, t->sets, t->threads);
    for (u32 k = 0; k < u.work.grid.warps; k++) heads[k] = u.sm.front.seats[k].head;
    for (u64 now = 1; now < 240; now++) {
        sm_tick(&u.sm, now);
        sm_drain(&u.sm);
        issues_add(&got, &u, heads, now, slots);
    }
    if (strncmp(text_get(&got), t->issues, strlen(t->issues)))
        fail_msg("%s of %u with '%s': issues %s, not %s", t->kernel, t->threads, t->sets,
                 text_get(&got), t->issues);
    text_free(&got);
    bench_free(&u);
}
#define TRIALS(slots, ...)                                                                         \
    do {                                                                                           \
        static const struct trial list[] = {__VA_ARGS__};                                          \
        for (u32 k_ = 0; k_ < COUNT_OF(list); k_++) trial_run(&list[k_], slots);                   \
    } while (0)

/* ---- fetch ---- */

static void a_buffer_is_filled_when_it_is_empty(void **state)
{
    (void)state;
    TRIALS(false, {"moves", "sm.ibuffer=2", 32, "3 4 6 7 9 10 12 13 "},
           {"moves", "sm.ibuffer=1", 32, "3 5 7 9 11 13 15 17 "},
           {"moves", "sm.ibuffer=8 sm.fetch_instructions=4", 32, "3 4 5 6 8 9 10 11 "},
           {"moves", "sm.ibuffer=3 sm.fetch_instructions=4", 32, "3 4 5 7 8 9 11 12 "});
}

static void fetches_of_a_cycle(void **state)
{
    (void)state;
    TRIALS(false, {"moves", "", 256, "3 4x2 5x2 6x2 7x2 8x2 9x2 10x2 11x2 12x2 13x2 "},
           {"moves", "sm.fetch_warps=2", 32, "2 3 4 5 6 7 8 9 "},
           {"moves", "sm.fetch_warps=4", 256, "2x3 3x4 4x4 5x4 6x4 7x4 8x4 "});
}

/* first: a branch as the first of two fetched instructions, its buffer flushed in the next cycle.
 * second: a branch as the second; its successor has been fetched by then and is flushed, too. */
static void a_branch_flushes(void **state)
{
    (void)state;
    TRIALS(false, {"first", "", 32, "3 6 7 9 10 "}, {"second", "", 32, "3 4 8 9 11 12 "},
           {"first", "sm.fetch_warps=2", 32, "2 4 5 6 7 "},
           {"second", "sm.fetch_warps=2", 32, "2 3 5 6 7 8 "});
}

static void a_buffer_fills_while_its_warp_waits_at_a_barrier(void **state)
{
    (void)state; /* slot 1 is fetched first; warp 0 arrives in 5; warp 1, fetched in 4, continues in
                  * 6 */
    TRIALS(true, {"barrier", "", 64, "3.1 4.0 4.1 5.0 6.1 7.0 7.1 8.0 "});
}

/* ---- pipeline registers, collectors, banks, units ---- */

static void the_memory_register_is_the_sms(void **state)
{
    (void)state; /* the first scheduler in turn changes: 1 in cycle 2, 2 in cycle 3, 3 in 4 */
    TRIALS(true, {"loads", "sm.fetch_warps=4", 96, "2.1 3.1 3.2 4.0 4.2 "},
           {"loads", "sm.fetch_warps=4 sm.sub_cores=true sm.sfu_units=4", 96,
            "2.0 2.1 2.2 3.0 3.1 3.2 "});
}

static void operands_are_read_from_banks(void **state)
{
    (void)state; /* with one bank the write-backs of the two earlier moves go first */
    TRIALS(false, {"mad", "", 32, "3 4 6 7 9 10 12 13 15 26 "},
           {"mad", "sm.register_banks=1", 32, "3 4 6 7 9 10 12 13 15 30 "},
           {"mad", "sm.register_banks=3", 32, "3 4 6 7 9 10 12 13 15 26 "},
           {"mad", "sm.register_ports=2", 32, "3 4 6 7 9 10 12 13 15 25 "},
           {"mad", "sm.register_banks=1 sm.collector=cheap", 32, "3 4 6 7 9 10 12 13 15 28 "},
           {"mad", "sm.register_banks=1 sm.collector=none", 32, "3 4 6 7 9 10 12 13 15 26 "});
}

static void collectors_hold_what_is_read(void **state)
{
    (void)state;
#define AT_ONCE "sm.ibuffer=16 sm.fetch_instructions=16 sm.sp_issue=1 "
    TRIALS(false, {"adds", AT_ONCE "sm.collectors_sp=2", 32, "3 4 5 6 7 8 9 10 11 12 13 14 15 "},
           {"adds", AT_ONCE "sm.collectors_sp=1", 32, "3 4 5 6 7 8 9 10 11 12 14 16 18 "},
           {"adds", AT_ONCE "sm.collectors_general=1", 32, "3 4 5 6 7 8 9 10 11 12 14 16 18 "});
}

/* One collector for each of two sub-cores. The first atomic occupies the load/store unit from 23 to
 * 55, so warp 0's third atomic occupies its sub-core's collector; in class order the collector is
 * taken a cycle after the last issued move. Warp 0's next move waits for the collector. In class
 * order, warp 1's add issued in 35 waits behind warp 0's move. The adds: two of three warps belong
 * to sub-core 0 and compete for its single bank; in 38 scheduler 1 goes first, and warp 2's add
 * waits behind warp 1's. */
#define TWO                                                                                        \
    "sm.schedulers=2 sm.sub_cores=true sm.collectors_general=2 sm.fetch_warps=8 "                  \
    "sm.sp_units=2 sm.sfu_units=2 sm.ibuffer=16 sm.fetch_instructions=16 "
#define APART                                                                                      \
    "2.0 2.1 8.0 8.1 15.0 15.1 16.0 17.1 18.1 19.1 20.1 21.1 22.0 22.1 23.0 23.1 24.1 25.0 25.1 "  \
    "26.0 "
#define ADDS                                                                                       \
    "2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1 7.0 7.1 8.0 8.1 9.0 9.1 10.0 10.1 11.0 11.1 18.0 "    \
    "18.1 21.0 21.1 24.0 24.1 28.0 28.1 31.2 34.2 35.1 35.2 36.2 37.2 38.1 38.2 "
/* Atomics hold the collectors of both sub-cores. Warp 0's first move behind the atomics, issued in
 * 21, takes the collector that is free again from 22 on, before a waiting atomic. In 52 the
 * collector goes to warp 0's second move. The third move, issued in 53, waits behind warp 1's move
 * of 24, because the collector of warp 1's sub-core is busy until 84, although warp 0's own
 * collector is free. Then warp 1's first atomic gets a collector: the atomic is older than warp 0's
 * third, because scheduler 1 goes first in 20. Warp 0 alone does not wait. */
#define LATER                                                                                      \
    "2.0 2.1 8.0 8.1 9.0 9.1 15.0 15.1 16.1 17.0 17.1 18.0 18.1 19.1 20.0 20.1 21.0 21.1 "         \
    "22.0 23.1 24.1 53.0 85.0 85.1 86.0 149.0 "
static void a_class_goes_in_order(void **state)
{
    (void)state;
    TRIALS(true,
           {"apart", TWO "sm.collector_order=sub-core", 64, APART "35.1 45.1 55.1 58.0 59.0 "},
           {"apart", TWO "sm.collector_order=class", 64, APART "27.0 35.1 58.0 59.0 "},
           {"adds", TWO "sm.collector_order=sub-core sm.register_banks=2", 96,
            ADDS "39.2 40.2 41.2 42.2 47.1 49.2 52.2 55.2 58.1 59.2 "},
           {"adds", TWO "sm.collector_order=class sm.register_banks=2", 96,
            ADDS "40.2 41.2 42.2 43.2 47.1 49.2 52.2 55.2 59.2 "},
           {"later", TWO "sm.collector_order=class", 64, LATER},
           {"later", TWO "sm.collector_order=class", 32,
            "2.0 8.0 9.0 15.0 17.0 18.0 20.0 21.0 22.0 53.0 54.0 55.0 "});
}

/* While a memory instruction waits for a collector, a new instruction of another class waits for
 * its turn, too, although a collector is free; without waiting instructions a collector is taken in
 * the next cycle. */
static void what_is_new_waits_for_its_turn(void **state)
{
    (void)state;
    struct bench u;
    bench_start(&u, "moves", TWO "sm.collector_order=class", 64);
    struct issue_port *f = u.sm.front.scheduler[0].port;
    struct class_order *o = u.sm.port.class_order;
    class_order_take(f, PIPE_SP, 5);
    assert_int_equal(f->enters, 6);
    assert_int_equal(o->waiting_turns, 0);
    assert_false(o->enter);
    o->waiting[PIPE_MEM] = u.sm.front.scheduler[1].port->number;
    o->waiting_n[PIPE_MEM] = 1;
    o->waiting_turns = 1u << 2; /* memory */
    class_order_take(f, PIPE_SP, 6);
    assert_true(o->enter);
    assert_int_equal(o->waiting_n[PIPE_SP], 1);
    assert_ptr_equal(&o->ports[o->waiting[PIPE_SP]], f);
    bench_free(&u);
}

#define ONE "sm.threads=2048 sm.schedulers=1 sm.fetch_warps=8 "

/* Two collectors. The third root waits in the first collector, the fourth in the second. When the
 * third leaves in 14, the fifth takes the first collector. Both are ready in 22, so the fifth goes
 * before the fourth, whose result the second add needs. Likewise, the last of five atomics of 32
 * cycles overtakes the fourth. */
#define CORE                                                                                       \
    "sm.threads=2048 sm.schedulers=1 sm.sub_cores=true sm.collectors_general=2 "                   \
    "sm.collector_order="
static void the_first_collector_goes_first(void **state)
{
    (void)state;
    TRIALS(false, {"roots", CORE "sub-core", 32, "3 4 6 7 9 24 40 "},
           {"roots", CORE "class", 32, "3 4 6 7 9 24 48 "});
    /* warps 0, 1 and 2 continue in 47, 79 + 5 and 111, then warp 4 */
#define HELD                                                                                       \
    "2.0 3.1 4.2 5.3 6.4 8.0 9.1 10.2 11.3 12.4 47.0 76.0 77.0 78.0 79.0 80.0 81.0 82.0 83.0 "     \
    "84.1 86.1 87.1 88.1 89.1 90.1 91.1 92.1 93.1 94.0 103.1 105.0 111.2 112.2 113.2 114.2 "       \
    "115.2 116.2 117.2 118.2 119.2 120.0 121.1 129.2 130.0 131.1 139.2 140.0 141.1 "
    TRIALS(true, {"atomic", CORE "class sm.fetch_warps=8 sm.atomics_hold=true", 160,
                  HELD "143.4 144.4 145.4 "});
}

/* After the end of the last block, the schedulers' turns stand still until the next block. */
static void turns_are_of_cycles_with_a_block(void **state)
{
    (void)state;
    struct bench u;
    bench_start(&u, "empty", "", 32);
    assert_int_equal(u.sm.front.turns_from, 1);
    u64 now = 1;
    for (; u.sm.blocks.used.blocks; now++) {
        sm_tick(&u.sm, now);
        sm_drain(&u.sm);
    }
    sm_admit(&u.sm, &u.work, 0, now + 9); /* the block's last cycle was now - 1 */
    assert_int_equal(u.sm.front.turns_from, 11);
    bench_free(&u);
}

/* lrr continues behind the seat with the last issue, gto with the warp in the seat. */
static void a_seat_is_remembered(void **state)
{
    (void)state;
    for (u32 gto = 0; gto < 2; gto++) {
        struct bench u;
        bench_start(&u, "moves", gto ? ONE "sm.scheduler=gto" : ONE "sm.scheduler=lrr", 128);
        struct scheduler *q = &u.sm.front.scheduler[0];
        q->last_seat = 2 + 1;
        scheduler_remove(&u.sm, 2);
        assert_int_equal(q->last, gto ? UINT32_MAX : 1);
        scheduler_insert(&u.sm, 2);
        assert_int_equal(q->last, gto ? 3 : 2);
        bench_free(&u);
    }
}

/* Two of a load's four registers share a bank: two cycles; one more cycle while another result is
 * written to the bank of the first register. Banks of predicates follow the numbers in their
 * names. */
static void a_load_waits_for_its_banks(void **state)
{
    (void)state;
    struct bench u;
    static const u16 number[4] = {4, 5, 6, 7};
    bench_start(&u, "moves", CORE "class sm.register_banks=2 sm.bank_of=name", 32);
    struct seat *s = &u.sm.front.seats[0];
    struct release w = {.context = s->context, .dst_n = 4, .dst = {0, 1, 2, 3}, .number = number};
    assert_int_equal(s->banked_n, UINT16_MAX);
    assert_int_equal(result_written(&u.sm, &w, 50), 51);
    issue_port_computed(&u.sm, s, 0, number + 2, 60, 55);
    assert_true(issue_port_bank_is_written(&u.sm, s, 0, 4, 60));
    assert_false(issue_port_bank_is_written(&u.sm, s, 0, 5, 60));
    assert_int_equal(issue_port_bank_unwritten(&u.sm, s, 0, 4, 60), 61);
    assert_int_equal(issue_port_bank_unwritten(&u.sm, s, 0, 5, 60), 60);
    assert_int_equal(result_written(&u.sm, &w, 60), 62);
    issue_port_unwritten(u.sm.front.scheduler[0].port, 6, 60);
    assert_false(issue_port_bank_is_written(&u.sm, s, 0, 4, 60));
    assert_int_equal(result_written(&u.sm, &w, 60), 61);
    bench_free(&u);
}

/* The next result enters the write-back register after the previous result has written its second
 * register of a bank. */
static void a_result_waits_for_the_one_before(void **state)
{
    (void)state;
    struct bench u;
    static const u16 number[4] = {4, 5, 6, 7};
    bench_start(&u, "moves", CORE "class sm.register_banks=2 sm.bank_of=name", 32);
    struct seat *s = &u.sm.front.seats[0];
    struct release w = {.context = s->context, .dst_n = 4, .dst = {0, 1, 2, 3}, .number = number};
    s->context->memory_n = 2;
    for (u32 k = 0; k < 2; k++)
        u.sm.lsu.deferred[u.sm.lsu.deferred_n++] = (struct deferred){.release = w, .at = 2};
    u64 first = u.sm.lsu.write_back_cycles + 2;
    ldst_tick(&u.sm, 1);
    assert_int_equal(s->ready_at[0], first);
    ldst_tick(&u.sm, 2);
    assert_int_equal(u.sm.lsu.deferred_n, 1);
    ldst_tick(&u.sm, 3);
    assert_int_equal(u.sm.lsu.deferred_n, 0);
    assert_int_equal(s->ready_at[0], first + 2);
    bench_free(&u);
}

/* The product enters in 13, the moves in 14, 15, 16; the product and the third move complete in 17.
 * In a single unit the move completes a cycle later, and its reader issues in 20. */
static void a_unit_has_one_result_a_cycle(void **state)
{
    (void)state;
#define MAD "sm.result_buses=8 sm.int_mad_latency=4 sm.int_mad_initiation=1 sm.sp_units="
    TRIALS(false, {"mixed", AT_ONCE MAD "1", 32, "3 9 10 11 12 20 "},
           {"mixed", AT_ONCE MAD "2", 32, "3 9 10 11 12 19 "});
}

/* Two moves, and an add of both results: r5 and r9 are neighbours after allocation. */
static void a_register_has_a_number(void **state)
{
    (void)state;
    TRIALS(false, {"names", "sm.register_banks=2 sm.bank_of=row", 32, "3 4 10 11 20 "},
           {"names", "sm.register_banks=2 sm.bank_of=name", 32, "3 4 10 11 21 "});
}

static void a_unit_takes_one_per_initiation(void **state)
{
    (void)state; /* the second root is taken 8, 4, 0 cycles after the first */
    TRIALS(false, {"roots", "", 32, "3 4 6 7 9 24 "},
           {"roots", "sm.sfu_initiation=4", 32, "3 4 6 7 9 20 "},
           {"roots", "sm.sfu_units=2", 32, "3 4 6 7 9 17 "},
           {"roots", "sm.collectors_sfu=1", 32, "3 4 6 7 14 24 "});
}

/* The address is ready in 9; the unit has the atomic from 13 on and serves one lane per cycle,
 * because all lanes access the same word; the last lane completes 4 cycles after 44. */
static void an_atomic_holds_its_warp_if_asked_to(void **state)
{
    (void)state;
    TRIALS(false, {"atomic", "", 32, "3 9 11 12 "},
           {"atomic", "sm.atomics_hold=true", 32, "3 9 48 49 51 "});
}

/* ---- order ---- */

static void orders_of_the_schedulers(void **state)
{
    (void)state;
    TRIALS(true, {"moves", ONE "sm.scheduler=gto", 96, "2.0 3.0 4.0 5.0 6.0 "},
           {"moves", ONE "sm.scheduler=lrr", 96, "2.0 3.1 4.2 5.0 6.1 7.2 "},
           {"moves", ONE "sm.scheduler=two-level sm.active_warps=2", 96, "2.0 3.1 4.0 5.1 6.0 "},
           {"moves", ONE "sm.scheduler=two-level sm.active_warps=1", 96, "2.0 3.0 4.0 5.0 "});
}

/* Warps 0 and 1 are active. A warp that waits at a barrier leaves the active set. In the next cycle
 * the set receives the warp that left first among the warps that can continue. */
static void the_active_set_changes(void **state)
{
    (void)state;
    struct bench u;
    bench_start(&u, "moves", ONE "sm.scheduler=two-level sm.active_warps=2", 128);
    struct scheduler *q = &u.sm.front.scheduler[0];
    assert_int_equal(q->may_issue, 0);
    assert_true(scheduler_moves(&u.sm, q));
    scheduler_refill(&u.sm, q);
    assert_int_equal(q->may_issue, 3);
    assert_false(scheduler_moves(&u.sm, q));
    q->blocked = 1 << 0 | 1 << 2;
    assert_true(scheduler_moves(&u.sm, q));
    scheduler_refill(&u.sm, q);
    assert_int_equal(q->may_issue, 1 << 1 | 1 << 3);
    q->blocked = 1 << 0 | 1 << 2 | 1 << 1;
    scheduler_refill(&u.sm, q);
    assert_int_equal(q->may_issue, 1 << 3);
    q->blocked = 0; /* pending: 2, 0, 1 */
    scheduler_refill(&u.sm, q);
    assert_int_equal(q->may_issue, 1 << 3 | 1 << 2);
    q->blocked = 1 << 3;
    scheduler_refill(&u.sm, q);
    assert_int_equal(q->may_issue, 1 << 2 | 1 << 0);
    bench_free(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_is_filled_when_it_is_empty),
        cmocka_unit_test(fetches_of_a_cycle),
        cmocka_unit_test(a_branch_flushes),
        cmocka_unit_test(a_buffer_fills_while_its_warp_waits_at_a_barrier),
        cmocka_unit_test(the_memory_register_is_the_sms),
        cmocka_unit_test(operands_are_read_from_banks),
        cmocka_unit_test(collectors_hold_what_is_read),
        cmocka_unit_test(a_class_goes_in_order), cmocka_unit_test(what_is_new_waits_for_its_turn),
        cmocka_unit_test(the_first_collector_goes_first),
        cmocka_unit_test(turns_are_of_cycles_with_a_block),
        cmocka_unit_test(a_seat_is_remembered),
        cmocka_unit_test(a_load_waits_for_its_banks),
        cmocka_unit_test(a_result_waits_for_the_one_before),
        cmocka_unit_test(a_unit_has_one_result_a_cycle), cmocka_unit_test(a_register_has_a_number),
        cmocka_unit_test(a_unit_takes_one_per_initiation),
        cmocka_unit_test(an_atomic_holds_its_warp_if_asked_to),
        cmocka_unit_test(orders_of_the_schedulers),
        cmocka_unit_test(the_active_set_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
