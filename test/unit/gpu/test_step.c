/* A cycle of the SMs: all SMs tick, then the effects of the ticks become known in order of SMs. */
#include "gpu/state.h"
#include "rig.h"
#include "test/unit/one_processor.h"

/* Prints the number of the block; block `wild` passes an address without memory as the format. */
static const char text[] = PTX_HEAD
    ".extern .func (.param .b32 z) vprintf (.param .b64 a, .param .b64 b);\n"
    ".global .align 1 .b8 format[4] = {37, 117, 32, 0};\n"
    ".visible .entry say(.param .u64 wild)\n{\n"
    " .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .pred %p<2>; .local .align 8 .b8 buffer[8];\n"
    " ld.param.u64 %rd1, [wild]; cvt.u32.u64 %r1, %rd1; mov.u32 %r2, %ctaid.x;\n"
    " st.local.u32 [buffer], %r2; setp.eq.u32 %p1, %r1, %r2;\n"
    " mov.u64 %rd2, format; cvta.global.u64 %rd2, %rd2; selp.b64 %rd2, 64, %rd2, %p1;\n"
    " mov.u64 %rd3, buffer; cvta.local.u64 %rd3, %rd3;\n"
    " { .param .b64 p; .param .b64 q; .param .b32 z;\n"
    " st.param.b64 [p], %rd2; st.param.b64 [q], %rd3; call.uni (z), vprintf, (p, q); }\n"
    " ret;\n}\n"
    /* each thread reads lines of its own */
    ".visible .entry lines(.param .u64 in)\n{\n"
    " .reg .b32 %r<6>; .reg .b64 %rd<4>;\n"
    " ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 512;\n"
    " add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r2, [%rd3]; ld.global.u32 %r3, [%rd3+128];\n"
    " ld.global.u32 %r4, [%rd3+256]; ld.global.u32 %r5, [%rd3+384];\n"
    " add.s32 %r2, %r2, %r3; add.s32 %r4, %r4, %r5; add.s32 %r2, %r2, %r4;\n"
    " st.global.u32 [%rd3], %r2; ret;\n}\n"
    /* without memory, and with a store in each round of ten instructions */
    ".visible .entry computes(.param .u64 out)\n{\n"
    " .reg .b32 %r<4>; .reg .pred %p<2>;\n mov.u32 %r1, 0;\n"
    "again:\n add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 300; @%p1 bra again;\n ret;\n}\n"
    ".visible .entry stores(.param .u64 out)\n{\n"
    " .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
    " ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r3, %ctaid.x;\n"
    " mad.lo.s32 %r1, %r3, 256, %r1; mul.wide.u32 %rd2, %r1, 4;\n"
    " add.s64 %rd1, %rd1, %rd2; mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
    "again:\n st.global.u32 [%rd1], %r1; add.s32 %r1, %r1, 1;\n"
    " add.s32 %r2, %r2, 1; add.s32 %r2, %r2, 1; add.s32 %r2, %r2, 1; add.s32 %r2, %r2, 1;\n"
    " add.s32 %r2, %r2, 1; add.s32 %r2, %r2, 1;\n"
    " setp.lt.s32 %p1, %r1, 60; @%p1 bra again;\n ret;\n}\n";

enum { SMS = 3 };

struct said {
    struct printer printer;
    struct text text;
    u32 n;
};

static void hear(struct printer *p, const char *bytes, size_t n)
{
    struct said *said = (struct said *)(void *)p;
    text_put(&said->text, bytes, n);
    said->n++;
}

/* Runs a block on each SM; all print, or fault, in the same cycle. */
static enum gpu_stop say(struct rig *r, struct said *said, u64 wild)
{
    *said = (struct said){.printer.put = hear};
    rig_init(r, text);
    rig_set(r, "sm.count", "3");
    rig_start(r, &corun_policy_leftover, NULL, 1, true);
    r->printer = &said->printer;
    rig_launch(r, 0, "say", SMS, 1, 1, &wild);
    while (!said->n) {
        enum gpu_stop stop = gpu_advance(r->gpu, gpu_now(r->gpu) + 1);
        if (stop != GPU_LIMIT) return stop;
    }
    return GPU_LIMIT;
}

static void output_comes_in_order_of_sms(void **state)
{
    (void)state;
    struct rig r;
    struct said said;
    assert_int_equal(say(&r, &said, SMS), GPU_LIMIT);
    assert_string_equal(text_get(&said.text), "0 1 2 ");
    text_free(&said.text);
    rig_free(&r);
}

/* The lower SM's output is kept, the higher SM's is not; both SMs have executed the cycle. */
static void output_ends_with_a_fault(void **state)
{
    (void)state;
    static const char *const want[] = {"", "0 ", "0 1 "};
    for (u64 wild = 0; wild < SMS; wild++) {
        struct rig r;
        struct said said;
        assert_int_equal(say(&r, &said, wild), GPU_FAULT);
        assert_int_equal(gpu_trouble(r.gpu)->sm_id, wild);
        assert_int_equal(gpu_trouble(r.gpu)->fault.address, 64);
        assert_string_equal(text_get(&said.text), want[wild]);
        u64 issued = r.gpu->sms[wild].stat[0].inst_warp;
        for (u32 k = 0; k < SMS; k++)
            assert_int_equal(r.gpu->sms[k].stat[0].inst_warp, issued);
        text_free(&said.text);
        rig_free(&r);
    }
}

