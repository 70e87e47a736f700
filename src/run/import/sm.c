/* Rules for clocks and the SM. */
#include <string.h>
#include "run/import/draft.h"

enum { FETCHED = 2 }; /* instructions of a fetch */

static void clocks(struct draft *d)
{
    static const char *const keys[] = {"clock.sm_mhz", "clock.xbar_mhz", "clock.l2_mhz",
                                       "clock.dram_mhz"};
    struct part parts[PARTS_MAX], whole = part_whole(&d->options, "gpgpu_clock_domains", NULL);
    u32 n = value_split(whole.of, ':', parts, &d->arena);
    if (!n) return;
    if (n != COUNT_OF(keys)) {
        part_fail(&whole, "expected four clocks, SM:CROSSBAR:L2:DRAM, not '%s'", whole.text);
        return;
    }
    for (u32 i = 0; i < n; i++) {
        struct rational mhz;
        struct text t = {0};
        if (!rational_parse(parts[i].text, &mhz)) {
            part_fail(&parts[i], "expected a clock in MHz, not '%s'", parts[i].text);
            continue;
        }
        rational_show(mhz, &t);
        draft_put(d, keys[i], origin_of(d, &d->options, "gpgpu_clock_domains", ""),
                  arena_text(&d->arena, t.bytes, t.size));
        text_free(&t);
    }
}

static void capacity(struct draft *d)
{
    struct settings *o = &d->options;
    struct part cores = part_whole(o, "gpgpu_n_cores_per_cluster", "3"), parts[PARTS_MAX];
    u64 per_cluster = part_number(&cores);
    u64 clusters = settings_number(o, "gpgpu_n_clusters", NULL);
    draft_put_number(d, "sm.count",
                     origin_of(d, o, "gpgpu_n_clusters gpgpu_n_cores_per_cluster", ""),
                     clusters * per_cluster);
    if (per_cluster != 1)
        draft_refuse(d, &cores, "1 is right: a crossbar port for every SM",
                     "%lu SMs of a cluster share a crossbar port", per_cluster);
    u32 n = value_split(settings_get(o, "gpgpu_shader_core_pipeline", NULL), ':', parts, &d->arena);
    if (n) draft_put_number(d, "sm.threads", origin_of(d, o, "gpgpu_shader_core_pipeline", ""),
                            part_number(&parts[0]));
    if (n > 1 && part_number(&parts[1]) != LANES)
        draft_refuse(d, &parts[1], "32 is right", "warps of %s threads", parts[1].text);
    draft_take(d, "sm.blocks", "gpgpu_shader_cta", "32");
    draft_take(d, "sm.registers", "gpgpu_shader_registers", NULL);
    draft_put(d, "sm.register_unit", origin_rule("registers per thread are rounded up to 4"), "4");
    draft_take(d, "sm.shared_bytes", "gpgpu_shmem_size", "16384");
    draft_take(d, "sm.shared_banks", "gpgpu_shmem_num_banks", "16");
}

static void schedulers(struct draft *d)
{
    static const char *const words[][2] = {
        {"gto", "gto"}, {"lrr", "lrr"}, {"two_level_active", "two-level"}};
    struct part parts[PARTS_MAX];
    struct origin origin = origin_of(d, &d->options, "gpgpu_scheduler", "");
    draft_take(d, "sm.schedulers", "gpgpu_num_sched_per_core", "1");
    u32 n = value_split(settings_get(&d->options, "gpgpu_scheduler", "gto"), ':', parts, &d->arena);
    for (u32 i = 0; i < COUNT_OF(words); i++) {
        if (strcmp(parts[0].text, words[i][0])) continue;
        draft_put(d, "sm.scheduler", origin, words[i][1]);
        if (i == 2 && n > 1) draft_put_number(d, "sm.active_warps", origin, part_number(&parts[1]));
        return;
    }
    draft_refuse(d, &parts[0], "gto, lrr or two_level_active is right",
                 "no scheduler orders warps by '%s'", parts[0].text);
}

