/* Rules for L1, the texture cache and L2. */
#include <string.h>
#include "run/import/draft.h"

enum { CACHE_READERS_MAX = 64000 }; /* requests that wait for misses */

/* Returns the resident blocks of a kernel per SM: as many as fit, but a grid too small to fill the
 * GPU is spread evenly (shader_core_config::max_cta of GPGPU-Sim). */
static u64 resident(const struct draft *d, const struct import_need *need)
{
    const struct machine *m = &d->machine;
    u64 threads = round_up(need->threads, LANES);
    u64 registers = round_up(need->registers, 4) * threads;
    u64 most = min_u64(m->sm.blocks, m->sm.threads / max_u64(threads, 1));
    most = min_u64(most, m->sm.registers / max_u64(registers, 1));
    if (need->shared) most = min_u64(most, m->sm.shared_bytes / need->shared);
    if (need->blocks) most = min_u64(most, div_up(need->blocks, max_u32(m->sm.count, 1)));
    return most;
}

/* Returns the smallest offered share of shared memory, in KB, that holds an SM's resident blocks,
 * for every kernel; otherwise the largest share. */
static u64 carve_out(struct draft *d, u64 total)
{
    struct part parts[PARTS_MAX];
    u32 n = value_split(settings_get(&d->options, "gpgpu_shmem_option", "0"), ',', parts,
                        &d->arena);
    u64 used = 0, best = UINT64_MAX, largest = 0;
    for (u32 i = 0; i < d->setup->need_n; i++) {
        const struct import_need *need = &d->setup->needs[i];
        used = max_u64(used, resident(d, need) * need->shared);
    }
    for (u32 i = 0; i < n; i++) {
        u64 share = part_number(&parts[i]);
        if (share > total)
            part_fail(&parts[i], "a share of %lu KB of %lu KB for shared memory", share, total);
        largest = max_u64(largest, share);
        if (used <= share * 1024) best = min_u64(best, share);
    }
    return best == UINT64_MAX ? largest : best;
}

/* Puts the ways of an L1 in one memory with shared memory; the option's ways count until the first
 * kernel. */
static void unified(struct draft *d, const struct cache_text *c, const struct origin *origin)
{
    u64 total = settings_number(&d->options, "gpgpu_unified_l1d_size", "0");
    struct text more = {0};
    settings_find(&d->options, "gpgpu_shmem_option");
    if (!settings_number(&d->options, "gpgpu_adaptive_cache_config", "0") || !total) return;
    u64 share = min_u64(carve_out(d, total), total);
    u64 most = total * 1024 / (c->sets * c->line);
    text_add(&more, "; %lu KB for shared memory", share);
    draft_put_number(d, "l1.ways",
                     origin_of(d, &d->options, "gpgpu_unified_l1d_size gpgpu_shmem_option",
                               more.bytes),
                     (2 * most * (total - share) + total) / (2 * total));
    struct text launched = {0};
    text_add(&launched, "%s; until max_cta", origin->text);
    struct origin o = *origin;
    o.text = arena_text(&d->arena, launched.bytes, launched.size);
    draft_put_number(d, "l1.ways_launched", o, c->ways);
    text_free(&launched);
    text_free(&more);
}

/* Returns the requests per MSHR entry; under --force at most as many as the rules l1_readers and
 * l2_readers (gpu/machine) allow with so many entries. */
static u64 cache_merges(struct draft *d, const struct cache_text *c)
{
    u64 most = c->entries ? CACHE_READERS_MAX / c->entries : c->merges;
    if (c->merges <= most) return c->merges;
    struct text right = {0};
    text_add(&right, "%lu is right, or fewer", most);
    draft_refuse(d, &c->merges_at, right.bytes, "%lu MSHR entries of %lu requests", c->entries,
                 c->merges);
    text_free(&right);
    return most;
}

/* Puts the rows of both L1 and L2. */
static void cache_rows(struct draft *d, const char *section, const char *option,
                       const struct cache_text *c)
{
    const struct origin origin = origin_of(d, &d->options, option, "");
    const struct {
        const char *key;
        u64 value;
    } rows[] = {{"sets", c->sets},      {"ways", c->ways},     {"sector_bytes", c->sector},
                {"index", 0},           {"mshrs", c->entries}, {"merges", cache_merges(d, c)},
                {"missq", c->queue},    {"port_bytes", c->port}};
    if (c->line != 128)
        draft_refuse(d, &c->line_at, "128 is right", "lines of %lu bytes", c->line);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        struct text key = {0};
        text_add(&key, "%s.%s", section, rows[i].key);
        bool sector = !strcmp(rows[i].key, "sector_bytes");
        u64 value = sector && c->sector != 32 ? 128 : rows[i].value;
        if (!strcmp(rows[i].key, "index")) draft_put(d, key.bytes, origin, cache_index(c));
        else draft_put_number(d, key.bytes, origin, value);
        text_free(&key);
    }
    if (strcmp(c->replace.text, "L") && c->ways > 1)
        draft_refuse(d, &c->replace, "L, least recently used, is right",
                     "a cache with replacement '%s'", c->replace.text);
}

/* Parses a cache that every machine needs. */
static bool cache_needed(struct draft *d, const char *option, struct cache_text *c)
{
    struct value v = settings_get(&d->options, option, NULL);
    if (!strcmp(v.text, "none")) {
        struct part whole = {v, v.text, 0};
        part_fail(&whole, "a machine without this cache has no counterpart");
        fail_note(d->fail, "give a cache, for example N:32:128:4,L:L:m:N:H,A:32:8,8");
        return false;
    }
    return cache_parse(d, v, c);
}

