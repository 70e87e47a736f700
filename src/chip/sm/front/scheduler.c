/* The warps of a scheduler: ranks, and the active set of two-level. issue.c reads both; life.c adds
 * and removes warps.
 *
 * Model: gto ranks warps by age, the order of being seated (for warps that never left, the start
 * order of the blocks); lrr and two-level rank warps by warp slot. two-level: a warp leaves the
 * active set on a wait for a global or local load, an atomic, a barrier or a fence, or at the end.
 * The first warp to have left that waits for none of these re-enters. Both happen before issue in
 * the next cycle (machine description 2.3; GPGPU-Sim also admits waiting warps, for one cycle). */
#include "chip/sm/front/scheduler.h"
#include "chip/sm/front/wake.h"
#include "chip/sm/inst_count.h"

static u64 bits_open(u64 bits, u32 at) /* inserts a zero at bit `at`; bits from `at` on move up */
{
    u64 low = bits & ((1ull << at) - 1);
    return low | (bits & ~((1ull << at) - 1)) << 1;
}

static u64 bits_close(u64 bits, u32 at) /* removes bit `at`; the bits above move down */
{
    u64 low = bits & ((1ull << at) - 1);
    return low | ((bits >> 1) & ~((1ull << at) - 1));
}

static void masks_change(struct scheduler *q, u32 at, u64 (*change)(u64, u32))
{
    for (u32 p = 0; p < PIPE_N; p++) q->ready[p] = change(q->ready[p], at);
    q->any = change(q->any, at);
    q->valid = change(q->valid, at);
    q->flush = change(q->flush, at);
    q->blocked = change(q->blocked, at);
    q->loads = change(q->loads, at);
    if (unlikely(~q->oldest)) q->oldest = change(q->oldest, at); /* not all may issue */
}

static u64 urgent_ranks(const struct sm *sm, const struct scheduler *q)
{
    u64 ranks = 0;
    for (u32 r = 0; r < q->n; r++) {
        const struct block *b = sm->front.seats[q->by_rank[r].seat].context->block;
        ranks |= (sm->policy.urgent >> b->slot & 1) << r;
    }
    return ranks;
}

void scheduler_may_issue(const struct sm *sm, struct scheduler *q)
{
    q->may_issue = q->active_set & q->oldest;
    if (likely(!sm->front.governed)) return;
    for (u32 a = 0; a < APPS_MAX; a++) q->of_app[a] = 0;
    q->apps = 0;
    for (u32 r = 0; r < q->n; r++) {
        q->of_app[q->by_rank[r].app] |= 1ull << r;
        q->apps |= 1u << q->by_rank[r].app;
    }
    q->urgent = sm->policy.urgent ? urgent_ranks(sm, q) : 0;
    for (u32 left = sm->policy.quota.shut; left; left &= left - 1)
        q->may_issue &= ~q->of_app[__builtin_ctz(left)];
}

/* Makes all schedulers look for warps to issue and determine their causes of stall again. */
static void schedulers_look(struct sm *sm)
{
    issue_wake(sm, 0);
    for (u32 k = 0; k < sm->conf->schedulers; k++) sm->front.scheduler[k].stall = NULL;
}

void scheduler_govern(struct sm *sm, u64 from)
{
    stalls_catch_up(sm, from);
    sm->front.governed = true;
    sm->front.ungoverned_schedulers = 0;
    for (u32 k = 0; k < sm->conf->schedulers; k++) scheduler_may_issue(sm, &sm->front.scheduler[k]);
    schedulers_look(sm);
    sm->must_tick = true; /* so that gpu ticks the SM */
}

void schedulers_hold(struct sm *sm, u32 apps, u64 from)
{
    if (apps == sm->front.held) return;
    stalls_catch_up(sm, from);
    sm->front.held = apps;
    sm->front.detailed = apps || sm->counting;
    schedulers_look(sm);
}

