"""Translates GPGPU-Sim's option file to a machine file for corun. Every value follows a rule and
names the option as source; options without a counterpart are listed.

    translate.py CONFIG [--need THREADS:REGISTERS:SHARED[:BLOCKS]]...    prints the machine file

--need: resources of a kernel's block, and the grid's blocks; decides the carve-out between L1 and
shared memory.
"""
import argparse
import os
import sys
from fractions import Fraction

from options import Cache, Network, Options

COSTS = ['add', 'max', 'mul', 'mad', 'div']
DEFAULTS = {'int': '4,13,4,5,145,32', 'fp': '1,1,1,1,30', 'dp': '8,8,8,8,335'}
STARTS = {'int': '1,1,1,1,4,4', 'fp': '1,1,1,1,5', 'dp': '8,8,8,8,130'}
INDEX = {'L': 'linear', 'X': 'xor', 'P': 'ipoly', 'H': 'fermi-l1'}
PACKET_BYTES = 8 + 128          # the largest packet: a header and a line
UNBOUNDED = 1024                # for a queue of 0

# Options without influence on the cycles of a kernel run alone on cold caches, or modelled only
# when on.
SILENT = '''gpgpu_perf_sim_memcpy gpgpu_deadlock_detect gpgpu_max_concurrent_kernel
gpgpu_ptx_force_max_capability gpgpu_compute_capability_major gpgpu_compute_capability_minor
gpgpu_occupancy_sm_number gpgpu_ptx_convert_to_ptxplus gpgpu_ptx_sim_mode gpgpu_memlatency_stat
gpgpu_runtime_stat visualizer_enabled power_simulation_enabled gpgpu_simd_model
gpgpu_shmem_sizeDefault gpgpu_registers_per_block gpgpu_shmem_per_block gpgpu_flush_l1_cache
gpgpu_cache:dl2_texture_only gpgpu_mem_address_mask
gpgpu_tensor_core_avail gpgpu_num_tensor_core_units ptx_opcode_latency_tesnor
ptx_opcode_latency_tensor ptx_opcode_initiation_tensor gpgpu_n_mem_per_ctrlr
gpgpu_ptx_instruction_classification gpgpu_ignore_resources_limitation gpgpu_stack_size_limit
gpgpu_heap_size_limit gpgpu_runtime_sync_depth_limit gpgpu_runtime_pending_launch_count_limit
gpgpu_ptx_save_converted_ptxplus gpgpu_clock_gated_lanes enable_ptx_file_line_stats
gpgpu_cache:dl1PrefL1 gpgpu_cache:dl1PrefShared gpgpu_shmem_size_PrefL1
gpgpu_shmem_size_PrefShared'''.split()


class Machine:
    """Rows (section, key, value, source), and options without a counterpart."""

    def __init__(self, options, needs):
        self.options = options
        self.needs = needs  # of each kernel
        self.rows = []
        self.lost = []

    def put(self, key, value, source):
        self.rows.append((*key.split('.'), value, source))

    def take(self, key, name, default=None):
        self.put(key, self.options.text(name, default), self.options.source(name))

    def lose(self, names, why):
        for name in map(self.options.name, names.split()):
            if name in self.options.values:
                self.options.asked.add(name)
                self.lost.append((name, self.options.values[name], why))

    def expect(self, name, value, why):
        """Reads an option with a single modelled value."""
        name = self.options.name(name)
        if name in self.options.values and self.options.text(name) != value:
            self.lost.append((name, self.options.values[name], why))


# ---- the SM ----

def clocks(m):
    name = 'gpgpu_clock_domains'
    for domain, mhz in zip(('sm', 'xbar', 'l2', 'dram'), m.options.text(name).split(':')):
        value = Fraction(mhz)
        m.put('clock.%s_mhz' % domain, int(value) if value.denominator == 1 else float(value),
              m.options.source(name))


def sms(o):
    return o.number('gpgpu_n_clusters') * o.number('gpgpu_n_cores_per_cluster', 1)


