/* Consequences of address allocation for blocks: kernels that wait for contiguous room, counters of
 * fragmentation, number of blocks per part, urgent warps. */
#include "rig.h"
#include "gpu/state.h"

static const char kernels[] = PTX_HEAD
    ".visible .entry brief(.param .u64 out)\n{\n"
    " .reg .b32 %r<3>; .reg .pred %p<2>;\n mov.u32 %r1, 0;\n"
    "LOOP: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 20; @%p1 bra LOOP;\n ret;\n}\n"
    ".visible .entry lasting(.param .u64 out)\n{\n"
    " .reg .b32 %r<3>; .reg .pred %p<2>;\n mov.u32 %r1, 0;\n"
    "LOOP: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 500; @%p1 bra LOOP;\n ret;\n}\n";
enum { WARP = 512 }; /* registers: 16 for each of 32 threads */

/* Blocks of app 0 go to SM 0 only, at most `most` at once. */
static struct {
    u32 most;
    u64 settled_at; /* last such event of SM 0 */
} given;

static void given_share(void *state, const struct corun_view *v, uint32_t *target)
{
    (void)state;
    for (u32 s = 0; s < v->sm_n; s++)
        for (u32 k = 0; k < v->kernel_n; k++) {
            bool other = v->kernels[k].app_id;
            target[s * v->kernel_n + k] = s ? 0 : other ? CORUN_TARGET_FULL : given.most;
        }
}

static void given_watch(void *state, const struct corun_view *v, const struct corun_event *e)
{
    (void)state;
    if (e->kind == CORUN_SETTLED && !e->sm) given.settled_at = v->now;
}

static const struct corun_policy gives = {.abi = CORUN_POLICY_ABI,
                                          .size_bytes = sizeof gives,
                                          .name = "gives",
                                          .share = given_share,
                                          .watch = given_watch};

static void start(struct rig *r, const char *allocator, const char *registers)
{
    rig_init(r, kernels);
    rig_set(r, "sm.count", "2");
    rig_set(r, "sm.allocator", allocator);
    rig_set(r, "sm.registers", registers);
    rig_set(r, "sm.register_unit", "16");
    rig_set(r, "sm.boundary_priority", "true");
    rig_set(r, "policy.patience", "300");
    given.most = CORUN_TARGET_FULL;
    rig_start(r, &gives, NULL, 2, true);
}

static u64 retired(struct rig *r) { return rig_stat(r, 0).sm.blocks_retired; }

static void cycle(struct rig *r)
{
    enum gpu_stop stop = gpu_advance(r->gpu, gpu_now(r->gpu) + 1);
    assert_true(stop == GPU_LIMIT || stop == GPU_ENDED);
    while (gpu_ended(r->gpu)) {}
}

static void until_retired(struct rig *r, u64 n)
{
    while (retired(r) < n) cycle(r);
}

/* Blocks of one warp: brief, lasting, brief, lasting. After the end of the brief blocks the
 * registers of two warps are free, and a block of two warps waits for them. The other SM is empty,
 * but the kernel has no target on the other SM. */
static void it_waits_for_room_in_one_piece(void **state)
{
    (void)state;
    for (u32 in_pieces = 0; in_pieces < 2; in_pieces++) {
        struct rig r;
        start(&r, in_pieces ? "first-fit" : "counters", "2048");
        rig_launch(&r, 0, "brief", 2, 32, 1, (u64[]){0});
        rig_launch(&r, 0, "lasting", 2, 32, 1, (u64[]){0});
        until_retired(&r, 2);
        u64 from = gpu_now(r.gpu);
        rig_launch(&r, 1, "brief", 1, 64, 1, (u64[]){0});
        for (u32 k = 0; k < 10; k++) cycle(&r); /* noted in the first of these cycles */
        assert_int_equal(rig_stat(&r, 1).allocator.fragmented_registers,
                         in_pieces ? 2 * WARP * 9 : 0);
        until_retired(&r, 3);
        u64 cycles = gpu_now(r.gpu) - 1 - from; /* noted in cycle `from`, over in the last */
        assert_true(cycles > 1000);
        u64 apart = rig_stat(&r, 1).allocator.fragmented_registers;
        assert_int_equal(apart, in_pieces ? 2 * WARP * cycles : 0);
        assert_int_equal(rig_stat(&r, 1).allocator.fragmented_shared, 0);
        assert_int_equal(rig_stat(&r, 1).sm.blocks_retired, !in_pieces);
        assert_in_range(given.settled_at, from, from + 1); /* no block could start */
        while (rig_stat(&r, 1).sm.blocks_retired < 1) cycle(&r);
        assert_int_equal(rig_stat(&r, 1).allocator.fragmented_registers, apart);
        rig_free(&r);
    }
}