static const char *l1_write(const struct cache_text *c)
{
    return *c->write.text == 'T' ? "through" : *c->write.text == 'B' ? "back" : "evict";
}

static const char *l1_write_miss(const struct cache_text *c)
{
    switch (*c->write_miss.text) {
    case 'N': return "none";
    case 'L': return "lazy";
    default: return "fetch";
    }
}

static void l1(struct draft *d)
{
    static const char option[] = "gpgpu_cache:dl1";
    struct settings *o = &d->options;
    struct cache_text c;
    if (!cache_needed(d, option, &c)) return;
    const struct origin origin = origin_of(d, o, option, "");
    cache_rows(d, "l1", option, &c);
    unified(d, &c, &origin);
    draft_put(d, "l1.allocate", origin, *c.allocate.text == 'm' ? "miss" : "fill");
    draft_put(d, "l1.write", origin, l1_write(&c));
    draft_put(d, "l1.write_local", origin, *c.write.text == 'L' ? "back" : "same");
    draft_put(d, "l1.write_miss", origin, l1_write_miss(&c));
    draft_take(d, "l1.dirty_percent", "gpgpu_l1_cache_write_ratio", "0");
    draft_put(d, "l1.atomics", origin_rule("atomics go to L2"), "bypass");
    draft_put(d, "l1.bypass_bytes", origin_rule("loads past L1 ask for sectors"), "32");
    draft_take(d, "l1.banks", "gpgpu_l1_banks", "1");
    draft_take(d, "l1.pipe_cycles", "gpgpu_l1_latency", "1");
    draft_put(d, "l1.latency_cycles", origin_rule("a hit is used the cycle after the lookup"), "1");
    draft_put(d, "l1.fill_cycles",
              origin_rule("ejection buffer, fill, write-back register, used"), "4");
    draft_put(d, "l1.invalidate", origin_of(d, o, "gpgpu_flush_l1_cache", ""), "launch");
    draft_put_number(d, "sm.shared_latency_cycles",
                     origin_of(d, o, "gpgpu_smem_latency", ", write-back register, used"),
                     settings_number(o, "gpgpu_smem_latency", "3") + 2);
    draft_put(d, "sm.const_latency_cycles", origin_of(d, o, "gpgpu_perfect_inst_const_cache", ""),
              "0");
    if ((settings_number(o, "gpgpu_coalesce_arch", "13") >= 40) != (c.sector == 32))
        draft_note(d, "gpgpu_coalesce_arch", "accesses are as large as a sector of L1");
    draft_take(d, "sm.response_queue", "gpgpu_n_ldst_response_buffer_size", "2");
}

/* The texture cache's queue of requests becomes L1's miss queue; the filter has no rate. */
static void tex(struct draft *d)
{
    static const char option[] = "gpgpu_tex_cache:l1";
    struct cache_text c;
    struct value v = settings_get(&d->options, option, "N:8:128:5,L:R:m:N:L,F:128:4,128:2");
    const struct origin origin = origin_of(d, &d->options, option, "");
    if (!cache_parse(d, v, &c)) return;
    draft_put(d, "tex.path", origin, "own");
    draft_put_number(d, "tex.sets", origin, c.sets);
    draft_put_number(d, "tex.ways", origin, c.ways);
    draft_put(d, "tex.index", origin, cache_index(&c));
    draft_put_number(d, "tex.fragments", origin, c.entries);
    draft_put(d, "tex.latency_cycles", origin_rule("fragment queue and result queue, a cycle each"),
              "2");
    draft_put(d, "tex.lanes", origin_rule("a warp in one cycle"), "32");
}

void draft_memory(struct draft *d)
{
    l1(d);
    tex(d);
}

void draft_l2(struct draft *d)
{
    static const char option[] = "gpgpu_cache:dl2", queues[] = "gpgpu_dram_partition_queues";
    static const char *const keys[] = {NULL, "l2.to_dram_queue", "l2.fill_queue", "l2.reply_queue"};
    struct settings *o = &d->options;
    struct cache_text c;
    struct part parts[PARTS_MAX], whole = part_whole(o, queues, "8:8:8:8");
    if (cache_needed(d, option, &c)) {
        cache_rows(d, "l2", option, &c);
        draft_put(d, "l2.write_miss", origin_of(d, o, option, ""),
                  *c.write_miss.text == 'W' ? "naive322" : l1_write_miss(&c));
        if (*c.write.text != 'B')
            draft_refuse(d, &c.write, "B, written back, is right", "an L2 with write policy '%s'",
                         c.write.text);
    }
    draft_put_number(d, "l2.rop_cycles",
                     origin_of(d, o, "gpgpu_l2_rop_latency", ", then the queue behind it"),
                     settings_number(o, "gpgpu_l2_rop_latency", "85") + 1);
    u32 n = value_split(whole.of, ':', parts, &d->arena);
    if (n != COUNT_OF(keys)) {
        part_fail(&whole, "expected four queues, IN:TO DRAM:FROM DRAM:OUT, not '%s'", whole.text);
        return;
    }
    u64 inward = part_number(&parts[0]);
    draft_put_number(d, "l2.in_queue", origin_of(d, o, queues, "; taken with room for 4 sectors"),
                     inward > 4 ? inward - 3 : 1);
    for (u32 i = 1; i < n; i++)
        draft_put_number(d, keys[i], origin_of(d, o, queues, ""), part_number(&parts[i]));
}
