/* Estimates the registers per thread that the assembler ptxas gives a kernel. Model: ptxas orders
 * each basic block anew. (1) Parameters, block numbers and results without machine instruction take
 * no register beyond a block. (2) Loads go to the front, other steps to the first reader. (3) The
 * registers read by a memory instruction are not reused at once. (4) Both end where registers
 * cost occupancy; there, integers computed from parameters go to uniform registers, loads stay at
 * the reader, and registers come in groups of 8. Source: ptxas 13, machine code of the kernels
 * behind docs/reference/machine-code.md. */
#include "ptx/body.h"

#include <stdlib.h>
#include <string.h>
#include "isa/expand.h"
#include "isa/isa.h"
#include "ptx/expand.h"

/* Model: constants fitted to the kernels of half of the projects of docs/reference/machine-code.md.
 * HOLD: steps until a register read by a memory instruction is free again. NEEDED, SPARE: registers
 * beside the live ones (stack pointer, alignment of pairs, copies), in the order with the fewest
 * live registers and where registers cost nothing; there, one more from capability 9.0 on, which
 * loads parameters to registers. */
enum { HOLD = 8, NEEDED = 3, SPARE = 4, GROUP = 8, LEAST = 8, EMPTY = 4 };

/* Parts of memory as registers: a load reads its part, a store writes its part, and an instruction
 * with another effect writes all parts. Edges between registers then keep the order of memory. */
enum { PART_GLOBAL, PART_SHARED, PART_LOCAL, PART_N };
enum order { ORDER_TEXT, ORDER_LATE, ORDER_LOADS_FIRST };

struct link {
    u32 at, next;
};

struct estimate {
    const struct body *b;
    u32 *def;         /* [register] the step that writes; NO_INDEX: none or several */
    u8 *words;        /* [register] 32-bit registers in use */
    bool *param;      /* [register] of a parameter: in use inside a block only */
    bool *uniform;    /* [register] computed from parameters, constants and block numbers */
    bool *gone;       /* [step] without machine instruction */
    u32 *reads;       /* registers of steps, after those of gone steps are replaced */
    u32 read_n, read_room, *read_at; /* [step] range of `reads` */
    u32 *mark;        /* [register] last step that read the register, plus 1 */
    u32 step, block, position; /* during a walk */
    bool guarded, free;
    u32 *shared;      /* [register] index among registers read in a block before a write */
    u32 *shared_regs; /* [index] such registers */
    u32 shared_n, row; /* row: 64-bit words of a set of such registers */
    u64 *in, *out, *written; /* [block] sets: live at the start, at the end; written */
    /* Of the block at hand: edges to earlier steps, order, position. */
    u32 first;        /* step */
    u32 *write;       /* [register and part] last writer in the block, NO_INDEX: none */
    u32 *readers;     /* [register and part] list of readers since */
    struct link *links;
    u32 link_n, link_room;
    u32 *edges, edge_n, edge_room, *edge_at; /* [step of block] */
    u32 *order, order_n;
    bool *done;
    u32 *stack, *cursor;
    u32 *start, *last; /* [register] positions of the open live range; start NO_INDEX: none */
    s32 *change;       /* [position] */
};

static bool is_pure(const struct step *s)
{
    const struct form *f = &s->form;
    if (f->op == OP_LD) return f->space == SPACE_PARAM || f->space == SPACE_CONST;
    bool carry = f->op == OP_ADDC || f->op == OP_SUBC || f->op == OP_MADC || f->flags & FLAG_CC;
    return f->op < OP_LD && !carry;
}

static bool is_load(const struct step *s)
{
    u16 op = s->form.op;
    return !is_pure(s) && (op == OP_LD || op == OP_LDU || op == OP_TEX || op == OP_TLD4 ||
                           op == OP_SULD);
}

/* ---- registers in use ---- */

static void note_write(void *context, u32 reg, bool is_write)
{
    struct estimate *e = context;
    if (!is_write) return;
    e->mark[reg]++;
    e->def[reg] = e->step;
}

static void find_writers(struct estimate *e)
{
    const struct body *b = e->b;
    memset(e->def, 0xff, sizeof *e->def * b->register_n);
    for (e->step = 0; e->step < b->step_n; e->step++)
        step_registers(&b->steps[e->step], note_write, e);
    for (u32 r = 0; r < b->register_n; r++) {
        u32 bytes = type_bytes((enum type)b->types[r]);
        e->words[r] = b->types[r] == T_PRED ? 0 : bytes > 4 ? 2 : 1;
        if (e->mark[r] != 1) e->def[r] = NO_INDEX;
        e->mark[r] = 0;
    }
}

