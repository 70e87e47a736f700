/* Finds the live range of each register and allocates its row. Live ranges are found by walking
 * back from the uses of each register (Appel, "Modern Compiler Implementation", liveness by use);
 * rows are allocated by linear scan over whole live ranges, without reuse of holes. */
#include "ptx/body.h"

#include <stdlib.h>
#include <string.h>

/* The analysis is per thread. The result is valid under SIMT execution with partial masks, because
 * an instruction writes only the executing lanes: lanes on the other path of a branch keep their
 * values, and each lane by itself follows one path of the graph. Three rules ensure validity.
 * First, a guarded write does not end the live range of the old value, because lanes with a false
 * guard keep the old value: the write also counts as a read. Second, a row is never shared by a
 * 32-bit and a 64-bit register: the 64-bit element of lane l covers bytes that belong to other
 * lanes of a 32-bit row; 64-bit registers therefore have their own rows. Third, the second rule
 * must also hold across functions: while some lanes wait in a function, others may be in another
 * function whose frame begins at the same row or in the middle of the first frame. All frames of
 * functions therefore have the same pattern, and the kernel's frame, shared by all lanes, ends at a
 * pattern boundary. */
/* A pattern is two rows for a 64-bit register, then one row for each of two 32-bit registers. */
enum { PATTERN_ROWS = 4, PATTERN_WORDS = 2 };

enum { ROW_LIMIT = 8192, PRED_LIMIT = 255 };
enum { REGISTERS_MOST = 255 }; /* per thread, in machine code */

void step_operands(const struct step *s, void (*visit)(void *context, u32 reg, bool is_write),
                   void *context)
{
    for (u32 i = 0; i < STEP_SRC_MAX; i++)
        if (s->src[i].kind == VALUE_REG) visit(context, s->src[i].reg, false);
    if (s->src_pred != NO_INDEX) visit(context, s->src_pred, false);
    if (s->guard != NO_INDEX) visit(context, s->guard, false);
    for (u32 i = 0; i < DST_MAX; i++)
        if (s->dst[i].kind == VALUE_REG) visit(context, s->dst[i].reg, true);
    if (s->dst_pred != NO_INDEX) visit(context, s->dst_pred, true);
    if (s->dst_pred2 != NO_INDEX) visit(context, s->dst_pred2, true);
}

void step_registers(const struct step *s, void (*visit)(void *context, u32 reg, bool is_write),
                    void *context)
{
    for (u32 i = 0; i < s->sum_n; i++) visit(context, s->sums[i].index, false);
    step_operands(s, visit, context);
    for (u32 i = 0; i < s->sum_n; i++) visit(context, s->sums[i].index, true);
}

/* Positions: step i reads its sources at 2i and writes its destinations at 2i + 1. */
struct touch {            /* a register in a block that reads or writes the register */
    u32 reg, block, next; /* next: touch of the same register */
    bool exposed, killed; /* read before any write; written by all lanes */
    u32 start, last;      /* of the live range that is open while the block is walked */
};

struct live_range {
    u32 low, high;
}; /* of the whole live range; low > high: empty */

struct liveness {
    struct body *b;
    struct touch *touches;
    u32 touch_n, touch_room;
    u32 *first; /* head of the list of touches of each register */
    struct live_range *ranges;
    /* Registers whose range begins at a position minus registers whose range ends before the
     * position. */
    s32 *change;
    u32 *reverse, *reverse_start;
    u32 block, position; /* during the walk */
    bool guarded;
};

static u32 weight(const struct body *b, u32 reg)
{
    u32 bytes = type_bytes((enum type)b->types[reg]);
    return b->types[reg] == T_PRED ? 0 : bytes > 4 ? 2 : 1;
}

static void live(struct liveness *v, u32 reg, u32 from, u32 to)
{
    struct live_range *s = &v->ranges[reg];
    u32 w = weight(v->b, reg);
    s->low = min_u32(s->low, from);
    s->high = max_u32(s->high, to);
    v->change[from] += (s32)w;
    v->change[to + 1] -= (s32)w;
}

static struct touch *touch_of(struct liveness *v, u32 reg)
{
    u32 id = v->first[reg];
    if (id != NO_INDEX && v->touches[id].block == v->block) return &v->touches[id];
    v->first[reg] = v->touch_n;
    struct touch *t = base_push(v->touches, v->touch_n, v->touch_room);
    *t = (struct touch){.reg = reg, .block = v->block, .next = id, .start = NO_INDEX};
    return t;
}

static void touch_read(struct liveness *v, u32 reg, u32 position)
{
    struct touch *t = touch_of(v, reg);
    if (!t->killed) t->exposed = true;
    if (t->start == NO_INDEX) t->start = 2 * v->b->blocks[v->block].first;
    t->last = position;
}

