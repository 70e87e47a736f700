/* gpuduet: warps, or blocks, that wait for memory or at a barrier save their state in free on-chip
 * memory, and other warps or blocks get their seats. The number of extra blocks on an SM follows
 * measured utilisation: the maximum while the machine is underutilized, none while some resource is
 * saturated, and one more per window in between. Paper 003 section 6. */
#include "residency.h"

#include <string.h>

enum { KERNELS = 64 }; /* kernels distinguished; further kernels get no extra blocks */
enum climb_phase { PHASE_WARM, PHASE_MEASURE, PHASE_CLIMB, PHASE_DONE };
struct gpuduet_kernel {
    uint64_t due;          /* cycle of the next step of the phase */
    uint32_t extra;        /* current number of extra blocks */
    uint8_t phase;
    bool l1;               /* L1 holds state */
    struct corun_use since; /* use at the start of the window */
};
struct gpuduet {
    uint32_t slot_bytes, bandwidth, table_blocks, table_warps, me, l1_bytes;
    uint64_t window, next;
    bool by_blocks, dynamic, recheck;
    char deadlock;         /* first letter of the option's word */
    double registers;      /* fraction of a block's registers kept by waiting warps; 0: the live
                            * registers */
    struct gpuduet_kernel kernels[KERNELS];
    uint64_t *stats;
};

enum option {
    LEVELS, ME, ME_RECHECK, WINDOW, BANDWIDTH, REGISTERS, DEADLOCK, SLOT_BYTES, TABLE_BLOCKS,
    TABLE_WARPS
};
static const struct corun_option options[] = {
    [LEVELS] = {"levels", CORUN_WORD, "auto", 0, 0, "auto|tb", "",
                "auto: swaps warps, or blocks if shared memory is the limiting resource; tb: "
                "always swaps blocks."},
    [ME] = {"me", CORUN_WHOLES, "dynamic", 0, 64, "dynamic", "blocks",
            "Extra blocks (blocks without warp slots) on an SM: by measurement, or a number if "
            "capacity permits."},
    [ME_RECHECK] = {"me_recheck", CORUN_WORD, "off", 0, 0, "on|off", "",
                    "on: the class of a kernel is determined again after each window."},
    [WINDOW] = {"window", CORUN_WHOLE, "10000", 100, 1e9, NULL, "cycles",
                "Length of the measurement, after a warm-up of the same length."},
    [BANDWIDTH] =
        BANDWIDTH_OPTION("Bandwidth for moving state, out or in; the paper has 64, 128, 256."),
    [REGISTERS] = {"registers", CORUN_LIST, "live", 0.01, 1, "live", "",
                   "Part of the registers saved for a waiting warp: the live registers, or a "
                   "fraction of all registers."},
    [DEADLOCK] = {"deadlock", CORUN_WORD, "switch", 0, 0, "switch|pin|none", "",
                  "Measure against warps waiting for absent warps: warps also release slots at "
                  "barriers (switch), a block is never switched (pin), or none."},
    [SLOT_BYTES] = SLOT_BYTES_OPTION,
    [TABLE_BLOCKS] = TABLE_BLOCKS_OPTION,
    [TABLE_WARPS] = TABLE_WARPS_OPTION,
    {0},
};

enum stat { DECISIONS, UNDER, MODERATE, SATURATED, EXTRA, KEPT };
static const struct corun_policy_stat stat_rows[] = {
    [DECISIONS] = {"decisions", "decisions",
                   "Windows that ended with a decision about the class of a kernel."},
    [UNDER] = {"underutilized", "decisions", "Decisions for class underutilized."},
    [MODERATE] = {"moderate", "decisions", "Decisions for class moderate."},
    [SATURATED] = {"saturated", "decisions", "Decisions for class saturated."},
    [EXTRA] = {"extra_blocks", "blocks",
               "Maximum number of extra blocks permitted on an SM so far."},
    [KEPT] = {"kept_percent", "%",
              "Share of a block's registers saved while warps wait; maximum over kernels."},
    {0},
};

/* Paper 003 table 4, with 32 entries for blocks, as in the table's sum. */
static const struct corun_storage storage[] = {{"allocation bit map", 3072, 1},
                                               {"warp contexts", 27, 128},
                                               {"block contexts", 45, 32},
                                               {"queues of warps", 7, 32},
                                               {"queues of blocks", 5, 16},
                                               {0}};