u32 scheduler_last(const struct sm *sm, const struct scheduler *q, u32 last_seat)
{
    u32 n = 0;
    if (!last_seat) return UINT32_MAX;
    if (sm->conf->scheduler == SCHEDULER_GTO) {
        u32 rank = sm->front.seats[last_seat - 1].rank;
        return rank < q->n && q->by_rank[rank].seat == last_seat - 1 ? rank : UINT32_MAX;
    }
    while (n < q->n && q->by_rank[n].seat < last_seat) n++;
    return n - 1;
}

void scheduler_resume(struct sm *sm, const struct scheduler *q, u32 last_seat)
{
    scheduler_of(q)->last = scheduler_last(sm, q, last_seat);
}

u64 scheduler_memory_heads(const struct sm *sm, const struct scheduler *of, u64 among)
{
    struct scheduler *q = scheduler_of(of);
    u64 ready = q->ready[PIPE_MEM] & among;
    for (u64 left = ready & ~q->known; left; left &= left - 1) {
        const struct seat *s = &sm->front.seats[q->by_rank[__builtin_ctzll(left)].seat];
        u64 bit = left & -left;
        q->known |= bit;
        q->to_memory = head_goes_to_memory(s) ? q->to_memory | bit : q->to_memory & ~bit;
    }
    return ready & q->to_memory;
}

u64 scheduler_held_some(const struct sm *sm, const struct scheduler *q)
{
    u64 of = 0;
    for (u32 left = sm->front.held; left; left &= left - 1) of |= q->of_app[__builtin_ctz(left)];
    return of ? scheduler_memory_heads(sm, q, of) : 0;
}

static void ranks_set(struct sm *sm, struct scheduler *q, u32 from)
{
    for (u32 r = from; r < q->n; r++) sm->front.seats[q->by_rank[r].seat].rank = (u8)r;
    q->last = scheduler_last(sm, q, q->last_seat);
    q->seated = q->n == 64 ? ~0ull : (1ull << q->n) - 1;
    q->stall = NULL;
    q->known = 0;
    q->counted = ~0ull;
    sm->front.issue_at = 0;
}

void scheduler_insert(struct sm *sm, u32 seat_id)
{
    struct seat *s = &sm->front.seats[seat_id];
    s->scheduler = (u8)(seat_id % sm->conf->schedulers);
    s->id = (u8)seat_id;
    s->bank_from = sm->conf->bank_by_warp ? s->id : 0;
    struct scheduler *q = &sm->front.scheduler[s->scheduler];
    check(q->n < 64);
    u32 at = q->n;
    if (sm->conf->scheduler != SCHEDULER_GTO)
        while (at && q->by_rank[at - 1].seat > seat_id) at--;
    for (u32 r = q->n++; r > at; r--) q->by_rank[r] = q->by_rank[r - 1];
    q->by_rank[at].seat = (u8)seat_id;
    q->by_rank[at].app = s->app_id;
    q->by_rank[at].owner = s->owner;
    masks_change(q, at, bits_open);
    if (sm->conf->scheduler == SCHEDULER_TWO_LEVEL) {
        q->active_set = bits_open(q->active_set, at);
        q->outside[q->outside_n++] = (u8)seat_id;
    } else {
        q->active_set = ~0ull;
    }
    scheduler_may_issue(sm, q);
    ranks_set(sm, q, at);
}

static void outside_remove(struct scheduler *q, u32 k)
{
    for (q->outside_n--; k < q->outside_n; k++) q->outside[k] = q->outside[k + 1];
}

void scheduler_remove(struct sm *sm, u32 seat_id)
{
    struct seat *s = &sm->front.seats[seat_id];
    struct scheduler *q = &sm->front.scheduler[s->scheduler];
    u32 at = s->rank;
    masks_change(q, at, bits_close);
    if (sm->conf->scheduler == SCHEDULER_TWO_LEVEL) q->active_set = bits_close(q->active_set, at);
    for (u32 k = 0; k < q->outside_n; k++)
        if (q->outside[k] == seat_id) outside_remove(q, k);
    q->n--;
    for (u32 r = at; r < q->n; r++) q->by_rank[r] = q->by_rank[r + 1];
    scheduler_may_issue(sm, q);
    ranks_set(sm, q, at);
}

