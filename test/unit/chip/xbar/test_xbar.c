/* Contract of the crossbar: time of a packet, room and credit to the cycle, arbitration, throughput
 * of a saturated network, and the same events with a tick every cycle and with ticks at wakes
 * only. */
#include "test/unit/cache/hold.h"

enum { SHORT_BYTES = 0, LONG_BYTES = 128 };

struct net {
    struct hold hold;
    struct xbar x;
};

static void net_init(struct net *n, u32 in_n, u32 out_n)
{
    struct xbar_wiring w = {.in_n = in_n, .out_n = out_n, .to_memory = true, .seed = 11,
        .network = 2};
    xbar_init(&n->x, &n->hold.opt.xbar, &w, &n->hold.pool, &n->hold.arena);
}

static u32 packet(struct net *n, u32 bytes) /* a load, or a store of `bytes` bytes */
{
    u32 id = hold_req(&n->hold, bytes ? REQ_STORE : REQ_LOAD, 0, 0);
    req_at(&n->hold.pool, id)->bytes = (u8)bytes;
    return id;
}

static u64 arrival(struct net *n, u64 from, u32 out) /* ticks until a packet arrives; returns the
                                                      * cycle */
{
    for (u64 now = from;; now++) {
        if (xbar_peek(&n->x, now, out) != REQ_NONE) return now;
        xbar_tick(&n->x, now);
        assert_true(now < from + 1000);
    }
}

static void packet_sizes(void **state)
{
    (void)state;
    struct req load = {.kind = REQ_LOAD, .l1_allocated = 1, .sectors = 15};
    struct req store = {.kind = REQ_STORE, .bytes = 128};
    static const u32 flits[2][2] = {{1, 5}, {5, 1}}; /* [store][reply] of machine.md 2.8 */
    for (u32 reply = 0; reply < 2; reply++) {
        assert_int_equal(div_up(req_packet_bytes(&load, !reply), 32), flits[0][reply]);
        assert_int_equal(div_up(req_packet_bytes(&store, !reply), 32), flits[1][reply]);
    }
}

static void time_of_a_packet(void **state)
{
    (void)state;
    for (u32 latency = 1; latency < 4; latency++) {
        struct net n;
        hold_init(&n.hold, 16);
        n.hold.opt.xbar.latency_cycles = latency;
        net_init(&n, 2, 2);
        assert_true(xbar_push(&n.x, 10, 0, 1, packet(&n, SHORT_BYTES)));
        assert_int_equal(arrival(&n, 10, 1), 10 + latency);
        xbar_pop(&n.x, 20, 1);
        assert_true(xbar_push(&n.x, 20, 0, 1, packet(&n, LONG_BYTES)));
        assert_int_equal(arrival(&n, 20, 1), 20 + 4 + latency); /* the tail is the fifth flit */
        hold_free(&n.hold);
    }
}

static void winner_keeps_output_until_its_tail(void **state)
{
    (void)state;
    struct net n;
    hold_init(&n.hold, 16);
    n.hold.opt.xbar.latency_cycles = 1;
    net_init(&n, 2, 1);
    u32 first = packet(&n, LONG_BYTES), second = packet(&n, LONG_BYTES);
    xbar_push(&n.x, 0, 0, 0, first);
    xbar_push(&n.x, 0, 1, 0, second);
    assert_int_equal(arrival(&n, 0, 0), 5);
    assert_int_equal(xbar_pop(&n.x, 5, 0), first);
    assert_int_equal(arrival(&n, 5, 0), 10);
    assert_int_equal(xbar_pop(&n.x, 10, 0), second);
    hold_free(&n.hold);
}

static void room_in_flits_comes_back_one_by_one(void **state)
{
    (void)state;
    struct net n;
    hold_init(&n.hold, 16);
    n.hold.opt.xbar.in_flits = 8;
    net_init(&n, 1, 2);
    assert_true(xbar_push(&n.x, 0, 0, 0, packet(&n, LONG_BYTES)));
    u32 next = packet(&n, LONG_BYTES);
    for (u64 now = 0; now < 2; now++) { /* one more flit leaves with every tick */
        assert_false(xbar_room(&n.x, now, 0, next));
        assert_false(xbar_push(&n.x, now, 0, 1, next));
        xbar_tick(&n.x, now);
    }
    assert_true(xbar_room(&n.x, 2, 0, next));
    assert_true(xbar_push(&n.x, 2, 0, 1, next));
    assert_int_equal(n.x.held, 2);
    hold_free(&n.hold);
}

