/* Two kernels under maestro, for the worked examples: epochs with given progress by role, and the
 * targets that follow. */
#ifndef CORUN_TEST_MAESTRO_H
#define CORUN_TEST_MAESTRO_H

#include "bench.h"
#include "policy/blocks/maestro.c"

enum { FULL = -1 }; /* CORUN_TARGET_FULL in tables of this file */

static inline const struct maestro *of(const struct bench *b) { return b->state; }

/* Sets up two equal kernels: 8 blocks of either alone, or 4 of each. */
static inline void twins(struct bench *b, const char *spec, uint32_t sm_n)
{
    bench_init(b, spec, (struct corun_resources){2048, 65536, 98304, 32}, sm_n, 2);
    bench_kernel(b, "a", 256, 8, 0);
    bench_kernel(b, "b", 256, 8, 0);
}

static inline void begin(struct bench *b, const char *spec)
{
    twins(b, spec, 16);
    bench_ask(b);
}

/* Brings all SMs to their targets. */
static inline void in_place(struct bench *b)
{
    uint32_t n = b->view.kernel_n;
    for (uint32_t s = 0; s < b->sm_n; s++) {
        b->settled[s] = true;
        for (uint32_t k = 0; k < n; k++)
            b->resident[s * n + k] = corun_least(b->target[s * n + k], b->kernels[k].full_blocks);
    }
}

static inline void timer_comes(struct bench *b)
{
    uint64_t at = b->hooks->timer(b->state);
    assert_true(at != CORUN_NEVER);
    b->view.now = at > b->view.now ? at : b->view.now + 1;
    bench_tell(b, CORUN_TIMER, 0);
    bench_ask(b);
}

/* Instructions of each kernel per SM and epoch, by role, in millions; 1.0 is the rate alone. */
struct did {
    double alone[2], followers[2], more[2], less[2];
};

static inline void run(struct bench *b, const struct did *did)
{
    for (uint32_t s = 0; s < b->sm_n; s++)
        for (uint32_t k = 0; k < 2; k++) {
            double of_role[ROLES] = {[ALONE_0] = k ? 0 : did->alone[0],
                                     [ALONE_1] = k ? did->alone[1] : 0,
                                     [MORE] = did->more[k],
                                     [LESS] = did->less[k],
                                     [FOLLOWER] = did->followers[k]};
            b->counts[s][k].thread_instructions += (uint64_t)(1e6 * of_role[of(b)->role[s]] + 0.5);
        }
}

static inline void epoch(struct bench *b, struct did did)
{
    in_place(b);
    timer_comes(b);
    run(b, &did);
    timer_comes(b);
}
#define EPOCH(b, f0, f1, m0, m1, l0, l1)                                                           \
    epoch(b, (struct did){{1, 1}, {f0, f1}, {m0, m1}, {l0, l1}})
#define STAY(b) EPOCH(b, .6, .6, .7, .4, .4, .7)
#define MORE_WINS(b) EPOCH(b, .6, .6, .7, .7, .4, .4)
#define LESS_WINS(b) EPOCH(b, .6, .6, .4, .4, .7, .7)
#define SPATIAL_WINS(b) EPOCH(b, .45, .50, .5, .3, .3, .5)

/* Number of SMs with targets (k0, k1). */
static inline uint32_t with(const struct bench *b, int k0, int k1)
{
    uint32_t n = 0, kernel_n = b->view.kernel_n;
    for (uint32_t s = 0; s < b->sm_n; s++)
        n += b->target[s * kernel_n] == (uint32_t)k0 && b->target[s * kernel_n + 1] == (uint32_t)k1;
    return n;
}

static inline void sm_has(const struct bench *b, uint32_t s, int k0, int k1)
{
    assert_int_equal(b->target[s * b->view.kernel_n], (uint32_t)k0);
    assert_int_equal(b->target[s * b->view.kernel_n + 1], (uint32_t)k1);
}

static inline bool near(double a, double b) { return a > b - 0.0005 && a < b + 0.0005; }

#endif
