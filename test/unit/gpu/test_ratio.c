/* Ratios: every row, with counters chosen so that every row has a different value. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "gpu/gpu.h"

static void near(double got, double want, double within)
{
    assert_true(got - want <= within && want - got <= within);
}

/* 16 SMs of 4 schedulers and an L1 of 2 banks, 5 channels of 2 slices; crossbar at twice the SM's
 * clock, L2 at half, DRAM at 3/4 with 12.5 bytes a cycle. */
static void machine_make(struct machine *m)
{
    conf_defaults(m, machine_rows, machine_row_n);
    m->sm.count = 16;
    m->sm.schedulers = 4;
    m->l1.banks = 2;
    m->map.channels = 5;
    m->map.slices_per_channel = 2;
    m->clock.sm_mhz = (struct rational){1000, 1};
    m->clock.xbar_mhz = (struct rational){2000, 1};
    m->clock.l2_mhz = (struct rational){1000, 2};
    m->clock.dram_mhz = (struct rational){750, 1};
    m->dram.bus_bytes = (struct rational){25, 2};
}

static const struct gpu_stat some = {
    .sm = {.inst_warp = 12800, .inst_thread = 400000, .inst_sp = 9000, .inst_sfu = 600,
           .minst = 2560, .ldst_stall = 3200, .load_n = 100, .load_l2_n = 60, .load_dram_n = 24,
           .load_cycles = 30000, .load_queue = 700, .load_l1 = 880, .load_to_l2 = 1800,
           .load_at_l2 = 9600, .load_dram = 12000, .load_back = 5020, .memory_stall = 4800,
           .resident_cycles = 48000, .active_cycles = 16000, .stall_raw = 16000, .stall_idle = 8000,
           .stall_memory = 12000, .stall_compute = 4000,
           .stall_policy = 2000},
    .residency = {.extra_cycles = 24000},
    .allocator = {.fragmented_registers = 104857600, .fragmented_shared = 943718400},
    .l1 = {.accesses = 5000, .bypassed = 120, .hits = 2000, .misses = 1500, .fail_line = 1,
           .fail_missq = 13, .fail_xbar = 7, .fail_mshr = 300, .fail_merge = 4000,
           .port_busy = 2048},
    .l2 = {.accesses = 1600, .misses = 400, .port_busy = 4000, .fail_line = 4, .fail_missq = 30,
           .fail_mshr = 200, .fail_merge = 1000},
    .to_l2 = {.flits = 4800}, .to_sm = {.flits = 9600},
    .dram = {.bytes = 15000, .reads = 300, .writes = 100, .activates = 16, .requests = 250,
             .row_hits = 200},
};

static const struct { /* over 1000 cycles */
    const char *name;
    double value;
} expected[] = {
    {"inst.ipc_thread", 400}, {"inst.ipc_warp", 12.8}, {"inst.cinst_per_minst", 4},
    {"ldst.req_per_minst", 2}, {"ldst.stall_fraction", 0.2}, {"ldst.load_latency", 300},
    {"ldst.load_queue_latency", 7}, {"ldst.load_l1_latency", 22},
    {"ldst.load_to_l2_latency", 30}, {"ldst.load_at_l2_latency", 160},
    {"ldst.load_dram_latency", 500}, {"ldst.load_back_latency", 5020.0 / 60},
    {"sm.memory_stall_fraction", 0.3}, {"blocks.mean_resident", 3}, {"l1.miss_rate", 0.3},
    {"l1.reservation_fails", 4321}, {"l1.rsfail_rate", 0.8642},
    {"l1.accesses_per_kcycle", 312.5}, {"l1.utilization", 0.064}, {"l2.miss_rate", 0.25},
    {"l2.reservation_fails", 1234}, {"l2.utilization", 0.8}, {"l2.mpki", 1},
    {"dram.bandwidth_fraction", 0.32}, {"dram.bytes_per_cycle", 15}, {"dram.row_locality", 25},
    {"dram.row_hit_rate", 0.8}, {"xbar.to_l2_utilization", 0.4},
    {"xbar.to_sm_utilization", 0.5}, {"sched.utilization", 0.2}, {"alu.utilization", 0.15},
    {"stall.raw", 0.25}, {"stall.idle", 0.125}, {"stall.memory", 0.1875},
    {"stall.compute", 0.0625}, {"stall.policy", 0.03125},
    {"residency.extra_blocks", 1.5},
    {"sm.fragmented_register_fraction", 0.1}, {"sm.fragmented_shared_fraction", 0.6},
};

static void every_ratio(void **state)
{
    (void)state;
    struct machine m;
    struct gpu_capacity c, none;
    struct gpu_stat nothing = {0};
    machine_make(&m);
    gpu_capacity(&m, 1000, &c);
    gpu_capacity(&m, 0, &none);
    u32 seen = 0;
    for (u32 i = 0; i < gpu_ratio_row_n; i++) {
        const struct ratio_row *row = &gpu_ratio_rows[i];
        u32 before = seen;
        for (u32 k = 0; k < COUNT_OF(expected); k++) {
            if (strcmp(expected[k].name, row->name)) continue;
            double value = row->numerator(&some, &c) / row->denominator(&some, &c);
            near(value, expected[k].value, 1e-12 * (1 + expected[k].value));
            seen++;
        }
        if (seen == before) fail_msg("the ratio %s has no value here", row->name);
        if (row->denominator(&nothing, &none) > 0) { /* a row without a denominator is a sum */
            near(row->numerator(&nothing, &none), 0, 0);
        }
    }
    assert_int_equal(seen, COUNT_OF(expected));
}

/* Capacities of the shipped machines of the papers. */
static void capacity(void **state)
{
    (void)state;
    struct machine m;
    struct gpu_capacity c;
    machine_make(&m);
    gpu_capacity(&m, 1000, &c);
    near(c.cycles, 1000, 0);
    near(c.sm_cycles, 16000, 0);
    near(c.l1_port_cycles, 32000, 0);
    near(c.registers, 65536.0 * 16000, 0);
    near(c.shared_bytes, 98304.0 * 16000, 0);
    near(c.scheduler_cycles, 64000, 0);
    near(c.to_l2_flits, 2000 * 10 * 0.6, 1e-9);
    near(c.to_sm_flits, 2000 * 16 * 0.6, 1e-9);
    near(c.l2_cycles, 500 * 10, 0);
    near(c.dram_bytes, 750 * 12.5 * 5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_ratio), cmocka_unit_test(capacity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
