/* Structure of graphs: dependencies, stored calls, deep copies, removal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/capture/node.h"

#define EMPTY cudaGraphNodeTypeEmpty

static void test_dependencies(void **state)
{
    (void)state;
    struct CUgraph_st *g = corun_graph_new(), *other = corun_graph_new();
    struct CUgraphNode_st *a = corun_node_new(g, EMPTY, NULL, 0);
    struct CUgraphNode_st *foreign = corun_node_new(other, EMPTY, NULL, 0);
    struct CUgraphNode_st *twice[] = {a, a};
    struct CUgraphNode_st *b = corun_node_new(g, cudaGraphNodeTypeKernel, twice, 2);
    assert_int_equal(b->before_n, 1); /* a dependency counts once */
    assert_ptr_equal(b->before[0], a);
    assert_ptr_equal(b->graph, g);
    assert_int_equal(b->type, cudaGraphNodeTypeKernel);
    corun_node_depend(b, a);
    assert_int_equal(b->before_n, 1);
    struct CUgraphNode_st *mixed[] = {a, foreign};
    assert_null(corun_node_new(g, EMPTY, mixed, 2)); /* a node of another graph */
    assert_int_equal(g->node_n, 2);
    corun_graph_free(g);
    corun_graph_free(other);
}

/* Lists grow in powers of two: every size up to beyond several steps keeps all entries. */
static void test_many(void **state)
{
    (void)state;
    enum { N = 70 };
    struct CUgraph_st *g = corun_graph_new();
    struct CUgraphNode_st *all[N];
    for (size_t i = 0; i < N; i++) {
        all[i] = corun_node_new(g, EMPTY, all, i);
        assert_int_equal(all[i]->before_n, i);
        for (size_t b = 0; b < i; b++) assert_ptr_equal(all[i]->before[b], all[b]);
    }
    assert_int_equal(g->node_n, N);
    for (size_t i = 0; i < N; i++) assert_ptr_equal(g->nodes[i], all[i]);
    corun_graph_free(g);
}

/* A node keeps a copy of a call with both parts of the payload. */
static void test_calls(void **state)
{
    (void)state;
    char first[] = "abcd", second[] = "efg";
    struct CUgraph_st *g = corun_graph_new();
    struct CUgraphNode_st *node = corun_node_new(g, EMPTY, NULL, 0);
    struct corun_call c = {.call = CALL_LAUNCH, .at = {7, 8}, .payload = first, .payload_bytes = 4,
                           .more = second, .more_bytes = 3};
    for (unsigned i = 0; i < 5; i++) {
        c.at[0] = i;
        corun_node_keep(node, &c);
    }
    memset(first, 'x', 4);
    memset(second, 'x', 3);
    assert_int_equal(node->call_n, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(node->calls[i].call, CALL_LAUNCH);
        assert_int_equal(node->calls[i].at[0], i);
        assert_int_equal(node->calls[i].at[1], 8);
        assert_int_equal(node->calls[i].payload_bytes, 4);
        assert_int_equal(node->calls[i].more_bytes, 3);
        assert_memory_equal(node->calls[i].payload, "abcd", 4);
        assert_memory_equal(node->calls[i].more, "efg", 3);
        /* contiguous, as the parameters of a kernel are read behind the launch */
        assert_ptr_equal(node->calls[i].more, (const char *)node->calls[i].payload + 4);
    }
    corun_node_forget_calls(node);
    assert_int_equal(node->call_n, 0);
    assert_null(node->calls);
    corun_node_keep(node, &(struct corun_call){.call = CALL_SYNC});
    assert_int_equal(node->call_n, 1);
    corun_graph_free(g);
}