static bool is_float(u8 t)
{
    return t == T_F16 || t == T_F16X2 || t == T_BF16 || t == T_BF16X2 || t == T_F32 || t == T_F64;
}

static bool is_block_number(const struct form *f)
{
    return f->op == OP_SPECIAL && (f->sub == SPECIAL_CTAID_X || f->sub == SPECIAL_CTAID_Y ||
                                   f->sub == SPECIAL_CTAID_Z);
}

/* True if all sources of an integer operation are uniform. */
static bool is_uniform(const struct estimate *e, const struct step *s)
{
    if (s->form.op == OP_LD || s->form.op == OP_SPECIAL || s->src_pred != NO_INDEX) return false;
    if (is_float(s->form.type)) return false;
    for (u32 k = 0; k < STEP_SRC_MAX; k++)
        if (s->src[k].kind == VALUE_REG && !e->uniform[s->src[k].reg]) return false;
    return true;
}

/* Marks steps without machine instruction whose only result has no other writer. */
static void find_gone(struct estimate *e)
{
    const struct body *b = e->b;
    for (u32 i = 0; i < b->step_n; i++) {
        const struct step *s = &b->steps[i];
        u32 reg = s->dst[0].kind == VALUE_REG ? s->dst[0].reg : s->dst_pred;
        if (s->guard != NO_INDEX || reg == NO_INDEX || e->def[reg] != i || !is_pure(s)) continue;
        if (s->dst[1].kind == VALUE_REG || s->dst_pred2 != NO_INDEX) continue;
        bool none = s->machine && !expansion_total(s->machine);
        e->param[reg] = s->form.op == OP_LD && s->form.space == SPACE_PARAM;
        e->gone[i] = none || e->param[reg] || is_block_number(&s->form);
        e->uniform[reg] = e->param[reg] || is_block_number(&s->form) ||
                          (none && s->form.op == OP_SPECIAL) || is_uniform(e, s);
        if (e->gone[i] && !e->param[reg]) e->words[reg] = 0;
    }
}

/* Adds a register that a step reads; the sources of a gone step in place of the result. */
static void add_read(void *context, u32 reg, bool is_write)
{
    struct estimate *e = context;
    const struct step *s = &e->b->steps[e->step];
    if ((is_write && s->guard == NO_INDEX) || e->mark[reg] == e->step + 1) return;
    e->mark[reg] = e->step + 1;
    u32 from = e->def[reg];
    if (from == NO_INDEX || !e->gone[from] || e->param[reg]) {
        *base_push(e->reads, e->read_n, e->read_room) = reg;
        return;
    }
    const struct step *d = &e->b->steps[from];
    for (u32 k = 0; k < STEP_SRC_MAX; k++)
        if (d->src[k].kind == VALUE_REG) add_read(e, d->src[k].reg, false);
    if (d->src_pred != NO_INDEX) add_read(e, d->src_pred, false);
}

static void find_reads(struct estimate *e)
{
    const struct body *b = e->b;
    for (e->step = 0; e->step < b->step_n; e->step++) {
        e->read_at[e->step] = e->read_n;
        if (!e->gone[e->step]) step_registers(&b->steps[e->step], add_read, e);
    }
    e->read_at[b->step_n] = e->read_n;
}

/* ---- registers live between blocks ---- */

static bool in_set(const u64 *set, u32 k) { return set[k / 64] >> k % 64 & 1; }

static void add_to(u64 *set, u32 k) { set[k / 64] |= 1ull << k % 64; }

static void note_end(void *context, u32 reg, bool is_write)
{
    struct estimate *e = context;
    if (!is_write) return;
    e->mark[reg] = e->step + 1;
    if (e->written && e->shared[reg] != NO_INDEX)
        add_to(&e->written[(size_t)e->step * e->row], e->shared[reg]);
}

/* Calls `visit` for each register read in a block before a write. `mark` has the block of the last
 * write. */
