/* Operand collector and entry into the functional units: an issued instruction reserves a collector
 * unit, register banks and a functional unit in one step. Called by issue.c, and by ldst.c when
 * memory instructions advance.
 *
 * Model: the stages follow GPGPU-Sim. Issued in t, an instruction moves to a free collector in the
 * first round of t + 1. From the next round on, each bank reads one operand per round, for the
 * oldest instruction first. In the round after the last read, the instruction moves to the input
 * register of the unit, and in the cycle after that into the unit. Two cycles after the latency the
 * result is written back and dependent instructions can issue (machine description 2.5; 11 cycles
 * for an FMA of latency 5, one port). */
#include "chip/sm/port/class_order.h"
#include "chip/sm/port/issue_port.h"
#include "chip/sm/front/seat.h"

static struct resource_pool pool_new(u32 n, struct arena *arena)
{
    u32 room = 1;
    while (room < n) room *= 2;
    return (struct resource_pool){.free = arena_array(arena, u64, room), .n = (u16)n,
                            .mask = (u16)(room - 1)};
}

void pool_change(struct resource_pool *s, u64 from, u64 to)
{
    u32 k = 0, last = s->n - 1u;
    while (k != last && *pool_at(s, k) != from) k++;
    check(*pool_at(s, k) == from);
    for (; k != last; k++) *pool_at(s, k) = *pool_at(s, k + 1);
    pool_insert(s, last, to);
}

/* ---- construction ---- */

struct widths {
    u32 reg, unit, pool;
};

static void widths_of(const struct sm_conf *c, struct widths w[PIPE_N])
{
    w[PIPE_SP] = (struct widths){c->sp_issue, c->sp_units, c->collectors_sp};
    w[PIPE_SFU] = (struct widths){1, c->sfu_units, c->collectors_sfu};
    w[PIPE_MEM] = (struct widths){1, 1, c->collectors_mem};
    w[PIPE_INT] = (struct widths){c->sp_issue, c->int_units, c->collectors_sp};
    w[PIPE_DP] = (struct widths){1, c->dp_units, c->collectors_sp};
    w[PIPE_TENSOR] = (struct widths){1, c->tensor_units, c->collectors_sp};
    for (u32 p = 0; p < PIPE_N && c->sub_cores; p++) {
        w[p].reg = 1;
        w[p].unit = (w[p].unit + c->schedulers - 1) / c->schedulers;
        w[p].pool = max_u32(1, w[p].pool / c->schedulers);
    }
}

static u32 pool_general(const struct sm_conf *c)
{
    return c->sub_cores ? max_u32(1, c->collectors_general / c->schedulers) : c->collectors_general;
}

struct issue_port *issue_port_new(const struct sm_conf *c, struct arena *arena)
{
    u32 n = c->sub_cores ? c->schedulers : 1;
    struct issue_port *ports = arena_array(arena, struct issue_port, n);
    struct result_buses *results = c->result_buses ? arena_new(arena, struct result_buses) : NULL;
    if (results) results->n = c->result_buses;
    struct class_order *order = class_order_new(c, ports, arena);
    struct widths w[PIPE_N];
    widths_of(c, w);
    for (u32 k = 0; k < n; k++) {
        struct issue_port *f = &ports[k];
        f->results = results;
        f->order = order;
        f->number = (u8)k;
        if (order) f->deferred = arena_array(arena, struct deferred_issue, PIPE_N);
        if (order) f->reservation = arena_array(arena, struct reservation, PIPE_N);
        for (u32 p = 0; p < PIPE_N; p++) {
            struct pipeline *line = &f->pipeline[p];
            line->reg = pool_new(w[p].reg, arena);
            line->out = pool_new(w[p].reg, arena);
            line->unit = pool_new(max_u32(1, w[p].unit), arena);
            f->collectors_of[p] = c->collectors_general ? PIPE_SP : (u8)p;
            u32 size = c->collectors_general ? pool_general(c) : w[p].pool;
            if (f->collectors_of[p] == p) line->collectors = pool_new(size, arena);
        }
        f->bank_n = c->register_banks / n;
        f->bank_mask = f->bank_n & (f->bank_n - 1) ? 0 : f->bank_n - 1;
        f->bank = arena_array(arena, struct bank, f->bank_n);
        if (order) f->computed = arena_array(arena, struct bank, f->bank_n);
    }
    return ports;
}