static void touch_step(void *context, u32 reg, bool is_write)
{
    struct liveness *v = context;
    if (!is_write || v->guarded) touch_read(v, reg, v->position);
    if (!is_write) return;
    struct touch *t = touch_of(v, reg);
    if (!v->guarded) {
        if (t->start != NO_INDEX && t->last >= t->start) live(v, reg, t->start, t->last);
        t->start = v->position + 1;
        t->killed = true;
    }
    t->last = v->position + 1;
}

static void walk_block(struct liveness *v, u32 block)
{
    const struct basic_block *k = &v->b->blocks[block];
    u32 before = v->touch_n;
    v->block = block;
    for (u32 i = k->first; i < k->end; i++) {
        v->position = 2 * i;
        v->guarded = v->b->steps[i].guard != NO_INDEX;
        step_registers(&v->b->steps[i], touch_step, v);
    }
    for (u32 i = before; i < v->touch_n; i++)
        live(v, v->touches[i].reg, v->touches[i].start, v->touches[i].last);
}

/* Extends sources beyond the write of instructions that read some lanes or words after writing
 * others. */
static void hold_sources(struct liveness *v)
{
    const struct body *b = v->b;
    for (u32 i = 0; i < b->step_n; i++) {
        const struct step *s = &b->steps[i];
        u16 op = s->form.op;
        bool careful = s->form.vector > 1 || op == OP_SHFL || op == OP_MATCH || op == OP_ATOM ||
                       op == OP_REDUX || op == OP_VOTE || op == OP_LD || op == OP_BAR ||
                       op == OP_BARRIER || op == OP_ELECT || op == OP_MBARRIER;
        if (!careful || s->dst[0].kind == VALUE_NONE) continue;
        for (u32 k = 0; k < STEP_SRC_MAX; k++) {
            if (s->src[k].kind == VALUE_REG)
                v->ranges[s->src[k].reg].high = max_u32(v->ranges[s->src[k].reg].high, 2 * i + 1);
        }
    }
}

static void find_reverse(struct liveness *v)
{
    const struct body *b = v->b;
    v->reverse_start = base_alloc(sizeof(u32) * (b->block_n + 2ull));
    v->reverse = base_alloc(sizeof(u32) * (b->edge_n + 1ull));
    u32 *at = base_alloc(sizeof(u32) * (b->block_n + 2ull));
    for (u32 e = 0; e < b->edge_n; e++) v->reverse_start[b->edges[e] + 1]++;
    for (u32 i = 0; i <= b->block_n; i++) v->reverse_start[i + 1] += v->reverse_start[i];
    memcpy(at, v->reverse_start, sizeof(u32) * (b->block_n + 2ull));
    for (u32 i = 0; i < b->block_n; i++) {
        for (u32 e = 0; e < b->blocks[i].edge_n; e++)
            v->reverse[at[b->edges[b->blocks[i].edge + e]]++] = i;
    }
    free(at);
}

/* Walks back from every block that has `reg` live at its start to the writes of `reg`. */
static void walk_back(struct liveness *v, u32 reg, u32 *touch_in, u32 *seen, u32 *stack)
{
    const struct body *b = v->b;
    u32 n = 0;
    for (u32 i = v->first[reg]; i != NO_INDEX; i = v->touches[i].next) {
        touch_in[v->touches[i].block] = i;
        if (v->touches[i].exposed) stack[n++] = v->touches[i].block;
    }
    while (n) {
        u32 at = stack[--n];
        for (u32 e = v->reverse_start[at]; e < v->reverse_start[at + 1]; e++) {
            u32 from = v->reverse[e], end = 2 * b->blocks[from].end - 1;
            if (seen[from] == reg + 1) continue;
            seen[from] = reg + 1;
            const struct touch *t = touch_in[from] != NO_INDEX ? &v->touches[touch_in[from]] : NULL;
            if (!t) {
                live(v, reg, 2 * b->blocks[from].first, end);
                stack[n++] = from;
            } else if (t->last < end) {
                live(v, reg, t->last + 1, end);
            }
        }
    }
    for (u32 i = v->first[reg]; i != NO_INDEX; i = v->touches[i].next)
        touch_in[v->touches[i].block] = NO_INDEX;
}

