#include "chip/xbar/xbar.h"

#include "base/due.h"
#include "base/rand.h"

enum { OUTPUT, INPUT }; /* rows of the agenda `due` */
enum xbar_arbiter { ARBITER_ISLIP, ARBITER_RR, ARBITER_RANDOM }; /* values of xbar.arbiter */
enum xbar_grants { GRANTS_TOGETHER, GRANTS_ASCENDING };           /* values of xbar.grants */

static u32 power_of(u32 room)
{
    u32 n = 1;
    while (n < room) n *= 2;
    return n;
}

void xbar_init(struct xbar *x, const struct xbar_conf *conf, const struct xbar_wiring *wiring,
               struct req_pool *pool, struct arena *arena)
{
    check(wiring->in_n <= PORTS_MAX && wiring->out_n <= PORTS_MAX);
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
    agenda_init(&x->due, max_u32(wiring->in_n, wiring->out_n));
    for (u32 i = 0; i < wiring->in_n; i++) agenda_set(&x->due, INPUT, i, 0);
    u32 flit = xbar_flit_bytes(conf, wiring->to_memory);
    for (u32 bytes = 0; bytes <= PACKET_BYTES_MAX; bytes++)
        x->flits[bytes] = (u16)div_up(bytes, flit);
}

/* ---- the inputs ---- */

static u32 flits_of(const struct xbar *x, u32 req)
{
    return x->flits[req_packet_bytes(req_at(x->pool, req), x->wiring.to_memory)];
}

/* Returns true if an input has room for `flits` more. The flits of a packet being sent take room
 * until they have left. */
static bool has_room(const struct xbar *x, const struct xbar_in *in, u64 now, u32 flits)
{
    u64 sent = now + x->conf.turn_cycles; /* free_at of a packet that has just left */
    u64 left[2] = {max_u64(in->free_at[0], sent) - sent, max_u64(in->free_at[1], sent) - sent};
    u64 packets = in->n + (left[0] > 0) + (left[1] > 0);
    u64 held = in->flits + left[0] + left[1];
    if (unlikely(in->open_at > now)) return false;
    return !packets || (packets < x->conf.in_packets && held + flits <= x->conf.in_flits);
}

bool xbar_room(const struct xbar *x, u64 now, u32 in, u32 req)
{
    return has_room(x, &x->in[in], now, flits_of(x, req));
}

u64 xbar_room_at(const struct xbar *x, u64 now, u32 in_id, u32 req)
{
    const struct xbar_in *in = &x->in[in_id];
    if (in->n && in->n >= x->conf.in_packets) return NEVER;
    u32 flits = flits_of(x, req);
    if (in->n && in->flits + flits > x->conf.in_flits) return NEVER;
    while (!has_room(x, in, now, flits)) now++;
    return now;
}

/* ---- the outputs ---- */

static bool has_credit(const struct xbar *x, const struct xbar_out *o)
{
    return o->n < x->conf.out_packets;
}

/* Registers the new head packet of an input with its output; returns true if the packet may be
 * granted at once. */
INLINED bool request_output(struct xbar *x, u32 words, u32 in_id, u32 out_id, u64 now)
{
    struct xbar_out *o = &x->out[out_id];
    port_add(words, &o->heads, in_id);
    if (!has_credit(x, o)) return false;
    u64 at = max_u64(now, max_u64(agenda_get(&x->due, INPUT, in_id), o->free_at));
    agenda_lower(&x->due, OUTPUT, out_id, at);
    x->wake = min_u64(x->wake, at);
    return at <= now;
}

/* Model: an SM sends the bytes of requests one after the other; the next packet begins in the
 * fraction of a cycle left by a packet. Copies of one SM on an H100 and an H200 reach 24 bytes a
 * cycle each way, also with both SMs of a TPC (test/silicon). */
static void port_takes(struct xbar *x, struct xbar_in *in, u64 now, u32 req)
{
    u64 width = x->conf.sm_bytes;
    in->sent = max_u64(in->sent, now * width) + req_packet_bytes(req_at(x->pool, req), true);
    in->open_at = in->sent / width;
}

bool xbar_push(struct xbar *x, u64 now, u32 in_id, u32 out_id, u32 req)
{
    struct xbar_in *in = &x->in[in_id];
    u32 flits = flits_of(x, req);
    if (!has_room(x, in, now, flits)) return false;
    check(out_id < x->wiring.out_n);
    in->ring[(in->head + in->n) & in->mask] =
        (struct xbar_packet){.req = req, .flits = (u16)flits, .out = (u8)out_id,
                             .owner = req_at(x->pool, req)->owner};
    in->flits += flits;
    if (unlikely(x->conf.sm_bytes) && x->wiring.to_memory) port_takes(x, in, now, req);
    x->held++;
    if (in->n++ == 0) request_output(x, PORT_WORDS, in_id, out_id, now);
    return true;
}

/* ---- one cycle ---- */

INLINED u32 first_from(u32 words, const struct ports *want, u32 start)
{
    struct ports later = ports_from(words, *want, start);
    if (!ports_any(words, &later)) later = *want;
    return port_first(words, &later);
}

static u32 choose_random(const struct xbar *x, u32 out, const struct ports *want, u64 now,
                         u32 round)
{
    u32 n = 0;
    for (u32 w = 0; w < PORT_WORDS; w++) n += (u32)__builtin_popcountll(want->word[w]);
    u64 place = x->wiring.network << 32 | out << 1 | round;
    u32 skip = n > 1 ? rand_below(x->wiring.seed, place, now, n) : 0;
    struct ports left = *want;
    while (skip--) port_remove(PORT_WORDS, &left, port_first(PORT_WORDS, &left));
    return port_first(PORT_WORDS, &left);
}

