/* The life of a block in the hand: what it holds in each state, and that what it waits for finds it
 * when it has no seat, or one again. */
#include <sys/wait.h>
#include <unistd.h>

#include "sm_bench.h"

/* Two warps: a load, an atomic, a store, a fence and a barrier, then what came of them. */
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

static void start(struct sm_bench *b)
{
    sm_bench_init(b, kernels, "");
    sm_bench_admit(b, "mixed", THREADS);
}

static void results_are_right(struct sm_bench *b, u64 at)
{
    u32 word[THREADS];
    assert_int_equal(b->sm.retired_n, 1);
    assert_true(image_read(&b->image, b->buffer + 512, word, sizeof word));
    for (u32 k = 0; k < THREADS; k++)
        if (word[k] != (k ^ 63)) fail_msg("moved at %lu: word %u is %u", at, k, word[k]);
    assert_true(image_read(&b->image, b->buffer + 1024, word, sizeof *word));
    assert_int_equal(word[0], THREADS);
    struct corun_resources none = {0};
    assert_memory_equal(&b->sm.used, &none, sizeof none);
}

static void every_state_holds_what_its_row_says(void **state)
{
    (void)state;
    struct sm_bench b;
    start(&b);
    const struct corun_resources *used = &b.sm.used;
    struct block *block = b.sm.block[0];
    assert_int_equal(block->life, LIFE_SEATED);
    assert_int_equal(used->threads, THREADS);
    assert_int_equal(used->blocks, 1);
    assert_int_equal(used->registers, 1);
    sm_unseat(&b.sm, block, b.now);
    assert_int_equal(used->threads + used->blocks, 0);
    assert_int_equal(used->registers, 1);
    assert_int_equal(b.sm.resident_n[0], 1);
    sm_leave(&b.sm, block, LIFE_OUT, b.now);
    assert_int_equal(used->registers, 0);
    assert_int_equal(b.sm.resident_n[0], 0);
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

/* Whatever it waits for in that cycle; away: for so long, and out of the SM or idle on it. */
static void moved_at(u64 at, u64 away, bool out)
{
    struct sm_bench b;
    start(&b);
    sm_bench_run(&b, at);
    struct block *block = b.sm.block[0];
    if (block && block->alive_n) {
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

static void a_move_that_is_not_in_the_table_is_refused(void **state)
{
    (void)state;
    struct sm_bench b;
    start(&b);
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        fclose(stderr);
        sm_leave(&b.sm, b.sm.block[0], LIFE_OUT, b.now); /* it is seated */
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    sm_bench_run(&b, END);
    sm_bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_holds_what_its_row_says),
        cmocka_unit_test(what_it_waits_for_finds_it),
        cmocka_unit_test(a_move_that_is_not_in_the_table_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
