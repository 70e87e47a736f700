/* A program's step function is the only access to the effects of its instructions. A second front
 * end without registers and memory fills only struct inst and replays the effects recorded from the
 * first, and timing is identical. */
#include "rig.h"
#include "isa/ptx_inst.h"

enum { BLOCKS = 40, THREADS = 96, WARPS = BLOCKS * THREADS / LANES, STEPS_MAX = 200 };

/* Result of a warp's step. */
struct report {
    struct effect effect;
    u32 pc;
};
struct tape {
    struct report *reports; /* [STEPS_MAX] */
    u32 n, at;
};
static struct {
    /* the recorded front end */
    void (*step)(struct warp *w);
    struct tape tapes[WARPS];
    u64 steps;
} trace;

static struct tape *tape_of(const struct warp *w)
{
    return &trace.tapes[w->block->ctaid[0] * (THREADS / LANES) + w->warp_id];
}

static void step_and_record(struct warp *w)
{
    struct tape *t = tape_of(w);
    assert_true(t->n < STEPS_MAX);
    trace.step(w);
    trace.steps++;
    t->reports[t->n++] = (struct report){*w->effect, w->pc};
}

static void step_from_tape(struct warp *w)
{
    assert_null(w->program->ptx);
    struct tape *t = tape_of(w);
    struct effect *e = w->effect;
    struct store_entry *store_buffer = e->store_buffer;
    struct output *output = e->output;
    assert_true(t->at < t->n);
    *e = t->reports[t->at].effect;
    e->store_buffer = store_buffer;
    e->output = output;
    e->store_n = 0; /* this front end has no memory */
    w->pc = t->reports[t->at++].pc;
    trace.steps++;
}

static const char text[] = PTX_HEAD
    ".visible .entry k(.param .u64 out) {\n"
    ".reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<5>; .shared .align 4 .b8 s[1024];\n"
    "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    "mad.lo.u32 %r2, %r1, 96, %r0; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %d0, %d1;\n"
    "mul.lo.u32 %r3, %r2, 167; and.b32 %r3, %r3, 4095; mul.wide.u32 %d2, %r3, 4;\n"
    "add.u64 %d2, %d0, %d2; mov.u32 %r5, s; mad.lo.u32 %r5, %r0, 8, %r5;\n"
    "mov.u32 %r6, 0;\n"
    "again: ld.global.u32 %r4, [%d2]; st.shared.u32 [%r5], %r4; bar.sync 0;\n"
    "and.b32 %r7, %r0, 3; setp.lt.u32 %p0, %r6, %r7;\n"
    "@!%p0 bra skip; sin.approx.f32 %r4, %r4; red.global.add.u32 [%d0], %r4;\n"
    "skip: add.u32 %r6, %r6, 1; add.u64 %d2, %d2, 4096; setp.lt.u32 %p1, %r6, 3;\n"
    "@%p1 bra again; ld.shared.u32 %r4, [%r5]; st.global.u32 [%d1], %r4; ret; }\n";

/* Returns what a trace would hold of a program: the timing part alone. */
static struct program traced(const struct program *p)
{
    struct program t = {.name = p->name,
                        .step = step_from_tape,
                        .code = p->code,
                        .code_n = p->code_n,
                        .entry = p->entry,
                        .row_n = p->row_n,
                        .pred_n = p->pred_n,
                        .registers = p->registers,
                        .shared_bytes = p->shared_bytes};
    assert_int_equal(warp_row_bytes(&t) + warp_pred_bytes(&t) + warp_stack_bytes(&t), 0);
    return t;
}

static u64 run(bool replays, struct gpu_stat *stat)
{
    struct rig r;
    rig_init(&r, text);
    rig_start(&r, &corun_policy_leftover, NULL, 1, true);
    u64 out = image_alloc(&r.image[0], 1 << 16, "out");
    struct program *p = rig_program(&r, "k"), alone = traced(p);
    trace.step = p->step;
    trace.steps = 0;
    p->step = step_and_record;
    if (replays) memset(p->ptx->code, 0, sizeof *p->ptx->code * p->code_n);
    rig_launch_program(&r, 0, replays ? &alone : p, BLOCKS, THREADS, 1, &out);
    assert_int_equal(gpu_advance(r.gpu, 1000000), GPU_ENDED);
    u64 cycles = gpu_now(r.gpu);
    *stat = rig_stat(&r, 0);
    assert_true(stat->sm.inst_warp == trace.steps && trace.steps > 50 * WARPS);
    rig_free(&r);
    return cycles;
}

static void test_replay(void **state)
{
    struct gpu_stat live, replayed;
    (void)state;
    for (u32 i = 0; i < WARPS; i++) {
        trace.tapes[i].reports = aligned_alloc(64, STEPS_MAX * sizeof *trace.tapes[i].reports);
        assert_non_null(trace.tapes[i].reports);
    }
    u64 cycles = run(false, &live);
    assert_true(run(true, &replayed) == cycles);
    for (u32 i = 0; i < gpu_stat_row_n; i++) {
        u64 a = stat_get(&live, &gpu_stat_rows[i]), b = stat_get(&replayed, &gpu_stat_rows[i]);
        if (a != b) fail_msg("%s: %llu and %llu", gpu_stat_rows[i].name, (unsigned long long)a,
                             (unsigned long long)b);
    }
    for (u32 i = 0; i < WARPS; i++) {
        assert_true(trace.tapes[i].at == trace.tapes[i].n);
        free(trace.tapes[i].reports);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_replay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
