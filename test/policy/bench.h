/* Test bench for policies: calls a policy's hooks as the simulator would, with kernels made up from
 * numbers. Runs no simulation. */
#ifndef TEST_BENCH_H
#define TEST_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "corun/policy.h"
#include "run/input/mechanism.h"

enum { BENCH_SMS = 32, BENCH_KERNELS = 8, BENCH_PARTITIONS = 4, BENCH_WAYS = 6 };

/* SM of paper 000 and kernels of its Table 2: threads, registers per thread, shared memory in
 * bytes */
#define SM_000 ((struct corun_resources){3072, 65536, 98304, 16})
#define BP "bp", 256, 12, 1088
#define SV "sv", 192, 16, 0
#define HS "hs", 256, 36, 3072
#define BS "bs", 512, 16, 0
#define DC "dc", 64, 36, 2048
#define KS "ks", 256, 12, 0
#define CD "cd", 64, 64, 0

struct bench {
    struct mechanisms policy;
    const struct corun_policy *hooks;
    void *state;
    const char *refused; /* reason given by init */
    uint64_t stats[16];
    struct corun_resources sm;
    uint32_t sm_n;
    struct corun_kernel kernels[BENCH_KERNELS];
    struct corun_alone alone[BENCH_KERNELS];
    uint32_t resident[BENCH_SMS * BENCH_KERNELS], target[BENCH_SMS * BENCH_KERNELS];
    struct corun_counts counts[BENCH_SMS][BENCH_KERNELS];
    struct corun_memory_counts memory[BENCH_PARTITIONS][BENCH_KERNELS];
    bool admit[BENCH_KERNELS], settled[BENCH_SMS], ended[BENCH_KERNELS];
    struct corun_view view;
    uint64_t reuse[BENCH_SMS][BENCH_KERNELS][BENCH_WAYS + 1];
    char line[201]; /* last line logged */
};

static inline void bench_count(const struct corun_view *view, uint32_t sm, uint32_t app_id,
                               struct corun_counts *out)
{
    *out = ((struct bench *)view->core)->counts[sm][app_id];
}

static inline void bench_count_memory(const struct corun_view *view, uint32_t partition,
                                      uint32_t app_id, struct corun_memory_counts *out)
{
    *out = ((struct bench *)view->core)->memory[partition][app_id];
}

static inline const uint64_t *bench_count_reuse(const struct corun_view *view, uint32_t sm,
                                                uint32_t app_id)
{
    return ((struct bench *)view->core)->reuse[sm][app_id];
}

static inline void bench_log(const struct corun_view *view, const char *line)
{
    struct bench *b = view->core;
    assert_true(strlen(line) < sizeof b->line);
    strcpy(b->line, line);
}

/* Sets up a policy on an SM `sm` with the caches of paper 000 and a DRAM data bus of 8 bytes per
 * cycle. `spec`: policies as on the command line. */
static inline void bench_init(struct bench *b, const char *spec, struct corun_resources sm,
                              uint32_t sm_n, uint32_t app_n)
{
    struct fail fail = {0};
    *b = (struct bench){.sm = sm, .sm_n = sm_n};
    bool right = mechanisms_parse(&b->policy, spec, &fail);
    if (!right) print_error("%s", text_get(&fail.text));
    assert_true(right);
    fail_free(&fail);
    b->hooks = b->policy.at[0].policy;
    b->state = calloc(1, b->hooks->state_bytes + 1);
    struct corun_setup setup = {.sm_n = sm_n, .app_n = app_n, .sm = sm, .seed = 1,
                                .partition_n = BENCH_PARTITIONS, .dram_bytes_per_cycle = 8,
                                .l1_bytes = 32768, .l1_ways = BENCH_WAYS, .l1_mshrs = 128,
                                .l1_missq = 8, .l2_ways = 16};
    if (b->hooks->init)
        b->refused = b->hooks->init(b->state, &setup, b->policy.at[0].values, b->stats);
    b->view = (struct corun_view){.sm_n = sm_n,
                                  .app_n = app_n,
                                  .partition_n = BENCH_PARTITIONS,
                                  .sm = sm,
                                  .kernels = b->kernels,
                                  .resident = b->resident,
                                  .target = b->target,
                                  .settled = b->settled,
                                  .app_ended = b->ended,
                                  .count = bench_count,
                                  .count_memory = bench_count_memory,
                                  .log = bench_log,
                                  .core = b,
                                  .count_reuse = bench_count_reuse};
}

static inline void bench_free(struct bench *b)
{
    free(b->state);
    mechanisms_free(&b->policy);
}

/* Launches the next app's kernel, with many blocks. */
static inline struct corun_kernel *bench_kernel(struct bench *b, const char *name, uint32_t threads,
                                                uint32_t registers, uint32_t shared_bytes)
{
    uint32_t k = b->view.kernel_n++;
    uint32_t whole = (threads + 31) / 32 * 32, each = (registers + 3) / 4 * 4;
    b->kernels[k] = (struct corun_kernel){.kernel_id = k,
                                          .app_id = k,
                                          .name = name,
                                          .block = {whole, whole * each, shared_bytes, 1},
                                          .launch_order = k,
                                          .grid_blocks = 100000,
                                          .pending_blocks = 100000};
    struct corun_resources none = {0};
    b->kernels[k].full_blocks = corun_room(&b->sm, &none, &b->kernels[k].block);
    return &b->kernels[k];
}

static inline void bench_tell(struct bench *b, enum corun_event_kind kind, uint32_t index)
{
    struct corun_event e = {.kind = kind, .kernel = index, .sm = index};
    if (b->hooks->watch) b->hooks->watch(b->state, &b->view, &e);
}

static inline void bench_ask(struct bench *b)
{
    uint32_t n = b->view.kernel_n;
    for (uint32_t k = 0; k < n; k++) b->admit[k] = true;
    if (b->hooks->admit) b->hooks->admit(b->state, &b->view, b->admit);
    for (uint32_t k = 0; k < n; k++) b->kernels[k].admitted = b->admit[k];
    uint32_t answer[BENCH_SMS * BENCH_KERNELS];
    for (uint32_t i = 0; i < b->sm_n * n; i++) answer[i] = CORUN_TARGET_FULL;
    if (b->hooks->share) b->hooks->share(b->state, &b->view, answer);
    memcpy(b->target, answer, b->sm_n * n * sizeof *answer);
}

/* Asserts equal targets on every SM: blocks[k] for kernel k. */
static inline void bench_expect(struct bench *b, const uint32_t *blocks)
{
    bench_ask(b);
    for (uint32_t s = 0; s < b->sm_n; s++)
        for (uint32_t k = 0; k < b->view.kernel_n; k++)
            assert_int_equal(b->target[s * b->view.kernel_n + k], blocks[k]);
}
#define EXPECT(b, ...) bench_expect(b, (const uint32_t[]){__VA_ARGS__})

/* Sets up two kernels on the GPU of paper 000. */
static inline void bench_pair(struct bench *b, const char *spec, const char *n0, uint32_t t0,
                              uint32_t r0, uint32_t s0, const char *n1, uint32_t t1, uint32_t r1,
                              uint32_t s1)
{
    bench_init(b, spec, SM_000, 16, 2);
    bench_kernel(b, n0, t0, r0, s0);
    bench_kernel(b, n1, t1, r1, s1);
}
#define PAIR(b, spec, ...) bench_pair(b, spec, __VA_ARGS__)

#endif
