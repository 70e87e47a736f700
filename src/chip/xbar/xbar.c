#include "chip/xbar/xbar.h"

#include "base/rand.h"

enum xbar_arbiter { ARBITER_ISLIP, ARBITER_RR, ARBITER_RANDOM }; /* words of xbar.arbiter */

static u32 power_of(u32 room)
{
    u32 n = 1;
    while (n < room) n *= 2;
    return n;
}

void xbar_init(struct xbar *x, const struct xbar_conf *conf, const struct xbar_wiring *wiring,
               struct req_pool *pool, struct arena *arena)
{
    check(wiring->in_n <= XBAR_PORTS_MAX && wiring->out_n <= XBAR_PORTS_MAX);
    *x = (struct xbar){.wake = NEVER, .pool = pool, .conf = *conf, .wiring = *wiring};
    x->in = arena_array(arena, struct xbar_in, wiring->in_n);
    x->out = arena_array(arena, struct xbar_out, wiring->out_n);
    u32 packets = power_of(conf->in_packets), arrivals = power_of(conf->out_packets);
    for (u32 i = 0; i < wiring->in_n; i++) {
        x->in[i].ring = arena_array(arena, struct xbar_packet, packets);
        x->in[i].mask = packets - 1;
    }
    for (u32 o = 0; o < wiring->out_n; o++) {
        x->out[o].ring = arena_array(arena, struct xbar_arrival, arrivals);
        x->out[o].mask = arrivals - 1;
        x->arrives[o] = NEVER;
    }
}

static void mask_set(u64 *mask, u32 bit) { mask[bit / 64] |= UINT64_C(1) << bit % 64; }
static void mask_clear(u64 *mask, u32 bit) { mask[bit / 64] &= ~(UINT64_C(1) << bit % 64); }
static bool mask_has(const u64 *mask, u32 bit) { return mask[bit / 64] >> bit % 64 & 1; }
static bool mask_any(const u64 *mask) { return mask[0] | mask[1]; }

static u32 first_of(u32 word, u64 bits) { return word * 64 + (u32)__builtin_ctzll(bits); }

/* The first bit at or after `from`, or XBAR_PORTS_MAX. */
static u32 mask_next(const u64 *mask, u32 from)
{
    for (u32 w = from / 64; w < XBAR_WORDS; w++) {
        u64 rest = mask[w];
        if (w == from / 64) rest &= UINT64_MAX << from % 64;
        if (rest) return first_of(w, rest);
    }
    return XBAR_PORTS_MAX;
}

/* Over a copy of each word: the body may clear the bit it stands at. */
#define EACH_BIT(bit, mask) \
    for (u32 w_ = 0, bit; w_ < XBAR_WORDS; w_++) \
        for (u64 rest_ = (mask)[w_]; rest_ && (bit = first_of(w_, rest_), true); rest_ &= rest_ - 1)

static u32 flits_of(const struct xbar *x, u32 req)
{
    u32 bytes = req_packet_bytes(req_at(x->pool, req), x->wiring.to_memory);
    return (u32)div_up(bytes, x->conf.flit_bytes);
}

static bool has_room(const struct xbar *x, const struct xbar_in *in, u64 now, u32 flits)
{
    u64 packets = in->n, held = in->flits;
    for (u32 t = 0; t < x->conf.input_speedup; t++) {
        if (in->end[t] <= now + x->conf.turn_cycles) continue;
        packets++;
        held += in->end[t] - x->conf.turn_cycles - now; /* flits that have not left yet */
    }
    if (packets == 0) return true;
    return packets < x->conf.in_packets && held + flits <= x->conf.in_flits;
}

bool xbar_room(const struct xbar *x, u64 now, u32 in, u32 req)
{
    return has_room(x, &x->in[in], now, flits_of(x, req));
}

u64 xbar_room_at(const struct xbar *x, u64 now, u32 in_id, u32 req)
{
    const struct xbar_in *in = &x->in[in_id];
    u32 flits = flits_of(x, req);
    bool full = in->n >= x->conf.in_packets || in->flits + flits > x->conf.in_flits;
    if (in->n && full) return NEVER;
    while (!has_room(x, in, now, flits)) now++;
    return now;
}

static u64 can_send_at(const struct xbar *x, const struct xbar_in *in)
{
    return x->conf.input_speedup == 1 ? in->end[0] : min_u64(in->end[0], in->end[1]);
}

static bool has_credit(const struct xbar *x, const struct xbar_out *o)
{
    return o->n < x->conf.out_packets;
}

bool xbar_push(struct xbar *x, u64 now, u32 in_id, u32 out_id, u32 req)
{
    struct xbar_in *in = &x->in[in_id];
    u32 flits = flits_of(x, req);
    if (!has_room(x, in, now, flits)) return false;
    check(out_id < x->wiring.out_n);
    in->ring[(in->head + in->n) & in->mask] =
        (struct xbar_packet){.req = req, .out = (u16)out_id, .flits = (u16)flits};
    in->flits += flits;
    x->held++;
    if (in->n++ > 0) return true;
    mask_set(x->waiting, in_id);
    const struct xbar_out *o = &x->out[out_id];
    u64 soonest = max_u64(now, max_u64(can_send_at(x, in), o->free_at));
    if (has_credit(x, o)) x->wake = min_u64(x->wake, soonest);
    return true;
}