static void front_end(struct draft *d)
{
    static const char why[] = "a fetch brings two instructions";
    draft_take(d, "sm.fetch_warps", "gpgpu_inst_fetch_throughput", "1");
    draft_put_number(d, "sm.fetch_instructions", origin_rule(why), FETCHED);
    draft_put_number(d, "sm.ibuffer", origin_rule(why), FETCHED);
    bool perfect = settings_number(&d->options, "gpgpu_perfect_inst_const_cache", "0");
    const char *reason = perfect ? "perfect by -gpgpu_perfect_inst_const_cache"
                                 : "instruction and constant caches always hit here";
    draft_note(d, "gpgpu_cache:il1", reason);
    draft_note(d, "gpgpu_const_cache:l1", reason);
}

/* Latency or initiation of a class by cost of the instruction. */
static void costs(struct draft *d, const char *kind, const char *what, const char *initial)
{
    static const char *const cost[] = {"add", "max", "mul", "mad", "div"};
    struct text name = {0}, key = {0};
    struct part parts[PARTS_MAX];
    text_add(&name, "ptx_opcode_%s_%s", what, kind);
    struct part whole = part_whole(&d->options, name.bytes, initial);
    u32 n = value_split(whole.of, ',', parts, &d->arena);
    if (n < COUNT_OF(cost))
        part_fail(&whole, "expected ADD,MAX,MUL,MAD,DIV, not '%s'", whole.text);
    struct origin origin = origin_of(d, &d->options, name.bytes, "");
    for (u32 i = 0; i < COUNT_OF(cost) && n >= COUNT_OF(cost); i++) {
        key.size = 0;
        text_add(&key, "sm.%s_%s_%s", kind, cost[i], what);
        draft_put_number(d, key.bytes, origin, part_number(&parts[i]));
    }
    if (!strcmp(kind, "int")) {
        bool latency = !strcmp(what, "latency");
        key.size = 0;
        text_add(&key, "sm.shuffle_%s", what);
        draft_put_number(d, key.bytes, origin,
                         n > COUNT_OF(cost) ? part_number(&parts[COUNT_OF(cost)])
                                            : latency ? 32 : 4);
    }
    text_free(&name);
    text_free(&key);
}

/* Tensor units. GPGPU-Sim times a whole wmma.mma of 16 x 16 x 16, which has four steps here; the
 * last step begins three initiations after the first. GPGPU-Sim has one time for all types. */
static void tensor_units(struct draft *d)
{
    static const char latency_name[] = "ptx_opcode_latency_tesnor"; /* the spelling of GPGPU-Sim */
    static const char initiation_name[] = "ptx_opcode_initiation_tensor";
    static const char more[] = " of four steps";
    static const char *const types[] = {"f16", "f32", "bf16", "tf32", "int8"};
    enum { STEPS = 4 };
    struct settings *o = &d->options;
    u64 latency = settings_number(o, latency_name, "64");
    u64 initiation = settings_number(o, initiation_name, "64");
    u64 units = settings_number(o, "gpgpu_num_tensor_core_units", "0");
    if (!settings_number(o, "gpgpu_tensor_core_avail", "0") || !units) return;
    draft_take(d, "sm.tensor_units", "gpgpu_num_tensor_core_units", "0");
    u64 step = max_u64(1, (initiation + STEPS - 1) / STEPS);
    u64 before = (STEPS - 1) * step; /* until the last step begins */
    for (u32 i = 0; i < COUNT_OF(types); i++) {
        struct text key = {0};
        text_add(&key, "sm.tensor_%s_latency", types[i]);
        draft_put_number(d, key.bytes, origin_of(d, o, latency_name, more),
                         latency > before ? latency - before : 1);
        key.size = 0;
        text_add(&key, "sm.tensor_%s_initiation", types[i]);
        draft_put_number(d, key.bytes, origin_of(d, o, initiation_name, more), step);
        text_free(&key);
    }
}