struct issue_port *port_init(struct sm *sm, struct arena *arena)
{
    struct issue_port *ports = issue_port_new(sm->conf, arena);
    port_of(sm)->class_order = ports->order;
    port_of(sm)->result = arena_array(arena, u32, RESULTS);
    port_of(sm)->elsewhere = arena_array(arena, struct elsewhere, ELSEWHERE_MAX);
    return ports;
}

/* Model: one memory instruction in the dispatch register of the unit; per SM, or with sub-cores per
 * scheduler, one in the input register, others in collectors, and one in the pipeline register
 * (GPGPU-Sim). */
u32 issue_port_memory_room(const struct sm_conf *c)
{
    struct widths w[PIPE_N];
    widths_of(c, w);
    u32 pool = c->collectors_general ? pool_general(c) : w[PIPE_MEM].pool;
    return 1 + (pool + 2) * (c->sub_cores ? c->schedulers : 1);
}

/* ---- banks ---- */

/* Model: a register lies in bank (register + warp slot) mod banks; with sub-cores a scheduler has a
 * share of the banks (GPGPU-Sim). */
static inline u32 bank_of(u32 row, u32 n, u32 mask) /* mask 0: n is not a power of two */
{
    return likely(mask) ? row & mask : row % n;
}

/* Returns the busy bits of a bank from round `base` on; earlier rounds are past. */
static inline u64 bank_busy(const struct bank *b, u64 base)
{
    u64 gone = base - b->from;
    return gone < BANK_WINDOW ? b->busy >> gone : 0;
}

/* Reserves a read in the first free round of the bank, base + first or later. Returns the round. */
static inline u64 bank_read(struct bank *b, u64 base, u64 first)
{
    u64 busy = bank_busy(b, base), free = ~busy >> first;
    u64 round = first + (free ? (u32)__builtin_ctzll(free) : BANK_WINDOW);
    /* beyond the window of recorded rounds */
    if (unlikely(round >= BANK_WINDOW)) return base + BANK_WINDOW;
    *b = (struct bank){busy | 1ull << round, base};
    return base + round;
}

/* Model: sm.collector=cheap: one extra cycle for each operand in the same bank as an earlier
 * operand of the instruction (machine description 2.5); none: all operands are read at once. */
static u64 operands_cheap(const struct sm *sm, struct issue_port *f, u32 row,
                          const struct inst *i, u64 from)
{
    u64 seen = 0, last = from;
    for (u32 k = 0; k < i->score_row_n && sm->conf->collector == COLLECTOR_CHEAP; k++) {
        u64 bank = 1ull << bank_of(row + bank_registers(sm, i)[k], f->bank_n, f->bank_mask);
        if (seen & bank) last += 1ull << sm->common->round_shift;
        seen |= bank;
    }
    return last;
}

/* Reserves the operand reads, in round `from` or later. Returns the round of the last read; without
 * operands, the round before `from`. row: added to register numbers to select the bank. */
static inline u64 operands_read(const struct sm *sm, struct issue_port *f, u32 row,
                                const struct inst *i, u64 from, u64 base)
{
    if (unlikely(sm->conf->collector != COLLECTOR_BANKS))
        return operands_cheap(sm, f, row, i, from);
    u64 last = from - 1, first = from - base;
    u32 n = i->score_row_n;
    const u16 *registers = bank_registers(sm, i);
    if (unlikely(first >= BANK_WINDOW)) return n ? from : last; /* beyond the window */
    struct bank *bank = f->bank;
    u32 mask = f->bank_mask, bank_n = f->bank_n;
    for (u32 k = 0; k < n; k++) {
        u32 at = bank_of(row + registers[k], bank_n, mask);
        last = max_u64(last, bank_read(&bank[at], base, first));
    }
    return last;
}

/* Returns the bank of a register, from the row or from the number in the register's name. */
static inline u32 bank_of_register(const struct sm *sm, const struct issue_port *f,
                                   const struct seat *s, u32 row, const u16 *number)
{
    if (unlikely(sm->conf->bank_of == BANK_OF_NAME)) row = *number;
    return bank_of(row + s->bank_from, f->bank_n, f->bank_mask);
}

