/* synth: a kernel made from parameters: resources of a block, mix of instructions, loads in flight,
 * destinations of memory accesses. Input values do not matter and there is no output; only the
 * kernel's behaviour counts. The stand-ins of clones/ are sets of synth's parameters. */
#include "workloads/synth/plan.h"

/* Start of a cursor's buffer: a multiple of twice the range of the pointer. */
static u64 buffer(struct host *h, const struct cursor *c, const char *name)
{
    if (!c->used) return 0;
    u64 align = max_u64(2 * c->cycle, 1 << 16);
    return round_up(host_alloc(h, c->bytes + align, name), align);
}

void synth_run(struct host *h)
{
    double values[sizeof(struct knobs) / sizeof(double)];
    for (u32 i = 0; i < COUNT_OF(values); i++) values[i] = host_number(h, synth_params[i].key);
    struct plan *p = host_memory(h, sizeof *p);
    struct param_errors errors = {0};
    bool right = plan_make(p, values, &errors);
    check(right); /* or the module could not have been written */
    u64 stream = buffer(h, &p->stream, "stream"), warp = buffer(h, &p->warp, "warp sets");
    u64 block = buffer(h, &p->block, "block sets"), kernel = buffer(h, &p->kernel, "kernel set");
    const void *args[] = {&stream, &warp, &block, &kernel};
    host_launch(h, host_find(h, "synth"), (struct host_dim){(u32)p->k.blocks, 1, 1},
                (struct host_dim){(u32)p->k.threads, 1, 1}, 0, 0, args);
    host_sync(h);
}

const struct workload workload_synth = {
    .name = "synth",
    .sentence = "a kernel made from parameters: resources, instructions, addresses",
    .suite = "corun",
    .algorithm = "none: a loop of memory instructions with compute instructions between them",
    .input = "buffers of zeros; addresses follow from thread and loop numbers",
    .params = synth_params,
    .write = synth_write,
    .run = synth_run,
};