static void units(struct draft *d)
{
    static const char *const kinds[] = {"sp", "dp", "int", "sfu"};
    static const char *const initial[] = {"1", "0", "0", "1"};
    struct part widths[PARTS_MAX];
    struct part whole = part_whole(&d->options, "gpgpu_pipeline_widths", "1,1,1,1,1,1,1,1,1,1,1");
    struct origin origin = origin_of(d, &d->options, "gpgpu_pipeline_widths", "");
    u32 n = value_split(whole.of, ',', widths, &d->arena);
    for (u32 i = 0; i < COUNT_OF(kinds); i++) {
        struct text key = {0}, name = {0};
        text_add(&key, "sm.%s_units", kinds[i]);
        text_add(&name, "gpgpu_num_%s_units", kinds[i]);
        draft_take(d, key.bytes, name.bytes, initial[i]);
        text_free(&key);
        text_free(&name);
    }
    if (n != 7 && n != 9 && n < 11) { /* 9: with units for doubles, 11: for integers too */
        part_fail(&whole, "expected 7, 9, or 11 and more pipeline widths, not %u", n);
    } else {
        draft_put_number(d, "sm.sp_issue", origin, part_number(&widths[0]));
        draft_put_number(d, "sm.result_buses", origin, part_number(&widths[min_u32(n, 11) - 1]));
    }
    costs(d, "int", "latency", "4,13,4,5,145,32");
    costs(d, "int", "initiation", "1,1,1,1,4,4");
    costs(d, "fp", "latency", "1,1,1,1,30");
    costs(d, "fp", "initiation", "1,1,1,1,5");
    costs(d, "dp", "latency", "8,8,8,8,335");
    costs(d, "dp", "initiation", "8,8,8,8,130");
    draft_take(d, "sm.sfu_latency", "ptx_opcode_latency_sfu", "8");
    draft_take(d, "sm.sfu_initiation", "ptx_opcode_initiation_sfu", "8");
    static const char why[] = "moves, comparisons, logic and conversions: 1";
    draft_put(d, "sm.other_latency", origin_rule(why), "1");
    draft_put(d, "sm.other_initiation", origin_rule(why), "1");
}

/* Marks the options of operand collectors as read: the numbers of units that count are values. */
static void collector_options(struct draft *d)
{
    static const char *const kinds[] = {"sp", "dp", "sfu", "int", "mem", "gen", "tensor_core"};
    static const char *const ways[] = {"units", "in_ports", "out_ports"};
    for (u32 i = 0; i < COUNT_OF(kinds) * COUNT_OF(ways); i++) {
        struct text name = {0};
        text_add(&name, "gpgpu_operand_collector_num_%s_%s", ways[i % COUNT_OF(ways)],
                 kinds[i / COUNT_OF(ways)]);
        settings_find(&d->options, name.bytes);
        text_free(&name);
    }
}

static void collectors(struct draft *d)
{
    static const char general[] = "gpgpu_operand_collector_num_units_gen";
    static const char *const own_units[][3] = {
        {"sm.collectors_sp", "gpgpu_operand_collector_num_units_sp", "4"},
        {"sm.collectors_sfu", "gpgpu_operand_collector_num_units_sfu", "4"},
        {"sm.collectors_mem", "gpgpu_operand_collector_num_units_mem", "2"}};
    struct settings *o = &d->options;
    bool own = settings_number(o, "gpgpu_enable_specialized_operand_collector", "1");
    u64 shared = settings_number(o, general, "0");
    draft_put(d, "sm.collector", origin_rule("operands are read from banks"), "banks");
    draft_put_number(d, "sm.collectors_general", origin_of(d, o, general, ""), own ? 0 : shared);
    if (own && shared) draft_note(d, general, "collectors are of a class or general, not both");
    for (u32 i = 0; own && i < COUNT_OF(own_units); i++)
        draft_take(d, own_units[i][0], own_units[i][1], own_units[i][2]);
    collector_options(d);
    draft_take(d, "sm.register_banks", "gpgpu_num_reg_banks", "8");
    draft_put(d, "sm.sub_cores", origin_of(d, o, "gpgpu_sub_core_model", ""),
              settings_number(o, "gpgpu_sub_core_model", "0") ? "true" : "false");
    draft_put(d, "sm.bank_of", origin_rule("a register's bank depends on the number in its name"),
              "name");
    draft_put(d, "sm.collector_order",
              origin_rule("the oldest of a class over all sub-cores goes first"), "class");
    draft_take(d, "sm.register_ports", "gpgpu_reg_file_port_throughput", "1");
    draft_put(d, "sm.atomics_hold",
              origin_rule("a warp issues nothing while it has an atomic under way"), "true");
    draft_put(d, "sm.bank_by_warp", origin_rule("a register's bank depends on its warp"), "true");
}

void draft_sm(struct draft *d)
{
    clocks(d);
    capacity(d);
    schedulers(d);
    front_end(d);
    units(d);
    tensor_units(d);
    collectors(d);
}
