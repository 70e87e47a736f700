/* Reconvergence points of branches: hand-made graphs, and random graphs against the definition of
 * post-dominance (a block post-dominates another if its removal cuts every path to the exit). */
#include "fixture.h"

static u32 line_of(const struct program *p, u32 pc) { return pc == PC_NONE ? 0 : p->code[pc].line; }

static void test_graphs(void **state)
{
    (void)state;
    /* lines count from 6; `meets`: reconvergence line of the branch in `line`, 0: the exit */
    static const struct {
        const char *name, *body;
        u32 line, meets;
    } graphs[] = {
        {"if", "@%p1 bra L;\nmembar.gl;\nL: ret;", 6, 8},
        {"if else", "@%p1 bra E;\nmembar.gl;\nbra J;\nE: membar.sys;\nJ: ret;", 6, 10},
        {"nested, outer", "@%p1 bra J;\n@%p2 bra K;\nmembar.gl;\nK: membar.sys;\nJ: ret;", 6, 10},
        {"nested, inner", "@%p1 bra J;\n@%p2 bra K;\nmembar.gl;\nK: membar.sys;\nJ: ret;", 7, 9},
        {"loop", "L: membar.gl;\n@%p1 bra L;\nret;", 7, 8},
        {"loop with a break", "L: membar.gl;\n@%p1 bra X;\n@%p2 bra L;\nmembar.sys;\nX: ret;", 7,
         10},
        {"two returns", "@%p1 bra L;\nret;\nL: ret;", 6, 0},
        {"guarded return", "@%p1 bra L;\n@%p2 ret;\nL: membar.gl;\nret;", 6, 0},
        {"trap on one side", "@%p1 bra L;\ntrap;\nL: ret;", 6, 0},
        {"endless loop", "L: membar.gl;\nbra L;", 7, 0},
        {"endless on one side", "@%p1 bra L;\nK: membar.gl;\nbra K;\nL: ret;", 6, 0},
        {"endless with a branch", "L: @%p1 bra K;\nmembar.gl;\nK: bra L;", 6, 8},
        {"branch to the next", "@%p1 bra L;\nL: ret;", 6, 7},
        {"table",
         "T: .branchtargets A, B, C;\nbrx.idx %r1, T;\nA: bra D;\nB: bra D;\nC: membar.gl;\n"
         "D: ret;",
         7, 11},
        {"short circuit", "@%p1 bra E;\n@%p2 bra E;\nmembar.gl;\nbra J;\nE: membar.sys;\nJ: ret;",
         7, 11},
        {"unreachable", "bra J;\n@%p1 bra J;\nmembar.gl;\nJ: ret;", 7, 9},
    };
    for (u32 i = 0; i < COUNT_OF(graphs); i++) {
        struct fixture f;
        char text[700];
        const struct program *p = fixture_kernel(&f, text, sizeof text, graphs[i].body);
        bool found = false;
        for (u32 pc = 0; pc < p->code_n; pc++) {
            u16 op = p->ptx->code[pc].form.op;
            bool branch = op == OP_BRA || op == OP_BRX;
            if (p->code[pc].line != graphs[i].line || !branch) continue;
            u32 meets = line_of(p, p->ptx->code[pc].reconverge);
            if (meets != graphs[i].meets) fail_msg("%s: meets at %u", graphs[i].name, meets);
            found = true;
        }
        if (!found) fail_msg("%s: no branch in line %u", graphs[i].name, graphs[i].line);
        fixture_free(&f);
    }
}

enum { NODES = 12 }; /* the last is the exit */
struct graph {
    bool edge[NODES + 1][NODES + 1];
    u32 n;
};

static bool reaches(const struct graph *g, u32 from, u32 to, u32 without)
{
    bool seen[NODES + 1] = {false};
    u32 stack[NODES + 1], n = 0;
    if (from == without) return false;
    stack[n++] = from;
    seen[from] = true;
    while (n) {
        u32 at = stack[--n];
        if (at == to) return true;
        for (u32 next = 0; next <= g->n; next++) {
            if (!g->edge[at][next] || seen[next] || next == without) continue;
            seen[next] = true;
            stack[n++] = next;
        }
    }
    return false;
}

/* Adds an edge to the exit to blocks without a path to the exit, starting from the last block. */
static void close_graph(struct graph *g)
{
    for (u32 i = g->n; i--;)
        if (!reaches(g, i, g->n, NODES + 9)) g->edge[i][g->n] = true;
}

/* Of the blocks on every path to the exit, returns the block post-dominated by all the others. */
static u32 meeting(const struct graph *g, u32 at)
{
    for (u32 b = 0; b < g->n; b++) {
        if (b == at || reaches(g, at, g->n, b)) continue;
        bool nearest = true;
        for (u32 c = 0; c < g->n; c++) {
            if (c == at || c == b || reaches(g, at, g->n, c)) continue;
            nearest &= !reaches(g, b, g->n, c);
        }
        if (nearest) return b;
    }
    return g->n;
}

static u32 draw(u32 *state, u32 n)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 16) % n;
}

static void test_random(void **state)
{
    (void)state;
    u32 seed = 1;
    for (u32 round = 0; round < 400; round++) {
        struct graph g = {.n = 3 + draw(&seed, NODES - 3)};
        struct text body = {0};
        for (u32 i = 0; i < g.n; i++) { /* every block is one line: `Bi: instruction` */
            u32 to = draw(&seed, g.n), kind = draw(&seed, 5);
            if (i + 1 == g.n) kind = 2; /* the last block returns */
            g.edge[i][to] |= kind <= 1;
            g.edge[i][i + 1] |= kind == 0 || kind == 4;
            g.edge[i][g.n] |= kind == 2 || kind == 3;
            if (kind == 0) text_add(&body, "B%u: @%%p1 bra B%u;\n", i, to);
            else if (kind == 1) text_add(&body, "B%u: bra B%u;\n", i, to);
            else if (kind == 4) text_add(&body, "B%u: membar.gl;\n", i);
            else text_add(&body, "B%u: %s;\n", i, kind == 2 ? "ret" : "trap");
        }
        struct fixture f;
        char text[1500];
        const struct program *p = fixture_kernel(&f, text, sizeof text, text_get(&body));
        close_graph(&g);
        for (u32 pc = 0; pc < p->code_n; pc++) {
            u32 at = p->code[pc].line - 6;
            const struct ptx_inst *i = &p->ptx->code[pc];
            if (i->form.op != OP_BRA || i->guard == PRED_NONE) continue;
            u32 wanted = meeting(&g, at), have = i->reconverge;
            u32 block = have == PC_NONE ? g.n : p->code[have].line - 6;
            if (block != wanted)
                fail_msg("block %u meets at %u, not %u:\n%s", at, block, wanted, text);
        }
        text_free(&body);
        fixture_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_graphs),
                                       cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
