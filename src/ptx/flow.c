/* Finds the basic blocks of a body and the reconvergence point of each branch: the immediate
 * post-dominator of its block. Algorithm: Lengauer and Tarjan, "A Fast Algorithm for Finding
 * Dominators", with path compression, on the reversed graph from a virtual exit that follows ret,
 * exit and trap. The last block of an endless loop gets an edge to the virtual exit. Model: lanes
 * reconverge at the immediate post-dominator (GPGPU-Sim); a guarded ret or exit is also a branch to
 * the virtual exit. */
#include "ptx/body.h"

#include <stdlib.h>
#include <string.h>

static u32 *words(u32 n) { return base_alloc(sizeof(u32) * (n + 1ull)); }

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
    u32 *block_of;                /* block of each step */
    u32 *reverse, *reverse_start; /* predecessors of each block and of the exit (index block_n) */
    /* Blocks in depth-first order from the exit backwards; rank of each block in the order. */
    u32 *order, *number;
    u32 order_n;
    u32 *parent, *ipdom; /* by rank, values are ranks; the exit has rank 0 */
    u8 *endless;         /* blocks with an extra edge to the exit */
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
        struct basic_block *k = &b->blocks[i];
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

/* Visits predecessors depth first, without recursion, and numbers blocks in visiting order. */
static void visit(struct flow *f, u32 start, u32 *stack, u32 *next)
{
    u32 n = 0;
    f->number[start] = f->order_n;
    f->order[f->order_n++] = start;
    stack[n++] = start;
    while (n) {
        u32 at = stack[n - 1];
        if (next[at] == f->reverse_start[at + 1]) {
            n--;
            continue;
        }
        u32 to = f->reverse[next[at]++];
        if (f->number[to] != NO_INDEX) continue;
        f->parent[f->order_n] = f->number[at];
        f->number[to] = f->order_n;
        f->order[f->order_n++] = to;
        stack[n++] = to;
    }
}

/* Numbers blocks from the exit; each endless loop is entered from the exit through its extra
 * edge. */
static void find_order(struct flow *f)
{
    u32 n = f->b->block_n;
    u32 *stack = words(n + 1), *next = words(n + 1);
    f->order = words(n + 1);
    f->number = words(n + 1);
    f->parent = words(n + 1);
    f->endless = base_alloc(n + 1ull);
    memset(f->number, 0xff, sizeof(u32) * (n + 1ull));
    memcpy(next, f->reverse_start, sizeof(u32) * (n + 1ull));
    visit(f, n, stack, next);
    for (u32 i = n; i--;) {
        if (f->number[i] != NO_INDEX) continue;
        f->endless[i] = 1;
        f->parent[f->order_n] = 0;
        visit(f, i, stack, next);
    }
    free(stack);
    free(next);
}

/* The forest of Lengauer and Tarjan, over ranks. `best` of a node is the node with the least
 * semi-dominator on the path to its root, updated during path compression. */
struct forest {
    u32 *ancestor, *best, *semi, *stack;
};

static u32 forest_best(struct forest *t, u32 v)
{
    u32 n = 0;
    if (t->ancestor[v] == NO_INDEX) return v;
    for (u32 u = v; t->ancestor[t->ancestor[u]] != NO_INDEX; u = t->ancestor[u]) t->stack[n++] = u;
    while (n) {
        u32 u = t->stack[--n], up = t->ancestor[u];
        if (t->semi[t->best[up]] < t->semi[t->best[u]]) t->best[u] = t->best[up];
        t->ancestor[u] = t->ancestor[up];
    }
    return t->best[v];
}

static void find_semi(const struct flow *f, struct forest *t, u32 w)
{
    const struct body *b = f->b;
    const struct basic_block *k = &b->blocks[f->order[w]];
    if (f->endless[f->order[w]]) t->semi[w] = 0;
    for (u32 e = 0; e < k->edge_n; e++) {
        u32 u = forest_best(t, f->number[b->edges[k->edge + e]]);
        if (t->semi[u] < t->semi[w]) t->semi[w] = t->semi[u];
    }
}

static void find_post_dominators(struct flow *f)
{
    u32 n = f->order_n, *bucket = words(n), *next = words(n);
    struct forest t = {words(n), words(n), words(n), words(n)};
    f->ipdom = words(n);
    for (u32 i = 0; i < n; i++) {
        t.ancestor[i] = bucket[i] = next[i] = NO_INDEX;
        t.best[i] = t.semi[i] = i;
    }
    for (u32 w = n - 1; w > 0; w--) {
        find_semi(f, &t, w);
        next[w] = bucket[t.semi[w]];
        bucket[t.semi[w]] = w;
        u32 up = f->parent[w];
        t.ancestor[w] = up;
        for (u32 v = bucket[up]; v != NO_INDEX; v = next[v]) {
            u32 u = forest_best(&t, v);
            f->ipdom[v] = t.semi[u] < t.semi[v] ? u : up;
        }
        bucket[up] = NO_INDEX;
    }
    for (u32 w = 1; w < n; w++) {
        if (f->ipdom[w] != t.semi[w]) f->ipdom[w] = f->ipdom[f->ipdom[w]];
    }
    free(t.ancestor);
    free(t.best);
    free(t.semi);
    free(t.stack);
    free(bucket);
    free(next);
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
        u32 to = f.order[f.ipdom[f.number[i]]];
        s->reconverge = to < b->block_n ? b->blocks[to].first : NO_INDEX;
    }
    free(f.block_of);
    free(f.reverse);
    free(f.reverse_start);
    free(f.order);
    free(f.number);
    free(f.parent);
    free(f.ipdom);
    free(f.endless);
}
