/* virtual-thread: if threads, warp slots or block slots run out first, an SM holds extra blocks as
 * far as registers and shared memory permit. A block with all warps waiting for memory gives
 * the slots to a block with a warp ready to continue. Virtual Thread as described in paper 003
 * sections 5.2 and 6.8; options are parameters left open by the paper. */
#include "residency.h"

struct virtual_thread {
    uint32_t slot_bytes, bandwidth, table_blocks, table_warps;
};

enum option { SLOT_BYTES, BANDWIDTH, TABLE_BLOCKS, TABLE_WARPS };
static const struct corun_option options[] = {
    [SLOT_BYTES] = SLOT_BYTES_OPTION,
    [BANDWIDTH] = BANDWIDTH_OPTION("Bandwidth for moving the state of warps, out or in."),
    [TABLE_BLOCKS] = TABLE_BLOCKS_OPTION,
    [TABLE_WARPS] = TABLE_WARPS_OPTION,
    {0},
};

/* Paper 003 section 6.8. */
static const struct corun_storage storage[] = {
    {"states of blocks", 7, 32}, {"numbers of virtual warps", 7, 64}, {0}};

static const char *virtual_thread_init(void *state, const struct corun_setup *setup,
                                       const struct corun_value *values, uint64_t *stats)
{
    struct virtual_thread *v = state;
    (void)setup, (void)stats;
    *v = (struct virtual_thread){.slot_bytes = (uint32_t)values[SLOT_BYTES].number,
                                 .bandwidth = (uint32_t)values[BANDWIDTH].number,
                                 .table_blocks = (uint32_t)values[TABLE_BLOCKS].number,
                                 .table_warps = (uint32_t)values[TABLE_WARPS].number};
    return NULL;
}

/* Model: numbers for an SM with this kernel only; saved states of warps are kept in shared memory
 * (003 does not say where). */
static void virtual_thread_residency(void *state, const struct corun_view *view,
                                     struct corun_residency *answer)
{
    const struct virtual_thread *v = state;
    for (uint32_t k = 0; k < view->kernel_n; k++) {
        const struct corun_kernel *kernel = &view->kernels[k];
        const struct corun_resources *block = &kernel->block;
        uint32_t full = kernel->full_blocks, warps = block->threads / WARP;
        uint32_t state_bytes = warps * v->slot_bytes;
        struct corun_resources used = {0}, extra = {.registers = block->registers};
        extra.shared_bytes = block->shared_bytes + state_bytes;
        corun_take(&used, block, full);
        uint32_t tables = corun_least(v->table_blocks, v->table_warps / warps);
        uint32_t n = corun_least(tables > full ? tables - full : 0,
                                 corun_room(&view->sm, &used, &extra));
        answer[k] = (struct corun_residency){.extra_blocks = n,
                                             .unit = CORUN_BLOCKS,
                                             .registers = extra.registers,
                                             .shared_bytes = extra.shared_bytes,
                                             .state_bytes = state_bytes,
                                             .bytes_per_cycle = v->bandwidth,
                                             .barriers = true,
                                             .returned_first = true};
    }
}

const struct corun_policy corun_policy_virtual_thread = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "virtual-thread",
    .sentence = "More blocks than slots: blocks with all warps waiting give slots to other blocks.",
    .source = "paper 003 sections 5.2, 6.8",
    .options = options,
    .state_bytes = sizeof(struct virtual_thread),
    .init = virtual_thread_init,
    .residency = virtual_thread_residency,
    .storage = storage,
};