/* Reserves the bank at `at`, counted from `base` on; beyond the window nothing is recorded. */
static inline void bank_write(struct bank *b, u64 at, u64 base)
{
    u64 ahead = at - base;
    if (ahead < BANK_WINDOW) *b = (struct bank){bank_busy(b, base) | 1ull << ahead, base};
}

/* Model: a write-back takes the register's bank for one round, with priority over reads (machine
 * description 2.5). */
void issue_port_written(struct sm *sm, const struct seat *s, u32 row, const u16 *number, u64 at,
                        u64 now)
{
    if (sm->conf->collector != COLLECTOR_BANKS) return;
    struct issue_port *f = sm->front.scheduler[s->scheduler].port;
    u32 shift = sm->common->round_shift;
    bank_write(&f->bank[bank_of_register(sm, f, s, row, number)], at << shift, (now + 1) << shift);
}

void issue_port_computed(struct sm *sm, const struct seat *s, u32 row, const u16 *number, u64 at,
                         u64 now)
{
    struct issue_port *f = sm->front.scheduler[s->scheduler].port;
    u32 bank = bank_of_register(sm, f, s, row, number), shift = sm->common->round_shift;
    if (likely(sm->conf->collector == COLLECTOR_BANKS))
        bank_write(&f->bank[bank], at << shift, (now + 1) << shift);
    bank_write(&f->computed[bank], at, now);
}

u64 issue_port_bank_unwritten(const struct sm *sm, const struct seat *s, u32 row, u16 number,
                              u64 at)
{
    const struct issue_port *f = sm->front.scheduler[s->scheduler].port;
    u64 free = ~bank_busy(&f->computed[bank_of_register(sm, f, s, row, &number)], at);
    return at + (free ? (u32)__builtin_ctzll(free) : BANK_WINDOW);
}

u64 issue_port_bank_bit(const struct sm *sm, const struct seat *s, u32 row, u16 number)
{
    const struct issue_port *f = sm->front.scheduler[s->scheduler].port;
    return 1ull << bank_of_register(sm, f, s, row, &number);
}

bool issue_port_bank_is_written(const struct sm *sm, const struct seat *s, u32 row, u16 number,
                                u64 at)
{
    const struct issue_port *f = sm->front.scheduler[s->scheduler].port;
    return bank_busy(&f->computed[bank_of_register(sm, f, s, row, &number)], at) & 1;
}

static void bank_unwritten(struct bank *b, u64 at)
{
    u64 ahead = at - b->from;
    if (ahead < BANK_WINDOW) b->busy &= ~(1ull << ahead);
}

void issue_port_unwritten(struct issue_port *f, u32 row, u64 at)
{
    u32 bank = bank_of(row, f->bank_n, f->bank_mask);
    bank_unwritten(&f->bank[bank], at << f->order->shift);
    bank_unwritten(&f->computed[bank], at);
}

/* Model: the registers of a load are written in order. A cycle ends at the first register whose
 * bank has been written in the same cycle; sub-cores have few banks, hence a load of four words
 * takes several cycles (GPGPU-Sim). */
u32 issue_port_write_cycles(const struct sm *sm, const struct issue_port *f, const struct seat *s,
                            const struct inst *i)
{
    u64 written = 0;
    u32 cycles = 1;
    if (sm->conf->collector != COLLECTOR_BANKS) return cycles;
    const u16 *registers = bank_registers(sm, i);
    u32 from = seat_frame(s) + s->bank_from;
    for (u32 k = i->score_dst; k < i->score_n; k++) {
        if (i->score[k] >= s->row_n) continue;
        u64 bank = 1ull << bank_of(registers[k] + from, f->bank_n, f->bank_mask);
        if (written & bank) {
            cycles++;
            written = 0;
        }
        written |= bank;
    }
    return cycles;
}

/* ---- result buses ---- */

static void results_move(struct result_buses *r, u64 now)
{
    u64 gone = now - r->from;
    for (u32 k = 0; k < r->n; k++) r->taken[k] = gone < RESULT_WINDOW ? r->taken[k] >> gone : 0;
    r->from = now;
}