/* 136 bytes leave in 1.36 cycles, and two packets of 8 bytes in the rest of the second cycle. */
static void bytes_of_an_sm(void **state)
{
    (void)state;
    struct net n;
    hold_init(&n.hold, 16);
    n.hold.opt.xbar.sm_bytes = 100;
    n.hold.opt.xbar.in_flits = 64;
    net_init(&n, 2, 2);
    u32 load = packet(&n, SHORT_BYTES);
    assert_true(xbar_push(&n.x, 20, 0, 0, packet(&n, LONG_BYTES)));
    assert_false(xbar_push(&n.x, 20, 0, 1, load));
    assert_int_equal(xbar_room_at(&n.x, 20, 0, load), 21);
    assert_true(xbar_push(&n.x, 20, 1, 1, packet(&n, LONG_BYTES))); /* another SM */
    assert_true(xbar_push(&n.x, 21, 0, 1, load));
    assert_true(xbar_push(&n.x, 21, 0, 1, packet(&n, SHORT_BYTES)));
    assert_true(xbar_push(&n.x, 21, 0, 1, packet(&n, LONG_BYTES)));
    assert_false(xbar_room(&n.x, 21, 0, load));
    assert_int_equal(xbar_room_at(&n.x, 21, 0, load), 22);
    assert_true(xbar_push(&n.x, 22, 0, 1, packet(&n, LONG_BYTES))); /* 288 bytes so far */
    assert_int_equal(xbar_room_at(&n.x, 22, 0, load), 24);
    hold_free(&n.hold);
}

static void room_in_packets(void **state)
{
    (void)state;
    struct net n;
    hold_init(&n.hold, 16);
    n.hold.opt.xbar.in_packets = 2;
    net_init(&n, 1, 1);
    assert_true(xbar_push(&n.x, 0, 0, 0, packet(&n, SHORT_BYTES)));
    assert_true(xbar_push(&n.x, 0, 0, 0, packet(&n, SHORT_BYTES)));
    u32 third = packet(&n, SHORT_BYTES);
    assert_false(xbar_push(&n.x, 0, 0, 0, third));
    xbar_tick(&n.x, 0);
    assert_true(xbar_push(&n.x, 1, 0, 0, third));
    hold_free(&n.hold);
}

static void a_packet_larger_than_the_room_enters_alone(void **state)
{
    (void)state;
    struct net n;
    hold_init(&n.hold, 16);
    n.hold.opt.xbar.in_flits = 3;
    net_init(&n, 1, 1);
    assert_true(xbar_push(&n.x, 0, 0, 0, packet(&n, LONG_BYTES)));
    assert_false(xbar_push(&n.x, 0, 0, 0, packet(&n, SHORT_BYTES)));
    hold_free(&n.hold);
}

static void credit_comes_back_with_the_pop(void **state)
{
    (void)state;
    struct net n;
    hold_init(&n.hold, 16);
    n.hold.opt.xbar.out_packets = 2;
    n.hold.opt.xbar.latency_cycles = 1;
    net_init(&n, 3, 1);
    for (u32 i = 0; i < 3; i++) xbar_push(&n.x, 0, i, 0, packet(&n, SHORT_BYTES));
    for (u64 now = 0; now < 20; now++) xbar_tick(&n.x, now);
    assert_int_equal(n.x.stat[0].packets, 2);
    assert_int_equal(xbar_wake(&n.x, 19), NEVER);
    assert_int_not_equal(xbar_pop(&n.x, 20, 0), REQ_NONE);
    assert_int_equal(xbar_wake(&n.x, 19), 20);
    xbar_tick(&n.x, 20);
    assert_int_equal(n.x.stat[0].packets, 3);
    hold_free(&n.hold);
}

