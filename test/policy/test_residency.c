/* Worked examples of virtual-thread and gpuduet: number of extra blocks, state moved, and gpuduet's
 * reaction to its measurements. */
#include "bench.h"

/* maxwell16-duet: 64 warps, 256 KB, 96 KB, 32 slots; L1 of 32 KB */
static const struct corun_resources SM_003 = {2048, 65536, 98304, 32};
static struct corun_use used; /* utilisation reported by the bench */

static void count_use(const struct corun_view *view, struct corun_use *out)
{
    (void)view;
    *out = used;
}

static void start(struct bench *b, const char *policy)
{
    bench_init(b, policy, SM_003, 16, 1);
    b->view.count_use = count_use;
    memset(&used, 0, sizeof used);
}

static struct corun_residency ask(struct bench *b, uint64_t now)
{
    struct corun_residency answer[BENCH_KERNELS];
    memset(answer, 0, sizeof answer);
    b->view.now = now;
    b->hooks->residency(b->state, &b->view, answer);
    return answer[0];
}

static struct corun_residency of(const char *policy, uint32_t threads, uint32_t registers,
                                 uint32_t shared_bytes, uint32_t waiting)
{
    struct bench b;
    start(&b, policy);
    assert_null(b.refused);
    bench_kernel(&b, "k", threads, registers, shared_bytes)->waiting_registers = waiting;
    struct corun_residency r = ask(&b, 0);
    bench_free(&b);
    return r;
}

static void virtual_threads(void **state)
{
    (void)state;
    /* 8 blocks of 8 warps fill the warp slots, the registers hold 9 blocks of 28 each: BT of paper
     * 003. */
    struct corun_residency r = of("virtual-thread", 256, 28, 0, 28);
    assert_int_equal(r.extra_blocks, 1);
    assert_int_equal(r.unit, CORUN_BLOCKS);
    assert_int_equal(r.registers, 256 * 28);
    assert_int_equal(r.shared_bytes, 8 * 128);
    assert_int_equal(r.state_bytes, 8 * 128);
    assert_int_equal(r.bytes_per_cycle, 128);
    assert_true(r.barriers && r.returned_first && !r.pool_bytes);
    assert_int_equal(of("virtual-thread", 256, 36, 0, 36).extra_blocks, 0); /* registers */
    assert_int_equal(of("virtual-thread", 256, 16, 12000, 16).extra_blocks, 0); /* shared memory */
    assert_int_equal(of("virtual-thread", 256, 8, 0, 8).extra_blocks, 8);  /* 128 warps */
    assert_int_equal(of("virtual-thread", 32, 8, 0, 8).extra_blocks, 0);   /* 32 blocks */
    assert_int_equal(of("virtual-thread[table_blocks=40]", 32, 8, 0, 8).extra_blocks, 8);
    assert_int_equal(of("virtual-thread[table_warps=80]", 256, 8, 0, 8).extra_blocks, 2);
    /* 32 KB remain: 5 blocks of 5120 bytes with their saved state of 1024; without the state 6
     * would fit. */
    assert_int_equal(of("virtual-thread", 256, 8, 8192, 8).extra_blocks, 3);
    assert_int_equal(of("virtual-thread[slot_bytes=1]", 256, 8, 8192, 8).extra_blocks, 3);
    assert_int_equal(of("virtual-thread", 256, 8, 6144, 8).extra_blocks, 6);
    assert_int_equal(of("virtual-thread[slot_bytes=1]", 256, 8, 6144, 8).extra_blocks, 7);
}