static const char *gpuduet_init(void *state, const struct corun_setup *setup,
                                const struct corun_value *values, uint64_t *stats)
{
    struct gpuduet *d = state;
    *d = (struct gpuduet){.slot_bytes = (uint32_t)values[SLOT_BYTES].number,
                          .bandwidth = (uint32_t)values[BANDWIDTH].number,
                          .table_blocks = (uint32_t)values[TABLE_BLOCKS].number,
                          .table_warps = (uint32_t)values[TABLE_WARPS].number,
                          .l1_bytes = setup->l1_bytes,
                          .window = (uint64_t)values[WINDOW].number,
                          .next = CORUN_NEVER,
                          .by_blocks = !strcmp(values[LEVELS].word, "tb"),
                          .dynamic = values[ME].word != NULL,
                          .recheck = !strcmp(values[ME_RECHECK].word, "on"),
                          .deadlock = *values[DEADLOCK].word,
                          .stats = stats};
    if (!d->dynamic && values[ME].list_n != 1) return "me is one number, or dynamic";
    if (!d->dynamic) d->me = (uint32_t)values[ME].list[0];
    if (!values[REGISTERS].word && values[REGISTERS].list_n != 1)
        return "registers is one number, or live";
    if (!values[REGISTERS].word) d->registers = values[REGISTERS].list[0];
    return NULL;
}

/* ---- maximum of extra blocks ---- */

/* Resources that prevent another block of the kernel on an otherwise empty SM. */
struct limiter {
    bool registers, shared, slots;
};

static struct limiter limiter_of(const struct corun_view *view, const struct corun_kernel *k)
{
    uint64_t n = k->full_blocks + 1ull;
    return (struct limiter){n * k->block.registers > view->sm.registers,
                            n * k->block.shared_bytes > view->sm.shared_bytes,
                            n * k->block.threads > view->sm.threads || n > view->sm.blocks};
}

static uint32_t warps_of(const struct corun_kernel *k)
{
    return k->block.threads / WARP;
}

/* Returns the number of registers per thread kept while a warp waits. */
static uint32_t kept_registers(const struct gpuduet *d, const struct corun_kernel *k)
{
    if (!(d->registers > 0)) return k->waiting_registers;
    double kept = d->registers * k->block.registers / k->block.threads;
    uint32_t n = (uint32_t)kept;
    return n < kept ? n + 1 : n;
}

static uint32_t kept_percent(const struct gpuduet *d, const struct corun_kernel *k)
{
    return 100 * k->block.threads * kept_registers(d, k) / k->block.registers;
}

/* Returns the needs of each extra block, valid up to the maximum of extra blocks. If shared memory
 * is scarce, a block saves its shared memory and the slots of all its warps. Otherwise slots are
 * saved, of a single warp or of all warps, and registers if the block finds none free (sections 6.1
 * and 7.2: only the critical resource, and the first extra block of BT stays in the registers). */
static struct corun_residency extra_of(const struct gpuduet *d, const struct corun_kernel *k,
                                       struct limiter by)
{
    enum { REGISTER_BYTES = 4, ROW_BYTES = WARP * REGISTER_BYTES };
    uint32_t warps = warps_of(k), kept = kept_registers(d, k), slots = warps * d->slot_bytes;
    struct corun_residency r = {.bytes_per_cycle = d->bandwidth,
                                .barriers = d->deadlock == 's',
                                .pinned = d->deadlock == 'p'};
    if (by.shared) {
        r.registers = k->block.threads * kept;
        r.pool_bytes = k->block.shared_bytes;
        r.state_bytes = slots + k->block.shared_bytes;
    } else {
        r.unit = d->by_blocks ? CORUN_BLOCKS : CORUN_WARPS;
        r.shared_bytes = k->block.shared_bytes;
        r.pool_bytes = warps * kept * ROW_BYTES;
        r.state_bytes = (d->by_blocks ? warps : 1) * (d->slot_bytes + kept * ROW_BYTES);
        r.own_registers = k->block.registers;
        r.own_pool_bytes = by.slots ? slots : 0;
        r.own_state_bytes = (d->by_blocks ? warps : 1) * d->slot_bytes;
    }
    r.pool_bytes += by.slots ? slots : 0;
    if (r.unit == CORUN_BLOCKS) r.barriers = true; /* the whole block gives up its seats */
    return r;
}

/* Returns the largest number of blocks for which at least registers or shared memory suffice. */
static uint64_t one_lasts(const struct corun_view *view, const struct corun_resources *block)
{
    uint64_t by_registers = block->registers ? view->sm.registers / block->registers : UINT32_MAX;
    uint64_t by_shared =
        block->shared_bytes ? view->sm.shared_bytes / block->shared_bytes : UINT32_MAX;
    return by_registers > by_shared ? by_registers : by_shared;
}

/* Returns the maximum of extra blocks by paper 003 section 6.4: limits are the tables; the pool of
 * registers, shared memory and, with `l1`, L1; and the condition that registers and shared memory
 * are not both short. */
