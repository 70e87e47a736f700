/* Life of a block: its resources in each state. Replies and events find the block while the block
 * has no seat, and after a new seat. */
#include <sys/wait.h>
#include <unistd.h>

#include "exec/exec.h"
#include "sm_bench.h"

/* Two warps: a load, an atomic, a store, a fence and a barrier, then a check of their results. */
static const char kernels[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry mixed(.param .u64 in)\n{\n .reg .b32 %r<8>; .reg .b64 %rd<6>;\n"
    " .shared .b32 sum[64];\n"
    " ld.param.u64 %rd1, [in]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4;\n"
    " add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r1, [%rd3]; add.s32 %r1, %r1, %r0;\n"
    " atom.global.add.u32 %r2, [%rd1+1024], 1; st.global.u32 [%rd3], %r1; membar.gl;\n"
    " mov.u32 %r3, sum; shl.b32 %r4, %r0, 2; add.s32 %r4, %r3, %r4; st.shared.u32 [%r4], %r1;\n"
    " bar.sync 0; xor.b32 %r5, %r0, 63; shl.b32 %r5, %r5, 2; add.s32 %r5, %r3, %r5;\n"
    " ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd3+512], %r6; ret;\n}\n";
enum { THREADS = 64, END = 2500 };

/* Idempotent: out[i] = in[i] + in[i + 32] + 1, across a barrier. */
static const char sums[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry sums(.param .u64 in)\n{\n .reg .b32 %r<8>; .reg .b64 %rd<6>;\n"
    " ld.param.u64 %rd1, [in]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4;\n"
    " add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r1, [%rd3]; ld.global.u32 %r2, [%rd3+128];\n"
    " add.s32 %r1, %r1, %r2; bar.sync 0; add.s32 %r1, %r1, 1; st.global.u32 [%rd3+512], %r1;\n"
    " ld.global.u32 %r3, [%rd3]; sub.s32 %r3, %r1, %r3; st.global.u32 [%rd3+1024], %r3; ret;\n}\n";

static void start(struct sm_bench *b)
{
    sm_bench_init(b, kernels, "");
    sm_bench_admit(b, "mixed", THREADS);
}

static void results_are_right(struct sm_bench *b, u64 at)
{
    u32 word[THREADS];
    assert_int_equal(b->sm.blocks.retired_n, 1);
    assert_true(image_read(&b->image, b->buffer + 512, word, sizeof word));
    for (u32 k = 0; k < THREADS; k++)
        if (word[k] != (k ^ 63)) fail_msg("moved at %lu: word %u is %u", at, k, word[k]);
    assert_true(image_read(&b->image, b->buffer + 1024, word, sizeof *word));
    assert_int_equal(word[0], THREADS);
    struct corun_resources none = {0};
    assert_memory_equal(&b->sm.blocks.used, &none, sizeof none);
}

static void every_state_holds_what_its_row_says(void **state)
{
    (void)state;
    struct sm_bench b;
    start(&b);
    const struct corun_resources *used = &b.sm.blocks.used;
    struct block *block = b.sm.blocks.block[0];
    assert_int_equal(block->life, LIFE_SEATED);
    assert_int_equal(used->threads, THREADS);
    assert_int_equal(used->blocks, 1);
    assert_int_equal(used->registers, 1);
    sm_unseat(&b.sm, block, b.now);
    assert_int_equal(used->threads + used->blocks, 0);
    assert_int_equal(used->registers, 1);
    assert_int_equal(b.sm.blocks.resident[0].n, 1);
    sm_leave(&b.sm, block, LIFE_OUT, b.now);
    assert_int_equal(used->registers, 0);
    assert_int_equal(b.sm.blocks.resident[0].n, 0);
    assert_int_equal(b.sm.stat[0].blocks_preempted, 1);
    sm_enter(&b.sm, block, b.now);
    assert_int_equal(used->registers, 1);
    assert_int_equal(used->threads, 0);
    sm_seat(&b.sm, block, b.now++);
    assert_int_equal(used->threads, THREADS);
    sm_bench_run(&b, END);
    results_are_right(&b, 0);
    sm_bench_free(&b);
}

/* Moves the block in cycle `at`, whatever the block waits for; for `away` cycles the block is out
 * of the SM, or idle on the SM. */
static void moved_at(u64 at, u64 away, bool out)
{
    struct sm_bench b;
    start(&b);
    sm_bench_run(&b, at);
    struct block *block = b.sm.blocks.block[0];
    if (block && block->state.alive_n) {
        sm_unseat(&b.sm, block, b.now - 1);
        if (out) sm_leave(&b.sm, block, LIFE_OUT, b.now - 1);
        sm_bench_run(&b, away);
        if (out) sm_enter(&b.sm, block, b.now - 1);
        sm_seat(&b.sm, block, b.now - 1);
    }
    sm_bench_run(&b, END);
    results_are_right(&b, at);
    sm_bench_free(&b);
}

static void what_it_waits_for_finds_it(void **state)
{
    (void)state;
    for (u64 at = 1; at < 1500; at += 7) {
        moved_at(at, at % 3 ? 1 + at % 40 : 700, at % 2);
    }
}

/* ---- state saved to memory and restored ---- */

static struct block *transferred(struct sm_bench *b, u64 most)
{
    struct block *block = NULL;
    while (!block && most--) {
        sm_bench_tick(b);
        block = sm_transferred(&b->sm);
    }
    assert_non_null(block);
    return block;
}

/* Saves the block in cycle `at`, whatever the block waits for, and restores the block `away` cycles
 * later. */
static void switched_at(u64 at, u64 away, bool traffic)
{
    struct sm_bench b;
    start(&b);
    b.common.preempt = (struct preempt_cost){.traffic = traffic, .bytes_per_cycle = 0.5};
    sm_bench_run(&b, at);
    struct block *block = b.sm.blocks.block[0];
    if (block && block->state.alive_n) {
        struct corun_resources had = b.sm.blocks.used, none = {0};
        sm_save(&b.sm, block, b.now - 1);
        assert_int_equal(block->life, LIFE_SAVING);
        assert_memory_equal(&b.sm.blocks.used, &had, sizeof had);
        assert_int_equal(b.sm.blocks.seated_n[0], 0);
        assert_int_equal(b.sm.front.scheduler[0].n, 0);
        assert_null(sm_younger(&b.sm, &b.work, 0));
        assert_ptr_equal(transferred(&b, 2000), block);
        assert_true(block_is_quiet(block));
        sm_leave(&b.sm, block, LIFE_OUT, b.now - 1);
        assert_memory_equal(&b.sm.blocks.used, &none, sizeof none);
        u64 issued = b.sm.stat[0].inst_warp;
        sm_bench_run(&b, away);
        sm_load(&b.sm, block, b.now - 1);
        assert_memory_equal(&b.sm.blocks.used, &had, sizeof had);
        assert_ptr_equal(transferred(&b, 2000), block);
        assert_int_equal(b.sm.stat[0].inst_warp, issued);
        sm_loaded(&b.sm, block, b.now - 1);
        assert_int_equal(b.sm.blocks.seated_n[0], 1);
        const struct preempt_stat *s = &b.sm.preempt_stat[0];
        assert_int_equal(s->switched, 1);
        assert_int_equal(b.sm.stat[0].blocks_preempted, 1);
        assert_int_equal(s->bytes, 2 * block_state_bytes(block));
    }
    sm_bench_run(&b, END - 1000);
    results_are_right(&b, at);
    assert_int_equal(b.sm.lsu.l1.allocated, b.sm.lsu.requests_freed);
    sm_bench_free(&b);
}

static void a_switched_block_goes_on_where_it_was(void **state)
{
    (void)state;
    for (u64 at = 1; at < 1200; at += 13) switched_at(at, 1 + at % 40, at % 2);
}

/* 4 bytes of registers (the bench's block has one register), 256 of shared memory, 32 of each of
 * two warps: 324 bytes, three lines or 648 cycles at half a byte a cycle. */
static void its_state_is_lines_or_time(void **state)
{
    (void)state;
    for (u32 traffic = 0; traffic < 2; traffic++) {
        struct sm_bench b;
        start(&b);
        b.work.need.shared_bytes = 256;
        b.common.preempt = (struct preempt_cost){.traffic = traffic, .bytes_per_cycle = 0.5};
        struct block *block = b.sm.blocks.block[0];
        block->state.shared_bytes = 256;
        assert_int_equal(block_state_bytes(block), 324);
        b.sm.blocks.used.shared_bytes = 256;
        u64 from = b.now - 1, requests = b.sm.lsu.l1.allocated;
        sm_save(&b.sm, block, from);
        transferred(&b, 2000);
        assert_int_equal(b.sm.lsu.l1.allocated - requests, traffic ? 3 : 0);
        if (!traffic) assert_int_equal(b.now - 1 - from, 1 + 648);
        sm_leave(&b.sm, block, LIFE_OUT, b.now - 1);
        assert_int_equal(b.sm.preempt_stat[0].saving_cycles, b.now - 1 - from);
        assert_int_equal(b.sm.lsu.l1.stat[0].accesses + b.sm.lsu.l1.stat[0].bypassed, 0);
        b.common.preempt.latency_cycles = 77;
        from = b.now - 1;
        sm_load(&b.sm, block, from);
        transferred(&b, 2000);
        assert_int_equal(b.sm.lsu.l1.allocated - requests, traffic ? 6 : 0);
        if (!traffic) assert_int_equal(b.now - 1 - from, 1 + 77);
        sm_loaded(&b.sm, block, b.now - 1);
        assert_int_equal(b.sm.preempt_stat[0].loading_cycles, b.now - 1 - from);
        sm_bench_free(&b);
    }
}

/* ---- flushed and restarted ---- */

static void flushed_at(u64 at)
{
    struct sm_bench b;
    struct program noting;
    u32 in[THREADS + 32], out[THREADS];
    sm_bench_init(&b, sums, "");
    for (u32 k = 0; k < COUNT_OF(in); k++) in[k] = k * k;
    assert_true(image_write(&b.image, b.buffer, in, sizeof in));
    sm_bench_admit(&b, "sums", THREADS);
    while (!b.sm.blocks.retired_n) sm_bench_tick(&b); /* the work has a program now */
    exec_note(&noting, b.work.grid.program);
    b.work.grid.program = &noting;
    b.sm.blocks.retired_n = 0;
    u64 issued = b.sm.stat[0].inst_warp;
    sm_admit(&b.sm, &b.work, 0, b.now++);
    sm_bench_run(&b, at);
    struct block *block = b.sm.blocks.block[0];
    u64 lost = 0;
    if (block && block->state.alive_n) {
        assert_false(block->state.idempotence->ended);
        lost = block_issued(block);
        sm_unseat(&b.sm, block, b.now - 1);
        sm_leave(&b.sm, block, LIFE_FLUSHED, b.now - 1);
        sm_admit(&b.sm, &b.work, 0, b.now - 1);
        assert_ptr_not_equal(b.sm.blocks.block[0], block);
        sm_drop(&b.sm, block);
        assert_int_equal(b.sm.preempt_stat[0].flushed, 1);
    }
    sm_bench_run(&b, 1400);
    assert_int_equal(b.sm.blocks.retired_n, 1);
    assert_int_equal(b.sm.preempt_stat[0].lost_warp, lost);
    assert_int_equal(b.sm.preempt_stat[0].lost_thread, lost * LANES);
    assert_int_equal(b.sm.stat[0].inst_warp - issued, issued + lost);
    assert_true(image_read(&b.image, b.buffer + 512, out, sizeof out));
    for (u32 k = 0; k < THREADS; k++) assert_int_equal(out[k], in[k] + in[k + 32] + 1);
    sm_admit(&b.sm, &b.work, 0, b.now++); /* reuses the dropped block */
    assert_null(b.sm.blocks.dropped_blocks);
    sm_bench_free(&b);
}

static void a_flushed_block_begins_anew(void **state)
{
    (void)state;
    for (u64 at = 1; at < 800; at += 17) flushed_at(at);
}

static void a_move_that_is_not_in_the_table_is_refused(void **state)
{
    (void)state;
    struct sm_bench b;
    start(&b);
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        fclose(stderr);
        sm_leave(&b.sm, b.sm.blocks.block[0], LIFE_OUT, b.now); /* the block is seated */
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    sm_bench_run(&b, END);
    sm_bench_free(&b);
}

/* A copy arrives at an mbarrier invalidated in the meantime. */
static const char arrival[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry arrival(.param .u64 in)\n{\n .reg .pred %p; .reg .b32 %r<4>;\n"
    " .reg .b64 %rd<4>; .shared .align 16 .b8 to[128]; .shared .align 8 .b64 full;\n"
    " ld.param.u64 %rd1, [in]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4;\n"
    " add.s64 %rd1, %rd1, %rd2; mov.u32 %r1, to; mad.lo.u32 %r1, %r0, 4, %r1;\n"
    " mov.u32 %r2, full; setp.eq.u32 %p, %r0, 0; @%p mbarrier.init.shared.b64 [%r2], 32;\n"
    " cp.async.ca.shared.global [%r1], [%rd1], 4;\n"
    " cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];\n"
    " @%p mbarrier.inval.shared.b64 [%r2]; cp.async.wait_all; ret;\n}\n";

static void a_copy_that_comes_without_a_seat_may_be_a_fault(void **state)
{
    (void)state;
    for (u32 seated = 0; seated < 2; seated++) {
        struct sm_bench b;
        sm_bench_init(&b, arrival, "");
        sm_bench_admit(&b, "arrival", LANES);
        while (!b.away_n) sm_bench_tick(&b);
        sm_bench_run(&b, MEMORY_CYCLES / 2); /* the warp waits for the copy */
        struct context *c = b.sm.blocks.block[0]->context[0];
        if (!seated) sm_unseat(&b.sm, b.sm.blocks.block[0], b.now - 1);
        assert_false(b.sm.front.faulted);
        for (u32 k = 0; k < 2 * MEMORY_CYCLES && !b.sm.front.faulted; k++) sm_bench_tick(&b);
        assert_true(b.sm.front.faulted);
        assert_ptr_equal(b.sm.front.fault_of, c);
        assert_string_equal(b.sm.effect.fault.what,
                            "use of an uninitialised mbarrier");
        if (!seated) sm_seat(&b.sm, c->block, b.now); /* seated again: the context can be freed */
        sm_bench_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_holds_what_its_row_says),
        cmocka_unit_test(what_it_waits_for_finds_it),
        cmocka_unit_test(a_switched_block_goes_on_where_it_was),
        cmocka_unit_test(its_state_is_lines_or_time),
        cmocka_unit_test(a_flushed_block_begins_anew),
        cmocka_unit_test(a_move_that_is_not_in_the_table_is_refused),
        cmocka_unit_test(a_copy_that_comes_without_a_seat_may_be_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