/* A copy is deep: the original may be changed and freed. */
static void test_copy(void **state)
{
    (void)state;
    struct CUgraph_st *g = corun_graph_new(), *child = corun_graph_new();
    struct CUgraphNode_st *a = corun_node_new(g, cudaGraphNodeTypeMemset, NULL, 0);
    struct CUgraphNode_st *b = corun_node_new(g, cudaGraphNodeTypeGraph, &a, 1);
    corun_node_keep(a, &(struct corun_call){.call = CALL_FILL, .payload = "wxyz",
                                            .payload_bytes = 4});
    corun_node_new(child, cudaGraphNodeTypeHost, NULL, 0);
    b->child = child;
    b->priority = -3;
    b->condition = (struct graph_condition *)(void *)g; /* any address */
    b->choice = cudaGraphCondTypeWhile;
    b->allocation = &child;
    b->of_allocation.bytesize = 64;
    corun_node_bodies(b, 2);
    corun_node_new(b->bodies[1], EMPTY, NULL, 0);

    struct CUgraph_st *copy = corun_graph_copy(g);
    assert_int_equal(copy->node_n, 2);
    struct CUgraphNode_st *a2 = corun_node_in_copy(copy, a), *b2 = corun_node_in_copy(copy, b);
    assert_ptr_equal(a2, copy->nodes[0]);
    assert_ptr_equal(a2->origin, a);
    assert_ptr_equal(a2->graph, copy);
    assert_int_equal(b2->before_n, 1);
    assert_ptr_equal(b2->before[0], a2); /* the copy's own node */
    assert_ptr_not_equal(a2->calls, a->calls);
    assert_ptr_not_equal(a2->calls[0].payload, a->calls[0].payload);
    assert_memory_equal(a2->calls[0].payload, "wxyz", 4);
    assert_ptr_not_equal(b2->child, child);
    assert_ptr_equal(b2->child->nodes[0]->origin, child->nodes[0]);
    assert_int_equal(b2->priority, -3);
    assert_ptr_equal(b2->condition, g);
    assert_int_equal(b2->choice, cudaGraphCondTypeWhile);
    assert_ptr_equal(b2->allocation, &child);
    assert_int_equal(b2->of_allocation.bytesize, 64);
    assert_int_equal(b2->body_n, 2);
    assert_int_equal(b2->bodies[0]->node_n, 0);
    assert_int_equal(b2->bodies[1]->node_n, 1);
    assert_ptr_not_equal(b2->bodies[1], b->bodies[1]);
    assert_null(corun_node_in_copy(copy, a2)); /* a node of the copy is no original */
    corun_graph_free(g);
    assert_memory_equal(a2->calls[0].payload, "wxyz", 4);
    corun_graph_free(copy);
}

/* An update replaces everything that the node had. */
static void test_update(void **state)
{
    (void)state;
    struct CUgraph_st *g = corun_graph_new();
    struct CUgraphNode_st *from = corun_node_new(g, EMPTY, NULL, 0);
    struct CUgraphNode_st *to = corun_node_new(g, EMPTY, NULL, 0);
    corun_node_keep(to, &(struct corun_call){.call = CALL_SYNC});
    corun_node_keep(to, &(struct corun_call){.call = CALL_SYNC});
    to->child = corun_graph_new();
    corun_node_bodies(to, 3);
    corun_node_keep(from, &(struct corun_call){.call = CALL_FILL, .at = {9}});
    corun_node_copy(to, from);
    assert_int_equal(to->call_n, 1);
    assert_int_equal(to->calls[0].call, CALL_FILL);
    assert_int_equal(to->calls[0].at[0], 9);
    assert_null(to->child);
    assert_int_equal(to->body_n, 0);
    corun_graph_free(g);
}

/* A removed node disappears from its graph and from the dependencies of all nodes. */
static void test_removal(void **state)
{
    (void)state;
    struct CUgraph_st *g = corun_graph_new();
    struct CUgraphNode_st *n[4];
    for (size_t i = 0; i < 4; i++) n[i] = corun_node_new(g, EMPTY, n, i);
    corun_node_remove(n[1]);
    assert_int_equal(g->node_n, 3);
    assert_ptr_equal(g->nodes[0], n[0]);
    assert_ptr_equal(g->nodes[1], n[2]);
    assert_ptr_equal(g->nodes[2], n[3]);
    assert_int_equal(n[2]->before_n, 1);
    assert_ptr_equal(n[2]->before[0], n[0]);
    assert_int_equal(n[3]->before_n, 2);
    assert_ptr_equal(n[3]->before[0], n[0]);
    assert_ptr_equal(n[3]->before[1], n[2]);
    corun_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependencies), cmocka_unit_test(test_many),
        cmocka_unit_test(test_calls), cmocka_unit_test(test_copy), cmocka_unit_test(test_update),
        cmocka_unit_test(test_removal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