/* Returns the first cycle, `at` or later, in which the instruction may enter the unit, and reserves
 * a result bus. Model: a result occupies a bus in the cycle of leaving the unit; an instruction
 * waits in front of the unit until a bus is available (GPGPU-Sim). A result beyond the window
 * always finds a bus (guess). */
static __attribute__((noinline)) u64 result_enters(struct result_buses *r, struct pipeline *line,
                                                   u64 at, struct timing cost, u64 now)
{
    if (r->from != now) results_move(r, now);
    u64 ahead = at + cost.latency - now, full = UINT64_MAX;
    if (ahead >= RESULT_WINDOW) return at;
    for (u32 k = 0; k < r->n; k++) full &= r->taken[k];
    if (line->unit.n == 1) {
        u64 gone = now - line->results_from;
        line->results = gone < RESULT_WINDOW ? line->results >> gone : 0;
        line->results_from = now;
        full |= line->results;
    }
    u64 free = ~full & UINT64_MAX << ahead;
    if (!free) return at + (RESULT_WINDOW - ahead);
    u64 bit = free & -free;
    u32 k = 0;
    while (r->taken[k] & bit) k++;
    r->taken[k] |= bit;
    line->results |= bit;
    return at + ((u32)__builtin_ctzll(bit) - ahead);
}

/* ---- reservations of an instruction ---- */

static inline void reg_held(struct issue_port *f, enum pipe p, u64 until, u64 now)
{
    if (likely(until <= now + 1)) return;
    pool_change(&f->pipeline[p].reg, now + 1, until);
    f->open[p] = pool_first(&f->pipeline[p].reg);
}

u64 issue_port_product(struct issue_port *f, u64 more)
{
    struct resource_pool *unit = &f->pipeline[PIPE_TENSOR].unit;
    u64 end = pool_first(unit) + more;
    pool_change(unit, pool_first(unit), end);
    return end;
}

void issue_port_hold(struct issue_port *f, enum pipe p, u64 now) { reg_held(f, p, NEVER, now); }

/* Closes the pipelines without a free collector. If all collectors wait for the load/store unit,
 * the time when one becomes free is unknown. */
static void collectors_check(struct issue_port *f)
{
    for (u32 p = 0; p < PIPE_N; p++) {
        if (p == PIPE_MEM) continue;
        bool shut = pool_first(&f->pipeline[f->collectors_of[p]].collectors) == NEVER;
        f->open[p] = shut ? NEVER : pool_first(&f->pipeline[p].reg);
    }
}

static void reservation_revoke(struct issue_port *f, enum pipe p, const struct reservation *w)
{
    struct pipeline *line = &f->pipeline[p];
    *pool_at(&line->out, 0) = w->out;
    *pool_at(&line->unit, 0) = w->unit;
    if (!f->results) return;
    u64 ahead = w->comes - f->results->from, own = w->comes - line->results_from;
    if (own < RESULT_WINDOW) line->results &= ~(1ull << own);
    for (u32 k = 0; k < f->results->n && ahead < RESULT_WINDOW; k++)
        if (f->results->taken[k] >> ahead & 1) {
            f->results->taken[k] &= ~(1ull << ahead);
            return;
        }
}

/* Reserves input register, functional unit and result bus; the instruction needs the input register
 * from round w->read + 1 on. Returns the cycle of the write-back. */
static u64 reservation_make(struct sm *sm, struct issue_port *f, enum pipe p, struct reservation *w,
                           u64 now)
{
    u32 shift = sm->common->round_shift;
    struct pipeline *line = &f->pipeline[p];
    struct timing cost = sm->common->cost[w->inst->cost];
    w->out = pool_first(&line->out);
    w->unit = pool_first(&line->unit);
    w->leaves = max_u64(w->read + 1, w->out);
    u64 enters = max_u64((w->leaves >> shift) + 1, w->unit);
    if (f->results) enters = result_enters(f->results, line, enters, cost, now);
    w->comes = enters + cost.latency;
    *pool_at(&line->unit, 0) = enters + cost.initiation;
    *pool_at(&line->out, 0) = enters << shift;
    collectors_take(f, p, w->collector, w->leaves);
    return w->comes + 2;
}

/* Model: as for memory instructions, the first ready collector of a sub-core is the next to move to
 * the unit (see class_order.c). An instruction is not overtaken once the collector has been
 * assigned again, nor after a block has left the SM (guess). */