def capacity(m):
    o = m.options
    m.put('sm.count', sms(o), o.source('gpgpu_n_clusters', 'gpgpu_n_cores_per_cluster'))
    m.expect('gpgpu_n_cores_per_cluster', '1', 'SMs of a cluster share a crossbar port; here not')
    m.put('sm.threads', o.text('gpgpu_shader_core_pipeline').split(':')[0],
          o.source('gpgpu_shader_core_pipeline'))
    m.take('sm.blocks', 'gpgpu_shader_cta', '32')
    m.take('sm.registers', 'gpgpu_shader_registers')
    m.put('sm.register_unit', 4, 'registers per thread are rounded up to 4')
    m.take('sm.shared_bytes', 'gpgpu_shmem_size', '16384')
    m.take('sm.shared_banks', 'gpgpu_shmem_num_banks', '32')
    m.expect('gpgpu_shmem_limited_broadcast', '0', 'one word per bank is read by any lanes')
    m.expect('gpgpu_shmem_warp_parts', '1', 'conflicts are counted over the whole warp')


def schedulers(m):
    o = m.options
    m.take('sm.schedulers', 'gpgpu_num_sched_per_core', '1')
    word = o.text('gpgpu_scheduler', 'gto').split(':')
    names = {'gto': 'gto', 'lrr': 'lrr', 'two_level_active': 'two-level'}
    if word[0] in names:
        m.put('sm.scheduler', names[word[0]], o.source('gpgpu_scheduler'))
        if word[0] == 'two_level_active' and len(word) > 1:
            m.put('sm.active_warps', word[1], o.source('gpgpu_scheduler'))
    else:
        m.lose('gpgpu_scheduler', 'no such order of warps')
    m.expect('gpgpu_max_insn_issue_per_warp', '1', 'a warp issues one instruction a cycle')
    m.lose('gpgpu_dual_issue_diff_exec_units', 'binds only when a warp issues two a cycle')


def front_end(m):
    o = m.options
    m.take('sm.fetch_warps', 'gpgpu_inst_fetch_throughput', '1')
    m.put('sm.fetch_instructions', 2, 'a fetch brings two instructions')
    m.put('sm.ibuffer', 2, 'a fetch brings two instructions')
    m.expect('gpgpu_perfect_inst_const_cache', '1', 'instruction and constant caches always hit')
    if o.number('gpgpu_perfect_inst_const_cache', 0):
        m.lose('gpgpu_cache:il1 gpgpu_const_cache:l1', 'perfect by -gpgpu_perfect_inst_const_cache')


def units(m):
    o = m.options
    width = o.numbers('gpgpu_pipeline_widths', '1,1,1,1,1,1,1,1,1,1,1')
    for kind in ('sp', 'dp', 'int', 'sfu'):
        m.take('sm.%s_units' % kind, 'gpgpu_num_%s_units' % kind, '0')
    m.put('sm.sp_issue', width[0], o.source('gpgpu_pipeline_widths'))
    m.put('sm.result_buses', width[6 if len(width) == 7 else 10], o.source('gpgpu_pipeline_widths'))
    for kind in ('int', 'fp', 'dp'):
        for what, table in (('latency', DEFAULTS), ('initiation', STARTS)):
            name = 'ptx_opcode_%s_%s' % (what, kind)
            value = o.numbers(name, table[kind])
            for cost, n in zip(COSTS, value):
                m.put('sm.%s_%s_%s' % (kind, cost, what), n, o.source(name))
            if kind == 'int':
                shuffle = value[5] if len(value) > 5 else {'latency': 32, 'initiation': 4}[what]
                m.put('sm.shuffle_' + what, shuffle, o.source(name))
    m.take('sm.sfu_latency', 'ptx_opcode_latency_sfu', '8')
    m.take('sm.sfu_initiation', 'ptx_opcode_initiation_sfu', '8')
    for what in ('latency', 'initiation'):
        m.put('sm.other_' + what, 1, 'moves, comparisons, logic and conversions: 1')