static void visit_exposed(struct estimate *e, u32 block, void (*visit)(struct estimate *e, u32 reg))
{
    const struct basic_block *k = &e->b->blocks[block];
    e->step = block;
    for (u32 i = k->first; i < k->end; i++) {
        if (e->gone[i]) continue;
        for (u32 r = e->read_at[i]; r < e->read_at[i + 1]; r++) {
            u32 reg = e->reads[r];
            if (e->mark[reg] != block + 1 && e->words[reg] && !e->param[reg]) visit(e, reg);
        }
        if (e->b->steps[i].guard == NO_INDEX) step_registers(&e->b->steps[i], note_end, e);
    }
}

static void number_shared(struct estimate *e, u32 reg)
{
    if (e->shared[reg] != NO_INDEX) return;
    e->shared_regs[e->shared_n] = reg;
    e->shared[reg] = e->shared_n++;
}

static void set_live(struct estimate *e, u32 reg)
{
    add_to(&e->in[(size_t)e->step * e->row], e->shared[reg]);
}

/* Adds the registers live at the end of a block and not written in the block to the registers live
 * at the start; returns true if the latter change. */
static bool pass_block(struct estimate *e, u32 block)
{
    const struct body *b = e->b;
    const struct basic_block *k = &b->blocks[block];
    u64 *in = &e->in[(size_t)block * e->row], *out = &e->out[(size_t)block * e->row];
    bool changed = false;
    for (u32 t = 0; t < k->edge_n; t++) {
        u32 to = b->edges[k->edge + t];
        if (to == b->block_n) continue;
        for (u32 w = 0; w < e->row; w++) out[w] |= e->in[(size_t)to * e->row + w];
    }
    for (u32 w = 0; w < e->row; w++) {
        u64 now = in[w] | (out[w] & ~e->written[(size_t)block * e->row + w]);
        changed |= now != in[w];
        in[w] = now;
    }
    return changed;
}

static void find_sets(struct estimate *e)
{
    const struct body *b = e->b;
    memset(e->shared, 0xff, sizeof *e->shared * b->register_n);
    memset(e->mark, 0, sizeof *e->mark * b->register_n);
    for (u32 k = 0; k < b->block_n; k++) visit_exposed(e, k, number_shared);
    e->row = (u32)div_up(e->shared_n, 64);
    size_t words = (size_t)e->row * b->block_n + 1;
    e->in = base_alloc(sizeof(u64) * words);
    e->out = base_alloc(sizeof(u64) * words);
    e->written = base_alloc(sizeof(u64) * words);
    memset(e->mark, 0, sizeof *e->mark * b->register_n);
    for (u32 k = 0; k < b->block_n; k++) visit_exposed(e, k, set_live);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 k = b->block_n; k-- > 0;) changed |= pass_block(e, k);
    }
}

/* ---- order of the steps of a block ---- */

static u32 part_of(const struct form *f)
{
    return f->space == SPACE_SHARED ? PART_SHARED : f->space == SPACE_LOCAL ? PART_LOCAL
                                                                            : PART_GLOBAL;
}

static void order_read(struct estimate *e, u32 reg)
{
    if (e->write[reg] != NO_INDEX && e->write[reg] != e->step)
        *base_push(e->edges, e->edge_n, e->edge_room) = e->write[reg];
    struct link l = {e->step, e->readers[reg]};
    e->readers[reg] = e->link_n;
    *base_push(e->links, e->link_n, e->link_room) = l;
}

static void order_write(struct estimate *e, u32 reg)
{
    if (e->write[reg] != NO_INDEX && e->write[reg] != e->step)
        *base_push(e->edges, e->edge_n, e->edge_room) = e->write[reg];
    for (u32 l = e->readers[reg]; l != NO_INDEX; l = e->links[l].next)
        if (e->links[l].at != e->step)
            *base_push(e->edges, e->edge_n, e->edge_room) = e->links[l].at;
    e->write[reg] = e->step;
    e->readers[reg] = NO_INDEX;
}

static void order_result(void *context, u32 reg, bool is_write)
{
    if (is_write) order_write(context, reg);
}

static void forget(struct estimate *e, u32 reg) { e->write[reg] = e->readers[reg] = NO_INDEX; }

static void forget_result(void *context, u32 reg, bool is_write)
{
    if (is_write) forget(context, reg);
}