static uint32_t bound(const struct gpuduet *d, const struct corun_view *view,
                      const struct corun_kernel *k, const struct corun_residency *r, bool l1)
{
    uint64_t full = k->full_blocks, most = one_lasts(view, &k->block), warps = warps_of(k);
    uint64_t native = 4ull * k->block.registers + k->block.shared_bytes;
    uint64_t pool = 4ull * view->sm.registers + view->sm.shared_bytes + (l1 ? d->l1_bytes : 0);
    uint64_t one = 4ull * r->registers + r->shared_bytes + r->pool_bytes;
    if (most > d->table_blocks) most = d->table_blocks;
    if (most > d->table_warps / warps) most = d->table_warps / warps;
    uint64_t room = one ? (pool - full * native) / one : most;
    if (most > full + room) most = full + room;
    return most > full ? (uint32_t)(most - full) : 0;
}

/* ---- current number of extra blocks ---- */

static void decide(struct gpuduet *d, const struct corun_view *view, struct gpuduet_kernel *one,
                   uint32_t room, uint32_t room_l1)
{
    enum { NEXT_TO_NOTHING_PERCENT = 3 };
    struct corun_use now;
    double use[CORUN_RESOURCE_N];
    view->count_use(view, &now);
    for (uint32_t r = 0; r < CORUN_RESOURCE_N; r++)
        use[r] = (now.done[r] - one->since.done[r]) / (now.most[r] - one->since.most[r]);
    one->since = now;
    enum corun_class class = corun_class_of(use);
    d->stats[DECISIONS]++;
    d->stats[UNDER + class]++;
    bool first = one->phase == PHASE_MEASURE;
    if (first) one->l1 = !room && use[CORUN_L1] * 100 < NEXT_TO_NOTHING_PERCENT;
    uint32_t most = one->l1 ? room_l1 : room;
    one->phase = PHASE_CLIMB;
    if (class == CORUN_SATURATED) {
        one->extra = first || d->recheck || !one->extra ? 0 : one->extra - 1;
        one->phase = PHASE_DONE;
    } else if (class == CORUN_UNDERUTILIZED && (first || d->recheck)) {
        one->extra = most;
        one->phase = PHASE_DONE;
    } else if (one->extra < most) {
        one->extra++;
    } else {
        one->phase = PHASE_DONE;
    }
    if (d->recheck) one->phase = PHASE_CLIMB;
}

static void go_on(struct gpuduet *d, const struct corun_view *view, struct gpuduet_kernel *one,
                  uint32_t room, uint32_t room_l1)
{
    if (!one->due || (one->phase != PHASE_DONE && one->due + d->window < view->now)) {
        /* the kernel was absent meanwhile */
        if (one->phase == PHASE_MEASURE) one->phase = PHASE_WARM;
        if (one->phase == PHASE_CLIMB) view->count_use(view, &one->since);
        one->due = view->now + d->window;
    } else if (one->phase == PHASE_WARM && view->now >= one->due) {
        view->count_use(view, &one->since);
        one->phase = PHASE_MEASURE;
        one->due += d->window;
    } else if (one->phase != PHASE_DONE && view->now >= one->due) {
        decide(d, view, one, room, room_l1);
        one->due += d->window;
    }
    if (one->phase != PHASE_DONE && one->due < d->next) d->next = one->due;
}

static void gpuduet_residency(void *state, const struct corun_view *view,
                              struct corun_residency *answer)
{
    struct gpuduet *d = state;
    d->next = CORUN_NEVER;
    for (uint32_t k = 0; k < view->kernel_n; k++) {
        const struct corun_kernel *kernel = &view->kernels[k];
        struct limiter by = limiter_of(view, kernel);
        if ((by.registers && by.shared) || kernel->kernel_id >= KERNELS) continue;
        struct corun_residency r = extra_of(d, kernel, by);
        uint32_t room = bound(d, view, kernel, &r, false);
        uint32_t room_l1 = bound(d, view, kernel, &r, true);
        struct gpuduet_kernel *one = &d->kernels[kernel->kernel_id];
        if (d->dynamic) {
            go_on(d, view, one, room, room_l1);
        } else {
            one->l1 = !room;
            one->extra = corun_least(d->me, one->l1 ? room_l1 : room);
        }
        r.extra_blocks = one->extra;
        r.l1 = one->l1;
        if (d->stats[EXTRA] < one->extra) d->stats[EXTRA] = one->extra;
        if (d->stats[KEPT] < kept_percent(d, kernel)) d->stats[KEPT] = kept_percent(d, kernel);
        answer[k] = r;
    }
}

static uint64_t gpuduet_timer(const void *state)
{
    const struct gpuduet *d = state;
    return d->next;
}

const struct corun_policy corun_policy_gpuduet = {
    .abi = CORUN_POLICY_ABI,
    .size_bytes = sizeof(struct corun_policy),
    .name = "gpuduet",
    .sentence =
    "Waiting warps or blocks give warp slots to other warps or blocks, as utilisation allows.",
    .source = "paper 003 section 6",
    .options = options,
    .stats = stat_rows,
    .state_bytes = sizeof(struct gpuduet),
    .init = gpuduet_init,
    .residency = gpuduet_residency,
    .timer = gpuduet_timer,
    .storage = storage,
};