/* Several SMs fault in the same cycle. */
static void the_lowest_sm_reports_its_fault(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, text);
    rig_set(&r, "sm.count", "3");
    rig_start(&r, &corun_policy_leftover, NULL, 1, true);
    u64 nothing = 0;
    rig_launch(&r, 0, "lines", SMS, 32, 1, &nothing);
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_FAULT);
    assert_int_equal(gpu_trouble(r.gpu)->sm_id, 0);
    for (u32 k = 0; k < SMS; k++) assert_true(r.gpu->sms[k].front.faulted);
    rig_free(&r);
}

/* An SM has more requests under way than its supply held at first, and returns most at the end. */
static void supplies_grow_and_shrink(void **state)
{
    (void)state;
    enum { THREADS = 1024 };
    struct rig r;
    rig_init(&r, text);
    rig_set(&r, "sm.count", "1");
    rig_set(&r, "l1.mshrs", "4096");
    rig_start(&r, &corun_policy_leftover, NULL, 1, true);
    const struct req_supply *s = r.gpu->sms[0].lsu.l1.requests;
    u32 at_first = s->taken, most = 0;
    rig_launch(&r, 0, "lines", 1, THREADS, 1,
               (u64[]){image_alloc(&r.image[0], THREADS * 512, "in")});
    enum gpu_stop stop = GPU_LIMIT;
    while (stop == GPU_LIMIT) {
        stop = gpu_advance(r.gpu, gpu_now(r.gpu) + 1);
        assert_true(req_is_settled(s));
        most = max_u32(most, s->taken);
    }
    assert_int_equal(stop, GPU_ENDED);
    assert_int_equal(req_used(s), 0);
    assert_true(most > at_first + 4);
    assert_true(s->taken <= at_first + 2);
    rig_free(&r);
}

/* Runs the kernel on 24 SMs; returns the cycle of its end, and the crew of the end. */
static u64 end_on_threads(const char *kernel, struct gpu_threads threads, struct crew *crew)
{
    struct rig r;
    rig_init(&r, text);
    rig_set(&r, "sm.count", "24");
    rig_set(&r, "map.channels", "16");
    rig_start(&r, &corun_policy_leftover, NULL, 1, true);
    r.gpu->threads = threads;
    rig_launch(&r, 0, kernel, 24, 256, 1, (u64[]){image_alloc(&r.image[0], 32768, "out")});
    assert_int_equal(gpu_advance(r.gpu, NEVER), GPU_ENDED);
    u64 end = gpu_now(r.gpu);
    *crew = r.gpu->crew;
    rig_free(&r);
    return end;
}

/* A second thread is used if the SMs have many ticks and few requests, unless the processors are
 * busy, and changes no cycle. */
static void threads_are_worth_their_meeting(void **state)
{
    (void)state;
    static const char *const kernels[] = {"computes", "stores"};
    for (u32 k = 0; k < COUNT_OF(kernels); k++) {
        struct crew crew;
        u64 end = end_on_threads(kernels[k], (struct gpu_threads){.n = 1}, &crew);
        assert_int_equal(crew.n, 0);
        struct gpu_threads two = {.n = 2};
        assert_int_equal(end_on_threads(kernels[k], two, &crew), end);
        assert_int_equal(crew.worth, k ? 1 : 2);
        assert_int_equal(crew.n, crew.rest ? 1 : crew.worth);
        struct gpu_threads all = {.n = 3, .all = true};
        assert_int_equal(end_on_threads(kernels[k], all, &crew), end);
        assert_int_equal(crew.n, 3);
        all.n = TEAM_MOST; /* more than SMs */
        assert_int_equal(end_on_threads(kernels[k], all, &crew), end);
        assert_int_equal(crew.n, 24);
    }
}

/* With two threads on one processor the GPU goes on with one thread after an epoch. */
static void threads_rest_on_a_busy_processor(void **state)
{
    (void)state;
    cpu_set_t before = one_processor();
    struct crew crew;
    end_on_threads("computes", (struct gpu_threads){.n = 2}, &crew);
    assert_int_equal(crew.worth, 2);
    assert_in_range(crew.rest, 1, 32);
    assert_int_equal(crew.n, 1);
    sched_setaffinity(0, sizeof before, &before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_comes_in_order_of_sms),
        cmocka_unit_test(output_ends_with_a_fault),
        cmocka_unit_test(the_lowest_sm_reports_its_fault),
        cmocka_unit_test(supplies_grow_and_shrink),
        cmocka_unit_test(threads_are_worth_their_meeting),
        cmocka_unit_test(threads_rest_on_a_busy_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