static void find_lives(struct liveness *v)
{
    const struct body *b = v->b;
    v->first = base_alloc(sizeof(u32) * (b->register_n + 1ull));
    v->ranges = base_alloc(sizeof *v->ranges * (b->register_n + 1ull));
    v->change = base_alloc(sizeof(s32) * (2ull * b->step_n + 2));
    memset(v->first, 0xff, sizeof(u32) * b->register_n);
    for (u32 i = 0; i < b->register_n; i++) v->ranges[i].low = NO_INDEX;
    for (u32 i = 0; i < b->block_n; i++) walk_block(v, i);
    find_reverse(v);
    u32 *touch_in = base_alloc(sizeof(u32) * (b->block_n + 1ull)),
        *seen = base_alloc(sizeof(u32) * (b->block_n + 1ull));
    u32 *stack = base_alloc(sizeof(u32) * (2ull * b->block_n + 1));
    memset(touch_in, 0xff, sizeof(u32) * (b->block_n + 1ull));
    for (u32 i = 0; i < b->register_n; i++) walk_back(v, i, touch_in, seen, stack);
    free(touch_in);
    free(seen);
    free(stack);
}

struct loaded { /* registers written by loads and not yet read */
    u8 *on;
    bool read; /* the current step reads a loaded register */
};

static void look_at_loaded(void *context, u32 reg, bool is_write)
{
    struct loaded *w = context;
    (void)is_write; /* an output dependence waits, too */
    w->read |= w->on[reg];
    w->on[reg] = false;
}

static bool is_long_load(const struct form *f)
{
    bool loads = f->op == OP_LD || f->op == OP_LDU || f->op == OP_ATOM || f->op == OP_TEX ||
                 f->op == OP_TLD4 || f->op == OP_SULD || f->op == OP_WMMA_LOAD;
    return loads && f->space != SPACE_SHARED && f->space != SPACE_CONST && f->space != SPACE_PARAM;
}

/* Returns true if a warp may wait for a long time before the step: the step is the first to read
 * the result of a load from global or local memory, or is a barrier. Model: the order is that of
 * the text; a load at the end of a loop with its use at the beginning of the loop is therefore not
 * seen. */
static bool may_wait(struct loaded *w, const struct step *s)
{
    w->read = false;
    step_registers(s, look_at_loaded, w);
    for (u32 i = 0; i < DST_MAX && is_long_load(&s->form); i++)
        if (s->dst[i].kind == VALUE_REG) w->on[s->dst[i].reg] = true;
    u16 op = s->form.op;
    bool stops = op == OP_BAR || op == OP_BARRIER || op == OP_CP_WAIT_GROUP ||
                 op == OP_CP_WAIT_ALL || op == OP_WGMMA_WAIT;
    return w->read || stops || (op == OP_MBARRIER && (s->form.sub & MBAR_WHAT) == MBAR_TRY);
}

static void find_peaks(const struct liveness *v)
{
    struct body *b = v->b;
    s64 now = 0;
    struct loaded loaded = {.on = base_alloc(b->register_n + 1ull)};
    for (u32 i = 0; i < 2 * b->step_n; i++) {
        now += v->change[i];
        b->peak = max_u32(b->peak, (u32)now);
        if (i % 2 == 0 && may_wait(&loaded, &b->steps[i / 2]))
            b->waiting_peak = max_u32(b->waiting_peak, (u32)now);
        if (b->steps[i / 2].form.op == OP_CALL && i % 2)
            b->call_peak = max_u32(b->call_peak, (u32)now);
    }
    free(loaded.on);
}

/* Model: the register allocation of the assembler is not simulated; the result is the number of
 * live registers plus two, at least 8, and at least 24 if code outside the module is called (guess:
 * its calling convention). Compared with ptxas 13 for sm_75 on 41 kernels, the median is exact and
 * half of the kernels lie within 3; ptxas uses up to 40 more registers where it unrolls loops or
 * hoists loads. App files and workloads can state the true number. */
u32 registers_of_peak(u32 peak, bool foreign_calls)
{
    return min_u32(max_u32(peak + 2, foreign_calls ? FOREIGN_REGISTERS : 8), REGISTERS_MOST);
}

/* ---- rows ---- */

enum pool { POOL_PRED, POOL_WORD, POOL_LONG, POOL_N };

static enum pool pool_of(const struct body *b, u32 reg)
{
    if (b->types[reg] == T_PRED) return POOL_PRED;
    return type_bytes((enum type)b->types[reg]) > 4 ? POOL_LONG : POOL_WORD;
}

struct slot_pool { /* one pool of row slots; allocation takes the lowest free slot */
    u64 taken[ROW_LIMIT / 64];
    u32 heap[ROW_LIMIT]; /* registers that hold a slot; the earliest end is on top */
    u32 heap_n, place_n, limit;
};

static void heap_push(struct slot_pool *p, const struct live_range *ranges, u32 reg)
{
    u32 at = p->heap_n++;
    for (; at && ranges[p->heap[(at - 1) / 2]].high > ranges[reg].high; at = (at - 1) / 2) {
        p->heap[at] = p->heap[(at - 1) / 2];
    }
    p->heap[at] = reg;
}

