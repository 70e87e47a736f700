/* synth: from the plan to PTX. A single kernel: pointers, then an unrolled loop: the memory
 * instructions with the compute instructions between them. A load's value is used as late as the
 * parameters allow, which gives the loads in flight. */
#include "workloads/synth/plan.h"

#include <stdio.h>
#include <string.h>

enum { VALUES = 64, CHAINS = 32 };
enum { REGISTERS_BESIDE = 2 }; /* of a kernel beside the live registers */

struct writer {
    const struct plan *p;
    struct text loop;
    u32 written;              /* instructions of the loop written until now */
    u32 filled, done[KIND_N]; /* of the fill */
    u32 values, value;        /* registers of loads, and the next */
    u32 loaded[VALUES];       /* position of the register's load, from 1; 0: nothing in flight */
    u32 chain, barriers, labels;
    bool begun[CHAINS]; /* written in the loop */
};

static void say(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_add(&w->loop, "    ");
    text_addv(&w->loop, format, args);
    text_add(&w->loop, ";\n");
    va_end(args);
    w->written++;
}

/* Returns the chain of the next compute instruction, and in `from` the source register: the first
 * in the loop takes the counter, so chains need no first value before the loop. */
static u32 take_chain(struct writer *w, char from[8])
{
    u32 chain = w->chain;
    w->chain = (chain + 1) % (u32)w->p->k.chains;
    if (from) snprintf(from, 8, w->begun[chain] ? "%%a%u" : "%%t", chain);
    return chain;
}

/* ---- compute instructions ---- */

/* Returns the kind that lags most behind the wanted share. */
static enum kind next_kind(const struct writer *w)
{
    s64 best = INT64_MIN;
    u32 kind = KIND_SP;
    for (u32 i = 0; i < KIND_N; i++) {
        if (w->done[i] == w->p->fill[i]) continue;
        s64 behind = (s64)w->p->fill[i] * (w->filled + 1) - (s64)w->done[i] * w->p->fill_n;
        if (behind > best) best = behind, kind = i;
    }
    return (enum kind)kind;
}

static void write_kind(struct writer *w, enum kind kind)
{
    static const struct { const char *op, *tail; } forms[KIND_N] = {
        [KIND_SFU] = {"rsqrt.approx.f32", ""},
        [KIND_DIV] = {"div.u32", ", 3"},
        [KIND_SHUFFLE] = {"shfl.sync.bfly.b32", ", 1, 31, -1"},
        [KIND_INT] = {"add.u32", ", 7"},
        [KIND_SP] = {"fma.rn.f32", ", 0f3F000000, 0f3F800000"},
    };
    w->done[kind]++;
    w->filled++;
    if (kind == KIND_BRANCH) {
        u32 label = w->labels++;
        say(w, "@%%branch bra OVER%u", label);
        kind = next_kind(w);
        bool begun[CHAINS]; /* excludes instructions under a branch */
        memcpy(begun, w->begun, sizeof begun);
        if (w->filled < w->p->fill_n && kind != KIND_BRANCH) write_kind(w, kind);
        memcpy(w->begun, begun, sizeof begun);
        text_add(&w->loop, "OVER%u:\n", label);
        return;
    }
    if (kind == KIND_F64) {
        say(w, "div.rn.f64 %%d, %%d, 0d3FF8000000000000");
        return;
    }
    char from[8];
    u32 chain = take_chain(w, from);
    if (kind == KIND_LOAD) say(w, "ld.shared.u32 %%a%u, [%%s]", chain);
    else if (kind == KIND_STORE) say(w, "st.shared.u32 [%%s], %s", from);
    else say(w, "%s %%a%u, %s%s", forms[kind].op, chain, from, forms[kind].tail);
    w->begun[chain] |= kind != KIND_STORE;
}

static void use_value(struct writer *w, u32 value)
{
    if (!w->loaded[value]) return;
    w->loaded[value] = 0;
    u32 chain = take_chain(w, NULL);
    w->begun[chain] = true;
    say(w, "add.u32 %%a%u, %%v%u, 1", chain, value);
}

/* Uses the values that are due, the oldest first. */
static void use_old(struct writer *w, u32 distance)
{
    for (u32 i = 0; i < w->values; i++) {
        u32 value = (w->value + i) % w->values;
        if (w->loaded[value] && w->written - w->loaded[value] >= distance) use_value(w, value);
    }
}

/* Writes the first warp's chain at a barrier. */
static void write_first(struct writer *w, u32 divisions, u32 exchanges)
{
    char from[8];
    u32 label = w->labels++, chain = take_chain(w, from);
    say(w, "@%%others bra OVER%u", label);
    for (u32 i = 0; i < divisions; i++) {
        say(w, "div.u32 %%a%u, %s, 3", chain, from);
        snprintf(from, sizeof from, "%%a%u", chain);
    }
    for (u32 i = 0; i < exchanges; i++) {
        say(w, "shfl.sync.bfly.b32 %%a%u, %s, 1, 31, -1", chain, from);
        snprintf(from, sizeof from, "%%a%u", chain);
    }
    text_add(&w->loop, "OVER%u:\n", label);
}

