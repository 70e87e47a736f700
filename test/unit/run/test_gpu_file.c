/* Machine files: shipped files give every value a source; a user's own file builds on another;
 * errors carry a location. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "run/io/asset.h"
#include "run/io/file.h"
#include "run/io/reads.h"
#include "host/tree.h"
#include "run/input/gpu_file.h"
#include "run/input/machine_tree.h"

static char folder[] = "/tmp/corun-gpu-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **state)
{
    (void)state;
    return unlink("m.yaml") || chdir("/") || rmdir(folder);
}

static bool rewrite(const char *path, const char *text, size_t n, struct fail *fail)
{
    reads_forget();
    return file_write(path, text, n, fail);
}

static u32 row_index(const char *key)
{
    const struct conf_row *row = conf_find(machine_rows, machine_row_n, key);
    assert_non_null(row);
    return (u32)(row - machine_rows);
}

static void test_shipped(void **state)
{
    (void)state;
    for (u32 i = 0; asset_gpu(i); i++) {
        struct gpu_file g;
        struct fail fail = {0};
        if (!gpu_file_open(&g, asset_gpu(i), NULL, 0, &fail)) fail_msg("%s", fail.text.bytes);
        for (u32 k = 0; k < machine_row_n; k++) {
            if (!g.values[k].source[0]) fail_msg("%s: %s.%s has no source", asset_gpu(i),
                                                 machine_rows[k].section, machine_rows[k].field);
        }
        assert_true(g.about[0] != 0);
        gpu_file_free(&g);
    }
}

static void same_tree(const struct node *parsed, const struct node *read)
{
    assert_int_equal(read->kind, parsed->kind);
    assert_string_equal(read->text, parsed->text);
    assert_int_equal(read->offset, parsed->offset);
    assert_int_equal(read->n, parsed->n);
    assert_int_equal(!read->value, !parsed->value);
    if (read->value) same_tree(parsed->value, read->value);
    const struct node *p = parsed->first, *r = read->first;
    for (; p && r; p = p->next, r = r->next) same_tree(p, r);
    assert_true(!p && !r);
}

/* The trees that the build makes are those of the parser. */
static void test_trees(void **state)
{
    (void)state;
    static const char *const bases[] = {"gpgpusim3", "ampere"};
    enum { BASES = COUNT_OF(bases) };
    for (u32 i = 0; i < BASES || asset_gpu(i - BASES); i++) {
        const char *name = i < BASES ? bases[i] : asset_gpu(i - BASES);
        char path[80];
        snprintf(path, sizeof path, "gpus/%s.yaml", name);
        struct source yaml;
        struct fail fail = {0};
        struct arena arena;
        arena_init(&arena);
        assert_true(asset_find(path, &yaml));
        const struct node *parsed = tree_parse(&yaml, &arena, &fail);
        const char *tree = machine_tree(name);
        assert_non_null(parsed);
        if (!tree) fail_msg("%s: no tree", name);
        same_tree(parsed, tree_read(tree, &arena));
        arena_free(&arena);
    }
    assert_null(machine_tree("gtx"));
    assert_null(machine_tree(""));
}

static void test_sets(void **state)
{
    (void)state;
    struct gpu_file g;
    struct fail fail = {0};
    const char *const sets[] = {"l1.ways=2", "l1.ways=4", "clock.dram_mhz=3500.5"};
    assert_true(gpu_file_open(&g, "maxwell16", sets, 3, &fail));
    assert_int_equal(g.machine.l1.ways, 4);
    assert_int_equal(g.machine.clock.dram_mhz.num, 7001);
    assert_string_equal(g.values[row_index("l1.ways")].origin, "--set");
    assert_string_equal(g.values[row_index("l1.sets")].origin, "maxwell16");
    gpu_file_free(&g);
    const char *const wrong[][2] = {{"l1.ways", "section.key=value"},
                                    {"l1.ways=0", "    l1.ways=0\n            ^\n"},
                                    {"l1.wais=8", "did you mean 'l1.ways'"}, {"=", "unknown"}};
    for (u32 i = 0; i < COUNT_OF(wrong); i++) {
        assert_false(gpu_file_open(&g, "maxwell16", &wrong[i][0], 1, &fail));
        if (!strstr(fail.text.bytes, wrong[i][1])) fail_msg("%s", fail.text.bytes);
        gpu_file_free(&g);
        fail_free(&fail);
    }
}

static bool open_text(struct gpu_file *g, const char *text, struct fail *fail)
{
    assert_true(rewrite("m.yaml", text, strlen(text), fail));
    return gpu_file_open(g, "./m.yaml", NULL, 0, fail);
}