static u32 full_blocks(struct rig *r, u32 threads, u32 registers, u32 shared, bool refused)
{
    struct program *p = rig_program(r, "brief");
    struct launch l = {.program = p, .grid = {1, 1, 1}, .block = {threads, 1, 1},
                       .registers = registers, .dynamic_shared_bytes = shared};
    struct gpu_occupancy o;
    struct text why = {0};
    const struct machine *m = gpu_machine(r->gpu);
    gpu_occupancy(m, &l, &o);
    const char *said = gpu_refuses(m, &l, &why);
    assert_int_equal(said != NULL, refused);
    if (refused) assert_non_null(strstr(said, "a part of an SM"));
    text_free(&why);
    return o.blocks_per_sm;
}

/* Two apps form one pair, three apps two pairs. An option gives two parts even with two apps. For
 * each app a part holds as many blocks as half of the SM. */
static void an_app_has_a_part(void **state)
{
    (void)state;
    const char *said[] = {"0", "1", "2", "0"};
    for (u32 parts = 0; parts < 4; parts++) {
        struct rig r;
        rig_init(&r, kernels);
        rig_set(&r, "sm.allocator", "2n-way");
        rig_set(&r, "sm.allocator_parts", said[parts]);
        rig_set(&r, "sm.registers", "10000");
        rig_set(&r, "sm.shared_bytes", "10000");
        rig_start(&r, &gives, NULL, parts == 3 ? 3 : 2, true);
        bool two = parts >= 2;
        assert_int_equal(full_blocks(&r, 64, 16, 0, false), two ? 4 : 9);
        assert_int_equal(full_blocks(&r, 32, 4, 2500, false), two ? 2 : 4);
        assert_int_equal(full_blocks(&r, 32, 4, 6000, two), two ? 0 : 1);
        assert_int_equal(full_blocks(&r, 256, 24, 0, two), two ? 0 : 1);
        rig_free(&r);
    }
}

/* Four blocks, two of them surplus; then the last blocks of a kernel, one of them at the
 * boundary. */
static void blocks_that_leave_are_urgent(void **state)
{
    (void)state;
    for (u32 ways = 0; ways < 2; ways++) {
        struct rig r;
        start(&r, ways ? "2-way" : "counters", "65536");
        struct sm *sm = &r.gpu->sms[0];
        given.most = 4;
        rig_launch(&r, 0, "lasting", 7, 32, 1, (u64[]){0});
        assert_int_equal(gpu_advance(r.gpu, 100), GPU_LIMIT);
        assert_int_equal(sm->policy.urgent, 0);
        assert_false(sm->front.governed);
        given.most = 2;
        gpu_ask(r.gpu);
        assert_int_equal(gpu_advance(r.gpu, 200), GPU_LIMIT);
        assert_int_equal(sm->policy.urgent, 3ull << 2); /* the youngest blocks */
        assert_int_equal(sm->front.scheduler[2].urgent, 1);
        assert_int_equal(sm->front.scheduler[1].urgent, 0);
        until_retired(&r, 2);
        assert_int_equal(sm->policy.urgent, 0);
        until_retired(&r, 5); /* two of 7 remain, none pending */
        assert_int_equal(__builtin_popcountll(sm->policy.urgent), ways);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_waits_for_room_in_one_piece),
        cmocka_unit_test(an_app_has_a_part),
        cmocka_unit_test(blocks_that_leave_are_urgent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