/* Finds the edges from each step of the block at hand to the earlier steps needed before. */
static void find_edges(struct estimate *e, u32 n)
{
    u32 memory = e->b->register_n;
    e->link_n = e->edge_n = 0;
    for (u32 p = 0; p < PART_N; p++) forget(e, memory + p);
    for (u32 i = 0; i < n; i++) {
        for (u32 r = e->read_at[e->first + i]; r < e->read_at[e->first + i + 1]; r++)
            forget(e, e->reads[r]);
        step_registers(&e->b->steps[e->first + i], forget_result, e);
    }
    for (e->step = 0; e->step < n; e->step++) {
        const struct step *s = &e->b->steps[e->first + e->step];
        u32 part = memory + part_of(&s->form);
        e->edge_at[e->step] = e->edge_n;
        if (e->gone[e->first + e->step]) continue;
        for (u32 r = e->read_at[e->first + e->step]; r < e->read_at[e->first + e->step + 1]; r++)
            order_read(e, e->reads[r]);
        if (is_load(s) && !(s->form.flags & FLAG_VOLATILE)) order_read(e, part);
        else if (is_load(s) || s->form.op == OP_ST) order_write(e, part);
        else if (!is_pure(s))
            for (u32 p = 0; p < PART_N; p++) order_write(e, memory + p);
        step_registers(s, order_result, e);
    }
    e->edge_at[n] = e->edge_n;
}

/* Appends a step to the order, behind all needed steps. */
static void place(struct estimate *e, u32 step)
{
    u32 n = 0;
    if (e->done[step] || e->gone[e->first + step]) return;
    e->done[step] = true;
    e->stack[n++] = step;
    e->cursor[step] = e->edge_at[step];
    while (n) {
        u32 at = e->stack[n - 1];
        if (e->cursor[at] == e->edge_at[at + 1]) {
            e->order[e->order_n++] = at;
            n--;
            continue;
        }
        u32 to = e->edges[e->cursor[at]++];
        if (e->done[to]) continue;
        e->done[to] = true;
        e->stack[n++] = to;
        e->cursor[to] = e->edge_at[to];
    }
}

static void find_order(struct estimate *e, u32 n, enum order order)
{
    const struct step *s = &e->b->steps[e->first];
    memset(e->done, 0, n);
    e->order_n = 0;
    for (u32 i = 0; i < n && order == ORDER_LOADS_FIRST; i++)
        if (is_load(&s[i])) place(e, i);
    for (u32 i = 0; i < n && order != ORDER_TEXT; i++)
        if (!is_pure(&s[i]) && !is_load(&s[i])) place(e, i);
    for (u32 i = 0; i < n; i++) place(e, i);
}

/* ---- live registers of a block in an order ---- */

static bool counts(const struct estimate *e, u32 reg)
{
    return e->words[reg] && (e->free || !e->uniform[reg]);
}

static void close_range(struct estimate *e, u32 reg, u32 most)
{
    e->change[e->start[reg]] += e->words[reg];
    e->change[min_u32(e->last[reg], most) + 1] -= e->words[reg];
    e->start[reg] = NO_INDEX;
}

static void open_range(struct estimate *e, u32 reg, u32 at)
{
    e->start[reg] = e->last[reg] = at;
}

/* Extends the live range of a register read at a position. */
static void use(struct estimate *e, u32 reg, u32 at, u32 until)
{
    if (e->start[reg] == NO_INDEX) open_range(e, reg, e->param[reg] ? at : 0);
    e->last[reg] = max_u32(e->last[reg], e->param[reg] ? at : until);
}

static void range_result(void *context, u32 reg, bool is_write)
{
    struct estimate *e = context;
    if (!is_write || !counts(e, reg)) return;
    if (e->start[reg] != NO_INDEX && !e->guarded) {
        e->last[reg] = min_u32(e->last[reg], e->position - 1);
        close_range(e, reg, e->position);
    }
    if (e->start[reg] == NO_INDEX) open_range(e, reg, e->position);
    e->last[reg] = max_u32(e->last[reg], e->position);
}

/* Closes the range of a register at the end of the block, if open. */
static void range_end(struct estimate *e, u32 reg)
{
    u32 k = e->shared[reg];
    if (e->start[reg] == NO_INDEX) return;
    if (k != NO_INDEX && in_set(&e->out[(size_t)e->block * e->row], k)) e->last[reg] = e->position;
    close_range(e, reg, e->position);
}

static void end_result(void *context, u32 reg, bool is_write)
{
    if (is_write) range_end(context, reg);
}

