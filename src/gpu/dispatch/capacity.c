#include "gpu/dispatch/capacity.h"
#include "chip/sm/blocks/allocator.h"
#include "gpu/dispatch/cluster_fit.h"
#include "gpu/machine/carveout.h"

/* Returns the registers that a warp takes from the register file. Model: registers per thread in
 * units (GPGPU-Sim rounds to 4). A part of the register file holds whole warps (CUDA's occupancy
 * calculator: warps of a sub-core); a warp takes an equal share of the part, the registers that no
 * warp can use included (guess: exact for warps of one kernel). */
static u64 warp_registers(const struct sm_conf *sm, u32 per_thread)
{
    u64 warp = LANES * round_up(max_u32(per_thread, 1), sm->register_unit);
    u64 part = sm->registers / sm->register_parts;
    if (sm->register_parts == 1 || warp > part) return warp;
    return part / (part / warp);
}

/* Computes the resources of a block. Model: threads in whole warps. The system reserves shared
 * memory in every block, also in blocks without shared memory of their own (CUDA C++ Programming
 * Guide, technical specifications: 1 KB from compute capability 8.0 on). */
static void resources(const struct machine *m, const struct launch *l,
                      struct corun_resources *need)
{
    u64 threads = (u64)l->block[0] * l->block[1] * l->block[2];
    u64 warps = div_up(threads, LANES);
    u64 registers = warps * warp_registers(&m->sm, l->registers);
    u64 shared = (u64)launch_shared(l) + m->sm.shared_reserved_bytes;
    need->threads = (u32)(warps * LANES);
    need->registers = (u32)min_u64(registers, UINT32_MAX / 2);
    need->shared_bytes = (u32)min_u64(round_up(shared, m->sm.shared_unit), UINT32_MAX);
    need->blocks = 1;
}

/* Returns the blocks that an SM with `shared_bytes` of shared memory holds. */
static u32 full_blocks(const struct machine *m, const struct corun_resources *need,
                       u32 shared_bytes, const char **limiter)
{
    u32 parts = allocator_parts(&m->sm, 1);
    struct {
        const char *name;
        u32 room, want;
    } r[] = {
        {"threads", m->sm.threads, need->threads},
        {"registers", m->sm.registers / parts, need->registers},
        {"shared", shared_bytes / parts, need->shared_bytes},
        {"blocks", m->sm.blocks, need->blocks},
    };
    u32 n = UINT32_MAX;
    for (u32 k = 0; k < COUNT_OF(r); k++) {
        if (!r[k].want || r[k].room / r[k].want >= n) continue;
        n = r[k].room / r[k].want;
        if (limiter) *limiter = r[k].name;
    }
    return n;
}

/* Returns the carve-out that the kernel wants. Model: a preference, in percent of the largest
 * carve-out, rounds up to the next size of the list, and a block always fits (CUDA C++ Programming
 * Guide, compute capability 7.x; test/silicon: with a preference of 0 an H100 gives each block the
 * smallest size that holds the block). Without a preference the smallest size that does not limit
 * the occupancy (guess: CUDA names no rule). */
static u32 wanted_carveout(const struct machine *m, const struct launch *l,
                           const struct corun_resources *need)
{
    u64 bytes = (u64)full_blocks(m, need, m->sm.shared_bytes, NULL) * need->shared_bytes;
    if (l->carveout.given) {
        u64 preferred = div_up((u64)m->sm.shared_bytes * l->carveout.percent, 100);
        bytes = max_u64(preferred, need->shared_bytes);
    }
    return carveout_least(&m->sm, bytes);
}

void gpu_occupancy(const struct machine *m, const struct launch *l, struct gpu_occupancy *out)
{
    struct corun_resources need;
    resources(m, l, &need);
    *out = (struct gpu_occupancy){.need = need,
                                  .registers = l->registers,
                                  .registers_source = l->registers == l->program->registers
                                                          ? l->program->registers_source
                                                          : REGISTERS_USER,
                                  .shared_bytes = launch_shared(l),
                                  .limiter = "threads",
                                  .block_threads = l->block[0] * l->block[1] * l->block[2]};
    out->carveout_bytes = wanted_carveout(m, l, &need);
    out->blocks_per_sm = full_blocks(m, &need, out->carveout_bytes, &out->limiter);
}