static void test_own(void **state)
{
    (void)state;
    struct gpu_file g;
    struct fail fail = {0};
    assert_true(open_text(&g, "machine: mine\nbase: maxwell16\nl1:\n  ways: 4\n"
                              "  sets: {value: 64, source: a guess}\n", &fail));
    assert_int_equal(g.machine.l1.ways, 4);
    assert_int_equal(g.machine.l1.sets, 64);
    assert_string_equal(g.values[row_index("l1.ways")].origin, "./m.yaml:4");
    assert_string_equal(g.values[row_index("l1.sets")].source, "a guess");
    assert_string_equal(g.values[row_index("l2.ways")].origin, "maxwell16");
    gpu_file_free(&g);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"l1:\n  wais: 4\n", "./m.yaml:2:3: error: unknown option 'l1.wais'"},
        {"l1:\n  ways: 4\n  ways: 5\n", "./m.yaml:3:3: error: 'ways' is given twice"},
        {"l1: 4\n", "./m.yaml:1:5: error"}, {"ll:\n  ways: 4\n", "./m.yaml:1:1: error"},
        {"l1:\n  ways: 5000\n", "./m.yaml:2:9: error"},
        {"l1:\n  ways: [4]\n", "./m.yaml:2:9: error"},
        {"l1:\n  ways: {source: x}\n", "'value'"}, {"base: maxwel16\n", "did you mean 'maxwell16'"},
        {"base: ./m.yaml\n", "./m.yaml:1:7: error: './m.yaml' is based on itself"},
        {"- 4\n", "./m.yaml:1:1: error"},
        {"base: ./none.yaml\n", "./m.yaml:1:7: error: cannot read ./none.yaml"},
        {"l1:\n  ways: {value: 4, sauce: x}\n", "did you mean 'source'"},
        {"base: maxwell16\nbase: maxwell16\n", "./m.yaml:2:1: error: 'base' is given twice"}};
    for (u32 i = 0; i < COUNT_OF(wrong); i++) {
        struct gpu_file g;
        struct fail fail = {0};
        if (open_text(&g, wrong[i][0], &fail)) fail_msg("took %s", wrong[i][0]);
        if (!strstr(fail.text.bytes, wrong[i][1])) fail_msg("no '%s' in %s", wrong[i][1],
                                                           fail.text.bytes);
        gpu_file_free(&g);
        fail_free(&fail);
    }
}

/* A violation of each rule of machine_rule.def on maxwell16: the last of `sets` is to blame, and
 * with `right` in place of the last the machine is valid. */