/* Heads of inputs that may start a transfer now ask for their output. */
static void ask(struct xbar *x, u64 now)
{
    EACH_BIT(i, x->waiting) {
        struct xbar_in *in = &x->in[i];
        if (can_send_at(x, in) > now) continue;
        u32 out = in->ring[in->head].out;
        mask_set(x->out[out].want, i);
        mask_set(x->asked, out);
        mask_clear(x->waiting, i);
    }
}

static u32 first_from(const struct xbar_out *o, u32 start)
{
    u32 input = mask_next(o->want, start);
    return input < XBAR_PORTS_MAX ? input : mask_next(o->want, 0);
}

static u32 choose(const struct xbar *x, u32 out, u64 now, u32 round)
{
    const struct xbar_out *o = &x->out[out];
    if (x->conf.arbiter == ARBITER_ISLIP) return first_from(o, o->pointer);
    if (x->conf.arbiter == ARBITER_RR) return first_from(o, (u32)(now % x->wiring.in_n));
    u32 n = 0;
    for (u32 w = 0; w < XBAR_WORDS; w++) n += (u32)__builtin_popcountll(o->want[w]);
    u64 place = x->wiring.place << 32 | out << 1 | round;
    u32 skip = n > 1 ? rand_below(x->wiring.seed, place, now, n) : 0;
    u32 input = mask_next(o->want, 0);
    while (skip--) input = mask_next(o->want, input + 1);
    return input;
}

/* The first cycle at which what this transfer holds is free for another; NEVER: nobody waits. */
static u64 grant(struct xbar *x, u32 in_id, u32 out_id, u64 now)
{
    struct xbar_in *in = &x->in[in_id];
    struct xbar_out *o = &x->out[out_id];
    struct xbar_packet p = in->ring[in->head];
    in->head = (in->head + 1) & in->mask;
    in->flits -= p.flits;
    mask_set(x->moved, in_id);
    u32 lane = x->conf.input_speedup == 2 && in->end[1] < in->end[0];
    u64 end = now + p.flits + x->conf.turn_cycles;
    in->end[lane] = end;
    if (--in->n > 0) mask_set(x->waiting, in_id);

    mask_clear(o->want, in_id);
    if (!mask_any(o->want)) mask_clear(x->asked, out_id);
    o->free_at = end;
    o->pointer = in_id + 1 < x->wiring.in_n ? in_id + 1 : 0;
    u64 at = now + p.flits - 1 + x->conf.latency_cycles;
    if (!o->n) {
        x->arrives[out_id] = at;
        mask_set(x->coming, out_id);
    }
    o->ring[(o->head + o->n++) & o->mask] = (struct xbar_arrival){.at = at, .req = p.req};

    struct xbar_stat *s = &x->stat[req_at(x->pool, p.req)->app];
    s->packets++;
    s->flits += p.flits;
    return in->n || mask_any(o->want) ? end : NEVER;
}

/* As long as nobody interferes: the first cycle at which something is granted. */
static u64 next_event(const struct xbar *x, u64 now)
{
    u64 next = NEVER;
    EACH_BIT(i, x->waiting) {
        const struct xbar_in *in = &x->in[i];
        const struct xbar_out *o = &x->out[in->ring[in->head].out];
        if (has_credit(x, o)) next = min_u64(next, max_u64(can_send_at(x, in), o->free_at));
    }
    EACH_BIT(out, x->asked) {
        const struct xbar_out *o = &x->out[out];
        if (has_credit(x, o)) next = min_u64(next, o->free_at);
    }
    return max_u64(next, now + 1);
}

void xbar_tick(struct xbar *x, u64 now)
{
    u64 next = NEVER;
    for (u32 w = 0; w < XBAR_WORDS; w++) x->moved[w] = x->coming[w] = 0;
    for (u32 round = 0; round < x->conf.input_speedup; round++) {
        if (!mask_any(x->waiting) && round > 0) break; /* no new head */
        ask(x, now);
        EACH_BIT(out, x->asked) {
            const struct xbar_out *o = &x->out[out];
            if (o->free_at > now || !has_credit(x, o)) continue;
            next = min_u64(next, grant(x, choose(x, out, now, round), out, now));
        }
    }
    x->wake = next == now + 1 ? next : next_event(x, now);
}

u32 xbar_pop(struct xbar *x, u64 now, u32 out)
{
    struct xbar_out *o = &x->out[out];
    u32 req = xbar_peek(x, now, out);
    if (req == REQ_NONE) return REQ_NONE;
    bool had_credit = has_credit(x, o);
    o->head = (o->head + 1) & o->mask;
    x->held--;
    x->arrives[out] = --o->n ? o->ring[o->head].at : NEVER;
    bool wanted = mask_has(x->asked, out) || mask_any(x->waiting);
    if (!had_credit && wanted) x->wake = min_u64(x->wake, max_u64(now, o->free_at));
    return req;
}
