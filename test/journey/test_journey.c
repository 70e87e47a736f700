/* The path of a load and of a block as timelines, compared line by line with stored text. A model
 * change that moves events must say why; `test_journey show` prints the new timelines. */
#include "../unit/gpu/rig.h"

static const char kernels[] = PTX_HEAD
    ".visible .entry load(.param .u64 in, .param .u64 out)\n{\n"
    " .reg .b32 %r<3>; .reg .b64 %rd<4>;\n"
    " ld.param.u64 %rd1, [in];\n ld.param.u64 %rd2, [out];\n"
    " ld.global.u32 %r1, [%rd1];\n add.s32 %r2, %r1, 1;\n st.global.u32 [%rd2], %r2;\n ret;\n}\n"
    ".visible .entry twice(.param .u64 in, .param .u64 out)\n{\n"
    " .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    " ld.param.u64 %rd1, [in];\n ld.global.u32 %r1, [%rd1];\n add.s32 %r2, %r1, 1;\n"
    " ld.global.u32 %r3, [%rd1];\n ret;\n}\n";

static bool show;

static void lines_compare(const char *what, const struct text *got, const char *want)
{
    if (show) {
        print_message("--- %s\n%s", what, text_get(got));
        return;
    }
    assert_string_equal(text_get(got), want);
}

struct stage {
    const char *what;
    size_t offset;
};
#define STAGE(what, field)                                                                         \
    {                                                                                              \
        what, offsetof(struct gpu_stat, field)                                                     \
    }
static const struct stage stages[] = {
    STAGE("memory instruction issued", sm.minst),
    STAGE("L1 hit", l1.hits),
    STAGE("L1 miss", l1.misses),
    STAGE("crossbar towards L2", to_l2.packets),
    STAGE("L2 access", l2.accesses),
    STAGE("DRAM activate", dram.activates),
    STAGE("DRAM column read", dram.reads),
    STAGE("crossbar towards the SM", to_sm.packets),
    STAGE("load answered", sm.load_n),
    STAGE("block retired", sm.blocks_retired),
};

static void timeline(const char *kernel, struct text *out)
{
    struct rig r;
    rig_init(&r, kernels);
    rig_start(&r, &corun_policy_leftover, NULL, 1, true);
    u64 in = image_alloc(&r.image[0], 4096, "in"), to = image_alloc(&r.image[0], 4096, "out");
    rig_launch(&r, 0, kernel, 1, 1, 2, (u64[]){in, to});
    struct gpu_stat before = {0};
    enum gpu_stop stop = GPU_LIMIT;
    while (stop == GPU_LIMIT) {
        u64 now = gpu_now(r.gpu);
        stop = gpu_advance(r.gpu, now + 1);
        struct gpu_stat s = rig_stat(&r, 0);
        for (u32 k = 0; k < COUNT_OF(stages); k++) {
            u64 n = *(u64 *)((char *)&s + stages[k].offset) -
                    *(u64 *)((char *)&before + stages[k].offset);
            if (n) text_add(out, "%lu %s%s\n", now, stages[k].what, n > 1 ? " (several)" : "");
        }
        before = s;
        assert_true(now < 5000);
    }
    assert_int_equal(stop, GPU_ENDED);
    rig_free(&r);
}

static void a_load_to_dram_and_back(void **state)
{
    (void)state;
    struct text t = {0};
    timeline("load", &t);
    lines_compare("load", &t,
                  "6 memory instruction issued\n"
                  "10 L1 miss\n"
                  "11 crossbar towards L2\n"
                  "135 L2 access\n"
                  "237 DRAM activate\n"
                  "256 DRAM column read\n"
                  "260 DRAM column read\n"
                  "265 DRAM column read\n"
                  "269 DRAM column read\n"
                  "290 crossbar towards the SM\n"
                  "299 load answered\n"
                  "313 memory instruction issued\n"
                  "317 L1 miss\n"
                  "318 crossbar towards L2\n"
                  "443 L2 access\n"
                  "546 DRAM activate\n"
                  "565 crossbar towards the SM\n"
                  "569 block retired\n");
    text_free(&t);
}