static const struct {
    const char *rule, *sets[4], *right;
} broken[] = {
    {"warps_whole", {"sm.threads=100"}, "sm.threads=96"},
    {"scheduler_warps", {"sm.schedulers=1", "sm.threads=2080"}, "sm.threads=2048"},
    {"warp_registers", {"sm.register_unit=64", "sm.register_parts=4", "sm.registers=8188"},
     "sm.registers=8192"},
    {"register_parts_equal", {"sm.register_parts=3"}, "sm.register_parts=4"},
    {"l1_index", {"l1.index=xor", "l1.sets=48"}, "l1.sets=64"},
    {"l1_lines", {"l1.index=linear", "l1.sets=4096", "l1.ways=9"}, "l1.ways=8"},
    {"l1_launched", {"l1.ways=4", "l1.ways_launched=5"}, "l1.ways_launched=4"},
    {"chain_latencies", {"sm.result_buses=8", "sm.latencies=chain"}, "sm.latencies=unit"},
    {"atomic_latencies", {"sm.sfu_units=4", "sm.sub_cores=true", "sm.collector_order=class",
     "sm.atomic_cycles=1"}, "sm.atomic_cycles=0"},
    {"bypass_latency", {"sm.sfu_units=4", "sm.sub_cores=true", "sm.collector_order=class",
     "l1.bypass_cycles=1"}, "l1.bypass_cycles=0"},
    {"wgmma_units", {"sm.wgmma_latency=1"}, "sm.wgmma_latency=0"},
    {"gpc_sizes", {"sm.count=20", "sm.gpcs=10/x"}, "sm.gpcs=10/10"},
    {"shared_reserved", {"sm.shared_reserved_bytes=2000", "sm.shared_bytes=1999"},
     "sm.shared_bytes=2000"},
    {"carveout_sizes", {"sm.shared_bytes=8192", "sm.carveouts=0/4"}, "sm.carveouts=0/8"},
    {"carveout_alone", {"sm.shared_bytes=8192", "sm.carveouts=0/8", "sm.allocator=first-fit"},
     "sm.allocator=counters"},
    {"halves_shape", {"l2.write_miss=fetch", "map.halves=2", "map.hash=none"}, "map.hash=rotate"},
    {"halves_l2", {"map.hash=rotate", "map.halves=2", "l2.write_miss=naive322"},
     "l2.write_miss=fetch"},
    {"halves_sms", {"sm.first_half=17"}, "sm.first_half=16"},
    {"register_ports_power", {"sm.register_ports=3"}, "sm.register_ports=4"},
    {"sub_core_shares", {"sm.sfu_units=4", "sm.sub_cores=true", "sm.sp_units=6"}, "sm.sp_units=8"},
    {"sub_core_collectors", {"sm.sfu_units=4", "sm.sub_cores=true", "sm.collectors_general=6"},
     "sm.collectors_general=8"},
    {"l1_readers", {"l1.mshrs=1000", "l1.merges=65", "l1.pipe_cycles=1"}, "l1.pipe_cycles=0"},
    {"l1_sectors", {"l1.sector_bytes=64"}, "l1.sector_bytes=32"},
    {"l1_bypass", {"l1.bypass_bytes=96"}, "l1.bypass_bytes=32"},
    {"l1_banks", {"l1.banks=3"}, "l1.banks=4"},
    {"l1_lazy", {"l1.write_local=same", "l1.write_miss=lazy", "l1.write=evict"},
     "l1.write=through"},
    {"tex_index", {"tex.index=xor", "tex.sets=48"}, "tex.sets=64"},
    {"tex_lines", {"tex.index=linear", "tex.ways=64", "tex.sets=513"}, "tex.sets=512"},
    {"l2_index", {"l2.sets=48"}, "l2.sets=128"},
    {"l2_lines", {"l2.sets=65536"}, "l2.sets=32768"},
    {"l2_readers", {"l2.merges=255", "l2.mshrs=257"}, "l2.mshrs=256"},
    {"l2_store_merges", {"l2.write_miss=fetch", "l2.merges=1"}, "l2.merges=2"},
    {"l2_sectors", {"l2.sector_bytes=32", "l2.write_miss=naive322"}, "l2.write_miss=lazy"},
    {"interleave_power", {"map.interleave_bytes=384"}, "map.interleave_bytes=512"},
    {"slices_power", {"map.slices_per_channel=3"}, "map.slices_per_channel=4"},
    {"slices_banks", {"dram.groups=1", "dram.banks=2", "map.slices_per_channel=4"},
     "map.slices_per_channel=2"},
    {"xbar_ports", {"map.slices_per_channel=8", "map.channels=33"}, "map.channels=32"},
    {"channel_hash", {"map.hash=xor", "map.channels=12"}, "map.channels=8"},
    {"granule_power", {"memory.granule_bytes=5000"}, "memory.granule_bytes=8192"},
    {"page_power", {"map.page_bytes=768"}, "map.page_bytes=1024"},
    {"layout_bits", {"map.layout=RRRRRRRRRRRRBBBCCCCBCCSSSSSS", "dram.banks=8"}, "dram.banks=16"},
    {"banks_power", {"dram.banks=12"}, "dram.banks=8"},
    {"groups_banks", {"dram.banks=4", "dram.groups=5"}, "dram.groups=4"},
    {"bus_exact", {"dram.bus_bytes=12.0000001"}, "dram.bus_bytes=12.000001"},
    {"atom_time", {"dram.bus_bytes=0.031"}, "dram.bus_bytes=0.032"},
    {"rc_ras", {"dram.ras=41"}, "dram.ras=40"},
    {"refresh_time", {"dram.refresh=on", "dram.rfc=48", "dram.refi=199"}, "dram.refi=200"},
    {"ccdl_ccd", {"dram.ccdl=1"}, "dram.ccdl=2"},
    {"clocks_exact", {"clock.sm_mhz=1400.0000001"}, "clock.sm_mhz=1400.001"},
};

static void says(const struct fail *fail, const char *text, const char *what)
{
    if (!fail->error_n) fail_msg("%s: no error", what);
    if (!strstr(fail->text.bytes, text)) fail_msg("%s: no '%s' in %s", what, text,
                                                  fail->text.bytes);
}

/* Every rule is violated only by its own row, at the last value, and the message names all keys of
 * the rule. */
static void test_rules(void **state)
{
    (void)state;
    for (u32 i = 0; i < machine_rule_n; i++) {
        const struct machine_rule *rule = &machine_rules[i];
        u32 at = 0, n = 0;
        while (at < COUNT_OF(broken) && strcmp(broken[at].rule, rule->name)) at++;
        if (at == COUNT_OF(broken)) fail_msg("no case for rule %s", rule->name);
        while (n < COUNT_OF(broken[at].sets) && broken[at].sets[n]) n++;
        struct gpu_file g;
        struct fail fail = {0};
        struct text want = {0};
        assert_false(gpu_file_open(&g, "maxwell16", broken[at].sets, n, &fail));
        const char *last = broken[at].sets[n - 1];
        text_add(&want, "\n    %s\n    %*s^\n", last, (int)(strchr(last, '=') - last) + 1, "");
        says(&fail, want.bytes, rule->name);
        says(&fail, rule->sentence, rule->name);
        assert_int_equal(fail.error_n, 1);
        for (const char *key = rule->keys; key; key = strchr(key, ' ')) {
            key += *key == ' ';
            want.size = 0;
            text_add(&want, "%.*s is ", (int)strcspn(key, " "), key);
            says(&fail, want.bytes, rule->name);
        }
        text_free(&want);
        fail_free(&fail);
        gpu_file_free(&g);
        const char *sets[4];
        memcpy(sets, broken[at].sets, sizeof sets);
        sets[n - 1] = broken[at].right;
        if (!gpu_file_open(&g, "maxwell16", sets, n, &fail)) fail_msg("%s", fail.text.bytes);
        gpu_file_free(&g);
    }
    assert_int_equal(machine_rule_n, COUNT_OF(broken));
}

