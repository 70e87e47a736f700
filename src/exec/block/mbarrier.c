/* mbarrier: an object of 8 bytes in shared memory; threads arrive at the object and wait for its
 * phases. The lanes operate one after the other, in lane order. Bound by exec_bind.
 * Source: PTX ISA manual, mbarrier. The manual does not publish the bit layout; the layout used
 * here: */
#include "exec/access.h"
#include "exec/block/cluster.h"
#include "exec/block/copy.h"
#include "exec/lanes.h"
#include "isa/isa.h"

enum { COUNT_BITS = 20, TX_BITS = 21 };
#define COUNT_MOST ((1u << COUNT_BITS) - 1)
struct mbarrier {   /* fields from bit 0 up */
    u32 pending;    /* arrivals missing in the current phase */
    u32 expected;   /* arrivals of the next phase */
    s32 tx;         /* bytes missing in the current phase */
    bool odd;       /* parity of the phase */
    bool valid;     /* initialised */
};

static struct mbarrier unpack(u64 bits)
{
    u32 tx = (u32)(bits >> 2 * COUNT_BITS) & ((1u << TX_BITS) - 1);
    return (struct mbarrier){.pending = (u32)bits & COUNT_MOST,
                             .expected = (u32)(bits >> COUNT_BITS) & COUNT_MOST,
                             .tx = (s32)(tx << (32 - TX_BITS)) >> (32 - TX_BITS),
                             .odd = bits >> 62 & 1,
                             .valid = bits >> 63};
}

static u64 pack(const struct mbarrier *m)
{
    u64 tx = (u32)m->tx & ((1u << TX_BITS) - 1);
    return (u64)m->pending | (u64)m->expected << COUNT_BITS | tx << 2 * COUNT_BITS |
           (u64)m->odd << 62 | (u64)m->valid << 63;
}

/* Operation of one lane. */
struct operation {
    struct warp *w;
    const struct ptx_inst *i;
    u32 lane;
    u8 *at;
    struct block_state *of; /* block that has the object */
};

static bool refuse(const struct operation *u, const char *what)
{
    u->w->effect->kind = EFFECT_NONE;
    warp_fault(u->w, u->i, u->lane, what);
    return false;
}

static bool get(const struct operation *u, struct mbarrier *m)
{
    u64 bits;
    memcpy(&bits, u->at, sizeof bits);
    *m = unpack(bits);
    return m->valid || refuse(u, "use of an uninitialised mbarrier");
}

/* Stores the object, after completing the phase if nothing is missing. False: fault. */
static bool put(const struct operation *u, struct mbarrier *m, bool may_complete)
{
    if (!m->pending && !m->tx) {
        if (!may_complete) return refuse(u, "arrival with .noComplete would complete a phase");
        m->pending = m->expected;
        m->odd = !m->odd;
        u->of->phases++;
        if (u->of != u->w->block) u->of->cluster->news = true;
    }
    u64 bits = pack(m);
    memcpy(u->at, &bits, sizeof bits);
    effect_wrote(u->w->effect, 1);
    return true;
}

static bool arrive(const struct operation *u, u32 count, bool drops, bool may_complete)
{
    struct mbarrier m;
    if (!get(u, &m)) return false;
    if (count > m.pending || (drops && count > m.expected))
        return refuse(u, "more arrivals at an mbarrier than expected");
    m.pending -= count;
    if (drops) m.expected -= count;
    return put(u, &m, may_complete);
}

static bool expect_tx(const struct operation *u, s64 bytes, bool may_complete)
{
    struct mbarrier m;
    s32 most = COUNT_MOST;
    if (!get(u, &m)) return false;
    if (m.tx + bytes > most || m.tx + bytes < -(s64)most)
        return refuse(u, "transaction count of an mbarrier out of range");
    m.tx += (s32)bytes;
    u64 bits = pack(&m);
    if (may_complete) return put(u, &m, true);
    memcpy(u->at, &bits, sizeof bits);
    return true;
}

static bool init(const struct operation *u, u32 count)
{
    if (!count || count > COUNT_MOST) return refuse(u, "mbarrier count out of range");
    struct mbarrier m = {.pending = count, .expected = count, .valid = true};
    return put(u, &m, true);
}

bool mbarrier_arrive_for(struct warp *w, const struct ptx_inst *i, u32 lane, u32 offset)
{
    struct operation u = {w, i, lane, w->block->shared + offset, w->block};
    return arrive(&u, 1, false, true);
}

