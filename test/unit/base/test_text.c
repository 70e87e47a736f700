/* Numbers in a human-readable form, masked texts, and names near to a misspelt name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void test_grouped(void **state)
{
    static const char *const cases[][2] = {
        {"0", "0"}, {"999", "999"}, {"1000", "1,000"}, {"123456", "123,456"},
        {"1234567.8901", "1,234,567.8901"}, {"-100", "-100"}, {"-1234", "-1,234"}, {"0.5", "0.5"},
        {"18446744073709551615", "18,446,744,073,709,551,615"}, {"1e+300", "1e+300"}, {"", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char room[TEXT_NUMBER];
        assert_string_equal(text_grouped(cases[i][0], room), cases[i][1]);
    }
}

static void test_quote(void **state)
{
    static const char *const cases[][2] = {{"plain", "plain"}, {"a=b,c", "a=b,c"}, {"", "''"},
                                           {"two words", "'two words'"}, {"x[1]", "'x[1]'"},
                                           {"it's", "'it'\\''s'"}};
    (void)state;
    for (u32 i = 0; i < COUNT_OF(cases); i++) {
        struct text t = {0};
        text_quote(&t, cases[i][0]);
        assert_string_equal(t.bytes, cases[i][1]);
        text_free(&t);
    }
}

static void test_mask(void **state)
{
    static const char *const cases[][2] = {
        {"plain\n\ttext", "plain\n\ttext"}, {"\033[31m\a\177\r", "?[31m???"},
        {"\302\237\302\240", "??\302\240"}, {"\303\274\342\202\254", "\303\274\342\202\254"},
        {"\233\303", "??"}, {"\300\200", "??"}, {"\355\240\200", "???"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text t = {0};
        text_add(&t, "%s", cases[i][0]);
        text_mask(&t);
        assert_string_equal(t.bytes, cases[i][1]);
        text_free(&t);
    }
}

/* Each `wanted` with the names offered and the expected proposal; NULL: none. */
static void test_nearest(void **state)
{
    static const struct {
        const char *wanted, *offered[4], *best;
    } cases[] = {
        {"spatiall", {"sequential", "spatial"}, "spatial"}, /* inserted */
        {"vecad", {"mm", "vecadd"}, "vecadd"},              /* removed */
        {"sauce", {"size", "source"}, "source"},
        {"nodse", {"nodes", "node"}, "nodes"},              /* swapped */
        {"uot", {"in", "out"}, "out"},
        {"l1.wais", {"l1.sets", "l2.ways", "l1.ways"}, "l1.ways"},
        {"--polcy", {"--quiet", "--policy"}, "--policy"},
        {"-polcy", {"--quiet", "--policy"}, "--policy"},
        {"$Lend", {"$Lend1"}, "$Lend1"},
        {"rgs", {"req", "regs"}, "regs"},
        {"bf", {"bfs"}, "bfs"},
        {"MM", {"mm"}, "mm"},
        {"maxwel16", {"maxwell16"}, "maxwell16"},
        {"maxwell", {"maxwell16"}, "maxwell16"},            /* digits missing */
        {"fermi3", {"fermi30"}, "fermi30"},
        {"foo", {"fwt"}, NULL},                             /* two of three letters differ */
        {"bla", {"mlp"}, NULL},
        {"dfs", {"bfs"}, NULL},                             /* another first letter */
        {"rtx3090", {"rtx2060"}, NULL},                     /* another number */
        {"rtx2061", {"rtx2060"}, NULL},
        {"gtx890", {"gtx980"}, NULL},
        {"%r12", {"%r13"}, NULL},
        {"x", {"mm", "xy"}, NULL},
        {"--foo", {"--for-all", "--set"}, NULL},            /* marks are no shared letters */
        {"", {"a"}, NULL},
        {"--", {"--a"}, NULL},
        {"spatial", {"sequential", "temporal"}, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nearest n;
        nearest_init(&n, cases[i].wanted);
        for (size_t k = 0; k < 4 && cases[i].offered[k]; k++)
            nearest_offer(&n, cases[i].offered[k]);
        if (!n.best != !cases[i].best || (n.best && strcmp(n.best, cases[i].best)))
            fail_msg("'%s': %s", cases[i].wanted, n.best ? n.best : "none");
    }
}

/* Every way of adding, with and without room for the addition. */
static void test_add(void **state)
{
    (void)state;
    for (u32 before = 0; before < 80; before++) {
        struct text t = {0};
        text_put_spaces(&t, before);
        text_put_integer(&t, UINT64_MAX);
        text_put_integer(&t, 0);
        text_add(&t, "%s%u", "more", 10u);
        char expected[160];
        snprintf(expected, sizeof expected, "%*s184467440737095516150more10", (int)before, "");
        assert_string_equal(t.bytes, expected);
        assert_int_equal(t.size, strlen(expected));
        assert_true(t.size < t.room);
        text_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_add), cmocka_unit_test(test_grouped),
                                       cmocka_unit_test(test_quote), cmocka_unit_test(test_mask),
                                       cmocka_unit_test(test_nearest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