/* Makes each load's address from the value of the load before, which is 0. */
static void write_chase(struct writer *w, u32 n)
{
    const struct plan *p = w->p;
    u64 at = (u64)(p->at_place[PLACE_KERNEL] + w->barriers * n) * p->chase_apart;
    u32 label = w->labels++;
    say(w, "@%%rest bra OVER%u", label);
    for (u32 i = 0; i < n; i++, at += p->chase_apart) {
        say(w, "ld.global.u32 %%h, [%s+%llu]", i ? "%place" : "%kernel", (unsigned long long)at);
        say(w, "mad.wide.u32 %%place, %%h, 1, %%kernel");
    }
    text_add(&w->loop, "OVER%u:\n", label);
}

static void write_barrier(struct writer *w)
{
    const struct knobs *k = &w->p->k;
    if (k->serial + k->exchanges > 0) write_first(w, (u32)k->serial, (u32)k->exchanges);
    if (k->chase > 0) write_chase(w, (u32)k->chase);
    say(w, "bar.sync 0");
}

static void fill_up_to(struct writer *w, u32 slots)
{
    const struct plan *p = w->p;
    u32 due = (u32)((u64)p->fill_n * slots / p->slots);
    u32 barriers = (u32)((u64)p->k.barriers * slots / p->slots);
    while (w->filled < due) {
        write_kind(w, next_kind(w));
        use_old(w, (u32)p->k.use);
    }
    for (; w->barriers < barriers; w->barriers++) write_barrier(w);
}

/* ---- memory instructions ---- */

static u32 log2_of(u64 power)
{
    u32 n = 0;
    while ((1ull << n) < power) n++;
    return n;
}

static void write_slot(struct writer *w, const struct slot *s)
{
    static const char *const pointers[PLACE_N] = {"%stream", "%stream", "%warp",
                                                  "%block",  "%kernel", "%stream"};
    const struct plan *p = w->p;
    const char *guard = s->few ? "@%few " : "", *pointer = pointers[s->place];
    bool hashed = s->place == PLACE_KERNEL && p->k.random > 0;
    if (s->place != PLACE_WRITE) use_value(w, w->value);
    if (hashed) {
        say(w, "mad.lo.u32 %%x, %%x, 1664525, 1013904223");
        say(w, "shr.u32 %%h, %%x, %u", 32 - log2_of(p->kernel.cycle / 128));
        say(w, "mad.wide.u32 %%place, %%h, 128, %%kernel");
        pointer = "%place";
    }
    if (s->place == PLACE_WRITE) {
        char from[8];
        take_chain(w, from);
        say(w, "%sst.global.u32 [%s+%lld], %s", guard, pointer, (long long)s->offset, from);
        return;
    }
    say(w, "%sld.global.u32 %%v%u, [%s+%lld]", guard, w->value, pointer, (long long)s->offset);
    w->loaded[w->value] = w->written;
    w->value = (w->value + 1) % w->values;
    use_old(w, (u32)p->k.use);
}

static void write_step(struct writer *w, const struct cursor *c, const char *pointer)
{
    if (!c->used || !c->cycle) return;
    say(w, "add.s64 %s, %s, %llu", pointer, pointer, (unsigned long long)c->step);
    say(w, "and.b64 %s, %s, -%llu", pointer, pointer, (unsigned long long)c->cycle + 1);
}

static void write_loop(struct writer *w)
{
    const struct plan *p = w->p;
    u32 burst = (u32)p->k.burst, fed = 0;
    for (u32 i = 0; i < p->slots; i++) {
        write_slot(w, &p->slot[i]);
        bool last = i + 1 == p->slots, again = !last && p->slot[i + 1].place == PLACE_AGAIN;
        if (!last && (again || (i + 1) / burst == fed / burst)) continue;
        fed = i + 1;
        fill_up_to(w, fed);
    }
    use_old(w, 0);
    if (p->k.phase > 0) {
        say(w, "add.u32 %%t, %%t, 1");
        if (p->stream.used) {
            say(w, "and.b32 %%h, %%t, %u", (u32)p->k.phase);
            say(w, "setp.eq.u32 %%moves, %%h, 0");
            say(w, "@%%moves add.s64 %%stream, %%stream, %llu", (unsigned long long)p->stream.step);
        }
    } else if (p->stream.used) {
        say(w, "add.s64 %%stream, %%stream, %llu", (unsigned long long)p->stream.step);
    }
    write_step(w, &p->warp, "%warp");
    write_step(w, &p->block, "%block");
    if (!(p->k.random > 0)) write_step(w, &p->kernel, "%kernel");
    u32 each = p->k.phase > 0 ? 1 : (u32)p->k.threads;
    if (!(p->k.phase > 0)) say(w, "add.u32 %%t, %%t, %u", each);
    say(w, "setp.lt.u32 %%more, %%t, %u", each * (u32)p->k.loops);
    say(w, "@%%more bra LOOP");
}

