/* More blocks than seats: the order and cycles of seat changes, their cost, the ledger, and the end
 * of every block. */
#include "chip/sm/residency/seats.h"
#include "sm_bench.h"

/* Two warps: the second loads and adds before the barrier, the first arrives immediately. */
static const char kernels[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry barrier(.param .u64 in)\n{\n .reg .pred %p; .reg .b32 %r<8>;\n"
    " .reg .b64 %rd<6>;\n ld.param.u64 %rd1, [in]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    " shl.b32 %r2, %r1, 6; add.s32 %r2, %r2, %r0; mul.wide.u32 %rd2, %r2, 4;\n"
    " add.s64 %rd3, %rd1, %rd2; mov.u32 %r3, 7; setp.lt.u32 %p, %r0, 32; @%p bra there;\n"
    " ld.global.u32 %r3, [%rd3]; add.s32 %r3, %r3, 7;\nthere:\n bar.sync 0;\n"
    " st.global.u32 [%rd3+16384], %r3; ret;\n}\n"
    /* Both warps load twice, in sequence. */
    ".visible .entry loads(.param .u64 in)\n{\n .reg .b32 %r<8>; .reg .b64 %rd<6>;\n"
    " ld.param.u64 %rd1, [in]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    " shl.b32 %r2, %r1, 6; add.s32 %r2, %r2, %r0; mul.wide.u32 %rd2, %r2, 4;\n"
    " add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3]; add.s32 %r3, %r3, 3;\n"
    " ld.global.u32 %r4, [%rd3+8192]; add.s32 %r4, %r4, 4; add.s32 %r5, %r3, %r4;\n"
    " st.global.u32 [%rd3+16384], %r5; ret;\n}\n"
    /* Two loads at once, then a reader of the first. */
    ".visible .entry both(.param .u64 in)\n{\n .reg .b32 %r<8>; .reg .b64 %rd<6>;\n"
    " ld.param.u64 %rd1, [in]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    " shl.b32 %r2, %r1, 6; add.s32 %r2, %r2, %r0; mul.wide.u32 %rd2, %r2, 4;\n"
    " add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3]; ld.global.u32 %r4, [%rd3+8192];\n"
    " add.s32 %r3, %r3, 7; add.s32 %r5, %r3, %r4; st.global.u32 [%rd3+16384], %r5; ret;\n}\n";
enum { THREADS = 64, END = 3900 };

static const struct corun_residency by_blocks = {.extra_blocks = 2, .unit = CORUN_BLOCKS,
    .registers = 1, .state_bytes = 256, .bytes_per_cycle = 128, .barriers = true,
    .returned_first = true};
static const struct corun_residency by_warps = {.extra_blocks = 2, .unit = CORUN_WARPS,
    .pool_bytes = 512, .state_bytes = 128 + 20 * 128, .bytes_per_cycle = 128, .barriers = true};

static void start(struct sm_bench *b, const char *kernel, const char *sets,
                  const struct corun_residency *how, u32 extra_n)
{
    sm_bench_init(b, kernels, sets);
    sm_bench_admit(b, kernel, THREADS);
    b->work.grid.size[0] = 1 + extra_n;
    b->work.residency = *how;
    for (u32 i = 1; i <= extra_n; i++) {
        assert_true(sm_fits_extra(&b->sm, &b->work));
        sm_admit_extra(&b->sm, &b->work, i, b->now - 1);
    }
}

/* Gives free seats to extra blocks, as dispatch does. */
static void run(struct sm_bench *b, u64 cycles)
{
    while (cycles--) {
        u32 before = b->sm.blocks.retired_n;
        sm_bench_tick(b);
        if (b->sm.blocks.retired_n == before) continue;
        sm_promote(&b->sm, &b->work, b->now - 1);
        sm_seats_hold(&b->sm, &b->work, b->now - 1);
    }
}

static void results_are(struct sm_bench *b, u32 blocks, u32 low, u32 high)
{
    u32 word[THREADS];
    assert_int_equal(b->sm.blocks.retired_n, blocks);
    for (u32 i = 0; i < blocks; i++) {
        u64 at = b->buffer + 16384 + i * sizeof word;
        assert_true(image_read(&b->image, at, word, sizeof word));
        for (u32 k = 0; k < THREADS; k++) assert_int_equal(word[k], k < 32 ? low : high);
    }
    struct corun_resources none = {0};
    assert_memory_equal(&b->sm.blocks.used, &none, sizeof none);
    assert_int_equal(b->sm.residency.pool_bytes + b->sm.residency.extra_n, 0);
    assert_int_equal(b->sm.residency.present_of[0] + b->sm.residency.absent_of[0], 0);
}

static void the_ledger_counts_what_the_answer_says(void **state)
{
    (void)state;
    struct sm_bench b;
    struct corun_residency how = by_warps;
    how.registers = 3;
    how.shared_bytes = 100;
    start(&b, "loads", "sm.threads=64", &how, 2);
    assert_int_equal(b.sm.blocks.used.threads, THREADS);
    assert_int_equal(b.sm.blocks.used.blocks, 1);
    assert_int_equal(b.sm.blocks.used.registers, 1 + 2 * 3);
    assert_int_equal(b.sm.blocks.used.shared_bytes, 200);
    assert_int_equal(b.sm.residency.pool_bytes, 1024);
    assert_int_equal(sm_extra_n(&b.sm, &b.work), 2);
    assert_true(sm_fits_extra(&b.sm, &b.work));
    u64 left = 4ull * (b.machine.sm.registers - 10) + b.machine.sm.shared_bytes - 300 - 1024;
    b.work.residency.pool_bytes = (u32)left; /* besides the third block's share */
    assert_true(sm_fits_extra(&b.sm, &b.work));
    b.work.residency.pool_bytes++;
    assert_false(sm_fits_extra(&b.sm, &b.work));
    b.work.residency.l1 = true;
    b.work.residency.pool_bytes += 32 * 6 * 128 - 1;
    assert_true(sm_fits_extra(&b.sm, &b.work));
    b.work.residency.pool_bytes++;
    assert_false(sm_fits_extra(&b.sm, &b.work));
    sm_bench_free(&b);
}

/* Registers that are free go to an extra block before the pool does. */
static void registers_of_its_own(void **state)
{
    (void)state;
    struct sm_bench b;
    struct corun_residency how = by_warps;
    how.own_registers = 100;
    how.own_pool_bytes = 64;
    how.own_state_bytes = 128;
    start(&b, "loads", "sm.threads=64", &how, 2);
    assert_int_equal(b.sm.blocks.used.registers, 1 + 2 * 100);
    assert_int_equal(b.sm.residency.pool_bytes, 2 * 64);
    b.work.residency.own_registers = b.machine.sm.registers - 200; /* one more than free */
    sm_admit_extra(&b.sm, &b.work, 3, b.now - 1);
    assert_int_equal(b.sm.blocks.used.registers, 1 + 2 * 100);
    assert_int_equal(b.sm.residency.pool_bytes, 2 * 64 + 512);
    b.work.residency.pool_bytes = 1 << 30;
    assert_false(sm_fits_extra(&b.sm, &b.work));
    b.work.residency.own_registers--;
    b.work.residency.own_pool_bytes = 0;
    assert_true(b.machine.sm.shared_bytes >= 2 * 64 + 512);
    assert_true(sm_fits_extra(&b.sm, &b.work));
    sm_bench_free(&b);
}

/* A swap moves registers only if one of the two blocks lacks registers. */
static void swaps_move_slots_or_registers(void **state)
{
    (void)state;
    for (u32 lacks = 0; lacks < 2; lacks++) {
        struct sm_bench b;
        struct corun_residency how = by_warps;
        how.own_registers = lacks ? UINT32_MAX : 100;
        how.own_state_bytes = 128;
        start(&b, "loads", "sm.threads=64", &how, 1);
        while (b.sm.residency.stat[0].switches < 1) run(&b, 1);
        assert_int_equal(b.sm.residency.stat[0].bytes, lacks ? 128 + 20 * 128 : 128);
        assert_int_equal(b.sm.residency.stat[0].transit_cycles, lacks ? 21 : 1);
        run(&b, END);
        results_are(&b, 2, 7, 7);
        sm_bench_free(&b);
    }
}

static void an_extra_block_lacks_registers(void **state)
{
    (void)state;
    struct sm_bench b;
    struct corun_residency how = by_warps;
    how.own_registers = UINT32_MAX;
    start(&b, "loads", "sm.threads=64", &how, 1);
    struct block *first = b.sm.blocks.block[0], *extra = b.sm.blocks.block[1];
    assert_true(extra->lacks_registers && !first->lacks_registers);
    block_swap_extra(&b.sm, extra, first);
    assert_true(first->lacks_registers && !extra->lacks_registers);
    sm_bench_free(&b);
}

static bool pair_moves(const struct residency *r, bool first_time)
{
    const struct context *in = r->in.context;
    return r->out.context && in && (in->issued == 0) == first_time;
}

/* Paper 003 section 6.7: 21 cycles for a warp of 20 registers, out and again in; a warp that has
 * not run yet has no state. */
static void a_pair_takes_two_ways(void **state)
{
    (void)state;
    struct sm_bench b;
    start(&b, "loads", "sm.threads=64", &by_warps, 1);
    u64 began = NEVER;
    while (b.sm.residency.stat[0].switches < 1) {
        run(&b, 1);
        began = b.now - 1;
    }
    assert_true(pair_moves(&b.sm.residency, true));
    assert_int_equal(b.sm.residency.over_at, began + 21);
    assert_int_equal(b.sm.residency.stat[0].transit_cycles, 21);
    assert_int_equal(b.sm.residency.stat[0].bytes, 128 + 20 * 128);
    const struct context *out = b.sm.residency.out.context, *in = b.sm.residency.in.context;
    assert_true(out->block->block_id == 0 && in->block->block_id == 1);
    assert_true(out->beyond_n > 0); /* waits for memory, not only for L1 */
    assert_null(out->seat);
    while (b.now <= began + 20) {
        run(&b, 1);
        assert_null(in->seat);
    }
    run(&b, 1);
    assert_non_null(in->seat);
    assert_int_equal(in->issued, 0); /* being fetched now */
    while (!pair_moves(&b.sm.residency, false)) {
        run(&b, 1);
        began = b.now - 1;
    }
    assert_int_equal(b.sm.residency.over_at, began + 42);
    run(&b, END - b.now);
    results_are(&b, 2, 7, 7);
    sm_bench_free(&b);
}

static void a_block_goes_as_a_whole(void **state)
{
    (void)state;
    struct sm_bench b;
    start(&b, "loads", "sm.threads=64", &by_blocks, 2);
    struct block *first = b.sm.blocks.block[0], *second = b.sm.blocks.block[1];
    assert_int_equal(second->life, LIFE_ABSENT);
    while (first->life == LIFE_SEATED) {
        bool all = true;
        for (u32 i = 0; i < 2; i++) all &= first->context[i]->beyond_n > 0;
        assert_true(b.sm.residency.stat[0].switches == 0);
        run(&b, 1);
        if (first->life != LIFE_SEATED) assert_true(all || first->context[1]->beyond_n);
    }
    assert_int_equal(b.sm.residency.over_at, b.now - 1 + 2);
    run(&b, 2);
    assert_int_equal(second->life, LIFE_SEATED);
    run(&b, 60); /* loads of the first block are still under way: the third block gets seats */
    assert_int_equal(b.sm.residency.stat[0].switches, 2);
    run(&b, END - b.now);
    results_are(&b, 3, 7, 7);
    sm_bench_free(&b);
}

/* A warp with the same load under way, but answered by L1, does not count as waiting. */
static void only_what_l1_did_not_answer_counts(void **state)
{
    (void)state;
    struct sm_bench b;
    start(&b, "loads", "sm.threads=64", &by_warps, 1);
    const struct block *first = b.sm.blocks.block[0];
    struct context *c = NULL;
    while (!c) { /* a warp of the block is moved, the other stays during the move */
        run(&b, 1);
        for (u32 i = 0; i < 2; i++)
            if (first->context[i]->seat && warp_stalled(&b.sm, first->context[i]))
                c = first->context[i];
    }
    assert_int_equal(c->beyond_n, 1);
    c->beyond_n = 0;
    assert_false(warp_stalled(&b.sm, c));
    c->beyond_n = 1;
    run(&b, END - b.now);
    results_are(&b, 2, 7, 7);
    sm_bench_free(&b);
}

/* A warp without a seat can continue as soon as the operands of its next instruction are ready,
 * even with other loads under way. */
static void it_goes_on_with_loads_under_way(void **state)
{
    (void)state;
    struct sm_bench b;
    start(&b, "both", "sm.threads=64", &by_warps, 1);
    u32 seen = 0;
    while (b.now < END) {
        run(&b, 1);
        for (u32 i = 0; i < 4; i++) {
            const struct block *k = b.sm.blocks.block[i / 2];
            const struct context *c = k ? k->context[i % 2] : NULL;
            if (!c || c->seat || !c->memory_n || c->wait != WAIT_NOTHING) continue;
            const struct inst *next = warp_next(&c->warp);
            bool known = true;
            for (u32 r = 0; r < next->score_n; r++) known &= c->ready_at[next->score[r]] < NEVER;
            if (!known || b.sm.residency.noted >> (i / 2) & 1) continue;
            assert_true(k->queued >> (i % 2) & 1);
            seen++;
        }
    }
    assert_true(seen > 0);
    results_are(&b, 2, 7, 7);
    sm_bench_free(&b);
}

/* Units return in the order of the queue; with returned_first, units that ran before go first. */
static void who_returns_goes_first(void **state)
{
    (void)state;
    for (u32 first = 0; first < 2; first++) {
        struct sm_bench b;
        struct corun_residency how = by_blocks;
        how.returned_first = first;
        how.state_bytes = 128 * 400; /* so slow that the first block is ready before the third */
        start(&b, "loads", "sm.threads=64", &how, 2);
        while (b.sm.residency.stat[0].switches < 2) run(&b, 1);
        assert_int_equal(b.sm.residency.in.block->block_id, first ? 0 : 2);
        sm_bench_free(&b);
    }
}

/* Paper 003 section 6.3: two blocks of two warps, seats for two warps, a barrier behind a load. */
static void warps_that_wait_for_absent_ones(void **state)
{
    (void)state;
    enum { NONE, SWITCH, PIN };
    for (u32 remedy = NONE; remedy <= PIN; remedy++) {
        struct sm_bench b;
        struct corun_residency how = by_warps;
        how.barriers = remedy == SWITCH;
        how.pinned = remedy == PIN;
        start(&b, "barrier", "sm.threads=64", &how, 1);
        run(&b, END);
        if (remedy != NONE) results_are(&b, 2, 7, 7);
        else assert_int_equal(b.sm.blocks.retired_n, 0);
        for (u32 i = 0; i < 2 && remedy == NONE; i++) {
            assert_int_equal(b.sm.blocks.block[i]->context[0]->wait, WAIT_BARRIER);
            assert_non_null(b.sm.blocks.block[i]->context[0]->seat);
            assert_null(b.sm.blocks.block[i]->context[1]->seat);
        }
        assert_true(remedy != NONE || sm_wake(&b.sm, b.now) == NEVER);
        sm_bench_free(&b);
    }
}

static void l1_is_bypassed_while_it_holds_state(void **state)
{
    (void)state;
    for (u32 l1 = 0; l1 < 2; l1++) {
        struct sm_bench b;
        struct corun_residency how = by_warps;
        how.l1 = l1;
        start(&b, "loads", "sm.threads=64", &how, 1);
        run(&b, END);
        results_are(&b, 2, 7, 7);
        u64 looked = b.sm.lsu.l1.stat[0].accesses, passed = b.sm.lsu.l1.stat[0].bypassed;
        assert_true(l1 ? passed > 0 : passed == 0);
        assert_true(l1 ? looked < 12 : looked == 12); /* the last block has the SM to itself */
        sm_bench_free(&b);
    }
}

/* Present, absent and extra blocks, cycle by cycle. */
static void the_integrals_are_of_cycles(void **state)
{
    (void)state;
    struct sm_bench b;
    start(&b, "barrier", "sm.threads=64", &by_warps, 1);
    u64 present = 0, absent = 0, extra = 0;
    while (b.now < END) {
        for (u32 i = 0; i < SM_BLOCKS_MAX; i++) {
            const struct block *k = b.sm.blocks.block[i];
            extra += k && k->extra;
            for (u32 w = 0; k && w < k->state.warp_n; w++) {
                present += k->context[w]->seat != NULL;
                absent += !k->context[w]->seat && k->context[w]->wait != WAIT_ENDED;
            }
        }
        run(&b, 1);
    }
    const struct residency_stat *s = residency_count(&b.sm, 0, b.now);
    assert_int_equal(s->present_cycles, present);
    assert_int_equal(s->absent_cycles, absent);
    assert_int_equal(s->extra_cycles, extra);
    sm_bench_free(&b);
}

/* Checks the recorded state of each block against a recount, and completeness: every warp that
 * waits or could continue is in its queue, is due for a look, or found its queue full. */
static void kept_is(const struct sm_bench *b)
{
    const struct launch_cache *f = &b->sm.residency.launch_cache;
    struct launch_here sum = {0};
    for (u32 i = 0; f->work && i < SM_BLOCKS_MAX; i++) {
        const struct block *k = b->sm.blocks.block[i];
        struct launch_here part = {0};
        for (u32 w = 0; k && w < k->state.warp_n; w++) {
            bool has_seat = k->context[w]->seat, ended = k->context[w]->wait == WAIT_ENDED;
            part.spare += k->extra;
            part.seats += !k->extra;
            part.held += has_seat;
            part.seated += has_seat && !ended;
            part.absent += !has_seat && !ended;
        }
        sum.seats += f->part[i].seats;
        sum.held += f->part[i].held;
        sum.seated += f->part[i].seated;
        sum.absent += f->part[i].absent;
        sum.spare += f->part[i].spare;
        if (!(f->changed >> i & 1)) assert_memory_equal(&part, &f->part[i], sizeof part);
    }
    assert_memory_equal(&sum, &f->here, sizeof sum);
}

static bool wants_to_move(const struct sm_bench *b, const struct context *c)
{
    const struct scheduler *q = &b->sm.front.scheduler[0];
    if (c->wait == WAIT_BARRIER) return c->seat != NULL;
    if (c->wait != WAIT_NOTHING) return false;
    return c->seat ? c->beyond_n && (q->loads & q->blocked) >> c->seat->rank & 1
                   : !c->beyond_n && !c->memory_n;
}

static bool queue_is_full(const struct unit_queue *q, const struct block *k)
{
    return !unit_queue_has_room(q, unit_of(k), k->work->app_id);
}

/* Counts blocks refused by a full queue: [with a seat]. A deferred block, or a block still noted
 * since the cycle before, fits in neither queue; pinned blocks are never deferred. */
static void count_refused(const struct sm_bench *b, u64 noted_before, u32 refused[2])
{
    const struct residency *r = &b->sm.residency;
    for (u32 i = 0; i < SM_BLOCKS_MAX; i++) {
        const struct block *k = b->sm.blocks.block[i];
        bool off = r->put_off >> i & 1, pinned = k && block_is_pinned(&b->sm, k);
        if (off || (k && r->noted & noted_before & 1ull << i)) {
            assert_true(k && !(off && pinned));
            assert_true(queue_is_full(&r->stalled[unit_of(k)], k));
            assert_true(queue_is_full(&r->ready[unit_of(k)], k));
        }
        for (u32 w = 0; k && unit_of(k) == CORUN_WARPS && w < k->state.warp_n; w++) {
            const struct context *c = k->context[w];
            if (k->queued >> w & 1 || r->noted >> i & 1) continue;
            if (c->seat && (!r->extra_of[c->app_id] || pinned)) continue;
            if (!wants_to_move(b, c) && !(pinned && !context_has_ended(c))) continue;
            const struct unit_queue *q = &(c->seat ? r->stalled : r->ready)[CORUN_WARPS];
            assert_true(k->noted >> w & 1);
            assert_true((q->refused >> i & 1) || off);
            assert_true(queue_is_full(q, k) && !pinned);
            refused[c->seat != NULL]++;
        }
    }
}

static void nobody_is_overlooked(void **state)
{
    (void)state;
    enum { SEATED = 12, EXTRA = 16, OTHERS = 2, OTHERS_EXTRA = 4 };
    static const struct {
        const char *kernel;
        bool pinned, other;
        u64 first; /* cycle in which the other launch gets an extra block; 0: into a free slot */
        u32 other_app;
        enum corun_unit other_unit;
    } cases[] = {{.kernel = "loads"},
                 {.kernel = "barrier"},
                 {.kernel = "loads", .pinned = true},
                 {.kernel = "loads", .other = true, .other_app = 1, .other_unit = CORUN_WARPS},
                 {.kernel = "loads", .other = true, .first = 10, .other_app = 1,
                  .other_unit = CORUN_WARPS},
                 {.kernel = "loads", .other = true, .first = 250, .other_app = 1,
                  .other_unit = CORUN_WARPS},
                 {.kernel = "loads", .other = true, .other_unit = CORUN_BLOCKS}};
    for (u32 n = 0; n < COUNT_OF(cases); n++) {
        struct sm_bench b;
        struct corun_residency how = by_warps;
        u32 refused[2] = {0}, seated = cases[n].other ? SEATED - OTHERS : SEATED, id = 1;
        how.extra_blocks = EXTRA;
        how.pinned = cases[n].pinned;
        start(&b, cases[n].kernel, "sm.threads=768", &how, 0);
        b.work.grid.size[0] = SEATED + EXTRA + OTHERS_EXTRA;
        struct work other = b.work;
        other.app_id = cases[n].other_app;
        other.residency.unit = cases[n].other_unit;
        u32 last = SEATED + EXTRA + (cases[n].other ? OTHERS_EXTRA : 0), retired = 0;
        while (id < EXTRA + 1) sm_admit_extra(&b.sm, &b.work, id++, b.now - 1);
        while (id < EXTRA + seated) sm_admit(&b.sm, &b.work, id++, b.now - 1);
        while (id < EXTRA + SEATED) sm_admit(&b.sm, &other, id++, b.now - 1);
        while (b.now < END) {
            u64 before = b.sm.residency.noted;
            run(&b, 1);
            if (cases[n].other) sm_promote(&b.sm, &other, b.now - 1);
            if (cases[n].other) sm_seats_hold(&b.sm, &other, b.now - 1);
            for (; retired < b.sm.blocks.retired_n; retired++) /* into its slot */
                if (id < last) sm_admit_extra(&b.sm, &other, id++, b.now - 1);
            if (cases[n].first == b.now) sm_admit_extra(&b.sm, &other, id++, b.now - 1);
            if (!cases[n].other && !cases[n].pinned) kept_is(&b);
            count_refused(&b, before, refused);
            assert_false(how.pinned && b.sm.residency.shut); /* pinned blocks need no room */
        }
        results_are(&b, last, 7, 7);
        assert_true(refused[false] > 0 && refused[true] > 0);
        sm_bench_free(&b);
    }
}

/* A block with seats leaves the SM, in any cycle: the others stay within the remaining resources,
 * and all of them end. */
static void blocks_leave_in_between(void **state)
{
    (void)state;
    for (u64 at = 5; at < 900; at += 13) {
        struct sm_bench b;
        start(&b, at % 2 ? "barrier" : "loads", "sm.threads=64",
              at % 3 ? &by_warps : &by_blocks, 2);
        run(&b, at);
        struct block *k = sm_younger(&b.sm, &b.work, 0);
        if (k) {
            sm_unseat(&b.sm, k, b.now - 1);
            sm_leave(&b.sm, k, LIFE_OUT, b.now - 1);
            sm_seats_hold(&b.sm, &b.work, b.now - 1);
            assert_int_equal(b.sm.residency.present_of[0], 0); /* no slot left */
            sm_promote(&b.sm, &b.work, b.now - 1);
            while (b.sm.blocks.used.threads) run(&b, 1);
            sm_enter(&b.sm, k, b.now - 1);
            sm_seat(&b.sm, k, b.now - 1);
        }
        run(&b, END - b.now);
        results_are(&b, 3, 7, 7);
        sm_bench_free(&b);
    }
}

/* sm.issue_warps=1: the second warp issues only while the first is at the barrier. */
static void the_oldest_warps_issue(void **state)
{
    (void)state;
    struct sm_bench b;
    sm_bench_init(&b, kernels, "sm.threads=64 sm.issue_warps=1");
    sm_bench_admit(&b, "barrier", THREADS);
    const struct block *block = b.sm.blocks.block[0];
    while (block->context[0]->wait != WAIT_BARRIER) {
        sm_bench_tick(&b);
        assert_int_equal(b.sm.front.seats[1].issued, 0);
        assert_true(b.now < END);
    }
    while (b.now < END) sm_bench_tick(&b);
    results_are(&b, 1, 7, 7);
    assert_true(b.sm.stat[0].stall_policy > 0); /* the second could have issued */
    sm_bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ledger_counts_what_the_answer_says),
        cmocka_unit_test(registers_of_its_own), cmocka_unit_test(an_extra_block_lacks_registers),
        cmocka_unit_test(swaps_move_slots_or_registers), cmocka_unit_test(a_pair_takes_two_ways),
        cmocka_unit_test(a_block_goes_as_a_whole),
        cmocka_unit_test(only_what_l1_did_not_answer_counts),
        cmocka_unit_test(it_goes_on_with_loads_under_way),
        cmocka_unit_test(who_returns_goes_first),
        cmocka_unit_test(warps_that_wait_for_absent_ones),
        cmocka_unit_test(l1_is_bypassed_while_it_holds_state),
        cmocka_unit_test(the_integrals_are_of_cycles),
        cmocka_unit_test(nobody_is_overlooked), cmocka_unit_test(blocks_leave_in_between),
        cmocka_unit_test(the_oldest_warps_issue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
