/* synth: makes the plan of a kernel from the parameters. Nothing is drawn: shares become counts,
 * spread evenly over the loop. */
#include "workloads/synth/plan.h"

#include <math.h>
#include <string.h>

enum { LINE = 128 };
enum { MB = 1 << 20, SET_BYTES = 64 * MB }; /* at most, of all warps' or all blocks' sets */

const struct workload_param synth_params[] = {
#define WHOLE(name, normal, test, window, low, high, sentence) \
    {#name, normal, test, window, low, high, sentence},
#define REAL WHOLE
#include "workloads/synth/knobs.def"
#undef WHOLE
#undef REAL
    {0},
};

static void check_whole(const struct knobs *k, struct param_errors *errors)
{
#define WHOLE(name, normal, test, window, low, high, sentence) \
    if (k->name != floor(k->name)) param_error(errors, #name, "%s must be a whole number", #name);
#define REAL(name, normal, test, window, low, high, sentence)
#include "workloads/synth/knobs.def"
#undef WHOLE
#undef REAL
}

static void check_power(double value, const char *key, struct param_errors *errors)
{
    if (!is_power_of_two((u32)value)) param_error(errors, key, "%s must be a power of two", key);
}

static void check_lines(double value, const char *key, struct param_errors *errors)
{
    if (fmod(value, LINE) != 0)
        param_error(errors, key, "%s must be a multiple of 128, whole lines", key);
}

static void check_barriers(double value, const char *key, struct param_errors *errors)
{
    if (value > 0)
        param_error(errors, key, "the value is for the first warp at barriers, but barriers is 0");
}

static void check_values(const struct knobs *k, struct param_errors *errors)
{
    if (!(k->barriers > 0)) {
        check_barriers(k->serial, "serial", errors);
        check_barriers(k->exchanges, "exchanges", errors);
        check_barriers(k->chase, "chase", errors);
    }
    if (k->chase > 0 && k->random > 0)
        param_error(errors, "chase", "the set of all blocks is read in order, unlike with "
                    "random=1");
    if (k->phase > 0) check_power(k->phase, "phase", errors);
    if (k->warp_kb > 0) check_power(k->warp_kb, "warp_kb", errors);
    check_power(k->ways, "ways", errors);
    check_power(k->kernel_kb, "kernel_kb", errors);
    check_lines(k->lane_bytes, "lane_bytes", errors);
    check_lines(k->pitch, "pitch", errors);
    check_lines(k->step, "step", errors);
}

static u32 part_of(double share, u32 n) { return (u32)(share * n + 0.5); }

/* ---- memory instructions ---- */

/* Gives each slot a place: the first of the places that lag most behind their share. */
static void give_places(struct plan *p)
{
    u32 given[PLACE_N] = {0};
    for (u32 i = 0; i < p->slots; i++) {
        s64 best = INT64_MIN;
        u32 place = 0;
        for (u32 t = 0; t < PLACE_N; t++) {
            if (given[t] == p->at_place[t]) continue;
            if (t == PLACE_AGAIN && !given[PLACE_STREAM]) continue;
            s64 behind = (s64)p->at_place[t] * (i + 1) - (s64)given[t] * p->slots;
            if (behind > best) best = behind, place = t;
        }
        p->slot[i].place = (u8)place;
        given[place]++;
    }
}

/* After an error the loop has no streaming load. */
static void count_places(struct plan *p, struct param_errors *errors)
{
    const struct knobs *k = &p->k;
    const double shares[PLACE_N] = {0, k->again, k->warp, k->block, k->kernel, k->write};
    u32 sum = 0;
    for (u32 t = PLACE_STREAM + 1; t < PLACE_N; t++) {
        p->at_place[t] = part_of(shares[t], p->slots);
        sum += p->at_place[t];
    }
    p->at_place[PLACE_STREAM] = sum < p->slots ? p->slots - sum : 0;
    if (sum > p->slots)
        param_error(errors, "again", "again + warp + block + kernel + write are %u of %u memory "
                    "instructions", sum, p->slots);
    else if (p->at_place[PLACE_AGAIN] && !p->at_place[PLACE_STREAM])
        param_error(errors, "again", "again needs streaming loads, and the other shares leave none "
                    "of %u memory instructions", p->slots);
}

/* Gives each instruction a number of lines: the lines of all lanes, or of few lanes. */
static void give_lines(struct plan *p)
{
    double mean = p->k.req, wide = mean * (1 + p->k.spread), narrow = mean * (1 - p->k.spread);
    u32 most = (u32)fmin(ceil(wide), 32), few = (u32)fmax(floor(narrow), 1);
    p->req = most;
    p->few_lanes = (u32)div_up(few * LANES, most);
    double share = most > few ? (mean - few) / (most - few) : 1, behind = 0;
    for (u32 i = 0; i < p->slots; i++) {
        if (p->slot[i].place == PLACE_AGAIN) {
            p->slot[i].few = p->slot[i - 1].few;
            continue;
        }
        behind += share;
        p->slot[i].few = behind < 0.5;
        if (!p->slot[i].few) behind -= 1;
        else p->some_few = true;
    }
    p->apart = p->k.lane_bytes != LINE;
    p->unit = p->apart ? LINE : most * LINE;
}

/* ---- buffers ---- */

static u64 floor_power(u64 n)
{
    u64 power = 1;
    while (power * 2 <= n) power *= 2;
    return power;
}

/* Streams: `run` accesses of a warp lie side by side, then the accesses of the block's next warp.
 * Loads and stores have a stream each, laid out alike. */
static void lay_streams(struct plan *p, struct param_errors *errors)
{
    const struct knobs *k = &p->k;
    u32 n = max_u32(p->at_place[PLACE_STREAM], p->at_place[PLACE_WRITE]);
    p->stream.used = n > 0;
    p->stream_bytes = (u64)k->stream_mb * MB;
    if (!n) return;
    u64 loops = (u64)k->loops, run = (u64)k->run, reach = p->unit;
    if (p->apart) reach = (u64)k->lane_bytes * (p->req - 1) + LINE;
    u64 distance = k->step > 0 ? (u64)k->step : p->unit, round = n;
    while (run && run < n && n % run) run--;
    if (run && run < n) round = run;
    u64 needed = (run ? round : loops * n) * distance;
    if (p->apart) needed = reach;
    p->warp_bytes = k->pitch > 0 ? (u64)k->pitch : needed;
    u64 all_warps = p->warp_bytes * p->warps;
    p->stream.step = run ? n / round * all_warps : n * distance;
    p->stream.part = run ? loops * p->stream.step : all_warps;
    u32 seen[PLACE_N] = {0};
    s64 last = 0;
    for (u32 i = 0; i < p->slots; i++) {
        struct slot *s = &p->slot[i];
        if (s->place == PLACE_AGAIN) s->offset = last;
        if (s->place != PLACE_STREAM && s->place != PLACE_WRITE) continue;
        u64 at = seen[s->place]++;
        s->offset = (s64)(run ? at / round * all_warps + at % round * distance : at * distance);
        if (s->place == PLACE_STREAM) last = s->offset;
        else s->offset += (s64)p->stream_bytes;
    }
    if (p->stream.part > p->stream_bytes || p->stream.part > UINT32_MAX / 2) {
        param_error(errors, "stream_mb", "a block passes over %llu bytes of a stream of %llu",
                    (unsigned long long)p->stream.part, (unsigned long long)p->stream_bytes);
        return;
    }
    p->stream.count = floor_power(p->stream_bytes / p->stream.part);
    p->stream.bytes = 3 * p->stream_bytes + reach + loops * p->stream.step;
}

/* A set read in order: n accesses in the loop, `places` accesses before the set begins again. A set
 * longer than a loop makes the pointer run through a power of two bytes, and the bit above is
 * cleared after each step: a part is twice as long. */
static void lay_set(struct plan *p, struct cursor *c, enum place place, u64 places, u64 owners)
{
    u32 times = place == PLACE_BLOCK ? (u32)p->k.block_times : 1;
    u32 all = p->at_place[place], n = (u32)div_up(all, times), at = 0;
    u64 unit = (u64)p->req * LINE;
    c->used = n > 0;
    if (!n) return;
    u64 round = min_u64(n, places), rounds = floor_power(div_up(places, n));
    c->step = LINE;
    while (c->step < round * unit) c->step *= 2;
    c->cycle = rounds > 1 ? rounds * c->step : 0;
    c->part = c->cycle ? 2 * c->cycle : c->step;
    u64 most = SET_BYTES;
    if (place == PLACE_WARP && p->k.warp_kb > 0) {
        if (!c->cycle) c->part = round * unit; /* side by side, to use all channels */
        most = (u64)p->k.warp_kb * 1024;
        owners = UINT32_MAX;
    }
    c->count = floor_power(max_u64(min_u64(owners, most / c->part), 1));
    c->bytes = c->part * (c->count + 1);
    for (u32 i = 0; i < p->slots; i++) {
        if (p->slot[i].place == place) p->slot[i].offset = (s64)(at++ / times % round * unit);
    }
}

/* The set of all blocks: half is the range of the pointer, the other half lies between the first
 * access of a loop and the last; accesses at barriers come behind the others. */
static void lay_kernel_set(struct plan *p)
{
    struct cursor *c = &p->kernel;
    p->chase_n = (u32)(p->k.chase * p->k.barriers);
    u32 n = p->at_place[PLACE_KERNEL] + p->chase_n, at = 0;
    u64 bytes = (u64)p->k.kernel_kb * 1024;
    c->used = n > 0;
    if (!n) return;
    c->cycle = p->k.random > 0 || n == 1 ? bytes : bytes / 2;
    c->step = (u64)p->req * LINE;
    c->part = 2 * bytes;
    c->count = 1;
    c->bytes = 2 * c->part;
    p->chase_apart = p->chase_n ? (u32)((bytes - c->cycle) / n / LINE * LINE) : 0;
    for (u32 i = 0; i < p->slots; i++) {
        if (p->slot[i].place != PLACE_KERNEL) continue;
        u64 offset = p->k.random > 0 ? 0 : (bytes - c->cycle) * at++ / n;
        p->slot[i].offset = (s64)(offset / LINE * LINE);
    }
}

/* ---- compute instructions ---- */

/* Returns the number of compute instructions that the loop always has. */
static u32 always_needed(const struct plan *p)
{
    const struct knobs *k = &p->k;
    u32 writes = min_u32(p->at_place[PLACE_WRITE], p->slots);
    u32 always = 3 + p->slots - writes + (u32)k->barriers; /* count, compare, branch; a use of
                                                            * every load */
    double first = k->serial + k->exchanges + k->chase; /* of the first warp at a barrier */
    double over = (k->serial + k->exchanges > 0) + (k->chase > 0);
    if (first > 0) always += (u32)(k->barriers * (over + first / p->warps) + 0.5);
    if (p->stream.used) always += k->phase > 0 ? 3 : 1;
    always += (p->warp.cycle ? 2u : 0) + (p->block.cycle ? 2u : 0);
    if (p->kernel.used) always += k->random > 0 ? 3 * p->at_place[PLACE_KERNEL] : 2;
    return always;
}

static void count_compute(struct plan *p, struct param_errors *errors)
{
    const struct knobs *k = &p->k;
    const double shares[KIND_SP] = {k->sfu, k->div, k->f64, k->shuffle, k->integer,
                                    k->shared_load, k->shared_store, k->branch};
    u32 always = always_needed(p), sum = 0;
    p->compute = (u32)(k->cinst * p->memory + 0.5);
    for (u32 kind = 0; kind < KIND_SP; kind++) {
        u32 n = part_of(shares[kind], p->compute);
        if (kind == KIND_INT) n = n > always ? n - always : 0;
        p->fill[kind] = n;
        sum += n;
    }
    u32 left = p->compute > always ? p->compute - always : 0;
    if (p->compute < always)
        param_error(errors, "cinst", "the loop needs %u compute instructions for %u memory "
                    "instructions: give cinst of at least %.3g", always, p->slots,
                    always / p->memory);
    else if (sum > left)
        param_error(errors, "cinst", "the shares of compute instructions exceed the free part, %u "
                    "of %u", left, p->compute);
    p->fill[KIND_SP] = left > sum ? left - sum : 0;
    p->fill_n = left;
}

static void check_shared(const struct plan *p, struct param_errors *errors)
{
    u32 needed = 4 * LANES * (u32)p->k.ways;
    bool used = p->fill[KIND_LOAD] || p->fill[KIND_STORE];
    if (!used || p->k.shared >= needed) return;
    param_error(errors, "shared", "shared memory of %u bytes is needed at least where ways=%u",
                needed, (u32)p->k.ways);
}

/* Registers of the loop: a counter, pointers, chains, values in flight, and the temporaries of an
 * access; or the registers live while the pointers are made, if more. */
static void count_registers(struct plan *p, struct param_errors *errors)
{
    u32 loads = p->slots - min_u32(p->at_place[PLACE_WRITE], p->slots);
    u32 values = min_u32((u32)p->k.mlp, loads), n = 1 + (u32)p->k.chains + values;
    u32 pointers = 2 * (u32)(p->stream.used + p->warp.used + p->block.used + p->kernel.used);
    n += pointers;
    if (p->kernel.used && p->k.random > 0) n += 4;
    if (p->chase_n) n += 2;
    if (p->fill[KIND_LOAD] || p->fill[KIND_STORE]) n++;
    if (p->k.phase > 0) n++;
    if (p->fill[KIND_F64]) n += 2;
    u32 before = 4 + pointers;
    if (p->some_few) before += values; /* other lanes keep them: they count from the start */
    if (p->warp.used || p->block.used || p->kernel.used) before++;
    n = max_u32(n, before);
    p->registers = n;
    if (n + 2 > p->k.regs)
        param_error(errors, "regs", "the kernel needs %u registers at least", n + 2);
}

bool plan_make(struct plan *p, const double *values, struct param_errors *errors)
{
    memset(p, 0, sizeof *p);
    memcpy(&p->k, values, sizeof p->k);
    check_whole(&p->k, errors);
    if (errors->n) return false;
    check_values(&p->k, errors);
    p->warps = (u32)div_up((u64)p->k.threads, LANES);
    p->slots = (u32)p->k.slots;
    p->memory = p->slots + p->k.barriers * p->k.chase / p->warps;
    count_places(p, errors);
    give_places(p);
    give_lines(p);
    lay_streams(p, errors);
    u64 blocks = (u64)p->k.blocks;
    lay_set(p, &p->warp, PLACE_WARP, (u64)p->k.warp_lines, blocks * p->warps);
    lay_set(p, &p->block, PLACE_BLOCK, (u64)p->k.block_lines, blocks);
    lay_kernel_set(p);
    count_compute(p, errors);
    check_shared(p, errors);
    count_registers(p, errors);
    return !errors->n;
}