static void a_second_load_hits(void **state)
{
    (void)state;
    struct text t = {0};
    timeline("twice", &t);
    lines_compare("twice", &t,
                  "6 memory instruction issued\n"
                  "10 L1 miss\n"
                  "11 crossbar towards L2\n"
                  "135 L2 access\n"
                  "237 DRAM activate\n"
                  "256 DRAM column read\n"
                  "260 DRAM column read\n"
                  "265 DRAM column read\n"
                  "269 DRAM column read\n"
                  "290 crossbar towards the SM\n"
                  "299 load answered\n"
                  "313 memory instruction issued\n"
                  "317 L1 hit\n"
                  "317 load answered\n"
                  "321 block retired\n");
    text_free(&t);
}

/* ---- blocks ---- */

struct diary {
    struct text *out;
};
static struct text *diary_text;

static const char *diary_init(void *state, const struct corun_setup *setup,
                              const struct corun_value *values, uint64_t *stats)
{
    (void)setup, (void)values, (void)stats;
    ((struct diary *)state)->out = diary_text;
    return NULL;
}

static void diary_watch(void *state, const struct corun_view *v, const struct corun_event *e)
{
    static const char *const words[] = {"launch", "out of blocks", "kernel end", "block start",
                                        "block end"};
    struct diary *d = state;
    if (e->kind == CORUN_SETTLED) {
        text_add(d->out, "%lu sm %u settled\n", v->now, e->sm);
        return;
    }
    const struct corun_kernel *k = &v->kernels[e->kernel];
    text_add(d->out, "%lu app %u %s", v->now, k->app_id, words[e->kind]);
    if (e->kind >= CORUN_BLOCK_START) text_add(d->out, " sm %u", e->sm);
    text_add(d->out, ", %lu pending, %lu running\n", k->pending_blocks, k->running_blocks);
}

static void blocks_of_two_kernels_on_one_sm(void **state)
{
    (void)state;
    struct text t = {0};
    diary_text = &t;
    static const struct corun_policy diary = {.abi = CORUN_POLICY_ABI,
                                              .size_bytes = sizeof diary,
                                              .name = "diary",
                                              .state_bytes = sizeof(struct diary),
                                              .init = diary_init,
                                              .watch = diary_watch};
    struct rig r;
    rig_init(&r, kernels);
    rig_set(&r, "sm.count", "1");
    rig_set(&r, "sm.blocks", "2");
    r.beside = &diary;
    rig_start(&r, &corun_policy_leftover, NULL, 2, true);
    for (u32 a = 0; a < 2; a++) {
        u64 in = image_alloc(&r.image[a], 4096, "in"), to = image_alloc(&r.image[a], 4096, "out");
        rig_launch(&r, a, "load", a ? 2 : 3, 32, 2, (u64[]){in, to});
    }
    while (gpu_advance(r.gpu, NEVER) == GPU_ENDED) {}
    lines_compare("blocks", &t,
                  "0 app 0 launch, 3 pending, 0 running\n"
                  "0 app 1 launch, 2 pending, 0 running\n"
                  "0 app 0 block start sm 0, 2 pending, 1 running\n"
                  "1 app 0 block start sm 0, 1 pending, 2 running\n"
                  "1 sm 0 settled\n"
                  "571 app 0 block end sm 0, 1 pending, 1 running\n"
                  "571 app 0 block start sm 0, 0 pending, 2 running\n"
                  "571 app 0 out of blocks, 0 pending, 2 running\n"
                  "622 app 0 block end sm 0, 0 pending, 1 running\n"
                  "622 app 1 block start sm 0, 1 pending, 1 running\n"
                  "734 app 0 block end sm 0, 0 pending, 0 running\n"
                  "734 app 0 kernel end, 0 pending, 0 running\n"
                  "734 app 1 block start sm 0, 0 pending, 2 running\n"
                  "734 app 1 out of blocks, 0 pending, 2 running\n"
                  "1228 app 1 block end sm 0, 0 pending, 1 running\n"
                  "1280 app 1 block end sm 0, 0 pending, 0 running\n"
                  "1280 app 1 kernel end, 0 pending, 0 running\n");
    text_free(&t);
    rig_free(&r);
}

int main(int argc, char **argv)
{
    show = argc > 1 && !strcmp(argv[1], "show");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_to_dram_and_back),
        cmocka_unit_test(a_second_load_hits),
        cmocka_unit_test(blocks_of_two_kernels_on_one_sm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