def collectors(m):
    o = m.options
    general = 'gpgpu_operand_collector_num_units_gen'
    own = o.number('gpgpu_enable_specialized_operand_collector', 1)
    m.put('sm.collector', 'banks', 'operands are read from banks')
    m.put('sm.collectors_general', 0 if own else o.number(general, 0), o.source(general))
    if own and o.number(general, 0):
        m.lose(general, 'collectors are of a class or general, not both')
    for kind, default in (('sp', 4), ('sfu', 4), ('mem', 2)):
        name = 'gpgpu_operand_collector_num_units_' + kind
        if own:
            m.take('sm.collectors_' + kind, name, str(default))
    for kind in ('sp', 'dp', 'sfu', 'int', 'mem', 'gen', 'tensor_core'):
        for way in ('units', 'in_ports', 'out_ports'):
            o.asked.add('gpgpu_operand_collector_num_%s_%s' % (way, kind))
    m.take('sm.register_banks', 'gpgpu_num_reg_banks', '8')
    m.put('sm.sub_cores', 'true' if o.number('gpgpu_sub_core_model', 0) else 'false',
          o.source('gpgpu_sub_core_model'))
    m.put('sm.bank_of', 'name', 'a register\'s bank depends on the number in its name')
    m.put('sm.collector_order', 'class', 'the oldest of a class over all sub-cores goes first')
    m.take('sm.register_ports', 'gpgpu_reg_file_port_throughput', '1')
    m.put('sm.atomics_hold', 'true', 'a warp issues nothing while it has an atomic under way')
    m.put('sm.bank_by_warp', 'true', 'a register\'s bank depends on its warp')
    m.expect('gpgpu_reg_bank_use_warp_id', '1', 'a register\'s bank depends on its warp')


# ---- the memory side ----

def kilobytes(m, cache):
    """Ways of the L1 and bytes of shared memory if both share a memory: the smallest offered share
    for shared memory that holds an SM's resident blocks, for every kernel."""
    o = m.options
    total = o.number('gpgpu_unified_l1d_size', 0)
    if not total or not o.number('gpgpu_adaptive_cache_config', 0):
        return cache.ways, None
    shares = sorted(int(x) for x in o.text('gpgpu_shmem_option', '0').split(','))
    most = total * 1024 // (cache.sets * cache.line)
    used = max(resident(m, need) * need['shared'] for need in m.needs)
    share = next((s for s in shares if used <= s * 1024), shares[-1])
    return int(most * (1 - share / total) + 0.5), share