/* ---- before the loop ---- */

static void line(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_add(t, "    ");
    text_addv(t, format, args);
    text_add(t, ";\n");
    va_end(args);
}

/* %h = the block's part of the buffer */
static void write_block_part(struct text *t, const struct plan *p, const struct cursor *c,
                             const char *pointer)
{
    bool wraps = p->k.blocks > (double)c->count;
    if (wraps) line(t, "and.b32 %%h, %%c, %llu", (unsigned long long)c->count - 1);
    line(t, "ld.param.u64 %%%s, [%s]", pointer, pointer);
    line(t, "mad.wide.u32 %%%s, %s, %llu, %%%s", pointer, wraps ? "%h" : "%c",
         (unsigned long long)c->part, pointer);
}

static void write_stream_start(struct text *t, const struct writer *w)
{
    const struct plan *p = w->p;
    write_block_part(t, p, &p->stream, "stream");
    if (!p->apart) {
        line(t, "mad.wide.u32 %%stream, %%t, %u, %%stream", 4 * p->req);
        if (p->warp_bytes == p->unit) return;
        if (p->k.early > 0) line(t, "ld.global.u32 %%v%u, [%%stream]", w->values - 1);
        line(t, "shr.u32 %%h, %%t, 5");
        line(t, "mad.wide.u32 %%stream, %%h, %llu, %%stream",
             (unsigned long long)(p->warp_bytes - p->unit));
        return;
    }
    line(t, "shr.u32 %%h, %%t, 5");
    line(t, "mad.wide.u32 %%stream, %%h, %llu, %%stream", (unsigned long long)p->warp_bytes);
    line(t, "and.b32 %%h, %%t, 31");
    line(t, "mad.wide.u32 %%stream, %%h, 4, %%stream");
    line(t, "mul.lo.u32 %%h, %%h, %u", p->req);
    line(t, "shr.u32 %%h, %%h, 5");
    line(t, "mad.wide.u32 %%stream, %%h, %u, %%stream", (u32)p->k.lane_bytes);
}

/* %h = number of the warp in the grid */
static void write_warp_number(struct text *t, const struct plan *p)
{
    line(t, "shr.u32 %%h, %%t, 5");
    line(t, "mad.lo.u32 %%h, %%c, %u, %%h", p->warps);
}

/* %l = offset of a lane's words in an access */
static void write_set_starts(struct text *t, const struct plan *p)
{
    if (!p->warp.used && !p->block.used && !p->kernel.used) return;
    line(t, "and.b32 %%l, %%t, 31");
    line(t, "mul.lo.u32 %%l, %%l, %u", 4 * p->req);
    if (p->warp.used) {
        write_warp_number(t, p);
        if (p->k.warp_kb > 0) {
            line(t, "mul.lo.u32 %%h, %%h, 2654435769");
            line(t, "shr.u32 %%h, %%h, 16");
        }
        line(t, "and.b32 %%h, %%h, %llu", (unsigned long long)p->warp.count - 1);
        line(t, "ld.param.u64 %%warp, [warp]");
        line(t, "mad.wide.u32 %%warp, %%h, %llu, %%warp", (unsigned long long)p->warp.part);
        line(t, "mad.wide.u32 %%warp, %%l, 1, %%warp");
    }
    if (p->block.used) {
        write_block_part(t, p, &p->block, "block");
        line(t, "mad.wide.u32 %%block, %%l, 1, %%block");
    }
    if (!p->kernel.used) return;
    write_warp_number(t, p);
    if (p->k.random > 0) { /* lanes of a line draw alike */
        line(t, "shr.u32 %%x, %%l, 7");
        line(t, "mad.lo.u32 %%x, %%h, 32, %%x");
        line(t, "mul.lo.u32 %%x, %%x, 2654435769");
        line(t, "ld.param.u64 %%kernel, [kernel]");
    } else {
        line(t, "mul.lo.u32 %%h, %%h, 2654435769");
        line(t, "and.b32 %%h, %%h, %llu", (unsigned long long)p->kernel.cycle - 128);
        line(t, "ld.param.u64 %%kernel, [kernel]");
        line(t, "mad.wide.u32 %%kernel, %%h, 1, %%kernel");
    }
    line(t, "mad.wide.u32 %%kernel, %%l, 1, %%kernel");
}

