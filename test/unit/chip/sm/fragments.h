/* Study of fragmentation (paper 002, figure 6) with the SM's own allocator. Even SMK fills an SM of
 * 65536 registers and 32 blocks, A's blocks first, then B's. To fit another block of B, blocks of A
 * leave: random blocks, under 2-way the blocks farthest from A's end. The result is the number of
 * free registers that would suffice but are fragmented. */
#ifndef TEST_FRAGMENTS_H
#define TEST_FRAGMENTS_H

#include <string.h>

#include "base/rand.h"
#include "chip/sm/sm.h"

enum { STUDY_REGISTERS = 65536, STUDY_BLOCKS = 32 };

struct study {
    struct sm_conf conf;
    struct sm sm;
    struct work a, b;
    struct block block[STUDY_BLOCKS], *of_a[STUDY_BLOCKS];
    u32 block_n, a_n;
};

static inline void study_count(struct study *s, const struct work *k, bool more)
{
    struct corun_resources *used = &s->sm.blocks.used;
    used->registers += more ? k->need.registers : 0 - k->need.registers;
    used->blocks += more ? 1 : UINT32_MAX;
    check(allocator_is_consistent(&s->sm.blocks.allocator, used));
}

static inline void study_put(struct study *s, const struct work *k)
{
    struct block *b = &s->block[s->block_n++];
    b->work = k;
    check(sm_fits(&s->sm, k));
    allocator_take(&s->sm.blocks.allocator, b);
    study_count(s, k, true);
    if (k == &s->a) s->of_a[s->a_n++] = b;
}

static inline u32 study_victim(const struct study *s, u64 seed, u32 turn)
{
    const struct allocator *a = &s->sm.blocks.allocator;
    u32 victim = 0;
    if (a->side_n == 1) return rand_below(seed, 0, turn, s->a_n);
    for (u32 k = 1; k < s->a_n; k++)
        if (allocator_reach(a, s->of_a[k]) > allocator_reach(a, s->of_a[victim])) victim = k;
    return victim;
}

static inline void study_leave(struct study *s, u32 victim)
{
    allocator_give(&s->sm.blocks.allocator, s->of_a[victim]);
    study_count(s, &s->a, false);
    s->of_a[victim] = s->of_a[--s->a_n];
}

/* Returns the fraction of all registers, for blocks of `a` and `b` registers. */
static inline double fragments_of(u32 allocator, u32 a, u32 b, u64 seed)
{
    static struct study s;
    memset(&s, 0, sizeof s);
    s.conf = (struct sm_conf){.allocator = allocator, .threads = 2048, .blocks = STUDY_BLOCKS,
                              .registers = STUDY_REGISTERS};
    s.sm.conf = &s.conf;
    allocator_init(&s.sm.blocks.allocator, &s.conf);
    s.a = (struct work){.app_id = 0, .grid.warps = 1, .need = {.registers = a, .blocks = 1}};
    s.b = (struct work){.app_id = 1, .owner = 1, .grid.warps = 1,
                        .need = {.registers = b, .blocks = 1}};
    u32 half = STUDY_REGISTERS / 2, most = STUDY_BLOCKS / 2;
    for (u32 n = min_u32(half / a, most); n; n--) study_put(&s, &s.a);
    for (u32 n = min_u32(half / b, most); n; n--) study_put(&s, &s.b);
    for (u32 turn = 0; s.a_n && !sm_has(&s.sm, &s.b.need); turn++)
        study_leave(&s, study_victim(&s, seed, turn));
    struct corun_resources apart = {0};
    sm_fragments(&s.sm, &s.b, 1, &apart);
    allocator_free(&s.sm.blocks.allocator);
    return (double)apart.registers / STUDY_REGISTERS;
}

/* Returns the mean over `draws` random choices of leaving blocks. */
static inline double fragments_mean(u32 allocator, u32 a, u32 b, u32 draws)
{
    double sum = 0;
    for (u32 k = 0; k < draws; k++) sum += fragments_of(allocator, a, b, k);
    return sum / draws;
}

#endif