/* Returns true, with the reason, if the kernel needs tensor units that the machine lacks. */
static bool lacks_tensor(const struct machine *m, const struct program *p, struct text *why)
{
    const u32 initiations[] = {
#define COST(...)
#define TENSOR(id, name, latency, initiation) [TENSOR_##id] = m->cost.name##_initiation,
#include "chip/sm/cost_conf.def"
#undef TENSOR
#undef COST
    };
    if (!p->tensor) return false;
    if (!m->sm.tensor_units) {
        text_add(why, "kernel '%s' multiplies matrices (mma or wmma), but the machine has no "
                 "tensor units: sm.tensor_units is 0", p->shown);
        return true;
    }
    if (p->groups && !m->sm.wgmma_latency) {
        text_add(why, "kernel '%s' multiplies matrices of four warps (wgmma), as devices of "
                 "compute capability 9.0 do, but the machine cannot: sm.wgmma_latency is 0",
                 p->shown);
        return true;
    }
    for (u32 k = 0; k < TENSOR_N; k++) {
        if (!(p->tensor >> k & 1) || initiations[k]) continue;
        text_add(why, "kernel '%s' multiplies matrices of a type not supported by the machine's "
                 "tensor units: %s is 0", p->shown, machine_tensor_key(k));
        return true;
    }
    return false;
}

const char *gpu_refuses(const struct machine *m, const struct launch *l, struct text *why)
{
    struct gpu_occupancy o;
    const struct sm_conf *s = &m->sm;
    u32 parts = allocator_parts(s, 1);
    const char *where = parts > 1 ? "a part of an SM" : "an SM";
    u64 threads = (u64)l->block[0] * l->block[1] * l->block[2];
    u64 shared = (u64)l->program->shared_bytes + l->dynamic_shared_bytes;
    u32 room = s->shared_bytes / parts;
    u32 shared_most = room - min_u32(room, s->shared_reserved_bytes);
    if (!threads || !l->grid[0] || !l->grid[1] || !l->grid[2]) {
        text_add(why, "grid and block must be at least 1 in every dimension");
    } else if (threads > 1024) { /* CUDA's limit, all compute capabilities */
        text_add(why, "a block of %llu threads is over the limit of 1024",
                 (unsigned long long)threads);
    } else if (lacks_tensor(m, l->program, why) || gpu_refuses_cluster(m, l, why)) {
    } else if (shared > shared_most) {
        text_add(why, "a block needs %llu bytes of shared memory, %s has %u",
                 (unsigned long long)shared, where, shared_most);
    } else {
        gpu_occupancy(m, l, &o);
        u64 blocks = (u64)l->grid[0] * l->grid[1] * l->grid[2];
        u64 most = gpu_cluster_n(l) > 1
                       ? (u64)gpu_active_clusters(m, l) * gpu_cluster_n(l)
                       : (u64)o.blocks_per_sm * m->sm.count;
        if (o.blocks_per_sm && (!l->cooperative || blocks <= most)) return NULL;
        if (o.blocks_per_sm)
            text_add(why, "kernel '%s' is launched cooperatively: all %llu blocks must be resident "
                     "at once, but the GPU holds %llu", l->program->shown,
                     (unsigned long long)blocks, (unsigned long long)most);
        else text_add(why,
                      "a block of %u threads with %u registers each does not fit %s (%u "
                      "threads, %u registers)",
                      o.block_threads, o.registers, where, s->threads, s->registers / parts);
    }
    return text_get(why);
}

struct grid launch_grid(const struct launch *l, const struct machine *m, const struct timer *timer,
                        u32 grid_id)
{
    u32 threads = l->block[0] * l->block[1] * l->block[2];
    struct cluster_shape c = cluster_shape_of(l);
    return (struct grid){.program = l->program,
                         .image = l->image,
                         .printer = l->printer,
                         .warnings = l->warnings,
                         .timer = timer,
                         .param = l->param,
                         .workspace = l->workspace,
                         .size = {l->grid[0], l->grid[1], l->grid[2]},
                         .block = {l->block[0], l->block[1], l->block[2]},
                         .cluster = {c.shape[0], c.shape[1], c.shape[2]},
                         .cluster_given = c.given,
                         .threads = threads,
                         .warps = (u32)div_up(threads, LANES),
                         .shared_bytes = launch_shared(l),
                         .grid_id = grid_id,
                         .sm_n = m->sm.count,
                         .independent = m->sm.independent_threads};
}