bool mbarrier_expect_one(struct warp *w, const struct ptx_inst *i, u32 lane, u32 offset)
{
    struct operation u = {w, i, lane, w->block->shared + offset, w->block};
    struct mbarrier m;
    if (!get(&u, &m)) return false;
    if (m.pending == COUNT_MOST) return refuse(&u, "mbarrier count out of range");
    m.pending++;
    return put(&u, &m, true);
}

/* Finds the object of a lane at an address as in cluster.h. False: fault. */
static bool locate(struct operation *u, u32 address)
{
    u64 offset = address;
    u->of = cluster_owner(u->w->block, &offset);
    u->at = remote_bytes(u->w, u->i, u->lane, address, sizeof(u64));
    return u->at || refuse(u, "");
}

bool mbarrier_complete_for(struct warp *w, const struct ptx_inst *i, u32 lane, u32 address,
                           u32 bytes)
{
    struct operation u = {.w = w, .i = i, .lane = lane};
    return locate(&u, address) && expect_tx(&u, -(s64)bytes, true);
}

bool mbarrier_is_at(struct warp *w, const struct ptx_inst *i, u32 lane, u32 address)
{
    struct operation u = {.w = w, .i = i, .lane = lane};
    u64 offset = address;
    const struct block_state *of = cluster_owner(w->block, &offset);
    u32 room = of ? of->shared_bytes : 0;
    bool fits = offset % sizeof(u64) == 0 && offset <= room && sizeof(u64) <= room - offset;
    return fits || refuse(&u, "mbarrier of a bulk copy misaligned or out of bounds");
}

/* ---- instructions ---- */

/* Finds the host bytes of each lane's object. False: fault. */
static bool objects_find(struct warp *w, const struct ptx_inst *i, enum access_kind kind,
                         struct access *a)
{
    enum shape shape = access_find(w, i, sizeof(u64), kind, a);
    if (shape == SHAPE_FAULT) return false;
    access_each(w, shape, sizeof(u64), a);
    struct operation u = {.w = w, .i = i, .lane = (u32)__builtin_ctz(w->executing)};
    bool shared = w->effect->space == SPACE_SHARED && w->effect->mask == w->executing;
    if (unlikely(w->effect->kind == EFFECT_REMOTE) && kind != ACCESS_LOAD) shared = true;
    return shared || refuse(&u, "mbarrier outside shared memory");
}

static bool operate(const struct operation *u, u32 operand)
{
    u32 how = u->i->form.sub & MBAR_HOW;
    switch (u->i->form.sub & MBAR_WHAT) {
    case MBAR_INIT: return init(u, operand);
    case MBAR_INVAL: memset(u->at, 0, sizeof(u64)); return true;
    case MBAR_ARRIVE:
    case MBAR_DROP: {
        bool drops = (u->i->form.sub & MBAR_WHAT) == MBAR_DROP;
        if (how != MBAR_EXPECT_TX) return arrive(u, operand, drops, how != MBAR_NO_COMPLETE);
        return expect_tx(u, operand, false) && arrive(u, 1, drops, true);
    }
    case MBAR_COMPLETE_TX: return expect_tx(u, -(s64)operand, true);
    default: return expect_tx(u, operand, false);
    }
}

bool mbarrier_operate(struct warp *w, const struct ptx_inst *i, u32 lane, u32 address, u32 operand)
{
    struct operation u = {.w = w, .i = i, .lane = lane};
    return locate(&u, address) && operate(&u, operand);
}

/* Operations on objects in other blocks. Model: they take effect on arrival in the other SM
 * (guess), and return no state (PTX ISA manual). */
static void change_remote(struct warp *w, const struct ptx_inst *i, const u32 *operand)
{
    const struct effect *e = w->effect;
    struct async_copy *c = copy_new(w, i);
    c->is_remote = true;
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left), value = operand ? operand[l] : 1;
        c->to[l] = (u32)e->address[l];
        memcpy(c->bytes[l], &value, sizeof value);
    }
    remote_lands(w, c, sizeof(u64));
}

/* Executes all operations that change an object. The result of an arrival is the previous
 * object. */
static void run_change(struct warp *w, const struct ptx_inst *i)
{
    struct access a;
    u32 what = i->form.sub & MBAR_WHAT;
    if (!objects_find(w, i, what == MBAR_INVAL ? ACCESS_RED : ACCESS_ATOMIC, &a)) return;
    const u32 *operand = i->src[1] == OPERAND_ABSENT ? NULL : row_of(w, i->src[1]);
    u64 before[LANES];
    if (unlikely(w->effect->kind == EFFECT_REMOTE)) {
        change_remote(w, i, operand);
        return;
    }
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        struct operation u = {w, i, l, a.each[l], w->block};
        memcpy(&before[l], a.each[l], sizeof before[l]);
        if (!operate(&u, operand ? operand[l] : 1)) return;
    }
    w->wasted = 0;
    if (i->dst[0] != OPERAND_ABSENT) lanes_put64(w, i->dst[0], before);
}