u64 issue_port_compute_at(struct sm *sm, struct issue_port *f, const struct frame_of *of,
                          const struct inst *i, enum pipe p, u64 at, u64 now)
{
    struct reservation *b = &f->reservation[p];
    struct reservation w = {.of = *of, .inst = i, .unseated = sm->blocks.unseated};
    w.read = operands_read(sm, f, of->row + of->bank_from, i, at + 1,
                           (now + 1) << sm->common->round_shift);
    w.collector = collectors_free(f, p, at);
    bool overtakes = false;
    const u64 *held = &f->pipeline[f->collectors_of[p]].collectors.free[b->collector];
    if (b->leaves > at && *held == b->leaves && b->unseated == sm->blocks.unseated) {
        u64 mine = max_u64(w.read + 1, b->out), its = max_u64(b->read + 1, b->out);
        overtakes = mine < its || (mine == its && w.collector < b->collector);
    }
    if (overtakes) reservation_revoke(f, p, b);
    u64 written = reservation_make(sm, f, p, &w, now), said = b->comes + 2;
    if (overtakes) class_order_later(sm, b, said, reservation_make(sm, f, p, b, now), now);
    else *b = w;
    return written;
}

INLINED u64 compute_at(struct sm *sm, struct issue_port *f, u32 row, const struct inst *i,
                       enum pipe p, u64 at, u64 now)
{
    u32 shift = sm->common->round_shift;
    struct resource_pool *pool = &f->pipeline[f->collectors_of[p]].collectors;
    u64 read = operands_read(sm, f, row, i, at + 1, (now + 1) << shift);
    u64 leaves = max_u64(read + 1, pool_first(&f->pipeline[p].out));
    if (likely(pool_first(pool) != NEVER)) pool_take(pool, leaves);
    u64 enters = max_u64((leaves >> shift) + 1, pool_first(&f->pipeline[p].unit));
    if (unlikely(f->results != NULL))
        enters = result_enters(f->results, &f->pipeline[p], enters, sm->common->cost[i->cost], now);
    pool_take(&f->pipeline[p].unit, enters + sm->common->cost[i->cost].initiation);
    pool_take(&f->pipeline[p].out, enters << shift);
    return enters + (u64)(s64)sm->common->cost[i->cost].readable;
}

static __attribute__((noinline)) u64 compute_in_order(struct sm *sm, struct issue_port *f,
                                                      const struct seat *s, const struct inst *i,
                                                      enum pipe p, u64 now)
{
    u32 shift = sm->common->round_shift;
    u64 at = max_u64(max_u64((now + 1) << shift, collectors_first(f, p)), f->enters);
    if (at == NEVER) return class_order_park(sm, f, s, i, p, now);
    reg_held(f, p, at >> shift, now);
    struct frame_of of = frame_of(s);
    return issue_port_compute_at(sm, f, &of, i, p, at, now);
}

u64 issue_port_compute(struct sm *sm, struct issue_port *f, const struct seat *s,
                       const struct inst *i, enum pipe p, u64 now)
{
    if (unlikely(f->order != NULL)) return compute_in_order(sm, f, s, i, p, now);
    u32 shift = sm->common->round_shift;
    u64 base = (now + 1) << shift;
    u64 free = pool_first(&f->pipeline[f->collectors_of[p]].collectors);
    /* NEVER: a memory instruction took the last collector in the cycle of this choice. The compute
     * instruction proceeds without one. */
    u64 at = free == NEVER ? base : max_u64(base, free);
    reg_held(f, p, at >> shift, now);
    return compute_at(sm, f, seat_frame(s) + s->bank_from, i, p, at, now);
}

/* Model: an instruction without accesses takes one round each in collector, operand read and input
 * register, and occupies only the pipeline register (guess). */
u64 issue_port_no_access(struct sm *sm, struct issue_port *f, const struct seat *s,
                         const struct inst *i, u64 now)
{
    if (f->enters == NEVER) return class_order_park(sm, f, s, i, PIPE_MEM, now);
    return now + 1 + (NO_ACCESS_ROUNDS >> sm->common->round_shift);
}