static void head_blocks_what_is_behind(void **state)
{
    (void)state;
    struct net n;
    hold_init(&n.hold, 16);
    n.hold.opt.xbar.out_packets = 1;
    net_init(&n, 1, 2);
    for (u32 i = 0; i < 2; i++) xbar_push(&n.x, 0, 0, 0, packet(&n, SHORT_BYTES));
    xbar_push(&n.x, 0, 0, 1, packet(&n, SHORT_BYTES));
    for (u64 now = 0; now < 30; now++) xbar_tick(&n.x, now);
    assert_int_equal(xbar_peek(&n.x, 30, 1), REQ_NONE);
    xbar_pop(&n.x, 30, 0);
    arrival(&n, 30, 1);
    hold_free(&n.hold);
}

static void order_of_winners(struct net *n, u64 start, u32 *winners)
{
    u32 ids[4];
    for (u32 i = 0; i < 4; i++) {
        ids[i] = packet(n, SHORT_BYTES);
        xbar_push(&n->x, start, i, 0, ids[i]);
    }
    for (u32 k = 0; k < 4; k++) xbar_tick(&n->x, start + k);
    for (u32 k = 0; k < 4; k++) {
        u32 req = xbar_pop(&n->x, start + 10, 0);
        for (u32 i = 0; i < 4; i++) winners[k] = ids[i] == req ? i : winners[k];
    }
}

static void islip_follows_the_last_winner(void **state)
{
    (void)state;
    struct net n;
    u32 winners[4];
    hold_init(&n.hold, 64);
    net_init(&n, 4, 1);
    xbar_push(&n.x, 0, 1, 0, packet(&n, SHORT_BYTES)); /* alone: the pointer moves to 2 */
    xbar_tick(&n.x, 0);
    xbar_pop(&n.x, 8, 0);
    order_of_winners(&n, 8, winners);
    for (u32 k = 0; k < 4; k++) assert_int_equal(winners[k], (2 + k) % 4);
    hold_free(&n.hold);
}

static void rr_turns_with_time(void **state)
{
    (void)state;
    for (u64 start = 100; start < 104; start++) {
        struct net n;
        u32 winners[4];
        hold_init(&n.hold, 64);
        hold_set(&n.hold, "xbar.arbiter", "rr");
        net_init(&n, 4, 1);
        order_of_winners(&n, start, winners);
        for (u32 k = 0; k < 4; k++) assert_int_equal(winners[k], (start + k) % 4);
        hold_free(&n.hold);
    }
}

/* Requesting inputs win equally often, for every output and every seed. */
static void random_is_fair(void **state)
{
    (void)state;
    enum { IN = 4, DRAWS = 4000 };
    struct net n;
    u32 wins[2][IN] = {{0}}, same = 0;
    hold_init(&n.hold, 64);
    hold_set(&n.hold, "xbar.arbiter", "random");
    n.hold.opt.xbar.latency_cycles = 1;
    net_init(&n, IN, 2);
    for (u64 k = 0; k < DRAWS; k++) { /* all request output 0, then all output 1 */
        u64 now = 10 * k;
        u32 won[2] = {IN, IN};
        for (u32 o = 0; o < 2; o++) {
            u32 ids[IN];
            for (u32 i = 0; i < IN; i++) xbar_push(&n.x, now, i, o, ids[i] = packet(&n, 0));
            for (u64 t = now; t < now + 5; t++) xbar_tick(&n.x, t);
            for (u32 left = IN; left; left--) {
                u32 req = xbar_pop(&n.x, now + 5, o);
                for (u32 i = 0; i < IN && left == IN; i++)
                    if (ids[i] == req) won[o] = i;
                req_free(&n.hold.requests, req);
            }
            wins[o][won[o]]++;
            now += 5;
        }
        same += won[0] == won[1];
    }
    for (u32 o = 0; o < 2; o++)
        for (u32 i = 0; i < IN; i++)
            assert_in_range(wins[o][i], DRAWS / IN - 150, DRAWS / IN + 150);
    assert_in_range(same, DRAWS / IN - 150, DRAWS / IN + 150); /* the draws are independent */
    hold_free(&n.hold);
}