static void find_ranges(struct estimate *e)
{
    for (u32 i = 0; i < e->order_n; i++) {
        u32 at = e->first + e->order[i];
        const struct step *s = &e->b->steps[at];
        bool holds = e->free && isa_unit(&s->form) == UNIT_MEM;
        for (u32 r = e->read_at[at]; r < e->read_at[at + 1]; r++) {
            u32 reg = e->reads[r];
            if (counts(e, reg))
                use(e, reg, 2 * i, 2 * i + (holds ? 2 * HOLD : 0));
        }
        e->position = 2 * i + 1;
        e->guarded = s->guard != NO_INDEX;
        step_registers(s, range_result, e);
    }
    e->position = 2 * e->order_n + 1;
    for (u32 i = 0; i < e->order_n; i++) {
        u32 at = e->first + e->order[i];
        for (u32 r = e->read_at[at]; r < e->read_at[at + 1]; r++) range_end(e, e->reads[r]);
        step_registers(&e->b->steps[at], end_result, e);
    }
}

/* Returns the most 32-bit registers live at once in the block at hand. free: registers cost
 * nothing. */
static u32 block_peak(struct estimate *e, bool free)
{
    e->free = free;
    memset(e->change, 0, sizeof *e->change * (2 * e->order_n + 3));
    for (u32 k = 0; k < e->shared_n; k++)
        if (in_set(&e->in[(size_t)e->block * e->row], k) && counts(e, e->shared_regs[k]))
            open_range(e, e->shared_regs[k], 0);
    find_ranges(e);
    for (u32 k = 0; k < e->shared_n; k++) range_end(e, e->shared_regs[k]);
    s32 now = 0, most = 0;
    for (u32 i = 0; i < 2 * e->order_n + 2; i++) {
        now += e->change[i];
        if (now > most) most = now;
    }
    return (u32)most;
}

struct peaks {
    u32 text, late, free;
};

static struct peaks find_peaks(struct estimate *e)
{
    struct peaks p = {0};
    memset(e->start, 0xff, sizeof *e->start * e->b->register_n);
    for (e->block = 0; e->block < e->b->block_n; e->block++) {
        const struct basic_block *k = &e->b->blocks[e->block];
        u32 n = k->end - k->first;
        e->first = k->first;
        find_edges(e, n);
        find_order(e, n, ORDER_TEXT);
        p.text = max_u32(p.text, block_peak(e, false));
        find_order(e, n, ORDER_LATE);
        p.late = max_u32(p.late, block_peak(e, false));
        find_order(e, n, ORDER_LOADS_FIRST);
        p.free = max_u32(p.free, block_peak(e, true));
    }
    return p;
}

static void estimate_free(struct estimate *e)
{
    void *const parts[] = {
        e->def, e->words, e->param, e->uniform, e->gone, e->reads, e->read_at, e->mark, e->shared,
        e->shared_regs, e->in, e->out, e->written, e->write, e->readers, e->links, e->edges,
        e->edge_at, e->order, e->done, e->stack, e->cursor, e->start, e->last, e->change,
    };
    for (u32 i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
}

static u32 *words(u32 n) { return base_alloc(sizeof(u32) * (n + 1ull)); }

u32 registers_estimate(const struct body *b, u32 full, u32 capability)
{
    u32 r = b->register_n, n = b->step_n;
    struct estimate e = {
        .b = b, .def = words(r), .words = base_alloc(r + 1), .param = base_alloc(r + 1),
        .uniform = base_alloc(r + 1),
        .gone = base_alloc(n + 1), .read_at = words(n + 1), .mark = words(r), .shared = words(r),
        .shared_regs = words(r), .write = words(r + PART_N), .readers = words(r + PART_N),
        .edge_at = words(n + 1), .order = words(n), .done = base_alloc(n + 1), .stack = words(n),
        .cursor = words(n), .start = words(r), .last = words(r), .change = (s32 *)words(2 * n + 3)};
    find_writers(&e);
    find_gone(&e);
    find_reads(&e);
    find_sets(&e);
    struct peaks p = find_peaks(&e);
    estimate_free(&e);
    if (!p.free) return EMPTY;
    u32 least = min_u32(p.text, p.late) + NEEDED;
    u32 wanted = max_u32(least, p.free + SPARE + (capability >= LOADS_PARAMETERS));
    return max_u32(min_u32(wanted, max_u32(full, (u32)round_up(least, GROUP))), LEAST);
}