static void run_pending(struct warp *w, const struct ptx_inst *i)
{
    const u64 *state = row_of(w, i->src[0]);
    u32 out[LANES];
    for (u32 l = 0; l < LANES; l++) out[l] = unpack(state[l]).pending;
    lanes_put32(w, i->dst[0], out);
}

/* Returns the lanes whose phase, identified by a state or by its parity, is complete. *good is set
 * to false on a fault. */
static u32 phases_over(struct warp *w, const struct ptx_inst *i, const struct access *a, bool *good)
{
    bool parity = (i->form.sub & MBAR_HOW) == MBAR_PARITY;
    const u64 *state = row_of(w, i->src[1]);
    const u32 *odd = row_of(w, i->src[1]);
    u32 over = 0;
    *good = true;
    for (u32 left = w->executing; left && *good; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        struct operation u = {w, i, l, a->each[l], w->block};
        struct mbarrier m;
        *good = get(&u, &m);
        bool named = parity ? odd[l] & 1 : unpack(state[l]).odd;
        over |= (u32)(m.odd != named) << l;
    }
    return over;
}

/* Model: a try_wait suspends the warp until the phases of all its lanes are complete, at most for
 * the time given, or 10 ms (PTX ISA manual: a system-dependent limit; guess). The warp is not
 * suspended while other lanes of the warp can run, since the phase may depend on them (guess). */
enum { TRY_NS = 10000000 };

static u32 try_ns(const struct warp *w, const struct ptx_inst *i)
{
    if (i->src[2] == OPERAND_ABSENT) return TRY_NS;
    const u32 *row = row_of(w, i->src[2]);
    u32 most = 0;
    for (u32 left = w->executing; left; left &= left - 1)
        most = max_u32(most, row[__builtin_ctz(left)]);
    return most;
}

static void run_wait(struct warp *w, const struct ptx_inst *i)
{
    struct access a;
    bool good, tries = (i->form.sub & MBAR_WHAT) == MBAR_TRY;
    if (!objects_find(w, i, ACCESS_LOAD, &a)) return;
    u32 over = phases_over(w, i, &a, &good);
    if (!good) return;
    lanes_put_pred(w, i->dst_pred, over);
    if (!tries || over == w->executing || w->stack_n) return;
    w->effect->kind = EFFECT_PHASE;
    w->effect->sleep_ns = try_ns(w, i);
    w->tried = i;
    w->tried_mask = w->executing;
}

bool mbarrier_try_again(struct warp *w)
{
    const struct ptx_inst *i = w->tried;
    struct effect *e = w->effect, before = *e;
    struct access a;
    bool good;
    w->executing = w->tried_mask;
    bool found = objects_find(w, i, ACCESS_LOAD, &a);
    u32 over = found ? phases_over(w, i, &a, &good) : 0;
    u64 writes = e->writes, quiet_from = e->quiet_from;
    *e = before;
    e->writes = writes;
    e->quiet_from = quiet_from;
    if (over != w->executing) return false;
    lanes_put_pred(w, i->dst_pred, over);
    return true;
}

#define ANY EXEC_ANY
#define ROW(sub, run) {OP_MBARRIER, ANY, ANY, ANY, ANY, sub, ANY, ANY, 0, 0, run},
const struct exec_row exec_mbarrier_rows[] = {
    ROW(MBAR_INIT, run_change) ROW(MBAR_INVAL, run_change) ROW(MBAR_EXPECT_TX, run_change)
    ROW(MBAR_COMPLETE_TX, run_change) ROW(MBAR_ARRIVE, run_change)
    ROW(MBAR_ARRIVE | MBAR_NO_COMPLETE, run_change)
    ROW(MBAR_ARRIVE | MBAR_EXPECT_TX, run_change) ROW(MBAR_DROP, run_change)
    ROW(MBAR_DROP | MBAR_NO_COMPLETE, run_change) ROW(MBAR_DROP | MBAR_EXPECT_TX, run_change)
    ROW(MBAR_TEST, run_wait) ROW(MBAR_TEST | MBAR_PARITY, run_wait) ROW(MBAR_TRY, run_wait)
    ROW(MBAR_TRY | MBAR_PARITY, run_wait) ROW(MBAR_PENDING, run_pending)
};
const u32 exec_mbarrier_row_n = COUNT_OF(exec_mbarrier_rows);
