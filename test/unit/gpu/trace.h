/* Runs a kernel cycle by cycle on a GPU with a single SM and records the cycles in which each
 * counter grew. */
#ifndef TEST_TRACE_H
#define TEST_TRACE_H

#include "rig.h"

enum { TRACE_MAX = 40 };
struct trace {
    struct rig rig;
    struct gpu_stat end;
    u64 at[sizeof(struct gpu_stat) / sizeof(u64)][TRACE_MAX + 1]; /* [counter][n-th], n from 1 */
    u64 cycles;
    u64 buffer; /* 64 KB */
};

#define STAT_AT(field) (offsetof(struct gpu_stat, field) / sizeof(u64))
/* Cycle in which a counter reached n; NEVER: never reached. */
#define WHEN(t, field, n) ((t)->at[STAT_AT(field)][n])

/* sets: "key=value key=value" */
static inline void trace_init(struct trace *t, const char *ptx, const char *sets)
{
    memset(t->at, 0xff, sizeof t->at);
    rig_init(&t->rig, ptx);
    rig_set(&t->rig, "sm.count", "1");
    char copy[512], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", sets);
    for (char *kv = strtok_r(copy, " ", &rest); kv; kv = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(kv, '=');
        assert_non_null(value);
        *value = 0;
        rig_set(&t->rig, kv, value + 1);
    }
    rig_start(&t->rig, &corun_policy_leftover, NULL, 1, true);
    t->buffer = image_alloc(&t->rig.image[0], 65536, "buffer");
}

/* Runs all earlier launches to completion. */
static inline void trace_run(struct trace *t)
{
    u64 before[COUNT_OF(t->at)] = {0}, now[COUNT_OF(t->at)];
    struct gpu_stat s = rig_stat(&t->rig, 0);
    memcpy(before, &s, sizeof before);
    for (enum gpu_stop stop = GPU_LIMIT; stop == GPU_LIMIT;) {
        u64 cycle = gpu_now(t->rig.gpu);
        stop = gpu_advance(t->rig.gpu, cycle + 1);
        s = rig_stat(&t->rig, 0);
        memcpy(now, &s, sizeof now);
        for (u32 c = 0; c < COUNT_OF(t->at); c++)
            for (u64 n = before[c] + 1; n <= now[c] && n <= TRACE_MAX; n++) t->at[c][n] = cycle;
        memcpy(before, now, sizeof before);
        assert_true(cycle < 100000 && stop <= GPU_ENDED);
    }
    while (gpu_ended(t->rig.gpu)) {}
    t->end = s;
    t->cycles = gpu_now(t->rig.gpu);
}

static inline u32 trace_word(struct trace *t, u32 index)
{
    u32 v;
    assert_true(image_read(&t->rig.image[0], t->buffer + index * 4, &v, 4));
    return v;
}

static inline void trace_free(struct trace *t) { rig_free(&t->rig); }

#endif