INLINED u64 memory_at(struct sm *sm, struct issue_port *f, u32 row, const struct inst *i, u64 at,
                      u64 now)
{
    struct resource_pool *pool = &f->pipeline[f->collectors_of[PIPE_MEM]].collectors;
    u64 read = operands_read(sm, f, row, i, at + 1, (now + 1) << sm->common->round_shift);
    u64 leaves = max_u64(read + 1, f->memory_out);
    if (likely(f->memory_n == 1)) {
        pool_take(pool, leaves);
    } else {
        pool_take(pool, NEVER);
        f->waiting[(f->waiting_head + f->waiting_n++) & pool->mask] = read;
        if (f->collectors_of[PIPE_MEM] != PIPE_MEM) collectors_check(f);
    }
    return leaves;
}

void issue_port_memory_at(struct sm *sm, struct issue_port *f, u32 row, const struct inst *i,
                          struct queued *m, u64 at, u64 now)
{
    u64 read = operands_read(sm, f, row, i, at + 1, (now + 1) << sm->common->round_shift);
    u32 k = collectors_free(f, PIPE_MEM, at);
    collectors_take(f, PIPE_MEM, k, NEVER);
    f->waiting[k] = read;
    f->holds[k] = m;
    class_order_look(f);
}

static __attribute__((noinline)) void memory_waits(struct issue_port *f, const struct seat *s,
                                                   const struct inst *i, struct queued *m, u64 now)
{
    if (f->order) return class_order_park_access(f, s, i, m, now);
    f->held = true;
    reg_held(f, PIPE_MEM, NEVER, now);
}

/* Model: a memory instruction advances when the previous one enters the load/store unit. While
 * waiting instructions occupy all collectors, one more waits in the pipeline register; where
 * collectors are shared, no other instruction issues (GPGPU-Sim, where one instruction of each
 * class may still issue). */
u64 issue_port_memory(struct sm *sm, struct issue_port *f, const struct seat *s,
                      const struct inst *i, struct queued *m, u64 now)
{
    u32 shift = sm->common->round_shift;
    u64 base = (now + 1) << shift;
    u64 at = max_u64(collectors_first(f, PIPE_MEM), f->enters);
    f->memory_n++;
    if (unlikely(at == NEVER)) {
        memory_waits(f, s, i, m, now);
        return ((base + 2) >> shift) + 1;
    }
    at = max_u64(base, at);
    if (f->order) {
        issue_port_memory_at(sm, f, seat_frame(s) + s->bank_from, i, m, at, now);
        reg_held(f, PIPE_MEM, at >> shift, now);
        return NEVER;
    }
    u64 leaves = memory_at(sm, f, seat_frame(s) + s->bank_from, i, at, now);
    reg_held(f, PIPE_MEM, at >> shift, now);
    return (leaves >> shift) + 1;
}

/* Moves the next memory instruction from a collector to the input register, which has become
 * free. */
static inline void collected_moves(struct sm *sm, struct issue_port *f)
{
    u32 shift = sm->common->round_shift;
    struct resource_pool *pool = &f->pipeline[f->collectors_of[PIPE_MEM]].collectors;
    u64 read = f->waiting[f->waiting_head];
    u64 leaves = max_u64(read + 1, f->memory_out);
    f->waiting_head = (f->waiting_head + 1) & pool->mask;
    f->waiting_n--;
    pool_known(pool, leaves);
    /* Model: the operand reads of a held instruction meet no bank conflict (guess: the instruction
     * waits anyway). */
    if (f->held) {
        f->held = false;
        pool_take(pool, NEVER);
        f->waiting[(f->waiting_head + f->waiting_n++) & pool->mask] = leaves + 1;
        pool_known(&f->pipeline[PIPE_MEM].reg, leaves >> shift);
        f->open[PIPE_MEM] = pool_first(&f->pipeline[PIPE_MEM].reg);
        issue_wake(sm, f->open[PIPE_MEM]);
    }
    if (f->collectors_of[PIPE_MEM] == PIPE_MEM) return;
    collectors_check(f);
    issue_wake(sm, 0); /* pipelines may open earlier */
}

void issue_port_entered(struct sm *sm, struct issue_port *f, u64 at)
{
    f->memory_n--;
    f->memory_out = (at + 1) << sm->common->round_shift;
    if (f->waiting_n) collected_moves(sm, f);
}