static void speedup_lets_the_next_head_go(void **state)
{
    (void)state;
    for (u32 speedup = 1; speedup <= 2; speedup++) {
        struct net n;
        hold_init(&n.hold, 16);
        n.hold.opt.xbar.input_speedup = speedup;
        n.hold.opt.xbar.latency_cycles = 1;
        net_init(&n, 1, 3);
        for (u32 o = 0; o < 3; o++) xbar_push(&n.x, 0, 0, o, packet(&n, LONG_BYTES));
        assert_int_equal(arrival(&n, 0, 1), speedup == 2 ? 5 : 10);
        assert_int_equal(arrival(&n, speedup == 2 ? 5 : 10, 2), speedup == 2 ? 10 : 15);
        hold_free(&n.hold);
    }
}

/* Packets of inputs, by their outputs, and the input of each grant. Every delivered packet is
 * popped at once. */
struct pattern {
    u32 in_n, out_n;
    const char *packets[4];  /* by input, a digit per packet */
    const char *granted[8];  /* by cycle: for each output the input or '-'; NULL: end */
};

static void plays(const struct pattern *p)
{
    struct net n;
    u32 from[64] = {0};
    hold_init(&n.hold, 64);
    hold_set(&n.hold, "xbar.grants", "ascending");
    n.hold.opt.xbar.latency_cycles = 1;
    n.hold.opt.xbar.flit_bytes = PACKET_BYTES_MAX;
    net_init(&n, p->in_n, p->out_n);
    for (u32 i = 0; i < p->in_n; i++)
        for (const char *o = p->packets[i]; *o; o++) {
            u32 req = packet(&n, *o & 1 ? LONG_BYTES : SHORT_BYTES);
            from[req] = i;
            assert_true(xbar_push(&n.x, 0, i, (u32)(*o - '0'), req));
        }
    for (u64 now = 0; p->granted[now]; now++) {
        assert_int_equal(xbar_wake(&n.x, now - 1), now);
        xbar_tick(&n.x, now);
        for (u32 o = 0; o < p->out_n; o++) {
            u32 req = xbar_pop(&n.x, now + 1, o);
            assert_int_equal(req == REQ_NONE ? '-' : (int)('0' + from[req]), p->granted[now][o]);
        }
    }
    assert_int_equal(n.x.held, 0);
    hold_free(&n.hold);
}

/* Worked out by hand: outputs in ascending order, each from its own pointer on, seeing the current
 * heads. */
static void ascending_outputs_see_live_heads(void **state)
{
    (void)state;
    static const struct pattern patterns[] = {
        {1, 4, {"0123"}, {"0000"}},                       /* all in one cycle */
        {1, 4, {"3210"}, {"---0", "--0-", "-0--", "0---"}}, /* never downwards */
        {1, 4, {"0213"}, {"0-0-", "-0-0"}},
        {1, 2, {"0011"}, {"0-", "00", "-0"}},             /* an output grants once a cycle */
        {2, 2, {"01", "01"}, {"00", "11"}},               /* the first takes both */
        {3, 3, {"102", "120", "011"}, {"20-", "010", "-21", "12-"}},
        {3, 3, {"012", "012", "012"}, {"000", "111", "222"}},
        {3, 3, {"210", "021", "102"}, {"120", "201", "012"}},
        {4, 2, {"01", "0", "10", "1"}, {"00", "12", "23"}},
    };
    for (u32 k = 0; k < COUNT_OF(patterns); k++) plays(&patterns[k]);
}