def resident(m, need):
    """Resident blocks of the kernel per SM: as many as fit, but a grid too small to fill the GPU is
    spread evenly (shader_core_config::max_cta)."""
    o = m.options
    threads = -(-need['threads'] // 32) * 32
    registers = -(-need['registers'] // 4) * 4 * threads
    limits = [o.number('gpgpu_shader_cta', 32),
              int(o.text('gpgpu_shader_core_pipeline').split(':')[0]) // threads,
              o.number('gpgpu_shader_registers') // max(registers, 1)]
    if need['shared']:
        limits.append(o.number('gpgpu_shmem_size', 16384) // need['shared'])
    if 'blocks' in need:
        limits.append(-(-need['blocks'] // sms(o)))
    return min(limits)


def cache(m, section, text, source):
    c = Cache(text)
    put = lambda key, value: m.put(section + '.' + key, value, source)
    put('sets', c.sets)
    put('ways', c.ways)
    put('sector_bytes', c.sector)
    put('index', INDEX.get(c.index, 'linear'))
    put('mshrs', c.entries)
    put('merges', c.merges)
    put('missq', c.queue)
    put('port_bytes', c.port)
    if c.line != 128:
        m.lost.append((source, c.line, 'lines have 128 bytes here'))
    if c.replace != 'L' and c.ways > 1:
        m.lost.append((source, c.replace, 'replacement is least recently used here'))
    return c


def l1(m):
    o = m.options
    name = 'gpgpu_cache:dl1'
    source = o.source(name)
    c = cache(m, 'l1', o.text(name), source)
    ways, share = kilobytes(m, c)
    if share is not None:
        m.put('l1.ways', ways, o.source('gpgpu_unified_l1d_size', 'gpgpu_shmem_option')
              + '; %d KB for shared memory' % share)
        m.put('l1.ways_launched', c.ways, source + '; until max_cta')
    m.put('l1.allocate', {'m': 'miss', 'f': 'fill', 's': 'fill'}[c.allocate], source)
    m.put('l1.write', {'L': 'evict', 'E': 'evict', 'T': 'through', 'B': 'back',
                       'R': 'evict'}[c.write], source)
    m.put('l1.write_local', 'back' if c.write == 'L' else 'same', source)
    m.put('l1.write_miss', {'N': 'none', 'L': 'lazy', 'W': 'fetch', 'F': 'fetch'}[c.write_miss],
          source)
    m.take('l1.dirty_percent', 'gpgpu_l1_cache_write_ratio', '0')
    m.put('l1.atomics', 'bypass', 'atomics go to L2')
    m.put('l1.bypass_bytes', 32, 'loads past L1 ask for sectors')
    m.take('l1.banks', 'gpgpu_l1_banks', '1')
    name = 'gpgpu_l1_latency'
    m.put('l1.pipe_cycles', o.number(name, 1), o.source(name))
    m.put('l1.latency_cycles', 1, 'a hit is used the cycle after the lookup')
    m.put('l1.fill_cycles', 4, 'ejection buffer, fill, write-back register, used')
    m.expect('gpgpu_gmem_skip_L1D', '0', 'loads look up L1')
    m.put('l1.invalidate', 'launch', o.source('gpgpu_flush_l1_cache'))
    name = 'gpgpu_smem_latency'
    m.put('sm.shared_latency_cycles', o.number(name, 3) + 2,
          o.source(name) + ', write-back register, used')
    m.put('sm.const_latency_cycles', 0, o.source('gpgpu_perfect_inst_const_cache'))
    arch = o.number('gpgpu_coalesce_arch', 13)
    if (arch >= 40) != (c.sector == 32):
        m.lost.append(('gpgpu_coalesce_arch', arch, 'accesses are as large as a sector of L1'))
    m.put('sm.response_queue', o.number('gpgpu_n_ldst_response_buffer_size', 2),
          o.source('gpgpu_n_ldst_response_buffer_size'))


def tex(m):
    """The texture cache's queue of requests becomes L1's miss queue; the filter has no rate."""
    name = 'gpgpu_tex_cache:l1'
    text = m.options.text(name, 'N:8:128:5,L:R:m:N:L,F:128:4,128:2')
    c, source = Cache(text), m.options.source(name)
    m.put('tex.path', 'own', source)
    m.put('tex.sets', c.sets, source)
    m.put('tex.ways', c.ways, source)
    m.put('tex.index', INDEX.get(c.index, 'linear'), source)
    m.put('tex.fragments', c.entries, source)
    m.put('tex.latency_cycles', 2, 'fragment queue and result queue, a cycle each')
    m.put('tex.lanes', 32, 'a warp in one cycle')


def l2(m):
    o = m.options
    name = 'gpgpu_cache:dl2'
    source = o.source(name)
    c = cache(m, 'l2', o.text(name), source)
    words = {'W': 'naive322', 'F': 'fetch', 'L': 'lazy', 'N': 'none'}
    m.put('l2.write_miss', words[c.write_miss], source)
    if c.write != 'B':
        m.lost.append((name, c.write, 'L2 is written back here'))
    name = 'gpgpu_l2_rop_latency'
    m.put('l2.rop_cycles', o.number(name, 85) + 1, o.source(name) + ', then the queue behind it')
    name = 'gpgpu_dram_partition_queues'
    inward, down, up, reply = (int(x) for x in o.text(name, '8:8:8:8').split(':'))
    m.put('l2.in_queue', max(1, inward - 3), o.source(name) + '; taken with room for 4 sectors')
    for key, value in (('to_dram_queue', down), ('fill_queue', up), ('reply_queue', reply)):
        m.put('l2.' + key, value, o.source(name))


def network(m):
    o = m.options
    mode = o.number('network_mode', 1)
    if mode == 2:
        size = o.number('icnt_in_buffer_limit', 64)
        m.put('xbar.arbiter', {0: 'rr', 1: 'islip'}[o.number('icnt_arbiter_algo', 1)],
              o.source('icnt_arbiter_algo'))
        m.put('xbar.flit_bytes', PACKET_BYTES,
              o.source('network_mode') + ': any packet in one cycle')
        m.put('xbar.in_packets', size, o.source('icnt_in_buffer_limit'))
        m.put('xbar.in_flits', size, o.source('icnt_in_buffer_limit'))
        m.take('xbar.out_packets', 'icnt_out_buffer_limit', '64')
        m.put('xbar.grants', 'ascending' if o.number('icnt_arbiter_algo', 1) else 'together',
              o.source('icnt_arbiter_algo'))
        m.put('xbar.input_speedup', 1, o.source('network_mode'))
        m.put('xbar.latency_cycles', 1, o.source('network_mode'))
        m.lose('icnt_flit_size icnt_subnets', 'the built-in crossbar counts packets')
        return
    path = os.path.join(os.path.dirname(o.path), o.text('inter_config_file'))
    net = Network(path)
    arbiter = net.text('sw_allocator', 'islip')
    m.put('xbar.arbiter', arbiter if arbiter in ('islip', 'rr') else 'islip',
          net.source('sw_allocator'))
    m.put('xbar.flit_bytes', net.number('flit_size', 32), net.source('flit_size'))
    room = net.number('vc_buf_size', 8) * net.number('num_vcs', 1)
    injection = net.number('input_buffer_size', 0) or 9
    boundary = net.number('boundary_buffer_size', 16)
    m.put('xbar.in_packets', boundary, net.source('boundary_buffer_size'))
    m.put('xbar.in_flits', injection + room,
          net.source('input_buffer_size', 'vc_buf_size', 'num_vcs') + '; injection queue of 9')
    m.put('xbar.out_packets', boundary, net.source('boundary_buffer_size'))
    channels = net.number('num_vcs', 1)
    m.put('xbar.input_speedup', min(net.number('input_speedup', 1), channels),
          net.source('input_speedup', 'num_vcs') + ': one flit a cycle and virtual channel')
    again = channels == 1 and net.number('internal_speedup', 1) == 1
    m.put('xbar.turn_cycles', net.number('vc_alloc_delay', 1) if again else 0,
          net.source('vc_alloc_delay', 'num_vcs', 'internal_speedup')
          + ': allocated anew for every packet')
    delays = ('routing_delay', 'vc_alloc_delay', 'sw_alloc_delay')
    m.put('xbar.latency_cycles', 5 + sum(net.number(d, 1) for d in delays),
          net.source(*delays) + ', injection and ejection')
    m.lose('icnt_flit_size', 'the crossbar\'s own file has it')


def dram(m):
    o = m.options
    m.put('dram.scheduler', {0: 'fcfs', 1: 'frfcfs'}[o.number('gpgpu_dram_scheduler', 1)],
          o.source('gpgpu_dram_scheduler'))
    m.put('dram.commands', 'both', 'one command bus, of which a row command leaves room')
    name = 'gpgpu_dram_timing_opt'
    timing = dict(p.split('=') for p in o.text(name).split(':'))
    source = o.source(name)
    m.put('dram.banks', timing.pop('nbk'), source)
    m.put('dram.groups', timing.pop('nbkgrp', '1'), source)
    for key, value in timing.items():
        m.put('dram.' + key.lower(), value, source)
    width = o.number('gpgpu_dram_buswidth', 4) * o.number('gpgpu_n_mem_per_ctrlr', 1)
    ratio = o.number('dram_data_command_freq_ratio', 2)
    m.put('dram.bus_bytes', width * ratio,
          o.source('gpgpu_dram_buswidth', 'dram_data_command_freq_ratio'))
    m.put('dram.atom_bytes', width * o.number('gpgpu_dram_burst_length', 4),
          o.source('gpgpu_dram_buswidth', 'gpgpu_dram_burst_length'))
    for key, name in (('queue', 'gpgpu_frfcfs_dram_sched_queue_size'),
                      ('returns', 'gpgpu_dram_return_queue_size')):
        m.put('dram.' + key, o.number(name, 0) or UNBOUNDED, o.source(name))
    sm, _, _, command = (Fraction(x) for x in o.text('gpgpu_clock_domains').split(':'))
    m.put('dram.latency_cycles', round(o.number('dram_latency', 0) * command / sm),
          o.source('dram_latency') + ' SM cycles')
    m.expect('dram_bnk_indexing_policy', '0', 'banks are not hashed here')
    m.expect('dram_bnkgrp_indexing_policy', '1', 'a bank\'s group is its low bits here')
    m.expect('dram_dual_bus_interface', '0', 'one command bus here')


def address(m):
    o = m.options
    m.put('map.channels', o.number('gpgpu_n_mem'), o.source('gpgpu_n_mem'))
    m.take('map.slices_per_channel', 'gpgpu_n_sub_partition_per_mchannel', '1')
    chip, bits = o.text('gpgpu_mem_addr_mapping').split(';')
    m.put('map.interleave_bytes', 1 << int(chip.split('@')[1]),
          o.source('gpgpu_mem_addr_mapping'))
    m.put('map.layout', layout(bits.replace('.', '')), o.source('gpgpu_mem_addr_mapping'))
    hashed = {'0': 'none', '1': 'xor', '2': 'ipoly'}
    name = 'gpgpu_memory_partition_indexing'
    m.put('map.hash', hashed.get(o.text(name, '0'), 'none'), o.source(name))
    if o.text(name, '0') not in hashed:
        m.lose(name, 'no such hash of channels')
    m.put('map.placement', 'consecutive', 'allocations follow one another')
    m.put('map.page_bytes', 256, 'allocations begin at multiples of 256 bytes')


def layout(bits):
    """The address inside a channel, from the top row bit down."""
    return bits.lstrip('0')


def rest(m):
    for name in SILENT:
        m.options.asked.add(m.options.name(name))
    m.lose('gpgpu_n_cluster_ejection_buffer_size', 'xbar.out_packets is the room at a receiver')
    m.lose('gpgpu_concurrent_kernel_sm', 'a policy here: 1 leftover, 0 leftover[shared=off]')
    m.expect('gpgpu_kernel_launch_latency', '0', 'launches take no time here')
    m.expect('gpgpu_TB_launch_latency', '0', 'launches take no time here')
    for name in m.options.left():
        m.lose(name, 'no counterpart')


def translate(path, *needs):
    m = Machine(Options(path), needs)
    for part in (clocks, capacity, schedulers, front_end, units, collectors, l1, tex, network, l2,
                 dram, address, rest):
        part(m)
    return m


def page(m, name):
    """The machine file."""
    out = ['# Made from %s.' % os.path.basename(m.options.path), 'machine: ' + name]
    sections = {}
    for section, key, value, source in m.rows:
        sections.setdefault(section, {})[key] = (value, source)
    for section, rows in sections.items():
        out += ['', section + ':']
        out += ['  %s: {value: %s, source: "%s"}' % (key, value, source)
                for key, (value, source) in rows.items()]
    return '\n'.join(out) + '\n'


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('config')
    p.add_argument('--need', action='append')
    args = p.parse_args()
    kinds = ('threads', 'registers', 'shared', 'blocks')
    m = translate(args.config, *(dict(zip(kinds, map(int, n.split(':'))))
                                 for n in args.need or ['256:32:0']))
    sys.stdout.write(page(m, os.path.basename(args.config).split('.')[0]))
    for name, value, why in m.lost:
        print('# no counterpart: -%s %s (%s)' % (name, value, why))


if __name__ == '__main__':
    main()