static u32 heap_pop(struct slot_pool *p, const struct live_range *ranges)
{
    u32 top = p->heap[0], last = p->heap[--p->heap_n], at = 0;
    for (;;) {
        u32 child = 2 * at + 1;
        if (child >= p->heap_n) break;
        if (child + 1 < p->heap_n && ranges[p->heap[child + 1]].high < ranges[p->heap[child]].high)
            child++;
        if (ranges[p->heap[child]].high >= ranges[last].high) break;
        p->heap[at] = p->heap[child];
        at = child;
    }
    p->heap[at] = last;
    return top;
}

/* Returns false if the pool is full. */
static bool scan_take(struct slot_pool *p, const struct live_range *ranges, u32 *rows, u32 reg)
{
    while (p->heap_n && ranges[p->heap[0]].high < ranges[reg].low) {
        u32 gone = heap_pop(p, ranges);
        p->taken[rows[gone] / 64] &= ~(1ull << rows[gone] % 64);
    }
    u32 word = 0;
    while (word < ROW_LIMIT / 64 && p->taken[word] == UINT64_MAX) word++;
    u32 place = word < ROW_LIMIT / 64 ? word * 64 + (u32)__builtin_ctzll(~p->taken[word])
                                      : ROW_LIMIT;
    if (place >= p->limit) return false;
    p->taken[word] |= 1ull << place % 64;
    p->place_n = max_u32(p->place_n, place + 1);
    rows[reg] = place;
    heap_push(p, ranges, reg);
    return true;
}

struct start {
    u32 low, reg;
};

static int start_order(const void *a, const void *b)
{
    const struct start *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

/* Returns the row of a slot in its pool. In the kernel's frame the `longs` slots of 64-bit
 * registers come first, which aligns them to even rows. */
static u32 row_of(enum pool pool, u32 place, bool is_function, u32 longs)
{
    if (pool == POOL_PRED) return place;
    if (!is_function) return pool == POOL_LONG ? 2 * place : 2 * longs + place;
    if (pool == POOL_LONG) return PATTERN_ROWS * place;
    return place / PATTERN_WORDS * PATTERN_ROWS + PATTERN_ROWS - PATTERN_WORDS +
           place % PATTERN_WORDS;
}

static u32 rows_of(u32 longs, u32 words, bool is_function)
{
    if (is_function) return PATTERN_ROWS * max_u32(longs, (u32)div_up(words, PATTERN_WORDS));
    return (u32)round_up(2 * longs + words, PATTERN_ROWS);
}

static bool give_rows(struct liveness *v, bool is_function)
{
    struct body *b = v->b;
    struct slot_pool *pools = base_alloc(sizeof *pools * POOL_N);
    struct start *starts = base_alloc(sizeof *starts * (b->register_n + 1ull));
    u32 n = 0;
    bool ok = true;
    pools[POOL_PRED].limit = PRED_LIMIT;
    pools[POOL_WORD].limit = pools[POOL_LONG].limit = ROW_LIMIT / 4;
    for (u32 i = 0; i < b->register_n; i++) {
        const struct live_range *r = &v->ranges[i];
        if (r->low <= r->high) starts[n++] = (struct start){r->low, i};
    }
    qsort(starts, n, sizeof *starts, start_order);
    for (u32 i = 0; i < n && ok; i++) {
        ok = scan_take(&pools[pool_of(b, starts[i].reg)], v->ranges, b->rows, starts[i].reg);
    }
    u32 longs = pools[POOL_LONG].place_n;
    for (u32 i = 0; i < n && ok; i++) {
        u32 reg = starts[i].reg;
        b->rows[reg] = row_of(pool_of(b, reg), b->rows[reg], is_function, longs);
    }
    b->row_n = rows_of(longs, pools[POOL_WORD].place_n, is_function);
    b->pred_n = pools[POOL_PRED].place_n;
    free(pools);
    free(starts);
    return ok;
}

void liveness_allocate(struct lowering *l, struct body *b)
{
    struct liveness v = {.b = b};
    const struct func *f = &l->m->funcs[b->func];
    b->rows = base_alloc(sizeof(u32) * (b->register_n + 1ull));
    memset(b->rows, 0xff, sizeof(u32) * b->register_n);
    find_lives(&v);
    find_peaks(&v);
    hold_sources(&v);
    if (!give_rows(&v, b != l->bodies)) {
        fail_at(l->fail, f->source, f->offset,
                "'%s' needs more registers at once than corun has room for "
                "(%d predicates, %d registers of each size)",
                f->name, PRED_LIMIT, ROW_LIMIT / 4);
        b->failed = true;
    }
    free(v.touches);
    free(v.first);
    free(v.ranges);
    free(v.change);
    free(v.reverse);
    free(v.reverse_start);
}