static void modes(void **state)
{
    (void)state;
    /* Limited by registers: 4 blocks of 12288; 20 of 48 are kept. (128 + 2560) / 128 = 21
     * cycles. */
    struct corun_residency r = of("gpuduet[me=1]", 256, 48, 0, 20);
    assert_int_equal(r.unit, CORUN_WARPS);
    assert_int_equal(r.state_bytes, 128 + 20 * 128);
    assert_int_equal(r.pool_bytes, 8 * 20 * 128);
    assert_int_equal(r.own_registers, 256 * 48); /* if free: only the slot moves */
    assert_int_equal(r.own_state_bytes, 128);
    assert_int_equal(r.own_pool_bytes, 0);
    assert_int_equal(r.extra_blocks, 1);
    assert_true(r.barriers && !r.pinned && !r.l1);
    assert_int_equal(of("gpuduet[me=1,bandwidth=64]", 256, 48, 0, 20).bytes_per_cycle, 64);
    /* Limited by shared memory: 12 blocks of 8192; 72 cycles, the registers of an extra block stay
     * on the SM. */
    r = of("gpuduet[me=64]", 256, 8, 16384, 8);
    assert_int_equal(r.unit, CORUN_BLOCKS);
    assert_int_equal(r.state_bytes, 8 * 128 + 16384);
    assert_int_equal(r.pool_bytes, 16384);
    assert_int_equal(r.registers, 256 * 8);
    assert_int_equal(r.own_registers, 0);
    assert_int_equal(of("gpuduet[me=1]", 256, 8, 8192 + 4096, 8).state_bytes, 1024 + 12288);
    /* Limited by both: no extra blocks. */
    assert_int_equal(of("gpuduet[me=64]", 256, 64, 24576, 32).extra_blocks, 0);
    /* Limited by warp slots, as BT: the slots of the warps are saved, too, and of the ninth block
     * nothing else, because the registers hold nine blocks. */
    r = of("gpuduet[me=64]", 256, 28, 0, 14);
    assert_int_equal(r.pool_bytes, 8 * (14 * 128 + 128));
    assert_int_equal(r.unit, CORUN_WARPS);
    assert_int_equal(r.own_registers, 256 * 28);
    assert_int_equal(r.own_pool_bytes, 8 * 128);
    assert_int_equal(r.own_state_bytes, 128);
    r = of("gpuduet[me=64,levels=tb]", 256, 28, 0, 14);
    assert_int_equal(r.unit, CORUN_BLOCKS);
    assert_int_equal(r.state_bytes, 8 * (14 * 128 + 128));
    assert_int_equal(r.own_state_bytes, 8 * 128);
    assert_int_equal(of("gpuduet[me=1,registers=0.5]", 256, 48, 0, 5).state_bytes, 128 * 25);
    /* 26.4 and 19.7 of 48: fractions of a register round up. */
    assert_int_equal(of("gpuduet[me=1,registers=0.55]", 256, 48, 0, 5).state_bytes, 128 * 28);
    assert_int_equal(of("gpuduet[me=1]", 256, 48, 0, 20).state_bytes, 128 * 21);
    assert_true(of("gpuduet[me=1,deadlock=pin]", 256, 48, 0, 48).pinned);
    assert_false(of("gpuduet[me=1,deadlock=pin]", 256, 48, 0, 48).barriers);
    assert_false(of("gpuduet[me=1,deadlock=none]", 256, 48, 0, 48).barriers);
}

/* As DWT_2 of paper 003: registers prevent the 11th block. Part of an extra block's state is kept;
 * the free registers and shared memory, 22 KB, do not hold the 23 KB needed. Together with L1 the
 * pool holds two extra blocks. */
#define DWT_2 160, 40, 8192, 24

static void bounds(void **state)
{
    (void)state;
    struct corun_residency r = of("gpuduet[me=64]", DWT_2);
    assert_int_equal(r.extra_blocks, 2);
    assert_true(r.l1);
    assert_int_equal(of("gpuduet[me=1]", DWT_2).extra_blocks, 1);
    /* (a) 128 warps; (b) 32 blocks; (c) 92 KB for 10 KB each and 96 KB for 10 KB each */
    assert_int_equal(of("gpuduet[me=64]", 256, 8, 0, 8).extra_blocks, 8);
    assert_int_equal(of("gpuduet[me=64,table_warps=96]", 256, 8, 0, 8).extra_blocks, 4);
    assert_int_equal(of("gpuduet[me=64]", 64, 48, 0, 24).extra_blocks, 11); /* 21 by registers */
    assert_int_equal(of("gpuduet[me=64]", 256, 64, 0, 64).extra_blocks, 1); /* 98304 / 65536 */
    assert_int_equal(of("gpuduet[me=64]", 256, 64, 0, 32).extra_blocks, 3); /* / 32768 */
    /* (d) shared memory holds 6 blocks, registers 7; the pool would hold two more */
    assert_int_equal(of("gpuduet[me=64]", 256, 36, 16384, 1).extra_blocks, 1);
}

static void use(double scheduler, uint64_t cycles)
{
    for (uint32_t r = 0; r < CORUN_RESOURCE_N; r++) used.most[r] += (double)cycles;
    used.done[CORUN_SCHEDULER] += scheduler * (double)cycles;
}

static void follows(const char *policy, const double *scheduler, const uint32_t *extra, uint32_t n)
{
    struct bench b;
    start(&b, policy);
    bench_kernel(&b, "k", 256, 64, 0)->waiting_registers = 32; /* 3 at most */
    assert_int_equal(ask(&b, 5).extra_blocks, 0);
    assert_int_equal(b.hooks->timer(b.state), 10005);
    use(1, 10000); /* warm-up, not counted */
    assert_int_equal(ask(&b, 10005).extra_blocks, 0);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t now = 20005 + i * 10000;
        use(scheduler[i], 10000);
        assert_int_equal(ask(&b, now).extra_blocks, extra[i]);
    }
    bench_free(&b);
}

