/* Blocks of a body, and for every branch where its lanes meet again: the immediate post-dominator
 * of its block. Post-dominators by the iterative method over a reverse post-order (Cooper, Harvey,
 * Kennedy, "A Simple, Fast Dominance Algorithm"), from a virtual exit that ret, exit and trap lead
 * to. A loop that never ends gets an edge to that exit from its last block. Model: reconvergence at
 * the immediate post-dominator, spec/machine.md and INTERFACE.md section 5. */
#include "ptx/body.h"

#include <stdlib.h>
#include <string.h>

static bool is_end(const struct step *s)
{
    u16 op = s->form.op;
    return op == OP_RET || op == OP_EXIT || op == OP_TRAP || s->ends;
}

static bool is_branch(const struct step *s) { return s->form.op == OP_BRA || s->form.op == OP_BRX; }

bool step_falls_through(const struct step *s)
{
    return s->guard != NO_INDEX || !(is_end(s) || is_branch(s));
}

struct flow {
    struct body *b;
    u32 *block_of;                /* of each step */
    u32 *reverse, *reverse_start; /* predecessors of each block and of the exit (index block_n) */
    u32 *order;                   /* reverse graph in post-order: the exit comes last */
    u32 order_n;
    u32 *number; /* place of a block in order */
    u32 *ipdom;
    u8 *ends_forever; /* blocks given an edge to the exit */
};

static void find_blocks(struct flow *f)
{
    struct body *b = f->b;
    u8 *leader = base_alloc(b->step_n + 1);
    leader[0] = 1;
    for (u32 i = 0; i < b->step_n; i++) {
        const struct step *s = &b->steps[i];
        if (s->form.op == OP_BRA) leader[s->target] = 1;
        for (u32 k = 0; k < s->table_n; k++) leader[b->targets[s->table + k]] = 1;
        if (is_branch(s) || is_end(s)) leader[i + 1] = 1;
    }
    for (u32 i = 0; i < b->step_n; i++) b->block_n += leader[i];
    b->blocks = base_alloc(sizeof *b->blocks * (b->block_n + 1));
    f->block_of = base_alloc(sizeof(u32) * (b->step_n + 1));
    u32 n = 0;
    for (u32 i = 0; i < b->step_n; i++) {
        if (leader[i]) b->blocks[n++].first = i;
        b->blocks[n - 1].end = i + 1;
        f->block_of[i] = n - 1;
    }
    f->block_of[b->step_n] = b->block_n;
    free(leader);
}

static void find_edges(struct flow *f)
{
    struct body *b = f->b;
    b->edges = base_alloc(sizeof(u32) * (b->block_n * 3ull + b->target_n + 1));
    for (u32 i = 0; i < b->block_n; i++) {
        struct block *k = &b->blocks[i];
        const struct step *s = &b->steps[k->end - 1];
        k->edge = b->edge_n;
        if (s->form.op == OP_BRA) b->edges[b->edge_n++] = f->block_of[s->target];
        for (u32 t = 0; t < s->table_n; t++)
            b->edges[b->edge_n++] = f->block_of[b->targets[s->table + t]];
        if (is_end(s)) b->edges[b->edge_n++] = b->block_n;
        if (step_falls_through(s)) b->edges[b->edge_n++] = i + 1;
        k->edge_n = b->edge_n - k->edge;
    }
}

static void find_reverse(struct flow *f)
{
    struct body *b = f->b;
    f->reverse_start = base_alloc(sizeof(u32) * (b->block_n + 2ull));
    f->reverse = base_alloc(sizeof(u32) * (b->edge_n + 1ull));
    u32 *at = base_alloc(sizeof(u32) * (b->block_n + 2ull));
    for (u32 e = 0; e < b->edge_n; e++) f->reverse_start[b->edges[e] + 1]++;
    for (u32 i = 0; i <= b->block_n; i++) f->reverse_start[i + 1] += f->reverse_start[i];
    memcpy(at, f->reverse_start, sizeof(u32) * (b->block_n + 2ull));
    for (u32 i = 0; i < b->block_n; i++) {
        for (u32 e = 0; e < b->blocks[i].edge_n; e++)
            f->reverse[at[b->edges[b->blocks[i].edge + e]]++] = i;
    }
    free(at);
}

