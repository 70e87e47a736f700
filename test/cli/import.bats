#!/usr/bin/env bats
# Machine files from configurations of GPGPU-Sim.
load common

FIDELITY=fidelity/data # of the tests

config() { # EXTRA-LINE...: a small configuration with a crossbar's file; a later line wins
    cat >small.config <<'END'
# a small GPU
-gpgpu_n_clusters 2
-gpgpu_n_cores_per_cluster 1
-gpgpu_n_mem 1
-gpgpu_clock_domains 700.0:600.0:500.0:924.5
-gpgpu_shader_core_pipeline 1024:32
-gpgpu_shader_registers 32768   # of an SM
-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,A:32:8,8
-gpgpu_cache:dl2 N:64:128:16,L:B:m:W:L,A:32:4,4:0,32
-gpgpu_cache:il1 N:4:128:4,L:R:f:N:L,A:2:32,4
-smem_latency 10
-dram_latency 100
-gpgpu_mem_addr_mapping dramid@8;00000000.0000RRRR.RRRRRRRR.RBBCCCCB.CCSSSSSS
-gpgpu_dram_timing_opt "nbk=8:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40:
                        CL=12:WL=4:CDLR=5:WR=12:nbkgrp=4:CCDL=3:RTPL=2"
-inter_config_file small.icnt
-visualizer_enabled 0
-my_option 7
END
    [ $# = 0 ] || printf '%s\n' "$@" >>small.config
    cat >small.icnt <<'END'
// a crossbar
topology = fly;
flit_size = 32; num_vcs = 1;
vc_buf_size = 8;
input_speedup = 2;
internal_speedup = 1.0;
packet_size = {{1,2,3,4},{10,20}};
END
}

value() { # KEY VALUE: of mine.yaml, as show prints the machine
    corun show gpu ./mine.yaml
    grep -qE "^ *${1/./\\.} +$2( |\$)" <<<"$output" || { grep "$1" <<<"$output"; false; }
}

@test "a configuration becomes a machine that loads; each value names its option" {
    config
    corun import small.config -o mine.yaml
    ended 0
    [ -z "$output" ]
    says "mine: " " values from " "small.icnt"
    value sm.count 2
    value clock.dram_mhz 924.5
    value sm.shared_latency_cycles 12
    value dram.rc 40
    value dram.groups 4
    value dram.latency_cycles 132 # 100 x 924.5 / 700 = 132.07
    value xbar.latency_cycles 8
    value xbar.in_flits 17
    value xbar.turn_cycles 1
    value l2.write_miss naive322
    value l1.index fermi-l1
    value map.layout RRRRRRRRRRRRRBBCCCCBCCSSSSSS
    grep -qF 'registers: {value: 32768, source: "-gpgpu_shader_registers 32768"}' mine.yaml
    grep -qF 'blocks: {value: 32, source: "-gpgpu_shader_cta by default"}' mine.yaml
    grep -qF 'source: "small.icnt: flit_size = 32"' mine.yaml
    corun run vecadd:size=test --gpu mine.yaml --alone skip --quiet --json -
    ended 0
    holds "d['status'] == 'completed'"
}

@test "tensor units: the time of a wmma of four steps becomes the time of a step" {
    config -gpgpu_tensor_core_avail\ 1 -gpgpu_num_tensor_core_units\ 4 \
        -ptx_opcode_latency_tesnor\ 26 -ptx_opcode_initiation_tensor\ 8
    corun import small.config -o mine.yaml
    ended 0
    value sm.tensor_units 4
    value sm.tensor_f32_initiation 2
    value sm.tensor_f32_latency 20 # the last step begins after 6 cycles
    value sm.tensor_int8_latency 20
    value sm.tensor_f64_initiation 0
    config -gpgpu_tensor_core_avail\ 0 -gpgpu_num_tensor_core_units\ 4
    corun import small.config -o mine.yaml
    ended 0
    value sm.tensor_units 0
}

@test "a hash over a number of channels that is no power of two rotates" {
    config -gpgpu_n_mem\ 3 -gpgpu_memory_partition_indexing\ 6
    corun import small.config -o mine.yaml
    ended 0
    says "  -gpgpu_memory_partition_indexing 6: map.hash=rotate"
    value map.hash rotate
    config -gpgpu_n_mem\ 3 -gpgpu_memory_partition_indexing\ 1
    corun import small.config --force -o mine.yaml
    ended 0
    value map.hash rotate
    config -gpgpu_memory_partition_indexing\ 5
    corun import small.config -o mine.yaml
    ended 0
    says "no such hash of channels"
    value map.hash none
}

@test "options without a counterpart are listed by name" {
    config '-gpgpu_kernel_launch_latency 5000'
    corun import small.config
    ended 0
    shows "machine: \"small\""
    says "2 options modelled otherwise:" "  -gpgpu_kernel_launch_latency 5000: launches take no" \
        "1 option without effect" "  -visualizer_enabled" "1 option without counterpart:" \
        "  -my_option"
}

@test "--icnt names another interconnect file; network mode 2 needs no file" {
    config
    sed 's/= 32/= 40/' small.icnt >other.icnt
    rm small.icnt
    corun import small.config -o mine.yaml
    refused "cannot read small.icnt" "--icnt FILE"
    placed small.config 16 small.icnt
    corun import small.config --icnt other.icnt -o mine.yaml
    ended 0
    value xbar.flit_bytes 40
    config '-network_mode 2'
    rm small.icnt
    corun import small.config -o mine.yaml
    ended 0
    value xbar.flit_bytes 136
    config '-network_mode 3'
    corun import small.config
    refused "no network of mode '3'"
}

@test "a structure without counterpart is an error with its place; --force warns" {
    local bad=0 what option
    while IFS="|" read -r option what; do
        config "$option"
        corun import small.config -o bad.yaml
        refused "$what" --force
        says small.config:19:
        [ ! -e bad.yaml ]
        corun import small.config --force -o bad.yaml
        ended 0
        says "warning: small.config:19: $what"
        corun show gpu ./bad.yaml
        ended 0
        rm bad.yaml
        ((bad += 1))
    done <<'END'
-gpgpu_n_cores_per_cluster 3|3 SMs of a cluster share a crossbar port
-gpgpu_shader_core_pipeline 1024:16|warps of 16 threads
-gpgpu_cache:dl1 N:32:64:4,L:L:m:N:H,A:32:8,8|lines of 64 bytes
-gpgpu_cache:dl2 N:64:128:16,F:B:m:W:L,A:32:4,4:0,32|a cache with replacement 'F'
-gpgpu_cache:dl2 N:64:128:16,L:T:m:W:L,A:32:4,4:0,32|an L2 with write policy 'T'
-gpgpu_scheduler warp_limiting:2:16|no scheduler orders warps by 'warp_limiting'
-gpgpu_num_sfu_units 99|sm.sfu_units is 99 here, which corun does not model
-gpgpu_dram_scheduler 2|no DRAM scheduler 2
-gpgpu_n_mem 3 -gpgpu_memory_partition_indexing 2|a hash over 3 channels
END
    [ "$bad" = 9 ]
    config '-gpgpu_cache:dl1 N:32:64:4,L:L:m:N:H,A:32:8,8'
    corun import small.config
    placed small.config 19 64:4
    config
    sed -i 's/fly/mesh/' small.icnt
    corun import small.config
    refused "a network of topology 'mesh'"
    placed small.icnt 2 mesh
}

@test "wrong files and values: what is wrong, where, and what would be right" {
    corun import
    refused "expected one configuration"
    corun import nothing.config
    refused "cannot read nothing.config"
    printf 'a\0b' >binary.config
    corun import binary.config
    refused "binary.config is not a text file: byte 0x00 at offset 1"
    printf 'sm:\n  count: 3\n' >wrong.config
    corun import wrong.config
    refused "expected an option"
    placed wrong.config 1 sm:
    echo '# nothing' >empty.config
    corun import empty.config
    refused "empty.config has no options of GPGPU-Sim"
    echo '-network_mode 2' >few.config
    corun import few.config
    refused "few.config has no option -gpgpu_n_clusters"
    local option what
    while IFS="|" read -r option what; do
        config "$option"
        corun import small.config
        refused "$what"
        says small.config:19:
    done <<'END'
-gpgpu_n_mem|option -gpgpu_n_mem has no value
-gpgpu_n_mem -gpgpu_n_clusters 2|option -gpgpu_n_mem has no value
-gpgpu_n_mem six|expected a whole number up to 1000000, not 'six'
-gpgpu_n_mem 3 4|expected an option
-gpgpu_n_mem "3|the quotes are not closed
-gpgpu_clock_domains 1:2:3|expected four clocks
-gpgpu_clock_domains 1:2:3:fast|expected a clock in MHz, not 'fast'
-gpgpu_cache:dl1 none|a machine without this cache has no counterpart
-gpgpu_cache:dl1 32:128|expected a cache, not '32:128'
-gpgpu_cache:dl1 N:32:128:4,L:Q:m:N:H,A:32:8,8|unknown write policy 'Q' of a cache
-ptx_opcode_latency_fp 1,2|expected ADD,MAX,MUL,MAD,DIV, not '1,2'
-gpgpu_pipeline_widths 1,2|expected 7, 9, or 11 and more pipeline widths, not 2
-gpgpu_dram_partition_queues 8|expected four queues
-gpgpu_dram_timing_opt nbk=8:QQ=2|unknown timing 'QQ=2'
-gpgpu_mem_addr_mapping RRRR|expected dramid@BIT;BITS
-gpgpu_cache:dl1 N:33:128:4,L:L:m:N:H,A:32:8,8|fermi-l1 serves 32 or 64 sets
END
    config
    echo 'num_vcs 3;' >>small.icnt
    corun import small.config
    refused "expected NAME = VALUE;"
    config
    printf 'num_vcs = 3' >>small.icnt
    corun import small.config
    refused "expected ; behind the value of 'num_vcs'"
}

@test "an output is no input, and -o may be a pipe" {
    config
    corun import small.config -o small.config
    refused small.config
    corun import small.config -o small.icnt
    refused small.icnt
    corun import small.config -o -
    ended 0
    shows "sm:" "count: {value: 2,"
}

@test "older spellings: caches without kind, timings by position, names without gpgpu_" {
    config '-gpgpu_cache:dl1 32:128:6,L:L:m:N,A:32:8,8' '-rop_latency 50' '-n_mem 2' \
        '-gpgpu_dram_timing_opt 8:2:6:12:28:12:41:12:4:5:12:4:3:2' \
        '-gpgpu_pipeline_widths 2,0,1,1,2,0,1,1,7'
    sed -i '/^-gpgpu_n_mem/d' small.config
    corun import small.config -o mine.yaml
    ended 0
    value l1.ways 6
    value l1.index linear
    value l2.rop_cycles 51
    value map.channels 2
    value dram.rc 41
    value dram.banks 8
    value sm.result_buses 7
    grep -qF 'source: "-n_mem 2"' mine.yaml
}

@test "--need chooses L1's share of a memory that L1 and shared memory divide" {
    local config=$HERE/../$FIDELITY/rtx2060.config
    corun import "$config" -o mine.yaml
    ended 0
    value l1.ways 128 # 64 of 96 KB
    corun import "$config" --need 256:32:9000 -o mine.yaml
    ended 0
    value l1.ways 64
    value l1.ways_launched 64
    corun import "$config" --need 256:32:9000:30 --need 32:8:0 -o mine.yaml
    ended 0
    value l1.ways 128
    corun import "$config" --need 256:32
    refused "expected THREADS:REGISTERS:SHARED[:BLOCKS]"
    pointed 256:32 7
}

@test "MSHR entries and their requests together have a limit; --force imports fewer requests" {
    config '-gpgpu_cache:dl2 N:64:128:16,L:B:m:W:L,A:1024:1024,4:0,32'
    corun import small.config
    refused "1024 MSHR entries of 1024 requests" "62 is right, or fewer"
    placed small.config 19 1024,4
    corun import small.config --force -o mine.yaml
    ended 0
    value l2.mshrs 1024
    value l2.merges 62
}

@test "columns of a bank group are no closer than others: GPGPU-Sim waits for CCD and CCDL" {
    config '-gpgpu_dram_timing_opt nbk=8:CCD=4:RRD=6:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=4:CDLR=5:'\
'WR=12:nbkgrp=4:CCDL=3:RTPL=2'
    corun import small.config -o mine.yaml
    ended 0
    value dram.ccd 4
    value dram.ccdl 4
    value dram.groups 4
}

# gpus/rtx2060.yaml follows version 4.0 of the configuration, test/fidelity version 4.2. The lines
# below are values of 4.0; the remaining differences are decisions of gpus/rtx2060.yaml.
@test "rtx2060's configuration gives the values of gpus/rtx2060.yaml" {
    cat "$HERE/../$FIDELITY/rtx2060.config" - >rtx.config <<'END'
-gpgpu_shader_cta 32
-gpgpu_scheduler gto
-gpgpu_clock_domains 1365:1365:1365:3500
-gpgpu_num_dp_units 0
-gpgpu_num_reg_banks 16
-ptx_opcode_latency_int 4,13,4,5,145
-ptx_opcode_initiation_int 2,2,2,2,8
-ptx_opcode_latency_fp 4,13,4,5,39
-ptx_opcode_latency_dp 8,19,8,8,330
-ptx_opcode_initiation_dp 4,4,4,4,130
-ptx_opcode_latency_sfu 100
-gpgpu_cache:dl1 S:1:128:512,L:L:s:N:L,A:256:8,16:0,32
-gpgpu_adaptive_cache_config 0
-gpgpu_l1_latency 20
-gpgpu_smem_latency 20
-gpgpu_l2_rop_latency 160
-dram_latency 100
-gpgpu_dram_timing_opt "nbk=16:CCD=4:RRD=10:RCD=20:RAS=50:RP=20:RC=62:
    CL=20:WL=8:CDLR=9:WR=20:nbkgrp=4:CCDL=4:RTPL=4"
END
    corun import rtx.config -o mine.yaml
    ended 0
    corun diff rtx2060 mine.yaml --json -
    ended 0
    python3 - "$HERE/../../gpus/rtx2060.yaml" "$output" <<'END'
import json, re, sys
section, sources = '', {}
for line in re.sub(r'source:\s+', 'source: ', open(sys.argv[1]).read()).split('\n'):
    section = line[:-1] if re.match(r'\w+:$', line) else section
    row = re.match(r'  (\w+): \{value: .*source: "(.*)"', line)
    if row and 'GPGPU-Sim 4.x RTX2060' in row.group(2):
        sources['%s.%s' % (section, row.group(1))] = row.group(2)
differ = {'%s.%s' % (d['in'], d['key']) for d in json.loads(sys.argv[2])['differences']}
assert len(sources) > 60, len(sources)
assert differ & set(sources) == {
    'sm.shared_latency_cycles',   # the write-back takes a cycle less there
    'xbar.flit_bytes', 'xbar.in_flits',  # flits there, packets of any size here
    'l2.rop_cycles', 'l2.in_queue'}, differ & set(sources)
END
}