/* Staggers the blocks within the first warp's work at a barrier; otherwise the whole GPU would go
 * in step. */
static void write_stagger(struct text *t, const struct plan *p)
{
    line(t, "@%%others bra LOOP");
    line(t, "mul.lo.u32 %%h, %%c, 2654435769");
    line(t, "shr.u32 %%h, %%h, 16");
    u32 most = (u32)p->k.serial; /* four exchanges take as long, and half a load of the chase */
    if (!most) most = (u32)(p->k.exchanges / 4 + 2 * p->k.chase);
    line(t, "mul.lo.u32 %%h, %%h, %u", most);
    line(t, "shr.u32 %%h, %%h, 16");
    text_add(t, "WAIT:\n");
    line(t, "setp.eq.u32 %%more, %%h, 0");
    line(t, "@%%more bra LOOP");
    if (p->k.serial > 0) line(t, "div.u32 %%c, %%c, 3");
    for (u32 i = 0; i < 4 && !(p->k.serial > 0); i++)
        line(t, "shfl.sync.bfly.b32 %%c, %%c, 1, 31, -1");
    line(t, "add.u32 %%h, %%h, -1");
    line(t, "bra WAIT");
}

static void write_start(struct text *t, const struct writer *w)
{
    const struct plan *p = w->p;
    line(t, "mov.u32 %%t, %%tid.x");
    line(t, "mov.u32 %%c, %%ctaid.x");
    if (p->stream.used) write_stream_start(t, w);
    write_set_starts(t, p);
    if (p->fill[KIND_LOAD] || p->fill[KIND_STORE]) {
        line(t, "mov.u32 %%s, pool");
        line(t, "and.b32 %%h, %%t, 31");
        line(t, "mad.lo.u32 %%s, %%h, %u, %%s", 4 * (u32)p->k.ways);
    }
    if (p->some_few || p->fill[KIND_BRANCH]) line(t, "and.b32 %%h, %%t, 31");
    if (p->some_few) line(t, "setp.lt.u32 %%few, %%h, %u", p->few_lanes);
    if (p->fill[KIND_BRANCH]) line(t, "setp.lt.u32 %%branch, %%h, %u", (u32)p->k.taken);
    if (p->k.serial + p->k.exchanges > 0) line(t, "setp.ge.u32 %%others, %%t, 32");
    if (p->chase_n) line(t, "setp.ne.u32 %%rest, %%t, 0");
    if (p->k.phase > 0) line(t, "mov.u32 %%t, 0");
    if (p->fill[KIND_F64]) line(t, "mov.b64 %%d, 0");
    if (p->k.serial + p->k.exchanges > 0) write_stagger(t, p);
}

/* Writes an exit from the loop, never taken, which keeps the requested registers live, and uses the
 * shared memory. */
static void write_registers(struct text *t, u32 n, bool shared)
{
    line(t, "@!%%more bra DONE");
    if (shared) line(t, "mov.u32 %%z0, pool");
    for (u32 i = shared; i < n; i++) line(t, "mov.b32 %%z%u, %u", i, i);
    for (u32 i = 1; i < n; i++) line(t, "add.u32 %%z0, %%z0, %%z%u", i);
    text_add(t, "DONE:\n");
    line(t, "ret");
}

bool synth_write(const double *values, struct text *t, struct param_errors *errors)
{
    struct plan p;
    if (!plan_make(&p, values, errors)) return false;
    struct writer w = {.p = &p};
    w.values = max_u32(min_u32((u32)p.k.mlp, p.slots - p.at_place[PLACE_WRITE]), 1);
    write_loop(&w);
    u32 live = (u32)p.k.regs - REGISTERS_BESIDE;
    text_add(t, ".version 7.0\n.target sm_75\n.address_size 64\n"
             ".visible .entry synth(.param .u64 stream, .param .u64 warp, .param .u64 block, "
             ".param .u64 kernel)\n{\n");
    line(t, ".reg .b32 %%t, %%c, %%h, %%l, %%x, %%s, %%a<%u>, %%v<%u>, %%z<%u>", (u32)p.k.chains,
         w.values, live);
    line(t, ".reg .b64 %%stream, %%warp, %%block, %%kernel, %%place");
    if (p.fill[KIND_F64]) line(t, ".reg .f64 %%d");
    line(t, ".reg .pred %%more, %%few, %%branch, %%moves, %%others, %%rest");
    if (p.k.shared > 0) line(t, ".shared .align 4 .b8 pool[%u]", (u32)p.k.shared);
    write_start(t, &w);
    text_add(t, "LOOP:\n");
    text_put(t, w.loop.bytes, w.loop.size);
    write_registers(t, live, p.k.shared > 0);
    text_add(t, "}\n");
    text_free(&w.loop);
    return true;
}
