/* Rules for the crossbar, DRAM and addresses. */
#include <ctype.h>
#include <string.h>
#include "run/import/draft.h"

enum {
    PACKET_BYTES = 8 + 128,  /* the largest packet: a header and a line */
    UNBOUNDED = 1024,        /* for a queue of 0 */
    INJECTION_QUEUE = 9,
    PORT_CYCLES = 5,         /* injection and ejection */
};

/* The built-in crossbar: any packet in one cycle. */
static void built_in(struct draft *d)
{
    static const char algorithm[] = "icnt_arbiter_algo";
    struct settings *o = &d->options;
    struct part arbiter = part_whole(o, algorithm, "1");
    struct origin by_algorithm = origin_of(d, o, algorithm, "");
    struct origin mode = origin_of(d, o, "network_mode", "");
    struct origin buffer = origin_of(d, o, "icnt_in_buffer_limit", "");
    u64 kind = part_number(&arbiter), size = settings_number(o, "icnt_in_buffer_limit", "64");
    if (kind > 1) draft_refuse(d, &arbiter, "0 (round robin) or 1 (iSLIP) is right",
                               "no crossbar has arbiter %lu", kind);
    draft_put(d, "xbar.arbiter", by_algorithm, kind ? "islip" : "rr");
    draft_put_number(d, "xbar.flit_bytes",
                     origin_of(d, o, "network_mode", ": any packet in one cycle"), PACKET_BYTES);
    draft_put_number(d, "xbar.in_packets", buffer, size);
    draft_put_number(d, "xbar.in_flits", buffer, size);
    draft_take(d, "xbar.out_packets", "icnt_out_buffer_limit", "64");
    draft_put(d, "xbar.grants", by_algorithm, kind ? "ascending" : "together");
    draft_put(d, "xbar.input_speedup", mode, "1");
    draft_put(d, "xbar.latency_cycles", mode, "1");
    draft_note(d, "icnt_flit_size", "the built-in crossbar counts packets");
    draft_note(d, "icnt_subnets", "the built-in crossbar counts packets");
}

static void arbiter(struct draft *d)
{
    struct part word = part_whole(&d->network, "sw_allocator", "islip");
    struct part topology = part_whole(&d->network, "topology", "fly");
    bool known = !strcmp(word.text, "islip") || !strcmp(word.text, "rr");
    draft_put(d, "xbar.arbiter", origin_of(d, &d->network, "sw_allocator", ""),
              known ? word.text : "islip");
    if (!known) draft_refuse(d, &word, "islip or rr is right", "no crossbar has allocator '%s'",
                             word.text);
    if (strcmp(topology.text, "fly"))
        draft_refuse(d, &topology, "fly, a crossbar, is right",
                     "a network of topology '%s' between SMs and slices", topology.text);
}

/* The crossbar of a file of its own. */
static void crossbar(struct draft *d)
{
    struct settings *n = &d->network;
    struct origin boundary = origin_of(d, n, "boundary_buffer_size", "");
    arbiter(d);
    u64 channels = settings_number(n, "num_vcs", "1");
    u64 room = settings_number(n, "vc_buf_size", "8") * channels;
    u64 injection = settings_number(n, "input_buffer_size", "0");
    u64 packets = settings_number(n, "boundary_buffer_size", "16");
    u64 speedup = settings_number(n, "input_speedup", "1");
    u64 allocation = settings_number(n, "vc_alloc_delay", "1");
    u64 delays = settings_number(n, "routing_delay", "1") + allocation +
                 settings_number(n, "sw_alloc_delay", "1");
    bool again = channels == 1 && settings_number(n, "internal_speedup", "1") == 1;
    draft_put_number(d, "xbar.flit_bytes", origin_of(d, n, "flit_size", ""),
                     settings_number(n, "flit_size", "32"));
    draft_put_number(d, "xbar.in_packets", boundary, packets);
    draft_put_number(d, "xbar.in_flits", origin_of(d, n, "input_buffer_size vc_buf_size num_vcs",
                                                   "; injection queue of 9"),
                     (injection ? injection : INJECTION_QUEUE) + room);
    draft_put_number(d, "xbar.out_packets", boundary, packets);
    draft_put_number(d, "xbar.input_speedup",
                     origin_of(d, n, "input_speedup num_vcs",
                               ": one flit a cycle and virtual channel"),
                     min_u64(speedup, channels));
    draft_put_number(d, "xbar.turn_cycles",
                     origin_of(d, n, "vc_alloc_delay num_vcs internal_speedup",
                               ": allocated anew for every packet"), again ? allocation : 0);
    draft_put_number(d, "xbar.latency_cycles",
                     origin_of(d, n, "routing_delay vc_alloc_delay sw_alloc_delay",
                               ", injection and ejection"), PORT_CYCLES + delays);
    draft_note(d, "icnt_flit_size", "the crossbar's own file has it");
}

