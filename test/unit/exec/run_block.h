/* A functional runner: the warps of a block take turns, one instruction each, and wait at barriers;
 * no timing. A test gives PTX with a kernel `k(.param .u64 out, .param .u64 in, .param .u32 n)`. */
#ifndef RUN_BLOCK_H
#define RUN_BLOCK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/block/copy.h"
#include "exec/exec.h"
#include "isa/isa.h"
#include "ptx/ptx.h"

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define REGISTERS \
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<33>; .reg .b64 %d<33>; .reg .f32 %f<9>;\n" \
    ".reg .f64 %e<9>;\n"
/* %r0: thread number in the block, %d0: out, %d1: out + 4 * thread, %d2: in, %r1: n */
#define KERNEL \
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {\n" REGISTERS \
    "ld.param.u64 %d0, [out]; ld.param.u64 %d2, [in]; ld.param.u32 %r1, [n];\n" \
    "mov.u32 %r0, %tid.x; mad.wide.u32 %d1, %r0, 4, %d0;\n"
#define STORE_U32(r) "st.global.u32 [%d1], " r ";\n"
#define END "ret; }\n"

enum { OUT_BYTES = 8192, IN_BYTES = 8192, STEPS_MAX = 1000000 };

struct rig {
    struct source source;
    struct arena arena;
    struct fail fail;
    struct program *program;
    struct image image;
    struct block_state block;
    struct effect effect;
    struct warp *warps;
    u32 warp_n;
    u64 stopped[BARRIERS];      /* per barrier: waiting warps */
    u32 arrived[BARRIERS];      /* per barrier: threads */
    u64 out, in;
    _Alignas(8) u8 param[256];
    bool independent;     /* paths of a warp wait for one another */
    u32 steps;
    u64 branched;         /* steps with a branch */
    struct copies *copies;
    struct printer printer;
    struct text printed;
    struct warnings *warnings; /* or NULL */
};

static u32 rig_capability; /* for ptx_expand */
static inline int rig_expand(void **state)
{
    (void)state;
    rig_capability = 90;
    return 0;
}
static inline int rig_expand_end(void **state)
{
    (void)state;
    rig_capability = 0;
    return 0;
}
/* The test once more, with instructions as in machine code. */
#define EXPANDED(test) {#test " expanded", test, rig_expand, rig_expand_end, NULL}

static inline void rig_print(struct printer *p, const char *bytes, size_t n)
{
    text_put(&((struct rig *)((u8 *)p - offsetof(struct rig, printer)))->printed, bytes, n);
}

static inline void rig_init(struct rig *r, const char *ptx, u32 n)
{
    memset(r, 0, sizeof *r);
    r->source = (struct source){"t.ptx", ptx, strlen(ptx)};
    r->printer.put = rig_print;
    arena_init(&r->arena);
    image_init(&r->image, NULL);
    struct module *m = ptx_parse(&r->source, &r->arena, &r->fail);
    if (m) ptx_expand(m, rig_capability);
    if (m) r->program = ptx_lower(m, ptx_kernel_find(m, "k"), &r->arena, &r->fail);
    if (!r->program) fail_msg("%s", text_get(&r->fail.text));
    if (!exec_bind(r->program)) fail_msg("an instruction has no function");
    for (u32 k = 0; k < ptx_variable_n(m); k++) {
        const struct variable *v = ptx_variable(m, k);
        image_place(&r->image, v->address, v->size_bytes, v->name, v->space == SPACE_CONST);
        if (v->bytes) image_write(&r->image, v->address, v->bytes, v->size_bytes);
    }
    r->out = image_alloc(&r->image, OUT_BYTES, "out");
    r->in = image_alloc(&r->image, IN_BYTES, "in");
    memcpy(r->param, &r->out, 8);
    memcpy(r->param + 8, &r->in, 8);
    memcpy(r->param + 16, &n, 4);
}

static inline void rig_start(struct rig *r, u32 x, u32 y, u32 z)
{
    const struct program *p = r->program;
    u32 threads = x * y * z;
    static const struct timer timer = {.mhz = {1000, 1}};
    r->block = (struct block_state){.program = p,
                                    .timer = &timer,
                                    .image = &r->image,
                                    .printer = &r->printer,
                                    .param = r->param,
                                    .shared_bytes = p->shared_bytes,
                                    .local_bytes = p->local_bytes,
                                    .nctaid = {1, 1, 1},
                                    .cluster_shape = {1, 1, 1},
                                    .ntid = {x, y, z},
                                    .threads = threads,
                                    .independent = r->independent,
                                    .warnings = r->warnings,
                                    .sm_n = 1};
    if (p->copies) r->block.copies = r->copies = copies_new();
    r->block.shared = arena_alloc(&r->arena, p->shared_bytes + 64, 64);
    r->block.local = arena_alloc(&r->arena, (size_t)p->local_bytes * threads + 64, 64);
    r->warp_n = (u32)div_up(threads, LANES);
    r->warps = arena_array(&r->arena, struct warp, r->warp_n);
    for (u32 k = 0; k < r->warp_n; k++) {
        u8 *rows = arena_alloc(&r->arena, warp_row_bytes(p) + 64, 64);
        u32 *preds = arena_array(&r->arena, u32, p->pred_n + 1);
        struct path *stack = arena_alloc(&r->arena, warp_stack_bytes(p), 64);
        warp_start(&r->warps[k], &r->block, k, rows, preds, stack, &r->effect);
    }
}

static inline u32 rig_threads_left(const struct rig *r)
{
    u32 n = 0;
    for (u32 k = 0; k < r->warp_n; k++) n += (u32)__builtin_popcount(r->warps[k].alive);
    return n;
}

static inline void rig_barrier(struct rig *r, u32 id, u32 threads, bool all)
{
    u32 want = all ? rig_threads_left(r) : threads;
    if (!r->arrived[id] || r->arrived[id] < want) return;
    for (u32 k = 0; k < r->warp_n; k++)
        if (r->stopped[id] >> k & 1) warp_barrier_release(&r->warps[k], id);
    r->stopped[id] = r->arrived[id] = r->block.reduce[id] = 0;
}

/* Completes copies of warp k, oldest first: all, or only as many as the warp waits for. */
static inline void rig_land(struct rig *r, u32 k, bool all)
{
    const struct copies *c = &r->copies[k];
    for (u32 j = 0; j < c->n && (all || !copies_over(&r->warps[k])); j = 0) {
        while (j < c->n && c->at[j].arrives) j++;
        if (j == c->n) return;
        copies_land(&r->warps[k], c->at[j].number);
    }
}

/* Executes one instruction of warp k; false: the warp has ended or waits. */
static inline bool rig_step(struct rig *r, u32 k)
{
    struct warp *w = &r->warps[k];
    struct effect *e = &r->effect;
    if (!w->alive || e->fault.what) return false;
    for (u32 id = 0; id < BARRIERS; id++)
        if (r->stopped[id] >> k & 1) return false;
    u32 lanes = w->alive;
    const struct ptx_inst *i = ptx_next(w);
    warp_step(w);
    r->steps++;
    r->branched += e->branched;
    if (e->fault.what) return false;
    if (e->kind == EFFECT_COPIES) rig_land(r, k, false);
    bool asks = r->copies && i->form.op == OP_MBARRIER && i->dst_pred != PRED_NONE;
    bool waits = asks && e->executed & ~w->pred[i->dst_pred]; /* for a phase */
    for (u32 j = 0; waits && j < r->warp_n; j++) rig_land(r, j, true);
    if (e->kind == EFFECT_BARRIER) {
        u32 id = e->barrier_id, left = (u32)__builtin_popcount(lanes);
        r->arrived[id] += e->barrier_threads ? LANES : left;
        if (e->barrier_waits) r->stopped[id] |= 1ull << k;
        rig_barrier(r, id, e->barrier_threads, !e->barrier_threads);
    }
    if (e->exited)
        for (u32 id = 0; id < BARRIERS; id++)
            if (r->stopped[id]) rig_barrier(r, id, 0, true);
    return true;
}

/* Runs to the end; returns NULL or the fault. */
static inline const char *rig_run(struct rig *r, u32 threads)
{
    rig_start(r, threads, 1, 1);
    bool moved = true;
    while (moved) {
        moved = false;
        for (u32 k = 0; k < r->warp_n; k++) moved |= rig_step(r, k);
        if (r->steps > STEPS_MAX) fail_msg("the kernel does not end");
    }
    if (!r->effect.fault.what && rig_threads_left(r)) fail_msg("the kernel waits for ever");
    return r->effect.fault.what;
}

static inline u32 rig_u32(const struct rig *r, u32 index)
{
    u32 value = 0;
    assert_true(image_read(&r->image, r->out + index * 4ull, &value, 4));
    return value;
}

static inline u64 rig_u64(const struct rig *r, u32 index)
{
    u64 value = 0;
    assert_true(image_read(&r->image, r->out + index * 8ull, &value, 8));
    return value;
}

static inline void rig_free(struct rig *r)
{
    image_free(&r->image);
    copies_free(r->copies);
    r->copies = NULL;
    arena_free(&r->arena);
    fail_free(&r->fail);
    text_free(&r->printed);
}

/* Runs a body without a fault; the caller frees the rig. */
static inline void rig_good(struct rig *r, const char *ptx, u32 threads, u32 n)
{
    rig_init(r, ptx, n);
    const char *what = rig_run(r, threads);
    if (what) fail_msg("fault: %s in lane %u, line %u, pc %u", what, r->effect.fault.lane,
                       r->effect.fault.line, r->effect.fault.pc);
}

#endif