const struct seat *seat_take(struct sm *sm, u32 seat_id, struct context *c, u64 now)
{
    struct seat *s = &sm->front.seats[seat_id];
    stalls_catch_up(sm, now + 1);
    inst_count_take(sm, seat_id);
    *s = (struct seat){.head = warp_next(&c->warp),
                       .context = c,
                       .ready_at = c->ready_at,
                       .not_before = c->not_before,
                       .written_at = c->written_at,
                       .row_n = (u16)c->block->work->grid.program->row_n,
                       .app_id = c->app_id,
                       .owner = (u8)c->block->work->owner,
                       .issued = c->issued,
                       .waits = c->wait != WAIT_NOTHING};
    /* Model: with banks by name, a predicate also lies in the bank of the number in its name
     * (GPGPU-Sim). */
    s->banked_n = sm->conf->bank_of == BANK_OF_NAME ? UINT16_MAX : s->row_n;
    seat_frame_set(s, &c->warp);
    scheduler_insert(sm, seat_id);
    if (!context_has_ended(c)) fetch_want(sm, seat_id);
    if (s->waits) sm->front.scheduler[s->scheduler].blocked |= 1ull << s->rank;
    if (c->wait == WAIT_COPIES) seat_copies_wait(sm, s, now + 1);
    if (c->wait == WAIT_WRITE) wheel_set(sm, s, max_u64(s->not_before, now + 1), now);
    return s;
}

void seat_leave(struct sm *sm, const struct seat *seat, u64 from)
{
    struct seat *s = seat_of(seat);
    stalls_catch_up(sm, from);
    s->context = NULL;
    s->waits = true; /* a free slot: bits left in the timing wheel have no effect */
    sm->front.want[s->id / 64] &= ~(1ull << s->id % 64);
    scheduler_remove(sm, s->id);
}

void front_init(struct sm *sm, u32 warps, struct issue_port *ports, struct arena *arena)
{
    struct front *f = &sm->front;
    for (u32 k = 0; k < sm->conf->schedulers; k++) {
        f->scheduler[k].last = UINT32_MAX;
        f->scheduler[k].oldest = sm->conf->issue_warps ? 0 : ~0ull;
        f->scheduler[k].port = &ports[sm->conf->sub_cores ? k : 0];
    }
    for (u32 k = 0; k < 2 * sm->conf->schedulers; k++)
        f->rotation[k] = &f->scheduler[k % sm->conf->schedulers];
    f->detailed = sm->common->counts_insts;
    f->narrowed = sm->conf->issue_warps > 0;
    f->ungoverned_schedulers = sm->conf->schedulers;
    f->seats = arena_array(arena, struct seat, warps);
}

/* ---- two-level ---- */

/* Returns the index in `outside` of the first warp that may enter the active set; outside_n:
 * none. */
static u32 outside_first(const struct sm *sm, const struct scheduler *q)
{
    u32 k = 0;
    while (k < q->outside_n && q->blocked >> sm->front.seats[q->outside[k]].rank & 1) k++;
    return k;
}

static bool active_room(const struct sm *sm, const struct scheduler *q)
{
    return (u32)__builtin_popcountll(q->active_set) < sm->conf->active_warps;
}

bool scheduler_moves(const struct sm *sm, const struct scheduler *q)
{
    return (q->active_set & q->blocked) ||
           (active_room(sm, q) && outside_first(sm, q) < q->outside_n);
}