void draft_network(struct draft *d)
{
    if (d->network.source) crossbar(d);
    else built_in(d);
}

/* ---- DRAM ---- */

/* Timings by name, or by position in versions before 3.1. */
static void timing(struct draft *d)
{
    static const char *const names[] = {"nbk", "CCD", "RRD", "RCD", "RAS", "RP", "RC", "CL", "WL",
                                        "CDLR", "WR", "nbkgrp", "CCDL", "RTPL"};
    static const char option[] = "gpgpu_dram_timing_opt";
    struct part parts[PARTS_MAX];
    const struct origin origin = origin_of(d, &d->options, option, "");
    u32 n = value_split(settings_get(&d->options, option, NULL), ':', parts, &d->arena);
    u64 groups = 0, ccd = 0, ccdl = 0;
    for (u32 i = 0; i < n; i++) {
        const char *equals = strchr(parts[i].text, '=');
        size_t size = equals ? (size_t)(equals - parts[i].text) : 0;
        const char *name = i < COUNT_OF(names) ? names[i] : "";
        if (equals) name = arena_text(&d->arena, parts[i].text, size);
        struct text key = {0};
        bool banks = !strcmp(name, "nbk"), group = !strcmp(name, "nbkgrp");
        bool other = !banks && !group;
        text_add(&key, "dram.%s", banks ? "banks" : group ? "groups" : "");
        for (const char *c = name; other && *c; c++) {
            char lower = (char)tolower((unsigned char)*c);
            text_put(&key, &lower, 1);
        }
        if (!conf_find(machine_rows, machine_row_n, key.bytes)) {
            part_fail(&parts[i], "unknown timing '%s'", parts[i].text);
            fail_note(d->fail, "known: nbk CCD RRD RCD RAS RP RC CL WL CDLR WR nbkgrp CCDL RTPL, "
                      "each NAME=CYCLES");
        } else {
            struct part number = {parts[i].of, equals ? equals + 1 : parts[i].text,
                                  parts[i].index + (equals ? size + 1 : 0)};
            u64 cycles = part_number(&number);
            draft_put_number(d, key.bytes, origin, cycles);
            if (group) groups = cycles;
            if (!strcmp(name, "CCD")) ccd = cycles;
            if (!strcmp(name, "CCDL")) ccdl = cycles;
        }
        text_free(&key);
    }
    /* In GPGPU-Sim a column waits for both. */
    if (groups > 1 && ccdl < ccd)
        draft_put_number(d, "dram.ccdl", origin_of(d, &d->options, option, ": CCD"), ccd);
    if (n && !groups) draft_put(d, "dram.groups", origin, "1");
}

/* Latency behind DRAM: SM cycles, rounded to DRAM cycles, halves to even. */
static void latency(struct draft *d)
{
    struct rational sm = d->machine.clock.sm_mhz, command = d->machine.clock.dram_mhz;
    u128 up = (u128)settings_number(&d->options, "dram_latency", "30") * command.num * sm.den;
    u128 down = (u128)command.den * sm.num;
    if (!down) return;
    u128 whole = up / down, rest = 2 * (up % down);
    if (rest > down || (rest == down && whole % 2)) whole++;
    draft_put_number(d, "dram.latency_cycles",
                     origin_of(d, &d->options, "dram_latency", " SM cycles"), (u64)whole);
}

static void queue(struct draft *d, const char *key, const char *option)
{
    u64 size = settings_number(&d->options, option, "0");
    draft_put_number(d, key, origin_of(d, &d->options, option, ""), size ? size : UNBOUNDED);
}