/* Depth first over predecessors, without recursion. */
static void visit(struct flow *f, u32 start, u8 *seen, u32 *stack, u32 *next)
{
    u32 n = 0;
    stack[n++] = start;
    seen[start] = 1;
    while (n) {
        u32 at = stack[n - 1];
        if (next[at] < f->reverse_start[at + 1]) {
            u32 to = f->reverse[next[at]++];
            if (!seen[to]) {
                seen[to] = 1;
                stack[n++] = to;
            }
        } else {
            f->order[f->order_n++] = at;
            n--;
        }
    }
}

/* Post-order of the reverse graph; blocks that cannot reach the exit hang below it by edges of
 * their own. */
static void find_order(struct flow *f)
{
    u32 n = f->b->block_n, *stack = base_alloc(sizeof(u32) * (n + 1ull)),
        *next = base_alloc(sizeof(u32) * (n + 1ull));
    u8 *seen = base_alloc(n + 1ull);
    f->order = base_alloc(sizeof(u32) * (n + 1ull));
    f->number = base_alloc(sizeof(u32) * (n + 1ull));
    f->ends_forever = base_alloc(n + 1ull);
    memcpy(next, f->reverse_start, sizeof(u32) * (n + 1ull));
    /* which blocks reach the exit; then the endless ones, from the last */
    visit(f, n, seen, stack, next);
    u32 with_exit = f->order_n;
    for (u32 i = n; i--;) {
        if (seen[i]) continue;
        f->ends_forever[i] = 1;
        visit(f, i, seen, stack, next);
    }
    memmove(f->order + with_exit - 1, f->order + with_exit, sizeof(u32) * (f->order_n - with_exit));
    f->order[f->order_n - 1] = n; /* the exit, root of all */
    for (u32 i = 0; i < f->order_n; i++) f->number[f->order[i]] = i;
    free(stack);
    free(next);
    free(seen);
}

static u32 meet(const struct flow *f, u32 a, u32 b)
{
    while (a != b) {
        while (f->number[a] < f->number[b]) a = f->ipdom[a];
        while (f->number[b] < f->number[a]) b = f->ipdom[b];
    }
    return a;
}

static void find_post_dominators(struct flow *f)
{
    const struct body *b = f->b;
    u32 exit = b->block_n;
    f->ipdom = base_alloc(sizeof(u32) * (exit + 1ull));
    memset(f->ipdom, 0xff, sizeof(u32) * (exit + 1ull));
    f->ipdom[exit] = exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = f->order_n; i--;) {
            u32 at = f->order[i], found = f->ends_forever[at] ? exit : NO_INDEX;
            if (at == exit) continue;
            for (u32 e = 0; e < b->blocks[at].edge_n; e++) {
                u32 to = b->edges[b->blocks[at].edge + e];
                if (f->ipdom[to] == NO_INDEX) continue;
                found = found == NO_INDEX ? to : meet(f, found, to);
            }
            if (found == f->ipdom[at]) continue;
            f->ipdom[at] = found;
            changed = true;
        }
    }
}

void flow_find(struct body *b)
{
    struct flow f = {.b = b};
    find_blocks(&f);
    find_edges(&f);
    find_reverse(&f);
    find_order(&f);
    find_post_dominators(&f);
    for (u32 i = 0; i < b->block_n; i++) {
        struct step *s = &b->steps[b->blocks[i].end - 1];
        if (!is_branch(s) || (s->form.op == OP_BRA && s->guard == NO_INDEX)) continue;
        u32 to = f.ipdom[i];
        s->reconverge = to < b->block_n ? b->blocks[to].first : NO_INDEX;
    }
    free(f.block_of);
    free(f.reverse);
    free(f.reverse_start);
    free(f.order);
    free(f.number);
    free(f.ipdom);
    free(f.ends_forever);
}