/* Of two contradictory values, the message shows the later setting, at any position in the file. */
static void test_later(void **state)
{
    (void)state;
    struct gpu_file g;
    struct fail fail = {0};
    assert_false(open_text(&g, "dram:\n  groups: 8\n  banks: {value: 4, source: x}\n"
                               "base: maxwell16\n", &fail));
    assert_string_equal(fail.text.bytes,
                        "./m.yaml:3:18: error: dram.groups is 8, dram.banks is 4: a bank group "
                        "holds at least one bank\n"
                        "      banks: {value: 4, source: x}\n"
                        "                     ^\n");
    gpu_file_free(&g);
    fail_free(&fail);
    const char *const set = "dram.groups=16";
    assert_true(rewrite("m.yaml", "base: maxwell16\ndram: {banks: 8}\n", 33, &fail));
    assert_false(gpu_file_open(&g, "./m.yaml", &set, 1, &fail));
    says(&fail, "error: dram.groups is 16, dram.banks is 8", set);
    says(&fail, "    dram.groups=16\n                ^\n", set);
    gpu_file_free(&g);
    fail_free(&fail);
}

static void test_chain(void **state)
{
    (void)state;
    struct gpu_file g;
    struct fail fail = {0};
    assert_true(rewrite("m.yaml", "base: maxwell16\nl1: {mshrs: 64}\n", 32, &fail));
    assert_true(rewrite("n.yaml", "base: ././m.yaml\nl1:\n  mshrs: 32\n", 33, &fail));
    const char *const set = "l1.mshrs=16";
    assert_true(gpu_file_open(&g, "./n.yaml", &set, 1, &fail));
    assert_string_equal(g.values[row_index("l1.mshrs")].chain,
                        "--set < ./n.yaml:3 < ././m.yaml:2 < maxwell16");
    assert_string_equal(g.values[row_index("l1.mshrs")].origin, "--set");
    assert_string_equal(g.values[row_index("l2.mshrs")].chain, "maxwell16 < gpgpusim3");
    gpu_file_free(&g);
    assert_true(rewrite("m.yaml", "base: ././n.yaml\n", 17, &fail));
    assert_false(gpu_file_open(&g, "./n.yaml", NULL, 0, &fail));
    says(&fail, "m.yaml:1:7: error: '././n.yaml' is based on itself", "n.yaml");
    assert_int_equal(unlink("n.yaml"), 0);
    gpu_file_free(&g);
    fail_free(&fail);
}

/* Clocks with few common divisors stay exact; clocks that need too short a tick are rejected. */
static void test_clocks(void **state)
{
    (void)state;
    struct gpu_file g;
    struct fail fail = {0};
    const char *const near[] = {"clock.sm_mhz=1365", "clock.xbar_mhz=1365", "clock.l2_mhz=1365",
                                "clock.dram_mhz=3500.5"};
    assert_true(gpu_file_open(&g, "rtx2060", near, 4, &fail));
    gpu_file_free(&g);
    const char *const far[] = {"clock.sm_mhz=1400.001", "clock.xbar_mhz=1300.003",
                               "clock.l2_mhz=1200.007", "clock.dram_mhz=924.013"};
    assert_true(gpu_file_open(&g, "rtx2060", far, 1, &fail));
    gpu_file_free(&g);
    assert_false(gpu_file_open(&g, "rtx2060", far, 4, &fail));
    says(&fail, "error: clock.sm_mhz is 1400.001, ", "clocks");
    says(&fail, "    clock.dram_mhz=924.013\n                   ^\n", "clocks");
    gpu_file_free(&g);
    fail_free(&fail);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shipped), cmocka_unit_test(test_trees),
                                       cmocka_unit_test(test_sets),
                                       cmocka_unit_test(test_own), cmocka_unit_test(test_mistakes),
                                       cmocka_unit_test(test_rules), cmocka_unit_test(test_later),
                                       cmocka_unit_test(test_chain),
                                       cmocka_unit_test(test_clocks)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
