/* Changes of way limits and DRAM ranks while a slice or a channel sleeps. */
#include "rig.h"

static const char far[] = PTX_HEAD
    /* each thread reads two lines of its own */
    ".visible .entry far(.param .u64 in, .param .u64 stride)\n{\n"
    " .reg .b32 %r<4>; .reg .b64 %rd<5>;\n"
    " ld.param.u64 %rd1, [in]; ld.param.u64 %rd4, [stride];\n"
    " mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; mul.lo.u64 %rd2, %rd2, %rd4;\n"
    " add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3]; ld.global.u32 %r3, [%rd3+8192];\n"
    " add.s32 %r2, %r2, %r3; st.global.u32 [%rd3], %r2; ret;\n}\n";

/* In cycle `at` app 0, limited to a line per set of L2 before, becomes unlimited; or app 1 goes
 * first at DRAM. */
struct moment {
    u64 at, now;
};
static struct moment turn;

static void turn_ways(void *state, const struct corun_view *v, uint32_t partition, uint32_t *ways)
{
    (void)state, (void)partition;
    turn.now = v->now;
    ways[0] = turn.now < turn.at;
}

static enum corun_rule turn_rank(void *state, const struct corun_view *v, uint32_t partition,
                                 uint32_t *rank)
{
    (void)state, (void)partition;
    turn.now = v->now;
    rank[turn.now >= turn.at ? 0 : 1] = 1;
    return CORUN_NO_RULE;
}

static uint64_t turn_timer(const void *state)
{
    (void)state;
    return turn.now < turn.at ? turn.at : CORUN_NEVER;
}

#define TURN                                                                                       \
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "turn",            \
    .timer = turn_timer
static const struct corun_policy turns_ways = {TURN, .l2_ways = turn_ways},
                                 turns_rank = {TURN, .dram_rank = turn_rank};

/* Runs until both apps have ended; returns the cycle of the end. */
static u64 turn_run(const struct corun_policy *policy, u64 at, bool skip, struct gpu_stat stat[2])
{
    enum { BYTES = 35 << 16 };
    struct rig r;
    turn = (struct moment){.at = at};
    rig_init(&r, far);
    rig_set(&r, "sm.count", "2");
    rig_set(&r, "map.channels", "1");
    rig_set(&r, "l2.sets", "1");
    rig_set(&r, "dram.scheduler", "fcfs");
    rig_set(&r, "dram.latency_cycles", "2");
    rig_set(&r, "dram.rc", "200"); /* long enough that no other event wakes the channel */
    rig_start(&r, policy, NULL, 2, skip);
    for (u32 a = 0; a < 2; a++) { /* app 0 in two banks, app 1 in all */
        u64 in = image_alloc(&r.image[a], BYTES, "in");
        rig_launch(&r, a, "far", 1, 32, 2, (u64[]){in, a ? 65536 + 2048 : 65536});
    }
    for (u32 n = 0; n < 2;) {
        assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
        while (gpu_ended(r.gpu)) n++;
    }
    for (u32 a = 0; a < 2; a++) stat[a] = rig_stat(&r, a);
    u64 cycles = gpu_now(r.gpu);
    rig_free(&r);
    return cycles;
}

/* A slice that waits for a line and a channel that waits for a bank: for every cycle of the change,
 * the sleeping part behaves like a part ticked in every cycle. */
static void tables_wake_who_sleeps(void **state)
{
    (void)state;
    const struct corun_policy *policies[] = {&turns_ways, &turns_rank};
    for (u32 k = 0; k < 2; k++) {
        struct gpu_stat skipped[2], stepped[2];
        u32 other = 0;
        u64 never = turn_run(policies[k], 100000, true, skipped);
        for (u64 at = 300; at < 2300; at += 53) {
            u64 cycles = turn_run(policies[k], at, true, skipped);
            assert_int_equal(cycles, turn_run(policies[k], at, false, stepped));
            assert_memory_equal(skipped, stepped, sizeof skipped);
            other += cycles != never;
        }
        assert_true(other > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_wake_who_sleeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