static void follows_what_it_measures(void **state)
{
    (void)state;
    follows("gpuduet", (const double[]){0.59, 0.9}, (const uint32_t[]){3, 3}, 2);
    follows("gpuduet", (const double[]){0.81, 0.1, 0.7}, (const uint32_t[]){0, 0, 0}, 3);
    follows("gpuduet", (const double[]){0.7, 0.7, 0.5, 0.7}, (const uint32_t[]){1, 2, 3, 3}, 4);
    follows("gpuduet", (const double[]){0.7, 0.5, 0.7}, (const uint32_t[]){1, 2, 3}, 3);
    follows("gpuduet", (const double[]){0.7, 0.7, 0.81, 0.7}, (const uint32_t[]){1, 2, 1, 1}, 4);
    follows("gpuduet[me_recheck=on]", (const double[]){0.59, 0.81, 0.7, 0.7, 0.1},
            (const uint32_t[]){3, 0, 1, 2, 3}, 5);
}

/* The policy is asked some cycles after the end of a window. Up to a window late, the phase
 * continues; later, the kernel counts as absent and starts anew. */
static void asked_late(void **state)
{
    (void)state;
    for (uint32_t late = 1; late <= 10001; late += 5000) {
        struct bench b;
        start(&b, "gpuduet");
        bench_kernel(&b, "k", 256, 64, 0)->waiting_registers = 32; /* 3 at most */
        ask(&b, 5);
        ask(&b, 10005);
        use(0.1, 10000);
        assert_int_equal(ask(&b, 20005 + late).extra_blocks, late <= 10000 ? 3 : 0);
        bench_free(&b);
        start(&b, "gpuduet");
        bench_kernel(&b, "k", 256, 64, 0)->waiting_registers = 32;
        ask(&b, 5);
        ask(&b, 10005 + late); /* the first window is over, or starts anew */
        assert_int_equal(b.hooks->timer(b.state), late <= 10000 ? 20005 : 20005 + late);
        bench_free(&b);
    }
}

static void says_what_it_keeps(void **state)
{
    (void)state;
    struct bench b;
    start(&b, "gpuduet");
    bench_kernel(&b, "k", 256, 48, 0)->waiting_registers = 20;
    ask(&b, 0);
    enum { KEPT_PERCENT = 5 };
    assert_int_equal(b.stats[KEPT_PERCENT], 41);
    bench_free(&b);
}

/* L1 is used only if it has hardly any hits. */
static void l1_if_it_is_not_used(void **state)
{
    (void)state;
    for (uint32_t percent = 2; percent < 5; percent++) {
        struct bench b;
        start(&b, "gpuduet");
        struct corun_kernel *k = bench_kernel(&b, "k", 160, 40, 8192);
        k->waiting_registers = 24;
        ask(&b, 0);
        ask(&b, 10000);
        use(0.1, 10000);
        used.done[CORUN_L1] = percent * 100.0;
        struct corun_residency r = ask(&b, 20000);
        assert_int_equal(r.extra_blocks, percent < 3 ? 2 : 0);
        assert_int_equal(r.l1, percent < 3);
        bench_free(&b);
    }
}

static void classes(void **state)
{
    (void)state;
    double use_of[CORUN_RESOURCE_N] = {0};
    assert_int_equal(corun_class_of(use_of), CORUN_UNDERUTILIZED);
    for (uint32_t r = 0; r < CORUN_RESOURCE_N; r++) {
        double under = r == CORUN_DRAM ? 0.5 : 0.6;
        double over = r == CORUN_DRAM ? 0.7 : r == CORUN_TO_L2 || r == CORUN_TO_SM ? 0.9 : 0.8;
        const double at[] = {under - 0.01, under, over, over + 0.01};
        const enum corun_class is[] = {CORUN_UNDERUTILIZED, CORUN_MODERATE, CORUN_MODERATE,
                                       CORUN_SATURATED};
        for (uint32_t i = 0; i < 4; i++) {
            use_of[r] = at[i];
            assert_int_equal(corun_class_of(use_of), is[i]);
        }
        use_of[r] = 0;
    }
}

static uint64_t bits_of(const char *policy)
{
    struct bench b;
    uint64_t bits = 0;
    start(&b, policy);
    for (const struct corun_storage *s = b.hooks->storage; s->name; s++)
        bits += (uint64_t)s->entry_bits * s->entries;
    bench_free(&b);
    return bits;
}

static void storage(void **state)
{
    (void)state;
    assert_int_equal(bits_of("gpuduet"), 8272);
    assert_int_equal(bits_of("virtual-thread"), 672);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(virtual_threads), cmocka_unit_test(modes), cmocka_unit_test(bounds),
        cmocka_unit_test(follows_what_it_measures), cmocka_unit_test(l1_if_it_is_not_used),
        cmocka_unit_test(classes), cmocka_unit_test(storage),
        cmocka_unit_test(says_what_it_keeps), cmocka_unit_test(asked_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