INLINED u32 choose(const struct xbar *x, u32 words, u32 out, const struct ports *want, u64 now,
                   u32 round)
{
    u32 arbiter = x->conf.arbiter;
    if (arbiter == ARBITER_RANDOM) return choose_random(x, out, want, now, round);
    u64 start = arbiter == ARBITER_RR ? now % x->wiring.in_n : x->out[out].pointer;
    return first_from(words, want, (u32)start);
}

/* Marks the input as sending a packet until cycle `end`; an input may have two packets in
 * transfer. */
INLINED void input_sends(struct xbar *x, u32 in_id, u64 now, u64 end)
{
    struct xbar_in *in = &x->in[in_id];
    bool two = x->conf.input_speedup == 2;
    in->free_at[two & (in->free_at[1] < in->free_at[0])] = end;
    u64 first = two ? min_u64(in->free_at[0], in->free_at[1]) : end;
    agenda_set(&x->due, INPUT, in_id, max_u64(now, first));
}

/* Grants the output to the head packet of the input; returns true if the packet behind may be
 * granted in the same cycle. */
INLINED bool grant(struct xbar *x, u32 words, u32 in_id, u32 out_id, u64 now, bool ascending)
{
    struct xbar_in *in = &x->in[in_id];
    struct xbar_out *o = &x->out[out_id];
    struct xbar_packet p = in->ring[in->head];
    in->head = (in->head + 1) & in->mask;
    in->flits -= p.flits;
    port_add(words, &x->sent_from, in_id);
    u64 end = now + p.flits + x->conf.turn_cycles;
    if (!ascending) input_sends(x, in_id, now, end);

    port_remove(words, &o->heads, in_id);
    o->free_at = end;
    o->pointer = in_id + 1 < x->wiring.in_n ? in_id + 1 : 0;
    u64 at = now + p.flits - 1 + x->conf.latency_cycles;
    if (!o->n) {
        x->arrives[out_id] = at;
        port_add(words, &x->sent_to, out_id);
    }
    o->ring[(o->head + o->n++) & o->mask] = (struct xbar_arrival){.at = at, .req = p.req};
    bool wanted = ports_any(words, &o->heads) && has_credit(x, o);
    agenda_set(&x->due, OUTPUT, out_id, wanted ? end : NEVER);
    struct xbar_stat *s = &x->stat[p.owner];
    s->packets++;
    s->flits += p.flits;
    return --in->n && request_output(x, words, in_id, in->ring[in->head].out, now);
}

/* Called when inputs want the output, but none of them may send yet: makes the output due when the
 * first of them may. */
static void wait_for_input(struct xbar *x, u32 out)
{
    u64 soonest = NEVER;
    EACH_PORT(PORT_WORDS, i, x->out[out].heads)
    soonest = min_u64(soonest, agenda_get(&x->due, INPUT, i));
    agenda_set(&x->due, OUTPUT, out, soonest);
}

INLINED void grant_together(struct xbar *x, u32 words, u64 now)
{
    bool again = true;
    for (u32 round = 0; again && round < x->conf.input_speedup; round++) {
        struct ports due = agenda_due(words, &x->due, OUTPUT, 1, now);
        again = false;
        struct ports free_inputs = agenda_due(words, &x->due, INPUT, 1, now);
        EACH_PORT(words, out, due)
        {
            struct ports want = ports_and(words, &x->out[out].heads, &free_inputs);
            if (unlikely(!ports_any(words, &want))) {
                wait_for_input(x, out);
                continue;
            }
            u32 in = choose(x, words, out, &want, now, round);
            port_remove(words, &free_inputs, in);
            again |= grant(x, words, in, out, now, false);
        }
    }
}

/* Model: the outputs grant one after the other in ascending order, each to one of the head packets
 * present by then, and a packet leaves its input at once. In a cycle an input therefore sends as
 * many packets as follow one another to ever higher outputs (GPGPU-Sim 4.x, built-in crossbar). */
INLINED void grant_ascending(struct xbar *x, u32 words, u64 now)
{
    struct ports due = agenda_due(words, &x->due, OUTPUT, 1, now);
    while (ports_any(words, &due)) {
        u32 out = port_first(words, &due), in;
        port_remove(words, &due, out);
        in = choose(x, words, out, &x->out[out].heads, now, 0);
        if (!grant(x, words, in, out, now, true)) continue;
        u32 next = x->in[in].ring[x->in[in].head].out;
        if (next > out) port_add(words, &due, next);
    }
}

INLINED void tick(struct xbar *x, u32 words, u64 now)
{
    if (unlikely(now - x->due.base >= AGENDA_SPAN)) agenda_rebase(&x->due, now);
    x->sent_from = x->sent_to = (struct ports){0};
    if (x->conf.grants == GRANTS_ASCENDING) grant_ascending(x, words, now);
    else grant_together(x, words, now);
    x->wake = max_u64(agenda_first(&x->due, OUTPUT + 1), now + 1);
}

void xbar_tick(struct xbar *x, u64 now)
{
    if (max_u32(x->wiring.in_n, x->wiring.out_n) <= 64) tick(x, 1, now);
    else tick(x, PORT_WORDS, now);
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
    if (!had_credit && ports_any(PORT_WORDS, &o->heads)) {
        u64 at = max_u64(now, o->free_at);
        agenda_lower(&x->due, OUTPUT, out, at);
        x->wake = min_u64(x->wake, at);
    }
    return req;
}

void xbar_pop_early(struct xbar *x, u32 out)
{
    struct xbar_out *o = &x->out[out];
    o->head = o->n = 0;
    x->held--;
    x->arrives[out] = NEVER;
}