void scheduler_refill(struct sm *sm, struct scheduler *q)
{
    if (!scheduler_moves(sm, q)) return;
    q->stall = NULL;
    for (u64 left = q->active_set & q->blocked; left; left &= left - 1)
        q->outside[q->outside_n++] = q->by_rank[__builtin_ctzll(left)].seat;
    q->active_set &= ~q->blocked;
    while (active_room(sm, q)) {
        u32 k = outside_first(sm, q);
        if (k == q->outside_n) break;
        q->active_set |= 1ull << sm->front.seats[q->outside[k]].rank;
        outside_remove(q, k);
    }
    scheduler_may_issue(sm, q);
}

/* ---- the oldest warps of an SM ---- */

static bool is_older(const struct context *a, const struct context *b)
{
    if (a->block->start != b->block->start) return a->block->start < b->block->start;
    if (a->block != b->block) return a->block->slot < b->block->slot;
    return a->warp.warp_id < b->warp.warp_id;
}

static bool counts_as_active(const struct context *c)
{
    return !context_has_ended(c) && c->wait != WAIT_BARRIER;
}

/* Returns the number of active warps on the SM that are older than `than`. */
static u32 older_n(const struct sm *sm, const struct context *than)
{
    u32 n = 0;
    for (u32 k = 0; k < sm->conf->schedulers; k++)
        for (u32 r = 0; r < sm->front.scheduler[k].n; r++) {
            u32 seat = sm->front.scheduler[k].by_rank[r].seat;
            const struct context *c = sm->front.seats[seat].context;
            n += counts_as_active(c) && is_older(c, than);
        }
    return n;
}

static bool counted_changes(const struct sm *sm, struct scheduler *q)
{
    u64 now = 0, before = q->counted;
    for (u32 r = 0; r < q->n; r++)
        now |= (u64)counts_as_active(sm->front.seats[q->by_rank[r].seat].context) << r;
    q->counted = now;
    return now != before;
}

/* Model: warps at a barrier do not count as active; otherwise a block with more warps than may
 * issue would deadlock (paper 003 figures 1 and 5 vary the number of active warps without giving
 * the rule). */
void scheduler_narrow(struct sm *sm, u64 now)
{
    bool changes = false;
    for (u32 k = 0; k < sm->conf->schedulers; k++)
        changes |= counted_changes(sm, &sm->front.scheduler[k]);
    if (!changes) return;
    for (u32 k = 0; k < sm->conf->schedulers; k++) {
        struct scheduler *q = &sm->front.scheduler[k];
        u64 oldest = 0;
        for (u32 r = 0; r < q->n; r++) {
            const struct context *c = sm->front.seats[q->by_rank[r].seat].context;
            bool in = counts_as_active(c) && older_n(sm, c) < sm->conf->issue_warps;
            oldest |= (u64)in << r;
        }
        if (oldest == q->oldest) continue;
        stalls_catch_up(sm, now + 1);
        q->oldest = oldest;
        q->stall = NULL;
        scheduler_may_issue(sm, q);
        sm->front.issue_at = 0;
    }
}

/* Checks the invariants: ranks and warp slots name each other, masks contain used ranks only, a
 * ready warp is ready for a single pipeline, and the active set is not too large. */
bool scheduler_is_consistent(const struct sm *sm, const struct scheduler *q)
{
    u64 ready = 0, twice = 0, other = q->valid | q->flush | q->loads | q->blocked;
    for (u32 p = 0; p < PIPE_N; p++) {
        twice |= ready & q->ready[p];
        ready |= q->ready[p];
    }
    for (u32 r = 0; r < q->n; r++) {
        const struct seat *s = &sm->front.seats[q->by_rank[r].seat];
        if (s->rank != r || s->app_id != q->by_rank[r].app) return false;
    }
    bool level = sm->conf->scheduler != SCHEDULER_TWO_LEVEL
              || (u32)__builtin_popcountll(q->active_set) <= sm->conf->active_warps;
    return ready == q->any && !twice && !((other | q->any) & ~q->seated) && level;
}