static void dram(struct draft *d)
{
    struct settings *o = &d->options;
    struct part scheduler = part_whole(o, "gpgpu_dram_scheduler", "1");
    u64 kind = part_number(&scheduler);
    if (kind > 1) draft_refuse(d, &scheduler, "0 (FCFS) or 1 (FR-FCFS) is right",
                               "no DRAM scheduler %lu", kind);
    draft_put(d, "dram.scheduler", origin_of(d, o, "gpgpu_dram_scheduler", ""),
              kind ? "frfcfs" : "fcfs");
    draft_put(d, "dram.commands",
              origin_rule("one command bus, of which a row command leaves room"), "both");
    timing(d);
    u64 width = settings_number(o, "gpgpu_dram_buswidth", "4") *
                settings_number(o, "gpgpu_n_mem_per_ctrlr", "1");
    draft_put_number(d, "dram.bus_bytes",
                     origin_of(d, o, "gpgpu_dram_buswidth dram_data_command_freq_ratio", ""),
                     width * settings_number(o, "dram_data_command_freq_ratio", "2"));
    draft_put_number(d, "dram.atom_bytes",
                     origin_of(d, o, "gpgpu_dram_buswidth gpgpu_dram_burst_length", ""),
                     width * settings_number(o, "gpgpu_dram_burst_length", "4"));
    queue(d, "dram.queue", "gpgpu_frfcfs_dram_sched_queue_size");
    queue(d, "dram.returns", "gpgpu_dram_return_queue_size");
    latency(d);
}

/* ---- addresses ---- */

static void mapping(struct draft *d)
{
    static const char option[] = "gpgpu_mem_addr_mapping";
    struct part whole = part_whole(&d->options, option, NULL), chip[PARTS_MAX];
    const char *semicolon = strchr(whole.text, ';'), *at = strchr(whole.text, '@');
    if (!*whole.text) return;
    if (!semicolon || !at || at > semicolon) {
        part_fail(&whole, "expected dramid@BIT;BITS, not '%s'", whole.text);
        return;
    }
    const struct origin origin = origin_of(d, &d->options, option, "");
    struct part bit = {whole.of, at + 1, (size_t)(at + 1 - whole.text)};
    value_split(whole.of, ';', chip, &d->arena);
    bit.text = strchr(chip[0].text, '@') + 1;
    u64 shift = part_number(&bit);
    draft_put_number(d, "map.interleave_bytes", origin, 1ul << min_u64(shift, 40));
    struct text bits = {0};
    for (const char *c = semicolon + 1; *c; c++)
        if (*c != '.' && (*c != '0' || bits.size)) text_put(&bits, c, 1);
    draft_put(d, "map.layout", origin, arena_text(&d->arena, text_get(&bits), bits.size));
    text_free(&bits);
}

static void addresses(struct draft *d)
{
    enum { ROTATE = 3, IPOLY_MODULO = 6 };
    static const char *const hashes[] = {"none", "xor", "ipoly", [ROTATE] = "rotate"};
    static const char hash[] = "gpgpu_memory_partition_indexing";
    struct settings *o = &d->options;
    struct part indexing = part_whole(o, hash, "0");
    u64 kind = part_number(&indexing), channels = settings_number(o, "gpgpu_n_mem", NULL);
    draft_put_number(d, "map.channels", origin_of(d, o, "gpgpu_n_mem", ""), channels);
    draft_take(d, "map.slices_per_channel", "gpgpu_n_sub_partition_per_mchannel", "1");
    mapping(d);
    if ((kind == 1 || kind == 2) && !is_power_of_two((u32)channels)) {
        draft_refuse(d, &indexing, "0 is right, or a power of two of channels",
                     "a hash over %lu channels", channels);
        kind = ROTATE;
    } else if (kind == IPOLY_MODULO) {
        draft_note(d, hash, "map.hash=rotate, another hash over any number of slices");
        kind = ROTATE;
    } else if (kind >= ROTATE) {
        draft_note(d, hash, "no such hash of channels");
        kind = 0;
    }
    draft_put(d, "map.hash", origin_of(d, o, hash, ""), hashes[kind]);
    draft_put(d, "map.placement", origin_rule("allocations follow one another"), "consecutive");
    draft_put(d, "map.page_bytes", origin_rule("allocations begin at multiples of 256 bytes"),
              "256");
}

void draft_dram(struct draft *d)
{
    dram(d);
    addresses(d);
}
