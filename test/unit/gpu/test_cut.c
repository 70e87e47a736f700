/* Cuts: an app by itself takes the same cycles and counts the same with copies of parts as without,
 * and two apps on separate SMs take with copies of the memory what each takes by itself. */
#include "work.h"

extern const struct corun_policy corun_policy_smk_even;

enum { COUNT = 1 << 20, ROOM = 1 << 18 };

struct ended {
    u64 cycle;
    struct gpu_stat stat;
};

static const struct corun_value separate[] = {{.word = "even"}, {.word = "off"}};

static const struct cut cuts[] = {
    {.n = 2, .dram = true},
    {.n = 2, .l2 = true},
    {.n = 2, .l2 = true, .dram = true},
    {.n = 2, .l2 = true, .dram = true, .sms = true},
};

/* One slice at a channel; two, and another clock; halves. */
static const char *const machines[] = {
    "sm.count=4 map.channels=4 l2.sets=16",
    "sm.count=4 map.channels=2 map.slices_per_channel=2 l2.sets=16 clock.dram_mhz=1700",
    ("sm.count=4 map.channels=4 map.hash=rotate map.halves=2 l2.sector_bytes=128 "
     "l2.write_miss=lazy l2.sets=16"),
};

static void set_all(struct rig *r, const char *sets)
{
    char text[300], *save;
    snprintf(text, sizeof text, "%s", sets);
    for (char *one = strtok_r(text, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
        char *value = strchr(one, '=');
        *value++ = 0;
        rig_set(r, one, value);
    }
}

static u32 grid = 48; /* blocks of a launch */

/* Runs the apps of `apps`, a bit each, to their ends. */
static void run(struct ended out[2], const char *machine, const struct cut *cut, u32 apps,
                bool skip, const struct corun_policy *policy)
{
    struct rig r;
    rig_init(&r, kernels);
    set_all(&r, machine);
    if (cut) r.cut = *cut;
    rig_start(&r, policy, policy == &corun_policy_spatial ? separate : NULL, 2, skip);
    for (u32 a = 0; a < 2; a++) {
        u64 at = image_alloc(&r.image[a], COUNT, "out");
        if (apps >> a & 1) rig_launch(&r, a, "work", grid, 128, 2, (u64[]){at, at + ROOM});
    }
    for (u32 left = (u32)__builtin_popcount(apps); left; left--) {
        assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
        const struct gpu_end *e = gpu_ended(r.gpu);
        out[e->launch.app_id].cycle = e->ended;
    }
    for (u32 a = 0; a < 2; a++) out[a].stat = rig_stat(&r, a);
    u64 allocated, freed, in_flight;
    gpu_request_count(r.gpu, &allocated, &freed, &in_flight);
    assert_int_equal(allocated, freed + in_flight);
    rig_free(&r);
}

static void assert_same(const struct ended *a, const struct ended *b)
{
    assert_int_equal(a->cycle, b->cycle);
    for (u32 i = 0; i < gpu_stat_row_n; i++)
        if (stat_get(&a->stat, &gpu_stat_rows[i]) != stat_get(&b->stat, &gpu_stat_rows[i]))
            fail_msg("%s differs", gpu_stat_rows[i].name);
}

static void an_app_by_itself_has_nothing_to_share(void **state)
{
    (void)state;
    for (u32 m = 0; m < COUNT_OF(machines); m++) {
        for (u32 k = 0; k < 4; k++) {
            u32 app = k / 2;
            struct ended without[2], with[2];
            run(without, machines[m], NULL, 1u << app, k % 2, &corun_policy_leftover);
            for (u32 c = 0; c < COUNT_OF(cuts); c++) {
                struct cut cut = cuts[c];
                cut.of[1] = 1;
                run(with, machines[m], &cut, 1u << app, k % 2, &corun_policy_leftover);
                assert_same(&without[app], &with[app]);
            }
        }
    }
}

/* With a number of blocks per SM as target, a block may start when another has left. */
static void blocks_leave_the_sm_that_they_were_given(void **state)
{
    (void)state;
    struct ended without[2], with[2];
    struct cut cut = cuts[3];
    cut.of[1] = 1;
    run(without, machines[0], NULL, 2, true, &corun_policy_smk_even);
    run(with, machines[0], &cut, 2, true, &corun_policy_smk_even);
    assert_same(&without[1], &with[1]);
}

static void apps_on_separate_sms_share_only_the_memory(void **state)
{
    (void)state;
    for (u32 m = 0; m < COUNT_OF(machines); m++) {
        struct ended one[2], other[2], both[2], shared[2];
        run(one, machines[m], NULL, 1, true, &corun_policy_spatial);
        run(other, machines[m], NULL, 2, true, &corun_policy_spatial);
        run(shared, machines[m], NULL, 3, true, &corun_policy_spatial);
        assert_true(shared[0].cycle > one[0].cycle);
        for (u32 c = 2; c < COUNT_OF(cuts); c++) {
            struct cut cut = cuts[c];
            cut.of[1] = 1;
            run(both, machines[m], &cut, 3, true, &corun_policy_spatial);
            assert_same(&both[0], &one[0]);
            assert_same(&both[1], &other[1]);
        }
        for (u32 c = 0; c < 2; c++) {
            struct cut cut = cuts[c];
            struct ended every[2];
            cut.of[1] = 1;
            run(both, machines[m], &cut, 3, true, &corun_policy_spatial);
            run(every, machines[m], &cut, 3, false, &corun_policy_spatial);
            assert_same(&both[0], &every[0]);
            assert_same(&both[1], &every[1]);
        }
    }
}

/* Without room for another app's blocks on an SM, an app with SMs to itself still waits. */
static void copies_of_an_sm_share_the_room(void **state)
{
    (void)state;
    struct ended sms[2], alone[2];
    struct cut cut = cuts[3];
    cut.of[1] = 1;
    grid = 16; /* all blocks of the first app fit at once: the second app is admitted at once */
    static const char small[] = "sm.count=4 map.channels=4 l2.sets=16 sm.blocks=4";
    run(sms, small, &cut, 3, true, &corun_policy_leftover);
    run(alone, small, NULL, 2, true, &corun_policy_leftover);
    assert_true(sms[1].cycle > sms[0].cycle);
    assert_true(sms[1].cycle > alone[1].cycle * 3 / 2);
    assert_int_equal(sms[0].stat.max_resident, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_app_by_itself_has_nothing_to_share),
        cmocka_unit_test(blocks_leave_the_sm_that_they_were_given),
        cmocka_unit_test(apps_on_separate_sms_share_only_the_memory),
        cmocka_unit_test(copies_of_an_sm_share_the_room)};
    return cmocka_run_group_tests_name("cut", tests, NULL, NULL);
}