/* While an output has no room or is busy, the head for the output blocks all packets behind. */
static void ascending_heads_block(void **state)
{
    (void)state;
    struct net n;
    hold_init(&n.hold, 16);
    hold_set(&n.hold, "xbar.grants", "ascending");
    n.hold.opt.xbar.latency_cycles = 1;
    n.hold.opt.xbar.out_packets = 1;
    net_init(&n, 1, 3);
    for (u32 o = 0; o < 3; o++) xbar_push(&n.x, 0, 0, o == 1 ? 0 : o, packet(&n, LONG_BYTES));
    xbar_tick(&n.x, 0);
    assert_int_equal(n.x.stat[0].packets, 1);
    assert_int_not_equal(xbar_pop(&n.x, 5, 0), REQ_NONE);
    xbar_tick(&n.x, 5); /* both: the input is not busy with five flits */
    assert_int_equal(n.x.stat[0].packets, 3);
    assert_int_equal(xbar_arrives(&n.x, 0), 10);
    assert_int_equal(xbar_arrives(&n.x, 2), 10);
    hold_free(&n.hold);
}

/* idle cycles between two packets of an input, and between two of an output; credit returns without
 * the extra cycles */
static void a_turn_costs_input_and_output(void **state)
{
    (void)state;
    for (u32 turn = 0; turn <= 3; turn++) {
        struct net n;
        hold_init(&n.hold, 16);
        n.hold.opt.xbar.input_speedup = 1;
        n.hold.opt.xbar.latency_cycles = 1;
        n.hold.opt.xbar.in_flits = 5;
        n.hold.opt.xbar.turn_cycles = turn;
        net_init(&n, 2, 2);
        xbar_push(&n.x, 0, 0, 0, packet(&n, LONG_BYTES));
        xbar_push(&n.x, 0, 1, 0, packet(&n, SHORT_BYTES));
        assert_int_equal(arrival(&n, 0, 0), 5);
        u32 next = packet(&n, LONG_BYTES);
        assert_false(xbar_push(&n.x, 4, 0, 1, next));
        assert_true(xbar_push(&n.x, 5, 0, 1, next));
        xbar_pop(&n.x, 5, 0);
        assert_int_equal(arrival(&n, 5 + turn, 0), 5 + turn + 1);
        assert_int_equal(arrival(&n, 5 + turn + 1, 1), 5 + turn + 5);
        hold_free(&n.hold);
    }
}

/* Theoretical model: input queues that never run dry, uniform destinations, one-flit packets. */
static double saturation(u32 ports, u32 cycles)
{
    struct net n;
    hold_init(&n.hold, ports * 64);
    hold_set(&n.hold, "xbar.arbiter", "random");
    n.hold.opt.xbar.input_speedup = 1;
    n.hold.opt.xbar.in_packets = 4;
    n.hold.opt.xbar.latency_cycles = 1;
    net_init(&n, ports, ports);
    u64 draw = 0, warm = 2000, at_warm = 0;
    for (u64 now = 0; now < warm + cycles; now++) {
        if (now == warm) at_warm = n.x.stat[0].flits;
        for (u32 o = 0; o < ports; o++) {
            u32 req = xbar_pop(&n.x, now, o);
            if (req != REQ_NONE) req_free(&n.hold.requests, req);
        }
        for (u32 i = 0; i < ports; i++) {
            u32 req = packet(&n, SHORT_BYTES);
            while (xbar_room(&n.x, now, i, req)) {
                xbar_push(&n.x, now, i, rand_below(5, 0, draw++, ports), req);
                req = packet(&n, SHORT_BYTES);
            }
            req_free(&n.hold.requests, req);
        }
        xbar_tick(&n.x, now);
    }
    double share = (double)(n.x.stat[0].flits - at_warm) / cycles / ports;
    hold_free(&n.hold);
    return share;
}

static void saturated_throughput(void **state)
{
    (void)state;
    static const struct { u32 ports, cycles; double share; } rows[] = {
        {2, 100000, 0.750}, {4, 60000, 0.655}, {8, 30000, 0.618}, {16, 20000, 0.601},
        {32, 10000, 0.593}};
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        double share = saturation(rows[i].ports, rows[i].cycles);
        assert_true(share > rows[i].share - 0.005 && share < rows[i].share + 0.005);
    }
}

/* Random traffic with stalling receivers, ticked every cycle or at wakes only. Every arrival has
 * been announced. */
