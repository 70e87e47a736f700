/* Fixture for tests of the host side: a small module, files held in memory, and a GPU that ends
 * launches on request of the test. */
#ifndef CORUN_TEST_HOST_FIXTURE_H
#define CORUN_TEST_HOST_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "host/app.h"

static const char fixture_ptx[] =
    ".version 7.0\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".const .align 4 .u32 table[3] = {7, 8, 9};\n"
    ".global .align 4 .u32 sum;\n"
    ".visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)\n"
    "{ ret; }\n"
    ".visible .entry mix(.param .u8 b, .param .u16 h, .param .f64 d, .param .align 4 .b8 s[12])\n"
    "{ ret; }\n"
    ".visible .entry none()\n"
    "{ ret; }\n"
    ".visible .entry narrow() .maxntid 64, 1, 1\n"
    "{ ret; }\n"
    ".visible .entry exact() .reqntid 8, 4\n"
    "{ ret; }\n";
static const struct source fixture_module = {"m.ptx", fixture_ptx, sizeof fixture_ptx - 1};
static const struct source fixture_four = {"four.bin", "\1\2\3\4", 4};
static const struct source fixture_dozen = {"dozen.bin", "abcdefghijkl", 12};

/* Replaces the loader of `run`, the only module that opens files. */
static inline const struct source *fixture_load(struct file_loader *r, const char *path,
                                                const struct source *at, size_t offset,
                                                struct fail *fail)
{
    const struct source *files[] = {&fixture_module, &fixture_four, &fixture_dozen};
    (void)r;
    for (u32 i = 0; i < COUNT_OF(files); i++) {
        if (!strcmp(files[i]->name, path)) return files[i];
    }
    fail_at(fail, at, offset, "cannot open %s", path);
    return NULL;
}

static inline struct app_input *fixture_file(const struct source *file, struct fail *fail)
{
    struct file_loader loader = {.load = fixture_load};
    return input_file(file, &loader, &(struct input_rules){.seed = 1}, fail);
}

/* A machine with 1024 threads of 64 registers each and 48 KB of shared memory per SM. */
static inline const char *fixture_refuses(const struct app_machine *m, const struct launch *l,
                                          struct text *why)
{
    (void)m;
    u32 threads = l->block[0] * l->block[1] * l->block[2];
    if (threads * l->registers > 65536) text_add(why, "needs too many registers");
    else if (l->dynamic_shared_bytes > 49152) text_add(why, "needs too much shared memory");
    else return NULL;
    return text_get(why);
}
static const struct app_machine fixture_machine = {.refuses = fixture_refuses};

/* Launches at the fake GPU, in order of arrival. */
struct fake_gpu {
    struct launch at[64];
    u32 n;
};

static inline void fake_take(struct fake_gpu *g, struct app *a)
{
    for (const struct launch *l; (l = app_next_launch(a));) g->at[g->n++] = *l;
}

/* Ends the launch at `index`, resumes the launch's app and takes launches that became ready. */
static inline void fake_end(struct fake_gpu *g, u32 index, struct app *a)
{
    assert_true(index < g->n);
    struct launch l = g->at[index];
    memmove(&g->at[index], &g->at[index + 1], (g->n - index - 1) * sizeof l);
    g->n--;
    app_launch_done(a, &l);
    app_poll(a);
    fake_take(g, a);
}

#endif
