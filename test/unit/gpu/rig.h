/* Fixture: a GPU with one module and a few buffers. Takes PTX text and launches; gives cycles and
 * statistics. */
#ifndef TEST_RIG_H
#define TEST_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/gpu.h"
#include "ptx/ptx.h"
#include "test/unit/machine_set.h"

struct rig {
    struct arena arena;
    struct fail fail;
    struct source source;
    struct module *module;
    struct machine machine;
    struct image image[2];
    struct gpu *gpu;
    struct gpu_mechanism mechanisms[2];
    const struct corun_policy *beside; /* a second mechanism, or NULL */
    struct corun_value defaults[8];
    u64 policy_stats[16];
    u8 param[64][64];
    u32 param_n;
    s32 priority; /* of later launches; */
    bool cooperative;
    struct cut cut;
    struct printer *printer; /* of later launches, or NULL */
};

static inline void rig_fail(struct rig *r)
{
    if (!r->fail.error_n) return;
    print_error("%s", text_get(&r->fail.text));
    assert_true(false);
}

static inline void rig_init(struct rig *r, const char *ptx)
{
    *r = (struct rig){.source = {"test.ptx", ptx, strlen(ptx)}};
    arena_init(&r->arena);
    r->module = ptx_parse(&r->source, &r->arena, &r->fail);
    rig_fail(r);
    conf_defaults(&r->machine, machine_rows, machine_row_n);
    r->machine.map.placement = MAP_ALIGNED; /* each image has its own memory */
    for (u32 a = 0; a < 2; a++) {
        image_init(&r->image[a], NULL);
        for (u32 v = 0; v < ptx_variable_n(r->module); v++) {
            const struct variable *x = ptx_variable(r->module, v);
            image_place(&r->image[a], x->address, x->size_bytes, x->name, x->space == SPACE_CONST);
            if (x->bytes) image_write(&r->image[a], x->address, x->bytes, x->size_bytes);
        }
    }
}

static inline void rig_set(struct rig *r, const char *key, const char *value)
{
    machine_set(&r->machine, key, value);
}

static inline void rig_start(struct rig *r, const struct corun_policy *policy,
                             const struct corun_value *values, u32 app_n, bool skip)
{
    for (u32 k = 0; policy && policy->options && policy->options[k].name; k++)
        r->defaults[k] = (struct corun_value){.word = policy->options[k].initial};
    r->mechanisms[0] = (struct gpu_mechanism){
        .policy = policy, .values = values ? values : r->defaults, .stats = r->policy_stats};
    r->mechanisms[1] = (struct gpu_mechanism){.policy = r->beside};
    struct gpu_setup s = {.machine = &r->machine,
                          .app_n = app_n,
                          .seed = 1,
                          .cut = r->cut,
                          .skip = skip, .threads = {.n = 1},
                          .policy_n = r->beside ? 2 : 1,
                          .policies = r->mechanisms};
    r->gpu = gpu_new(&s, &r->fail);
    rig_fail(r);
    assert_non_null(r->gpu);
}

static inline struct program *rig_program(struct rig *r, const char *kernel)
{
    u32 index = ptx_kernel_find(r->module, kernel);
    assert_true(index != UINT32_MAX);
    struct program *p = ptx_lower(r->module, index, &r->arena, &r->fail);
    rig_fail(r);
    assert_true(exec_bind(p));
    return p;
}

/* Every argument takes 8 bytes in the parameter block, as kernels with .u64 parameters need. */
static inline void rig_launch_program(struct rig *r, u32 app, const struct program *p, u32 grid,
                                      u32 block, u32 arg_n, const u64 *args)
{
    u8 *param = r->param[r->param_n++];
    memcpy(param, args, arg_n * sizeof *args);
    struct launch l = {.program = p,
                       .image = &r->image[app],
                       .printer = r->printer,
                       .param = param,
                       .grid = {grid, 1, 1},
                       .block = {block, 1, 1},
                       .app_id = app,
                       .priority = r->priority,
                       .cooperative = r->cooperative,
                       .registers = p->registers};
    gpu_launch(r->gpu, &l);
}

static inline void rig_launch(struct rig *r, u32 app, const char *kernel, u32 grid, u32 block,
                              u32 arg_n, const u64 *args)
{
    rig_launch_program(r, app, rig_program(r, kernel), grid, block, arg_n, args);
}

static inline struct gpu_stat rig_stat(struct rig *r, u32 app)
{
    struct gpu_stat s;
    gpu_stat(r->gpu, app, &s);
    return s;
}

/* Refused answers of the first policy: the number, and the first with reasons. */
static inline u64 rig_refusals(const struct rig *r)
{
    u64 n;
    gpu_refused(r->gpu, 0, &n);
    return n;
}

static inline const char *rig_refused(const struct rig *r)
{
    u64 n;
    return gpu_refused(r->gpu, 0, &n);
}

static inline void rig_free(struct rig *r)
{
    if (r->gpu) gpu_free(r->gpu);
    for (u32 a = 0; a < 2; a++) image_free(&r->image[a]);
    fail_free(&r->fail);
    arena_free(&r->arena);
}

#define PTX_HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

extern const struct corun_policy corun_policy_leftover, corun_policy_spatial,
    corun_policy_sequential;

#endif