static void drive(const char *arbiter, const char *grants, u32 speedup, bool every,
                  struct events *e)
{
    enum { IN = 7, OUT = 5, CYCLES = 6000 };
    struct net n;
    u64 last = UINT64_MAX, seen[OUT], announced[OUT];
    u32 serial = 0;
    hold_init(&n.hold, 4096);
    hold_set(&n.hold, "xbar.arbiter", arbiter);
    hold_set(&n.hold, "xbar.grants", grants);
    n.hold.opt.xbar.input_speedup = speedup;
    n.hold.opt.xbar.out_packets = 3;
    n.hold.opt.xbar.turn_cycles = speedup - 1;
    net_init(&n, IN, OUT);
    for (u32 o = 0; o < OUT; o++) seen[o] = announced[o] = REQ_NONE;
    for (u64 now = 0; now < CYCLES; now++) {
        u32 load = (u32)(now / 500) % 4; /* from busy to idle */
        for (u32 o = 0; o < OUT; o++) {
            u32 there = xbar_peek(&n.x, now, o);
            assert_true(there == seen[o] || announced[o] == now);
            if (rand_below(1, o, now, 4) == 0 && xbar_pop(&n.x, now, o) != REQ_NONE) {
                events_add(e, now << 32 | o << 24 | req_at(&n.hold.pool, there)->access);
                req_free(&n.hold.requests, there);
            }
            seen[o] = xbar_peek(&n.x, now, o);
        }
        for (u32 i = 0; i < IN; i++) {
            if (rand_below(2, i, now, 2 + 20 * load) != 0) continue;
            u32 req = packet(&n, rand_below(3, i, now, 2) ? LONG_BYTES : SHORT_BYTES);
            req_at(&n.hold.pool, req)->access = (u16)serial++;
            req_at(&n.hold.pool, req)->owner = (u8)(serial % 3);
            bool taken = xbar_push(&n.x, now, i, rand_below(4, i, now, OUT), req);
            events_add(e, now << 32 | taken);
            if (!taken) req_free(&n.hold.requests, req);
        }
        if (every || xbar_wake(&n.x, last) <= now) {
            xbar_tick(&n.x, now);
            last = now;
        }
        for (u32 o = 0; o < OUT; o++) announced[o] = xbar_arrives(&n.x, o);
    }
    u64 stat[2] = {0};
    for (u32 a = 0; a <= APPS_MAX; a++) stat_sum(stat, &n.x.stat[a], sizeof stat);
    events_add(e, stat[0]);
    events_add(e, stat[1]);
    assert_true(stat[0] > 1000);
    assert_int_equal(n.x.held, req_used(&n.hold.requests));
    hold_free(&n.hold);
}

static void skipping_changes_nothing(void **state)
{
    (void)state;
    static const char *const arbiters[] = {"islip", "rr", "random"};
    for (u32 a = 0; a < 3; a++) {
        for (u32 speedup = 0; speedup <= 2; speedup++) { /* 0: unlimited in ascending order */
            const char *grants = speedup ? "together" : "ascending";
            struct events every = {0}, wakes = {0};
            drive(arbiters[a], grants, max_u32(speedup, 1), true, &every);
            drive(arbiters[a], grants, max_u32(speedup, 1), false, &wakes);
            events_equal(&every, &wakes);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packet_sizes),
        cmocka_unit_test(time_of_a_packet),
        cmocka_unit_test(winner_keeps_output_until_its_tail),
        cmocka_unit_test(room_in_flits_comes_back_one_by_one),
        cmocka_unit_test(room_in_packets), cmocka_unit_test(bytes_of_an_sm),
        cmocka_unit_test(a_packet_larger_than_the_room_enters_alone),
        cmocka_unit_test(credit_comes_back_with_the_pop),
        cmocka_unit_test(head_blocks_what_is_behind),
        cmocka_unit_test(islip_follows_the_last_winner),
        cmocka_unit_test(rr_turns_with_time),
        cmocka_unit_test(random_is_fair),
        cmocka_unit_test(speedup_lets_the_next_head_go),
        cmocka_unit_test(ascending_outputs_see_live_heads),
        cmocka_unit_test(ascending_heads_block),
        cmocka_unit_test(a_turn_costs_input_and_output),
        cmocka_unit_test(saturated_throughput),
        cmocka_unit_test(skipping_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
